//! The module checks every parameter, but its errors end in the guest's kernel log, where no user
//! sees them. So the host checks first and names the wrong key.

use expect_test::expect;
use proptest::prelude::*;

use super::*;

/// A disk with every part of the model.
fn full() -> DiskModel {
    let point = |size_bytes, time_ns| CurvePoint {
        size_bytes,
        time_ns,
    };
    DiskModel {
        rotational: true,
        store: DiskStore::All { bytes_max: 1 << 28 },
        seed: Seed::new(0xfeed_0000_0000_0000_0000_0000_0000_0001),
        link: DiskLink {
            read_bytes_per_s: Some(550_000_000),
            write_bytes_per_s: Some(530_000_000),
            command_ns: 2900,
            full_duplex: false,
        },
        read: DiskDirection {
            servers: 10,
            random: vec![point(4096, 85_400), point(1_048_576, 2_069_900)],
            sequential: vec![point(4096, 17_800)],
            spread: Vec::new(),
        },
        cache: CacheProfile {
            is_volatile: true,
            flush_ns: 3_165_000,
        },
        drain: Some(DrainProfile {
            fast_bytes: 6_000_000_000,
            random_bytes_per_s: 26_600_000,
            sequential_bytes_per_s: 530_000_000,
            buffer_bytes: 4_194_304,
        }),
        ..DiskModel::instant(1 << 30)
    }
}

#[test]
fn a_disk_is_one_line_of_text() {
    let words = |disk: &DiskModel| disk.command(DiskName::new(3)).unwrap().replace(' ', "\n");
    expect![[r#"
        add
        name=swd3
        seed=feed0000000000000000000000000001
        size_bytes=1073741824
        logical_block_bytes=512
        physical_block_bytes=4096
        queue_depth=256
        request_bytes_max=33554432
        rotational=1
        link_command_ns=2900
        link_full_duplex=0
        link_read_bytes_per_s=550000000
        link_write_bytes_per_s=530000000
        cache_volatile=1
        cache_flush_ns=3165000
        read_servers=10
        write_servers=1
        drain_fast_bytes=6000000000
        drain_random_bytes_per_s=26600000
        drain_sequential_bytes_per_s=530000000
        drain_buffer_bytes=4194304
        store_bytes=268435456
        store_blank_zeroes=1
        store=all
        read_random=4096:85400,1048576:2069900
        read_sequential=4096:17800
        write_random=4096:0"#]]
    .assert_eq(&words(&full()));
    expect![[r#"
        add
        name=swd3
        seed=00000000000000000000000000000001
        size_bytes=1099511627776
        logical_block_bytes=512
        physical_block_bytes=4096
        queue_depth=256
        request_bytes_max=33554432
        rotational=0
        link_command_ns=0
        link_full_duplex=1
        link_read_bytes_per_s=0
        link_write_bytes_per_s=0
        cache_volatile=0
        cache_flush_ns=0
        read_servers=1
        write_servers=1
        store_bytes=150994944
        store_blank_zeroes=1
        store=edges
        read_random=4096:0
        write_random=4096:0"#]]
    .assert_eq(&words(&DiskModel::instant(1 << 40)));
}

#[test]
fn a_disk_is_reset_by_name() {
    let disk = DiskName::new(7);
    let commands = [disk.path(), disk.reset(Seed::new(255))];
    expect![[r#"
        /dev/swd7
        reset swd7 seed=000000000000000000000000000000ff"#]]
    .assert_eq(&commands.join("\n"));
}

#[test]
fn the_host_names_parameters_that_the_module_would_refuse() {
    let refuse = |change: fn(&mut DiskModel)| {
        let mut disk = full();
        change(&mut disk);
        disk.command(DiskName::new(0)).unwrap_err().to_string()
    };
    let point = CurvePoint {
        size_bytes: 4096,
        time_ns: 0,
    };
    let refusals = [
        refuse(|disk| disk.size_bytes = 4096),
        refuse(|disk| disk.size_bytes += 512),
        refuse(|disk| disk.logical_block_bytes = 520),
        refuse(|disk| disk.physical_block_bytes = 8192),
        refuse(|disk| (disk.logical_block_bytes, disk.physical_block_bytes) = (4096, 512)),
        refuse(|disk| disk.request_bytes_max = 1 << 26),
        refuse(|disk| disk.queue_depth = 0),
        refuse(|disk| disk.store = DiskStore::All { bytes_max: 1 }),
        refuse(|disk| disk.link.command_ns = u64::MAX),
        refuse(|disk| disk.link.read_bytes_per_s = Some(0)),
        refuse(|disk| disk.cache.flush_ns = 1 << 60),
        refuse(|disk| disk.drain.as_mut().unwrap().random_bytes_per_s = 0),
        refuse(|disk| disk.drain.as_mut().unwrap().fast_bytes = u64::MAX),
        refuse(|disk| disk.read.servers = 1025),
        refuse(|disk| disk.read.random.clear()),
        refuse(|disk| disk.read.random.reverse()),
        refuse(|disk| disk.write.random[0].time_ns = u64::MAX),
        refuse(|disk| disk.write.spread = vec![65_536; 256]),
        refuse(|disk| disk.write.spread = (0..257).rev().collect()),
    ];
    assert_eq!(vec![point], DiskModel::instant(1 << 20).write.random);
    expect![[r#"
        `size_bytes` of a modelled disk is below 1 MiB
        `size_bytes` of a modelled disk is not a multiple of 4096 up to 1 EiB
        `logical_block_bytes` of a modelled disk is not a power of two from 512 to 4096
        `physical_block_bytes` of a modelled disk is not a power of two from 512 to 4096
        `physical_block_bytes` of a modelled disk is less than `logical_block_bytes`
        `request_bytes_max` of a modelled disk is not 4 KiB to 32 MiB
        `queue_depth` of a modelled disk is not 1 to 10240
        `store_bytes` of a modelled disk is not a multiple of 4096 up to 1 EiB
        `link_command_ns` of a modelled disk is above 1000 s
        `bytes_per_s` of a modelled disk is not 1 B/s to 10 TB/s
        `cache_flush_ns` of a modelled disk is above 1000 s
        `bytes_per_s` of a modelled disk is not 1 B/s to 10 TB/s
        `drain` of a modelled disk holds more than 1 EiB
        `read` of a modelled disk does not have 1 to 1024 servers
        `read` of a modelled disk has no times
        `read` of a modelled disk has sizes that do not rise
        `write` of a modelled disk has a size above 1 GiB or a time above 1000 s
        `write` of a modelled disk has a spread that is not 257 rising factors
        `write` of a modelled disk has a spread that is not 257 rising factors"#]]
    .assert_eq(&refusals.join("\n"));
}

#[test]
fn the_command_of_the_largest_disk_fits_the_limit() {
    let point = |index: u64| CurvePoint {
        size_bytes: (1 << 30) - 256 + index,
        time_ns: TIME_NS_MAX,
    };
    let direction = DiskDirection {
        servers: 1024,
        random: (0..256).map(point).collect(),
        sequential: (0..256).map(point).collect(),
        spread: vec![u32::MAX; SPREAD_FACTORS],
    };
    let disk = DiskModel {
        read: direction.clone(),
        write: direction,
        ..full()
    };
    let command = disk.command(DiskName::new(255)).unwrap();
    assert!(command.len() < COMMAND_BYTES_MAX, "{}", command.len());
}

#[test]
fn a_disk_survives_a_json_round_trip() {
    let disk = full();
    let json = serde_json::to_string(&disk).unwrap();
    assert_eq!(serde_json::from_str::<DiskModel>(&json).unwrap(), disk);
    for seed in ["", "1", "+0000000000000000000000000000001", "\u{661}"] {
        let changed = json.replace("feed0000000000000000000000000001", seed);
        assert!(
            serde_json::from_str::<DiskModel>(&changed).is_err(),
            "{seed}"
        );
    }
}

/// A list written by a guest with kernel 6.1.
const LISTED: &str = "name=swd0 read_requests=6251 read_bytes=139648000 \
read_service_ns=832633872 read_late_ns=319701963 read_sectors_sum=7 \
write_requests=6092 write_bytes=176852992 write_sectors_sum=9 write_service_ns=126885629 write_late_ns=954836139 flush_requests=11 flush_bytes=0 \
flush_service_ns=5000000 flush_late_ns=423225 clear_requests=8 clear_bytes=1107383296 \
clear_service_ns=0 clear_late_ns=0 stored_bytes=155258880 forgotten_bytes=1 blank_bytes=2 \
failed_requests=3 memory_waits=4 store=all seed=000000000000000000000000000000ff \
size_bytes=1073741824 queue_depth=32\n";

#[test]
fn the_list_of_disks_is_parsed() {
    let disks = DiskStatus::parse(LISTED).unwrap();
    let swd0 = DiskStatus {
        name: DiskName::new(0),
        requests_count: 6251 + 6092 + 11 + 8,
        service_ns: 832_633_872 + 126_885_629 + 5_000_000,
        late_ns: 319_701_963 + 954_836_139 + 423_225,
        failed_requests_count: 3,
        memory_waits_count: 4,
        read_bytes: 139_648_000,
        write_bytes: 176_852_992,
        sectors_sums: SectorsSums { read: 7, write: 9 },
    };
    assert_eq!(disks, [swd0]);
    assert_eq!(DiskStatus::parse(""), Ok(Vec::new()));
    let problem = |text: &str| DiskStatus::parse(text).unwrap_err().to_string();
    let problems = [
        problem("\u{1b}[2J"),
        problem(&LISTED.replace("swd0", "swd256")),
        problem(&LISTED.replace("swd0", "swd+1")),
        problem(&LISTED.replace("write_late_ns=954836139", "write_late_ns=-1")),
        problem(&format!("{LISTED}name=swd1 size_bytes=0")),
        problem(&"x".repeat(STATUS_BYTES_MAX + 1)),
    ];
    expect![[r#"
        line 1 of the list of modelled disks has no `name`
        line 1 of the list of modelled disks has no `name`
        line 1 of the list of modelled disks has no `name`
        line 1 of the list of modelled disks has no `write_late_ns`
        line 2 of the list of modelled disks has no `read_requests`
        the list of modelled disks is longer than 1048576 bytes"#]]
    .assert_eq(&problems.join("\n"));
}

proptest! {
    #[test]
    fn parsing_any_text_as_a_list_never_panics(text in "[ -~\n]{0,400}", cut in 0..600_usize) {
        // The result does not matter; a part of a real list reaches more of the parser.
        let _ = DiskStatus::parse(&text);
        let _ = DiskStatus::parse(LISTED.get(..cut).unwrap_or(LISTED));
    }
}
