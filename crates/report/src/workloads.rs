//! The shipped workloads.

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_answer::{Cell, Column, Table, Tone};
use stripewise_catalogue::{Message, shipped};
use stripewise_format::preset::Preset;
use stripewise_study::cell::Axis;
use stripewise_study::plan::Study;
use stripewise_study::workload::{Load, SyncMode, Workload};
use stripewise_units::Bytes;

use crate::names::value_of;

/// A shipped workload on one line; `--json` prints it, too.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkloadLine {
    /// Its name in studies.
    pub name: &'static str,
    /// Its file, relative to the root of the source.
    pub file: &'static str,
    /// What it is.
    pub description: String,
    /// Where its numbers come from.
    pub source: String,
    /// What is assumed.
    pub assumed: Vec<String>,
    /// The workloads that it expands to, with their neighbours.
    pub workloads: Vec<Workload>,
}

impl WorkloadLine {
    /// Returns the line of a shipped workload; `study` is [`Preset::study`], parsed.
    pub fn new(preset: &Preset, study: &Study) -> Self {
        let cells = study.cells.iter();
        Self {
            name: preset.name,
            file: preset.file,
            description: preset.description(),
            source: preset.source(),
            assumed: preset.assumed(),
            workloads: cells.map(|cell| cell.workload.clone()).collect(),
        }
    }

    fn loads(&self) -> impl Iterator<Item = &Load> {
        self.workloads.iter().map(|workload| &workload.load)
    }

    /// Returns the patterns, with the mix of a mixed one unless there are several.
    fn patterns(&self) -> String {
        let mixes: BTreeSet<_> = self.loads().filter_map(|load| load.read_percent).collect();
        listed(self.loads().map(|load| match load.read_percent {
            Some(reads) if mixes.len() == 1 => {
                format!("{} {reads}/{}", load.pattern, 100_u8.saturating_sub(reads))
            }
            _ => load.pattern.to_string(),
        }))
    }

    /// Returns the size of its I/Os, or the smallest and the largest.
    fn block_sizes(&self) -> String {
        let sizes = self.loads().flat_map(|load| load.block_size.sizes());
        let mut sizes: Vec<Bytes> = sizes.collect();
        sizes.sort();
        match (sizes.first(), sizes.last()) {
            (Some(least), Some(most)) if least < most => format!("{least}–{most}"),
            (Some(only), _) => only.to_string(),
            (None, _) => String::new(),
        }
    }

    fn of(&self, value: impl Fn(&Load) -> String) -> String {
        listed(self.loads().map(value))
    }
}

/// Returns the values without repetitions.
fn listed(values: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct.join(", ")
}

/// Returns when a load makes its writes durable, by the key of a study.
fn durable(load: &Load) -> String {
    let every = [
        ("fsync", load.fsync_every),
        ("fdatasync", load.fdatasync_every),
    ];
    let every = every
        .into_iter()
        .filter_map(|(key, every)| Some(format!("{key} {}", every?)));
    let each = (load.sync != SyncMode::None).then(|| load.sync.to_string());
    let words: Vec<String> = every.chain(each).collect();
    match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(", "),
    }
}

/// Returns a table of the shipped workloads, a line for each.
pub fn workloads(lines: &[WorkloadLine]) -> Table {
    let axes = [
        Axis::Workload,
        Axis::Pattern,
        Axis::BlockSize,
        Axis::Depth,
        Axis::Jobs,
        Axis::Sync,
    ];
    let columns = axes.map(|axis| {
        let (key, head) = (axis.key(), axis.message());
        // A narrow terminal shows the pattern and the block size.
        match axis {
            Axis::Workload => Column::words(key, head),
            Axis::Depth | Axis::Jobs => Column::number(key, head).optional(3),
            Axis::Sync => Column::words(key, head).in_one_line().optional(3),
            _ => Column::words(key, head).in_one_line(),
        }
    });
    let description = Column::words("description", Message::new("label-description"));
    let mut table = Table::new("workloads", columns.into_iter().chain([description]));
    for line in lines {
        table.row([
            Cell::name(line.name).tone(Tone::Strong),
            Cell::name(line.patterns()),
            Cell::name(line.block_sizes()),
            Cell::name(line.of(|load| load.depth.to_string())),
            Cell::name(line.of(|load| load.jobs.to_string())),
            value_of(&line.of(durable)),
            Cell::of(shipped(&line.description)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use stripewise_catalogue::Language;
    use stripewise_format::parse;

    use super::*;
    use crate::render::terminal;
    use crate::style::without_styles;
    use crate::view::View;

    #[test]
    fn workloads_are_listed_in_german() {
        let lines = ["oltp", "fileserver", "atto", "mail"].map(|name| {
            let preset = Preset::named(name).unwrap();
            WorkloadLine::new(preset, &parse(name, &preset.study()).unwrap())
        });
        let german = View::drawn(120).in_language(Language::German);
        expect![[r#"
            Last        Zugriffsmuster  Blockgröße  Tiefe  Jobs  sync     Beschreibung
            oltp        randrw 67/33    8K             32     1  -        Transaktionen: zufällige Seiten einer Datenbank zu 8K, ihr
                                                                          Log daneben
            fileserver  randrw 80/20    512–64K        64     1  -        Dateiserver: zufälliges Lesen und Schreiben von 512 Byte
                                                                          bis 64K, 80 % lesend
            atto        read, write     512–8M          4     1  -        ATTO Disk Benchmark: sequenziell, 512 Byte bis 8M bei
                                                                          Tiefe 4
            mail        randrw 50/50    16K             1    16  fsync 1  Mailserver: Lesen von Nachrichten zu 16K, und ein fsync
                                                                          nach jeder geschriebenen
        "#]].assert_eq(&without_styles(&terminal(&[workloads(&lines).into()], german)));
    }
}
