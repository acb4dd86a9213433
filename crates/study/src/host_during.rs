//! The state of the host during a sample: evidence, which no estimate uses.

use serde::{Deserialize, Serialize};

use crate::cpus::CpuSet;
use stripewise_units::Nanos;

/// The file of cpufreq that clocks were read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockFile {
    /// `scaling_cur_freq`: measured on x86 (`arch_freq_get_on_cpu`), elsewhere often the clock that
    /// was asked for.
    ScalingCurFreq,
    /// `cpuinfo_cur_freq`: from the hardware.
    CpuinfoCurFreq,
}

impl ClockFile {
    /// Both files, the better one first.
    pub const ALL: [ClockFile; 2] = [ClockFile::ScalingCurFreq, ClockFile::CpuinfoCurFreq];

    /// Returns the name of the file.
    pub const fn file(self) -> &'static str {
        match self {
            ClockFile::ScalingCurFreq => "scaling_cur_freq",
            ClockFile::CpuinfoCurFreq => "cpuinfo_cur_freq",
        }
    }
}

/// The state of the host during a sample. The lists have one entry for each CPU of `cpus`, in
/// order; a list is empty if the machine does not show its values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostDuring {
    /// The CPUs that were online before and after; `None` if the kernel did not list them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<CpuSet>,
    /// The time of each CPU in user mode.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_user_ns: Vec<Nanos>,
    /// The time of each CPU in the kernel, with its interrupts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_system_ns: Vec<Nanos>,
    /// The interrupts of each CPU, of all kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_interrupts: Vec<u64>,
    /// The highest clock read on each CPU, in kHz; zero if it could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_clock_max_khz: Vec<u64>,
    /// Where the clocks were read; `None` if the machine shows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_file: Option<ClockFile>,
    /// How often clocks and temperatures were read during the sample.
    pub readings: u32,
    /// The highest temperature that a sensor of the processor showed, in thousandths of a degree
    /// Celsius; `None` if the machine shows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_max_millicelsius: Option<i64>,
    /// The load average of the last minute after the sample, in hundredths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average_hundredths: Option<u64>,
    /// The CPUs on which the load ran, if the study asked for some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_cpus: Option<CpuSet>,
    /// The `sync` calls beside the load.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub syncs: u32,
    /// The flushes of the device under test beside the load.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flushes: u32,
}

impl HostDuring {
    /// Returns the highest clock read on any CPU, in kHz.
    pub fn clock_max_khz(&self) -> Option<u64> {
        self.cpu_clock_max_khz
            .iter()
            .copied()
            .max()
            .filter(|khz| *khz > 0)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}
