//! Limits on files that claim to be exports. `docs/export-limits.md` shows the same table.
//!
//! The lists of cells, samples, facts and warnings have the limits of the vocabulary
//! (`stripewise_study::limits`). The limits here are for the parts that an export adds. The table
//! of limits for each list is beside the reader ([`crate::json`]).

/// The largest file that is read, and the most text that is unpacked from a Parquet file.
pub(crate) const FILE_BYTES_MAX: u64 = 1 << 30;

/// The most runs of a file: a run each hour for a year.
pub(crate) const RUNS_MAX: usize = 10_000;
/// The most samples of a run, and of a Parquet file: the 10,000 cells of the largest study, a
/// hundred times each.
pub(crate) const SAMPLES_MAX: usize = 1_000_000;
/// The most facts of a run: taken when it begins and each time it is resumed.
pub(crate) const FACTS_MAX: usize = 10_000;
/// The most warnings about a run and its cells; an import of fio's files has some for each job.
pub(crate) const WARNINGS_MAX: usize = 200_000;
/// The most settings beside a study, at each level: an import lists its files there.
pub(crate) const OPTIONS_MAX: usize = 10_000;

/// The most metadata of a Parquet file: the runs without their samples. The library that reads it
/// reserves a hundred times as much address space at worst.
pub(crate) const PARQUET_METADATA_BYTES_MAX: usize = 32 << 20;
