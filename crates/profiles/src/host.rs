//! The host: the costs of the CPU and the uplink.
//!
//! A host profile is TOML. docs/model/layers.md lists its free numbers; the others are known, or listed as
//! assumed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::basis::Basis;

/// CPU times at the host's full clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuProfile {
    /// The cores on which tasks run.
    #[serde(default = "cores_default")]
    pub cores: u32,
    /// System call, filesystem look-up and set-up of one I/O.
    pub submit_ns: u64,
    /// One bio through one layer (volume, array, member queue).
    pub bio_ns: u64,
    /// Pinning and adding one 4 KiB page to a bio.
    pub page_ns: u64,
    /// Interrupt and completion of one request.
    pub completion_ns: u64,
    /// Waking the waiting task.
    pub wake_ns: u64,
    /// One pass of the parity thread over one 4 KiB stripe.
    pub stripe_ns: u64,
    /// The rate at which parity is computed.
    pub xor_bytes_per_s: u64,
    /// The rate at which the page cache is copied.
    pub copy_bytes_per_s: u64,
    /// What a filesystem adds to a direct I/O: its locks, and where the file's blocks are
    /// (`iomap_dio_rw`); 0 if other times contain it.
    #[serde(default)]
    pub filesystem_ns: u64,
    /// Putting one 4 KiB page that is read ahead into the page cache, and taking an old one out for it
    /// (`page_cache_ra_unbounded`, `shrink_folio_list`); 0 if other times contain it.
    #[serde(default)]
    pub cache_page_ns: u64,
    /// The rate at which ZFS computes its checksum; that of copies if not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fletcher4_bytes_per_s: Option<u64>,
    /// The rate at which fio makes random data; `None` if other times contain that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill_bytes_per_s: Option<u64>,
    /// An I/O scheduler's work on one request; 0 if other times contain it.
    #[serde(default)]
    pub scheduler_ns: u64,
    /// Handing requests to a worker of the block layer (`kblockd`), and going on after it; 0 if other
    /// times contain it.
    #[serde(default)]
    pub worker_ns: u64,
    /// How long a lock of a mirror that several cores want is held and handed over; 0 if they never
    /// wait for it.
    #[serde(default)]
    pub mirror_lock_ns: u64,
    /// The same for a parity array's lock (`device_lock`).
    #[serde(default)]
    pub parity_lock_ns: u64,
}

/// The cores of a host whose profile does not say.
const fn cores_default() -> u32 {
    8
}

/// The effect of a CPU frequency governor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GovernorProfile {
    /// The clock under a load that mostly waits for disks, in percent of the full clock.
    pub clock_percent: u32,
    /// The extra time to wake, because the CPU sleeps deeper.
    pub wake_extra_ns: u64,
}

/// What a processor's clocks are set through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PStates {
    /// Intel, with a model that `intel_pstate` knows, without HWP or with `intel_pstate=no_hwp`.
    Intel,
    /// Intel with HWP (Speed Shift).
    IntelHwp,
    /// Intel, with a model that `intel_pstate` does not know, or with `intel_pstate=disable`.
    IntelAcpi,
    /// AMD without CPPC, or a server.
    Amd,
    /// AMD with CPPC.
    AmdCppc,
}

/// An idle state of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CStateProfile {
    /// How long a core takes to leave it.
    pub exit_us: u32,
    /// How long it must last to be worth entering.
    pub residency_us: u32,
}

/// The clocks of a processor and its idle states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockProfile {
    /// What they are set through; with the kernel's version it gives the driver.
    pub p_states: PStates,
    /// The lowest clock.
    pub min_mhz: u32,
    /// The highest clock, at which `cpu` holds.
    pub max_mhz: u32,
    /// The distance between two clocks.
    #[serde(default = "step_default")]
    pub step_mhz: u32,
    /// How long a change takes, as the firmware says.
    #[serde(default = "transition_default")]
    pub transition_us: u32,
    /// The idle states, lightest first. Without any, waking up takes no more time than `cpu` says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub c_states: Vec<CStateProfile>,
}

const fn step_default() -> u32 {
    100
}

const fn transition_default() -> u32 {
    10
}

/// The path that all disks share: controller, DMI, PCIe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UplinkProfile {
    /// Its rate.
    pub bytes_per_s: u64,
}

/// How an adapter (HBA, RAID controller) reports completed commands.
///
/// Adapters coalesce interrupts: a completion waits for company, up to a delay. `CoalIntDelay` of
/// Smart Array controllers (`struct HostWrite` in hpsa_cmd.h) and `CoalescingTimeout` of Fusion-MPT
/// ones (`MPI2_IOCPAGE1_CONFIG_PAGE` in mpi2_cnfg.h) are such delays. With few commands outstanding
/// the firmware reports at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterProfile {
    /// Completions wait while at least this many commands are outstanding on the adapter, on all its
    /// disks together and including those that wait.
    pub outstanding_min: u32,
    /// The time from the first completion that waits to the interrupt, which reports all.
    pub delay_ns: u64,
    /// The shortest and the longest delay that the measurements allow; `None` if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ns_range: Option<[u64; 2]>,
    /// The time that the adapter needs for each command, one after the other.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub command_ns: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// The name of the adapter of disks whose stack names none.
pub const ADAPTER_DEFAULT: &str = "default";

/// The memory that matters to buffered I/O.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryProfile {
    /// The bytes that may be dirty before writers wait (`vm.dirty_ratio`).
    pub dirty_bytes_max: u64,
}

/// A host profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostProfile {
    /// The version of the format.
    pub schema: u32,
    /// Its name in studies.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Where the numbers come from.
    pub source: String,
    /// The basis of the numbers; `None` if the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The values that are assumed, not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// CPU times.
    pub cpu: CpuProfile,
    /// The uplink that all disks share; without it nothing limits them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uplink: Option<UplinkProfile>,
    /// The adapters that delay completions, by the name in a stack's `adapter`. Disks whose stack
    /// names none share [`ADAPTER_DEFAULT`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub adapter: BTreeMap<String, AdapterProfile>,
    /// The page cache.
    pub memory: MemoryProfile,
    /// The clocks, for governors that are not stated in `governor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockProfile>,
    /// The governor that applies if the conditions name none.
    pub governor_default: String,
    /// The stated effects of governors.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub governor: BTreeMap<String, GovernorProfile>,
}

/// The governors that the model can simulate on a host with clocks.
pub const GOVERNORS: [&str; 5] = [
    "conservative",
    "ondemand",
    "performance",
    "powersave",
    "schedutil",
];

impl HostProfile {
    /// Returns the adapter of a stack; `None` if nothing is known to delay its completions.
    pub fn adapter_of(&self, name: Option<&str>) -> Option<AdapterProfile> {
        self.adapter.get(name.unwrap_or(ADAPTER_DEFAULT)).copied()
    }

    /// Returns the names of the governors that are stated, or can be simulated with some kernel.
    pub fn governors(&self) -> impl Iterator<Item = &str> {
        let simulated = self.clock.iter().flat_map(|_| GOVERNORS);
        let stated = self.governor.keys().map(String::as_str);
        stated.chain(simulated.filter(|name| !self.governor.contains_key(*name)))
    }
}
