//! `stripewise cut-agent`: runs stacks of `pull-plug --world metal` in a mount namespace of its own.
//! Not for users.

use stripewise_lab::guest::serve_namespace;
use stripewise_lab::power_cut::AGENT;
use stripewise_worlds::lab::disk_seed;

use crate::exit::Exit;
use crate::failure::{Failure, Result};

/// Run stacks in a mount namespace of its own
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<Exit> {
    match serve_namespace(disk_seed) {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(Failure::from_error(error.into(), None).hint(format!(
            "`stripewise pull-plug --world metal` starts `{AGENT}` itself"
        ))),
    }
}
