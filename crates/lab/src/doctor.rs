//! Checks the lab's requirements on this machine and how guests would run.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stripewise_machine::{Root, memory_bytes};
use stripewise_study::guest_clock::Clock;

use crate::cache::{Cache, Prepared, prepare_command};
use crate::clock::Kvm;
use crate::error::LabError;
use crate::extra::Extra;
use crate::kernel;
use crate::kernel_needs::KernelNeeds;
use crate::kernel_source::KernelSource;
use crate::manifest::{MANIFEST_FILE, Manifest, ZfsBuild};
use crate::programs::{HEADER, HEADER_PACKAGE, NEEDS, Need, version_of};
use crate::recipe::{Request, recipe_sha256};

/// The space that preparing a guest needs in the cache. Debian's 6.12 takes 510 MiB at most: lists of
/// packages, downloads, the unpacked packages, and the images.
const SPACE_NEEDED_BYTES: u64 = 640 << 20;
/// What tools of another suite need in addition: its lists take 130 MiB, and its packages as much.
const TOOLS_NEEDED_BYTES: u64 = 384 << 20;
/// What building ZFS needs in addition: for 6.1 its objects, with debug information, take 417 MiB.
const ZFS_NEEDED_BYTES: u64 = 512 << 20;
/// What an unpacked compiler needs in addition: gcc-16 with its packages takes 337 MiB.
const COMPILER_NEEDED_BYTES: u64 = 512 << 20;
/// What a database needs in addition.
const DATABASE_NEEDED_BYTES: u64 = 128 << 20;
/// The memory of a guest and QEMU with empty disks.
const MEMORY_NEEDED_BYTES: u64 = 1536 << 20;

/// A program and whether it is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramState {
    /// Its name.
    pub program: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// The Debian package that contains it.
    pub package: &'static str,
    /// Its path; `None` if it is missing.
    pub path: Option<PathBuf>,
    /// The version that it prints.
    pub version: Option<String>,
    /// Whether every guest needs it; if not, some kernels do.
    pub is_required: bool,
}

/// A guest in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuestState {
    /// The kernel release.
    pub kernel: String,
    /// Its name, which `--kernel` takes.
    pub name: String,
    /// The options of `lab prepare` that name where kernel and tools come from; empty for the machine's
    /// own package sources.
    pub made_from: String,
    /// Whether it is used if the user names no kernel.
    pub is_default: bool,
    /// Whether its recipe is this program's; if not, it must be prepared again.
    pub is_current: bool,
    /// Its size in the cache.
    pub bytes: u64,
    /// The first file that is missing or differs from its checksum; `None` if all are intact.
    pub damaged_file: Option<PathBuf>,
    /// ZFS, if the guest has it.
    pub zfs: Option<ZfsBuild>,
    /// The version of each database that the guest has.
    pub databases: BTreeMap<Extra, String>,
    /// The command that prepares it again.
    pub prepare_command: String,
}

/// Available and needed space or memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Room {
    /// The available amount; `None` if unknown.
    pub available_bytes: Option<u64>,
    /// The needed amount.
    pub needed_bytes: u64,
}

/// The lab's requirements and their state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorReport {
    /// This machine's CPU architecture.
    pub architecture: &'static str,
    /// The programs.
    pub programs: Vec<ProgramState>,
    /// The cache.
    pub cache: PathBuf,
    /// Free space on the cache's filesystem.
    pub space: Room,
    /// The machine's available memory.
    pub memory: Room,
    /// Whether guests can run with KVM.
    pub kvm: Kvm,
    /// The clock of guests that measure.
    pub measuring_clock: Clock,
    /// The clock of guests where only the result counts.
    pub functional_clock: Clock,
    /// The guests that are prepared, the newest kernel first, and those that are damaged.
    pub guests: Vec<GuestState>,
    /// The command that prepares a guest in this cache.
    pub prepare_command: String,
    /// The command that prepares one with ZFS.
    pub zfs_command: String,
    /// What the guest of a kernel is prepared from, if one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelNeeds>,
}

impl Room {
    /// Returns whether the available amount is known and too small.
    pub fn is_too_small(&self) -> bool {
        self.available_bytes
            .is_some_and(|available| available < self.needed_bytes)
    }
}

impl DoctorReport {
    /// Examines this machine and `cache`, for the guest of `request`. Cost: starts each program once,
    /// which takes half a second, boots a kernel where KVM seems to work, and reads each guest once,
    /// 130 MB.
    pub fn new(cache: &Cache, request: &Request) -> Self {
        let guest = cache.guests().into_iter().next();
        let kernel = guest.and_then(|guest| cache.kernel_file(&guest.name()));
        let kvm = Kvm::probe(kernel.as_deref());
        Self {
            architecture: ARCH,
            programs: NEEDS.iter().map(state).chain([header()]).collect(),
            cache: cache.path().to_owned(),
            space: space(cache.path(), request),
            memory: Room {
                available_bytes: available_memory(),
                needed_bytes: MEMORY_NEEDED_BYTES,
            },
            measuring_clock: Clock::Virtual,
            functional_clock: kvm.functional_clock(),
            kvm,
            guests: guests(cache, &recipe_sha256()),
            prepare_command: prepare_command(None, cache.path()),
            zfs_command: prepare_command(None, cache.path()) + " --with zfs",
            kernel: None,
        }
    }

    /// Returns whether nothing is missing or damaged; a prepared guest is not required.
    pub fn is_complete(&self) -> bool {
        let is_intact = |guest: &GuestState| guest.damaged_file.is_none();
        check_architecture(self.architecture).is_ok()
            && self.missing_packages().is_empty()
            && !self.space.is_too_small()
            && !self.memory.is_too_small()
            && self.guests.iter().all(is_intact)
            && self.kernel.as_ref().is_none_or(KernelNeeds::is_complete)
    }

    /// Returns the packages of the missing programs, without duplicates.
    pub fn missing_packages(&self) -> Vec<&'static str> {
        let missing = self
            .programs
            .iter()
            .filter(|program| program.is_required && program.path.is_none());
        let mut packages: Vec<&str> = missing.map(|program| program.package).collect();
        packages.sort_unstable();
        packages.dedup();
        packages
    }
}

fn state(need: &Need) -> ProgramState {
    ProgramState {
        program: need.program.name,
        purpose: need.purpose,
        package: need.program.package,
        path: need.program.find().ok(),
        version: version_of(need.program.call([need.version_argument])),
        is_required: need.is_required,
    }
}

/// Returns the state of the C library's headers, as of a program.
fn header() -> ProgramState {
    let path = PathBuf::from(HEADER);
    ProgramState {
        program: "libc-headers",
        purpose: "builds ZFS",
        package: HEADER_PACKAGE,
        path: path.exists().then_some(path),
        version: None,
        is_required: false,
    }
}

/// Examines the guests of a cache; `recipe` is this program's.
fn guests(cache: &Cache, recipe: &str) -> Vec<GuestState> {
    let default = cache.find(None, recipe).ok();
    let mut guests: Vec<GuestState> = cache
        .guest_directories()
        .map(|directory| {
            let Some(manifest) = Manifest::read(&directory) else {
                return without_manifest(cache, &directory);
            };
            let guest = Prepared {
                directory,
                manifest,
            };
            let made_from = guest.manifest.made_from().options();
            GuestState {
                name: guest.name(),
                made_from: made_from.trim_start().to_owned(),
                is_default: default.as_ref() == Some(&guest),
                is_current: guest.manifest.recipe_sha256 == recipe,
                bytes: guest.manifest.files.values().map(|file| file.bytes).sum(),
                damaged_file: guest.manifest.damaged_file(&guest.directory),
                prepare_command: guest.prepare_command(),
                databases: databases(&guest.manifest),
                zfs: guest.manifest.zfs,
                kernel: guest.manifest.kernel,
            }
        })
        .collect();
    guests.sort_by(|left, right| {
        kernel::compare(&right.kernel, &left.kernel).then_with(|| left.name.cmp(&right.name))
    });
    guests
}

/// Returns the release in the name of a guest.
fn release_of(name: &str) -> &str {
    name.split_once('@').map_or(name, |(release, _)| release)
}

/// Returns the databases of a guest with their versions.
fn databases(manifest: &Manifest) -> BTreeMap<Extra, String> {
    let databases = [Extra::MariaDb, Extra::PostgreSql].into_iter();
    let found = databases.filter_map(|extra| Some((extra, manifest.extra_version(extra)?)));
    found
        .map(|(extra, version)| (extra, version.to_owned()))
        .collect()
}

/// Returns the state of a guest without a readable manifest.
fn without_manifest(cache: &Cache, directory: &Path) -> GuestState {
    let kernel = directory.file_name().unwrap_or_default().to_string_lossy();
    GuestState {
        is_default: false,
        is_current: false,
        bytes: 0,
        damaged_file: Some(directory.join(MANIFEST_FILE)),
        zfs: None,
        databases: BTreeMap::new(),
        prepare_command: prepare_command(Some(release_of(&kernel)), cache.path()),
        kernel: release_of(&kernel).to_owned(),
        name: kernel.into_owned(),
        made_from: String::new(),
    }
}

/// Returns the free space for a cache, and the space that preparing a guest takes there.
fn space(cache: &Path, request: &Request) -> Room {
    // The compiler may come from a package, too, if the kernel does not come from the machine's sources.
    let compiler = match request.source == KernelSource::default() {
        true => 0,
        false => COMPILER_NEEDED_BYTES,
    };
    let tools = request.tools.as_ref().map_or(0, |_| TOOLS_NEEDED_BYTES);
    let extras = request.extras.iter().map(|extra| match extra {
        Extra::Zfs => ZFS_NEEDED_BYTES,
        Extra::MariaDb | Extra::PostgreSql => DATABASE_NEEDED_BYTES,
    });
    Room {
        available_bytes: free_bytes(cache),
        needed_bytes: SPACE_NEEDED_BYTES + compiler + tools + extras.sum::<u64>(),
    }
}

/// Checks that the guest of `request` can be prepared in `cache` without filling its filesystem.
///
/// # Errors
/// [`LabError::NoSpace`] if it would.
pub(crate) fn check_space(cache: &Path, request: &Request) -> Result<(), LabError> {
    has_room(cache, space(cache, request))
}

fn has_room(cache: &Path, room: Room) -> Result<(), LabError> {
    match room.available_bytes {
        Some(free_bytes) if room.is_too_small() => Err(LabError::NoSpace {
            path: cache.to_owned(),
            needed_bytes: room.needed_bytes,
            free_bytes,
        }),
        _ => Ok(()),
    }
}

/// Checks that guests can run on this architecture.
///
/// # Errors
/// [`LabError::Architecture`] on everything but x86-64.
pub(crate) fn check_architecture(found: &'static str) -> Result<(), LabError> {
    match found {
        "x86_64" => Ok(()),
        found => Err(LabError::Architecture { found }),
    }
}

/// Returns the free space of the filesystem that a path is or would be on.
fn free_bytes(path: &Path) -> Option<u64> {
    let found = path
        .ancestors()
        .find_map(|path| rustix::fs::statvfs(path).ok())?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Returns the available memory of this machine in bytes; `None` if unknown.
pub fn available_memory() -> Option<u64> {
    memory_bytes(&Root::live(), "MemAvailable").ok()
}

/// Returns the total memory of this machine in bytes; `None` if unknown.
pub fn total_memory() -> Option<u64> {
    memory_bytes(&Root::live(), "MemTotal").ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::checksum;

    #[test]
    fn too_little_space_is_refused_with_both_numbers() {
        let room = |available_bytes| Room {
            available_bytes,
            needed_bytes: 512 << 20,
        };
        let cache = Path::new("/cache");
        assert!(has_room(cache, room(None)).is_ok());
        assert!(has_room(cache, room(Some(512 << 20))).is_ok());
        assert_eq!(
            has_room(cache, room(Some(100 << 20)))
                .unwrap_err()
                .to_string(),
            "failed to prepare a guest in `/cache`: that takes 512 MiB of disk space, and 100 MiB are free"
        );
    }

    #[test]
    fn what_comes_from_another_suite_needs_space_too() {
        let needed = |request: &Request| space(Path::new("/"), request).needed_bytes >> 20;
        let own = Request::default();
        assert_eq!(needed(&own), 640);
        let tools = Request {
            tools: Some("sid".to_owned()),
            ..Request::default()
        };
        assert_eq!(needed(&tools), 1024);
        let tree = Request {
            source: KernelSource {
                tree: Some("/srv/tree".into()),
                ..KernelSource::default()
            },
            ..Request::default()
        };
        assert_eq!(needed(&tree), 1152);
    }

    #[test]
    fn a_damaged_guest_is_named_with_its_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let make = |kernel: &str, is_default| {
            let directory = folder.path().join("guests").join(kernel);
            std::fs::create_dir_all(&directory).unwrap();
            let root = directory.join("root.img");
            std::fs::write(&root, "all is well").unwrap();
            let manifest = Manifest {
                is_default,
                recipe_sha256: "recipe".to_owned(),
                sources_sha256: (!is_default).then(String::new),
                kernel_options: if is_default {
                    String::new()
                } else {
                    " --suite sid".to_owned()
                },
                files: BTreeMap::from([("root.img".to_owned(), checksum(&root).unwrap())]),
                ..Manifest::of_kernel(kernel)
            };
            manifest.write(&directory).unwrap();
            root
        };
        let differs = make("6.12.1-cloud-amd64", true);
        let lost = make("6.1.0-1-cloud-amd64", false);
        make("5.10.0-1-cloud-amd64", true);
        let no_manifest = folder.path().join("guests/4.19.0-1-cloud-amd64");
        std::fs::create_dir(&no_manifest).unwrap();
        std::fs::write(&differs, "all is hell").unwrap();
        std::fs::remove_file(&lost).unwrap();
        let found = guests(&cache, "recipe");
        let damaged: Vec<Option<PathBuf>> = found
            .iter()
            .map(|guest| guest.damaged_file.clone())
            .collect();
        let manifest = no_manifest.join(MANIFEST_FILE);
        assert_eq!(damaged, [Some(differs), Some(lost), None, Some(manifest)]);
        let cache = folder.path().display();
        let commands: Vec<&str> = found
            .iter()
            .map(|guest| guest.prepare_command.as_str())
            .collect();
        let prepare = "stripewise lab prepare";
        assert_eq!(
            commands,
            [
                format!("{prepare} --cache {cache}"),
                format!("{prepare} --kernel 6.1.0-1-cloud-amd64 --cache {cache} --suite sid"),
                format!("{prepare} --cache {cache}"),
                format!("{prepare} --kernel 4.19.0-1-cloud-amd64 --cache {cache}"),
            ]
        );
    }

    #[test]
    fn another_architecture_is_refused_before_a_guest_starts() {
        assert!(check_architecture("x86_64").is_ok());
        assert_eq!(
            check_architecture("aarch64").unwrap_err().to_string(),
            "failed to create a guest on this machine (aarch64): guests run this same program, and only x86-64 is supported"
        );
    }
}
