//! Plans the settings of queues that are numbers: `read_ahead`, `nr_requests` and the like.
//!
//! [`stripewise_study::tunable`] lists their files and ranges. What only this machine knows is
//! checked here, before anything is changed: a disk's longest request, and the depth of its queue.

use std::path::Path;

use stripewise_machine::Root;
use stripewise_study::conditions::Conditions;
use stripewise_study::tunable::{self, Place, Setting};
use stripewise_study::world::WorldError;

use super::disks::{MeasuredDisks, ReadsAhead};
use super::plan::{ReadOriginal, Wanted, unsupported};
use super::setting::{self, queue};
use crate::device::Node;

/// The most requests with a scheduler (`MAX_SCHED_RQ` in block/blk-mq-sched.h).
const SCHEDULED_MAX: u64 = 2048;

/// Returns the settings to write. They follow the scheduler: a new one resets `nr_requests`
/// (`blk_mq_init_sched`, `elevator_disable`), and `bfq` turns the throttling of write-back off
/// (`wbt_disable_default`). So each is planned even if it has its value now.
pub(super) fn plan(
    root: &Root,
    original: ReadOriginal<'_>,
    conditions: &Conditions,
    place: &MeasuredDisks,
) -> Result<Vec<Wanted>, WorldError> {
    let mut wanted = Vec::new();
    for setting in conditions.queue_settings() {
        let key = setting.tunable.key;
        let devices = devices(root, setting, place)?;
        for device in devices {
            let path = queue(&device, setting.tunable.file);
            if original(&path).is_none() {
                return Err(unsupported(
                    format!(
                        "set `{key}` to `{setting}`: `{device}` has no `queue/{}`",
                        setting.tunable.file
                    ),
                    "remove the key, or run a kernel and a scheduler with this setting".to_owned(),
                ));
            }
            check_limit(root, setting, &device, conditions)?;
            wanted.push(Wanted {
                key,
                path,
                value: setting.in_file(),
            });
        }
    }
    Ok(wanted)
}

/// Returns the devices that a setting applies to, by the kernel's names; none for a stack that is
/// not built yet.
fn devices(
    root: &Root,
    setting: Setting,
    place: &MeasuredDisks,
) -> Result<Vec<String>, WorldError> {
    let refused = |why: &str, hint: &str| {
        let what = format!("set `{}` to `{setting}`: {why}", setting.tunable.key);
        Err(unsupported(what, hint.to_owned()))
    };
    let names = match (setting.tunable.place, &place.reads_ahead) {
        (Place::Target, ReadsAhead::NotBuilt) => return Ok(Vec::new()),
        (Place::Target, ReadsAhead::Itself(kind)) => {
            return refused(
                &format!("`{kind}` reads ahead on its own, whatever its devices are set to"),
                "remove the key, or use ext4 or XFS",
            );
        }
        (Place::Target, ReadsAhead::Device(names)) => names,
        (Place::Disks | Place::Array, _) => &place.disks,
    };
    if names.is_empty() {
        return refused(
            "cannot determine which disks back the target",
            "remove the key, and set it yourself",
        );
    }
    let disk_of = |name: &String| {
        let disk = Node::of_name(root, name).and_then(|node| node.disk(root));
        disk.map_or_else(|| name.clone(), |disk| disk.name)
    };
    let mut disks: Vec<String> = names.iter().map(disk_of).collect();
    disks.sort();
    disks.dedup();
    Ok(disks)
}

/// Refuses a number beyond what a disk can do. Since 6.9 the kernel would take a longer request than
/// `max_hw_sectors_kb` and use the disk's limit instead (`blk_validate_limits`).
fn check_limit(
    root: &Root,
    setting: Setting,
    device: &str,
    conditions: &Conditions,
) -> Result<(), WorldError> {
    let Setting { tunable, number } = setting;
    let limit = |file: &str| root.number(Path::new("/sys/block").join(device).join(file));
    let (most, whose) = if tunable == &tunable::MAX_SECTORS_KB {
        let most = limit("queue/max_hw_sectors_kb");
        (
            most,
            "the longest request of the disk (`max_hw_sectors_kb`)",
        )
    } else if tunable == &tunable::NR_REQUESTS {
        let now = setting::read(root, &queue(device, "scheduler"));
        let scheduler = conditions.scheduler.clone().or(now);
        match scheduler.as_deref() {
            Some("none") => (
                limit("mq/0/nr_tags"),
                "the depth of the drive's queue, with the scheduler `none`",
            ),
            Some(_) => (Some(SCHEDULED_MAX), "the most that a scheduler takes"),
            None => (None, ""),
        }
    } else {
        (None, "")
    };
    match most {
        Some(most) if number > most => Err(unsupported(
            format!(
                "set `{}` of `{device}` to `{setting}`: {most} is {whose}",
                tunable.key
            ),
            format!("use {most} or less"),
        )),
        _ => Ok(()),
    }
}
