//! What people and programs see: terminal tables, charts, JSON and CSV.
//!
//! Everything starts from a [`document`]: the run with its estimates and verdicts, which is also
//! exactly what `--json` prints. Text is returned with colours; whoever prints it takes them away
//! where they are not wanted.

pub mod document;

pub mod calibration;
pub mod comparison;
pub mod csv;
pub mod explanation;
pub mod facts;
pub mod list;
pub mod plan;
pub mod run;

mod bar;
mod numbers;
mod table;
mod text;
