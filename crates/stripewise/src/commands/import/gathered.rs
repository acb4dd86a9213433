//! The cells and samples of an import, stored as they are read.
//!
//! A few thousand files do not fit into memory together: each file's samples go to the store before
//! the next file is read, some megabytes at a time. The run begins with the first of them, and its
//! name and options are known at the end.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use stripewise_catalogue::Words;

use stripewise_fio::Import;
use stripewise_fio::import::ImportedCell;
use stripewise_results::world::RunOrigin;
use stripewise_results::{NewRun, RunEnd, RunId, Store};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::facts::Facts;
use stripewise_study::import_note::ImportNote;
use stripewise_study::limits::CELLS_MAX;
use stripewise_study::sample::{Role, Sample, SampleRecord};
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::warning::Warning;
use stripewise_study::workload::Workload;

use super::not_imported;
use crate::failure::{Failure, Result};

/// The most files that the run names; each sample names its own.
const NAMED_FILES_MAX: usize = 1000;

/// How much is stored at once: each time waits for the disk.
const BATCH_BYTES: usize = 2 << 20;

/// A run with more is not read back to be printed.
const SMALL_RUN_BYTES: usize = 8 << 20;

/// The cells of all files, and their samples.
#[derive(Default)]
pub(super) struct Gathered {
    /// The store and the run, once there is a sample.
    begun: Option<(Store, RunId)>,
    files: Files,
    /// The index of each cell, by its document.
    cells: HashMap<String, usize>,
    new_cells: Vec<Cell>,
    samples: Vec<SampleRecord>,
    /// About how much memory these samples take.
    bytes: usize,
    /// About how much memory all samples would take.
    all_bytes: usize,
    /// How many samples there are in all.
    count: u32,
    warnings: Vec<(Option<usize>, Warning)>,
    /// The words of each warning: notes with the same words are one warning.
    warned: HashSet<(Option<usize>, String)>,
    digests: HashSet<u64>,
    /// How many runs were in another file, too, and the first file with one.
    repeated: Option<(String, usize)>,
    versions: BTreeSet<String>,
    /// The directories of the files, and which one each cell was first in.
    directories: Vec<String>,
    first_directories: Vec<usize>,
    /// The cells with samples of several directories, and two of these.
    mixed: BTreeSet<usize>,
    mixed_directories: Option<(usize, usize)>,
    written_unix_ns: Option<u64>,
}

/// The names of the files, without those that could not be read.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    count: usize,
}

impl Files {
    fn add(&mut self, name: String) {
        self.count += 1;
        if self.names.len() < NAMED_FILES_MAX {
            self.names.push(name);
        }
    }

    /// Returns the name of the run.
    fn title(&self) -> String {
        match (self.count, self.names.as_slice()) {
            (1, [one]) => one.clone(),
            (2, [one, two]) => format!("{one}, {two}"),
            (count, names) => {
                let first = names.first().map_or("", String::as_str);
                format!("{first} and {} more files", count.saturating_sub(1))
            }
        }
    }
}

impl Gathered {
    /// Refuses a file without a job that can be imported, and one with too many.
    pub(super) fn check(&self, path: &Path, runs: Vec<Import>) -> Result<Vec<Import>> {
        let failed = |failure| Err(not_imported(path, failure));
        let cells = runs.iter().map(|run| run.cells.len()).sum::<usize>();
        if cells == 0 {
            let notes: Vec<String> = runs
                .iter()
                .flat_map(|run| &run.notes)
                .map(|note| note.message().in_english())
                .collect();
            return failed(match notes.is_empty() {
                true => Failure::new("no job in it can be imported"),
                false => Failure::new(format!(
                    "no job in it can be imported: {}",
                    notes.join("; ")
                )),
            });
        }
        if self.cells.len().saturating_add(cells) > CELLS_MAX {
            return failed(
                Failure::new(format!("a run has at most {CELLS_MAX} cells"))
                    .hint("import some of the files into a run of their own"),
            );
        }
        Ok(runs)
    }

    /// Adds the runs of a file, and stores what has gathered; `open` opens the store.
    pub(super) fn add(
        &mut self,
        path: &Path,
        runs: Vec<Import>,
        open: impl FnOnce() -> Result<Store>,
    ) -> Result<()> {
        let name = path.display().to_string();
        let directory = path.parent().unwrap_or(Path::new("")).display().to_string();
        if self.directories.last() != Some(&directory) {
            self.directories.push(directory);
        }
        for run in runs {
            self.add_run(&name, run);
        }
        self.files.add(name);
        // The first file is stored at once: a store that cannot be opened is an error early.
        if self.begun.is_none() || self.bytes >= BATCH_BYTES {
            self.store(open)?;
        }
        Ok(())
    }

    fn add_run(&mut self, file: &str, run: Import) {
        if !self.digests.insert(run.digest) {
            let first = || (file.to_owned(), 0);
            self.repeated.get_or_insert_with(first).1 += 1;
            return;
        }
        let version = run.version.map(|version| version.as_str().to_owned());
        self.versions.extend(version);
        let written = self.written_unix_ns.into_iter().chain(run.written_unix_ns);
        self.written_unix_ns = written.min();
        for note in run.notes {
            self.warn(None, note);
        }
        let mut disks = Some(run.disks);
        for mut cell in run.cells {
            if let Some(stated) = &mut cell.sample.stated {
                stated.source = file.to_owned();
                stated.global_options.clone_from(&run.global_options);
                stated.disks = disks.take().unwrap_or_default();
            }
            self.add_cell(cell);
        }
    }

    fn warn(&mut self, cell: Option<usize>, note: ImportNote) {
        if self.warned.insert((cell, note.message().in_english())) {
            self.warnings.push((cell, Warning::Imported { note }));
        }
    }

    fn add_cell(&mut self, imported: ImportedCell) {
        let cell = Cell {
            stack: Stack {
                adapter: None,
                name: imported.place,
                devices: Vec::new(),
                array: None,
                volume: None,
                filesystem: Filesystem::Existing,
            },
            workload: Workload {
                name: Some(imported.name),
                options: imported.options,
                ..Workload::alone(imported.load)
            },
            conditions: Conditions::default(),
        };
        // Cells with the same document are stored as the same.
        let document = serde_json::to_string(&cell).unwrap_or_default();
        let next = self.cells.len();
        let index = *self.cells.entry(document).or_insert(next);
        let here = self.directories.len().saturating_sub(1);
        if index == next {
            self.new_cells.push(cell);
            self.first_directories.push(here);
        }
        let first = self.first_directories[index];
        if self.directories.get(first) != self.directories.get(here) {
            self.mixed.insert(index);
            self.mixed_directories.get_or_insert((first, here));
        }
        for note in imported.notes {
            self.warn(Some(index), note);
        }
        let bytes = size_of_sample(&imported.sample);
        self.bytes = self.bytes.saturating_add(bytes);
        self.all_bytes = self.all_bytes.saturating_add(bytes);
        self.samples.push(SampleRecord {
            cell: index,
            // Their order is unknown, so each has a block of its own and none are paired.
            block: self.count,
            role: Role::Counted,
            seed: None,
            sample: imported.sample,
        });
        self.count = self.count.saturating_add(1);
    }

    /// Stores what has gathered.
    fn store(&mut self, open: impl FnOnce() -> Result<Store>) -> Result<()> {
        if self.samples.is_empty() {
            return Ok(());
        }
        let (store, id) = match &mut self.begun {
            Some(begun) => begun,
            None => {
                let mut store = open()?;
                let new = NewRun {
                    options: serde_json::json!({}),
                    ..NewRun::of(RunOrigin::Fio, self.files.title())
                };
                let cells = std::mem::take(&mut self.new_cells);
                let id = store.begin_run(&new, &cells, &self.facts())?;
                self.begun.insert((store, id))
            }
        };
        if !self.new_cells.is_empty() {
            store.add_cells(*id, &self.new_cells)?;
            self.new_cells.clear();
        }
        store.add_samples(*id, &self.samples)?;
        self.samples.clear();
        self.bytes = 0;
        Ok(())
    }

    /// Returns the facts of the machine: the version of fio. A warning names several.
    fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        if let Some(version) = self.versions.first() {
            facts.tools.insert("fio".to_owned(), version.clone());
        }
        facts
    }

    /// Stores the rest, and ends the run; `None` if there is no sample.
    pub(super) fn finish(&mut self) -> Result<Option<(Store, RunId)>> {
        if let Some((file, count)) = self.repeated.take() {
            self.warn(None, ImportNote::RepeatedRuns { file, count });
        }
        if self.versions.len() > 1 {
            let versions: Vec<&str> = self.versions.iter().map(String::as_str).collect();
            let versions = versions.join(", ");
            self.warn(None, ImportNote::SeveralVersions { versions });
        }
        if let Some((first, other)) = self.mixed_directories {
            let shown = [first, other].map(|index| match self.directories[index].as_str() {
                "" => "`.`".to_owned(),
                directory => format!("`{directory}`"),
            });
            let (cells, directories) = (self.mixed.len(), shown.join(", "));
            self.warn(None, ImportNote::SeveralDirectories { cells, directories });
        }
        self.store(|| Err(Failure::new("nothing was imported")))?;
        let Some((mut store, id)) = self.begun.take() else {
            return Ok(None);
        };
        for (cell, warning) in &self.warnings {
            store.add_warning(id, *cell, warning)?;
        }
        let options = serde_json::json!({
            "files": self.files.names,
            "files_count": self.files.count,
            "written_unix_ns": self.written_unix_ns,
        });
        store.describe_run(id, &self.files.title(), &options)?;
        store.finish_run(id, RunEnd::Done)?;
        Ok(Some((store, id)))
    }

    /// Returns whether all samples together fit into memory well.
    pub(super) fn is_small(&self) -> bool {
        self.all_bytes <= SMALL_RUN_BYTES
    }
}

/// Returns about how many bytes a sample takes: of what has no fixed size.
fn size_of_sample(sample: &Sample) -> usize {
    let bins = [&sample.read.latency, &sample.write.latency, &sample.sync]
        .map(|latency| latency.histogram.bins().len() * size_of::<(u64, u64)>());
    let stated = sample
        .stated
        .iter()
        .flat_map(|stated| stated.jobs.iter().chain(&stated.disks));
    let stated = stated.map(|job| 64 * job.numbers.len().saturating_add(job.texts.len()));
    let series = sample.series.as_ref().map_or(0, |series| series.len() * 48);
    size_of::<Sample>() + bins.iter().sum::<usize>() + stated.sum::<usize>() + series
}
