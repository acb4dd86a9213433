//! Progress on stderr: of a run, and of the simulations behind an answer.

use std::io;
use std::time::{Duration, Instant};

use stripewise_catalogue::Message;
use stripewise_diagnose::progress::Share;
use stripewise_process::is_stop_asked;
use stripewise_report::run::short_estimate;
use stripewise_report::style::paint;
use stripewise_report::view::View;
use stripewise_runner::{Event, Observer};
use stripewise_study::cell::Axis;
use stripewise_study::cell_words::naming_axes;
use stripewise_study::hosts::{HostProgress, HostState};
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::sample::Role;
use stripewise_study::warning::Warning;
use stripewise_study::world::Watch;

use crate::live::{Live, When, Words};
use crate::meter::Meter;
use crate::printer::{Printer, ProgressKind, ProgressLine};
use crate::screen::{Screen, Size};
use crate::stop::Stop;

/// The most hosts that are shown.
const HOST_LINES_MAX: usize = 12;

/// Keeps so many lines about hosts; the last one counts the others.
pub(crate) fn few_hosts(lines: &mut Vec<String>, most: usize, view: View) {
    if lines.len() > most {
        let shown = most.saturating_sub(1);
        let more = Message::new("progress-hosts-more").count("more", lines.len() - shown);
        lines.truncate(shown);
        lines.push(view.say(&more));
    }
}

/// Shows the progress of a run: on a line, or on a screen of its own.
pub(crate) struct Progress<'a> {
    line: ProgressLine,
    kind: ProgressKind,
    /// The screen, and when it is shown; `None` if it never is.
    live: Option<(Live, When)>,
    screen: Option<Screen>,
    began: Instant,
    study: &'a Study,
    axes: Vec<Axis>,
    known: String,
    /// The warnings so far; each is printed once, above the bar.
    noticed: Vec<Warning>,
    /// Those that only the screen has shown.
    unprinted: Vec<String>,
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
            kind: printer.progress_kind(),
            live: None,
            screen: None,
            began: Instant::now(),
            study,
            axes: naming_axes(&study.cells.iter().collect::<Vec<_>>()),
            known: String::new(),
            noticed: Vec::new(),
            unprinted: Vec::new(),
            prints_first: false,
            view: printer.view(),
        }
    }

    /// Shows the run on a screen, too; `again` is the command that continues it.
    pub(crate) fn show_live(&mut self, when: When, again: String, meter: Option<Meter>) {
        if when == When::Never || self.kind != ProgressKind::Drawn {
            return;
        }
        let axes = match self.axes.as_slice() {
            [] => &[Axis::Pattern, Axis::BlockSize],
            axes => axes,
        };
        let joined = |parts: &mut dyn Iterator<Item = String>| {
            parts
                .filter(|part| part != "-")
                .collect::<Vec<_>>()
                .join(" · ")
        };
        let cells = self.study.cells.iter();
        let cells = cells.map(|cell| joined(&mut axes.iter().map(|axis| cell.value(*axis))));
        let words = Words {
            head: joined(&mut axes.iter().map(|axis| self.view.say(&axis.message()))),
            cells: cells.collect(),
            again,
        };
        let live = Live::new(self.study, words, meter, self.view);
        self.live = Some((live, when));
    }

    /// Draws the screen if it is time for it. A signal ends it at once: what is undone then is told on
    /// lines, and another signal ends the program.
    fn draw(&mut self) {
        let Some((live, when)) = &mut self.live else {
            return;
        };
        let now = Instant::now();
        if !live.is_due(now) {
            return;
        }
        let size = Size::of_terminal().filter(|_| !is_stop_asked());
        let after = now.saturating_duration_since(self.began);
        let is_shown = |size: &Size| when.shows(*size, after);
        let drawn = size.filter(is_shown).map(|size| {
            let screen = match self.screen.take() {
                Some(screen) => screen,
                None => {
                    self.line.hide();
                    Screen::enter()?
                }
            };
            screen.draw(&live.frame(size, now), size)?;
            Ok::<_, io::Error>(screen)
        });
        match drawn {
            Some(Ok(screen)) => self.screen = Some(screen),
            // Without a screen the line shows the rest of the run.
            Some(Err(_)) => self.leave(),
            None if is_stop_asked() => self.leave(),
            None => self.hide_screen(),
        }
    }

    fn hide_screen(&mut self) {
        if self.screen.take().is_some() {
            self.line.show(self.kind);
        }
    }

    /// Ends the screen: it is not shown again, and the warnings that it showed are printed.
    fn leave(&mut self) {
        self.live = None;
        self.hide_screen();
        for text in std::mem::take(&mut self.unprinted) {
            self.line.print_above(&text);
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
    pub(crate) fn finish(mut self) {
        self.leave();
        self.line.finish();
    }

    fn notice(&mut self, warning: &Warning) {
        if self.kind == ProgressKind::Nothing || self.noticed.contains(warning) {
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
        if let Some((live, _)) = &mut self.live {
            live.warn(self.view.say(&warning.message()));
        }
        match self.screen {
            Some(_) => self.unprinted.push(text),
            None => self.line.print_above(&text),
        }
    }

    /// Begins a step of a cell, which takes so long if that is known.
    fn begin(&mut self, cell: usize, step: &str, of: Option<Duration>) {
        self.say(step);
        if let Some((live, _)) = &mut self.live {
            live.begin(cell, step.to_owned(), of);
        }
    }

    /// Shows what each host does, the lost ones first, and at most so many lines.
    fn show_hosts(&mut self, hosts: &[HostProgress]) {
        let mut order: Vec<&HostProgress> = hosts.iter().collect();
        order.sort_by_key(|host| !matches!(host.state, HostState::Lost(_)));
        let mut lines: Vec<String> = order
            .iter()
            .map(|host| self.view.say(&host.message()))
            .collect();
        if let Some((live, _)) = &mut self.live {
            live.hosts(&lines);
        }
        few_hosts(&mut lines, HOST_LINES_MAX, self.view);
        self.line.say_below(lines);
    }

    /// Shows an event.
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Noticed { warning } => self.notice(warning),
            Event::Preparing { cell } => {
                let preparing = Message::new("progress-preparing").name("cell", self.name(cell));
                self.begin(cell, &self.view.say(&preparing), None);
            }
            Event::Began { cell, role, .. } => {
                let name = self.name(cell);
                let warm_up = || Message::new("progress-warm-up").name("cell", &name);
                let sample = self.study.cells[cell].sample_time(self.study.repeat.sample_ns);
                let (step, of) = match role {
                    Role::WarmUp => (self.view.say(&warm_up()), None),
                    _ => (name, Some(sample.into())),
                };
                self.begin(cell, &step, of);
            }
            Event::Progressing { elapsed } => {
                self.line.tick();
                if let Some((live, _)) = &mut self.live {
                    live.progress(elapsed, Instant::now());
                }
            }
            Event::Hosts { hosts } => self.show_hosts(hosts),
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
                let metric = self.study.compare.metric;
                let known = metric.of(&record.sample);
                let metric = known.map_or(Metric::Bandwidth, |_| metric);
                if let Some((live, _)) = &mut self.live {
                    live.saved((record.cell, metric), state, progress, Instant::now());
                }
                if let (Some(estimate), Role::Counted) = (&state.estimate, record.role) {
                    let name = self.name(record.cell);
                    let estimate = self.view.show(&short_estimate(metric, estimate));
                    self.known = format!("· {name} {estimate}");
                }
            }
        }
    }
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.take(event);
        self.draw();
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
    share: Share,
    /// Ends the simulations on Ctrl-C; without it the signal ends the program.
    stop: Option<Stop>,
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
            share: Share::new(parts),
            stop: None,
        }
    }

    /// Returns the same for a command that answers with what it knows on Ctrl-C.
    pub(crate) fn until_stopped(parts: usize, printer: &Printer) -> io::Result<Self> {
        let mut simulating = Self::new(parts, printer);
        simulating.stop = Some(Stop::listen()?);
        Ok(simulating)
    }

    /// Records that a part is complete and so many are left.
    pub(crate) fn part_done(&mut self, left: usize) {
        self.share.part_done(left);
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
        let done = self.share.done();
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
        !self.stop.as_ref().is_some_and(Stop::is_asked)
    }
}

impl stripewise_sim::question::Observer for Simulating {
    fn simulated(&mut self, done: u64, all: u64) {
        self.share.simulated(done, all);
        self.draw();
    }

    fn answered(&mut self, left: usize) {
        self.part_done(left);
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
