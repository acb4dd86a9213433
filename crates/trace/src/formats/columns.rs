//! Tables with one line for each I/O: which column has what, and in which unit.
//!
//! The formats of published traces differ in little else. Each has a module that names its columns.

use super::numbers::{SECOND, decimal, number, number_u32, trim_end, trim_start};
use super::{IoStep, LineDecoder, Parsed, Record};
use crate::event::{Action, Marks, ProcessId};
use crate::name_table::NameTable;

/// The unit of Windows' file times, 100 ns.
pub(crate) const FILETIME: u64 = 100;
/// A longer latency is nonsense: a day.
const LATENCY_NS_MAX: u64 = 86_400 * SECOND;

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Nothing that matters.
    Other,
    /// When the I/O began.
    Time,
    /// How long it took.
    Latency,
    /// What it does.
    Action,
    /// The device, or the next part of its name.
    Device,
    /// Where it begins.
    Offset,
    /// How long it is.
    Length,
    /// The name of the process.
    Process,
    /// The number of the process.
    Pid,
}

/// How actions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Actions {
    /// As words or their first letters.
    Words,
    /// 0 for reads, 1 for writes.
    Digits,
    /// 1 for reads, 0 for writes.
    OneIsRead,
}

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The byte between columns; with a space, any number of them.
    pub(crate) separator: u8,
    /// What each column has. A line may have more columns.
    pub(crate) columns: Vec<Column>,
    /// How actions are written.
    pub(crate) actions: Actions,
    /// The unit of times, in ns.
    pub(crate) time_ns: u64,
    /// The unit of latencies, in ns.
    pub(crate) latency_ns: u64,
    /// The unit of offsets, in bytes.
    pub(crate) offset_bytes: u64,
    /// The unit of lengths, in bytes.
    pub(crate) length_bytes: u64,
    /// The byte between the parts of a device's name.
    pub(crate) joint: u8,
    /// What the device is called if no column has it.
    pub(crate) device: &'static str,
    /// Whether the first line names the columns.
    pub(crate) has_header: bool,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            separator: b',',
            columns: Vec::new(),
            actions: Actions::Words,
            time_ns: 1,
            latency_ns: 1,
            offset_bytes: 1,
            length_bytes: 1,
            joint: b',',
            device: "device",
            has_header: false,
        }
    }
}

/// Returns whether a line has cells like these: `#` is a whole number, `.` one with or without a
/// fraction, `w` a word for an action, `d` its digit, `*` anything, and `+`, at the end, that there may
/// be more.
pub(crate) fn are_cells<'a>(mut cells: impl Iterator<Item = &'a [u8]>, like: &str) -> bool {
    let shapes = like.trim_end_matches('+');
    let are_alike = shapes.bytes().all(|shape| {
        cells
            .next()
            .map(<[u8]>::trim_ascii)
            .is_some_and(|cell| match shape {
                b'#' => number(cell).is_some(),
                b'.' => decimal(cell, 1).is_some(),
                b'w' => action(cell, Actions::Words).is_ok(),
                b'd' => action(cell, Actions::Digits).is_ok(),
                _ => true,
            })
    });
    are_alike && (like != shapes || cells.next().is_none())
}

/// Returns whether a line has such cells between commas.
pub(crate) fn is_line_of(line: &[u8], like: &str) -> bool {
    are_cells(line.split(|byte| *byte == b','), like)
}

/// The longest name of a device that is put together.
const DEVICE_BYTES_MAX: usize = 128;

/// The cells of a line, as bytes.
struct Cells<'a> {
    time: &'a [u8],
    latency: Option<&'a [u8]>,
    action: &'a [u8],
    offset: &'a [u8],
    length: &'a [u8],
    process: &'a [u8],
    pid: Option<&'a [u8]>,
    device: [u8; DEVICE_BYTES_MAX],
    device_length: usize,
}

impl<'a> Cells<'a> {
    /// Adds a part to the device's name.
    fn add_device(&mut self, part: &[u8], joint: u8) {
        if self.device_length > 0 && self.device_length < DEVICE_BYTES_MAX {
            self.device[self.device_length] = joint;
            self.device_length += 1;
        }
        let length = part.len().min(DEVICE_BYTES_MAX - self.device_length);
        let end = self.device_length + length;
        self.device[self.device_length..end].copy_from_slice(&part[..length]);
        self.device_length = end;
    }

    #[inline]
    fn set(&mut self, column: Column, cell: &'a [u8], joint: u8) {
        match column {
            Column::Other => {}
            Column::Time => self.time = cell,
            Column::Latency => self.latency = Some(cell),
            Column::Action => self.action = cell,
            Column::Device => self.add_device(cell, joint),
            Column::Offset => self.offset = cell,
            Column::Length => self.length = cell,
            Column::Process => self.process = cell,
            Column::Pid => self.pid = Some(cell),
        }
    }
}

impl Columns {
    /// Returns the decoder of such a table.
    #[expect(clippy::unnecessary_wraps, reason = "a row may have none")]
    pub(crate) fn decoder(self) -> Option<LineDecoder> {
        Some(LineDecoder::Columns(Box::new(self)))
    }

    /// Takes a line apart; `None` if it has too few columns.
    #[inline]
    fn cells<'a>(&self, line: &'a [u8]) -> Option<Cells<'a>> {
        let mut cells = Cells {
            time: &[],
            latency: None,
            action: &[],
            offset: &[],
            length: &[],
            process: &[],
            pid: None,
            device: [0; DEVICE_BYTES_MAX],
            device_length: 0,
        };
        let is_space = self.separator == b' ';
        let mut rest = Some(line);
        for column in &self.columns {
            let mut text = rest?;
            if is_space {
                text = trim_start(text);
                if text.is_empty() {
                    return None;
                }
            }
            let end = text
                .iter()
                .position(|byte| *byte == self.separator || (is_space && *byte == b'\t'));
            let cell = match end {
                Some(end) => {
                    rest = Some(&text[end + 1..]);
                    &text[..end]
                }
                None => {
                    rest = None;
                    text
                }
            };
            cells.set(*column, trim_start(trim_end(cell)), self.joint);
        }
        Some(cells)
    }

    /// Decodes a line.
    #[inline]
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        if self.has_header {
            self.has_header = false;
            return match super::table::columns(line) {
                Some(columns) => {
                    *self = columns;
                    self.has_header = false;
                    Parsed::Nothing
                }
                None => Parsed::Malformed("the first line does not name the columns"),
            };
        }
        if line.is_empty() || line[0] == b'#' {
            return Parsed::Nothing;
        }
        let Some(cells) = self.cells(line) else {
            return Parsed::Malformed("too few columns");
        };
        match self.record(&cells, names) {
            Ok(parsed) => parsed,
            // A line with names of columns, which some copies of a trace have.
            Err(_) if is_header(&cells) => Parsed::Nothing,
            Err(problem) => Parsed::Malformed(problem),
        }
    }

    #[inline]
    fn record(&self, cells: &Cells<'_>, names: &mut NameTable) -> Result<Parsed, &'static str> {
        let clock_ns = decimal(cells.time, self.time_ns).ok_or("the time is no number")?;
        let action = action(cells.action, self.actions)?;
        let offset = decimal(cells.offset, self.offset_bytes);
        let length = decimal(cells.length, self.length_bytes);
        let latency_ns = match cells.latency {
            None | Some([]) => None,
            Some(cell) => {
                let latency = decimal(cell, self.latency_ns).ok_or("the latency is no number")?;
                if latency > LATENCY_NS_MAX {
                    return Err("a latency above a day");
                }
                Some(latency)
            }
        };
        let (offset_bytes, length_bytes) = match action {
            Action::Flush => (0, 0),
            _ => (
                offset.ok_or("the offset is no number")?,
                length.ok_or("the length is no number")?,
            ),
        };
        let process = match cells.pid {
            None if cells.process.is_empty() => ProcessId(0),
            None => names.process(cells.process, None),
            Some(cell) => {
                let pid = number_u32(cell).ok_or("the PID is no number")?;
                names.process(cells.process, Some(pid))
            }
        };
        let device = match cells.device_length {
            0 => names.device(self.device.as_bytes()),
            length => names.device(&cells.device[..length]),
        };
        let Some(device) = device else {
            return Ok(Parsed::TooManyNames);
        };
        Ok(Parsed::Record(Record {
            clock_ns,
            cpu: 0,
            step: IoStep::Whole { latency_ns },
            action,
            marks: Marks::default(),
            is_flush_request: false,
            offset_bytes,
            length_bytes,
            device,
            process,
        }))
    }
}

/// Returns whether cells are names of columns: words where numbers belong.
fn is_header(cells: &Cells<'_>) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b" _-()".contains(byte);
    let is_word = |cell: &[u8]| {
        cell.first().is_some_and(u8::is_ascii_alphabetic) && cell.iter().all(is_letter)
    };
    is_word(cells.time) && is_word(cells.offset) && is_word(cells.length)
}

/// Reads an action.
#[inline]
pub(crate) fn action(cell: &[u8], actions: Actions) -> Result<Action, &'static str> {
    let found = match (actions, cell) {
        (Actions::Digits, b"0") | (Actions::OneIsRead, b"1") => Action::Read,
        (Actions::Digits, b"1") | (Actions::OneIsRead, b"0") => Action::Write,
        (Actions::Digits | Actions::OneIsRead, _) => return Err("the I/O is neither 0 nor 1"),
        (Actions::Words, [letter]) => match letter.to_ascii_uppercase() {
            b'R' => Action::Read,
            b'W' => Action::Write,
            b'F' => Action::Flush,
            b'D' | b'T' => Action::Discard,
            _ => return Err("the I/O is neither a read nor a write"),
        },
        (Actions::Words, b"Read") => Action::Read,
        (Actions::Words, b"Write") => Action::Write,
        (Actions::Words, word) => return action_of_word(word),
    };
    Ok(found)
}

fn action_of_word(word: &[u8]) -> Result<Action, &'static str> {
    let words: [(&[u8], Action); 8] = [
        (b"read", Action::Read),
        (b"write", Action::Write),
        (b"flush", Action::Flush),
        (b"sync", Action::Flush),
        (b"fsync", Action::Flush),
        (b"discard", Action::Discard),
        (b"trim", Action::Discard),
        (b"unmap", Action::Discard),
    ];
    let found = words
        .iter()
        .find(|(text, _)| word.eq_ignore_ascii_case(text));
    found
        .map(|(_, action)| *action)
        .ok_or("the I/O is neither a read nor a write")
}
