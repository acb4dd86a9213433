//! The options of a question: what each says, and how to ask about several values.

use clap::error::{ContextKind, ContextValue, ErrorKind};

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
pub(crate) const WORDS: [Word; 19] = [
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
    stack("--host", |args| args.host.is_some(), None),
    stack("--cores", |args| args.cores.is_some(), None),
    stack("--governor", |args| args.governor.is_some(), Some(LISTS)),
    load("--rw", |args| args.rw.is_some(), Some(LOADS)),
    load("--bs", |args| args.bs.is_some(), Some(LOADS)),
];

/// What fio's and mdadm's options are called in a question that has no option of that name.
const ELSEWHERE: [(&[&str], &str); 4] = [
    (
        &["--level", "--raid-level", "--layout"],
        "level and layout are parts of the array: `--array raid10:f2:4`",
    ),
    (
        &["--filename", "--disk", "--dev"],
        "`--device` names a profile to simulate; a real disk stands under `[may_destroy]` of a study, and `--target` is a directory to measure",
    ),
    (
        &[
            "--ioengine",
            "--engine",
            "--direct",
            "--rwmixread",
            "--mix",
            "--rate",
        ],
        "it is a key of the load: `--workload randrw:4K:mix=70/30:engine=libaio`",
    ),
    (&["--qd"], "the depth is `--depth`"),
];

/// Adds what to do instead to clap's errors about options of a question: one that was given twice, and
/// one that another program has.
pub(crate) fn explain(error: &mut clap::Error) {
    explain_twice(error);
    explain_unknown(error);
}

fn explain_unknown(error: &mut clap::Error) {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let is_question = usage.is_some_and(|usage| {
        let commands = ["predict", "run", "study"];
        let mut words = usage.split_whitespace();
        words.any(|word| commands.contains(&word))
    });
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let is_it = |(names, _): &&(&[&str], &str)| names.contains(&option.as_str());
    let found = ELSEWHERE.iter().find(is_it);
    let Some((_, instead)) = found.filter(|_| error.kind() == ErrorKind::UnknownArgument) else {
        return;
    };
    if is_question {
        error.remove(ContextKind::SuggestedArg);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![(*instead).into()]),
        );
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
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![instead.into()]),
    );
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, Args as _, Command};

    use super::WORDS;
    use crate::question::QuestionArgs;

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
