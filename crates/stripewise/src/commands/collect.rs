//! `stripewise collect`: the facts that `check` judges, as files.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use stripewise_catalogue::Message;
use stripewise_catalogue::Words as _;
use stripewise_check::redact::suspicious;
use stripewise_check::tree::FolderError;
use stripewise_check::{Snapshot, collect, tree};
use stripewise_hosts::collect::collect as collect_hosts;
use stripewise_machine::{OpenDirectoryError, Untrusted};
use stripewise_report::strip_control;

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::host_args::FleetArgs;
use crate::output_file::{OutputFile, Replaces};
use crate::printer::Printer;
use crate::stop::deferred;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Collect before an upgrade, and compare after it:
    stripewise collect --out before
    stripewise collect --out after
    stripewise check --before before --after after

  The facts of three hosts at once, a file for each:
    stripewise collect --hosts web1,web2,web3 --out facts
";

/// Write this machine's facts to files, to `check` elsewhere
///
/// Writes files under their own paths, the output of commands under the paths that sosreport gives
/// them, and `stripewise-collect.json`: exit codes, owners and permissions, and which facts are
/// missing and why. `stripewise check --root` judges it on any machine.
///
/// Reads only, starts no shell, and needs no root; it says how many facts root would add. Passwords
/// and keys are removed from what is written, and of files that may hold secrets only the lines that
/// rules need are kept. Files with words that look random are named. The result still names disks,
/// mounts and users: look at it before you send it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// A new or empty directory, or a file that ends in `.tar.zst`
    ///
    /// Other users cannot read it, also if it replaces a file that they could read. Root makes a
    /// directory only where no other user could redirect its writes, and follows only links of root to
    /// it; a file can be made anywhere.
    #[arg(long, value_name = "DIR|FILE.tar.zst")]
    out: PathBuf,

    #[command(flatten)]
    fleet: FleetArgs,

    /// Replace the file if it exists; a directory is never replaced
    #[arg(long)]
    replace: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    if args.fleet.names_hosts() {
        return of_hosts(args, printer);
    }
    let archive = tree::is_archive(&args.out)
        .then(|| OutputFile::private(&args.out, Replaces::only_with(args.replace)));
    match &archive {
        Some(archive) => archive.check()?,
        None if args.replace => return Err(not_replaced(&args.out)),
        None => {}
    }
    let facts = read_live()?;
    match archive {
        Some(archive) => archive.write_bytes(&packed(&facts, &args.out)?)?,
        // A tree is complete or absent.
        None => deferred(|| tree::write_folder(&facts, &args.out).map_err(not_written))?,
    }
    let wrote = Message::new("collect-wrote")
        .count("files", facts.files.len())
        .count("commands", facts.commands.len());
    printer.remark(&wrote.name("path", args.out.display()));
    let drawn = suspicious(&facts.redacted());
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

/// Writes an archive for each host into a new directory.
fn of_hosts(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let hosts = args.fleet.hosts()?;
    if tree::is_archive(&args.out) {
        let message = "`--out` of several hosts is a directory, with a file for each";
        return Err(Failure::new(message).hint("name a new directory"));
    }
    let failed = |error: std::io::Error| {
        Failure::new(format!("failed to make `{}`: {error}", args.out.display()))
            .hint("name a new directory")
    };
    std::fs::DirBuilder::new()
        .mode(0o700)
        .create(&args.out)
        .map_err(failed)?;
    let mut lost = Vec::new();
    for (host, collected) in deferred(|| collect_hosts(&hosts, |why| why.in_english()))? {
        match collected {
            Ok(archive) => {
                // A name of a host has no `/`: it was checked before `ssh` got it.
                let path = args.out.join(format!("{}.tar.zst", host.replace('/', "_")));
                let file = OutputFile::private(&path, Replaces::only_with(args.replace));
                file.write_bytes(&archive)?;
            }
            Err(why) => lost.push(format!("`{host}`: {why}")),
        }
    }
    let wrote = Message::new("collect-wrote-hosts")
        .count("hosts", hosts.len() - lost.len())
        .digits("all", hosts.len());
    printer.remark(&wrote.name("path", args.out.display()));
    match lost.is_empty() {
        true => Ok(Exit::Done),
        false => Err(Failure::new(format!("no facts of {}", lost.join("; ")))
            .hint("the facts of the other hosts are written")),
    }
}

/// Reads the facts of this machine. A signal also ends the processes of the commands that it runs.
pub(crate) fn read_live() -> Result<Snapshot> {
    deferred(|| Ok::<_, Failure>(collect::read_live()))
}

fn not_replaced(path: &Path) -> Failure {
    let message = format!(
        "`--replace`: `{}` does not end in `.tar.zst`",
        path.display()
    );
    Failure::new(message).hint("only a file is replaced; name a new or empty directory")
}

fn packed(facts: &Snapshot, path: &Path) -> Result<Vec<u8>> {
    tree::archive(facts).map_err(|error| {
        Failure::new(error).context(format!("failed to write archive `{}`", path.display()))
    })
}

fn not_written(error: FolderError) -> Failure {
    let hint = match &error {
        FolderError::Open(OpenDirectoryError::Untrusted(_)) => Some(format!(
            "{}; or write a file: `--out NAME.tar.zst`",
            Untrusted::HINT
        )),
        FolderError::NotEmpty { .. } => Some("name a new or empty directory".to_owned()),
        _ => None,
    };
    Failure::from_error(error.into(), hint)
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
