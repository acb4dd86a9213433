//! The facts of a host at one time, and the only thing that rules read. They are what the files
//! say, secrets included; [`Snapshot::redacted`] is what may be written or sent.
//!
//! A fact is one of three: present, absent (the thing does not exist), or missing (it could not
//! be read). Each accessor returns `Ok(Some(..))`, `Ok(None)` or `Err(Missing)`, so that a rule that
//! uses `?` cannot pass because a fact could not be read.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use serde::{Deserialize, Serialize};

use stripewise_machine::Source;
pub use stripewise_machine::{Fact, Missing};

use crate::pattern::{matches, parts};
use crate::redact::{redact, redact_of};
use crate::sos::Known;
use crate::sources;

/// Owner, permissions, size and times of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    /// The permission bits of `st_mode`.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The size.
    pub size_bytes: u64,
    /// When the content last changed, in seconds since 1970.
    pub modified_unix_s: i64,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandResult {
    /// The exit code; `None` if it did not start, or a signal or the time limit ended it.
    pub exit: Option<i32>,
    /// Its output.
    pub output: String,
    /// Why it did not start, or the last line that it printed as an error.
    pub error: Option<String>,
}

/// The facts of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Texts by path.
    pub files: BTreeMap<String, String>,
    /// Owners, permissions and sizes by path.
    pub stats: BTreeMap<String, Stat>,
    /// Commands by their line.
    pub commands: BTreeMap<String, CommandResult>,
    /// Paths that could not be read, and why: everything below them is missing too.
    pub missing: BTreeMap<String, String>,
    /// Whether what is neither there nor missing does not exist; a sosreport does not tell.
    pub is_complete: bool,
    /// What a sosreport tells nevertheless.
    pub known: Known,
    /// Paths and patterns outside of [`sources::FILES`] that were read, as a configuration includes them.
    pub followed: BTreeSet<String>,
    /// When the facts were read, in seconds since 1970; `None` if unknown.
    pub taken_unix_s: Option<i64>,
    /// The same host earlier, for rules about what grew.
    pub earlier: Option<Box<Snapshot>>,
}

impl Snapshot {
    /// Returns the text of a file.
    ///
    /// # Errors
    /// If it could not be read.
    pub fn text(&self, path: &str) -> Fact<&str> {
        match self.files.get(path) {
            Some(text) => Ok(Some(text)),
            None => self.not_there(path),
        }
    }

    /// As [`Source::word`].
    ///
    /// # Errors
    /// If it could not be read.
    pub fn word(&self, path: &str) -> Fact<&str> {
        Source::word(self, path)
    }

    /// As [`Source::number`].
    ///
    /// # Errors
    /// If it could not be read, or begins with no number.
    pub fn number(&self, path: &str) -> Fact<u64> {
        Source::number(self, path)
    }

    /// As [`Source::need_word`].
    ///
    /// # Errors
    /// If it is absent or could not be read.
    pub fn need_word(&self, path: &str) -> Result<&str, Missing> {
        Source::need_word(self, path)
    }

    /// As [`Source::need_number`].
    ///
    /// # Errors
    /// If it is absent or could not be read.
    pub fn need_number(&self, path: &str) -> Result<u64, Missing> {
        Source::need_number(self, path)
    }

    /// Returns owner, permissions and size of a file or directory.
    ///
    /// # Errors
    /// If they could not be read.
    pub fn stat(&self, path: &str) -> Fact<Stat> {
        match self.stats.get(path) {
            Some(stat) => Ok(Some(*stat)),
            None => self.not_there(path),
        }
    }

    /// Returns whether a file or directory exists.
    ///
    /// # Errors
    /// If that could not be read.
    pub fn exists(&self, path: &str) -> Result<bool, Missing> {
        match self.files.contains_key(path) || self.stats.contains_key(path) {
            true => Ok(true),
            false => Ok(self.not_there::<()>(path)?.is_some()),
        }
    }

    /// Returns the paths that match a pattern, sorted; none if nothing matches.
    ///
    /// # Errors
    /// If a directory on the way could not be read.
    pub fn glob(&self, pattern: &str) -> Result<Vec<&str>, Missing> {
        match self.glob_known(pattern) {
            (found, None) => Ok(found),
            (_, Some(missing)) => Err(missing),
        }
    }

    /// As [`Snapshot::glob`], for a rule that judges each path by itself: the paths that are known,
    /// and what could not be read and may hold more.
    pub fn glob_known(&self, pattern: &str) -> (Vec<&str>, Option<Missing>) {
        let start = pattern.split('*').next().unwrap_or_default();
        // The keys are sorted: only those that begin so are looked at.
        let from = || (Bound::Included(start), Bound::Unbounded);
        let files = self.files.range::<str, _>(from()).map(|(path, _)| path);
        let stats = self.stats.range::<str, _>(from()).map(|(path, _)| path);
        let begins = |path: &&String| path.starts_with(start);
        let both = files.take_while(begins).chain(stats.take_while(begins));
        let mut found: Vec<&str> = both
            .filter(|path| matches(pattern, path))
            .map(String::as_str)
            .collect();
        found.sort_unstable();
        found.dedup();
        let folder = start.rsplit_once('/').map_or("", |(folder, _)| folder);
        let above = self.refused(folder);
        let below = || {
            let inside = |path: &&String| path.starts_with(start) && could_match(pattern, path);
            self.missing.keys().find(inside).map(String::as_str)
        };
        let missing = if let Some(path) = above.or_else(below) {
            Some(Missing::new(path, self.missing[path].clone()))
        } else if found.is_empty() && !self.is_complete && !self.known.is_absent(pattern) {
            Some(Missing::new(pattern, NOT_IN_ARCHIVE))
        } else if found.is_empty()
            && !sources::covers_pattern(pattern)
            && !self.followed.contains(pattern)
        {
            Some(Missing::new(pattern, NOT_ASKED))
        } else {
            None
        };
        (found, missing)
    }

    /// Returns the output of a command that ended with exit code 0.
    ///
    /// # Errors
    /// If it was not run, could not be started, or failed.
    pub fn command(&self, line: &str) -> Result<&str, Missing> {
        let ran = self.ran(line)?;
        match ran.exit {
            Some(0) => Ok(&ran.output),
            _ => Err(Missing::new(format!("`{line}`"), ran.reason())),
        }
    }

    /// Returns a command that was started, whatever its exit code.
    ///
    /// # Errors
    /// If it was not run or could not be started.
    pub fn ran(&self, line: &str) -> Result<&CommandResult, Missing> {
        let fact = || format!("`{line}`");
        match self.commands.get(line) {
            None => Err(Missing::new(fact(), "the command was not run")),
            Some(ran) if ran.exit.is_none() => Err(Missing::new(fact(), ran.reason())),
            Some(ran) => Ok(ran),
        }
    }

    /// Returns the facts as they may leave the machine: without secrets. Rules read them as they
    /// are.
    #[must_use]
    pub fn redacted(&self) -> Self {
        let files = self.files.iter();
        let files = files.map(|(path, text)| (path.clone(), redact_of(path, text)));
        let commands = self.commands.iter().map(|(line, ran)| {
            let ran = CommandResult {
                exit: ran.exit,
                output: redact_of(line, &ran.output),
                error: ran.error.as_deref().map(redact),
            };
            (line.clone(), ran)
        });
        Self {
            files: files.collect(),
            commands: commands.collect(),
            stats: self.stats.clone(),
            missing: self.missing.clone(),
            is_complete: self.is_complete,
            known: self.known.clone(),
            followed: self.followed.clone(),
            taken_unix_s: self.taken_unix_s,
            earlier: None,
        }
    }

    /// Returns the missing path that is, or contains, `path`.
    fn refused(&self, path: &str) -> Option<&str> {
        let mut at = path;
        loop {
            if let Some((found, _)) = self.missing.get_key_value(at) {
                return Some(found);
            }
            at = at.rsplit_once('/')?.0;
            if at.is_empty() {
                return None;
            }
        }
    }

    /// Returns `None` for a path that does not exist.
    fn not_there<T>(&self, path: &str) -> Fact<T> {
        if let Some(refused) = self.refused(path) {
            return Err(Missing::new(path, self.missing[refused].clone()));
        }
        if !self.is_complete && !self.known.is_absent(path) {
            return Err(Missing::new(path, NOT_IN_ARCHIVE));
        }
        let is_followed = |pattern: &String| matches(pattern, path);
        if !sources::covers(path) && !self.followed.iter().any(is_followed) {
            return Err(Missing::new(path, NOT_ASKED));
        }
        Ok(None)
    }
}

impl<'a> Source for &'a Snapshot {
    type Text = &'a str;

    fn text(self, path: &str) -> Fact<&'a str> {
        Snapshot::text(self, path)
    }

    fn paths(self, pattern: &str) -> Result<Vec<&'a str>, Missing> {
        self.glob(pattern)
    }
}

#[cfg(test)]
impl Snapshot {
    /// Returns the facts of a host with these files and nothing else.
    pub(crate) fn of_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = files.into_iter();
        Self {
            files: files
                .map(|(path, text)| (path.to_owned(), text.to_owned()))
                .collect(),
            is_complete: true,
            ..Self::default()
        }
    }
}

const NOT_IN_ARCHIVE: &str = "the archive does not contain it";
pub(crate) const NOT_ASKED: &str = "it was not collected";

/// Returns whether a path that could not be read may contain a match of the pattern, or is one.
fn could_match(pattern: &str, path: &str) -> bool {
    let wanted: Vec<&str> = parts(pattern).collect();
    let given: Vec<&str> = parts(path).collect();
    let deep = wanted.iter().position(|part| *part == "**");
    let length = deep.unwrap_or(wanted.len()).min(given.len());
    let beginning = |parts: &[&str]| format!("/{}", parts[..length].join("/"));
    (deep.is_some() || given.len() <= wanted.len())
        && matches(&beginning(&wanted), &beginning(&given))
}

impl CommandResult {
    fn reason(&self) -> String {
        match (self.exit, &self.error) {
            (Some(code), Some(error)) => format!("exit code {code}: {error}"),
            (Some(code), None) => format!("exit code {code}"),
            (None, Some(error)) => error.clone(),
            (None, None) => "it did not end".to_owned(),
        }
    }
}
