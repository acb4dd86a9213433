//! Loop devices that are removed with the test, however it ends.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) use stripewise_fixtures::{skip, skip_unless_all};

/// Returns whether loop devices can be created here; prints a skip message if not.
pub(crate) fn has_loops(what: &str) -> bool {
    if !rustix::process::geteuid().is_root() {
        skip(what, "loop devices need root");
        return false;
    }
    if !Path::new("/dev/loop-control").exists() {
        skip(what, "this kernel has no loop devices");
        return false;
    }
    true
}

/// Runs a program that must succeed, and returns its output.
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = attempt(program, arguments);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {output:?}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a program, however it ends.
pub(crate) fn attempt(program: &str, arguments: &[&str]) -> std::process::Output {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new(program)
        .args(arguments)
        .env("PATH", format!("{path}:/usr/sbin:/sbin"))
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// Returns whether a program is installed; prints a skip message if not.
pub(crate) fn has(program: &str, what: &str) -> bool {
    let places = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    let is_there = places
        .iter()
        .any(|place| Path::new(place).join(program).exists());
    if !is_there {
        skip_unless_all(what, &format!("there is no `{program}`"));
    }
    is_there
}

/// A loop device on a sparse file.
pub(crate) struct Loop {
    pub(crate) path: PathBuf,
    pub(crate) file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Loop {
    pub(crate) fn new(size_mib: u64) -> Self {
        Self::with(size_mib, &[], |_| ())
    }

    /// Creates one with further options of losetup, on a file that `fill` may write first.
    pub(crate) fn with(size_mib: u64, options: &[&str], fill: impl FnOnce(&File)) -> Self {
        Self::in_folder(env!("CARGO_TARGET_TMPDIR"), size_mib, options, fill)
    }

    /// Creates one whose file lies in a folder. If that is in memory, no disk lies below it, and
    /// no I/O of other programs is counted.
    pub(crate) fn in_folder(
        parent: &str,
        size_mib: u64,
        options: &[&str],
        fill: impl FnOnce(&File),
    ) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("stripewise-loop-")
            .tempdir_in(parent)
            .unwrap();
        let file = folder.path().join("disk");
        let disk = File::create(&file).unwrap();
        disk.set_len(size_mib << 20).unwrap();
        fill(&disk);
        disk.sync_all().unwrap();
        let mut arguments = vec!["--find", "--show"];
        arguments.extend(options);
        arguments.push(file.to_str().unwrap());
        let path = run("losetup", &arguments).trim().into();
        Self {
            path,
            file,
            _folder: folder,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// Returns whether the loop device still has our file: its number is soon reused.
    pub(crate) fn is_there(&self) -> bool {
        let name = self.path.file_name().unwrap().to_str().unwrap();
        let behind = std::fs::read_to_string(format!("/sys/block/{name}/loop/backing_file"));
        behind.is_ok_and(|behind| behind.trim() == self.file.to_str().unwrap())
    }

    /// Returns bytes of the device.
    pub(crate) fn read_at(&self, offset: u64, length: usize) -> Vec<u8> {
        use std::os::unix::fs::FileExt;
        let mut bytes = vec![0; length];
        let device = File::open(&self.path).unwrap();
        device.read_exact_at(&mut bytes, offset).unwrap();
        bytes
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        if !self.is_there() {
            return;
        }
        // A panic in here would hide the test's failure.
        let _ = attempt("losetup", &["--detach", self.name()]);
    }
}

/// A mount that is removed with the test.
pub(crate) struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    pub(crate) fn new(device: &str) -> Self {
        Self::with(device, "defaults")
    }

    /// Mounts with options.
    pub(crate) fn with(device: &str, options: &str) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = folder.path().to_str().unwrap();
        run("mount", &["-o", options, device, path]);
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = attempt("umount", &[self.folder.path().to_str().unwrap()]);
    }
}

/// A symbolic link below `/dev`, like those of udev.
pub(crate) struct Link {
    pub(crate) path: PathBuf,
}

impl Link {
    pub(crate) fn new(name: &str, to: &Path) -> Self {
        let path = Path::new("/dev").join(format!("stripewise-test-{}-{name}", std::process::id()));
        std::os::unix::fs::symlink(to, &path).unwrap();
        Self { path }
    }

    pub(crate) fn point_to(&self, to: &Path) {
        std::fs::remove_file(&self.path).unwrap();
        std::os::unix::fs::symlink(to, &self.path).unwrap();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
