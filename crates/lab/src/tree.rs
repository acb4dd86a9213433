//! The guest's root directory: unpacked packages and our own files.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use stripewise_process::{Call, UntilStopped};

use crate::error::LabError;
use crate::extra::Extra;
use crate::newc::Archive;
use crate::programs::{DPKG_DEB, TAR, XZ, ZSTD, failed, not_started, run};
use crate::recipe::{
    BOOT_MODULES, INIT, INITRAMFS_INIT, LVM_CONFIGURATION, PATHS_LEFT_OUT, PROGRAMS_CHECKED,
};

/// The directory of the libraries.
pub(crate) const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
/// The dynamic loader.
pub(crate) const LOADER: &str = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";

/// The users of a guest. Databases run as `nobody`.
const USERS: &str = "root::0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
";
/// Its groups.
const GROUPS: &str = "root:x:0:\ndisk:x:6:\nnogroup:x:65534:\n";

/// A directory that becomes a guest's root.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Creates an empty tree, with `/bin`, `/sbin` and `/lib` as links into `/usr`: older packages
    /// have files in both places, newer ones only in `/usr`.
    pub(crate) fn create(root: &Path) -> Result<Self, LabError> {
        let directories = [
            "usr/bin",
            "usr/sbin",
            "usr/lib",
            "usr/lib64",
            "dev",
            "proc",
            "sys",
            "run",
            "tmp",
            "mnt",
            "agent",
            "root",
            "var/tmp",
            "etc/lvm/archive",
            "etc/lvm/backup",
            "etc/lvm/devices",
        ];
        for directory in directories {
            let path = root.join(directory);
            std::fs::create_dir_all(&path).map_err(LabError::file("create", &path))?;
        }
        let links = [
            ("bin", "usr/bin"),
            ("sbin", "usr/sbin"),
            ("lib", "usr/lib"),
            ("lib64", "usr/lib64"),
            ("var/run", "../run"),
        ];
        for (link, target) in links {
            let path = root.join(link);
            symlink(target, &path).map_err(LabError::file("create", &path))?;
        }
        Ok(Self::at(root))
    }

    /// Returns the tree that was created at `root`.
    pub(crate) fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn libraries(&self) -> PathBuf {
        self.path(LIBRARIES)
    }

    /// Writes the boot script and the configuration, and links busybox for missing programs.
    pub(crate) fn add_configuration(&self) -> Result<(), LabError> {
        let put = |name: &str, text: &str, mode: u32| {
            let path = self.path(name);
            std::fs::write(&path, text)
                .and_then(|()| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)))
                .map_err(LabError::file("write", &path))
        };
        put("usr/sbin/stripewise-init", INIT, 0o755)?;
        put("etc/lvm/lvmlocal.conf", LVM_CONFIGURATION, 0o644)?;
        put("etc/passwd", USERS, 0o644)?;
        put("etc/group", GROUPS, 0o644)?;
        put("etc/fstab", "", 0o644)?;
        let mtab = self.path("etc/mtab");
        symlink("/proc/mounts", &mtab).map_err(LabError::file("create", &mtab))?;
        let sh = self.path("usr/bin/sh");
        if sh.symlink_metadata().is_err() {
            symlink("dash", &sh).map_err(LabError::file("create", &sh))?;
        }
        self.link_busybox()
    }

    fn link_busybox(&self) -> Result<(), LabError> {
        let busybox = Call::new(&self.path("usr/bin/busybox"));
        let names = run(busybox.arg("--list"), "list the programs in busybox")?;
        for name in String::from_utf8_lossy(&names).lines() {
            let is_name = name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_[".contains(c));
            let is_there =
                |directory: &str| self.path(directory).join(name).symlink_metadata().is_ok();
            if is_name && !name.is_empty() && !is_there("usr/bin") && !is_there("usr/sbin") {
                let path = self.path("usr/bin").join(name);
                symlink("busybox", &path).map_err(LabError::file("create", &path))?;
            }
        }
        Ok(())
    }

    /// Returns a call of the tree's loader, which runs the tree's programs here with the tree's
    /// libraries.
    fn loader(&self) -> Call {
        let loader = Call::new(&self.path(LOADER));
        loader.arg("--library-path").arg(self.libraries())
    }

    /// Checks that programs find all their libraries, those of extras, too.
    pub(crate) fn check_libraries(&self, extras: &BTreeSet<Extra>) -> Result<(), LabError> {
        let own = PROGRAMS_CHECKED.iter().map(|program| self.path(program));
        let more = extras.iter().flat_map(|extra| extra.programs(&self.root));
        for path in own.chain(more) {
            let program = path.strip_prefix(&self.root).unwrap_or(&path).display();
            let list = self.loader().arg("--list").arg(&path);
            let printed = run(list, &format!("find the libraries of `{program}`"))?;
            let printed = String::from_utf8_lossy(&printed).into_owned();
            if let Some(missing) = printed.lines().find(|line| line.contains("not found")) {
                return Err(LabError::Package {
                    package: program.to_string(),
                    problem: format!("one of its libraries is missing: {}", missing.trim()),
                });
            }
        }
        Ok(())
    }

    /// Writes the module lists that `modprobe` reads.
    pub(crate) fn list_modules(&self, kernel: &str, work: &Path) -> Result<(), LabError> {
        // kmod picks its function by the name it is started with.
        let depmod = work.join("depmod");
        symlink(self.path("usr/bin/kmod"), &depmod).map_err(LabError::file("create", &depmod))?;
        let call = self.loader().arg(&depmod).arg("-b").arg(&self.root);
        run(call.arg(kernel), "list the kernel's modules").map(|_| ())
    }

    /// Writes the initramfs: busybox and the modules for disks and host port.
    pub(crate) fn write_initramfs(&self, kernel: &str, path: &Path) -> Result<(), LabError> {
        let modules = self.path("usr/lib/modules").join(kernel);
        let read = |path: &Path| std::fs::read(path).map_err(LabError::file("read", path));
        let text = |name: &str| {
            let bytes = read(&modules.join(name))?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let order = load_order(
            &text("modules.dep")?,
            &text("modules.builtin")?,
            &BOOT_MODULES,
        );
        let order = order.map_err(|missing| LabError::Package {
            package: kernel.to_owned(),
            problem: format!("the kernel has no module `{missing}`"),
        })?;
        let mut files = vec![
            ("init".to_owned(), INITRAMFS_INIT.as_bytes().to_vec()),
            (
                "bin/busybox".to_owned(),
                read(&self.path("usr/bin/busybox"))?,
            ),
        ];
        for (index, file) in order.iter().enumerate() {
            let name = file.rsplit('/').next().unwrap_or(file);
            let name = name.trim_end_matches(".xz").trim_end_matches(".zst");
            files.push((
                format!("modules/{index:02}-{name}"),
                unpacked(&modules.join(file))?,
            ));
        }
        let write = || -> std::io::Result<()> {
            let mut archive = Archive::new(std::io::BufWriter::new(std::fs::File::create(path)?));
            for directory in ["bin", "dev", "proc", "sys", "root", "modules"] {
                archive.directory(directory)?;
            }
            for (name, data) in &files {
                archive.file(name, data)?;
            }
            archive.finish()?.flush()
        };
        write().map_err(LabError::file("write", path))
    }
}

/// Returns a module decompressed for `insmod`; newer distributions ship them compressed.
fn unpacked(module: &Path) -> Result<Vec<u8>, LabError> {
    let extension = module.extension().and_then(|extension| extension.to_str());
    let program = match extension {
        Some("xz") => XZ,
        Some("zst") => ZSTD,
        _ => return std::fs::read(module).map_err(LabError::file("read", module)),
    };
    run(
        program.call(["-dc"]).arg(module),
        "decompress a kernel module",
    )
}

/// Returns the files of `wanted` modules and of all they need, in the order in which they are
/// loaded.
///
/// `dependencies` is `modules.dep`, which lists the first dependency last; `builtin` lists the
/// modules built into the kernel.
///
/// # Errors
/// The first wanted module that is in neither.
fn load_order(
    dependencies: &str,
    builtin: &str,
    wanted: &[&'static str],
) -> Result<Vec<String>, &'static str> {
    let mut order: Vec<String> = Vec::new();
    for name in wanted {
        let line = dependencies
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(file, _)| module_name(file) == *name);
        match line {
            Some((file, needs)) => {
                let needs = needs.split_ascii_whitespace().rev();
                for file in needs.chain([file]) {
                    let is_safe = !file.starts_with('/') && !file.contains("..");
                    if is_safe && !order.iter().any(|known| known == file) {
                        order.push(file.to_owned());
                    }
                }
            }
            None if builtin.lines().any(|file| module_name(file) == *name) => {}
            None => return Err(name),
        }
    }
    Ok(order)
}

fn module_name(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = name.split(".ko").next().unwrap_or(name);
    name.replace('-', "_")
}

/// Unpacks a package below `directory`, without the paths `left_out`.
pub(crate) fn unpack(
    package: &Path,
    directory: &Path,
    left_out: &[String],
) -> Result<(), LabError> {
    let opener = DPKG_DEB.call(["--fsys-tarfile"]).arg(package);
    let left_out = left_out.iter().map(String::as_str);
    let left_out = PATHS_LEFT_OUT.iter().copied().chain(left_out);
    // Links such as /bin stay; mke2fs sets the owners.
    let packer = TAR
        .call(["--keep-directory-symlink", "--no-same-owner"])
        .args(["--no-same-permissions", "-x", "-C"])
        .arg(directory)
        .args(left_out.map(|path| format!("--exclude={path}")));
    run_piped(opener, packer, &format!("unpack `{}`", package.display())).map(drop)
}

/// Pipes the output of `writer` into `reader`, waits for both, and returns what the reader printed.
pub(crate) fn run_piped(writer: Call, reader: Call, attempted: &str) -> Result<Vec<u8>, LabError> {
    let writes = writer.name();
    let pipe = std::io::pipe().map_err(|source| LabError::Start {
        program: writes.clone(),
        source,
    });
    let (output, input) = pipe?;
    let writing = writer.stdout(input).start();
    let writing = writing.map_err(|error| not_started(error, writes.clone()))?;
    let read = run(reader.stdin(output), attempted);
    let written = writing.finish(&mut UntilStopped);
    // If the reader exits early, the writer fails too: report the reader.
    let printed = read?;
    written.map_err(|error| failed(error, writes, attempted))?;
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use stripewise_process::Program;

    use super::*;

    const DEP: &str = "kernel/drivers/virtio/virtio_pci.ko.xz: kernel/drivers/virtio/virtio.ko.xz kernel/drivers/virtio/virtio_ring.ko.xz\nkernel/drivers/block/virtio-blk.ko: kernel/drivers/virtio/virtio.ko.xz\n";

    #[test]
    fn a_package_that_cannot_be_unpacked_is_an_error_and_does_not_hang() {
        let call = |name| Program::new(name, "coreutils").call::<[&str; 0]>([]);
        let writer = call("head").args(["-c", "1000000", "/dev/zero"]);
        let error = run_piped(writer, call("false"), "unpack `x.deb`").unwrap_err();
        assert_eq!(
            error.to_string(),
            "failed to unpack `x.deb`: `false` ended with exit status: 1"
        );
    }

    #[test]
    fn modules_are_loaded_once_and_after_their_dependencies() {
        let order = load_order(
            DEP,
            "kernel/fs/ext4/ext4.ko\n",
            &["virtio_pci", "virtio_blk", "ext4"],
        );
        assert_eq!(
            order.unwrap(),
            [
                "kernel/drivers/virtio/virtio_ring.ko.xz",
                "kernel/drivers/virtio/virtio.ko.xz",
                "kernel/drivers/virtio/virtio_pci.ko.xz",
                "kernel/drivers/block/virtio-blk.ko",
            ]
        );
        assert_eq!(load_order(DEP, "", &["ext4"]), Err("ext4"));
    }
}
