//! The configuration of a program in the order in which the program reads it: a file, in place of
//! each line that includes others their lines, and drop-ins after it.
//!
//! ```text
//! postgresql.conf   include_dir = 'conf.d'             files *.conf by name, here
//! apache2.conf      IncludeOptional mods-enabled/*.load
//! nginx.conf        include /etc/nginx/conf.d/*.conf;
//! interfaces        source /etc/network/interfaces.d/*
//! /etc/default/grub, then /etc/default/grub.d/*.cfg
//! ```
//!
//! An included file that could not be read is missing: its lines are unknown.

use crate::pattern::parts;
use crate::snapshot::{Missing, NOT_ASKED, Snapshot};

/// How deep files include others: Apache allows 128, PostgreSQL 10.
const DEPTH_MAX: usize = 16;
/// The most files of one configuration, each as often as it is read.
const FILES_MAX: usize = 10_000;
/// The most lines of one configuration.
const LINES_MAX: usize = 200_000;

/// A line that is no comment, without the space around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// The file in which it stands.
    pub(crate) file: &'a str,
    /// Its number in the text that is kept of the file; the first is 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
}

/// Returns the lines of a file that are no comments.
pub(crate) fn lines_of<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = Line<'a>> {
    let lines = text.lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with(['#', ';']));
    lines.map(move |(text, number)| Line { file, number, text })
}

/// What a line includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Include {
    /// A path or a pattern; one without a slash at its start is below the base.
    pub(crate) pattern: String,
    /// Whether the program does without the file.
    pub(crate) is_optional: bool,
    pub(crate) takes: Takes,
}

/// Which files an include takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// The one that it names: a star is a star.
    One,
    /// Those that match.
    Matching,
    /// Those that match, and have names of letters, digits, `_` and `-` alone.
    Plain,
}

/// How a program includes files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar {
    /// Returns what a line includes.
    pub(crate) include: fn(&str) -> Option<Include>,
    /// The directory of paths without a slash at their start; `None`: that of the file.
    pub(crate) base: Option<&'static str>,
    /// How a section begins and ends whose includes may not be read: it is not known whether they are.
    pub(crate) maybe: Option<(&'static str, &'static str)>,
}

/// A program that includes nothing.
pub(crate) const PLAIN: Grammar = Grammar {
    include: |_| None,
    base: None,
    maybe: None,
};

/// What a program reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Config<'a> {
    pub(crate) lines: Vec<Line<'a>>,
    /// The files, in the order in which they are read.
    pub(crate) files: Vec<&'a str>,
    /// What could not be read and may hold more lines.
    pub(crate) missing: Vec<Missing>,
    /// What could not be read, each with the number of lines before it.
    pub(crate) gaps: Vec<(usize, Missing)>,
    /// Paths and patterns that it includes and that no pattern asked for.
    pub(crate) unasked: Vec<String>,
}

impl<'a> Config<'a> {
    /// Reads files and what they include; of each pattern the files that match, by name.
    pub(crate) fn read(facts: &'a Snapshot, patterns: &[&str], grammar: Grammar) -> Self {
        let mut reader = Reader {
            facts,
            grammar,
            open: Vec::new(),
            config: Self::default(),
        };
        for pattern in patterns {
            let (found, missing) = files(facts, pattern, false);
            missing.into_iter().for_each(|missing| reader.lack(missing));
            found.into_iter().for_each(|path| reader.add(path));
        }
        reader.config
    }

    /// Returns the configuration if all of it could be read, or the first fact that is missing.
    pub(crate) fn complete(mut self) -> Result<Self, Missing> {
        match self.missing.is_empty() {
            true => Ok(self),
            false => Err(self.missing.swap_remove(0)),
        }
    }

    /// Returns whether the program has no configuration here.
    pub(crate) fn is_absent(&self) -> bool {
        self.files.is_empty() && self.missing.is_empty()
    }

    /// Adds the files that a distribution's main file includes, if this one includes none: then it
    /// is not the file that a distribution ships.
    pub(crate) fn or_parts(
        mut self,
        facts: &'a Snapshot,
        patterns: &[&str],
        grammar: Grammar,
    ) -> Self {
        if self.files.len() < 2 && self.missing.is_empty() {
            let parts = Self::read(facts, patterns, grammar);
            self.lines.extend(parts.lines);
            self.files.extend(parts.files);
            self.missing.extend(parts.missing);
            self.unasked.extend(parts.unasked);
        }
        self
    }

    /// Returns the last value that a line assigns.
    pub(crate) fn last<T>(&self, value: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        self.lines.iter().rev().find_map(|line| value(line.text))
    }
}

/// Returns the files that a path or a pattern stands for. A star does not stand for the dot that
/// begins a name.
fn files<'a>(facts: &'a Snapshot, pattern: &str, is_one: bool) -> (Vec<&'a str>, Option<Missing>) {
    if is_one || !pattern.contains('*') {
        let found = facts.files.get_key_value(pattern).into_iter();
        let found = found.map(|(path, _)| path.as_str()).collect();
        return (found, facts.text(pattern).err());
    }
    let (mut found, missing) = facts.glob_known(pattern);
    let is_hidden = |path: &str| {
        parts(path)
            .zip(parts(pattern))
            .any(|(name, wanted)| name.starts_with('.') && wanted.starts_with('*'))
    };
    found.retain(|path| facts.files.contains_key(*path) && !is_hidden(path));
    (found, missing)
}

struct Reader<'a> {
    facts: &'a Snapshot,
    grammar: Grammar,
    /// The files that are being read.
    open: Vec<&'a str>,
    config: Config<'a>,
}

impl<'a> Reader<'a> {
    /// Notes what could not be read.
    fn lack(&mut self, missing: Missing) {
        let config = &mut self.config;
        config.gaps.push((config.lines.len(), missing.clone()));
        config.missing.push(missing);
    }

    fn add(&mut self, path: &'a str) {
        if self.open.contains(&path) || self.open.len() >= DEPTH_MAX {
            let why = "it includes itself, or too many files include each other";
            self.lack(Missing::new(path, why));
            return;
        }
        if self.config.files.len() >= FILES_MAX {
            let why = format!("more than {FILES_MAX} files are included");
            self.lack(Missing::new(path, why));
            return;
        }
        let Ok(Some(text)) = self.facts.text(path) else {
            return;
        };
        self.open.push(path);
        self.config.files.push(path);
        let mut depth = 0_usize;
        for placed in lines_of(path, text) {
            let line = placed.text;
            if self.config.lines.len() >= LINES_MAX {
                let why = format!("more than {LINES_MAX} lines");
                self.lack(Missing::new(path, why));
                break;
            }
            let begins = |mark: &str| after(line, mark).is_some();
            match self.grammar.maybe {
                Some((start, _)) if begins(start) => depth += 1,
                Some((_, end)) if begins(end) => depth = depth.saturating_sub(1),
                _ => {}
            }
            match (self.grammar.include)(line) {
                Some(mut include) => {
                    include.is_optional |= depth > 0;
                    self.include(path, &include);
                }
                None => self.config.lines.push(placed),
            }
        }
        self.open.pop();
    }

    fn include(&mut self, file: &str, include: &Include) {
        let folder = || file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let wanted = include.pattern.as_str();
        let pattern = match wanted.starts_with('/') {
            true => wanted.to_owned(),
            false => format!("{}/{wanted}", self.grammar.base.unwrap_or_else(folder)),
        };
        // `./a` and `a/../b` are other names of files that are read by their own.
        let is_one = include.takes == Takes::One;
        let is_plain = |path: &str| is_one || !path.contains(['?', '[', '{', '$', '~', '`']);
        let Some(pattern) = plain(&pattern).filter(|pattern| is_plain(pattern)) else {
            let why = format!("{file} includes it, and such a name is not followed");
            self.lack(Missing::new(pattern, why));
            return;
        };
        let (mut found, missing) = files(self.facts, &pattern, is_one);
        let is_there = !found.is_empty();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if include.takes == Takes::Plain {
            found.retain(|path| parts(path).last().unwrap_or_default().chars().all(is_plain));
        }
        found.into_iter().for_each(|path| self.add(path));
        if let Some(missing) = missing {
            let is_star = pattern.contains(if is_one { "*" } else { "**" });
            let is_unasked = missing.why == NOT_ASKED && !is_star;
            let why = format!("{file} includes it: {}", missing.why);
            self.lack(Missing::new(missing.fact, why));
            self.config.unasked.extend(is_unasked.then_some(pattern));
        } else if !is_there && !include.is_optional && (is_one || !pattern.contains('*')) {
            let why = format!("{file} includes it, and it is not there");
            self.lack(Missing::new(pattern, why));
        }
    }
}

/// Returns a path without `.` and `..`; `None` if it leads out of the root.
fn plain(path: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in parts(path) {
        match name {
            "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(format!("/{}", names.join("/")))
}

/// Returns the rest of a line that begins with a word, in any case.
pub(crate) fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let head = line.get(..word.len())?;
    let rest = &line[word.len()..];
    let is_word = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '=');
    (head.eq_ignore_ascii_case(word) && is_word).then(|| rest.trim_start())
}

/// Returns a value without the quotes around it.
pub(crate) fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

/// Returns a word that stands for a truth value, as systemd, `lvm.conf`, SUSE's sysconfig and
/// deb822 files of apt spell them: in any case.
pub(crate) fn truth(word: &str) -> Option<bool> {
    let word = unquoted(word).to_ascii_lowercase();
    match word.as_str() {
        "1" | "y" | "yes" | "t" | "true" | "on" | "enable" | "with" => Some(true),
        "0" | "n" | "no" | "f" | "false" | "off" | "disable" | "without" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NGINX: Grammar = Grammar {
        include: |line| {
            let pattern = after(line, "include")?.trim_end_matches(';').to_owned();
            Some(Include {
                pattern,
                is_optional: false,
                takes: Takes::Matching,
            })
        },
        base: Some("/etc/nginx"),
        maybe: Some(("maybe", "end")),
    };

    #[test]
    fn lines_of_included_files_stand_where_they_are_included() {
        let facts = Snapshot::of_files([
            ("/etc/nginx/nginx.conf", "a\ninclude conf.d/*.conf;\nb\n"),
            (
                "/etc/nginx/conf.d/2.conf",
                "two\ninclude /etc/nginx/snippets/../x;\n",
            ),
            ("/etc/nginx/conf.d/1.conf", "# no\none\n"),
            ("/etc/nginx/conf.d/.conf", "hidden\n"),
            ("/etc/nginx/conf.d/3.conf.dpkg-old", "old\n"),
            ("/etc/nginx/x", "three\n"),
        ]);
        let config = Config::read(&facts, &["/etc/nginx/nginx.conf"], NGINX);
        let texts: Vec<&str> = config.lines.iter().map(|line| line.text).collect();
        assert_eq!(texts, ["a", "one", "two", "three", "b"]);
        assert_eq!(config.lines[1].file, "/etc/nginx/conf.d/1.conf");
        assert!(config.missing.is_empty(), "{:?}", config.missing);
        assert_eq!(config.last(|line| Some(line.len())), Some(1));
    }

    #[test]
    fn what_is_included_and_not_there_is_missing() {
        for (line, fact) in [
            ("include gone;", "/etc/nginx/gone"),
            ("include /opt/x/*.conf;", "/opt/x/*.conf"),
            ("include nginx.conf;", "/etc/nginx/nginx.conf"),
            ("include a[0-9].conf;", "/etc/nginx/a[0-9].conf"),
        ] {
            let text = format!("{line}\n");
            let facts = Snapshot::of_files([("/etc/nginx/nginx.conf", text.as_str())]);
            let config = Config::read(&facts, &["/etc/nginx/nginx.conf"], NGINX);
            let missing: Vec<&str> = config.missing.iter().map(|one| one.fact.as_str()).collect();
            assert_eq!(missing, [fact], "{line}");
        }
    }

    /// Twelve files, each of which includes the next eight times, were read 8^11 times.
    #[test]
    fn files_that_include_each_other_many_times_are_bounded() {
        let texts: Vec<(String, String)> = (0..12)
            .map(|at| {
                let path = format!("/etc/nginx/{at}.conf");
                let times = if at == 11 { 0 } else { 8 };
                (path, format!("include {}.conf;\n", at + 1).repeat(times))
            })
            .collect();
        let texts = texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        let facts = Snapshot::of_files(texts);
        let config = Config::read(&facts, &["/etc/nginx/0.conf"], NGINX);
        assert_eq!(config.files.len(), FILES_MAX);
        let why = &config.missing.last().unwrap().why;
        assert!(why.starts_with("more than 10000 files"), "{why}");
    }

    #[test]
    fn a_section_that_may_not_be_read_needs_no_file() {
        let text = "maybe {\ninclude gone;\nend\ninclude lost;\n";
        let facts = Snapshot::of_files([("/etc/nginx/nginx.conf", text)]);
        let config = Config::read(&facts, &["/etc/nginx/nginx.conf"], NGINX);
        assert_eq!(config.missing.len(), 1, "{:?}", config.missing);
    }

    #[test]
    fn words_for_truth_have_no_case() {
        for (word, expected) in [
            ("No", Some(false)),
            ("'off'", Some(false)),
            ("\"TRUE\"", Some(true)),
            ("1", Some(true)),
            ("maybe", None),
        ] {
            assert_eq!(truth(word), expected, "{word}");
        }
    }
}
