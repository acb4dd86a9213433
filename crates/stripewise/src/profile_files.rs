//! Writes profiles to files: complete or not at all, and never over a file that is not ours.

use std::path::{Path, PathBuf};

use stripewise_profiles::profile_file::is_name;
use stripewise_units::mark::begins_with;

use crate::failure::{Failure, Result};
use crate::output_file::{Complete, Existing, OutputFile, Replaces, make_directory};

/// The first line of our files, up to the version and behind it.
const MARK: (&str, &str) = ("# Made by `stripewise calibrate` ", ".\n");

/// The first line of a file we make.
pub(crate) fn head() -> String {
    format!("{}{}{}", MARK.0, env!("CARGO_PKG_VERSION"), MARK.1)
}

/// A profile file to write.
#[derive(Debug)]
pub(crate) struct ProfileFile {
    /// `device` or `host`.
    pub(crate) kind: &'static str,
    /// The name of the profile.
    pub(crate) name: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// Whether to replace a file that `calibrate` did not make.
    replace: bool,
}

impl ProfileFile {
    /// Returns the file of a profile below `out`; refuses a file that may not be replaced.
    ///
    /// `replace` replaces files that `calibrate` did not make, too.
    pub(crate) fn new(kind: &'static str, name: &str, out: &Path, replace: bool) -> Result<Self> {
        if !is_name(name) {
            return Err(
                Failure::new(format!("`{name}` is not a valid name for a {kind} profile")).hint(
                    "the name is also the name of the file: use letters, digits, `-`, `_` and `.`",
                ),
            );
        }
        let path = out.join(format!("{kind}s")).join(format!("{name}.toml"));
        let file = Self {
            kind,
            name: name.to_owned(),
            path,
            replace,
        };
        // The folder is made once there is something to write.
        if !matches!(file.folder().try_exists(), Ok(false)) {
            file.output().check()?;
        }
        Ok(file)
    }

    fn output(&self) -> OutputFile<'_> {
        OutputFile::new(&self.path, Replaces::marked_or(&is_ours, self.replace))
    }

    /// Creates the folder of the file.
    pub(crate) fn make_folder(&self) -> Result<()> {
        let folder = self.folder();
        make_directory(folder).map_err(|error| {
            Failure::from(error).context(format!("failed to make `{}`", folder.display()))
        })
    }

    /// Completes the file, which gets its name with the others of its set.
    pub(crate) fn complete(&self, text: &str) -> Result<Complete> {
        self.make_folder()?;
        self.output().complete_bytes(text.as_bytes())
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// Returns whether a file begins like ours.
fn is_ours(old: &Existing<'_>) -> bool {
    begins_with(&old.head, MARK.0, MARK.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output_file::name_all;
    use std::os::unix::fs::{MetadataExt, symlink};

    fn write(file: &ProfileFile, text: &str) {
        name_all(vec![file.complete(text).unwrap()]).unwrap();
    }

    #[test]
    fn a_profile_is_replaced_in_place_and_keeps_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.toml");
        std::fs::write(&kept, head()).unwrap();
        // Only root can give files away; other users keep the file.
        let _ = std::os::unix::fs::chown(&kept, Some(65_534), Some(65_534));
        let owner = std::fs::metadata(&kept).unwrap().uid();
        std::fs::create_dir(folder.path().join("devices")).unwrap();
        let link = folder.path().join("devices/disk.toml");
        symlink(&kept, &link).unwrap();
        let file = ProfileFile::new("device", "disk", folder.path(), false).unwrap();
        write(&file, &format!("{}new = 1\n", head()));
        assert!(link.is_symlink());
        assert!(
            std::fs::read_to_string(&kept)
                .unwrap()
                .ends_with("new = 1\n")
        );
        assert_eq!(std::fs::metadata(&kept).unwrap().uid(), owner);
        std::fs::write(&kept, "theirs").unwrap();
        assert!(ProfileFile::new("device", "disk", folder.path(), false).is_err());
        let forced = ProfileFile::new("device", "disk", folder.path(), true).unwrap();
        write(&forced, &head());
    }
}
