//! The speed of what users wait for: the start of the program, and the output of a stored run.
//!
//!     cargo bench --package stripewise --bench speed

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

#[path = "../../sim/benches/harness/mod.rs"]
mod harness;

use std::path::Path;
use std::process::Command;

use stripewise_format::parse;
use stripewise_report::document::{Document, RunSettings};
use stripewise_results::world::WorldSpec;
use stripewise_results::{NewRun, RunEnd, RunId, Store};
use stripewise_study::facts::Facts;
use stripewise_study::plan::Study;
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::world::WorldName;

const STUDY: &str = include_str!("../../../studies/block-size.toml");
const FIO_OUTPUT: &[u8] = include_bytes!("../../fio/tests/data/fio-3.33.json");

/// Measures work that needs no setup for each round.
fn measure<O>(name: &str, mut work: impl FnMut() -> O) {
    harness::measure(name, 20, || (), |()| work());
}

fn study() -> Study {
    parse("block-size.toml", STUDY).unwrap()
}

/// Fills a store with a run of 12 cells and 30 samples each, their histograms from a real fio.
fn filled_store(path: &Path) -> RunId {
    let mut store = Store::open(path).unwrap();
    let study = study();
    let new = NewRun {
        world: Some(WorldSpec::Files { target: "/".into() }),
        question: study.question.clone(),
        study_text: STUDY.into(),
        seed: 1,
        options: serde_json::json!({ "budget_ns": null }),
        ..NewRun::of(WorldName::Metal.into(), "block-size")
    };
    let id = store
        .begin_run(&new, &study.cells, &Facts::default())
        .unwrap();
    let report = stripewise_fio::parse_output(FIO_OUTPUT).unwrap();
    let sample = report
        .to_sample(stripewise_fio::Counted::All, None)
        .unwrap();
    for block in 0..31 {
        for cell in 0..study.cells.len() {
            let record = SampleRecord {
                cell,
                block,
                role: if block == 0 {
                    Role::WarmUp
                } else {
                    Role::Counted
                },
                seed: Some(1),
                sample: sample.clone(),
            };
            store.add_sample(id, &record).unwrap();
        }
    }
    store.finish_run(id, RunEnd::Done).unwrap();
    id
}

fn start_up() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    filled_store(&path);
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_stripewise"))
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success());
        output
    };
    let store = path.to_str().unwrap();
    measure("--help", || run(&["--help"]));
    measure("list", || run(&["list", "--store", store]));
    measure("show, 12 cells x 31 samples", || {
        run(&["show", "--store", store])
    });
}

fn inside() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let id = filled_store(&path);
    let store = Store::open_existing(&path).unwrap();
    let run = store.run(id).unwrap();
    let study = study();
    let asked = RunSettings {
        repeat: study.repeat,
        compare: study.compare,
        model: None,
        lifetime: None,
        is_foreign: false,
    };
    measure("read fio's JSON", || {
        stripewise_fio::parse_output(FIO_OUTPUT).unwrap()
    });
    measure("read a run of 372 samples", || store.run(id).unwrap());
    measure("derive its document", || Document::new(&run, &asked));
    measure("read a study", || parse("s", STUDY).unwrap());
}

/// The published study's cells on a profile of the tests.
fn model_study(directory: &Path) -> std::path::PathBuf {
    let text = include_str!("../../../studies/four-ssd-random.toml")
        .replace("four-ssd-sata", "test-ssd")
        .replace("\"i7-6700k\"", "\"test-host\"");
    let path = directory.join("four.toml");
    std::fs::write(&path, text).unwrap();
    path
}

fn model() {
    let directory = tempfile::tempdir().unwrap();
    let study = model_study(directory.path());
    let study = study.to_str().unwrap();
    let store = directory.path().join("model.db");
    let store = store.to_str().unwrap();
    let profiles = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/profiles");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_stripewise"))
            .args(arguments)
            .args(["--profiles", profiles])
            .output()
            .unwrap();
        assert!(output.status.success());
        output
    };
    let question = [
        "predict",
        "--device",
        "test-ssd",
        "--array",
        "raid10:n2:4:32K",
        "--workload",
        "randread:64K",
    ];
    measure("predict", || run(&question));
    let cell = "stack=chunk32,pattern=randread,block_size=64K";
    measure("why", || run(&["why", study, "--cell", cell]));
    measure("run the published study, 64 cells", || {
        run(&["run", study, "--world", "model", "--store", store])
    });
}

fn main() {
    start_up();
    inside();
    model();
}
