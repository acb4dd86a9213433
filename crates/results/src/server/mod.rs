//! A store on a PostgreSQL server: the tables, who may write, and how a session promises what a file
//! does.
//!
//! ```text
//! Connection -- libpq::Session      statements and rows
//!     |
//!     +-- tables, migrate           the version of the tables
//!     +-- lease                     which process may write to a run
//!     +-- roles                     who may do what
//! ```

pub(crate) mod connection;
pub(crate) mod lease;
pub(crate) mod libpq;
pub(crate) mod manage;
pub(crate) mod migration;
pub(crate) mod roles;
