//! The available profiles, for a terminal.

use serde::Serialize;
use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
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
    let say = |id: &'static str| view.say(&Message::new(id));
    let has_size = kind == ProfileKind::Device;
    let name = match kind {
        ProfileKind::Device => say("label-device"),
        ProfileKind::Host => say("label-host"),
    };
    let mut columns = vec![Column::words(&name)];
    columns.extend(has_size.then(|| Column::number(&say("label-size"))));
    let others = ["profile-basis", "profile-from", "label-description"];
    columns.extend(others.map(|id| Column::words(&say(id))));
    let mut table = Table::new(columns).bare();
    for line in lines {
        let from = match line.place {
            ProfilePlace::Shipped => say("profile-shipped"),
            ProfilePlace::Named | ProfilePlace::Study => line.file.clone(),
        };
        let basis = match line.basis {
            Some(basis) => view.say(&basis.message()),
            None => say("profile-basis-none"),
        };
        let size = line.capacity_bytes.map(disk_size);
        let size = size.map_or_else(|| "-".to_owned(), |size| view.show(&size));
        let mut fields = vec![Field::styled(BOLD, &line.name)];
        fields.extend(has_size.then(|| Field::plain(size)));
        fields.extend([
            Field::plain(basis),
            Field::styled(DIM, from),
            Field::plain(&line.description),
        ]);
        table.row(fields);
    }
    table.finish(view)
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
    use crate::style::without_styles;

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
        .assert_eq(&without_styles(&profiles(&lines, german)));
    }
}
