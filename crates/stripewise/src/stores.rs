//! The path of the store, and the names of runs in it.

use std::path::{Path, PathBuf};

use clap::Args;
use stripewise_results::{RunId, Store, StoreError};

use crate::failure::{Failure, Result};
use crate::inputs;

/// The option that every command with a store has.
#[derive(Debug, Clone, Args)]
pub(crate) struct StoreArgs {
    /// The store that holds the runs [default: $XDG_DATA_HOME/stripewise/store.db, usually ~/.local/share/stripewise/store.db]
    ///
    /// One SQLite file. The first run creates it. It must not be on a network filesystem.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

impl StoreArgs {
    /// Returns the path of the file, which need not exist.
    pub(crate) fn path(&self) -> Result<PathBuf> {
        if let Some(path) = &self.store {
            return Ok(path.clone());
        }
        // The XDG base directory specification requires relative paths to be ignored.
        let absolute = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let data = absolute("XDG_DATA_HOME")
            .or_else(|| Some(absolute("HOME")?.join(".local").join("share")));
        match data {
            Some(data) => Ok(data.join("stripewise").join("store.db")),
            None => Err(Failure::new(
                "failed to find a place for the store: neither XDG_DATA_HOME nor HOME is set",
            )
            .hint("name a file: `--store FILE`")),
        }
    }

    /// Returns the `--store` option for another command on this store: empty for the default store.
    pub(crate) fn again(&self) -> String {
        self.store.as_ref().map_or_else(String::new, |path| {
            let path = path.display().to_string();
            format!(" --store {}", stripewise_units::visible::shell_word(&path))
        })
    }

    /// Opens the store, and creates it if there is none.
    pub(crate) fn open(&self) -> Result<Store> {
        let path = self.path()?;
        let store = Store::open(&path)?;
        note(&path);
        Ok(store)
    }

    /// Checks that a store that was named exists and can be read. The default one may be missing: a
    /// later run makes it.
    pub(crate) fn check_named(&self) -> Result<()> {
        match Store::open_existing(&self.path()?) {
            Err(StoreError::Missing { .. } | StoreError::Empty { .. }) if self.store.is_none() => {}
            opened => drop(opened?),
        }
        Ok(())
    }

    /// Opens an existing store.
    pub(crate) fn open_existing(&self) -> Result<Store> {
        let path = self.path()?;
        let store = Store::open_existing(&path)?;
        note(&path);
        Ok(store)
    }
}

/// Notes the files of a store, which no output may replace.
fn note(store: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut path = store.as_os_str().to_owned();
        path.push(suffix);
        inputs::note_path(Path::new(&path));
    }
}

/// A run as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunName {
    /// By its number.
    Number(RunId),
    /// The run that was started last.
    Latest,
}

impl std::str::FromStr for RunName {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        if text == "latest" {
            return Ok(RunName::Latest);
        }
        text.parse()
            .map(RunName::Number)
            .map_err(|error: stripewise_results::ParseRunIdError| {
                format!("{error}; `latest` is the run started last")
            })
    }
}

impl RunName {
    /// Returns the numbers of runs, each once, in the order in which they were named.
    pub(crate) fn resolve_all(names: &[RunName], store: &Store) -> Result<Vec<RunId>> {
        let mut ids = Vec::new();
        for name in names {
            let id = name.resolve(store)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// Returns the number of the run.
    pub(crate) fn resolve(self, store: &Store) -> Result<RunId> {
        match self {
            RunName::Number(id) => Ok(id),
            RunName::Latest => store.latest_run()?.ok_or_else(|| {
                Failure::new(format!("`{}` holds no run", store.path().display()))
                    .hint("start one with `stripewise run STUDY`")
            }),
        }
    }
}
