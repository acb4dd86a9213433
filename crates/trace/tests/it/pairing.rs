//! Beginnings and ends: merged, split, requeued, lost, too many, of several devices, packed.

use std::io::{Read, Write as _};

use stripewise_packing::{Packer, Packing};
use stripewise_trace::{
    Action, Event, FormatName, Options, ReadError, Reader, SkipReason, Skipped,
};

/// Events as text, and what was skipped.
#[track_caller]
fn read_with(input: impl Read, options: Options) -> (Vec<String>, Skipped, Reader<impl Read>) {
    let mut reader = Reader::new(input, options).expect("a trace");
    let mut events = Vec::new();
    while let Some(event) = reader.next_event().expect("memory can be read") {
        events.push(match event {
            Event::Begin(io) => format!(
                "{} {:?} {}+{}",
                io.at.as_u64(),
                io.action,
                io.offset_bytes,
                io.length_bytes
            ),
            Event::End {
                at, action, began, ..
            } => format!("{} {action:?} done, {}", at.as_u64(), began.as_u64()),
        });
    }
    let skipped = reader.skipped().clone();
    (events, skipped, reader)
}

/// Reads lines of `blkparse`: the time in ns, the action, the letters, the sector and the count.
#[track_caller]
fn blkparse(lines: &[(u64, &str)], options: Options) -> (Vec<String>, Skipped) {
    let mut text = String::new();
    for (time, rest) in lines {
        let (seconds, nanos) = (time / 1_000_000_000, time % 1_000_000_000);
        let (device, rest) = match rest.split_once('@') {
            Some((rest, device)) => (device, rest),
            None => ("8,0", *rest),
        };
        text += &format!("  {device} 0 1 {seconds}.{nanos:09} 7 {rest} [x]\n");
    }
    let options = Options {
        format: Some(FormatName::Blkparse),
        ..options
    };
    let (events, skipped, _) = read_with(text.as_bytes(), options);
    (events, skipped)
}

#[track_caller]
fn check(lines: &[(u64, &str)], expected: &[&str], skips: &[(SkipReason, u64)]) {
    let (events, skipped) = blkparse(lines, Options::default());
    assert_eq!(events, expected);
    assert_eq!(skipped.iter().collect::<Vec<_>>(), skips);
}

#[test]
fn a_request_ends_all_that_was_merged_into_it() {
    let lines = [
        (0, "Q W 8 + 8"),
        (1, "Q W 16 + 8"),
        (2, "Q W 0 + 8"),
        (3, "Q R 8 + 8"),
        (4, "I W 0 + 24"),
        (5, "D W 0 + 24"),
        (9, "C W 0 + 24"),
    ];
    let expected = [
        "0 Write 4096+4096",
        "1 Write 8192+4096",
        "2 Write 0+4096",
        "3 Read 4096+4096",
        "9 Write done, 2",
        "9 Write done, 0",
        "9 Write done, 1",
    ];
    check(&lines, &expected, &[(SkipReason::NeverEnded, 1)]);
}

#[test]
fn a_split_bio_ends_with_its_last_part() {
    let lines = [
        (0, "Q R 0 + 24"),
        (1, "D R 0 + 8"),
        (2, "D R 8 + 16"),
        (5, "C R 8 + 16"),
        (7, "C R 0 + 8"),
    ];
    check(&lines, &["0 Read 0+12288", "7 Read done, 0"], &[]);
}

#[test]
fn of_two_at_one_place_the_later_ends_first() {
    let lines = [
        (0, "Q R 0 + 8"),
        (5, "Q R 0 + 8"),
        (6, "C R 0 + 8"),
        (8, "C R 0 + 8"),
        (9, "C R 0 + 8"),
    ];
    let expected = [
        "0 Read 0+4096",
        "5 Read 0+4096",
        "6 Read done, 5",
        "8 Read done, 0",
    ];
    check(&lines, &expected, &[(SkipReason::NeverBegan, 1)]);
}

#[test]
fn without_bios_requests_begin_and_a_requeued_one_begins_once() {
    let lines = [
        (0, "D R 0 + 8"),
        (1, "R R 0 + 8"),
        (2, "D R 0 + 8"),
        (3, "D FN"),
        (5, "C FN 0"),
        (6, "C WS 0"),
        (8, "C R 0 + 8"),
    ];
    let expected = [
        "0 Read 0+4096",
        "3 Flush 0+0",
        "5 Flush done, 3",
        "8 Read done, 0",
    ];
    check(&lines, &expected, &[]);
    let inserted = [
        (0, "I R 0 + 8"),
        (1, "D R 0 + 8"),
        (2, "D FN"),
        (3, "C FN 0"),
        (4, "C R 0 + 8"),
    ];
    let expected = [
        "0 Read 0+4096",
        "2 Flush 0+0",
        "3 Flush done, 2",
        "4 Read done, 0",
    ];
    check(&inserted, &expected, &[]);
}

#[test]
fn a_flush_that_is_queued_without_a_place_is_done_at_one() {
    let lines = [
        (0, "Q FWFS"),
        (1, "D FN"),
        (5, "C FN 0"),
        (6, "C WFS 2048"),
        (7, "Q FWS"),
        (8, "Q WFS 64 + 8"),
        (9, "C WFS 64 + 8"),
        (10, "C WFS 64"),
        (11, "C WS 0"),
    ];
    let expected = [
        "0 Flush 0+0",
        "6 Flush done, 0",
        "7 Flush 0+0",
        "8 Write 32768+4096",
        "10 Write done, 8",
        "11 Flush done, 7",
    ];
    check(&lines, &expected, &[]);
}

#[test]
fn a_request_that_comes_back_unrecorded_begins_once_where_most_do() {
    let mut lines = vec![(0, "D W 0 + 8"), (1, "D W 0 + 8"), (2, "C W 0 + 8")];
    let others: Vec<_> = (1..=16)
        .map(|n| (format!("D R {} + 8", n * 8), format!("C R {} + 8", n * 8)))
        .collect();
    for (time, (issue, complete)) in (10..).step_by(2).zip(&others) {
        lines.extend([(time, issue.as_str()), (time + 1, complete.as_str())]);
    }
    let (events, skipped) = blkparse(&lines, Options::default());
    assert_eq!(events[..2], ["0 Write 0+4096", "2 Write done, 0"]);
    assert_eq!((events.len(), skipped.iter().count()), (34, 0));
    // Of two requests that are alike, each is done.
    lines.insert(3, (3, "C W 0 + 8"));
    let (events, skipped) = blkparse(&lines, Options::default());
    let expected = [
        "0 Write 0+4096",
        "1 Write 0+4096",
        "2 Write done, 1",
        "3 Write done, 0",
    ];
    assert_eq!(events[..4], expected);
    assert_eq!((events.len(), skipped.iter().count()), (36, 0));
}

#[test]
fn a_write_with_fua_on_a_device_without_it_is_done_with_its_flush() {
    let lines = [
        (0, "Q FWFS 8 + 8"),
        (1, "D FN"),
        (2, "C FN 0"),
        (3, "D WS 8 + 8"),
        (4, "C WS 8 + 8"),
        (5, "D FN"),
        (6, "C FN 0"),
        (7, "C WS 8"),
        (8, "Q WFS 8 + 8"),
        (9, "C WFS 8 + 8"),
    ];
    let expected = [
        "0 Write 4096+4096",
        "7 Write done, 0",
        "8 Write 4096+4096",
        "9 Write done, 8",
    ];
    check(&lines, &expected, &[]);
}

#[test]
fn a_lost_end_is_given_up_after_five_minutes() {
    let minute = 60_000_000_000;
    let lines = [
        (0, "Q R 0 + 8"),
        (1, "Q R 8 + 8"),
        (2, "C R 8 + 8"),
        (6 * minute, "Q R 16 + 8"),
        (6 * minute + 1, "C R 0 + 8"),
        (6 * minute + 2, "C R 16 + 8"),
    ];
    let expected = [
        "0 Read 0+4096",
        "1 Read 4096+4096",
        "2 Read done, 1",
        "360000000000 Read 8192+4096",
        "360000000002 Read done, 360000000000",
    ];
    check(
        &lines,
        &expected,
        &[(SkipReason::NeverBegan, 1), (SkipReason::NeverEnded, 1)],
    );
}

#[test]
fn too_many_under_way_are_counted_and_the_youngest_are_kept() {
    let mut lines = vec![(0, "C R 0 + 8".to_owned())];
    for index in 0..70_000_u64 {
        lines.push((index + 1, format!("Q W {} + 8", index * 8)));
    }
    lines.push((80_000, format!("C W {} + 8", 69_999 * 8)));
    let lines: Vec<(u64, &str)> = lines
        .iter()
        .map(|(at, line)| (*at, line.as_str()))
        .collect();
    let (events, skipped) = blkparse(&lines, Options::default());
    assert_eq!(events.len(), 70_001);
    assert_eq!(events[70_000], "80000 Write done, 70000");
    assert_eq!(skipped.count(SkipReason::NeverEnded), 70_000 - 1);
    assert_eq!(skipped.count(SkipReason::NeverBegan), 1);
}

#[test]
fn devices_are_kept_apart_and_one_can_be_chosen() {
    let lines = [
        (0, "Q W 0 + 8@9,0"),
        (1, "Q W 0 + 8@8,0"),
        (2, "Q W 0 + 8@8,16"),
        (3, "D W 0 + 8@8,0"),
        (5, "C W 0 + 8@8,0"),
        (6, "C W 0 + 8@8,16"),
        (7, "C W 0 + 8@9,0"),
    ];
    let all = [
        "0 Write 0+4096",
        "1 Write 0+4096",
        "2 Write 0+4096",
        "5 Write done, 1",
        "6 Write done, 2",
        "7 Write done, 0",
    ];
    check(&lines, &all, &[]);
    let options = Options {
        device: Some("8,16".to_owned()),
        ..Options::default()
    };
    let (events, skipped) = blkparse(&lines, options);
    assert_eq!(events, ["2 Write 0+4096", "6 Write done, 2"]);
    assert_eq!(skipped, Skipped::default());
}

#[test]
fn what_lies_beyond_the_device_is_counted() {
    let lines = [
        (0, "Q W 0 + 8"),
        (1, "Q W 1 + 8"),
        (2, "Q W 36028797018963967 + 8"),
        (3, "Q W 36028797018963968 + 8"),
    ];
    let options = Options {
        device_bytes: Some(4096),
        ..Options::default()
    };
    let (events, skipped) = blkparse(&lines, options);
    assert_eq!(events, ["0 Write 0+4096"]);
    assert_eq!(skipped.count(SkipReason::BeyondDevice), 2);
    assert_eq!(skipped.count(SkipReason::Malformed), 1, "2^64 bytes");
    assert_eq!(
        skipped.first_malformed.as_ref().map(|(line, _)| *line),
        Some(4)
    );
}

/// The failure: one I/O of 2 TiB, which no kernel does, was simulated for minutes.
#[test]
fn what_is_longer_than_an_io_of_a_kernel_is_damaged() {
    let longest = u64::from(u32::MAX);
    let blkparse = format!(
        "  8,0 0 1 0.000000000 7 Q W 0 + {} [x]\n  8,0 0 1 0.000000001 7 Q W 0 + {} [x]\n",
        longest / 512,
        longest / 512 + 1
    );
    let iolog = format!(
        "fio version 2 iolog\n/f read 0 {longest}\n/f read 0 {}\n/f write 0 {}\n",
        longest + 1,
        u64::MAX
    );
    let csv = format!(
        "time_s,action,offset_bytes,length_bytes\n0,read,0,{longest}\n1,write,0,{}\n",
        2_u64 << 40
    );
    for (text, damaged, line, bytes) in [
        (blkparse, 1, 2, longest + 1),
        (iolog, 2, 3, longest + 1),
        (csv, 1, 3, 2 << 40),
    ] {
        let (events, skipped, _) = read_with(text.as_bytes(), Options::default());
        assert_eq!(events.len(), 1, "{text}");
        let skips: Vec<(SkipReason, u64)> = skipped.iter().collect();
        assert_eq!(skips, [(SkipReason::Malformed, damaged)], "{text}");
        let why = format!("{bytes} bytes are more than a kernel does in one I/O");
        assert_eq!(skipped.first_malformed, Some((line, why)), "{text}");
    }
}

#[test]
fn known_latencies_end_in_order() {
    let text = "128166372000000000,hm,0,Read,0,512,50\n\
                128166372000000010,hm,0,Write,512,512,10\n\
                128166372000000100,hm,1,Write,512,512,99999999999999\n\
                128166372000000200,hm,1,Write,512,512,0\n";
    let (events, skipped, reader) = read_with(text.as_bytes(), Options::default());
    let expected = [
        "0 Read 0+512",
        "1000 Write 512+512",
        "2000 Write done, 1000",
        "5000 Read done, 0",
        "20000 Write 512+512",
        "20000 Write done, 20000",
    ];
    assert_eq!(events, expected);
    assert_eq!(
        skipped.count(SkipReason::Malformed),
        1,
        "a latency of years"
    );
    assert_eq!(reader.names().devices, ["hm_0", "hm_1"]);
    assert_eq!(reader.facts().begins.whole, 3);
}

#[test]
fn files_of_one_boot_behind_another_are_sections() {
    let mut lines = Vec::new();
    for index in 0..20 {
        lines.push((100_000_000_000 + index, "Q R 0 + 8"));
    }
    lines.push((100_000_000_030, "C R 0 + 8"));
    for index in 0..20 {
        lines.push((index, "Q R 8 + 8"));
    }
    lines.push((25, "C R 8 + 8"));
    let (events, skipped) = blkparse(&lines, Options::default());
    assert_eq!(events.len(), 42);
    assert_eq!(events[20], "30 Read done, 19");
    assert_eq!(events[41], "55 Read done, 49");
    assert_eq!(
        skipped.iter().collect::<Vec<_>>(),
        [(SkipReason::NeverEnded, 38)]
    );
}

const LINES: &str = "0,R,126703644672,4096,1577808000000626\n1,W,4096,512,1577808000000627\n";

fn packed(text: &str, packing: Packing) -> Vec<u8> {
    let mut packer = Packer::new(Vec::new(), packing);
    packer.write_all(text.as_bytes()).expect("memory");
    packer.finish().expect("memory")
}

#[test]
fn packed_traces_are_unpacked_and_cut_off_ones_counted() {
    let text = LINES.repeat(200);
    let (plain, ..) = read_with(text.as_bytes(), Options::default());
    assert_eq!(plain.len(), 400);
    let alibaba = Options {
        format: Some(FormatName::Alibaba),
        ..Options::default()
    };
    for packed in [
        packed(&text, Packing::Gzip),
        packed(&text, Packing::Zstd),
        [&text[..390], &text[390..]]
            .map(|text| packed(text, Packing::Gzip))
            .concat(),
    ] {
        let (events, skipped, reader) = read_with(packed.as_slice(), Options::default());
        assert_eq!((events.len(), skipped), (400, Skipped::default()));
        assert_eq!(reader.bytes_read(), packed.len() as u64);
        for cut in 7..packed.len() - 1 {
            let mut reader = match Reader::new(&packed[..cut], alibaba.clone()) {
                Ok(reader) => reader,
                Err(error) => panic!("{cut}: {error}"),
            };
            let mut found = 0;
            while let Some(event) = reader.next_event().expect("a cut-off file ends") {
                assert!(matches!(event, Event::Begin(io) if io.action != Action::Flush));
                found += 1;
            }
            // Between two members, a file of gzip is whole.
            let truncated = reader.skipped().count(SkipReason::Truncated);
            assert!(truncated == 1 || found == 20, "{cut}: {found}");
        }
    }
}

#[test]
fn other_packings_are_refused_by_name() {
    let error = |bytes: &[u8]| match Reader::new(bytes, Options::default()) {
        Ok(_) => panic!("it is no trace"),
        Err(error) => format!("{error}; {}", error.hint().unwrap_or_default()),
    };
    assert_eq!(
        error(b"\xfd7zXZ\0more"),
        "the trace is packed with xz; unpack it first: `xz -dc`"
    );
    assert!(error(b"BZh91AY").contains("bzip2"));
    assert_eq!(
        error(b"PERFILE2"),
        "this is a recording of perf; convert it first: `perf script -i FILE`"
    );
    assert_eq!(error(b""), "the trace is empty; ");
    assert_eq!(
        error(b"hello\nworld\n"),
        format!(
            "cannot determine the format of the trace, whose first line is `hello`; known formats: \
             {}; record each I/O: `perf record -a -e block:block_bio_queue -e \
             block:block_rq_issue -e block:block_rq_requeue -e block:block_rq_complete -- sleep \
             60`, then `perf script`; or `blktrace -d DEV -w 60 -o -`",
            FormatName::ALL.map(FormatName::as_str).join(", ")
        )
    );
    let mixed = Reader::merge(
        vec![LINES.as_bytes(), b"0,0,512,R,0.1\n"],
        Options::default(),
    );
    assert!(matches!(mixed, Err(ReadError::DifferentFormats(..))));
}

/// blk-mq inserts some requests and issues others directly. The failure: those that were not inserted
/// were left out, 24 of 27.
#[test]
fn each_io_begins_at_its_own_earliest_record() {
    let lines = [
        (0, "D R 0 + 8"),
        (5, "C R 0 + 8"),
        (10, "I R 8 + 8"),
        (12, "D R 8 + 8"),
        (15, "C R 8 + 8"),
        (20, "Q R 16 + 8"),
        (21, "G R 16 + 8"),
        (22, "D R 16 + 8"),
        (23, "D R 24 + 8"),
        (24, "Q FWS"),
        (25, "D FN"),
        (26, "C FN 0"),
        (27, "C WS 0"),
        (28, "C R 24 + 8"),
        (29, "C R 16 + 8"),
        (30, "D FN"),
        (32, "C FN 0"),
        (33, "C WS 0"),
        (34, "G W 0 + 8"),
        (35, "D W 0 + 8"),
        (36, "C W 0 + 8"),
    ];
    let expected = [
        "0 Read 0+4096",
        "5 Read done, 0",
        "10 Read 4096+4096",
        "15 Read done, 10",
        "20 Read 8192+4096",
        "23 Read 12288+4096",
        "24 Flush 0+0",
        "27 Flush done, 24",
        "28 Read done, 23",
        "29 Read done, 20",
        "30 Flush 0+0",
        "32 Flush done, 30",
        "34 Write 0+4096",
        "36 Write done, 34",
    ];
    check(&lines, &expected, &[]);
}

#[test]
fn a_request_that_grew_begins_the_rest() {
    let lines = [
        (0, "I W 8 + 8"),
        (1, "D W 0 + 24"),
        (5, "C W 0 + 24"),
        // Of two merged requests, `M` names one whose bio has entered.
        (6, "Q W 0 + 8"),
        (6, "G W 0 + 8"),
        (7, "Q W 8 + 8"),
        (7, "G W 8 + 8"),
        (8, "M W 8 + 8"),
        (9, "I W 0 + 16"),
        (9, "D W 0 + 16"),
        (10, "C W 0 + 16"),
    ];
    let expected = [
        "0 Write 4096+4096",
        "1 Write 0+4096",
        "1 Write 8192+4096",
        "5 Write done, 1",
        "5 Write done, 0",
        "5 Write done, 1",
        "6 Write 0+4096",
        "7 Write 4096+4096",
        "10 Write done, 6",
        "10 Write done, 7",
    ];
    check(&lines, &expected, &[]);
}

#[test]
fn a_request_that_comes_back_is_inserted_and_issued_again() {
    let lines = [
        (0, "Q W 0 + 16"),
        (1, "I W 0 + 16"),
        (2, "D W 0 + 16"),
        (3, "R W 0 + 16"),
        (4, "I W 0 + 16"),
        (5, "D W 0 + 16"),
        // A part is done, and the rest comes back.
        (6, "C W 0 + 8"),
        (7, "R W 8 + 8"),
        (8, "D W 8 + 8"),
        (9, "C W 8 + 8"),
    ];
    check(&lines, &["0 Write 0+8192", "9 Write done, 0"], &[]);
}

/// A place is read again before its first read is done.
#[test]
fn one_that_was_issued_ends_before_one_that_waits() {
    let lines = [
        (0, "Q R 0 + 8"),
        (1, "D R 0 + 8"),
        (2, "Q R 0 + 8"),
        (5, "C R 0 + 8"),
        (6, "D R 0 + 8"),
        (8, "C R 0 + 8"),
    ];
    let expected = [
        "0 Read 0+4096",
        "2 Read 0+4096",
        "5 Read done, 0",
        "8 Read done, 2",
    ];
    check(&lines, &expected, &[]);
}

#[test]
fn merged_discards_say_only_where_the_first_begins() {
    let lines = [
        (0, "Q D 0 + 8"),
        (1, "Q D 800 + 8"),
        (2, "D D 0 + 16"),
        (3, "C D 0 + 16"),
    ];
    let expected = [
        "0 Discard 0+4096",
        "1 Discard 409600+4096",
        "3 Discard done, 0",
    ];
    check(&lines, &expected, &[(SkipReason::NeverEnded, 1)]);
}

/// A bio that RAID 0 sends on is queued on the array, and issued and done on a member.
#[test]
fn a_device_without_ends_has_ios_and_none_is_missing() {
    let lines = [
        (0, "Q R 0 + 8@9,0"),
        (1, "G R 4096 + 8@8,0"),
        (2, "D R 4096 + 8@8,0"),
        (3, "C R 4096 + 8@8,0"),
        (4, "C R 0 + 8@8,16"),
    ];
    let expected = ["0 Read 0+4096", "1 Read 2097152+4096", "3 Read done, 1"];
    check(&lines, &expected, &[(SkipReason::NeverBegan, 1)]);
}

/// The clock of `perf script` has microseconds, and the records of one I/O may be of several CPUs.
#[test]
fn steps_at_the_same_time_are_of_one_io_in_any_order() {
    let steps = ["Q R 0 + 8", "G R 0 + 8", "I R 0 + 8", "D R 0 + 8"];
    let mut orders: Vec<Vec<&'static str>> = vec![Vec::new()];
    for step in steps {
        let mut longer = Vec::new();
        for order in orders {
            for place in 0..=order.len() {
                let mut order = order.clone();
                order.insert(place, step);
                longer.push(order);
            }
        }
        orders = longer;
    }
    assert_eq!(orders.len(), 24);
    for order in orders {
        let mut lines: Vec<(u64, &str)> = order.into_iter().map(|step| (0, step)).collect();
        lines.push((5, "C R 0 + 8"));
        check(&lines, &["0 Read 0+4096", "5 Read done, 0"], &[]);
    }
}
