//! A disk that records: its data now, and a log of every write and flush since the recording began.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::store::Store;

/// One entry of a log.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When the disk received it, since the recording began.
    pub at: Duration,
    /// What it was.
    pub what: Logged,
}

/// What a disk was asked to do.
#[derive(Debug, Clone)]
pub enum Logged {
    /// Write data.
    Write {
        /// Where.
        offset: u64,
        /// What.
        data: Arc<[u8]>,
        /// Whether it is on the medium when it completes (`REQ_FUA`).
        fua: bool,
    },
    /// Write zeroes, or discard.
    Clear {
        /// Where.
        offset: u64,
        /// How many bytes.
        length: u64,
        /// Whether it is on the medium when it completes.
        fua: bool,
    },
    /// Put everything that has completed on the medium (`REQ_PREFLUSH`).
    Flush,
}

/// A disk in memory. It serves one request at a time, so every entry of its log has completed when
/// the next one begins.
#[derive(Debug, Clone)]
pub struct Disk {
    size_bytes: u64,
    /// What was on the medium when the recording began.
    base: Store,
    now: Store,
    began: Instant,
    log: Vec<Entry>,
    logged_bytes: u64,
}

impl Disk {
    /// Returns a disk of zeroes.
    pub fn new(size_bytes: u64) -> Self {
        Self {
            size_bytes,
            base: Store::default(),
            now: Store::default(),
            began: Instant::now(),
            log: Vec::new(),
            logged_bytes: 0,
        }
    }

    /// Returns its size.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Replaces its data by `base`, and begins a recording at `began`.
    pub fn begin(&mut self, base: Store, began: Instant) {
        self.now = base.clone();
        self.base = base;
        self.began = began;
        self.log = Vec::new();
        self.logged_bytes = 0;
    }

    /// Returns what it holds now, volatile or not.
    pub fn content(&self) -> &Store {
        &self.now
    }

    /// Returns what was on the medium when the recording began.
    pub fn base(&self) -> &Store {
        &self.base
    }

    /// Returns the log, in the order of completion.
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// Returns the bytes of data in the log.
    pub fn logged_bytes(&self) -> u64 {
        self.logged_bytes
    }

    /// Returns whether a request lies on the disk.
    pub fn has(&self, offset: u64, length: u64) -> bool {
        offset
            .checked_add(length)
            .is_some_and(|end| end <= self.size_bytes)
    }

    /// Reads into all of `data`.
    pub fn read(&self, offset: u64, data: &mut [u8]) {
        self.now.read(offset, data);
    }

    /// Writes `data`.
    pub fn write(&mut self, offset: u64, data: Arc<[u8]>, fua: bool) {
        self.now.write(offset, &data);
        self.logged_bytes += data.len() as u64;
        self.note(Logged::Write { offset, data, fua });
    }

    /// Writes zeroes.
    pub fn clear(&mut self, offset: u64, length: u64, fua: bool) {
        self.now.clear(offset, length);
        self.note(Logged::Clear {
            offset,
            length,
            fua,
        });
    }

    /// Puts everything on the medium.
    pub fn flush(&mut self) {
        self.note(Logged::Flush);
    }

    fn note(&mut self, what: Logged) {
        let at = self.began.elapsed();
        self.log.push(Entry { at, what });
    }
}
