//! The two rules of thumb that stand beside an advice: what calculators compute, and what is usually
//! advised. Both take the simplest of what is equal to them, as the advice does.

use stripewise_sim::race::weighted_mean;
use stripewise_study::cell::Cell;
use stripewise_study::sample::as_f64;
use stripewise_study::stack::{Filesystem, Level, Stack};

use crate::advise::Asked;
use crate::simplicity::{doublings, has_default_layout};

/// Returns which of `admitted` the calculators on the web name: the most devices over the penalty of a
/// write, for any load. `None` if there is none.
pub fn calculated(asked: &Asked<'_>, admitted: &[usize]) -> Option<usize> {
    let score = |design: usize| {
        let cells = asked.designs[design].iter().zip(asked.weights);
        weighted_mean(cells.map(|(cell, weight)| (iops_in_devices(cell), *weight)))
    };
    let most = admitted.iter().map(|design| score(*design));
    let most = most.fold(0.0, f64::max);
    let best = admitted.iter().copied();
    let best = best.filter(|design| score(*design) >= most);
    best.min_by(|one, other| asked.by_simplicity(*one, *other))
}

/// Returns the IOPS of a cell in those of one device, as calculators compute them: the number of devices
/// over the share of reads plus that of writes times their penalty.
pub fn iops_in_devices(cell: &Cell) -> f64 {
    let load = &cell.workload.load;
    let reads = match (load.pattern.reads(), load.pattern.writes()) {
        (true, false) => 1.0,
        (false, _) => 0.0,
        (true, true) => f64::from(load.read_percent.unwrap_or(50)) / 100.0,
    };
    as_f64(cell.stack.device_count()) / (reads + (1.0 - reads) * penalty(&cell.stack))
}

/// Returns how many I/Os of devices a write costs in such a calculator.
fn penalty(stack: &Stack) -> f64 {
    if let Some(array) = &stack.array {
        return match array.level {
            Level::Linear | Level::Raid0 => 1.0,
            Level::Raid1 | Level::Raid10 => 2.0,
            Level::Raid4 | Level::Raid5 => 4.0,
            Level::Raid6 => 6.0,
        };
    }
    match pool_word(stack) {
        "mirror" | "raid1" | "raid10" => 2.0,
        "raidz" | "raidz1" | "raid5" => 4.0,
        "raidz2" | "raid6" => 6.0,
        "raidz3" => 8.0,
        _ => 1.0,
    }
}

/// Returns the word of a pool's redundancy; empty without one.
fn pool_word(stack: &Stack) -> &str {
    match &stack.filesystem {
        Filesystem::Made { mkfs, .. } => mkfs.last().map_or("", String::as_str),
        Filesystem::None | Filesystem::Existing => "",
    }
}

/// Returns which of `admitted` is usually advised: RAID 10 with mdadm's defaults, or the nearest to it.
/// `None` if there is none.
pub fn usual(asked: &Asked<'_>, admitted: &[usize]) -> Option<usize> {
    let rank = |design: &usize| {
        let stack = &asked.designs[*design][0].stack;
        let level = stack.array.as_ref().map(|array| array.level);
        let kind = match (level, pool_word(stack)) {
            (Some(Level::Raid10), _) | (None, "raid10" | "mirror") => 0,
            (Some(Level::Raid1), _) | (None, "raid1") => 1,
            _ => 2,
        };
        (kind, !has_default_layout(stack), doublings(stack))
    };
    let best = admitted.iter().copied();
    best.min_by(|one, other| {
        let order = rank(one).cmp(&rank(other));
        order.then_with(|| asked.by_simplicity(*one, *other))
    })
}
