//! What filesystems do to make a file durable, as pure state machines that the engine calls.
//!
//! A write changes the time stamps of its file, if the kernel's clock has ticked since the last one
//! (`inode_needs_update_time` compares them with `current_time`, which counts ticks;
//! `fs/inode.c`, 6.1.192 and 6.12.117). That change is what a filesystem logs for a write to blocks
//! that exist already. An `fsync` of a file whose changes are all logged needs a flush only.

pub(crate) mod btrfs;
pub(crate) mod checksum_cpu;
pub(crate) mod jbd2;
pub(crate) mod tree_log;
pub(crate) mod xfs;
pub(crate) mod zfs;
