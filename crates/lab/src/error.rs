//! Why a guest could not be prepared or started, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Something went wrong while a guest was prepared or started.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// Programs are missing.
    #[error("failed to find {}", listed(programs))]
    Missing {
        /// The programs.
        programs: Vec<&'static str>,
        /// The packages that bring them.
        packages: Vec<&'static str>,
    },
    /// This machine's processor is of another kind than the guests'.
    #[error(
        "failed to make a guest on this machine ({found}): guests run this very program, and only x86-64 is known"
    )]
    Architecture {
        /// Its kind.
        found: &'static str,
    },
    /// A program could not be started.
    #[error("failed to start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A program failed.
    #[error(
        "failed to {attempted}: `{program}` ended with {status}{}",
        told(output)
    )]
    Failed {
        /// What it was started for.
        attempted: String,
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// The last lines of what it printed.
        output: String,
        /// What to do, where we know.
        hint: Option<String>,
    },
    /// A file could not be read or written.
    #[error("failed to {attempted} `{}`", path.display())]
    File {
        /// What was attempted: `read`, `create`, ...
        attempted: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// No kernel of the packages fits.
    #[error(
        "failed to find a kernel {asked}; the newest of each kind are: {}",
        offered(found)
    )]
    NoKernel {
        /// What was asked for, as words.
        asked: String,
        /// What there is, newest first.
        found: Vec<String>,
    },
    /// A package is not what it should be.
    #[error("failed to use package `{package}`: {problem}")]
    Package {
        /// The package.
        package: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nothing is prepared.
    #[error("no guest is prepared{}", asked.as_ref().map_or(String::new(), |asked| format!(" with kernel {asked}")))]
    NotPrepared {
        /// The kernel that was asked for.
        asked: Option<String>,
        /// The cache that was looked at.
        cache: PathBuf,
        /// The kernels that are prepared.
        prepared: Vec<String>,
    },
    /// A prepared guest is not what it was when it was made.
    #[error("failed to use the prepared guest: `{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The cache cannot be used.
    #[error("failed to use the cache `{}`: {problem}", path.display())]
    Cache {
        /// Its directory.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl LabError {
    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<String> {
        match self {
            LabError::Missing { packages, .. } => Some(format!(
                "{}; `stripewise lab doctor` lists everything that is needed",
                stripewise_process::install_hint(packages)
            )),
            LabError::Failed { hint, .. } => hint.clone(),
            LabError::NoKernel { .. } => Some(
                "`--kernel` takes a version or its beginning, such as `6.1`; `--sources FILE` names package sources with other kernels".to_owned(),
            ),
            LabError::NotPrepared { asked, prepared, .. } => {
                let option = asked.as_ref().map_or(String::new(), |asked| format!(" --kernel {asked}"));
                let others = match prepared.as_slice() {
                    [] => String::new(),
                    some => format!("; prepared are {}", some.join(", ")),
                };
                Some(format!("prepare it once: `stripewise lab prepare{option}`{others}"))
            }
            LabError::Cache { .. } => Some("name another directory with `--cache DIR`".to_owned()),
            LabError::Damaged { .. } => Some(
                "`stripewise lab prepare` makes it anew".to_owned(),
            ),
            LabError::Architecture { .. } => Some(
                "`--world model` simulates the same study on every machine".to_owned(),
            ),
            LabError::Start { .. } | LabError::File { .. } | LabError::Package { .. } => None,
        }
    }

    /// Returns a function that says what was attempted with the file `path`.
    pub(crate) fn file(attempted: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| LabError::File {
            attempted,
            path,
            source,
        }
    }
}

fn listed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn offered(found: &[String]) -> String {
    match found {
        [] => "none".to_owned(),
        some => some.join(", "),
    }
}

fn told(output: &str) -> String {
    match output {
        "" => String::new(),
        output => format!("; it said: {output}"),
    }
}
