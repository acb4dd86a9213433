//! `stripewise site verify`: find old addresses and broken values after a move.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stripewise_catalogue::Message;
use stripewise_process::Call;
use stripewise_report::strip_control;
use stripewise_site::permissions::{read_tree, shown};
use stripewise_site::verify::{Database, dump, files};
use stripewise_site::{Format, Options, Pairs, Policy, Report};
use stripewise_study::world::NeverCancel;

use super::input::{self, InputArgs};
use super::permissions;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// How long the dump of a database may take.
const DUMP_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  A dump after `stripewise site rewrite`:
    stripewise site verify --from http://old.example --from /srv/old \\
        new.sql

  The site itself: its files, their modes, and its database:
    stripewise site verify --from http://old.example --root /var/www/new \\
        --server-user www-data --check-configuration \\
        --database mysql://site:secret@localhost/site
";

/// Check a site after its move
///
/// Looks for old addresses, in every form and also in base64, and checks that every serialized
/// value can be read: in dumps, and in a database if asked. In a directory it looks for old
/// addresses in text files and, if the server's user is given, at modes. The exit code is 1 if
/// anything is left or wrong.
///
/// A database is read with the client of MariaDB or MySQL (`mariadb-dump` or `mysqldump`), in one
/// transaction. Nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// An old address or path, which must not be there any more; repeat for several
    #[arg(long, value_name = "OLD", required = true, allow_hyphen_values = true)]
    from: Vec<OsString>,

    #[command(flatten)]
    input: InputArgs,

    /// The directory of the site
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// The user of the web server, to check modes
    #[arg(long, value_name = "USER", requires = "root")]
    server_user: Option<String>,

    /// Its group [default: the group with the user's name]
    #[arg(long, value_name = "GROUP", requires = "server_user")]
    server_group: Option<String>,

    /// PHP runs as the owner of the files
    #[arg(long, requires = "server_user")]
    php_as_owner: bool,

    /// A database: mysql://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "ADDRESS")]
    database: Option<String>,

    /// Check that the database in wp-config.php can be reached
    #[arg(long, requires = "root")]
    check_configuration: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let policy = Policy {
        emails: false,
        broken: true,
        ..Policy::default()
    };
    let pairs = input::pairs(&args.from, &args.from, policy)?;
    let mut is_right = true;
    // Standard input is asked for by name, or if nothing else is checked.
    let is_alone = args.root.is_none() && args.database.is_none();
    if !args.input.files.is_empty() || is_alone {
        for path in args.input.paths() {
            let report = dump(input::open(&path)?, &pairs, &args.input.options(true));
            let report = report.map_err(|error| input::failure(&path, &error))?;
            is_right &= say(&input::name_of(&path), &report, printer)?;
        }
    }
    if let Some(address) = &args.database {
        let database = Database::of_address(address)
            .ok_or_else(|| Failure::new("`--database` is not mysql://USER:PASSWORD@HOST/NAME"))?;
        let report = in_database(&database, &pairs, args)?;
        is_right &= say(&format!("`{}`", database.name), &report, printer)?;
    }
    if let Some(root) = &args.root {
        is_right &= in_files(root, &pairs, printer)?;
        if let Some(user) = &args.server_user {
            let group = args.server_group.as_deref();
            let server = permissions::server(user, group, args.php_as_owner)?;
            let (_, found) = permissions::of_root(root, &server)?;
            permissions::show(&found, printer)?;
            is_right &= found.steps.is_empty() && found.above.is_empty();
        }
        if args.check_configuration {
            is_right &= configuration(root, printer)?;
        }
    }
    Ok(if is_right { Exit::Done } else { Exit::No })
}

/// Prints the old addresses and broken values of a dump; returns whether there are none.
fn say(name: &str, report: &Report, printer: &mut Printer) -> Result<bool> {
    input::columns(report, printer, true)?;
    input::broken(report, printer);
    let left = report.replaced() + report.left_base64();
    let message = Message::new("site-verified")
        .name("file", name)
        .count("count", left)
        .name("serialized", report.serialized)
        .name("broken", report.broken_count);
    printer.line(&message)?;
    Ok(left == 0 && report.broken_count == 0)
}

fn in_files(root: &Path, pairs: &Pairs, printer: &mut Printer) -> Result<bool> {
    let entries = read_tree(root).map_err(|error| {
        Failure::new(format!("failed to look at `{}`: {error}", root.display()))
    })?;
    let (left, unread) = files(root, &entries, pairs);
    for one in &left {
        let message = Message::new("site-file-left").name("path", strip_control(&shown(&one.path)));
        printer.line(&message.count("count", one.count))?;
    }
    for path in &unread {
        let message = Message::new("site-file-unread");
        printer.line(&message.name("path", strip_control(&shown(path))))?;
    }
    let total = Message::new("site-files-total").count("count", entries.len());
    printer.line(&total.name("left", left.len()))?;
    Ok(left.is_empty() && unread.is_empty())
}

/// Returns the first program that is installed.
fn client(names: &[&'static str]) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let mut found = places.filter(|place| place.is_file());
    found.next().ok_or_else(|| {
        Failure::new(format!("`{}` is not installed", names[0]))
            .hint("install the package mariadb-client")
    })
}

/// Returns a call of a client; the password is in its environment.
fn call(names: &[&'static str], database: &Database) -> Result<Call> {
    let call = Call::new(&client(names)?).args(database.arguments());
    Ok(call.envs([("MYSQL_PWD", database.password.as_str())]))
}

fn in_database(database: &Database, pairs: &Pairs, args: &Args) -> Result<Report> {
    let options = Options {
        format: Some(Format::Sql),
        partial: true,
        ..args.input.options(true)
    };
    // The dump can be larger than the memory, so it is read while the client writes it.
    let (reader, writer) = io::pipe()?;
    let call = call(&["mariadb-dump", "mysqldump"], database)?
        .args([
            "--single-transaction",
            "--skip-lock-tables",
            "--hex-blob",
            "--no-tablespaces",
        ])
        .args(["--default-character-set=utf8mb4", "--", &database.name])
        .stdout(writer)
        .limit(DUMP_LIMIT);
    let (called, report) = std::thread::scope(|scope| {
        let scan = scope.spawn(|| dump(reader, pairs, &options));
        (call.run(&mut NeverCancel), scan.join())
    });
    called.map_err(|error| Failure::new(strip_control(&error.to_string())))?;
    let report = report.map_err(|_| Failure::new("failed to read the dump"))?;
    report.map_err(|error| input::failure(Path::new(&database.name), &error))
}

/// Returns whether the database of the site's configuration answers.
fn configuration(root: &Path, printer: &mut Printer) -> Result<bool> {
    let path = root.join("wp-config.php");
    let text = std::fs::read(&path)
        .map_err(|error| Failure::new(format!("failed to read `{}`: {error}", path.display())))?;
    let Some(database) = Database::of_configuration(&String::from_utf8_lossy(&text)) else {
        return Err(Failure::new(format!(
            "`{}` names no database",
            path.display()
        )));
    };
    let called = call(&["mariadb", "mysql"], &database)?
        .args([
            "--connect-timeout=10",
            "--batch",
            "--execute=SELECT 1",
            "--",
            &database.name,
        ])
        .run(&mut NeverCancel);
    let message = Message::new(match called {
        Ok(_) => "site-database-answers",
        Err(_) => "site-database-silent",
    });
    let message = message.name("database", strip_control(&database.name));
    printer.line(&match &called {
        Ok(_) => message,
        Err(error) => message.name("error", strip_control(&error.to_string())),
    })?;
    Ok(called.is_ok())
}
