//! From the samples of cells to estimates, warnings and comparisons. No I/O.
//!
//! Which samples count ([`counted`]), what they say about one cell ([`cell`]), what may be said
//! about two ([`comparison`]), which of their differences matters ([`cause`]), where their time went
//! ([`breakdown`]), what a failure did to them ([`timeline`]), and how many simulations a cell gets
//! ([`simulations`]). The runner asks while it measures, reports ask afterwards, and both get the
//! same answer because it is derived from the raw samples each time.

pub mod breakdown;
pub mod cause;
pub mod cell;
pub mod comparison;
pub mod counted;
pub mod simulations;
pub mod timeline;
