//! Errors of turning a workload into a job file.

/// A workload cannot become a job file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum JobFileError {
    /// The number of file names differs from the number of jobs.
    #[error("{owner} has {needed} jobs but {given} file names")]
    FileCount {
        /// The load with these jobs.
        owner: String,
        /// How many jobs there are.
        needed: usize,
        /// How many names there are.
        given: usize,
    },
    /// A file name is not a plain one.
    #[error("file name `{name}` has characters other than letters, digits, `.`, `_` and `-`")]
    FileName {
        /// The name.
        name: String,
    },
    /// The load has both rates; fio takes one.
    #[error("{owner}: `rate` and `rate_iops` are mutually exclusive")]
    TwoRates {
        /// The section of the load.
        owner: String,
    },
    /// The replay does not fit the workload.
    #[error("the replay {problem}")]
    Replay {
        /// The problem.
        problem: String,
    },
    /// A number is outside fio's range.
    #[error("{what} `{value}` is not {expected}")]
    Number {
        /// The meaning of the number.
        what: &'static str,
        /// Its value.
        value: String,
        /// The allowed values.
        expected: &'static str,
    },
}
