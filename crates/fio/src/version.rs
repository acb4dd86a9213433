//! fio's version, as `fio --version` and its JSON write it.
//!
//! Releases are `fio-3.33`; builds between releases add the suffix of `git describe`:
//! `fio-3.36-27-gabcd`, `fio-3.42-dirty`. Only the two numbers are compared.

use std::fmt;

/// A version of fio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    major: u32,
    minor: u32,
    text: String,
}

/// The text is not a version of fio.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a version of fio, such as `fio-3.33`")]
pub struct ParseVersionError {
    /// The text.
    pub text: String,
}

impl Version {
    /// The oldest version whose job options and JSON we support (July 2021).
    pub const OLDEST_RUN: (u32, u32) = (3, 28);

    /// The first version that reads lists of I/Os with times (version 3 of its trace file format).
    pub(crate) const FIRST_WITH_TIMES: (u32, u32) = (3, 31);

    /// The first version that looks at completed I/Os while it waits for the next I/O of a list.
    pub(crate) const FIRST_TO_REAP_IN_GAPS: (u32, u32) = (3, 36);

    /// The oldest version whose JSON we read; the first with JSON is 2.0.10 (2012).
    pub const OLDEST_IMPORT: (u32, u32) = (2, 0);

    /// The first version with `io_bytes` in bytes (2017); earlier ones round down to KiB.
    pub(crate) const FIRST_WITH_BYTES: (u32, u32) = (2, 21);

    /// The first version with latencies in nanoseconds (2.99 is a candidate of 3.0); earlier ones
    /// use microseconds.
    pub(crate) const FIRST_WITH_NANOSECONDS: (u32, u32) = (2, 99);

    /// Parses `fio-3.33`, `fio-3.36-27-gabcd` or `fio-3.42-dirty`; ignores surrounding white space.
    ///
    /// # Errors
    /// [`ParseVersionError`] if the text is not `fio-MAJOR.MINOR` with or without a suffix.
    pub fn parse(text: &str) -> Result<Self, ParseVersionError> {
        let text = text.trim();
        let error = || ParseVersionError {
            text: text.chars().take(80).collect(),
        };
        let numbers = text.strip_prefix("fio-").ok_or_else(error)?;
        let numbers = numbers.split('-').next().unwrap_or_default();
        let mut parts = numbers.split('.').map(|part| part.parse::<u32>().ok());
        let (Some(Some(major)), Some(Some(minor))) = (parts.next(), parts.next()) else {
            return Err(error());
        };
        if text.len() > 80 || text.chars().any(char::is_control) {
            return Err(error());
        }
        Ok(Self {
            major,
            minor,
            text: text.to_owned(),
        })
    }

    /// Returns the two compared numbers: `(3, 33)`.
    pub fn numbers(&self) -> (u32, u32) {
        (self.major, self.minor)
    }

    /// Returns the whole text: `fio-3.36-27-gabcd`.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_builds_between_them_are_parsed() {
        for (text, numbers) in [
            ("fio-3.33\n", (3, 33)),
            ("fio-3.36-27-gabcd", (3, 36)),
            ("fio-3.42-dirty", (3, 42)),
            ("fio-3.28.1", (3, 28)),
            ("fio-10.0", (10, 0)),
        ] {
            let version = Version::parse(text).unwrap();
            assert_eq!(version.numbers(), numbers, "{text}");
            assert_eq!(version.as_str(), text.trim());
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "fio",
            "fio-",
            "fio-3",
            "fio-x.y",
            "3.33",
            "fio 3.33",
            "fio-3.33\u{1b}[2J",
        ] {
            assert!(Version::parse(text).is_err(), "{text}");
        }
    }
}
