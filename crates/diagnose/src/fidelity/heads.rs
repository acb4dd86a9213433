//! Which I/Os of a trace and of its workload are simulated, and when they begin.

use std::sync::Arc;

use stripewise_study::cell::Cell;
use stripewise_study::world::{Replay, ReplayedIo};
use stripewise_trace::event::{Action, Event};
use stripewise_trace::event_log::PackedIos;
use stripewise_trace::fit::Fitted;
use stripewise_trace::phases::Phase;
use stripewise_trace::profile::StreamId;
use stripewise_trace::replay::{MOVED_BYTES, replayed_as};
use stripewise_trace::survey::Plan;
use stripewise_units::{Bytes, Nanos};

use super::generate::{
    deal_round_robin, generate_at_rates, generate_ios, generate_with_neighbours, without_fua,
};

/// How many I/Os of each phase are replayed in the model.
const REPLAYED_MAX: usize = 100_000;
/// How many bytes these have at most: a large I/O on small chunks is many I/Os.
const REPLAYED_BYTES_MAX: u64 = 64 << 30;
/// The most I/Os of a load that are drawn for that.
const DRAWN_MAX: usize = 2 * REPLAYED_MAX;
/// How many of the I/Os beside a load can be under way before one that is due waits.
const BESIDE_LISTS: usize = 64;

/// The first I/Os of each phase of a trace.
#[derive(Debug)]
pub struct Heads(Vec<Head>);

/// The first I/Os of a phase, and their streams.
#[derive(Debug, Clone, Default)]
struct Head {
    ios: PackedIos,
    /// The group and the kind of each.
    streams: Vec<(u8, u8)>,
    /// Their bytes.
    bytes: u64,
}

impl Heads {
    /// Returns none yet of the phases of a plan.
    pub fn new(plan: &Plan) -> Self {
        Self(vec![Head::default(); plan.phases.len()])
    }

    /// Adds an event of the trace, if it begins an I/O of a stream, as long as there is room.
    pub fn add(&mut self, event: &Event, stream: Option<StreamId>) {
        if let (Event::Begin(io), Some(stream)) = (event, stream)
            && (io.length_bytes > 0 || io.action == Action::Flush)
        {
            let head = &mut self.0[stream.phase];
            if head.ios.count() < REPLAYED_MAX && head.bytes < REPLAYED_BYTES_MAX {
                head.ios.push(io);
                head.streams.push((small(stream.group), small(stream.kind)));
                head.bytes = head.bytes.saturating_add(io.length_bytes);
            }
        }
    }

    /// Returns what is simulated of a phase and of its workload, and the end of it: at their times if
    /// all loads have a rate, and otherwise the load flat out and its neighbours at their times.
    pub(super) fn with_workload(
        &self,
        phase: usize,
        fitted: &Fitted,
        cell: &Cell,
        seed: u64,
    ) -> Option<(Cell, Nanos, [Arc<Replay>; 2])> {
        let head = &self.0[phase];
        let traced = || head.replayed(phase, &fitted.phase);
        let end = traced().last().and_then(|(io, _)| io.at_ns);
        let end = end.unwrap_or_default();
        let mut cell = cell.clone();
        keep_pace(&mut cell, fitted, traced, end);
        let is_main = |(_, stream): &(ReplayedIo, StreamId)| fitted.streams[0].contains(stream);
        let ios = || traced().map(|(io, _)| io);
        let main = || traced().filter(is_main).map(|(io, _)| io);
        let beside = || traced().filter(|io| !is_main(io)).map(|(io, _)| io);
        let replay = |jobs: Vec<Vec<ReplayedIo>>| Replay {
            jobs,
            is_absolute: true,
            ..Replay::default()
        };
        let load = &cell.workload.load;
        let both = if let Some(workload) = generate_at_rates(&cell, seed, DRAWN_MAX, end) {
            [replay(vec![without_fua(ios()).collect()]), workload]
        } else if cell.workload.neighbours.is_empty() {
            let trace = replay(deal_round_robin(ios().map(flat_out), index(load.jobs)));
            let workload = generate_ios(&cell, seed, with_data(ios()));
            [trace, workload]
        } else if main().next().is_none() {
            return None;
        } else if fitted.duration == Nanos::default() {
            // Without times, nothing says which of the neighbours' I/Os come beside it.
            let trace = replay(deal_round_robin(main().map(flat_out), index(load.jobs)));
            let workload = generate_ios(&cell, seed, with_data(main()));
            [trace, workload]
        } else {
            let ios = with_data(main());
            let workload = generate_with_neighbours(&cell, seed, ios, (DRAWN_MAX, end))?;
            let depth = index(load.jobs) * index(load.depth);
            let mut lists = deal_round_robin(main().map(flat_out), depth);
            lists.extend(deal_round_robin(without_fua(beside()), BESIDE_LISTS));
            [replay(lists), workload]
        };
        Some((cell, end, both.map(Arc::new)))
    }
}

/// Makes the loads with pauses begin as many I/Os until `end` as the trace did: its pauses and its
/// latencies.
fn keep_pace<I: Iterator<Item = (ReplayedIo, StreamId)>>(
    cell: &mut Cell,
    fitted: &Fitted,
    traced: impl Fn() -> I,
    end: Nanos,
) {
    let workload = &mut cell.workload;
    let neighbours = workload.neighbours.iter_mut();
    let neighbours = neighbours.map(|neighbour| &mut neighbour.load);
    let loads = std::iter::once(&mut workload.load).chain(neighbours);
    for (load, own) in loads.zip(&fitted.streams) {
        if load.think_time_ns == Nanos::default() {
            continue;
        }
        let is_own = |(io, stream): &(ReplayedIo, StreamId)| !io.flushes() && own.contains(stream);
        let ios = traced().filter(is_own).count() as u64;
        let blocks = load
            .think_blocks
            .map_or(1, |blocks| u64::from(blocks.get()));
        let at_once = u128::from(blocks) * u128::from(load.jobs);
        let every = u128::from(end.as_u64()) * at_once / u128::from(ios.max(1));
        load.think_time_ns = Nanos::new(u64::try_from(every).unwrap_or(u64::MAX).max(1));
    }
}

impl Head {
    /// Returns the I/Os at their times in the phase, from the lowest place on.
    fn replayed(
        &self,
        phase: usize,
        times: &Phase,
    ) -> impl Iterator<Item = (ReplayedIo, StreamId)> {
        let with_data = self.ios.iter().filter(|io| io.length_bytes > 0);
        let low = with_data.map(|io| io.offset_bytes).min();
        let low = low.unwrap_or(0) / MOVED_BYTES * MOVED_BYTES;
        let moved = move |io: ReplayedIo| {
            let offset = io.offset_bytes.as_u64().saturating_sub(low);
            ReplayedIo {
                offset_bytes: Bytes::new(offset),
                ..io
            }
        };
        self.ios
            .iter()
            .zip(&self.streams)
            .flat_map(move |(io, (group, kind))| {
                let (group, kind) = (usize::from(*group), usize::from(*kind));
                let stream = StreamId { phase, group, kind };
                let at = times.time_in(io.at);
                replayed_as(&io).map(move |io| (moved(io).at(at), stream))
            })
    }
}

/// Returns how many read or write.
fn with_data(ios: impl Iterator<Item = ReplayedIo>) -> usize {
    ios.filter(|io| !io.flushes()).count()
}

/// Returns an I/O without its time.
fn flat_out(io: ReplayedIo) -> ReplayedIo {
    ReplayedIo { at_ns: None, ..io }
}

/// Groups and kinds are few.
fn small(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn index(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
