//! The metal world: fio on this machine's own files, and on stacks that it builds on block devices.
//!
//! Either it measures the filesystem that is mounted at a target directory: then all it changes is
//! one directory of its own below the target. Or it builds the stacks of a study on devices that
//! the study says may be destroyed, with mdadm, LVM, `mkfs` and `mount`, one after the other, and
//! takes them down again. Every change is announced in the journal before it is made.
//!
//! - [`world`]: the [`World`](stripewise_study::world::World) itself, on one of two grounds:
//!   `directory`, the filesystem that is there, and `stacks`, devices on which stacks are built;
//! - `build`: how a stack is built and undone, step by step; `tool`: the programs that do it;
//! - [`device`]: which block devices may be used; `regions`: which part of one each job has;
//! - `array`: whether an array is whole, and who is missing without our doing;
//! - `failure`: a member fails while fio runs, and comes back; `conditions`: the state of the host; [`mod@undo`]: how each change is undone;
//! - [`workspace`]: directories of our own, held open while they are used; `removal`: how they are
//!   removed without ever removing anything else; `inode`: how both know a file again;
//! - `files`: which cells share which files; `requirements`: what can be refused before anything is
//!   touched; `reality`: whether a sample is real, from the counters around it.

mod tool;

mod build;

mod array;
mod conditions;
mod directory;
mod failure;
mod files;
mod inode;
mod regions;
mod removal;
mod site;
mod stacks;
mod stumble;

mod reality;
mod requirements;

pub mod device;
pub mod undo;
pub mod workspace;
pub mod world;

pub use files::files_of;
pub use requirements::check_study;
pub use undo::{Leftovers, Undone};
pub use world::{Metal, OpenError};
