//! Styles, and text from outside with control characters replaced and fitted to a width.

use std::ops::RangeInclusive;

use anstyle::{AnsiColor, Style};
use stripewise_answer::Tone;
use stripewise_units::visible::visible_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) use crate::style::paint;

use crate::view::View;

/// Less important text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// The most important text.
pub(crate) const BOLD: Style = Style::new().bold();
/// An improvement.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A regression.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// A warning.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// Returns the style of a tone.
pub(crate) fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => BOLD,
        Tone::Dim => DIM,
        Tone::Good => GOOD,
        Tone::Bad => BAD,
        Tone::Warn => WARN,
    }
}

/// Returns text from outside on one line, with a visible character in place of each control or
/// invisible one.
pub fn strip_control(text: &str) -> String {
    visible_line(text).into_owned()
}

/// Returns less important prose, broken into lines.
pub(crate) fn dimmed(prose: &str, view: View) -> String {
    painted(DIM, prose, view)
}

/// Returns prose in a style, broken into lines, with control characters replaced.
pub(crate) fn painted(style: Style, prose: &str, view: View) -> String {
    let lines = wrapped(&strip_control(prose), "", view);
    lines
        .lines()
        .map(|line| paint(style, line) + "\n")
        .collect()
}

/// Returns prose that begins with a head and a colon, broken into lines, with the head in a style.
/// The first line begins with `first`, the others with `indent`.
pub(crate) fn with_head(
    style: Style,
    first: &str,
    prose: &str,
    indent: &str,
    view: View,
) -> String {
    let text = wrapped_from(first, &strip_control(prose), indent, view);
    // In plain text nothing is before it.
    let start = text.len() - text.trim_start().len();
    match text.find(':') {
        Some(colon) if !text[start..colon].contains('\n') => format!(
            "{}{}{}",
            &text[..start],
            paint(style, &text[start..=colon]),
            &text[colon + 1..]
        ),
        _ => text,
    }
}

/// Breaks prose between words; lines after the first begin with `indent`.
pub(crate) fn wrapped(prose: &str, indent: &str, view: View) -> String {
    wrapped_from("", prose, indent, view)
}

/// Breaks prose between words. The first line begins with `first`, which is no wider than `indent`;
/// the others begin with `indent`. Plain text is neither broken nor indented.
pub(crate) fn wrapped_from(first: &str, prose: &str, indent: &str, view: View) -> String {
    if view.is_plain() {
        return format!("{prose}\n");
    }
    let columns = view.prose_columns() - first.width();
    let lines = broken(prose, columns, indent.width() - first.width());
    format!("{first}{}\n", lines.join(&format!("\n{indent}")))
}

/// The width of the names of [`named_lines`]; it grows with them up to a limit.
const NAME_COLUMNS: RangeInclusive<usize> = 12..=18;

/// Returns lines of a name and its value; an empty name continues the previous one.
pub(crate) fn named_lines(
    lines: impl IntoIterator<Item = (impl AsRef<str>, String)>,
    view: View,
) -> String {
    let lines = lines.into_iter();
    let lines = lines.map(|(name, value)| (strip_control(name.as_ref()), strip_control(&value)));
    let lines: Vec<(String, String)> = lines.collect();
    let widest = lines.iter().map(|(name, _)| name.width()).max();
    let columns = widest
        .unwrap_or_default()
        .clamp(*NAME_COLUMNS.start(), *NAME_COLUMNS.end());
    let mut text = String::new();
    for (name, value) in lines {
        match view.is_plain() {
            true if name.is_empty() => text.push_str(&format!("{value}\n")),
            true => text.push_str(&format!("{name}: {value}\n")),
            false => {
                let name = shortened(&name, columns);
                let first = format!("{name}{}", " ".repeat(columns - name.width() + 2));
                let indent = " ".repeat(first.width());
                let lines = wrapped_from(&first, &value, &indent, view);
                text.push_str(&lines.replacen(&first, &paint(DIM, &first), 1));
            }
        }
    }
    text
}

/// Returns the lines of prose, the first of at most `columns`, the others of `indent` less; words
/// longer than a line are broken, too.
pub(crate) fn broken(prose: &str, columns: usize, indent: usize) -> Vec<String> {
    let room = |lines: &[String]| match lines.is_empty() {
        true => columns,
        false => columns.saturating_sub(indent),
    };
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut rest_of_prose = prose;
    while let Some(word) = next_word(&mut rest_of_prose) {
        let with_word = line.width() + usize::from(!line.is_empty()) + word.width();
        if !line.is_empty() && with_word > room(&lines) {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word;
        if line.is_empty() {
            while let fitting = bytes_that_fit(rest, room(&lines))
                && fitting < rest.len()
            {
                let (begin, end) = rest.split_at(joint(&rest[..fitting]).unwrap_or(fitting));
                lines.push(begin.to_owned());
                rest = end;
            }
        } else {
            line.push(' ');
        }
        line.push_str(rest);
    }
    lines.push(line);
    lines
}

/// The characters behind which a word may end a line: those of paths, names and compounds.
const JOINTS: [char; 6] = ['-', '/', '_', ',', ':', '='];

/// Returns how much of the beginning of a word ends behind its last joint; `None` if that is less than a
/// third of it, as the rest would be short of room, too.
fn joint(begin: &str) -> Option<usize> {
    let last = begin.char_indices().rfind(|(_, c)| JOINTS.contains(c));
    let end = last.map(|(at, c)| at + c.len_utf8())?;
    (end * 3 >= begin.len()).then_some(end)
}

/// Takes the next word from the beginning of prose; a dot that separates remarks, and a sign of percent,
/// stay with the word before them, because no line should begin with one.
fn next_word<'a>(prose: &mut &'a str) -> Option<&'a str> {
    if prose.is_empty() {
        return None;
    }
    let space = prose.find(' ').unwrap_or(prose.len());
    let behind = &prose[space..];
    let is_percent = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
    let end = match (behind.starts_with(" · "), behind.strip_prefix(" %")) {
        (true, _) => space + " ·".len(),
        (false, Some(rest)) if is_percent(rest) => {
            let sign = space + " %".len();
            prose[sign..]
                .find(' ')
                .map_or(prose.len(), |next| sign + next)
        }
        _ => space,
    };
    let word = &prose[..end];
    *prose = prose.get(end + 1..).unwrap_or_default();
    Some(word)
}

/// Returns how many bytes of `text` fit into `columns`; at least one character.
fn bytes_that_fit(text: &str, columns: usize) -> usize {
    let mut width = 0;
    for (index, c) in text.char_indices() {
        width += c.width().unwrap_or(0);
        if width > columns && index > 0 {
            return index;
        }
    }
    text.len()
}

/// Returns the first characters that fit into `columns`.
fn taken(characters: impl Iterator<Item = char>, columns: usize) -> Vec<char> {
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width <= columns
    };
    characters.take_while(fits).collect()
}

/// Returns text without its middle if it is too wide: `chunk…16K`.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    let room = columns.saturating_sub(1);
    without(text, columns, room.div_ceil(2))
}

/// Returns text without its end if it is too wide: `chunk 16…`.
pub fn cut(text: &str, columns: usize) -> String {
    without(text, columns, columns.saturating_sub(1))
}

/// Returns text with `…` for what follows its first columns, if it is too wide.
fn without(text: &str, columns: usize, first: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else {
        return String::new();
    };
    let begin = taken(text.chars(), first);
    let end = taken(text.chars().rev(), room - first);
    let end = end.into_iter().rev();
    begin.into_iter().chain(['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_loses_its_middle_and_counts_columns_not_bytes() {
        assert_eq!(shortened("raid10-4-64K", 12), "raid10-4-64K");
        assert_eq!(shortened("raid10-4-64K", 9), "raid…-64K");
        assert_eq!(shortened("日本語のディスク", 9), "日本…スク");
        assert_eq!(shortened("abc", 1), "…");
        assert_eq!(cut("raid10-4-64K", 9), "raid10-4…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn prose_breaks_between_words_and_long_words_break_at_the_end_of_a_line() {
        assert_eq!(broken("one two three", 7, 0), ["one two", "three"]);
        assert_eq!(broken("one two three", 7, 2), ["one two", "three"]);
        assert_eq!(
            broken("a bcdefghij kl", 4, 1),
            ["a", "bcd", "efg", "hij", "kl"]
        );
        assert_eq!(broken("one · two", 6, 0), ["one ·", "two"]);
        assert_eq!(broken("of 22 %, and", 5, 0), ["of", "22 %,", "and"]);
        // Names and compounds break at their joints.
        assert_eq!(
            broken("read-modify-write", 14, 0),
            ["read-modify-", "write"]
        );
        assert_eq!(
            broken("/sys/block/sda/queue", 12, 0),
            ["/sys/block/", "sda/queue"]
        );
        assert_eq!(broken("a-bcdefghij", 8, 0), ["a-bcdefg", "hij"]);
        assert_eq!(broken("", 4, 0), [""]);
    }

    #[test]
    fn no_line_is_wider_than_requested() {
        for text in ["x".repeat(10_000), "日本 ".repeat(99), "a ü 字".repeat(300)] {
            for columns in [2, 7, 80] {
                let lines = broken(&strip_control(&text), columns, 1);
                assert!(
                    lines.iter().all(|line| line.width() <= columns),
                    "{columns}"
                );
                let letters = |text: &str| text.replace(' ', "");
                assert_eq!(letters(&lines.concat()), letters(&text));
            }
        }
    }

    #[test]
    fn control_and_invisible_characters_become_visible() {
        assert_eq!(
            strip_control("a\u{202e}b\u{1b}[31m\u{2028}c"),
            "a\u{fffd}b␛[31m\u{fffd}c"
        );
    }
}
