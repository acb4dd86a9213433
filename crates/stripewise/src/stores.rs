//! The path of the store, and the names of runs in it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::{Args, CommandFactory as _};
use stripewise_results::{LATEST, RunId, Store, StoreError, is_on_server, stored_run_name};
use stripewise_units::suggest::nearest;

use crate::failure::{Failure, Result};
use crate::{args, inputs};

/// The `--store` option of this command, if it was given.
static NAMED: OnceLock<String> = OnceLock::new();

/// Returns a hint with the `--store` option of this command in each command that takes one: without it,
/// the command would be about a run of another store.
pub(crate) fn with_store(hint: &str) -> Cow<'_, str> {
    match NAMED.get() {
        Some(option) => Cow::Owned(with_option(hint, option)),
        None => Cow::Borrowed(hint),
    }
}

fn with_option(hint: &str, option: &str) -> String {
    let program = args::Args::command();
    let takes_store = |words: &str| {
        let name = words.split(' ').next().unwrap_or_default();
        let command = program.find_subcommand(name);
        let mut options = command.into_iter().flat_map(clap::Command::get_arguments);
        options.any(|option| option.get_long() == Some("store"))
    };
    let parts = hint.split('`').enumerate().map(|(index, part)| {
        let own = part.strip_prefix("stripewise ").filter(|_| index % 2 == 1);
        let lacks = own.is_some_and(|words| takes_store(words) && !words.contains("--store"));
        match lacks {
            true => format!("{part}{option}"),
            false => part.to_owned(),
        }
    });
    let parts: Vec<String> = parts.collect();
    parts.join("`")
}

/// The option that every command with a store has.
#[derive(Debug, Clone, Args)]
pub(crate) struct StoreArgs {
    /// The store that holds the runs [default: $XDG_DATA_HOME/stripewise/store.db, usually ~/.local/share/stripewise/store.db]
    ///
    /// One SQLite file. The first run creates it. It must not be on a network filesystem. Or a
    /// PostgreSQL server, for a team: `postgres://HOST/DATABASE`, or `service=NAME` (docs/store.md).
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

impl StoreArgs {
    /// Returns the file that is named.
    pub(crate) fn named(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    /// Returns the path of the file, which need not exist.
    pub(crate) fn path(&self) -> Result<PathBuf> {
        if let Some(path) = &self.store {
            // The first: a command that has two names each in its hints.
            NAMED.get_or_init(|| self.again());
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
pub(crate) fn note(store: &Path) {
    if is_on_server(store) {
        return;
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut path = store.as_os_str().to_owned();
        path.push(suffix);
        inputs::note_path(Path::new(&path));
    }
}

/// A run as it is named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunName {
    /// By its number.
    Number(RunId),
    /// The run that was started last.
    Latest,
    /// By the name that `rename`, or the run itself, gave it.
    Name(String),
}

impl std::str::FromStr for RunName {
    type Err = String;

    /// A number is always a number: no new name is one.
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        if text == LATEST {
            return Ok(RunName::Latest);
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            let name = stored_run_name(text).map_err(|error| error.to_string())?;
            return Ok(RunName::Name(name));
        }
        text.parse()
            .map(RunName::Number)
            .map_err(|error: stripewise_results::ParseRunIdError| {
                format!("{error}; `{LATEST}` is the run started last")
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
    pub(crate) fn resolve(&self, store: &Store) -> Result<RunId> {
        match self {
            RunName::Number(id) => Ok(*id),
            RunName::Latest => store.latest_run()?.ok_or_else(|| {
                Failure::new(format!("`{}` holds no run", store.path().display()))
                    .hint("start one with `stripewise run STUDY`")
            }),
            RunName::Name(name) => one_named(name, store),
        }
    }
}

/// Returns the only run that has a name.
fn one_named(name: &str, store: &Store) -> Result<RunId> {
    let runs = store.runs_named(name)?;
    if let [only] = runs.as_slice() {
        return Ok(*only);
    }
    if runs.is_empty() {
        let named = store.runs()?.into_iter().filter_map(|run| run.name.clone());
        let names: Vec<String> = named.collect();
        let hint = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`? `stripewise runs` lists all"),
            None => {
                "`stripewise runs` lists all; a run is a number, `latest`, or a name".to_owned()
            }
        };
        return Err(Failure::new(format!("no run has the name `{name}`")).hint(hint));
    }
    let numbers: Vec<String> = runs.iter().map(ToString::to_string).collect();
    let message = format!(
        "{} runs have the name `{name}`: {}",
        runs.len(),
        numbers.join(", ")
    );
    Err(Failure::new(message)
        .hint("use a number, or name one of them anew with `stripewise rename`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_a_hint_is_about_the_same_store() {
        let option = " --store b.db";
        for (hint, expected) in [
            (
                "`stripewise runs` shows the runs",
                "`stripewise runs --store b.db` shows the runs",
            ),
            (
                "`stripewise restore --forget 1` drops it; or wait",
                "`stripewise restore --forget 1 --store b.db` drops it; or wait",
            ),
            (
                "`stripewise show 1 --store a.db` and `stripewise profiles`, `size` or `runs`",
                "`stripewise show 1 --store a.db` and `stripewise profiles`, `size` or `runs`",
            ),
        ] {
            assert_eq!(with_option(hint, option), expected);
        }
    }
}
