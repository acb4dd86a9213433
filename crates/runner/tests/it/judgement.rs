//! A runner that measures the wrong cell, stops too early or loses a sample gives answers that look
//! right. Here a fake world replaces the disk and a fake clock replaces time, so that order,
//! stopping and budget can be checked exactly.

use std::cell::Cell as Shared;
use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use stripewise_analysis::simulations::SIMULATIONS_MIN;
use stripewise_fixtures::{FakeWorld, reading, study};
use stripewise_results::{NewRun, RunId, RunState, Store};
use stripewise_runner::{CellEnd, Cut, Outcome, Phase, Quiet, RunError, Runner, Unsaved};
use stripewise_stats::Verdict;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::warning::Warning;
use stripewise_study::world::{Change, WorldName};
use stripewise_units::Nanos;

use crate::of_cell;

/// A world that draws a cell's bandwidth by a function of the cell, the turn and a random stream.
fn numbers<'a>(
    clock: &'a Shared<Duration>,
    mut bandwidth: impl FnMut(&Cell, usize, &mut Pcg64) -> f64 + 'a,
) -> FakeWorld<'a> {
    FakeWorld {
        clock: Some(clock),
        change: Some(Change::directory("/nowhere")),
        ..FakeWorld::new(move |cell, turn, request, _| {
            let mut rng = Pcg64::seed_from_u64(request.seed);
            let bandwidth = bandwidth(cell, turn, &mut rng);
            Ok(reading(bandwidth, request.duration))
        })
    }
}

const TWO_STACKS: &str = r#"
[stack.a]
[stack.b]
[workload]
pattern = ["read", "write"]
size = "1G"
[repeat]
sample = "1s"
budget = "1h"
"#;

fn begin(store: &mut Store, study: &Study) -> RunId {
    let new = NewRun {
        seed: 1,
        ..NewRun::of(WorldName::Model.into(), "test")
    };
    store
        .begin_run(&new, &study.cells, &Facts::default())
        .unwrap()
}

struct FinishedRun {
    result: Result<Outcome, RunError>,
    samples: Vec<SampleRecord>,
    state: RunState,
    outstanding: usize,
}

/// Returns how the cells of a finished run ended.
fn ended(result: Result<Outcome, RunError>) -> Vec<Option<CellEnd>> {
    match result {
        Ok(Outcome::Done { cells }) => cells,
        other => panic!("{other:?}"),
    }
}

/// Runs a study in a fake world, stopping after `stop_after` samples.
fn run(
    study: &Study,
    seed: u64,
    stop_after: Option<usize>,
    world: impl FnOnce(&Shared<Duration>) -> FakeWorld<'_>,
) -> FinishedRun {
    let mut store = Store::in_memory().unwrap();
    let id = begin(&mut store, study);
    run_in(&mut store, id, study, seed, stop_after, Vec::new(), world)
}

fn run_in(
    store: &mut Store,
    id: RunId,
    study: &Study,
    seed: u64,
    stop_after: Option<usize>,
    earlier: Vec<SampleRecord>,
    world: impl FnOnce(&Shared<Duration>) -> FakeWorld<'_>,
) -> FinishedRun {
    let clock = Shared::new(Duration::from_secs(1000));
    let asked = Shared::new(0_usize);
    let mut world = world(&clock);
    let stop = || {
        // Called once before each sample and once during it.
        asked.set(asked.get() + 1);
        stop_after.is_some_and(|samples| asked.get() > 2 * samples)
    };
    let runner = Runner {
        store: &mut *store,
        run: id,
        study,
        seed,
        spent: earlier
            .iter()
            .map(|record| Duration::from(record.sample.elapsed_ns))
            .sum(),
        observer: &mut Quiet,
        stop: &stop,
        now: &|| clock.get(),
        unsaved: Unsaved::default(),
    };
    let result = runner.execute(&mut world, earlier, &[]);
    let stored = store.run(id).unwrap();
    FinishedRun {
        result,
        samples: stored.samples,
        state: stored.summary.state,
        outstanding: store.outstanding_changes().unwrap().len(),
    }
}

fn noisy(mean: f64, relative: f64, rng: &mut Pcg64) -> f64 {
    let sum: f64 = (0..12).map(|_| rng.random::<f64>()).sum();
    mean * (1.0 + relative * (sum - 6.0))
}

fn calm(clock: &Shared<Duration>) -> FakeWorld<'_> {
    numbers(clock, |_, _, rng| noisy(1e8, 0.01, rng))
}

fn wild(clock: &Shared<Duration>) -> FakeWorld<'_> {
    numbers(clock, |_, _, rng| noisy(1e8, 0.3, rng))
}

/// Stack `a` has no noise.
fn quiet_and_wild(clock: &Shared<Duration>) -> FakeWorld<'_> {
    numbers(clock, |cell, _, rng| match cell.stack.name.as_str() {
        "b" => noisy(1e8, 0.6, rng),
        _ => 1e8,
    })
}

fn repeatable(clock: &Shared<Duration>) -> FakeWorld<'_> {
    FakeWorld {
        is_repeatable: true,
        ..calm(clock)
    }
}

fn repeatable_until_it_fails(clock: &Shared<Duration>) -> FakeWorld<'_> {
    FakeWorld {
        fails_at: Some(5),
        ..repeatable(clock)
    }
}

#[test]
fn every_block_holds_each_open_cell_once_in_its_own_order() {
    let study = study(TWO_STACKS);
    let ran = run(&study, 5, None, calm);
    assert_eq!(
        ran.result.unwrap(),
        Outcome::Done {
            cells: vec![Some(CellEnd::NarrowEnough); 4]
        }
    );
    let mut orders = std::collections::BTreeSet::new();
    for block in 0..7 {
        let mut cells: Vec<usize> = ran
            .samples
            .iter()
            .filter(|record| record.block == block)
            .map(|record| record.cell)
            .collect();
        orders.insert(cells.clone());
        cells.sort_unstable();
        assert_eq!(cells, [0, 1, 2, 3], "block {block}");
    }
    assert!(orders.len() > 3, "the order of blocks varies: {orders:?}");
    let seeds: std::collections::BTreeSet<_> =
        ran.samples.iter().map(|record| record.seed).collect();
    assert_eq!(
        seeds.len(),
        ran.samples.len(),
        "each sample has its own seed"
    );
}

#[test]
fn the_first_sample_of_a_cell_is_a_warm_up_and_the_seed_repeats_the_run() {
    let study = study(TWO_STACKS);
    let once = || {
        run(&study, 5, None, |clock| {
            numbers(clock, |_, _, rng| noisy(1e8, 0.03, rng))
        })
        .samples
    };
    let samples = once();
    for cell in 0..4 {
        let roles: Vec<Role> = of_cell(&samples, cell)
            .iter()
            .map(|record| record.role)
            .collect();
        assert_eq!(roles[0], Role::WarmUp);
        assert!(roles[1..].iter().all(|role| *role == Role::Counted));
    }
    assert_eq!(samples, once());
}

#[test]
fn a_quiet_cell_stops_early_and_a_noisy_one_at_the_maximum() {
    let study = study(TWO_STACKS);
    let ran = run(&study, 1, None, quiet_and_wild);
    let cells = ended(ran.result);
    assert_eq!(
        cells,
        [
            Some(CellEnd::NarrowEnough),
            Some(CellEnd::NarrowEnough),
            Some(CellEnd::MaxSamples),
            Some(CellEnd::MaxSamples)
        ]
    );
    let counts = [0, 1, 2, 3].map(|cell| of_cell(&ran.samples, cell).len());
    assert_eq!(
        counts,
        [31, 31, 31, 31],
        "baselines continue, so that the samples of the others come in pairs"
    );
}

#[test]
fn a_quiet_cell_outside_comparisons_stops_at_the_minimum() {
    let text = TWO_STACKS.replace(
        "[repeat]",
        "[compare]\nbaseline = { stack = \"b\" }\n[repeat]",
    );
    let ran = run(&study(&text), 1, None, quiet_and_wild);
    let counts = [0, 1, 2, 3].map(|cell| of_cell(&ran.samples, cell).len());
    assert_eq!(counts, [7, 7, 31, 31]);
}

#[test]
fn the_budget_goes_where_the_interval_is_widest() {
    let text = TWO_STACKS.replace("budget = \"1h\"", "budget = \"60s\"");
    let ran = run(&study(&text), 1, None, |clock| {
        numbers(clock, |cell, _, rng| {
            let noise = match (cell.stack.name.as_str(), cell.workload.load.pattern.reads()) {
                ("b", true) => 0.5,
                _ => 0.05,
            };
            noisy(1e8, noise, rng)
        })
    });
    assert!(matches!(ran.result, Ok(Outcome::Done { .. })));
    assert_eq!(
        ran.samples.len(),
        60,
        "the whole budget is used and no more"
    );
    let counts = [0, 1, 2, 3].map(|cell| of_cell(&ran.samples, cell).len());
    assert!(counts[2] >= 17, "the noisy cell: {counts:?}");
    assert!(counts[1] < 12 && counts[3] < 12, "the others: {counts:?}");
}

#[test]
fn invalid_samples_are_kept_but_not_counted_and_a_hopeless_cell_ends() {
    let study = study(TWO_STACKS);
    let ran = run(&study, 1, None, |clock| {
        let mut world = numbers(clock, |_, _, _| 1e8);
        world.warnings = Box::new(|cell| {
            if cell.stack.name == "b" {
                vec![Warning::Throttled { count: 1 }]
            } else {
                Vec::new()
            }
        });
        world
    });
    let cells = ended(ran.result);
    assert_eq!(cells[2], Some(CellEnd::NoValidSample));
    let hopeless = of_cell(&ran.samples, 2);
    assert_eq!(hopeless.len(), 7, "kept");
    assert!(hopeless.iter().all(|record| !record.sample.is_valid()));
}

#[test]
fn samples_count_from_the_steady_window_on() {
    let text = TWO_STACKS.replace("[repeat]", "[repeat]\nsteady_state = \"snia\"");
    let study = study(&text);
    let ran = run(&study, 1, None, |clock| {
        // Fast while the cache lasts, then steady.
        numbers(clock, |_, turn, rng| {
            if turn < 9 {
                4e8 - 4e7 * f64::from(u32::try_from(turn).unwrap())
            } else {
                noisy(4e7, 0.01, rng)
            }
        })
    });
    let cells = ended(ran.result);
    assert_eq!(cells, vec![Some(CellEnd::NarrowEnough); 4]);
    let records = of_cell(&ran.samples, 0);
    let counted = stripewise_analysis::counted::counted(
        records.iter().copied(),
        study.repeat.steady_state,
        Metric::Bandwidth,
    );
    assert!(counted.samples.len() >= 6);
    for record in &counted.samples {
        assert!(Metric::Bandwidth.of(&record.sample).unwrap() < 5e7);
    }
}

#[test]
fn a_cell_that_never_reaches_steady_state_ends_after_25_rounds() {
    let text = TWO_STACKS.replace(
        "[repeat]",
        "[repeat]\nsteady_state = \"snia\"\nat_most = 40",
    );
    let ran = run(&study(&text), 1, None, |clock| {
        numbers(
            clock,
            |_, turn, _| if turn.is_multiple_of(2) { 1e8 } else { 2e8 },
        )
    });
    let cells = ended(ran.result);
    assert_eq!(cells, vec![Some(CellEnd::NotSteady); 4]);
    assert_eq!(of_cell(&ran.samples, 0).len(), 26);
}

#[test]
fn an_interrupted_run_keeps_its_samples_and_continues_in_a_new_block() {
    let study = study(TWO_STACKS);
    let mut store = Store::in_memory().unwrap();
    let id = begin(&mut store, &study);
    let first = run_in(&mut store, id, &study, 3, Some(10), Vec::new(), calm);
    assert_eq!(first.result.unwrap(), Outcome::Interrupted);
    assert_eq!((first.state, first.outstanding), (RunState::Interrupted, 0));
    assert_eq!(first.samples.len(), 10);

    store.claim_run(id).unwrap();
    let second = run_in(&mut store, id, &study, 3, None, first.samples.clone(), calm);
    assert!(matches!(second.result, Ok(Outcome::Done { .. })));
    assert_eq!(second.samples[..10], first.samples[..]);
    let last_before = first
        .samples
        .iter()
        .map(|record| record.block)
        .max()
        .unwrap();
    assert!(
        second.samples[10..]
            .iter()
            .all(|record| record.block > last_before)
    );
    assert!(
        second.samples[10..14]
            .iter()
            .all(|record| record.role == Role::WarmUp),
        "a pause cools down every cell"
    );
}

#[test]
fn a_baseline_that_was_done_is_warmed_up_again_after_a_pause() {
    let text = TWO_STACKS.replace("budget = \"1h\"", "budget = \"45s\"");
    let (short, long) = (study(&text), study(TWO_STACKS));
    let mut store = Store::in_memory().unwrap();
    let id = begin(&mut store, &short);
    // The baseline is quiet and done early; the other cell is not.
    fn mixed(clock: &Shared<Duration>) -> FakeWorld<'_> {
        numbers(clock, |cell, _, rng| match cell.stack.name.as_str() {
            "b" => noisy(1e8, 0.5, rng),
            _ => 1e8,
        })
    }
    let first = run_in(&mut store, id, &short, 3, None, Vec::new(), mixed);
    let before = first.samples.len();
    store.claim_run(id).unwrap();
    let second = run_in(&mut store, id, &long, 3, None, first.samples, mixed);
    let now = &second.samples[before..];
    assert!(now.len() > 8);
    for cell in 0..4 {
        let first_now = now.iter().find(|record| record.cell == cell).unwrap();
        assert_eq!(first_now.role, Role::WarmUp, "cell {cell}");
    }
}

#[test]
fn a_hopeless_cell_gets_another_chance_after_a_pause() {
    let study = study(TWO_STACKS);
    let mut store = Store::in_memory().unwrap();
    let id = begin(&mut store, &study);
    fn throttled(clock: &Shared<Duration>) -> FakeWorld<'_> {
        let mut world = calm(clock);
        world.warnings = Box::new(|_| vec![Warning::Throttled { count: 1 }]);
        world
    }
    let first = run_in(&mut store, id, &study, 3, None, Vec::new(), throttled);
    let cells = ended(first.result);
    assert_eq!(cells, vec![Some(CellEnd::NoValidSample); 4]);
    store.claim_run(id).unwrap();
    let second = run_in(&mut store, id, &study, 3, None, first.samples, calm);
    let cells = ended(second.result);
    assert_eq!(cells, vec![Some(CellEnd::NarrowEnough); 4]);
}

#[test]
fn a_metric_that_a_cell_lacks_does_not_prevent_steady_state() {
    let text = TWO_STACKS.replace(
        "[repeat]",
        "[compare]\nmetric = \"sync_latency_p99\"\n[repeat]\nsteady_state = \"snia\"",
    );
    let ran = run(&study(&text), 1, None, calm);
    let cells = ended(ran.result);
    assert_eq!(cells, vec![Some(CellEnd::NarrowEnough); 4]);
}

#[test]
fn after_a_failure_only_the_samples_are_left() {
    let ran = run(&study(TWO_STACKS), 1, None, |clock| {
        let mut world = numbers(clock, |_, _, _| 1e8);
        world.fails_at = Some(8);
        world
    });
    let error = ran.result.unwrap_err();
    assert!(matches!(error, RunError::World { .. }), "{error}");
    assert_eq!(ran.samples.len(), 7);
    assert_eq!((ran.state, ran.outstanding), (RunState::Failed, 0));
}

#[test]
fn identical_cells_are_not_called_different() {
    let text = "[stack.a]\n[stack.b]\n[workload]\npattern = \"read\"\nsize = \"1G\"\n[repeat]\nsample = \"1s\"\nbudget = \"1h\"\n";
    let study = study(text);
    let (mut claims, studies) = (0, studies());
    for seed in 0..studies {
        // Slow noise common to both cells, as storage has it, and fast noise of each sample.
        let mut slow = 0.0;
        let ran = run(&study, seed, None, |clock| {
            numbers(clock, move |_, _, rng| {
                slow = 0.85 * slow + noisy(0.0, 0.0, rng) + (noisy(1.0, 0.05, rng) - 1.0);
                noisy(1e8, 0.05, rng) * f64::exp(slow)
            })
        });
        let cells: Vec<Vec<&SampleRecord>> = (0..2)
            .map(|cell| {
                of_cell(&ran.samples, cell)
                    .into_iter()
                    .filter(|record| record.role == Role::Counted)
                    .collect()
            })
            .collect();
        let compared = stripewise_analysis::comparison::compare_cells(
            &cells[0],
            &cells[1],
            Metric::Bandwidth,
            study.compare.margin_percent,
        )
        .unwrap();
        assert!(compared.is_paired);
        claims += u64::from(matches!(
            compared.comparison.verdict,
            Verdict::Different { .. }
        ));
    }
    println!("A/A studies that claimed a difference: {claims} of {studies}");
    assert!(
        claims * 50 <= studies,
        "{claims} of {studies} A/A studies claimed a difference"
    );
}

/// How many A/A studies to run; `make soak` runs 200.
fn studies() -> u64 {
    let count = std::env::var("STRIPEWISE_TEST_SAME_STUDIES").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(100)
}

/// The world sets the elapsed time of a sample; here it is exact.
#[test]
fn the_budget_includes_the_time_of_earlier_sessions() {
    let text = TWO_STACKS.replace("budget = \"1h\"", "budget = \"20s\"");
    let study = study(&text);
    let mut store = Store::in_memory().unwrap();
    let id = begin(&mut store, &study);
    let first = run_in(&mut store, id, &study, 3, Some(12), Vec::new(), wild);
    store.claim_run(id).unwrap();
    let second = run_in(&mut store, id, &study, 3, None, first.samples, wild);
    assert_eq!(second.samples.len(), 20);
    assert_eq!(
        second.samples[0].sample.elapsed_ns,
        Nanos::from_millis(1000)
    );
}

#[test]
fn a_repeatable_world_needs_no_warm_up_and_never_loses_a_sample() {
    let study = study(TWO_STACKS);
    let mut store = Store::in_memory().unwrap();
    let id = begin(&mut store, &study);
    let ran = run_in(&mut store, id, &study, 1, None, Vec::new(), repeatable);
    assert_eq!(ran.state, RunState::Done);
    assert!(ran.samples.len() >= SIMULATIONS_MIN * study.cells.len());
    assert!(
        ran.samples
            .iter()
            .all(|record| record.role == Role::Counted)
    );

    let id = begin(&mut store, &study);
    let stopped = run_in(&mut store, id, &study, 1, Some(3), Vec::new(), repeatable);
    assert!(matches!(stopped.result, Ok(Outcome::Interrupted)));
    assert_eq!(stopped.samples, ran.samples[..3]);

    let id = begin(&mut store, &study);
    let failed = run_in(
        &mut store,
        id,
        &study,
        1,
        None,
        Vec::new(),
        repeatable_until_it_fails,
    );
    assert_eq!(failed.state, RunState::Failed);
    assert_eq!(failed.samples, ran.samples[..4]);
}

/// Runs a study with a budget of 20 s in a slow world: these many seconds to prepare, and these
/// many more to measure.
fn run_late(prepares_for: u64, measures_longer: u64) -> FinishedRun {
    let study = study(&TWO_STACKS.replace("budget = \"1h\"", "budget = \"20s\""));
    let ran = run(&study, 1, None, |clock| FakeWorld {
        prepares_for: Duration::from_secs(prepares_for),
        measures_longer: Duration::from_secs(measures_longer),
        ..calm(clock)
    });
    assert_eq!((ran.state, ran.outstanding), (RunState::Done, 0));
    ran
}

/// Returns the phase that the budget cut short before the first sample.
fn cut(ran: FinishedRun) -> Cut {
    assert_eq!(ran.samples, []);
    match ran.result {
        Ok(Outcome::CutShort(cut)) => cut,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_budget_that_ends_while_a_cell_is_prepared_ends_the_run() {
    let cut = cut(run_late(3600, 0));
    assert_eq!(cut.phase, Phase::Preparing);
    let text = cut.to_string();
    assert!(
        text.starts_with("the budget of 20s ended before cell "),
        "{text}"
    );
}

#[test]
fn a_sample_that_hangs_is_cancelled_soon_after_the_budget() {
    assert_eq!(cut(run_late(0, 3600)).phase, Phase::Measuring);
    // A sample that ends soon after the budget counts.
    let ran = run_late(0, 40);
    assert_eq!(ran.samples.len(), 1);
    assert!(matches!(ran.result, Ok(Outcome::Done { .. })));
}

#[test]
fn a_sample_starts_only_if_its_real_time_fits_into_the_budget() {
    // Each sample takes 1 s and 5 s more, so a fourth would end after 24 s.
    let ran = run_late(0, 5);
    assert_eq!(ran.samples.len(), 3);
    assert!(matches!(ran.result, Ok(Outcome::Done { .. })));
}

#[test]
fn a_world_may_warm_up_for_less_than_a_sample() {
    let study = study(TWO_STACKS);
    let ran = run(&study, 1, None, |clock| FakeWorld {
        warm_up: Some(Nanos::from_millis(100)),
        ..calm(clock)
    });
    let sample_ns = study.repeat.sample_ns;
    assert!(ran.samples.len() > study.cells.len());
    for record in &ran.samples {
        let time = match record.role {
            Role::WarmUp => Nanos::from_millis(100),
            _ => sample_ns,
        };
        assert_eq!(record.sample.elapsed_ns, time);
    }
}
