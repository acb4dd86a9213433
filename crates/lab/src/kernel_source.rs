//! Where the kernel of a guest comes from: package sources, a suite, package files, or a tree.

use std::path::{Path, PathBuf};

use stripewise_units::visible::shell_word;

use crate::apt::{Apt, Repository};
use crate::error::LabError;
use crate::manifest::{checksum, checksum_of};

/// The keys of Debian's archive, if its package is installed.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The endings of suites whose packages need those of the suite before it.
const ADDITIONS: [&str; 5] = [
    "-backports-sloppy",
    "-backports",
    "-proposed-updates",
    "-security",
    "-updates",
];

/// The end of a command that lacks a path, which the name of a guest does not give.
pub(crate) const UNKNOWN_PATH: &str = " PATH";

/// The kinds of guests that are named by a checksum of a path, and the options that name it.
const BY_PATH: [(&str, &str); 3] = [
    ("tree-", "tree"),
    ("package-", "package"),
    ("sources-", "sources"),
];

/// What a guest is made from, as its name says behind the `@`: `sid+tools-forky`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Origin<'a> {
    /// The suite of its kernel.
    pub(crate) suite: Option<&'a str>,
    /// The suite of its tools.
    pub(crate) tools: Option<&'a str>,
    /// The option whose path the name does not give.
    pub(crate) by_path: Option<&'static str>,
}

impl<'a> Origin<'a> {
    /// Reads the end of the name of a guest.
    pub(crate) fn read(marks: &'a str) -> Self {
        let mut origin = Self::default();
        for mark in marks.split('+') {
            let mut kinds = BY_PATH.iter();
            match (
                kinds.find(|(kind, _)| mark.starts_with(kind)),
                mark.strip_prefix("tools-"),
            ) {
                (Some((_, option)), _) => origin.by_path = Some(option),
                (None, Some(suite)) => origin.tools = Some(suite),
                (None, None) => origin.suite = Some(mark),
            }
        }
        origin
    }

    /// Returns its options of `lab prepare`, with a space before each; those with an unknown path last.
    pub(crate) fn options(&self) -> String {
        let suite = self.suite.map(|suite| format!(" --suite {suite}"));
        let tools = self.tools.map(|suite| format!(" --tools {suite}"));
        let path = self
            .by_path
            .map(|option| format!(" --{option}{UNKNOWN_PATH}"));
        [suite, tools, path].into_iter().flatten().collect()
    }
}

/// Where the kernel of a guest comes from; without any of these, from the machine's own package
/// sources.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelSource {
    /// A file of package sources.
    pub sources: Option<PathBuf>,
    /// A suite of the distribution, such as `sid`.
    pub suite: Option<String>,
    /// Package files; their compiler comes from the suite or the sources.
    pub packages: Vec<PathBuf>,
    /// A directory with `boot`, `lib/modules` and headers; its compiler comes from the suite or the
    /// sources.
    pub tree: Option<PathBuf>,
}

impl KernelSource {
    /// Returns whether it names package sources other than the machine's.
    pub(crate) fn has_sources(&self) -> bool {
        self.sources.is_some() || self.suite.is_some()
    }

    /// Returns a checksum of what it names; `None` if that is nothing. Cost: reads the files.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn identity(&self) -> Result<Option<String>, LabError> {
        let mut texts = Vec::new();
        if let Some(path) = self.packages.iter().find(|path| path.is_dir()) {
            return Err(LabError::NotAKernel {
                path: path.clone(),
                problem: "it is a directory; `--tree` takes an unpacked kernel".to_owned(),
            });
        }
        for path in self.sources.iter().chain(&self.packages) {
            texts.push(checksum(path)?.sha256);
        }
        if let Some(tree) = &self.tree {
            texts.extend(state_of(tree)?);
        }
        texts.extend(self.suite.clone());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok((!texts.is_empty()).then(|| checksum_of(texts)))
    }

    /// Reads what [`KernelSource::options`] wrote.
    pub(crate) fn of_options(options: &str) -> Self {
        let mut source = Self::default();
        let words = words(options);
        for pair in words.chunks_exact(2) {
            let value = &pair[1];
            match pair[0].as_str() {
                "--sources" => source.sources = Some(value.into()),
                "--suite" => source.suite = Some(value.clone()),
                "--package" => source.packages.push(value.into()),
                "--tree" => source.tree = Some(value.into()),
                _ => {}
            }
        }
        source
    }

    /// Returns the first of its options of `lab prepare`.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let given = [
            ("suite", self.suite.is_some()),
            ("sources", self.sources.is_some()),
            ("package", !self.packages.is_empty()),
            ("tree", self.tree.is_some()),
        ];
        let mut given = given.into_iter();
        given.find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Returns its options of `lab prepare`, with a space before each.
    pub(crate) fn options(&self) -> String {
        let word = |path: &PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            shell_word(&path.display().to_string())
        };
        let sources = self.sources.iter().map(|path| ("sources", word(path)));
        let suite = self.suite.iter().map(|suite| ("suite", suite.clone()));
        let packages = self.packages.iter().map(|path| ("package", word(path)));
        let tree = self.tree.iter().map(|path| ("tree", word(path)));
        let all = sources.chain(suite).chain(packages).chain(tree);
        all.map(|(name, value)| format!(" --{name} {value}"))
            .collect()
    }
}

/// Splits a line of words, each as [`shell_word`] writes it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let (mut is_quoted, mut is_escaped) = (false, false);
    for c in line.chars() {
        let is_plain = is_quoted || is_escaped;
        match c {
            '\'' if !is_escaped => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\\' if !is_plain => is_escaped = true,
            ' ' if !is_plain => words.extend(word.take()),
            c => {
                is_escaped = false;
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    words
}

/// Returns the kernels and modules below a tree with their sizes and times of change.
fn state_of(tree: &Path) -> Result<Vec<String>, LabError> {
    let mut found = Vec::new();
    let places = ["boot", "lib/modules", "usr/lib/modules", "usr/src"];
    let mut pending: Vec<PathBuf> = places.iter().map(|place| tree.join(place)).collect();
    while let Some(path) = pending.pop() {
        let Ok(file) = path.symlink_metadata() else {
            continue;
        };
        if file.is_dir() {
            let entries = std::fs::read_dir(&path).map_err(LabError::file("read", &path))?;
            pending.extend(entries.flatten().map(|entry| entry.path()));
        } else {
            let changed = file.modified().map_err(LabError::file("read", &path))?;
            found.push(format!("{} {} {changed:?}", path.display(), file.len()));
        }
    }
    found.sort();
    let problem = match (tree.is_dir(), tree.exists()) {
        (true, _) if !found.is_empty() => return Ok(found),
        (true, _) => "it has no files in `boot`, `lib/modules` or `usr/src`",
        (false, true) => "it is no directory; `--package` takes package files",
        (false, false) => "there is no such directory",
    };
    Err(LabError::NotAKernel {
        path: tree.to_owned(),
        problem: problem.to_owned(),
    })
}

/// Returns apt for a suite of the distribution, with its state below `states`: from the mirror that
/// the machine's own sources name, preferring the suite's packages.
///
/// # Errors
/// If the name is malformed, or the machine's sources name no mirror of Debian.
pub(crate) fn apt_of_suite(own: &Apt, suite: &str, states: &Path) -> Result<Apt, LabError> {
    let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let problem = |problem: &str| LabError::Suite {
        suite: suite.to_owned(),
        problem: problem.to_owned(),
    };
    if suite.is_empty() || !suite.chars().all(is_safe) || suite.starts_with('-') {
        return Err(problem(
            "the name of a suite has small letters, digits and `-`",
        ));
    }
    let repositories = own.repositories()?;
    let Some(repository) = repositories.first() else {
        return Err(problem(
            "this machine's package sources name no mirror of Debian",
        ));
    };
    let state = states.join(format!("suite-{suite}"));
    std::fs::create_dir_all(&state).map_err(LabError::file("create", &state))?;
    let list = state.join("suite.list");
    let text = list_of_suite(repository, suite, "main");
    std::fs::write(&list, text).map_err(LabError::file("write", &list))?;
    Ok(Apt::new(&state, Some(&list))?.preferring(suite))
}

/// Returns an apt sources file with the components of a suite, and of the suite that it adds to.
pub(crate) fn list_of_suite(repository: &Repository, suite: &str, components: &str) -> String {
    let keys = match Path::new(KEYS).exists() {
        true => format!("[signed-by={KEYS}] "),
        false => String::new(),
    };
    let base = base_of(suite);
    let suites = [base, suite].into_iter().skip(usize::from(base == suite));
    suites
        .map(|suite| {
            let uri = match suite.ends_with("-security") {
                true => security(&repository.uri),
                false => repository.uri.clone(),
            };
            format!("deb {keys}{uri} {suite} {components}\n")
        })
        .collect()
}

/// Returns the suite that `suite` adds to, or itself.
pub(crate) fn base_of(suite: &str) -> &str {
    if matches!(suite, "experimental" | "rc-buggy") {
        return "sid";
    }
    let mut additions = ADDITIONS.iter();
    additions
        .find_map(|ending| suite.strip_suffix(ending))
        .unwrap_or(suite)
}

/// Returns the address of the security updates beside a mirror: `.../debian` becomes
/// `.../debian-security`.
fn security(uri: &str) -> String {
    let uri = uri.trim_end_matches('/');
    format!("{uri}-security")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirror() -> Repository {
        Repository {
            uri: "http://mirror/debian/".to_owned(),
            release: "bookworm".to_owned(),
        }
    }

    #[test]
    fn a_suite_comes_from_the_machines_mirror_with_the_suite_that_it_adds_to() {
        let lines = |suite: &str| -> Vec<String> {
            let text = list_of_suite(&mirror(), suite, "main");
            let lines = text
                .lines()
                .map(|line| line.replace(&format!("[signed-by={KEYS}] "), ""));
            lines.collect()
        };
        assert_eq!(lines("sid"), ["deb http://mirror/debian/ sid main"]);
        assert_eq!(
            lines("trixie-backports"),
            [
                "deb http://mirror/debian/ trixie main",
                "deb http://mirror/debian/ trixie-backports main"
            ]
        );
        assert_eq!(
            lines("bookworm-security")[1],
            "deb http://mirror/debian-security bookworm-security main"
        );
        assert_eq!(
            lines("experimental")[0],
            "deb http://mirror/debian/ sid main"
        );
    }

    #[test]
    fn what_names_a_kernel_is_repeated_in_the_command_that_prepares_it() {
        assert_eq!(KernelSource::default().options(), "");
        assert_eq!(KernelSource::default().identity().unwrap(), None);
        let source = KernelSource {
            suite: Some("sid".to_owned()),
            packages: vec![PathBuf::from("/srv/my kernels/linux-image-6.9.deb")],
            ..KernelSource::default()
        };
        assert_eq!(
            source.options(),
            " --suite sid --package '/srv/my kernels/linux-image-6.9.deb'"
        );
        assert!(source.has_sources());
    }

    #[test]
    fn the_options_of_a_guest_give_its_source_back() {
        for path in ["/srv/tree", "/srv/my kernels/it's", "/srv/a\\b", "/srv/ü"] {
            let source = KernelSource {
                suite: Some("sid".to_owned()),
                packages: vec![path.into(), "/srv/linux-image.deb".into()],
                ..KernelSource::default()
            };
            assert_eq!(KernelSource::of_options(&source.options()), source);
            let source = KernelSource {
                sources: Some("/srv/my.list".into()),
                tree: Some(path.into()),
                ..KernelSource::default()
            };
            assert_eq!(KernelSource::of_options(&source.options()), source);
        }
        assert_eq!(KernelSource::of_options(""), KernelSource::default());
    }

    #[test]
    fn a_name_says_what_its_guest_is_made_from_as_far_as_it_can() {
        for (marks, options) in [
            ("sid", " --suite sid"),
            ("trixie-backports", " --suite trixie-backports"),
            ("tools-sid", " --tools sid"),
            ("sid+tools-forky", " --suite sid --tools forky"),
            ("tree-1a2b3c4d", " --tree PATH"),
            ("package-1a2b3c4d+tools-sid", " --tools sid --package PATH"),
            ("sources-1a2b3c4d", " --sources PATH"),
        ] {
            assert_eq!(Origin::read(marks).options(), options, "{marks}");
        }
    }

    #[test]
    fn a_changed_tree_is_another_kernel_and_an_empty_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let source = KernelSource {
            tree: Some(folder.path().to_owned()),
            ..KernelSource::default()
        };
        let error = source.identity().unwrap_err().to_string();
        assert!(
            error.ends_with("it has no files in `boot`, `lib/modules` or `usr/src`"),
            "{error}"
        );
        for (place, problem) in [
            ("none", "there is no such directory"),
            (
                "kernel.deb",
                "it is no directory; `--package` takes package files",
            ),
        ] {
            std::fs::write(folder.path().join("kernel.deb"), "").unwrap();
            let source = KernelSource {
                tree: Some(folder.path().join(place)),
                ..KernelSource::default()
            };
            let error = source.identity().unwrap_err().to_string();
            assert!(error.ends_with(problem), "{error}");
        }
        let package = KernelSource {
            packages: vec![folder.path().to_owned()],
            ..KernelSource::default()
        };
        let error = package.identity().unwrap_err().to_string();
        assert!(
            error.ends_with("`--tree` takes an unpacked kernel"),
            "{error}"
        );
        std::fs::create_dir(folder.path().join("boot")).unwrap();
        let image = folder.path().join("boot/vmlinuz-6.9.0");
        std::fs::write(&image, "one").unwrap();
        let before = source.identity().unwrap().unwrap();
        assert_eq!(source.identity().unwrap().unwrap(), before);
        std::fs::write(&image, "longer").unwrap();
        assert_ne!(source.identity().unwrap().unwrap(), before);
    }
}
