//! A machine under a root directory, and the only place that reads files.
//!
//! `/sys` is full of symbolic links. In a fixture they must stay inside it, so we follow links one
//! component at a time, and absolute ones start again at the root, as in a chroot:
//!
//! ```text
//! Root("/tmp/fixture"), /sys/block/sda -> ../devices/ata1/sda   =>  /tmp/fixture/sys/devices/ata1/sda
//!                       /dev/root      -> /dev/sda2             =>  /tmp/fixture/dev/sda2
//! ```

use std::ffi::OsString;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use stripewise_units::visible::is_hidden;

/// The largest file to read: `/proc/cpuinfo` of 2000 CPUs is that long.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// The most symbolic links in one path, as in Linux (`path_resolution(7)`).
const LINKS_MAX: usize = 40;
/// The most entries of a directory to list: `/proc` has one for each process, of which Linux allows
/// 2^22 (`PID_MAX_LIMIT` in `include/linux/threads.h`), and a few others.
const ENTRIES_MAX: usize = (1 << 22) + 4096;
/// The longest value; longer ones are cut.
const WORD_CHARS_MAX: usize = 512;
/// How often a path is looked up again that was renamed meanwhile.
const LOOKUPS_MAX: usize = 64;

/// A machine under a root directory: `/`, or a directory with a copy of its `/proc`, `/sys` and
/// `/etc`.
///
/// The functions of this crate take paths *inside* the root: with `Root("/tmp/fixture".into())`,
/// `/srv` is `/tmp/fixture/srv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root(pub PathBuf);

impl Root {
    /// Returns the machine that we run on: the real `/`.
    pub fn live() -> Self {
        Self(PathBuf::from("/"))
    }

    /// Returns the real path of `inside`, an absolute path without symbolic links.
    pub fn real(&self, inside: &Path) -> PathBuf {
        let mut real = self.0.clone();
        real.extend(inside.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        }));
        real
    }

    /// Returns `path` inside the root without symbolic links.
    ///
    /// Under `/` a relative path starts at the working directory, elsewhere at the root.
    ///
    /// # Errors
    /// As `realpath(3)`: a component is missing, not a directory, or not searchable.
    pub fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        if self.0 == Path::new("/") {
            return fs::canonicalize(path);
        }
        let mut pending = Vec::new();
        push_components(&mut pending, path);
        let mut inside = PathBuf::from("/");
        let mut link_count = 0;
        while let Some(name) = pending.pop() {
            if name == ".." {
                inside.pop();
                continue;
            }
            let candidate = inside.join(&name);
            let real = self.real(&candidate);
            if !fs::symlink_metadata(&real)?.is_symlink() {
                inside = candidate;
                continue;
            }
            link_count += 1;
            if link_count > LINKS_MAX {
                return Err(rustix::io::Errno::LOOP.into());
            }
            let link = fs::read_link(&real)?;
            if link.is_absolute() {
                inside = PathBuf::from("/");
            }
            push_components(&mut pending, &link);
        }
        Ok(inside)
    }

    /// Returns the bytes of a regular file; one that is longer than `bytes_max` is refused, because a
    /// part of it could be misleading.
    pub(crate) fn try_bytes_up_to(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        // A device must not act, and a pipe must not wait for a writer, because it is opened.
        let kind = self.stat(path)?;
        if !kind.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        // Files of `/proc` and `/sys` have no size, or a page.
        if kind.len() > bytes_max {
            return Err(too_long(bytes_max));
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(self.open(path, flags)?);
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let mut bytes = Vec::with_capacity(512);
        let limit = bytes_max.saturating_add(1);
        file.take(limit).read_to_end(&mut bytes)?;
        match u64::try_from(bytes.len()) {
            Ok(length) if length <= bytes_max => Ok(bytes),
            _ => Err(too_long(bytes_max)),
        }
    }

    /// Opens a path. Below `/` it means what it means to every program. Elsewhere the kernel
    /// resolves it as in a chroot, so no link leads out of the root, even if another process
    /// puts one there meanwhile.
    fn open(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC;
        if self.0 == Path::new("/") {
            return Ok(rustix::fs::open(path, flags, Mode::empty())?);
        }
        let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::openat(CWD, &self.0, folder, Mode::empty())?;
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let path = Path::new("/").join(path);
        let mut lookups = 0;
        loop {
            match rustix::fs::openat2(&root, &path, flags, Mode::empty(), resolve) {
                // Another process renames below the root.
                Err(rustix::io::Errno::AGAIN) if lookups < LOOKUPS_MAX => lookups += 1,
                opened => return Ok(opened?),
            }
        }
    }

    /// Returns the metadata of what a path names, links followed inside the root; opens nothing.
    ///
    /// # Errors
    /// As `stat(2)`.
    pub fn stat(&self, path: impl AsRef<Path>) -> io::Result<fs::Metadata> {
        File::from(self.open(path.as_ref(), OFlags::PATH)?).metadata()
    }

    /// Returns the bytes of a regular file of at most 4 MiB, or why it cannot be read.
    ///
    /// # Errors
    /// As [`Root::try_text`].
    pub fn try_bytes(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        self.try_bytes_up_to(path.as_ref(), FILE_BYTES_MAX)
    }

    /// Returns the text of a file as [`Root::text`] does, or why it cannot be read: a caller that
    /// must tell an absent file from one that is refused needs the reason.
    ///
    /// # Errors
    /// As `open(2)` and `read(2)`, and if the file is no regular file or longer than 4 MiB.
    pub fn try_text(&self, path: impl AsRef<Path>) -> io::Result<String> {
        Ok(clean_text(&self.try_bytes(path)?))
    }

    /// Returns the names in a directory as [`Root::list`] does, or why it cannot be read.
    ///
    /// # Errors
    /// As `realpath(3)` and `opendir(3)`.
    pub fn try_list(&self, path: impl AsRef<Path>) -> io::Result<Vec<String>> {
        let inside = self.canonical(path.as_ref())?;
        let entries = fs::read_dir(self.real(&inside))?;
        let mut names: Vec<String> = entries
            .take(ENTRIES_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.contains(is_unprintable))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the bytes of a regular file of at most 4 MiB; `None` if it cannot be read.
    pub(crate) fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        self.try_bytes(path).ok()
    }

    /// Returns the text of a file without control characters other than line ends.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        Some(clean_text(&self.bytes(path)?))
    }

    /// Returns the text of a file as one trimmed line; `None` if it is empty.
    pub fn word(&self, path: impl AsRef<Path>) -> Option<String> {
        clean_word(&self.bytes(path)?)
    }

    /// Returns the first number in a file: `64` for `64 (32)`; `None` if it does not begin with
    /// one.
    pub fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.word(path)?.split(' ').next()?.parse().ok()
    }

    /// Returns what is in a directory, sorted, and tells how many names [`Root::list`] skips.
    ///
    /// # Errors
    /// As [`Root::try_list`], and if the directory cannot be read to its end.
    pub fn try_entries(&self, path: impl AsRef<Path>) -> io::Result<Entries> {
        let inside = self.canonical(path.as_ref())?;
        let mut entries = Entries::default();
        for (count, entry) in fs::read_dir(self.real(&inside))?.enumerate() {
            if count == ENTRIES_MAX {
                let text = format!("more than {ENTRIES_MAX} entries");
                return Err(io::Error::other(text));
            }
            let entry = entry?;
            let kind = match entry.file_type() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                kind => kind?,
            };
            match entry.file_name().into_string() {
                Ok(name) if !name.contains(is_unprintable) => entries.named.push((name, kind)),
                _ => entries.unprintable.push(kind),
            }
        }
        entries
            .named
            .sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(entries)
    }

    /// Returns the names in a directory, sorted; skips names that are not printable UTF-8.
    pub fn list(&self, path: impl AsRef<Path>) -> Vec<String> {
        self.try_list(path).unwrap_or_default()
    }

    /// Returns whether `path` exists.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.canonical(path.as_ref()).is_ok()
    }
}

/// What is in a directory.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    /// The names that are printable UTF-8, sorted, and what each is.
    pub named: Vec<(String, FileType)>,
    /// What the others are.
    pub unprintable: Vec<FileType>,
}

fn too_long(bytes_max: u64) -> io::Error {
    io::Error::other(format!("longer than {} KiB", bytes_max >> 10))
}

/// Pushes the components of a path so that the first is popped first.
fn push_components(pending: &mut Vec<OsString>, path: &Path) {
    pending.extend(path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    }));
}

/// Returns whether a character could confuse a terminal or a reader.
fn is_unprintable(c: char) -> bool {
    c.is_control() || is_hidden(c)
}

/// Returns bytes as text without control characters other than line ends.
pub(crate) fn clean_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|&c| c == '\n' || !is_unprintable(c))
        .collect()
}

/// Returns bytes as one line without control characters, with single spaces, at most 512
/// characters; `None` if that is empty.
pub fn clean_word(bytes: &[u8]) -> Option<String> {
    let text = clean_text(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    let word: String = words.join(" ").chars().take(WORD_CHARS_MAX).collect();
    (!word.is_empty()).then_some(word)
}

/// Returns whether `name` is a single path component, safe to use in a path.
pub(crate) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

/// Returns a path as text for messages: replaces invalid UTF-8 and removes control characters.
pub(crate) fn shown(path: &Path) -> String {
    clean_text(path.as_os_str().as_encoded_bytes()).replace('\n', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_long_is_unknown_and_not_cut() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        fs::write(folder.path().join("file"), "0123456789").unwrap();
        let read = |most| root.try_bytes_up_to("/file".as_ref(), most);
        assert_eq!(read(10).unwrap(), b"0123456789");
        assert!(read(9).unwrap_err().to_string().starts_with("longer than"));
    }
}
