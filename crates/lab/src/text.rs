//! Makes text from outside safe to display.

use stripewise_units::visible::visible_line;

/// Returns `text` with its hidden characters visible; line ends become ` | `.
pub(crate) fn on_one_line(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| printable(line).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    lines.join(" | ")
}

/// Returns `text` in one line, with a visible character for each that a terminal acts on or does
/// not show.
pub(crate) fn printable(text: &str) -> String {
    visible_line(text).into_owned()
}

/// Returns the last `count` lines of `text` that are not empty, on one line.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let first = lines.len().saturating_sub(count);
    on_one_line(&lines[first..].join("\n"))
}
