//! Profiles on their way to files: whole or not at all, and never over somebody else's work.

use std::fs;
use std::path::{Path, PathBuf};

use stripewise_profiles::profile_file::is_name;

use crate::failure::{Failure, Result};
use crate::output_file;

/// How the first line of our files begins.
const MARK: &str = "# Made by `stripewise calibrate`";

/// The first line of a file we make.
pub(crate) fn head() -> String {
    format!("{MARK} {}.\n", env!("CARGO_PKG_VERSION"))
}

/// A profile's file that is to be written.
#[derive(Debug)]
pub(crate) struct ProfileFile {
    /// `device` or `host`.
    pub(crate) kind: &'static str,
    /// The name of the profile.
    pub(crate) name: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// Whether one that another wrote is replaced.
    force: bool,
}

impl ProfileFile {
    /// Returns the file of a profile below `out`, and refuses one that may not be written.
    ///
    /// `force` overwrites what another wrote.
    pub(crate) fn new(kind: &'static str, name: &str, out: &Path, force: bool) -> Result<Self> {
        if !is_name(name) {
            return Err(
                Failure::new(format!("`{name}` is no name of a {kind} profile")).hint(
                    "the name is the name of its file: use letters, digits, `-`, `_` and `.`",
                ),
            );
        }
        let path = out.join(format!("{kind}s")).join(format!("{name}.toml"));
        let shown = path.display();
        let attempted = || format!("failed to replace `{shown}`");
        let there = output_file::head(&path)?;
        if !there.is_none_or(|head| is_ours(&head)) && !force {
            return Err(Failure::new("it was not made by `stripewise calibrate`")
                .context(attempted())
                .hint("`--force` replaces it; another `--out` or name keeps it"));
        }
        Ok(Self {
            kind,
            name: name.to_owned(),
            path,
            force,
        })
    }

    /// Makes the folder the file goes to.
    pub(crate) fn make_folder(&self) -> Result<()> {
        let folder = self.folder();
        fs::create_dir_all(folder).map_err(|error| {
            Failure::from(error).context(format!("failed to make `{}`", folder.display()))
        })
    }

    /// Writes the file: whoever looks finds the old one or the new one.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        self.make_folder()?;
        let may_replace = |head: &[u8]| self.force || is_ours(head);
        output_file::replace(&self.path, text.as_bytes(), may_replace)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// Returns whether a file begins as ours do.
fn is_ours(head: &[u8]) -> bool {
    head.starts_with(MARK.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn a_profile_is_replaced_in_its_place_and_stays_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.toml");
        std::fs::write(&kept, head()).unwrap();
        // Only root can give files away; for others it stays their own.
        let _ = std::os::unix::fs::chown(&kept, Some(65_534), Some(65_534));
        let owner = std::fs::metadata(&kept).unwrap().uid();
        std::fs::create_dir(folder.path().join("devices")).unwrap();
        let link = folder.path().join("devices/disk.toml");
        symlink(&kept, &link).unwrap();
        let file = ProfileFile::new("device", "disk", folder.path(), false).unwrap();
        file.write(&format!("{}new = 1\n", head())).unwrap();
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
        forced.write(&head()).unwrap();
    }
}
