//! The vocabulary of Stripewise as types: studies, cells, samples, facts, worlds. No I/O.
//!
//! A *study* (a TOML file, see [`mod@format`]) is stacks x workloads x conditions; it expands to
//! *cells*, which a *world* measures one *sample* at a time.
//!
//! ```
//! let text = r#"
//! [stack.here]
//! filesystem = "existing"
//! [workload]
//! pattern = ["randread", "randwrite"]
//! block_size = ["8K", "1M"]
//! size = "256M"
//! "#;
//! let study = stripewise_study::format::parse("example.toml", text).expect("a valid study");
//! assert_eq!(study.cells.len(), 4);
//! ```

pub mod format;
pub mod plan;
pub mod preset;
pub mod question;

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
pub mod stack;
pub mod sysctl;
pub mod trace;
pub mod tunable;
pub mod workload;

pub mod facts;
pub mod histogram;
pub mod host_during;
pub mod import_note;
pub mod lifetime;
pub mod limits;
pub mod metric;
pub mod possible;
pub mod risk;
pub mod sample;
pub mod series;
pub mod splitmix;
pub mod warning;
pub mod world;

pub mod kernel;
pub mod mark;
pub mod md;
pub mod suggest;
pub mod units;
pub mod visible;
