//! Fake machines for tests: `/proc`, `/sys` and `/dev` in a directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use stripewise_machine::Root;

/// A machine that is deleted with the test.
pub(super) struct FakeMachine {
    folder: tempfile::TempDir,
}

impl FakeMachine {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn root(&self) -> Root {
        Root(self.folder.path().to_owned())
    }

    /// Returns the real path of a file of the machine.
    pub(super) fn real(&self, path: &str) -> PathBuf {
        self.folder.path().join(path.trim_start_matches('/'))
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let real = self.real(path);
        fs::create_dir_all(real.parent().unwrap()).unwrap();
        fs::write(real, text).unwrap();
    }

    pub(super) fn link(&self, path: &str, to: &str) {
        let real = self.real(path);
        fs::create_dir_all(real.parent().unwrap()).unwrap();
        symlink(to, real).unwrap();
    }

    /// Adds a device: its folder below `/sys/devices`, its number, and other files in the folder.
    pub(super) fn add(&self, folder: &str, number: &str, files: &[(&str, &str)]) {
        let folder = format!("/sys/devices/{folder}");
        let name = folder.rsplit('/').next().unwrap();
        self.write(&format!("{folder}/dev"), number);
        for (file, text) in files {
            self.write(&format!("{folder}/{file}"), text);
        }
        self.link(&format!("/sys/class/block/{name}"), &folder);
        if files.iter().all(|(file, _)| *file != "partition") {
            self.link(&format!("/sys/block/{name}"), &folder);
        }
        self.link(&format!("/sys/dev/block/{number}"), &folder);
        self.write(&format!("/dev/{name}"), "");
    }
}
