//! `stripewise site`: move a web site without breaking it.

mod answer;
mod document;
mod input;
mod permissions;
mod rewrite;
mod scan;
mod verify;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Look at a dump, rewrite it, and check the result:
    stripewise site scan --from http://old.example dump.sql
    stripewise site rewrite --from http://old.example \\
        --to https://www.new.example dump.sql > new.sql
    stripewise site verify --from http://old.example new.sql

  See which files the server cannot read, and put that right:
    stripewise site permissions --root /var/www/new --server-user www-data
";

/// Move a web site to another domain, host or provider
///
/// WordPress and others store settings as serialized PHP, in which each text carries its length in
/// bytes. A plain search-and-replace makes them unreadable, and themes and widgets lose their
/// settings. `rewrite` changes the addresses and paths in a dump, and counts again. `scan` says
/// before what would change, `permissions` who can read the files, and `verify` after what is left.
///
/// docs/site.md describes a whole move.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

/// What is done.
#[derive(Debug, Subcommand)]
enum What {
    Rewrite(rewrite::Args),
    Scan(scan::Args),
    Permissions(permissions::Args),
    Verify(verify::Args),
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    match &args.what {
        What::Rewrite(args) => rewrite::run(args, printer),
        What::Scan(args) => scan::run(args, printer),
        What::Permissions(args) => permissions::run(args, printer),
        What::Verify(args) => verify::run(args, printer),
    }
}
