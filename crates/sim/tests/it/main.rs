//! Tests of the engine through its API: a study's cell goes in, and a sample comes out.

#![expect(clippy::unwrap_used, reason = "a test may panic on a missing value")]

mod answers;
mod array_map;
mod bounds;
mod buffered;
mod bursts;
mod classes;
mod conservation;
mod counts;
mod cpu;
mod degraded;
mod determinism;
mod effort;
mod equivalence;
mod failures;
mod fsync;
mod hosts;
mod kernel_rules;
mod pools;
mod questions;
mod refusals;
mod relations;
mod replay;
mod risk;
mod robustness;
mod settings;
mod shipped_profiles;
mod steady;
mod support;
