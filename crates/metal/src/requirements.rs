//! Checks of a study that change nothing on the machine: reasons to refuse it, and warnings about
//! its result.

use stripewise_machine::Root;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::{Conditions, State};
use stripewise_study::facts::Facts;
use stripewise_study::stack::{Array, Bitmap, Filesystem, Level, Metadata, Stack, Volume};
use stripewise_study::warning::Warning;
use stripewise_study::workload::{Engine, Load};
use stripewise_study::world::{WorldError, WorldName};
use stripewise_units::Bytes;

use crate::build::{existing_on_devices, filesystem_tool};
use crate::conditions::{self, MeasuredDisks};
use crate::device::{Claimed, alignment};
use crate::files::files_of;
use crate::regions::needed_bytes;
use crate::stacks::{Stacks, chosen, too_small};
use crate::tool::{LVM, MDADM, MODPROBE, MOUNT, ToolCall, UMOUNT, WIPEFS};

/// How much of the free space to keep: a full filesystem gets slow and may fail.
const RESERVE_PERCENT: u64 = 5;

/// Checks that every cell can be measured on the target described by `facts`.
pub(crate) fn check_existing(
    root: &Root,
    cells: &[Cell],
    facts: &Facts,
) -> Result<Vec<Warning>, WorldError> {
    let place = MeasuredDisks::existing(facts);
    for cell in cells {
        check_state(&cell.conditions)?;
        check_database(cell)?;
        check_stack(cell)?;
        if let Some(failure) = &cell.conditions.failure {
            return Err(unsupported(
                format!("fail a disk (`{}`) below a filesystem in use", failure.name),
                "use a stack with `devices`, and name them under `[may_destroy]`",
            ));
        }
        conditions::check(root, &cell.conditions, &place)?;
    }
    check_blocks(cells, facts)?;
    check_space(cells, facts)?;
    Ok(warnings(cells, facts))
}

/// Checks the stacks with devices in a study: whether they can be built and fail as planned, on any
/// machine.
///
/// # Errors
/// If a stack cannot be built, or cannot fail as planned; with a hint.
pub fn check_study(cells: &[Cell]) -> Result<(), WorldError> {
    for cell in cells {
        check_state(&cell.conditions)?;
        check_database(cell)?;
    }
    let built = cells.iter().filter(|cell| !cell.stack.devices.is_empty());
    for cell in built {
        if let Some(array) = &cell.stack.array {
            check_array(array)?;
        }
        check_volume(&cell.stack)?;
        if cell.stack.filesystem == Filesystem::Existing {
            return Err(existing_on_devices());
        }
        check_failure(cell)?;
    }
    Ok(())
}

/// Refuses a database and a program: fio is what measures.
fn check_database(cell: &Cell) -> Result<(), WorldError> {
    if cell.workload.program.is_some() {
        return Err(unsupported(
            "measure a program".to_owned(),
            "`stripewise pull-plug` runs it and cuts its power",
        ));
    }
    match cell.workload.database {
        None => Ok(()),
        Some(_) => Err(WorldError::Unsupported {
            world: WorldName::Metal,
            what: "measure a database".to_owned(),
            hint: Some(
                "`stripewise pull-plug` runs it; leave `database` out to measure the load with fio"
                    .to_owned(),
            ),
        }),
    }
}

/// Refuses a device state, which real devices cannot be put into.
fn check_state(conditions: &Conditions) -> Result<(), WorldError> {
    let Some(state) = conditions.state else {
        return Ok(());
    };
    let hint = match state {
        State::Steady => {
            "remove `state`; `steady_state = \"snia\"` in `[repeat]` waits for steady state"
        }
        State::Fresh => "remove `state`; `trim_before = true` and a short `sample` come closest",
    };
    Err(unsupported(
        format!("put devices into the state `{state}`, as only the model can"),
        hint,
    ))
}

/// Checks that mdadm can create such arrays. Volumes of `imsm` have the levels of Intel's firmware
/// (mdadm, `is_raid_level_supported`), and no bitmap.
fn check_array(array: &Array) -> Result<(), WorldError> {
    let volumes = array.beside.iter().map(|beside| beside.level);
    let mut levels = std::iter::once(array.level).chain(volumes);
    let is_intels = |level: &Level| {
        matches!(
            level,
            Level::Raid0 | Level::Raid1 | Level::Raid5 | Level::Raid10
        )
    };
    match array.metadata {
        Metadata::Ddf => Err(unsupported(
            "build arrays with metadata `ddf`".to_owned(),
            "use `imsm` for firmware RAID, or md's own `1.2`",
        )),
        Metadata::Imsm if array.bitmap != Bitmap::None => Err(unsupported(
            "keep a write-intent bitmap with metadata `imsm`".to_owned(),
            "remove `bitmap`, or use metadata `1.2`",
        )),
        Metadata::Imsm => match levels.find(|level| !is_intels(level)) {
            Some(level) => Err(unsupported(
                format!("build a {level} with metadata `imsm`"),
                "Intel's firmware supports raid0, raid1, raid5 and raid10; use metadata `1.2`",
            )),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Checks that a volume has no more stripes than physical volumes.
fn check_volume(stack: &Stack) -> Result<(), WorldError> {
    let below = match stack.array {
        Some(_) => 1,
        None => stack.device_count(),
    };
    match &stack.volume {
        Some(Volume::Striped { stripes, .. }) if u64::from(stripes.get()) > below => {
            Err(unsupported(
                format!(
                    "stripe stack `{}` over {stripes} physical volumes: it has {below}",
                    stack.name
                ),
                "lower `stripes`, or use more devices without an array",
            ))
        }
        _ => Ok(()),
    }
}

/// Checks that every cell's stack can be built on the `claimed` devices.
pub(crate) fn check_stacks(
    root: &Root,
    cells: &[Cell],
    facts: &Facts,
    stacks: &Stacks,
) -> Result<Vec<Warning>, WorldError> {
    check_study(cells)?;
    let mut askew = Vec::new();
    for cell in cells {
        let devices = chosen(&cell.stack, stacks.claimed())?;
        check_zfs(&cell.stack, &devices)?;
        check_tools(&cell.stack)?;
        check_drivers(root, &cell.stack)?;
        conditions::check(root, &cell.conditions, &stacks.place(root, cell))?;
        let chunk = cell
            .stack
            .array
            .as_ref()
            .and_then(|array| array.chunk_bytes);
        askew.extend(devices.iter().flat_map(|device| alignment(device, chunk)));
        let sizes: Vec<u64> = devices
            .iter()
            .map(|device| device.size_bytes.as_u64())
            .collect();
        let needed = needed_bytes(&cell.workload);
        let most = capacity_max(&cell.stack, &sizes);
        if needed.as_u64() > most {
            return Err(too_small(&cell.stack, needed, most));
        }
    }
    check_blocks(cells, facts)?;
    let mut warnings = warnings(cells, facts);
    for warning in askew {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    Ok(warnings)
}

/// The beginnings of the names of disks that ZFS partitions, if it gets a whole one: it then makes
/// a partition table, which carries no identifier of ours. A disk of any other name holds the pool
/// itself (OpenZFS 2.1.11, lib/libefi/rdwr_efi.c: `efi_get_info` knows these names, and
/// `efi_alloc_and_init` refuses loop devices, those of the device mapper, and unknown ones;
/// `zfs_dev_is_whole_disk`).
const PARTITIONED: [&str; 7] = ["sd", "hd", "md", "vd", "xvd", "zd", "nvme"];

fn is_partitioned(kernel_name: &str) -> bool {
    PARTITIONED.iter().any(|name| kernel_name.starts_with(name))
}

/// Refuses a pool on a whole disk or array that ZFS would partition.
fn check_zfs(stack: &Stack, devices: &[Claimed]) -> Result<(), WorldError> {
    let is_zfs = matches!(&stack.filesystem, Filesystem::Made { kind, .. } if kind == "zfs");
    if !is_zfs || stack.volume.is_some() {
        return Ok(());
    }
    if stack.array.is_some() {
        return Err(unsupported(
            "make a ZFS pool on a whole array, which ZFS would partition".to_owned(),
            "put a `volume` between the array and the pool",
        ));
    }
    let whole = |device: &&Claimed| device.partition_number.is_none();
    let mut whole = devices.iter().filter(whole);
    match whole.find(|disk| is_partitioned(&disk.name)) {
        Some(disk) => Err(unsupported(
            format!(
                "make a ZFS pool on the whole disk `{}`, which ZFS would partition",
                disk.named.display()
            ),
            "use a partition of it, below `/dev/disk/by-partuuid`, or put a `volume` below the pool",
        )),
        None => Ok(()),
    }
}

/// Checks that the planned failure is possible, and that this world supports it.
fn check_failure(cell: &Cell) -> Result<(), WorldError> {
    let Some(failure) = &cell.conditions.failure else {
        return Ok(());
    };
    failure.check(&cell.stack).map_err(|error| {
        let hint = Some(error.hint().to_owned());
        WorldError::Failed {
            attempted: format!("failed to plan the failure `{}`", failure.name),
            hint,
            source: Some(error.into()),
        }
    })?;
    if failure.until_rebuilt {
        return Err(unsupported(
            "continue a load until a rebuild is done".to_owned(),
            "set a longer `sample` in `[repeat]`, remove `until_rebuilt`, or use `--world model`",
        ));
    }
    let metadata = cell.stack.array.as_ref().map(|array| array.metadata);
    match metadata {
        Some(Metadata::Imsm | Metadata::Ddf) => Err(unsupported(
            "fail a member of firmware RAID".to_owned(),
            "use metadata `1.2`",
        )),
        _ => Ok(()),
    }
}

/// Checks that the kernel has md and the device mapper, if a stack needs them, or a module for
/// them.
fn check_drivers(root: &Root, stack: &Stack) -> Result<(), WorldError> {
    let mapper = "/sys/class/misc/device-mapper";
    let needed = [
        (stack.array.is_some(), "md", "/proc/mdstat", "md-mod"),
        (stack.volume.is_some(), "device mapper", mapper, "dm-mod"),
    ];
    for (is_needed, name, sign, module) in needed {
        if is_needed && !root.exists(sign) && !can_load(module) {
            return Err(unsupported(
                format!("build stack `{}`: this kernel has no {name}", stack.name),
                "run a kernel with it, or run the study with `--world lab`",
            ));
        }
    }
    Ok(())
}

/// Returns whether the running kernel has a module, without loading it.
fn can_load(module: &str) -> bool {
    let call = MODPROBE.call(["--dry-run", "--quiet", module]);
    call.run_to_the_end().is_ok()
}

/// Checks that the tools to build a stack and take it down are installed.
fn check_tools(stack: &Stack) -> Result<(), WorldError> {
    let mut tools = vec![WIPEFS];
    tools.extend(stack.array.is_some().then_some(MDADM));
    tools.extend(stack.volume.is_some().then_some(LVM));
    match &stack.filesystem {
        Filesystem::Made { kind, .. } => {
            let tool = filesystem_tool(kind).ok_or_else(|| {
                unsupported(
                    format!("make a `{kind}` filesystem"),
                    "use `ext4`, `xfs`, `btrfs`, `f2fs` or `zfs`",
                )
            })?;
            tools.extend([tool, MOUNT, UMOUNT]);
        }
        Filesystem::None => {}
        // Such a stack has no devices.
        Filesystem::Existing => {}
    }
    for tool in tools {
        tool.find().map_err(|error| {
            error.while_trying(format!("failed to build stack `{}`", stack.name))
        })?;
    }
    Ok(())
}

/// Returns an upper bound of a stack's capacity: its devices' data without mirrors and parity,
/// metadata not counted. The check after the build is exact.
fn capacity_max(stack: &Stack, sizes: &[u64]) -> u64 {
    let all = sizes
        .iter()
        .fold(0, |sum: u64, size| sum.saturating_add(*size));
    let Some(array) = &stack.array else {
        return all;
    };
    let smallest = sizes.iter().copied().min().unwrap_or_default();
    let member = array.size_bytes.map_or(smallest, |size| size.as_u64());
    let count = u64::try_from(sizes.len()).unwrap_or(u64::MAX);
    let of_members = |members: u64| member.saturating_mul(members);
    match array.level {
        Level::Linear | Level::Raid0 if array.size_bytes.is_none() => all,
        Level::Linear | Level::Raid0 => of_members(count),
        Level::Raid1 => member,
        Level::Raid4 | Level::Raid5 => of_members(count.saturating_sub(1)),
        Level::Raid6 => of_members(count.saturating_sub(2)),
        Level::Raid10 => {
            let copies = array
                .layout
                .as_deref()
                .and_then(|layout| layout.get(1..)?.parse().ok());
            of_members(count) / copies.unwrap_or(2).max(1)
        }
    }
}

fn unsupported(what: String, hint: &str) -> WorldError {
    WorldError::Unsupported {
        world: WorldName::Metal,
        what,
        hint: Some(hint.to_owned()),
    }
}

fn check_stack(cell: &Cell) -> Result<(), WorldError> {
    let stack = &cell.stack;
    let is_existing = stack.devices.is_empty()
        && stack.array.is_none()
        && stack.volume.is_none()
        && stack.filesystem == Filesystem::Existing;
    if is_existing {
        return Ok(());
    }
    Err(unsupported(
        format!("build stack `{}` ({}) here", stack.name, stack.summary()),
        "name the block devices that may be destroyed for it: `[may_destroy]` in the study",
    ))
}

/// Direct I/O requires multiples of the device's logical block: 4 KiB on 4Kn disks (open(2)).
fn check_blocks(cells: &[Cell], facts: &Facts) -> Result<(), WorldError> {
    let disks = facts.target.iter().flat_map(|target| &target.disks);
    let blocks = disks.filter_map(|name| Some((name, facts.device(name)?.logical_block_bytes?)));
    let Some((disk, block)) = blocks.max_by_key(|(_, block)| *block) else {
        return Ok(());
    };
    let loads = cells.iter().flat_map(|cell| cell.workload.loads());
    for load in loads.filter(|load| load.direct) {
        let fits = |size: &Bytes| size.as_u64().is_multiple_of(block.as_u64().max(1));
        if let Some(size) = load.block_size.sizes().iter().find(|size| !fits(size)) {
            return Err(unsupported(
                format!(
                    "do direct I/O in blocks of {size}: `{disk}` has a logical block of {block}"
                ),
                "use multiples of the logical block, or `direct = false`",
            ));
        }
    }
    Ok(())
}

fn check_space(cells: &[Cell], facts: &Facts) -> Result<(), WorldError> {
    let needed: u64 = files_of(cells)
        .values()
        .fold(0, |sum, size| sum.saturating_add(size.as_u64()));
    let Some(target) = &facts.target else {
        return Ok(());
    };
    let Some(free) = target.free_bytes else {
        return Ok(());
    };
    let usable = free.as_u64() / 100 * (100 - RESERVE_PERCENT);
    if needed <= usable {
        return Ok(());
    }
    Err(WorldError::plain(format!(
            "too little space in `{}`: the study writes {} of files, and {} are free ({RESERVE_PERCENT} % stay reserved)",
            target.path,
            mib(needed),
            mib(free.as_u64()),
        )).or_hint("free some space, use another `--target`, or lower `size` or `jobs`"))
}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(Bytes::MIB.as_u64()))
}

fn warnings(cells: &[Cell], facts: &Facts) -> Vec<Warning> {
    let mut warnings = stripewise_machine::target_warnings(facts);
    warnings.extend(disks_unknown(facts));
    let compression = facts
        .target
        .as_ref()
        .and_then(|target| target.compression.clone());
    for cell in cells {
        let load = &cell.workload.load;
        if let (Some(compression), true) = (&compression, load.data.is_compressible()) {
            warnings.push(Warning::CompressibleData {
                compression: compression.clone(),
                data: load.data.to_string(),
            });
        }
        warnings.extend(fits_in_memory(load, facts));
        warnings.extend(depth_ignored(load));
        warnings.extend(load.risk.then_some(Warning::RiskNotMeasured));
    }
    let mut distinct: Vec<Warning> = Vec::new();
    for warning in warnings {
        if !distinct.contains(&warning) {
            distinct.push(warning);
        }
    }
    distinct
}

fn disks_unknown(facts: &Facts) -> Option<Warning> {
    let target = facts.target.as_ref()?;
    target.disks.is_empty().then(|| Warning::DisksUnknown {
        filesystem: target
            .filesystem
            .clone()
            .unwrap_or_else(|| "this filesystem".to_owned()),
    })
}

fn fits_in_memory(load: &Load, facts: &Facts) -> Option<Warning> {
    let memory_bytes = facts.memory_bytes?;
    let files_bytes = Bytes::new(
        load.size_bytes
            .as_u64()
            .saturating_mul(u64::from(load.jobs)),
    );
    (!load.direct && files_bytes < memory_bytes).then_some(Warning::FileFitsInMemory {
        files_bytes,
        memory_bytes,
    })
}

/// Buffered libaio completes each I/O before `io_submit` returns (fio's HOWTO, `ioengine`).
fn depth_ignored(load: &Load) -> Option<Warning> {
    (load.engine == Engine::Libaio && !load.direct && load.depth > 1).then(|| {
        Warning::DepthIgnored {
            engine: load.engine.to_string(),
            depth: load.depth,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zfs_partitions_disks_of_known_names_only() {
        for name in ["sda", "nvme0n1", "vdb", "md127", "xvda"] {
            assert!(is_partitioned(name), "{name}");
        }
        // A modelled disk of the lab, among others.
        for name in ["swd0", "loop7", "dm-3", "ram0", "nullb0"] {
            assert!(!is_partitioned(name), "{name}");
        }
    }
}
