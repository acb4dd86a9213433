//! `stripewise advise`: which array to build of these devices, for these loads.

mod here;
pub(crate) mod page;
mod practice;
mod search;
mod words;

use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_diagnose::advise::{Advised, advise};
use stripewise_diagnose::requirement::{Quantity, Requirement, positive};
use stripewise_format::parse;
use stripewise_profiles::device::DeviceProfile;
use stripewise_report::explanation::Explanation;
use stripewise_report::explanation::advice::{Advice, AskedAdvice, Unseen};
use stripewise_sim::question::Observer;
use stripewise_study::plan::Study;
use stripewise_study::stack::{Filesystem, Level, Stack};
use stripewise_units::Bytes;
use stripewise_worlds::model;

use self::here::Here;
use self::practice::Practice;
use self::search::{Search, unless_stopped};
use self::words::{Devices, PreferWord, Price, WeightedLoads};
use crate::answers::{self, Format, FormatArgs};
use crate::array_word::{ArrayWord, DeviceWord};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::load_word::WorkloadWord;
use crate::model::SimulationArgs;
use crate::output_file::{OutputFile, Replaces};
use crate::printer::Printer;
use crate::progress::Simulating;
use crate::question::{AskedOf, QuestionArgs, bitmap_word, chunk_word, daily_volume, rated_writes};
use crate::study_file::QUESTION;

/// The chunks that are considered if none is named.
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

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Four SSDs for a database that writes 50 GB a day:
    stripewise advise --devices \"4 x samsung-850-evo-500\" \\
        --workload mysql-in-vm --writes-per-day 50G

  Six hard disks, two of which may fail, for backups and a file server; the
  file server counts three times as much:
    stripewise advise --devices \"6 x hdd-7200\" --require survive=2 \\
        --workload fileserver=3 --workload backup=1

  At least 1.2 TB of data, and a study that proves the advice:
    stripewise advise --devices \"4 x samsung-850-evo-500\" \\
        --require survive=1 --require \"capacity>=1200G\" \\
        --workload randrw:16K:mix=70/30:depth=16 --save proof.toml

  Is what this machine has good enough, and is a move worth it?
    stripewise advise --here --workload mysql-in-vm

  The same of another machine, whose facts `stripewise collect` wrote:
    stripewise advise --facts server.tar.zst --here /srv \\
        --workload mysql-in-vm --devices \"4 x sata-ssd\"

  Commits within 5 ms, a rebuild within 6 hours, and a filesystem on top:
    stripewise advise --devices \"4 x sata-ssd\" --workload mysql-in-vm \\
        --require survive=1 --require \"commit_p99<=10ms\" \\
        --require \"rebuild<=6h\" --filesystem ext4 --filesystem xfs
";

/// Find the array to build of these devices, for these loads
///
/// Considers md's levels, layouts and chunks over the devices, and bitmaps and filesystems if several are
/// named. What does not do what is required is refused; the others race in the model, and a design that
/// cannot win is not simulated to the end. Of those that are the same within 5 %, the simplest is
/// advised: the one with the fewest parts that mdadm would not make by default. The answer names the
/// design, why, what equals it, what the usual advice and calculators would build and what that costs,
/// what would change the choice, and how to build it.
///
/// The rate of a load is what counts; of several loads, the weighted geometric mean. docs/advise.md says
/// how often such advice was right by published measurements: `--save` writes a study that measures
/// the advice and its rivals.
///
/// `--here` reads the md array of this machine, as `check` does, and compares it with the others. It says to
/// stay where none of them is surely better by more than 5 %; else how much better the advised one is, how
/// sure that is, and what the move takes.
///
/// On Ctrl-C, prints the best so far, and what was not looked at, with exit code 2.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The devices, all of one profile: `4 x samsung-850-evo-500`; `stripewise profiles` lists profiles [default with `--here`: the profile of the drives' model]
    #[arg(long, alias = "device", value_name = "N x PROFILE", required_unless_present_any = ["here", "facts"])]
    devices: Option<Devices>,

    /// Compare with this machine's own array: says whether to stay, how much better the advised one is, and what the move takes; PLACE is an array or a directory on it [default: the only array]
    #[arg(long, value_name = "PLACE", num_args = 0..=1, default_missing_value = "")]
    here: Option<String>,

    /// Compare with the array of another machine: a tree or archive of `stripewise collect`, or an unpacked sosreport
    #[arg(long, value_name = "TREE")]
    facts: Option<PathBuf>,

    /// A load: `PATTERN:BLOCK[:KEY=VALUE...]`, as for `predict`, or a shipped workload, such as `oltp`, with how much it counts: `oltp=3`; repeat it for several
    #[arg(long = "workload", value_name = "LOAD", required = true)]
    workloads: Vec<WeightedLoads>,

    /// How much each load counts, in the order of the loads, such as `3,1` [default: the same]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = positive)]
    weights: Vec<f64>,

    /// What the array must do: `survive=1` (any so many devices may fail), `capacity>=900G`, `commit_p99<=5ms`, `years>=5` (needs `--writes-per-day`), `rebuild<=6h` or `price<=400`; repeat it for several [default: survive=1, also beside others; with `--here` what the machine's array does]
    #[arg(long = "require", value_name = "WHAT")]
    requirements: Vec<Requirement>,

    /// Which of equals to build: the `simple` one, or the one with the most `space`
    #[arg(long, value_name = "WHAT", default_value = "simple")]
    prefer: PreferWord,

    /// How much the loads write in a day, such as `50G`: says which state of the devices applies, and
    /// how long they last
    #[arg(long, alias = "daily", value_name = "SIZE", value_parser = daily_volume)]
    writes_per_day: Option<Bytes>,

    /// The bytes that may be written to a device in its life (TBW), as its data sheet says, such as
    /// `150T` [default: that of its profile]
    #[arg(long, value_name = "SIZE", value_parser = rated_writes)]
    tbw: Option<Bytes>,

    /// The price of one device: `89`, or `samsung-850-evo-500=89`
    #[arg(long, value_name = "PRICE")]
    price: Option<Price>,

    /// How many of the devices wait as spares for one to fail [default with `--here`: those of the array]
    #[arg(long, value_name = "N", default_value_t = 0)]
    spares: u32,

    /// A chunk to consider; repeat it for several [default: 16K to 1M]
    #[arg(long = "chunk", value_name = "SIZE", value_parser = chunk_word)]
    chunks: Vec<Bytes>,

    /// The write-intent bitmap of arrays that can have one: `internal`, `none`, or its chunk, such as `64M`; repeat it to consider several
    #[arg(long = "bitmap", value_name = "BITMAP", default_value = "internal", value_parser = bitmap_word)]
    bitmaps: Vec<String>,

    /// The filesystem, such as `ext4`; `none` is the bare array; repeat it to consider several
    #[arg(long = "filesystem", value_name = "TYPE")]
    filesystems: Vec<String>,

    /// The host profile [default: the one with which the device's profile was fitted, else `default`]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,

    /// The host's cores, if they are not those of its profile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    cores: Option<u32>,

    /// Show also what each design keeps and costs (commits, one device missing, a rebuild, the chance of a loss), and whether the choice holds for loads a little different; takes as long again, or longer, and is always in `--json` and pages
    #[arg(long)]
    front: bool,

    /// Write a study of the advice, the next kinds and the usual advice into this new file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    #[command(flatten)]
    simulation: SimulationArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let asked = args.asked()?;
    let is_here = args.here.is_some() || args.facts.is_some();
    let here = is_here.then(|| Here::read(args)).transpose()?;
    let args = here.as_ref().map_or(args, |here| &here.args);
    let mut study = args.study(&asked.loads, &args.arrays()?)?;
    let found = args.simulation.find(&study)?;
    let model = model::open(&found)?;
    args.check_price(model.profiles.devices.get(&args.devices().profile))?;
    let own = here.as_ref();
    let own = own.map(|here| here.add_to(&mut study, &model, &asked.loads));
    let mut search = Search::new(args, &model, &study, asked.weights, own.transpose()?)?;
    let mut progress = Simulating::until_stopped(search.designs.len(), printer)?;
    let advised = args.decide(&mut search, &mut progress)?;
    let mut advice = args.compared(&search, &study, advised, &mut progress)?;
    drop(progress);
    args.add_practice(&search, &mut advice);
    args.save(&asked.loads, &advice, here.as_ref().map(Here::bitmap))?;
    let (is_no, is_cut) = (advice.best.is_none(), !advice.unseen.is_empty());
    let blocks = advice.blocks();
    let answer = Answer::new(Message::new("advise-title"), advice, blocks).no_if(is_no);
    let exit = answers::print("advise", &answer, args.format, printer)?;
    Ok(match is_cut {
        true => Exit::CouldNot,
        false => exit,
    })
}

/// The loads that are asked about, and how much each counts.
struct Loads {
    loads: Vec<WorkloadWord>,
    weights: Vec<f64>,
}

impl Args {
    /// Returns the devices; with `--here` those of the machine.
    const fn devices(&self) -> &Devices {
        self.devices
            .as_ref()
            .expect("named, or those of the machine")
    }

    /// Finds the design to build, until a signal or the observer ends the search.
    fn decide(&self, search: &mut Search<'_>, progress: &mut dyn Observer) -> Result<Advised> {
        search.choose_states(self, progress)?;
        let advised = advise(search.model, &search.asked(), progress)?;
        match advised.is_interrupted && advised.best.is_none() {
            true => Err(Failure::new("stopped before a design was simulated")),
            false => Ok(advised),
        }
    }

    /// Returns the advice of a search.
    fn advice(&self, search: &Search<'_>, advised: Advised, compared: Explanation) -> Advice {
        let words = AskedAdvice {
            requirements: search.requirements.clone(),
            is_assumed: self.requirements.is_empty(),
            is_survival_assumed: search.survival_assumed,
            states: search.states.clone(),
            weights: search.weights.clone(),
            prefer: self.prefer.0,
        };
        let own = search.own.clone();
        Advice::new(words, &search.asked(), advised, compared, own)
    }

    /// Returns the advice of a search beside other designs, with what is asked of it.
    fn compared(
        &self,
        search: &Search<'_>,
        study: &Study,
        advised: Advised,
        progress: &mut dyn Observer,
    ) -> Result<Advice> {
        let (compared, is_cut) = search.compare(&advised, study, progress)?;
        let mut advice = self.advice(search, advised, compared);
        advice.unseen.extend(is_cut.then_some(Unseen::Others));
        self.add_asked(search, &mut advice, progress)?;
        Ok(advice)
    }

    /// Adds how to build the design, unless it is there already.
    fn add_practice(&self, search: &Search<'_>, advice: &mut Advice) {
        let Some(stack) = advice.stack().filter(|_| !advice.stays()) else {
            return;
        };
        let practice = self.practice(search.is_rotational(), stack);
        let (steps, later) = (practice.steps(), practice.later());
        advice.steps = steps;
        advice.later = later;
    }

    /// Returns how to build a stack of such devices.
    const fn practice<'s>(&self, is_rotational: bool, stack: &'s Stack) -> Practice<'s> {
        Practice {
            stack,
            spares: self.spares,
            is_rotational,
        }
    }

    /// Returns whether what each design keeps and costs is asked: programs and pages get all.
    fn asks_front(&self) -> bool {
        self.front || self.format.format() != Format::Text
    }

    /// Adds what takes longer than the decision, as far as it is asked, until a signal ends it.
    fn add_asked(
        &self,
        search: &Search<'_>,
        advice: &mut Advice,
        progress: &mut dyn Observer,
    ) -> Result<()> {
        advice.is_brief = !self.asks_front();
        if !unless_stopped(search.add_effort(advice, progress))? {
            advice.unseen.push(Unseen::Effort);
        }
        if !unless_stopped(search.add_protected(advice, progress))? {
            advice.unseen.push(Unseen::Protected);
        }
        if !self.asks_front() {
            return Ok(());
        }
        if !unless_stopped(search.add_front(advice, progress))? {
            advice.unseen.push(Unseen::Front);
        }
        if !unless_stopped(search.add_varied(advice, progress))? {
            advice.unseen.push(Unseen::Varied);
        }
        Ok(())
    }

    fn asked(&self) -> Result<Loads> {
        let all = self.workloads.iter().flat_map(|one| &one.0);
        let loads: Vec<WorkloadWord> = all.clone().map(|(load, _)| load.clone()).collect();
        let own: Vec<Option<f64>> = all.map(|(_, weight)| *weight).collect();
        let is_said = own.iter().any(Option::is_some);
        let weights = match self.weights.len() {
            0 => own.iter().map(|weight| weight.unwrap_or(1.0)).collect(),
            _ if is_said => {
                return Err(Failure::new(
                    "`--weights` and a weight behind a load (`oltp=3`) both say how much it counts",
                )
                .hint("leave one of them out"));
            }
            count if count == loads.len() => self.weights.clone(),
            count => {
                return Err(Failure::new(format!(
                    "`--weights` has {count} numbers, and there are {} loads",
                    loads.len()
                ))
                .hint("give one number for each `--workload`, in their order"));
            }
        };
        let needs_volume = |one: &&Requirement| one.quantity() == Quantity::Years;
        if let Some(years) = self.requirements.iter().find(needs_volume)
            && self.writes_per_day.is_none()
        {
            return Err(Failure::new(format!(
                "`--require {years}` needs to know how much is written"
            ))
            .hint("add `--writes-per-day 50G`"));
        }
        Ok(Loads { loads, weights })
    }

    /// Refuses a price of other devices, and a limit on one that is not known.
    fn check_price(&self, profile: Option<&DeviceProfile>) -> Result<()> {
        let is_price = |one: &&Requirement| one.quantity() == Quantity::Price;
        let limit = self.requirements.iter().find(is_price);
        match (&self.price, limit) {
            (None, Some(limit)) => Err(Failure::new(format!(
                "`--require {limit}` needs the price of a device"
            ))
            .hint(format!("add `--price {}=89`", self.devices().profile))),
            (Some(price), _) => {
                let name = profile.map_or(&self.devices().profile, |profile| &profile.name);
                match price.profile.as_ref().filter(|other| *other != name) {
                    Some(other) => Err(Failure::new(format!(
                        "`--price {other}=...` prices a device that is not among `--devices`"
                    ))
                    .hint(format!("write `--price {name}=...`"))),
                    None => Ok(()),
                }
            }
            (None, None) => Ok(()),
        }
    }

    /// Returns how many devices are members of the array.
    fn members(&self) -> Result<u32> {
        let count = self.devices().count;
        match count.checked_sub(self.spares) {
            Some(members @ 2..) => Ok(members),
            _ => Err(Failure::new(format!(
                "{} of {count} devices as spares leave no array to choose",
                self.spares
            ))
            .hint("an array needs two members at least")),
        }
    }

    /// Returns every array of the devices that is searched.
    fn arrays(&self) -> Result<Vec<ArrayWord>> {
        let count = self.members()?;
        let fits = |word: &str| {
            let level = word.split(':').next().and_then(Level::of_name);
            // RAID 5 of two devices is a mirror that computes parity.
            let least = |level: Level| match level {
                Level::Raid5 => 3,
                level => level.devices_min(),
            };
            level.is_some_and(|level| least(level) <= count)
        };
        let chunks: Vec<String> = match self.chunks.is_empty() {
            true => CHUNKS.map(str::to_owned).to_vec(),
            false => self.chunks.iter().map(ToString::to_string).collect(),
        };
        let chunked = CHUNKED.into_iter().filter(|word| fits(word));
        let chunked = chunked.flat_map(|word| {
            chunks
                .iter()
                .map(move |chunk| format!("{word}:{count}:{chunk}"))
        });
        let mirror = format!("raid1:{count}");
        let words = std::iter::once(mirror).chain(chunked);
        words
            .map(|word| word.parse().map_err(Failure::new))
            .collect()
    }

    /// Returns the arrays under the loads as a study, with each of the filesystems.
    fn study(&self, loads: &[WorkloadWord], arrays: &[ArrayWord]) -> Result<Study> {
        let mut whole: Option<Study> = None;
        let none = [None];
        let named: Vec<Option<&String>> = self.filesystems.iter().map(Some).collect();
        let filesystems = match named.is_empty() {
            true => &none[..],
            false => &named[..],
        };
        for filesystem in filesystems {
            let text = self.text(loads, arrays, *filesystem)?;
            let study = parse(QUESTION, &text).map_err(|error| Failure::study(QUESTION, error))?;
            match &mut whole {
                Some(whole) => whole.cells.extend(study.cells),
                None => whole = Some(study),
            }
        }
        Ok(whole.expect("one filesystem at least, or none"))
    }

    fn text(
        &self,
        loads: &[WorkloadWord],
        arrays: &[ArrayWord],
        filesystem: Option<&String>,
    ) -> Result<String> {
        let question = QuestionArgs {
            workloads: loads.to_vec(),
            devices: vec![DeviceWord {
                profile: self.devices().profile.clone(),
                count: None,
            }],
            arrays: arrays.to_vec(),
            bitmaps: self.bitmaps.clone(),
            filesystem: filesystem.cloned(),
            writes_per_day: self.writes_per_day,
            tbw: self.tbw,
            host: self.host.clone(),
            cores: self.cores,
            ..QuestionArgs::default()
        };
        question.study(AskedOf::Model, self.simulation.words())
    }

    /// Writes the study that measures the compared designs to `--save`; with the bitmap of the machine's own
    /// array, too.
    fn save(&self, loads: &[WorkloadWord], advice: &Advice, bitmap: Option<String>) -> Result<()> {
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
        let kind = advice.stack().and_then(|stack| match &stack.filesystem {
            Filesystem::Made { kind, .. } => Some(kind),
            Filesystem::None | Filesystem::Existing => None,
        });
        let mut asked = self.clone();
        let is_new = |bitmap: &String| !self.bitmaps.contains(bitmap);
        asked.bitmaps.extend(bitmap.filter(is_new));
        let text = asked.text(loads, &words?, kind)?;
        output.write_bytes(text.as_bytes())
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
