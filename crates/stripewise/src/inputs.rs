//! The files that this command reads, by identity: no output may replace one.
//!
//! A command would else lose its own input: `site rewrite self.sql --output self.sql --replace`.
//! Every way of opening an input notes it here, so that no command can forget to compare. An
//! identity is device, inode and birth time: a link, a second name and a redirected standard input
//! keep it, and a later file with the same inode number has another one.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Statx, StatxFlags, statx};

/// Device (two numbers), inode, and birth time (two numbers).
type Identity = (u32, u32, u64, i64, u32);

static INPUTS: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// Opens an input.
///
/// # Errors
/// As [`File::open`].
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path).inspect(|file| note(file))
}

/// Notes an open file.
pub(crate) fn note(file: impl AsFd) {
    if let Some(identity) = identity(file) {
        insert(identity);
    }
}

/// Notes the file at a path, if there is one.
pub(crate) fn note_path(path: &Path) {
    let found = statx(rustix::fs::CWD, path, AtFlags::empty(), FLAGS);
    if let Some(identity) = found.ok().as_ref().and_then(of_file) {
        insert(identity);
    }
}

/// Returns whether this command reads the file.
pub(crate) fn contains(file: impl AsFd) -> bool {
    let inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    identity(file).is_some_and(|identity| inputs.contains(&identity))
}

const FLAGS: StatxFlags = StatxFlags::BASIC_STATS.union(StatxFlags::BTIME);

fn insert(identity: Identity) {
    let mut inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    inputs.insert(identity);
}

fn identity(file: impl AsFd) -> Option<Identity> {
    let found = statx(file, "", AtFlags::EMPTY_PATH, FLAGS);
    of_file(&found.ok()?)
}

/// Returns the identity of a regular file: no output replaces anything else.
fn of_file(found: &Statx) -> Option<Identity> {
    let is_file = FileType::from_raw_mode(found.stx_mode.into()).is_file();
    let born = found.stx_btime;
    is_file.then_some((
        found.stx_dev_major,
        found.stx_dev_minor,
        found.stx_ino,
        born.tv_sec,
        born.tv_nsec,
    ))
}
