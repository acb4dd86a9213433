//! The machine's own array beside the design that is advised: whether to stay, how much better the other
//! one is, and what the move takes.

use serde::Serialize;
use stripewise_answer::{Block, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::advise::{Advised, Outcome, TOLERANCE};
use stripewise_diagnose::requirement::Requirement;
use stripewise_profiles::drive::Fit;
use stripewise_stats::Interval;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::stack::{Array, Bitmap, Level, Stack};

use super::advice_words::missed_in_words;
use super::choice::standing;
use super::{ExplainedCell, Explanation};
use crate::apart::ratio_of;
use crate::numbers::{size_argument, span};
use crate::standing::{Order, Standing};

/// The array of a machine.
#[derive(Debug, Clone, Serialize)]
pub struct Own {
    /// The kernel's name: `md0`.
    pub array: String,
    /// Its level, layout, members and chunk, as `raid10:n2:4:64K`; `None` if a part is not known.
    pub words: Option<String>,
    /// The profile that stands for its drives.
    pub profile: String,
    /// How that was found; `None` if the question names it.
    pub fit: Option<Fit>,
    /// The models of its drives.
    pub drives: Vec<String>,
    /// The members that it lacks.
    pub missing: u64,
    /// What it is busy with on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_with: Option<String>,
    /// How many bytes of it are used, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_bytes: Option<u64>,
    /// Its place among the designs; `None` if it cannot be one.
    pub place: Option<usize>,
    /// Whether it is one of those that are searched anyway.
    pub is_searched: bool,
    /// Why it cannot be a design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlike: Option<Argument>,
    /// What to do; `None` if it is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The rate of the advised design over its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Times>,
    /// What a move takes; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

/// What to do with an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing is surely better by more than the tolerance.
    Stay,
    /// Another one is surely better.
    Move,
    /// Another one is better in the model, and an error of the profiles may turn the order.
    MeasureFirst,
    /// It does not do what is required.
    Required,
}

/// A ratio of rates, with the interval that follows from the simulations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// The ratio.
    pub times: f64,
    /// The 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// What a move takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Effort {
    /// md changes the bitmap while the array is in use.
    Bitmap {
        /// The command.
        command: String,
        /// The command that undoes it.
        undo: String,
    },
    /// md rewrites all data in place.
    Reshape {
        /// The command.
        command: String,
        /// The chunk that undoes it.
        chunk: String,
    },
    /// The array is destroyed and built anew.
    Anew {
        /// How long it takes at least to copy the data back, in nanoseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        copy_ns: Option<f64>,
        /// How long the new array syncs beside the loads, in nanoseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        sync_ns: Option<f64>,
    },
}

impl Effort {
    /// Returns what it takes to make the array `name` of `own` the one of `other`.
    pub fn of(name: &str, own: &Stack, other: &Stack) -> Self {
        let (Some(before), Some(after)) = (&own.array, &other.array) else {
            return Self::anew();
        };
        if own.filesystem != other.filesystem {
            return Self::anew();
        }
        let grow = |what: String| format!("mdadm --grow /dev/{name} --{what}");
        let with = |bitmap: Bitmap, chunk: Option<stripewise_units::Bytes>| Array {
            bitmap,
            chunk_bytes: chunk,
            ..before.clone()
        };
        if with(after.bitmap, before.chunk_bytes) == *after {
            let bitmap = |of: Bitmap| grow(format!("bitmap={}", bitmap_word(of)));
            let none = || grow("bitmap=none".to_owned());
            // mdadm adds a bitmap only where there is none (`Grow_addbitmap` in Grow.c).
            let change = |from: Bitmap, to: Bitmap| match (from, to) {
                (Bitmap::Internal { .. }, Bitmap::Internal { .. }) => {
                    format!("{} && {}", none(), bitmap(to))
                }
                _ => bitmap(to),
            };
            return Self::Bitmap {
                command: change(before.bitmap, after.bitmap),
                undo: change(after.bitmap, before.bitmap),
            };
        }
        let chunks = before.chunk_bytes.zip(after.chunk_bytes);
        match chunks {
            Some((from, to)) if with(before.bitmap, Some(to)) == *after && is_reshaped(before) => {
                let backup = format!("--backup-file=/root/{name}-reshape");
                Self::Reshape {
                    command: grow(format!("chunk={to} {backup}")),
                    chunk: from.to_string(),
                }
            }
            _ => Self::anew(),
        }
    }

    const fn anew() -> Self {
        Self::Anew {
            copy_ns: None,
            sync_ns: None,
        }
    }
}

fn bitmap_word(bitmap: Bitmap) -> String {
    match bitmap {
        Bitmap::None => "none".to_owned(),
        Bitmap::Internal { chunk_bytes: None } => "internal".to_owned(),
        Bitmap::Internal {
            chunk_bytes: Some(chunk),
        } => format!("internal --bitmap-chunk={chunk}"),
    }
}

/// Returns whether mdadm changes the chunk in place (mdadm(8), GROW MODE; `raid10_check_reshape` in raid10.c:
/// not with far copies).
fn is_reshaped(array: &Array) -> bool {
    let layout = array.layout.as_deref().unwrap_or_default();
    match array.level {
        Level::Raid0 | Level::Raid4 | Level::Raid5 | Level::Raid6 => true,
        Level::Raid10 => !layout.starts_with('f'),
        Level::Linear | Level::Raid1 => false,
    }
}

impl Own {
    /// Says what to do, from the cells of the advised design and its own; `is_same` if they are the same
    /// within the tolerance.
    pub(super) fn judge(
        &mut self,
        best: &[ExplainedCell],
        own: &[ExplainedCell],
        (states, weights): (&[State], &[f64]),
        (is_refused, is_same): (bool, bool),
    ) {
        self.times = times(best, own, states, weights);
        let means = mean(best, states).zip(mean(own, states));
        let order = means.map_or(Order::Open, |(best, own)| Order::of(&best, &own));
        self.verdict = Some(match (is_refused, is_same) {
            (true, _) => Verdict::Required,
            (false, true) => Verdict::Stay,
            (false, false) if order.is_certain() => Verdict::Move,
            (false, false) => Verdict::MeasureFirst,
        });
    }

    /// Returns whether nothing is better.
    pub fn stays(&self) -> bool {
        self.verdict == Some(Verdict::Stay)
    }

    /// Returns what is decided: to stay, or what to build instead; `None` if it is not compared.
    pub(super) fn decision(&self, design: Argument, own: Argument) -> Option<Message> {
        let message = Message::new(match self.verdict? {
            Verdict::Stay => "advise-own-stay",
            Verdict::Move | Verdict::Required => "advise-own-move",
            Verdict::MeasureFirst => "advise-own-measure",
        });
        let message = message.name("array", &self.array).with("own", own);
        Some(message.with("design", design).percent("margin", TOLERANCE))
    }

    /// Returns what follows the decision: how much better the other one is, and what the move takes.
    pub(super) fn reasons(&self, misses: &[(Requirement, Option<f64>)]) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        if let Some(why) = &self.unlike {
            let message = Message::new("advise-own-unlike").name("array", &self.array);
            blocks.push(Block::toned(Tone::Warn, message.with("why", why.clone())));
        }
        if !misses.is_empty() {
            let misses = misses.iter();
            let misses = misses.map(|(requirement, value)| missed_in_words(*requirement, *value));
            let message = Message::new("advise-own-misses").name("array", &self.array);
            blocks.push(Block::say(message.with("misses", Argument::list(misses))));
        }
        if self.verdict.is_some_and(|verdict| verdict != Verdict::Stay) {
            blocks.extend(self.gain().map(Block::say));
            blocks.extend(self.sureness().map(Block::say));
            blocks.extend(self.takes().into_iter().map(Block::say));
        }
        blocks
    }

    /// Returns how much more the advised design gives.
    fn gain(&self) -> Option<Message> {
        let Times { times, interval } = self.times?;
        let percent = |share: f64| Argument::quantity(signed(100.0 * (share - 1.0)), "%");
        let ends = interval.filter(|ends| ends.high.is_finite() && ends.low > 0.0);
        let message = Message::new(match (times >= 1.0, ends) {
            (true, Some(_)) => "advise-own-more-between",
            (true, None) => "advise-own-more",
            (false, _) => "advise-own-less",
        });
        let message = message
            .name("array", &self.array)
            .percent("more", times - 1.0)
            .percent("less", 1.0 - times);
        let message = match ends {
            Some(ends) => message
                .with("low", percent(ends.low))
                .with("high", percent(ends.high)),
            None => message,
        };
        Some(message.digits("minutes", format!("{:.0}", 60.0 / times)))
    }

    /// Returns how sure the order is.
    fn sureness(&self) -> Option<Message> {
        match self.verdict? {
            Verdict::Move => Some(Message::new("advise-own-sure")),
            Verdict::MeasureFirst => {
                Some(Message::new("advise-own-doubt").name("profile", &self.profile))
            }
            Verdict::Stay | Verdict::Required => None,
        }
    }

    /// Returns what the move takes.
    fn takes(&self) -> Vec<Message> {
        let time = |nanos: f64| {
            let time = std::time::Duration::try_from_secs_f64(nanos / 1e9);
            Argument::Name(span(time.unwrap_or(std::time::Duration::MAX)))
        };
        let named = |id: &'static str| Message::new(id).name("array", &self.array);
        match &self.effort {
            None => Vec::new(),
            Some(Effort::Bitmap { command, undo }) => vec![
                named("advise-own-bitmap")
                    .name("command", command)
                    .name("undo", undo),
            ],
            Some(Effort::Reshape { command, chunk }) => vec![
                named("advise-own-reshape")
                    .name("command", command)
                    .name("chunk", chunk),
            ],
            Some(Effort::Anew { copy_ns, sync_ns }) => {
                let data = match self.used_bytes {
                    Some(bytes) => {
                        Message::new("advise-own-data-known").with("bytes", size_argument(bytes))
                    }
                    None => Message::new("advise-own-data"),
                };
                let mut words = vec![named("advise-own-anew").with("data", data)];
                words.extend(copy_ns.map(|copy| named("advise-own-copy").with("time", time(copy))));
                words.extend(
                    sync_ns.map(|sync| Message::new("advise-own-sync").with("time", time(sync))),
                );
                words.push(named("advise-own-undo"));
                words
            }
        }
    }

    /// Returns how it was read: which profile stands for its drives, and in which state it is.
    pub(super) fn basis(&self, own: Option<Argument>) -> Vec<Block> {
        let mut blocks = Vec::new();
        let fit = match self.fit {
            None => "named",
            Some(Fit::Model) => "model",
            Some(Fit::Beginning) => "beginning",
            Some(Fit::OtherSize) => "size",
        };
        if let Some(own) = own {
            let message = Message::new("advise-own-as")
                .name("array", &self.array)
                .with("own", own)
                .name("searched", if self.is_searched { "yes" } else { "no" });
            blocks.push(Block::toned(Tone::Dim, message));
        }
        let drives = match self.drives.is_empty() {
            true => Argument::from(Message::new("advise-own-no-model")),
            false => Argument::names(&self.drives),
        };
        let message = Message::new("advise-own-profile")
            .name("profile", &self.profile)
            .name("fit", fit)
            .with("drives", drives);
        blocks.push(Block::toned(Tone::Dim, message));
        if self.missing > 0 {
            let message = Message::new("advise-own-missing").name("array", &self.array);
            let message = message.count("count", self.missing);
            blocks.push(Block::toned(Tone::Warn, message));
        }
        if let Some(action) = &self.busy_with {
            let message = Message::new("advise-own-busy").name("array", &self.array);
            blocks.push(Block::toned(Tone::Warn, message.name("action", action)));
        }
        blocks
    }
}

/// Judges the machine's own array by the cells that were compared, and names it in their tables.
pub(super) fn judged(
    mut own: Own,
    stacks: &[Stack],
    advised: &Advised,
    compared: &mut Explanation,
    (states, weights): (&[State], &[f64]),
) -> Own {
    let Some(place) = own.place else {
        return own;
    };
    for cell in &mut compared.cells {
        if cell.cell.stack == stacks[place] {
            cell.label = Some(own.array.clone());
        }
    }
    let cells = |place: usize| {
        let mut all = compared.cells.chunks(weights.len());
        all.find(|cells| cells[0].cell.stack == stacks[place])
    };
    let is_refused = matches!(advised.outcomes[place], Outcome::Refused(_));
    let is_same = advised.same.contains(&place);
    if let Some((best, mine)) = advised.best.and_then(cells).zip(cells(place)) {
        let loads = (states, weights);
        own.judge(best, mine, loads, (is_refused, is_same));
    }
    own
}

/// Returns a number with its sign, without digits behind the point.
fn signed(percent: f64) -> String {
    match percent.round() {
        rounded if rounded < 0.0 => format!("−{:.0}", -rounded),
        rounded => format!("{rounded:.0}"),
    }
}

/// Returns what a design gives over all loads.
fn mean<'a>(cells: &'a [ExplainedCell], states: &[State]) -> Option<Standing<'a>> {
    let all = cells.iter().zip(states);
    let all: Option<Vec<Standing>> = all.map(|(cell, state)| standing(cell, *state)).collect();
    match all? {
        mut one if one.len() == 1 => one.pop(),
        several => Standing::mean(several),
    }
}

/// Returns the rate of one design over that of another: the weighted geometric mean over the loads, with its
/// interval as if all errors went the same way.
fn times(
    best: &[ExplainedCell],
    own: &[ExplainedCell],
    states: &[State],
    weights: &[f64],
) -> Option<Times> {
    let value = |cell: &ExplainedCell, state: State| match &cell.fresh {
        Some(fresh) if state == State::Fresh => {
            fresh.estimates.get(Metric::Bandwidth.key()).copied()
        }
        _ => cell.prediction.estimate(Metric::Bandwidth).copied(),
    };
    let pairs = best.iter().zip(own).zip(states).zip(weights);
    let ratios = pairs.map(|(((best, own), state), weight)| {
        let ratio = ratio_of(&value(best, *state)?, &value(own, *state)?);
        Some((ratio, *weight))
    });
    let ratios: Vec<_> = ratios.collect::<Option<_>>()?;
    let all: f64 = ratios.iter().map(|(_, weight)| weight).sum();
    let over = |of: &dyn Fn(&stripewise_stats::Estimate) -> Option<f64>| -> Option<f64> {
        let logs = ratios.iter();
        let logs = logs.map(|(ratio, weight)| Some(libm::log(of(ratio)?) * weight));
        Some(libm::exp(logs.sum::<Option<f64>>()? / all))
    };
    let low = over(&|ratio| Some(ratio.interval?.low));
    let high = over(&|ratio| Some(ratio.interval?.high));
    Some(Times {
        times: over(&|ratio| Some(ratio.value)).filter(|times| times.is_finite())?,
        interval: low.zip(high).map(|(low, high)| Interval { low, high }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_units::Bytes;

    fn stack(level: Level, layout: Option<&str>, chunk_kib: u64, bitmap: Bitmap) -> Stack {
        let text = "kernel = \"6.12\"\n[stack.a]\ndevices = { \"sata-ssd\" = 4 }\narray = { level = \"raid10\", chunk = \"512K\" }\n[workload]\npattern = \"randread\"\nsize = \"1G\"\n";
        let study = stripewise_format::parse("a study", text).expect("a study");
        let mut stack = study.cells[0].stack.clone();
        let array = stack.array.as_mut().expect("an array");
        array.level = level;
        array.layout = layout.map(str::to_owned);
        array.chunk_bytes = Some(Bytes::new(chunk_kib << 10));
        array.bitmap = bitmap;
        stack
    }

    #[test]
    fn a_move_takes_what_md_cannot_do_in_place() {
        let internal = Bitmap::Internal { chunk_bytes: None };
        let effort = |one: &Stack, other: &Stack| Effort::of("md0", one, other);
        let near = stack(Level::Raid10, Some("n2"), 512, internal);
        let without = stack(Level::Raid10, Some("n2"), 512, Bitmap::None);
        assert_eq!(
            effort(&without, &near),
            Effort::Bitmap {
                command: "mdadm --grow /dev/md0 --bitmap=internal".to_owned(),
                undo: "mdadm --grow /dev/md0 --bitmap=none".to_owned(),
            }
        );
        let small = stack(Level::Raid10, Some("n2"), 64, internal);
        assert_eq!(
            effort(&near, &small),
            Effort::Reshape {
                command: "mdadm --grow /dev/md0 --chunk=64K --backup-file=/root/md0-reshape"
                    .to_owned(),
                chunk: "512K".to_owned(),
            }
        );
        // Not with far copies, and not to another level or layout.
        let far = |chunk| stack(Level::Raid10, Some("f2"), chunk, internal);
        let raid5 = stack(Level::Raid5, Some("left-symmetric"), 512, internal);
        for (one, other) in [(far(64), far(512)), (near.clone(), far(512)), (near, raid5)] {
            assert_eq!(effort(&one, &other), Effort::anew());
        }
    }
}
