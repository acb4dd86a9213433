//! Shared by both worlds: fio, the state of the host, and the counters around a sample.

use stripewise_fio::job_file::MISMATCH_ERRNO;
use stripewise_fio::{
    Counted, FindError, Fio, JobFile, JobFileError, JobFiles, LayoutItem, Output, RunError, cause,
};
use stripewise_machine::{CoreReadings, Root};
use stripewise_study::cell::Cell;
use stripewise_study::cpus::CpuSet;
use stripewise_study::facts::Facts;
use stripewise_study::host_during::HostDuring;
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;
use stripewise_study::workload::Workload;
use stripewise_study::world::{Journal, SampleRequest, Watch, WorldError};
use stripewise_units::{Bytes, Nanos};

use super::beside::{Beside, Done};
use super::core_watch::{CoreWatch, Readings};
use super::host_watch::HostWatch;
use super::problem::{MEASURE, READ_BACK, fio_failed};
use crate::conditions::{self, MeasuredDisks, Setter};
use crate::crash_point::CrashPoint;
use crate::fio_directory::FioDirectory;
use crate::sample_checks::{Before, Between, FioTraffic, writes_buffered};
use crate::workspace::Workspace;

/// fio, and the state of the machine.
#[derive(Debug)]
pub(super) struct Instruments {
    pub(super) root: Root,
    pub(super) fio: Fio,
    /// Read when the cells are checked or a stack is built. These facts change too slowly to read
    /// them before every sample.
    pub(super) facts: Facts,
    pub(super) conditions: Setter,
    /// Whether dirty pages of an earlier sample may still be unwritten.
    is_dirty: bool,
    /// Journal entries so far, of changes and undos.
    pub(super) journal_entries: u32,
    /// Whether this machine is a guest, whose one core also runs the disks.
    is_guest: bool,
}

/// fio's output, and how busy the machine was.
pub(super) struct Loaded {
    pub(super) output: Output,
    /// Empty unless in a guest.
    readings: Readings,
    /// Clocks and temperatures; nothing in a guest.
    host: CoreReadings,
    /// What happened beside the load.
    done: Done,
}

impl Instruments {
    /// Finds fio; changes nothing.
    pub(super) fn find() -> Result<Self, FindError> {
        Ok(Self {
            root: Root::live(),
            fio: Fio::find()?.with_fixed_clock(),
            facts: Facts::default(),
            conditions: Setter::default(),
            is_dirty: false,
            journal_entries: 0,
            is_guest: false,
        })
    }

    /// Returns these instruments for a guest.
    pub(super) fn in_guest(self, is_virtual_time: bool) -> Self {
        let fio = match is_virtual_time {
            true => self.fio.in_virtual_time(),
            false => self.fio,
        };
        Self {
            fio,
            is_guest: true,
            ..self
        }
    }

    /// Returns the job file of a sample, for this fio.
    pub(super) fn job_file(
        &self,
        workload: &Workload,
        request: SampleRequest,
        files: &JobFiles,
        step: Option<Nanos>,
    ) -> Result<JobFile, JobFileError> {
        JobFile::measure_in_steps(workload, request, files, step, Some(self.fio.version()))
    }

    /// Returns the CPUs of a cell's load; `None` if it may run on any.
    pub(super) fn load_cpus(&self, cell: &Cell) -> Result<Option<CpuSet>, WorldError> {
        conditions::load_cpus(&self.root, &cell.conditions)
    }

    /// Opens what a cell does beside its load.
    pub(super) fn beside(&self, cell: &Cell) -> Result<Beside, WorldError> {
        Beside::open(&self.root, &self.facts, &cell.conditions)
    }

    /// Runs the load of a sample, and what happens beside it. In a guest, also reads how busy its
    /// core is.
    pub(super) fn run_load(
        &self,
        beside: &Beside,
        job_file: &JobFile,
        fio_directory: &FioDirectory,
        watch: &mut dyn Watch,
    ) -> Result<Loaded, RunError> {
        let run = |watch: &mut dyn Watch| {
            let (output, done) = beside.run(|| self.fio.run(job_file, &fio_directory.path, watch));
            output.map(|output| (output, done))
        };
        let Some(duration) = job_file.asked().filter(|_| self.is_guest) else {
            let mut watch = HostWatch::new(&self.root, watch);
            let (output, done) = run(&mut watch)?;
            return Ok(Loaded {
                output,
                readings: Readings::default(),
                host: watch.finish(),
                done,
            });
        };
        let mut watch = CoreWatch::new(&self.root, duration, watch);
        let (output, done) = run(&mut watch)?;
        Ok(Loaded {
            output,
            readings: watch.finish(),
            host: CoreReadings::default(),
            done,
        })
    }

    /// Adds fio's facts to those of the machine, and stores them.
    pub(super) fn note(&mut self, mut facts: Facts) -> Facts {
        let version = self.fio.version().as_str().to_owned();
        facts.tools.insert("fio".to_owned(), version);
        facts.fio_clock = self.fio.clock().map(|clock| clock.to_string());
        self.facts = facts.clone();
        facts
    }

    /// Restores the conditions, and removes the files or stacks of the cells with `remove`; does
    /// both even if one fails.
    pub(super) fn restore(
        &mut self,
        journal: &mut dyn Journal,
        remove: impl FnOnce(&Root, &mut dyn Journal) -> Result<(), WorldError>,
    ) -> Result<(), WorldError> {
        let entries = &mut self.journal_entries;
        let journal = &mut CrashPoint { journal, entries };
        let put_back = self.conditions.put_back(&self.root, journal);
        let removed = remove(&self.root, journal);
        put_back.and(removed)
    }

    /// Writes files or parts of a block device once from start to end.
    pub(super) fn lay_out(
        &self,
        fio_directory: &FioDirectory,
        workspace: Option<&Workspace>,
        items: &[LayoutItem],
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        let attempted = match items {
            [item] => format!("failed to write the test file {}", item.file),
            items => format!("failed to write {} test files", items.len()),
        };
        let job_file =
            JobFile::layout(items).map_err(|error| WorldError::failed(&*attempted, error))?;
        workspace.map_or(Ok(()), Workspace::verify)?;
        let output = self
            .fio
            .run(&job_file, &fio_directory.path, watch)
            .map_err(|error| fio_failed(&attempted, error))?;
        let sample = output
            .to_sample(&job_file)
            .map_err(|error| WorldError::failed(&*attempted, error))?;
        // fio may succeed although a job did not.
        match sample.warnings.iter().find(|warning| warning.invalidates()) {
            Some(warning) => Err(WorldError::failed(&*attempted, cause(warning))),
            None => Ok(()),
        }
    }

    /// Prepares the host for a sample. `sync` writes back dirty pages of earlier samples, so that
    /// they do not count as this one's.
    pub(super) fn before_sample(
        &mut self,
        cell: &Cell,
        place: &MeasuredDisks,
        sync: impl FnOnce() -> std::io::Result<()>,
    ) -> Result<(), WorldError> {
        if self.is_dirty {
            sync().map_err(|error| WorldError::failed(MEASURE, error))?;
        }
        self.is_dirty = writes_buffered(&cell.workload);
        conditions::check_flushes(&self.root, &cell.conditions, &self.facts)?;
        conditions::before_sample(&self.root, &cell.conditions, place)
    }

    /// Reads the counters before a load.
    pub(super) fn before(&self) -> Before {
        Before::read(&self.root, &self.facts)
    }

    /// Reads the counters after a load.
    pub(super) fn since(&self, before: &Before) -> Between {
        before.until_now(&self.root, &self.facts)
    }

    /// Combines fio's report and the counters into a sample.
    pub(super) fn sample(
        &self,
        cell: &Cell,
        job_file: &JobFile,
        loaded: &Loaded,
        between: Between,
    ) -> Result<Sample, WorldError> {
        let output = &loaded.output;
        let failed = |error| WorldError::failed(MEASURE, error);
        let mut sample = output.to_sample(job_file).map_err(failed)?;
        let everything = output.report.to_sample(Counted::All, None);
        let everything = everything.map_err(failed)?;
        let asked = FioTraffic {
            read: everything.read.bytes,
            write: everything.write.bytes,
            elapsed: everything.elapsed_ns,
        };
        let warnings = between.warnings(&cell.workload, asked, &self.facts);
        sample.warnings.extend(warnings);
        let (syncs, flushes) = loaded.done.counts()?;
        let [cores_before, cores_after] = &between.cores;
        sample.host = Some(HostDuring {
            load_cpus: job_file.cpus().cloned(),
            syncs,
            flushes,
            ..cores_before.until(cores_after, &loaded.host, &self.root)
        });
        sample.devices = between.devices;
        let run_ns = output.run_time_ns.as_u64();
        let ended_unix_ns = output.started_unix_ns.saturating_add(run_ns);
        loaded.readings.judge(&mut sample, ended_unix_ns);
        Ok(sample)
    }

    /// Reads back blocks that a load wrote with checksums, and warns if they differ; otherwise
    /// returns how much was read.
    pub(super) fn read_back(
        &self,
        job_file: &JobFile,
        fio_directory: &FioDirectory,
        sample: &mut Sample,
        watch: &mut dyn Watch,
    ) -> Result<Option<Bytes>, WorldError> {
        match self.fio.run(job_file, &fio_directory.path, watch) {
            Ok(output) => {
                let read = output.report.to_sample(Counted::All, None);
                let read = read.map_err(|error| WorldError::failed(READ_BACK, error))?;
                Ok(Some(read.read.bytes))
            }
            Err(RunError::JobsFailed { jobs, .. })
                if jobs.iter().any(|job| job.errno == MISMATCH_ERRNO) =>
            {
                sample.warnings.push(Warning::DataDiffers { array: None });
                Ok(None)
            }
            Err(error) => Err(fio_failed(READ_BACK, error)),
        }
    }
}

/// Returns the job file that reads back the blocks that the load of a cell wrote; `None` if they
/// carry no checksums.
pub(super) fn read_back_job(
    cell: &Cell,
    fio_directory: &FioDirectory,
) -> Result<Option<JobFile>, WorldError> {
    JobFile::verify(&cell.workload, &fio_directory.files)
        .map_err(|error| WorldError::failed(READ_BACK, error))
}
