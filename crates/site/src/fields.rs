//! Values of rows: those for `LOAD DATA`, with tabs between them, and CSV.

use std::io::{Read, Write};

use crate::coat::Coat;
use crate::ends::End;
use crate::escape::Escape;
use crate::rewrite::{Result, RewriteError, Rewriter, ValuePlace};

/// The longest name of a column.
const NAME_BYTES_MAX: usize = 64;

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    /// Rewrites rows of fields; returns where the last one ends.
    pub(crate) fn tsv(&mut self) -> Result<usize> {
        let table = self.report.table(b"");
        let mut spot = ValuePlace {
            table,
            ..ValuePlace::default()
        };
        let mut position = 0;
        let mut begins_row = true;
        loop {
            position = self.ensure(position, 1)?;
            if position >= self.window.bytes().len() {
                return Ok(position);
            }
            if begins_row {
                self.report.row(table);
                spot.column = 0;
            }
            let stop = self.value(position, End::Field, Escape::Field, spot)?;
            position = self.ensure(stop, 1)?;
            begins_row = self.window.bytes().get(position) == Some(&b'\n');
            spot.column += 1;
            position = (position + 1).min(self.window.bytes().len());
        }
    }

    /// Rewrites rows of CSV (RFC 4180), with `,`, `;` or tabs between fields; returns where the last
    /// one ends. The first row names the columns if it looks like names.
    pub(crate) fn csv(&mut self) -> Result<usize> {
        let table = self.report.table(b"");
        let separator = separator(self.window.bytes());
        let mut spot = ValuePlace {
            table,
            ..ValuePlace::default()
        };
        let mut names = Some(Vec::new());
        let mut left = Vec::new();
        let (mut position, mut row) = (0, 1);
        loop {
            position = self.ensure(position, 2)?;
            if position >= self.window.bytes().len() {
                return Ok(position);
            }
            spot.is_left = left.get(spot.column) == Some(&true);
            position = self.cell(position, separator, row, spot)?;
            if let Some(names) = &mut names {
                names.push(self.cell_name(position));
            }
            position = self.ensure(position, 2)?;
            let rest = &self.window.bytes()[position..];
            if rest.first() == Some(&separator) {
                spot.column += 1;
                position += 1;
                continue;
            }
            position += usize::from(rest.starts_with(b"\r\n"));
            position = (position + 1).min(self.window.bytes().len());
            self.report.row(table);
            spot.column = 0;
            row += 1;
            if let Some(all) = names.take().and_then(|all| all.into_iter().collect()) {
                let all: Vec<String> = all;
                self.report.name_columns(table, &all);
                let columns = all.iter();
                left = columns
                    .map(|column| self.options.leaves_column("", column))
                    .collect();
            }
        }
    }

    /// Rewrites one field, and returns where it ends.
    fn cell(
        &mut self,
        position: usize,
        separator: u8,
        row: u64,
        spot: ValuePlace,
    ) -> Result<usize> {
        if self.window.bytes()[position] != b'"' {
            return self.value(position, End::Cell(separator), Coat::default(), spot);
        }
        let (quote, backslash) = (b'"', false);
        let coat = Escape::Quote { quote, backslash };
        let stop = self.value(position + 1, End::Quote { quote, backslash }, coat, spot)? + 1;
        let stop = self.ensure(stop, 1)?;
        match self.window.bytes().get(stop) {
            None | Some(b'\r' | b'\n') => Ok(stop),
            Some(byte) if *byte == separator => Ok(stop),
            Some(_) => Err(RewriteError::Csv { row }),
        }
    }

    /// Returns the field that ends at `stop` if it looks like a name.
    fn cell_name(&self, stop: usize) -> Option<String> {
        let text = &self.window.bytes()[self.value_start.min(stop)..stop];
        let text = text.strip_suffix(b"\"").unwrap_or(text);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. ".contains(byte);
        let is_right = !text.is_empty() && text.len() <= NAME_BYTES_MAX;
        let name = std::str::from_utf8(text).ok()?;
        (is_right && text.iter().all(is_name)).then(|| name.to_owned())
    }
}

/// Returns what stands between the fields of the first line: what follows its first quoted field, else
/// the first of these that it has.
fn separator(head: &[u8]) -> u8 {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let after = line
        .windows(2)
        .find(|two| two[0] == b'"' && is_separator(&two[1]));
    let first = line.iter().find(|byte| is_separator(byte));
    after.map_or(first.copied().unwrap_or(b','), |two| two[1])
}
