//! The shipped profiles: `devices/` and `hosts/` at the root of the workspace.
//!
//! They are embedded as text and parsed on request, so that unused ones cost nothing. A test of the
//! command line compares the lists with the folders.

/// A profile embedded when the program was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its name, equal to its file's.
    pub name: &'static str,
    /// The file, from the root of the workspace.
    pub file: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

/// Returns the profile `name` in the folder `folder`.
macro_rules! shipped {
    ($folder:literal, $name:literal) => {
        Shipped {
            name: $name,
            file: concat!($folder, "/", $name, ".toml"),
            text: include_str!(concat!("../../../", $folder, "/", $name, ".toml")),
        }
    };
}

/// The shipped device profiles, by name.
pub const DEVICES: &[Shipped] = &[
    shipped!("devices", "flash-sata"),
    shipped!("devices", "four-ssd-sata"),
    shipped!("devices", "hdd-5400"),
    shipped!("devices", "hdd-7200"),
    shipped!("devices", "hgst-7k4000"),
    shipped!("devices", "intel-p4500"),
    shipped!("devices", "micron-1100-m2"),
    shipped!("devices", "nvme-ssd"),
    shipped!("devices", "samsung-850-evo-500"),
    shipped!("devices", "sata-ssd"),
];

/// The shipped host profiles, by name.
pub const HOSTS: &[Shipped] = &[
    shipped!("hosts", "default"),
    shipped!("hosts", "desktop-2022"),
    shipped!("hosts", "i7-6700k"),
    shipped!("hosts", "i7-6700k-no-hwp"),
    shipped!("hosts", "lab"),
    shipped!("hosts", "server-2021"),
];
