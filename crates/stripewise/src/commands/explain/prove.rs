//! `explain --prove lab`: runs the experiment that tells the causes apart.

use clap::Parser as _;
use stripewise_catalogue::Message;
use stripewise_report::explained::{Experiment, Explained};

use super::Args;
use crate::args;
use crate::commands;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::{OutputFile, Replaces};
use crate::printer::Printer;

/// Returns the experiment to run; `None` if none is asked for.
///
/// # Errors
/// If there is none, or it cannot run in the lab.
pub(super) fn experiment(args: &Args, explained: &Explained) -> Result<Option<Experiment>> {
    if args.prove.is_none() {
        return Ok(None);
    }
    let experiments = explained
        .pairs
        .iter()
        .filter_map(|pair| pair.experiment.as_ref());
    let all: Vec<&Experiment> = experiments.collect();
    let in_lab = all.iter().find(|experiment| experiment.is_for_lab);
    match (in_lab, all.first()) {
        (Some(experiment), _) => Ok(Some((*experiment).clone())),
        (None, Some(here)) => Err(Failure::new(
            "--prove lab: what is named as the cause is none of the lab’s: it lies in the processor, or in the load",
        )
        .hint(format!(
            "run the experiment on this machine: `--save FILE`, then `{}`",
            here.command
        ))),
        (None, None) => Err(
            Failure::new("--prove lab: no cause is named that a study can change")
                .hint("leave `--prove` out to see what differs"),
        ),
    }
}

/// Runs an experiment in the lab, as `stripewise run --world lab` does, and shows what it gives.
pub(super) fn run(args: &Args, experiment: &Experiment, printer: &mut Printer) -> Result<Exit> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("experiment.toml");
    OutputFile::new(&file, Replaces::never()).write_bytes(experiment.study.as_bytes())?;
    printer.remark(&Message::new("explain-proving"));
    let mut words = vec!["stripewise".into(), "run".into(), file.into_os_string()];
    words.extend(["--world", "lab"].map(Into::into));
    if let Some(profiles) = &args.profiles {
        words.extend(["--profiles".into(), profiles.clone().into_os_string()]);
    }
    if let Some(store) = args.store.named() {
        words.extend(["--store".into(), store.to_owned().into_os_string()]);
    }
    let asked = args::Args::try_parse_from(words)
        .map_err(|error| Failure::new(error.to_string()).context("the experiment cannot be run"))?;
    commands::run(asked, printer)
}
