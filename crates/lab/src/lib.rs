//! The lab world: a real Linux kernel with real md, LVM and filesystems in a guest, on modelled
//! disks.
//!
//! [`mod@prepare`] builds a guest once from the distribution's packages and keeps it in a
//! [`cache`]. The world ([`world`]) starts it in QEMU ([`machine`]) and talks to this same program
//! in the guest ([`guest`]) over a virtual serial port ([`wire`]): the world inside the guest
//! answers the runner's requests. [`doctor`] lists the requirements.

mod apt;
mod apts;
mod compiler;
mod file_store;
mod fio_stubs;
mod guest_disks;
mod held_disks;
mod image;
mod kernel;
mod kernel_files;
mod local_packages;
mod newc;
mod packaged_kernel;
mod removal;
mod state;
mod text;
mod tree;
mod zfs;

pub mod agent;
pub mod cache;
pub mod clock;
pub mod crash_point;
pub mod disk;
pub mod doctor;
pub mod durability_load;
pub mod error;
pub mod extra;
pub mod guest;
pub mod kernel_needs;
pub mod kernel_source;
pub mod machine;
pub mod manifest;
pub mod module;
pub mod needed_disks;
pub mod pace;
pub mod power_cut;
pub mod prepare;
pub mod profile_disk;
pub mod programs;
pub mod recipe;
pub mod sandbox;
pub mod shell;
pub mod wire;
pub mod world;

pub use cache::{Cache, Prepared};
pub use clock::{Kvm, KvmFault};
pub use error::LabError;
pub use pace::Pace;
pub use wire::Disk;
pub use world::{Lab, LabOptions};
