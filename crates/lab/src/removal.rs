//! Deletes what was unpacked, by many threads at once.
//!
//! A preparation unpacks ten thousand files. On a filesystem that discards freed blocks at once (`discard`)
//! each deletion waits for the disk: one after the other took half a minute, and Ctrl-C waited for it.

use std::path::{Path, PathBuf};

/// How many deletions wait for the disk at once.
const THREADS: usize = 16;

/// Deletes all that lies below the directory `root`, as far as possible, and follows no symbolic link.
pub(crate) fn clear(root: &Path) {
    let (files, directories) = content(root);
    // An error shows when `root` itself is removed.
    each(&files, |path| drop(std::fs::remove_file(path)));
    for level in directories.iter().rev() {
        each(level, |path| drop(std::fs::remove_dir(path)));
    }
}

/// Returns the files below a directory, and the directories by their depth.
fn content(root: &Path) -> (Vec<PathBuf>, Vec<Vec<PathBuf>>) {
    let mut files = Vec::new();
    let mut levels: Vec<Vec<PathBuf>> = Vec::new();
    let mut level = vec![root.to_owned()];
    while !level.is_empty() {
        let mut directories = Vec::new();
        for entry in level.iter().flat_map(std::fs::read_dir).flatten().flatten() {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let place = if is_directory {
                &mut directories
            } else {
                &mut files
            };
            place.push(entry.path());
        }
        levels.push(directories.clone());
        level = directories;
    }
    (files, levels)
}

/// Calls `remove` with each path, in several threads.
fn each(paths: &[PathBuf], remove: impl Fn(&Path) + Sync) {
    let share = paths.len().div_ceil(THREADS).max(1);
    let remove = &remove;
    std::thread::scope(|scope| {
        for paths in paths.chunks(share) {
            scope.spawn(move || paths.iter().for_each(|path| remove(path)));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_below_a_directory_is_deleted_and_nothing_that_links_lead_to() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        std::fs::create_dir(&precious).unwrap();
        std::fs::write(precious.join("thesis"), "x").unwrap();
        let root = folder.path().join("work");
        for number in 0..200 {
            let place = root.join(format!("{}/{}", number % 7, number % 3));
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join(number.to_string()), "x").unwrap();
        }
        std::fs::create_dir(root.join("empty")).unwrap();
        std::os::unix::fs::symlink(&precious, root.join("link")).unwrap();
        std::os::unix::fs::symlink(precious.join("thesis"), root.join("0/link")).unwrap();
        clear(&root);
        assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0);
        assert_eq!(
            std::fs::read_to_string(precious.join("thesis")).unwrap(),
            "x"
        );
        // One that does not exist has nothing below it.
        clear(&root.join("none"));
    }
}
