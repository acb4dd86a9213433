//! Dumps and modes of files, against slow oracles and real databases: one module per subject.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

mod cuts;
mod forms_kit;
#[path = "../oracle/mod.rs"]
mod oracle;
mod programs;
mod server;
mod skip;

mod cases;
mod cases_of_forms;
mod dump;
mod forms;
mod mariadb;
mod permissions;
mod php;
mod postgres;
mod quotes;
mod sqlite;
mod verify;
mod whole;
