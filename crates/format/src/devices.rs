//! `[may_destroy]`: the block devices that a study may overwrite, under names that always refer to
//! the same device.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, PathBuf};

use stripewise_study::stack::Stack;
use stripewise_units::suggest::nearest;

use super::locate::Path;
use super::source::{ProblemText, Source};

/// Directories whose names stay with a device, whatever else is plugged in (udev's
/// 60-persistent-storage.rules).
const STABLE: [&str; 3] = [
    "/dev/disk/by-id/",
    "/dev/disk/by-path/",
    "/dev/disk/by-partuuid/",
];

/// Reports a profile of `[may_destroy]` that no stack uses: its name is mistyped.
pub(crate) fn check_used(
    source: &mut Source,
    devices: &BTreeMap<String, Vec<PathBuf>>,
    stacks: &[Stack],
) {
    let groups = stacks.iter().flat_map(|stack| &stack.devices);
    let used: BTreeSet<&str> = groups.map(|group| group.profile.as_str()).collect();
    // Stacks that could not be read are reported themselves.
    if stacks.is_empty() {
        return;
    }
    for name in devices.keys().filter(|name| !used.contains(name.as_str())) {
        let report = ProblemText::new(format!("no stack uses the profile `{name}`"), "not used");
        let hint = match nearest(name, used.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it, or use the name of a stack's device profile".to_owned(),
        };
        let place = Path::default().key("may_destroy").key(name);
        source.problem(&place, report.at_key().hint(hint));
    }
}

/// Reports each device of `[may_destroy]` that is not a stable path or is listed twice.
pub(crate) fn check(source: &mut Source, devices: &BTreeMap<String, Vec<PathBuf>>) {
    let mut seen = BTreeSet::new();
    for (profile, paths) in devices {
        let place = Path::default().key("may_destroy").key(profile);
        for path in paths {
            let shown = path.display();
            if !is_stable(path) {
                let report =
                    ProblemText::new(format!("`{shown}` is not a stable device name"), "here");
                let hint = "names such as `/dev/sda` can move to another disk at the next boot: use one below `/dev/disk/by-id/` (`ls -l /dev/disk/by-id`), or a loop device";
                source.problem(&place, report.hint(hint));
            } else if !seen.insert(path) {
                let report = ProblemText::new(format!("`{shown}` is named twice"), "here");
                source.problem(&place, report.hint("name each device once"));
            }
        }
    }
}

/// Returns whether `path` can never refer to another device.
fn is_stable(path: &std::path::Path) -> bool {
    let is_plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let Some(text) = path.to_str().filter(|_| is_plain) else {
        return false;
    };
    let below = |directory: &str| {
        text.strip_prefix(directory)
            .is_some_and(|name| !name.is_empty() && !name.contains('/'))
    };
    let number = text.strip_prefix("/dev/loop");
    let is_loop = number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    is_loop || STABLE.into_iter().any(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_stay_with_a_device_are_stable() {
        for path in [
            "/dev/disk/by-id/ata-Samsung_SSD_850_EVO_500GB_S21JNXAG",
            "/dev/disk/by-path/pci-0000:00:1f.2-ata-1",
            "/dev/disk/by-partuuid/0a1b2c3d-01",
            "/dev/loop7",
        ] {
            assert!(is_stable(std::path::Path::new(path)), "{path}");
        }
        for path in [
            "/dev/sda",
            "/dev/nvme0n1",
            "/dev/loop",
            "/dev/loop7p1",
            "/dev/disk/by-id/",
            "/dev/disk/by-id/../../sda",
            "/dev/disk/by-id/x/y",
            "/dev/disk/by-uuid/0a1b",
            "disk/by-id/x",
            "",
        ] {
            assert!(!is_stable(std::path::Path::new(path)), "{path}");
        }
    }
}
