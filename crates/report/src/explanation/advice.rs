//! Which design to build, in words: the decision, its reason, what the others give, and how to build it.

use serde::Serialize;
use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::advise::{
    Advised, Asked, CHUNK_DEFAULT, Outcome, Requirement, TOLERANCE, doublings, has_default_layout,
    is_same_kind,
};
use stripewise_sim::race::{Place, weighted_mean};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::stack::{Level, Stack};
use stripewise_units::Bytes;

use super::answer::short_stack;
use super::several::workload;
use super::{ExplainedCell, Explanation};
use crate::numbers::{is_small, rate, size_argument};

/// The most designs that a sentence lists.
const LISTED_MAX: usize = 4;

/// Advice on what to build.
#[derive(Debug, Serialize)]
pub struct Advice {
    /// What was asked.
    #[serde(flatten)]
    pub asked: AskedAdvice,
    /// The designs, in the order of the search.
    pub designs: Vec<ConsideredDesign>,
    /// The place of the design to build among them; `None` if none does what is required.
    pub best: Option<usize>,
    /// The places of those that are the same, with it.
    pub same: Vec<usize>,
    /// The I/Os that the search simulated.
    pub ios: u64,
    /// The commands that build it.
    pub commands: Vec<String>,
    /// The predictions of the best, the fastest of each other kind, and the usual advice: for each as
    /// many as there are loads.
    pub compared: Explanation,
    /// What the designs are compared with although it is refused: the same devices without redundancy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_redundancy: Option<WithoutRedundancy>,
    #[serde(skip)]
    stacks: Vec<Stack>,
}

/// What became of a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConsideredDesign {
    /// Its layers.
    pub design: String,
    /// What became of it.
    pub fate: Fate,
    /// The requirement that refuses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<Requirement>,
    /// Its rate in bytes per second, the weighted geometric mean over the loads, as far as the search
    /// simulated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_s: Option<f64>,
    /// Whether that is as precise as in a table.
    pub is_precise: bool,
}

/// What became of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It does not do what is required.
    Refused,
    /// Its upper bound lies under what another surely gives.
    BoundedAway,
    /// Another one is surely better by more than the tolerance.
    Outrun,
    /// None is surely better by more than the tolerance.
    Within,
}

/// A design without redundancy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WithoutRedundancy {
    /// Its layers.
    pub design: String,
    /// Its rate over that of the best.
    pub times: f64,
    #[serde(skip)]
    words: Argument,
}

/// What was asked.
#[derive(Debug, Clone, Serialize)]
pub struct AskedAdvice {
    /// What the design must do.
    pub requirements: Vec<Requirement>,
    /// Whether that is assumed, because nothing was asked.
    pub is_assumed: bool,
    /// The state of the devices in which the designs were compared, for each load.
    pub states: Vec<State>,
    /// How much each load counts.
    pub weights: Vec<f64>,
}

impl Advice {
    /// Returns the advice: `compared` explains the best design, then others, then, if there is one
    /// without redundancy that is refused, that one, with the cells of each in the order of the loads.
    pub fn new(
        asked: AskedAdvice,
        search: &Asked<'_>,
        mut advised: Advised,
        mut compared: Explanation,
    ) -> Self {
        let loads = asked.weights.len();
        let stacks = search.designs.iter().map(|cells| cells[0].stack.clone());
        let stacks: Vec<Stack> = stacks.collect();
        let refused = |cell: &ExplainedCell| {
            let place = stacks.iter().position(|stack| *stack == cell.cell.stack);
            place.is_some_and(|place| matches!(advised.outcomes[place], Outcome::Refused(_)))
        };
        let first = compared.cells.iter().position(refused);
        let last = first.map(|first| compared.cells.split_off(first));
        let rate = |cells: &[ExplainedCell]| asked.mean_rate(cells);
        let place = |cells: &[ExplainedCell]| {
            let own = |stack: &Stack| *stack == cells[0].cell.stack;
            stacks.iter().position(own)
        };
        let rates = compared.cells.chunks(loads);
        let rates = rates.filter_map(|cells| Some((place(cells)?, rate(cells)?)));
        let rates: Vec<(usize, f64)> = rates.collect();
        advised.settle(search, &rates);
        // The best comes first.
        let is_best = |cell: &ExplainedCell| {
            let best = advised.best.map(|best| &stacks[best]);
            best == Some(&cell.cell.stack)
        };
        compared.cells.sort_by_key(|cell| !is_best(cell));
        let without = last.filter(|cells| cells.len() == loads).and_then(|cells| {
            let best = compared.cells.get(..loads)?;
            Some(WithoutRedundancy {
                design: cells[0].cell.stack.summary(),
                words: short_stack(&cells[0].cell.stack),
                times: rate(&cells)? / rate(best)?,
            })
        });
        let designs = stacks.iter().zip(&advised.outcomes);
        Self {
            designs: designs.map(|(stack, one)| considered(stack, one)).collect(),
            asked,
            best: advised.best,
            same: advised.same,
            ios: advised.ios,
            commands: Vec::new(),
            compared,
            without_redundancy: without,
            stacks,
        }
    }

    /// Returns the stack to build.
    pub fn stack(&self) -> Option<&Stack> {
        Some(&self.stacks[self.best?])
    }

    /// Returns the advice for people.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Sentence::new(self.decision()).tone(Tone::Strong).into()];
        blocks.extend(
            self.unsure()
                .map(|message| Block::toned(Tone::Warn, message)),
        );
        if let Some(best) = self.best {
            blocks.extend(self.reasons(best).into_iter().map(Block::say));
        }
        blocks.push(Block::toned(Tone::Dim, self.required()));
        blocks.push(Block::Gap);
        if self.best.is_some() {
            blocks.extend(self.compared.tables());
            blocks.push(Block::Gap);
            blocks.extend(self.how_to_build());
        }
        blocks.push(Block::toned(Tone::Dim, self.counts()));
        blocks.push(Block::toned(Tone::Dim, Message::new("advise-not-searched")));
        blocks.extend(self.compared.basis());
        blocks
    }

    fn requirements_in_words(&self) -> Argument {
        let words = self
            .asked
            .requirements
            .iter()
            .map(|requirement| match requirement {
                Requirement::Survive(devices) => {
                    Message::new("advise-require-survive").count("devices", *devices)
                }
                Requirement::Capacity(bytes) => Message::new("advise-require-capacity")
                    .with("size", size_argument(bytes.as_u64())),
            });
        Argument::list(words)
    }

    fn decision(&self) -> Message {
        match self.stack() {
            Some(stack) => Message::new("advise-build").with("design", short_stack(stack)),
            None => Message::new("advise-none").with("requirements", self.requirements_in_words()),
        }
    }

    /// Says that the decision rests on simulations that did not reach their long run.
    fn unsure(&self) -> Option<Message> {
        let cells = self.compared.cells.iter();
        let is_short = |cell: &&ExplainedCell| {
            cell.prediction.changing.is_some() || cell.prediction.is_cut_short
        };
        let short = cells.filter(is_short).count();
        (short > 0).then(|| {
            Message::new("advise-unsure")
                .digits("short", short)
                .digits("all", self.compared.cells.len())
        })
    }

    fn required(&self) -> Message {
        match (self.asked.is_assumed, self.asked.requirements.is_empty()) {
            (true, _) => Message::new("advise-assumed"),
            (false, true) => Message::new("advise-nothing-required"),
            (false, false) => {
                Message::new("advise-required").with("requirements", self.requirements_in_words())
            }
        }
    }

    /// Returns the sentences below the decision.
    fn reasons(&self, best: usize) -> Vec<Message> {
        let loads = self.asked.weights.len();
        let own = &self.compared.cells[..loads.min(self.compared.cells.len())];
        let results = own.iter().zip(&self.asked.states).map(|(cell, state)| {
            let of = |metric: Metric| value(cell, *state, metric).unwrap_or(0.0);
            let value = match is_small(&cell.cell.workload.load) {
                true => Argument::quantity(rate(of(Metric::Iops)), "IOPS"),
                false => Metric::Bandwidth.quantity(of(Metric::Bandwidth)),
            };
            Message::new("advise-gives-load")
                .with("value", value)
                .with("load", workload(&cell.cell))
                .name("state", state)
        });
        let mut reasons =
            vec![Message::new("advise-gives").with("results", Argument::list(results))];
        // What limits fresh devices is not explained.
        let explained = own.iter().zip(&self.asked.states).next();
        let explained = explained.filter(|(_, state)| **state == State::Steady);
        reasons.extend(explained.map(|(cell, _)| cell.why.bottleneck.sentence()));
        reasons.extend(self.same_as(best));
        reasons.extend(self.others(best));
        reasons.extend(self.usual(best));
        let faster = self.without_redundancy.as_ref();
        let faster = faster.filter(|without| without.times > 1.0 + TOLERANCE);
        reasons.extend(faster.map(|without| {
            Message::new("advise-without-redundancy")
                .with("design", without.words.clone())
                .digits(
                    "times",
                    stripewise_catalogue::number::two_digits(without.times),
                )
        }));
        reasons
    }

    /// Returns which designs are the same as the best.
    fn same_as(&self, best: usize) -> Vec<Message> {
        let others: Vec<usize> = self
            .same
            .iter()
            .copied()
            .filter(|one| *one != best)
            .collect();
        if others.is_empty() {
            return vec![Message::new("advise-alone").percent("margin", TOLERANCE)];
        }
        let stack = |index: &usize| &self.stacks[*index];
        let kind = |index: &&usize| is_same_kind(stack(index), stack(&best));
        let chunks = |indices: &mut dyn Iterator<Item = &usize>| -> Vec<Bytes> {
            indices.filter_map(|index| chunk_of(stack(index))).collect()
        };
        let all: Vec<usize> = (0..self.stacks.len()).collect();
        let of_kind = chunks(&mut all.iter().filter(kind));
        let same = chunks(&mut self.same.iter().filter(kind));
        let mut messages = Vec::new();
        let is_any_chunk = same.len() > 1 && same.len() == of_kind.len();
        if let (true, Some(least), Some(most)) =
            (is_any_chunk, same.iter().min(), same.iter().max())
        {
            messages.push(
                Message::new("advise-any-chunk")
                    .name("least", least)
                    .name("most", most)
                    .percent("margin", TOLERANCE),
            );
        }
        let listed = others.iter().filter(|index| !(is_any_chunk && kind(index)));
        let listed: Vec<&usize> = listed.collect();
        if !listed.is_empty() {
            // One of each kind, the plainest.
            let mut shown: Vec<&Stack> = Vec::new();
            for index in &listed {
                let stack = stack(index);
                match shown.iter_mut().find(|one| is_same_kind(one, stack)) {
                    Some(one) if doublings(stack) < doublings(one) => *one = stack,
                    Some(_) => {}
                    None => shown.push(stack),
                }
            }
            shown.truncate(LISTED_MAX);
            let names = shown.iter().map(|stack| short_stack(stack));
            let message = Message::new("advise-same")
                .count("count", listed.len())
                .with("designs", Argument::list(names))
                .count("more", listed.len() - shown.len());
            messages.push(message.percent("margin", TOLERANCE));
        }
        messages
    }

    /// Returns the compared designs with their rate over that of the best, without the best.
    fn beside(&self) -> Vec<(&Stack, f64)> {
        let cells: Vec<&[ExplainedCell]> = self
            .compared
            .cells
            .chunks(self.asked.weights.len())
            .collect();
        let best = cells.first().and_then(|cells| self.asked.mean_rate(cells));
        let others = cells.iter().skip(1);
        let share = |cells: &&[ExplainedCell]| Some(self.asked.mean_rate(cells)? / best?);
        others
            .filter_map(|cells| Some((&cells[0].cell.stack, share(cells)?)))
            .collect()
    }

    fn is_same(&self, stack: &Stack) -> bool {
        self.same.iter().any(|index| self.stacks[*index] == *stack)
    }

    /// Returns what the fastest designs of other kinds give.
    fn others(&self, best: usize) -> Vec<Message> {
        let best = &self.stacks[best];
        let others = self.beside().into_iter();
        let others = others.filter(|(stack, _)| !is_same_kind(stack, best) && !self.is_same(stack));
        let messages = others.map(|(stack, share)| {
            let message = Message::new("advise-other").with("design", short_stack(stack));
            message.percent("less", (1.0 - share).max(0.0))
        });
        messages.take(LISTED_MAX).collect()
    }

    /// Returns what the usual advice, RAID 10 with mdadm's defaults, would give.
    fn usual(&self, best: usize) -> Option<Message> {
        let usual = self.stacks.iter().position(is_usual)?;
        let stack = &self.stacks[usual];
        let message = |id: &'static str| Message::new(id).with("design", short_stack(stack));
        let beside = self.beside();
        let share = beside.iter().find(|(one, _)| *one == stack);
        match self.designs[usual].fate {
            _ if usual == best => Some(message("advise-usual-is-it")),
            Fate::Refused => Some(message("advise-usual-refused")),
            _ if self.same.contains(&usual) => {
                Some(message("advise-usual-same").percent("margin", TOLERANCE))
            }
            Fate::BoundedAway | Fate::Outrun | Fate::Within => {
                let (_, share) = share?;
                Some(message("advise-usual-less").percent("less", (1.0 - share).max(0.0)))
            }
        }
    }

    fn how_to_build(&self) -> Vec<Block> {
        if self.commands.is_empty() {
            return Vec::new();
        }
        vec![
            Block::heading(Message::new("advise-how")),
            Block::Code(self.commands.join("\n")),
            Block::say(Message::new("advise-how-overwrites")),
            Block::Gap,
        ]
    }

    fn counts(&self) -> Message {
        let count = |is: &dyn Fn(&ConsideredDesign) -> bool| {
            self.designs.iter().filter(|design| is(design)).count()
        };
        let simulated = |design: &ConsideredDesign| design.bytes_per_s.is_some();
        Message::new("advise-counts")
            .count("designs", self.designs.len())
            .digits("refused", count(&|design| design.fate == Fate::Refused))
            .digits("bounded", count(&|design| design.fate == Fate::BoundedAway))
            .digits(
                "coarse",
                count(&|design| simulated(design) && !design.is_precise),
            )
            .digits(
                "precise",
                count(&|design| simulated(design) && design.is_precise),
            )
    }
}

/// Returns whether this is what is usually advised: RAID 10 with mdadm's defaults.
pub fn is_usual(stack: &Stack) -> bool {
    let array = stack.array.as_ref();
    let is_raid10 = array.is_some_and(|array| array.level == Level::Raid10);
    is_raid10 && has_default_layout(stack) && chunk_of(stack) == Some(CHUNK_DEFAULT)
}

fn chunk_of(stack: &Stack) -> Option<Bytes> {
    stack.array.as_ref()?.chunk_bytes
}

fn considered(stack: &Stack, outcome: &Outcome) -> ConsideredDesign {
    let design = stack.summary();
    match outcome {
        Outcome::Refused(requirement) => ConsideredDesign {
            design,
            fate: Fate::Refused,
            requirement: Some(*requirement),
            bytes_per_s: None,
            is_precise: false,
        },
        Outcome::Raced(raced) => ConsideredDesign {
            design,
            fate: match raced.place {
                Place::BoundedAway => Fate::BoundedAway,
                Place::Outrun => Fate::Outrun,
                Place::Within => Fate::Within,
            },
            requirement: None,
            bytes_per_s: raced.rate.map(|rate| rate.median),
            is_precise: raced.is_precise,
        },
    }
}

/// Returns a value of a cell in a state.
fn value(cell: &ExplainedCell, state: State, metric: Metric) -> Option<f64> {
    match cell.fresh.as_ref().filter(|_| state == State::Fresh) {
        Some(fresh) => fresh.value(metric),
        None => cell.value(metric),
    }
}

impl AskedAdvice {
    /// Returns the weighted geometric mean of the rates of a design's cells, as in the race.
    fn mean_rate(&self, cells: &[ExplainedCell]) -> Option<f64> {
        let rates = cells.iter().zip(&self.states);
        let rates = rates.map(|(cell, state)| value(cell, *state, Metric::Bandwidth));
        let rates: Vec<f64> = rates.collect::<Option<_>>()?;
        let weights = self.weights.iter().copied();
        Some(weighted_mean(rates.into_iter().zip(weights)))
    }
}
