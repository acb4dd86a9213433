//! The connection of a store's owner.

use crate::error::{Attempt, StoreError};
use crate::managing::{Migrated, MigrationStep};
use crate::place::Address;
use crate::server::libpq::Session;
use crate::server::{connection, migration, roles};

/// A connection that does not ask for a version of the tables.
#[derive(Debug)]
pub(crate) struct Managed {
    session: Session,
    address: Address,
    what: &'static str,
}

impl Managed {
    pub(crate) fn connect(address: Address, what: &'static str) -> Result<Self, StoreError> {
        let session = connection::session(address.text());
        let session = session.map_err(|fault| StoreError::Connect {
            path: address.path().to_owned(),
            source: Box::new(fault),
        })?;
        let managed = Self {
            session,
            address,
            what,
        };
        let version = migration::version(&managed.session);
        match version.map_err(|source| managed.attempt().failed(source))? {
            Some(_) => Ok(managed),
            None => Err(StoreError::Missing {
                path: managed.address.path().to_owned(),
            }),
        }
    }

    pub(crate) fn make_roles(&self) -> Result<(), StoreError> {
        roles::make(&self.session).map_err(|source| {
            // A failed statement leaves its transaction open.
            drop(self.session.run("ROLLBACK"));
            self.attempt().failed(source)
        })
    }

    pub(crate) fn migrate(&self) -> Result<Migrated, StoreError> {
        self.migrate_by(migration::STEPS)
    }

    pub(crate) fn migrate_by(&self, steps: &[MigrationStep]) -> Result<Migrated, StoreError> {
        let migrated = migration::migrate(&self.session, steps);
        let (before, after) = migrated.map_err(|source| self.attempt().failed(source))?;
        Ok(Migrated { before, after })
    }

    fn attempt(&self) -> Attempt<'_> {
        Attempt {
            path: self.address.path(),
            what: self.what,
        }
    }
}
