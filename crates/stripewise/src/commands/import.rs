//! `stripewise import`: results that fio wrote for somebody else, and runs that were exported.

mod export;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use stripewise_fio::import::ImportedCell;
use stripewise_results::{NewRun, RunEnd, Store};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::facts::Facts;
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::warning::Warning;
use stripewise_study::workload::Workload;

use super::stored;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// Import results of other tools, and exports of this one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    source: Source,
}

/// Who wrote the results.
#[derive(Debug, Subcommand)]
enum Source {
    /// Import what fio wrote with `--output-format=json` or `json+`
    ///
    /// All files become one run: jobs of the same name and options are one cell, and each file that
    /// holds the job gives it a sample. Six files of the same jobs are enough for intervals.
    Fio(FioArgs),
    /// Import runs that `stripewise export` wrote as JSON, Parquet or CSV
    ///
    /// JSON and Parquet give back the runs as they were, under new numbers; CSV gives back the
    /// samples that count, without histograms and so without percentiles. To import a file twice
    /// makes two runs. What the files are is told by their content.
    Export(export::Args),
}

#[derive(Debug, clap::Args)]
struct FioArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    match &args.source {
        Source::Fio(args) => import_fio(args, printer),
        Source::Export(args) => export::run(args, printer),
    }
}

fn import_fio(args: &FioArgs, printer: &mut Printer) -> Result<Exit> {
    let mut gathered = Gathered::default();
    let mut failures = Vec::new();
    for path in &args.files {
        match read(path) {
            Ok(import) => gathered.add(path, import),
            Err(failure) => failures.push(failure),
        }
    }
    // One bad file does not stop the others, but it changes how we end.
    let first = failures
        .into_iter()
        .inspect(|failure| printer.failure(failure))
        .next();
    if gathered.cells.is_empty() {
        return Err(first.map_or_else(
            || Failure::new("the files hold no job that can be imported"),
            |_| Failure::new("nothing was imported"),
        ));
    }
    let mut store = args.store.open()?;
    let id = gathered.save(&mut store)?;
    stored::print(&store.run(id)?, args.json, &args.store, printer)?;
    Ok(if first.is_some() {
        Exit::CouldNot
    } else {
        Exit::Done
    })
}

fn read(path: &Path) -> Result<stripewise_fio::Import> {
    let failed =
        |failure: Failure| failure.context(format!("failed to import `{}`", path.display()));
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(|error| failed(error.into()))?;
    stripewise_fio::import(&bytes).map_err(|error| {
        let hint = error.hint();
        let failure = failed(Failure::new(error));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

/// The cells of all files, and their samples.
#[derive(Default)]
struct Gathered {
    /// The names of the files, without those that could not be read.
    files: Vec<String>,
    cells: Vec<Cell>,
    samples: Vec<SampleRecord>,
    warnings: Vec<(Option<usize>, Warning)>,
    fio_version: Option<String>,
    written_unix_ns: Option<u64>,
}

impl Gathered {
    fn add(&mut self, path: &Path, import: stripewise_fio::Import) {
        self.files.push(path.display().to_string());
        self.fio_version = import
            .version
            .map(|version| version.as_str().to_owned())
            .or(self.fio_version.take());
        self.written_unix_ns = self
            .written_unix_ns
            .into_iter()
            .chain(import.written_unix_ns)
            .min();
        for note in &import.notes {
            self.warn(None, note.to_string());
        }
        for skipped in &import.skipped {
            self.warn(
                None,
                format!("job `{}` was left out: {}", skipped.name, skipped.reason),
            );
        }
        for cell in import.cells {
            self.add_cell(cell);
        }
    }

    fn warn(&mut self, cell: Option<usize>, note: String) {
        let warning = (cell, Warning::Imported { note });
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn add_cell(&mut self, imported: ImportedCell) {
        let place = if imported.hosts.is_empty() {
            "imported".to_owned()
        } else {
            imported.hosts.join("+")
        };
        let cell = Cell {
            stack: Stack {
                name: place,
                devices: Vec::new(),
                array: None,
                volume: None,
                filesystem: Filesystem::Existing,
            },
            workload: Workload {
                name: Some(imported.name),
                load: imported.load,
                neighbours: Vec::new(),
            },
            conditions: Conditions::default(),
        };
        let index = match self.cells.iter().position(|other| *other == cell) {
            Some(index) => index,
            None => {
                self.cells.push(cell);
                self.cells.len() - 1
            }
        };
        for note in &imported.notes {
            self.warn(Some(index), note.to_string());
        }
        self.samples.push(SampleRecord {
            cell: index,
            // Nobody knows in which order they were taken: no two share a block, none are paired.
            block: u32::try_from(self.samples.len()).unwrap_or(u32::MAX),
            role: Role::Counted,
            seed: None,
            sample: imported.sample,
        });
    }

    fn save(&self, store: &mut Store) -> Result<stripewise_results::RunId> {
        let mut facts = Facts::default();
        if let Some(version) = &self.fio_version {
            facts.tools.insert("fio".to_owned(), version.clone());
        }
        let names = self.files.join(", ");
        let now = stripewise_results::unix_now_ns();
        let new = NewRun {
            world: "fio-import".to_owned(),
            study_name: names.clone(),
            question: Some(format!("What fio measured: {names}")),
            study_text: String::new(),
            seed: 0,
            options: serde_json::json!({ "files": self.files, "written_unix_ns": self.written_unix_ns }),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_ns: now,
        };
        let id = store.begin_run(&new, &self.cells, &facts)?;
        for (cell, warning) in &self.warnings {
            store.add_warning(id, *cell, warning)?;
        }
        for record in &self.samples {
            store.add_sample(id, record)?;
        }
        store.finish_run(id, RunEnd::Done)?;
        Ok(id)
    }
}
