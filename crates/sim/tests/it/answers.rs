//! The door to the model: an answer is a pure function of the question, whatever was asked before.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use stripewise_analysis::simulations::{Precision, median_of};
use stripewise_profiles::Profiles;
use stripewise_sim::io::Member;
use stripewise_sim::memory::{Key, Memory, Remembered, Shelf};
use stripewise_sim::question::{Answer, Observer, Question};
use stripewise_sim::race::{Design, Place, Raced, race};
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::world::{NeverCancel, Watch};
use stripewise_units::kernel::KernelVersion;

fn model() -> Model {
    Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0))
}

fn cell(stack: &str, load: &str) -> Cell {
    let text = format!("[stack.one]\n{stack}\n[workload]\nsize = \"4G\"\n{load}\n");
    stripewise_fixtures::study(&text).cells.remove(0)
}

fn cells() -> Vec<Cell> {
    let raid5 = "devices = { sata-ssd = 3 }\narray = { level = \"raid5\", chunk = \"64K\" }";
    vec![
        cell("devices = { nvme-ssd = 1 }", "pattern = \"randread\""),
        cell(raid5, "pattern = \"randwrite\""),
        cell("devices = { hdd-7200 = 1 }", "pattern = \"read\""),
    ]
}

/// Returns an answer's samples as text, with all of their digits.
fn ask(model: &Model, cell: &Cell) -> String {
    let answer = model.answer(&Question::new(cell, 0), &mut NeverCancel);
    format!("{:?}", answer.expect("a question").samples)
}

#[test]
fn neither_memory_nor_order_nor_cores_change_a_bit_of_an_answer() {
    let cells = cells();
    // Each by a model that was asked nothing before.
    let cold: Vec<String> = cells.iter().map(|cell| ask(&model(), cell)).collect();
    let warm = model();
    for _ in 0..2 {
        for (cell, cold) in cells.iter().zip(&cold).rev() {
            assert_eq!(&ask(&warm, cell), cold);
        }
    }
    let shared = model();
    let answers: Vec<String> = thread::scope(|scope| {
        let started: Vec<_> = cells
            .iter()
            .chain(&cells)
            .map(|cell| scope.spawn(|| ask(&shared, cell)))
            .collect();
        let ended = started.into_iter().map(|thread| thread.join());
        ended.map(|answer| answer.expect("an answer")).collect()
    });
    assert_eq!(answers, [cold.clone(), cold].concat());
}

/// How many simulations of an answer are remembered.
fn remembered(model: &Model, cell: &Cell) -> u64 {
    let answer = model.answer(&Question::once(cell, 0), &mut NeverCancel);
    answer.expect("a question").remembered
}

#[test]
fn what_is_no_input_is_remembered_and_what_is_one_is_not() {
    let known = cell("devices = { nvme-ssd = 1 }", "pattern = \"randread\"");
    let model = model();
    assert_eq!(remembered(&model, &known), 0);
    assert_eq!(remembered(&model, &known), 1);
    let mut renamed = known.clone();
    renamed.stack.name = "another".to_owned();
    renamed.workload.name = Some("another".to_owned());
    assert_eq!(remembered(&model, &renamed), 1, "names are no inputs");

    let mut deeper = known.clone();
    deeper.workload.load.depth += 1;
    assert_eq!(remembered(&model, &deeper), 0);
    let change = |change: &dyn Fn(&mut Model)| {
        let mut changed = model.clone();
        change(&mut changed);
        remembered(&changed, &known)
    };
    assert_eq!(change(&|_| ()), 1, "clones share a memory");
    assert_eq!(
        change(&|model| model.kernel = KernelVersion::new(4, 4, 0)),
        0
    );
    assert_eq!(change(&|model| model.limits.ios_max -= 1), 0);
    assert_eq!(change(&|model| model.limits.half_width /= 100.0), 0);
    assert_eq!(change(&|model| model.limits.window_ios_min += 1), 0);
    let host = |model: &mut Model| {
        let hosts = model.profiles.hosts.values_mut();
        hosts.for_each(|host| host.cpu.bio_ns += 1);
    };
    assert_eq!(change(&host), 0);
    let device = |model: &mut Model| {
        let device = model.profiles.devices.get_mut("nvme-ssd");
        device.expect("shipped").capacity_bytes += 4096;
    };
    assert_eq!(change(&device), 0);
    let other = |model: &mut Model| {
        let device = model.profiles.devices.get_mut("sata-ssd");
        device.expect("shipped").capacity_bytes += 4096;
    };
    assert_eq!(change(&other), 1, "the profile of no device of the stack");

    let raid1 = "devices = { nvme-ssd = 2 }\narray = { level = \"raid1\" }";
    let mirror = cell(raid1, "pattern = \"randread\"");
    assert_eq!(remembered(&model, &mirror), 0);
    let degraded = Model {
        failed: vec![Member(0)],
        ..model.clone()
    };
    assert_eq!(remembered(&degraded, &mirror), 0);
    let rebuilding = Model {
        rebuilding: true,
        ..degraded
    };
    assert_eq!(remembered(&rebuilding, &mirror), 0);
}

/// A shelf that keeps text, as a file would.
#[derive(Debug, Default)]
struct Texts(Mutex<BTreeMap<Key, String>>);

impl Shelf for Texts {
    fn find(&self, key: Key) -> Option<Remembered> {
        let texts = self.0.lock().expect("not poisoned");
        serde_json::from_str(texts.get(&key)?).ok()
    }

    fn keep(&self, key: Key, simulated: &Remembered) {
        let text = serde_json::to_string(simulated).expect("JSON");
        self.0.lock().expect("not poisoned").insert(key, text);
    }
}

#[test]
fn a_shelf_gives_back_the_same_bits_to_a_later_program() {
    let shelf = Arc::new(Texts::default());
    let on_shelf = || Model {
        memory: Memory::before(shelf.clone()),
        ..model()
    };
    for cell in cells() {
        let cold = ask(&on_shelf(), &cell);
        let later = on_shelf();
        assert_eq!(ask(&later, &cell), cold);
        assert_eq!(remembered(&later, &cell), 1);
    }
}

fn budget(cell: &Cell, ios_max: u64) -> Result<Answer, ModelError> {
    let question = Question {
        ios_max,
        ..Question::new(cell, 0)
    };
    model().answer(&question, &mut NeverCancel)
}

#[test]
fn a_budget_ends_an_answer_and_the_answer_says_so() {
    let [.., cell, _] = &cells()[..] else {
        panic!("three cells");
    };
    let whole = budget(cell, u64::MAX).expect("an answer");
    assert!(!whole.is_over_budget);
    let enough = budget(cell, whole.ios).expect("an answer");
    assert_eq!(
        (enough.samples.len(), enough.ios),
        (whole.samples.len(), whole.ios)
    );
    let half = budget(cell, whole.ios / 2).expect("an answer");
    assert!(half.is_over_budget && half.samples.len() < whole.samples.len());
    // The last I/O of a simulation may be several bios.
    assert!(
        half.ios <= whole.ios / 2 + 64,
        "{} of {}",
        half.ios,
        whole.ios / 2
    );
    assert_eq!(half.samples[0], whole.samples[0]);
    assert!(matches!(budget(cell, 0), Err(ModelError::TooLarge { .. })));
}

#[test]
fn a_coarser_answer_takes_less_and_lies_near_the_precise_one() {
    let raid5 = "devices = { sata-ssd = 4 }\narray = { level = \"raid5\", chunk = \"64K\" }";
    let cell = cell(raid5, "pattern = \"randwrite\"\ndepth = 32");
    let of = |precision| {
        let question = Question {
            precision,
            ..Question::new(&cell, 0)
        };
        let answer = model()
            .answer(&question, &mut NeverCancel)
            .expect("an answer");
        let rate = |sample: &stripewise_study::sample::Sample| {
            let bytes = f64::from(u32::try_from(sample.write.ios).expect("few"));
            bytes / sample.elapsed_ns.as_secs_f64()
        };
        let rates: f64 = answer.samples.iter().map(rate).sum();
        (
            answer.ios,
            rates / f64::from(u32::try_from(answer.samples.len()).expect("few")),
        )
    };
    let (precise, coarse) = (of(Precision::TABLE), of(Precision::COARSE));
    assert!(coarse.0 * 4 < precise.0, "{coarse:?} {precise:?}");
    assert!(
        (coarse.1 / precise.1 - 1.0).abs() < 0.05,
        "{coarse:?} {precise:?}"
    );
}

#[test]
fn a_coarse_answer_does_not_wait_until_buffers_have_filled() {
    let array = "devices = { nvme-ssd = 4 }\narray = { level = \"raid10\", chunk = \"64K\" }";
    let cell = cell(array, "pattern = \"randwrite\"\ndepth = 8");
    let of = |precision| {
        let question = Question {
            precision,
            ..Question::new(&cell, 0)
        };
        let answer = model().answer(&question, &mut NeverCancel);
        let answer = answer.expect("an answer");
        let rates = answer.samples.iter().map(|one| Metric::Bandwidth.of(one));
        let rates: Vec<f64> = rates.map(|rate| rate.expect("a rate")).collect();
        (answer.ios, median_of(&rates).expect("a median").value)
    };
    let (precise, coarse) = (of(Precision::TABLE), of(Precision::COARSE));
    assert!(coarse.0 * 2 < precise.0, "{coarse:?} {precise:?}");
    let off = coarse.1 / precise.1 - 1.0;
    assert!(off.abs() < 0.02, "{coarse:?} {precise:?}");
}

#[test]
fn what_a_coarse_question_learnt_is_remembered_for_a_precise_one_bit_for_bit() {
    let coarse = |model: &Model, cell: &Cell| {
        let question = Question {
            precision: Precision::COARSE,
            ..Question::new(cell, 0)
        };
        let answer = model.answer(&question, &mut NeverCancel);
        answer.expect("a question")
    };
    let mut all = Vec::new();
    for cell in cells() {
        let warm = model();
        coarse(&warm, &cell);
        let answer = warm.answer(&Question::new(&cell, 0), &mut NeverCancel);
        all.push(answer.expect("a question").remembered);
        // A precise one may take longer, and then is no answer to a coarse question.
        assert_eq!(ask(&warm, &cell), ask(&model(), &cell));
        let mixed = model();
        ask(&mixed, &cell);
        assert_eq!(
            coarse(&mixed, &cell).samples,
            coarse(&model(), &cell).samples
        );
    }
    assert_eq!(all[0], 6, "reads of an SSD are known at once: {all:?}");
}

/// Cancels after some complete simulations.
struct After(u64);

impl Watch for After {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.0 > 0
    }
}

impl Observer for After {
    fn simulated(&mut self, _done: u64, _all: u64) {
        self.0 -= 1;
    }
}

#[test]
fn a_cancelled_question_has_no_answer_even_if_it_is_remembered() {
    let cell = &cells()[0];
    let model = model();
    for _ in 0..2 {
        for simulations in [0, 3] {
            let cancelled = model.answer(&Question::new(cell, 0), &mut After(simulations));
            assert_eq!(cancelled, Err(ModelError::Interrupted));
        }
        ask(&model, cell);
    }
}

/// Random writes of 4K: single and mirrored disks, and parity.
fn designs() -> Vec<Cell> {
    let stacks = [
        "devices = { sata-ssd = 1 }".to_owned(),
        array(4, "level = \"raid0\", chunk = \"64K\""),
        array(2, "level = \"raid1\""),
        array(4, "level = \"raid10\", layout = \"n2\", chunk = \"64K\""),
        array(4, "level = \"raid5\", chunk = \"64K\""),
        array(4, "level = \"raid0\", chunk = \"512K\""),
    ];
    let load = "pattern = \"randwrite\"\ndepth = 32";
    stacks.iter().map(|stack| cell(stack, load)).collect()
}

fn array(devices: u32, array: &str) -> String {
    format!("devices = {{ sata-ssd = {devices} }}\narray = {{ {array} }}")
}

/// Counts simulations, and never cancels.
#[derive(Default)]
struct Counting(usize);

impl Watch for Counting {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        true
    }
}

impl Observer for Counting {
    fn simulated(&mut self, _done: u64, _all: u64) {
        self.0 += 1;
    }
}

#[test]
fn a_race_finds_what_simulating_each_design_finds_and_simulates_few_of_them() {
    let (designs, tolerance) = (designs(), 0.05);
    let runners = designs.iter().map(|cell| Question::new(cell, 0).into());
    let runners: Vec<Design> = runners.collect();
    let model = model();
    let race = |model: &Model| race(model, &runners, tolerance, &mut NeverCancel);
    let found = race(&model).expect("designs");
    // The tables that a user would read.
    let rates: Vec<f64> = designs
        .iter()
        .map(|cell| {
            let answer = model.answer(&Question::new(cell, 0), &mut NeverCancel);
            let samples = answer.expect("a design").samples;
            let rates = samples.iter().map(|sample| Metric::Bandwidth.of(sample));
            let rates: Vec<f64> = rates.map(|rate| rate.expect("a rate")).collect();
            median_of(&rates).expect("a median").value
        })
        .collect();
    let best = rates.iter().copied().fold(0.0, f64::max);
    for (rate, runner) in rates.iter().zip(&found.runners) {
        assert!(*rate <= runner.bounds.upper, "{rate} {runner:?}");
        let is_within = *rate >= best * (1.0 - tolerance);
        assert_eq!(
            is_within,
            runner.place == Place::Within,
            "{rate} {runner:?}"
        );
    }
    assert!(rates[found.best] >= best * (1.0 - tolerance));
    let [bounded, coarse, precise] = found.counts();
    assert_eq!((bounded, coarse, precise), (3, 3, 0), "{found:?}");
    // A model that knows all answers finds the same.
    assert_eq!(race(&model).expect("designs"), found);
    // Half as fast as the best: one simulation shows that.
    let mut counting = Counting::default();
    let again = stripewise_sim::race::race(&self::model(), &runners, tolerance, &mut counting);
    assert_eq!(again.expect("designs"), found);
    let outrun = found
        .runners
        .iter()
        .filter(|one| one.place == Place::Outrun);
    let outrun = outrun.count();
    let asked = Precision::COARSE.at_least;
    assert!(outrun > 0);
    assert_eq!(counting.0, coarse + (coarse - outrun) * asked, "{found:?}");
}

#[test]
fn no_design_has_no_winner_and_a_cancelled_race_says_what_it_did_not_look_at() {
    let none = race(&model(), &[], 0.05, &mut NeverCancel).expect("no design");
    assert!(none.runners.is_empty() && none.counts() == [0; 3]);
    let designs = designs();
    let runners = designs.iter().map(|cell| Question::new(cell, 0).into());
    let runners: Vec<Design> = runners.collect();
    let cancelled = race(&model(), &runners, 0.05, &mut After(2)).expect("what is known so far");
    assert!(cancelled.is_interrupted);
    let is_unseen = |one: &&Raced| one.place == Place::Unseen;
    let mut unseen = cancelled.runners.iter().filter(is_unseen).peekable();
    assert!(unseen.peek().is_some(), "{cancelled:?}");
    assert!(unseen.all(|one| one.rate.is_none()), "{cancelled:?}");
    let whole = race(&model(), &runners, 0.05, &mut NeverCancel).expect("designs");
    assert!(!whole.is_interrupted);
    let mut places = whole.runners.iter().map(|one| one.place);
    assert!(places.all(|place| place != Place::Unseen));
}
