//! The md arrays: Documentation/admin-guide/md.rst, "MD devices in sysfs".

use stripewise_study::facts::ArrayFacts;
use stripewise_study::units::Bytes;

use crate::order::order_key;
use crate::root::{Root, is_plain_name};

/// What `sync_action` says when nothing is read or written for the array's own sake. `frozen` is
/// md told not to start anything (`mdadm` does so while it changes an array).
const QUIET_ACTIONS: [&str; 2] = ["idle", "frozen"];

/// The part of an array's state that changes by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayState {
    /// `idle`, `resync`, `recover`, `check`, `repair`, `reshape`, `frozen`; nothing for levels
    /// without redundancy.
    pub(crate) sync_action: Option<String>,
    /// How many members are missing; nothing for levels without redundancy.
    pub(crate) degraded_count: Option<u32>,
}

/// Reads the md arrays, containers of external metadata among them; stopped ones are left out.
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
            // A container of firmware RAID (imsm, DDF) has members but no level of its own:
            // `external:imsm`; arrays inside it say `external:/md127/0`.
            let metadata = word("metadata_version")?;
            let kind = metadata.strip_prefix("external:")?;
            (!kind.contains('/')).then(|| format!("container ({kind})"))
        }),
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

/// Reads what an array is doing: two small files.
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

/// Returns what an array is busy with; nothing if it is quiet or cannot be told.
pub(crate) fn busy_with(sync_action: Option<&str>) -> Option<&str> {
    sync_action.filter(|action| !QUIET_ACTIONS.contains(action))
}
