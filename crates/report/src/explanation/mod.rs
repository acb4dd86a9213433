//! Predictions and their explanations, for people and programs.

pub mod advice;
mod advice_words;
mod answer;
mod changes;
mod choice;
pub mod front;
mod members;
pub mod own;
pub mod picture;
mod several;
mod waterfall;

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_analysis::lifetime::{CellLifetime, Counted};
use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message, shipped};
use stripewise_diagnose::changes::Effect;
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::{Finding, Why};
use stripewise_profiles::device::{DeviceProfile, Model as DeviceModel};
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::kernel::{rules_in_words, rules_of};
use stripewise_sim::array::map::ArrayMap;
use stripewise_sim::io::Member;
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::conditions::State;
use stripewise_study::lifetime::Lifetime;
use stripewise_study::sample::{Uncertainty, as_f64};
use stripewise_study::workload::Workload;
use stripewise_study::world::WorldName;
use stripewise_units::Bytes;

use self::changes::effect_message;
use crate::common_error::ErrorBasis;
use crate::document::SCHEMA;
use crate::lifetime::{self, AskedLifetime, Says};
use crate::states::{self, Applies, Both, Daily, FreshState};

/// Sources of uncertainty below 1 % are not named.
const NOTABLE: f64 = 0.01;

/// Predictions of the model, with their basis.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The version of this document's format.
    pub schema: u32,
    /// The world: always the model.
    pub world: WorldName,
    /// The requested kernel.
    pub kernel: String,
    /// The kernel whose rules apply: another one if no rules of the requested one are known.
    pub kernel_rules: String,
    /// The host profile.
    pub host: ProfileNote,
    /// The device profiles.
    pub devices: Vec<ProfileNote>,
    /// The members that have failed, by their place.
    pub failed: Vec<u16>,
    /// The seed of the first simulation of each cell.
    pub seed: u64,
    /// What is asked about the years of the stacks: how much is written in a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<AskedLifetime>,
    /// What several predictions decide, in words; of each state that applies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headline: Vec<Message>,
    /// Which state the answer is about; `None` where both are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies: Option<Applies>,
    /// Which state applies at the daily volume, in words, or how to learn it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub applies_words: Vec<Message>,
    /// The cells.
    pub cells: Vec<ExplainedCell>,
    #[serde(skip)]
    model: Model,
}

/// A profile and its reliability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfileNote {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Where its numbers come from.
    pub source: String,
    /// The values that are assumed, not known.
    pub assumed: Vec<String>,
    /// The bytes that can be written before the drive slows down; `None` if no slowdown is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_bytes: Option<u64>,
}

/// A cell, its prediction, and the explanation.
#[derive(Debug, Serialize)]
pub struct ExplainedCell {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// The prediction.
    #[serde(flatten)]
    pub prediction: Prediction,
    /// The state of the prediction: the long run, or the first I/Os.
    pub state: State,
    /// What fresh devices give, if the question names no state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<FreshState>,
    /// How an error of the profiles moves the prediction.
    #[serde(skip)]
    error_basis: ErrorBasis,
    /// What has such a stack already, by its name; `None` of most.
    #[serde(skip)]
    label: Option<String>,
    /// Whether the question names no state, so that both are asked about.
    #[serde(skip)]
    is_asked_in_both: bool,
    /// Whether fresh devices were simulated, too: without a fresh state they give the same.
    #[serde(skip)]
    is_fresh_simulated: bool,
    /// What the loads of the answer differ in beside what their names say.
    #[serde(skip)]
    varying: Vec<Axis>,
    /// What its stack costs over the years; `None` if that is not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<CellLifetime>,
    /// The explanation.
    #[serde(flatten)]
    pub why: Why,
    /// The explanation in words: the bottleneck, then the rules behind it.
    pub words: Vec<Message>,
    /// Changes and their effects; empty if none were requested.
    pub changes: Vec<ExplainedEffect>,
    /// How long the rebuild of a whole device takes at the pace that it has beside the load; `None` if nothing
    /// is rebuilt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuild_ns: Option<f64>,
    /// Which members hold and serve the first chunks; `None` without an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array_map: Option<ArrayMap>,
}

/// A change and its effect, with their words.
#[derive(Debug, Serialize)]
pub struct ExplainedEffect {
    /// The change and its effect.
    #[serde(flatten)]
    pub effect: Effect,
    /// The change in words.
    pub what: Message,
    /// Its effect in words.
    pub words: Message,
}

impl ProfileNote {
    fn of_device(profile: &DeviceProfile) -> Self {
        Self {
            name: profile.name.clone(),
            description: profile.description.clone(),
            source: profile.source.clone(),
            assumed: profile.assumed.clone(),
            fast_bytes: match &profile.model {
                DeviceModel::Calibrated(calibrated) => {
                    calibrated.drain.as_ref().map(|drain| drain.fast_bytes)
                }
                DeviceModel::Disk(_) | DeviceModel::Flash(_) => None,
            },
        }
    }

    fn of_host(profile: &HostProfile) -> Self {
        Self {
            name: profile.name.clone(),
            description: profile.description.clone(),
            source: profile.source.clone(),
            assumed: profile.assumed.clone(),
            fast_bytes: None,
        }
    }
}

/// Returns the half width of an interval of logarithms in percent.
fn percent(width: f64) -> Argument {
    Argument::quantity(format!("{:.0}", 100.0 * width.exp_m1()), "%")
}

/// Returns the sources of a prediction's uncertainty that are not negligible.
fn sources(uncertainty: &Uncertainty) -> Message {
    let notable = uncertainty.sources.iter();
    let notable = notable.filter(|part| part.half_width >= NOTABLE);
    let sources = notable.map(|part| {
        Message::new(format!("predict-uncertain-{}", part.source.key()))
            .with("percent", percent(part.half_width))
    });
    let slower = Some(uncertainty.by_adapter).filter(|width| *width >= NOTABLE);
    let slower = slower
        .map(|width| Message::new("predict-uncertain-slower").with("percent", percent(width)));
    let uplink = Some(uncertainty.by_uplink).filter(|width| *width >= NOTABLE);
    let uplink = uplink
        .map(|width| Message::new("predict-uncertain-uplink").with("percent", percent(width)));
    let sources = sources.chain(slower).chain(uplink);
    Message::new("predict-uncertainty").with("sources", Argument::list(sources))
}

/// Returns the measurement that would narrow a prediction.
fn next_measurement(uncertainty: &Uncertainty) -> Option<Message> {
    let next = uncertainty.next.as_ref()?;
    let block = Bytes::new(next.block_size_bytes);
    Some(
        Message::new("predict-uncertain-next")
            .name("load", format!("{} {block}", next.pattern))
            .digits("depth", next.depth)
            .name("profile", &next.profile)
            .with(
                "percent",
                percent(uncertainty.then_slower.unwrap_or_default()),
            ),
    )
}

/// Says how many I/Os of the replays among workloads are under way at most: no trace states that.
pub(crate) fn trace_depth<'a>(workloads: impl Iterator<Item = &'a Workload>) -> Option<Message> {
    let replays = workloads.filter(|workload| workload.trace.is_some());
    let depths: BTreeSet<u64> = replays.map(|one| one.load.in_flight()).collect();
    let message = Message::new("predict-trace-depth");
    (!depths.is_empty()).then(|| message.with("depths", Argument::names(depths)))
}

impl Explanation {
    /// Returns an explanation without cells, in `model`.
    ///
    /// # Errors
    /// If the host profile is missing.
    pub fn new(model: &Model, seed: u64) -> Result<Self, ModelError> {
        let host = model.profiles.host(model.host.as_deref())?;
        let devices = model.profiles.devices.values();
        Ok(Self {
            schema: SCHEMA,
            world: WorldName::Model,
            kernel: model.kernel.to_string(),
            kernel_rules: rules_of(model.kernel).to_string(),
            host: ProfileNote::of_host(host),
            devices: devices.map(ProfileNote::of_device).collect(),
            failed: model.failed.iter().map(|Member(place)| *place).collect(),
            seed,
            lifetime: None,
            headline: Vec::new(),
            applies: None,
            applies_words: Vec::new(),
            cells: Vec::new(),
            model: model.clone(),
        })
    }

    /// Adds a cell.
    pub fn add(&mut self, cell: Cell, prediction: Prediction, why: Why, effects: Vec<Effect>) {
        let kernel = self.model.kernel_of(&cell);
        let rules = why.findings.iter();
        let rules = rules.map(|finding: &Finding| finding.sentence(&cell, kernel));
        let words = std::iter::once(why.bottleneck.sentence())
            .chain(rules)
            .collect();
        let changes = effects.into_iter().map(|effect| ExplainedEffect {
            what: effect.change.message(),
            words: effect_message(&effect),
            effect,
        });
        // An array that cannot be mapped was not simulated either.
        let array_map = self.model.array_map(&cell.stack).ok().flatten();
        let rebuild_ns = self.rebuild_ns(&cell, &prediction);
        self.cells.push(ExplainedCell {
            rebuild_ns,
            state: cell.conditions.state.unwrap_or(State::Steady),
            fresh: None,
            is_fresh_simulated: false,
            error_basis: ErrorBasis::of(&cell, &prediction),
            label: None,
            is_asked_in_both: false,
            varying: Vec::new(),
            lifetime: None,
            cell,
            prediction,
            words,
            why,
            changes: changes.collect(),
            array_map,
        });
    }

    /// Returns how long the rebuild of a device takes: as much of each as the smallest has, or the array uses.
    fn rebuild_ns(&self, cell: &Cell, prediction: &Prediction) -> Option<f64> {
        let rate = prediction.breakdown.rebuild_bytes_per_s;
        let rate = rate.filter(|rate| *rate > 0.0)?;
        let devices = cell.stack.devices.iter();
        let devices = devices.map(|group| self.model.profiles.devices.get(&group.profile));
        let sizes = devices.map(|device| device.map(|device| device.capacity_bytes));
        let sizes: Vec<u64> = sizes.collect::<Option<_>>()?;
        let asked = cell.stack.array.as_ref().and_then(|array| array.size_bytes);
        let sizes = sizes.into_iter().chain(asked.map(Bytes::as_u64));
        Some(as_f64(sizes.min()?) / rate * 1e9)
    }

    /// Adds what fresh devices give to the cell that was added last; `None` if that is the same.
    pub fn add_fresh(&mut self, fresh: Option<&Prediction>) {
        if let Some(last) = self.cells.last_mut() {
            last.is_asked_in_both = true;
            last.is_fresh_simulated = fresh.is_some();
            let fresh = fresh.and_then(|fresh| FreshState::of(&last.cell, fresh, &last.prediction));
            last.fresh = fresh;
        }
    }

    /// Sets what is asked about the years of the stacks, and what tells the loads apart, once all cells
    /// are there.
    pub fn ask_lifetime(&mut self, asked: Option<Lifetime>) {
        let varying = several::varying(&self.cells);
        for cell in &mut self.cells {
            cell.varying.clone_from(&varying);
        }
        let devices = self.model.profiles.devices.values();
        self.lifetime = asked.map(|asked| AskedLifetime::new(asked, devices));
        self.add_lives();
        self.conclude();
    }

    /// Adds what the cells decide, and in which state.
    fn conclude(&mut self) {
        let (both, daily) = (self.both(), self.daily());
        let states = states::applying(&both, daily);
        let headline = match (self.cells.as_slice(), both.is_empty()) {
            ([only], false) => states
                .iter()
                .filter_map(|one| only.in_state(*one))
                .collect(),
            (cells, _) => choice::messages(cells, &states),
        };
        let applies = states::applies_to(&both, daily);
        let applies_words = states::sentences_about(&both, daily);
        (self.headline, self.applies, self.applies_words) = (headline, applies, applies_words);
    }

    fn add_lives(&mut self) {
        let Some(asked) = &self.lifetime else {
            return;
        };
        let counted = self.cells.iter().map(|cell| Counted {
            cell: &cell.cell,
            samples: cell.prediction.samples.iter().collect(),
        });
        let counted: Vec<Counted> = counted.collect();
        let lives = (0..counted.len()).map(|index| asked.of_cell(&counted, index));
        let lives: Vec<Option<CellLifetime>> = lives.collect();
        for (cell, life) in self.cells.iter_mut().zip(lives) {
            cell.lifetime = life.map(|mut life| {
                // A prediction has no rebuild, and nothing is asked about a loss.
                life.unknown.retain(|unknown| unknown.is_of_wear());
                life
            });
        }
    }

    /// Returns the predictions: one in full, several as a table. What the answer is about comes first.
    pub fn blocks(&self) -> Vec<Block> {
        let both = self.both();
        let states = states::applying(&both, self.daily());
        let is_fresh_first = states.contains(&State::Fresh);
        let steady = states::head_of_steady(&both);
        let mut blocks = Vec::new();
        if let [only] = self.cells.as_slice() {
            // The prediction in full is that of steady devices.
            let fresh = steady.as_ref().filter(|_| is_fresh_first);
            let fresh = fresh.and_then(|_| only.in_state(State::Fresh));
            blocks.extend(fresh.map(|fresh| Block::toned(Tone::Strong, fresh)));
            blocks.extend(steady);
            blocks.extend(only.blocks());
            blocks.extend(self.states());
        } else {
            blocks.extend(choice::blocks(&self.cells, &states));
            if is_fresh_first && steady.is_some() {
                // The decision ends with a gap.
                blocks.extend(self.states().into_iter().skip(1));
                blocks.push(Block::Gap);
                blocks.extend(steady);
                blocks.extend(several::blocks(&self.cells));
            } else {
                blocks.extend(steady);
                blocks.extend(several::blocks(&self.cells));
                blocks.extend(self.states());
            }
        }
        blocks.extend(self.lives());
        blocks.push(Block::Gap);
        blocks.extend(self.basis());
        blocks
    }

    /// Returns the tables of several predictions: rates and times, both states, and the years.
    fn tables(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = states::head_of_steady(&self.both()).into_iter().collect();
        blocks.extend(several::blocks_once(&self.cells));
        blocks.extend(self.states());
        blocks.extend(self.lives());
        blocks
    }

    /// Returns the cells of which both states are asked about.
    fn both(&self) -> Vec<Both<'_>> {
        let both = self.cells.iter().filter(|cell| cell.is_asked_in_both);
        let both = both.map(|cell| Both {
            names: several::names(cell),
            name: cell.name().into(),
            cell: &cell.cell,
            fresh: cell.fresh.as_ref(),
            is_unknown: cell.is_fresh_unknown(),
            steady: &cell.prediction.estimates,
        });
        both.collect()
    }

    fn daily(&self) -> Daily {
        self.volume().map_or(Daily::Option, Daily::Volume)
    }

    /// Returns how much is written in a day, if that is stated.
    fn volume(&self) -> Option<Bytes> {
        self.lifetime.as_ref()?.asked.writes_per_day_bytes
    }

    /// Returns whether it is stated how much is written in a day.
    fn has_daily_volume(&self) -> bool {
        self.volume().is_some()
    }

    /// Returns whether writes wear a device: flash, or one that its vendor rates for writes.
    fn wears(&self) -> bool {
        let mut devices = self.model.profiles.devices.values();
        devices.any(|device| !device.rotational || device.ratings.tbw_bytes.is_some())
    }

    /// Returns both states of the cells at which they matter.
    fn states(&self) -> Vec<Block> {
        states::blocks(&self.both(), several::names_of_cells(), self.daily())
    }

    /// Returns what the stacks cost over the years, if that is asked.
    fn lives(&self) -> Vec<Block> {
        let Some(asked) = &self.lifetime else {
            return Vec::new();
        };
        let lives = self.cells.iter();
        let lives = lives.filter_map(|cell| Some((several::names(cell), cell.lifetime.as_ref()?)));
        let columns = several::names_of_cells();
        lifetime::blocks(asked, lives.collect(), columns, Says::Options)
    }

    /// Names the predictions, or the changes, whose simulation stopped at its effort limit.
    fn bounded(&self) -> Option<Message> {
        let cells = self
            .cells
            .iter()
            .filter(|cell| cell.prediction.is_cut_short);
        let cells = cells.filter(|_| self.cells.len() > 1);
        let cells = cells.map(ExplainedCell::name);
        let changes = self.cells.iter().flat_map(|cell| &cell.changes);
        let changes = changes.filter(|change| change.effect.is_cut_short);
        let changes = changes.map(|change| change.effect.change.message());
        let names: Vec<Message> = cells.chain(changes).collect();
        let message = Message::new("predict-bounded");
        (!names.is_empty()).then(|| message.with("names", Argument::list(names)))
    }

    /// Returns the basis of the predictions as a sentence.
    fn basis_message(&self) -> Message {
        let devices = self
            .devices
            .iter()
            .map(|device| Message::new("predict-basis-device").name("name", &device.name));
        let message = match self.failed.as_slice() {
            [] => Message::new("predict-basis"),
            places => {
                let failed = places.iter().map(|place| format!("disk{place}"));
                let message = match self.model.rebuilding {
                    true => Message::new("predict-basis-rebuilding").name("first", places[0]),
                    false => Message::new("predict-basis-failed"),
                };
                message.with("failed", Argument::names(failed))
            }
        };
        // It is the same for all cells of a question.
        let is_both = states::applies_to(&self.both(), self.daily()).is_some();
        let state = match self.cells.first() {
            Some(_) if is_both => Message::new("predict-state").name("state", "both"),
            Some(first) => first.state_message(),
            None => Message::new("predict-state").name("state", State::Steady),
        };
        message
            .with("state", state)
            .with("devices", Argument::list(devices))
            .name("host", &self.host.name)
            .with("kernel", rules_in_words(self.model.kernel))
            .name("seed", self.seed)
            .name("version", env!("CARGO_PKG_VERSION"))
    }

    /// Returns the content of the intervals, with the sources of uncertainty of a single prediction.
    fn interval_messages(&self) -> Vec<Message> {
        let uncertainty = |cell: &ExplainedCell| cell.prediction.breakdown.uncertainty.clone();
        let known: Vec<Uncertainty> = self.cells.iter().filter_map(uncertainty).collect();
        let id = match known.len() {
            0 => "predict-basis-interval",
            count if count == self.cells.len() => "predict-basis-interval-all",
            _ => "predict-basis-interval-some",
        };
        let sources = match (known.as_slice(), self.cells.len()) {
            ([only], 1) => vec![Some(sources(only)), next_measurement(only)],
            _ => Vec::new(),
        };
        let sources = sources.into_iter().flatten();
        std::iter::once(Message::new(id)).chain(sources).collect()
    }

    /// Says how many I/Os of a replay are under way at most: no trace states that.
    fn trace_depth(&self) -> Option<Message> {
        trace_depth(self.cells.iter().map(|cell| &cell.cell.workload))
    }

    /// Returns how many values are assumed, and folded which.
    fn assumed(&self) -> Vec<Block> {
        let notes = self.devices.iter().chain([&self.host]);
        let notes = notes.filter(|note| !note.assumed.is_empty());
        let counts = notes.clone().map(|note| {
            Message::new("predict-assumed-count")
                .name("profile", &note.name)
                .digits("count", note.assumed.len())
        });
        let counts: Vec<Message> = counts.collect();
        if counts.is_empty() {
            return Vec::new();
        }
        let message = Message::new("predict-assumed").with("counts", Argument::list(counts));
        let values = notes.flat_map(|note| {
            let of_profile = |value: &String| {
                let message = Message::new("predict-assumed-value").name("profile", &note.name);
                message.with("value", shipped(value)).into()
            };
            note.assumed.iter().map(of_profile)
        });
        let values = Block::List(values.collect());
        let title = Sentence::new(Message::new("predict-assumed-title"));
        vec![
            Block::toned(Tone::Dim, message),
            Block::closed_with(Message::new("predict-assumed-listed"), title, vec![values]),
        ]
    }

    /// Returns the basis of the predictions, and what it assumes.
    fn basis(&self) -> Vec<Block> {
        let how = std::iter::once(self.basis_message()).chain(self.interval_messages());
        let bounded = self.bounded();
        let bounded = bounded.map(|message| Block::toned(Tone::Warn, message));
        let mut blocks: Vec<Block> = bounded.into_iter().collect();
        blocks.extend(self.trace_depth().map(Block::say));
        blocks.push(Sentence::of(how).tone(Tone::Dim).into());
        blocks.extend(self.assumed());
        blocks
    }
}
