//! Finds device and host profiles: in `--profiles DIR`, beside the study, in the program.
//!
//! A profile `NAME` is the file `NAME.toml`, in the folder `devices` or `hosts` of a place; the
//! directory of `--profiles` may hold both kinds directly, where a host profile is one with a
//! `[cpu]` table. The first place with the name wins. Only profiles that a study names are read,
//! through a [`Reader`] of the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_study::plan::Study;

use crate::device::DeviceProfile;
use crate::host::HostProfile;
use crate::profile_file::{ProfileFileError, device_from_toml, host_from_toml, is_name};
use crate::profiles::{DifferentHosts, HOST_DEFAULT, NoSuchProfile, Profiles, device_with_host};
use crate::shipped::{self, Shipped};

/// The kind of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileKind {
    /// A disk.
    Device,
    /// A CPU and the path to the disks.
    Host,
}

impl ProfileKind {
    /// Returns the kind as a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            ProfileKind::Device => "device",
            ProfileKind::Host => "host",
        }
    }

    /// Returns the folder of the kind.
    const fn folder(self) -> &'static str {
        match self {
            ProfileKind::Device => "devices",
            ProfileKind::Host => "hosts",
        }
    }

    /// Returns the shipped profiles of the kind.
    const fn shipped(self) -> &'static [Shipped] {
        match self {
            ProfileKind::Device => shipped::DEVICES,
            ProfileKind::Host => shipped::HOSTS,
        }
    }
}

/// The place where a profile was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfilePlace {
    /// In the directory of `--profiles`.
    Named,
    /// Beside the study.
    Study,
    /// In the program itself.
    Shipped,
}

/// Reads the files of profiles.
pub trait Reader {
    /// Returns the text of a file; `None` if it does not exist.
    ///
    /// For a file larger than [`TEXT_BYTES_MAX`](crate::profile_file::TEXT_BYTES_MAX) it returns at
    /// least one byte more than that, and the caller refuses it.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    fn read(&self, path: &Path) -> io::Result<Option<String>>;

    /// Returns the TOML files in a folder; none if it cannot be read.
    fn toml_files(&self, folder: &Path) -> Vec<PathBuf>;
}

/// A profile cannot be found or used.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// No profile can have that name.
    #[error("`{name}` is not a valid name for a {kind} profile", kind = kind.as_str())]
    Name {
        /// The requested kind.
        kind: ProfileKind,
        /// The name.
        name: String,
    },
    /// A file exists and cannot be read.
    #[error("failed to read profile `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No place has it.
    #[error(transparent)]
    Unknown(#[from] NoSuchProfile),
    /// Its text describes no profile.
    #[error("failed to read {kind} profile `{name}`", kind = kind.as_str())]
    Broken {
        /// The requested kind.
        kind: ProfileKind,
        /// Its name.
        name: String,
        /// The problem.
        source: ProfileFileError,
    },
    /// Its text describes another profile.
    #[error(
        "failed to read {kind} profile `{name}`: `{file}` has `name = \"{says}\"`, which is not the name of the file",
        kind = kind.as_str()
    )]
    OtherName {
        /// The requested kind.
        kind: ProfileKind,
        /// The name of the file.
        name: String,
        /// The file.
        file: String,
        /// The name in it.
        says: String,
    },
    /// The devices of a study were fitted with different hosts, and it names none.
    #[error(transparent)]
    Hosts(#[from] DifferentHosts),
    /// The host with which a device profile was fitted cannot be had.
    #[error("device profile `{device}` was fitted with host `{host}`")]
    FittedHost {
        /// The device.
        device: String,
        /// The host.
        host: String,
        /// The problem with it.
        source: Box<LookupError>,
    },
    /// A stack needs it.
    #[error("stack `{stack}`")]
    Stack {
        /// The name of the stack.
        stack: String,
        /// The problem with its profile.
        source: Box<LookupError>,
    },
}

impl LookupError {
    /// Returns how to solve it, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            LookupError::Name { .. } => Some(
                "use letters, digits, `-`, `_` and `.`; `--profiles DIR` sets where to look"
                    .to_owned(),
            ),
            LookupError::Read { .. } => None,
            LookupError::Unknown(error) => Some(error.hint()),
            LookupError::Broken { .. } => Some("docs/profiles.md describes every key".to_owned()),
            LookupError::OtherName { name, says, .. } => Some(format!(
                "rename the file to `{says}.toml`, or write `name = \"{name}\"` in it"
            )),
            LookupError::Hosts(_) => Some(
                "name the host (`--host`, or `host` in the study); the answer then warns of points that are missed"
                    .to_owned(),
            ),
            LookupError::FittedHost { host, .. } => Some(format!(
                "put `{host}.toml`, which `stripewise calibrate` wrote beside the device, into `hosts/` beside `devices/`, or name another host: the device's own points are then missed"
            )),
            LookupError::Stack { source, .. } => source.hint(),
        }
    }
}

/// A profile as found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundProfile {
    /// Its file.
    pub file: String,
    /// The whole file.
    pub text: String,
}

/// The profiles that a study names, as text. They are stored with a run so that it can be repeated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Texts {
    /// Device profiles by name.
    pub devices: BTreeMap<String, FoundProfile>,
    /// The host profile by its name.
    pub hosts: BTreeMap<String, FoundProfile>,
}

/// The places of profiles, in the order of the search; the program is the last.
#[derive(Debug, Clone, Default)]
pub struct Places<R> {
    /// The directory of `--profiles`.
    named: Option<PathBuf>,
    /// The directory of the study file.
    beside: Option<PathBuf>,
    reader: R,
}

impl<R: Reader> Places<R> {
    /// Returns the places for a study file, if there is one, and the directory of `--profiles`.
    pub fn new(named: Option<&Path>, study: Option<&Path>, reader: R) -> Self {
        let beside = study.filter(|path| *path != Path::new("-"));
        Self {
            named: named.map(Path::to_owned),
            beside: beside.map(|path| path.parent().unwrap_or(Path::new("")).to_owned()),
            reader,
        }
    }

    /// Returns the name of the host for `study`: the one that it names, else the one with which the
    /// profiles of its devices were fitted, else the default one.
    ///
    /// # Errors
    /// If a device profile cannot be read, two were fitted with different hosts, or theirs is not
    /// there.
    pub fn host_for(&self, study: &Study) -> Result<String, LookupError> {
        if let Some(host) = &study.host {
            return Ok(host.clone());
        }
        let groups = study.cells.iter().flat_map(|cell| &cell.stack.devices);
        let names: BTreeSet<&str> = groups.map(|group| group.profile.as_str()).collect();
        let mut profiles = Vec::new();
        for name in names {
            profiles.push(self.find(ProfileKind::Device, name)?.device(name)?);
        }
        let Some(device) = device_with_host(profiles.iter())? else {
            return Ok(HOST_DEFAULT.to_owned());
        };
        let host = device.host.clone().unwrap_or_default();
        match self.find(ProfileKind::Host, &host) {
            Ok(_) => Ok(host),
            Err(source) => Err(LookupError::FittedHost {
                device: device.name.clone(),
                host,
                source: Box::new(source),
            }),
        }
    }

    /// Reads the profiles that `study` names, and the host profile `host` or the default one.
    ///
    /// # Errors
    /// For the first profile that is unknown or cannot be read.
    pub fn read(&self, study: &Study, host: Option<&str>) -> Result<Texts, LookupError> {
        let mut texts = Texts::default();
        let groups = study.cells.iter().flat_map(|cell| &cell.stack.devices);
        for group in groups {
            if !texts.devices.contains_key(&group.profile) {
                let found = self.find(ProfileKind::Device, &group.profile)?;
                texts.devices.insert(group.profile.clone(), found);
            }
        }
        let host = host.unwrap_or(HOST_DEFAULT);
        texts
            .hosts
            .insert(host.to_owned(), self.find(ProfileKind::Host, host)?);
        Ok(texts)
    }

    /// Checks that every profile that `study` names exists.
    ///
    /// The devices under `[may_destroy]` are real: their profile need not exist.
    ///
    /// # Errors
    /// For the first name that is unknown.
    pub fn check(&self, study: &Study) -> Result<(), LookupError> {
        let mut seen = BTreeSet::new();
        for cell in &study.cells {
            for group in &cell.stack.devices {
                let name = group.profile.as_str();
                if !study.may_destroy.contains_key(name) && seen.insert(name) {
                    let found = self.find(ProfileKind::Device, name);
                    found.map_err(|error| LookupError::Stack {
                        stack: cell.stack.name.clone(),
                        source: Box::new(error),
                    })?;
                }
            }
        }
        if let Some(host) = &study.host {
            self.find(ProfileKind::Host, host)?;
        }
        Ok(())
    }

    /// Reads all available profiles.
    ///
    /// # Errors
    /// If a profile that a study could name cannot be read, or is invalid.
    pub fn all(&self) -> Result<Profiles, LookupError> {
        let mut texts = Texts::default();
        for name in self.names(ProfileKind::Device) {
            let found = self.find(ProfileKind::Device, &name)?;
            texts.devices.insert(name, found);
        }
        for name in self.names(ProfileKind::Host) {
            let found = self.find(ProfileKind::Host, &name)?;
            texts.hosts.insert(name, found);
        }
        texts.parse()
    }

    /// Reads the profile `name` of a kind, and returns where it was found.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn locate(
        &self,
        kind: ProfileKind,
        name: &str,
    ) -> Result<(ProfilePlace, FoundProfile), LookupError> {
        if !is_name(name) {
            let name = name.to_owned();
            return Err(LookupError::Name { kind, name });
        }
        for (place, path) in self.files(kind, name) {
            if let Some(text) = self.text_of(&path)? {
                let is_of_kind = path.parent() != self.named.as_deref() || is(kind, &text);
                if is_of_kind {
                    let file = path.display().to_string();
                    return Ok((place, FoundProfile { file, text }));
                }
            }
        }
        let mut shipped = kind.shipped().iter();
        match shipped.find(|shipped| shipped.name == name) {
            Some(shipped) => {
                let (file, text) = (shipped.file.to_owned(), shipped.text.to_owned());
                Ok((ProfilePlace::Shipped, FoundProfile { file, text }))
            }
            None => Err(self.unknown(kind, name)),
        }
    }

    fn find(&self, kind: ProfileKind, name: &str) -> Result<FoundProfile, LookupError> {
        self.locate(kind, name).map(|(_, found)| found)
    }

    /// Returns the files that may hold a profile, in order of preference.
    fn files(&self, kind: ProfileKind, name: &str) -> Vec<(ProfilePlace, PathBuf)> {
        let file = format!("{name}.toml");
        let mut files = Vec::new();
        if let Some(named) = &self.named {
            let of_kind = named.join(kind.folder()).join(&file);
            files.push((ProfilePlace::Named, of_kind));
            files.push((ProfilePlace::Named, named.join(&file)));
        }
        if let Some(beside) = &self.beside {
            let of_kind = beside.join(kind.folder()).join(&file);
            files.push((ProfilePlace::Study, of_kind));
        }
        files
    }

    /// Returns the names that a study can use.
    pub fn names(&self, kind: ProfileKind) -> BTreeSet<String> {
        let shipped = kind.shipped().iter().map(|shipped| shipped.name.to_owned());
        let mut names: BTreeSet<String> = shipped.collect();
        let folders = [&self.named, &self.beside].into_iter().flatten();
        let folders = folders.map(|place| place.join(kind.folder()));
        for path in folders.flat_map(|folder| self.reader.toml_files(&folder)) {
            names.extend(
                path.file_stem()
                    .and_then(|name| name.to_str())
                    .map(str::to_owned),
            );
        }
        for path in self
            .named
            .iter()
            .flat_map(|folder| self.reader.toml_files(folder))
        {
            let text = self.reader.read(&path).ok().flatten();
            if text.is_some_and(|text| is(kind, &text) && is_profile(&text)) {
                names.extend(
                    path.file_stem()
                        .and_then(|name| name.to_str())
                        .map(str::to_owned),
                );
            }
        }
        names.retain(|name| is_name(name));
        names
    }

    fn unknown(&self, kind: ProfileKind, name: &str) -> LookupError {
        LookupError::Unknown(NoSuchProfile {
            kind: kind.as_str(),
            name: name.to_owned(),
            known: self.names(kind).into_iter().collect(),
        })
    }

    fn text_of(&self, path: &Path) -> Result<Option<String>, LookupError> {
        self.reader.read(path).map_err(|source| LookupError::Read {
            path: path.to_owned(),
            source,
        })
    }
}

impl FoundProfile {
    /// Returns the device profile `name` that the text describes.
    ///
    /// # Errors
    /// If it describes none, or one of another name.
    pub fn device(&self, name: &str) -> Result<DeviceProfile, LookupError> {
        let profile = device_from_toml(&self.file, &self.text);
        let profile = profile.map_err(|source| broken(ProfileKind::Device, name, source))?;
        check_name(ProfileKind::Device, name, &profile.name, self)?;
        Ok(profile)
    }

    /// Returns the host profile `name` that the text describes.
    ///
    /// # Errors
    /// If it describes none, or one of another name.
    pub fn host(&self, name: &str) -> Result<HostProfile, LookupError> {
        let profile = host_from_toml(&self.file, &self.text);
        let profile = profile.map_err(|source| broken(ProfileKind::Host, name, source))?;
        check_name(ProfileKind::Host, name, &profile.name, self)?;
        Ok(profile)
    }
}

impl Texts {
    /// Returns the directory of `--profiles` with which the same profiles are found again: that of the
    /// first file that is none of the shipped ones; `None` if all are shipped.
    pub fn directory(&self) -> Option<PathBuf> {
        let devices = self.devices.iter().map(|one| (ProfileKind::Device, one));
        let hosts = self.hosts.iter().map(|one| (ProfileKind::Host, one));
        devices.chain(hosts).find_map(|(kind, (name, found))| {
            // A file of this name in the working directory is found again, too.
            let is_it = |shipped: &Shipped| shipped.file == found.file && shipped.name == *name;
            if kind.shipped().iter().any(is_it) {
                return None;
            }
            let folder = Path::new(&found.file).parent()?;
            let place = match folder.ends_with(kind.folder()) {
                true => folder.parent()?,
                false => folder,
            };
            let here = place.as_os_str().is_empty();
            Some(if here { Path::new(".") } else { place }.to_owned())
        })
    }

    /// Returns the profiles that the texts describe.
    ///
    /// # Errors
    /// For the first text that describes none, or one of another name.
    pub fn parse(&self) -> Result<Profiles, LookupError> {
        let mut profiles = Profiles::default();
        for (name, found) in &self.devices {
            profiles.devices.insert(name.clone(), found.device(name)?);
        }
        for (name, found) in &self.hosts {
            profiles.hosts.insert(name.clone(), found.host(name)?);
        }
        Ok(profiles)
    }
}

fn broken(kind: ProfileKind, name: &str, source: ProfileFileError) -> LookupError {
    let name = name.to_owned();
    LookupError::Broken { kind, name, source }
}

fn check_name(
    kind: ProfileKind,
    name: &str,
    says: &str,
    found: &FoundProfile,
) -> Result<(), LookupError> {
    if says == name {
        return Ok(());
    }
    Err(LookupError::OtherName {
        kind,
        name: name.to_owned(),
        file: found.file.clone(),
        says: says.to_owned(),
    })
}

/// Returns whether a TOML file among others, such as studies, is a profile.
fn is_profile(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with("schema"))
}

/// Returns whether a profile outside the folders of a kind is of `kind`.
fn is(kind: ProfileKind, text: &str) -> bool {
    let is_host = text.lines().any(|line| {
        line.split('#')
            .next()
            .is_some_and(|line| line.trim() == "[cpu]")
    });
    is_host == (kind == ProfileKind::Host)
}

#[cfg(test)]
#[path = "lookup_tests.rs"]
mod tests;
