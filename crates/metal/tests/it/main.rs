//! Stacks on loop devices, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod devices;
mod safety;
mod stacks;

use std::time::{Duration, Instant};

use stripewise_fixtures::loops::attempt;

/// Waits for a state that may take a moment: a process started by a concurrent test holds our
/// descriptors until it execs.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "timed out waiting until {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a tool until no other process holds its device.
fn retried(program: &str, arguments: &[&str]) {
    let runs = || attempt(program, arguments).status.success();
    wait_until("the device is free", runs);
}
