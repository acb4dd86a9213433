//! The files of device and host profiles on this machine, and their entries in a list.
//!
//! [`stripewise_profiles::lookup`] defines the places that are searched.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use stripewise_format::studies::{is_shipped, shipped_text};
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::lookup::{self, FoundProfile, ProfileKind, ProfilePlace, Reader};
use stripewise_profiles::profile_file::TEXT_BYTES_MAX;
use stripewise_report::profiles::ProfileLine;

use crate::failure::{Failure, Result};
use crate::input_file::unreadable_kind;
use crate::inputs;

/// The places on this machine that are searched for profiles.
pub(crate) type Places = lookup::Places<Files>;

/// Reads files of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Files;

impl Reader for Files {
    fn read(&self, path: &Path) -> io::Result<Option<String>> {
        if is_shipped(path) {
            return Ok(shipped_text(path).map(str::to_owned));
        }
        // Opening a named pipe would block until a writer opens it.
        if let Ok(Some(kind)) = unreadable_kind(path) {
            return Err(io::Error::other(kind));
        }
        let file = match inputs::open(path) {
            Ok(file) => file,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let most = u64::try_from(TEXT_BYTES_MAX).unwrap_or(u64::MAX);
        let mut text = String::new();
        file.take(most.saturating_add(1))
            .read_to_string(&mut text)?;
        Ok(Some(text))
    }

    fn toml_files(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        paths
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .collect()
    }
}

/// Returns the places for a study file, if there is one, and the directory of `--profiles`.
pub(crate) fn places(named: Option<&Path>, study: Option<&Path>) -> Result<Places> {
    if let Some(directory) = named
        && !directory.is_dir()
    {
        let shown = directory.display();
        return Err(Failure::new(format!(
            "failed to use `--profiles`: `{shown}` is not a directory"
        ))
        .hint("name the directory that holds `devices/NAME.toml` and `hosts/NAME.toml`"));
    }
    Ok(Places::new(named, study, Files))
}

/// A profile with its entry in a list.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) line: ProfileLine,
    /// The whole file.
    pub(crate) text: String,
    pub(crate) described: Described,
}

/// The content of a profile file.
#[derive(Debug)]
pub(crate) enum Described {
    Device(Box<DeviceProfile>),
    Host(Box<HostProfile>),
}

impl Listed {
    fn new(
        kind: ProfileKind,
        name: &str,
        place: ProfilePlace,
        found: FoundProfile,
    ) -> Result<Self> {
        let described = match kind {
            ProfileKind::Device => Described::Device(Box::new(found.device(name)?)),
            ProfileKind::Host => Described::Host(Box::new(found.host(name)?)),
        };
        let FoundProfile { file, text } = found;
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

/// Reads every profile, devices first; one that cannot be read is an error in its place.
pub(crate) fn list(places: &Places) -> Vec<Result<Listed>> {
    let of = |kind: ProfileKind| {
        let names = places.names(kind).into_iter();
        names.map(move |name| listed(places, kind, &name))
    };
    of(ProfileKind::Device)
        .chain(of(ProfileKind::Host))
        .collect()
}

/// Reads the device, the host or both of a name; none if there is none.
///
/// # Errors
/// If an existing one cannot be read.
pub(crate) fn named(places: &Places, name: &str) -> Result<Vec<Listed>> {
    let kinds = [ProfileKind::Device, ProfileKind::Host].into_iter();
    let kinds = kinds.filter(|kind| places.names(*kind).contains(name));
    kinds.map(|kind| listed(places, kind, name)).collect()
}

fn listed(places: &Places, kind: ProfileKind, name: &str) -> Result<Listed> {
    let (place, found) = places.locate(kind, name)?;
    Listed::new(kind, name, place, found)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn a_profile_that_is_a_named_pipe_is_refused_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("disk.toml");
        mkfifoat(CWD, &pipe, Mode::RUSR).unwrap();
        let refused = Files.read(&pipe).unwrap_err();
        assert_eq!(refused.to_string(), "it is a named pipe");
    }
}
