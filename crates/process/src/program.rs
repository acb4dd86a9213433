//! Finds an external program, and names the Debian package that contains it.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::call::{Call, CallError};

/// Where administrative tools are even if `PATH` lacks it, as for ordinary users of Debian.
const FOLDERS: &str = "/usr/local/sbin:/usr/sbin:/sbin";

/// An external program and its Debian package.
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

    /// Returns its path.
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

/// Returns the path of the program `name`: in `PATH`, or in a directory of administrative tools.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_in(name, &path).or_else(|| find_in(name, OsStr::new(FOLDERS)))
}

/// Returns the path of the program `name` in the directories of `path`, in the format of `PATH`.
///
/// Relative directories are skipped: their meaning depends on our working directory.
pub fn find_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

/// Returns the hint for missing programs of these Debian packages.
pub fn install_hint(packages: &[&str]) -> String {
    format!("install it: `apt-get install {}`", packages.join(" "))
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_programs_are_found_and_missing_ones_are_not() {
        assert!(find("sh").unwrap().is_absolute());
        assert_eq!(find("stripewise-no-such-tool"), None);
        assert_eq!(find_in("sh", OsStr::new("bin:.:/nowhere")), None);
    }
}
