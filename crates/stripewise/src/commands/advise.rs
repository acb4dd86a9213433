//! `stripewise advise`: which array to build of these devices, for these loads.

use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_diagnose::advise::{Advised, Asked, CHUNK_DEFAULT, Outcome, Requirement, advise};
use stripewise_format::parse;
use stripewise_metal::create_arguments;
use stripewise_report::explanation::Explanation;
use stripewise_report::explanation::advice::{Advice, AskedAdvice, is_usual};
use stripewise_report::lifetime::rated;
use stripewise_report::states::FreshState;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::State;
use stripewise_study::plan::Study;
use stripewise_study::stack::{Level, Stack};
use stripewise_units::Bytes;
use stripewise_worlds::model;

use super::predict::{explain, predicted};
use crate::answers::{self, FormatArgs};
use crate::array_word::{ArrayWord, DeviceWord};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::load_word::WorkloadWord;
use crate::model::SimulationArgs;
use crate::output_file::{OutputFile, Replaces};
use crate::printer::Printer;
use crate::progress::Simulating;
use crate::question::{AskedOf, QuestionArgs, bitmap_word, daily_volume};
use crate::study_file::QUESTION;

/// The chunks that are considered.
const CHUNKS: [&str; 7] = ["16K", "32K", "64K", "128K", "256K", "512K", "1M"];
/// The levels and layouts with chunks.
const CHUNKED: [&str; 6] = [
    "raid0",
    "raid10:n2",
    "raid10:f2",
    "raid10:o2",
    "raid5",
    "raid6",
];
/// The most devices: of more, several arrays are built, which this does not consider.
const DEVICES_MAX: u32 = 32;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Four SSDs for a database that writes 50 GB a day:
    stripewise advise --devices \"4 x samsung-850-evo-500\" \\
        --workload mysql-in-vm --writes-per-day 50G

  Six hard disks, two of which may fail, for backups and a file server; the
  file server counts three times as much:
    stripewise advise --devices \"6 x hdd-7200\" --require survive=2 \\
        --workload fileserver --workload backup --weights 3,1

  At least 1.2 TB of data, and a study that proves the advice:
    stripewise advise --devices \"4 x samsung-850-evo-500\" \\
        --require survive=1 --require capacity=1200G \\
        --workload randrw:16K:mix=70/30:depth=16 --save proof.toml
";

/// Find the array to build of these devices, for these loads
///
/// Considers md's levels, layouts and chunks over all of the devices, with one write-intent bitmap.
/// What does not do what is required is refused; the others race in the model, and a design
/// that cannot win is not simulated to the end. The answer names the design, why, which others are the
/// same within 5 %, what the usual advice would give, and how to build it.
///
/// The rate of a load is what counts; of several loads, the weighted geometric mean. Latencies, both
/// states of the devices and, with `--writes-per-day`, their years are shown beside it. docs/model says
/// how far predictions can be trusted: `--save` writes a study that measures the advice and its rivals.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The devices, all of one profile: `4 x samsung-850-evo-500`; `stripewise profiles` lists profiles
    #[arg(long, alias = "device", value_name = "N x PROFILE")]
    devices: Devices,

    /// A load: `PATTERN:BLOCK[:KEY=VALUE...]`, as for `predict`, or a shipped workload, such as `oltp`; repeat it for several
    #[arg(long = "workload", value_name = "LOAD", required = true)]
    workloads: Vec<WorkloadWord>,

    /// How much each load counts, in the order of the loads, such as `3,1` [default: the same]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = weight)]
    weights: Vec<f64>,

    /// What the array must do: `survive=1` (any so many devices may fail) or `capacity=900G`; repeat it for both [default: survive=1]
    #[arg(long = "require", value_name = "WHAT")]
    requirements: Vec<Requirement>,

    /// How much the loads write in a day, such as `50G`: says which state of the devices applies, and
    /// how long they last
    #[arg(long, alias = "daily", value_name = "SIZE", value_parser = daily_volume)]
    writes_per_day: Option<Bytes>,

    /// The write-intent bitmap of arrays that can have one: `internal`, `none`, or its chunk, such as `64M`
    #[arg(long, value_name = "BITMAP", default_value = "internal", value_parser = bitmap_word)]
    bitmap: String,

    /// The filesystem, such as `ext4`; `none` is the bare array
    #[arg(long, value_name = "TYPE")]
    filesystem: Option<String>,

    /// The host profile [default: the one with which the device's profile was fitted, else `default`]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,

    /// The host's cores, if they are not those of its profile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    cores: Option<u32>,

    /// Write a study of the advice, the next kinds and the usual advice into this new file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    #[command(flatten)]
    simulation: SimulationArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// The devices to build an array of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Devices {
    count: u32,
    profile: String,
}

impl std::str::FromStr for Devices {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text.contains(['+', ',']) {
            return Err("devices of several profiles cannot be compared yet: name one".to_owned());
        }
        let DeviceWord { profile, count } = text.parse()?;
        match count {
            None => Err(format!(
                "expected `4 x PROFILE`, such as `4 x sata-ssd`, not `{text}`"
            )),
            Some(1) => Err(
                "one device leaves no array to choose; `stripewise predict` predicts it".to_owned(),
            ),
            Some(count @ 2..=DEVICES_MAX) => Ok(Self { count, profile }),
            Some(_) => Err(format!("the number of devices is from 2 to {DEVICES_MAX}")),
        }
    }
}

/// Reads how much a load counts.
fn weight(text: &str) -> std::result::Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(weight) if weight > 0.0 && weight.is_finite() => Ok(weight),
        _ => Err("expected a number above 0".to_owned()),
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let weights = args.weights()?;
    let study = args.study(&args.arrays()?)?;
    let found = args.simulation.find(&study)?;
    let model = model::open(&found)?;
    let mut search = Search::new(args, &model, &study, weights)?;
    let mut progress = Simulating::new(search.designs.len(), printer);
    search.choose_states(args, &mut progress)?;
    let advised = advise(&model, &search.asked(args.simulation.seed), &mut progress)?;
    let compared = search.compare(&advised, args, &study, &mut progress)?;
    drop(progress);
    let asked = AskedAdvice {
        requirements: search.requirements.clone(),
        is_assumed: args.requirements.is_empty(),
        states: search.states.clone(),
        weights: search.weights.clone(),
    };
    let searched = search.asked(args.simulation.seed);
    let mut advice = Advice::new(asked, &searched, advised, compared);
    advice.commands = advice.stack().map(commands).unwrap_or_default();
    args.save(&advice)?;
    let is_no = advice.best.is_none();
    let blocks = advice.blocks();
    let answer = Answer::new(Message::new("advise-title"), advice, blocks).no_if(is_no);
    answers::print("advise", &answer, args.format, printer)
}

impl Args {
    fn weights(&self) -> Result<Vec<f64>> {
        let loads = self.workloads.len();
        match self.weights.len() {
            0 => Ok(vec![1.0; loads]),
            count if count == loads => Ok(self.weights.clone()),
            count => Err(Failure::new(format!(
                "`--weights` has {count} numbers, and there are {loads} loads"
            ))
            .hint("give one number for each `--workload`, in their order")),
        }
    }

    /// Returns every array that mdadm can build of the devices.
    fn arrays(&self) -> Result<Vec<ArrayWord>> {
        let count = self.devices.count;
        let fits = |word: &str| {
            let level = word.split(':').next().and_then(Level::of_name);
            level.is_some_and(|level| level.devices_min() <= count)
        };
        let chunked = CHUNKED.into_iter().filter(|word| fits(word));
        let chunked =
            chunked.flat_map(|word| CHUNKS.map(|chunk| format!("{word}:{count}:{chunk}")));
        let mirror = format!("raid1:{count}");
        let words = std::iter::once(mirror).chain(chunked);
        words
            .map(|word| word.parse().map_err(Failure::new))
            .collect()
    }

    /// Returns the arrays under the loads as a study.
    fn study(&self, arrays: &[ArrayWord]) -> Result<Study> {
        parse(QUESTION, &self.text(arrays)?).map_err(|error| Failure::study(QUESTION, error))
    }

    fn text(&self, arrays: &[ArrayWord]) -> Result<String> {
        let question = QuestionArgs {
            workloads: self.workloads.clone(),
            devices: vec![DeviceWord {
                profile: self.devices.profile.clone(),
                count: None,
            }],
            arrays: arrays.to_vec(),
            bitmaps: vec![self.bitmap.clone()],
            filesystem: self.filesystem.clone(),
            writes_per_day: self.writes_per_day,
            host: self.host.clone(),
            cores: self.cores,
            ..QuestionArgs::default()
        };
        question.study(AskedOf::Model, self.simulation.words())
    }

    /// Writes the study that measures the compared designs to `--save`.
    fn save(&self, advice: &Advice) -> Result<()> {
        let Some(path) = &self.save else {
            return Ok(());
        };
        let mut words = Vec::new();
        for cell in &advice.compared.cells {
            let word = word_of(&cell.cell.stack);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let words: Result<Vec<ArrayWord>> = words
            .iter()
            .map(|word| word.parse().map_err(Failure::new))
            .collect();
        let output = OutputFile::new(Path::new(path), Replaces::never());
        output.write_bytes(self.text(&words?)?.as_bytes())
    }
}

/// Returns the array of a stack as it is written on the command line.
fn word_of(stack: &Stack) -> String {
    let Some(array) = &stack.array else {
        return "none".to_owned();
    };
    let own = [
        Some(array.level.to_string()),
        Some(stack.device_count().to_string()),
        array.layout.clone(),
        array.chunk_bytes.map(|chunk| chunk.to_string()),
    ];
    own.into_iter().flatten().collect::<Vec<_>>().join(":")
}

/// Returns the commands that build a stack, with placeholders for its devices.
fn commands(stack: &Stack) -> Vec<String> {
    let Some(array) = &stack.array else {
        return Vec::new();
    };
    let count = stack.device_count();
    let mut create = vec!["mdadm --create /dev/md/data".to_owned()];
    create.extend(create_arguments(array));
    create.push(format!("--raid-devices={count}"));
    create.extend((1..=count).map(|number| format!("DEVICE{number}")));
    vec![
        create.join(" "),
        "mdadm --detail --brief /dev/md/data >> /etc/mdadm/mdadm.conf && update-initramfs -u"
            .to_owned(),
    ]
}

/// A search for the design to build.
struct Search<'a> {
    model: &'a Model,
    /// The cells of each design, one for each load.
    designs: Vec<Vec<Cell>>,
    weights: Vec<f64>,
    requirements: Vec<Requirement>,
    rated: Vec<stripewise_analysis::lifetime::Rated>,
    /// The state of the devices for each load.
    states: Vec<State>,
}

impl<'a> Search<'a> {
    fn new(args: &Args, model: &'a Model, study: &Study, weights: Vec<f64>) -> Result<Self> {
        let mut designs: Vec<Vec<Cell>> = Vec::new();
        for cell in &study.cells {
            match designs
                .iter_mut()
                .find(|cells| cells[0].stack == cell.stack)
            {
                Some(cells) => cells.push(cell.clone()),
                None => designs.push(vec![cell.clone()]),
            }
        }
        if let Some(cells) = designs.iter().find(|cells| cells.len() != weights.len()) {
            let message = format!(
                "a load stands for {} cells",
                cells.len() / weights.len().max(1)
            );
            return Err(Failure::new(message).hint("write one value for each key of a load"));
        }
        let requirements = match args.requirements.is_empty() {
            true => vec![Requirement::Survive(1)],
            false => args.requirements.clone(),
        };
        let profile = model.profiles.devices.get(&args.devices.profile);
        let rated = profile.map(rated);
        Ok(Self {
            model,
            designs,
            states: vec![State::Steady; weights.len()],
            weights,
            requirements,
            rated: rated
                .into_iter()
                .cycle()
                .take(args.devices.count as usize)
                .collect(),
        })
    }

    fn asked(&self, seed: u64) -> Asked<'_> {
        Asked {
            designs: &self.designs,
            weights: &self.weights,
            requirements: &self.requirements,
            rated: &self.rated,
            seed,
        }
    }

    /// Returns the usual design, if it is considered.
    fn usual(&self) -> Option<usize> {
        self.designs
            .iter()
            .position(|cells| is_usual(&cells[0].stack))
    }

    /// Finds the state of the devices under each load at the daily volume, with the usual design; steady
    /// ones without a volume.
    fn choose_states(&mut self, args: &Args, progress: &mut Simulating) -> Result<()> {
        let Some(volume) = args.writes_per_day else {
            return Ok(());
        };
        let usual = self.usual().unwrap_or(0);
        for load in 0..self.weights.len() {
            let cell = &self.designs[usual][load];
            let seed = args.simulation.seed;
            let steady = predicted(self.model, cell, seed, progress)?;
            let fresh = steady.fresh(self.model, cell, seed, progress)?;
            let fresh = fresh.and_then(|fresh| FreshState::of(cell, &fresh, &steady));
            let state = fresh.and_then(|fresh| fresh.applies_at(volume));
            if state == Some(State::Fresh) {
                self.states[load] = State::Fresh;
                for cells in &mut self.designs {
                    cells[load].conditions.state = Some(State::Fresh);
                }
            }
        }
        Ok(())
    }

    /// Predicts the designs that are worth a look, and the one without redundancy that is refused.
    fn compare(
        &self,
        advised: &Advised,
        args: &Args,
        study: &Study,
        progress: &mut Simulating,
    ) -> Result<Explanation> {
        let mut explanation = Explanation::new(self.model, args.simulation.seed)?;
        let mut shown = advised.compared(&self.designs, self.usual());
        if !shown.is_empty() {
            shown.extend(self.without_redundancy(advised));
        }
        let mut left = shown.len();
        for index in shown {
            left -= 1;
            for cell in &self.designs[index] {
                let mut cell = cell.clone();
                cell.conditions.state = Some(State::Steady);
                explain(&mut explanation, self.model, cell, true, progress)?;
            }
            progress.part_done(left);
        }
        explanation.ask_lifetime(study.lifetime);
        Ok(explanation)
    }

    /// Returns RAID 0 with mdadm's chunk, if it is refused because a device may fail.
    fn without_redundancy(&self, advised: &Advised) -> Option<usize> {
        let is_it = |cells: &Vec<Cell>| {
            let array = cells[0].stack.array.as_ref();
            array.is_some_and(|array| {
                array.level == Level::Raid0 && array.chunk_bytes == Some(CHUNK_DEFAULT)
            })
        };
        let index = self.designs.iter().position(is_it)?;
        let outcome = &advised.outcomes[index];
        matches!(outcome, Outcome::Refused(Requirement::Survive(_))).then_some(index)
    }
}
