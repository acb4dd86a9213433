//! Runs programs of servers.

use std::process::Command;
use std::time::{Duration, Instant};

/// Runs a command to its end, and returns its output.
pub fn succeeded(command: &mut Command) -> Vec<u8> {
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {said}");
    done.stdout
}

/// Waits for a server, until a statement for it succeeds.
pub fn wait_for(statement: &mut Command) {
    let begun = Instant::now();
    while !statement.output().unwrap().status.success() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{statement:?}: the server does not start"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}
