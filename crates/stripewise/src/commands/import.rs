//! `stripewise import`: results of fio runs outside Stripewise, and exported runs.

mod export;
mod logs;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use stripewise_fio::import::ImportedCell;
use stripewise_results::{NewRun, RunEnd, Store};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::facts::Facts;
use stripewise_study::import_note::ImportNote;
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::warning::Warning;
use stripewise_study::workload::Workload;

use self::logs::{Logs, read_bytes};
use super::rename::{run_name, tag};
use super::stored;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// The most files whose global options and disks are stored.
const OPTIONS_MAX: usize = 1000;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Six fio runs of the same jobs as one run, then show it:
    stripewise import fio old-results/*.json --name \"old disks\"
    stripewise show latest

  A run from another machine:
    stripewise import export runs.parquet
";

/// Import results of fio, and exports of Stripewise
///
/// Puts results that were measured elsewhere into the store, where `stripewise show`, `compare`,
/// `report` and `export` treat them like any other run. `import fio` reads the JSON output of
/// fio, and `import export` reads what `stripewise export` wrote.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    source: Source,
}

/// The program that wrote the results.
#[derive(Debug, Subcommand)]
enum Source {
    Fio(FioArgs),
    Export(export::Args),
}

/// Examples at the end of the long help.
const FIO_EXAMPLES: &str = "\
Examples:
  Run a job file six times, and import the results:
    for i in 1 2 3 4 5 6; do
        fio job.fio --output-format=json+ --output=old-results/$i.json
    done
    stripewise import fio old-results/*.json --name \"old disks\"

  Tag them, to find them again:
    stripewise import fio old-results/*.json --tag old --tag sata
    stripewise list --tag old
";

/// Import what fio wrote with `--output-format=json` or `json+`
///
/// Combines all files into one run. Jobs with the same name and options are one cell, and each
/// file with that job adds one sample. To get intervals, run the same job file at least six times.
/// Use `json+`: its histograms give percentiles over all files.
///
/// Logs that fio wrote beside a JSON file (`NAME_bw.1.log`, `iops`, `lat`, `clat`, `clat_hist`)
/// can be named too; each is matched to its job in the JSON file of the same directory.
///
/// Reads the output of fio 2.0 to 3.42. Adds to the store and does not change the files. If a file
/// cannot be read, an error names it, the others are imported, and the exit code is 2.
#[derive(Debug, clap::Args)]
#[command(after_long_help = FIO_EXAMPLES)]
struct FioArgs {
    /// JSON files of fio, and logs beside them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The name of the run [default: from its files]
    #[arg(long, value_parser = run_name)]
    name: Option<String>,

    /// Tag the run; repeat for several tags
    #[arg(long, value_name = "TAG", value_parser = tag)]
    tag: Vec<String>,

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
    // One bad file does not stop the others, but it changes the exit code.
    let mut bad = 0_usize;
    let mut fails = |failure: &Failure, printer: &mut Printer| {
        printer.failure(failure);
        bad += 1;
    };
    let (mut logs, failures) = Logs::of(&args.files);
    for failure in &failures {
        fails(failure, printer);
    }
    for path in logs.documents.clone() {
        match read(&path, &mut logs) {
            Ok(import) => gathered.add(&path, import),
            Err(failure) => fails(&failure, printer),
        }
    }
    for failure in logs.unmatched() {
        fails(&failure, printer);
    }
    if gathered.cells.is_empty() {
        return Err(match bad {
            0 => Failure::new("no job in these files can be imported"),
            _ => Failure::new("nothing was imported"),
        });
    }
    let mut store = args.store.open()?;
    let id = gathered.save(&mut store)?;
    if let Some(name) = &args.name {
        store.rename_run(id, name)?;
    }
    store.tag_run(id, &args.tag)?;
    stored::print(
        &store.run(id)?,
        &store,
        args.json,
        false,
        &args.store,
        printer,
    )?;
    Ok(match bad {
        0 => Exit::Done,
        _ => Exit::CouldNot,
    })
}

/// Reads a JSON file with the logs that may belong to it; puts the unused logs back.
fn read(path: &Path, logs: &mut Logs) -> Result<stripewise_fio::Import> {
    let failed =
        |failure: Failure| failure.context(format!("failed to import `{}`", path.display()));
    let bytes = read_bytes(path, FILE_BYTES_MAX).map_err(failed)?;
    let (mut own, paths) = logs.beside(path);
    let import = stripewise_fio::import_with_logs(&bytes, &mut own);
    logs.put_back(own, paths);
    import.map_err(|error| {
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
    /// The words of each warning: notes with the same words are one warning.
    warned: HashSet<(Option<usize>, String)>,
    fio_version: Option<String>,
    written_unix_ns: Option<u64>,
    /// The global options and disks of each file.
    said: Vec<serde_json::Value>,
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
        for note in import.notes {
            self.warn(None, note);
        }
        if self.said.len() < OPTIONS_MAX {
            self.said.push(serde_json::json!({
                "file": path.display().to_string(),
                "global_options": import.global_options,
                "disks": import.disks,
            }));
        }
        for cell in import.cells {
            self.add_cell(path, cell);
        }
    }

    fn warn(&mut self, cell: Option<usize>, note: ImportNote) {
        if self.warned.insert((cell, note.message().to_string())) {
            self.warnings.push((cell, Warning::Imported { note }));
        }
    }

    fn add_cell(&mut self, path: &Path, mut imported: ImportedCell) {
        if let Some(stated) = &mut imported.sample.stated {
            stated.source = path.display().to_string();
        }
        let place = if imported.hosts.is_empty() {
            "imported".to_owned()
        } else {
            imported.hosts.join("+")
        };
        let cell = Cell {
            stack: Stack {
                adapter: None,
                name: place,
                devices: Vec::new(),
                array: None,
                volume: None,
                filesystem: Filesystem::Existing,
            },
            workload: Workload {
                trace: None,
                name: Some(imported.name),
                load: imported.load,
                neighbours: Vec::new(),
                database: None,
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
        for note in imported.notes {
            self.warn(Some(index), note);
        }
        self.samples.push(SampleRecord {
            cell: index,
            // Their order is unknown, so each has a block of its own and none are paired.
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
        let names = match self.files.as_slice() {
            [one] => one.clone(),
            [one, two] => format!("{one}, {two}"),
            files => {
                let first = files.first().map_or("", String::as_str);
                format!("{first} and {} more files", files.len().saturating_sub(1))
            }
        };
        let now = stripewise_results::unix_now_ns();
        let new = NewRun {
            world: "fio-import".to_owned(),
            study_name: names.clone(),
            question: None,
            study_text: String::new(),
            seed: 0,
            options: serde_json::json!({ "files": self.files, "written_unix_ns": self.written_unix_ns, "said": self.said }),
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
