//! The catalogue: every sentence that the terminal or the page shows, in English and German.
//!
//! Code makes a [`Message`], which names an entry of the catalogue and fills its variables. The
//! terminal renders it ([`Words`]). The page gets it as JSON, with the files of both languages
//! ([`page_files`]), and renders it (`web/src/text.ts`), so a reader can change the language without
//! a new request.
//!
//! Only crates that show text need this one; those below them need only the message
//! (`stripewise-message`). So a changed sentence rebuilds few crates, which a test counts.
//!
//! The files are `messages/*.ftl` ([Fluent](https://projectfluent.org)). To add a sentence, add one
//! entry per language and one `Message::new("its-id")`. A test finds entries that one language
//! lacks, entries that no code names, and ids that no file has.
//!
//! Help, errors of the command line and of the system, and logs are in English, as literals in the
//! code.

mod bundle;
mod language;
mod shipped;
mod words;

pub use bundle::{files, page_files};
pub use language::Language;
pub use shipped::shipped;
pub use stripewise_message::{Argument, Message, number};
pub use words::{NAME_TICK, Words, as_english};
