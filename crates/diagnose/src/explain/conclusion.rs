//! What explains a difference: shares of causes that the model knows, suspects that it does not, and the
//! rest.
//!
//! No cause is named where the difference may be noise, nor a change whose effect goes the other way.

use std::cmp::Ordering;

use serde::Serialize;

use super::ablation::{Ablation, Change, EFFECT_MIN, LogRange, OfMetric};
use super::difference::{Certainty, Difference};
use super::evidence::{Evidence, Weight};
use super::kinds::{kind, tendency};

/// A smaller share of the measured difference is not named as a cause.
const NAMED_MIN: f64 = 0.15;
/// From this part of the difference on, causes explain it.
const EXPLAINED_MIN: f64 = 0.75;

/// If even the lower end of what the model expects is so many times the measured difference, it says which
/// way a change acts, and nothing of how much.
const OVERSTATED_MIN: f64 = 1.5;

/// How a cause is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownBy {
    /// The model simulates it.
    Model,
    /// The model simulates it, and expects far more than was measured: only the direction counts.
    Overstated,
    /// It is known to act in this direction; how much is not known.
    Direction,
    /// It is known to act on such loads, in either direction.
    Kind,
}

/// A part of the measured difference, 1 for all of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Part {
    /// The lower end.
    pub low: f64,
    /// The value.
    pub value: f64,
    /// The upper end.
    pub high: f64,
}

/// A cause of a difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedCause {
    /// The change, by its place among all.
    pub change: usize,
    /// How it is known.
    pub known_by: KnownBy,
    /// The part of the measured difference that it explains; `None` if that is not known.
    pub part: Option<Part>,
    /// What the model expects of it, as a part of the measured difference, if that is far more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Part>,
    /// What the samples say of it.
    pub evidence: Vec<Evidence>,
}

/// What the causes come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// There is no difference to explain.
    Same,
    /// Whether there is one cannot be told.
    CannotTell,
    /// The causes explain it.
    Explained,
    /// They explain a part.
    PartlyExplained,
    /// Changes could explain it whose effect is not known.
    Suspected,
    /// Nothing that was recorded explains it.
    Unexplained,
}

/// What explains a difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conclusion {
    /// What the causes come to.
    pub verdict: Verdict,
    /// The causes, the most important first.
    pub causes: Vec<NamedCause>,
    /// What the model knows of changes too small to be named as causes; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smaller: Option<Smaller>,
    /// The part that no change explains, whether it is named or not; negative if they explain more than
    /// was measured. `None` if the model overstates one.
    pub rest: Option<Part>,
    /// The changes that act the other way.
    pub against: Vec<Against>,
}

/// A change that acts the other way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Against {
    /// The change, by its place among all.
    pub change: usize,
    /// What it does, as a part of the measured difference: negative.
    pub part: Part,
}

/// Changes too small to be named as causes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Smaller {
    /// The changes, by their places among all, the largest first.
    pub changes: Vec<usize>,
    /// What they do together.
    pub part: Part,
}

impl Part {
    /// Returns a logarithm as a part of another one.
    fn of(share: LogRange, whole: f64) -> Self {
        let ends = (share.low / whole, share.high / whole);
        Self {
            low: ends.0.min(ends.1),
            value: share.value / whole,
            high: ends.0.max(ends.1),
        }
    }

    /// Returns the same in the other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            low: -self.high,
            value: -self.value,
            high: -self.low,
        }
    }

    /// Returns parts together.
    fn sum(parts: impl IntoIterator<Item = Part>) -> Self {
        let nothing = Self {
            low: 0.0,
            value: 0.0,
            high: 0.0,
        };
        parts.into_iter().fold(nothing, |sum, part| Self {
            low: sum.low + part.low,
            value: sum.value + part.value,
            high: sum.high + part.high,
        })
    }
}

impl Conclusion {
    /// Returns the conclusion where nothing is known.
    pub const fn open() -> Self {
        Self {
            verdict: Verdict::CannotTell,
            causes: Vec::new(),
            smaller: None,
            rest: None,
            against: Vec::new(),
        }
    }

    /// Draws the conclusion for one metric of a load that `writes`, or does not. `evidence` is what the
    /// samples say of each change.
    pub fn new(
        difference: &Difference,
        changes: &[Change],
        ablation: Option<&Ablation>,
        writes: bool,
        evidence: impl Fn(usize, &Change) -> Vec<Evidence>,
    ) -> Self {
        let verdict = match difference.certainty {
            Certainty::Same => Some(Verdict::Same),
            Certainty::CannotTell => Some(Verdict::CannotTell),
            Certainty::Different => None,
        };
        if let Some(verdict) = verdict {
            return Self {
                verdict,
                ..Self::open()
            };
        }
        let of_metric = ablation.and_then(|ablation| ablation.of(difference.metric));
        let ByModel {
            causes: modelled,
            smaller,
            against,
        } = ByModel::of(difference, of_metric);
        let is_modelled =
            |place: usize| ablation.is_some_and(|ablation| ablation.modelled.contains(&place));
        let unknown = (0..changes.len()).filter(|place| !is_modelled(*place));
        let suspects = unknown.filter_map(|change| {
            let known_by = suspected(&changes[change], difference, writes)?;
            Some(NamedCause {
                change,
                known_by,
                part: None,
                expected: None,
                evidence: Vec::new(),
            })
        });
        let explained = Part::sum(modelled.iter().filter_map(|cause| cause.part));
        let is_overstated = modelled.iter().any(|cause| cause.expected.is_some());
        let others = against.iter().map(|one| one.part);
        let others = others.chain(smaller.iter().map(|smaller| smaller.part));
        let known = Part::sum(others.chain([explained]));
        let rest = (!is_overstated).then_some(Part {
            low: 1.0 - known.high,
            value: 1.0 - known.value,
            high: 1.0 - known.low,
        });
        let mut causes = modelled;
        causes.extend(suspects);
        for cause in &mut causes {
            cause.evidence = evidence(cause.change, &changes[cause.change]);
        }
        order(&mut causes, rest);
        Self {
            verdict: judged(&causes, explained),
            causes,
            smaller,
            rest,
            against,
        }
    }
}

/// What the model knows of changes.
struct ByModel {
    /// The causes, the largest first.
    causes: Vec<NamedCause>,
    smaller: Option<Smaller>,
    against: Vec<Against>,
}

impl ByModel {
    fn of(difference: &Difference, of_metric: Option<&OfMetric>) -> Self {
        let (mut causes, mut against, mut smaller) = (Vec::new(), Vec::new(), Vec::new());
        for effect in of_metric.into_iter().flat_map(|one| &one.effects) {
            let part = Part::of(effect.share, difference.log());
            let change = effect.change;
            let has_effect = effect.share.value.abs() >= EFFECT_MIN;
            if has_effect && part.value >= NAMED_MIN {
                causes.push(NamedCause::of(change, part));
            } else if has_effect && part.value <= -NAMED_MIN {
                against.push(Against { change, part });
            } else if has_effect {
                smaller.push((change, part));
            }
        }
        let value =
            |cause: &NamedCause| cause.part.or(cause.expected).map_or(0.0, |part| part.value);
        causes.sort_by(|one, other| value(other).total_cmp(&value(one)));
        smaller.sort_by(|(_, one), (_, other)| other.value.abs().total_cmp(&one.value.abs()));
        let smaller = (!smaller.is_empty()).then(|| Smaller {
            changes: smaller.iter().map(|(change, _)| *change).collect(),
            part: Part::sum(smaller.iter().map(|(_, part)| *part)),
        });
        Self {
            causes,
            smaller,
            against,
        }
    }
}

impl NamedCause {
    /// Returns a cause of which the model expects this part.
    fn of(change: usize, part: Part) -> Self {
        let is_overstated = part.low > OVERSTATED_MIN;
        Self {
            change,
            known_by: match is_overstated {
                true => KnownBy::Overstated,
                false => KnownBy::Model,
            },
            part: (!is_overstated).then_some(part),
            expected: is_overstated.then_some(part),
            evidence: Vec::new(),
        }
    }
}

/// Returns how a change is suspected that the model does not know; `None` if it is not.
fn suspected(change: &Change, difference: &Difference, writes: bool) -> Option<KnownBy> {
    let is_slower = (difference.ratio < 1.0) == difference.metric.higher_is_better();
    let acts_so = match is_slower {
        true => Ordering::Greater,
        false => Ordering::Less,
    };
    match tendency(&change.key, &change.before, &change.after, writes) {
        Some(tendency) => (tendency == acts_so).then_some(KnownBy::Direction),
        None => kind(&change.key).acts_either_way.then_some(KnownBy::Kind),
    }
}

/// Orders causes: those that samples contradict last; if most of the difference is left to explain, those
/// without a share before those with a small one.
fn order(causes: &mut [NamedCause], rest: Option<Part>) {
    let is_left = rest.is_some_and(|rest| rest.value > 0.5);
    let is_contradicted = |cause: &NamedCause| {
        let mut evidence = cause.evidence.iter();
        evidence.any(|one| one.weight == Weight::Contradicts)
    };
    let place = |cause: &NamedCause| match (is_left, cause.known_by) {
        (_, KnownBy::Overstated) => 0,
        (true, KnownBy::Direction) | (false, KnownBy::Model) => 0,
        (true, KnownBy::Model) | (false, KnownBy::Direction) => 1,
        (_, KnownBy::Kind) => 2,
    };
    causes.sort_by_key(|cause| (is_contradicted(cause), place(cause)));
}

fn judged(causes: &[NamedCause], explained: Part) -> Verdict {
    let is_named = explained.value >= NAMED_MIN;
    match causes.is_empty() {
        true => Verdict::Unexplained,
        false if is_named && explained.high >= EXPLAINED_MIN => Verdict::Explained,
        false if is_named => Verdict::PartlyExplained,
        false => Verdict::Suspected,
    }
}

#[cfg(test)]
mod tests {
    use stripewise_study::metric::Metric;

    use super::super::ablation::Effect;
    use super::super::difference::Basis;
    use super::*;

    /// Returns the conclusion where a load became 20 % slower, and changes have these shares of it.
    fn concluded(parts: &[f64]) -> Conclusion {
        let difference = Difference {
            metric: Metric::Bandwidth,
            before: 100.0,
            after: 80.0,
            samples: [6, 6],
            ratio: 0.8,
            low: Some(0.79),
            high: Some(0.81),
            basis: Basis::Samples,
            certainty: Certainty::Different,
        };
        let share = |part: f64| LogRange {
            low: part * difference.log(),
            value: part * difference.log(),
            high: part * difference.log(),
        };
        let effects = parts.iter().enumerate().map(|(change, part)| Effect {
            change,
            alone: part * difference.log(),
            undone: part * difference.log(),
            share: share(*part),
        });
        let of_metric = OfMetric {
            metric: Metric::Bandwidth,
            before: 100.0,
            total: share(parts.iter().sum()),
            effects: effects.collect(),
            smallest: Vec::new(),
            interact: false,
        };
        let ablation = Ablation {
            modelled: (0..parts.len()).collect(),
            not_modelled: Vec::new(),
            screened_out: 0,
            requests: std::collections::BTreeMap::new(),
            metrics: vec![of_metric],
        };
        let changes: Vec<Change> = (0..parts.len())
            .map(|at| Change {
                key: format!("key{at}"),
                before: "1".to_owned(),
                after: "2".to_owned(),
            })
            .collect();
        let none = |_, _: &Change| Vec::new();
        Conclusion::new(&difference, &changes, Some(&ablation), true, none)
    }

    /// The failure: seven effects of a tenth each, seven tenths of the difference, were "unexplained".
    #[test]
    fn effects_too_small_to_be_causes_are_not_part_of_the_rest() {
        let found = concluded(&[0.5, 0.1, 0.08, 0.01]);
        let causes: Vec<usize> = found.causes.iter().map(|cause| cause.change).collect();
        assert_eq!(causes, [0]);
        let smaller = found.smaller.unwrap();
        assert_eq!(smaller.changes, [1, 2]);
        assert!((smaller.part.value - 0.18).abs() < 1e-9);
        assert!((found.rest.unwrap().value - 0.32).abs() < 1e-9);
    }

    #[test]
    fn what_acts_the_other_way_leaves_more_to_explain() {
        let found = concluded(&[0.5, -0.5]);
        assert_eq!(found.against[0].change, 1);
        assert!((found.rest.unwrap().value - 1.0).abs() < 1e-9);
        assert_eq!(found.smaller, None);
    }
}
