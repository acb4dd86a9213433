//! Power cuts as columns of samples and cells, as a Markdown table, and as gauges.
//!
//! Runs without power cuts have none of them.

use stripewise_analysis::cuts::{CutLoss, CutShare, CutSummary};
use stripewise_catalogue::{Message, Words};
use stripewise_report::document::{CellPart, Document};
use stripewise_report::names::Names;
use stripewise_report::power_cuts::PowerCuts;
use stripewise_study::cut::{Cut, Loss, Outcome};
use stripewise_study::sample::Sample;

use crate::rows::count;
use crate::table::Table;
use crate::text::markdown;

/// Adds the columns of a table of samples, if any of them is a power cut.
pub(crate) fn of_samples(table: &mut Table, samples: &[&Sample]) {
    let cuts: Vec<Option<&Cut>> = samples.iter().map(|sample| sample.cut.as_ref()).collect();
    if cuts.iter().all(Option::is_none) {
        return;
    }
    let number = |of: fn(&Cut) -> u64| cuts.iter().map(move |cut| Some(of((*cut)?)));
    table.counts("cut_recording", number(|cut| cut.recording));
    table.counts("cut_at_ns", number(|cut| cut.at_ns.as_u64()));
    table.counts("cut_acknowledged", number(|cut| cut.acknowledged));
    table.counts(
        "cut_acknowledged_bytes",
        number(|cut| cut.acknowledged_bytes.as_u64()),
    );
    table.texts(
        "cut_outcome",
        cuts.iter()
            .map(|cut| Some(outcome(&(*cut)?.outcome).to_owned())),
    );
    table.texts(
        "cut_failed_step",
        cuts.iter().map(|cut| match &(*cut)?.outcome {
            Outcome::Unusable(failure) => word(&failure.step),
            _ => None,
        }),
    );
    let lost = |of: fn(&Loss) -> u64| cuts.iter().map(move |cut| Some(of(loss((*cut)?)?)));
    table.counts("cut_lost_records", lost(|loss| loss.records));
    table.counts("cut_lost_bytes", lost(|loss| loss.bytes.as_u64()));
    table.counts("cut_lost_age_ns", lost(|loss| loss.age_ns.as_u64()));
    table.counts("cut_corrupt", lost(|loss| loss.corrupt));
}

fn loss(cut: &Cut) -> Option<&Loss> {
    match &cut.outcome {
        Outcome::CameBack(loss) => Some(loss),
        _ => None,
    }
}

const fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::CameBack(_) => "came_back",
        Outcome::Unusable(_) => "unusable",
        Outcome::Unknown { .. } => "unknown",
    }
}

/// Returns the word for a value in JSON.
fn word(value: &impl serde::Serialize) -> Option<String> {
    let value = serde_json::to_value(value).ok()?;
    value.as_str().map(str::to_owned)
}

/// A proportion of cuts, with its name.
type Share = (&'static str, fn(&CutSummary) -> &CutShare);

const SHARES: [Share; 3] = [
    ("lost", |cuts| &cuts.lost),
    ("unusable", |cuts| &cuts.unusable),
    ("corrupt", |cuts| &cuts.corrupt),
];

/// A loss, with its name.
type Amount = (&'static str, fn(&CutSummary) -> Option<CutLoss>);

const AMOUNTS: [Amount; 2] = [
    ("lost_age_ns", |cuts| cuts.age_ns),
    ("lost_bytes", |cuts| cuts.bytes),
];

/// Adds the columns of a table of cells, if any of them has power cuts.
pub(crate) fn of_cells(table: &mut Table, cells: &[&CellPart]) {
    let cuts: Vec<Option<&CutSummary>> = cells.iter().map(|cell| cell.cuts.as_ref()).collect();
    if cuts.iter().all(Option::is_none) {
        return;
    }
    let number = |of: fn(&CutSummary) -> usize| cuts.iter().map(move |cut| count(of((*cut)?)));
    table.counts("cuts", number(|cuts| cuts.cuts));
    table.counts("cut_recordings", number(|cuts| cuts.recordings));
    table.counts("cuts_unknown", number(|cuts| cuts.unknown));
    for (name, of) in SHARES {
        let shares = || cuts.iter().map(|cut| Some(of((*cut)?)));
        table.counts(
            format!("cuts_{name}"),
            shares().map(|share| count(share?.count)),
        );
        table.counts(
            format!("cuts_{name}_of"),
            shares().map(|share| count(share?.of)),
        );
        table.numbers(
            format!("cuts_{name}_share_low"),
            shares().map(|share| Some(share?.low)),
        );
        table.numbers(
            format!("cuts_{name}_share_high"),
            shares().map(|share| Some(share?.high)),
        );
    }
    for (name, of) in AMOUNTS {
        let amounts = || cuts.iter().map(|cut| of((*cut)?));
        table.counts(
            format!("cut_{name}_p50"),
            amounts().map(|amount| Some(amount?.median)),
        );
        table.counts(
            format!("cut_{name}_max"),
            amounts().map(|amount| Some(amount?.max)),
        );
    }
}

/// Returns the power cuts of a run as rows of words, the heads first, and the advice; `None` without
/// power cuts.
pub(crate) fn in_markdown(
    document: &Document,
    names: &Names,
) -> Option<(Vec<Vec<String>>, Vec<String>)> {
    let cuts = PowerCuts::of(&[document]).filter(PowerCuts::has_cuts)?;
    let axes = names.axes.iter();
    let heads = axes.map(|axis| markdown(&axis.message().in_english()));
    let columns = [
        "cuts",
        "lost data",
        "did not come back",
        "corrupt",
        "unknown",
        "most time lost",
        "most bytes lost",
    ];
    let mut rows = vec![heads.chain(columns.map(str::to_owned)).collect::<Vec<_>>()];
    for setting in &cuts.settings {
        let values = names.axes.iter().map(|axis| {
            let value = setting.values.get(axis).map_or("-", String::as_str);
            markdown(if value == "-" { "" } else { value })
        });
        rows.push(values.chain(numbers(setting.measured.as_ref())).collect());
    }
    let advice = cuts
        .advice
        .iter()
        .map(|part| markdown(&part.words.in_english()));
    Some((rows, advice.collect()))
}

fn numbers(cuts: Option<&CutSummary>) -> Vec<String> {
    let Some(cuts) = cuts else {
        return vec![String::new(); 7];
    };
    let shares = SHARES.map(|(_, of)| share(of(cuts)));
    let most = AMOUNTS.map(|(_, of)| of(cuts).map(|amount| amount.max));
    let words = |number: Option<u64>, say: fn(u64) -> String| {
        markdown(&number.map_or_else(|| "unknown".to_owned(), say))
    };
    let mut numbers = vec![cuts.cuts.to_string()];
    numbers.extend(shares);
    numbers.push(cuts.unknown.to_string());
    numbers.push(words(most[0], stripewise_report::power_cuts::time_words));
    numbers.push(words(most[1], stripewise_report::power_cuts::size_words));
    numbers
}

/// Returns how many, of how many, and the interval: `0 of 20 [0–17 %]`; empty of none.
fn share(share: &CutShare) -> String {
    if share.of == 0 {
        return String::new();
    }
    let count = Message::new("cut-share")
        .digits("count", share.count)
        .digits("of", share.of);
    let interval = stripewise_report::power_cuts::interval_words(share);
    markdown(&format!("{} {interval}", count.in_english()))
}

/// A gauge: its name, its unit, its help, and its value for each cell.
pub(crate) struct Gauge {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    pub(crate) help: String,
    pub(crate) values: Vec<Option<f64>>,
}

/// Returns the gauges of cells with power cuts.
pub(crate) fn gauges(cells: &[&CellPart]) -> Vec<Gauge> {
    let of = |of: &dyn Fn(&CutSummary) -> Option<f64>| -> Vec<Option<f64>> {
        cells.iter().map(|cell| of(cell.cuts.as_ref()?)).collect()
    };
    let real = |number: usize| u32::try_from(number).ok().map(f64::from);
    let mut gauges = vec![
        Gauge {
            name: "stripewise_power_cuts".to_owned(),
            unit: "cuts",
            help: "Power cuts".to_owned(),
            values: of(&|cuts| real(cuts.cuts)),
        },
        Gauge {
            name: "stripewise_power_unknown_cuts".to_owned(),
            unit: "cuts",
            help: "Power cuts with an unknown outcome".to_owned(),
            values: of(&|cuts| real(cuts.unknown)),
        },
    ];
    for ((name, share), what) in SHARES.into_iter().zip([
        "lost acknowledged data or whose stack did not come back",
        "left a stack that did not come back",
        "left wrong data without an error",
    ]) {
        type End = fn(&CutShare) -> f64;
        let ends: [(&str, &str, End); 2] = [
            ("low", "Low end", |share| share.low),
            ("high", "High end", |share| share.high),
        ];
        for (infix, end, of_end) in ends {
            gauges.push(Gauge {
                name: format!("stripewise_power_cut_{name}_{infix}_ratio"),
                unit: "ratio",
                help: format!("{end} of the 95 % interval of the share of power cuts that {what}"),
                values: of(&|cuts| Some(of_end(share(cuts)))),
            });
        }
        gauges.push(Gauge {
            name: format!("stripewise_power_cut_{name}_ratio"),
            unit: "ratio",
            help: format!("Share of power cuts that {what}"),
            values: of(&|cuts| {
                let share = share(cuts);
                Some(real(share.count)? / real(share.of).filter(|of| *of > 0.0)?)
            }),
        });
    }
    gauges
}
