//! The second pass over a trace: everything that a workload is made from.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use stripewise_units::Nanos;

use crate::event::{Action, DeviceId, Event, Names, ProcessId, TracedIo};
use crate::locality::Locality;
use crate::numbers::index;
use crate::runs::{First, Runs};
use crate::stream::{Flow, Stream};
use crate::survey::{Plan, family};

/// The most places that are followed to find out what a cache would serve.
const CACHE_PLACES_MAX: usize = 1 << 16;
/// The most places that all streams together follow.
const STREAM_PLACES_MAX: usize = 1 << 20;
/// The most I/Os under way whose stream is remembered: as many as are followed to their ends. The
/// oldest are forgotten, as there; their ends never come.
const UNDER_WAY_MAX: usize = crate::pairing::UNDER_WAY_MAX;
/// The columns of the drawing: time.
pub const COLUMNS: usize = 160;
/// The rows of the drawing: places on the device.
pub const ROWS: usize = 64;

/// The kinds of I/O that are distinguished, in the order of [`Part::streams`].
pub const KINDS: [Kind; 4] = [
    Kind {
        action: Action::Read,
        is_sequential: false,
    },
    Kind {
        action: Action::Read,
        is_sequential: true,
    },
    Kind {
        action: Action::Write,
        is_sequential: false,
    },
    Kind {
        action: Action::Write,
        is_sequential: true,
    },
];

/// The number of the kind of flushes in a [`StreamId`].
pub const FLUSHES: usize = KINDS.len();

/// A kind of I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Whether it reads or writes.
    pub action: Action,
    /// Whether it goes on where an earlier one ended.
    pub is_sequential: bool,
}

/// What a group of processes does in a phase.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Its I/Os by kind; `None` for a kind that it does not do.
    pub streams: [Option<Box<Stream>>; 4],
    /// When all its reads and writes begin and end.
    pub flow: Flow,
    /// Its flushes, also those that come with a write.
    pub flushes: u64,
    /// Its discards.
    pub discards: u64,
}

impl Part {
    /// Returns its streams that have I/Os, with their kinds.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, &Stream)> {
        let streams = KINDS.into_iter().zip(&self.streams);
        let streams = streams.filter_map(|(kind, stream)| Some((kind, stream.as_deref()?)));
        streams.filter(|(_, stream)| stream.ios > 0)
    }
}

/// I/Os over time and place, as counts.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// How many read and write, by column of time, then row of place.
    pub cells: Vec<[u32; 2]>,
}

/// The stream of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamId {
    /// The number of its phase.
    pub phase: usize,
    /// The number of its group of processes.
    pub group: usize,
    /// The number of its kind, in the order of [`KINDS`]; [`FLUSHES`] for flushes.
    pub kind: usize,
}

/// When I/Os began, whose they are and what they do.
type UnderWayKey = (u64, ProcessId, Action);

/// The stream of I/Os that began at the same time.
#[derive(Debug, Clone, Copy)]
struct UnderWay {
    stream: StreamId,
    count: u32,
}

/// The second pass over a trace.
#[derive(Debug, Clone)]
pub struct Profile {
    /// What was looked for.
    pub plan: Plan,
    /// What each group did in each phase: by phase, then group.
    pub parts: Vec<Vec<Part>>,
    /// What a cache in front of the device would serve.
    pub cache: Locality,
    /// Where everything went.
    pub drawing: Drawing,
    runs: Runs,
    /// The number of each process's group, by the number of the process.
    groups: Vec<Option<u8>>,
    /// The stream of each I/O under way.
    under_way: FxHashMap<UnderWayKey, UnderWay>,
    /// Those under way, the oldest first, and some that are done.
    oldest: VecDeque<UnderWayKey>,
    places_max: usize,
}

impl Profile {
    /// Returns an empty profile of what `plan` looks for.
    pub fn new(plan: Plan) -> Self {
        let parts = plan.phases.len() * plan.groups.len();
        let of_phase = vec![Part::default(); plan.groups.len()];
        let unit = plan
            .groups
            .first()
            .map_or(4096, |group| group.block.as_u64());
        Self {
            parts: vec![of_phase; plan.phases.len()],
            cache: Locality::new(unit_of(unit), CACHE_PLACES_MAX),
            drawing: Drawing {
                cells: vec![[0; 2]; COLUMNS * ROWS],
            },
            runs: Runs::default(),
            groups: Vec::new(),
            under_way: FxHashMap::default(),
            oldest: VecDeque::new(),
            places_max: (STREAM_PLACES_MAX / parts.max(1) / 2).clamp(1 << 12, 1 << 17),
            plan,
        }
    }

    /// Returns the device.
    pub fn device(&self) -> DeviceId {
        self.plan.device
    }

    /// Returns what was looked for, and frees what was found.
    pub fn into_plan(self) -> Plan {
        self.plan
    }

    /// Takes an event into account, and returns the stream of a read, write or flush that begins;
    /// those of other devices are left out.
    pub fn add(&mut self, event: &Event, names: &Names) -> Option<StreamId> {
        match event {
            Event::Begin(io) if io.device == self.plan.device => return self.begin(io, names),
            Event::End {
                at,
                action,
                began,
                device,
                process,
            } if *device == self.plan.device => {
                self.done(*at, *began, (began.as_u64(), *process, *action));
            }
            _ => {}
        }
        None
    }

    fn begin(&mut self, io: &TracedIo, names: &Names) -> Option<StreamId> {
        let mut phases = self.plan.phases.iter();
        let phase = phases.position(|phase| phase.contains(io.at))?;
        let group = self.group(io.process, names);
        let kind = match io.action {
            Action::Flush => {
                self.parts[phase][group].flushes += 1;
                let kind = FLUSHES;
                return Some(StreamId { phase, group, kind });
            }
            Action::Discard => {
                self.parts[phase][group].discards += 1;
                return None;
            }
            Action::Read => 0,
            Action::Write => 2,
        };
        let continued = self.runs.continues(io, (phase, group));
        if let Some(first) = continued.first {
            self.count_first(first, kind);
        }
        let kind = kind + usize::from(continued.is_sequential);
        let id = StreamId { phase, group, kind };
        let unit = unit_of(self.plan.groups[group].block.as_u64());
        let places_max = self.places_max;
        let part = &mut self.parts[phase][group];
        part.flushes += u64::from(io.marks.flushes_first);
        let in_phase = self.plan.phases[phase].time_in(io.at);
        part.flow.begin(io.at, in_phase, io.process);
        let stream =
            part.streams[kind].get_or_insert_with(|| Box::new(Stream::new(unit, places_max)));
        stream.begin(io, in_phase);
        if !KINDS[kind].is_sequential {
            stream.locality.touch(io.offset_bytes, io.length_bytes);
        }
        self.cache.touch(io.offset_bytes, io.length_bytes);
        self.draw(io);
        self.remember(id, (io.at.as_u64(), io.process, io.action));
        Some(id)
    }

    /// Counts the first I/O of a run as sequential, now that another one goes on with it.
    fn count_first(&mut self, first: First, random: usize) {
        let (phase, group) = first.part;
        let unit = unit_of(self.plan.groups[group].block.as_u64());
        let streams = &mut self.parts[phase][group].streams;
        if let Some(stream) = &mut streams[random] {
            stream.take_back(first.length_bytes, first.marks);
        }
        let sequential =
            streams[random + 1].get_or_insert_with(|| Box::new(Stream::new(unit, self.places_max)));
        sequential.count(first.offset_bytes, first.length_bytes, first.marks);
    }

    /// Remembers the stream of an I/O under way.
    fn remember(&mut self, stream: StreamId, key: UnderWayKey) {
        if let Some(known) = self.under_way.get_mut(&key) {
            known.count += 1;
            return;
        }
        while self.under_way.len() >= UNDER_WAY_MAX {
            let Some(oldest) = self.oldest.pop_front() else {
                break;
            };
            self.under_way.remove(&oldest);
        }
        // Those that are done are looked for now and then: a look for each I/O takes longer.
        if self.oldest.len() > 2 * self.under_way.len() + 1024 {
            let under_way = &self.under_way;
            self.oldest.retain(|key| under_way.contains_key(key));
        }
        self.under_way.insert(key, UnderWay { stream, count: 1 });
        self.oldest.push_back(key);
    }

    fn done(&mut self, at: Nanos, began: Nanos, key: UnderWayKey) {
        let Some(known) = self.under_way.get_mut(&key) else {
            return;
        };
        known.count -= 1;
        let UnderWay { stream, count } = *known;
        let StreamId { phase, group, kind } = stream;
        if count == 0 {
            self.under_way.remove(&key);
        }
        let part = &mut self.parts[phase][group];
        part.flow.end(at, began, key.1);
        if let Some(stream) = &mut part.streams[kind] {
            stream.flow.end(at, began, key.1);
        }
    }

    /// Returns the number of a process's group.
    fn group(&mut self, process: ProcessId, names: &Names) -> usize {
        let number = index(u64::from(process.0));
        if let Some(Some(group)) = self.groups.get(number) {
            return usize::from(*group);
        }
        let groups = &self.plan.groups;
        let name = family(names, process);
        let own = groups
            .iter()
            .position(|group| group.name.as_deref() == Some(name));
        let group = own.unwrap_or(groups.len() - 1);
        if self.groups.len() <= number {
            self.groups.resize(number + 1, None);
        }
        self.groups[number] = u8::try_from(group).ok();
        group
    }

    fn draw(&mut self, io: &TracedIo) {
        let column = scaled(io.at.as_u64(), self.plan.end.as_u64(), COLUMNS);
        let places = &self.plan.places;
        let offset = io.offset_bytes.saturating_sub(places.start);
        let row = scaled(offset, places.end.saturating_sub(places.start), ROWS);
        let cell = &mut self.drawing.cells[column * ROWS + row];
        let count = &mut cell[usize::from(io.action == Action::Write)];
        *count = count.saturating_add(1);
    }

    /// Returns the sequential runs of more than one I/O: their bytes, and how many there are.
    pub fn run_lengths(&self) -> Vec<(u64, u64)> {
        self.runs.clone().lengths()
    }

    /// Returns the distance in bytes that most I/Os keep which are not sequential, and how many do.
    pub fn stride(&self) -> Option<(i64, u64)> {
        self.runs.stride()
    }
}

/// Returns the unit in which places are distinguished for I/Os of mostly `block` bytes.
fn unit_of(block: u64) -> u64 {
    let power = block.max(1).ilog2();
    1 << power.clamp(12, 20)
}

fn scaled(value: u64, end: u64, steps: usize) -> usize {
    // Nearly all products fit into 64 bits, whose division is one instruction.
    let step = match value.checked_mul(steps as u64) {
        Some(product) => product / end.max(1),
        None => {
            let step = u128::from(value) * steps as u128 / u128::from(end.max(1));
            u64::try_from(step).unwrap_or(u64::MAX)
        }
    };
    index(step).min(steps - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Marks;
    use crate::survey::Survey;

    fn begins(number: u64) -> Event {
        Event::Begin(TracedIo {
            at: Nanos::new(number * 1000),
            action: Action::Write,
            marks: Marks::default(),
            offset_bytes: number * 4096,
            length_bytes: 4096,
            device: DeviceId(0),
            process: ProcessId(0),
        })
    }

    /// The failure: a million I/Os without their ends took 220 MB more than with them.
    #[test]
    fn ios_that_never_end_are_forgotten() {
        const IOS: u64 = 200_000;
        let names = Names::default();
        let mut survey = Survey::default();
        for number in 0..IOS {
            survey.add(&begins(number), &names);
        }
        let mut profile = Profile::new(survey.plan(DeviceId(0)).unwrap());
        for number in 0..IOS {
            profile.add(&begins(number), &names);
        }
        assert_eq!(profile.under_way.len(), UNDER_WAY_MAX);
        assert!(profile.oldest.len() <= 2 * UNDER_WAY_MAX + 1024);
        let depths = profile.parts[0][0].flow.depths.histogram();
        assert!(depths.bins().len() < 5000, "{}", depths.bins().len());
        // The youngest are still found.
        let last = Nanos::new((IOS - 1) * 1000);
        profile.add(
            &Event::End {
                at: Nanos::new(IOS * 1000),
                action: Action::Write,
                began: last,
                device: DeviceId(0),
                process: ProcessId(0),
            },
            &names,
        );
        let flow = &profile.parts[0][0].flow;
        assert_eq!(flow.latency.count(), 1);
        assert!(!flow.has_ends(), "one of many says nothing of the others");
        assert_eq!(profile.under_way.len(), UNDER_WAY_MAX - 1);
    }

    /// The failure: the first of four sequential writes was a random one.
    #[test]
    fn the_first_of_a_run_is_sequential_if_two_follow() {
        let names = Names::default();
        for (ios, random, sequential) in [(1, 1, 0), (2, 1, 1), (3, 0, 3), (4, 0, 4)] {
            let mut survey = Survey::default();
            for number in 0..ios {
                survey.add(&begins(number), &names);
            }
            let mut profile = Profile::new(survey.plan(DeviceId(0)).unwrap());
            for number in 0..ios {
                profile.add(&begins(number), &names);
            }
            let part = &profile.parts[0][0];
            let of = |is_sequential: bool| {
                let mut kinds = part.kinds();
                let found = kinds.find(|(kind, _)| kind.is_sequential == is_sequential);
                found.map_or((0, 0), |(_, stream)| (stream.ios, stream.bytes))
            };
            assert_eq!(of(false), (random, random * 4096));
            assert_eq!(of(true), (sequential, sequential * 4096));
            let sizes: u64 = part
                .kinds()
                .flat_map(|(_, stream)| stream.sizes.values())
                .sum();
            assert_eq!(sizes, ios);
        }
    }
}
