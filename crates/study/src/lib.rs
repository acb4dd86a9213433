//! The vocabulary of Stripewise as types: stacks, loads, cells, samples, facts, worlds. No I/O.
//!
//! A study is stacks x workloads x conditions; it expands to *cells*, which a *world* measures one
//! *sample* at a time. The crate `format` reads one from TOML; quantities are in `units`.

pub mod plan;

pub mod cell;
pub mod cell_words;
pub mod conditions;
pub mod cpus;
pub mod cut;
pub mod difference;
pub mod failure;
pub mod guest_clock;
pub mod keys;
pub mod load;
pub mod pool;
pub mod program;
pub mod stack;
pub mod sysctl;
pub mod trace;
pub mod tunable;
pub mod workload;

pub mod facts;
pub mod host_during;
pub mod hosts;
pub mod import_note;
pub mod lifetime;
pub mod limits;
pub mod metric;
pub mod notation;
pub mod possible;
pub mod risk;
pub mod sample;
pub mod series;
pub mod warning;
pub mod world;
