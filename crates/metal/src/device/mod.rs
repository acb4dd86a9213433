//! Real block devices: which may be overwritten, and how they are given back.
//!
//! # What is promised
//!
//! - A device is touched only if the study names it, nobody uses it, nothing that util-linux knows
//!   lies on it, none of the magic numbers in our own table does (also in a damaged superblock), and
//!   the user confirmed it. Each reason not to is a [`Refusal`]; none can be
//!   skipped.
//! - From before it is shown to the user until the end it is held open (`grip`), for us alone unless
//!   something of ours is built on it. Everything is done to the device that is held; the name in the
//!   study is a link that can be turned, which is noticed before every sample.
//! - Before the first write the journal knows the device ([`Change::ClaimedDevice`]), and a marker
//!   on it says whose it is. A device that was not announced is never written to.
//! - At the end, and after a crash by `restore`, what the run made loses its signatures, the marker
//!   too: what carries a UUID or name that the run drew (`own`), on exactly these devices. Where
//!   anything else lies on a device, nothing on it is removed, and that is said. The data that was
//!   written stays where it is, without a name.
//!
//! What is not promised: that a device is recognised as in use by another *machine* (shared
//! storage, a network block device), or by a process that `/proc` does not show. As root in the
//! machine's first PID namespace that is none; in a container it is every process outside, and as
//! another user every process of others. Nor is it known that there is nothing of value on a device
//! without any signature (raw data of a database). The confirmation is for that, and says in how many
//! places there is data.
//!
//! [`Change::ClaimedDevice`]: stripewise_study::world::Change::ClaimedDevice

mod alignment;
mod backing;
mod claimed;
mod examined;
#[cfg(test)]
mod fake_machine;
mod grip;
mod magic;
mod magic_table;
mod marker;
mod node;
mod open;
mod others;
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

pub(crate) use grip::HeldLayer;
pub(crate) use node::Node;
pub(crate) use own::{
    OwnDevices, Present, clear_new_layer, disks_with_fingerprint, fingerprint_of, is_layer,
};
pub(crate) use signatures::{Erased, Signature, in_words};
pub(crate) use token::{NAME_DIGITS, NAME_PREFIX, is_drawn_name};
