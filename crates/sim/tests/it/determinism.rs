//! Guards against samples that do not repeat, and against unnoticed changes of the model.

use std::fmt::Write as _;

use expect_test::expect;
use stripewise_study::stack::{Bitmap, Level};
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;

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
    expect![[r#"
        one SSD, random reads: 117234197 ns
          read 1000 mean 117234.197 p99 292864
          1000 r 0 w 0 m 110684197 busy
        one SSD, deep mix: 32874286 ns
          read 510 mean 1036984.231372549 p99 1056768
          write 490 mean 1033090.3387755102 p99 1056768
          510 r 490 w 0 m 32867586 busy
        raid0, writes: 174999596 ns
          write 1000 mean 698896.775 p99 724992
          0 r 1000 w 1667 m 174974179 busy
          0 r 1000 w 1667 m 174982396 busy
          0 r 1000 w 1666 m 174951244 busy
        raid1, random reads: 11183873 ns
          read 1000 mean 177618.854 p99 366592
          516 r 0 w 0 m 11143409 busy
          484 r 0 w 0 m 11173773 busy
        raid10 n2, 4.1, reads: 281947054 ns
          read 1000 mean 281947.054 p99 528384
          1000 r 0 w 0 m 196258459 busy
          1000 r 0 w 0 m 197992118 busy
          1000 r 0 w 0 m 197868644 busy
          1000 r 0 w 0 m 202746664 busy
        raid10 f2, uplink: 1244944107 ns
          read 1000 mean 1244944.107 p99 1286144
          8000 r 0 w 0 m 1084913107 busy
          8000 r 0 w 0 m 1121324064 busy
          8000 r 0 w 0 m 1157734106 busy
          8000 r 0 w 0 m 1194144107 busy
        raid10 o2, random writes: 61178911 ns
          write 1000 mean 487171.001 p99 757760
          0 r 615 w 217 m 58935330 busy
          0 r 619 w 202 m 59227493 busy
          0 r 587 w 200 m 59428366 busy
          0 r 581 w 185 m 58564701 busy
          0 r 598 w 196 m 58922635 busy
        raid5, bitmap, random writes: 2175575721 ns
          write 1000 mean 2175575.721 p99 2506752
          497 r 1436 w 0 m 1563873131 busy
          483 r 1452 w 0 m 1577881033 busy
          529 r 1405 w 0 m 1534378520 busy
          487 r 1447 w 0 m 1576750681 busy
        raid6, random writes: 132822823 ns
          write 1000 mean 530335.395 p99 749568
          730 r 719 w 4547 m 106066750 busy
          696 r 752 w 4546 m 105679231 busy
          692 r 756 w 4546 m 105259574 busy
          698 r 750 w 4546 m 106447220 busy
          778 r 671 w 4547 m 108186444 busy
          750 r 701 w 4549 m 106290302 busy
        page cache and fsync: 62160975 ns
          write 953 mean 3000 p99 2992
          0 r 987 w 0 m 58782625 busy
    "#]]
    .assert_eq(&text);
}
