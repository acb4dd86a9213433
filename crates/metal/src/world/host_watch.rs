//! Reads clocks and temperatures while a load runs.

use std::time::Duration;

use stripewise_machine::{CoreReadings, Root};
use stripewise_study::world::Watch;

/// When the first reading is due: fio needs some time to start its jobs.
const FIRST: Duration = Duration::from_millis(500);
/// The interval of readings.
const INTERVAL: Duration = Duration::from_secs(1);

/// Watches a load, and reads once a second when the watch is called anyway.
pub(super) struct HostWatch<'a> {
    root: &'a Root,
    watch: &'a mut dyn Watch,
    due: Duration,
    readings: CoreReadings,
}

impl<'a> HostWatch<'a> {
    /// Watches a load; `watch` may end it.
    pub(super) fn new(root: &'a Root, watch: &'a mut dyn Watch) -> Self {
        Self {
            root,
            watch,
            due: FIRST,
            readings: CoreReadings::default(),
        }
    }

    /// Returns the readings of the load.
    pub(super) fn finish(self) -> CoreReadings {
        self.readings
    }
}

impl Watch for HostWatch<'_> {
    fn next_look(&self, elapsed: Duration) -> Duration {
        self.watch.next_look(elapsed)
    }

    fn keep_going(&mut self, elapsed: Duration) -> bool {
        if elapsed >= self.due {
            self.due = elapsed.saturating_add(INTERVAL);
            self.readings.read(self.root);
        }
        self.watch.keep_going(elapsed)
    }
}
