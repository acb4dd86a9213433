//! Every way to ask a question gives the same answer, bit for bit.
//!
//! The failure: four SSDs as RAID 10 gave 28 MiB/s on the page, 95 from `predict` and 408 from a
//! study in the model world: each had its own effort, defaults and seeds.
//!
//! Questions are drawn: 3, or as many as `STRIPEWISE_TEST_QUESTIONS` says. `STRIPEWISE_TEST_SEED`
//! draws the same ones again.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use stripewise_analysis::cell::analyse;
use stripewise_diagnose::changes::effects;
use stripewise_diagnose::prediction::Prediction;
use stripewise_format::parse;
use stripewise_profiles::Profiles;
use stripewise_results::{NewRun, Store};
use stripewise_runner::{Quiet, Runner, Unsaved};
use stripewise_sim::world::Model;
use stripewise_study::facts::Facts;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::world::WorldName;
use stripewise_study::world::{NeverCancel, World as _};

use crate::support::page::Page;
use crate::support::{Bench, Numbers, say, seed};

const QUESTIONS: &str = "STRIPEWISE_TEST_QUESTIONS";
/// The default number of questions.
const QUESTIONS_DEFAULT: u64 = 3;
/// One of this many questions is also asked through processes.
const PROCESSES_EVERY: u64 = 3;
/// For one of this many questions we also ask about its changes.
const CHANGES_EVERY: u64 = 24;

/// Estimates by the key of their metric, as JSON has them: every digit of every number.
type Estimates = BTreeMap<String, Value>;

/// Draws questions from what the page offers.
struct Draw<'a> {
    numbers: Numbers,
    choices: &'a Value,
}

impl Draw<'_> {
    fn one<'v>(&mut self, list: &'v [Value]) -> &'v Value {
        let count = u64::try_from(list.len()).unwrap();
        &list[usize::try_from(self.numbers.below(count)).unwrap()]
    }

    fn of(&mut self, key: &str) -> Value {
        let choices = self.choices;
        self.one(choices[key].as_array().unwrap()).clone()
    }

    fn number(&mut self, of: &[u64]) -> u64 {
        let count = u64::try_from(of.len()).unwrap();
        of[usize::try_from(self.numbers.below(count)).unwrap()]
    }

    fn is_so(&mut self, in_ten: u64) -> bool {
        self.numbers.below(10) < in_ten
    }

    fn question(&mut self) -> Value {
        let level = self.of("levels");
        let layouts = level["layouts"].as_array().unwrap();
        let pattern = self.of("patterns");
        let writes = pattern["writes"] == json!(true);
        let is_mixed = writes && pattern["reads"] == json!(true);
        let count = level["devices_min"].as_u64().unwrap() + self.numbers.below(4);
        let block = self.number(&[4096, 4096, 8192, 65536, 131_072, 1 << 20]);
        let chunk = self.number(&[4096, 16384, 65536, 524_288]);
        let mut question = self.choices["question"].clone();
        let mut set = |key: &str, value: Value| question[key] = value;
        set("device", self.of("devices")["name"].clone());
        set("level", level["level"].clone());
        set("count", json!(count));
        let layout = match layouts.is_empty() || self.is_so(3) {
            true => Value::Null,
            false => self.one(layouts).clone(),
        };
        set("layout", layout);
        let chunk = (level["has_chunk"] == json!(true)).then_some(chunk);
        set("chunk_bytes", json!(chunk));
        set(
            "bitmap",
            json!(level["has_bitmap"] == json!(true) && self.is_so(4)),
        );
        let filesystem = match self.is_so(7) {
            true => json!("none"),
            false => self.of("filesystems"),
        };
        set("filesystem", filesystem);
        set("pattern", pattern["pattern"].clone());
        let reads = self.number(&[30, 50, 70]);
        set("read_percent", json!(is_mixed.then_some(reads)));
        set("block_size_bytes", json!(block));
        set("jobs", json!(self.number(&[1, 1, 1, 2, 4])));
        set("depth", json!(self.number(&[1, 1, 2, 8, 32])));
        set(
            "size_bytes",
            json!(self.number(&[1 << 30, 4 << 30, 16 << 30])),
        );
        let every = self.number(&[1, 8, 64]);
        set(
            "fsync_every",
            json!((writes && self.is_so(2)).then_some(every)),
        );
        let state = self.of("states");
        let state = if self.is_so(6) {
            json!("steady")
        } else {
            state
        };
        set("state", state);
        set("governor", self.of("governors"));
        set("host", self.of("hosts")["name"].clone());
        set("kernel", self.of("kernels")["version"].clone());
        question
    }
}

fn model(study: &Study) -> Model {
    Model {
        host: study.host.clone(),
        ..Model::new(Profiles::shipped(), study.kernel.unwrap())
    }
}

/// Returns numbers after a round trip through JSON, to compare with those from a socket or a pipe.
fn through_json(estimates: impl serde::Serialize) -> Estimates {
    serde_json::from_str(&serde_json::to_string(&estimates).unwrap()).unwrap()
}

/// Runs a study of one cell in the model world and returns the estimates of that cell.
fn run(study: &Study, seed: u64) -> Estimates {
    let mut store = Store::in_memory().unwrap();
    let mut world = model(study);
    let new = NewRun {
        seed,
        ..NewRun::of(WorldName::Model.into(), "question")
    };
    world.check(&study.cells).unwrap();
    let id = store
        .begin_run(&new, &study.cells, &Facts::default())
        .unwrap();
    let runner = Runner {
        store: &mut store,
        run: id,
        study,
        seed,
        spent: Duration::ZERO,
        observer: &mut Quiet,
        stop: &|| false,
        now: &|| Duration::ZERO,
        unsaved: Unsaved::default(),
    };
    let _ = runner.execute(&mut world, Vec::new(), &[]).unwrap();
    let stored = store.run(id).unwrap();
    let analysis = analyse(
        &stored.samples,
        study.repeat.steady_state,
        Metric::Bandwidth,
    );
    let estimates = analysis.estimates.iter();
    let by_key = estimates.map(|(metric, estimate)| (metric.key(), *estimate));
    through_json(by_key.collect::<BTreeMap<_, _>>())
}

/// Returns the largest difference between two answers, as a share; infinite where one lacks what the
/// other has.
fn difference(one: &Estimates, other: &Estimates) -> f64 {
    if one == other {
        return 0.0;
    }
    if !one.keys().eq(other.keys()) {
        return f64::INFINITY;
    }
    let value = |estimate: &Value| estimate["value"].as_f64().unwrap_or(f64::NAN);
    let shares = one.iter().map(|(key, estimate)| {
        let (one, other) = (value(estimate), value(&other[key]));
        // A difference in the interval or in the number of samples counts too.
        ((one - other) / one).abs().max(f64::MIN_POSITIVE)
    });
    shares.fold(0.0, f64::max)
}

/// Returns a command of `arguments`, words without quotes.
fn words(bench: &Bench, arguments: &str) -> Command {
    let mut command = bench.command();
    command.args(arguments.split_ascii_whitespace());
    command
}

/// Asks the programs themselves; each must answer `predicted`.
fn ask_processes(bench: &Bench, answer: &Value, seed: u64, predicted: &Estimates) {
    let toml = answer["toml"].as_str().unwrap();
    let predict = toml
        .lines()
        .find_map(|line| line.strip_prefix("# stripewise predict"));
    let file = bench.write("question.toml", toml);
    let file = file.to_str().unwrap();
    let commands = [
        words(
            bench,
            &format!("predict {} --seed {seed} --json", predict.unwrap()),
        ),
        words(bench, &format!("why {file} --seed {seed} --json")),
        bench.stored(&format!("run {file} --world model --seed {seed} --json")),
    ];
    for command in commands {
        let words = format!("{command:?}");
        let document = bench.json(command);
        let estimates = through_json(&document["cells"][0]["estimates"]);
        assert_eq!(&estimates, predicted, "{words}");
    }
}

/// Checks that the effect of a change equals the answer for the changed question, and that asking
/// about changes does not change the answer.
fn ask_changes(page: &Page, question: &Value, study: &Study) {
    let (status, why) = page.post("/api/ask/why", question);
    assert_eq!(status, 200, "{question}: {why}");
    let asked = why["effects"].as_array().unwrap().iter();
    for effect in asked.filter(|effect| !effect["question"].is_null()).take(2) {
        let (status, answer) = page.post("/api/ask", &effect["question"]);
        assert_eq!(status, 200, "{effect}: {answer}");
        let estimate = &answer["page"]["cells"][0]["estimates"]["bandwidth_bytes_per_s"];
        assert_eq!(estimate, &effect["bandwidth_bytes_per_s"], "{effect}");
    }
    let (model, cell) = (model(study), &study.cells[0]);
    let prediction = Prediction::new(&model, cell, 0, &mut NeverCancel).unwrap();
    let before = through_json(&prediction.estimates);
    effects(&model, cell, &prediction, 0, &mut NeverCancel).unwrap();
    assert_eq!(through_json(&prediction.estimates), before);
}

#[test]
fn every_way_to_ask_gives_the_same_answer() {
    let seed = seed();
    let questions = std::env::var(QUESTIONS);
    let questions = questions.map_or(QUESTIONS_DEFAULT, |text| text.parse().unwrap());
    say(&format!("seed {seed}: {questions} questions"));
    let bench = Bench::new();
    let page = Page::new();
    let choices = page.send("GET", "/api/choices", "").1;
    let mut draw = Draw {
        numbers: Numbers::of(seed),
        choices: &choices,
    };
    let (mut asked, mut refused, mut worst) = (0, 0, 0.0_f64);
    while asked < questions {
        let question = draw.question();
        let (status, answer) = page.post("/api/ask/study", &question);
        if status != 200 {
            refused += 1;
            assert!(refused <= 2 * questions + 20, "{question}: {answer}");
            continue;
        }
        let study = parse("question", answer["toml"].as_str().unwrap()).unwrap();
        let (model, cell) = (model(&study), &study.cells[0]);
        // The page has no seed.
        let seed = if asked % 2 == 0 {
            0
        } else {
            draw.numbers.below(1 << 40)
        };
        let prediction = match Prediction::new(&model, cell, seed, &mut NeverCancel) {
            Ok(prediction) => prediction,
            Err(error) => {
                let (status, answer) = page.post("/api/ask", &question);
                assert_eq!(status, 422, "{question}: {error}, and the page: {answer}");
                refused += 1;
                continue;
            }
        };
        let predicted = through_json(&prediction.estimates);
        let mut ways = vec![("run --world model", run(&study, seed))];
        if seed == 0 {
            let (status, answer) = page.post("/api/ask", &question);
            assert_eq!(status, 200, "{question}: {answer}");
            let cell = &answer["page"]["cells"][0];
            ways.push(("the page", through_json(&cell["estimates"])));
        }
        for (way, estimates) in &ways {
            worst = worst.max(difference(&predicted, estimates));
            assert_eq!(estimates, &predicted, "{way}, seed {seed}: {question}");
        }
        if let (Some(bench), 0) = (&bench, asked % PROCESSES_EVERY) {
            ask_processes(bench, &answer, seed, &predicted);
        }
        if asked % CHANGES_EVERY == 0 {
            ask_changes(&page, &question, &study);
        }
        asked += 1;
    }
    say(&format!(
        "{asked} questions, {refused} more refused; the largest difference is {worst}"
    ));
}
