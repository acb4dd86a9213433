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

/// Returns the last `count` lines of `text` that are not empty, each safe to display.
pub(crate) fn tail(text: &str, count: usize) -> Vec<String> {
    let lines = text.lines().map(|line| printable(line.trim_end()));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(count);
    lines[first..].to_vec()
}

/// Returns the last `count` lines of `text` that are not empty, on one line.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    on_one_line(&tail(text, count).join("\n"))
}

/// What the first line of a kernel's report of a fault has.
const FAULTS: [&str; 5] = [
    "BUG: ",
    "kernel BUG at",
    "Oops",
    "fault:",
    "Kernel panic - not syncing",
];

/// Returns the lines of a guest's console that say why it ended, on one line: of a panic the first
/// fault, where it was, and the functions that led there; else the last lines.
pub(crate) fn why_ended(console: &str, count: usize) -> String {
    let has = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let (Some(first), Some(panic)) = (
        console.lines().position(|line| has(line, &FAULTS)),
        console.lines().find(|line| line.contains(FAULTS[4])),
    ) else {
        return last_lines(console, count);
    };
    if !console.contains("+0x") {
        return last_lines(console, count);
    }
    // Registers and code bytes say nothing to a reader.
    let telling = console.lines().skip(first);
    let telling = telling.filter(|line| has(line, &FAULTS) || line.contains("+0x"));
    let mut lines: Vec<&str> = telling.take(count.saturating_sub(1)).collect();
    if !lines.contains(&panic) {
        lines.push(panic);
    }
    on_one_line(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_shown_by_its_fault_and_not_by_its_registers() {
        let registers = "[    2.8] RAX: 0000000000000075 RBX: ff11000005be00d8\n".repeat(12);
        let console = format!(
            "[    2.6] md: md0 ready\n\
             [    2.7] BUG: kernel NULL pointer dereference, address: 0000000000000008\n\
             [    2.7] RIP: 0010:md_submit_bio+0x4d/0x1a0\n\
             {registers}\
             [    2.8] Call Trace:\n\
             [    2.8]  submit_bio_noacct+0x11b/0x3d0\n\
             [    2.8] Kernel panic - not syncing: Fatal exception in interrupt\n\
             [    2.8] Kernel Offset: disabled\n"
        );
        assert_eq!(
            why_ended(&console, 12),
            "[    2.7] BUG: kernel NULL pointer dereference, address: 0000000000000008 | \
             [    2.7] RIP: 0010:md_submit_bio+0x4d/0x1a0 | \
             [    2.8]  submit_bio_noacct+0x11b/0x3d0 | \
             [    2.8] Kernel panic - not syncing: Fatal exception in interrupt"
        );
        let init = "a\nb\n[ 1.0] Kernel panic - not syncing: No working init found.\n[ 1.0] end\n";
        assert_eq!(why_ended(init, 2), last_lines(init, 2));
        assert_eq!(why_ended("a\nb\nc\n", 2), "b | c");
    }
}
