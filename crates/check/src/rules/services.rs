//! A directory server, scheduled jobs, packages and the network.

use crate::facts::{directives, name_at, os_release};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
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
    title: "a directory database has no module that serves it",
    severity: Severity::High,
    reason: "slapd does not start: `UNKNOWN attributeDescription`, `config error processing olcDatabase={1}hdb`. OpenLDAP 2.5 has no back_hdb and back_bdb any more.",
    source: "slapd-config(5), olcModuleLoad; slapd-bdb and slapd-hdb in the OpenLDAP 2.5 Administrator's Guide, Upgrading from 2.4.x",
    fix: "Add olcModuleLoad with `slapmodify -n0`. For hdb and bdb: `slapcat` with the old slapd before the upgrade, `slapadd` into mdb after it.",
    risk: "An edit of slapd.d by hand breaks the checksum line of the file.",
    undo: "`slapmodify -n0` with the opposite change; keep a copy of slapd.d.",
    proof: None,
    judge: ldap_module,
    settings: None,
};

/// Kinds of databases that slapd always has.
const BUILT_IN: [&str; 4] = ["config", "frontend", "ldif", "schema"];

fn ldap_module(facts: &Snapshot) -> Judged {
    const DATABASES: &str = "/etc/ldap/slapd.d/cn=config/olcDatabase=*.ldif";
    const MODULES: &str = "/etc/ldap/slapd.d/cn=config/cn=module*.ldif";
    let (mut kinds, mut loaded) = (Vec::new(), String::new());
    for path in facts.glob(DATABASES)? {
        let text = facts.text(path)?.unwrap_or_default();
        let names = text
            .lines()
            .filter_map(|line| line.strip_prefix("olcDatabase: "));
        kinds.extend(names.map(|name| {
            name.rsplit('}')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        }));
    }
    for path in facts.glob(MODULES)? {
        loaded += facts.text(path)?.unwrap_or_default();
    }
    if let Some(text) = facts.text("/etc/ldap/slapd.conf")? {
        let names = directives(text).filter_map(|line| line.strip_prefix("database"));
        kinds.extend(names.map(|name| name.trim().to_owned()));
        loaded += text;
    }
    kinds.retain(|kind| !kind.is_empty() && !BUILT_IN.contains(&kind.as_str()));
    kinds.sort();
    kinds.dedup();
    Ok(Findings::each(&kinds, |kind| {
        let module = format!("back_{kind}");
        let found = facts.glob("/usr/lib/ldap/back_*")?;
        if found.is_empty() {
            return Err(Missing::new(
                "/usr/lib/ldap/back_*",
                "slapd has no modules there: which databases it has built in is unknown",
            ));
        }
        let exists = found
            .iter()
            .any(|path| name_at(path, 3).starts_with(&module));
        let is_loaded = loaded.lines().any(|line| line.contains(&module));
        Ok(match (exists, is_loaded) {
            (true, true) => Verdict::Fine,
            (true, false) => Verdict::Fail(format!("{module} is installed and not loaded")),
            (false, _) => Verdict::Fail(format!("there is no {module} in this slapd")),
        })
    }))
}

const FEEDS: Rule = Rule {
    id: "feeds.updater",
    title: "a feed reader is updated twice, not at all, or as the wrong user",
    severity: Severity::High,
    reason: "Two updaters lock each other out and load feeds twice; without one the feeds stand still after a move; another user than the owner of its cache cannot write there, and root leaves files that the web server cannot write.",
    source: "Tiny Tiny RSS wiki, UpdatingFeeds: never as root, and one way only; FreshRSS documentation, Setting Up Automatic Feed Updating",
    fix: "Keep one systemd service or timer, or one cron job, as the owner of the reader's cache, which is the web server's user.",
    risk: "Files that root wrote must be given back: `chown -R www-data` on cache and feed icons.",
    undo: "Enable the old unit or line again.",
    proof: None,
    judge: feeds,
    settings: None,
};

fn feeds(facts: &Snapshot) -> Judged {
    let readers = [
        Reader {
            name: "Tiny Tiny RSS",
            script: "update_daemon2.php",
            written: "cache",
            marks: ["update_daemon2.php", "update.php --feeds"],
        },
        Reader {
            name: "FreshRSS",
            script: "app/actualize_script.php",
            written: "data",
            marks: ["actualize_script.php", "actualize_script.php"],
        },
    ];
    let mut findings = Findings::default();
    for reader in readers {
        let pattern = format!("/var/www/**/{}", reader.script);
        match facts.glob(&pattern) {
            Ok(found) if found.is_empty() => {}
            Ok(found) => findings = findings.and(of_reader(facts, &reader, &found)),
            Err(missing) => findings.add(Err(missing)),
        }
    }
    Ok(findings)
}

/// A feed reader.
struct Reader {
    name: &'static str,
    /// Its updater, below its directory.
    script: &'static str,
    /// The directory that both the updater and the web server write.
    written: &'static str,
    /// What the command of an updater contains.
    marks: [&'static str; 2],
}

fn of_reader(facts: &Snapshot, reader: &Reader, installed: &[&str]) -> Judged {
    let updaters = updaters(facts, &reader.marks)?;
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
            format!("{name}: {place} runs it as {user}, who does not own {written}/")
        })));
    }
    Ok(findings)
}

/// Returns where each updater is set up, and as which user it runs.
fn updaters(facts: &Snapshot, marks: &[&str]) -> Result<Vec<(String, String)>, Missing> {
    let is_updater = |line: &&str| marks.iter().any(|mark| line.contains(mark));
    let mut found = Vec::new();
    for path in facts.glob("/etc/systemd/system/*.service")? {
        let text = facts.text(path)?.unwrap_or_default();
        if directives(text).any(|line| is_updater(&line)) {
            let user = crate::facts::setting(text, "User").unwrap_or("root");
            found.push((path.to_owned(), user.to_owned()));
        }
    }
    let mut tables = facts.glob("/etc/cron.d/*")?;
    tables.push("/etc/crontab");
    for path in tables {
        let text = facts.text(path)?.unwrap_or_default();
        for line in directives(text).filter(is_updater) {
            found.push((
                path.to_owned(),
                cron_user(line).unwrap_or_default().to_owned(),
            ));
        }
    }
    for path in facts.glob("/var/spool/cron/crontabs/*")? {
        let text = facts.text(path)?.unwrap_or_default();
        let lines = directives(text).filter(is_updater);
        found.extend(lines.map(|_| (path.to_owned(), name_at(path, 4).to_owned())));
    }
    Ok(found)
}

fn of_updaters(reader: &str, found: &[(String, String)]) -> Findings {
    let mut findings = Findings::each(found, |(place, user)| {
        Ok(Verdict::fail_if(user == "root", || {
            format!("{reader}: {place} runs it as root")
        }))
    });
    let count = found.len();
    if count != 1 {
        let places: Vec<&str> = found.iter().map(|(place, _)| place.as_str()).collect();
        let text = match count {
            0 => format!("{reader} is installed, and nothing updates its feeds"),
            _ => format!("{reader} is updated {count} times: {}", places.join(", ")),
        };
        findings.add(Ok(Verdict::Fail(text)));
    }
    findings
}

/// Returns the user of a line of a system crontab.
fn cron_user(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.first()?.starts_with('@') {
        true => words.get(1).copied(),
        false => words.get(5).copied(),
    }
}

const CRON_USER: Rule = Rule {
    id: "cron.user-missing",
    title: "a cron job runs as a user who does not exist",
    severity: Severity::High,
    reason: "cron refuses the whole file with `bad username` and runs none of its jobs, which happens after a move without the old users.",
    source: "crontab(5), the sixth field of system crontabs; cron(8), DEBIAN SPECIFIC",
    fix: "Create the user, or name another in the file.",
    risk: "Files of the job may belong to the old number of the user.",
    undo: "Put the old name back.",
    proof: None,
    judge: cron_missing,
    settings: None,
};

fn cron_missing(facts: &Snapshot) -> Judged {
    let users = facts.need_word("/etc/passwd")?;
    let users: Vec<&str> = users
        .lines()
        .filter_map(|line| line.split(':').next())
        .collect();
    let mut tables = facts.glob("/etc/cron.d/*")?;
    tables.push("/etc/crontab");
    let mut findings = Findings::default();
    for path in tables {
        let text = facts.text(path)?.unwrap_or_default();
        for line in directives(text).filter(|line| is_job(line)) {
            let user = cron_user(line).unwrap_or_default();
            let is_gone = !user.is_empty() && !users.contains(&user);
            findings.add(Ok(Verdict::fail_if(is_gone, || {
                format!("{path}: user `{user}`")
            })));
        }
    }
    Ok(findings)
}

/// Returns whether a line of a crontab is a job and not a variable.
fn is_job(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.starts_with('@') || first.starts_with(|c: char| c.is_ascii_digit() || c == '*')
}

const MIXED_RELEASE: Rule = Rule {
    id: "apt.mixed-release",
    title: "package sources name another release than the installed one",
    severity: Severity::High,
    reason: "The next upgrade takes packages of two releases, which removes what does not fit together.",
    source: "sources.list(5); os-release(5), VERSION_CODENAME; Debian release notes, Preparing APT sources files",
    fix: "Name one release in all files of /etc/apt, or finish the upgrade.",
    risk: "Another vendor may have no packages for the new release: disable it first.",
    undo: "Put the old name back and `apt-get update`.",
    proof: None,
    judge: mixed_release,
    settings: None,
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

/// Returns whether a line or block names an archive of Debian or Ubuntu, or a mirror of one.
fn is_official(text: &str) -> bool {
    text.split_whitespace()
        .filter(|word| word.contains("://"))
        .any(|address| {
            let address = address.trim_end_matches('/');
            let is_mirror = ["/debian", "/debian-security", "/ubuntu"]
                .iter()
                .any(|end| address.ends_with(end));
            is_mirror || address.contains(".debian.org") || address.contains(".ubuntu.com")
        })
}

/// Returns the suites of the sources of Debian and Ubuntu, each with its file.
fn suites(facts: &Snapshot) -> Result<Vec<(&str, &str)>, Missing> {
    let mut paths = facts.glob("/etc/apt/sources.list.d/*")?;
    paths.push("/etc/apt/sources.list");
    let mut suites = Vec::new();
    for path in paths {
        let text = facts.text(path)?.unwrap_or_default();
        for line in directives(text) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() == Some(&"deb") && is_official(line) {
                // Options stand in brackets before the address.
                let address = words.iter().position(|word| word.contains(":/"));
                suites.extend(
                    address
                        .and_then(|at| words.get(at + 1))
                        .map(|suite| (path, *suite)),
                );
            }
        }
        for block in text
            .split("\n\n")
            .filter(|block| is_official(block) && !block.contains("Enabled: no"))
        {
            let line = block.lines().find_map(|line| line.strip_prefix("Suites:"));
            suites.extend(
                line.into_iter()
                    .flat_map(str::split_whitespace)
                    .map(|suite| (path, suite)),
            );
        }
    }
    Ok(suites)
}

fn mixed_release(facts: &Snapshot) -> Judged {
    let Some(codename) = os_release(facts, "VERSION_CODENAME")? else {
        return Ok(Findings::default());
    };
    Ok(Findings::each(suites(facts)?, |(path, suite)| {
        let base = suite.split(['-', '/']).next().unwrap_or_default();
        let is_other = base != codename && !MOVING.contains(&base);
        Ok(Verdict::fail_if(is_other, || {
            format!("{path}: {suite}; installed is {codename}")
        }))
    }))
}

const NO_SECURITY: Rule = Rule {
    id: "apt.no-security",
    title: "no source of security updates",
    severity: Severity::High,
    reason: "Fixes of known holes never arrive. The name of the suite changed with Debian 11, so an old line finds nothing after an upgrade.",
    source: "Debian release notes for bullseye, Changed security archive layout; sources.list(5)",
    fix: "`deb http://security.debian.org/debian-security CODENAME-security main`.",
    risk: "None.",
    undo: "Remove the line.",
    proof: None,
    judge: no_security,
    settings: None,
};

fn no_security(facts: &Snapshot) -> Judged {
    let id = os_release(facts, "ID")?.unwrap_or_default();
    let codename = os_release(facts, "VERSION_CODENAME")?;
    let (true, Some(codename)) = (matches!(id, "debian" | "ubuntu"), codename) else {
        return Ok(Findings::default());
    };
    let suites = suites(facts)?;
    if suites.is_empty() {
        let none = "no source of Debian's or Ubuntu's packages is configured".to_owned();
        return Ok(Findings::each([none], |none| Ok(Verdict::Note(none))));
    }
    let wanted = [format!("{codename}-security"), "stable-security".to_owned()];
    let is_there = suites
        .iter()
        .any(|(_, suite)| wanted.iter().any(|one| one == suite));
    // Unstable has no security archive.
    let is_moving = suites
        .iter()
        .any(|(_, suite)| matches!(*suite, "sid" | "unstable" | "testing"));
    Ok(Findings::each([codename], |codename| {
        Ok(Verdict::fail_if(!is_there && !is_moving, || {
            format!("no suite {codename}-security")
        }))
    }))
}

const INTERFACE: Rule = Rule {
    id: "net.interface-gone",
    title: "the network configuration names an interface that does not exist",
    severity: Severity::High,
    reason: "After a move or an upgrade the card may have another name: the host comes up without a network.",
    source: "interfaces(5); systemd.net-naming-scheme(7)",
    fix: "Write the new name from `ip link`, or pin it with a systemd.link(5) file.",
    risk: "Keep a console open: a mistake cuts the connection.",
    undo: "Put the old name back.",
    proof: None,
    judge: interface,
    settings: None,
};

fn interface(facts: &Snapshot) -> Judged {
    let mut paths = facts.glob("/etc/network/interfaces.d/*")?;
    paths.push("/etc/network/interfaces");
    let present = facts.glob("/sys/class/net/*")?;
    let mut findings = Findings::default();
    for path in paths {
        let text = facts.text(path)?.unwrap_or_default();
        // `allow-hotplug` waits for a card; `auto` needs it.
        for name in directives(text)
            .filter_map(|line| line.strip_prefix("auto "))
            .flat_map(str::split_whitespace)
        {
            let base = name.split([':', '.']).next().unwrap_or_default();
            let is_made = ["lo", "br", "bond", "vlan", "tun", "tap", "dummy", "wg"]
                .iter()
                .any(|kind| base.starts_with(kind));
            let is_there = present.iter().any(|path| name_at(path, 3) == base);
            findings.add(Ok(Verdict::fail_if(!is_made && !is_there, || {
                format!("{path}: {name}")
            })));
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges a Tiny Tiny RSS whose cache has this owner, and whose one updater runs as `user`.
    fn judged(owner: u32, user: &str) -> Vec<String> {
        let folder = "/var/www/html/tt-rss";
        let stat = |uid| crate::snapshot::Stat {
            mode: 0o755,
            uid,
            gid: uid,
            size_bytes: 1,
            modified_unix_s: 1,
        };
        let mut facts = Snapshot {
            is_complete: true,
            ..Snapshot::default()
        };
        facts
            .stats
            .insert(format!("{folder}/update_daemon2.php"), stat(0));
        facts.stats.insert(format!("{folder}/cache"), stat(owner));
        let job = format!("*/30 * * * * {user} php {folder}/update.php --feeds\n");
        let users = "root:x:0:0\nwww-data:x:33:33\nbackup:x:34:34\n";
        for (path, text) in [("/etc/crontab", job.as_str()), ("/etc/passwd", users)] {
            facts.files.insert(path.to_owned(), text.to_owned());
        }
        let findings = feeds(&facts).unwrap();
        assert!(findings.missing.is_empty(), "{findings:?}");
        findings.failed
    }

    #[test]
    fn an_updater_runs_as_the_owner_of_what_it_writes() {
        let none: [String; 0] = [];
        let other = |user| {
            let text = "Tiny Tiny RSS: /etc/crontab runs it as";
            [format!("{text} {user}, who does not own cache/")]
        };
        assert_eq!(judged(33, "www-data"), none);
        assert_eq!(judged(34, "backup"), none);
        assert_eq!(judged(33, "backup"), other("backup"));
        assert_eq!(judged(33, "gone"), other("gone"));
        assert_eq!(
            judged(33, "root"),
            ["Tiny Tiny RSS: /etc/crontab runs it as root"]
        );
        // Only unpacked: nobody can tell who writes it.
        assert_eq!(judged(0, "backup"), none);
    }
}
