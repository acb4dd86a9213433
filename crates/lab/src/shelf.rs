//! Large files of the cache that are named by a checksum of what they are made of: made once, checked
//! whenever they are used, removed when they are old.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use crate::error::LabError;
use crate::manifest::checksum;

/// How the names of half-made directories begin.
pub(crate) const WORK_PREFIX: &str = "work-";

/// How many older files are kept beside the newest.
const KEPT_MAX: usize = 3;

/// A directory of such files.
#[derive(Debug, Clone)]
pub(crate) struct Shelf {
    directory: PathBuf,
    extension: &'static str,
}

impl Shelf {
    /// Returns the shelf in `directory`, which need not exist, whose files end so.
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

    /// Returns the file of `key` if it is what was made; it is used from now on, and not removed as old.
    /// Cost: reads it once.
    pub(crate) fn whole(&self, key: &str) -> Option<PathBuf> {
        let path = self.path(key);
        if checksum(&path).ok()?.sha256 != Self::made_as(&path)? {
            return None;
        }
        if let Ok(file) = File::options().append(true).open(&path) {
            // Where that is not allowed, nobody removes it either.
            let _old = file.set_modified(SystemTime::now());
        }
        Some(path)
    }

    /// Returns a directory to make a file in, for who has the cache's lock; what is half made is known
    /// by its name.
    pub(crate) fn work(&self) -> Result<TempDir, LabError> {
        let create = || {
            std::fs::create_dir_all(&self.directory)?;
            tempfile::Builder::new()
                .prefix(WORK_PREFIX)
                .tempdir_in(&self.directory)
        };
        create().map_err(LabError::file("create", &self.directory))
    }

    /// Makes a new file durable, then known as that of `key`; the oldest others go.
    pub(crate) fn put(&self, made: &Path, key: &str) -> Result<PathBuf, LabError> {
        let path = self.path(key);
        let sum = checksum(made)?.sha256;
        let put = || -> std::io::Result<()> {
            File::open(made)?.sync_all()?;
            std::fs::rename(made, &path)?;
            // Without it, or with half of it, the file is made anew.
            std::fs::write(sum_of(&path), &sum)
        };
        put().map_err(LabError::file("create", &path))?;
        self.remove_old(&path);
        Ok(path)
    }

    /// Returns the checksum that a file was made with.
    pub(crate) fn made_as(path: &Path) -> Option<String> {
        std::fs::read_to_string(sum_of(path)).ok()
    }

    /// Forgets a file.
    pub(crate) fn remove(path: &Path) {
        // What cannot be removed is in nobody's way.
        let _left = std::fs::remove_file(path);
        let _left = std::fs::remove_file(sum_of(path));
    }

    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.{}", self.extension))
    }

    /// Returns whether a file has a name that we give: a checksum.
    fn is_ours(&self, path: &Path) -> bool {
        let stem = path.file_stem().unwrap_or_default().as_encoded_bytes();
        let is_sum = stem.len() == 64 && stem.iter().all(u8::is_ascii_hexdigit);
        is_sum && path.extension().is_some_and(|end| end == self.extension)
    }

    /// Removes old files but the newest; one in use stays for the process that has it open.
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

/// Returns the file with the checksum of a file.
fn sum_of(path: &Path) -> PathBuf {
    path.with_extension("sha256")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Cache;

    #[test]
    fn a_damaged_file_is_not_used_and_one_in_use_is_the_youngest() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let shelf = cache.states();
        let put = |digit: usize| {
            let work = shelf.work().unwrap();
            let made = work.path().join("made");
            std::fs::write(&made, "all is well").unwrap();
            shelf.put(&made, &digit.to_string().repeat(64)).unwrap()
        };
        let first = put(0);
        let key = "0".repeat(64);
        assert_eq!(shelf.whole(&key), Some(first.clone()));
        std::fs::write(&first, "all is hell").unwrap();
        assert_eq!(shelf.whole(&key), None);
        put(0);
        let file = File::options().write(true).open(&first).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(shelf.whole(&key).is_some());
        let used = first.metadata().unwrap().modified().unwrap();
        assert!(used.elapsed().unwrap() < std::time::Duration::from_secs(3600));
        // The oldest goes, with its checksum.
        for digit in 1..=KEPT_MAX {
            put(digit);
        }
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        put(KEPT_MAX + 1);
        assert!(!first.exists() && !sum_of(&first).exists());
        assert!(shelf.whole(&"1".repeat(64)).is_some());
    }
}
