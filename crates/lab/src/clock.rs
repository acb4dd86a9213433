//! Whose time a guest has.

use std::fmt;
use std::io::Write;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::programs::QEMU;
use crate::text::last_lines;

/// Whose time a guest has, and how its instructions are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// An instruction is a nanosecond, and waiting takes no time: what is measured is the same
    /// whatever else this machine does.
    Virtual,
    /// This machine's time, on its own processor: fast.
    Kvm,
    /// This machine's time, instructions translated: works everywhere, measures nothing.
    Wall,
}

impl Clock {
    /// Returns the clock's name in options and facts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Clock::Virtual => "virtual",
            Clock::Kvm => "kvm",
            Clock::Wall => "wall",
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whether guests can run on this machine's own processor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Kvm {
    /// A machine was made with it.
    Works,
    /// It cannot be used.
    Fails {
        /// Why.
        why: String,
    },
}

impl Kvm {
    /// Tries it: makes a machine, without starting it, and ends it. Cost: a tenth of a second.
    ///
    /// That `/dev/kvm` can be opened says little: inside of another guest, making the machine can fail
    /// still.
    pub fn probe() -> Self {
        let fails = |why: String| Kvm::Fails { why };
        if let Err(error) = std::fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/kvm")
        {
            return fails(format!("/dev/kvm cannot be opened: {error}"));
        }
        let Ok(mut command) = QEMU.command() else {
            return fails(format!("`{}` is not installed", QEMU.name));
        };
        command
            .args([
                "-M", "q35", "-accel", "kvm", "-cpu", "host", "-m", "64", "-S",
            ])
            .args([
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-monitor",
                "stdio",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        match quit(command) {
            Err(error) => fails(format!("QEMU cannot be started: {error}")),
            Ok(output) if output.status.success() => Kvm::Works,
            Ok(output) => {
                let said = last_lines(&String::from_utf8_lossy(&output.stderr), 3);
                fails(format!("QEMU cannot make a machine with it: {said}"))
            }
        }
    }

    /// Returns the clock for work where only the result counts, not its time.
    pub const fn functional_clock(&self) -> Clock {
        match self {
            Kvm::Works => Clock::Kvm,
            Kvm::Fails { .. } => Clock::Wall,
        }
    }
}

/// Starts QEMU with a monitor on its standard input and tells it to quit.
fn quit(mut command: Command) -> std::io::Result<std::process::Output> {
    stripewise_fio::end_with_parent(&mut command);
    let mut child = command.spawn()?;
    if let Some(mut monitor) = child.stdin.take() {
        // It may be gone already, which its status says better.
        let _gone = monitor.write_all(b"quit\n");
    }
    child.wait_with_output()
}
