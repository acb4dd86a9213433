//! The local page: the store of runs, runs as they go on, and "what would this give?".
//!
//! `web/src/generated.ts` is the contract with the page, written from the types here. Pages are made by `stripewise-report`, so that
//! the live page shows what a report does; questions become studies, so that they are checked and
//! simulated as those are. Only this machine can ask, and only with the token (see `guard`).

mod connection;
mod server;

mod api;
mod guard;
mod token;

mod ask;
mod asking;
mod choices;
mod question;
mod stored;

mod error;
mod reply;

#[cfg(test)]
mod typescript;

pub use connection::Deadlines;
pub use server::{Config, ServeError, Server};
pub use stored::{Reader, Reading};
