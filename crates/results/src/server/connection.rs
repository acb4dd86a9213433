//! Opens a store on a server, and begins and ends its transactions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Attempt, StoreError};
use crate::opening::OPEN;
use crate::place::Address;
use crate::schema::VERSION;
use crate::server::lease::{LEASE, Leases};
use crate::server::libpq::{Fault, Session};
use crate::server::migration;
use crate::sql::{SqlError, Transaction};

/// Sets up a session: names are those of our schema, a commit is on the medium when it returns, no
/// statement waits for a lock for more than 5 s, and a client that hangs in a transaction loses it.
const SET_UP: &str = "\
SET search_path = stripewise;
SET lock_timeout = '5s';
SET idle_in_transaction_session_timeout = '5min';
SELECT set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, false) AS synchronous_commit,
    current_setting('fsync') AS fsync";

/// What a read or write begins with.
const VERSIONS: &str = "SELECT version, oldest FROM store_version";

/// A connection to a store on a server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) session: Session,
    address: Address,
    /// Whether a power cut could take back what the server has committed.
    forgets: bool,
    lease_lasts: Duration,
    leases: Option<Leases>,
}

/// Connects and sets up.
pub(crate) fn session(address: &str) -> Result<Session, Fault> {
    let session = Session::connect(address)?;
    session.run(SET_UP)?;
    Ok(session)
}

impl Connection {
    /// Opens the store at an address; with `create`, makes its tables if there are none.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::NewerVersion`], [`StoreError::Encoding`], and what the
    /// server reports.
    pub(crate) fn open(address: Address, create: bool) -> Result<Self, StoreError> {
        let path = address.path().to_owned();
        let attempt = Attempt {
            path: &path,
            what: OPEN,
        };
        let session = Session::connect(address.text()).map_err(|fault| StoreError::Connect {
            path: path.clone(),
            source: Box::new(fault),
        })?;
        let failed = |fault: Fault| attempt.failed(fault);
        let rows = session.run(SET_UP).map_err(failed)?;
        let fsync: String = match rows.first() {
            Some(row) => row
                .get("fsync")
                .map_err(|source: SqlError| attempt.failed(source))?,
            None => String::new(),
        };
        let encoding = session.parameter("server_encoding").unwrap_or_default();
        if encoding != "UTF8" {
            return Err(StoreError::Encoding { path, encoding });
        }
        let connection = Self {
            session,
            address,
            forgets: fsync != "on",
            lease_lasts: LEASE,
            leases: None,
        };
        match migration::version(&connection.session).map_err(failed)? {
            Some(_) => connection.refuse_version(attempt)?,
            None if create => migration::make_tables(&connection.session).map_err(failed)?,
            None => return Err(StoreError::Missing { path }),
        }
        Ok(connection)
    }

    pub(crate) fn path(&self) -> &Path {
        self.address.path()
    }

    /// Sets how long a lease lasts, before the first is taken.
    pub(crate) fn set_lease(&mut self, lasts: Duration) {
        self.lease_lasts = lasts;
    }

    /// Returns the holder of this handle's leases, and renews them from now on.
    pub(crate) fn holder(&mut self) -> Result<(String, Duration), StoreError> {
        if self.leases.is_none() {
            let path = self.path().to_owned();
            let attempt = Attempt {
                path: &path,
                what: "take a lease",
            };
            let transaction = Transaction::Server(&self.session);
            let holder = transaction.one("SELECT gen_random_uuid()::text", &[]);
            let holder: String = holder.map_err(|source| attempt.failed(source))?;
            let started = Leases::start(self.address.text(), holder, self.lease_lasts);
            let started = started.map_err(|source| StoreError::Open { path, source })?;
            self.leases = Some(started);
        }
        let leases = self.leases.as_ref().map(Leases::holder);
        let (holder, lasts) = leases.unwrap_or_default();
        Ok((holder.to_owned(), lasts))
    }

    /// Begins a transaction to write.
    pub(crate) fn begin_write(&self, attempt: Attempt) -> Result<(), StoreError> {
        if self.forgets {
            return Err(StoreError::NotDurable {
                path: attempt.path.to_owned(),
            });
        }
        self.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", attempt)
    }

    /// Begins a transaction that sees one state of the store.
    pub(crate) fn begin_read(&self, attempt: Attempt) -> Result<(), StoreError> {
        self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", attempt)
    }

    fn begin(&self, begin: &str, attempt: Attempt) -> Result<(), StoreError> {
        let rows = self.session.run(&format!("{begin}; {VERSIONS}"));
        let rows = rows.map_err(|source| attempt.failed(source));
        let begun = rows.and_then(|rows| refuse_newer(attempt, rows.first()));
        begun.inspect_err(|_| self.roll_back())
    }

    fn refuse_version(&self, attempt: Attempt) -> Result<(), StoreError> {
        let rows = self
            .session
            .run(VERSIONS)
            .map_err(|source| attempt.failed(source))?;
        refuse_newer(attempt, rows.first())
    }

    /// Commits: what was written is on the medium when this returns.
    pub(crate) fn commit(&self, attempt: Attempt) -> Result<(), StoreError> {
        self.session
            .commit()
            .map_err(|source| attempt.failed(source))
    }

    /// Ends a transaction without effect.
    pub(crate) fn roll_back(&self) {
        // The server does it by itself if the connection is gone.
        drop(self.session.run("ROLLBACK"));
    }

    /// Sets how long to wait for another writer.
    pub(crate) fn set_lock_timeout(&self, timeout: Duration) -> Result<(), StoreError> {
        let attempt = Attempt {
            path: self.path(),
            what: OPEN,
        };
        let set = format!("SET lock_timeout = {}", timeout.as_millis());
        self.session
            .run(&set)
            .map(drop)
            .map_err(|source| attempt.failed(source))
    }
}

fn refuse_newer(attempt: Attempt, row: Option<&crate::sql::Row>) -> Result<(), StoreError> {
    let failed = |source: SqlError| attempt.failed(source);
    let Some(row) = row else {
        return Err(attempt.corrupt("its version is missing".to_owned(), None));
    };
    let (found, oldest): (u32, u32) = (
        row.get("version").map_err(failed)?,
        row.get("oldest").map_err(failed)?,
    );
    let path = PathBuf::from(attempt.path);
    if oldest > VERSION {
        return Err(StoreError::NewerVersion {
            path,
            found,
            supported: VERSION,
        });
    }
    if found < VERSION {
        return Err(StoreError::OlderVersion {
            path,
            found,
            needed: VERSION,
        });
    }
    Ok(())
}
