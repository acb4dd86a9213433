//! Values of XML: texts, attributes and CDATA sections.
//!
//! Comments are no values, and neither are attributes that name something: a namespace (`xmlns`), whose
//! name only looks like an address, or a database, table or column of a dump.
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
/// How much of a tag is looked at for names, the values of its attributes apart.
const TAG_BYTES_MAX: usize = 64 << 10;

/// A tag, of which the values of the attributes are read one by one.
#[derive(Debug, Default)]
struct Tag {
    /// What stands in it beside those values.
    text: Vec<u8>,
    /// The last byte of that.
    last: u8,
    /// What its attribute `name` says.
    named: Option<Vec<u8>>,
}

impl Tag {
    fn take(&mut self, byte: u8) {
        self.last = byte;
        if self.text.len() < TAG_BYTES_MAX {
            self.text.push(byte);
        }
    }

    fn element(&self) -> &[u8] {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
        let text = self.text.strip_prefix(b"/").unwrap_or(&self.text);
        text.split(is_end).next().unwrap_or_default()
    }

    /// Returns the attribute whose value is next; `None` if none is.
    fn attribute(&self) -> Option<&[u8]> {
        let before = self.text.trim_ascii_end().strip_suffix(b"=")?;
        before
            .trim_ascii_end()
            .rsplit(u8::is_ascii_whitespace)
            .next()
    }

    /// Returns whether an attribute names something.
    fn is_name(&self, attribute: &[u8]) -> bool {
        let element = self.element();
        let local = element.rsplit(|byte| *byte == b':').next();
        match attribute {
            b"xmlns" => true,
            b"name" => OBJECTS.contains(&local.unwrap_or_default()),
            b"Field" => element == b"field",
            b"Table" | b"Key_name" | b"Column_name" => element == b"key",
            b"Name" => element == b"options",
            _ => attribute.starts_with(b"xmlns:"),
        }
    }
}

/// The elements whose `name` is one of a database or of what is in it (`mysqldump --xml`, phpMyAdmin).
const OBJECTS: [&[u8]; 6] = [
    b"database",
    b"table",
    b"table_data",
    b"table_structure",
    b"field",
    b"column",
];

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
            let left = ValuePlace {
                is_left: true,
                ..spot
            };
            let (skip, end, coat, length, spot) = if rest.is_empty() {
                self.check_document(&document)?;
                return Ok(position);
            } else if rest.starts_with(SECTION) {
                let coat = Coat::from(Escape::Cdata);
                (SECTION.len(), Some(End::Section), coat, 3, spot)
            } else if rest.starts_with(b"<!--") {
                (4, end(b"-->", "a comment"), Coat::default(), 3, left)
            } else if rest.starts_with(b"<?") {
                (2, end(b"?>", "an instruction"), Coat::default(), 2, spot)
            } else if rest.starts_with(b"<!") {
                let coat = Coat::from(Escape::Entity);
                (2, end(b">", "a declaration"), coat, 1, spot)
            } else {
                position = self.tag(position + 1, &mut document, spot)?;
                continue;
            };
            let Some(end) = end else {
                return Ok(position);
            };
            let stop = self.value(position + skip, end, coat, spot)?;
            position = self.ensure(stop, length)?;
            position += length.min(self.window.bytes().len() - position);
        }
    }

    /// Rewrites the values of a tag's attributes; returns where it ends.
    fn tag(&mut self, position: usize, document: &mut Document, spot: ValuePlace) -> Result<usize> {
        let mut tag = Tag::default();
        let mut position = position;
        loop {
            position = self.ensure(position, 1)?;
            let Some(byte) = self.window.bytes().get(position).copied() else {
                return Err(self.cut_off("a tag"));
            };
            position += 1;
            let quote = Mark::new(&[byte]).filter(|_| matches!(byte, b'"' | b'\''));
            match (byte, quote, tag.attribute()) {
                (b'>', ..) => break,
                (_, Some(mark), Some(attribute)) => {
                    let is_left = spot.is_left || tag.is_name(attribute);
                    let is_named = attribute == b"name";
                    let spot = ValuePlace { is_left, ..spot };
                    let end = End::Mark(mark, "an attribute");
                    let stop = self.value(position, end, Coat::from(Escape::Entity), spot)?;
                    let value = &self.window.bytes()[self.value_start.min(stop)..stop];
                    if is_named && value.len() <= NAME_BYTES_MAX {
                        tag.named = Some(value.to_vec());
                    }
                    tag.take(byte);
                    position = self.ensure(stop, 1)? + 1;
                }
                _ => tag.take(byte),
            }
        }
        self.end_of_tag(tag, document);
        Ok(position)
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

    /// Takes a tag that ended.
    fn end_of_tag(&mut self, tag: Tag, document: &mut Document) {
        let name = tag.element();
        if tag.text.first() == Some(&b'/') {
            name.clone_into(&mut document.closed);
            document.open.pop();
            return;
        }
        if document.root.is_empty() {
            name.clone_into(&mut document.root);
        }
        let named = tag.named.clone();
        if let (b"table_data" | b"table", Some(named)) = (name, &named) {
            document.table.clone_from(named);
        }
        // phpMyAdmin writes a `table` for each row.
        if matches!(name, b"row" | b"item" | b"table") {
            let table = self.report.table(&document.table);
            self.report.row(table);
        }
        if tag.last == b'/' {
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
