//! Messages: which sentence to show, and the values in it, in no language yet.
//!
//! A [`Message`] names an entry of the catalogue and fills its variables. Any crate may make one; its
//! words are in the crate `catalogue`, which only those need that show text, so a changed sentence
//! does not rebuild the crates below them. That an id exists is checked by a test of the catalogue.

mod message;
pub mod number;
mod serialized;

pub use message::{Argument, Message};
pub use serialized::{Speak, as_words};
