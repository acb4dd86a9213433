//! What a prepared guest was made of: package versions and checksums, kept beside it as JSON.
//!
//! A guest is used only if the recipe it was made with is this program's: the list of packages, the
//! texts of its start, the source of the disk module. So a newer program never talks to an older
//! guest.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use stripewise_study::limits::{JsonLimits, ListLimit, OURS};

use crate::error::LabError;

/// The version of the manifest's form; it is part of every recipe.
pub(crate) const SCHEMA: u32 = 1;

/// The largest manifest that is read.
const BYTES_MAX: u64 = 4 << 20;

/// The most packages and files that are read; a guest has about 200 packages and a dozen files.
const LISTED_MAX: usize = 4096;

/// What a manifest may hold.
const LIMITS: JsonLimits = JsonLimits {
    lists: &[&[
        ListLimit::of::<PackageRecord>("packages", LISTED_MAX),
        ListLimit::tree("files", LISTED_MAX),
    ]],
    text_bytes: 4096,
    ..OURS
};

/// A file with its checksum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// A package that went into a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageRecord {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The package file.
    #[serde(flatten)]
    pub file: Checksum,
}

/// What a prepared guest was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this form.
    pub schema: u32,
    /// The version of the program that made it.
    pub tool_version: String,
    /// The kernel release: `6.1.0-56-cloud-amd64`.
    pub kernel: String,
    /// Whether it is the kernel that the distribution installs where nobody names one.
    pub is_default: bool,
    /// The checksum of the recipe.
    pub recipe_sha256: String,
    /// The checksum of the package sources that were named; nothing for the machine's own.
    pub sources_sha256: Option<String>,
    /// The compiler that built the disk module.
    pub compiler: String,
    /// The packages.
    pub packages: Vec<PackageRecord>,
    /// What was made, by file name.
    pub files: BTreeMap<String, Checksum>,
}

impl Manifest {
    /// Returns the version of a package that went into the guest.
    pub fn version_of(&self, name: &str) -> Option<&str> {
        let found = self.packages.iter().find(|package| package.name == name);
        found.map(|package| package.version.as_str())
    }

    /// Reads the manifest of the guest in `directory`; nothing if there is none that is whole.
    ///
    /// Whole is one whose files are there with the sizes they were made with.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let file = File::open(directory.join(FILE_NAME)).ok()?;
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text).ok()?;
        let manifest: Self = LIMITS.parse(text.as_bytes()).ok()?;
        let is_there = |(name, made): (&String, &Checksum)| {
            let is_name = !name.contains('/') && !name.starts_with('.');
            let found = std::fs::metadata(directory.join(name));
            is_name && found.is_ok_and(|file| file.len() == made.bytes)
        };
        let is_whole = manifest.schema == SCHEMA && manifest.files.iter().all(is_there);
        is_whole.then_some(manifest)
    }

    /// Checks that the files in `directory` are what was made. Cost: reads them once.
    ///
    /// # Errors
    /// [`LabError::Damaged`] with the first that is not.
    pub(crate) fn verify(&self, directory: &Path) -> Result<(), LabError> {
        for (name, made) in &self.files {
            let path = directory.join(name);
            if checksum(&path)? != *made {
                return Err(LabError::Damaged { path });
            }
        }
        Ok(())
    }

    /// Returns one checksum of everything in the guest.
    pub(crate) fn identity(&self) -> String {
        checksum_of(self.files.values().map(|file| file.sha256.as_str()))
    }

    /// Writes it into `directory`, where what it lists is, and makes all of that durable.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), LabError> {
        let path = directory.join(FILE_NAME);
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::from);
        text.and_then(|text| {
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            std::io::Write::write_all(&mut file, &text)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            for name in self.files.keys() {
                File::open(directory.join(name))?.sync_all()?;
            }
            File::open(directory)?.sync_all()
        })
        .map_err(LabError::file("write", &path))
    }
}

const FILE_NAME: &str = "manifest.json";

/// Returns size and SHA-256 of a file. Cost: reads it once.
pub(crate) fn checksum(path: &Path) -> Result<Checksum, LabError> {
    let read = || -> std::io::Result<Checksum> {
        let mut file = File::open(path)?;
        let mut hasher = Sha256::new();
        let bytes = std::io::copy(&mut file, &mut HashWriter(&mut hasher))?;
        Ok(Checksum {
            bytes,
            sha256: hexadecimal(&hasher.finalize()),
        })
    };
    read().map_err(LabError::file("read", path))
}

/// Returns the SHA-256 of several texts; where one ends and the next begins counts, too.
pub(crate) fn checksum_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hexadecimal(&hasher.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct HashWriter<'a>(&'a mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_changed_byte_makes_a_guest_damaged_and_another() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root.img");
        std::fs::write(&root, b"all is well").unwrap();
        let files = || BTreeMap::from([("root.img".to_owned(), checksum(&root).unwrap())]);
        let mut manifest = Manifest {
            schema: SCHEMA,
            tool_version: String::new(),
            kernel: "6.1.0-1-cloud-amd64".to_owned(),
            is_default: true,
            recipe_sha256: String::new(),
            sources_sha256: None,
            compiler: String::new(),
            packages: Vec::new(),
            files: files(),
        };
        manifest.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).as_ref(), Some(&manifest));
        manifest.verify(folder.path()).unwrap();
        std::fs::write(&root, b"all is hell").unwrap();
        let error = manifest.verify(folder.path()).unwrap_err();
        assert!(
            error.to_string().ends_with("root.img` is damaged"),
            "{error}"
        );
        let before = manifest.identity();
        manifest.files = files();
        assert_ne!(manifest.identity(), before);
    }
}
