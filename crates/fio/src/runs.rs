//! Tells the runs in a file from interim reports of one run.
//!
//! With `--status-interval` fio writes a document every so often, and each includes the earlier
//! ones: only the last counts. `fio ... >> all.json` adds the documents of further runs, and other
//! programs write lists of them: each counts.
//!
//! A document continues the one before if it has the same jobs, if no count is smaller, if its
//! latencies contain the earlier ones, and if its times fit: its jobs started at the same moment
//! (`job_start`, since fio 3.36), or fio did (`timestamp` less `elapsed`) and its jobs ran on in
//! between, and did no more I/Os than they can have in that time: hosts that measure at the same
//! moment have such times, too. If the times do not tell, we refuse the file: one run in two parts and
//! two runs are different measurements.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use stripewise_study::import_note::ImportNote;
use stripewise_study::sample::{Latency, VerbatimJob};
use stripewise_units::Nanos;
use stripewise_units::fio::parse_whole_number;

use crate::clients;
use crate::document::{self, Documents};
use crate::encoding;
use crate::errors;
use crate::parse::{self, INPUT_BYTES_MAX, ParseError, shortened};
use crate::program::printable;
use crate::raw::{LIMITS, RawDocument};
use crate::report::{FioReport, Job, JobTransfer, Options};
use crate::verbatim::{self, StatedDocument};

/// How far the start of fio may seem to move between two documents: `timestamp` and `elapsed` are
/// whole seconds.
const START_SLACK_NS: u64 = 2_000_000_000;

/// The shortest time between two reports of `--status-interval`; only the last comes sooner.
const INTERVAL_MIN_NS: u64 = 1_000_000_000;

/// The runs of a file.
#[derive(Debug)]
pub(crate) struct Runs {
    /// The last document of each run, in the file's order.
    pub reports: Vec<FioReport>,
    /// Notes about the whole file.
    pub notes: Vec<ImportNote>,
}

/// Parses all runs of a file; `with_stated` keeps all numbers, and checks that no host is missing.
///
/// # Errors
/// [`ParseError`], if any document cannot be read.
pub(crate) fn parse(bytes: &[u8], with_stated: bool) -> Result<Runs, ParseError> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(ParseError::TooLarge {
            size_bytes: bytes.len(),
            limit_bytes: INPUT_BYTES_MAX,
        });
    }
    let text: Cow<'_, str> = encoding::text(bytes);
    let mut reader = Reader {
        with_stated,
        ..Reader::default()
    };
    let parts = document::split(&text, &mut reader);
    let documents = reader.documents;
    let located = |error| match (documents, error) {
        (0 | 1, error) | (_, error @ ParseError::Ambiguous { .. }) => error,
        (number, error) => ParseError::InDocument {
            number,
            source: Box::new(error),
        },
    };
    if let Some(error) = reader.error {
        return Err(located(error));
    }
    reader.finish_run();
    if reader.reports.is_empty() {
        return Err(match parts.cut_short {
            0 => ParseError::NoDocument,
            _ => ParseError::CutShort,
        });
    }
    let is_whole = parts.cut_short == 0;
    if is_whole && parts.text.contains("\"jobname\"") {
        return Err(ParseError::Unread);
    }
    let notes = (!is_whole).then_some(ImportNote::CutShort);
    let messages = printable(&parts.text);
    let kept = shortened(&messages);
    let error_texts = errors::texts(&parts.text);
    if with_stated {
        clients::check(&reader.reports, &clients::Messages::of(&parts.text))?;
    }
    for report in &mut reader.reports {
        report.error_texts.clone_from(&error_texts);
        report.messages.clone_from(&kept);
    }
    Ok(Runs {
        reports: reader.reports,
        notes: notes.into_iter().collect(),
    })
}

/// Reads documents one by one, and keeps the last of each run.
#[derive(Default)]
struct Reader<'a> {
    with_stated: bool,
    reports: Vec<FioReport>,
    /// The last document so far of the run at the end of the file so far.
    last: Option<(FioReport, Cow<'a, str>)>,
    /// How many documents that run has.
    of_run: usize,
    /// How many documents there are in all.
    documents: usize,
    /// The first document that could not be read.
    error: Option<ParseError>,
}

impl<'a> Documents<'a> for Reader<'a> {
    /// Most files are one document without an error.
    fn take_first(&mut self, text: &'a str) -> Option<usize> {
        let mut documents = serde_json::Deserializer::from_str(text).into_iter();
        let raw: RawDocument = documents.next()?.ok().filter(RawDocument::is_fios)?;
        let length = documents.byte_offset();
        if self.error.is_none() {
            self.read(raw, Cow::Borrowed(&text[..length]));
        }
        Some(length)
    }

    fn take(&mut self, json: Cow<'a, str>) -> bool {
        if !document::is_report(&json) {
            return false;
        }
        if self.error.is_some() {
            return true;
        }
        let read = LIMITS.check(json.as_bytes()).map_err(ParseError::OverLimit);
        let read = read.and_then(|()| {
            serde_json::from_str(&json).map_err(|source| ParseError::NotFio { source })
        });
        let raw: RawDocument = match read {
            Ok(raw) => raw,
            Err(error) => {
                self.documents += 1;
                self.error = Some(error);
                return true;
            }
        };
        if raw.jobs.is_none() && raw.client_stats.is_none() {
            // The lists are further down: another program wrapped fio's documents.
            return false;
        }
        self.read(raw, json);
        true
    }
}

impl<'a> Reader<'a> {
    fn read(&mut self, raw: RawDocument, json: Cow<'a, str>) {
        self.documents += 1;
        if let Err(error) = parse::report(raw).and_then(|report| self.add(report, json)) {
            self.error = Some(error);
        }
    }

    fn add(&mut self, report: FioReport, json: Cow<'a, str>) -> Result<(), ParseError> {
        let continues = match &self.last {
            None => Some(true),
            Some((before, _)) => continues(before, &report),
        };
        let second = self.documents;
        if !continues.ok_or(ParseError::Ambiguous { second })? {
            self.finish_run();
        }
        self.of_run += 1;
        self.last = Some((report, json));
        Ok(())
    }

    /// Keeps the last document of the run at the end.
    fn finish_run(&mut self) {
        let count = std::mem::take(&mut self.of_run);
        let Some((mut report, json)) = self.last.take() else {
            return;
        };
        if self.with_stated {
            let stated = verbatim::read(&json);
            report.digest = digest(&report, &stated);
            report.add_stated(stated);
        }
        if count > 1 {
            let note = ImportNote::SeveralDocuments { count };
            report.notes.insert(0, note);
        }
        self.reports.push(report);
    }
}

/// Returns a digest of when a document was written, and of its options, numbers and texts in any
/// order: equal for a document that another program wrote again, as `jq .` and `python -m json.tool`
/// do. Others are equal only by chance. Zeros are left out: fio has a key several times for some of
/// them (`0.00` of percentiles), and other programs once.
fn digest(report: &FioReport, stated: &StatedDocument) -> u64 {
    let entry = |path: &str, value: u64| mix(digest_of(path.as_bytes()), value);
    let text = |path: &str, text: &str| entry(path, digest_of(text.as_bytes()));
    let stated_entries = |job: &VerbatimJob| {
        let numbers = job.numbers.iter().filter(|(_, number)| *number != 0.0);
        let numbers = numbers.map(|(path, number)| entry(path, number.to_bits()));
        let texts = job.texts.iter().map(|(path, of_path)| text(path, of_path));
        numbers.chain(texts).fold(0, u64::wrapping_add)
    };
    let global = report.jobs.first().map(|job| &job.options);
    let global = global.into_iter().flat_map(Options::global);
    let global = global.fold(0, |sum: u64, (name, value)| {
        sum.wrapping_add(text(name, value))
    });
    let own = report.jobs.iter().map(|job| {
        let own = job.options.own().map(|(name, value)| text(name, value));
        own.fold(0, u64::wrapping_add)
    });
    let options = own.chain([global]);
    let jobs = stated
        .jobs
        .iter()
        .chain(&stated.client_stats)
        .chain(&stated.disks);
    let times = [report.written_unix_ns, report.elapsed_s].map(|time| time.unwrap_or(u64::MAX));
    jobs.map(stated_entries)
        .chain(options)
        .chain(times)
        .fold(FACTOR, mix)
}

/// Odd, with as many ones as zeros: the golden ratio times 2^64.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A multiplication and a rotation of 64 bits.
fn mix(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

/// Returns a digest of bytes, eight at a time.
fn digest_of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().map(|word| u64::from_le_bytes(*word));
    let sum = sum.fold(FACTOR, mix);
    let sum = rest
        .iter()
        .fold(sum, |sum, byte| mix(sum, u64::from(*byte)));
    mix(sum, u64::try_from(bytes.len()).unwrap_or(u64::MAX))
}

/// Returns whether `next` is a later report of the same run as `before`; `None` if their times
/// do not show it.
fn continues(before: &FioReport, next: &FioReport) -> Option<bool> {
    let pairs = || before.jobs.iter().zip(&next.jobs);
    let is_later = before.version == next.version
        && before.jobs.len() == next.jobs.len()
        && before.written_unix_ns <= next.written_unix_ns
        && before.elapsed_s <= next.elapsed_s
        && pairs().all(|(before, next)| may_continue(before, next));
    if !is_later {
        return Some(false);
    }
    let starts: BTreeSet<bool> = pairs()
        .filter_map(|(before, next)| Some(before.started_unix_ns? == next.started_unix_ns?))
        .collect();
    if let Some(is_same) = starts.first() {
        return Some(*is_same);
    }
    let written = [before.written_unix_ns, next.written_unix_ns];
    let [Some(written_before), Some(written_next)] = written else {
        return None;
    };
    let passed_ns = written_next - written_before;
    if let (Some(elapsed_before), Some(elapsed_next)) = (before.elapsed_s, next.elapsed_s) {
        let elapsed_ns = (elapsed_next - elapsed_before).saturating_mul(1_000_000_000);
        if passed_ns.abs_diff(elapsed_ns) > START_SLACK_NS {
            return Some(false);
        }
    }
    // A job that waits for others (`stonewall`) has a run time, which starts again with the job.
    let ran = |job: &Job| match has_begun(job) {
        true => job.run_time_ns.unwrap_or_else(|| job.elapsed_ns()),
        false => Nanos::default(),
    };
    let ran_ns = pairs()
        .map(|(before, next)| ran(next).as_u64().saturating_sub(ran(before).as_u64()))
        .max();
    let ran_on = ran_ns.unwrap_or_default() >= passed_ns / 2;
    let had_begun = before.jobs.iter().any(|job| ran(job) > Nanos::default());
    let jump = pairs().any(|(before, next)| is_jump(before, next));
    match ran_on || !had_begun {
        true if jump && passed_ns < INTERVAL_MIN_NS => None,
        true => Some(true),
        // fio ran no longer in between than a new run would have.
        false if before.elapsed_s.is_none() => Some(false),
        // As a run on another host that ended a little later.
        false if jump => None,
        false if is_past_slack(before) => Some(true),
        false => None,
    }
}

/// Returns whether fio had run for so long that the start of another run would be a later one.
fn is_past_slack(report: &FioReport) -> bool {
    let elapsed_ns = report
        .elapsed_s
        .unwrap_or_default()
        .saturating_mul(1_000_000_000);
    elapsed_ns > 2 * START_SLACK_NS
}

/// Returns whether a job has done anything that fio counts.
fn has_begun(job: &Job) -> bool {
    let transfers = [Some(&job.read), Some(&job.write), job.mixed.as_deref()];
    let has_ios = transfers.into_iter().flatten().any(|one| one.ios > 0);
    has_ios || job.trims > 0 || job.sync.latency.count > 0
}

/// Returns whether a job did more I/Os between two reports than fit into the time that it ran: twice
/// its rate until then, and what it may have had in flight.
fn is_jump(before: &Job, next: &Job) -> bool {
    let ios = |job: &Job| {
        let mixed = job.mixed.as_ref().map_or(0, |mixed| mixed.ios);
        u128::from(job.read.ios) + u128::from(job.write.ios) + u128::from(mixed)
    };
    let ran = |job: &Job| job.run_time_ns.unwrap_or_else(|| job.elapsed_ns()).as_u64();
    let count = |name| {
        let count = before.options.get(name).and_then(parse_whole_number);
        u128::from(count.unwrap_or(1))
    };
    if ios(before) == 0 || ran(before) == 0 {
        return false;
    }
    // fio counts whole milliseconds.
    let longer_ns = ran(next).saturating_sub(ran(before)) + 2_000_000;
    let at_most = ios(before) * u128::from(longer_ns) * 2 / u128::from(ran(before));
    let in_flight = count("iodepth").saturating_mul(count("numjobs"));
    ios(next).saturating_sub(ios(before)) > at_most.saturating_add(in_flight) + 16
}

/// Returns whether `next` may be `before` with more latencies: the shortest is no longer, the longest
/// no shorter, and no bin has fewer.
fn may_extend(before: &Latency, next: &Latency) -> bool {
    if before.count == 0 {
        return true;
    }
    let bins = || before.histogram.bins().iter();
    let more: BTreeMap<Nanos, u64> = next.histogram.bins().iter().copied().collect();
    before.min_ns >= next.min_ns
        && before.max_ns <= next.max_ns
        && bins().all(|(bin, count)| more.get(bin).is_some_and(|more| more >= count))
}

/// Returns whether `next` may be a later state of the job `before`.
fn may_continue(before: &Job, next: &Job) -> bool {
    let transfer = |before: &JobTransfer, next: &JobTransfer| {
        before.ios <= next.ios
            && before.bytes <= next.bytes
            && before.elapsed_ns <= next.elapsed_ns
            && may_extend(&before.latency.latency, &next.latency.latency)
    };
    let mixed = match (&before.mixed, &next.mixed) {
        (Some(before), Some(next)) => transfer(before, next),
        (before, next) => before.is_none() == next.is_none(),
    };
    before.name == next.name
        && before.host == next.host
        && before.group == next.group
        && before.options == next.options
        && (before.error == 0 || before.error == next.error)
        && (before.run_time_ns <= next.run_time_ns || !has_begun(before))
        && before.trims <= next.trims
        && transfer(&before.read, &next.read)
        && transfer(&before.write, &next.write)
        && mixed
}
