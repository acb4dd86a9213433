//! What a design must do, whatever its rate, and what of a design decides it.
//!
//! Some quantities follow from the layout of the stack ([`Quantity::is_known_unsimulated`]); the others
//! are simulated, and only for designs that may be chosen ([`crate::measures`]).

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use stripewise_analysis::lifetime::{Rated, usable_bytes};
use stripewise_analysis::loss::raid10_layout;
use stripewise_study::failure::survived_failures;
use stripewise_study::stack::{Filesystem, Level, Stack};
use stripewise_units::{Bytes, Nanos, as_f64};

/// What a design must do, whatever its rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// Keep all data when so many devices have failed, whichever they are.
    Survive(u64),
    /// Hold so much data.
    Capacity(Bytes),
    /// Make 99 % of the commits durable within this time.
    CommitP99(Nanos),
    /// Last so many years until the device that is written most has reached its rated writes.
    Years(f64),
    /// Rebuild a replaced device within this time, beside the loads.
    Rebuild(Nanos),
    /// Cost no more than this, all devices together.
    Price(f64),
}

/// What a requirement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// How many devices may fail, whichever they are.
    Survived,
    /// The bytes of data that it holds.
    Usable,
    /// The time within which 99 % of the commits are durable, in nanoseconds.
    CommitP99,
    /// The years until the device that is written most has reached its rated writes.
    Years,
    /// The time of a rebuild beside the loads, in nanoseconds.
    Rebuild,
    /// The price of all devices.
    Price,
}

/// A key on the command line.
struct Key {
    name: &'static str,
    is_at_least: bool,
    example: &'static str,
    read: fn(&str) -> Result<Requirement, String>,
}

const KEYS: [Key; 6] = [
    Key {
        name: "survive",
        is_at_least: true,
        example: "survive=1",
        read: |value| match value.parse() {
            Ok(devices) => Ok(Requirement::Survive(devices)),
            Err(_) => Err(format!("`{value}` is not a number of devices")),
        },
    },
    Key {
        name: "capacity",
        is_at_least: true,
        example: "capacity>=900G",
        read: |value| match Bytes::parse(value) {
            Ok(bytes) => Ok(Requirement::Capacity(bytes)),
            Err(error) => Err(error.to_string()),
        },
    },
    Key {
        name: "commit_p99",
        is_at_least: false,
        example: "commit_p99<=5ms",
        read: |value| duration(value).map(Requirement::CommitP99),
    },
    Key {
        name: "years",
        is_at_least: true,
        example: "years>=5",
        read: |value| positive(value).map(Requirement::Years),
    },
    Key {
        name: "rebuild",
        is_at_least: false,
        example: "rebuild<=6h",
        read: |value| duration(value).map(Requirement::Rebuild),
    },
    Key {
        name: "price",
        is_at_least: false,
        example: "price<=400",
        read: |value| positive(value).map(Requirement::Price),
    },
];

fn duration(value: &str) -> Result<Nanos, String> {
    match Nanos::parse(value) {
        Ok(time) if time.as_u64() > 0 => Ok(time),
        Ok(_) => Err(format!("`{value}`: nothing takes no time")),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a number above 0.
///
/// # Errors
/// If the text is no such number.
pub fn positive(value: &str) -> Result<f64, String> {
    match value.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("`{value}` is not a number above 0")),
    }
}

fn known() -> String {
    let examples: Vec<String> = KEYS
        .iter()
        .map(|key| format!("`{}`", key.example))
        .collect();
    let (last, others) = examples.split_last().expect("there are keys");
    format!("{} and {last} can be required", others.join(", "))
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Requirement::Survive(devices) => write!(f, "survive={devices}"),
            Requirement::Capacity(bytes) => write!(f, "capacity>={bytes}"),
            Requirement::CommitP99(time) => write!(f, "commit_p99<={time}"),
            Requirement::Years(years) => write!(f, "years>={years}"),
            Requirement::Rebuild(time) => write!(f, "rebuild<={time}"),
            Requirement::Price(price) => write!(f, "price<={price}"),
        }
    }
}

impl FromStr for Requirement {
    type Err = String;

    /// Reads `capacity>=900G` or `capacity=900G`; the sign must be the one that the key means.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((before, value)) = text.split_once('=') else {
            return Err(format!("`{text}` has no `=`: {}", known()));
        };
        let before = before.trim_end();
        let (name, sign) = match before.strip_suffix(['>', '<']) {
            Some(name) => (name.trim(), before.chars().last()),
            None => (before.trim(), None),
        };
        let Some(key) = KEYS.iter().find(|key| key.name == name) else {
            return Err(format!("`{name}` is not known: {}", known()));
        };
        let meant = match key.is_at_least {
            true => '>',
            false => '<',
        };
        if sign.is_some_and(|sign| sign != meant) {
            let example = key.example;
            return Err(format!(
                "`{name}` is a limit on the other side: write `{example}`"
            ));
        }
        (key.read)(value.trim())
    }
}

impl Requirement {
    /// Returns what it is about.
    pub const fn quantity(self) -> Quantity {
        match self {
            Requirement::Survive(_) => Quantity::Survived,
            Requirement::Capacity(_) => Quantity::Usable,
            Requirement::CommitP99(_) => Quantity::CommitP99,
            Requirement::Years(_) => Quantity::Years,
            Requirement::Rebuild(_) => Quantity::Rebuild,
            Requirement::Price(_) => Quantity::Price,
        }
    }

    /// Returns the limit, in the unit of its quantity.
    pub fn limit(self) -> f64 {
        match self {
            Requirement::Survive(devices) => as_f64(devices),
            Requirement::Capacity(bytes) => as_f64(bytes.as_u64()),
            Requirement::CommitP99(time) | Requirement::Rebuild(time) => as_f64(time.as_u64()),
            Requirement::Years(number) | Requirement::Price(number) => number,
        }
    }

    /// Returns whether its quantity must be at least the limit, not at most.
    pub const fn is_at_least(self) -> bool {
        matches!(
            self,
            Requirement::Survive(_) | Requirement::Capacity(_) | Requirement::Years(_)
        )
    }

    /// Returns whether a value of its quantity meets it; an unknown one does not.
    pub fn is_met_by(self, value: Option<f64>) -> bool {
        let limit = self.limit();
        value.is_some_and(|value| match self.is_at_least() {
            true => value >= limit,
            false => value <= limit,
        })
    }

    /// Returns how many times too little or too much a value is: 1 if it meets the limit, infinite if it
    /// is unknown or 0.
    pub fn times_off(self, value: Option<f64>) -> f64 {
        let limit = self.limit();
        match value {
            Some(_) if self.is_met_by(value) => 1.0,
            Some(value) if value > 0.0 => (value / limit).max(limit / value),
            _ => f64::INFINITY,
        }
    }
}

impl Quantity {
    /// Returns whether the layout of the stack gives it, without a simulation.
    pub const fn is_known_unsimulated(self) -> bool {
        matches!(self, Quantity::Survived | Quantity::Usable)
    }

    /// Returns its value of a stack of these devices, if its layout gives it.
    pub fn of_layout(self, stack: &Stack, rated: &[Rated]) -> Option<f64> {
        match self {
            Quantity::Survived => Some(as_f64(surely_survived(stack))),
            Quantity::Usable => usable_bytes(stack, used(stack, rated)),
            Quantity::CommitP99 | Quantity::Years | Quantity::Rebuild | Quantity::Price => None,
        }
    }
}

/// Returns what is known about the devices of a stack: the first ones of those that there are.
pub fn used<'a>(stack: &Stack, rated: &'a [Rated]) -> &'a [Rated] {
    let count = usize::try_from(stack.device_count()).unwrap_or(usize::MAX);
    &rated[..rated.len().min(count)]
}

/// Returns how many devices may fail, whichever they are, without loss of data.
pub fn surely_survived(stack: &Stack) -> u64 {
    let Some(array) = &stack.array else {
        return survived_by_pool(stack);
    };
    match array.level {
        Level::Raid10 => {
            let copies = raid10_layout(array.layout.as_deref()).map_or(1, |(_, copies)| copies);
            u64::from(copies).saturating_sub(1)
        }
        level => survived_failures(Some(level), stack.device_count()),
    }
}

/// Returns the same of a filesystem that keeps copies or parity itself: zpoolconcepts(7), mkfs.btrfs(8).
fn survived_by_pool(stack: &Stack) -> u64 {
    let Filesystem::Made {
        kind, mkfs, group, ..
    } = &stack.filesystem
    else {
        return 0;
    };
    let last = mkfs.last().map_or("", String::as_str);
    match (kind.as_str(), last) {
        ("zfs", "mirror") => {
            let members = group.map_or(stack.device_count(), |group| u64::from(group.get()));
            members.saturating_sub(1)
        }
        ("zfs", "raidz" | "raidz1") => 1,
        ("zfs", "raidz2") => 2,
        ("zfs", "raidz3") => 3,
        ("btrfs", _) => {
            let data = mkfs.iter().skip_while(|word| *word != "-d").nth(1);
            match data.map(String::as_str) {
                Some("raid1" | "raid10" | "raid5") => 1,
                Some("raid1c3" | "raid6") => 2,
                Some("raid1c4") => 3,
                _ => 0,
            }
        }
        _ => 0,
    }
}
