//! A folder of Parquet files instead of one: `date=2026-11-30/host=web17/run-12-18a9….parquet`.

use clap::ValueEnum;
use stripewise_export::sketches::SketchOf;
use stripewise_export::table::Table;
use stripewise_export::{Source, cells, parquet};
use stripewise_report::document::Document;
use stripewise_results::Run;

use super::{Args, Format, Rows, write};
use crate::commands::outliers::{class_of, host_of};
use crate::commands::over_time::{day, measured_unix_ns};
use crate::commands::stored;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::make_directory;
use crate::parquet_files::folder_name;
use crate::stores::RunName;

/// What a folder is named by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Key {
    /// The day on which the run began
    Date,
    /// Its tag `host=NAME`
    Host,
}

impl Key {
    const fn word(self) -> &'static str {
        match self {
            Key::Date => "date",
            Key::Host => "host",
        }
    }

    /// Returns the name of the folder of a run: `date=2026-11-30`.
    fn folder(self, run: &Run) -> Result<String> {
        let value = match self {
            Key::Date => day(measured_unix_ns(run)),
            Key::Host => host_of(&run.summary.tags)
                .ok_or_else(|| {
                    let run = run.summary.id;
                    Failure::new(format!("run {run} has no tag that names its host"))
                        .hint(format!("`stripewise rename {run} --tag host=NAME` adds it"))
                })?
                .to_owned(),
        };
        Ok(folder_name(self.word(), &value))
    }
}

/// Writes each run into its folder.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let Some(root) = args.output.as_deref() else {
        return Err(Failure::new("--partition-by: `--output` names the folder"));
    };
    if args.format.is_some_and(|format| format != Format::Parquet) {
        return Err(Failure::new("--partition-by: only for Parquet"));
    }
    let rows = args.rows.unwrap_or(Rows::Samples);
    let left_out: Vec<&str> = args.partition_by.iter().map(|key| key.word()).collect();
    let store = args.store.open_existing()?;
    for id in RunName::resolve_all(&args.runs, &store)? {
        let run = store.run(id)?;
        let mut folder = root.to_owned();
        for key in &args.partition_by {
            folder.push(key.folder(&run)?);
        }
        let failed = |error| Failure::new(format!("failed to write Parquet: {error}"));
        let document = Document::new(&run, &stored::asked(&run));
        let bytes = match rows {
            Rows::Samples => parquet::samples(&[Source {
                run: &run,
                document: &document,
            }]),
            Rows::Cells => parquet::table(&cells::cells(&[&document])),
            Rows::Sketches => {
                let documents = [document];
                parquet::table(&sketches(std::slice::from_ref(&run), &documents, &left_out))
            }
        };
        make_directory(&folder).map_err(|error| {
            Failure::new(format!("failed to create `{}`: {error}", folder.display()))
        })?;
        let path = folder.join(file_name(&run));
        write(
            &path,
            &bytes.map_err(failed)?,
            Format::Parquet,
            args.replace,
        )?;
    }
    Ok(Exit::Done)
}

/// Returns the name of the file of a run: its number, and in hexadecimal when it began, in ns. Stores of
/// many machines export into one folder, and each counts its runs from 1.
fn file_name(run: &Run) -> String {
    let (id, started) = (run.summary.id, run.summary.started_unix_ns);
    format!("run-{id}-{started:x}.parquet")
}

/// Returns the sketches of runs.
pub(super) fn sketches(runs: &[Run], documents: &[Document], left_out: &[&str]) -> Table {
    let all = runs.iter().zip(documents).map(|(run, document)| SketchOf {
        document,
        host: host_of(&run.summary.tags).map(str::to_owned),
        class: class_of(run),
        day: day(measured_unix_ns(run)),
    });
    let all: Vec<SketchOf<'_>> = all.collect();
    stripewise_export::sketches::sketches(&all, left_out)
}
