//! Snapshots as files: a directory or an archive, with files under their own paths, the output of
//! commands under sosreport's, and one list with everything that a file cannot hold.
//!
//! ```text
//! DIR/etc/fstab
//! DIR/sos_commands/filesys/df_-al_-x_autofs
//! DIR/stripewise-collect.json       exit codes, owners, permissions, and each missing fact with its reason
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_machine::{ABSENT, Root};

use crate::archive;
use crate::bounded::Bounded;
use crate::collect::{EMPTY, read_tree};
use crate::folder;
pub use crate::folder::FolderError;
use crate::snapshot::{CommandResult, Snapshot, Stat};
use crate::sos;
use crate::sources::{COMMANDS, path_of};
use crate::unpack;

/// The list beside the files.
const LIST: &str = "stripewise-collect.json";
/// The version of the list.
const SCHEMA: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct List {
    schema: u32,
    taken_unix_s: Option<i64>,
    missing: BTreeMap<String, String>,
    stats: BTreeMap<String, Stat>,
    files: Vec<String>,
    commands: BTreeMap<String, Command>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    followed: BTreeSet<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Command {
    file: String,
    exit: Option<i32>,
    error: Option<String>,
}

/// Why a tree could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// A file of the tree.
    #[error("failed to read `{}`", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The list is of a newer program, or damaged.
    #[error("`{}` is not a list of `stripewise collect` that this program reads", path.display())]
    List {
        /// The list.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Nothing in it is a fact.
    #[error("there is nothing to judge in `{}`: it holds no file that a rule reads", path.display())]
    Nothing {
        /// The directory or archive.
        path: PathBuf,
    },
    /// The archive.
    #[error("failed to use archive `{}`", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Returns whether a path names an archive.
pub fn is_archive(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(".tar.zst"))
}

/// Returns a snapshot as an archive, without secrets.
///
/// # Errors
/// If `zstd` cannot pack it, or a path is too long for an archive.
pub fn archive(snapshot: &Snapshot) -> io::Result<Vec<u8>> {
    archive::pack(&files_of(snapshot))
}

/// Writes a snapshot, without secrets, to a new or empty directory; one that is made is closed to other users.
///
/// The list is written first, so a tree that a killed program left says which files it lacks. An
/// error leaves what was there before.
///
/// # Errors
/// [`FolderError`]; for root, also if another user could redirect what it writes.
pub fn write_folder(snapshot: &Snapshot, to: &Path) -> Result<(), FolderError> {
    let mut files = files_of(snapshot);
    let list = format!("/{LIST}");
    let list = files.remove_entry(&list);
    folder::write(
        list.iter().map(|(path, text)| (path, text)).chain(&files),
        to,
    )
}

fn files_of(snapshot: &Snapshot) -> BTreeMap<String, String> {
    let snapshot = &snapshot.redacted();
    let mut files = snapshot.files.clone();
    let mut commands = BTreeMap::new();
    for (line, ran) in &snapshot.commands {
        let file = path_of(plugin_of(line), line);
        if ran.exit.is_some() {
            files.insert(file.clone(), ran.output.clone());
        }
        let (exit, error) = (ran.exit, ran.error.clone());
        commands.insert(line.clone(), Command { file, exit, error });
    }
    let list = List {
        schema: SCHEMA,
        taken_unix_s: snapshot.taken_unix_s,
        missing: snapshot.missing.clone(),
        stats: snapshot.stats.clone(),
        files: snapshot.files.keys().cloned().collect(),
        commands,
        followed: snapshot.followed.clone(),
    };
    let list = serde_json::to_string_pretty(&list).unwrap_or_default();
    files.insert(format!("/{LIST}"), list + "\n");
    files
}

/// Returns the plugin of sosreport that runs a command.
fn plugin_of(line: &str) -> &'static str {
    let program = line.split(' ').next().unwrap_or_default();
    let found = COMMANDS
        .iter()
        .find(|ask| ask.line.split(' ').next() == Some(program));
    found.map_or("stripewise", |ask| ask.plugin)
}

/// Reads a snapshot: a directory or archive that `collect` wrote, an unpacked sosreport, or any
/// directory with the files of a host.
///
/// # Errors
/// [`TreeError`].
pub fn read(from: &Path) -> Result<Snapshot, TreeError> {
    let snapshot = read_any(from)?;
    let has_output = snapshot.commands.values().any(|ran| ran.exit.is_some());
    let has_fact = !snapshot.files.is_empty() || !snapshot.stats.is_empty() || has_output;
    // What was refused is a fact that is missing, and the rules name it; what is not there is none.
    let is_refused = |(path, why): (&String, &String)| {
        let is_top = path.matches('/').count() == 1;
        !is_top || !(why == EMPTY || why == ABSENT)
    };
    match has_fact || snapshot.missing.iter().any(is_refused) {
        true => Ok(snapshot),
        false => Err(TreeError::Nothing {
            path: from.to_owned(),
        }),
    }
}

fn read_any(from: &Path) -> Result<Snapshot, TreeError> {
    if is_archive(from) {
        let failed = |source| TreeError::Archive {
            path: from.to_owned(),
            source,
        };
        let mut files = unpack::read(from).map_err(failed)?;
        let list = files.remove(&format!("/{LIST}")).unwrap_or_default();
        let absent = || io::Error::from(io::ErrorKind::NotFound);
        return of_list(&list, &from.join(LIST), |path| {
            files.get(path).cloned().ok_or_else(absent)
        });
    }
    let root = Root(from.to_owned());
    let failed = |source| TreeError::File {
        path: from.to_owned(),
        source,
    };
    std::fs::read_dir(from).map_err(failed)?;
    let bounded = Bounded::new(&root);
    let path = from.join(LIST);
    match bounded.text(format!("/{LIST}")) {
        Ok(list) => return of_list(&list, &path, |path| bounded.text(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // With a list that cannot be read, the tree is not just any tree.
        Err(source) => return Err(TreeError::List { path, source }),
    }
    let mut snapshot = read_tree(&root);
    if sos::is_report(&root) {
        sos::complete(&root, &mut snapshot);
    }
    Ok(snapshot)
}

fn of_list(
    list: &str,
    path: &Path,
    read: impl Fn(&str) -> io::Result<String>,
) -> Result<Snapshot, TreeError> {
    let refused = |source: io::Error| TreeError::List {
        path: path.to_owned(),
        source,
    };
    let list: List = serde_json::from_str(list).map_err(|error| refused(error.into()))?;
    if list.schema != SCHEMA {
        return Err(refused(io::Error::other(format!(
            "its version is {}",
            list.schema
        ))));
    }
    let mut snapshot = Snapshot {
        stats: list.stats,
        missing: list.missing,
        is_complete: true,
        followed: list.followed,
        taken_unix_s: list.taken_unix_s,
        ..Snapshot::default()
    };
    for path in list.files {
        match read(&path) {
            Ok(text) => drop(snapshot.files.insert(path, text)),
            Err(error) => drop(snapshot.missing.insert(path, removed(&error))),
        }
    }
    for (line, command) in list.commands {
        // What printed nothing has an empty file; what did not start has none.
        let output = command.exit.map(|_| read(&command.file)).transpose();
        let ran = match output {
            Ok(output) => CommandResult {
                exit: command.exit,
                output: output.unwrap_or_default(),
                error: command.error,
            },
            Err(error) => CommandResult {
                exit: None,
                output: String::new(),
                error: Some(removed(&error)),
            },
        };
        snapshot.commands.insert(line, ran);
    }
    Ok(snapshot)
}

/// Returns why a file of the list cannot be read.
fn removed(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it was removed from the tree".to_owned(),
        _ => format!("it cannot be read: {error}"),
    }
}
