//! One prediction in full: the answer, its setup, and what to know about it.

use stripewise_catalogue::{Argument, Message};
use stripewise_stats::Estimate;
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::metric::Metric;
use stripewise_study::stack::{Bitmap, Stack};
use stripewise_study::warning::Changing;

use super::ExplainedCell;
use crate::array_map::array_map;
use crate::numbers::{Reading, rate, size};
use crate::text::{BOLD, WARN, dimmed, paint, painted, strip_control, wrapped};
use crate::view::View;

/// The most findings in text; JSON has all.
const FINDINGS_MAX: usize = 2;

impl ExplainedCell {
    pub(super) fn text(&self, view: View) -> String {
        let mut text = self.headline(view);
        text.push_str(&dimmed(&self.setup(view), view));
        let notes = [
            self.onset(),
            self.prediction.changing.map(still_changing),
            self.prediction.is_cut_short.then(|| self.cut_short()),
        ];
        for note in notes.into_iter().flatten() {
            text.push_str(&painted(WARN, &view.say(&note), view));
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
            answer = view.show(&Argument::Digits(reading.value));
            let half = view.show(&Argument::Digits(reading.half));
            parts.push(Argument::Name(format!("{answer} {half} {}", reading.unit)));
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
        let text = wrapped(&view.show(&Argument::list(parts)), "", view);
        let text = text.replacen(&answer, &paint(BOLD, &answer), 1);
        let limit = Message::new("predict-limited-by").with("limit", self.why.bottleneck.short());
        text + &painted(WARN, &view.say(&limit), view)
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
        message.with("load", load_in_words(&self.cell))
    }

    pub(super) fn value(&self, metric: Metric) -> Option<f64> {
        self.prediction
            .estimate(metric)
            .map(|estimate: &Estimate| estimate.value)
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
    fn setup(&self, view: View) -> String {
        let mut parts = vec![
            view.show(&self.cell.stack.in_words()),
            view.show(&load_in_words(&self.cell)),
        ];
        for axis in [
            Axis::Mix,
            Axis::Depth,
            Axis::Jobs,
            Axis::Size,
            Axis::Fsync,
            Axis::Fdatasync,
            Axis::Kernel,
            Axis::Governor,
        ] {
            let value = self.cell.named_value(axis);
            parts.extend(value.map(|value| view.show(&value)));
        }
        parts.push(view.say(&self.state_message()));
        parts.join(view.separator())
    }

    /// Returns the rate at the beginning of the load, if it differs from the long run.
    pub(super) fn onset(&self) -> Option<Message> {
        let onset = self.prediction.breakdown.onset?;
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

/// Returns what a cell's load does: `randread 4K`, or the trace that it replays.
pub(super) fn load_in_words(cell: &Cell) -> Argument {
    let load = &cell.workload.load;
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
    words.extend(array.layout.clone());
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
