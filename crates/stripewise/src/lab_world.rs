//! The lab world on the command line: which guest, which disks, whose time, kept with the run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use stripewise_lab::disk::{Blank, DiskModel, DiskName, DiskStore, EDGES_BYTES, Seed};
use stripewise_lab::doctor::{available_memory, total_memory};
use stripewise_lab::recipe::{FILESYSTEMS, recipe_sha256};
use stripewise_lab::{Cache, Clock, Disk, Kvm, Lab, LabError, LabOptions, Prepared};
use stripewise_profiles::Profiles;
use stripewise_profiles::device::calibrated::CacheSetting;
use stripewise_profiles::lookup::Texts;
use stripewise_study::kernel::KernelVersion;
use stripewise_study::plan::Study;
use stripewise_study::stack::{Array, Bitmap, Filesystem, Stack};
use stripewise_study::units::Bytes;

use crate::failure::{Failure, Result};
use crate::lab_disks::{Placed, disk_model};
use crate::model::AskedKernel;
use crate::printer::Printer;

/// The memory of a guest without what its disks keep.
const MEMORY_MIB: u64 = 1024;
/// The least with which a guest starts.
const MEMORY_MIB_MIN: u64 = 256;
/// The most memory that a guest gets by itself: it is taken from the machine only when it is used.
const MEMORY_MIB_MAX: u64 = 16 << 10;
/// What a disk keeps beyond the test files: metadata, journals, superblocks.
const METADATA_BYTES: u64 = 256 << 20;
/// What a disk without a filesystem keeps at each end: superblocks, bitmaps, partition tables; `imsm`
/// reserves 3.1 MiB at the end (mdadm, `imsm_reserved_sectors`).
const METADATA_EDGE_BYTES: u64 = 4 << 20;
/// The most disks that a guest can have.
const DISKS_MAX: usize = 64;

/// The profile name of the disk under a filesystem that is there already: it takes no time.
pub(crate) const EXISTING_PROFILE: &str = "existing";

/// Where prepared guests are kept.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CacheArgs {
    /// The cache of prepared guests [default: $STRIPEWISE_LAB_CACHE, else $XDG_CACHE_HOME/stripewise/lab, usually ~/.cache/stripewise/lab]
    #[arg(long, value_name = "DIR", help_heading = "Lab")]
    pub(crate) cache: Option<PathBuf>,
}

impl CacheArgs {
    pub(crate) fn locate(&self) -> Result<Cache> {
        Ok(Cache::locate(self.cache.as_deref())?)
    }
}

/// How a guest is run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LabArgs {
    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    /// The guest's clock source [default: `virtual` to measure; `lab shell`: `kvm`, else `wall`]
    #[arg(long, value_enum, help_heading = "Lab")]
    pub(crate) clock: Option<ClockName>,

    /// The guest's memory, such as `2G`; it also holds the data on the disks [default: what the study needs]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Lab")]
    pub(crate) memory: Option<Bytes>,

    /// The size of each modelled disk, instead of its profile's; smaller arrays rebuild sooner
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Lab")]
    pub(crate) disk_size: Option<Bytes>,
}

/// A guest's clock on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockName {
    /// Each instruction takes 1 ns, idle time is skipped: independent of this machine's load
    Virtual,
    /// This machine's clock and processor
    Kvm,
    /// This machine's clock, emulated processor: works everywhere, but its timings mean nothing
    Wall,
}

impl From<ClockName> for Clock {
    fn from(name: ClockName) -> Self {
        match name {
            ClockName::Virtual => Clock::Virtual,
            ClockName::Kvm => Clock::Kvm,
            ClockName::Wall => Clock::Wall,
        }
    }
}

/// What a lab is made of: enough to make it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabRun {
    /// Where its guest is kept.
    pub(crate) cache: PathBuf,
    /// The kernel release of the guest.
    pub(crate) kernel: String,
    /// Whose time it has.
    pub(crate) clock: Clock,
    /// Its memory.
    pub(crate) memory_mib: u32,
    /// The size of its disks instead of their profiles'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) disk_size_bytes: Option<Bytes>,
    /// The profiles of its disks.
    pub(crate) profiles: Texts,
}

/// Whether a guest is to measure, or only to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Measure,
    Look,
}

impl LabArgs {
    /// Finds the guest and the profiles that `study` needs, and says what is used.
    pub(crate) fn find(
        &self,
        study: &Study,
        texts: Texts,
        kernel: Option<&AskedKernel>,
        purpose: Purpose,
        printer: &mut Printer,
    ) -> Result<LabRun> {
        let found = self.find_with(study, &texts.parse()?, kernel, purpose, printer)?;
        Ok(LabRun {
            profiles: texts,
            ..found
        })
    }

    /// Finds the guest that `study` needs, with profiles that are in no file, and says what is used.
    pub(crate) fn find_with(
        &self,
        study: &Study,
        profiles: &Profiles,
        kernel: Option<&AskedKernel>,
        purpose: Purpose,
        printer: &mut Printer,
    ) -> Result<LabRun> {
        check(study, profiles)?;
        let cache = self.cache.locate()?;
        let asked = kernel.map(|kernel| kernel.text.as_str());
        let prepared = cache.find(asked, &recipe_sha256())?;
        let clock = match (self.clock, purpose) {
            (Some(ClockName::Kvm), _) => works(Kvm::probe())?,
            (Some(clock), _) => clock.into(),
            (None, Purpose::Measure) => Clock::Virtual,
            (None, Purpose::Look) => Kvm::probe().functional_clock(),
        };
        let mut run = LabRun {
            cache: cache.path().to_owned(),
            kernel: prepared.manifest.kernel,
            clock,
            memory_mib: 0,
            disk_size_bytes: self.disk_size,
            profiles: Texts::default(),
        };
        let needed_mib = run.memory_needed_mib(study, profiles)?;
        let memory_mib = match self.memory {
            Some(memory) => memory.as_u64() >> 20,
            None => needed_mib.min(MEMORY_MIB_MAX),
        };
        run.memory_mib = u32::try_from(memory_mib)
            .map_err(|_| Failure::new(format!("--memory: {memory_mib} MiB are too much")))?;
        printer.remark(&format!(
            "lab: kernel {}, {} time{}",
            run.kernel,
            run.clock,
            explained(run.clock)
        ));
        if let Some(remark) = other_kernel(study, &run.kernel) {
            printer.remark(&remark);
        }
        if on_existing(study) {
            printer.remark("lab: files on a filesystem that exists already are on a disk that takes no time: what is measured is the guest's processor");
        }
        let available_mib = available_memory().map(|bytes| bytes >> 20);
        check_memory(memory_mib, total_memory().map(|bytes| bytes >> 20))?;
        for remark in memory_remarks(memory_mib, needed_mib, available_mib) {
            printer.remark(&remark);
        }
        Ok(run)
    }
}

/// Refuses memory with which no guest starts.
fn check_memory(given_mib: u64, machine_mib: Option<u64>) -> Result<()> {
    if given_mib < MEMORY_MIB_MIN {
        let message = format!("--memory: {given_mib} MiB do not suffice for any guest");
        return Err(Failure::new(message).hint(format!("give it {MEMORY_MIB_MIN}M at least")));
    }
    match machine_mib {
        Some(machine_mib) if machine_mib < given_mib => Err(Failure::new(format!(
            "a guest cannot have {given_mib} MiB of memory: this machine has {machine_mib} MiB"
        ))
        .hint("`--memory` gives less; a smaller `size` in the study needs less")),
        _ => Ok(()),
    }
}

/// Returns the clock of a KVM that works.
fn works(kvm: Kvm) -> Result<Clock> {
    match kvm {
        Kvm::Works => Ok(Clock::Kvm),
        Kvm::Fails { why } => Err(Failure::new(format!("--clock kvm: {why}"))
            .hint("`--clock virtual` needs no KVM, and its times do not depend on this machine")),
    }
}

/// Says that a guest has less memory than its disks may need, or may take more than there is.
fn memory_remarks(given_mib: u64, needed_mib: u64, available_mib: Option<u64>) -> Vec<String> {
    let little = (given_mib < needed_mib).then(|| {
        format!(
            "lab: with everything that its disks may keep, the guest needs {needed_mib} MiB of memory and gets {given_mib} MiB; `--memory` gives more"
        )
    });
    let much = available_mib
        .filter(|available| *available < given_mib)
        .map(|available| {
            format!(
                "lab: the guest may take {given_mib} MiB of memory, and this machine has {available} MiB free; `--memory` gives less"
            )
        });
    little.into_iter().chain(much).collect()
}

fn explained(clock: Clock) -> &'static str {
    match clock {
        Clock::Virtual => " (an instruction is a nanosecond, whatever else this machine does)",
        Clock::Kvm => " (this machine's own)",
        Clock::Wall => " (emulated, so its times mean nothing)",
    }
}

/// Says that the study means another generation of kernels than the guest's.
fn other_kernel(study: &Study, release: &str) -> Option<String> {
    let meant = study.kernel?;
    let runs = KernelVersion::parse(release)?;
    (meant.series() != runs.series())
        .then(|| format!("the study is about kernel {meant}; the guest runs {release}"))
}

/// Returns why the lab cannot run `study`.
pub(crate) fn obstacle(study: &Study, profiles: &Profiles) -> Option<String> {
    let checked = check(study, profiles);
    checked.err().map(|failure| failure.message())
}

/// Checks what can be told before a guest is started: whether its tools can build the stacks, and
/// whether its disks can be modelled.
fn check(study: &Study, profiles: &Profiles) -> Result<()> {
    stripewise_metal::check_study(&study.cells)?;
    for cell in &study.cells {
        if let Filesystem::Made { kind, .. } = &cell.stack.filesystem
            && !FILESYSTEMS.contains(&kind.as_str())
        {
            let known = FILESYSTEMS.join(", ");
            let message = format!("the guest of the lab has no tools for the filesystem `{kind}`");
            return Err(Failure::new(message).hint(format!("it makes {known}")));
        }
        let conditions = &cell.conditions;
        if conditions.governor.is_some() || conditions.energy_preference.is_some() {
            let message = "the processor of the lab's guest has one clock: it has no `governor` and no `energy_preference`";
            return Err(Failure::new(message).hint("leave them out, or use `--world metal`"));
        }
    }
    models(study, profiles, Room::default()).map(drop)
}

impl LabRun {
    /// Returns the world.
    pub(crate) fn world(&self, study: &Study) -> Result<Lab> {
        self.world_with(study, &self.profiles.parse()?)
    }

    /// Returns the world, with profiles that are in no file.
    pub(crate) fn world_with(&self, study: &Study, profiles: &Profiles) -> Result<Lab> {
        let cache = Cache::at(&self.cache)?;
        let prepared = self.prepared(&cache)?;
        let program = std::env::current_exe()
            .map_err(|error| Failure::from(error).context("failed to find this program"))?;
        Ok(Lab::new(LabOptions {
            cache,
            prepared,
            program,
            clock: self.clock,
            memory_mib: self.memory_mib,
            disks: self.disks(study, profiles)?,
        }))
    }

    fn prepared(&self, cache: &Cache) -> std::result::Result<Prepared, LabError> {
        cache.find(Some(&self.kernel), &recipe_sha256())
    }

    /// Returns the disks that any stack of `study` needs, with their commands.
    fn disks(&self, study: &Study, profiles: &Profiles) -> Result<Vec<Disk>> {
        let models = models(study, profiles, self.room())?.into_iter();
        let disks = models.zip(0_u8..).map(|((profile, disk), number)| {
            let name = DiskName::new(number);
            let command = disk.command(name).map_err(Failure::new)?;
            Ok(Disk {
                profile,
                name,
                has_many_queues: disk.link.full_duplex,
                command,
            })
        });
        disks.collect()
    }

    fn room(&self) -> Room {
        Room {
            disk_size_bytes: self.disk_size_bytes,
            memory_mib: self.memory_mib,
        }
    }

    /// Returns the memory for what the disks of `study` may keep.
    fn memory_needed_mib(&self, study: &Study, profiles: &Profiles) -> Result<u64> {
        let models = models(study, profiles, self.room())?;
        let kept = models.iter().map(|(_, disk)| match disk.store {
            DiskStore::All { bytes_max } => bytes_max,
            DiskStore::Edges { bytes, .. } => bytes.saturating_mul(2),
        });
        let kept_mib = kept.fold(0, u64::saturating_add) >> 20;
        Ok(MEMORY_MIB.saturating_add(kept_mib))
    }
}

/// What the disks of a guest have room for.
#[derive(Debug, Clone, Copy, Default)]
struct Room {
    /// The size of each instead of its profile's.
    disk_size_bytes: Option<Bytes>,
    /// The guest's memory, in which they keep what is written.
    memory_mib: u32,
}

impl Room {
    /// Returns a store that keeps everything that the test files of all cells and their metadata take,
    /// or more where `--memory` leaves more: a filesystem may write elsewhere what it writes again.
    fn all_of(&self, study: &Study) -> DiskStore {
        let left_mib = u64::from(self.memory_mib).saturating_sub(MEMORY_MIB);
        let needed = files_bytes(study).saturating_add(METADATA_BYTES);
        DiskStore::All {
            bytes_max: needed.max(left_mib << 20),
        }
    }
}

/// Returns the disks by the profile they stand for, as many of each as the largest stack has.
fn models(study: &Study, profiles: &Profiles, room: Room) -> Result<Vec<(String, DiskModel)>> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for cell in &study.cells {
        let mut needed: BTreeMap<&str, u32> = BTreeMap::new();
        for group in &cell.stack.devices {
            let count = needed.entry(&group.profile).or_default();
            *count = count.saturating_add(group.count.get());
        }
        for (profile, count) in needed {
            let most = counts.entry(profile).or_default();
            *most = count.max(*most);
        }
    }
    let keeps_all = keeps_all(study);
    let mut disks: Vec<(String, DiskModel)> = Vec::new();
    for (profile, count) in counts {
        let device = profiles
            .device(profile)
            .map_err(|error| Failure::new(&error).hint(error.hint()))?;
        for _ in 0..count {
            let size = room.disk_size_bytes.map(Bytes::as_u64);
            let size_bytes = size.unwrap_or(device.capacity_bytes);
            let placed = Placed {
                size_bytes,
                cache: CacheSetting {
                    is_on: true,
                    flushes: true,
                },
                store: match keeps_all {
                    true => room.all_of(study),
                    false => edges_of(study, size_bytes),
                },
                // Every sample begins at its own.
                seed: Seed::new(0),
            };
            disks.push((profile.to_owned(), disk_model(device, placed)?));
            if disks.len() > DISKS_MAX {
                return Err(Failure::new(format!(
                    "a guest cannot have more than {DISKS_MAX} disks"
                )));
            }
        }
    }
    if on_existing(study) {
        let size = files_bytes(study)
            .saturating_mul(2)
            .saturating_add(METADATA_BYTES);
        let disk = DiskModel {
            store: room.all_of(study),
            ..DiskModel::instant(size.next_multiple_of(1 << 20))
        };
        disks.push((EXISTING_PROFILE.to_owned(), disk));
    }
    Ok(disks)
}

/// Returns whether cells are measured on a filesystem that is not made for them.
fn on_existing(study: &Study) -> bool {
    let mut stacks = study.cells.iter().map(|cell| &cell.stack);
    stacks.any(|stack| stack.filesystem == Filesystem::Existing)
}

/// Returns whether disks keep everything: no filesystem survives less, and nothing can be read back.
/// Nor does LVM on copies that are far apart: those of its metadata lie in the middle of members.
fn keeps_all(study: &Study) -> bool {
    study.cells.iter().any(|cell| {
        let is_verified = cell.workload.loads().any(|load| load.verify);
        let stack = &cell.stack;
        let layout = stack.array.as_ref().and_then(|array| array.layout.as_ref());
        let is_far = layout.is_some_and(|layout| layout.starts_with('f'));
        is_verified || stack.filesystem != Filesystem::None || (is_far && stack.volume.is_some())
    })
}

/// Returns a store that keeps what the layers of `study` write about themselves.
///
/// No more than that: what is kept is copied by the guest's processor, and test data that lies in
/// it would cost time that no controller takes. LVM writes where the data of an array begins, before
/// a thousandth of a disk, at 128 MiB at the latest (mdadm, `validate_geometry1`); a bitmap with a
/// chunk of its own may be as long as the room before that. All else is shorter than
/// [`METADATA_EDGE_BYTES`].
fn edges_of(study: &Study, size_bytes: u64) -> DiskStore {
    let is_long = |stack: &Stack| {
        let array = stack.array.as_ref();
        let has_chunk = |array: &Array| {
            matches!(
                array.bitmap,
                Bitmap::Internal {
                    chunk_bytes: Some(_)
                }
            )
        };
        stack.volume.is_some() || array.is_some_and(has_chunk)
    };
    let bytes = match study.cells.iter().any(|cell| is_long(&cell.stack)) {
        true => EDGES_BYTES,
        false => METADATA_EDGE_BYTES,
    };
    DiskStore::Edges {
        bytes: bytes.min((size_bytes / 32).next_multiple_of(4096)),
        blank: Blank::Untouched,
    }
}

/// Returns what the test files of all cells take.
fn files_bytes(study: &Study) -> u64 {
    let files = stripewise_metal::files_of(&study.cells);
    let sizes = files.values().map(|size| size.as_u64());
    sizes.fold(0, u64::saturating_add)
}

/// Reads a size such as `2G` from the command line.
fn parse_size(text: &str) -> std::result::Result<Bytes, String> {
    match Bytes::parse(text) {
        Ok(size) if size.as_u64() >= 64 << 20 => Ok(size),
        Ok(_) => Err("at least `64M` is required".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use stripewise_study::format::parse;

    use super::*;

    fn keeps(stack: &str) -> bool {
        let study = format!(
            "[stack.x]\ndevices = {{ four-ssd-sata = 4 }}\nfilesystem = \"none\"\n{stack}[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n"
        );
        keeps_all(&parse("test", &study).unwrap())
    }

    #[test]
    fn disks_keep_the_middle_where_a_volumes_metadata_has_its_far_copies() {
        let far = "array = { level = \"raid10\", layout = \"f2\" }\n";
        let near = "array = { level = \"raid10\", layout = \"n2\" }\n";
        let volume = "volume = \"linear\"\n";
        assert!(keeps(&format!("{far}{volume}")));
        assert!(!keeps(&format!("{near}{volume}")));
        assert!(!keeps(far));
    }

    #[test]
    fn memory_that_does_not_suffice_is_said_in_numbers() {
        let said = |given, needed, available| memory_remarks(given, needed, available).join("\n");
        assert_eq!(said(2048, 2048, Some(2048)), "");
        assert_eq!(said(2048, 2048, None), "");
        expect_test::expect![[r#"
            lab: with everything that its disks may keep, the guest needs 40960 MiB of memory and gets 16384 MiB; `--memory` gives more
            lab: the guest may take 16384 MiB of memory, and this machine has 8000 MiB free; `--memory` gives less"#]]
        .assert_eq(&said(16_384, 40_960, Some(8000)));
    }
}
