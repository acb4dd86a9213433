//! The profiles that a simulation can use: devices and hosts, by name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use stripewise_study::stack::Stack;
use stripewise_units::suggest::nearest;

use crate::basis::Basis;
use crate::device::DeviceProfile;
use crate::host::HostProfile;
use crate::profile_file::{device_from_toml, host_from_toml};
use crate::shipped::{self, Shipped};

/// The host profile for hosts without measurements.
pub const HOST_DEFAULT: &str = "default";

/// Device and host profiles by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profiles {
    /// Devices.
    pub devices: BTreeMap<String, DeviceProfile>,
    /// Hosts.
    pub hosts: BTreeMap<String, HostProfile>,
}

/// No profile has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} profile `{name}`")]
pub struct NoSuchProfile {
    /// `device` or `host`.
    pub kind: &'static str,
    /// The requested name.
    pub name: String,
    /// The available names.
    pub known: Vec<String>,
}

impl NoSuchProfile {
    /// Returns how to solve it.
    pub fn hint(&self) -> String {
        let near = nearest(&self.name, self.known.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |name| format!("did you mean `{name}`? "));
        let known: Vec<String> = self.known.iter().map(|name| format!("`{name}`")).collect();
        format!(
            "{near}known profiles: {}; `stripewise profiles` describes them, and `stripewise calibrate` makes one from measurements",
            known.join(", ")
        )
    }
}

/// Two devices whose profiles were fitted with different hosts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "device profile `{}` was fitted with host `{}`, and `{}` with `{}`",
    devices[0], hosts[0], devices[1], hosts[1]
)]
pub struct DifferentHosts {
    /// The devices.
    pub devices: [String; 2],
    /// Their hosts.
    pub hosts: [String; 2],
}

/// Returns the first device whose host is that of all `devices`, if any names one. What was measured
/// counts before the hosts of classes and data sheets.
///
/// # Errors
/// If two that count alike were fitted with different hosts.
pub fn device_with_host<'a>(
    devices: impl Iterator<Item = &'a DeviceProfile> + Clone,
) -> Result<Option<&'a DeviceProfile>, DifferentHosts> {
    for is_measured in [true, false] {
        let alike = devices.clone().filter(|device| device.host.is_some());
        let mut alike = alike.filter(|one| (one.basis == Some(Basis::Measured)) == is_measured);
        let Some(first) = alike.next() else {
            continue;
        };
        return match alike.find(|other| other.host != first.host) {
            None => Ok(Some(first)),
            Some(other) => Err(DifferentHosts {
                devices: [first, other].map(|device| device.name.clone()),
                hosts: [first, other].map(|device| device.host.clone().unwrap_or_default()),
            }),
        };
    }
    Ok(None)
}

impl Profiles {
    /// Returns all shipped profiles; their files are parsed once a process.
    ///
    /// # Panics
    /// Never: a test reads each of them.
    pub fn shipped() -> Self {
        static PARSED: LazyLock<Profiles> = LazyLock::new(Profiles::parse_shipped);
        PARSED.clone()
    }

    fn parse_shipped() -> Self {
        let device = |shipped: &Shipped| {
            let profile = device_from_toml(shipped.file, shipped.text);
            let profile = profile.expect("a test reads every shipped device profile");
            (shipped.name.to_owned(), profile)
        };
        let host = |shipped: &Shipped| {
            let profile = host_from_toml(shipped.file, shipped.text);
            let profile = profile.expect("a test reads every shipped host profile");
            (shipped.name.to_owned(), profile)
        };
        Self {
            devices: shipped::DEVICES.iter().map(device).collect(),
            hosts: shipped::HOSTS.iter().map(host).collect(),
        }
    }

    /// Returns the device profile `name`.
    ///
    /// # Errors
    /// [`NoSuchProfile`], with the names that exist.
    pub fn device(&self, name: &str) -> Result<&DeviceProfile, NoSuchProfile> {
        self.devices.get(name).ok_or_else(|| NoSuchProfile {
            kind: "device",
            name: name.to_owned(),
            known: self.devices.keys().cloned().collect(),
        })
    }

    /// Returns the host profile `name`, or the default one.
    ///
    /// # Errors
    /// [`NoSuchProfile`], with the names that exist.
    pub fn host(&self, name: Option<&str>) -> Result<&HostProfile, NoSuchProfile> {
        let name = name.unwrap_or(HOST_DEFAULT);
        self.hosts.get(name).ok_or_else(|| NoSuchProfile {
            kind: "host",
            name: name.to_owned(),
            known: self.hosts.keys().cloned().collect(),
        })
    }

    /// Returns the profiles of a stack's devices, one for each device.
    ///
    /// # Errors
    /// [`NoSuchProfile`] for the first name that is unknown.
    pub fn devices_of(&self, stack: &Stack) -> Result<Vec<&DeviceProfile>, NoSuchProfile> {
        let mut devices = Vec::new();
        for group in &stack.devices {
            let profile = self.device(&group.profile)?;
            devices.extend((0..group.count.get()).map(|_| profile));
        }
        Ok(devices)
    }
}
