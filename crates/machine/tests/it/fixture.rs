//! A small builder of `/proc`, `/sys` and `/dev` in a temporary directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use stripewise_machine::Root;
use tempfile::TempDir;

/// A fake machine in a directory.
pub struct Fixture {
    directory: TempDir,
}

/// A block device to add to a fixture.
pub struct Block<'a> {
    /// The parent folder: `/sys/devices/pci0000:00/ata1/block`, or a disk's folder for a partition.
    pub parent: &'a str,
    pub name: &'a str,
    /// `8:0`.
    pub number: &'a str,
    pub sectors: u64,
    /// Further files, by their path in the device's folder.
    pub files: &'a [(&'a str, &'a str)],
    /// The folders of the devices that it is built of.
    pub members: &'a [&'a str],
}

impl Fixture {
    pub fn new() -> Self {
        Self {
            directory: TempDir::new().expect("a temporary directory"),
        }
    }

    pub fn root(&self) -> Root {
        Root(self.directory.path().to_owned())
    }

    /// Returns the real path of `path` in the fixture.
    pub fn real(&self, path: &str) -> PathBuf {
        self.directory.path().join(path.trim_start_matches('/'))
    }

    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let real = self.real(path);
        fs::create_dir_all(real.parent().expect("a path with a folder")).expect("folders");
        fs::write(real, content).expect("a file");
        self
    }

    pub fn files(&self, folder: &str, files: &[(&str, &str)]) -> &Self {
        for (path, content) in files {
            self.file(&format!("{folder}/{path}"), format!("{content}\n"));
        }
        self
    }

    pub fn folder(&self, path: &str) -> &Self {
        fs::create_dir_all(self.real(path)).expect("folders");
        self
    }

    /// Links `path` to `target`, both inside the fixture; with relative links, as in `/sys`.
    pub fn link(&self, path: &str, target: &str) -> &Self {
        let real = self.real(path);
        fs::create_dir_all(real.parent().expect("a path with a folder")).expect("folders");
        let depth = Path::new(path).components().count() - 2;
        let relative = "../".repeat(depth) + target.trim_start_matches('/');
        symlink(relative, real).expect("a link");
        self
    }

    /// Adds a block device and the links to it.
    pub fn block(&self, block: &Block) -> &Self {
        let folder = format!("{}/{}", block.parent, block.name);
        self.file(&format!("{folder}/dev"), format!("{}\n", block.number));
        self.file(&format!("{folder}/size"), format!("{}\n", block.sectors));
        self.files(&folder, block.files);
        let is_partition = block.files.iter().any(|(path, _)| *path == "partition");
        if !is_partition {
            self.folder(&format!("{folder}/slaves"));
            self.link(&format!("/sys/block/{}", block.name), &folder);
        }
        for member in block.members {
            let name = member.rsplit('/').next().expect("a name");
            self.link(&format!("{folder}/slaves/{name}"), member);
        }
        self.link(&format!("/sys/class/block/{}", block.name), &folder);
        self.link(&format!("/sys/dev/block/{}", block.number), &folder);
        self.file(&format!("/dev/{}", block.name.replace('!', "/")), "")
    }

    pub fn mounts(&self, lines: &[&str]) -> &Self {
        self.file("/proc/self/mountinfo", lines.join("\n") + "\n")
    }
}
