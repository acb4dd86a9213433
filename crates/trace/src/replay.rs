//! The I/Os of a trace that a study replays: read whole, moved to the beginning, with a checksum.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use stripewise_study::trace::{SECTOR_BYTES, Timing, Trace, TraceProblem, TraceQuery, TracedIos};
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};
use stripewise_units::visible::visible;
use stripewise_units::{Bytes, Nanos};

use crate::event::{Action, DeviceId, Event, TracedIo};
use crate::missing::Missing;
use crate::reader::{Options, ReadError, Reader};
use crate::skipped::{SkipReason, Skipped};

/// Addresses are moved by a multiple of this, so that I/Os stay aligned to chunks up to it.
pub const MOVED_BYTES: u64 = 1 << 20;
/// The size of a replay is a multiple of this.
const SIZE_BYTES: u64 = 4096;
/// A trace is damaged if more than one in so many of its records cannot be used.
const DAMAGED_OF: u64 = 100;
/// How many devices a message lists at most.
const LISTED_MAX: usize = 8;

/// Returns the problem of a trace, with a label at its place in the study.
pub fn problem(message: String, label: &str, hint: impl Into<String>) -> TraceProblem {
    TraceProblem {
        message,
        label: label.to_owned(),
        hint: hint.into(),
    }
}

/// Reads the I/Os that `query` asks for.
///
/// # Errors
/// If it is no trace, too much of it cannot be used, or it does not have what is asked for.
pub fn read(input: impl io::Read, query: &TraceQuery) -> Result<Trace, TraceProblem> {
    let failed = |error: ReadError| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let message = format!(
            "trace `{}`: {error}{}",
            query.file,
            cause.unwrap_or_default()
        );
        problem(
            message,
            "this file",
            "`trace` lists the formats in docs/study.md",
        )
    };
    let options = Options {
        device: query.device.clone(),
        ..Options::default()
    };
    let mut reader = Reader::new(input, options).map_err(failed)?;
    let mut taken = Taken::new(query);
    while let Some(event) = reader.next_event().map_err(failed)? {
        let Event::Begin(io) = event else {
            continue;
        };
        if taken.is_over(io.at) {
            break;
        }
        taken.take(&io)?;
    }
    taken.check_devices(&reader.names().devices)?;
    taken.check_missing(reader.skipped())?;
    taken.check_damage(reader.skipped())?;
    if query.timing == Timing::Kept && !reader.facts().has_times {
        let message = format!("trace `{}` has no times", query.file);
        let hint = "replay it as fast as possible: `trace = { file = ..., timing = \"flat-out\" }`";
        return Err(problem(message, "nothing to keep", hint));
    }
    taken.finish(reader.skipped())
}

/// Returns an I/O of a trace as what a replay does, at its time: a flush, a read or a write of whole
/// sectors, as a device reads and writes no less, or both. Nothing for a discard.
pub fn replayed_as(io: &TracedIo) -> impl Iterator<Item = ReplayedIo> + use<> {
    let action = match io.action {
        Action::Read => Some(ReplayedAction::Read),
        Action::Write if io.marks.is_fua => Some(ReplayedAction::DurableWrite),
        Action::Write => Some(ReplayedAction::Write),
        Action::Flush | Action::Discard => None,
    };
    let flushes = io.action == Action::Flush || io.marks.flushes_first;
    let flush = flushes.then(ReplayedIo::flush);
    let start = io.offset_bytes / SECTOR_BYTES * SECTOR_BYTES;
    let end = io.offset_bytes.saturating_add(io.length_bytes);
    let end = end.div_ceil(SECTOR_BYTES).saturating_mul(SECTOR_BYTES);
    let length = Bytes::new(end - start);
    let action = action.filter(|_| io.length_bytes > 0);
    let data = action.map(|action| ReplayedIo::new(action, Bytes::new(start), length));
    let at = io.at;
    flush.into_iter().chain(data).map(move |io| io.at(at))
}

/// The I/Os of a trace so far.
struct Taken<'a> {
    query: &'a TraceQuery,
    ios: Vec<ReplayedIo>,
    /// The number of I/Os of each device, by its number in the trace.
    devices: BTreeMap<u32, u64>,
    seen: u64,
    discards: u64,
    without_data: u64,
}

impl<'a> Taken<'a> {
    fn new(query: &'a TraceQuery) -> Self {
        Self {
            query,
            ios: Vec::new(),
            devices: BTreeMap::new(),
            seen: 0,
            discards: 0,
            without_data: 0,
        }
    }

    /// Returns whether the part of the trace ends before `at`.
    fn is_over(&self, at: Nanos) -> bool {
        let end = |length: Nanos| self.query.from_ns.as_u64().saturating_add(length.as_u64());
        self.query
            .length_ns
            .is_some_and(|length| at.as_u64() >= end(length))
    }

    fn take(&mut self, io: &TracedIo) -> Result<(), TraceProblem> {
        self.seen += 1;
        if io.at < self.query.from_ns {
            return Ok(());
        }
        if io.action == Action::Discard {
            self.discards += 1;
            return Ok(());
        }
        *self.devices.entry(io.device.0).or_default() += 1;
        self.without_data += u64::from(io.action != Action::Flush && io.length_bytes == 0);
        for io in replayed_as(io) {
            self.add(io)?;
        }
        Ok(())
    }

    fn add(&mut self, io: ReplayedIo) -> Result<(), TraceProblem> {
        if self.ios.len() as u64 == ReplayedIo::COUNT_MAX {
            let most = ReplayedIo::COUNT_MAX;
            let message = format!("trace `{}` has more than {most} I/Os here", self.query.file);
            let at = self.ios.last().and_then(|io| io.at_ns).unwrap_or_default();
            let fit = at.as_u64().saturating_sub(self.query.from_ns.as_u64());
            let hint = format!(
                "take a part of it: `trace = {{ file = ..., from = ..., length = ... }}`; \
                 {} from here on fit",
                Nanos::new(fit)
            );
            return Err(problem(message, "the most of a replay", hint));
        }
        self.ios.push(io);
        Ok(())
    }

    /// Refuses I/Os of several devices, whose addresses mean different sectors.
    fn check_devices(&self, names: &[String]) -> Result<(), TraceProblem> {
        if self.devices.len() < 2 {
            return Ok(());
        }
        let mut devices: Vec<(&u32, &u64)> = self.devices.iter().collect();
        devices.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let listed = devices.iter().take(LISTED_MAX).map(|(number, count)| {
            let name = usize::try_from(**number)
                .ok()
                .and_then(|place| names.get(place));
            format!(
                "`{}` ({count} I/Os)",
                visible(name.map_or("?", String::as_str))
            )
        });
        let listed: Vec<String> = listed.collect();
        let message = format!(
            "trace `{}` has I/Os of {} devices: {}",
            self.query.file,
            devices.len(),
            listed.join(", ")
        );
        let hint = "choose one: `trace = { file = ..., device = ... }`";
        Err(problem(message, "which device?", hint))
    }

    /// Refuses a trace of whose device more is left out than taken: it would be another load.
    fn check_missing(&self, skipped: &Skipped) -> Result<(), TraceProblem> {
        // A part may be short, and its trace begins with ends of what was under way.
        if self.query.length_ns.is_some() {
            return Ok(());
        }
        let device = self.devices.keys().next().copied().map(DeviceId);
        let missing = match device {
            Some(device) => Missing::of(skipped, device, self.seen, u64::MAX),
            None => Missing::of_all(skipped).filter(|_| self.seen == 0),
        };
        match missing {
            Some(missing) => {
                let message = format!("trace `{}`: {}", self.query.file, visible(&missing.what));
                Err(problem(message, "too little of it is usable", missing.hint))
            }
            None => Ok(()),
        }
    }

    /// Refuses a trace of which too much cannot be used.
    fn check_damage(&self, skipped: &Skipped) -> Result<(), TraceProblem> {
        let edges = [SkipReason::NeverBegan, SkipReason::NeverEnded];
        let lost = skipped.iter().filter(|(why, _)| !edges.contains(why));
        let lost: Vec<(SkipReason, u64)> = lost.collect();
        let count: u64 = lost.iter().map(|(_, count)| count).sum();
        if count.saturating_mul(DAMAGED_OF) <= self.seen {
            return Ok(());
        }
        let reasons: Vec<String> = lost
            .iter()
            .map(|(why, count)| format!("{count} {}", words(*why)))
            .collect();
        let first = skipped.first_malformed.as_ref();
        let first = first.map(|(place, what)| format!("; the first at {place}: {}", visible(what)));
        let message = format!(
            "trace `{}` is damaged: {} I/Os, {}{}",
            self.query.file,
            self.seen,
            reasons.join(", "),
            first.unwrap_or_default()
        );
        let hint = format!("at most one in {DAMAGED_OF} records may be unusable; record it again");
        Err(problem(message, "too little of it is usable", hint))
    }

    fn finish(mut self, skipped: &Skipped) -> Result<Trace, TraceProblem> {
        let with_data = self.ios.iter().filter(|io| !io.flushes());
        let (Some(lowest), Some(largest)) = (
            with_data.clone().map(|io| io.offset_bytes).min(),
            with_data.map(|io| io.length_bytes).max(),
        ) else {
            return Err(self.no_ios());
        };
        self.move_addresses(lowest, largest)?;
        self.set_times();
        let count =
            |is: fn(&ReplayedIo) -> bool| self.ios.iter().filter(|io| is(io)).count() as u64;
        let (writes, flushes) = (count(ReplayedIo::writes), count(ReplayedIo::flushes));
        let reads = self.ios.len() as u64 - writes - flushes;
        let sha256 = checksum(&self.ios);
        let left_out = self.left_out(skipped);
        let replay = Replay {
            jobs: vec![self.ios],
            ..Replay::default()
        };
        let end = replay.end_bytes().as_u64();
        Ok(Trace {
            query: self.query.clone(),
            sha256,
            reads,
            writes,
            flushes,
            left_out,
            last_at_ns: replay.last_at(),
            largest_bytes: largest,
            size_bytes: Bytes::new(end.div_ceil(SIZE_BYTES).saturating_mul(SIZE_BYTES)),
            ios: TracedIos(Some(Arc::new(replay))),
        })
    }

    fn no_ios(&self) -> TraceProblem {
        let (seen, flushes, discards) = (self.seen, self.ios.len(), self.discards);
        let message = format!(
            "trace `{}` has no read or write here: {seen} I/Os in all, {flushes} flushes and \
             {discards} discards in the part",
            self.query.file
        );
        let hint = "check `device`, `from` and `length`";
        problem(message, "nothing to replay", hint)
    }

    /// Moves the lowest address to the beginning, and wraps the others.
    fn move_addresses(&mut self, lowest: Bytes, largest: Bytes) -> Result<(), TraceProblem> {
        let moved = lowest.as_u64() / MOVED_BYTES * MOVED_BYTES;
        let wrap = self.query.wrap_bytes;
        let wrap = wrap.map(|wrap| wrap.as_u64() / SECTOR_BYTES * SECTOR_BYTES);
        if wrap.is_some_and(|wrap| wrap < largest.as_u64()) {
            let message = format!("the largest I/O of the trace, {largest}, exceeds `wrap`");
            return Err(problem(message, "too small", "raise `wrap`"));
        }
        for io in self.ios.iter_mut().filter(|io| !io.flushes()) {
            let offset = io.offset_bytes.as_u64() - moved;
            let offset = match wrap {
                // An I/O does not cross the end.
                Some(wrap) => (offset % wrap).min(wrap - io.length_bytes.as_u64()),
                None => offset,
            };
            io.offset_bytes = Bytes::new(offset);
        }
        Ok(())
    }

    /// Counts the times from the first I/O, at the speed that was asked for, or drops them.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a time of days in ns is exact to a microsecond, and is never negative"
    )]
    fn set_times(&mut self) {
        let first = self.ios.first().and_then(|io| io.at_ns).unwrap_or_default();
        for io in &mut self.ios {
            let at = io.at_ns.unwrap_or_default().as_u64() - first.as_u64();
            io.at_ns = match self.query.timing {
                Timing::FlatOut => None,
                Timing::Kept if self.query.speed == 1.0 => Some(Nanos::new(at)),
                Timing::Kept => Some(Nanos::new((at as f64 / self.query.speed) as u64)),
            };
        }
    }

    fn left_out(&self, skipped: &Skipped) -> BTreeMap<String, u64> {
        let own = [
            ("discards", self.discards),
            ("I/Os without data", self.without_data),
        ];
        let own = own.into_iter().filter(|(_, count)| *count > 0);
        let own = own.map(|(what, count)| (what.to_owned(), count));
        let read = skipped.iter();
        own.chain(read.map(|(why, count)| (words(why).to_owned(), count)))
            .collect()
    }
}

/// Returns what a reason to skip a record is called, in the plural.
fn words(why: SkipReason) -> &'static str {
    match why {
        SkipReason::Malformed => "malformed records",
        SkipReason::Truncated => "truncated records",
        SkipReason::OutOfOrder => "records out of order",
        SkipReason::BeyondDevice => "records beyond the end of the device",
        SkipReason::NeverBegan => "completions without a beginning",
        SkipReason::NeverEnded => "I/Os without a completion",
        SkipReason::TooManyUnderWay => "I/Os beyond those that are followed",
        SkipReason::TooManyNames => "records of too many devices",
        SkipReason::Lost => "records lost by the tracer",
    }
}

fn checksum(ios: &[ReplayedIo]) -> String {
    let mut sha256 = Sha256::new();
    for io in ios {
        let action = match io.action {
            ReplayedAction::Read => 0_u8,
            ReplayedAction::Write => 1,
            ReplayedAction::Flush => 2,
            ReplayedAction::DurableWrite => 3,
        };
        sha256.update([action, u8::from(io.at_ns.is_some())]);
        let at = io.at_ns.unwrap_or_default();
        for number in [
            io.offset_bytes.as_u64(),
            io.length_bytes.as_u64(),
            at.as_u64(),
        ] {
            sha256.update(number.to_le_bytes());
        }
    }
    format!("{:x}", sha256.finalize())
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
