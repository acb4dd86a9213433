//! Guards against a shipped profile whose `source` states 40000 writes per second while its
//! simulation gives another number.
//!
//! We simulate every fact of a data sheet or published measurement behind a shipped profile, on one
//! such disk with the default host. The result may differ by 10 % from a stated number, or lie up
//! to 10 % outside of a stated range.
//!
//! Most parameters were fitted to these facts: the test shows that the profiles agree with their
//! sources, not how well the model predicts. Nothing was fitted for the reads beside a writer that
//! calls fsync, nor for the disks' random reads, single and queued.

use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_profiles::Profiles;
use stripewise_profiles::device::Model as DeviceModel;
use stripewise_sim::world::Model;
use stripewise_study::sample::Sample;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

use crate::support::{as_f64, iops, mean_ns};

/// The allowed relative difference between simulated and stated values.
const TOLERANCE: f64 = 0.10;

/// The quantity of a fact, with its unit.
#[derive(Debug, Clone, Copy)]
enum Quantity {
    /// I/Os per second.
    Iops,
    /// Megabytes (10^6) per second.
    Bandwidth,
    /// Mean latency in microseconds, of reads and writes.
    Mean,
    /// The median of the read latency in microseconds.
    ReadP50,
    /// Its 99th percentile.
    ReadP99,
    /// The mean time of a write and its fsync in microseconds.
    WriteAndSync,
}

impl Quantity {
    const fn unit(self) -> &'static str {
        match self {
            Quantity::Iops => "IOPS",
            Quantity::Bandwidth => "MB/s",
            Quantity::Mean => "us mean",
            Quantity::ReadP50 => "us p50",
            Quantity::ReadP99 => "us p99",
            Quantity::WriteAndSync => "us write+fsync",
        }
    }

    fn of(self, sample: &Sample) -> f64 {
        let seconds = sample.elapsed_ns.as_secs_f64();
        let quantile = |per_mille| {
            let latency = sample.read.latency.histogram.quantile(per_mille);
            latency.map_or(0.0, |ns| as_f64(ns.as_u64()) / 1e3)
        };
        match self {
            Quantity::Iops => iops(sample),
            Quantity::Bandwidth => as_f64(sample.bytes().as_u64()) / seconds / 1e6,
            Quantity::Mean => mean_ns(sample) / 1e3,
            Quantity::ReadP50 => quantile(500),
            Quantity::ReadP99 => quantile(990),
            Quantity::WriteAndSync => 1e6 / iops(sample),
        }
    }
}

/// One statement about one disk.
struct Fact {
    device: &'static str,
    /// The load, as keys of a study's workload.
    load: &'static str,
    quantity: Quantity,
    /// The stated value: a number twice, or a range.
    stated: (f64, f64),
}

const fn fact(
    device: &'static str,
    load: &'static str,
    quantity: Quantity,
    stated: (f64, f64),
) -> Fact {
    Fact {
        device,
        load,
        quantity,
        stated,
    }
}

const READ_1: &str = "pattern='randread'";
const READ_32: &str = "pattern='randread' depth=32";
const WRITE_1: &str = "pattern='randwrite'";
const WRITE_32: &str = "pattern='randwrite' depth=32";
/// Loads on a drive whose fast area is empty.
const FRESH_1: &str = "pattern='randwrite' fresh";
const FRESH_32: &str = "pattern='randwrite' depth=32 fresh";
const FRESH_MANY: &str = "pattern='randwrite' depth=32 jobs=8 fresh";
const FRESH_STREAM: &str = "pattern='write' block_size='128K' depth=32 fresh";
const HGST_1: &str = "pattern='randread' size='3720G'";
const HGST_32: &str = "pattern='randread' size='3720G' depth=32";
const SLOW_1: &str = "pattern='randread' size='1390G'";
const CLASS_32: &str = "pattern='randread' size='1860G' depth=32";
const CLASS_FSYNC: &str = "pattern='randwrite' size='1860G' fsync=1";
const CLASS_FSYNC_16: &str = "pattern='randwrite' size='1860G' fsync=16";
const READ_BESIDE_FSYNC: &str = "pattern='randread' neighbours=['fsync']";
const STREAM_READ: &str = "pattern='read' block_size='128K' depth=32";
const STREAM_WRITE: &str = "pattern='write' block_size='128K' depth=32";
const FSYNC: &str = "pattern='randwrite' fsync=1";
const READ_MANY: &str = "pattern='randread' depth=32 jobs=8";
const WRITE_MANY: &str = "pattern='randwrite' depth=32 jobs=8";

/// The 850 EVO whose fast area is full.
const FULL: &str = "samsung-850-evo-500-full";

/// Facts from data sheets and measurements; the profiles name the sources.
const FACTS: &[Fact] = {
    use Quantity::{Bandwidth, Iops, Mean, ReadP50, ReadP99, WriteAndSync};
    const EVO: &str = "samsung-850-evo-500";
    const MICRON: &str = "micron-1100-m2";
    const P4500: &str = "intel-p4500";
    &[
        fact(EVO, READ_1, Iops, (10_000.0, 10_800.0)),
        fact(EVO, READ_1, ReadP50, (92.0, 92.0)),
        fact(EVO, READ_1, ReadP99, (119.0, 119.0)),
        fact(EVO, READ_32, Iops, (94_000.0, 98_000.0)),
        fact(EVO, FRESH_1, Iops, (40_000.0, 40_000.0)),
        fact(EVO, FRESH_32, Iops, (88_000.0, 90_000.0)),
        fact(EVO, STREAM_READ, Bandwidth, (540.0, 540.0)),
        fact(EVO, FRESH_STREAM, Bandwidth, (520.0, 520.0)),
        fact(EVO, FSYNC, WriteAndSync, (3200.0, 3200.0)),
        fact(EVO, READ_BESIDE_FSYNC, Iops, (600.0, 600.0)),
        fact(FULL, WRITE_1, Iops, (5000.0, 8000.0)),
        fact(FULL, WRITE_32, Iops, (5000.0, 8000.0)),
        fact(MICRON, READ_1, Mean, (85.0, 85.0)),
        fact(MICRON, READ_32, Iops, (55_000.0, 55_000.0)),
        fact(MICRON, WRITE_1, Mean, (40.0, 40.0)),
        fact(MICRON, WRITE_32, Iops, (83_000.0, 83_000.0)),
        fact(MICRON, STREAM_READ, Bandwidth, (530.0, 530.0)),
        fact(MICRON, STREAM_WRITE, Bandwidth, (500.0, 500.0)),
        fact(P4500, READ_1, Mean, (85.0, 85.0)),
        fact(P4500, "pattern='read'", Mean, (10.0, 10.0)),
        fact(P4500, "pattern='write'", Mean, (13.0, 13.0)),
        fact(P4500, READ_MANY, Iops, (490_000.0, 490_000.0)),
        fact(P4500, WRITE_MANY, Iops, (38_000.0, 38_000.0)),
        fact(P4500, STREAM_READ, Bandwidth, (3200.0, 3200.0)),
        fact(P4500, STREAM_WRITE, Bandwidth, (1050.0, 1050.0)),
        fact("hgst-7k4000", HGST_1, Iops, (80.0, 80.0)),
        fact("hgst-7k4000", HGST_32, Iops, (180.0, 200.0)),
        fact("hdd-5400", SLOW_1, Mean, (14_600.0, 15_600.0)),
        fact("hdd-5400", STREAM_READ, Bandwidth, (100.0, 100.0)),
        fact("sata-ssd", READ_1, Mean, (100.0, 100.0)),
        fact("sata-ssd", READ_32, Iops, (94_000.0, 98_000.0)),
        fact("sata-ssd", WRITE_1, Mean, (30.0, 30.0)),
        fact("sata-ssd", WRITE_32, Iops, (88_000.0, 90_000.0)),
        fact("sata-ssd", STREAM_READ, Bandwidth, (540.0, 540.0)),
        fact("sata-ssd", STREAM_WRITE, Bandwidth, (520.0, 520.0)),
        fact("nvme-ssd", READ_1, Iops, (19_000.0, 19_000.0)),
        fact("nvme-ssd", READ_MANY, Iops, (600_000.0, 600_000.0)),
        fact("nvme-ssd", FRESH_1, Iops, (60_000.0, 60_000.0)),
        fact("nvme-ssd", FRESH_MANY, Iops, (550_000.0, 550_000.0)),
        fact("nvme-ssd", STREAM_READ, Bandwidth, (3500.0, 3500.0)),
        fact("nvme-ssd", FRESH_STREAM, Bandwidth, (3300.0, 3300.0)),
        fact("flash-sata", READ_1, Iops, (10_000.0, 10_000.0)),
        fact("flash-sata", READ_32, Iops, (94_000.0, 98_000.0)),
        fact("flash-sata", STREAM_READ, Bandwidth, (540.0, 540.0)),
        fact("flash-sata", FSYNC, WriteAndSync, (3200.0, 3200.0)),
    ]
};

/// Facts that the simulation misses, and why. Once a row matches, it belongs to [`FACTS`].
const MISSES: &[Fact] = {
    use Quantity::{Iops, Mean, WriteAndSync};
    &[
        // Stated for a drive that is not yet full; the stated 38k writes per second are 26 us each.
        fact("intel-p4500", WRITE_1, Mean, (20.0, 20.0)),
        // 1.6 times depth 1, measured on one disk; 2.5 times in the simulation. Other disks gain as
        // much as it does, or nearly: `hgst-7k4000`, and the eight of `hard_disks.rs` in
        // stripewise-calibrate.
        fact("hdd-7200", CLASS_32, Iops, (128.0, 128.0)),
        // 28 + 9.4 n ms for n cached writes, measured on that disk. The simulation has 9.3 ms for
        // each further write, but nothing that takes 28 ms.
        fact("hdd-7200", CLASS_FSYNC, WriteAndSync, (37_400.0, 37_400.0)),
        fact(
            "hdd-7200",
            CLASS_FSYNC_16,
            WriteAndSync,
            (11_150.0, 11_150.0),
        ),
        // Real firmware does more in the background than collect greedily.
        fact("flash-sata", WRITE_32, Iops, (5000.0, 8000.0)),
    ]
};

fn model() -> Model {
    let mut profiles = Profiles::shipped();
    let mut full = profiles.devices["samsung-850-evo-500"].clone();
    if let DeviceModel::Calibrated(calibrated) = &mut full.model
        && let Some(drain) = &mut calibrated.drain
    {
        drain.fast_bytes = 0;
    }
    profiles.devices.insert(FULL.to_owned(), full);
    Model::new(profiles, KernelVersion::new(6, 12, 0))
}

/// Simulates one disk under `load`, space-separated keys of a workload.
fn simulate(model: &Model, device: &str, load: &str) -> Sample {
    let size = match load.contains(" size='") {
        true => "",
        false => "size = '16G'",
    };
    let state = match load.ends_with(" fresh") {
        true => "[conditions]\nstate = 'fresh'",
        false => "",
    };
    let load = load.trim_end_matches(" fresh").replace(' ', "\n");
    let beside = match load.contains("neighbours=") {
        true => "[neighbour.fsync]\npattern = 'randwrite'\nsize = '1G'\nfsync = 1",
        false => "",
    };
    let text = format!(
        "[stack.disk]\ndevices = {{ {device} = 1 }}\n[workload]\ndirect = true\n{size}\n{load}\n{beside}\n{state}"
    );
    let study = match stripewise_format::parse("facts", &text) {
        Ok(study) => study,
        Err(error) => panic!("{error}"),
    };
    let cell = study.cells.first().expect("one cell");
    match model.simulate(cell, 1, &mut NeverCancel) {
        Ok(sample) => sample,
        Err(error) => panic!("{device}: {error}"),
    }
}

/// Simulates `facts`; returns a table of them, and which are beyond the tolerance.
fn compare(model: &Model, facts: &[Fact]) -> (String, Vec<bool>) {
    let mut table = format!(
        "{:<24} {:<42} {:>13} {:>9} {:>8}  unit\n",
        "disk", "load (4 KiB at depth 1 if not said)", "stated", "simulated", "error"
    );
    let mut misses = Vec::new();
    for fact in facts {
        let simulated = fact.quantity.of(&simulate(model, fact.device, fact.load));
        let (least, most) = fact.stated;
        let stated = match least < most {
            true => format!("{least:.0}-{most:.0}"),
            false => format!("{least:.0}"),
        };
        let error = simulated / simulated.clamp(least, most) - 1.0;
        misses.push(error.abs() > TOLERANCE);
        let percent = error * 100.0;
        let (device, load, unit) = (fact.device, fact.load, fact.quantity.unit());
        writeln!(
            table,
            "{device:<24} {load:<42} {stated:>13} {simulated:>9.0} {percent:>+6.1} %  {unit}"
        )
        .expect("text can be written to");
    }
    (table, misses)
}

#[test]
fn simulated_disks_match_their_stated_facts() {
    let (table, misses) = compare(&model(), FACTS);
    expect_file!["../shipped_profiles.txt"].assert_eq(&table);
    assert!(misses.iter().all(|&miss| !miss), "beyond 10 %:\n{table}");
}

#[test]
fn known_misses_still_miss() {
    let (table, misses) = compare(&model(), MISSES);
    expect_file!["../shipped_profiles_misses.txt"].assert_eq(&table);
    assert!(
        misses.iter().all(|&miss| miss),
        "a known miss now matches:\n{table}"
    );
}

#[test]
fn a_shipped_profile_has_its_name_and_lists_its_assumptions() {
    for (name, device) in Profiles::shipped().devices {
        assert_eq!(device.name, name);
        assert!(!device.assumed.is_empty(), "{name}");
    }
}
