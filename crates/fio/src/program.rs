//! Finds the installed fio and checks its version.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use stripewise_process::{Call, CallError, UntilStopped, find_in};
use stripewise_units::visible::visible;

use crate::clock::Clock;
use crate::version::Version;

/// How long `fio --version` may take; it only prints a line.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// An installed fio that runs and is new enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fio {
    path: PathBuf,
    version: Version,
    clock: Option<Clock>,
    /// The size of fio's memory pools for its own bookkeeping (`--alloc-size`), in KiB.
    pool_kib: Option<u32>,
}

/// The pool size in virtual time, where touching memory costs measured time: an eighth of the
/// default.
const POOL_KIB_SMALL: u32 = 2048;

/// Why there is no usable fio.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// No directory of `PATH` holds a program `fio`.
    #[error("`fio` is not installed: no directory of PATH has it")]
    Missing,
    /// It could not be started.
    #[error("failed to run `{} --version`", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It did not exit in time.
    #[error("`{} --version` did not end within {} s", path.display(), limit.as_secs())]
    Hung {
        /// The program.
        path: PathBuf,
        /// The limit.
        limit: Duration,
    },
    /// It failed.
    #[error("`{} --version` failed: {status}", path.display())]
    Failed {
        /// The program.
        path: PathBuf,
        /// Its exit status.
        status: ExitStatus,
    },
    /// It did not print a version.
    #[error("`{}` printed `{text}` instead of its version", path.display())]
    UnreadableVersion {
        /// The program.
        path: PathBuf,
        /// The beginning of its output.
        text: String,
    },
    /// It is older than the oldest supported version.
    #[error(
        "`{}` is {version}; {}.{} or newer is needed",
        path.display(), Version::OLDEST_RUN.0, Version::OLDEST_RUN.1
    )]
    TooOld {
        /// The program.
        path: PathBuf,
        /// Its version.
        version: Version,
    },
}

impl FindError {
    /// Returns a remedy, if one is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            FindError::Missing => {
                Some("install package `fio`: `apt-get install fio` or `dnf install fio`")
            }
            FindError::TooOld { .. } => Some(
                "install a newer fio, from the distribution's backports or from https://github.com/axboe/fio",
            ),
            FindError::UnreadableVersion { .. } => {
                Some("is another program named `fio` first in PATH?")
            }
            FindError::Start { .. } | FindError::Hung { .. } | FindError::Failed { .. } => None,
        }
    }
}

impl Fio {
    /// Finds fio in the directories of `PATH` and checks that it runs and is new enough.
    ///
    /// # Errors
    /// [`FindError`]: see its variants, and [`FindError::hint`].
    pub fn find() -> Result<Self, FindError> {
        Self::find_in(std::env::var_os("PATH").as_deref())
    }

    /// Finds fio in the directories of `path`, which has the format of the variable `PATH`.
    ///
    /// Relative directories are skipped: their meaning depends on the working directory.
    ///
    /// # Errors
    /// As [`Fio::find`].
    pub fn find_in(path: Option<&OsStr>) -> Result<Self, FindError> {
        let program = path.and_then(|path| find_in("fio", path));
        Self::at(&program.ok_or(FindError::Missing)?)
    }

    /// Checks the fio at `program`.
    ///
    /// # Errors
    /// As [`Fio::find`].
    pub fn at(program: &Path) -> Result<Self, FindError> {
        // fio will run in another directory, where a relative path has another meaning.
        let path = std::path::absolute(program).map_err(|source| FindError::Start {
            path: program.to_owned(),
            source,
        })?;
        let text = version_text(&path)?;
        let Ok(version) = Version::parse(&text) else {
            let line = text.trim().lines().next().unwrap_or_default();
            let text = printable(line).chars().take(80).collect();
            return Err(FindError::UnreadableVersion { path, text });
        };
        if version.numbers() < Version::OLDEST_RUN {
            return Err(FindError::TooOld { path, version });
        }
        Ok(Self {
            path,
            version,
            clock: None,
            pool_kib: None,
        })
    }

    /// Returns the same fio with one clock for all its runs, chosen by fio's own test.
    ///
    /// Cost: about 0.15 s.
    #[must_use]
    pub fn with_fixed_clock(self) -> Self {
        Self {
            clock: Some(Clock::test(&self.path)),
            ..self
        }
    }

    /// Returns the same fio for a guest with virtual time: only the kernel's clock is right, and
    /// fio's work before its load takes virtual time, too.
    #[must_use]
    pub fn in_virtual_time(self) -> Self {
        Self {
            clock: Some(Clock::ClockGettime),
            pool_kib: Some(POOL_KIB_SMALL),
            ..self
        }
    }

    /// Returns the size of fio's memory pools in KiB; `None` is fio's default.
    pub(crate) fn pool_kib(&self) -> Option<u32> {
        self.pool_kib
    }

    /// Returns the fixed clock; `None` if fio chooses one at each start.
    pub fn clock(&self) -> Option<Clock> {
        self.clock
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its version.
    pub fn version(&self) -> &Version {
        &self.version
    }
}

/// Returns the output of `PROGRAM --version`.
fn version_text(program: &Path) -> Result<String, FindError> {
    let path = program.to_owned();
    let call = Call::new(program).arg("--version").contained();
    match call.limit(VERSION_LIMIT).run(&mut UntilStopped) {
        Ok(printed) => Ok(String::from_utf8_lossy(&printed.stdout).into_owned()),
        Err(CallError::Failed { status, .. }) => Err(FindError::Failed { path, status }),
        Err(CallError::TimedOut { limit, .. }) => Err(FindError::Hung { path, limit }),
        Err(error) => Err(FindError::Start {
            path,
            source: error.into(),
        }),
    }
}

/// Returns `text` with control and invisible characters replaced by visible ones.
pub(crate) fn printable(text: &str) -> String {
    visible(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// Writes a program `fio` that runs `script`, and finds it.
    fn find_script(script: &str) -> Result<Fio, FindError> {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("fio");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        find_closed(directory.path())
    }

    /// Searches `directory`; retries while another test's fork holds the program open for writing.
    fn find_closed(directory: &Path) -> Result<Fio, FindError> {
        loop {
            match Fio::find_in(Some(directory.as_os_str())) {
                Err(FindError::Start { source, .. })
                    if source.kind() == io::ErrorKind::ExecutableFileBusy => {}
                found => return found,
            }
        }
    }

    #[test]
    fn a_missing_fio_names_its_package() {
        let error = Fio::find_in(Some(OsStr::new("/nowhere:relative:"))).unwrap_err();
        assert!(matches!(error, FindError::Missing));
        assert!(error.hint().unwrap().contains("apt-get install fio"));
        assert!(matches!(Fio::find_in(None), Err(FindError::Missing)));
    }

    #[test]
    fn the_version_is_read_from_the_programs_output() {
        let fio = find_script("echo fio-3.36-27-gabcd").unwrap();
        assert_eq!(fio.version().numbers(), (3, 36));
    }

    #[test]
    fn an_old_fio_is_refused_with_the_needed_version() {
        let error = find_script("echo fio-3.27").unwrap_err();
        assert!(matches!(error, FindError::TooOld { .. }));
        assert!(
            error
                .to_string()
                .ends_with("is fio-3.27; 3.28 or newer is needed")
        );
    }

    #[test]
    fn another_program_named_fio_is_refused() {
        let error = find_script("printf 'hello\\033[2J'").unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("printed `hello␛[2J` instead of its version"),
            "{error}"
        );
        let error = find_script("exit 3").unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("--version` failed: exit status: 3"),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_cannot_run_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("fio");
        fs::write(&program, "#!/nowhere/sh\n").unwrap();
        assert!(matches!(
            Fio::find_in(Some(directory.path().as_os_str())),
            Err(FindError::Missing)
        ));
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let found = find_closed(directory.path());
        assert!(matches!(found, Err(FindError::Start { .. })));
    }
}
