//! The confirmation of a study's programs before any of them runs: each by its path.
//!
//! On a terminal the user types the path as it is shown. Elsewhere `--run-program` must name each
//! program. The list also shows the files that they read, and the checksum of each, which is stored with
//! the run.

use std::path::{Path, PathBuf};

use stripewise_catalogue::Message;
use stripewise_report::strip_control;
use stripewise_study::cell::Cell;
use stripewise_study::program::ConfirmedFile;
use stripewise_units::visible::shell_word;

use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// The programs that the command line confirms.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RunProgramArgs {
    /// Confirm that this program of the study may run; repeat for each program that it names
    ///
    /// PATH is the first word of a call under `[program]`. On a terminal, the program asks about each one not
    /// named here.
    #[arg(long, value_name = "PATH")]
    run_program: Vec<PathBuf>,
}

impl RunProgramArgs {
    /// Returns whether a program is named.
    pub(crate) fn is_given(&self) -> bool {
        !self.run_program.is_empty()
    }

    /// Shows what will run, and fails unless each program of the cells is confirmed: here, or because it
    /// is one of `named`.
    pub(crate) fn confirm(
        &self,
        cells: &[Cell],
        files: &[ConfirmedFile],
        named: &[PathBuf],
        printer: &mut Printer,
    ) -> Result<()> {
        let programs = programs(cells);
        for path in &self.run_program {
            if !programs.contains(&path.as_path()) {
                let known: Vec<String> = programs.iter().map(|path| quoted(path)).collect();
                let shown = strip_control(&path.display().to_string());
                return Err(match known.is_empty() {
                    true => {
                        Failure::new("`--run-program` has no effect: the study names no program")
                            .hint("leave it out")
                    }
                    false => Failure::new(format!(
                        "`--run-program {shown}` names none of the study's programs"
                    ))
                    .hint(format!("the programs are: {}", known.join(", "))),
                });
            }
        }
        if programs.is_empty() {
            return Ok(());
        }
        let mut lines = vec![printer.view().say(&Message::new("confirm-programs"))];
        for file in files {
            lines.push(format!(
                "  {}",
                strip_control(&file.path.display().to_string())
            ));
            let message = Message::new("confirm-program-file");
            let message = message.name("sha256", format!("SHA-256 {}", file.sha256));
            let message = message.digits("bytes", file.bytes);
            lines.push(format!("    {}", printer.view().say(&message)));
        }
        let list = lines.join("\n");
        let is_named = |path: &Path| {
            let mut all = self.run_program.iter().chain(named);
            all.any(|named| named == path)
        };
        let missing: Vec<&Path> = programs
            .into_iter()
            .filter(|path| !is_named(path))
            .collect();
        if missing.is_empty() {
            printer.list(&list);
            return Ok(());
        }
        if !printer.can_ask() {
            printer.list(&list);
            return Err(not_confirmed(&missing));
        }
        printer.show(&format!("{list}\n"));
        for path in &missing {
            let name = strip_control(&path.display().to_string());
            let typed = printer.ask(&Message::new("confirm-program-type").name("name", &name))?;
            if typed != name {
                let message = format!("`{name}` is not confirmed: nothing was run");
                return Err(Failure::new(message).hint("type the path as it is shown"));
            }
        }
        Ok(())
    }
}

/// Returns the programs that the cells call, each once.
fn programs(cells: &[Cell]) -> Vec<&Path> {
    let mut all: Vec<&Path> = Vec::new();
    for program in cells
        .iter()
        .filter_map(|cell| cell.workload.program.as_ref())
    {
        for path in program.called() {
            if !all.contains(&path) {
                all.push(path);
            }
        }
    }
    all
}

fn quoted(path: &Path) -> String {
    format!("`{}`", strip_control(&path.display().to_string()))
}

fn not_confirmed(missing: &[&Path]) -> Failure {
    let names: Vec<String> = missing.iter().map(|path| quoted(path)).collect();
    let options: Vec<String> = missing
        .iter()
        .map(|path| {
            let path = strip_control(&path.display().to_string());
            format!("--run-program {}", shell_word(&path))
        })
        .collect();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    Failure::new(format!("{} {verb} not confirmed", names.join(", "))).hint(format!(
        "if you trust the programs above, add `{}`",
        options.join(" ")
    ))
}
