//! The question of the page as a study: the same text as in a file, so the same checks apply.

use serde::{Deserialize, Serialize};
use stripewise_diagnose::changes::Change;
use stripewise_format::parse;
use stripewise_format::question::{
    ArrayQuestion, BITMAP_DEFAULT, DIRECT_DEFAULT, FILESYSTEM_DEFAULT, LoadQuestion,
    Question as Study, SIZE_DEFAULT, STATE_DEFAULT, StackQuestion,
};
use stripewise_profiles::Profiles;
use stripewise_profiles::device::Model as DeviceModel;
use stripewise_profiles::kernel::generation;
use stripewise_sim::io::Member;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::failure::check_failed;
use stripewise_study::stack::Level;
use stripewise_study::workload::Load;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::error::{ApiError, Result};

/// The name of the study in messages.
pub(crate) const NAME: &str = "question";
/// The level that stands for a device alone.
pub(crate) const ALONE: &str = "none";

/// The most devices: the end of the slider, and still answered at once.
pub(crate) const DEVICES_MAX: u32 = 16;
const JOBS_MAX: u32 = 32;
const DEPTH_MAX: u32 = 256;
/// The most I/Os in flight over all jobs.
const IN_FLIGHT_MAX: u32 = 1024;
const BLOCK_BYTES_MAX: u64 = 16 << 20;

/// POST /api/ask: the array and the load to simulate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The device profile.
    pub(crate) device: String,
    /// How many devices.
    pub(crate) count: u32,
    /// The level; `none` is the device alone.
    pub(crate) level: String,
    /// The layout, if the level has some.
    pub(crate) layout: Option<String>,
    /// The chunk, if the level has one.
    pub(crate) chunk_bytes: Option<u64>,
    /// Whether the array keeps a write-intent bitmap.
    pub(crate) bitmap: bool,
    /// The members that have failed, by their place from 0.
    pub(crate) failed: Vec<u16>,
    /// Whether the first of them is being rebuilt on a new device.
    pub(crate) rebuild: bool,
    /// The filesystem, or `none`.
    pub(crate) filesystem: String,
    /// The shipped workload; null for the load of the keys that follow, up to `fsync_every`.
    pub(crate) workload: Option<String>,
    /// The pattern.
    pub(crate) pattern: String,
    /// The share of reads of a mixed pattern; null if the pattern is not mixed.
    pub(crate) read_percent: Option<u8>,
    /// The size of an I/O.
    pub(crate) block_size_bytes: u64,
    /// How many jobs.
    pub(crate) jobs: u32,
    /// How many I/Os each job keeps in flight.
    pub(crate) depth: u32,
    /// The size of the file of each job.
    pub(crate) size_bytes: u64,
    /// The number of writes before each fsync; null for no fsync.
    pub(crate) fsync_every: Option<u32>,
    /// The state of the devices: `steady` or `fresh`.
    pub(crate) state: String,
    /// The CPU frequency governor.
    pub(crate) governor: String,
    /// The host profile.
    pub(crate) host: String,
    /// The kernel whose rules apply.
    pub(crate) kernel: String,
    /// A stored run whose measured points are laid over; null for none.
    pub(crate) overlay: Option<i64>,
}

/// A question that was parsed and checked.
#[derive(Debug)]
pub(crate) struct ParsedQuestion {
    /// The text of the study.
    pub(crate) text: String,
    /// The parsed study.
    pub(crate) study: stripewise_study::plan::Study,
    /// The model that simulates it.
    pub(crate) model: Model,
}

impl ParsedQuestion {
    /// Returns the one cell of the question.
    pub(crate) fn cell(&self) -> &Cell {
        &self.study.cells[0]
    }
}

impl Question {
    /// Parses the question as a study, to be simulated with the profiles of `model`, which remembers
    /// earlier answers.
    pub(crate) fn parse(&self, model: &Model) -> Result<ParsedQuestion> {
        self.check_bounds()?;
        let text = self.study().study();
        let study = parse(NAME, &text)?;
        let kernel = study
            .kernel
            .ok_or_else(|| ApiError::bad_request("the question names no kernel"))?;
        if study.cells.len() != 1 {
            return Err(ApiError::bad_request("the question must be one cell"));
        }
        refuse_slow_device(&model.profiles, &self.device)?;
        let loads = study.cells[0].workload.loads();
        let in_flight: u64 = loads.map(Load::in_flight).sum();
        if in_flight > u64::from(IN_FLIGHT_MAX) {
            return Err(ApiError::bad_request(format!(
                "the workload keeps {in_flight} I/Os in flight, more than {IN_FLIGHT_MAX}"
            ))
            .hint("`stripewise predict` has no such limit, but may take longer"));
        }
        check_failed(&study.cells[0].stack, &self.failed, self.rebuild)?;
        let model = Model {
            host: study.host.clone(),
            failed: self.failed.iter().copied().map(Member).collect(),
            rebuilding: self.rebuild,
            kernel,
            ..model.clone()
        };
        Ok(ParsedQuestion { text, study, model })
    }

    /// Returns this question as a study, which does not include the failed members.
    fn study(&self) -> Study {
        let array = (self.level != ALONE).then(|| ArrayQuestion {
            level: self.level.clone(),
            layout: self.layout.clone(),
            chunk: self.chunk_bytes.map(|chunk| Bytes::new(chunk).to_string()),
            bitmap: self.bitmap(),
        });
        let keys = self.load_keys().into_iter();
        let keys = keys.map(|(key, value)| (key.to_owned(), value));
        Study {
            question: Some("What would this give?".to_owned()),
            kernel: Some(self.kernel.clone()),
            host: Some(self.host.clone()),
            cores: None,
            stacks: vec![StackQuestion {
                devices: vec![(
                    self.device.clone(),
                    if array.is_some() { self.count } else { 1 },
                )],
                array,
                filesystem: Some(self.filesystem.clone()),
            }],
            loads: vec![LoadQuestion {
                keys: keys.collect(),
            }],
            sample: None,
            governor: Some(self.governor.clone()),
            state: Some(self.state.clone()),
            writes_per_day: None,
            tbw: None,
        }
    }

    /// Returns the keys of the load.
    fn load_keys(&self) -> Vec<(&'static str, String)> {
        if let Some(name) = &self.workload {
            return vec![("from", name.clone())];
        }
        let mut keys = vec![
            ("pattern", self.pattern.clone()),
            ("block_size", Bytes::new(self.block_size_bytes).to_string()),
            ("size", Bytes::new(self.size_bytes).to_string()),
            ("direct", DIRECT_DEFAULT.to_string()),
            ("depth", self.depth.to_string()),
            ("jobs", self.jobs.to_string()),
        ];
        keys.extend(self.mix().map(|mix| ("mix", mix)));
        keys.extend(self.fsync_every.map(|every| ("fsync", every.to_string())));
        keys
    }

    /// Returns the options of the load on a command line.
    fn load_words(&self) -> String {
        if let Some(name) = &self.workload {
            return format!("--workload {name}");
        }
        let mut load = vec![
            self.pattern.clone(),
            Bytes::new(self.block_size_bytes).to_string(),
        ];
        load.extend(self.mix().map(|mix| format!("mix={mix}")));
        let load = load.join(":");
        let mut words = format!(
            "--workload {load} --jobs {} --depth {}",
            self.jobs, self.depth
        );
        let size = Bytes::new(self.size_bytes).to_string();
        if size != SIZE_DEFAULT {
            words.push_str(&format!(" --size {size}"));
        }
        if let Some(every) = self.fsync_every {
            words.push_str(&format!(" --fsync {every}"));
        }
        words
    }

    /// Returns the same question as a command line, without the defaults of `stripewise predict`.
    /// Call this once the question was parsed and built: its words are then names of profiles and
    /// rules, and need no quotes.
    pub(crate) fn command(&self, kernel: KernelVersion) -> String {
        let mut array = vec![self.level.clone()];
        if self.level != ALONE {
            array.extend(self.layout.clone());
            array.push(self.count.to_string());
            array.extend(self.chunk_bytes.map(|chunk| Bytes::new(chunk).to_string()));
        }
        let mut words = format!(
            "stripewise predict --device {} --array {} {}",
            self.device,
            array.join(":"),
            self.load_words(),
        );
        let failed: Vec<String> = self.failed.iter().map(u16::to_string).collect();
        let options = [
            (
                "filesystem",
                Some(self.filesystem.clone()).filter(|kind| kind != FILESYSTEM_DEFAULT),
            ),
            (
                "bitmap",
                self.bitmap().filter(|kind| kind != BITMAP_DEFAULT),
            ),
            (
                "state",
                Some(self.state.clone()).filter(|state| state != STATE_DEFAULT),
            ),
            (
                "failed",
                Some(failed.join(",")).filter(|_| !failed.is_empty()),
            ),
        ];
        for (option, value) in options {
            if let Some(value) = value {
                words.push_str(&format!(" --{option} {value}"));
            }
        }
        if self.rebuild {
            words.push_str(" --rebuild");
        }
        words.push_str(&format!(
            " --governor {} --host {} --kernel {kernel}",
            self.governor, self.host
        ));
        words
    }

    /// Returns the shares of reads and writes in the syntax of a study.
    fn mix(&self) -> Option<String> {
        let reads = self.read_percent?;
        Some(format!("{reads}/{}", 100_u8.saturating_sub(reads)))
    }

    /// Returns the question with `change` made, if the page can ask it.
    pub(crate) fn changed(&self, change: &Change) -> Option<Question> {
        let mut question = self.clone();
        let is_of_load = matches!(
            change,
            Change::Depth { .. } | Change::BlockSize { .. } | Change::FsyncEvery { .. }
        );
        if is_of_load && self.workload.is_some() {
            return None;
        }
        match change {
            Change::Chunk { chunk_bytes } => question.chunk_bytes = Some(chunk_bytes.as_u64()),
            Change::Devices { count } => question.count = u32::try_from(*count).ok()?,
            Change::Array { level: to, layout } => question.become_array(*to, *layout),
            Change::Kernel { version } => {
                let version = KernelVersion::parse(version)?;
                question.kernel = generation(version).first.to_string();
            }
            Change::Depth { depth } => question.depth = *depth,
            Change::BlockSize { block_size_bytes } => {
                question.block_size_bytes = block_size_bytes.as_u64();
            }
            Change::Governor { governor } => question.governor = (*governor).to_owned(),
            Change::NoBitmap => question.bitmap = false,
            Change::FsyncEvery { writes } => question.fsync_every = Some(writes.get()),
            Change::NoOwnRate | Change::TwiceAsFast { .. } => return None,
        }
        question.check_bounds().is_ok().then_some(question)
    }

    /// Changes the level as `Change::Array` does: the chunk stays if the new level has one.
    fn become_array(&mut self, to: stripewise_study::stack::Level, layout: Option<&str>) {
        const CHUNK: u64 = 512 << 10;
        self.level = to.as_str().to_owned();
        self.layout = layout.map(str::to_owned);
        self.chunk_bytes = to.has_chunk().then(|| self.chunk_bytes.unwrap_or(CHUNK));
        self.bitmap &= to.has_bitmap();
    }

    /// Returns the bitmap. One for a level that cannot keep it is refused later.
    fn bitmap(&self) -> Option<String> {
        let has_bitmap = Level::of_name(&self.level).is_some_and(|level| level.has_bitmap());
        match self.bitmap {
            true => Some("internal".to_owned()),
            false => has_bitmap.then(|| "none".to_owned()),
        }
    }

    /// Refuses values beyond the sliders, which would not be answered at once.
    fn check_bounds(&self) -> Result<()> {
        let in_flight = self.jobs.saturating_mul(self.depth);
        let bounds = [
            ("count", u64::from(self.count), 1, u64::from(DEVICES_MAX)),
            ("jobs", u64::from(self.jobs), 1, u64::from(JOBS_MAX)),
            ("depth", u64::from(self.depth), 1, u64::from(DEPTH_MAX)),
            (
                "jobs x depth",
                u64::from(in_flight),
                1,
                u64::from(IN_FLIGHT_MAX),
            ),
            (
                "block_size_bytes",
                self.block_size_bytes,
                512,
                BLOCK_BYTES_MAX,
            ),
        ];
        for (key, value, least, most) in bounds {
            if !(least..=most).contains(&value) {
                return Err(ApiError::bad_request(format!(
                    "{key}: `{value}` is not between {least} and {most}"
                ))
                .hint("`stripewise predict` has no such limits, but may take longer"));
            }
        }
        Ok(())
    }
}

/// Refuses a device whose pages are modelled one by one: it takes a second to fill.
fn refuse_slow_device(profiles: &Profiles, name: &str) -> Result<()> {
    match profiles.devices.get(name) {
        Some(profile) if !answers_at_once(&profile.model) => Err(ApiError::bad_request(format!(
            "`{name}` is modelled page by page, which takes too long here"
        ))
        .hint("use `stripewise predict` or `why` for it")),
        _ => Ok(()),
    }
}

/// Returns whether a device can be simulated without preparation.
pub(crate) fn answers_at_once(model: &DeviceModel) -> bool {
    !matches!(model, DeviceModel::Flash(_))
}
