//! Profiles on their way to files: whole or not at all, and never over somebody else's work.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::profiles::is_name;

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
        let is_ours = match first_line(&path) {
            Ok(line) => line.is_none_or(|line| line.starts_with(MARK.as_bytes())),
            Err(error) => return Err(Failure::from(error).context(attempted())),
        };
        if !is_ours && !force {
            return Err(Failure::new("it was not made by `stripewise calibrate`")
                .context(attempted())
                .hint("`--force` replaces it; another `--out` or name keeps it"));
        }
        Ok(Self {
            kind,
            name: name.to_owned(),
            path,
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
        let process = std::process::id();
        let scratch = self.folder().join(format!(".{}.{process}", self.name));
        let written = write_whole(&scratch, text).and_then(|()| fs::rename(&scratch, &self.path));
        written.map_err(|error| {
            // Nothing better can be done about a scratch file that stays.
            let _ = fs::remove_file(&scratch);
            Failure::from(error).context(format!("failed to write `{}`", self.path.display()))
        })
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Returns the beginning of a file; nothing if there is none.
fn first_line(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut line = vec![0; MARK.len()];
    let mut length = 0;
    while let read @ 1.. = file.read(&mut line[length..])? {
        length += read;
    }
    line.truncate(length);
    Ok(Some(line))
}
