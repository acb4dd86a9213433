//! Guards against clocks that do not follow the kernel's rules: a slow copy of its arithmetic, and
//! what a load of known length gets.

use std::iter;

use expect_test::expect;
use proptest::prelude::*;
use stripewise_profiles::kernel::policy;
use stripewise_study::sample::as_f64;
use stripewise_units::kernel::KernelVersion;

use super::*;

fn clocks(p_states: PStates) -> ClockProfile {
    ClockProfile {
        p_states,
        min_mhz: 800,
        max_mhz: 4200,
        step_mhz: 100,
        transition_us: 10,
        c_states: Vec::new(),
    }
}

fn rule(p_states: PStates, kernel: &str, governor: &str) -> Result<Rule, NoRule> {
    let kernel = KernelVersion::parse(kernel).unwrap();
    Rule::new(&clocks(p_states), &policy(kernel).clock, governor, None)
}

/// Returns the mean clock in MHz under I/Os that wait for `wait_us` and take `cpu_us` at the highest
/// clock, for a second after one to settle.
fn mean_mhz(rule: Rule, wait_us: u64, cpu_us: u64, waits_for_io: bool) -> u64 {
    let mut processor = Processor::new(rule, 1);
    let (mut free, mut sum, mut count) = (Instant::START, 0, 0);
    while free.as_nanos() < 2_000_000_000 {
        let at = free + Nanos::new(wait_us * 1000);
        let wake = processor.begin(0, free, at, waits_for_io);
        free = at + wake + processor.speed(0).stretch(Nanos::new(cpu_us * 1000));
        if free.as_nanos() > 1_000_000_000 {
            sum += processor.cores[0].mhz;
            count += 1;
        }
    }
    sum / count
}

#[test]
fn each_governor_has_its_clock() {
    let intel = |kernel, governor| rule(PStates::Intel, kernel, governor);
    let rules = [
        (
            "acpi-cpufreq 4.1 ondemand",
            rule(PStates::IntelAcpi, "4.1", "ondemand"),
        ),
        (
            "AMD 6.1 ondemand",
            rule(PStates::AmdCppc, "6.1", "ondemand"),
        ),
        (
            "AMD 6.1 conservative",
            rule(PStates::AmdCppc, "6.1", "conservative"),
        ),
        ("intel_pstate 4.1 powersave", intel("4.1", "powersave")),
        ("intel_pstate 4.6 powersave", intel("4.6", "powersave")),
        ("intel_pstate 4.14 powersave", intel("4.14", "powersave")),
        ("intel_pstate 5.7 powersave", intel("5.7", "powersave")),
        ("intel_cpufreq 6.12 powersave", intel("6.12", "powersave")),
        ("intel_cpufreq 6.12 ondemand", intel("6.12", "ondemand")),
        ("intel_cpufreq 6.12 schedutil", intel("6.12", "schedutil")),
        (
            "intel_cpufreq 6.12 performance",
            intel("6.12", "performance"),
        ),
    ];
    let mut lines =
        String::from("governor: MHz with 100 us + 10 us sync, the same async, 5 ms + 20 us sync\n");
    for (name, rule) in rules {
        let rule = rule.unwrap();
        let means = [(100, 10, true), (100, 10, false), (5000, 20, true)];
        let means = means.map(|(wait, cpu, io)| mean_mhz(rule.clone(), wait, cpu, io));
        lines += &format!("{name}: {means:?}\n");
    }
    expect![[r#"
        governor: MHz with 100 us + 10 us sync, the same async, 5 ms + 20 us sync
        acpi-cpufreq 4.1 ondemand: [4200, 1500, 4200]
        AMD 6.1 ondemand: [1500, 1500, 850]
        AMD 6.1 conservative: [800, 800, 800]
        intel_pstate 4.1 powersave: [4200, 4200, 4200]
        intel_pstate 4.6 powersave: [4200, 4200, 1200]
        intel_pstate 4.14 powersave: [4200, 1250, 4200]
        intel_pstate 5.7 powersave: [4200, 1250, 800]
        intel_cpufreq 6.12 powersave: [800, 800, 800]
        intel_cpufreq 6.12 ondemand: [4200, 1500, 4200]
        intel_cpufreq 6.12 schedutil: [3700, 800, 800]
        intel_cpufreq 6.12 performance: [4200, 4200, 4200]
    "#]]
    .assert_eq(&lines);
}

#[test]
fn what_has_no_rule_is_refused() {
    let refused = |p_states, kernel, governor| rule(p_states, kernel, governor).err();
    let hardware = |driver| Some(NoRule::Hardware(driver));
    assert_eq!(
        refused(PStates::IntelHwp, "4.4", "powersave"),
        hardware("intel_pstate with HWP")
    );
    assert_eq!(refused(PStates::IntelHwp, "4.4", "performance"), None);
    assert_eq!(
        refused(PStates::AmdCppc, "6.12", "powersave"),
        hardware("amd-pstate in active mode")
    );
    assert_eq!(
        refused(PStates::Intel, "5.7", "ondemand"),
        Some(NoRule::Missing("intel_pstate", &OWN))
    );
    assert_eq!(
        refused(PStates::IntelAcpi, "4.1", "schedutil"),
        Some(NoRule::Missing("acpi-cpufreq", &LEGACY_WITHOUT_SCHEDUTIL))
    );
}

#[test]
fn the_pid_controller_climbs_a_step_in_each_sample_and_falls_when_idle() {
    let rule = rule(PStates::Intel, "4.1", "powersave").unwrap();
    let climb = iter::successors(Some(800), |mhz| {
        Some(pid(&rule, *mhz, PSTATE_SAMPLE, false))
    });
    assert_eq!(
        climb.take(5).collect::<Vec<_>>(),
        [800, 900, 1000, 1100, 1200]
    );
    // 97 % wanted, a tenth of the time sampled: (97 - 10) * 0.2 = 17 steps.
    assert_eq!(pid(&rule, 4200, 10 * PSTATE_SAMPLE, false), 2500);
    assert_eq!(pid(&rule, 4200, PSTATE_SAMPLE, true), 2300);
}

#[test]
fn the_menu_governor_sleeps_as_deep_as_the_usual_idle_time_allows() {
    let state = |exit_us, residency_us| CStateProfile {
        exit_us,
        residency_us,
    };
    let mut clock = clocks(PStates::Intel);
    // `skl_cstates`, drivers/idle/intel_idle.c, 6.12.117.
    clock.c_states = vec![state(2, 2), state(10, 20), state(70, 100), state(85, 200)];
    let policy = policy(KernelVersion::new(6, 12, 0)).clock;
    let wakes = |idle_us: u64, limit| {
        let rule = Rule::new(&clock, &policy, "performance", limit).unwrap();
        let mut processor = Processor::new(rule, 1);
        let mut free = Instant::START;
        let mut wake = Nanos::default();
        for _ in 0..20 {
            let at = free + Nanos::new(idle_us * 1000);
            wake = processor.begin(0, free, at, true);
            free = at + wake + Nanos::new(5000);
        }
        wake.as_u64() / 1000
    };
    assert_eq!(
        [10, 90, 110, 250].map(|idle| wakes(idle, None)),
        [2, 10, 70, 85]
    );
    assert_eq!(
        [10, 90, 110, 250].map(|idle| wakes(idle, Some(10))),
        [2, 10, 10, 10]
    );
    assert_eq!([10, 250].map(|idle| wakes(idle, Some(0))), [2, 2]);
    assert_eq!(
        typical(&[100, 100, 100, 100, 100, 100, 100, 9000]),
        Some(100)
    );
    assert_eq!(typical(&[10, 9000, 20, 700, 5, 3000, 90, 4]), None);
}

/// `___update_load_avg` in floats: a sum of periods, each worth less than the one after it.
fn slow_utilisation(spans: &[(u64, u64)]) -> f64 {
    let y = 0.5_f64.powf(1.0 / 32.0);
    let step = 1024.0; // ns
    let mut util = 0.0;
    for (busy, idle) in spans {
        for (span, full) in [(busy, 1024.0), (idle, 0.0)] {
            for _ in 0..span / 1024 {
                let left = y.powf(step / as_f64(PERIOD));
                util = util * left + full * (1.0 - left);
            }
        }
    }
    util
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn utilisation_is_the_kernels(spans in prop::collection::vec((0_u64..3_000_000, 0_u64..3_000_000), 1..20)) {
        let rule = Rule {
            governor: Governor::Schedutil { is_invariant: false },
            ..rule(PStates::Intel, "6.12", "schedutil").unwrap()
        };
        let mut core = Processor::new(rule.clone(), 1).cores[0];
        for (busy, idle) in &spans {
            core.add_utilisation(&rule, *busy, *idle);
        }
        let fast = as_f64(core.util >> UTIL_SHIFT);
        let slow = slow_utilisation(&spans);
        prop_assert!((fast - slow).abs() <= 3.0, "{fast} {slow}");
    }

    /// A clock stays within its limits, whatever the load.
    #[test]
    fn clocks_stay_within_their_limits(
        loads in prop::collection::vec((0_u64..40_000_000, 1_u64..20_000_000, any::<bool>()), 1..60),
        which in 0_usize..6,
    ) {
        let (p_states, kernel, governor) = [
            (PStates::Amd, "6.1", "ondemand"),
            (PStates::Amd, "6.12", "conservative"),
            (PStates::Intel, "6.12", "schedutil"),
            (PStates::Amd, "4.9", "schedutil"),
            (PStates::Intel, "4.4", "powersave"),
            (PStates::Intel, "5.7", "powersave"),
        ][which];
        let mut processor = Processor::new(rule(p_states, kernel, governor).unwrap(), 1);
        let mut free = Instant::START;
        for (idle, busy, waits) in loads {
            let at = free + Nanos::new(idle);
            processor.begin(0, free, at, waits);
            free = at + processor.speed(0).stretch(Nanos::new(busy));
            let mhz = processor.cores[0].mhz;
            prop_assert!((800..=4200).contains(&mhz) && mhz.is_multiple_of(100), "{mhz}");
        }
    }
}
