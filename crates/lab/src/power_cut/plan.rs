//! What a study's cells mean for power cuts: the load of records, the disks, and what is refused.

use std::collections::BTreeMap;

use crate::durability_load::{DatabaseLoad, DurabilityLoad};
use stripewise_database::{Kind, PAYLOAD_BYTES_MAX, Settings};
use stripewise_powercut::crash::Drive;
use stripewise_powercut::load::{DurableBy, Load as Records};
use stripewise_powercut::promise::Pattern;
use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_profiles::{NoSuchProfile, Profiles};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::cut::CutOptions;
use stripewise_study::keys::Backend;
use stripewise_study::program::Program;
use stripewise_study::stack::Filesystem;
use stripewise_study::workload::{BlockSize, Database, DatabaseProgram, SyncMode};
use stripewise_units::Bytes;

use crate::held_disks::HeldShape;
use crate::wire::{HeldDisk, PLACES_MAX};

/// The size of each disk, unless the user names another: mkfs.xfs needs 300 MiB.
pub const DISK_BYTES_DEFAULT: u64 = 512 << 20;
/// The files of all writers have at most this size together: they are written and read for each cut.
const FILES_BYTES_MAX: u64 = 32 << 20;
/// The filesystems that need no other device, daemon or state in the kernel.
const ALONE: [&str; 3] = ["ext4", "xfs", "btrfs"];
/// The most disks of a guest: the slots of its bus.
const DISKS_MAX: usize = 24;

/// A cell cannot be cut.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A key of the study has no meaning here.
    #[error("cannot cut the power of stack `{stack}`: {why}")]
    Unsupported {
        /// The stack of the cell.
        stack: String,
        /// The obstacle.
        why: String,
        /// What to do.
        hint: &'static str,
    },
    /// The study needs too many disks.
    #[error("a guest has at most {DISKS_MAX} disks, and the study needs {needed}")]
    TooMany {
        /// How many it needs.
        needed: usize,
    },
    /// A profile is missing.
    #[error(transparent)]
    Profile(#[from] NoSuchProfile),
}

impl PlanError {
    /// Returns what to do, if known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            PlanError::Unsupported { hint, .. } => Some(hint),
            PlanError::TooMany { .. } => Some("split the study"),
            PlanError::Profile(_) => None,
        }
    }
}

/// Returns the load of records that stands for a cell's load: as many writers as jobs, records of
/// the block size, made durable as the load does. Its files are at most 32 MiB together.
///
/// # Errors
/// If the cell needs anything that a load of records does not do.
pub fn work_of(cell: &Cell, seed: u64) -> Result<DurabilityLoad, PlanError> {
    let refused = obstacle(cell);
    if let Some((why, hint)) = refused {
        return Err(PlanError::Unsupported {
            stack: cell.stack.name.clone(),
            why,
            hint,
        });
    }
    let load = &cell.workload.load;
    if let Some(program) = &cell.workload.program {
        return program_of(cell, program);
    }
    if let Some(database) = &cell.workload.database {
        return database_of(cell, database, seed);
    }
    let record_bytes = load.block_size.largest().as_u64();
    let jobs = u64::from(load.jobs.max(1));
    let each = (FILES_BYTES_MAX / jobs).min(load.size_bytes.as_u64());
    let most = PLACES_MAX as u64 / jobs;
    let durable_by = match (load.fsync_every, load.fdatasync_every, load.sync) {
        (Some(every), _, _) => DurableBy::Fsync(every.get()),
        (None, Some(every), _) => DurableBy::Fdatasync(every.get()),
        (None, None, SyncMode::Sync) => DurableBy::Sync,
        (None, None, SyncMode::Dsync) => DurableBy::Dsync,
        (None, None, SyncMode::None) => DurableBy::Nothing,
    };
    Ok(DurabilityLoad::Records(Records {
        seed,
        order_seed: seed,
        writers: load.jobs.max(1),
        record_bytes: u32::try_from(record_bytes).unwrap_or(u32::MAX),
        places: (each / record_bytes.max(1)).clamp(1, most.max(1)),
        is_random: load.pattern.is_random(),
        is_filled: cell.conditions.fill != Some(false),
        durable_by,
        is_direct: load.direct,
    }))
}

/// Refuses a cell whose stack is more than a filesystem on one disk, or no filesystem: without a
/// guest, only these vanish with the process that made them.
///
/// # Errors
/// If the stack has anything else.
pub(super) fn require_alone(cell: &Cell) -> Result<(), PlanError> {
    const HINT: &str = "use `--world lab`, which cuts the power of a guest";
    let stack = &cell.stack;
    let kept = "would stay in this machine's kernel if the program were killed";
    let why = match &stack.filesystem {
        _ if stack.array.is_some() => Some(format!("its array {kept}")),
        _ if stack.volume.is_some() => Some(format!("its volume group {kept}")),
        Filesystem::Made { kind, .. } if !ALONE.contains(&kind.as_str()) => Some(format!(
            "without a guest, the filesystem is one of {}: `{kind}`",
            ALONE.join(", ")
        )),
        _ if stack.device_count() != 1 => Some(format!(
            "without a guest, a stack has one device: {}",
            stack.device_count()
        )),
        _ => None,
    };
    match why {
        None => Ok(()),
        Some(why) => Err(PlanError::Unsupported {
            stack: stack.name.clone(),
            why,
            hint: HINT,
        }),
    }
}

/// Returns the program that takes the place of a cell's load.
fn program_of(cell: &Cell, program: &Program) -> Result<DurabilityLoad, PlanError> {
    let unsupported = |why: String, hint| PlanError::Unsupported {
        stack: cell.stack.name.clone(),
        why,
        hint,
    };
    if cell.stack.filesystem == Filesystem::None {
        let hint = "add `filesystem = \"ext4\"` to the stack";
        return Err(unsupported("a program needs a filesystem".to_owned(), hint));
    }
    if let Some(pattern) = &program.acknowledgement {
        Pattern::parse(pattern).map_err(|error| {
            let hint = "for instance `acknowledgement = \"INSERTED {id}\"`";
            unsupported(format!("`acknowledgement` cannot be used: {error}"), hint)
        })?;
    }
    Ok(DurabilityLoad::Program(program.clone()))
}

/// Refuses a program in a guest, which has none of this machine's programs.
///
/// # Errors
/// If the cell has a program.
pub(super) fn refuse_program(cell: &Cell) -> Result<(), PlanError> {
    match cell.workload.program {
        None => Ok(()),
        Some(_) => Err(PlanError::Unsupported {
            stack: cell.stack.name.clone(),
            why: "a guest has none of this machine's programs".to_owned(),
            hint: "use `--world metal`, which needs no guest",
        }),
    }
}

/// Refuses a moment of the cut that only a program can name.
///
/// # Errors
/// If the cell has no program, and the cut is to follow its lines.
pub(super) fn require_moment(cell: &Cell, cuts: CutOptions) -> Result<(), PlanError> {
    match cell.workload.program {
        None if !cuts.moment.is_load() => Err(PlanError::Unsupported {
            stack: cell.stack.name.clone(),
            why: "only a program prints when it is quiet, has ended or does maintenance".to_owned(),
            hint: "leave out `--cut-at`, or name a `[program]`",
        }),
        _ => Ok(()),
    }
}

/// Returns the transactions that take the place of a cell's load: a client for each job.
fn database_of(cell: &Cell, database: &Database, seed: u64) -> Result<DurabilityLoad, PlanError> {
    let unsupported = |why: String, hint| PlanError::Unsupported {
        stack: cell.stack.name.clone(),
        why,
        hint,
    };
    if cell.stack.filesystem == Filesystem::None {
        let hint = "add `filesystem = \"ext4\"` to the stack";
        return Err(unsupported(
            "a database needs a filesystem".to_owned(),
            hint,
        ));
    }
    let kind = match database.program {
        DatabaseProgram::MariaDb => Kind::MariaDb,
        DatabaseProgram::PostgreSql => Kind::PostgreSql,
    };
    let settings = Settings::new(kind, &database.settings).map_err(|error| {
        let hint = "see `settings` of `database` in docs/study.md";
        unsupported(error.to_string(), hint)
    })?;
    let record = cell.workload.load.block_size.largest().as_u64();
    Ok(DurabilityLoad::Database(DatabaseLoad {
        settings,
        load: stripewise_database::Load {
            seed,
            payload_bytes: u32::try_from(record)
                .unwrap_or(u32::MAX)
                .min(PAYLOAD_BYTES_MAX),
        },
        writers: cell.workload.load.jobs.max(1),
    }))
}

/// Returns what a cell asks for that is not possible here, and what to do.
fn obstacle(cell: &Cell) -> Option<(String, &'static str)> {
    let load = &cell.workload.load;
    if load.pattern.reads() {
        return Some((
            format!("`{}` reads, and only writes can be lost", load.pattern),
            "use `pattern = \"write\"` or `\"randwrite\"`",
        ));
    }
    if load.depth > 1 {
        return Some((
            format!(
                "a record is acknowledged before the next one: depth {}",
                load.depth
            ),
            "use `depth = 1` and more `jobs`",
        ));
    }
    if !matches!(load.block_size, BlockSize::Fixed(size) if is_record(size)) {
        return Some((
            format!(
                "a record has one size from 512 bytes to 1M: `{}`",
                load.block_size
            ),
            "use one `block_size` that is a multiple of 512",
        ));
    }
    if load.jobs > 64 {
        return Some((format!("{} jobs", load.jobs), "use at most 64 `jobs`"));
    }
    if let Some((key, _)) = load.refused_by(Backend::PowerCut) {
        return Some((
            format!("records do not follow `{}`", key.name),
            "leave it out of `[workload]`",
        ));
    }
    if !cell.workload.neighbours.is_empty() {
        return Some((
            "the records of neighbours would not be followed".to_owned(),
            "leave the neighbours out",
        ));
    }
    if cell.stack.filesystem == Filesystem::Existing || cell.stack.devices.is_empty() {
        return Some((
            "it names no devices of its own".to_owned(),
            "name them: `devices = { \"PROFILE\" = 3 }`",
        ));
    }
    beyond(&cell.conditions).map(|key| {
        (
            format!("`{key}` does not change what a cut loses here, or cannot be set"),
            "leave it out of `[conditions]`",
        )
    })
}

fn is_record(size: Bytes) -> bool {
    (512..=1 << 20).contains(&size.as_u64()) && size.as_u64().is_multiple_of(512)
}

/// Returns the first condition that changes nothing in what a cut loses, or that cannot be set.
fn beyond(conditions: &Conditions) -> Option<&'static str> {
    let refused = conditions.refused_by(Backend::PowerCut);
    let beside = [
        ("sysctl", !conditions.sysctl.is_empty()),
        ("failure", conditions.failure.is_some()),
    ];
    let beside = beside.into_iter().find(|(_, is_set)| *is_set);
    let refused = refused.map(|(key, _)| key.name);
    refused.or(beside.map(|(key, _)| key))
}

/// Returns the disks that any of the cells needs, as many of each profile as the largest stack has.
///
/// # Errors
/// If a profile is missing, or there are too many disks.
pub fn shapes(
    cells: &[Cell],
    profiles: &Profiles,
    size_bytes: u64,
) -> Result<Vec<HeldShape>, PlanError> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for cell in cells {
        for (profile, count) in cell.stack.counts_by_profile() {
            let most = counts.entry(profile).or_default();
            *most = count.max(*most);
        }
    }
    let mut shapes = Vec::new();
    for (profile, count) in counts {
        let device = profiles.device(profile)?;
        for _ in 0..count {
            shapes.push(HeldShape {
                name: HeldDisk {
                    profile: profile.to_owned(),
                    serial: format!("held{}", shapes.len()),
                },
                size_bytes,
                drive: drive(device),
            });
        }
    }
    match shapes.len() {
        needed if needed > DISKS_MAX => Err(PlanError::TooMany { needed }),
        _ => Ok(shapes),
    }
}

/// Returns what a drive promises, by its profile. A measured drive does not say how large its cache
/// is: any unflushed write may be in it.
fn drive(device: &DeviceProfile) -> Drive {
    let (is_volatile, cache_bytes) = match &device.model {
        Model::Calibrated(calibrated) => (calibrated.cache.is_volatile, u64::MAX),
        Model::Disk(disk) => (disk.write_cache_bytes > 0, disk.write_cache_bytes),
        Model::Flash(flash) => (flash.write_buffer_is_volatile, flash.write_buffer_bytes),
    };
    Drive {
        is_volatile,
        cache_bytes,
        sector_bytes: u32::try_from(device.physical_block_bytes).unwrap_or(512),
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    fn cell(stack: &str, workload: &str, rest: &str) -> Cell {
        let study = format!(
            "[stack.x]\ndevices = {{ sata-ssd = 2 }}\narray = {{ level = \"raid1\" }}\n{stack}[workload]\n{workload}{rest}"
        );
        stripewise_fixtures::cell(&study)
    }

    const WRITES: &str = "pattern = \"randwrite\"\nblock_size = \"16K\"\nsize = \"4G\"\n";

    #[test]
    fn a_load_becomes_records_that_are_made_durable_the_same_way() {
        let work = |more: &str| {
            let DurabilityLoad::Records(load) =
                work_of(&cell("", &format!("{WRITES}{more}"), ""), 7).unwrap()
            else {
                panic!("it has no database")
            };
            (
                load.writers,
                load.record_bytes,
                load.places,
                load.durable_by,
            )
        };
        assert_eq!(
            work("fdatasync = 1\n"),
            (1, 16 << 10, 2048, DurableBy::Fdatasync(1))
        );
        assert_eq!(
            work("fsync = 8\njobs = 4\n"),
            (4, 16 << 10, 512, DurableBy::Fsync(8))
        );
        assert_eq!(work("sync = \"dsync\"\n").3, DurableBy::Dsync);
        assert_eq!(work("").3, DurableBy::Nothing);
    }

    #[test]
    fn a_database_has_a_client_for_each_job_and_takes_known_settings_on_a_filesystem() {
        let database = |filesystem: &str, setting: &str| {
            let database = format!(
                "jobs = 3\ndatabase = {{ program = \"mariadb\", settings = {{ {setting} }} }}\n"
            );
            work_of(&cell(filesystem, &format!("{WRITES}{database}"), ""), 7)
        };
        let ext4 = "filesystem = \"ext4\"\n";
        let work = database(ext4, "innodb_flush_log_at_trx_commit = 2").unwrap();
        let DurabilityLoad::Database(work) = work else {
            panic!("it has a database")
        };
        assert_eq!((work.writers, work.load.payload_bytes), (3, 4096));
        let set = work.settings.get("innodb_flush_log_at_trx_commit");
        assert_eq!(set, Some("2"));
        for (filesystem, setting, expected) in [
            ("", "", "needs a filesystem"),
            (ext4, "plugin_load = \"x\"", "plugin_load"),
        ] {
            let error = database(filesystem, setting).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn what_records_cannot_do_is_refused_by_name() {
        let refused = |workload: &str, rest: &str| {
            let error = work_of(&cell("", workload, rest), 7).unwrap_err();
            assert!(error.hint().is_some());
            error.to_string()
        };
        let deep = format!("{WRITES}engine = \"libaio\"\ndepth = 4\n");
        let split = "pattern = \"write\"\nblock_size = \"4K/50:8K/50\"\nsize = \"1M\"\n";
        let unmapped = format!("{WRITES}norandommap = true\n");
        let skewed = format!("{WRITES}distribution = \"zipf:1.2\"\n");
        let reads = "pattern = \"randrw\"\nmix = \"50/50\"\nblock_size = \"4K\"\nsize = \"1M\"\n";
        for (workload, rest, expected) in [
            (deep.as_str(), "", "depth 4"),
            (split, "", "one size"),
            (reads, "", "`randrw` reads"),
            (&unmapped, "", "`norandommap`"),
            (&skewed, "", "`distribution`"),
            (
                WRITES,
                "[conditions]\ngovernor = \"performance\"\n",
                "`governor`",
            ),
            (
                WRITES,
                "[conditions]\nwrite_cache = \"off\"\n",
                "`write_cache`",
            ),
        ] {
            let error = refused(workload, rest);
            assert!(error.contains(expected), "{error}");
        }
    }
}
