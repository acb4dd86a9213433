//! `stripewise study`: check a study and show what it would do.

use std::path::PathBuf;

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::{Argument, Message};
use stripewise_fio::OptionNote;
use stripewise_lab::Pace;
use stripewise_report::document::SCHEMA;
use stripewise_report::plan::{LabTime, Plan};
use stripewise_runner::execute::time_range;
use stripewise_study::cell::Cell;
use stripewise_study::plan::Study;
use stripewise_study::world::WorldName;
use stripewise_worlds::builds_stacks;
use stripewise_worlds::lab::real_time;
use stripewise_worlds::obstacles::{Means, obstacle};
use stripewise_worlds::settings::FIO_OVERHEAD;
use stripewise_worlds::unused::{AskedIn, Unused, unused};

use super::run::TARGET_DEFAULT;
use crate::answers::{self, Format, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::{CacheArgs, shown_time};
use crate::model::ModelArgs;
use crate::printer::Printer;
use crate::profiles::places;
use crate::question::AskedOf;
use crate::study_file::{StudyArgs, StudyFile};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Check a study and see what it would measure:
    stripewise study block-size

  Turn a job file of fio into a study:
    stripewise study old-job.fio --save old-job.toml

  Count the cells of a study with jq:
    stripewise study four-ssd-random --json \\
        | jq '.cells | length'

  Check a study from a pipe:
    stripewise studies block-size | sed 's/3s/1s/' | stripewise study -
";

/// Check a study and show its cells, time and disk space
///
/// Reads the study and expands its lists into cells, one for each combination of stack, workload
/// and conditions. Prints the cells, the number of samples, the expected time, that in a guest of
/// the lab (as fast as the latest samples in its `--cache`), the size of the test files, and the worlds (`stripewise run --world`) that can run it. Measures nothing and
/// writes nothing.
///
/// For `--world metal`, it checks this machine as `run` does before it begins: fio and the tools, the
/// filesystem of `--target`, or the devices under `[may_destroy]`, which it locks, examines and releases.
///
/// Of a job file of fio, prints the study that says the same, and names each option that it does not
/// say: those that a study has its own way for, and those without which the load is another one.
/// `--save FILE` writes it.
///
/// If the study has mistakes, shows each with file, line and column; the exit code is then 2.
/// docs/study.md describes every key. To run the study, use `stripewise run`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,

    /// The directory on the filesystem that `run --target` would measure [default: .]
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,

    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let asked_of = match args.study.question.devices.first() {
        Some(_) => AskedOf::Model,
        None => AskedOf::Machine,
    };
    let file = args.study.read_all(asked_of, &[])?;
    if let Some(notes) = &file.job_notes {
        args.study.save(&file.text)?;
        return print_job_study(&file, notes, args.format, printer);
    }
    let study = &file.study;
    let builds = builds_stacks(study);
    let given = [("--target", args.target.is_some())];
    if let Some(Unused { option, why }) = unused(AskedIn::Devices, &given).filter(|_| builds) {
        let message = format!("`{option}` has no effect for this study: {why}");
        return Err(Failure::new(message).hint("leave it out"));
    }
    places(args.model.profiles.as_deref(), file.path.as_deref())?.check(study)?;
    args.study.save(&file.text)?;
    // Stacks with devices of their own have their test files on those.
    let on_target: Vec<Cell> = study
        .cells
        .iter()
        .filter(|cell| cell.stack.devices.is_empty())
        .cloned()
        .collect();
    let files = stripewise_metal::files_of(&on_target);
    let (shortest, longest) = time_range(study, FIO_OVERHEAD, study.repeat.sample_ns);
    let means = args.means(&file);
    let why_not = |world| obstacle(world, study, &means);
    let lab_obstacle = why_not(WorldName::Lab);
    let described = Plan {
        schema: SCHEMA,
        question: study.question.as_deref(),
        time_s_min: shortest.as_secs_f64(),
        time_s_max: longest.as_secs_f64(),
        files_bytes: files.values().map(|size| size.as_u64()).sum(),
        files_count: files.len(),
        obstacle: why_not(WorldName::Metal),
        target: (!builds).then_some(means.target),
        model_obstacle: why_not(WorldName::Model),
        lab_time: match lab_obstacle {
            None => lab_time(args, study),
            Some(_) => None,
        },
        lab_obstacle,
        cells: &study.cells,
    };
    let blocks = described.blocks(study);
    let answer = Answer::new(Message::new("plan-title"), described, blocks);
    answers::print("study", &answer, args.format, printer)
}

/// The study of a job file, for programs.
#[derive(Serialize)]
struct OfJobFile<'a> {
    schema: u32,
    study: &'a str,
    left_out: Vec<LeftOut<'a>>,
}

/// An option of a job file that its study does not say.
#[derive(Serialize)]
struct LeftOut<'a> {
    option: &'a str,
    jobs: &'a str,
    why: &'a str,
    changes_load: bool,
}

/// Returns a note about a job file in words.
fn note_message(note: &OptionNote) -> Message {
    let id = match (note.option.as_str(), note.changes_load) {
        ("", _) => "study-job-note",
        (_, true) => "study-job-changes",
        (_, false) => "study-job-own-way",
    };
    let jobs = match note.jobs.as_str() {
        "" => Argument::Name(String::new()),
        jobs => Message::new("study-job-of").name("jobs", jobs).into(),
    };
    let why = Message::new(format!("study-job-why-{}", note.why.key));
    let values = note.why.values.iter();
    let why = values.fold(why, |why, (name, value)| why.name(name, value));
    Message::new(id)
        .name("option", &note.option)
        .with("jobs", jobs)
        .with("why", why)
}

/// Prints the study of a job file, and names each option that it does not say. As text, standard output
/// has the study alone, so that it can go to a file.
fn print_job_study(
    file: &StudyFile,
    notes: &[OptionNote],
    format: FormatArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    let messages = notes.iter().map(note_message);
    if format.format() == Format::Text {
        printer.data(&file.text)?;
        messages.for_each(|message| printer.remark(&message));
        return Ok(Exit::Done);
    }
    let options = notes.iter().filter(|note| !note.option.is_empty());
    let left_out = options.map(|note| LeftOut {
        option: &note.option,
        jobs: &note.jobs,
        why: &note.why.words,
        changes_load: note.changes_load,
    });
    let document = OfJobFile {
        schema: SCHEMA,
        study: &file.text,
        left_out: left_out.collect(),
    };
    let list = Block::List(messages.map(Into::into).collect());
    let blocks = vec![Block::Code(file.text.clone()), list];
    let answer = Answer::new(Message::new("study-job-title"), document, blocks);
    answers::print("study", &answer, format, printer)
}

impl Args {
    /// Returns what the study would be run with.
    fn means(&self, file: &StudyFile) -> Means<'_> {
        let model = self.model.find(&file.study, file.path.as_deref());
        let kernel = self.model.kernel.as_ref();
        Means {
            model: model.map_err(|failure| failure.message()),
            cache: self.cache.locate().ok(),
            kernel: kernel.map(|kernel| kernel.text.as_str()),
            target: self.target.as_deref().unwrap_or(TARGET_DEFAULT.as_ref()),
        }
    }
}

/// Returns how long the study takes in the lab; `None` for a study of an existing filesystem, which
/// few would run there.
fn lab_time(args: &Args, study: &Study) -> Option<LabTime> {
    let mut stacks = study.cells.iter().map(|cell| &cell.stack);
    let has_devices = stacks.any(|stack| !stack.devices.is_empty());
    has_devices.then(|| {
        let cache = args.cache.locate().ok();
        let pace = cache.map_or(Pace::ASSUMED, |cache| Pace::of(&cache));
        shown_time(&real_time(study, pace))
    })
}
