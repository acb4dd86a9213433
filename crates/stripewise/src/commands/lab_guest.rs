//! `stripewise lab-guest`: the agent inside a guest of the lab. Not for users.

use stripewise_lab::disk::Seed;
use stripewise_lab::guest::serve_guest;
use stripewise_sim::random::{Component, Stream};

use crate::exit::Exit;
use crate::failure::{Failure, Result};

/// Run the agent inside a guest of the lab
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<Exit> {
    match serve_guest(seed) {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(Failure::from_error(error.into(), None)
            .hint("`stripewise run --world lab` starts this inside a guest")),
    }
}

/// Returns the seed of the disk at a position of a stack: the same as the simulator's device there,
/// for the same sample.
pub(super) fn seed(sample: u64, device: u32) -> Seed {
    Seed::new(Stream::child_state(sample, Component::Device(device)))
}
