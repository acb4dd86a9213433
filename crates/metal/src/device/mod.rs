//! Block devices: which may be overwritten, and how they are returned.
//!
//! # Guarantees
//!
//! - We write to a device only if the study names it, nothing uses it, util-linux finds no
//!   signature on it, our own table finds no magic number (not even in a damaged superblock), and
//!   the user confirmed it. Each reason to refuse a device is a [`Refusal`]; none can be skipped.
//! - The device is held open (`hold`) from before the confirmation until the end, with `O_EXCL`
//!   unless our own stack is built on it. All I/O goes to that open device: the name in the study
//!   is a link that can change, and we check it before every sample.
//! - Before the first write the journal records the device ([`Change::ClaimedDevice`]), and a
//!   marker on it names the owner. We never write to a device that is not in the journal.
//! - At the end, or in `restore` after a crash, we erase the marker and the signatures that the run
//!   made on these devices, recognised by a UUID or name that the run drew (`own`). If a device
//!   carries any other signature, we remove nothing from it and report that. The data written
//!   stays, without a name.
//!
//! # No guarantee
//!
//! We do not see a device in use by another *machine* (shared storage, a network block device), or
//! by a process that `/proc` does not show. Root in the machine's first PID namespace sees every
//! process; in a container we miss all processes outside, and without root those of other users.
//! Nor do we recognise valuable data without a signature (raw data of a database). The confirmation
//! covers that: it shows in how many places we found data.
//!
//! [`Change::ClaimedDevice`]: stripewise_study::world::Change::ClaimedDevice

mod alignment;
mod backing;
mod claimed;
mod examined;
#[cfg(test)]
mod fake_machine;
mod hold;
mod magic;
mod magic_table;
mod marker;
mod open;
mod other_users;
mod own;
mod refusal;
mod signatures;
mod token;
mod usage;

pub use alignment::alignment;
pub use claimed::{Claimed, DataFound, claim};
pub use examined::{Examined, examine};
pub use marker::Marker;
pub use own::Announced;
pub use refusal::{DEVICE_BYTES_MIN, Refusal};
pub use token::Token;

pub(crate) use hold::HeldLayer;
pub(crate) use own::{
    OwnDevices, Present, clear_new_layer, disks_with_fingerprint, fingerprint_of, is_layer,
};
pub(crate) use signatures::{Erased, Signature, in_words, listed};
pub(crate) use stripewise_machine::Node;
pub(crate) use token::{NAME_DIGITS, NAME_PREFIX, is_drawn_name};
