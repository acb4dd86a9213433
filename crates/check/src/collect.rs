//! Reads the facts of a host, or of a tree with its files. Reads only.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use stripewise_machine::{Root, is_absent, is_disk_name, reason};
use stripewise_process::{CallError, Program, UntilStopped, is_stop_asked};

use crate::apache::apache;
use crate::bounded::Bounded;
use crate::expand::{Expander, Limits};
use crate::facts::{arrays, hidden_disks, mounts};
use crate::jobs::user_of_line;
use crate::mysql::{DATA, UPGRADE_INFO, data_dir, option_files};
use crate::pattern::parts;
use crate::postgresql::{Clusters, clusters, kept_options};
use crate::rules::{fpm, nginx};
use crate::snapshot::{CommandResult, Missing, Snapshot, Stat};
use crate::sources::{
    APACHE, COLLATION_STATEMENT, COMMANDS, CollectedCommand, FILES, Keep, MYSQL, NGINX, POOL,
    POSTGRES, POSTGRES_OPTIONS, RunFor, SCRUBBERS, STATEMENT, UPDATERS,
};

/// How long one command may take: the answer of a disk that must spin up does not arrive in it.
const COMMAND_LIMIT: Duration = Duration::from_secs(5);
/// How deep included files are followed to places that no pattern asks for.
const FOLLOWED_ROUNDS_MAX: usize = 10;
/// How many commands run at a time.
const COMMANDS_AT_ONCE: usize = 8;

/// Why a directory tells nothing.
pub(crate) const EMPTY: &str = "the directory is empty in this tree";

/// Reads the files of a host or of a tree; no command is run.
pub fn read_tree(root: &Root) -> Snapshot {
    read_within(root, Limits::default())
}

fn read_within(root: &Root, limits: Limits) -> Snapshot {
    let mut expander = Expander::new(root, limits);
    let mut snapshot = Snapshot {
        is_complete: true,
        ..Snapshot::default()
    };
    let bounded = Bounded::new(root);
    for ask in FILES {
        if is_stop_asked() {
            break;
        }
        if note_absent_top(root, ask.pattern, &mut snapshot) {
            continue;
        }
        let paths = expander.paths(ask.pattern, &mut snapshot.missing);
        for path in paths.into_iter().take_while(|_| !is_stop_asked()) {
            read_one(&bounded, ask.keep, &path, &mut snapshot);
        }
    }
    for _ in 0..FOLLOWED_ROUNDS_MAX {
        let mut wanted = included(&snapshot);
        wanted.retain(|(pattern, _)| !snapshot.followed.contains(pattern));
        if wanted.is_empty() || is_stop_asked() {
            break;
        }
        for (pattern, keep) in wanted {
            if note_absent_top(root, &pattern, &mut snapshot) {
                continue;
            }
            for path in expander.paths(&pattern, &mut snapshot.missing) {
                read_one(&bounded, keep, &path, &mut snapshot);
            }
            snapshot.followed.insert(pattern);
        }
    }
    snapshot
}

/// Returns what configurations include from places that no pattern asks for.
fn included(facts: &Snapshot) -> Vec<(String, Keep)> {
    let Clusters { found, unasked, .. } = clusters(facts);
    let clusters = found.into_iter();
    let of_clusters = unasked
        .into_iter()
        .chain(clusters.flat_map(|cluster| cluster.unasked));
    let of_clusters = of_clusters.map(|path| {
        let keep = match path.ends_with("/postmaster.opts") {
            true => Keep::Options(POSTGRES_OPTIONS),
            false => Keep::Settings(POSTGRES),
        };
        (path, keep)
    });
    let apache = apache(facts).ok().flatten();
    let of_apache = apache.map(|apache| apache.config.unasked);
    let of_apache = of_apache.into_iter().flatten();
    let of_nginx = nginx(facts).unasked.into_iter();
    let of_fpm = fpm(facts).unasked.into_iter();
    let of_mysql = option_files(facts).unasked.into_iter();
    let data = data_dir(facts).ok().filter(|data| data != DATA);
    let of_data = data.into_iter().flat_map(|data| {
        let path = |name: &str| (format!("{data}/{name}"), Keep::Text);
        UPGRADE_INFO.map(path)
    });
    of_clusters
        .chain(of_apache.map(|path| (path, Keep::Lines(APACHE))))
        .chain(of_nginx.map(|path| (path, NGINX)))
        .chain(of_fpm.map(|path| (path, Keep::Lines(POOL))))
        .chain(of_mysql.map(|path| (path, Keep::Lines(MYSQL))))
        .chain(of_data)
        .collect()
}

/// Reads the facts of this machine, and runs the commands. Ends early, with a part of the facts, if
/// this process is asked to stop ([`is_stop_asked`]).
pub fn read_live() -> Snapshot {
    let mut snapshot = read_tree(&Root::live());
    snapshot.taken_unix_s = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|now| i64::try_from(now.as_secs()).ok());
    snapshot.commands = run_all(&calls(&snapshot));
    let hidden = hidden_disks(&snapshot).into_iter();
    let hidden: Vec<Planned> = hidden.map(|(_, line)| smartctl(line)).collect();
    snapshot.commands.extend(run_all(&hidden));
    snapshot
}

/// Notes a tree that has nothing below `/sys`, `/proc` or the like: there nothing is absent, it is
/// unknown. Returns whether that is so.
fn note_absent_top(root: &Root, pattern: &str, snapshot: &mut Snapshot) -> bool {
    let Some(top) = parts(pattern).next() else {
        return true;
    };
    let top = format!("/{top}");
    if snapshot.missing.contains_key(&top) {
        return true;
    }
    let has_names = |top: &str| root.try_list(top).is_ok_and(|names| !names.is_empty());
    // Nothing need be in `/srv`, and a tree with `/var` is no single directory.
    if top == "/srv" && has_names("/var") {
        return false;
    }
    let why = match root.try_list(&top) {
        Ok(names) if !names.is_empty() => return false,
        Ok(_) => EMPTY.to_owned(),
        Err(error) => reason(&error),
    };
    snapshot.missing.insert(top, why);
    true
}

fn read_one(bounded: &Bounded, keep: Keep, path: &str, snapshot: &mut Snapshot) {
    let root = bounded.root;
    let read = match keep {
        Keep::Stat => return read_stat(root, path, snapshot),
        Keep::Qemu => read_qemu(bounded, path),
        Keep::BootCode => read_boot_code(root, path),
        _ => bounded.text(path).map(|text| kept(keep, path, text)),
    };
    match read {
        Ok(Some(text)) => {
            snapshot.files.insert(path.to_owned(), text);
        }
        Ok(None) => {}
        Err(error) if is_absent(&error) || has_no_text(root, path) => {}
        Err(error) => {
            snapshot.missing.insert(path.to_owned(), reason(&error));
        }
    }
}

/// Returns what is collected of the text of a file; `None` if it counts as absent.
fn kept(keep: Keep, path: &str, text: String) -> Option<String> {
    let kept = match keep {
        Keep::Text | Keep::Stat | Keep::Qemu | Keep::BootCode => text,
        Keep::Cron { is_system } => kept_jobs(&text, is_system),
        Keep::Users => kept_users(&text),
        Keep::Unit => {
            let kept = kept_unit(&text);
            // Of the hundreds that packages bring, those that start no updater are as none.
            let is_ours = path.starts_with("/etc/") || path.contains(".service.d/");
            let is_ours = is_ours || !updater_words(&kept).is_empty();
            return is_ours.then_some(kept);
        }
        Keep::Script => kept_script(&text),
        Keep::Statements(names) => kept_statements(&text, names),
        Keep::Lines(words) => kept_lines(&text, words),
        Keep::Uncommented => uncommented(&text),
        Keep::Settings(words) => kept_settings(&text, words),
        Keep::Options(names) => kept_options(&text, names),
    };
    Some(kept)
}

/// Returns whether a path is a directory, of which the names below are facts of their own, or a link
/// to `/dev/null`, as a masked unit is.
fn has_no_text(root: &Root, path: &str) -> bool {
    let is_folder = || root.stat(path).is_ok_and(|found| found.is_dir());
    let target = root.canonical(path.as_ref());
    target.is_ok_and(|target| target == std::path::Path::new("/dev/null")) || is_folder()
}

fn read_stat(root: &Root, path: &str, snapshot: &mut Snapshot) {
    match root.stat(path) {
        Ok(file) => {
            let stat = Stat {
                mode: file.mode() & 0o7777,
                uid: file.uid(),
                gid: file.gid(),
                size_bytes: file.size(),
                modified_unix_s: file.mtime(),
            };
            snapshot.stats.insert(path.to_owned(), stat);
        }
        Err(error) if is_absent(&error) => {}
        Err(error) => {
            snapshot.missing.insert(path.to_owned(), reason(&error));
        }
    }
}

/// Returns the lines that contain one of the words, in any case.
fn kept_lines(text: &str, words: &[&str]) -> String {
    let kept = text.lines().filter(|line| is_kept(line, words));
    kept.collect::<Vec<_>>().join("\n") + "\n"
}

fn is_kept(line: &str, words: &[&str]) -> bool {
    let line = line.to_ascii_lowercase();
    words.iter().any(|word| match word.strip_prefix('^') {
        Some(start) => line.trim_start().starts_with(start),
        None => line.contains(word),
    })
}

/// Returns the lines that are neither empty nor comments.
fn uncommented(text: &str) -> String {
    let is_kept = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let kept = text.lines().filter(is_kept);
    kept.collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns the lines that contain one of the words, under their own numbers.
fn kept_settings(text: &str, words: &[&str]) -> String {
    let lines = text.lines();
    let kept = lines.map(|line| if is_kept(line, words) { line } else { "" });
    kept.collect::<Vec<_>>().join("\n").trim_end().to_owned() + "\n"
}

/// Returns the words of a command that name an updater of feeds or a check of arrays; none for an
/// option alone, which other programs have too.
fn updater_words(command: &str) -> String {
    let names = UPDATERS.iter().chain(&SCRUBBERS);
    let is_kept = |word: &&str| names.clone().any(|name| word.contains(name));
    let kept: Vec<&str> = command.split_whitespace().filter(is_kept).collect();
    match kept.iter().all(|word| word.starts_with("--")) {
        true => String::new(),
        false => kept.join(" "),
    }
}

/// Returns the jobs of a crontab without their commands.
fn kept_jobs(text: &str, is_system: bool) -> String {
    let mut kept = String::new();
    for line in text.lines().map(str::trim) {
        let is_named = line.starts_with('@');
        let is_job =
            is_named || line.starts_with(|c: char| c.is_ascii_digit() || "*-~".contains(c));
        if is_job {
            let count = if is_named { 1 } else { 5 } + usize::from(is_system);
            let when: Vec<&str> = line.split_whitespace().take(count).collect();
            let command: Vec<&str> = line.split_whitespace().skip(count).collect();
            let updater = updater_words(&command.join(" "));
            kept += &format!("{} {updater}\n", when.join(" "));
        }
    }
    kept
}

/// Returns the user of a unit, and which updater of feeds it starts. A line that ends with a backslash
/// goes on in the next one that is no comment, and space around `=` does not count
/// (systemd.syntax(7)).
fn kept_unit(text: &str) -> String {
    let (mut kept, mut line) = (String::new(), String::new());
    for part in text.lines().map(str::trim) {
        if part.starts_with(['#', ';']) {
            continue;
        }
        match part.strip_suffix('\\') {
            Some(part) => line += &format!("{part} "),
            None => {
                line += part;
                kept += &kept_directive(&std::mem::take(&mut line));
            }
        }
    }
    kept + &kept_directive(&line)
}

fn kept_directive(line: &str) -> String {
    let pair = line.split_once('=');
    match pair.map(|(key, value)| (key.trim(), value.trim())) {
        Some(("User", user)) => format!("User={user}\n"),
        Some(("ExecStart", command)) => {
            let server = data_option(command).unwrap_or_else(|| updater_words(command));
            format!("ExecStart={server}\n")
        }
        Some(("Environment", variables)) => {
            let words = variables.split_whitespace();
            let words = words.map(|word| word.trim_matches(['"', '\'']));
            let kept = words.filter(|word| word.starts_with("PGDATA="));
            kept.map(|word| format!("Environment={word}\n")).collect()
        }
        _ => String::new(),
    }
}

/// Returns where a command that starts a server of PostgreSQL says that its data is; `None` for
/// another command.
fn data_option(command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let is_server = ["postgres", "postmaster", "pg_ctl"].contains(&program);
    let data = words.skip_while(|word| *word != "-D").nth(1);
    is_server.then(|| data.map_or_else(String::new, |data| format!("{program} -D {data}")))
}

/// Returns of a script the lines that start an updater: as which user, and which updater.
fn kept_script(text: &str) -> String {
    let mut kept = String::new();
    let lines = text.lines().map(str::trim);
    for line in lines.filter(|line| !line.starts_with('#')) {
        let words = updater_words(line);
        if !words.is_empty() {
            kept += &format!("{} {words}\n", user_of_line(line));
        }
    }
    kept
}

/// Returns the statements of nginx's syntax that have one of these names, each in a line of its own:
/// one line may hold several, and one may go over several lines.
fn kept_statements(text: &str, names: &[&str]) -> String {
    let (mut kept, mut words, mut word) = (String::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '#' if word.is_empty() => drop(chars.by_ref().find(|c| *c == '\n')),
            '"' | '\'' if word.is_empty() => {
                word.extend(chars.by_ref().take_while(|next| *next != c));
                words.push(std::mem::take(&mut word));
            }
            // `${name}` is a variable, and no block.
            '{' if word.ends_with('$') => {
                word.push(c);
                word.extend(chars.by_ref().take_while(|next| *next != '}'));
                word.push('}');
            }
            ';' | '{' | '}' => {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                let is_kept = words
                    .first()
                    .is_some_and(|name| names.contains(&name.as_str()));
                if is_kept {
                    let end = if c == '{' { " {" } else { ";" };
                    kept += &format!("{}{end}\n", words.join(" "));
                }
                words.clear();
            }
            c if c.is_whitespace() => {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            }
            c => word.push(c),
        }
    }
    kept
}

/// Returns the names and numbers of users, and the numbers of their groups.
fn kept_users(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        if let [name, _, user, group, ..] = line.split(':').collect::<Vec<_>>()[..] {
            kept += &format!("{name}:x:{user}:{group}\n");
        }
    }
    kept
}

/// Returns the command line of a process if it is QEMU; other command lines are never read.
fn read_qemu(bounded: &Bounded, path: &str) -> io::Result<Option<String>> {
    let folder = path.strip_suffix("/cmdline").unwrap_or(path);
    let is_process = parts(folder)
        .last()
        .is_some_and(|name| name.chars().all(|c| c.is_ascii_digit()));
    if !is_process
        || !bounded
            .root
            .word(format!("{folder}/comm"))
            .is_some_and(|name| name.starts_with("qemu"))
    {
        return Ok(None);
    }
    let text = bounded.bytes(path)?;
    let words = String::from_utf8_lossy(&text).replace('\0', "\n");
    Ok(Some(kept_lines(&words, &["cache"])))
}

/// Returns whether the first sector of a disk has GRUB's boot code, which contains its name
/// (grub-core/boot/i386/pc/boot.S, `notification_string`).
fn read_boot_code(root: &Root, path: &str) -> io::Result<Option<String>> {
    let name = parts(path).last().unwrap_or_default();
    if !root.exists(format!("/sys/block/{name}/device")) || root.0 != std::path::Path::new("/") {
        return Ok(None);
    }
    let mut sector = [0_u8; 512];
    let mut disk = std::fs::File::open(path)?;
    io::Read::read_exact(&mut disk, &mut sector)?;
    let is_grub = sector.windows(4).any(|four| four == b"GRUB");
    Ok(Some(if is_grub { "GRUB" } else { "no GRUB" }.to_owned()))
}

/// A command with its thing filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) line: String,
    pub(crate) program: Program,
}

fn smartctl(line: String) -> Planned {
    Planned {
        program: Program::new("smartctl", "smartmontools"),
        line,
    }
}

/// Returns the commands that this host needs.
fn calls(snapshot: &Snapshot) -> Vec<Planned> {
    let mut planned = Vec::new();
    for ask in COMMANDS {
        if snapshot.glob(ask.gate).is_ok_and(|found| found.is_empty()) {
            continue;
        }
        planned.extend(lines_of(ask, snapshot).into_iter().map(|line| Planned {
            program: Program::new(ask.line.split(' ').next().unwrap_or_default(), ask.package),
            line,
        }));
    }
    // A device that is mounted twice, or two drivers with one program, are asked once.
    let mut seen = BTreeSet::new();
    planned.retain(|one| seen.insert(one.line.clone()));
    planned
}

fn lines_of(ask: &CollectedCommand, snapshot: &Snapshot) -> Vec<String> {
    let fill = |name: &str| ask.line.replace("{}", name);
    match ask.each {
        RunFor::Once => vec![ask.line.to_owned()],
        RunFor::Disk(kind) => {
            let sizes = snapshot.glob(&format!("/sys/block/{kind}/size"));
            let sizes = sizes.unwrap_or_default().into_iter();
            sizes
                .filter_map(|path| parts(path).nth(2))
                .filter(|name| is_disk_name(name))
                .map(fill)
                .collect()
        }
        RunFor::BitmapMember => {
            let members = bitmap_members(snapshot).unwrap_or_default();
            members.into_iter().map(fill).collect()
        }
        RunFor::Cluster => {
            let clusters = clusters(snapshot).found.into_iter();
            clusters
                .filter_map(|cluster| cluster.control_data().ok())
                .collect()
        }
        RunFor::Mounted(kind) => {
            let mounted = mounts(snapshot).unwrap_or_default().into_iter();
            let wanted = mounted
                .filter(|mount| mount.device.starts_with("/dev/") && mount.kind.starts_with(kind));
            wanted.map(|mount| fill(mount.device)).collect()
        }
    }
}

/// Returns the members of arrays whose bitmap is on the members: at an offset from the superblock.
fn bitmap_members(snapshot: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut found = Vec::new();
    for md in arrays(snapshot)? {
        let location = md.word("bitmap/location")?.unwrap_or_default();
        if location.starts_with(['+', '-']) {
            found.extend(md.members()?);
        }
    }
    Ok(found)
}

/// Returns how many commands failed here that only root gets an answer from.
pub fn refused_commands(snapshot: &Snapshot) -> usize {
    let failed = snapshot.commands.iter();
    let failed = failed.filter(|(_, ran)| ran.exit.is_some_and(|code| code != 0));
    let program = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let needs_root = |line: &str| {
        let asks = COMMANDS.iter().filter(|ask| ask.needs_root);
        asks.into_iter()
            .any(|ask| program(ask.line) == program(line))
    };
    failed.filter(|(line, _)| needs_root(line)).count()
}

/// Runs commands, several at a time.
fn run_all(planned: &[Planned]) -> BTreeMap<String, CommandResult> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..COMMANDS_AT_ONCE.min(planned.len()) {
            scope.spawn(|| {
                while let Some(one) = planned.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = run(one);
                    if let Ok(mut done) = done.lock() {
                        done.insert(one.line.clone(), ran);
                    }
                }
            });
        }
    });
    done.into_inner().unwrap_or_default()
}

fn run(planned: &Planned) -> CommandResult {
    let arguments = planned.line.split(' ').skip(1).map(|word| match word {
        "SHOW_VARIABLES" => STATEMENT,
        "COLLATIONS" => COLLATION_STATEMENT,
        word => word,
    });
    let called = planned.program.call(arguments).limit(COMMAND_LIMIT);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match called.run(&mut UntilStopped) {
        Ok(printed) => CommandResult {
            exit: Some(0),
            output: text(&printed.stdout),
            error: None,
        },
        Err(CallError::Failed {
            status, printed, ..
        }) => CommandResult {
            exit: status.code(),
            output: text(&printed.stdout),
            error: text(&printed.stderr).lines().next_back().map(str::to_owned),
        },
        Err(error) => CommandResult {
            exit: None,
            output: String::new(),
            error: Some(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_file_is_not_a_missing_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        std::fs::create_dir_all(folder.path().join("etc/mdadm")).unwrap();
        std::fs::write(folder.path().join("etc/fstab"), "a password=hunter2\n").unwrap();
        let snapshot = read_tree(&root);
        assert_eq!(
            snapshot.text("/etc/fstab"),
            Ok(Some("a password=hunter2\n"))
        );
        assert_eq!(snapshot.text("/etc/crypttab"), Ok(None));
        assert!(snapshot.text("/proc/mounts").is_err());
        assert!(snapshot.glob("/sys/block/*/md/level").is_err());
        assert!(
            snapshot.text("/etc/shadow").is_err(),
            "it is never collected"
        );
    }

    /// A place that was not read is missing, and a rule that needs it is not run: it passed sites
    /// below more than six directories, behind 20,000 paths, in names that are no UTF-8, and behind
    /// links.
    #[test]
    fn what_is_not_looked_at_is_missing() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let real = |path: &str| folder.path().join(path);
        let make = |path: &str| std::fs::create_dir_all(real(path)).unwrap();
        let root = Root(folder.path().to_owned());
        let outcome = |limits: Limits| {
            let facts = read_within(&root, limits);
            let judged = crate::rules::all().find(|rule| rule.id == "web.wp-perms");
            let judged = (judged.unwrap().judge)(&facts);
            (crate::Outcome::of(&judged), judged.unwrap().missing)
        };
        make("var/www/html/1/2/3/4/5/6/7/8");
        make("etc");
        std::fs::write(real("etc/passwd"), "www-data:x:33:33:::\n").unwrap();
        std::fs::write(real("etc/os-release"), "ID=debian\n").unwrap();
        assert_eq!(outcome(Limits::default()), (crate::Outcome::Pass, vec![]));
        let deep = real("var/www/html/1/2/3/4/5/6/7/8/wp-config.php");
        std::fs::write(&deep, "").unwrap();
        assert_eq!(outcome(Limits::default()).0, crate::Outcome::Fail);
        std::fs::remove_file(deep).unwrap();
        let unknown = |limits: Limits, path: &str, why: &str| {
            let missing = Missing::new(path, why);
            assert_eq!(outcome(limits), (crate::Outcome::NotRun, vec![missing]));
        };
        let limits = |depth, folders, paths| Limits {
            depth,
            folders,
            paths,
        };
        let few = "more than 3 directories below /var/www";
        unknown(limits(3, 99, 99), "/var/www/html/1/2/3", few);
        unknown(limits(99, 4, 99), "/var/www", "more than 4 directories");
        for path in ["var/www/html/.htaccess", "var/www/html/1/.htaccess"] {
            std::fs::write(real(path), "").unwrap();
            let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            std::fs::set_permissions(real(path), open).unwrap();
        }
        let why = "more than one path matches /var/www/**/.htaccess";
        unknown(limits(99, 99, 1), "/var/www", why);
        let name = std::ffi::OsStr::from_bytes(b"var/www/html/\xe4");
        // A picture with such a name is none of the files that the rule looks for.
        std::fs::write(folder.path().join(name), "").unwrap();
        assert_eq!(outcome(Limits::default()).0, crate::Outcome::Pass);
        std::fs::remove_file(folder.path().join(name)).unwrap();
        std::fs::create_dir(folder.path().join(name)).unwrap();
        let why = "one name in it is not printable UTF-8";
        unknown(Limits::default(), "/var/www/html", why);
        std::fs::remove_dir(folder.path().join(name)).unwrap();
        // What a link in the directory names is looked at by itself.
        make("srv/site");
        std::os::unix::fs::symlink("../html", real("var/www/html/again")).unwrap();
        assert_eq!(outcome(Limits::default()).0, crate::Outcome::Pass);
        std::os::unix::fs::symlink("/srv/site", real("var/www/site")).unwrap();
        let why = "a link to a directory outside of /var/www, which is not followed";
        unknown(Limits::default(), "/var/www/site", why);
        // What is wrong elsewhere is not hidden by it.
        std::fs::write(real("var/www/wp-config.php"), "").unwrap();
        let (outcome, missing) = outcome(Limits::default());
        assert_eq!((outcome, missing.len()), (crate::Outcome::Fail, 1));
    }

    #[test]
    fn of_jobs_and_units_no_command_is_kept() {
        let jobs = "MAILTO=a\n# x\n5 4 * * * root restic -p hunter2\n@daily www-data php /x/update.php --feeds -phunter2\n";
        let kept = "5 4 * * * root \n@daily www-data /x/update.php --feeds\n";
        assert_eq!(kept_jobs(jobs, true), kept);
        assert_eq!(kept_jobs("@daily hunter2\n", false), "@daily \n");
        let users = "root:$6$hunter2:0:0:,hunter2:/root:/bin/sh\n+::::::\nhunter2\n";
        assert_eq!(kept_users(users), "root:x:0:0\n+:x::\n");
        let unit = "ExecStart=curl https://hunter2@a/update.php?key=hunter2\n";
        let kept = "ExecStart=https://hunter2@a/update.php?key=hunter2\n";
        assert_eq!(kept_unit(unit), kept);
        assert_eq!(kept_unit("ExecStart=/bin/a --daemon\n"), "ExecStart=\n");
        let unit = "User = www-data\nExecStart = /usr/bin/php \\\n# no\n  /x/update.php \\\n  --feeds hunter2\n";
        let kept = "User=www-data\nExecStart=/x/update.php --feeds\n";
        assert_eq!(kept_unit(unit), kept);
        let unit = "User=www-data\nEnvironment=KEY=hunter2\nExecStart=/usr/bin/php /x/update_daemon2.php hunter2\n";
        assert_eq!(
            kept_unit(unit),
            "User=www-data\nExecStart=/x/update_daemon2.php\n"
        );
    }

    #[test]
    fn the_bitmap_of_each_member_is_examined() {
        let facts = Snapshot::of_files([
            ("/sys/block/md0/md/array_state", "clean"),
            ("/sys/block/md0/md/bitmap/location", "+8"),
            ("/sys/block/md0/md/dev-sda1/state", "in_sync"),
            ("/sys/block/md0/md/dev-sdb1/state", "in_sync"),
            ("/sys/block/md1/md/array_state", "clean"),
            ("/sys/block/md1/md/bitmap/location", "none"),
            ("/sys/block/md1/md/dev-sdc/state", "in_sync"),
        ]);
        let planned = calls(&facts);
        let lines = planned.iter().map(|planned| planned.line.as_str());
        let examined: Vec<&str> = lines.filter(|line| line.contains(" -X ")).collect();
        assert_eq!(examined, ["mdadm -X /dev/sda1", "mdadm -X /dev/sdb1"]);
    }

    #[test]
    fn a_device_that_is_mounted_twice_is_asked_once() {
        let facts = Snapshot::of_files([
            ("/sys/block/md0/md/level", "raid1"),
            (
                "/proc/mounts",
                "/dev/md0 / ext4 rw 0 0\n/dev/md0 /srv ext4 rw 0 0\ntank /a zfs rw 0 0\n",
            ),
        ]);
        let planned = calls(&facts);
        let lines = planned.iter().map(|planned| planned.line.as_str());
        let asked: Vec<&str> = lines.filter(|line| line.contains("dumpe2fs")).collect();
        assert_eq!(asked, ["dumpe2fs -h /dev/md0"]);
    }

    /// A cluster elsewhere was asked for in its usual place; disks behind a controller for nothing.
    #[test]
    fn clusters_and_hidden_disks_are_asked_where_they_are() {
        let mut facts = Snapshot::of_files([
            ("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n"),
            ("/etc/postgresql/15/main/postgresql.conf", "fsync = on\n"),
            (
                "/etc/postgresql/16/b/postgresql.conf",
                "data_directory = '/srv/b'",
            ),
            (
                "/etc/postgresql/16/c/postgresql.conf",
                "data_directory = '/a b'",
            ),
        ]);
        let planned = calls(&facts);
        let lines = planned.iter().map(|planned| planned.line.as_str());
        let asked: Vec<&str> = lines.filter(|line| line.contains("pg_control")).collect();
        let start = "runuser --user postgres -- /usr/lib/postgresql";
        let expected = [
            format!("{start}/15/bin/pg_controldata /var/lib/postgresql/15/main"),
            format!("{start}/16/bin/pg_controldata /srv/b"),
        ];
        assert_eq!(asked, expected);
        let output = r#"{"devices":[{"name":"/dev/sda","type":"scsi"},{"name":"/dev/bus/0","type":"megaraid,8"},
            {"name":"/dev/bus/0","type":"megaraid,9 --set"},{"name":"-s","type":"megaraid,9"}]}"#;
        let scanned = CommandResult {
            exit: Some(0),
            output: output.to_owned(),
            error: None,
        };
        facts
            .commands
            .insert(crate::sources::SCAN.to_owned(), scanned);
        let lines: Vec<String> = hidden_disks(&facts)
            .into_iter()
            .map(|(_, line)| line)
            .collect();
        assert_eq!(lines, ["smartctl -a -d megaraid,8 /dev/bus/0 -j"]);
    }

    #[test]
    fn statements_are_kept_wherever_lines_end() {
        let names = ["include", "fastcgi_pass", "upstream", "server"];
        for (text, expected) in [
            (
                "location ~ x { include a; fastcgi_pass unix:/a; }",
                "include a;\nfastcgi_pass unix:/a;\n",
            ),
            ("fastcgi_pass\n  unix:/a # b;\n;", "fastcgi_pass unix:/a;\n"),
            ("fastcgi_param API hunter2; # fastcgi_pass\n", ""),
            (
                "set $a \"x;fastcgi_pass y\";include 'a b';",
                "include a b;\n",
            ),
            (
                "upstream php { server unix:/a; }",
                "upstream php {\nserver unix:/a;\n",
            ),
            ("fastcgi_pass ${x};", "fastcgi_pass ${x};\n"),
        ] {
            assert_eq!(kept_statements(text, &names), expected, "{text}");
        }
    }

    #[test]
    fn only_wanted_lines_are_kept() {
        let kept = kept_lines(
            " Order deny,allow\nAuthLDAPBindPassword x\nRequire all\nSetEnv A hunter2 # require\n",
            &["^order", "^require"],
        );
        assert_eq!(kept, " Order deny,allow\nRequire all\n");
    }
}
