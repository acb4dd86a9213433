//! Power cuts as columns of samples and cells, and as gauges.
//!
//! Runs without power cuts have none of them.

use stripewise_analysis::cuts::{CutLoss, CutShare, CutSummary};
use stripewise_report::document::CellPart;
use stripewise_study::cut::{Cut, Loss, Outcome};
use stripewise_study::sample::Sample;

use crate::rows::count;
use crate::table::Table;

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
