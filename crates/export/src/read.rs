//! Recognises the format of a file, and reads its runs.

use bytes::Bytes;
use stripewise_results::Run;

pub use crate::error::ReadError;
use crate::{csv, json, limits, parquet};

/// The largest file that is read.
pub const FILE_BYTES_MAX: u64 = limits::FILE_BYTES_MAX;

/// Reads the runs of a file that `stripewise export` wrote as JSON or Parquet, with their original
/// numbers.
///
/// # Errors
/// [`ReadError`] if it is none of these, newer, cut short, or inconsistent.
pub fn read(bytes: &[u8]) -> Result<Vec<Run>, ReadError> {
    read_owned(Bytes::copy_from_slice(bytes))
}

/// As [`read`], without a copy of the file.
///
/// # Errors
/// As [`read`].
pub fn read_owned(bytes: impl Into<Bytes>) -> Result<Vec<Run>, ReadError> {
    let bytes = bytes.into();
    if u64::try_from(bytes.len()).is_ok_and(|length| length > FILE_BYTES_MAX) {
        return Err(ReadError::TooLarge);
    }
    if bytes.starts_with(parquet::MAGIC) {
        return parquet::read(&bytes);
    }
    match bytes.trim_ascii_start().first() {
        Some(b'{' | b'[') => json::read(&bytes),
        _ if csv::may_be_ours(&bytes) => Err(ReadError::OfCsv),
        _ => Err(ReadError::Foreign),
    }
}
