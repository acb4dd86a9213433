//! Whether this process was asked to stop: one flag for all programs that it runs and waits for.
//!
//! The command line sets it from the handlers of its signals, and only while a signal must not end the
//! process at once. What undoes changes must not look at it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use stripewise_study::world::Watch;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returns the flag, to set it.
pub fn stop_flag() -> &'static Arc<AtomicBool> {
    &ASKED
}

/// Returns whether this process was asked to stop.
pub fn is_stop_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Cancels as soon as this process is asked to stop.
#[derive(Debug, Clone, Copy)]
pub struct UntilStopped;

impl Watch for UntilStopped {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        !is_stop_asked()
    }
}
