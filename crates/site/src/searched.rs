//! Looks for old addresses in the files of a site, and names each file that it did not look at.
//!
//! A file is searched as bytes, whatever is in it and however long it is.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use crate::packed_within::packed_within;
use crate::pairs::Pairs;
use crate::permissions::Tree;
use crate::source::{DecodedText, Memory, Paged, Source};
use crate::walk::Walker;

/// The most bytes of an unpacked file: a small one may unpack to more than a disk holds.
const UNPACKED_BYTES_MAX: u64 = 1 << 30;
/// The most bytes of an unpacked file in memory.
const KEPT_BYTES_MAX: usize = 1 << 20;
/// The most files that are listed with a reason; all are counted.
const LISTED_MAX: usize = 1000;
/// Ends of names of packed files whose first bytes do not tell.
const PACKED_NAMES: [&str; 3] = ["br", "lzma", "lz"];

/// Why a file was not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlooked {
    /// It cannot be read.
    Unreadable(String),
    /// It is a directory that cannot be read: nothing in it was looked at.
    Directory(String),
    /// It is packed with a program whose packing we do not know.
    Packed(String),
    /// Something in it is packed.
    PackedWithin(&'static str),
    /// Its text is in UTF-16.
    Utf16,
    /// It unpacks to more than 1 GiB.
    TooLarge,
    /// It is a link to something outside of the root.
    Link,
    /// It is a device, a pipe or a socket.
    Special,
}

impl Unlooked {
    /// Returns its key in documents; the entry of the catalogue is `site-unlooked-KEY`.
    pub fn key(&self) -> &'static str {
        match self {
            Unlooked::Unreadable(_) => "unreadable",
            Unlooked::Directory(_) => "directory",
            Unlooked::Packed(_) => "packed",
            Unlooked::PackedWithin(_) => "packed-within",
            Unlooked::Utf16 => "utf-16",
            Unlooked::TooLarge => "too-large",
            Unlooked::Link => "link",
            Unlooked::Special => "special",
        }
    }

    /// Returns what more there is to say: an error, or the name of a packing.
    pub fn detail(&self) -> &str {
        match self {
            Unlooked::Unreadable(text) | Unlooked::Directory(text) | Unlooked::Packed(text) => text,
            Unlooked::PackedWithin(packing) => packing,
            Unlooked::Utf16 | Unlooked::TooLarge | Unlooked::Link | Unlooked::Special => "",
        }
    }
}

/// A file with old addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWithAddresses {
    /// Its path below the root.
    pub path: PathBuf,
    /// How many.
    pub count: u64,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchedFiles {
    /// How many files and links were looked at.
    pub files: u64,
    /// Those with old addresses.
    pub left: Vec<FileWithAddresses>,
    /// The first files that were not looked at.
    pub unlooked: Vec<(PathBuf, Unlooked)>,
    /// How many there are for each reason.
    pub unlooked_counts: BTreeMap<&'static str, u64>,
}

impl SearchedFiles {
    /// Returns how many files were not looked at.
    pub fn unlooked_count(&self) -> u64 {
        self.unlooked_counts.values().sum()
    }

    /// Counts what was not looked at.
    fn pass_over(&mut self, path: &Path, reason: Unlooked) {
        *self.unlooked_counts.entry(reason.key()).or_default() += 1;
        if self.unlooked.len() < LISTED_MAX {
            self.unlooked.push((path.to_owned(), reason));
        }
    }

    /// Takes what is in something, if it is no directory, and what its name holds: a cache may have
    /// a file for each name of a host.
    fn take(&mut self, path: &Path, found: Option<Result<u64, Unlooked>>, pairs: &Pairs) {
        let name = path.file_name().unwrap_or_default();
        // Memory can always be read.
        let mut left = count(&mut Memory(name.as_bytes()), pairs).unwrap_or(0);
        match found {
            None => {}
            Some(Ok(count)) => {
                self.files += 1;
                left += count;
            }
            Some(Err(reason)) => self.pass_over(path, reason),
        }
        if left > 0 {
            let path = path.to_owned();
            self.left.push(FileWithAddresses { path, count: left });
        }
    }
}

/// Opens a packed file for reading; `None` if it is not packed.
pub type Unpack<'a> = &'a dyn Fn(File) -> Result<Option<Box<dyn Read>>, Unlooked>;

/// Looks for old addresses in the files of a site, and in what its links name.
pub fn files(root: &Path, tree: &Tree, pairs: &Pairs, unpack: Unpack<'_>) -> SearchedFiles {
    let mut looked = SearchedFiles::default();
    for entry in &tree.entries {
        let found = match entry.is_directory {
            true => None,
            false => match in_file(&root.join(&entry.path), pairs, unpack) {
                // A running site removes files.
                Err(Failed::Gone) => continue,
                Err(Failed::Unlooked(reason)) => Some(Err(reason)),
                Ok(count) => Some(Ok(count)),
            },
        };
        looked.take(&entry.path, found, pairs);
    }
    let inside = fs::canonicalize(root);
    for link in &tree.links {
        let found = match &inside {
            Ok(inside) => in_link(inside, link, pairs),
            Err(error) => Err(unreadable(error)),
        };
        looked.take(link, Some(found), pairs);
    }
    for path in &tree.special {
        looked.take(path, Some(Err(Unlooked::Special)), pairs);
    }
    for unread in &tree.unread {
        let why = unread.why.clone();
        let reason = match unread.is_directory {
            true => Unlooked::Directory(why),
            false => Unlooked::Unreadable(why),
        };
        // The names of directories are entries, too.
        let path = &unread.path;
        match unread.is_directory {
            true => looked.pass_over(path, reason),
            false => looked.take(path, Some(Err(reason)), pairs),
        }
    }
    looked
}

/// What keeps from looking at a file.
enum Failed {
    Gone,
    Unlooked(Unlooked),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Failed::Unlooked(unreadable(&error))
    }
}

fn unreadable(error: &io::Error) -> Unlooked {
    Unlooked::Unreadable(match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => error.to_string(),
    })
}

fn in_file(path: &Path, pairs: &Pairs, unpack: Unpack<'_>) -> Result<u64, Failed> {
    // It may be another file by now: no link is followed, and no pipe waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Err(Failed::Gone),
        Err(error) => return Err(io::Error::from(error).into()),
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(Failed::Unlooked(Unlooked::Special));
    }
    let end = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    if let Some(end) = PACKED_NAMES
        .iter()
        .find(|name| end.eq_ignore_ascii_case(name))
    {
        return Err(Failed::Unlooked(Unlooked::Packed((*end).to_owned())));
    }
    match unpack(file.try_clone()?).map_err(Failed::Unlooked)? {
        Some(unpacked) => in_bytes(&mut kept(unpacked)?, pairs),
        None => {
            let length = usize::try_from(found.len()).unwrap_or(usize::MAX);
            in_bytes(&mut Paged::new(file, length), pairs)
        }
    }
}

/// Looks at the bytes of a file. If nothing is found, something in them may be packed.
fn in_bytes<S: Source>(source: &mut S, pairs: &Pairs) -> Result<u64, Failed> {
    let found = count(source, pairs)?;
    if found > 0 {
        return Ok(found);
    }
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = source.at(0, 2)? {
        return Err(Failed::Unlooked(Unlooked::Utf16));
    }
    match packed_within(source)? {
        Some(packing) => Err(Failed::Unlooked(Unlooked::PackedWithin(packing))),
        None => Ok(0),
    }
}

/// Unpacks a file, into one without a name if it is long.
fn kept(unpacked: Box<dyn Read>) -> Result<DecodedText, Failed> {
    let mut kept = tempfile::SpooledTempFile::new(KEPT_BYTES_MAX);
    let length = io::copy(&mut unpacked.take(UNPACKED_BYTES_MAX + 1), &mut kept)?;
    if length > UNPACKED_BYTES_MAX {
        return Err(Failed::Unlooked(Unlooked::TooLarge));
    }
    kept.rewind()?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(DecodedText::new(kept, length))
}

/// Looks at the text of a link. What it names is looked at by itself if it is in the root, whose path
/// has no links.
fn in_link(root: &Path, link: &Path, pairs: &Pairs) -> Result<u64, Unlooked> {
    let full = root.join(link);
    let text = fs::read_link(&full).map_err(|error| unreadable(&error))?;
    let failed = |error: io::Error| unreadable(&error);
    let found = count(&mut Memory(text.as_os_str().as_bytes()), pairs).map_err(failed)?;
    if found > 0 {
        return Ok(found);
    }
    match fs::canonicalize(&full) {
        Ok(target) if target.starts_with(root) => Ok(0),
        Ok(_) => Err(Unlooked::Link),
        // Nothing is behind it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(unreadable(&error)),
    }
}

/// Counts the addresses in a text, in every form and also in base64. What of it could not be looked at
/// counts as one.
fn count<S: Source>(source: &mut S, pairs: &Pairs) -> io::Result<u64> {
    let mut walker = Walker::new(pairs);
    let end = source.length();
    walker.begin(end);
    let (mut total, mut position) = (0, 0);
    while let Some(next) = walker.unit(source, position, end)? {
        total += walker.replaced();
        walker.edits.clear();
        position = next;
    }
    total += walker.replaced() + walker.counts.left_base64;
    Ok(total + u64::from(walker.counts.is_stuck))
}
