//! Power cuts on the command line.

use clap::ValueEnum;
use stripewise_study::cut::Survival;

/// The most cuts of a setting.
pub(crate) const CUTS_MAX: u32 = 10_000;

/// Which unflushed writes survive, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SurvivalName {
    /// Any part of them, in any order, torn at sectors: what a drive may do
    Reordered,
    /// The first of them: a cache that writes in order
    InOrder,
    /// None: a cache that has written nothing by itself
    Dropped,
    /// All: a crash of the kernel, with the drives still powered
    Kept,
}

impl From<SurvivalName> for Survival {
    fn from(name: SurvivalName) -> Self {
        match name {
            SurvivalName::Reordered => Survival::Reordered,
            SurvivalName::InOrder => Survival::InOrder,
            SurvivalName::Dropped => Survival::Dropped,
            SurvivalName::Kept => Survival::Kept,
        }
    }
}
