//! `stripewise host-agent`: the program on a host of `run --hosts`. Not for users.

use std::path::PathBuf;

use stripewise_catalogue::Words as _;
use stripewise_hosts::agent::serve;

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::stop::Stop;

/// Serve the controller of `run --hosts` on this host
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Our folder on this host
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<Exit> {
    // A signal ends the load, and the agent restores the host.
    let _stop = Stop::listen()?;
    match serve(&args.folder, |why| why.in_english()) {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(Failure::from_error(error.into(), None)
            .hint("`stripewise run --hosts` starts this on a host; `stripewise restore` there, with `--store FOLDER/journal.db`, undoes what is left")),
    }
}
