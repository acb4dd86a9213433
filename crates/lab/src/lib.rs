//! The lab world: a real Linux kernel with real md, LVM and filesystems in a guest, on modelled disks.
//!
//! A guest is prepared once ([`mod@prepare`]) from packages of the distribution and kept in a
//! [`cache`]. The world ([`world`]) starts it in QEMU ([`machine`]) and speaks with this same program
//! in it ([`guest`]) over a virtual serial port ([`wire`]): what the runner asks of the lab, the
//! guest's own world answers. [`doctor`] says what all this needs.

mod apt;
mod guest_disks;
mod image;
mod kernel;
mod light_fio;
mod newc;
mod shelf;
mod state;
mod text;
mod tree;

pub mod agent;
pub mod cache;
pub mod clock;
pub mod crash_point;
pub mod disk;
pub mod doctor;
pub mod error;
pub mod guest;
pub mod machine;
pub mod manifest;
pub mod module;
pub mod needed_disks;
pub mod prepare;
pub mod profile_disk;
pub mod programs;
pub mod recipe;
pub mod shell;
pub mod wire;
pub mod world;

pub use cache::{Cache, Prepared};
pub use clock::{Clock, Kvm};
pub use error::LabError;
pub use wire::Disk;
pub use world::{Lab, LabOptions};
