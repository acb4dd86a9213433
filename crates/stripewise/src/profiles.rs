//! Where device and host profiles are found: `--profiles DIR`, beside the study, in the program.
//!
//! A profile `NAME` is the file `NAME.toml`, in the folder `devices` or `hosts` of a place; the
//! directory of `--profiles` may hold both kinds directly, a host profile being one with a `[cpu]`
//! table. The first place that has the name wins. Only profiles that a study names are read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_report::profiles::{ProfileKind as Kind, ProfileLine, ProfilePlace};
use stripewise_sim::device::profile::DeviceProfile;
use stripewise_sim::host::HostProfile;
use stripewise_sim::profile_file::{TEXT_BYTES_MAX, device_from_toml, host_from_toml};
use stripewise_sim::profiles::{HOST_DEFAULT, NoSuchProfile, Profiles};
use stripewise_sim::shipped::{self, Shipped};
use stripewise_study::plan::Study;

use crate::failure::{Failure, Result};

/// Returns the folder of the profiles of a kind.
const fn folder(kind: Kind) -> &'static str {
    match kind {
        Kind::Device => "devices",
        Kind::Host => "hosts",
    }
}

/// Returns the profiles of a kind that come with the program.
const fn shipped_of(kind: Kind) -> &'static [Shipped] {
    match kind {
        Kind::Device => shipped::DEVICES,
        Kind::Host => shipped::HOSTS,
    }
}

/// A profile as it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The file it is from.
    pub(crate) file: String,
    /// The whole file.
    pub(crate) text: String,
}

/// The profiles that a study names, as text: what is kept with a run so that it can be repeated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Texts {
    /// Device profiles by name.
    pub(crate) devices: BTreeMap<String, Found>,
    /// The host profile by its name.
    pub(crate) hosts: BTreeMap<String, Found>,
}

/// A profile, with what a list says of it.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) line: ProfileLine,
    /// The whole file.
    pub(crate) text: String,
    pub(crate) described: Described,
}

/// What a file describes.
#[derive(Debug)]
pub(crate) enum Described {
    Device(Box<DeviceProfile>),
    Host(Box<HostProfile>),
}

impl Listed {
    fn new(kind: Kind, name: &str, place: ProfilePlace, found: Found) -> Result<Self> {
        let mut texts = Texts::default();
        let of_kind = match kind {
            Kind::Device => &mut texts.devices,
            Kind::Host => &mut texts.hosts,
        };
        of_kind.insert(name.to_owned(), found.clone());
        let Profiles { devices, hosts } = texts.parse()?;
        let devices = devices
            .into_values()
            .map(|one| Described::Device(Box::new(one)));
        let hosts = hosts
            .into_values()
            .map(|one| Described::Host(Box::new(one)));
        let described = devices.chain(hosts).next();
        let described = described.expect("what was put in was read");
        let Found { file, text } = found;
        let (description, source, basis) = match &described {
            Described::Device(one) => (&one.description, &one.source, one.basis),
            Described::Host(one) => (&one.description, &one.source, one.basis),
        };
        let (capacity_bytes, points) = match &described {
            Described::Device(one) => (Some(one.capacity_bytes), one.points.len()),
            Described::Host(_) => (None, 0),
        };
        let line = ProfileLine {
            kind,
            name: name.to_owned(),
            description: description.clone(),
            capacity_bytes,
            basis,
            points,
            source: source.clone(),
            place,
            file,
        };
        Ok(Self {
            line,
            text,
            described,
        })
    }
}

/// The places where profiles are looked for, the program itself last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// The directory of `--profiles`.
    named: Option<PathBuf>,
    /// The directory of the study file.
    beside: Option<PathBuf>,
}

impl Places {
    /// Returns the places for a study file, if there is one, and the directory of `--profiles`.
    pub(crate) fn new(named: Option<&Path>, study: Option<&Path>) -> Result<Self> {
        if let Some(directory) = named
            && !directory.is_dir()
        {
            let shown = directory.display();
            return Err(Failure::new(format!(
                "failed to use `--profiles`: `{shown}` is not a directory"
            ))
            .hint("name the directory that holds `devices/NAME.toml` and `hosts/NAME.toml`"));
        }
        let beside = study.filter(|path| *path != Path::new("-"));
        Ok(Self {
            named: named.map(Path::to_owned),
            beside: beside.map(|path| path.parent().unwrap_or(Path::new("")).to_owned()),
        })
    }

    /// Reads the profiles that `study` names, and the host profile `host` or the default one.
    pub(crate) fn read(&self, study: &Study, host: Option<&str>) -> Result<Texts> {
        let mut texts = Texts::default();
        let groups = study.cells.iter().flat_map(|cell| &cell.stack.devices);
        for group in groups {
            if !texts.devices.contains_key(&group.profile) {
                let found = self.find(Kind::Device, &group.profile)?;
                texts.devices.insert(group.profile.clone(), found);
            }
        }
        let host = host.unwrap_or(HOST_DEFAULT);
        texts
            .hosts
            .insert(host.to_owned(), self.find(Kind::Host, host)?);
        Ok(texts)
    }

    /// Makes sure that every profile that `study` names is there.
    ///
    /// The devices under `[may_destroy]` stand for themselves: their profile need not be known.
    ///
    /// # Errors
    /// For the first name that is unknown.
    pub(crate) fn check(&self, study: &Study) -> Result<()> {
        let mut seen = BTreeSet::new();
        for cell in &study.cells {
            for group in &cell.stack.devices {
                let name = group.profile.as_str();
                if !study.may_destroy.contains_key(name) && seen.insert(name) {
                    let found = self.find(Kind::Device, name);
                    found.map_err(|failure| {
                        failure.context(format!("stack `{}`", cell.stack.name))
                    })?;
                }
            }
        }
        if let Some(host) = &study.host {
            self.find(Kind::Host, host)?;
        }
        Ok(())
    }

    /// Reads all profiles there are.
    ///
    /// # Errors
    /// If one that a study could name cannot be read, or describes nothing.
    pub(crate) fn all(&self) -> Result<Profiles> {
        let mut texts = Texts::default();
        for name in self.names(Kind::Device) {
            let found = self.find(Kind::Device, &name)?;
            texts.devices.insert(name, found);
        }
        for name in self.names(Kind::Host) {
            let found = self.find(Kind::Host, &name)?;
            texts.hosts.insert(name, found);
        }
        texts.parse()
    }

    /// Reads every profile there is, devices first; what cannot be read is an error in its place.
    pub(crate) fn list(&self) -> Vec<Result<Listed>> {
        let of = |kind: Kind| {
            let names = self.names(kind).into_iter();
            names.map(move |name| self.listed(kind, &name))
        };
        of(Kind::Device).chain(of(Kind::Host)).collect()
    }

    /// Reads the device, the host or both of a name; none if there is none.
    ///
    /// # Errors
    /// If one that is there cannot be read.
    pub(crate) fn named(&self, name: &str) -> Result<Vec<Listed>> {
        let kinds = [Kind::Device, Kind::Host].into_iter();
        let kinds = kinds.filter(|kind| self.names(*kind).contains(name));
        kinds.map(|kind| self.listed(kind, name)).collect()
    }

    fn listed(&self, kind: Kind, name: &str) -> Result<Listed> {
        let (place, found) = self.locate(kind, name)?;
        Listed::new(kind, name, place, found)
    }

    fn find(&self, kind: Kind, name: &str) -> Result<Found> {
        self.locate(kind, name).map(|(_, found)| found)
    }

    /// Returns the first profile of a name, and where it is.
    fn locate(&self, kind: Kind, name: &str) -> Result<(ProfilePlace, Found)> {
        if !is_name(name) {
            let message = format!("`{name}` is no name of a {} profile", kind.as_str());
            return Err(Failure::new(message).hint(
                "use letters, digits, `-`, `_` and `.`; `--profiles DIR` says where to look",
            ));
        }
        for (place, path) in self.files(kind, name) {
            if let Some(text) = read(&path)? {
                let is_of_kind = path.parent() != self.named.as_deref() || is(kind, &text);
                if is_of_kind {
                    let file = path.display().to_string();
                    return Ok((place, Found { file, text }));
                }
            }
        }
        let mut shipped = shipped_of(kind).iter();
        match shipped.find(|shipped| shipped.name == name) {
            Some(shipped) => {
                let (file, text) = (shipped.file.to_owned(), shipped.text.to_owned());
                Ok((ProfilePlace::Shipped, Found { file, text }))
            }
            None => Err(self.unknown(kind, name)),
        }
    }

    /// Returns the files that may hold a profile, the first choice first.
    fn files(&self, kind: Kind, name: &str) -> Vec<(ProfilePlace, PathBuf)> {
        let file = format!("{name}.toml");
        let mut files = Vec::new();
        if let Some(named) = &self.named {
            let of_kind = named.join(folder(kind)).join(&file);
            files.push((ProfilePlace::Named, of_kind));
            files.push((ProfilePlace::Named, named.join(&file)));
        }
        if let Some(beside) = &self.beside {
            let of_kind = beside.join(folder(kind)).join(&file);
            files.push((ProfilePlace::Study, of_kind));
        }
        files
    }

    /// Returns the names that a study can use.
    fn names(&self, kind: Kind) -> BTreeSet<String> {
        let shipped = shipped_of(kind)
            .iter()
            .map(|shipped| shipped.name.to_owned());
        let mut names: BTreeSet<String> = shipped.collect();
        let folders = [&self.named, &self.beside].into_iter().flatten();
        let folders = folders.map(|place| place.join(folder(kind)));
        for path in folders.flat_map(|folder| toml_files(&folder)) {
            names.extend(
                path.file_stem()
                    .and_then(|name| name.to_str())
                    .map(str::to_owned),
            );
        }
        for path in self.named.iter().flat_map(|folder| toml_files(folder)) {
            let text = read(&path).ok().flatten();
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

    fn unknown(&self, kind: Kind, name: &str) -> Failure {
        let error = NoSuchProfile {
            kind: kind.as_str(),
            name: name.to_owned(),
            known: self.names(kind).into_iter().collect(),
        };
        Failure::new(&error).hint(error.hint())
    }
}

impl Texts {
    /// Returns the profiles that the texts describe.
    pub(crate) fn parse(&self) -> Result<Profiles> {
        let mut profiles = Profiles::default();
        for (name, found) in &self.devices {
            let profile = device_from_toml(&found.file, &found.text);
            let profile = profile.map_err(|error| broken(Kind::Device, name, error))?;
            check_name(Kind::Device, name, &profile.name, found)?;
            profiles.devices.insert(name.clone(), profile);
        }
        for (name, found) in &self.hosts {
            let profile = host_from_toml(&found.file, &found.text);
            let profile = profile.map_err(|error| broken(Kind::Host, name, error))?;
            check_name(Kind::Host, name, &profile.name, found)?;
            profiles.hosts.insert(name.clone(), profile);
        }
        Ok(profiles)
    }
}

fn broken(kind: Kind, name: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new(error)
        .context(format!("failed to read {} profile `{name}`", kind.as_str()))
        .hint("docs/profiles.md describes every key")
}

fn check_name(kind: Kind, name: &str, says: &str, found: &Found) -> Result<()> {
    if says == name {
        return Ok(());
    }
    let file = &found.file;
    let message = format!(
        "failed to read {} profile `{name}`: `{file}` says that its name is `{says}`",
        kind.as_str()
    );
    Err(Failure::new(message).hint(format!(
        "rename the file to `{says}.toml`, or write `name = \"{name}\"` in it"
    )))
}

/// Returns whether `name` can be a file's name without leading anywhere else.
pub(crate) fn is_name(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&name.len()) && name.chars().all(is_word) && !name.starts_with('.')
}

/// Returns the TOML files in a folder; none if it cannot be read.
fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect()
}

/// Returns whether a TOML file that lies among others, such as studies, is meant as a profile.
fn is_profile(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with("schema"))
}

/// Returns whether a profile that lies in no folder of its kind is one of `kind`.
fn is(kind: Kind, text: &str) -> bool {
    let is_host = text.lines().any(|line| {
        line.split('#')
            .next()
            .is_some_and(|line| line.trim() == "[cpu]")
    });
    is_host == (kind == Kind::Host)
}

/// Reads a file if it is there; one byte more than a profile may have, and the parser says so.
fn read(path: &Path) -> Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(path, error)),
    };
    let most = u64::try_from(TEXT_BYTES_MAX).unwrap_or(u64::MAX);
    let mut text = String::new();
    file.take(most.saturating_add(1))
        .read_to_string(&mut text)
        .map_err(|error| unreadable(path, error))?;
    Ok(Some(text))
}

fn unreadable(path: &Path, error: std::io::Error) -> Failure {
    Failure::from(error).context(format!("failed to read profile `{}`", path.display()))
}
