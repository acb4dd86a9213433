//! The lengths at which the block layer cuts bios, for an array and for a member.
//!
//! An array's queue has the limits of its members (`blk_stack_limits`) and a few of its own, and
//! bios are cut at them before md sees them (`bio_split_to_limits`). So a mirror balances a long
//! read piece by piece.

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::kernel::{ArrayRequestMax, ParityRequestMax, Policy};
use stripewise_study::stack::Level;
use stripewise_units::Bytes;

use super::Setup;
use super::layers::Mapping;
use crate::io::BioLimit;
use crate::units::Sectors;

/// The blocks of 4 KiB that a parity array takes at once (`RAID5_MAX_REQ_STRIPES`).
const PARITY_REQUEST: Sectors = Sectors::new(256 * 8);

/// Returns the limit of a device itself (`max_hw_sectors`).
fn hardware_max(profile: &DeviceProfile) -> Sectors {
    let max = profile.request_bytes_max.unwrap_or(u64::MAX);
    Sectors::from_bytes(Bytes::new(max)).max(BioLimit::PAGE)
}

/// Returns the kernel's own limit, unless `max_sectors_kb` is set.
fn kernel_max(policy: &Policy) -> Sectors {
    let max = Bytes::new(u64::from(policy.member_request_max_kib) * 1024);
    Sectors::from_bytes(max).max(BioLimit::PAGE)
}

/// Returns the multiple at which the block layer cuts bios for an array of these devices, or for a
/// single one (`blk_stack_limits`: the largest physical block).
fn cut_block<'a>(policy: &Policy, devices: impl IntoIterator<Item = &'a DeviceProfile>) -> Sectors {
    let blocks = devices
        .into_iter()
        .map(|profile| profile.physical_block_bytes);
    let largest = blocks.max().filter(|_| policy.bios_cut_at_physical_blocks);
    Sectors::from_bytes(Bytes::new(largest.unwrap_or(Sectors::BYTES)))
}

impl Setup<'_> {
    /// Returns the limit of a member.
    pub(super) fn of_member(&self, policy: &Policy, profile: &DeviceProfile) -> BioLimit {
        let max = Sectors::from_bytes(Bytes::new(self.request_limit_bytes(policy)));
        BioLimit {
            max: hardware_max(profile).min(max.max(BioLimit::PAGE)),
            block: cut_block(policy, [profile]),
            border: None,
        }
    }

    /// Returns the `max_sectors_kb` that the array takes over from its members when it is created.
    ///
    /// A RAID 0 has set `max_hw_sectors` before, which caps it at the kernel's limit (`raid0_run`,
    /// `blk_queue_max_hw_sectors`). RAID 4, 5 and 6 set it afterwards since 6.0, which forgets the
    /// members' (`raid5_run` in 6.1.192), until `blk_validate_limits` takes the stacked
    /// `max_user_sectors` (6.12.117).
    fn taken_over(&self, policy: &Policy, level: Level) -> Option<Sectors> {
        let asked = self.asked_request()?;
        let is_stacked = policy.array_request_max == ArrayRequestMax::OptimalIo;
        match level {
            _ if is_stacked => Some(asked),
            Level::Raid0 => Some(asked.min(kernel_max(policy))),
            Level::Raid4 | Level::Raid5 | Level::Raid6 => {
                let is_forgotten = policy.parity.request_max != ParityRequestMax::Any;
                (!is_forgotten).then_some(asked)
            }
            Level::Linear | Level::Raid1 | Level::Raid10 => Some(asked),
        }
    }

    /// Returns the limit of the array's queue. `row` is the data of a row of chunks, its optimal
    /// I/O size; `own` is the limit that the level sets itself; `border` is where bios are cut
    /// (`chunk_sectors`), if the level has one.
    fn of_array(
        &self,
        policy: &Policy,
        row: Sectors,
        own: Option<Sectors>,
        border: Option<Sectors>,
    ) -> BioLimit {
        let hardware = self.devices.iter().map(|profile| hardware_max(profile));
        let hardware = hardware.chain(own).min().unwrap_or(PARITY_REQUEST);
        let kernel = kernel_max(policy);
        let is_long = policy.array_request_max == ArrayRequestMax::OptimalIo && row > kernel;
        let level = self.stack.array.as_ref().map(|array| array.level);
        let asked = level.and_then(|level| self.taken_over(policy, level));
        BioLimit {
            max: hardware.min(match asked {
                Some(asked) => asked,
                None if is_long => row,
                None => kernel,
            }),
            block: cut_block(policy, self.devices.iter().copied()),
            border,
        }
    }

    /// Returns the limit of a RAID 0 of `members` with chunks of `chunk`, whose `max_hw_sectors` is
    /// the chunk (`raid0_run`, `raid0_set_limits`).
    pub(super) fn of_raid0(&self, policy: &Policy, chunk: Sectors, members: u64) -> BioLimit {
        let row = Sectors::new(chunk.get() * members);
        let border = policy.raid0_cut_at_chunks.then_some(chunk);
        self.of_array(policy, row, Some(chunk), border)
    }

    /// Returns the limit of the array's queue; `None` for a single device, for a RAID 0, which
    /// splits bios itself, and without an array.
    pub(super) fn array_limit(&self, policy: &Policy, mapping: &Mapping) -> Option<BioLimit> {
        let array = self.stack.array.as_ref()?;
        let chunk = array.chunk_bytes.map(Sectors::from_bytes);
        let none = Sectors::default();
        match mapping {
            Mapping::Single | Mapping::Striped(..) | Mapping::Btrfs(_) | Mapping::Zfs(_) => None,
            Mapping::Linear(_) | Mapping::Raid1(..) => {
                Some(self.of_array(policy, none, None, None))
            }
            Mapping::Raid10(map, _) => {
                let (members, near) = (self.devices.len() as u64, map.layout().near_copies());
                // `raid10_nr_stripes`.
                let stripes = match members % u64::from(near) {
                    0 => members / u64::from(near),
                    _ => members,
                };
                let row = Sectors::new(chunk?.get() * stripes);
                let border = chunk.filter(|_| policy.raid10_cut_at_chunks);
                Some(self.of_array(policy, row, None, border))
            }
            Mapping::Parity(array) => {
                let geometry = array.parity.geometry();
                let data = u64::from(geometry.data_members());
                let row = Sectors::new(geometry.chunk_sectors() * data);
                let own = match policy.parity.request_max {
                    ParityRequestMax::Any => None,
                    ParityRequestMax::Blocks => Some(PARITY_REQUEST),
                    ParityRequestMax::Row => Some(PARITY_REQUEST.max(row)),
                };
                let border = policy.parity.cut_at_rows.then_some(row);
                Some(self.of_array(policy, row, own, border))
            }
        }
    }
}
