//! The md array on which a place of a host stands, as another design is compared with it.

use std::collections::BTreeSet;

use crate::facts::{Array, arrays, mount_of, mounted_name, mounts, shown_model, smart_all, spaces};
use crate::layers::Layers;
use crate::performance::{array_of, array_words};
use crate::snapshot::{Fact, Missing, Snapshot};

/// An array of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostArray {
    /// The kernel's name: `md0`.
    pub name: String,
    /// Its level, layout, members and chunk as `raid10:n2:4:64K`, in the words of md; else the fact that is
    /// missing.
    pub words: Result<String, Missing>,
    /// The chunk of its bitmap in bytes; `None` without a bitmap.
    pub bitmap_bytes: Option<u64>,
    /// The members that it needs.
    pub members: u64,
    /// The members that wait for another one to fail.
    pub spares: u64,
    /// The members that it lacks.
    pub missing: u64,
    /// What it is busy with on its own, such as `resync`.
    pub busy_with: Option<String>,
    /// What its smallest member gives it, in bytes.
    pub member_bytes: Option<u64>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    /// How many bytes of it the filesystem on it uses; `None` if none is mounted from it, or that is unknown.
    pub used_bytes: Option<u64>,
    /// The disks of its members.
    pub drives: Vec<Drive>,
    /// Whether two members are on one disk.
    pub shares_disks: bool,
}

/// A disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drive {
    /// The kernel's name.
    pub name: String,
    /// Its model as it reports it; `None` if it reports none.
    pub model: Option<String>,
    /// Its size.
    pub bytes: Option<u64>,
}

/// Why no array is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoArray {
    /// The host has none.
    None,
    /// It has several, and none is named.
    Several(Vec<String>),
    /// The place does not stand on one.
    NotOnArray(String),
    /// A fact is missing.
    Missing(Missing),
}

impl From<Missing> for NoArray {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

/// Returns the array on which `place` stands, a device or a path; without a place, the only one.
///
/// # Errors
/// If there is none, or it is not known well enough.
pub fn array_at(facts: &Snapshot, place: Option<&str>) -> Result<HostArray, NoArray> {
    let all = arrays(facts)?;
    let named = |name: &str| all.iter().find(|md| md.name == name);
    let found = match (place, &all[..]) {
        (_, []) => return Err(NoArray::None),
        (None, [only]) => *only,
        (None, several) => {
            let names = several.iter().map(|md| md.name.to_owned());
            return Err(NoArray::Several(names.collect()));
        }
        (Some(place), _) => {
            let device = match place.starts_with('/') {
                true => mounted(facts, place).unwrap_or(place),
                false => place,
            };
            match named(device.strip_prefix("/dev/").unwrap_or(device)) {
                Some(md) => *md,
                None => {
                    array_of(facts, place)?.ok_or_else(|| NoArray::NotOnArray(place.to_owned()))?
                }
            }
        }
    };
    Ok(read(facts, &found)?)
}

/// Returns the device of the filesystem that holds a path.
fn mounted<'a>(facts: &'a Snapshot, path: &str) -> Option<&'a str> {
    let mounts = mounts(facts).ok()?;
    mount_of(&mounts, path).map(|mount| mount.device)
}

fn read(facts: &Snapshot, md: &Array<'_>) -> Result<HostArray, Missing> {
    let members = md.members()?;
    let states = members.iter().map(|member| {
        let state = md.word(&format!("dev-{member}/state"))?;
        Ok(state.is_some_and(|state| state.split(',').any(|word| word == "spare")))
    });
    let spares: Vec<bool> = states.collect::<Result<_, Missing>>()?;
    let layers = Layers::new(facts);
    // A sosreport does not say which device is a part of which.
    let disks = members.iter();
    let disks = disks.map(|member| layers.whole(member).unwrap_or(member));
    let disks: Vec<&str> = disks.collect();
    let different: BTreeSet<&str> = disks.iter().copied().collect();
    let action = md.word("sync_action")?;
    let bytes = sectors(facts, md.name);
    Ok(HostArray {
        name: md.name.to_owned(),
        words: array_words(md),
        bitmap_bytes: md.bitmap_chunk_bytes()?,
        members: md.need_number("raid_disks")?,
        spares: spares.iter().filter(|is_spare| **is_spare).count() as u64,
        missing: md.missing_count()?,
        busy_with: action
            .filter(|action| !matches!(*action, "idle" | "frozen"))
            .map(str::to_owned),
        member_bytes: md
            .member_sizes_kib()
            .ok()
            .and_then(|sizes| sizes.into_iter().min())
            .map(|kib| kib.saturating_mul(1024)),
        bytes,
        used_bytes: used_percent(facts, md.name).ok().flatten().zip(bytes).map(
            |(percent, bytes)| {
                u64::try_from(u128::from(bytes) * u128::from(percent) / 100).unwrap_or(bytes)
            },
        ),
        shares_disks: different.len() < disks.len(),
        drives: different
            .into_iter()
            .map(|disk| Drive {
                name: disk.to_owned(),
                model: model(facts, disk),
                bytes: sectors(facts, disk),
            })
            .collect(),
    })
}

/// Returns the size of a block device.
fn sectors(facts: &Snapshot, name: &str) -> Option<u64> {
    let sectors = facts.need_number(&format!("/sys/block/{name}/size"));
    sectors.ok().map(|sectors| sectors.saturating_mul(512))
}

/// Returns a drive's model: the whole name from SMART, else what the kernel shows of it.
fn model(facts: &Snapshot, disk: &str) -> Option<String> {
    let whole = smart_all(facts, disk).ok();
    let whole = whole.and_then(|smart| smart["model_name"].as_str().map(str::to_owned));
    let shown = || shown_model(facts, disk).ok().flatten().map(str::to_owned);
    let model = whole.or_else(shown)?;
    Some(model.trim().to_owned()).filter(|model| !model.is_empty())
}

/// Returns how full the filesystem is that is mounted from an array.
fn used_percent(facts: &Snapshot, name: &str) -> Fact<u64> {
    let device = format!("/dev/{name}");
    let mounts = mounts(facts)?.into_iter();
    let places: Vec<&str> = mounts
        .filter(|mount| {
            mounted_name(facts, mount.device).is_ok_and(|of| of == name) || mount.device == device
        })
        .map(|mount| mount.place)
        .collect();
    let spaces = spaces(facts, "df -al -x autofs")?;
    let own = spaces.iter().find(|space| places.contains(&space.place));
    Ok(own.map(|space| space.used_percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: [(&str, &str); 18] = [
        ("/sys/block/md0/md/array_state", "clean"),
        ("/sys/block/md0/md/level", "raid10"),
        ("/sys/block/md0/md/layout", "258"),
        ("/sys/block/md0/md/raid_disks", "2"),
        ("/sys/block/md0/md/chunk_size", "65536"),
        ("/sys/block/md0/md/degraded", "0"),
        ("/sys/block/md0/md/sync_action", "idle"),
        ("/sys/block/md0/md/bitmap/location", "none"),
        ("/sys/block/md0/md/dev-sda/state", "in_sync"),
        ("/sys/block/md0/md/dev-sdb/state", "in_sync"),
        ("/sys/block/md0/md/dev-sdc/state", "spare"),
        ("/sys/block/md0/size", "2000"),
        ("/sys/block/md0/slaves/sda", ""),
        ("/sys/block/sda/size", "1000"),
        ("/sys/block/sda/device/model", "Samsung SSD 850 "),
        ("/sys/block/sdb/size", "1000"),
        ("/sys/block/sdc/size", "1000"),
        ("/proc/mounts", "/dev/md0 /srv ext4 rw 0 0\n"),
    ];

    #[test]
    fn an_array_is_read_with_its_spares_and_drives() {
        let facts = Snapshot::of_files(HOST);
        let found = array_at(&facts, None).unwrap();
        assert_eq!(
            (found.words.as_deref(), found.members, found.spares),
            (Ok("raid10:n2:2:64K"), 2, 1)
        );
        assert_eq!(found.bytes, Some(2000 * 512));
        let models: Vec<Option<&str>> = found
            .drives
            .iter()
            .map(|drive| drive.model.as_deref())
            .collect();
        assert_eq!(models, [Some("Samsung SSD 850"), None, None]);
        assert_eq!(array_at(&facts, Some("/srv")).unwrap(), found);
        assert_eq!(array_at(&facts, Some("/dev/md0")).unwrap(), found);
        assert_eq!(array_at(&facts, Some("md0")).unwrap(), found);
    }

    #[test]
    fn no_array_and_several_are_not_guessed() {
        let none = Snapshot::of_files([("/sys/block/sda/size", "1")]);
        assert_eq!(array_at(&none, None), Err(NoArray::None));
        let second = ("/sys/block/md1/md/array_state", "clean");
        let two = Snapshot::of_files(HOST.into_iter().chain([second]));
        let names = vec!["md0".to_owned(), "md1".to_owned()];
        assert_eq!(array_at(&two, None), Err(NoArray::Several(names)));
        let missing = array_at(&two, Some("md1"));
        assert!(matches!(missing, Err(NoArray::Missing(_))), "{missing:?}");
        let elsewhere = (
            "/proc/mounts",
            "/dev/sda /mnt ext4 rw 0 0\n/dev/md0 /srv ext4 rw 0 0\n",
        );
        let facts = Snapshot::of_files(HOST.into_iter().chain([elsewhere]));
        let not = array_at(&facts, Some("/mnt"));
        assert_eq!(not, Err(NoArray::NotOnArray("/mnt".to_owned())));
    }
}
