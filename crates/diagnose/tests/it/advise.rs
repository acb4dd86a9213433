//! Advice. The failure: a tool names a design that a simulation of each one shows to be slower, or one
//! that does not do what was asked.

use stripewise_analysis::lifetime::Rated;
use stripewise_diagnose::advise::{Advised, Asked, Outcome, Requirement, advise, surely_survived};
use stripewise_diagnose::prediction::Prediction;
use stripewise_profiles::Profiles;
use stripewise_sim::race::Place;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::world::NeverCancel;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

const DEVICES: usize = 4;
const ARRAYS: [&str; 7] = [
    "level = \"raid0\", chunk = \"64K\"",
    "level = \"raid1\"",
    "level = \"raid10\", layout = \"n2\", chunk = \"64K\"",
    "level = \"raid10\", layout = \"n2\", chunk = \"512K\"",
    "level = \"raid10\", layout = \"f2\", chunk = \"512K\"",
    "level = \"raid5\", chunk = \"64K\"",
    "level = \"raid6\", chunk = \"64K\"",
];
const LOADS: [&str; 2] = [
    "pattern = \"randread\"\nblock_size = \"16K\"\ndepth = 8\nengine = \"libaio\"",
    "pattern = \"randwrite\"\nblock_size = \"4K\"\ndepth = 8\nengine = \"libaio\"",
];

fn model() -> Model {
    Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0))
}

fn designs() -> Vec<Vec<Cell>> {
    let cell = |array: &str, load: &str| {
        let text = format!(
            "[stack.one]\ndevices = {{ sata-ssd = {DEVICES} }}\narray = {{ {array}, bitmap = \"none\" }}\n[workload]\nsize = \"1G\"\n{load}\n"
        );
        let text = match array.contains("raid0") {
            true => text.replace(", bitmap = \"none\"", ""),
            false => text,
        };
        stripewise_fixtures::study(&text).cells.remove(0)
    };
    let of = |array: &&str| LOADS.map(|load| cell(array, load)).to_vec();
    ARRAYS.iter().map(of).collect()
}

fn rated() -> Vec<Rated> {
    let device = Rated {
        capacity_bytes: 1_000_000_000_000,
        tbw_bytes: None,
        afr_percent: None,
        ure_bits: None,
    };
    vec![device; DEVICES]
}

fn advised(weights: &[f64], requirements: &[Requirement]) -> Advised {
    let (designs, rated) = (designs(), rated());
    let asked = Asked {
        designs: &designs,
        weights,
        requirements,
        rated: &rated,
        seed: 0,
    };
    advise(&model(), &asked, &mut NeverCancel).expect("designs")
}

/// Returns the weighted geometric mean of the rates of each design, each simulated as for a table.
fn simulated(weights: &[f64]) -> Vec<f64> {
    let model = model();
    let all: f64 = weights.iter().sum();
    let of = |cells: &Vec<Cell>| {
        let rates = cells.iter().zip(weights).map(|(cell, weight)| {
            let prediction = Prediction::new(&model, cell, 0, &mut NeverCancel).expect("a cell");
            let rate = prediction
                .estimate(Metric::Bandwidth)
                .expect("a rate")
                .value;
            rate.powf(weight / all)
        });
        rates.product()
    };
    designs().iter().map(of).collect()
}

#[test]
fn the_advice_is_what_a_simulation_of_each_design_shows() {
    for weights in [[1.0, 1.0], [1.0, 9.0], [9.0, 1.0]] {
        let required = [Requirement::Survive(1)];
        let found = advised(&weights, &required);
        let rates = simulated(&weights);
        let admitted = |index: &usize| !matches!(found.outcomes[*index], Outcome::Refused(_));
        let best = (0..rates.len()).filter(admitted).map(|index| rates[index]);
        let best = best.fold(0.0, f64::max);
        for (index, outcome) in found.outcomes.iter().enumerate() {
            let Outcome::Raced(raced) = outcome else {
                continue;
            };
            let is_within = rates[index] >= 0.95 * best;
            assert_eq!(
                is_within,
                raced.place == Place::Within,
                "{weights:?} {index}: {} of {best}, {raced:?}",
                rates[index]
            );
            assert_eq!(is_within, found.same.contains(&index));
        }
        let chosen = found.best.expect("a design");
        assert!(rates[chosen] >= 0.95 * best, "{weights:?} {chosen}");
    }
}

#[test]
fn a_design_that_does_not_do_what_is_required_is_refused_however_fast_it_is() {
    let weights = [1.0, 1.0];
    let refused = |found: &Advised| {
        let outcomes = found.outcomes.iter().enumerate();
        let refused = outcomes.filter(|(_, one)| matches!(one, Outcome::Refused(_)));
        refused.map(|(index, _)| index).collect::<Vec<_>>()
    };
    let one = advised(&weights, &[Requirement::Survive(1)]);
    assert_eq!(refused(&one), [0]);
    // Of RAID 10 with two copies, any second device may be the one that must not fail.
    let two = advised(&weights, &[Requirement::Survive(2)]);
    assert_eq!(refused(&two), [0, 2, 3, 4, 5]);
    let space = [
        Requirement::Survive(1),
        Requirement::Capacity(Bytes::new(2_500_000_000_000)),
    ];
    let space = advised(&weights, &space);
    assert_eq!(refused(&space), [0, 1, 2, 3, 4, 6]);
    assert_eq!((space.best, &space.same[..]), (Some(5), &[5][..]));
    let none = advised(&weights, &[Requirement::Survive(4)]);
    assert_eq!(refused(&none).len(), ARRAYS.len());
    assert_eq!((none.best, none.ios), (None, 0));
}

#[test]
fn what_surely_survives_is_what_the_copies_allow() {
    let survived: Vec<u64> = designs()
        .iter()
        .map(|cells| surely_survived(&cells[0].stack))
        .collect();
    assert_eq!(survived, [0, 3, 1, 1, 1, 1, 2]);
}

#[test]
fn requirements_are_read_or_refused_with_those_that_are_known() {
    let read = |text: &str| text.parse::<Requirement>();
    assert_eq!(read("survive=1"), Ok(Requirement::Survive(1)));
    let space = Requirement::Capacity(Bytes::new(900 << 30));
    assert_eq!(
        (read("capacity=900G"), read("capacity>=900G")),
        (Ok(space), Ok(space))
    );
    for wrong in [
        "survive",
        "survive=one",
        "capacity=much",
        "commit_p99<=5ms",
        "years>=5",
    ] {
        let refused = read(wrong).expect_err(wrong);
        assert!(
            refused.contains('`') || refused.contains("size"),
            "{wrong}: {refused}"
        );
    }
}

#[test]
fn of_equals_the_one_with_mdadms_defaults_is_chosen() {
    // Reads of one size come from one disk each, whatever the chunk is.
    let found = advised(&[1.0, 1e-9], &[Requirement::Survive(1)]);
    let chosen = found.best.expect("a design");
    let same: Vec<&str> = found.same.iter().map(|index| ARRAYS[*index]).collect();
    for layout in ["n2", "f2"] {
        assert!(same.iter().any(|array| array.contains(layout)), "{same:?}");
    }
    // Both hold as much; `n2` and 512K are mdadm's.
    assert_eq!(ARRAYS[chosen], ARRAYS[3], "{same:?}");
}
