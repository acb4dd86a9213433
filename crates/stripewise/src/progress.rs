//! Progress of a run on stderr: how far, what is being measured, what is known, how long it takes.

use std::time::Duration;

use stripewise_report::run::{cell_name, short_estimate};
use stripewise_report::style::paint;
use stripewise_runner::{Event, Observer};
use stripewise_study::cell::{Axis, varying_axes};
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::sample::Role;
use stripewise_study::warning::Warning;

use crate::printer::{Printer, ProgressLine};

/// Shows a run while it goes on; on anything but a terminal it says nothing.
pub(crate) struct Progress<'a> {
    line: ProgressLine,
    study: &'a Study,
    axes: Vec<Axis>,
    known: String,
    /// What was noticed; printed above the bar, each once.
    noticed: Vec<Warning>,
    is_quiet: bool,
}

impl<'a> Progress<'a> {
    /// Returns what is shown of a study of which `taken` samples are there already, and whose cells
    /// have so many `warm_ups` each.
    pub(crate) fn new(study: &'a Study, taken: usize, warm_ups: usize, printer: &Printer) -> Self {
        let least =
            study.cells.len() * (usize::try_from(study.repeat.at_least).unwrap_or(6) + warm_ups);
        let template = "{bar:24} {pos}/{len} samples  {prefix}  {msg}";
        let line = printer.progress(template, Some(count(least)));
        line.set_position(count(taken));
        Self {
            line,
            study,
            axes: varying_axes(&study.cells),
            known: String::new(),
            noticed: Vec::new(),
            is_quiet: !printer.shows_progress(),
        }
    }

    fn name(&self, cell: usize) -> String {
        cell_name(&self.study.cells[cell], &self.axes)
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        self.line.finish();
    }

    fn notice(&mut self, warning: &Warning) {
        if self.is_quiet || self.noticed.contains(warning) {
            return;
        }
        self.noticed.push(warning.clone());
        let yellow = anstyle::AnsiColor::Yellow.on_default();
        let hint = warning
            .hint()
            .map_or(String::new(), |hint| format!("\n   hint: {hint}"));
        let head = paint(yellow, "warning:");
        let text = format!("{head} {}{hint}", warning.message());
        self.line.print_above(&text);
    }
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Noticed { warning } => self.notice(warning),
            Event::Preparing { cell } => {
                let name = self.name(cell);
                self.line
                    .say(&format!("{name}: writing test files {}", self.known));
            }
            Event::Began { cell, role, .. } => {
                let kind = if role == Role::WarmUp {
                    " (warm-up)"
                } else {
                    ""
                };
                let name = self.name(cell);
                self.line.say(&format!("{name}{kind} {}", self.known));
            }
            Event::Goes { .. } => self.line.tick(),
            Event::Saved {
                record,
                state,
                progress,
            } => {
                self.line
                    .set_length(count(progress.taken + progress.missing));
                self.line.set_position(count(progress.taken));
                self.line.say_before(&left(progress.time_left));
                if let (Some(estimate), Role::Counted) = (&state.estimate, record.role) {
                    let metric = self.study.compare.metric;
                    let metric = metric
                        .of(&record.sample)
                        .map_or(Metric::Bandwidth, |_| metric);
                    let name = self.name(record.cell);
                    self.known = format!("· {name} {}", short_estimate(metric, estimate));
                }
            }
        }
    }
}

fn left(time: Duration) -> String {
    format!("{} left", stripewise_report::run::span(time))
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
