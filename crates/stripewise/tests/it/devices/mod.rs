//! Runs on block devices: they write only to confirmed devices, and leave them empty.
//!
//! They create and check state of the whole machine: mounts, loop devices, directories below `/run`.
//! So they run one at a time (`.config/nextest.toml`).

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::support::Bench;
use stripewise_fixtures::loops::{Loop, has, has_loops};

mod amplified;
mod cuts;
mod destroy;
mod leftovers;
mod programs;
mod stacks;
mod unmounted;

/// Each test searches `/run` for leftovers, where other tests briefly have some.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A bench that no other test uses at the same time.
struct LoneBench {
    bench: Bench,
    _alone: MutexGuard<'static, ()>,
}

impl Deref for LoneBench {
    type Target = Bench;

    fn deref(&self) -> &Bench {
        &self.bench
    }
}

/// Returns a bench and empty devices, if this machine has both and the programs that a test needs.
fn set_up<const COUNT: usize>(
    what: &str,
    size_mib: u64,
    programs: &[&str],
) -> Option<(LoneBench, [Loop; COUNT])> {
    let (bench, loops) = set_up_many(what, COUNT, size_mib, programs)?;
    let devices = loops.try_into().ok();
    Some((bench, devices.expect("as many as were asked for")))
}

/// As [`set_up`], with a number of devices that is only known at run time.
fn set_up_many(
    what: &str,
    count: usize,
    size_mib: u64,
    programs: &[&str],
) -> Option<(LoneBench, Vec<Loop>)> {
    let is_there = has_loops(what) && programs.iter().all(|program| has(program, what));
    let bench = is_there.then(Bench::new).flatten()?;
    // A failed test poisons the lock, but its devices are gone.
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let bench = LoneBench {
        bench,
        _alone: alone,
    };
    Some((bench, (0..count).map(|_| Loop::new(size_mib)).collect()))
}
