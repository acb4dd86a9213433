//! Whether the model counts what the real driver counts.
//!
//! ```text
//! draw --> Case --> Cell + Replay --> model world, real driver --> counts of each member --> compare
//!            ^                                                                                 |
//!            +------------------------------- shrink <-------- a disagreement -----------------+
//! ```

pub mod case;
pub mod draw;
pub mod io_list;

pub use case::{Case, Disk};
pub use draw::draw;
pub use io_list::IoList;
pub mod counts;
pub mod model;
