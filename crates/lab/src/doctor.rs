//! Checks the lab's requirements on this machine and how guests would run.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cache::Cache;
use crate::clock::{Clock, Kvm};
use crate::error::LabError;
use crate::programs::{NEEDS, Need, version_of};
use crate::recipe::recipe_sha256;

/// The space that preparing a guest needs in the cache, including downloads.
const SPACE_NEEDED_BYTES: u64 = 1 << 30;
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
    /// Whether it is used if the user names no kernel.
    pub is_default: bool,
    /// Whether its recipe is this program's; if not, it must be prepared again.
    pub is_current: bool,
    /// Its size in the cache.
    pub bytes: u64,
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
pub struct Report {
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
    /// The guests that are prepared.
    pub guests: Vec<GuestState>,
}

impl Room {
    /// Returns whether the available amount is known and too small.
    pub fn is_too_small(&self) -> bool {
        self.available_bytes
            .is_some_and(|available| available < self.needed_bytes)
    }
}

impl Report {
    /// Examines this machine and `cache`. Cost: starts each program once; half a second.
    pub fn new(cache: &Cache) -> Self {
        let kvm = Kvm::probe();
        let recipe = recipe_sha256();
        let default = cache.find(None, &recipe).ok();
        let guests = cache.guests().into_iter().map(|guest| GuestState {
            is_default: default.as_ref() == Some(&guest),
            is_current: guest.manifest.recipe_sha256 == recipe,
            bytes: guest.manifest.files.values().map(|file| file.bytes).sum(),
            kernel: guest.manifest.kernel,
        });
        Self {
            architecture: ARCH,
            programs: NEEDS.iter().map(state).collect(),
            cache: cache.path().to_owned(),
            space: Room {
                available_bytes: free_bytes(cache.path()),
                needed_bytes: SPACE_NEEDED_BYTES,
            },
            memory: Room {
                available_bytes: available_memory(),
                needed_bytes: MEMORY_NEEDED_BYTES,
            },
            measuring_clock: Clock::Virtual,
            functional_clock: kvm.functional_clock(),
            kvm,
            guests: guests.collect(),
        }
    }

    /// Returns whether nothing is missing; a prepared guest is not required.
    pub fn is_complete(&self) -> bool {
        check_architecture(self.architecture).is_ok()
            && self.missing_packages().is_empty()
            && !self.space.is_too_small()
            && !self.memory.is_too_small()
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
    memory("MemAvailable:")
}

/// Returns the total memory of this machine in bytes; `None` if unknown.
pub fn total_memory() -> Option<u64> {
    memory("MemTotal:")
}

fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_architecture_is_refused_before_a_guest_starts() {
        assert!(check_architecture("x86_64").is_ok());
        assert_eq!(
            check_architecture("aarch64").unwrap_err().to_string(),
            "failed to create a guest on this machine (aarch64): guests run this same program, and only x86-64 is supported"
        );
    }
}
