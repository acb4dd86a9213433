//! What the lab needs, what of it is there, and how guests would run.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cache::Cache;
use crate::clock::{Clock, Kvm};
use crate::error::LabError;
use crate::programs::{NEEDS, Need, version_of};
use crate::recipe::recipe_sha256;

/// What preparing a guest takes in the cache, downloads included.
const SPACE_NEEDED_BYTES: u64 = 1 << 30;
/// What a guest and QEMU take, with nothing on its disks.
const MEMORY_NEEDED_BYTES: u64 = 1536 << 20;

/// A program and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramState {
    /// Its name.
    pub program: &'static str,
    /// What it is needed for.
    pub purpose: &'static str,
    /// Debian's package that brings it.
    pub package: &'static str,
    /// Where it is; nothing if it is missing.
    pub path: Option<PathBuf>,
    /// What it says its version is.
    pub version: Option<String>,
    /// Whether every guest needs it; if not, some kernels do.
    pub is_required: bool,
}

/// A guest in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuestState {
    /// The kernel release.
    pub kernel: String,
    /// Whether it is used where no kernel is named.
    pub is_default: bool,
    /// Whether this version of the program made it; if not, it must be prepared anew.
    pub is_current: bool,
    /// What it takes in the cache.
    pub bytes: u64,
}

/// Space or memory: what there is and what is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Room {
    /// What there is; nothing if that cannot be told.
    pub available_bytes: Option<u64>,
    /// What is needed.
    pub needed_bytes: u64,
}

/// What the lab needs and what of it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The kind of this machine's processor.
    pub architecture: &'static str,
    /// The programs.
    pub programs: Vec<ProgramState>,
    /// The cache.
    pub cache: PathBuf,
    /// Free space where the cache is.
    pub space: Room,
    /// The machine's memory that is free.
    pub memory: Room,
    /// Whether guests can run on this machine's own processor.
    pub kvm: Kvm,
    /// The clock of guests that measure.
    pub measuring_clock: Clock,
    /// The clock of guests where only the result counts.
    pub functional_clock: Clock,
    /// The guests that are prepared.
    pub guests: Vec<GuestState>,
}

impl Room {
    /// Returns whether there is certainly too little.
    pub fn is_too_small(&self) -> bool {
        self.available_bytes
            .is_some_and(|available| available < self.needed_bytes)
    }
}

impl Report {
    /// Looks at this machine and at `cache`. Cost: starts each program once; half a second.
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

    /// Returns whether nothing is missing; that a guest is not prepared yet is no lack.
    pub fn is_complete(&self) -> bool {
        check_architecture(self.architecture).is_ok()
            && self.missing_packages().is_empty()
            && !self.space.is_too_small()
            && !self.memory.is_too_small()
    }

    /// Returns the packages that bring what is missing, each once.
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

/// Checks that guests can run this program and what was prepared for them.
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

/// Returns how much memory this machine could give away, in bytes; nothing if that cannot be told.
pub fn available_memory() -> Option<u64> {
    memory("MemAvailable:")
}

/// Returns how much memory this machine has, in bytes; nothing if that cannot be told.
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
    fn another_processor_is_said_and_not_found_out_by_a_guest_that_does_not_start() {
        assert!(check_architecture("x86_64").is_ok());
        assert_eq!(
            check_architecture("aarch64").unwrap_err().to_string(),
            "failed to make a guest on this machine (aarch64): guests run this very program, and only x86-64 is known"
        );
    }
}
