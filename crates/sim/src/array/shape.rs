//! From an array's description to the arithmetic of its level.
//!
//! A study names `raid10 n2 32K`; a [`Shape`] locates each sector. Omitted values are mdadm(8)'s
//! defaults: a chunk of 512 KiB, `n2`, `left-symmetric`.

use stripewise_profiles::kernel::{Policy, Raid0Layout};
use stripewise_study::stack::{Array, Level};
use stripewise_units::Bytes;

use super::linear::Linear;
use super::parity::geometry::{Geometry, GeometryError, ParityLayout};
use super::raid0::{Raid0, Raid0Error};
use super::raid1::Raid1;
use super::raid10::{Layout, Raid10, Raid10Error};
use crate::units::Sectors;

/// mdadm's default chunk.
pub const CHUNK_DEFAULT: Bytes = Bytes::new(512 << 10);

/// Where the sectors of an array are.
#[derive(Debug, Clone)]
pub enum Shape {
    /// One member after the other.
    Linear(Linear),
    /// Chunks over all members.
    Raid0(Raid0),
    /// Every member a full copy.
    Raid1(Raid1),
    /// Copies of chunks over all members.
    Raid10(Raid10),
    /// RAID 4, 5 and 6.
    Parity {
        /// Where data and parity are.
        geometry: Geometry,
        /// The size of the array.
        size: Sectors,
    },
}

/// md has no such array.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Members are numbered with 16 bits.
    #[error("the model supports arrays of at most {} devices", u16::MAX)]
    TooManyDevices,
    /// No level has such a layout.
    #[error("`{name}` is not a layout of md")]
    Layout {
        /// The requested name.
        name: String,
    },
    /// md refuses the RAID 0.
    #[error(transparent)]
    Raid0(#[from] Raid0Error),
    /// md refuses the RAID 10.
    #[error(transparent)]
    Raid10(#[from] Raid10Error),
    /// md refuses the RAID 4, 5 or 6.
    #[error(transparent)]
    Parity(#[from] GeometryError),
}

impl Shape {
    /// Returns the arithmetic of `array` over members of these sizes (their data areas), in their
    /// order.
    ///
    /// # Errors
    /// [`ShapeError`] if md has no such array.
    pub fn new(array: &Array, sizes: &[Sectors], policy: &Policy) -> Result<Self, ShapeError> {
        let members = u16::try_from(sizes.len()).map_err(|_| ShapeError::TooManyDevices)?;
        let chunk = array.chunk_bytes.unwrap_or(CHUNK_DEFAULT);
        let smallest = sizes.iter().copied().min().unwrap_or_default();
        Ok(match array.level {
            Level::Linear => Shape::Linear(Linear::new(sizes, None)),
            Level::Raid0 => {
                let layout = match array.layout.as_deref() {
                    Some("original") => Raid0Layout::Original,
                    Some("alternate") => Raid0Layout::Alternate,
                    _ => policy.raid0_layout,
                };
                Shape::Raid0(Raid0::new(sizes, chunk, layout)?)
            }
            Level::Raid1 => {
                let unit = policy.raid1_unit_bytes.map(Bytes::new);
                Shape::Raid1(Raid1::new(members, smallest, unit))
            }
            Level::Raid10 => {
                let layout = Layout::parse(array.layout.as_deref().unwrap_or("n2"))?;
                Shape::Raid10(Raid10::new(layout, members, chunk, smallest)?)
            }
            Level::Raid4 | Level::Raid5 | Level::Raid6 => {
                let layout = parity_layout(array)?;
                let chunk = Sectors::from_bytes(chunk);
                let geometry = Geometry::new(array.level, layout, members, chunk)?;
                let data_members = u64::from(geometry.data_members());
                let rows = smallest.get() / chunk.get();
                let size = Sectors::new(rows * chunk.get() * data_members);
                Shape::Parity { geometry, size }
            }
        })
    }

    /// Returns the size of the array.
    pub fn size(&self) -> Sectors {
        match self {
            Shape::Linear(map) => map.size(),
            Shape::Raid0(map) => map.size(),
            Shape::Raid1(map) => map.size(),
            Shape::Raid10(map) => map.size(),
            Shape::Parity { size, .. } => *size,
        }
    }
}

fn parity_layout(array: &Array) -> Result<ParityLayout, ShapeError> {
    match (&array.layout, array.level) {
        (Some(name), _) => {
            let error = || ShapeError::Layout { name: name.clone() };
            ParityLayout::parse(name).ok_or_else(error)
        }
        (None, Level::Raid4) => Ok(ParityLayout::ParityLast),
        (None, _) => Ok(ParityLayout::LeftSymmetric),
    }
}
