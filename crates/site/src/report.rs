//! What was changed, where, and what was left.

use std::collections::BTreeMap;

use crate::edits::Edits;
pub use crate::grammar::Fault;
pub use crate::pairs::Form;
use crate::walk::Counts;

/// The most broken and the most packed values that are listed with their places.
const LISTED_MAX: usize = 1000;
/// The most samples of one column.
const SAMPLES_MAX: usize = 3;
/// The bytes of a sample on each side of the address.
const SAMPLE_BYTES: usize = 40;
/// The most hosts and paths that are counted.
const NAMES_MAX: usize = 1000;

/// The table and the column of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The table; empty in formats without.
    pub table: String,
    /// The name of the column, or its number from 1; empty in formats without.
    pub column: String,
}

/// A value that looks serialized and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where it is.
    pub place: Place,
    /// The row of the table, from 1.
    pub row: u64,
    /// Why it cannot be read.
    pub fault: Fault,
    /// Whether an address stays in the value.
    pub has_address: bool,
}

/// A value that holds something packed, which was not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// Where it is.
    pub place: Place,
    /// The row of the table, from 1.
    pub row: u64,
    /// The name of the packing.
    pub packing: &'static str,
}

/// What was found in one column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// Replaced addresses by form.
    pub replaced: BTreeMap<Form, u64>,
    /// Values that changed.
    pub values: u64,
    /// Serialized values in which lengths were counted again.
    pub recounted: u64,
    /// Addresses in base64 that were left.
    pub left_base64: u64,
    /// Addresses in keys that were left.
    pub left_keys: u64,
    /// Broken serialized values.
    pub broken: u64,
    /// Values in which an address stays, because it cannot be replaced safely.
    pub stuck: u64,
    /// Values that hold something packed, which was not looked at.
    pub packed: u64,
    /// Texts around the first addresses.
    pub samples: Vec<String>,
}

impl Column {
    /// Returns the replaced addresses of all forms.
    pub fn total(&self) -> u64 {
        self.replaced.values().sum()
    }
}

/// A table with its columns in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Table {
    name: String,
    names: Vec<String>,
    columns: Vec<Column>,
    rows: u64,
}

/// What was found in an input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputReport {
    tables: Vec<Table>,
    /// The number of each, by the bytes of its name.
    numbers: BTreeMap<Vec<u8>, usize>,
    /// Bytes read, unpacked.
    pub bytes_in: u64,
    /// Bytes written, before they were packed.
    pub bytes_out: u64,
    /// Broken values with their places, the first ones.
    pub broken: Vec<Broken>,
    /// The number of all broken values.
    pub broken_count: u64,
    /// Values with something packed, with their places, the first ones.
    pub packed: Vec<Packed>,
    /// Files that it reads when it is loaded, which were not looked at; the first ones.
    pub included: Vec<String>,
    /// The number of all of them.
    pub included_count: u64,
    /// Values that were looked at.
    pub looked_at: u64,
    /// Serialized values that were checked.
    pub serialized: u64,
    /// Hosts in addresses, with how often each is named, if asked for.
    pub hosts: BTreeMap<String, u64>,
    /// Absolute paths, if asked for.
    pub paths: BTreeMap<String, u64>,
    /// How many steps its values took.
    pub(crate) steps: u64,
    /// Whether hosts and paths are looked for, and samples taken.
    pub(crate) is_scan: bool,
}

impl InputReport {
    /// Returns an empty report; for a scan, hosts, paths and samples are collected in it, too.
    pub(crate) fn new(is_scan: bool) -> Self {
        Self {
            is_scan,
            ..Self::default()
        }
    }

    /// Returns the number of a table, which may be new.
    pub(crate) fn table(&mut self, name: &[u8]) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.tables.len();
        self.numbers.insert(name.to_vec(), number);
        self.tables.push(Table {
            name: String::from_utf8_lossy(name).into_owned(),
            ..Table::default()
        });
        number
    }

    /// Names the columns of a table.
    pub(crate) fn name_columns(&mut self, table: usize, names: &[String]) {
        names.clone_into(&mut self.tables[table].names);
    }

    /// Begins a row of a table.
    pub(crate) fn row(&mut self, table: usize) {
        self.tables[table].rows += 1;
    }

    /// Counts the addresses of edits; returns whether there is one.
    pub(crate) fn found(&mut self, table: usize, column: usize, edits: &Edits) -> bool {
        let noted = self.column(table, column);
        let mut is_found = false;
        for (form, count) in edits.list.iter().filter_map(|edit| edit.found) {
            *noted.replaced.entry(form).or_default() += u64::from(count);
            is_found = true;
        }
        is_found
    }

    /// Notes what was done with a value, beside its edits.
    pub(crate) fn note(&mut self, table: usize, column: usize, is_found: bool, counts: &Counts) {
        let row = self.tables[table].rows;
        self.broken_count += counts.broken.len() as u64;
        for fault in &counts.broken {
            if self.broken.len() < LISTED_MAX {
                self.broken.push(Broken {
                    place: self.place(table, column),
                    row,
                    fault: *fault,
                    has_address: counts.is_stuck,
                });
            }
        }
        let noted = self.column(table, column);
        noted.values += u64::from(is_found);
        noted.recounted += counts.recounted;
        noted.left_base64 += counts.left_base64;
        noted.left_keys += counts.left_keys;
        noted.broken += counts.broken.len() as u64;
        noted.stuck += u64::from(counts.is_stuck);
    }

    /// Notes a file that it reads when it is loaded.
    pub(crate) fn include(&mut self, name: String) {
        self.included_count += 1;
        if self.included.len() < LISTED_MAX {
            self.included.push(name);
        }
    }

    /// Forgets the included files that are looked at, too, by their names without directories.
    pub fn forget_included(&mut self, is_looked_at: impl Fn(&str) -> bool) {
        let before = self.included.len();
        self.included
            .retain(|path| !is_looked_at(path.rsplit('/').next().unwrap_or(path)));
        self.included_count -= (before - self.included.len()) as u64;
    }

    /// Notes that something in a value is packed.
    pub(crate) fn packed(&mut self, table: usize, column: usize, packing: &'static str) {
        self.column(table, column).packed += 1;
        if self.packed.len() < LISTED_MAX {
            let (place, row) = (self.place(table, column), self.tables[table].rows);
            self.packed.push(Packed {
                place,
                row,
                packing,
            });
        }
    }

    /// Keeps the text around an address.
    pub(crate) fn sample(&mut self, table: usize, column: usize, text: &[u8], at: (usize, usize)) {
        let noted = self.column(table, column);
        if noted.samples.len() < SAMPLES_MAX {
            let from = at.0.saturating_sub(SAMPLE_BYTES);
            let to = (at.1 + SAMPLE_BYTES).min(text.len());
            let sample = String::from_utf8_lossy(&text[from..to]);
            noted.samples.push(sample.trim().to_owned());
        }
    }

    /// Counts a host or a path.
    pub(crate) fn name(names: &mut BTreeMap<String, u64>, name: &[u8]) {
        let name = String::from_utf8_lossy(name);
        if let Some(count) = names.get_mut(name.as_ref()) {
            *count += 1;
        } else if names.len() < NAMES_MAX {
            names.insert(name.into_owned(), 1);
        }
    }

    fn column(&mut self, table: usize, column: usize) -> &mut Column {
        let columns = &mut self.tables[table].columns;
        if columns.len() <= column {
            columns.resize_with(column + 1, Column::default);
        }
        &mut columns[column]
    }

    fn place(&self, table: usize, column: usize) -> Place {
        let table = &self.tables[table];
        let number = || match table.name.is_empty() && table.columns.len() <= 1 {
            true => String::new(),
            false => (column + 1).to_string(),
        };
        Place {
            table: table.name.clone(),
            column: table.names.get(column).cloned().unwrap_or_else(number),
        }
    }

    /// Returns the names of all tables.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str())
    }

    /// Returns the names of all columns, each with its table.
    pub fn column_names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tables.iter().flat_map(|table| {
            let names = table.names.iter();
            names.map(|name| (table.name.as_str(), name.as_str()))
        })
    }

    /// Returns every column in which something was found, with its table.
    pub fn columns(&self) -> impl Iterator<Item = (Place, &Column)> {
        self.tables
            .iter()
            .enumerate()
            .flat_map(move |(index, table)| {
                let columns = table.columns.iter().enumerate();
                columns
                    .filter(|(_, column)| **column != Column::default())
                    .map(move |(number, column)| (self.place(index, number), column))
            })
    }

    /// Returns the replaced addresses of all columns.
    pub fn replaced(&self) -> u64 {
        self.columns().map(|(_, column)| column.total()).sum()
    }

    /// Returns the addresses that were left in base64.
    pub fn left_base64(&self) -> u64 {
        self.columns().map(|(_, column)| column.left_base64).sum()
    }

    /// Returns the addresses that were left in keys.
    pub fn left_keys(&self) -> u64 {
        self.columns().map(|(_, column)| column.left_keys).sum()
    }

    /// Returns the values in which an address stays, because it cannot be replaced safely.
    pub fn stuck(&self) -> u64 {
        self.columns().map(|(_, column)| column.stuck).sum()
    }

    /// Returns the values with something packed, which was not looked at.
    pub fn packed_count(&self) -> u64 {
        self.columns().map(|(_, column)| column.packed).sum()
    }

    /// Returns the values that changed.
    pub fn values(&self) -> u64 {
        self.columns().map(|(_, column)| column.values).sum()
    }

    /// Returns the serialized values in which lengths were counted again.
    pub fn recounted(&self) -> u64 {
        self.columns().map(|(_, column)| column.recounted).sum()
    }

    /// Returns the rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Looks for hosts and absolute paths in a text.
    pub(crate) fn look(&mut self, text: &[u8]) {
        for at in memchr::memmem::find_iter(text, b"://") {
            let host = host_at(&text[at + 3..]);
            if !host.is_empty() {
                Self::name(&mut self.hosts, &host);
            }
        }
        let mut position = 0;
        while let Some(at) = memchr::memchr(b'/', &text[position..]) {
            let start = position + at;
            let path = path_at(text, start);
            match path {
                Some(end) => {
                    Self::name(&mut self.paths, site_root(&text[start..end]));
                    position = end;
                }
                None => position = start + 1,
            }
        }
    }
}

/// Returns the host name at the beginning of a text, in small letters.
fn host_at(text: &[u8]) -> Vec<u8> {
    let is_host =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') || !byte.is_ascii();
    let host: Vec<u8> = text
        .iter()
        .take(253)
        .take_while(|byte| is_host(byte))
        .copied()
        .collect();
    let host = host.strip_suffix(b".").unwrap_or(&host);
    match host.contains(&b'.') || host == b"localhost" {
        true => host.to_ascii_lowercase(),
        false => Vec::new(),
    }
}

/// Directories below the root in which sites lie.
const ROOTS: [&[u8]; 16] = [
    b"home",
    b"homepages",
    b"var",
    b"srv",
    b"usr",
    b"opt",
    b"www",
    b"htdocs",
    b"mnt",
    b"data",
    b"Users",
    b"kunden",
    b"customers",
    b"web",
    b"vhosts",
    b"nfs",
];

/// Returns the end of the absolute path that begins at a slash, if one does.
fn path_at(text: &[u8], start: usize) -> Option<usize> {
    let before = start.checked_sub(1).map(|at| text[at]);
    if before.is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || b"./<-_~%\\:".contains(&byte) || !byte.is_ascii()
    }) {
        return None;
    }
    let rest = &text[start + 1..];
    let first = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    if rest.get(first) != Some(&b'/') || !ROOTS.contains(&&rest[..first]) {
        return None;
    }
    let is_path =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+@~".contains(byte) || !byte.is_ascii();
    Some(
        start
            + 1
            + rest
                .iter()
                .take(4096)
                .take_while(|byte| is_path(byte))
                .count(),
    )
}

/// Returns a path up to the directory that WordPress is in, or its first five directories.
fn site_root(path: &[u8]) -> &[u8] {
    for known in [&b"/wp-content"[..], b"/wp-includes", b"/wp-admin"] {
        if let Some(at) = memchr::memmem::find(path, known) {
            return &path[..at];
        }
    }
    let sixth = memchr::memchr_iter(b'/', path).nth(5);
    let root = &path[..sixth.unwrap_or(path.len())];
    root.strip_suffix(b"/").unwrap_or(root)
}
