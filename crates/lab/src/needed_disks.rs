//! The disks that a guest needs for a study: how many of each profile, how large, which written
//! data they store, and the memory for it.

use std::collections::BTreeMap;

use stripewise_profiles::Profiles;
use stripewise_profiles::device::calibrated::CacheSetting;
use stripewise_study::plan::Study;
use stripewise_study::stack::{Array, Bitmap, Filesystem, Stack};
use stripewise_units::Bytes;

use crate::disk::{Blank, DiskModel, DiskName, DiskStore, EDGES_BYTES, Seed};
use crate::profile_disk::{DiskInstance, UnmodelledDisk, disk_model};
use crate::wire::Disk;

/// The memory of a guest without its disks' stores.
const MEMORY_MIB: u64 = 1024;
/// What a disk stores besides the test files: metadata, journals, superblocks.
const METADATA_BYTES: u64 = 256 << 20;
/// What a disk without a filesystem stores at each end: superblocks, bitmaps, partition tables;
/// `imsm` reserves 3.1 MiB at the end (mdadm, `imsm_reserved_sectors`).
const METADATA_EDGE_BYTES: u64 = 4 << 20;
/// The most disks that a guest can have.
const DISKS_MAX: usize = 64;

/// The profile name of the disk under an existing filesystem: it has zero service time.
pub const EXISTING_PROFILE: &str = "existing";

/// The sizes that determine the disks and their stores.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The size of each disk, instead of its profile's.
    pub disk_size_bytes: Option<Bytes>,
    /// The guest's memory, which holds the stores.
    pub memory_mib: u32,
    /// The size of the test files of all cells.
    pub files_bytes: u64,
}

impl Room {
    /// Returns a store for the test files of all cells and their metadata, or larger if `--memory`
    /// leaves more: a filesystem may put rewritten data elsewhere.
    fn all_of(self) -> DiskStore {
        let left_mib = u64::from(self.memory_mib).saturating_sub(MEMORY_MIB);
        let needed = self.files_bytes.saturating_add(METADATA_BYTES);
        DiskStore::All {
            bytes_max: needed.max(left_mib << 20),
        }
    }
}

/// Returns the disks that any stack of `study` needs, with their commands.
///
/// # Errors
/// The first disk that cannot be modelled, or too many of them.
pub fn disks(study: &Study, profiles: &Profiles, room: Room) -> Result<Vec<Disk>, UnmodelledDisk> {
    let models = models(study, profiles, room)?.into_iter();
    let disks = models.zip(0_u8..).map(|((profile, disk), number)| {
        let name = DiskName::new(number);
        match disk.command(name) {
            Ok(command) => Ok(Disk {
                profile,
                name,
                has_many_queues: disk.link.full_duplex,
                command,
            }),
            Err(source) => Err(UnmodelledDisk::Refused {
                name: profile,
                source,
            }),
        }
    });
    disks.collect()
}

/// Returns the memory that a guest needs for `study`, including its disks' stores.
///
/// # Errors
/// As [`disks`].
pub fn memory_needed_mib(
    study: &Study,
    profiles: &Profiles,
    room: Room,
) -> Result<u64, UnmodelledDisk> {
    let models = models(study, profiles, room)?;
    let kept = models.iter().map(|(_, disk)| match disk.store {
        DiskStore::All { bytes_max } => bytes_max,
        DiskStore::Edges { bytes, .. } => bytes.saturating_mul(2),
    });
    let kept_mib = kept.fold(0, u64::saturating_add) >> 20;
    Ok(MEMORY_MIB.saturating_add(kept_mib))
}

/// Returns the disks with their profile names, as many of each as the largest stack has.
fn models(
    study: &Study,
    profiles: &Profiles,
    room: Room,
) -> Result<Vec<(String, DiskModel)>, UnmodelledDisk> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for cell in &study.cells {
        for (profile, count) in cell.stack.counts_by_profile() {
            let most = counts.entry(profile).or_default();
            *most = count.max(*most);
        }
    }
    let keeps_all = keeps_all(study);
    let mut disks: Vec<(String, DiskModel)> = Vec::new();
    for (profile, count) in counts {
        let device = profiles.device(profile)?;
        for _ in 0..count {
            let size = room.disk_size_bytes.map(Bytes::as_u64);
            let size_bytes = size.unwrap_or(device.capacity_bytes);
            let placed = DiskInstance {
                size_bytes,
                cache: CacheSetting {
                    is_on: true,
                    flushes: true,
                },
                store: match keeps_all {
                    true => room.all_of(),
                    false => edges_of(study, size_bytes),
                },
                // Every sample sets its own.
                seed: Seed::new(0),
            };
            disks.push((profile.to_owned(), disk_model(device, placed)?));
            if disks.len() > DISKS_MAX {
                return Err(UnmodelledDisk::TooMany { max: DISKS_MAX });
            }
        }
    }
    if on_existing(study) {
        let size = room
            .files_bytes
            .saturating_mul(2)
            .saturating_add(METADATA_BYTES);
        let disk = DiskModel {
            store: room.all_of(),
            ..DiskModel::instant(size.next_multiple_of(1 << 20))
        };
        disks.push((EXISTING_PROFILE.to_owned(), disk));
    }
    Ok(disks)
}

/// Returns whether any cell uses an existing filesystem.
pub fn on_existing(study: &Study) -> bool {
    let mut stacks = study.cells.iter().map(|cell| &cell.stack);
    stacks.any(|stack| stack.filesystem == Filesystem::Existing)
}

/// Returns whether disks must store everything: for a filesystem, for verification, and for LVM on
/// a far layout, where copies of its metadata lie in the middle of members.
fn keeps_all(study: &Study) -> bool {
    study.cells.iter().any(|cell| {
        let is_verified = cell.workload.loads().any(|load| load.verify);
        let stack = &cell.stack;
        let layout = stack.array.as_ref().and_then(|array| array.layout.as_ref());
        let is_far = layout.is_some_and(|layout| layout.starts_with('f'));
        is_verified || stack.filesystem != Filesystem::None || (is_far && stack.volume.is_some())
    })
}

/// Returns a store for the metadata of the layers of `study`.
///
/// No more than that: the guest's CPU copies stored data, and copying test data would cost time
/// that no controller takes. LVM writes at the array's data offset, which is below a thousandth of
/// a disk and at most 128 MiB (mdadm, `validate_geometry1`); a bitmap with an explicit chunk size
/// may fill the space before it. All other metadata is shorter than [`METADATA_EDGE_BYTES`].
fn edges_of(study: &Study, size_bytes: u64) -> DiskStore {
    let is_long = |stack: &Stack| {
        let array = stack.array.as_ref();
        let has_chunk = |array: &Array| {
            matches!(
                array.bitmap,
                Bitmap::Internal {
                    chunk_bytes: Some(_)
                }
            )
        };
        stack.volume.is_some() || array.is_some_and(has_chunk)
    };
    let bytes = match study.cells.iter().any(|cell| is_long(&cell.stack)) {
        true => EDGES_BYTES,
        false => METADATA_EDGE_BYTES,
    };
    DiskStore::Edges {
        bytes: bytes.min((size_bytes / 32).next_multiple_of(4096)),
        blank: Blank::Untouched,
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    fn keeps(stack: &str) -> bool {
        let study = format!(
            "[stack.x]\ndevices = {{ four-ssd-sata = 4 }}\nfilesystem = \"none\"\n{stack}[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n"
        );
        keeps_all(&stripewise_fixtures::study(&study))
    }

    #[test]
    fn disks_store_everything_if_far_copies_of_lvm_metadata_lie_in_the_middle() {
        let far = "array = { level = \"raid10\", layout = \"f2\" }\n";
        let near = "array = { level = \"raid10\", layout = \"n2\" }\n";
        let volume = "volume = \"linear\"\n";
        assert!(keeps(&format!("{far}{volume}")));
        assert!(!keeps(&format!("{near}{volume}")));
        assert!(!keeps(far));
    }
}
