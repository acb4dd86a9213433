//! Turns a workload into a job file for fio.
//!
//! fio runs in a directory of ours with plain file names that we generate, so only numbers of the
//! user's input reach the job file. Each job has its own section, file and random seed, so results
//! stay per job. We set every option with a default that would change the measurement. See fio's
//! `HOWTO.rst` for the options.
//!
//! A measurement never creates or extends a file (`allow_file_create=0`): [`JobFile::layout`]
//! writes the files beforehand, so no measured write hits an unwritten extent.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use stripewise_study::cpus::CpuSet;
use stripewise_study::workload::{Data, Load, Workload};
use stripewise_study::world::{Replay, SampleRequest};
use stripewise_units::{Bytes, Nanos};

use crate::job_file_error::JobFileError;
use crate::job_options::{
    child_seed, data_options, file_option, load_options, option, section_name, verify_options,
};
use crate::limit;
use crate::replay::{self, IoList};
use crate::series::Logs;
use crate::version::Version;

/// The size of the writes that lay files out; files are multiples of it.
pub const LAYOUT_BLOCK: Bytes = Bytes::MIB;

/// The names of the files under test, relative to the directory in which fio runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFiles {
    /// One for each job of the load.
    pub main: Vec<String>,
    /// One for each job of each neighbour, in the workload's order.
    pub neighbours: Vec<Vec<String>>,
    /// The start offsets, by name, of those that are links to a shared block device. A replay
    /// ignores them, because its offsets are the device's.
    pub offsets: BTreeMap<String, Bytes>,
}

impl JobFiles {
    /// Returns generated names: `job-0.dat`, and `neighbour-0-0.dat` for the first job of the first
    /// neighbour.
    pub fn of(workload: &Workload) -> Self {
        Self {
            main: (0..workload.load.jobs)
                .map(|job| format!("job-{job}.dat"))
                .collect(),
            neighbours: (0..)
                .zip(&workload.neighbours)
                .map(|(index, neighbour): (u32, _)| {
                    (0..neighbour.load.jobs)
                        .map(|job| format!("neighbour-{index}-{job}.dat"))
                        .collect()
                })
                .collect(),
            offsets: BTreeMap::new(),
        }
    }

    /// Returns the start offset of the file `name` on its device.
    fn offset(&self, name: &str) -> Bytes {
        self.offsets.get(name).copied().unwrap_or_default()
    }
}

/// A file to write before measuring.
#[derive(Debug, Clone, PartialEq)]
pub struct LayoutItem {
    /// Its name, relative to the directory in which fio runs.
    pub file: String,
    /// Its start offset, if it is a link to a block device.
    pub offset_bytes: Bytes,
    /// Whether a file or link of that name exists, so that fio must not create one.
    pub exists: bool,
    /// Its minimum size; fio rounds it up to a multiple of [`LAYOUT_BLOCK`].
    pub size_bytes: Bytes,
    /// Whether to bypass the page cache.
    pub direct: bool,
    /// Its content.
    pub data: Data,
    /// The size of the blocks with a checksum, if it will be verified later.
    pub verify_block: Option<Bytes>,
}

impl LayoutItem {
    /// Returns all files of a workload, including its neighbours'.
    ///
    /// # Errors
    /// [`JobFileError::FileCount`] if the number of names differs from the number of jobs.
    pub fn of(workload: &Workload, files: &JobFiles) -> Result<Vec<Self>, JobFileError> {
        let mut items = Vec::new();
        for placed in placed_loads(workload, files)? {
            items.extend(placed.files.iter().map(|file| LayoutItem {
                file: file.clone(),
                offset_bytes: files.offset(file),
                exists: files.offsets.contains_key(file),
                size_bytes: placed.load.size_bytes,
                direct: placed.load.direct,
                data: placed.load.data,
                verify_block: placed.load.verify.then(|| placed.load.block_size.largest()),
            }));
        }
        Ok(items)
    }

    /// Returns the size the file will have: a multiple of [`LAYOUT_BLOCK`].
    pub fn file_bytes(&self) -> Bytes {
        let block = LAYOUT_BLOCK.as_u64();
        Bytes::new(
            self.size_bytes
                .as_u64()
                .div_ceil(block)
                .saturating_mul(block),
        )
    }
}

/// The text of a job file, with the data we need to run it and to read its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    text: String,
    io_lists: Vec<IoList>,
    logs: Option<Logs>,
    counted: Vec<String>,
    asked: Option<Nanos>,
    limit: Duration,
    writes: bool,
    cpus: Option<CpuSet>,
}

impl JobFile {
    /// Builds the job file of one sample: the load with its neighbours for a fixed time, or the
    /// I/Os of a replay until they are done.
    ///
    /// # Errors
    /// [`JobFileError`] if names and jobs do not match or a number is out of range.
    pub fn measure(
        workload: &Workload,
        request: SampleRequest,
        files: &JobFiles,
    ) -> Result<Self, JobFileError> {
        Self::measure_in_steps(workload, request, files, None, None)
    }

    /// As [`JobFile::measure`]; with `step`, fio also records a series with steps of that length,
    /// see [`Output::series`](crate::Output). `version` is that of fio; a replay with times needs it.
    ///
    /// # Errors
    /// [`JobFileError`] if names and jobs do not match or a number is out of range.
    pub fn measure_in_steps(
        workload: &Workload,
        request: SampleRequest,
        files: &JobFiles,
        step: Option<Nanos>,
        version: Option<&Version>,
    ) -> Result<Self, JobFileError> {
        if let Some(replay) = &request.replay {
            return Self::replay(workload, &request, replay, files, version);
        }
        let logs = step.map(|step| Logs::of(files.main.len(), step));
        let mut text = String::from(GLOBAL);
        // fio's finest unit is microseconds; rounded up, so a short run does not become 0.
        let runtime_us = request.duration.as_u64().div_ceil(1000).max(1);
        option(&mut text, "time_based", 1);
        option(&mut text, "runtime", format_args!("{runtime_us}us"));
        measure_options(&mut text);
        if let Some(logs) = &logs {
            logs.global_options(&mut text);
        }

        let loads = placed_loads(workload, files)?;
        let mut stream = 0;
        for (place, placed) in loads.iter().enumerate() {
            for (index, file) in placed.files.iter().enumerate() {
                let _ = write!(text, "\n[{}-{index}]\n", placed.section);
                // Neighbours have no series.
                if let Some(logs) = logs.as_ref().filter(|_| place == 0) {
                    logs.job_options(&mut text, index);
                }
                file_option(&mut text, file)?;
                option(&mut text, "randseed", child_seed(request.seed, stream));
                load_options(&mut text, &placed.section, placed.load)?;
                offset_option(&mut text, files.offset(file));
                stream += 1;
            }
        }
        let all = || loads.iter().map(|placed| placed.load);
        Ok(Self {
            text,
            io_lists: Vec::new(),
            logs,
            counted: sections(MAIN, files.main.len()),
            asked: Some(request.duration),
            limit: limit::of_loads(request.duration.into(), all()),
            writes: all().any(|load| load.pattern.writes()),
            cpus: None,
        })
    }

    /// Returns a job file that users run themselves, in a directory where fio makes the files: the
    /// named workloads one after the other, each with its neighbours and for `duration`.
    ///
    /// # Errors
    /// [`JobFileError`] if a number is out of range.
    pub fn to_share(
        workloads: &[(&str, &Workload)],
        duration: Nanos,
    ) -> Result<String, JobFileError> {
        let mut text = String::from(GLOBAL);
        option(&mut text, "time_based", 1);
        let runtime_us = duration.as_u64().div_ceil(1000).max(1);
        option(&mut text, "runtime", format_args!("{runtime_us}us"));
        for (place, (name, workload)) in workloads.iter().enumerate() {
            let files = JobFiles::of(workload);
            let mut is_first = place > 0;
            for placed in placed_loads(workload, &files)? {
                for (index, file) in placed.files.iter().enumerate() {
                    let section = format!("{}-{}-{index}", section_name(name), placed.section);
                    let _ = write!(text, "\n[{section}]\n");
                    if std::mem::take(&mut is_first) {
                        text.push_str("stonewall\n");
                    }
                    file_option(&mut text, &format!("{}-{file}", section_name(name)))?;
                    load_options(&mut text, &placed.section, placed.load)?;
                    if placed.section != MAIN {
                        // A neighbour is not measured.
                        option(&mut text, "stats", 0);
                    }
                }
            }
        }
        Ok(text)
    }

    /// Builds the job file of a replay. It has no series.
    fn replay(
        workload: &Workload,
        request: &SampleRequest,
        replay: &Replay,
        files: &JobFiles,
        version: Option<&Version>,
    ) -> Result<Self, JobFileError> {
        // Checks that files and jobs match.
        placed_loads(workload, files)?;
        let replay::Sections { load, lists } =
            replay::sections(workload, replay, &files.main, version)?;
        let mut text = String::from(GLOBAL);
        measure_options(&mut text);
        for (index, (file, list)) in (0..).zip(&lists) {
            let _ = write!(text, "\n[{MAIN}-{index}]\n");
            file_option(&mut text, file)?;
            option(&mut text, "randseed", child_seed(request.seed, index));
            load_options(&mut text, MAIN, &load)?;
            option(&mut text, "read_iolog", list.reference());
        }
        let waits = Duration::from(replay.last_at());
        Ok(Self {
            text,
            logs: None,
            counted: sections(MAIN, lists.len()),
            asked: None,
            limit: limit::of_ios(replay.ios()).saturating_add(waits),
            writes: replay.writes(),
            cpus: None,
            io_lists: lists.into_iter().map(|(_, list)| list).collect(),
        })
    }

    /// Returns the same jobs on these CPUs only, neighbours included.
    #[must_use]
    pub fn on_cpus(mut self, cpus: Option<&CpuSet>) -> Self {
        if let Some(cpus) = cpus {
            let mut line = String::new();
            option(&mut line, "cpus_allowed", cpus);
            self.text.insert_str(GLOBAL.len(), &line);
        }
        self.cpus = cpus.cloned();
        self
    }

    /// Builds the job file that writes `items` once, one after another, in blocks of
    /// [`LAYOUT_BLOCK`], and makes them durable. It replaces the old content of these files.
    ///
    /// # Errors
    /// [`JobFileError`] if a name or number is not allowed.
    pub fn layout(items: &[LayoutItem]) -> Result<Self, JobFileError> {
        let mut text = String::from(GLOBAL);
        option(&mut text, "rw", "write");
        option(&mut text, "bs", LAYOUT_BLOCK.as_u64());
        option(&mut text, "ioengine", "psync");
        option(&mut text, "iodepth", 1);
        option(&mut text, "numjobs", 1);
        option(&mut text, "end_fsync", 1);
        option(&mut text, "overwrite", 0);
        let mut bytes: u64 = 0;
        for (index, item) in (0_u64..).zip(items) {
            let _ = write!(text, "\n[layout-{index}]\n");
            // One after another: files written in parallel would interleave on the medium.
            text.push_str("stonewall\n");
            file_option(&mut text, &item.file)?;
            offset_option(&mut text, item.offset_bytes);
            if item.exists {
                option(&mut text, "allow_file_create", 0);
            }
            option(&mut text, "size", item.file_bytes().as_u64());
            option(&mut text, "direct", u8::from(item.direct));
            // Files must differ, or a deduplicating filesystem would store only one.
            option(&mut text, "randseed", child_seed(LAYOUT_SEED, index));
            data_options(&mut text, item.data)?;
            if let Some(block) = item.verify_block {
                verify_options(&mut text, block);
                option(&mut text, "do_verify", 0);
            }
            bytes = bytes.saturating_add(item.file_bytes().as_u64());
        }
        Ok(Self {
            text,
            io_lists: Vec::new(),
            logs: None,
            counted: sections("layout", items.len()),
            asked: None,
            limit: limit::of_bytes(Bytes::new(bytes)),
            writes: true,
            cpus: None,
        })
    }

    /// Builds the job file that reads all checksummed files of the load and verifies them; `None`
    /// if the load has no checksums.
    ///
    /// fio fails with [`MISMATCH_ERRNO`] if a block differs from the data written there.
    ///
    /// # Errors
    /// [`JobFileError`] if names and jobs do not match.
    pub fn verify(workload: &Workload, files: &JobFiles) -> Result<Option<Self>, JobFileError> {
        if !workload.load.verify {
            return Ok(None);
        }
        let items = LayoutItem::of(workload, files)?;
        let mut text = String::from(GLOBAL);
        option(&mut text, "rw", "read");
        option(&mut text, "ioengine", "psync");
        option(&mut text, "allow_file_create", 0);
        let (mut bytes, mut jobs): (u64, usize) = (0, 0);
        for (index, item) in items.iter().enumerate() {
            let Some(block) = item.verify_block else {
                continue;
            };
            let _ = write!(text, "\n[verify-{index}]\n");
            text.push_str("stonewall\n");
            file_option(&mut text, &item.file)?;
            offset_option(&mut text, item.offset_bytes);
            option(&mut text, "bs", block.as_u64());
            option(&mut text, "size", item.size_bytes.as_u64());
            option(&mut text, "direct", u8::from(item.direct));
            verify_options(&mut text, block);
            bytes = bytes.saturating_add(item.size_bytes.as_u64());
            jobs += 1;
        }
        Ok(Some(Self {
            text,
            io_lists: Vec::new(),
            logs: None,
            counted: (0..jobs).map(|index| format!("verify-{index}")).collect(),
            asked: None,
            limit: limit::of_bytes(Bytes::new(bytes)),
            writes: false,
            cpus: None,
        }))
    }

    /// Returns the text that fio reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the lists of I/Os that fio must be able to open.
    pub(crate) fn io_lists(&self) -> &[IoList] {
        &self.io_lists
    }

    /// Returns the names of all logs that fio writes into its working directory; empty without a
    /// series.
    ///
    /// [`Fio::run`](crate::Fio::run) truncates logs that existed before, both before and after the
    /// run, which keeps their inodes. It removes the others.
    pub fn log_names(&self) -> Vec<String> {
        self.logs.as_ref().map(Logs::names).unwrap_or_default()
    }

    /// Returns the logs that fio writes besides its JSON.
    pub(crate) fn logs(&self) -> Option<&Logs> {
        self.logs.as_ref()
    }

    /// Returns the names of the jobs whose results count; neighbours do not.
    pub fn counted(&self) -> &[String] {
        &self.counted
    }

    /// Returns the duration of the load; `None` for a layout, which runs until it is done.
    pub fn asked(&self) -> Option<Nanos> {
        self.asked
    }

    /// Returns the CPUs on which the jobs run, if not on all.
    pub fn cpus(&self) -> Option<&CpuSet> {
        self.cpus.as_ref()
    }

    /// Returns the time after which fio counts as hung.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Returns whether any job writes; otherwise fio runs with `--readonly`.
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// Returns the same job file with another limit.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }
}

/// Writes the options of every measurement.
fn measure_options(text: &mut String) {
    // A missing or short file is an error; fio must not lay it out during the measurement.
    option(text, "allow_file_create", 0);
    option(text, "overwrite", 1);
    // If one job fails the sample is lost: do not wait for the others.
    option(text, "exitall_on_error", 1);
}

/// Writes the start offset of a job on its device.
fn offset_option(text: &mut String, offset: Bytes) {
    if offset > Bytes::default() {
        option(text, "offset", offset.as_u64());
    }
}

/// The name of the counted jobs' sections.
const MAIN: &str = "main";

/// The error of a job that read data that differs from the written data: `EILSEQ`.
pub const MISMATCH_ERRNO: i64 = 84;

/// Returns the names of so many sections of a job file.
fn sections(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{name}-{index}")).collect()
}

/// A fixed seed: every layout writes the same bytes.
const LAYOUT_SEED: u64 = 0x7374_7269_7065_7769;

/// The beginning of every job file.
///
/// - Threads instead of processes: one process to watch and to kill; the I/O is the same.
/// - Percentiles, and with them the bins of `json+`, cover total latency: the time a caller waits
///   for. fio's default is completion latency, which excludes submission.
/// - `fallocate=none`: with preallocation the first write to each extent would also have to convert
///   it.
/// - `invalidate=1`: fio drops the file's pages from the page cache before the load begins.
const GLOBAL: &str = "[global]
thread=1
lat_percentiles=1
clat_percentiles=0
slat_percentiles=0
randrepeat=0
fallocate=none
invalidate=1
";

/// A load with the files of its jobs and the name of its sections.
struct PlacedLoad<'a> {
    section: String,
    load: &'a Load,
    files: &'a [String],
}

/// Pairs the load and its neighbours with their files.
fn placed_loads<'a>(
    workload: &'a Workload,
    files: &'a JobFiles,
) -> Result<Vec<PlacedLoad<'a>>, JobFileError> {
    let count = |owner: &str, needed: usize, given: usize| {
        if needed == given {
            return Ok(());
        }
        Err(JobFileError::FileCount {
            owner: owner.to_owned(),
            needed,
            given,
        })
    };
    count("the load", jobs(&workload.load), files.main.len())?;
    count(
        "the neighbours",
        workload.neighbours.len(),
        files.neighbours.len(),
    )?;
    let mut placed = vec![PlacedLoad {
        section: MAIN.to_owned(),
        load: &workload.load,
        files: &files.main,
    }];
    for (neighbour, names) in workload.neighbours.iter().zip(&files.neighbours) {
        count(&neighbour.name, jobs(&neighbour.load), names.len())?;
        placed.push(PlacedLoad {
            section: format!("neighbour-{}", section_name(&neighbour.name)),
            load: &neighbour.load,
            files: names,
        });
    }
    Ok(placed)
}

/// Returns the number of jobs as a length.
fn jobs(load: &Load) -> usize {
    usize::try_from(load.jobs).unwrap_or(usize::MAX)
}

#[cfg(test)]
#[path = "job_file_tests.rs"]
mod tests;
