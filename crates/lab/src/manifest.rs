//! The manifest of a prepared guest: package versions and checksums, stored beside it as JSON.
//!
//! A guest is used only if its recipe is this program's: the list of packages, the boot scripts,
//! the source of the disk module, and the version of how they become a guest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use stripewise_study::limits::{JsonLimits, ListLimit, OURS};

use crate::error::LabError;
use crate::extra::Extra;
use crate::kernel;
use crate::recipe::renamed;

/// The version of the manifest's format; part of every recipe.
pub(crate) const SCHEMA: u32 = 1;

/// The name of its file.
pub(crate) const MANIFEST_FILE: &str = "manifest.json";

/// The largest manifest that we read.
const BYTES_MAX: u64 = 4 << 20;

/// The most packages and files that we read; a guest has about 200 packages and a dozen files.
const LISTED_MAX: usize = 4096;

/// The limits of a manifest.
const LIMITS: JsonLimits = JsonLimits {
    lists: &[&[
        ListLimit::of::<PackageRecord>("packages", LISTED_MAX),
        ListLimit::tree("files", LISTED_MAX),
        ListLimit::tree("extras", LISTED_MAX),
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

/// A package in a guest.
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

/// ZFS in a guest: the modules that were built for its kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZfsBuild {
    /// The version of the package with the source.
    pub version: String,
    /// How long building the modules took, in seconds.
    pub built_in_s: u64,
}

/// The contents of a prepared guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this format.
    pub schema: u32,
    /// The version of the program that made it.
    pub tool_version: String,
    /// The kernel release: `6.1.0-56-cloud-amd64`.
    pub kernel: String,
    /// Whether it is the distribution's default kernel.
    pub is_default: bool,
    /// The checksum of the recipe.
    pub recipe_sha256: String,
    /// The checksum of what the user named as the kernel's source; `None` for the machine's own
    /// package sources.
    pub sources_sha256: Option<String>,
    /// The options of `lab prepare` that name it, with a space before each.
    #[serde(default)]
    pub kernel_options: String,
    /// The suite of the tools; `None` for the machine's own package sources.
    #[serde(default)]
    pub tools: Option<String>,
    /// The compiler that built the disk module.
    pub compiler: String,
    /// What the guest has besides its kernel and tools.
    #[serde(default)]
    pub extras: BTreeSet<Extra>,
    /// How ZFS was built, if the guest has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zfs: Option<ZfsBuild>,
    /// The packages.
    pub packages: Vec<PackageRecord>,
    /// The built files, by name.
    pub files: BTreeMap<String, Checksum>,
}

/// What tells guests of one kernel release apart: where the kernel and the tools come from. A tree or
/// package that changed in its place is still the same source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MadeFrom<'a> {
    /// The options of `lab prepare` that name the kernel's source, with a space before each.
    pub(crate) kernel_options: &'a str,
    /// The suite of the tools.
    pub(crate) tools: Option<&'a str>,
}

impl MadeFrom<'_> {
    /// Returns the options of `lab prepare` that name it, with a space before each.
    pub(crate) fn options(self) -> String {
        let tools = self.tools.map(|suite| format!(" --tools {suite}"));
        self.kernel_options.to_owned() + &tools.unwrap_or_default()
    }

    /// Returns the name of the guest with the kernel `release`: the release, and behind an `@` where it
    /// comes from, unless that is the machine's own package sources.
    pub(crate) fn guest_name(self, release: &str) -> String {
        let kind = |option: &str| self.kernel_options.contains(&format!(" --{option} "));
        let kernel = match self.kernel_options.strip_prefix(" --suite ") {
            _ if self.kernel_options.is_empty() => None,
            Some(suite) if !suite.contains(' ') => Some(suite.to_owned()),
            _ => {
                let kind = ["tree", "package"].into_iter().find(|option| kind(option));
                let sum = checksum_of([self.kernel_options]);
                Some(format!("{}-{}", kind.unwrap_or("sources"), &sum[..8]))
            }
        };
        let tools = self.tools.map(|suite| format!("tools-{suite}"));
        let marks: Vec<String> = kernel.into_iter().chain(tools).collect();
        match marks.is_empty() {
            true => release.to_owned(),
            false => format!("{release}@{}", marks.join("+")),
        }
    }
}

impl Manifest {
    /// Returns the manifest of a guest with this kernel and nothing else, to fill in.
    #[cfg(test)]
    pub(crate) fn of_kernel(release: &str) -> Self {
        Self {
            schema: SCHEMA,
            tool_version: String::new(),
            kernel: release.to_owned(),
            is_default: true,
            recipe_sha256: String::new(),
            sources_sha256: None,
            kernel_options: String::new(),
            tools: None,
            compiler: String::new(),
            extras: BTreeSet::new(),
            zfs: None,
            packages: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// Returns what it is made from.
    pub(crate) fn made_from(&self) -> MadeFrom<'_> {
        MadeFrom {
            kernel_options: &self.kernel_options,
            tools: self.tools.as_deref(),
        }
    }

    /// Returns the version of a package in the guest.
    pub fn version_of(&self, name: &str) -> Option<&str> {
        let found = self.packages.iter().find(|package| package.name == name);
        found.map(|package| package.version.as_str())
    }

    /// Returns whether it has the kernel that `asked` selects, by its release or by the version of its
    /// package: Debian 12 calls Linux 6.1.192 `6.1.0-56-cloud-amd64`.
    pub(crate) fn has_kernel(&self, asked: &str) -> bool {
        let version = self.version_of(&kernel::image_package(&self.kernel));
        kernel::is_selected(&self.kernel, asked)
            || version.is_some_and(|version| kernel::is_selected(version, asked))
    }

    /// Returns the version of an extra; `None` if the guest does not have it.
    pub fn extra_version(&self, extra: Extra) -> Option<&str> {
        let has_it = self.extras.contains(&extra);
        has_it.then(|| extra.version(&self.packages)).flatten()
    }

    /// Reads the manifest of the guest in `directory`; `None` if there is none that is readable.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let file = File::open(directory.join(MANIFEST_FILE)).ok()?;
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text).ok()?;
        let mut manifest: Self = LIMITS.parse(text.as_bytes()).ok()?;
        manifest.recipe_sha256 = renamed(manifest.recipe_sha256);
        (manifest.schema == SCHEMA).then_some(manifest)
    }

    /// Returns whether all files exist in `directory` with their recorded sizes.
    pub(crate) fn is_complete(&self, directory: &Path) -> bool {
        let is_there = |(name, made): (&String, &Checksum)| {
            let is_name = !name.contains('/') && !name.starts_with('.');
            let found = std::fs::metadata(directory.join(name));
            is_name && found.is_ok_and(|file| file.len() == made.bytes)
        };
        self.files.iter().all(is_there)
    }

    /// Returns the first file in `directory` that is missing or differs from its checksum. Cost:
    /// reads the files once.
    pub(crate) fn damaged_file(&self, directory: &Path) -> Option<PathBuf> {
        let mut files = self.files.iter();
        let damaged = files.find(|(name, made)| {
            let found = checksum(&directory.join(name));
            !found.is_ok_and(|found| found == **made)
        });
        damaged.map(|(name, _)| directory.join(name))
    }

    /// Returns one checksum of everything in the guest.
    pub(crate) fn identity(&self) -> String {
        checksum_of(self.files.values().map(|file| file.sha256.as_str()))
    }

    /// Writes the manifest into `directory` and makes it and the listed files durable.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), LabError> {
        let path = directory.join(MANIFEST_FILE);
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

/// Returns the SHA-256 of several texts; the boundaries between them count, too.
pub(crate) fn checksum_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hexadecimal(&hasher.finalize())
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
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
    fn a_guest_is_named_by_its_release_and_where_it_comes_from() {
        let name = |kernel_options, tools| {
            let made_from = MadeFrom {
                kernel_options,
                tools,
            };
            made_from.guest_name("6.12.95-cloud-amd64")
        };
        assert_eq!(name("", None), "6.12.95-cloud-amd64");
        assert_eq!(name("", Some("sid")), "6.12.95-cloud-amd64@tools-sid");
        assert_eq!(
            name(" --suite sid", Some("forky")),
            "6.12.95-cloud-amd64@sid+tools-forky"
        );
        let tree = name(" --tree /srv/tree", None);
        assert!(tree.starts_with("6.12.95-cloud-amd64@tree-"), "{tree}");
        assert_ne!(tree, name(" --tree /srv/other", None));
        let package = name(" --suite sid --package /srv/image.deb", None);
        assert!(package.contains("@package-"), "{package}");
        assert!(name(" --sources /srv/my.list", None).contains("@sources-"));
    }

    #[test]
    fn one_changed_byte_damages_a_guest_and_changes_its_identity() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root.img");
        std::fs::write(&root, b"all is well").unwrap();
        let files = || BTreeMap::from([("root.img".to_owned(), checksum(&root).unwrap())]);
        let mut manifest = Manifest {
            files: files(),
            ..Manifest::of_kernel("6.1.0-1-cloud-amd64")
        };
        manifest.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).as_ref(), Some(&manifest));
        assert_eq!(manifest.damaged_file(folder.path()), None);
        std::fs::write(&root, b"all is hell").unwrap();
        assert_eq!(manifest.damaged_file(folder.path()), Some(root.clone()));
        assert!(manifest.is_complete(folder.path()));
        std::fs::write(&root, b"all is").unwrap();
        assert!(!manifest.is_complete(folder.path()));
        std::fs::write(&root, b"all is hell").unwrap();
        let before = manifest.identity();
        manifest.files = files();
        assert_ne!(manifest.identity(), before);
    }
}
