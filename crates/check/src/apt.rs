//! Package sources of apt: sources.list(5), in both of its formats.

use crate::config::truth;
use crate::pattern::parts;
use crate::snapshot::{Missing, Snapshot};

/// A source of binary packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// Addresses, also of lists of mirrors.
    pub(crate) addresses: Vec<&'a str>,
    /// Names of releases, or directories of flat repositories: those end with a slash.
    pub(crate) suites: Vec<&'a str>,
}

impl Source<'_> {
    /// Returns whether it is an archive of Debian or Ubuntu, or a mirror or list of mirrors of one.
    pub(crate) fn is_official(&self) -> bool {
        self.addresses.iter().any(|address| {
            let address = address.trim_end_matches('/');
            let ends = ["/debian", "/debian-security", "/ubuntu", "/ubuntu-ports"];
            let is_mirror = ends.iter().any(|end| address.ends_with(end));
            // A list of mirrors says nothing about what they mirror: its suites tell.
            let is_list = address.starts_with("mirror");
            is_mirror || is_list || is_own(address)
        })
    }

    /// Returns whether it is on a host of Debian or Ubuntu.
    pub(crate) fn is_own(&self) -> bool {
        self.addresses.iter().any(|address| is_own(address))
    }
}

fn is_own(address: &str) -> bool {
    let host = address.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let zones = ["debian.org", "ubuntu.com"];
    zones
        .iter()
        .any(|zone| host == *zone || host.ends_with(&format!(".{zone}")))
}

/// Returns all sources of binary packages; none if the host has no apt.
pub(crate) fn sources(facts: &Snapshot) -> Result<Vec<Source<'_>>, Missing> {
    let mut paths = facts.glob("/etc/apt/sources.list.d/*")?;
    paths.push("/etc/apt/sources.list");
    let mut sources = Vec::new();
    for path in paths {
        let text = facts.text(path)?.unwrap_or_default();
        // apt reads no other names: `old.list.save`, `debian.sources.bak`.
        let name = parts(path).last().unwrap_or_default();
        match name.rsplit_once('.').map(|(_, end)| end) {
            Some("list") => sources.extend(text.lines().filter_map(|line| of_line(path, line))),
            Some("sources") => of_blocks(path, text, &mut sources),
            _ => {}
        }
    }
    Ok(sources)
}

/// Reads `deb [arch=amd64 signed-by=/x] http://deb.debian.org/debian bookworm main`.
fn of_line<'a>(file: &'a str, line: &'a str) -> Option<Source<'a>> {
    let line = line.split('#').next()?.trim();
    let rest = line.strip_prefix("deb")?;
    let rest = rest.strip_prefix(char::is_whitespace)?.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(options) => options.split_once(']')?.1.trim_start(),
        None => rest,
    };
    // A disc has spaces in its name, and no updates.
    if rest.starts_with("cdrom:") {
        return None;
    }
    let mut words = rest.split_whitespace();
    let (address, suite) = (words.next()?, words.next()?);
    Some(Source {
        file,
        addresses: vec![address],
        suites: vec![suite],
    })
}

/// Reads paragraphs of `Name: value`, whose values go on in lines that begin with a space; names
/// have no case (deb822(5)).
fn of_blocks<'a>(file: &'a str, text: &'a str, sources: &mut Vec<Source<'a>>) {
    let mut block: Vec<(String, Vec<&'a str>)> = Vec::new();
    for line in text.lines().chain([""]) {
        if line.starts_with('#') {
            continue;
        }
        if line.trim().is_empty() {
            sources.extend(of_block(file, &block));
            block.clear();
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, values)) = block.last_mut() {
                values.extend(line.split_whitespace());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            let values = value.split_whitespace().collect();
            block.push((name.trim().to_ascii_lowercase(), values));
        }
    }
}

fn of_block<'a>(file: &'a str, block: &[(String, Vec<&'a str>)]) -> Option<Source<'a>> {
    let field = |name: &str| {
        let found = block.iter().find(|(field, _)| field == name);
        found.map(|(_, values)| values.clone()).unwrap_or_default()
    };
    let is_off = field("enabled").first().and_then(|word| truth(word)) == Some(false);
    let source = Source {
        file,
        addresses: field("uris"),
        suites: field("suites"),
    };
    (field("types").contains(&"deb") && !is_off).then_some(source)
}

/// Releases of Debian and Ubuntu: other names of suites are a vendor's own.
const RELEASES: [&str; 40] = [
    "jessie", "stretch", "buster", "bullseye", "bookworm", "trixie", "forky", "duke", "wheezy",
    "squeeze", "lenny", "sarge", "etch", "trusty", "utopic", "vivid", "wily", "xenial", "yakkety",
    "zesty", "artful", "bionic", "cosmic", "disco", "eoan", "focal", "groovy", "hirsute", "impish",
    "jammy", "kinetic", "lunar", "mantic", "noble", "oracular", "plucky", "questing", "resolute",
    "precise", "lucid",
];

/// Returns whether a word is the name of a release of Debian or Ubuntu.
pub(crate) fn is_release(word: &str) -> bool {
    RELEASES.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> Vec<(Vec<String>, Vec<String>)> {
        let facts = Snapshot::of_files([(path, text)]);
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let found = sources(&facts).unwrap();
        let found = found.iter();
        found
            .map(|source| (owned(&source.addresses), owned(&source.suites)))
            .collect()
    }

    #[test]
    fn both_formats_are_read() {
        let list = |text: &str| read("/etc/apt/sources.list.d/a.list", text);
        let one = |address: &str, suites: &[&str]| {
            let suites = suites.iter().map(|suite| (*suite).to_owned()).collect();
            vec![(vec![address.to_owned()], suites)]
        };
        let line = "deb [arch=amd64 signed-by=/a/b.gpg] https://a/debian sid main # x\n";
        assert_eq!(list(line), one("https://a/debian", &["sid"]));
        for text in [
            "deb-src https://a/debian sid main\n",
            "# deb https://a/debian sid main\n",
            "deb cdrom:[Debian 12]/ sid main\n",
        ] {
            assert!(list(text).is_empty(), "{text}");
        }
        assert!(read("/etc/apt/sources.list.d/a.list.save", line).is_empty());
        let blocks = |text: &str| read("/etc/apt/sources.list.d/a.sources", text);
        let text = "types: deb-src deb\nURIS:\n http://a/debian\n# no\nSuites: x\n  y\n\tz\n";
        assert_eq!(blocks(text), one("http://a/debian", &["x", "y", "z"]));
        let off = format!("{text}Enabled: No\n\n{text}");
        assert_eq!(blocks(&off).len(), 1);
    }

    #[test]
    fn an_archive_of_debian_is_known_by_its_address() {
        for (address, official, own) in [
            ("http://deb.debian.org/debian/", true, true),
            ("http://user@security.ubuntu.com/ubuntu", true, true),
            ("https://mirror.example/pub/debian", true, false),
            (
                "mirror+file:///etc/apt/mirrors/debian-security.list",
                true,
                false,
            ),
            ("mirror+file:/etc/apt/apt-mirrors.txt", true, false),
            ("https://notdebian.org/x", false, false),
            ("https://pkg.example/apt", false, false),
        ] {
            let source = Source {
                file: "",
                addresses: vec![address],
                suites: Vec::new(),
            };
            let found = (source.is_official(), source.is_own());
            assert_eq!(found, (official, own), "{address}");
        }
    }
}
