//! Why no job file can be made of a workload.

/// Why no job file can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum JobFileError {
    /// There are not as many file names as jobs.
    #[error("{given} file names for {needed} jobs of {whose}")]
    FileCount {
        /// Whose jobs.
        whose: String,
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
    /// Both rates are given; fio takes one.
    #[error("{whose}: `rate` and `rate_iops` exclude each other")]
    TwoRates {
        /// Whose load.
        whose: String,
    },
    /// The replay is not one of this workload.
    #[error("the replay {problem}")]
    Replay {
        /// What is wrong with it.
        problem: String,
    },
    /// A number cannot be written for fio.
    #[error("{what} `{value}` is not {expected}")]
    Number {
        /// What the number is.
        what: &'static str,
        /// Its value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
}
