//! What is written while the power is cut: records in files and on devices, or transactions.

use serde::{Deserialize, Serialize};
use stripewise_database::Settings;
use stripewise_powercut::load::Load;
use stripewise_study::program::Program;

/// The load on a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DurabilityLoad {
    /// Records in files, or on a block device.
    Records(Load),
    /// Transactions in a database.
    Database(DatabaseLoad),
    /// A program of the user's.
    Program(Program),
}

/// Transactions in a database, of one record each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseLoad {
    /// Which database, and its settings.
    pub settings: Settings,
    /// The content of its records.
    pub load: stripewise_database::Load,
    /// How many clients commit at once.
    pub writers: u32,
}

impl DurabilityLoad {
    /// Returns the bytes of each record; 0 if each has its own size.
    pub fn record_bytes(&self) -> u32 {
        match self {
            DurabilityLoad::Records(load) => load.record_bytes,
            DurabilityLoad::Database(work) => work.load.payload_bytes,
            DurabilityLoad::Program(_) => 0,
        }
    }
}
