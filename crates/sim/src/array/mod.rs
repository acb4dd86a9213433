//! md: which member gets which I/O, and when.

pub mod balance;
pub mod barrier;
pub mod bitmap;
pub(crate) mod flush;
pub mod linear;
pub mod map;
pub mod parity;
pub mod raid0;
pub mod raid1;
pub mod raid10;
pub mod resync;
pub mod shape;
