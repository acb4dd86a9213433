//! The two worlds of metal, each a [`World`](stripewise_study::world::World) of its own: test files in a
//! directory of a filesystem that is there, and stacks that are built on block devices. Both measure
//! with the same `instruments`.

mod files;
mod instruments;
mod problem;
mod stacks;

pub use files::FilesWorld;
pub use problem::OpenError;
pub use stacks::StacksWorld;
