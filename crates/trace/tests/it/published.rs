//! Excerpts of traces that others published; `published/README.md` has their sources.
//!
//! Every number here was worked out by hand from the lines: a sector has 512 bytes, and times count
//! from the first record.

use stripewise_trace::{Action, BeginCounts, Event, FormatName, Options, Reader, SkipReason};

/// What a trace holds.
struct Trace {
    reader: Reader<&'static [u8]>,
    /// Of each I/O, when it began in ns, what it does, its offset and its length.
    ios: Vec<(u64, Action, u64, u64)>,
    /// The names of the processes that began them.
    processes: Vec<String>,
    /// When each I/O that was done began, and when it was done.
    done: Vec<(u64, u64)>,
}

#[track_caller]
fn read(inputs: &[&'static [u8]], format: FormatName) -> Trace {
    let mut reader = Reader::merge(inputs.to_vec(), Options::default()).expect("a trace");
    assert_eq!(reader.format(), format);
    let (mut ios, mut processes, mut done) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(event) = reader.next_event().expect("memory can be read") {
        match event {
            Event::Begin(io) => {
                ios.push((io.at.as_u64(), io.action, io.offset_bytes, io.length_bytes));
                processes.push(reader.names().of_process(io.process).to_owned());
            }
            Event::End { at, began, .. } => done.push((began.as_u64(), at.as_u64())),
        }
    }
    Trace {
        reader,
        ios,
        processes,
        done,
    }
}

/// Reads a sample of one file or several.
macro_rules! sample {
    ($format:ident, $($name:literal),+) => {
        read(
            &[$(include_bytes!(concat!("../published/", $name))),+],
            FormatName::$format,
        )
    };
}

impl Trace {
    fn count(&self, action: Action) -> usize {
        self.ios.iter().filter(|io| io.1 == action).count()
    }

    fn skipped(&self) -> Vec<(SkipReason, u64)> {
        self.reader.skipped().iter().collect()
    }

    fn devices(&self) -> &[String] {
        &self.reader.names().devices
    }
}

#[test]
fn blktrace_of_zfs_on_four_cpus() {
    let trace = sample!(
        Blktrace,
        "zfs.blktrace.1",
        "zfs.blktrace.2",
        "zfs.blktrace.3",
        "zfs.blktrace.6"
    );
    assert_eq!(trace.count(Action::Write), 11);
    assert_eq!(trace.count(Action::Flush), 2);
    assert_eq!(trace.done.len(), 13);
    assert_eq!(trace.ios[0], (0, Action::Write, 115_857_112 * 512, 8192));
    assert_eq!(trace.done[0], (0, 71_360));
    let names = ["z_wr_int_1", "z_wr_int_0", "z_wr_int_1", "z_wr_int_0"];
    assert_eq!(trace.processes[..4], names);
    assert_eq!(trace.processes[7], "kworker/3:1H");
    // The flush that the block layer made; the bio that asked for it was not recorded.
    assert_eq!(trace.done[7], (358_108, 3_621_939));
    // The write at 115857088, the first to be done, was issued before the excerpt.
    assert_eq!(trace.skipped(), [(SkipReason::NeverBegan, 1)]);
    let facts = trace.reader.facts();
    let of_issue = BeginCounts {
        issued: 13,
        ..BeginCounts::default()
    };
    assert_eq!(facts.begins, of_issue);
    assert_eq!(facts.time_of_day, Some((1_691_072_417, 318_622_672)));
    assert_eq!(trace.devices(), ["8,52"]);
}

#[test]
fn blktrace_of_a_busy_disk_without_the_requests_that_came_back() {
    let trace = sample!(Blktrace, "busy.blktrace");
    // 41 were issued, 10 of them again: 5 discards and 5 writes.
    assert_eq!(trace.count(Action::Discard), 5);
    assert_eq!(trace.count(Action::Write), 26);
    assert_eq!(trace.done.len(), 31);
    assert_eq!(trace.skipped(), []);
    let discard = (12_680, Action::Discard, 982_757_456 * 512, 65_536);
    assert_eq!(trace.ios[1], discard);
    assert!(trace.done.contains(&(12_680, 1_754_614)));
    // The write at 99584712 was issued by z_wr_int_1, and 3.9 ms later by a worker of the kernel.
    let write = (4_328_565, Action::Write, 99_584_712 * 512, 16_384);
    assert!(trace.ios.contains(&write));
    assert!(trace.done.contains(&(4_328_565, 8_324_741)));
}

#[test]
fn blkparse_of_flushes_through_a_device_mapper() {
    let trace = sample!(Blkparse, "lvm.blkparse");
    let flush = |at| (at, Action::Flush, 0, 0);
    let expected = [
        flush(0),
        (1_085_042, Action::Write, 592_294_440 * 512, 4096),
        flush(2_104_266_347),
        flush(2_128_117_652),
        (2_128_470_001, Action::Write, 83_951_996 * 512, 6144),
    ];
    assert_eq!(trace.ios, expected);
    let done = [
        (0, 778_797),
        (1_085_042, 1_544_943),
        (2_104_266_347, 2_127_907_789),
        (2_128_117_652, 2_128_246_606),
        (2_128_470_001, 2_129_598_111),
    ];
    assert_eq!(trace.done, done);
    assert_eq!(trace.skipped(), []);
    assert_eq!(trace.processes[0], "jbd2/dm-4-8");
    assert_eq!(trace.reader.facts().begins.queued, 5);
}

#[test]
fn blkparse_of_commands_that_are_passed_through() {
    let trace = sample!(Blkparse, "passed-through.blkparse");
    assert_eq!((trace.ios.len(), trace.done.len()), (0, 0));
    assert_eq!(trace.skipped(), []);
}

#[test]
fn perf_of_fua_on_a_disk_without_it() {
    let trace = sample!(PerfScript, "dmcrypt.perf-script");
    let write = |at| (at, Action::Write, 4112 * 512, 2048);
    assert_eq!(trace.ios, [write(0), write(42_593_000)]);
    assert_eq!(trace.processes, ["dmcrypt_write", "dmcrypt_write"]);
    // Done with the flush behind its data; that of the second is not in the excerpt.
    assert_eq!(trace.done, [(0, 11_272_000)]);
    assert_eq!(trace.skipped(), [(SkipReason::NeverEnded, 1)]);
}

#[test]
fn perf_of_issue_and_complete_alone() {
    let trace = sample!(PerfScript, "zfs.perf-script");
    assert_eq!((trace.count(Action::Write), trace.ios.len()), (6, 6));
    assert_eq!(
        trace.ios[0],
        (0, Action::Write, 15_300_838_656 * 512, 16_384)
    );
    assert_eq!(
        trace.ios[4],
        (19_000, Action::Write, 10_739_516_360 * 512, 53_248)
    );
    let done = [
        (0, 956_000),
        (3_000, 1_113_000),
        (5_000, 1_234_000),
        (8_000, 1_328_000),
        (19_000, 1_524_000),
        (28_000, 1_563_000),
    ];
    assert_eq!(trace.done, done);
    assert_eq!(trace.processes[3..5], ["kthreadd", "z_wr_int_6"]);
    assert_eq!(trace.skipped(), []);

    let trace = sample!(PerfScript, "completions.perf-script");
    assert_eq!(trace.ios, []);
    assert_eq!(trace.skipped(), [(SkipReason::NeverBegan, 4)]);
}

#[test]
fn perf_with_call_stacks() {
    let trace = sample!(PerfScript, "call-stack.perf-script");
    assert_eq!((trace.ios.len(), trace.done.len()), (0, 0));
    assert_eq!(trace.skipped(), []);
}

#[test]
fn ftrace_of_a_flush_that_fails() {
    let trace = sample!(Ftrace, "flush-error.ftrace");
    assert_eq!(trace.ios, [(0, Action::Flush, 0, 0)]);
    assert_eq!(trace.processes, ["rep"]);
    assert_eq!(trace.done, [(0, 261_000)]);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn ftrace_of_a_merged_read_among_events_of_a_filesystem() {
    let trace = sample!(Ftrace, "iomap.ftrace");
    let expected = [
        (0, Action::Read, 98_384 * 512, 8192),
        (39_000, Action::Read, 98_400 * 512, 4096),
        (759_000, Action::Read, 98_408 * 512, 8192),
    ];
    assert_eq!(trace.ios, expected);
    let done = [(0, 683_000), (39_000, 683_000), (759_000, 1_175_000)];
    assert_eq!(trace.done, done);
    assert_eq!(trace.skipped(), []);
}

/// Of the two requests, one was inserted and the other issued directly. The failure: only the first was
/// an I/O.
#[test]
fn ftrace_of_direct_and_inserted_requests_without_bios() {
    let whole = include_str!("../published/iomap.ftrace");
    let first = 98_384 * 512;
    let last = (98_408 * 512, 8192);
    // The first request is two bios, the second of which joined it.
    let merged = [(first, 8192), (98_400 * 512, 4096), last];
    let only_requests = [(first, 12_288), last];
    let of_bios = ["block_bio_", "block_getrq", "block_io_start"];
    for (dropped, expected) in [
        (&of_bios[..], &only_requests[..]),
        (&["bio_queue"], &merged),
    ] {
        let is_kept = |line: &&str| !dropped.iter().any(|event| line.contains(event));
        let without: String = whole.split_inclusive('\n').filter(is_kept).collect();
        let trace = read(&[without.leak().as_bytes()], FormatName::Ftrace);
        let places = trace.ios.iter().map(|(.., at, length)| (*at, *length));
        assert_eq!(places.collect::<Vec<_>>(), expected);
        assert_eq!(trace.done.len(), expected.len());
        assert_eq!(trace.skipped(), []);
    }
}

/// Of a text with all steps, the first two bios' lines are left; they flush. The failure: "the trace has
/// no reads or writes", as I/Os began where bios are queued.
#[test]
fn blkparse_with_two_bios_and_the_requests_of_all() {
    let whole = include_str!("../samples/loop.blkparse");
    let mut flushes = 0;
    let is_kept = |line: &&str| {
        let step = line.split_ascii_whitespace().nth(5);
        let is_flush = step == Some("Q") && line.contains(" FWS ");
        flushes += u32::from(is_flush);
        is_flush || matches!(step, Some("D" | "C"))
    };
    let without: String = whole.split_inclusive('\n').filter(is_kept).collect();
    assert_eq!(flushes, 2);
    let trace = read(&[without.leak().as_bytes()], FormatName::Blkparse);
    let issued = whole.lines().filter(|line| {
        let step = line.split_ascii_whitespace().nth(5);
        step == Some("D") && !line.contains(" FN ")
    });
    assert_eq!(trace.ios.len(), issued.count() + 2);
    assert_eq!(trace.count(Action::Flush), 2);
    assert_eq!(trace.done.len(), trace.ios.len());
    assert_eq!(trace.skipped(), []);
}

#[test]
fn ftrace_of_several_kernels_and_programs() {
    let trace = sample!(Ftrace, "latency-format.ftrace");
    let read = |at, sector: u64| (at, Action::Read, sector * 512, 1_310_720);
    assert_eq!(trace.ios, [read(0, 505_083_904), read(5_000, 505_086_464)]);
    assert_eq!(trace.processes, ["test", "test"]);
    assert_eq!(trace.done, [(0, 67_198_000)]);
    assert_eq!(trace.skipped(), [(SkipReason::NeverEnded, 1)]);

    // A write was inserted and issued; what was done there 90 s later is a read.
    let trace = sample!(Ftrace, "no-flags.ftrace");
    assert_eq!(trace.ios, [(0, Action::Write, 184_067_232 * 512, 8192)]);
    assert_eq!(trace.processes, ["nb_truck_1"]);
    let skipped = [(SkipReason::NeverBegan, 1), (SkipReason::NeverEnded, 1)];
    assert_eq!(trace.skipped(), skipped);

    let trace = sample!(Ftrace, "atomic.ftrace");
    assert_eq!(trace.ios, [(0, Action::Write, 768 * 512, 16_384)]);
    assert_eq!(trace.done, [(0, 3_021_000)]);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn biosnoop_by_when_its_ios_began() {
    let trace = sample!(Biosnoop, "supervise.biosnoop");
    // The first ended after 0.004 ms and took 0.74 ms; the second began 0.965 ms later.
    let expected = [
        (0, Action::Write, 13_092_560 * 512, 4096),
        (965_000, Action::Write, 13_092_440 * 512, 4096),
        (2_004_417_000, Action::Write, 62_901_513 * 512, 512),
        (2_004_426_000, Action::Write, 62_901_512 * 512, 8192),
    ];
    assert_eq!(trace.ios, expected);
    assert!(trace.done.contains(&(0, 740_000)));
    assert_eq!(trace.done.len(), 4);
    assert_eq!(trace.processes[1..3], ["supervise", "xfsaild/md0"]);
    assert_eq!(trace.devices(), ["xvda1", "xvdc", "xvdb"]);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn iosnoop_by_when_its_ios_began() {
    let trace = sample!(Iosnoop, "outlier.iosnoop");
    let expected = [
        (0, Action::Read, 954_168 * 512, 8192),
        (2_524_000, Action::Write, 17_040_192 * 512, 4096),
        (19_880_000, Action::Read, 18_836_600 * 512, 8192),
    ];
    assert_eq!(trace.ios, expected);
    let done = [
        (2_524_000, 3_058_000),
        (0, 19_831_000),
        (19_880_000, 20_045_000),
    ];
    assert_eq!(trace.done, done);
    assert_eq!(trace.devices(), ["202,1", "202,32"]);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn fio_version_2_with_empty_lines() {
    let trace = sample!(FioIolog, "gpfs.fio-iolog");
    let offsets = [
        2_072_348_000,
        25_436_172_000,
        28_971_548_000,
        16_149_572_000,
    ];
    let expected = offsets.map(|offset| (0, Action::Write, offset, 4000));
    assert_eq!(trace.ios, expected);
    assert_eq!(trace.devices(), ["/gpfs/skeletor/run_hawc_exp.0.0"]);
    assert_eq!(trace.skipped(), []);
    assert!(!trace.reader.facts().has_times);
}

#[test]
fn msr_cambridge() {
    let trace = sample!(Msr, "hm_0.msr.csv");
    assert_eq!(trace.count(Action::Write), 8);
    assert_eq!(trace.count(Action::Read), 1);
    assert_eq!(trace.ios[0], (0, Action::Write, 250_417_152, 8192));
    // 10874650 and 63820 units of 100 ns.
    let read = (1_087_465_000, Action::Read, 1_898_643_456, 4096);
    assert_eq!(trace.ios[6], read);
    assert!(trace.done.contains(&(1_087_465_000, 1_093_847_000)));
    assert_eq!(trace.done.len(), 9);
    assert_eq!(trace.devices(), ["hm_0"]);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn fiu() {
    let trace = sample!(Fiu, "dedup.fiu");
    assert_eq!(trace.count(Action::Write), 3);
    assert_eq!(trace.count(Action::Read), 3);
    assert_eq!(trace.ios[0], (0, Action::Write, 508_516_672 * 512, 4096));
    let read = (791_182_067, Action::Read, 283_193_112 * 512, 4096);
    assert_eq!(trace.ios[3], read);
    assert_eq!(trace.processes[2..4], ["nfsd", "gzip"]);
    assert_eq!(trace.devices(), ["6,0"]);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn systor_out_of_order() {
    let trace = sample!(Systor, "lun.systor.csv");
    assert_eq!((trace.count(Action::Read), trace.ios.len()), (11, 11));
    // The second line is the earliest, the first line the third.
    assert_eq!(trace.ios[0], (0, Action::Read, 4_256_049_987_072, 122_880));
    let third = (6_791_000, Action::Read, 899_056_122_368, 131_072);
    assert_eq!(trace.ios[2], third);
    assert_eq!(trace.done[0], (6_791_000, 7_597_000));
    assert_eq!(trace.done[1], (0, 8_044_000));
    assert_eq!(trace.done.len(), 11);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn spc_with_fields_of_its_own_and_a_broken_line() {
    let trace = sample!(Spc, "example.spc");
    assert_eq!(trace.count(Action::Write), 8);
    assert_eq!(trace.count(Action::Read), 2);
    assert_eq!(trace.ios[0], (0, Action::Write, 20_941_264 * 512, 8192));
    assert_eq!(trace.ios[1].0, 2_335_000);
    let fourth = (699_014_000, Action::Write, 3_436_288 * 512, 15_872);
    assert_eq!(trace.ios[3], fourth);
    assert_eq!(trace.devices(), ["0", "1", "2"]);
    // `2 448003` is no time.
    assert_eq!(trace.skipped(), [(SkipReason::Malformed, 1)]);
    let malformed = trace.reader.skipped().first_malformed.as_ref();
    assert_eq!(malformed.map(|(line, _)| *line), Some(9));

    let trace = sample!(Spc, "financial1.spc");
    assert_eq!(trace.ios, [(0, Action::Write, 303_567 * 512, 3584)]);
}

#[test]
fn alibaba() {
    let trace = sample!(Alibaba, "alibaba.csv");
    assert_eq!(trace.count(Action::Read), 2);
    assert_eq!(trace.count(Action::Write), 5);
    assert_eq!(
        trace.ios[1],
        (380_000, Action::Write, 19_496_058_880, 77_824)
    );
    assert_eq!(trace.ios[5], (580_000, Action::Read, 126_703_644_672, 4096));
    assert_eq!(trace.devices(), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(trace.skipped(), []);
}

#[test]
fn tencent_begins_with_its_second_second() {
    let trace = sample!(Tencent, "tencent.csv");
    assert_eq!(trace.count(Action::Read), 5);
    assert_eq!(trace.count(Action::Write), 3);
    assert_eq!(trace.ios[0], (0, Action::Read, 13_896_880 * 512, 65_536));
    assert_eq!(trace.ios[3], (0, Action::Write, 49_518_656 * 512, 524_288));
    // The first line.
    let last = (1_000_000_000, Action::Write, 4_247_200 * 512, 65_536);
    assert_eq!(trace.ios[7], last);
    assert_eq!(trace.devices(), ["1058", "1063"]);
    assert_eq!(trace.skipped(), []);
}
