//! The only place that prints: data to stdout, everything else to stderr.
//!
//! No escape sequence in a text reaches a terminal: styles come as the marks of [`style`], and all
//! other control characters are made visible here. Colours are off in pipes, with `NO_COLOR`, with
//! `TERM=dumb` and for plain text.
//!
//! Two exceptions: `lab shell` passes the guest's console to the terminal unchanged, and
//! [`screen`] draws the screen of a run.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::os::fd::AsFd as _;
use std::panic::PanicHookInfo;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rustix::fs::OFlags;
use serde::Serialize;
use stripewise_catalogue::{Language, Message, as_english};
use stripewise_report::style;
use stripewise_report::view::{COLUMNS_DEFAULT, View};
use stripewise_units::visible::{visible, visible_json, visible_line};

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::inputs;
use crate::screen;

/// The most bytes of a typed line; every name of a device is shorter.
const LINE_BYTES_MAX: u64 = 4096;

/// The most redraws of progress in a second.
const PROGRESS_HZ: u8 = 8;

/// The interval of progress lines in a log or with `--plain`.
const PROGRESS_LINE_EVERY: Duration = Duration::from_secs(30);

/// The interval of such lines about a step that tells nothing itself, such as a download.
const SILENT_LINE_EVERY: Duration = Duration::from_secs(10);

/// How often a step that tells nothing is looked at.
const SILENT_LOOK_EVERY: Duration = Duration::from_millis(125);

/// The characters of a bar: full, parts, and nothing.
const BAR_CHARS: &str = "█▉▊▋▌▍▎▏ ";

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressKind {
    /// Not at all.
    Nothing,
    /// As one line that is redrawn.
    Drawn,
    /// As a line of text from time to time.
    Lines,
}

/// How much is printed beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Progress, warnings and results.
    Normal,
    /// Results and errors only.
    Quiet,
}

/// Prints to stdout and stderr.
pub(crate) struct Printer {
    output: Output,
    view: View,
    /// The language that `--language` names.
    language: Option<Language>,
}

/// Returns the number of columns: the terminal's, else `COLUMNS`, else the default.
pub(crate) fn columns() -> usize {
    let terminal = rustix::termios::tcgetwinsize(io::stdout());
    let terminal = terminal.map_or(0, |size| usize::from(size.ws_col));
    let said = || std::env::var("COLUMNS").ok()?.parse().ok();
    // Some terminals do not know their width, and report 0.
    match terminal {
        0 => said().unwrap_or(COLUMNS_DEFAULT),
        columns => columns,
    }
}

/// Turns colours off for a dumb terminal: `anstream` does not if `CI` is set.
fn respect_dumb_terminals() {
    let dumb = std::env::var_os("TERM").is_none_or(|name| name == "dumb");
    let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    if dumb && !forced {
        anstream::ColorChoice::Never.write_global();
    }
}

impl Printer {
    pub(crate) fn new(output: Output, view: View, language: Option<Language>) -> Self {
        respect_dumb_terminals();
        Self {
            output,
            view,
            language,
        }
    }

    /// Returns how text for people is laid out.
    pub(crate) fn view(&self) -> View {
        self.view
    }

    /// Returns the language that `--language` names, for files that do not depend on this user's
    /// environment.
    pub(crate) fn language(&self) -> Option<Language> {
        self.language
    }

    /// Prints data for people.
    pub(crate) fn data(&mut self, text: &str) -> Result<()> {
        let text = match self.view.is_plain() {
            true => style::without_styles(text),
            false => style::for_terminal(text),
        };
        write_stdout(&mut anstream::stdout().lock(), text.as_bytes())
    }

    /// Prints one line of data for people.
    pub(crate) fn line(&mut self, message: &Message) -> Result<()> {
        let text = self.view.say(message);
        self.data(&format!("{text}\n"))
    }

    /// Prints one JSON document for programs; its messages are English text.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> Result<()> {
        let text = as_english(|| serde_json::to_string_pretty(document))? + "\n";
        write_stdout(&mut io::stdout().lock(), visible_json(&text).as_bytes())
    }

    /// Prints a file for other programs: byte for byte, except to a terminal.
    pub(crate) fn file(&mut self, bytes: &[u8]) -> Result<()> {
        let mut stdout = io::stdout().lock();
        if !stdout.is_terminal() {
            return write_stdout(&mut stdout, bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        write_stdout(&mut stdout, visible(&text).as_bytes())
    }

    /// Returns standard output for a file that may be larger than the memory.
    ///
    /// # Errors
    /// If standard output cannot be written to, or is one of the inputs noted so far.
    pub(crate) fn stream(&mut self) -> io::Result<Stream> {
        check_stdout()?;
        let stdout = io::stdout();
        Ok(Stream {
            is_terminal: stdout.is_terminal(),
            file: File::from(stdout.as_fd().try_clone_to_owned()?),
        })
    }

    /// Prints a remark.
    pub(crate) fn remark(&mut self, message: &Message) {
        let text = self.view.say(message);
        self.list(&text);
    }

    /// Prints a list beside the data; its lines are in the language of the view already.
    pub(crate) fn list(&mut self, text: &str) {
        if self.output == Output::Normal {
            tell(&format!("{text}\n"));
        }
    }

    /// Prints text that the user needs to answer a question, even with `--quiet`.
    pub(crate) fn show(&mut self, text: &str) {
        tell(&format!("{text}\n"));
    }

    /// Returns whether data goes to a terminal.
    pub(crate) fn prints_to_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Returns whether text beside data goes to a terminal.
    pub(crate) fn tells_a_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Returns whether a user at a terminal can see and answer questions.
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks on the terminal and returns the typed line, trimmed; empty at the end of input.
    pub(crate) fn ask(&mut self, question: &Message) -> Result<String> {
        write_stderr(&format!("{} ", self.view.say(question)))?;
        let mut line = String::new();
        let stdin = io::stdin().lock();
        stdin.take(LINE_BYTES_MAX).read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// Prints why a command failed.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        tell(&failure.render());
    }

    /// Returns how progress is shown: on stderr, wherever data goes.
    pub(crate) fn progress_kind(&self) -> ProgressKind {
        match self.output {
            Output::Quiet => ProgressKind::Nothing,
            Output::Normal if self.view.is_plain() || !io::stderr().is_terminal() => {
                ProgressKind::Lines
            }
            Output::Normal => ProgressKind::Drawn,
        }
    }

    /// Begins a line of progress on stderr, laid out by a template of indicatif.
    pub(crate) fn progress(&self, template: String, length: Option<u64>) -> ProgressLine {
        let line = ProgressLine::hidden(template, length);
        line.show(self.progress_kind());
        line
    }
}

/// Standard output, byte for byte, except to a terminal.
pub(crate) struct Stream {
    file: File,
    is_terminal: bool,
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.file.write(bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        self.file.write_all(visible(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A line of progress: redrawn until it is finished, or printed from time to time.
pub(crate) struct ProgressLine {
    lines: Arc<Lines>,
    style: ProgressStyle,
}

/// What a line of progress shows, and when it is printed.
struct Lines {
    bar: ProgressBar,
    template: String,
    /// When a line was last printed; `None` if lines are not printed.
    printed: Mutex<Option<Instant>>,
    /// Lines below it.
    below: Mutex<Vec<String>>,
}

impl ProgressLine {
    /// Returns a line that is not shown yet.
    pub(crate) fn hidden(template: String, length: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(&template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.progress_chars(BAR_CHARS);
        bar.set_style(style.clone());
        let lines = Lines {
            bar,
            template,
            printed: Mutex::new(None),
            below: Mutex::new(Vec::new()),
        };
        Self {
            lines: Arc::new(lines),
            style,
        }
    }

    /// Shows the line from now on.
    pub(crate) fn show(&self, kind: ProgressKind) {
        match kind {
            ProgressKind::Nothing => {}
            ProgressKind::Drawn => {
                let target = ProgressDrawTarget::stderr_with_hz(PROGRESS_HZ);
                self.lines.bar.set_style(self.style.clone());
                self.lines.bar.set_draw_target(target);
            }
            ProgressKind::Lines => *self.lines.printed() = Some(Instant::now()),
        }
    }

    /// Removes the line until it is shown again. A line that is only not drawn any more would stay where
    /// it is, and what is printed next would begin at its end.
    pub(crate) fn hide(&self) {
        let bar = &self.lines.bar;
        let nothing = ProgressStyle::with_template("");
        bar.set_style(nothing.unwrap_or_else(|_| self.style.clone()));
        bar.suspend(|| {}); // draws at once
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }

    /// Redraws the line at intervals, or prints it again, even without events.
    pub(crate) fn keep_drawing(&self) {
        self.lines.bar.enable_steady_tick(SILENT_LOOK_EVERY);
        if self.lines.printed().is_none() {
            return;
        }
        let lines = Arc::downgrade(&self.lines);
        let until_finished = move || {
            loop {
                std::thread::sleep(SILENT_LOOK_EVERY);
                match lines.upgrade() {
                    Some(lines) if !lines.bar.is_finished() => {
                        lines.print_if_due(SILENT_LINE_EVERY);
                    }
                    _ => return,
                }
            }
        };
        // Without a thread only fewer lines are printed.
        let _no_thread = std::thread::Builder::new().spawn(until_finished);
    }

    /// Prints the next line at once, if lines are printed.
    pub(crate) fn print_soon(&self) {
        let mut printed = self.lines.printed();
        if let (Some(_), Some(long_ago)) =
            (*printed, Instant::now().checked_sub(PROGRESS_LINE_EVERY))
        {
            *printed = Some(long_ago);
        }
    }

    /// Sets the message.
    pub(crate) fn say(&self, what: &str) {
        self.lines.bar.set_message(visible_line(what).into_owned());
        self.lines.print_if_due(PROGRESS_LINE_EVERY);
    }

    /// Sets the text before the message, such as the time left.
    pub(crate) fn say_before(&self, what: &str) {
        self.lines.bar.set_prefix(visible_line(what).into_owned());
    }

    /// Sets lines below the line; where lines are printed, each follows the next line that is.
    pub(crate) fn say_below(&self, lines: Vec<String>) {
        let lines: Vec<String> = lines
            .iter()
            .map(|line| visible_line(line).into_owned())
            .collect();
        let mut below = self
            .lines
            .below
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *below == lines {
            return;
        }
        let escaped = lines
            .iter()
            .map(|line| format!("\n  {}", line.replace('{', "{{").replace('}', "}}")));
        let template = format!("{}{}", self.lines.template, escaped.collect::<String>());
        *below = lines;
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.lines.bar.set_style(style.progress_chars(BAR_CHARS));
        }
    }

    /// Sets how many steps are done.
    pub(crate) fn set_position(&self, done: u64) {
        self.lines.bar.set_position(done);
    }

    /// Sets how many steps there are.
    pub(crate) fn set_length(&self, steps: u64) {
        self.lines.bar.set_length(steps);
    }

    /// Shows that work continues.
    pub(crate) fn tick(&self) {
        self.lines.bar.tick();
        self.lines.print_if_due(PROGRESS_LINE_EVERY);
    }

    /// Prints text above the line.
    pub(crate) fn print_above(&self, text: &str) {
        self.lines.bar.suspend(|| tell(&format!("{text}\n")));
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        self.lines.bar.finish_and_clear();
    }
}

impl Lines {
    fn printed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line if the last one is so old.
    fn print_if_due(&self, every: Duration) {
        if self.is_due(Instant::now(), every) {
            tell(&format!("{}\n", self.in_words()));
        }
    }

    fn is_due(&self, now: Instant, every: Duration) -> bool {
        let mut printed = self.printed();
        let is_due = printed.is_some_and(|last| now.saturating_duration_since(last) >= every);
        if is_due {
            *printed = Some(now);
        }
        is_due
    }

    /// Returns what the line shows, without a bar.
    fn in_words(&self) -> String {
        let done = self.bar.position();
        let all = self.bar.length().unwrap_or(done).max(1);
        let percent = (u128::from(done) * 100 / u128::from(all)).min(100);
        let words = [
            ("{bar:24}", format!("{percent} %")),
            ("{spinner}", String::new()),
            ("{elapsed}", format!("{} s", self.bar.elapsed().as_secs())),
            ("{pos}", done.to_string()),
            ("{len}", all.to_string()),
            ("{prefix}", self.bar.prefix()),
            ("{msg}", self.bar.message()),
        ];
        let line = words
            .into_iter()
            .fold(self.template.clone(), |line, (key, words)| {
                line.replace(key, &words)
            });
        let below = self.below.lock().unwrap_or_else(PoisonError::into_inner);
        let below = below.iter().map(|line| format!("\n  {line}"));
        format!("{}{}", line.trim(), below.collect::<String>())
    }
}

/// The text that clap returns instead of arguments: help, a version, an error.
#[derive(Debug)]
pub(crate) struct Answer {
    /// With the marks of its styles.
    pub(crate) text: String,
    pub(crate) is_mistake: bool,
}

impl Answer {
    /// Returns how the program ends with it.
    pub(crate) fn exit(&self) -> Exit {
        match self.is_mistake {
            true => Exit::CouldNot,
            false => Exit::Done,
        }
    }
}

/// Prints the text that clap returns instead of arguments.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn print_answer(answer: &Answer) -> Result<()> {
    respect_dumb_terminals();
    if answer.is_mistake {
        tell(&answer.text);
        return Ok(());
    }
    let text = style::for_terminal(&answer.text);
    write_stdout(&mut anstream::stdout().lock(), text.as_bytes())
}

/// Prints a panic as the standard library does, with the control characters of its message escaped.
pub(crate) fn print_panic(panic: &PanicHookInfo<'_>) {
    screen::leave();
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("<unnamed>");
    let trace = std::backtrace::Backtrace::capture();
    let trace = match trace.status() {
        std::backtrace::BacktraceStatus::Captured => format!("{trace}\n"),
        _ => String::new(),
    };
    tell(&format!("\nthread '{name}' {panic}\n{trace}"));
}

/// Writes bytes that are safe to print.
fn write_stdout(stdout: &mut impl Write, bytes: &[u8]) -> Result<()> {
    check_stdout()?;
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Refuses a standard output that swallows data, or that is an input of this command.
///
/// The standard library takes `EBADF` for success, so data for a file that is open for reading only
/// would be lost without a word. A standard output that was closed before the start cannot be told:
/// the library opens `/dev/null` in its place, for reading and writing, as daemon(3) and Python's
/// `subprocess.DEVNULL` do.
fn check_stdout() -> io::Result<()> {
    let stdout = io::stdout();
    let mode = rustix::fs::fcntl_getfl(&stdout)? & OFlags::RWMODE;
    if mode == OFlags::RDONLY {
        return Err(io::Error::other("standard output is open for reading only"));
    }
    match inputs::contains(&stdout) {
        false => Ok(()),
        true => Err(io::Error::other(
            "standard output is an input of this command",
        )),
    }
}

/// Writes text with its styles; other control characters become visible.
fn write_stderr(text: &str) -> io::Result<()> {
    let mut stderr = anstream::stderr().lock();
    stderr.write_all(style::for_terminal(text).as_bytes())?;
    stderr.flush()
}

/// Writes like [`write_stderr`], and ignores errors.
fn tell(text: &str) {
    let _lost = write_stderr(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_line_of_progress_every_30_seconds() {
        let template = "{bar:24} {pos}/{len} samples  {prefix}  {msg}";
        let line = ProgressLine::hidden(template.to_owned(), Some(54));
        line.set_position(18);
        line.say_before("4 min left");
        line.say("randread 4K");
        assert_eq!(
            line.lines.in_words(),
            "33 % 18/54 samples  4 min left  randread 4K"
        );
        line.say_below(vec!["h1: load runs".to_owned(), "h2: {msg}".to_owned()]);
        assert_eq!(
            line.lines.in_words(),
            "33 % 18/54 samples  4 min left  randread 4K\n  h1: load runs\n  h2: {msg}"
        );

        let now = Instant::now();
        let after = |seconds| now + Duration::from_secs(seconds);
        let is_due = |now| line.lines.is_due(now, PROGRESS_LINE_EVERY);
        assert!(!is_due(after(3600)), "printing is off");
        line.show(ProgressKind::Lines);
        assert!(!is_due(after(29)));
        assert!(is_due(after(31)));
        assert!(!is_due(after(60)));
        assert!(is_due(after(62)));
        line.print_soon();
        assert!(is_due(Instant::now()));
        assert!(!is_due(Instant::now()));
    }

    #[test]
    fn a_log_gets_lines_while_a_step_tells_nothing() {
        let line = ProgressLine::hidden("{elapsed} {msg}".to_owned(), None);
        line.show(ProgressKind::Lines);
        line.say("downloading the guest's tools");
        let long_ago = Instant::now().checked_sub(SILENT_LINE_EVERY).unwrap();
        *line.lines.printed() = Some(long_ago);
        line.keep_drawing();
        let began = Instant::now();
        while *line.lines.printed() == Some(long_ago) {
            assert!(began.elapsed() < Duration::from_secs(30), "no line");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
