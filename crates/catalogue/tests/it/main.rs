//! The catalogue against those who use it: its two languages, and the sources of the program and of
//! the page.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

mod files;
mod page_sources;
mod program_sources;
mod used;
