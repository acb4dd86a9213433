//! Traces of block I/O: what a real load asked of a device, and the workload that comes closest.
//!
//! ```text
//!  file --> formats: records --> pairing: events in order of time --> profile --> fit: loads
//! ```
//!
//! A format gives records as the file has them. `pairing` matches the completion of an I/O with its
//! beginning, and hands out [`Event`]s. Everything here works in bounded memory, whatever the length
//! of the trace: what a table cannot hold is counted and reported. No file is opened here.

pub mod event;
pub mod event_log;
pub mod fit;
pub mod formats;
mod inputs;
pub mod locality;
pub mod loss;
pub mod missing;
mod name_table;
mod numbers;
mod order;
pub mod pairing;
pub mod phases;
pub mod profile;
pub mod reader;
pub mod replay;
pub mod runs;
mod sizes;
pub mod skew;
pub mod skipped;
mod source;
pub mod stream;
pub mod study_text;
pub mod summary;
pub mod survey;
pub mod tally;

pub use event::{Action, Event, Names, TracedIo};
pub use formats::FormatName;
pub use missing::Missing;
pub use pairing::BeginCounts;
pub use reader::{Facts, Options, ReadError, Reader, WholeTrace};
pub use skipped::{SkipReason, Skipped};
