//! The available profiles.

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message, shipped};
use stripewise_profiles::Basis;
use stripewise_profiles::lookup::{ProfileKind, ProfilePlace};
use stripewise_study::sample::as_f64;

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
pub fn profiles(lines: &[ProfileLine]) -> Vec<Block> {
    let tables = [ProfileKind::Device, ProfileKind::Host].map(|kind| {
        let of_kind = lines.iter().filter(|line| line.kind == kind);
        table_of(kind, of_kind)
    });
    let filled = tables.into_iter().filter(|table| !table.rows.is_empty());
    let blocks = filled.flat_map(|table| [Block::Gap, table.into()]);
    blocks.skip(1).collect()
}

fn table_of<'a>(kind: ProfileKind, lines: impl Iterator<Item = &'a ProfileLine>) -> Table {
    let words = |key: &'static str, id: &'static str| Column::words(key, Message::new(id));
    let has_size = kind == ProfileKind::Device;
    let (key, name) = match kind {
        ProfileKind::Device => ("devices", "label-device"),
        ProfileKind::Host => ("hosts", "label-host"),
    };
    let mut columns = vec![words("name", name)];
    columns.extend(has_size.then(|| Column::number("capacity_bytes", Message::new("label-size"))));
    columns.extend([
        words("basis", "profile-basis"),
        words("file", "profile-from"),
        words("description", "label-description"),
    ]);
    let mut table = Table::new(key, columns).bare();
    for line in lines {
        let from = match line.place {
            ProfilePlace::Shipped => Cell::of(Message::new("profile-shipped")),
            ProfilePlace::Named | ProfilePlace::Study => Cell::name(&line.file),
        };
        let no_basis = || Message::new("profile-basis-none");
        let size = line
            .capacity_bytes
            .map(|bytes| Cell::of(disk_size(bytes)).exact(as_f64(bytes)));
        let mut cells = vec![Cell::name(&line.name).tone(Tone::Strong)];
        cells.extend(has_size.then(|| size.unwrap_or_else(Cell::none)));
        cells.extend([
            Cell::of(line.basis.map_or_else(no_basis, |basis| basis.message())),
            from.tone(Tone::Dim),
            Cell::of(shipped(&line.description)),
        ]);
        table.row(cells);
    }
    table
}

/// Returns the size of a disk as on its label: in powers of 1000.
fn disk_size(bytes: u64) -> Argument {
    let bytes = as_f64(bytes);
    match bytes >= 999.5e9 {
        true => Argument::quantity(three_digits(bytes / 1e12), "TB"),
        false => Argument::quantity(three_digits(bytes / 1e9), "GB"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use stripewise_catalogue::Language;

    use super::*;
    use crate::render::terminal;
    use crate::style::without_styles;
    use crate::view::View;

    #[test]
    fn profiles_are_listed_in_german() {
        let line = |kind, name: &str, capacity_bytes, basis, place| ProfileLine {
            kind,
            name: name.to_owned(),
            description: format!("{name} as measured."),
            capacity_bytes,
            basis,
            points: 0,
            source: String::new(),
            place,
            file: format!("my/{name}.toml"),
        };
        let (device, host) = (ProfileKind::Device, ProfileKind::Host);
        let (shipped, named) = (ProfilePlace::Shipped, ProfilePlace::Named);
        let disk = Some(4_600_000_000_000);
        let lines = [
            line(device, "hdd", disk, Some(Basis::DataSheet), shipped),
            line(
                device,
                "ssd",
                Some(500_000_000_000),
                Some(Basis::Measured),
                named,
            ),
            line(device, "other", None, None, named),
            line(host, "default", None, Some(Basis::Class), shipped),
        ];
        let german = View::drawn(80).in_language(Language::German);
        expect![[r#"
            Gerät    Größe  Grundlage        Herkunft       Beschreibung
            hdd    4,60 TB  Datenblatt       mitgeliefert   hdd as measured.
            ssd     500 GB  gemessen         my/ssd.toml    ssd as measured.
            other        -  nicht angegeben  my/other.toml  other as measured.

            Host     Grundlage     Herkunft      Beschreibung
            default  Geräteklasse  mitgeliefert  default as measured.
        "#]]
        .assert_eq(&without_styles(&terminal(&profiles(&lines), german)));
    }
}
