//! The commands, one file each.

pub(crate) mod ack;
pub(crate) mod advise;
pub(crate) mod calibrate;
pub(crate) mod characterize;
pub(crate) mod check;
pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod copies;
pub(crate) mod cut_agent;
pub(crate) mod delete;
pub(crate) mod drift;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod facts;
pub(crate) mod host_agent;
pub(crate) mod import;
pub(crate) mod lab;
pub(crate) mod lab_guest;
pub(crate) mod man;
pub(crate) mod outliers;
pub(crate) mod pages;
pub(crate) mod predict;
pub(crate) mod profiles;
pub(crate) mod pull_plug;
pub(crate) mod rename;
pub(crate) mod report;
pub(crate) mod restore;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod site;
pub(crate) mod store;
pub(crate) mod studies;
pub(crate) mod study;
pub(crate) mod trend;
pub(crate) mod verify_model;
pub(crate) mod why;
pub(crate) mod workloads;

mod measure;
mod over_time;
mod stored;

pub(crate) use measure::parse_time;
pub(crate) use stored::{asked, check_settings};

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Runs a command.
pub(crate) fn run(args: Args, printer: &mut Printer) -> Result<Exit> {
    match args.command {
        Command::Run(args) => run::run(&args, printer),
        Command::Serve(args) => serve::run(&args, printer),
        Command::Study(args) => study::run(&args, printer),
        Command::Studies(args) => studies::run(&args, printer),
        Command::PullPlug(args) => pull_plug::run(&args, printer),
        Command::Characterize(args) => characterize::run(&args, printer),
        Command::Advise(args) => advise::run(&args, printer),
        Command::Predict(args) => predict::run(&args, printer),
        Command::Profiles(args) => profiles::run(&args, printer),
        Command::Workloads(args) => workloads::run(&args, printer),
        Command::Why(args) => why::run(&args, printer),
        Command::Resume(args) => resume::run(&args, printer),
        Command::Lab(args) => lab::run(&args, printer),
        Command::LabGuest(args) => lab_guest::run(&args),
        Command::CutAgent(args) => cut_agent::run(&args),
        Command::HostAgent(args) => host_agent::run(&args),
        Command::Runs(args) => runs::run(&args, printer),
        Command::Rename(args) => rename::run(&args, printer),
        Command::Delete(args) => delete::run(&args, printer),
        Command::Push(args) => copies::push(&args, printer),
        Command::Pull(args) => copies::pull(&args, printer),
        Command::Store(args) => store::run(&args, printer),
        Command::Show(args) => show::run(&args, printer),
        Command::Calibrate(args) => calibrate::run(&args, printer),
        Command::Report(args) => report::run(&args, printer),
        Command::Pages(args) => pages::run(&args, printer),
        Command::Compare(args) => compare::run(&args, printer),
        Command::Explain(args) => explain::run(&args, printer),
        Command::Trend(args) => trend::run(&args, printer),
        Command::Drift(args) => drift::run(&args, printer),
        Command::Outliers(args) => outliers::run(&args, printer),
        Command::Ack(args) => ack::run(&args, printer),
        Command::Export(args) => export::run(&args, printer),
        Command::Import(args) => import::run(&args, printer),
        Command::Check(args) => check::run(&args, printer),
        Command::Collect(args) => collect::run(&args, printer),
        Command::Facts(args) => facts::run(&args, printer),
        Command::VerifyModel(args) => verify_model::run(&args, printer),
        Command::Restore(args) => restore::run(&args, printer),
        Command::Site(args) => site::run(&args, printer),
        Command::Completions(args) => completions::run(&args, printer),
        Command::Man(args) => man::run(&args, printer),
    }
}
