//! A guest that has booted, as a file: its memory and its devices when its agent was ready.
//!
//! Without KVM a boot takes ten seconds of a processor or more, and it is the same for every study with
//! the same guest, program, clock and memory: what differs is in the first message. So it is done
//! once, and every later guest goes on from the file within a second.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stripewise_study::world::Watch;

use crate::cache::{Cache, Lock};
use crate::clock::Clock;
use crate::crash_point;
use crate::machine::{
    Beginning, Machine, MachineError, MachineOptions, SAVE, SAVED, WATCH_INTERVAL, arguments,
};
use crate::manifest::checksum_of;
use crate::programs::{QEMU, version_of};
use crate::shelf::Shelf;

/// How long saving may take; a second or two is common.
const SAVE_LIMIT: Duration = Duration::from_secs(120);

/// What there is for a guest to begin with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// This state.
    State(PathBuf),
    /// Nothing: it must boot.
    None,
    /// The watch wants no guest.
    Stopped,
}

/// Returns a state that a guest with these options can go on from; if there is none, one boots and is
/// saved. Where that is not worth it or cannot be done (a cache that others own, a disk that is full),
/// there is none.
///
/// # Errors
/// If the guest dies, hangs, or talks nonsense before it can be saved.
pub(crate) fn state_of(
    cache: &Cache,
    options: &MachineOptions,
    watch: &mut dyn Watch,
) -> Result<Found, MachineError> {
    // On this machine's own processor a guest boots in a second; and one that a test lets end at some
    // moment of its life has to live it.
    if options.clock == Clock::Kvm || crash_point::kernel_argument().is_some() {
        return Ok(Found::None);
    }
    let Some(key) = key_of(options) else {
        return Ok(Found::None);
    };
    if let Some(state) = cache.states().whole(&key) {
        return Ok(Found::State(state));
    }
    let began = Instant::now();
    loop {
        match cache.try_lock() {
            Ok(Some(lock)) => return make(cache, &lock, &key, options, watch),
            Ok(None) if !watch.keep_going(began.elapsed()) => return Ok(Found::Stopped),
            // It may be this very state that is being made.
            Ok(None) => std::thread::sleep(WATCH_INTERVAL),
            Err(_) => return Ok(Found::None),
        }
    }
}

/// Returns a checksum of everything that a guest's state depends on; nothing if that cannot be told.
fn key_of(options: &MachineOptions) -> Option<String> {
    let version = version_of(QEMU.call(["--version"]))?;
    let arguments = format!("{:?}", arguments(options, Beginning::Boot));
    // Parts of both disks are in the guest's memory, and where the rest of them is. Two disks with the
    // same program are not the same: each has a UUID and times of its own.
    let guest = options.prepared.manifest.identity();
    // It was compared with this sum when the image was looked up.
    let agent = Shelf::made_as(&options.agent_image)?;
    Some(checksum_of([&*version, &arguments, &guest, &agent]))
}

fn make(
    cache: &Cache,
    lock: &Lock,
    key: &str,
    options: &MachineOptions,
    watch: &mut dyn Watch,
) -> Result<Found, MachineError> {
    let states = cache.states();
    // Another one may have made it meanwhile.
    if let Some(state) = states.whole(key) {
        return Ok(Found::State(state));
    }
    let _removed = cache.remove_half_made(lock);
    let Ok(work) = states.work() else {
        return Ok(Found::None);
    };
    let beginning = Beginning::ToBeSaved(work.path());
    let Ok(mut machine) = Machine::begin(options, beginning) else {
        return Ok(Found::None);
    };
    if !machine.until_ready(watch)? {
        return Ok(Found::Stopped);
    }
    let made = beginning.state_file();
    let made = made.filter(|made| save(&mut machine, made, watch));
    let kept = made.and_then(|made| states.put(&made, key).ok());
    Ok(kept.map_or(Found::None, Found::State))
}

/// Lets QEMU save a guest and end; returns whether `state` is whole.
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
