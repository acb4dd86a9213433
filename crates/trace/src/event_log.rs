//! The events of a trace, packed, to be read again without decoding the trace a second time.
//!
//! An event takes 6 to 12 bytes, a tenth of the records that it was made from:
//!
//! ```text
//!  flags | marks, if any | time since the event before |
//!     a beginning: distance from the place before, length |
//!     an end: latency |
//!  device, if another one | process, if another one
//! ```
//!
//! Numbers have seven bits in each byte, the lowest ones first; the eighth bit says that there is another
//! byte. Up to [`MEMORY_BYTES`] stay in memory, and the others are in a file that the caller opens once it
//! is needed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};

use stripewise_units::Nanos;

use crate::event::{Action, DeviceId, Event, Marks, ProcessId, TracedIo};

/// How many bytes of a log are in memory at most.
pub const MEMORY_BYTES: usize = 1 << 20;
/// The most bytes of an event: flags, marks, three numbers of 64 bits, two of 32.
const EVENT_BYTES_MAX: usize = 2 + 3 * 10 + 2 * 5;
/// Places and lengths are mostly multiples of this.
const SECTOR_BYTES: u64 = 512;

/// It is an end.
const END: u8 = 1;
/// Two bits of the action.
const ACTION_SHIFT: u32 = 1;
/// It is of the same device as the event before.
const SAME_DEVICE: u8 = 1 << 3;
/// It is of the same process as the event before.
const SAME_PROCESS: u8 = 1 << 4;
/// It has marks.
const MARKED: u8 = 1 << 5;
/// Its time is before that of the event before.
const BACKWARDS: u8 = 1 << 6;
/// Its place and its length are in sectors.
const SECTORS: u8 = 1 << 7;

/// What an event is written relative to.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    at_ns: u64,
    offset_bytes: u64,
    device: DeviceId,
    process: ProcessId,
}

/// Makes the file for what does not fit into memory: an empty one, to be written and read.
pub type Open = fn() -> io::Result<File>;

/// The events of a trace, in order.
#[derive(Debug)]
pub struct EventLog {
    open: Open,
    file: Option<File>,
    /// What is not in the file.
    packed: Vec<u8>,
    before: Before,
    events: u64,
    bytes: u64,
}

impl EventLog {
    /// Returns an empty one; `open` makes its file.
    pub fn new(open: Open) -> Self {
        Self {
            open,
            file: None,
            packed: Vec::with_capacity(MEMORY_BYTES),
            before: Before::default(),
            events: 0,
            bytes: 0,
        }
    }

    /// Returns how many events it has.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns how many bytes they take.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how many of these are in memory.
    pub fn bytes_in_memory(&self) -> usize {
        self.packed.capacity()
    }

    /// Adds an event.
    ///
    /// # Errors
    /// If the file cannot be made or written.
    pub fn push(&mut self, event: &Event) -> io::Result<()> {
        if self.packed.len() > MEMORY_BYTES - EVENT_BYTES_MAX {
            self.write()?;
        }
        let mut bytes = [0; EVENT_BYTES_MAX];
        let length = pack(event, &mut self.before, &mut bytes);
        self.packed.extend_from_slice(&bytes[..length]);
        self.events += 1;
        self.bytes += length as u64;
        Ok(())
    }

    /// Moves what is in memory to the file.
    fn write(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert((self.open)()?),
        };
        file.write_all(&self.packed)?;
        self.packed.clear();
        Ok(())
    }

    /// Hands out the events again, from the first one on.
    ///
    /// # Errors
    /// If the file cannot be written or read, or is not what was written.
    pub fn again(mut self, each: &mut dyn FnMut(&Event)) -> io::Result<()> {
        let mut before = Before::default();
        let mut events = 0;
        if let Some(mut file) = self.file.take() {
            file.write_all(&self.packed)?;
            file.rewind()?;
            self.packed.clear();
            // An event that does not end yet is read with the next part.
            while (&file).take(self.room()).read_to_end(&mut self.packed)? > 0 {
                let mut rest = self.packed.as_slice();
                while rest.len() >= EVENT_BYTES_MAX
                    && let Some(event) = unpack(&mut rest, &mut before)
                {
                    events += 1;
                    each(&event);
                }
                let taken = self.packed.len() - rest.len();
                self.packed.drain(..taken);
            }
        }
        let mut rest = self.packed.as_slice();
        while let Some(event) = unpack(&mut rest, &mut before) {
            events += 1;
            each(&event);
        }
        match events == self.events {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Returns how many more bytes may be in memory.
    fn room(&self) -> u64 {
        (MEMORY_BYTES - self.packed.len()) as u64
    }
}

/// Writes an event; returns how many bytes it takes.
fn pack(event: &Event, before: &mut Before, bytes: &mut [u8; EVENT_BYTES_MAX]) -> usize {
    let (at, action, device, process) = match event {
        Event::Begin(io) => (io.at, io.action, io.device, io.process),
        Event::End {
            at,
            action,
            device,
            process,
            ..
        } => (*at, *action, *device, *process),
    };
    let at_ns = at.as_u64();
    let mut flags = number_of(action) << ACTION_SHIFT;
    let mut packed = Packed { bytes, length: 1 };
    if at_ns < before.at_ns {
        flags |= BACKWARDS;
    }
    let passed_ns = at_ns.abs_diff(before.at_ns);
    match event {
        Event::Begin(io) => {
            let marks = bits_of(io.marks);
            if marks > 0 {
                flags |= MARKED;
                packed.put(u64::from(marks));
            }
            packed.put(passed_ns);
            let is_whole = (io.offset_bytes | io.length_bytes).is_multiple_of(SECTOR_BYTES);
            let unit = if is_whole { SECTOR_BYTES } else { 1 };
            flags |= u8::from(is_whole) * SECTORS;
            let distance = (io.offset_bytes / unit).wrapping_sub(before.offset_bytes / unit);
            packed.put(folded(distance));
            packed.put(io.length_bytes / unit);
            before.offset_bytes = io.offset_bytes;
        }
        Event::End { began, .. } => {
            flags |= END;
            packed.put(passed_ns);
            packed.put(at_ns.wrapping_sub(began.as_u64()));
        }
    }
    if device == before.device {
        flags |= SAME_DEVICE;
    } else {
        packed.put(u64::from(device.0));
    }
    if process == before.process {
        flags |= SAME_PROCESS;
    } else {
        packed.put(u64::from(process.0));
    }
    (before.at_ns, before.device, before.process) = (at_ns, device, process);
    packed.bytes[0] = flags;
    packed.length
}

/// Reads an event and takes its bytes; `None` if they end too early.
#[inline]
fn unpack(bytes: &mut &[u8], before: &mut Before) -> Option<Event> {
    let flags = take_byte(bytes)?;
    let has = |flag: u8| flags & flag != 0;
    let action = ACTIONS[usize::from(flags >> ACTION_SHIFT & 3)];
    let marks = match has(MARKED) {
        true => marks_of(take_byte(bytes)?),
        false => Marks::default(),
    };
    let passed_ns = take(bytes)?;
    let at_ns = match has(BACKWARDS) {
        true => before.at_ns.wrapping_sub(passed_ns),
        false => before.at_ns.wrapping_add(passed_ns),
    };
    let first = take(bytes)?;
    let length = if has(END) { 0 } else { take(bytes)? };
    if !has(SAME_DEVICE) {
        before.device = DeviceId(u32::try_from(take(bytes)?).ok()?);
    }
    if !has(SAME_PROCESS) {
        before.process = ProcessId(u32::try_from(take(bytes)?).ok()?);
    }
    before.at_ns = at_ns;
    let Before {
        device, process, ..
    } = *before;
    let at = Nanos::new(at_ns);
    if has(END) {
        let began = Nanos::new(at_ns.wrapping_sub(first));
        return Some(Event::End {
            at,
            action,
            began,
            device,
            process,
        });
    }
    let unit = if has(SECTORS) { SECTOR_BYTES } else { 1 };
    let place = (before.offset_bytes / unit).wrapping_add(unfolded(first));
    before.offset_bytes = place.wrapping_mul(unit);
    Some(Event::Begin(TracedIo {
        at,
        action,
        marks,
        offset_bytes: before.offset_bytes,
        length_bytes: length.wrapping_mul(unit),
        device,
        process,
    }))
}

/// A few I/Os, packed as those of a log, in memory.
#[derive(Debug, Clone, Default)]
pub struct PackedIos {
    packed: Vec<u8>,
    before: Before,
    count: usize,
}

impl PackedIos {
    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds one.
    pub fn push(&mut self, io: &TracedIo) {
        let mut bytes = [0; EVENT_BYTES_MAX];
        let length = pack(&Event::Begin(*io), &mut self.before, &mut bytes);
        self.packed.extend_from_slice(&bytes[..length]);
        self.count += 1;
    }

    /// Returns them, in order.
    pub fn iter(&self) -> impl Iterator<Item = TracedIo> {
        let (mut rest, mut before) = (self.packed.as_slice(), Before::default());
        let events = std::iter::from_fn(move || unpack(&mut rest, &mut before));
        events.filter_map(|event| match event {
            Event::Begin(io) => Some(io),
            Event::End { .. } => None,
        })
    }
}

/// The bytes of an event.
struct Packed<'a> {
    bytes: &'a mut [u8; EVENT_BYTES_MAX],
    length: usize,
}

impl Packed<'_> {
    #[inline]
    fn put(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes[self.length] = low_byte(value) | 0x80;
            self.length += 1;
            value >>= 7;
        }
        self.bytes[self.length] = low_byte(value);
        self.length += 1;
    }
}

fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0]
}

#[inline]
fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// Reads a number and takes its bytes.
#[inline]
fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = take_byte(bytes)?;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

/// Returns a small number for a small distance, forward or back.
fn folded(distance: u64) -> u64 {
    (distance << 1) ^ (distance.cast_signed() >> 63).cast_unsigned()
}

/// Returns the distance of a [`folded`] number.
fn unfolded(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// The actions by number.
const ACTIONS: [Action; 4] = [Action::Read, Action::Write, Action::Flush, Action::Discard];

fn number_of(action: Action) -> u8 {
    match action {
        Action::Read => 0,
        Action::Write => 1,
        Action::Flush => 2,
        Action::Discard => 3,
    }
}

fn bits_of(marks: Marks) -> u8 {
    let Marks {
        is_sync,
        is_fua,
        flushes_first,
        is_metadata,
        is_read_ahead,
    } = marks;
    let bits = [is_sync, is_fua, flushes_first, is_metadata, is_read_ahead];
    let bits = (0..).zip(bits);
    bits.fold(0, |all, (place, is_set)| all | u8::from(is_set) << place)
}

fn marks_of(bits: u8) -> Marks {
    let has = |place: u32| bits >> place & 1 == 1;
    Marks {
        is_sync: has(0),
        is_fua: has(1),
        flushes_first: has(2),
        is_metadata: has(3),
        is_read_ahead: has(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_number() -> impl Strategy<Value = u64> {
        prop_oneof![
            0_u64..300,
            any::<u64>(),
            (0_u32..64, 0_u64..3)
                .prop_map(|(power, more)| (1_u64 << power).wrapping_sub(1) + more % 2),
            any::<u32>().prop_map(|sectors| u64::from(sectors) * SECTOR_BYTES),
        ]
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let action = (0_usize..4).prop_map(|number| ACTIONS[number]);
        let whose = (0_u32..3, 0_u32..3, any::<u32>(), 0_u32..9);
        (
            any_number(),
            action,
            0_u8..32,
            any_number(),
            any_number(),
            whose,
            any::<bool>(),
        )
            .prop_map(
                |(at, action, marks, first, second, (device, process, other, is_other), is_end)| {
                    let at = Nanos::new(at);
                    let device = DeviceId(device);
                    let process = ProcessId(if is_other == 0 { other } else { process });
                    match is_end {
                        true => Event::End {
                            at,
                            action,
                            began: Nanos::new(first),
                            device,
                            process,
                        },
                        false => Event::Begin(TracedIo {
                            at,
                            action,
                            marks: marks_of(marks),
                            offset_bytes: first,
                            length_bytes: second,
                            device,
                            process,
                        }),
                    }
                },
            )
    }

    fn read(log: EventLog) -> Vec<Event> {
        let mut events = Vec::new();
        log.again(&mut |event| events.push(*event)).unwrap();
        events
    }

    fn no_file() -> io::Result<File> {
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }

    proptest! {
        #[test]
        fn events_come_back_as_they_were(events in prop::collection::vec(any_event(), 0..200)) {
            let mut log = EventLog::new(no_file);
            let mut packed = PackedIos::default();
            for event in &events {
                log.push(event).unwrap();
                if let Event::Begin(io) = event {
                    packed.push(io);
                }
            }
            prop_assert_eq!(log.events(), events.len() as u64);
            let begins: Vec<Event> = packed.iter().map(Event::Begin).collect();
            prop_assert_eq!(begins.len(), packed.count());
            let is_begin = |event: &&Event| matches!(event, Event::Begin(_));
            let expected: Vec<Event> = events.iter().filter(is_begin).copied().collect();
            prop_assert_eq!(begins, expected);
            prop_assert_eq!(read(log), events);
        }
    }
}
