//! What to build: the question of the page as the words of `stripewise advise`, and its answer as it
//! comes, a JSON line each: progress, the decision, and all of it.
//!
//! The command answers ([`Advisor`]), so that the page and the terminal say the same. A search takes longer
//! than other questions; the page shows how far it is. At the limit of its steps it answers with the best so
//! far, and says what was not looked at.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use stripewise_answer::Block;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::progress::Share;
use stripewise_diagnose::requirement::Requirement;
use stripewise_format::question::FILESYSTEM_DEFAULT;
use stripewise_report::explanation::picture::Picture;
use stripewise_sim::engine::WATCH_STEPS;
use stripewise_sim::question::Observer;
use stripewise_sim::world::Model;
use stripewise_study::world::Watch;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::visible::shell_word;
use stripewise_units::{Bytes, Nanos};
use tokio::sync::mpsc;

use crate::error::{ApiError, Result};
use crate::question::{DEVICES_MAX, Question, answers_at_once};

/// A search simulates dozens of designs: so many times the steps of another question.
const STEPS_TIMES: u64 = 8;
/// How often the page hears how far the search is.
const TOLD_EVERY: Duration = Duration::from_millis(250);
/// The load that the form begins with.
const WORKLOAD_FIRST: &str = "oltp";
/// The most loads.
const LOADS_MAX: usize = 4;
/// The most characters of a load.
const LOAD_CHARACTERS_MAX: usize = 200;

/// POST /api/ask/advise: the devices, the loads, and what the design must do; null is not required.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct AdviceQuestion {
    /// The device profile.
    pub device: String,
    /// How many devices.
    pub count: u32,
    /// How many of them wait as spares.
    pub spares: u32,
    /// The loads.
    pub loads: Vec<WeightedLoad>,
    /// How many devices may fail, whichever they are.
    pub survive: Option<u32>,
    /// The least space for data.
    pub capacity_bytes: Option<u64>,
    /// The longest time within which 99 % of the commits are durable.
    pub commit_p99_ns: Option<u64>,
    /// The fewest years until the rated writes.
    pub years: Option<u32>,
    /// The longest rebuild.
    pub rebuild_ns: Option<u64>,
    /// How much the loads write in a day.
    pub writes_per_day_bytes: Option<u64>,
    /// The filesystem, or `none`.
    pub filesystem: String,
}

/// A load and how much it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct WeightedLoad {
    /// A shipped workload, or a load as on the command line: `randrw:16K:mix=70/30:depth=8`.
    pub load: String,
    /// How much it counts beside the others.
    pub weight: u32,
}

/// The form of the question: its sliders, and where they begin.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct AdviceForm {
    /// The sliders: first two of devices, then those of what is required.
    sliders: Vec<AdviceSlider>,
    /// The initial question.
    question: AdviceQuestion,
}

/// A slider.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct AdviceSlider {
    /// The key of the question that it sets.
    key: &'static str,
    /// Its name.
    label: Message,
    /// Its steps.
    steps: Vec<AdviceStep>,
}

/// A step of a slider.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct AdviceStep {
    /// The value; null requires nothing.
    value: Option<u64>,
    /// It in words.
    shown: Argument,
}

/// A line of the answer.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct AdviceLine {
    /// The share that is done, 0 to 1; it may fall where more is found to do.
    done: f64,
    /// The time left at the pace so far; null before a pace is known.
    left_ns: Option<u64>,
    /// The answer so far, or all of it.
    answer: Option<AdviceAnswer>,
    /// Why there is no answer.
    refusal: Option<AdviceRefusal>,
}

/// What to build.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AdviceAnswer {
    /// What people read.
    pub blocks: Vec<Block>,
    /// The designs.
    pub picture: Picture,
    /// Whether it is the decision of the search alone: the whole answer follows, and may differ.
    pub is_preview: bool,
}

/// Why a question has no answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AdviceRefusal {
    /// The reason.
    pub error: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Watches a search, and takes its decision before all of the answer is there.
pub trait Advising: Observer {
    /// Shows the decision.
    fn preview(&mut self, answer: AdviceAnswer);
}

/// Answers a question: the search of `stripewise advise`.
pub type Advisor = fn(
    &AdviceQuestion,
    &Model,
    &mut dyn Advising,
) -> std::result::Result<AdviceAnswer, AdviceRefusal>;

impl AdviceQuestion {
    /// Returns the question as options of the command line with their values, without those that go
    /// without saying.
    pub fn options(&self, kernel: KernelVersion) -> Vec<(&'static str, String)> {
        let mut options = vec![("--devices", format!("{} x {}", self.count, self.device))];
        options.extend((self.spares > 0).then(|| ("--spares", self.spares.to_string())));
        let loads = self.loads.iter();
        options.extend(loads.map(|one| ("--workload", one.load.clone())));
        if self.loads.iter().any(|one| one.weight != 1) {
            let weights = self.loads.iter().map(|one| one.weight.to_string());
            options.push(("--weights", weights.collect::<Vec<_>>().join(",")));
        }
        let requirements = self.requirements().into_iter();
        options.extend(requirements.map(|one| ("--require", one.to_string())));
        let volume = self.writes_per_day_bytes.map(Bytes::new);
        options.extend(volume.map(|volume| ("--writes-per-day", volume.to_string())));
        if self.filesystem != FILESYSTEM_DEFAULT {
            options.push(("--filesystem", self.filesystem.clone()));
        }
        options.push(("--kernel", kernel.to_string()));
        options
    }

    fn requirements(&self) -> Vec<Requirement> {
        let requirements = [
            self.survive
                .map(|devices| Requirement::Survive(u64::from(devices))),
            self.capacity_bytes
                .map(|bytes| Requirement::Capacity(Bytes::new(bytes))),
            self.commit_p99_ns
                .map(|time| Requirement::CommitP99(Nanos::new(time))),
            self.years.map(|years| Requirement::Years(f64::from(years))),
            self.rebuild_ns
                .map(|time| Requirement::Rebuild(Nanos::new(time))),
        ];
        requirements.into_iter().flatten().collect()
    }

    /// Returns the command that asks the same.
    pub fn command(&self, kernel: KernelVersion) -> String {
        let options = self.options(kernel).into_iter();
        let words = options.map(|(option, value)| format!("{option} {}", shell_word(&value)));
        let words: Vec<String> = words.collect();
        format!("stripewise advise {} --front", words.join(" "))
    }

    /// Refuses what a page does not ask: it would not be answered in a while.
    pub(crate) fn check(&self, model: &Model) -> Result<()> {
        let bounds = [
            ("count", u64::from(self.count), 2, u64::from(DEVICES_MAX)),
            (
                "loads",
                u64::try_from(self.loads.len()).unwrap_or(u64::MAX),
                1,
                LOADS_MAX as u64,
            ),
        ];
        for (key, value, least, most) in bounds {
            if !(least..=most).contains(&value) {
                return Err(ApiError::bad_request(format!(
                    "{key}: `{value}` is not between {least} and {most}"
                ))
                .hint("`stripewise advise` takes more, but may take longer"));
            }
        }
        if self.years.is_some() && self.writes_per_day_bytes.is_none() {
            return Err(ApiError::bad_request(
                "how many years the devices last depends on how much is written in a day",
            )
            .hint("state how much is written in a day"));
        }
        if self
            .loads
            .iter()
            .any(|one| one.load.chars().count() > LOAD_CHARACTERS_MAX)
        {
            return Err(ApiError::bad_request(format!(
                "a load has {LOAD_CHARACTERS_MAX} characters at most"
            )));
        }
        match model.profiles.devices.get(&self.device) {
            Some(profile) if !answers_at_once(&profile.model) => {
                Err(ApiError::bad_request(format!(
                    "`{}` is modelled page by page, which takes too long here",
                    self.device
                ))
                .hint("use `stripewise advise` for it"))
            }
            _ => Ok(()),
        }
    }
}

impl AdviceForm {
    /// Returns the form; it begins with the devices of `first` and, if there is one, a usual load.
    pub(crate) fn new(first: &Question, workloads: &[&'static str]) -> Self {
        let usual = workloads.iter().find(|name| **name == WORKLOAD_FIRST);
        let load = usual.or_else(|| workloads.first()).copied();
        Self {
            sliders: sliders(),
            question: AdviceQuestion {
                device: first.device.clone(),
                count: first.count,
                spares: 0,
                loads: vec![WeightedLoad {
                    load: load.unwrap_or("randrw:16K").to_owned(),
                    weight: 1,
                }],
                survive: None,
                capacity_bytes: None,
                commit_p99_ns: None,
                years: None,
                rebuild_ns: None,
                writes_per_day_bytes: None,
                filesystem: FILESYSTEM_DEFAULT.to_owned(),
            },
        }
    }
}

fn sliders() -> Vec<AdviceSlider> {
    let steps = |values: &[u64], unit: u64, shown: &dyn Fn(u64) -> Argument| -> Vec<AdviceStep> {
        let steps = values.iter().map(|value| AdviceStep {
            value: Some(value * unit),
            shown: shown(*value),
        });
        steps.collect()
    };
    let digits = |value: u64| Argument::Digits(value.to_string());
    let size = |value: u64| match value {
        0..1024 => Argument::quantity(value.to_string(), "GiB"),
        _ => Argument::quantity((value / 1024).to_string(), "TiB"),
    };
    let sizes: Vec<u64> = (0..17).map(|power| 1 << power).collect();
    let any = Some("live-advise-any");
    let counts: Vec<u64> = (2..=u64::from(DEVICES_MAX)).collect();
    vec![
        slider("count", "live-count", None, steps(&counts, 1, &digits)),
        slider(
            "spares",
            "live-advise-spares",
            None,
            steps(&[0, 1, 2, 3], 1, &digits),
        ),
        slider(
            "survive",
            "live-advise-survive",
            Some("live-advise-survive-assumed"),
            steps(&[0, 1, 2, 3], 1, &digits),
        ),
        slider(
            "capacity_bytes",
            "live-advise-capacity",
            any,
            steps(&sizes[4..], 1 << 30, &size),
        ),
        slider(
            "commit_p99_ns",
            "live-advise-commit",
            any,
            steps(&[1, 2, 5, 10, 20, 50, 100], 1_000_000, &|value| {
                Argument::quantity(value.to_string(), "ms")
            }),
        ),
        slider(
            "rebuild_ns",
            "live-advise-rebuild",
            any,
            steps(&[1, 2, 4, 6, 12, 24, 48], 3_600_000_000_000, &|value| {
                Argument::quantity(value.to_string(), "h")
            }),
        ),
        slider(
            "writes_per_day_bytes",
            "live-advise-daily",
            Some("live-advise-unknown"),
            steps(&sizes[..13], 1 << 30, &size),
        ),
        slider(
            "years",
            "live-advise-years",
            any,
            steps(&[1, 2, 3, 5, 7, 10], 1, &digits),
        ),
    ]
}

/// Returns a slider whose first step is `none`, if there is one.
fn slider(
    key: &'static str,
    label: &'static str,
    none: Option<&'static str>,
    steps: Vec<AdviceStep>,
) -> AdviceSlider {
    let none = none.map(|none| AdviceStep {
        value: None,
        shown: Message::new(none).into(),
    });
    AdviceSlider {
        key,
        label: Message::new(label),
        steps: none.into_iter().chain(steps).collect(),
    }
}

/// Sends the lines of an answer, and ends a search that nobody waits for.
pub(crate) struct Lines {
    sender: mpsc::Sender<String>,
    share: Share,
    looks_left: u64,
    began: Instant,
    told: Instant,
}

impl Lines {
    /// Returns lines to `sender`, for a search that may take so many steps as another question, and more.
    pub(crate) fn new(sender: mpsc::Sender<String>, steps: u64) -> Self {
        let now = Instant::now();
        Self {
            sender,
            share: Share::new(1),
            looks_left: steps.saturating_mul(STEPS_TIMES) / WATCH_STEPS,
            began: now,
            told: now,
        }
    }

    /// Answers a question.
    pub(crate) fn answer(mut self, advisor: Advisor, question: &AdviceQuestion, model: &Model) {
        let (answer, refusal) = match advisor(question, model, &mut self) {
            Ok(answer) => (Some(answer), None),
            Err(refusal) => (None, Some(refusal)),
        };
        let line = AdviceLine {
            done: 1.0,
            left_ns: Some(0),
            answer,
            refusal,
        };
        // A page that is gone reads nothing.
        let _ = self.sender.blocking_send(written(&line));
    }

    fn line(&self) -> AdviceLine {
        let done = self.share.done().clamp(0.0, 1.0);
        let left = self.began.elapsed().as_secs_f64() * (1.0 / done - 1.0);
        let left = Duration::try_from_secs_f64(left).ok();
        AdviceLine {
            done,
            left_ns: left.and_then(|left| u64::try_from(left.as_nanos()).ok()),
            answer: None,
            refusal: None,
        }
    }

    fn tell(&mut self) {
        if self.told.elapsed() >= TOLD_EVERY {
            self.told = Instant::now();
            // A page that reads slowly misses a line of progress, and no answer.
            let _ = self.sender.try_send(written(&self.line()));
        }
    }
}

/// Returns a line with its end.
fn written(line: &AdviceLine) -> String {
    let text = serde_json::to_string(line);
    text.unwrap_or_else(|error| {
        format!(
            "{{\"refusal\":{{\"error\":\"failed to write the answer: {error}\",\"hint\":null}}}}"
        )
    }) + "\n"
}

impl Watch for Lines {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.tell();
        self.looks_left = self.looks_left.saturating_sub(1);
        self.looks_left > 0 && !self.sender.is_closed()
    }
}

impl Observer for Lines {
    fn simulated(&mut self, done: u64, all: u64) {
        self.share.simulated(done, all);
        self.tell();
    }

    fn answered(&mut self, left: usize) {
        self.share.part_done(left);
        self.tell();
    }
}

impl Advising for Lines {
    fn preview(&mut self, answer: AdviceAnswer) {
        let line = AdviceLine {
            answer: Some(answer),
            ..self.line()
        };
        let _ = self.sender.blocking_send(written(&line));
    }
}
