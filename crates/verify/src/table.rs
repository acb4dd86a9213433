//! The numbers of agreeing and differing cases, by level and layout.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::case::Case;
use crate::compare::Verdict;
use crate::determined::{Extent, Reason, determined};

/// One row: the cases of a level and layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct AgreementRow {
    /// All cases.
    pub drawn: u64,
    /// All counts are determined and equal.
    pub exact: u64,
    /// Blocks are determined and equal; requests are not determined.
    pub exact_blocks: u64,
    /// The sectors of each member are determined and equal, no more.
    pub exact_sectors: u64,
    /// A direction is not determined; its distance is within the limit, and the determined counts
    /// are equal.
    pub not_determined: u64,
    /// Some determined counts differ.
    pub differs: u64,
}

impl AgreementRow {
    /// Adds the cases of another row.
    pub fn add_all(&mut self, other: &Self) {
        self.drawn += other.drawn;
        self.exact += other.exact;
        self.exact_blocks += other.exact_blocks;
        self.exact_sectors += other.exact_sectors;
        self.not_determined += other.not_determined;
        self.differs += other.differs;
    }

    fn add(&mut self, case: &Case, verdict: &Verdict) {
        self.drawn += 1;
        *match (verdict.agrees(), determined(case).least()) {
            (false, _) => &mut self.differs,
            (true, Extent::Requests) => &mut self.exact,
            (true, Extent::Blocks) => &mut self.exact_blocks,
            (true, Extent::Sectors) => &mut self.exact_sectors,
            (true, Extent::Pages | Extent::Total | Extent::Roughly) => &mut self.not_determined,
        } += 1;
    }
}

/// The rows, and their sum.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Table {
    /// By level and layout.
    pub rows: BTreeMap<String, AgreementRow>,
    /// All together.
    pub all: AgreementRow,
    /// The reasons for undetermined counts, with the number of cases.
    pub because: BTreeMap<Reason, u64>,
}

impl Table {
    /// Adds a case.
    pub fn add(&mut self, case: &Case, verdict: &Verdict) {
        self.rows
            .entry(case.title())
            .or_default()
            .add(case, verdict);
        self.all.add(case, verdict);
        if let Some(reason) = determined(case).because {
            *self.because.entry(reason).or_default() += 1;
        }
    }
}
