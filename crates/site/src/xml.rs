//! Values of XML: texts, attributes and CDATA sections.
//!
//! The columns are those of `mysqldump --xml` (`<field name="...">`) and of phpMyAdmin
//! (`<column name="...">`); elsewhere the names of the elements.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use crate::coat::Coat;
use crate::ends::{End, Mark, SECTION};
use crate::escape::Escape;
use crate::rewrite::{Result, RewriteError, Rewriter, ValuePlace};

/// How many elements are followed into each other.
const DEPTH_MAX: usize = 256;
/// The longest name of a column.
const NAME_BYTES_MAX: usize = 64;

/// Where in a document we are.
#[derive(Debug, Default)]
struct Document {
    /// The first element.
    root: Vec<u8>,
    /// The names of the columns of the elements around.
    open: Vec<Vec<u8>>,
    /// The element that ended last.
    closed: Vec<u8>,
    table: Vec<u8>,
    /// The numbers of the columns of each table.
    columns: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
}

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    /// Rewrites a document; returns where it ends.
    pub(crate) fn xml(&mut self) -> Result<usize> {
        let mut document = Document::default();
        let mut position = 0;
        loop {
            let spot = self.place_of(&mut document);
            position = self.value(position, End::Before(b'<'), Escape::Entity, spot)?;
            position = self.ensure(position, SECTION.len())?;
            let rest = &self.window.bytes()[position..];
            let end = |mark: &[u8], what| Mark::new(mark).map(|mark| End::Mark(mark, what));
            let (skip, end, coat, length) = if rest.is_empty() {
                self.check_document(&document)?;
                return Ok(position);
            } else if rest.starts_with(SECTION) {
                (
                    SECTION.len(),
                    Some(End::Section),
                    Coat::from(Escape::Cdata),
                    3,
                )
            } else if rest.starts_with(b"<!--") {
                (4, end(b"-->", "a comment"), Coat::default(), 3)
            } else if rest.starts_with(b"<?") {
                (2, end(b"?>", "an instruction"), Coat::default(), 2)
            } else {
                (1, end(b">", "a tag"), Coat::from(Escape::Entity), 1)
            };
            let Some(end) = end else {
                return Ok(position);
            };
            let stop = self.value(position + skip, end, coat, spot)?;
            if skip == 1 {
                let tag = self.window.bytes()[self.value_start.min(stop)..stop].to_vec();
                self.tag(&tag, &mut document);
            }
            position = self.ensure(stop, length)?;
            position += length.min(self.window.bytes().len() - position);
        }
    }

    fn check_document(&self, document: &Document) -> Result<()> {
        if self.options.partial || document.root.is_empty() || document.closed == document.root {
            return Ok(());
        }
        Err(RewriteError::Unfinished {
            mark: format!("</{}>", String::from_utf8_lossy(&document.root)),
            bytes: self.window.bytes_read,
        })
    }

    /// Returns where a text or a section is.
    fn place_of(&mut self, document: &mut Document) -> ValuePlace {
        let table = self.report.table(&document.table);
        let name = document.open.last().map_or(&[][..], Vec::as_slice);
        let columns = document.columns.entry(document.table.clone()).or_default();
        let column = match columns.iter().position(|known| known == name) {
            Some(column) => column,
            None => {
                columns.push(name.to_vec());
                let names = columns.iter();
                let names: Vec<String> = names
                    .map(|name| String::from_utf8_lossy(name).into_owned())
                    .collect();
                self.report.name_columns(table, &names);
                columns.len() - 1
            }
        };
        let of = String::from_utf8_lossy(&document.table);
        let name = String::from_utf8_lossy(name);
        ValuePlace {
            table,
            column,
            is_left: self.options.leaves_table(&of) || self.options.leaves_column(&of, &name),
            ..ValuePlace::default()
        }
    }

    /// Takes a tag, without its brackets.
    fn tag(&mut self, tag: &[u8], document: &mut Document) {
        let is_name = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b'/';
        if let Some(name) = tag.strip_prefix(b"/") {
            let end = name.iter().position(|byte| !is_name(byte));
            document.closed = name[..end.unwrap_or(name.len())].to_vec();
            document.open.pop();
            return;
        }
        let end = tag.iter().position(|byte| !is_name(byte));
        let name = &tag[..end.unwrap_or(tag.len())];
        if name.starts_with(b"!") {
            return;
        }
        if document.root.is_empty() {
            document.root = name.to_vec();
        }
        let named = attribute(tag, b"name");
        if let (b"table_data" | b"table", Some(named)) = (name, &named) {
            document.table.clone_from(named);
        }
        // phpMyAdmin writes a `table` for each row.
        if matches!(name, b"row" | b"item" | b"table") {
            let table = self.report.table(&document.table);
            self.report.row(table);
        }
        if tag.ends_with(b"/") {
            name.clone_into(&mut document.closed);
        } else if document.open.len() < DEPTH_MAX {
            let column = match (name, named) {
                (b"field" | b"column", Some(named)) => named,
                _ => name.to_vec(),
            };
            document.open.push(column);
        }
    }
}

/// Returns the value of an attribute.
fn attribute(tag: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let begin = [b" ", name, b"=\""].concat();
    let at = memchr::memmem::find(tag, &begin)? + begin.len();
    let end = memchr::memchr(b'"', &tag[at..])?;
    (end <= NAME_BYTES_MAX).then(|| tag[at..at + end].to_vec())
}
