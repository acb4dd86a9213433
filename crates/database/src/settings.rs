//! The settings of a database that a study may change: those that decide what a power cut loses.
//!
//! No other setting is passed on: several start programs or name files of the host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::SettingsError;
use crate::kind::Kind;

/// Checked settings of a database, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Settings {
    kind: Kind,
    values: BTreeMap<&'static str, String>,
}

/// A setting that a study may change.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name, as in the database's manual.
    pub name: &'static str,
    allowed: Allowed,
}

/// Settings as they are stored.
#[derive(Serialize, Deserialize)]
struct Unchecked {
    database: Kind,
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

/// The allowed values of a setting.
#[derive(Debug, Clone, Copy)]
enum Allowed {
    OneOf(&'static [&'static str]),
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// A size in bytes from the first to the second, with the database's own units.
    Size(u64, u64),
}

const SWITCH: Allowed = Allowed::OneOf(&["on", "off"]);
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// See "InnoDB System Variables" in MariaDB's manual.
const MARIADB: [Setting; 13] = [
    setting(
        "innodb_flush_log_at_trx_commit",
        Allowed::OneOf(&["0", "1", "2", "3"]),
    ),
    setting("innodb_flush_log_at_timeout", Allowed::Number(0, 2700)),
    setting(
        "innodb_flush_method",
        Allowed::OneOf(&[
            "fsync",
            "O_DSYNC",
            "O_DIRECT",
            "O_DIRECT_NO_FSYNC",
            "littlesync",
            "nosync",
        ]),
    ),
    setting("innodb_doublewrite", SWITCH),
    setting("innodb_flush_neighbors", Allowed::OneOf(&["0", "1", "2"])),
    setting("innodb_use_native_aio", SWITCH),
    setting("innodb_buffer_pool_size", Allowed::Size(8 * MIB, 64 * GIB)),
    setting("innodb_log_file_size", Allowed::Size(4 * MIB, 64 * GIB)),
    setting("innodb_log_buffer_size", Allowed::Size(2 * MIB, GIB)),
    setting("innodb_io_capacity", Allowed::Number(100, 1_000_000)),
    setting("innodb_max_dirty_pages_pct", Allowed::Number(0, 99)),
    setting("log_bin", SWITCH),
    setting("sync_binlog", Allowed::Number(0, 1_000_000)),
];

/// See the chapter "Write Ahead Log" of PostgreSQL's manual. `data_checksums` is set when the data
/// directory is created, the others when the server starts.
const POSTGRESQL: [Setting; 17] = [
    setting(
        "synchronous_commit",
        Allowed::OneOf(&["on", "off", "local", "remote_write", "remote_apply"]),
    ),
    setting("fsync", SWITCH),
    setting("full_page_writes", SWITCH),
    setting(
        "wal_sync_method",
        Allowed::OneOf(&["fdatasync", "fsync", "open_datasync", "open_sync"]),
    ),
    setting("wal_writer_delay", Allowed::Number(1, 10_000)),
    setting("wal_writer_flush_after", Allowed::Size(0, GIB)),
    setting("wal_buffers", Allowed::Size(32 << 10, GIB)),
    setting("wal_compression", SWITCH),
    setting("wal_init_zero", SWITCH),
    setting("wal_recycle", SWITCH),
    setting("commit_delay", Allowed::Number(0, 100_000)),
    setting("commit_siblings", Allowed::Number(0, 1000)),
    setting("checkpoint_timeout", Allowed::Number(30, 86_400)),
    setting("checkpoint_flush_after", Allowed::Size(0, 2 * MIB)),
    setting("max_wal_size", Allowed::Size(32 * MIB, 64 * GIB)),
    setting("shared_buffers", Allowed::Size(128 << 10, 64 * GIB)),
    setting(DATA_CHECKSUMS, SWITCH),
];

/// The setting that is part of a data directory.
pub(crate) const DATA_CHECKSUMS: &str = "data_checksums";

const fn setting(name: &'static str, allowed: Allowed) -> Setting {
    Setting { name, allowed }
}

impl Setting {
    /// Returns the settings of a database that a study may change.
    pub fn of(kind: Kind) -> &'static [Self] {
        match kind {
            Kind::MariaDb => &MARIADB,
            Kind::PostgreSql => &POSTGRESQL,
        }
    }

    /// Returns the allowed values for people.
    pub fn allowed_values(&self, kind: Kind) -> String {
        match self.allowed {
            Allowed::OneOf(values) => values.join(", "),
            Allowed::Number(least, most) => format!("whole numbers from {least} to {most}"),
            Allowed::Size(least, most) => {
                let units: Vec<&str> = units(kind).iter().map(|(unit, _)| *unit).collect();
                let units = units.join(", ");
                format!("sizes from {least} to {most} bytes, with one of the units {units}")
            }
        }
    }

    fn allows(&self, kind: Kind, value: &str) -> bool {
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        match self.allowed {
            Allowed::OneOf(values) => values.contains(&value),
            Allowed::Number(least, most) => {
                let number = is_digits(value).then(|| value.parse::<u64>().ok());
                number
                    .flatten()
                    .is_some_and(|n| (least..=most).contains(&n))
            }
            Allowed::Size(least, most) => units(kind).iter().any(|(unit, bytes)| {
                let digits = value.strip_suffix(unit).filter(|digits| is_digits(digits));
                let number = digits.and_then(|digits| digits.parse::<u64>().ok());
                let size = number.and_then(|number| number.checked_mul(*bytes));
                size.is_some_and(|size| (least..=most).contains(&size))
            }),
        }
    }
}

/// Returns the units of sizes in a database's own settings. A number without a unit would count
/// pages in PostgreSQL and bytes in MariaDB, so it is refused.
fn units(kind: Kind) -> [(&'static str, u64); 3] {
    match kind {
        Kind::MariaDb => [("K", 1 << 10), ("M", MIB), ("G", GIB)],
        Kind::PostgreSql => [("kB", 1 << 10), ("MB", MIB), ("GB", GIB)],
    }
}

impl Settings {
    /// Checks settings by name and value.
    ///
    /// # Errors
    /// [`SettingsError`] with the setting and what is allowed.
    pub fn new<N: AsRef<str>, V: AsRef<str>>(
        kind: Kind,
        asked: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, SettingsError> {
        let known = Setting::of(kind);
        let mut values = BTreeMap::new();
        for (name, value) in asked {
            let (name, value) = (name.as_ref(), value.as_ref());
            let Some(setting) = known.iter().find(|setting| setting.name == name) else {
                let names: Vec<&str> = known.iter().map(|setting| setting.name).collect();
                return Err(SettingsError::Unknown {
                    name: kind.name(),
                    setting: name.to_owned(),
                    allowed: names.join(", "),
                });
            };
            if !setting.allows(kind, value) {
                return Err(SettingsError::Value {
                    setting: setting.name,
                    value: value.to_owned(),
                    allowed: setting.allowed_values(kind),
                });
            }
            values.insert(setting.name, value.to_owned());
        }
        Ok(Self { kind, values })
    }

    /// Returns the database that they are for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the value of a setting, if it is not the database's own.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Returns all settings with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let values = self.values.iter();
        values.map(|(name, value)| (*name, value.as_str()))
    }
}

impl TryFrom<Unchecked> for Settings {
    type Error = SettingsError;

    fn try_from(unchecked: Unchecked) -> Result<Self, SettingsError> {
        Self::new(unchecked.database, unchecked.settings)
    }
}

impl From<Settings> for Unchecked {
    fn from(settings: Settings) -> Self {
        let own = |(name, value): (&'static str, String)| (name.to_owned(), value);
        Self {
            database: settings.kind,
            settings: settings.values.into_iter().map(own).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(kind: Kind, name: &str, value: &str) -> String {
        let refused = Settings::new(kind, [(name, value)]);
        refused.unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_setting_is_refused_with_the_allowed_ones() {
        let text = problem(Kind::PostgreSql, "archive_command", "touch /tmp/x");
        let beginning = "PostgreSQL has no setting `archive_command` here; allowed are synchronous_commit, fsync, ";
        assert!(text.starts_with(beginning), "{text}");
        let text = problem(Kind::MariaDb, "datadir", "/etc");
        assert!(text.contains("no setting `datadir` here"), "{text}");
    }

    #[test]
    fn a_wrong_value_is_refused_with_the_allowed_ones() {
        assert_eq!(
            problem(Kind::MariaDb, "innodb_flush_log_at_trx_commit", "4"),
            "`innodb_flush_log_at_trx_commit = 4`: allowed are 0, 1, 2, 3"
        );
        assert_eq!(
            problem(Kind::PostgreSql, "commit_delay", "-1"),
            "`commit_delay = -1`: allowed are whole numbers from 0 to 100000"
        );
        for size in ["16M", "16", "MB", "1kB", "+16MB", "16 MB", "99999999999GB"] {
            let text = problem(Kind::PostgreSql, "shared_buffers", size);
            assert!(text.ends_with("with one of the units kB, MB, GB"), "{text}");
        }
    }

    #[test]
    fn stored_settings_are_checked_when_they_are_read() {
        let text = r#"{"database":"mariadb","settings":{"innodb_doublewrite":"off"}}"#;
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert_eq!(settings.get("innodb_doublewrite"), Some("off"));
        assert_eq!(serde_json::to_string(&settings).unwrap(), text);
        let foreign = text.replace("mariadb", "postgresql");
        assert!(serde_json::from_str::<Settings>(&foreign).is_err());
    }
}
