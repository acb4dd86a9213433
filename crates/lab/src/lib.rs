//! The lab world: a real Linux kernel with real md, LVM and filesystems in a guest, on modelled disks.

pub mod disk;
pub mod module;
