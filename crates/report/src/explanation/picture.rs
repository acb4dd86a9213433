//! The designs of an advice as a picture: what each gives, keeps and costs. A reader picks two of these as
//! axes, and opens a design, with its reason, both states, and its commands.

use serde::Serialize;
use stripewise_answer::{Block, Pair, Sentence};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::requirement::Quantity;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::stack::Stack;

use super::ExplainedCell;
use super::advice::{Advice, Fate, Step, steps_as_blocks};
use super::advice_words::{in_words, missed_in_words, than_best};
use super::answer::short_stack;
use super::front::{FrontRow, Role};
use super::several::workload;
use crate::lifetime::chance;

/// The fewest parts of an axis.
const PARTS: f64 = 4.0;

/// The designs of an advice, for a reader who picks the axes and opens a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Picture {
    /// What an axis can show; the first is upright at first, the second lies.
    pub axes: Vec<PictureAxis>,
    /// The designs with a known speed; the best is the last, so that it is drawn above the others.
    pub designs: Vec<PicturedDesign>,
}

/// What an axis can show.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PictureAxis {
    /// Its name.
    pub name: Argument,
    /// Whether less of it is better.
    pub is_less_better: bool,
    /// Its signs, from 0 on, all as far apart; the last is at or beyond the largest value.
    pub signs: Vec<PictureValue>,
}

/// A value, for the place and in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PictureValue {
    /// Its place on the axis.
    pub at: f64,
    /// What it is in words.
    pub shown: Argument,
}

/// What the mark of a design looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PictureMark {
    /// One of many.
    Other,
    /// It does not do what is required.
    Refused,
    /// The same as the advised one within the tolerance.
    Same,
    /// What the usual advice, a calculator or the machine has.
    Named,
    /// What is advised.
    Advised,
}

/// A design in the picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PicturedDesign {
    /// Its level, layout and chunk.
    pub name: Argument,
    /// The same, with who would build it.
    pub title: Argument,
    /// Its mark.
    pub mark: PictureMark,
    /// Its value on each axis; null where that is unknown.
    pub values: Vec<Option<PictureValue>>,
    /// What a reader sees who opens it.
    pub blocks: Vec<Block>,
}

/// Finds the value of a design; `None` where that is unknown.
type Find = Box<dyn Fn(&Seen<'_>) -> Option<f64>>;

/// An axis, and how a design's value on it is found and shown.
struct Scale {
    name: Argument,
    is_less_better: bool,
    of: Find,
    shown: Box<dyn Fn(f64) -> Argument>,
    /// The size of a unit: signs are round numbers of it.
    unit: f64,
}

/// All that is known of a design.
struct Seen<'a> {
    place: usize,
    stack: &'a Stack,
    /// Its rate over that of the best.
    share: Option<f64>,
    usable: Option<f64>,
    /// Its cells, one for each load; empty if it was not compared.
    cells: &'a [ExplainedCell],
    row: Option<&'a FrontRow>,
}

impl Advice {
    /// Returns the picture of the designs; `steps` returns the commands that build one.
    pub fn picture(&self, steps: impl Fn(&Stack) -> Vec<Step>) -> Picture {
        let seen = self.seen();
        let mut scales: Vec<Scale> = self.scales();
        // An axis on which fewer than two designs stand shows nothing.
        scales.retain(|scale| seen.iter().filter_map(|one| (scale.of)(one)).count() > 1);
        let axes = scales.iter().map(|scale| {
            let most = seen.iter().filter_map(|one| (scale.of)(one));
            scale.axis(most.fold(0.0, f64::max))
        });
        let axes: Vec<PictureAxis> = axes.collect();
        let designs = seen.iter().map(|one| PicturedDesign {
            name: short_stack(one.stack),
            title: self.title(one),
            mark: self.mark(one),
            values: scales.iter().map(|scale| scale.value(one)).collect(),
            blocks: self.opened(one, steps(one.stack)),
        });
        let mut designs: Vec<PicturedDesign> = designs.collect();
        designs.sort_by_key(|design| design.mark);
        Picture { axes, designs }
    }

    /// Returns what is known of the designs that have a rate.
    fn seen(&self) -> Vec<Seen<'_>> {
        let loads = self.asked.weights.len();
        let best = self.best.and_then(|best| self.known_rate(best));
        let of_place = |place: usize| {
            let stack = &self.stacks[place];
            let cells = self.compared.cells.chunks(loads);
            let mut cells = cells.filter(|cells| cells[0].cell.stack == *stack);
            let row = self.front.iter().find(|row| row.stack == *stack);
            let rate = self.known_rate(place);
            let rate = rate.or_else(|| row.and_then(|row| row.bytes_per_s));
            Seen {
                place,
                stack,
                share: rate.zip(best).map(|(rate, best)| rate / best),
                usable: Quantity::Usable.of_layout(stack, &self.rated),
                cells: cells.next().unwrap_or_default(),
                row,
            }
        };
        let seen = (0..self.stacks.len()).map(of_place);
        seen.filter(|one| one.share.is_some()).collect()
    }

    /// Returns the rate of a design as precisely as it is known.
    fn known_rate(&self, place: usize) -> Option<f64> {
        self.rate(place).or(self.designs[place].bytes_per_s)
    }

    fn scales(&self) -> Vec<Scale> {
        let percent = |value: f64| Argument::quantity(format!("{value:.0}"), "%");
        let quantity =
            |id: &'static str, quantity: Quantity, of: fn(&Seen<'_>) -> Option<f64>| Scale {
                name: Message::new(id).into(),
                is_less_better: !matches!(quantity, Quantity::Usable | Quantity::Years),
                of: Box::new(of),
                shown: Box::new(move |value| in_words(quantity, value)),
                unit: match quantity {
                    Quantity::Usable => f64::from(1 << 30),
                    Quantity::CommitP99 => 1e6,
                    Quantity::Rebuild => 3600e9,
                    _ => 1.0,
                },
            };
        let time = |name: Argument, of: fn(&Seen<'_>) -> Option<f64>| Scale {
            name,
            is_less_better: true,
            of: Box::new(of),
            shown: Box::new(|value| Metric::LatencyP99.quantity(value)),
            unit: 1e6,
        };
        let share = |id: &'static str, of: fn(&Seen<'_>) -> Option<f64>| Scale {
            name: Message::new(id).into(),
            is_less_better: false,
            of: Box::new(of),
            shown: Box::new(percent),
            unit: 1.0,
        };
        let mut scales = vec![
            share("advise-axis-speed", |one| Some(one.share? * 100.0)),
            quantity("advise-name-holds", Quantity::Usable, |one| one.usable),
            quantity("advise-axis-years", Quantity::Years, years),
            time(Message::new("advise-axis-p99").into(), p99),
            quantity("advise-name-commit", Quantity::CommitP99, |one| {
                one.row?.commit_p99_ns
            }),
            share("advise-name-degraded", |one| {
                let row = one.row?;
                Some(row.degraded_bytes_per_s? / row.bytes_per_s? * 100.0)
            }),
            quantity("lifetime-name-rebuild", Quantity::Rebuild, |one| {
                one.row?.rebuild_ns
            }),
            Scale {
                name: Message::new("lifetime-name-loss")
                    .count("years", 5_u64)
                    .into(),
                is_less_better: true,
                of: Box::new(|one| Some(one.row?.loss_chance? * 100.0)),
                shown: Box::new(|value| Argument::quantity(chance(value), "%")),
                unit: 1.0,
            },
            quantity("advise-name-price", Quantity::Price, |one| one.row?.price),
        ];
        scales.extend(self.scales_of_loads());
        scales
    }

    /// Returns the rate of each load, if there are several.
    fn scales_of_loads(&self) -> Vec<Scale> {
        let mut scales = Vec::new();
        let loads = self.compared.cells.iter().take(self.asked.weights.len());
        if loads.len() > 1 {
            scales.extend(loads.enumerate().map(|(load, cell)| {
                Scale {
                    name: Message::new("advise-axis-load")
                        .with("load", workload(cell))
                        .into(),
                    is_less_better: false,
                    of: Box::new(move |one| one.cells.get(load)?.value(Metric::Bandwidth)),
                    shown: Box::new(|value| Metric::Bandwidth.quantity(value)),
                    unit: f64::from(1 << 20),
                }
            }));
        }
        scales
    }

    fn title(&self, one: &Seen<'_>) -> Argument {
        let name = short_stack(one.stack);
        let roles = self.roles(one);
        match roles.is_empty() {
            true => name,
            false => Message::new("advise-own-row")
                .with("stack", name)
                .with("array", Argument::list(roles))
                .into(),
        }
    }

    fn roles(&self, one: &Seen<'_>) -> Vec<Message> {
        let is_advised = self.best == Some(one.place);
        let mut roles: Vec<Role> = one.row.map(|row| row.roles.clone()).unwrap_or_default();
        if is_advised && !roles.contains(&Role::Advised) {
            roles.insert(0, Role::Advised);
        }
        if super::advice::is_usual(one.stack) && !roles.contains(&Role::Usual) {
            roles.push(Role::Usual);
        }
        roles.into_iter().map(Role::message).collect()
    }

    fn mark(&self, one: &Seen<'_>) -> PictureMark {
        match self.designs[one.place].fate {
            _ if self.best == Some(one.place) => PictureMark::Advised,
            _ if !self.roles(one).is_empty() => PictureMark::Named,
            Fate::Refused => PictureMark::Refused,
            _ if self.same.contains(&one.place) => PictureMark::Same,
            _ => PictureMark::Other,
        }
    }

    /// Returns what a reader sees who opens a design.
    fn opened(&self, one: &Seen<'_>, steps: Vec<Step>) -> Vec<Block> {
        let mut blocks: Vec<Block> = self.standing(one).into_iter().map(Block::say).collect();
        let mut pairs: Vec<Pair> = Vec::new();
        for cell in one.cells {
            let states = [State::Steady, State::Fresh].into_iter();
            let states = states.filter(|state| *state == State::Steady || cell.fresh.is_some());
            let gives = states.filter_map(|state| cell.in_state(state));
            // What limits fresh devices is not explained.
            let gives = gives.chain([cell.why.bottleneck.sentence()]);
            pairs.extend(gives.enumerate().map(|(index, value)| Pair {
                name: (index == 0).then(|| workload(cell)),
                value: value.into(),
            }));
        }
        let scales = self.scales();
        let known = scales.iter().skip(1).take(8);
        let known = known.filter_map(|scale| Some((scale, scale.value(one)?)));
        pairs.extend(known.map(|(scale, value)| Block::pair(scale.name.clone(), value.shown)));
        blocks.push(Block::Pairs(pairs));
        if !steps.is_empty() {
            let title = Sentence::new(Message::new("advise-how"));
            blocks.push(Block::closed(title, steps_as_blocks(&steps)));
        }
        blocks
    }

    /// Says how a design stands beside the advised one.
    fn standing(&self, one: &Seen<'_>) -> Option<Message> {
        let design = &self.designs[one.place];
        if let Some(refusal) = &design.refusal {
            let misses = missed_in_words(refusal.requirement, refusal.value);
            return Some(Message::new("advise-opened-refused").with("misses", misses));
        }
        if self.best == Some(one.place) {
            return Some(Message::new("advise-opened-best"));
        }
        let share = one.share?;
        let gives = than_best(share).with("design", short_stack(one.stack));
        Some(match self.same.contains(&one.place) {
            true => Message::new("advise-opened-same"),
            false => Message::new("advise-other").with("gives", gives),
        })
    }
}

impl Advice {
    /// Returns the years of a compared design until its rated writes; `None` without a daily volume.
    pub fn years(&self, place: usize) -> Option<f64> {
        let mut cells = self.compared.cells.chunks(self.asked.weights.len());
        years_of(cells.find(|cells| cells[0].cell.stack == self.stacks[place])?)
    }
}

fn years(one: &Seen<'_>) -> Option<f64> {
    years_of(one.cells)
}

/// Returns the years until the rated writes, under the load that wears most.
fn years_of(cells: &[ExplainedCell]) -> Option<f64> {
    let lives = cells.iter().filter_map(|cell| cell.lifetime.as_ref());
    lives
        .filter_map(|life| life.years_to_rating)
        .reduce(f64::min)
}

/// Returns the slowest 99th percentile of the loads.
fn p99(one: &Seen<'_>) -> Option<f64> {
    let cells = one.cells.iter();
    cells
        .filter_map(|cell| cell.value(Metric::LatencyP99))
        .reduce(f64::max)
}

impl Scale {
    fn value(&self, one: &Seen<'_>) -> Option<PictureValue> {
        let at = (self.of)(one)?;
        Some(PictureValue {
            at,
            shown: (self.shown)(at),
        })
    }

    fn axis(&self, most: f64) -> PictureAxis {
        let step = round_step(most / self.unit / PARTS) * self.unit;
        let signs = (0..=16).map(|sign| step * f64::from(sign));
        let mut signs: Vec<f64> = signs.collect();
        let last = signs.iter().position(|at| *at >= most * (1.0 - 1e-9));
        signs.truncate(last.map_or(signs.len(), |last| last.max(1) + 1));
        PictureAxis {
            name: self.name.clone(),
            is_less_better: self.is_less_better,
            signs: signs
                .into_iter()
                .map(|at| PictureValue {
                    at,
                    shown: (self.shown)(at),
                })
                .collect(),
        }
    }
}

/// Returns the least of 1, 2, 2.5 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    if least <= 0.0 || !least.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
    let found = steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9));
    found.unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_an_axis_are_round_and_reach_the_largest_value() {
        for (most, last, count) in [
            (100.0, 100.0, 5),
            (99.0, 100.0, 5),
            (101.0, 150.0, 4),
            (7.0, 8.0, 5),
            (0.03, 0.03, 4),
        ] {
            let scale = Scale {
                name: Argument::Name(String::new()),
                is_less_better: false,
                of: Box::new(|_| None),
                shown: Box::new(|value| Argument::Digits(value.to_string())),
                unit: 1.0,
            };
            let axis = scale.axis(most);
            let signs: Vec<f64> = axis.signs.iter().map(|sign| sign.at).collect();
            assert!(
                (signs[signs.len() - 1] - last).abs() < 1e-9,
                "{most}: {signs:?}"
            );
            assert_eq!(signs.len(), count, "{most}: {signs:?}");
        }
        assert!((round_step(0.0) - 1.0).abs() < 1e-12);
    }
}
