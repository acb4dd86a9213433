//! `stripewise site permissions`: who can read which file of a site.

use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_report::strip_control;
use stripewise_results::world::RunOrigin;
use stripewise_results::{NewRun, RunEnd};
use stripewise_site::permissions::{
    Aim, ModeChange, Plan, Server, Tree, Unjudged, closed_above, groups_of, number_of,
    parse_listing, plan_to, read_tree, set, shown,
};
use stripewise_site::scripts;
use stripewise_study::facts::Facts;
use stripewise_study::world::{Change, Journal as _, SetMode};

use super::answer::Names;
use super::document::{Permissions, SiteDocument};
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::input_file;
use crate::output_file::{OutputFile, Replaces, name_all, real_directory};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// The most bytes of a listing.
const LISTING_BYTES_MAX: usize = 64 << 20;
/// The users and the groups of this machine.
const USERS: &str = "/etc/passwd";
const GROUPS: &str = "/etc/group";
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

  Without a shell on the server, from a listing, with a batch for sftp:
    ls -lR /var/www/new > listing.txt
    stripewise site permissions --listing listing.txt \\
        --server-user www-data --server-group www-data \\
        --sftp-batch modes.sftp
    sftp -b modes.sftp me@host:/var/www/new
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
/// Names and counts what it cannot judge: what it may not read, directories whose contents are not
/// in a listing, files with access control lists. If nothing is wrong in the rest, the exit code is 2.
///
/// Only what is wrong is changed; `--least` gives every file and directory the mode that is enough.
///
/// `--apply` makes the changes. Each is recorded in the store before, and `stripewise restore` sets
/// everything back. A file with a hard link outside of the site stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the site
    #[arg(long, value_name = "DIR", required_unless_present = "listing")]
    root: Option<PathBuf>,

    /// A listing instead of a directory: the output of `ls -lR`, or of `ls -l` in sftp for each
    /// directory
    #[arg(long, value_name = "FILE", conflicts_with_all = ["root", "apply"])]
    listing: Option<PathBuf>,

    /// The user of the web server: a name or a number
    #[arg(long, value_name = "USER")]
    server_user: String,

    /// Its group [default: that of the user]; groups that it is a member of count, too
    #[arg(long, value_name = "GROUP")]
    server_group: Option<String>,

    /// PHP runs as the owner of the files, not as the server (PHP-FPM with a pool for each user)
    #[arg(long)]
    php_as_owner: bool,

    /// Give every file and directory the least mode that is enough, also where nothing is wrong
    #[arg(long)]
    least: bool,

    /// Make the changes
    #[arg(long)]
    apply: bool,

    /// Write the changes as a script of chmod and chgrp, to be run in the directory of the site
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    chmod_script: Option<PathBuf>,

    /// Write the changes as a batch for `sftp -b`
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    sftp_batch: Option<PathBuf>,

    /// Replace the files of --chmod-script and --sftp-batch if they exist
    #[arg(long)]
    replace: bool,

    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    store: StoreArgs,
}

impl Args {
    fn aim(&self) -> Aim {
        if self.least { Aim::Least } else { Aim::Right }
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    // Where the root is a link, its directory is the root from here on: the next look may find
    // another one behind the link.
    let real = |root: &PathBuf| {
        let found = match args.apply {
            true => real_directory(root),
            false => std::fs::canonicalize(root),
        };
        found.map_err(|error| not_looked_at(root, &error))
    };
    let root = args.root.as_ref().map(real).transpose()?;
    let found = match (&root, &args.listing) {
        (Some(root), _) => of_tree(root, args)?,
        (None, Some(listing)) => of_listing(listing, args)?,
        (None, None) => return Err(Failure::new("neither `--root` nor `--listing` is given")),
    };
    write_scripts(&found, args, printer)?;
    let mut applied = 0;
    let done = match &root {
        Some(root) if args.apply => apply(root, &found.steps, args, &mut applied, printer),
        _ => Ok(()),
    };
    let permissions = Permissions::new(&found, applied);
    // Numbers of users and groups of this machine get their names.
    let names = root.as_ref().map_or_else(Names::default, |_| names());
    let (blocks, total) = (permissions.blocks(&names), permissions.total());
    let mut document = SiteDocument::new();
    document.permissions = Some(permissions);
    let title = Message::new("site-permissions-title");
    let answer = Answer::new(title, document, blocks).summary(total);
    answers::print("site permissions", &answer, args.format, printer)?;
    done?;
    let is_left = applied < found.steps.len() || !found.above.is_empty();
    Ok(match (is_left, found.unjudged_count()) {
        (true, _) => Exit::No,
        (false, 0) => Exit::Done,
        (false, _) => Exit::CouldNot,
    })
}

/// Writes the changes as scripts, as far as asked.
fn write_scripts(found: &Plan, args: &Args, printer: &mut Printer) -> Result<()> {
    let asked = [
        (&args.chmod_script, scripts::shell as fn(&Plan) -> _),
        (&args.sftp_batch, scripts::sftp),
    ];
    let asked = asked.map(|(path, script)| {
        let output = |path| OutputFile::new(path, Replaces::only_with(args.replace));
        path.as_deref().map(|path| (output(path), script))
    });
    let asked: Vec<_> = asked.into_iter().flatten().collect();
    let outputs: Vec<OutputFile> = asked.iter().map(|(output, _)| *output).collect();
    OutputFile::check_all(&outputs)?;
    let (mut set, mut left) = (Vec::new(), Vec::new());
    for (output, script) in asked {
        let script = script(found);
        set.push(output.complete_bytes(&script.text)?);
        left.extend(script.left);
    }
    name_all(set)?;
    for left in &left {
        let message = Message::new("site-mode-not-written");
        printer.remark(&message.name("path", strip_control(&shown(left))));
    }
    Ok(())
}

/// Returns the plan for a directory of this machine, whose files are in `tree`.
pub(super) fn plan_of(root: &Path, tree: &Tree, server: &Server, aim: Aim) -> Result<Plan> {
    let mut found = plan_to(&tree.entries, server, aim);
    let unread = tree.unread.iter();
    found.unjudged = unread
        .map(|one| (one.path.clone(), Unjudged::Unreadable(one.why.clone())))
        .collect();
    found.above = closed_above(root, server).map_err(|error| not_looked_at(root, &error))?;
    Ok(found)
}

fn not_looked_at(root: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("failed to look at `{}`: {error}", root.display()))
}

fn table(path: &str) -> Vec<u8> {
    // A container may have none; then users have numbers only.
    std::fs::read(path).unwrap_or_default()
}

/// Returns a server by its names on this machine, in all groups that it is a member of.
pub(super) fn server(user: &str, group: Option<&str>, php_as_owner: bool) -> Result<Server> {
    let number = |name: &str, path: &str, option: &str| {
        number_of(name, &table(path)).ok_or_else(|| {
            Failure::new(format!("`{name}` is not in {path}"))
                .hint(format!("name it by its number: `{option} 33`"))
        })
    };
    let mut groups = groups_of(user, &table(USERS), &table(GROUPS));
    // Files are given to the first one.
    if let Some(name) = group.or_else(|| groups.is_empty().then_some(user)) {
        let first = number(name, GROUPS, "--server-group")?;
        groups.retain(|group| *group != first);
        groups.insert(0, first);
    }
    Ok(Server {
        user: number(user, USERS, "--server-user")?,
        groups,
        php_as_owner,
    })
}

fn of_tree(root: &Path, args: &Args) -> Result<Plan> {
    let server = server(
        &args.server_user,
        args.server_group.as_deref(),
        args.php_as_owner,
    )?;
    let tree = read_tree(root).map_err(|error| not_looked_at(root, &error))?;
    plan_of(root, &tree, &server, args.aim())
}

fn of_listing(path: &Path, args: &Args) -> Result<Plan> {
    let text = input_file::read("listing", path, LISTING_BYTES_MAX)?;
    // A part of a listing would be judged as if it were all.
    if text.len() > LISTING_BYTES_MAX {
        let most = LISTING_BYTES_MAX >> 20;
        let message = format!("`{}` is longer than {most} MiB", path.display());
        return Err(Failure::new(message).hint("list parts of the site, each in a file of its own"));
    }
    let text = String::from_utf8(text).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Failure::new(format!(
            "`{}` is not text: byte {place} is not UTF-8",
            path.display()
        ))
    })?;
    let listing = parse_listing(&text)
        .map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))?;
    let group = args.server_group.as_ref().unwrap_or(&args.server_user);
    let server = Server {
        user: args.server_user.clone(),
        groups: vec![group.clone()],
        php_as_owner: args.php_as_owner,
    };
    let mut found = plan_to(&listing.entries, &server, args.aim());
    let unlisted = listing.unlisted.into_iter();
    found.unjudged = unlisted.map(|path| (path, Unjudged::Unlisted)).collect();
    Ok(found)
}

/// Returns the names of users and groups of this machine.
pub(super) fn names() -> Names {
    Names {
        users: table(USERS),
        groups: table(GROUPS),
    }
}

fn change(root: &Path, steps: &[ModeChange]) -> Change {
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

/// Makes the changes, each recorded before, and counts them. A file that has a hard link outside of
/// the site stays as it is.
fn apply(
    root: &Path,
    steps: &[ModeChange],
    args: &Args,
    applied: &mut usize,
    printer: &mut Printer,
) -> Result<()> {
    let steps = steps.iter().filter(|step| !step.is_shared);
    let steps: Vec<ModeChange> = steps.cloned().collect();
    if steps.is_empty() {
        return Ok(());
    }
    let mut store = args.store.open()?;
    let new = NewRun::of(RunOrigin::Site, "site permissions");
    let run = store.begin_run(&new, &[], &Facts::default())?;
    let mut failed = Vec::new();
    for part in steps.chunks(FILES_OF_ENTRY) {
        let announced = store.journal(run).announce(&change(root, part));
        announced.map_err(|error| Failure::new(format!("failed to record a change: {error}")))?;
        for step in part {
            let group = step.group.as_ref().and_then(|group| group.parse().ok());
            let entry = &step.entry;
            let (before, after) = ((entry.inode, entry.mode), (step.mode, group));
            match set(root, &entry.path, before, after) {
                Ok(()) => *applied += 1,
                Err(error) => failed.push(format!("`{}`: {error}", shown(&entry.path))),
            }
        }
    }
    store.finish_run(run, RunEnd::Done)?;
    let message = Message::new("site-mode-applied").count("count", *applied);
    printer.remark(&message.name(
        "command",
        format!("stripewise restore{}", args.store.again()),
    ));
    match failed.first() {
        None => Ok(()),
        Some(first) => Err(Failure::new(format!(
            "failed to change {} of {} files, first {first}",
            failed.len(),
            steps.len()
        ))),
    }
}
