//! Our folder on a host: the journal, and the program if it was copied. Removed when nothing is left.

use std::io;
use std::path::{Path, PathBuf};

/// The journal: a store like that of the controller, so that `restore --store` reads it, too.
pub(crate) const JOURNAL: &str = "journal.db";
/// The copied program.
pub(crate) const PROGRAM: &str = "stripewise";
/// All files that we make; SQLite makes the last three.
const FILES: [&str; 6] = [
    PROGRAM,
    "stripewise.new",
    "journal.db-wal",
    "journal.db-shm",
    "journal.db-journal",
    JOURNAL,
];

/// The name of a folder: 32 hexadecimal digits that the controller drew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Draws a token.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn draw() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(format!("{:032x}", u128::from_ne_bytes(bytes))))
    }

    /// Returns the token of a journal, which may be forged; `None` if no run can have drawn it.
    pub fn of(text: &str) -> Option<Self> {
        let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        (text.len() == 32 && text.chars().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Returns its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Our folder on this host.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Takes a folder that the bootstrap made; its name must be a token.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let name = path.file_name().and_then(|name| name.to_str());
        if name.and_then(Token::of).is_none() {
            let message = format!("`{}` is no folder of `run --hosts`", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(Self(path.to_owned()))
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.0.join(JOURNAL)
    }

    /// Removes our files and the folder; other files keep it.
    pub(crate) fn remove(&self) -> io::Result<()> {
        for file in FILES {
            match std::fs::remove_file(self.0.join(file)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        match std::fs::remove_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_drawn_names_are_tokens() {
        let drawn = Token::draw().unwrap();
        assert_eq!(Token::of(drawn.as_str()), Some(drawn));
        let long = "a".repeat(33);
        for bad in [
            "",
            "..",
            "../0123456789abcdef0123456789abc",
            &"A".repeat(32),
            &long,
            "a b",
        ] {
            assert_eq!(Token::of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_folder_with_files_of_others_stays() {
        let within = tempfile::tempdir().unwrap();
        let path = within.path().join("0".repeat(32));
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join(JOURNAL), "").unwrap();
        std::fs::write(path.join("mine.txt"), "").unwrap();
        let folder = Folder::at(&path).unwrap();
        assert_eq!(
            folder.remove().unwrap_err().kind(),
            io::ErrorKind::DirectoryNotEmpty
        );
        assert!(path.join("mine.txt").exists() && !path.join(JOURNAL).exists());
        std::fs::remove_file(path.join("mine.txt")).unwrap();
        folder.remove().unwrap();
        assert!(!path.exists());
        folder.remove().unwrap();
        assert!(Folder::at(within.path()).is_err());
    }
}
