//! Draws series and fleets with a known truth, and counts how often the answer is right.

pub mod draws;

use std::fmt;

use draws::{Draws, KINDS, Kind};
use stripewise_history::{Detector, LEVEL_MAX, Measured, Verdict, outliers};

/// The correlations of neighbours that are judged.
pub const CORRELATIONS: [f64; 3] = [0.0, 0.5, 0.72];
/// The points of a judged series.
pub const POINTS: usize = 300;

/// How often something happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Share {
    pub count: u32,
    pub of: u32,
}

impl Share {
    pub fn add(&mut self, happened: bool) {
        self.count += u32::from(happened);
        self.of += 1;
    }

    pub fn percent(self) -> f64 {
        100.0 * f64::from(self.count) / f64::from(self.of.max(1))
    }

    /// Returns the 95 % interval (Wilson), in percent.
    pub fn interval(self) -> [f64; 2] {
        let (n, p, z) = (f64::from(self.of.max(1)), self.percent() / 100.0, 1.96);
        let centre = p + z * z / (2.0 * n);
        let room = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        [-room, room].map(|room| 100.0 * (centre + room) / (1.0 + z * z / n))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.interval();
        match self.of {
            0 => f.write_str("-"),
            _ => write!(f, "{:.1} [{low:.1}, {high:.1}]", self.percent()),
        }
    }
}

/// Returns how many series of noise have a change, or nothing can be said about them.
pub fn false_alarms(
    draws: &mut Draws,
    points: usize,
    correlation: f64,
    kind: Kind,
    series: u32,
) -> [Share; 2] {
    let mut detector = Detector::default();
    let mut values = Vec::new();
    let [mut changed, mut unknown] = [Share::default(); 2];
    for _ in 0..series {
        draws.series(points, correlation, kind, &mut values);
        let trend = detector.trend(&values);
        changed.add(trend.as_ref().is_ok_and(|trend| !trend.changes.is_empty()));
        unknown.add(trend.is_err());
    }
    [changed, unknown]
}

/// What was found of a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepFound {
    /// A change was found.
    pub claimed: Share,
    /// One of them is within 5 points.
    pub placed: Share,
    /// Of series with one change: the interval of its place, and of its size, holds the truth.
    pub place_held: Share,
    pub size_held: Share,
    /// More than one change was found.
    pub several: Share,
}

/// Draws series with a step to `ratio` of the level in the middle three fifths.
pub fn step(
    draws: &mut Draws,
    points: usize,
    (correlation, kind): (f64, Kind),
    ratio: f64,
    series: u32,
) -> StepFound {
    let mut detector = Detector::default();
    let mut values = Vec::new();
    let mut found = StepFound::default();
    for _ in 0..series {
        draws.series(points, correlation, kind, &mut values);
        let place = points / 5 + draws.below(points * 3 / 5);
        for value in &mut values[place..] {
            *value *= ratio;
        }
        let changes = detector.trend(&values).map(|trend| trend.changes);
        let changes = changes.unwrap_or_default();
        found.claimed.add(!changes.is_empty());
        let is_near = changes
            .iter()
            .any(|change| change.place.abs_diff(place) <= 5);
        found.placed.add(is_near);
        found.several.add(changes.len() > 1);
        if let [only] = changes.as_slice() {
            let [first, last] = only.places;
            found.place_held.add((first..=last).contains(&place));
            let [low, high] = only.sizes;
            found.size_held.add(low <= ratio && ratio <= high);
        }
    }
    found
}

/// A drawn fleet: hosts, cells, and the medians of their samples.
pub struct Fleet {
    names: Vec<String>,
    cells: Vec<String>,
    values: Vec<f64>,
    slow: Vec<usize>,
}

/// How innocent hosts of a fleet differ from each other.
#[derive(Debug, Clone, Copy)]
pub struct Scatter {
    /// The kind of it.
    pub kind: Kind,
    /// Its coefficient of variation between hosts.
    pub between: f64,
    /// The same between the cells of one host.
    pub within: f64,
}

impl Fleet {
    pub fn draw(draws: &mut Draws, hosts: usize, cells: usize, slow: usize, how: Scatter) -> Fleet {
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < slow {
            let host = draws.below(hosts);
            if !chosen.contains(&host) {
                chosen.push(host);
            }
        }
        let mut values = Vec::new();
        let levels: Vec<f64> = (0..cells).map(|_| 100.0 + 900.0 * draws.unit()).collect();
        for host in 0..hosts {
            let own = how.between * draws.noise(how.kind);
            let share: f64 = if chosen.contains(&host) { 0.78 } else { 1.0 };
            for level in &levels {
                let logarithm = own + how.within * draws.noise(how.kind);
                values.push(level * share * logarithm.exp());
            }
        }
        Fleet {
            names: (0..hosts).map(|host| format!("host{host:04}")).collect(),
            cells: (0..cells).map(|cell| format!("cell{cell}")).collect(),
            values,
            slow: chosen,
        }
    }

    pub fn measured(&self) -> Vec<Measured<'_>> {
        let rows = self.values.chunks(self.cells.len()).zip(&self.names);
        let measured = rows.flat_map(|(values, host)| {
            let cells = values.iter().zip(&self.cells);
            cells.map(move |(value, cell)| Measured {
                host,
                class: "one",
                cell,
                value: *value,
                load: None,
            })
        });
        measured.collect()
    }
}

/// What was found in fleets.
#[derive(Debug, Clone, Copy, Default)]
pub struct FleetFound {
    /// Slow hosts that were named.
    pub named: Share,
    /// Innocent ones among the hosts named.
    pub innocent: Share,
    /// Fleets in which an innocent host was named.
    pub fleets: Share,
}

pub fn fleets(draws: &mut Draws, count: u32, slow: usize, how: Scatter) -> FleetFound {
    let mut found = FleetFound::default();
    for _ in 0..count {
        let fleet = Fleet::draw(draws, 1000, 20, slow, how);
        let judged = outliers(&fleet.measured(), true, LEVEL_MAX);
        let mut innocent = false;
        for host in &judged {
            let number = fleet.names.iter().position(|name| *name == host.host);
            let is_slow = number.is_some_and(|number| fleet.slow.contains(&number));
            let is_named = host.verdict == Verdict::Slow;
            if is_slow {
                found.named.add(is_named);
            }
            if is_named {
                found.innocent.add(!is_slow);
                innocent |= !is_slow;
            }
        }
        found.fleets.add(innocent);
    }
    found
}

/// Returns the values of a published series.
pub fn published(text: &str) -> Vec<f64> {
    let lines = text.lines().filter_map(|line| line.parse().ok());
    lines.collect()
}

/// Returns all kinds with a word for each.
pub fn kinds() -> [(Kind, &'static str); 3] {
    KINDS.map(|kind| {
        let word = match kind {
            Kind::Normal => "normal",
            Kind::HeavyTails => "t3",
            Kind::OneOutlier => "normal, one outlier",
        };
        (kind, word)
    })
}
