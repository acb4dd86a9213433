//! The crate's public interface, on fixture machines and on the real one.
//!
//! The failures:
//! - An array resynced while it was measured.
//! - The disks were those of another filesystem, because a later mount hid the one that was found.
//! - The model of a disk was cut at 16 characters.
//! - A pipe in a support archive blocked the reader forever.

mod fixture;
mod machines;

mod facts;
mod hostile;
mod live;
mod mount_lookup;
mod samples;
mod targets;
