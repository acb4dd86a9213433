//! A calibration for a terminal: the profiles, how well they reproduce the measured points, and the
//! basis of both.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::Style;
use serde::{Serialize, Serializer};
use stripewise_calibrate::points::Point;
use stripewise_calibrate::points_of_run::Spread;
use stripewise_calibrate::report::{
    CalibrationReport, FittedDevice, FittedRow, HostParameter, Residual, UsedFor,
};
use stripewise_catalogue::{Argument, Message, Words};
use stripewise_results::RunId;
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;
use stripewise_study::sample::NextMeasurement;
use stripewise_units::Bytes;
use unicode_width::UnicodeWidthStr;

use crate::numbers::mib_per_s;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, dimmed, paint, painted, strip_control, wrapped};
use crate::view::View;

/// A point with a wider interval than this on a side gets a warning.
const WIDE: f64 = 0.1;
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
    #[serde(serialize_with = "with_words")]
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

/// Serializes a report with its assumptions in English.
fn with_words<S: Serializer>(report: &CalibrationReport, serializer: S) -> Result<S::Ok, S::Error> {
    report.in_words(Words::in_english).serialize(serializer)
}

/// Returns a warning about the points that vary much; `None` if none does.
pub fn spread_warning(spreads: &[Spread], points: &[Point]) -> Option<Message> {
    let wide = |spread: &&Spread| spread.relative_half_width.is_none_or(|half| half > WIDE);
    let wide: Vec<&Spread> = spreads.iter().filter(wide).collect();
    let worst = wide.iter().max_by(|one, two| {
        let half = |spread: &Spread| spread.relative_half_width.unwrap_or(f64::INFINITY);
        half(one).total_cmp(&half(two))
    })?;
    let of_line = points.iter().find(|point| point.line == worst.line);
    let load = of_line.map_or(Argument::Name(String::new()), load);
    let message = match worst.relative_half_width {
        Some(half) => Message::new("calibrate-spread").percent("half", half),
        None => Message::new("calibrate-spread-no-interval").count("samples", worst.samples),
    };
    Some(
        message
            .count("wide", wide.len())
            .digits("points", spreads.len())
            .percent("limit", WIDE)
            .with("load", load),
    )
}

/// Returns the whole report.
pub fn report(calibrated: &Calibrated, view: View) -> String {
    let mut text = heading(calibrated, view);
    text.push_str(&residuals(calibrated, view));
    text.push('\n');
    text.push_str(&errors(calibrated.report, view));
    for fit in &calibrated.report.fits {
        text.push_str(&fitted(fit, view));
    }
    text.push_str(&host(calibrated.report, view));
    let assumptions = &calibrated.report.assumptions;
    text.push_str(&list("calibrate-assumed", assumptions, view));
    text.push_str(&list("calibrate-no-points", &calibrated.left_out, view));
    text.push_str(&warnings(calibrated, view));
    if let Some(words) = &calibrated.next_measurement_words {
        text.push('\n');
        text.push_str(&wrapped(&strip_control(&view.say(words)), "", view));
    }
    let next = view.say(&Message::new("calibrate-next"));
    writeln!(text, "\n{}", paint(DIM, &next)).expect("strings take everything");
    text.push_str(&format!("  {}\n", strip_control(&calibrated.next)));
    text
}

fn warnings(calibrated: &Calibrated, view: View) -> String {
    let head = view.say(&Message::new("calibrate-warning"));
    let indent = " ".repeat(head.width() + 1);
    let mut text = String::new();
    for warning in &calibrated.warnings {
        let warning = strip_control(&format!("{head} {}", view.say(warning)));
        let warning = wrapped(&warning, &indent, view);
        text.push('\n');
        text.push_str(&warning.replacen(&head, &paint(WARN, &head), 1));
    }
    text
}

fn heading(calibrated: &Calibrated, view: View) -> String {
    let names = calibrated.files.iter().map(|file| &file.name);
    let title = Message::new("calibrate-heading")
        .count("count", calibrated.files.len())
        .with("names", Argument::list(names.cloned().map(Argument::Name)));
    let mut text = painted(BOLD, &view.say(&title), view);
    let from = [
        Message::new("calibrate-points")
            .count("count", calibrated.points.len())
            .name("source", calibrated.source),
        Message::new("calibrate-study").name("study", calibrated.study),
    ];
    let from = from.map(|message| view.say(&message));
    text.push_str(&dimmed(&from.join(view.separator()), view));
    text.push('\n');
    let heads = ["calibrate-made", "calibrate-name", "calibrate-file"];
    let heads = heads.map(|id| Column::words(&view.say(&Message::new(id))));
    let mut table = Table::new(heads);
    for file in &calibrated.files {
        let kind = match file.kind {
            "device" => Message::new("label-device"),
            _ => Message::new("label-host"),
        };
        table.row(vec![
            Field::plain(view.say(&kind)),
            Field::styled(BOLD, &file.name),
            Field::plain(&file.path),
        ]);
    }
    text.push_str(&table.finish(view));
    text.push('\n');
    text
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

fn residuals(calibrated: &Calibrated, view: View) -> String {
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
    let digits = |digits: String| view.show(&Argument::Digits(digits));
    let mut table = Table::new(residual_columns(shown, view));
    let mut before = (String::new(), String::new());
    for row in rows {
        let mut points = calibrated.points.iter();
        let of_line = points.find(|point| point.line == row.line);
        let pattern = of_line.map_or_else(|| row.pattern.to_owned(), pattern);
        let is_new_stack = row.stack != before.0;
        let is_new_pattern = is_new_stack || pattern != before.1;
        let group = |is_new: bool, text: &str| Field::plain(text).repeated(!is_new);
        let mut fields = vec![
            group(is_new_stack, &row.stack),
            group(is_new_pattern, &pattern),
            Field::plain(Bytes::new(row.block_size_bytes).to_string()),
        ];
        let file = file_of(row).map_or(String::new(), |bytes| Bytes::new(bytes).to_string());
        fields.extend(shown.file.then(|| Field::plain(file)));
        fields.extend(shown.jobs.then(|| Field::plain(row.jobs.to_string())));
        fields.extend(shown.depth.then(|| Field::plain(row.depth.to_string())));
        fields.extend([
            Field::plain(digits(mib_per_s(row.measured_bytes_per_s))),
            Field::styled(BOLD, digits(mib_per_s(row.simulated_bytes_per_s))),
            // A sentence states the unit after the number.
            Field::styled(DIM, if view.is_plain() { "" } else { "MiB/s" }),
            error(row, view),
            Field::styled(DIM, view.say(&used_for(row.used_for))),
        ]);
        table.row(fields);
        before = (row.stack.clone(), pattern);
    }
    table.finish(view)
}

fn residual_columns(shown: Shown, view: View) -> Vec<Column> {
    let say = |message: Message| view.say(&message);
    let id = |id: &'static str| say(Message::new(id));
    let mut columns = vec![
        Column::group(&say(Axis::Stack.message())),
        Column::group(&id("calibrate-pattern")),
        Column::number(&id("label-size")),
    ];
    let axis = |axis: Axis| Column::number(&say(axis.message()));
    columns.extend(
        shown
            .file
            .then(|| Column::number(&id("calibrate-file-size"))),
    );
    columns.extend(shown.jobs.then(|| axis(Axis::Jobs)));
    columns.extend(shown.depth.then(|| axis(Axis::Depth)));
    columns.extend([
        Column::number(&id("calibrate-measured")).unit("MiB/s"),
        Column::number(&id("calibrate-simulated")).unit("MiB/s"),
        Column::words(""),
        Column::number(&id("calibrate-error")),
        Column::words(&id("calibrate-used-for")),
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

fn error(row: &Residual, view: View) -> Field {
    let error = Argument::quantity(format!("{:+.1}", row.error * 100.0), "%");
    match row.error.abs() >= BAD_ERROR {
        true => Field::styled(WARN, view.show(&error)),
        false => Field::plain(view.show(&error)),
    }
}

fn errors(report: &CalibrationReport, view: View) -> String {
    let say = |id: &'static str| view.say(&Message::new(id));
    let mut table = Table::new([
        Column::words(&say("calibrate-mean-error")).named(&say("calibrate-mean-error-name")),
        Column::words("").named(&say("calibrate-of")),
        Column::number(&say("calibrate-points-head")),
        Column::number(&say("calibrate-error")),
    ]);
    let mut row = |what: &'static str, of: String, points: usize, error: f64| {
        let error = Argument::quantity(format!("{:.1}", error * 100.0), "%");
        table.row(vec![
            Field::plain(say(what)),
            Field::plain(of),
            Field::styled(DIM, points.to_string()),
            Field::styled(BOLD, view.show(&error)),
        ]);
    };
    for group in &report.groups {
        let what = match group.used_for {
            UsedFor::Device => "calibrate-error-device",
            UsedFor::Host => "calibrate-error-host",
            UsedFor::Check => "calibrate-error-check",
        };
        let of = group.pattern.to_owned();
        row(what, of, group.points, group.mean_absolute_error);
    }
    for (pattern, errors) in errors_before(report) {
        let mean = mean(&errors).unwrap_or_default();
        row(
            "calibrate-error-before",
            pattern.to_owned(),
            errors.len(),
            mean,
        );
    }
    let inner = |extrapolated| {
        let points = report.left_out_of_curves.iter();
        points
            .filter(|point| point.is_extrapolated == extrapolated)
            .map(|point| point.error.abs())
            .collect::<Vec<f64>>()
    };
    let of_loads = |extrapolated| {
        let points = report.left_out_of_loads.iter();
        points
            .filter(|point| point.is_extrapolated == extrapolated)
            .map(|point| point.error.abs())
            .collect::<Vec<f64>>()
    };
    let host = report.left_out_of_host.iter();
    let of_fits = report.fits.iter().flat_map(|fit| &fit.rows);
    let of_fits = of_fits.filter_map(|row| Some(row.left_out?.abs()));
    let left_out = [
        ("label-device", of_fits.collect()),
        ("calibrate-between", inner(false)),
        ("calibrate-beyond", inner(true)),
        ("calibrate-between-loads", of_loads(false)),
        ("calibrate-beyond-loads", of_loads(true)),
        ("label-host", host.map(|row| row.error.abs()).collect()),
    ];
    for (of, errors) in left_out {
        if let Some(mean) = mean(&errors) {
            row("calibrate-error-left-out", say(of), errors.len(), mean);
        }
    }
    table.finish(view)
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
fn fitted(fit: &FittedDevice, view: View) -> String {
    let say = |id: &'static str| view.say(&Message::new(id));
    let name = Message::new("calibrate-device").name("device", &fit.device);
    let mut table = Table::new([
        Column::words(&view.say(&name)),
        Column::number(&fit.like),
        Column::number(&say("calibrate-fitted")),
        Column::words(&say("calibrate-interval")),
    ]);
    for parameter in &fit.parameters {
        let value = |value: f64| view.show(&quantity(parameter.key, value));
        let (after, interval) = match parameter.interval {
            None => {
                let unknown = Field::styled(WARN, say("calibrate-unknown"));
                (value(parameter.after), unknown)
            }
            Some([least, most]) => {
                let range = Message::new("calibrate-from-to")
                    .with("least", quantity(parameter.key, least))
                    .with("most", quantity(parameter.key, most));
                (value(parameter.after), Field::plain(view.say(&range)))
            }
        };
        table.row(vec![
            Field::plain(parameter.key),
            Field::plain(value(parameter.before)),
            Field::styled(BOLD, after),
            interval,
        ]);
    }
    format!("\n{}", table.finish(view))
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

fn host(report: &CalibrationReport, view: View) -> String {
    let is_only_checked = |row: &Residual| row.used_for == UsedFor::Check;
    if !report.fits.is_empty() && report.residuals.iter().any(is_only_checked) {
        return String::new();
    }
    if report.host_parameters.is_empty() {
        // A warning tells of a new adapter in it.
        if report.adapters.iter().any(|one| one.is_certain) {
            return String::new();
        }
        let message = Message::new("calibrate-host-kept").name("host", &report.host);
        return format!("\n{}", wrapped(&view.say(&message), "", view));
    }
    let name = view.say(&Message::new("calibrate-host").name("host", &report.host));
    let mut table = Table::new([Column::words(&name), Column::number(""), Column::words("")]);
    for parameter in &report.host_parameters {
        let (style, identified) = match parameter.is_identified {
            true => (Style::new(), Message::new("calibrate-identified")),
            false => (WARN, Message::new("calibrate-not-identified")),
        };
        table.row(vec![
            Field::plain(parameter.key),
            Field::styled(BOLD, view.show(&parameter_value(parameter))),
            Field::styled(style, view.say(&identified)),
        ]);
    }
    format!("\n{}", table.finish(view))
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

fn list(title: &'static str, sentences: &[Message], view: View) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let title = view.say(&Message::new(title));
    let mut text = format!("\n{}\n", paint(DIM, &title));
    for sentence in sentences {
        let sentence = strip_control(&format!("- {}", view.say(sentence)));
        text.push_str(&wrapped(&sentence, "  ", view));
    }
    text
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
