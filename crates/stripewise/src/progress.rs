//! Progress of a run on stderr: how far, what is being measured, what is known, how long it takes.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stripewise_report::run::{cell_name, short_estimate};
use stripewise_runner::{Event, Observer};
use stripewise_study::cell::{Axis, varying_axes};
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::sample::Role;
use stripewise_study::warning::Warning;

use crate::printer::Printer;

/// Shows a run while it goes on; on anything but a terminal it says nothing.
pub(crate) struct Progress<'a> {
    bar: ProgressBar,
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
        let target = if printer.shows_progress() {
            ProgressDrawTarget::stderr_with_hz(8)
        } else {
            ProgressDrawTarget::hidden()
        };
        let least =
            study.cells.len() * (usize::try_from(study.repeat.at_least).unwrap_or(6) + warm_ups);
        let bar = ProgressBar::with_draw_target(Some(count(least)), target);
        bar.set_position(count(taken));
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} samples  {prefix}  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("█▉▊▋▌▍▎▏ ");
        bar.set_style(style);
        Self {
            bar,
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
        self.bar.finish_and_clear();
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
        let text = format!("{yellow}warning:{yellow:#} {}{hint}", warning.message());
        self.bar.suspend(|| {
            let _ =
                std::io::Write::write_all(&mut anstream::stderr(), format!("{text}\n").as_bytes());
        });
    }
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Noticed { warning } => self.notice(warning),
            Event::Preparing { cell } => {
                let name = self.name(cell);
                self.bar
                    .set_message(format!("{name}: writing test files {}", self.known));
            }
            Event::Began { cell, role, .. } => {
                let kind = if role == Role::WarmUp {
                    " (warm-up)"
                } else {
                    ""
                };
                let name = self.name(cell);
                self.bar.set_message(format!("{name}{kind} {}", self.known));
            }
            Event::Goes { .. } => self.bar.tick(),
            Event::Saved {
                record,
                state,
                progress,
            } => {
                self.bar
                    .set_length(count(progress.taken + progress.missing));
                self.bar.set_position(count(progress.taken));
                self.bar.set_prefix(left(progress.time_left));
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
