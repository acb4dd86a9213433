//! The program as users see it: commands, their output, and their leftovers.
//!
//! One program, because each further one compiles the helpers and links again. Tests that create
//! block devices are in `devices`, tests with guests in `lab`.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

mod advise;
mod advise_here;
mod calibrate;
mod capture;
mod characterize;
mod check;
mod commands;
mod crates;
mod damaged_inputs;
mod devices;
mod documents;
mod every_medium;
mod explain;
mod explain_runs;
mod export;
mod fuzz_targets;
mod help;
mod history;
mod hostile_text;
mod hosts;
mod imports;
mod kill;
mod lab;
mod made_by;
mod model;
#[cfg(feature = "postgres")]
mod on_a_server;
mod other_users;
mod outputs;
mod packages;
mod pages;
mod pairs;
mod profiles;
mod questions;
mod real;
mod refusals;
mod report;
mod screen;
mod secrets;
mod serve;
mod silence;
mod site;
mod site_unlooked;
mod states;
mod stopping;
mod studies;
mod support;
mod terminal;
mod tidy;
mod traces;
mod typed_numbers;
mod words;
mod workloads;
