//! The answer in English, for the terminal; the page makes the same sentences from `messages/en.ftl`, which
//! a test holds against these.

use stripewise_diagnose::why::Bottleneck;
use stripewise_diagnose::words::percent;

use super::answer::{Claim, Standing};
use super::axes::Placed;
use super::subjects::Subject;
use crate::before_after::{capital, run_words};
use crate::change::change_words;
use crate::document::Document;

/// So many runners-up are named.
const STANDINGS_MAX: usize = 5;

/// What sentences are made of, beside the claims.
pub(crate) struct Speaker<'a> {
    pub(crate) documents: &'a [Document],
    pub(crate) axes: &'a [Placed],
    pub(crate) cells: &'a [Subject<'a>],
}

impl Speaker<'_> {
    /// Returns a claim as a sentence; nothing for the kinds that only the page says in words.
    pub(crate) fn say(&self, claim: &Claim) -> Option<String> {
        match claim {
            Claim::Overall {
                axis,
                standings,
                loads,
                loads_all,
                ..
            } => self.overall(axis, standings, *loads, *loads_all),
            Claim::Wins { panel, .. } => {
                let sentence = self.wins(claim)?;
                Some(match panel {
                    Some(panel) => format!("{panel}: {sentence}"),
                    None => capital(&sentence),
                })
            }
            Claim::Largest { .. } => self.largest(claim),
            Claim::Against { counts, metric, .. } => {
                Some(counts.against_words(metric.0, |cell| self.name(cell)))
            }
            Claim::BeforeAfter {
                run,
                reference,
                is_in_order,
                counts,
                metric,
            } => {
                let id = |run: usize| self.documents[run].run.id;
                let (after, before) = run_words(id(*run), id(*reference), *is_in_order);
                let name = |cell: usize| self.name(cell);
                Some(counts.words(metric.0, &after, &before, name))
            }
            Claim::Limits { limits, cells } => {
                let limits = limits.iter().map(|limit| {
                    format!(
                        "{} ({})",
                        few_words(&limit.bottleneck),
                        counted(limit.cells)
                    )
                });
                let limits: Vec<String> = limits.collect();
                let all = counted(*cells);
                Some(format!("What limits, over {all}: {}.", limits.join(", ")))
            }
            _ => None,
        }
    }

    fn largest(&self, claim: &Claim) -> Option<String> {
        let Claim::Largest {
            load,
            best,
            worst,
            ratio_estimate,
            metric,
            ..
        } = claim
        else {
            return None;
        };
        let metric = metric.0;
        let value = |index: usize| self.cells[index].part.estimate(metric);
        let (more, less) = match value(*best)?.value >= value(*worst)?.value {
            true => (*best, *worst),
            false => (*worst, *best),
        };
        let at = match load.as_str() {
            "" => ":".to_owned(),
            load => format!(" is at {load}:"),
        };
        Some(format!(
            "The largest difference in {metric}{at} {} against {}, {} ({} against {}).",
            self.apart(more, less),
            self.apart(less, more),
            change_words(ratio_estimate),
            metric.quantity(value(more)?.value),
            metric.quantity(value(less)?.value),
        ))
    }

    /// Returns a cell's values along all axes, without its run.
    fn name(&self, cell: usize) -> String {
        let has_stack = self.axes.iter().any(|axis| axis.shown.key == "stack");
        let values = self.axes.iter().zip(&self.cells[cell].values);
        // A chunk follows from its stack.
        let values = values.filter(|(axis, _)| !(has_stack && axis.is_derived()));
        let values = values.filter_map(|(axis, value)| axis.named(value));
        let values: Vec<String> = values.collect();
        match values.is_empty() {
            true => self.cells[cell].part.stack.name.clone(),
            false => values.join(", "),
        }
    }

    /// Returns what sets a cell apart from another: its value along the first axis in which they differ.
    fn apart(&self, cell: usize, other: usize) -> String {
        let values = self.cells[cell]
            .values
            .iter()
            .zip(&self.cells[other].values);
        let mut values = values.zip(self.axes);
        let apart = values.find(|((one, other), _)| one != other && *one != "-");
        let apart = apart.and_then(|((value, _), axis)| axis.named(value));
        apart.unwrap_or_else(|| self.name(cell))
    }

    fn overall(
        &self,
        axis: &str,
        standings: &[Standing],
        loads: usize,
        loads_all: usize,
    ) -> Option<String> {
        let (best, others) = standings.split_first()?;
        let list = others.iter().take(STANDINGS_MAX);
        let list = list.map(|one| format!("{} {}", one.value, percent(one.mean_share)));
        let list = list.collect::<Vec<_>>().join(", ");
        let is_unsure = standings
            .iter()
            .any(|one| one.low_share.is_none() || one.high_share.is_none());
        let rivals = others
            .iter()
            .filter(|one| !is_unsure && one.high_share >= best.low_share);
        let rivals = rivals.take(STANDINGS_MAX);
        let rivals: Vec<&str> = rivals.map(|one| one.value.as_str()).collect();
        let rest = match (is_unsure, rivals.as_slice()) {
            (true, _) => "; too few samples to be sure of the order".to_owned(),
            (false, []) => String::new(),
            (false, open) => format!(
                "; intervals do not rule out that {} may be as good",
                open.join(", ")
            ),
        };
        let which = match loads == loads_all {
            true => format!("all {loads} loads"),
            false => format!("the {loads} of {loads_all} loads in which nothing is missing"),
        };
        let axis = self.axis_words(axis);
        let head = match best.worst_share.total_cmp(&1.0).is_eq() {
            true => format!("In {which}, {axis} {} is the best.", best.value),
            false => format!(
                "Over {which}, {axis} {} comes nearest to the best of each: {} of it on average, {} where it is furthest from it ({}).",
                best.value,
                percent(best.mean_share),
                percent(best.worst_share),
                best.worst_load
            ),
        };
        Some(format!("{head} Behind it: {list}{rest}."))
    }

    fn wins(&self, claim: &Claim) -> Option<String> {
        let Claim::Wins {
            axis,
            value,
            wins,
            certain,
            loads,
            metric,
            ..
        } = claim
        else {
            return None;
        };
        let metric = metric.0;
        let most = match metric.higher_is_better() {
            true => "the most",
            false => "the lowest",
        };
        let doubt = match *certain {
            0 => ", but not beyond doubt".to_owned(),
            certain if certain == *wins => ", beyond doubt".to_owned(),
            certain => format!(", in {certain} of them beyond doubt"),
        };
        let share = match (*loads, *wins) {
            (1, _) => String::new(),
            (loads, wins) if wins == loads => format!(" in all {loads} loads"),
            (loads, wins) => format!(" in {wins} of {loads} loads"),
        };
        let axis = self.axis_words(axis);
        Some(format!(
            "{axis} {value} gives {most} {metric}{share}{doubt}."
        ))
    }

    fn axis_words(&self, key: &str) -> String {
        let axis = self.axes.iter().find(|axis| axis.shown.key == key);
        axis.map_or_else(|| key.to_owned(), |axis| axis.words().to_owned())
    }
}

/// Returns what limits without how much.
fn few_words(limit: &Bottleneck) -> &'static str {
    match limit {
        Bottleneck::Saturated { resource, .. } => resource.short(),
        Bottleneck::Syncs { .. } => "syncs",
        Bottleneck::Latency { part, .. } => part.words(),
    }
}

fn counted(cells: usize) -> String {
    match cells {
        1 => "1 cell".to_owned(),
        cells => format!("{cells} cells"),
    }
}
