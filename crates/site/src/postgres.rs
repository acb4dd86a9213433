//! What only dumps of PostgreSQL have: rows of `COPY`, dollar quotes, comments in comments.

use std::io::{Read, Write};

use crate::coat::Coat;
use crate::ends::{End, MARK_BYTES_MAX, Mark};
use crate::escape::Escape;
use crate::rewrite::{Result, Rewriter, ValuePlace};
use crate::sql::Dump;

/// What a dump is cut off in.
const ROWS: &str = "rows of `COPY`";

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    /// Rewrites the rows behind a `COPY`, up to the line `\\.`; returns where that ends.
    pub(crate) fn copy_rows(&mut self, position: usize, dump: &mut Dump) -> Result<usize> {
        let mut spot = self.spot(dump)?;
        let statement = std::mem::take(&mut dump.statement);
        let (left, all_left) = (statement.left, statement.is_left);
        spot.is_postgres = true;
        let mut position = self.pass(position, b"\n", Some(ROWS))?;
        loop {
            position = self.ensure(position, 3)?;
            let rest = &self.window.bytes()[position..];
            if rest.starts_with(b"\\.") && matches!(rest.get(2), None | Some(b'\n' | b'\r')) {
                return self.pass(position, b"\n", None);
            }
            if rest.is_empty() {
                return match self.options.partial {
                    true => Ok(position),
                    false => Err(self.cut_off(ROWS)),
                };
            }
            self.report.row(spot.table);
            spot.column = 0;
            loop {
                spot.is_left = all_left || left.get(spot.column) == Some(&true);
                let stop = self.value(position, End::Field, Escape::Copy, spot)?;
                position = self.ensure(stop, 1)?;
                let ended = self.window.bytes().get(position).copied();
                position = (position + 1).min(self.window.bytes().len());
                match ended {
                    Some(b'\t') => spot.column += 1,
                    _ => break,
                }
            }
        }
    }

    /// Rewrites the text between dollar quotes (`$$`, `$body$`); passes a `$` that begins none.
    pub(crate) fn dollar(&mut self, position: usize, dump: &mut Dump) -> Result<usize> {
        let position = self.ensure(position, MARK_BYTES_MAX)?;
        let Some(mark) = dollar_mark(&self.window.bytes()[position..]) else {
            return Ok(position + 1);
        };
        let length = mark.len();
        let Some(mark) = Mark::new(mark) else {
            return Ok(position + 1);
        };
        let spot = ValuePlace {
            is_postgres: false,
            ..self.spot(dump)?
        };
        let end = End::Mark(mark, "a quoted value");
        Ok(self.value(position + length, end, Coat::default(), spot)? + length)
    }

    /// Passes a comment in which others may lie.
    pub(crate) fn nested_comment(&mut self, position: usize) -> Result<usize> {
        let mut position = position + 2;
        let mut depth = 1_u32;
        while depth > 0 {
            position = self.pass_either(position)?;
            match self.window.bytes()[position - 2] {
                b'*' => depth -= 1,
                _ => depth += 1,
            }
        }
        Ok(position)
    }

    /// Passes everything up to the next `/*` or `*/`.
    fn pass_either(&mut self, position: usize) -> Result<usize> {
        let mut position = position;
        loop {
            let bytes = self.window.bytes();
            let rest = &bytes[position.min(bytes.len())..];
            let found = rest.windows(2).position(|two| two == b"/*" || two == b"*/");
            if let Some(at) = found {
                return Ok(position + at + 2);
            }
            if self.window.is_last {
                return Err(self.cut_off("a comment"));
            }
            let keep = bytes.len().saturating_sub(1).max(position);
            self.more(keep)?;
            position = 0;
        }
    }
}

/// Returns the dollar quote at the beginning of a text: `$`, a name or none, `$`.
fn dollar_mark(text: &[u8]) -> Option<&[u8]> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let name = text[1..].iter().take_while(|byte| is_name(byte)).count();
    let is_number = text.get(1).is_some_and(u8::is_ascii_digit);
    let is_mark = text.get(1 + name) == Some(&b'$') && !is_number && name + 2 <= MARK_BYTES_MAX;
    is_mark.then(|| &text[..name + 2])
}
