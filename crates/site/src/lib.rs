//! Moves a web site: rewrites addresses and paths in dumps, and checks the modes of its files.
//!
//! PHP stores structured settings as serialized text, in which each string carries its length in
//! bytes. Where a longer address replaces a shorter one, these lengths change, at every level of nesting.
//!
//! ```text
//! input -> window -> literal (sql, tsv, wxr, text) -> decode -> walk -> edits -> raw edits -> output
//! ```
//!
//! - [`pairs`]: what is replaced by what, in which forms, and where an address ends;
//! - [`source`]: bytes in memory or in an unlinked file; `grammar`: PHP's serialized values;
//!   `find`: addresses; `walk`: finds both in text, and makes the list of edits (`edits`); `steps`:
//!   how often it may look; `layer` and `layered`: text in other forms within a text;
//! - `escape`, `entities` and `encode`: how a form is read and written; `cursor`: edits of decoded
//!   text as edits of the quoted one, so that unchanged bytes stay as they are;
//! - `detect`: the format of the input; `window`: the input, streamed; `sql`, `postgres`, `fields`
//!   and `xml`: where its values are; `ends`, `coat` and `value`: where one ends, its layers, and its
//!   edits; [`mod@rewrite`]: all of it;
//! - [`report`]: what was changed and what was left;
//! - [`permissions`]: who can read which file, and what to change; `listing`: files from `ls -lR`;
//!   [`scripts`]: the changes as scripts;
//! - [`verify`]: old addresses and broken values after the move; `looked`: those in files;
//!   `packed_within`: signs of packed bytes in a file or a value.

mod claim;
mod coat;
mod cursor;
mod detect;
mod edits;
mod encode;
mod ends;
mod entities;
mod escape;
mod fields;
mod find;
mod grammar;
mod included;
mod layer;
mod layered;
mod listing;
mod packed_within;
pub mod pairs;
pub mod permissions;
mod postgres;
mod quoted;
pub mod report;
pub mod rewrite;
pub mod scripts;
mod searched;
pub mod source;
mod sql;
mod steps;
mod value;
pub mod verify;
mod walk;
mod window;
mod xml;

pub use pairs::{Pair, PairError, Pairs, Policy};
pub use report::{InputReport, Place};
pub use rewrite::{Format, Options, RewriteError, rewrite, rewrite_value};
