//! The store through its public interface, one module for each way in which runs could be lost or
//! mixed up.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod acknowledged;
#[path = "../common/mod.rs"]
mod common;
mod damaged_files;
mod killed;
mod labels;
mod old_versions;
mod refused_files;
mod round_trip;
mod runs;
#[cfg(feature = "postgres")]
mod server;

use std::path::PathBuf;

use common::begin_with_samples;
use stripewise_results::{RunEnd, Store};
use tempfile::TempDir;

/// Returns a temporary directory and the path of a store in it.
fn scratch() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    (folder, path)
}

/// Returns a closed store with one finished run of 20 samples.
fn store_file() -> (TempDir, PathBuf) {
    let (folder, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut store, 2, 20);
    store.finish_run(run, RunEnd::Done).unwrap();
    drop(store);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "the last close leaves one file"
    );
    (folder, path)
}
