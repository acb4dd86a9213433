//! Rules that judge a host by facts: what fails now, and what breaks at a reboot, an upgrade or a
//! move.
//!
//! Facts are read once into a [`Snapshot`]: from this machine ([`collect::read_live`]), or from a
//! directory or an archive ([`tree::read`]). Rules are pure functions of a snapshot, so that every
//! rule is tested with three small trees (`trees/`, one file for each rule): one that fails, one
//! that passes, one without the fact.
//!
//! - `pattern`, `asks`: which facts there are; `collect`: reads them; `redact`: removes secrets
//!   from what is written or shown;
//! - `snapshot`: a fact is present, absent or missing, as `stripewise_machine` reads them; `tree`, `folder`, `archive`: snapshots as files;
//!   `sos`, `sos_layouts`: what a sosreport tells;
//! - `rule`: what a rule is; `facts`: what several rules read; `config`: files with includes and
//!   drop-ins; `layout`: where a distribution keeps them; `layers`: what a device stands on;
//!   `apache`, `apt`, `jobs`, `lvm_conf`, `mdstat`, `mysql`, `postgresql`, `slapd`: what these read; [`rules`]: all rules;
//! - `report`: all rules of a snapshot; `stack`: the stacks whose simulation shows what a
//!   finding costs; `performance`: what bears on the speed of a place; `array`: the array below it; `compare`: two snapshots; `answer`:
//!   what people see; `sarif`: for other programs.

mod pattern;

pub mod collect;
mod expand;
pub mod redact;
pub mod sources;

mod archive;
mod bounded;
mod folder;
mod look;
mod options;
pub mod performance;
mod snapshot;
mod sos;
mod sos_layouts;
mod syntax;
pub mod tree;
mod unpack;

mod rule;

mod apache;
mod apt;
mod array;
mod config;
mod facts;
mod jobs;
mod layers;
mod layout;
mod lvm_conf;
mod mdstat;
mod mysql;
mod postgresql;
pub mod rules;
mod slapd;

mod answer;
pub mod compare;
mod reasons;
mod report;
mod sarif;
mod stack;

pub use array::{Drive, HostArray, NoArray, array_at};
pub use reasons::reason;
pub use report::{CheckReport, RuleResult, Summary};
pub use rule::{Cost, Findings, Judged, Outcome, Rule, Setting, Settings, Severity, Text, Verdict};
pub use sarif::sarif;
pub use snapshot::{CommandResult, Fact, Missing, Snapshot, Stat};
pub use sos::Known;
pub use stack::{ModelLink, Question, Variant, class};
