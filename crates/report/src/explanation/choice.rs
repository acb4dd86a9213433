//! What several predictions decide: which stack gives the most of a load, and which are the same.

use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Compare;
use stripewise_study::sample::as_f64;

use super::ExplainedCell;
use super::answer::short_stack;
use super::several::workload;

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

/// A stack and its share of the best of the load, or of several loads on average.
struct Standing<'a> {
    cell: &'a ExplainedCell,
    share: f64,
    /// Its place in the question, in which stacks that are the same are named.
    place: usize,
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
    let stacks = loads[0].iter().map(|first| {
        let of_stack = |load: &Vec<Standing>| {
            let own = |one: &&Standing| one.cell.cell.stack == first.cell.cell.stack;
            load.iter().find(own).map(|one| one.share.ln())
        };
        let shares: Option<Vec<f64>> = loads.iter().map(of_stack).collect();
        let mean = shares?.into_iter().sum::<f64>() / as_f64(loads.len() as u64);
        Some(Standing {
            cell: first.cell,
            share: mean.exp(),
            place: first.place,
        })
    });
    let all = Message::new("predict-choice-loads").digits("loads", loads.len());
    let Some(mut standings) = stacks.collect::<Option<Vec<Standing>>>() else {
        return Vec::new();
    };
    standings.sort_by(|one, other| other.share.total_cmp(&one.share));
    vec![sentence(&standings, all.into())]
}

/// Returns the stacks of each load that has several, the best first.
fn loads(cells: &[ExplainedCell], state: State) -> Vec<Vec<Standing<'_>>> {
    let mut loads: Vec<Vec<Standing>> = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        let fresh = cell.fresh.as_ref().filter(|_| state == State::Fresh);
        let value = match fresh {
            Some(fresh) => fresh.value(Metric::Bandwidth),
            None => cell.value(Metric::Bandwidth),
        };
        let Some(share) = value.filter(|value| *value > 0.0) else {
            continue;
        };
        let one = Standing { cell, share, place };
        let workload = &cell.cell.workload;
        match loads
            .iter_mut()
            .find(|load| load[0].cell.cell.workload == *workload)
        {
            Some(load) => load.push(one),
            None => loads.push(vec![one]),
        }
    }
    loads.retain(|load| load.len() > 1);
    for load in &mut loads {
        load.sort_by(|one, other| other.share.total_cmp(&one.share));
        let best = load[0].share;
        load.iter_mut().for_each(|one| one.share /= best);
    }
    loads
}

/// Returns stacks in the order of the question.
fn in_order<'a>(standings: &'a [Standing<'a>]) -> impl Iterator<Item = &'a Standing<'a>> {
    let mut ordered: Vec<&Standing> = standings.iter().collect();
    ordered.sort_by_key(|one| one.place);
    ordered.into_iter()
}

/// Returns which of the stacks, the best first, is to be chosen for a load.
fn sentence(standings: &[Standing], load: Argument) -> Message {
    let best = standings[0].share;
    // As where a study says nothing.
    let margin = Compare::default().margin_percent.as_fraction();
    let is_tied = |one: &&Standing| one.share >= best / (1.0 + margin);
    let tied = standings.iter().take_while(is_tied).count();
    let name = |one: &Standing| short_stack(&one.cell.cell.stack);
    let (tied, behind) = standings.split_at(tied);
    let message = match (tied, behind) {
        (_, []) => Message::new("predict-choice-same"),
        ([only], [next, ..]) => Message::new("predict-choice-one")
            .with("best", name(only))
            .with("next", name(next))
            .percent("less", 1.0 - next.share / best),
        (tied, [next, ..]) => Message::new("predict-choice-several")
            .with("best", Argument::list(in_order(tied).map(name)))
            .with("next", name(next))
            .percent("less", 1.0 - next.share / best),
    };
    message.with("load", load).percent("margin", margin)
}
