//! `stripewise store`: what the owner of a store on a PostgreSQL server does.

use clap::Subcommand;
use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_report::document::SCHEMA;
use stripewise_results::{ROLES_SQL, make_roles, migrate};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Look at the rights of readers, writers and owners, then make the roles:
    stripewise store roles
    stripewise store roles --apply --store postgres:///runs

  After an update of the program:
    stripewise store migrate --store postgres:///runs
";

/// Examples at the end of the long help of `store roles`.
const ROLES_EXAMPLES: &str = "\
Examples:
  Look at the rights, then make the roles:
    stripewise store roles
    stripewise store roles --apply --store postgres:///runs
";

/// Examples at the end of the long help of `store migrate`.
const MIGRATE_EXAMPLES: &str = "\
Examples:
  After an update of the program:
    stripewise store migrate --store postgres:///runs
";

/// Manage a store on a PostgreSQL server
///
/// Every command takes a server as its store: `--store postgres://HOST/DATABASE`, or `service=NAME`.
/// docs/store.md says what a server promises, and how to set it up.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

/// What is done.
#[derive(Debug, Subcommand)]
enum What {
    Roles(RolesArgs),
    Migrate(MigrateArgs),
}

/// Print SQL that makes roles for readers, writers and owners
///
/// Each role has the least rights for its work: a writer can add samples, and cannot change or delete
/// one. `GRANT stripewise_writer TO ann` makes `ann` a writer.
#[derive(Debug, clap::Args)]
#[command(after_long_help = ROLES_EXAMPLES)]
struct RolesArgs {
    /// Run it in the store instead
    #[arg(long)]
    apply: bool,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// Bring the tables of a server to the version of this program
///
/// Programs of the version before read and write meanwhile. Without it, a program that needs newer
/// tables refuses the store by name.
#[derive(Debug, clap::Args)]
#[command(after_long_help = MIGRATE_EXAMPLES)]
struct MigrateArgs {
    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// The roles, for programs.
#[derive(Serialize)]
struct Roles {
    schema: u32,
    sql: &'static str,
    applied: bool,
}

/// The versions of the tables, for programs.
#[derive(Serialize)]
struct Versions {
    schema: u32,
    before: u32,
    after: u32,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    match &args.what {
        What::Roles(args) => roles(args, printer),
        What::Migrate(args) => bring_up_to_date(args, printer),
    }
}

fn roles(args: &RolesArgs, printer: &mut Printer) -> Result<Exit> {
    let title = Message::new("store-roles-title");
    let document = Roles {
        schema: SCHEMA,
        sql: ROLES_SQL,
        applied: args.apply,
    };
    if !args.apply {
        let answer = Answer::new(title, document, vec![Block::Code(ROLES_SQL.to_owned())]);
        return answers::print("store", &answer, args.format, printer);
    }
    make_roles(&args.store.path()?)?;
    let done = Block::say(Message::new("store-roles-done"));
    let answer = Answer::new(title, document, vec![done]);
    answers::print_aside("store", &answer, args.format, printer)
}

fn bring_up_to_date(args: &MigrateArgs, printer: &mut Printer) -> Result<Exit> {
    let migrated = migrate(&args.store.path()?)?;
    let (before, after) = (migrated.before, migrated.after);
    let message = match before == after {
        true => Message::new("store-migrate-nothing"),
        false => Message::new("store-migrate-done").name("before", before),
    };
    let document = Versions {
        schema: SCHEMA,
        before,
        after,
    };
    let done = Block::say(message.name("after", after));
    let answer = Answer::new(Message::new("store-migrate-title"), document, vec![done]);
    answers::print_aside("store", &answer, args.format, printer)
}
