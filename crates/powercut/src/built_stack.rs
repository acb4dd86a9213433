//! A stack that was built and stopped, and what came back of it after a cut.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_study::cut::RecoveryFailure;
use stripewise_study::world::Change;

use crate::load::{Changed, Target};
use crate::promise::Found;

/// A stack that was built, laid out and stopped cleanly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltStack {
    /// The changes that built it, in order, as in a journal: they name its devices, arrays and
    /// filesystems.
    pub changes: Vec<Change>,
    /// Where its load writes.
    pub target: Target,
}

impl BuiltStack {
    /// Returns the same stack of devices that have other names now. Only for a stack without array,
    /// volume group and pool.
    #[must_use]
    pub fn renamed(&self, name_now: impl Fn(&Path) -> PathBuf) -> Self {
        let mut standing = self.clone();
        for change in &mut standing.changes {
            match change {
                Change::ClaimedDevice { path, .. } => *path = name_now(path),
                Change::MadeFilesystem { devices, .. } | Change::Mounted { devices, .. } => {
                    devices.iter_mut().for_each(|path| *path = name_now(path));
                }
                _ => {}
            }
        }
        if let Target::Device(path) = &mut standing.target {
            *path = name_now(path);
        }
        standing
    }
}

/// The rows of a database that came back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rows {
    /// Runs of intact records: writer, first and last sequence.
    pub intact: Vec<(u32, u64, u64)>,
    /// How many rows hold what was never written.
    pub broken: u64,
}

impl Rows {
    /// Returns rows of (writer, sequence, whether it is intact), in this order.
    pub fn of(rows: impl IntoIterator<Item = (u32, u64, bool)>) -> Self {
        let mut all = Self::default();
        for (writer, sequence, is_intact) in rows {
            match (is_intact, all.intact.last_mut()) {
                (false, _) => all.broken += 1,
                (true, Some((of, _, last))) if *of == writer && sequence <= *last + 1 => {
                    *last = sequence.max(*last);
                }
                (true, _) => all.intact.push((writer, sequence, sequence)),
            }
        }
        all
    }

    /// Returns whether a record is there, as it was written.
    pub fn has(&self, writer: u32, sequence: u64) -> bool {
        let mut runs = self.intact.iter();
        runs.any(|(of, first, last)| *of == writer && (*first..=*last).contains(&sequence))
    }
}

/// What was found after a cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Recovery {
    /// The stack did not come back.
    #[serde(rename = "not_back")]
    Failed(RecoveryFailure),
    /// Every record was looked for.
    Records {
        /// The places that do not hold the record from before the load.
        changed: Vec<Changed>,
        /// What a full check of the filesystem found wrong.
        damage: Option<String>,
    },
    /// Every row was looked for.
    Rows {
        /// The rows.
        rows: Rows,
        /// What a full check of the database or the filesystem found wrong.
        damage: Option<String>,
    },
    /// The check of a program printed the values that it found.
    Values {
        /// What it found.
        values: Vec<Found>,
        /// What a full check of the filesystem found wrong.
        damage: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_runs_with_gaps_and_broken_ones_are_none() {
        let all = [
            (0, 1, true),
            (0, 2, true),
            (0, 2, true),
            (0, 4, true),
            (0, 5, false),
            (1, 5, true),
            (1, 6, true),
        ];
        let rows = Rows::of(all);
        assert_eq!(rows.intact, [(0, 1, 2), (0, 4, 4), (1, 5, 6)]);
        assert_eq!(rows.broken, 1);
        assert!(rows.has(0, 2) && rows.has(1, 6));
        assert!(!rows.has(0, 3) && !rows.has(0, 5) && !rows.has(2, 1));
    }
}
