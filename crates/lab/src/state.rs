//! The saved state of a booted guest: its memory and devices at the time its agent was ready.
//!
//! Without KVM a boot takes ten seconds of CPU time or more, and it is the same for every study
//! with the same guest, program, clock and memory: the differences are in the first message. So we
//! boot once, and every later guest resumes from the file within a second.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stripewise_study::guest_clock::Clock;
use stripewise_study::world::Watch;

use crate::cache::{Cache, Lock, Part};
use crate::crash_point;
use crate::file_store::FileStore;
use crate::machine::{
    Machine, MachineError, MachineOptions, SAVE, SAVED, StartMode, WATCH_INTERVAL, arguments,
};
use crate::manifest::checksum_of;
use crate::programs::{QEMU, version_of};

/// How long saving may take; usually a second or two.
const SAVE_LIMIT: Duration = Duration::from_secs(120);

/// The result of the search for a state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StateSearch {
    /// A state to resume from.
    State(PathBuf),
    /// No state: the guest must boot.
    None,
    /// The watch cancelled the search.
    Stopped,
}

/// Returns a state that a guest with these options can resume from; if the cache has none, boots a
/// guest and saves it. Returns [`StateSearch::None`] if saving does not pay off or fails (a cache owned
/// by another user, a full disk).
///
/// # Errors
/// If the guest dies, hangs, or violates the protocol before it is saved.
pub(crate) fn state_of(
    cache: &Cache,
    options: &MachineOptions,
    watch: &mut dyn Watch,
) -> Result<StateSearch, MachineError> {
    // With KVM a guest boots in a second. And a guest that a test kills at a given time must run
    // from its boot.
    if options.clock == Clock::Kvm || crash_point::kernel_argument().is_some() {
        return Ok(StateSearch::None);
    }
    let Some(key) = key_of(options) else {
        return Ok(StateSearch::None);
    };
    if let Some(state) = cache.states().find_intact(&key) {
        return Ok(StateSearch::State(state));
    }
    let began = Instant::now();
    loop {
        match cache.try_lock(Part::Runs) {
            Ok(Some(lock)) => return make(cache, &lock, &key, options, watch),
            Ok(None) if !watch.keep_going(began.elapsed()) => return Ok(StateSearch::Stopped),
            // The holder of the lock may be building this state.
            Ok(None) => std::thread::sleep(WATCH_INTERVAL),
            Err(_) => return Ok(StateSearch::None),
        }
    }
}

/// Returns a checksum of everything that a guest's state depends on; `None` if part of it is
/// unknown.
fn key_of(options: &MachineOptions) -> Option<String> {
    let version = version_of(QEMU.call(["--version"]))?;
    let arguments = format!("{:?}", arguments(options, StartMode::Boot));
    // The guest's memory caches parts of both disks and their block addresses. Two images with the
    // same program still differ: each has its own UUID and timestamps.
    let guest = options.prepared.manifest.identity();
    // The lookup has checked the image against this sum.
    let agent = FileStore::recorded_sum(&options.agent_image)?;
    // Its kernel knows the disks and their sizes.
    let shapes = options.held.as_ref().map(|held| held.shapes());
    let held = serde_json::to_string(&shapes).ok()?;
    Some(checksum_of([&*version, &arguments, &guest, &agent, &held]))
}

fn make(
    cache: &Cache,
    lock: &Lock,
    key: &str,
    options: &MachineOptions,
    watch: &mut dyn Watch,
) -> Result<StateSearch, MachineError> {
    let states = cache.states();
    // Another process may have built it meanwhile.
    if let Some(state) = states.find_intact(key) {
        return Ok(StateSearch::State(state));
    }
    let _removed = cache.remove_half_made(lock);
    let Ok(work) = states.work() else {
        return Ok(StateSearch::None);
    };
    let mode = StartMode::BootAndSave(work.path());
    let Ok(mut machine) = Machine::begin(options, mode) else {
        return Ok(StateSearch::None);
    };
    if !machine.until_ready(watch)? {
        return Ok(StateSearch::Stopped);
    }
    let made = mode.state_file();
    let made = made.filter(|made| save(&mut machine, made, watch));
    let kept = made.and_then(|made| states.put(&made, key).ok());
    Ok(kept.map_or(StateSearch::None, StateSearch::State))
}

/// Lets QEMU save a guest and quit; returns whether `state` is complete.
fn save(machine: &mut Machine, state: &Path, watch: &mut dyn Watch) -> bool {
    if std::io::Write::write_all(&mut machine.console(), SAVE).is_err() {
        return false;
    }
    let began = Instant::now();
    while machine.receive(WATCH_INTERVAL).is_ok() {
        let waited = began.elapsed();
        if waited > SAVE_LIMIT || !watch.keep_going(waited) {
            return false;
        }
    }
    machine.console_lines().contains(SAVED) && state.exists()
}
