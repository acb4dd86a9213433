//! Folders of Parquet files, as many programs write them: `date=2026-11-30/host=web17/FILE.parquet`.
//!
//! A folder stands for a column of its files. As in Hive, what a name of a folder cannot hold is written as
//! `%` and two hexadecimal digits, and [`NO_VALUE`] stands for no value.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// How deep folders may lie in each other.
const DEPTH_MAX: usize = 16;
/// The name of a folder whose rows have no value in its column.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";
/// What Hive and its readers do not write into the name of a folder as it is.
const ENCODED: &str = "\"#%'*/:=?\\{}[]^";

/// Returns the Parquet files of a path, in order: itself, or all below it if it is a folder.
///
/// # Errors
/// If a folder cannot be read, has no Parquet file, or has some that would be left out: below more folders
/// than [`DEPTH_MAX`], below a link to a folder, which may lie in itself, that are no files, or CSV.
pub(crate) fn parquet_files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut walk = Walk::default();
    let mut pending = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = pending.pop() {
        walk.read(&folder, depth, &mut pending).map_err(|error| {
            Failure::new(format!("failed to read `{}`: {error}", folder.display()))
        })?;
    }
    walk.refuse_left_out(path)?;
    if walk.files.is_empty() {
        return Err(Failure::new(format!(
            "`{}` has no Parquet file",
            path.display()
        )));
    }
    walk.files.sort_unstable();
    Ok(walk.files)
}

/// Returns whether a file is called CSV.
pub(crate) fn is_csv(path: &Path) -> bool {
    path.extension()
        .is_some_and(|of| of.eq_ignore_ascii_case("csv"))
}

/// What was found below a folder.
#[derive(Default)]
struct Walk {
    files: Vec<PathBuf>,
    too_deep: Vec<PathBuf>,
    links: Vec<PathBuf>,
    no_files: Vec<PathBuf>,
    csv: Vec<PathBuf>,
}

impl Walk {
    fn read(
        &mut self,
        folder: &Path,
        depth: usize,
        pending: &mut Vec<(PathBuf, usize)>,
    ) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let is_parquet = path
                .extension()
                .is_some_and(|of| of == "parquet" || of == "pq");
            let leads_to = match kind.is_symlink() {
                true => fs::metadata(&path).map_or(kind, |found| found.file_type()),
                false => kind,
            };
            if leads_to.is_dir() && kind.is_symlink() {
                self.links.push(path);
            } else if leads_to.is_dir() && depth == DEPTH_MAX {
                self.too_deep.push(path);
            } else if leads_to.is_dir() {
                pending.push((path, depth + 1));
            } else if leads_to.is_file() && is_parquet {
                self.files.push(path);
            } else if is_parquet {
                self.no_files.push(path);
            } else if is_csv(&path) {
                self.csv.push(path);
            }
        }
        Ok(())
    }

    fn refuse_left_out(&mut self, folder: &Path) -> Result<()> {
        let reasons = [
            (
                &mut self.too_deep,
                format!("lie below more than {DEPTH_MAX} folders"),
                "name a folder that they lie in",
            ),
            (
                &mut self.links,
                "are links to folders, which are not followed".to_owned(),
                "name the folders that they lead to",
            ),
            (
                &mut self.no_files,
                "are called Parquet, and are no files".to_owned(),
                "move them away",
            ),
            (
                &mut self.csv,
                "are CSV, which are not read from a folder".to_owned(),
                "name them as files, or move them away",
            ),
        ];
        for (left_out, why, hint) in reasons {
            left_out.sort_unstable();
            if let Some(first) = left_out.first() {
                let (count, first) = (left_out.len(), first.display());
                return Err(Failure::new(format!(
                    "`{}` has {count} entries that {why}: `{first}`",
                    folder.display()
                ))
                .hint(hint));
            }
        }
        Ok(())
    }
}

/// Returns the name of the folder that stands for a value of a column: `host=web17`.
pub(crate) fn folder_name(column: &str, value: &str) -> String {
    let mut name = format!("{column}=");
    for character in value.chars() {
        // The signs that are written otherwise have one byte.
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii_control() || ENCODED.contains(character) => {
                name.push_str(&format!("%{byte:02X}"));
            }
            _ => name.push(character),
        }
    }
    name
}

/// Returns the value that the folders of a file state for a column: `web17` of `host=web17`.
pub(crate) fn of_folders(path: &Path, column: &str) -> Option<String> {
    let folders = path.parent()?;
    let mut parts = folders.iter().filter_map(|part| part.to_str());
    let value = |part: &str| Some(decoded(part.strip_prefix(column)?.strip_prefix('=')?));
    parts.find_map(value).filter(|value| value != NO_VALUE)
}

/// Replaces `%` and two hexadecimal digits by their byte; a text that would be none stays as it is.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.first_chunk::<2>().filter(|_| *first == b'%');
        let byte = digits.and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            is_hex.then(|| u8::from_str_radix(digits, 16).ok())?
        });
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_names_of_folders() {
        for value in ["web17", "a/b", "50%", "x=y", "%2F", "ü:1", "a\nb", "."] {
            let name = folder_name("host", value);
            assert!(!name.contains('/'), "{name}");
            let path = Path::new("fleet").join(name).join("one.parquet");
            assert_eq!(of_folders(&path, "host").as_deref(), Some(value));
        }
        let of = |path: &str| of_folders(Path::new(path), "host");
        assert_eq!(of("host=a%2Fb/x.parquet").as_deref(), Some("a/b"));
        assert_eq!(of("host=%zz%/x.parquet").as_deref(), Some("%zz%"));
        assert_eq!(of("host=%ff/x.parquet").as_deref(), Some("%ff"));
        assert_eq!(of("host=__HIVE_DEFAULT_PARTITION__/x.parquet"), None);
        assert_eq!(of("hosts=a/host=b.parquet"), None);
    }

    #[test]
    fn nothing_below_a_folder_is_left_out_in_silence() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut deep = root.join("deep");
        for _ in 0..DEPTH_MAX {
            deep.push("in");
        }
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("a.parquet"), "").unwrap();
        let refused = parquet_files(root).unwrap_err().message();
        assert!(
            refused.contains("1 entries that lie below more"),
            "{refused}"
        );
        assert_eq!(parquet_files(&root.join("deep")).unwrap().len(), 1);
        fs::remove_dir_all(root.join("deep")).unwrap();

        fs::create_dir(root.join("own")).unwrap();
        fs::write(root.join("own/a.parquet"), "").unwrap();
        std::os::unix::fs::symlink("own/a.parquet", root.join("b.parquet")).unwrap();
        assert_eq!(parquet_files(root).unwrap().len(), 2);
        std::os::unix::fs::symlink("own", root.join("again")).unwrap();
        let refused = parquet_files(root).unwrap_err().message();
        assert!(refused.contains("links to folders"), "{refused}");
        fs::remove_file(root.join("again")).unwrap();

        let table = root.join("own/b.CSV");
        fs::write(&table, "").unwrap();
        let refused = parquet_files(root).unwrap_err().message();
        assert!(refused.contains("1 entries that are CSV"), "{refused}");
        fs::remove_file(&table).unwrap();

        let pipe = root.join("c.parquet");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        let refused = parquet_files(root).unwrap_err().message();
        assert!(refused.contains("are no files"), "{refused}");
    }
}
