//! Eight designs under one load: bounds, a race for those within 5 % of the best, and a table of all.
//!
//! `cargo bench -p stripewise-sim --bench designs [-- WORDS]`. Each pair is measured in one run, by a
//! model that remembers nothing, on one core.

#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

mod harness;

use stripewise_profiles::Profiles;
use stripewise_sim::question::Question;
use stripewise_sim::race::{Design, Place, race};
use stripewise_sim::rate_bounds::{Bounder, RateBounds};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::plan::Study;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

/// The devices of a design, and its array.
const DESIGNS: [(u32, &str); 8] = [
    (1, ""),
    (4, "level = \"raid0\", chunk = \"64K\""),
    (2, "level = \"raid1\""),
    (4, "level = \"raid10\", layout = \"n2\", chunk = \"64K\""),
    (4, "level = \"raid10\", layout = \"f2\", chunk = \"512K\""),
    (4, "level = \"raid5\", chunk = \"64K\""),
    (4, "level = \"raid5\", chunk = \"512K\""),
    (4, "level = \"raid6\", chunk = \"64K\""),
];
const DEVICES: [&str; 3] = ["nvme-ssd", "sata-ssd", "hdd-7200"];
const LOADS: [(&str, &str); 6] = [
    ("random reads, depth 1", "pattern = \"randread\""),
    (
        "random reads, depth 32",
        "pattern = \"randread\"\ndepth = 32",
    ),
    ("random writes, depth 1", "pattern = \"randwrite\""),
    (
        "random writes, depth 32",
        "pattern = \"randwrite\"\ndepth = 32",
    ),
    (
        "mix of 70/30, depth 32",
        "pattern = \"randrw\"\nmix = \"70/30\"\ndepth = 32",
    ),
    ("1M writes", "pattern = \"write\"\nblock_size = \"1M\""),
];
/// The share by which a design may be worse than the best.
const TOLERANCE: f64 = 0.05;

fn study(device: &str, load: &str) -> Study {
    let stack = |(number, (count, array)): (usize, &(u32, &str))| {
        let array = match array.is_empty() {
            true => String::new(),
            false => format!("array = {{ {array} }}\n"),
        };
        format!("[stack.s{number}]\ndevices = {{ {device} = {count} }}\n{array}")
    };
    let stacks: String = DESIGNS.iter().enumerate().map(stack).collect();
    stripewise_fixtures::study(&format!("{stacks}[workload]\nsize = \"8G\"\n{load}\n"))
}

fn model() -> Model {
    Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0))
}

fn bounds(study: &Study) {
    let model = model();
    let load = &study.cells[0].workload.load;
    let prepare = || Bounder::new(&model, load, None);
    let all = |bounder: &Bounder<'_>| -> Vec<RateBounds> {
        let stacks = study.cells.iter().map(|cell| &cell.stack);
        let bounds = stacks.map(|stack| bounder.bounds(stack));
        bounds
            .map(|bounds| bounds.expect("shipped profiles"))
            .collect()
    };
    harness::measure("bounds of a load, prepared", 10, || (), |()| prepare());
    let bounder = prepare();
    let name = "bounds of eight designs (goal 8 us)";
    harness::measure(name, 10, || (), |()| all(&bounder));
}

fn questions(cells: &[Cell]) -> Vec<Question<'_>> {
    cells.iter().map(|cell| Question::new(cell, 0)).collect()
}

/// Measures a race and a table, and prints what each found.
fn raced(name: &str, study: &Study) {
    let questions = questions(&study.cells);
    let designs: Vec<Design> = questions.iter().copied().map(Design::from).collect();
    let run = |model: &Model| race(model, &designs, TOLERANCE, &mut NeverCancel);
    let table = |model: &Model| {
        let answers = questions
            .iter()
            .map(|question| model.answer(question, &mut NeverCancel).expect("a design"));
        answers.map(|answer| answer.ios).sum::<u64>()
    };
    let racing = harness::measure(&format!("race, {name}"), 1, model, |model| run(&model));
    let whole = harness::measure(&format!("table, {name}"), 1, model, |model| table(&model));
    let (Some(racing), Some(whole)) = (racing, whole) else {
        return;
    };
    let model = model();
    let found = run(&model).expect("designs");
    let is_within = |place: Place| place == Place::Within;
    let within = found
        .runners
        .iter()
        .filter(|one| is_within(one.place))
        .count();
    let [bounded, coarse, precise] = found.counts();
    println!(
        "  {bounded} bounded away, {coarse} simulated coarsely, {precise} precisely, {within} within {TOLERANCE}; I/Os {} | {}; time 1/{:.1}",
        found.ios,
        table(&model),
        whole.as_secs_f64() / racing.as_secs_f64()
    );
}

fn main() {
    bounds(&study("sata-ssd", LOADS[4].1));
    for device in DEVICES {
        for (name, load) in LOADS {
            raced(&format!("{device}, {name}"), &study(device, load));
            // A check that it works needs one.
            if !std::env::args().any(|argument| argument == "--bench") {
                return;
            }
        }
    }
}
