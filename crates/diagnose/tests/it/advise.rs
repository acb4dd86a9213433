//! Advice. The failure: a tool names a design that a simulation of each one shows to be slower, or one
//! that does not do what was asked.

use stripewise_analysis::lifetime::Rated;
use stripewise_diagnose::advise::{Advised, Asked, Outcome, Prefer, advise};
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::requirement::{Requirement, surely_survived};
use stripewise_diagnose::simplicity::{Special, specials};
use stripewise_profiles::Profiles;
use stripewise_sim::race::Place;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

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
        tbw_bytes: Some(600_000_000_000_000),
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
        prefer: Prefer::Simple,
        rated: &rated,
        writes_per_day: Some(Bytes::new(100_000_000_000)),
        price: Some(89.0),
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
    let commit = Requirement::CommitP99(Nanos::from_millis(5));
    let rebuild = Requirement::Rebuild(Nanos::from_millis(6 * 3_600_000));
    for (texts, read_as) in [
        (["capacity=900G", "capacity>=900G"], space),
        (["commit_p99<=5ms", "commit_p99=5ms"], commit),
        (["years>=5", " years >= 5 "], Requirement::Years(5.0)),
        (["rebuild<=6h", "rebuild = 6h"], rebuild),
        (["price<=400", "price=400"], Requirement::Price(400.0)),
    ] {
        assert_eq!(texts.map(read), [Ok(read_as), Ok(read_as)]);
        // What is written is read as the same.
        assert_eq!(read(&read_as.to_string()), Ok(read_as));
    }
    for (wrong, said) in [
        ("survive", "has no `=`"),
        ("survive=one", "not a number of devices"),
        ("capacity=much", "size"),
        ("capacity<=900G", "write `capacity>=900G`"),
        ("commit_p99>=5ms", "write `commit_p99<=5ms`"),
        ("years>=0", "above 0"),
        ("rebuild<=0s", "no time"),
        ("colour=blue", "`colour` is not known"),
    ] {
        let refused = read(wrong).expect_err(wrong);
        assert!(refused.contains(said), "{wrong}: {refused}");
    }
}

#[test]
fn a_requirement_that_takes_a_simulation_refuses_what_was_fastest() {
    let weights = [1.0, 1.0];
    let free = advised(&weights, &[Requirement::Survive(1)]);
    let fastest = free.best.expect("a design");
    // Every byte that the load writes is written twice at least, so 30 TB of each device's 600 TB a year.
    let lasts = |years: f64| {
        advised(
            &weights,
            &[Requirement::Survive(1), Requirement::Years(years)],
        )
    };
    assert_eq!(lasts(1.0).best, Some(fastest));
    let none = lasts(1e6);
    assert_eq!(none.best, None);
    let nearest = none.nearest.expect("some design comes nearest");
    let [refusal] = nearest.refusals[..] else {
        panic!("{nearest:?}");
    };
    assert_eq!(refusal.requirement, Requirement::Years(1e6));
    let years = refusal.value.expect("a number of years");
    assert!((1.0..1e6).contains(&years), "{years}");
    // Each of the designs that could be chosen was judged, and says by how much it misses.
    let judged = none.outcomes.iter().filter(|one| match one {
        Outcome::Refused(refusal) => refusal.requirement == Requirement::Years(1e6),
        Outcome::Raced(_) => false,
    });
    assert_eq!(judged.count(), ARRAYS.len() - 1);
    // Between them, the design with the least wear is left.
    let some = lasts(years * 0.99);
    assert_eq!(some.best, Some(nearest.design));
}

#[test]
fn a_price_refuses_what_costs_more_and_an_unknown_quantity_refuses_all() {
    let weights = [1.0, 1.0];
    let price = |most: f64| advised(&weights, &[Requirement::Price(most)]);
    assert!(price(356.0).best.is_some());
    assert_eq!(price(355.0).best, None);
    // Nothing survives a failure here, so nothing is rebuilt.
    let designs = vec![designs().remove(0)];
    let rated = rated();
    let asked = Asked {
        designs: &designs,
        weights: &weights,
        requirements: &[Requirement::Rebuild(Nanos::from_millis(3_600_000))],
        prefer: Prefer::Simple,
        rated: &rated,
        writes_per_day: None,
        price: None,
        seed: 0,
    };
    let found = advise(&model(), &asked, &mut NeverCancel).expect("an answer");
    assert_eq!(found.best, None);
    let nearest = found.nearest.expect("the only one");
    assert_eq!(nearest.refusals[0].value, None);
}

#[test]
fn of_equals_the_simplest_is_chosen() {
    // Reads of one size come from one disk each, whatever the chunk is.
    let found = advised(&[1.0, 1e-9], &[Requirement::Survive(1)]);
    let same: Vec<&str> = found.same.iter().map(|index| ARRAYS[*index]).collect();
    for level in ["raid1\"", "n2", "f2"] {
        assert!(same.iter().any(|array| array.contains(level)), "{same:?}");
    }
    let chosen = found.best.expect("a design");
    assert_eq!(ARRAYS[chosen], ARRAYS[3], "{same:?}");
}

#[test]
fn what_is_preferred_orders_equals() {
    let (designs, rated) = (designs(), rated());
    let first = |prefer: Prefer, requirements: &[Requirement]| {
        let asked = Asked {
            designs: &designs,
            weights: &[1.0, 1.0],
            requirements,
            prefer,
            rated: &rated,
            writes_per_day: None,
            price: None,
            seed: 0,
        };
        let all = 0..designs.len();
        let best = all.filter(|design| requirements.is_empty() || *design > 0);
        let best = best.min_by(|one, other| asked.by_simplicity(*one, *other));
        ARRAYS[best.expect("designs")]
    };
    let survive = [Requirement::Survive(1)];
    // Both keep half of the space for copies: mdadm's layout and chunk win.
    assert_eq!(first(Prefer::Simple, &survive), ARRAYS[3]);
    // Parity takes the space of one device.
    assert_eq!(first(Prefer::Space, &survive), ARRAYS[5]);
    // With nothing required, no copies are needed.
    assert_eq!(first(Prefer::Simple, &[]), ARRAYS[0]);
    assert_eq!(first(Prefer::Space, &[]), ARRAYS[0]);
}

#[test]
fn what_is_special_is_what_mdadm_would_not_do_or_nobody_asked_for() {
    let of = |index: usize, survive: u64| specials(&designs()[index][0].stack, survive);
    // These arrays have no bitmap, which mdadm makes.
    assert_eq!(of(0, 0), [Special::Chunk]);
    assert_eq!(of(1, 1), [Special::MoreSurvived(2), Special::Bitmap]);
    assert_eq!(of(2, 1), [Special::Chunk, Special::Bitmap]);
    assert_eq!(of(3, 1), [Special::Bitmap]);
    assert_eq!(of(4, 1), [Special::Layout, Special::Bitmap]);
    assert_eq!(of(5, 1), [Special::Parity, Special::Chunk, Special::Bitmap]);
    assert_eq!(of(6, 2), [Special::Parity, Special::Chunk, Special::Bitmap]);
    assert_eq!(of(6, 1)[1], Special::MoreSurvived(1));
}

#[test]
fn pools_survive_what_their_words_say() {
    let survived = |devices: u32, filesystem: &str| {
        let text = format!(
            "[stack.one]\ndevices = {{ sata-ssd = {devices} }}\nfilesystem = {filesystem}\n[workload]\nsize = \"1G\"\n{}\n",
            LOADS[0]
        );
        surely_survived(&stripewise_fixtures::study(&text).cells[0].stack)
    };
    let zfs =
        |word: &str| format!("{{ type = \"zfs\", mkfs = [\"-o\", \"ashift=12\", \"{word}\"] }}");
    for (word, expected) in [("mirror", 3), ("raidz1", 1), ("raidz2", 2), ("raidz3", 3)] {
        assert_eq!(survived(4, &zfs(word)), expected, "{word}");
    }
    let btrfs = |word: &str| format!("{{ type = \"btrfs\", mkfs = [\"-d\", \"{word}\"] }}");
    for (word, expected) in [("raid0", 0), ("raid1", 1), ("raid10", 1), ("raid1c3", 2)] {
        assert_eq!(survived(4, &btrfs(word)), expected, "{word}");
    }
}
