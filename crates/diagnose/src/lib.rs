//! Predictions, their explanations, and changes with their effects. No I/O.
//!
//! A cell is simulated several times ([`prediction`]). The counters of the simulations lead to
//! typed findings ([`why`]). Every "what if" is a simulation of its own ([`changes`]). One module
//! turns findings into words ([`words`]). Which of many designs to build is a race ([`advise`])
//! among those that do what is required ([`requirement`], [`measures`]); of equals the simplest is built
//! ([`simplicity`]). Why one result differs from another is the ablation of what changed ([`explain`]).

pub mod advise;
pub mod cause;
pub mod changes;
pub mod explain;
pub mod fidelity;
pub mod measures;
pub mod prediction;
pub mod progress;
pub mod requirement;
pub mod simplicity;
pub mod thumb;
pub mod vary;
pub mod why;
pub mod words;
