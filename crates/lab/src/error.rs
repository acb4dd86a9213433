//! Errors of preparing and starting a guest, with hints.

use std::io;
use std::path::{Path, PathBuf};

use crate::kernel_source::{UNKNOWN_PATH, base_of};
use crate::text::{on_one_line, printable};

/// An error while preparing or starting a guest.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// This process is asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// Programs are missing.
    #[error("failed to find {}", listed(programs))]
    Missing {
        /// The programs.
        programs: Vec<&'static str>,
        /// The packages that contain them.
        packages: Vec<&'static str>,
    },
    /// The cache's filesystem is too full.
    #[error(
        "failed to prepare a guest in `{}`: that takes {} MiB of disk space, and {} MiB are free",
        path.display(), needed_bytes >> 20, free_bytes >> 20
    )]
    NoSpace {
        /// The cache.
        path: PathBuf,
        /// The space that preparing takes.
        needed_bytes: u64,
        /// The free space.
        free_bytes: u64,
    },
    /// The host's CPU architecture differs from the guests'.
    #[error(
        "failed to create a guest on this machine ({found}): guests run this same program, and only x86-64 is supported"
    )]
    Architecture {
        /// The host's architecture.
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
        printed(output)
    )]
    Failed {
        /// The purpose of the call, as a verb phrase.
        attempted: String,
        /// The program.
        program: String,
        /// Its exit status.
        status: String,
        /// The last lines of its output.
        output: Vec<String>,
        /// A remedy, if one is known.
        hint: Option<String>,
    },
    /// A file could not be read or written.
    #[error("failed to {attempted} `{}`", path.display())]
    File {
        /// The operation: `read`, `create`, ...
        attempted: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// No packaged kernel matches.
    #[error(
        "failed to find a kernel {asked}; the newest of each kind are: {}",
        offered(found)
    )]
    NoKernel {
        /// The request, as words.
        asked: String,
        /// The available kernels, newest first.
        found: Vec<String>,
    },
    /// Only the suite that the named one adds to has the kernel.
    #[error(
        "failed to find a kernel {asked} in the suite `{suite}`: {found} is of the suite that it adds to"
    )]
    OtherSuite {
        /// The named suite.
        suite: String,
        /// The request, as words.
        asked: String,
        /// The kernel of the other suite.
        found: String,
    },
    /// The archive has only a part of a kernel.
    #[error(
        "failed to prepare kernel `{release}`: its package sources have the image without {lacking}; the newest whole kernels are: {}",
        offered(found)
    )]
    NotWhole {
        /// The newest kernel that was asked for.
        release: String,
        /// What they lack.
        lacking: &'static str,
        /// The kernels with all parts, newest first.
        found: Vec<String>,
    },
    /// No source of packages has the compiler of a kernel.
    #[error(
        "failed to find `{compiler}`, with which the headers of kernel `{release}` must be compiled"
    )]
    NoCompiler {
        /// The kernel.
        release: String,
        /// The compiler's package.
        compiler: String,
        /// Why the sources of packages do not give it.
        #[source]
        source: Box<LabError>,
    },
    /// A suite cannot be used.
    #[error("failed to use the suite `{suite}`: {problem}")]
    Suite {
        /// Its name.
        suite: String,
        /// The problem.
        problem: String,
    },
    /// A directory or package does not contain a kernel that a guest can have.
    #[error("failed to use the kernel in `{}`: {problem}", path.display())]
    NotAKernel {
        /// The directory or package.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A package is missing, damaged or unusable.
    #[error("failed to use package `{package}`: {problem}")]
    Package {
        /// The package.
        package: String,
        /// The problem.
        problem: String,
    },
    /// No guest is prepared.
    #[error("no guest is prepared{}", with_kernels(asked))]
    NotPrepared {
        /// The requested kernels that no guest has; none if any would do.
        asked: Vec<String>,
        /// The commands that prepare them.
        commands: Vec<String>,
        /// Whether another version of the program made one of them.
        is_outdated: bool,
        /// The kernels that are prepared.
        prepared: Vec<String>,
    },
    /// Several guests have the kernel.
    #[error("{} guests have the kernel {release}: {}", guests.len(), guests.join(", "))]
    Ambiguous {
        /// Its release.
        release: String,
        /// The names of the guests.
        guests: Vec<String>,
    },
    /// Two kernels of a study are one guest's.
    #[error("the kernels {} are the same guest, {guest}, which would be compared with itself", kernels.join(" and "))]
    SameGuest {
        /// The kernels, as the study names them.
        kernels: Vec<String>,
        /// The name of the guest.
        guest: String,
    },
    /// A study names one guest, and `--kernel` another.
    #[error("--kernel {asked}: the study names the guest {named} under `[conditions]`")]
    OtherGuest {
        /// The kernel of the option.
        asked: String,
        /// The kernel of the study.
        named: String,
    },
    /// A name says where its guest was made from, and so do options.
    #[error("--kernel {name}: the name says where the kernel comes from, and so does `--{option}`")]
    NamedTwice {
        /// The name.
        name: String,
        /// The other option.
        option: &'static str,
    },
    /// A file of a prepared guest has changed since it was built.
    #[error("failed to use the prepared guest: `{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The command that prepares the guest again.
        prepare_command: String,
    },
    /// The cache cannot be used.
    #[error("failed to use the cache `{}`: {problem}", path.display())]
    Cache {
        /// Its directory.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
}

impl LabError {
    /// Returns a remedy, if one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            LabError::Missing { packages, .. } => {
                Some(stripewise_process::install_hint(packages))
            }
            LabError::Failed { hint, .. } => hint.clone(),
            LabError::NoKernel { .. } => Some(
                "`--kernel` takes a version or its beginning, such as `6.1`; `--suite NAME` looks in another suite, such as `sid`".to_owned(),
            ),
            LabError::NotWhole { .. } => Some(
                "name one of these with `--kernel`, or pass the missing packages with `--package FILE`".to_owned(),
            ),
            LabError::OtherSuite { suite, .. } => Some(format!(
                "`--suite {}` takes it",
                base_of(suite)
            )),
            LabError::Suite { .. } => Some(
                "suites are called as `sid`, `trixie` or `trixie-backports`; `--sources FILE` names package sources of any kind".to_owned(),
            ),
            LabError::NoCompiler { .. } => {
                Some("name a suite that has it, such as `--suite sid`".to_owned())
            }
            LabError::NotPrepared {
                asked,
                commands,
                is_outdated,
                prepared,
            } => Some(how_to_prepare(asked, commands, *is_outdated, prepared)),
            LabError::Ambiguous { guests, .. } => {
                let marked = guests.iter().find(|name| name.contains('@')).or(guests.first());
                marked.map(|name| {
                    format!("name one of them: `--kernel {name}`, or the same as `kernel` in the study")
                })
            }
            LabError::OtherGuest { .. } => Some(
                "leave out the option, or `kernel` under `[conditions]`".to_owned(),
            ),
            LabError::NamedTwice { .. } => Some(
                "leave out one of them; `--kernel` takes a version such as `6.1`, too".to_owned(),
            ),
            LabError::SameGuest { .. } => Some(
                "leave one of them out, or prepare a guest for it; `stripewise lab doctor` lists the guests".to_owned(),
            ),
            LabError::Cache { .. } => Some("name another directory with `--cache DIR`".to_owned()),
            LabError::Damaged { prepare_command, .. } => {
                Some(format!("`{prepare_command}` builds it again"))
            }
            LabError::NoSpace { .. } => Some(
                "free some space, or name a directory on another disk with `--cache DIR`".to_owned(),
            ),
            LabError::Architecture { .. } => Some(
                "`--world model` simulates the same study on every machine".to_owned(),
            ),
            LabError::Interrupted
            | LabError::Start { .. }
            | LabError::File { .. }
            | LabError::NotAKernel { .. }
            | LabError::Package { .. } => None,
        }
    }

    /// Returns whether the command that prepares a missing guest lacks the path of what it is made from.
    pub fn lacks_path(&self) -> bool {
        match self {
            LabError::NotPrepared { commands, .. } => lack_path(commands),
            _ => false,
        }
    }

    /// Returns the message with its causes and the lines that a program printed, each on a line of its own
    /// and all of it safe to display; `None` if no program printed several.
    pub fn in_lines(&self) -> Option<String> {
        match self {
            LabError::Failed {
                attempted,
                program,
                status,
                output,
                ..
            } if output.len() > 1 => Some(format!(
                "failed to {}: `{}` ended with {status}; it printed:\n  {}",
                printable(attempted),
                printable(program),
                output.join("\n  ")
            )),
            LabError::NoCompiler { source, .. } => Some(format!(
                "{}: {}",
                printable(&self.to_string()),
                source.in_lines()?
            )),
            _ => None,
        }
    }

    /// Returns a function that turns an I/O error on `path` into [`LabError::File`].
    pub(crate) fn file(attempted: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| LabError::File {
            attempted,
            path,
            source,
        }
    }
}

fn lack_path(commands: &[String]) -> bool {
    let mut commands = commands.iter();
    commands.any(|command| command.ends_with(UNKNOWN_PATH))
}

/// Returns the hint of [`LabError::NotPrepared`].
fn how_to_prepare(
    asked: &[String],
    commands: &[String],
    is_outdated: bool,
    prepared: &[String],
) -> String {
    let quoted: Vec<String> = (commands.iter().map(|command| format!("`{command}`"))).collect();
    let each = if quoted.len() == 1 { "it" } else { "each" };
    let made = match is_outdated {
        true => "another version of the program made a guest that this one cannot use; ",
        false => "",
    };
    let suite = match asked.iter().any(|kernel| !kernel.contains('@')) && !is_outdated {
        true => "; `--suite NAME` takes a kernel that this machine's package sources lack",
        false => "",
    };
    let path = match lack_path(commands) {
        true => "; PATH stands for what the guest was made from",
        false => "",
    };
    let others = match prepared {
        [] => String::new(),
        some => format!("; prepared are {}", some.join(", ")),
    };
    format!(
        "{made}prepare {each} once: {}{suite}{path}{others}; `--world model` predicts without a guest",
        quoted.join(", ")
    )
}

fn with_kernels(asked: &[String]) -> String {
    match asked {
        [] => String::new(),
        [kernel] => format!(" with kernel {kernel}"),
        kernels => format!(" with any of the kernels {}", kernels.join(", ")),
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

fn printed(output: &[String]) -> String {
    match on_one_line(&output.join("\n")).as_str() {
        "" => String::new(),
        output => format!("; it printed: {output}"),
    }
}
