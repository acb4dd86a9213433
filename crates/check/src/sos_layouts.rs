//! The same facts where other versions of sos have them: an output of a command in the place of a file, one
//! output for each array in the place of one for all, another folder.
//!
//! Only what a report lacks is added, and nothing that its output does not say: `mdadm -D` does not have the
//! chunk of a bitmap, so that stays missing.

use stripewise_machine::CPUFREQ;

use crate::bounded::Bounded;
use crate::snapshot::{CommandResult, Snapshot};
use crate::sources::DETAILS;

/// What `mount -l` printed: in a folder, or behind the link at the top.
const MOUNTS: [&str; 3] = [
    "/sos_commands/filesys/mount_-l",
    "/sos_commands/filesystem/mount_-l",
    "/mount",
];
/// The same of `uname -a`.
const UNAMES: [&str; 3] = [
    "/sos_commands/kernel/uname_-a",
    "/sos_commands/general/uname_-a",
    "/uname",
];
/// All columns of `lsblk`, as pairs.
const DISKS: &str = "/sos_commands/block/lsblk_-O_-P";
/// Where `mdadm -D` of one array or of all is.
const ARRAYS: &str = "/sos_commands/md";
/// How the name of such an output begins.
const DETAIL_NAMES: [&str; 2] = ["mdadm_-D", "mdadm_--detail"];
/// The layouts of raid5 and raid6 in the kernel's order.
const SYMMETRIES: [&str; 4] = [
    "left-asymmetric",
    "right-asymmetric",
    "left-symmetric",
    "right-symmetric",
];

/// Adds what the report has in another layout.
pub(crate) fn complete(bounded: &Bounded, snapshot: &mut Snapshot) {
    add_first(bounded, snapshot, "/proc/mounts", &MOUNTS, |text| {
        Some(mounts(text)).filter(|mounts| !mounts.is_empty())
    });
    add_first(
        bounded,
        snapshot,
        "/proc/sys/kernel/osrelease",
        &UNAMES,
        |text| Some(format!("{}\n", text.split_whitespace().nth(2)?)),
    );
    add_clocks(bounded, snapshot);
    if let Ok(text) = bounded.text(DISKS) {
        add_disks(&text, snapshot);
    }
    add_details(bounded, snapshot);
    let details = snapshot.commands.get(DETAILS);
    let details = details.map(|ran| ran.output.clone()).unwrap_or_default();
    for array in arrays(&details) {
        let level = format!("/sys/block/{}/md/level", array.name);
        if !snapshot.files.contains_key(&level) {
            snapshot.files.extend(array.files());
        }
    }
}

/// Adds a file that is missing from the first output that has it.
fn add_first(
    bounded: &Bounded,
    snapshot: &mut Snapshot,
    path: &str,
    outputs: &[&str],
    of: impl Fn(&str) -> Option<String>,
) {
    if snapshot.files.contains_key(path) {
        return;
    }
    let texts = outputs
        .iter()
        .filter_map(|output| bounded.text(output).ok());
    let found = texts.filter_map(|text| of(&text)).next();
    snapshot
        .files
        .extend(found.map(|text| (path.to_owned(), text)));
}

/// Turns `/dev/md0 on /srv type ext4 (rw,noatime) [data]` into a line of `/proc/mounts`.
fn mounts(text: &str) -> String {
    let line = |line: &str| {
        let (device, rest) = line.split_once(" on ")?;
        let (place, rest) = rest.split_once(" type ")?;
        let (kind, rest) = rest.split_once(" (")?;
        let (options, _) = rest.split_once(')')?;
        let place = place.replace(' ', "\\040");
        Some(format!("{device} {place} {kind} {options} 0 0\n"))
    };
    text.lines().filter_map(line).collect()
}

/// Adds the clocks of reports that have them by processor.
fn add_clocks(bounded: &Bounded, snapshot: &mut Snapshot) {
    let has_clocks = |path: &String| path.ends_with("/scaling_governor");
    if snapshot.files.keys().any(has_clocks) {
        return;
    }
    for name in bounded.root.list("/sys/devices/system/cpu") {
        let number = name.strip_prefix("cpu").unwrap_or_default();
        if number.parse::<u32>().is_err() {
            continue;
        }
        for file in [
            "scaling_governor",
            "scaling_driver",
            "energy_performance_preference",
        ] {
            let text = bounded.text(format!("/sys/devices/system/cpu/{name}/cpufreq/{file}"));
            let path = format!("{CPUFREQ}/policy{number}/{file}");
            snapshot.files.extend(text.ok().map(|text| (path, text)));
        }
    }
}

/// Adds the models of disks, and which partition is on which.
fn add_disks(text: &str, snapshot: &mut Snapshot) {
    for line in text.lines() {
        let value = |key: &str| -> Option<String> {
            let begins = format!(" {key}=\"");
            let line = format!(" {line}");
            let at = line.find(&begins)? + begins.len();
            let value = line[at..].split('"').next()?;
            Some(value.replace("\\x20", " ").trim().to_owned()).filter(|value| !value.is_empty())
        };
        let (Some(name), Some(kind)) = (value("KNAME").or_else(|| value("NAME")), value("TYPE"))
        else {
            continue;
        };
        let found = match (kind.as_str(), value("MODEL"), value("PKNAME")) {
            ("disk", Some(model), _) => Some((format!("/sys/block/{name}/device/model"), model)),
            ("part", _, Some(disk)) => {
                Some((format!("/sys/block/{disk}/{name}/start"), "0".to_owned()))
            }
            _ => None,
        };
        if let Some((path, text)) = found {
            snapshot.files.entry(path).or_insert(text);
        }
    }
}

/// Adds what `mdadm -D` printed of each array by itself.
fn add_details(bounded: &Bounded, snapshot: &mut Snapshot) {
    if snapshot
        .commands
        .get(DETAILS)
        .is_some_and(|ran| ran.output.contains("Raid Level"))
    {
        return;
    }
    let names = bounded.root.list(ARRAYS).into_iter();
    let names = names.filter(|name| DETAIL_NAMES.iter().any(|start| name.starts_with(start)));
    let texts = names.filter_map(|name| bounded.text(format!("{ARRAYS}/{name}")).ok());
    let output: String = texts.filter(|text| text.contains("Raid Level")).collect();
    if !output.is_empty() {
        let ran = CommandResult {
            exit: Some(0),
            output,
            error: None,
        };
        snapshot.commands.insert(DETAILS.to_owned(), ran);
    }
}

/// An array as `mdadm -D` shows it.
#[derive(Debug, Default)]
struct Detail<'a> {
    name: &'a str,
    /// What stands before and after ` : `.
    values: Vec<(&'a str, &'a str)>,
    /// The members, and their states.
    members: Vec<(&'a str, &'a str)>,
}

/// Reads the output of `mdadm -D`, one array after the other.
fn arrays(text: &str) -> Vec<Detail<'_>> {
    let mut found: Vec<Detail<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("/dev/") {
            found.push(Detail {
                name: name.trim_end().trim_end_matches(':'),
                ..Detail::default()
            });
        } else if let Some(array) = found.last_mut() {
            if let Some((key, value)) = line.split_once(" : ") {
                array.values.push((key.trim(), value.trim()));
            } else if let Some((state, member)) = line.split_once("/dev/") {
                array.members.push((member.trim(), state.trim()));
            }
        }
    }
    // The name of a link is not the kernel's.
    let is_kernels = |name: &str| {
        let number = name.strip_prefix("md").unwrap_or_default();
        number.parse::<u32>().is_ok()
    };
    found.retain(|array| is_kernels(array.name));
    found
}

impl Detail<'_> {
    fn value(&self, key: &str) -> Option<&str> {
        let found = self.values.iter().find(|(of, _)| *of == key);
        found.map(|(_, value)| *value)
    }

    /// Returns the files of `/sys/block/NAME` that say the same; none if its level is not shown.
    fn files(&self) -> Vec<(String, String)> {
        let Some(level) = self.value("Raid Level") else {
            return Vec::new();
        };
        let state = self.value("State").unwrap_or_default();
        let has = |word: &str| state.contains(word);
        let action = match () {
            () if has("resyncing") => "resync",
            () if has("recovering") => "recover",
            () if has("reshaping") => "reshape",
            () if has("checking") => "check",
            () => "idle",
        };
        let disks: Option<u64> = self
            .value("Raid Devices")
            .and_then(|text| text.parse().ok());
        let active: Option<u64> = self
            .value("Active Devices")
            .and_then(|text| text.parse().ok());
        let missing = disks.zip(active);
        let missing = missing.map(|(disks, active)| disks.saturating_sub(active));
        let chunk = self.value("Chunk Size").and_then(kib);
        let policy = self.value("Consistency Policy");
        // Without one, mdadm shows no such line; it is `none` only where the rest was read.
        let location = match self.value("Intent Bitmap") {
            Some("Internal") => Some("+8"),
            Some(_) => Some("file"),
            None => Some("none"),
        };
        let words = [
            ("level", Some(level.to_owned())),
            ("array_state", Some("active".to_owned())),
            ("layout", self.layout(level).map(|code| code.to_string())),
            ("raid_disks", disks.map(|disks| disks.to_string())),
            (
                "chunk_size",
                chunk.map(|kib| kib.saturating_mul(1024).to_string()),
            ),
            ("bitmap/location", location.map(str::to_owned)),
            ("consistency_policy", policy.map(str::to_owned)),
            ("metadata_version", self.value("Version").map(str::to_owned)),
            ("degraded", missing.map(|missing| missing.to_string())),
            ("sync_action", Some(action.to_owned())),
        ];
        let folder = format!("/sys/block/{}", self.name);
        let files = words
            .into_iter()
            .filter_map(|(file, text)| Some((format!("{folder}/md/{file}"), text?)));
        let members = self.members.iter().flat_map(|(member, state)| {
            let state = match () {
                () if state.contains("faulty") => "faulty",
                () if state.contains("active sync") => "in_sync",
                () => "spare",
            };
            [
                (format!("{folder}/md/dev-{member}/state"), state.to_owned()),
                (format!("{folder}/slaves/{member}"), String::new()),
            ]
        });
        files.chain(members).collect()
    }

    /// Returns the kernel's number of the layout.
    fn layout(&self, level: &str) -> Option<u64> {
        let layout = self.value("Layout")?;
        if level != "raid10" {
            let at = SYMMETRIES.iter().position(|name| *name == layout)?;
            return u64::try_from(at).ok();
        }
        // `near=2`, `far=2`, `offset=2`, `near=2, far=1`: as `setup_geo` of the kernel's raid10.c reads.
        let (mut near, mut far, mut is_offset) = (1, 1, false);
        for part in layout.split(',') {
            let (kind, copies) = part.trim().split_once('=')?;
            let copies: u64 = copies.parse().ok()?;
            match kind {
                "near" => near = copies,
                "far" => far = copies,
                "offset" => (far, is_offset) = (copies, true),
                _ => return None,
            }
        }
        Some(near | far << 8 | u64::from(is_offset) << 16)
    }
}

/// Reads `512K` or `1M`, in KiB.
fn kib(text: &str) -> Option<u64> {
    let (number, times) = match text.strip_suffix('M') {
        Some(number) => (number, 1024),
        None => (text.strip_suffix('K')?, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DETAIL: &str = "\
/dev/md0:
           Version : 1.2
     Creation Time : Sun Nov 22 10:00:00 2026
        Raid Level : raid5
        Array Size : 209584128 (199.88 GiB 214.61 GB)
      Raid Devices : 3
     Intent Bitmap : Internal
             State : clean, degraded
    Active Devices : 2
            Layout : left-symmetric
        Chunk Size : 512K
Consistency Policy : bitmap
    Number   Major   Minor   RaidDevice State
       0       8        1        0      active sync   /dev/sda1
       1       8       17        1      active sync   /dev/sdb1
       -       0        0        2      removed
       3       8       33        -      faulty        /dev/sdc1
";

    #[test]
    fn an_array_in_detail_has_the_files_of_the_kernel() {
        let arrays = arrays(DETAIL);
        let files: std::collections::BTreeMap<_, _> = arrays[0].files().into_iter().collect();
        for (file, expected) in [
            ("md/level", "raid5"),
            ("md/layout", "2"),
            ("md/raid_disks", "3"),
            ("md/chunk_size", "524288"),
            ("md/degraded", "1"),
            ("md/bitmap/location", "+8"),
            ("md/sync_action", "idle"),
            ("md/dev-sdc1/state", "faulty"),
            ("slaves/sda1", ""),
        ] {
            assert_eq!(files[&format!("/sys/block/md0/{file}")], expected, "{file}");
        }
        // What it does not say stays missing.
        assert!(!files.contains_key("/sys/block/md0/md/bitmap/chunksize"));
    }

    #[test]
    fn layouts_of_raid10_have_the_kernels_numbers() {
        for (layout, expected) in [
            ("near=2", Some(0x102)),
            ("far=2", Some(0x201)),
            ("offset=2", Some(0x1_0201)),
            ("left-symmetric", None),
        ] {
            let array = Detail {
                values: vec![("Layout", layout)],
                ..Detail::default()
            };
            assert_eq!(array.layout("raid10"), expected, "{layout}");
        }
    }

    #[test]
    fn mounts_and_disks_are_read_from_outputs() {
        let text = "/dev/md0 on /srv/a b type ext4 (rw,noatime) [data]\nsysfs on /sys\n";
        assert_eq!(mounts(text), "/dev/md0 /srv/a\\040b ext4 rw,noatime 0 0\n");
        let mut snapshot = Snapshot::default();
        let text = "NAME=\"sda\" KNAME=\"sda\" PKNAME=\"\" TYPE=\"disk\" MODEL=\"ACME\\x20SSD\"\n\
            NAME=\"sda1\" KNAME=\"sda1\" PKNAME=\"sda\" TYPE=\"part\" MODEL=\"\"\n";
        add_disks(text, &mut snapshot);
        assert_eq!(snapshot.files["/sys/block/sda/device/model"], "ACME SSD");
        assert_eq!(snapshot.files["/sys/block/sda/sda1/start"], "0");
    }
}
