//! Whatever bytes claim to be exported runs, as JSON or Parquet: read, or refused with a reason, never a
//! panic; and what is read is the same when it is written and read again.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_export::{json, read};

fuzz_target!(|bytes: &[u8]| {
    match read::read(bytes) {
        Ok(imported) => {
            for run in &imported {
                let cells = run.cells.len();
                assert!(run.samples.iter().all(|record| record.cell < cells));
                let of_cells = run.warnings.iter().filter_map(|warning| warning.cell);
                assert!(of_cells.max().is_none_or(|cell| cell < cells));
            }
            let runs: Vec<_> = imported.iter().collect();
            let text = json::write(&runs).expect("what was read can be written");
            let again = json::read(&text).expect("what was written can be read");
            assert!(again == imported, "it is another run");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
