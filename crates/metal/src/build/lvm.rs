//! LVM: physical volumes, one volume group of them, one logical volume in it.
//!
//! Every command sees only our devices (`--devices`, since LVM 2.03.12) and keeps no metadata
//! backups below `/etc`. We pass it the drivers that LVM does not know (`devices/types` in
//! lvm.conf(5)): those of a modelled disk.

use std::path::{Path, PathBuf};

use stripewise_machine::clean_word;
use stripewise_process::Call;
use stripewise_study::stack::Volume;
use stripewise_study::world::{Change, PhysicalVolume, WorldError};

use super::builder::{Base, Builder};
use super::emptied::{UndoError, check_only_ours, empty};
use super::identity::{draw_lvm_uuid, draw_name};
use super::sysfs;
use crate::device::{OwnDevices, clear_new_layer};
use crate::tool::{DMSETUP, LVM, ToolCall};
use crate::undone::Undone;

/// udev's control socket (systemd's `udev-ctrl.c`).
const UDEV_RUNS: &str = "/run/udev/control";
/// The name of the logical volume in its group.
const LOGICAL: &str = "data";

/// Builds a logical volume over all of `devices`.
pub(crate) fn build(
    builder: &mut Builder,
    volume: &Volume,
    bases: &[Base],
) -> Result<PathBuf, WorldError> {
    let devices = &Base::paths(bases)[..];
    let name = draw_name()?;
    let physical: Vec<PhysicalVolume> = bases
        .iter()
        .map(|base| {
            Ok(PhysicalVolume {
                device: base.named.clone(),
                uuid: draw_lvm_uuid(builder.token)?,
            })
        })
        .collect::<Result<_, WorldError>>()?;
    builder.announce(Change::MadeVolumeGroup {
        name: name.clone(),
        physical: physical.clone(),
    })?;
    for (volume, device) in physical.iter().zip(devices) {
        let arguments = ["--yes", "--norestorefile", "--uuid", &volume.uuid];
        let what = format!("make `{}` an LVM physical volume", device.display());
        builder.run(
            lvm("pvcreate", devices).args(arguments).args([device]),
            &what,
        )?;
    }
    builder.run(
        lvm("vgcreate", devices)
            .args(["--yes", &name])
            .args(devices),
        &format!("make a volume group of {} devices", devices.len()),
    )?;
    let mut arguments = vec![
        "--yes".to_owned(),
        format!("--name={LOGICAL}"),
        "--extents=100%FREE".to_owned(),
    ];
    match volume {
        Volume::Linear => arguments.push("--type=linear".to_owned()),
        Volume::Striped {
            stripes,
            stripe_bytes,
        } => arguments.extend([
            "--type=striped".to_owned(),
            format!("--stripes={stripes}"),
            format!("--stripesize={}k", stripe_bytes.as_u64() / 1024),
        ]),
    }
    builder.run(
        lvm("lvcreate", devices).args(arguments).args([&name]),
        &format!("make a volume ({volume})"),
    )?;
    super::md::settle();
    let device = PathBuf::from(format!("/dev/mapper/{name}-{LOGICAL}"));
    clear_new_layer(&device)?;
    Ok(device)
}

/// Returns a command of LVM that sees `devices` only.
fn lvm(command: &str, devices: &[PathBuf]) -> Call {
    let list: Vec<String> = devices
        .iter()
        .map(|device| device.display().to_string())
        .collect();
    LVM.call([
        command,
        "--devices",
        &list.join(","),
        "--config",
        &config(devices),
    ])
}

fn config(devices: &[PathBuf]) -> String {
    let mut drivers: Vec<String> = devices
        .iter()
        .filter_map(|device| sysfs::driver(device))
        .collect();
    drivers.sort();
    drivers.dedup();
    let is_plain = |name: &String| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    // Each driver, with the number of minor numbers of a whole device.
    let types: Vec<String> = drivers
        .iter()
        .filter(|name| is_plain(name))
        .map(|name| format!("\"{name}\", 16"))
        .collect();
    let types = types.join(", ");
    // Without udev, LVM creates the nodes in `/dev` itself.
    let nodes = match Path::new(UDEV_RUNS).exists() {
        true => "",
        false => " activation { udev_sync = 0 udev_rules = 0 verify_udev_operations = 1 }",
    };
    format!("devices {{ types = [ {types} ] }} backup {{ backup = 0 archive = 0 }}{nodes}")
}

/// Removes our volume group and the physical volumes, unless another program created a volume in
/// the group or a signature on ours.
///
/// We read and wipe only devices of the run that carry a physical volume with our UUID. If a device
/// is missing, LVM refuses to remove the group. Then we unmap the volume and wipe the remaining
/// devices.
pub(crate) fn undo(
    own: &OwnDevices,
    name: &str,
    physical: &[PhysicalVolume],
) -> Result<Undone, UndoError> {
    let named: Vec<PathBuf> = physical
        .iter()
        .map(|volume| volume.device.clone())
        .collect();
    let present = own.present(&named);
    let mut ours: Vec<PathBuf> = Vec::new();
    for path in &present.paths {
        let (found, are_ours) = own.signatures(path)?;
        if are_ours && found.iter().any(|found| found.kind == "LVM2_member") {
            ours.push(path.clone());
        }
    }
    let mut is_changed = false;
    let mapped = format!("{name}-{LOGICAL}");
    let node = Path::new("/dev/mapper").join(&mapped);
    // The node alone proves nothing: without udev it stays.
    let is_mapped = || {
        let name = sysfs::kernel_name(&node).and_then(|node| sysfs::word(&node, "dm/name"));
        name.as_ref() == Some(&mapped)
    };
    if is_mapped() {
        check_only_ours(own, &node)?;
    }
    if !ours.is_empty() {
        let groups = lvm("vgs", &ours)
            .args(["--noheadings", "--options=vg_name"])
            .run_to_the_end()?;
        if groups.lines().any(|line| line.trim() == name) {
            check_volumes(&ours, name)?;
            if !is_mapped() {
                look_into(own, &ours, name, &node)?;
            }
            let removed = lvm("vgremove", &ours)
                .args(["--force", "--yes", name])
                .run_to_the_end();
            is_changed |= removed.is_ok();
            if ours.len() == physical.len() {
                removed?;
            }
        }
    }
    // Without its metadata LVM cannot find it; only we use this name.
    if is_mapped() {
        DMSETUP
            .call(["remove", "--retry", &mapped])
            .run_to_the_end()?;
        is_changed = true;
    }
    empty(own, &present, is_changed, &|_, _| false)
}

/// Activates our unmapped volume to check it for foreign signatures. If activation fails, the
/// volume was never finished, or lacks devices and cannot be read.
fn look_into(
    own: &OwnDevices,
    devices: &[PathBuf],
    name: &str,
    node: &Path,
) -> Result<(), UndoError> {
    let activate = |how: &str| {
        let volume = format!("{name}/{LOGICAL}");
        let call = lvm("lvchange", devices).args([how, &volume]);
        call.run_to_the_end()
    };
    if activate("--activate=y").is_err() {
        return Ok(());
    }
    super::md::settle();
    let looked = check_only_ours(own, node);
    let _ = activate("--activate=n");
    let first = format!("map it (`lvchange --activate=y {name}/{LOGICAL}`)");
    looked.map_err(|error| error.after(&first))
}

/// Refuses to remove a group with volumes that the run did not make.
fn check_volumes(devices: &[PathBuf], name: &str) -> Result<(), UndoError> {
    let printed = lvm("lvs", devices)
        .args(["--noheadings", "--options=lv_name", name])
        .run_to_the_end()?;
    let volumes = foreign_volumes(&printed);
    if volumes.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = volumes.iter().map(|one| format!("`{one}`")).collect();
    let named: Vec<String> = volumes.iter().map(|one| format!("{name}/{one}")).collect();
    Err(UndoError::Foreign {
        why: format!(
            "volume group `{name}` holds {}, which the run did not make",
            shown.join(", ")
        ),
        how_to_empty: format!("remove it (`lvremove {}`)", named.join(" ")),
    })
}

/// Parses a list of logical volumes and returns all but ours.
fn foreign_volumes(listed: &str) -> Vec<String> {
    let names = listed
        .lines()
        .filter_map(|line| clean_word(line.as_bytes()));
    names.filter(|name| name != LOGICAL).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_volume_of_the_group_is_foreign() {
        assert_eq!(foreign_volumes("  data\n"), [""; 0]);
        assert_eq!(foreign_volumes(""), [""; 0]);
        let listed = "  data  \n  thesis\n  data2\n\n";
        assert_eq!(foreign_volumes(listed), ["thesis", "data2"]);
    }
}
