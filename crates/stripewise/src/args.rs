//! The command line: commands and options. Parser, help, completions and man pages come from here.

use clap::builder::{FalseyValueParser, Styles};
use clap::{CommandFactory as _, Parser, Subcommand};
use stripewise_catalogue::Language;
use stripewise_report::style;
use stripewise_report::view::View;

use crate::commands::{
    ack, advise, calibrate, characterize, check, collect, compare, completions, copies, cut_agent,
    delete, drift, explain, export, facts, host_agent, import, lab, lab_guest, man, outliers,
    pages, predict, profiles, pull_plug, rename, report, restore, resume, run, runs, serve, show,
    site, store, studies, study, trend, verify_model, why, workloads,
};
use crate::help;
use crate::printer::{Answer, Output, columns};
use crate::question_words::explain;

/// The exit codes, in one line.
const EXIT_CODES: &str = "Exit codes: 0 done; 1 done, and the answer is no; 2 failed.";

/// The end of the program's long help.
const AFTER_HELP: &str = "\
Exit codes:
  0  done
  1  done, and the answer is no: a regression (`compare`), a difference
     (`verify-model`), a failed rule (`check`), or a missing requirement
     (`lab doctor`)
  2  failed: wrong input, a missing tool, an interrupted run

Signals (Ctrl-C, SIGTERM, SIGHUP) end every command within 2 s, and leave no
half file behind. What must be undone is undone first: after `run`, `resume`,
`pull-plug`, `lab` and `calibrate --target` that takes at most 45 s, and the
exit code is then 2. A second signal ends the program at once; `stripewise
restore` undoes the rest.

Exit codes and `--json` documents are an API; text for people may change.

Environment:
  STRIPEWISE_PLAIN      if set to 1, the same as --plain
  STRIPEWISE_LAB_CACHE  the lab's cache of prepared guests
  PGHOST, PGUSER, PGPASSFILE, PGSERVICEFILE, PGSSLMODE, ...
                        a store on a PostgreSQL server is reached as by `psql`
  XDG_DATA_HOME         the store is stripewise/store.db in this directory
  XDG_CACHE_HOME        simulations of earlier runs are in stripewise/simulated
  NO_COLOR              if set, no colours, as in pipes and with TERM=dumb
  LC_ALL, LC_MESSAGES, LANG
                        language of reports and remarks: English or German
  COLUMNS               width of tables if there is no terminal; else 80

Examples:
  Measure the filesystem of a directory, then look at the result again:
    stripewise study block-size
    stripewise run block-size --target /srv/test
    stripewise show latest
    stripewise report latest -o block-size.html

  Which array to build of four SSDs for a database:
    stripewise advise --devices \"4 x samsung-850-evo-500\" \\
        --workload oltp

  Predict an array that does not exist yet:
    stripewise predict --device samsung-850-evo-500 \\
        --array raid10:n2:4:32K --workload randread:64K

  Compare two runs in a script; exit code 1 if run 2 is over 5 % slower:
    stripewise compare 1 2 --fail-on-regression 5%

`stripewise help COMMAND` explains a command, with examples.
";

/// Measure, explain and predict the performance of Linux storage
///
/// A study is a TOML file that says what to test, which load to put on it, and what to compare. `run`
/// measures a study with fio on this machine, simulates it, or runs it in a guest with a real kernel.
/// Every sample goes into a store, one SQLite file or a PostgreSQL server, which `show`, `compare`,
/// `report`, `serve` and `export` read. Results are estimates with 95 % intervals, and verdicts in words.
///
/// `advise`, `predict` and `why` only simulate: they need a device profile, and no disks.
///
/// Measuring writes test files into a new directory below `--target` and removes them at the end. It
/// overwrites only devices that a study lists under `[may_destroy]` and that you confirm by name.
/// `restore` undoes what a crash left behind.
#[derive(Debug, Parser)]
#[command(
    name = "stripewise",
    version,
    max_term_width = 100,
    propagate_version = true,
    help_template = help::template(&Styles::styled()),
    after_help = EXIT_CODES,
    after_long_help = AFTER_HELP
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print only results and errors
    #[arg(long, short, global = true)]
    quiet: bool,

    /// Print sentences instead of tables and bars, for screen readers and logs
    #[arg(long, global = true, env = "STRIPEWISE_PLAIN", hide_env_values = true, value_parser = FalseyValueParser::new())]
    plain: bool,

    /// Print reports and remarks in this language
    ///
    /// Without it, LC_ALL, LC_MESSAGES or LANG decide; English is the default. Help, errors, `--json`
    /// and CSV are always English. A `report` opens in this language, else in that of the reader's
    /// browser; figures of `export` are in this language, else in English.
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = ["en", "de"])]
    language: Option<String>,
}

impl Args {
    /// Reads the command line.
    pub(crate) fn from_command_line() -> Result<Self, Answer> {
        Self::try_parse().map_err(|mut error| {
            explain(&mut error);
            let drawn = error.render().ansi().to_string();
            // Rendered again without clap's styles: escape sequences still in it come from the
            // arguments.
            let plain = Styles::plain();
            let template = help::template(&plain);
            let bare = Self::command().styles(plain).help_template(template);
            let bare = bare.try_get_matches();
            let bare = bare.map_or_else(
                |mut error| {
                    explain(&mut error);
                    error.render().ansi().to_string()
                },
                |_| drawn.clone(),
            );
            Answer {
                text: style::adopt(&drawn, &bare),
                is_mistake: error.use_stderr(),
            }
        })
    }

    pub(crate) fn view(&self) -> View {
        let view = match self.plain {
            true => View::PLAIN,
            false => View::drawn(columns()),
        };
        view.in_language(self.language())
    }

    /// Returns the language that `--language` names.
    pub(crate) fn asked_language(&self) -> Option<Language> {
        self.language.as_deref().and_then(Language::of_locale)
    }

    fn language(&self) -> Language {
        self.asked_language()
            .unwrap_or_else(|| Language::of_environment(|name| std::env::var(name).ok()))
    }

    pub(crate) fn output(&self) -> Output {
        if self.quiet {
            Output::Quiet
        } else {
            Output::Normal
        }
    }
}

/// The commands, in the order of the man page; `help` groups them.
///
/// Variants have no doc comments: clap would use them instead of those on the command's `Args`,
/// which hold the summary and the long help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Args),
    Study(study::Args),
    Studies(studies::Args),
    PullPlug(pull_plug::Args),
    Characterize(characterize::Args),
    Advise(advise::Args),
    Predict(predict::Args),
    Profiles(profiles::Args),
    Workloads(workloads::Args),
    Why(why::Args),
    Lab(lab::Args),
    #[command(hide = true)]
    LabGuest(lab_guest::Args),
    #[command(hide = true)]
    CutAgent(cut_agent::Args),
    #[command(hide = true)]
    HostAgent(host_agent::Args),
    Resume(resume::Args),
    #[command(alias = "list")]
    Runs(runs::Args),
    Rename(rename::Args),
    Delete(delete::Args),
    Push(copies::PushArgs),
    Pull(copies::PullArgs),
    Store(store::Args),
    Show(show::Args),
    Report(report::Args),
    Serve(serve::Args),
    Pages(pages::Args),
    Compare(compare::Args),
    Explain(explain::Args),
    Trend(trend::Args),
    Drift(drift::Args),
    Outliers(outliers::Args),
    Ack(ack::Args),
    Calibrate(calibrate::Args),
    Export(export::Args),
    Import(import::Args),
    Check(check::Args),
    Collect(collect::Args),
    Facts(facts::Args),
    VerifyModel(verify_model::Args),
    Restore(restore::Args),
    Site(site::Args),
    Completions(completions::Args),
    Man(man::Args),
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
