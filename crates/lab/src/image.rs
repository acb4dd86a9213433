//! Builds disk images from directories without mounting, so it needs no root.

use std::path::Path;

use crate::error::LabError;
use crate::programs::{MKE2FS, run};

/// The minimum overhead of a filesystem.
const SPARE_BYTES: u64 = 16 << 20;

/// Writes the content of `directory` as an ext4 filesystem into the new file `image`.
///
/// For read-only use: no journal, and little free space.
pub(crate) fn make(directory: &Path, image: &Path, label: &str) -> Result<(), LabError> {
    let bytes = content_bytes(directory).map_err(LabError::file("read", directory))?;
    let kib = bytes.saturating_add(bytes / 16).saturating_add(SPARE_BYTES) / 1024;
    let call = MKE2FS
        .call(["-q", "-F", "-t", "ext4", "-O", "^has_journal", "-m", "0"])
        .args([
            "-b",
            "4096",
            "-i",
            "8192",
            "-E",
            "root_owner=0:0",
            "-L",
            label,
            "-d",
        ])
        .arg(directory)
        .arg(image)
        .arg(format!("{kib}k"));
    run(call, &format!("create the image `{}`", image.display())).map(|_| ())
}

/// Returns the size of all files below a directory, in whole blocks.
fn content_bytes(directory: &Path) -> std::io::Result<u64> {
    let mut sum = 0_u64;
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let file = entry.metadata()?;
            if file.is_dir() {
                pending.push(entry.path());
            }
            sum = sum.saturating_add(file.len().next_multiple_of(4096));
        }
    }
    Ok(sum)
}
