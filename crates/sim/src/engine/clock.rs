//! The clock of the host's cores, and the idle states in which they wait.
//!
//! The kernel looks at a core's load whenever a task is put on its queue, and changes the clock at most
//! once per interval (`cpufreq_update_util`; before 4.6 from a deferrable timer, which does not wake an
//! idle core either). So the state of a core changes only when work begins on it:
//!
//! ```text
//!        work        idle        work
//!  |############|............|########     at |: count idle time and utilisation up to here, perhaps
//!  ^                         ^             choose another clock, and add the time of the wake-up
//! ```
//!
//! - `ondemand`, `conservative`: `od_update` and `cs_dbs_update`, with the load of `dbs_update`.
//! - `schedutil`: `get_next_freq`, `sugov_iowait_boost`, `sugov_iowait_apply`, with the utilisation of
//!   kernel/sched/pelt.c, without `util_est`.
//! - `intel_pstate` without HWP in active mode: `get_target_pstate`; before 4.12 its PID controller
//!   (`get_target_pstate_use_performance`, `pid_calc`).
//! - idle states: `get_typical_interval`, and the loop of `menu_select`; the only timer is the tick.
//!
//! Each core has its own clock, and gets at once the one that the kernel asks for.

use stripewise_profiles::host::{CStateProfile, ClockProfile, PStates};
use stripewise_profiles::kernel::{
    ActiveRule, AmdDriver, ClockDelay, ClockPolicy, IntelDriver, SchedutilRule,
};
use stripewise_units::Nanos;

use crate::units::Instant;

/// A tick of the kernel's clock (`CONFIG_HZ=250`).
const TICK: u64 = 4_000_000;
/// `INTEL_PSTATE_SAMPLING_INTERVAL`; before that, `sample_rate_ms` of `core_params`.
const PSTATE_SAMPLE: u64 = 10_000_000;
/// `CPUFREQ_DBS_MIN_SAMPLING_INTERVAL`.
const DBS_SAMPLE_MIN: u64 = 2 * TICK;
/// `INTEL_CPUFREQ_TRANSITION_DELAY`.
const INTEL_CPUFREQ_DELAY: u64 = 500_000;
/// The longest delay with [`ClockDelay::Thousandfold`].
const DELAY_MAX: u64 = 10_000_000;
/// `MICRO_FREQUENCY_UP_THRESHOLD` of ondemand, in percent.
const ONDEMAND_UP: u64 = 95;
/// `DEF_FREQUENCY_UP_THRESHOLD`, `DEF_FREQUENCY_DOWN_THRESHOLD` and `DEF_FREQUENCY_STEP` of
/// conservative, in percent.
const CONSERVATIVE_UP: u64 = 80;
const CONSERVATIVE_DOWN: u64 = 20;
const CONSERVATIVE_STEP: u64 = 5;
/// `SCHED_CAPACITY_SCALE`.
const FULL: u64 = 1024;
/// `IOWAIT_BOOST_MIN`, and `ONE_EIGHTH_FP` of `intel_pstate`.
const BOOST_MIN: u64 = FULL / 8;
/// A period of kernel/sched/pelt.c, and the time in which what it remembers halves.
const PERIOD: u64 = 1024 * 1024;
const HALF_LIFE: u64 = 32 * PERIOD;
/// `INTERVALS` of the menu governor.
const INTERVALS: usize = 8;
/// How many half-lives, samples of a ramp or other intervals a clock takes to settle.
const SETTLE_NS: u64 = 8 * HALF_LIFE;

/// How the clock of a core is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Governor {
    Highest,
    Lowest,
    Ondemand { io_is_busy: bool, from_min: bool },
    Conservative,
    Schedutil { is_invariant: bool },
    Active(ActiveRule),
}

/// Why the model does not follow a governor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoRule {
    /// The driver, and the governors that it has.
    Missing(&'static str, &'static [&'static str]),
    /// The driver, which leaves the choice to the processor.
    Hardware(&'static str),
}

/// The rule of the clock, the same for all cores.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    governor: Governor,
    /// The least time between two changes.
    interval: u64,
    min_mhz: u64,
    max_mhz: u64,
    step_mhz: u64,
    /// The idle states, lightest first; none if waking up takes no time.
    c_states: Vec<CStateProfile>,
}

/// The governors of drivers that implement no policy of their own.
const LEGACY: [&str; 5] = [
    "performance",
    "powersave",
    "ondemand",
    "conservative",
    "schedutil",
];
const LEGACY_WITHOUT_SCHEDUTIL: [&str; 4] =
    ["performance", "powersave", "ondemand", "conservative"];
/// Those of drivers that do (`CPUFREQ_POLICY_*`).
const OWN: [&str; 2] = ["performance", "powersave"];

/// A driver, and who chooses the clock with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Driver {
    AcpiCpufreq,
    IntelCpufreq,
    IntelPstate,
    /// `intel_pstate` with HWP.
    Hwp,
    /// `amd-pstate` in active mode.
    AmdEpp,
}

impl Driver {
    fn of(clock: &ClockProfile, policy: &ClockPolicy) -> Self {
        match (clock.p_states, policy.intel_driver, policy.amd_driver) {
            (PStates::IntelAcpi | PStates::Amd, ..) => Self::AcpiCpufreq,
            (PStates::IntelHwp, ..) => Self::Hwp,
            (PStates::Intel, IntelDriver::IntelPstate, _) => Self::IntelPstate,
            (PStates::Intel, IntelDriver::IntelCpufreq, _) => Self::IntelCpufreq,
            (PStates::AmdCppc, _, AmdDriver::AcpiCpufreq) => Self::AcpiCpufreq,
            (PStates::AmdCppc, _, AmdDriver::AmdPstate) => Self::AmdEpp,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::AcpiCpufreq => "acpi-cpufreq",
            Self::IntelCpufreq => "intel_cpufreq",
            Self::IntelPstate => "intel_pstate",
            Self::Hwp => "intel_pstate with HWP",
            Self::AmdEpp => "amd-pstate in active mode",
        }
    }

    const fn governors(self, policy: &ClockPolicy) -> &'static [&'static str] {
        match (self, policy.schedutil) {
            (Self::IntelPstate | Self::Hwp | Self::AmdEpp, _) => &OWN,
            (_, SchedutilRule::None) => &LEGACY_WITHOUT_SCHEDUTIL,
            _ => &LEGACY,
        }
    }
}

impl Rule {
    /// Returns the rule of the governor `name`.
    ///
    /// # Errors
    /// [`NoRule`] if the driver of this kernel has no such governor, or leaves it to the processor.
    pub(super) fn new(
        clock: &ClockProfile,
        policy: &ClockPolicy,
        name: &str,
        latency_max_us: Option<u32>,
    ) -> Result<Self, NoRule> {
        let driver = Driver::of(clock, policy);
        let governors = driver.governors(policy);
        if !governors.contains(&name) {
            return Err(NoRule::Missing(driver.name(), governors));
        }
        let governor = match (name, driver) {
            ("performance", _) => Governor::Highest,
            (_, Driver::Hwp | Driver::AmdEpp) => return Err(NoRule::Hardware(driver.name())),
            (_, Driver::IntelPstate) => Governor::Active(policy.active_rule),
            ("powersave", _) => Governor::Lowest,
            ("ondemand", _) => Governor::Ondemand {
                io_is_busy: matches!(clock.p_states, PStates::Intel | PStates::IntelAcpi),
                from_min: policy.ondemand_counts_from_min,
            },
            ("conservative", _) => Governor::Conservative,
            _ => Governor::Schedutil {
                is_invariant: policy.schedutil == SchedutilRule::Invariant,
            },
        };
        // `cpuidle_governor_latency_req`: the lightest state is always allowed.
        let latency = latency_max_us.unwrap_or(u32::MAX);
        let allowed = clock.c_states.iter().enumerate();
        let allowed = allowed.filter(|(place, state)| *place == 0 || state.exit_us <= latency);
        Ok(Self {
            governor,
            interval: interval(governor, driver, clock, policy),
            min_mhz: clock.min_mhz.into(),
            max_mhz: clock.max_mhz.into(),
            step_mhz: clock.step_mhz.into(),
            c_states: allowed.map(|(_, state)| *state).collect(),
        })
    }

    /// Returns whether the cores always run at the highest clock and wake up at once.
    pub(super) fn is_constant(&self) -> bool {
        self.governor == Governor::Highest && self.c_states.is_empty()
    }

    /// Returns how long a load lasts before its clock is that of the long run.
    pub(super) fn settles_after(&self) -> Nanos {
        let ramp = (self.max_mhz - self.min_mhz) / self.step_mhz * self.interval;
        Nanos::new(match self.governor {
            Governor::Highest | Governor::Lowest => 0,
            Governor::Active(_) | Governor::Conservative => 2 * ramp,
            Governor::Ondemand { .. } => 8 * self.interval,
            Governor::Schedutil { .. } => SETTLE_NS,
        })
    }

    /// Returns `mhz` within the limits, as a step not below it.
    fn at_least(&self, mhz: u64) -> u64 {
        let step = mhz.next_multiple_of(self.step_mhz);
        step.clamp(self.min_mhz, self.max_mhz)
    }

    /// Returns `mhz` within the limits, as a step not above it.
    fn at_most(&self, mhz: u64) -> u64 {
        (mhz / self.step_mhz * self.step_mhz).clamp(self.min_mhz, self.max_mhz)
    }
}

fn interval(governor: Governor, driver: Driver, clock: &ClockProfile, policy: &ClockPolicy) -> u64 {
    let latency = u64::from(clock.transition_us) * 1000;
    // `cpufreq_policy_transition_delay_us`.
    let delay = match (driver, policy.delay) {
        (Driver::IntelCpufreq, _) => INTEL_CPUFREQ_DELAY,
        (_, ClockDelay::Thousandfold) => (latency * 1000).min(DELAY_MAX),
        (_, ClockDelay::HalfMore) => latency + latency / 2,
    };
    match governor {
        Governor::Active(_) => PSTATE_SAMPLE,
        Governor::Schedutil { .. } => delay,
        _ => delay.max(DBS_SAMPLE_MIN),
    }
}

/// The clocks and idle states of all cores.
#[derive(Debug)]
pub(super) struct Processor {
    rule: Rule,
    cores: Vec<Core>,
}

/// One core.
#[derive(Debug, Clone, Copy)]
struct Core {
    mhz: u64,
    /// When work last began.
    begun: Instant,
    /// When the clock was last looked at (schedutil: changed), and the idle time since then, with
    /// that in which a task waited for I/O.
    sampled: Instant,
    idle: u64,
    idle_for_io: u64,
    /// The load of the last sample, in percent (`prev_load`).
    load: u64,
    /// What conservative asks for.
    asked_mhz: u64,
    /// The utilisation, at most [`FULL`] << 22.
    util: u64,
    /// What waiting for I/O adds at least to the utilisation.
    boost: u64,
    boost_is_pending: bool,
    /// When the kernel last looked at the core, and the period in which it did so not for I/O.
    updated: Instant,
    period: u64,
    /// The lengths of the last idle times in microseconds.
    intervals: [u64; INTERVALS],
    next_interval: usize,
}

/// The shift of [`Core::util`].
const UTIL_SHIFT: u32 = 22;

/// The speed of a core, as a share of the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Speed {
    mhz: u64,
    max_mhz: u64,
}

impl Speed {
    pub(super) const FULL: Self = Self { mhz: 1, max_mhz: 1 };

    /// Returns how long work takes that takes `span` at the highest clock.
    #[inline]
    pub(super) const fn stretch(self, span: Nanos) -> Nanos {
        if self.mhz == self.max_mhz {
            return span;
        }
        Nanos::new(span.as_u64() * self.max_mhz / self.mhz)
    }
}

impl Processor {
    pub(super) fn new(rule: Rule, cores: usize) -> Self {
        let mhz = match rule.governor {
            Governor::Highest => rule.max_mhz,
            _ => rule.min_mhz,
        };
        let core = Core {
            mhz,
            begun: Instant::START,
            sampled: Instant::START,
            idle: 0,
            idle_for_io: 0,
            load: 0,
            asked_mhz: mhz,
            util: 0,
            boost: 0,
            boost_is_pending: false,
            updated: Instant::START,
            period: 0,
            intervals: [0; INTERVALS],
            next_interval: 0,
        };
        Self {
            rule,
            cores: vec![core; cores],
        }
    }

    /// Returns how long a load lasts before its clocks are those of the long run.
    pub(super) fn settles_after(&self) -> Nanos {
        self.rule.settles_after()
    }

    /// Returns the speed of a core.
    #[inline]
    pub(super) fn speed(&self, core: usize) -> Speed {
        Speed {
            mhz: self.cores[core].mhz,
            max_mhz: self.rule.max_mhz,
        }
    }

    /// Begins work at `at` on a core that was busy until `free`; `waits_for_io` says whether its task
    /// slept in `io_schedule`. Returns how long the core takes to wake up.
    pub(super) fn begin(
        &mut self,
        core: usize,
        free: Instant,
        at: Instant,
        waits_for_io: bool,
    ) -> Nanos {
        let Self { rule, cores } = self;
        let core = &mut cores[core];
        let now = free.max(at);
        let free = free.max(core.begun);
        let (busy, idle) = (free.since(core.begun), now.max(free).since(free));
        core.add_utilisation(rule, busy.as_u64(), idle.as_u64());
        core.begun = now;
        let wake = match idle > Nanos::default() {
            true => core.wakes(rule, idle.as_u64(), waits_for_io, now),
            false => 0,
        };
        // A task's utilisation is brought up to date once a period (`update_load_avg`).
        if now.as_nanos() / PERIOD != core.period {
            core.period = now.as_nanos() / PERIOD;
            core.update(rule, now);
        }
        Nanos::new(wake)
    }
}

impl Core {
    /// Counts an idle time that ends; returns how long the core takes to wake up.
    fn wakes(&mut self, rule: &Rule, idle: u64, waits_for_io: bool, now: Instant) -> u64 {
        self.idle += idle;
        if waits_for_io {
            self.idle_for_io += idle;
            self.boost_for_io(rule, now);
            self.updated = now;
            self.look(rule, now);
        }
        self.exit_latency(rule, idle)
    }

    /// Raises the boost, because a task waited for I/O (`SCHED_CPUFREQ_IOWAIT`).
    fn boost_for_io(&mut self, rule: &Rule, now: Instant) {
        let was_idle = now.since(self.updated).as_u64() > TICK;
        match rule.governor {
            Governor::Schedutil { .. } if was_idle && self.boost > 0 => {
                self.boost = BOOST_MIN;
                self.boost_is_pending = true;
            }
            Governor::Schedutil { .. } if !self.boost_is_pending => {
                self.boost = (2 * self.boost).clamp(BOOST_MIN, FULL);
                self.boost_is_pending = true;
            }
            Governor::Active(ActiveRule::Load) => self.boost = FULL,
            Governor::Active(ActiveRule::LoadDoubling) => {
                self.boost = match was_idle || self.boost < BOOST_MIN {
                    true => BOOST_MIN,
                    false => (2 * self.boost).min(FULL),
                };
            }
            _ => {}
        }
    }

    /// Looks at the core for another reason than I/O.
    fn update(&mut self, rule: &Rule, now: Instant) {
        let before = std::mem::replace(&mut self.updated, now);
        if now.since(before).as_u64() > TICK {
            self.boost = 0;
            self.boost_is_pending = false;
        } else if rule.governor == Governor::Active(ActiveRule::LoadDoubling) {
            self.boost /= 2;
        }
        self.look(rule, now);
    }

    /// Changes the clock, if it is time to.
    fn look(&mut self, rule: &Rule, now: Instant) {
        let elapsed = now.since(self.sampled).as_u64();
        if elapsed == 0 || elapsed < rule.interval {
            return;
        }
        match rule.governor {
            Governor::Highest | Governor::Lowest => return,
            Governor::Ondemand {
                io_is_busy,
                from_min,
            } => {
                let idle = self.idle - if io_is_busy { self.idle_for_io } else { 0 };
                let load = self.dbs_load(rule, elapsed, idle);
                self.mhz = ondemand(rule, load, from_min);
            }
            Governor::Conservative => self.conservative(rule, elapsed),
            Governor::Schedutil { is_invariant } => {
                let mhz = self.schedutil(rule, is_invariant);
                if mhz == self.mhz {
                    return;
                }
                self.mhz = mhz;
            }
            Governor::Active(active) => {
                // MPERF and APERF count on a core that is awake.
                let busy = (elapsed - self.idle.min(elapsed)) * FULL / elapsed;
                self.mhz = self.active(rule, active, elapsed, busy);
            }
        }
        self.sampled = now;
        self.idle = 0;
        self.idle_for_io = 0;
    }

    /// Returns the load of ondemand and conservative in percent (`dbs_update`).
    fn dbs_load(&mut self, rule: &Rule, elapsed: u64, idle: u64) -> u64 {
        if idle > 2 * rule.interval && self.load > 0 {
            return std::mem::take(&mut self.load);
        }
        self.load = 100 * elapsed.saturating_sub(idle) / elapsed;
        self.load
    }

    fn conservative(&mut self, rule: &Rule, elapsed: u64) {
        let idle = self.idle.min(elapsed);
        let alone = 100 * (elapsed - idle) / elapsed;
        let load = self.dbs_load(rule, elapsed, idle);
        let step = rule.max_mhz * CONSERVATIVE_STEP / 100;
        let periods = idle / rule.interval;
        if alone < CONSERVATIVE_DOWN && periods > 2 {
            let down = self.asked_mhz.saturating_sub(periods * step);
            self.asked_mhz = down.max(rule.min_mhz);
        }
        if load > CONSERVATIVE_UP {
            self.asked_mhz = (self.asked_mhz + step).min(rule.max_mhz);
            self.mhz = rule.at_most(self.asked_mhz);
        } else if load < CONSERVATIVE_DOWN {
            self.asked_mhz = self.asked_mhz.saturating_sub(step).max(rule.min_mhz);
            self.mhz = rule.at_least(self.asked_mhz);
        }
    }

    /// Returns the clock that schedutil chooses: 1.25 times the utilisation.
    fn schedutil(&mut self, rule: &Rule, is_invariant: bool) -> u64 {
        if !self.boost_is_pending {
            self.boost /= 2;
            if self.boost < BOOST_MIN {
                self.boost = 0;
            }
        }
        self.boost_is_pending = false;
        let util = (self.util >> UTIL_SHIFT).max(self.boost);
        let of = match is_invariant {
            true => rule.max_mhz,
            false => self.mhz,
        };
        rule.at_least(of * util * 5 / 4 / FULL)
    }

    /// Returns the clock that `intel_pstate` chooses for a core that was `busy` parts of [`FULL`].
    fn active(&mut self, rule: &Rule, active: ActiveRule, elapsed: u64, busy: u64) -> u64 {
        if let ActiveRule::Pid | ActiveRule::PidIdle = active {
            let is_idle = active == ActiveRule::PidIdle && busy * 100 < FULL;
            return pid(rule, self.mhz, elapsed, is_idle);
        }
        let busy = busy.max(self.boost);
        if active == ActiveRule::Load {
            self.boost /= 2;
        }
        let top = rule.max_mhz / rule.step_mhz;
        let target = ((top + top / 4) * busy / FULL).max(rule.min_mhz / rule.step_mhz);
        let now = self.mhz / rule.step_mhz;
        let target = target + now.saturating_sub(target) / 2;
        rule.at_most(target * rule.step_mhz)
    }

    /// Brings the utilisation up to date after busy and idle time.
    fn add_utilisation(&mut self, rule: &Rule, busy: u64, idle: u64) {
        let Governor::Schedutil { is_invariant } = rule.governor else {
            return;
        };
        let most = match is_invariant {
            true => (FULL << UTIL_SHIFT) / rule.max_mhz * self.mhz,
            false => FULL << UTIL_SHIFT,
        };
        let left = remembered(busy);
        let grown = scaled(self.util, left) + most - scaled(most, left);
        self.util = scaled(grown, remembered(idle));
    }

    /// Returns how long the core takes to leave the state in which it was idle; the menu governor
    /// chose it by the idle times before.
    fn exit_latency(&mut self, rule: &Rule, idle: u64) -> u64 {
        let Some(lightest) = rule.c_states.first() else {
            return 0;
        };
        let tick_us = TICK / 1000;
        let expected = typical(&self.intervals).unwrap_or(tick_us).min(tick_us);
        let fits = |state: &&CStateProfile| u64::from(state.residency_us) <= expected;
        let state = rule.c_states.iter().take_while(fits).last();
        let exit_us = u64::from(state.unwrap_or(lightest).exit_us);
        self.intervals[self.next_interval] = idle / 1000;
        self.next_interval = (self.next_interval + 1) % INTERVALS;
        exit_us * 1000
    }
}

/// Returns the clock of ondemand for a load in percent (`od_update`).
fn ondemand(rule: &Rule, load: u64, from_min: bool) -> u64 {
    if load > ONDEMAND_UP {
        return rule.max_mhz;
    }
    let mhz = match from_min {
        true => rule.min_mhz + load * (rule.max_mhz - rule.min_mhz) / 100,
        false => load * rule.max_mhz / 100,
    };
    // `CPUFREQ_RELATION_C`: the nearest.
    rule.at_most(mhz + rule.step_mhz / 2)
}

/// Returns the next clock of the PID controller of `intel_pstate`: the load is what the clock was of
/// the one asked for, which is all of it, unless the core was idle for long.
///
/// `setpoint` is 97 and `p_gain` 20 %, in numbers with 8 bits of fraction.
fn pid(rule: &Rule, mhz: u64, elapsed: u64, is_idle: bool) -> u64 {
    let busy = match is_idle {
        _ if elapsed > 3 * rule.interval => (100 << 8) * rule.interval / elapsed,
        true => 0,
        false => 100 << 8,
    };
    let setpoint = 97 << 8;
    let gain = (20 << 8) / 100;
    let half = 1 << 7;
    if busy > setpoint {
        // A negative result is rounded down, so that the clock rises.
        let steps = ((busy - setpoint) * gain)
            .div_ceil(1 << 8)
            .saturating_sub(half);
        return rule.at_most(mhz + steps.div_ceil(1 << 8) * rule.step_mhz);
    }
    let steps = ((((setpoint - busy) * gain) >> 8) + half) >> 8;
    rule.at_least(mhz.saturating_sub(steps * rule.step_mhz))
}

/// Returns the share of the past that is left after a time, of 2^32: a half after [`HALF_LIFE`].
fn remembered(span: u64) -> u64 {
    /// 2^32 times 2^(-k/16).
    const ROOTS: [u64; 16] = [
        4_294_967_296,
        4_112_874_773,
        3_938_502_375,
        3_771_522_796,
        3_611_622_602,
        3_458_501_653,
        3_311_872_529,
        3_171_459_999,
        3_037_000_499,
        2_908_241_642,
        2_784_941_737,
        2_666_869_344,
        2_553_802_833,
        2_445_529_971,
        2_341_847_523,
        2_242_560_871,
    ];
    /// 2^32 times the natural logarithm of 2.
    const LN_2: u64 = 2_977_044_471;
    let halves = span / HALF_LIFE;
    if halves > 31 {
        return 0;
    }
    let sixteenths = span % HALF_LIFE * 16;
    let root = ROOTS[usize::try_from(sixteenths / HALF_LIFE).unwrap_or(15)];
    // What is left of a sixteenth of a half-life: e^-x = 1 - x + x^2 / 2.
    let x = scaled(LN_2, ((sixteenths % HALF_LIFE) << 32) / HALF_LIFE / 16);
    let rest = (1 << 32) - x + scaled(x, x) / 2;
    scaled(root, rest) >> halves
}

/// Returns `value` times `share` / 2^32.
fn scaled(value: u64, share: u64) -> u64 {
    let product = u128::from(value) * u128::from(share);
    u64::try_from(product >> 32).unwrap_or(u64::MAX)
}

/// Returns the usual one of the last idle times, if there is one (`get_typical_interval`).
fn typical(intervals: &[u64; INTERVALS]) -> Option<u64> {
    let mut most = u64::MAX;
    loop {
        let used = || intervals.iter().copied().filter(|value| *value <= most);
        let (count, longest) = (used().count() as u64, used().max().unwrap_or(0));
        if longest == 0 {
            return None;
        }
        let mean = used().sum::<u64>() / count;
        let squares: u64 = used()
            .map(|value| value.abs_diff(mean).saturating_pow(2))
            .fold(0, u64::saturating_add);
        let variance = squares / count;
        let is_narrow = mean * mean > variance.saturating_mul(36) && 4 * count >= 3 * 8;
        if is_narrow || variance <= 400 {
            return Some(mean);
        }
        if 4 * count <= 3 * 8 {
            return None;
        }
        most = longest - 1;
    }
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
