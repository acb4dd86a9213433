//! Writes profiles to files: complete or not at all, and never over a file that is not ours.

use std::fs;
use std::path::{Path, PathBuf};

use stripewise_profiles::profile_file::is_name;

use crate::failure::{Failure, Result};
use crate::output_file;

/// The start of the first line of our files.
const MARK: &str = "# Made by `stripewise calibrate`";

/// The first line of a file we make.
pub(crate) fn head() -> String {
    format!("{MARK} {}.\n", env!("CARGO_PKG_VERSION"))
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
    /// Whether to replace a file that is not ours.
    force: bool,
}

impl ProfileFile {
    /// Returns the file of a profile below `out`; refuses a file that may not be replaced.
    ///
    /// `force` replaces files that are not ours, too.
    pub(crate) fn new(kind: &'static str, name: &str, out: &Path, force: bool) -> Result<Self> {
        if !is_name(name) {
            return Err(
                Failure::new(format!("`{name}` is not a valid name for a {kind} profile")).hint(
                    "the name is also the name of the file: use letters, digits, `-`, `_` and `.`",
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
                .hint("`--force` replaces it; to keep it, use another `--out` or name"));
        }
        Ok(Self {
            kind,
            name: name.to_owned(),
            path,
            force,
        })
    }

    /// Creates the folder of the file.
    pub(crate) fn make_folder(&self) -> Result<()> {
        let folder = self.folder();
        fs::create_dir_all(folder).map_err(|error| {
            Failure::from(error).context(format!("failed to make `{}`", folder.display()))
        })
    }

    /// Writes the file: readers see the old one or the new one.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        self.make_folder()?;
        let may_replace = |head: &[u8]| self.force || is_ours(head);
        output_file::replace(&self.path, text.as_bytes(), may_replace)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// Returns whether a file begins like ours.
fn is_ours(head: &[u8]) -> bool {
    head.starts_with(MARK.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

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
