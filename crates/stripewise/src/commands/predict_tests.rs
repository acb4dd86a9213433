//! The failure: the page showed a command for a question other than its sliders'.
//!
//! `STRIPEWISE_TEST_SEED` draws other questions.

use clap::Parser as _;
use serde_json::{Value, json};

use super::*;
use stripewise_format::parse;

#[path = "../../tests/it/support/page.rs"]
mod page;

use page::Page;

const QUESTIONS: usize = 300;

/// Returns the study and the command that ask a question; `None` if it is refused.
fn study(page: &Page, question: &Value) -> Option<(Option<String>, String)> {
    let (status, answer) = page.post("/api/ask/study", question);
    if status != 200 {
        assert_eq!(status, 422, "{question}: {answer}");
        return None;
    }
    let command = answer["command"].as_str().unwrap().to_owned();
    let Some(toml) = answer["toml"].as_str() else {
        return Some((None, command));
    };
    let predict = toml.lines().nth(1).unwrap().trim_start_matches("# ");
    Some((Some(toml.to_owned()), predict.to_owned()))
}

/// Numbers from a seed: a linear congruential generator is random enough for sliders.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of(&mut self, list: &Value) -> Value {
        let list = list.as_array().unwrap();
        match list.len() {
            0 => Value::Null,
            count => list[self.below(count)].clone(),
        }
    }

    /// Draws a position of the sliders.
    fn question(&mut self, choices: &Value) -> Value {
        let level = self.of(&choices["levels"]);
        let pattern = self.of(&choices["patterns"]);
        let is = |of: &Value, what: &str| of[what].as_bool().unwrap();
        let count = 2 + self.below(7);
        let may_fail = level["failed_max"][count].as_u64().unwrap();
        let mut failed: Vec<usize> = (0..count).filter(|_| self.one_in(4)).collect();
        failed.truncate(usize::try_from(may_fail).unwrap());
        let is_mixed = is(&pattern, "reads") && is(&pattern, "writes");
        json!({
            "device": self.of(&choices["devices"])["name"],
            "count": count,
            "level": level["level"],
            "layout": self.of(&level["layouts"]),
            "chunk_bytes": is(&level, "has_chunk").then(|| 4096_u64 << self.below(9)),
            "bitmap": is(&level, "has_bitmap") && self.one_in(2),
            "rebuild": !failed.is_empty() && self.one_in(2),
            "failed": failed,
            "filesystem": self.of(&choices["filesystems"]),
            "pattern": pattern["pattern"],
            "read_percent": is_mixed.then(|| self.below(101)),
            "block_size_bytes": 512_u64 << self.below(14),
            "jobs": 1 + self.below(8),
            "depth": 1_u32 << self.below(7),
            "size_bytes": (1_u64 << 24) << self.below(12),
            "fsync_every": (is(&pattern, "writes") && self.one_in(2)).then(|| 1 + self.below(1000)),
            "state": self.of(&choices["states"]),
            "governor": self.of(&choices["governors"]),
            "host": self.of(&choices["hosts"])["name"],
            "kernel": self.of(&choices["kernels"])["version"],
            "overlay": null,
        })
    }
}

/// Parses a command as the program parses its arguments.
fn read(command: &str) -> Args {
    let words = command.split_whitespace();
    let args = crate::args::Args::try_parse_from(words)
        .unwrap_or_else(|error| panic!("{command}: {error}"));
    match args.command {
        crate::args::Command::Predict(args) => args,
        other => panic!("{command}: {other:?}"),
    }
}

#[test]
fn the_command_beside_an_answer_asks_the_same_question() {
    let seed = std::env::var("STRIPEWISE_TEST_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("STRIPEWISE_TEST_SEED={seed}");
    let (page, mut draw) = (Page::new(), Draw(seed));
    let (_, choices) = page.send("GET", "/api/choices", "");
    let (mut whole, mut degraded) = (0, 0);
    for _ in 0..QUESTIONS {
        let question = draw.question(&choices);
        let Some((toml, command)) = study(&page, &question) else {
            continue;
        };
        let args = read(&command);
        assert_eq!(json!(args.failed), question["failed"], "{command}");
        assert_eq!(json!(args.rebuild), question["rebuild"], "{command}");
        let toml = toml.unwrap_or_else(|| {
            degraded += 1;
            let mut question = question.clone();
            (question["failed"], question["rebuild"]) = (json!([]), json!(false));
            study(&page, &question).unwrap().0.unwrap()
        });
        whole += 1;
        let asked = parse("page", &toml).unwrap();
        let said = args.study().unwrap();
        assert_eq!(said.cells, asked.cells, "{command}\n{toml}");
        assert_eq!(
            (said.host, said.kernel),
            (asked.host, asked.kernel),
            "{command}"
        );
    }
    assert!(whole > QUESTIONS / 3, "{whole} of {QUESTIONS}");
    assert!(degraded > 5, "{degraded} of {QUESTIONS}");
}
