//! Real databases under power cuts: MariaDB and PostgreSQL with records whose content is known.
//!
//! ```text
//! Database --create--> a data directory on the filesystem under test
//!     |
//!     +----start--> Server --session--> Session --commit--> acknowledged
//!                      |
//!                      +--read_all, check--> what survived the cut
//! ```
//!
//! A record is a function of the load's seed, its writer and its sequence number, so reading it
//! back shows any changed byte. A session is one client process: [`Session::commit`] returns after
//! the server has acknowledged the transaction.
//!
//! Starting a server on a data directory is where crash recovery happens. If it fails, the error
//! contains the server's own words. Sockets and temporary files are in a private directory below
//! the system's temporary directory, which must not be on the filesystem under test.
//!
//! As root we start servers as user [`UNPRIVILEGED`], because PostgreSQL refuses to run as root;
//! that user must be able to enter every directory above the data directory.

mod database;
mod error;
mod kind;
mod lines;
mod mariadb;
mod postgresql;
mod record;
mod server;
mod session;
mod settings;

pub use database::{Database, UNPRIVILEGED};
pub use error::{ServerError, SessionError, SettingsError};
pub use kind::Kind;
pub use lines::Lines;
pub use record::{Load, PAYLOAD_BYTES_MAX, ReadRow};
pub use server::{Contents, Server};
pub use session::Session;
pub use settings::{Setting, Settings};
