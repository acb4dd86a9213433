//! Files that commands read: complete, up to a size limit, and with errors that name the problem.
//!
//! A directory, a device or a named pipe is refused before it is opened: opening a pipe blocks
//! until a writer opens it. The pipes of a shell (`<(COMMAND)`) and standard input are read.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use stripewise_format::studies::shipped_text;

use crate::failure::{Failure, Result};
use crate::inputs;

/// The paths of a shell's own pipes.
const PIPES_OF_SHELLS: [&str; 3] = ["/dev/fd", "/proc", "/dev/stdin"];

const NAMED_PIPE: &str = "it is a named pipe";

/// Reads a file of `what`, such as `study`: at most one byte more than `bytes_max`, so that its
/// parser can report that it is too long. `-` is standard input.
///
/// # Errors
/// If it is not a file, or cannot be read.
pub(crate) fn read(what: &str, path: &Path, bytes_max: usize) -> Result<Vec<u8>> {
    let failed =
        |failure: Failure| failure.context(format!("failed to read {what} `{}`", path.display()));
    let most = u64::try_from(bytes_max)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        inputs::note(io::stdin());
        let read = io::stdin().lock().take(most).read_to_end(&mut bytes);
        return read
            .map(|_| bytes)
            .map_err(|error| failed(Failure::new(reason(&error))));
    }
    if let Some(text) = shipped_text(path) {
        return Ok(text.as_bytes().to_vec());
    }
    refuse_others(what, path).map_err(failed)?;
    let read = inputs::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map(|_| bytes)
        .map_err(|error| failed(Failure::new(reason(&error))))
}

/// Opens a file that is read at any place, such as Parquet, whose contents are listed at its end. Nothing
/// else has places: pipes, a shell's own ones included, and devices are refused before they are opened.
///
/// # Errors
/// If it is not a file, or cannot be opened; the path is not part of the error.
pub(crate) fn open(path: &Path) -> Result<File> {
    let failed = |error: io::Error| Failure::new(reason(&error));
    let kind = std::fs::metadata(path).map_err(failed)?.file_type();
    if kind.is_file() {
        return inputs::open(path).map_err(failed);
    }
    let what = match () {
        () if kind.is_dir() => "it is a directory",
        () if kind.is_fifo() => NAMED_PIPE,
        () if kind.is_socket() => "it is a socket",
        () => "it is a device",
    };
    Err(Failure::new(what).hint("it is read from its end on: copy it to a file, and name that"))
}

/// Reads a text of `what` as [`read`] does.
///
/// # Errors
/// As [`read`], or if it is not UTF-8.
pub(crate) fn read_text(what: &str, path: &Path, bytes_max: usize) -> Result<String> {
    String::from_utf8(read(what, path, bytes_max)?).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Failure::new(format!("it is not text: byte {place} is not UTF-8"))
            .context(format!("failed to read {what} `{}`", path.display()))
    })
}

/// Refuses everything but files and pipes of a shell.
fn refuse_others(what: &str, path: &Path) -> Result<()> {
    let kind = unreadable_kind(path).map_err(|error| Failure::new(reason(&error)))?;
    kind.map_or(Ok(()), |kind| {
        Err(Failure::new(kind).hint(match kind {
            NAMED_PIPE => "`-` reads standard input: `stripewise ... - < PIPE`".to_owned(),
            _ => format!("name the file of the {what}"),
        }))
    })
}

/// Returns the kind of a path that is neither a file nor a pipe of a shell; `None` for those.
///
/// # Errors
/// If its metadata cannot be read.
pub(crate) fn unreadable_kind(path: &Path) -> io::Result<Option<&'static str>> {
    let kind = std::fs::metadata(path)?.file_type();
    let of_shell = PIPES_OF_SHELLS.iter().any(|place| path.starts_with(place));
    Ok(if kind.is_dir() {
        Some("it is a directory")
    } else if kind.is_fifo() && !of_shell {
        Some(NAMED_PIPE)
    } else if kind.is_block_device() {
        Some("it is a block device")
    } else if kind.is_socket() {
        Some("it is a socket")
    } else {
        None
    })
}

/// Returns why a file cannot be read, in our own words for the common reasons.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is not a directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn what_has_no_places_is_refused_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("a.parquet");
        mkfifoat(CWD, &pipe, Mode::RUSR).unwrap();
        for (path, says) in [
            (pipe.as_path(), "it is a named pipe"),
            (folder.path(), "it is a directory"),
            (Path::new("/dev/null"), "it is a device"),
            (Path::new("/no/such"), "there is no such file"),
        ] {
            assert_eq!(open(path).unwrap_err().message(), says);
        }
        let file = folder.path().join("b.parquet");
        std::fs::write(&file, "").unwrap();
        assert!(open(&file).is_ok());
    }
}
