//! The guest's clock source.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stripewise_catalogue::Message;
use stripewise_process::{Call, CallError, MemoryFile, Printed, UntilStopped};

use crate::programs::QEMU;
use crate::text::last_lines;

/// How long QEMU may take to create a machine; a tenth of a second is common.
const PROBE_LIMIT: Duration = Duration::from_secs(20);

/// The guest's clock source, and how its instructions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// One instruction takes one nanosecond, and idle time is skipped: measurements do not depend
    /// on the host's load.
    Virtual,
    /// The host's clock and CPU: fast.
    Kvm,
    /// The host's clock, instructions translated by TCG: works everywhere, but is useless for
    /// measuring.
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

/// Whether guests can run with KVM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Kvm {
    /// QEMU created a machine with it.
    Works,
    /// It cannot be used.
    Fails {
        /// Why.
        #[serde(serialize_with = "in_english")]
        why: Message,
    },
}

impl Kvm {
    /// Tries it: lets QEMU create a machine without starting it, then quits. Cost: a tenth of a
    /// second.
    ///
    /// Opening `/dev/kvm` is not enough: inside another guest, creating the machine can still fail.
    pub fn probe() -> Self {
        let fails = |id: &'static str, detail: &dyn fmt::Display| Kvm::Fails {
            why: Message::new(id).name("detail", detail),
        };
        if let Err(error) = std::fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/kvm")
        {
            return fails("kvm-not-opened", &error);
        }
        let call = QEMU.call([
            "-M",
            "q35",
            "-accel",
            "kvm",
            "-cpu",
            "host",
            "-m",
            "64",
            "-S",
            "-nodefaults",
            "-no-user-config",
            "-display",
            "none",
            "-monitor",
            "stdio",
        ]);
        match quit(call) {
            Ok(_) => Kvm::Works,
            Err(CallError::Missing { program }) => fails("kvm-no-qemu", &program.name),
            Err(CallError::Failed { printed, .. } | CallError::TimedOut { printed, .. }) => {
                let output = last_lines(&String::from_utf8_lossy(&printed.stderr), 3);
                fails("kvm-no-machine", &output)
            }
            Err(error) => fails("kvm-qemu-not-started", &std::io::Error::from(error)),
        }
    }

    /// Returns the clock for work where only the result counts, not the time.
    pub const fn functional_clock(&self) -> Clock {
        match self {
            Kvm::Works => Clock::Kvm,
            Kvm::Fails { .. } => Clock::Wall,
        }
    }
}

fn in_english<S: serde::Serializer>(why: &Message, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}

/// Starts QEMU with a monitor on its standard input that reads `quit`.
fn quit(qemu: Call) -> Result<Printed, CallError> {
    let monitor = MemoryFile::holding("quit\n").map_err(|source| CallError::Start {
        path: QEMU.name.into(),
        source,
    })?;
    qemu.stdin(monitor)
        .limit(PROBE_LIMIT)
        .run(&mut UntilStopped)
}
