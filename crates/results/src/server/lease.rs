//! Leases: which process may write to a running run.
//!
//! A process takes a lease when it begins or claims a run. A thread with a connection of its own renews
//! it, however long a sample takes, and every write of the run checks it in its transaction. All times
//! are the server's clock's. A process that was cut off keeps its lease until another one takes it; its
//! next write then fails, so a run never has two writers.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::error::{Attempt, StoreError};
use crate::run::RunId;
use crate::server::connection;
use crate::sql::{Param, Transaction};

/// How long a lease lasts: after a crash on another machine a run can be taken over so much later.
pub(crate) const LEASE: Duration = Duration::from_secs(60);

/// How long the end of a handle waits for its renewing thread.
const END_LIMIT: Duration = Duration::from_millis(500);

/// How often a lease is renewed while it lasts.
const RENEWALS: u32 = 4;

/// The leases of one handle.
#[derive(Debug)]
pub(crate) struct Leases {
    holder: String,
    lasts: Duration,
    stop: Arc<(Mutex<bool>, Condvar)>,
    renewing: Option<JoinHandle<()>>,
}

impl Leases {
    /// Begins to renew all leases of `holder`, which has none yet.
    pub(crate) fn start(address: &str, holder: String, lasts: Duration) -> std::io::Result<Self> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let (address, theirs, stopped) = (address.to_owned(), holder.clone(), Arc::clone(&stop));
        let renewing = std::thread::Builder::new()
            .name("lease".to_owned())
            .spawn(move || renew_until(&address, &theirs, lasts, &stopped))?;
        Ok(Self {
            holder,
            lasts,
            stop,
            renewing: Some(renewing),
        })
    }

    /// Returns the holder, and how long its leases last.
    pub(crate) fn holder(&self) -> (&str, Duration) {
        (&self.holder, self.lasts)
    }
}

impl Drop for Leases {
    fn drop(&mut self) {
        let (stop, wake) = &*self.stop;
        *stop.lock().unwrap_or_else(PoisonError::into_inner) = true;
        wake.notify_all();
        // It ends at once, unless it waits for a server that cannot be reached: a program that was
        // interrupted does not wait for that.
        let began = Instant::now();
        while let Some(renewing) = self
            .renewing
            .take_if(|renewing| renewing.is_finished() || began.elapsed() < END_LIMIT)
        {
            match renewing.is_finished() {
                true => drop(renewing.join()),
                false => {
                    std::thread::sleep(Duration::from_millis(2));
                    self.renewing = Some(renewing);
                }
            }
        }
    }
}

fn renew_until(address: &str, holder: &str, lasts: Duration, stop: &(Mutex<bool>, Condvar)) {
    let mut session = None;
    let (stop, wake) = stop;
    let mut stopped = stop.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        (stopped, _) = wake
            .wait_timeout(stopped, lasts / RENEWALS)
            .unwrap_or_else(PoisonError::into_inner);
        if *stopped {
            return;
        }
        // A server that cannot be reached now is asked again; the next write reports it.
        if session.is_none() {
            session = connection::session(address).ok();
        }
        let renewed = session.as_ref().map(|session| {
            let params = [Param::from(holder), Param::Integer(milliseconds(lasts))];
            session.execute(
                "UPDATE lease SET expires_at = clock_timestamp() + ?2 * interval '1 ms'
                     WHERE holder = ?1",
                &params,
            )
        });
        if renewed.is_some_and(|renewed| renewed.is_err()) {
            session = None;
        }
    }
}

fn milliseconds(lasts: Duration) -> i64 {
    i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX)
}

/// Gives the lease of a run to `holder`. The caller has checked that nobody else holds it, and has
/// locked the run.
pub(crate) fn take(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    (holder, lasts): (&str, Duration),
) -> Result<(), StoreError> {
    let host_name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let params = [
        Param::Integer(run.0),
        Param::from(holder),
        Param::from(host_name.trim()),
        Param::Integer(milliseconds(lasts)),
    ];
    transaction
        .execute(
            "INSERT INTO lease (run, holder, host_name, expires_at)
                 VALUES (?1, ?2, ?3, clock_timestamp() + ?4 * interval '1 ms')
             ON CONFLICT (run) DO UPDATE SET holder = excluded.holder,
                 host_name = excluded.host_name, expires_at = excluded.expires_at",
            &params,
        )
        // What was copied before is no longer all of it.
        .and_then(|_| {
            transaction.execute(
                "UPDATE copied SET digest = '' WHERE run = ?1",
                &[run.0.into()],
            )
        })
        .map(drop)
        .map_err(|source| attempt.failed(source))
}

/// Renews the lease of a run for a write in this transaction, which keeps others from taking it until
/// the transaction ends.
///
/// # Errors
/// [`StoreError::TakenOver`] if another process has taken it.
pub(crate) fn renew(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    (holder, lasts): (&str, Duration),
) -> Result<(), StoreError> {
    let params = [
        Param::Integer(run.0),
        Param::from(holder),
        Param::Integer(milliseconds(lasts)),
    ];
    let renewed = transaction.execute(
        "UPDATE lease SET expires_at = clock_timestamp() + ?3 * interval '1 ms'
             WHERE run = ?1 AND holder = ?2",
        &params,
    );
    match renewed.map_err(|source| attempt.failed(source))? {
        0 => Err(StoreError::TakenOver {
            run,
            by: host_of(transaction, attempt, run)?,
        }),
        _ => Ok(()),
    }
}

/// Ends the lease of a finished run.
pub(crate) fn give_up(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<(), StoreError> {
    transaction
        .execute("DELETE FROM lease WHERE run = ?1", &[run.0.into()])
        .map(drop)
        .map_err(|source| attempt.failed(source))
}

/// Returns whether the lease of a run has not ended yet by the server's clock.
pub(crate) fn is_held(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<bool, StoreError> {
    let query = "SELECT count(*) FROM lease WHERE run = ?1 AND expires_at > clock_timestamp()";
    let held: i64 = transaction
        .one(query, &[run.0.into()])
        .map_err(|source| attempt.failed(source))?;
    Ok(held > 0)
}

/// Returns the machine that holds the lease of a run.
pub(crate) fn host_of(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Option<String>, StoreError> {
    let query = "SELECT host_name FROM lease WHERE run = ?1";
    let read = || match transaction.first(query, &[run.0.into()])? {
        Some(row) => row.at(0).map(Some),
        None => Ok(None),
    };
    read().map_err(|source| attempt.failed(source))
}
