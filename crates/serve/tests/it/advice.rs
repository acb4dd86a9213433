//! What to build, as lines. The failures: a page that hears nothing for a minute, a search that goes on
//! although its page is gone, and a form whose question the command would refuse.

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stripewise_report::explanation::picture::Picture;
use stripewise_serve::{AdviceAnswer, AdviceQuestion, AdviceRefusal, Advising, Deadlines};
use stripewise_sim::world::Model;
use stripewise_units::kernel::KernelVersion;

use crate::client::Served;

const PATH: &str = "/api/ask/advise";

fn question() -> Value {
    json!({
        "device": "sata-ssd", "count": 4, "spares": 0,
        "loads": [{"load": "oltp", "weight": 3}, {"load": "backup", "weight": 1}],
        "survive": 1, "capacity_bytes": 900_u64 << 30, "commit_p99_ns": 5_000_000, "years": null,
        "rebuild_ns": 6 * 3_600_000_000_000_u64, "writes_per_day_bytes": null, "filesystem": "ext4",
    })
}

fn page(is_preview: bool) -> AdviceAnswer {
    AdviceAnswer {
        blocks: Vec::new(),
        picture: Picture {
            axes: Vec::new(),
            designs: Vec::new(),
        },
        is_preview,
    }
}

/// Half of the work, the decision, and then the rest until the observer ends it.
fn in_two_parts(
    _: &AdviceQuestion,
    _: &Model,
    advising: &mut dyn Advising,
) -> Result<AdviceAnswer, AdviceRefusal> {
    std::thread::sleep(Duration::from_millis(300));
    advising.simulated(1, 2);
    advising.preview(page(true));
    while advising.keep_going(Duration::ZERO) {}
    Ok(page(false))
}

#[test]
fn a_search_says_how_far_it_is_then_its_decision_and_then_all_of_it() {
    let deadlines = Deadlines {
        simulation_steps: 1_000_000,
        ..Deadlines::default()
    };
    let served = Served::advised(in_two_parts, deadlines);
    let answer = served.post(PATH, &question().to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    let lines = answer.body.lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["done"], 0.5, "{lines:?}");
    assert!(
        lines[0]["left_ns"].as_u64().unwrap() > 100_000_000,
        "{lines:?}"
    );
    assert_eq!(lines[1]["answer"]["is_preview"], true, "{lines:?}");
    // At the limit of its steps it answers with what it has.
    assert_eq!(
        lines[lines.len() - 1]["answer"]["is_preview"],
        false,
        "{lines:?}"
    );
}

#[test]
fn a_search_whose_page_is_gone_ends() {
    static ENDED: AtomicBool = AtomicBool::new(false);
    let served = Served::advised(
        |question, model, advising| {
            let answer = in_two_parts(question, model, advising);
            ENDED.store(true, Ordering::SeqCst);
            answer
        },
        Deadlines {
            simulation_steps: u64::MAX / 100,
            ..Deadlines::default()
        },
    );
    let body = question().to_string();
    let mut stream = served.connect();
    write!(
        stream,
        "POST {PATH} HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        served.head(),
        body.len()
    )
    .unwrap();
    let mut first = [0; 16];
    stream.read_exact(&mut first).unwrap();
    assert!(!ENDED.load(Ordering::SeqCst));
    drop(stream);
    let began = Instant::now();
    while !ENDED.load(Ordering::SeqCst) {
        assert!(began.elapsed() < Duration::from_secs(60), "it goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_question_is_the_command_of_the_terminal() {
    let asked: AdviceQuestion = serde_json::from_value(question()).unwrap();
    assert_eq!(
        asked.command(KernelVersion::new(6, 12, 0)),
        "stripewise advise --devices '4 x sata-ssd' --workload oltp --workload backup --weights 3,1 \
         --require survive=1 --require 'capacity>=900G' --require 'commit_p99<=5ms' \
         --require 'rebuild<=6h' --filesystem ext4 --kernel 6.12 --front"
    );
}

#[test]
fn what_a_page_does_not_ask_is_refused_with_the_reason() {
    let served = Served::new();
    let ask = |changes: Value| {
        let mut asked = question();
        let changed = asked.as_object_mut().unwrap();
        changed.extend(changes.as_object().unwrap().clone());
        let answer = served.post(PATH, &asked.to_string());
        (answer.status, answer.body)
    };
    let load = |load: &str| json!([{"load": load, "weight": 1}]);
    for (changes, said) in [
        (json!({"count": 1}), "between 2 and 16"),
        (json!({"count": 17}), "between 2 and 16"),
        (json!({"loads": []}), "between 1 and 4"),
        (json!({"loads": load(&"x".repeat(201))}), "200 characters"),
        (json!({"device": "flash-sata"}), "page by page"),
        (json!({"years": 5}), "state how much is written in a day"),
        (json!({"save": "/tmp/x"}), "unknown field"),
        (json!({"count": "4"}), "invalid type"),
    ] {
        let (status, body) = ask(changes.clone());
        assert_eq!(status, 400, "{changes}: {body}");
        assert!(body.contains(said), "{changes}: {body}");
    }
    // The command refuses the rest, as a line.
    let (status, body) = ask(json!({}));
    assert_eq!(status, 200, "{body}");
    let line: Value = serde_json::from_str(body.trim()).unwrap();
    assert_eq!(line["refusal"]["error"], "nobody advises here");
    assert_eq!(line["answer"], Value::Null);
}

#[test]
fn each_slider_sets_a_key_of_the_question() {
    let served = Served::new();
    let form = served.get("/api/choices").json()["advice"].clone();
    let asked: AdviceQuestion = serde_json::from_value(form["question"].clone()).unwrap();
    assert_eq!(asked.loads[0].load, "oltp");
    for slider in form["sliders"].as_array().unwrap() {
        let key = slider["key"].as_str().unwrap();
        let steps = slider["steps"].as_array().unwrap();
        // Where it begins is one of its steps.
        let first = &form["question"][key];
        assert!(steps.iter().any(|step| step["value"] == *first), "{key}");
        for step in steps {
            let mut question = form["question"].clone();
            question[key] = step["value"].clone();
            let asked: Result<AdviceQuestion, _> = serde_json::from_value(question);
            let command = asked.unwrap().command(KernelVersion::new(6, 12, 0));
            assert!(!command.contains("null"), "{command}");
        }
    }
}
