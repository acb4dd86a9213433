//! `stripewise collect`: the facts that `check` judges, as files.

use std::path::PathBuf;

use stripewise_catalogue::Message;
use stripewise_check::redact::suspicious;
use stripewise_check::{Snapshot, collect, tree};
use stripewise_report::strip_control;

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Collect before an upgrade, and compare after it:
    stripewise collect --out before
    stripewise collect --out after
    stripewise check --before before --after after
";

/// Collect the facts of this machine for `check`
///
/// Writes files under their own paths, the output of commands under the paths that sosreport gives
/// them, and `stripewise-collect.json`: exit codes, owners and permissions, and which facts are
/// missing and why. `stripewise check --root` judges it on any machine.
///
/// Reads only, starts no shell, and needs no root; it says how many facts root would add. Passwords
/// and keys are removed where they are read, and of files that may hold secrets only the lines that
/// rules need are kept. Files with words that look random are named. The result still names disks,
/// mounts and users: look at it before you send it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// A new or empty directory, or a file that ends in `.tar.zst`
    #[arg(long, value_name = "DIR|FILE.tar.zst")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let facts = collect::read_live();
    tree::write(&facts, &args.out).map_err(|error| Failure::from_error(error.into(), None))?;
    let wrote = Message::new("collect-wrote")
        .count("files", facts.files.len())
        .count("commands", facts.commands.len());
    printer.remark(&wrote.name("path", args.out.display()));
    let drawn = suspicious(&facts);
    if !drawn.is_empty() {
        let files: Vec<_> = drawn.keys().map(|path| strip_control(path)).collect();
        let look = Message::new("collect-look").count("count", drawn.values().sum::<usize>());
        printer.remark(&look.name("files", files.join(", ")));
    }
    let (missing, denied) = missing_counts(&facts);
    if missing > 0 {
        printer.remark(&Message::new("collect-missing").count("count", missing));
    }
    if denied > 0 {
        printer.remark(&Message::new("collect-needs-root").count("count", denied));
    }
    Ok(Exit::Done)
}

/// Returns how many facts are missing, and how many of them root would add.
pub(crate) fn missing_counts(facts: &Snapshot) -> (usize, usize) {
    let failed = facts
        .commands
        .values()
        .filter(|ran| ran.exit != Some(0))
        .count();
    let denied = match rustix::process::geteuid().is_root() {
        true => 0,
        false => {
            let files = facts
                .missing
                .values()
                .filter(|why| why.contains("denied"))
                .count();
            files + collect::refused_commands(facts)
        }
    };
    (facts.missing.len() + failed, denied)
}
