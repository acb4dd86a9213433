//! Checks whether the process that executes a run is still alive.
//!
//! A process ID alone is not enough, because IDs are reused, also after a reboot. So the store
//! records four values: the process ID, the boot ID, the PID namespace, and the start time of the
//! process.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::error::StoreError;

/// The process that executes a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Its process ID.
    pub(crate) pid: u32,
    /// Its PID namespace as the kernel names it: `pid:[4026531836]`.
    pub(crate) pid_namespace: String,
    /// The boot ID of the machine.
    pub(crate) boot_id: String,
    /// Its start time in clock ticks since boot (field 22 of proc(5)'s `stat`).
    pub(crate) started_ticks: u64,
}

impl Owner {
    /// Returns an owner that never existed.
    pub(crate) fn nonexistent() -> Owner {
        Owner {
            pid: 0,
            pid_namespace: String::new(),
            boot_id: String::new(),
            started_ticks: 0,
        }
    }

    /// Returns this process.
    ///
    /// # Errors
    /// [`StoreError::ReadProcess`] if `/proc` cannot be read.
    pub(crate) fn this_process() -> Result<Owner, StoreError> {
        let error = |path: &Path, source| StoreError::ReadProcess {
            path: path.to_owned(),
            source,
        };
        let stat_path = PathBuf::from("/proc/self/stat");
        let stat = fs::read_to_string(&stat_path).map_err(|source| error(&stat_path, source))?;
        let started_ticks = parse_stat(&stat)
            .map(|stat| stat.started_ticks)
            .ok_or_else(|| error(&stat_path, io::ErrorKind::InvalidData.into()))?;
        Ok(Owner {
            pid: std::process::id(),
            pid_namespace: pid_namespace().map_err(|(path, source)| error(&path, source))?,
            boot_id: boot_id().map_err(|(path, source)| error(&path, source))?,
            started_ticks,
        })
    }

    /// Returns whether the process is in another PID namespace, where we cannot see it.
    pub(crate) fn is_in_another_namespace(&self) -> bool {
        pid_namespace().is_ok_and(|namespace| namespace != self.pid_namespace)
    }

    /// Returns whether the process may be alive: it is on another machine, or [`Owner::is_alive`].
    #[cfg(feature = "postgres")]
    pub(crate) fn may_be_alive(&self) -> bool {
        let is_elsewhere = boot_id().is_ok_and(|boot_id| boot_id != self.boot_id);
        is_elsewhere || self.is_alive()
    }

    /// Returns whether the process is alive.
    ///
    /// A process in another container of this machine is invisible to us. It counts as alive,
    /// because disturbing a run is worse than asking its user. So does any process if `/proc`
    /// cannot be read.
    pub(crate) fn is_alive(&self) -> bool {
        if boot_id().is_ok_and(|boot_id| boot_id != self.boot_id) {
            return false;
        }
        if pid_namespace().is_ok_and(|namespace| namespace != self.pid_namespace) {
            return true;
        }
        match fs::read_to_string(format!("/proc/{}/stat", self.pid)) {
            Ok(stat) => parse_stat(&stat)
                .is_none_or(|stat| !stat.is_dead && stat.started_ticks == self.started_ticks),
            Err(error) => {
                // ESRCH (3): the process exited between open and read.
                error.kind() != io::ErrorKind::NotFound && error.raw_os_error() != Some(3)
            }
        }
    }
}

/// The fields we need from `/proc/PID/stat`.
struct Stat {
    /// A zombie or dead process.
    is_dead: bool,
    started_ticks: u64,
}

/// Reads `/proc/PID/stat`: `PID (NAME) STATE ...`, where NAME may contain spaces and parentheses.
fn parse_stat(text: &str) -> Option<Stat> {
    let after_name = &text[text.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace();
    // The state is field 3 and the first after the name; the start time is field 22.
    let is_dead = matches!(fields.next()?, "Z" | "X" | "x");
    let started_ticks = fields.nth(22 - 4)?.parse().ok()?;
    Some(Stat {
        is_dead,
        started_ticks,
    })
}

/// Returns the boot ID.
fn boot_id() -> Result<String, (PathBuf, io::Error)> {
    let path = PathBuf::from("/proc/sys/kernel/random/boot_id");
    match fs::read_to_string(&path) {
        Ok(text) => Ok(text.trim().to_owned()),
        Err(error) => Err((path, error)),
    }
}

/// Returns our PID namespace.
fn pid_namespace() -> Result<String, (PathBuf, io::Error)> {
    let path = PathBuf::from("/proc/self/ns/pid");
    match fs::read_link(&path) {
        Ok(target) => Ok(target.to_string_lossy().into_owned()),
        Err(error) => Err((path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn sleeper() -> (Child, Owner) {
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let owner = Owner {
            pid: child.id(),
            started_ticks: parse_stat(&stat).unwrap().started_ticks,
            ..Owner::this_process().unwrap()
        };
        (child, owner)
    }

    #[test]
    fn this_process_is_alive() {
        assert!(Owner::this_process().unwrap().is_alive());
    }

    #[test]
    fn a_zombie_counts_as_dead() {
        let (mut child, owner) = sleeper();
        assert!(owner.is_alive());
        child.kill().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while owner.is_alive() {
            assert!(
                std::time::Instant::now() < deadline,
                "a zombie counts as alive"
            );
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!owner.is_alive());
    }

    #[test]
    fn another_process_with_the_same_id_is_not_the_owner() {
        let this = Owner::this_process().unwrap();
        let later = Owner {
            started_ticks: this.started_ticks + 1,
            ..this.clone()
        };
        assert!(!later.is_alive());
        let before_the_restart = Owner {
            boot_id: "00000000-0000-0000-0000-000000000000".into(),
            ..this
        };
        assert!(!before_the_restart.is_alive());
    }

    #[test]
    fn a_process_of_another_container_counts_as_alive() {
        let elsewhere = Owner {
            pid: u32::MAX,
            pid_namespace: "pid:[1]".into(),
            ..Owner::this_process().unwrap()
        };
        assert!(elsewhere.is_alive());
    }

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let text = "7 (a) b (c) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        assert_eq!(parse_stat(text).unwrap().started_ticks, 4242);
        for text in ["", "7", "7 (x", "7 (x) S", "7 (x) S 1 2 3"] {
            assert!(parse_stat(text).is_none(), "{text}");
        }
    }
}
