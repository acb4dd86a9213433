//! What is typed: commands and options. Parser, help, completions and man pages all come from here.

use clap::builder::{FalseyValueParser, Styles};
use clap::{CommandFactory as _, Parser, Subcommand};
use stripewise_report::style;
use stripewise_report::view::View;

use crate::commands::{
    calibrate, compare, completions, delete, export, facts, import, lab, lab_guest, list, man,
    predict, profiles, rename, report, restore, resume, run, serve, show, study, verify_model, why,
};
use crate::exit::Exit;
use crate::printer::{Output, columns};

/// Measures, explains and predicts Linux storage, and proves that fast is still safe.
///
/// A study (a TOML file) says what is under test, what load is put on it, and what is asked. `run`
/// measures it with fio, or simulates it, saves every sample in a store, and prints estimates with
/// intervals and verdicts. It writes files in a directory of its own, which are removed
/// afterwards, and devices that the study gives up by name and you confirm; nothing else. `predict` and
/// `why` ask the simulation alone, and the lab knows only disks that do not exist.
#[derive(Debug, Parser)]
#[command(
    name = "stripewise",
    version,
    max_term_width = 100,
    propagate_version = true,
    after_help = "Exit codes: 0 done; 1 done, and the answer is no (`compare --fail-on-regression`); 2 could not.",
    after_long_help = "Exit codes: 0 done; 1 done, and the answer is no (`compare --fail-on-regression`); 2 could not do it.\n\nColours respect NO_COLOR, TERM=dumb and pipes; nothing is said by colour alone. Tables fit the terminal, else COLUMNS, else 80 columns; `--plain` or STRIPEWISE_PLAIN=1 writes sentences. `--json` and exit codes are an API; texts for people are not.\n\nExamples:\n  stripewise study studies/block-size.toml\n  stripewise run studies/block-size.toml --target /srv/test\n  stripewise predict --device samsung-850-evo-500 --array raid10:n2:4:32K --workload randread:64K\n  stripewise show latest --json\n  stripewise compare 3 4 --fail-on-regression 5%\n  stripewise export latest -o samples.parquet\n  stripewise import fio old-results/*.json"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    quiet: bool,

    /// Write sentences instead of tables and bars: for screen readers and logs
    #[arg(long, global = true, env = "STRIPEWISE_PLAIN", hide_env_values = true, value_parser = FalseyValueParser::new())]
    plain: bool,
}

/// What clap says instead of arguments: help, a version, a mistake.
#[derive(Debug)]
pub(crate) struct Answer {
    /// With the marks of its styles.
    pub(crate) text: String,
    pub(crate) is_mistake: bool,
}

impl Answer {
    /// Returns how the program ends with it.
    pub(crate) fn exit(&self) -> Exit {
        match self.is_mistake {
            true => Exit::CouldNot,
            false => Exit::Done,
        }
    }
}

impl Args {
    /// Reads the command line.
    pub(crate) fn from_command_line() -> Result<Self, Answer> {
        Self::try_parse().map_err(|error| {
            let drawn = error.render().ansi().to_string();
            // The same once more without clap's styles: what is left of escape sequences is foreign.
            let bare = Self::command().styles(Styles::plain()).try_get_matches();
            let bare =
                bare.map_or_else(|error| error.render().ansi().to_string(), |_| drawn.clone());
            Answer {
                text: style::adopt(&drawn, &bare),
                is_mistake: error.use_stderr(),
            }
        })
    }

    pub(crate) fn view(&self) -> View {
        match self.plain {
            true => View::Plain,
            false => View::drawn(columns()),
        }
    }

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
    /// List the device and host profiles that a study can name
    Profiles(profiles::Args),
    /// Show what limits a cell, the rule behind it, and what would change it
    Why(why::Args),
    /// Prepare and look into guests: real kernels on modelled disks
    Lab(lab::Args),
    #[command(hide = true)]
    LabGuest(lab_guest::Args),
    /// Go on with a run that was interrupted
    Resume(resume::Args),
    /// List the runs in the store
    List(list::Args),
    /// Name a run, and tag it
    Rename(rename::Args),
    /// Delete runs from the store, for good
    Delete(delete::Args),
    /// Show a run: estimates, intervals, verdicts, warnings
    Show(show::Args),
    /// Write runs as one HTML file that opens anywhere
    Report(report::Args),
    /// Open the store as a local page: runs, live runs, what-if questions
    Serve(serve::Args),
    /// Compare two runs, or the cells within one
    Compare(compare::Args),
    /// Make device and host profiles from measurements
    Calibrate(calibrate::Args),
    /// Export runs as CSV, Parquet, JSON, Markdown or OpenMetrics, figures as SVG or PNG
    Export(export::Args),
    /// Import results of other tools, and exports of this one
    Import(import::Args),
    /// Show what this machine is
    Facts(facts::Args),
    /// Check the model against the real driver
    VerifyModel(verify_model::Args),
    /// Undo what a crashed run left behind
    Restore(restore::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Print the man page, or write one for each command
    Man(man::Args),
}
