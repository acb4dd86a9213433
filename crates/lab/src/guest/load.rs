//! The loads whose power is cut, where they run: records in files, or a database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use stripewise_database::{Database, SessionError};
use stripewise_powercut::built_stack::{Recovery, Rows};
use stripewise_powercut::load::{Acknowledged, Target};
use stripewise_study::cut::{RecoveryFailure, RecoveryStep};
use stripewise_study::world::{NeverCancel, WorldError};

use super::program;
use crate::durability_load::{DatabaseLoad, DurabilityLoad};
use crate::wire::{News, causes};

/// How long a database may take to start: it recovers, on an emulated processor.
const START_LIMIT: Duration = Duration::from_secs(600);

const RUN: &str = "failed to run the load";

/// Writes what the load needs before it begins, and makes it durable.
pub(super) fn lay_out(work: &DurabilityLoad, target: &Target) -> Result<(), WorldError> {
    let attempted = "failed to lay out the load";
    match work {
        DurabilityLoad::Records(load) => load
            .lay_out(target)
            .map_err(|error| WorldError::failed(attempted, error)),
        DurabilityLoad::Database(work) => database(work, target)?
            .create(&mut NeverCancel)
            .map_err(|error| WorldError::failed(attempted, error)),
        DurabilityLoad::Program(work) => program::lay_out(work, target),
    }
}

/// Runs the load until `stop` is set.
pub(super) fn run(
    work: &DurabilityLoad,
    target: &Target,
    stop: &AtomicBool,
    report: &(dyn Fn(News) + Sync),
) -> Result<(), WorldError> {
    let acknowledge = |one: Acknowledged| report(News::Acknowledged(one));
    match work {
        DurabilityLoad::Records(load) => load
            .run(target, stop, &acknowledge)
            .map_err(|error| WorldError::failed(RUN, error)),
        DurabilityLoad::Database(work) => commit(work, target, stop, &acknowledge),
        DurabilityLoad::Program(work) => {
            program::run(work, target, stop, &|line| report(News::Printed(line)))
        }
    }
}

/// Looks for everything that the load wrote, without what a check of the filesystem would find.
pub(super) fn look(work: &DurabilityLoad, target: &Target) -> Result<Recovery, WorldError> {
    let unreadable = |step, reason| Ok(Recovery::Failed(RecoveryFailure { step, reason }));
    match work {
        DurabilityLoad::Records(load) => match load.look(target) {
            Ok(changed) => Ok(Recovery::Records {
                changed,
                damage: None,
            }),
            Err(error) => unreadable(RecoveryStep::Read, causes(&error).join(": ")),
        },
        DurabilityLoad::Program(work) => program::look(work, target),
        DurabilityLoad::Database(work) => {
            let started = database(work, target)?.start(START_LIMIT, &mut NeverCancel);
            let mut server = match started {
                Ok(server) => server,
                Err(error) => return unreadable(RecoveryStep::Start, causes(&error).join(": ")),
            };
            let failed = |error| WorldError::failed("failed to read the database", error);
            let contents = server.read_all(&mut NeverCancel).map_err(failed)?;
            if let Some(problem) = contents.problems.first() {
                return unreadable(RecoveryStep::Read, problem.clone());
            }
            let damage = server.check(&mut NeverCancel).map_err(failed)?;
            server.stop(START_LIMIT, &mut NeverCancel).map_err(failed)?;
            let rows = contents.rows.iter();
            let rows = rows.map(|row| (row.writer, row.sequence, row.is_intact));
            Ok(Recovery::Rows {
                rows: Rows::of(rows),
                damage: damage.into_iter().next(),
            })
        }
    }
}

/// Returns the database of a load, which needs a filesystem.
fn database(work: &DatabaseLoad, target: &Target) -> Result<Database, WorldError> {
    match target {
        Target::Directory(directory) => {
            Ok(Database::new(work.settings.clone(), work.load, directory))
        }
        Target::Device(_) => Err(WorldError::plain("a database needs a filesystem")
            .or_hint("add `filesystem = \"ext4\"` to the stack")),
    }
}

/// Starts the database and commits records, one at a time by each writer.
fn commit(
    work: &DatabaseLoad,
    target: &Target,
    stop: &AtomicBool,
    acknowledge: &(dyn Fn(Acknowledged) + Sync),
) -> Result<(), WorldError> {
    let server = database(work, target)?.start(START_LIMIT, &mut NeverCancel);
    let server = server.map_err(|error| WorldError::failed(RUN, error))?;
    let write = |writer| -> Result<(), SessionError> {
        let mut session = server.session(writer)?;
        let mut sequence = 0;
        while !stop.load(Ordering::Relaxed) {
            sequence += 1;
            session.commit(sequence..sequence + 1)?;
            acknowledge(Acknowledged { writer, sequence });
        }
        Ok(())
    };
    let ended = thread::scope(|scope| {
        let writers: Vec<_> = (0..work.writers)
            .map(|writer| {
                scope.spawn(move || {
                    let ended = write(writer);
                    if ended.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    ended
                })
            })
            .collect();
        let mut ended = Ok(());
        for writer in writers {
            let joined = writer.join();
            ended = ended.and(joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        ended
    });
    ended.map_err(|error| WorldError::failed(RUN, error))
}
