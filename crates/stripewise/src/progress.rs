//! Progress on stderr: of a run, and of the simulations behind an answer.

use std::io;
use std::time::{Duration, Instant};
use stripewise_study::sample::as_f64;

use stripewise_catalogue::Message;
use stripewise_report::run::short_estimate;
use stripewise_report::style::paint;
use stripewise_report::view::View;
use stripewise_runner::{Event, Observer};
use stripewise_study::cell::Axis;
use stripewise_study::cell_words::naming_axes;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::sample::Role;
use stripewise_study::warning::Warning;
use stripewise_study::world::Watch;

use crate::printer::{Printer, ProgressKind, ProgressLine};
use crate::stop::Stop;

/// Shows the progress of a run.
pub(crate) struct Progress<'a> {
    line: ProgressLine,
    study: &'a Study,
    axes: Vec<Axis>,
    known: String,
    /// The warnings so far; each is printed once, above the bar.
    noticed: Vec<Warning>,
    is_quiet: bool,
    /// Whether a log gets a line as soon as a sample shows how long the run takes.
    prints_first: bool,
    view: View,
}

impl<'a> Progress<'a> {
    /// Returns the progress of a study that has `taken` samples already, and `warm_ups` for each
    /// cell.
    pub(crate) fn new(study: &'a Study, taken: usize, warm_ups: usize, printer: &Printer) -> Self {
        let least =
            study.cells.len() * (usize::try_from(study.repeat.at_least).unwrap_or(6) + warm_ups);
        let samples = printer.view().say(&Message::new("progress-samples"));
        let template = format!("{{bar:24}} {{pos}}/{{len}} {samples}  {{prefix}}  {{msg}}");
        let line = printer.progress(template, Some(count(least)));
        line.set_position(count(taken));
        Self {
            line,
            study,
            axes: naming_axes(&study.cells.iter().collect::<Vec<_>>()),
            known: String::new(),
            noticed: Vec::new(),
            is_quiet: printer.progress_kind() == ProgressKind::Nothing,
            prints_first: false,
            view: printer.view(),
        }
    }

    /// Prints a line to a log after the first sample: before it, the time left is a guess.
    pub(crate) fn print_first(&mut self) {
        self.prints_first = true;
    }

    fn name(&self, cell: usize) -> String {
        self.view.show(&self.study.cells[cell].name(&self.axes))
    }

    /// Shows the current step, and the latest estimate after it.
    fn say(&self, step: &str) {
        self.line.say(&format!("{step} {}", self.known));
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        self.line.finish();
    }

    fn notice(&mut self, warning: &Warning) {
        if self.is_quiet || self.noticed.contains(warning) {
            return;
        }
        self.noticed.push(warning.clone());
        let yellow = anstyle::AnsiColor::Yellow.on_default();
        let hint = warning.hint().map_or(String::new(), |hint| {
            let hint = Message::new("label-hint").with("hint", hint);
            format!("\n   {}", self.view.say(&hint))
        });
        let head = paint(yellow, &self.view.say(&Message::new("label-warning")));
        let text = format!("{head} {}{hint}", self.view.say(&warning.message()));
        self.line.print_above(&text);
    }
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Noticed { warning } => self.notice(warning),
            Event::Preparing { cell } => {
                let preparing = Message::new("progress-preparing").name("cell", self.name(cell));
                self.say(&self.view.say(&preparing));
            }
            Event::Began { cell, role, .. } => {
                let name = self.name(cell);
                let warm_up = || Message::new("progress-warm-up").name("cell", &name);
                self.say(&match role {
                    Role::WarmUp => self.view.say(&warm_up()),
                    _ => name,
                });
            }
            Event::Progressing { .. } => self.line.tick(),
            Event::Saved {
                record,
                state,
                progress,
            } => {
                self.line
                    .set_length(count(progress.taken + progress.missing));
                self.line.set_position(count(progress.taken));
                self.line.say_before(&left(progress.time_left, self.view));
                if std::mem::take(&mut self.prints_first) {
                    self.line.print_soon();
                }
                if let (Some(estimate), Role::Counted) = (&state.estimate, record.role) {
                    let metric = self.study.compare.metric;
                    let metric = metric
                        .of(&record.sample)
                        .map_or(Metric::Bandwidth, |_| metric);
                    let name = self.name(record.cell);
                    let estimate = self.view.show(&short_estimate(metric, estimate));
                    self.known = format!("· {name} {estimate}");
                }
            }
        }
    }
}

/// Shows that a guest starts, and ends it on Ctrl-C.
pub(crate) struct Booting {
    line: ProgressLine,
    stop: Stop,
}

impl Booting {
    /// Starts to handle Ctrl-C and to show progress.
    pub(crate) fn new(printer: &Printer) -> io::Result<Self> {
        let line = printer.progress("{spinner} {elapsed} {msg}".to_owned(), None);
        line.say(&printer.view().say(&Message::new("lab-booting")));
        Ok(Self {
            line,
            stop: Stop::listen()?,
        })
    }
}

impl Watch for Booting {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.line.tick();
        !self.stop.is_asked()
    }
}

impl Drop for Booting {
    fn drop(&mut self) {
        self.line.finish();
    }
}

/// Shows the progress of the simulations of a question once they take longer than [`MOMENT`].
pub(crate) struct Simulating {
    line: ProgressLine,
    began: Instant,
    kind: ProgressKind,
    view: View,
    is_shown: bool,
    /// The parts that are not complete, such as cells; a part has several simulations.
    parts_left: u64,
    /// The simulations of complete parts, the complete ones of the current part, and all of that
    /// part.
    before: u64,
    done: u64,
    of: u64,
}

/// Shorter simulations show no progress.
const MOMENT: Duration = Duration::from_secs(1);
/// The bar counts in thousandths of the question.
const BAR: u64 = 1000;

impl Simulating {
    /// Returns the progress of a question of so many parts.
    pub(crate) fn new(parts: usize, printer: &Printer) -> Self {
        let simulating = printer.view().say(&Message::new("progress-simulating"));
        let template = format!("{{bar:24}} {simulating}  {{msg}}");
        Self {
            line: ProgressLine::hidden(template, Some(BAR)),
            began: Instant::now(),
            kind: printer.progress_kind(),
            view: printer.view(),
            is_shown: false,
            parts_left: count(parts),
            before: 0,
            done: 0,
            of: 0,
        }
    }

    /// Records that a part is complete and so many are left.
    pub(crate) fn part_done(&mut self, left: usize) {
        self.before += self.of;
        self.parts_left = count(left);
        self.done = 0;
    }

    fn draw(&mut self) {
        let elapsed = self.began.elapsed();
        if elapsed < MOMENT {
            return;
        }
        if !self.is_shown {
            self.is_shown = true;
            self.line.show(self.kind);
        }
        let all = self.before + self.of * self.parts_left;
        let done = as_f64(self.before + self.done) / as_f64(all.max(1));
        self.line.set_position(thousandths(done));
        if done > 0.0 {
            let left_s = elapsed.as_secs_f64() * (1.0 / done - 1.0);
            let left = Duration::try_from_secs_f64(left_s).unwrap_or_default();
            self.line.say(&self::left(left, self.view));
        }
        self.line.tick();
    }
}

impl Drop for Simulating {
    fn drop(&mut self) {
        self.line.finish();
    }
}

impl Watch for Simulating {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.draw();
        true
    }
}

impl stripewise_sim::question::Observer for Simulating {
    fn simulated(&mut self, done: u64, all: u64) {
        (self.done, self.of) = (done, all);
        self.draw();
    }
}

/// Returns a share in thousandths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the float is between 0 and 1000"
)]
fn thousandths(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 1000.0) as u64
}

fn left(time: Duration, view: View) -> String {
    let span = stripewise_report::run::span(time);
    view.say(&Message::new("progress-left").name("time", span))
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
