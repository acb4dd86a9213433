//! Where the server of MariaDB or MySQL has its data: as it says itself, or as its option files say.
//!
//! Option files are read as the server reads them: my.cnf with `!include` and `!includedir` in their
//! places, the groups of the server, names with dashes or underscores that may be cut short, `loose-`
//! before them; the last one wins (MariaDB manual, Configuring MariaDB with Option Files; mysys/my_default.c
//! of 10.11, `search_default_file_with_ext`).

use std::collections::BTreeMap;

use crate::config::{Config, Grammar, Include, Takes, after};
use crate::facts::database_variable;
use crate::snapshot::{Missing, Snapshot};

/// What the server reads, in this order.
const FILES: [&str; 2] = ["/etc/my.cnf", "/etc/mysql/my.cnf"];
/// Where its data is if nothing else is set: in all distributions.
pub(crate) const DATA: &str = "/var/lib/mysql";
/// The files in it that tell of which version its tables are.
pub(crate) const UPGRADE_INFO: [&str; 2] = ["mysql_upgrade_info", "mariadb_upgrade_info"];
/// The groups of the server, without a version.
const GROUPS: [&str; 6] = [
    "mysqld",
    "server",
    "mariadb",
    "mariadbd",
    "client-server",
    "galera",
];

const GRAMMAR: Grammar = Grammar {
    include: |line| {
        let (pattern, takes) = match after(line, "!includedir") {
            Some(folder) => {
                let folder = folder.trim_end_matches('/');
                (format!("{folder}/*.cnf"), Takes::Matching)
            }
            None => (after(line, "!include")?.to_owned(), Takes::One),
        };
        // A file that is not there is passed over.
        Some(Include {
            pattern,
            is_optional: true,
            takes,
        })
    },
    base: None,
    maybe: None,
};

/// Reads the option files.
pub(crate) fn option_files(facts: &Snapshot) -> Config<'_> {
    Config::read(facts, &FILES, GRAMMAR)
}

/// Returns the data directory.
///
/// # Errors
/// If the server was not asked, and an option file could not be read.
pub(crate) fn data_dir(facts: &Snapshot) -> Result<String, Missing> {
    if let Ok(folder) = database_variable(facts, "datadir") {
        return Ok(plain(folder));
    }
    let config = option_files(facts).complete()?;
    let (mut groups, mut found) = (BTreeMap::new(), None);
    for line in &config.lines {
        if let Some(group) = line.text.strip_prefix('[') {
            let group = group.split(']').next().unwrap_or_default();
            groups.insert(line.file, of_server(facts, group));
            continue;
        }
        let Some(folder) = data_option(line.text) else {
            continue;
        };
        match groups.get(line.file) {
            Some(Ok(true)) => found = Some(folder),
            Some(Err(missing)) => return Err(Missing::clone(missing)),
            _ => {}
        }
    }
    Ok(plain(found.as_deref().unwrap_or(DATA)))
}

fn plain(folder: &str) -> String {
    folder.trim_end_matches('/').to_owned()
}

/// Returns whether the server reads a group: `mysqld`, and `mariadb-10.11` in that version.
fn of_server(facts: &Snapshot, group: &str) -> Result<bool, Missing> {
    let is_known = |name: &str| GROUPS.contains(&name);
    let Some((name, version)) = group.rsplit_once('-').filter(|(name, _)| is_known(name)) else {
        return Ok(is_known(group));
    };
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(is_known(group));
    }
    if !name.starts_with("mysqld") && !name.starts_with("mariadb") {
        return Ok(false);
    }
    let printed = facts.command("mariadbd --version")?;
    let installed = printed.split("Ver ").nth(1).unwrap_or_default();
    let rest = installed.strip_prefix(version);
    Ok(rest.is_some_and(|rest| rest.starts_with('.')))
}

/// Returns the value of a line that sets the data directory.
fn data_option(line: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim().replace('_', "-");
    let name = name.strip_prefix("loose-").unwrap_or(&name);
    // Other options begin with `d`, `da` and `dat`; none with more of it.
    let is_it = name.len() > 3 && "datadir".starts_with(name);
    is_it.then(|| unescaped(uncommented(value)))
}

/// Returns a value without the comment behind it: a `#` outside of quotes.
fn uncommented(value: &str) -> &str {
    let mut quote = None;
    for (at, c) in value.char_indices() {
        match (c, quote) {
            ('#', None) => return &value[..at],
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    value
}

/// Returns a value without the quotes around it, and with the characters for `\s` and the like.
fn unescaped(value: &str) -> String {
    let value = crate::config::unquoted(value);
    let (mut plain, mut chars) = (String::new(), value.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('s') => plain.push(' '),
                Some('t') => plain.push('\t'),
                Some('\\') => plain.push('\\'),
                Some(other) => plain.extend(['\\', other]),
                None => plain.push('\\'),
            },
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::CommandResult;

    /// The file, one that it can include, and the data directory.
    const FORMS: [(&str, &str, &str); 12] = [
        ("[mysqld]\n", "", DATA),
        ("[mysqld]\ndatadir = /srv/a\n", "", "/srv/a"),
        ("[client]\ndatadir = /srv/a\n", "", DATA),
        (
            "[mysqld]\ndatadir=/srv/a\n[mariadbd]\ndatadir=/srv/b/\n",
            "",
            "/srv/b",
        ),
        (
            "[mysqld]\ndatadir=/srv/a\n!includedir FOLDER/d\n",
            "[server]\ndatadir=/srv/c\n",
            "/srv/c",
        ),
        (
            "[mysqld]\n!include FOLDER/d/x.cnf\ndatadir=/srv/a\n",
            "[server]\ndatadir=/srv/c\n",
            "/srv/a",
        ),
        ("[mysqld]\n!include FOLDER/d/gone.cnf\n", "", DATA),
        ("[mysqld]\nloose_datadir = '/srv/a b' # x\n", "", "/srv/a b"),
        ("[mysqld]\n  datadi = \"/srv/a\"\n", "", "/srv/a"),
        ("[mariadb-10.11]\ndatadir=/srv/a\n", "", "/srv/a"),
        ("[mariadb-10.5]\ndatadir=/srv/a\n", "", DATA),
        ("[mysqld]\n;datadir=/srv/a\n#datadir=/srv/b\n", "", DATA),
    ];

    fn facts(text: &str, other: &str) -> Snapshot {
        let text = text.replace("FOLDER", "/etc/mysql");
        let mut facts =
            Snapshot::of_files([(FILES[0], text.as_str()), ("/etc/mysql/d/x.cnf", other)]);
        facts
            .followed
            .extend(["/etc/mysql/d/*.cnf", "/etc/mysql/d/gone.cnf"].map(str::to_owned));
        let output = "mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64\n";
        let ran = CommandResult {
            exit: Some(0),
            output: output.to_owned(),
            error: None,
        };
        facts.commands.insert("mariadbd --version".to_owned(), ran);
        facts
    }

    #[test]
    fn option_files_are_read_as_the_server_reads_them() {
        for (text, other, expected) in FORMS {
            assert_eq!(
                data_dir(&facts(text, other)).as_deref(),
                Ok(expected),
                "{text}"
            );
        }
        let mut unknown = facts("[mariadb-10.5]\ndatadir=/srv/a\n", "");
        unknown.commands.clear();
        assert!(data_dir(&unknown).is_err(), "the version is not known");
    }

    /// `mariadbd` prints its variables with what the option files set.
    #[test]
    fn the_server_itself_reads_them_so() {
        let server = std::path::Path::new("/usr/sbin/mariadbd");
        if !server.exists() {
            println!("SKIPPED: option files of MariaDB: no server is installed");
            return;
        }
        let printed = std::process::Command::new(server)
            .arg("--version")
            .output()
            .unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        if !printed.contains("Ver 10.11.") {
            println!("SKIPPED: option files of MariaDB: the server is not of 10.11: {printed}");
            return;
        }
        for (text, other, expected) in FORMS {
            let folder = tempfile::tempdir().unwrap();
            let at = folder.path().to_str().unwrap();
            let conf = folder.path().join("my.cnf");
            std::fs::create_dir(folder.path().join("d")).unwrap();
            std::fs::write(folder.path().join("d/x.cnf"), other).unwrap();
            std::fs::write(&conf, text.replace("FOLDER", at)).unwrap();
            let option = format!("--defaults-file={}", conf.display());
            let ran = std::process::Command::new(server)
                .args([&option, "--user=mysql", "--verbose", "--help"])
                .output()
                .unwrap();
            let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
            let line = printed.lines().rfind(|line| line.starts_with("datadir "));
            let theirs = line.and_then(|line| line.strip_prefix("datadir "));
            let theirs = theirs.map(|value| plain(value.trim()));
            assert_eq!(theirs.as_deref(), Some(expected), "{text}");
        }
    }
}
