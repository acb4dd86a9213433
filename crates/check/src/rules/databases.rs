//! Databases.

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
    title: "a crash can damage a database, or lose its last commits",
    severity: Severity::Critical,
    reason: "`fsync=off`, `full_page_writes=off` and a doublewrite buffer that is off can leave pages that are half old and half new. `synchronous_commit=off` and `innodb_flush_log_at_trx_commit` 0 or 2 lose about a second, and nothing else.",
    source: "PostgreSQL manual, Write Ahead Log settings, Setting Parameters (names, values, include_dir); MySQL manual, innodb_flush_log_at_trx_commit and innodb_doublewrite",
    fix: "Turn the settings of the first group on again. If commits are too slow, relax `synchronous_commit` or `innodb_flush_log_at_trx_commit=2` instead.",
    risk: "Slower commits.",
    undo: "Put the old value back and reload the server.",
    proof: Some("stripewise pull-plug studies/pull-plug-database.toml"),
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
        let found = format!("PostgreSQL {}: {value}", cluster.name);
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
        "innodb_doublewrite is off on a filesystem that overwrites in place".to_owned()
    })));
    let commit = database_variable(facts, "innodb_flush_log_at_trx_commit")?;
    if commit != "1" {
        findings.add(Ok(Verdict::Note(format!(
            "innodb_flush_log_at_trx_commit = {commit}: a crash loses about 1 s"
        ))));
    }
    Ok(findings)
}

const MARIADB_UPGRADE: Rule = Rule {
    id: "mariadb.upgrade",
    title: "the system tables are those of an older MariaDB",
    severity: Severity::High,
    reason: "Grants, events and statistics fail in odd ways until `mariadb-upgrade` has run.",
    source: "MariaDB Knowledge Base, mariadb-upgrade: the file mysql_upgrade_info; `--check-if-upgrade-is-needed` exits with 0 if it is needed",
    fix: "Dump, then `mariadb-upgrade`.",
    risk: "It checks all tables, which takes long.",
    undo: "Restore the dump.",
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
        None => Verdict::Fail(format!("mariadb-upgrade has not run for {version}")),
        Some(done) => Verdict::fail_if(done != version, || {
            format!("the tables are of {done}, the server is {version}")
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
    title: "text indexes were sorted by another C library, or an old cluster is left",
    severity: Severity::High,
    reason: "A new glibc sorts differently, and indexes over text then miss rows.",
    source: "PostgreSQL wiki, Locale data changes; PostgreSQL manual, ALTER DATABASE ... REFRESH COLLATION VERSION",
    fix: "`REINDEX DATABASE`, then `ALTER DATABASE name REFRESH COLLATION VERSION`.",
    risk: "Long locks.",
    undo: "None needed.",
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
        findings.add(Ok(Verdict::Note(format!(
            "clusters of versions {}",
            versions.join(", ")
        ))));
    }
    let rows = facts.command(COLLATIONS).map(|text| {
        Findings::each(text.lines(), |line| {
            let words: Vec<&str> = line.split('|').collect();
            let [name, recorded, now] = words[..] else {
                return Ok(Verdict::Fine);
            };
            let differs = !recorded.is_empty() && recorded != now;
            Ok(Verdict::fail_if(differs, || {
                format!("database {name}: collation {recorded}, the library has {now}")
            }))
        })
    });
    Ok(findings.and(rows))
}

const PG_NO_BINARIES: Rule = Rule {
    id: "pg.no-binaries",
    title: "a PostgreSQL cluster has no server of its version",
    severity: Severity::High,
    reason: "The upgrade brought a new version and removed the old one: the cluster does not start, and its data is not in the new cluster.",
    source: "pg_upgradecluster(1); Debian release notes, Upgrades of PostgreSQL",
    fix: "Install the old server package again, then `pg_upgradecluster VERSION CLUSTER`.",
    risk: "The upgrade needs space for a second copy.",
    undo: "`pg_dropcluster` the new cluster; the old one stays until you remove it.",
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
            format!("cluster {}: there is no {server}", cluster.name)
        }))
    }))))
}

const HDD_DEFAULTS: Rule = Rule {
    id: "db.hdd-defaults",
    title: "MariaDB runs with the default buffer pool, or SSD settings on a hard disk",
    severity: Severity::Medium,
    reason: "128 MiB of buffer pool make the disk read what memory could hold. Neighbouring pages written together save seeks on a hard disk.",
    source: "MySQL and MariaDB manuals, innodb_buffer_pool_size and innodb_flush_neighbors",
    fix: "The buffer pool first, then the size of the log.",
    risk: "Memory that other programs then lack.",
    undo: "Put the old values back and restart.",
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
        || {
            format!(
                "innodb_buffer_pool_size is the default, 128 MiB, of {} GiB",
                kib >> 20
            )
        },
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
                        format!("innodb_flush_neighbors = 0 on hard disk {name}")
                    })
                }),
        );
    }
    Ok(findings)
}
