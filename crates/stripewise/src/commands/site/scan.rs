//! `stripewise site scan`: what a rewrite would change, and what else is in a dump.

use std::collections::BTreeMap;
use std::ffi::OsString;

use stripewise_catalogue::Message;
use stripewise_report::strip_control;
use stripewise_site::InputReport;
use stripewise_site::verify::dump;

use super::input::{self, InputArgs, PolicyArgs};
use super::json::{Dump, SiteDocument};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// How many hosts and paths are shown.
const NAMES_SHOWN: usize = 20;

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
    /// An old address or path; repeat for several
    #[arg(
        long,
        value_name = "OLD",
        required_unless_present = "literal",
        allow_hyphen_values = true
    )]
    from: Vec<OsString>,

    #[command(flatten)]
    literals: input::LiteralArgs,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    policy: PolicyArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let from = (args.from.as_slice(), args.from.as_slice());
    let pairs = input::pairs(from, &args.literals.pairs(), args.policy.policy())?;
    input::remarks(&args.from, &args.from, printer);
    let options = args.input.options(true);
    let mut found = SiteDocument::new();
    let mut reports = Vec::new();
    for path in args.input.paths() {
        let report = dump(input::open(&path)?, &pairs, &options);
        reports.push(report.map_err(|error| input::failure(&path, &error))?);
    }
    args.input.check_names(&reports)?;
    input::forget_inputs(&args.input.paths(), &mut reports);
    for (path, report) in args.input.paths().iter().zip(&reports) {
        if args.json {
            found.dumps.push(Dump::new(path, report));
            continue;
        }
        input::columns(report, printer, true)?;
        let total = Message::new("site-found")
            .name("file", input::name_of(path))
            .count("count", report.replaced())
            .count("values", report.values());
        printer.line(&total)?;
        let left = [
            ("site-left-base64", report.left_base64()),
            ("site-left-keys", report.left_keys()),
            ("site-left-stuck", report.stuck()),
        ];
        for (entry, count) in left.into_iter().filter(|(_, count)| *count > 0) {
            printer.line(&Message::new(entry).count("count", count))?;
        }
        names("site-host", &report.hosts, printer)?;
        names("site-path", &report.paths, printer)?;
        input::unknown(path, report, printer)?;
    }
    if args.json {
        printer.json(&found)?;
    }
    let is_known = |report: &InputReport| {
        report.packed_count() + report.included_count == 0 && report.looked_at > 0
    };
    Ok(match input::exit_of(&reports) {
        Exit::Done if !reports.iter().all(is_known) => Exit::CouldNot,
        exit => exit,
    })
}

/// Prints names, the most frequent first.
fn names(entry: &'static str, names: &BTreeMap<String, u64>, printer: &mut Printer) -> Result<()> {
    let mut names: Vec<(&String, &u64)> = names.iter().collect();
    names.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
    for (name, count) in names.into_iter().take(NAMES_SHOWN) {
        let message = Message::new(entry).name("name", strip_control(name));
        printer.line(&message.count("count", *count))?;
    }
    Ok(())
}
