//! Renderers: each draws the blocks of any answer in one medium.
//!
//! Here are the terminal and the page without a script; Markdown, CSV and JUnit are in
//! `stripewise_export::answer`, beside the other files for other programs. A renderer knows blocks,
//! never a command: that is what lets a new answer appear in all media, and a new medium show all
//! answers.

mod grid;
mod html;
mod terminal;

pub use html::{html, index, page};
pub use terminal::terminal;
