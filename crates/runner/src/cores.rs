//! Simulates the cells of a block on all cores. The samples come out in the order of the block, so
//! nothing depends on the number of cores.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, Scope};
use std::time::Duration;

use stripewise_study::cell::Cell;
use stripewise_study::sample::Sample;
use stripewise_study::world::{LOOK_INTERVAL, SampleRequest, Simulator, Watch, WorldError};

type Simulated = Result<Sample, WorldError>;

/// Returns how many simulations run at once.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// The simulations of a block, by their place in it.
pub(crate) struct Simulations<'a> {
    simulator: &'a dyn Simulator,
    wanted: Vec<(&'a Cell, SampleRequest)>,
    /// The place of the next one to begin.
    next: AtomicUsize,
    is_stopped: AtomicBool,
}

impl<'a> Simulations<'a> {
    /// Returns simulations that have not begun.
    pub(crate) fn new(
        simulator: &'a dyn Simulator,
        wanted: Vec<(&'a Cell, SampleRequest)>,
    ) -> Self {
        Self {
            simulator,
            wanted,
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Begins them, on one thread for each core.
    pub(crate) fn begin<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) -> Results {
        let (sender, receiver) = channel();
        for _ in 0..cores().min(self.wanted.len()) {
            let sender = sender.clone();
            scope.spawn(move || self.work(&sender));
        }
        Results {
            receiver,
            early: BTreeMap::new(),
        }
    }

    /// Ends the simulations that run, and begins no more.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn work(&self, sender: &Sender<(usize, Simulated)>) {
        while !self.is_stopped.load(Ordering::Relaxed) {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((cell, request)) = self.wanted.get(place) else {
                return;
            };
            let mut watch = UntilStopped(&self.is_stopped);
            let sample = self.simulator.simulate(cell, request.clone(), &mut watch);
            if sender.send((place, sample)).is_err() {
                return;
            }
        }
    }
}

struct UntilStopped<'a>(&'a AtomicBool);

impl Watch for UntilStopped<'_> {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

/// The results, in any order.
pub(crate) struct Results {
    receiver: Receiver<(usize, Simulated)>,
    /// Those that came before their turn.
    early: BTreeMap<usize, Simulated>,
}

impl Results {
    /// Waits for the result of the simulation at `place`. Calls `look` several times a second; if
    /// that returns `false`, the result is [`WorldError::Interrupted`].
    pub(crate) fn wait(&mut self, place: usize, mut look: impl FnMut() -> bool) -> Simulated {
        loop {
            if let Some(result) = self.early.remove(&place) {
                return result;
            }
            match self.receiver.recv_timeout(LOOK_INTERVAL) {
                Ok((place, result)) => {
                    self.early.insert(place, result);
                }
                Err(RecvTimeoutError::Timeout) if look() => {}
                // A thread that ended early panicked, which the end of the scope reports.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Err(WorldError::Interrupted);
                }
            }
        }
    }
}
