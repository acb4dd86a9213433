//! What the owner of a store on a server does: roles, and the version of the tables.

use std::path::Path;

use crate::error::StoreError;
use crate::place::Address;

/// The statements that make the roles of a store on a server.
pub const ROLES_SQL: &str = include_str!("server/roles.sql");

/// The versions of the tables before and after a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migrated {
    /// Before it.
    pub before: u32,
    /// After it.
    pub after: u32,
}

/// Makes the roles of the store on a server, or gives them their rights anew.
///
/// # Errors
/// [`StoreError::NotOnServer`] for a file, [`StoreError::Denied`] if the role may not, and what the
/// server reports.
pub fn make_roles(path: &Path) -> Result<(), StoreError> {
    run_on(path, "make roles", |server| server.make_roles())
}

/// Brings the tables of the store on a server to the version of this program. Readers and writers of
/// the version before go on meanwhile.
///
/// # Errors
/// As [`make_roles`].
pub fn migrate(path: &Path) -> Result<Migrated, StoreError> {
    run_on(path, "migrate the tables", |server| server.migrate())
}

/// What a version of the tables on a server needs.
#[derive(Debug, Clone, Copy)]
pub struct MigrationStep {
    /// The version that the tables have afterwards.
    pub version: u32,
    /// The oldest program that may use them then.
    pub oldest: u32,
    /// The statements.
    pub sql: &'static str,
}

/// As [`migrate`], with other steps: for tests of what a later version will do.
///
/// # Errors
/// As [`make_roles`].
#[cfg(feature = "postgres")]
pub fn migrate_by(path: &Path, steps: &[MigrationStep]) -> Result<Migrated, StoreError> {
    run_on(path, "migrate the tables", |server| {
        server.migrate_by(steps)
    })
}

#[cfg(feature = "postgres")]
type Managed = crate::server::manage::Managed;

#[cfg(not(feature = "postgres"))]
struct Managed;

fn run_on<T>(
    path: &Path,
    what: &'static str,
    work: impl FnOnce(&Managed) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let Some(address) = Address::of(path)? else {
        return Err(StoreError::NotOnServer {
            path: path.to_owned(),
            attempted: what,
        });
    };
    work(&Managed::connect(address, what)?)
}

#[cfg(not(feature = "postgres"))]
impl Managed {
    fn connect(address: Address, _: &'static str) -> Result<Self, StoreError> {
        Err(StoreError::WithoutPostgres {
            path: address.path().to_owned(),
        })
    }

    fn make_roles(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn migrate(&self) -> Result<Migrated, StoreError> {
        Ok(Migrated {
            before: crate::schema::VERSION,
            after: crate::schema::VERSION,
        })
    }
}
