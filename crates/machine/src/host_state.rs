//! Host conditions that can spoil a sample: heat, a lowered clock, a busy array.
//!
//! **Why not the current clock.** The obvious value, `scaling_cur_freq` before and after a sample,
//! is read while the machine is idle: it shows how deep the CPUs slept, not how fast they ran. On
//! x86 it is an average since the last reading (arch/x86/kernel/cpu/aperfmperf.c). Kernels 4.13 to
//! 5.17 also sleep 10 or 20 ms *per CPU* in it if the last reading is old, which would disturb the
//! sample. So we read unambiguous values:
//!
//! - counters of thermal throttling, which only rise (`thermal_throttle/core_throttle_count` and
//!   `package_throttle_count`, Intel: Documentation/ABI/testing/sysfs-devices-system-cpu);
//! - the highest *allowed* clock of each CPU. Thermal cooling on ARM and AMD, firmware, power
//!   daemons and a pulled power plug lower it. It is the same on idle and busy CPUs
//!   (`scaling_max_freq`, `bios_limit`, and with `intel_pstate/no_turbo` the `base_frequency`:
//!   Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst).
//!
//! A clock that falls for other reasons (a shared power budget, a slow governor) is not detected
//! here; it appears as drift of the samples.

use std::collections::BTreeMap;

use stripewise_study::facts::Facts;
use stripewise_study::warning::Warning;

use crate::arrays::{ArrayState, Md, busy_with};
use crate::cpu::cpu_policies;
use crate::order::order_key;
use crate::root::Root;

/// The clock counts as fallen below this share of its earlier value.
const FREQUENCY_LEFT_PERCENT_MIN: u64 = 90;

/// The state of the host at one time, as far as it can spoil a sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostState {
    /// For each cpufreq policy: the highest allowed frequency, in kHz.
    frequency_ceiling_khz: BTreeMap<String, u64>,
    /// For each CPU: its thermal throttling events since boot.
    throttles: BTreeMap<String, Throttles>,
    /// For each array.
    arrays: BTreeMap<String, ArrayState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Throttles {
    /// Events of this CPU's core alone.
    core: u64,
    /// Events of the whole package; every CPU in it counts them.
    package: u64,
}

impl HostState {
    /// Reads the state; `arrays` are those to watch ([`crate::arrays_on_target_disks`]).
    ///
    /// Cost: three small files for each CPU and two for each array, 3 to 8 microseconds each: well
    /// below 1 ms up to some 32 CPUs.
    pub fn read(root: &Root, arrays: &[String]) -> Self {
        Self {
            frequency_ceiling_khz: frequency_ceilings(root),
            throttles: throttles(root),
            arrays: arrays
                .iter()
                .map(|name| (name.clone(), Md::new(root, name).state()))
                .collect(),
        }
    }

    /// Returns warnings about changes between `self` and `after`, or activity in either.
    ///
    /// [`Warning::FrequencyFell`] if the highest allowed clock of a CPU fell below 90 %: with the
    /// clocks of the CPUs that lost most. [`Warning::Throttled`] with the sum over the cores, or
    /// the packages' own count if only they were throttled. [`Warning::ArrayBusy`] if an array was
    /// busy before *or* after.
    pub fn compare(&self, after: &HostState) -> Vec<Warning> {
        let mut warnings = Vec::new();
        warnings.extend(self.frequency_fell(after));
        warnings.extend(self.throttled(after));
        for (name, before) in &self.arrays {
            let Some(after) = after.arrays.get(name) else {
                continue;
            };
            let action = busy_with(before.sync_action.as_deref())
                .or_else(|| busy_with(after.sync_action.as_deref()));
            warnings.extend(action.map(|action| Warning::ArrayBusy {
                array: name.clone(),
                action: action.to_owned(),
            }));
        }
        warnings
    }

    /// Returns [`Warning::ArrayLostMembers`] for each array that lacks more members than in
    /// `facts`.
    ///
    /// The comparison is with the start of the run, not of the sample: a member lost in an earlier
    /// sample degrades this one, too.
    pub fn lost_members(&self, facts: &Facts) -> Vec<Warning> {
        let lost = self.arrays.iter().filter_map(|(name, state)| {
            let missing_count = state.degraded_count.unwrap_or(0);
            let before = facts.arrays.iter().find(|array| array.name == *name)?;
            (missing_count > before.degraded_count.unwrap_or(0)).then(|| {
                Warning::ArrayLostMembers {
                    array: name.clone(),
                    missing_count,
                }
            })
        });
        lost.collect()
    }

    /// Returns the greatest relative fall of a ceiling, if it exceeds the limit.
    fn frequency_fell(&self, after: &HostState) -> Option<Warning> {
        let left_percent = |(before, after): &(u64, u64)| after.saturating_mul(100) / before;
        let (before_khz, after_khz) = self
            .frequency_ceiling_khz
            .iter()
            .filter_map(|(policy, before)| {
                Some((*before, *after.frequency_ceiling_khz.get(policy)?))
            })
            .min_by_key(left_percent)?;
        (left_percent(&(before_khz, after_khz)) < FREQUENCY_LEFT_PERCENT_MIN).then_some(
            Warning::FrequencyFell {
                before_khz,
                after_khz,
            },
        )
    }

    fn throttled(&self, after: &HostState) -> Option<Warning> {
        let mut core_count: u64 = 0;
        let mut package_count: u64 = 0;
        for (cpu, before) in &self.throttles {
            let Some(after) = after.throttles.get(cpu) else {
                continue;
            };
            core_count = core_count.saturating_add(after.core.saturating_sub(before.core));
            package_count = package_count.max(after.package.saturating_sub(before.package));
        }
        let count = core_count.max(package_count);
        (count > 0).then_some(Warning::Throttled { count })
    }
}

/// Returns the highest allowed frequency of each policy; skips values of 0.
fn frequency_ceilings(root: &Root) -> BTreeMap<String, u64> {
    let policies = cpu_policies(root);
    let mut files = vec!["scaling_max_freq"];
    // The driver sets a firmware limit for all CPUs or for none.
    if let Some(first) = policies.first()
        && root.exists(format!("{first}/bios_limit"))
    {
        files.push("bios_limit");
    }
    if root.number("/sys/devices/system/cpu/intel_pstate/no_turbo") == Some(1) {
        files.push("base_frequency");
    }
    let ceiling = |policy: String| {
        let khz = files
            .iter()
            .filter_map(|file| root.number(format!("{policy}/{file}")))
            .filter(|khz| *khz > 0)
            .min()?;
        Some((policy, khz))
    };
    policies.into_iter().filter_map(ceiling).collect()
}

/// Returns the throttling counts of each CPU; empty if the CPU has no such counters.
fn throttles(root: &Root) -> BTreeMap<String, Throttles> {
    const FOLDER: &str = "/sys/devices/system/cpu";
    let mut names = root.list(FOLDER);
    names.retain(|name| {
        name.strip_prefix("cpu")
            .is_some_and(|number| number.parse::<u32>().is_ok())
    });
    names.sort_by_cached_key(|name| order_key(name));
    let mut throttles = BTreeMap::new();
    for name in names {
        let count = |scope| {
            root.number(format!(
                "{FOLDER}/{name}/thermal_throttle/{scope}_throttle_count"
            ))
        };
        let (core, package) = (count("core"), count("package"));
        if core.is_none() && package.is_none() {
            // All CPUs of a machine have the same counters; skip offline ones.
            if throttles.is_empty() {
                break;
            }
            continue;
        }
        throttles.insert(
            name,
            Throttles {
                core: core.unwrap_or(0),
                package: package.unwrap_or(0),
            },
        );
    }
    throttles
}
