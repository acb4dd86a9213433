//! Large files of the cache, named by a checksum of their inputs: built once, verified at every
//! use, removed when old.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use crate::error::LabError;
use crate::manifest::checksum;

/// The prefix of the names of unfinished directories.
pub(crate) const WORK_PREFIX: &str = "work-";

/// How many older files are kept besides the newest.
const KEPT_MAX: usize = 3;

/// A directory of files named by checksum.
#[derive(Debug, Clone)]
pub(crate) struct FileStore {
    directory: PathBuf,
    extension: &'static str,
}

impl FileStore {
    /// Returns the store in `directory`, which need not exist, for files with `extension`.
    pub(crate) fn new(directory: PathBuf, extension: &'static str) -> Self {
        Self {
            directory,
            extension,
        }
    }

    /// Returns the directory.
    pub(crate) fn into_directory(self) -> PathBuf {
        self.directory
    }

    /// Returns the file of `key` if it is undamaged, and marks it as recently used. Cost: reads it
    /// once.
    pub(crate) fn find_intact(&self, key: &str) -> Option<PathBuf> {
        let path = self.path(key);
        if checksum(&path).ok()?.sha256 != Self::recorded_sum(&path)? {
            return None;
        }
        if let Ok(file) = File::options().append(true).open(&path) {
            // A process that may not write the file may not remove it either.
            let _old = file.set_modified(SystemTime::now());
        }
        Some(path)
    }

    /// Returns a directory to build a file in, for the holder of the cache's lock. The name's
    /// prefix marks the content as unfinished.
    pub(crate) fn work(&self) -> Result<TempDir, LabError> {
        let create = || {
            std::fs::create_dir_all(&self.directory)?;
            tempfile::Builder::new()
                .prefix(WORK_PREFIX)
                .tempdir_in(&self.directory)
        };
        create().map_err(LabError::file("create", &self.directory))
    }

    /// Makes a new file durable and stores it under `key`; removes the oldest others.
    pub(crate) fn put(&self, made: &Path, key: &str) -> Result<PathBuf, LabError> {
        let path = self.path(key);
        let sum = checksum(made)?.sha256;
        let put = || -> std::io::Result<()> {
            File::open(made)?.sync_all()?;
            std::fs::rename(made, &path)?;
            // Without a complete checksum the file is built again.
            std::fs::write(sum_of(&path), &sum)
        };
        put().map_err(LabError::file("create", &path))?;
        self.remove_old(&path);
        Ok(path)
    }

    /// Returns the checksum recorded when the file was built.
    pub(crate) fn recorded_sum(path: &Path) -> Option<String> {
        std::fs::read_to_string(sum_of(path)).ok()
    }

    /// Removes a file and its checksum.
    pub(crate) fn remove(path: &Path) {
        // A file that cannot be removed does no harm.
        let _left = std::fs::remove_file(path);
        let _left = std::fs::remove_file(sum_of(path));
    }

    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.{}", self.extension))
    }

    /// Returns whether a file name is one of ours: a checksum.
    fn is_ours(&self, path: &Path) -> bool {
        let stem = path.file_stem().unwrap_or_default().as_encoded_bytes();
        let is_sum = stem.len() == 64 && stem.iter().all(u8::is_ascii_hexdigit);
        is_sum && path.extension().is_some_and(|end| end == self.extension)
    }

    /// Removes old files. One in use stays readable for the process that has it open.
    fn remove_old(&self, newest: &Path) {
        let entries = std::fs::read_dir(&self.directory);
        let mut files: Vec<_> = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path() != newest && self.is_ours(&entry.path()))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        let excess = files.len().saturating_sub(KEPT_MAX);
        for (_, path) in &files[..excess] {
            Self::remove(path);
        }
    }
}

/// Returns the path of a file's recorded checksum.
fn sum_of(path: &Path) -> PathBuf {
    path.with_extension("sha256")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Cache;

    #[test]
    fn a_damaged_file_is_not_used_and_a_use_makes_a_file_recent() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let store = cache.states();
        let put = |digit: usize| {
            let work = store.work().unwrap();
            let made = work.path().join("made");
            std::fs::write(&made, "all is well").unwrap();
            store.put(&made, &digit.to_string().repeat(64)).unwrap()
        };
        let first = put(0);
        let key = "0".repeat(64);
        assert_eq!(store.find_intact(&key), Some(first.clone()));
        std::fs::write(&first, "all is hell").unwrap();
        assert_eq!(store.find_intact(&key), None);
        put(0);
        let file = File::options().write(true).open(&first).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(store.find_intact(&key).is_some());
        let used = first.metadata().unwrap().modified().unwrap();
        assert!(used.elapsed().unwrap() < std::time::Duration::from_secs(3600));
        // The oldest is removed, with its checksum.
        for digit in 1..=KEPT_MAX {
            put(digit);
        }
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        put(KEPT_MAX + 1);
        assert!(!first.exists() && !sum_of(&first).exists());
        assert!(store.find_intact(&"1".repeat(64)).is_some());
    }
}
