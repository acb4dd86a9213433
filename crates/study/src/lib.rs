//! The words of Stripewise as types: studies, cells, samples, facts, worlds. No I/O.
//!
//! A *study* (a TOML file) is stacks x workloads x conditions; it expands to
//! *cells*, which a *world* measures one *sample* at a time.

pub mod cell;
pub mod conditions;
pub mod facts;
pub mod histogram;
pub mod sample;
pub mod stack;
pub mod units;
pub mod warning;
pub mod workload;
pub mod world;
