//! What a result file of fio says of its own load: its options, and where it measured.
//!
//! A file without options says nothing of its load but what its counters show, and nothing is guessed.

use std::path::Path;

use stripewise_diagnose::explain::kinds::JOB_OPTIONS;
use stripewise_diagnose::explain::setup::NONE;
use stripewise_results::Run;
use stripewise_results::world::RunOrigin;
use stripewise_study::cell::Cell;
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::sample::Stated;
use stripewise_study::workload::BlockSize;
use stripewise_units::Bytes;

/// What the file of a cell says.
pub(super) struct OfFile<'a> {
    stated: &'a Stated,
    disks: Vec<&'a str>,
}

impl<'a> OfFile<'a> {
    /// Returns what the file of a cell says; `None` if the run is no result of fio.
    pub(super) fn of(run: &'a Run, cell: usize) -> Option<Self> {
        if run.summary.origin != RunOrigin::Fio {
            return None;
        }
        let samples = || run.samples.iter();
        let own = samples().find(|record| record.cell == cell)?;
        let stated = own.sample.stated.as_ref()?;
        // Only the first sample of a file has its disks.
        let of_file = samples().filter_map(|record| record.sample.stated.as_ref());
        let of_file = of_file.filter(|other| other.source == stated.source);
        let names = of_file.flat_map(|other| &other.disks).filter_map(|disk| {
            let name = disk.texts.iter().find(|(path, _)| path == "name");
            name.map(|(_, name)| name.as_str())
        });
        let mut disks: Vec<&str> = names.collect();
        disks.sort_unstable();
        disks.dedup();
        Some(Self { stated, disks })
    }

    /// Returns whether the file has the options of the job.
    pub(super) fn has_options(&self) -> bool {
        !self.stated.options.is_empty() || !self.stated.global_options.is_empty()
    }

    /// Returns the facts of the load: all keys of it that the options state, or whose default is fio's.
    pub(super) fn load(&self, cell: &Cell) -> Vec<(&'static str, String)> {
        let load = &cell.workload.load;
        let is_stated = |key: &str| match key {
            // The counters have the mean size of an I/O.
            "block_size" => self.has_options() || matches!(load.block_size, BlockSize::Fixed(_)),
            // fio's default is that of the file or device, which the result does not have.
            "size" => self.has_options() && load.size_bytes > Bytes::default(),
            _ => self.has_options(),
        };
        let keys = LOAD_KEYS.iter().filter(|key| is_stated(key.name));
        keys.map(|key| (key.name, text_of((key.get)(load))))
            .collect()
    }

    /// Returns the keys of the load that the file does not have.
    pub(super) fn lacks(&self, cell: &Cell) -> Option<&'static str> {
        match self.has_options() {
            false => Some(JOB_OPTIONS),
            true if cell.workload.load.size_bytes == Bytes::default() => Some("size"),
            true => None,
        }
    }

    /// Returns where the load ran: its device or directory, the file in it, and the disks below.
    pub(super) fn target(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if !self.disks.is_empty() {
            facts.push(("disks", self.disks.join(",")));
        }
        if !self.has_options() {
            return facts;
        }
        let directory = self.option("directory");
        let file = self.option("filename");
        let (device, parent, name) = match file {
            Some(file) if file.starts_with("/dev/") => (Some(file), None, None),
            Some(file) => {
                let parent = Path::new(file).parent().and_then(Path::to_str);
                let name = Path::new(file).file_name().and_then(|name| name.to_str());
                (None, parent.filter(|parent| !parent.is_empty()), name)
            }
            None => (None, None, None),
        };
        let place = device.map(str::to_owned).or_else(|| {
            let parts: Vec<&str> = directory.into_iter().chain(parent).collect();
            (!parts.is_empty()).then(|| parts.join("/"))
        });
        facts.push(("target", place.unwrap_or_else(|| NONE.to_owned())));
        facts.extend(name.map(|name| ("file", name.to_owned())));
        facts
    }

    /// Returns the kind of drive that the names of the disks show.
    pub(super) fn device(&self) -> Option<&'static str> {
        let is_nvme = |name: &&str| name.starts_with("nvme");
        (!self.disks.is_empty() && self.disks.iter().all(is_nvme)).then_some("nvme-ssd")
    }

    fn option(&self, name: &str) -> Option<&'a str> {
        let mut options = self
            .stated
            .options
            .iter()
            .chain(&self.stated.global_options);
        let found = options.find(|(of, value)| of == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }
}

/// Returns the text of a value; that of none if there is none.
pub(super) fn text_of(value: Option<stripewise_study::keys::Value>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.text)
}
