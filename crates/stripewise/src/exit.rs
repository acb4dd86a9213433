//! The exit codes. These numbers are an API.

use std::process::ExitCode;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Done, and the answer is no: a regression, a limit that does not hold.
    No,
    /// Failed: wrong input, missing tools, a full disk. clap uses it too.
    CouldNot,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::CouldNot => 2,
        })
    }
}
