//! A program of the user's whose promises a power cut tests.
//!
//! The program prints a line for each value that it relies on from then on. After the cut a check
//! prints the values that it finds, in the same lines. Paths are absolute: nothing is searched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_units::{Bytes, Nanos};

/// What an argument stands for: the part of the test that runs.
pub const PHASE: &str = "{phase}";
/// What an argument stands for: the size of a record in bytes.
pub const SIZE: &str = "{size}";
/// What an argument stands for: the directory of the stack.
pub const DIRECTORY: &str = "{directory}";

/// A program, how it is called, and what it needs. Every call is an argument vector; no shell reads
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The call that runs the load: the path of the program and its arguments.
    pub load: Vec<String>,
    /// The call that prints the values that it finds; `None` for the same as `load`, in the phase `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Vec<String>>,
    /// A call that must succeed before the check, such as a repair that a start would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recover: Option<Vec<String>>,
    /// Files and directories that the calls read, such as a script and its libraries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// What an acknowledgement looks like in the program's own words, with `{id}` and perhaps `{bytes}`
    /// and `{hash}`; `None` for `ack {id} {bytes} {hash}` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledgement: Option<String>,
    /// The size of a record, passed to the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_bytes: Option<Bytes>,
    /// How long a check and a recovery may take.
    pub limit: Nanos,
}

impl Program {
    /// How long a check may take unless the study says otherwise.
    pub const LIMIT_DEFAULT: Nanos = Nanos::from_millis(60_000);

    /// Returns the call of the check.
    pub fn check(&self) -> &[String] {
        self.check.as_ref().unwrap_or(&self.load)
    }

    /// Returns the programs that are called, each once; that of the load comes first.
    pub fn called(&self) -> Vec<&Path> {
        let calls = [Some(&self.load), self.check.as_ref(), self.recover.as_ref()];
        let paths = calls.into_iter().flatten().filter_map(|call| call.first());
        let mut seen = BTreeSet::new();
        paths
            .map(Path::new)
            .filter(|path| seen.insert(*path))
            .collect()
    }

    /// Returns everything that must be there to run it: the programs and the files.
    pub fn needed(&self) -> Vec<&Path> {
        let files = self.files.iter().map(PathBuf::as_path);
        let mut seen = BTreeSet::new();
        let all = self.called().into_iter().chain(files);
        all.filter(|path| seen.insert(*path)).collect()
    }
}

/// A file or directory of a program, as the user confirmed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmedFile {
    /// Its path in the study.
    pub path: PathBuf,
    /// Its SHA-256; of a directory that of all names, modes and contents below it.
    pub sha256: String,
    /// Its bytes; of a directory those of all files below it.
    pub bytes: u64,
}
