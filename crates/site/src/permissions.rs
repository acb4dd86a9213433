//! Who can read which file of a site, and the fewest changes that put it right.
//!
//! The first class that matches decides (`path_resolution(7)`): the owner's bits for the owner, else
//! the group's for a member of the group, else those of others. So 0604 shuts the group out and lets
//! the world in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

pub use crate::listing::{Listing, ListingError, parse as parse_listing};

/// The bits that say who may do what.
const MODE_BITS: u32 = 0o7777;
/// The most files of a site.
const ENTRIES_MAX: usize = 5_000_000;

/// A file or a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the root; empty for the root.
    pub path: PathBuf,
    /// Whether it is a directory; else it is a regular file.
    pub is_directory: bool,
    /// Its mode, without the kind of file.
    pub mode: u32,
    /// Its owner: a number, or a name in a listing.
    pub owner: String,
    /// Its group: a number, or a name in a listing.
    pub group: String,
    /// Whether an access control list decides, too.
    pub has_acl: bool,
    /// Its inode number; 0 in a listing.
    pub inode: u64,
    /// The filesystem that the inode is on; 0 in a listing.
    pub device: u64,
    /// Its hard links, also those elsewhere; 0 in a listing.
    pub links: u64,
}

/// Who serves the site, by number or, for a listing, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its user.
    pub user: String,
    /// Its groups; configurations are given to the first.
    pub groups: Vec<String>,
    /// Whether PHP runs as the owner of its files (PHP-FPM with a pool for each user, suEXEC).
    pub php_as_owner: bool,
}

/// The class of bits that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The owner's bits.
    Owner,
    /// The group's.
    Group,
    /// Those of others.
    Other,
}

impl Class {
    /// Returns its key in documents; the entry of the catalogue is `site-class-KEY`.
    pub fn key(self) -> &'static str {
        match self {
            Class::Owner => "owner",
            Class::Group => "group",
            Class::Other => "other",
        }
    }

    /// Returns its bits of a mode.
    fn bits(self, mode: u32) -> u32 {
        match self {
            Class::Owner => (mode >> 6) & 7,
            Class::Group => (mode >> 3) & 7,
            Class::Other => mode & 7,
        }
    }
}

/// What is wrong with a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Everybody can read a file with passwords.
    ConfigurationOpen,
    /// PHP cannot read its configuration.
    ConfigurationClosed,
    /// The server cannot read a file.
    Unreadable,
    /// The server cannot enter a directory.
    NotSearchable,
    /// Everybody can write.
    WorldWritable,
    /// More than is needed may read or write.
    Wide,
}

impl Reason {
    /// Returns its key in documents; the entry of the catalogue is `site-mode-KEY`.
    pub fn key(self) -> &'static str {
        match self {
            Reason::ConfigurationOpen => "configuration-open",
            Reason::ConfigurationClosed => "configuration-closed",
            Reason::Unreadable => "unreadable",
            Reason::NotSearchable => "not-searchable",
            Reason::WorldWritable => "world-writable",
            Reason::Wide => "wide",
        }
    }
}

/// A change of a file, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeChange {
    /// The file.
    pub entry: Entry,
    /// What is wrong.
    pub reasons: Vec<Reason>,
    /// The class of the server.
    pub class: Class,
    /// The mode that puts it right.
    pub mode: u32,
    /// The group that it needs, if it has another one.
    pub group: Option<String>,
    /// Whether a hard link outside of the site has the same mode.
    pub is_shared: bool,
}

/// What is wrong with a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The changes.
    pub steps: Vec<ModeChange>,
    /// Directories above the root that the server cannot enter.
    pub above: Vec<PathBuf>,
    /// Files with an access control list, of which the mode tells half.
    pub with_acl: u64,
    /// The files and directories that were looked at.
    pub entries: u64,
    /// What was not judged, nor what is in it.
    pub unjudged: Vec<(PathBuf, Unjudged)>,
}

/// Why a directory and what is in it, or a file, was not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unjudged {
    /// It cannot be read.
    Unreadable(String),
    /// The listing has the directory, but not its contents.
    Unlisted,
}

impl Unjudged {
    /// Returns its key in documents; the entry of the catalogue is `site-unjudged-KEY`.
    pub fn key(&self) -> &'static str {
        match self {
            Unjudged::Unreadable(_) => "unreadable",
            Unjudged::Unlisted => "unlisted",
        }
    }

    /// Returns what more there is to say.
    pub fn detail(&self) -> &str {
        match self {
            Unjudged::Unreadable(error) => error,
            Unjudged::Unlisted => "",
        }
    }
}

impl Plan {
    /// Returns whether nothing is wrong in what was judged.
    pub fn is_right(&self) -> bool {
        self.steps.is_empty() && self.above.is_empty()
    }

    /// Returns how many files and directories were not judged.
    pub fn unjudged_count(&self) -> u64 {
        self.with_acl + self.unjudged.len() as u64
    }
}

impl Server {
    /// Returns the class that decides for the server.
    pub fn class(&self, entry: &Entry) -> Class {
        if self.user == entry.owner {
            Class::Owner
        } else if self.groups.contains(&entry.group) {
            Class::Group
        } else {
            Class::Other
        }
    }

    /// Returns the class that decides for PHP.
    fn php_class(&self, entry: &Entry) -> Class {
        match self.php_as_owner {
            true => Class::Owner,
            false => self.class(entry),
        }
    }
}

/// Returns whether a file holds passwords.
pub fn is_configuration(path: &Path) -> bool {
    const NAMES: [&str; 9] = [
        "wp-config.php",
        "configuration.php",
        "config.inc.php",
        "localconfiguration.php",
        "settings.php",
        "local.xml",
        "env.php",
        ".env",
        ".my.cnf",
    ];
    let Some(name) = path.file_name() else {
        return false;
    };
    let name = name.to_string_lossy().to_ascii_lowercase();
    // Copies (wp-config.php.bak, wp-config-old.php) hold the same passwords; the sample has none.
    let is_copy = name.starts_with("wp-config") && name != "wp-config-sample.php";
    is_copy || NAMES.contains(&name.as_str()) || name.starts_with(".env.")
}

fn is_php(path: &Path) -> bool {
    let extension = path
        .extension()
        .map(|end| end.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|end| end.starts_with("php") || end == "phtml" || end == "inc")
}

/// Returns the step that a file or directory needs.
pub fn step(entry: &Entry, server: &Server) -> Option<ModeChange> {
    step_to(entry, server, Aim::Right)
}

/// What modes are changed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Only what is wrong is changed.
    Right,
    /// Every file and directory gets the least that is enough.
    Least,
}

/// Returns the step that a file or directory needs to reach an aim.
pub fn step_to(entry: &Entry, server: &Server, aim: Aim) -> Option<ModeChange> {
    let mode = entry.mode & MODE_BITS;
    // What may be open stays open, unless less is asked for.
    let seen = if aim == Aim::Least {
        mode & 0o770
    } else {
        mode
    };
    let mut reasons = Vec::new();
    let (class, wanted, group) = if entry.is_directory {
        let class = server.class(entry);
        if class.bits(mode) & 1 == 0 {
            reasons.push(Reason::NotSearchable);
        }
        (class, directory_mode(class, seen), None)
    } else if is_configuration(&entry.path) {
        let class = server.php_class(entry);
        if mode & 7 != 0 {
            reasons.push(Reason::ConfigurationOpen);
        }
        if class.bits(mode) & 4 == 0 {
            reasons.push(Reason::ConfigurationClosed);
        }
        let group = server
            .groups
            .first()
            .filter(|_| class == Class::Other)
            .cloned();
        (class, configuration_mode(class), group)
    } else {
        let class = match is_php(&entry.path) {
            true => server.php_class(entry),
            false => server.class(entry),
        };
        if class.bits(mode) & 4 == 0 {
            reasons.push(Reason::Unreadable);
        }
        (class, file_mode(class, seen), None)
    };
    // In a sticky directory no user removes the files of others.
    let is_sticky = entry.is_directory && mode & 0o1000 != 0;
    if mode & 2 != 0 && !is_sticky {
        reasons.push(Reason::WorldWritable);
    }
    if aim == Aim::Least && reasons.is_empty() && mode & 0o777 & !wanted != 0 {
        reasons.push(Reason::Wide);
    }
    let special = mode & 0o7000;
    (!reasons.is_empty()).then(|| ModeChange {
        entry: entry.clone(),
        reasons,
        class,
        mode: wanted | special,
        group,
        is_shared: false,
    })
}

/// Returns 0750 where that is enough, else 0755.
fn directory_mode(class: Class, mode: u32) -> u32 {
    match class == Class::Other || mode & 5 != 0 {
        true => 0o755,
        false => 0o750,
    }
}

fn configuration_mode(class: Class) -> u32 {
    match class {
        Class::Owner => 0o600,
        Class::Group | Class::Other => 0o640,
    }
}

/// Returns 0640 where that is enough, else 0644; a program stays one.
fn file_mode(class: Class, mode: u32) -> u32 {
    let is_program = mode & 0o100 != 0;
    match (class == Class::Other || mode & 4 != 0, is_program) {
        (true, true) => 0o755,
        (true, false) => 0o644,
        (false, true) => 0o750,
        (false, false) => 0o640,
    }
}

/// Returns what is wrong with the files of a site.
pub fn plan(entries: &[Entry], server: &Server) -> Plan {
    plan_to(entries, server, Aim::Right)
}

/// Returns what is to be changed to reach an aim.
pub fn plan_to(entries: &[Entry], server: &Server, aim: Aim) -> Plan {
    let judged = entries.iter().filter(|entry| !entry.has_acl);
    let steps = judged.filter_map(|entry| step_to(entry, server, aim));
    let steps = steps.collect();
    Plan {
        steps: one_per_file(steps, entries),
        above: Vec::new(),
        with_acl: entries.iter().filter(|entry| entry.has_acl).count() as u64,
        unjudged: Vec::new(),
        entries: entries.len() as u64,
    }
}

/// Keeps one step for a file with several hard links: the one of a configuration, else the first.
fn one_per_file(steps: Vec<ModeChange>, entries: &[Entry]) -> Vec<ModeChange> {
    let file = |entry: &Entry| (entry.device, entry.inode);
    let is_linked = |entry: &Entry| entry.links > 1 && !entry.is_directory;
    let mut names: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| is_linked(entry)) {
        *names.entry(file(entry)).or_default() += 1;
    }
    let mut kept: Vec<ModeChange> = Vec::new();
    let mut places: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    for mut step in steps {
        if !is_linked(&step.entry) {
            kept.push(step);
            continue;
        }
        let file = file(&step.entry);
        step.is_shared = names
            .get(&file)
            .is_some_and(|count| *count < step.entry.links);
        match places.get(&file) {
            Some(place) if is_configuration(&step.entry.path) => kept[*place] = step,
            Some(_) => {}
            None => {
                places.insert(file, kept.len());
                kept.push(step);
            }
        }
    }
    kept
}

/// The files of a site, and what else is between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// The regular files and the directories.
    pub entries: Vec<Entry>,
    /// The links, which are not followed.
    pub links: Vec<PathBuf>,
    /// Devices, pipes and sockets.
    pub special: Vec<PathBuf>,
    /// What cannot be read.
    pub unread: Vec<Unread>,
}

/// Something in a tree that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Its path below the root.
    pub path: PathBuf,
    /// Whether it is a directory, in which nothing is known then; else it may be anything.
    pub is_directory: bool,
    /// The error.
    pub why: String,
}

/// Returns everything in a tree, without following links.
///
/// # Errors
/// If the root cannot be read, or there is too much in it.
pub fn read_tree(root: &Path) -> io::Result<Tree> {
    let mut tree = Tree {
        entries: vec![entry_of(root, PathBuf::new())?],
        ..Tree::default()
    };
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        let full = root.join(&directory);
        let mut names = Vec::new();
        if let Err(error) = read_names(&full, &mut names) {
            match (names_root(&directory), error.kind()) {
                (true, _) => return Err(named(&error, &full)),
                (false, io::ErrorKind::NotFound) => continue,
                (false, _) => tree.unread.push(Unread {
                    path: directory.clone(),
                    is_directory: true,
                    why: error.to_string(),
                }),
            }
        }
        names.sort();
        for name in names {
            let path = directory.join(name);
            let full = root.join(&path);
            let entry = match fs::symlink_metadata(&full) {
                Ok(found) if found.is_dir() || found.is_file() => entry_from(&full, path, &found),
                Ok(found) => {
                    let others = match found.is_symlink() {
                        true => &mut tree.links,
                        false => &mut tree.special,
                    };
                    others.push(path);
                    tree.check_size()?;
                    continue;
                }
                // A running site removes files.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    tree.unread.push(Unread {
                        path,
                        is_directory: false,
                        why: error.to_string(),
                    });
                    tree.check_size()?;
                    continue;
                }
            };
            if entry.is_directory {
                open.push(entry.path.clone());
            }
            tree.entries.push(entry);
            tree.check_size()?;
        }
    }
    Ok(tree)
}

impl Tree {
    fn check_size(&self) -> io::Result<()> {
        let others = self.links.len() + self.special.len() + self.unread.len();
        match self.entries.len() + others > ENTRIES_MAX {
            true => Err(io::Error::other(format!("more than {ENTRIES_MAX} files"))),
            false => Ok(()),
        }
    }
}

/// Reads the names in a directory, up to an error.
fn read_names(directory: &Path, names: &mut Vec<OsString>) -> io::Result<()> {
    for found in fs::read_dir(directory)? {
        names.push(found?.file_name());
    }
    Ok(())
}

fn named(error: &io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

/// Returns whether a path below the root is the root.
fn names_root(path: &Path) -> bool {
    path.as_os_str().is_empty()
}

fn entry_of(full: &Path, path: PathBuf) -> io::Result<Entry> {
    let found = fs::symlink_metadata(full).map_err(|error| named(&error, full))?;
    Ok(entry_from(full, path, &found))
}

fn entry_from(full: &Path, path: PathBuf, found: &fs::Metadata) -> Entry {
    // No list fits into one byte.
    let acl = rustix::fs::lgetxattr(full, "system.posix_acl_access", &mut [0_u8; 1]);
    Entry {
        path,
        is_directory: found.is_dir(),
        mode: found.mode() & MODE_BITS,
        owner: found.uid().to_string(),
        group: found.gid().to_string(),
        has_acl: matches!(acl, Ok(_) | Err(Errno::RANGE)),
        inode: found.ino(),
        device: found.dev(),
        links: found.nlink(),
    }
}

/// Returns the directories above a root that the server cannot enter.
///
/// # Errors
/// If one cannot be looked at.
pub fn closed_above(root: &Path, server: &Server) -> io::Result<Vec<PathBuf>> {
    let root = fs::canonicalize(root)?;
    let mut closed = Vec::new();
    for directory in root.ancestors().skip(1) {
        let entry = entry_of(directory, PathBuf::new())?;
        if !entry.has_acl && server.class(&entry).bits(entry.mode) & 1 == 0 {
            closed.push(directory.to_owned());
        }
    }
    Ok(closed)
}

/// Looks up a user or a group in a file like `/etc/passwd`: a number stays, a name becomes one.
pub fn number_of(name: &str, table: &[u8]) -> Option<String> {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(name.to_owned());
    }
    table.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.split(|byte| *byte == b':');
        let is_it = fields.next() == Some(name.as_bytes());
        let number = fields.nth(1).filter(|_| is_it)?;
        String::from_utf8(number.to_vec()).ok()
    })
}

/// Looks up the name of a number in a file like `/etc/passwd`; without one, it is the number.
pub fn name_of(number: &str, table: &[u8]) -> String {
    let found = table.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.split(|byte| *byte == b':');
        let name = fields.next()?;
        let is_it = fields.nth(1) == Some(number.as_bytes());
        is_it.then(|| String::from_utf8_lossy(name).into_owned())
    });
    found.unwrap_or_else(|| number.to_owned())
}

/// Returns the numbers of the groups of a user, given by name or number: its own group first, then
/// those that name it as a member. The tables are `/etc/passwd` and `/etc/group`.
pub fn groups_of(user: &str, users: &[u8], groups: &[u8]) -> Vec<String> {
    let lines = |table: &[u8]| -> Vec<Vec<String>> {
        let text = String::from_utf8_lossy(table).into_owned();
        let fields = |line: &str| line.split(':').map(str::to_owned).collect();
        text.lines().map(fields).collect()
    };
    let users = lines(users);
    let is_it =
        |fields: &&Vec<String>| fields.len() > 3 && (fields[0] == user || fields[2] == user);
    let Some(own) = users.iter().find(is_it) else {
        return Vec::new();
    };
    let mut found = vec![own[3].clone()];
    for group in lines(groups) {
        let is_member = group.len() > 3 && group[3].split(',').any(|member| member == own[0]);
        if is_member && !found.contains(&group[2]) {
            found.push(group[2].clone());
        }
    }
    found
}

/// Sets the mode of a file below a root, and its group. Follows no link, also none in the path of
/// the root, and changes nothing but the file with that inode number and that mode.
///
/// # Errors
/// If it is another file, or has another mode by now, or it cannot be changed.
pub fn set(
    root: &Path,
    path: &Path,
    expected: (u64, u32),
    to: (u32, Option<u32>),
) -> io::Result<()> {
    use rustix::fs::{CWD, Gid, Mode, OFlags, ResolveFlags};
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let directory = rustix::fs::openat2(CWD, root, open, Mode::empty(), resolve)?;
    let name = match names_root(path) {
        true => Path::new("."),
        false => path,
    };
    let resolve = resolve | ResolveFlags::BENEATH;
    let file = rustix::fs::openat2(&directory, name, flags, Mode::empty(), resolve)?;
    let found = rustix::fs::fstat(&file)?;
    if found.st_ino != expected.0 || found.st_mode & MODE_BITS != expected.1 {
        return Err(io::Error::other(
            "it was replaced or changed by another program",
        ));
    }
    let held = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
    if let Some(group) = to.1 {
        rustix::fs::chown(held.as_str(), None, Some(Gid::from_raw(group)))?;
    }
    rustix::fs::chmod(held.as_str(), Mode::from_raw_mode(to.0))?;
    Ok(())
}

/// Returns the group of a file, if it is the one with that inode number and has that mode.
pub fn group_of(root: &Path, path: &Path, expected: (u64, u32)) -> Option<u32> {
    let found = fs::symlink_metadata(root.join(path)).ok()?;
    ((found.ino(), found.mode() & MODE_BITS) == expected).then(|| found.gid())
}

/// Returns a path as text for messages.
pub fn shown(path: &Path) -> String {
    match path.as_os_str().as_bytes() {
        [] => ".".to_owned(),
        bytes => String::from_utf8_lossy(bytes).into_owned(),
    }
}
