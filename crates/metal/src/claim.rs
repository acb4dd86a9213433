//! The devices that a study may destroy, looked at.

use std::collections::BTreeMap;
use std::path::PathBuf;

use stripewise_study::units::Bytes;
use stripewise_study::world::WorldError;

use crate::build::{kernel_name, size_bytes};

/// A device that is ours for as long as the run lasts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) profile: String,
    /// As the study names it.
    pub(crate) named: PathBuf,
    /// The kernel's name.
    pub(crate) name: String,
    pub(crate) size_bytes: Bytes,
}

/// Looks at the devices of a study.
pub(crate) fn claim(devices: &BTreeMap<String, Vec<PathBuf>>) -> Result<Vec<Claimed>, WorldError> {
    let pairs = devices
        .iter()
        .flat_map(|(profile, paths)| paths.iter().map(move |path| (profile, path)));
    pairs
        .map(|(profile, named)| {
            let name = kernel_name(named);
            let claimed = name.and_then(|name| {
                Some(Claimed {
                    profile: profile.clone(),
                    named: named.clone(),
                    size_bytes: Bytes::new(size_bytes(&name)?),
                    name,
                })
            });
            claimed.ok_or_else(|| WorldError::Failed {
                attempted: format!("`{}` is no block device", named.display()),
                hint: None,
                source: None,
            })
        })
        .collect()
}
