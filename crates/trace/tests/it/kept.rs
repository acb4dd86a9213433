//! A trace is decoded once, and its events are kept in a few bytes. The failure: it was decoded twice, half of
//! the time that its description took.

use std::fs::File;
use std::io::{self, Read};

use crate::common::{self, Half, Io};
use rustix::fs::{MemfdFlags, memfd_create};
use stripewise_trace::event_log::{EventLog, MEMORY_BYTES};
use stripewise_trace::{Action, Event, FormatName, Options, Reader};

const IOS: u64 = 100_000;
const DEPTH: u64 = 32;
/// A beginning has at most 12 bytes here, and an end 7.
const BYTES_PER_IO_MAX: u64 = 19;

/// Counts the bytes that are read.
struct Counting<'a> {
    rest: &'a [u8],
    count: &'a mut usize,
}

impl Read for Counting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(buffer)?;
        *self.count += count;
        Ok(count)
    }
}

/// Random reads and writes on 1 TiB by two processes.
fn io(number: u64) -> Io {
    let drawn = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let began_ns = 1_000_000_000_000 + number * 10_000;
    Io {
        began_ns,
        ended_ns: began_ns + DEPTH * 10_000 + 5_000,
        action: if drawn.is_multiple_of(3) {
            Action::Write
        } else {
            Action::Read
        },
        offset_bytes: drawn % (1 << 28) * 4096,
        length_bytes: 4096 << (drawn % 5),
        device: 0,
        pid: u32::from(drawn.is_multiple_of(7)) + 100,
    }
}

fn trace() -> Vec<u8> {
    let mut trace = Vec::new();
    for number in 0..IOS + DEPTH {
        if number < IOS {
            common::record(FormatName::Blktrace, &mut trace, &io(number), Half::Begin);
        }
        if let Some(done) = number.checked_sub(DEPTH) {
            common::record(FormatName::Blktrace, &mut trace, &io(done), Half::End);
        }
    }
    trace
}

fn in_memory() -> io::Result<File> {
    Ok(File::from(memfd_create("kept", MemfdFlags::CLOEXEC)?))
}

#[test]
fn a_trace_is_decoded_once_and_its_events_take_a_few_bytes() {
    let trace = trace();
    let mut bytes_read = 0;
    let input = Counting {
        rest: &trace,
        count: &mut bytes_read,
    };
    let mut reader = Reader::new(input, Options::default()).unwrap();
    let mut log = EventLog::new(in_memory);
    let mut most_in_memory = 0;
    while reader
        .read(1 << 10, &mut |event, _| log.push(event).unwrap())
        .unwrap()
    {
        most_in_memory = most_in_memory.max(log.bytes_in_memory());
    }
    assert!(most_in_memory <= MEMORY_BYTES, "{most_in_memory}");
    assert!(log.bytes() > MEMORY_BYTES as u64, "some are in the file");
    assert!(log.bytes() <= IOS * BYTES_PER_IO_MAX, "{}", log.bytes());
    assert_eq!(log.events(), 2 * IOS);
    let whole = reader.finish();
    assert_eq!(whole.skipped.iter().count(), 0);
    assert_eq!(bytes_read, trace.len(), "each byte once");
    // The same events as one by one.
    let mut reader = Reader::new(trace.as_slice(), Options::default()).unwrap();
    let mut same = 0;
    log.again(&mut |event: &Event| {
        assert_eq!(reader.next_event().unwrap().as_ref(), Some(event));
        same += 1;
    })
    .unwrap();
    assert_eq!(same, 2 * IOS);
}
