//! The settings of a cluster of PostgreSQL, in the order in which its server reads them: the last
//! one wins.
//!
//! ```text
//! postgresql.conf        with include, include_if_exists, include_dir in their places
//! postgresql.auto.conf   in the data directory: what ALTER SYSTEM wrote
//! postmaster.opts        in the data directory: the command line of the last start
//! ```
//!
//! Names, values and files are read as the server reads them: src/backend/utils/misc/guc-file.l and
//! guc.c of PostgreSQL 15, `ProcessConfigFileInternal`, `GUC_scanstr`, `parse_bool_with_len`;
//! src/backend/postmaster/postmaster.c, `CreateOptsFile`.

use std::fmt;

use crate::config::{Config, Grammar, Include, Line, Takes};
use crate::facts::{name_at, setting};
use crate::jobs::database_folders;
use crate::snapshot::{Fact, Missing, NOT_ASKED, Snapshot};
use crate::sources::control_data;

/// Where clusters have their configuration: Debian's postgresql-common; the packages of Fedora, RHEL
/// and SUSE; those of the project for RHEL; Arch; Alpine.
const CLUSTERS: [&str; 5] = [
    "/etc/postgresql/*/*/postgresql.conf",
    "/var/lib/pgsql/data/postgresql.conf",
    "/var/lib/pgsql/*/data/postgresql.conf",
    "/var/lib/postgres/data/postgresql.conf",
    "/var/lib/postgresql/*/data/postgresql.conf",
];

/// Files and variables of distributions that name another data directory: SUSE; Alpine.
const MOVED: [(&str, &str); 2] = [
    ("/etc/sysconfig/postgresql", "POSTGRES_DATADIR"),
    ("/etc/conf.d/postgresql", "data_dir"),
];

/// A path is taken from the directory of the file, and a directory stands for its `*.conf` by name
/// (manual, Managing Configuration File Contents).
pub(crate) const GRAMMAR: Grammar = Grammar {
    include: |line| {
        let (name, value) = assignment(line)?;
        let (pattern, is_optional, takes) = match name.as_str() {
            "include" => (value, false, Takes::One),
            "include_if_exists" => (value, true, Takes::One),
            "include_dir" => {
                let folder = value.trim_end_matches('/');
                (format!("{folder}/*.conf"), false, Takes::Matching)
            }
            _ => return None,
        };
        Some(Include {
            pattern,
            is_optional,
            takes,
        })
    },
    base: None,
    maybe: None,
};

/// Clusters by their configuration.
pub(crate) struct Clusters<'a> {
    pub(crate) found: Vec<Cluster<'a>>,
    /// What could not be read and may hold or name more.
    pub(crate) missing: Vec<Missing>,
    /// Configurations elsewhere that no pattern asks for.
    pub(crate) unasked: Vec<String>,
}

/// One cluster, and its settings.
pub(crate) struct Cluster<'a> {
    /// `15/main` of Debian, or the directory of its configuration.
    pub(crate) name: String,
    /// The version, where the path tells it: on Debian.
    pub(crate) version: Option<&'a str>,
    /// Its postgresql.conf.
    pub(crate) conf: &'a str,
    /// Its data directory.
    pub(crate) data: Result<String, Missing>,
    entries: Vec<Entry>,
    /// What its configuration includes and no pattern asks for.
    pub(crate) unasked: Vec<String>,
}

/// A value, as it is written, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) text: String,
    place: String,
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = {} ({})", self.name, self.text, self.place)
    }
}

/// A step of reading the settings.
enum Entry {
    Set(Value),
    /// What may set any.
    Unread(Missing),
}

/// Returns the clusters of a host: in the places of distributions, and where its units name others.
pub(crate) fn clusters(facts: &Snapshot) -> Clusters<'_> {
    let (mut confs, mut missing) = (Vec::new(), Vec::new());
    for pattern in CLUSTERS {
        let (paths, unread) = facts.glob_known(pattern);
        confs.extend(paths);
        missing.extend(unread);
    }
    let mut unasked = Vec::new();
    let (mut folders, unread) = database_folders(facts);
    missing.extend(unread);
    for (file, key) in MOVED {
        match facts.text(file) {
            Ok(text) => {
                let folder = text.and_then(|text| setting(text, key));
                folders.extend(folder.map(str::to_owned));
            }
            Err(unread) => missing.push(unread),
        }
    }
    for folder in folders.into_iter().filter(|folder| folder.starts_with('/')) {
        let conf = format!("{folder}/postgresql.conf");
        match (facts.files.get_key_value(&conf), facts.text(&conf)) {
            (Some((conf, _)), _) if !confs.contains(&conf.as_str()) => confs.push(conf),
            (None, Err(unread)) => {
                let is_unasked = unread.why == NOT_ASKED;
                unasked.extend(is_unasked.then_some(conf));
                missing.push(unread);
            }
            _ => {}
        }
    }
    let found = confs.into_iter().map(|conf| Cluster::read(facts, conf));
    Clusters {
        found: found.collect(),
        missing,
        unasked,
    }
}

impl<'a> Cluster<'a> {
    /// Reads a cluster by its postgresql.conf.
    pub(crate) fn read(facts: &'a Snapshot, conf: &'a str) -> Self {
        let folder = conf.strip_suffix("/postgresql.conf").unwrap_or(conf);
        let of_debian = folder.strip_prefix("/etc/postgresql/");
        let config = Config::read(facts, &[conf], GRAMMAR);
        let mut cluster = Self {
            name: of_debian.unwrap_or(folder).to_owned(),
            version: of_debian.map(|_| name_at(conf, 2)),
            conf,
            data: Ok(String::new()),
            entries: Vec::new(),
            unasked: Vec::new(),
        };
        cluster.add(config);
        cluster.data = match cluster.get("data_directory") {
            Err(missing) => Err(missing),
            // A relative one is below the directory in which the server was started.
            Ok(Some(value)) if !value.text.starts_with('/') => {
                let why = format!("{value}: from where is not known");
                Err(Missing::new("data_directory", why))
            }
            Ok(Some(value)) => Ok(value.text),
            Ok(None) => Ok(match of_debian {
                // pg_createcluster always writes it; this is its default.
                Some(name) => format!("/var/lib/postgresql/{name}"),
                None => folder.to_owned(),
            }),
        };
        match cluster.data.clone() {
            Ok(data) => cluster.add_own(facts, &data),
            Err(missing) => cluster.entries.push(Entry::Unread(missing)),
        }
        cluster
    }

    /// Adds what stands in the data directory.
    fn add_own(&mut self, facts: &Snapshot, data: &str) {
        let auto = format!("{data}/postgresql.auto.conf");
        let found = facts.text(&auto);
        let is_elsewhere = !crate::sources::covers(&auto);
        match found {
            Err(missing) if missing.why == NOT_ASKED => self.unasked.push(auto.clone()),
            // Every cluster has one since version 9.4.
            Ok(None) if is_elsewhere => {
                let why = format!("{} has its data there, and it does not exist", self.conf);
                self.entries
                    .push(Entry::Unread(Missing::new(auto.as_str(), why)));
            }
            _ => {}
        }
        self.add(Config::read(facts, &[&auto], GRAMMAR));
        let path = format!("{data}/postmaster.opts");
        match facts.text(&path) {
            Ok(None) => {}
            Ok(Some(text)) => self.add_options(&path, text),
            Err(missing) => {
                let is_unasked = missing.why == NOT_ASKED;
                self.unasked.extend(is_unasked.then_some(path));
                self.entries.push(Entry::Unread(missing));
            }
        }
    }

    fn add(&mut self, config: Config<'_>) {
        let mut gaps = config.gaps.into_iter().peekable();
        for (at, line) in config.lines.iter().enumerate() {
            while let Some((_, missing)) = gaps.next_if(|(before, _)| *before <= at) {
                self.entries.push(Entry::Unread(missing));
            }
            self.entries.push(entry(line));
        }
        self.entries
            .extend(gaps.map(|(_, missing)| Entry::Unread(missing)));
        self.unasked.extend(config.unasked);
    }

    /// Adds the options of a command line that set something: `"-c" "fsync=off"`, `"--fsync=off"`,
    /// `"-F"`.
    fn add_options(&mut self, path: &str, text: &str) {
        for (name, text) in options(text) {
            let place = format!("{path}, the command line of the server");
            if name == "config_file" && text != self.conf {
                let why = format!("the server reads {text} instead: {place}");
                self.entries
                    .push(Entry::Unread(Missing::new(self.conf, why)));
            }
            self.entries.push(Entry::Set(Value { name, text, place }));
        }
    }

    /// Returns the value of a setting; `None` if nothing sets it.
    ///
    /// # Errors
    /// If something that may set it, and would win, could not be read.
    pub(crate) fn get(&self, name: &str) -> Fact<Value> {
        let mut unread = None;
        for entry in self.entries.iter().rev() {
            match (entry, &unread) {
                (Entry::Set(value), None) if value.name == name => return Ok(Some(value.clone())),
                (Entry::Set(value), Some(missing)) if value.name == name => {
                    let missing: &Missing = missing;
                    let why = format!("{}; it may win over {value}", missing.why);
                    return Err(Missing::new(missing.fact.as_str(), why));
                }
                (Entry::Unread(missing), None) => unread = Some(missing.clone()),
                _ => {}
            }
        }
        unread.map_or(Ok(None), Err)
    }

    /// Returns the value of a setting if it is set and means off.
    ///
    /// # Errors
    /// As [`Cluster::get`]; and if the server would refuse the value.
    pub(crate) fn off(&self, name: &str) -> Fact<Value> {
        let Some(value) = self.get(name)? else {
            return Ok(None);
        };
        let is_on = match name {
            "synchronous_commit" => commit(&value.text),
            _ => truth(&value.text),
        };
        match is_on {
            Some(is_on) => Ok(Some(value).filter(|_| !is_on)),
            None => Err(Missing::new(
                name,
                format!("{value}: the server refuses it"),
            )),
        }
    }

    /// Returns the data directory.
    pub(crate) fn data(&self) -> Result<&str, Missing> {
        self.data.as_deref().map_err(Missing::clone)
    }

    /// Returns the command that prints the control data.
    pub(crate) fn control_data(&self) -> Result<String, Missing> {
        let data = self.data()?;
        // It would become two arguments.
        if data.contains(char::is_whitespace) {
            let why = "its name has a space: pg_controldata is not asked about it";
            return Err(Missing::new(data, why));
        }
        let of_project = || {
            let version = self.conf.strip_prefix("/var/lib/pgsql/")?;
            version.strip_suffix("/data/postgresql.conf")
        };
        let programs = match (self.version, of_project()) {
            (Some(version), _) => format!("/usr/lib/postgresql/{version}/bin"),
            (None, Some(version)) => format!("/usr/pgsql-{version}/bin"),
            (None, None) => "/usr/bin".to_owned(),
        };
        Ok(control_data(&programs, data))
    }
}

/// Returns what a line sets. The server does not start with a line that it cannot read.
fn entry(line: &Line<'_>) -> Entry {
    let place = format!("{}:{}", line.file, line.number);
    match assignment(line.text) {
        Some((name, text)) => Entry::Set(Value { name, text, place }),
        None => Entry::Unread(Missing::new(place, "the server cannot read this line")),
    }
}

/// Returns name and value of a line; `None` for a syntax error. The equals sign is optional, and names
/// have no case.
fn assignment(line: &str) -> Option<(String, String)> {
    let (name, rest) = split_at(line, |c| is_letter(c) || c.is_ascii_digit() || c == '.')?;
    if !name.starts_with(is_letter) {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    let (value, rest) = match rest.strip_prefix('\'') {
        Some(quoted) => quoted_value(quoted)?,
        None => {
            let (value, rest) = plain_value(rest)?;
            (value.to_owned(), rest)
        }
    };
    let rest = rest.trim_start();
    let is_end = rest.is_empty() || rest.starts_with('#');
    is_end.then(|| (name.to_ascii_lowercase(), value))
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

/// Splits off the characters at the beginning that pass a test; `None` if there are none.
fn split_at(text: &str, test: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let end = text.find(|c| !test(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Splits off a value without quotes: a word that begins with a letter, or a number with a unit.
fn plain_value(text: &str) -> Option<(&str, &str)> {
    if text.starts_with(is_letter) {
        return split_at(text, |c| {
            is_letter(c) || c.is_ascii_digit() || "-._:/".contains(c)
        });
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let whole = digits(unsigned);
    let length = match unsigned[whole..].strip_prefix('.') {
        // A fraction has no unit here.
        Some(rest) => whole + 1 + digits(rest) + exponent(&rest[digits(rest)..]),
        None if whole == 0 => return None,
        None => {
            let letters = |c: char| !c.is_ascii_alphanumeric();
            unsigned.find(letters).unwrap_or(unsigned.len())
        }
    };
    Some(text.split_at(text.len() - unsigned.len() + length))
}

/// Returns the length of `e-3`; 0 if none begins here.
fn exponent(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(['e', 'E']) else {
        return 0;
    };
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    match end {
        0 => 0,
        end => text.len() - digits.len() + end,
    }
}

/// Returns what stands up to the closing quote, and what follows; two quotes are one, and a backslash
/// begins `\n`, `\101` or any character for itself.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let (mut value, mut rest) = (String::new(), text);
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '\'' => match rest.strip_prefix('\'') {
                Some(after) => rest = after,
                None => return Some((value, rest)),
            },
            '\\' => {
                let (c, after) = escaped(rest)?;
                value.push(c);
                rest = after;
                continue;
            }
            _ => {}
        }
        value.push(c);
    }
}

/// Returns the character after a backslash, and what follows.
fn escaped(text: &str) -> Option<(char, &str)> {
    let octal = text
        .bytes()
        .take(3)
        .take_while(|byte| (b'0'..=b'7').contains(byte));
    let count = octal.count();
    if count > 0 {
        // The server keeps the low byte.
        let byte = u32::from_str_radix(&text[..count], 8).ok()? & 0xff;
        return Some((char::from_u32(byte)?, &text[count..]));
    }
    let c = text.chars().next()?;
    let value = match c {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        c => c,
    };
    Some((value, &text[c.len_utf8()..]))
}

/// Returns what a word means for a boolean: words have no case and may be cut short
/// (`parse_bool_with_len`).
fn truth(value: &str) -> Option<bool> {
    let value = value.to_ascii_lowercase();
    let is_cut = |word: &str, least: usize| value.len() >= least && word.starts_with(&value);
    if value == "1" || is_cut("true", 1) || is_cut("yes", 1) || value == "on" {
        return Some(true);
    }
    (value == "0" || is_cut("false", 1) || is_cut("no", 1) || is_cut("off", 2)).then_some(false)
}

/// Returns whether a value of `synchronous_commit` waits for anything: a list of words, of which none
/// may be cut short (guc.c, `synchronous_commit_options`).
fn commit(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "off" | "false" | "no" | "0" => Some(false),
        "on" | "true" | "yes" | "1" | "local" | "remote_write" | "remote_apply" => Some(true),
        _ => None,
    }
}

/// Returns the names and values that a command line sets: each argument stands in quotes.
fn options(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut words = text.trim_end().split(" \"").skip(1);
    while let Some(word) = words.next() {
        let word = word.strip_suffix('"').unwrap_or(word);
        let pair = match (word.strip_prefix("--"), word.strip_prefix("-c")) {
            (Some(pair), _) => Some(pair),
            (_, Some("")) => words
                .next()
                .map(|word| word.strip_suffix('"').unwrap_or(word)),
            (_, pair) => pair,
        };
        if let Some((name, value)) = pair.and_then(|pair| pair.split_once('=')) {
            // `ParseLongOption`.
            let name = name.replace('-', "_").to_ascii_lowercase();
            found.push((name, value.to_owned()));
        } else if word == "-F" {
            found.push(("fsync".to_owned(), "off".to_owned()));
        }
    }
    found
}

/// Returns of a command line the options that set one of some names.
pub(crate) fn kept_options(text: &str, names: &[&str]) -> String {
    let program = text.split(" \"").next().unwrap_or_default();
    let mut kept = program.trim_end().to_owned();
    for (name, value) in options(text) {
        if names.contains(&name.as_str()) {
            kept += &format!(" \"--{name}={value}\"");
        }
    }
    kept + "\n"
}

#[cfg(test)]
#[path = "postgresql_tests.rs"]
mod tests;
