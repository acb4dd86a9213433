//! Predictions and their explanations, for people and programs.

use serde::Serialize;
use stripewise_catalogue::Message;
use stripewise_diagnose::changes::Effect;
use stripewise_diagnose::prediction::{MemberLoad, Prediction};
use stripewise_diagnose::why::{Finding, Why};
use stripewise_diagnose::words::percent;
use stripewise_profiles::device::number::rounded;
use stripewise_profiles::device::{DeviceProfile, Model as DeviceModel};
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::kernel::{rules_in_words, rules_of};
use stripewise_sim::array::map::ArrayMap;
use stripewise_sim::io::Member;
use stripewise_sim::world::{Model, ModelError};
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Part, PartTime};
use stripewise_study::stack::Stack;
use stripewise_study::warning::Changing;

use crate::array_map::array_map;
use crate::bar::Bar;
use crate::document::SCHEMA;
use crate::numbers::{Reading, mib_per_s, rate, size};
use crate::table::{Column, Field, Table};
use crate::text::{BAD, BOLD, DIM, GOOD, WARN, dimmed, paint, painted, strip_control, wrapped};
use crate::view::View;

/// The most findings in text; JSON has all.
const FINDINGS_MAX: usize = 2;
/// The most improvements in text.
const BETTER_MAX: usize = 5;
/// The most pieces of popular but useless advice in text.
const USELESS_MAX: usize = 3;

/// Predictions of the model, with their basis.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The version of this document's format.
    pub schema: u32,
    /// The world: always the model.
    pub world: &'static str,
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
    /// The explanation.
    #[serde(flatten)]
    pub why: Why,
    /// The explanation in words: the bottleneck, then the rules behind it.
    pub words: Vec<String>,
    /// The same for a reader of another language.
    #[serde(skip)]
    sentences: Vec<Message>,
    /// Changes and their effects; empty if none were requested.
    pub changes: Vec<ExplainedEffect>,
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
    pub what: String,
    /// Its effect in words.
    pub words: String,
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
            world: stripewise_sim::world::NAME,
            kernel: model.kernel.to_string(),
            kernel_rules: rules_of(model.kernel).to_string(),
            host: ProfileNote::of_host(host),
            devices: devices.map(ProfileNote::of_device).collect(),
            failed: model.failed.iter().map(|Member(place)| *place).collect(),
            seed,
            cells: Vec::new(),
            model: model.clone(),
        })
    }

    /// Adds a cell.
    pub fn add(&mut self, cell: Cell, prediction: Prediction, why: Why, effects: Vec<Effect>) {
        let kernel = self.model.kernel;
        let rules = why.findings.iter();
        let rules = rules.map(|finding: &Finding| finding.sentence(&cell, kernel));
        let sentences: Vec<Message> = std::iter::once(why.bottleneck.sentence())
            .chain(rules)
            .collect();
        let changes = effects.into_iter().map(|effect| ExplainedEffect {
            what: effect.change.message().to_string(),
            words: effect_message(&effect).to_string(),
            effect,
        });
        // An array that cannot be mapped was not simulated either.
        let array_map = self.model.array_map(&cell.stack).ok().flatten();
        self.cells.push(ExplainedCell {
            state: cell.conditions.state.unwrap_or(State::Steady),
            cell,
            prediction,
            why,
            words: sentences.iter().map(ToString::to_string).collect(),
            sentences,
            changes: changes.collect(),
            array_map,
        });
    }

    /// Returns the predictions as text: one in full, several as a table.
    pub fn text(&self, view: View) -> String {
        let mut text = match self.cells.as_slice() {
            [only] => only.text(view),
            several => table(several, view) + &notes(several, view),
        };
        text.push('\n');
        text.push_str(&self.basis(view));
        text
    }

    /// Names the predictions, or the changes, whose simulation stopped at its effort limit.
    fn bounded(&self, view: View) -> String {
        let cells = self
            .cells
            .iter()
            .filter(|cell| cell.prediction.is_cut_short);
        let cells = cells.filter(|_| self.cells.len() > 1);
        let cells = cells.map(ExplainedCell::name);
        let changes = self.cells.iter().flat_map(|cell| &cell.changes);
        let changes = changes.filter(|change| change.effect.is_cut_short);
        let names: Vec<String> = cells
            .chain(changes.map(|change| change.what.clone()))
            .collect();
        if names.is_empty() {
            return String::new();
        }
        let text = format!(
            "Effort bounded, so that few I/Os were simulated: {}.",
            names.join("; ")
        );
        painted(WARN, &strip_control(&text), view)
    }

    /// Returns the state of all predictions: a question asks about one.
    fn state(&self) -> State {
        self.cells.first().map_or(State::Steady, |cell| cell.state)
    }

    /// Returns the basis of the predictions.
    fn basis(&self, view: View) -> String {
        let devices: Vec<String> = self
            .devices
            .iter()
            .map(|device| format!("device profile `{}`", device.name))
            .collect();
        let failed = match self.failed.as_slice() {
            [] => String::new(),
            places => {
                let places: Vec<String> =
                    places.iter().map(|place| format!("disk{place}")).collect();
                format!(", with {} failed", places.join(" and "))
            }
        };
        let how = format!(
            "This is a prediction{failed} for the {} state, by simulation: {}, host profile `{}`, kernel rules {}, seed {}, stripewise {}. \
             ± is the simulation's own uncertainty of a median; errors of profiles and rules come on top (MODEL.md).",
            self.state(),
            devices.join(", "),
            self.host.name,
            rules_in_words(self.model.kernel),
            self.seed,
            env!("CARGO_PKG_VERSION")
        );
        let mut text = self.bounded(view);
        text.push_str(&dimmed(&how, view));
        let notes = self.devices.iter().chain([&self.host]);
        for note in notes.filter(|note| !note.assumed.is_empty()) {
            let assumed = clipped(&note.assumed.join("; "));
            let assumed = format!("Assumed in `{}`: {assumed}.", note.name);
            text.push_str(&dimmed(&assumed, view));
        }
        text
    }
}

/// States that the simulations reached their effort limit before the long run.
fn still_changing(changing: Changing) -> Message {
    Message::new("predict-still-changing").name("changing", changing.key())
}

/// The most characters of a profile's assumptions in text; JSON has all.
const ASSUMED_MAX: usize = 160;

/// Returns the beginning of a long text, with a pointer to the rest.
fn clipped(text: &str) -> String {
    if text.chars().count() <= ASSUMED_MAX {
        return text.to_owned();
    }
    let begin: String = text.chars().take(ASSUMED_MAX).collect();
    let begin = begin
        .rsplit_once(' ')
        .map_or(begin.as_str(), |(whole, _)| whole);
    let begin = begin.trim_end_matches([';', ',', ':']);
    format!("{begin} ... (`--json` has the rest)")
}

/// Returns an effect: `38 to 39 % faster`, or its small percentage.
fn effect_message(effect: &Effect) -> Message {
    match effect.verdict {
        Verdict::NoDifference { .. } => {
            let percent = format!("{:+.0}", (effect.ratio.value - 1.0) * 100.0);
            let percent = match percent.as_str() {
                "+0" | "-0" => "0".to_owned(),
                _ => percent,
            };
            Message::new("predict-no-difference").digits("percent", percent)
        }
        _ => effect.message(),
    }
}

impl ExplainedCell {
    fn text(&self, view: View) -> String {
        let mut text = self.headline(view);
        text.push_str(&dimmed(&self.setup(view), view));
        if let Some(onset) = self.onset() {
            text.push_str(&painted(WARN, &onset, view));
        }
        if let Some(changing) = self.prediction.changing {
            text.push_str(&painted(WARN, &view.say(&still_changing(changing)), view));
        }
        if self.prediction.is_cut_short {
            text.push_str(&painted(WARN, &self.cut_short(), view));
        }
        text.push('\n');
        let sentences: Vec<String> = self
            .sentences
            .iter()
            .take(1 + FINDINGS_MAX)
            .map(|sentence| view.say(sentence))
            .collect();
        text.push_str(&wrapped(&strip_control(&sentences.join(" ")), "", view));
        text.push('\n');
        text.push_str(&self.waterfall(view));
        text.push('\n');
        text.push_str(&self.members(view));
        text.push_str(&self.components(view));
        if let Some(map) = &self.array_map {
            text.push('\n');
            text.push_str(&array_map(map, &[], view));
        }
        if !self.changes.is_empty() {
            text.push('\n');
            text.push_str(&self.effects(view));
        }
        text
    }

    /// Returns the answer, with the bottleneck below.
    fn headline(&self, view: View) -> String {
        let mut parts = Vec::new();
        let mut answer = String::new();
        if let Some(bandwidth) = self.prediction.estimate(Metric::Bandwidth) {
            let reading = Reading::new(Metric::Bandwidth, bandwidth);
            parts.push(reading.to_string());
            answer = reading.value;
        }
        parts.extend(
            self.value(Metric::Iops)
                .map(|iops| format!("{} IOPS", rate(iops))),
        );
        for (name, metric) in [
            ("mean", Metric::LatencyMean),
            ("p99", Metric::LatencyP99),
            ("sync mean", Metric::SyncLatencyMean),
        ] {
            let value = self.value(metric);
            parts.extend(
                value.map(|value| format!("{name} {}", view.show(&metric.quantity(value)))),
            );
        }
        let text = wrapped(&parts.join(", "), "", view);
        let text = text.replacen(&answer, &paint(BOLD, &answer), 1);
        let limit = format!("limited by {}", view.say(&self.why.bottleneck.short()));
        let error = self.profile_error();
        let error = error.map_or_else(String::new, |error| painted(WARN, &error, view));
        text + &error + &painted(WARN, &limit, view)
    }

    /// Returns the possible error of the device profile here: its error at the nearest points that
    /// it was made from.
    fn profile_error(&self) -> Option<String> {
        let error = self.prediction.profile_error.as_ref()?;
        Some(format!(
            "{} MiB/s, and by the profile's own error between {} and {}: `{}` is {:+.0} % off at its nearest measured point",
            mib_per_s(self.value(Metric::Bandwidth)?),
            mib_per_s(error.low_bytes_per_s),
            mib_per_s(error.high_bytes_per_s),
            strip_control(&error.profile),
            error.worst * 100.0
        ))
    }

    /// States that the simulations reached their effort limit, and the consequence.
    fn cut_short(&self) -> String {
        let simulations = u64::try_from(self.prediction.samples.len()).unwrap_or(u64::MAX);
        format!(
            "Effort bounded: each simulation ended after about {} I/Os, before its estimate was steady. \
             ± covers such short simulations; effects that build up over more I/Os are not included.",
            self.prediction.ios / simulations.max(1)
        )
    }

    /// Returns a short name of the cell.
    fn name(&self) -> String {
        let load = &self.cell.workload.load;
        let stack = short_stack(&self.cell.stack);
        format!("{} {} on {stack}", load.pattern, load.block_size)
    }

    fn value(&self, metric: Metric) -> Option<f64> {
        self.prediction
            .estimate(metric)
            .map(|estimate: &Estimate| estimate.value)
    }

    /// Returns stack and workload in words.
    fn setup(&self, view: View) -> String {
        let cell = &self.cell;
        let load = &cell.workload.load;
        let mut parts = vec![
            cell.stack.summary(),
            format!("{} {}", load.pattern, load.block_size),
        ];
        for axis in [
            Axis::Mix,
            Axis::Depth,
            Axis::Jobs,
            Axis::Size,
            Axis::Fsync,
            Axis::Fdatasync,
            Axis::Governor,
        ] {
            let value = cell.value(axis);
            if value != "-" {
                parts.push(format!("{} {value}", axis.key()));
            }
        }
        parts.push(format!("{} state", self.state));
        parts.join(view.separator())
    }

    /// Returns the rate at the beginning of the load, if it differs from the long run.
    fn onset(&self) -> Option<String> {
        let onset = self.prediction.breakdown.onset?;
        let is_random = self.cell.workload.load.pattern.is_random();
        let (first, then) = match is_random {
            true => (
                format!("{} IOPS", rate(onset.ios_per_s)),
                rate(self.value(Metric::Iops)?),
            ),
            false => (
                format!("{} MiB/s", mib_per_s(onset.bytes_per_s)),
                mib_per_s(self.value(Metric::Bandwidth)?),
            ),
        };
        let time = Metric::LatencyMean.quantity(onset.time_ns.as_secs_f64() * 1e9);
        Some(format!(
            "{first} for the first {} ({time}), then {then}.",
            size(onset.bytes.as_u64())
        ))
    }

    /// Returns where the time of the mean I/O and of the slowest went: each part begins where the
    /// one before it ended.
    fn waterfall(&self, view: View) -> String {
        let breakdown = &self.prediction.breakdown;
        let total = |parts: &[PartTime]| parts.iter().map(|part| part.time_ns).sum::<f64>();
        let totals = (total(&breakdown.mean), total(&breakdown.slowest));
        let mut table = Table::new([
            Column::words("time of an I/O").named(""),
            Column::number("mean").named("in the mean"),
            Column::number("").named("share"),
            Column::bar(),
            Column::number("slowest 1 %").named("in the slowest 1 %"),
            Column::number("").named("share of that"),
        ]);
        let time_of = |parts: &[PartTime], part: Part| {
            parts
                .iter()
                .find(|other| other.part == part)
                .map_or(0.0, |found| found.time_ns)
        };
        let time = |value: f64| view.show(&Metric::LatencyMean.quantity(value));
        let percent = |share: f64| view.show(&percent(share));
        let mut begin = 0.0;
        for part in Part::ALL {
            let (mean, slowest) = (
                time_of(&breakdown.mean, part),
                time_of(&breakdown.slowest, part),
            );
            let end = begin + mean;
            let bar = Bar::of_part(begin, end, totals.0);
            begin = end;
            let (share, slowest_share) = (mean / totals.0, slowest / totals.1);
            if share < 0.005 && slowest_share < 0.005 {
                continue;
            }
            table.row(vec![
                Field::plain(view.say(&part.message())),
                Field::plain(time(mean)),
                Field::styled(DIM, percent(share)),
                Field::bar(bar),
                Field::plain(time(slowest)),
                Field::styled(DIM, percent(slowest_share)),
            ]);
        }
        table.row(vec![
            Field::styled(BOLD, "in all"),
            Field::styled(BOLD, time(totals.0)),
            Field::plain(""),
            Field::plain(""),
            Field::styled(BOLD, time(totals.1)),
            Field::plain(""),
        ]);
        let title = match view.is_plain() {
            true => "Where the time of an I/O goes:\n",
            false => "",
        };
        title.to_owned() + &table.finish(view)
    }

    /// Returns the I/O of each disk, in iostat's terms.
    fn members(&self, view: View) -> String {
        let members = &self.prediction.members;
        let reads = members.iter().any(|member| member.reads > 0);
        let writes = members.iter().any(|member| member.writes > 0);
        let flushes = members.iter().any(|member| member.flushes > 0);
        let mut columns = vec![Column::words("disk")];
        let sequential = |of: &str| Column::number("sequential").named(of).optional(3);
        if reads {
            columns.push(Column::number("reads/s").named("reads per second"));
            columns.push(sequential("sequential reads"));
        }
        if writes {
            columns.push(Column::number("writes/s").named("writes per second"));
            columns.push(sequential("sequential writes"));
        }
        columns.push(Column::number("request").named("mean request"));
        columns.push(Column::number("merged").optional(1));
        if flushes {
            columns.push(Column::number("flushes/s").named("flushes per second"));
        }
        columns.extend([Column::number("busy"), Column::number("link").optional(2)]);
        let mut table = Table::new(columns);
        let share = |share: Option<f64>| match share {
            Some(share) => Field::plain(view.show(&percent(share))),
            None => Field::styled(DIM, "-"),
        };
        for member in members {
            let mut row = vec![Field::plain(&member.device)];
            if reads {
                row.extend([
                    Field::plain(rate(member.reads_per_s)),
                    share(member.sequential_read_share),
                ]);
            }
            if writes {
                row.extend([
                    Field::plain(rate(member.writes_per_s)),
                    share(member.sequential_write_share),
                ]);
            }
            row.extend([Field::plain(request(member)), share(merged(member))]);
            if flushes {
                row.push(Field::plain(rate(member.flushes_per_s)));
            }
            let link = self
                .prediction
                .busiest(&format!("link of {}", member.device));
            row.extend([
                Field::plain(view.show(&percent(member.busy_share))),
                Field::plain(view.show(&percent(link))),
            ]);
            table.row(row);
        }
        table.finish(view)
    }

    /// Returns the utilisation of everything else.
    fn components(&self, view: View) -> String {
        let members = &self.prediction.members;
        let is_shown = |name: &str| {
            name.starts_with("link of ") || members.iter().any(|member| member.device == name)
        };
        let others = self.prediction.breakdown.utilisation.iter();
        let others: Vec<String> = others
            .filter(|one| !is_shown(&one.component))
            .map(|one| format!("{} {}", one.component, view.show(&percent(one.busy_share))))
            .collect();
        let mut lines = vec![("busy beside them:", others.join(", "))];
        if let Some(rate) = self.prediction.breakdown.rebuild_bytes_per_s {
            lines.push(("the rebuild runs at", format!("{} MiB/s", mib_per_s(rate))));
        }
        let mut text = String::new();
        for (name, value) in lines {
            let line = wrapped(&strip_control(&format!("{name} {value}")), "  ", view);
            text.push_str(&line.replacen(name, &paint(DIM, name), 1));
        }
        text
    }

    /// Returns the changes: the most effective first, then popular advice that does not help.
    fn effects(&self, view: View) -> String {
        let mut table = Table::new([
            Column::words("what would change it").named("with"),
            Column::number("MiB/s").named("bandwidth").unit("MiB/s"),
            Column::number("p99").named(&view.say(&Metric::LatencyP99.message())),
            Column::words("against now, simulated"),
        ]);
        let better = self
            .changes
            .iter()
            .filter(|change| change.effect.is_better());
        let better = better.take(BETTER_MAX);
        let useless = self
            .changes
            .iter()
            .filter(|change| change.effect.is_popular && !change.effect.is_better());
        for change in better.chain(useless.take(USELESS_MAX)) {
            let effect = &change.effect;
            let style = match effect.verdict {
                Verdict::Different { .. } if effect.is_better() => GOOD,
                Verdict::Different { .. } => BAD,
                _ => DIM,
            };
            let p99 = effect.latency_ns_p99.map_or_else(String::new, |p99| {
                view.show(&Metric::LatencyP99.quantity(p99.value))
            });
            table.row(vec![
                Field::plain(view.say(&effect.change.message())),
                Field::styled(BOLD, mib_per_s(effect.bandwidth_bytes_per_s.value)),
                Field::plain(p99),
                Field::styled(style, view.say(&effect_message(effect))),
            ]);
        }
        table.finish(view)
    }
}

fn request(member: &MemberLoad) -> String {
    size(rounded(member.request_bytes_mean))
}

/// Returns the share of requests in the disk's queue that were merged into others.
fn merged(member: &MemberLoad) -> Option<f64> {
    let merges = u32::try_from(member.merges)
        .map(f64::from)
        .unwrap_or(f64::MAX);
    let requests = u32::try_from(member.reads + member.writes)
        .map(f64::from)
        .unwrap_or(f64::MAX);
    (requests > 0.0).then(|| merges / (merges + requests))
}

/// Returns several predictions, one per row.
fn table(cells: &[ExplainedCell], view: View) -> String {
    let mut table = Table::new([
        Column::group("stack"),
        Column::group("workload"),
        Column::number("MiB/s").named("bandwidth").unit("MiB/s"),
        Column::interval(),
        Column::bar(),
        Column::number("IOPS").named("I/Os per second").optional(1),
        Column::number("mean")
            .named(&view.say(&Metric::LatencyMean.message()))
            .optional(2),
        Column::number("p99")
            .named(&view.say(&Metric::LatencyP99.message()))
            .optional(3),
        Column::words("limited by"),
    ]);
    let bandwidth = |cell: &ExplainedCell| cell.value(Metric::Bandwidth).unwrap_or(0.0);
    let most = cells.iter().map(bandwidth).fold(0.0, f64::max);
    let mut before = None;
    for cell in cells {
        let stack = short_stack(&cell.cell.stack);
        let load = &cell.cell.workload.load;
        let mut workload = format!("{} {}", load.pattern, load.block_size);
        if load.depth > 1 {
            workload.push_str(&format!(" depth {}", load.depth));
        }
        if load.jobs > 1 {
            workload.push_str(&format!(" jobs {}", load.jobs));
        }
        let value = |metric: Metric| {
            cell.value(metric)
                .map_or_else(String::new, |value| view.show(&metric.quantity(value)))
        };
        let mut row = vec![
            Field::plain(&stack).repeated(before.as_ref() == Some(&stack)),
            Field::plain(workload),
        ];
        row.extend(match cell.prediction.estimate(Metric::Bandwidth) {
            Some(estimate) => {
                let reading = Reading::new(Metric::Bandwidth, estimate);
                [
                    Field::styled(BOLD, reading.value),
                    Field::styled(DIM, reading.half),
                    Field::bar(Bar::of_estimate(estimate, most)),
                ]
            }
            None => ["-", "", ""].map(Field::plain),
        });
        row.extend([
            Field::plain(cell.value(Metric::Iops).map_or_else(String::new, rate)),
            Field::plain(value(Metric::LatencyMean)),
            Field::plain(value(Metric::LatencyP99)),
            Field::plain(view.say(&cell.why.bottleneck.short())),
        ]);
        table.row(row);
        before = Some(stack);
    }
    table.finish(view)
}

/// Returns notes for which a row has no room: the beginning of a load, and values still changing.
fn notes(cells: &[ExplainedCell], view: View) -> String {
    let mut text = String::new();
    for cell in cells {
        let changing = cell
            .prediction
            .changing
            .map(|one| view.say(&still_changing(one)));
        for note in cell.onset().into_iter().chain(changing) {
            let note = format!("{}: {note}", cell.name());
            text.push_str(&painted(WARN, &strip_control(&note), view));
        }
    }
    text
}

/// Returns a short form of a stack, without the names of devices: `4 x raid10 n2 32K`.
fn short_stack(stack: &Stack) -> String {
    let Some(array) = &stack.array else {
        return "one device".to_owned();
    };
    let mut words = vec![format!("{} x {}", stack.device_count(), array.level)];
    words.extend(array.layout.clone());
    words.extend(array.chunk_bytes.map(|chunk| chunk.to_string()));
    words.join(" ")
}
