//! How often the interval of an answer holds the rate of the long run.
//!
//! ```text
//! interval_coverage ANSWERS    asks each design ANSWERS times, with seeds of its own each time
//! ```
//!
//! The long run is the mean of eight simulations of at least 60,000 I/Os, whose seeds no answer has: what
//! a cache gains by chance is nothing beside so many. An interval that leaves it out by less than a tenth
//! of the half width that a table asks for is counted apart: it is wrong by nothing that anybody sees.

#![expect(clippy::print_stdout, reason = "it prints its result")]

use std::error::Error;

use stripewise_analysis::simulations::{Precision, median_of};
use stripewise_profiles::Profiles;
use stripewise_sim::engine::Limits;
use stripewise_sim::question::Question;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::as_f64;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

/// Designs of flash whose writes go through caches. They were picked from 21 drawn ones, of which each was
/// asked 20 times, after the constants of the method were set.
const DESIGNS: [(&str, &str); 3] = [
    (
        "one NVMe drive, mix of 70/30, 4K, depth 1",
        "kernel = \"4.4\"\n[stack.a]\ndevices = { nvme-ssd = 1 }\n\
         [workload]\npattern = \"randrw\"\nmix = \"70/30\"\nsize = \"15G\"\n",
    ),
    (
        "one SATA drive, mix of 70/30, 4K, depth 1",
        "kernel = \"6.1\"\n[stack.a]\ndevices = { samsung-850-evo-500 = 1 }\n\
         [workload]\npattern = \"randrw\"\nmix = \"70/30\"\nsize = \"1G\"\n",
    ),
    (
        "RAID 0 of eight SATA drives, random writes, 8K, depth 1",
        "kernel = \"5.4\"\n[stack.a]\ndevices = { micron-1100-m2 = 8 }\n\
         array = { level = \"raid0\", chunk = \"16K\" }\n\
         [workload]\npattern = \"randwrite\"\nblock_size = \"8K\"\nsize = \"15G\"\n",
    ),
];
/// The simulations of the long run, the first of their seeds, and the least I/Os of each.
const LONG: u64 = 8;
const LONG_SEED: u64 = 1 << 32;
const LONG_IOS: u64 = 60_000;
/// The seeds of an answer: more than it has simulations.
const SEEDS: u64 = 1000;
/// A tenth of the half width that a table asks for.
const UNSEEN: f64 = Precision::TABLE.half_width / 10.0;

fn main() -> Result<(), Box<dyn Error>> {
    let answers: u64 = std::env::args()
        .nth(1)
        .ok_or("interval_coverage ANSWERS")?
        .parse()?;
    println!("| load | held, of {answers} | within 0.1 % | mean error | largest | half width |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (name, text) in DESIGNS {
        let study = stripewise_fixtures::study(text);
        let kernel = study.kernel.unwrap_or(KernelVersion::new(6, 12, 0));
        let model = Model::new(Profiles::shipped(), kernel);
        row(name, &study.cells[0], &model, answers)?;
    }
    Ok(())
}

/// Prints how often the intervals of a cell hold its long run.
fn row(name: &str, cell: &Cell, model: &Model, answers: u64) -> Result<(), Box<dyn Error>> {
    let truth = long_run(cell, model)?;
    let (mut held, mut near, mut sum, mut largest, mut half) = (0, 0, 0.0, 0.0_f64, 0.0);
    for number in 1..=answers {
        let question = Question::new(cell, number * SEEDS);
        let answer = model.answer(&question, &mut NeverCancel)?;
        let samples = answer.samples.iter();
        let rates = samples.filter_map(|sample| Metric::Bandwidth.of(sample));
        let estimate = median_of(&rates.collect::<Vec<f64>>()).ok_or("no rate")?;
        let interval = estimate.interval.ok_or("no interval")?;
        let holds = |slack: f64| {
            let slack = slack * truth;
            interval.low - slack <= truth && truth <= interval.high + slack
        };
        held += u32::from(holds(0.0));
        near += u32::from(holds(UNSEEN));
        let error = estimate.value / truth - 1.0;
        sum += error;
        largest = largest.max(error.abs());
        half += (interval.high - interval.low) / 2.0 / estimate.value;
    }
    let percent = |sum: f64| 100.0 * sum / as_f64(answers);
    let (error, half) = (percent(sum), percent(half));
    let largest = 100.0 * largest;
    println!("| {name} | {held} | {near} | {error:+.3} % | {largest:.2} % | {half:.2} % |");
    Ok(())
}

/// Returns the rate of the long run, in bytes per second.
fn long_run(cell: &Cell, model: &Model) -> Result<f64, Box<dyn Error>> {
    let limits = Limits {
        window_ios_min: LONG_IOS,
        half_width: 0.002,
        ios_max: 4_000_000,
        ..Limits::DEFAULT
    };
    let model = Model {
        limits,
        ..model.clone()
    };
    let mut sum = 0.0;
    for seed in LONG_SEED..LONG_SEED + LONG {
        let sample = model.simulate(cell, seed, &mut NeverCancel)?;
        sum += Metric::Bandwidth.of(&sample).ok_or("no rate")?;
    }
    Ok(sum / as_f64(LONG))
}
