//! A whole screen of the terminal on stderr, drawn anew several times a second.
//!
//! It is the terminal's alternate screen, so that all that was printed before is there again afterwards.
//! The cursor stays visible and the keys keep their meaning: the terminal is usable even if the program
//! is killed. Whatever ends the screen (the end of a run, a signal, a panic) leaves it.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::Style;
use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use stripewise_report::{cut, style};
use stripewise_units::visible::visible_line;
use unicode_width::UnicodeWidthStr as _;

/// Whether the terminal shows our screen.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl Size {
    /// Returns the size of the terminal on stderr; `None` if stderr is none, or it does not know.
    pub(crate) fn of_terminal() -> Option<Self> {
        let stderr = io::stderr();
        let size = rustix::termios::tcgetwinsize(&stderr).ok()?;
        let [columns, rows] = [size.ws_col, size.ws_row].map(usize::from);
        (stderr.is_terminal() && columns > 0 && rows > 0).then_some(Self { columns, rows })
    }
}

/// One line of a screen: pieces of text, each in its style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line(Vec<(Style, String)>);

impl Line {
    /// Returns a line of one piece.
    pub(crate) fn of(style: Style, text: &str) -> Self {
        let mut line = Self::default();
        line.add(style, text);
        line
    }

    /// Adds a piece; control characters in it become visible.
    pub(crate) fn add(&mut self, style: Style, text: &str) {
        self.0.push((style, visible_line(text).into_owned()));
    }

    /// Adds a piece and spaces up to a width; a longer piece is cut off.
    pub(crate) fn add_wide(&mut self, style: Style, text: &str, width: usize) {
        let text = cut(&visible_line(text), width);
        let space = width.saturating_sub(text.width());
        self.add(style, &text);
        self.add(Style::new(), &" ".repeat(space));
    }

    /// Returns the text without styles, cut off at a width.
    #[cfg(test)]
    pub(crate) fn text(&self, columns: usize) -> String {
        let text: String = self.0.iter().map(|(_, text)| text.as_str()).collect();
        cut(&text, columns).trim_end().to_owned()
    }

    /// Returns the text with its styles, cut off at a width.
    fn painted(&self, columns: usize) -> String {
        let mut left = columns;
        let mut painted = String::new();
        for (style, text) in &self.0 {
            let text = cut(text, left);
            left = left.saturating_sub(text.width());
            painted.push_str(&style::paint(*style, &text));
        }
        painted
    }
}

/// Our screen, until it is dropped.
#[derive(Debug)]
pub(crate) struct Screen(());

impl Screen {
    /// Shows the screen.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub(crate) fn enter() -> io::Result<Self> {
        let mut stderr = io::stderr().lock();
        IS_SHOWN.store(true, Ordering::SeqCst);
        let screen = Self(());
        queue!(stderr, EnterAlternateScreen, Clear(ClearType::All))?;
        stderr.flush()?;
        Ok(screen)
    }

    /// Draws lines from the top of a screen of this size.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub(crate) fn draw(&self, lines: &[Line], size: Size) -> io::Result<()> {
        let mut frame = Vec::new();
        queue!(frame, BeginSynchronizedUpdate)?;
        for (row, line) in (0_u16..).zip(lines.iter().take(size.rows)) {
            queue!(frame, MoveTo(0, row))?;
            let text = style::for_terminal(&line.painted(size.columns));
            // Colours are off with `NO_COLOR`, as in all other output.
            let mut styled = anstream::AutoStream::new(&mut frame, colours());
            styled.write_all(text.as_bytes())?;
            queue!(frame, Clear(ClearType::UntilNewLine))?;
        }
        queue!(
            frame,
            Clear(ClearType::FromCursorDown),
            EndSynchronizedUpdate
        )?;
        let mut stderr = io::stderr().lock();
        stderr.write_all(&frame)?;
        stderr.flush()
    }
}

/// Returns whether text on stderr has colours.
fn colours() -> anstream::ColorChoice {
    match anstream::AutoStream::choice(&io::stderr()) {
        anstream::ColorChoice::Never => anstream::ColorChoice::Never,
        _ => anstream::ColorChoice::AlwaysAnsi,
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Leaves the screen if it is shown, so that what is printed next stays.
pub(crate) fn leave() {
    if IS_SHOWN.swap(false, Ordering::SeqCst) {
        let mut stderr = io::stderr().lock();
        let _lost = queue!(stderr, LeaveAlternateScreen).and_then(|()| stderr.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_edge_and_shows_no_control_character() {
        let mut line = Line::default();
        line.add_wide(Style::new().bold(), "randread 4K", 6);
        line.add(Style::new(), "\u{1b}[2J 数字");
        assert_eq!(line.text(80), "randr…␛[2J 数字");
        assert_eq!(line.text(14), "randr…␛[2J 数…");
        assert_eq!(line.text(13), "randr…␛[2J …");
        assert_eq!(line.text(0), "");
        assert!(!line.painted(80).contains('\u{1b}'));
    }
}
