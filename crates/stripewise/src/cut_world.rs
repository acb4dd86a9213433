//! Power cuts on the command line.

use clap::ValueEnum;
use stripewise_study::cut::{CutMoment, Survival};
use stripewise_units::Nanos;

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
    /// Possible states instead of drawn ones, each once: each kind of state before any kind twice
    Enumerated,
}

/// Reads the moment of the cut: `load`, `quiet`, `end` or `event`, with a time behind a colon.
pub(crate) fn moment(text: &str) -> Result<CutMoment, String> {
    let (word, time) = match text.split_once(':') {
        Some((word, time)) => (word, Some(time)),
        None => (text, None),
    };
    let time = time.map(Nanos::parse).transpose();
    let time = time.map_err(|error| error.to_string())?;
    if time.is_some_and(|time| time > MOMENT_MAX) {
        return Err(format!("at most `{MOMENT_MAX}`"));
    }
    match (word, time) {
        ("load", None) => Ok(CutMoment::Load),
        ("quiet", time) => Ok(CutMoment::Quiet {
            after_ns: time.unwrap_or_default(),
        }),
        ("end", time) => Ok(CutMoment::End {
            after_ns: time.unwrap_or_default(),
        }),
        ("event", time) => Ok(CutMoment::Event {
            within_ns: time.unwrap_or(EVENT_DEFAULT),
        }),
        _ => Err("write `load`, `quiet:1s`, `end:30s` or `event:100ms`".to_owned()),
    }
}

/// The longest wait for the cut: the kernel writes back within half a minute.
const MOMENT_MAX: Nanos = Nanos::from_millis(120_000);
/// How long after an event the power may go, unless a time is named.
const EVENT_DEFAULT: Nanos = Nanos::from_millis(100);

impl From<SurvivalName> for Survival {
    fn from(name: SurvivalName) -> Self {
        match name {
            SurvivalName::Reordered => Survival::Reordered,
            SurvivalName::InOrder => Survival::InOrder,
            SurvivalName::Dropped => Survival::Dropped,
            SurvivalName::Kept => Survival::Kept,
            SurvivalName::Enumerated => Survival::Enumerated,
        }
    }
}
