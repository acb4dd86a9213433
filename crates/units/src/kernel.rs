//! Kernel versions.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

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

/// The last minor number of each finished series (<https://cdn.kernel.org/pub/linux/kernel/>).
const LAST_MINOR: [(u16, u16); 4] = [(3, 19), (4, 20), (5, 19), (6, 19)];
/// Larger major numbers are typos: a new one comes about every four years.
const MAJOR_MAX: u16 = 99;

impl KernelVersion {
    /// Returns the version `major.minor.patch`.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Returns the major and the minor number, which all stable kernels of one mainline version
    /// share.
    pub const fn series(self) -> (u16, u16) {
        (self.major, self.minor)
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

    /// Reads a version as [`KernelVersion::parse`] does, and refuses one that no kernel can have.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse_possible(text: &str) -> Result<Self, String> {
        let version = Self::parse(text)
            .ok_or_else(|| "expected a version such as `4.1` or `6.1.0-18-amd64`".to_owned())?;
        match version.impossible() {
            None => Ok(version),
            Some(why) => Err(why),
        }
    }

    /// Returns why no kernel can have this number; `None` if one has it, or may have it one day.
    ///
    /// Kernels before 2.6 are refused like versions that never existed: no rules of them are known.
    pub fn impossible(self) -> Option<String> {
        let Self { major, minor, .. } = self;
        if major < 2 || (major == 2 && minor < 6) {
            return Some("nothing is known of kernels before 2.6".to_owned());
        }
        if major == 2 && minor > 6 {
            return Some(format!(
                "there is no Linux {major}.{minor}: after 2.6 came 3.0"
            ));
        }
        if major > MAJOR_MAX {
            return Some(format!("there is no Linux {major}"));
        }
        let (_, last) = LAST_MINOR.into_iter().find(|(known, _)| *known == major)?;
        (minor > last).then(|| {
            format!(
                "there is no Linux {major}.{minor}: after {major}.{last} came {}.0",
                major + 1
            )
        })
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

/// The longest name of a kernel.
const NAME_BYTES_MAX: usize = 128;

/// A kernel as a study names it: a version, a release, or a guest of the lab.
///
/// A guest's name is its release, or the beginning of one, and behind an `@` where it was made from:
/// `7.3.4@sid`. Two kernels are equal if their names are; `6.1.0` is the name of 6.1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelName {
    version: KernelVersion,
    /// All of the name, if it says more than the version.
    text: Option<String>,
}

impl KernelName {
    /// Reads `4.1`, a release such as `6.1.0-18-amd64`, or a guest such as `7.3.4@sid`.
    pub fn parse(text: &str) -> Option<Self> {
        let version = KernelVersion::parse(text)?;
        let is_version = text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let is_sound = |part: &str| {
            let is_sound = |c: char| c.is_ascii_alphanumeric() || ".-+~_".contains(c);
            !part.is_empty() && part.chars().all(is_sound)
        };
        let mut parts = text.split('@');
        let [release, origin, more] = [parts.next(), parts.next(), parts.next()];
        let is_name = release.is_some_and(is_sound) && origin.is_none_or(is_sound);
        (is_name && more.is_none() && text.len() <= NAME_BYTES_MAX).then(|| Self {
            version,
            text: (!is_version).then(|| text.to_owned()),
        })
    }

    /// Returns the version that it begins with.
    pub const fn version(&self) -> KernelVersion {
        self.version
    }

    /// Returns whether it is the name of a guest of the lab, with where the guest was made from.
    pub fn is_guest(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.contains('@'))
    }

    /// Returns whether it says more than the version: then it means one kernel, and not any of a version.
    pub const fn is_exact(&self) -> bool {
        self.text.is_some()
    }
}

impl From<KernelVersion> for KernelName {
    fn from(version: KernelVersion) -> Self {
        Self {
            version,
            text: None,
        }
    }
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => self.version.fmt(f),
        }
    }
}

impl Serialize for KernelName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KernelName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let name = Self::parse(&text);
        name.ok_or_else(|| de::Error::custom(format!("`{text}` is not a kernel version")))
    }
}

/// A possible version in a document as text: `6.1`.
pub mod possible_text {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use super::KernelVersion;

    /// Writes a version.
    ///
    /// # Errors
    /// As the serializer.
    pub fn serialize<S: Serializer>(version: &KernelVersion, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(version)
    }

    /// Reads a version.
    ///
    /// # Errors
    /// If it is none, or no kernel can have it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<KernelVersion, D::Error> {
        let text = String::deserialize(from)?;
        KernelVersion::parse_possible(&text).map_err(de::Error::custom)
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

    #[test]
    fn a_name_is_a_version_a_release_or_a_guest() {
        let name = |text: &str| KernelName::parse(text).unwrap();
        for (text, shown, version, is_exact, is_guest) in [
            ("6.1.0", "6.1", KernelVersion::new(6, 1, 0), false, false),
            (
                "6.1.0-18-amd64",
                "6.1.0-18-amd64",
                KernelVersion::new(6, 1, 0),
                true,
                false,
            ),
            (
                "7.3.4@sid",
                "7.3.4@sid",
                KernelVersion::new(7, 3, 4),
                true,
                true,
            ),
            (
                "7.3@sid+tools-forky",
                "7.3@sid+tools-forky",
                KernelVersion::new(7, 3, 0),
                true,
                true,
            ),
        ] {
            let name = name(text);
            assert_eq!(name.to_string(), shown);
            assert_eq!(name.version(), version, "{text}");
            assert_eq!(
                (name.is_exact(), name.is_guest()),
                (is_exact, is_guest),
                "{text}"
            );
            let written = serde_json::to_string(&name).unwrap();
            assert_eq!(written, format!("\"{shown}\""));
            assert_eq!(serde_json::from_str::<KernelName>(&written).unwrap(), name);
        }
        assert_eq!(name("6.1.0"), name("6.1"));
        assert_ne!(name("7.3.4@sid"), name("7.3.4@tree-1a2b3c4d"));
        for none in [
            "sid",
            "7@sid",
            "7.3@",
            "@sid",
            "7.3@sid@forky",
            "7.3 @sid",
            "7.3/../x",
        ] {
            assert_eq!(KernelName::parse(none), None, "{none}");
        }
        let long = format!("7.3@{}", "x".repeat(NAME_BYTES_MAX));
        assert_eq!(KernelName::parse(&long), None);
    }

    #[test]
    fn impossible_versions_are_refused_and_future_ones_are_not() {
        let impossible = |text: &str| KernelVersion::parse(text).unwrap().impossible();
        for wrong in [
            "0.0", "1.2", "2.4.37", "2.7", "3.20", "4.21", "5.30.1", "6.20", "100.1",
        ] {
            assert!(impossible(wrong).is_some(), "{wrong}");
        }
        for fine in [
            "2.6.18", "3.0", "3.19.8", "4.20", "5.19", "6.19", "7.99", "12.3",
        ] {
            assert_eq!(impossible(fine), None, "{fine}");
        }
    }
}
