//! Published tables of alternatives (`decisions.toml`), and the model that their source's machine needs.

use serde::Deserialize;
use stripewise_format::parse;
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::profile_file::device_from_toml;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_units::kernel::KernelVersion;

/// The file of tables.
#[derive(Debug, Deserialize)]
pub(crate) struct Tables {
    pub(crate) set: Vec<Set>,
}

/// The alternatives of one source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) source: String,
    /// What the source does not say.
    pub(crate) assumed: Option<String>,
    pub(crate) kernel: String,
    pub(crate) host: Option<String>,
    /// The state of the drives that the published rates show; the long run if they show none.
    pub(crate) state: Option<String>,
    pub(crate) cores: Option<u32>,
    /// Which free number of a shipped host this set gave, so that it is not scored.
    pub(crate) fitted: Option<String>,
    /// A device that is no shipped profile.
    pub(crate) device: Option<String>,
    pub(crate) load: String,
    pub(crate) stacks: Vec<Alternative>,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    pub(crate) name: String,
    pub(crate) stack: String,
    pub(crate) kernel: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) load: String,
    /// Further keys of the load.
    pub(crate) more: Option<String>,
    pub(crate) values: Vec<f64>,
}

impl Tables {
    /// Returns the committed tables.
    pub(crate) fn read() -> Self {
        toml_edit::de::from_str(include_str!("../../decisions.toml")).expect("good tables")
    }
}

impl Set {
    /// Returns the kernel of an alternative.
    pub(crate) fn kernel<'a>(&'a self, alternative: &'a Alternative) -> &'a str {
        alternative.kernel.as_ref().unwrap_or(&self.kernel)
    }

    /// Returns a row's load on an alternative.
    pub(crate) fn cell(&self, row: &Row, alternative: &Alternative) -> Cell {
        let (pattern, block) = row.load.split_once(' ').expect("a pattern and a size");
        let more = row.more.as_deref().unwrap_or_default();
        let state = self.state.iter();
        let state: String = state
            .map(|state| format!("[conditions]\nstate = \"{state}\"\n"))
            .collect();
        let text = format!(
            "[stack.s]\n{}\n{state}[workload]\npattern = \"{pattern}\"\nblock_size = \"{block}\"\n{}\n{more}\n",
            alternative.stack, self.load
        );
        let study = parse("study.toml", &text).unwrap_or_else(|errors| panic!("{errors:?}"));
        study.cells.into_iter().next().expect("a cell")
    }

    /// Returns the model of an alternative's machine.
    pub(crate) fn model(&self, alternative: &Alternative) -> Model {
        let mut profiles = Profiles::shipped();
        if let Some(name) = &self.device {
            profiles.devices.insert(name.clone(), ram());
        }
        let host = self.host.as_deref().unwrap_or(HOST_DEFAULT);
        let cores = &mut profiles.hosts.get_mut(host).expect("shipped").cpu.cores;
        *cores = self.cores.unwrap_or(*cores);
        let kernel = KernelVersion::parse(self.kernel(alternative)).expect("a version");
        let mut model = Model::new(profiles, kernel);
        model.host.clone_from(&self.host);
        model
    }
}

/// Returns a disk that takes no time: a `brd` completes an I/O within `submit_bio`.
fn ram() -> DeviceProfile {
    let direction = "servers = 1024\np99_over_p50 = 1.0\n\
                     random = [{ size_bytes = 4096, time_ns = 1 }]\n";
    let text = format!(
        "schema = 1\nname = \"ram\"\ndescription = \"\"\nsource = \"made up\"\n\
         capacity_bytes = 64_000_000_000\nrotational = false\nqueue_depth = 65536\n\
         [calibrated.link]\nread_bytes_per_s = 1_000_000_000_000\n\
         write_bytes_per_s = 1_000_000_000_000\ncommand_ns = 0\nfull_duplex = true\n\
         [calibrated.read]\n{direction}[calibrated.write]\n{direction}\
         [calibrated.cache]\nis_volatile = false\nflush_ns = 0\n"
    );
    device_from_toml("ram.toml", &text).expect("a good profile")
}
