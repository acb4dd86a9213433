//! Builds the stacks of a study on block devices, and takes them down.
//!
//! ```text
//! devices -> md -> lvm -> filesystem -> mounted at a directory of ours, or the block device itself
//! ```
//!
//! Each step is announced in the journal before it is made, with what it is known by afterwards
//! (`identity`): names and UUIDs that we drew. Taking down *is* undoing what was announced, the
//! latest first, so a run that ended and one that was killed are cleaned up by the same code.
//!
//! Nothing is undone that does not carry our identity: a device on which somebody made something
//! else since then stays as it is.

mod builder;
mod emptied;
mod filesystem;
mod identity;
mod lvm;
mod md;
mod stack;
mod sysfs;
mod undo;

pub(crate) use builder::Builder;
pub(crate) use emptied::{carries, outcome};
pub(crate) use filesystem::tool as filesystem_tool;
pub(crate) use md::{clear_bitmaps, let_bitmaps_be, wait_for_superblocks, wait_until_clean};
pub(crate) use stack::{Built, Top, build, existing_on_devices};
pub(crate) use sysfs::{kernel_name, size_bytes};
pub(crate) use undo::{devices as devices_of, undo};
