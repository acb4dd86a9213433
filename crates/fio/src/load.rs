//! Reads a load from the options in fio's JSON, with fio's defaults for missing ones.
//!
//! A value that a [`Load`] cannot express becomes the nearest one, with a note. The options that it
//! expresses exactly are listed, too: the others tell loads apart that look alike.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use stripewise_study::import_note::ImportNote;
use stripewise_study::keys::{FioOption, Key, Kind};
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::workload::{
    BlockSize, Data, Distribution, Engine, Load, Pattern, SplitPart, SyncMode,
};
use stripewise_units::fio::{
    KbBase, PerDirection, parse_flag, parse_size, parse_time, parse_whole_number,
};
use stripewise_units::{Bytes, Nanos};

use crate::report::{Job, Options};

/// The most sizes of a split that fio accepts (`BSSPLIT_MAX` in its `options.c`).
const SPLIT_PARTS_MAX: usize = 64;

/// A load, and the options that it expresses exactly.
#[derive(Debug)]
pub(crate) struct ReadLoad {
    pub load: Load,
    pub exact: BTreeSet<&'static str>,
}

/// Reads the load of one job.
///
/// # Errors
/// The pattern, if a load cannot express it.
pub(crate) fn read_load(
    options: &Options,
    notes: &mut Vec<ImportNote>,
) -> Result<ReadLoad, String> {
    let base = match options.get("kb_base").map(str::trim) {
        Some("1000") => KbBase::Decimal,
        _ => KbBase::Binary,
    };
    let mut reader = Reader {
        options,
        base,
        notes,
        // The entries of the job, or fio's sum of them, are counted.
        exact: BTreeSet::from(["numjobs"]),
    };
    let pattern = reader.pattern()?;
    let mut load = Load::new(pattern, Bytes::default(), Bytes::default());
    load.block_size = reader.block_size(pattern);
    load.read_percent = pattern.is_mixed().then(|| reader.read_percent());
    load.size_bytes = reader.size();
    load.direct = reader.direct();
    load.engine = reader.engine();
    load.sync = reader.sync();
    load.rate_bytes_per_s = reader.rate("rate", pattern, |text| parse_size(text, base));
    load.rate_iops = reader
        .rate("rate_iops", pattern, |text| {
            parse_whole_number(text).and_then(|number| u32::try_from(number).ok())
        })
        .and_then(NonZeroU32::new);
    load.distribution = reader.distribution();
    (load.think_time_ns, load.think_blocks) = reader.think_time();
    for key in LOAD_KEYS {
        if let Some(option) = key.fio.filter(|option| option.is_read_alike) {
            reader.plain(key, option, &mut load);
        }
    }
    load.data = reader.data(pattern, load.block_size.largest(), load.depth);
    let exact = reader.exact;
    Ok(ReadLoad { load, exact })
}

/// Returns the load of jobs without options, with direction and block size from the counts.
pub(crate) fn guess_load(jobs: &[&Job], notes: &mut Vec<ImportNote>) -> Load {
    let sum = |of: fn(&Job) -> u64| {
        jobs.iter()
            .fold(0_u64, |sum, job| sum.saturating_add(of(job)))
    };
    let (reads, writes) = (sum(|job| job.read.ios), sum(|job| job.write.ios));
    let bytes = sum(|job| {
        job.read
            .bytes
            .as_u64()
            .saturating_add(job.write.bytes.as_u64())
    });
    let ios = reads.saturating_add(writes);
    // Bytes may be rounded down to a KiB, so the block size may be slightly above the quotient.
    let block = bytes
        .checked_div(ios)
        .filter(|block| *block > 0)
        .unwrap_or(4096);
    let block = match block.checked_next_power_of_two() {
        Some(power) if power - block <= power / 64 => power,
        _ => block,
    };
    notes.push(ImportNote::OptionsUnknown);
    let pattern = match (reads > 0, writes > 0) {
        (true, true) => Pattern::Rw,
        (false, true) => Pattern::Write,
        (_, false) => Pattern::Read,
    };
    let percent = u128::from(reads) * 100 / u128::from(ios).max(1);
    Load {
        read_percent: pattern
            .is_mixed()
            .then(|| u8::try_from(percent).unwrap_or(50)),
        direct: false,
        ..Load::new(pattern, Bytes::new(block), Bytes::default())
    }
}

/// Reads options one by one and notes approximations.
struct Reader<'a> {
    options: &'a Options,
    base: KbBase,
    notes: &'a mut Vec<ImportNote>,
    /// The options that the load expresses exactly.
    exact: BTreeSet<&'static str>,
}

impl<'a> Reader<'a> {
    /// Notes that the load expresses an option exactly.
    fn exactly(&mut self, option: &'static str) {
        self.exact.insert(option);
    }

    /// Returns the first option of `names` that has a value, with its name.
    fn first_of(&self, names: &[&'static str]) -> Option<(&'static str, &'a str)> {
        self.options.named_first_of(names)
    }

    /// Notes an approximated value.
    fn note_approximated(&mut self, option: &'static str, value: &str, taken: impl ToString) {
        self.notes.push(ImportNote::Approximated {
            option: option.to_owned(),
            value: shortened(value),
            taken: taken.to_string(),
        });
    }

    /// Reads `rw`; fio's default is sequential reads.
    fn pattern(&mut self) -> Result<Pattern, String> {
        let Some((name, text)) = self.first_of(&["rw", "readwrite"]) else {
            return Ok(Pattern::Read);
        };
        let (word, modifier) = text.split_once(':').unwrap_or((text, ""));
        let pattern = match word.trim() {
            "read" => Pattern::Read,
            "write" => Pattern::Write,
            "randread" => Pattern::RandRead,
            "randwrite" => Pattern::RandWrite,
            "rw" | "readwrite" => Pattern::Rw,
            "randrw" => Pattern::RandRw,
            _ => return Err(shortened(text)),
        };
        match modifier.is_empty() {
            true => self.exactly(name),
            false => self.note_approximated("rw", text, pattern),
        }
        Ok(pattern)
    }

    /// Reads the percentage of reads; fio's default is 50.
    fn read_percent(&mut self) -> u8 {
        let percent = |text: &str| {
            parse_whole_number(text)
                .and_then(|number| u8::try_from(number).ok())
                .filter(|number| *number <= 100)
        };
        let found = self.first_of(&["rwmixread", "rwmixwrite"]);
        let Some((name, share)) = found.and_then(|(name, text)| Some((name, percent(text)?)))
        else {
            return 50;
        };
        self.exactly(name);
        match name {
            "rwmixwrite" => 100 - share,
            _ => share,
        }
    }

    /// Reads `bs`, `bssplit` or `bsrange`; fio's default is 4 KiB.
    fn block_size(&mut self, pattern: Pattern) -> BlockSize {
        let default = Bytes::new(4096);
        if let Some(text) = self.options.get("bssplit") {
            let part = self.of_direction("bssplit", text, pattern);
            if let Some(split) = part.and_then(|part| parse_split(part, self.base)) {
                self.exactly_unless_noted("bssplit");
                return split;
            }
            self.note_approximated("bssplit", text, default);
            return BlockSize::Fixed(default);
        }
        if let Some(text) = self.options.first_of(&["bsrange", "blocksize_range"]) {
            let sizes = text.split(['-', ',', ':']);
            let sizes: Option<BTreeSet<Bytes>> =
                sizes.map(|size| parse_size(size, self.base)).collect();
            let sizes = sizes.unwrap_or_default();
            let largest = sizes.last().copied().unwrap_or(default);
            // A range of one size is that size.
            match sizes.len() {
                1 => self.exactly("bsrange"),
                _ => self.note_approximated("bsrange", text, largest),
            }
            return BlockSize::Fixed(largest);
        }
        let Some((name, text)) = self.first_of(&["bs", "blocksize"]) else {
            return BlockSize::Fixed(default);
        };
        let size = match self.of_direction(name, text, pattern) {
            None => Some(default),
            Some(part) => parse_size(part, self.base).filter(|size| size.as_u64() > 0),
        };
        match size {
            Some(_) => self.exactly_unless_noted(name),
            None => self.note_approximated(name, text, default),
        }
        BlockSize::Fixed(size.unwrap_or(default))
    }

    /// Notes that the load expresses an option exactly, unless a note says that it does not.
    fn exactly_unless_noted(&mut self, name: &'static str) {
        let is_noted = self
            .notes
            .iter()
            .any(|note| matches!(note, ImportNote::Approximated { option, .. } if option == name));
        if !is_noted {
            self.exactly(name);
        }
    }

    /// Returns the value for the direction of the pattern; if a mixed pattern has two values, the
    /// one for reads, with a note.
    fn of_direction(
        &mut self,
        option: &'static str,
        text: &'a str,
        pattern: Pattern,
    ) -> Option<&'a str> {
        let parts = PerDirection::parse(text);
        if !pattern.is_mixed() {
            return if pattern.reads() {
                parts.read
            } else {
                parts.write
            };
        }
        if parts.read != parts.write {
            self.note_approximated(option, text, parts.read.or(parts.write).unwrap_or("-"));
        }
        parts.read.or(parts.write)
    }

    /// Reads the size of a job's file; fio's default is the size of the file or device.
    fn size(&mut self) -> Bytes {
        for name in ["size", "filesize", "file_size"] {
            let size = self
                .options
                .get(name)
                .and_then(|text| parse_size(text, self.base));
            if let Some(size) = size {
                self.exactly(name);
                return size;
            }
        }
        self.notes.push(ImportNote::SizeUnknown);
        Bytes::default()
    }

    /// Reads `direct`, or its opposite `buffered`; fio's default is buffered I/O.
    fn direct(&mut self) -> bool {
        let found = self.first_of(&["direct", "buffered"]);
        let Some((name, flag)) = found.and_then(|(name, text)| Some((name, parse_flag(text)?)))
        else {
            return false;
        };
        self.exactly(name);
        flag != (name == "buffered")
    }

    /// Reads the engine; fio's default on Linux is `psync`.
    fn engine(&mut self) -> Engine {
        let Some(text) = self.options.get("ioengine") else {
            return Engine::Psync;
        };
        let engine = match text.trim() {
            "psync" => Engine::Psync,
            "sync" => Engine::Sync,
            "libaio" => Engine::Libaio,
            "io_uring" => Engine::IoUring,
            "posixaio" => Engine::Posixaio,
            "io_uring_cmd" => {
                self.note_approximated("ioengine", text, Engine::IoUring);
                return Engine::IoUring;
            }
            _ => {
                self.note_approximated("ioengine", text, Engine::Psync);
                return Engine::Psync;
            }
        };
        self.exactly("ioengine");
        engine
    }

    /// Reads the content of the written buffers.
    fn data(&mut self, pattern: Pattern, block: Bytes, depth: u32) -> Data {
        let flag = |name: &str| self.options.get(name).and_then(parse_flag) == Some(true);
        let percentage = self
            .options
            .get("buffer_compress_percentage")
            .and_then(parse_whole_number);
        if let Some(percentage @ 1..=100) = percentage {
            self.exactly("buffer_compress_percentage");
            let random = 100 - u8::try_from(percentage).unwrap_or(100);
            return match random {
                0 => Data::Zeroes,
                random => Data::Ratio(100.0 / f64::from(random)),
            };
        }
        if flag("zero_buffers") {
            self.exactly("zero_buffers");
            return Data::Zeroes;
        }
        if let Some(pattern) = self.options.get("buffer_pattern") {
            self.note_approximated("buffer_pattern", pattern, Data::Zeroes);
            return Data::Zeroes;
        }
        // Reads see earlier data; nothing indicates that it compresses.
        if !pattern.writes() {
            return Data::Incompressible;
        }
        if flag("refill_buffers") {
            self.exactly("refill_buffers");
            return Data::Incompressible;
        }
        let ratio = default_buffer_ratio(block, depth);
        self.notes.push(ImportNote::DefaultBuffers { ratio });
        Data::Ratio(ratio)
    }

    /// Reads `sync`; fio's default is none.
    fn sync(&mut self) -> SyncMode {
        let Some(text) = self.options.get("sync") else {
            return SyncMode::None;
        };
        let mode = match text.trim() {
            "0" | "none" => SyncMode::None,
            "1" | "sync" | "" => SyncMode::Sync,
            "dsync" => SyncMode::Dsync,
            _ => {
                self.note_approximated("sync", text, SyncMode::None);
                return SyncMode::None;
            }
        };
        self.exactly("sync");
        mode
    }

    /// Reads a rate for the direction of the pattern; 0 is none.
    fn rate<T: PartialEq + Default>(
        &mut self,
        option: &'static str,
        pattern: Pattern,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.options.get(option)?;
        let part = self.of_direction(option, text, pattern)?;
        let rate = parse(part);
        match rate {
            Some(_) => self.exactly_unless_noted(option),
            None => self.notes.push(ImportNote::RateUnreadable {
                option: option.to_owned(),
                value: shortened(text),
            }),
        }
        rate.filter(|rate| *rate != T::default())
    }

    /// Reads the distribution of random offsets; fio's default is uniform.
    fn distribution(&mut self) -> Distribution {
        let Some(text) = self.options.get("random_distribution") else {
            return Distribution::Uniform;
        };
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let parameter = rest.split([':', '/']).next().unwrap_or_default();
        let parameter = parameter
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite() && *number > 0.0);
        let distribution = match (word.trim(), parameter) {
            ("random", _) => Distribution::Uniform,
            ("zipf", Some(theta)) => Distribution::Zipf(theta),
            ("pareto", Some(power)) => Distribution::Pareto(power),
            _ => {
                self.note_approximated("random_distribution", text, Distribution::Uniform);
                return Distribution::Uniform;
            }
        };
        // A centre, and values for other directions, are not expressed.
        if !rest.contains([':', '/', ',']) {
            self.exactly("random_distribution");
        }
        distribution
    }

    /// Reads the pause after each I/O, or after so many; a number without suffix is in us.
    fn think_time(&mut self) -> (Nanos, Option<NonZeroU32>) {
        let time = self
            .options
            .get("thinktime")
            .and_then(|text| parse_time(text, Nanos::new(1000)));
        if time.is_some() {
            self.exactly("thinktime");
        }
        let time = time.unwrap_or_default();
        let blocks = self.number("thinktime_blocks").and_then(NonZeroU32::new);
        let blocks = blocks.filter(|blocks| blocks.get() > 1 && time > Nanos::default());
        let by = self.options.get("thinktime_blocks_type");
        if blocks.is_some() && by.is_none_or(|by| by.trim() != "issue") {
            // fio counts completed I/Os then, and issues more until it sees them.
            self.note_approximated("thinktime_blocks_type", "complete", "issue");
        } else if blocks.is_some() {
            self.exactly("thinktime_blocks_type");
        }
        (time, blocks)
    }

    /// Reads a key from the option that has its values; a number of 0 is none.
    fn plain(&mut self, key: &'static Key<Load>, option: FioOption, load: &mut Load) {
        let Some((name, text)) = self.first_of(&[option.name]) else {
            return;
        };
        let value = match key.kind {
            Kind::Count => parse_whole_number(text).map(|number| number.to_string()),
            Kind::Bytes | Kind::Rate => parse_size(text, self.base).map(|size| size.to_string()),
            Kind::Time => parse_time(text, option.unit).map(|time| format!("{}ns", time.as_u64())),
            Kind::Flag => parse_flag(text).map(|flag| flag.to_string()),
            Kind::Words => Some(text.trim().to_owned()),
        };
        let is_none = matches!(value.as_deref(), Some("0" | "0ns"));
        if is_none || value.is_some_and(|value| (key.put)(load, &value)) {
            self.exactly(name);
        } else {
            let taken = (key.get)(load).map_or_else(|| "-".to_owned(), |value| value.text);
            self.note_approximated(name, text, taken);
        }
    }

    /// Reads a whole number that fits into 32 bits.
    fn number(&mut self, name: &'static str) -> Option<u32> {
        let number = self.options.get(name).and_then(parse_whole_number)?;
        let number = u32::try_from(number).ok()?;
        self.exactly(name);
        Some(number)
    }
}

/// Returns the value of an option, as long as a note can quote it.
fn shortened(value: &str) -> String {
    value.chars().take(80).collect()
}

/// Returns the compression ratio of fio's default buffers: one buffer, rewritten with a few bytes
/// changed.
///
/// Measured with LZ4 over 128 KiB of data written by fio 3.33: 4 KiB 5.9 times, 8 KiB 4.7, 16 KiB
/// 3.1, 64 KiB and more 1.05; at depth 32, with as many buffers, 1.2.
pub(crate) fn default_buffer_ratio(block: Bytes, depth: u32) -> f64 {
    let by_size = match block.as_u64() {
        0..=4096 => 5.9,
        4097..=8192 => 4.7,
        8193..65536 => 3.1,
        65536.. => 1.05,
    };
    if depth >= 32 {
        f64::min(by_size, 1.2)
    } else {
        by_size
    }
}

/// Reads `4k/60:64k/40`. Like fio, gives sizes without a share equal parts of the remainder.
fn parse_split(text: &str, base: KbBase) -> Option<BlockSize> {
    let mut parts: Vec<(Bytes, Option<u8>)> = Vec::new();
    for part in text.split(':').take(SPLIT_PARTS_MAX + 1) {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let share = match share.trim() {
            "" => None,
            share => Some(share.parse().ok()?),
        };
        parts.push((parse_size(size, base)?, share));
    }
    if parts.len() > SPLIT_PARTS_MAX {
        return None;
    }
    let given = parts.iter().try_fold(0_u8, |sum, part| {
        sum.checked_add(part.1.unwrap_or(0))
            .filter(|sum| *sum <= 100)
    })?;
    let open = u8::try_from(parts.iter().filter(|part| part.1.is_none()).count()).ok()?;
    let left = (100 - given).checked_div(open).unwrap_or(0);
    let mut split: Vec<SplitPart> = parts
        .into_iter()
        .map(|(size, share)| SplitPart {
            block_size_bytes: size,
            share_percent: share.unwrap_or(left),
        })
        .collect();
    // The last share gets the rounding remainder: the shares of a split sum to 100.
    let sum = split
        .iter()
        .fold(0_u8, |sum, part| sum + part.share_percent);
    let last = split.last_mut()?;
    last.share_percent += 100 - sum;
    Some(BlockSize::Split(split))
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
