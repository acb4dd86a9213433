//! `stripewise site verify`: find old addresses and broken values after a move.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use stripewise_answer::{Answer, Block, Table};
use stripewise_catalogue::Message;
use stripewise_packing::{UnpackError, Unpacked};
use stripewise_process::Call;
use stripewise_report::strip_control;
use stripewise_site::permissions::{Aim, Plan, Tree, read_tree};
use stripewise_site::verify::{Database, Unlooked, dump, files};
use stripewise_site::{Format, InputReport, Options, Pairs, Policy};
use stripewise_study::world::NeverCancel;

use super::document::{Configuration, Dump, Files, Permissions, SiteDocument};
use super::input::{self, InputArgs, SearchArgs};
use super::{answer, permissions};
use crate::answers::{self, FormatArgs, OutputFormatArgs};
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
/// Looks for old addresses, in every form that `rewrite` reads and also in base64, and checks that every serialized
/// value can be read: in dumps, and in a database if asked. In a directory it looks for old
/// addresses in all files, unpacked if they are packed with gzip or Zstandard, and, if the server's
/// user is given, at modes. The exit code is 1 if anything is left or wrong.
///
/// What it cannot look at is listed and counted: files packed otherwise, links out of the directory,
/// files and directories that it may not read, and values that hold something packed, also in
/// hexadecimal digits or base64. If nothing is wrong in the rest, or if there was nothing to look at
/// (an empty dump or directory), the exit code is 2.
///
/// A database is read with the client of MariaDB or MySQL (`mariadb-dump` or `mysqldump`), in one
/// transaction. Nothing is changed.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", |arg| arg.value_parser(answers::with_verdicts())))]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    input: InputArgs,

    /// The directory of the site
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// The user of the web server, to check modes
    #[arg(long, value_name = "USER", requires = "root")]
    server_user: Option<String>,

    /// Its group [default: that of the user]; groups that it is a member of count, too
    #[arg(long, value_name = "GROUP", requires = "server_user")]
    server_group: Option<String>,

    /// PHP runs as the owner of the files
    #[arg(long, requires = "server_user")]
    php_as_owner: bool,

    /// A database: mysql://USER:PASSWORD@HOST/NAME; without :PASSWORD, MYSQL_PWD of the environment is used
    ///
    /// With a socket: mysql://USER@localhost/NAME?socket=/run/mysqld/mysqld.sock
    #[arg(long, value_name = "ADDRESS")]
    database: Option<String>,

    /// Check that the database in wp-config.php can be reached
    #[arg(long, requires = "root")]
    check_configuration: bool,

    #[command(flatten)]
    format: OutputFormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let policy = Policy {
        emails: false,
        broken: true,
        ..Policy::default()
    };
    let pairs = args.search.pairs(policy, printer)?;
    let mut verified = Verified {
        found: SiteDocument::new(),
        parts: Vec::new(),
        checks: answer::checks(),
        is_right: true,
        unlooked: 0,
    };
    // Standard input is asked for by name, or if nothing else is checked.
    let is_alone = args.root.is_none() && args.database.is_none();
    let (mut paths, mut reports) = (Vec::new(), Vec::new());
    if !args.input.files.is_empty() || is_alone {
        for path in args.input.paths() {
            let report = dump(input::open(&path)?, &pairs, &args.input.options(true));
            reports.push(report.map_err(|error| input::failure(&path, &error))?);
            paths.push(path);
        }
    }
    if let Some(address) = &args.database {
        let database = asked_database(address)?;
        let report = in_database(&database, &pairs, args)?;
        reports.push(report);
        paths.push(PathBuf::from(database.name));
    }
    args.input.check_names(&reports)?;
    input::forget_inputs(&paths, &mut reports);
    for (name, report) in paths.iter().zip(&reports) {
        verified.dump(name, report);
    }
    if let Some(named) = &args.root {
        // A root that is a link is the directory behind it.
        let root = std::fs::canonicalize(named).map_err(|error| not_looked_at(named, &error))?;
        let root = &root;
        let tree = read_tree(root).map_err(|error| not_looked_at(root, &error))?;
        verified.files((named, root), &tree, &pairs);
        if let Some(user) = &args.server_user {
            let group = args.server_group.as_deref();
            let server = permissions::server(user, group, args.php_as_owner)?;
            verified.modes(&permissions::plan_of(root, &tree, &server, Aim::Right)?);
        }
        if args.check_configuration {
            verified.configuration(root)?;
        }
    }
    verified.finish(args.format.into(), printer)
}

/// Returns the database of an address. A password that is not in it comes from the environment, where
/// no other user sees it.
fn asked_database(address: &str) -> Result<Database> {
    let mut database = Database::of_address(address)
        .ok_or_else(|| Failure::new("`--database` is not mysql://USER:PASSWORD@HOST/NAME, nor mysql://USER@localhost/NAME?socket=PATH"))?;
    if database.password.is_empty() {
        database.password = std::env::var("MYSQL_PWD").unwrap_or_default();
    }
    Ok(database)
}

fn not_looked_at(root: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("failed to look at `{}`: {error}", root.display()))
}

/// Opens a packed file of the site.
fn unpack(file: File) -> std::result::Result<Option<Box<dyn Read>>, Unlooked> {
    match Unpacked::new(file) {
        Ok(input) if input.is_packed() => Ok(Some(Box::new(input))),
        Ok(_) => Ok(None),
        Err(UnpackError::Foreign { packing, .. }) => Err(Unlooked::Packed(packing.to_owned())),
        Err(UnpackError::Read(error)) => Err(Unlooked::Unreadable(error.to_string())),
    }
}

/// What was verified so far.
struct Verified {
    found: SiteDocument,
    parts: Vec<Vec<Block>>,
    checks: Table,
    is_right: bool,
    /// How many files, values and inputs were not looked at or judged.
    unlooked: u64,
}

impl Verified {
    /// Takes the old addresses and broken values of a dump.
    fn dump(&mut self, name: &Path, report: &InputReport) {
        let left = report.replaced() + report.left_base64() + report.stuck();
        self.is_right &= left == 0 && report.broken_count == 0;
        let dump = Dump::new(name, report);
        self.unlooked += dump.unlooked();
        self.parts.push(dump.verified(&mut self.checks));
        self.found.dumps.push(dump);
    }

    /// Looks for old addresses in the files of a directory, which the user named in some way.
    fn files(&mut self, (named, root): (&Path, &Path), tree: &Tree, pairs: &Pairs) {
        let looked = files(root, tree, pairs, &unpack);
        self.is_right &= looked.left.is_empty();
        let is_empty = looked.files == 0 && looked.unlooked_count() == 0;
        self.unlooked += looked.unlooked_count() + u64::from(is_empty);
        let files = Files::new(&looked);
        let named = named.to_string_lossy();
        self.parts.push(files.verified(&named, &mut self.checks));
        self.found.files = Some(files);
    }

    fn modes(&mut self, plan: &Plan) {
        self.is_right &= plan.is_right();
        self.unlooked += plan.with_acl;
        let found = Permissions::new(plan, 0);
        found.verified(&mut self.checks);
        self.parts.push(found.blocks(&permissions::names()));
        self.found.permissions = Some(found);
    }

    /// Takes whether the database of the site's configuration answers.
    fn configuration(&mut self, root: &Path) -> Result<()> {
        let (database, error) = configuration(root)?;
        self.is_right &= error.is_none();
        let found = Configuration {
            database,
            answers: error.is_none(),
            error,
        };
        found.verified(&mut self.checks);
        self.found.configuration = Some(found);
        Ok(())
    }

    fn finish(mut self, format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
        let is_right = match (self.is_right, self.unlooked) {
            (false, _) => Some(false),
            (true, 0) => Some(true),
            (true, _) => None,
        };
        self.found.is_right = Some(is_right);
        self.parts.push(vec![self.checks.into()]);
        let title = Message::new("site-verify-title");
        let mut answer = Answer::new(title, self.found, answer::apart(self.parts));
        if is_right.is_none() {
            let message = Message::new("site-unknown").count("count", self.unlooked);
            answer = answer.summary(message);
        }
        answers::print("site verify", &answer, format, printer)?;
        Ok(match is_right {
            Some(true) => Exit::Done,
            Some(false) => Exit::No,
            None => Exit::CouldNot,
        })
    }
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

fn in_database(database: &Database, pairs: &Pairs, args: &Args) -> Result<InputReport> {
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

/// Returns the database of the site's configuration, and why it does not answer, if it does not.
fn configuration(root: &Path) -> Result<(String, Option<String>)> {
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
    let error = called.err().map(|error| strip_control(&error.to_string()));
    Ok((strip_control(&database.name), error))
}
