//! The lab: finds the guest that a study needs, and says what none has.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use stripewise_catalogue::{Argument, Message, Words};
use stripewise_lab::disk::Seed;
use stripewise_lab::doctor::{available_memory, total_memory};
use stripewise_lab::extra::Extra;
use stripewise_lab::needed_disks::{Room, disks, memory_needed_mib, on_existing};
use stripewise_lab::pace::{SAMPLE_OVERHEAD, warm_up};
use stripewise_lab::recipe::{FILESYSTEMS, recipe_sha256};
use stripewise_lab::{Cache, Kvm, Lab, LabError, LabOptions, Pace, Prepared};
use stripewise_profiles::Profiles;
use stripewise_profiles::lookup::Texts;
use stripewise_results::world::LabSpec;
use stripewise_runner::execute::{build_range, time_range};
use stripewise_sim::random::{Component, Stream};
use stripewise_study::cell::Cell;
use stripewise_study::guest_clock::Clock;
use stripewise_study::keys::Backend;
use stripewise_study::plan::Study;
use stripewise_study::stack::Filesystem;
use stripewise_study::world::WorldError;
use stripewise_units::Bytes;
use stripewise_units::kernel::{KernelName, KernelVersion};

use crate::error::OpeningError;
use crate::open::this_program;

/// The least memory with which a guest starts.
const MEMORY_MIB_MIN: u64 = 256;
/// The most memory that a guest gets by default. The machine provides it only as the guest uses it.
const MEMORY_MIB_MAX: u64 = 16 << 10;

/// Why KVM is for builds, power cuts and behaviour, and never for numbers.
const KVM_MEASURES_NOTHING: &str = "a guest with KVM runs on this machine's clock and caches, so its times are not those of the lab";

/// The tools whose version can change a result; guests that are compared should share them.
const COMPARED_TOOLS: [&str; 6] = [
    "fio",
    "mdadm",
    "lvm2",
    "e2fsprogs",
    "xfsprogs",
    "btrfs-progs",
];

/// Whether the times in a guest are measured, or only what it does: in a shell, and after a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The times are measured.
    Measure,
    /// Only what it does counts.
    Function,
}

/// The guest that is asked for; what is `None` is chosen.
#[derive(Debug, Clone)]
pub struct AskedGuest<'a> {
    /// The cache of prepared guests.
    pub cache: Cache,
    /// Its kernel.
    pub kernel: Option<&'a str>,
    /// Its clock source.
    pub clock: Option<Clock>,
    /// Whether it must run with KVM.
    pub is_fast: bool,
    /// Its memory.
    pub memory: Option<Bytes>,
    /// The size of its disks instead of their profiles'.
    pub disk_size: Option<Bytes>,
    /// What it is for.
    pub purpose: Purpose,
}

impl AskedGuest<'_> {
    /// Returns the guest that `study` needs, without the texts of its profiles, and remarks about the
    /// choices.
    ///
    /// # Errors
    /// If no prepared guest can run the study, or an option does not fit.
    pub fn find(
        &self,
        study: &Study,
        profiles: &Profiles,
    ) -> Result<(LabSpec, Vec<Message>), OpeningError> {
        check(study, profiles, &|_| true)?;
        let guests = Guests::find(study, &self.cache, self.kernel)?;
        check(study, profiles, &|kernel| guests.has_zfs(kernel))?;
        let count = guests.0.len();
        let mut lab = self.settings(guests.first_name(), 0, Texts::default())?;
        lab.kernels = guests.names();
        let needed_mib = memory_needed_mib(study, profiles, room(&lab, study))?;
        lab.memory_mib = self.memory_mib(needed_mib.min(MEMORY_MIB_MAX), count)?;
        let mut remarks = guests.remarks(&lab);
        remarks.extend(other_kernel(study, &lab));
        remarks.extend(on_existing(study).then(|| Message::new("lab-on-existing")));
        let available_mib = available_memory().map(|bytes| bytes >> 20);
        let memory = GuestMemory {
            each_mib: lab.memory_mib.into(),
            guests: count,
        };
        remarks.extend(memory_remarks(memory, needed_mib, available_mib));
        Ok((lab, remarks))
    }

    /// Returns the settings of guests of one kernel.
    pub(crate) fn settings(
        &self,
        kernel: String,
        memory_mib: u32,
        profiles: Texts,
    ) -> Result<LabSpec, OpeningError> {
        let clock = self.clock(&kernel)?;
        Ok(LabSpec {
            cache: self.cache.path().to_owned(),
            kernel,
            kernels: BTreeMap::new(),
            clock,
            memory_mib,
            disk_size_bytes: self.disk_size,
            profiles,
        })
    }

    /// Returns the clock source of the guest with this name.
    pub(crate) fn clock(&self, guest: &str) -> Result<Clock, OpeningError> {
        self.clock_with(|| Kvm::probe(self.cache.kernel_file(guest).as_deref()))
    }

    /// Returns the clock source; `probe` tries KVM.
    fn clock_with(&self, probe: impl FnOnce() -> Kvm) -> Result<Clock, OpeningError> {
        if self.is_fast {
            return match self.purpose {
                Purpose::Measure => Err(not_measured("--fast")),
                Purpose::Function => works("--fast", probe()),
            };
        }
        Ok(match (self.clock, self.purpose) {
            (Some(Clock::Kvm), Purpose::Measure) => return Err(not_measured("--clock kvm")),
            (Some(Clock::Kvm), Purpose::Function) => works("--clock kvm", probe())?,
            (Some(clock), _) => clock,
            (None, Purpose::Measure) => Clock::Virtual,
            (None, Purpose::Function) => probe().functional_clock(),
        })
    }

    /// Returns the memory of each of so many guests: `default_mib`, unless another is asked for.
    pub(crate) fn memory_mib(&self, default_mib: u64, guests: usize) -> Result<u32, OpeningError> {
        let memory_mib = self
            .memory
            .map_or(default_mib, |memory| memory.as_u64() >> 20);
        let memory = GuestMemory {
            each_mib: memory_mib,
            guests,
        };
        check_memory(memory, total_memory().map(|bytes| bytes >> 20))?;
        u32::try_from(memory_mib).map_err(|_| {
            WorldError::plain(format!("--memory: {memory_mib} MiB is too much")).into()
        })
    }
}

/// Remarks on the kernel and clock of a guest.
pub fn clock_remark(lab: &LabSpec) -> Message {
    Message::new("lab-clock")
        .name("kernel", &lab.kernel)
        .name("clock", lab.clock)
}

/// The memory of the guests of a study.
#[derive(Debug, Clone, Copy)]
struct GuestMemory {
    each_mib: u64,
    guests: usize,
}

impl GuestMemory {
    fn all_mib(self) -> u64 {
        let guests = u64::try_from(self.guests).unwrap_or(u64::MAX);
        self.each_mib.saturating_mul(guests)
    }
}

/// Refuses memory that is too little for a guest, or more than the machine has for all.
fn check_memory(memory: GuestMemory, machine_mib: Option<u64>) -> Result<(), OpeningError> {
    let GuestMemory { each_mib, guests } = memory;
    if each_mib < MEMORY_MIB_MIN {
        return Err(OpeningError::new(
            format!("--memory: {each_mib} MiB is too little for a guest"),
            format!("at least {MEMORY_MIB_MIN}M is required"),
        ));
    }
    match machine_mib {
        Some(machine_mib) if machine_mib < memory.all_mib() => Err(OpeningError::new(
            match guests {
                1 => format!(
                    "a guest cannot have {each_mib} MiB of memory: this machine has {machine_mib} MiB"
                ),
                _ => format!(
                    "{guests} guests, one for each kernel, cannot have {each_mib} MiB of memory each: this machine has {machine_mib} MiB"
                ),
            },
            "lower `--memory`, or use a smaller `size` in the study",
        )),
        _ => Ok(()),
    }
}

/// Returns why a run that measures takes no guest with KVM, which `option` asks for.
fn not_measured(option: &str) -> OpeningError {
    OpeningError::new(
        format!("{option}: {KVM_MEASURES_NOTHING}"),
        "leave it out to measure; `lab shell` and `pull-plug` take it",
    )
}

/// Refuses to go on with a run that an older version measured with KVM.
///
/// # Errors
/// If it did.
pub fn refuse_kvm(lab: &LabSpec) -> Result<(), OpeningError> {
    match lab.clock {
        Clock::Kvm => Err(OpeningError::new(
            format!("the run began with `--clock kvm`: {KVM_MEASURES_NOTHING}"),
            "begin another run without it",
        )),
        Clock::Virtual | Clock::Wall => Ok(()),
    }
}

/// Returns the KVM clock, which `option` asks for, if KVM works.
fn works(option: &str, kvm: Kvm) -> Result<Clock, OpeningError> {
    match kvm {
        Kvm::Works => Ok(Clock::Kvm),
        Kvm::Fails { why } => Err(OpeningError::new(
            format!("{option}: {why}"),
            "leave it out: `--clock wall` and `--clock virtual` need no KVM",
        )),
    }
}

/// Remarks that a guest has less memory than its disks may need, or that all may use more than is free.
fn memory_remarks(
    memory: GuestMemory,
    needed_mib: u64,
    available_mib: Option<u64>,
) -> Vec<Message> {
    let mib = |mib: u64| Argument::quantity(mib.to_string(), "MiB");
    let little = (memory.each_mib < needed_mib).then(|| {
        Message::new("lab-memory-short")
            .with("needed", mib(needed_mib))
            .with("given", mib(memory.each_mib))
    });
    let all_mib = memory.all_mib();
    let much = available_mib.filter(|available| *available < all_mib);
    let much = much.map(|available| {
        Message::new("lab-memory-much")
            .digits("guests", memory.guests)
            .with("available", mib(available))
            .with("given", mib(all_mib))
    });
    little.into_iter().chain(much).collect()
}

/// Remarks that the study is about another kernel series than the guest's; one that names its kernels
/// under `[conditions]` gets them.
fn other_kernel(study: &Study, lab: &LabSpec) -> Option<Message> {
    let meant = study.kernel?;
    let runs = KernelVersion::parse(&lab.kernel)?;
    let is_listed = study
        .cells
        .iter()
        .any(|cell| cell.conditions.kernel.is_some());
    (!is_listed && meant.series() != runs.series()).then(|| {
        Message::new("run-other-kernel")
            .name("asked", meant)
            .name("runs", &lab.kernel)
    })
}

/// The guests of a study, by the kernel that their cells name under `[conditions]`, if any.
struct Guests(BTreeMap<Option<KernelName>, Prepared>);

impl Guests {
    /// Finds them; `asked` is the kernel of `--kernel`, which decides where cells name none or one.
    ///
    /// The kernel at the top level of a study takes the guest that it would take under `[conditions]`, if
    /// there is one: else, as its rules are for the model, any guest will do.
    ///
    /// # Errors
    /// [`LabError::NotPrepared`] with all kernels that no guest has, [`LabError::OtherGuest`] if the study
    /// names another guest than `asked`.
    fn find(study: &Study, cache: &Cache, asked: Option<&str>) -> Result<Self, LabError> {
        let kernels = study.cells.iter().map(|cell| &cell.conditions.kernel);
        let kernels: BTreeSet<&Option<KernelName>> = kernels.collect();
        let asked = asked.filter(|_| kernels.len() < 2);
        let mut found = BTreeMap::new();
        let mut missing = Vec::new();
        for kernel in kernels {
            let named = kernel.as_ref().map(KernelName::to_string);
            if let (Some(asked), Some(kernel)) = (asked, kernel) {
                refuse_other(cache, asked, kernel)?;
            }
            let asked = asked.or(named.as_deref());
            let meant = match (asked, study.kernel) {
                (None, Some(meant)) => of_series(cache, meant)?,
                _ => None,
            };
            match meant.map_or_else(|| cache.find(asked, &recipe_sha256()), Ok) {
                Ok(guest) => drop(found.insert(kernel.clone(), guest)),
                Err(LabError::NotPrepared { asked, .. }) => missing.extend(asked),
                Err(error) => return Err(error),
            }
        }
        if found.is_empty() || !missing.is_empty() {
            return Err(cache.not_prepared(missing, &recipe_sha256()));
        }
        let guests = Self(found);
        guests.refuse_same()?;
        Ok(guests)
    }

    /// Refuses kernels that are one guest's, such as 6.12 and 6.12.95: the comparison would find no
    /// difference.
    fn refuse_same(&self) -> Result<(), LabError> {
        let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (kernel, guest) in &self.0 {
            let kernel = kernel.as_ref().map(KernelName::to_string);
            let kernel = kernel.unwrap_or_else(|| "none".to_owned());
            named.entry(guest.name()).or_default().push(kernel);
        }
        let same = named.into_iter().find(|(_, kernels)| kernels.len() > 1);
        match same {
            None => Ok(()),
            Some((guest, kernels)) => Err(LabError::SameGuest { kernels, guest }),
        }
    }

    fn has_zfs(&self, kernel: &Option<KernelName>) -> bool {
        let guest = self.0.get(kernel);
        guest.is_some_and(|guest| guest.manifest.extras.contains(&Extra::Zfs))
    }

    /// Returns the name of the first.
    fn first_name(&self) -> String {
        let mut guests = self.0.values();
        guests.next().map_or_else(String::new, Prepared::name)
    }

    /// Returns the names by the kernels that the study names, if it names several.
    fn names(&self) -> BTreeMap<String, String> {
        let guests = self.0.iter();
        let named =
            guests.filter_map(|(kernel, guest)| Some((kernel.as_ref()?.to_string(), guest.name())));
        named.filter(|_| self.0.len() > 1).collect()
    }

    /// Remarks on the kernels, and on tools that are not the same in all guests: then kernels are not
    /// all that differs.
    fn remarks(&self, lab: &LabSpec) -> Vec<Message> {
        let names = self.0.values().map(Prepared::name);
        let clock = Message::new("lab-clock")
            .with("kernel", Argument::list(names.map(Argument::Name)))
            .name("clock", lab.clock);
        let differ = COMPARED_TOOLS.iter().filter_map(|tool| {
            let versions = self.0.values();
            let versions = versions.map(|guest| guest.manifest.version_of(tool).unwrap_or("none"));
            let versions: BTreeSet<&str> = versions.collect();
            let words = versions
                .into_iter()
                .map(|one| Argument::Name(one.to_owned()));
            (words.len() > 1).then(|| {
                Message::new("lab-tools-differ")
                    .name("tool", tool)
                    .with("versions", Argument::list(words))
            })
        });
        [clock].into_iter().chain(differ).collect()
    }
}

/// Refuses the kernel `asked` if it is not in the guest that a study names exactly: its samples would
/// be filed under a name that was not measured.
fn refuse_other(cache: &Cache, asked: &str, named: &KernelName) -> Result<(), LabError> {
    if !named.is_exact() || asked == named.to_string() {
        return Ok(());
    }
    let name = |kernel: &str| Some(cache.find(Some(kernel), &recipe_sha256()).ok()?.name());
    match (name(asked), name(&named.to_string())) {
        (Some(asked), Some(named)) if asked == named => Ok(()),
        _ => Err(LabError::OtherGuest {
            asked: asked.to_owned(),
            named: named.to_string(),
        }),
    }
}

/// Returns the guest with the kernel `meant`, else with one of its series; `None` if there is none.
fn of_series(cache: &Cache, meant: KernelVersion) -> Result<Option<Prepared>, LabError> {
    let (major, minor) = meant.series();
    for kernel in [meant.to_string(), format!("{major}.{minor}")] {
        match cache.find(Some(&kernel), &recipe_sha256()) {
            Err(LabError::NotPrepared { .. }) => {}
            found => return found.map(Some),
        }
    }
    Ok(None)
}

/// Returns why the lab cannot run `study` in the guests of `cache`.
pub(crate) fn obstacle(
    study: &Study,
    profiles: &Profiles,
    cache: Option<&Cache>,
    kernel: Option<&str>,
) -> Option<Argument> {
    let guests = cache.map(|cache| Guests::find(study, cache, kernel));
    let has_zfs = |kernel: &Option<KernelName>| match &guests {
        Some(Ok(guests)) => guests.has_zfs(kernel),
        _ => false,
    };
    // What no guest can do first: a guest that is prepared in vain is worse than none.
    if let Some((why, _)) = beyond_guests(study, &|_| true) {
        return Some(why.into());
    }
    if let Err(error) = check(study, profiles, &|_| true) {
        return Some(Argument::Name(error.message()));
    }
    if let Some(Err(error)) = &guests {
        return Some(not_found(error));
    }
    beyond_guests(study, &has_zfs).map(|(why, _)| why.into())
}

/// Returns why there is no guest, with the command that prepares one.
fn not_found(error: &LabError) -> Argument {
    match error {
        LabError::NotPrepared {
            asked,
            commands,
            is_outdated,
            ..
        } => {
            let source = match error.lacks_path() {
                true => "path",
                false if *is_outdated || asked.iter().all(|kernel| kernel.contains('@')) => "named",
                false => "any",
            };
            let commands = commands.iter().map(|command| format!("`{command}`"));
            let message = match asked.as_slice() {
                [] => Message::new("plan-why-no-guest"),
                kernels => Message::new("plan-why-no-guest-with")
                    .with("kernels", Argument::names(kernels))
                    .name("source", source),
            };
            message.with("commands", Argument::names(commands)).into()
        }
        error => Argument::Name(stripewise_units::causes::chain(error)),
    }
}

/// Returns whether the guest of cells that name this kernel has ZFS.
type HasZfs<'a> = dyn Fn(&Option<KernelName>) -> bool + 'a;

/// Returns what the study needs that its guests do not have, and a hint.
fn beyond_guests(study: &Study, has_zfs: &HasZfs) -> Option<(Message, String)> {
    let mut cells = study.cells.iter();
    cells.find_map(|cell| beyond_guest(cell, has_zfs(&cell.conditions.kernel)))
}

/// Returns what a cell needs that the guest does not have, and a hint.
fn beyond_guest(cell: &Cell, has_zfs: bool) -> Option<(Message, String)> {
    if let Filesystem::Made { kind, .. } = &cell.stack.filesystem
        && !FILESYSTEMS.contains(&kind.as_str())
        && !(has_zfs && kind == "zfs")
    {
        let why = Message::new("plan-why-no-tools").name("kind", kind);
        let hint = match kind.as_str() {
            "zfs" => "`stripewise lab prepare --with zfs` builds a guest that has them".to_owned(),
            _ => format!("it has tools for {}", FILESYSTEMS.join(", ")),
        };
        return Some((why, hint));
    }
    let conditions = &cell.conditions;
    if conditions.cpu_dma_latency_us.is_some() {
        let hint = "leave it out, or use `--world metal`".to_owned();
        return Some((Message::new("plan-why-no-c-states"), hint));
    }
    let needs_frequency = conditions.refused_by(Backend::Lab);
    needs_frequency.map(|_| {
        let hint = "leave them out, or use `--world metal`".to_owned();
        (Message::new("plan-why-one-frequency"), hint)
    })
}

/// Checks before a guest is started whether its tools can build the stacks, and whether its disks
/// can be modelled.
fn check(study: &Study, profiles: &Profiles, has_zfs: &HasZfs) -> Result<(), OpeningError> {
    stripewise_metal::check_study(&study.cells)?;
    if let Some((why, hint)) = beyond_guests(study, has_zfs) {
        return Err(OpeningError::new(why.in_english(), hint));
    }
    let room = Room {
        disk_size_bytes: None,
        memory_mib: 0,
        files_bytes: files_bytes(study),
    };
    disks(study, profiles, room)?;
    Ok(())
}

/// The real time of a study in a guest with virtual time.
#[derive(Debug, Clone, Copy)]
pub struct GuestTime {
    /// That of the minimum number of samples of all cells.
    pub least: Duration,
    /// That of the maximum number of samples of all cells.
    pub most: Duration,
    /// What a second of the guest takes.
    pub pace: Pace,
}

/// Returns the real time of a study in a guest with virtual time.
pub fn real_time(study: &Study, pace: Pace) -> GuestTime {
    let (guest_least, guest_most) =
        time_range(study, SAMPLE_OVERHEAD, warm_up(study.repeat.sample_ns));
    let (builds_least, builds_most) = build_range(study);
    GuestTime {
        least: pace.real_time(guest_least, builds_least),
        most: pace.real_time(guest_most, builds_most),
        pace,
    }
}

/// Returns how long a study takes in a guest, as far as this machine knows; `None` in one with this
/// machine's clock, where a second is a second.
///
/// # Errors
/// If its cache cannot be used.
pub fn real_time_in(lab: &LabSpec, study: &Study) -> Result<Option<GuestTime>, OpeningError> {
    let cache = Cache::at(&lab.cache)?;
    Ok((lab.clock == Clock::Virtual).then(|| real_time(study, Pace::of(&cache))))
}

/// Returns the lab for a study.
///
/// # Errors
/// If its guest or a profile cannot be used, or a disk cannot be modelled.
pub fn open(lab: &LabSpec, study: &Study) -> Result<Lab, OpeningError> {
    open_with(lab, study, &lab.profiles.parse()?)
}

/// Returns the lab, with profiles that are in no file.
///
/// # Errors
/// As [`open`].
pub fn open_with(lab: &LabSpec, study: &Study, profiles: &Profiles) -> Result<Lab, OpeningError> {
    let cache = Cache::at(&lab.cache)?;
    let prepared = prepared(lab, &cache)?;
    let kernels = lab.kernels.iter().map(|(kernel, release)| {
        let guest = cache.find(Some(release), &recipe_sha256())?;
        let name = KernelName::parse(kernel);
        name.map(|name| (name, guest)).ok_or_else(|| {
            let message = format!("the run names a kernel that is none: `{kernel}`");
            OpeningError::from(WorldError::plain(message))
        })
    });
    let kernels = kernels.collect::<Result<_, OpeningError>>()?;
    let program = this_program()?;
    Ok(Lab::new(LabOptions {
        cache,
        prepared,
        kernels,
        program,
        clock: lab.clock,
        memory_mib: lab.memory_mib,
        disks: disks(study, profiles, room(lab, study))?,
    }))
}

/// Returns the seed of the disk at a position of a stack: the same as the simulator's device there,
/// for the same sample.
pub fn disk_seed(sample: u64, device: u32) -> Seed {
    Seed::new(Stream::child_state(sample, Component::Device(device)))
}

/// Returns the prepared guest of a lab.
pub(crate) fn prepared(lab: &LabSpec, cache: &Cache) -> Result<Prepared, LabError> {
    cache.find(Some(&lab.kernel), &recipe_sha256())
}

fn room(lab: &LabSpec, study: &Study) -> Room {
    Room {
        disk_size_bytes: lab.disk_size_bytes,
        memory_mib: lab.memory_mib,
        files_bytes: files_bytes(study),
    }
}

/// Returns the size of the test files of all cells.
fn files_bytes(study: &Study) -> u64 {
    let files = stripewise_metal::files_of(&study.cells);
    let sizes = files.values().map(|size| size.as_u64());
    sizes.fold(0, u64::saturating_add)
}

#[cfg(test)]
#[path = "lab_tests.rs"]
mod tests;
