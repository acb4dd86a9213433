//! Styles, and text that came from outside made harmless.

use anstyle::{AnsiColor, Style};

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
