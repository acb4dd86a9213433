//! Rewrites a dump, value by value, in one pass.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use thiserror::Error;

use crate::escape::{Cursor, Edits, Escape};
use crate::pairs::Pairs;
use crate::report::Report;
use crate::source::{Kept, Memory, Paged, Source as _};
use crate::walk::{Walker, looks_serialized};
use crate::window::{Side, Window};

/// The longest quoted value that is kept in memory.
const VALUE_BYTES_MAX: usize = 8 << 20;
/// How much is written at once.
const OUT_BYTES: usize = 128 << 10;
/// What tells the format of an input.
pub const HEAD_BYTES: usize = 64 << 10;

/// How values lie in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Statements of SQL: mysqldump, mariadb-dump, phpMyAdmin, mydumper, SQLite.
    Sql,
    /// Rows of fields, as for `LOAD DATA`: tabs between fields, `\` escapes.
    Tsv,
    /// One value: any text, or serialized data.
    Text,
    /// WordPress's export: XML with values in CDATA sections.
    Wxr,
}

impl Format {
    /// Guesses the format of an input from how it begins.
    pub fn detect(head: &[u8]) -> Self {
        let text = head
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(head)
            .trim_ascii_start();
        if text.starts_with(b"<?xml") || text.starts_with(b"<rss") {
            return Format::Wxr;
        }
        const STATEMENTS: [&[u8]; 22] = [
            b"--",
            b"/*",
            b"#",
            b"insert",
            b"replace",
            b"create",
            b"drop",
            b"set",
            b"lock",
            b"use",
            b"begin",
            b"pragma",
            b"start",
            b"alter",
            b"update",
            b"delete",
            b"truncate",
            b"commit",
            b"unlock",
            b"delimiter",
            b"`",
            b"\\-",
        ];
        let is_statement = |word: &&[u8]| {
            let begins = text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word);
            let next = text.get(word.len());
            begins && (!word[0].is_ascii_alphabetic() || next.is_some_and(u8::is_ascii_whitespace))
        };
        if STATEMENTS.iter().any(is_statement) && !text.starts_with(b"---") {
            return Format::Sql;
        }
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match line.contains(&b'\t') && !looks_serialized(text) && !text.starts_with(b"<") {
            true => Format::Tsv,
            false => Format::Text,
        }
    }
}

/// What is read, and which part of it is rewritten.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format; guessed if not given.
    pub format: Option<Format>,
    /// The tables that are rewritten; all if empty.
    pub tables: Vec<String>,
    /// The tables that are not.
    pub skip_tables: Vec<String>,
    /// Whether `\` is no escape from the beginning (`NO_BACKSLASH_ESCAPES`).
    pub no_backslash: bool,
    /// Whether a dump that ends too early is accepted.
    pub partial: bool,
    /// Whether hosts, paths and samples are collected, too.
    pub scan: bool,
}

/// Why an input was not rewritten completely.
#[derive(Debug, Error)]
pub enum RewriteError {
    /// Reading failed.
    #[error("failed to read the input")]
    Read(#[source] io::Error),
    /// Writing failed.
    #[error("failed to write the output")]
    Write(#[source] io::Error),
    /// The temporary file of a long value failed.
    #[error("failed to use a temporary file for a value of more than {} MiB", VALUE_BYTES_MAX >> 20)]
    Spill(#[source] io::Error),
    /// The input ends inside a value, a comment or a statement.
    #[error("the input ends inside {what}, after {bytes} bytes: it is cut off")]
    CutOff {
        /// Inside what.
        what: &'static str,
        /// The length of the input.
        bytes: u64,
    },
    /// The program that wrote the dump did not finish it.
    #[error("the dump has no line `-- Dump completed`: it is cut off after {bytes} bytes")]
    Unfinished {
        /// The length of the input.
        bytes: u64,
    },
    /// A character set in which a byte of a character can be a backslash or a quote.
    #[error("the dump is in the character set `{name}`, whose characters can contain a backslash")]
    CharacterSet {
        /// Its name.
        name: String,
    },
}

impl RewriteError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RewriteError::CutOff { .. } => Some("dump or copy it again"),
            RewriteError::Unfinished { .. } => {
                Some("dump or copy it again; `--partial` accepts a part of a dump")
            }
            RewriteError::CharacterSet { .. } => {
                Some("dump again with `--default-character-set=utf8mb4`")
            }
            RewriteError::Spill(_) => Some("set TMPDIR to a directory with space"),
            RewriteError::Read(_) | RewriteError::Write(_) => None,
        }
    }
}

impl From<Side> for RewriteError {
    fn from(side: Side) -> Self {
        match side {
            Side::Read(error) => RewriteError::Read(error),
            Side::Write(error) => RewriteError::Write(error),
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, RewriteError>;

/// Counts what is written.
#[derive(Debug)]
pub(crate) struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// How a value ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// With this quote, which is doubled inside.
    Quote { quote: u8, backslash: bool },
    /// Before the first byte that is no hexadecimal digit.
    Digits,
    /// Before a tab or the end of the line.
    Field,
    /// Before `]]>`.
    Section,
    /// Before `<![CDATA[`.
    Markup,
    /// With the input.
    Input,
}

/// The result of looking for the end of a value.
enum Looked {
    At(usize),
    /// Not before this place.
    After(usize),
}

impl End {
    fn look(self, bytes: &[u8], from: usize, is_last: bool) -> Looked {
        match self {
            End::Quote { quote, backslash } => look_quote(bytes, from, quote, backslash, is_last),
            End::Field => look_field(bytes, from),
            End::Digits => {
                let digits = bytes[from..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_hexdigit());
                let end = from + digits.count();
                match end < bytes.len() {
                    true => Looked::At(end),
                    false => Looked::After(end),
                }
            }
            End::Section => look_text(bytes, from, b"]]>"),
            End::Markup => look_text(bytes, from, b"<![CDATA["),
            End::Input => Looked::After(bytes.len()),
        }
    }

    /// Returns what is cut off if the input ends first; nothing if that is how it may end.
    fn name(self) -> Option<&'static str> {
        match self {
            End::Quote { .. } => Some("a quoted value"),
            End::Section => Some("a CDATA section"),
            End::Digits | End::Field | End::Markup | End::Input => None,
        }
    }
}

fn look_text(bytes: &[u8], from: usize, text: &[u8]) -> Looked {
    match memchr::memmem::find(&bytes[from..], text) {
        Some(at) => Looked::At(from + at),
        None => Looked::After(bytes.len().saturating_sub(text.len() - 1).max(from)),
    }
}

/// Looks for quotes only: one after an odd number of `\` is escaped. Quotes are rarer than `\`.
fn look_quote(bytes: &[u8], from: usize, quote: u8, backslash: bool, is_last: bool) -> Looked {
    let mut position = from;
    loop {
        let Some(at) = memchr::memchr(quote, &bytes[position..]) else {
            // An odd `\` at the end is looked at again, with what follows.
            let open = if backslash {
                slashes(&bytes[position..]) % 2
            } else {
                0
            };
            return Looked::After(bytes.len() - open);
        };
        let at = position + at;
        if backslash && slashes(&bytes[position..at]) % 2 == 1 {
            position = at + 1;
            continue;
        }
        match bytes.get(at + 1) {
            Some(byte) if *byte != quote => return Looked::At(at),
            Some(_) => position = at + 2,
            None if is_last => return Looked::At(at),
            None => {
                return Looked::After(at);
            }
        }
    }
}

/// Returns the number of `\` at the end of a text.
fn slashes(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| **byte == b'\\').count()
}

fn look_field(bytes: &[u8], from: usize) -> Looked {
    let mut position = from;
    loop {
        let Some(at) = memchr::memchr3(b'\t', b'\n', b'\\', &bytes[position..]) else {
            return Looked::After(bytes.len());
        };
        let at = position + at;
        if bytes[at] != b'\\' {
            return Looked::At(at);
        }
        if at + 1 >= bytes.len() {
            return Looked::After(at);
        }
        position = at + 2;
    }
}

/// Where a value is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spot {
    pub(crate) table: usize,
    pub(crate) column: usize,
    pub(crate) is_left: bool,
}

/// The state of one rewrite.
pub(crate) struct Rewriter<'p, R, W: Write> {
    pub(crate) window: Window<R>,
    pub(crate) out: BufWriter<Counted<W>>,
    pub(crate) options: &'p Options,
    pub(crate) report: Report,
    pairs: &'p Pairs,
    walker: Walker<'p>,
    decoded: Vec<u8>,
    edits: Edits,
    /// The next place in the window that may be an address; searched in the bytes before `.1`.
    anchor: (usize, usize),
    /// Where the last value began in the window.
    pub(crate) value_start: usize,
}

/// Rewrites an input; everything in it that is no address is written as it was.
///
/// # Errors
/// If it cannot be read or written, or is cut off. What was written until then is not complete.
pub fn rewrite(
    input: impl Read,
    output: impl Write,
    pairs: &Pairs,
    options: &Options,
) -> std::result::Result<Report, RewriteError> {
    let counted = Counted {
        inner: output,
        bytes: 0,
    };
    let mut rewriter = Rewriter {
        window: Window::new(input),
        out: BufWriter::with_capacity(OUT_BYTES, counted),
        options,
        report: Report::new(options.scan),
        pairs,
        walker: Walker::new(pairs),
        decoded: Vec::new(),
        edits: Edits::default(),
        anchor: (0, 0),
        value_start: 0,
    };
    rewriter.run()?;
    let Rewriter {
        window,
        out,
        mut report,
        ..
    } = rewriter;
    report.bytes_in = window.bytes_read;
    let mut counted = out
        .into_inner()
        .map_err(|error| RewriteError::Write(error.into_error()))?;
    counted.flush().map_err(RewriteError::Write)?;
    report.bytes_out = counted.bytes;
    Ok(report)
}

/// Rewrites one value, without any quoting.
pub fn rewrite_value(value: &[u8], pairs: &Pairs) -> (Vec<u8>, Report) {
    let mut walker = Walker::new(pairs);
    let mut report = Report::default();
    let table = report.table(b"");
    // Memory can always be read.
    if walker.whole(&mut Memory(value)).is_err() {
        return (value.to_vec(), report);
    }
    report.steps = walker.steps();
    report.note(table, 0, &walker.counts);
    (walker.edits.apply(value), report)
}

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    fn run(&mut self) -> Result<()> {
        while self.window.bytes().len() < HEAD_BYTES && !self.window.is_last {
            self.more(0)?;
        }
        let head = self.window.bytes();
        let format = self.options.format.unwrap_or_else(|| Format::detect(head));
        let end = match format {
            Format::Sql => self.sql()?,
            Format::Tsv => self.tsv()?,
            Format::Wxr => self.wxr()?,
            Format::Text => {
                let table = self.report.table(b"");
                let spot = Spot {
                    table,
                    ..Spot::default()
                };
                self.value(0, End::Input, Escape::None, spot)?
            }
        };
        self.window.write_to(end, &mut self.out)?;
        Ok(())
    }

    /// Reads more; what begins at `keep` moves to the beginning.
    pub(crate) fn more(&mut self, keep: usize) -> Result<()> {
        self.anchor = (0, 0);
        Ok(self.window.more(keep, &mut self.out)?)
    }

    /// Reads until `count` bytes from `position` on are there, or the input ends. Returns the new
    /// position.
    pub(crate) fn ensure(&mut self, position: usize, count: usize) -> Result<usize> {
        let mut position = position;
        while self.window.bytes().len() < position + count && !self.window.is_last {
            self.more(position)?;
            position = 0;
        }
        Ok(position)
    }

    pub(crate) fn cut_off(&self, what: &'static str) -> RewriteError {
        RewriteError::CutOff {
            what,
            bytes: self.window.bytes_read,
        }
    }

    /// Rewrites the value that begins at `start`, and returns where it ends.
    pub(crate) fn value(
        &mut self,
        start: usize,
        end: End,
        escape: Escape,
        spot: Spot,
    ) -> Result<usize> {
        let (mut start, mut from) = (start, start);
        loop {
            self.value_start = start;
            let is_last = self.window.is_last;
            match end.look(self.window.bytes(), from, is_last) {
                Looked::At(stop) => {
                    self.inside(start, stop, escape, spot)?;
                    return Ok(stop);
                }
                Looked::After(_) if is_last => {
                    if let Some(what) = end.name() {
                        return Err(self.cut_off(what));
                    }
                    let stop = self.window.bytes().len();
                    self.inside(start, stop, escape, spot)?;
                    return Ok(stop);
                }
                Looked::After(_) if self.window.bytes().len() - start >= VALUE_BYTES_MAX => {
                    return self.spill(start, end, escape, spot);
                }
                Looked::After(next) => {
                    from = next - start;
                    self.more(start)?;
                    start = 0;
                }
            }
        }
    }

    /// Returns whether an address may be in a part of the window.
    fn has_anchor(&mut self, start: usize, stop: usize) -> bool {
        let bytes = self.window.bytes();
        let (next, searched) = self.anchor;
        if next < start || (next >= searched && searched < stop) {
            let found = self.pairs.next_anchor(bytes, start);
            self.anchor = (found, bytes.len());
        }
        self.anchor.0 < stop
    }

    /// Rewrites a value that lies in the window.
    fn inside(&mut self, start: usize, stop: usize, escape: Escape, spot: Spot) -> Result<()> {
        if spot.is_left || start == stop {
            return Ok(());
        }
        let has_anchor = self.has_anchor(start, stop);
        let quoted = &self.window.bytes()[start..stop];
        let looks = quoted.len() > 4 && quoted[1] == b':' && quoted[2].is_ascii_digit();
        if !has_anchor && !looks && !self.report.is_scan {
            return Ok(());
        }
        let text = match escape.is_plain(quoted) {
            true => quoted,
            false => {
                self.decoded.clear();
                escape.decode(quoted, &mut self.decoded);
                &self.decoded
            }
        };
        let mut source = Memory(text);
        let walked = match has_anchor {
            true => self.walker.whole(&mut source),
            false => {
                self.walker.begin(text.len());
                self.walker.is_broken(&mut source, 0, text.len()).map(drop)
            }
        };
        walked.map_err(RewriteError::Spill)?;
        self.report.steps += self.walker.steps();
        if looks {
            self.report.serialized += 1;
        }
        self.note(spot, text_range(start, stop, escape));
        if self.walker.edits.list.is_empty() {
            return Ok(());
        }
        let edits = match escape {
            Escape::None => &self.walker.edits,
            _ => {
                self.edits.clear();
                let mut raw = Memory(&self.window.bytes()[start..stop]);
                Cursor::default()
                    .translate(&mut raw, escape, &self.walker.edits, &mut self.edits)
                    .map_err(RewriteError::Spill)?;
                &self.edits
            }
        };
        for edit in &edits.list {
            self.window.write_to(start + edit.start, &mut self.out)?;
            let written = self.out.write_all(edits.text(edit));
            written.map_err(RewriteError::Write)?;
            self.window.skip_to(start + edit.end);
        }
        Ok(())
    }

    /// Notes what the walker did with a value.
    fn note(&mut self, spot: Spot, (start, stop, escape): (usize, usize, Escape)) {
        let counts = &self.walker.counts;
        if counts.total() > 0
            || !counts.broken.is_empty()
            || counts.left_base64 + counts.left_keys > 0
        {
            self.report.note(spot.table, spot.column, counts);
        }
        if self.report.is_scan {
            let quoted = &self.window.bytes()[start..stop];
            let text = match escape.is_plain(quoted) {
                true => quoted,
                false => &self.decoded,
            };
            self.report.look(text);
            // The length of a serialized string is an edit, too, and no sample.
            let is_text = |edit: &&crate::escape::Edit| {
                !self.walker.edits.text(edit).iter().all(u8::is_ascii_digit)
            };
            if let Some(edit) = self.walker.edits.list.iter().find(is_text) {
                let place = (edit.start, edit.end);
                self.report.sample(spot.table, spot.column, text, place);
            }
        }
    }

    /// Rewrites a value that is too long for the memory: quoted and decoded, it lies in two files
    /// without names.
    fn spill(&mut self, start: usize, end: End, escape: Escape, spot: Spot) -> Result<usize> {
        self.window.write_to(start, &mut self.out)?;
        let mut quoted = tempfile::tempfile().map_err(RewriteError::Spill)?;
        let mut size = 0;
        let mut start = start;
        let stop = loop {
            let is_last = self.window.is_last;
            let looked = end.look(self.window.bytes(), start, is_last);
            let (until, is_end) = match looked {
                Looked::At(stop) => (stop, true),
                Looked::After(next) if is_last => match end.name() {
                    Some(what) => return Err(self.cut_off(what)),
                    None => (next.max(self.window.bytes().len()), true),
                },
                Looked::After(next) => (next, false),
            };
            let part = &self.window.bytes()[start..until];
            quoted.write_all(part).map_err(RewriteError::Spill)?;
            size += part.len();
            self.window.skip_to(until);
            if is_end {
                break until;
            }
            self.more(until)?;
            start = 0;
        };
        self.value_start = stop;
        self.spilled(quoted, size, escape, spot)?;
        Ok(stop)
    }

    fn spilled(&mut self, quoted: File, size: usize, escape: Escape, spot: Spot) -> Result<()> {
        let copy_of = quoted.try_clone().map_err(RewriteError::Spill)?;
        let mut raw = Paged::new(quoted, size);
        let mut text = match escape {
            Escape::None => Kept::File(Paged::new(copy_of, size)),
            _ => escape
                .keep(&mut raw, 0..size)
                .map_err(RewriteError::Spill)?,
        };
        let length = text.length();
        let (mut cursor, mut quoted) = (Cursor::default(), Vec::new());
        let (mut position, mut written) = (0, 0);
        self.walker.begin(length);
        let is_left = spot.is_left
            || (self
                .walker
                .is_broken(&mut text, 0, length)
                .map_err(RewriteError::Spill)?
                && !self.pairs.policy().broken);
        loop {
            if is_left {
                break;
            }
            let next = self.walker.unit(&mut text, position, length);
            let Some(next) = next.map_err(RewriteError::Spill)? else {
                break;
            };
            position = next;
            for edit in &self.walker.edits.list {
                quoted.clear();
                let place = cursor
                    .quote(&mut raw, escape, &self.walker.edits, edit, &mut quoted)
                    .map_err(RewriteError::Spill)?;
                copy(&mut raw, written, place.start, &mut self.out)?;
                self.out.write_all(&quoted).map_err(RewriteError::Write)?;
                written = place.end;
            }
            self.walker.edits.clear();
        }
        self.report.steps += self.walker.steps();
        self.report
            .note(spot.table, spot.column, &self.walker.counts);
        copy(&mut raw, written, size, &mut self.out)
    }
}

fn text_range(start: usize, stop: usize, escape: Escape) -> (usize, usize, Escape) {
    (start, stop, escape)
}

/// Writes a part of a file to the output.
fn copy(raw: &mut Paged, from: usize, to: usize, out: &mut impl Write) -> Result<()> {
    let mut position = from;
    while position < to {
        let window = raw.at(position, 1).map_err(RewriteError::Spill)?;
        let window = &window[..window.len().min(to - position)];
        out.write_all(window).map_err(RewriteError::Write)?;
        position += window.len();
    }
    Ok(())
}
