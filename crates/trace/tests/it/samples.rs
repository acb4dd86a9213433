//! Real traces, which the kernel and its programs wrote. `samples/README.md` says how each was made.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::{Expect, expect};
use stripewise_trace::{Action, Event, FormatName, Options, Reader};

const CPU_0: &[u8] = include_bytes!("../samples/loop.blktrace.0");
const CPU_1: &[u8] = include_bytes!("../samples/loop.blktrace.1");
const MERGED: &[u8] = include_bytes!("../samples/loop.merged");
const BLKPARSE: &[u8] = include_bytes!("../samples/loop.blkparse");
const PERF: &[u8] = include_bytes!("../samples/loop.perf-script");
const FTRACE: &[u8] = include_bytes!("../samples/loop.ftrace");
const EXT4: &[u8] = include_bytes!("../samples/ext4.ftrace");
const IOLOG: &[u8] = include_bytes!("../samples/loop.fio-iolog");
const PERF_TRACE: &[u8] = include_bytes!("../samples/loop.perf-trace");
const MIXED: &[u8] = include_bytes!("../cases/insert-mixed.ftrace");
const MARKS_LITTLE: &[u8] = include_bytes!("../samples/marks.little");
const MARKS_BIG: &[u8] = include_bytes!("../samples/marks.big");
const MARKS_BLKPARSE: &[u8] = include_bytes!("../samples/marks.blkparse");

#[track_caller]
fn reader(inputs: &[&'static [u8]], format: FormatName) -> Reader<&'static [u8]> {
    let reader = Reader::merge(inputs.to_vec(), Options::default()).expect("a trace");
    assert_eq!(reader.format(), format);
    reader
}

fn events(reader: &mut Reader<&'static [u8]>) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = reader.next_event().expect("memory can be read") {
        events.push(event);
    }
    events
}

/// Describes a trace in a few lines.
fn described(reader: &mut Reader<&'static [u8]>) -> String {
    let events = events(reader);
    let mut begun: BTreeMap<Action, (u64, u64)> = BTreeMap::new();
    let mut latencies: BTreeMap<Action, (u64, u64)> = BTreeMap::new();
    for event in &events {
        match event {
            Event::Begin(io) => {
                let entry = begun.entry(io.action).or_default();
                *entry = (entry.0 + 1, entry.1 + io.length_bytes);
            }
            Event::End {
                at, action, began, ..
            } => {
                let entry = latencies.entry(*action).or_default();
                *entry = (entry.0 + 1, entry.1 + at.as_u64() - began.as_u64());
            }
        }
    }
    let mut text = String::new();
    for (action, (count, bytes)) in begun {
        let (ended, total) = latencies.get(&action).copied().unwrap_or_default();
        let mean = total.checked_div(ended).unwrap_or_default();
        writeln!(
            text,
            "{action:?}: {count}, {bytes} bytes; {ended} done, {mean} ns"
        )
        .expect("memory");
    }
    for name in &reader.names().processes[1..] {
        writeln!(text, "process {name:?}").expect("memory");
    }
    writeln!(text, "devices {:?}", reader.names().devices).expect("memory");
    let skipped: Vec<_> = reader.skipped().iter().collect();
    writeln!(text, "skipped {skipped:?}, {:?}", reader.facts()).expect("memory");
    text
}

#[track_caller]
fn check(inputs: &[&'static [u8]], format: FormatName, expected: &Expect) {
    expected.assert_eq(&described(&mut reader(inputs, format)));
}

/// Reads binary traces that must be the same as a text of `blkparse`; returns the events.
#[track_caller]
fn check_agrees(text: &'static [u8], binaries: &[&[&'static [u8]]]) -> Vec<Event> {
    let mut text = reader(&[text], FormatName::Blkparse);
    let of_text = events(&mut text);
    for inputs in binaries {
        let mut binary = reader(inputs, FormatName::Blktrace);
        assert_eq!(events(&mut binary), of_text);
        assert_eq!(binary.names().processes, text.names().processes);
        assert_eq!(binary.names().devices, text.names().devices);
        assert_eq!(binary.skipped(), text.skipped());
    }
    of_text
}

#[test]
fn the_binary_reader_agrees_with_blkparse() {
    let binaries = [&[CPU_0, CPU_1][..], &[CPU_1, CPU_0], &[MERGED]];
    let all = check_agrees(BLKPARSE, &binaries);
    assert!(all.len() > 80, "{}", all.len());
}

#[test]
fn both_byte_orders_agree_with_blkparse() {
    let all = check_agrees(MARKS_BLKPARSE, &[&[MARKS_LITTLE], &[MARKS_BIG]]);
    for bytes in [MARKS_LITTLE, MARKS_BIG] {
        let mut binary = reader(&[bytes], FormatName::Blktrace);
        events(&mut binary);
        assert_eq!(binary.facts().time_of_day, Some((1_700_000_000, 42)));
        assert_eq!(binary.skipped().iter().count(), 0);
    }
    let begun = all.iter().filter_map(|event| match event {
        Event::Begin(io) => Some(io),
        Event::End { .. } => None,
    });
    let begun: Vec<_> = begun.collect();
    assert!(begun[0].marks.is_read_ahead && begun[0].marks.is_metadata);
    assert!(begun[3].marks.is_fua && begun[3].marks.flushes_first);
    assert_eq!(begun[4].action, Action::Flush);
    assert_eq!((begun.len(), all.len()), (6, 12), "all are done");
}

#[test]
fn what_the_kernel_wrote_through_blktrace() {
    check(
        &[CPU_0, CPU_1],
        FormatName::Blktrace,
        &expect![[r#"
            Read: 14, 57344 bytes; 14 done, 78149 ns
            Write: 24, 9437184 bytes; 24 done, 313387 ns
            Flush: 2, 0 bytes; 2 done, 2459840 ns
            Discard: 5, 327680 bytes; 5 done, 78793 ns
            process ("", Some(8179))
            process ("", Some(54))
            process ("", Some(8180))
            process ("", Some(8181))
            devices ["7,0"]
            skipped [], Facts { begins: BeginCounts { queued: 45, entered: 0, inserted: 0, issued: 0, whole: 0 }, has_ends: true, has_times: true, sections: 1, time_of_day: None }
        "#]],
    );
}

#[test]
fn what_perf_script_wrote() {
    check(
        &[PERF],
        FormatName::PerfScript,
        &expect![[r#"
            Read: 14, 57344 bytes; 14 done, 49214 ns
            Write: 20, 9437184 bytes; 20 done, 116400 ns
            Flush: 2, 0 bytes; 2 done, 7997000 ns
            Discard: 5, 327680 bytes; 5 done, 31000 ns
            process ("fio", Some(8256))
            process ("kworker/0:1H-kb", Some(44))
            process ("fio", Some(8301))
            process ("fio", Some(8318))
            devices ["7,0"]
            skipped [], Facts { begins: BeginCounts { queued: 41, entered: 0, inserted: 0, issued: 0, whole: 0 }, has_ends: true, has_times: true, sections: 1, time_of_day: None }
        "#]],
    );
}

#[test]
fn what_ftrace_wrote() {
    check(
        &[FTRACE],
        FormatName::Ftrace,
        &expect![[r#"
            Read: 14, 57344 bytes; 14 done, 48000 ns
            Write: 16, 1048576 bytes; 16 done, 130750 ns
            Flush: 2, 0 bytes; 2 done, 1176500 ns
            process ("fio", Some(7701))
            process ("kworker/1:1H", Some(54))
            process ("kworker/0:1H", Some(44))
            devices ["7,0"]
            skipped [], Facts { begins: BeginCounts { queued: 32, entered: 0, inserted: 0, issued: 0, whole: 0 }, has_ends: true, has_times: true, sections: 1, time_of_day: None }
        "#]],
    );
}

#[test]
fn a_filesystem_on_a_partition() {
    check(
        &[EXT4],
        FormatName::Ftrace,
        &expect![[r#"
            Read: 5, 5120 bytes; 5 done, 35800 ns
            Write: 47, 125952 bytes; 47 done, 386851 ns
            Flush: 1, 0 bytes; 1 done, 76000 ns
            process ("fio", Some(29906))
            process ("fio", Some(29911))
            process ("kworker/0:1H", Some(44))
            process ("jbd2/loop0p1-8", Some(29903))
            process ("kworker/u8:4", Some(11459))
            process ("sync", Some(29912))
            devices ["7,0"]
            skipped [], Facts { begins: BeginCounts { queued: 53, entered: 0, inserted: 0, issued: 0, whole: 0 }, has_ends: true, has_times: true, sections: 1, time_of_day: None }
        "#]],
    );
}

#[test]
fn what_fio_wrote() {
    check(
        &[IOLOG],
        FormatName::FioIolog,
        &expect![[r#"
            Read: 14, 57344 bytes; 0 done, 0 ns
            Write: 20, 9437184 bytes; 0 done, 0 ns
            Flush: 2, 0 bytes; 0 done, 0 ns
            Discard: 5, 327680 bytes; 0 done, 0 ns
            devices ["/dev/loop0"]
            skipped [], Facts { begins: BeginCounts { queued: 0, entered: 0, inserted: 0, issued: 0, whole: 41 }, has_ends: false, has_times: true, sections: 1, time_of_day: None }
        "#]],
    );
}

#[test]
fn what_perf_trace_wrote() {
    check(
        &[PERF_TRACE],
        FormatName::PerfTrace,
        &expect![[r#"
        Read: 5, 20480 bytes; 0 done, 0 ns
        Write: 7, 458752 bytes; 0 done, 0 ns
        process ("fio", Some(22452))
        devices ["7,0"]
        skipped [], Facts { begins: BeginCounts { queued: 12, entered: 0, inserted: 0, issued: 0, whole: 0 }, has_ends: false, has_times: true, sections: 1, time_of_day: None }
    "#]],
    );
}

/// Requests of a blk-mq device, of which three were inserted and the others issued directly, as the recipe
/// with `insert`, `issue` and `complete` records them. The failure: 3 reads, and 24 left out.
#[test]
fn what_blk_mq_inserts_and_issues_directly() {
    check(
        &[MIXED],
        FormatName::Ftrace,
        &expect![[r#"
        Read: 28, 114688 bytes; 27 done, 88222 ns
        process ("fio", Some(789))
        devices ["259,0"]
        skipped [(NeverEnded, 1)], Facts { begins: BeginCounts { queued: 0, entered: 0, inserted: 3, issued: 25, whole: 0 }, has_ends: true, has_times: true, sections: 1, time_of_day: None }
    "#]],
    );
}
