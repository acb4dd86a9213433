//! What a bottleneck is caused by, and the same model with that twice as fast: the cause is what
//! changes the result most ([`crate::why`] names it from counters, a drawn test of `verify` holds it to
//! this).

use serde::Serialize;
use stripewise_profiles::Profiles;
use stripewise_profiles::device::calibrated::{DirectionProfile, LinkProfile};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_profiles::host::HostProfile;
use stripewise_study::sample::Part;

use crate::why::{Bottleneck, Resource};

/// What takes the time of I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "BottleneckCause")
)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The disks at work.
    Devices,
    /// The links to the disks.
    Links,
    /// The path that all disks share.
    Uplink,
    /// The adapter, which holds completions back.
    Adapter,
    /// The CPU.
    Processor,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 5] = [
        Cause::Devices,
        Cause::Links,
        Cause::Uplink,
        Cause::Adapter,
        Cause::Processor,
    ];

    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Cause::Devices => "devices",
            Cause::Links => "links",
            Cause::Uplink => "uplink",
            Cause::Adapter => "adapter",
            Cause::Processor => "processor",
        }
    }

    /// Returns the cause of a bottleneck; `None` if the load itself holds its rate back.
    pub const fn of(bottleneck: &Bottleneck) -> Option<Self> {
        Some(match bottleneck {
            Bottleneck::OwnRate { .. } | Bottleneck::OwnPauses { .. } => return None,
            Bottleneck::Saturated { resource, .. } => match resource {
                Resource::Uplink => Cause::Uplink,
                Resource::Links => Cause::Links,
                Resource::Devices => Cause::Devices,
                Resource::JobCpu | Resource::ParityThread | Resource::Cores | Resource::Lock => {
                    Cause::Processor
                }
            },
            Bottleneck::Syncs { .. } => Cause::Devices,
            Bottleneck::Latency { part, .. } => Cause::of_part(*part),
        })
    }

    /// Returns what a part of an I/O waits for.
    pub(crate) const fn of_part(part: Part) -> Self {
        match part {
            Part::Submit
            | Part::VolumeCpu
            | Part::ArrayCpu
            | Part::BlockCpu
            | Part::ParityThread
            | Part::PageCache
            | Part::Completion => Cause::Processor,
            Part::Link => Cause::Links,
            Part::Uplink => Cause::Uplink,
            Part::Adapter => Cause::Adapter,
            Part::AioQueue
            | Part::BlockQueue
            | Part::DeviceQueue
            | Part::DeviceService
            | Part::SlowestMember
            | Part::ReadModifyWrite
            | Part::Bitmap
            | Part::Rebuild
            | Part::Flush
            | Part::Journal => Cause::Devices,
        }
    }

    /// Halves every time of the cause in all profiles.
    pub fn halve(self, profiles: &mut Profiles) {
        let devices = profiles.devices.values_mut();
        let hosts = profiles.hosts.values_mut();
        match self {
            Cause::Devices => devices.for_each(halve_device),
            Cause::Links => devices.for_each(halve_link_of),
            Cause::Uplink => hosts.for_each(|host| {
                if let Some(uplink) = &mut host.uplink {
                    double(&mut uplink.bytes_per_s);
                }
            }),
            Cause::Adapter => {
                for adapter in hosts.flat_map(|host| host.adapter.values_mut()) {
                    adapter.delay_ns /= 2;
                    adapter.command_ns /= 2;
                }
            }
            Cause::Processor => hosts.for_each(halve_processor),
        }
    }
}

fn double(rate: &mut u64) {
    *rate = rate.saturating_mul(2);
}

/// Halves the time of a device's link. What a disk needs for a command is its own time.
fn halve_link_of(device: &mut DeviceProfile) {
    let link = match &mut device.model {
        Model::Calibrated(profile) => {
            let link = profile.link.clone();
            halve_transfer(&mut profile.read, &link, link.read_bytes_per_s);
            halve_transfer(&mut profile.write, &link, link.write_bytes_per_s);
            profile.link.command_ns /= 2;
            &mut profile.link
        }
        Model::Disk(profile) => &mut profile.link,
        Model::Flash(profile) => {
            profile.link.command_ns /= 2;
            &mut profile.link
        }
    };
    double(&mut link.read_bytes_per_s);
    double(&mut link.write_bytes_per_s);
}

/// Returns how long a link is busy with a request, at most its whole time: the measured time of a lone
/// request contains it.
fn transfer_ns(point: &CurvePoint, link: &LinkProfile, bytes_per_s: u64) -> u64 {
    let bytes = u128::from(point.size_bytes) * 1_000_000_000;
    let data = u64::try_from(bytes / u128::from(bytes_per_s.max(1))).unwrap_or(u64::MAX);
    point.time_ns.min(link.command_ns.saturating_add(data))
}

fn points(direction: &mut DirectionProfile) -> impl Iterator<Item = &mut CurvePoint> {
    direction.random.iter_mut().chain(&mut direction.sequential)
}

fn halve_transfer(direction: &mut DirectionProfile, link: &LinkProfile, bytes_per_s: u64) {
    for point in points(direction) {
        point.time_ns -= transfer_ns(point, link, bytes_per_s) / 2;
    }
}

fn halve_work(direction: &mut DirectionProfile, link: &LinkProfile, bytes_per_s: u64) {
    for point in points(direction) {
        point.time_ns -= (point.time_ns - transfer_ns(point, link, bytes_per_s)) / 2;
    }
}

fn halve_device(device: &mut DeviceProfile) {
    match &mut device.model {
        Model::Calibrated(profile) => {
            let link = profile.link.clone();
            halve_work(&mut profile.read, &link, link.read_bytes_per_s);
            halve_work(&mut profile.write, &link, link.write_bytes_per_s);
            profile.cache.flush_ns /= 2;
            if let Some(drain) = &mut profile.drain {
                double(&mut drain.random_bytes_per_s);
                double(&mut drain.sequential_bytes_per_s);
            }
        }
        Model::Disk(profile) => {
            profile.rotation_rpm = profile.rotation_rpm.saturating_mul(2);
            double(&mut profile.sustained_outer_bytes_per_s);
            double(&mut profile.sustained_inner_bytes_per_s);
            for seek in [
                &mut profile.seek_track_to_track_ns,
                &mut profile.seek_average_ns,
                &mut profile.seek_full_stroke_ns,
                &mut profile.track_switch_ns,
            ] {
                *seek /= 2;
            }
            profile.link.command_ns /= 2;
            let writes = [
                &mut profile.seek_write_track_to_track_ns,
                &mut profile.seek_write_average_ns,
            ];
            for seek in writes.into_iter().flatten() {
                *seek /= 2;
            }
        }
        Model::Flash(profile) => {
            double(&mut profile.channel_bytes_per_s);
            for time in [
                &mut profile.read_ns,
                &mut profile.program_ns,
                &mut profile.erase_ns,
                &mut profile.flush_ns,
            ] {
                *time /= 2;
            }
        }
    }
}

fn halve_processor(host: &mut HostProfile) {
    let cpu = &mut host.cpu;
    for time in [
        &mut cpu.submit_ns,
        &mut cpu.bio_ns,
        &mut cpu.page_ns,
        &mut cpu.completion_ns,
        &mut cpu.wake_ns,
        &mut cpu.stripe_ns,
        &mut cpu.scheduler_ns,
        &mut cpu.worker_ns,
        &mut cpu.mirror_lock_ns,
        &mut cpu.parity_lock_ns,
        &mut cpu.filesystem_ns,
        &mut cpu.cache_page_ns,
    ] {
        *time /= 2;
    }
    double(&mut cpu.xor_bytes_per_s);
    double(&mut cpu.copy_bytes_per_s);
    let rates = [&mut cpu.fletcher4_bytes_per_s, &mut cpu.fill_bytes_per_s];
    rates.into_iter().flatten().for_each(double);
    for governor in host.governor.values_mut() {
        governor.wake_extra_ns /= 2;
    }
    if let Some(clock) = &mut host.clock {
        for state in &mut clock.c_states {
            state.exit_us /= 2;
        }
    }
}
