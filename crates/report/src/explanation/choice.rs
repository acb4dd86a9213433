//! What several predictions decide: which stack gives the most of a load, and which are the same.

use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_stats::{Estimate, Interval};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Compare;
use stripewise_study::workload::Workload;

use super::ExplainedCell;
use super::answer::short_stack;
use super::common::{Known, is_surely_more};
use super::several::workload;
use crate::apart::{geometric_mean, is_certain, is_same, is_within, ratio_of};

/// Of more loads, only the sum is told.
const LOADS_MAX: usize = 3;

/// Returns which stack to choose in each of these states; nothing if there is no choice.
pub(super) fn blocks(cells: &[ExplainedCell], states: &[State]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for state in states {
        for message in sentences(cells, *state) {
            let message = match states.len() {
                1 => message,
                _ => Message::new("claim-in")
                    .with("panel", Message::new(format!("claim-state-{state}")))
                    .with("sentence", message),
            };
            blocks.push(Sentence::new(message).tone(Tone::Strong).into());
        }
    }
    if !blocks.is_empty() {
        blocks.push(Block::Gap);
    }
    blocks
}

/// A stack and what it gives of the load, or of several loads on average.
struct Standing<'a> {
    cell: &'a ExplainedCell,
    estimate: Estimate,
    /// Whether the interval contains the error of the profiles, too.
    knows_its_error: bool,
    /// What the estimate comes from; `None` if from several predictions, or from another state's.
    from: Option<Known<'a>>,
    /// Its place in the question, in which stacks that are the same are named.
    place: usize,
}

impl<'a> Standing<'a> {
    /// Returns a stack's place in the contest of a state; `None` if it is unknown what it gives.
    fn of(place: usize, cell: &'a ExplainedCell, state: State) -> Option<Self> {
        let bandwidth = Metric::Bandwidth;
        let estimate = match (state, &cell.fresh) {
            (State::Fresh, Some(fresh)) => fresh.estimates.get(bandwidth.key()),
            (State::Fresh, None) if cell.is_fresh_unknown() => None,
            _ => cell.prediction.estimate(bandwidth),
        };
        let estimate = *estimate.filter(|estimate| estimate.value > 0.0)?;
        let is_own = state != State::Fresh || cell.fresh.is_none();
        let from = Known {
            cell: &cell.cell,
            prediction: &cell.prediction,
        };
        Some(Self {
            from: Some(from).filter(|_| is_own),
            cell,
            estimate,
            knows_its_error: estimate.of_samples.is_some(),
            place,
        })
    }

    /// Returns the geometric mean of what a stack gives of several loads, as sure as if all errors
    /// went the same way; `None` if it lacks a load.
    fn mean(&self, loads: &[Vec<Standing<'a>>]) -> Option<Self> {
        let is_it = |one: &&Standing| one.cell.cell.stack == self.cell.cell.stack;
        let own = loads.iter().map(|load| load.iter().find(is_it));
        let own: Vec<&Standing> = own.collect::<Option<_>>()?;
        let mean = |of: &dyn Fn(&Estimate) -> Option<f64>| {
            let all: Option<Vec<f64>> = own.iter().map(|one| of(&one.estimate)).collect();
            Some(geometric_mean(all?.into_iter()))
        };
        let bounds = |of: fn(&Estimate) -> Option<Interval>| {
            let low = mean(&|one| Some(of(one)?.low))?;
            let high = mean(&|one| Some(of(one)?.high))?;
            Some(Interval { low, high })
        };
        let estimate = Estimate {
            value: mean(&|one| Some(one.value))?,
            interval: bounds(|one| one.interval),
            of_samples: bounds(Estimate::interval_of_samples),
            ..self.estimate
        };
        Some(Self {
            cell: self.cell,
            estimate,
            knows_its_error: own.iter().all(|one| one.knows_its_error),
            from: None,
            place: self.place,
        })
    }
}

/// How sure it is that one stack gives more than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// Their intervals touch, and what they have in common does not decide.
    Open,
    /// Their intervals are apart, but do not contain the error of a profile.
    Apart,
    /// Their order is sure, though not each value: an error of the profile moves both.
    InCommon,
    /// Their intervals are apart, with the error of the profiles.
    Certain,
}

impl Order {
    fn of(more: &Standing, less: &Standing) -> Self {
        let is_apart = is_certain(&more.estimate, &less.estimate);
        if is_apart && more.knows_its_error && less.knows_its_error {
            return Order::Certain;
        }
        let lowest = ratio_of(&more.estimate, &less.estimate).interval;
        let known = more.from.zip(less.from).zip(lowest);
        let in_common =
            known.is_some_and(|((more, less), ratio)| is_surely_more(more, less, ratio.low));
        match (in_common, is_apart) {
            (true, _) => Order::InCommon,
            (false, true) => Order::Apart,
            (false, false) => Order::Open,
        }
    }
}

fn sentences(cells: &[ExplainedCell], state: State) -> Vec<Message> {
    let loads = loads(cells, state);
    if loads.len() <= LOADS_MAX {
        let sentences = loads.iter().map(|standings| {
            let load = workload(&standings[0].cell.cell);
            sentence(standings, load)
        });
        return sentences.collect();
    }
    let means = loads[0].iter().map(|first| first.mean(&loads));
    let all = Message::new("predict-choice-loads").digits("loads", loads.len());
    let Some(mut standings) = means.collect::<Option<Vec<Standing>>>() else {
        return Vec::new();
    };
    sort(&mut standings);
    vec![sentence(&standings, all.into())]
}

/// Returns the stacks of each load that has several, the best first. A load in which it is unknown
/// what a stack gives has no best one.
fn loads(cells: &[ExplainedCell], state: State) -> Vec<Vec<Standing<'_>>> {
    let mut loads: Vec<(&Workload, Vec<Option<Standing>>)> = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        let one = Standing::of(place, cell, state);
        let workload = &cell.cell.workload;
        match loads.iter_mut().find(|(load, _)| *load == workload) {
            Some((_, load)) => load.push(one),
            None => loads.push((workload, vec![one])),
        }
    }
    let known = loads.into_iter();
    let known = known.filter_map(|(_, load)| load.into_iter().collect::<Option<_>>());
    let mut known: Vec<Vec<Standing>> = known.collect();
    known.retain(|load| load.len() > 1);
    known.iter_mut().for_each(|load| sort(load));
    known
}

fn sort(standings: &mut [Standing]) {
    standings.sort_by(|one, other| other.estimate.value.total_cmp(&one.estimate.value));
}

/// Returns stacks in the order of the question.
fn in_order<'a>(standings: &'a [Standing<'a>]) -> impl Iterator<Item = &'a Standing<'a>> {
    let mut ordered: Vec<&Standing> = standings.iter().collect();
    ordered.sort_by_key(|one| one.place);
    ordered.into_iter()
}

/// Returns which of the stacks, the best first, is to be chosen for a load.
fn sentence(standings: &[Standing], load: Argument) -> Message {
    let best = &standings[0].estimate;
    // As where a study says nothing.
    let margin = Compare::default().margin_percent.as_fraction();
    let is_tied = |one: &&Standing| is_within(best, &one.estimate, margin);
    let tied = standings.iter().take_while(is_tied).count();
    let (tied, behind) = standings.split_at(tied);
    let name = |one: &Standing| short_stack(&one.cell.cell.stack);
    let pairs = tied
        .iter()
        .flat_map(|one| behind.iter().map(move |other| Order::of(one, other)));
    let order = pairs.min().unwrap_or(Order::Certain);
    let is_certain = order != Order::Open;
    let is_same = |one: &Standing| is_same(best, &one.estimate, margin);
    let open = || Argument::from(Message::new("certain-none"));
    let none = || Argument::Name(String::new());
    let same = if tied.iter().all(is_same) {
        none()
    } else {
        open()
    };
    let doubt = match order {
        Order::Certain => Message::new("certain-all").into(),
        Order::InCommon => Message::new("certain-in-common").into(),
        Order::Open | Order::Apart => open(),
    };
    let message = match (tied, behind, is_certain) {
        (_, [], _) => Message::new("predict-choice-same"),
        ([_], _, true) => Message::new("predict-choice-one"),
        ([_], _, false) => Message::new("predict-choice-one-ahead"),
        (_, _, true) => Message::new("predict-choice-several"),
        (_, _, false) => Message::new("predict-choice-several-ahead"),
    };
    let message = match behind {
        [] => message,
        [next, ..] => message
            .with("best", Argument::list(in_order(tied).map(name)))
            .with("doubt", doubt)
            .with("next", name(next))
            .percent("less", 1.0 - next.estimate.value / best.value),
    };
    let message = message.with("load", load).with("same", same);
    message.percent("margin", margin)
}
