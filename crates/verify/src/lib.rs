//! Checks the model's per-member I/O counts against the real md driver.
//!
//! ```text
//! draw --> Case --> Cell + Replay --> model world, real driver --> counts of each member --> compare
//!            ^                                                                                 |
//!            +------------------------------- shrink <-------- a disagreement -----------------+
//! ```

pub mod case;
pub mod draw;
pub mod io_list;

pub mod counts;
pub mod model;

pub mod addresses;
pub mod answer_checks;
pub mod cells;
pub mod compare;
pub mod determined;
pub mod latency;
pub mod questions;
pub mod spread;
pub mod table;

pub mod check;
pub mod golden;
pub mod shrink;

pub use case::{Case, Disk};
pub use check::{
    CheckError, Checked, CountError, Counted, Disagreement, Driver, Rules, VerifyReport,
    check_driver, check_golden,
};
pub use compare::{Compared, Verdict, compare};
pub use counts::MemberCounts;
pub use determined::{Determined, Extent, Reason, determined};
pub use draw::draw;
pub use golden::{Entry, Golden, GoldenError};
pub use io_list::IoList;
pub use latency::Latencies;
pub use shrink::shrink;
pub use spread::{Distance, Spread};
pub use table::{AgreementRow, Table};
