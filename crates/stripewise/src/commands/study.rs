//! `stripewise study`: check a study and show what it would do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_format::{TEXT_BYTES_MAX, parse_with};
use stripewise_lab::Pace;
use stripewise_report::document::SCHEMA;
use stripewise_report::plan::{LabTime, Plan};
use stripewise_runner::execute::time_range;
use stripewise_study::cell::Cell;
use stripewise_study::plan::Study;
use stripewise_study::world::WorldName;
use stripewise_units::suggest::nearest;
use stripewise_worlds::lab::real_time;
use stripewise_worlds::obstacles::{Means, obstacle};
use stripewise_worlds::settings::FIO_OVERHEAD;

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::input_file::read_text;
use crate::lab_world::{CacheArgs, shown_time};
use crate::model::ModelArgs;
use crate::printer::Printer;
use crate::profiles::places;
use crate::trace_file::TraceFiles;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Check a study and see what it would measure:
    stripewise study studies/block-size.toml

  Count the cells of a study with jq:
    stripewise study studies/four-ssd-random.toml --json \\
        | jq '.cells | length'

  Check a study from a pipe:
    sed 's/3s/1s/' studies/block-size.toml | stripewise study -
";

/// Check a study and show its cells, time and disk space
///
/// Reads the study and expands its lists into cells, one for each combination of stack, workload
/// and conditions. Prints the cells, the number of samples, the expected time, that in a guest of
/// the lab (as fast as the latest samples in its `--cache`), the size of the test files, and the worlds (`stripewise run --world`) that can run it. Measures nothing and
/// writes nothing.
///
/// If the study has mistakes, shows each with file, line and column; the exit code is then 2.
/// docs/study.md describes every key. To run the study, use `stripewise run`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The study file; `-` reads standard input
    study: PathBuf,

    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let file = StudyFile::read(&args.study)?;
    let study = &file.study;
    places(args.model.profiles.as_deref(), Some(&args.study))?.check(study)?;
    // Stacks with devices of their own have their test files on those.
    let on_target: Vec<Cell> = study
        .cells
        .iter()
        .filter(|cell| cell.stack.devices.is_empty())
        .cloned()
        .collect();
    let files = stripewise_metal::files_of(&on_target);
    let (shortest, longest) = time_range(study, FIO_OVERHEAD, study.repeat.sample_ns);
    let means = args.means(study);
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

impl Args {
    /// Returns what the study would be run with.
    fn means(&self, study: &Study) -> Means<'_> {
        let model = self.model.find(study, Some(&self.study));
        let kernel = self.model.kernel.as_ref();
        Means {
            model: model.map_err(|failure| failure.message()),
            cache: self.cache.locate().ok(),
            kernel: kernel.map(|kernel| kernel.text.as_str()),
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

/// A study with the file it came from.
#[derive(Clone)]
pub(crate) struct StudyFile {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) study: Study,
    /// The directory of its traces, if it names any.
    pub(crate) traces: Option<PathBuf>,
}

impl StudyFile {
    /// Reads and checks a study file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        let text = read_text("study", path, TEXT_BYTES_MAX)?;
        let mut traces = TraceFiles::beside(path);
        let study = parse_with(&shown, &text, &mut traces)
            .map_err(|error| Failure::study(&shown, error))?;
        let traces = match traces.is_used() {
            true => Some(traces.directory()?),
            false => None,
        };
        refuse_unused_devices(&study)?;
        let name = path
            .file_stem()
            .map_or_else(|| shown.clone(), |stem| stem.to_string_lossy().into_owned());
        Ok(Self {
            name,
            text,
            study,
            traces,
        })
    }
}

/// Refuses a `[may_destroy]` entry for a profile that no stack uses: its name is mistyped.
fn refuse_unused_devices(study: &Study) -> Result<()> {
    let groups = study.cells.iter().flat_map(|cell| &cell.stack.devices);
    let used: BTreeSet<&str> = groups.map(|group| group.profile.as_str()).collect();
    let idle = study
        .may_destroy
        .keys()
        .find(|name| !used.contains(name.as_str()));
    let Some(name) = idle else {
        return Ok(());
    };
    let message = format!("`[may_destroy]` names `{name}`, but no stack uses that profile");
    Err(
        Failure::new(message).hint(match nearest(name, used.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it, or use the name of a stack's device profile".to_owned(),
        }),
    )
}
