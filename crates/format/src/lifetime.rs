//! Converts the table `[lifetime]`, and reports impossible numbers.

use std::ops::RangeInclusive;

use crate::locate::Path;
use crate::raw::LifetimeTable;
use crate::source::{ProblemText, Source};
use stripewise_study::lifetime::Lifetime;

/// The years that can be asked about.
const YEARS: RangeInclusive<u32> = 1..=100;
/// As in device profiles.
const URE_BITS: RangeInclusive<u64> = 1_000_000_000..=1_000_000_000_000_000_000;

/// Returns what the study asks about the years of its stacks; `None` without the table.
pub(crate) fn lifetime(source: &mut Source) -> Option<Lifetime> {
    let path = Path::default().key("lifetime");
    let item = source.root().get("lifetime")?.clone();
    let table: LifetimeTable = source.read(&path, &item)?;
    let years = table.years.unwrap_or(Lifetime::YEARS_DEFAULT);
    let mut ensure = |is_possible: bool, key: &str, range: String| {
        if !is_possible {
            let report = ProblemText::new(format!("`{key}` must be {range}"), "out of range");
            source.problem(&path.key(key), report);
        }
    };
    let of = |range: (u64, u64)| format!("{} to {}", range.0, range.1);
    ensure(
        YEARS.contains(&years),
        "years",
        of(((*YEARS.start()).into(), (*YEARS.end()).into())),
    );
    let bits = table.ure_bits;
    ensure(
        bits.is_none_or(|bits| URE_BITS.contains(&bits)),
        "ure_bits",
        of((*URE_BITS.start(), *URE_BITS.end())),
    );
    let afr = table.afr_percent;
    ensure(
        afr.is_none_or(|percent| percent > 0.0 && percent <= 100.0),
        "afr_percent",
        "above 0 and at most 100".to_owned(),
    );
    Some(Lifetime {
        years,
        writes_per_day_bytes: table.writes_per_day.map(|size| size.0),
        tbw_bytes: table.tbw_bytes.map(|size| size.0),
        afr_percent: afr,
        ure_bits: bits,
    })
}
