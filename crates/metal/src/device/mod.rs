//! Real block devices: which may be overwritten, and how they are given back.
//!
//! # What is promised
//!
//! - A device is touched only if the study names it, nobody uses it, nothing that util-linux knows
//!   lies on it, and the user confirmed it. Each reason not to is a [`Refusal`]; none can be
//!   skipped.
//! - Before the first write the journal knows the device ([`Change::ClaimedDevice`]), and a marker
//!   on it says whose it is.
//! - At the end everything with a signature is wiped from exactly these devices, the marker too.
//!   The data that was written stays where it is, without a name.
//! - After a crash, `restore` removes only what carries a UUID that the run chose. Where somebody
//!   has made something else on the device meanwhile, it is left alone, and that is said.
//!
//! What is not promised: that a device is recognised as in use by another *machine* (shared
//! storage), or that there is nothing of value on a device without any signature (raw data of a
//! database). That is what the confirmation is for.
//!
//! [`Change::ClaimedDevice`]: stripewise_study::world::Change::ClaimedDevice

mod alignment;
mod claimed;
mod examined;
mod marker;
mod node;
mod refusal;
mod signatures;
mod token;
mod usage;

use stripewise_study::units::Bytes;

pub use alignment::alignment;
pub use claimed::{Claimed, claim};
pub use examined::{Examined, examine};
pub use marker::Marker;
pub use refusal::Refusal;
pub use token::Token;

pub(crate) use claimed::undo_claim;
pub(crate) use node::Node;

/// The smallest device: room for superblocks, a bitmap and a filesystem's journal.
pub const DEVICE_BYTES_MIN: Bytes = Bytes::new(16 << 20);
