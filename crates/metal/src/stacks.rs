//! Builds the stacks of cells, one at a time, on devices that may be destroyed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use stripewise_fio::{LayoutItem, log_names};
use stripewise_machine::{Root, target};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::facts::{TARGET_DEVICES, TargetFacts};
use stripewise_study::stack::{ArraySettings, Bitmap, Filesystem, Stack};
use stripewise_study::warning::Warning;
use stripewise_study::world::{Change, Journal, Replay, Watch, WorldError, WorldName};
use stripewise_units::Bytes;

use crate::array::{Md, MemberState, OurArray, OurFailures};
use crate::build::{self, Builder, Built, Top};
use crate::conditions::{self, MeasuredDisks, ReadsAhead, Trim};
use crate::device::{Claimed, HeldLayer, OwnDevices, Refusal, claim, is_layer};
use crate::failure;
use crate::files::{job_files, job_regions, layout_items};
use crate::fio_directory::FioDirectory;
use crate::regions::{Filled, needed_bytes};
use crate::undone::Undone;
use crate::workspace::{NewFile, NewKind, Workspace, run_directory};

/// The devices, and the stack built on them.
#[derive(Debug)]
pub(crate) struct Stacks {
    devices: BTreeMap<String, Vec<PathBuf>>,
    /// Whether the devices read as zeroes after a discard.
    discard_to_zeroes: bool,
    /// Examined and held, from before the confirmation until their release.
    claimed: Vec<Claimed>,
    /// The identities of the devices that the user confirmed.
    confirmed: Vec<Confirmed>,
    /// Devices announced in the journal, by their name in the study: their content is lost, and we
    /// wipe them at the end. We never write to any other device.
    announced: BTreeSet<PathBuf>,
    /// The directory of fio's own files and of the links to block devices.
    workspace: Option<Workspace>,
    /// The changes announced to build the stack, in order.
    made: Vec<Change>,
    up: Option<Up>,
}

/// The identity of a device that the user has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Confirmed {
    /// The name in the study.
    named: PathBuf,
    /// The serial number, or the file behind a loop device.
    fingerprint: Option<String>,
    size_bytes: Bytes,
}

impl Confirmed {
    fn in_words(&self) -> String {
        let serial = self
            .fingerprint
            .as_deref()
            .unwrap_or("without a serial number");
        format!("`{serial}` of {}", self.size_bytes)
    }
}

/// A stack that has been built, and the data written to it.
#[derive(Debug)]
struct Up {
    /// The cell that it was built for.
    cell: Cell,
    built: Built,
    hold: Hold,
    /// The kernel's names of its devices.
    members: Vec<String>,
    /// Members that we failed.
    failed: OurFailures,
    /// The names of the files laid out; on a block device, of the links to it.
    laid_out: BTreeSet<String>,
    filled: Filled,
}

/// Keeps the stack under test in place.
#[derive(Debug)]
enum Hold {
    /// The device under test is one of the study's devices, which are held anyway.
    Claim,
    /// The device under test is a layer built on them.
    Layer(HeldLayer),
    /// The device number of the filesystem, which holds the layers. We compare it again later. We
    /// do not keep the directory open: while another thread starts a process, the copy of the
    /// descriptor would block our own unmount.
    Mounted(u64),
}

impl Hold {
    fn take(root: &Root, top: &Top) -> Result<Self, WorldError> {
        Ok(match top {
            Top::Device(device) if is_layer(device) => Self::Layer(HeldLayer::take(root, device)?),
            Top::Device(_) => Self::Claim,
            Top::Directory(directory) => Self::Mounted(filesystem_of(directory)?),
        })
    }
}

/// Returns the device number of the filesystem that a directory is in.
fn filesystem_of(directory: &Path) -> Result<u64, WorldError> {
    let metadata = std::fs::metadata(directory).map_err(|error| {
        WorldError::failed(format!("failed to read `{}`", directory.display()), error)
    })?;
    Ok(metadata.dev())
}

impl Up {
    /// Returns whether it is the stack that `cell` needs.
    fn serves(&self, cell: &Cell) -> bool {
        self.cell.build_key() == cell.build_key()
    }

    /// Returns the node of the device under test: the held one, not a link to it.
    fn node<'a>(&'a self, device: &'a Path) -> &'a Path {
        match &self.hold {
            Hold::Layer(held) => &held.path,
            Hold::Claim | Hold::Mounted(_) => device,
        }
    }

    /// Returns what the study says of the running array.
    fn settings(&self) -> ArraySettings {
        let array = self.cell.stack.array.as_ref();
        array
            .map(|array| array.settings.clone())
            .unwrap_or_default()
    }

    fn has_bitmap(&self) -> bool {
        let bitmap = self.cell.stack.array.as_ref().map(|array| array.bitmap);
        matches!(bitmap, Some(Bitmap::Internal { .. }))
    }
}

impl Stacks {
    pub(crate) fn new(devices: BTreeMap<String, Vec<PathBuf>>) -> Self {
        Self {
            devices,
            discard_to_zeroes: false,
            claimed: Vec::new(),
            confirmed: Vec::new(),
            announced: BTreeSet::new(),
            workspace: None,
            made: Vec::new(),
            up: None,
        }
    }

    /// Starts every stack on discarded devices, which read as zeroes.
    pub(crate) fn begin_with_zeroes(&mut self) {
        self.discard_to_zeroes = true;
    }

    /// Examines and holds all devices, unless done already. Refuses devices that may not be
    /// destroyed, or that are not the confirmed ones.
    pub(crate) fn claim(&mut self, root: &Root) -> Result<(), WorldError> {
        if !self.claimed.is_empty() {
            return Ok(());
        }
        let pairs = self.devices.iter().flat_map(|(profile, paths)| {
            let pair = |path: &PathBuf| (profile.clone(), path.clone());
            paths.iter().map(pair)
        });
        let claimed = claim(root, &pairs.collect::<Vec<_>>())?;
        let found: Vec<Confirmed> = claimed
            .iter()
            .map(|device| Confirmed {
                named: device.named.clone(),
                fingerprint: device.fingerprint(),
                size_bytes: device.size_bytes,
            })
            .collect();
        for now in &found {
            let mut known = self.confirmed.iter();
            if let Some(before) = known.find(|before| before.named == now.named && *before != now) {
                return Err(Refusal::NotConfirmed {
                    named: now.named.clone(),
                    before: before.in_words(),
                    now: now.in_words(),
                }
                .into());
            }
        }
        self.confirmed = found;
        self.claimed = claimed;
        Ok(())
    }

    /// Accepts only the devices that an earlier part of the run used.
    pub(crate) fn expect(&mut self, devices: Vec<(PathBuf, Option<String>, Bytes)>) {
        let confirmed = devices
            .into_iter()
            .map(|(named, fingerprint, size_bytes)| Confirmed {
                named,
                fingerprint,
                size_bytes,
            });
        self.confirmed = confirmed.collect();
    }

    /// Checks that the names of a stack's devices still mean them, and that its filesystem, if the
    /// stack is up, is still mounted.
    pub(crate) fn check_unchanged(&self, root: &Root, stack: &Stack) -> Result<(), WorldError> {
        for device in chosen(stack, &self.claimed)? {
            device.check_unchanged(root)?;
        }
        let up = self.up.as_ref().filter(|up| up.cell.stack == *stack);
        if let Some((Top::Directory(directory), Hold::Mounted(number))) =
            up.map(|up| (&up.built.top, &up.hold))
            && filesystem_of(directory)? != *number
        {
            return Err(WorldError::plain(format!(
                "the filesystem of stack `{}` was unmounted from `{}`",
                stack.name,
                directory.display()
            ))
            .or_hint("keep it mounted until the run ends: `stripewise resume` builds it again"));
        }
        Ok(())
    }

    /// Checks the devices of a cell before anything is changed: they are unchanged and, if the
    /// stack is not up, unused.
    pub(crate) fn verify(&self, root: &Root, stack: &Stack) -> Result<(), WorldError> {
        self.check_unchanged(root, stack)?;
        let stands = self.up.as_ref().is_some_and(|up| up.cell.stack == *stack);
        for device in chosen(stack, &self.claimed)? {
            if !stands && !self.announced.contains(&device.named) {
                device.verify(root)?;
            }
        }
        Ok(())
    }

    /// Returns the top of the stack that is up.
    pub(crate) fn top(&self) -> Option<&Top> {
        Some(&self.up.as_ref()?.built.top)
    }

    /// Returns the devices that are examined and locked.
    pub(crate) fn claimed(&self) -> &[Claimed] {
        &self.claimed
    }

    /// Returns the disks that the conditions of a cell apply to.
    pub(crate) fn place(&self, root: &Root, cell: &Cell) -> MeasuredDisks {
        let stack = &cell.stack;
        let devices = chosen(stack, &self.claimed).unwrap_or_default();
        let mut disks: Vec<String> = devices.iter().map(|device| device.disk.clone()).collect();
        disks.sort();
        disks.dedup();
        let options = match &stack.filesystem {
            Filesystem::Made { options, .. } => options.as_slice(),
            _ => &[],
        };
        let is_off = |option: &String| matches!(option.as_str(), "nobarrier" | "barrier=0");
        let top = self.up.as_ref().map(|up| &up.built.top);
        MeasuredDisks {
            // The rest of a disk may hold other data.
            is_ours: devices
                .iter()
                .all(|device| device.partition_start_bytes.is_none()),
            sends_flushes: !options.iter().any(is_off),
            trim: match top {
                Some(Top::Directory(directory)) => Trim::Filesystem {
                    mount_point: directory.clone(),
                    devices: disks.clone(),
                },
                // A block device is trimmed before it is filled, not after.
                _ => Trim::Devices(Vec::new()),
            },
            reads_ahead: self.reads_ahead(root, cell),
            disks,
        }
    }

    /// Returns what the page cache reads ahead on for a cell.
    fn reads_ahead(&self, root: &Root, cell: &Cell) -> ReadsAhead {
        let Some(up) = self.up.as_ref().filter(|up| up.serves(cell)) else {
            return ReadsAhead::NotBuilt;
        };
        match &up.built.top {
            Top::Device(device) => {
                ReadsAhead::Device(build::kernel_name(device).into_iter().collect())
            }
            Top::Directory(directory) => {
                // Without the mounts its devices are unknown, and `read_ahead` refuses that.
                let facts = target(root, directory).unwrap_or_default();
                ReadsAhead::of_filesystem(facts.filesystem.as_deref(), facts.devices)
            }
        }
    }

    /// Trims the block device under test, if the conditions require it. The next layout fills the
    /// jobs' parts again; the rest of the device stays discarded.
    pub(crate) fn trim(&mut self, root: &Root, cell: &Cell) -> Result<(), WorldError> {
        if cell.conditions.trim_before != Some(true) {
            return Ok(());
        }
        let mut place = self.place(root, cell);
        let Some(up) = &mut self.up else {
            return Ok(());
        };
        if let Top::Device(device) = &up.built.top {
            place.trim = Trim::Devices(vec![up.node(device).to_owned()]);
            up.filled = Filled::default();
            let conditions = Conditions {
                trim_before: Some(true),
                ..Conditions::default()
            };
            conditions::before_sample(root, &conditions, &place)?;
        }
        Ok(())
    }

    /// Takes down the present stack and builds that of `cell`, unless it is up already; returns
    /// whether it built one.
    ///
    /// On devices that read as zeroes after a discard it also builds anew instead of waiting for the
    /// rebuild of a member that an earlier sample failed: that writes the whole member, which in a
    /// guest takes minutes.
    pub(crate) fn ensure_built(
        &mut self,
        root: &Root,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<bool, WorldError> {
        let is_up = self.up.as_ref().is_some_and(|up| up.serves(cell));
        if is_up && !(self.discard_to_zeroes && self.lacks_members_of_ours()) {
            return Ok(false);
        }
        self.take_down(root, journal)?;
        self.claim(root)?;
        let devices = chosen(&cell.stack, &self.claimed)?;
        let workspace = match &self.workspace {
            Some(workspace) => workspace,
            None => self
                .workspace
                .insert(Workspace::create(&run_directory(), journal)?),
        };
        for device in &devices {
            device.check_unchanged(root)?;
            if self.announced.contains(&device.named) {
                device.wipe()?;
            } else {
                device.announce(root, journal)?;
                self.announced.insert(device.named.clone());
                device.write_marker()?;
            }
        }
        let mut stack = cell.stack.clone();
        if self.discard_to_zeroes {
            for device in &devices {
                conditions::discard_held(&device.path)?;
            }
            // Copies of zeroes are identical, and so is their parity, P and Q: the case for which
            // mdadm(8) calls `--assume-clean` safe.
            if let Some(array) = &mut stack.array {
                array.assume_clean = true;
            }
        }
        let parent = workspace.path().parent().unwrap_or(Path::new("/run"));
        let builder = Builder::new(journal, watch, &devices, &mut self.made);
        let built = build::build(builder, &stack, &devices, parent)?;
        self.up = Some(Up {
            cell: cell.clone(),
            hold: Hold::take(root, &built.top)?,
            built,
            members: devices.iter().map(|device| device.name.clone()).collect(),
            failed: OurFailures::new(),
            laid_out: BTreeSet::new(),
            filled: Filled::default(),
        });
        Ok(true)
    }

    /// Returns the files or parts to write before `cell` can be measured.
    ///
    /// # Errors
    /// If the jobs do not fit on the block device, or a link to it cannot be created.
    pub(crate) fn missing(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
    ) -> Result<Vec<LayoutItem>, WorldError> {
        let (Some(up), Some(workspace)) = (&mut self.up, &mut self.workspace) else {
            return Ok(Vec::new());
        };
        let Top::Device(device) = &up.built.top else {
            let items = layout_items(&cell.workload, &job_files(cell));
            let is_missing = |item: &LayoutItem| !up.laid_out.contains(&item.file);
            return Ok(items.into_iter().filter(is_missing).collect());
        };
        check_fits(cell, device)?;
        let node = up.node(device).to_owned();
        let items = layout_items(&cell.workload, &job_regions(cell));
        let links = items.iter().map(|item| NewFile {
            name: item.file.clone(),
            kind: NewKind::Link {
                target: node.clone(),
            },
        });
        workspace.make(&links.collect::<Vec<_>>(), journal)?;
        if cell.conditions.failure.is_some() {
            let jobs = usize::try_from(cell.workload.load.jobs).unwrap_or(usize::MAX);
            let logs = log_names(jobs).into_iter().map(NewFile::empty);
            workspace.make(&logs.collect::<Vec<_>>(), journal)?;
        }
        up.laid_out
            .extend(items.iter().map(|item| item.file.clone()));
        if cell.conditions.fill == Some(false) {
            return Ok(Vec::new());
        }
        let is_missing = |item: &LayoutItem| !up.filled.holds(item);
        Ok(items.into_iter().filter(is_missing).collect())
    }

    pub(crate) fn note_laid_out(&mut self, items: &[LayoutItem]) {
        let Some(up) = &mut self.up else {
            return;
        };
        for item in items {
            up.laid_out.insert(item.file.clone());
            up.filled.write(item);
        }
    }

    /// Returns where fio works for a cell; `None` if its stack is not up.
    pub(crate) fn fio_directory(&self, cell: &Cell) -> Option<FioDirectory> {
        let up = self.up.as_ref().filter(|up| up.serves(cell))?;
        Some(match &up.built.top {
            Top::Directory(directory) => FioDirectory {
                path: directory.clone(),
                files: job_files(cell),
            },
            Top::Device(_) => FioDirectory {
                path: self.workspace.as_ref()?.held_path(),
                files: job_regions(cell),
            },
        })
    }

    /// Returns the facts of the target: the stack that is up, or the devices.
    pub(crate) fn target(&self, root: &Root) -> TargetFacts {
        let Some(up) = &self.up else {
            let devices = self.devices.values().flatten();
            let mut disks: Vec<String> = devices
                .filter_map(|path| build::kernel_name(path))
                .collect();
            disks.sort();
            return TargetFacts {
                path: TARGET_DEVICES.to_owned(),
                disks,
                ..TargetFacts::default()
            };
        };
        let disks = up.members.clone();
        match &up.built.top {
            Top::Directory(directory) => TargetFacts {
                disks,
                // `Facts::mounts_unread` says why the rest is unknown.
                ..target(root, directory).unwrap_or_else(|_| TargetFacts {
                    path: directory.display().to_string(),
                    ..TargetFacts::default()
                })
            },
            Top::Device(device) => {
                let name = build::kernel_name(device);
                TargetFacts {
                    path: device.display().to_string(),
                    source: Some(device.display().to_string()),
                    size_bytes: name.as_deref().and_then(build::size_bytes).map(Bytes::new),
                    disks,
                    devices: name.into_iter().collect(),
                    ..TargetFacts::default()
                }
            }
        }
    }

    /// Makes the array whole again, if an earlier sample failed a member on purpose.
    ///
    /// # Errors
    /// If a member is missing that we did not fail; as [`failure::re_add_and_wait`].
    pub(crate) fn re_add_and_wait(&mut self, watch: &mut dyn Watch) -> Result<(), WorldError> {
        match (self.array(), &mut self.up) {
            (Some(array), Some(up)) => failure::re_add_and_wait(&array, &mut up.failed, watch),
            _ => Ok(()),
        }
    }

    /// Returns the array under test.
    pub(crate) fn array(&self) -> Option<OurArray> {
        let up = self.up.as_ref()?;
        Some(OurArray {
            md: Md::new(&Root::live(), up.built.arrays.first()?),
            members: up.members.clone(),
            settings: up.settings(),
        })
    }

    /// Records where the member is that a script failed.
    pub(crate) fn note_failed(&mut self, member: Option<(String, MemberState)>) {
        if let (Some(up), Some((device, member_state))) = (&mut self.up, member) {
            up.failed.insert(device, member_state);
        }
    }

    /// Returns whether an earlier sample failed a member that is not whole again.
    fn lacks_members_of_ours(&self) -> bool {
        let has_failed = self.up.as_ref().is_some_and(|up| !up.failed.is_empty());
        has_failed && self.array().is_some_and(|array| !array.md.is_whole())
    }

    /// Returns a warning if the array lacks members that we did not fail.
    pub(crate) fn loss(&self) -> Option<Warning> {
        self.array()?.loss(&self.up.as_ref()?.failed)
    }

    /// Fails and removes the members that are missing in a replay, and waits until the arrays write
    /// nothing on their own.
    pub(crate) fn begin_replay(
        &mut self,
        replay: &Replay,
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        let Some(up) = &self.up else {
            return Ok(());
        };
        if let Top::Device(device) = &up.built.top {
            // The first open of a new device makes the kernel scan it for partitions.
            File::open(device).map_err(|error| {
                WorldError::failed(format!("failed to open `{}`", device.display()), error)
            })?;
        }
        build::leave_sector_0(&up.built.arrays)?;
        if up.has_bitmap() {
            build::clear_bitmaps(&up.built.arrays, watch)?;
        }
        for place in &replay.failed {
            let array = self.array();
            let array = array.ok_or_else(|| WorldError::plain(NO_ARRAY))?;
            let device = failure::fail_and_remove(&array, *place, watch)?;
            self.note_failed(Some((device, MemberState::Failed)));
        }
        self.wait_until_clean(watch)
    }

    /// Restores the arrays' background work.
    pub(crate) fn end_replay(&self) -> Result<(), WorldError> {
        match &self.up {
            Some(up) if up.has_bitmap() => build::restore_bitmap_interval(&up.built.arrays),
            _ => Ok(()),
        }
    }

    /// Waits until the arrays have no superblocks to write.
    pub(crate) fn wait_until_clean(&self, watch: &mut dyn Watch) -> Result<(), WorldError> {
        let Some(up) = &self.up else {
            return Ok(());
        };
        if !up.built.arrays.is_empty() {
            build::wait_until_clean(&up.built.arrays, watch)?;
            build::wait_for_superblocks(watch)?;
        }
        Ok(())
    }

    /// Returns the directory in which fio works, once it exists.
    pub(crate) fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    /// Writes back dirty pages of earlier samples.
    pub(crate) fn sync(&self) -> std::io::Result<()> {
        match self.up.as_ref().map(|up| &up.built.top) {
            Some(Top::Device(device)) => File::open(device)?.sync_all(),
            Some(Top::Directory(directory)) => {
                let directory = File::open(directory)?;
                rustix::fs::syncfs(&directory).map_err(Into::into)
            }
            None => Ok(()),
        }
    }

    /// Takes down the present stack, or the part of it that was built, from the top.
    fn take_down(&mut self, root: &Root, journal: &mut dyn Journal) -> Result<(), WorldError> {
        if let (Some(up), Some(workspace)) = (self.up.take(), &mut self.workspace)
            && matches!(up.built.top, Top::Device(_))
        {
            let links: Vec<String> = up.laid_out.into_iter().collect();
            workspace.remove_files(&links, journal)?;
        }
        if self.made.is_empty() {
            return Ok(());
        }
        let own = OwnDevices::of_claims(root, &self.claimed);
        // Devices without a layer of this stack stay held exclusively.
        let used = self.used();
        used.iter().for_each(Claimed::drop_exclusive);
        while let Some(change) = self.made.last() {
            let undone = build::undo(root, &own, change)?;
            match undone {
                // The next use of the device reports a foreign signature.
                Undone::Done | Undone::Already | Undone::Untouched { .. } => {
                    journal.undone(change).map_err(|source| {
                        WorldError::failed(
                            "failed to record an undone change in the journal",
                            source,
                        )
                    })?;
                }
                // It stays in the journal for `restore`, until its device returns.
                Undone::Kept { .. } => {}
            }
            self.made.pop();
        }
        used.iter().for_each(Claimed::reopen_exclusive);
        Ok(())
    }

    /// Returns the devices on which a layer is left.
    fn used(&self) -> Vec<Claimed> {
        let below: BTreeSet<PathBuf> = self.made.iter().flat_map(build::devices_of).collect();
        let used = self.claimed.iter();
        used.filter(|device| below.contains(&device.named))
            .cloned()
            .collect()
    }

    /// Takes everything down and releases the devices. If one cannot be released, it stays in the
    /// journal, and the others are released all the same.
    pub(crate) fn restore(
        &mut self,
        root: &Root,
        journal: &mut dyn Journal,
    ) -> Result<(), WorldError> {
        let mut first_error = self.take_down(root, journal).err();
        let used = self.used();
        for device in self.claimed.iter().rev() {
            let is_used = used.iter().any(|other| other.named == device.named);
            if is_used || !self.announced.contains(&device.named) {
                continue;
            }
            match device.release(journal) {
                Ok(()) => drop(self.announced.remove(&device.named)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        if self.announced.is_empty() {
            self.claimed.clear();
        }
        if let Some(workspace) = self.workspace.take() {
            let removed = workspace.remove(journal);
            if removed.is_err() {
                self.workspace = Some(workspace);
            }
            first_error = first_error.or(removed.err());
        }
        first_error.map_or(Ok(()), Err)
    }
}

/// Why no member can fail.
const NO_ARRAY: &str = "the stack has no array whose member could fail";

/// Returns the devices of a stack in its order, each once.
pub(crate) fn chosen(stack: &Stack, claimed: &[Claimed]) -> Result<Vec<Claimed>, WorldError> {
    if stack.devices.is_empty() {
        return Err(no_devices(stack));
    }
    for (profile, wanted) in stack.counts_by_profile() {
        let found = claimed
            .iter()
            .filter(|device| device.profile == profile)
            .count();
        if u64::try_from(found).unwrap_or(u64::MAX) < wanted {
            return Err(WorldError::plain(format!(
                "stack `{}` needs {wanted} devices `{profile}`, but only {found} may be destroyed",
                stack.name,
            ))
            .or_hint(format!(
                "name them: `[may_destroy]` with `\"{profile}\" = [\"/dev/disk/by-id/...\", ...]`",
            )));
        }
    }
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut devices = Vec::new();
    for group in &stack.devices {
        let count = usize::try_from(group.count.get()).unwrap_or(usize::MAX);
        let before = taken.entry(&group.profile).or_default();
        let of_profile = claimed
            .iter()
            .filter(|device| device.profile == group.profile);
        devices.extend(of_profile.skip(*before).take(count).cloned());
        *before = before.saturating_add(count);
    }
    Ok(devices)
}

fn no_devices(stack: &Stack) -> WorldError {
    WorldError::Unsupported {
        world: WorldName::Metal,
        what: format!("build stack `{}` without devices", stack.name),
        hint: Some(
            "a study either measures the filesystem at `--target`, or names `devices` for every stack: split it into two"
                .to_owned(),
        ),
    }
}

fn check_fits(cell: &Cell, device: &Path) -> Result<(), WorldError> {
    let needed = needed_bytes(&cell.workload);
    let name = build::kernel_name(device);
    let size = name
        .as_deref()
        .and_then(build::size_bytes)
        .unwrap_or_default();
    if needed.as_u64() <= size {
        return Ok(());
    }
    Err(too_small(&cell.stack, needed, size))
}

/// Returns the error for jobs that do not fit on their stack.
pub(crate) fn too_small(stack: &Stack, needed: Bytes, size: u64) -> WorldError {
    WorldError::plain(format!(
        "too little space on stack `{}`: its jobs need {} MiB, and it has {} MiB",
        stack.name,
        needed.as_u64().div_ceil(1 << 20),
        size >> 20
    ))
    .or_hint("lower `size` or `jobs`, or name larger devices")
}
