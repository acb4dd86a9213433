//! The lab world: a real Linux kernel with real md, LVM and filesystems in a guest, on modelled disks.
//!
//! A guest is prepared once ([`prepare`]) from packages of the distribution and kept in a
//! [`cache`]. The world ([`world`]) starts it in QEMU and speaks with this same program in it
//! ([`guest`]) over a virtual serial port ([`wire`]): what the runner asks of the lab, the guest's own
//! world answers.

mod apt;
mod image;
mod kernel;
mod light_fio;
mod newc;
mod programs;
mod text;
mod tree;

pub mod cache;
pub mod error;
pub mod manifest;
pub mod prepare;
pub mod recipe;

pub use cache::{Cache, Prepared};
pub use error::LabError;
