//! A cell back from the columns of its axes.

use std::num::NonZeroU32;

use serde::de::DeserializeOwned;
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::conditions::Conditions;
use stripewise_study::failure::Failure;
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::workload::{
    BlockSize, Data, Distribution, Load, SplitPart, SyncMode, Workload,
};

use crate::axes::{BLOCK_SIZE_SPLIT, head};
use crate::line::Line;
use crate::read::ReadError;

/// Returns the cell on a line: its stack by name only, without neighbours.
///
/// # Errors
/// [`ReadError::Line`] where an axis is missing or is not what it must be.
pub(crate) fn cell(line: &Line<'_>) -> Result<Cell, ReadError> {
    Ok(Cell {
        stack: Stack {
            name: line.required(head(Axis::Stack))?,
            devices: Vec::new(),
            array: None,
            volume: None,
            filesystem: Filesystem::Existing,
        },
        workload: Workload {
            name: line.text(head(Axis::Workload)),
            load: load(line)?,
            neighbours: Vec::new(),
        },
        conditions: Conditions {
            governor: line.text(head(Axis::Governor)),
            energy_preference: line.text(head(Axis::EnergyPreference)),
            scheduler: line.text(head(Axis::Scheduler)),
            write_cache: word(line, Axis::WriteCache)?,
            flush: word(line, Axis::Flush)?,
            trim_before: line.flag(head(Axis::TrimBefore))?,
            drop_caches: line.flag(head(Axis::DropCaches))?,
            fill: None,
            state: word(line, Axis::State)?,
            // A table keeps its name only, as it does of a stack.
            failure: line.text(head(Axis::Failure)).map(|name| Failure {
                name,
                at_ns: Nanos::default(),
                device: 0,
                repair: None,
                sync_speed_min_bytes_per_s: None,
                sync_speed_max_bytes_per_s: None,
                until_rebuilt: false,
            }),
        },
    })
}

fn load(line: &Line<'_>) -> Result<Load, ReadError> {
    let missing = |axis| move || line.missing(head(axis));
    let small = |axis: Axis| {
        let value = line.count(head(axis))?;
        u32::try_from(value)
            .map_err(|_| line.unexpected(head(axis), &value.to_string(), "at most 4294967295"))
    };
    let every = |axis: Axis| {
        line.parsed(head(axis), "a whole number above 0", |field| {
            field.parse::<NonZeroU32>().ok()
        })
    };
    Ok(Load {
        pattern: word(line, Axis::Pattern)?.ok_or_else(missing(Axis::Pattern))?,
        read_percent: line.parsed(head(Axis::Mix), "such as `70/30`", mix)?,
        block_size: block_size(line)?,
        size_bytes: Bytes::new(line.count(head(Axis::Size))?),
        direct: line
            .flag(head(Axis::Direct))?
            .ok_or_else(missing(Axis::Direct))?,
        engine: word(line, Axis::Engine)?.ok_or_else(missing(Axis::Engine))?,
        jobs: small(Axis::Jobs)?,
        depth: small(Axis::Depth)?,
        data: line
            .parsed(head(Axis::Data), "such as `2:1`", data)?
            .ok_or_else(missing(Axis::Data))?,
        sync: word(line, Axis::Sync)?.unwrap_or(SyncMode::None),
        fsync_every: every(Axis::Fsync)?,
        fdatasync_every: every(Axis::Fdatasync)?,
        rate_bytes_per_s: line.optional_count(head(Axis::Rate))?.map(Bytes::new),
        rate_iops: every(Axis::RateIops)?,
        distribution: line
            .parsed(head(Axis::Distribution), "such as `zipf:1.2`", distribution)?
            .unwrap_or(Distribution::Uniform),
        verify: false,
        think_time_ns: line
            .optional_count(head(Axis::ThinkTime))?
            .map_or_else(Nanos::default, Nanos::new),
    })
}

/// Returns a choice that a study writes as it is serialised.
fn word<T: DeserializeOwned>(line: &Line<'_>, axis: Axis) -> Result<Option<T>, ReadError> {
    line.parsed(head(axis), "a value of a study", |field| {
        serde_json::from_value(serde_json::Value::from(field)).ok()
    })
}

fn block_size(line: &Line<'_>) -> Result<BlockSize, ReadError> {
    let split = line.parsed(BLOCK_SIZE_SPLIT, "such as `4K/60:64K/40`", |field| {
        let parts: Option<Vec<SplitPart>> = field.split(':').map(split_part).collect();
        parts.map(BlockSize::Split)
    })?;
    match split {
        Some(split) => Ok(split),
        None => {
            let size = line.count(head(Axis::BlockSize))?;
            Ok(BlockSize::Fixed(Bytes::new(size)))
        }
    }
}

fn split_part(text: &str) -> Option<SplitPart> {
    let (size, share) = text.split_once('/')?;
    Some(SplitPart {
        block_size_bytes: Bytes::parse(size).ok()?,
        share_percent: share.parse().ok().filter(|share| *share <= 100)?,
    })
}

/// Reads the share of reads in `70/30`.
fn mix(text: &str) -> Option<u8> {
    let (read, write) = text.split_once('/')?;
    let (read, write): (u8, u8) = (read.parse().ok()?, write.parse().ok()?);
    (read.checked_add(write) == Some(100)).then_some(read)
}

fn data(text: &str) -> Option<Data> {
    match text {
        "incompressible" => Some(Data::Incompressible),
        "zeroes" => Some(Data::Zeroes),
        ratio => positive(ratio.strip_suffix(":1")?).map(Data::Ratio),
    }
}

fn distribution(text: &str) -> Option<Distribution> {
    match text.split_once(':') {
        None => (text == "uniform").then_some(Distribution::Uniform),
        Some(("zipf", theta)) => positive(theta).map(Distribution::Zipf),
        Some(("pareto", power)) => positive(power).map(Distribution::Pareto),
        Some(_) => None,
    }
}

fn positive(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number)
}
