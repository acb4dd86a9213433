//! The answer as messages: each claim as a sentence.

use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_results::world::RunOrigin;
use stripewise_study::metric::Metric;
use stripewise_study::world::WorldName;
use stripewise_units::Bytes;

use super::answer::{Claim, Limit, ShareOfBest, StackCost};
use super::axes::{MappedAxis, axis_message, named};
use super::subjects::Subject;
use crate::before_after::run_names;
use crate::change::difference;
use crate::differences;
use crate::document::Document;
use crate::lifetime::chance;
use crate::numbers::{Reading, size_argument};
use crate::power_cuts::PowerCuts;
use crate::states::Applies;

/// The most runners-up in a sentence.
const STANDINGS_MAX: usize = 5;

/// The data behind the claims.
pub(crate) struct ClaimWriter<'a> {
    pub(crate) documents: &'a [Document],
    pub(crate) axes: &'a [MappedAxis],
    pub(crate) cells: &'a [Subject<'a>],
    pub(crate) cuts: Option<&'a PowerCuts>,
}

impl ClaimWriter<'_> {
    /// Returns a claim as a sentence.
    pub(crate) fn message(&self, claim: &Claim) -> Message {
        match claim {
            Claim::Overall { .. } => overall(claim),
            Claim::Same { .. } => same(claim),
            Claim::States {
                applies,
                writes_per_day_bytes,
            } => states(*applies, *writes_per_day_bytes),
            Claim::InState { state, of } => Message::new("claim-in")
                .with("panel", Message::new(format!("claim-state-{state}")))
                .with("sentence", self.message(of)),
            Claim::Cost { years, stacks } => cost(*years, stacks),
            Claim::Lost { stacks } => Message::new("claim-lost")
                .with("stacks", Argument::names(stacks))
                .count("count", stacks.len()),
            Claim::Wins { panel, .. } => match panel {
                Some(panel) => Message::new("claim-in")
                    .name("panel", panel)
                    .with("sentence", wins(claim)),
                None => wins(claim).as_sentence(),
            },
            Claim::Largest { .. } => self.largest(claim),
            Claim::Against { counts, metric, .. } => {
                counts.against_message(metric.0, |cell| self.name(cell))
            }
            Claim::BeforeAfter {
                run,
                reference,
                is_in_order,
                counts,
                metric,
            } => {
                let id = |run: usize| self.documents[run].run.id;
                let (after, before) = run_names(id(*run), id(*reference), *is_in_order);
                counts.message(metric.0, after, &before, |cell| self.name(cell))
            }
            Claim::Differs(one) => differences::message(one),
            Claim::Unexplained { stacks, baseline } => differences::unexplained(stacks, baseline),
            Claim::CellEstimate { cell, metric } => Message::new("claim-gives")
                .with("cell", self.name_with_run(*cell))
                .with("value", self.estimate(*cell, metric.0))
                .with("metric", metric.0.message())
                .as_sentence(),
            Claim::Limits { limits, cells } => limited(limits, *cells),
            Claim::PredictionError { .. } => self.prediction_error(claim),
            Claim::Settled {
                settled,
                cells,
                margin,
            } => Message::new("claim-settled")
                .count("settled", *settled)
                .with("cells", counted(*cells))
                .percent("margin", *margin),
            Claim::Open {
                reason,
                open,
                cells,
            } => reason.message(*open, *cells, &self.documents[0].run.repeat),
            Claim::Single { cells } => Message::new("claim-single").with("cells", counted(*cells)),
            Claim::PowerCuts { place, .. } => {
                let part = self.cuts.and_then(|cuts| cuts.advice.get(*place));
                part.map_or_else(|| Message::new("none"), |part| part.words.clone())
            }
            Claim::NotCounted { samples, of } => Message::new("claim-not-counted")
                .count("samples", *samples)
                .count("of", *of),
        }
    }

    fn largest(&self, claim: &Claim) -> Message {
        let Claim::Largest {
            load_values,
            best,
            worst,
            ratio_estimate,
            metric,
            ..
        } = claim
        else {
            unreachable!("the caller matched it");
        };
        let metric = metric.0;
        let value = |index: usize| {
            let estimate = self.cells[index].part.estimate(metric);
            estimate.map_or(f64::NAN, |estimate| estimate.value)
        };
        // The best latency is the smaller one; the sentence is about the larger value.
        let (more, less) = match value(*best) >= value(*worst) {
            true => (*best, *worst),
            false => (*worst, *best),
        };
        let message = match load_values.is_empty() {
            true => Message::new("claim-largest-only"),
            false => Message::new("claim-largest").with("load", load(load_values)),
        };
        message
            .with("metric", metric.message())
            .with("more", self.apart(more, less))
            .with("less", self.apart(less, more))
            .with("difference", difference(ratio_estimate))
            .with("more_value", metric.quantity(value(more)))
            .with("less_value", metric.quantity(value(less)))
    }

    fn prediction_error(&self, claim: &Claim) -> Message {
        let Claim::PredictionError {
            run,
            reference,
            cells,
            mean_share,
            worst_share,
            worst_cell,
            metric,
        } = claim
        else {
            unreachable!("the caller matched it");
        };
        Message::new("claim-off")
            .with("run", self.run_name(*run))
            .with("reference", self.run_name(*reference))
            .with("cells", counted(*cells))
            .with("metric", metric.0.message())
            .with("mean", deviation(*mean_share))
            .with("worst", deviation(worst_share.abs()))
            .name("side", if *worst_share < 0.0 { "below" } else { "above" })
            .with("worst_cell", self.name_with_run(*worst_cell))
            .as_sentence()
    }

    /// Returns an estimate as a reader reads it: `823 ± 11 MiB/s`.
    fn estimate(&self, cell: usize, metric: Metric) -> Argument {
        let estimate = self.cells[cell].part.estimate(metric);
        estimate.map_or(Argument::Name(String::new()), |estimate| {
            match estimate.interval {
                Some(_) => Reading::new(metric, estimate).argument(),
                // A mark for what is missing belongs to a table.
                None => metric.quantity(estimate.value),
            }
        })
    }

    /// Returns a cell's values along the axes that name it, without its run.
    fn name(&self, cell: usize) -> Argument {
        let values = self.axes.iter().zip(&self.cells[cell].values);
        let values = values.filter(|(axis, _)| !axis.shown.implied);
        let values = values.filter_map(|(axis, value)| axis.named(value));
        let values: Vec<Argument> = values.collect();
        let part = self.cells[cell].part;
        match values.is_empty() {
            // Its load says more than the name of the only directory.
            true if part.stack.devices.is_empty() => part.cell().name(&[]),
            true => Argument::Name(part.stack.name.clone()),
            false => Argument::list(values),
        }
    }

    /// Returns a cell's name, with its run where there are several.
    fn name_with_run(&self, cell: usize) -> Argument {
        let name = self.name(cell);
        match self.documents {
            [_] => name,
            _ => Message::new("cell-of-run")
                .with("cell", name)
                .with("run", self.run_name(self.cells[cell].run))
                .into(),
        }
    }

    /// Returns the name of a run beside the others: its world, or its number where worlds repeat.
    fn run_name(&self, run: usize) -> Message {
        let document = &self.documents[run].run;
        let is_same = |other: &&Document| other.run.origin == document.origin;
        match self.documents.iter().filter(is_same).count() {
            1 => world(&document.origin),
            _ => Message::new("run-name")
                .with("world", world(&document.origin))
                .name("id", document.id),
        }
    }

    /// Returns the value that distinguishes a cell from another, along the first axis in which they differ.
    fn apart(&self, cell: usize, other: usize) -> Argument {
        let values = self.cells[cell]
            .values
            .iter()
            .zip(&self.cells[other].values);
        let mut values = values.zip(self.axes);
        let apart = values.find(|((one, other), _)| one != other && *one != "-");
        let apart = apart.and_then(|((value, _), axis)| axis.named(value));
        apart.unwrap_or_else(|| self.name(cell))
    }
}

/// Returns the name of a world; that of another program stands as it is.
fn world(origin: &RunOrigin) -> Message {
    match origin {
        RunOrigin::World(WorldName::Model) => Message::new("world-model"),
        RunOrigin::World(WorldName::Lab) => Message::new("world-lab"),
        RunOrigin::World(WorldName::Metal) => Message::new("world-metal"),
        other => Message::new("world-any").name("world", other),
    }
}

/// Returns which loads a claim is about: `over` them, or `in` them.
fn which_loads(place: &str, loads: usize, loads_all: usize) -> Message {
    let is_all = loads == loads_all;
    let end = match (is_all, loads) {
        (true, 2) => "both",
        (true, _) => "all",
        (false, _) => "some",
    };
    let message = Message::new(format!("loads-{place}-{end}")).digits("loads", loads);
    match is_all {
        true => message,
        false => message.digits("all", loads_all),
    }
}

/// Returns which bottlenecks the cells have.
fn limited(limits: &[Limit], cells: usize) -> Message {
    let limits = limits.iter().map(|limit| {
        Message::new("limit-count")
            .with("limit", limit.bottleneck.name())
            .with("cells", counted(limit.cells))
    });
    Message::new("claim-limits")
        .with("cells", counted(cells))
        .with("limits", Argument::list(limits))
}

/// Returns which state applies.
fn states(applies: Applies, volume: Option<Bytes>) -> Message {
    let message = Message::new(match applies {
        Applies::Fresh => "claim-states-fresh",
        Applies::Steady => "claim-states-steady",
        Applies::Bursts => "claim-states-bursts",
        Applies::Mixed => "claim-states-mixed",
        Applies::Unknown => "claim-states-unknown",
    });
    match volume {
        Some(volume) => message.with("volume", size_argument(volume.as_u64())),
        None => message,
    }
}

/// Returns what stacks cost: of each the capacity that holds data, the wear and the chance of a loss.
fn cost(years: u32, stacks: &[StackCost]) -> Message {
    let stack = |one: &StackCost| {
        let percent =
            |share: f64, digits: fn(f64) -> String| Argument::quantity(digits(share * 100.0), "%");
        let capacity = one.capacity_share.map(|share| {
            let share = percent(share, |percent| format!("{percent:.0}"));
            Message::new("cost-capacity").with("share", share)
        });
        let wear = one
            .years_to_rating
            .map(|years| Message::new("cost-wear").digits("years", three_digits(years)));
        let loss = one
            .loss_chance
            .map(|share| Message::new("cost-loss").with("chance", percent(share, chance)));
        let parts: Vec<Message> = [capacity, wear, loss].into_iter().flatten().collect();
        let parts = match parts.is_empty() {
            true => Message::new("cost-unknown").into(),
            false => Argument::list(parts),
        };
        Message::new("cost-of")
            .name("stack", &one.stack)
            .with("parts", parts)
    };
    Message::new("claim-cost")
        .count("years", years)
        .with("stacks", Argument::semicolons(stacks.iter().map(stack)))
}

fn same(claim: &Claim) -> Message {
    let Claim::Same {
        axis,
        values,
        is_all,
        is_certain,
        loads,
        loads_all,
        margin,
        metric,
    } = claim
    else {
        unreachable!("the caller matched it");
    };
    let doubt = match is_certain {
        true => Argument::Name(String::new()),
        false => Message::new("certain-none").into(),
    };
    let message = match (is_all, loads_all) {
        (true, 1) => Message::new("claim-same-one"),
        (true, _) => Message::new("claim-same"),
        (false, 1) => Message::new("claim-same-best-one"),
        (false, _) => Message::new("claim-same-best"),
    };
    let message = match loads_all {
        1 => message,
        _ => message.with("which", which_loads("in", *loads, *loads_all)),
    };
    message
        .with("axis", axis_message(axis))
        .with("values", Argument::names(values))
        .percent("margin", *margin)
        .with("metric", metric.0.message())
        .with("doubt", doubt)
}

fn overall(claim: &Claim) -> Message {
    let Claim::Overall {
        axis,
        standings,
        leaders,
        shared,
        loads,
        loads_all,
        ..
    } = claim
    else {
        unreachable!("the caller matched it");
    };
    let Some((best, others)) = standings.split_first() else {
        unreachable!("an axis that competes has values");
    };
    let which = |place: &str| which_loads(place, *loads, *loads_all);
    if *leaders > 1 {
        let (equal, behind) = standings.split_at(*leaders);
        let rest = match behind.is_empty() {
            true => Argument::Name(String::new()),
            false => Message::new("claim-overall-rest-several")
                .with("list", listed(behind))
                .into(),
        };
        let share = |one: &ShareOfBest| Argument::percent(one.mean_share);
        let is_one_share = equal.iter().all(|one| share(one) == share(best));
        let message = match is_one_share {
            true => Message::new("claim-overall-several")
                .with(
                    "values",
                    Argument::names(equal.iter().map(|one| &one.value)),
                )
                .with("mean", share(best)),
            false => Message::new("claim-overall-near").with("values", shares(equal)),
        };
        return message.with("which", which("over")).with("rest", rest);
    }
    let is_the_best = best.worst_share.total_cmp(&1.0).is_eq();
    let message = match (is_the_best, shared) {
        (true, 0) => Message::new("claim-overall-all").with("which", which("in")),
        (true, _) => Message::new("claim-overall-unbeaten")
            .with("which", which("in"))
            .count("shared", *shared),
        (false, _) => Message::new("claim-overall")
            .with("which", which("over"))
            .percent("mean", best.mean_share)
            .percent("worst", best.worst_share)
            .with("worst_load", load(&best.worst_load_values)),
    };
    message
        .with("axis", axis_message(axis))
        .name("best", &best.value)
        .with("rest", runners_up(standings, others))
}

/// Returns the first values with how near they come to the best.
fn listed(others: &[ShareOfBest]) -> Argument {
    shares(&others[..others.len().min(STANDINGS_MAX)])
}

/// Returns values with how near they come to the best.
fn shares(standings: &[ShareOfBest]) -> Argument {
    Argument::list(standings.iter().map(|one| {
        Message::new("standing")
            .name("value", &one.value)
            .percent("share", one.mean_share)
    }))
}

/// Returns the values behind the best, and whether their order is certain.
fn runners_up(standings: &[ShareOfBest], others: &[ShareOfBest]) -> Message {
    let list = listed(others);
    let is_unsure = standings
        .iter()
        .any(|one| one.low_share.is_none() || one.high_share.is_none());
    let rivals = others.iter().filter(|one| one.may_be_best);
    let rivals = rivals.take(STANDINGS_MAX);
    let rivals: Vec<Argument> = rivals
        .map(|one| Argument::Name(one.value.clone()))
        .collect();
    let message = match (is_unsure, rivals.is_empty()) {
        (true, _) => Message::new("claim-overall-rest-unsure"),
        (false, true) => Message::new("claim-overall-rest"),
        (false, false) => {
            Message::new("claim-overall-rest-open").with("open", Argument::list(rivals))
        }
    };
    message.with("list", list)
}

fn wins(claim: &Claim) -> Message {
    let Claim::Wins {
        axis,
        value,
        wins,
        certain,
        in_common,
        is_open,
        loads,
        metric,
        ..
    } = claim
    else {
        unreachable!("the caller matched it");
    };
    let doubt = match *certain {
        0 => Message::new("certain-none"),
        certain if certain == *wins && *in_common => Message::new("certain-in-common"),
        certain if certain == *wins => Message::new("certain-all"),
        certain => Message::new("certain-some").digits("certain", certain),
    };
    let gives = match is_open {
        true => Message::new("wins-ahead").with("metric", metric.0.message()),
        false => Message::new("wins-gives")
            .with("best", Message::new(format!("best-{}", metric.0.key()))),
    };
    let message = match (*loads, *wins) {
        (1, _) => Message::new("claim-wins-one"),
        (loads, wins) if wins == loads => Message::new("claim-wins-all").digits("loads", loads),
        (loads, wins) => Message::new("claim-wins")
            .digits("loads", loads)
            .digits("wins", wins),
    };
    message
        .with("axis", axis_message(axis))
        .name("value", value)
        .with("gives", gives)
        .with("doubt", doubt)
}

/// Returns a load: its values with the names of their axes.
fn load(values: &[(&'static str, String)]) -> Argument {
    Argument::list(values.iter().map(|(axis, value)| named(axis, value)))
}

fn counted(cells: usize) -> Message {
    Message::new("cell-count").count("count", cells)
}

/// Returns a deviation; below a tenth, a per cent is too coarse.
fn deviation(share: f64) -> Argument {
    let decimals = usize::from(share < 0.0995);
    Argument::quantity(format!("{:.decimals$}", share * 100.0), "%")
}
