//! Whatever bytes claim to be exported runs, as JSON or Parquet.

#![no_main]

#[path = "../../crates/export/tests/it/any_bytes.rs"]
mod any_bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| any_bytes::are_read_or_refused(bytes));
