//! The order of questions: they wait in turn, light ones do not wait for heavy ones, and abandoned
//! ones are dropped.
//!
//! ```text
//!   light question -------------------------------> workers (2) --> answer
//!   heavy question --> heavy place (1) ----------->     "
//! ```
//!
//! Previews are light and final answers are heavy ([`Weight`]). One heavy question at a time leaves
//! a worker for the light ones. Each connection has one question at a time, and the order is first
//! come, first served. So a page with many questions delays others by one question for each of its
//! connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use stripewise_sim::engine::WATCH_STEPS;
use stripewise_sim::question::Observer;
use stripewise_study::world::Watch;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ask;
use crate::error::{ApiError, Result};

/// The most questions in work at once: the machine may be measuring meanwhile.
const WORKERS_MAX: usize = 2;
/// The most heavy ones among them.
const HEAVY_MAX: usize = WORKERS_MAX - 1;

/// The places for questions in work.
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

/// A place for a question, until it is dropped.
pub(crate) struct Permit {
    _worker: OwnedSemaphorePermit,
    _heavy: Option<OwnedSemaphorePermit>,
}

/// How much a question may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A moment: a preview, or nothing to simulate.
    Light,
    /// As much as the model needs, up to the limit of steps.
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
    /// Waits for a place for a question.
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

    /// Returns how many questions are in work.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        WORKERS_MAX - self.workers.available_permits()
    }
}

/// Waits for one of the places, first come, first served.
pub(crate) async fn acquired(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit> {
    let place = Arc::clone(places).acquire_owned().await;
    place.map_err(|_| ApiError::internal("the server is closing"))
}

/// Marks that a client waits for the answer, until it is dropped with the request.
#[derive(Debug)]
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Returns the watch that ends the simulations of the question once it is abandoned, or after so many
    /// steps.
    pub(crate) fn effort(&self, steps: u64) -> Effort {
        Effort {
            is_wanted: Arc::clone(&self.0),
            steps,
            looks_left: steps / WATCH_STEPS,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Ends the simulations of a question that is abandoned or takes too many steps.
#[derive(Debug)]
pub(crate) struct Effort {
    is_wanted: Arc<AtomicBool>,
    /// The most steps.
    steps: u64,
    /// How often simulations may still ask whether to go on.
    looks_left: u64,
}

impl Effort {
    /// Runs `work`; says so if it took too many steps.
    pub(crate) fn spent_on<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let result = work(self);
        match result.is_err() && self.looks_left == 0 {
            true => Err(self.exceeded()),
            false => result,
        }
    }

    fn exceeded(&self) -> ApiError {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!(
                "no answer within {} million steps of simulation",
                self.steps / 1_000_000
            ),
        )
        .hint("use smaller I/Os, a lower depth or fewer devices; `stripewise predict` has no such limit")
    }
}

impl Watch for Effort {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.looks_left = self.looks_left.saturating_sub(1);
        self.looks_left > 0 && self.is_wanted.load(Ordering::Relaxed)
    }
}

impl Observer for Effort {
    fn simulated(&mut self, _done: u64, _all: u64) {}
}
