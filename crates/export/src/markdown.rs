//! Runs as Markdown tables for tickets, in GitHub's flavour.
//!
//! The question and the answer come first, then a table of the cells with their intervals, then the
//! machine, the warnings, and the command to repeat it. The source is aligned too, so that it is
//! readable where it is not rendered. Text from outside is escaped: see `docs/export.md`.

use stripewise_catalogue::Words;
use stripewise_report::change::difference;
use stripewise_report::document::{CellPart, Document, ShownWarning};
use stripewise_report::names::Names;
use stripewise_report::run::{machine, short_estimate};
use stripewise_results::RunState;
use stripewise_study::metric::Metric;
use stripewise_units::mark::begins_with;
use unicode_width::UnicodeWidthStr;

use crate::cuts;
use crate::text::{markdown, markdown_code};

/// Our first line, up to the version and behind it; invisible when it is rendered.
const MARK: (&str, &str) = ("<!-- Made by `stripewise export` ", ". -->\n\n## ");

/// Returns whether a file that begins with these bytes is ours.
pub fn is_ours(head: &[u8]) -> bool {
    begins_with(head, MARK.0, MARK.1)
}

/// The metrics that become columns if any cell has them, with their headings.
const COLUMNS: [(Metric, &str); 6] = [
    (Metric::Bandwidth, "bandwidth"),
    (Metric::Iops, "I/Os per second"),
    (Metric::LatencyP50, "p50"),
    (Metric::LatencyP99, "p99"),
    (Metric::LatencyP999, "p99.9"),
    (Metric::SyncLatencyP99, "sync p99"),
];

/// Returns runs as Markdown, one section each, whose heading follows a `## `.
pub fn write(documents: &[&Document]) -> String {
    let sections: Vec<String> = documents.iter().map(|document| section(document)).collect();
    let version = env!("CARGO_PKG_VERSION");
    format!("{}{version}{}{}", MARK.0, MARK.1, sections.join("\n## "))
}

fn section(document: &Document) -> String {
    let run = &document.run;
    let names = document.names();
    let mut parts = vec![markdown(&document.title())];
    parts.extend(unfinished(run.state).map(str::to_owned));
    parts.extend(verdicts(document, &names));
    let shared = document.shared(&names);
    parts.extend(shared.map(|shared| markdown(&shared.in_english())));
    match cuts::in_markdown(document, &names) {
        Some((rows, advice)) => {
            parts.extend(advice);
            parts.push(aligned(&rows, |at| at >= names.axes.len()));
        }
        None => parts.push(table(document, &names)),
    }
    parts.push(about(document));
    parts.extend(warnings(document, &names));
    if let Some(command) = document.repeat_command() {
        parts.push(format!("To repeat it:\n\n{}", block(&command)));
    }
    parts.join("\n\n") + "\n"
}

const fn unfinished(state: RunState) -> Option<&'static str> {
    match state {
        RunState::Done => None,
        RunState::Running => Some("**This run is still running.**"),
        RunState::Interrupted => Some("**This run was interrupted.**"),
        RunState::Failed => Some("**This run failed.**"),
    }
}

/// Returns a table of the differences between cells and their baselines.
fn verdicts(document: &Document, names: &Names) -> Option<String> {
    let name = |cell: &CellPart| markdown_code(&names.name(&cell.cell()));
    let heads = ["cell", "against", "difference", "verdict"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for cell in names.order.iter().map(|index| &document.cells[*index]) {
        rows.extend(cell.verdicts.iter().filter_map(|verdict| {
            let baseline = document.cells.get(verdict.baseline)?;
            Some(vec![
                name(cell),
                name(baseline),
                format!("**{}**", markdown(&difference(&verdict.ratio).in_english())),
                markdown(&verdict.words),
            ])
        }));
    }
    (rows.len() > 1).then(|| aligned(&rows, |_| false))
}

fn table(document: &Document, names: &Names) -> String {
    let axes = &names.axes;
    let metrics: Vec<_> = COLUMNS
        .into_iter()
        .filter(|(metric, _)| {
            let mut cells = document.cells.iter();
            cells.any(|cell| cell.estimate(*metric).is_some())
        })
        .collect();
    let heads = axes
        .iter()
        .map(|axis| markdown(&axis.message().in_english()));
    let heads = heads.chain(metrics.iter().map(|column| column.1.to_owned()));
    let mut rows = vec![heads.chain(["samples".to_owned()]).collect::<Vec<_>>()];
    for cell in names.order.iter().map(|index| &document.cells[*index]) {
        let values = axes
            .iter()
            .map(|axis| match names.value(&cell.cell(), *axis) {
                none if none == "-" => String::new(),
                value => markdown(&value),
            });
        let estimates = metrics.iter().map(|(metric, _)| {
            let estimate = cell.estimate(*metric);
            estimate.map_or_else(String::new, |estimate| {
                short_estimate(*metric, estimate).in_english()
            })
        });
        let counted = cell.counted().to_string();
        rows.push(values.chain(estimates).chain([counted]).collect());
    }
    aligned(&rows, |at| at >= axes.len())
}

/// Returns rows as a table that lines up in its source; columns for which
/// `is_number` are flush right.
pub(crate) fn aligned(rows: &[Vec<String>], is_number: impl Fn(usize) -> bool) -> String {
    let column_count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..column_count)
        .map(|column| {
            let fields = rows.iter().filter_map(|row| row.get(column));
            fields.map(|field| field.width()).max().unwrap_or(0).max(3)
        })
        .collect();
    let line = |fields: &[String]| {
        let fields = fields.iter().zip(&widths).enumerate();
        let padded = fields.map(|(column, (field, width))| {
            let missing = " ".repeat(width.saturating_sub(field.width()));
            match !is_number(column) {
                true => format!(" {field}{missing} "),
                false => format!(" {missing}{field} "),
            }
        });
        format!("|{}|", padded.collect::<Vec<_>>().join("|"))
    };
    let rule = widths
        .iter()
        .enumerate()
        .map(|(column, width)| match !is_number(column) {
            true => "-".repeat(*width),
            false => "-".repeat(width - 1) + ":",
        });
    let rule: Vec<String> = rule.collect();
    let mut lines: Vec<String> = rows.iter().map(|row| line(row)).collect();
    lines.insert(lines.len().min(1), line(&rule));
    lines.join("\n")
}

/// Returns facts about the measurement, in small print.
fn about(document: &Document) -> String {
    let run = &document.run;
    let mut parts = vec![
        format!("run {}", run.id),
        format!("world {}", markdown(run.origin.as_str())),
    ];
    if let Some(model) = &run.model {
        parts.push(format!(
            "kernel rules {}",
            markdown(&model.rules_in_words())
        ));
        parts.push(format!("host profile {}", markdown_code(&model.host)));
        let devices = model.devices.iter().map(|device| markdown_code(device));
        let devices = devices.collect::<Vec<_>>().join(", ");
        parts.push(format!("device profiles {devices}"));
    }
    if let Some(target) = &document.facts.target {
        let mut text = markdown_code(&target.path);
        let filesystem = target.filesystem.iter().chain(&target.source);
        for fact in filesystem {
            text.push(' ');
            text.push_str(&markdown_code(fact));
        }
        parts.push(text);
    }
    parts.push(format!(
        "{} of {} samples count",
        run.samples_counted, run.samples_all
    ));
    let machine = machine(document);
    parts.extend(machine.iter().map(|part| markdown(&part.in_english())));
    format!(
        "<sub>{}. Each ± reaches to the farther end of the 95 % interval of the median.</sub>",
        parts.join(" · ")
    )
}

/// Returns a list of the warnings.
fn warnings(document: &Document, names: &Names) -> Option<String> {
    let line = |place: Option<String>, noticed: &ShownWarning| {
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        let message = markdown(&noticed.message);
        let samples = match noticed.samples {
            0 => String::new(),
            1 => " (1 sample)".to_owned(),
            count => format!(" ({count} samples)"),
        };
        let worthless = match noticed.invalidates {
            true => "; not counted",
            false => "",
        };
        format!("- {place}{message}{samples}{worthless}")
    };
    let of_run = document.warnings.iter().map(|noticed| line(None, noticed));
    let cells = names.order.iter().map(|index| &document.cells[*index]);
    let of_cells = cells.flat_map(|cell| {
        let place = markdown_code(&names.name(&cell.cell()));
        cell.warnings
            .iter()
            .map(move |noticed| line(Some(place.clone()), noticed))
    });
    let lines: Vec<String> = of_run.chain(of_cells).collect();
    (!lines.is_empty()).then(|| format!("Warnings:\n\n{}", lines.join("\n")))
}

/// Returns a block of code, fenced by more backticks than a line of it can begin with.
pub(crate) fn block(text: &str) -> String {
    let fence = "`".repeat(3 + text.matches('`').count());
    format!("{fence}sh\n{text}\n{fence}")
}
