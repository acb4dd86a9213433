//! Whole runs must come back whole.
//!
//! The failure: a user moved results to another machine as a table. They lost their histograms,
//! their warnings and the study, and two years later nobody knew what had been measured.

use crate::support::{document, run};
use proptest::prelude::*;
use stripewise_export::read::{ReadError, read};
use stripewise_export::{Source, csv, json, parquet, samples};
use stripewise_fixtures::drawn::{facts, full_cell, record, warning};
use stripewise_report::document::{Document, RunSettings};
use stripewise_results::world::RunOrigin;
use stripewise_results::{
    FactsRecord, Run, RunHead, RunId, RunState, RunSummary, SampleCounts, WarningRecord,
};
use stripewise_study::sample::Role;

/// A time that a store can keep.
fn time() -> impl Strategy<Value = u64> {
    0..=i64::MAX.cast_unsigned()
}

fn drawn_run() -> impl Strategy<Value = Run> {
    let state = prop_oneof![
        time().prop_map(|end| (RunState::Done, Some(end))),
        time().prop_map(|end| (RunState::Failed, Some(end))),
        prop::option::of(time()).prop_map(|end| (RunState::Interrupted, end)),
    ];
    (
        any::<[String; 5]>(),
        (any::<u64>(), any::<i64>(), time(), state),
        prop::collection::vec((time(), facts()), 0..3),
        prop::collection::vec(full_cell(), 3..5),
        prop::collection::vec(record(), 0..6),
        prop::collection::vec((prop::option::of(0..3_usize), warning()), 0..4),
    )
        .prop_map(|(texts, numbers, facts, cells, samples, warnings)| {
            let [world, study_name, question, study_text, tool_version] = texts;
            let (seed, id, started_unix_ns, (state, ended_unix_ns)) = numbers;
            let counted = samples
                .iter()
                .filter(|record| record.role == Role::Counted && record.sample.is_valid());
            Run {
                summary: RunSummary {
                    head: RunHead {
                        id: RunId(id),
                        origin: RunOrigin::from(world.as_str()),
                        study_name,
                        question: (!question.is_empty()).then_some(question),
                        name: None,
                        tags: Vec::new(),
                        state,
                        tool_version,
                        started_unix_ns,
                        ended_unix_ns,
                    },
                    cell_count: cells.len() as u64,
                    samples: SampleCounts {
                        counted: counted.count() as u64,
                        all: samples.len() as u64,
                    },
                },
                world: None,
                options: serde_json::json!([seed, study_text, null, { "": 0.1 }]),
                study_text,
                seed,
                facts: facts
                    .into_iter()
                    .map(|(taken_unix_ns, facts)| FactsRecord {
                        taken_unix_ns,
                        facts,
                    })
                    .collect(),
                cells,
                samples,
                warnings: warnings
                    .into_iter()
                    .map(|(cell, warning)| WarningRecord { cell, warning })
                    .collect(),
            }
        })
}

fn default_document(run: &Run) -> Document {
    Document::new(run, &RunSettings::default())
}

fn to_parquet(runs: &[Run], documents: &[Document]) -> Vec<u8> {
    let sources: Vec<Source<'_>> = runs
        .iter()
        .zip(documents)
        .map(|(run, document)| Source { run, document })
        .collect();
    parquet::samples(&sources).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn runs_come_back_from_json_and_parquet_as_they_were(
        runs in prop::collection::vec(drawn_run(), 1..4),
    ) {
        let text = json::write(&runs.iter().collect::<Vec<_>>()).unwrap();
        prop_assert_eq!(read(&text).unwrap(), runs.clone());
        let documents: Vec<Document> = runs.iter().map(default_document).collect();
        let file = to_parquet(&runs, &documents);
        prop_assert_eq!(read(&file).unwrap(), runs.clone());
        // Columns may hold less, but are always valid.
        let sources: Vec<Source<'_>> = runs.iter().zip(&documents)
            .map(|(run, document)| Source { run, document }).collect();
        let table = csv::write(&samples::samples(&sources));
        prop_assert!(matches!(read(&table), Err(ReadError::OfCsv)));
    }

    #[test]
    fn a_truncated_file_is_refused(length in 0_usize..1_000_000) {
        let runs = [run()];
        let documents = [document(&runs[0])];
        for file in [json::write(&[&runs[0]]).unwrap(), to_parquet(&runs, &documents)] {
            let length = length % (file.len() - 1);
            prop_assert!(read(&file[..length]).is_err(), "{length} of {} bytes", file.len());
        }
    }

    #[test]
    fn a_changed_byte_is_read_or_refused(place in 0_usize..1_000_000, bit in 0_u32..8) {
        let runs = [run()];
        let documents = [document(&runs[0])];
        for mut file in [json::write(&[&runs[0]]).unwrap(), to_parquet(&runs, &documents)] {
            let place = place % file.len();
            file[place] ^= 1 << bit;
            // A file that reads back has valid indices.
            for run in read(&file).unwrap_or_default() {
                let cells = run.cells.len();
                prop_assert!(run.samples.iter().all(|record| record.cell < cells));
            }
        }
    }
}

/// The failure: an export with a changed digit was imported, and all tables showed what it said.
#[test]
fn an_impossible_sample_is_refused_in_both_formats() {
    let mut run = run();
    run.samples[2].sample.write.latency.mean_ns = Some(-1.0);
    let document = document(&run);
    let text = json::write(&[&run]).unwrap();
    for file in [text, to_parquet(&[run], &[document])] {
        let error = read(&file).unwrap_err().to_string();
        let place = "run 7 has an impossible sample 2: `write.latency.mean_ns` is -1.0";
        assert!(error.contains(place), "{error}");
    }
}

#[test]
fn errors_for_foreign_files_name_their_kind() {
    let text = String::from_utf8(json::write(&[&run()]).unwrap()).unwrap();
    let newer = text.replacen("\"schema\":1", "\"schema\":2", 1);
    let pointed = text.replacen("\"cell\":3", "\"cell\":4", 1);
    let late = text.replacen("1790000000000000000", "17900000000000000000", 1);
    let document = document(&run());
    let cells = stripewise_export::cells::cells(&[&document]);
    let show = serde_json::to_string(&document).unwrap();
    let cases: [(&[u8], &str); 14] = [
        (b"", "it is not an export of Stripewise"),
        (b"\x7fELF", "it is not an export of Stripewise"),
        (b"{", "it is truncated: its end is missing"),
        (b"{}", "it is not an export of Stripewise"),
        (b"{]", "it is not a JSON document"),
        (b"[1]", "it is damaged"),
        (
            b"{\"fio version\": \"fio-3.33\"}",
            "it is output of fio, not an export of Stripewise",
        ),
        (
            show.as_bytes(),
            "it is output of `stripewise show --json`, which does not hold the whole run",
        ),
        (
            newer.as_bytes(),
            "it has schema 2, this program reads up to schema 1",
        ),
        (pointed.as_bytes(), "it is damaged: run 7 has no cell 4"),
        (
            late.as_bytes(),
            "it is damaged: run 7 has a time after the year 2262",
        ),
        (b"a,b\r\n1,2\r\n", "it is not an export of Stripewise"),
        (b"PAR1PAR1", "it is truncated: its end is missing"),
        (
            b"PAR1\0\0\0\0\xff\xff\xff\xffPAR1",
            "it is a damaged Parquet file",
        ),
    ];
    for (bytes, message) in cases {
        let error = read(bytes).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(!error.hint().is_empty(), "{message}");
    }
    let mut table = csv::write(&cells);
    assert!(matches!(read(&table), Err(ReadError::OfCsv)));
    // As a spreadsheet saves it.
    table.splice(..0, *b"\xef\xbb\xbf");
    assert!(matches!(read(&table), Err(ReadError::OfCsv)));
    let cells = parquet::table(&cells).unwrap();
    assert!(matches!(read(&cells), Err(ReadError::OfCells)));
}

/// Files as version 0.1.0 wrote them; a version that cannot read them loses users' results.
#[test]
fn files_of_the_first_schema_stay_readable() {
    let of_json = read(include_bytes!("../data/schema_1.json")).unwrap();
    let of_parquet = read(include_bytes!("../data/schema_1.parquet")).unwrap();
    assert_eq!(of_json, of_parquet);
    let [run] = &of_json[..] else {
        panic!("one run was written");
    };
    assert_eq!(run.summary.question.as_deref(), Some("Small?"));
    assert_eq!((run.cells.len(), run.samples.len()), (1, 2));
    let sample = &run.samples[0].sample;
    assert!(sample.breakdown.is_some() && !sample.sync.histogram.is_empty());
}

/// Damaged copies of them are in the tests of the program (`fuzz_targets`).
#[test]
fn the_seeds_of_the_fuzzer_are_read() {
    let seeds: [&[u8]; 2] = [
        include_bytes!("../../../../fuzz/seeds/export_file/model.json"),
        include_bytes!("../../../../fuzz/seeds/export_file/model.parquet"),
    ];
    for seed in seeds {
        assert!(stripewise_export::read::read(seed).is_ok());
    }
}
