//! The options of a question: what each says, and how to ask about several values.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use stripewise_format::foreign::{Meaning, meaning};
use stripewise_format::studies::ShippedStudy;

use stripewise_profiles::Profiles;
use stripewise_study::cell::Axis;
use stripewise_units::visible::shell_word;

use crate::array_word::{ArrayWord, DeviceWord};
use crate::load_word::WorkloadWord;
use crate::question::QuestionArgs;

/// How to compare loads.
const LOADS: &str =
    "repeat `--workload`, such as `--workload randread:4K:depth=1 --workload randread:4K:depth=8`";
/// How to compare settings that only a study can list.
const LISTS: &str = "`stripewise study` with these words and `--save FILE` writes a study; a list in it compares several, such as `governor = [\"performance\", \"powersave\"]`";

/// What an option is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// The load.
    Load,
    /// What is measured: devices, arrays, their state and their host.
    Stack,
}

/// An option of a question.
pub(crate) struct Word {
    /// Its name.
    pub(crate) option: &'static str,
    /// What it is about.
    pub(crate) says: Says,
    /// Whether it was given.
    pub(crate) is_given: fn(&QuestionArgs) -> bool,
    /// How to ask about several values; `None` if the option can be repeated.
    several: Option<&'static str>,
}

const fn load(
    option: &'static str,
    is_given: fn(&QuestionArgs) -> bool,
    several: Option<&'static str>,
) -> Word {
    Word {
        option,
        says: Says::Load,
        is_given,
        several,
    }
}

const fn stack(
    option: &'static str,
    is_given: fn(&QuestionArgs) -> bool,
    several: Option<&'static str>,
) -> Word {
    Word {
        option,
        says: Says::Stack,
        is_given,
        several,
    }
}

/// All of them, in the order in which a refusal looks for them.
pub(crate) const WORDS: [Word; 20] = [
    load("--workload", |args| !args.workloads.is_empty(), None),
    stack("--device", |args| !args.devices.is_empty(), None),
    stack("--array", |args| !args.arrays.is_empty(), None),
    stack(
        "--count",
        |args| args.count.is_some(),
        Some("name each number in an array: `--array raid5:4 --array raid5:6`"),
    ),
    stack("--chunk", |args| !args.chunks.is_empty(), None),
    stack("--bitmap", |args| !args.bitmaps.is_empty(), None),
    stack(
        "--filesystem",
        |args| args.filesystem.is_some(),
        Some("run the command once for each; a study compares stacks with a `filesystem` each"),
    ),
    load("--trace", |args| !args.traces.is_empty(), None),
    load("--depth", |args| args.depth.is_some(), Some(LOADS)),
    load("--jobs", |args| args.jobs.is_some(), Some(LOADS)),
    load("--size", |args| args.size.is_some(), Some(LOADS)),
    load("--fsync", |args| args.fsync.is_some(), Some(LOADS)),
    stack(
        "--state",
        |args| args.state.is_some(),
        Some("leave it out: both states are shown where they differ"),
    ),
    stack(
        "--writes-per-day",
        |args| args.writes_per_day.is_some(),
        None,
    ),
    stack("--tbw", |args| args.tbw.is_some(), None),
    stack("--host", |args| args.host.is_some(), None),
    stack("--cores", |args| args.cores.is_some(), None),
    stack("--governor", |args| args.governor.is_some(), Some(LISTS)),
    load("--rw", |args| args.rw.is_some(), Some(LOADS)),
    load("--bs", |args| args.bs.is_some(), Some(LOADS)),
];

/// What options of mdadm, LVM, ZFS and people are called in a question that has no option of that name;
/// those of fio are in the table of keys.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &[
            "--level",
            "--raid-level",
            "--layout",
            "--raid",
            "--raid0",
            "--raid1",
            "--raid5",
            "--raid6",
            "--raid10",
            "--type",
            "-l",
            "-p",
            "--parity",
        ],
        "level and layout are parts of the array: `--array raid10:f2:4`",
    ),
    (
        &["--n", "-n", "--number", "--members", "--stripes", "-i"],
        "the number of devices is `--count 4`, or a part of the array: `--array raid5:4`",
    ),
    (
        &["-c", "-I"],
        "the chunk is `--chunk 64K`, or a part of the array: `--array raid5:4:64K`",
    ),
    (
        &["--mirrors", "-m", "--copies"],
        "copies are those of the array: `--array raid1:2`, or `raid10:n3:6` for three of each block",
    ),
    (
        &["--spare-devices", "--spares", "--spare", "-x"],
        "a spare takes no part in a load until a member fails: leave it out",
    ),
    (
        &[
            "--filename",
            "--disk",
            "--dev",
            "--drive",
            "--disk-type",
            "--profile",
        ],
        "`--device` names a profile to simulate; a real disk stands under `[may_destroy]` of a study, and `--target` is a directory to measure",
    ),
    (
        &["--load", "--job", "--preset", "--test", "--app", "-w"],
        "the load is `--workload randread:4K`, or a shipped one, such as `--workload oltp`",
    ),
    (
        &["--ashift", "--recordsize", "--mkfs", "-o", "-O"],
        "how a filesystem is made is said in a study: `filesystem = { type = \"zfs\", mkfs = [\"-o\", \"ashift=12\"] }`",
    ),
    (
        &["--daily", "--writes", "--wpd"],
        "how much is written in a day is `--writes-per-day 50G`",
    ),
    (
        &["--dwpd", "--endurance", "--pbw", "--tbw-bytes"],
        "what a device is rated for is `--tbw 150T`: drive writes a day, times its size, times the days of the warranty",
    ),
    (
        &["--world"],
        "this command has no other world: `predict`, `why` and `advise` simulate, `study` shows which worlds can run a study, and `run` takes one",
    ),
    (
        &["--directory", "--dir", "--path", "--mount", "--file"],
        "the directory to measure is `--target DIR`, of `stripewise run`",
    ),
    (
        &["--failed", "--degraded", "--fail"],
        "a study says which member fails, in a table `[failure.NAME]` that `[conditions]` names",
    ),
];

/// Words that people type for a command, and the command.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &["bench", "benchmark", "test", "measure", "fio", "start"],
        "`stripewise run --workload randread:4K --target DIR` measures",
    ),
    (
        &[
            "simulate",
            "model",
            "estimate",
            "calculate",
            "whatif",
            "what-if",
        ],
        "`stripewise predict` simulates, and `stripewise advise` finds the array to build",
    ),
    (
        &["recommend", "choose", "suggest", "plan", "best"],
        "`stripewise advise` finds the array to build",
    ),
    (&["ls", "history"], "`stripewise runs` lists runs"),
    (
        &["view", "open", "html", "page"],
        "`stripewise report` writes a page, and `stripewise serve` serves all runs",
    ),
    (
        &["analyse", "analyze", "trace", "capture", "blktrace"],
        "`stripewise characterize` describes a trace",
    ),
    (
        &["powercut", "power-cut", "crash"],
        "`stripewise pull-plug` cuts the power of a study's stacks",
    ),
    (
        &["doctor", "lint", "diagnose", "health", "verify"],
        "`stripewise check` judges a machine",
    ),
    (
        &["devices", "disks", "drives", "hosts"],
        "`stripewise profiles` lists device and host profiles, and `stripewise facts` this machine's disks",
    ),
    (&["loads", "presets"], "`stripewise workloads` lists loads"),
    (&["vm", "guest", "qemu"], "`stripewise lab` prepares guests"),
    (&["bottleneck"], "`stripewise why` shows what limits a cell"),
];

/// Adds what to do instead to clap's errors: about an option that was given twice, and about options,
/// commands and words that another program has.
pub(crate) fn explain(error: &mut clap::Error) {
    explain_twice(error);
    explain_unknown(error);
    explain_command(error);
    explain_junit(error);
}

/// Says which answers have test cases.
fn explain_junit(error: &mut clap::Error) {
    let is_it = |kind, expected: &str| match error.get(kind) {
        Some(ContextValue::String(text)) => text.contains(expected),
        _ => false,
    };
    let is_format = is_it(ContextKind::InvalidArg, "format");
    let is_value = error.kind() == ErrorKind::InvalidValue;
    if is_value && is_format && is_it(ContextKind::InvalidValue, "junit") {
        let judging = "`check`, `compare`, `site verify` and `verify-model` judge, so they have test cases for JUnit; this command does not";
        suggest(error, judging.to_owned());
    }
}

fn suggest(error: &mut clap::Error, instead: String) {
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
        error.remove(kind);
    }
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![instead.into()]),
    );
}

fn explain_command(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let is_it = |(names, _): &&(&[&str], &str)| names.contains(&word.as_str());
    let found = COMMANDS.iter().find(is_it);
    // Lists of commands have commands of their own.
    let is_top = error.kind() == ErrorKind::InvalidSubcommand;
    if let Some((_, instead)) = found.filter(|_| is_top) {
        suggest(error, (*instead).to_owned());
    }
}

fn explain_unknown(error: &mut clap::Error) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let usage = usage.unwrap_or_default();
    let is_of = |command: &str| usage.split_whitespace().any(|word| word == command);
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let is_question = ["predict", "why", "advise", "run", "study"]
        .iter()
        .any(|one| is_of(one));
    let instead = match given.starts_with('-') {
        true if is_question => instead_of(given),
        false if !["run", "study", "why"].iter().any(|one| is_of(one)) && is_study(given) => {
            let study = shell_word(given);
            Some(format!(
                "a study or job file is simulated with `stripewise run {study} --world model`, and `stripewise why {study}` explains a cell of it"
            ))
        }
        false if is_question => option_of(given, is_of("advise")),
        false if is_of("characterize") => {
            Some(format!("the trace is `--from {}`", shell_word(given)))
        }
        false if is_of("serve") => Some(format!(
            "`serve` shows all runs; `stripewise report {}` writes a page of one",
            shell_word(given)
        )),
        _ => None,
    };
    if let Some(instead) = instead {
        suggest(error, instead);
    }
}

/// Returns whether a word names a study, or a job file of fio.
fn is_study(word: &str) -> bool {
    let is_file = [".toml", ".fio"].iter().any(|end| word.ends_with(end));
    is_file || ShippedStudy::named(word).is_some()
}

/// Returns the option that a bare word is the value of: `raid5:4`, `oltp`, `4 x sata-ssd`.
fn option_of(word: &str, is_advice: bool) -> Option<String> {
    let shown = shell_word(word);
    if word.parse::<ArrayWord>().is_ok() && !is_advice && word.parse::<u64>().is_err() {
        return Some(format!("an array is `--array {shown}`"));
    }
    if word.parse::<WorkloadWord>().is_ok() {
        return Some(format!("a load is `--workload {shown}`"));
    }
    let device = if is_advice { "--devices" } else { "--device" };
    match word.parse::<DeviceWord>() {
        Ok(DeviceWord { profile, .. }) if Profiles::shipped().devices.contains_key(&profile) => {
            Some(format!("devices are `{device} {shown}`"))
        }
        _ if word.parse::<u32>().is_ok() => Some(format!(
            "words with spaces need quotes: `{device} \"4 x sata-ssd\"`"
        )),
        _ => None,
    }
}

/// Returns what to write instead of another program's option.
fn instead_of(option: &str) -> Option<String> {
    let is_it = |(names, _): &&(&[&str], &str)| names.contains(&option);
    if let Some((_, instead)) = ELSEWHERE.iter().find(is_it) {
        return Some((*instead).to_owned());
    }
    let word = option.strip_prefix("--")?;
    match meaning(word, "") {
        Some(Meaning::Key { key, .. }) => Some(format!(
            "it is a key of the load: `--workload randrw:4K:{key}=...`, after docs/study.md"
        )),
        Some(Meaning::Elsewhere(place)) => Some(place.to_owned()),
        None => {
            let axis = Axis::from_key(&word.replace('-', "_"))?;
            let is_setting =
                ![Axis::Stack, Axis::Workload, Axis::Neighbours, Axis::Failure].contains(&axis);
            is_setting.then(|| {
                format!(
                    "a study says it: `{} = ...` under `[conditions]`; `stripewise study` with the other words and `--save FILE` writes one",
                    axis.key()
                )
            })
        }
    }
}

fn explain_twice(error: &mut clap::Error) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let [invalid, prior] = [ContextKind::InvalidArg, ContextKind::PriorArg].map(text);
    let Some(argument) = invalid.filter(|_| error.kind() == ErrorKind::ArgumentConflict) else {
        return;
    };
    if prior != Some(argument) {
        return;
    }
    let option = argument.split([' ', '=']).next().unwrap_or(argument);
    let word = WORDS.iter().find(|word| word.option == option);
    let instead = match word.and_then(|word| word.several) {
        Some(several) => format!("to compare several, {several}"),
        None if option == argument => "give it once".to_owned(),
        None => "give it once; to compare several, run the command once for each".to_owned(),
    };
    suggest(error, instead);
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, Args as _, Command};

    use super::{COMMANDS, WORDS, instead_of, option_of};
    use crate::args::Args;
    use crate::question::QuestionArgs;

    #[test]
    fn words_of_other_programs_lead_to_ours() {
        for (option, expected) in [
            ("--n", "`--count 4`"),
            ("-l", "`--array raid10:f2:4`"),
            ("--raid5", "`--array raid10:f2:4`"),
            ("--rwmixread", "a key of the load"),
            ("--norandommap", "a key of the load"),
            ("--runtime", "`[repeat]`"),
            ("--ramp_time", "`steady_state`"),
            ("--ashift", "`filesystem = "),
            ("--spare-devices", "a spare takes no part"),
            ("--scheduler", "under `[conditions]`"),
            ("--read-ahead", "under `[conditions]`"),
            ("--write-mostly", "a key of an array"),
            ("--assume-clean", "a key of an array"),
            ("--assemble", "no array is built by hand"),
            ("--stripes", "the number of devices"),
            ("--regionsize", "`--bitmap 64M`"),
            ("--iodepth_batch_complete_min", "no batches"),
            ("--latency_target", "several depths"),
            ("--startdelay", "`neighbours`"),
            ("--output-format", "stripewise export"),
            ("--nrfiles", "one file"),
            ("--end_fsync", "`fsync = N`"),
            ("--dwpd", "`--tbw 150T`"),
        ] {
            let instead = instead_of(option).unwrap_or_default();
            assert!(instead.contains(expected), "{option}: {instead}");
        }
        for (word, expected) in [
            ("raid5:4", "`--array raid5:4`"),
            ("oltp", "`--workload oltp`"),
            ("randread:4k", "`--workload randread:4k`"),
            ("sata-ssd", "`--device sata-ssd`"),
            ("4", "need quotes"),
        ] {
            let instead = option_of(word, false).unwrap_or_default();
            assert!(instead.contains(expected), "{word}: {instead}");
        }
        assert_eq!(option_of("nonsense", false), None);
    }

    #[test]
    fn no_other_word_for_a_command_is_a_command() {
        let command = <Args as clap::CommandFactory>::command();
        for word in COMMANDS.iter().flat_map(|(words, _)| *words) {
            assert!(command.find_subcommand(word).is_none(), "{word}");
        }
    }

    #[test]
    fn every_option_of_a_question_has_a_row_and_only_repeated_ones_need_no_advice() {
        let command = QuestionArgs::augment_args(Command::new("question"));
        let mut found = Vec::new();
        for arg in command.get_arguments() {
            let option = format!("--{}", arg.get_long().unwrap());
            let word = WORDS.iter().find(|word| word.option == option);
            let word = word.unwrap_or_else(|| panic!("{option} has no row"));
            let is_repeated = matches!(arg.get_action(), ArgAction::Append);
            assert!(!(is_repeated && word.several.is_some()), "{option}");
            found.push(option);
        }
        assert_eq!(found.len(), WORDS.len(), "{found:?}");
    }
}
