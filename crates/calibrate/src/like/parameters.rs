//! The numbers of a simulated device that are fitted. Some stand for others that keep their
//! proportion, or their distance, to them.

use stripewise_profiles::device::disk::DiskProfile;
use stripewise_profiles::device::flash::FlashProfile;
use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_study::sample::as_f64;

use crate::number::rounded;

/// How many numbers are fitted.
pub(super) const COUNT: usize = 10;

/// Where the depth of the queue is among them.
pub(super) const QUEUE_INDEX: usize = 3;

/// The most requests that are in flight at a device: NCQ's for a disk, the kernel's limit for NVMe.
const DISK_QUEUE_MAX: u32 = 32;
const FLASH_QUEUE_MAX: u32 = 1023;

/// A fitted number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    /// Its key in the profile.
    pub(super) key: &'static str,
    /// Whether it has no effect on loads without writes.
    pub(super) of_writes: bool,
    change: Change,
}

/// Multiplies a number, and those that go with it, by a factor; returns its new value.
#[derive(Debug, Clone, Copy)]
enum Change {
    Queue,
    Disk(fn(&mut DiskProfile, f64) -> f64),
    Flash(fn(&mut FlashProfile, f64) -> f64),
}

impl Parameter {
    const QUEUE: Self = Self {
        key: "queue_depth",
        of_writes: false,
        change: Change::Queue,
    };

    const fn disk(key: &'static str, change: fn(&mut DiskProfile, f64) -> f64) -> Self {
        Self {
            key,
            of_writes: false,
            change: Change::Disk(change),
        }
    }

    const fn flash(key: &'static str, change: fn(&mut FlashProfile, f64) -> f64) -> Self {
        Self {
            key,
            of_writes: false,
            change: Change::Flash(change),
        }
    }

    const fn of_writes(self) -> Self {
        Self {
            of_writes: true,
            ..self
        }
    }

    fn change(&self, profile: &mut DeviceProfile, factor: f64) -> f64 {
        let most = match profile.model {
            Model::Flash(_) => FLASH_QUEUE_MAX,
            Model::Calibrated(_) | Model::Disk(_) => DISK_QUEUE_MAX,
        };
        match (self.change, &mut profile.model) {
            (Change::Disk(change), Model::Disk(disk)) => change(disk, factor),
            (Change::Flash(change), Model::Flash(flash)) => change(flash, factor),
            _ => {
                let depth = &mut profile.queue_depth;
                times_u32(depth, factor);
                *depth = (*depth).clamp(1, most);
                f64::from(*depth)
            }
        }
    }
}

/// Returns the parameters of a simulated model; `None` for a calibrated one.
pub(super) const fn parameters(model: &Model) -> Option<[Parameter; COUNT]> {
    match model {
        Model::Calibrated(_) => None,
        Model::Disk(_) => Some(DISK),
        Model::Flash(_) => Some(FLASH),
    }
}

/// Returns `like` with each parameter times e to the power of its logarithm, and their values.
pub(super) fn scaled(
    like: &DeviceProfile,
    parameters: &[Parameter; COUNT],
    logarithms: &[f64; COUNT],
) -> (DeviceProfile, [f64; COUNT]) {
    let mut profile = like.clone();
    for (parameter, logarithm) in parameters.iter().zip(logarithms) {
        parameter.change(&mut profile, libm::exp(*logarithm));
    }
    // Those that go with others are known when all have moved.
    let values = parameters.map(|parameter| parameter.change(&mut profile, 1.0));
    (profile, values)
}

fn times(value: &mut u64, factor: f64) -> f64 {
    *value = rounded((as_f64(*value) * factor).min(1e15));
    as_f64(*value)
}

fn times_u32(value: &mut u32, factor: f64) -> f64 {
    let scaled = rounded((f64::from(*value) * factor).min(1e15));
    *value = u32::try_from(scaled).unwrap_or(u32::MAX);
    f64::from(*value)
}

/// Multiplies a time; one of writes keeps its distance to it.
fn with_writes(time: &mut u32, of_writes: &mut Option<u32>, factor: f64) -> f64 {
    let before = *time;
    let value = times_u32(time, factor);
    if let Some(writes) = of_writes {
        *writes = writes.saturating_sub(before).saturating_add(*time);
    }
    value
}

/// Multiplies how much longer a seek before a write takes.
fn settling(disk: &mut DiskProfile, factor: f64) -> f64 {
    let longer = |write: &mut Option<u32>, read: u32| match write {
        None => f64::from(read),
        Some(write) => {
            let mut more = write.saturating_sub(read);
            times_u32(&mut more, factor);
            *write = read.saturating_add(more);
            f64::from(*write)
        }
    };
    let short = disk.seek_track_to_track_ns;
    longer(&mut disk.seek_write_track_to_track_ns, short);
    longer(&mut disk.seek_write_average_ns, disk.seek_average_ns)
}

const DISK: [Parameter; COUNT] = [
    Parameter::disk("disk.seek_average_ns", |disk, factor| {
        times_u32(&mut disk.seek_full_stroke_ns, factor);
        let writes = &mut disk.seek_write_average_ns;
        with_writes(&mut disk.seek_average_ns, writes, factor)
    }),
    Parameter::disk("disk.seek_track_to_track_ns", |disk, factor| {
        let writes = &mut disk.seek_write_track_to_track_ns;
        with_writes(&mut disk.seek_track_to_track_ns, writes, factor)
    }),
    Parameter::disk("disk.seek_write_average_ns", settling).of_writes(),
    Parameter::QUEUE,
    Parameter::disk("disk.queue_wait_max_ns", |disk, factor| {
        times(&mut disk.queue_wait_max_ns, factor)
    }),
    Parameter::disk("disk.link.command_ns", |disk, factor| {
        times(&mut disk.link.command_ns, factor)
    }),
    Parameter::disk("disk.link.read_bytes_per_s", |disk, factor| {
        times(&mut disk.link.write_bytes_per_s, factor);
        times(&mut disk.link.read_bytes_per_s, factor)
    }),
    Parameter::disk("disk.sustained_outer_bytes_per_s", |disk, factor| {
        times(&mut disk.sustained_inner_bytes_per_s, factor);
        times(&mut disk.sustained_outer_bytes_per_s, factor)
    }),
    Parameter::disk("disk.write_cache_bytes", |disk, factor| {
        times(&mut disk.write_cache_bytes, factor)
    })
    .of_writes(),
    Parameter::disk("disk.write_cache_runs_count", |disk, factor| {
        times_u32(&mut disk.write_cache_runs_count, factor)
    })
    .of_writes(),
];

const FLASH: [Parameter; COUNT] = [
    Parameter::flash("flash.read_ns", |flash, factor| {
        times(&mut flash.read_ns, factor)
    }),
    Parameter::flash("flash.program_ns", |flash, factor| {
        times(&mut flash.erase_ns, factor);
        times(&mut flash.program_ns, factor)
    })
    .of_writes(),
    Parameter::flash("flash.dies_count", |flash, factor| {
        times_u32(&mut flash.dies_count, factor);
        flash.dies_count = flash.dies_count.max(1);
        flash.channels_count = flash.channels_count.min(flash.dies_count);
        f64::from(flash.dies_count)
    }),
    Parameter::QUEUE,
    Parameter::flash("flash.channel_bytes_per_s", |flash, factor| {
        times(&mut flash.channel_bytes_per_s, factor)
    }),
    Parameter::flash("flash.link.command_ns", |flash, factor| {
        times(&mut flash.link.command_ns, factor)
    }),
    Parameter::flash("flash.link.read_bytes_per_s", |flash, factor| {
        times(&mut flash.link.write_bytes_per_s, factor);
        times(&mut flash.link.read_bytes_per_s, factor)
    }),
    Parameter::flash("flash.write_buffer_bytes", |flash, factor| {
        times(&mut flash.write_buffer_bytes, factor)
    }),
    Parameter::flash("flash.flush_ns", |flash, factor| {
        times(&mut flash.flush_ns, factor)
    })
    .of_writes(),
    Parameter::flash("flash.over_provisioning_percent", |flash, factor| {
        flash.over_provisioning_percent *= factor;
        flash.over_provisioning_percent
    }),
];
