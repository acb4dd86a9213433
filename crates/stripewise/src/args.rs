//! What is typed: commands and options. Parser, help, completions and man pages all come from here.

use clap::{Parser, Subcommand};

use crate::commands::{
    calibrate, compare, completions, facts, import, list, man, predict, restore, resume, run, show,
    study, why,
};
use crate::printer::Output;

/// Measures, explains and predicts Linux storage, and proves that fast is still safe.
///
/// A study (a TOML file) says what is under test, what load is put on it, and what is asked. `run`
/// measures it with fio, or simulates it, saves every sample in a store, and prints estimates with
/// intervals and verdicts. Nothing but files in a directory of its own is written, and they are
/// removed afterwards. `predict` and `why` ask the simulation alone.
#[derive(Debug, Parser)]
#[command(
    name = "stripewise",
    version,
    max_term_width = 100,
    propagate_version = true,
    after_help = "Exit codes: 0 done; 1 done, and the answer is no (`compare --fail-on-regression`); 2 could not.",
    after_long_help = "Exit codes: 0 done; 1 done, and the answer is no (`compare --fail-on-regression`); 2 could not do it.\n\nColours respect NO_COLOR, TERM=dumb and pipes. `--json` and exit codes are an API; texts for people are not.\n\nExamples:\n  stripewise study studies/block-size.toml\n  stripewise run studies/block-size.toml --target /srv/test\n  stripewise predict --device samsung-850-evo-500 --array raid10:n2:4:32K --workload randread:64K\n  stripewise show latest --json\n  stripewise compare 3 4 --fail-on-regression 5%\n  stripewise import fio old-results/*.json"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

impl Args {
    pub(crate) fn output(&self) -> Output {
        if self.quiet {
            Output::Quiet
        } else {
            Output::Normal
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure a study and answer its question
    Run(run::Args),
    /// Check a study and show its cells, its time and what it would touch
    Study(study::Args),
    /// Predict what an array would give, without building it
    Predict(predict::Args),
    /// Show what limits a cell, the rule behind it, and what would change it
    Why(why::Args),
    /// Go on with a run that was interrupted
    Resume(resume::Args),
    /// List the runs in the store
    List(list::Args),
    /// Show a run: estimates, intervals, verdicts, warnings
    Show(show::Args),
    /// Compare two runs, or the cells within one
    Compare(compare::Args),
    /// Make device and host profiles from measurements
    Calibrate(calibrate::Args),
    /// Import results of other tools
    Import(import::Args),
    /// Show what this machine is
    Facts(facts::Args),
    /// Undo what a crashed run left behind
    Restore(restore::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Print the man page, or write one for each command
    Man(man::Args),
}
