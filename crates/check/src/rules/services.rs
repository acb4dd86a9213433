//! A directory server, scheduled jobs, packages and the network.

use stripewise_message::Message;

use crate::apt::{Source, is_release, sources};
use crate::config::{Config, Grammar, Include, Takes, after, unquoted};
use crate::facts::{WEB_ROOTS, directives, name_at, os_release};
use crate::jobs::{Job, jobs, maybe_enabled, of_table, tables};
use crate::layout::{Family, family, nothing};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::slapd::{is_installed, is_without_bdb, slapd};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[
    LDAP_MODULE,
    FEEDS,
    CRON_USER,
    MIXED_RELEASE,
    NO_SECURITY,
    INTERFACE,
];

const LDAP_MODULE: Rule = Rule {
    id: "ldap.module",
    severity: Severity::High,
    source: "slapd-config(5), olcModuleLoad, olcModulePath and olcOverlay; slapd-bdb and slapd-hdb in the OpenLDAP 2.5 Administrator's Guide, Upgrading from 2.4.x",
    judge: ldap_module,
    ..Rule::PLAIN
};

/// Kinds of databases that slapd always has.
const BUILT_IN: [&str; 4] = ["config", "frontend", "ldif", "schema"];

/// Returns the module that an overlay needs; `None` for one that slapd always has.
fn module_of_overlay(overlay: &str) -> Option<String> {
    match overlay {
        "glue" => None,
        // slapo-chain(5), slapo-pbind(5): parts of the backend.
        "chain" | "distproc" | "pbind" => Some("back_ldap".to_owned()),
        "sock" => Some("back_sock".to_owned()),
        other => Some(other.to_owned()),
    }
}

fn ldap_module(facts: &Snapshot) -> Judged {
    let Some(slapd) = slapd(facts)? else {
        return nothing(facts);
    };
    let kinds = slapd.databases.iter();
    let kinds = kinds.filter(|kind| !BUILT_IN.contains(&kind.as_str()));
    let needed = kinds.map(|kind| format!("back_{kind}"));
    let mut needed: Vec<String> = needed
        .chain(
            slapd
                .overlays
                .iter()
                .filter_map(|name| module_of_overlay(name)),
        )
        .collect();
    needed.retain(|module| !slapd.loaded.contains(module));
    let mut findings = Findings::default();
    for missing in &slapd.missing {
        findings.add(Err(missing.clone()));
    }
    if !slapd.missing.is_empty() {
        // A file that was not read may load them.
        needed.clear();
    }
    let loaded = Findings::each(&slapd.loaded, |module| {
        let is_there = is_installed(facts, &slapd, module)?;
        Ok(Verdict::fail_if(!is_there, || {
            Message::new("found-slapd-loads").name("module", module)
        }))
    });
    let unloaded = Findings::each(&needed, |module| {
        if is_installed(facts, &slapd, module)? {
            return Ok(Verdict::Fail(
                Message::new("found-installed-not-loaded").name("module", module),
            ));
        }
        if matches!(module.as_str(), "back_bdb" | "back_hdb") && is_without_bdb(facts)? {
            return Ok(Verdict::Fail(
                Message::new("found-slapd-lacks").name("module", module),
            ));
        }
        match (family(facts), module.as_str()) {
            // Where it is no module (Debian's slapd 2.5 has none), it is built in.
            (_, "back_monitor") => Ok(Verdict::Fine),
            // openldap.spec of Fedora, 2.6.7-1: `--enable-backends=mod --enable-mdb=yes`.
            (Ok(Family::RedHat), "back_mdb") => Ok(Verdict::Fine),
            // These build no other backend and no overlay into slapd: debian/configure.options;
            // main/openldap/APKBUILD of Alpine, 2.4.46-r1.
            (Ok(Family::Debian | Family::Alpine), _) => Ok(Verdict::Fail(
                Message::new("found-slapd-lacks").name("module", module),
            )),
            _ => {
                let why =
                    "it is not installed as a module; whether slapd has it built in is unknown";
                Err(Missing::new(module.as_str(), why))
            }
        }
    });
    Ok(findings.and(Ok(loaded)).and(Ok(unloaded)))
}

const FEEDS: Rule = Rule {
    id: "feeds.updater",
    severity: Severity::High,
    source: "Tiny Tiny RSS wiki, UpdatingFeeds: never as root, and one way only; FreshRSS documentation, Setting Up Automatic Feed Updating",
    judge: feeds,
    ..Rule::PLAIN
};

fn feeds(facts: &Snapshot) -> Judged {
    let readers = [
        Reader {
            name: "Tiny Tiny RSS",
            script: "update_daemon2.php",
            written: "cache",
            marks: &[
                "update_daemon2.php",
                "update.php --feeds",
                "update.php --daemon",
            ],
        },
        Reader {
            name: "FreshRSS",
            script: "app/actualize_script.php",
            written: "data",
            marks: &["actualize_script.php"],
        },
    ];
    let (mut findings, mut has_any) = (Findings::default(), false);
    for reader in readers {
        for top in WEB_ROOTS {
            match facts.glob(&format!("{top}/**/{}", reader.script)) {
                Ok(found) if found.is_empty() => {}
                Ok(found) => {
                    has_any = true;
                    findings = findings.and(of_reader(facts, &reader, &found));
                }
                Err(missing) => findings.add(Err(missing)),
            }
        }
    }
    match has_any {
        true => Ok(findings),
        false => Ok(findings.and(nothing(facts))),
    }
}

/// A feed reader.
struct Reader {
    name: &'static str,
    /// Its updater, below its directory.
    script: &'static str,
    /// The directory that both the updater and the web server write.
    written: &'static str,
    /// What the command of an updater contains.
    marks: &'static [&'static str],
}

fn of_reader(facts: &Snapshot, reader: &Reader, installed: &[&str]) -> Judged {
    let updaters = updaters(facts, reader.marks)?;
    let mut owners = Vec::new();
    for script in installed {
        let folder = script.strip_suffix(reader.script).unwrap_or_default();
        // One that root owns was only unpacked, and does not tell who writes it.
        let stat = facts.stat(&format!("{folder}{}", reader.written))?;
        owners.extend(stat.map(|stat| stat.uid).filter(|uid| *uid != 0));
    }
    let mut findings = of_updaters(reader.name, &updaters);
    for (place, user) in updaters.iter().filter(|(_, user)| user != "root") {
        if owners.is_empty() {
            break;
        }
        let uid = crate::facts::uid(facts, user)?;
        let is_owner = uid.is_some_and(|uid| owners.contains(&uid));
        findings.add(Ok(Verdict::fail_if(!is_owner, || {
            let (name, written) = (reader.name, reader.written);
            Message::new("found-runs-as-who-does")
                .name("name", name)
                .name("place", place)
                .name("user", user)
                .name("written", written)
        })));
    }
    Ok(findings)
}

/// Returns where each updater is set up, and as which user it runs.
fn updaters(facts: &Snapshot, marks: &[&str]) -> Result<Vec<(String, String)>, Missing> {
    let mut jobs = jobs(facts);
    // How many there are is known only if all places are.
    if let Some(missing) = jobs.missing.into_iter().next() {
        return Err(missing);
    }
    let is_updater = |job: &Job| marks.iter().any(|mark| job.command.contains(mark));
    jobs.found.retain(is_updater);
    if jobs.found.is_empty() {
        jobs.found = maybe_enabled(facts)?;
        jobs.found.retain(is_updater);
    }
    let found = jobs.found.into_iter();
    Ok(found.map(|job| (job.place, job.user)).collect())
}

fn of_updaters(reader: &str, found: &[(String, String)]) -> Findings {
    let mut findings = Findings::each(found, |(place, user)| {
        Ok(Verdict::fail_if(user == "root", || {
            Message::new("found-runs-as-root")
                .name("reader", reader)
                .name("place", place)
        }))
    });
    let count = found.len();
    if count != 1 {
        let places: Vec<&str> = found.iter().map(|(place, _)| place.as_str()).collect();
        let text = match count {
            0 => Message::new("found-installed-nothing-updates-feeds").name("reader", reader),
            _ => Message::new("found-updated-times")
                .name("reader", reader)
                .name("count", count)
                .name("places", places.join(", ")),
        };
        findings.add(Ok(Verdict::Fail(text)));
    }
    findings
}

const CRON_USER: Rule = Rule {
    id: "cron.user-missing",
    severity: Severity::High,
    source: "crontab(5), the sixth field of system crontabs; cron(8), DEBIAN SPECIFIC: names of files; nsswitch.conf(5)",
    judge: cron_missing,
    ..Rule::PLAIN
};

fn cron_missing(facts: &Snapshot) -> Judged {
    let users = facts.need_word("/etc/passwd")?;
    let users: Vec<&str> = users
        .lines()
        .filter_map(|line| line.split(':').next())
        .collect();
    let mut findings = Findings::default();
    for path in tables(facts)? {
        let text = facts.text(path)?.unwrap_or_default();
        for user in directives(text).filter_map(|line| Some(of_table(line)?.0)) {
            if users.contains(&user) {
                continue;
            }
            let other = other_users(facts, &users);
            findings.add(other.and_then(|other| {
                match other {
                    None => Ok(Verdict::Fail(
                        Message::new("found-user")
                            .name("path", path)
                            .name("user", user),
                    )),
                    Some(source) => {
                        let why = format!("{path} names it; users come from {source}, too");
                        Err(Missing::new(format!("user `{user}`"), why))
                    }
                }
            }));
        }
    }
    Ok(findings)
}

/// Returns from where users come that are not in /etc/passwd: cron asks NSS (nsswitch.conf(5)).
fn other_users<'a>(facts: &'a Snapshot, users: &[&str]) -> Result<Option<&'a str>, Missing> {
    // `+` stands for all users of NIS.
    if users.iter().any(|user| user.starts_with('+')) {
        return Ok(Some("NIS"));
    }
    let text = facts.text("/etc/nsswitch.conf")?.unwrap_or_default();
    let mut lines = directives(text).filter_map(|line| line.strip_prefix("passwd:"));
    let sources = lines.next().unwrap_or("files").split('#').next();
    let mut sources = sources.unwrap_or_default().split_whitespace();
    let is_local = |source: &str| {
        ["files", "compat", "systemd", "altfiles", "["]
            .iter()
            .any(|one| source.starts_with(one))
    };
    Ok(sources.find(|source| !is_local(source) && source.contains(|c: char| c.is_alphabetic())))
}

const MIXED_RELEASE: Rule = Rule {
    id: "apt.mixed-release",
    severity: Severity::High,
    source: "sources.list(5); os-release(5), VERSION_CODENAME; Debian release notes, Preparing APT sources files",
    judge: mixed_release,
    ..Rule::PLAIN
};

/// Names that follow the releases.
const MOVING: [&str; 6] = [
    "stable",
    "testing",
    "unstable",
    "sid",
    "oldstable",
    "experimental",
];

fn mixed_release(facts: &Snapshot) -> Judged {
    let sources = sources(facts)?;
    if sources.is_empty() {
        return Ok(Findings::default());
    }
    let Some(codename) = os_release(facts, "VERSION_CODENAME")? else {
        return Ok(Findings::default());
    };
    // Those who build on a release name it there.
    let mut known = vec![codename];
    for key in ["UBUNTU_CODENAME", "DEBIAN_CODENAME"] {
        known.extend(os_release(facts, key)?);
    }
    let official = sources.iter().filter(|source| source.is_official());
    let suites = official.flat_map(|source| {
        let suites = source.suites.iter();
        // A flat repository has a directory, and no release.
        let named = suites.filter(|suite| !suite.ends_with('/'));
        named.map(move |suite| (source, *suite))
    });
    Ok(Findings::each(suites, |(source, suite)| {
        let base = suite.split(['-', '/']).next().unwrap_or_default();
        let is_named = source.is_own() || is_release(base);
        let is_other = !known.contains(&base) && !MOVING.contains(&base) && is_named;
        Ok(Verdict::fail_if(is_other, || {
            Message::new("found-installed")
                .name("file", source.file)
                .name("suite", suite)
                .name("codename", codename)
        }))
    }))
}

const NO_SECURITY: Rule = Rule {
    id: "apt.no-security",
    severity: Severity::High,
    source: "Debian release notes for bullseye, Changed security archive layout; sources.list(5)",
    judge: no_security,
    ..Rule::PLAIN
};

fn no_security(facts: &Snapshot) -> Judged {
    let id = os_release(facts, "ID")?.unwrap_or_default();
    let codename = os_release(facts, "VERSION_CODENAME")?;
    let (true, Some(codename)) = (matches!(id, "debian" | "ubuntu"), codename) else {
        return Ok(Findings::default());
    };
    let sources = sources(facts)?;
    if facts.glob("/etc/apt/sources.list.d/*")?.is_empty()
        && facts.text("/etc/apt/sources.list")?.is_none()
    {
        // A machine without apt, or one that gets its packages otherwise.
        return Ok(Findings::default());
    }
    // A mirror may have the suite of security updates at any path.
    let suites: Vec<&str> = sources.iter().flat_map(|one| one.suites.clone()).collect();
    let wanted = [format!("{codename}-security"), "stable-security".to_owned()];
    let is_there = suites
        .iter()
        .any(|suite| wanted.iter().any(|one| one == suite));
    if !is_there && !sources.iter().any(Source::is_official) {
        let none = Message::new("found-no-source-debian-or");
        return Ok(Findings::each([none], |none| Ok(Verdict::Note(none))));
    }
    // Unstable has no security archive.
    let is_moving = suites
        .iter()
        .any(|suite| matches!(*suite, "sid" | "unstable" | "testing"));
    Ok(Findings::each([codename], |codename| {
        Ok(Verdict::fail_if(!is_there && !is_moving, || {
            Message::new("found-no-suite-security").name("codename", codename)
        }))
    }))
}

const INTERFACE: Rule = Rule {
    id: "net.interface-gone",
    severity: Severity::High,
    source: "interfaces(5), INCLUDING OTHER FILES and METHODS; systemd.net-naming-scheme(7)",
    judge: interface,
    ..Rule::PLAIN
};

/// ifupdown's `source` takes a path or a pattern; `source-directory` takes files of plain names.
const IFUPDOWN: Grammar = Grammar {
    include: |line| {
        // interfaces(5): of a directory, names of letters, digits, `_` and `-`.
        let (pattern, takes) = match after(line, "source") {
            Some(path) => (unquoted(path).to_owned(), Takes::Matching),
            None => {
                let folder = unquoted(after(line, "source-directory")?);
                (format!("{}/*", folder.trim_end_matches('/')), Takes::Plain)
            }
        };
        Some(Include {
            pattern,
            is_optional: true,
            takes,
        })
    },
    base: Some("/etc/network"),
    maybe: None,
};

/// Methods whose interface ifupdown or its program makes (interfaces(5), METHODS).
const MADE_METHODS: [&str; 6] = ["ppp", "wvdial", "tunnel", "v4tunnel", "6to4", "loopback"];
/// Options of an interface that is made of others.
const MADE_OPTIONS: [&str; 4] = ["bridge", "bond", "slaves", "vlan"];

fn interface(facts: &Snapshot) -> Judged {
    const FILE: &str = "/etc/network/interfaces";
    let config = Config::read(facts, &[FILE], IFUPDOWN);
    if config.is_absent() {
        let why = "this host does not use ifupdown; what else sets up its network is not read";
        return Err(Missing::new(FILE, why));
    }
    let mut findings = Findings::default();
    for missing in &config.missing {
        findings.add(Err(missing.clone()));
    }
    // Names that are made: by their method, or by an option below their `iface`.
    let (mut made, mut last) = (Vec::new(), "");
    for line in &config.lines {
        if let Some(rest) = after(line.text, "iface") {
            let mut words = rest.split_whitespace();
            last = words.next().unwrap_or_default();
            let is_made = words.any(|word| MADE_METHODS.contains(&word));
            made.extend(is_made.then_some(last));
        } else if MADE_OPTIONS
            .iter()
            .any(|option| line.text.starts_with(option))
        {
            made.push(last);
        }
    }
    let present = facts.glob("/sys/class/net/*")?;
    for line in &config.lines {
        // `allow-hotplug` waits for a card; `auto` needs it.
        let named = after(line.text, "auto").or_else(|| after(line.text, "allow-auto"));
        for name in named.unwrap_or_default().split_whitespace() {
            // A pattern takes the interfaces that there are; `eth0=home` has a name of its own.
            let name = name.split('=').next().unwrap_or_default();
            let base = name.split([':', '.']).next().unwrap_or_default();
            let is_made = name.starts_with(['/', '!'])
                || made.contains(&name)
                || [
                    "lo", "br", "vmbr", "bond", "vlan", "tun", "tap", "dummy", "wg",
                ]
                .iter()
                .any(|kind| base.starts_with(kind));
            let is_there = present.iter().any(|path| name_at(path, 3) == base);
            findings.add(Ok(Verdict::fail_if(!is_made && !is_there, || {
                Message::new("check-found")
                    .name("place", line.file)
                    .name("what", name)
            })));
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges a Tiny Tiny RSS whose cache has this owner, and whose one updater runs as `user`.
    fn judged(owner: u32, user: &str) -> Vec<Message> {
        let folder = "/var/www/html/tt-rss";
        let stat = |uid| crate::snapshot::Stat {
            mode: 0o755,
            uid,
            gid: uid,
            size_bytes: 1,
            modified_unix_s: 1,
        };
        let job = format!("*/30 * * * * {user} php {folder}/update.php --feeds\n");
        let users = "root:x:0:0\nwww-data:x:33:33\nbackup:x:34:34\n";
        let files = [("/etc/crontab", job.as_str()), ("/etc/passwd", users)];
        let mut facts = Snapshot::of_files(files);
        facts
            .stats
            .insert(format!("{folder}/update_daemon2.php"), stat(0));
        facts.stats.insert(format!("{folder}/cache"), stat(owner));
        let findings = feeds(&facts).unwrap();
        assert!(findings.missing.is_empty(), "{findings:?}");
        findings.failed
    }

    #[test]
    fn an_updater_runs_as_the_owner_of_what_it_writes() {
        let none: [Message; 0] = [];
        let found = |id: &'static str, who: &'static str| {
            let message = Message::new(id).name("place", "/etc/crontab");
            message.name(who, "Tiny Tiny RSS")
        };
        let other = |user| {
            let found = found("found-runs-as-who-does", "name").name("user", user);
            [found.name("written", "cache")]
        };
        assert_eq!(judged(33, "www-data"), none);
        assert_eq!(judged(34, "backup"), none);
        assert_eq!(judged(33, "backup"), other("backup"));
        assert_eq!(judged(33, "gone"), other("gone"));
        assert_eq!(judged(33, "root"), [found("found-runs-as-root", "reader")]);
        // Only unpacked: the owner does not tell who writes it.
        assert_eq!(judged(0, "backup"), none);
    }
}
