//! The I/Os that a workload would do, as a list to replay.

use stripewise_study::cell::Cell;
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::workload::Load;
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};

use crate::io::Operation;
use crate::narrow::index;
use crate::random::{Component, Stream};
use crate::units::{Instant, Sectors};
use crate::workload::Generator;

/// How many I/Os of neighbours can be under way before one that is due waits.
pub const BESIDE_LISTS: usize = 64;

/// Returns the first `ios` I/Os of the measured load of `cell`, drawn with `seed` and shared out
/// among its jobs, whose files lie one behind the other.
pub fn drawn(cell: &Cell, seed: u64, ios: usize) -> Replay {
    let load = &cell.workload.load;
    let jobs = load.jobs.max(1);
    let each = ios.div_ceil(index(u64::from(jobs)));
    let list = |job: u32| {
        let base = load.size_bytes.as_u64().saturating_mul(u64::from(job));
        of_job(load, (seed, job), base, each)
    };
    Replay {
        jobs: (0..jobs).map(list).collect(),
        ..Replay::default()
    }
}

/// Returns the first `ios` I/Os of the load of `cell` and of its neighbours at their rates, as one
/// job; nothing if one of them goes as fast as it is served. Their files lie one behind the other.
pub fn drawn_at_rates(cell: &Cell, seed: u64, ios: usize) -> Option<Replay> {
    let workload = &cell.workload;
    let loads = std::iter::once(&workload.load).chain(neighbours(cell));
    let mut place = Place {
        seed,
        ..Place::default()
    };
    let mut all = Vec::new();
    for load in loads {
        all.extend(at_rate(load, &mut place, ios)?);
    }
    all.sort_by_key(|io| io.at_ns);
    all.truncate(ios);
    Some(Replay {
        jobs: vec![all],
        ..Replay::default()
    })
}

/// Returns the first `ios` I/Os of the load of `cell`, as fast as they are served, and beside them
/// those of its neighbours at their rates that begin before `end`; nothing if a neighbour has no rate.
///
/// A list stands for an I/O under way: as many as the load has, and some for the neighbours.
pub fn drawn_beside(cell: &Cell, seed: u64, ios: usize, end: Nanos) -> Option<Replay> {
    let load = &cell.workload.load;
    let mut lists = Vec::new();
    for job in drawn(cell, seed, ios).jobs {
        lists.extend(dealt(&job, index(u64::from(load.depth))));
    }
    let jobs = load.jobs.max(1);
    let mut place = Place {
        seed,
        job: jobs,
        base: load.size_bytes.as_u64().saturating_mul(u64::from(jobs)),
    };
    let mut beside = Vec::new();
    for neighbour in neighbours(cell) {
        let gap = gap(neighbour)?.as_u64();
        let ios = index(end.as_u64() / gap.max(1)).min(ios);
        beside.extend(at_rate(neighbour, &mut place, ios + 1)?);
    }
    beside.retain(|io| io.at_ns < Some(end));
    beside.sort_by_key(|io| io.at_ns);
    lists.extend(dealt(&beside, BESIDE_LISTS));
    Some(Replay {
        jobs: lists,
        ..Replay::default()
    })
}

/// Deals I/Os out to `count` lists in turn.
pub fn dealt(ios: &[ReplayedIo], count: usize) -> Vec<Vec<ReplayedIo>> {
    let count = count.max(1);
    let list = |first: usize| ios.iter().skip(first).step_by(count).copied().collect();
    (0..count).map(list).collect()
}

fn neighbours(cell: &Cell) -> impl Iterator<Item = &Load> {
    let neighbours = cell.workload.neighbours.iter();
    neighbours.map(|neighbour| &neighbour.load)
}

/// What the next job draws with, and where its file begins.
#[derive(Debug, Default)]
struct Place {
    seed: u64,
    job: u32,
    base: u64,
}

/// Returns the first `ios` I/Os of each job of a load at its rate; nothing without a rate. The jobs
/// take turns.
///
/// As with fio's `rate_process=linear`, the I/Os of a job are evenly apart.
fn at_rate(load: &Load, place: &mut Place, ios: usize) -> Option<Vec<ReplayedIo>> {
    let gap = gap(load)?.as_u64();
    let jobs = load.jobs.max(1);
    let mut all = Vec::new();
    for number in 0..jobs {
        let first = gap / u64::from(jobs) * u64::from(number);
        let times = (0..).map(|io: u64| first.saturating_add(gap.saturating_mul(io)));
        let drawn = of_job(load, (place.seed, place.job), place.base, ios).into_iter();
        all.extend(times.zip(drawn).map(|(at, io)| io.at(Nanos::new(at))));
        place.job += 1;
        place.base = place.base.saturating_add(load.size_bytes.as_u64());
    }
    Some(all)
}

/// Returns the time between two I/Os of a job at a limited rate.
fn gap(load: &Load) -> Option<Nanos> {
    let rate = load
        .rate_iops
        .map(|rate| 1_000_000_000 / u64::from(rate.get()));
    let pause = Some(load.think_time_ns.as_u64()).filter(|pause| *pause > 0);
    rate.or(pause).map(|gap| Nanos::new(gap.max(1)))
}

fn of_job(load: &Load, (seed, job): (u64, u32), base: u64, ios: usize) -> Vec<ReplayedIo> {
    let stream = Stream::child(seed, Component::Job(job));
    let mut generator = Generator::new(load, Sectors::from_bytes(Bytes::new(base)), stream);
    let drawn = std::iter::from_fn(|| generator.draw(Instant::START));
    let drawn = drawn.take(ios).map(|request| {
        let action = match request.operation {
            Operation::Write => ReplayedAction::Write,
            _ => ReplayedAction::Read,
        };
        ReplayedIo::new(action, request.start.bytes(), request.length.bytes())
    });
    drawn.collect()
}

#[cfg(test)]
mod tests {
    use stripewise_study::format::parse;

    use super::*;

    fn cell(text: &str) -> Cell {
        let head = "[stack.one]\ndevices = { \"nvme-ssd\" = 1 }\n[workload]\n";
        parse("a study", &format!("{head}{text}")).unwrap().cells[0].clone()
    }

    #[test]
    fn loads_keep_their_rates_and_files_of_their_own() {
        let cell = cell(
            "pattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\nrate_iops = 300\nneighbours = [\"log\"]\n\
             [neighbour.log]\npattern = \"write\"\nblock_size = \"8K\"\nsize = \"1M\"\nrate_iops = 100\n",
        );
        let replay = drawn_at_rates(&cell, 1, 4000).unwrap();
        let [ios] = &replay.jobs[..] else {
            unreachable!("one job");
        };
        assert!(ios.is_sorted_by_key(|io| io.at_ns));
        assert!(
            ios.last()
                .unwrap()
                .at_ns
                .unwrap()
                .as_u64()
                .abs_diff(10_000_000_000)
                < 20_000_000
        );
        let (reads, writes): (Vec<&ReplayedIo>, Vec<&ReplayedIo>) =
            ios.iter().partition(|io| io.action == ReplayedAction::Read);
        assert_eq!((reads.len(), writes.len()), (3000, 1000));
        assert!(reads.iter().all(|io| io.offset_bytes.as_u64() < 1 << 20));
        assert!(
            writes
                .iter()
                .all(|io| (1 << 20..2 << 20).contains(&io.offset_bytes.as_u64()))
        );
    }

    #[test]
    fn neighbours_come_until_the_end_beside_a_load_without_times() {
        let cell = cell(
            "pattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\njobs = 2\ndepth = 3\n\
             engine = \"libaio\"\nneighbours = [\"log\"]\n\
             [neighbour.log]\npattern = \"write\"\nblock_size = \"8K\"\nsize = \"1M\"\nrate_iops = 100\n",
        );
        let replay = drawn_beside(&cell, 1, 600, Nanos::from_millis(500)).unwrap();
        assert_eq!(replay.jobs.len(), 2 * 3 + BESIDE_LISTS);
        let (load, beside) = replay.jobs.split_at(6);
        assert!(load.iter().all(|list| list.len() == 100));
        assert!(load.iter().flatten().all(|io| io.at_ns.is_none()));
        let mut times: Vec<u64> = beside
            .iter()
            .flatten()
            .filter_map(|io| io.at_ns.map(Nanos::as_u64))
            .collect();
        times.sort_unstable();
        assert_eq!(times, (0..50).map(|n| n * 10_000_000).collect::<Vec<_>>());
        let files = |list: &[Vec<ReplayedIo>]| {
            let places = list.iter().flatten().map(|io| io.offset_bytes.as_u64());
            (places.clone().min().unwrap(), places.max().unwrap())
        };
        assert!(files(load).1 < 2 << 20 && files(beside).0 >= 2 << 20);
        // As many of the load's own I/Os as without neighbours.
        let mut own = drawn(&cell, 1, 600).jobs.concat();
        let mut dealt = load.concat();
        own.sort_by_key(|io| io.offset_bytes);
        dealt.sort_by_key(|io| io.offset_bytes);
        assert_eq!(own, dealt);
    }

    #[test]
    fn a_load_without_a_rate_has_no_times() {
        let cell = cell("pattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n");
        assert_eq!(drawn_at_rates(&cell, 1, 10), None);
        assert_eq!(drawn(&cell, 1, 10).ios(), 10);
    }
}
