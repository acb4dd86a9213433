//! Who is asked next: questions wait in turn, light ones do not wait for heavy ones, and no question
//! is worked on that nobody waits for.
//!
//! ```text
//!   light question -------------------------------> workers (2) --> answer
//!   heavy question --> the one place for those -->     "
//! ```
//!
//! Previews are light and final answers are heavy ([`Weight`]). One heavy question at a time leaves a
//! worker for the light ones. Each connection has one question at a time and waiters
//! are served in the order in which they came, so a page that asks much delays others by one question
//! for each of its connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use stripewise_diagnose::prediction::Observer;
use stripewise_study::world::Watch;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ask;
use crate::error::{ApiError, Result};

/// Questions that are worked on at once: a machine that is being measured has other things to do.
const WORKERS_MAX: usize = 2;
/// Heavy ones among them.
const HEAVY_MAX: usize = WORKERS_MAX - 1;

/// How many questions may be worked on.
#[derive(Debug)]
pub(crate) struct Permits {
    workers: Arc<Semaphore>,
    heavy: Arc<Semaphore>,
}

impl Default for Permits {
    fn default() -> Self {
        Self {
            workers: Arc::new(Semaphore::new(WORKERS_MAX)),
            heavy: Arc::new(Semaphore::new(HEAVY_MAX)),
        }
    }
}

/// Leave to work on one, until it is dropped.
pub(crate) struct Permit {
    _worker: OwnedSemaphorePermit,
    _heavy: Option<OwnedSemaphorePermit>,
}

/// How long a question may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A moment: a preview, or nothing to simulate.
    Light,
    /// As long as the model needs, up to the deadline.
    Heavy,
}

impl Weight {
    /// Returns the weight of an answer.
    pub(crate) const fn of(stage: ask::Stage) -> Self {
        match stage {
            ask::Stage::Preview => Weight::Light,
            ask::Stage::Final => Weight::Heavy,
        }
    }
}

impl Permits {
    /// Waits until a question may be worked on.
    pub(crate) async fn permit(&self, weight: Weight) -> Result<Permit> {
        let heavy = match weight {
            Weight::Light => None,
            Weight::Heavy => Some(acquired(&self.heavy).await?),
        };
        Ok(Permit {
            _worker: acquired(&self.workers).await?,
            _heavy: heavy,
        })
    }

    /// Returns how many questions are worked on.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        WORKERS_MAX - self.workers.available_permits()
    }
}

/// Waits for one of the places; those who wait get one in the order in which they came.
pub(crate) async fn acquired(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit> {
    let place = Arc::clone(places).acquire_owned().await;
    place.map_err(|_| ApiError::internal("the server is closing"))
}

/// Says that an answer is waited for, until it is dropped with the request.
#[derive(Debug)]
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Returns what ends the simulations of the question when nobody waits for it any more.
    pub(crate) fn effort(&self, limit: Duration) -> Effort {
        Effort {
            is_wanted: Arc::clone(&self.0),
            limit,
            began: Instant::now(),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Ends the simulations of a question that nobody waits for, or that takes too long.
#[derive(Debug)]
pub(crate) struct Effort {
    is_wanted: Arc<AtomicBool>,
    limit: Duration,
    began: Instant,
}

impl Effort {
    /// Does `work` and counts its time; what was spent in a queue is not the question's.
    pub(crate) fn spent_on<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.began = Instant::now();
        let result = work(self);
        match result.is_err() && !self.keep_going(Duration::ZERO) {
            true => Err(self.exceeded()),
            false => result,
        }
    }

    fn exceeded(&self) -> ApiError {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("no answer within {} s of simulation", self.limit.as_secs()),
        )
        .hint("ask about smaller I/Os, fewer of them under way or fewer devices, or ask again when the machine has less to do")
    }
}

impl Watch for Effort {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.is_wanted.load(Ordering::Relaxed) && self.began.elapsed() < self.limit
    }
}

impl Observer for Effort {
    fn simulated(&mut self, _done: u64, _all: u64) {}
}
