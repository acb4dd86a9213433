//! `stripewise check`: rules about this machine, or about one whose facts were collected.

mod cost;
mod fix;
mod hosts;

use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_catalogue::{Message, Words};
use stripewise_check::{
    CheckReport, Rule, Severity, Snapshot, collect, compare, rules, sarif, tree,
};
use stripewise_units::suggest::nearest;

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::host_args::FleetArgs;
use crate::inputs;
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Judge this machine, or only by what puts data at risk:
    stripewise check --fail-on critical

  Why a rule is one, and what to do:
    stripewise check --explain md.bitmap-chunk

  The results as a page, to mail or to print:
    stripewise check --page check.html

  Three hosts at once, in one table:
    stripewise check --hosts web1,web2,web3
";

/// Judge this or a collected machine: faults, and reboot traps
///
/// Reads facts and judges them by rules: storage first, then what breaks at a reboot, an
/// upgrade or a move. Each rule has a source, a fix, and the fix's risk: `--explain`. There are
/// four outcomes, always all counted: pass, fail, info, and not run because a fact is missing.
/// Nothing passes because it could not be read: without root, or without a tool, rules are not
/// run.
///
/// `--root` judges a directory or archive that `stripewise collect` wrote, an unpacked sosreport,
/// or a directory with the files of a machine. `--before` and `--after` compare two of them: which
/// facts changed, and which rules turned.
///
/// The exit code is 1 if a rule failed that is at least as severe as `--fail-on`; of a
/// comparison, only if it did not fail before. Reads only, except with `--fix`, which writes
/// kernel settings after you confirm them; `stripewise restore` undoes that.
///
/// docs/check.md lists the rules.
#[derive(Debug, clap::Args)]
#[command(mut_arg("format", |arg| arg.value_parser(answers::with_verdicts())))]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Judge these facts instead of this machine's
    #[arg(long, value_name = "DIR|FILE.tar.zst")]
    root: Option<PathBuf>,

    #[command(flatten)]
    fleet: FleetArgs,

    /// Compare these facts with those of `--after`
    #[arg(long, value_name = "TREE", requires = "after", conflicts_with_all = ["root", "sarif"])]
    before: Option<PathBuf>,

    /// The later facts of a comparison
    #[arg(long, value_name = "TREE", requires = "before")]
    after: Option<PathBuf>,

    /// Exit with 1 if a rule of this severity, or a worse one, fails: low, medium, high or critical
    #[arg(long, value_name = "SEVERITY", default_value_t = Severity::Low)]
    fail_on: Severity,

    /// Explain a rule: reason, source, how to prove it here, fix, risk, undo
    #[arg(long, value_name = "ID", conflicts_with_all = ["root", "before", "json", "format", "sarif", "fix", "fail_on"])]
    explain: Option<String>,

    /// Write the kernel settings that fix this rule on this machine, after a confirmation
    #[arg(long, value_name = "ID", conflicts_with_all = ["root", "before", "json", "format", "sarif"])]
    fix: Option<String>,

    /// Confirm `--fix` without a question
    #[arg(long, requires = "fix")]
    yes: bool,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,

    /// Write the results as one HTML file; `-` is standard output
    ///
    /// An earlier page is replaced. Any other existing file is an error and stays as it is.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "format", "sarif", "before", "explain", "fix"])]
    page: Option<PathBuf>,

    /// Print a SARIF log, for code scanners and ticket systems
    #[arg(long, conflicts_with_all = ["json", "format"])]
    sarif: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    if let Some(id) = &args.explain {
        let rule = rule(id)?;
        let answer = Answer::new(Message::new("check-page-title"), (), rule.blocks());
        return answers::print("check", &answer, FormatArgs::default(), printer);
    }
    if let Some(id) = &args.fix {
        return fix::run(rule(id)?, args.yes, &args.store, printer);
    }
    if let (Some(before), Some(after)) = (&args.before, &args.after) {
        let compared = compare::compare(&read(before)?, &read(after)?);
        if compared.changes.is_empty() && compared.turned.is_empty() {
            printer.remark(&Message::new("check-no-change"));
        }
        let summary = compared.after.summary.message();
        let blocks = compared.blocks(args.fail_on);
        let is_no = compared.turned_bad(args.fail_on);
        let answer = Answer::new(Message::new("check-compare-title"), compared, blocks);
        let answer = answer.summary(summary).no_if(is_no);
        return answers::print("check", &answer, args.format, printer);
    }
    answers::check_page("check", args.page.as_deref())?;
    if args.fleet.names_hosts() {
        return hosts::run(args, printer);
    }
    let facts = match &args.root {
        Some(root) => read(root)?,
        None => super::collect::read_live()?,
    };
    let exit = judged(args, CheckReport::of(&facts), printer)?;
    let (_, denied) = super::collect::missing_counts(&facts);
    if args.root.is_none() && denied > 0 {
        printer.remark(&Message::new("check-needs-root").count("count", denied));
    }
    Ok(exit)
}

/// Prints what the rules found.
fn judged(args: &Args, report: CheckReport, printer: &mut Printer) -> Result<Exit> {
    let is_no = report.fails_at(args.fail_on);
    if args.sarif {
        let summary = report.summary.message();
        let found = sarif(&report, env!("CARGO_PKG_VERSION"), Words::in_english);
        printer.remark(&summary);
        let title = Message::new("check-page-title");
        let answer = Answer::new(title, found, Vec::new()).no_if(is_no);
        return answers::print("check", &answer, FormatArgs::JSON, printer);
    }
    let answer = answer(report, args.root.as_deref(), args.fail_on).no_if(is_no);
    answers::give("check", &answer, args.page.as_deref(), args.format, printer)
}

/// Returns what the rules found on this machine, or in the facts at `root`, with what it costs.
fn answer(mut report: CheckReport, root: Option<&Path>, fail_on: Severity) -> Answer<CheckReport> {
    cost::simulate(&mut report);
    let about = match root {
        Some(root) => Message::new("check-page-root").name("path", root.display()),
        None => Message::new("check-page-here"),
    };
    let (blocks, summary) = (report.blocks(fail_on), report.summary.message());
    let answer = Answer::new(Message::new("check-page-title"), report, blocks);
    answer.about(about).summary(summary)
}

/// Returns what the rules find on this machine now, for a page. Nothing defers a signal meanwhile.
pub(super) fn answer_here() -> Answer<CheckReport> {
    answer(CheckReport::of(&collect::read_live()), None, Severity::Low)
}

/// Returns what the rules find in collected facts, for a page.
pub(super) fn answer_of(root: &Path) -> Result<Answer<CheckReport>> {
    let report = CheckReport::of(&read(root)?);
    Ok(answer(report, Some(root), Severity::Low))
}

/// Reads the facts of a tree.
pub(super) fn read(path: &Path) -> Result<Snapshot> {
    inputs::note_path(path);
    tree::read(path).map_err(|error| {
        let hint = "name a directory or an archive that `stripewise collect --out` wrote, an unpacked sosreport, or a directory with the files of a machine";
        Failure::from_error(error.into(), Some(hint.to_owned()))
    })
}

fn rule(id: &str) -> Result<&'static Rule> {
    rules::named(id).ok_or_else(|| {
        let names = rules::all().map(|rule| rule.id);
        let hint = match nearest(id, names) {
            Some(near) => format!("did you mean `{near}`? docs/check.md lists all"),
            None => "docs/check.md lists all".to_owned(),
        };
        Failure::new(format!("there is no rule `{id}`")).hint(hint)
    })
}
