//! The meaning of error numbers, which depends on the operating system that fio ran on.
//!
//! Windows' 42 is Linux's 84, and macOS' 45 Linux's 95. fio's own text counts, if the file has it:
//! `fio: pid=1, err=42/file:io_u.c:2074, func=io_u_queued_complete, error=Illegal byte sequence`
//! (`__td_verror` in its `fio.h`). Numbers up to 34 mean the same everywhere.

use std::collections::BTreeMap;

use crate::report::{FioReport, Job};

/// The most texts that are kept.
const TEXTS_MAX: usize = 256;

/// The longest text that is kept; fio's buffer has 128 bytes.
const TEXT_CHARS_MAX: usize = 128;

/// The largest error number with the same meaning on all systems: `ERANGE`.
const COMMON_MAX: i64 = 34;

/// Engines that exist only on Linux.
const LINUX_ENGINES: [&str; 3] = ["libaio", "io_uring", "io_uring_cmd"];

/// Returns fio's own texts of error numbers in the text around its JSON.
pub(crate) fn texts(messages: &str) -> BTreeMap<i64, String> {
    let mut texts = BTreeMap::new();
    for line in messages.lines() {
        let Some((_, rest)) = line.split_once("err=") else {
            continue;
        };
        let number = rest
            .split('/')
            .next()
            .and_then(|number| number.parse().ok());
        let text = rest.split_once(", error=").map(|(_, text)| text.trim());
        if let (Some(number), Some(text)) = (number, text)
            && texts.len() < TEXTS_MAX
            && !text.is_empty()
        {
            let text = text.chars().take(TEXT_CHARS_MAX).collect();
            texts.entry(number).or_insert(text);
        }
    }
    texts
}

/// Returns the meaning of the error of a job; empty if it depends on an operating system that the
/// report does not tell.
pub(crate) fn text(job: &Job, report: &FioReport) -> String {
    if let Some(text) = report.error_texts.get(&job.error) {
        return text.clone();
    }
    let engine = job.options.get("ioengine").unwrap_or_default();
    // fio reads the counters of disks only on Linux.
    let is_linux = LINUX_ENGINES.contains(&engine.trim()) || !report.disks.is_empty();
    let is_known = is_linux || job.error <= COMMON_MAX;
    match i32::try_from(job.error) {
        Ok(errno) if errno > 0 && is_known => std::io::Error::from_raw_os_error(errno).to_string(),
        _ => String::new(),
    }
}
