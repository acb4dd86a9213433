//! `stripewise lab-guest`: the agent inside a guest of the lab. Not for users.

use stripewise_lab::guest::serve_guest;
use stripewise_worlds::lab::disk_seed;

use crate::exit::Exit;
use crate::failure::{Failure, Result};

/// Run the agent inside a guest of the lab
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<Exit> {
    match serve_guest(disk_seed) {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(Failure::from_error(error.into(), None)
            .hint("`stripewise run --world lab` starts this inside a guest")),
    }
}
