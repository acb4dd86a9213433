//! Why a file that claims to be an export is refused.

use stripewise_study::limits::OverLimit;

use crate::limits::FILE_BYTES_MAX;

/// Why a file could not be read back. Nothing of it was taken.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Another program wrote it, or nobody.
    #[error("it is no export of Stripewise")]
    Foreign,
    /// fio wrote it.
    #[error("it is what fio wrote, no export of Stripewise")]
    OfFio,
    /// `stripewise show --json` wrote it: that holds what is derived, and not the study.
    #[error("it is what `stripewise show --json` wrote, which does not hold the whole run")]
    OfShow,
    /// It is our table as CSV: columns, which do not hold the whole run.
    #[error("it is CSV, which does not hold the whole run")]
    OfCsv,
    /// It holds a row a cell: estimates, from which no sample can be told.
    #[error("it holds estimates of cells, no samples")]
    OfCells,
    /// A newer program wrote it.
    #[error("it has schema {found}, this program reads up to schema {supported}")]
    Newer {
        /// The version of the file.
        found: u32,
        /// The highest version that is understood.
        supported: u32,
    },
    /// Its end is missing.
    #[error("it is cut short")]
    Truncated,
    /// It is larger than anything that is read.
    #[error("it is larger than {} MiB", FILE_BYTES_MAX >> 20)]
    TooLarge,
    /// A list, text or nesting in it is longer than in any export.
    #[error(transparent)]
    OverLimit(OverLimit),
    /// It is no JSON.
    #[error("it is no JSON document")]
    Syntax {
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// It is an export by its marks, but a value is not what it must be.
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
                "files of `stripewise export --format json|parquet` can be read; results of fio with `stripewise import fio`"
            }
            ReadError::OfFio => "`stripewise import fio` reads it",
            ReadError::OfCsv => {
                "`stripewise export RUN --format json` or `parquet` writes what can be read back"
            }
            ReadError::OfShow => "`stripewise export RUN -o FILE.json` writes the whole run",
            ReadError::OfCells => "`stripewise export RUN --rows samples` writes samples",
            ReadError::Newer { .. } => "use the Stripewise that wrote it, or a newer one",
            ReadError::Truncated => "copy it again: a part is missing",
            ReadError::TooLarge => "export its runs to several files",
            ReadError::OverLimit(_) => {
                "export its runs again, each to a file of its own; `docs/export.md` lists the limits"
            }
            ReadError::Malformed { .. } | ReadError::Parquet { .. } | ReadError::Invalid { .. } => {
                "export it again; a file that another program wrote anew is no longer an export"
            }
        }
    }
}
