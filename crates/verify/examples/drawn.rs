//! Whether two builds of the model give the same answers, on drawn questions, and what each takes.
//!
//! ```text
//! drawn ask SEED FIRST LAST OTHER     answers questions FIRST to LAST of a seed, one line of JSON each;
//!                                     the simulations begin with seed OTHER
//! drawn compare OLD NEW AGAIN         compares three files of such lines; AGAIN is of the old build, with
//!                                     another OTHER
//! drawn programs OLD NEW SEED FIRST LAST   asks two builds of this example, in turn, and compares
//! ```
//!
//! How often the old build's second answer lies in the interval of its first is how often the new one has
//! to. `answers` asks the whole program instead; this needs a build of the model alone, and a file of the
//! old build serves many new ones.

#![expect(clippy::print_stdout, reason = "it prints its result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::read_to_string;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};
use stripewise_analysis::simulations::{Precision, as_sure_as_its_samples, median_of};
use stripewise_format::parse;
use stripewise_profiles::Profiles;
use stripewise_sim::question::Question;
use stripewise_sim::world::Model;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::warning::Warning;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;
use stripewise_verify::questions::{predict_words, question};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The seed of the old build's second answer.
const OTHER_SEED: u64 = 1 << 20;
/// A tenth of the half width that a table asks for: an interval narrower than this counts as that wide in
/// the `floored` line.
const FLOOR: f64 = 0.001;

/// An answer: the bandwidth with the interval that is printed and that of the simulations alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    number: u64,
    words: String,
    /// What was wrong, if there is no answer.
    refused: Option<String>,
    value: f64,
    printed: [f64; 2],
    own: [f64; 2],
    /// The effort of all simulations in I/Os, and their number.
    ios: u64,
    simulations: usize,
    /// Those that are not proved to be stationary, or were cut short.
    open: usize,
    cpu_s: f64,
}

impl Line {
    /// Returns half of an interval over the value.
    fn half(&self, [low, high]: [f64; 2]) -> f64 {
        (high - low) / 2.0 / self.value
    }

    fn floored(&self) -> [f64; 2] {
        let half = FLOOR * self.value;
        let [low, high] = self.own;
        [low.min(self.value - half), high.max(self.value + half)]
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ask", seed, first, last, other] => ask(
            seed.parse()?,
            first.parse()?..=last.parse()?,
            other.parse()?,
        ),
        ["compare", old, new, again] => {
            let [old, new, again] = [old, new, again].map(|file| lines(Path::new(file)));
            compare([old?, new?, again?]);
            Ok(())
        }
        ["programs", old, new, seed, first, last] => {
            programs([old, new], seed, first.parse()?..=last.parse()?)
        }
        _ => Err("see the head of drawn.rs: ask | compare | programs".into()),
    }
}

fn ask(seed: u64, numbers: std::ops::RangeInclusive<u64>, other: u64) -> Result<()> {
    let profiles = Profiles::shipped();
    for number in numbers {
        let line = answer(&profiles, seed, number, other)?;
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(())
}

/// Answers a question by a model that remembers nothing.
fn answer(profiles: &Profiles, seed: u64, number: u64, other: u64) -> Result<Line> {
    let asked = question(seed, number);
    let study =
        parse("question", &asked.study()).map_err(|error| format!("{number}: {error:?}"))?;
    let kernel = study.kernel.unwrap_or(KernelVersion::new(6, 1, 0));
    let cell = study.cells.first().ok_or("a question without a cell")?;
    let model = Model::new(profiles.clone(), kernel);
    let before = own_cpu_s()?;
    let found = model.answer(&Question::new(cell, other), &mut NeverCancel);
    let cpu_s = own_cpu_s()? - before;
    let mut line = Line {
        number,
        words: predict_words(&asked)[1..].join(" "),
        refused: None,
        value: 0.0,
        printed: [0.0; 2],
        own: [0.0; 2],
        ios: 0,
        simulations: 0,
        open: 0,
        cpu_s,
    };
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            line.refused = Some(error.to_string());
            return Ok(line);
        }
    };
    let samples = &found.samples;
    let used = Precision::TABLE.enough(samples).unwrap_or(samples.len());
    let values = samples[..used]
        .iter()
        .filter_map(|one| Metric::Bandwidth.of(one));
    let estimate =
        median_of(&values.collect::<Vec<f64>>()).ok_or("no simulation has a bandwidth")?;
    line.value = estimate.value;
    let own = estimate.interval.map(|one| [one.low, one.high]);
    line.own = own.unwrap_or([estimate.value; 2]);
    let sure = as_sure_as_its_samples(Metric::Bandwidth, estimate, &samples[..used]);
    let printed = sure.interval.map(|one| [one.low, one.high]);
    line.printed = printed.unwrap_or([estimate.value; 2]);
    (line.ios, line.simulations) = (found.ios, samples.len());
    line.open = samples.iter().filter(|one| is_open(one)).count();
    Ok(line)
}

fn is_open(sample: &Sample) -> bool {
    let mut warnings = sample.warnings.iter();
    sample.is_cut_short() || warnings.any(|one| matches!(one, Warning::NotStationary { .. }))
}

/// Returns the CPU time of this process, which has one thread.
fn own_cpu_s() -> Result<f64> {
    let text = read_to_string("/proc/self/schedstat")?;
    let ns = text.split(' ').next().ok_or("no time")?;
    Ok(as_f64(ns.parse()?) / 1e9)
}

/// Asks two builds of this program, in turn, so that both meet the same machine.
fn programs(
    [old, new]: [&str; 2],
    seed: &str,
    numbers: std::ops::RangeInclusive<u64>,
) -> Result<()> {
    let mut all = [(); 3].map(|()| BTreeMap::new());
    for number in numbers {
        let asked = [(old, 0), (new, 0), (old, OTHER_SEED)];
        for ((program, other), found) in asked.into_iter().zip(&mut all) {
            let [number, other] = [number, other].map(|one| one.to_string());
            let output = Command::new(program)
                .args(["ask", seed, &number, &number, &other])
                .output()?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into());
            }
            found.extend(parse_lines(std::str::from_utf8(&output.stdout)?)?);
        }
    }
    compare(all);
    Ok(())
}

fn lines(file: &Path) -> Result<BTreeMap<u64, Line>> {
    parse_lines(&read_to_string(file)?)
}

fn parse_lines(text: &str) -> Result<BTreeMap<u64, Line>> {
    let line = |text| -> Result<(u64, Line)> {
        let line: Line = serde_json::from_str(text)?;
        Ok((line.number, line))
    };
    text.lines().map(line).collect()
}

/// Returns the value below which `percent` of `values` are.
fn quantile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let place = (values.len() * percent / 100).min(last);
    values.get(place).copied().unwrap_or(f64::NAN)
}

fn compare([old, new, again]: [BTreeMap<u64, Line>; 3]) {
    let mut all = Vec::new();
    for (number, old) in &old {
        let (Some(new), Some(again)) = (new.get(number), again.get(number)) else {
            continue;
        };
        if old.words != new.words || old.refused != new.refused {
            println!(
                "{number}\tDIFFERS\t{:?}\t{:?}\t{}",
                old.refused, new.refused, old.words
            );
        } else if old.refused.is_none() {
            all.push([old, new, again]);
        }
    }
    for [old, new, _] in all.iter().filter(|one| differs(one)) {
        println!(
            "{}\t{:+.5}\t{:.5}\t{:.5}\t{}\t{}\t{} {}\t{:.2}\t{:.2}\t{}",
            old.number,
            new.value / old.value - 1.0,
            old.half(old.own),
            new.half(new.own),
            old.ios,
            new.ios,
            old.open,
            new.open,
            old.cpu_s,
            new.cpu_s,
            old.words
        );
    }
    summary(&all);
    let changed: Vec<[&Line; 3]> = all.into_iter().filter(differs).collect();
    println!("\nthose that differ in a bit:");
    summary(&changed);
}

fn differs([old, new, _]: &[&Line; 3]) -> bool {
    old.value.to_bits() != new.value.to_bits()
}

/// Returns how much wider the intervals of second answers are than those of the first.
fn widths<'a>(
    pairs: impl Iterator<Item = (&'a Line, &'a Line)>,
    bounds: &dyn Fn(&Line) -> [f64; 2],
) -> String {
    let ratios = pairs.map(|(first, second)| {
        let [first, second] = [first, second].map(|one| one.half(bounds(one)));
        if first.to_bits() == second.to_bits() {
            1.0
        } else {
            second / first
        }
    });
    let ratios: Vec<f64> = ratios.collect();
    format!(
        "median {:.3}, 95 of 100 below {:.3}",
        quantile(ratios.clone(), 50),
        quantile(ratios, 95)
    )
}

fn summary(all: &[[&Line; 3]]) {
    let count = |holds: &dyn Fn(&[&Line; 3]) -> bool| all.iter().filter(|one| holds(one)).count();
    let within = |value: f64, [low, high]: [f64; 2]| low <= value && value <= high;
    type Bounds<'a> = &'a dyn Fn(&Line) -> [f64; 2];
    let kinds: [(&str, Bounds<'_>); 3] = [
        ("simulations", &|one| one.own),
        ("floored", &Line::floored),
        ("printed", &|one| one.printed),
    ];
    println!("{} answers", all.len());
    for (name, bounds) in kinds {
        println!(
            "{name}: two seeds of old {} and {}, new in old {}, old in new {}; width of two seeds {}, new/old {}",
            count(&|[old, _, again]| within(again.value, bounds(old))),
            count(&|[old, _, again]| within(old.value, bounds(again))),
            count(&|[old, new, _]| within(new.value, bounds(old))),
            count(&|[old, new, _]| within(old.value, bounds(new))),
            widths(all.iter().map(|one| (one[0], one[2])), bounds),
            widths(all.iter().map(|one| (one[0], one[1])), bounds),
        );
    }
    let off = |of: &dyn Fn(&[&Line; 3]) -> f64| quantile(all.iter().map(of).collect(), 50);
    println!(
        "bias: median of new/old - 1 {:.5}; of two seeds of old {:.5}",
        off(&|[old, new, _]| new.value / old.value - 1.0),
        off(&|[old, _, again]| again.value / old.value - 1.0)
    );
    let sum = |of: &dyn Fn(&[&Line; 3]) -> f64| all.iter().map(of).sum::<f64>();
    let (old, new) = (
        sum(&|one| as_f64(one[0].ios)),
        sum(&|one| as_f64(one[1].ios)),
    );
    println!("I/Os: {old:.4e} | {new:.4e}, ratio {:.2}", old / new);
    let (old, new) = (sum(&|one| one[0].cpu_s), sum(&|one| one[1].cpu_s));
    println!("CPU seconds: {old:.2} | {new:.2}, ratio {:.2}", old / new);
    let open = |which: usize| all.iter().map(|one| one[which].open).sum::<usize>();
    println!("simulations without proof: {} | {}", open(0), open(1));
}
