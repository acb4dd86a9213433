//! The journal on a host: a store like the controller's, with one run whose changes are those of the agent.

use std::path::PathBuf;

use stripewise_metal::device::Announced;
use stripewise_metal::{Leftovers, Undone};
use stripewise_results::world::WorldSpec;
use stripewise_results::{NewRun, Origin, RunEnd, RunId, Store, unix_now_ns};
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::world::{Change, Journal, NoJournal, WorldError, WorldName};
use stripewise_units::causes::chain;

use crate::Say;

/// The journal; its file is made with the first change.
pub(crate) struct HostJournal {
    path: PathBuf,
    say: Say,
    open: Option<(Store, RunId)>,
}

impl HostJournal {
    pub(crate) fn at(path: PathBuf, say: Say) -> Self {
        Self {
            path,
            say,
            open: None,
        }
    }

    /// Calls `work` with the journal, which is made for `cell` if there is none yet.
    pub(crate) fn with<T>(
        &mut self,
        cell: &Cell,
        work: impl FnOnce(&mut dyn Journal) -> Result<T, WorldError>,
    ) -> Result<T, WorldError> {
        let failed = |error| WorldError::failed("failed to open the journal on the host", error);
        let (store, run) = match &mut self.open {
            Some(open) => open,
            none => {
                let mut store = Store::open(&self.path).map_err(failed)?;
                let facts = Facts::default();
                let cells = std::slice::from_ref(cell);
                let run = store.begin_run(&new_run(), cells, &facts).map_err(failed)?;
                none.insert((store, run))
            }
        };
        work(&mut store.journal(*run))
    }

    /// Undoes what `world` changed, then what killed agents left here. Returns what stays, in words.
    pub(crate) fn restore(
        &mut self,
        world: impl FnOnce(&mut dyn Journal) -> Result<(), WorldError>,
    ) -> Vec<String> {
        let mut left = Vec::new();
        let restored = match &mut self.open {
            Some((store, run)) => world(&mut store.journal(*run)),
            None => world(&mut NoJournal),
        };
        left.extend(restored.err().map(|error| chain(&error)));
        if let Some((mut store, run)) = self.open.take() {
            // Its changes stay in the journal, whatever its state.
            let _state = store.finish_run(run, RunEnd::Done);
        }
        if self.path.exists() {
            match Store::open_existing(&self.path) {
                Ok(mut store) => left.extend(undo_leftovers(&mut store, self.say)),
                Err(error) => left.push(chain(&error)),
            }
        }
        left
    }
}

/// Returns the run whose changes are journalled.
fn new_run() -> NewRun {
    NewRun {
        origin: WorldName::Metal.into(),
        world: Some(WorldSpec::Devices),
        study_name: "host".to_owned(),
        question: None,
        study_text: String::new(),
        seed: 0,
        options: serde_json::json!({}),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: unix_now_ns(),
    }
}

/// Undoes the changes of agents that were killed, the latest first; returns what stays, in words.
fn undo_leftovers(store: &mut Store, say: Say) -> Vec<String> {
    let mut left = Vec::new();
    let found = match store.leftovers() {
        Ok(found) => found,
        Err(error) => return vec![chain(&error)],
    };
    match store.changing_runs() {
        Ok(running) => left.extend(running.into_iter().map(|(_, process, _)| {
            format!("process {process} is still restoring the host: try again in a minute")
        })),
        Err(error) => left.push(chain(&error)),
    }
    let since = |origin: &Origin| match origin {
        Origin::SinceStart => Some(Announced::SinceStart),
        Origin::BeforeStart => Some(Announced::BeforeStart),
        Origin::Elsewhere(_) => None,
    };
    for session in found.chunk_by(|one, next| one.run == next.run && one.origin == next.origin) {
        let changes: Vec<Change> = session.iter().map(|left| left.change.clone()).collect();
        let Some(announced) = since(&session[0].origin) else {
            left.push("a change was made on another machine".to_owned());
            continue;
        };
        let mut leftovers = match Leftovers::find(&changes, announced) {
            Ok(leftovers) => leftovers,
            Err(error) => {
                left.push(chain(&error));
                continue;
            }
        };
        for (change, of) in changes.iter().zip(session) {
            let undone = match leftovers.undo(change) {
                Ok(Undone::Kept { why }) => Err(say(&why)),
                Ok(_) => {
                    let noted = store.journal(of.run).undone(change);
                    noted.map_err(|error| error.to_string())
                }
                Err(error) => Err(chain(&error)),
            };
            left.extend(undone.err());
        }
    }
    left
}
