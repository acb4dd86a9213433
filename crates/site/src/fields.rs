//! Values of tab-separated rows, and of WordPress's export.

use std::io::{Read, Write};

use crate::escape::Escape;
use crate::rewrite::{End, Result, RewriteError, Rewriter, Spot};

/// How CDATA begins and ends.
const OPEN: &[u8] = b"<![CDATA[";
const CLOSE: &[u8] = b"]]>";
/// How an export ends.
const FEED_END: &str = "</rss>";

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    /// Rewrites rows of fields; returns where the last one ends.
    pub(crate) fn tsv(&mut self) -> Result<usize> {
        let table = self.report.table(b"");
        let mut spot = Spot {
            table,
            ..Spot::default()
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

    /// Rewrites an export of WordPress; returns where it ends.
    pub(crate) fn wxr(&mut self) -> Result<usize> {
        let table = self.report.table(b"");
        let spot = Spot {
            table,
            ..Spot::default()
        };
        let is_feed = memchr::memmem::find(self.window.bytes(), b"<rss").is_some();
        let mut position = 0;
        loop {
            let stop = self.value(position, End::Markup, Escape::None, spot)?;
            let before = self.window.bytes()[..stop].trim_ascii_end();
            let is_whole = !is_feed || before.ends_with(FEED_END.as_bytes());
            position = self.ensure(stop, OPEN.len())?;
            if !self.window.bytes()[position..].starts_with(OPEN) {
                if !is_whole && !self.options.partial {
                    return Err(RewriteError::Unfinished {
                        mark: FEED_END,
                        bytes: self.window.bytes_read,
                    });
                }
                return Ok(self.window.bytes().len());
            }
            self.report.row(table);
            let start = position + OPEN.len();
            position = self.value(start, End::Section, Escape::None, spot)?;
            position = self.ensure(position, CLOSE.len())?;
            position += CLOSE.len().min(self.window.bytes().len() - position);
        }
    }
}
