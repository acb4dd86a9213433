//! `stripewise site scan`: what a rewrite would change, and what else is in a dump.

use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_site::verify::dump;

use super::answer::apart;
use super::document::{Dump, SiteDocument};
use super::input::{self, InputArgs, PolicyArgs, SearchArgs};
use crate::answers::{self, OutputFormatArgs};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Where an old address is, and which paths of the old server a dump names:
    stripewise site scan --from http://old.example dump.sql
";

/// Show what a rewrite would change
///
/// For each column: how many addresses, in which form, with the text around the first ones. Then
/// which serialized values are broken already, which other hosts the dump names, and which absolute
/// paths: these are the `--from` of a `rewrite`. Nothing is written. The exit code is 1 if `rewrite`
/// could not replace every address.
///
/// Neither command unpacks what is packed in a value, as it is or in hexadecimal digits or base64.
/// Such values are named and counted, and the exit code is 2, also if the dump holds no values.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    format: OutputFormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let pairs = args.search.pairs(args.policy.policy(), printer)?;
    let options = args.input.options(true);
    let mut reports = Vec::new();
    for path in args.input.paths() {
        let report = dump(input::open(&path)?, &pairs, &options);
        reports.push(report.map_err(|error| input::failure(&path, &error))?);
    }
    args.input.check_names(&reports)?;
    input::forget_inputs(&args.input.paths(), &mut reports);
    let found = SiteDocument::of_dumps(&args.input.paths(), &reports);
    let blocks = apart(found.dumps.iter().map(Dump::scanned));
    let exit = input::exit_of(&reports);
    let is_known = found.dumps.iter().all(|dump| dump.unlooked() == 0);
    let answer = Answer::new(Message::new("site-scan-title"), found, blocks);
    answers::print("site scan", &answer, args.format.into(), printer)?;
    Ok(match exit {
        Exit::Done if !is_known => Exit::CouldNot,
        exit => exit,
    })
}
