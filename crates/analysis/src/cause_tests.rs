use stripewise_fixtures::{second, transfer};
use stripewise_study::plan::Study;
use stripewise_study::sample::{Sample, SampleRecord};

use super::*;
use crate::cell::analyse;

/// A board against md: they differ in chunk and metadata; `md128` has the chunk of the board.
const BOARD: &str = r#"
[stack.md]
devices = { ssd = 4 }
array = { level = "raid10" }
[stack.md128]
devices = { ssd = 4 }
array = { level = "raid10", chunk = "128K" }
[stack.board]
devices = { ssd = 4 }
array = { level = "raid10", metadata = "imsm" }
[workload]
pattern = ["randread", "randwrite"]
block_size = "64K"
size = "1G"
[compare]
baseline = { stack = "md" }
"#;

/// Returns a sample of one second in which this many bytes are read.
fn record(cell: usize, block: u32, bytes: u64) -> SampleRecord {
    let sample = Sample {
        read: transfer(0, bytes),
        ..second()
    };
    stripewise_fixtures::record(cell, block, sample)
}

/// Returns the differences found if the cells, in the order of the study, read this many bytes a
/// second.
fn found(study: &Study, rates: [u64; 6]) -> Vec<StackDifference> {
    let records: Vec<Vec<SampleRecord>> = (0..)
        .zip(rates)
        .map(|(cell, rate)| {
            let blocks = 0..8_u32;
            let noisy = |block| record(cell, block, rate + u64::from(block) * rate / 1000);
            blocks.map(noisy).collect()
        })
        .collect();
    let metric = study.compare.metric;
    let analyses: Vec<CellAnalysis> = records
        .iter()
        .map(|records| analyse(records, None, metric))
        .collect();
    stack_differences(&study.cells, &analyses, &study.compare)
}

fn cause_of_board(rates: [u64; 6]) -> Option<(Vec<&'static str>, Vec<&'static str>, String)> {
    let study = stripewise_fixtures::study(BOARD);
    let found = found(&study, rates);
    let board = found.into_iter().find(|one| one.stack == "board").unwrap();
    let keys: Vec<&str> = board.differences.iter().map(|one| one.key).collect();
    assert_eq!(keys, ["chunk", "metadata"]);
    let cause = board.cause?;
    let witness = cause.witness.unwrap();
    assert_eq!((witness.stack.as_str(), witness.cells), ("md128", 2));
    Some((cause.keys, cause.idle, witness.same_as))
}

#[test]
fn equal_speed_with_the_same_chunk_shows_that_the_chunk_matters() {
    let cause = cause_of_board([1000, 500, 2000, 700, 2001, 701].map(|rate| rate << 20));
    let expected = (vec!["chunk"], vec!["metadata"], "board".to_owned());
    assert_eq!(cause, Some(expected));
}

#[test]
fn unchanged_speed_with_the_same_chunk_shows_that_the_chunk_does_not_matter() {
    let cause = cause_of_board([1000, 500, 1001, 501, 2000, 700].map(|rate| rate << 20));
    let expected = (vec!["metadata"], vec!["chunk"], "md".to_owned());
    assert_eq!(cause, Some(expected));
}

#[test]
fn no_cause_is_claimed_if_both_keys_matter() {
    let cause = cause_of_board([1000, 500, 1500, 600, 2000, 700].map(|rate| rate << 20));
    assert_eq!(cause, None);
}

#[test]
fn a_single_difference_is_the_cause_and_equals_have_none() {
    let study = stripewise_fixtures::study(BOARD);
    let found = found(
        &study,
        [1000, 500, 2000, 700, 1000, 500].map(|rate| rate << 20),
    );
    let names: Vec<&str> = found.iter().map(|one| one.stack.as_str()).collect();
    assert_eq!(names, ["md128"], "the board is as fast as its baseline");
    let cause = found[0].cause.as_ref().unwrap();
    assert_eq!(cause.keys, ["chunk"]);
    assert_eq!(cause.witness, None);
}
