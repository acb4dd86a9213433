//! `stripewise explain`: why one result differs from another.

mod alone;
mod apart;
mod experiment;
mod facts;
mod pairs;
mod prove;
mod side;
mod stated;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_diagnose::explain::ablation::Change;
use stripewise_diagnose::explain::kinds::JOB_OPTIONS;
use stripewise_report::explained::{Explained, NotRecorded};
use stripewise_results::Run;
use stripewise_study::metric::Metric;
use stripewise_units::Percent;
use stripewise_worlds::model::SEED_DEFAULT;

use self::apart::Apart;
use self::facts::{Facts, Missed};
use self::pairs::Bench;
use self::side::{Side, SideWord};
use self::stated::OfFile;
use super::compare::{parse_metric, parse_share};
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::{OutputFile, Replaces};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Differences up to this share count as none.
const MARGIN_PERCENT: f64 = 2.0;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Two result files of fio, with what `stripewise collect` recorded:
    stripewise explain before.json after.json \\
        --facts-before monday.tar.zst --facts-after friday.tar.zst

  Two runs of the store; the facts are those of the runs:
    stripewise explain 1 2

  One run: what limits its cells, and which cell or member is odd:
    stripewise explain latest

  Two runs, and the experiment that proves the cause, in the lab:
    stripewise explain 1 2 --prove lab

  Two cells of one run, as a page to mail:
    stripewise explain 1:1 1:2 --page why.html
";

/// Explain why one result differs from another
///
/// BEFORE and AFTER are each a JSON file of fio, a directory with such files (repeats), a run of the
/// store, or one cell of it: `RUN:NUMBER`, as `stripewise study` numbers them, or `RUN:KEY=VALUE,...`.
/// Cells with the same load are compared; if each side has one cell, these are.
///
/// One run alone is explained, too: what limits each group of its cells in the model, which cell is unlike
/// the others beside its prediction, and which member is slower than the others.
///
/// Of two results, the answer says whether there is a difference and how sure that is, which recorded facts differ, what
/// each of them does in the model, alone and together, what the samples say of it, what to do, and
/// what is left. Where the difference may be noise, no cause is named. A fact that was not recorded
/// is listed. Facts that the model does not know, such as a drive's firmware, have no number.
///
/// Facts come from the runs, and from `--facts-before` and `--facts-after`: directories or archives that
/// `stripewise collect` wrote, unpacked sosreports, or directories with the files of a machine.
/// Reads only.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The earlier result: a JSON file of fio, a directory of such files, a run, or `RUN:CELL`
    before: SideWord,

    /// The later result; without it, what limits the cells of the first one, and which is odd
    after: Option<SideWord>,

    /// What was recorded of the machine when the earlier result was measured
    #[arg(long, value_name = "TREE")]
    facts_before: Option<PathBuf>,

    /// The same of the later result
    #[arg(long, value_name = "TREE", requires = "after")]
    facts_after: Option<PathBuf>,

    /// The device profile of the model [default: a class, by the kind of disk]
    #[arg(long, value_name = "PROFILE")]
    device: Option<String>,

    /// The host profile of the model [default: the one with which the device's profile was fitted, else `default`]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,

    /// Search DIR for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    /// The metric to explain: bandwidth, iops, latency_mean, latency_p50, latency_p99, latency_p999,
    /// sync_latency_mean, sync_latency_p99
    #[arg(long, value_parser = parse_metric, default_value = "bandwidth")]
    metric: Metric,

    /// Differences up to this share count as none [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    margin: Option<Percent>,

    /// Seed of the simulations; the same seed gives the same answer, bit for bit
    #[arg(long, value_name = "N", default_value_t = SEED_DEFAULT)]
    seed: u64,

    /// Write the study that tells the first two causes apart into this new file
    #[arg(long, value_name = "FILE", requires = "after")]
    save: Option<PathBuf>,

    /// Run the smallest experiment that proves the cause, in the `lab`, and show what it gives
    ///
    /// It needs a prepared guest (`stripewise lab prepare`), and a cause that lies in the kernel, its settings,
    /// the array or the filesystem: the lab's disks are modelled.
    #[arg(long, value_name = "WHERE", value_parser = ["lab"], requires = "after", conflicts_with_all = ["json", "format", "page"])]
    prove: Option<String>,

    /// Write the answer as one HTML file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "format"])]
    page: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    answers::check_page("explain", args.page.as_deref())?;
    let before = Side::open(&args.before, args)?;
    let Some(after) = &args.after else {
        return alone::run(args, &before, printer);
    };
    let after = Side::open(after, args)?;
    before.refuse_same(&after)?;
    let mut facts = [
        Facts::of(&before, args.facts_before.as_deref())?,
        Facts::of(&after, args.facts_after.as_deref())?,
    ];
    let apart = Apart::of(&before, &after)?;
    facts[1].tell_apart(&apart);
    let mut explained = Explained::new([before.name.clone(), after.name.clone()]);
    explained.has_facts = [&facts[0], &facts[1]].map(Facts::are_of_machine);
    explained.not_recorded = of_load(&before, &after);
    explained
        .not_recorded
        .extend(not_recorded([&facts[0], &facts[1]]));
    explained.warnings = [&before, &after].map(Side::imported);
    explained.conflicts = [&facts[0], &facts[1]].map(|facts| facts.conflicts().to_vec());
    let bench = Bench::new(args, &before, &after, [&facts[0], &facts[1]], &apart)?;
    bench.explain(&mut explained, printer)?;
    if let Some(path) = &args.save {
        save(path, &explained)?;
    }
    let experiment = prove::experiment(args, &explained);
    let blocks = explained.blocks();
    let answer = Answer::new(Message::new("explain-title"), explained, blocks);
    let exit = answers::give(
        "explain",
        &answer,
        args.page.as_deref(),
        args.format,
        printer,
    )?;
    // The answer comes first, then what is missing for a proof.
    match experiment? {
        Some(experiment) => prove::run(args, &experiment, printer),
        None => Ok(exit),
    }
}

pub(super) use side::selected;

/// Returns the facts that differ between a cell of an earlier run and one of a later run.
pub(super) fn facts_that_changed(before: (Run, usize), after: (Run, usize)) -> Result<Vec<Change>> {
    let known = |(run, cell): (Run, usize)| -> Result<BTreeMap<String, String>> {
        let side = Side {
            name: run.summary.id.to_string(),
            run,
            is_files: false,
            cells: vec![cell],
        };
        let facts = Facts::of(&side, None)?;
        Ok(facts.with_cell(&side.run, cell))
    };
    let (before, after) = (known(before)?, known(after)?);
    Ok(facts::changes(&before, &after))
}

impl Args {
    fn margin(&self) -> Result<Percent> {
        match self.margin {
            Some(margin) => Ok(margin),
            None => Percent::new(MARGIN_PERCENT)
                .ok_or_else(|| Failure::new("the default margin is not a share")),
        }
    }
}

/// Returns what result files of fio do not say of their loads.
fn of_load(before: &Side, after: &Side) -> Vec<NotRecorded> {
    let lacks = |side: &Side, key: &str| {
        let mut cells = side.cells.iter();
        cells.any(|cell| {
            let file = OfFile::of(&side.run, *cell);
            file.and_then(|file| file.lacks(&side.run.cells[*cell])) == Some(key)
        })
    };
    let all = [
        (JOB_OPTIONS, "explain-no-job-options"),
        ("size", "explain-no-size"),
    ];
    let found = all.into_iter().map(|(key, why)| {
        let of = |side: &Side| lacks(side, key).then(|| Message::new(why));
        NotRecorded {
            key: key.to_owned(),
            before: of(before),
            after: of(after),
        }
    });
    found
        .filter(|one| one.before.is_some() || one.after.is_some())
        .collect()
}

/// Returns the facts that a side lacks.
fn not_recorded(facts: [&Facts; 2]) -> Vec<NotRecorded> {
    let of = |key: &'static str| {
        let [before, after] = facts.map(|facts| facts.missed(key));
        let why = |missed: Missed| match missed {
            Missed::No => None,
            Missed::Why(why) => Some(why),
            Missed::NeverRead => Some(Message::new("explain-never-read")),
        };
        let (before, after) = (why(before), why(after));
        (before.is_some() || after.is_some()).then(|| NotRecorded {
            key: key.to_owned(),
            before,
            after,
        })
    };
    Facts::keys_of_machine(facts)
        .into_iter()
        .filter_map(of)
        .collect()
}

/// Writes the first study that tells causes apart.
fn save(path: &Path, explained: &Explained) -> Result<()> {
    let mut experiments = explained
        .pairs
        .iter()
        .filter_map(|pair| pair.experiment.as_ref());
    let Some(experiment) = experiments.next() else {
        return Err(
            Failure::new("--save: no cause is named that a study can change")
                .hint("leave `--save` out to see what differs"),
        );
    };
    let output = OutputFile::new(path, Replaces::never());
    output.write_bytes(experiment.study.as_bytes())
}
