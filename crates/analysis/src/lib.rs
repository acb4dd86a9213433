//! From the samples of cells to estimates, warnings and comparisons. No I/O.
//!
//! Modules: the samples that count ([`counted`]), the results of one cell ([`cell`]), the
//! comparison of two ([`comparison`]), the differences that matter ([`cause`]), where the time went
//! ([`breakdown`]), the effect of a failure ([`timeline`]), what the devices moved for each of its
//! bytes ([`moved`]), how much of its data compression took away ([`compression`]), the number of
//! simulations of a cell ([`simulations`]), what a stack costs over its life
//! ([`lifetime`], [`loss`]), what power cuts destroyed ([`cuts`]), and which setting to use because
//! of it ([`advice`]). The runner uses them while it measures and reports use them afterwards. Both
//! get the same results, because these are derived from the raw samples each time.

pub mod advice;
pub mod breakdown;
pub mod cause;
pub mod cell;
pub mod comparison;
pub mod compression;
pub mod counted;
pub mod cuts;
pub mod lifetime;
pub mod loss;
pub mod moved;
pub mod simulations;
pub mod timeline;
