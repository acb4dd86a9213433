//! "Gives the most" once stood beside `119 (17–201)`: the headline of predictions compared medians. No
//! stack may be said to give the most while its interval reaches another's.

use std::collections::BTreeMap;
use std::time::Duration;

use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Why;
use stripewise_fixtures::Numbers;
use stripewise_profiles::Profiles;
use stripewise_profiles::device::Model;
use stripewise_report::explanation::Explanation;
use stripewise_report::render::terminal;
use stripewise_report::view::View;
use stripewise_sim::engine::Limits;
use stripewise_sim::question::Question;
use stripewise_sim::world::Model as SimModel;
use stripewise_stats::{Estimate, Interval, Level};
use stripewise_study::metric::Metric;
use stripewise_study::sample::as_f64;
use stripewise_study::warning::Changing;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

/// A value in MiB/s, what is shown around it, and the interval of the simulations alone.
#[derive(Clone, Copy)]
struct Gives {
    value: f64,
    shown: Option<(f64, f64)>,
    own: Option<(f64, f64)>,
    /// Whether the simulation ended before the long run.
    is_changing: bool,
}

/// A simulation that agrees within 1 %, with the profile's error.
const fn off(value: f64, low: f64, high: f64) -> Gives {
    Gives {
        value,
        shown: Some((low, high)),
        own: Some((value * 0.99, value * 1.01)),
        is_changing: false,
    }
}

/// A simulation that agrees within 1 %, of a profile whose error is not known.
const fn plain(value: f64) -> Gives {
    Gives {
        value,
        shown: Some((value * 0.99, value * 1.01)),
        own: None,
        is_changing: false,
    }
}

/// The same, but the simulation ended before the long run.
fn unfinished(gives: Gives) -> Gives {
    Gives {
        is_changing: true,
        ..gives
    }
}

fn estimate(gives: Gives) -> Estimate {
    let interval = |(low, high)| Interval {
        low: low * 1_048_576.0,
        high: high * 1_048_576.0,
    };
    Estimate {
        value: gives.value * 1_048_576.0,
        interval: gives.shown.map(interval),
        of_samples: gives.own.map(interval),
        level: Level::P95,
        samples: 5,
        effective_samples: 5.0,
    }
}

/// Returns the first lines of predictions of RAID 0, 10 and 5: what each gives, and what it gives fresh.
fn headline(stacks: &[(Gives, Option<Gives>)]) -> String {
    let model = SimModel {
        limits: Limits {
            ios_max: 2_000,
            ..Limits::default()
        },
        ..SimModel::new(Profiles::shipped(), KernelVersion::new(6, 12, 0))
    };
    let mut explanation = Explanation::new(&model, 0).unwrap();
    for ((steady, fresh), level) in stacks.iter().zip(["raid0", "raid10", "raid5"]) {
        let stack = format!("devices = {{ sata-ssd = 4 }}\narray = {{ level = \"{level}\" }}");
        let cell = stripewise_fixtures::cell_of(
            &stack,
            "pattern = \"randwrite\"\nblock_size = \"4K\"\nsize = \"1G\"",
        );
        let made = Prediction::new(&model, &cell, 0, &mut NeverCancel).unwrap();
        let giving = |gives: Gives| Prediction {
            estimates: BTreeMap::from([(Metric::Bandwidth.key(), estimate(gives))]),
            changing: gives.is_changing.then_some(Changing::FastArea),
            ..made.clone()
        };
        let why = Why::new(&model, &cell, &made);
        explanation.add(cell, giving(*steady), why, Vec::new());
        explanation.add_fresh(fresh.map(giving).as_ref());
    }
    let text = terminal(&explanation.blocks(), View::PLAIN);
    let lines = text.lines().take_while(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

fn steady(stacks: &[Gives]) -> String {
    let stacks: Vec<_> = stacks.iter().map(|gives| (*gives, None)).collect();
    headline(&stacks)
}

#[test]
fn no_stack_gives_the_most_whose_interval_reaches_another() {
    let ahead = steady(&[off(127.0, 18.0, 217.0), off(119.0, 17.0, 201.0)]);
    assert!(
        ahead.contains("4 x raid0 512K is ahead, but not beyond doubt; 4 x raid10"),
        "{ahead}"
    );
    assert!(ahead.contains("with 6 % less"), "{ahead}");
    // The next one is apart; one further behind reaches the best.
    let third = steady(&[
        off(200.0, 180.0, 220.0),
        off(100.0, 90.0, 110.0),
        off(90.0, 10.0, 190.0),
    ]);
    assert!(third.contains("raid0 512K is ahead, but not"), "{third}");
    for text in [ahead, third] {
        assert!(!text.contains("the most"), "{text}");
    }
}

#[test]
fn a_stack_gives_the_most_beyond_doubt_if_all_intervals_are_apart() {
    let apart = steady(&[off(100.0, 90.0, 110.0), off(200.0, 180.0, 220.0)]);
    assert!(
        apart.contains("4 x raid10 n2 512K gives the most, beyond doubt; 4 x raid0"),
        "{apart}"
    );
    // The disks do the same in both, only twice in one, so an error of their profile moves both.
    let common = steady(&[plain(200.0), plain(100.0)]);
    assert!(
        common.contains("4 x raid0 512K gives the most, beyond doubt, as the error of the profile is common to them; 4 x raid10"),
        "{common}"
    );
    // Two measurements of one disk differ by as much.
    let near = steady(&[plain(100.0), plain(90.0)]);
    assert!(
        near.contains("gives the most, but not beyond doubt"),
        "{near}"
    );
    // RAID 5 reads before it writes: an error of reads alone changes the order.
    let unlike = steady(&[plain(50.0), plain(50.0), plain(100.0)]);
    assert!(
        unlike.contains("raid5 512K gives the most, but not beyond"),
        "{unlike}"
    );
    let none = Gives {
        shown: None,
        ..plain(200.0)
    };
    let none = steady(&[plain(100.0), none]);
    assert!(
        none.contains("raid10 n2 512K is ahead, but not beyond doubt"),
        "{none}"
    );
}

#[test]
fn stacks_are_the_same_for_certain_only_if_their_simulations_agree() {
    let same = steady(&[off(100.0, 20.0, 200.0), off(101.0, 20.0, 200.0)]);
    assert!(
        same.contains("all of them are the same within 5 %."),
        "{same}"
    );
    let wide = |value: f64| Gives {
        value,
        shown: Some((50.0, 150.0)),
        own: None,
        is_changing: false,
    };
    let open = steady(&[wide(100.0), wide(101.0)]);
    assert!(
        open.contains("the same within 5 %, but not beyond doubt."),
        "{open}"
    );
    let two = steady(&[plain(100.0), plain(101.0), plain(50.0)]);
    assert!(
        two.contains("4 x raid0 512K, 4 x raid10 n2 512K give the most, but not beyond doubt, and are the same within 5 %; 4 x raid5"),
        "{two}"
    );
    let near = steady(&[plain(100.0), plain(101.0), off(90.0, 20.0, 120.0)]);
    assert!(
        near.contains("are ahead, but not beyond doubt, and are the same"),
        "{near}"
    );
}

#[test]
fn nothing_is_sure_of_simulations_that_ended_before_the_long_run() {
    let ahead = steady(&[
        unfinished(off(200.0, 190.0, 210.0)),
        off(100.0, 90.0, 110.0),
    ]);
    assert!(
        ahead.contains("raid0 512K is ahead, but not beyond doubt"),
        "{ahead}"
    );
    let behind = steady(&[
        off(200.0, 190.0, 210.0),
        unfinished(off(100.0, 90.0, 110.0)),
    ]);
    assert!(
        behind.contains("raid0 512K is ahead, but not beyond doubt"),
        "{behind}"
    );
    let same = steady(&[unfinished(off(100.0, 99.0, 101.0)), off(100.0, 99.0, 101.0)]);
    assert!(
        same.contains("the same within 5 %, but not beyond doubt"),
        "{same}"
    );
}

#[test]
fn each_state_has_its_own_order() {
    let order = headline(&[
        (plain(50.0), Some(plain(300.0))),
        (plain(80.0), Some(off(200.0, 100.0, 310.0))),
    ]);
    assert!(
        order
            .contains("Fresh devices: randwrite 4K: 4 x raid0 512K is ahead, but not beyond doubt"),
        "{order}"
    );
    assert!(
        order
            .contains("Steady devices: randwrite 4K: 4 x raid10 n2 512K gives the most, beyond doubt, as the error of the profile is common to them; 4 x raid0"),
        "{order}"
    );
}

/// The factors by which the devices of a drawn question are slower, of what their profile may be off by.
const OFF: [f64; 4] = [-1.0, -0.5, 0.5, 1.0];
/// What is off by if nothing is known of it: a factor of four.
const UNKNOWN: f64 = 2.0 * std::f64::consts::LN_2;
/// How often questions are drawn.
const QUESTIONS: u64 = 40;
/// Rates of so few I/Os differ by so much from one simulation to the next.
const NOISE: f64 = 0.02;

/// Makes the work of each device take `by` times as long; its link stays as it is.
fn slow_down(profiles: &mut Profiles, by: f64) {
    for device in profiles.devices.values_mut() {
        let Model::Calibrated(profile) = &mut device.model else {
            continue;
        };
        let link = profile.link.clone();
        for (direction, rate) in [
            (&mut profile.read, link.read_bytes_per_s),
            (&mut profile.write, link.write_bytes_per_s),
        ] {
            for point in direction.random.iter_mut().chain(&mut direction.sequential) {
                let data = as_f64(point.size_bytes) * 1e9 / as_f64(rate);
                let time = as_f64(point.time_ns);
                let transfer = time.min(as_f64(link.command_ns) + data);
                let slower = Duration::from_secs_f64((transfer + (time - transfer) * by) / 1e9);
                point.time_ns = u64::try_from(slower.as_nanos()).unwrap();
            }
        }
    }
}

fn small(profiles: Profiles) -> SimModel {
    SimModel {
        limits: Limits {
            ios_max: 40_000,
            ..Limits::default()
        },
        ..SimModel::new(profiles, KernelVersion::new(6, 12, 0))
    }
}

fn one_of<T: Copy>(numbers: &mut Numbers, all: &[T]) -> T {
    let place = numbers.below(u64::try_from(all.len()).unwrap());
    all[usize::try_from(place).unwrap()]
}

/// Returns the load and the stacks of a drawn question.
fn drawn(numbers: &mut Numbers) -> (String, Vec<String>) {
    let device = one_of(
        numbers,
        &["sata-ssd", "nvme-ssd", "samsung-850-evo-500", "intel-p4500"],
    );
    let pattern = one_of(numbers, &["randread", "randwrite", "read", "write"]);
    let block = one_of(numbers, &["4K", "16K", "64K", "256K"]);
    let depth = one_of(numbers, &[1, 4, 16, 64]);
    let load = format!(
        "pattern = \"{pattern}\"\nblock_size = \"{block}\"\ndepth = {depth}\nengine = \"libaio\"\nsize = \"1G\""
    );
    let arrays = [
        "level = \"raid0\"",
        "level = \"raid10\"",
        "level = \"raid10\", layout = \"f2\"",
        "level = \"raid5\"",
        "level = \"raid6\"",
        "level = \"raid5\", chunk = \"64K\"",
    ];
    let first = one_of(numbers, &arrays);
    let others: Vec<&str> = arrays.into_iter().filter(|one| *one != first).collect();
    let second = one_of(numbers, &others);
    let mut stack = |array: &str| {
        let count = one_of(numbers, &[4, 6, 8]);
        format!("devices = {{ {device} = {count} }}\narray = {{ {array} }}\nfilesystem = \"none\"")
    };
    (load, vec![stack(first), stack(second)])
}

/// A headline said "beyond doubt" of an order that a slower disk reverses.
#[test]
fn an_order_beyond_doubt_holds_wherever_the_profile_may_be_off() {
    let seed = stripewise_fixtures::seed();
    let mut numbers = Numbers::of(seed);
    let (mut decided, mut failed) = (0, Vec::new());
    for number in 0..QUESTIONS {
        let (load, stacks) = drawn(&mut numbers);
        let cells = stacks
            .iter()
            .map(|stack| stripewise_fixtures::cell_of(stack, &load));
        let cells: Vec<_> = cells.collect();
        let model = small(Profiles::shipped());
        let mut explanation = Explanation::new(&model, 0).unwrap();
        let mut off = 0.0_f64;
        let mut values = Vec::new();
        for cell in &cells {
            let prediction = Prediction::new(&model, cell, 0, &mut NeverCancel).unwrap();
            let why = Why::new(&model, cell, &prediction);
            let known = prediction.breakdown.uncertainty.as_ref();
            off = off.max(known.map_or(UNKNOWN, |known| {
                let widths = known.sources.iter().map(|source| source.half_width);
                widths.fold(0.0, libm::hypot)
            }));
            values.push(prediction.estimate(Metric::Bandwidth).unwrap().value);
            explanation.add(cell.clone(), prediction, why, Vec::new());
        }
        let text = terminal(&explanation.blocks(), View::PLAIN);
        let headline: String = text.lines().take_while(|line| !line.is_empty()).collect();
        if !headline.contains("gives the most, beyond doubt") {
            continue;
        }
        decided += 1;
        let best = usize::from(values[1] > values[0]);
        for share in OFF {
            let mut profiles = Profiles::shipped();
            slow_down(&mut profiles, (share * off).exp());
            let model = small(profiles);
            let rate = |cell| {
                let question = Question::once(cell, 1);
                let prediction = Prediction::of_question(&model, &question, &mut NeverCancel);
                prediction
                    .unwrap()
                    .estimate(Metric::Bandwidth)
                    .unwrap()
                    .value
            };
            let ratio = rate(&cells[best]) / rate(&cells[1 - best]);
            if ratio < 1.0 - NOISE {
                failed.push(format!("{number}: {headline}\n{load}\n{stacks:?}\noff by {share} of {off:.2}: {ratio:.3}"));
            }
        }
    }
    println!("seed {seed}: {decided} of {QUESTIONS} are decided");
    assert!(decided > 0, "no order is beyond doubt");
    assert!(failed.is_empty(), "seed {seed}: {}", failed.join("\n"));
}
