//! Device and host profiles as files: TOML in, checked profiles out, and back.
//!
//! A file is foreign input: its size is bounded, unknown keys are refused, and every number must
//! lie in a range in which the simulation's integers cannot overflow. Every problem names file,
//! line, column and key.
//!
//! ```text
//! schema = 1
//! name = "four-ssd-sata"
//! ...
//! [calibrated.read]            # or [disk], [flash]: how the device is modelled
//! servers = 8
//! random = [
//!     { size_bytes = 8192, time_ns = 118000 },
//! ]
//! ```

use std::ops::{Range, RangeInclusive};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml_edit::{Array, Document, DocumentMut, Item, Table, Value};

use crate::basis::Basis;
use crate::device::calibrated::{CalibratedProfile, DirectionProfile, LoadPoint};
use crate::device::curve::CurvePoint;
use crate::device::disk::DiskProfile;
use crate::device::flash::FlashProfile;
use crate::device::limits::OutOfRange;
use crate::device::{DeviceProfile, MeasuredPoint, Model, Ratings, SCHEMA, physical_block_default};
use crate::host::{AdapterProfile, CStateProfile, ClockProfile, HostProfile};

/// The size limit of a profile.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// The most points of one curve.
pub const CURVE_POINTS_MAX: usize = 256;

/// Rates: 1 B/s to 10 TB/s.
const RATES: RangeInclusive<u64> = 1..=10_000_000_000_000;
/// Times of a device: up to 1000 s.
const DEVICE_TIMES: RangeInclusive<u64> = 0..=1_000_000_000_000;
/// Times of a CPU: up to 1 s.
const CPU_TIMES: RangeInclusive<u64> = 0..=1_000_000_000;
/// Clocks of a processor in MHz.
const CLOCKS: RangeInclusive<u64> = 1..=100_000;
/// The most idle states of a core (`CPUIDLE_STATE_MAX`).
const C_STATES_MAX: usize = 10;
/// The cores of a host.
const CORES: RangeInclusive<u64> = 1..=65_536;
/// Sizes of a disk or a memory: up to 1 EiB.
const CAPACITIES: RangeInclusive<u64> = 1..=1 << 60;
/// Sizes of a request: up to 1 GiB.
const REQUESTS: RangeInclusive<u64> = 1..=1 << 30;

/// Bits read for each sector that cannot be read: data sheets state 10^13 to 10^18.
const URE_BITS: RangeInclusive<u64> = 1_000_000_000..=1_000_000_000_000_000_000;

/// Requests in flight under load; one alone is the unit.
const IN_FLIGHT: RangeInclusive<u32> = 2..=4096;
/// Rates under load over that of one request.
const GAINS: RangeInclusive<f64> = 0.01..=4096.0;
const SHARES: RangeInclusive<f64> = 0.01..=0.99;
const MEDIANS: RangeInclusive<f64> = 0.01..=1.0;
/// 99th percentiles over medians.
const SPREADS: RangeInclusive<f64> = 1.0..=20.0;

/// Why a profile cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {problem}")]
pub struct ProfileFileError {
    /// The file, as the caller names it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The problem, with the key if there is one.
    pub problem: String,
}

/// A profile has a number too large for TOML: above 2^63 - 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("profile `{profile}` cannot be written: {problem}")]
pub struct ProfileWriteError {
    /// The name of the profile.
    pub profile: String,
    /// The number that TOML cannot represent.
    pub problem: String,
}

/// A device profile in a file: its model is the one model table in it.
///
/// The profile type itself flattens its model, and serde loses the positions of problems in
/// flattened values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceFile {
    schema: u32,
    name: String,
    description: String,
    source: String,
    basis: Option<Basis>,
    host: Option<String>,
    #[serde(default)]
    models: Vec<String>,
    capacity_bytes: u64,
    rotational: bool,
    queue_depth: u32,
    request_bytes_max: Option<u64>,
    optimal_io_bytes: Option<u64>,
    #[serde(default = "physical_block_default")]
    physical_block_bytes: u64,
    tbw_bytes: Option<u64>,
    afr_percent: Option<f64>,
    ure_bits: Option<u64>,
    #[serde(default)]
    assumed: Vec<String>,
    calibrated: Option<CalibratedProfile>,
    disk: Option<DiskProfile>,
    flash: Option<FlashProfile>,
    perhaps_adapter: Option<AdapterProfile>,
    #[serde(default)]
    points: Vec<MeasuredPoint>,
}

/// Returns whether `name` is safe as the name of a file: it leads to no other place.
pub fn is_name(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&name.len()) && name.chars().all(is_word) && !name.starts_with('.')
}

/// Returns the device profile in `text`; messages name it `file`.
///
/// # Errors
/// The first problem, with its place. Never panics, whatever the text.
pub fn device_from_toml(file: &str, text: &str) -> Result<DeviceProfile, ProfileFileError> {
    let source = Source::parse(file, text)?;
    let read: DeviceFile = source.read()?;
    let models = [
        read.calibrated.map(Model::Calibrated),
        read.disk.map(Model::Disk),
        read.flash.map(Model::Flash),
    ];
    let mut models = models.into_iter().flatten();
    let (Some(model), None) = (models.next(), models.next()) else {
        let problem = "needs one of the tables `calibrated`, `disk` and `flash`, and only one";
        return Err(source.problem(0..0, problem.to_owned()));
    };
    let profile = DeviceProfile {
        schema: read.schema,
        name: read.name,
        description: read.description,
        source: read.source,
        basis: read.basis,
        host: read.host,
        models: read.models,
        capacity_bytes: read.capacity_bytes,
        rotational: read.rotational,
        queue_depth: read.queue_depth,
        request_bytes_max: read.request_bytes_max,
        optimal_io_bytes: read.optimal_io_bytes,
        physical_block_bytes: read.physical_block_bytes,
        ratings: Ratings {
            tbw_bytes: read.tbw_bytes,
            afr_percent: read.afr_percent,
            ure_bits: read.ure_bits,
        },
        assumed: read.assumed,
        model,
        perhaps_adapter: read.perhaps_adapter,
        points: read.points,
    };
    source.check_device(&profile)?;
    Ok(profile)
}

/// Returns the host profile in `text`; messages name it `file`.
///
/// # Errors
/// The first problem, with its place. Never panics, whatever the text.
pub fn host_from_toml(file: &str, text: &str) -> Result<HostProfile, ProfileFileError> {
    let source = Source::parse(file, text)?;
    let profile: HostProfile = source.read()?;
    source.check_host(&profile)?;
    Ok(profile)
}

/// Returns `profile` as the text of a file, keys in the order of the type, one curve point per
/// line.
///
/// # Errors
/// [`ProfileWriteError`] if a number is too large for TOML.
pub fn device_to_toml(profile: &DeviceProfile) -> Result<String, ProfileWriteError> {
    write(
        "# A device profile: how one disk behaves. `source` says where the numbers come from,\n\
         # `assumed` what is not known. Units stand in the keys.\n\n",
        &profile.name,
        profile,
    )
}

/// Returns `profile` as the text of a file, keys in the order of the type.
///
/// # Errors
/// [`ProfileWriteError`] if a number is too large for TOML.
pub fn host_to_toml(profile: &HostProfile) -> Result<String, ProfileWriteError> {
    write(
        "# A host profile: what the CPU and the uplink cost. `source` says where the numbers come\n\
         # from, `assumed` what is not known. Units stand in the keys.\n\n",
        &profile.name,
        profile,
    )
}

fn write(head: &str, name: &str, profile: &impl Serialize) -> Result<String, ProfileWriteError> {
    let document = toml_edit::ser::to_document(profile);
    let mut document: DocumentMut = document.map_err(|error| ProfileWriteError {
        profile: name.to_owned(),
        problem: error.to_string(),
    })?;
    lay_out(document.as_table_mut());
    Ok(format!("{head}{document}"))
}

/// Converts inline values into tables and lists that people can read and compare.
fn lay_out(table: &mut Table) {
    for (_, item) in table.iter_mut() {
        match std::mem::take(item) {
            Item::Value(Value::InlineTable(inline)) => {
                let mut below = inline.into_table();
                lay_out(&mut below);
                let only_tables = below.iter().all(|(_, item)| item.is_table());
                below.set_implicit(only_tables);
                *item = Item::Table(below);
            }
            Item::Value(Value::Array(mut array)) => {
                one_per_line(&mut array);
                *item = Item::Value(Value::Array(array));
            }
            other => *item = other,
        }
    }
}

fn one_per_line(array: &mut Array) {
    for value in array.iter_mut() {
        value.decor_mut().set_prefix("\n    ");
        value.decor_mut().set_suffix("");
    }
    array.set_trailing_comma(true);
    array.set_trailing("\n");
}

/// A parsed TOML text with the positions of its values.
struct Source<'a> {
    file: &'a str,
    text: &'a str,
    document: Document<String>,
}

impl<'a> Source<'a> {
    fn parse(file: &'a str, text: &'a str) -> Result<Self, ProfileFileError> {
        if text.len() > TEXT_BYTES_MAX {
            let problem = format!(
                "a profile may have {TEXT_BYTES_MAX} bytes at most, this one has {}",
                text.len()
            );
            return Err(problem_at(file, text, 0..0, problem));
        }
        let document = Document::parse(text.to_owned()).map_err(|error| {
            let problem = format!("this is not TOML: {}", one_line(error.message()));
            problem_at(file, text, error.span().unwrap_or(0..0), problem)
        })?;
        let source = Self {
            file,
            text,
            document,
        };
        source.check_schema()?;
        Ok(source)
    }

    /// A newer format may mean anything, so the version is checked before the rest.
    fn check_schema(&self) -> Result<(), ProfileFileError> {
        let Some(item) = self.document.get("schema") else {
            return Err(self.problem(
                0..0,
                format!("`schema` is missing; write `schema = {SCHEMA}`"),
            ));
        };
        if item.as_integer() == Some(i64::from(SCHEMA)) {
            return Ok(());
        }
        let problem = format!("`schema` must be {SCHEMA}, the version that this program reads");
        Err(self.problem(self.span("schema"), problem))
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, ProfileFileError> {
        toml_edit::de::from_str(self.text)
            .map_err(|error| self.problem(error.span().unwrap_or(0..0), one_line(error.message())))
    }

    fn problem(&self, span: Range<usize>, problem: String) -> ProfileFileError {
        problem_at(self.file, self.text, span, problem)
    }

    /// Returns the span of the value of `key`, dotted from the top, or of the table that lacks it.
    fn span(&self, key: &str) -> Range<usize> {
        let mut span = 0..0;
        let mut item = self.document.as_item();
        for part in key.split('.') {
            let Some(below) = item.get(part) else { break };
            span = below.span().unwrap_or(span);
            item = below;
        }
        span
    }

    fn within(
        &self,
        key: &str,
        value: u64,
        range: &RangeInclusive<u64>,
    ) -> Result<(), ProfileFileError> {
        let (least, most) = (range.start(), range.end());
        let problem = || format!("`{key}` must be {least} to {most}, not {value}");
        self.ensure(range.contains(&value), key, problem)
    }

    fn ensure(
        &self,
        holds: bool,
        key: &str,
        problem: impl FnOnce() -> String,
    ) -> Result<(), ProfileFileError> {
        match holds {
            true => Ok(()),
            false => Err(self.problem(self.span(key), problem())),
        }
    }

    fn named(&self, name: &str) -> Result<(), ProfileFileError> {
        let problem = || {
            "`name` must be 1 to 64 letters, digits, `-`, `_` and `.`, and not begin with `.`"
                .to_owned()
        };
        self.ensure(is_name(name), "name", problem)
    }

    fn check_device(&self, profile: &DeviceProfile) -> Result<(), ProfileFileError> {
        self.named(&profile.name)?;
        self.within("capacity_bytes", profile.capacity_bytes, &CAPACITIES)?;
        self.within("queue_depth", profile.queue_depth.into(), &(1..=65_536))?;
        if let Some(bytes) = profile.request_bytes_max {
            self.within("request_bytes_max", bytes, &(4096..=*REQUESTS.end()))?;
        }
        if let Some(bytes) = profile.optimal_io_bytes {
            self.within("optimal_io_bytes", bytes, &(512..=*REQUESTS.end()))?;
        }
        let block = profile.physical_block_bytes;
        self.within("physical_block_bytes", block, &(512..=4096))?;
        let problem = || "`physical_block_bytes` must be a power of two".to_owned();
        let is_block = block.is_power_of_two();
        self.ensure(is_block, "physical_block_bytes", problem)?;
        self.check_ratings(&profile.ratings)?;
        if let Some(adapter) = &profile.perhaps_adapter {
            self.check_adapter("perhaps_adapter", adapter)?;
        }
        for point in &profile.points {
            let rate = point.bandwidth_bytes_per_s;
            let problem = || "`points`: every bandwidth must be above 0".to_owned();
            self.ensure(rate.is_finite() && rate > 0.0, "points", problem)?;
            let model = point.model_bandwidth_bytes_per_s.unwrap_or(rate);
            self.ensure(model.is_finite() && model > 0.0, "points", problem)?;
        }
        match &profile.model {
            Model::Calibrated(calibrated) => self.check_calibrated(calibrated),
            Model::Disk(disk) => self.own_check("disk", disk.check()),
            Model::Flash(flash) => self.own_check("flash", flash.check()),
        }
    }

    fn check_ratings(&self, ratings: &Ratings) -> Result<(), ProfileFileError> {
        if let Some(bytes) = ratings.tbw_bytes {
            self.within("tbw_bytes", bytes, &CAPACITIES)?;
        }
        if let Some(bits) = ratings.ure_bits {
            self.within("ure_bits", bits, &URE_BITS)?;
        }
        let share = ratings.afr_percent.unwrap_or(1.0);
        let problem = || format!("`afr_percent` must be above 0 and at most 100, not {share}");
        self.ensure(share > 0.0 && share <= 100.0, "afr_percent", problem)
    }

    fn check_adapter(&self, at: &str, adapter: &AdapterProfile) -> Result<(), ProfileFileError> {
        let outstanding = u64::from(adapter.outstanding_min);
        self.within(&format!("{at}.outstanding_min"), outstanding, &(1..=65_536))?;
        self.within(&format!("{at}.delay_ns"), adapter.delay_ns, &CPU_TIMES)?;
        let [least, most] = adapter.delay_ns_range.unwrap_or([adapter.delay_ns; 2]);
        let problem = || format!("`{at}.delay_ns_range` must hold `delay_ns`");
        self.ensure(
            (least..=most).contains(&adapter.delay_ns) && CPU_TIMES.contains(&most),
            at,
            problem,
        )?;
        self.within(&format!("{at}.command_ns"), adapter.command_ns, &CPU_TIMES)
    }

    /// Adds the position to a model's problem with its own numbers.
    fn own_check(
        &self,
        table: &str,
        checked: Result<(), OutOfRange>,
    ) -> Result<(), ProfileFileError> {
        checked.map_err(|error| {
            let span = self.span(&format!("{table}.{}", error.key));
            self.problem(span, format!("`{table}`: {error}"))
        })
    }

    fn check_calibrated(&self, profile: &CalibratedProfile) -> Result<(), ProfileFileError> {
        let link = &profile.link;
        self.within(
            "calibrated.link.read_bytes_per_s",
            link.read_bytes_per_s,
            &RATES,
        )?;
        self.within(
            "calibrated.link.write_bytes_per_s",
            link.write_bytes_per_s,
            &RATES,
        )?;
        self.within("calibrated.link.command_ns", link.command_ns, &DEVICE_TIMES)?;
        self.within(
            "calibrated.cache.flush_ns",
            profile.cache.flush_ns,
            &DEVICE_TIMES,
        )?;
        self.check_direction("calibrated.read", &profile.read)?;
        self.check_direction("calibrated.write", &profile.write)?;
        if let Some(drain) = &profile.drain {
            for (key, value, range) in [
                ("fast_bytes", drain.fast_bytes, &(0..=*CAPACITIES.end())),
                ("buffer_bytes", drain.buffer_bytes, &(0..=*CAPACITIES.end())),
                ("random_bytes_per_s", drain.random_bytes_per_s, &RATES),
                (
                    "sequential_bytes_per_s",
                    drain.sequential_bytes_per_s,
                    &RATES,
                ),
            ] {
                self.within(&format!("calibrated.drain.{key}"), value, range)?;
            }
        }
        Ok(())
    }

    fn check_direction(
        &self,
        key: &str,
        profile: &DirectionProfile,
    ) -> Result<(), ProfileFileError> {
        self.within(
            &format!("{key}.servers"),
            profile.servers.into(),
            &(1..=1024),
        )?;
        let spread = format!("{key}.p99_over_p50");
        let problem = || format!("`{spread}` must be 1 to 20, not {}", profile.p99_over_p50);
        self.ensure(SPREADS.contains(&profile.p99_over_p50), &spread, problem)?;
        let median = format!("{key}.p50_over_mean");
        let problem = || format!("`{median}` must be 0.01 to 1");
        let is_median = profile
            .p50_over_mean
            .is_none_or(|share| MEDIANS.contains(&share));
        self.ensure(is_median, &median, problem)?;
        let random = format!("{key}.random");
        let problem = || format!("`{random}` needs one point at least");
        self.ensure(!profile.random.is_empty(), &random, problem)?;
        self.check_curve(&random, &profile.random)?;
        self.check_curve(&format!("{key}.sequential"), &profile.sequential)?;
        self.check_load(&format!("{key}.under_load"), &profile.under_load)?;
        let (mix, key) = (&profile.under_mix, format!("{key}.under_mix"));
        self.check_load(&key, &profile.mix_loads())?;
        let problem = || format!("`{key}`: `others` is a share, 0.01 to 0.99");
        let are_shares = mix.iter().all(|point| SHARES.contains(&point.others));
        self.ensure(are_shares, &key, problem)
    }

    fn check_load(&self, key: &str, points: &[LoadPoint]) -> Result<(), ProfileFileError> {
        let problem = || format!("`{key}` may have {CURVE_POINTS_MAX} points at most");
        self.ensure(points.len() <= CURVE_POINTS_MAX, key, problem)?;
        for point in points {
            let (spread, median) = (point.p99_over_p50, point.p50_over_mean);
            let inside = IN_FLIGHT.contains(&point.in_flight)
                && GAINS.contains(&point.gain)
                && spread.is_none_or(|ratio| SPREADS.contains(&ratio))
                && median.is_none_or(|share| MEDIANS.contains(&share));
            let problem = || {
                format!(
                    "`{key}`: `in_flight` goes from 2 to 4096, `gain` from 0.01 to 4096, `p99_over_p50` from 1 to 20, `p50_over_mean` from 0.01 to 1"
                )
            };
            self.ensure(inside, key, problem)?;
        }
        let rising = |pair: &[LoadPoint]| pair[0].in_flight < pair[1].in_flight;
        let problem = || format!("`{key}`: `in_flight` must rise from point to point");
        self.ensure(points.windows(2).all(rising), key, problem)
    }

    fn check_curve(&self, key: &str, points: &[CurvePoint]) -> Result<(), ProfileFileError> {
        let problem = || format!("`{key}` may have {CURVE_POINTS_MAX} points at most");
        self.ensure(points.len() <= CURVE_POINTS_MAX, key, problem)?;
        for point in points {
            let inside = REQUESTS.contains(&point.size_bytes)
                && DEVICE_TIMES.contains(&point.time_ns)
                && point.time_ns > 0;
            let problem =
                || format!("`{key}`: sizes go up to 1 GiB and times up to 1000 s, both above 0");
            self.ensure(inside, key, problem)?;
        }
        let rising = |pair: &[CurvePoint]| pair[0].size_bytes < pair[1].size_bytes;
        let problem = || format!("`{key}`: sizes must rise from point to point");
        self.ensure(points.windows(2).all(rising), key, problem)
    }

    fn check_host(&self, profile: &HostProfile) -> Result<(), ProfileFileError> {
        self.named(&profile.name)?;
        let cpu = &profile.cpu;
        for (key, value, range) in [
            ("cpu.submit_ns", cpu.submit_ns, &CPU_TIMES),
            ("cpu.bio_ns", cpu.bio_ns, &CPU_TIMES),
            ("cpu.page_ns", cpu.page_ns, &CPU_TIMES),
            ("cpu.completion_ns", cpu.completion_ns, &CPU_TIMES),
            ("cpu.wake_ns", cpu.wake_ns, &CPU_TIMES),
            ("cpu.stripe_ns", cpu.stripe_ns, &CPU_TIMES),
            ("cpu.cores", u64::from(cpu.cores), &CORES),
            ("cpu.scheduler_ns", cpu.scheduler_ns, &CPU_TIMES),
            ("cpu.worker_ns", cpu.worker_ns, &CPU_TIMES),
            ("cpu.filesystem_ns", cpu.filesystem_ns, &CPU_TIMES),
            ("cpu.cache_page_ns", cpu.cache_page_ns, &CPU_TIMES),
            ("cpu.mirror_lock_ns", cpu.mirror_lock_ns, &CPU_TIMES),
            ("cpu.parity_lock_ns", cpu.parity_lock_ns, &CPU_TIMES),
            ("cpu.xor_bytes_per_s", cpu.xor_bytes_per_s, &RATES),
            ("cpu.copy_bytes_per_s", cpu.copy_bytes_per_s, &RATES),
            (
                "memory.dirty_bytes_max",
                profile.memory.dirty_bytes_max,
                &CAPACITIES,
            ),
        ] {
            self.within(key, value, range)?;
        }
        for (key, value) in [
            ("cpu.fletcher4_bytes_per_s", cpu.fletcher4_bytes_per_s),
            ("cpu.fill_bytes_per_s", cpu.fill_bytes_per_s),
        ] {
            value.map_or(Ok(()), |value| self.within(key, value, &RATES))?;
        }
        if let Some(uplink) = profile.uplink {
            self.within("uplink.bytes_per_s", uplink.bytes_per_s, &RATES)?;
        }
        for (name, adapter) in &profile.adapter {
            self.check_adapter(&format!("adapter.{name}"), adapter)?;
        }
        for (name, governor) in &profile.governor {
            let key = format!("governor.{name}");
            let clock = format!("{key}.clock_percent");
            self.within(&clock, governor.clock_percent.into(), &(1..=100))?;
            let wake = format!("{key}.wake_extra_ns");
            self.within(&wake, governor.wake_extra_ns, &CPU_TIMES)?;
        }
        if let Some(clock) = &profile.clock {
            self.check_clock(clock)?;
        }
        let known = profile
            .governors()
            .any(|name| name == profile.governor_default);
        let problem = || {
            let name = &profile.governor_default;
            format!("`governor_default` is `{name}`, but there is no `[governor.{name}]`")
        };
        self.ensure(known, "governor_default", problem)
    }

    fn check_clock(&self, clock: &ClockProfile) -> Result<(), ProfileFileError> {
        for (key, value, range) in [
            ("clock.min_mhz", clock.min_mhz, &CLOCKS),
            ("clock.max_mhz", clock.max_mhz, &CLOCKS),
            ("clock.step_mhz", clock.step_mhz, &CLOCKS),
            ("clock.transition_us", clock.transition_us, &(1..=10_000)),
        ] {
            self.within(key, value.into(), range)?;
        }
        let problem = || "`clock.min_mhz` is above `clock.max_mhz`".to_owned();
        self.ensure(clock.min_mhz <= clock.max_mhz, "clock.min_mhz", problem)?;
        let rises = |pair: &[CStateProfile]| {
            pair[0].exit_us < pair[1].exit_us && pair[0].residency_us <= pair[1].residency_us
        };
        let fits = clock.c_states.len() <= C_STATES_MAX
            && clock.c_states.windows(2).all(rises)
            && clock
                .c_states
                .iter()
                .all(|state| state.exit_us <= 1_000_000);
        let problem = || {
            format!(
                "`clock.c_states` has at most {C_STATES_MAX} states, lightest first, with `exit_us` up to 1 s"
            )
        };
        self.ensure(fits, "clock.c_states", problem)
    }
}

fn problem_at(file: &str, text: &str, span: Range<usize>, problem: String) -> ProfileFileError {
    let before = text.get(..span.start.min(text.len())).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    ProfileFileError {
        file: file.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        problem,
    }
}

/// Joins the lines of a parser's message.
fn one_line(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).collect();
    lines.join(", ")
}

#[cfg(test)]
#[path = "profile_file_tests.rs"]
mod tests;
