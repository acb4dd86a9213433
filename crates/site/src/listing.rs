//! Files of a site from `ls -lR` or from `ls -l` in sftp, when there is no shell.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use thiserror::Error;

use crate::permissions::Entry;

/// The files of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files and directories.
    pub entries: Vec<Entry>,
    /// Directories whose contents are not in it.
    pub unlisted: Vec<PathBuf>,
}

/// Why a listing cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ListingError {
    /// A line that is no file.
    #[error("line {line} is not a line of `ls -l`: `{text}`")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// A line that is longer than any of `ls -l`.
    #[error("line {line} has {bytes} bytes: no line of `ls -l` has more than {LINE_BYTES_MAX}")]
    TooLong {
        /// Its number, from 1.
        line: usize,
        /// Its length.
        bytes: usize,
    },
    /// A file that stands there twice, each time with another owner, group or mode.
    #[error("line {line} names `{path}` again, with another owner, group or mode")]
    Again {
        /// Its number, from 1.
        line: usize,
        /// The path.
        path: String,
    },
    /// No line is a file.
    #[error("the listing names no files")]
    Empty,
}

/// The longest line: a path of Linux has at most 4096 bytes, of which `ls` may write each as four.
const LINE_BYTES_MAX: usize = 32 << 10;
/// How much of a line or path a message shows.
const SHOWN_CHARS_MAX: usize = 80;

/// Reads a listing. A directory that stands in its own listing and in the one above counts once.
///
/// # Errors
/// If a line is not one of `ls -l`, or two lines contradict each other.
pub fn parse(text: &str) -> Result<Listing, ListingError> {
    let mut listing = Listing::default();
    let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut directory = PathBuf::new();
    // Directories with contents, or with a place for them: `./cache:`.
    let mut listed: BTreeSet<PathBuf> = BTreeSet::from([PathBuf::new()]);
    for (index, line) in text.lines().enumerate() {
        if line.len() > LINE_BYTES_MAX {
            return Err(ListingError::TooLong {
                line: index + 1,
                bytes: line.len(),
            });
        }
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() || is_total(line) {
            continue;
        }
        if let Some(command) = line.strip_prefix("sftp>") {
            listed.extend(asked(command));
            continue;
        }
        if let Some(entry) = entry(line, &directory) {
            let Some(entry) = entry else {
                continue;
            };
            let next = listing.entries.len();
            let place = *places.entry(entry.path.clone()).or_insert(next);
            match listing.entries.get(place) {
                None => {
                    listed.extend(entry.path.parent().map(PathBuf::from));
                    listing.entries.push(entry);
                }
                Some(known) if *known == entry => {}
                Some(_) => {
                    return Err(ListingError::Again {
                        line: index + 1,
                        path: shown(&entry.path.to_string_lossy()),
                    });
                }
            }
        } else if let Some(name) = line.strip_suffix(':') {
            let name = name.trim_start_matches("./");
            directory = PathBuf::from(if name == "." { "" } else { name });
            listed.insert(directory.clone());
        } else {
            return Err(ListingError::Line {
                line: index + 1,
                text: shown(line),
            });
        }
    }
    let directories = listing.entries.iter().filter(|entry| entry.is_directory);
    let unlisted = directories.filter(|entry| !listed.contains(&entry.path));
    listing.unlisted = unlisted.map(|entry| entry.path.clone()).collect();
    match listing.entries.is_empty() {
        true => Err(ListingError::Empty),
        false => Ok(listing),
    }
}

/// Returns the directory that a command of sftp lists, if it names one: ` ls -l cache`.
fn asked(command: &str) -> Option<PathBuf> {
    let words = command.trim().strip_prefix("ls ")?.trim_start();
    let name = match words.strip_prefix('-') {
        Some(options) => options.split_once(' ')?.1.trim(),
        None => words,
    };
    let name = name.trim_matches('"').trim_start_matches("./");
    Some(PathBuf::from(name.trim_end_matches('/')))
}

/// Returns the beginning of a text, without control characters.
fn shown(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_control());
    kept.take(SHOWN_CHARS_MAX).collect()
}

/// Returns whether a line is the first of a directory, in any language: `total 12K`.
fn is_total(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_size = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            && word.len() < 12
            && word
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || ".,".contains(letter))
    };
    matches!(words[..], [word, size] if is_size(size) && word.chars().all(char::is_alphabetic))
}

/// Reads a line; `None` if it is none of `ls -l`, and no entry for links, pipes and `..`.
fn entry(line: &str, directory: &std::path::Path) -> Option<Option<Entry>> {
    let (permissions, rest) = line.split_once(char::is_whitespace)?;
    let (kind, mode, has_acl) = mode_of(permissions)?;
    let mut words = Vec::new();
    let mut rest = rest.trim_start();
    // Links, owner, group, size, and two or three words of the date.
    while words.len() < 7 {
        let (word, after) = rest.split_once(' ')?;
        words.push(word);
        rest = after.trim_start_matches(' ');
        let is_iso = words.len() == 6 && words[4].matches('-').count() == 2;
        if is_iso {
            break;
        }
    }
    // `--full-time` has the time zone, too.
    let zone = rest.split_once(' ').filter(|(word, _)| {
        words.len() == 6 && word.len() == 5 && matches!(word.as_bytes()[0], b'+' | b'-')
    });
    let name = zone.map_or(rest, |(_, name)| name);
    if !matches!(kind, 'd' | '-') || name == ".." || name.is_empty() {
        return Some(None);
    }
    let name = name.trim_start_matches("./");
    let path = match name {
        "." => directory.to_owned(),
        name => directory.join(name),
    };
    Some(Some(Entry {
        path,
        is_directory: kind == 'd',
        mode,
        owner: (*words.get(1)?).to_owned(),
        group: (*words.get(2)?).to_owned(),
        has_acl,
        inode: 0,
        device: 0,
        links: 0,
    }))
}

/// Reads `drwxr-sr-x+`.
fn mode_of(text: &str) -> Option<(char, u32, bool)> {
    let bytes = text.as_bytes();
    let (bits, after) = (bytes.get(1..10)?, &bytes[10..]);
    if !matches!(after, b"" | b"+" | b"." | b"@") || !b"d-lbcps".contains(&bytes[0]) {
        return None;
    }
    let mut mode = 0;
    for (place, byte) in bits.iter().enumerate() {
        let bit = 0o400 >> place;
        let special = [0o4000, 0o2000, 0o1000][place / 3];
        match (place % 3, byte) {
            (_, b'-') => {}
            (0, b'r') | (1, b'w') | (2, b'x') => mode |= bit,
            // The sticky bit stands with others, the bits of user and group with these.
            (2, b's') if place < 6 => mode |= bit | special,
            (2, b'S') if place < 6 => mode |= special,
            (2, b't') if place > 6 => mode |= bit | special,
            (2, b'T') if place > 6 => mode |= special,
            _ => return None,
        }
    }
    Some((char::from(bytes[0]), mode, after == b"+"))
}
