//! A trace written in each format is read back exactly, whole, cut off, shuffled and mixed.

use crate::common::{self, Half, Io};
use proptest::prelude::*;
use stripewise_trace::{Action, Event, FormatName, Options, ReadError, Reader, SkipReason};

/// Returns the resolution of a format's clock as it is written here.
fn resolution_ns(format: FormatName) -> u64 {
    format.row().resolution_ns.unwrap_or(1_000)
}

/// Returns the name that a device has in a format.
fn device_name(format: FormatName, device: u32) -> String {
    let name = format.row().device;
    name.replace("{device}", &device.to_string())
}

/// docs/traces.md has the formats as their rows say.
#[test]
fn the_page_lists_all_formats() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/traces.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let from = text.find("| `--format` |").expect("a table");
    let length = text[from..].find("\n\n").expect("the end of the table");
    let mut table = "| `--format` | how it is made | read from |\n|---|---|---|".to_owned();
    for format in FormatName::ALL {
        let row = format.row();
        table += &format!("\n| `{}` | {} | {} |", row.name, row.made_by, row.source);
    }
    let written = [&text[..from], &table, &text[from + length..]].concat();
    expect_test::expect_file![page].assert_eq(&written);
}

/// An event, comparable between formats.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Plain {
    at: u64,
    began: u64,
    is_end: bool,
    action: Action,
    offset_and_length: Option<(u64, u64)>,
    device: String,
    pid: Option<u32>,
}

fn read(reader: &mut Reader<&[u8]>) -> Result<Vec<Plain>, ReadError> {
    let mut events = Vec::new();
    while let Some(event) = reader.next_event()? {
        let names = reader.names();
        let device = |id: u32| names.devices[usize::try_from(id).expect("64 bits")].clone();
        let pid = |id: u32| names.processes[usize::try_from(id).expect("64 bits")].1;
        events.push(match event {
            Event::Begin(io) => Plain {
                at: io.at.as_u64(),
                began: io.at.as_u64(),
                is_end: false,
                action: io.action,
                offset_and_length: Some((io.offset_bytes, io.length_bytes)),
                device: device(io.device.0),
                pid: pid(io.process.0),
            },
            Event::End {
                at,
                action,
                began,
                device: id,
                process,
            } => Plain {
                at: at.as_u64(),
                began: began.as_u64(),
                is_end: true,
                action,
                offset_and_length: None,
                device: device(id.0),
                pid: pid(process.0),
            },
        });
    }
    Ok(events)
}

/// Returns what is read from bytes, in order of time, and what was skipped.
#[track_caller]
fn events(bytes: &[u8], format: Option<FormatName>) -> (Vec<Plain>, Vec<(SkipReason, u64)>) {
    let options = Options {
        format,
        ..Options::default()
    };
    let mut reader = Reader::new(bytes, options).expect("a trace");
    let events = read(&mut reader).expect("memory can be read");
    let in_order = events.windows(2).all(|pair| pair[0].at <= pair[1].at);
    assert!(in_order, "events are in order of time: {events:#?}");
    (events, reader.skipped().iter().collect())
}

/// Returns what must be read of I/Os.
fn expected(format: FormatName, ios: &[Io]) -> Vec<Plain> {
    let first = ios.iter().map(|io| io.began_ns).min().unwrap_or_default();
    let mut events = Vec::new();
    for io in ios {
        let is_flush = io.action == Action::Flush;
        let begin = Plain {
            at: io.began_ns - first,
            began: io.began_ns - first,
            is_end: false,
            action: io.action,
            offset_and_length: Some(if is_flush {
                (0, 0)
            } else {
                (io.offset_bytes, io.length_bytes)
            }),
            device: device_name(format, io.device),
            pid: format.row().has_processes().then_some(io.pid),
        };
        if format.row().has_ends() {
            events.push(Plain {
                at: io.ended_ns - first,
                is_end: true,
                offset_and_length: None,
                ..begin.clone()
            });
        }
        events.push(begin);
    }
    events.sort();
    events
}

/// Returns the records of I/Os in order of time.
fn records(format: FormatName, ios: &[Io]) -> Vec<(u64, Vec<u8>)> {
    let mut halves = Vec::new();
    for io in ios {
        halves.push((io.began_ns, Half::Begin, io));
        halves.push((io.ended_ns, Half::End, io));
    }
    halves.sort_by_key(|(time, half, io)| (*time, *half, io.offset_bytes));
    let mut records = Vec::new();
    for (time, half, io) in halves {
        let mut record = Vec::new();
        common::record(format, &mut record, io, half);
        if !record.is_empty() {
            records.push((time, record));
        }
    }
    records
}

fn file<'a>(format: FormatName, records: impl Iterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(format.row().header.as_bytes());
    for record in records {
        bytes.extend_from_slice(record);
    }
    bytes
}

/// Makes I/Os of drawn numbers, in the resolution of a format and with what it has.
fn ios(format: FormatName, drawn: &[(u64, u64, u8, u64, u32)]) -> Vec<Io> {
    let unit = resolution_ns(format);
    let mut now = 1_000_000 * unit;
    let mut ios = Vec::new();
    for (index, (gap, latency, action, length, pid)) in drawn.iter().enumerate() {
        // Gaps below the window, so that records can be shuffled within it.
        now += gap % (300_000_000 / unit).max(2) * unit;
        let action = match action % 4 {
            0 => Action::Read,
            2 if format.row().has_all_actions() => Action::Flush,
            3 if format.row().has_all_actions() => Action::Discard,
            _ => Action::Write,
        };
        let is_flush = action == Action::Flush;
        // A flush has no place: of two that overlap, either may end first.
        let latency = if is_flush { 1 } else { latency % 1_000 + 1 };
        let place = u64::try_from(index).expect("64 bits") * (1 << 20);
        ios.push(Io {
            began_ns: now,
            ended_ns: now + latency * unit,
            action,
            offset_bytes: if is_flush { 0 } else { place },
            length_bytes: if is_flush {
                0
            } else {
                (length % 256 + 1) * 512
            },
            device: u32::from(index % 3 == 1),
            pid: pid % 5 + 1,
        });
        now += 2 * unit;
    }
    ios
}

fn drawn() -> impl Strategy<Value = Vec<(u64, u64, u8, u64, u32)>> {
    prop::collection::vec(any::<(u64, u64, u8, u64, u32)>(), 1..40)
}

fn any_format() -> impl Strategy<Value = FormatName> {
    prop::sample::select(FormatName::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_trace_is_read_back_exactly(format in any_format(), drawn in drawn()) {
        let ios = ios(format, &drawn);
        let records = records(format, &ios);
        let bytes = file(format, records.iter().map(|(_, record)| record));
        let mut reader = Reader::new(bytes.as_slice(), Options::default()).expect("a trace");
        prop_assert_eq!(reader.format(), format);
        let mut events = read(&mut reader).expect("memory can be read");
        events.sort();
        prop_assert_eq!(events, expected(format, &ios));
        prop_assert_eq!(reader.skipped().iter().count(), 0, "{:?}", reader.skipped());
        prop_assert_eq!(reader.bytes_read(), bytes.len() as u64);
    }

    #[test]
    fn shuffled_within_the_window_it_is_the_same(
        format in any_format(),
        drawn in drawn(),
        keys in prop::collection::vec(0_u64..900_000_000, 80),
    ) {
        let ios = ios(format, &drawn);
        let mut records = records(format, &ios);
        // Each record is late by less than the window.
        let mut keys = keys.iter().cycle();
        records.sort_by_cached_key(|(time, _)| time + keys.next().copied().unwrap_or_default());
        let bytes = file(format, records.iter().map(|(_, record)| record));
        let (mut events, skipped) = events(&bytes, Some(format));
        events.sort();
        prop_assert_eq!(events, expected(format, &ios));
        prop_assert_eq!(skipped, vec![]);
    }

    #[test]
    fn any_bytes_end(format in any_format(), bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let options = Options { format: Some(format), ..Options::default() };
        let mut reader = Reader::new(bytes.as_slice(), options).expect("any bytes");
        read(&mut reader).expect("memory can be read");
    }
}

/// A trace of a few I/Os.
fn small(format: FormatName) -> (Vec<Io>, Vec<(u64, Vec<u8>)>) {
    let drawn: Vec<_> = (0..6_u8)
        .map(|n| {
            (
                u64::from(n) * 7 + 3,
                u64::from(n) * 11,
                n,
                u64::from(n) * 5,
                1,
            )
        })
        .collect();
    let ios = ios(format, &drawn);
    let records = records(format, &ios);
    (ios, records)
}

#[test]
fn cut_off_anywhere_it_loses_the_last_record() {
    for format in FormatName::ALL {
        let (ios, records) = small(format);
        let bytes = file(format, records.iter().map(|(_, record)| record));
        let header_length = bytes.len()
            - records
                .iter()
                .map(|(_, record)| record.len())
                .sum::<usize>();
        let header_ends = bytes[..header_length]
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1);
        let mut ends: Vec<usize> = header_ends.chain([0]).collect();
        let mut end = header_length;
        for (_, record) in &records {
            end += record.len();
            ends.push(end);
        }
        for cut in 1..=bytes.len() {
            let (events, skipped) = events(&bytes[..cut], Some(format));
            let whole = ends
                .iter()
                .filter(|end| **end > header_length && **end <= cut)
                .count();
            // A record of the end adds one event, and one of the whole I/O adds its end, if it has one.
            let found = events.len();
            let each = if format.row().has_ends() && format.row().line.is_some() {
                2
            } else {
                1
            };
            assert_eq!(
                found,
                whole * each,
                "{format}, {cut} of {} bytes",
                bytes.len()
            );
            let truncated = u64::from(!ends.contains(&cut));
            let count = skipped
                .iter()
                .find(|(why, _)| *why == SkipReason::Truncated);
            assert_eq!(
                count.map_or(0, |(_, count)| *count),
                truncated,
                "{format}, {cut}"
            );
            let others = skipped
                .iter()
                .filter(|(why, _)| !matches!(why, SkipReason::Truncated | SkipReason::NeverEnded));
            assert_eq!(others.count(), 0, "{format}, {cut}: {skipped:?}");
        }
        assert_eq!(events(&bytes, None).0.len(), expected(format, &ios).len());
    }
}

#[test]
fn lines_of_another_format_are_counted() {
    for format in FormatName::ALL {
        for other in FormatName::ALL {
            let pair = [format, other];
            let is_one = format == other
                || pair == [FormatName::Ftrace, FormatName::PerfScript]
                || pair == [FormatName::PerfScript, FormatName::Ftrace];
            if is_one || pair.contains(&FormatName::Blktrace) {
                continue;
            }
            let (ios, records) = small(format);
            let (_, others) = small(other);
            let mut bytes = file(format, records.iter().map(|(_, record)| record));
            for (_, record) in &others {
                bytes.extend_from_slice(record);
            }
            let (events, skipped) = events(&bytes, Some(format));
            let expected = expected(format, &ios);
            let accounted: u64 = skipped.iter().map(|(_, count)| count).sum();
            // Columns of one table may be numbers in another: those are read, or lie at another time.
            let is_table =
                |format: FormatName| format.row().line.is_some() && format != FormatName::FioIolog;
            if is_table(format) && is_table(other) {
                let total = events.len() as u64 + accounted;
                assert!(total >= expected.len() as u64, "{format}, then {other}");
            } else {
                assert_eq!(events.len(), expected.len(), "{format}, then {other}");
                assert_eq!(
                    accounted,
                    others.len() as u64,
                    "{format}, then {other}: {skipped:?}"
                );
            }
        }
    }
}

#[test]
fn binary_damage_loses_only_what_it_hits() {
    let (_, records) = small(FormatName::Blktrace);
    let bytes = file(
        FormatName::Blktrace,
        records.iter().map(|(_, record)| record),
    );
    let all = records.len();
    for at in 48..96 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let (events, _) = events(&damaged, Some(FormatName::Blktrace));
        assert!(events.len() + 3 >= all, "{at}: {} of {all}", events.len());
    }
}
