//! Databases.

use stripewise_message::Message;

use crate::facts::{database_variable, disk_of, has_database, is_rotational, mounted_name};
use crate::mysql::{UPGRADE_INFO, data_dir};
use crate::postgresql::{Cluster, clusters};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use crate::sources::COLLATIONS;

pub(super) const RULES: &[Rule] = &[
    DURABILITY,
    MARIADB_UPGRADE,
    COLLATION,
    PG_NO_BINARIES,
    HDD_DEFAULTS,
];

const DURABILITY: Rule = Rule {
    id: "db.durability",
    severity: Severity::Critical,
    source: "PostgreSQL manual, Write Ahead Log settings, Setting Parameters (names, values, include_dir); MySQL manual, innodb_flush_log_at_trx_commit and innodb_doublewrite",
    proof: Some("stripewise pull-plug pull-plug-database"),
    judge: durability,
    ..Rule::PLAIN
};

fn durability(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    if has_database(facts)? {
        findings = findings.and(mysql_durability(facts));
    }
    let clusters = clusters(facts);
    if clusters.found.is_empty() && clusters.missing.is_empty() {
        crate::layout::family(facts)?;
    }
    for missing in clusters.missing {
        findings.add(Err(missing));
    }
    for cluster in &clusters.found {
        findings = findings.and(Ok(of_cluster(cluster)));
    }
    Ok(findings)
}

/// Judges what decides in a cluster whether a crash damages it.
fn of_cluster(cluster: &Cluster<'_>) -> Findings {
    let keys = [
        ("fsync", true),
        ("full_page_writes", true),
        ("synchronous_commit", false),
    ];
    Findings::each(keys, |(key, is_fatal)| {
        let Some(value) = cluster.off(key)? else {
            return Ok(Verdict::Fine);
        };
        let found = Message::new("found-postgresql")
            .name("name", &cluster.name)
            .name("value", value);
        Ok(match is_fatal {
            true => Verdict::Fail(found),
            false => Verdict::Note(found),
        })
    })
}

fn mysql_durability(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    let doublewrite = database_variable(facts, "innodb_doublewrite")?;
    let mount = super::filesystems::device_of(facts, &data_dir(facts)?)?;
    let copies_on_write = mount.is_some_and(|mount| matches!(mount.kind, "zfs" | "btrfs"));
    let is_torn = matches!(doublewrite, "OFF" | "0") && !copies_on_write;
    findings.add(Ok(Verdict::fail_if(is_torn, || {
        Message::new("found-innodb-doublewrite-off-filesystem")
    })));
    let commit = database_variable(facts, "innodb_flush_log_at_trx_commit")?;
    if commit != "1" {
        findings.add(Ok(Verdict::Note(
            Message::new("found-innodb-flush-log-trx").name("commit", commit),
        )));
    }
    Ok(findings)
}

const MARIADB_UPGRADE: Rule = Rule {
    id: "mariadb.upgrade",
    severity: Severity::High,
    source: "MariaDB Knowledge Base, mariadb-upgrade: the file mysql_upgrade_info; `--check-if-upgrade-is-needed` exits with 0 if it is needed",
    judge: mariadb_upgrade,
    ..Rule::PLAIN
};

fn mariadb_upgrade(facts: &Snapshot) -> Judged {
    if !has_database(facts)? {
        return Ok(Findings::default());
    }
    let printed = facts.command("mariadbd --version")?;
    let version = printed.split("Ver ").nth(1).map(series).unwrap_or_default();
    if version.is_empty() {
        return Err(Missing::new("`mariadbd --version`", "it shows no version"));
    }
    let data = data_dir(facts)?;
    let mut done = None;
    for name in UPGRADE_INFO {
        done = done.or(facts.word(&format!("{data}/{name}"))?);
    }
    let verdict = match done.map(series) {
        None => {
            Verdict::Fail(Message::new("found-mariadb-upgrade-not-run").name("version", version))
        }
        Some(done) => Verdict::fail_if(done != version, || {
            Message::new("found-tables-server")
                .name("done", done)
                .name("version", version)
        }),
    };
    Ok(Findings::each([verdict], Ok))
}

/// Returns `10.11` of `10.11.6-MariaDB`.
fn series(version: &str) -> String {
    let mut parts = version.split(|c: char| !c.is_ascii_digit());
    match (parts.next(), parts.next()) {
        (Some(major), Some(minor)) if !major.is_empty() => format!("{major}.{minor}"),
        _ => String::new(),
    }
}

const COLLATION: Rule = Rule {
    id: "pg.collation",
    severity: Severity::High,
    source: "PostgreSQL wiki, Locale data changes; PostgreSQL manual, ALTER DATABASE ... REFRESH COLLATION VERSION",
    judge: collation,
    ..Rule::PLAIN
};

fn collation(facts: &Snapshot) -> Judged {
    let known = clusters(facts);
    if known.found.is_empty() {
        known.missing.into_iter().try_for_each(Err)?;
        return crate::layout::nothing(facts);
    }
    let clusters = known.found.iter();
    let mut versions: Vec<&str> = clusters.filter_map(|cluster| cluster.version).collect();
    versions.dedup();
    let mut findings = Findings::default();
    if versions.len() > 1 {
        findings.add(Ok(Verdict::Note(
            Message::new("found-clusters-versions").name("versions", versions.join(", ")),
        )));
    }
    let rows = facts.command(COLLATIONS).map(|text| {
        Findings::each(text.lines(), |line| {
            let words: Vec<&str> = line.split('|').collect();
            let [name, recorded, now] = words[..] else {
                return Ok(Verdict::Fine);
            };
            let differs = !recorded.is_empty() && recorded != now;
            Ok(Verdict::fail_if(differs, || {
                Message::new("found-database-collation-library")
                    .name("name", name)
                    .name("recorded", recorded)
                    .name("now", now)
            }))
        })
    });
    Ok(findings.and(rows))
}

const PG_NO_BINARIES: Rule = Rule {
    id: "pg.no-binaries",
    severity: Severity::High,
    source: "pg_upgradecluster(1); Debian release notes, Upgrades of PostgreSQL",
    judge: pg_no_binaries,
    ..Rule::PLAIN
};

fn pg_no_binaries(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    let clusters = clusters(facts);
    if clusters.found.is_empty() && clusters.missing.is_empty() {
        return crate::layout::nothing(facts);
    }
    for missing in clusters.missing {
        findings.add(Err(missing));
    }
    Ok(findings.and(Ok(Findings::each(clusters.found, |cluster| {
        let Some(version) = cluster.version else {
            let why = "only Debian names the version of a cluster, and keeps a server of each";
            return Err(Missing::new(cluster.conf, why));
        };
        let server = format!("/usr/lib/postgresql/{version}/bin/postgres");
        Ok(Verdict::fail_if(!facts.exists(&server)?, || {
            Message::new("found-cluster-there-no")
                .name("name", &cluster.name)
                .name("server", server)
        }))
    }))))
}

const HDD_DEFAULTS: Rule = Rule {
    id: "db.hdd-defaults",
    severity: Severity::Medium,
    source: "MySQL and MariaDB manuals, innodb_buffer_pool_size and innodb_flush_neighbors",
    judge: hdd_defaults,
    ..Rule::PLAIN
};

const POOL_BYTES_DEFAULT: &str = "134217728";
/// The default pool is no finding on a host with less memory.
const MEMORY_KIB_MIN: u64 = 4 << 20;

fn hdd_defaults(facts: &Snapshot) -> Judged {
    if !has_database(facts)? {
        return Ok(Findings::default());
    }
    let memory = facts.need_word("/proc/meminfo")?;
    let memory = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = memory.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    let kib = kib.ok_or_else(|| Missing::new("/proc/meminfo", "it shows no MemTotal"))?;
    let is_default = database_variable(facts, "innodb_buffer_pool_size")? == POOL_BYTES_DEFAULT;
    let mut findings = Findings::default();
    findings.add(Ok(Verdict::fail_if(
        is_default && kib >= MEMORY_KIB_MIN,
        || Message::new("found-innodb-buffer-pool-size").name("kib", kib >> 20),
    )));
    if database_variable(facts, "innodb_flush_neighbors")? == "0"
        && let Some(mount) = super::filesystems::device_of(facts, &data_dir(facts)?)?
        && mount.kind != "zfs"
    {
        let name = mount.device;
        let disk = mounted_name(facts, name).and_then(|name| disk_of(facts, name));
        findings.add(
            disk.and_then(|disk| is_rotational(facts, disk))
                .map(|is_rotational| {
                    Verdict::fail_if(is_rotational, || {
                        Message::new("found-innodb-flush-neighbors-0").name("name", name)
                    })
                }),
        );
    }
    Ok(findings)
}
