//! The shipped studies: `studies/` at the root of the workspace, with the profiles and traces that
//! they name. A command takes one by its name from anywhere.
//!
//! They are embedded as text. Their files are addressed below [`FOLDER`], which no directory has as
//! its name, so that errors, profiles and traces name them as they do other files.

use std::path::{Path, PathBuf};

/// The folder of the shipped studies in paths.
pub const FOLDER: &str = "<stripewise>/studies";

/// A study embedded when the program was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedStudy {
    /// Its name, equal to its file's.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

/// A profile or trace that a shipped study names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShippedFile {
    /// Its path below the folder.
    path: &'static str,
    /// Its text.
    text: &'static str,
}

/// Returns the study `name`.
macro_rules! shipped {
    ($name:literal) => {
        ShippedStudy {
            name: $name,
            text: include_str!(concat!("../../../studies/", $name, ".toml")),
        }
    };
}

/// Returns the file at a path below the folder.
macro_rules! beside {
    ($path:literal) => {
        ShippedFile {
            path: $path,
            text: include_str!(concat!("../../../studies/", $path)),
        }
    };
}

/// The shipped studies, by name.
pub const STUDIES: &[ShippedStudy] = &[
    shipped!("arrays-of-this-disk"),
    shipped!("block-size"),
    shipped!("buffered"),
    shipped!("chunk-size"),
    shipped!("compression"),
    shipped!("demo"),
    shipped!("failed-disk"),
    shipped!("fake-raid"),
    shipped!("flush"),
    shipped!("flush-every"),
    shipped!("four-ssd-lab"),
    shipped!("four-ssd-random"),
    shipped!("fsync"),
    shipped!("governor"),
    shipped!("governor-passive"),
    shipped!("governor-same"),
    shipped!("imsm-or-md"),
    shipped!("lab-processor"),
    shipped!("mirrored-reads"),
    shipped!("pull-plug"),
    shipped!("pull-plug-database"),
    shipped!("pull-plug-filesystems"),
    shipped!("raid-level"),
    shipped!("raid5-settings"),
    shipped!("same-thing-twice"),
    shipped!("sync"),
    shipped!("sync-every"),
    shipped!("sync-writes"),
    shipped!("sync-writes-small"),
    shipped!("system-on-array"),
    shipped!("this-disk"),
    shipped!("tool-truth"),
    shipped!("trace"),
    shipped!("write-hole"),
    shipped!("zfs-scaling"),
];

/// The files that they name.
const FILES: &[ShippedFile] = &[
    beside!("devices/cell-nvme.toml"),
    beside!("devices/cell-queue.toml"),
    beside!("devices/cell-sata.toml"),
    beside!("devices/cell-slow.toml"),
    beside!("devices/flush-1ms.toml"),
    beside!("devices/lab-instant.toml"),
    beside!("devices/slow-nvme.toml"),
    beside!("devices/slow-sata.toml"),
    beside!("traces/oltp.iolog"),
];

impl ShippedStudy {
    /// Returns the study called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        STUDIES.iter().find(|study| study.name == name)
    }

    /// Returns the names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        STUDIES.iter().map(|study| study.name)
    }

    /// Returns its path, below [`FOLDER`].
    pub fn path(&self) -> PathBuf {
        Path::new(FOLDER).join(self.name).with_extension("toml")
    }
}

/// Returns whether a path is one of the program's own: below [`FOLDER`].
pub fn is_shipped(path: &Path) -> bool {
    path.starts_with(FOLDER)
}

/// Returns the text of a shipped study, or of a file beside the shipped studies.
pub fn shipped_text(path: &Path) -> Option<&'static str> {
    let path = path.strip_prefix(FOLDER).ok()?;
    let file = FILES.iter().find(|file| Path::new(file.path) == path);
    file.map(|file| file.text).or_else(|| {
        let name = path.to_str()?.strip_suffix(".toml")?;
        Some(ShippedStudy::named(name)?.text)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(folder: &str) -> BTreeSet<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
        let files = std::fs::read_dir(root.join(folder)).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let files = files.filter(|path| path.is_file());
        let names = files.map(|path| path.file_name().unwrap().to_owned());
        let names = names.map(|name| name.into_string().unwrap());
        names.map(|name| format!("{folder}{name}")).collect()
    }

    #[test]
    fn every_study_and_the_files_beside_it_are_embedded() {
        let own = ShippedStudy::names().map(|name| format!("{name}.toml"));
        assert_eq!(own.collect::<BTreeSet<_>>(), names(""));
        let beside: BTreeSet<_> = FILES.iter().map(|file| file.path.to_owned()).collect();
        let mut files = names("devices/");
        files.extend(names("traces/"));
        assert_eq!(beside, files);
        for name in ShippedStudy::names() {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
            assert!(
                name.chars().all(is_name),
                "{name} would not be taken by its name"
            );
        }
    }

    #[test]
    fn only_paths_of_the_folder_are_shipped() {
        let fsync = ShippedStudy::named("fsync").unwrap();
        assert_eq!(shipped_text(&fsync.path()), Some(fsync.text));
        for path in [
            "studies/fsync.toml",
            "<stripewise>/studies/../fsync.toml",
            "fsync",
        ] {
            assert_eq!(shipped_text(Path::new(path)), None, "{path}");
        }
    }
}
