//! The failures: a report gave its answer on the last line, sorted cells by name, and counted one
//! thing in two ways. The tests check the reports of two runs, of five hundred cells, and of a
//! hundred imported files.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::{ExpectFile, expect, expect_file};
use serde_json::Value;
use stripewise_report::render::terminal;
use stripewise_report::run::blocks;
use stripewise_report::style::without_styles;
use stripewise_report::view::View;
use stripewise_results::world::RunOrigin;
use stripewise_study::warning::Warning;

use crate::support::{Made, page_of};

fn usual() -> View {
    View::drawn(80)
}

const EIGHT: &str = r#"
[stack.here]
filesystem = "existing"
[workload]
size = "1M"
direct = true
engine = "libaio"
pattern = ["randread", "randwrite"]
block_size = ["64K", "4K"]
depth = [8, 1]
"#;

/// Samples of eight cells: each value with a little noise.
fn around(values: [u64; 8]) -> Vec<Vec<u64>> {
    let noise = [0, 7, 3, 9, 1, 5, 4, 8];
    values
        .iter()
        .map(|value| {
            noise
                .iter()
                .map(|noise| value * (1000 + noise) / 1000)
                .collect()
        })
        .collect()
}

fn eight(id: i64, values: [u64; 8]) -> Made {
    let samples = around(values);
    let samples: Vec<&[u64]> = samples.iter().map(Vec::as_slice).collect();
    Made::of(id, EIGHT, &samples, |_| ())
}

#[test]
fn two_runs_begin_with_after_against_before_and_count_alike() {
    let before = [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000];
    let after = [750, 740, 650, 810, 700, 760, 1300, 1001];
    let page = page_of(&[eight(3, before), eight(4, after)]);
    let answer = page["answer"].as_array().unwrap();
    let first = &answer[0];
    assert_eq!(first["claim"], "before_after");
    let count = |side: &str| first[side]["cells"].as_u64().unwrap();
    let number = |key: &str| first[key].as_u64().unwrap();
    assert_eq!((count("worse"), count("better")), (6, 1));
    assert_eq!((number("same"), number("unknown")), (1, 0));
    assert_eq!(number("cells"), 8);
    let cells = page["cells"].as_array().unwrap();
    let most = usize::try_from(first["worse"]["most_cell"].as_u64().unwrap()).unwrap();
    assert_eq!(
        cells[most]["values"],
        serde_json::json!(["randread", "4K", "8"])
    );
    // The verdicts in the table are the counted ones.
    let verdicts: Vec<&Value> = cells.iter().filter_map(|cell| cell.get("before")).collect();
    let different = |verdict: &&&Value| verdict["verdict"] == "different";
    assert_eq!(verdicts.len(), 8);
    assert_eq!(verdicts.iter().filter(different).count(), 7);
    // Counts over cells include both runs.
    let settled = answer.iter().find(|claim| claim["claim"] == "settled");
    assert_eq!(settled.unwrap()["cells"], 16);
    let about_one_run = ["overall", "wins", "largest", "against"];
    assert!(
        answer
            .iter()
            .all(|claim| !about_one_run.contains(&claim["claim"].as_str().unwrap()))
    );
}

#[test]
fn cells_and_values_are_in_natural_order_and_shared_values_appear_once() {
    let made = eight(3, [1000; 8]);
    let text = without_styles(&terminal(&blocks(&made.document(), "", false), usual()));
    expect![[r#"
        by-hand
        run 3 · world metal · 8 cells, 64 of 64 samples count
        stripewise 0.1.0 · seed 1
        All cells: jobs 1, engine libaio, direct true, file size 1M.
    "#]]
    .assert_eq(&text.lines().take(4).fold(String::new(), |mut all, line| {
        writeln!(all, "{line}").unwrap();
        all
    }));
    let places: Vec<Vec<&str>> = text
        .lines()
        .skip(6)
        .take(8)
        .map(|line| line.split_whitespace().collect())
        .collect();
    let head = |row: usize, words: &[&str]| assert_eq!(&places[row][..words.len()], words);
    head(0, &["randread", "4K", "1"]);
    head(1, &["8"]);
    head(2, &["64K", "1"]);
    head(4, &["randwrite", "4K", "1"]);
}

/// A study of five hundred cells whose lists are out of order, and its samples.
fn many() -> Made {
    let mut text = String::from(
        "[workload]\nsize = \"1M\"\ndirect = true\nengine = \"libaio\"\n\
         pattern = [\"read\", \"randread\", \"randwrite\", \"write\", \"randrw\"]\n\
         block_size = [\"4K\", \"1M\", \"64K\", \"16K\", \"256K\"]\n\
         depth = [16, 1, 4, 8, 2]\n[compare]\nbaseline = { stack = \"one\" }\n",
    );
    for stack in ["one", "two", "three", "four"] {
        write!(text, "[stack.{stack}]\nfilesystem = \"existing\"\n").unwrap();
    }
    let samples: Vec<Vec<u64>> = (0..500_u64)
        .map(|cell| {
            let stack = cell / 125;
            let value = 100_000 + cell % 125 * 100 * (1 + stack) + stack * 1000;
            (0..8).map(|sample| value + sample * 13 % 7).collect()
        })
        .collect();
    let samples: Vec<&[u64]> = samples.iter().map(Vec::as_slice).collect();
    Made::of(9, &text, &samples, |record| {
        if record.cell % 50 == 7 && record.block == 2 {
            record.sample.warnings = vec![Warning::Throttled {
                count: u64::try_from(record.cell).unwrap(),
            }];
        }
    })
}

#[test]
fn five_hundred_cells_give_an_answer_and_the_important_cells() {
    let made = many();
    let document = made.document();
    let text = without_styles(&terminal(
        &blocks(&document, " --store runs.db", false),
        usual(),
    ));
    check(&expect_file!["../golden/many.txt"], &text);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() < 80, "{} lines", lines.len());
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    let distinct: BTreeSet<&&str> = paragraphs.iter().collect();
    assert_eq!(distinct.len(), paragraphs.len(), "a paragraph twice");
    let all = without_styles(&terminal(&blocks(&document, "", true), View::PLAIN));
    let rows = all.lines().filter(|line| line.starts_with("stack: "));
    assert_eq!(rows.count(), 500);
}

#[test]
fn a_page_of_five_hundred_cells_names_the_important_ones() {
    let page = page_of(&[many()]);
    let chosen = page["chosen"].as_array().unwrap();
    assert!((10..=15).contains(&chosen.len()), "{chosen:?}");
    let cells = page["cells"].as_array().unwrap();
    let noticed = chosen.iter().filter(|index| {
        let cell = &cells[usize::try_from(index.as_u64().unwrap()).unwrap()];
        !cell["warnings"].as_array().unwrap().is_empty()
    });
    assert!(noticed.count() >= 5);
    assert!(page_of(&[eight(3, [1000; 8])]).get("chosen").is_none());
}

#[test]
fn a_hundred_imported_files_have_a_short_title_and_no_intervals() {
    let mut made = eight(5, [1000; 8]);
    made.run.summary.origin = RunOrigin::Fio;
    made.run.samples.retain(|record| record.block == 0);
    let files: Vec<String> = (0..98)
        .map(|file| format!("results/job-{file}.json"))
        .collect();
    let files = files.join(", ");
    made.run.summary.question = Some(format!("What fio measured: {files}"));
    made.run.summary.study_name = files;
    let text = without_styles(&terminal(&blocks(&made.document(), "", false), usual()));
    check(&expect_file!["../golden/imported.txt"], &text);
    assert!(!text.contains('±') && !text.contains('?'), "{text}");
    let title = "What fio measured: results/job-0.json, results/job-1.json and 96 more";
    assert_eq!(made.document().title(), title);
    let page = page_of(&[made]);
    let question = page["question"].to_string();
    assert!(
        question.contains("job-1.json") && !question.contains("job-2.json"),
        "{question}"
    );
    let single = page["answer"].as_array().unwrap().iter();
    assert!(single.clone().any(|claim| claim["claim"] == "single"));
    assert!(single.clone().all(|claim| claim["claim"] != "settled"));
}

#[track_caller]
fn check(expected: &ExpectFile, text: &str) {
    expected.assert_eq(text);
}
