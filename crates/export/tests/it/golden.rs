//! Other programs read these files by column name and position, and people paste them into tickets.
//! The golden files pin every character, and no name in a run may become markup, a formula or
//! another line.

use crate::strict_openmetrics::parse;
use crate::support::{HOSTILE, document, hostile, model_document, run, without_empty};
use expect_test::expect_file;
use stripewise_export::table::Table;
use stripewise_export::{Source, cells, csv, json, markdown, openmetrics, samples};
use stripewise_study::cell::Axis;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn samples_and_cells_as_csv() {
    let run = run();
    let document = document(&run);
    let source = Source {
        run: &run,
        document: &document,
    };
    let table = samples::samples(&[source]);
    assert_eq!(table.row_count(), run.samples.len());
    let samples = text(csv::write(&without_empty(table)));
    // The warm-up of each cell, and an invalid sample.
    let shown: Vec<&str> = samples
        .split("\r\n")
        .enumerate()
        .filter(|(line, _)| *line < 5 || *line == 14)
        .map(|line| line.1)
        .collect();
    expect_file!["../golden/samples.csv"].assert_eq(&(shown.join("\n") + "\n"));
    let table = cells::cells(&[&document]);
    for axis in Axis::all() {
        let name = format!("{}{}", axis.key(), axis.kind().suffix());
        assert!(
            table.columns.iter().any(|column| column.name == name),
            "{name}"
        );
    }
    let cells = text(csv::write(&without_empty(table)));
    expect_file!["../golden/cells.csv"].assert_eq(&cells.replace("\r\n", "\n"));
}

#[test]
fn an_empty_table_has_all_columns() {
    let (full, none) = (run(), Vec::new());
    let full_document = document(&full);
    let source = Source {
        run: &full,
        document: &full_document,
    };
    let heads = |table: &Table| {
        let names = table.columns.iter().map(|column| column.name.clone());
        names.collect::<Vec<String>>()
    };
    assert_eq!(
        heads(&samples::samples(&none)),
        heads(&samples::samples(&[source]))
    );
}

/// Returns a line without its code spans: text between runs of backticks of the same length.
fn without_code(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(['`', '\\']) {
        kept.push_str(&rest[..start]);
        rest = &rest[start..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            let length = escaped.chars().next().map_or(0, char::len_utf8);
            rest = &escaped[length..];
            continue;
        }
        let length = rest.len() - rest.trim_start_matches('`').len();
        let fence = "`".repeat(length);
        let after = &rest[length..];
        let mut end = 0;
        while let Some(at) = after[end..].find('`') {
            let run = after[end + at..].len() - after[end + at..].trim_start_matches('`').len();
            if run == length {
                break;
            }
            end += at + run;
        }
        let at = after[end..].find(&fence).expect("code spans are closed");
        rest = &after[end + at + length..];
    }
    kept + rest
}

#[test]
fn a_ticket() {
    let (run, hostile) = (run(), hostile());
    let (document, hostile) = (document(&run), model_document(&hostile));
    let text = markdown::write(&[&document, &hostile]);
    expect_file!["../golden/ticket.md"].assert_eq(&text);
    let mut is_block = false;
    let mut columns = None;
    for line in text.lines() {
        assert!(!line.contains('\u{202e}'), "{line}");
        if line.starts_with("```") {
            is_block = !is_block;
            continue;
        }
        let is_markup = !is_block && without_code(line).contains("<script>");
        assert!(!is_markup, "{line}");
        // Each line of a table has as many columns as its header.
        let borders = line.replace("\\|", "").matches('|').count();
        if !line.starts_with('|') {
            columns = None;
        } else {
            assert_eq!(*columns.get_or_insert(borders), borders, "{line}");
        }
    }
    assert!(!is_block);
}

#[test]
fn gauges_for_a_scraper() {
    let (run, hostile) = (run(), hostile());
    let (document, hostile) = (document(&run), document(&hostile));
    let text = openmetrics::write(&[&document]);
    expect_file!["../golden/run.prom"].assert_eq(&text);
    assert!(
        text.starts_with(openmetrics::MARK),
        "a file of ours is known again"
    );
    let families = parse(&text).unwrap();
    assert!(families.len() > 10);
    let both = parse(&openmetrics::write(&[&document, &hostile])).unwrap();
    assert_eq!(both.len(), families.len());
    // A name is only a value of a label.
    let study = |name: &str| {
        let samples = both.values().flatten();
        samples
            .filter(|sample| sample.labels["study"].starts_with(name))
            .count()
    };
    assert!(study("sync") > 0 && study("=cmd|'/c calc'!A1 <script>") > 0);
    assert_eq!(parse(&openmetrics::write(&[])).unwrap().len(), 0);
}

#[test]
fn the_strict_parser_is_strict() {
    let good = openmetrics::write(&[&document(&run())]);
    for (from, to) in [
        ("# EOF\n", ""),
        ("# EOF\n", "# EOF"),
        ("# EOF\n", "# EOF\n\n"),
        (" gauge\n", " gaugf\n"),
        ("seconds\n", "minutes\n"),
        ("run=\"7\"", "run=\"\\7\""),
        ("run=\"7\"", "run=7"),
        ("run=\"7\"", "run=\"7\",run=\"7\""),
        ("world=", "1world="),
        ("} 1790000000.000000000\n", "} now\n"),
        (
            "stripewise_bandwidth_bytes_per_second{",
            "stripewise_other{",
        ),
        ("\n# TYPE", "\n\n# TYPE"),
    ] {
        assert!(good.contains(from), "{from}");
        assert!(
            parse(&good.replacen(from, to, 1)).is_err(),
            "{from} -> {to}"
        );
    }
}

#[test]
fn the_whole_run_as_json() {
    let mut run = run();
    // One sample is enough to see its form.
    run.samples.truncate(1);
    let text = text(json::write(&[&run]).unwrap());
    assert_eq!(text.lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let spread = serde_json::to_string_pretty(&value).unwrap() + "\n";
    expect_file!["../golden/run.json"].assert_eq(&spread);
}

#[test]
fn no_field_of_csv_is_a_formula() {
    let run = hostile();
    let document = document(&run);
    let source = Source {
        run: &run,
        document: &document,
    };
    for table in [samples::samples(&[source]), cells::cells(&[&document])] {
        let bytes = csv::write(&table);
        let mut reader = ::csv::Reader::from_reader(bytes.as_slice());
        let mut seen = 0;
        for record in reader.records() {
            for field in &record.unwrap() {
                assert!(
                    !field.starts_with(['=', '+', '-', '@', '\t', '\r']),
                    "{field}"
                );
                assert!(!field.contains(char::is_control), "{field}");
                seen += usize::from(field.contains("<script>"));
            }
        }
        assert!(seen > 0 && HOSTILE.contains("<script>"));
    }
}
