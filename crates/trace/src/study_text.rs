//! A fitted workload as a study.

use std::fmt::Write as _;

use stripewise_format::question::StackQuestion;
use stripewise_study::keys::quoted;
use stripewise_study::workload::Load;
use stripewise_units::{Nanos, as_f64};

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
        line(
            &mut text,
            format_args!("\n# In the trace: {}.", rates(fitted)),
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

/// Returns what the trace did in a phase; a trace without times has no rates.
fn rates(fitted: &Fitted) -> String {
    let mib = as_f64(fitted.bytes.as_u64()) / as_f64(1 << 20);
    if fitted.duration == Nanos::default() {
        return format!("{} I/Os and {mib:.1} MiB, without times", fitted.ios);
    }
    let seconds = as_f64(fitted.duration.as_u64()) / 1e9;
    let ios = as_f64(fitted.ios) / seconds;
    let mib = mib / seconds;
    format!("{ios:.0} I/Os and {mib:.1} MiB each second, for {seconds:.1} s")
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

/// Writes the keys of a load, with a pause in the whole microseconds that fio counts in.
fn load(text: &mut String, load: &Load) {
    let mut load = load.clone();
    let us = load.think_time_ns.as_u64().div_ceil(1000);
    load.think_time_ns = Nanos::new(us.saturating_mul(1000));
    text.push_str(&load.toml());
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
