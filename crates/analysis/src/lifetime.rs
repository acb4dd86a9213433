//! What a stack costs over its life: the share of its capacity that holds data, the wear of its
//! devices under a load, the time of a rebuild, and the chance of losing data ([`crate::loss`]).
//!
//! Nothing is guessed: what depends on a missing number is missing, with the reason. Of unlike
//! devices the worst rating counts, and of all members the one that is written most.

use serde::Serialize;
use stripewise_message::Message;
use stripewise_study::cell::Cell;
use stripewise_study::failure::Replacement;
use stripewise_study::lifetime::Lifetime;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::stack::{Filesystem, Level, Stack, Volume};

use crate::loss::{Groups, Rates, loss_chance, raid10_layout, unreadable_chance};
use crate::timeline::timeline;

const DAYS_PER_YEAR: f64 = 365.25;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// What is known about one device of a stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rated {
    /// Its size.
    pub capacity_bytes: u64,
    /// The bytes that may be written to it in its life.
    pub tbw_bytes: Option<u64>,
    /// The share of such devices that fail in a year, in percent.
    pub afr_percent: Option<f64>,
    /// The bits read for each sector that cannot be read.
    pub ure_bits: Option<u64>,
}

/// Why a number of a cell is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    /// The devices are not known, or a filesystem distributes the data.
    Stack,
    /// The copies of the layout do not lie in separate mirrors.
    Layout,
    /// Neighbours write, too, and the run does not say how much.
    Neighbours,
    /// No cell with the same load rebuilds a new device.
    Rebuild,
    /// No rating of the bytes that may be written.
    WriteRating,
    /// No rating of failures.
    FailureRating,
    /// No rating of sectors that cannot be read.
    ReadErrorRating,
}

impl Unknown {
    /// Returns whether it is about the wear of devices, which a load alone decides.
    pub const fn is_of_wear(self) -> bool {
        matches!(
            self,
            Unknown::Stack | Unknown::Neighbours | Unknown::WriteRating
        )
    }

    /// Returns the reason, and what would remove it.
    pub fn message(self) -> Message {
        Message::new(match self {
            Unknown::Stack => "lifetime-unknown-stack",
            Unknown::Layout => "lifetime-unknown-layout",
            Unknown::Neighbours => "lifetime-unknown-neighbours",
            Unknown::Rebuild => "lifetime-unknown-rebuild",
            Unknown::WriteRating => "lifetime-unknown-write-rating",
            Unknown::FailureRating => "lifetime-unknown-failure-rating",
            Unknown::ReadErrorRating => "lifetime-unknown-read-error-rating",
        })
    }
}

/// What a cell's stack costs over its life under the cell's load.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CellLifetime {
    /// The share of the devices' capacity that holds data.
    pub capacity_share: Option<f64>,
    /// Whether neighbours write, too: the loads are then counted together.
    #[serde(skip)]
    pub has_neighbours: bool,
    /// The bytes written to all devices for each byte that the load and its neighbours write; `None` if
    /// they write none.
    pub written_per_byte: Option<f64>,
    /// The same of the member that is written most.
    pub member_written_per_byte: Option<f64>,
    /// The years until that member has reached its rated writes, at the daily volume.
    pub years_to_rating: Option<f64>,
    /// The days until then at the speed of the sample.
    pub days_to_rating_at_full_speed: Option<f64>,
    /// How long the rebuild of a new device takes beside the load.
    pub rebuild_s: Option<f64>,
    /// The chance that the rebuild meets a sector that cannot be read, with no redundancy left.
    pub unreadable_chance: Option<f64>,
    /// The chance of losing data within the years.
    pub loss_chance: Option<f64>,
    /// Why something is unknown.
    pub unknown: Vec<Unknown>,
}

/// A cell with its samples that count.
#[derive(Debug, Clone)]
pub struct Counted<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Its samples that count.
    pub samples: Vec<&'a Sample>,
}

/// Returns the life of the cell `index` of `cells`; `None` if a device fails in it, as the life of a
/// stack belongs to its whole cells. `rated` has one entry for each device of its stack.
pub fn lifetime(
    asked: &Lifetime,
    cells: &[Counted],
    index: usize,
    rated: &[Rated],
) -> Option<CellLifetime> {
    let counted = cells.get(index)?;
    if counted.cell.conditions.failure.is_some() || counted.samples.is_empty() {
        return None;
    }
    let mut life = CellLifetime::default();
    let rated: Vec<Rated> = rated.iter().map(|device| stated(asked, device)).collect();
    wear(&mut life, asked, counted, &rated);
    risk(&mut life, asked, cells, counted, &rated);
    life.unknown.sort_unstable();
    life.unknown.dedup();
    Some(life)
}

/// Returns the ratings of a device; those of the study count first.
fn stated(asked: &Lifetime, device: &Rated) -> Rated {
    Rated {
        capacity_bytes: device.capacity_bytes,
        tbw_bytes: asked.tbw_bytes.map(|it| it.as_u64()).or(device.tbw_bytes),
        afr_percent: asked.afr_percent.or(device.afr_percent),
        ure_bits: asked.ure_bits.or(device.ure_bits),
    }
}

/// Returns the smallest of the values that every device has.
fn least<T: PartialOrd + Copy>(rated: &[Rated], value: impl Fn(&Rated) -> Option<T>) -> Option<T> {
    let all: Option<Vec<T>> = rated.iter().map(value).collect();
    all?.into_iter()
        .reduce(|left, right| if right < left { right } else { left })
}

/// Adds the wear of the devices.
fn wear(life: &mut CellLifetime, asked: &Lifetime, counted: &Counted, rated: &[Rated]) {
    let samples = &counted.samples;
    let sum = |value: &dyn Fn(&Sample) -> f64| samples.iter().map(|it| value(it)).sum::<f64>();
    let has_neighbours = !counted.cell.workload.neighbours.is_empty();
    let is_unknown = |it: &&Sample| it.neighbours_write_bytes.is_none();
    if has_neighbours && samples.iter().any(is_unknown) {
        life.unknown.push(Unknown::Neighbours);
        return;
    }
    let beside = |sample: &Sample| sample.neighbours_write_bytes.map_or(0, |it| it.as_u64());
    let written = sum(&|sample| as_f64(sample.write.bytes.as_u64()) + as_f64(beside(sample)));
    if written <= 0.0 {
        return;
    }
    life.has_neighbours = has_neighbours;
    if rated.is_empty() || samples.iter().any(|it| it.devices.len() != rated.len()) {
        life.unknown.push(Unknown::Stack);
        return;
    }
    let of_member = |member: usize| {
        sum(&|sample| as_f64(sample.devices[member].write_bytes.as_u64())) / written
    };
    let members: Vec<f64> = (0..rated.len()).map(of_member).collect();
    let most = members.iter().copied().fold(0.0, f64::max);
    life.written_per_byte = Some(members.iter().sum());
    life.member_written_per_byte = Some(most);
    let Some(rating) = least(rated, |device| device.tbw_bytes) else {
        life.unknown.push(Unknown::WriteRating);
        return;
    };
    // Buffered data that no device has seen yet wears none.
    let Some(load_bytes) = (most > 0.0).then(|| as_f64(rating) / most) else {
        return;
    };
    let seconds = sum(&|sample| sample.elapsed_ns.as_secs_f64());
    life.days_to_rating_at_full_speed = Some(load_bytes / (written / seconds) / SECONDS_PER_DAY);
    let daily = asked.writes_per_day_bytes;
    life.years_to_rating = daily.map(|daily| load_bytes / as_f64(daily.as_u64()) / DAYS_PER_YEAR);
}

/// Adds the capacity, the rebuild and the chance of a loss.
fn risk(
    life: &mut CellLifetime,
    asked: &Lifetime,
    cells: &[Counted],
    counted: &Counted,
    rated: &[Rated],
) {
    let stack = &counted.cell.stack;
    let Some(used) = used_bytes(stack, rated) else {
        life.unknown.push(Unknown::Stack);
        return;
    };
    life.capacity_share = capacity_share(stack, &used);
    let groups = match groups(stack, rated.len()) {
        Ok(groups) => groups,
        Err(unknown) => {
            life.unknown.push(unknown);
            return;
        }
    };
    let afr = rated.iter().map(|device| device.afr_percent);
    let afr: Option<f64> = afr.reduce(|left, right| Some(left?.max(right?))).flatten();
    life.unknown
        .extend(afr.is_none().then_some(Unknown::FailureRating));
    let member = used.iter().copied().fold(0.0, f64::max);
    let mut rates = Rates {
        failures_per_year: afr.unwrap_or_default() / 100.0,
        rebuild_years: 0.0,
        unreadable: 0.0,
    };
    if groups.survives > 0 {
        life.rebuild_s = rebuild_seconds(cells, counted.cell, member);
        life.unknown
            .extend(life.rebuild_s.is_none().then_some(Unknown::Rebuild));
        let read = member * f64::from(groups.read_by_last_rebuild());
        let bits = least(rated, |device| device.ure_bits);
        life.unreadable_chance = bits.map(|bits| unreadable_chance(read, as_f64(bits)));
        life.unknown
            .extend(bits.is_none().then_some(Unknown::ReadErrorRating));
        let (Some(seconds), Some(unreadable)) = (life.rebuild_s, life.unreadable_chance) else {
            return;
        };
        rates.rebuild_years = seconds / SECONDS_PER_DAY / DAYS_PER_YEAR;
        rates.unreadable = unreadable;
    }
    life.loss_chance = afr.map(|_| loss_chance(groups, &rates, f64::from(asked.years)));
}

/// Returns the bytes of data that a stack holds; `None` if that is unknown. `rated` has one entry for
/// each of its devices.
pub fn usable_bytes(stack: &Stack, rated: &[Rated]) -> Option<f64> {
    let used = used_bytes(stack, rated)?;
    Some(capacity_share(stack, &used)? * used.iter().sum::<f64>())
}

/// Returns how much of each device the stack uses; `None` if that is unknown.
fn used_bytes(stack: &Stack, rated: &[Rated]) -> Option<Vec<f64>> {
    if rated.is_empty() || (stack.array.is_none() && is_pool(stack) && rated.len() > 1) {
        return None;
    }
    let array = stack.array.as_ref();
    let size = array.and_then(|array| array.size_bytes);
    let of_device = |device: &Rated| {
        let size = size.map_or(u64::MAX, |size| size.as_u64());
        as_f64(device.capacity_bytes.min(size))
    };
    Some(rated.iter().map(of_device).collect())
}

/// Returns whether a filesystem distributes data over devices itself.
fn is_pool(stack: &Stack) -> bool {
    let is_alone = !matches!(stack.volume, Some(Volume::Linear | Volume::Striped { .. }));
    is_alone && !matches!(stack.filesystem, Filesystem::None)
}

/// Returns the share of the used capacity that holds data.
fn capacity_share(stack: &Stack, used: &[f64]) -> Option<f64> {
    let Some(array) = &stack.array else {
        return Some(1.0);
    };
    let least = used.iter().copied().fold(f64::INFINITY, f64::min);
    let all: f64 = used.iter().sum();
    let count = as_f64(used.len() as u64);
    let data = match array.level {
        Level::Linear | Level::Raid0 => all,
        Level::Raid1 => least,
        Level::Raid4 | Level::Raid5 => (count - 1.0) * least,
        Level::Raid6 => (count - 2.0) * least,
        Level::Raid10 => {
            let (_, copies) = raid10_layout(array.layout.as_deref())?;
            count * least / f64::from(copies.max(1))
        }
    };
    Some(data / all)
}

/// Returns how the devices hold each other's data.
fn groups(stack: &Stack, devices: usize) -> Result<Groups, Unknown> {
    let devices = u32::try_from(devices).map_err(|_| Unknown::Stack)?;
    match &stack.array {
        Some(array) => Groups::of_array(array, devices).ok_or(Unknown::Layout),
        None => Ok(Groups::without_redundancy(devices)),
    }
}

/// Returns how long the rebuild of a whole member of `member` bytes takes in the cells that differ
/// from `cell` in their failure only; the longest.
fn rebuild_seconds(cells: &[Counted], cell: &Cell, member: f64) -> Option<f64> {
    let rebuilds = cells.iter().filter(|other| {
        let failure = other.cell.conditions.failure.as_ref();
        let repair = failure.and_then(|failure| failure.repair);
        let whole = stripewise_study::conditions::Conditions {
            failure: None,
            ..other.cell.conditions.clone()
        };
        repair.is_some_and(|repair| repair.with == Replacement::New)
            && other.cell.stack == cell.stack
            && other.cell.workload == cell.workload
            && whole == cell.conditions
    });
    let seconds = rebuilds.filter_map(|other| {
        let rebuild = timeline(other.samples.iter().copied())?.rebuild?;
        Some(match rebuild.speed_bytes_per_s {
            Some(speed) => member / speed.value,
            None => rebuild.time_ns.value / 1e9,
        })
    });
    seconds.reduce(f64::max)
}

#[cfg(test)]
#[path = "lifetime_tests.rs"]
mod tests;
