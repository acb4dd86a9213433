//! The machine as a whole: kernel, distribution, hypervisor, board, memory; and all facts together.

use std::collections::BTreeMap;
use std::path::Path;

use stripewise_study::facts::{Facts, HYPERVISOR_UNNAMED};
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::disks::filesystems;
use crate::mounts::mounts;
use crate::root::{Root, clean_word};
use crate::source::{Fact, Missing, Source, Text};
use crate::target::Target;
use crate::{arrays, cpu, devices};

/// Placeholder values of firmware fields.
const PLACEHOLDERS: [&str; 8] = [
    "default string",
    "none",
    "not applicable",
    "not specified",
    "system manufacturer",
    "system product name",
    "to be filled by o.e.m.",
    "unknown",
];

/// Reads the facts of the machine, with the filesystem at `target` if one is named.
///
/// Never fails: facts that cannot be read are unknown. The caller adds the versions of tools, which
/// need processes to determine. Cost: a few milliseconds, more with many CPUs (`/proc/cpuinfo`
/// queries each of them).
pub fn facts(root: &Root, target: Option<&Path>) -> Facts {
    let cpu_info = cpu::info(root);
    let target = target.map(|path| Target::of(root, path));
    // After the target was looked up, which triggers automounts.
    let (mounts, mounts_unread) = match mounts(root) {
        Ok(mounts) => (mounts, None),
        Err(missing) => (Vec::new(), Some(missing.to_string())),
    };
    let target = target.map(|target| target.facts(root, &mounts));
    let target_disks = target.as_ref().map_or(&[][..], |target| &target.disks);
    Facts {
        kernel: kernel(root),
        kernel_source: kernel_source(root),
        os: os_release(root, "PRETTY_NAME")
            .ok()
            .flatten()
            .and_then(|name| clean_word(name.as_bytes())),
        hypervisor: hypervisor(root, cpu_info.has_hypervisor_flag),
        board: board(root),
        memory_bytes: memory_bytes(root, "MemTotal").ok().map(Bytes::new),
        devices: devices::devices(root, &mounts, target_disks),
        mounts: filesystems(root, &mounts),
        mounts_unread,
        arrays: arrays::arrays(root),
        cpu: cpu::cpu(root, cpu_info),
        target,
        fio_clock: None,
        tools: BTreeMap::new(),
    }
}

/// Returns the release of the kernel, such as `6.1.0-18-amd64`.
fn kernel(root: &Root) -> Option<String> {
    root.word("/proc/sys/kernel/osrelease")
}

/// Returns the version of the kernel's source, if the release only names a series: Debian has it in
/// `/proc/sys/kernel/version` (`#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-10-12)`), Ubuntu in
/// `/proc/version_signature` (`Ubuntu 5.15.0-91.101-generic 5.15.131`).
fn kernel_source(root: &Root) -> Option<String> {
    let debian = root.text("/proc/sys/kernel/version").and_then(|text| {
        let (_, package) = text.split_once(" Debian ")?;
        KernelVersion::parse(package)
    });
    let ubuntu = || {
        let text = root.text("/proc/version_signature")?;
        KernelVersion::parse(text.strip_prefix("Ubuntu ")?.split_whitespace().last()?)
    };
    debian.or_else(ubuntu).map(|version| version.to_string())
}

/// Returns the version of the running kernel; `None` if it is unknown.
pub fn kernel_version(root: &Root) -> Option<KernelVersion> {
    KernelVersion::parse(&kernel_source(root).or_else(|| kernel(root))?)
}

/// Returns the value of a key of os-release(5); `None` without the key.
///
/// # Errors
/// If there is no such file, or it could not be read.
pub fn os_release<S: Source>(source: S, key: &str) -> Fact<S::Text> {
    // The second is read only without the first.
    let text = match source.text("/etc/os-release")? {
        Some(text) => Some(text),
        None => source.text("/usr/lib/os-release")?,
    };
    let text = text.ok_or_else(|| Missing::absent("/usr/lib/os-release"))?;
    Ok(text.part(|text| {
        let mut lines = text.lines().rev();
        let value = lines.find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='))?;
        Some(value.trim_matches(['"', '\'']))
    }))
}

/// Returns a number of `/proc/meminfo` (Documentation/filesystems/proc.rst), such as `MemTotal`, in
/// bytes; its `kB` are 1024 bytes.
///
/// # Errors
/// If it is absent or could not be read.
pub fn memory_bytes<S: Source>(source: S, key: &str) -> Result<u64, Missing> {
    const FILE: &str = "/proc/meminfo";
    let text = source.text(FILE)?.ok_or_else(|| Missing::absent(FILE))?;
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kib = value.and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok());
    let bytes = kib.and_then(|kib| kib.checked_mul(1024));
    bytes.ok_or_else(|| Missing::new(FILE, format!("it shows no {key}")))
}

/// Returns the hypervisor's name, if it can be detected.
///
/// x86 CPUs have the flag `hypervisor` in a guest; elsewhere the firmware tables name it. A cloud's
/// bare-metal machine has the cloud's name in its tables too, so those names count only with the
/// flag.
fn hypervisor(root: &Root, has_flag: bool) -> Option<String> {
    const UNMISTAKABLE: [(&str, &str); 9] = [
        ("QEMU", "QEMU"),
        ("KVM", "KVM"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Microsoft Corporation Virtual Machine", "Hyper-V"),
        ("BHYVE", "bhyve"),
        ("Parallels", "Parallels"),
        ("Xen ", "Xen"),
        ("Apple Virtualization", "Apple Virtualization"),
    ];
    if let Some(kind) = root.word("/sys/hypervisor/type") {
        return Some(kind);
    }
    let machine = with_vendor(
        firmware_field(root, "sys_vendor"),
        firmware_field(root, "product_name"),
    );
    let mark = machine.as_deref().unwrap_or_default();
    if let Some((_, name)) = UNMISTAKABLE.iter().find(|known| mark.contains(known.0)) {
        return Some((*name).to_owned());
    }
    root.word("/proc/device-tree/hypervisor/compatible")
        .or_else(|| has_flag.then(|| machine.unwrap_or_else(|| HYPERVISOR_UNNAMED.to_owned())))
}

/// Returns the mainboard, otherwise the machine, by its name in DMI or the device tree.
fn board(root: &Root) -> Option<String> {
    let field = |name| firmware_field(root, name);
    with_vendor(field("board_vendor"), field("board_name"))
        .or_else(|| with_vendor(field("sys_vendor"), field("product_name")))
        .or_else(|| root.word("/proc/device-tree/model"))
}

/// Prepends the vendor to a name that does not begin with it.
fn with_vendor(vendor: Option<String>, name: Option<String>) -> Option<String> {
    match (vendor, name) {
        (Some(vendor), Some(name)) if !name.starts_with(&vendor) => {
            Some(format!("{vendor} {name}"))
        }
        (vendor, name) => name.or(vendor),
    }
}

/// Returns a field of `/sys/class/dmi/id`, unless it is a placeholder.
fn firmware_field(root: &Root, name: &str) -> Option<String> {
    root.word(format!("/sys/class/dmi/id/{name}"))
        .filter(|value| !PLACEHOLDERS.contains(&value.to_ascii_lowercase().as_str()))
}
