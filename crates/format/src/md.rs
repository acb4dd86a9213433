//! The layouts of md, by level, superblock format and kernel: the arrays that can be built.
//!
//! Sources: mdadm(8) `--layout`, `--chunk`; md(4); `setup_geo` in the kernel's raid10.c;
//! `imsm_level_to_layout` in mdadm's super-intel.c (raid10 as `n2`, raid5 as left-asymmetric).

use crate::feature::Feature;
use crate::foreign::meant_value;
use stripewise_study::stack::{Level, Metadata};
use stripewise_units::kernel::KernelVersion;

/// The layouts of raid6, the default first. The first six are also those of raid5.
pub const RAID6_LAYOUTS: [&str; 14] = [
    "left-symmetric",
    "left-asymmetric",
    "right-symmetric",
    "right-asymmetric",
    "parity-first",
    "parity-last",
    "ddf-zero-restart",
    "ddf-N-restart",
    "ddf-N-continue",
    "left-symmetric-6",
    "left-asymmetric-6",
    "right-symmetric-6",
    "right-asymmetric-6",
    "parity-first-6",
];
const RAID0_LAYOUTS: [&str; 2] = ["original", "alternate"];

/// Why md has no such array, and the layouts it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoSuchLayout {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// An array to be created, without its layout.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewArray {
    pub(crate) level: Level,
    pub(crate) device_count: u64,
    pub(crate) metadata: Metadata,
    pub(crate) kernel: Option<KernelVersion>,
}

/// Returns the layout that mdadm uses by default.
pub(crate) fn default_layout(array: NewArray) -> Option<String> {
    let layout = match (array.level, array.metadata) {
        (Level::Raid10, _) => "n2",
        (Level::Raid5, Metadata::Imsm) => "left-asymmetric",
        (Level::Raid5 | Level::Raid6, _) => "left-symmetric",
        _ => return None,
    };
    Some(layout.to_owned())
}

/// Checks that md has `layout` for `array`.
pub(crate) fn check_layout(layout: &str, array: NewArray) -> Result<(), NoSuchLayout> {
    let level = array.level;
    match level {
        Level::Linear | Level::Raid1 | Level::Raid4 => {
            return Err(NoSuchLayout {
                message: format!("{level} has no layouts"),
                hint: format!("leave `layout` out, or use `level = \"raid10\"` for `{layout}`"),
            });
        }
        Level::Raid0 => one_of(level, layout, &RAID0_LAYOUTS)?,
        Level::Raid5 => one_of(level, layout, &RAID6_LAYOUTS[..6])?,
        Level::Raid6 => one_of(level, layout, &RAID6_LAYOUTS)?,
        Level::Raid10 => check_raid10(layout, array)?,
    }
    check_metadata(layout, array)
}

fn one_of(level: Level, layout: &str, known: &[&str]) -> Result<(), NoSuchLayout> {
    if known.contains(&layout) {
        return Ok(());
    }
    Err(NoSuchLayout {
        message: format!("{level} has no layout `{layout}`"),
        hint: meant_value("layout", layout)
            .unwrap_or_else(|| format!("{level} has {}", known.join(", "))),
    })
}

/// Near, far and offset copies; as many members as copies at least (`setup_geo`).
fn check_raid10(layout: &str, array: NewArray) -> Result<(), NoSuchLayout> {
    let unknown = || NoSuchLayout {
        message: format!("raid10 has no layout `{layout}`"),
        hint: meant_value("layout", layout).unwrap_or_else(|| {
            "raid10 has `n`, `f` or `o` and a number of copies: `n2`, `f2`, `o2`, `n3`".to_owned()
        }),
    };
    let kind = layout.chars().next().ok_or_else(unknown)?;
    let copies: u64 = layout
        .get(1..)
        .and_then(|copies| copies.parse().ok())
        .filter(|copies| (1..=200).contains(copies))
        .ok_or_else(unknown)?;
    let feature = match kind {
        'n' | 'f' => Feature::Raid10,
        'o' => Feature::Raid10Offset,
        _ => return Err(unknown()),
    };
    if copies > array.device_count {
        return Err(NoSuchLayout {
            message: format!(
                "layout `{layout}` keeps {copies} copies, but there are {} device(s)",
                array.device_count
            ),
            hint: "use fewer copies or more devices".to_owned(),
        });
    }
    match array.kernel {
        Some(kernel) if feature.is_missing_in(kernel) => Err(NoSuchLayout {
            message: format!("kernel {kernel} has no raid10 layout `{layout}`"),
            hint: format!("it came with kernel {}", feature.since()),
        }),
        _ => Ok(()),
    }
}

/// imsm and DDF support fewer arrays than md's own formats.
fn check_metadata(layout: &str, array: NewArray) -> Result<(), NoSuchLayout> {
    let only = match (array.metadata, array.level) {
        (Metadata::Imsm, Level::Raid10) => "n2",
        (Metadata::Imsm, Level::Raid5) => "left-asymmetric",
        _ => return Ok(()),
    };
    if layout == only {
        return Ok(());
    }
    Err(NoSuchLayout {
        message: format!(
            "{} metadata has no {} layout `{layout}`",
            array.metadata, array.level
        ),
        hint: format!("the firmware supports only `{only}`; use metadata `1.2` for others"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(level: Level, devices: u64, metadata: Metadata, kernel: &str, layout: &str) -> bool {
        let array = NewArray {
            level,
            device_count: devices,
            metadata,
            kernel: KernelVersion::parse(kernel),
        };
        check_layout(layout, array).is_ok()
    }

    #[test]
    fn layouts_exist_where_md_has_them() {
        use Level::*;
        use Metadata::*;
        assert!(check(Raid10, 4, V1_2, "4.1", "n2"));
        assert!(check(Raid10, 3, V1_2, "6.1", "f2"));
        assert!(check(Raid10, 4, Imsm, "6.1", "n2"));
        assert!(check(Raid5, 4, Imsm, "6.1", "left-asymmetric"));
        assert!(check(Raid6, 5, V1_2, "6.1", "ddf-N-continue"));
        assert!(check(Raid0, 2, V1_2, "6.1", "original"));
    }

    #[test]
    fn layouts_are_missing_where_md_lacks_them() {
        use Level::*;
        use Metadata::*;
        assert!(!check(Raid10, 4, Imsm, "6.1", "f2"));
        assert!(!check(Raid10, 4, V1_2, "2.6.8", "f2"));
        assert!(!check(Raid10, 4, V1_2, "2.6.17", "o2"));
        assert!(!check(Raid10, 2, V1_2, "6.1", "n3"));
        assert!(!check(Raid10, 4, V1_2, "6.1", "x2"));
        assert!(!check(Raid10, 4, V1_2, "6.1", "é"));
        assert!(!check(Raid10, 4, V1_2, "6.1", ""));
        assert!(!check(Raid1, 2, V1_2, "6.1", "f2"));
        assert!(!check(Raid5, 4, V1_2, "6.1", "n2"));
    }
}
