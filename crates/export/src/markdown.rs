//! Runs as Markdown tables for tickets, in GitHub's flavour.
//!
//! Each is its answer, as `show --format markdown` prints it, with the command to repeat it. The source
//! is aligned too, so that it is readable where it is not rendered. Text from outside is escaped: see
//! `docs/export.md`.

use stripewise_catalogue::{Language, Message};
use stripewise_report::document::Document;
use stripewise_report::run::ticket;
use stripewise_units::mark::begins_with;
use unicode_width::UnicodeWidthStr;

/// Our first line, up to the version and behind it; invisible when it is rendered.
const MARK: (&str, &str) = ("<!-- Made by `stripewise export` ", ". -->\n\n## ");

/// Returns whether a file that begins with these bytes is ours.
pub fn is_ours(head: &[u8]) -> bool {
    begins_with(head, MARK.0, MARK.1)
}

/// Returns the answers of runs as Markdown, one section each, whose heading follows a `## `.
pub fn write(documents: &[&Document]) -> String {
    let sections = documents.iter().map(|document| {
        let title = Message::new("show-answer-title").name("id", document.run.id);
        crate::answer::markdown(&title, &ticket(document), Language::English)
    });
    let sections: Vec<String> = sections.collect();
    let version = env!("CARGO_PKG_VERSION");
    let (before, after) = (MARK.0, MARK.1.trim_end_matches("## "));
    format!("{before}{version}{after}{}", sections.join("\n"))
}

/// Returns rows as a table that lines up in its source; columns for which
/// `is_number` are flush right.
pub(crate) fn aligned(rows: &[Vec<String>], is_number: impl Fn(usize) -> bool) -> String {
    let column_count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..column_count)
        .map(|column| {
            let fields = rows.iter().filter_map(|row| row.get(column));
            fields.map(|field| field.width()).max().unwrap_or(0).max(3)
        })
        .collect();
    let line = |fields: &[String]| {
        let fields = fields.iter().zip(&widths).enumerate();
        let padded = fields.map(|(column, (field, width))| {
            let missing = " ".repeat(width.saturating_sub(field.width()));
            match !is_number(column) {
                true => format!(" {field}{missing} "),
                false => format!(" {missing}{field} "),
            }
        });
        format!("|{}|", padded.collect::<Vec<_>>().join("|"))
    };
    let rule = widths
        .iter()
        .enumerate()
        .map(|(column, width)| match !is_number(column) {
            true => "-".repeat(*width),
            false => "-".repeat(width - 1) + ":",
        });
    let rule: Vec<String> = rule.collect();
    let mut lines: Vec<String> = rows.iter().map(|row| line(row)).collect();
    lines.insert(lines.len().min(1), line(&rule));
    lines.join("\n")
}

/// Returns a block of commands.
pub(crate) fn block(text: &str) -> String {
    fenced("sh", text)
}

/// Returns a block of code in a language, fenced by more backticks than a line of it can begin with.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(3 + text.matches('`').count());
    format!("{fence}{language}\n{text}\n{fence}")
}
