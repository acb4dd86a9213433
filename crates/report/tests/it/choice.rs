//! "Gives the most" once stood beside `119 (17–201)`: the headline of predictions compared medians. No
//! stack may be said to give the most while its interval reaches another's.

use std::collections::BTreeMap;

use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Why;
use stripewise_profiles::Profiles;
use stripewise_report::explanation::Explanation;
use stripewise_report::render::terminal;
use stripewise_report::view::View;
use stripewise_sim::engine::Limits;
use stripewise_sim::world::Model;
use stripewise_stats::{Estimate, Interval, Level};
use stripewise_study::metric::Metric;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

/// A value in MiB/s, what is shown around it, and the interval of the simulations alone.
#[derive(Clone, Copy)]
struct Gives {
    value: f64,
    shown: Option<(f64, f64)>,
    own: Option<(f64, f64)>,
}

/// A simulation that agrees within 1 %, with the profile's error.
const fn off(value: f64, low: f64, high: f64) -> Gives {
    Gives {
        value,
        shown: Some((low, high)),
        own: Some((value * 0.99, value * 1.01)),
    }
}

/// A simulation that agrees within 1 %, of a profile whose error is not known.
const fn plain(value: f64) -> Gives {
    Gives {
        value,
        shown: Some((value * 0.99, value * 1.01)),
        own: None,
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
    let model = Model {
        limits: Limits {
            ios_max: 2_000,
            ..Limits::default()
        },
        ..Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0))
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
            changing: None,
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
