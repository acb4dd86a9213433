//! The store of runs: one SQLite file, or tables on a PostgreSQL server, in which a finished sample is
//! safe.
//!
//! Samples are kept raw and whole; estimates are derived from them elsewhere and never stored. The
//! format of the file is described in `FORMAT.md` at the root of the project.
//!
//! ```
//! use stripewise_results::world::WorldSpec;
//! use stripewise_results::{NewRun, RunEnd, RunState, Store};
//! use stripewise_study::facts::Facts;
//! use stripewise_study::world::WorldName;
//!
//! # fn main() -> Result<(), stripewise_results::StoreError> {
//! let mut store = Store::in_memory()?;
//! let run = store.begin_run(
//!     &NewRun {
//!         origin: WorldName::Metal.into(),
//!         world: Some(WorldSpec::Files { target: "/srv/test".into() }),
//!         study_name: "chunk".into(),
//!         question: Some("which chunk size".into()),
//!         study_text: String::new(),
//!         seed: 1,
//!         options: serde_json::json!({ "budget_ns": null }),
//!         tool_version: "0.1.0".into(),
//!         started_unix_ns: stripewise_results::unix_now_ns(),
//!     },
//!     &[],
//!     &Facts::default(),
//! )?;
//! store.finish_run(run, RunEnd::Done)?;
//! assert_eq!(store.run(run)?.summary.state, RunState::Done);
//! # Ok(())
//! # }
//! ```

pub mod world;

mod place;
mod run;
mod store;

mod acknowledged;
mod copying;
mod executing;
mod importing;
mod journal;
mod labels;
mod managing;
mod reading;

mod header;
mod liveness;
mod opening;
mod owners;
mod schema;
mod sealed;
mod sql;
mod stored;

#[cfg(feature = "postgres")]
mod server;

mod error;

#[cfg(test)]
mod full_disk_tests;

pub use acknowledged::{ACK_BYTES_MAX, Acknowledgement};
pub use copying::Copied;
pub use error::StoreError;
pub use journal::{Leftover, Origin, StoreJournal};
pub use labels::{
    Deleted, LATEST, LabelError, NAME_BYTES_MAX, TAG_BYTES_MAX, TAGS_MAX, run_name, split_cell,
    stored_run_name, tag,
};
#[cfg(feature = "postgres")]
pub use managing::migrate_by;
pub use managing::{Migrated, MigrationStep, ROLES_SQL, make_roles, migrate};
pub use place::{Address, is_on_server};
pub use run::{
    FactsRecord, ListedRun, NewRun, ParseRunIdError, Run, RunCounts, RunEnd, RunHead, RunId,
    RunState, RunSummary, SampleCounts, WarningRecord,
};
pub use store::{Store, unix_now_ns};
