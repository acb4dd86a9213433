//! Numbers in documents that no command makes. The failure: a page gives a number that was measured
//! once; a rule of the model changes, or the program gets faster, and the sentence stays.
//!
//! A measured number belongs in a block that a command makes (`made_by.rs`). This test counts those
//! outside of blocks, with a unit or in a table, also in what a program printed, and a list says how many
//! each page has, and why: a page that gets one more fails, and so does a list that says too many.

use std::fs;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::documents::documents;
use crate::made_by::Pieces;
use crate::support::{repository, say};

/// Units of what is measured, as documents write them.
const UNITS: [&str; 21] = [
    "%",
    "ns",
    "us",
    "µs",
    "ms",
    "s",
    "min",
    "h",
    "hours",
    "hour",
    "minutes",
    "seconds",
    "MB/s",
    "GB/s",
    "KiB/s",
    "MiB/s",
    "GiB/s",
    "IOPS",
    "times",
    "points",
    "instructions",
];

/// How a page says that it is written by a program, in its first lines.
const GENERATED: &str = "Generated from ";

/// The typed numbers of each page: `COUNT PAGE REASON`, with the reasons explained in its head.
const LIST: &str = "crates/stripewise/tests/typed_numbers.txt";

/// What a program printed, in the words behind the marks of a block of code; other words name a language.
const PRINTED: [&str; 3] = ["", "console", "text"];

/// Returns the numbers in a text, outside of files: those with a unit, and those in cells of tables.
fn typed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut is_code, mut cell) = (false, None::<String>);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                is_code = !PRINTED.contains(&language.as_ref());
            }
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => found.extend(cell.take().filter(|cell| {
                cell.starts_with(|c: char| c.is_ascii_digit()) && numbers_with_unit(cell).is_empty()
            })),
            Event::Text(text) if !is_code => {
                found.extend(numbers_with_unit(&text));
                if let Some(cell) = &mut cell {
                    cell.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

fn numbers_with_unit(text: &str) -> Vec<String> {
    let is_sign = |c: char| !c.is_alphanumeric() && c != '%';
    let words: Vec<&str> = text.split_whitespace().collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let (number, unit) = (
            pair[0].trim_start_matches(is_sign),
            pair[1].trim_end_matches(is_sign),
        );
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| !c.is_alphabetic());
        (is_number && UNITS.contains(&unit)).then(|| format!("{number} {unit}"))
    });
    pairs.collect()
}

#[test]
fn a_page_gets_no_new_number_that_was_typed() {
    let list = fs::read_to_string(repository().join(LIST)).unwrap();
    let rows = list.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.splitn(3, ' ').collect()).collect();
    let reasoned = rows.iter().all(|row| row.len() == 3);
    assert!(
        reasoned,
        "{LIST}: each row has a count, a page and a reason"
    );
    let mut wrong = Vec::new();
    let mut all = 0;
    for (name, text) in documents() {
        let is_log = name == "CHANGELOG.md" || name.contains("/golden/");
        if is_log || text.lines().take(6).any(|line| line.contains(GENERATED)) {
            continue;
        }
        let texts = Pieces::of(&name, &text).texts;
        let numbers: Vec<String> = texts.iter().flat_map(|text| typed(text)).collect();
        let listed = rows.iter().find(|row| row[1] == name);
        let most: usize = listed.map_or(0, |row| row[0].parse().unwrap());
        all += numbers.len();
        if numbers.len() != most {
            let count = numbers.len();
            wrong.push(format!(
                "{count} {name}: listed {most}: {}",
                numbers.join(", ")
            ));
        }
    }
    say(&format!("{all} numbers of documents are typed"));
    assert!(
        wrong.is_empty(),
        "make a measured number by a command (CONTRIBUTING.md), or change {LIST}:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_number_counts_with_its_unit_and_outside_of_files() {
    let text = "| a | 12 % |\n|---|---|\n| (−4.5 MiB/s) | `3 s` |\n| n | 96.5 |\n\n0–17 % of 3 disks, v6.1 s\n\n```toml\n5 ms\n```\n```text\n6 ms\n```\n";
    assert_eq!(typed(text), ["12 %", "4.5 MiB/s", "96.5", "0–17 %", "6 ms"]);
}
