//! A calibration for a terminal: the profiles, how well they reproduce the measured points, and the
//! basis of both.

use std::fmt::Write as _;

use serde::Serialize;
use stripewise_calibrate::points::Point;
use stripewise_calibrate::points_of_run::Spread;
use stripewise_calibrate::report::{HostParameter, Report, Residual, UsedFor};
use stripewise_results::RunId;
use stripewise_study::metric::Metric;
use stripewise_study::units::Bytes;

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
pub struct Written {
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
    pub files: Vec<Written>,
    /// The uncertainty of the points; empty if unknown.
    pub spreads: Vec<Spread>,
    /// Cells of the run that are no points, and why.
    pub left_out: Vec<String>,
    /// Warnings, in sentences.
    pub warnings: Vec<String>,
    /// How well the profiles reproduce the points.
    pub report: &'a Report,
    /// The points, as in the residuals of the report.
    #[serde(skip)]
    pub points: &'a [Point],
    /// A suggested next command.
    pub next: String,
}

/// Returns a warning about the points that vary much; `None` if none does.
pub fn spread_warning(spreads: &[Spread], points: &[Point]) -> Option<String> {
    let wide = |spread: &&Spread| spread.relative_half_width.is_none_or(|half| half > WIDE);
    let wide: Vec<&Spread> = spreads.iter().filter(wide).collect();
    let worst = wide.iter().max_by(|one, two| {
        let half = |spread: &Spread| spread.relative_half_width.unwrap_or(f64::INFINITY);
        half(one).total_cmp(&half(two))
    })?;
    let of_line = points.iter().find(|point| point.line == worst.line);
    let name = of_line.map_or(String::new(), load);
    let how = match worst.relative_half_width {
        Some(half) => format!("±{:.0} %", half * 100.0),
        None => format!("no interval from {} sample(s)", worst.samples),
    };
    Some(format!(
        "{} of {} points vary by more than ±{:.0} % or have too few samples; the worst is {name} with {how}. \
         Profiles made from them are as uncertain",
        wide.len(),
        spreads.len(),
        WIDE * 100.0,
    ))
}

/// Returns the whole report.
pub fn report(calibrated: &Calibrated, view: View) -> String {
    let mut text = heading(calibrated, view);
    text.push_str(&residuals(calibrated, view));
    text.push('\n');
    text.push_str(&errors(calibrated.report, view));
    text.push_str(&host(calibrated.report, view));
    text.push_str(&list("Assumed", &calibrated.report.assumptions, view));
    let left_out = &calibrated.left_out;
    text.push_str(&list("Cells that are no points", left_out, view));
    for warning in &calibrated.warnings {
        let head = paint(WARN, "warning:");
        let warning = wrapped(
            &strip_control(&format!("warning: {warning}")),
            "         ",
            view,
        );
        text.push('\n');
        text.push_str(&warning.replacen("warning:", &head, 1));
    }
    writeln!(text, "\n{}", paint(DIM, "Next:")).expect("strings take everything");
    text.push_str(&format!("  {}\n", strip_control(&calibrated.next)));
    text
}

fn heading(calibrated: &Calibrated, view: View) -> String {
    let made: Vec<&str> = calibrated
        .files
        .iter()
        .map(|file| file.name.as_str())
        .collect();
    let title = match calibrated.files.len() {
        1 => format!("A profile of {}", made.join("")),
        _ => format!("Profiles of {}", made.join(", ")),
    };
    let mut text = painted(BOLD, &title, view);
    let from = [
        format!(
            "from {} points of {}",
            calibrated.points.len(),
            calibrated.source
        ),
        format!("study {}", calibrated.study),
    ];
    text.push_str(&dimmed(&from.join(view.separator()), view));
    text.push('\n');
    let mut table = Table::new(["made", "name", "file"].map(Column::words));
    for file in &calibrated.files {
        table.row(vec![
            Field::plain(file.kind),
            Field::styled(BOLD, &file.name),
            Field::plain(&file.path),
        ]);
    }
    text.push_str(&table.finish(view));
    text.push('\n');
    text
}

/// Returns the load of a point as a study writes it: `randwrite 4K depth 32`.
fn load(point: &Point) -> String {
    let mut text = format!("{} {}", pattern(point), Bytes::new(point.block_size_bytes));
    if point.jobs > 1 {
        text.push_str(&format!(" jobs {}", point.jobs));
    }
    if point.depth > 1 {
        text.push_str(&format!(" depth {}", point.depth));
    }
    text
}

fn pattern(point: &Point) -> String {
    let mut text = point.pattern.to_string();
    if let Some(percent) = point.read_percent {
        text.push_str(&format!(" {percent}/{}", 100_u8.saturating_sub(percent)));
    }
    if let Some(every) = point.fsync_every {
        text.push_str(&format!(" fsync {every}"));
    }
    text
}

fn residuals(calibrated: &Calibrated, view: View) -> String {
    let rows = &calibrated.report.residuals;
    let has_jobs = rows.iter().any(|row| row.jobs > 1);
    let has_depth = rows.iter().any(|row| row.depth > 1);
    let mut columns = vec![
        Column::group("stack"),
        Column::group("pattern"),
        Column::number("size"),
    ];
    columns.extend(has_jobs.then(|| Column::number("jobs")));
    columns.extend(has_depth.then(|| Column::number("depth")));
    columns.extend([
        Column::number("measured").unit("MiB/s"),
        Column::number("simulated").unit("MiB/s"),
        Column::words(""),
        Column::number("error"),
        Column::words("used for"),
    ]);
    let mut table = Table::new(columns);
    let mut before = (String::new(), String::new());
    for row in rows {
        let of_line = calibrated
            .points
            .iter()
            .find(|point| point.line == row.line);
        let pattern = of_line.map_or_else(|| row.pattern.to_owned(), pattern);
        let is_new_stack = row.stack != before.0;
        let is_new_pattern = is_new_stack || pattern != before.1;
        let shown = |is_new: bool, text: &str| Field::plain(text).repeated(!is_new);
        let mut fields = vec![
            shown(is_new_stack, &row.stack),
            shown(is_new_pattern, &pattern),
            Field::plain(Bytes::new(row.block_size_bytes).to_string()),
        ];
        fields.extend(has_jobs.then(|| Field::plain(row.jobs.to_string())));
        fields.extend(has_depth.then(|| Field::plain(row.depth.to_string())));
        fields.extend([
            Field::plain(mib_per_s(row.measured_bytes_per_s)),
            Field::styled(BOLD, mib_per_s(row.simulated_bytes_per_s)),
            // A sentence states the unit after the number.
            Field::styled(DIM, if view.is_plain() { "" } else { "MiB/s" }),
            error(row),
            Field::styled(DIM, row.used_for.as_str()),
        ]);
        table.row(fields);
        before = (row.stack.clone(), pattern);
    }
    table.finish(view)
}

fn error(row: &Residual) -> Field {
    let text = format!("{:+.1} %", row.error * 100.0);
    match row.error.abs() >= BAD_ERROR {
        true => Field::styled(WARN, text),
        false => Field::plain(text),
    }
}

fn errors(report: &Report, view: View) -> String {
    let mut table = Table::new([
        Column::words("mean |error|").named("mean error of what"),
        Column::words("").named("of"),
        Column::number("points"),
        Column::number("error"),
    ]);
    let mut row = |what: &str, of: &str, points: usize, error: f64| {
        table.row(vec![
            Field::plain(what),
            Field::plain(of),
            Field::styled(DIM, points.to_string()),
            Field::styled(BOLD, percent(error)),
        ]);
    };
    for group in &report.groups {
        let what = match group.used_for {
            UsedFor::Device => "used for the device",
            UsedFor::Host => "used for the host",
            UsedFor::Check => "only checked",
        };
        row(what, group.pattern, group.points, group.mean_absolute_error);
    }
    let inner = |extrapolated| {
        let points = report.left_out_of_curves.iter();
        points
            .filter(|point| point.is_extrapolated == extrapolated)
            .map(|point| point.error.abs())
            .collect::<Vec<f64>>()
    };
    let host = report.left_out_of_host.iter();
    let left_out = [
        ("curve, between its others", inner(false)),
        ("curve, beyond its others", inner(true)),
        ("host", host.map(|row| row.error.abs()).collect()),
    ];
    for (of, errors) in left_out {
        if let Some(mean) = mean(&errors) {
            row("left out and predicted", of, errors.len(), mean);
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

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn host(report: &Report, view: View) -> String {
    if report.host_parameters.is_empty() {
        return String::from("\n")
            + &wrapped(
                &format!(
                    "No point measures an array, so the host cannot be calibrated: it keeps profile `{}`.",
                    report.host
                ),
                "",
                view,
            );
    }
    let name = format!("host {}", report.host);
    let mut table = Table::new([Column::words(&name), Column::number(""), Column::words("")]);
    for parameter in &report.host_parameters {
        let identified = match parameter.is_identified {
            true => Field::plain("identified"),
            false => Field::styled(WARN, "not identified by these points"),
        };
        table.row(vec![
            Field::plain(parameter.key),
            Field::styled(BOLD, parameter_value(parameter)),
            identified,
        ]);
    }
    format!("\n{}", table.finish(view))
}

fn parameter_value(parameter: &HostParameter) -> String {
    let Some(value) = parameter.value else {
        return "no limit".to_owned();
    };
    let small = |value: u64| u32::try_from(value).map_or(f64::INFINITY, f64::from);
    match parameter.key.ends_with("_ns") {
        true => Metric::LatencyMean.quantity(small(value)).to_string(),
        false => format!("{} MiB/s", mib_per_s(small(value >> 10) * 1024.0)),
    }
}

fn list(title: &str, sentences: &[String], view: View) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", paint(DIM, title));
    for sentence in sentences {
        text.push_str(&wrapped(
            &strip_control(&format!("- {sentence}")),
            "  ",
            view,
        ));
    }
    text
}
