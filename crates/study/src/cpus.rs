//! Sets of CPUs, written as the kernel does: `0-3,8`; and sets that depend on which CPUs share a core.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The number of the last CPU that Linux can have (`NR_CPUS` of x86 is 8192 at most).
const CPU_MAX: u32 = 8191;

/// A set of CPUs: never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CpuSet {
    /// First and last of each range, in ascending order, with a gap between two.
    ranges: Vec<(u32, u32)>,
}

/// A text is no set of CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a set of CPUs such as `0-3,8`")]
pub struct NoCpuSet;

impl FromStr for CpuSet {
    type Err = NoCpuSet;

    fn from_str(text: &str) -> Result<Self, NoCpuSet> {
        let number = |text: &str| {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number: Option<u32> = is_plain.then(|| text.parse().ok()).flatten();
            number.filter(|number| *number <= CPU_MAX).ok_or(NoCpuSet)
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let part = part.trim();
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(NoCpuSet);
            }
            ranges.push((first, last));
        }
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => {
                    before.1 = before.1.max(last);
                }
                _ => merged.push((first, last)),
            }
        }
        Ok(Self { ranges: merged })
    }
}

impl TryFrom<String> for CpuSet {
    type Error = NoCpuSet;

    fn try_from(text: String) -> Result<Self, NoCpuSet> {
        text.parse()
    }
}

impl From<CpuSet> for String {
    fn from(cpus: CpuSet) -> Self {
        cpus.to_string()
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// How [`LoadCpus::OnePerCore`] is written.
const ONE_PER_CORE: &str = "one-per-core";
/// How [`LoadCpus::CoresOf`] begins.
const CORES_OF: &str = "cores-of:";

/// The CPUs on which a load runs: numbers, or words that each machine resolves.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum LoadCpus {
    /// These.
    Set(CpuSet),
    /// The first CPU of each core, so that no two share one (SMT).
    OnePerCore,
    /// All CPUs of the cores to which these belong: these and their SMT siblings.
    CoresOf(CpuSet),
}

/// A text names no CPUs of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a set of CPUs such as `0-3,8`, `one-per-core` or `cores-of:0-1`")]
pub struct NoLoadCpus;

impl FromStr for LoadCpus {
    type Err = NoLoadCpus;

    fn from_str(text: &str) -> Result<Self, NoLoadCpus> {
        let text = text.trim();
        let set = |text: &str| text.parse().map_err(|NoCpuSet| NoLoadCpus);
        match text.strip_prefix(CORES_OF) {
            Some(cpus) => Ok(Self::CoresOf(set(cpus)?)),
            None if text == ONE_PER_CORE => Ok(Self::OnePerCore),
            None => Ok(Self::Set(set(text)?)),
        }
    }
}

impl TryFrom<String> for LoadCpus {
    type Error = NoLoadCpus;

    fn try_from(text: String) -> Result<Self, NoLoadCpus> {
        text.parse()
    }
}

impl From<LoadCpus> for String {
    fn from(cpus: LoadCpus) -> Self {
        cpus.to_string()
    }
}

impl fmt::Display for LoadCpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(cpus) => cpus.fmt(f),
            Self::OnePerCore => f.write_str(ONE_PER_CORE),
            Self::CoresOf(cpus) => write!(f, "{CORES_OF}{cpus}"),
        }
    }
}

impl CpuSet {
    /// Returns the numbers of the CPUs, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        let ranges = self.ranges.iter();
        ranges.flat_map(|(first, last)| *first..=*last)
    }

    /// Returns the set of these CPUs; `None` if there are none, or one that Linux cannot have.
    pub fn of(cpus: &[u32]) -> Option<Self> {
        let words: Vec<String> = cpus.iter().map(u32::to_string).collect();
        words.join(",").parse().ok()
    }

    /// Returns whether `cpu` is one of them.
    pub fn contains(&self, cpu: u32) -> bool {
        let mut ranges = self.ranges.iter();
        ranges.any(|(first, last)| (first..=last).contains(&&cpu))
    }

    /// Returns whether all CPUs of `self` are in `other`.
    pub fn is_within(&self, other: &Self) -> bool {
        let is_in = |(first, last): &(u32, u32)| {
            let mut ranges = other.ranges.iter();
            ranges.any(|(least, most)| least <= first && last <= most)
        };
        self.ranges.iter().all(is_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> CpuSet {
        text.parse().unwrap()
    }

    #[test]
    fn sets_are_written_as_the_kernel_does() {
        for (text, written) in [
            ("0", "0"),
            ("8, 0-3", "0-3,8"),
            ("4-5,6,1,0", "0-1,4-6"),
            ("0-3,2-5", "0-5"),
        ] {
            assert_eq!(set(text).to_string(), written);
            assert_eq!(set(written), set(text));
        }
        for text in [
            "",
            "-1",
            "3-1",
            "0-",
            "a",
            "+1",
            "0,,1",
            "8192",
            "99999999999",
        ] {
            assert_eq!(text.parse::<CpuSet>(), Err(NoCpuSet), "{text}");
        }
        assert!(set("8,0-2").numbers().eq([0, 1, 2, 8]));
        assert!(set("1,4-5").is_within(&set("0-6")));
        assert!(!set("1,7").is_within(&set("0-6")));
        assert!(!set("0-3").is_within(&set("0-1,3")));
    }
    #[test]
    fn cpus_of_a_load_are_numbers_or_words() {
        for (text, written) in [
            ("8, 0-3", "0-3,8"),
            (" one-per-core", "one-per-core"),
            ("cores-of: 1,0", "cores-of:0-1"),
        ] {
            let cpus: LoadCpus = text.parse().unwrap();
            assert_eq!(cpus.to_string(), written);
            assert_eq!(written.parse(), Ok(cpus));
        }
        for text in ["", "one-per-core:0", "cores-of:", "cores-of:a", "smt"] {
            assert_eq!(text.parse::<LoadCpus>(), Err(NoLoadCpus), "{text}");
        }
    }
}
