//! An unpacked sosreport: what it ran, with which exit code, and what it says is absent.
//!
//! sosreport copies what matches its specifications, and lists in `sos_reports/manifest.json` those
//! that matched, and each command with its exit code. So a path below a copied directory that is
//! not in the report does not exist on the host, and neither does a name that a listing
//! (`ls -lanR /sys/block`) does not have. Everything else is missing, not absent.

use std::collections::BTreeMap;
use std::io;

use serde_json::Value;
use stripewise_machine::Root;

use crate::bounded::Bounded;
use crate::pattern::{matches_name, parts};
use crate::snapshot::{CommandResult, Snapshot};
use crate::sos_layouts;
use crate::sources::{COMMANDS, SOS_ONLY, path_of};

/// Where a report is one.
const COMMANDS_FOLDER: &str = "/sos_commands";
/// What was copied, and what was run.
const MANIFEST: &str = "/sos_reports/manifest.json";
/// The longest name of an output in old versions.
const CUT_NAME_CHARS: usize = 64;
/// Listings of directories, each with its output: the plugin `block` writes both.
const LISTINGS: [&str; 2] = ["ls -lanR /dev", "ls -lanR /sys/block"];

/// What a report knows to be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Specifications that were copied: paths and patterns, everything below included.
    copied: Vec<String>,
    /// The names in directories.
    listed: BTreeMap<String, Vec<String>>,
}

impl Known {
    /// Returns whether nothing can match a path or pattern that is not in the report.
    pub(crate) fn is_absent(&self, pattern: &str) -> bool {
        let wanted: Vec<&str> = parts(pattern).collect();
        let is_copied = |specification: &String| is_below(specification, &wanted);
        self.copied.iter().any(is_copied) || self.is_unlisted(&wanted)
    }

    fn is_unlisted(&self, wanted: &[&str]) -> bool {
        (0..wanted.len())
            .take_while(|at| wanted[..*at].iter().all(|part| !part.contains('*')))
            .any(|at| {
                let folder = format!("/{}", wanted[..at].join("/"));
                let names = self.listed.get(&folder);
                names.is_some_and(|names| {
                    wanted[at] != "**" && !names.iter().any(|name| matches_name(wanted[at], name))
                })
            })
    }
}

/// Returns whether all matches of a pattern are, or are below, matches of a specification.
fn is_below(specification: &str, wanted: &[&str]) -> bool {
    let given: Vec<&str> = parts(specification).collect();
    let is_wider = |(given, wanted): (&&str, &&str)| {
        given == wanted || (!wanted.contains('*') && matches_name(given, wanted))
    };
    !given.is_empty() && given.len() <= wanted.len() && given.iter().zip(wanted).all(is_wider)
}

/// Returns whether a directory is an unpacked sosreport.
pub(crate) fn is_report(root: &Root) -> bool {
    root.exists(COMMANDS_FOLDER)
}

/// Turns the files of a report into its facts: its files belong to the user who unpacked it.
pub(crate) fn complete(root: &Root, snapshot: &mut Snapshot) {
    snapshot.is_complete = false;
    snapshot.stats.clear();
    let bounded = Bounded::new(root);
    let manifest = match manifest(&bounded) {
        Ok(manifest) => manifest,
        Err(error) => {
            let why = format!("it cannot be read: {error}");
            snapshot
                .missing
                .insert(COMMANDS_FOLDER.to_owned(), why.clone());
            snapshot.missing.insert(MANIFEST.to_owned(), why);
            return;
        }
    };
    snapshot.commands = commands(&bounded, &manifest);
    let files = entries(&manifest, "files");
    let copied = files.filter_map(|file| Some(file["specification"].as_str()?.to_owned()));
    snapshot.known.copied = copied.collect();
    for line in LISTINGS {
        let listing = bounded.text(path_of("block", line)).unwrap_or_default();
        snapshot.known.listed.extend(listed(&listing));
    }
    sos_layouts::complete(&bounded, snapshot);
}

/// Returns the manifest; an empty one if the report has none. If it is damaged, it is
/// unknown which commands failed.
fn manifest(bounded: &Bounded) -> io::Result<Value> {
    match bounded.text(MANIFEST) {
        Ok(text) => Ok(serde_json::from_str(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Value::Null),
        Err(error) => Err(error),
    }
}

/// Returns the entries of all plugins under a key.
fn entries<'a>(manifest: &'a Value, key: &'a str) -> impl Iterator<Item = &'a Value> {
    let plugins = manifest["components"]["report"]["plugins"].as_object();
    let plugins = plugins.into_iter().flat_map(serde_json::Map::values);
    plugins.flat_map(move |plugin| plugin[key].as_array().into_iter().flatten())
}

/// Returns the names in each directory of `ls -lanR`.
fn listed(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut folder = None;
    for line in text.lines() {
        if let Some(path) = line.strip_suffix(':').filter(|path| path.starts_with('/')) {
            folder = Some(found.entry(path.to_owned()).or_default());
        } else if let Some(names) = &mut folder {
            // A link is `NAME -> TARGET`; of a name with spaces the end is enough to exist.
            let entry = line.split(" -> ").next().unwrap_or_default();
            let is_entry = line.starts_with(['b', 'c', 'd', 'l', 'p', 's', '-']);
            let name = entry.split_whitespace().next_back().filter(|_| is_entry);
            names.extend(name.map(str::to_owned));
        }
    }
    found
}

/// Returns the commands that the report has, or says it could not run. A report without a manifest
/// keeps no exit codes: there an error that sos stored as output is none.
fn commands(bounded: &Bounded, manifest: &Value) -> BTreeMap<String, CommandResult> {
    let disks = bounded.root.list("/sys/block");
    let folders = bounded.root.list(COMMANDS_FOLDER);
    let mut found = BTreeMap::new();
    let asked = COMMANDS.iter().map(|ask| (ask.plugin, ask.line));
    for (plugin, pattern) in asked.chain(SOS_ONLY) {
        let names = match pattern.contains("{}") {
            true => disks.clone(),
            false => vec![String::new()],
        };
        for name in names {
            let line = pattern.replace("{}", &name);
            let output = output_of(bounded, plugin, &line, &folders);
            let mut noted = entries(manifest, "commands");
            let noted = noted.find(|command| command["exec"].as_str() == Some(&line));
            let ran = match (noted, output) {
                (_, Err(error)) if error.kind() != io::ErrorKind::NotFound => CommandResult {
                    exit: None,
                    output: String::new(),
                    error: Some(format!("its output cannot be read: {error}")),
                },
                (Some(noted), output) => of_manifest(noted, output.ok()),
                (None, Ok(output)) => of_output(output),
                (None, Err(_)) => continue,
            };
            found.insert(line, ran);
        }
    }
    found
}

/// Returns the output of a command: in the folder of its plugin, else under a name that older versions cut,
/// else in another folder, as plugins changed.
fn output_of(
    bounded: &Bounded,
    plugin: &str,
    line: &str,
    folders: &[String],
) -> io::Result<String> {
    let others = folders.iter().map(String::as_str);
    let mut found = Err(io::Error::from(io::ErrorKind::NotFound));
    for folder in std::iter::once(plugin).chain(others) {
        let path = path_of(folder, line);
        let name = path.rsplit('/').next().unwrap_or_default();
        let cut: String = name.chars().take(CUT_NAME_CHARS).collect();
        for path in [&path, &format!("{COMMANDS_FOLDER}/{folder}/{cut}")] {
            found = bounded.text(path);
            if !matches!(&found, Err(error) if error.kind() == io::ErrorKind::NotFound) {
                return found;
            }
        }
    }
    found
}

fn of_manifest(noted: &Value, output: Option<String>) -> CommandResult {
    let code = noted["return_code"].as_i64();
    let code = code.and_then(|code| i32::try_from(code).ok());
    // sos writes no file for a program that is not installed.
    let Some(output) = output else {
        return CommandResult {
            exit: None,
            output: String::new(),
            error: Some("sosreport could not run it".to_owned()),
        };
    };
    let last = output.lines().next_back().map(str::to_owned);
    CommandResult {
        exit: code,
        error: last.filter(|_| code != Some(0)),
        output,
    }
}

fn of_output(output: String) -> CommandResult {
    let first = output.lines().next().unwrap_or_default();
    let marks = ["command not found", "No such file or directory"];
    let is_error = marks.iter().any(|mark| first.contains(mark));
    CommandResult {
        exit: (!is_error).then_some(0),
        error: is_error.then(|| first.to_owned()),
        output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_has_names_and_targets_of_links() {
        let text = "/dev:\ntotal 0\ndrwxr-xr-x 2 0 0 40 Nov 24 10:55 disk\nlrwxrwxrwx 1 0 0 0 Nov 24 10:55 fd -> /proc/self/fd\n\n/dev/disk:\ntotal 0\n";
        let found = listed(text);
        assert_eq!(found["/dev"], ["disk", "fd"]);
        assert!(found["/dev/disk"].is_empty());
    }

    #[test]
    fn a_pattern_is_absent_only_if_a_copy_or_a_listing_would_have_it() {
        let text = "/sys/block:\nlrwxrwxrwx 1 0 0 0 Nov 24 10:55 sda -> ../devices/x/sda\n";
        let known = Known {
            copied: vec!["/etc/apt".to_owned(), "/sys/block/*/queue/".to_owned()],
            listed: listed(text),
        };
        for (pattern, expected) in [
            ("/etc/apt/sources.list.d/*", true),
            ("/etc/aptitude", false),
            ("/etc/*/sources.list", false),
            ("/etc", false),
            ("/sys/block/*/queue/zoned", true),
            ("/sys/block/*/size", false),
            ("/sys/block/sda/size", false),
            ("/sys/block/md*/md/level", true),
            ("/sys/block/**/level", false),
        ] {
            assert_eq!(known.is_absent(pattern), expected, "{pattern}");
        }
    }
}
