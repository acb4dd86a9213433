//! Cells for a comparison of throughput and latency: a seed draws one study for each, which the lab
//! and the model run alike.
//!
//! Every level comes up in turn; everything else is drawn. The disks are those of `studies/devices`,
//! small enough that a linear array uses all of its members, and without state: the lab measures for
//! a second, and the model answers for the long run.

use serde::{Deserialize, Serialize};
use stripewise_profiles::Profiles;
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::stack::{Bitmap, Level};
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

use crate::draw::Rng;
use crate::latency::HOST;

/// The metrics that are compared.
pub const METRICS: [Metric; 4] = [
    Metric::Iops,
    Metric::LatencyMean,
    Metric::LatencyP50,
    Metric::LatencyP99,
];

/// The disks: a name in `studies/devices`, and how long a sample takes that has some thousand I/Os.
const DISKS: [(&str, &str); 3] = [
    ("cell-sata", "500ms"),
    ("cell-nvme", "300ms"),
    ("cell-slow", "2s"),
];
/// A sample of I/Os of at least so many KiB, which are few in a second.
const LARGE_SAMPLE: (&str, u64) = ("1s", 128);
/// A sample with so many I/Os in flight. The guest reads its CPU times every 40 to 250 ms, by the length
/// of the sample (`CoreWatch`), in about 0.3 ms, during which all I/Os wait: in 2 s these are less
/// than 1 % of them.
const DEEP_SAMPLE: (&str, u64) = ("2s", 32);
/// The load's span on a linear array, in MiB: more than one disk has.
const LINEAR_MIB: u64 = 768;
/// The load's span on all others, in MiB: every array has as much.
const SPAN_MIB: u64 = 256;

/// What stands below the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Disk,
    Linear,
    Raid0,
    Raid1,
    Raid10(&'static str),
    Raid5,
    Raid6,
}

/// Every level, in turn.
const KINDS: [Kind; 9] = [
    Kind::Disk,
    Kind::Linear,
    Kind::Raid0,
    Kind::Raid1,
    Kind::Raid10("n2"),
    Kind::Raid10("f2"),
    Kind::Raid10("o2"),
    Kind::Raid5,
    Kind::Raid6,
];

impl Kind {
    /// Returns the first and the last number of members that are drawn.
    fn members(self) -> (u64, u64) {
        match self {
            Kind::Disk => (1, 1),
            Kind::Linear => (2, 2),
            Kind::Raid0 | Kind::Raid1 => (2, 4),
            Kind::Raid10(_) => (2, 5),
            Kind::Raid5 => (3, 6),
            Kind::Raid6 => (4, 7),
        }
    }

    /// Returns the level and the layout in a study; `None` for a disk.
    fn array(self) -> Option<String> {
        let level = match self {
            Kind::Disk => return None,
            Kind::Linear => "linear",
            Kind::Raid0 => "raid0",
            Kind::Raid1 => "raid1",
            Kind::Raid10(layout) => {
                return Some(format!("level = \"raid10\", layout = \"{layout}\""));
            }
            Kind::Raid5 => "raid5",
            Kind::Raid6 => "raid6",
        };
        Some(format!("level = \"{level}\""))
    }

    fn has_chunk(self) -> bool {
        !matches!(self, Kind::Disk | Kind::Linear | Kind::Raid1)
    }

    fn has_bitmap(self) -> bool {
        !matches!(self, Kind::Disk | Kind::Linear | Kind::Raid0)
    }
}

/// Returns the study of cell `number` of `seed`.
pub fn study(seed: u64, number: u64) -> String {
    let mut rng = Rng::of(seed, number);
    let kinds = KINDS.len() as u64;
    let kind = KINDS[usize::try_from(number % kinds).expect("an index of an array")];
    let (disk, sample) = rng.one_of(&DISKS);
    let (first, last) = kind.members();
    let members = rng.range(first, last);
    let chunk_kib = rng.one_of(&[16, 64, 128, 512]);
    let has_bitmap = rng.percent(30);
    let kib = 4 << rng.below(8);
    let depth = rng.one_of(&[1, 8, 32]);
    let pattern = rng.one_of(&[
        "pattern = \"randread\"",
        "pattern = \"randread\"",
        "pattern = \"randwrite\"",
        "pattern = \"randwrite\"",
        "pattern = \"randrw\"\nmix = \"70/30\"",
        "pattern = \"randrw\"\nmix = \"30/70\"",
        "pattern = \"read\"",
        "pattern = \"write\"",
    ]);
    let array = kind.array().map_or_else(String::new, |level| {
        let chunk = match kind.has_chunk() {
            true => format!(", chunk = \"{chunk_kib}K\""),
            false => String::new(),
        };
        let bitmap = match has_bitmap && kind.has_bitmap() {
            true => ", bitmap = \"internal\"",
            false => "",
        };
        format!("array = {{ {level}{chunk}{bitmap}, assume_clean = true }}\n")
    });
    let engine = if depth == 1 { "psync" } else { "libaio" };
    let span_mib = if kind == Kind::Linear {
        LINEAR_MIB
    } else {
        SPAN_MIB
    };
    let (sample, samples) = match disk {
        "cell-slow" => (sample, 3),
        _ if depth >= DEEP_SAMPLE.1 => (DEEP_SAMPLE.0, 2),
        _ if kib >= LARGE_SAMPLE.1 => (LARGE_SAMPLE.0, 3),
        _ => (sample, 3),
    };
    format!(
        "kernel = \"6.1\"\nhost = \"{HOST}\"\n\
         [stack.cell]\ndevices = {{ {disk} = {members} }}\n{array}\
         [workload]\n{pattern}\nblock_size = \"{kib}K\"\ndepth = {depth}\nengine = \"{engine}\"\n\
         size = \"{span_mib}M\"\n\
         [conditions]\nfill = false\n\
         [repeat]\nsample = \"{sample}\"\nat_least = {samples}\nat_most = {samples}\n\
         [compare]\nbaseline = {{}}\n"
    )
}

/// The first line of a file of cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// How the file was made.
    pub command: String,
    /// The kernel of the guest.
    pub kernel: String,
    /// The version of fio.
    pub fio: String,
}

/// A cell and what the lab measured: medians of its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredCell {
    /// Its number among the cells of its seed.
    pub number: u64,
    /// The study of this one cell.
    pub study: String,
    /// I/Os per second.
    pub iops: f64,
    /// The mean latency.
    pub mean_ns: f64,
    /// The median latency.
    pub p50_ns: f64,
    /// The 99th percentile of latency.
    pub p99_ns: f64,
    /// Whether the guest's one core was busy all the time.
    pub core_is_full: bool,
}

/// A file of cells: JSON lines, the header first.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCells {
    /// The first line.
    pub header: Header,
    /// The others.
    pub cells: Vec<MeasuredCell>,
}

impl MeasuredCells {
    /// Reads a file of cells.
    ///
    /// # Errors
    /// [`CellError`] if a line is malformed, or there is none.
    pub fn parse(text: &str) -> Result<Self, CellError> {
        let mut lines = text.lines();
        let header = serde_json::from_str(lines.next().ok_or(CellError::Empty)?)?;
        let cells = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Self { header, cells })
    }
}

/// One cell in both worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedCell {
    /// Its number.
    pub number: u64,
    /// What it is, in a line.
    pub title: String,
    /// Whether the guest's one core was busy all the time.
    pub core_is_full: bool,
    /// The lab's I/Os per second.
    pub iops: f64,
    /// The lab's 99th percentile of latency.
    pub p99_ns: f64,
    /// The model's value over the lab's: I/Os per second, mean, median and 99th percentile.
    pub ratios: [f64; 4],
}

impl ComparedCell {
    /// Returns whether throughput and 99th percentile are at most `percent` off.
    pub fn is_within(&self, percent: f64) -> bool {
        let [iops, _, _, p99] = self.ratios;
        [iops, p99]
            .iter()
            .all(|ratio| (ratio - 1.0).abs() * 100.0 <= percent)
    }
}

/// Simulates a cell and compares it with the lab.
///
/// # Errors
/// [`CellError`] if its study is none, or cannot be simulated.
pub fn compare_cell(
    measured: &MeasuredCell,
    profiles: &Profiles,
    kernel: KernelVersion,
) -> Result<ComparedCell, CellError> {
    let study = stripewise_format::parse("cell", &measured.study)?;
    let model = Model {
        host: study.host.clone(),
        ..Model::new(profiles.clone(), kernel)
    };
    let cell = study.cells.first().ok_or(CellError::Empty)?;
    let sample = model.simulate(cell, measured.number, &mut NeverCancel)?;
    let lab = [
        measured.iops,
        measured.mean_ns,
        measured.p50_ns,
        measured.p99_ns,
    ];
    let mut ratios = METRICS.map(|metric| metric.of(&sample).unwrap_or(f64::NAN));
    for (ratio, lab) in ratios.iter_mut().zip(lab) {
        *ratio /= lab;
    }
    Ok(ComparedCell {
        number: measured.number,
        title: title(cell),
        core_is_full: measured.core_is_full,
        iops: measured.iops,
        p99_ns: measured.p99_ns,
        ratios,
    })
}

fn title(cell: &Cell) -> String {
    let devices = &cell.stack.devices[0];
    let disks = format!("{} {}", devices.count, devices.profile);
    let array = cell.stack.array.as_ref().map_or_else(
        || "disk".to_owned(),
        |array| {
            let layout = match array.level {
                Level::Raid10 => array.layout.clone(),
                _ => None,
            };
            let chunk = array.chunk_bytes.map(|chunk| chunk.to_string());
            let bitmap = (array.bitmap != Bitmap::None).then(|| "bitmap".to_owned());
            let parts = [Some(array.level.to_string()), layout, chunk, bitmap];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            parts.join(" ")
        },
    );
    let load = &cell.workload.load;
    let mix = load
        .read_percent
        .map_or_else(String::new, |percent| format!(" {percent} %"));
    let (pattern, size, depth) = (load.pattern, load.block_size.largest(), load.depth);
    format!("{array}, {disks}, {pattern}{mix} {size} depth {depth}")
}

/// Returns a table of compared cells, and how many are within 10 %.
pub fn table(cells: &[ComparedCell]) -> String {
    let mut text = String::from(
        "# Model over lab: I/Os per second, mean, median and 99th percentile; `!` is more than 10 % off in the\n\
         # first or the last. `full`: the guest's one core was busy all the time.\n",
    );
    for cell in cells {
        let [iops, mean, p50, p99] = cell.ratios;
        let mark = if cell.is_within(10.0) { ' ' } else { '!' };
        let full = if cell.core_is_full { ", full" } else { "" };
        text.push_str(&format!(
            "{mark} {:3}  {iops:.2} {mean:.2} {p50:.2} {p99:.2}  {}: {:.0} IOPS, p99 {:.0} us{full}\n",
            cell.number,
            cell.title,
            cell.iops,
            cell.p99_ns / 1e3
        ));
    }
    let count =
        |is_in: &dyn Fn(&ComparedCell) -> bool| cells.iter().filter(|cell| is_in(cell)).count();
    let off = |cell: &ComparedCell, place: usize| (cell.ratios[place] - 1.0).abs() <= 0.1;
    text.push_str(&format!(
        "of {} cells within 10 %: throughput {}, p99 {}, both {}; with time left on the core, both {} of {}\n",
        cells.len(),
        count(&|cell| off(cell, 0)),
        count(&|cell| off(cell, 3)),
        count(&|cell| cell.is_within(10.0)),
        count(&|cell| !cell.core_is_full && cell.is_within(10.0)),
        count(&|cell| !cell.core_is_full),
    ));
    text
}

/// Cells cannot be read or simulated.
#[derive(Debug, thiserror::Error)]
pub enum CellError {
    /// A study is malformed.
    #[error(transparent)]
    Study(#[from] stripewise_format::StudyError),
    /// There is no cell.
    #[error("there is no cell")]
    Empty,
    /// A line is malformed.
    #[error("a line of the cells is malformed")]
    Line(#[from] serde_json::Error),
    /// The model refuses a cell.
    #[error(transparent)]
    Model(#[from] ModelError),
}
