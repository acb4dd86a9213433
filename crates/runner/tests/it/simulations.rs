//! The failure: a run in the model world gave other numbers than `predict`. Each cell had its own
//! seeds, drawn from its place in the study, and as many simulations as the study asks for on a
//! disk. Here a world whose samples depend on stack and seed only replaces the model.

use std::cell::Cell as Shared;
use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use stripewise_analysis::cell::analyse;
use stripewise_analysis::simulations::{SIMULATIONS_MAX, SIMULATIONS_MIN};
use stripewise_fixtures::{FakeWorld, reading, study};
use stripewise_results::{NewRun, Store};
use stripewise_runner::{Event, Observer, Outcome, Runner, Unsaved};
use stripewise_stats::Estimate;
use stripewise_study::facts::Facts;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::sample::{Breakdown, Role, Sample, SampleRecord};
use stripewise_study::world::WorldName;

use crate::of_cell;

const SEED: u64 = 41;

fn number(name: &str, key: char) -> f64 {
    let rest = name.split(key).nth(1).unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// A world in which a stack's name gives its bandwidth and its noise: `n100v2` is 100 MB/s give or
/// take 2 %.
fn simulated(on_all_cores: bool) -> FakeWorld<'static> {
    FakeWorld::simulating(on_all_cores, |cell, request| {
        let name = &cell.stack.name;
        // Each stack has its own noise: common noise would cancel in pairs.
        let salt = name
            .bytes()
            .fold(0, |sum: u64, byte| 31 * sum + u64::from(byte));
        let mut stream = Pcg64::seed_from_u64(request.seed ^ (salt << 32));
        let varied = number(name, 'v') / 100.0 * (2.0 * stream.random::<f64>() - 1.0);
        let bandwidth = 1e6 * number(name, 'n') * (1.0 + varied);
        Sample {
            breakdown: Some(Breakdown::default()),
            ..reading(bandwidth, request.duration)
        }
    })
}

fn study_of(stacks: &[&str], rest: &str) -> Study {
    let stacks: String = stacks
        .iter()
        .map(|name| format!("[stack.{name}]\n"))
        .collect();
    let text = format!(
        "{stacks}[workload]\npattern = \"read\"\nblock_size = \"4K\"\nsize = \"1G\"\n\
         [repeat]\nsample = \"1s\"\n{rest}"
    );
    study(&text)
}

/// Counts the samples that were saved.
struct Counting<'a>(&'a Shared<usize>);

impl Observer for Counting<'_> {
    fn event(&mut self, event: Event<'_>) {
        if matches!(event, Event::Saved { .. }) {
            self.0.set(self.0.get() + 1);
        }
    }
}

/// Runs a study to its end, in sessions of at most `session` samples.
fn run(study: &Study, session: usize) -> Vec<SampleRecord> {
    run_in(simulated(true), study, session)
}

fn run_in(mut world: FakeWorld, study: &Study, session: usize) -> Vec<SampleRecord> {
    let mut store = Store::in_memory().unwrap();
    let new = NewRun {
        seed: SEED,
        ..NewRun::of(WorldName::Model.into(), "test")
    };
    let id = store
        .begin_run(&new, &study.cells, &Facts::default())
        .unwrap();
    loop {
        // Not the looks are counted: while a run waits for a result, their number is a matter of time.
        let saved = Shared::new(0_usize);
        let stop = || saved.get() >= session;
        let earlier = store.run(id).unwrap().samples;
        let runner = Runner {
            store: &mut store,
            run: id,
            study,
            seed: SEED,
            spent: Duration::ZERO,
            observer: &mut Counting(&saved),
            stop: &stop,
            now: &|| Duration::ZERO,
            unsaved: Unsaved::default(),
        };
        match runner.execute(&mut world, earlier, &[]).unwrap() {
            Outcome::Interrupted => store.claim_run(id).unwrap(),
            _ => return store.run(id).unwrap().samples,
        }
    }
}

fn estimate(study: &Study, samples: &[SampleRecord], cell: usize) -> Estimate {
    let steady = study.repeat.steady_state;
    let analysis = analyse(of_cell(samples, cell), steady, Metric::Bandwidth);
    *analysis.estimate(Metric::Bandwidth).unwrap()
}

#[test]
fn a_cell_has_the_same_estimate_alone_and_beside_others() {
    let names = ["n100v0", "n100v1", "n103v6", "n80v9", "n60v40"];
    let compare = "[compare]\nbaseline = { stack = \"n100v1\" }\n";
    let together = study_of(&names, compare);
    let all = run(&together, usize::MAX);
    let mut counts = Vec::new();
    for (cell, name) in names.into_iter().enumerate() {
        let alone = study_of(&[name], "");
        let samples = run(&alone, usize::MAX);
        let own = estimate(&alone, &samples, 0);
        assert_eq!(estimate(&together, &all, cell), own, "{name}");
        assert_eq!(samples.len(), own.samples, "{name}");
        counts.push(own.samples);
    }
    assert_eq!(counts[0], SIMULATIONS_MIN, "a cell without noise");
    assert_eq!(
        counts[4], SIMULATIONS_MAX,
        "a cell that never becomes narrow"
    );
    assert!(counts.is_sorted(), "{counts:?}");
}

#[test]
fn simulation_k_has_the_kth_seed_however_often_a_run_stops() {
    let study = study_of(
        &["n100v1", "n103v6", "n80v9"],
        "[compare]\nbaseline = { stack = \"n100v1\" }\n",
    );
    let whole = run(&study, usize::MAX);
    for session in [1, 2, 3, 5, 7, 20] {
        let resumed = run(&study, session);
        assert_eq!(resumed.len(), whole.len(), "sessions of {session}");
        for cell in 0..study.cells.len() {
            let samples = of_cell(&resumed, cell);
            assert_eq!(samples, of_cell(&whole, cell), "sessions of {session}");
            for (block, record) in (0..).zip(samples) {
                assert_eq!(record.block, block);
                assert_eq!(record.seed, Some(SEED + u64::from(block)));
                assert_eq!(record.role, Role::Counted);
            }
        }
    }
}

#[test]
fn all_cores_take_the_same_samples_in_the_same_order() {
    let names = ["n100v1", "n103v6", "n80v9", "n60v40", "n90v2"];
    let study = study_of(&names, "[compare]\nbaseline = { stack = \"n100v1\" }\n");
    for session in [3, usize::MAX] {
        let [one, all] =
            [false, true].map(|on_all_cores| run_in(simulated(on_all_cores), &study, session));
        assert_eq!(all, one, "sessions of {session}");
    }
}

#[test]
fn settings_for_real_disks_do_not_change_a_simulation() {
    let names = ["n100v1", "n80v9"];
    let expected = run(&study_of(&names, ""), usize::MAX);
    for rest in [
        "at_least = 7\nat_most = 8\n",
        "at_most = 100\ninterval = \"0.1%\"\n",
        "interval = \"30%\"\n",
        "steady_state = \"snia\"\n",
    ] {
        let study = study_of(&names, rest);
        let samples = run(&study, usize::MAX);
        assert_eq!(samples, expected, "{rest}");
        assert!(estimate(&study, &samples, 0).samples >= SIMULATIONS_MIN);
    }
}

#[test]
fn an_inconclusive_comparison_gets_more_pairs_and_keeps_the_estimates() {
    let compare = "[compare]\nbaseline = { stack = \"n100v1\" }\nmargin = \"1%\"\n";
    let close = study_of(&["n100v1", "n101v1"], compare);
    let samples = run(&close, usize::MAX);
    for cell in 0..2 {
        assert_eq!(of_cell(&samples, cell).len(), SIMULATIONS_MAX);
        assert!(estimate(&close, &samples, cell).samples < SIMULATIONS_MAX);
    }
    let far = study_of(&["n100v1", "n150v1"], compare);
    let samples = run(&far, usize::MAX);
    for cell in 0..2 {
        let count = of_cell(&samples, cell).len();
        assert_eq!(estimate(&far, &samples, cell).samples, count);
    }
}
