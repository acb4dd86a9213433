//! The available profiles, for a terminal.

use serde::Serialize;
use stripewise_catalogue::number::three_digits;
use stripewise_profiles::Basis;
use stripewise_profiles::lookup::{ProfileKind, ProfilePlace};
use stripewise_study::sample::as_f64;

use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM};
use crate::view::View;

/// A profile on one line; `--json` prints it, too.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfileLine {
    /// The kind of the profile.
    pub kind: ProfileKind,
    /// Its name in studies.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The size of a device.
    pub capacity_bytes: Option<u64>,
    /// The basis of its numbers; `None` if the file does not say.
    pub basis: Option<Basis>,
    /// The number of measured points in the file.
    pub points: usize,
    /// Where the numbers come from.
    pub source: String,
    /// The place where it was found.
    pub place: ProfilePlace,
    /// Its file; the path of a shipped profile is relative to the root of the source.
    pub file: String,
}

/// Returns a table of the devices and one of the hosts, a line for each.
pub fn profiles(lines: &[ProfileLine], view: View) -> String {
    let tables = [ProfileKind::Device, ProfileKind::Host].map(|kind| {
        let of_kind: Vec<&ProfileLine> = lines.iter().filter(|line| line.kind == kind).collect();
        match of_kind.is_empty() {
            true => String::new(),
            false => table_of(kind, &of_kind, view),
        }
    });
    let tables = tables.into_iter().filter(|table| !table.is_empty());
    tables.collect::<Vec<_>>().join("\n")
}

fn table_of(kind: ProfileKind, lines: &[&ProfileLine], view: View) -> String {
    let has_size = kind == ProfileKind::Device;
    let mut columns = vec![Column::words(kind.as_str())];
    columns.extend(has_size.then(|| Column::number("size")));
    columns.extend(["basis", "from", "what it is"].map(Column::words));
    let mut table = Table::new(columns).bare();
    for line in lines {
        let from = match line.place {
            ProfilePlace::Shipped => "shipped",
            ProfilePlace::Named | ProfilePlace::Study => &line.file,
        };
        let size = line.capacity_bytes.map(disk_size);
        let mut fields = vec![Field::styled(BOLD, &line.name)];
        fields.extend(has_size.then(|| Field::plain(size.unwrap_or_else(|| "-".to_owned()))));
        fields.extend([
            Field::plain(line.basis.map_or("not stated", Basis::words)),
            Field::styled(DIM, from),
            Field::plain(&line.description),
        ]);
        table.row(fields);
    }
    table.finish(view)
}

/// Returns the size of a disk as on its label: in powers of 1000.
fn disk_size(bytes: u64) -> String {
    let bytes = as_f64(bytes);
    match bytes >= 999.5e9 {
        true => format!("{} TB", three_digits(bytes / 1e12)),
        false => format!("{} GB", three_digits(bytes / 1e9)),
    }
}
