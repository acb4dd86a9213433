//! Translates the fields of a load into the lines of a job file.

use std::fmt::Write;

use stripewise_study::cell::Axis;
use stripewise_study::keys::{FioOption, Key, Kind};
use stripewise_study::load::{LOAD_KEYS, Load};
use stripewise_study::workload::{BlockSize, Data, Distribution};
use stripewise_units::Bytes;
use stripewise_units::splitmix::SplitMix64;

use crate::job_file_error::JobFileError;

/// The longest neighbour name in a section; fio cuts section names at 128.
const SECTION_NAME_CHARS_MAX: usize = 64;

/// Returns a valid section name: characters with a meaning to fio become `_`.
pub(crate) fn section_name(name: &str) -> String {
    name.chars()
        .take(SECTION_NAME_CHARS_MAX)
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect()
}

/// Returns whether `c` has no special meaning to fio, which splits names at `:`, expands `$` and
/// backticks, and cuts lines at `;` and `#`.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Writes `name=value`.
pub(crate) fn option(text: &mut String, name: &str, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name}={value}");
}

/// Writes the file's name if it is plain.
pub(crate) fn file_option(text: &mut String, file: &str) -> Result<(), JobFileError> {
    let plain = file.chars().all(is_plain) && file.len() <= 255;
    if !plain || !file.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err(JobFileError::FileName {
            name: file.to_owned(),
        });
    }
    option(text, "filename", file);
    Ok(())
}

/// Writes all options of a load.
pub(crate) fn load_options(
    text: &mut String,
    owner: &str,
    load: &Load,
) -> Result<(), JobFileError> {
    if load.rate_bytes_per_s.is_some() && load.rate_iops.is_some() {
        return Err(JobFileError::TwoRates {
            owner: owner.to_owned(),
        });
    }
    for key in LOAD_KEYS.iter().filter(|key| key.acts_on(load.pattern)) {
        match key.axis {
            Axis::BlockSize => block_options(text, load),
            // Each job is a section of its own.
            Axis::Jobs => option(text, "numjobs", 1),
            Axis::Distribution => distribution_option(text, load)?,
            Axis::Data => data_options(text, load.data)?,
            _ => plain_option(text, key, load),
        }
    }
    if load.think_blocks.is_some() {
        option(text, "thinktime_blocks_type", "issue");
    }
    if load.verify {
        verify_options(text, load.block_size.largest());
        // A separate run after the load reads the data back.
        option(text, "do_verify", 0);
    }
    Ok(())
}

/// Writes the option of fio that has the values of a key.
fn plain_option(text: &mut String, key: &Key<Load>, load: &Load) {
    let (Some(FioOption { name, .. }), Some(value)) = (key.fio, (key.get)(load)) else {
        return;
    };
    match (key.kind, value.number) {
        (Kind::Time, Some(0)) => {}
        (Kind::Time, Some(ns)) => option(text, name, format_args!("{}us", ns.div_ceil(1000))),
        (Kind::Flag, _) => option(text, name, u8::from(value.text == "true")),
        (_, Some(number)) => option(text, name, number),
        (_, None) => option(text, name, value.text),
    }
}

/// Writes the option that starts each `block` with its offset and a checksum of the rest.
pub(crate) fn verify_options(text: &mut String, block: Bytes) {
    option(text, "verify", "crc32c");
    option(text, "verify_interval", block.as_u64());
    // We verify the last written data everywhere; the point where a load stopped does not matter.
    option(text, "verify_state_save", 0);
}

/// Writes the block sizes, and whether fio keeps a map of visited blocks.
///
/// With the map (fio's default) random I/O visits every block once before any again. We keep the
/// map for a single block size. With several sizes we disable it: fio cuts an I/O short at the
/// first visited block (`mark_random_map` in fio's `io_u.c`), which would change the measured
/// sizes.
fn block_options(text: &mut String, load: &Load) {
    match &load.block_size {
        BlockSize::Fixed(size) => option(text, "bs", size.as_u64()),
        BlockSize::Split(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .filter(|part| part.share_percent > 0)
                .map(|part| format!("{}/{}", part.block_size_bytes.as_u64(), part.share_percent))
                .collect();
            option(text, "bssplit", parts.join(":"));
            if load.pattern.is_random() {
                option(text, "norandommap", 1);
            }
        }
    }
}

/// Writes the distribution of random offsets.
fn distribution_option(text: &mut String, load: &Load) -> Result<(), JobFileError> {
    let positive = |value: f64| {
        if value.is_finite() && value > 0.0 {
            return Ok(value);
        }
        Err(JobFileError::Number {
            what: "distribution parameter",
            value: value.to_string(),
            expected: "a number above 0",
        })
    };
    if !load.pattern.is_random() {
        return Ok(());
    }
    match load.distribution {
        Distribution::Uniform => option(text, "random_distribution", "random"),
        Distribution::Zipf(theta) => {
            let theta = positive(theta)?;
            option(text, "random_distribution", format_args!("zipf:{theta}"));
        }
        Distribution::Pareto(power) => {
            let power = positive(power)?;
            option(text, "random_distribution", format_args!("pareto:{power}"));
        }
    }
    Ok(())
}

/// Writes the options for the buffer content. fio's default rewrites one buffer with a few bytes
/// changed; it compresses up to 15 times, so we never use it.
pub(crate) fn data_options(text: &mut String, data: Data) -> Result<(), JobFileError> {
    // Scrambling would write time stamps into the buffers.
    option(text, "scramble_buffers", 0);
    match data {
        Data::Incompressible => option(text, "refill_buffers", 1),
        Data::Zeroes => option(text, "zero_buffers", 1),
        Data::Ratio(ratio) => {
            option(text, "refill_buffers", 1);
            let percentage = compress_percentage(ratio)?;
            if percentage > 0 {
                option(text, "buffer_compress_percentage", percentage);
                option(text, "buffer_compress_chunk", COMPRESS_CHUNK_BYTES);
            }
        }
    }
    Ok(())
}

/// Each chunk of this size contains the requested share of zeroes. It is the smallest block of a
/// compressing filesystem, so the ratio holds in each block. Measured on 64 MiB of fio 3.33 at 50
/// %: LZ4 compresses 1.98 times; with fio's default chunk of 512 bytes 1.94 times.
const COMPRESS_CHUNK_BYTES: u32 = 4096;

/// Returns the share of zeroes, in percent, that compresses by `ratio`: `100 (1 - 1 / ratio)`,
/// at most 99, as zeroes cost next to nothing and random bytes do not compress.
pub(crate) fn compress_percentage(ratio: f64) -> Result<u8, JobFileError> {
    if !(ratio.is_finite() && ratio >= 1.0) {
        return Err(JobFileError::Number {
            what: "compression ratio",
            value: ratio.to_string(),
            expected: "a number of at least 1",
        });
    }
    let exact = 100.0 * (1.0 - 1.0 / ratio);
    // The nearest whole percent, found by comparing: no cast of a float.
    Ok((0..99_u8)
        .find(|percentage| f64::from(*percentage) + 0.5 > exact)
        .unwrap_or(99))
}

/// Returns the seed of one job's random stream.
///
/// Similar seeds give unrelated streams. fio multiplies it by the job's number and keeps 32 bits; it
/// accepts at most 63 bits, and 0 would give 0 for every job.
pub(crate) fn child_seed(seed: u64, stream: u64) -> u64 {
    (SplitMix64(seed).at(stream) >> 1) | 1
}
