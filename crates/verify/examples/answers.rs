//! Whether two builds of the program give the same answers, on drawn questions, and what each takes.
//!
//! ```text
//! answers OLD NEW SEED FIRST LAST    asks both programs questions FIRST to LAST of a seed
//! ```
//!
//! The old program is also asked with another seed: how often that answer lies in the interval of the
//! first is how often the new one has to. Two intervals are looked at: that of the simulations alone,
//! and the one that is printed, which contains how far the profiles may be off. An interval narrower
//! than a tenth of the precision that any table asks for counts as that wide in the `floored` line.

#![expect(clippy::print_stdout, reason = "it prints its result")]

use std::error::Error;
use std::process::Command;

use serde_json::Value;
use stripewise_verify::questions::{predict_words, question};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The seed of the old program's second answer.
const OTHER_SEED: u64 = 1 << 20;
/// A tenth of the half width that a table asks for.
const FLOOR: f64 = 0.001;

/// One answer: the bandwidth with its intervals, and the CPU seconds of the process.
#[derive(Debug, Clone, Copy)]
struct Answer {
    value: f64,
    printed: [f64; 2],
    own: [f64; 2],
    cpu_s: f64,
}

impl Answer {
    /// Returns half of an interval over the value.
    fn half(&self, [low, high]: [f64; 2]) -> f64 {
        (high - low) / 2.0 / self.value
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [old, new, seed, first, last] = &arguments[..] else {
        return Err("answers OLD NEW SEED FIRST LAST".into());
    };
    let mut all = Vec::new();
    for number in first.parse()?..=last.parse::<u64>()? {
        let words = predict_words(&question(seed.parse()?, number));
        let answers = [(old, 0), (new, 0), (old, OTHER_SEED)];
        let answers = answers.map(|(program, seed)| ask(program, &words, seed));
        let [Ok(old), Ok(new), Ok(again)] = answers else {
            let same = answers.iter().all(Result::is_err);
            println!(
                "{number}\t{}\t{}",
                if same { "refused" } else { "DIFFERS" },
                words.join(" ")
            );
            continue;
        };
        println!(
            "{number}\t{:.5}\t{:.5}\t{:.5}\t{:.2}\t{:.2}\t{}",
            new.value / old.value - 1.0,
            old.half(old.own),
            new.half(new.own),
            old.cpu_s,
            new.cpu_s,
            words[1..].join(" ")
        );
        all.push([old, new, again]);
    }
    summary(&all);
    Ok(())
}

/// Asks a program; what it refuses is an error.
fn ask(program: &str, words: &[String], seed: u64) -> Result<Answer> {
    let before = children_cpu_s()?;
    let output = Command::new(program)
        .args(words)
        .args(["--json", "--seed", &seed.to_string()])
        .output()?;
    let cpu_s = children_cpu_s()? - before;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let document: Value = serde_json::from_slice(&output.stdout)?;
    let estimate = find(&document, "estimates").ok_or("no estimates")?;
    let estimate = &estimate["bandwidth_bytes_per_s"];
    let value = estimate["value"].as_f64().ok_or("no value")?;
    let bounds = |interval: &Value| {
        let of = |end: &str| interval[end].as_f64().unwrap_or(value);
        [of("low"), of("high")]
    };
    let printed = bounds(estimate);
    let own = match &estimate["interval_of_samples"] {
        Value::Null => printed,
        interval => bounds(interval),
    };
    Ok(Answer {
        value,
        printed,
        own,
        cpu_s,
    })
}

/// Returns the first value of a key, at any depth.
fn find<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) => fields
            .get(key)
            .or_else(|| fields.values().find_map(|field| find(field, key))),
        Value::Array(items) => items.iter().find_map(|item| find(item, key)),
        _ => None,
    }
}

/// Returns the CPU time of all children that have ended, from `/proc/self/stat`.
fn children_cpu_s() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let (_, rest) = text.rsplit_once(") ").ok_or("no command")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let ticks: f64 = fields[13].parse::<f64>()? + fields[14].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// Returns the value below which `percent` of `values` are.
fn quantile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let place = (values.len() * percent / 100).min(last);
    values.get(place).copied().unwrap_or(f64::NAN)
}

fn summary(all: &[[Answer; 3]]) {
    let count = |holds: &dyn Fn(&[Answer; 3]) -> bool| all.iter().filter(|one| holds(one)).count();
    let within = |value: f64, [low, high]: [f64; 2]| low <= value && value <= high;
    let floored = |one: &Answer| {
        let half = FLOOR * one.value;
        let [low, high] = one.own;
        [low.min(one.value - half), high.max(one.value + half)]
    };
    type Bounds<'a> = &'a dyn Fn(&Answer) -> [f64; 2];
    let kinds: [(&str, Bounds); 3] = [
        ("simulations", &|one| one.own),
        ("floored", &floored),
        ("printed", &|one| one.printed),
    ];
    println!("{} answers", all.len());
    for (name, bounds) in kinds {
        let ratios = all.iter().map(|[old, new, _]| {
            let [old, new] = [old.half(bounds(old)), new.half(bounds(new))];
            if old == new { 1.0 } else { new / old }
        });
        let ratios: Vec<f64> = ratios.collect();
        println!(
            "{name}: two seeds of old {} and {}, new in old {}, old in new {}; width new/old median {:.3}, 95 of 100 below {:.3}",
            count(&|[old, _, again]| within(again.value, bounds(old))),
            count(&|[old, _, again]| within(old.value, bounds(again))),
            count(&|[old, new, _]| within(new.value, bounds(old))),
            count(&|[old, new, _]| within(old.value, bounds(new))),
            quantile(ratios.clone(), 50),
            quantile(ratios, 95),
        );
    }
    let off = |of: &dyn Fn(&[Answer; 3]) -> f64| quantile(all.iter().map(of).collect(), 50);
    println!(
        "bias: median of new/old - 1 {:.5}; of two seeds of old {:.5}",
        off(&|[old, new, _]| new.value / old.value - 1.0),
        off(&|[old, _, again]| again.value / old.value - 1.0)
    );
    let sum = |of: &dyn Fn(&[Answer; 3]) -> f64| all.iter().map(of).sum::<f64>();
    let (old, new) = (sum(&|one| one[0].cpu_s), sum(&|one| one[1].cpu_s));
    println!("CPU seconds: {old:.2} | {new:.2}, ratio {:.2}", old / new);
}
