//! Who may do what: three roles with the least rights for their work.

use crate::server::libpq::{Fault, Session};

/// Makes the roles and gives them their rights; the same again changes nothing.
pub(crate) const ROLES: &str = include_str!("roles.sql");

/// Runs [`ROLES`].
pub(crate) fn make(session: &Session) -> Result<(), Fault> {
    session.run(ROLES).map(drop)
}
