//! Guesses the format of an input from how it begins.

use crate::included::dialect_of;
use crate::rewrite::{Format, archive};
use crate::walk::looks_serialized;

/// How far behind a word what must follow it may lie.
const NEAR_BYTES: usize = 400;

/// How a statement may begin: a word, and what follows it; empty if any word may.
const STATEMENTS: [(&str, &[&str]); 23] = [
    (
        "insert",
        &[
            "into",
            "ignore",
            "low_priority",
            "high_priority",
            "delayed",
            "or",
        ],
    ),
    ("replace", &["into", "low_priority", "delayed"]),
    ("create", &CREATED),
    ("drop", &CREATED),
    ("alter", &CREATED),
    ("truncate", &["table", "`"]),
    ("lock", &["table", "tables"]),
    ("unlock", &["table", "tables"]),
    ("begin", &[";", "transaction", "work", "immediate"]),
    ("start", &["transaction"]),
    ("commit", &[";"]),
    ("delete", &["from"]),
    ("select", &["pg_catalog"]),
    ("pragma", &[]),
    ("delimiter", &[]),
    ("use", &["`"]),
    // Prose begins with these words, too: what ends such a statement is looked for.
    ("use", &[]),
    ("set", &[]),
    ("update", &[]),
    ("analyze", &["table", "sqlite_schema"]),
    ("`", &[]),
    ("\\-", &[]),
    ("copy", &[]),
];

/// What is created, dropped and altered.
const CREATED: [&str; 20] = [
    "table",
    "database",
    "schema",
    "view",
    "index",
    "unique",
    "trigger",
    "function",
    "procedure",
    "temporary",
    "temp",
    "or",
    "if",
    "algorithm",
    "definer",
    "event",
    "sequence",
    "type",
    "extension",
    "user",
];

impl Format {
    /// Guesses the format of an input from how it begins. Comments begin prose, scripts and style
    /// sheets, too: SQL is what has a statement behind them, or says that it is a dump.
    pub fn detect(head: &[u8]) -> Self {
        let text = head
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(head)
            .trim_ascii_start();
        if text.starts_with(b"<?xml") || text.starts_with(b"<rss") {
            return Format::Xml;
        }
        let (is_dump, rest) = after_comments(text);
        let is_of_client = dialect_of(rest).is_some();
        if is_dump
            || is_of_client
            || archive(head).is_some()
            || STATEMENTS.iter().any(|one| begins(rest, one))
        {
            return Format::Sql;
        }
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if line.starts_with(b"\"")
            && [&b"\",\""[..], b"\";\"", b"\"\t\""]
                .iter()
                .any(|between| memchr::memmem::find(line, between).is_some())
        {
            return Format::Csv;
        }
        match line.contains(&b'\t') && !looks_serialized(text) && !text.starts_with(b"<") {
            true => Format::Tsv,
            false => Format::Text,
        }
    }
}

/// Returns what follows the comments at the beginning, and whether one of them says that this is a
/// dump, or is code of MySQL.
fn after_comments(text: &[u8]) -> (bool, &[u8]) {
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        let is_line = rest.starts_with(b"#")
            || (rest.starts_with(b"--") && rest.get(2).is_none_or(u8::is_ascii_whitespace));
        if is_line {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest[..end].to_ascii_lowercase();
            if line.starts_with(b"--") && memchr::memmem::find(&line, b"dump").is_some() {
                return (true, rest);
            }
            rest = &rest[end..];
        } else if rest.starts_with(b"/*!") || rest.starts_with(b"/*M!") {
            return (true, rest);
        } else if rest.starts_with(b"/*")
            && let Some(end) = memchr::memmem::find(rest, b"*/")
        {
            rest = &rest[end + 2..];
        } else {
            return (false, rest);
        }
    }
}

/// Returns whether a text begins with a statement.
fn begins(text: &[u8], (word, next): &(&str, &[&str])) -> bool {
    let starts = |text: &[u8], word: &str| {
        text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word.as_bytes())
    };
    let is_end = |text: &[u8], word: &str| {
        !word.ends_with(|last: char| last.is_ascii_alphabetic())
            || !text
                .get(word.len())
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    if !starts(text, word) || !is_end(text, word) {
        return false;
    }
    let rest = text[word.len()..].trim_ascii_start();
    let near = &rest[..rest.len().min(NEAR_BYTES)];
    let line = near.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has =
        |text: &[u8], part: &[u8]| memchr::memmem::find(&text.to_ascii_lowercase(), part).is_some();
    match *word {
        "use" if next.is_empty() => {
            let name = line.trim_ascii().strip_suffix(b";");
            name.is_some_and(|name| !name.contains(&b' '))
        }
        "set" => line.contains(&b'=') || (starts(line, "names ") && line.contains(&b';')),
        "update" => has(near, b" set "),
        "copy" => has(line, b" from stdin"),
        _ => {
            next.is_empty()
                || next
                    .iter()
                    .any(|next| starts(rest, next) && is_end(rest, next))
        }
    }
}
