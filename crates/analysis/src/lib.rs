//! From the samples of cells to estimates, warnings and comparisons. No I/O.
//!
//! Which samples count ([`counted`]), what they say about one cell ([`cell`]), and what may be said
//! about two ([`comparison`]), where their time went ([`breakdown`]), and what a failure did to them ([`timeline`]). The runner asks while it measures, reports ask afterwards, and both
//! get the same answer because it is derived from the raw samples each time.

pub mod breakdown;
pub mod cell;
pub mod comparison;
pub mod counted;
pub mod timeline;
