//! The lab: finds the guest that a study needs, and says what none has.

use std::collections::BTreeSet;
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
use stripewise_units::kernel::KernelVersion;

use crate::error::OpeningError;
use crate::open::this_program;

/// The least memory with which a guest starts.
const MEMORY_MIB_MIN: u64 = 256;
/// The most memory that a guest gets by default. The machine provides it only as the guest uses it.
const MEMORY_MIB_MAX: u64 = 16 << 10;

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
        check(study, profiles, true)?;
        let prepared = self.cache.find(self.kernel, &recipe_sha256())?;
        let has_zfs = prepared.manifest.extras.contains(&Extra::Zfs);
        check(study, profiles, has_zfs)?;
        let mut lab = self.settings(prepared, 0, Texts::default())?;
        let needed_mib = memory_needed_mib(study, profiles, room(&lab, study))?;
        lab.memory_mib = self.memory_mib(needed_mib.min(MEMORY_MIB_MAX))?;
        let mut remarks = vec![clock_remark(&lab)];
        remarks.extend(other_kernel(study, &lab.kernel));
        remarks.extend(on_existing(study).then(|| Message::new("lab-on-existing")));
        let available_mib = available_memory().map(|bytes| bytes >> 20);
        let given_mib = u64::from(lab.memory_mib);
        remarks.extend(memory_remarks(given_mib, needed_mib, available_mib));
        Ok((lab, remarks))
    }

    /// Returns the settings of a prepared guest.
    pub(crate) fn settings(
        &self,
        prepared: Prepared,
        memory_mib: u32,
        profiles: Texts,
    ) -> Result<LabSpec, OpeningError> {
        Ok(LabSpec {
            cache: self.cache.path().to_owned(),
            kernel: prepared.manifest.kernel,
            clock: self.clock()?,
            memory_mib,
            disk_size_bytes: self.disk_size,
            profiles,
        })
    }

    /// Returns the clock source.
    fn clock(&self) -> Result<Clock, OpeningError> {
        Ok(match (self.clock, self.purpose) {
            (Some(Clock::Kvm), _) => works(Kvm::probe())?,
            (Some(clock), _) => clock,
            (None, Purpose::Measure) => Clock::Virtual,
            (None, Purpose::Function) => Kvm::probe().functional_clock(),
        })
    }

    /// Returns the memory: `default_mib`, unless another is asked for.
    pub(crate) fn memory_mib(&self, default_mib: u64) -> Result<u32, OpeningError> {
        let memory_mib = self
            .memory
            .map_or(default_mib, |memory| memory.as_u64() >> 20);
        check_memory(memory_mib, total_memory().map(|bytes| bytes >> 20))?;
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

/// Refuses memory that is too little for a guest, or more than the machine has.
fn check_memory(given_mib: u64, machine_mib: Option<u64>) -> Result<(), OpeningError> {
    if given_mib < MEMORY_MIB_MIN {
        return Err(OpeningError::new(
            format!("--memory: {given_mib} MiB is too little for a guest"),
            format!("at least {MEMORY_MIB_MIN}M is required"),
        ));
    }
    match machine_mib {
        Some(machine_mib) if machine_mib < given_mib => Err(OpeningError::new(
            format!(
                "a guest cannot have {given_mib} MiB of memory: this machine has {machine_mib} MiB"
            ),
            "lower `--memory`, or use a smaller `size` in the study",
        )),
        _ => Ok(()),
    }
}

/// Returns the KVM clock, if KVM works.
fn works(kvm: Kvm) -> Result<Clock, OpeningError> {
    match kvm {
        Kvm::Works => Ok(Clock::Kvm),
        Kvm::Fails { why } => Err(OpeningError::new(
            format!("--clock kvm: {why}"),
            "`--clock virtual` needs no KVM, and its times do not depend on this machine",
        )),
    }
}

/// Remarks that a guest has less memory than its disks may need, or may use more than is free.
fn memory_remarks(given_mib: u64, needed_mib: u64, available_mib: Option<u64>) -> Vec<Message> {
    let mib = |mib: u64| Argument::quantity(mib.to_string(), "MiB");
    let little = (given_mib < needed_mib)
        .then(|| Message::new("lab-memory-short").with("needed", mib(needed_mib)));
    let much = available_mib
        .filter(|available| *available < given_mib)
        .map(|available| Message::new("lab-memory-much").with("available", mib(available)));
    let remarks = little.into_iter().chain(much);
    remarks
        .map(|remark| remark.with("given", mib(given_mib)))
        .collect()
}

/// Remarks that the study is about another kernel series than the guest's.
fn other_kernel(study: &Study, release: &str) -> Option<Message> {
    let meant = study.kernel?;
    let runs = KernelVersion::parse(release)?;
    (meant.series() != runs.series()).then(|| {
        Message::new("run-other-kernel")
            .name("asked", meant)
            .name("runs", release)
    })
}

/// Returns why the lab cannot run `study` in the guest of `cache`.
pub(crate) fn obstacle(
    study: &Study,
    profiles: &Profiles,
    cache: Option<&Cache>,
    kernel: Option<&str>,
) -> Option<Argument> {
    let guest = cache.and_then(|cache| cache.find(kernel, &recipe_sha256()).ok());
    let has_zfs = guest.is_some_and(|guest| guest.manifest.extras.contains(&Extra::Zfs));
    if let Some((why, _)) = beyond_one_guest(study, has_zfs) {
        return Some(why.into());
    }
    let checked = check(study, profiles, has_zfs);
    checked.err().map(|error| Argument::Name(error.message()))
}

/// Returns what the study needs that a guest does not have, and a hint.
fn beyond_one_guest(study: &Study, has_zfs: bool) -> Option<(Message, String)> {
    let kernels = study.cells.iter().filter_map(|cell| cell.conditions.kernel);
    let kernels: BTreeSet<KernelVersion> = kernels.collect();
    if kernels.len() < 2 {
        let mut cells = study.cells.iter();
        return cells.find_map(|cell| beyond_guest(cell, has_zfs));
    }
    let names: Vec<String> = kernels.iter().map(KernelVersion::to_string).collect();
    let commands: Vec<String> = names
        .iter()
        .map(|name| {
            format!("`stripewise lab prepare --kernel {name}`, then `stripewise run STUDY --world lab --kernel {name}` with `kernel = \"{name}\"`")
        })
        .collect();
    let why = Message::new("plan-why-one-kernel");
    let why = why.with(
        "kernels",
        Argument::list(names.into_iter().map(Argument::Name)),
    );
    let hint = format!(
        "measure each on its own: {}; then `stripewise compare` the two runs",
        commands.join("; ")
    );
    Some((why, hint))
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
fn check(study: &Study, profiles: &Profiles, has_zfs: bool) -> Result<(), OpeningError> {
    stripewise_metal::check_study(&study.cells)?;
    if let Some((why, hint)) = beyond_one_guest(study, has_zfs) {
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
    let program = this_program()?;
    Ok(Lab::new(LabOptions {
        cache,
        prepared,
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
mod tests {
    use super::*;

    #[test]
    fn too_little_memory_is_reported_in_numbers() {
        let said = |given, needed, available| {
            let remarks = memory_remarks(given, needed, available).into_iter();
            let lines: Vec<String> = remarks.map(|remark| remark.in_english()).collect();
            lines.join("\n")
        };
        assert_eq!(said(2048, 2048, Some(2048)), "");
        assert_eq!(said(2048, 2048, None), "");
        expect_test::expect![[r#"
            lab: if its disks fill up, the guest needs 40960 MiB of memory, but it gets 16384 MiB; raise it with `--memory`
            lab: the guest may use 16384 MiB of memory, but this machine has 8000 MiB free; lower it with `--memory`"#]]
        .assert_eq(&said(16_384, 40_960, Some(8000)));
    }
}
