//! A side of the comparison: a run of the store or one of its cells, or files of fio.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use stripewise_catalogue::Message;
use stripewise_results::{Run, Store, split_cell};
use stripewise_study::warning::Warning;

use super::Args;
use crate::commands::import;
use crate::commands::why::matching;
use crate::failure::{Failure, Result};
use crate::stores::RunName;

/// A side as it is named on the command line.
#[derive(Debug, Clone)]
pub(super) struct SideWord(String);

impl FromStr for SideWord {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.is_empty() {
            true => Err("expected a file, a run, or `RUN:CELL`".to_owned()),
            false => Ok(Self(text.to_owned())),
        }
    }
}

/// A side.
pub(super) struct Side {
    /// How it was named.
    pub(super) name: String,
    /// Its run; files are read as one.
    pub(super) run: Run,
    /// Whether it was read from files of fio.
    pub(super) is_files: bool,
    /// The cells that are meant.
    pub(super) cells: Vec<usize>,
}

impl Side {
    /// Reads a side.
    pub(super) fn open(word: &SideWord, args: &Args) -> Result<Self> {
        let text = word.0.as_str();
        let path = Path::new(text);
        let is_files = path.exists();
        let (run, selector) = match is_files {
            true => (from_files(path)?, None),
            false => from_store(text, args)?,
        };
        let cells = match selector {
            None => (0..run.cells.len()).collect(),
            Some(selector) => {
                selected(&run, selector).map_err(|failure| failure.context(format!("`{text}`")))?
            }
        };
        Ok(Self {
            name: text.to_owned(),
            run,
            is_files,
            cells,
        })
    }

    /// Returns what import noted about its files, and about the cells that are meant.
    pub(super) fn imported(&self) -> Vec<Message> {
        let warnings = self.run.warnings.iter();
        let own = warnings.filter(|one| one.cell.is_none_or(|cell| self.cells.contains(&cell)));
        let notes = own.filter_map(|one| match &one.warning {
            Warning::Imported { note } => Some(note.message()),
            _ => None,
        });
        notes.collect()
    }

    /// Refuses a side that is compared with itself.
    pub(super) fn refuse_same(&self, other: &Side) -> Result<()> {
        if self.name != other.name {
            return Ok(());
        }
        Err(
            Failure::new(format!("`{}` cannot be compared with itself", self.name))
                .hint("name another result, or two cells of one run: `1:1` and `1:2`"),
        )
    }
}

/// Reads a file of fio, or all `*.json` of a directory, as one run.
fn from_files(path: &Path) -> Result<Run> {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let unreadable = |error: std::io::Error| {
            Failure::from(error).context(format!("failed to read `{}`", path.display()))
        };
        let entries = std::fs::read_dir(path).map_err(unreadable)?;
        let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
        files = paths.map_err(unreadable)?;
        files.retain(|file| file.extension().is_some_and(|end| end == "json"));
        files.sort();
        if files.is_empty() {
            let message = format!("there is no `*.json` in `{}`", path.display());
            return Err(Failure::new(message).hint("name the directory with the results of fio"));
        }
    }
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("store.db");
    import::as_run(&files, || Ok(Store::open(&store)?))
}

/// Reads a run of the store, with what selects its cells, if something does.
fn from_store<'a>(text: &'a str, args: &Args) -> Result<(Run, Option<&'a str>)> {
    let (name, selector) = split_cell(text);
    let looks_like_file = text.contains('/') || text.ends_with(".json");
    if looks_like_file {
        return Err(Failure::new(format!("there is no file `{text}`"))
            .hint("name a JSON file of fio, a directory of such files, or a run: `stripewise runs` lists them"));
    }
    let name: RunName = name.parse().map_err(|error: String| {
        Failure::new(format!("`{text}`: {error}"))
            .hint("a side is a file of fio, a run, or `RUN:CELL`")
    })?;
    let store = args.store.open_existing()?;
    Ok((store.run(name.resolve(&store)?)?, selector))
}

/// Returns the cells that a number or `KEY=VALUE,...` selects.
pub(in crate::commands) fn selected(run: &Run, selector: &str) -> Result<Vec<usize>> {
    if let Ok(number) = selector.parse::<usize>() {
        let index = number
            .checked_sub(1)
            .filter(|index| *index < run.cells.len());
        return match index {
            Some(index) => Ok(vec![index]),
            None => Err(Failure::new(format!(
                "there is no cell {number}; the run has {}",
                run.cells.len()
            ))
            .hint("`stripewise show RUN` lists its cells")),
        };
    }
    let found = matching(&run.cells, selector)?;
    match found.is_empty() {
        true => Err(Failure::new(format!("no cell matches `{selector}`"))
            .hint("`stripewise show RUN` lists its cells")),
        false => Ok(found),
    }
}
