//! Text from outside, made fit to be shown.

/// Returns `text` without control characters; line ends become ` | `.
pub(crate) fn on_one_line(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| printable(line).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    lines.join(" | ")
}

/// Returns `text` without control characters, so that it cannot drive a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
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
