//! A power cut: what a load had acknowledged, and what came back.
//!
//! A load writes *records* of known content and notes outside of the machine when each was
//! *acknowledged*: the call, or the commit of a database, returned. The power goes at a random
//! moment. Then the stack is brought up again from what its disks held, and every record is read.

use serde::{Deserialize, Serialize};

use stripewise_units::{Bytes, Nanos};

/// Which unflushed writes survive a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Survival {
    /// Any part of them: the cache writes in any order, as drives do.
    #[default]
    Reordered,
    /// The first of them, in the order in which they came.
    InOrder,
    /// None of them.
    Dropped,
    /// All of them, as after a crash of the kernel alone.
    Kept,
    /// The states that are possible, each once, each kind before any kind twice.
    Enumerated,
}

/// When the power goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum CutMoment {
    /// At a random moment after the first acknowledgement.
    #[default]
    Load,
    /// So long after the load has become quiet: a program prints `quiet`.
    Quiet {
        /// How long.
        after_ns: Nanos,
    },
    /// So long after the program has ended with exit code 0.
    End {
        /// How long.
        after_ns: Nanos,
    },
    /// At a random moment until so long after an event: a program prints `event NAME`.
    Event {
        /// How long.
        within_ns: Nanos,
    },
}

impl CutMoment {
    /// Returns whether it is a random moment of the load.
    pub fn is_load(&self) -> bool {
        *self == CutMoment::Load
    }
}

/// How the power of stacks is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOptions {
    /// Which unflushed writes survive.
    pub survival: Survival,
    /// When the power goes.
    #[serde(default, skip_serializing_if = "CutMoment::is_load")]
    pub moment: CutMoment,
    /// How many crash images each recording gives.
    pub images: u32,
    /// The member of the array that fails with the power, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_member: Option<usize>,
    /// Whether to assemble an array that md refuses.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// One power cut, and what was found afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Which recording of the load the crash image was built from. Cuts of one recording are not
    /// independent.
    pub recording: u64,
    /// When the power went, since the load began.
    pub at_ns: Nanos,
    /// The records that were acknowledged by then.
    pub acknowledged: u64,
    /// Their bytes.
    pub acknowledged_bytes: Bytes,
    /// What came back.
    pub outcome: Outcome,
    /// Which of the possible states it was, if they were enumerated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<CutState>,
    /// The fewest writes whose absence still loses data, if that was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<SmallestLoss>,
}

/// One of the states that a recording allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutState {
    /// How many different states there are in which at most one write differs from all or none, over
    /// all moments of the recording.
    pub distinct: u64,
    /// The logarithm to base 2 of the number of all combinations, rounded up: they may be too many for
    /// a number.
    pub combinations_log2: u64,
}

/// A loss made small: what the power cut took in the shortest history that still loses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallestLoss {
    /// The writes that are missing or torn.
    pub lost: Vec<LostWrite>,
    /// The unflushed writes of that moment that survived.
    pub kept: u64,
    /// The writes and flushes of the recording until that moment.
    pub history: u64,
    /// How many further images were read to find it.
    pub tried: u64,
    /// Whether the search ended because every smaller one kept the data.
    pub is_smallest: bool,
}

/// A write that a power cut took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostWrite {
    /// The disk, counted from 0.
    pub disk: u32,
    /// Its number among the writes and flushes of that disk's recording, counted from 1.
    pub number: u64,
    /// Where it was to go.
    pub offset_bytes: u64,
    /// How long it was.
    pub length_bytes: u64,
    /// How much of its beginning survived.
    pub kept_bytes: u64,
    /// Whether a write that came later survived.
    pub is_overtaken: bool,
}

/// What the lost records of a program became.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LostValues {
    /// Not there.
    pub missing: u64,
    /// An earlier acknowledged value of the same record.
    pub old: u64,
    /// The check reported an error at reading.
    pub unreadable: u64,
    /// A value that was never written, without an error.
    pub wrong: u64,
}

/// What came back a power cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// Every record could be looked for.
    CameBack(Loss),
    /// The stack did not come back: its data needs a repair that can lose more.
    Unusable(RecoveryFailure),
    /// Nothing is known: the guest died, or the checker could not read.
    Unknown {
        /// What happened.
        reason: String,
    },
}

/// A stack did not come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveryFailure {
    /// The first step that failed.
    pub step: RecoveryStep,
    /// What it said.
    pub reason: String,
}

/// What acknowledged records became, on a stack that came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Loss {
    /// Acknowledged records that are missing: their place holds an earlier record or none.
    pub records: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// The time from the first acknowledgement that was lost to the cut; 0 if none was.
    pub age_ns: Nanos,
    /// Places that hold what was never written there, returned without an error.
    pub corrupt: u64,
    /// What the lost records of a program became; `None` for other loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<LostValues>,
}

/// A step in which a stack comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryStep {
    /// The array, volume or pool is assembled.
    Assemble,
    /// The filesystem is checked.
    Check,
    /// The filesystem is mounted.
    Mount,
    /// The database starts and recovers.
    Start,
    /// A record cannot be read: an error, as opposed to a wrong content.
    Read,
}

impl Cut {
    /// Returns whether acknowledged records were lost or damaged, or the stack did not come back;
    /// `None` if it is unknown.
    pub fn lost_data(&self) -> Option<bool> {
        match &self.outcome {
            Outcome::CameBack(loss) => Some(loss.records > 0 || loss.corrupt > 0),
            Outcome::Unusable(_) => Some(true),
            Outcome::Unknown { .. } => None,
        }
    }
}
