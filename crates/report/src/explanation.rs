//! Predictions and why they are so, for people and programs.

use serde::Serialize;
use stripewise_diagnose::changes::Effect;
use stripewise_diagnose::prediction::{MemberLoad, Prediction};
use stripewise_diagnose::why::{Finding, Why};
use stripewise_diagnose::words::percent;
use stripewise_sim::device::profile::{DeviceProfile, Model as DeviceModel};
use stripewise_sim::host::HostProfile;
use stripewise_sim::io::Member;
use stripewise_sim::world::{Model, ModelError};
use stripewise_stats::{Better, Estimate, Verdict, words};
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::kernel::KernelVersion;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Part, PartTime};
use stripewise_study::stack::Stack;

use crate::bar::plain_bar;
use crate::document::SCHEMA;
use crate::numbers::{plus_minus, rate, size};
use crate::table::{Field, Side, Table};
use crate::text::{BAD, BOLD, DIM, GOOD, WARN, dimmed, harmless, paint, wrapped};

/// How long the longest bar is.
const BAR_WIDTH: u16 = 24;
/// How many findings people are told; programs get all.
const FINDINGS_MAX: usize = 2;
/// How many changes for the better people are told.
const BETTER_MAX: usize = 5;
/// How many pieces of popular advice that does not help.
const USELESS_MAX: usize = 3;

/// Answers of the model, with what they rest on.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The version of this form.
    pub schema: u32,
    /// The world: it is a prediction.
    pub world: &'static str,
    /// Whose rules apply.
    pub kernel: String,
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
    kernel_version: Option<KernelVersion>,
}

/// A profile and how far it can be trusted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfileNote {
    /// Its name.
    pub name: String,
    /// What it describes.
    pub description: String,
    /// Where its numbers come from.
    pub source: String,
    /// What is not known and was assumed.
    pub assumed: Vec<String>,
    /// How much can be written before the drive slows down; nothing if it is not known to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_bytes: Option<u64>,
}

/// A cell, what it gives, and why.
#[derive(Debug, Serialize)]
pub struct ExplainedCell {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// What it gives.
    #[serde(flatten)]
    pub prediction: Prediction,
    /// Why.
    #[serde(flatten)]
    pub why: Why,
    /// The same in words: what limits, then the rules behind it.
    pub words: Vec<String>,
    /// What would change it; empty where nobody asked.
    pub changes: Vec<ExplainedEffect>,
}

/// A change and its effect, with their words.
#[derive(Debug, Serialize)]
pub struct ExplainedEffect {
    /// What is done otherwise, and what that does.
    #[serde(flatten)]
    pub effect: Effect,
    /// What is done otherwise, in words.
    pub what: String,
    /// What that does, in words.
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
    /// Returns an explanation of nothing yet, in `model`.
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
            host: ProfileNote::of_host(host),
            devices: devices.map(ProfileNote::of_device).collect(),
            failed: model.failed.iter().map(|Member(place)| *place).collect(),
            seed,
            cells: Vec::new(),
            kernel_version: Some(model.kernel),
        })
    }

    /// Adds a cell.
    pub fn add(&mut self, cell: Cell, prediction: Prediction, why: Why, effects: Vec<Effect>) {
        let kernel = self.kernel_version.unwrap_or(KernelVersion::new(0, 0, 0));
        let rules = why.findings.iter();
        let rules = rules.map(|finding: &Finding| finding.sentence(&cell, kernel));
        let words = std::iter::once(why.bottleneck.sentence())
            .chain(rules)
            .collect();
        let changes = effects.into_iter().map(|effect| ExplainedEffect {
            what: effect.change.words(),
            words: words_of(&effect),
            effect,
        });
        self.cells.push(ExplainedCell {
            cell,
            prediction,
            why,
            words,
            changes: changes.collect(),
        });
    }

    /// Returns the answers as text: one in full, several as a table.
    pub fn text(&self) -> String {
        let mut text = match self.cells.as_slice() {
            [only] => only.text(),
            several => table(several),
        };
        text.push('\n');
        text.push_str(&self.basis());
        text
    }

    /// Returns what the answers rest on.
    fn basis(&self) -> String {
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
        let mut text = dimmed(&format!(
            "This is a prediction{failed}, by simulation: {}, host profile `{}`, kernel rules {}, seed {}, stripewise {}.",
            devices.join(", "),
            self.host.name,
            self.kernel,
            self.seed,
            env!("CARGO_PKG_VERSION")
        ));
        let writes = self
            .cells
            .iter()
            .any(|cell| cell.cell.workload.loads().any(|load| load.pattern.writes()));
        for device in self.devices.iter().filter(|_| writes) {
            if let Some(bytes) = device.fast_bytes {
                let fast = bytes_words(bytes);
                text.push_str(&dimmed(&format!(
                    "Each `{}` is taken as fresh: after {fast} of writes it slows down; `run --world model` with longer samples shows it.",
                    device.name
                )));
            }
        }
        let notes = self.devices.iter().chain([&self.host]);
        for note in notes.filter(|note| !note.assumed.is_empty()) {
            let assumed = clipped(&note.assumed.join("; "));
            text.push_str(&dimmed(&format!("Assumed in `{}`: {assumed}.", note.name)));
        }
        text
    }
}

/// Returns a size as people say it.
fn bytes_words(bytes: u64) -> String {
    format!("{} GB", bytes / 1_000_000_000)
}

/// How many characters of what a profile assumes people are told; programs get all.
const ASSUMED_MAX: usize = 160;

/// Returns the begin of a text that is too long, and where the rest is.
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

/// Returns what an effect is in words: `38 to 39 % faster`, or how little it is.
fn words_of(effect: &Effect) -> String {
    let ratio = &effect.ratio;
    match effect.verdict {
        Verdict::NoDifference { .. } => {
            format!("{:+.0} %, no difference", (ratio.value - 1.0) * 100.0)
                .replace("-0 %", "0 %")
                .replace("+0 %", "0 %")
        }
        verdict => words(&verdict, Better::Higher),
    }
}

impl ExplainedCell {
    fn text(&self) -> String {
        let mut text = self.headline();
        text.push_str(&dimmed(&harmless(&self.setup())));
        text.push('\n');
        let sentences: Vec<&str> = self
            .words
            .iter()
            .take(1 + FINDINGS_MAX)
            .map(String::as_str)
            .collect();
        text.push_str(&wrapped(&harmless(&sentences.join(" ")), ""));
        text.push('\n');
        text.push_str(&self.waterfall());
        text.push('\n');
        text.push_str(&self.members());
        text.push_str(&self.components());
        if !self.changes.is_empty() {
            text.push('\n');
            text.push_str(&self.effects());
        }
        text
    }

    /// Returns the answer, and below it what limits.
    fn headline(&self) -> String {
        let mut parts = Vec::new();
        if let Some(bandwidth) = self.prediction.estimate(Metric::Bandwidth) {
            let value = paint(BOLD, &Metric::Bandwidth.quantity(bandwidth.value));
            parts.push(format!("{value} {}", plus_minus(bandwidth)));
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
            parts.extend(value.map(|value| format!("{name} {}", metric.quantity(value))));
        }
        let limit = format!("limited by {}", self.why.bottleneck.short());
        format!("{}\n{}\n", parts.join(", "), paint(WARN, &limit))
    }

    fn value(&self, metric: Metric) -> Option<f64> {
        self.prediction
            .estimate(metric)
            .map(|estimate: &Estimate| estimate.value)
    }

    /// Returns stack and workload in words.
    fn setup(&self) -> String {
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
        parts.join(" · ")
    }

    /// Returns where the time of the mean I/O and of the slowest went, a bar each part.
    fn waterfall(&self) -> String {
        let breakdown = &self.prediction.breakdown;
        let total = |parts: &[PartTime]| parts.iter().map(|part| part.time_ns).sum::<f64>();
        let totals = (total(&breakdown.mean), total(&breakdown.slowest));
        let most = breakdown
            .mean
            .iter()
            .map(|part| part.time_ns)
            .fold(0.0, f64::max);
        let mut table = Table::new(&[
            ("time of an I/O", Side::Left),
            ("mean", Side::Right),
            ("", Side::Right),
            ("", Side::Left),
            ("slowest 1 %", Side::Right),
            ("", Side::Right),
        ]);
        let time_of = |parts: &[PartTime], part: Part| {
            parts
                .iter()
                .find(|other| other.part == part)
                .map_or(0.0, |found| found.time_ns)
        };
        let time = |value: f64| Metric::LatencyMean.quantity(value);
        for part in Part::ALL {
            let (mean, slowest) = (
                time_of(&breakdown.mean, part),
                time_of(&breakdown.slowest, part),
            );
            let (share, slowest_share) = (mean / totals.0, slowest / totals.1);
            if share < 0.005 && slowest_share < 0.005 {
                continue;
            }
            table.row(vec![
                Field::plain(part.words()),
                Field::plain(time(mean)),
                Field::styled(DIM, percent(share)),
                Field::plain(plain_bar(mean, most, BAR_WIDTH)),
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
        table.finish()
    }

    /// Returns what each disk saw, in iostat's terms.
    fn members(&self) -> String {
        let members = &self.prediction.members;
        let reads = members.iter().any(|member| member.reads > 0);
        let writes = members.iter().any(|member| member.writes > 0);
        let flushes = members.iter().any(|member| member.flushes > 0);
        let mut heads = vec![("disk", Side::Left)];
        if reads {
            heads.extend([("reads/s", Side::Right), ("sequential", Side::Right)]);
        }
        if writes {
            heads.extend([("writes/s", Side::Right), ("sequential", Side::Right)]);
        }
        heads.extend([("request", Side::Right), ("merged", Side::Right)]);
        if flushes {
            heads.push(("flushes/s", Side::Right));
        }
        heads.extend([("busy", Side::Right), ("link", Side::Right)]);
        let mut table = Table::new(&heads);
        let share = |share: Option<f64>| match share {
            Some(share) => Field::plain(percent(share)),
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
                Field::plain(percent(member.busy_share)),
                Field::plain(percent(link)),
            ]);
            table.row(row);
        }
        table.finish()
    }

    /// Returns how busy everything else was.
    fn components(&self) -> String {
        let members = &self.prediction.members;
        let is_shown = |name: &str| {
            name.starts_with("link of ") || members.iter().any(|member| member.device == name)
        };
        let others = self.prediction.breakdown.utilisation.iter();
        let others: Vec<String> = others
            .filter(|one| !is_shown(&one.component))
            .map(|one| format!("{} {}", one.component, percent(one.busy_share)))
            .collect();
        let mut text = wrapped(
            &format!("{} {}", paint(DIM, "busy beside them:"), others.join(", ")),
            "",
        );
        if let Some(rate) = self.prediction.breakdown.rebuild_bytes_per_s {
            let rate = format!("{:.1} MiB/s", rate / f64::from(1 << 20));
            text.push_str(&wrapped(
                &format!("{} {rate}", paint(DIM, "the rebuild goes on at")),
                "",
            ));
        }
        text
    }

    /// Returns what would change the answer: what helps most, then popular advice that does not.
    fn effects(&self) -> String {
        let mut table = Table::new(&[
            ("what would change it", Side::Left),
            ("MiB/s", Side::Right),
            ("p99", Side::Right),
            ("against now, simulated", Side::Left),
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
            let p99 = effect
                .latency_ns_p99
                .map_or_else(String::new, |p99| Metric::LatencyP99.quantity(p99.value));
            table.row(vec![
                Field::plain(&change.what),
                Field::styled(
                    BOLD,
                    crate::numbers::mib_per_s(effect.bandwidth_bytes_per_s.value),
                ),
                Field::plain(p99),
                Field::styled(style, &change.words),
            ]);
        }
        table.finish()
    }
}

fn request(member: &MemberLoad) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a mean size is small and not negative"
    )]
    let bytes = member.request_bytes_mean.round() as u64;
    size(bytes)
}

/// Returns the share of what reached the disk's queue that was merged into other requests.
fn merged(member: &MemberLoad) -> Option<f64> {
    let merges = u32::try_from(member.merges)
        .map(f64::from)
        .unwrap_or(f64::MAX);
    let requests = u32::try_from(member.reads + member.writes)
        .map(f64::from)
        .unwrap_or(f64::MAX);
    (requests > 0.0).then(|| merges / (merges + requests))
}

/// Returns several answers, one a line.
fn table(cells: &[ExplainedCell]) -> String {
    let mut table = Table::new(&[
        ("stack", Side::Left),
        ("workload", Side::Left),
        ("MiB/s", Side::Right),
        ("", Side::Right),
        ("IOPS", Side::Right),
        ("mean", Side::Right),
        ("p99", Side::Right),
        ("limited by", Side::Left),
    ]);
    let mut before = String::new();
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
        let bandwidth = cell.prediction.estimate(Metric::Bandwidth);
        let value = |metric: Metric| {
            cell.value(metric)
                .map_or_else(String::new, |value| metric.quantity(value))
        };
        table.row(vec![
            Field::plain(if stack == before { "" } else { stack.as_str() }),
            Field::plain(workload),
            Field::styled(
                BOLD,
                bandwidth.map_or_else(String::new, |one| crate::numbers::mib_per_s(one.value)),
            ),
            Field::styled(DIM, bandwidth.map_or_else(String::new, plus_minus)),
            Field::plain(cell.value(Metric::Iops).map_or_else(String::new, rate)),
            Field::plain(value(Metric::LatencyMean)),
            Field::plain(value(Metric::LatencyP99)),
            Field::plain(cell.why.bottleneck.short()),
        ]);
        before = stack;
    }
    table.finish()
}

/// Returns a stack in a few words, its devices not named: `4 x raid10 n2 32K`.
fn short_stack(stack: &Stack) -> String {
    let Some(array) = &stack.array else {
        return "one device".to_owned();
    };
    let mut words = vec![format!("{} x {}", stack.device_count(), array.level)];
    words.extend(array.layout.clone());
    words.extend(array.chunk_bytes.map(|chunk| chunk.to_string()));
    words.join(" ")
}
