//! Archives `*.tar.zst`: the program `zstd`, and the tar format of POSIX (ustar), of which we write
//! regular files only and read nothing else.
//!
//! ```text
//! header of 512 bytes: name 100, mode 8, uid 8, gid 8, size 12, mtime 12, checksum 8, type 1,
//! link 100, `ustar` 6, version 2, user 32, group 32, device 16, prefix 155; then the file,
//! padded to 512 bytes; at the end two blocks of zeros
//! ```

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};

use stripewise_process::{Call, Program, UntilStopped};

pub(crate) const BLOCK: usize = 512;
/// The most bytes of an unpacked archive.
pub(crate) const UNPACKED_BYTES_MAX: u64 = 256 << 20;
pub(crate) const ZSTD: Program = Program::new("zstd", "zstd");

/// Returns files as an archive.
pub(crate) fn pack(files: &BTreeMap<String, String>) -> io::Result<Vec<u8>> {
    let mut tar = Vec::new();
    for (path, text) in files {
        let name = path.trim_start_matches('/');
        tar.extend(header(name, text.len())?);
        tar.extend(text.as_bytes());
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }
    tar.resize(tar.len() + 2 * BLOCK, 0);
    let mut file = tempfile::tempfile()?;
    file.write_all(&tar)?;
    file.rewind()?;
    let call: Call = ZSTD.call(["--quiet", "--stdout"]).stdin(file);
    let call = call.stdout_bytes_max(UNPACKED_BYTES_MAX);
    Ok(call.run(&mut UntilStopped)?.stdout)
}

fn header(name: &str, size: usize) -> io::Result<[u8; BLOCK]> {
    let mut header = [0_u8; BLOCK];
    let (prefix, name) = split(name)
        .ok_or_else(|| io::Error::other(format!("the path `{name}` is too long for an archive")))?;
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    put(156, "0");
    put(257, "ustar\x0000");
    put(345, prefix);
    let sum = format!("{:06o}\0 ", checksum(&header));
    header[148..156].copy_from_slice(sum.as_bytes());
    Ok(header)
}

/// Returns a path as prefix and name.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= 100 {
        return Some(("", path));
    }
    let cuts = path.match_indices('/').map(|(at, _)| at);
    let mut cuts = cuts.filter(|at| *at <= 155 && path.len() - at - 1 <= 100);
    let at = cuts.next()?;
    Some((&path[..at], &path[at + 1..]))
}

/// Returns the sum of the bytes of a header, with spaces for its own field.
pub(crate) fn checksum(header: &[u8]) -> usize {
    let bytes = header.iter().enumerate();
    bytes
        .map(|(at, byte)| {
            if (148..156).contains(&at) {
                32
            } else {
                usize::from(*byte)
            }
        })
        .sum()
}
