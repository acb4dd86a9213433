//! Power cuts: what a stack holds after the power went, found by recording what reached its disks.
//!
//! ```text
//!   load of known content ──> stack ──> recorded disks ──> log of writes and flushes
//!        │ acknowledgements                                     │ cut at a random moment
//!        v                                                      v
//!   what must be there    <── compared with ──   what a crash image holds
//! ```
//!
//! A [`disk`] keeps its data and a log of every write and flush in memory; [`nbd`] serves it to a
//! virtual machine, and [`fuse`] as a file for a loop device. [`crash`] builds what the medium of each disk may hold after a cut: everything
//! flushed, and any part of the rest that the drive's cache allows. A [`load`] writes self-describing
//! [`record`]s, and [`judge`] compares what a restarted stack returns with what was acknowledged.
//! Nothing here starts a program or touches a file but the load's own.

pub mod built_stack;
pub mod crash;
pub mod disk;
pub mod fuse;
pub mod judge;
pub mod load;
pub mod nbd;
pub mod promise;
pub mod random;
pub mod record;
pub mod states;
pub mod store;
