//! Kernel versions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The part of a Linux version that decides how a kernel behaves: major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KernelVersion {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
    /// The third number; 0 if not written.
    pub patch: u16,
}

impl KernelVersion {
    /// Returns the version `major.minor.patch`.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Reads `4.1`, `2.6.18` or a release such as `6.1.0-18-amd64`.
    pub fn parse(text: &str) -> Option<Self> {
        let end = text
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(text.len());
        let mut parts = text[..end].trim_end_matches('.').split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = parts.next().map_or(Some(0), |patch| patch.parse().ok())?;
        Some(Self::new(major, minor, patch))
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch > 0 {
            write!(f, ".{}", self.patch)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_distributions_are_read() {
        for (text, version) in [
            ("4.1", KernelVersion::new(4, 1, 0)),
            ("2.6.18", KernelVersion::new(2, 6, 18)),
            ("6.1.0-18-amd64", KernelVersion::new(6, 1, 0)),
            ("5.14.0-427.el9.x86_64", KernelVersion::new(5, 14, 0)),
        ] {
            assert_eq!(KernelVersion::parse(text), Some(version), "{text}");
        }
        assert_eq!(KernelVersion::parse("six"), None);
        assert_eq!(KernelVersion::parse("6"), None);
    }
}
