//! The metal worlds: run fio on the machine's own files, and on stacks built on block devices.
//!
//! [`FilesWorld`] measures the filesystem mounted at a target directory. It changes one thing: it
//! creates a directory of its own below the target. [`StacksWorld`] builds the stacks of a study
//! one after the other with mdadm, LVM, `mkfs` and `mount`, on devices that the study allows to be
//! destroyed, and takes them down again. The journal records every change before it is made.
//!
//! - [`world`]: both [`World`](stripewise_study::world::World)s, and the instruments they share;
//! - `stacks`: which stack is up, and on which devices; `build`: builds and removes a stack step by
//!   step; `tool`: the programs that do it;
//! - [`device`]: which block devices may be used; `regions`: which part of a device each job uses;
//! - `array`: whether an array is complete, and which members it lost on its own;
//! - `failure`: fails a member while fio runs, and re-adds it; `conditions`: the state of the host;
//!   [`mod@undo`]: how each change is undone;
//! - [`workspace`]: our own directories, held open while in use; `removal`: removes them and
//!   nothing else; `inode`: how both recognise a file;
//! - `files`: which cells share which files; `requirements`: checks that need no change to the
//!   machine; `sample_checks`: whether the counters around a sample agree with fio;
//! - [`power_cut`]: stacks that are stopped and brought up again as at boot.

mod tool;

mod build;

mod array;
mod array_settings;
mod conditions;
mod crash_point;
mod failure;
mod files;
mod fio_directory;
mod inode;
mod regions;
mod removal;
mod stacks;
mod undone;

mod requirements;
mod sample_checks;

pub mod capture;
pub mod device;
pub mod power_cut;
pub mod private_disks;
pub mod undo;
pub mod workspace;
pub mod world;

pub use build::create_arguments;
pub use conditions::write_setting;
pub use files::files_of;
pub use requirements::check_study;
pub use undo::{Leftovers, Undone};
pub use world::{FilesWorld, OpenError, StacksWorld};
