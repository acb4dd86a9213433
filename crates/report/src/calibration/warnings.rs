//! Warnings beside profiles that were made from measurements.

use stripewise_calibrate::adapter::FoundAdapter;
use stripewise_calibrate::contradictions::{Contradiction, contradictions};
use stripewise_calibrate::points::Point;
use stripewise_calibrate::points_of_run::{self, Spread};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::facts::Facts;
use stripewise_units::Bytes;

use super::load;

/// A point with a wider interval than this on a side gets a warning.
const WIDE: f64 = 0.1;

/// What profiles were made from.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The points.
    pub points: &'a [Point],
    /// Their uncertainty; empty if unknown.
    pub spreads: &'a [Spread],
    /// Adapters that hold completions back.
    pub adapters: &'a [FoundAdapter],
    /// The machine, if the points are of a run.
    pub facts: Option<&'a Facts>,
    /// The name of the device that the study did not name.
    pub unnamed: Option<&'a str>,
}

/// Returns what a reader must know before trusting the profiles.
pub fn warnings(measured: &Measured<'_>) -> Vec<Message> {
    let mut warnings = Vec::new();
    warnings.extend(spread_warning(measured.spreads, measured.points));
    warnings.extend(
        contradictions(measured.points)
            .iter()
            .map(contradiction_warning),
    );
    warnings.extend(measured.adapters.iter().map(adapter_warning));
    let target = measured.facts.and_then(|facts| facts.target.as_ref());
    if let (Some(target), Some(name)) = (target, measured.unnamed) {
        if target.disks.len() > 1 {
            let disks = target.disks.iter().cloned().map(Argument::Name);
            let warning = Message::new("calibrate-on-disks")
                .name("path", &target.path)
                .digits("count", target.disks.len())
                .with("disks", Argument::list(disks))
                .name("profile", name);
            warnings.push(warning);
        }
        let known = points_of_run::knows_filesystem(measured.facts);
        if let (false, Some(filesystem)) = (known, &target.filesystem) {
            let warning = Message::new("calibrate-filesystem-unknown")
                .name("filesystem", filesystem)
                .name("profile", name);
            warnings.push(warning);
        }
    }
    warnings
}

/// Returns a warning about the points that vary much; `None` if none does.
pub(super) fn spread_warning(spreads: &[Spread], points: &[Point]) -> Option<Message> {
    let wide = |spread: &&Spread| spread.relative_half_width.is_none_or(|half| half > WIDE);
    let wide: Vec<&Spread> = spreads.iter().filter(wide).collect();
    let worst = wide.iter().max_by(|one, two| {
        let half = |spread: &Spread| spread.relative_half_width.unwrap_or(f64::INFINITY);
        half(one).total_cmp(&half(two))
    })?;
    let of_line = points.iter().find(|point| point.line == worst.line);
    let load = of_line.map_or(Argument::Name(String::new()), load);
    let message = match worst.relative_half_width {
        Some(half) => Message::new("calibrate-spread").percent("half", half),
        None => Message::new("calibrate-spread-no-interval").count("samples", worst.samples),
    };
    Some(
        message
            .count("wide", wide.len())
            .digits("points", spreads.len())
            .percent("limit", WIDE)
            .with("load", load),
    )
}

/// Returns what is known of an adapter that holds completions back.
fn adapter_warning(found: &FoundAdapter) -> Message {
    let devices = found.devices.iter().cloned().map(Argument::Name);
    let [least, most] = found
        .delay_ns
        .map(|ns| Argument::quantity((ns / 1000).to_string(), "µs"));
    let message = match found.is_certain {
        true => Message::new("calibrate-adapter"),
        false => Message::new("calibrate-adapter-unclear"),
    };
    message
        .name("adapter", &found.name)
        .digits("in_flight", found.in_flight)
        .with("devices", Argument::list(devices))
        .with("least", least)
        .with("most", most)
}

/// Returns the warning of points that the model cannot all repeat.
fn contradiction_warning(found: &Contradiction) -> Message {
    let in_flight = found
        .in_flight
        .iter()
        .map(u32::to_string)
        .map(Argument::Name);
    Message::new("calibrate-contradiction")
        .name("pattern", found.pattern.as_str())
        .name("block", Bytes::new(found.block_size_bytes))
        .name("stack", &found.stack)
        .with("in_flight", Argument::list(in_flight))
        .percent("percent", found.apart)
}
