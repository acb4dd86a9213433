//! What several predictions decide: which stack gives the most of a load, and which are the same.

use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::why::Bottleneck;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Compare;
use stripewise_study::workload::Workload;

use super::ExplainedCell;
use super::answer::short_stack;
use super::several::workload;
use crate::standing::{Lead, Order, Standing};

/// Of more loads, only the sum is told.
const LOADS_MAX: usize = 3;

/// Returns which stack to choose in each of these states; nothing if there is no choice.
pub(super) fn blocks(cells: &[ExplainedCell], states: &[State]) -> Vec<Block> {
    let messages = messages(cells, states).into_iter();
    let mut blocks: Vec<Block> = messages
        .map(|message| Sentence::new(message).tone(Tone::Strong).into())
        .collect();
    if !blocks.is_empty() {
        blocks.push(Block::Gap);
    }
    blocks
}

/// Returns the same as sentences.
pub(super) fn messages(cells: &[ExplainedCell], states: &[State]) -> Vec<Message> {
    let in_state = |state: &State| {
        let state = *state;
        let sentences = sentences(cells, state).into_iter();
        sentences.map(move |message| match states.len() {
            1 => message,
            _ => Message::new("claim-in")
                .with("panel", Message::new(format!("claim-state-{state}")))
                .with("sentence", message),
        })
    };
    states.iter().flat_map(in_state).collect()
}

/// A stack in a contest of a load, or of several loads on average.
struct Contender<'a> {
    cell: &'a ExplainedCell,
    standing: Standing<'a>,
    /// Its place in the question, in which stacks that are the same are named.
    place: usize,
}

impl<'a> Contender<'a> {
    /// Returns a stack in the contest of a state; `None` if it is unknown what it gives.
    fn of(place: usize, cell: &'a ExplainedCell, state: State) -> Option<Self> {
        Some(Self {
            cell,
            standing: standing(cell, state)?,
            place,
        })
    }

    const fn value(&self) -> f64 {
        self.standing.estimate.value
    }

    /// Returns a stack in the contest over several loads; `None` if it lacks one.
    fn mean(&self, loads: &[Vec<Contender<'a>>]) -> Option<Self> {
        let is_it = |one: &&Contender| one.cell.cell.stack == self.cell.cell.stack;
        let own = loads.iter().map(|load| load.iter().find(is_it));
        let own: Vec<&Contender> = own.collect::<Option<_>>()?;
        Some(Self {
            cell: self.cell,
            standing: Standing::mean(own.iter().map(|one| one.standing.clone()).collect())?,
            place: self.place,
        })
    }
}

/// Returns what a cell gives in a state; `None` if that is unknown.
pub(super) fn standing(cell: &ExplainedCell, state: State) -> Option<Standing<'_>> {
    let bandwidth = Metric::Bandwidth;
    let own = (cell.prediction.estimate(bandwidth), Some(&cell.error_basis));
    let (estimate, basis) = match (state, &cell.fresh) {
        (State::Fresh, Some(fresh)) => (
            fresh.estimates.get(bandwidth.key()),
            fresh.error_basis.as_ref(),
        ),
        (State::Fresh, None) if cell.is_fresh_unknown() => return None,
        _ => own,
    };
    let estimate = *estimate.filter(|estimate| estimate.value > 0.0)?;
    Some(Standing::new(
        estimate,
        estimate.of_samples.is_some(),
        basis,
    ))
}

fn sentences(cells: &[ExplainedCell], state: State) -> Vec<Message> {
    let loads = loads(cells, state);
    if loads.len() <= LOADS_MAX {
        let sentences = loads.iter().map(|standings| {
            let load = workload(standings[0].cell);
            sentence(standings, load)
        });
        return sentences.collect();
    }
    let means = loads[0].iter().map(|first| first.mean(&loads));
    let all = Message::new("predict-choice-loads").digits("loads", loads.len());
    let Some(mut standings) = means.collect::<Option<Vec<Contender>>>() else {
        return Vec::new();
    };
    sort(&mut standings);
    vec![sentence(&standings, all.into())]
}

/// Returns the stacks of each load that has several, the best first. A load in which it is unknown
/// what a stack gives has no best one.
fn loads(cells: &[ExplainedCell], state: State) -> Vec<Vec<Contender<'_>>> {
    let mut loads: Vec<(&Workload, Vec<Option<Contender>>)> = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        let one = Contender::of(place, cell, state);
        let workload = &cell.cell.workload;
        match loads.iter_mut().find(|(load, _)| *load == workload) {
            Some((_, load)) => load.push(one),
            None => loads.push((workload, vec![one])),
        }
    }
    let known = loads.into_iter();
    let known = known.filter_map(|(_, load)| load.into_iter().collect::<Option<_>>());
    let mut known: Vec<Vec<Contender>> = known.collect();
    known.retain(|load| load.len() > 1);
    known.iter_mut().for_each(|load| sort(load));
    known
}

fn sort(standings: &mut [Contender]) {
    standings.sort_by(|one, other| (other.value()).total_cmp(&one.value()));
}

/// Returns stacks in the order of the question.
fn in_order<'a>(standings: &'a [Contender<'a>]) -> impl Iterator<Item = &'a Contender<'a>> {
    let mut ordered: Vec<&Contender> = standings.iter().collect();
    ordered.sort_by_key(|one| one.place);
    ordered.into_iter()
}

/// Returns which of the stacks, the best first, is to be chosen for a load.
fn sentence(standings: &[Contender], load: Argument) -> Message {
    // As where a study says nothing.
    let margin = Compare::default().margin_percent.as_fraction();
    let ranked: Vec<Standing> = standings.iter().map(|one| one.standing.clone()).collect();
    let lead = Lead::of(&ranked, margin).expect("a contest has contenders");
    let unsettled = in_order(standings).filter(|one| one.standing.is_changing());
    let unsettled: Vec<Argument> = unsettled
        .map(|one| short_stack(&one.cell.cell.stack))
        .collect();
    let (tied, behind) = standings.split_at(lead.tied);
    let name = |one: &Contender| short_stack(&one.cell.cell.stack);
    let open = || Argument::from(Message::new("certain-none"));
    let none = || Argument::Name(String::new());
    let same = match lead.is_surely_same {
        true => none(),
        false => open(),
    };
    let doubt = match lead.order {
        Order::Certain => Message::new("certain-all").into(),
        Order::InCommon => Message::new("certain-in-common").into(),
        Order::Open | Order::Apart => open(),
    };
    let is_own_rate =
        |one: &Contender| matches!(one.cell.why.bottleneck, Bottleneck::OwnRate { .. });
    let message = match (tied, behind, lead.order != Order::Open) {
        (all, [], _) if all.iter().all(is_own_rate) => Message::new("predict-choice-own-rate"),
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
            .with("next", next_in_words(behind, &ranked[lead.tied..], margin))
            .percent("less", 1.0 - next.value() / standings[0].value()),
    };
    let message = message.with("load", load).with("same", same);
    let message = message.percent("margin", margin);
    match unsettled.is_empty() {
        true => message,
        false => Message::new("predict-choice-unsettled")
            .with("sentence", message)
            .with("stacks", Argument::list_and(unsettled)),
    }
}

/// Returns who comes next: one stack, or several that share the place.
fn next_in_words(behind: &[Contender], ranked: &[Standing], margin: f64) -> Message {
    let tied = Lead::of(ranked, margin).map_or(1, |lead| lead.tied);
    let name = |one: &Contender| short_stack(&one.cell.cell.stack);
    match tied {
        1 => Message::new("predict-choice-next").with("next", name(&behind[0])),
        tied => Message::new("predict-choice-next-several")
            .with(
                "next",
                Argument::list_and(in_order(&behind[..tied]).map(name)),
            )
            .percent("margin", margin),
    }
}
