//! Styles, and text that came from outside made harmless.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What matters most.
pub(crate) const BOLD: Style = Style::new().bold();
/// A difference for the better.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A difference for the worse.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// A warning.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// Returns `text` in `style`.
pub(crate) fn paint(style: Style, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("{style}{text}{style:#}")
}

/// Returns text without control characters: names and messages come from files and devices.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Returns prose that matters less, broken where a line is full.
pub(crate) fn dimmed(prose: &str) -> String {
    let lines = wrapped(&harmless(prose), "");
    lines.lines().map(|line| paint(DIM, line) + "\n").collect()
}

/// How wide lines of prose are.
const PROSE_WIDTH: usize = 100;

/// Breaks prose between words; lines after the first begin with `indent`.
pub(crate) fn wrapped(prose: &str, indent: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in prose.split(' ') {
        let length = word.width();
        if width > 0 && width + 1 + length > PROSE_WIDTH {
            text.push('\n');
            text.push_str(indent);
            width = indent.width();
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text.push('\n');
    text
}
