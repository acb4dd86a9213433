//! Whether guests can run with KVM, and the clock source that follows.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use stripewise_message::Message;
use stripewise_process::{Call, CallError, MemoryFile, Printed, UntilStopped};
use stripewise_study::guest_clock::Clock;

use crate::programs::QEMU;
use crate::text::last_lines;

/// How long QEMU may take to create a machine; a tenth of a second is common.
const PROBE_LIMIT: Duration = Duration::from_secs(20);
/// How long a kernel may take to print its first line; with a KVM that works, a second is common.
const BOOT_LIMIT: Duration = Duration::from_secs(10);
/// How that line begins. What is printed before comes from the code that unpacks the kernel.
const FIRST_LINE: &str = "Linux version";

/// Whether guests can run with KVM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Kvm {
    /// QEMU created a machine with it, in which a kernel began to boot if one was prepared.
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
    /// A kernel did not start in it within so many seconds.
    #[error("a guest's kernel did not start in it within {0} s")]
    NoBoot(String),
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
            KvmFault::NoBoot(detail) => ("kvm-no-boot", detail),
            KvmFault::QemuNotStarted(detail) => ("kvm-qemu-not-started", detail),
        };
        Message::new(id).name("detail", detail)
    }
}

impl Kvm {
    /// Tries it: lets QEMU create a machine without starting it, then quits; then boots `kernel` in one,
    /// if there is one. Cost: a tenth of a second, and a second for the kernel; ten if it hangs.
    ///
    /// Opening `/dev/kvm` is not enough: inside another guest, creating the machine can still fail, and
    /// where that works, a kernel can hang before its first line (`kvm-pvm`).
    pub fn probe(kernel: Option<&Path>) -> Self {
        if let Err(error) = std::fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/kvm")
        {
            let why = KvmFault::NotOpened(error.to_string());
            return Kvm::Fails { why };
        }
        let machine = machine("64").args(["-S", "-monitor", "stdio"]);
        match quit(machine) {
            Ok(_) => kernel.map_or(Kvm::Works, boots),
            Err(error) => Kvm::Fails { why: fault(error) },
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

/// Returns a call of QEMU for a machine with KVM, and so many MiB of memory.
fn machine(memory_mib: &str) -> Call {
    let qemu = QEMU.call(["-M", "q35", "-accel", "kvm", "-cpu", "host"]);
    qemu.args(["-m", memory_mib, "-nodefaults", "-no-user-config"])
        .args(["-display", "none"])
}

/// Boots `kernel` without a root: it panics, and QEMU ends. Slow or not, it works if it prints its first line.
fn boots(kernel: &Path) -> Kvm {
    let qemu = machine("256").args(["-no-reboot", "-serial", "stdio", "-kernel"]);
    let qemu = qemu.args([kernel]).args(["-append", BOOT_ARGUMENTS]);
    verdict(qemu.limit(BOOT_LIMIT).run(&mut UntilStopped))
}

/// Its first lines go to the serial port, and it does not wait after its panic.
const BOOT_ARGUMENTS: &str = "console=ttyS0 earlyprintk=serial panic=-1";

fn verdict(booted: Result<Printed, CallError>) -> Kvm {
    let why = match booted {
        Ok(_) => return Kvm::Works,
        Err(CallError::TimedOut { printed, .. }) if has_started(&printed) => return Kvm::Works,
        Err(CallError::TimedOut { .. }) => KvmFault::NoBoot(BOOT_LIMIT.as_secs().to_string()),
        Err(error) => fault(error),
    };
    Kvm::Fails { why }
}

/// Returns what the end of QEMU says of KVM.
fn fault(error: CallError) -> KvmFault {
    match error {
        CallError::Missing { program } => KvmFault::NoQemu(program.name.to_owned()),
        CallError::Failed { printed, .. } | CallError::TimedOut { printed, .. } => {
            KvmFault::NoMachine(last_lines(&String::from_utf8_lossy(&printed.stderr), 3))
        }
        error => KvmFault::QemuNotStarted(std::io::Error::from(error).to_string()),
    }
}

fn has_started(printed: &Printed) -> bool {
    String::from_utf8_lossy(&printed.stdout).contains(FIRST_LINE)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The failure: QEMU created a machine, `doctor` said that KVM works, and each guest hung before its
    /// kernel's first line.
    #[test]
    fn kvm_works_only_where_a_kernel_starts() {
        let printed = |stdout: &str| Printed {
            stdout: stdout.into(),
            stderr: b"one\ntwo".to_vec(),
        };
        let timed_out = |stdout: &str| {
            Err(CallError::TimedOut {
                command: "qemu".to_owned(),
                limit: BOOT_LIMIT,
                printed: printed(stdout),
            })
        };
        assert_eq!(verdict(Ok(printed(""))), Kvm::Works);
        assert_eq!(verdict(timed_out("[    0.0] Linux version")), Kvm::Works);
        // `kvm-pvm` runs the code that unpacks the kernel, and no more.
        for before in ["", "Probing EDD (edd=off to disable)... ok\n"] {
            let Kvm::Fails { why } = verdict(timed_out(before)) else {
                panic!("it hung after {before:?}");
            };
            let said = why.to_string();
            assert_eq!(said, "a guest's kernel did not start in it within 10 s");
            assert_eq!(Kvm::Fails { why }.functional_clock(), Clock::Wall);
        }
        let missing = CallError::Missing { program: QEMU };
        assert!(matches!(verdict(Err(missing)), Kvm::Fails { .. }));
    }
}
