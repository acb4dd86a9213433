//! The lists in the types of a run, and the most entries of each.

use std::path::PathBuf;

use crate::cell::Cell;
use crate::facts::{ArrayFacts, DeviceFacts, MountFacts, PartitionFacts};
use crate::hosts::{HOSTS_MAX, HostShare};
use crate::sample::{DeviceDelta, Part, PartTime, Sequentiality, Utilisation, VerbatimJob};
use crate::series::{STEPS_MAX, SampleEvent};
use crate::stack::{Beside, DeviceGroup};
use crate::warning::Warning;
use crate::workload::{Neighbour, SplitPart};
use crate::world::CreatedFile;
use stripewise_units::Nanos;
use stripewise_units::histogram::Histogram;

use super::list::ListLimit;

/// The most devices below one cell: the limit of the simulator and of the reader of facts.
pub const DEVICES_MAX: usize = 4096;
/// The most cells of a run: a study has 10,000 at most, and an import of fio's files one for each
/// job, of which a file has 16,384 at most.
pub const CELLS_MAX: usize = 100_000;
/// The most warnings about one sample: one for each job of an import, and some for each device.
const SAMPLE_WARNINGS_MAX: usize = 1 << 15;
/// The most events of a sample: a failure has five, and a sample has one failure.
const EVENTS_MAX: usize = 256;
/// The most options of a filesystem: `mount(2)` takes one page of them, two bytes each at least.
const OPTIONS_MAX: usize = 2048;
/// The most partitions of a device (`DISK_MAX_PARTS` in Linux's `include/linux/blkdev.h`).
const PARTITIONS_MAX: usize = 256;
/// The most filesystems and tools that facts list; `machine` stops at as many filesystems.
const NAMED_MAX: usize = 256;
/// The most neighbours of a load, volumes beside an array and groups of devices: a study lists
/// each, and is at most 1 MiB long.
const WRITTEN_MAX: usize = 1024;
/// The most sizes of a split (`BSSPLIT_MAX` in fio's `options.c`).
const SPLIT_PARTS_MAX: usize = 64;

/// The most CPUs of a machine.
const CPUS_MAX: usize = 8192;

/// The most percentiles of one kind of latency: `FIO_IO_U_LIST_MAX_LEN` in fio's `stat.h` is 20.
pub const PERCENTILES_MAX: usize = 64;
/// The most jobs whose values a sample keeps: the limit of one file of fio's.
const STATED_JOBS_MAX: usize = 16_384;
/// The most numbers, texts or options of one job of another program; fio writes about 200.
pub const STATED_MAX: usize = 4096;

/// The most files in a directory of a run, which are all open at once: the default limit of open
/// files of a process (`fs.nr_open`).
const FILES_MAX: usize = 1 << 20;

/// The lists of cells, samples, facts and warnings.
pub const VOCABULARY: &[ListLimit] = &[
    // A latency: one entry per bin, a pair.
    ListLimit::of::<(Nanos, u64)>("histogram", Histogram::BINS_MAX),
    ListLimit::of::<(f64, Nanos)>("percentiles", PERCENTILES_MAX),
    // The values that another program reported about a sample.
    ListLimit::of::<VerbatimJob>("jobs", STATED_JOBS_MAX).within("stated"),
    ListLimit::of::<(String, String)>("options", STATED_MAX).within("stated"),
    ListLimit::of::<(String, String)>("global_options", STATED_MAX),
    ListLimit::of::<VerbatimJob>("disks", DEVICES_MAX).within("stated"),
    ListLimit::of::<(String, f64)>("numbers", STATED_MAX),
    ListLimit::of::<(String, String)>("texts", STATED_MAX),
    // A series: one entry per step.
    ListLimit::of::<u64>("bytes", STEPS_MAX),
    ListLimit::of::<u64>("ios", STEPS_MAX),
    ListLimit::of::<u64>("mean_latency_ns", STEPS_MAX),
    ListLimit::of::<u64>("rebuilt_bytes", STEPS_MAX),
    // The state of the host: one entry per CPU (`NR_CPUS` is at most 8192).
    ListLimit::of::<u64>("cpu_user_ns", CPUS_MAX),
    ListLimit::of::<u64>("cpu_system_ns", CPUS_MAX),
    ListLimit::of::<u64>("cpu_interrupts", CPUS_MAX),
    ListLimit::of::<u64>("cpu_clock_max_khz", CPUS_MAX),
    // The rest of a sample.
    ListLimit::of::<HostShare>("hosts", HOSTS_MAX),
    ListLimit::of::<SampleEvent>("events", EVENTS_MAX),
    ListLimit::of::<PartTime>("mean", Part::ALL.len()),
    ListLimit::of::<PartTime>("slowest", Part::ALL.len()),
    // Devices, their links and CPUs, and the jobs.
    ListLimit::of::<Utilisation>("utilisation", 4 * DEVICES_MAX),
    ListLimit::of::<Sequentiality>("sequentiality", DEVICES_MAX),
    // Facts.
    ListLimit::of::<DeviceFacts>("devices", DEVICES_MAX).within("facts"),
    ListLimit::of::<String>("devices", DEVICES_MAX).within("mounts"),
    ListLimit::of::<String>("devices", DEVICES_MAX).within("target"),
    ListLimit::of::<String>("disks", DEVICES_MAX),
    ListLimit::of::<String>("members", DEVICES_MAX),
    ListLimit::of::<PartitionFacts>("partitions", PARTITIONS_MAX),
    ListLimit::of::<ArrayFacts>("arrays", DEVICES_MAX),
    ListLimit::of::<MountFacts>("mounts", NAMED_MAX),
    ListLimit::tree("tools", NAMED_MAX),
    ListLimit::of::<String>("options", OPTIONS_MAX).within("target"),
    // A cell.
    ListLimit::of::<DeviceGroup>("devices", WRITTEN_MAX).within("stack"),
    ListLimit::of::<(String, String)>("sysctl", WRITTEN_MAX),
    ListLimit::of::<Beside>("beside", WRITTEN_MAX),
    ListLimit::of::<u32>("write_mostly", DEVICES_MAX),
    ListLimit::of::<String>("mkfs", OPTIONS_MAX),
    ListLimit::of::<String>("options", OPTIONS_MAX).within("made"),
    ListLimit::of::<SplitPart>("block_size_split", SPLIT_PARTS_MAX),
    ListLimit::of::<Neighbour>("neighbours", WRITTEN_MAX),
    ListLimit::of::<(String, String)>("options", OPTIONS_MAX).within("workload"),
    // Other lists under these names belong to a sample or a message.
    ListLimit::of::<DeviceDelta>("devices", DEVICES_MAX),
    ListLimit::of::<Warning>("warnings", SAMPLE_WARNINGS_MAX),
    ListLimit::of::<Cell>("cells", CELLS_MAX),
    // A change of the machine.
    ListLimit::of::<String>("volumes", DEVICES_MAX),
    ListLimit::of::<[PathBuf; 2]>("physical", DEVICES_MAX),
    ListLimit::of::<CreatedFile>("files", FILES_MAX),
];
