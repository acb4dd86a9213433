//! Guards against a sample that cannot be taken again, and against changes of the model that nobody saw.

use std::fmt::Write as _;

use expect_test::expect;
use stripewise_study::stack::{Bitmap, Level};
use stripewise_study::units::Bytes;
use stripewise_study::workload::Pattern;

use crate::support::*;

fn cases() -> Vec<(&'static str, Case)> {
    let ssds = |case: Case| {
        let members = u32::try_from(case.devices.len()).unwrap();
        case.on(members, &uneven_ssd())
    };
    let array = |level, layout, members| ssds(Case::array(level, layout, members));
    let mut bitmap = array(Level::Raid5, None, 4).pattern(Pattern::RandWrite, 4 * KIB);
    bitmap.stack.array.as_mut().unwrap().bitmap = Bitmap::Internal {
        chunk_bytes: Some(Bytes::new(64 * KIB)),
    };
    let mut published = array(Level::Raid10, Some("n2"), 4).pattern(Pattern::Read, 128 * KIB);
    published.kernel = PUBLISHED;
    let mut buffered = ssds(Case::single()).pattern(Pattern::RandWrite, 4 * KIB);
    buffered.workload.load.direct = false;
    buffered.workload.load.fsync_every = Some(20.try_into().unwrap());
    vec![
        ("one SSD, random reads", ssds(Case::single())),
        (
            "one SSD, deep mix",
            ssds(Case::single())
                .pattern(Pattern::RandRw, 16 * KIB)
                .depth(2, 16),
        ),
        (
            "raid0, writes",
            array(Level::Raid0, None, 3)
                .pattern(Pattern::Write, 256 * KIB)
                .depth(1, 4),
        ),
        (
            "raid1, random reads",
            array(Level::Raid1, None, 2).depth(4, 4),
        ),
        ("raid10 n2, 4.1, reads", published),
        (
            "raid10 f2, uplink",
            array(Level::Raid10, Some("f2"), 4)
                .pattern(Pattern::Read, MIB)
                .host(host_with_uplink(900_000_000)),
        ),
        (
            "raid10 o2, random writes",
            array(Level::Raid10, Some("o2"), 5)
                .pattern(Pattern::RandWrite, 64 * KIB)
                .depth(1, 8),
        ),
        ("raid5, bitmap, random writes", bitmap),
        (
            "raid6, random writes",
            array(Level::Raid6, None, 6)
                .pattern(Pattern::RandWrite, 24 * KIB)
                .depth(2, 2),
        ),
        ("page cache and fsync", buffered),
    ]
}

#[test]
fn the_same_seed_gives_the_same_sample() {
    for (name, case) in cases() {
        assert_eq!(case.run(300), case.run(300), "{name}");
    }
}

#[test]
fn another_seed_gives_another_sample() {
    for (name, case) in cases() {
        assert_ne!(case.run(300), case.clone().seed(2).run(300), "{name}");
    }
}

#[test]
fn the_numbers_of_ten_cells() {
    let mut text = String::new();
    for (name, case) in cases() {
        let sample = case.run(1000);
        writeln!(text, "{name}: {} ns", sample.elapsed_ns.as_u64()).unwrap();
        for (kind, transfer) in [("read", &sample.read), ("write", &sample.write)] {
            if let Some(mean_ns) = transfer.latency.mean_ns {
                let p99 = transfer.latency.histogram.quantile(990).unwrap().as_u64();
                writeln!(text, "  {kind} {} mean {mean_ns} p99 {p99}", transfer.ios).unwrap();
            }
        }
        for device in &sample.devices {
            let merges = device.read_merges + device.write_merges;
            let busy = device.busy_ns.as_u64();
            let (reads, writes) = (device.reads, device.writes);
            writeln!(text, "  {reads} r {writes} w {merges} m {busy} busy").unwrap();
        }
    }
    expect![[r#""#]].assert_eq(&text);
}
