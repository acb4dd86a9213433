//! The programs that build stacks and examine devices, with the package of each;
//! [`stripewise_process`] runs them.

use std::path::Path;
use std::time::{Duration, Instant};

use stripewise_process::{Call, CallError, Program};
use stripewise_study::world::{NeverCancel, Watch, WorldError};

use crate::crash_point::at_tool;

/// How long mkfs may take: it writes its tables, and may discard the whole device.
pub(crate) const LIMIT_LONG: Duration = Duration::from_secs(3600);

pub(crate) const MDADM: Program = Program::new("mdadm", "mdadm");
pub(crate) const LVM: Program = Program::new("lvm", "lvm2");
pub(crate) const DMSETUP: Program = Program::new("dmsetup", "dmsetup");
pub(crate) const MODPROBE: Program = Program::new("modprobe", "kmod");
pub(crate) const MOUNT: Program = Program::new("mount", "mount");
pub(crate) const UMOUNT: Program = Program::new("umount", "mount");
pub(crate) const BLKID: Program = Program::new("blkid", "util-linux");
pub(crate) const BLKDISCARD: Program = Program::new("blkdiscard", "util-linux");
pub(crate) const FSTRIM: Program = Program::new("fstrim", "util-linux");
pub(crate) const WIPEFS: Program = Program::new("wipefs", "util-linux");
pub(crate) const UDEVADM: Program = Program::new("udevadm", "udev");
pub(crate) const ZPOOL: Program = Program::new("zpool", "zfsutils-linux");

/// Runs a tool in `/`, so that it keeps no filesystem busy, with a crash point for tests before and
/// after it.
pub(crate) trait ToolCall {
    /// Runs the tool to its end, and returns its standard output.
    ///
    /// # Errors
    /// [`CallError`].
    fn run_tool(self, watch: &mut dyn Watch) -> Result<String, CallError>;

    /// Runs the tool without a watch: an undo is not cancelled halfway.
    ///
    /// # Errors
    /// [`CallError`].
    fn run_to_the_end(self) -> Result<String, CallError>;
}

impl ToolCall for Call {
    fn run_tool(self, watch: &mut dyn Watch) -> Result<String, CallError> {
        at_tool();
        let ran = self.current_dir(Path::new("/")).run(watch);
        at_tool();
        Ok(String::from_utf8_lossy(&ran?.stdout).into_owned())
    }

    fn run_to_the_end(self) -> Result<String, CallError> {
        self.run_tool(&mut NeverCancel)
    }
}

/// How often to poll for a state that sends no event.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Polls until `is_reached`, for `limit` at most; returns whether it was reached.
///
/// # Errors
/// [`WorldError::Interrupted`] if the watch stops it.
pub(crate) fn wait_until(
    limit: Duration,
    watch: &mut dyn Watch,
    is_reached: &mut dyn FnMut() -> bool,
) -> Result<bool, WorldError> {
    let started = Instant::now();
    loop {
        if is_reached() {
            return Ok(true);
        }
        if started.elapsed() >= limit {
            return Ok(false);
        }
        if !watch.keep_going(started.elapsed()) {
            return Err(WorldError::Interrupted);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stops at the second check.
    struct StopAtSecondCheck(u32);

    impl Watch for StopAtSecondCheck {
        fn keep_going(&mut self, _elapsed: Duration) -> bool {
            self.0 += 1;
            self.0 < 2
        }
    }

    #[test]
    fn a_wait_ends_when_reached_timed_out_or_stopped() {
        let mut left = 2;
        let mut reached = || {
            left -= 1;
            left == 0
        };
        assert!(wait_until(LIMIT_LONG, &mut NeverCancel, &mut reached).unwrap());
        assert!(!wait_until(Duration::ZERO, &mut NeverCancel, &mut || false).unwrap());
        let stopped = wait_until(LIMIT_LONG, &mut StopAtSecondCheck(0), &mut || false);
        assert!(matches!(stopped, Err(WorldError::Interrupted)));
    }
}
