//! What a host runs by itself: units of systemd with their drop-ins, crontabs, rc.local.

use std::collections::BTreeMap;

use crate::config::{Config, PLAIN, after};
use crate::facts::directives;
use crate::layout::{Family, family};
use crate::pattern::parts;
use crate::snapshot::{Missing, Snapshot};

/// A command that is run by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    /// The file that says so.
    pub(crate) place: String,
    pub(crate) user: String,
    /// The words of its command that are kept.
    pub(crate) command: String,
}

/// Where units are, the first place wins (systemd.unit(5), UNIT FILE LOAD PATH).
const UNIT_FOLDERS: [&str; 3] = [
    "/etc/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];

/// Where crontabs of users are: Debian; SUSE; cronie of Fedora, RHEL and Arch; busybox of Alpine.
const SPOOLS: [&str; 4] = [
    "/var/spool/cron/crontabs/*",
    "/var/spool/cron/tabs/*",
    "/var/spool/cron/*",
    "/etc/crontabs/*",
];

/// Scripts that are run at boot: rc-local.service, SUSE's boot.local, OpenRC's local.
const BOOT_SCRIPTS: [&str; 4] = [
    "/etc/rc.local",
    "/etc/rc.d/rc.local",
    "/etc/init.d/boot.local",
    "/etc/local.d/*.start",
];

/// What was found, and what could not be read and may hold more.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    pub(crate) found: Vec<Job>,
    pub(crate) missing: Vec<Missing>,
}

impl Jobs {
    fn add(&mut self, jobs: Result<Vec<Job>, Missing>) {
        match jobs {
            Ok(jobs) => self.found.extend(jobs),
            Err(missing) => self.missing.push(missing),
        }
    }

    /// Adds what a function makes of each line of the files of a pattern.
    fn add_lines(
        &mut self,
        facts: &Snapshot,
        pattern: &str,
        job: impl Fn(&str, &str) -> Option<Job>,
    ) {
        let config = Config::read(facts, &[pattern], PLAIN);
        let lines = config.lines.iter();
        self.found
            .extend(lines.filter_map(|line| job(line.file, line.text)));
        self.missing.extend(config.missing);
    }
}

/// Returns all jobs whose command is kept.
pub(crate) fn jobs(facts: &Snapshot) -> Jobs {
    let mut jobs = Jobs::default();
    match units(facts) {
        Ok(names) => names.iter().for_each(|name| jobs.add(of_unit(facts, name))),
        Err(missing) => jobs.missing.push(missing),
    }
    let job = |place: &str, user: &str, command: &str| {
        Some(Job {
            place: place.to_owned(),
            user: user.to_owned(),
            command: command.to_owned(),
        })
    };
    match tables(facts) {
        Ok(tables) => tables.into_iter().for_each(|path| {
            jobs.add_lines(facts, path, |place, line| {
                let (user, command) = of_table(line)?;
                job(place, user, &command.join(" "))
            });
        }),
        Err(missing) => jobs.missing.push(missing),
    }
    for pattern in SPOOLS {
        jobs.add_lines(facts, pattern, |place, line| {
            job(place, parts(place).last().unwrap_or_default(), line)
        });
    }
    for pattern in BOOT_SCRIPTS {
        jobs.add_lines(facts, pattern, |place, line| {
            // rc-local.service asks for a file that may be executed.
            let stat = facts.stat(place).ok().flatten();
            let is_run = stat.is_none_or(|stat| stat.mode & 0o111 != 0);
            let (user, command) = line.split_once(' ').unwrap_or((line, ""));
            job(place, user, command).filter(|_| is_run)
        });
    }
    jobs
}

/// Returns what units of packages would run that are not enabled, on a host that does not
/// show what is: without any link in a `*.wants` directory.
pub(crate) fn maybe_enabled(facts: &Snapshot) -> Result<Vec<Job>, Missing> {
    if !facts.glob("/etc/systemd/system/*.wants/*")?.is_empty() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for folder in &UNIT_FOLDERS[1..] {
        let paths = facts.glob(&format!("{folder}/*.service"))?.into_iter();
        names.extend(paths.filter_map(|path| parts(path).last()));
    }
    // `/lib` may be a link to `/usr/lib`.
    names.sort_unstable();
    names.dedup();
    let mut found = Vec::new();
    for name in names {
        found.extend(of_unit(facts, name)?);
    }
    Ok(found)
}

/// Returns the names of services of `/etc`, and of those that are enabled: directly or by a timer.
fn units(facts: &Snapshot) -> Result<Vec<String>, Missing> {
    let name = |path: &str| parts(path).last().unwrap_or_default().to_owned();
    let own = facts.glob("/etc/systemd/system/*.service")?;
    let mut names: Vec<String> = own.into_iter().map(name).collect();
    for path in facts.glob("/etc/systemd/system/*.wants/*")? {
        let wanted = name(path);
        let service = match wanted.strip_suffix(".timer") {
            Some(timer) => format!("{timer}.service"),
            None => wanted,
        };
        // `update@site.service` is made of `update@.service`.
        names.push(match service.split_once('@') {
            Some((template, _)) => format!("{template}@.service"),
            None => service,
        });
    }
    names.retain(|name| name.ends_with(".service"));
    names.sort();
    names.dedup();
    Ok(names)
}

/// Returns the commands of a unit: its file, then drop-ins by name; an empty `ExecStart=` removes
/// those before it.
fn of_unit(facts: &Snapshot, name: &str) -> Result<Vec<Job>, Missing> {
    let mut path = None;
    for folder in UNIT_FOLDERS {
        let at = format!("{folder}/{name}");
        if facts.text(&at)?.is_some() {
            path = Some(at);
            break;
        }
    }
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    // Drop-ins are sorted by name, wherever they are; of one name, the first place wins.
    let mut drop_ins = BTreeMap::new();
    for folder in UNIT_FOLDERS {
        let (found, missing) = facts.glob_known(&format!("{folder}/{name}.d/*.conf"));
        // Packages bring drop-ins for units of packages.
        let is_needed = folder.starts_with("/etc/") || !path.starts_with("/etc/");
        missing.filter(|_| is_needed).map_or(Ok(()), Err)?;
        for path in found {
            drop_ins.entry(parts(path).last()).or_insert(path);
        }
    }
    let files: Vec<&str> = [path.as_str()]
        .into_iter()
        .chain(drop_ins.into_values())
        .collect();
    let config = Config::read(facts, &files, PLAIN).complete()?;
    let (mut user, mut commands) = ("root", Vec::new());
    for line in &config.lines {
        if let Some(value) = after(line.text, "User") {
            user = value.trim_start_matches('=').trim();
        } else if let Some(value) = after(line.text, "ExecStart") {
            match value.trim_start_matches('=').trim() {
                "" if line.text.ends_with("=") => commands.clear(),
                value => commands.push(value),
            }
        }
    }
    Ok(vec![Job {
        place: path,
        user: if user.is_empty() { "root" } else { user }.to_owned(),
        command: commands.join(" "),
    }])
}

/// Returns the data directories that units of this host name for servers of PostgreSQL: the unit or its
/// drop-ins, the last of which wins. Those of packages stand in places that are known.
pub(crate) fn database_folders(facts: &Snapshot) -> (Vec<String>, Option<Missing>) {
    let (mut files, mut missing) = facts.glob_known("/etc/systemd/system/*.service");
    let (drop_ins, unread) = facts.glob_known("/etc/systemd/system/*.service.d/*.conf");
    files.extend(drop_ins);
    missing = missing.or(unread);
    let mut found = BTreeMap::new();
    for file in files {
        let unit = parts(file).nth(3).unwrap_or_default();
        let unit = unit.strip_suffix(".d").unwrap_or(unit);
        for line in directives(facts.files.get(file).map_or("", String::as_str)) {
            let variable =
                after(line, "Environment").and_then(|rest| rest.strip_prefix("=PGDATA="));
            let option = || line.split_once(" -D ").map(|(_, folder)| folder);
            // `-D ${PGDATA}` says nothing new.
            let is_known = |folder: &&str| !matches!(*folder, "${PGDATA}" | "$PGDATA");
            match variable.or_else(option).filter(is_known) {
                Some(folder) if folder.starts_with('/') && !folder.contains(['%', '$']) => {
                    found.insert(unit, folder.trim_end_matches('/').to_owned());
                }
                Some(folder) => {
                    let why = format!("{file} starts a server of PostgreSQL there");
                    missing = missing.or(Some(Missing::new(folder, why)));
                }
                None => {}
            }
        }
    }
    (found.into_values().collect(), missing)
}

/// Returns the tables with a user in each line that cron reads.
pub(crate) fn tables(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut tables = facts.glob("/etc/cron.d/*")?;
    let mut unsure = None;
    tables.retain(|path| {
        let name = parts(path).last().unwrap_or_default();
        // Debian's cron reads names of letters, digits, `_` and `-`; cronie skips only leftovers.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let ends = ["~", ".rpmsave", ".rpmorig", ".rpmnew", ".cfsaved", ".swp"];
        let is_left = name.starts_with('.') || ends.iter().any(|end| name.ends_with(end));
        if name.chars().all(is_plain) || is_left {
            return !is_left;
        }
        match family(facts) {
            Ok(family) => family != Family::Debian,
            Err(missing) => {
                unsure = Some(missing);
                false
            }
        }
    });
    if let Some(missing) = unsure {
        return Err(missing);
    }
    tables.push("/etc/crontab");
    Ok(tables)
}

/// Returns user and command of a line of a system crontab; `None` for a variable.
pub(crate) fn of_table(line: &str) -> Option<(&str, Vec<&str>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first()?;
    let count = match first.starts_with('@') {
        true => 1,
        false if first.starts_with(|c: char| c.is_ascii_digit() || "*-~".contains(c)) => 5,
        false => return None,
    };
    let user = words.get(count)?;
    Some((user, words.get(count + 1..).unwrap_or_default().to_vec()))
}

/// Returns as which user a line of a script starts its command.
pub(crate) fn user_of_line(line: &str) -> &str {
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let program = word.rsplit('/').next().unwrap_or_default();
        match program {
            "su" => {
                while let Some(word) = words.next() {
                    match word {
                        "-s" | "-g" | "-G" | "-c" | "--shell" | "--command" => drop(words.next()),
                        word if word.starts_with('-') => {}
                        user => return user,
                    }
                }
            }
            "-u" | "--user" | "--chuid" | "--reuid" => return words.next().unwrap_or("root"),
            _ => {
                let starts = ["--user=", "--chuid=", "--reuid=", "User="];
                let user = starts.iter().find_map(|start| word.strip_prefix(start));
                if let Some(user) = user {
                    return user;
                }
            }
        }
    }
    "root"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_script_names_its_user() {
        for (line, user) in [
            ("su -s /bin/sh www-data -c 'php update.php'", "www-data"),
            ("/bin/su - www-data -c x", "www-data"),
            ("runuser -u wwwrun -- php x", "wwwrun"),
            ("sudo --user=http php x &", "http"),
            ("start-stop-daemon -S -x /a --chuid apache", "apache"),
            ("php /srv/update.php --daemon &", "root"),
        ] {
            assert_eq!(user_of_line(line), user, "{line}");
        }
    }

    #[test]
    fn a_variable_of_a_crontab_is_no_job() {
        assert_eq!(of_table("PATH=/bin"), None);
        assert_eq!(
            of_table("5 4 * * * backup /x y"),
            Some(("backup", vec!["/x", "y"]))
        );
        assert_eq!(of_table("@daily www x"), Some(("www", vec!["x"])));
        assert_eq!(of_table("-*/15 * * * * root x"), Some(("root", vec!["x"])));
    }
}
