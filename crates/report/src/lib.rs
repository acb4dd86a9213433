//! Reports for people and programs: terminal tables, charts, JSON and HTML.
//!
//! Everything starts from a [`document`]: the run with its estimates and verdicts, which `--json`
//! prints unchanged. Text is laid out for a [`view`]: a terminal of some width, or plain sentences.
//! It carries style marks, which [`style`] turns into escape sequences when text is printed.

pub mod document;

pub mod array_map;
pub mod before_after;
pub mod calibration;
pub mod change;
pub mod comparison;
pub mod explained;
pub mod explanation;
pub mod facts;
mod host;
mod hosts;
pub mod html;
pub mod lifetime;
pub mod list;
pub mod matching;
pub mod names;
pub mod page;
pub mod plan;
pub mod power_cuts;
pub mod profiles;
pub mod render;
pub mod run;
pub mod states;
mod static_page;
pub mod studies;
pub mod style;
pub mod trace;
pub mod verdict;
pub mod view;
pub mod workloads;

mod apart;
mod at_risk;
mod bar;
mod choice;
mod common_error;
mod differences;
mod moved;
mod noticed;
mod numbers;
mod over_time;
mod standing;
mod storage_tree;
mod table;
mod text;

pub use text::{cut, strip_control};
