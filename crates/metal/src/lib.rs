//! The metal world: fio on this machine's own files.
//!
//! This version measures the filesystem that is mounted at a target directory. It builds nothing
//! and writes to no block device: all it changes is one directory of its own below the target,
//! announced in the journal before it is made and removed afterwards.
//!
//! - [`world`]: the [`World`](stripewise_study::world::World) itself;
//! - [`workspace`]: the directory, and how it is removed without ever removing anything else;
//! - `files`: which cells share which files; `requirements`: what can be refused before anything is
//!   touched; `reality`: whether a sample is real, from the counters around it.

mod conditions;
mod files;
mod reality;
mod requirements;

pub mod device;
pub mod undo;
pub mod workspace;
pub mod world;

pub use files::files_of;
pub use undo::{Undone, undo};
pub use world::{Metal, OpenError};
