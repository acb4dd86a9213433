//! What explains a difference, as blocks: words first, then a waterfall, then the table of facts.

use stripewise_answer::{Bar, Block, Cell, Column, Sentence, Table, Tone};
use stripewise_catalogue::number::two_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::ablation::{Effect, OfMetric};
use stripewise_diagnose::explain::caps::Cap;
use stripewise_diagnose::explain::conclusion::{KnownBy, NamedCause, Part, Smaller, Verdict};
use stripewise_diagnose::explain::difference::{Basis, Certainty, Difference, Silent};
use stripewise_diagnose::explain::evidence::{Evidence, Weight};
use stripewise_diagnose::explain::shape::Shape;
use stripewise_study::metric::Metric;

use super::words::{changed, name, percent, range, with_values};
use super::{Action, Conflict, Explained, ExplainedPair, NotRecorded};
use crate::change::{direction, signed};
use crate::numbers::span;

/// The most rules of a kernel that stand open.
const RULES_SHOWN: usize = 8;

impl Explained {
    /// Returns the explanation for people.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        for pair in &self.pairs {
            blocks.extend(pair.blocks());
            blocks.push(Block::Gap);
        }
        if self.unmatched > 0 {
            let message = Message::new("explain-unmatched").count("count", self.unmatched);
            blocks.push(Block::toned(Tone::Dim, message));
        }
        blocks.extend(self.imported());
        blocks.extend(self.conflicts());
        blocks.extend(self.not_recorded());
        blocks
    }

    /// Says what import noted about the files of each side, and once what it noted about both.
    fn imported(&self) -> Vec<Block> {
        let [before, after] = &self.warnings;
        let say = |id: &'static str, note: &Message| {
            Block::toned(Tone::Warn, Message::new(id).with("note", note.clone()))
        };
        let both = before.iter().filter(|note| after.contains(note));
        let both = both.map(|note| say("explain-imported-both", note));
        let alone = |id: &'static str, notes: &[Message], others: &[Message]| {
            let notes = notes.iter().filter(|note| !others.contains(note));
            notes.map(|note| say(id, note)).collect::<Vec<_>>()
        };
        both.chain(alone("explain-imported-before", before, after))
            .chain(alone("explain-imported-after", after, before))
            .collect()
    }

    /// Names the facts of which two sources of a side say different things.
    fn conflicts(&self) -> Vec<Block> {
        let sides = ["explain-conflict-before", "explain-conflict-after"];
        let all = sides.into_iter().zip(&self.conflicts);
        let said = all.flat_map(|(id, conflicts)| conflicts.iter().map(move |one| (id, one)));
        said.map(|(id, one)| Block::toned(Tone::Warn, conflict(id, one)))
            .collect()
    }

    /// Names the facts that a side does not have.
    fn not_recorded(&self) -> Vec<Block> {
        let missing = |side: fn(&NotRecorded) -> &Option<Message>, has_facts: bool| {
            let lacking = self.not_recorded.iter().filter(|one| side(one).is_some());
            let lacking = lacking.filter(|one| has_facts || one.is_of_load());
            lacking.map(|one| name(&one.key)).collect::<Vec<_>>()
        };
        let sides: [(&str, Vec<Message>); 2] = [
            (
                "explain-not-recorded-before",
                missing(|one| &one.before, self.has_facts[0]),
            ),
            (
                "explain-not-recorded-after",
                missing(|one| &one.after, self.has_facts[1]),
            ),
        ];
        let sides = sides.into_iter().filter(|(_, names)| !names.is_empty());
        let mut blocks: Vec<Block> = sides
            .map(|(id, names)| {
                let message = Message::new(id).with("facts", Argument::list_and(names));
                Block::toned(Tone::Dim, message)
            })
            .collect();
        let nothing = ["explain-no-facts-before", "explain-no-facts-after"].into_iter();
        let nothing = nothing
            .zip(self.has_facts)
            .filter(|(_, has_facts)| !has_facts);
        blocks.extend(nothing.map(|(id, _)| Block::toned(Tone::Warn, Message::new(id))));
        let why = |one: &NotRecorded| {
            let why = one.before.as_ref().or(one.after.as_ref())?;
            let fact = Message::new("explain-not-recorded-why").with("fact", name(&one.key));
            Some(fact.with("why", why.clone()))
        };
        let has_facts = self.has_facts.contains(&true);
        let list = self.not_recorded.iter();
        let list = list.filter(|one| has_facts || one.is_of_load());
        let list: Vec<Argument> = list.filter_map(why).map(Argument::from).collect();
        if !list.is_empty() {
            let title = Sentence::new(Message::new("explain-not-recorded-title"));
            blocks.push(Block::closed(title, vec![Block::List(list)]));
        }
        blocks
    }
}

impl ExplainedPair {
    fn blocks(&self) -> Vec<Block> {
        let Some(difference) = self.difference() else {
            return self.why_not();
        };
        let mut blocks = vec![Block::toned(Tone::Strong, self.headline(difference))];
        blocks.push(Block::say(basis(difference)));
        blocks.extend(
            self.silent()
                .into_iter()
                .map(|one| Block::toned(Tone::Warn, one)),
        );
        blocks.extend(self.capped().into_iter().map(Block::say));
        blocks.extend(self.verdict(difference).into_iter().map(Block::say));
        blocks.extend(self.others().into_iter().map(Block::say));
        blocks.extend(self.course().into_iter().map(Block::say));
        if difference.certainty == Certainty::Different {
            blocks.push(Block::Gap);
            blocks.push(self.waterfall(difference).into());
        }
        if !self.changes.is_empty() {
            blocks.push(Block::Gap);
            blocks.push(self.facts().into());
        }
        blocks.extend(
            self.about_model()
                .map(|about| Block::toned(Tone::Dim, about)),
        );
        blocks.extend(self.screened_out().map(|one| Block::toned(Tone::Dim, one)));
        blocks.extend(self.kernel_rules());
        blocks.extend(self.actions());
        blocks.extend(self.experiment());
        blocks
    }

    /// Says why the metric cannot be compared.
    fn why_not(&self) -> Vec<Block> {
        let sides = ["explain-before", "explain-after"].into_iter();
        let lacks = sides
            .zip(self.lacks)
            .filter_map(|(side, lack)| Some((side, lack?)));
        lacks
            .map(|(side, lack)| {
                let message = Message::new(format!("explain-lack-{}", lack.key()))
                    .with("load", self.load.clone())
                    .with("metric", self.metric.message())
                    .with("side", Message::new(side));
                Block::toned(Tone::Warn, message)
            })
            .collect()
    }

    /// Names the directions in which one side alone moved nothing.
    fn silent(&self) -> Vec<Message> {
        let of = |silent: &Silent| {
            let side = ["explain-before", "explain-after"][silent.side];
            Message::new(format!("explain-silent-{}", silent.direction))
                .with("side", Message::new(side))
                .as_sentence()
        };
        self.silent.iter().map(of).collect()
    }

    /// Says in which way latencies differ, and when the rate changed.
    fn course(&self) -> Vec<Message> {
        let shape = self.shape.map(|shape| match shape {
            Shape::Shift { times } => {
                Message::new("explain-shape-shift").digits("times", two_digits(times))
            }
            Shape::LongerTail { times } => {
                Message::new("explain-shape-tail").digits("times", two_digits(times))
            }
            Shape::SecondMode { share, times } => Message::new("explain-shape-mode")
                .with("share", percent(share))
                .digits("times", two_digits(times)),
        });
        let steps = self.steps.iter().map(|step| {
            let side = ["explain-before", "explain-after"][step.side];
            Message::new("explain-step-at")
                .with("side", Message::new(side))
                .digits("at", two_digits(step.at_s))
                .with("from", Metric::Bandwidth.quantity(step.from))
                .with("to", Metric::Bandwidth.quantity(step.to))
                .as_sentence()
        });
        shape.into_iter().chain(steps).collect()
    }

    /// Names the limits at which the load ran.
    fn capped(&self) -> Vec<Message> {
        let say = |id: &'static str, cap: &Cap| {
            Message::new(id)
                .with("fact", name(cap.key))
                .with("limit", cap.metric.quantity(cap.limit))
        };
        let [before, after] = &self.capped;
        let both = before.iter().filter(|cap| after.contains(cap));
        let both = both.map(|cap| say("explain-capped-both", cap));
        let alone = |id: &'static str, caps: &[Cap], others: &[Cap]| {
            let caps = caps.iter().filter(|cap| !others.contains(cap));
            caps.map(|cap| say(id, cap)).collect::<Vec<_>>()
        };
        both.chain(alone("explain-capped-before", before, after))
            .chain(alone("explain-capped-after", after, before))
            .collect()
    }

    /// Lists the rules that changed with the kernel.
    fn kernel_rules(&self) -> Option<Block> {
        if self.kernel_rules.is_empty() {
            return None;
        }
        let title = Message::new("explain-kernel-rules").count("count", self.kernel_rules.len());
        let rules = self.kernel_rules.iter().map(|rule| {
            Argument::from(
                Message::new("explain-kernel-rule")
                    .name("since", &rule.since)
                    .name("change", rule.change),
            )
        });
        let list = vec![Block::List(rules.collect())];
        let title = Sentence::new(title);
        Some(match self.kernel_rules.len() <= RULES_SHOWN {
            true => Block::open(title, list),
            false => Block::closed(title, list),
        })
    }

    /// Says by how much the results differ.
    fn headline(&self, difference: &Difference) -> Message {
        let metric = difference.metric;
        let values = |message: Message| {
            message
                .with("load", self.load.clone())
                .with("metric", metric.message())
                .with("before", metric.quantity(difference.before))
                .with("after", metric.quantity(difference.after))
        };
        match difference.certainty {
            Certainty::Different => values(Message::new("explain-headline"))
                .with("percent", percent(difference.ratio - 1.0))
                .with("word", direction(metric, difference.ratio > 1.0)),
            Certainty::Same => {
                values(Message::new("explain-headline-same")).with("percent", percent(self.margin))
            }
            Certainty::CannotTell => {
                let is_above = difference.low.is_some_and(|low| low > 1.0);
                let is_below = difference.high.is_some_and(|high| high < 1.0);
                let message = match is_above || is_below {
                    true => {
                        Message::new("explain-headline-small").with("margin", percent(self.margin))
                    }
                    false => Message::new("explain-headline-open"),
                };
                values(message).digits("percent", signed(100.0 * (difference.ratio - 1.0), 0))
            }
        }
    }

    /// Says what explains it.
    fn verdict(&self, difference: &Difference) -> Vec<Message> {
        let whole = (difference.ratio - 1.0).abs();
        let conclusion = &self.conclusion;
        let mut said: Vec<Message> = match conclusion.verdict {
            Verdict::Same | Verdict::CannotTell => vec![Message::new("explain-no-cause")],
            Verdict::Unexplained if self.changes.is_empty() => {
                vec![Message::new("explain-nothing-differs")]
            }
            Verdict::Unexplained => {
                let count = self.changes.len();
                vec![Message::new("explain-nothing").count("count", count)]
            }
            Verdict::Explained | Verdict::PartlyExplained | Verdict::Suspected => Vec::new(),
        };
        said.extend(
            conclusion
                .causes
                .iter()
                .flat_map(|cause| self.cause(cause, difference)),
        );
        said.extend(self.smaller(whole));
        let is_known = !conclusion.causes.is_empty() || conclusion.smaller.is_some();
        let rest = conclusion.rest.filter(|_| is_known);
        said.extend(rest.filter(|rest| rest.value > 0.25).map(|rest| {
            let has_unknown = conclusion.causes.iter().any(|cause| cause.part.is_none());
            let id = if has_unknown {
                "explain-rest-unknown"
            } else {
                "explain-rest"
            };
            Message::new(id)
                .with("range", range(rest.low.max(0.0) * whole, rest.high * whole))
                .with("whole", percent(whole))
        }));
        said.extend(rest.filter(|rest| rest.high < 0.0).map(|rest| {
            Message::new("explain-more").with("range", range(-rest.high * whole, -rest.low * whole))
        }));
        if self.of_metric().is_some_and(|one| one.interact) && conclusion.causes.len() > 1 {
            said.push(Message::new("explain-interact"));
        }
        let against = conclusion
            .against
            .iter()
            .map(|one| (with_values(&self.changes[one.change]), one.part));
        said.extend(against.map(|(fact, part)| {
            Message::new("explain-against")
                .with("fact", fact)
                .with("range", self.part_of(part.reversed(), whole))
                .as_sentence()
        }));
        said
    }

    /// Names the changes whose effects are too small for causes.
    fn smaller(&self, whole: f64) -> Option<Message> {
        let Smaller { changes, part } = self.conclusion.smaller.as_ref()?;
        let facts = changes.iter().map(|place| changed(&self.changes[*place]));
        Some(
            Message::new("explain-smaller")
                .with("facts", Argument::list_and(facts))
                .with(
                    "range",
                    range(
                        part.low * self.scale() * whole,
                        part.high * self.scale() * whole,
                    ),
                )
                .with("whole", percent(whole)),
        )
    }

    /// Says what a cause explains, and what the samples say of it.
    fn cause(&self, cause: &NamedCause, difference: &Difference) -> Vec<Message> {
        let whole = (difference.ratio - 1.0).abs();
        let fact = with_values(&self.changes[cause.change]);
        let message = match cause.part {
            Some(part) => Message::new("explain-cause")
                .with("fact", fact)
                .with("range", self.part_of(part, whole))
                .with("whole", percent(whole)),
            None if cause.known_by == KnownBy::Overstated => Message::new("explain-overstated")
                .with("fact", fact)
                .with("word", direction(difference.metric, difference.ratio > 1.0)),
            None if cause.known_by == KnownBy::Kind => {
                Message::new("explain-suspect-either").with("fact", fact)
            }
            None => Message::new("explain-suspect")
                .with("fact", fact)
                .with("word", direction(difference.metric, difference.ratio > 1.0)),
        };
        let mut said = vec![message.as_sentence()];
        said.extend(cause.evidence.iter().map(evidence));
        said
    }

    /// Returns by how much parts are shown smaller than the model has them: together, causes explain no more
    /// than all of a difference, and what is beyond is said apart.
    fn scale(&self) -> f64 {
        let conclusion = &self.conclusion;
        let causes = conclusion.causes.iter().filter_map(|cause| cause.part);
        let against = conclusion.against.iter().map(|one| one.part);
        let smaller = conclusion.smaller.iter().map(|one| one.part);
        let known = causes.chain(against).chain(smaller);
        1.0 / known.map(|part| part.value).sum::<f64>().max(1.0)
    }

    /// Returns the part of a cause in per cent of what was measured before.
    fn part_of(&self, part: Part, whole: f64) -> Message {
        let end = |end: f64| (end * self.scale()).clamp(0.0, 1.0) * whole;
        range(end(part.low), end(part.high))
    }

    /// Says how other metrics differ.
    fn others(&self) -> Vec<Message> {
        let others = self.differences.iter();
        let others = others.filter(|difference| difference.metric != self.metric);
        let said = others.map(|difference| {
            let metric = difference.metric;
            let message = Message::new(other(difference.certainty))
                .with("metric", metric.message())
                .with("before", metric.quantity(difference.before))
                .with("after", metric.quantity(difference.after))
                .digits("percent", signed(100.0 * (difference.ratio - 1.0), 0))
                .as_sentence();
            let ablation = self.ablation.as_ref();
            let of_metric = ablation.and_then(|ablation| ablation.of(metric));
            let model = of_metric.filter(|one| !one.effects.is_empty()).map(|one| {
                let change = 100.0 * (one.total.value.exp() - 1.0);
                Message::new("explain-other-model").digits("percent", signed(change, 0))
            });
            [Some(message), model].into_iter().flatten()
        });
        said.flatten().collect()
    }

    fn of_metric(&self) -> Option<&OfMetric> {
        self.ablation.as_ref()?.of(self.metric)
    }

    /// Returns the way from before to after: what each cause takes, and the rest.
    fn waterfall(&self, difference: &Difference) -> Table {
        let metric = difference.metric;
        let moved = difference.after - difference.before;
        // Parts add up to the difference, as in the sentences above: the order does not matter. What the
        // model overstates can go below nothing, which no rate is.
        let mut ends = vec![difference.before];
        let steps = self.steps();
        for (_, part) in &steps {
            let at = ends[ends.len() - 1];
            ends.push(at + part * moved);
        }
        let shown = |end: f64| end.max(0.0);
        let whole = ends.iter().copied().fold(difference.after, f64::max);
        let mut table = Table::new(
            "waterfall",
            [
                Column::words("step", Message::new("explain-step")),
                Column::number(metric.key(), metric.message()),
                Column::bar(),
                Column::number("part_percent", Message::new("explain-part")).unit("%"),
            ],
        );
        let quantity = |value: f64| Cell::of(metric.quantity(value)).exact(value);
        let of_change = |change: f64| {
            let percent = 100.0 * change / difference.before;
            Cell::digits(signed(percent, 0)).exact(percent)
        };
        table.row([
            Cell::of(Message::new("explain-before")).tone(Tone::Strong),
            quantity(difference.before),
            Cell::bar(Bar::of_part(0.0, difference.before, whole)),
            Cell::empty(),
        ]);
        for ((step, part), pair) in steps.into_iter().zip(ends.windows(2)) {
            let [at, next] = [shown(pair[0]), shown(pair[1])];
            table.row([
                Cell::of(step),
                quantity(next),
                Cell::bar(Bar::of_part(at.min(next), at.max(next), whole)),
                of_change(part * moved),
            ]);
        }
        table.row([
            Cell::of(Message::new("explain-after")).tone(Tone::Strong),
            quantity(difference.after),
            Cell::bar(Bar::of_part(0.0, difference.after, whole)),
            of_change(moved).tone(Tone::Strong),
        ]);
        table
    }

    /// Returns the steps from before to after, each with its part of the difference.
    fn steps(&self) -> Vec<(Message, f64)> {
        let conclusion = &self.conclusion;
        let of_change = |change: usize| changed(&self.changes[change]);
        let causes = conclusion.causes.iter();
        let causes = causes.filter_map(|one| Some((of_change(one.change), one.part?.value)));
        let against = conclusion.against.iter();
        let against = against.map(|one| (of_change(one.change), one.part.value));
        let smaller = conclusion.smaller.iter();
        let smaller = smaller.map(|one| (Message::new("explain-smaller-step"), one.part.value));
        let rest = conclusion.rest.iter();
        let has_unknown = conclusion.causes.iter().any(|one| one.part.is_none());
        let left = match has_unknown {
            true => "explain-left-unknown",
            false => "explain-left",
        };
        let rest = rest.map(|rest| (Message::new(left), rest.value));
        let scale = self.scale();
        let known = causes.chain(against).chain(smaller);
        let known = known.map(|(step, part)| (step, part * scale));
        let rest = rest.filter(|(_, part)| *part >= 0.0);
        // What the model overstates leaves nothing to add up.
        match conclusion.rest {
            Some(_) => known.chain(rest).collect(),
            None => Vec::new(),
        }
    }

    /// Returns the facts that differ, the causes first.
    fn facts(&self) -> Table {
        let say = |id: &'static str| Message::new(id);
        let mut table = Table::new(
            "facts",
            [
                Column::words("fact", say("explain-column-fact")),
                Column::words("before", say("explain-before")),
                Column::words("after", say("explain-after")),
                Column::number("alone_percent", say("explain-column-alone")).unit("%"),
                Column::words("known", say("explain-column-known")),
            ],
        );
        let causes = self.conclusion.causes.iter().map(|cause| cause.change);
        let mut order: Vec<usize> = causes.collect();
        let others = (0..self.changes.len()).filter(|place| !order.contains(place));
        let others: Vec<usize> = others.collect();
        order.extend(others);
        for place in order {
            let change = &self.changes[place];
            let effect = self.of_metric().and_then(|one| one.effect(place));
            table.row([
                Cell::of(changed(change)),
                Cell::name(&change.before),
                Cell::name(&change.after),
                self.alone(place, effect),
                Cell::of(self.known(place)),
            ]);
        }
        table
    }

    /// Returns what a change does alone in the model.
    fn alone(&self, place: usize, effect: Option<&Effect>) -> Cell {
        let is_modelled = self
            .ablation
            .as_ref()
            .is_some_and(|ablation| ablation.modelled.contains(&place));
        match (effect, is_modelled) {
            (Some(effect), _) => {
                let percent = 100.0 * (effect.alone.exp() - 1.0);
                Cell::digits(signed(percent, 0)).exact(percent)
            }
            (None, true) => Cell::digits("0").exact(0.0).tone(Tone::Dim),
            (None, false) => Cell::none(),
        }
    }

    /// Says how the effect of a change is known.
    fn known(&self, place: usize) -> Message {
        let mut causes = self.conclusion.causes.iter();
        let named = causes.find(|cause| cause.change == place);
        let Some(ablation) = &self.ablation else {
            return Message::new("explain-known-nothing");
        };
        if ablation.modelled.contains(&place) {
            let has_effect = self
                .of_metric()
                .is_some_and(|one| one.effect(place).is_some());
            return Message::new(match has_effect {
                true => "explain-known-model",
                false => "explain-known-no-effect",
            });
        }
        let not_modelled = ablation.not_modelled.iter().find(|one| one.change == place);
        match (
            named.map(|cause| cause.known_by),
            not_modelled.and_then(|one| one.why.as_ref()),
        ) {
            (Some(KnownBy::Overstated), _) => Message::new("explain-known-overstated"),
            (Some(KnownBy::Direction), _) => Message::new("explain-known-direction"),
            (Some(KnownBy::Kind), _) => Message::new("explain-known-either"),
            (_, Some(why)) => Message::new("explain-known-refused").name("why", why),
            _ => Message::new("explain-known-nothing"),
        }
    }

    /// Says how many changes with an effect were not taken apart.
    fn screened_out(&self) -> Option<Message> {
        let count = self.ablation.as_ref()?.screened_out;
        (count > 0).then(|| Message::new("explain-screened-out").count("count", count))
    }

    /// Says which profiles stand for the machine, and how near the model is to what was measured.
    fn about_model(&self) -> Option<Message> {
        if let Some(why) = &self.model_refused {
            return Some(Message::new("explain-model-refused").with("why", why.clone()));
        }
        let used = self.model.as_ref()?;
        let measured = self.difference()?.before;
        let predicted = self.of_metric()?.before;
        let times = two_digits(predicted / measured);
        let id = match used.is_assumed {
            true => "explain-model-assumed",
            false => "explain-model-named",
        };
        Some(
            Message::new(id)
                .name("device", &used.device)
                .name("host", &used.host)
                .digits("times", times),
        )
    }

    /// Says what to do about each cause, what that risks, and how to undo it.
    fn actions(&self) -> Vec<Block> {
        let of = |cause: &NamedCause| {
            let action = self.actions.iter().find(|one| one.change == cause.change)?;
            let title =
                Message::new("explain-do").with("fact", with_values(&self.changes[cause.change]));
            let lines = action_lines(action).into_iter().map(Argument::from);
            let list = Block::List(lines.collect());
            Some(Block::open(Sentence::new(title), vec![list]))
        };
        self.conclusion.causes.iter().filter_map(of).collect()
    }

    fn experiment(&self) -> Vec<Block> {
        let Some(experiment) = &self.experiment else {
            return Vec::new();
        };
        let facts = experiment
            .changes
            .iter()
            .map(|place| changed(&self.changes[*place]));
        let time = std::time::Duration::from_secs_f64(experiment.time_s);
        let id = match experiment.changes.len() {
            1 => "explain-experiment-one",
            _ => "explain-experiment",
        };
        let title = Message::new(id)
            .with("facts", Argument::list_and(facts))
            .name("time", span(time));
        vec![
            Block::Gap,
            Block::say(title),
            Block::Code(experiment.command.clone()),
            Block::closed(
                Sentence::new(Message::new("explain-experiment-study")),
                vec![Block::Code(experiment.study.clone())],
            ),
        ]
    }
}

fn action_lines(action: &Action) -> Vec<Message> {
    let undo = action.undo.as_ref();
    let redo = action.redo.as_ref();
    let lines = [
        undo.map(|undo| Message::new("explain-do-command").name("command", undo)),
        Some(Message::new(format!("explain-risk-{}", action.risk.key()))),
        redo.map(|redo| Message::new("explain-do-undo").name("command", redo)),
        Some(Message::new("explain-do-prove")),
        action
            .source
            .map(|source| Message::new("explain-do-source").name("source", source)),
    ];
    lines.into_iter().flatten().collect()
}

/// Says how sure a difference is.
fn basis(difference: &Difference) -> Message {
    let id = format!("explain-basis-{}", difference.basis.key());
    let message = Message::new(id);
    let end = |end: Option<f64>| signed(100.0 * (end.unwrap_or(1.0) - 1.0), 0);
    let message = message
        .digits("low", end(difference.low))
        .digits("high", end(difference.high));
    match difference.basis {
        Basis::Samples | Basis::FewSamples => message
            .digits("one", difference.samples[0])
            .digits("other", difference.samples[1]),
        Basis::SpreadOfRuns | Basis::Assumed => message,
    }
}

/// Says that two sources disagree.
pub(super) fn conflict(id: &'static str, conflict: &Conflict) -> Message {
    let source = Message::new(format!("explain-source-{}", conflict.source.key()));
    Message::new(id)
        .with("fact", name(&conflict.key))
        .name("taken", &conflict.taken)
        .name("other", &conflict.other)
        .with("source", source)
        .as_sentence()
}

/// Returns the message about another metric, by how sure its difference is.
fn other(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Different => "explain-other",
        Certainty::Same => "explain-other-same",
        Certainty::CannotTell => "explain-other-open",
    }
}

/// Says what a counter says of a cause.
fn evidence(evidence: &Evidence) -> Message {
    let weight = match evidence.weight {
        Weight::Supports => "supports",
        Weight::Contradicts => "contradicts",
    };
    let id = format!("explain-{}-{weight}", evidence.counter.key());
    let message = Message::new(id)
        .digits("percent", signed(100.0 * (evidence.ratio - 1.0), 0))
        .digits("times", two_digits(evidence.ratio));
    message.digits(
        "expected",
        two_digits(evidence.expected.unwrap_or(evidence.ratio)),
    )
}
