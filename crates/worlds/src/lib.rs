//! The worlds by the value that is stored with a run.
//!
//! [`WorldSpec`](stripewise_results::world::WorldSpec) says what a run is measured in. This crate
//! opens it ([`open()`]), finds the guest and the settings that make one ([`lab`], [`cuts`],
//! [`model`]), says why a world cannot run a study ([`obstacles`]) and which options have no effect
//! in it ([`unused`]), and keeps what is asked for besides
//! ([`settings`]), and what the model simulated ([`simulated`]).

pub mod cuts;
pub mod lab;
pub mod model;
pub mod obstacles;
pub mod settings;
pub mod simulated;
pub mod unused;

mod error;
mod open;

pub use error::OpeningError;
pub use open::{ClaimedDevice, Opened, builds_stacks, claimed_devices, on_this_machine, open};
