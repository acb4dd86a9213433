//! One load on many hosts at the same time, over the user's own `ssh`.
//!
//! ```text
//! controller                        each host
//!   HostsWorld --ssh, one connection--> sh: finds or receives this program, in a folder of ours
//!       |                                    |
//!       |  facts, check, prepare, measure    v
//!       |----------------------------->  agent: metal's FilesWorld, its journal in that folder
//!       |<---- ready --------------------    |
//!       |----- start at (its clock) ---->    fio, begun at the same moment everywhere
//!       |<---- sample with histograms ---    |
//!                                            undoes everything when the controller is gone
//! ```
//!
//! Nothing listens on a host: fio runs as a child of the agent, and the agent as a child of `sshd`.
//! Both die with it, and the agent undoes its changes when its input ends or nothing came for
//! [`agent::SILENCE_MAX`]. If it is killed, its journal stays in its folder, and `restore` here reaches it.
//!
//! - [`inventory`]: which hosts; `ssh` and `session`: one connection; [`wire`]: its messages;
//! - `clock`: how far the clocks of two machines are apart; [`agent`]: the program on a host;
//! - [`world`]: the world of the controller; `merge`: one sample of many; [`restore`]: after a crash.

use stripewise_message::Message;

pub mod agent;
pub mod collect;
pub mod inventory;
pub mod restore;
pub mod wire;
pub mod world;

mod bootstrap;
mod clock;
mod destination;
mod folder;
mod host_journal;
mod hub;
mod merge;
mod session;
mod ssh;

pub use world::HostsWorld;

/// Says a message, for an error or a line of an agent: words are above this crate.
pub type Say = fn(&Message) -> String;
