//! The lab world on the host: forwards each request to the world in the guest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use stripewise_process::UntilStopped;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::guest_clock::Clock;
use stripewise_study::sample::Sample;
use stripewise_study::stack::Filesystem;
use stripewise_study::warning::Warning;
use stripewise_study::workload::Data;
use stripewise_study::world::{
    Journal, NeverCancel, Prepared, SampleRequest, Watch, World, WorldError, WorldName,
};
use stripewise_units::Nanos;
use stripewise_units::kernel::KernelName;

use crate::agent::image_of;
use crate::cache::{self, Cache};
use crate::error::LabError;
use crate::file_store::FileStore;
use crate::machine::{
    AgentKind, Machine, MachineError, MachineOptions, Received, StartMode, WATCH_INTERVAL,
};
use crate::pace;
use crate::programs::{QEMU, version_of};
use crate::state::{StateSearch, state_of};
use crate::wire::{Answer, Disk, FromGuest, LINE_BYTES_MAX, ToGuest};

/// How long a guest may take to stop a request before we kill the guest.
const STOP_LIMIT: Duration = Duration::from_secs(30);

/// The most I/Os of a trace: they are one message, in which one takes at most 128 bytes.
const TRACED_IOS_MAX: u64 = LINE_BYTES_MAX as u64 / 128;

/// The options of a lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabOptions {
    /// The cache of guests.
    pub cache: Cache,
    /// The guest of cells that name no kernel.
    pub prepared: cache::Prepared,
    /// The guests of cells that name one.
    pub kernels: BTreeMap<KernelName, cache::Prepared>,
    /// This program, which also runs in the guest.
    pub program: PathBuf,
    /// The guests' clock source.
    pub clock: Clock,
    /// The memory of each.
    pub memory_mib: u32,
    /// The modelled disks of each.
    pub disks: Vec<Disk>,
}

impl LabOptions {
    /// Returns the guest of cells that name this kernel, or none.
    fn guest(&self, kernel: Option<&KernelName>) -> &cache::Prepared {
        let named = kernel.and_then(|kernel| self.kernels.get(kernel));
        named.unwrap_or(&self.prepared)
    }

    /// Returns all guests by their name: several may have one release.
    fn guests(&self) -> BTreeMap<String, &cache::Prepared> {
        let all = self.kernels.values().chain([&self.prepared]);
        all.map(|guest| (guest.name(), guest)).collect()
    }
}

/// Guests with modelled disks, one for each kernel. All stay booted, with their stacks; only one works
/// at a time, so that samples do not disturb one another.
#[derive(Debug)]
pub struct Lab {
    options: LabOptions,
    /// The running guests, by their name.
    machines: BTreeMap<String, Machine>,
    agent_image: Option<PathBuf>,
    /// How long its samples take.
    times: pace::Session,
}

impl Lab {
    /// Returns a lab that starts each guest at the first request to it.
    pub fn new(options: LabOptions) -> Self {
        Self {
            options,
            machines: BTreeMap::new(),
            agent_image: None,
            times: pace::Session::default(),
        }
    }

    /// Starts the guest of cells that name this kernel, or none, if it does not run, and waits until
    /// its world is open. The other guests rest.
    ///
    /// # Errors
    /// If it cannot be started, dies, or cannot make its disks.
    pub fn boot(
        &mut self,
        kernel: Option<&KernelName>,
        watch: &mut dyn Watch,
    ) -> Result<&mut Machine, WorldError> {
        let guest = self.options.guest(kernel).clone();
        let name = guest.name();
        self.rest_all_but(&name);
        if !self.machines.contains_key(&name) {
            let machine = self.start(guest, watch)?;
            self.machines.insert(name.clone(), machine);
        }
        let machine = self.machines.get_mut(&name);
        let machine = machine.ok_or(WorldError::Interrupted)?;
        machine.go_on();
        Ok(machine)
    }

    /// Starts every guest, as [`Lab::boot`] does.
    ///
    /// # Errors
    /// As [`Lab::boot`].
    pub fn boot_all(&mut self, watch: &mut dyn Watch) -> Result<(), WorldError> {
        for kernel in self.kernels() {
            self.boot(kernel.as_ref(), watch)?;
        }
        Ok(())
    }

    /// Returns a kernel for each guest that cells use; `None` for the guest of cells that name none.
    fn kernels(&self) -> Vec<Option<KernelName>> {
        match self.options.kernels.is_empty() {
            true => vec![None],
            false => self.options.kernels.keys().cloned().map(Some).collect(),
        }
    }

    /// Suspends the other guests. In virtual time an idle guest would fill a core of this machine: its
    /// clock jumps from timer to timer.
    fn rest_all_but(&self, name: &str) {
        if self.options.clock != Clock::Virtual {
            return;
        }
        let others = self.machines.iter().filter(|(other, _)| *other != name);
        others.for_each(|(_, machine)| machine.rest());
    }

    /// Kills the guests; everything in them is lost.
    pub fn power_off(&mut self) {
        self.machines.clear();
    }

    fn start(
        &mut self,
        guest: cache::Prepared,
        watch: &mut dyn Watch,
    ) -> Result<Machine, WorldError> {
        let failed = |error| lab_failed("failed to start the guest", error);
        guest.verify().map_err(failed)?;
        let image = match &self.agent_image {
            Some(image) => image.clone(),
            None => image_of(&self.options.cache, &self.options.program).map_err(failed)?,
        };
        let options = MachineOptions {
            prepared: guest,
            agent_image: image.clone(),
            clock: self.options.clock,
            memory_mib: self.options.memory_mib,
            held: None,
        };
        let begun = begin(&self.options.cache, &options, &mut || {}, watch)?;
        let (mut machine, state) = begun;
        self.agent_image = Some(image);
        let hello = ToGuest::Hello {
            disks: self.options.disks.clone(),
            held: Vec::new(),
            is_virtual_time: self.options.clock == Clock::Virtual,
        };
        greet(&mut machine, &hello, state.as_deref(), watch)?;
        Ok(machine)
    }

    /// Sends a request to the guest of cells that name this kernel, or none, starting it if necessary;
    /// kills a guest that fails.
    fn ask(
        &mut self,
        kernel: Option<&KernelName>,
        request: &ToGuest,
        watch: &mut dyn Watch,
    ) -> Result<Answer, WorldError> {
        let machine = self.boot(kernel, watch)?;
        let answer = ask(machine, request, watch);
        if let Err(RequestError::Machine(_) | RequestError::Stuck) = &answer {
            self.machines.remove(&self.options.guest(kernel).name());
        }
        answer.map_err(RequestError::into_world_error)
    }

    /// Reads the facts of one guest.
    fn facts_of(&mut self, kernel: Option<&KernelName>) -> Result<Facts, WorldError> {
        match self.ask(kernel, &ToGuest::Facts, &mut UntilStopped)? {
            Answer::Facts { facts } => Ok(*facts),
            other => Err(RequestError::mismatch(&other).into_world_error()),
        }
    }
}

/// Returns the facts of several guests, with their kernels: those of the first, the releases of all,
/// and among the tools the exact version of each.
fn merged(all: Vec<(KernelName, Facts)>) -> Option<Facts> {
    let mut merged = all.first()?.1.clone();
    let releases = all.iter().map(|(_, facts)| release_of(facts));
    merged.kernel = Some(releases.collect::<Vec<&str>>().join(", "));
    merged.kernel_source = None;
    let exact = all.iter().map(|(kernel, facts)| {
        let release = release_of(facts);
        let exact = match &facts.kernel_source {
            Some(source) => format!("{release} ({source})"),
            None => release.to_owned(),
        };
        (format!("kernel {kernel}"), exact)
    });
    merged.tools.extend(exact);
    Some(merged)
}

fn release_of(facts: &Facts) -> &str {
    facts.kernel.as_deref().unwrap_or("unknown")
}

/// Returns a short description of a guest's disks: `modelled disks 4 x ssd`.
fn described(disks: &[Disk]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for disk in disks {
        *counts.entry(&disk.profile).or_default() += 1;
    }
    let groups = counts.iter();
    let groups: Vec<String> = groups
        .map(|(profile, count)| format!("{count} x {profile}"))
        .collect();
    format!("modelled disks {}", groups.join(" + "))
}

/// Starts a guest whose agent runs, from a saved state if there is one, which it also returns.
/// `before` is called when the guest is about to start.
pub(crate) fn begin(
    cache: &Cache,
    options: &MachineOptions,
    before: &mut dyn FnMut(),
    watch: &mut dyn Watch,
) -> Result<(Machine, Option<PathBuf>), WorldError> {
    let found = state_of(cache, options, watch);
    let state = match found.map_err(|error| RequestError::Machine(error).into_world_error())? {
        StateSearch::State(state) => Some(state),
        StateSearch::None => None,
        StateSearch::Stopped => return Err(WorldError::Interrupted),
    };
    before();
    let mode = state.as_deref().map_or(StartMode::Boot, StartMode::Resume);
    let machine = Machine::begin(options, mode);
    let mut machine = machine.map_err(|error| lab_failed("failed to start the guest", error))?;
    if state.is_none() {
        await_agent(&mut machine, watch)?;
    }
    Ok((machine, state))
}

/// Tells an agent its disks; `state` is what its guest resumed from.
pub(crate) fn greet(
    machine: &mut Machine,
    hello: &ToGuest,
    state: Option<&Path>,
    watch: &mut dyn Watch,
) -> Result<(), WorldError> {
    match ask(machine, hello, watch) {
        Ok(Answer::Nothing) => Ok(()),
        Ok(other) => Err(RequestError::mismatch(&other).into_world_error()),
        Err(error) => {
            // QEMU may have failed to read the state: without it the next guest boots.
            if let (RequestError::Machine(_), Some(state)) = (&error, state) {
                FileStore::remove(state);
            }
            Err(error.into_world_error())
        }
    }
}

/// Waits until the agent runs.
pub(crate) fn await_agent(machine: &mut Machine, watch: &mut dyn Watch) -> Result<(), WorldError> {
    match machine.until_ready(watch) {
        Ok(true) => Ok(()),
        Ok(false) => Err(WorldError::Interrupted),
        Err(error) => Err(RequestError::Machine(error).into_world_error()),
    }
}

/// The error of a request to the guest.
pub(crate) enum RequestError {
    /// The guest's world returned an error.
    World(WorldError),
    /// The guest failed.
    Machine(MachineError),
    /// The guest did not stop within the limit.
    Stuck,
}

impl RequestError {
    pub(crate) fn mismatch(answer: &Answer) -> Self {
        RequestError::Machine(MachineError::unexpected(answer))
    }

    pub(crate) fn into_world_error(self) -> WorldError {
        match self {
            RequestError::World(error) => error,
            RequestError::Stuck => WorldError::Interrupted,
            RequestError::Machine(
                error @ (MachineError::Died {
                    agent: AgentKind::Process,
                    ..
                }
                | MachineError::Silent {
                    agent: AgentKind::Process,
                    ..
                }),
            ) => WorldError::failed("failed to run the stack on this machine", error),
            RequestError::Machine(error @ MachineError::Stopped { .. }) => {
                WorldError::failed("failed in the lab", error)
                    .or_hint("use another clock: `--clock wall`, or `--clock virtual` to measure")
            }
            RequestError::Machine(error) => WorldError::failed("failed in the lab", error)
                .or_hint("resume the run: it gets a new guest"),
        }
    }
}

/// Sends a request and waits for the answer; `watch` may cancel it.
pub(crate) fn ask(
    machine: &mut Machine,
    request: &ToGuest,
    watch: &mut dyn Watch,
) -> Result<Answer, RequestError> {
    machine.send(request).map_err(RequestError::Machine)?;
    let began = Instant::now();
    let mut last_polled = began;
    let mut stopped: Option<Instant> = None;
    loop {
        match machine
            .receive(WATCH_INTERVAL)
            .map_err(RequestError::Machine)?
        {
            Received::Nothing => {}
            Received::Message(message) => match *message {
                FromGuest::Done { answer } => return Ok(answer),
                FromGuest::Failed { error } => {
                    return Err(RequestError::World(error.into_world_error(WorldName::Lab)));
                }
                FromGuest::Tick => {}
                other @ (FromGuest::Ready { .. }
                | FromGuest::Acknowledged { .. }
                | FromGuest::Printed { .. }) => {
                    return Err(RequestError::Machine(MachineError::unexpected(&other)));
                }
            },
        }
        match stopped {
            Some(when) if when.elapsed() > STOP_LIMIT => return Err(RequestError::Stuck),
            Some(_) => {}
            // In virtual time the guest may tick far more often than four times a second.
            None if last_polled.elapsed() >= WATCH_INTERVAL => {
                last_polled = Instant::now();
                if !watch.keep_going(began.elapsed()) {
                    machine
                        .send(&ToGuest::Stop)
                        .map_err(RequestError::Machine)?;
                    stopped = Some(last_polled);
                }
            }
            None => {}
        }
    }
}

pub(crate) fn lab_failed(attempted: &str, error: LabError) -> WorldError {
    if matches!(error, LabError::Interrupted) {
        return WorldError::Interrupted;
    }
    match error.hint() {
        Some(hint) => WorldError::failed(attempted, error).or_hint(hint),
        None => WorldError::failed(attempted, error),
    }
}

/// Returns a cell as its guest gets it: with the version of its kernel, because only the host knows the names
/// of guests, and with zeroed buffers, unless a compressing filesystem or verification depends on the
/// content. fio then spends no instructions on random bytes, which would count as time at a nanosecond per
/// instruction, and the disks need no memory to store them.
fn for_guest(cell: &Cell) -> Cell {
    let mut cell = cell.clone();
    let kernel = &mut cell.conditions.kernel;
    *kernel = kernel.take().map(|name| name.version().into());
    let compresses = matches!(
        &cell.stack.filesystem,
        Filesystem::Made { kind, .. } if ["btrfs", "zfs", "bcachefs", "f2fs"].contains(&kind.as_str())
    );
    let workload = &mut cell.workload;
    let neighbours = workload.neighbours.iter_mut();
    let loads = neighbours.map(|neighbour| &mut neighbour.load);
    for load in loads.chain([&mut workload.load]) {
        if !compresses && !load.verify {
            load.data = Data::Zeroes;
        }
    }
    cell
}

impl World for Lab {
    fn name(&self) -> WorldName {
        WorldName::Lab
    }

    /// Short, because disks are fresh before each sample and an emulated CPU has no cold caches.
    fn warm_up(&self, sample: Nanos) -> Nanos {
        pace::warm_up(sample)
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        let mut all = Vec::new();
        for kernel in self.options.kernels.keys().cloned().collect::<Vec<_>>() {
            let facts = self.facts_of(Some(&kernel))?;
            all.push((kernel, facts));
        }
        let mut facts = match merged(all) {
            Some(facts) => facts,
            None => self.facts_of(None)?,
        };
        let clock = self.options.clock.to_string();
        facts.tools.insert("lab clock".to_owned(), clock);
        let qemu = version_of(QEMU.call(["--version"])).unwrap_or_else(|| "unknown".to_owned());
        facts.tools.insert("qemu".to_owned(), qemu);
        let manifest = &self.options.prepared.manifest;
        let mdadm = manifest.version_of("mdadm").map(str::to_owned);
        facts
            .tools
            .extend(mdadm.map(|mdadm| ("mdadm".to_owned(), mdadm)));
        let guests = self.options.guests();
        let guests = guests.values().map(|guest| guest.manifest.identity());
        let guests: Vec<String> = guests.map(|identity| short(&identity)).collect();
        facts.tools.insert("lab guest".to_owned(), guests.join(" "));
        if let Some(image) = self.agent_image.as_deref().and_then(Path::file_stem) {
            let agent = short(&image.to_string_lossy());
            facts.tools.insert("lab agent".to_owned(), agent);
        }
        // The guest's own text would name devices under `may_destroy`.
        if let Some(target) = facts.target.as_mut().filter(|one| one.source.is_none()) {
            target.path = described(&self.options.disks);
        }
        Ok(facts)
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        refuse_long_traces(cells)?;
        let mut groups: BTreeMap<Option<&KernelName>, Vec<Cell>> = BTreeMap::new();
        for cell in cells {
            let group = groups.entry(cell.conditions.kernel.as_ref()).or_default();
            group.push(for_guest(cell));
        }
        let mut all = Vec::new();
        for (kernel, cells) in groups {
            let request = ToGuest::Check { cells };
            match self.ask(kernel, &request, &mut UntilStopped)? {
                Answer::Checked { warnings } => all.extend(warnings),
                other => return Err(RequestError::mismatch(&other).into_world_error()),
            }
        }
        Ok(all)
    }

    /// All changes vanish with the guest, so the host journals nothing.
    fn prepare(
        &mut self,
        cell: &Cell,
        _journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        let request = ToGuest::Prepare {
            cell: Box::new(for_guest(cell)),
        };
        let began = Instant::now();
        match self.ask(cell.conditions.kernel.as_ref(), &request, watch)? {
            Answer::Prepared {
                already_there: true,
            } => Ok(Prepared::AlreadyThere),
            Answer::Prepared {
                already_there: false,
            } => {
                self.times.built(began.elapsed());
                Ok(Prepared::Made)
            }
            other => Err(RequestError::mismatch(&other).into_world_error()),
        }
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        let (duration, is_replay) = (request.duration, request.replay.is_some());
        let request = ToGuest::Measure {
            cell: Box::new(for_guest(cell)),
            request,
        };
        let (started_unix_ns, began) = (unix_now_ns(), Instant::now());
        match self.ask(cell.conditions.kernel.as_ref(), &request, watch)? {
            Answer::Sample { sample } => {
                if self.options.clock == Clock::Virtual && !is_replay {
                    self.times.sampled(duration, began.elapsed());
                }
                // The guest's date is arbitrary.
                Ok(Sample {
                    started_unix_ns,
                    real_ns: Some(began.elapsed().into()),
                    ..*sample
                })
            }
            other => Err(RequestError::mismatch(&other).into_world_error()),
        }
    }

    /// Lets each guest restore its changes, so that failures surface, then kills the guests.
    fn restore(&mut self, _journal: &mut dyn Journal) -> Result<(), WorldError> {
        if self.machines.is_empty() {
            return Ok(());
        }
        self.times.save(&self.options.cache);
        let mut failed = Ok(());
        for kernel in self.kernels() {
            let kernel = kernel.as_ref();
            let name = self.options.guest(kernel).name();
            if !self.machines.contains_key(&name) {
                continue;
            }
            let restored = self.ask(kernel, &ToGuest::Restore, &mut NeverCancel);
            // A guest that died has nothing left to restore.
            let is_alive = self.machines.contains_key(&name);
            if let (Err(error), true, Ok(())) = (restored, is_alive, &failed) {
                failed = Err(error);
            }
        }
        self.power_off();
        failed
    }
}

/// Refuses traces whose I/Os do not fit into one message to the guest.
fn refuse_long_traces(cells: &[Cell]) -> Result<(), WorldError> {
    let mut traces = cells.iter().filter_map(|cell| cell.workload.trace.as_ref());
    match traces.find(|trace| trace.count() > TRACED_IOS_MAX) {
        None => Ok(()),
        Some(trace) => Err(WorldError::Unsupported {
            world: WorldName::Lab,
            what: format!(
                "replay a trace of {} I/Os; the limit is {TRACED_IOS_MAX}",
                trace.count()
            ),
            hint: Some(
                "replay a part: `trace = { file = ..., from = ..., length = ... }`".to_owned(),
            ),
        }),
    }
}

/// Returns the first digits of a checksum: enough to distinguish two.
pub(crate) fn short(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

pub(crate) fn unix_now_ns() -> Option<u64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

#[cfg(test)]
#[path = "world_tests.rs"]
mod tests;
