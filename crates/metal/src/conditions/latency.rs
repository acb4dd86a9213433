//! The C-state limit: `/dev/cpu_dma_latency`, held open.
//!
//! To open the file adds a request, a write of four bytes sets its time in microseconds, and to close
//! it removes the request (`pm_qos_power_open`, `_write` and `_release` in kernel/power/qos.c, named
//! `cpu_latency_qos_*` since 5.7). A read returns the lowest of all requests. The governors of idle
//! CPUs choose no state with a longer exit latency (`cpuidle_governor_latency_req`).
//!
//! The kernel removes the request of a process that dies, so the journal has nothing to restore.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use stripewise_machine::Root;
use stripewise_study::world::WorldError;

use super::plan::unsupported;
use super::setting;

const FILE: &str = "/dev/cpu_dma_latency";
const DRIVER: &str = "/sys/devices/system/cpu/cpuidle/current_driver";

/// Our request, which ends when it is dropped.
#[derive(Debug)]
pub(super) struct LatencyRequest {
    us: u32,
    file: File,
}

/// Checks that the kernel chooses C-states here, and that we may limit them.
pub(super) fn check(root: &Root, wanted: Option<u32>) -> Result<(), WorldError> {
    let Some(us) = wanted else {
        return Ok(());
    };
    let what = format!("set `cpu_dma_latency_us` to `{us}`");
    let driver = root.word(DRIVER);
    if driver.is_none_or(|driver| driver == "none") {
        return Err(unsupported(
            format!("{what}: the kernel chooses no C-states here (`{DRIVER}`)"),
            "in a virtual machine the host does: remove the key".to_owned(),
        ));
    }
    if !setting::is_writable(root, Path::new(FILE)) {
        return Err(unsupported(
            what,
            format!("this writes `{FILE}`: run as root, outside a container"),
        ));
    }
    Ok(())
}

/// Makes `held` the request for `wanted`. Returns whether anything changed.
pub(super) fn hold(
    root: &Root,
    held: &mut Option<LatencyRequest>,
    wanted: Option<u32>,
) -> Result<bool, WorldError> {
    let is_changed = held.as_ref().map(|held| held.us) != wanted;
    if is_changed {
        *held = None;
        *held = wanted.map(|us| request(root, us)).transpose()?;
    }
    held.as_ref().map_or(Ok(()), LatencyRequest::check_lowest)?;
    Ok(is_changed)
}

fn request(root: &Root, us: u32) -> Result<LatencyRequest, WorldError> {
    let failed = |source: io::Error| {
        WorldError::failed(format!("failed to set `{FILE}` to {us} us"), source)
            .or_hint("remove `cpu_dma_latency_us`")
    };
    let path = root.canonical(Path::new(FILE)).map_err(failed)?;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(root.real(&path));
    let mut file = file.map_err(failed)?;
    file.write_all(&us.to_ne_bytes()).map_err(failed)?;
    Ok(LatencyRequest { us, file })
}

impl LatencyRequest {
    /// A lower request of another program would decide instead of ours.
    fn check_lowest(&self) -> Result<(), WorldError> {
        let mut bytes = [0; 4];
        let read = self.file.read_exact_at(&mut bytes, 0);
        read.map_err(|error| WorldError::failed(format!("failed to read `{FILE}`"), error))?;
        let lowest = u32::from_ne_bytes(bytes);
        if lowest == self.us {
            return Ok(());
        }
        Err(WorldError::plain(format!(
            "`{FILE}` was set to {} us for this run, and is now {lowest} us",
            self.us
        ))
        .or_hint(
            "stop the program that sets it (tuned, a real-time application), then run `stripewise resume`",
        ))
    }
}
