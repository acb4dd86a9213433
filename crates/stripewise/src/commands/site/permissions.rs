//! `stripewise site permissions`: who can read which file of a site.

use std::path::{Path, PathBuf};

use stripewise_catalogue::{Argument, Message};
use stripewise_report::strip_control;
use stripewise_results::{NewRun, RunEnd, unix_now_ns};
use stripewise_site::permissions::{
    Entry, Plan, Server, Step, closed_above, number_of, parse_listing, plan, read_tree, set, shown,
};
use stripewise_study::facts::Facts;
use stripewise_study::world::{Change, Journal as _, SetMode};

use super::json::{Found, Permissions};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::input_file;
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// The most bytes of a listing.
const LISTING_BYTES_MAX: usize = 256 << 20;
/// How many files one entry of the journal holds.
const FILES_OF_ENTRY: usize = 1000;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  What the server of Debian can read of a site, and the fewest changes:
    stripewise site permissions --root /var/www/new --server-user www-data

  Make these changes, and undo them:
    stripewise site permissions --root /var/www/new \\
        --server-user www-data --apply
    stripewise restore

  Without a shell on the server, from a listing:
    ls -lR /var/www/new > listing.txt
    stripewise site permissions --listing listing.txt \\
        --server-user www-data --server-group www-data
";

/// Show who can read which file of a site, and what to change
///
/// Linux looks at one class only, the first that matches: the owner's bits for the owner, else the
/// group's for a member of the group, else those of others. So 0604 shuts the group out and lets
/// the world in.
///
/// Names configuration files that everybody can read or that PHP cannot, files that the server
/// cannot read, directories that it cannot enter, and what everybody can write. For each it prints
/// the mode that is enough: configuration 0640, or 0600 where PHP runs as its owner; other files
/// 0640, or 0644 where the server is neither owner nor group; directories 0750 or 0755. The exit
/// code is 1 if something is wrong.
///
/// `--apply` makes the changes. Each is recorded in the store before, and `stripewise restore` sets
/// everything back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the site
    #[arg(long, value_name = "DIR", required_unless_present = "listing")]
    root: Option<PathBuf>,

    /// A listing instead of a directory: the output of `ls -lR`, or of `ls -l` in sftp
    #[arg(long, value_name = "FILE", conflicts_with_all = ["root", "apply"])]
    listing: Option<PathBuf>,

    /// The user of the web server: a name or a number
    #[arg(long, value_name = "USER")]
    server_user: String,

    /// Its group [default: the group with the user's name]
    #[arg(long, value_name = "GROUP")]
    server_group: Option<String>,

    /// PHP runs as the owner of the files, not as the server (PHP-FPM with a pool for each user)
    #[arg(long)]
    php_as_owner: bool,

    /// Make the changes
    #[arg(long)]
    apply: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let found = match (&args.root, &args.listing) {
        (Some(root), _) => of_tree(root, args)?,
        (None, Some(listing)) => of_listing(listing, args)?,
        (None, None) => return Err(Failure::new("neither `--root` nor `--listing` is given")),
    };
    if !args.json {
        show(&found, printer)?;
    }
    if args.apply
        && let Some(root) = &args.root
        && !found.steps.is_empty()
    {
        let exit = apply(root, &found.steps, args, printer)?;
        document(&found, true, args, printer)?;
        return Ok(exit);
    }
    document(&found, false, args, printer)?;
    match found.steps.is_empty() && found.above.is_empty() {
        true => Ok(Exit::Done),
        false => Ok(Exit::No),
    }
}

fn document(found: &Plan, applied: bool, args: &Args, printer: &mut Printer) -> Result<()> {
    if !args.json {
        return Ok(());
    }
    let mut document = Found::new();
    document.permissions = Some(Permissions::new(found, applied));
    printer.json(&document)
}

/// Returns the files of a site on this machine.
pub(super) fn entries_of(root: &Path) -> Result<Vec<Entry>> {
    read_tree(root).map_err(|error| not_looked_at(root, &error))
}

/// Returns the plan for a directory of this machine, whose files are `entries`.
pub(super) fn plan_of(root: &Path, entries: &[Entry], server: &Server) -> Result<Plan> {
    let mut found = plan(entries, server);
    found.above = closed_above(root, server).map_err(|error| not_looked_at(root, &error))?;
    Ok(found)
}

fn not_looked_at(root: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("failed to look at `{}`: {error}", root.display()))
}

/// Returns a server by its names on this machine.
pub(super) fn server(user: &str, group: Option<&str>, php_as_owner: bool) -> Result<Server> {
    let table = |path: &str| std::fs::read(path).unwrap_or_default();
    let number = |name: &str, path: &str, option: &str| {
        number_of(name, &table(path)).ok_or_else(|| {
            Failure::new(format!("`{name}` is not in {path}"))
                .hint(format!("name it by its number: `{option} 33`"))
        })
    };
    Ok(Server {
        user: number(user, "/etc/passwd", "--server-user")?,
        groups: vec![number(
            group.unwrap_or(user),
            "/etc/group",
            "--server-group",
        )?],
        php_as_owner,
    })
}

fn of_tree(root: &Path, args: &Args) -> Result<Plan> {
    let server = server(
        &args.server_user,
        args.server_group.as_deref(),
        args.php_as_owner,
    )?;
    plan_of(root, &entries_of(root)?, &server)
}

fn of_listing(path: &Path, args: &Args) -> Result<Plan> {
    let text = input_file::read_text("listing", path, LISTING_BYTES_MAX)?;
    let listing = parse_listing(&text)
        .map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))?;
    let group = args.server_group.as_ref().unwrap_or(&args.server_user);
    let server = Server {
        user: args.server_user.clone(),
        groups: vec![group.clone()],
        php_as_owner: args.php_as_owner,
    };
    Ok(plan(&listing.entries, &server))
}

/// Prints a plan.
pub(super) fn show(found: &Plan, printer: &mut Printer) -> Result<()> {
    for path in &found.above {
        printer.line(&Message::new("site-mode-above").name("path", path.display()))?;
    }
    for step in &found.steps {
        let reasons = step.reasons.iter();
        let reasons = reasons
            .map(|reason| Argument::from(Message::new(format!("site-mode-{}", reason.key()))));
        let entry = match &step.group {
            Some(_) => "site-mode-step-group",
            None => "site-mode-step",
        };
        let message = Message::new(entry)
            .name("path", strip_control(&shown(&step.entry.path)))
            .name("before", format!("{:04o}", step.entry.mode))
            .name("after", format!("{:04o}", step.mode))
            .with("reasons", Argument::list(reasons));
        printer.line(&match &step.group {
            Some(group) => message.name("group", group),
            None => message,
        })?;
    }
    if found.with_acl > 0 {
        printer.remark(&Message::new("site-mode-acl").count("count", found.with_acl));
    }
    let total = Message::new("site-mode-total").count("count", found.entries);
    printer.remark(&total.name("wrong", found.steps.len()));
    Ok(())
}

fn change(root: &Path, steps: &[Step]) -> Change {
    let files = steps.iter().map(|step| SetMode {
        path: step.entry.path.clone(),
        inode: step.entry.inode,
        before: step.entry.mode,
        after: step.mode,
        group_before: step
            .group
            .as_ref()
            .and_then(|_| step.entry.group.parse().ok()),
    });
    Change::SetModes {
        root: root.to_owned(),
        files: files.collect(),
    }
}

/// Makes the changes, each recorded before.
fn apply(root: &Path, steps: &[Step], args: &Args, printer: &mut Printer) -> Result<Exit> {
    let root = std::fs::canonicalize(root)?;
    let mut store = args.store.open()?;
    let new = NewRun {
        world: "site".to_owned(),
        study_name: "site permissions".to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: unix_now_ns(),
        ..NewRun::default()
    };
    let run = store.begin_run(&new, &[], &Facts::default())?;
    let mut failed = Vec::new();
    for part in steps.chunks(FILES_OF_ENTRY) {
        let announced = store.journal(run).announce(&change(&root, part));
        announced.map_err(|error| Failure::new(format!("failed to record a change: {error}")))?;
        for step in part {
            let group = step.group.as_ref().and_then(|group| group.parse().ok());
            let entry = &step.entry;
            if let Err(error) = set(
                &root,
                &entry.path,
                (entry.inode, entry.mode),
                (step.mode, group),
            ) {
                failed.push(format!("`{}`: {error}", shown(&entry.path)));
            }
        }
    }
    store.finish_run(run, RunEnd::Done)?;
    let message = Message::new("site-mode-applied").count("count", steps.len() - failed.len());
    printer.remark(&message.name(
        "command",
        format!("stripewise restore{}", args.store.again()),
    ));
    match failed.first() {
        None => Ok(Exit::Done),
        Some(first) => Err(Failure::new(format!(
            "failed to change {} of {} files, first {first}",
            failed.len(),
            steps.len()
        ))),
    }
}
