//! The two worlds of metal, each a [`World`](stripewise_study::world::World): test files in a
//! directory of an existing filesystem, and stacks built on block devices. Both measure with the
//! same `instruments`.

pub(crate) mod beside;
mod core_watch;
mod files;
mod host_watch;
mod instruments;
mod problem;
mod stacks;

pub use files::FilesWorld;
pub use problem::OpenError;
pub use stacks::StacksWorld;
