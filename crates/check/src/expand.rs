//! The paths below a root that a pattern may stand for. What was not looked at is noted as missing,
//! so that no rule takes it for absent.

use std::collections::BTreeMap;

use stripewise_machine::{Entries, Root, is_absent, reason};
use stripewise_process::is_stop_asked;

use crate::pattern::{matches_name, parts};
use crate::sources::FILES;

/// How many directories below another `**` descends.
const DEPTH_MAX: usize = 64;
/// How many directories `**` looks into.
const FOLDERS_MAX: usize = 100_000;
/// The most paths that one pattern may yield.
const PATHS_MAX: usize = 20_000;
/// How many directories below one are noted as missing by themselves.
const NOTED_MAX: usize = 100;

/// Limits, which tests set lower.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) depth: usize,
    pub(crate) folders: usize,
    pub(crate) paths: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: DEPTH_MAX,
            folders: FOLDERS_MAX,
            paths: PATHS_MAX,
        }
    }
}

/// Paths that could not be read, and why.
type Missing = BTreeMap<String, String>;

/// Expands one pattern after the other; what is below a `**` is looked through once.
#[derive(Debug)]
pub(crate) struct Expander<'a> {
    root: &'a Root,
    limits: Limits,
    /// By directory and by the part after `**`: the paths that match both.
    deep: BTreeMap<String, BTreeMap<&'static str, Vec<String>>>,
}

impl<'a> Expander<'a> {
    pub(crate) fn new(root: &'a Root, limits: Limits) -> Self {
        Self {
            root,
            limits,
            deep: BTreeMap::new(),
        }
    }

    /// Returns the paths that may match; the last part need not exist.
    pub(crate) fn paths(&mut self, pattern: &str, missing: &mut Missing) -> Vec<String> {
        let wanted: Vec<&str> = parts(pattern).collect();
        let mut paths = Vec::new();
        self.add("", &wanted, &mut paths, missing);
        if paths.len() > self.limits.paths {
            paths.truncate(self.limits.paths);
            let why = match self.limits.paths {
                1 => format!("more than one path matches {pattern}"),
                most => format!("more than {most} paths match {pattern}"),
            };
            missing.insert(folder_of(pattern), why);
        }
        paths
    }

    fn add(
        &mut self,
        above: &str,
        wanted: &[&str],
        paths: &mut Vec<String>,
        missing: &mut Missing,
    ) {
        let [first, rest @ ..] = wanted else {
            paths.push(above.to_owned());
            return;
        };
        if paths.len() > self.limits.paths {
            return;
        }
        if *first == "**" {
            let [next, rest @ ..] = rest else { return };
            for path in self.below(above, next, missing) {
                self.add(&path, rest, paths, missing);
            }
            return;
        }
        if !first.contains('*') {
            return self.add(&format!("{above}/{first}"), rest, paths, missing);
        }
        let Some(entries) = self.entries(above, missing) else {
            return;
        };
        if !entries.unprintable.is_empty() {
            let why = unprintable(entries.unprintable.len());
            missing.insert(above.to_owned(), why);
        }
        for (name, _) in entries
            .named
            .iter()
            .filter(|(name, _)| matches_name(first, name))
        {
            self.add(&format!("{above}/{name}"), rest, paths, missing);
        }
    }

    fn entries(&self, folder: &str, missing: &mut Missing) -> Option<Entries> {
        match self.root.try_entries(folder) {
            Ok(entries) => Some(entries),
            Err(error) => {
                if !is_absent(&error) {
                    missing.insert(folder.to_owned(), reason(&error));
                }
                None
            }
        }
    }

    /// Returns the paths in all directories below one whose last name matches.
    fn below(&mut self, top: &str, name: &str, missing: &mut Missing) -> Vec<String> {
        if !self.deep.contains_key(top) {
            let found = self.walk(top, missing);
            self.deep.insert(top.to_owned(), found);
        }
        let found = self.deep.get(top).and_then(|found| found.get(name));
        found.cloned().unwrap_or_default()
    }

    fn walk(&self, top: &str, missing: &mut Missing) -> BTreeMap<&'static str, Vec<String>> {
        let after = |ask: &'static str| parts(ask).skip_while(|part| *part != "**").nth(1);
        let names = FILES.iter().filter_map(|ask| after(ask.pattern));
        let mut found: BTreeMap<&'static str, Vec<String>> =
            names.map(|name| (name, Vec::new())).collect();
        let (mut open, mut folders) = (vec![(top.to_owned(), 0)], 0);
        let mut unlooked = Missing::new();
        while let Some((folder, depth)) = open.pop() {
            folders += 1;
            let is_stopped = is_stop_asked();
            if folders > self.limits.folders || is_stopped {
                let why = match is_stopped {
                    true => "the program was asked to stop".to_owned(),
                    false => format!("more than {} directories", self.limits.folders),
                };
                missing.insert(top.to_owned(), why);
                break;
            }
            let Some(entries) = self.entries(&folder, &mut unlooked) else {
                continue;
            };
            // A file with such a name has none of the names that are asked for.
            let hidden = entries.unprintable.iter().filter(|kind| !kind.is_file());
            let hidden = hidden.count();
            if hidden > 0 {
                unlooked.insert(folder.clone(), unprintable(hidden));
            }
            for (name, kind) in entries.named {
                let below = format!("{folder}/{name}");
                for (wanted, paths) in &mut found {
                    if matches_name(wanted, &name) {
                        paths.push(below.clone());
                    }
                }
                if kind.is_symlink() {
                    if let Some(why) = self.link_out(top, &below) {
                        unlooked.insert(below, why);
                    }
                } else if kind.is_dir() && depth == self.limits.depth {
                    let why = format!("more than {depth} directories below {top}");
                    unlooked.insert(below, why);
                } else if kind.is_dir() {
                    open.push((below, depth + 1));
                }
            }
        }
        if unlooked.len() > NOTED_MAX {
            let why = format!("{} directories below it were not looked at", unlooked.len());
            missing.entry(top.to_owned()).or_insert(why);
        } else {
            missing.append(&mut unlooked);
        }
        found
    }

    /// Returns why a link is not looked behind: what is in the directory is looked at anyway.
    fn link_out(&self, top: &str, link: &str) -> Option<String> {
        let inside = match self.root.canonical(link.as_ref()) {
            Ok(inside) => inside,
            Err(error) if is_absent(&error) => return None,
            Err(error) => return Some(reason(&error)),
        };
        let is_within = self
            .root
            .canonical(top.as_ref())
            .is_ok_and(|top| inside.starts_with(top));
        let is_folder = || self.root.stat(&inside).map_or(true, |found| found.is_dir());
        (!is_within && is_folder())
            .then(|| format!("a link to a directory outside of {top}, which is not followed"))
    }
}

fn unprintable(count: usize) -> String {
    match count {
        1 => "one name in it is not printable UTF-8".to_owned(),
        count => format!("{count} names in it are not printable UTF-8"),
    }
}

/// Returns the directory above the first `*` of a pattern.
fn folder_of(pattern: &str) -> String {
    let start = pattern.split('*').next().unwrap_or_default();
    let folder = start.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.to_owned()
}
