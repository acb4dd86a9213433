//! The md arrays: Documentation/admin-guide/md.rst, "MD devices in sysfs".

use std::fmt;

use stripewise_study::facts::ArrayFacts;
use stripewise_units::Bytes;

use crate::order::order_key;
use crate::root::Root;
use crate::source::{Fact, Missing, Source, Text};

/// Values of `sync_action` without I/O of the array's own. `frozen` stops md from starting any
/// (`mdadm` sets it while it changes an array).
const QUIET_ACTIONS: [&str; 2] = ["idle", "frozen"];

/// One md array of a source: `/sys/block/NAME/md`. The only reader of that directory.
#[derive(Debug, Clone, Copy)]
pub struct Md<'n, S> {
    source: S,
    /// The kernel's name: `md0`.
    pub name: &'n str,
}

impl<S> fmt::Display for Md<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Returns the names of the md arrays, with containers of external metadata, in natural order.
///
/// # Errors
/// If they could not be listed.
pub fn array_names<S: Source>(source: S) -> Result<Vec<S::Text>, Missing> {
    let mut names = source.names("/sys/block/md*/md/array_state")?;
    names.sort_by_cached_key(|name| order_key(name));
    Ok(names)
}

impl<'n, S: Source> Md<'n, S> {
    /// Returns the array with the kernel's name `name`, which need not exist.
    pub fn new(source: S, name: &'n str) -> Self {
        Self { source, name }
    }

    /// Returns the path of one of its files.
    pub fn path(&self, file: &str) -> String {
        // The kernel writes a slash in a name so.
        format!("/sys/block/{}/md/{file}", self.name.replace('/', "!"))
    }

    /// Returns the text of one of its files.
    ///
    /// # Errors
    /// If it could not be read.
    pub fn word(&self, file: &str) -> Fact<S::Text> {
        self.source.word(&self.path(file))
    }

    /// Returns the first number of one of its files.
    ///
    /// # Errors
    /// If it could not be read, or begins with no number.
    pub fn number(&self, file: &str) -> Fact<u64> {
        self.source.number(&self.path(file))
    }

    /// Returns the text of a file that each array has.
    ///
    /// # Errors
    /// If it is absent or could not be read.
    pub fn need_word(&self, file: &str) -> Result<S::Text, Missing> {
        self.source.need_word(&self.path(file))
    }

    /// Returns the number in a file that each array has.
    ///
    /// # Errors
    /// If it is absent or could not be read, or begins with no number.
    pub fn need_number(&self, file: &str) -> Result<u64, Missing> {
        self.source.need_number(&self.path(file))
    }

    /// Returns its level as md names it.
    ///
    /// # Errors
    /// If it is absent or could not be read.
    pub fn level(&self) -> Result<S::Text, Missing> {
        self.need_word("level")
    }

    /// Returns whether it is the container of firmware RAID: it only lists disks, and is always
    /// inactive (md(4), EXTERNAL METADATA).
    pub fn is_container(&self) -> bool {
        let is = |file: &str, test: fn(&str) -> bool| {
            self.word(file)
                .is_ok_and(|word| word.is_some_and(|word| test(&word)))
        };
        is("level", |level| level == "container") || is("metadata_version", is_container_version)
    }

    /// Returns mdadm's name of its layout; `None` for a level without layouts.
    ///
    /// # Errors
    /// If the number of the layout is absent or could not be read, or mdadm has no name for it.
    pub fn layout(&self) -> Fact<String> {
        let level = self.level()?;
        if !matches!(&*level, "raid5" | "raid6" | "raid10") {
            return Ok(None);
        }
        let number = self.need_number("layout")?;
        let unknown = || {
            Missing::new(
                self.path("layout"),
                format!("mdadm has no name for {number} at {level}"),
            )
        };
        layout(&level, number).map(Some).ok_or_else(unknown)
    }

    /// Returns the size of its write-intent bitmap's chunks in bytes; `None` without a bitmap.
    ///
    /// # Errors
    /// If it could not be read.
    pub fn bitmap_chunk_bytes(&self) -> Fact<u64> {
        let location = self.word("bitmap/location")?;
        match location.is_some_and(|location| &*location != "none") {
            true => self.need_number("bitmap/chunksize").map(Some),
            false => Ok(None),
        }
    }

    /// Returns how many members it lacks, or has and cannot use; 0 for levels without redundancy.
    ///
    /// # Errors
    /// If it could not be read.
    pub fn missing_count(&self) -> Result<u64, Missing> {
        Ok(self.number("degraded")?.unwrap_or(0))
    }

    /// Returns its members by the kernel's names, failed ones too: `sda1`.
    ///
    /// # Errors
    /// If they could not be listed.
    pub fn members(&self) -> Result<Vec<S::Text>, Missing> {
        let names = self.source.names(&self.path("dev-*/state"))?;
        let member = |name: &S::Text| name.part(|name| name.strip_prefix("dev-"));
        Ok(names.iter().filter_map(member).collect())
    }

    /// Returns whether md gave up on a member; `member` is `sda1`.
    ///
    /// # Errors
    /// If its state is absent or could not be read.
    pub fn is_faulty(&self, member: &str) -> Result<bool, Missing> {
        let state = self.need_word(&format!("dev-{member}/state"))?;
        Ok(state.split(',').any(|word| word == "faulty"))
    }

    /// Returns the sizes of its members in KiB.
    ///
    /// # Errors
    /// If one is absent or could not be read.
    pub fn member_sizes_kib(&self) -> Result<Vec<u64>, Missing> {
        let members = self.source.names(&self.path("dev-*/size"))?;
        let size = |member: &S::Text| self.need_number(&format!("{member}/size"));
        members.iter().map(size).collect()
    }

    /// Returns the bytes of a full stripe, which is the optimal I/O size that md sets: `raid0_run`,
    /// `raid5_set_io_opt` and `raid10_set_io_opt` of drivers/md (6.1.192). `None` for a level
    /// without stripes.
    ///
    /// # Errors
    /// If level, layout, chunk or the number of members is absent or could not be read.
    pub fn full_stripe_bytes(&self) -> Fact<u64> {
        let level = self.level()?;
        let disks = self.need_number("raid_disks")?;
        let data_disks = match &*level {
            "raid0" => disks,
            "raid4" | "raid5" => disks.saturating_sub(1),
            "raid6" => disks.saturating_sub(2),
            "raid10" => {
                let near = near_copies(self.need_number("layout")?).max(1);
                if disks % near == 0 {
                    disks / near
                } else {
                    disks
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(
            self.need_number("chunk_size")?.saturating_mul(data_disks),
        ))
    }

    /// Returns the part of its state that changes on its own.
    pub(crate) fn state(&self) -> ArrayState {
        let count = self.number("degraded").ok().flatten();
        ArrayState {
            sync_action: self
                .word("sync_action")
                .ok()
                .flatten()
                .map(|action| action.to_string()),
            degraded_count: count.and_then(|count| u32::try_from(count).ok()),
        }
    }
}

/// Returns whether a level has parity.
pub fn has_parity(level: &str) -> bool {
    matches!(level, "raid4" | "raid5" | "raid6")
}

/// Returns whether an array of this level survives the failure of a member.
pub fn is_redundant(level: &str) -> bool {
    has_parity(level) || matches!(level, "raid1" | "raid10")
}

/// Returns whether a metadata version is that of a container: `external:imsm`. A volume in one has
/// `external:/md127/0`.
pub fn is_container_version(version: &str) -> bool {
    let kind = version.strip_prefix("external:");
    kind.is_some_and(|kind| !kind.starts_with(['/', '-']))
}

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
    let names = array_names(root).unwrap_or_default();
    names
        .iter()
        .filter_map(|name| array(Md::new(root, name)))
        .collect()
}

fn array(md: Md<'_, &Root>) -> Option<ArrayFacts> {
    let word = |file: &str| md.word(file).ok().flatten();
    let number = |file: &str| md.number(file).ok().flatten().filter(|number| *number > 0);
    if word("array_state").as_deref() == Some("clear") {
        return None;
    }
    let state = md.state();
    Some(ArrayFacts {
        name: md.name.to_owned(),
        level: word("level").or_else(|| {
            // A container of firmware RAID (imsm, DDF) has members but no level.
            let metadata =
                word("metadata_version").filter(|version| is_container_version(version))?;
            Some(format!(
                "container ({})",
                metadata.strip_prefix("external:")?
            ))
        }),
        layout: md.layout().ok().flatten(),
        metadata: word("metadata_version"),
        bitmap: word("bitmap/location"),
        chunk_bytes: number("chunk_size").map(Bytes::new),
        member_count: number("raid_disks").and_then(|count| u32::try_from(count).ok()),
        degraded_count: state.degraded_count,
        sync_action: state.sync_action,
    })
}

/// Returns the near copies of a raid10's layout: its low byte (`setup_geo` in the kernel's
/// raid10.c).
fn near_copies(number: u64) -> u64 {
    number & 0xff
}

/// Returns mdadm's name for the kernel's number of a layout: mdadm's `maps.c`, and `setup_geo` in
/// the kernel's raid10.c (near copies in the low byte, far copies in the second, bit 16 for offset
/// copies; bits 17 and 18 choose sets of devices, for which mdadm has no name).
fn layout(level: &str, number: u64) -> Option<String> {
    const SYMMETRIES: [&str; 4] = [
        "left-asymmetric",
        "right-asymmetric",
        "left-symmetric",
        "right-symmetric",
    ];
    if level != "raid10" {
        let index = usize::try_from(number).ok()?;
        return SYMMETRIES.get(index).map(|word| (*word).to_owned());
    }
    let far = (number >> 8) & 0xff;
    match (near_copies(number), far, number >> 16) {
        (0, ..) | (_, 0, _) => None,
        (near, 1, 0) => Some(format!("n{near}")),
        (1, far, 0) => Some(format!("f{far}")),
        (1, far, 1) => Some(format!("o{far}")),
        (near, far, 0) => Some(format!("n{near}f{far}")),
        _ => None,
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
            ("raid10", 0x301, Some("f3")),
            ("raid10", 0x202, Some("n2f2")),
            ("raid10", 0x10201, Some("o2")),
            ("raid10", 0x10301, Some("o3")),
            // Far sets, no copies, and bits that no kernel has.
            ("raid10", 0x2_0201, None),
            ("raid10", 0x4_0201, None),
            ("raid10", 0x100, None),
            ("raid10", 2, None),
            ("raid10", 0x1_0000_0102, None),
            ("raid5", 2, Some("left-symmetric")),
            ("raid6", 0, Some("left-asymmetric")),
            ("raid6", 1 << 40, None),
        ] {
            assert_eq!(
                layout(level, number).as_deref(),
                expected,
                "{level} {number:#x}"
            );
        }
    }

    #[test]
    fn a_fact_is_there_absent_or_missing_with_its_file_and_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        let write = |file: &str, text: &str| {
            let path = folder.path().join("sys/block/md0/md").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let md = Md::new(&root, "md0");
        assert_eq!(md.level(), Err(Missing::absent("/sys/block/md0/md/level")));
        write("level", "raid10\n");
        write("layout", "131841\n");
        write("degraded", "one\n");
        write("dev-sda1/state", "faulty,blocked\n");
        std::fs::create_dir(folder.path().join("sys/block/md0/md/raid_disks")).unwrap();
        let why = "mdadm has no name for 131841 at raid10";
        assert_eq!(
            md.layout(),
            Err(Missing::new("/sys/block/md0/md/layout", why))
        );
        let why = "`one` is not a number";
        assert_eq!(
            md.missing_count(),
            Err(Missing::new("/sys/block/md0/md/degraded", why))
        );
        let why = "not a regular file";
        assert_eq!(
            md.number("raid_disks"),
            Err(Missing::new("/sys/block/md0/md/raid_disks", why))
        );
        assert_eq!(md.word("sync_action"), Ok(None));
        assert_eq!(md.members(), Ok(vec!["sda1".to_owned()]));
        assert_eq!(md.is_faulty("sda1"), Ok(true));
        let gone = "/sys/block/md0/md/dev-sdb/state";
        assert_eq!(md.is_faulty("sdb"), Err(Missing::absent(gone)));
    }
}
