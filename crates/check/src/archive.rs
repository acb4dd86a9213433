//! Archives `*.tar.zst`: the program `zstd`, and the tar format of POSIX (ustar), of which we write
//! regular files only and read nothing else.
//!
//! ```text
//! header of 512 bytes: name 100, mode 8, uid 8, gid 8, size 12, mtime 12, checksum 8, type 1,
//! link 100, `ustar` 6, version 2, user 32, group 32, device 16, prefix 155; then the file,
//! padded to 512 bytes; at the end two blocks of zeros
//! ```
//!
//! A name that fits into neither is a file of type `L` before its own, as of GNU tar ("Basic Tar
//! Format", <https://www.gnu.org/software/tar/manual/html_node/Standard.html>).

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};

use stripewise_process::{Call, Program, UntilStopped};

pub(crate) const BLOCK: usize = 512;
/// The type of a regular file.
pub(crate) const FILE: u8 = b'0';
/// The type of the long name of the next file.
pub(crate) const LONG_NAME: u8 = b'L';
/// What a long name is called.
const LONG_NAME_MARK: &str = "././@LongLink";
/// The most bytes of a name without its prefix.
const NAME_BYTES_MAX: usize = 100;
/// The most bytes of an unpacked archive.
pub(crate) const UNPACKED_BYTES_MAX: u64 = 256 << 20;
pub(crate) const ZSTD: Program = Program::new("zstd", "zstd");

/// Returns files as an archive.
pub(crate) fn pack(files: &BTreeMap<String, String>) -> io::Result<Vec<u8>> {
    let mut tar = Vec::new();
    for (path, text) in files {
        let name = path.trim_start_matches('/');
        match split(name) {
            Some(name) => tar.extend(header(name, text.len(), FILE)),
            None => {
                tar.extend(header(("", LONG_NAME_MARK), name.len() + 1, LONG_NAME));
                tar.extend(name.as_bytes());
                tar.resize((tar.len() + 1).next_multiple_of(BLOCK), 0);
                let start = name.floor_char_boundary(NAME_BYTES_MAX);
                tar.extend(header(("", &name[..start]), text.len(), FILE));
            }
        }
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

fn header((prefix, name): (&str, &str), size: usize, kind: u8) -> [u8; BLOCK] {
    let mut header = [0_u8; BLOCK];
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    put(257, "ustar\x0000");
    put(345, prefix);
    header[156] = kind;
    let sum = format!("{:06o}\0 ", checksum(&header));
    header[148..156].copy_from_slice(sum.as_bytes());
    header
}

/// Returns a path as prefix and name.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= NAME_BYTES_MAX {
        return Some(("", path));
    }
    let cuts = path.match_indices('/').map(|(at, _)| at);
    let mut cuts = cuts.filter(|at| *at <= 155 && path.len() - at - 1 <= NAME_BYTES_MAX);
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
