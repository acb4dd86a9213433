//! Where an external program is, and which Debian package brings it.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::call::{Call, CallError};

/// Where administrators' tools are even if `PATH` does not list them, as for ordinary users of Debian.
const FOLDERS: &str = "/usr/local/sbin:/usr/sbin:/sbin";

/// An external program and the Debian package that brings it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// The package.
    pub package: &'static str,
}

impl Program {
    /// Returns the program `name` of `package`.
    pub const fn new(name: &'static str, package: &'static str) -> Self {
        Self { name, package }
    }

    /// Returns where it is.
    ///
    /// # Errors
    /// [`CallError::Missing`].
    pub fn find(self) -> Result<PathBuf, CallError> {
        find(self.name).ok_or(CallError::Missing { program: self })
    }

    /// Returns a call of it, which fails if it is not installed.
    pub fn call<I>(self, arguments: I) -> Call
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        Call::of(self).args(arguments)
    }
}

/// Returns where the program `name` is: in a directory of `PATH`, or where administrators' tools are.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_in(name, &path).or_else(|| find_in(name, OsStr::new(FOLDERS)))
}

/// Returns where the program `name` is in the directories of `path`, written as the variable `PATH` is.
///
/// Relative directories are passed over: their meaning depends on where we are run.
pub fn find_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

/// Returns what to do where programs are missing that these packages of Debian bring.
pub fn install_hint(packages: &[&str]) -> String {
    format!(
        "install what brings it: `apt-get install {}`",
        packages.join(" ")
    )
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_found_and_what_is_not_is_not() {
        assert!(find("sh").unwrap().is_absolute());
        assert_eq!(find("stripewise-no-such-tool"), None);
        assert_eq!(find_in("sh", OsStr::new("bin:.:/nowhere")), None);
    }
}
