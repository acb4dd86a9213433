//! A calibration: the profiles, how well they reproduce the measured points, and the
//! basis of both.

pub mod warnings;

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Sentence, Table, Tone};
use stripewise_calibrate::points::Point;
use stripewise_calibrate::points_of_run::Spread;
use stripewise_calibrate::report::{
    CalibrationReport, FittedDevice, FittedRow, HostParameter, Residual, UsedFor,
};
use stripewise_catalogue::{Argument, Message};
use stripewise_results::RunId;
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{NextMeasurement, as_f64};
use stripewise_units::Bytes;

use crate::change::signed;
use crate::numbers::mib_per_s;

/// An error from here on is marked.
const BAD_ERROR: f64 = 0.1;

/// A written file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenProfile {
    /// `device` or `host`.
    pub kind: &'static str,
    /// The name of the profile.
    pub name: String,
    /// Its path.
    pub path: String,
}

/// A calibration as one document, printed by `--json`.
#[derive(Debug, Serialize)]
pub struct Calibrated<'a> {
    /// The version of this document's format.
    pub schema: u32,
    /// The study.
    pub study: &'a str,
    /// The source of the points.
    pub source: &'a str,
    /// The run they come from, if they come from one.
    pub run: Option<RunId>,
    /// The written files.
    pub files: Vec<WrittenProfile>,
    /// The uncertainty of the points; empty if unknown.
    pub spreads: Vec<Spread>,
    /// Cells of the run that are no points, and why.
    pub left_out: Vec<Message>,
    /// Warnings.
    pub warnings: Vec<Message>,
    /// How well the profiles reproduce the points.
    pub report: &'a CalibrationReport,
    /// The points, as in the residuals of the report.
    #[serde(skip)]
    pub points: &'a [Point],
    /// The measurement that would narrow predictions of arrays most; `None` if none would by much.
    pub next_measurement: Option<NextMeasurement>,
    /// The same in a sentence.
    #[serde(skip)]
    pub next_measurement_words: Option<Message>,
    /// A suggested next command.
    pub next: String,
}

impl Calibrated<'_> {
    /// Returns the whole report.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = heading(self);
        blocks.extend([
            residuals(self).into(),
            Block::Gap,
            errors(self.report).into(),
        ]);
        for fit in &self.report.fits {
            blocks.extend([Block::Gap, fitted(fit).into()]);
        }
        blocks.extend(
            host(self.report)
                .into_iter()
                .flat_map(|host| [Block::Gap, host]),
        );
        blocks.extend(list("calibrate-assumed", &self.report.assumptions));
        blocks.extend(list("calibrate-no-points", &self.left_out));
        for warning in &self.warnings {
            let head = Message::new("calibrate-warning");
            let parts: [Argument; 2] = [head.into(), warning.clone().into()];
            let warning = Sentence::of(parts).tone(Tone::Warn).by_head();
            blocks.extend([Block::Gap, warning.into()]);
        }
        let measurement = self.next_measurement_words.iter().cloned();
        blocks.extend(measurement.flat_map(|words| [Block::Gap, Block::say(words)]));
        blocks.extend([
            Block::Gap,
            Block::toned(Tone::Dim, Message::new("calibrate-next")),
            Block::Code(format!("  {}", self.next)),
        ]);
        blocks
    }
}

fn heading(calibrated: &Calibrated) -> Vec<Block> {
    let names = calibrated.files.iter().map(|file| &file.name);
    let title = Message::new("calibrate-heading")
        .count("count", calibrated.files.len())
        .with("names", Argument::list(names.cloned().map(Argument::Name)));
    let from = [
        Message::new("calibrate-points")
            .count("count", calibrated.points.len())
            .name("source", calibrated.source),
        Message::new("calibrate-study").name("study", calibrated.study),
    ];
    let columns = [
        ("kind", "calibrate-made"),
        ("name", "calibrate-name"),
        ("path", "calibrate-file"),
    ];
    let columns = columns.map(|(key, id)| Column::words(key, Message::new(id)));
    let mut table = Table::new("files", columns);
    for file in &calibrated.files {
        let kind = match file.kind {
            "device" => Message::new("label-device"),
            _ => Message::new("label-host"),
        };
        table.row([
            Cell::of(kind),
            Cell::name(&file.name).tone(Tone::Strong),
            Cell::name(&file.path),
        ]);
    }
    vec![
        Block::heading(title),
        Sentence::remarks(from).tone(Tone::Dim).into(),
        Block::Gap,
        table.into(),
        Block::Gap,
    ]
}

/// Returns the load of a point: `randwrite, 4K, depth 32`.
fn load(point: &Point) -> Argument {
    let mut parts: Vec<Argument> = vec![
        Argument::Name(pattern(point)),
        Argument::Name(Bytes::new(point.block_size_bytes).to_string()),
    ];
    for (axis, count) in [(Axis::Jobs, point.jobs), (Axis::Depth, point.depth)] {
        parts.extend((count > 1).then(|| axis.named(count.to_string())));
    }
    Argument::list(parts)
}

/// Returns the pattern of a point as a study writes it: `randrw 70/30`, `randwrite fsync 1`; with the
/// side that it measures: `randrw 70/30 read`.
fn pattern(point: &Point) -> String {
    let mut text = point.pattern.to_string();
    if let Some(percent) = point.read_percent {
        text.push_str(&format!(" {percent}/{}", 100_u8.saturating_sub(percent)));
    }
    if let Some(side) = point.side {
        text.push_str(&format!(" {}", side.as_str()));
    }
    if let Some(every) = point.fsync_every {
        text.push_str(&format!(" fsync {every}"));
    }
    text
}

/// The columns that some points differ in; others are left out.
#[derive(Clone, Copy)]
struct Shown {
    file: bool,
    jobs: bool,
    depth: bool,
}

fn residuals(calibrated: &Calibrated) -> Table {
    let rows = &calibrated.report.residuals;
    let file_of = |row: &Residual| {
        let of_line = calibrated
            .points
            .iter()
            .find(|point| point.line == row.line);
        of_line.and_then(|point| point.file_size_bytes)
    };
    let shown = Shown {
        file: rows
            .windows(2)
            .any(|pair| file_of(&pair[0]) != file_of(&pair[1])),
        jobs: rows.iter().any(|row| row.jobs > 1),
        depth: rows.iter().any(|row| row.depth > 1),
    };
    let mut table = Table::new("residuals", residual_columns(shown));
    let rate = |rate: f64| Cell::digits(mib_per_s(rate)).exact(rate);
    for row in rows {
        let mut points = calibrated.points.iter();
        let of_line = points.find(|point| point.line == row.line);
        let pattern = of_line.map_or_else(|| row.pattern.to_owned(), pattern);
        let bytes = |bytes: u64| Cell::name(Bytes::new(bytes)).exact(as_f64(bytes));
        let mut cells = vec![
            Cell::name(&row.stack),
            Cell::name(&pattern),
            bytes(row.block_size_bytes),
        ];
        cells.extend(
            shown
                .file
                .then(|| file_of(row).map(bytes).unwrap_or_default()),
        );
        cells.extend(shown.jobs.then(|| Cell::name(row.jobs)));
        cells.extend(shown.depth.then(|| Cell::name(row.depth)));
        cells.extend([
            rate(row.measured_bytes_per_s),
            Cell::of(Argument::quantity(
                mib_per_s(row.simulated_bytes_per_s),
                "MiB/s",
            ))
            .exact(row.simulated_bytes_per_s)
            .tone(Tone::Strong),
            error(row),
            Cell::of(used_for(row.used_for)).tone(Tone::Dim),
        ]);
        table.row(cells);
    }
    table
}

fn residual_columns(shown: Shown) -> Vec<Column> {
    let number = |key: &'static str, id: &'static str| Column::number(key, Message::new(id));
    let mut columns = vec![
        Column::group("stack", Axis::Stack.message()),
        Column::group("pattern", Message::new("calibrate-pattern")),
        number("block_size_bytes", "label-size"),
    ];
    let file = || number("file_size_bytes", "calibrate-file-size");
    columns.extend(shown.file.then(file));
    columns.extend(
        shown
            .jobs
            .then(|| Column::number("jobs", Axis::Jobs.message())),
    );
    columns.extend(
        shown
            .depth
            .then(|| Column::number("depth", Axis::Depth.message())),
    );
    columns.extend([
        number("measured_bytes_per_s", "calibrate-measured").unit("MiB/s"),
        number("simulated_bytes_per_s", "calibrate-simulated"),
        number("error", "calibrate-error"),
        Column::words("used_for", Message::new("calibrate-used-for")),
    ]);
    columns
}

fn used_for(used_for: UsedFor) -> Message {
    Message::new(match used_for {
        UsedFor::Device => "label-device",
        UsedFor::Host => "label-host",
        UsedFor::Check => "calibrate-used-check",
    })
}

fn error(row: &Residual) -> Cell {
    let error = Argument::quantity(signed(row.error * 100.0, 1), "%");
    let tone = match row.error.abs() >= BAD_ERROR {
        true => Tone::Warn,
        false => Tone::Plain,
    };
    Cell::of(error).exact(row.error).tone(tone)
}

fn errors(report: &CalibrationReport) -> Table {
    let mut table = Table::new(
        "errors",
        [
            Column::words("mean_error_of", Message::new("calibrate-mean-error"))
                .named(Message::new("calibrate-mean-error-name")),
            Column::words("of", Argument::Name(String::new())).named(Message::new("calibrate-of")),
            Column::number("points", Message::new("calibrate-points-head")),
            Column::number("error", Message::new("calibrate-error")),
        ],
    );
    let mut row = |what: &'static str, of: Cell, points: usize, error: f64| {
        let shown = Argument::quantity(format!("{:.1}", error * 100.0), "%");
        table.row([
            Cell::of(Message::new(what)),
            of,
            Cell::name(points).tone(Tone::Dim),
            Cell::of(shown).exact(error).tone(Tone::Strong),
        ]);
    };
    for group in &report.groups {
        let what = match group.used_for {
            UsedFor::Device => "calibrate-error-device",
            UsedFor::Host => "calibrate-error-host",
            UsedFor::Check => "calibrate-error-check",
        };
        let of = Cell::name(group.pattern);
        row(what, of, group.points, group.mean_absolute_error);
    }
    for (pattern, errors) in errors_before(report) {
        let mean = mean(&errors).unwrap_or_default();
        row(
            "calibrate-error-before",
            Cell::name(pattern),
            errors.len(),
            mean,
        );
    }
    type LeftOut = (bool, f64);
    let curves = report.left_out_of_curves.iter();
    let curves: Vec<LeftOut> = curves.map(|one| (one.is_extrapolated, one.error)).collect();
    let loads = report.left_out_of_loads.iter();
    let loads: Vec<LeftOut> = loads.map(|one| (one.is_extrapolated, one.error)).collect();
    let part = |all: &[LeftOut], extrapolated| {
        let part = all.iter().filter(|(is, _)| *is == extrapolated);
        part.map(|(_, error)| error.abs()).collect::<Vec<f64>>()
    };
    let host = report.left_out_of_host.iter();
    let of_fits = report.fits.iter().flat_map(|fit| &fit.rows);
    let of_fits = of_fits.filter_map(|row| Some(row.left_out?.abs()));
    let left_out = [
        ("label-device", of_fits.collect()),
        ("calibrate-between", part(&curves, false)),
        ("calibrate-beyond", part(&curves, true)),
        ("calibrate-between-loads", part(&loads, false)),
        ("calibrate-beyond-loads", part(&loads, true)),
        ("label-host", host.map(|row| row.error.abs()).collect()),
    ];
    for (of, errors) in left_out {
        if let Some(mean) = mean(&errors) {
            let of = Cell::of(Message::new(of));
            row("calibrate-error-left-out", of, errors.len(), mean);
        }
    }
    table
}

fn mean(errors: &[f64]) -> Option<f64> {
    let count = u32::try_from(errors.len())
        .ok()
        .filter(|count| *count > 0)?;
    Some(errors.iter().sum::<f64>() / f64::from(count))
}

/// Returns the errors of the profiles that fits started from, by pattern.
fn errors_before(report: &CalibrationReport) -> BTreeMap<&'static str, Vec<f64>> {
    let mut errors: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for FittedRow { line, before, .. } in report.fits.iter().flat_map(|fit| &fit.rows) {
        let of_line = report.residuals.iter().find(|row| row.line == *line);
        let pattern = of_line.map_or("", |row| row.pattern);
        errors.entry(pattern).or_default().push(before.abs());
    }
    errors
}

/// Returns the numbers of a simulated device, before the fit and after it.
fn fitted(fit: &FittedDevice) -> Table {
    let name = Message::new("calibrate-device").name("device", &fit.device);
    let mut table = Table::new(
        "fitted",
        [
            Column::words("key", name),
            Column::number("before", Argument::Name(fit.like.clone())),
            Column::number("after", Message::new("calibrate-fitted")),
            Column::words("interval", Message::new("calibrate-interval")),
        ],
    );
    for parameter in &fit.parameters {
        let value = |value: f64| Cell::of(quantity(parameter.key, value)).exact(value);
        let interval = match parameter.interval {
            None => Cell::of(Message::new("calibrate-unknown")).tone(Tone::Warn),
            Some([least, most]) => Cell::of(
                Message::new("calibrate-from-to")
                    .with("least", quantity(parameter.key, least))
                    .with("most", quantity(parameter.key, most)),
            ),
        };
        table.row([
            Cell::name(parameter.key),
            value(parameter.before),
            value(parameter.after).tone(Tone::Strong),
            interval,
        ]);
    }
    table
}

/// Returns a number of a profile with the unit that its key ends in.
fn quantity(key: &str, value: f64) -> Argument {
    if key.ends_with("bytes_per_s") {
        return Metric::Bandwidth.quantity(value);
    }
    if key.ends_with("_ns") {
        return Metric::LatencyMean.quantity(value);
    }
    let digits = match key.ends_with("_bytes") {
        true => return Argument::quantity(format!("{:.1}", value / 1_048_576.0), "MiB"),
        false => format!("{value:.1}"),
    };
    let digits = digits.trim_end_matches(".0").to_owned();
    match key.ends_with("_percent") {
        true => Argument::quantity(digits, "%"),
        false => Argument::Digits(digits),
    }
}

fn host(report: &CalibrationReport) -> Option<Block> {
    let is_only_checked = |row: &Residual| row.used_for == UsedFor::Check;
    if !report.fits.is_empty() && report.residuals.iter().any(is_only_checked) {
        return None;
    }
    if report.host_parameters.is_empty() {
        // A warning tells of a new adapter in it.
        if report.adapters.iter().any(|one| one.is_certain) {
            return None;
        }
        let message = Message::new("calibrate-host-kept").name("host", &report.host);
        return Some(Block::say(message));
    }
    let nameless = || Argument::Name(String::new());
    let name = Message::new("calibrate-host").name("host", &report.host);
    let columns = [
        Column::words("key", name),
        Column::number("value", nameless()),
        Column::words("is_identified", nameless()),
    ];
    let mut table = Table::new("host", columns);
    for parameter in &report.host_parameters {
        let (tone, identified) = match parameter.is_identified {
            true => (Tone::Plain, "calibrate-identified"),
            false => (Tone::Warn, "calibrate-not-identified"),
        };
        let value = Cell::of(parameter_value(parameter)).tone(Tone::Strong);
        table.row([
            Cell::name(parameter.key),
            match parameter.value {
                Some(exact) => value.exact(as_f64(exact)),
                None => value.exact(f64::INFINITY),
            },
            Cell::of(Message::new(identified)).tone(tone),
        ]);
    }
    Some(table.into())
}

fn parameter_value(parameter: &HostParameter) -> Argument {
    let Some(value) = parameter.value else {
        return Message::new("calibrate-no-limit").into();
    };
    let small = |value: u64| u32::try_from(value).map_or(f64::INFINITY, f64::from);
    match parameter.key.ends_with("_ns") {
        true => quantity(parameter.key, small(value)),
        false => quantity(parameter.key, small(value >> 10) * 1024.0),
    }
}

fn list(title: &'static str, sentences: &[Message]) -> Vec<Block> {
    if sentences.is_empty() {
        return Vec::new();
    }
    let sentences = sentences.iter().cloned().map(Argument::from);
    vec![
        Block::Gap,
        Block::toned(Tone::Dim, Message::new(title)),
        Block::List(sentences.collect()),
    ]
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
