//! What can be said about a study before anything is touched: what stands in its way, and what
//! makes its answer worth less.

use stripewise_machine::Root;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::stack::Filesystem;
use stripewise_study::units::Bytes;
use stripewise_study::warning::Warning;
use stripewise_study::workload::{Engine, Load};
use stripewise_study::world::WorldError;

use crate::conditions::{self, Place};
use crate::files::files_of;

/// How much of the free space stays free: filesystems get slow and wrong when they are full.
const RESERVE_PERCENT: u64 = 5;

/// Checks that every cell can be measured on the target as `facts` describe it.
pub(crate) fn check(
    root: &Root,
    cells: &[Cell],
    facts: &Facts,
) -> Result<Vec<Warning>, WorldError> {
    let place = Place::existing(facts);
    for cell in cells {
        check_stack(cell)?;
        conditions::check(root, &cell.conditions, &place)?;
    }
    check_blocks(cells, facts)?;
    check_space(cells, facts)?;
    Ok(warnings(cells, facts))
}

fn unsupported(what: String, hint: &str) -> WorldError {
    WorldError::Unsupported {
        world: "metal",
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
        format!("build stack `{}` ({}) yet", stack.name, stack.summary()),
        "this version measures a filesystem that is there: `filesystem = \"existing\"` without `devices`, and `--target DIR`",
    ))
}

/// Direct I/O wants multiples of the device's logical block: 4 KiB on 4Kn disks (open(2)).
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
                    "do direct I/O in blocks of {size}: the logical block of `{disk}` is {block}"
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
    Err(WorldError::Failed {
        attempted: format!(
            "too little space in `{}`: the study writes {} of files, {} are free ({RESERVE_PERCENT} % are kept free)",
            target.path,
            mib(needed),
            mib(free.as_u64()),
        ),
        hint: Some("make room, name another `--target`, or lower `size` or `jobs`".to_owned()),
        source: None,
    })
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
            why: "without direct I/O it completes each one at once".to_owned(),
        }
    })
}
