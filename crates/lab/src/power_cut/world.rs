//! The world: builds each cell's stack once, then for each sample records a load, cuts the power,
//! and looks at a crash image.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::durability_load::DurabilityLoad;
use rustix::time::{ClockId, clock_gettime};
use stripewise_powercut::built_stack::{BuiltStack, Recovery};
use stripewise_powercut::judge;
use stripewise_powercut::random::Random;
use stripewise_process::UntilStopped;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Flush;
use stripewise_study::cut::{Cut, CutOptions, Outcome, SmallestLoss, Survival};
use stripewise_study::facts::Facts;
use stripewise_study::guest_clock::Clock;
use stripewise_study::program::ConfirmedFile;
use stripewise_study::sample::{Sample, Transfer};
use stripewise_study::warning::Warning;
use stripewise_study::world::{
    Journal, Prepared, SampleRequest, Watch, World, WorldError, WorldName,
};
use stripewise_units::causes::chain;
use stripewise_units::{Bytes, Nanos};

use super::plan::{PlanError, refuse_program, require_alone, require_moment, work_of};
use super::program_files::require_unchanged;
use super::recording::{CrashImage, Enumerated, Said, Until};
use super::running::{Running, ThisMachine};
use crate::agent::image_of;
use crate::cache::{self, Cache};
use crate::held_disks::{Contents, HeldDisks, HeldShape};
use crate::machine::{Machine, MachineError, MachineOptions, Received, WATCH_INTERVAL};
use crate::wire::{Answer, FromGuest, LoadOnStack, ToGuest};
use crate::world::{RequestError, ask, begin, greet, lab_failed, short, unix_now_ns};

/// How long a stack may take to come up and a load to acknowledge its first record.
const FIRST_LIMIT: Duration = Duration::from_secs(600);
/// A recording ends early when it has written so much: all of it is in memory.
const RECORDED_BYTES_MAX: u64 = 2 << 30;

/// A lab whose stacks lose their power.
#[derive(Debug)]
pub struct CutLab {
    place: Place,
    cuts: CutOptions,
    held: Arc<HeldDisks>,
    built: Vec<BuiltCell>,
    /// The files of the programs that the user confirmed.
    confirmed: Vec<ConfirmedFile>,
}

/// Where the stacks are.
#[derive(Debug)]
enum Place {
    Guests(Box<Guests>),
    ThisMachine(ThisMachine),
}

/// Guests on disks that the host holds.
#[derive(Debug)]
struct Guests {
    cache: Cache,
    options: MachineOptions,
    tools: Tools,
}

/// What the facts of a run name.
#[derive(Debug)]
struct Tools {
    guest: String,
    mdadm: Option<String>,
}

/// A cell whose stack was built.
#[derive(Debug)]
struct BuiltCell {
    cell: Cell,
    standing: BuiltStack,
    work: DurabilityLoad,
    /// What the disks held when it was stopped.
    contents: Contents,
    /// The images of the latest recording that have not been read back.
    images: VecDeque<CrashImage>,
    /// The latest recording, if its states are enumerated.
    enumerated: Option<Enumerated>,
}

/// The inputs of a lab for power cuts.
#[derive(Debug)]
pub struct CutLabInputs {
    /// The cache of guests.
    pub cache: Cache,
    /// The guest.
    pub prepared: cache::Prepared,
    /// This program, which also runs in the guest.
    pub program: PathBuf,
    /// The guest's clock source: a load needs real time.
    pub clock: Clock,
    /// Its memory.
    pub memory_mib: u32,
    /// Its disks.
    pub shapes: Vec<HeldShape>,
    /// The cuts.
    pub cuts: CutOptions,
}

impl CutLab {
    /// Returns a lab with disks of zeroes; no guest runs yet.
    ///
    /// # Errors
    /// If the guest is damaged.
    pub fn new(inputs: CutLabInputs) -> Result<Self, WorldError> {
        let attempted = "failed to open the lab";
        let agent_image = inputs
            .prepared
            .verify()
            .and_then(|()| image_of(&inputs.cache, &inputs.program))
            .map_err(|error| lab_failed(attempted, error))?;
        let held = Arc::new(HeldDisks::new(inputs.shapes));
        let manifest = &inputs.prepared.manifest;
        let guests = Guests {
            tools: Tools {
                guest: short(&manifest.identity()),
                mdadm: manifest.version_of("mdadm").map(str::to_owned),
            },
            options: MachineOptions {
                prepared: inputs.prepared.clone(),
                agent_image,
                clock: inputs.clock,
                memory_mib: inputs.memory_mib,
                held: Some(Arc::clone(&held)),
            },
            cache: inputs.cache,
        };
        Ok(Self::at(Place::Guests(Box::new(guests)), held, inputs.cuts))
    }

    /// Returns a lab without guests: stacks are on loop devices of this machine, in processes of
    /// `program` that have a mount namespace of their own.
    ///
    /// # Errors
    /// If this machine cannot do that.
    pub fn without_guests(
        program: PathBuf,
        shapes: Vec<HeldShape>,
        cuts: CutOptions,
        confirmed: Vec<ConfirmedFile>,
    ) -> Result<Self, WorldError> {
        let this_machine = ThisMachine::new(program)?;
        let held = Arc::new(HeldDisks::new(shapes));
        Ok(Self {
            confirmed,
            ..Self::at(Place::ThisMachine(this_machine), held, cuts)
        })
    }

    fn at(place: Place, held: Arc<HeldDisks>, cuts: CutOptions) -> Self {
        Self {
            place,
            cuts,
            held,
            built: Vec::new(),
            confirmed: Vec::new(),
        }
    }

    /// Starts a guest, or a process without one, whose disks hold `contents`; returns it with the
    /// begin of the recording.
    fn start(
        &self,
        contents: &Contents,
        flush: Option<Flush>,
        watch: &mut dyn Watch,
    ) -> Result<(Running, Instant), WorldError> {
        let mut began = Instant::now();
        let (mut running, state) = match &self.place {
            Place::Guests(guests) => {
                let mut before = || began = self.held.begin(contents);
                let begun = begin(&guests.cache, &guests.options, &mut before, watch)?;
                (Running::guest(begun.0), begun.1)
            }
            Place::ThisMachine(this_machine) => {
                began = self.held.begin(contents);
                (this_machine.start(&self.held, flush, watch)?, None)
            }
        };
        let shapes = self.held.shapes().iter();
        let hello = ToGuest::Hello {
            disks: Vec::new(),
            held: shapes.map(|shape| shape.name.clone()).collect(),
            is_virtual_time: match &self.place {
                Place::Guests(guests) => guests.options.clock == Clock::Virtual,
                Place::ThisMachine(_) => false,
            },
        };
        greet(&mut running, &hello, state.as_deref(), watch)?;
        Ok((running, began))
    }

    /// Returns a cell as the agent gets it. Without a guest the disks themselves ignore flushes, so
    /// that no setting of this machine's kernel changes.
    fn sent(&self, cell: &Cell) -> Cell {
        let mut cell = cell.clone();
        if let Place::ThisMachine(_) = self.place {
            cell.conditions.flush = None;
        }
        cell
    }

    fn position(&self, cell: &Cell) -> Option<usize> {
        self.built.iter().position(|built| built.cell == *cell)
    }

    /// Builds the stack of a cell, lays its load out and stops it.
    fn build(&self, cell: &Cell, watch: &mut dyn Watch) -> Result<BuiltCell, WorldError> {
        let work = work_of(cell, seed_of(cell)).map_err(refused)?;
        let blank = self.held.blank();
        let (mut machine, _) = self.start(&blank, None, watch)?;
        let request = ToGuest::Build {
            cell: Box::new(self.sent(cell)),
            work: work.clone(),
        };
        let standing = match ask(&mut machine, &request, watch) {
            Ok(Answer::Built { standing }) => standing,
            Ok(other) => return Err(RequestError::mismatch(&other).into_world_error()),
            Err(error) => return Err(error.into_world_error()),
        };
        drop(machine);
        Ok(BuiltCell {
            cell: cell.clone(),
            standing,
            work,
            contents: self.held.contents(),
            images: VecDeque::new(),
            enumerated: None,
        })
    }

    /// Records a load on a built cell, and prepares the images of cuts.
    fn record(
        &mut self,
        place: usize,
        request: &SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        let built = &self.built[place];
        if let DurabilityLoad::Program(program) = &built.work {
            require_unchanged(program, &self.confirmed)
                .map_err(|error| WorldError::failed("failed to start the program", error))?;
        }
        let work = ordered(&built.work, request.seed);
        let flush = built.cell.conditions.flush;
        let (mut machine, began) = self.start(&built.contents, flush, watch)?;
        let load = ToGuest::Load(Box::new(LoadOnStack {
            cell: self.sent(&built.cell),
            standing: built.standing.clone(),
            work: work.clone(),
            without_member: None,
            force: false,
        }));
        machine.send(&load).map_err(guest_failed)?;
        let mut random = Random::new(request.seed, 0);
        let (until, drawn) = Until::of(self.cuts, request.duration.into(), &mut random);
        let (first, said) = self.listen(&mut machine, began, until, watch)?;
        // A recording that is too long ends before its last moment.
        let end = until.end(Some(first), &said).unwrap_or(Duration::MAX);
        let end = end.min(began.elapsed());
        // The power cut: nothing of the guest survives.
        machine.end(watch)?;
        if self.cuts.survival == Survival::Enumerated {
            let recorded = self.held.recorded();
            let between = until.between(first, end);
            let recorded = recorded.ok_or_else(|| {
                WorldError::plain(
                    "the load did not write to one disk alone, whose states could be enumerated",
                )
            })?;
            let contents = self.held.contents();
            let enumerated = Enumerated::new(recorded, contents, request.seed, work, said, between);
            self.built[place].enumerated = Some(enumerated);
            return Ok(());
        }
        let span = (first, end);
        let moments = until.moments(&drawn, span, &said, self.cuts.images, &mut random);
        let images = moments.into_iter().enumerate().map(|(number, at)| {
            let seed = request.seed ^ number as u64;
            CrashImage {
                recording: request.seed,
                work: work.clone(),
                at,
                contents: self.held.crash(self.cuts.survival, at, seed),
                said: said.clone(),
                state: None,
            }
        });
        let images = images.collect();
        self.built[place].images = images;
        Ok(())
    }

    /// Returns the next image of a cell, of a new recording if the latest has no more.
    fn next_image(
        &mut self,
        place: usize,
        request: &SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<CrashImage, WorldError> {
        let next = |built: &mut BuiltCell| {
            let enumerated = built.enumerated.as_mut();
            let next = enumerated.and_then(Enumerated::next);
            next.or_else(|| built.images.pop_front())
        };
        if let Some(image) = next(&mut self.built[place]) {
            return Ok(image);
        }
        self.record(place, request, watch)?;
        next(&mut self.built[place]).ok_or_else(|| WorldError::plain("the recording has no image"))
    }

    /// Makes the first loss of a recording small.
    fn smallest(
        &mut self,
        place: usize,
        crash: &CrashImage,
        outcome: &Outcome,
        watch: &mut dyn Watch,
    ) -> Result<Option<SmallestLoss>, WorldError> {
        let Some(state) = &crash.state else {
            return Ok(None);
        };
        let is_new = |one: &Enumerated| one.recording == crash.recording && !one.has_smallest;
        if lost_since(crash, outcome).is_none() {
            return Ok(None);
        }
        let Some(mut enumerated) = self.built[place].enumerated.take_if(|one| is_new(one)) else {
            return Ok(None);
        };
        enumerated.has_smallest = true;
        let oldest = lost_since(crash, outcome);
        let smallest = enumerated.smallest(state, oldest, &mut |image| {
            let outcome = self.look(place, image, watch)?;
            Ok::<_, WorldError>(lost_since(image, &outcome))
        });
        self.built[place].enumerated = Some(enumerated);
        smallest.map(Some)
    }

    /// Notes what a load says until it was recorded for long enough; returns when the first
    /// acknowledgement came.
    fn listen(
        &self,
        machine: &mut Machine,
        began: Instant,
        until: Until,
        watch: &mut dyn Watch,
    ) -> Result<(Duration, Said), WorldError> {
        let mut said = Said::default();
        let mut first: Option<Duration> = None;
        let mut looked = Instant::now();
        let began_ns = clock_at(began);
        loop {
            let now = began.elapsed();
            let end = until.end(first, &said);
            let is_over = end.is_some_and(|end| now >= end);
            if is_over || self.held.recorded_bytes() > RECORDED_BYTES_MAX {
                let is_silent = first.is_none() && !said.promises.all().is_empty();
                let silent = is_silent.then_some("the program acknowledged nothing");
                if let Some(why) = until.missing(&said).or(silent) {
                    return Err(WorldError::failed("failed to run the load", why));
                }
                return Ok((first.unwrap_or(now), said));
            }
            if first.is_none() && now > FIRST_LIMIT {
                let why = format!(
                    "no record was acknowledged within {} s",
                    FIRST_LIMIT.as_secs()
                );
                return Err(WorldError::failed("failed to run the load", why));
            }
            if let Some(why) = until.missing(&said).filter(|_| now > FIRST_LIMIT) {
                let why = format!("{why} within {} s", FIRST_LIMIT.as_secs());
                return Err(WorldError::failed("failed to run the load", why));
            }
            let left = end.map_or(WATCH_INTERVAL, |end| end.saturating_sub(now));
            match machine
                .receive(left.min(WATCH_INTERVAL))
                .map_err(guest_failed)?
            {
                Received::Nothing => {}
                Received::Message(message) => match *message {
                    FromGuest::Acknowledged { all } => {
                        let at = began.elapsed();
                        first.get_or_insert(at);
                        all.into_iter()
                            .for_each(|one| said.acknowledged.note(at, one));
                    }
                    FromGuest::Printed { lines } => {
                        let promised = said.note(lines, began_ns);
                        first = first.or(promised);
                    }
                    FromGuest::Tick => {}
                    FromGuest::Failed { error } => {
                        return Err(error.into_world_error(WorldName::Lab));
                    }
                    other => return Err(load_ended(&other)),
                },
            }
            if looked.elapsed() >= WATCH_INTERVAL {
                looked = Instant::now();
                if !watch.keep_going(now) {
                    return Err(WorldError::Interrupted);
                }
            }
        }
    }

    /// Lets a fresh guest look at an image.
    fn look(
        &self,
        place: usize,
        crash: &CrashImage,
        watch: &mut dyn Watch,
    ) -> Result<Outcome, WorldError> {
        let built = &self.built[place];
        let flush = built.cell.conditions.flush;
        let (mut machine, _) = self.start(&crash.contents, flush, watch)?;
        let request = ToGuest::Look(Box::new(LoadOnStack {
            cell: self.sent(&built.cell),
            standing: built.standing.clone(),
            work: crash.work.clone(),
            without_member: self.cuts.without_member,
            force: self.cuts.force,
        }));
        match ask(&mut machine, &request, watch) {
            Ok(Answer::Looked { look }) => Ok(outcome(crash, look)),
            Ok(other) => Err(RequestError::mismatch(&other).into_world_error()),
            Err(RequestError::World(WorldError::Interrupted)) => Err(WorldError::Interrupted),
            // A kernel that dies of what it finds, or a checker that cannot read.
            Err(error) => Ok(Outcome::Unknown {
                reason: chain(&error.into_world_error()),
            }),
        }
    }
}

impl Guests {
    /// Returns what runs a guest, for the facts of a run.
    fn tools(&self) -> Vec<(String, String)> {
        let clock = self.options.clock.to_string();
        let mdadm = self.tools.mdadm.clone();
        let tools = [
            ("lab clock", Some(clock)),
            ("lab guest", Some(self.tools.guest.clone())),
            ("mdadm", mdadm),
        ];
        let known = |(name, version): (&str, Option<_>)| Some((name.to_owned(), version?));
        tools.into_iter().filter_map(known).collect()
    }
}

/// Returns a seed for the content of a cell's records: the same for the same study.
fn seed_of(cell: &Cell) -> u64 {
    let text = serde_json::to_string(cell).unwrap_or_default();
    let sum = crate::manifest::checksum_of([text.as_str()]);
    u64::from_str_radix(&sum[..15], 16).unwrap_or_default()
}

/// Returns the load with an order of places of its own.
fn ordered(work: &DurabilityLoad, seed: u64) -> DurabilityLoad {
    match work {
        DurabilityLoad::Records(load) => DurabilityLoad::Records(stripewise_powercut::load::Load {
            order_seed: seed,
            ..load.clone()
        }),
        DurabilityLoad::Database(_) | DurabilityLoad::Program(_) => work.clone(),
    }
}

/// Returns when a recording began by the clock with which an agent on this machine stamps lines. If
/// anything, it is too early: then promises seem later than they were, and fewer count as lost.
fn clock_at(began: Instant) -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let since = began.elapsed();
    let now = Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    );
    u64::try_from(now.saturating_sub(since).as_nanos()).unwrap_or_default()
}

/// Returns when the first promise was made that a cut broke; `None` if it broke none.
fn lost_since(crash: &CrashImage, outcome: &Outcome) -> Option<Duration> {
    match outcome {
        Outcome::CameBack(loss) if loss.records > 0 => {
            Some(crash.at.saturating_sub(loss.age_ns.into()))
        }
        Outcome::CameBack(loss) if loss.corrupt > 0 => Some(crash.at),
        Outcome::Unusable(_) => Some(crash.at),
        _ => None,
    }
}

fn outcome(crash: &CrashImage, look: Recovery) -> Outcome {
    match (look, &crash.work) {
        (Recovery::Failed(failure), _) => Outcome::Unusable(failure),
        (Recovery::Records { changed, damage }, DurabilityLoad::Records(load)) => {
            let mut loss = judge::loss(load, &crash.said.acknowledged, &changed, crash.at);
            loss.corrupt += u64::from(damage.is_some());
            Outcome::CameBack(loss)
        }
        (Recovery::Rows { rows, damage }, work @ DurabilityLoad::Database(_)) => {
            let bytes = work.record_bytes();
            let acknowledged = &crash.said.acknowledged;
            let mut loss = judge::loss_of_rows(&rows, bytes, acknowledged, crash.at);
            loss.corrupt += u64::from(damage.is_some());
            Outcome::CameBack(loss)
        }
        (Recovery::Values { values, damage }, DurabilityLoad::Program(_)) => {
            match crash.said.promises.judge(&values, crash.at) {
                Some(mut loss) => {
                    loss.corrupt += u64::from(damage.is_some());
                    Outcome::CameBack(loss)
                }
                None => Outcome::Unknown {
                    reason: "a value is there that the program did not announce: it replaces values, so it must print `put` before".to_owned(),
                },
            }
        }
        (Recovery::Records { .. } | Recovery::Rows { .. } | Recovery::Values { .. }, _) => {
            Outcome::Unknown {
                reason: "the answer does not fit the load".to_owned(),
            }
        }
    }
}

fn guest_failed(error: MachineError) -> WorldError {
    RequestError::Machine(error).into_world_error()
}

/// Returns the error of a load that ended before the power did.
fn load_ended(message: &FromGuest) -> WorldError {
    let why = match message {
        FromGuest::Done {
            answer: Answer::Looked {
                look: Recovery::Failed(not_back),
            },
        } => not_back.reason.clone(),
        _ => "the load ended by itself".to_owned(),
    };
    WorldError::failed("failed to run the load before the cut", why)
}

fn refused(error: PlanError) -> WorldError {
    let hint = error.hint();
    let error = WorldError::plain(error.to_string());
    match hint {
        Some(hint) => error.or_hint(hint),
        None => error,
    }
}

impl World for CutLab {
    fn name(&self) -> WorldName {
        match self.place {
            Place::Guests(_) => WorldName::Lab,
            Place::ThisMachine(_) => WorldName::Metal,
        }
    }

    fn warms_up(&self) -> bool {
        false
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        let blank = self.held.blank();
        let (mut machine, _) = self.start(&blank, None, &mut UntilStopped)?;
        match ask(&mut machine, &ToGuest::Facts, &mut UntilStopped) {
            Ok(Answer::Facts { facts }) => {
                let mut facts = *facts;
                let programs = self.confirmed.iter();
                facts.tools.extend(programs.map(|file| {
                    let name = format!("program {}", file.path.display());
                    (name, format!("SHA-256 {}", file.sha256))
                }));
                if let Place::Guests(guests) = &self.place {
                    facts.tools.extend(guests.tools());
                }
                if let Some(target) = &mut facts.target {
                    target.path = "disks held by the host".to_owned();
                }
                Ok(facts)
            }
            Ok(other) => Err(RequestError::mismatch(&other).into_world_error()),
            Err(error) => Err(error.into_world_error()),
        }
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        for cell in cells {
            work_of(cell, 0).map_err(refused)?;
            require_moment(cell, self.cuts).map_err(refused)?;
            match self.place {
                Place::ThisMachine(_) => require_alone(cell).map_err(refused)?,
                Place::Guests(_) => refuse_program(cell).map_err(refused)?,
            }
        }
        Ok(Vec::new())
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        _journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        if self.position(cell).is_some() {
            return Ok(Prepared::AlreadyThere);
        }
        let built = self.build(cell, watch)?;
        self.built.push(built);
        Ok(Prepared::Made)
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        let place = self
            .position(cell)
            .ok_or_else(|| WorldError::plain("the stack was not built"))?;
        let (started_unix_ns, began) = (unix_now_ns(), Instant::now());
        let crash = self.next_image(place, &request, watch)?;
        let outcome = self.look(place, &crash, watch)?;
        let smallest = self.smallest(place, &crash, &outcome, watch)?;
        let enumerated = self.built[place].enumerated.as_ref();
        let state = enumerated
            .filter(|_| crash.state.is_some())
            .map(Enumerated::of);
        let mut sample = sample(&crash, outcome);
        if let Some(cut) = &mut sample.cut {
            (cut.state, cut.smallest) = (state, smallest);
        }
        Ok(Sample {
            started_unix_ns,
            real_ns: Some(began.elapsed().into()),
            ..sample
        })
    }

    /// Nothing outlives a guest but its disks, which are in memory.
    fn restore(&mut self, _journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.built.clear();
        Ok(())
    }
}

/// Returns the sample of a cut. Its rate is that of a guest in emulated real time: no number to
/// compare.
fn sample(crash: &CrashImage, outcome: Outcome) -> Sample {
    let (acknowledged, bytes) = match &crash.work {
        DurabilityLoad::Program(_) => crash.said.promises.acknowledged_until(crash.at),
        work => {
            let records = crash.said.acknowledged.records_until(crash.at);
            (records, records.saturating_mul(work.record_bytes().into()))
        }
    };
    let bytes = Bytes::new(bytes);
    let at_ns = Nanos::new(u64::try_from(crash.at.as_nanos()).unwrap_or(u64::MAX));
    Sample {
        elapsed_ns: at_ns,
        write: Transfer {
            ios: acknowledged,
            bytes,
            ..Transfer::default()
        },
        cut: Some(Cut {
            recording: crash.recording,
            at_ns,
            acknowledged,
            acknowledged_bytes: bytes,
            outcome,
            state: None,
            smallest: None,
        }),
        ..Sample::default()
    }
}
