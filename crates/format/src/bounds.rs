//! Refuses quantities that no machine holds and no budget covers, so that a typo in a number or a
//! list gives a message, not a run that never ends.
//!
//! Texts, lists and tables are bounded before they are read, because each cell has a copy of its
//! part of the file.

use toml_edit::{Item, Value};

use crate::locate::Path;
use crate::raw::RepeatTable;
use crate::source::{ProblemText, Source};
use stripewise_study::plan::{BUDGET_NS_MAX, Repeat, SAMPLE_NS_MAX, SAMPLE_NS_MIN};
use stripewise_units::Bytes;

/// The longest text, except the question, which no cell copies.
const TEXT_BYTES_MAX: usize = 1024;
/// The longest key: a name of a table, a key, or a device profile.
const KEY_BYTES_MAX: usize = 128;
/// The most values of a list, and the most tables below one name.
const LIST_MAX: usize = 1000;
/// The most kinds of devices in a stack, and neighbours of a workload.
pub(crate) const KINDS_MAX: usize = 64;

/// The most cells a study may expand to.
pub const CELLS_MAX: usize = 10_000;

/// The most devices of a stack, as in the model world.
pub(crate) const DEVICES_MAX: u64 = 4096;
/// The most devices of all cells together: the check of a study builds the stack of each cell.
pub(crate) const CELL_DEVICES_MAX: u64 = 1_000_000;
/// The longest chunk or stripe: no I/O is longer.
pub(crate) const CHUNK_BYTES_MAX: Bytes = Bytes::new(1 << 30);
/// As many as a host profile may have.
pub(crate) const CORES_MAX: u32 = 65_536;
/// `MAX_STRIPES` of LVM.
pub(crate) const STRIPES_MAX: u32 = 128;
/// md counts speeds as a signed number of KiB.
pub(crate) const SPEED_BYTES_MAX: Bytes = Bytes::new(((1 << 31) - 1) << 10);

/// The most samples of a cell: the runner evaluates all of them after each.
const SAMPLES_MAX: u32 = 10_000;

/// Checks texts, keys, lists and tables before they are interpreted.
pub(crate) fn check_form(source: &mut Source) {
    let mut found = Vec::new();
    for (key, item) in source
        .root()
        .as_table_like()
        .into_iter()
        .flat_map(|t| t.iter())
    {
        if key != "question" {
            check_item(item, &Path::default().key(key), &mut found);
        }
    }
    for (path, report) in found {
        source.problem(&path, report);
    }
}

type FoundProblems = Vec<(Path, ProblemText)>;

fn check_item(item: &Item, path: &Path, found: &mut FoundProblems) {
    if let Some(value) = item.as_value() {
        check_value(value, path, found);
    } else if let Some(table) = item.as_table_like() {
        check_keys(table.iter().map(|(key, _)| key), path, found);
        for (key, item) in table.iter() {
            check_item(item, &path.key(key), found);
        }
    } else if let Some(tables) = item.as_array_of_tables() {
        check_length(tables.len(), path, found);
    }
}

fn check_value(value: &Value, path: &Path, found: &mut FoundProblems) {
    match value {
        Value::String(text) if text.value().len() > TEXT_BYTES_MAX => {
            let report = ProblemText::new(
                format!("a text may have {TEXT_BYTES_MAX} bytes at most"),
                format!("this one has {}", text.value().len()),
            );
            found.push((path.clone(), report));
        }
        Value::Array(values) => {
            check_length(values.len(), path, found);
            for (index, value) in values.iter().take(LIST_MAX).enumerate() {
                check_value(value, &path.element(Some(index)), found);
            }
        }
        Value::InlineTable(table) => {
            check_keys(table.iter().map(|(key, _)| key), path, found);
            for (key, value) in table.iter() {
                check_value(value, &path.key(key), found);
            }
        }
        _ => {}
    }
}

fn check_keys<'a>(keys: impl Iterator<Item = &'a str>, path: &Path, found: &mut FoundProblems) {
    let mut count = 0;
    for key in keys {
        count += 1;
        if key.len() > KEY_BYTES_MAX {
            let report = ProblemText::new(
                format!("a name may have {KEY_BYTES_MAX} bytes at most"),
                format!("this one has {}", key.len()),
            );
            found.push((path.key(key), report.at_key()));
        }
    }
    check_length(count, path, found);
}

fn check_length(count: usize, path: &Path, found: &mut FoundProblems) {
    if count > LIST_MAX {
        let report = ProblemText::new(
            format!("at most {LIST_MAX} entries are allowed here"),
            format!("this has {count}"),
        );
        let hint = "split the study into several";
        found.push((path.clone(), report.at_key().hint(hint)));
    }
}

/// Checks the numbers of `[repeat]`.
pub(crate) fn check_repeat(source: &mut Source, table: &RepeatTable, repeat: &Repeat) {
    let all = Path::default().key("repeat");
    if repeat.sample_ns < SAMPLE_NS_MIN {
        let report = ProblemText::new(
            format!("a sample takes at least {SAMPLE_NS_MIN}"),
            "too short",
        );
        source.problem(&all.key("sample"), report.hint("3s is a good start"));
    }
    for (key, time, most, words) in [
        ("sample", repeat.sample_ns, SAMPLE_NS_MAX, "a week"),
        ("budget", repeat.budget_ns, BUDGET_NS_MAX, "a year"),
    ] {
        if time > most {
            let report = ProblemText::new(format!("`{key}` is at most {words}"), "too long");
            source.problem(&all.key(key), report.hint(format!("that is `\"{most}\"`")));
        }
    }
    if repeat.budget_ns < repeat.sample_ns {
        let report = ProblemText::new(
            "the budget is too short for one sample",
            "shorter than `sample`",
        );
        source.problem(&all.key("budget"), report.hint("raise it"));
    }
    check_counts(source, table, repeat);
}

fn check_counts(source: &mut Source, table: &RepeatTable, repeat: &Repeat) {
    let all = Path::default().key("repeat");
    let mut fits = true;
    for (key, count) in [("at_least", table.at_least), ("at_most", table.at_most)] {
        if count.is_some_and(|count| count.get() > SAMPLES_MAX) {
            fits = false;
            let report = ProblemText::new(
                format!("a cell has at most {SAMPLES_MAX} samples"),
                "too many",
            );
            let hint = "each new sample is evaluated together with all others of its cell; a wider `interval` ends a cell earlier";
            source.problem(&all.key(key), report.hint(hint));
        }
    }
    let possible = repeat.budget_ns.as_u64() / SAMPLE_NS_MIN.as_u64();
    let is_asked = fits && table.at_least.is_some() && repeat.budget_ns >= repeat.sample_ns;
    if is_asked && u64::from(repeat.at_least) > possible {
        let report = ProblemText::new(
            format!(
                "a budget of {} holds at most {possible} samples, and `at_least` is {}",
                repeat.budget_ns, repeat.at_least
            ),
            "more than the budget holds",
        );
        let hint = format!(
            "the shortest sample takes {SAMPLE_NS_MIN}: lower `at_least`, or raise `budget`"
        );
        source.problem(&all.key("at_least"), report.hint(hint));
    }
}
