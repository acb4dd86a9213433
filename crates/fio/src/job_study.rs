//! Turns a job file of fio into the text of a study.
//!
//! Each job becomes a workload; jobs of one group run beside one another, so each has the others as
//! neighbours. Jobs that are alike are one load with several `jobs`. An option is in one of three
//! classes:
//!
//! - a key says the same (`read_load` reads it exactly);
//! - a study has its own way for it, and the measurement stays the same (`OWN_WAYS`);
//! - all others change the load, or may: no study says them, and [`OptionNote::changes_load`] is set.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use stripewise_study::import_note::ImportNote;
use stripewise_study::keys::{Key, distinct_name, plain_name, quoted};
use stripewise_study::load::{LOAD_KEYS, Load, SIZE_BYTES_MAX};
use stripewise_study::plan::{Repeat, SAMPLE_NS_MAX, SAMPLE_NS_MIN};
use stripewise_study::workload::BlockSize;
use stripewise_units::fio::{parse_flag, parse_time, parse_whole_number};
use stripewise_units::{Bytes, Nanos};

use crate::job_text::{JobTextError, TextJob, parse_jobs};
use crate::load::read_load;
use crate::report::Options;

/// The size of a job's file if the job names none.
const SIZE_DEFAULT: Bytes = Bytes::new(1 << 30);
/// The longest name of a workload.
const NAME_LEN_MAX: usize = 48;

/// A reason without values: its key, and its words.
type Plain = (&'static str, &'static str);

const LENGTH: Plain = (
    "length",
    "a sample takes as long as `sample` in `[repeat]` says",
);
const SEED: Plain = ("seed", "each sample has a seed of its own");
const RECORD: Plain = (
    "record",
    "every sample records counts, latencies and a series",
);
const FILES: Plain = (
    "files",
    "test files are written before the first sample, one for each job",
);
const WARM_UP: Plain = (
    "warm-up",
    "the first sample of each cell warms it up, and does not count",
);
const BUFFERS: Plain = ("buffers", "`data` says what the buffers hold");
const VERIFIED: Plain = (
    "verified",
    "`verify` reads all written blocks back after a sample",
);
const FAILS: Plain = ("fails", "a sample with an error does not count");
const TOGETHER: Plain = (
    "together",
    "jobs of a group run together, each job is a thread, and alike ones are counted together",
);
const PLACE: Plain = ("place", "`--target DIR` names the directory");
const NAMES: Plain = ("names", "a name changes no load");

/// Options that a study has its own way for, by that way.
const OWN_WAYS: [(Plain, &[&str]); 11] = [
    (
        LENGTH,
        &[
            "runtime",
            "time_based",
            "io_size",
            "number_ios",
            "loops",
            "exitall",
            "exitall_on_error",
            "exit_what",
            "end_fsync",
            "fsync_on_close",
        ],
    ),
    (
        SEED,
        &["randseed", "randrepeat", "random_generator", "use_os_rand"],
    ),
    (
        RECORD,
        &[
            "write_bw_log",
            "write_lat_log",
            "write_iops_log",
            "write_hist_log",
            "write_iolog",
            "log_avg_msec",
            "log_hist_msec",
            "log_hist_coarseness",
            "log_window_value",
            "log_offset",
            "log_prio",
            "log_issue_time",
            "log_unix_epoch",
            "log_alternate_epoch",
            "log_compression",
            "log_store_compressed",
            "per_job_logs",
            "bwavgtime",
            "iopsavgtime",
            "percentile_list",
            "clat_percentiles",
            "lat_percentiles",
            "slat_percentiles",
            "significant_figures",
            "disable_lat",
            "disable_clat",
            "disable_slat",
            "disable_bw_measurement",
            "gtod_reduce",
            "clocksource",
            "disk_util",
            "unified_rw_reporting",
            "stats",
        ],
    ),
    (
        FILES,
        &[
            "fallocate",
            "overwrite",
            "allow_file_create",
            "create_serialize",
            "create_on_open",
            "create_fsync",
            "unlink",
            "unlink_each_loop",
        ],
    ),
    (
        WARM_UP,
        &[
            "ramp_time",
            "steadystate",
            "steadystate_duration",
            "steadystate_ramp_time",
            "steadystate_check_interval",
        ],
    ),
    (
        BUFFERS,
        &[
            "refill_buffers",
            "scramble_buffers",
            "buffer_compress_chunk",
        ],
    ),
    (
        VERIFIED,
        &[
            "verify",
            "do_verify",
            "verify_fatal",
            "verify_dump",
            "verify_async",
            "verify_interval",
            "verify_state_save",
        ],
    ),
    (
        FAILS,
        &[
            "continue_on_error",
            "ignore_error",
            "error_dump",
            "rate_min",
            "rate_iops_min",
        ],
    ),
    (
        TOGETHER,
        &["thread", "group_reporting", "new_group", "stonewall"],
    ),
    (PLACE, &["directory"]),
    (NAMES, &["name", "description", "kb_base", "unit_base"]),
];

/// Values of other options that have no effect.
const NO_EFFECT: [(&str, &str); 10] = [
    ("invalidate", "1"),
    ("startdelay", "0"),
    ("nrfiles", "1"),
    ("offset", "0"),
    ("offset_increment", "0"),
    ("iodepth_batch", "1"),
    ("verify", "0"),
    ("zero_buffers", "0"),
    ("bs_unaligned", "0"),
    ("thinktime_blocks", "1"),
];

/// Why an option is left out, or what the study has instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// Its key, by which other languages have their words: `study-job-why-KEY`.
    pub key: &'static str,
    /// The values in it, by their names.
    pub values: Vec<(&'static str, String)>,
    /// Its words in English.
    pub words: String,
}

impl Why {
    fn new(key: &'static str, words: &str) -> Self {
        Self {
            key,
            values: Vec::new(),
            words: words.to_owned(),
        }
    }

    /// Returns the same with a value in place of `{name}`.
    fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        let value = value.to_string();
        self.words = self.words.replace(&format!("{{{name}}}"), &value);
        self.values.push((name, value));
        self
    }
}

impl From<Plain> for Why {
    fn from((key, words): Plain) -> Self {
        Self::new(key, words)
    }
}

/// An option of a job that no key of the study says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionNote {
    /// The jobs that have it, separated by commas; empty for all.
    pub jobs: String,
    /// The option with its value: `startdelay=5`; empty for what fio does without any.
    pub option: String,
    /// Why it is left out, or what the study has instead.
    pub why: Why,
    /// Whether the study's load is another one without it.
    pub changes_load: bool,
}

/// A job file as a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStudy {
    /// The text of the study, with the notes as comments.
    pub text: String,
    /// The options that it does not say, those first that change a load.
    pub notes: Vec<OptionNote>,
}

/// A job file cannot become a study.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobStudyError {
    /// It cannot be read.
    #[error(transparent)]
    Text(#[from] JobTextError),
    /// No job of it has a counterpart.
    #[error("no job of it is a load of reads and writes: {reasons}")]
    NoLoad {
        /// Why each is none.
        reasons: String,
    },
}

/// Returns the study of a job file that is called `name`; `variable` returns those of the environment.
///
/// # Errors
/// [`JobStudyError`] if it cannot be read, or has no load.
pub fn job_study(
    name: &str,
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<JobStudy, JobStudyError> {
    let jobs = parse_jobs(text, variable)?;
    let mut notes = Notes::default();
    let groups = groups(&jobs, &mut notes);
    if groups.iter().flatten().all(|job| !job.is_measured) {
        let reasons: Vec<String> = notes
            .all
            .iter()
            .filter(|note| note.changes_load)
            .map(|note| format!("`{}` ({})", note.option, note.why.words))
            .collect();
        return Err(JobStudyError::NoLoad {
            reasons: reasons.join(", "),
        });
    }
    let cpus = cpus(&jobs, &mut notes);
    let sample = sample(&jobs, &mut notes);
    let notes = notes.finish(jobs.len());
    let asked = one_line(name);
    let mut study = format!("# The jobs of `{asked}`, as a study.\n");
    for note in &notes {
        let _ = writeln!(study, "# {}", one_line(&note.to_string()));
    }
    let _ = writeln!(
        study,
        "question = {}\n\n[stack.here]",
        quoted(&format!("What do the jobs of {asked} give here?"))
    );
    let count = write_loads(&mut study, &groups);
    if let Some(cpus) = cpus {
        let cpus = quoted(&cpus);
        let _ = writeln!(study, "\n[conditions]\ncpus = {cpus}");
    }
    let _ = writeln!(study, "\n[repeat]\nsample = \"{sample}\"");
    let repeat = Repeat::default();
    // The budget has room for the fewest samples of each cell, and its warm-up.
    let needed = sample
        .as_u64()
        .saturating_mul(u64::from(repeat.at_least) + 1)
        .saturating_mul(count);
    if needed > repeat.budget_ns.as_u64() {
        let minutes = needed.div_ceil(60_000_000_000);
        let _ = writeln!(study, "budget = \"{minutes}m\"");
    }
    Ok(JobStudy { text: study, notes })
}

impl std::fmt::Display for OptionNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let jobs = match self.jobs.as_str() {
            "" => String::new(),
            jobs => format!(" of {jobs}"),
        };
        match self.option.as_str() {
            "" => write!(f, "{}{jobs}", self.why.words),
            option => write!(f, "`{option}`{jobs}: {}", self.why.words),
        }
    }
}

/// Returns a text without line breaks and control characters, for a comment.
fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(plain).collect()
}

/// A load of a group, with the jobs that are it.
#[derive(Debug, PartialEq)]
struct GroupLoad {
    /// The name for a table of the study.
    name: String,
    load: Load,
    /// Whether fio reports it; otherwise it is beside the others only (`stats=0`).
    is_measured: bool,
    /// The options that no key says: jobs that differ in them are not alike.
    others: Vec<String>,
}

/// Returns the loads of each group of jobs.
fn groups(jobs: &[TextJob], notes: &mut Notes) -> Vec<Vec<GroupLoad>> {
    let mut groups: Vec<Vec<GroupLoad>> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for job in jobs {
        if job.begins_group || groups.is_empty() {
            groups.push(Vec::new());
        }
        let Some(mut found) = group_load(job, notes) else {
            continue;
        };
        let group = groups.last_mut().expect("a group was just made");
        let is_alike = |other: &&mut GroupLoad| {
            let load = Load {
                jobs: other.load.jobs,
                ..found.load.clone()
            };
            load == other.load
                && found.others == other.others
                && found.is_measured == other.is_measured
        };
        if let Some(alike) = group.iter_mut().find(is_alike) {
            alike.load.jobs = alike.load.jobs.saturating_add(found.load.jobs);
            continue;
        }
        found.name = distinct(&job.name, &names);
        names.push(found.name.clone());
        group.push(found);
    }
    shared_files(jobs, notes);
    groups
}

/// Returns a name that a table of a study can have, and that no other has.
fn distinct(name: &str, taken: &[String]) -> String {
    let plain = plain_name(name, NAME_LEN_MAX);
    // Our own files number the jobs of a load.
    let load = plain.strip_suffix("-main-0").unwrap_or(&plain);
    distinct_name(if load.is_empty() { "job" } else { load }, taken)
}

/// Returns the load of a job, and notes what it does not say; `None` if it has no counterpart.
fn group_load(job: &TextJob, notes: &mut Notes) -> Option<GroupLoad> {
    let mut of_load = Vec::new();
    let read = match read_load(&job.options, &mut of_load) {
        Ok(read) => read,
        Err(pattern) => {
            notes.add(
                job,
                &format!("rw={pattern}"),
                Why::new("pattern", "a study has reads and writes only"),
                true,
            );
            return None;
        }
    };
    let mut load = read.load;
    if let Some(jobs) = job.options.get("numjobs") {
        match parse_whole_number(jobs).map(u32::try_from) {
            Some(Ok(jobs)) => load.jobs = jobs.max(1),
            _ => notes.add(
                job,
                &format!("numjobs={jobs}"),
                Why::new("no-number", "it is no number"),
                true,
            ),
        }
    }
    if load.depth > 1 && load.engine.is_synchronous() {
        let option = format!("iodepth={}", load.depth);
        let why = Why::new(
            "one-in-flight",
            "`{engine}` keeps one I/O in flight, as here",
        );
        notes.add(job, &option, why.with("engine", load.engine), false);
        load.depth = 1;
    }
    if load.size_bytes == Bytes::default() || load.size_bytes > SIZE_BYTES_MAX {
        let size = job.options.first_of(&["size", "filesize"]);
        let option = size.map_or("size".to_owned(), |size| format!("size={size}"));
        let why = Why::new(
            "size",
            "fio takes the size of the file or device; here it is {size}",
        );
        notes.add(job, &option, why.with("size", SIZE_DEFAULT), true);
        load.size_bytes = SIZE_DEFAULT;
    }
    load.verify = is_verified(job, &load, notes);
    let others = left_over(job, (&load, &read.exact), &of_load, notes);
    let is_counted = job.options.get("stats").and_then(parse_flag);
    Some(GroupLoad {
        name: String::new(),
        load,
        is_measured: is_counted != Some(false),
        others,
    })
}

/// Returns whether a study verifies the writes of a job as fio would.
fn is_verified(job: &TextJob, load: &Load, notes: &mut Notes) -> bool {
    let Some(word) = job.options.get("verify") else {
        return false;
    };
    if ["0", "none"].contains(&word) {
        return false;
    }
    let can_be = load.pattern.writes()
        && matches!(load.block_size, BlockSize::Fixed(_))
        && !load.data.is_compressible();
    if !can_be {
        let why = Why::new(
            "verifies",
            "a study verifies writes of one block size with incompressible data only",
        );
        notes.add(job, &format!("verify={word}"), why, true);
    }
    can_be
}

/// Notes the options of a job that its load does not express; returns those that may change it.
fn left_over(
    job: &TextJob,
    (load, exact): (&Load, &BTreeSet<&'static str>),
    of_load: &[ImportNote],
    notes: &mut Notes,
) -> Vec<String> {
    let mut others = Vec::new();
    for (name, value) in job.options.own() {
        let is_none = NO_EFFECT.contains(&(name, value));
        // Read with the jobs of the whole file.
        let is_shared = ["cpus_allowed", "filename"].contains(&name);
        let is_noted =
            name == "numjobs" || (["size", "filesize"].contains(&name) && !exact.contains(name));
        let is_idle_map = name == "norandommap" && load.norandommap && !load.has_random_map();
        if exact.contains(name) && !is_idle_map || is_none || is_shared || is_noted {
            continue;
        }
        let option = match value {
            "" => name.to_owned(),
            value => format!("{name}={value}"),
        };
        if name == "verify" && !load.verify {
            // `is_verified` said why.
            others.push(option);
            continue;
        }
        if let Some(why) = without_effect(name, load, &job.options) {
            notes.add(job, &option, why, false);
            continue;
        }
        let own = OWN_WAYS.iter().find(|(_, names)| names.contains(&name));
        if let Some((why, _)) = own {
            notes.add(job, &option, *why, false);
            continue;
        }
        let taken = of_load.iter().find_map(|note| match note {
            ImportNote::Approximated { option, taken, .. } if option == name => Some(taken),
            _ => None,
        });
        let why = match taken {
            Some(taken) => {
                let why = Why::new("inexact", "no key says it exactly; here it is {taken}");
                why.with("taken", taken)
            }
            None => Why::new("no-key", "no key of a study says it"),
        };
        notes.add(job, &option, why, true);
        others.push(option);
    }
    if let Some(ratio) = of_load.iter().find_map(|note| match note {
        ImportNote::DefaultBuffers { ratio } => Some(ratio),
        _ => None,
    }) {
        let why = Why::new(
            "own-buffers",
            "fio's own buffers compress about {ratio} times, and so do those of the study",
        );
        notes.add(job, "", why.with("ratio", ratio), false);
    }
    others
}

/// Returns why an option has no effect on a load; `None` if it has one.
fn without_effect(option: &str, load: &Load, options: &Options) -> Option<Why> {
    if is_idle(option, load) {
        let why = Why::new("idle", "it has no effect on `{pattern}`");
        return Some(why.with("pattern", load.pattern));
    }
    match option {
        "norandommap" => Some(Why::new(
            "draws-anyway",
            "loads of several block sizes and skewed ones draw so anyway",
        ))
        .filter(|_| !load.has_random_map()),
        // fio's `fixup_options` takes `bs` only where nothing set the least and the most.
        "bs" | "blocksize" => {
            let others = ["bssplit", "bsrange", "blocksize_range"];
            let other = others
                .into_iter()
                .find(|name| options.get(name).is_some())?;
            let why = Why::new("other-size", "fio takes `{option}` instead");
            Some(why.with("option", other))
        }
        _ => None,
    }
}

/// Returns whether an option is about another pattern: the share of reads of a load that only reads.
fn is_idle(option: &str, load: &Load) -> bool {
    // Options that are in no row, by their key.
    const OTHERS: [(&str, &str); 2] = [
        ("rwmixwrite", "mix"),
        ("random_distribution", "distribution"),
    ];
    let other = OTHERS.iter().find(|(name, _)| *name == option);
    let is_it = |row: &Key<Load>| {
        let of_fio = row.fio.is_some_and(|fio| fio.name == option);
        of_fio || other.is_some_and(|(_, key)| *key == row.name)
    };
    let row = LOAD_KEYS.iter().find(|row| is_it(row));
    row.is_some_and(|row| !row.acts_on(load.pattern))
}

/// Notes devices, and files that several jobs of a group share: in a study each job has a file of its own.
/// Groups run one after the other, so a file of several is no other load.
fn shared_files(jobs: &[TextJob], notes: &mut Notes) {
    let mut users: BTreeMap<(usize, &str), u64> = BTreeMap::new();
    let file = |job: &TextJob| job.options.get("filename").map(str::to_owned);
    let groups = jobs.iter().scan(0_usize, |group, job| {
        *group += usize::from(job.begins_group);
        Some(*group)
    });
    let groups: Vec<usize> = groups.collect();
    for (job, group) in jobs.iter().zip(&groups) {
        if let Some(files) = job.options.get("filename") {
            let count = job.options.get("numjobs").and_then(parse_whole_number);
            *users.entry((*group, files)).or_default() += count.unwrap_or(1);
        }
    }
    for (job, group) in jobs.iter().zip(&groups) {
        let Some(files) = file(job) else { continue };
        let option = format!("filename={files}");
        if files.split(':').any(|file| file.starts_with("/dev/")) {
            let why = "it is a device: the study measures the filesystem under `--target DIR`; devices to overwrite stand under `[may_destroy]`";
            notes.add(job, &option, Why::new("device", why), true);
        } else if files.contains(':') {
            let why = Why::new("one-file", "here each job has one file");
            notes.add(job, &option, why, true);
        } else if users
            .get(&(*group, files.as_str()))
            .is_some_and(|count| *count > 1)
        {
            notes.add(
                job,
                &option,
                Why::new("shared", "jobs share the file; here each job has its own"),
                true,
            );
        } else {
            notes.add(job, &option, FILES, false);
        }
    }
}

/// Returns the CPUs of all jobs, if they are the same.
fn cpus(jobs: &[TextJob], notes: &mut Notes) -> Option<String> {
    let of = |job: &TextJob| job.options.get("cpus_allowed").map(str::to_owned);
    let first = of(jobs.first()?);
    if jobs.iter().all(|job| of(job) == first) {
        return first;
    }
    for job in jobs {
        if let Some(cpus) = of(job) {
            let why = Why::new(
                "cpus",
                "`cpus` in `[conditions]` holds for all loads, and the jobs differ",
            );
            notes.add(job, &format!("cpus_allowed={cpus}"), why, true);
        }
    }
    None
}

/// Returns the length of a sample: the longest `runtime` of a job.
fn sample(jobs: &[TextJob], notes: &mut Notes) -> Nanos {
    let second = Nanos::from_millis(1_000);
    let runtime = |job: &TextJob| parse_time(job.options.get("runtime")?, second);
    let longest = jobs.iter().filter_map(runtime).max();
    let asked = longest.unwrap_or(Repeat::default().sample_ns);
    let sample = asked.clamp(SAMPLE_NS_MIN, SAMPLE_NS_MAX);
    for job in jobs {
        // What the sample is as long as is said, and needs no note.
        if runtime(job) == Some(sample) {
            notes.forget(job, "runtime");
        }
    }
    sample
}

/// Writes the workloads and their neighbours; returns how many workloads there are.
fn write_loads(study: &mut String, groups: &[Vec<GroupLoad>]) -> u64 {
    let mut count = 0;
    for group in groups {
        for measured in group.iter().filter(|load| load.is_measured) {
            count += 1;
            let _ = write!(
                study,
                "\n[workload.{}]\n{}",
                measured.name,
                measured.load.toml()
            );
            if measured.load.verify {
                study.push_str("verify = true\n");
            }
            let beside = group.iter().filter(|load| load.name != measured.name);
            let beside: Vec<String> = beside.map(|load| format!("\"{}\"", load.name)).collect();
            if !beside.is_empty() {
                let _ = writeln!(study, "neighbours = [{}]", beside.join(", "));
            }
        }
        if group.len() > 1 {
            for load in group {
                let _ = write!(study, "\n[neighbour.{}]\n{}", load.name, load.load.toml());
            }
        }
    }
    count
}

/// Notes, each with the jobs that have it.
#[derive(Debug, Default)]
struct Notes {
    all: Vec<OptionNote>,
    /// The jobs of each note.
    jobs: Vec<Vec<String>>,
}

impl Notes {
    fn add(&mut self, job: &TextJob, option: &str, why: impl Into<Why>, changes_load: bool) {
        let why = why.into();
        let is_same = |note: &OptionNote| note.option == option && note.why == why;
        let place = self.all.iter().position(is_same).unwrap_or_else(|| {
            self.all.push(OptionNote {
                jobs: String::new(),
                option: option.to_owned(),
                why: why.clone(),
                changes_load,
            });
            self.jobs.push(Vec::new());
            self.all.len() - 1
        });
        if !self.jobs[place].contains(&job.name) {
            self.jobs[place].push(job.name.clone());
        }
    }

    /// Takes a note of a job back.
    fn forget(&mut self, job: &TextJob, option: &str) {
        let starts = |text: &str| text.split('=').next() == Some(option);
        for (note, jobs) in self.all.iter().zip(&mut self.jobs) {
            if starts(&note.option) {
                jobs.retain(|name| *name != job.name);
            }
        }
    }

    /// Returns the notes, those first that change a load; notes about all jobs name none.
    fn finish(self, jobs: usize) -> Vec<OptionNote> {
        let all = self.all.into_iter().zip(self.jobs);
        let kept = all.filter(|(_, of)| !of.is_empty());
        let mut notes: Vec<OptionNote> = kept
            .map(|(note, of)| OptionNote {
                jobs: match of.len() == jobs {
                    true => String::new(),
                    false => of.join(", "),
                },
                ..note
            })
            .collect();
        notes.sort_by_key(|note| !note.changes_load);
        notes
    }
}
