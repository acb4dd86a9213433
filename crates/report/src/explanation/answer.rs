//! One prediction in full: the answer, its setup, and what to know about it.

use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::why::Bottleneck;
use stripewise_format::preset::Preset;
use stripewise_stats::Estimate;
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::stack::{Bitmap, Stack};
use stripewise_study::warning::Changing;

use super::{ExplainedCell, several};
use crate::array_map::array_map;
use crate::numbers::{Reading, rate, size};
use crate::states::begins_as_it_is;
use crate::text::strip_control;

/// The usual layout of parity, which goes without saying (mdadm(8), `--layout`).
const LAYOUT_PARITY: &str = "left-symmetric";
/// The most findings in text; JSON has all.
const FINDINGS_MAX: usize = 2;

impl ExplainedCell {
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = self.headline();
        blocks.push(self.setup().into());
        let notes = [
            self.onset().filter(|_| self.fresh.is_none()),
            self.prediction.changing.map(still_changing),
            self.prediction.is_cut_short.then(|| self.cut_short()),
        ];
        let notes = notes.into_iter().flatten();
        blocks.extend(notes.map(|note| Block::toned(Tone::Warn, note)));
        let words = self.words.iter().take(1 + FINDINGS_MAX).cloned();
        blocks.extend([Block::Gap, Sentence::of(words).into()]);
        blocks.extend([Block::Gap, self.waterfall().into()]);
        blocks.extend([Block::Gap, self.members().into()]);
        blocks.extend(self.components());
        if let Some(map) = &self.array_map {
            blocks.extend([Block::Gap, array_map(map, &[])]);
        }
        if !self.changes.is_empty() {
            blocks.extend([Block::Gap, self.effects().into()]);
        }
        // The headline says it in a sentence; a program reads rows.
        let title = Sentence::new(Message::new("predict-in-numbers"));
        let numbers = several::table(std::slice::from_ref(self)).into();
        blocks.push(Block::closed(title, vec![numbers]));
        blocks
    }

    /// Returns the answer, with the bottleneck below.
    fn headline(&self) -> Vec<Block> {
        let mut parts = Vec::new();
        let mut answer = Argument::Name(String::new());
        if let Some(bandwidth) = self.prediction.estimate(Metric::Bandwidth) {
            let reading = Reading::new(Metric::Bandwidth, bandwidth);
            answer = Argument::Digits(reading.value.clone());
            parts.push(reading.argument());
        }
        let iops = self.value(Metric::Iops);
        parts.extend(iops.map(|iops| Argument::quantity(rate(iops), "IOPS")));
        for (id, metric) in [
            ("predict-mean", Metric::LatencyMean),
            ("predict-p99", Metric::LatencyP99),
            ("predict-sync-mean", Metric::SyncLatencyMean),
        ] {
            let time = self.value(metric).map(|value| metric.quantity(value));
            parts.extend(time.map(|time| Message::new(id).with("time", time).into()));
        }
        let limit = Message::new("predict-limited-by").with("limit", self.why.bottleneck.short());
        let answered = Sentence::new(Argument::list(parts));
        let mut blocks = vec![answered.tone(Tone::Strong).by_value(answer).into()];
        blocks.extend(
            self.across_drives()
                .map(|note| Block::toned(Tone::Strong, note)),
        );
        blocks.push(Block::toned(Tone::Warn, limit));
        blocks
    }

    /// Returns what it gives in a state of the devices; `None` if that is unknown.
    pub(super) fn in_state(&self, state: State) -> Option<Message> {
        let estimates = match (state, &self.fresh) {
            (State::Fresh, Some(fresh)) => &fresh.estimates,
            (State::Fresh, None) if self.is_fresh_unknown() => return None,
            _ => &self.prediction.estimates,
        };
        let bandwidth = estimates.get(Metric::Bandwidth.key())?;
        let mut parts = vec![Reading::new(Metric::Bandwidth, bandwidth).argument()];
        let iops = estimates.get(Metric::Iops.key());
        parts.extend(iops.map(|iops| Argument::quantity(rate(iops.value), "IOPS")));
        let panel = Message::new(format!("claim-state-{state}"));
        let message = Message::new("claim-in").with("panel", panel);
        Some(message.with("sentence", Argument::list(parts)))
    }

    /// Returns how far drives of a class are apart, or that the distance of real drives is unknown;
    /// `None` where each device was measured.
    fn across_drives(&self) -> Option<Message> {
        // A rate that the load itself limits is no drive's.
        if matches!(self.why.bottleneck, Bottleneck::OwnRate { .. }) {
            return None;
        }
        let Some(known) = &self.prediction.breakdown.uncertainty else {
            return Some(Message::new("predict-drives-unknown"));
        };
        let class = known.class?;
        let bandwidth = self.prediction.estimate(Metric::Bandwidth)?;
        let interval = bandwidth.interval?;
        let quantity = |value: f64| Metric::Bandwidth.quantity(value);
        Some(
            Message::new("predict-drives")
                .with("low", quantity(interval.low))
                .with("high", quantity(interval.high))
                .with("middle", quantity(bandwidth.value * class.middle.exp()))
                .digits("drives", class.drives),
        )
    }

    /// States that the simulations reached their effort limit, and the consequence.
    fn cut_short(&self) -> Message {
        let simulations = u64::try_from(self.prediction.samples.len()).unwrap_or(u64::MAX);
        Message::new("predict-cut-short").digits("ios", self.prediction.ios / simulations.max(1))
    }

    /// Returns a short name of the cell.
    pub(super) fn name(&self) -> Message {
        let message = match &self.cell.stack.array {
            Some(_) => Message::new("predict-cell").with("stack", short_stack(&self.cell.stack)),
            None => Message::new("predict-cell-one-device"),
        };
        message.with("load", several::workload(self))
    }

    pub(super) fn value(&self, metric: Metric) -> Option<f64> {
        self.prediction
            .estimate(metric)
            .map(|estimate: &Estimate| estimate.value)
    }

    /// Returns whether it is unknown what fresh devices give.
    pub(super) fn is_fresh_unknown(&self) -> bool {
        self.fresh.is_none() && !self.is_fresh_simulated && self.prediction.changing.is_some()
    }

    /// Returns the state of the prediction: the long run, the first I/Os, or those of a trace.
    pub(super) fn state_message(&self) -> Message {
        let message = Message::new("predict-state");
        match self.cell.workload.trace.is_some() {
            true => message.name("state", "trace"),
            false => message.name("state", self.state),
        }
    }

    /// Returns stack and workload in words.
    fn setup(&self) -> Sentence {
        let mut parts = vec![self.cell.stack.in_words(), load_in_words(&self.cell)];
        let axes = [
            Axis::Mix,
            Axis::Depth,
            Axis::Jobs,
            Axis::Size,
            Axis::Fsync,
            Axis::Fdatasync,
            Axis::Kernel,
            Axis::Governor,
        ];
        let own = several::own_axes(&self.cell).into_iter();
        let own = own.filter(|axis| !axes.contains(axis));
        let values = axes
            .into_iter()
            .chain(own)
            .filter_map(|axis| self.cell.named_value(axis));
        parts.extend(values);
        parts.push(self.state_message().into());
        Sentence::remarks(parts).tone(Tone::Dim)
    }

    /// Returns the rate at the beginning of the load, if it differs from the long run.
    pub(super) fn onset(&self) -> Option<Message> {
        let onset = self
            .prediction
            .breakdown
            .onset
            .filter(|_| begins_as_it_is(&self.cell))?;
        let iops = |value: f64| Argument::quantity(rate(value), "IOPS");
        let (before, after) = match self.cell.workload.load.pattern.is_random() {
            true => (iops(onset.ios_per_s), iops(self.value(Metric::Iops)?)),
            false => (
                Metric::Bandwidth.quantity(onset.bytes_per_s),
                Metric::Bandwidth.quantity(self.value(Metric::Bandwidth)?),
            ),
        };
        let time = Metric::LatencyMean.quantity(onset.time_ns.as_secs_f64() * 1e9);
        Some(
            Message::new("live-onset")
                .with("before", before)
                .digits("bytes", size(onset.bytes.as_u64()))
                .with("time", time)
                .with("after", after),
        )
    }
}

/// Returns whether a cell's load has the name of a shipped workload.
pub(super) fn is_shipped(cell: &Cell) -> bool {
    let name = cell.workload.name.as_deref();
    name.is_some_and(|name| Preset::named(name).is_some())
}

/// Returns what a cell's load does: `oltp` if it is a shipped one, `randread 4K`, or the trace that it
/// replays.
pub(super) fn load_in_words(cell: &Cell) -> Argument {
    let load = &cell.workload.load;
    if let (true, Some(name)) = (is_shipped(cell), &cell.workload.name) {
        return Argument::Name(name.clone());
    }
    match &cell.workload.trace {
        None => Argument::Name(format!("{} {}", load.pattern, load.block_size)),
        Some(trace) => {
            let file = strip_control(&trace.query.file);
            Message::new("predict-trace").name("file", file).into()
        }
    }
}

/// States that the simulations reached their effort limit before the long run.
pub(super) fn still_changing(changing: Changing) -> Message {
    Message::new("predict-still-changing").name("changing", changing.key())
}

/// Returns a short form of a stack, without the names of devices: `4 x raid10 n2 32K`,
/// `2 x raid1 bitmap 64M`.
pub(super) fn short_stack(stack: &Stack) -> Argument {
    let Some(array) = &stack.array else {
        return Message::new("predict-one-device").into();
    };
    let mut words = vec![format!("{} x {}", stack.device_count(), array.level)];
    let layout = array
        .layout
        .clone()
        .filter(|layout| layout != LAYOUT_PARITY);
    words.extend(layout);
    words.extend(array.chunk_bytes.map(|chunk| chunk.to_string()));
    match array.bitmap {
        Bitmap::None => {}
        Bitmap::Internal { chunk_bytes } => {
            words.push("bitmap".to_owned());
            words.extend(chunk_bytes.map(|chunk| chunk.to_string()));
        }
    }
    Argument::Name(words.join(" "))
}
