//! What the model simulated in earlier runs: files in `$XDG_CACHE_HOME/stripewise/simulated`.
//!
//! A file holds one simulation. Its name is the checksum of the program and of all inputs, so another
//! build of the program finds nothing of this one; the file of the program is read for that, as a
//! version does not tell two builds apart. The first line is a checksum of name and content: a file
//! that is damaged, cut short or renamed is a miss, and is simulated and written anew. A file appears
//! under its name at once and complete, so processes do not disturb each other. A file that cannot be
//! written costs a later run time, and nothing else.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use stripewise_lab::cache::user_cache;
use stripewise_sim::memory::{Key, Memory, Remembered, Shelf};
use tempfile::NamedTempFile;

use crate::open::this_program;

/// The most bytes of all files together.
const BYTES_MAX: u64 = 256 << 20;
/// A file that is larger was not written by us.
const FILE_MAX: u64 = 16 << 20;
/// The room that each file takes on a disk at least.
const FILE_MIN: u64 = 4096;

/// Returns a memory that also keeps simulations for later runs of this program.
///
/// # Errors
/// If there is no place for it, or it cannot be written.
pub fn memory() -> io::Result<Memory> {
    let base = user_cache().filter(|path| path.is_absolute());
    let base = base.ok_or_else(|| io::Error::other("neither XDG_CACHE_HOME nor HOME is set"))?;
    let directory = base.join("stripewise").join("simulated");
    let program = this_program().map_err(io::Error::other)?;
    let files = Files::open(directory, &program, BYTES_MAX)?;
    Ok(Memory::before(Arc::new(files)))
}

/// The files.
#[derive(Debug)]
struct Files {
    directory: PathBuf,
    /// The checksum of the program.
    program: [u8; 32],
    /// The bytes that may still be written.
    left: AtomicU64,
}

impl Files {
    /// Opens a directory, in which files of `bytes_max` bytes may lie.
    fn open(directory: PathBuf, program: &Path, bytes_max: u64) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&directory)?;
        let used = make_room(&directory, bytes_max)?;
        Ok(Self {
            directory,
            program: checksum_of(program)?,
            left: AtomicU64::new(bytes_max - used),
        })
    }

    fn name(&self, key: Key) -> String {
        let hash = Sha256::new_with_prefix(self.program).chain_update(key.0);
        Key(hash.finalize().into()).to_string()
    }
}

impl Shelf for Files {
    fn find(&self, key: Key) -> Option<Remembered> {
        let name = self.name(key);
        let file = File::open(self.directory.join(&name)).ok()?;
        let mut text = String::new();
        file.take(FILE_MAX).read_to_string(&mut text).ok()?;
        let (stated, content) = text.split_once('\n')?;
        let is_whole = stated == checksum(&name, content);
        is_whole.then(|| serde_json::from_str(content).ok())?
    }

    fn keep(&self, key: Key, simulated: &Remembered) {
        let Ok(content) = serde_json::to_string(simulated) else {
            return;
        };
        let name = self.name(key);
        let size = (content.len() as u64).max(FILE_MIN);
        let take = |left: u64| left.checked_sub(size);
        let has_room = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if has_room.is_ok() {
            // The next run simulates what cannot be written.
            let _ = self.write(&name, &content);
        }
    }
}

impl Files {
    fn write(&self, name: &str, content: &str) -> io::Result<()> {
        let mut file = NamedTempFile::new_in(&self.directory)?;
        write!(file, "{}\n{content}", checksum(name, content))?;
        file.persist(self.directory.join(name))?;
        Ok(())
    }
}

fn checksum_of(path: &Path) -> io::Result<[u8; 32]> {
    let (mut file, mut hash) = (File::open(path)?, Sha256::new());
    let mut block = vec![0; 1 << 18];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hash.finalize().into()),
            read => hash.update(&block[..read]),
        }
    }
}

fn checksum(name: &str, content: &str) -> String {
    let hash = Sha256::new_with_prefix(name).chain_update(content);
    Key(hash.finalize().into()).to_string()
}

/// Removes the oldest files until half of the room is free, if less than a quarter is; returns the bytes
/// of those that stay.
fn make_room(directory: &Path, bytes_max: u64) -> io::Result<u64> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        // Another process may have removed it.
        if let Ok(metadata) = entry.metadata()
            && metadata.is_file()
        {
            let size = metadata.len().max(FILE_MIN);
            files.push((metadata.modified()?, size, entry.path()));
        }
    }
    let mut used: u64 = files.iter().map(|(_, size, _)| size).sum();
    if used > bytes_max / 4 * 3 {
        files.sort();
        for (_, size, path) in files {
            if used <= bytes_max / 2 {
                break;
            }
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => used -= size,
            }
        }
    }
    Ok(used)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use stripewise_sim::engine::SameFor;
    use stripewise_study::sample::{Sample, Transfer};
    use tempfile::TempDir;

    use super::*;

    fn simulated(number: u64) -> Remembered {
        let mut sample = Sample {
            read: Transfer {
                ios: number,
                ..Transfer::default()
            },
            ..Sample::default()
        };
        // A mean that has many digits.
        sample.read.latency.mean_ns = Some(1e9 / 3.0 + f64::from(u32::try_from(number).unwrap()));
        Remembered {
            sample,
            ios: number,
            same_for: SameFor::default(),
        }
    }

    const fn key(number: u8) -> Key {
        Key([number; 32])
    }

    struct Folder {
        directory: TempDir,
        program: NamedTempFile,
    }

    impl Folder {
        fn new() -> Self {
            let mut program = NamedTempFile::new().unwrap();
            program.write_all(b"one build").unwrap();
            Self {
                directory: TempDir::new().unwrap(),
                program,
            }
        }

        fn open(&self, bytes_max: u64) -> Files {
            let directory = self.directory.path().join("a/b");
            Files::open(directory, self.program.path(), bytes_max).unwrap()
        }

        fn path(&self, name: String) -> PathBuf {
            self.directory.path().join("a/b").join(name)
        }

        fn paths(&self) -> Vec<PathBuf> {
            let entries = fs::read_dir(self.directory.path().join("a/b")).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect()
        }
    }

    #[test]
    fn what_is_kept_is_found_by_its_key_and_by_the_same_program_alone() {
        let mut folder = Folder::new();
        folder.open(1 << 20).keep(key(1), &simulated(7));
        let files = folder.open(1 << 20);
        assert_eq!(files.find(key(1)), Some(simulated(7)));
        assert_eq!(files.find(key(2)), None);
        folder.program.write_all(b", one byte more").unwrap();
        assert_eq!(folder.open(1 << 20).find(key(1)), None);
    }

    #[test]
    fn a_damaged_file_is_a_miss_and_is_written_anew() {
        let folder = Folder::new();
        let files = folder.open(1 << 20);
        files.keep(key(1), &simulated(7));
        let path = folder.paths().remove(0);
        let whole = fs::read(&path).unwrap();
        // Each byte, each bit of some, and each length.
        for place in 0..whole.len() {
            for damage in [1 << (place % 8), 0x80] {
                let mut damaged = whole.clone();
                damaged[place] ^= damage;
                fs::write(&path, &damaged).unwrap();
                assert_eq!(files.find(key(1)), None, "byte {place}");
            }
            fs::write(&path, &whole[..place]).unwrap();
            assert_eq!(files.find(key(1)), None, "{place} bytes");
        }
        // The file of another key.
        files.keep(key(2), &simulated(8));
        let other = folder.paths().into_iter().find(|other| *other != path);
        fs::copy(other.unwrap(), &path).unwrap();
        assert_eq!(files.find(key(1)), None);
        files.keep(key(1), &simulated(7));
        assert_eq!(files.find(key(1)), Some(simulated(7)));
    }

    #[test]
    fn the_files_are_bounded_and_the_oldest_make_room() {
        let folder = Folder::new();
        let files = folder.open(10 * FILE_MIN);
        for number in 0..20 {
            files.keep(key(number), &simulated(u64::from(number)));
        }
        assert_eq!(folder.paths().len(), 10, "the others found no room");
        let age = |number: u8, seconds: u64| {
            let path = folder.path(files.name(key(number)));
            let file = File::options().append(true).open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
                .unwrap();
        };
        (0..10).for_each(|number| age(number, 100 - u64::from(number)));
        let files = folder.open(10 * FILE_MIN);
        let found = |number: &u8| files.find(key(*number)).is_some();
        assert_eq!((0..20).filter(found).collect::<Vec<u8>>(), [0, 1, 2, 3, 4]);
        files.keep(key(100), &simulated(100));
        assert_eq!(files.find(key(100)), Some(simulated(100)));
    }

    #[test]
    fn processes_that_write_at_once_do_not_disturb_each_other() {
        let folder = Folder::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let files = folder.open(1 << 24);
                scope.spawn(move || {
                    for round in 0..50 {
                        let number = round % 5;
                        let found = files.find(key(number));
                        assert!(found.is_none_or(|found| found == simulated(number.into())));
                        files.keep(key(number), &simulated(number.into()));
                    }
                });
            }
        });
        assert_eq!(folder.paths().len(), 5, "no file of a write is left");
    }
}
