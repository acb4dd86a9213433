//! Whether the 95 % interval of a prediction holds 95 % of what was measured: every published array
//! whose members were also published alone.
//!
//! Guards against intervals that are too narrow, which make people believe what is not known, and
//! against intervals that are so wide that they say nothing. No width is fitted to these tables: the
//! sources of uncertainty are those of the profiles (`stripewise_sim::uncertainty`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_calibrate::points::{self, Point};
use stripewise_calibrate::{Calibration, Input, calibrate};
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::world::Model;
use stripewise_study::format::parse;
use stripewise_study::kernel::KernelVersion;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::units::Bytes;
use stripewise_study::workload::{BlockSize, Engine};
use stripewise_study::world::NeverCancel;

const FOUR_SSDS: &str = include_str!("../../../../studies/four-ssd-random.toml");
const THREE_SSDS: &str = r#"
kernel = "5.4"
[stack.860-pro]
devices = { "860-pro" = 1 }
filesystem = "none"
[stack.pm883]
devices = { pm883 = 1 }
filesystem = "none"
[stack.s4610]
devices = { s4610 = 1 }
filesystem = "none"
[stack.raid0-of-the-three]
devices = { "860-pro" = 1, pm883 = 1, s4610 = 1 }
array = { level = "raid0", chunk = "64K" }
filesystem = "none"
[workload]
pattern = "randrw"
mix = "50/50"
block_size = "4K"
size = "1G"
direct = true
engine = "libaio"
"#;

fn read(name: &str) -> Vec<Point> {
    let file = format!(
        "{}/../calibrate/tests/data/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    let bytes = std::fs::read(file).expect("a file of the repository");
    points::parse(name, &bytes).expect("good points")
}

/// Profiles from some of the points, and the arrays that they predict.
struct Table {
    name: &'static str,
    study: Study,
    profiles: Profiles,
    host: String,
    arrays: Vec<Point>,
}

impl Table {
    fn new(
        name: &'static str,
        study: &str,
        points: &[Point],
        from: impl Fn(&Point) -> bool,
    ) -> Self {
        let study = parse("study.toml", study).expect("a study");
        let is_of_array =
            |point: &&Point| point.stack.contains("raid") || point.stack.contains("chunk");
        let known: Vec<Point> = points.iter().filter(|point| from(point)).cloned().collect();
        let arrays = points
            .iter()
            .filter(|point| !from(point))
            .filter(is_of_array);
        let arrays = arrays.cloned().collect();
        let mut profiles = Profiles::shipped();
        let input = Input {
            study: &study,
            points: &known,
            source: name,
            devices: &BTreeMap::new(),
            host: &profiles.hosts[HOST_DEFAULT],
            seed: 1,
        };
        let Calibration { devices, host, .. } =
            calibrate(&input, &mut |_| ()).expect("these points can be simulated");
        let name_of_host = host.name.clone();
        profiles.devices.extend(devices);
        profiles.hosts.insert(host.name.clone(), host);
        Self {
            name,
            study,
            profiles,
            host: name_of_host,
            arrays,
        }
    }

    /// Returns the simulated bandwidth of a point's load, and by which factor it may be too high and too
    /// low. One simulation is enough: its own noise is within 1 %.
    fn predict(&self, point: &Point) -> [f64; 3] {
        let cells = self.study.cells.iter();
        let mut cells = cells.filter(|cell| cell.stack.name == point.stack);
        let mut cell = cells.next().expect("a stack of the study").clone();
        let load = &mut cell.workload.load;
        load.pattern = point.pattern;
        load.read_percent = point.read_percent;
        load.block_size = BlockSize::Fixed(Bytes::new(point.block_size_bytes));
        (load.jobs, load.depth) = (point.jobs, point.depth);
        if point.depth > 1 {
            load.engine = Engine::Libaio;
        }
        let kernel = self.study.kernel.unwrap_or(KernelVersion::new(5, 4, 0));
        let mut model = Model::new(self.profiles.clone(), kernel);
        model.host = Some(self.host.clone());
        let sample = model
            .simulate(&cell, 0, &mut NeverCancel)
            .expect("a stack that can be");
        let bandwidth = Metric::Bandwidth.of(&sample).expect("a rate");
        let breakdown = sample.breakdown.expect("the model explains itself");
        let off = breakdown.uncertainty.expect("the members were measured");
        let down = (off.half_width + off.perhaps_slower).exp();
        [
            bandwidth,
            bandwidth / down,
            bandwidth * off.half_width.exp(),
        ]
    }

    /// Returns the measured bandwidth of each load, both sides of a mix together.
    fn loads(&self) -> Vec<(Point, f64)> {
        let mut loads: Vec<(Point, f64)> = Vec::new();
        for point in &self.arrays {
            let bandwidth = point.bandwidth_bytes_per_s;
            let key = |point: &Point| {
                let Point {
                    stack,
                    pattern,
                    block_size_bytes,
                    jobs,
                    depth,
                    ..
                } = point;
                (stack.clone(), *pattern, *block_size_bytes, *jobs, *depth)
            };
            match loads.iter_mut().find(|other| key(&other.0) == key(point)) {
                Some(other) => other.1 += bandwidth,
                None => loads.push((point.clone(), bandwidth)),
            }
        }
        loads
    }
}

/// What the intervals of a table hold.
#[derive(Default)]
struct Coverage {
    held: usize,
    /// Half of each interval's width, as a share of its value.
    widths: Vec<f64>,
}

impl Coverage {
    fn line(&self, name: &str) -> String {
        let mut widths = self.widths.clone();
        widths.sort_by(f64::total_cmp);
        format!(
            "{name:45} {:3} of {:3} within, median ±{:.1} %, {:.1} to {:.1} %\n",
            self.held,
            widths.len(),
            100.0 * widths[widths.len() / 2],
            100.0 * widths[0],
            100.0 * widths[widths.len() - 1],
        )
    }
}

fn judge(table: &Table, text: &mut String) -> Coverage {
    let mut coverage = Coverage::default();
    for (point, measured) in table.loads() {
        let [value, low, high] = table.predict(&point);
        coverage.widths.push((high - low) / 2.0 / value);
        if (low..=high).contains(&measured) {
            coverage.held += 1;
            continue;
        }
        writeln!(
            text,
            "outside: {} {} {}K jobs {} depth {}: measured {:+.1} %, interval {:+.1} to {:+.1} %",
            point.stack,
            point.pattern,
            point.block_size_bytes / 1024,
            point.jobs,
            point.depth,
            100.0 * (measured / value - 1.0),
            100.0 * (low / value - 1.0),
            100.0 * (high / value - 1.0),
        )
        .expect("a string");
    }
    text.push_str(&coverage.line(table.name));
    coverage
}

#[test]
fn intervals_hold_the_published_arrays() {
    let four = read("four-ssd-random.csv");
    let three = read("mixed-load-raid0.csv");
    let tables = [
        Table::new("four SSDs, from one disk", FOUR_SSDS, &four, |point| {
            point.stack == "ssd"
        }),
        Table::new(
            "three SSDs, from one job on each",
            THREE_SSDS,
            &three,
            |point| point.stack != "raid0-of-the-three" && point.jobs == 1,
        ),
    ];
    let mut text = String::new();
    let mut all = Coverage::default();
    for table in tables {
        let own = judge(&table, &mut text);
        all.held += own.held;
        all.widths.extend(own.widths);
    }
    text.push_str(&all.line("all"));
    expect_file!["../golden/coverage.txt"].assert_eq(&text);
    let share = all.held as f64 / all.widths.len() as f64;
    assert!(share >= 0.93, "{text}");
}

/// The spread that is assumed where a profile has no repeated points.
#[test]
fn measurements_that_should_be_equal_differ_by_six_percent() {
    let mut curves: BTreeMap<(String, &str), BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
    for point in read("depth-curves.csv") {
        let in_flight = point.jobs * point.depth;
        if in_flight <= 64 {
            let curve = curves
                .entry((point.stack, point.pattern.as_str()))
                .or_default();
            curve
                .entry(in_flight)
                .or_default()
                .push(point.bandwidth_bytes_per_s.ln());
        }
    }
    let spread = |curve: &BTreeMap<u32, Vec<f64>>| {
        let squares = |equal: &Vec<f64>| {
            let mean = equal.iter().sum::<f64>() / equal.len() as f64;
            equal.iter().map(|one| (one - mean).powi(2)).sum::<f64>()
        };
        let more: usize = curve.values().map(|equal| equal.len() - 1).sum();
        (curve.values().map(squares).sum::<f64>() / more as f64).sqrt()
    };
    let mut spreads: Vec<f64> = curves.values().map(spread).collect();
    spreads.sort_by(f64::total_cmp);
    let median = spreads[spreads.len() / 2];
    assert_eq!(spreads.len(), 22);
    assert!((median - 0.058).abs() < 0.0005, "{spreads:?}");
}
