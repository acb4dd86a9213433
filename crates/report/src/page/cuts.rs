//! Power cuts on a page: the advice as claims, and their view.

use std::collections::BTreeMap;

use stripewise_catalogue::Message;
use stripewise_results::RunId;

use super::answer::Claim;
use super::views::{CutPlace, View};
use crate::document::Document;
use crate::power_cuts::{PowerCuts, table};
use crate::text::strip_control;

/// Returns the power cuts of the runs, if there are any.
pub(crate) fn of(documents: &[Document]) -> Option<PowerCuts> {
    let documents: Vec<&Document> = documents.iter().collect();
    PowerCuts::of(&documents).filter(PowerCuts::has_cuts)
}

/// Returns the view of power cuts.
pub(crate) fn view(
    cuts: &PowerCuts,
    documents: &[Document],
    places: &BTreeMap<(usize, usize), usize>,
) -> View {
    let place = |run: Option<RunId>, cell: Option<usize>| {
        let is_it = |document: &Document| Some(document.run.id) == run;
        let run = documents.iter().position(is_it)?;
        places.get(&(run, cell?)).copied()
    };
    let settings = cuts.settings.iter().map(|setting| CutPlace {
        name: Message::new("cut-setting")
            .with("name", setting.name.clone())
            .with_names(&strip_control),
        measured: place(cuts.measured_run, setting.measured_cell),
        simulated: place(cuts.simulated_run, setting.simulated_cell),
    });
    View::PowerCuts {
        id: "power-cuts",
        metric: cuts.throughput_metric,
        settings: settings.collect(),
        table: table(cuts),
    }
}

/// Returns the advice as claims.
pub(crate) fn claims(cuts: &PowerCuts) -> Vec<Claim> {
    let parts = cuts.advice.iter().enumerate();
    let claims = parts.map(|(place, part)| Claim::PowerCuts {
        advice: part.advice.clone(),
        place,
    });
    claims.collect()
}
