//! The settings of md and of queues that a study sets: what they change in the simulation, and
//! refusals of those that it does not simulate.
//!
//! The table is [`stripewise_study::tunable`]. Where a setting acts:
//!
//! - `stripe_cache_size`, `rmw_level`: the stripe cache, from the first I/O on.
//! - `sync_speed_min`, `sync_speed_max`: every rebuild (`md_do_sync`), unless a failure has its own.
//! - `safe_mode_delay`: ticks of the clock, rounded down, one at least (`safe_delay_store`).
//! - `write_mostly`: the choice of a raid1 (`read_balance`).
//! - `read_ahead`: the windows of the page cache.
//! - `nr_requests`: with `none` the commands that a drive gets, else the requests among which the
//!   scheduler chooses (`blk_mq_update_nr_requests`).
//! - `max_sectors_kb`: where bios are cut (`limits.rs`).

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::ClockProfile;
use stripewise_profiles::kernel::{ParityPolicy, Policy, RmwLevel};
use stripewise_study::failure::Failure;
use stripewise_study::keys::Backend;
use stripewise_study::stack::{Array, ArraySettings, Level};
use stripewise_study::tunable::{InModel, Setting};
use stripewise_units::Bytes;

use super::Setup;
use super::layers::Mapping;
use super::safe_mode::SafeMode;
use super::scheduler::Kind;
use super::setup::SetupError;
use crate::array::balance::Head;
use crate::array::parity::{CACHE_STRIPES, CACHE_STRIPES_MAX};
use crate::array::resync::SpeedLimits;
use crate::units::Sectors;

const LEAVE_OUT: &str = "leave it out, or use `--world metal` or `--world lab`, which set it";
const NEWER: &str = "leave it out, or name a newer `kernel`";
const LESS: &str = "use a smaller number, or raise the limit in the device profile";

/// A refusal of a setting.
fn refused(problem: String, hint: &'static str) -> SetupError {
    SetupError::Setting { problem, hint }
}

impl Setup<'_> {
    /// Returns what the study says of the running array.
    fn array_settings(&self) -> Option<&ArraySettings> {
        self.stack.array.as_ref().map(|array| &array.settings)
    }

    /// Returns the first key of a load, or condition of the processor or of the kernel, of which
    /// nothing is known.
    pub(super) fn unknown_condition(&self) -> Option<String> {
        let it = self.conditions;
        let bounds_states = |clock: &ClockProfile| !clock.c_states.is_empty();
        let latency = match self.simulated_clock().is_some_and(bounds_states) {
            true => None,
            false => it.cpu_dma_latency_us,
        };
        let of_host = it.refused_by(Backend::Model);
        let of_load = self
            .workload
            .loads()
            .find_map(|load| load.refused_by(Backend::Model));
        let sysctl = it.sysctl.keys().next();
        let keys = [
            of_host.map(|(key, value)| format!("`{}`", key.line(&value))),
            of_load.map(|(key, value)| format!("`{}`", key.line(&value))),
            latency.map(|us| format!("`cpu_dma_latency_us = {us}`")),
            sysctl.map(|name| format!("the kernel's parameter `{name}`")),
        ];
        keys.into_iter().flatten().next()
    }

    /// Refuses settings that would change the result and are not simulated, or that the kernel does
    /// not have.
    pub(super) fn check_settings(&self, policy: &Policy) -> Result<(), SetupError> {
        let of_array = self.array_settings().map(ArraySettings::numbers);
        let settings = of_array.into_iter().flatten();
        for setting in settings.chain(self.conditions.queue_settings()) {
            check_simulated(setting)?;
        }
        let policy_asked = self.array_settings().and_then(|it| it.consistency_policy);
        if policy_asked.is_some() {
            let problem = "the model does not simulate `consistency_policy`".to_owned();
            return Err(refused(problem, LEAVE_OUT));
        }
        let rmw_level = self.array_settings().and_then(|it| it.rmw_level);
        // One series of changes brought both (d06f191f8eca and 584acdd49cd2, 4.1).
        if rmw_level.is_some() && !policy.parity.raid6_rmw {
            let problem = format!("Linux {} has no `rmw_level`", self.kernel);
            return Err(refused(problem, NEWER));
        }
        let asked = self
            .conditions
            .max_sectors_kib
            .map(|kib| u64::from(kib) * 1024);
        for profile in &self.devices {
            let most = profile.request_bytes_max.unwrap_or(u64::MAX);
            if asked.is_some_and(|asked| asked > most) {
                let problem = format!(
                    "`max_sectors_kb` is above the longest request of `{}`, {} KiB",
                    profile.name,
                    most / 1024
                );
                return Err(refused(problem, LESS));
            }
        }
        Ok(())
    }

    /// Returns the longest request of a member, if it can do that: what the study says, or the
    /// kernel's own limit.
    pub(super) fn request_limit_bytes(&self, policy: &Policy) -> u64 {
        let kib = self.conditions.max_sectors_kib;
        u64::from(kib.unwrap_or(policy.member_request_max_kib)) * 1024
    }

    /// Returns the longest request that the study asks for.
    pub(super) fn asked_request(&self) -> Option<Sectors> {
        let kib = self.conditions.max_sectors_kib?;
        Some(Sectors::from_bytes(Bytes::new(u64::from(kib) * 1024)))
    }

    /// Returns how many requests a disk gets at once, and how many it and its scheduler hold.
    ///
    /// With `none` these are the tags of the drive's queue. A scheduler has tags of its own, which a
    /// request keeps until it is complete. The kernels before 5.0 count the requests of a disk with
    /// one queue for each direction (`request_list`).
    pub(super) fn requests_max(
        &self,
        policy: &Policy,
        profile: &DeviceProfile,
        scheduler: Kind,
    ) -> Result<(u32, u32), SetupError> {
        let depth = profile.queue_depth;
        let Some(asked) = self.conditions.nr_requests else {
            return Ok((depth, u32::MAX));
        };
        let has_many_queues = profile.model.link().full_duplex;
        if !policy.requests_are_tags && !has_many_queues {
            let problem = format!(
                "the model does not simulate `nr_requests` of disks with one queue on Linux {}",
                self.kernel
            );
            return Err(refused(problem, NEWER));
        }
        if scheduler == Kind::InOrder && asked > depth {
            let problem = format!(
                "`nr_requests` is above the queue depth of `{}`, {depth}, and the scheduler is `none`",
                profile.name
            );
            return Err(refused(problem, LESS));
        }
        Ok((depth.min(asked), asked))
    }

    /// Returns md's limits on the speed of a rebuild: those of its failure, of the array, or the
    /// kernel's.
    pub(super) fn speed_limits(&self, failure: Option<&Failure>) -> SpeedLimits {
        let array = self.array_settings();
        let min = failure
            .and_then(|failure| failure.sync_speed_min_bytes_per_s)
            .or(array.and_then(|array| array.sync_speed_min_bytes_per_s));
        let max = failure
            .and_then(|failure| failure.sync_speed_max_bytes_per_s)
            .or(array.and_then(|array| array.sync_speed_max_bytes_per_s));
        let kib = |speed: Option<Bytes>, default: u64| {
            speed.map_or(default, |speed| (speed.as_u64() / 1024).max(1))
        };
        let default = SpeedLimits::DEFAULT;
        SpeedLimits {
            min_kib: kib(min, default.min_kib),
            max_kib: kib(max, default.max_kib),
        }
    }

    /// Returns the clean state of an array that has one.
    pub(super) fn safe_mode(&self, policy: &Policy, has_clean_state: bool) -> Option<SafeMode> {
        let delay = self
            .array_settings()
            .and_then(|settings| settings.safe_mode_delay_ns);
        has_clean_state.then(|| SafeMode::new(policy.safe_mode_rounds_up, delay))
    }

    /// Returns what md knows of each member before the first I/O.
    pub(super) fn heads(&self, mapping: &Mapping) -> Vec<Head> {
        let is_raid1 = matches!(mapping, Mapping::Raid1(..));
        let heads = self.devices.iter().enumerate().map(|(index, profile)| {
            let optimal_io = Bytes::new(profile.optimal_io_bytes.unwrap_or(0));
            let mut head = Head::new(profile.rotational, Sectors::from_bytes(optimal_io));
            if is_raid1 {
                head = head.examined();
            }
            head.readable = !self.missing().any(|member| member.index() == index);
            head
        });
        let mut heads: Vec<Head> = heads.collect();
        mark_write_mostly(self.stack.array.as_ref(), &mut heads);
        heads
    }
}

/// Refuses a setting that the table says is not simulated.
fn check_simulated(setting: Setting) -> Result<(), SetupError> {
    let key = setting.tunable.key;
    match setting.tunable.model {
        InModel::Simulated => Ok(()),
        InModel::Only(number) if number == setting.number => Ok(()),
        InModel::Only(number) => {
            let only = setting.tunable.written(number);
            let problem = format!("the model simulates `{key} = {only}`, not `{setting}`");
            Err(refused(problem, LEAVE_OUT))
        }
        InModel::Refused => {
            let problem = format!("the model does not simulate `{key}`");
            Err(refused(problem, LEAVE_OUT))
        }
    }
}

/// Returns the stripes of the cache, and up to how many it grows. `stripe_cache_size` is the size to
/// which the kernel shrinks it (`min_nr_stripes`); an exhausted cache grows beyond it.
pub(super) fn cache_stripes(array: &Array, policy: ParityPolicy) -> (u32, u32) {
    let stripes = array.settings.stripe_cache_size.unwrap_or(CACHE_STRIPES);
    match policy.cache_grows {
        true => (stripes, CACHE_STRIPES_MAX.max(stripes)),
        false => (stripes, stripes),
    }
}

/// Returns the array's `rmw_level`: the study's, or 1 (`setup_conf`).
pub(super) fn rmw_level(array: &Array, policy: ParityPolicy) -> RmwLevel {
    match array.settings.rmw_level {
        _ if array.level == Level::Raid6 && !policy.raid6_rmw => RmwLevel::Disable,
        Some(0) => RmwLevel::Disable,
        Some(2) => RmwLevel::Prefer,
        Some(_) | None => RmwLevel::Enable,
    }
}

/// Marks the members of an array that are write-mostly.
pub(crate) fn mark_write_mostly(array: Option<&Array>, heads: &mut [Head]) {
    let members = array.map(|array| &array.settings.write_mostly[..]);
    for member in members.into_iter().flatten() {
        let head = usize::try_from(*member)
            .ok()
            .and_then(|at| heads.get_mut(at));
        if let Some(head) = head {
            head.write_mostly = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use stripewise_study::tunable;

    use super::*;

    #[test]
    fn only_what_the_table_says_is_refused() {
        for tunable in tunable::ALL {
            let least = Setting {
                tunable,
                number: tunable.least,
            };
            let most = Setting {
                tunable,
                number: tunable.most,
            };
            let (is_least, is_most) = match tunable.model {
                InModel::Simulated => (true, true),
                InModel::Only(_) => (true, false),
                InModel::Refused => (false, false),
            };
            assert_eq!(check_simulated(least).is_ok(), is_least, "{}", tunable.key);
            assert_eq!(check_simulated(most).is_ok(), is_most, "{}", tunable.key);
        }
    }
}
