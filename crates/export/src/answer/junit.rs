//! The verdicts of an answer as JUnit's XML, which systems for continuous integration read.
//!
//! There is no standard; this is the part that all readers share
//! (<https://github.com/testmoapp/junitxml>): a suite for each table with verdicts, a case for each
//! row, and in it what failed or was not judged. Of a case that passes, such as a fault that the command
//! was told to accept, the words are its output.

use stripewise_answer::{Block, Cell, Column, Kind, Table, Verdict};

use crate::text::{as_data, xml};

/// Returns the tables with verdicts; `None` if there are none. `command` is the command that
/// answers.
pub fn junit(command: &str, blocks: &[Block]) -> Option<String> {
    let tables = Block::tables(blocks).into_iter();
    let suites = tables.filter_map(|table| Some(suite(command, table, table.verdicts()?)));
    let suites: Vec<String> = suites.collect();
    (!suites.is_empty()).then(|| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stripewise {}\">\n{}</testsuites>\n",
            xml(command),
            suites.concat()
        )
    })
}

fn suite(command: &str, table: &Table, verdicts: usize) -> String {
    let of = |row: &[Cell]| row.get(verdicts).and_then(|cell| cell.verdict);
    let count = |wanted| {
        table
            .rows
            .iter()
            .filter(|row| of(&row.cells) == Some(wanted))
            .count()
    };
    let cases = table
        .rows
        .iter()
        .map(|row| case(command, table, &row.cells, of(&row.cells)));
    format!(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}</testsuite>\n",
        xml(&table.key),
        table.rows.len(),
        count(Verdict::Fail),
        count(Verdict::NotJudged),
        cases.collect::<String>()
    )
}

/// Returns a row: the words before the verdict name it, and all others say why.
fn case(command: &str, table: &Table, row: &[Cell], verdict: Option<Verdict>) -> String {
    let is_verdict = |(column, _): &(&Column, &Cell)| column.kind == Kind::Verdict;
    let cells = || table.columns.iter().zip(row);
    let names = cells().take_while(|cell| !is_verdict(cell));
    let is_name = |(column, _): &(&Column, &Cell)| matches!(column.kind, Kind::Text | Kind::Group);
    let words = |cell: &Cell| {
        let known = cell.shown.as_ref().filter(|_| !cell.is_unknown);
        known.map(as_data).unwrap_or_default()
    };
    let names: Vec<String> = names.filter(is_name).map(|(_, cell)| words(cell)).collect();
    let name = match names.is_empty() {
        true => table.key.to_string(),
        false => names.join(" "),
    };
    let told = cells()
        .filter(|cell| !is_name(cell))
        .chain(cells().skip_while(|cell| !is_verdict(cell)).filter(is_name));
    let told = told.filter(|(column, _)| !column.kind.is_drawn());
    let told = told.map(|(column, cell)| (as_data(&column.head), words(cell)));
    let told = told.filter(|(_, words)| !words.is_empty());
    let why: Vec<String> = told
        .map(|(head, words)| format!("{head}: {words}"))
        .collect();
    let why = xml(&why.join("; "));
    let inner = match verdict {
        Some(Verdict::Fail) => format!("<failure message=\"{why}\"/>"),
        Some(Verdict::NotJudged) | None => format!("<skipped message=\"{why}\"/>"),
        // A hint of a check, and how far two results that count as the same are apart.
        Some(Verdict::Pass) if !why.is_empty() => format!("<system-out>{why}</system-out>"),
        Some(Verdict::Pass) => String::new(),
    };
    format!(
        "<testcase classname=\"stripewise.{}.{}\" name=\"{}\">{inner}</testcase>\n",
        xml(&command.replace(' ', ".")),
        xml(&table.key),
        xml(&name)
    )
}
