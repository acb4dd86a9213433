//! The md arrays: Documentation/admin-guide/md.rst, "MD devices in sysfs".

use stripewise_study::facts::ArrayFacts;
use stripewise_study::units::Bytes;

use crate::order::order_key;
use crate::root::{Root, is_plain_name};

/// Values of `sync_action` without I/O of the array's own. `frozen` stops md from starting any
/// (`mdadm` sets it while it changes an array).
const QUIET_ACTIONS: [&str; 2] = ["idle", "frozen"];

/// The part of an array's state that changes on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayState {
    /// `idle`, `resync`, `recover`, `check`, `repair`, `reshape`, `frozen`; `None` for levels
    /// without redundancy.
    pub(crate) sync_action: Option<String>,
    /// The number of missing members; `None` for levels without redundancy.
    pub(crate) degraded_count: Option<u32>,
}

/// Reads the md arrays, including containers of external metadata, but not stopped arrays.
pub(crate) fn arrays(root: &Root) -> Vec<ArrayFacts> {
    let mut names = root.list("/sys/block");
    names.retain(|name| name.starts_with("md") && root.exists(format!("/sys/block/{name}/md")));
    names.sort_by_key(|name| order_key(name));
    names.iter().filter_map(|name| array(root, name)).collect()
}

fn array(root: &Root, name: &str) -> Option<ArrayFacts> {
    let word = |file: &str| root.word(format!("/sys/block/{name}/md/{file}"));
    let number = |file: &str| root.number(format!("/sys/block/{name}/md/{file}"));
    if word("array_state").as_deref() == Some("clear") {
        return None;
    }
    let state = state(root, name);
    Some(ArrayFacts {
        name: name.to_owned(),
        level: word("level").or_else(|| {
            // A container of firmware RAID (imsm, DDF) has members but no level: `external:imsm`.
            // Arrays inside it have `external:/md127/0`.
            let metadata = word("metadata_version")?;
            let kind = metadata.strip_prefix("external:")?;
            (!kind.contains('/')).then(|| format!("container ({kind})"))
        }),
        layout: word("level").and_then(|level| layout(&level, number("layout")?)),
        metadata: word("metadata_version"),
        bitmap: word("bitmap/location"),
        chunk_bytes: number("chunk_size")
            .filter(|bytes| *bytes > 0)
            .map(Bytes::new),
        member_count: number("raid_disks")
            .filter(|count| *count > 0)
            .and_then(|count| u32::try_from(count).ok()),
        degraded_count: state.degraded_count,
        sync_action: state.sync_action,
    })
}

/// Returns mdadm's name for the kernel's number of a layout: mdadm's `maps.c`, and `setup_geo` in
/// the kernel's raid10.c (near copies in the low byte, far copies in the second, bit 16 for offset
/// copies).
fn layout(level: &str, number: u64) -> Option<String> {
    const SYMMETRIES: [&str; 4] = [
        "left-asymmetric",
        "right-asymmetric",
        "left-symmetric",
        "right-symmetric",
    ];
    match level {
        "raid10" => {
            let (near, far) = (number & 0xff, (number >> 8) & 0xff);
            let is_offset = number & (1 << 16) != 0;
            Some(match (near, far) {
                (near, 1) => format!("n{near}"),
                (1, far) if is_offset => format!("o{far}"),
                (1, far) => format!("f{far}"),
                (near, far) => format!("n{near}f{far}"),
            })
        }
        "raid5" | "raid6" => {
            let index = usize::try_from(number).ok()?;
            SYMMETRIES.get(index).map(|word| (*word).to_owned())
        }
        _ => None,
    }
}

/// Reads the changing state of an array: two small files.
pub(crate) fn state(root: &Root, name: &str) -> ArrayState {
    if !is_plain_name(name) {
        return ArrayState {
            sync_action: None,
            degraded_count: None,
        };
    }
    let folder = format!("/sys/block/{name}/md");
    ArrayState {
        sync_action: root.word(format!("{folder}/sync_action")),
        degraded_count: root
            .number(format!("{folder}/degraded"))
            .and_then(|count| u32::try_from(count).ok()),
    }
}

/// Returns the sync action of a busy array; `None` if it is idle or unknown.
pub(crate) fn busy_with(sync_action: Option<&str>) -> Option<&str> {
    sync_action.filter(|action| !QUIET_ACTIONS.contains(action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_mdadms_names() {
        for (level, number, expected) in [
            ("raid10", 0x102, Some("n2")),
            ("raid10", 0x103, Some("n3")),
            ("raid10", 0x201, Some("f2")),
            ("raid10", 0x10201, Some("o2")),
            ("raid5", 2, Some("left-symmetric")),
            ("raid6", 0, Some("left-asymmetric")),
            ("raid6", 1 << 40, None),
            ("raid1", 0, None),
        ] {
            assert_eq!(layout(level, number).as_deref(), expected, "{level}");
        }
    }
}
