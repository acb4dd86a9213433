//! What explains a difference, as blocks: words first, then a waterfall, then the table of facts.

use stripewise_answer::{Bar, Block, Cell, Column, Sentence, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::ablation::{Effect, OfMetric};
use stripewise_diagnose::explain::conclusion::{KnownBy, NamedCause, Verdict};
use stripewise_diagnose::explain::difference::{Basis, Certainty, Difference};
use stripewise_diagnose::explain::evidence::{Evidence, Weight};

use super::words::{changed, name, percent, range, with_values};
use super::{Action, Explained, ExplainedPair, NotRecorded};
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
        blocks.extend(self.not_recorded());
        blocks
    }

    /// Names the facts that a side does not have.
    fn not_recorded(&self) -> Vec<Block> {
        let missing = |side: fn(&NotRecorded) -> &Option<Message>, has_facts: bool| {
            if !has_facts {
                return Vec::new();
            }
            let lacking = self.not_recorded.iter().filter(|one| side(one).is_some());
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
        if !self.not_recorded.is_empty() && self.has_facts.contains(&true) {
            let title = Sentence::new(Message::new("explain-not-recorded-title"));
            let list = self.not_recorded.iter().filter_map(why).map(Argument::from);
            blocks.push(Block::closed(title, vec![Block::List(list.collect())]));
        }
        blocks
    }
}

impl ExplainedPair {
    fn blocks(&self) -> Vec<Block> {
        let Some(difference) = self.difference() else {
            let message = Message::new("explain-no-metric").with("load", self.load.clone());
            return vec![Block::toned(Tone::Warn, message)];
        };
        let mut blocks = vec![Block::toned(Tone::Strong, self.headline(difference))];
        blocks.push(Block::say(basis(difference)));
        blocks.extend(self.verdict(difference).into_iter().map(Block::say));
        blocks.extend(self.others().into_iter().map(Block::say));
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
        blocks.extend(self.kernel_rules());
        blocks.extend(self.actions());
        blocks.extend(self.experiment());
        blocks
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
        let rest = conclusion.rest.filter(|_| !conclusion.causes.is_empty());
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
            .map(|place| with_values(&self.changes[*place]));
        said.extend(against.map(|fact| {
            Message::new("explain-against")
                .with("fact", fact)
                .as_sentence()
        }));
        said
    }

    /// Says what a cause explains, and what the samples say of it.
    fn cause(&self, cause: &NamedCause, difference: &Difference) -> Vec<Message> {
        let whole = (difference.ratio - 1.0).abs();
        let fact = with_values(&self.changes[cause.change]);
        let message = match cause.part {
            Some(part) => Message::new("explain-cause")
                .with("fact", fact)
                .with("range", range(part.low.max(0.0) * whole, part.high * whole))
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

    /// Says how other metrics differ.
    fn others(&self) -> Vec<Message> {
        let others = self.differences.iter().skip(1);
        let said = others.map(|difference| {
            let metric = difference.metric;
            let message = Message::new("explain-other")
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
        self.ablation.as_ref()?.of(self.metric())
    }

    /// Returns the way from before to after: what each cause takes, and the rest.
    fn waterfall(&self, difference: &Difference) -> Table {
        let metric = difference.metric;
        let whole = difference.before.max(difference.after);
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
        let of_change = |ratio: f64| {
            let percent = 100.0 * (ratio - 1.0);
            Cell::digits(signed(percent, 0)).exact(percent)
        };
        table.row([
            Cell::of(Message::new("explain-before")).tone(Tone::Strong),
            quantity(difference.before),
            Cell::bar(Bar::of_part(0.0, difference.before, whole)),
            Cell::empty(),
        ]);
        let mut at = difference.before;
        let parts = self.conclusion.causes.iter().filter_map(|cause| {
            let part = cause.part?;
            Some((changed(&self.changes[cause.change]), part.value))
        });
        let rest = self
            .conclusion
            .rest
            .map(|rest| (Message::new("explain-left"), rest.value));
        let begun = difference.before;
        for (step, part) in parts.chain(rest) {
            let next = at * (part * difference.log()).exp();
            table.row([
                Cell::of(step),
                quantity(next),
                Cell::bar(Bar::of_part(at.min(next), at.max(next), whole)),
                of_change(1.0 + (next - at) / begun),
            ]);
            at = next;
        }
        table.row([
            Cell::of(Message::new("explain-after")).tone(Tone::Strong),
            quantity(difference.after),
            Cell::bar(Bar::of_part(0.0, difference.after, whole)),
            of_change(difference.ratio).tone(Tone::Strong),
        ]);
        table
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

    /// Says which profiles stand for the machine, and how near the model is to what was measured.
    fn about_model(&self) -> Option<Message> {
        if let Some(why) = &self.model_refused {
            return Some(Message::new("explain-model-refused").with("why", why.clone()));
        }
        let used = self.model.as_ref()?;
        let measured = self.difference()?.before;
        let predicted = self.of_metric()?.before;
        let times = stripewise_catalogue::number::two_digits(predicted / measured);
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

/// Says what a counter says of a cause.
fn evidence(evidence: &Evidence) -> Message {
    let id = match evidence.weight {
        Weight::Supports => "explain-evidence-supports",
        Weight::Contradicts => "explain-evidence-contradicts",
    };
    Message::new(id).digits("percent", signed(100.0 * (evidence.ratio - 1.0), 0))
}
