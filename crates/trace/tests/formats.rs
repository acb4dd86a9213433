//! Each format is read as its documentation lays it out, and damaged traces give counts.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

use std::fmt::Write as _;
use std::io::Cursor;

use stripewise_study::units::Nanos;
use stripewise_trace::event::{Action, Event, TracedIo};
use stripewise_trace::{ReadError, Reader, Why};

/// An I/O: when it begins and ends in us, what it does, its sector and its sectors.
type Io = (u64, u64, char, u64, u64);

const IOS: [Io; 5] = [
    (0, 90, 'R', 2048, 8),
    (50, 300, 'W', 4096, 64),
    (60, 100, 'R', 8, 16),
    (250, 260, 'W', 128, 1),
    (1_000_000, 1_000_400, 'R', 2056, 8),
];

fn steps() -> Vec<(u64, bool, Io)> {
    let ends = IOS.iter().map(|io| (io.1, false, *io));
    let mut steps: Vec<(u64, bool, Io)> =
        IOS.iter().map(|io| (io.0, true, *io)).chain(ends).collect();
    steps.sort_by_key(|step| step.0);
    steps
}

fn blkparse() -> String {
    let mut text = String::new();
    for (sequence, (us, begins, (.., what, sector, sectors))) in (1..).zip(steps()) {
        let (step, end) = if begins { ('Q', "[fio]") } else { ('C', "[0]") };
        let (s, ns) = (us / 1_000_000, us % 1_000_000 * 1000);
        let _ = writeln!(
            text,
            "  8,0    3 {sequence:8} {s:5}.{ns:09}  697  {step}   {what} {sector} + {sectors} {end}"
        );
    }
    text + "CPU3 (sda):\n Reads Queued:           3,       16KiB\tWrites Queued:           2,       32KiB\n"
}

fn tracepoints(is_perf: bool, has_priority: bool) -> String {
    let mut text = String::from(if is_perf { "" } else { "# tracer: nop\n#\n" });
    for (us, begins, (.., what, sector, sectors)) in steps() {
        let name = if begins {
            "block_rq_issue"
        } else {
            "block_rq_complete"
        };
        let bytes = if begins {
            format!("{} () ", sectors * 512)
        } else {
            "() ".to_owned()
        };
        let priority = if has_priority { " none,0,0" } else { "" };
        let end = if begins { "[fio job]" } else { "[0]" };
        let (s, us) = (100 + us / 1_000_000, us % 1_000_000);
        let _ = match is_perf {
            true => writeln!(
                text,
                "fio job  1234 [003]  {s}.{us:06}: block:{name}: 8,0 {what}S {bytes}{sector} + {sectors}{priority} {end}"
            ),
            false => writeln!(
                text,
                "         fio job-1234    [003] d..1.  {s}.{us:06}: {name}: 8,0 {what}S {bytes}{sector} + {sectors}{priority} {end}"
            ),
        };
    }
    text
}

fn msr() -> String {
    let mut text = String::new();
    for (from, to, what, sector, sectors) in IOS {
        let kind = if what == 'R' { "Read" } else { "Write" };
        let at = 128_166_372_003_061_629 + from * 10;
        let _ = writeln!(
            text,
            "{at},hm,1,{kind},{},{},{}",
            sector * 512,
            sectors * 512,
            (to - from) * 10
        );
    }
    text
}

fn blktrace(is_big: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let put = |value: u64, size: usize, bytes: &mut Vec<u8>| match is_big {
        true => bytes.extend(&value.to_be_bytes()[8 - size..]),
        false => bytes.extend(&value.to_le_bytes()[..size]),
    };
    let head =
        |time: u64, sector: u64, length: u64, action: u64, pdu: &[u8], bytes: &mut Vec<u8>| {
            let fields = [
                (0x6561_7407, 4),
                (1, 4),
                (time, 8),
                (sector, 8),
                (length, 4),
                (action, 4),
                (697, 4),
            ];
            let fields =
                fields
                    .into_iter()
                    .chain([(8 << 20, 4), (3, 4), (0, 2), (pdu.len() as u64, 2)]);
            fields.for_each(|(value, size)| put(value, size, bytes));
            bytes.extend(pdu);
        };
    head(0, 0, 0, 1 << 26, b"fio\0\0", &mut bytes);
    for (us, begins, (.., what, sector, sectors)) in steps() {
        let category = if what == 'R' { 1 } else { 2 };
        let action = (category << 16) | if begins { 1 } else { 8 };
        head(
            us * 1000 + 77,
            sector,
            sectors * 512,
            action,
            b"",
            &mut bytes,
        );
    }
    bytes
}

fn read(bytes: &[u8]) -> (Vec<Event>, Reader<Cursor<Vec<u8>>>) {
    let mut reader = Reader::new(Cursor::new(bytes.to_vec())).unwrap();
    let mut events = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        events.push(event);
    }
    (events, reader)
}

/// The I/Os of events: begin, end, kind, sector, sectors.
fn ios(events: &[Event]) -> Vec<(u64, Option<u64>, char, u64, u64)> {
    let us = |time: Nanos| time.as_u64() / 1000;
    let end_of = |io: &TracedIo| {
        events.iter().find_map(|event| match event {
            Event::End {
                at, action, began, ..
            } if *began == io.at && *action == io.action => Some(us(*at)),
            _ => None,
        })
    };
    let begins = events.iter().filter_map(|event| match event {
        Event::Begin(io) => {
            let what = if io.action == Action::Read { 'R' } else { 'W' };
            Some((
                us(io.at),
                end_of(io),
                what,
                io.offset_bytes / 512,
                io.length_bytes / 512,
            ))
        }
        Event::End { .. } => None,
    });
    begins.collect()
}

#[test]
fn every_format_gives_the_same_events() {
    let want: Vec<_> = IOS
        .iter()
        .map(|io| (io.0, Some(io.1), io.2, io.3, io.4))
        .collect();
    let traces: [(&str, Vec<u8>); 8] = [
        ("blkparse", blkparse().into_bytes()),
        ("block tracepoints", tracepoints(false, false).into_bytes()),
        ("block tracepoints", tracepoints(false, true).into_bytes()),
        ("block tracepoints", tracepoints(true, false).into_bytes()),
        ("block tracepoints", tracepoints(true, true).into_bytes()),
        ("MSR", msr().into_bytes()),
        ("blktrace", blktrace(false)),
        ("blktrace", blktrace(true)),
    ];
    for (format, bytes) in traces {
        let (events, reader) = read(&bytes);
        assert_eq!(reader.format(), format);
        assert_eq!(ios(&events), want, "{format}");
        assert_eq!(reader.skipped().iter().collect::<Vec<_>>(), [], "{format}");
        assert_eq!(reader.bytes_read(), bytes.len() as u64);
        if format != "MSR" {
            let Event::Begin(first) = events[0] else {
                panic!("{events:?}")
            };
            let name = reader.names().of_process(first.process);
            assert!(name == "fio" || name == "fio job", "{name}");
        }
    }
}

#[test]
fn an_iolog_has_its_times() {
    let second = "fio version 2 iolog\na add\na open\na write 0 4096\na wait 500\na sync 0 0\na wait 500\na read 4096 8192\na close\n";
    let third = "fio version 3 iolog\n24 a add\n152 a open\n157 a write 0 4096\n657 a datasync 0 0\n1157 a read 4096 8192\n";
    for text in [second, third] {
        let (events, reader) = read(text.as_bytes());
        let found: Vec<_> = events
            .iter()
            .map(|event| match event {
                Event::Begin(io) => (
                    io.at.as_u64() / 1000,
                    io.action,
                    io.offset_bytes,
                    io.length_bytes,
                ),
                Event::End { .. } => panic!("an iolog has no ends"),
            })
            .collect();
        let want = [
            (0, Action::Write, 0, 4096),
            (500, Action::Flush, 0, 0),
            (1000, Action::Read, 4096, 8192),
        ];
        assert_eq!(found, want);
        assert_eq!(reader.skipped().iter().count(), 0);
    }
}

#[test]
fn merged_and_split_bios_end_with_their_requests() {
    let text = "\
  8,0 1 1 0.000000000 9 Q W 100 + 8 [a]
  8,0 1 2 0.000001000 9 Q W 108 + 8 [a]
  8,0 1 3 0.000002000 9 M W 108 + 8 [a]
  8,0 1 4 0.000003000 9 D W 100 + 16 [a]
  8,0 1 5 0.000100000 0 C W 100 + 16 [0]
  8,0 1 6 0.000200000 9 Q R 0 + 64 [a]
  8,0 1 7 0.000201000 9 X R 0 / 32 [a]
  8,0 1 8 0.000300000 0 C R 32 + 32 [0]
  8,0 1 9 0.000400000 0 C R 0 + 32 [0]
  8,0 1 10 0.000500000 9 Q FWS 0 + 0 [a]
  8,0 1 11 0.000600000 0 C FWS 0 [0]
";
    let (events, reader) = read(text.as_bytes());
    let ends: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::End {
                at, began, action, ..
            } => Some((began.as_u64() / 1000, at.as_u64() / 1000, *action)),
            Event::Begin(_) => None,
        })
        .collect();
    let want = [
        (0, 100, Action::Write),
        (1, 100, Action::Write),
        (200, 400, Action::Read),
        (500, 600, Action::Flush),
    ];
    assert_eq!(ends, want);
    assert_eq!(reader.skipped().iter().count(), 0);
}

#[test]
fn damage_is_counted() {
    let whole = blkparse();
    let lines = || whole.lines().map(str::to_owned);
    let damaged: Vec<String> = lines()
        .enumerate()
        .map(|(at, line)| if at == 2 { "garbage".to_owned() } else { line })
        .collect();
    let (_, reader) = read((damaged.join("\n") + "\n").as_bytes());
    assert_eq!(reader.skipped().count(Why::Malformed), 1);
    assert_eq!(
        reader.skipped().first_malformed.as_ref().map(|one| one.0),
        Some(3)
    );
    // An end without a beginning, and a beginning without an end.
    let (_, reader) = read(lines().skip(1).collect::<Vec<_>>().join("\n").as_bytes());
    assert_eq!(reader.skipped().count(Why::NeverBegan), 1);
    let (events, reader) = read(lines().take(3).collect::<Vec<_>>().join("\n").as_bytes());
    assert_eq!(
        (events.len(), reader.skipped().count(Why::NeverEnded)),
        (3, 3)
    );
    // A clock that jumps back further than the window.
    let late = (0..70_000)
        .map(|at| format!("8,0 1 1 {at}.0 9 Q W 0 + 8 [a]\n"))
        .collect::<String>()
        + "8,0 1 1 0.5 9 Q W 0 + 8 [a]\n";
    let (_, reader) = read(late.as_bytes());
    assert_eq!(reader.skipped().count(Why::OutOfOrder), 1);
    // The tracer lost some.
    let lost = tracepoints(false, false) + "CPU:1 [LOST 42 EVENTS]\n";
    assert_eq!(read(lost.as_bytes()).1.skipped().count(Why::Lost), 42);
}

#[test]
fn a_trace_may_be_cut_off_anywhere() {
    for bytes in [
        blkparse().into_bytes(),
        tracepoints(true, true).into_bytes(),
        msr().into_bytes(),
        blktrace(false),
    ] {
        for length in 1..bytes.len() {
            let Ok(mut reader) = Reader::new(&bytes[..length]) else {
                continue;
            };
            while reader.next_event().unwrap().is_some() {}
            let skipped = reader.skipped();
            assert_eq!(skipped.count(Why::Malformed), 0, "{length}");
            assert!(skipped.count(Why::Truncated) <= 1);
        }
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    let refused = |bytes: &[u8]| Reader::new(bytes).map(drop).unwrap_err();
    assert!(matches!(refused(b""), ReadError::Empty));
    assert!(matches!(
        refused(b"\x1f\x8b\x08"),
        ReadError::Packed { program: "gzip" }
    ));
    let error = refused(b"hello\nworld\n");
    assert_eq!(
        error.to_string(),
        "the trace is in no format that is known: its first line is `hello`"
    );
    assert!(error.hint().is_some());
}
