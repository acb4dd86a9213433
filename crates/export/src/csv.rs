//! A table as CSV: one header line, then one line for each row.
//!
//! RFC 4180: fields with a comma, a quote or a line break are quoted, lines end in CR LF. Numbers
//! are plain, with a point; an unknown value is an empty field. Text is on one line, and no
//! spreadsheet reads it as a formula: see `docs/export.md`.

use std::borrow::Cow;

use ::csv::{Terminator, WriterBuilder};

use crate::table::{Table, Values};
use crate::text::to_field;

/// The start of all our tables.
const HEAD: &[u8] = b"run,study,world,";

/// Returns whether bytes may be one of our tables, even after a spreadsheet saved it: enough to say so
/// in an error, not enough to replace it.
pub fn may_be_ours(bytes: &[u8]) -> bool {
    bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .starts_with(HEAD)
}

/// Returns whether a file that begins with these bytes has the same columns as `table`, a table of
/// ours: its first line is the same, to the byte. The names of all columns are our mark, as another
/// program's table may well begin with the same three.
pub fn is_like(head: &[u8], table: &[u8]) -> bool {
    let header = table.split_inclusive(|byte| *byte == b'\n').next();
    header.is_some_and(|header| head.starts_with(header))
}

/// Returns a table as CSV.
pub fn write(table: &Table) -> Vec<u8> {
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    let heads = table.columns.iter().map(|column| column.name.as_str());
    let rows = 0..table.row_count();
    let written = writer.write_record(heads).and_then(|()| {
        for row in rows {
            let fields = table.columns.iter();
            let fields: Vec<Cow<'_, str>> =
                fields.map(|column| field(&column.values, row)).collect();
            writer.write_record(fields.iter().map(|field| field.as_bytes()))?;
        }
        Ok(())
    });
    let bytes = written.ok().and_then(|()| writer.into_inner().ok());
    bytes.expect("writing to memory cannot fail, and each row has as many fields as the header")
}

fn field(values: &Values, row: usize) -> Cow<'_, str> {
    fn shown(value: Option<impl ToString>) -> Cow<'static, str> {
        Cow::Owned(value.map_or_else(String::new, |value| value.to_string()))
    }
    match values {
        Values::Flags(values) => shown(values[row]),
        Values::Counts(values) | Values::Words(values) => shown(values[row]),
        Values::Numbers(values) => shown(values[row]),
        Values::Texts(values) => {
            Cow::Owned(values[row].as_deref().map_or_else(String::new, to_field))
        }
    }
}
