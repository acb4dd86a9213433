//! Whether guests can run with KVM, and the clock source that follows.

use std::time::Duration;

use serde::Serialize;
use stripewise_message::Message;
use stripewise_process::{Call, CallError, MemoryFile, Printed, UntilStopped};
use stripewise_study::guest_clock::Clock;

use crate::programs::QEMU;
use crate::text::last_lines;

/// How long QEMU may take to create a machine; a tenth of a second is common.
const PROBE_LIMIT: Duration = Duration::from_secs(20);

/// Whether guests can run with KVM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Kvm {
    /// QEMU created a machine with it.
    Works,
    /// It cannot be used.
    Fails {
        /// Why.
        #[serde(serialize_with = "as_text")]
        why: KvmFault,
    },
}

/// Why KVM cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KvmFault {
    /// Its device cannot be opened.
    #[error("`/dev/kvm` cannot be opened: {0}")]
    NotOpened(String),
    /// This program is not installed.
    #[error("`{0}` is not installed")]
    NoQemu(String),
    /// QEMU says this.
    #[error("QEMU cannot create a machine with it: {0}")]
    NoMachine(String),
    /// QEMU cannot be started.
    #[error("QEMU cannot be started: {0}")]
    QemuNotStarted(String),
}

impl KvmFault {
    /// Returns the same as a part of a sentence.
    pub fn message(&self) -> Message {
        let (id, detail) = match self {
            KvmFault::NotOpened(detail) => ("kvm-not-opened", detail),
            KvmFault::NoQemu(detail) => ("kvm-no-qemu", detail),
            KvmFault::NoMachine(detail) => ("kvm-no-machine", detail),
            KvmFault::QemuNotStarted(detail) => ("kvm-qemu-not-started", detail),
        };
        Message::new(id).name("detail", detail)
    }
}

impl Kvm {
    /// Tries it: lets QEMU create a machine without starting it, then quits. Cost: a tenth of a
    /// second.
    ///
    /// Opening `/dev/kvm` is not enough: inside another guest, creating the machine can still fail.
    pub fn probe() -> Self {
        let fails = |why| Kvm::Fails { why };
        if let Err(error) = std::fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/kvm")
        {
            return fails(KvmFault::NotOpened(error.to_string()));
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
            Err(CallError::Missing { program }) => fails(KvmFault::NoQemu(program.name.to_owned())),
            Err(CallError::Failed { printed, .. } | CallError::TimedOut { printed, .. }) => {
                let output = last_lines(&String::from_utf8_lossy(&printed.stderr), 3);
                fails(KvmFault::NoMachine(output))
            }
            Err(error) => {
                let error = std::io::Error::from(error);
                fails(KvmFault::QemuNotStarted(error.to_string()))
            }
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

fn as_text<S: serde::Serializer>(why: &KvmFault, serializer: S) -> Result<S::Ok, S::Error> {
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
