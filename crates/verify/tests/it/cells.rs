//! Throughput and latency of drawn cells against the lab's, in a table that shows every change of the
//! model.

use expect_test::expect_file;
use stripewise_profiles::Profiles;
use stripewise_profiles::profile_file::device_from_toml;
use stripewise_units::kernel::KernelVersion;
use stripewise_verify::cells::{MeasuredCells, compare_cell, study, table};

const MEASURED: &str = include_str!("../../cells/linux-6.1.192.jsonl");
const DISKS: [&str; 3] = [
    include_str!("../../../../studies/devices/cell-sata.toml"),
    include_str!("../../../../studies/devices/cell-nvme.toml"),
    include_str!("../../../../studies/devices/cell-slow.toml"),
];

/// Cells that are more than 10 % off, and the rule that is missing.
const MISSING: [(u64, &str); 15] = [
    (
        4,
        "unknown: the members' counts are equal; the core is full",
    ),
    (7, PARITY_CPU),
    (8, PARITY_CPU),
    (
        15,
        "each chunk of a split I/O costs raid10 a clone and a record of its own; the model has one time for every bio",
    ),
    (
        16,
        "unknown: the members' counts are equal, and the core is not full",
    ),
    (21, "unknown: only the 99th percentile"),
    (22, SCHEDULER_MERGES),
    (29, SCHEDULER_MERGES),
    (37, "unknown: the core is full"),
    (39, "unknown: only the 99th percentile"),
    (
        47,
        "unknown: only the 99th percentile; the worker of several disks sends all at once in the model",
    ),
    (48, "unknown: the core is full"),
    (50, "unknown: only the 99th percentile"),
    (
        52,
        "unknown: raid5d writes 147 to 239 KiB at once in the lab, 511 KiB in the model",
    ),
    (58, "unknown: only the 99th percentile"),
];
const PARITY_CPU: &str = "the guest's rate of computing parity is assumed (xor_bytes_per_s): large stripes of fast disks";
const SCHEDULER_MERGES: &str = "mq-deadline merges waiting requests (dd_bio_merge), and a task sleeps at nr_requests (blk_mq_get_tag)";

#[test]
fn the_model_is_as_near_to_the_lab_as_the_table_says() {
    let measured = MeasuredCells::parse(MEASURED).unwrap();
    let kernel = KernelVersion::parse(&measured.header.kernel).unwrap();
    let mut profiles = Profiles::shipped();
    for text in DISKS {
        let profile = device_from_toml("cell", text).unwrap();
        profiles.devices.insert(profile.name.clone(), profile);
    }
    let cells = measured.cells.iter();
    let compared = cells.map(|cell| compare_cell(cell, &profiles, kernel).unwrap());
    let compared: Vec<_> = compared.collect();
    let mut text = table(&compared);
    let off = compared.iter().filter(|cell| !cell.is_within(10.0));
    for cell in off {
        let missing = MISSING.iter().find(|(number, _)| *number == cell.number);
        let missing = missing.map_or("not looked into", |(_, why)| why);
        text.push_str(&format!("{:3}: {missing}\n", cell.number));
    }
    expect_file!["../cells.txt"].assert_eq(&text);
}

/// Guards against cells that are no longer those of their seed, so that a second run in the lab would
/// measure others.
#[test]
fn the_measured_cells_are_those_of_their_seed() {
    let measured = MeasuredCells::parse(MEASURED).unwrap();
    for cell in measured.cells {
        assert_eq!(cell.study, study(1, cell.number), "cell {}", cell.number);
    }
}
