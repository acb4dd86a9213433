//! What happens beside a load: `sync`, and flushes of the device under test, at a fixed interval.
//!
//! User space flushes a device with `fsync` on its node: `blkdev_fsync` (block/fops.c, 6.1.192 and
//! 6.12.117) writes back what the page cache holds of the node itself, and then sends a flush
//! (`blkdev_issue_flush`). It needs no permission to write, so the node is opened for reading only.
//!
//! The interval counts from the start of fio. A call that takes longer than the interval skips the
//! moments that it misses. The last call ends before the sample does.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use stripewise_machine::Root;
use stripewise_study::conditions::Conditions;
use stripewise_study::facts::Facts;
use stripewise_study::world::WorldError;

use super::problem::MEASURE;

/// What to do beside a load.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    sync_every: Option<Duration>,
    flush_every: Option<Duration>,
    /// The nodes of the devices under test.
    nodes: Vec<File>,
}

/// How often it was done.
#[derive(Debug, Default)]
pub(crate) struct Done {
    syncs: Calls,
    flushes: Calls,
}

#[derive(Debug, Default)]
struct Calls {
    count: u32,
    error: Option<io::Error>,
}

impl Beside {
    /// Opens the devices under test, if they are flushed.
    pub(crate) fn open(
        root: &Root,
        facts: &Facts,
        conditions: &Conditions,
    ) -> Result<Self, WorldError> {
        let target = facts.target.as_ref();
        let devices = target.map_or(&[][..], |target| &target.devices);
        let mut nodes = Vec::new();
        if conditions.flush_every_ns.is_some() {
            for device in devices {
                let node = Path::new("/dev").join(device.replace('!', "/"));
                let opened = File::open(root.real(&node));
                nodes.push(opened.map_err(|error| {
                    let attempted = format!("failed to open `{}` to flush it", node.display());
                    WorldError::failed(attempted, error)
                        .or_hint("run as root, or remove `flush_every`")
                })?);
            }
            if nodes.is_empty() {
                let why = "cannot determine which device to flush";
                let error = WorldError::failed(MEASURE, why);
                return Err(error.or_hint("remove `flush_every`"));
            }
        }
        Ok(Self {
            sync_every: conditions.sync_every_ns.map(Duration::from),
            flush_every: conditions.flush_every_ns.map(Duration::from),
            nodes,
        })
    }

    /// Runs `load`, and the rest beside it.
    pub(crate) fn run<T>(&self, load: impl FnOnce() -> T) -> (T, Done) {
        let flush = || self.nodes.iter().try_for_each(File::sync_all);
        let (stop_syncs, no_more_syncs) = channel();
        let (stop_flushes, no_more_flushes) = channel();
        thread::scope(|scope| {
            let syncs = self
                .sync_every
                .map(|every| scope.spawn(move || repeat(every, &no_more_syncs, sync)));
            let flushes = self
                .flush_every
                .map(|every| scope.spawn(move || repeat(every, &no_more_flushes, flush)));
            let result = load();
            drop((stop_syncs, stop_flushes));
            let done = Done {
                syncs: syncs.map(joined).unwrap_or_default(),
                flushes: flushes.map(joined).unwrap_or_default(),
            };
            (result, done)
        })
    }
}

impl Done {
    /// Returns how often `sync` was called and the devices were flushed.
    ///
    /// # Errors
    /// If a call failed.
    pub(crate) fn counts(&self) -> Result<(u32, u32), WorldError> {
        let Self { syncs, flushes } = self;
        let mut errors = [&syncs.error, &flushes.error].into_iter().flatten();
        match errors.next() {
            Some(error) => Err(WorldError::failed(
                "failed to flush the device beside the load",
                error.to_string(),
            )),
            None => Ok((syncs.count, flushes.count)),
        }
    }
}

fn joined(calls: ScopedJoinHandle<'_, Calls>) -> Calls {
    let calls = calls.join();
    calls.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn sync() -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

/// Calls `act` every `every`, until `stop` is closed or it fails.
fn repeat(every: Duration, stop: &Receiver<()>, act: impl Fn() -> io::Result<()>) -> Calls {
    let begun = Instant::now();
    let mut calls = Calls::default();
    let mut due = every;
    loop {
        let wait = due.saturating_sub(begun.elapsed());
        if stop.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return calls;
        }
        if let Err(error) = act() {
            calls.error = Some(error);
            return calls;
        }
        calls.count = calls.count.saturating_add(1);
        due = next_due(every, begun.elapsed());
    }
}

/// Returns the first multiple of `every` after `elapsed`.
fn next_due(every: Duration, elapsed: Duration) -> Duration {
    let passed = elapsed.as_nanos() / every.as_nanos().max(1);
    let number = u32::try_from(passed).unwrap_or(u32::MAX).saturating_add(1);
    every.saturating_mul(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_study::facts::TargetFacts;
    use stripewise_units::Nanos;

    #[test]
    fn late_calls_skip_the_moments_that_they_miss() {
        let ms = Duration::from_millis;
        assert_eq!(next_due(ms(10), ms(9)), ms(10));
        assert_eq!(next_due(ms(10), ms(10)), ms(20));
        assert_eq!(next_due(ms(10), ms(47)), ms(50));
    }

    #[test]
    fn devices_are_flushed_while_the_load_runs() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        std::fs::create_dir_all(folder.path().join("dev/cciss")).unwrap();
        std::fs::write(folder.path().join("dev/cciss/c0d0"), "").unwrap();
        let facts = |device: &str| Facts {
            target: Some(TargetFacts {
                devices: vec![device.to_owned()],
                ..TargetFacts::default()
            }),
            ..Facts::default()
        };
        let conditions = Conditions {
            flush_every_ns: Some(Nanos::from_millis(10)),
            ..Conditions::default()
        };
        let beside = Beside::open(&root, &facts("cciss!c0d0"), &conditions).unwrap();
        let begin = Instant::now();
        let (result, done) = beside.run(|| {
            thread::sleep(Duration::from_millis(65));
            7
        });
        let most = begin.elapsed().as_millis() / 10 + 1;
        let (syncs, flushes) = done.counts().unwrap();
        assert_eq!((result, syncs), (7, 0));
        // A busy machine may skip some, and sleep longer.
        assert!((1..=most).contains(&u128::from(flushes)), "{flushes}");

        let missing = Beside::open(&root, &facts("sda"), &conditions).unwrap_err();
        assert!(missing.to_string().contains("`/dev/sda`"), "{missing}");
        assert!(missing.hint().unwrap().contains("`flush_every`"));
        let unknown = Beside::open(&root, &Facts::default(), &conditions).unwrap_err();
        assert!(unknown.hint().unwrap().contains("`flush_every`"));
        // Without a condition nothing is opened.
        Beside::open(&root, &facts("sda"), &Conditions::default()).unwrap();
    }

    #[test]
    fn a_call_that_fails_is_an_error() {
        let (_stop, stopped) = channel();
        let calls = repeat(Duration::from_millis(1), &stopped, || {
            Err(io::Error::other("broken"))
        });
        let done = Done {
            flushes: calls,
            ..Done::default()
        };
        let error = done.counts().unwrap_err();
        assert!(error.to_string().contains("flush the device"), "{error}");
    }
}
