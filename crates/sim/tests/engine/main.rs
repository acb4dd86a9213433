//! The engine from outside: a study's cell goes in, a sample comes out, and this is what has to hold.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing where something must be has failed"
)]

mod array_map;
mod bounds;
mod conservation;
mod counts;
mod cpu;
mod degraded;
mod determinism;
mod effort;
mod equivalence;
mod failures;
mod hosts;
mod questions;
mod refusals;
mod relations;
mod robustness;
mod shipped_profiles;
mod steady;
mod support;
