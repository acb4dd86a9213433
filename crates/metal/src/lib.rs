//! The metal worlds: fio on this machine's own files, and on stacks that are built on block devices.
//!
//! [`FilesWorld`] measures the filesystem that is mounted at a target directory: all it changes is
//! one directory of its own below the target. [`StacksWorld`] builds the stacks of a study on devices
//! that the study says may be destroyed, with mdadm, LVM, `mkfs` and `mount`, one after the other, and
//! takes them down again. Every change is announced in the journal before it is made.
//!
//! - [`world`]: both [`World`](stripewise_study::world::World)s, and the instruments they share;
//! - `stacks`: which stack stands, and on which devices; `build`: how a stack is built and undone, step by step; `tool`: the programs that do it;
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
mod failure;
mod files;
mod inode;
mod regions;
mod removal;
mod site;
mod stacks;
mod stumble;
mod undone;

mod reality;
mod requirements;

pub mod device;
pub mod undo;
pub mod workspace;
pub mod world;

pub use files::files_of;
pub use requirements::check_study;
pub use undo::{Leftovers, Undone};
pub use world::{FilesWorld, OpenError, StacksWorld};
