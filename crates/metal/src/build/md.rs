//! md arrays, with md's own superblocks or as volumes in a container of firmware RAID.
//!
//! Options: mdadm(8), section "For create, build, or grow". `IMSM_NO_PLATFORM` builds Intel's
//! containers on disks without an Intel controller; `IMSM_DEVNAME_AS_SERIAL` uses the device name
//! of a disk that reports no serial number (both in mdadm's `super-intel.c`).

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use stripewise_machine::Root;
use stripewise_process::{Call, CallError};
use stripewise_study::stack::{Array, Beside, Bitmap, Level, Metadata};
use stripewise_study::world::{Change, Watch, WorldError};
use stripewise_units::Bytes;

use super::builder::{Base, Builder};
use super::emptied::{UndoError, empty};
use super::identity::{draw_md_uuid, draw_name};
use super::sysfs;
use crate::array::Md;
use crate::array_settings;
use crate::device::{Announced, OwnDevices, clear_new_layer};
use crate::tool::{MDADM, ToolCall, UDEVADM, wait_until};
use crate::undone::Undone;

/// The home host of our arrays: no machine of this name assembles them at boot.
const HOMEHOST: &str = "stripewise";
/// The type that `wipefs` prints for a member of an md array.
const NATIVE_MEMBER: &str = "linux_raid_member";
/// The type that `wipefs` prints for a member of an Intel container.
const FIRMWARE_MEMBER: &str = "isw_raid_member";
/// How long the first sync may take: a day, for disks of 18 TB.
const SYNC_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// How often to stop an array that udev rules assemble again.
const STOP_ATTEMPTS: u32 = 20;

/// A running array.
#[derive(Debug, Clone)]
pub(crate) struct BuiltArray {
    /// The array under test.
    pub(crate) device: PathBuf,
    /// The kernel's names of all arrays that were built, containers left out.
    pub(crate) names: Vec<String>,
}

/// Builds the array of a study over `members`.
pub(crate) fn build(
    builder: &mut Builder,
    array: &Array,
    members: &[Base],
) -> Result<BuiltArray, WorldError> {
    let built = match array.metadata.is_firmware() {
        true => container(builder, array, members)?,
        false => native(builder, array, members)?,
    };
    settle();
    // Until it is in sync, resync I/O would disturb the measurement.
    for name in &built.names {
        clear_new_layer(&Path::new("/dev").join(name))?;
        running_array(name).wait_until_whole(SYNC_LIMIT, builder.watch)?;
    }
    if let Some(name) = built.names.first() {
        let names: Vec<String> = Base::paths(members)
            .iter()
            .map(|member| sysfs::kernel_name(member).unwrap_or_default())
            .collect();
        array_settings::apply(&running_array(name), &array.settings, &names)?;
    }
    Ok(built)
}

fn running_array(name: &str) -> Md {
    Md::new(&Root::live(), name)
}

/// Waits for udev, if there is one, to release new devices.
pub(crate) fn settle() {
    // Without udev there is nothing to wait for, and that is no error.
    let _ = UDEVADM.call(["settle", "--timeout=10"]).run_to_the_end();
}

fn native(builder: &mut Builder, array: &Array, bases: &[Base]) -> Result<BuiltArray, WorldError> {
    let members = &Base::paths(bases)[..];
    let device = sysfs::free_md();
    let uuid = draw_md_uuid(builder.token)?;
    builder.announce(Change::BuiltArray {
        device: device.clone(),
        uuid: uuid.clone(),
        members: Base::names(bases),
    })?;
    let mut arguments = create_arguments(array);
    arguments.extend([format!("--uuid={uuid}"), format!("--homehost={HOMEHOST}")]);
    // Metadata 0.90 has no room for a name.
    if array.metadata != Metadata::V0_90 {
        arguments.push(format!("--name={}", draw_name()?));
    }
    // mdadm rejects fewer than two members without it.
    arguments.extend((members.len() == 1).then(|| "--force".into()));
    arguments.extend(array.assume_clean.then(|| "--assume-clean".into()));
    let call = create(&device, members.len(), arguments).args(members);
    builder.run(
        call,
        &format!("build {} of {} devices", array.level, members.len()),
    )?;
    Ok(BuiltArray {
        names: name_of(&device).into_iter().collect(),
        device,
    })
}

/// Builds a container, the volume under test in it, then the volumes beside it.
fn container(
    builder: &mut Builder,
    array: &Array,
    bases: &[Base],
) -> Result<BuiltArray, WorldError> {
    let members = &Base::paths(bases)[..];
    let device = sysfs::free_md();
    let mut volumes = vec![Beside {
        level: array.level,
        chunk_bytes: array.chunk_bytes,
        size_bytes: array.size_bytes,
    }];
    volumes.extend(array.beside.iter().cloned());
    let names: Vec<String> = volumes
        .iter()
        .map(|_| draw_name())
        .collect::<Result<_, _>>()?;
    builder.announce(Change::BuiltContainer {
        device: device.clone(),
        volumes: names.clone(),
        members: Base::names(bases),
    })?;
    let call = create(&device, members.len(), vec!["--metadata=imsm".into()]).args(members);
    builder.run(
        firmware(call, members),
        &format!("build an imsm container of {} devices", members.len()),
    )?;
    let mut built = Vec::new();
    for (volume, name) in volumes.iter().zip(names) {
        let volume_device = sysfs::free_md();
        // Intel's RAID 1 has two members; mdadm chooses them among the disks of the container.
        let count = match volume.level {
            Level::Raid1 => members.len().min(2),
            _ => members.len(),
        };
        let mut arguments = vec![format!("--name={name}")];
        arguments.extend(volume_arguments(
            volume.level,
            volume.chunk_bytes,
            volume.size_bytes,
        ));
        arguments.extend(array.assume_clean.then(|| "--assume-clean".into()));
        let call = create(&volume_device, count, arguments).args([&device]);
        builder.run(
            firmware(call, members),
            &format!(
                "build volume {} in an imsm container of {} devices",
                volume.level,
                members.len()
            ),
        )?;
        built.push(volume_device);
    }
    Ok(BuiltArray {
        device: built[0].clone(),
        names: built.iter().filter_map(|device| name_of(device)).collect(),
    })
}

/// Returns the options of `mdadm --create` that say what `array` is, for anyone who builds it.
pub fn create_arguments(array: &Array) -> Vec<String> {
    // mdadm requires the level before the options that depend on it.
    let mut arguments = volume_arguments(array.level, array.chunk_bytes, array.size_bytes);
    arguments.push(format!("--metadata={}", array.metadata));
    match array.bitmap {
        Bitmap::None => arguments.extend(array.level.has_bitmap().then(|| "--bitmap=none".into())),
        Bitmap::Internal { chunk_bytes } => {
            arguments.push("--bitmap=internal".into());
            let chunk = chunk_bytes.map(|chunk| format!("--bitmap-chunk={}", kib(chunk)));
            arguments.extend(chunk);
        }
    }
    let policy = array.settings.consistency_policy;
    arguments.extend(policy.map(|policy| format!("--consistency-policy={policy}")));
    let layout = array.layout.as_ref();
    arguments.extend(layout.map(|layout| format!("--layout={layout}")));
    arguments
}

fn create(device: &Path, count: usize, arguments: Vec<String>) -> Call {
    MDADM
        .call(["--create"])
        .args([device])
        // Without it mdadm asks for confirmation.
        .args(["--run", &format!("--raid-devices={count}")])
        .args(arguments)
}

fn volume_arguments(level: Level, chunk: Option<Bytes>, size: Option<Bytes>) -> Vec<String> {
    let mut arguments = vec![format!("--level={level}")];
    arguments.extend(chunk.map(|chunk| format!("--chunk={}", kib(chunk))));
    arguments.extend(size.map(|size| format!("--size={}", kib(size))));
    arguments
}

/// Sets the variables that let mdadm work on a container behind any controller. Its monitor is its
/// child and inherits them.
fn firmware(call: Call, members: &[PathBuf]) -> Call {
    let call = call.envs([("IMSM_NO_PLATFORM", "1"), ("MDADM_NO_SYSTEMCTL", "1")]);
    let has_serial = |member: &PathBuf| {
        let name = sysfs::kernel_name(member).unwrap_or_default();
        name.starts_with("sd") || name.starts_with("nvme")
    };
    match members.iter().all(has_serial) {
        true => call,
        false => call.envs([("IMSM_DEVNAME_AS_SERIAL", "1")]),
    }
}

/// Returns a size in mdadm's unit.
fn kib(bytes: Bytes) -> u64 {
    bytes.as_u64() / 1024
}

fn name_of(device: &Path) -> Option<String> {
    Some(device.file_name()?.to_str()?.to_owned())
}

/// Waits until all arrays are marked clean, some 200 ms after the last write (`safe_mode_delay`),
/// so that superblock writes fall into the same place of every sample. Gives up silently after two
/// seconds.
pub(crate) fn wait_until_clean(names: &[String], watch: &mut dyn Watch) -> Result<(), WorldError> {
    const LIMIT: Duration = Duration::from_secs(2);
    let mut are_clean = || {
        names.iter().all(|name| {
            let md = running_array(name);
            let has_state = md.word("sync_action").is_some();
            let state = md.word("array_state");
            !has_state
                || state.is_none_or(|state| {
                    !matches!(&*state, "active" | "write-pending" | "active-idle")
                })
        })
    };
    wait_until(LIMIT, watch, &mut are_clean).map(|_reached| ())
}

/// Waits until superblocks are written. md's thread records the removal of members after mdadm has
/// returned (`hot_remove_disk`), and `array_state` is `clean` before the members' superblocks are
/// (`set_in_sync`, then `md_update_sb`). sysfs does not show when it is done.
pub(crate) fn wait_for_superblocks(watch: &mut dyn Watch) -> Result<(), WorldError> {
    const LONG_ENOUGH: Duration = Duration::from_millis(500);
    wait_until(LONG_ENOUGH, watch, &mut || false).map(|_reached| ())
}

/// Clears the bits of earlier writes, and stops md from clearing bits until
/// [`restore_bitmap_interval`]. Otherwise it would be chance whether md's daemon runs between two
/// reads of the counters.
///
/// The daemon runs every `time_base` seconds (Documentation/admin-guide/md.rst), and clears a bit
/// after three runs (`md_bitmap_daemon_work`). After `--create` all bits are set.
pub(crate) fn clear_bitmaps(names: &[String], watch: &mut dyn Watch) -> Result<(), WorldError> {
    const TEN_VISITS: Duration = Duration::from_secs(1);
    set_time_base(names, "0.1")?;
    wait_until(TEN_VISITS, watch, &mut || false)?;
    set_time_base(names, "3600")
}

/// Reads the first page of each array of raid1 once for each member, past the page cache, so that
/// no member of a new array stands at sector 0.
///
/// raid1 reads the member whose latest read or write ended where the read begins (`read_balance`
/// in raid1.c), and all members of a new array stand at sector 0. mdadm, the search for signatures
/// and the scan for partitions read that sector, too, and each such read moves one of them: how many
/// are left would be chance.
pub(crate) fn leave_sector_0(names: &[String]) -> Result<(), WorldError> {
    const PAGE: usize = 4096;
    for name in names {
        let md = running_array(name);
        let Some(members) = md.number("raid_disks").filter(|_| {
            md.word("level")
                .is_some_and(|level| level == Level::Raid1.as_str())
        }) else {
            continue;
        };
        let path = format!("/dev/{name}");
        let read = || -> std::io::Result<()> {
            let device = rustix::fs::open(&path, OFlags::RDONLY | OFlags::DIRECT, Mode::empty())?;
            let device = fs::File::from(device);
            // Direct I/O needs a page that begins at a page's border.
            let mut buffer = vec![0; 2 * PAGE];
            let start = buffer.as_ptr().align_offset(PAGE);
            for _member in 0..members {
                device.read_exact_at(&mut buffer[start..start + PAGE], 0)?;
            }
            Ok(())
        };
        read().map_err(|source| {
            WorldError::failed(format!("failed to read the start of `{path}`"), source)
        })?;
    }
    Ok(())
}

/// Restores mdadm's default interval for clearing bitmaps: five seconds.
pub(crate) fn restore_bitmap_interval(names: &[String]) -> Result<(), WorldError> {
    set_time_base(names, "5")
}

fn set_time_base(names: &[String], seconds: &str) -> Result<(), WorldError> {
    let mut names = names.iter();
    names.try_for_each(|name| running_array(name).set("bitmap/time_base", seconds))
}

/// Stops our array wherever it runs, recognised by its UUID, and removes the superblocks from its
/// members; unless another program made something on it.
pub(crate) fn undo_array(
    own: &OwnDevices,
    device: &Path,
    uuid: &str,
    members: &[PathBuf],
) -> Result<Undone, UndoError> {
    let present = own.present(members);
    let is_ours = |name: &str| {
        let known = running_array(name).word("uuid");
        known.is_some_and(|known| is_same_uuid(&known, uuid))
            || match detail(name, "MD_UUID") {
                Some(found) => found == uuid,
                None => is_unfinished(own, device, name, &present.paths),
            }
    };
    let is_stopped = stop(own, device, &present.paths, &is_ours)?;
    if !is_stopped {
        look_into(own, uuid, &present.paths)?;
    }
    empty(own, &present, is_stopped, &|_, _| false)
}

/// Assembles our stopped array read-only to check it for foreign signatures. If it does not
/// assemble, it was never finished, is half wiped, or lacks members and cannot be read.
fn look_into(own: &OwnDevices, uuid: &str, members: &[PathBuf]) -> Result<(), UndoError> {
    let mut in_it: Vec<&PathBuf> = Vec::new();
    for member in members {
        let (found, are_ours) = own.signatures(member)?;
        if are_ours && found.iter().any(|found| found.kind == NATIVE_MEMBER) {
            in_it.push(member);
        }
    }
    if in_it.is_empty() {
        return Ok(());
    }
    let device = sysfs::free_md();
    let started = MDADM
        .call(["--assemble"])
        .args([&device])
        .args(["--readonly", "--run", "--config=none"])
        .args([format!("--uuid={uuid}")])
        .args(&in_it)
        .run_to_the_end();
    let looked = match (started, name_of(&device)) {
        (Ok(_), Some(name)) => check_only_ours(own, &name),
        _ => Ok(()),
    };
    settle();
    // A failed assembly may leave a part of it running.
    let _ = MDADM.call(["--stop"]).args([&device]).run_to_the_end();
    let shown: Vec<String> = in_it
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let (device, members) = (device.display(), shown.join(" "));
    looked.map_err(|error| {
        error.after(&format!(
            "start it (`mdadm --assemble --run {device} {members}`)"
        ))
    })
}

/// Returns whether the UUID of an array in sysfs is the one that we passed to mdadm. For metadata
/// 0.90 mdadm treats it as four numbers, and the kernel as bytes in disk order.
///
/// sysfs shows the UUID (`uuid_show` in `md.c`; not in old kernels) even if all members are gone,
/// from which mdadm reads it.
fn is_same_uuid(in_sysfs: &str, uuid: &str) -> bool {
    let digits = |text: &str| text.replace(['-', ':'], "").to_ascii_lowercase();
    let (in_sysfs, uuid) = (digits(in_sysfs), digits(uuid));
    let swapped = || -> Option<String> {
        let numbers = uuid.as_bytes().chunks(8).map(|number| {
            let number = u32::from_str_radix(str::from_utf8(number).ok()?, 16).ok()?;
            Some(format!("{:08x}", number.swap_bytes()))
        });
        numbers.collect()
    };
    in_sysfs == uuid || swapped().is_some_and(|swapped| in_sysfs == swapped)
}

/// Stops a container with its volumes, and removes the superblocks from its members.
pub(crate) fn undo_container(
    own: &OwnDevices,
    device: &Path,
    volumes: &[String],
    members: &[PathBuf],
) -> Result<Undone, UndoError> {
    let present = own.present(members);
    let is_member = |member: &Path| has_our_volumes(own, volumes, member).unwrap_or(false);
    for volume in unfinished_volumes(own, device) {
        let call = MDADM.call(["--stop", &format!("/dev/{volume}")]);
        call.run_to_the_end()?;
    }
    // Every present member describes the volumes and the container. Other members may be wiped
    // already.
    let is_ours = |name: &str| {
        let slaves = sysfs::slaves(name);
        let is_in_it = |member: &&PathBuf| {
            sysfs::kernel_name(member).is_some_and(|member| slaves.contains(&member))
        };
        let mut in_it = present.paths.iter().filter(is_in_it).peekable();
        (in_it.peek().is_some() && in_it.all(|member| is_member(member)))
            || is_unfinished(own, device, name, &present.paths)
    };
    let is_stopped = stop(own, device, &present.paths, &is_ours)?;
    empty(own, &present, is_stopped, &|member, found| {
        found.kind == FIRMWARE_MEMBER && is_member(member)
    })
}

/// Returns the volumes of a container that had no members yet when mdadm was killed. The members do
/// not list them, and mdadm stops the container without seeing them (`mdstat_read`).
fn unfinished_volumes(own: &OwnDevices, container: &Path) -> Vec<String> {
    let Some(container) = name_of(container).filter(|_| own.announced == Announced::SinceStart)
    else {
        return Vec::new();
    };
    let prefix = format!("external:/{container}/");
    let mut names = sysfs::all();
    names.retain(|name| {
        running_array(name)
            .word("metadata_version")
            .is_some_and(|word| word.starts_with(&prefix))
            && sysfs::size_bytes(name) == Some(0)
            && sysfs::slaves(name).is_empty()
    });
    names
}

/// Returns whether an array is the one that was being created when we were killed: no superblock is
/// written yet, so we know only its name. Names are valid until the next boot.
fn is_unfinished(own: &OwnDevices, device: &Path, name: &str, members: &[PathBuf]) -> bool {
    let is_bare = |member: &PathBuf| {
        let found = own.signatures(member);
        found.is_ok_and(|(_, are_ours)| are_ours)
    };
    own.announced == Announced::SinceStart
        && name_of(device).as_deref() == Some(name)
        && !members.is_empty()
        && members.iter().all(is_bare)
}

/// Returns whether a device is a member of our container: all volumes on it have names that the run
/// drew.
///
/// A container without volumes has no owner's mark: it gets its UUID with the first volume
/// (`brief_examine_super_imsm` in mdadm's `super-intel.c`), and a foreign spare looks the same. It
/// is ours if the machine has not rebooted since, and the device still carries the marker that we
/// wrote before creating the container.
fn has_our_volumes(own: &OwnDevices, volumes: &[String], member: &Path) -> Result<bool, UndoError> {
    let (found, _) = own.signatures(member)?;
    if !found.iter().any(|found| found.kind == FIRMWARE_MEMBER) {
        return Ok(false);
    }
    let on_it = volumes_on(member)?;
    Ok(match on_it.is_empty() {
        true => own.announced == Announced::SinceStart && own.is_marked(member),
        false => on_it.iter().all(|name| volumes.contains(name)),
    })
}

/// Returns one value of `mdadm --detail` for a running array.
fn detail(name: &str, key: &str) -> Option<String> {
    let call = MDADM.call(["--detail", "--export", &format!("/dev/{name}")]);
    let printed = call.run_to_the_end().ok()?;
    let mut lines = printed.lines();
    lines.find_map(|line| Some(line.strip_prefix(key)?.strip_prefix('=')?.to_owned()))
}

/// Returns the names of the volumes in the container that a device belongs to.
fn volumes_on(member: &Path) -> Result<Vec<String>, CallError> {
    let call = MDADM.call(["--examine", "--brief"]).args([member]);
    let printed = firmware(call, &[member.to_owned()]).run_to_the_end()?;
    Ok(parse_volumes(&printed))
}

/// Parses `ARRAY /dev/md/NAME container=UUID member=0 UUID=...`, one line for each volume.
fn parse_volumes(brief: &str) -> Vec<String> {
    let volumes = brief.lines().filter(|line| line.contains(" container="));
    volumes
        .filter_map(|line| {
            line.split_whitespace()
                .nth(1)?
                .rsplit('/')
                .next()
                .map(str::to_owned)
        })
        .collect()
}

/// Stops all arrays of ours that run on `members` or have the announced name; none of them if
/// another program made something on any. Returns whether anything ran.
fn stop(
    own: &OwnDevices,
    device: &Path,
    members: &[PathBuf],
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<bool, UndoError> {
    let names: BTreeSet<String> = members
        .iter()
        .filter_map(|member| sysfs::kernel_name(member))
        .collect();
    let announced = name_of(device);
    let mut latest = Ok(());
    for attempt in 0..STOP_ATTEMPTS {
        let arrays = running(&names, announced.as_deref(), is_ours);
        let Some(first) = arrays.first() else {
            return Ok(attempt > 0);
        };
        for array in &arrays {
            check_only_ours(own, array)?;
        }
        // udev may be probing it, or may have assembled it again.
        latest = MDADM
            .call(["--stop", &format!("/dev/{first}")])
            .run_to_the_end()
            .map(|_printed| ());
        settle();
    }
    match running(&names, announced.as_deref(), is_ours).is_empty() {
        true => Ok(true),
        false => Ok(latest.map(|()| true)?),
    }
}

/// Refuses to stop an array that carries a foreign signature.
fn check_only_ours(own: &OwnDevices, name: &str) -> Result<(), UndoError> {
    // A container and a stopped array have no size and no data.
    if sysfs::size_bytes(name).unwrap_or(0) == 0 {
        return Ok(());
    }
    super::emptied::check_only_ours(own, &Path::new("/dev").join(name))
}

/// Returns our arrays that use only `members`; volumes before their container.
fn running(
    members: &BTreeSet<String>,
    announced: Option<&str>,
    is_ours: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let holders = members.iter().flat_map(|member| sysfs::holders(member));
    // All its members may be gone.
    let announced = announced.filter(|name| running_array(name).word("array_state").is_some());
    let mut arrays: Vec<String> = holders
        .chain(announced.map(str::to_owned))
        .filter(|name| name.starts_with("md"))
        .collect();
    arrays.sort();
    arrays.dedup();
    let is_volume = |name: &String| {
        let version = running_array(name).word("metadata_version");
        version.is_some_and(|version| version.starts_with("external:/"))
    };
    arrays.sort_by_key(|name| !is_volume(name));
    arrays.retain(|name| sysfs::slaves(name).is_subset(members) && is_ours(name));
    arrays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_parsed_from_brief_mdadm_output() {
        // Printed by mdadm 4.2 for a container with two volumes.
        let brief = "ARRAY metadata=imsm UUID=de7b72e8:b35ce11f:3af7fe11:cbb4db43\n\
            ARRAY /dev/md/stripewise00aa11 container=de7b72e8:b35ce11f:3af7fe11:cbb4db43 member=0 UUID=9acdd01a:0aa80012:688917dc:09a2adcb\n\
            ARRAY /dev/md/122 container=de7b72e8:b35ce11f:3af7fe11:cbb4db43 member=1 UUID=0b6de69f:53bc6e54:d4c1e9c1:27e34f7c\n";
        assert_eq!(parse_volumes(brief), ["stripewise00aa11", "122"]);
        assert_eq!(
            parse_volumes("ARRAY container=x\n container=\n"),
            ["container=x"]
        );
        assert_eq!(parse_volumes(""), [""; 0]);
    }

    #[test]
    fn the_uuid_in_sysfs_matches_in_either_byte_order() {
        let given = "3f9c52a1:b07d0011:22334455:66778899";
        for (in_sysfs, is_same) in [
            ("3f9c52a1-b07d-0011-2233-445566778899", true),
            // Metadata 0.90, on a little-endian machine.
            ("a1529c3f-1100-7db0-5544-332299887766", true),
            ("3f9c52a1-b07d-0011-2233-445566778898", false),
            ("00000000-0000-0000-0000-000000000000", false),
            ("", false),
        ] {
            assert_eq!(is_same_uuid(in_sysfs, given), is_same, "{in_sysfs}");
        }
        assert!(!is_same_uuid("", "é:é"));
    }
}
