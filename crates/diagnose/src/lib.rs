//! Predictions, why they are so, and what would change them. No I/O.
//!
//! A cell is simulated several times ([`prediction`]); from what the simulations counted follow
//! typed findings ([`why`]); and every answer to "what if" is a simulation of its own ([`changes`]).
//! Words are made from the findings in one place ([`words`]).

pub mod changes;
pub mod prediction;
pub mod profile_error;
pub mod why;
pub mod words;
