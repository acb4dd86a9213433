//! Builds the stacks of a study on block devices, and takes them down.
//!
//! ```text
//! devices -> md -> lvm -> filesystem -> mounted at our own directory, or the block device itself
//! ```
//!
//! Each step is recorded in the journal before it is made, with the name or UUID that we drew for
//! it (`identity`). Taking down a stack undoes the recorded steps, the latest first: the same code
//! cleans up after a finished run and a killed one.
//!
//! Nothing is undone that does not carry our identifier: a device on which another program has made
//! something since is kept as it is.

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
pub(crate) use filesystem::{mount_call, tool as filesystem_tool};
pub use md::create_arguments;
pub(crate) use md::{
    clear_bitmaps, leave_sector_0, restore_bitmap_interval, wait_for_superblocks, wait_until_clean,
};
pub(crate) use stack::{Built, Top, build, existing_on_devices};
pub(crate) use sysfs::{kernel_name, size_bytes};
pub(crate) use undo::{devices as devices_of, undo};
