//! The choices for a question: the profiles, the kernels whose rules differ, and every array that
//! can be simulated.
//!
//! A layout is offered if a study with it is accepted and its stack can be built, so that the page
//! offers no choice that is refused.

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_catalogue::{Argument, shipped};
use stripewise_format::preset::Preset;
use stripewise_format::question::{
    BITMAP_DEFAULT, FILESYSTEM_DEFAULT, SIZE_DEFAULT, STATE_DEFAULT,
};
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::kernel::{generation, generations};
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::world::Model;
use stripewise_study::conditions::State;
use stripewise_study::failure::survived_failures;
use stripewise_study::stack::Level;
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::advice::AdviceForm;
use crate::question::{ALONE, DEVICES_MAX, Question, answers_at_once};

/// The initial device, if it exists: most of the shipped studies use it.
const DEVICE_FIRST: &str = "samsung-850-evo-500";

/// The usual layouts (mdadm(8), `--layout`); the first is mdadm's default.
const LAYOUTS_RAID10: [&str; 6] = ["n2", "f2", "o2", "n3", "f3", "o3"];
const LAYOUTS_PARITY: [&str; 4] = [
    "left-symmetric",
    "left-asymmetric",
    "right-symmetric",
    "right-asymmetric",
];

/// The text for the oldest kernel in the list, which has no changes.
const OLDEST: &str = "none: its rules are the oldest known";

/// The filesystems on offer.
const FILESYSTEMS: [&str; 5] = ["none", "ext4", "xfs", "ext3", "ext2"];

/// GET /api/choices: the choices for a question.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Choices {
    /// The device profiles.
    devices: Vec<Device>,
    /// The host profiles.
    hosts: Vec<Host>,
    /// The governors that a host profile has.
    governors: Vec<String>,
    /// Kernels whose rules differ, oldest first.
    kernels: Vec<Kernel>,
    /// The levels; `none` is the device alone.
    levels: Vec<LevelChoice>,
    /// The filesystems.
    filesystems: Vec<&'static str>,
    /// The states of the devices; the first is the usual one.
    states: Vec<String>,
    /// The shipped workloads that are one load with its neighbours.
    workloads: Vec<WorkloadChoice>,
    /// The patterns.
    patterns: Vec<PatternChoice>,
    /// The form of the question what to build.
    advice: AdviceForm,
    /// The most devices of an array.
    devices_max: u32,
    /// The initial position of the sliders.
    pub(crate) question: Question,
}

/// A device profile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Device {
    /// Its name.
    name: String,
    /// Its description.
    description: Argument,
    /// Its capacity.
    capacity_bytes: u64,
}

/// A host profile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Host {
    /// Its name.
    name: String,
    /// Its description.
    description: Argument,
}

/// Kernels with the same rules.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Kernel {
    /// The oldest version with these rules.
    version: String,
    /// Its changes, in a few words.
    changed: String,
}

/// A level and what can be chosen with it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct LevelChoice {
    /// Its name, as in a study.
    level: &'static str,
    /// Its layouts, mdadm's default first.
    layouts: Vec<&'static str>,
    /// Whether it has a chunk.
    has_chunk: bool,
    /// The fewest members.
    devices_min: u32,
    /// Whether it can keep a write-intent bitmap.
    has_bitmap: bool,
    /// How many members may fail at most, by the number of members from 0 on.
    failed_max: Vec<u64>,
}

/// A shipped workload.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct WorkloadChoice {
    /// Its name.
    name: &'static str,
    /// What it stands for.
    description: Argument,
}

/// A pattern.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PatternChoice {
    /// Its name, as in a study.
    pattern: &'static str,
    /// Whether it reads.
    reads: bool,
    /// Whether it writes.
    writes: bool,
}

impl LevelChoice {
    /// Returns the choices for a level; `None` is a device alone.
    fn new(level: Option<Level>, layouts: Vec<&'static str>) -> Self {
        let survives = |members| survived_failures(level, u64::from(members));
        Self {
            level: level.map_or(ALONE, Level::as_str),
            layouts,
            has_chunk: level.is_some_and(Level::has_chunk),
            devices_min: level.map_or(1, Level::devices_min),
            has_bitmap: level.is_some_and(Level::has_bitmap),
            failed_max: (0..=DEVICES_MAX).map(survives).collect(),
        }
    }
}

impl Choices {
    /// Returns the choices among the profiles of `model`, with its kernel as the initial one; `None`
    /// if there is no device or no host.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let profiles = &model.profiles;
        let question = first_question(profiles, model.kernel)?;
        let devices = at_once(profiles).map(|(name, device)| Device {
            name: name.clone(),
            description: shipped(&device.description),
            capacity_bytes: device.capacity_bytes,
        });
        let hosts = profiles.hosts.iter().map(|(name, host)| Host {
            name: name.clone(),
            description: shipped(&host.description),
        });
        let governors: BTreeSet<&str> = profiles
            .hosts
            .values()
            .flat_map(HostProfile::governors)
            .collect();
        let kernels = generations().iter().map(|generation| Kernel {
            version: generation.first.to_string(),
            changed: match generation.changed.is_empty() {
                true => OLDEST.to_owned(),
                false => generation.changed.join("; "),
            },
        });
        let workloads = workloads(&question, model);
        let alone = LevelChoice::new(None, Vec::new());
        let filesystems = FILESYSTEMS.into_iter().filter(|filesystem| {
            let filesystem = (*filesystem).to_owned();
            can_be(
                &Question {
                    filesystem,
                    ..question.clone()
                },
                model,
            )
        });
        let filesystems = filesystems.collect();
        let patterns = Pattern::ALL.map(|pattern| PatternChoice {
            pattern: pattern.as_str(),
            reads: pattern.reads(),
            writes: pattern.writes(),
        });
        let arrays = Level::ALL
            .into_iter()
            .filter_map(|level| level_choice(level, &question, model));
        Some(Self {
            devices: devices.collect(),
            hosts: hosts.collect(),
            governors: governors.into_iter().map(str::to_owned).collect(),
            kernels: kernels.collect(),
            levels: std::iter::once(alone).chain(arrays).collect(),
            filesystems,
            states: [State::Steady, State::Fresh]
                .map(|state| state.to_string())
                .into(),
            advice: AdviceForm::new(
                &question,
                &workloads.iter().map(|one| one.name).collect::<Vec<_>>(),
            ),
            workloads,
            patterns: patterns.into(),
            devices_max: DEVICES_MAX,
            question,
        })
    }
}

/// Returns the devices that a question may use: those that can be simulated at once.
fn at_once(profiles: &Profiles) -> impl Iterator<Item = (&String, &DeviceProfile)> {
    let devices = profiles.devices.iter();
    devices.filter(|(_, device)| answers_at_once(&device.model))
}

fn first_question(profiles: &Profiles, kernel: KernelVersion) -> Option<Question> {
    let (host, profile) = profiles
        .hosts
        .get_key_value(HOST_DEFAULT)
        .or_else(|| profiles.hosts.first_key_value())?;
    let devices = || at_once(profiles).map(|(name, _)| name);
    let device = devices()
        .find(|name| *name == DEVICE_FIRST)
        .or_else(|| devices().next())?;
    Some(Question {
        device: device.clone(),
        count: 4,
        level: Level::Raid10.as_str().to_owned(),
        layout: Some("n2".to_owned()),
        chunk_bytes: Some(64 << 10),
        bitmap: BITMAP_DEFAULT != "none",
        failed: Vec::new(),
        rebuild: false,
        filesystem: FILESYSTEM_DEFAULT.to_owned(),
        workload: None,
        pattern: Pattern::RandRead.as_str().to_owned(),
        read_percent: None,
        block_size_bytes: 64 << 10,
        jobs: 1,
        depth: 8,
        size_bytes: Bytes::parse(SIZE_DEFAULT).ok()?.as_u64(),
        fsync_every: None,
        state: STATE_DEFAULT.to_owned(),
        governor: profile.governor_default.clone(),
        host: host.clone(),
        kernel: generation(kernel).first.to_string(),
        overlay: None,
    })
}

/// Returns the shipped workloads that a question can be about.
fn workloads(first: &Question, model: &Model) -> Vec<WorkloadChoice> {
    let named = |name: &&str| {
        let workload = Some((*name).to_owned());
        let question = Question {
            workload,
            ..first.clone()
        };
        can_be(&question, model)
    };
    let names = Preset::names().into_iter().filter(named);
    let presets = names.filter_map(Preset::named);
    let choice = |preset: &Preset| WorkloadChoice {
        name: preset.name,
        description: shipped(&preset.description()),
    };
    presets.map(choice).collect()
}

/// Returns the choices for a level; `None` if it cannot be simulated.
fn level_choice(level: Level, first: &Question, model: &Model) -> Option<LevelChoice> {
    let question = Question {
        level: level.as_str().to_owned(),
        layout: None,
        chunk_bytes: first.chunk_bytes.filter(|_| level.has_chunk()),
        bitmap: false,
        ..first.clone()
    };
    let candidates: &[&'static str] = match level {
        Level::Raid10 => &LAYOUTS_RAID10,
        Level::Raid5 | Level::Raid6 => &LAYOUTS_PARITY,
        _ => &[],
    };
    let layouts = candidates.iter().copied().filter(|layout| {
        let layout = Some((*layout).to_owned());
        can_be(
            &Question {
                layout,
                ..question.clone()
            },
            model,
        )
    });
    can_be(&question, model).then(|| LevelChoice::new(Some(level), layouts.collect()))
}

/// Returns whether a question has an answer.
fn can_be(question: &Question, model: &Model) -> bool {
    let parsed = question.parse(model);
    parsed.is_ok_and(|parsed| parsed.model.build(parsed.cell(), 0).is_ok())
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn kernels_up_to_the_newest_rule_list_their_changes() {
        /// The page cuts longer texts (`form.tsx`).
        const CHARACTERS_MAX: usize = 400;
        let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0));
        let choices = Choices::new(&model).unwrap();
        assert_eq!(choices.question.kernel, "6.12");
        for kernel in &choices.kernels {
            let changed = &kernel.changed;
            assert!(
                !changed.is_empty() && changed.len() <= CHARACTERS_MAX,
                "{kernel:?}"
            );
        }
        let versions = choices.kernels.iter().map(|kernel| kernel.version.as_str());
        let versions: Vec<&str> = versions.collect();
        assert_eq!((versions[0], versions.last()), ("3.10", Some(&"7.2")));
        assert!(versions.contains(&"6.12") && versions.contains(&"6.14"));
    }

    #[test]
    fn sliders_start_with_a_device_that_answers_at_once() {
        let mut model = Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0));
        let choices = Choices::new(&model).unwrap();
        assert_eq!(choices.question.device, DEVICE_FIRST);

        // A user's own profile of the same name, modelled page by page.
        let devices = &mut model.profiles.devices;
        let flash = devices["flash-sata"].clone();
        devices.insert(DEVICE_FIRST.to_owned(), flash);
        let choices = Choices::new(&model).unwrap();
        let offered: Vec<&String> = choices.devices.iter().map(|device| &device.name).collect();
        assert!(offered.contains(&&choices.question.device), "{offered:?}");
        assert!(!offered.contains(&&DEVICE_FIRST.to_owned()), "{offered:?}");
        assert!(choices.question.parse(&model).is_ok());
    }
}
