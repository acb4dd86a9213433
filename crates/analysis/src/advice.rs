//! Which setting to use, from what power cuts destroyed and how fast each setting is.
//!
//! The rules, in the order in which a setting is judged:
//!
//! 1. *Avoid* it if a stack did not come back, if one came back with wrong data, or if a loss was
//!    older than [`LOSS_NS_MAX`]: one such cut is enough.
//! 2. *Undecided* below [`INDEPENDENT_MIN`] independent cuts with a known outcome, or if more than a
//!    tenth of the outcomes is unknown.
//! 3. *Lossless* if no cut lost anything.
//! 4. *Avoid* it if the loss has no known limit: the model says so, or without a prediction, a loss
//!    was older than half of the longest recording, whose length may have limited it.
//! 5. Else the loss is *bounded*, by the oldest that was measured or predicted.
//!
//! The advice names the lossless settings and the fastest of them, then the fastest setting with a
//! bounded loss of each stack if it is [`GAIN_MIN`] times as fast, and then the settings to avoid. It
//! leaves speed out where it is unknown.
//!
//! Without cuts it says what the model predicts: which settings lose nothing, and what the others lose.
//! Whether a stack comes back is no prediction, and the advice says that.

use serde::Serialize;
use stripewise_stats::Estimate;

use crate::cuts::{CutPrediction, CutShare, CutSummary};

/// The oldest loss that counts as small.
pub const LOSS_NS_MAX: u64 = 10_000_000_000;
/// The fewest independent cuts from which anything good is concluded: none of 10 still allows 31 %.
pub const INDEPENDENT_MIN: usize = 10;

/// How many times as fast a setting has to be for a loss to be worth it.
pub const GAIN_MIN: f64 = 1.5;
/// The most stacks for which a bounded loss is advised.
const RELAXED_MAX: usize = 3;

/// A setting: a cell, measured with power cuts, simulated, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The name of its stack. A setting is held against one of the same stack if there is one.
    pub stack: String,
    /// Its throughput.
    pub throughput: Option<Estimate>,
    /// Its cuts.
    pub measured: Option<CutSummary>,
    /// The prediction.
    pub predicted: Option<CutPrediction>,
}

/// What speaks against a setting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// Stacks that did not come back.
    Unusable {
        /// How many.
        share: CutShare,
    },
    /// Stacks that came back with wrong data, without an error.
    Corrupt {
        /// How many.
        share: CutShare,
    },
    /// It lost too much.
    Loses {
        /// The oldest loss, in ns.
        age_ns_max: u64,
    },
    /// Nothing is known to limit the loss.
    NoLimit {
        /// The oldest loss, in ns.
        age_ns_max: u64,
    },
}

/// How a setting is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judgement {
    /// No power was cut.
    Untested,
    /// Too few cuts with a known outcome.
    Undecided,
    /// No cut lost anything.
    Lossless,
    /// Loses at most this.
    Bounded {
        /// The oldest loss that was measured or predicted, in ns.
        age_ns_max: u64,
    },
    /// Not to be used.
    Avoid(Reason),
}

/// A setting that is so many times as fast as another one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Faster {
    /// The index of the setting.
    pub setting: usize,
    /// The index of the other one.
    pub than: usize,
    /// Its throughput over that of the other one.
    pub ratio: f64,
}

/// What a setting loses in the model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PredictedLoss {
    /// The index of the setting.
    pub setting: usize,
    /// The oldest loss, in ns; `None` if nothing limits it.
    pub age_ns_max: Option<u64>,
}

/// A part of the advice. Settings are indices.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "advice", rename_all = "snake_case")]
pub enum Advice {
    /// In the model these settings lose nothing.
    PredictedLossless {
        /// The settings.
        settings: Vec<usize>,
    },
    /// In the model every setting loses something.
    PredictedNone,
    /// In the model these settings lose something, the least first.
    PredictedLoss {
        /// The settings.
        settings: Vec<PredictedLoss>,
    },
    /// No power was cut: what comes before is predicted, and whether a stack comes back is not known.
    NoCuts,
    /// No cut lost anything with these settings.
    Lossless {
        /// The settings.
        settings: Vec<usize>,
        /// The fewest cuts of one of them.
        cuts_min: usize,
        /// The highest share of cuts that could still lose something.
        high: f64,
    },
    /// Some cut lost something with every setting that was judged.
    NoneLossless,
    /// The fastest setting without a loss.
    Fastest(Faster),
    /// The fastest settings without a loss of other stacks, if they are faster than the slowest.
    Alternatives {
        /// The settings.
        settings: Vec<Faster>,
    },
    /// The fastest setting of a stack with a bounded loss, if it is faster than one without.
    Relax {
        /// The setting, and the one without a loss.
        #[serde(flatten)]
        faster: Faster,
        /// The oldest loss that was measured or predicted, in ns.
        age_ns_max: u64,
        /// The stacks that did not come back: none, of so many.
        unusable: CutShare,
    },
    /// A setting to avoid.
    Avoid {
        /// The setting.
        setting: usize,
        /// Why.
        #[serde(flatten)]
        reason: Reason,
    },
    /// Settings with too few cuts.
    Undecided {
        /// The settings.
        settings: Vec<usize>,
        /// The fewest independent cuts that are enough.
        needed: usize,
    },
    /// No throughput is known, so that the fastest setting is not either.
    NoThroughput,
    /// The model predicts a share of cuts with a loss that is outside of the measured interval.
    Disagrees {
        /// The setting.
        setting: usize,
        /// The predicted share.
        predicted_share: f64,
        /// The measured one.
        measured: CutShare,
    },
}

impl Setting {
    /// Judges the setting by the rules of this module.
    pub fn judgement(&self) -> Judgement {
        let Some(cuts) = &self.measured else {
            return Judgement::Untested;
        };
        let measured_ns = cuts.age_ns.map_or(0, |age| age.max);
        if cuts.unusable.count > 0 {
            return Judgement::Avoid(Reason::Unusable {
                share: cuts.unusable,
            });
        }
        if cuts.corrupt.count > 0 {
            return Judgement::Avoid(Reason::Corrupt {
                share: cuts.corrupt,
            });
        }
        if measured_ns > LOSS_NS_MAX {
            return Judgement::Avoid(Reason::Loses {
                age_ns_max: measured_ns,
            });
        }
        if cuts.lost.independent < INDEPENDENT_MIN || cuts.unknown.saturating_mul(10) > cuts.cuts {
            return Judgement::Undecided;
        }
        if cuts.lost.count == 0 {
            return Judgement::Lossless;
        }
        let is_limited = match &self.predicted {
            Some(predicted) => !predicted.is_unbounded,
            None => measured_ns <= cuts.at_ns_max / 2,
        };
        if !is_limited {
            return Judgement::Avoid(Reason::NoLimit {
                age_ns_max: measured_ns,
            });
        }
        let predicted_ns = self.predicted.map_or(0, |predicted| predicted.age_ns_max);
        let age_ns_max = measured_ns.max(predicted_ns);
        match age_ns_max > LOSS_NS_MAX {
            true => Judgement::Avoid(Reason::Loses { age_ns_max }),
            false => Judgement::Bounded { age_ns_max },
        }
    }

    fn speed(&self) -> Option<f64> {
        self.throughput.map(|throughput| throughput.value)
    }
}

/// Returns the advice about settings, the most important first.
pub fn advise(settings: &[Setting]) -> Vec<Advice> {
    let judged: Vec<Judgement> = settings.iter().map(Setting::judgement).collect();
    let is_untested = |judgement: &Judgement| *judgement == Judgement::Untested;
    if judged.iter().all(is_untested) {
        let mut advice = Advisor { settings, judged }.predicted();
        advice.push(Advice::NoCuts);
        return advice;
    }
    let advisor = Advisor { settings, judged };
    let mut advice = advisor.lossless();
    advice.extend(advisor.relax());
    advice.extend(advisor.avoid());
    let undecided = advisor.all(|judgement| *judgement == Judgement::Undecided);
    if !undecided.is_empty() {
        advice.push(Advice::Undecided {
            settings: undecided,
            needed: INDEPENDENT_MIN,
        });
    }
    if settings.iter().all(|setting| setting.speed().is_none()) {
        advice.push(Advice::NoThroughput);
    }
    advice.extend(advisor.disagreements());
    advice
}

struct Advisor<'a> {
    settings: &'a [Setting],
    judged: Vec<Judgement>,
}

impl Advisor<'_> {
    fn all(&self, is_such: impl Fn(&Judgement) -> bool) -> Vec<usize> {
        let judged = self.judged.iter().enumerate();
        let such = judged.filter(|(_, judgement)| is_such(judgement));
        such.map(|(setting, _)| setting).collect()
    }

    fn is_lossless(judgement: &Judgement) -> bool {
        *judgement == Judgement::Lossless
    }

    /// Returns what the model predicts of settings of which no power was cut.
    fn predicted(&self) -> Vec<Advice> {
        let settings = self.settings.iter().enumerate();
        let mut losses: Vec<PredictedLoss> = settings
            .filter_map(|(setting, one)| {
                let predicted = one.predicted.as_ref()?;
                Some(PredictedLoss {
                    setting,
                    age_ns_max: (!predicted.is_unbounded).then_some(predicted.age_ns_max),
                })
            })
            .collect();
        if losses.is_empty() {
            return Vec::new();
        }
        let lossless = losses.extract_if(.., |loss| loss.age_ns_max == Some(0));
        let lossless: Vec<usize> = lossless.map(|loss| loss.setting).collect();
        let mut advice = match lossless.is_empty() {
            true => vec![Advice::PredictedNone],
            false => vec![Advice::PredictedLossless {
                settings: lossless.clone(),
            }],
        };
        advice.extend(self.fastest(&self.by_speed(lossless)));
        losses.sort_by_key(|loss| loss.age_ns_max.unwrap_or(u64::MAX));
        if !losses.is_empty() {
            advice.push(Advice::PredictedLoss { settings: losses });
        }
        advice
    }

    /// Returns the fastest of settings, the slowest first, if it is surely faster than the slowest.
    fn fastest(&self, by_speed: &[usize]) -> Option<Advice> {
        let (slowest, fastest) = (by_speed.first()?, by_speed.last()?);
        let is_faster = self.is_surely_faster(*fastest, *slowest);
        let faster = self.faster(*fastest, *slowest).filter(|_| is_faster);
        faster.map(Advice::Fastest)
    }

    /// Returns the settings with a known throughput, the slowest first.
    fn by_speed(&self, mut settings: Vec<usize>) -> Vec<usize> {
        let speed = |setting: &usize| self.settings[*setting].speed();
        settings.retain(|setting| speed(setting).is_some_and(|speed| speed > 0.0));
        settings.sort_by(|one, other| {
            let known = |setting: &usize| speed(setting).unwrap_or_default();
            known(one).total_cmp(&known(other))
        });
        settings
    }

    fn faster(&self, setting: usize, than: usize) -> Option<Faster> {
        let speed = |setting: usize| self.settings[setting].speed();
        Some(Faster {
            setting,
            than,
            ratio: speed(setting)? / speed(than)?,
        })
    }

    /// Returns whether a setting is faster beyond the intervals of both.
    fn is_surely_faster(&self, setting: usize, than: usize) -> bool {
        let ends = |setting: usize| {
            let estimate = self.settings[setting].throughput?;
            let interval = estimate.interval_of_samples();
            Some(interval.map_or((estimate.value, estimate.value), |ends| {
                (ends.low, ends.high)
            }))
        };
        matches!((ends(setting), ends(than)), (Some(one), Some(other)) if one.0 > other.1)
    }

    /// Returns the settings without a loss, the fastest of them, and those on other devices.
    fn lossless(&self) -> Vec<Advice> {
        let lossless = self.all(Self::is_lossless);
        let shares = lossless.iter().filter_map(|setting| {
            let measured = self.settings[*setting].measured.as_ref()?;
            Some(measured.lost)
        });
        let Some(cuts_min) = shares.clone().map(|share| share.of).min() else {
            return vec![Advice::NoneLossless];
        };
        let mut advice = vec![Advice::Lossless {
            settings: lossless.clone(),
            cuts_min,
            high: shares.map(|share| share.high).fold(0.0, f64::max),
        }];
        let by_speed = self.by_speed(lossless);
        let (Some(slowest), Some(fastest)) = (by_speed.first(), by_speed.last()) else {
            return advice;
        };
        let Some(faster) = self.fastest(&by_speed) else {
            return advice;
        };
        advice.push(faster);
        let stack = |setting: usize| &self.settings[setting].stack;
        let mut named = vec![stack(*fastest), stack(*slowest)];
        let mut others = Vec::new();
        for setting in by_speed.iter().rev() {
            if !named.contains(&stack(*setting)) && self.is_surely_faster(*setting, *slowest) {
                named.push(stack(*setting));
                others.extend(self.faster(*setting, *slowest));
            }
        }
        if !others.is_empty() {
            advice.push(Advice::Alternatives { settings: others });
        }
        advice
    }

    /// Returns the fastest setting of each stack with a bounded loss, if it is faster than one
    /// without a loss: the fastest of the same stack, else the slowest of all. The largest gain comes
    /// first.
    fn relax(&self) -> Vec<Advice> {
        let bounded = self.all(|judgement| matches!(judgement, Judgement::Bounded { .. }));
        let lossless = self.by_speed(self.all(Self::is_lossless));
        let stack = |setting: usize| &self.settings[setting].stack;
        let mut named = Vec::new();
        let mut gains: Vec<Faster> = Vec::new();
        for setting in self.by_speed(bounded).into_iter().rev() {
            if named.contains(&stack(setting)) {
                continue;
            }
            named.push(stack(setting));
            let same = lossless.iter().rev();
            let same = same.copied().find(|other| stack(*other) == stack(setting));
            let than = same.or(lossless.first().copied());
            let than = than.filter(|than| self.is_surely_faster(setting, *than));
            let gain = than.and_then(|than| self.faster(setting, than));
            gains.extend(gain.filter(|gain| gain.ratio >= GAIN_MIN));
        }
        gains.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
        gains.truncate(RELAXED_MAX);
        gains
            .into_iter()
            .filter_map(|faster| self.relaxed(faster))
            .collect()
    }

    fn relaxed(&self, faster: Faster) -> Option<Advice> {
        let Judgement::Bounded { age_ns_max } = self.judged[faster.setting] else {
            return None;
        };
        Some(Advice::Relax {
            faster,
            age_ns_max,
            unusable: self.settings[faster.setting].measured.as_ref()?.unusable,
        })
    }

    fn avoid(&self) -> Vec<Advice> {
        let mut advice = Vec::new();
        for (setting, judgement) in self.judged.iter().enumerate() {
            let Judgement::Avoid(reason) = *judgement else {
                continue;
            };
            advice.push(Advice::Avoid { setting, reason });
            // Wrong data is worse than none: it is named beside stacks that did not come back.
            let measured = self.settings[setting].measured.as_ref();
            let corrupt = measured.map(|cuts| cuts.corrupt);
            let corrupt = corrupt.filter(|share| share.count > 0);
            if let (Reason::Unusable { .. }, Some(share)) = (reason, corrupt) {
                let reason = Reason::Corrupt { share };
                advice.push(Advice::Avoid { setting, reason });
            }
        }
        advice
    }

    /// Returns the settings for which the model predicts another share than was measured.
    fn disagreements(&self) -> Vec<Advice> {
        let settings = self.settings.iter().enumerate();
        let disagreements = settings.filter_map(|(setting, one)| {
            let measured = one.measured.as_ref()?.lost;
            let predicted_share = one.predicted.as_ref()?.lost_share?;
            let is_within = (measured.low..=measured.high).contains(&predicted_share);
            (measured.of > 0 && !is_within).then_some(Advice::Disagrees {
                setting,
                predicted_share,
                measured,
            })
        });
        disagreements.collect()
    }
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
