//! Stacks for power cuts: built once, stopped cleanly, and brought up again as a machine does at
//! boot, after a cut or before a load.
//!
//! Only for devices that nothing else can use, such as those of a guest that is thrown away: a stack
//! is brought up from the changes that built it, without a journal.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stripewise_machine::Root;
use stripewise_powercut::built_stack::BuiltStack;
use stripewise_powercut::load::Target;
use stripewise_process::{Call, CallError, Program};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::{Conditions, Flush};
use stripewise_study::cut::{RecoveryFailure, RecoveryStep};
use stripewise_study::facts::{Facts, TargetFacts};
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::world::{Change, Journal, JournalError, Watch, WorldError};

use crate::array::Md;
use crate::build::{Top, kernel_name, mount_call};
use crate::tool::{LIMIT_LONG, LVM, MDADM, ToolCall, UMOUNT, ZPOOL};
use crate::world::StacksWorld;
use crate::world::beside::Beside;

const E2FSCK: Program = Program::new("e2fsck", "e2fsprogs");
const XFS_REPAIR: Program = Program::new("xfs_repair", "xfsprogs");
const BTRFS: Program = Program::new("btrfs", "btrfs-progs");

/// From this exit code on, `e2fsck` has left errors (e2fsck(8), "EXIT CODE").
const E2FSCK_LEFT_ERRORS: i32 = 4;

/// How long a filesystem may stay busy after its load has ended.
const BUSY_LIMIT: Duration = Duration::from_secs(30);
const BUSY_INTERVAL: Duration = Duration::from_millis(100);

/// A journal of what can be brought up again.
#[derive(Default)]
struct Changes(Vec<Change>);

impl Journal for Changes {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.0.push(change.clone());
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.0.retain(|made| made != change);
        Ok(())
    }
}

/// Builds the stack of a cell on `devices`, listed by profile, whose content is lost; lets `lay_out`
/// write to it, and stops it cleanly.
///
/// # Errors
/// If a layer cannot be built, `lay_out` fails, or the stack cannot be stopped.
pub fn build(
    devices: BTreeMap<String, Vec<PathBuf>>,
    cell: &Cell,
    lay_out: &mut dyn FnMut(&Target) -> Result<(), WorldError>,
    watch: &mut dyn Watch,
) -> Result<BuiltStack, WorldError> {
    let world = StacksWorld::on_devices(devices);
    let world = world.map_err(|error| WorldError::failed("failed to open the world", error))?;
    let mut world = world.on_zeroes();
    let mut changes = Changes::default();
    let top = world.build(cell, &mut changes, watch)?;
    let target = match top {
        Top::Device(device) => Target::Device(device),
        Top::Directory(directory) => Target::Directory(directory),
    };
    // The world holds the layers open.
    drop(world);
    lay_out(&target)?;
    let standing = BuiltStack {
        changes: changes.0,
        target,
    };
    stop(&standing)?;
    Ok(standing)
}

/// Stops a stack cleanly, from the top down.
///
/// # Errors
/// The first layer that cannot be stopped.
pub fn stop(standing: &BuiltStack) -> Result<(), WorldError> {
    for change in standing.changes.iter().rev() {
        let call = match change {
            Change::Mounted { directory, .. } => {
                unmount(directory)?;
                continue;
            }
            Change::MadePool { name, .. } => ZPOOL.call(["export", name]),
            Change::MadeVolumeGroup { name, .. } => LVM.call(["vgchange", "--activate", "n", name]),
            Change::BuiltArray { device, .. } => MDADM.call(["--stop"]).arg(device),
            _ => continue,
        };
        call.limit(LIMIT_LONG)
            .run_to_the_end()
            .map_err(|error| error.while_trying("failed to stop the stack"))?;
    }
    Ok(())
}

/// Unmounts a filesystem. The kernel may hold the files of a killed database for a moment: it ends the
/// asynchronous I/O of a process after the process.
fn unmount(directory: &Path) -> Result<(), WorldError> {
    let began = Instant::now();
    loop {
        match UMOUNT.call([directory]).run_to_the_end() {
            Ok(_) => return Ok(()),
            Err(CallError::Failed { .. }) if began.elapsed() < BUSY_LIMIT => {
                std::thread::sleep(BUSY_INTERVAL);
            }
            Err(error) => return Err(error.while_trying("failed to unmount the filesystem")),
        }
    }
}

/// How to bring a stack up.
#[derive(Debug, Clone, Copy)]
pub struct BringUp<'a> {
    /// The stack.
    pub stack: &'a Stack,
    /// The conditions of its cell.
    pub conditions: &'a Conditions,
    /// The member of its array that failed with the power, counted from 0.
    pub without_member: Option<usize>,
    /// Whether to assemble an array that md refuses: md then trusts data that may be wrong.
    pub force: bool,
}

/// Brings a stack up as a machine does at boot: assembles, activates, checks the filesystem and
/// mounts it.
///
/// # Errors
/// The first step that failed. What an administrator could still try is not tried, but for `force`.
pub fn bring_up(standing: &BuiltStack, how: BringUp<'_>) -> Result<(), RecoveryFailure> {
    set_flushes(standing, how.conditions)?;
    for change in &standing.changes {
        match change {
            Change::BuiltArray {
                device,
                uuid,
                members,
            } => assemble(device, uuid, members, how)?,
            Change::MadeVolumeGroup { name, .. } => run(
                RecoveryStep::Assemble,
                LVM.call(["vgchange", "--activate", "y", name]),
            )?,
            Change::MadePool { name, .. } => {
                let import = ZPOOL.call(["import", "-f", "-d", "/dev", name]);
                run(
                    RecoveryStep::Assemble,
                    import.envs([("ZFS_MODULE_LOADING", "YES")]),
                )?;
            }
            Change::Mounted { directory, devices } => mount(how.stack, directory, devices)?,
            _ => {}
        }
    }
    Ok(())
}

/// Lets the kernel send no flushes, if the conditions ask for that: before layers read the setting.
fn set_flushes(standing: &BuiltStack, conditions: &Conditions) -> Result<(), RecoveryFailure> {
    if conditions.flush != Some(Flush::Ignored) {
        return Ok(());
    }
    for change in &standing.changes {
        let Change::ClaimedDevice { path, .. } = change else {
            continue;
        };
        let name = kernel_name(path).unwrap_or_default();
        let setting = format!("/sys/block/{name}/queue/write_cache");
        fs::write(&setting, "write through").map_err(|error| RecoveryFailure {
            step: RecoveryStep::Assemble,
            reason: format!("failed to write `{setting}`: {error}"),
        })?;
    }
    Ok(())
}

/// Assembles an array. `--run` starts it although a member is missing, as a boot does after a while;
/// a parity array that is dirty, too, is refused.
fn assemble(
    device: &Path,
    uuid: &str,
    members: &[PathBuf],
    how: BringUp<'_>,
) -> Result<(), RecoveryFailure> {
    let present = members.iter().enumerate();
    let present = present.filter(|(place, _)| Some(*place) != how.without_member);
    let call = MDADM
        .call(["--assemble", "--run"])
        .args(how.force.then_some("--force"))
        .arg(device)
        .arg(format!("--uuid={uuid}"))
        .args(present.map(|(_, member)| member));
    run(RecoveryStep::Assemble, call)?;
    // mdadm reports success for an array that the kernel did not start.
    let name = kernel_name(device).unwrap_or_default();
    match Md::new(&Root::live(), &name).word("array_state").as_deref() {
        Some("inactive" | "clear") | None => Err(RecoveryFailure {
            step: RecoveryStep::Assemble,
            reason: format!(
                "mdadm assembled `{}`, but it does not run",
                device.display()
            ),
        }),
        Some(_) => Ok(()),
    }
}

fn mount(stack: &Stack, directory: &Path, devices: &[PathBuf]) -> Result<(), RecoveryFailure> {
    let Filesystem::Made { kind, options, .. } = &stack.filesystem else {
        return Ok(());
    };
    let Some(device) = devices.first() else {
        return Ok(());
    };
    if kind.starts_with("ext") {
        // As `fsck -a` at boot.
        let checked = E2FSCK.call(["-p"]).arg(device).limit(LIMIT_LONG);
        match checked.run_to_the_end() {
            Ok(_) => {}
            Err(CallError::Failed { status, .. })
                if status.code().is_some_and(|code| code < E2FSCK_LEFT_ERRORS) => {}
            Err(error) => return Err(not_back(RecoveryStep::Check, &error)),
        }
    }
    fs::create_dir_all(directory).map_err(|error| RecoveryFailure {
        step: RecoveryStep::Mount,
        reason: format!("failed to create `{}`: {error}", directory.display()),
    })?;
    run(
        RecoveryStep::Mount,
        mount_call(kind, options, devices, directory),
    )
}

fn run(step: RecoveryStep, call: Call) -> Result<(), RecoveryFailure> {
    let ran = call.limit(LIMIT_LONG).run_to_the_end();
    ran.map(|_| ()).map_err(|error| not_back(step, &error))
}

fn not_back(step: RecoveryStep, error: &CallError) -> RecoveryFailure {
    RecoveryFailure {
        step,
        reason: error.to_string(),
    }
}

/// Stops a stack that came back, and lets its filesystem's own tool read all of its metadata without
/// changing it. Returns what the tool found; `None` if nothing is wrong, or no tool looks.
///
/// # Errors
/// If the stack cannot be stopped, or the tool does not start.
pub fn damage(standing: &BuiltStack, stack: &Stack) -> Result<Option<String>, WorldError> {
    let Filesystem::Made { kind, .. } = &stack.filesystem else {
        return Ok(None);
    };
    let mounted = standing.changes.iter().find_map(|change| match change {
        Change::Mounted { directory, devices } => Some((directory, devices.first()?)),
        _ => None,
    });
    let Some((directory, device)) = mounted else {
        return Ok(None);
    };
    unmount(directory)?;
    let check = match kind.as_str() {
        "ext2" | "ext3" | "ext4" => E2FSCK.call(["-f", "-n"]),
        "xfs" => XFS_REPAIR.call(["-n"]),
        "btrfs" => BTRFS.call(["check", "--readonly"]),
        _ => return Ok(None),
    };
    match check.arg(device).limit(LIMIT_LONG).run_to_the_end() {
        Ok(_) => Ok(None),
        Err(error @ CallError::Failed { .. }) => Ok(Some(error.to_string())),
        Err(error) => Err(error.while_trying("failed to check the filesystem")),
    }
}

/// Runs `load`, with the `sync` calls and flushes that the conditions ask for beside it.
///
/// # Errors
/// If a device cannot be opened to flush it.
pub fn beside<T>(
    standing: &BuiltStack,
    conditions: &Conditions,
    load: impl FnOnce() -> T,
) -> Result<T, WorldError> {
    let top = standing
        .changes
        .iter()
        .rev()
        .find_map(|change| match change {
            Change::Mounted { devices, .. } => devices.first().cloned(),
            _ => None,
        });
    let top = top.or_else(|| match &standing.target {
        Target::Device(device) => Some(device.clone()),
        Target::Directory(_) => None,
    });
    let facts = Facts {
        target: Some(TargetFacts {
            devices: top
                .and_then(|device| kernel_name(&device))
                .into_iter()
                .collect(),
            ..TargetFacts::default()
        }),
        ..Facts::default()
    };
    let beside = Beside::open(&Root::live(), &facts, conditions)?;
    let (result, _calls) = beside.run(load);
    Ok(result)
}
