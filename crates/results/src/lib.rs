//! The store of runs: one SQLite file in which a finished sample is safe.
