//! Converts `[stack.NAME]` tables into stacks, and reports impossible ones.

use std::num::NonZeroU32;

use crate::bounds::{CHUNK_BYTES_MAX, DEVICES_MAX, KINDS_MAX, STRIPES_MAX};
use crate::filesystem_options::{wrong_mkfs_argument, wrong_mount_option};
use crate::locate::Path;
use crate::md::{self, NewArray};
use crate::raw::{
    ArrayTable, BesideTable, BitmapValue, FilesystemTable, FilesystemValue, StackTable,
    VolumeValue, WordOr,
};
use crate::rules::File;
use crate::settings;
use crate::source::{Entry, ProblemText, Source};
use stripewise_study::load::SIZE_BYTES_MAX;
use stripewise_study::notation::Notated;
use stripewise_study::stack::{
    Array, Beside, Bitmap, DeviceGroup, Filesystem, Level, Metadata, Stack, Volume,
};
use stripewise_units::Bytes;

const FILESYSTEMS: [&str; 10] = [
    "ext4", "xfs", "btrfs", "f2fs", "zfs", "ext2", "ext3", "jfs", "nilfs2", "bcachefs",
];
const CHUNK_BYTES_MIN: Bytes = Bytes::new(4096);
const CHUNK_BYTES_DEFAULT: Bytes = Bytes::new(512 << 10);
/// The default of mdadm 4.2 for `imsm` if it does not query the firmware (with
/// `IMSM_NO_PLATFORM=1`).
const CHUNK_BYTES_DEFAULT_IMSM: Bytes = Bytes::new(128 << 10);
/// The number of volumes that firmware supports in an `imsm` container ("volumes per array").
const IMSM_VOLUMES_MAX: usize = 2;
/// The most members of an array in md's old format (`MD_SB_DISKS` in md_p.h).
const MEMBERS_MAX_V0: u64 = 27;
/// The same in its newer ones (`super_1_load` in md.c: as many roles as a page has room for).
const MEMBERS_MAX_V1: u64 = (4096 - 256) / 2;
/// The kinds of groups that `group` makes several of.
const VDEVS: [&str; 5] = ["mirror", "raidz", "raidz1", "raidz2", "raidz3"];
const STRIPE_BYTES_DEFAULT: Bytes = Bytes::new(64 << 10);

/// Returns the stacks in the order of the file.
pub(crate) fn stacks(source: &mut Source, file: &File) -> Vec<Stack> {
    let entries = source.entries("stack");
    if entries.is_empty() {
        let report = ProblemText::new("the study has no stack", "nothing to test");
        source.problem(
            &Path::default().key("stack"),
            report.hint("add `[stack.here]` with `filesystem = \"existing\"`"),
        );
    }
    let mut stacks = Vec::new();
    for Entry { name, path, item } in entries {
        if let Some(table) = source.read::<StackTable>(&path, &item) {
            stacks.push(stack(source, &path, name, table, file));
        }
    }
    stacks
}

fn stack(source: &mut Source, path: &Path, name: String, table: StackTable, file: &File) -> Stack {
    let mut stack = Stack {
        name,
        devices: table.devices.0,
        adapter: table.adapter,
        array: None,
        volume: None,
        filesystem: Filesystem::None,
    };
    let has_devices = !stack.devices.is_empty();
    for (key, is_there) in [
        ("array", table.array.is_some()),
        ("volume", table.volume.is_some()),
    ] {
        if is_there && !has_devices {
            let report =
                ProblemText::new(format!("`{key}` needs devices"), "nothing to build it on");
            let hint = "name them: `devices = { \"PROFILE\" = 4 }`";
            source.problem(&path.key(key), report.at_key().hint(hint));
        }
    }
    let device_count = stack.device_count();
    check_devices(source, &path.key("devices"), &stack);
    let pools_devices = table.filesystem.as_ref().is_some_and(pools_devices);
    if table.array.is_none() && device_count > 1 && table.volume.is_none() && !pools_devices {
        let report = ProblemText::new(
            "several devices need an array or a volume",
            "more than one device",
        );
        let hint = "add `array = { level = \"raid10\" }` or `volume = \"linear\"`";
        source.problem(&path.key("devices"), report.hint(hint));
    }
    if has_devices {
        stack.array = table
            .array
            .map(|array| self::array(source, &path.key("array"), array, device_count, file));
    }
    stack.volume = table
        .volume
        .and_then(|value| volume(source, &path.key("volume"), value));
    stack.filesystem = filesystem(source, &path.key("filesystem"), table.filesystem, &stack);
    stack
}

/// Refuses more devices than any world can build.
fn check_devices(source: &mut Source, path: &Path, stack: &Stack) {
    let (kinds, count) = (stack.counts_by_profile().len(), stack.device_count());
    if count > DEVICES_MAX {
        let report = ProblemText::new(
            format!("a stack has at most {DEVICES_MAX} devices"),
            format!("this has {count}"),
        );
        source.problem(path, report.hint("name fewer"));
    } else if kinds > KINDS_MAX {
        let report = ProblemText::new(
            format!("a stack has at most {KINDS_MAX} kinds of devices"),
            format!("this has {kinds}"),
        );
        source.problem(path, report.hint("name fewer"));
    }
}

/// Refuses a size that no array or file has.
pub(crate) fn check_size(source: &mut Source, path: &Path, size: Bytes) {
    if size > SIZE_BYTES_MAX {
        let report = ProblemText::new(format!("a size is at most {SIZE_BYTES_MAX}"), "too large");
        source.problem(path, report.hint("no file or device is larger"));
    }
}

/// Returns whether a filesystem combines several devices itself.
fn pools_devices(value: &FilesystemValue) -> bool {
    let kind = match value {
        WordOr::Word(word) => word,
        WordOr::Table(table) => &table.kind,
    };
    ["btrfs", "zfs"].contains(&kind.as_str())
}

fn array(
    source: &mut Source,
    path: &Path,
    table: ArrayTable,
    device_count: u64,
    file: &File,
) -> Array {
    let level = table.level;
    let wanted = NewArray {
        level,
        device_count,
        metadata: table.metadata.unwrap_or(Metadata::V1_2),
        kernel: file.oldest_kernel(),
    };
    if device_count < u64::from(level.devices_min()) {
        let report = ProblemText::new(
            format!("{level} needs at least {} devices", level.devices_min()),
            format!("`devices` names {device_count}"),
        );
        source.problem(
            &path.key("level"),
            report.hint("name more devices or another level"),
        );
    } else if let Some(layout) = &table.layout
        && let Err(missing) = md::check_layout(layout, wanted)
    {
        let report = ProblemText::new(missing.message, "no such layout here");
        source.problem(&path.key("layout"), report.hint(missing.hint));
    }
    check_members(source, path, wanted);
    let chunk = table.chunk.as_ref().map(|chunk| chunk.0);
    check_chunk(source, &path.key("chunk"), level, chunk);
    if let Some(size) = &table.size {
        check_size(source, &path.key("size"), size.0);
    }
    check_beside(
        source,
        path,
        &table.beside,
        table.size.as_ref(),
        wanted.metadata,
    );
    let bitmap = bitmap(source, &path.key("bitmap"), level, &table.bitmap);
    let settings = settings::of_array(source, path, &table, wanted, bitmap);
    let beside = table
        .beside
        .into_iter()
        .map(|volume| beside(source, path, volume))
        .collect();
    Array {
        level,
        layout: table.layout.or_else(|| md::default_layout(wanted)),
        chunk_bytes: level
            .has_chunk()
            .then(|| chunk.unwrap_or(default_chunk(wanted.metadata))),
        bitmap,
        metadata: wanted.metadata,
        assume_clean: table.assume_clean.unwrap_or(false),
        size_bytes: table.size.map(|size| size.0),
        beside,
        settings,
    }
}

/// Refuses more members than the superblock has room for.
fn check_members(source: &mut Source, path: &Path, wanted: NewArray) {
    let most = match wanted.metadata {
        Metadata::V0_90 => MEMBERS_MAX_V0,
        Metadata::V1_0 | Metadata::V1_1 | Metadata::V1_2 => MEMBERS_MAX_V1,
        Metadata::Imsm | Metadata::Ddf => return,
    };
    if wanted.device_count > most && wanted.device_count <= DEVICES_MAX {
        let report = ProblemText::new(
            format!(
                "md supports at most {most} members with metadata {}",
                wanted.metadata
            ),
            format!("`devices` names {}", wanted.device_count),
        );
        source.problem(&path.key("level"), report.hint("name fewer devices"));
    }
}

fn default_chunk(metadata: Metadata) -> Bytes {
    match metadata {
        Metadata::Imsm => CHUNK_BYTES_DEFAULT_IMSM,
        _ => CHUNK_BYTES_DEFAULT,
    }
}

/// Several volumes need a container, and the first must leave room for the others.
fn check_beside(
    source: &mut Source,
    path: &Path,
    beside: &[BesideTable],
    size: Option<&Notated<Bytes>>,
    metadata: Metadata,
) {
    if beside.is_empty() {
        return;
    }
    let place = path.key("beside");
    if metadata != Metadata::Imsm {
        let report = ProblemText::new(
            format!("metadata `{metadata}` does not support further volumes"),
            "needs a container",
        );
        let hint = "add `metadata = \"imsm\"`, or leave `beside` out";
        source.problem(&place, report.at_key().hint(hint));
    } else if beside.len() >= IMSM_VOLUMES_MAX {
        let report = ProblemText::new(
            format!("an imsm container holds {IMSM_VOLUMES_MAX} volumes"),
            format!("{} with the one under test", beside.len() + 1),
        );
        source.problem(&place, report.at_key().hint("list one further volume"));
    } else if size.is_none() {
        let report = ProblemText::new("the array leaves no room", "nothing is left for it");
        let hint = "limit how much of each member the array uses: `size = \"100G\"`";
        source.problem(&place, report.at_key().hint(hint));
    }
}

fn beside(source: &mut Source, path: &Path, table: BesideTable) -> Beside {
    let chunk = table.chunk.map(|chunk| chunk.0);
    check_chunk(source, &path.key("beside"), table.level, chunk);
    if let Some(size) = &table.size {
        check_size(source, &path.key("beside"), size.0);
    }
    Beside {
        level: table.level,
        chunk_bytes: table
            .level
            .has_chunk()
            .then(|| chunk.unwrap_or(CHUNK_BYTES_DEFAULT_IMSM)),
        size_bytes: table.size.map(|size| size.0),
    }
}

/// mdadm(8): raid4, 5, 6 and 10 need a power of two of at least 4 KiB; raid0 a multiple of 4 KiB.
fn check_chunk(source: &mut Source, path: &Path, level: Level, chunk: Option<Bytes>) {
    let Some(chunk) = chunk else {
        return;
    };
    if !level.has_chunk() {
        let report =
            ProblemText::new(format!("{level} has no chunks"), "has no effect here").at_key();
        source.problem(path, report.hint("leave `chunk` out"));
        return;
    }
    if chunk > CHUNK_BYTES_MAX {
        let report = ProblemText::new(format!("a chunk is at most {CHUNK_BYTES_MAX}"), "too large");
        source.problem(
            path,
            report.hint("no I/O is longer, so none would reach a second chunk"),
        );
        return;
    }
    let bytes = chunk.as_u64();
    let fits = match level {
        Level::Raid0 => bytes.is_multiple_of(CHUNK_BYTES_MIN.as_u64()),
        _ => bytes.is_power_of_two() && chunk >= CHUNK_BYTES_MIN,
    };
    if fits {
        return;
    }
    let (rule, label) = match level {
        Level::Raid0 => (
            "the chunk of raid0 must be a multiple of 4K".to_owned(),
            "not a multiple of 4K",
        ),
        _ => (
            format!("the chunk of {level} must be a power of two of at least 4K"),
            if bytes.is_power_of_two() {
                "too small"
            } else {
                "not a power of two"
            },
        ),
    };
    let near = near_chunk(bytes);
    source.problem(
        path,
        ProblemText::new(rule, label).hint(format!("nearest: {near}")),
    );
}

fn near_chunk(bytes: u64) -> String {
    let above = bytes
        .max(CHUNK_BYTES_MIN.as_u64())
        .checked_next_power_of_two()
        .unwrap_or(1 << 63);
    let below = (above / 2).max(CHUNK_BYTES_MIN.as_u64());
    if below == above {
        format!("`\"{}\"`", Bytes::new(above))
    } else {
        format!("`\"{}\"` or `\"{}\"`", Bytes::new(below), Bytes::new(above))
    }
}

fn bitmap(source: &mut Source, path: &Path, level: Level, value: &Option<BitmapValue>) -> Bitmap {
    let bitmap = match value {
        None => return Bitmap::None,
        Some(WordOr::Table(table)) => {
            let chunk = table.chunk.0;
            if !chunk.as_u64().is_power_of_two()
                || chunk < CHUNK_BYTES_MIN
                || chunk > SIZE_BYTES_MAX
            {
                let report = ProblemText::new(
                    "the chunk of a bitmap must be a power of two of at least 4K",
                    "not a power of two of at least 4K",
                );
                source.problem(&path.key("chunk"), report.hint("for instance `\"64M\"`"));
            }
            Bitmap::Internal {
                chunk_bytes: Some(chunk),
            }
        }
        Some(WordOr::Word(word)) => match word.as_str() {
            "none" => return Bitmap::None,
            "internal" => Bitmap::Internal { chunk_bytes: None },
            _ => {
                let report = ProblemText::new(format!("md has no bitmap `{word}`"), "unknown");
                let hint = "use `\"none\"`, `\"internal\"` or `{ chunk = \"64M\" }`";
                source.problem(path, report.hint(hint));
                return Bitmap::None;
            }
        },
    };
    if !level.has_bitmap() {
        let report = ProblemText::new(
            format!("{level} keeps no bitmap"),
            "no redundancy to resync",
        );
        source.problem(path, report.hint("leave `bitmap` out"));
    }
    bitmap
}

fn volume(source: &mut Source, path: &Path, value: VolumeValue) -> Option<Volume> {
    match value {
        WordOr::Table(table) => {
            let stripe_bytes = table
                .stripe_size
                .map_or(STRIPE_BYTES_DEFAULT, |size| size.0);
            check_stripes(source, path, table.stripes, stripe_bytes);
            Some(Volume::Striped {
                stripes: table.stripes,
                stripe_bytes,
            })
        }
        WordOr::Word(word) => match word.as_str() {
            "linear" => Some(Volume::Linear),
            "none" => None,
            _ => {
                let report =
                    ProblemText::new(format!("LVM has no volume `{word}` here"), "unknown");
                let two = NonZeroU32::MIN.saturating_add(1);
                let hint =
                    format!("use `\"linear\"` or `{{ stripes = {two}, stripe_size = \"64K\" }}`");
                source.problem(path, report.hint(hint));
                None
            }
        },
    }
}

/// lvcreate(8): at most 128 stripes, each a power of two of at least a page.
fn check_stripes(source: &mut Source, path: &Path, stripes: NonZeroU32, stripe_bytes: Bytes) {
    if stripes.get() > STRIPES_MAX {
        let report = ProblemText::new(
            format!("LVM allows at most {STRIPES_MAX} stripes"),
            "too many",
        );
        source.problem(&path.key("stripes"), report.hint("name fewer"));
    }
    let fits = stripe_bytes.as_u64().is_power_of_two()
        && (CHUNK_BYTES_MIN..=CHUNK_BYTES_MAX).contains(&stripe_bytes);
    if !fits {
        let report = ProblemText::new(
            format!(
                "the size of a stripe must be a power of two from {CHUNK_BYTES_MIN} to {CHUNK_BYTES_MAX}"
            ),
            "not possible",
        );
        source.problem(
            &path.key("stripe_size"),
            report.hint("for instance `\"64K\"`"),
        );
    }
}

fn filesystem(
    source: &mut Source,
    path: &Path,
    value: Option<FilesystemValue>,
    stack: &Stack,
) -> Filesystem {
    let has_devices = !stack.devices.is_empty();
    let is_word = matches!(value, Some(WordOr::Word(_)));
    let table = match value {
        None if has_devices => return Filesystem::None,
        None => return Filesystem::Existing,
        Some(WordOr::Word(word)) => match word.as_str() {
            "none" => {
                if !has_devices {
                    let report = ProblemText::new("nothing to test", "no device and no filesystem");
                    source.problem(path, report.hint("use `\"existing\"`, or name devices"));
                }
                return Filesystem::None;
            }
            "existing" => {
                if has_devices {
                    let report = ProblemText::new(
                        "an existing filesystem already has its devices",
                        "with `devices`",
                    );
                    source.problem(
                        path,
                        report.hint("leave `devices` out, or name a type such as `\"ext4\"`"),
                    );
                }
                return Filesystem::Existing;
            }
            _ => FilesystemTable {
                kind: word,
                mkfs: Vec::new(),
                options: Vec::new(),
                group: None,
                log: None,
            },
        },
        Some(WordOr::Table(table)) => table,
    };
    let place = if is_word {
        path.clone()
    } else {
        path.key("type")
    };
    if !FILESYSTEMS.contains(&table.kind.as_str()) {
        let report = ProblemText::new(format!("unknown filesystem `{}`", table.kind), "unknown");
        source.problem(
            &place,
            report.hint(format!("known: existing, none, {}", FILESYSTEMS.join(", "))),
        );
    } else if !has_devices {
        let report = ProblemText::new("a new filesystem needs devices", "no device for it");
        let hint = "name devices, or use `\"existing\"`";
        source.problem(&place, report.hint(hint));
    }
    check_options(source, path, &table);
    check_vdevs(source, path, &table, stack);
    Filesystem::Made {
        kind: table.kind,
        mkfs: table.mkfs,
        options: table.options,
        group: table.group,
        log: table.log,
    }
}

/// Refuses groups and a log that the pool cannot have.
fn check_vdevs(source: &mut Source, path: &Path, table: &FilesystemTable, stack: &Stack) {
    let devices = &stack.devices;
    let keys = [
        ("group", table.group.is_some()),
        ("log", table.log.is_some()),
    ];
    let is_below = stack.array.is_some() || stack.volume.is_some();
    if table.kind != "zfs" || is_below {
        for (key, _) in keys.into_iter().filter(|(_, is_there)| *is_there) {
            let report = ProblemText::new(
                format!("`{key}` is for a zfs pool that lies on the devices themselves"),
                "no such pool",
            );
            source.problem(&path.key(key), report.hint("leave it out"));
        }
        return;
    }
    let count = |groups: &mut dyn Iterator<Item = &DeviceGroup>| -> u64 {
        groups.map(|group| u64::from(group.count.get())).sum()
    };
    let is_log = |group: &&DeviceGroup| Some(&group.profile) == table.log.as_ref();
    let log = count(&mut devices.iter().filter(is_log));
    let data = count(&mut devices.iter()) - log;
    if table.log.is_some() && (log == 0 || data == 0) {
        let report = ProblemText::new("the log needs devices of its own", "not among several");
        let hint = "name a profile under `devices`, beside that of the data";
        source.problem(&path.key("log"), report.hint(hint));
    } else if devices.iter().filter(is_log).count() > 1 {
        let report = ProblemText::new("the devices of the log stand together", "in several places");
        let hint = "name the log's devices one after the other under `devices`";
        source.problem(&path.key("log"), report.hint(hint));
    }
    let Some(group) = table.group.map(|group| u64::from(group.get())) else {
        return;
    };
    let is_vdev = |word: &String| VDEVS.contains(&word.as_str());
    if !table.mkfs.last().is_some_and(is_vdev) {
        let report = ProblemText::new("`group` needs a mirror or raidz", "devices stand alone");
        let hint = "end `mkfs` with `\"mirror\"` or `\"raidz\"`";
        source.problem(&path.key("group"), report.hint(hint));
    } else if data > 0 && !data.is_multiple_of(group) {
        let report = ProblemText::new(
            format!("{data} devices cannot be divided into groups of {group}"),
            "not possible",
        );
        source.problem(&path.key("group"), report.hint("name another number"));
    }
}

/// Refuses arguments that reach beyond the filesystem.
fn check_options(source: &mut Source, path: &Path, table: &FilesystemTable) {
    let mkfs = wrong_mkfs_argument(&table.kind, &table.mkfs).map(|wrong| ("mkfs", wrong));
    let options = wrong_mount_option(&table.options).map(|wrong| ("options", wrong));
    for (key, (problem, hint)) in [mkfs, options].into_iter().flatten() {
        source.problem(&path.key(key), ProblemText::new(problem, "here").hint(hint));
    }
}
