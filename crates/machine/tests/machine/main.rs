//! The crate through its API, on fixture machines and on this one.
//!
//! What this guards against: an array rebuilt itself while it was measured, the disks were those
//! of another filesystem because a mount hid the one that was looked at, the model of the disk was
//! cut at 16 characters, and a support archive with a pipe in it made the reader wait for ever.

mod fixture;
mod machines;

mod facts;
mod hostile;
mod live;
mod mount_lookup;
mod samples;
mod targets;
