//! A power cut has no throughput: a program that reads an export must find the loss, and no rate of
//! an emulated guest.

use expect_test::expect_file;
use stripewise_export::{Source, cells, csv, json, markdown, openmetrics, parquet, read, samples};
use stripewise_study::cut::{Cut, Loss, Outcome, RecoveryFailure, RecoveryStep};
use stripewise_units::{Bytes, Nanos};

use crate::support::{document, run, without_empty};

/// Makes the samples of the usual run power cuts.
fn run_with_cuts() -> stripewise_results::Run {
    let mut run = run();
    for (at, record) in (0..).zip(&mut run.samples) {
        let outcome = match at % 4 {
            0 => Outcome::CameBack(Loss::default()),
            1 => Outcome::CameBack(Loss {
                records: 3,
                bytes: Bytes::new(49_152),
                age_ns: Nanos::from_millis(1020),
                corrupt: 1,
                values: None,
            }),
            2 => Outcome::Unusable(RecoveryFailure {
                step: RecoveryStep::Mount,
                reason: "bad | superblock\n".to_owned(),
            }),
            _ => Outcome::Unknown {
                reason: "the guest died".to_owned(),
            },
        };
        record.sample.cut = Some(Cut {
            recording: at / 2,
            at_ns: Nanos::from_millis(2000 + at),
            acknowledged: 100,
            acknowledged_bytes: Bytes::new(1_638_400),
            outcome,
            state: None,
            smallest: None,
        });
    }
    run
}

#[test]
fn tables_tickets_and_gauges_have_the_loss_and_no_rate() {
    let run = run_with_cuts();
    let document = document(&run);
    let source = [Source {
        run: &run,
        document: &document,
    }];
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    let table = text(csv::write(&without_empty(cells::cells(&[&document]))));
    expect_file!["../golden/cuts-cells.csv"].assert_eq(&table);
    let ticket = markdown::write(&[&document]);
    expect_file!["../golden/cuts-ticket.md"].assert_eq(&ticket);
    let gauges = openmetrics::write(&[&document]);
    expect_file!["../golden/cuts.prom"].assert_eq(&gauges);
    for text in [&table, &gauges] {
        assert!(!text.contains("bandwidth"), "{text}");
    }
    let table = text(csv::write(&samples::samples(&source)));
    let heads = table.lines().next().unwrap();
    for head in [
        "cut_recording",
        "cut_outcome",
        "cut_failed_step",
        "cut_lost_age_ns",
    ] {
        assert!(heads.contains(head), "{heads}");
    }
    assert!(table.contains(",unusable,mount,"));
}

#[test]
fn power_cuts_come_back_from_json_and_parquet_as_they_were() {
    let run = run_with_cuts();
    let document = document(&run);
    let source = [Source {
        run: &run,
        document: &document,
    }];
    let json = json::write(&[&run]).unwrap();
    assert_eq!(read::read(&json).unwrap().first(), Some(&run));
    let parquet = parquet::samples(&source).unwrap();
    assert_eq!(read::read(&parquet).unwrap().first(), Some(&run));
}
