//! Which design to build, in words: the decision, its reason, what the others give, and how to build it.

mod states;

use serde::Serialize;
use stripewise_analysis::lifetime::Rated;
use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::advise::{
    Advised, Asked, Nearest, Outcome, Prefer, Refusal, TOLERANCE, is_same_kind,
};
use stripewise_diagnose::requirement::{Quantity, Requirement};
use stripewise_diagnose::simplicity::{CHUNK_DEFAULT, Special, doublings, has_default_layout};
use stripewise_diagnose::vary::Varied;
use stripewise_sim::race::{Place, Rate};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::stack::{Level, Stack};
use stripewise_units::Bytes;

use super::advice_words::{gives, in_words, missed_in_words, required, than_best, variation};
use super::answer::short_stack;
use super::front::{self, FrontRow};
use super::own::{Own, judged};
use super::{ExplainedCell, Explanation};
use crate::document::SCHEMA;

/// The most designs that a sentence lists.
const LISTED_MAX: usize = 4;

/// Advice on what to build.
#[derive(Debug, Serialize)]
pub struct Advice {
    /// The version of this format.
    pub schema: u32,
    /// What was asked.
    #[serde(flatten)]
    pub asked: AskedAdvice,
    /// The designs, in the order of the search.
    pub designs: Vec<ConsideredDesign>,
    /// The place of the design to build among them; `None` if none does what is required.
    pub best: Option<usize>,
    /// The places of those that are the same, with it.
    pub same: Vec<usize>,
    /// The special parts of the design to build.
    pub specials: Vec<Special>,
    /// Which comes nearest, if none does what is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// The I/Os that the search simulated.
    pub ios: u64,
    /// What the compared designs keep and cost beside their speed.
    pub front: Vec<FrontRow>,
    /// How the design stands if the loads are a little unlike those that were asked about; the fastest is
    /// counted among the rows of the front.
    pub varied: Vec<Varied>,
    /// How many times as fast commits are on the same drives with power-loss protection; `None` if nothing
    /// commits, or the drives have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_times: Option<f64>,
    /// The commands that build it.
    pub steps: Vec<Step>,
    /// What happens to it later: a device is replaced, it grows, and what cannot be undone.
    pub later: Vec<Step>,
    /// The predictions of the best, the fastest of each other kind, and the usual advice: for each as
    /// many as there are loads.
    pub compared: Explanation,
    /// What the designs are compared with although it is refused: the same devices without redundancy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_redundancy: Option<WithoutRedundancy>,
    /// The machine's own array, if it is asked about.
    #[serde(rename = "here", skip_serializing_if = "Option::is_none")]
    pub own: Option<Own>,
    /// What a signal left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<Unseen>,
    /// Whether the front and the variations of the loads were not asked.
    #[serde(skip)]
    pub is_brief: bool,
    #[serde(skip)]
    pub(super) stacks: Vec<Stack>,
    /// What is known about each device.
    #[serde(skip)]
    pub(super) rated: Vec<Rated>,
}

/// A part of the advice that was not looked at, because the search was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unseen {
    /// Designs, or whether those that may be chosen do what takes a simulation to know.
    Designs,
    /// What other designs give, as precisely as in a table.
    Others,
    /// What a move from the machine's own array takes.
    Effort,
    /// What power-loss protection would change.
    Protected,
    /// What each design keeps and costs.
    Front,
    /// Loads that are a little different.
    Varied,
}

/// What became of a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConsideredDesign {
    /// Its layers.
    pub design: String,
    /// What became of it.
    pub fate: Fate,
    /// What refuses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
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
    /// It was not looked at, because the search was stopped.
    Unseen,
}

/// A command, and what it is for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// What it is for, in half a line.
    pub why: Message,
    /// The command; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
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
    /// Whether it is assumed how many devices may fail, which the first requirement says.
    pub is_survival_assumed: bool,
    /// The state of the devices in which the designs were compared, for each load.
    pub states: Vec<State>,
    /// How much each load counts.
    pub weights: Vec<f64>,
    /// Which of equals is built.
    pub prefer: Prefer,
}

impl Advice {
    /// Returns the advice: `compared` explains the best design, then others, then, if there is one
    /// without redundancy that is refused, that one, with the cells of each in the order of the loads.
    /// `own` is the machine's own array, which is among them if it is one of the designs.
    pub fn new(
        asked: AskedAdvice,
        search: &Asked<'_>,
        mut advised: Advised,
        mut compared: Explanation,
        own: Option<Own>,
    ) -> Self {
        let loads = asked.weights.len();
        let stacks = search.designs.iter().map(|cells| cells[0].stack.clone());
        let stacks: Vec<Stack> = stacks.collect();
        let own_place = own.as_ref().and_then(|own| own.place);
        let place = |cell: &ExplainedCell| stacks.iter().position(|one| *one == cell.cell.stack);
        let refused = |cell: &ExplainedCell| {
            let place = place(cell).filter(|place| own_place != Some(*place));
            place.is_some_and(|place| matches!(advised.outcomes[place], Outcome::Refused(_)))
        };
        let first = compared.cells.iter().position(refused);
        let last = first.map(|first| compared.cells.split_off(first));
        let rates = compared.cells.chunks(loads);
        let rates = rates.filter_map(|cells| Some((place(&cells[0])?, asked.rate(cells)?)));
        let rates: Vec<(usize, Rate)> = rates.collect();
        advised.settle(search, &rates);
        // What is there and as good is built already.
        advised.best = own_place
            .filter(|place| advised.same.contains(place))
            .or(advised.best);
        // The best comes first.
        let is_best = |cell: &ExplainedCell| {
            let best = advised.best.map(|best| &stacks[best]);
            best == Some(&cell.cell.stack)
        };
        compared.cells.sort_by_key(|cell| !is_best(cell));
        let without = last.and_then(|last| asked.without_redundancy(&last, &compared));
        let designs = stacks.iter().zip(&advised.outcomes);
        let loads = (&asked.states[..], &asked.weights[..]);
        let own = own.map(|own| judged(own, &stacks, &advised, &mut compared, loads));
        Self {
            schema: SCHEMA,
            designs: designs
                .map(|(stack, one)| considered(stack, one, &compared))
                .collect(),
            asked,
            specials: advised
                .best
                .map_or_else(Vec::new, |best| search.specials(best)),
            best: advised.best,
            same: advised.same,
            nearest: advised.nearest,
            ios: advised.ios,
            unseen: match advised.is_interrupted {
                true => vec![Unseen::Designs],
                false => Vec::new(),
            },
            is_brief: false,
            front: Vec::new(),
            varied: Vec::new(),
            protected_times: None,
            steps: Vec::new(),
            later: Vec::new(),
            compared,
            without_redundancy: without,
            own,
            rated: search.rated.to_vec(),
            stacks,
        }
    }

    /// Returns the machine's own array as a stack, if it is one of the designs.
    pub fn own_stack(&self) -> Option<&Stack> {
        Some(&self.stacks[self.own.as_ref()?.place?])
    }

    /// Returns whether the machine's own array is what is advised.
    pub fn stays(&self) -> bool {
        self.own.as_ref().is_some_and(Own::stays)
    }

    /// Returns the stack to build.
    pub fn stack(&self) -> Option<&Stack> {
        Some(&self.stacks[self.best?])
    }

    /// Returns the places of the compared designs among all, in their order: the best first.
    pub fn places(&self) -> Vec<usize> {
        let cells = self.compared.cells.chunks(self.asked.weights.len());
        let place = |cells: &[ExplainedCell]| {
            let own = |stack: &Stack| *stack == cells[0].cell.stack;
            self.stacks.iter().position(own)
        };
        cells.filter_map(place).collect()
    }

    /// Returns the rate of a compared design.
    pub fn rate(&self, place: usize) -> Option<f64> {
        let mut cells = self.compared.cells.chunks(self.asked.weights.len());
        let own = cells.find(|cells| cells[0].cell.stack == self.stacks[place])?;
        Some(self.asked.rate(own)?.median)
    }

    /// Returns the decision of the search, before the designs were compared.
    pub fn first_words(&self) -> Vec<Block> {
        let mut blocks = vec![Sentence::new(self.decision()).tone(Tone::Strong).into()];
        blocks.extend(self.nearest().map(Block::say));
        let reasons = self.best.map(|best| self.reasons(best));
        blocks.extend(reasons.into_iter().flatten().map(Block::say));
        blocks.push(Block::toned(Tone::Dim, self.required()));
        blocks.push(Block::toned(Tone::Dim, self.counts()));
        blocks
    }

    /// Returns the advice for people.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Sentence::new(self.decision()).tone(Tone::Strong).into()];
        blocks.extend(
            self.stopped()
                .map(|message| Block::toned(Tone::Warn, message)),
        );
        blocks.extend(self.nearest().map(Block::say));
        blocks.extend(
            self.unsure()
                .map(|message| Block::toned(Tone::Warn, message)),
        );
        if let Some(best) = self.best {
            let survived = Quantity::Survived.of_layout(&self.stacks[best], &[]);
            let loses = survived.filter(|survived| *survived < 1.0);
            blocks.extend(
                loses.map(|_| Block::toned(Tone::Warn, Message::new("advise-survives-none"))),
            );
            blocks.extend(self.own_reasons());
            blocks.extend(self.reasons(best).into_iter().map(Block::say));
        }
        blocks.push(Block::toned(Tone::Dim, self.required()));
        let own = self.own.iter();
        blocks.extend(own.flat_map(|own| own.basis(self.own_stack().map(short_stack))));
        blocks.push(Block::Gap);
        if self.best.is_some() {
            blocks.extend(self.compared.tables());
            blocks.extend(front::blocks(&self.front));
            blocks.push(Block::Gap);
            blocks.extend(self.how_to_build());
        }
        if self.is_brief && self.best.is_some() {
            blocks.push(Block::toned(Tone::Dim, Message::new("advise-brief")));
        }
        blocks.push(Block::toned(Tone::Dim, self.counts()));
        blocks.push(Block::toned(Tone::Dim, Message::new("advise-not-searched")));
        blocks.extend(self.compared.basis());
        blocks
    }

    fn requirements_in_words(&self) -> Argument {
        Argument::list(self.asked.requirements.iter().map(|one| required(*one)))
    }

    /// Returns which design comes nearest to what is required, and by how much it misses.
    fn nearest(&self) -> Option<Message> {
        let nearest = self.nearest.as_ref()?;
        let misses = nearest.refusals.iter();
        let misses = misses.map(|one| missed_in_words(one.requirement, one.value));
        let message = Message::new("advise-nearest");
        let message = message.with("design", short_stack(&self.stacks[nearest.design]));
        Some(message.with("misses", Argument::list(misses)))
    }

    /// Returns how much better the design is than the machine's own array, and what the move takes.
    fn own_reasons(&self) -> Vec<Block> {
        let Some(own) = &self.own else {
            return Vec::new();
        };
        let refusal = own.place.and_then(|place| self.designs[place].refusal);
        let misses = refusal.map(|one| (one.requirement, one.value));
        own.reasons(misses.as_slice())
    }

    fn decision(&self) -> Message {
        let own = self.own.as_ref().zip(self.own_stack()).zip(self.stack());
        let decided = own
            .and_then(|((own, stack), best)| own.decision(short_stack(best), short_stack(stack)));
        if let Some(decided) = decided {
            return decided;
        }
        match self.stack() {
            Some(stack) => Message::new("advise-build").with("design", short_stack(stack)),
            None => Message::new("advise-none").with("requirements", self.requirements_in_words()),
        }
    }

    /// Says what was not looked at, because the search was stopped.
    fn stopped(&self) -> Option<Message> {
        let unseen = self.designs.iter();
        let unseen = unseen.filter(|design| design.fate == Fate::Unseen).count();
        let parts = self.unseen.iter().flat_map(|part| match part {
            Unseen::Designs => vec![
                Message::new("advise-unseen-designs")
                    .digits("unseen", unseen)
                    .count("designs", self.designs.len()),
                Message::new("advise-unseen-requirements"),
            ],
            Unseen::Others => vec![Message::new("advise-unseen-others")],
            Unseen::Effort => vec![Message::new("advise-unseen-effort")],
            Unseen::Protected => vec![Message::new("advise-unseen-protected")],
            Unseen::Front => vec![Message::new("advise-unseen-front")],
            Unseen::Varied => vec![Message::new("advise-unseen-varied")],
        });
        let parts: Vec<Message> = parts.collect();
        (!parts.is_empty())
            .then(|| Message::new("advise-stopped").with("parts", Argument::semicolons(parts)))
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
        if let Some(own) = self.own.as_ref().filter(|_| self.asked.is_assumed) {
            return Message::new("advise-assumed-own")
                .name("array", &own.array)
                .with("requirements", self.requirements_in_words());
        }
        match (self.asked.is_assumed, self.asked.requirements.is_empty()) {
            (true, _) => Message::new("advise-assumed"),
            (false, true) => Message::new("advise-nothing-required"),
            (false, false) if self.asked.is_survival_assumed => {
                let (assumed, stated) = self.asked.requirements.split_at(1);
                let words =
                    |all: &[Requirement]| Argument::list(all.iter().map(|one| required(*one)));
                Message::new("advise-required-and-assumed")
                    .with("requirements", words(stated))
                    .with("assumed", words(assumed))
            }
            (false, false) => {
                Message::new("advise-required").with("requirements", self.requirements_in_words())
            }
        }
    }

    /// Returns the sentences below the decision.
    fn reasons(&self, best: usize) -> Vec<Message> {
        let loads = self.asked.weights.len();
        let own = &self.compared.cells[..loads.min(self.compared.cells.len())];
        let results = gives(own, &self.asked.states, self.compared.volume());
        let mut reasons = Vec::new();
        match (results.is_empty(), self.designs[best].bytes_per_s) {
            (false, _) => {
                reasons.push(Message::new("advise-gives").with("results", Argument::list(results)));
            }
            (true, Some(rate)) => reasons.push(
                Message::new("advise-gives-about").with("value", Metric::Bandwidth.quantity(rate)),
            ),
            (true, None) => {}
        }
        // What limits fresh devices is not explained.
        let explained = own.iter().zip(&self.asked.states).next();
        let explained = explained.filter(|(_, state)| **state == State::Steady);
        reasons.extend(explained.map(|(cell, _)| cell.why.bottleneck.sentence()));
        reasons.extend(self.lasts(own));
        reasons.extend(self.same_as(best));
        reasons.extend(self.on_fresh_devices());
        reasons.extend(self.simplest().filter(|_| !self.stays()));
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
        reasons.extend(self.robust());
        reasons.extend(self.protected_times.map(|times| {
            let times = stripewise_catalogue::number::two_digits(times);
            Message::new("advise-protected").digits("times", times)
        }));
        reasons
    }

    /// Returns how long the devices last at the daily volume, under the load that wears them most; without
    /// a volume, how to state it.
    fn lasts(&self, own: &[ExplainedCell]) -> Option<Message> {
        let has_volume = self.compared.has_daily_volume();
        let lives = own.iter().filter_map(|cell| cell.lifetime.as_ref());
        let years = lives
            .filter_map(|life| life.years_to_rating)
            .reduce(f64::min);
        let mut writes = own
            .iter()
            .map(|cell| cell.cell.workload.load.pattern.writes());
        match years {
            Some(years) => {
                Some(Message::new("advise-lasts").with("years", in_words(Quantity::Years, years)))
            }
            None if has_volume || !self.compared.wears() || !writes.any(|writes| writes) => None,
            None => Some(Message::new("advise-lasts-unasked")),
        }
    }

    /// Says why this one of equals is built.
    fn simplest(&self) -> Option<Message> {
        if self.same.len() < 2 {
            return None;
        }
        if self.asked.prefer == Prefer::Space {
            return Some(Message::new("advise-most-space"));
        }
        let parts = self.specials.iter().map(|special| match special {
            Special::Parity => Message::new("advise-special-parity"),
            Special::MoreSurvived(failures) => {
                Message::new("advise-special-survived").count("failures", *failures)
            }
            Special::Layout => Message::new("advise-special-layout"),
            Special::Chunk => Message::new("advise-special-chunk"),
            Special::Bitmap => Message::new("advise-special-bitmap"),
        });
        Some(match self.specials.is_empty() {
            true => Message::new("advise-simplest-default"),
            false => Message::new("advise-simplest").with("parts", Argument::list(parts)),
        })
    }

    /// Says in how many variations of the loads the design stays one of the best, and what wins in the
    /// others.
    fn robust(&self) -> Vec<Message> {
        if self.varied.is_empty() {
            return Vec::new();
        }
        let within = self.varied.iter().filter(|one| one.is_within()).count();
        let mut messages = vec![
            Message::new("advise-robust")
                .digits("within", within)
                .count("all", self.varied.len())
                .percent("margin", TOLERANCE),
        ];
        let others = self.varied.iter().filter(|one| !one.is_within());
        messages.extend(others.filter_map(|one| {
            let row = self.front.get(one.fastest)?;
            let message = Message::new("advise-would-change");
            let message = message.with("variation", variation(one.variation));
            let message = message.with("design", short_stack(&row.stack));
            Some(message.percent("more", 1.0 / one.share - 1.0))
        }));
        messages
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
        let best = cells.first().and_then(|cells| self.asked.rate(cells));
        let others = cells.iter().skip(1);
        let share = |cells: &&[ExplainedCell]| Some(self.asked.rate(cells)?.median / best?.median);
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
        // Each of these has a sentence of its own.
        let others =
            others.filter(|(stack, _)| self.own_stack() != Some(*stack) && !is_usual(stack));
        // Of a level and layout that gives the same with several bitmaps, one is enough.
        let kind = |stack: &Stack| {
            let array = stack.array.clone();
            let array = array.map(|array| (array.level, array.layout));
            (array, stack.filesystem.clone())
        };
        let mut listed: Vec<(&Stack, f64)> = Vec::new();
        for (stack, share) in others {
            let is_said = |(one, other): &(&Stack, f64)| {
                kind(one) == kind(stack) && (other - share).abs() < 0.01
            };
            if !listed.iter().any(is_said) {
                listed.push((stack, share));
            }
        }
        let messages = listed.into_iter().map(|(stack, share)| {
            let gives = than_best(share).with("design", short_stack(stack));
            Message::new("advise-other").with("gives", gives)
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
            Fate::Unseen => None,
            Fate::BoundedAway | Fate::Outrun | Fate::Within => {
                let (_, share) = share?;
                let gives = than_best(*share).with("design", short_stack(stack));
                Some(Message::new("advise-usual-gives").with("gives", gives))
            }
        }
    }

    fn how_to_build(&self) -> Vec<Block> {
        if self.steps.is_empty() {
            return Vec::new();
        }
        let mut blocks = vec![Block::heading(Message::new("advise-how"))];
        blocks.extend(steps_as_blocks(&self.steps));
        blocks.push(Block::toned(
            Tone::Warn,
            Message::new("advise-how-overwrites"),
        ));
        blocks.push(Block::Gap);
        blocks.push(Block::open(
            Sentence::new(Message::new("advise-later")),
            steps_as_blocks(&self.later),
        ));
        blocks.push(Block::Gap);
        blocks
    }

    /// Returns how many designs each requirement refuses.
    fn refused_by(&self) -> Argument {
        let counts = self.asked.requirements.iter().map(|requirement| {
            let refused = self.designs.iter();
            let refused = refused.filter_map(|design| design.refusal);
            let count = refused.filter(|refusal| refusal.requirement == *requirement);
            (requirement, count.count())
        });
        let counts = counts.filter(|(_, count)| *count > 0);
        Argument::list(counts.map(|(requirement, count)| {
            Message::new("advise-refused-by")
                .digits("count", count)
                .name("requirement", requirement)
        }))
    }

    fn counts(&self) -> Message {
        let count = |is: &dyn Fn(&ConsideredDesign) -> bool| {
            self.designs.iter().filter(|design| is(design)).count()
        };
        let simulated = |design: &ConsideredDesign| design.bytes_per_s.is_some();
        let refused = count(&|design| design.fate == Fate::Refused);
        let message = Message::new(match refused {
            0 => "advise-counts-all",
            _ => "advise-counts",
        });
        message
            .count("designs", self.designs.len())
            .digits("refused", refused)
            .with("by", self.refused_by())
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

/// Returns commands, each below what it is for.
pub(super) fn steps_as_blocks(steps: &[Step]) -> Vec<Block> {
    let blocks = steps.iter().flat_map(|step| {
        let code = (!step.command.is_empty()).then(|| Block::Code(step.command.clone()));
        std::iter::once(Block::say(step.why.clone())).chain(code)
    });
    blocks.collect()
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

fn considered(stack: &Stack, outcome: &Outcome, compared: &Explanation) -> ConsideredDesign {
    let mut cells = compared.cells.iter();
    let is_in_table = cells.any(|cell| cell.cell.stack == *stack);
    let design = stack.summary();
    match outcome {
        Outcome::Refused(refusal) => ConsideredDesign {
            design,
            fate: Fate::Refused,
            refusal: Some(*refusal),
            bytes_per_s: None,
            is_precise: false,
        },
        Outcome::Raced(raced) => ConsideredDesign {
            design,
            fate: match raced.place {
                Place::BoundedAway => Fate::BoundedAway,
                Place::Outrun => Fate::Outrun,
                Place::Within => Fate::Within,
                Place::Unseen => Fate::Unseen,
            },
            refusal: None,
            bytes_per_s: raced.rate.map(|rate| rate.median),
            is_precise: raced.is_precise || is_in_table,
        },
    }
}
