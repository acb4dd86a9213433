//! Stacks on loop devices, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod devices;
#[path = "../support/remembered.rs"]
mod remembered;
mod safety;
mod stacks;
#[path = "../support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

/// Waits for what may take a moment: a process that a test beside this one starts has our descriptors
/// until it becomes another program.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "waited in vain until {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a tool until nothing else holds its device.
fn retried(program: &str, arguments: &[&str]) {
    let runs = || support::attempt(program, arguments).status.success();
    wait_until("the device is free", runs);
}
