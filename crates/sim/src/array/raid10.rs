//! RAID 10: which members hold the copies of a chunk.
//!
//! The array's chunks are laid out `near` times in a row over the devices, so that near copies lie
//! beside each other; each of those columns is then repeated `far` times, every time `near` devices
//! further on and one *stride* further down. The stride is the next chunk for `offset` layouts and
//! the next section of the device for `far` layouts:
//!
//! ```text
//!  n2, 3 disks      f2, 3 disks      o2, 3 disks
//!  A A B            A B C            A B C
//!  B C C            D E F            C A B
//!                   C A B            D E F
//!                   F D E            F D E
//! ```
//!
//! Source: `setup_geo`, `calc_sectors`, `raid10_size`, `__raid10_find_phys` and `raid10_find_virt`
//! in `drivers/md/raid10.c`, the same rules in 3.10, 4.1, 4.9, 6.1 and 6.12 except for the far sets
//! (see [`FarSets`]); md(4), "RAID10".

use stripewise_units::Bytes;

use crate::io::{Member, Place};
use crate::units::Sectors;

/// The maximum copies of a chunk in the model; md's format would allow 255 x 255.
pub const COPIES_MAX: usize = 16;

/// The maximum members of an array, far more than mdadm creates.
const DEVICES_MAX: u16 = 4096;

/// The smallest chunk of md: a page.
const CHUNK_SECTORS_MIN: u64 = 8;

/// Which members a far copy may move to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FarSets {
    /// All of them: what mdadm creates.
    Whole,
    /// The devices divided by the far copies: bit 17 alone, the first and unsafe form (3.9).
    Divided,
    /// As many devices as there are copies: bit 18, as documented (4.3; unknown to older kernels).
    Copies,
}

/// A RAID 10 layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    near_copies: u8,
    far_copies: u8,
    offset: bool,
    far_sets: FarSets,
}

/// An array that md would refuse, or that the model does not support.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Raid10Error {
    /// Not a layout of md.
    #[error("`{text}` is not a RAID 10 layout such as `n2`, `f2` or `o2`")]
    Layout {
        /// The text.
        text: String,
    },
    /// Two copies would lie on one device.
    #[error("{copies} copies need {copies} devices; only {available} are available")]
    Copies {
        /// The copies of a chunk.
        copies: u32,
        /// The devices available to them.
        available: u16,
    },
    /// More copies or devices than the model supports.
    #[error("{copies} copies on {devices} devices are more than the model supports")]
    TooMany {
        /// The copies of a chunk.
        copies: u32,
        /// The devices.
        devices: u16,
    },
    /// md would write two chunks to one place.
    #[error("with {devices} devices, near and far copies overlap")]
    Collision {
        /// The devices.
        devices: u16,
    },
    /// The chunk is not a power of two of at least a page.
    #[error("a chunk of {chunk} is not a power of two of at least 4K")]
    Chunk {
        /// The chunk.
        chunk: Bytes,
    },
    /// Not even one chunk fits.
    #[error("a device of {device_size} is too small for a chunk of {chunk} and its copies")]
    Device {
        /// The size of a device's data area.
        device_size: Sectors,
        /// The chunk.
        chunk: Bytes,
    },
}

impl Layout {
    /// Reads mdadm's name of a layout: `n2`, `f3`, `o2`.
    ///
    /// # Errors
    /// [`Raid10Error::Layout`] if md has no such layout.
    pub fn parse(text: &str) -> Result<Self, Raid10Error> {
        let error = || Raid10Error::Layout {
            text: text.to_owned(),
        };
        let mut characters = text.chars();
        let kind = characters.next().ok_or_else(error)?;
        let digits = characters.as_str();
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(error());
        }
        let copies: u8 = digits.parse().map_err(|_| error())?;
        let (near_copies, far_copies, offset) = match (kind, copies) {
            (_, 0) => return Err(error()),
            ('n', copies) => (copies, 1, false),
            ('f', copies) => (1, copies, false),
            ('o', copies) => (1, copies, true),
            _ => return Err(error()),
        };
        Ok(Self {
            near_copies,
            far_copies,
            offset,
            far_sets: FarSets::Whole,
        })
    }

    /// Reads md's number of a layout, as in `/sys/block/md0/md/layout`: `0x102` is `n2`.
    ///
    /// The lowest byte counts near copies, the next one far copies; bit 16 is `offset`, bits 17 and
    /// 18 choose the far sets (`setup_geo` of 4.3 and later; older ones know bit 17 only).
    ///
    /// # Errors
    /// [`Raid10Error::Layout`] if md has no such layout.
    pub fn from_number(number: u32) -> Result<Self, Raid10Error> {
        let [near_copies, far_copies, flags, rest] = number.to_le_bytes();
        let far_sets = match flags >> 1 {
            0 => Some(FarSets::Whole),
            1 => Some(FarSets::Divided),
            2 => Some(FarSets::Copies),
            _ => None,
        };
        match far_sets {
            Some(far_sets) if near_copies > 0 && far_copies > 0 && rest == 0 => Ok(Self {
                near_copies,
                far_copies,
                offset: flags & 1 != 0,
                far_sets,
            }),
            _ => Err(Raid10Error::Layout {
                text: format!("{number:#x}"),
            }),
        }
    }

    /// Returns how many copies of a chunk lie beside each other.
    pub const fn near_copies(self) -> u8 {
        self.near_copies
    }

    /// Returns how many times each of them is repeated elsewhere.
    pub const fn far_copies(self) -> u8 {
        self.far_copies
    }

    /// Returns how many copies of a chunk there are.
    pub(crate) fn copies(self) -> u32 {
        u32::from(self.near_copies) * u32::from(self.far_copies)
    }
}

/// The address mapping of one array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raid10 {
    layout: Layout,
    devices: u16,
    far_set_devices: u16,
    /// The sectors of a chunk, as a power of two: a division for each I/O would be too slow.
    chunk_shift: u32,
    /// The distance from one far copy to the next on the device.
    stride_sectors: u64,
    size_chunks: u64,
    /// The used sectors of each device.
    used_sectors: u64,
}

/// The devices among which far copies rotate.
struct FarSet {
    first: u16,
    devices: u16,
}

impl Raid10 {
    /// Returns the mapping of an array of `devices` members of `device_size` each (their data
    /// areas; md uses as much of each as the smallest has).
    ///
    /// # Errors
    /// [`Raid10Error`] if the kernel refuses such an array, or its copies are not on different
    /// devices.
    pub fn new(
        layout: Layout,
        devices: u16,
        chunk: Bytes,
        device_size: Sectors,
    ) -> Result<Self, Raid10Error> {
        let chunk_sectors = Sectors::from_bytes(chunk).get();
        if !chunk.as_u64().is_power_of_two() || chunk_sectors < CHUNK_SECTORS_MIN {
            return Err(Raid10Error::Chunk { chunk });
        }
        let far_set_devices = far_set_devices(layout, devices)?;
        let far_copies = u64::from(layout.far_copies);
        let rows = device_size.get() / chunk_sectors / far_copies;
        let size_chunks = rows * u64::from(devices) / u64::from(layout.near_copies);
        if size_chunks == 0 {
            return Err(Raid10Error::Device { device_size, chunk });
        }
        // Rounded up: with an odd number of devices the last row of near copies is not full.
        let used_chunks = (size_chunks * u64::from(layout.copies())).div_ceil(u64::from(devices));
        let stride_chunks = if layout.offset {
            1
        } else {
            used_chunks / far_copies
        };
        Ok(Self {
            layout,
            devices,
            far_set_devices,
            chunk_shift: chunk_sectors.trailing_zeros(),
            stride_sectors: stride_chunks * chunk_sectors,
            size_chunks,
            used_sectors: used_chunks * chunk_sectors,
        })
    }

    /// Returns the layout.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns how many members hold each chunk.
    pub fn copies(&self) -> u64 {
        u64::from(self.layout.near_copies) * u64::from(self.layout.far_copies)
    }

    /// Returns the size of the array (`raid10_size`).
    pub const fn size(&self) -> Sectors {
        Sectors::new(self.size_chunks << self.chunk_shift)
    }

    /// Returns how far into its chunk a sector is.
    const fn within_chunk(&self, sector: Sectors) -> u64 {
        sector.get() & ((1 << self.chunk_shift) - 1)
    }

    /// Returns how much of each device is used (`dev_sectors` after `calc_sectors`): the range of a
    /// resync or recovery.
    pub const fn used(&self) -> Sectors {
        Sectors::new(self.used_sectors)
    }

    /// Returns how much of `length` from `start` md handles as one piece (`raid10_make_request`).
    ///
    /// That is up to the chunk's border, unless every device has every chunk.
    pub fn first_length(&self, start: Sectors, length: Sectors) -> Sectors {
        if u16::from(self.layout.near_copies) >= self.devices {
            return length;
        }
        let left = (1 << self.chunk_shift) - self.within_chunk(start);
        length.min(Sectors::new(left))
    }

    /// Writes the places of all copies of `sector` into `places`, in the order of md's slots, and
    /// returns how many there are (`__raid10_find_phys`).
    ///
    /// # Panics
    /// If the sector is past the array's end.
    pub fn find(&self, sector: Sectors, places: &mut [Place; COPIES_MAX]) -> usize {
        assert!(sector < self.size(), "{sector} is past the array's end");
        let chunk = (sector.get() >> self.chunk_shift) * u64::from(self.layout.near_copies);
        let mut row = chunk / u64::from(self.devices);
        let mut device = remainder(chunk, self.devices);
        if self.layout.offset {
            row *= u64::from(self.layout.far_copies);
        }
        let mut address = (row << self.chunk_shift) + self.within_chunk(sector);
        let mut slot = 0;
        for _ in 0..self.layout.near_copies {
            let place = Place {
                member: Member(device),
                sector: Sectors::new(address),
            };
            places[slot] = place;
            slot += 1;
            if self.layout.far_copies > 1 {
                slot = self.find_far_copies(place, places, slot);
            }
            device += 1;
            if device == self.devices {
                device = 0;
                address += 1 << self.chunk_shift;
            }
        }
        slot
    }

    /// Writes the places of the far copies of `place` into `places` from `slot` on; returns the next
    /// slot.
    fn find_far_copies(
        &self,
        mut place: Place,
        places: &mut [Place; COPIES_MAX],
        mut slot: usize,
    ) -> usize {
        let set = self.far_set(place.member.0);
        for _ in 1..self.layout.far_copies {
            place.member = Member(set.advanced(place.member.0, self.layout.near_copies));
            place.sector += Sectors::new(self.stride_sectors);
            places[slot] = place;
            slot += 1;
        }
        slot
    }

    /// Returns the array's sector of which `place` holds a copy (`raid10_find_virt`), or nothing
    /// if the place is not used.
    pub fn find_virtual(&self, place: Place) -> Option<Sectors> {
        let Place { member, sector } = place;
        if member.0 >= self.devices || sector.get() >= self.used_sectors {
            return None;
        }
        let far_copies = u64::from(self.layout.far_copies);
        let chunk = sector.get() >> self.chunk_shift;
        let (row, far_copy) = if self.layout.offset {
            (chunk / far_copies, chunk % far_copies)
        } else {
            let stride_chunks = self.stride_sectors >> self.chunk_shift;
            (chunk % stride_chunks, chunk / stride_chunks)
        };
        if far_copy >= far_copies {
            return None;
        }
        let set = self.far_set(member.0);
        let moved = far_copy * u64::from(self.layout.near_copies);
        let back = u64::from(set.devices) - moved % u64::from(set.devices);
        let column = set.first + remainder(u64::from(member.0 - set.first) + back, set.devices);
        let virtual_chunk = (row * u64::from(self.devices) + u64::from(column))
            / u64::from(self.layout.near_copies);
        let within = self.within_chunk(sector);
        (virtual_chunk < self.size_chunks)
            .then(|| Sectors::new((virtual_chunk << self.chunk_shift) + within))
    }

    /// Returns the far set of a device; the last one takes the devices that are left over.
    fn far_set(&self, device: u16) -> FarSet {
        let sets = self.devices / self.far_set_devices;
        let set = (device / self.far_set_devices).min(sets - 1);
        let first = set * self.far_set_devices;
        let devices = if set == sets - 1 {
            self.devices - first
        } else {
            self.far_set_devices
        };
        FarSet { first, devices }
    }
}

impl FarSet {
    /// Returns the device `steps` further, wrapping inside the set.
    fn advanced(&self, device: u16, steps: u8) -> u16 {
        self.first + (device - self.first + u16::from(steps)) % self.devices
    }
}

/// Returns how many devices a far set has, if the copies of a chunk then lie on different devices.
fn far_set_devices(layout: Layout, devices: u16) -> Result<u16, Raid10Error> {
    let copies = layout.copies();
    let modelled = u32::try_from(COPIES_MAX).is_ok_and(|most| copies <= most);
    if !modelled || devices > DEVICES_MAX {
        return Err(Raid10Error::TooMany { copies, devices });
    }
    let available = match layout.far_sets {
        FarSets::Whole => devices,
        FarSets::Divided => devices / u16::from(layout.far_copies),
        FarSets::Copies => u16::from(layout.near_copies) * u16::from(layout.far_copies),
    };
    if copies > u32::from(available) || available > devices {
        let available = available.min(devices);
        return Err(Raid10Error::Copies { copies, available });
    }
    // Two bugs of `__raid10_find_phys`, both with near and far copies together, which no tool
    // creates. A near copy that wraps moves down one chunk, where offset layouts keep a far copy.
    // And a device less than `near` before the border of the last far set is treated as part of
    // that set.
    let wraps_onto_offset = layout.offset && !devices.is_multiple_of(layout.near_copies.into());
    let misses_far_set = !devices.is_multiple_of(available);
    let is_combined = layout.near_copies > 1 && layout.far_copies > 1;
    if is_combined && (wraps_onto_offset || misses_far_set) {
        return Err(Raid10Error::Collision { devices });
    }
    Ok(available)
}

/// Returns `number` modulo `divisor`.
fn remainder(number: u64, divisor: u16) -> u16 {
    u16::try_from(number % u64::from(divisor)).expect("a remainder is smaller than its divisor")
}

#[cfg(test)]
#[path = "raid10_tests.rs"]
mod tests;
