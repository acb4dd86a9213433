//! The local web page: stored runs, running runs, what-if questions, and answers of other commands.
//!
//! `web/src/generated.ts` is the contract with the page, generated from the types here.
//! `stripewise-report` makes the pages, so that the live page shows the same as a report. Questions
//! become studies, so that they are checked and simulated like studies. Only this machine can ask,
//! and only with the token (see `guard`).

mod connection;
mod server;

mod api;
mod guard;
mod token;

mod advice;
mod ask;
mod asking;
mod choices;
mod question;
mod shown;
mod stored;

mod error;
mod reply;

#[cfg(test)]
mod typescript;

pub use advice::{AdviceAnswer, AdviceQuestion, AdviceRefusal, Advising, Advisor, WeightedLoad};
pub use connection::Deadlines;
pub use server::{Config, ServeError, Server};
pub use shown::{Offer, ShownAnswer, Source};
pub use stored::{Reader, Reading};
