//! What a guest can have besides its kernel and tools: ZFS and databases.
//!
//! Each extra names its packages, and which of their dependencies a guest needs. The others are
//! left out: package management, other languages, logins over a network. A program that is linked
//! against a library that was left out gets a stub of it (see `fio_stubs`).

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::manifest::PackageRecord;
use crate::recipe::LEFT_OUT;
use crate::zfs;

/// What a guest can have besides its kernel and tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extra {
    /// The modules and tools of ZFS.
    Zfs,
    /// The server and client of MariaDB.
    MariaDb,
    /// The server and client of PostgreSQL.
    PostgreSql,
}

/// Name prefixes of packages that databases depend on and a guest does not need: several are half
/// as large as the guest itself. What a program is linked against and lacks, it does not call here:
/// collations of ICU, XML, the compiler of expressions, and logins by PAM, Kerberos and LDAP.
pub(crate) const LEFT_OUT_OF_DATABASES: [&str; 20] = [
    "libc-bin",
    "libc-l10n",
    "libjson-perl",
    "libldap",
    "libllvm",
    "libmariadb",
    "libsasl2",
    "libxslt",
    "libz3",
    "locales",
    "mariadb-common",
    "mysql-common",
    "netbase",
    "openssl",
    "postgresql-client-common",
    "postgresql-common",
    "sensible-utils",
    "ssl-cert",
    "tzdata",
    "ucf",
];

impl Extra {
    /// All extras.
    pub const ALL: [Self; 3] = [Self::Zfs, Self::MariaDb, Self::PostgreSql];

    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zfs => "ZFS",
            Self::MariaDb => "MariaDB",
            Self::PostgreSql => "PostgreSQL",
        }
    }

    /// Returns the value of `--with`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Zfs => "zfs",
            Self::MariaDb => "mariadb",
            Self::PostgreSql => "postgresql",
        }
    }

    /// Returns the package of a guest that has its version; ZFS has its own record.
    pub(crate) fn version(self, packages: &[PackageRecord]) -> Option<&str> {
        let is_it = |name: &str| match self {
            Self::Zfs => name == zfs::TOOLS,
            Self::MariaDb => name == "mariadb-server-core",
            // `postgresql-15`; `postgresql` itself is empty.
            Self::PostgreSql => {
                let version = name.strip_prefix("postgresql-");
                version.is_some_and(|version| version.parse::<u32>().is_ok())
            }
        };
        let found = packages.iter().find(|package| is_it(&package.name));
        found.map(|package| package.version.as_str())
    }

    /// Returns its packages.
    pub(crate) fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Zfs => &[zfs::TOOLS],
            Self::MariaDb => &["mariadb-server-core", "mariadb-client-core"],
            Self::PostgreSql => &["postgresql"],
        }
    }

    /// Returns whether the guest needs a package that the extra depends on.
    pub(crate) fn needs(self, package: &str) -> bool {
        let is_in = |prefixes: &[&str]| prefixes.iter().any(|prefix| package.starts_with(prefix));
        match self {
            Self::Zfs => !is_in(&LEFT_OUT) || zfs::KEPT.contains(&package),
            Self::MariaDb | Self::PostgreSql => {
                !is_in(&LEFT_OUT) && !is_in(&LEFT_OUT_OF_DATABASES) && package != "postgresql"
            }
        }
    }

    /// Returns its programs that must find all their libraries, in the unpacked guest at `root`.
    pub(crate) fn programs(self, root: &Path) -> Vec<PathBuf> {
        let names: &[&str] = match self {
            Self::Zfs => &["usr/sbin/zpool"],
            Self::MariaDb => &["usr/sbin/mariadbd", "usr/bin/mariadb"],
            Self::PostgreSql => {
                let directory = postgresql_programs(root);
                let names = ["initdb", "postgres", "psql"];
                return names.map(|name| directory.join(name)).to_vec();
            }
        };
        names.iter().map(|name| root.join(name)).collect()
    }

    /// Returns the files that are linked against libraries that a guest does not need.
    pub(crate) fn stubbed(self, root: &Path, libraries: &Path) -> Vec<PathBuf> {
        match self {
            Self::Zfs => vec![libraries.join(zfs::XDR_LIBRARY)],
            Self::MariaDb => vec![root.join("usr/sbin/mariadbd")],
            Self::PostgreSql => vec![
                postgresql_programs(root).join("postgres"),
                libraries.join("libpq.so.5"),
            ],
        }
    }
}

impl fmt::Display for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// Returns the options of `lab prepare` for these extras, with a space before each.
pub(crate) fn options(extras: &BTreeSet<Extra>) -> String {
    let options = extras.iter().map(|extra| format!(" --with {extra}"));
    options.collect()
}

/// Returns the directory of PostgreSQL's programs, which has its version in its path.
fn postgresql_programs(root: &Path) -> PathBuf {
    let versions = root.join("usr/lib/postgresql");
    let found = std::fs::read_dir(&versions).into_iter().flatten().flatten();
    let found = found.map(|entry| entry.path().join("bin"));
    found.max().unwrap_or(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extra_leaves_out_what_its_programs_do_not_call() {
        for (extra, package, is_needed) in [
            (Extra::Zfs, "libtirpc3", true),
            (Extra::MariaDb, "libtirpc3", false),
            (Extra::MariaDb, "liburing2", true),
            (Extra::PostgreSql, "postgresql-15", true),
            (Extra::PostgreSql, "postgresql", false),
            (Extra::PostgreSql, "postgresql-common", false),
            (Extra::PostgreSql, "libpq5", true),
            (Extra::PostgreSql, "libicu72", false),
            (Extra::PostgreSql, "libllvm14", false),
        ] {
            assert_eq!(extra.needs(package), is_needed, "{extra} {package}");
        }
    }

    #[test]
    fn the_version_of_postgresql_is_that_of_its_numbered_package() {
        let record = |name: &str, version: &str| PackageRecord {
            name: name.to_owned(),
            version: version.to_owned(),
            file: crate::manifest::Checksum {
                bytes: 0,
                sha256: String::new(),
            },
        };
        let packages = [
            record("postgresql-client-15", "1"),
            record("postgresql-15", "15.18"),
        ];
        assert_eq!(Extra::PostgreSql.version(&packages), Some("15.18"));
        assert_eq!(Extra::MariaDb.version(&packages), None);
    }
}
