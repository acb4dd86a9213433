//! What people and programs see: terminal tables, charts, JSON and HTML.
//!
//! Everything starts from a [`document`]: the run with its estimates and verdicts, which is also
//! exactly what `--json` prints. Text is laid out for a [`view`]: a terminal of some width, or plain
//! sentences. It is returned with the marks of its styles, which [`style`] turns into escape sequences
//! where text is printed.

pub mod document;

pub mod array_map;
pub mod calibration;
pub mod comparison;
pub mod explanation;
pub mod facts;
pub mod html;
pub mod list;
pub mod page;
pub mod plan;
pub mod run;
pub mod style;
pub mod view;

mod bar;
mod differences;
mod numbers;
mod over_time;
mod storage_tree;
mod table;
mod text;

pub use text::{harmless, shell_word};
