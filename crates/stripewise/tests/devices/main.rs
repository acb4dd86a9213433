//! Runs on block devices: only what its owner gave up is written to, and all is given back empty.
//!
//! A binary of its own, as these tests make, and look for, what the whole machine has: mounts, loop
//! devices, directories below `/run`. So they run one at a time (`.config/nextest.toml`).
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

#[path = "../../../metal/tests/support/mod.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod loops;
#[path = "../support/mod.rs"]
mod support;

mod destroy;
mod leftovers;
mod stacks;
mod unmounted;
