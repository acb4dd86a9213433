//! The files of a user's program: what the user confirms, by content.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use stripewise_study::program::{ConfirmedFile, Program};

use crate::manifest::hexadecimal;
use crate::sandbox::refused;

/// The most bytes of all files of a program, which are read before each run.
const BYTES_MAX: u64 = 1 << 30;
/// The most files and directories below one that a program names.
const ENTRIES_MAX: usize = 50_000;

/// A file of a program cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProgramFileError {
    /// It cannot be read.
    #[error("failed to read `{}` of the program", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is not suitable.
    #[error("the program cannot use `{}`: {why}", path.display())]
    Unsuitable {
        /// The file.
        path: PathBuf,
        /// The obstacle.
        why: String,
    },
    /// It has changed since the user confirmed it.
    #[error("`{}` has changed since you confirmed it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

impl ProgramFileError {
    /// Returns what to do, if known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ProgramFileError::Changed { .. } => {
                Some("begin a new run: samples of two programs are not comparable")
            }
            _ => None,
        }
    }
}

/// Returns the files of a program with their checksums.
///
/// # Errors
/// If one is missing, is no regular file or directory, cannot be read by everybody, or is too large.
pub fn examine(program: &Program) -> Result<Vec<ConfirmedFile>, ProgramFileError> {
    let mut budget = Budget {
        bytes: BYTES_MAX,
        entries: ENTRIES_MAX,
    };
    let called = program.called();
    let mut files = Vec::new();
    for path in program.needed() {
        let failed = read_failed(path);
        let unsuitable = |why: &str| ProgramFileError::Unsuitable {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        if let Some(why) = refused(path) {
            return Err(unsuitable(why));
        }
        let found = fs::metadata(path).map_err(failed)?;
        let is_program = called.contains(&path);
        if is_program && !(found.is_file() && found.permissions().mode() & 0o001 != 0) {
            return Err(unsuitable(
                "it is no file that every user may execute, and it runs as `nobody`",
            ));
        }
        let mut digest = Sha256::new();
        let before = budget.bytes;
        match found.is_dir() {
            true => add_directory(&mut digest, path, &mut budget)?,
            false => add_file(&mut digest, path, &found, &mut budget)?,
        }
        files.push(ConfirmedFile {
            path: path.to_owned(),
            sha256: hexadecimal(&digest.finalize()),
            bytes: before - budget.bytes,
        });
    }
    Ok(files)
}

/// Refuses a program whose files are not those that the user confirmed.
///
/// # Errors
/// The first file that differs.
pub(super) fn require_unchanged(
    program: &Program,
    confirmed: &[ConfirmedFile],
) -> Result<(), ProgramFileError> {
    for file in examine(program)? {
        if !confirmed.contains(&file) {
            return Err(ProgramFileError::Changed { path: file.path });
        }
    }
    Ok(())
}

struct Budget {
    bytes: u64,
    entries: usize,
}

fn read_failed(path: &Path) -> impl Fn(io::Error) -> ProgramFileError + '_ {
    move |source| ProgramFileError::Read {
        path: path.to_owned(),
        source,
    }
}

fn unsuitable(path: &Path, why: impl Into<String>) -> ProgramFileError {
    ProgramFileError::Unsuitable {
        path: path.to_owned(),
        why: why.into(),
    }
}

fn add_file(
    digest: &mut Sha256,
    path: &Path,
    found: &Metadata,
    budget: &mut Budget,
) -> Result<(), ProgramFileError> {
    if !found.is_file() {
        return Err(unsuitable(path, "it is no regular file and no directory"));
    }
    if found.permissions().mode() & 0o004 == 0 {
        return Err(unsuitable(
            path,
            "not every user may read it, and the program runs as `nobody`",
        ));
    }
    let file = File::open(path).map_err(read_failed(path))?;
    let mut file = file.take(budget.bytes + 1);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut buffer).map_err(read_failed(path))?;
        if length == 0 {
            return Ok(());
        }
        digest.update(&buffer[..length]);
        budget.bytes = budget.bytes.checked_sub(length as u64).ok_or_else(|| {
            unsuitable(
                path,
                format!("its files have more than {} MiB", BYTES_MAX >> 20),
            )
        })?;
    }
}

/// Adds names, modes and contents below a directory, in the order of names. Compiled Python, which
/// differs from run to run, is read like all else: nothing in the sandbox can write it.
fn add_directory(
    digest: &mut Sha256,
    directory: &Path,
    budget: &mut Budget,
) -> Result<(), ProgramFileError> {
    let entries = fs::read_dir(directory).map_err(read_failed(directory))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(read_failed(directory))?.path());
        budget.entries = budget.entries.checked_sub(1).ok_or_else(|| {
            unsuitable(
                directory,
                format!("there are more than {ENTRIES_MAX} files below it"),
            )
        })?;
    }
    paths.sort_unstable();
    for path in paths {
        let found = fs::symlink_metadata(&path).map_err(read_failed(&path))?;
        let name = path.file_name().unwrap_or_default().as_bytes();
        digest.update((name.len() as u64).to_le_bytes());
        digest.update(name);
        digest.update(found.permissions().mode().to_le_bytes());
        if found.is_symlink() {
            let target = fs::read_link(&path).map_err(read_failed(&path))?;
            digest.update(target.as_os_str().as_bytes());
        } else if found.is_dir() {
            add_directory(digest, &path, budget)?;
        } else {
            digest.update(found.len().to_le_bytes());
            add_file(digest, &path, &found, budget)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_units::Nanos;

    fn program(path: &Path, files: &[PathBuf]) -> Program {
        Program {
            load: vec![path.to_string_lossy().into_owned()],
            check: None,
            recover: None,
            files: files.to_vec(),
            acknowledgement: None,
            record_bytes: None,
            limit: Nanos::from_millis(1000),
        }
    }

    fn written(path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_changed_byte_name_or_mode_is_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let (test, library) = (folder.path().join("test"), folder.path().join("library"));
        written(&test, "#!/bin/sh\n", 0o755);
        fs::create_dir(&library).unwrap();
        written(&library.join("a"), "a", 0o644);
        let program = program(&test, std::slice::from_ref(&library));
        let confirmed = examine(&program).unwrap();
        assert_eq!(confirmed.len(), 2);
        // The checksum that `printf '#!/bin/sh\n' | sha256sum` prints.
        assert_eq!(
            confirmed[0].sha256,
            "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"
        );
        require_unchanged(&program, &confirmed).unwrap();
        let changed = |what: &dyn Fn()| {
            what();
            let error = require_unchanged(&program, &confirmed).unwrap_err();
            assert!(error.to_string().contains("has changed"), "{error}");
            written(&library.join("a"), "a", 0o644);
            require_unchanged(&program, &confirmed).unwrap();
        };
        changed(&|| written(&library.join("a"), "b", 0o644));
        changed(&|| written(&library.join("a"), "a", 0o755));
        fs::write(library.join("b"), "").unwrap();
        assert!(require_unchanged(&program, &confirmed).is_err());
        fs::remove_file(library.join("b")).unwrap();
        written(&test, "#!/bin/sh\nexit\n", 0o755);
        assert!(require_unchanged(&program, &confirmed).is_err());
    }

    #[test]
    fn what_nobody_can_run_or_should_see_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let test = folder.path().join("test");
        written(&test, "", 0o644);
        let error = |program: &Program| examine(program).unwrap_err().to_string();
        assert!(error(&program(&test, &[])).contains("may execute"));
        written(&test, "", 0o700);
        assert!(error(&program(&test, &[])).contains("may execute"));
        written(&test, "", 0o755);
        let secret = folder.path().join("secret");
        written(&secret, "", 0o600);
        assert!(error(&program(&test, &[secret])).contains("may read"));
        for whole in ["/", "/home", "/etc", "/proc/self", "/dev/null"] {
            let refused = error(&program(&test, &[whole.into()]));
            assert!(
                refused.contains("system directory") || refused.contains("of its own"),
                "{refused}"
            );
        }
        let missing = folder.path().join("missing");
        assert!(error(&program(&missing, &[])).contains("missing"));
    }
}
