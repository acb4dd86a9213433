//! What the facts of a machine are read from, and why one is missing.
//!
//! A fact is present, absent (the kernel has no such file), or missing (it could not be read). The
//! readers of this crate take any [`Source`]: this machine, a directory with a copy of one (both a
//! [`Root`]), or facts that were collected before.

use std::borrow::Borrow;
use std::fmt;
use std::io;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::root::Root;

/// A fact that could not be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Missing {
    /// The path or the command.
    pub fact: String,
    /// Why it is missing.
    pub why: String,
}

impl Missing {
    /// Creates a missing fact.
    pub fn new(fact: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            fact: fact.into(),
            why: why.into(),
        }
    }

    /// Why a path is missing that does not exist, and without which nothing can be said.
    pub fn absent(fact: impl Into<String>) -> Self {
        Self::new(fact, "it does not exist")
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: {}", self.fact, self.why)
    }
}

/// What a reader returns: present, absent, or missing.
pub type Fact<T> = Result<Option<T>, Missing>;

/// A text of a source: borrowed from it, or read.
pub trait Text:
    Deref<Target = str> + Borrow<str> + Clone + Ord + fmt::Debug + fmt::Display + Sized
{
    /// Returns the part of the text that `part` finds.
    fn part(&self, part: impl for<'x> FnOnce(&'x str) -> Option<&'x str>) -> Option<Self>;
}

impl Text for &str {
    fn part(&self, part: impl for<'x> FnOnce(&'x str) -> Option<&'x str>) -> Option<Self> {
        part(self)
    }
}

impl Text for String {
    fn part(&self, part: impl for<'x> FnOnce(&'x str) -> Option<&'x str>) -> Option<Self> {
        part(self).map(str::to_owned)
    }
}

/// What the facts of a machine are read from.
pub trait Source: Copy {
    /// Its texts.
    type Text: Text;

    /// Returns the text of a file; `None` if it does not exist.
    ///
    /// # Errors
    /// If it could not be read.
    fn text(self, path: &str) -> Fact<Self::Text>;

    /// Returns the paths that exist and match a pattern, sorted; `*` stands for a part of a name.
    ///
    /// # Errors
    /// If a directory on the way could not be read.
    fn paths(self, pattern: &str) -> Result<Vec<Self::Text>, Missing>;

    /// Returns the names for which the first part of a pattern with a `*` stands in the paths that
    /// exist, sorted: `sda` and `sdb` for `/sys/block/sd*/size`.
    ///
    /// # Errors
    /// As [`Source::paths`].
    fn names(self, pattern: &str) -> Result<Vec<Self::Text>, Missing> {
        let at = pattern.split('/').position(|part| part.contains('*'));
        let paths = self.paths(pattern)?;
        let names = paths.iter().filter_map(|path| name_at(path, at?));
        let mut names: Vec<Self::Text> = names.collect();
        names.dedup();
        Ok(names)
    }

    /// Returns the text of a file without space around it; an empty one is absent.
    ///
    /// # Errors
    /// If it could not be read.
    fn word(self, path: &str) -> Fact<Self::Text> {
        let text = self.text(path)?;
        let word = |text: Self::Text| text.part(|text| Some(text.trim()));
        Ok(text.and_then(word).filter(|word| !word.is_empty()))
    }

    /// Returns the first number in a file: `64` for `64 (32)`.
    ///
    /// # Errors
    /// If it could not be read, or begins with no number.
    fn number(self, path: &str) -> Fact<u64> {
        let Some(word) = self.word(path)? else {
            return Ok(None);
        };
        let first = word.split_whitespace().next().unwrap_or_default();
        match first.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Missing::new(path, format!("`{first}` is not a number"))),
        }
    }

    /// As [`Source::word`], for a fact without which nothing can be said.
    ///
    /// # Errors
    /// If it is absent or could not be read.
    fn need_word(self, path: &str) -> Result<Self::Text, Missing> {
        self.word(path)?.ok_or_else(|| Missing::absent(path))
    }

    /// As [`Source::number`], for a fact without which nothing can be said.
    ///
    /// # Errors
    /// If it is absent or could not be read.
    fn need_number(self, path: &str) -> Result<u64, Missing> {
        self.number(path)?.ok_or_else(|| Missing::absent(path))
    }
}

/// Returns the part of a path at an index: `sda` of `/sys/block/sda/size` at 3.
pub(crate) fn name_at<T: Text>(path: &T, index: usize) -> Option<T> {
    path.part(|path| path.split('/').nth(index))
}

/// Returns a read that found no file as absent, and any other error as missing.
pub(crate) fn read<T>(path: &str, read: io::Result<T>) -> Fact<T> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(Missing::new(path, reason(&error))),
    }
}

impl Source for &Root {
    type Text = String;

    fn text(self, path: &str) -> Fact<String> {
        read(path, self.try_text(path))
    }

    fn paths(self, pattern: &str) -> Result<Vec<String>, Missing> {
        let mut paths = vec![String::new()];
        for part in pattern.split('/').skip(1) {
            let above = std::mem::take(&mut paths);
            for folder in above {
                let Some((start, end)) = part.split_once('*') else {
                    paths.push(format!("{folder}/{part}"));
                    continue;
                };
                let mut names = read(&folder, self.try_list(&folder))?.unwrap_or_default();
                names.retain(|name| {
                    let rest = name.strip_prefix(start);
                    rest.is_some_and(|rest| rest.ends_with(end))
                });
                paths.extend(names.iter().map(|name| format!("{folder}/{name}")));
            }
        }
        paths.retain(|path| self.exists(path));
        Ok(paths)
    }

    fn word(self, path: &str) -> Fact<String> {
        let bytes = read(path, self.try_bytes(path))?;
        Ok(bytes.and_then(|bytes| crate::root::clean_word(&bytes)))
    }
}

/// Why a path of a tree cannot be read that is not there.
pub const ABSENT: &str = "it does not exist in this tree";

/// Returns why a path could not be read.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => ABSENT.to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns whether a path could not be read because it does not exist.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
