//! The catalogue against those who use it: its two languages, the sources of the program and of the
//! page, and the words of what crates below it make.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

mod facts;
mod files;
mod names;
mod page_sources;
mod program_sources;
mod shipped;
mod used;
mod verdicts;
