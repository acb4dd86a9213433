//! Why a file that claims to be an export is refused.

use stripewise_study::limits::OverLimit;

use crate::limits::FILE_BYTES_MAX;

/// Why a file could not be read back. No part of it was imported.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not from Stripewise.
    #[error("it is not an export of Stripewise")]
    Foreign,
    /// fio wrote it.
    #[error("it is output of fio, not an export of Stripewise")]
    OfFio,
    /// `stripewise show --json` wrote it: that holds derived results, but not the study.
    #[error("it is output of `stripewise show --json`, which does not hold the whole run")]
    OfShow,
    /// It is our table as CSV, whose columns do not hold the whole run.
    #[error("it is CSV, which does not hold the whole run")]
    OfCsv,
    /// It holds a row for each cell: estimates without their samples.
    #[error("it holds estimates of cells, not samples")]
    OfCells,
    /// A newer program wrote it.
    #[error("it has schema {found}, this program reads up to schema {supported}")]
    Newer {
        /// The version of the file.
        found: u32,
        /// The highest version that this program can read.
        supported: u32,
    },
    /// Its end is missing.
    #[error("it is truncated: its end is missing")]
    Truncated,
    /// It is larger than the largest file that is read.
    #[error("it is larger than {} MiB", FILE_BYTES_MAX >> 20)]
    TooLarge,
    /// A list, text or nesting in it is longer than in any export.
    #[error(transparent)]
    OverLimit(OverLimit),
    /// It is not JSON.
    #[error("it is not a JSON document")]
    Syntax {
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// It is marked as an export, but has an invalid value.
    #[error("it is damaged")]
    Malformed {
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// It cannot be read as Parquet.
    #[error("it is a damaged Parquet file")]
    Parquet {
        /// Where and why.
        #[source]
        source: parquet::errors::ParquetError,
    },
    /// It cannot be read as CSV.
    #[error("it cannot be read as CSV: {what}")]
    Csv {
        /// Where and why.
        what: String,
    },
    /// A column that is read is packed in a way that is not read.
    #[error("its column `{column}` is packed with {packing}, which is not read")]
    Packing {
        /// The column.
        column: String,
        /// The packing.
        packing: &'static str,
    },
    /// A column that is read has a type that is not read.
    #[error("its column `{column}` has {found}, which is not read")]
    ColumnType {
        /// The column.
        column: String,
        /// What its values are.
        found: &'static str,
    },
    /// It contradicts itself.
    #[error("it is damaged: {what}")]
    Invalid {
        /// How.
        what: String,
    },
}

impl ReadError {
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        ReadError::Invalid { what: what.into() }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            ReadError::Foreign | ReadError::Syntax { .. } => {
                "this imports files of `stripewise export --format json` or `parquet`; for results of fio use `stripewise import fio`"
            }
            ReadError::OfFio => "`stripewise import fio` reads it",
            ReadError::OfCsv => {
                "`stripewise export RUN --format json` or `parquet` writes a file that can be imported"
            }
            ReadError::OfShow => "`stripewise export RUN -o FILE.json` writes the whole run",
            ReadError::OfCells => "`stripewise export RUN --rows samples` writes samples",
            ReadError::Newer { .. } => "use the Stripewise that wrote it, or a newer one",
            ReadError::Truncated => "copy it again: a part is missing",
            ReadError::TooLarge => "export its runs to several files",
            ReadError::OverLimit(_) => {
                "export its runs again, each to a file of its own; `docs/export-limits.md` lists the limits"
            }
            ReadError::Packing { .. } => {
                "write it with `compression=\"zstd\"`, `snappy` or `gzip`, or not packed at all"
            }
            ReadError::ColumnType { .. } => {
                "text, numbers, flags, dates and times are read; convert the column where it is written"
            }
            ReadError::Csv { .. } => {
                "its first line names the columns, and each line has as many fields as that one"
            }
            ReadError::Malformed { .. } | ReadError::Parquet { .. } | ReadError::Invalid { .. } => {
                "export it again; a file that another program has saved is no longer an export"
            }
        }
    }
}
