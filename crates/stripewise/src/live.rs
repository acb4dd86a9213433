//! The screen of a run under way: its cells with their intervals, the load as it is measured, and the
//! time left.
//!
//! ```text
//! How fast is this filesystem?
//! ████████▌               18/54 samples · 2 min 10 s left
//!
//!   cell            estimate            interval                  samples
//! ▶ randread 4K     52.1 ±0.4 MiB/s    ┊  ├●┤  ┊         ±0.8 %   6  narrow enough
//!
//! randread 64K · 2 s of 3 s
//! 412 MiB/s · 6592 IOPS · 155 µs · vda
//! ▂▅▇▇▇▆
//! ```
//!
//! The frame is made from the state alone, so tests need no terminal.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use stripewise_answer::sparkline;
use stripewise_catalogue::{Argument, Message};
use stripewise_report::run::{short_estimate, span};
use stripewise_report::view::View;
use stripewise_runner::{CellEnd, CellState, RunProgress};
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use unicode_width::UnicodeWidthStr as _;

use crate::failure::{Failure, Result};
use crate::meter::Meter;
use crate::printer::{Printer, ProgressKind};
use crate::progress::few_hosts;
use crate::screen::{Line, Size};

/// When a run shows its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    /// On a terminal of at least 20 lines, once the run has taken two seconds
    Auto,
    /// At once, on any terminal
    Always,
    /// Never: one line of progress
    Never,
}

/// The options about the screen.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LiveArgs {
    /// Show the cells and the load on the whole screen while they are measured
    ///
    /// The screen shows each cell's interval, what the load moves now as the kernel counts it on the disks,
    /// and the time left. It disappears with the run, and Ctrl-C ends both. Nothing of it reaches a pipe or
    /// a file.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", default_missing_value = "always", num_args = 0..=1, require_equals = true)]
    pub(crate) live: When,
}

impl LiveArgs {
    /// Refuses a screen that is asked for where none can be shown.
    pub(crate) fn check(&self, printer: &Printer) -> Result<()> {
        let can_show = printer.progress_kind() == ProgressKind::Drawn;
        match self.live {
            When::Always if !can_show => Err(Failure::new(
                "`--live` needs a terminal on standard error, and neither `--plain` nor `--quiet`",
            )
            .hint("leave it out: progress is then printed as lines")),
            _ => Ok(()),
        }
    }
}

/// The smallest terminal on which `auto` shows the screen.
const AUTO: Size = Size {
    columns: 60,
    rows: 20,
};
/// How long a run takes before `auto` shows the screen.
const AUTO_AFTER: Duration = Duration::from_secs(2);
/// The time between two frames.
const FRAME_EVERY: Duration = Duration::from_millis(250);
/// The longest name of a cell, in characters.
const NAME_MAX: usize = 40;
/// The characters of an interval on each side of its middle, and those of its target.
const SIDE: u8 = 8;
const TARGET: u8 = 3;
/// The width of an estimate.
const ESTIMATE: usize = 17;
/// The widths of the share of an interval, and of the words about a cell's samples.
const SHARE: usize = 8;
const SAMPLES: usize = 12;
/// The lines of a screen that are no cells: head, heads of columns, the current sample, and the foot.
const OTHER_LINES: usize = 10;
/// The warnings that are shown.
const WARNINGS: usize = 2;

const PLAIN: Style = Style::new();
const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const CYAN: Style = AnsiColor::Cyan.on_default();

impl When {
    /// Returns whether the screen is shown on a terminal of this size after so much time of the run.
    pub(crate) fn shows(self, size: Size, after: Duration) -> bool {
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                size.columns >= AUTO.columns && size.rows >= AUTO.rows && after >= AUTO_AFTER
            }
        }
    }
}

/// What the screen shows of a cell.
#[derive(Debug, Clone, Default)]
struct Row {
    name: String,
    estimate: String,
    state: Option<CellState>,
}

/// The words of a screen that do not change.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    /// What names a cell: its axes.
    pub(crate) head: String,
    /// The cells.
    pub(crate) cells: Vec<String>,
    /// The command that continues the run.
    pub(crate) again: String,
}

/// What the screen shows.
#[derive(Debug)]
pub(crate) struct Live {
    view: View,
    title: String,
    head: String,
    again: String,
    rows: Vec<Row>,
    taken: usize,
    missing: usize,
    /// The estimated time left, and when it was estimated.
    left: Option<(Duration, Instant)>,
    current: Option<usize>,
    step: String,
    /// How long the current step has taken, and takes.
    elapsed: Duration,
    of: Option<Duration>,
    meter: Option<Meter>,
    warnings: VecDeque<String>,
    /// What each host does, in words; empty on one machine.
    hosts: Vec<String>,
    drawn: Option<Instant>,
}

impl Live {
    /// Returns the screen of a study.
    pub(crate) fn new(study: &Study, words: Words, meter: Option<Meter>, view: View) -> Self {
        let rows = words.cells.into_iter().map(|name| Row {
            name,
            ..Row::default()
        });
        let title = study.question.clone();
        Self {
            view,
            title: title.unwrap_or_else(|| view.say(&Message::new("live-screen-title"))),
            head: words.head,
            again: words.again,
            rows: rows.collect(),
            taken: 0,
            missing: 0,
            left: None,
            current: None,
            step: String::new(),
            elapsed: Duration::ZERO,
            of: None,
            meter,
            warnings: VecDeque::new(),
            hosts: Vec::new(),
            drawn: None,
        }
    }

    /// Records that a step of a cell begins, which takes so long if that is known.
    pub(crate) fn begin(&mut self, cell: usize, step: String, of: Option<Duration>) {
        self.current = Some(cell);
        self.step = step;
        self.elapsed = Duration::ZERO;
        self.of = of;
        if let Some(meter) = &mut self.meter {
            meter.begin();
        }
    }

    /// Records how long the step has taken.
    pub(crate) fn progress(&mut self, elapsed: Duration, now: Instant) {
        self.elapsed = elapsed;
        if let Some(meter) = &mut self.meter {
            meter.read(now);
        }
    }

    /// Records the state of a cell after a sample.
    pub(crate) fn saved(
        &mut self,
        (cell, metric): (usize, Metric),
        state: &CellState,
        progress: RunProgress,
        now: Instant,
    ) {
        let estimate = state.estimate.as_ref();
        let estimate = estimate.map(|estimate| self.view.show(&short_estimate(metric, estimate)));
        if let Some(row) = self.rows.get_mut(cell) {
            row.estimate = estimate.unwrap_or_default();
            row.state = Some(*state);
        }
        self.taken = progress.taken;
        self.missing = progress.missing;
        self.left = Some((progress.time_left, now));
    }

    /// Records a warning.
    pub(crate) fn warn(&mut self, text: String) {
        if self.warnings.len() == WARNINGS {
            self.warnings.pop_front();
        }
        self.warnings.push_back(text);
    }

    /// Records what each host does.
    pub(crate) fn hosts(&mut self, lines: &[String]) {
        self.hosts = lines.to_vec();
    }

    /// Returns whether it is time for a frame, which counts as drawn then.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self
            .drawn
            .is_none_or(|drawn| now.saturating_duration_since(drawn) >= FRAME_EVERY);
        if is_due {
            self.drawn = Some(now);
        }
        is_due
    }

    /// Returns the screen.
    pub(crate) fn frame(&self, size: Size, now: Instant) -> Vec<Line> {
        let mut lines = vec![
            Line::of(BOLD, &self.title),
            self.bar(size, now),
            Line::default(),
        ];
        let names = self.rows.iter().map(|row| row.name.width());
        let width = names.chain([self.head.width()]).max();
        let others = 4 + ESTIMATE + 2 * usize::from(SIDE) + 1 + SHARE + 2 + SAMPLES;
        let room = size.columns.saturating_sub(others).clamp(12, NAME_MAX);
        let width = width.unwrap_or(0).clamp(8, room);
        lines.push(self.heads(width));
        let mut hosts = self.hosts.clone();
        few_hosts(&mut hosts, size.rows / 3, self.view);
        let others = OTHER_LINES + self.warnings.len() + hosts.len();
        self.cells(&mut lines, width, size.rows.saturating_sub(others).max(1));
        lines.push(Line::default());
        self.current(&mut lines, size);
        lines.extend(hosts.iter().map(|text| Line::of(DIM, text)));
        lines.extend(self.warnings.iter().map(|text| Line::of(YELLOW, text)));
        lines.push(Line::default());
        let foot = Message::new("live-screen-foot").name("command", &self.again);
        lines.push(Line::of(DIM, &self.view.say(&foot)));
        lines
    }

    /// Returns the line with the share of the samples that are taken, and the time left.
    fn bar(&self, size: Size, now: Instant) -> Line {
        let all = (self.taken + self.missing).max(1);
        let width = (size.columns / 3).clamp(10, 40);
        let full = width * self.taken.min(all) / all;
        let mut line = Line::of(CYAN, &"█".repeat(full));
        line.add(DIM, &"░".repeat(width - full));
        let samples = Message::new("live-screen-samples")
            .digits("taken", self.taken)
            .digits("all", all);
        line.add(PLAIN, &format!("  {}", self.view.say(&samples)));
        if let Some((left, at)) = self.left {
            let left = left.saturating_sub(now.saturating_duration_since(at));
            let left = Message::new("progress-left").name("time", span(left));
            line.add(PLAIN, &format!(" · {}", self.view.say(&left)));
        }
        line
    }

    fn heads(&self, width: usize) -> Line {
        let head = |id: &'static str| self.view.say(&Message::new(id));
        let mut line = Line::of(PLAIN, "  ");
        line.add_wide(DIM, &self.head, width);
        line.add(PLAIN, "  ");
        line.add_wide(DIM, &head("live-screen-estimate"), ESTIMATE);
        line.add(DIM, &head("live-screen-interval"));
        line
    }

    /// Adds the cells that fit so many lines: those around the current one.
    fn cells(&self, lines: &mut Vec<Line>, width: usize, most: usize) {
        let all = self.rows.len();
        let shown = if all > most {
            most.saturating_sub(1).max(1)
        } else {
            all
        };
        let current = self.current.unwrap_or(0);
        let first = current.saturating_sub(shown / 2).min(all - shown);
        let rows = self.rows.iter().enumerate().skip(first).take(shown);
        lines.extend(rows.map(|(index, row)| self.cell(row, self.current == Some(index), width)));
        if shown < all {
            let is_done = |row: &&Row| row.state.is_some_and(|state| state.end.is_some());
            let more = Message::new("live-screen-more")
                .count("more", all - shown)
                .digits("done", self.rows.iter().filter(is_done).count())
                .digits("all", all);
            lines.push(Line::of(DIM, &format!("  {}", self.view.say(&more))));
        }
    }

    fn cell(&self, row: &Row, is_current: bool, width: usize) -> Line {
        let mut line = Line::of(CYAN, if is_current { "▶ " } else { "  " });
        let style = if is_current { BOLD } else { PLAIN };
        line.add_wide(style, &row.name, width);
        line.add(PLAIN, "  ");
        line.add_wide(style, &row.estimate, ESTIMATE - 1);
        line.add(PLAIN, " ");
        let Some(state) = row
            .state
            .filter(|state| state.counted > 0 || state.end.is_some())
        else {
            return line;
        };
        let style = match state.end {
            Some(CellEnd::NarrowEnough) => GREEN,
            Some(_) => YELLOW,
            None => PLAIN,
        };
        line.add(style, &interval(state.width));
        let estimate = state.estimate.as_ref();
        let share = estimate.and_then(|estimate| estimate.relative_half_width());
        let percent = share.filter(|share| share.is_finite());
        let percent =
            percent.map(|share| format!("±{}", self.view.show(&Argument::percent(share))));
        let percent = percent.unwrap_or_default();
        line.add(PLAIN, &format!("{percent:>SHARE$}  "));
        let end = match state.end {
            Some(CellEnd::NarrowEnough) => Message::new("live-screen-narrow"),
            Some(CellEnd::MaxSamples) => Message::new("live-screen-most"),
            Some(CellEnd::NotSteady) => Message::new("live-screen-unsteady"),
            Some(CellEnd::NoValidSample) => Message::new("live-screen-invalid"),
            None => Message::new("live-screen-open").digits("counted", state.counted),
        };
        line.add(style, &self.view.say(&end));
        line
    }

    /// Adds the current sample: its cell, its time, and what the disks move.
    fn current(&self, lines: &mut Vec<Line>, size: Size) {
        let time = match self.of {
            Some(of) => Message::new("live-screen-time-of")
                .name("elapsed", span(self.elapsed))
                .name("of", span(of)),
            None => Message::new("live-screen-time").name("elapsed", span(self.elapsed)),
        };
        let mut line = Line::of(BOLD, &self.step);
        if self.current.is_some() {
            line.add(PLAIN, &format!(" · {}", self.view.say(&time)));
        }
        lines.push(line);
        let Some(meter) = &self.meter else {
            return;
        };
        let rate = meter.latest().map(|rate| {
            let parts = rate.quantities().into_iter().flatten();
            let parts = parts.map(|part| self.view.show(&part));
            parts.collect::<Vec<_>>().join(" · ")
        });
        let mut line = Line::of(CYAN, rate.as_deref().unwrap_or("…"));
        let disks = Message::new("live-screen-disks").name("disks", meter.disks().join(", "));
        line.add(DIM, &format!("  {}", self.view.say(&disks)));
        lines.push(line);
        let rates = meter.bandwidths();
        let rates = &rates[rates.len().saturating_sub(size.columns)..];
        let most = rates.iter().copied().fold(0.0, f64::max);
        lines.push(Line::of(CYAN, &sparkline(rates, most)));
    }
}

/// Draws an interval around its middle: `┊  ├●┤  ┊`, with marks where it is narrow enough. `width` is its
/// half width as a share of that.
fn interval(width: f64) -> String {
    let width = width * f64::from(TARGET);
    let half = (1..=SIDE).rfind(|&place| width >= f64::from(place) - 0.5);
    let is_wider = width > f64::from(SIDE);
    let side = |place: u8, [end, beyond]: [char; 2]| match place {
        SIDE if is_wider => beyond,
        place if Some(place) == half => end,
        place if Some(place) < half => '─',
        TARGET => '┊',
        _ => ' ',
    };
    let left = (1..=SIDE).rev().map(|place| side(place, ['├', '◂']));
    let right = (1..=SIDE).map(|place| side(place, ['┤', '▸']));
    left.chain(['●']).chain(right).collect()
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;
