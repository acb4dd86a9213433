//! Converts the table `[program]`: a program whose promises a power cut tests takes the place of all
//! workloads, one for each size of its records.

use std::path::Path as FilePath;

use crate::locate::Path;
use crate::raw::ProgramTable;
use crate::source::{ProblemText, Source};
use stripewise_study::load::Load;
use stripewise_study::program::Program;
use stripewise_study::workload::{Pattern, Workload};
use stripewise_units::{Bytes, Nanos};

/// The largest record that is passed to a program.
const RECORD_BYTES_MAX: Bytes = Bytes::new(64 << 20);
/// The longest check.
const LIMIT_MAX: Nanos = Nanos::from_millis(3_600_000);
/// The most words of a call.
const WORDS_MAX: usize = 256;

/// Returns the workloads of the program, or `None` if the study names none.
pub(crate) fn workloads(source: &mut Source) -> Option<Vec<Workload>> {
    let path = Path::default().key("program");
    let item = source.root().get("program")?.clone();
    for key in ["workload", "neighbour"] {
        if source.root().get(key).is_some() {
            let report =
                ProblemText::new(format!("`[{key}]` does not go with `[program]`"), "here")
                    .at_key();
            let hint = "the program is the load: leave one of them out";
            source.problem(&Path::default().key(key), report.hint(hint));
        }
    }
    let table: ProgramTable = source.read(&path, &item)?;
    let calls = [
        ("load", Some(&table.load)),
        ("check", table.check.as_ref()),
        ("recover", table.recover.as_ref()),
    ];
    for (key, call) in calls {
        if let Some(call) = call {
            check_call(source, &path.key(key), call);
        }
    }
    for (index, file) in table.files.iter().enumerate() {
        if !is_plain(file) {
            let at = path.key("files").element(Some(index));
            source.problem(&at, not_absolute(&file.to_string_lossy()));
        }
    }
    let limit = table
        .limit
        .as_ref()
        .map_or(Program::LIMIT_DEFAULT, |limit| limit.0);
    if limit == Nanos::default() || limit > LIMIT_MAX {
        let report = ProblemText::new(format!("`limit = \"{limit}\"` is not possible"), "here");
        let hint = format!("from above 0 to {LIMIT_MAX}");
        source.problem(&path.key("limit"), report.hint(hint));
    }
    let sizes: Vec<Option<Bytes>> = match &table.record_size {
        None => vec![None],
        Some(sizes) => sizes.values.iter().map(|size| Some(size.0)).collect(),
    };
    let mut workloads: Vec<Workload> = Vec::new();
    for (index, size) in sizes.iter().enumerate() {
        let is_list = table.record_size.as_ref().is_some_and(|list| list.is_list);
        let at = path.key("record_size").element(is_list.then_some(index));
        if size.is_some_and(|size| size > RECORD_BYTES_MAX || size == Bytes::new(0)) {
            let report = ProblemText::new("such a record is not possible", "here");
            source.problem(
                &at,
                report.hint(format!("from 1 byte to {RECORD_BYTES_MAX}")),
            );
        }
        if sizes[..index].contains(size) {
            let report = ProblemText::new("`record_size` lists a value twice", "again");
            source.problem(&at, report.hint("name each size once"));
        }
        workloads.push(workload(&table, *size, limit));
    }
    Some(workloads)
}

fn workload(table: &ProgramTable, size: Option<Bytes>, limit: Nanos) -> Workload {
    let program = table.load.first().map(FilePath::new);
    let program = program.and_then(FilePath::file_name);
    let program = program.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let name = match size {
        Some(size) => format!("{program}-{size}"),
        None => program,
    };
    Workload {
        program: Some(Program {
            load: table.load.clone(),
            check: table.check.clone(),
            recover: table.recover.clone(),
            files: table.files.clone(),
            acknowledgement: table.acknowledgement.clone(),
            record_bytes: size,
            limit,
        }),
        name: Some(name),
        // The program takes its place, and no table shows its keys.
        ..Workload::alone(Load::new(
            Pattern::Write,
            Bytes::new(4096),
            Bytes::new(1 << 20),
        ))
    }
}

fn check_call(source: &mut Source, path: &Path, call: &[String]) {
    let report = match call.first() {
        None => ProblemText::new("a call is empty", "here")
            .hint("the path of the program, then its arguments"),
        Some(_) if call.len() > WORDS_MAX => ProblemText::new("a call is too long", "here")
            .hint(format!("{WORDS_MAX} words at most")),
        Some(program) if !is_plain(FilePath::new(program)) => not_absolute(program),
        Some(_) => return,
    };
    source.problem(path, report);
}

/// Returns whether a path means the same file from everywhere, and is written in one way only.
fn is_plain(path: &FilePath) -> bool {
    use std::path::Component;
    path.is_absolute()
        && path
            .components()
            .all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
        && path.file_name().is_some()
}

fn not_absolute(path: &str) -> ProblemText {
    ProblemText::new(format!("`{path}` is no absolute path"), "here")
        .hint("begin it with `/`, without `..`: nothing is searched for, so that one file is meant")
}
