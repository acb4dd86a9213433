//! ZFS for a guest: its tools, and its modules, which are built once for each kernel.
//!
//! Debian ships ZFS as source in `contrib` (`zfs-dkms`), because its licence does not allow it to
//! distribute the built modules. So they are built here, against the headers of the guest's kernel,
//! with the commands of the package's `dkms.conf`, and stay in the cache. They are never passed on.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Instant;

use stripewise_process::Call;
use tempfile::TempDir;

use crate::apt::{Apt, Package, Repository};
use crate::compiler::Compiler;
use crate::error::LabError;
use crate::file_store::FileStore;
use crate::kernel;
use crate::kernel_source::list_of_suite;
use crate::manifest::{ZfsBuild, checksum_of};
use crate::programs::{MAKE, STRIP, TAR, run};
use crate::tree::unpack;

/// The version of how the modules are built: raise it when the same source, headers and compiler
/// make other modules. A test of the recipe recalls it.
pub(crate) const VERSION: u32 = 1;

/// The package with the source of the modules.
const SOURCE: &str = "zfs-dkms";
/// The package with the tools.
pub(crate) const TOOLS: &str = "zfsutils-linux";
/// The package of [`XDR_LIBRARY`], which a guest without ZFS does not need.
pub(crate) const KEPT: [&str; 1] = ["libtirpc3"];
/// The library with which the tools read and write the labels of devices. Its other half, calls
/// over the network, needs Kerberos, which is left out.
pub(crate) const XDR_LIBRARY: &str = "libtirpc.so.3";
/// The file in the archive of the modules that says how they were built.
const BUILD_FILE: &str = "built.json";

/// ZFS for one kernel: downloaded, not yet built.
#[derive(Debug)]
pub(crate) struct Zfs {
    package: Package,
    /// The directory of the unpacked source.
    source: PathBuf,
}

/// An archive of modules, in a directory that is removed with this.
pub(crate) struct Archive {
    pub(crate) path: PathBuf,
    _directory: TempDir,
}

/// Finds the newest ZFS of the distribution that supports the kernel `release`, and downloads its
/// source: the release's own, else that of its backports. Returns it with the apt that offers its
/// tools.
///
/// # Errors
/// If no `contrib` can be reached, or no version supports the kernel.
pub(crate) fn find(
    own: &Apt,
    release: &str,
    states: &Path,
    downloads: &Path,
    work: &Path,
) -> Result<(Apt, Zfs), LabError> {
    let repositories = own.repositories()?;
    let Some(repository) = repositories.first() else {
        return Err(unusable("apt's sources have no release of Debian"));
    };
    let mut newest = String::new();
    for is_backport in [false, true] {
        let name = match is_backport {
            false => "contrib",
            true => "contrib-backports",
        };
        let list = work.join(format!("{name}.list"));
        let suite = match is_backport {
            false => repository.release.clone(),
            true => backports(repository),
        };
        let text = list_of_suite(repository, &suite, "main contrib");
        std::fs::write(&list, text).map_err(LabError::file("write", &list))?;
        let mut apt = Apt::new(&states.join(name), Some(&list))?;
        if is_backport {
            apt = apt.preferring(&suite);
        }
        apt.update()?;
        let package = apt.download(&[SOURCE.to_owned()], downloads)?.pop();
        let package = package.ok_or_else(|| unusable("apt offers no file for it"))?;
        let unpacked = work.join(name);
        std::fs::create_dir(&unpacked).map_err(LabError::file("create", &unpacked))?;
        unpack(&package.path, &unpacked, &[])?;
        let source = source_in(&unpacked)?;
        let meta = source.join("META");
        let meta = std::fs::read_to_string(&meta).map_err(LabError::file("read", &meta))?;
        let maximum = maximum_of(&meta).ok_or_else(|| unusable("its META names no kernel"))?;
        if kernel::is_at_most(release, maximum) {
            return Ok((apt, Zfs { package, source }));
        }
        newest = format!(
            "{} supports Linux up to {maximum}, and the guest has {release}",
            package.record.version
        );
    }
    Err(unusable(&newest))
}

impl Zfs {
    /// Returns the version of its package.
    pub(crate) fn version(&self) -> &str {
        &self.package.record.version
    }

    /// Returns a checksum of all that makes its modules: the headers among `packages`, the source,
    /// the compiler, and the version of this program's commands.
    pub(crate) fn key(&self, packages: &[Package], compiler: &str, release: &str) -> String {
        let records = packages.iter().map(|package| &package.record);
        let headers = records.filter(|record| {
            record.name.starts_with("linux-headers-") || record.name.starts_with("linux-kbuild-")
        });
        let sums = headers.map(|record| record.file.sha256.as_str());
        let source = self.package.record.file.sha256.as_str();
        let version = VERSION.to_string();
        let others = [source, compiler, release, version.as_str()];
        checksum_of(sums.chain(others))
    }

    /// Builds the modules against the unpacked `headers`, and archives them. Cost: 350 s of a core
    /// for 2.1.11 on Linux 6.1, two thirds of which use all cores.
    pub(crate) fn build(
        &self,
        headers: &Path,
        release: &str,
        compiler: &Compiler,
        store: &FileStore,
    ) -> Result<Archive, LabError> {
        let began = Instant::now();
        let attempted = format!("build ZFS {} for kernel {release}", self.version());
        let usr = headers.join("usr/src");
        let configured = usr.join(format!("linux-headers-{release}"));
        let common = common_headers(&usr).unwrap_or_else(|| configured.clone());
        let configure = Call::new(&self.source.join("configure"))
            .current_dir(&self.source)
            .args(["--quiet", "--prefix=/usr", "--with-config=kernel"])
            .arg(format!("--with-linux={}", common.display()))
            .arg(format!("--with-linux-obj={}", configured.display()))
            .envs(compiler.variables());
        run(configure, &attempted)?;
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        // BTF needs the kernel's vmlinux, which is not here.
        let make = MAKE
            .call(["-s", "CONFIG_DEBUG_INFO_BTF_MODULES="])
            .arg(format!("-j{cores}"))
            .current_dir(&self.source)
            .envs(compiler.variables())
            .appending();
        run(make, &attempted)?;

        let directory = store.work()?;
        let made = directory.path().join("modules");
        std::fs::create_dir(&made).map_err(LabError::file("create", &made))?;
        for module in modules_below(&self.source.join("module"))? {
            let name = module.file_name().unwrap_or_default();
            let strip = STRIP.call(["-g", "-o"]).arg(made.join(name)).arg(&module);
            run(strip, "strip a module of ZFS")?;
        }
        let build = ZfsBuild {
            version: self.version().to_owned(),
            built_in_s: began.elapsed().as_secs(),
        };
        let file = made.join(BUILD_FILE);
        serde_json::to_vec(&build)
            .map_err(std::io::Error::from)
            .and_then(|text| std::fs::write(&file, text))
            .map_err(LabError::file("write", &file))?;
        let path = directory.path().join("modules.tar");
        let pack = TAR.call(["-c", "-C"]).arg(&made).arg("-f").arg(&path);
        run(pack.arg("."), "archive the modules of ZFS")?;
        Ok(Archive {
            path,
            _directory: directory,
        })
    }

    /// Unpacks an archive of modules into `directory`, and returns how they were built.
    pub(crate) fn install(&self, archive: &Path, directory: &Path) -> Result<ZfsBuild, LabError> {
        std::fs::create_dir_all(directory).map_err(LabError::file("create", directory))?;
        let call = TAR.call(["-x", "--no-same-owner", "-C"]).arg(directory);
        run(call.arg("-f").arg(archive), "unpack the modules of ZFS")?;
        let file = directory.join(BUILD_FILE);
        std::fs::read(&file)
            .and_then(|text| serde_json::from_slice(&text).map_err(std::io::Error::from))
            .map_err(LabError::file("read", &file))
    }
}

fn unusable(problem: &str) -> LabError {
    LabError::Package {
        package: SOURCE.to_owned(),
        problem: problem.to_owned(),
    }
}

fn backports(repository: &Repository) -> String {
    format!("{}-backports", repository.release)
}

/// Returns the newest kernel that a version supports, from its file META.
fn maximum_of(meta: &str) -> Option<&str> {
    let mut lines = meta.lines();
    lines.find_map(|line| Some(line.strip_prefix("Linux-Maximum:")?.trim()))
}

/// Returns the directory of the source in an unpacked package: `usr/src/zfs-2.1.11`.
fn source_in(unpacked: &Path) -> Result<PathBuf, LabError> {
    let sources = unpacked.join("usr/src");
    let found = entries(&sources)?;
    let source = found.into_iter().find(|path| path.join("META").exists());
    source.ok_or_else(|| unusable("it has no source"))
}

/// Returns the headers that a distribution's kernels share, in `usr/src`.
fn common_headers(usr: &Path) -> Option<PathBuf> {
    let is_common = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with("-common"));
    entries(usr).ok()?.into_iter().find(is_common)
}

/// Returns the modules in the directories below `directory`, or in it.
fn modules_below(directory: &Path) -> Result<Vec<PathBuf>, LabError> {
    let mut found = entries(directory)?;
    for place in found.clone() {
        if place.is_dir() {
            found.extend(entries(&place)?);
        }
    }
    found.retain(|path| path.extension().is_some_and(|end| end == "ko"));
    match found.is_empty() {
        true => Err(unusable("its build makes no modules")),
        false => Ok(found),
    }
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, LabError> {
    let listed = std::fs::read_dir(directory).map_err(LabError::file("read", directory))?;
    Ok(listed.flatten().map(|entry| entry.path()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_supported_kernels_are_read_from_meta() {
        let meta = "Name:          zfs\nLinux-Maximum: 6.2\nLinux-Minimum: 3.10\n";
        assert_eq!(maximum_of(meta), Some("6.2"));
        assert_eq!(maximum_of("Name: zfs\n"), None);
    }
}
