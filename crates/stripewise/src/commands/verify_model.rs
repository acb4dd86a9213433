//! `stripewise verify-model`: compares the model's counts with those of the real driver.

mod answer;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stripewise_answer::Answer;
use stripewise_catalogue::{Message, Words};
use stripewise_lab::Lab;
use stripewise_process::UntilStopped;
use stripewise_profiles::Profiles;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::profile_file::host_from_toml;
use stripewise_profiles::shipped;
use stripewise_report::document::SCHEMA;
use stripewise_study::facts::Facts;
use stripewise_study::plan::{Compare, Repeat, Study};
use stripewise_study::stack::Level;
use stripewise_study::world::{NoJournal, World};
use stripewise_units::kernel::KernelVersion;
use stripewise_verify::draw::{LEVELS, cases};
use stripewise_verify::golden::Header;
use stripewise_verify::latency::HOST;
use stripewise_verify::{
    Case, CheckError, Checked as CheckedCase, Driver, Golden, Rules, VerifyReport, check_driver,
    check_golden, golden,
};
use stripewise_worlds::lab::{Purpose, open_with};

use self::answer::{distance, nearest_of, reasons};
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::input_file::read_text;
use crate::lab_world::LabArgs;
use crate::model::AskedKernel;
use crate::printer::Printer;
use crate::stop::{Stop, deferred};

/// The largest golden file that is read.
const GOLDEN_BYTES_MAX: usize = 64 << 20;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Twenty random cases against the md of a guest:
    stripewise lab prepare
    stripewise verify-model --cases 20 --seed 7

  Only RAID 6, and keep the counts for later:
    stripewise verify-model --level raid6 --cases 50 --keep raid6.jsonl

  Check against recorded counts, without a guest:
    stripewise verify-model \\
        --golden crates/verify/golden/linux-6.1.192.jsonl
";

/// Check the model against the real md driver
///
/// Draws arrays and I/Os from a seed, runs them through the model and through the real md of a lab
/// guest, and compares the requests, merges and sectors of each member. Counts that depend on the
/// I/Os alone must be equal. If they also depend on the speed of disks and CPU, each member may be
/// as far from the driver as recorded cases of the same kind were; the table says which cases and
/// why, and a line says how near each is. A case that differs is shrunk to a smaller one.
///
/// Mean latencies are compared for one small I/O at a time on slow disks. They may differ by 2 %,
/// by 4 % if blocks of failed members are reconstructed, and by 8 % with writes; with several I/Os
/// of less than 128K in flight, by 31 %. While it counts, the guest kernel does not throttle writes, because throttling depends on earlier writes.
///
/// Needs a guest (`stripewise lab prepare`), or counts that were recorded with `--keep`, which
/// `--golden` checks without a guest in a second. Writes nothing but the file of `--keep`.
///
/// Exit codes: 0 all agree, 1 something differs, 2 failed.
#[derive(Debug, clap::Args)]
#[command(mut_arg("format", |arg| arg.value_parser(answers::with_verdicts())))]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Number of cases to draw
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000), conflicts_with = "golden")]
    cases: u64,

    /// Seed for the cases
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "golden")]
    seed: u64,

    /// Draw only arrays of this level
    #[arg(long, value_name = "LEVEL", value_parser = level_of, conflicts_with = "golden")]
    level: Option<Level>,

    /// The kernel of the guest [default: the distribution's own, else the newest prepared one]
    #[arg(long, value_name = "VERSION", value_parser = AskedKernel::parse, conflicts_with = "golden")]
    kernel: Option<AskedKernel>,

    #[command(flatten)]
    lab: LabArgs,

    /// Maximum attempts to shrink a case that differs
    #[arg(
        long,
        value_name = "N",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(0..=100_000),
        conflicts_with = "golden"
    )]
    attempts: u32,

    /// Write the cases and the driver's counts to a new file, for `--golden`
    #[arg(long, value_name = "FILE", conflicts_with = "golden")]
    keep: Option<PathBuf>,

    /// Count the cases of this file again, instead of drawn ones
    ///
    /// Each case has the number of its line, from 0. With `--times`, the differences between the
    /// driver's own counts show how much of a distance from the model is chance.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["golden", "cases", "seed", "level"])]
    recount: Option<PathBuf>,

    /// How often to count all cases, one round after the other, each on new arrays
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100), conflicts_with = "golden")]
    times: u64,

    /// Check against the counts in this file instead of a guest; repeat for several files
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cache", "clock", "fast", "memory", "disk_size"])]
    golden: Vec<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,
}

/// The result of one golden file, or of a guest.
#[derive(Serialize)]
struct Checked {
    /// The kernel of the driver.
    #[serde(with = "stripewise_units::kernel::possible_text")]
    kernel: KernelVersion,
    /// The file; `None` for a guest.
    golden: Option<PathBuf>,
    #[serde(flatten)]
    report: VerifyReport,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    agrees: bool,
    checked: &'a [Checked],
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let host = guests_host()?;
    let mut checked = Vec::new();
    for path in &args.golden {
        checked.push(from_golden(path, &host)?);
    }
    let mut ended = Ok(());
    if args.golden.is_empty() {
        let (found, end) = from_driver(args, &host, printer)?;
        checked.push(found);
        ended = end;
    }
    let agrees = ended.is_ok() && checked.iter().all(|checked| checked.report.agrees());
    let blocks = checked.iter().flat_map(answer::blocks).collect();
    let document = Document {
        schema: SCHEMA,
        agrees,
        checked: &checked,
    };
    let answer = Answer::new(Message::new("verify-answer-title"), document, blocks);
    let exit = answers::print("verify-model", &answer.no_if(!agrees), args.format, printer)?;
    // The results are printed even if the guest died before the last case.
    ended?;
    Ok(exit)
}

/// Returns the cases to count: drawn ones, or those of a file; several times one after the other.
fn cases_of(args: &Args) -> Result<Vec<(u64, Case)>> {
    let once: Vec<(u64, Case)> = match &args.recount {
        None => cases(args.seed, args.level, args.cases).collect(),
        Some(path) => {
            let entries = read_golden(path)?.entries.into_iter();
            (0..).zip(entries.map(|entry| entry.case)).collect()
        }
    };
    Ok((0..args.times).flat_map(|_round| once.clone()).collect())
}

fn from_golden(path: &Path, host: &HostProfile) -> Result<Checked> {
    let golden = read_golden(path)?;
    let report = check_golden(&golden, host).map_err(failed)?;
    Ok(Checked {
        kernel: golden.kernel,
        golden: Some(path.to_owned()),
        report,
    })
}

fn read_golden(path: &Path) -> Result<Golden> {
    let attempted = || format!("failed to read golden file `{}`", path.display());
    let text = read_text("golden file", path, GOLDEN_BYTES_MAX)?;
    if text.len() > GOLDEN_BYTES_MAX {
        let problem = format!("it is larger than {} MiB", GOLDEN_BYTES_MAX >> 20);
        return Err(Failure::new(problem).context(attempted()));
    }
    Golden::parse(&text)
        .map_err(|error| Failure::from_error(error.into(), None).context(attempted()))
}

/// Returns the result of a guest's driver, and the error if it ended before the last case.
fn from_driver(
    args: &Args,
    host: &HostProfile,
    printer: &mut Printer,
) -> Result<(Checked, Result<()>)> {
    let cases = cases_of(args)?;
    let count = cases.len();
    let mut world = lab(args, &cases, printer)?;
    let stop = Stop::listen()?;
    let facts = deferred(|| world.facts())?;
    let kernel = facts.kernel_version().ok_or_else(|| {
        let release = facts.kernel.as_deref().unwrap_or("unknown");
        Failure::new(format!(
            "failed to read the kernel version of the guest from its release `{release}`"
        ))
    })?;
    let mut kept = match &args.keep {
        Some(path) => Some(GoldenWriter::create(path, kernel, &facts)?),
        None => None,
    };
    let (mut journal, mut watch) = (NoJournal, UntilStopped);
    let mut driver = Driver {
        world: &mut world,
        journal: &mut journal,
        watch: &mut watch,
        counted: 0,
    };
    let rules = Rules { kernel, host };
    let mut done = 0;
    let mut on_case = |checked: CheckedCase<'_>| {
        done += 1;
        if let Some(kept) = &mut kept {
            kept.add(checked);
        }
        let remark = remark(checked).digits("done", done);
        printer.remark(&remark.digits("cases", count));
    };
    let mut report = VerifyReport::default();
    let attempts = args.attempts;
    let ended = check_driver(
        cases,
        rules,
        &mut driver,
        attempts,
        &mut on_case,
        &mut report,
    );
    world.power_off();
    if let Some(kept) = kept {
        kept.finish()?;
    }
    let checked = Checked {
        kernel,
        golden: None,
        report,
    };
    Ok((checked, stop.check().and(ended.map_err(failed))))
}

/// Returns the result of a case; the caller adds how many are done.
fn remark(checked: CheckedCase<'_>) -> Message {
    let message = match nearest_of(checked.distances) {
        Some(nearest) => Message::new("verify-case-because")
            .with("reason", reasons(nearest))
            .with("distance", distance(nearest)),
        None => Message::new("verify-case"),
    };
    let verdict = match checked.verdict.agrees() {
        true => "agrees",
        false => "differs",
    };
    message
        .digits("number", checked.number)
        .name("verdict", verdict)
        .name("title", checked.case.title())
}

/// Writes a golden file.
struct GoldenWriter {
    path: PathBuf,
    file: File,
    problem: Option<std::io::Error>,
}

impl GoldenWriter {
    fn create(path: &Path, kernel: KernelVersion, facts: &Facts) -> Result<Self> {
        let tool = |name: &str| {
            let version = facts.tools.get(name);
            version.cloned().unwrap_or_else(|| "unknown".to_owned())
        };
        let header = Header {
            schema: golden::SCHEMA,
            kernel: kernel.to_string(),
            mdadm: tool("mdadm"),
            fio: tool("fio"),
        };
        let file = File::create_new(path).map_err(|error| {
            Failure::from(error).context(format!("failed to create `{}`", path.display()))
        })?;
        let mut kept = Self {
            path: path.to_owned(),
            file,
            problem: None,
        };
        kept.write(&header);
        Ok(kept)
    }

    /// Adds a case, and writes it at once: the run may end at any time.
    fn add(&mut self, checked: CheckedCase<'_>) {
        self.write(&checked.entry());
    }

    fn write(&mut self, line: &impl Serialize) {
        let written = serde_json::to_string(line)
            .map_err(std::io::Error::from)
            .and_then(|text| writeln!(self.file, "{text}"));
        if let Err(error) = written {
            self.problem.get_or_insert(error);
        }
    }

    fn finish(self) -> Result<()> {
        match self.problem {
            None => Ok(()),
            Some(error) => {
                Err(Failure::from(error)
                    .context(format!("failed to write `{}`", self.path.display())))
            }
        }
    }
}

/// Parses a level that cases can be drawn for.
fn level_of(text: &str) -> std::result::Result<Level, String> {
    let found = Level::of_name(text).filter(|level| LEVELS.contains(level));
    found.ok_or_else(|| {
        let known: Vec<&str> = LEVELS.iter().map(|level| level.as_str()).collect();
        format!("expected one of {}", known.join(", "))
    })
}

/// Returns a guest with the disks of all cases.
fn lab(args: &Args, cases: &[(u64, Case)], printer: &mut Printer) -> Result<Lab> {
    let devices = cases.iter().flat_map(|(_, case)| case.device_profiles());
    let profiles = Profiles {
        devices: devices.collect(),
        hosts: BTreeMap::new(),
    };
    let study = Study {
        question: None,
        kernel: None,
        host: None,
        cores: None,
        may_destroy: BTreeMap::new(),
        cells: cases.iter().map(|(_, case)| case.cell()).collect(),
        repeat: Repeat::default(),
        compare: Compare::default(),
        hosts: Vec::new(),
        lost_hosts: Default::default(),
        lifetime: None,
    };
    let kernel = args.kernel.as_ref();
    let purpose = Purpose::Measure;
    let lab = args
        .lab
        .find_with(&study, &profiles, kernel, purpose, printer)?;
    Ok(open_with(&lab, &study, &profiles)?)
}

fn failed(error: CheckError) -> Failure {
    if let CheckError::Invalid { warning, .. } = &error {
        let why = warning.message().in_english();
        let failure = Failure::new(format!("{error}: {why}"));
        return match warning.hint() {
            Some(hint) => failure.hint(hint.in_english()),
            None => failure,
        };
    }
    let hint = error.hint();
    Failure::from_error(error.into(), hint)
}

/// Returns the profile of a guest's processor.
fn guests_host() -> Result<HostProfile> {
    let shipped = shipped::HOSTS.iter().find(|host| host.name == HOST);
    let shipped = shipped.ok_or_else(|| Failure::new("the lab's host profile is missing"))?;
    host_from_toml(shipped.file, shipped.text)
        .map_err(|error| Failure::from_error(error.into(), None))
}
