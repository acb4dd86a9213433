//! Reads archives that `collect` wrote, with bounds: of the file, and of what it unpacks to.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use stripewise_process::{Call, UntilStopped};

use crate::archive::{BLOCK, FILE, LONG_NAME, UNPACKED_BYTES_MAX, ZSTD, checksum};

/// Reads the files of an archive.
///
/// # Errors
/// If it is no regular file, is longer than its content may be, or is damaged.
pub(crate) fn read(from: &Path) -> io::Result<BTreeMap<String, String>> {
    // zstd reads the file itself: it is never in our memory.
    let arguments = ["--quiet", "--decompress", "--stdout"];
    let call: Call = ZSTD.call(arguments).stdin(open(from)?);
    let call = call.stdout_bytes_max(UNPACKED_BYTES_MAX);
    files(&call.run(&mut UntilStopped)?.stdout)
}

/// Opens an archive: a pipe has no end, a device may act, and a packed file is no longer than what
/// it packs.
fn open(from: &Path) -> io::Result<File> {
    let regular = |file: std::fs::Metadata| match file.is_file() {
        true if file.len() > UNPACKED_BYTES_MAX => Err(io::Error::other(format!(
            "it is longer than {} MiB",
            UNPACKED_BYTES_MAX >> 20
        ))),
        true => Ok(()),
        false => Err(io::Error::other("it is not a regular file")),
    };
    regular(std::fs::metadata(from)?)?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(from, flags, Mode::empty())?);
    regular(file.metadata()?)?;
    Ok(file)
}

/// Returns the regular files of a tar.
fn files(tar: &[u8]) -> io::Result<BTreeMap<String, String>> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the archive is damaged");
    let mut files = BTreeMap::new();
    let (mut at, mut long_name) = (0, None);
    while let Some(header) = tar.get(at..at + BLOCK) {
        if header.iter().all(|byte| *byte == 0) {
            return Ok(files);
        }
        if octal(&header[148..156]) != Some(checksum(header)) {
            return Err(damaged());
        }
        let size = octal(&header[124..136]).ok_or_else(damaged)?;
        let start = at + BLOCK;
        let end = start.checked_add(size).ok_or_else(damaged)?;
        let content = tar.get(start..end).ok_or_else(damaged)?;
        let known = long_name.take();
        if header[156] == LONG_NAME {
            long_name = Some(word(content));
        }
        if header[156] == FILE {
            let (prefix, name) = (word(&header[345..500]), word(&header[..100]));
            let path = match (known, prefix.is_empty()) {
                (Some(known), _) => format!("/{known}"),
                (None, true) => format!("/{name}"),
                (None, false) => format!("/{prefix}/{name}"),
            };
            let text = String::from_utf8_lossy(content).into_owned();
            // Two files of one name: which one is the fact?
            if files.insert(path, text).is_some() {
                return Err(damaged());
            }
        }
        at = end.checked_next_multiple_of(BLOCK).ok_or_else(damaged)?;
    }
    Err(io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the archive is cut off",
    ))
}

fn word(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&field[..end.unwrap_or(field.len())]).into_owned()
}

fn octal(field: &[u8]) -> Option<usize> {
    let text = word(field);
    usize::from_str_radix(text.trim_matches([' ', '\0']), 8).ok()
}
