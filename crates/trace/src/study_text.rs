//! A fitted workload as a study.

use std::fmt::Write as _;

use stripewise_study::question::{StackQuestion, quoted};
use stripewise_study::units::{Nanos, as_f64};
use stripewise_study::workload::{Distribution, Load, SyncMode};

use crate::fit::Fitted;

/// The longest pause that fits into a usual sample of 3 s.
const PAUSE_MAX: Nanos = Nanos::from_millis(1000);

/// Returns a study with a workload for each phase, put on `stack`.
pub fn study_text(fitted: &[Fitted], stack: &StackQuestion) -> String {
    let mut text = String::from("question = \"How fast is the load of a trace?\"\n\n");
    text.push_str("# The load ran on another device: `stripewise profiles` lists those that can be named here.\n");
    let name = stack.array.as_ref().map_or("device", |_| "array");
    text.push_str(&stack.section(name));
    if let Some(sample) = sample(fitted) {
        line(
            &mut text,
            format_args!("\n[repeat]\nsample = \"{sample}s\""),
        );
    }
    for fitted in fitted {
        let name = fitted.workload.name.as_deref().unwrap_or("load");
        let seconds = as_f64(fitted.duration.as_u64()) / 1e9;
        let ios = as_f64(fitted.ios) / seconds;
        let mib = as_f64(fitted.bytes.as_u64()) / seconds / as_f64(1 << 20);
        line(
            &mut text,
            format_args!(
                "\n# In the trace: {ios:.0} I/Os and {mib:.1} MiB each second, for {seconds:.1} s."
            ),
        );
        line(&mut text, format_args!("[workload.{}]", quoted(name)));
        load(&mut text, &fitted.workload.load);
        if !fitted.workload.neighbours.is_empty() {
            let names = fitted
                .workload
                .neighbours
                .iter()
                .map(|neighbour| quoted(&neighbour.name));
            line(
                &mut text,
                format_args!("neighbours = [{}]", names.collect::<Vec<_>>().join(", ")),
            );
        }
        for neighbour in &fitted.workload.neighbours {
            line(
                &mut text,
                format_args!("\n[neighbour.{}]", quoted(&neighbour.name)),
            );
            load(&mut text, &neighbour.load);
        }
    }
    text
}

/// Returns the seconds of a sample into which ten pauses fit, if the usual one is too short.
fn sample(fitted: &[Fitted]) -> Option<u64> {
    let pauses = fitted.iter().flat_map(|fitted| {
        let neighbours = fitted.workload.neighbours.iter();
        let loads = neighbours.map(|neighbour| &neighbour.load);
        loads
            .chain([&fitted.workload.load])
            .map(|load| load.think_time_ns)
    });
    let longest = pauses.max().filter(|pause| *pause > PAUSE_MAX)?;
    Some((longest.as_u64() / 100_000_000).next_multiple_of(10))
}

/// Writes the keys of a load, without those that have their default.
fn load(text: &mut String, load: &Load) {
    line(text, format_args!("pattern = \"{}\"", load.pattern));
    line(text, format_args!("block_size = \"{}\"", load.block_size));
    line(text, format_args!("size = \"{}\"", load.size_bytes));
    if let Some(percent) = load.read_percent {
        line(text, format_args!("mix = \"{percent}/{}\"", 100 - percent));
    }
    line(text, format_args!("jobs = {}", load.jobs));
    line(text, format_args!("depth = {}", load.depth));
    line(text, format_args!("engine = \"{}\"", load.engine));
    if load.distribution != Distribution::Uniform {
        line(
            text,
            format_args!("distribution = \"{}\"", load.distribution),
        );
    }
    if let Some(rate) = load.rate_iops {
        line(text, format_args!("rate_iops = {rate}"));
    }
    if load.think_time_ns > Nanos::default() {
        let us = load.think_time_ns.as_u64().div_ceil(1000);
        line(text, format_args!("think_time = \"{us}us\""));
        if let Some(blocks) = load.think_blocks {
            line(text, format_args!("think_blocks = {blocks}"));
        }
    }
    if load.sync != SyncMode::None {
        line(text, format_args!("sync = \"{}\"", load.sync));
    }
    if let Some(every) = load.fsync_every {
        line(text, format_args!("fsync = {every}"));
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
