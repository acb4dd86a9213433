//! ZFS: its decisions as state machines that the engine calls.
//!
//! ```text
//!  write --> throttle --> dirty records in a transaction group --> compressed, to new places
//!    |                                                                      |
//!    +-- fsync, O_SYNC --> intent log                        mirror, raidz, queue of a device
//! ```
//!
//! Source: OpenZFS at be7657e3f278 (2.4.99, August 2026), `module/zfs` unless a path is given.

pub(crate) mod mirror;
pub(crate) mod queue;
pub(crate) mod raidz;
pub(crate) mod txg;
pub(crate) mod zil;
