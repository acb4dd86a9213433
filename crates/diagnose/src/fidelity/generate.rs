//! The I/Os that a workload would do, as a list to replay.

use stripewise_sim::generate::{Drawn, draw_job};
use stripewise_study::cell::Cell;
use stripewise_study::workload::Load;
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};
use stripewise_units::Nanos;

/// The most lists of a job whose I/Os are evenly apart.
const EVEN_MAX: usize = 64;

/// Returns the first `ios` I/Os of the measured load of `cell`, drawn with `seed` and shared out
/// among its jobs, whose files lie one behind the other.
pub fn generate_ios(cell: &Cell, seed: u64, ios: usize) -> Replay {
    let jobs = of_load(cell, seed, ios).map(|job| job.flat_map(Drawn::with_flush).collect());
    Replay {
        jobs: jobs.collect(),
        ..Replay::default()
    }
}

/// Returns the first `ios` reads and writes of the measured load by job.
fn of_load(
    cell: &Cell,
    seed: u64,
    ios: usize,
) -> impl Iterator<Item = impl Iterator<Item = Drawn>> {
    let load = &cell.workload.load;
    let jobs = load.jobs.max(1);
    let each = ios.div_ceil(index(u64::from(jobs)));
    (0..jobs).map(move |job| {
        let base = load.size_bytes.as_u64().saturating_mul(u64::from(job));
        draw_job(load, (seed, job), base, each)
    })
}

/// Returns the I/Os of the load of `cell` and of its neighbours that begin before `end` at their rates,
/// at most `most` of each; `None` if one of them goes as fast as it is served. Their files lie one
/// behind the other.
///
/// A list stands for an I/O under way.
pub fn generate_at_rates(cell: &Cell, seed: u64, most: usize, end: Nanos) -> Option<Replay> {
    let workload = &cell.workload;
    let loads = std::iter::once(&workload.load).chain(neighbours(cell));
    let mut place = Place {
        seed,
        ..Place::default()
    };
    let mut lists = Vec::new();
    for load in loads {
        lists.extend(at_rate(load, &mut place, most, end)?);
    }
    Some(Replay {
        jobs: lists,
        is_absolute: true,
        ..Replay::default()
    })
}

/// Returns the first `ios` I/Os of the load of `cell`, as fast as they are served, and beside them
/// those of its neighbours at their rates that begin before `end`, at most `most` of each; `None` if
/// a neighbour has no rate.
///
/// A list stands for an I/O under way.
pub fn generate_with_neighbours(
    cell: &Cell,
    seed: u64,
    ios: usize,
    (most, end): (usize, Nanos),
) -> Option<Replay> {
    let load = &cell.workload.load;
    let jobs = load.jobs.max(1);
    let mut lists = Vec::new();
    for job in of_load(cell, seed, ios) {
        // A flush comes behind its write, in the same list.
        let dealt = deal_round_robin(job, index(u64::from(load.depth))).into_iter();
        lists.extend(dealt.map(|list| list.into_iter().flat_map(Drawn::with_flush).collect()));
    }
    let mut place = Place {
        seed,
        job: jobs,
        base: load.size_bytes.as_u64().saturating_mul(u64::from(jobs)),
    };
    for neighbour in neighbours(cell) {
        lists.extend(at_rate(neighbour, &mut place, most, end)?);
    }
    Some(Replay {
        jobs: lists,
        is_absolute: true,
        ..Replay::default()
    })
}

/// Returns the same I/Os without flushes, and with writes that are durable only later.
///
/// For I/Os at their times: a program waits for its flushes before it goes on, but what begins at
/// its time waits for nothing.
pub fn without_fua(ios: impl Iterator<Item = ReplayedIo>) -> impl Iterator<Item = ReplayedIo> {
    ios.filter(|io| !io.flushes()).map(plain)
}

/// Returns an I/O that is durable only later.
fn plain(io: ReplayedIo) -> ReplayedIo {
    let action = match io.action {
        ReplayedAction::DurableWrite => ReplayedAction::Write,
        action => action,
    };
    ReplayedIo { action, ..io }
}

/// Deals out to `count` lists in turn.
pub fn deal_round_robin<T>(all: impl Iterator<Item = T>, count: usize) -> Vec<Vec<T>> {
    let count = count.max(1);
    let each = all.size_hint().0.div_ceil(count);
    let mut lists: Vec<Vec<T>> = (0..count).map(|_| Vec::with_capacity(each)).collect();
    for (number, one) in all.enumerate() {
        lists[number % count].push(one);
    }
    lists
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

/// Returns the I/Os of each job of a load that begin before `end` at its rate, at most `most`, in a
/// list for each I/O under way; nothing without a rate. The jobs take turns.
fn at_rate(
    load: &Load,
    place: &mut Place,
    most: usize,
    end: Nanos,
) -> Option<Vec<Vec<ReplayedIo>>> {
    let arrivals = Arrivals::of(load)?;
    let jobs = load.jobs.max(1);
    let depth = match arrivals.count {
        1 => index(u64::from(load.depth)).min(EVEN_MAX),
        _ => index(u64::from(load.depth)),
    };
    let ios = arrivals.before(end).min(most);
    let mut lists = Vec::new();
    for number in 0..jobs {
        // None begins with the others: half of a turn is over.
        let turn = arrivals.every_ns / (u64::from(jobs) * 2);
        let first = turn * (2 * u64::from(number) + 1);
        let times = (0..).map(|io: u64| first.saturating_add(arrivals.at(io)));
        let times = times.take_while(|at| *at < end.as_u64());
        let drawn = draw_job(load, (place.seed, place.job), place.base, ios);
        let timed = times.zip(drawn);
        let timed = timed.map(|(at, drawn)| plain(drawn.io).at(Nanos::new(at)));
        lists.extend(deal_round_robin(timed, depth));
        place.job += 1;
        place.base = place.base.saturating_add(load.size_bytes.as_u64());
    }
    Some(lists)
}

/// When the I/Os of a job at a limited rate begin: so many at once, again and again.
#[derive(Debug, Clone, Copy)]
struct Arrivals {
    count: u64,
    every_ns: u64,
}

impl Arrivals {
    /// Returns those of a load; `None` if it has neither rate nor pause. As with fio's
    /// `rate_process=linear`, I/Os at a rate are evenly apart.
    fn of(load: &Load) -> Option<Self> {
        // The rate limits each direction, and the mix makes the smaller one follow.
        let larger = load
            .read_percent
            .map_or(100, |reads| reads.max(100 - reads));
        let rate = load
            .rate_iops
            .map(|rate| 10_000_000 * u64::from(larger) / u64::from(rate.get()));
        let pause = Some(load.think_time_ns.as_u64()).filter(|pause| *pause > 0);
        let blocks = load
            .think_blocks
            .map_or(1, |blocks| u64::from(blocks.get()));
        Some(Self {
            count: if rate.is_some() { 1 } else { blocks },
            every_ns: rate.or(pause)?.max(1),
        })
    }

    fn at(self, io: u64) -> u64 {
        (io / self.count).saturating_mul(self.every_ns)
    }

    /// Returns how many begin before `end`, or a few more.
    fn before(self, end: Nanos) -> usize {
        let times = end.as_u64() / self.every_ns + 1;
        index(times.saturating_mul(self.count))
    }
}

fn index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use stripewise_study::workload::SyncMode;

    use super::*;

    fn cell(text: &str) -> Cell {
        let head = "[stack.one]\ndevices = { \"nvme-ssd\" = 1 }\n[workload]\n";
        stripewise_fixtures::cell(&format!("{head}{text}"))
    }

    #[test]
    fn loads_keep_their_rates_and_files_of_their_own() {
        let cell = cell(
            "pattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\nrate_iops = 300\nneighbours = [\"log\"]\n\
             [neighbour.log]\npattern = \"write\"\nblock_size = \"8K\"\nsize = \"1M\"\nrate_iops = 100\n",
        );
        let end = Nanos::from_millis(10_000);
        let replay = generate_at_rates(&cell, 1, 10_000, end).unwrap();
        let [first, second] = &replay.jobs[..] else {
            unreachable!("a list for the only I/O under way of each");
        };
        for list in [first, second] {
            assert!(list.is_sorted_by_key(|io| io.at_ns));
            let last = list.last().unwrap().at_ns.unwrap().as_u64();
            assert!(last.abs_diff(10_000_000_000) < 20_000_000);
        }
        let ios = [&first[..], &second[..]].concat();
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
        let replay =
            generate_with_neighbours(&cell, 1, 600, (600, Nanos::from_millis(500))).unwrap();
        assert_eq!(replay.jobs.len(), 2 * 3 + 1);
        let (load, beside) = replay.jobs.split_at(6);
        assert!(load.iter().all(|list| list.len() == 100));
        assert!(load.iter().flatten().all(|io| io.at_ns.is_none()));
        let mut times: Vec<u64> = beside
            .iter()
            .flatten()
            .filter_map(|io| io.at_ns.map(Nanos::as_u64))
            .collect();
        times.sort_unstable();
        assert_eq!(
            times,
            (0..50)
                .map(|n| n * 10_000_000 + 5_000_000)
                .collect::<Vec<_>>()
        );
        let files = |list: &[Vec<ReplayedIo>]| {
            let places = list.iter().flatten().map(|io| io.offset_bytes.as_u64());
            (places.clone().min().unwrap(), places.max().unwrap())
        };
        assert!(files(load).1 < 2 << 20 && files(beside).0 >= 2 << 20);
        // As many of the load's own I/Os as without neighbours.
        let mut own = generate_ios(&cell, 1, 600).jobs.concat();
        let mut dealt = load.concat();
        own.sort_by_key(|io| io.offset_bytes);
        dealt.sort_by_key(|io| io.offset_bytes);
        assert_eq!(own, dealt);
    }

    /// fio limits reads and writes each, so that the larger part has the rate.
    #[test]
    fn a_mix_has_the_rate_of_its_larger_part() {
        let cell = cell(
            "pattern = \"randrw\"\nmix = \"25/75\"\nblock_size = \"4K\"\nsize = \"1M\"\nrate_iops = 300\n",
        );
        let replay = generate_at_rates(&cell, 1, 10_000, Nanos::from_millis(10_000)).unwrap();
        assert!(replay.ios().abs_diff(4000) <= 2, "{}", replay.ios());
    }

    #[test]
    fn bursts_begin_together_and_pause() {
        let cell = cell(
            "pattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\ndepth = 4\nengine = \"libaio\"\n\
             think_time = \"50ms\"\nthink_blocks = 10\n",
        );
        let replay = generate_at_rates(&cell, 1, 1000, Nanos::from_millis(300)).unwrap();
        assert_eq!(replay.jobs.len(), 4);
        let ios = replay.jobs.concat();
        let at = |ms: u64| {
            let then = Some(Nanos::from_millis(ms));
            ios.iter().filter(|io| io.at_ns == then).count()
        };
        let bursts = [25, 75, 125, 175, 225, 275].map(at);
        assert_eq!(bursts, [10; 6]);
        assert_eq!(ios.len(), 60);
    }

    /// As many as `fsync` and `sync` make, in the list of their write and behind it.
    #[test]
    fn writes_are_as_durable_as_the_load_makes_them() {
        let cell = cell(
            "pattern = \"randwrite\"\nblock_size = \"4K\"\nsize = \"1M\"\ndepth = 2\nengine = \"libaio\"\n\
             fsync = 3\nneighbours = [\"log\"]\n\
             [neighbour.log]\npattern = \"write\"\nblock_size = \"8K\"\nsize = \"1M\"\nrate_iops = 100\n\
             sync = \"dsync\"\n",
        );
        let replay = generate_with_neighbours(&cell, 1, 60, (60, Nanos::from_millis(100))).unwrap();
        let [first, second, log] = &replay.jobs[..] else {
            unreachable!("two of the load, one of the neighbour");
        };
        let flushes = |list: &[ReplayedIo]| list.iter().filter(|io| io.flushes()).count();
        assert_eq!((flushes(first), flushes(second)), (10, 10));
        for list in [first, second] {
            assert_eq!(list.len(), 40);
            assert!(
                !list[0].flushes()
                    && list
                        .windows(2)
                        .all(|two| !two[0].flushes() || !two[1].flushes())
            );
        }
        assert_eq!(log.len(), 10);
        // At its times, it waits for nothing.
        assert!(log.iter().all(|io| io.action == ReplayedAction::Write));
        let neighbour = Load {
            sync: SyncMode::Dsync,
            ..cell.workload.load
        };
        let durable = draw_job(&neighbour, (1, 0), 0, 5).flat_map(Drawn::with_flush);
        let durable: Vec<ReplayedIo> = durable.collect();
        let writes = durable.iter().filter(|io| io.writes_durably());
        assert_eq!((writes.count(), flushes(&durable)), (5, 1));
    }

    #[test]
    fn a_load_without_a_rate_has_no_times() {
        let cell = cell("pattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n");
        assert_eq!(
            generate_at_rates(&cell, 1, 10, Nanos::from_millis(10)),
            None
        );
        assert_eq!(generate_ios(&cell, 1, 10).ios(), 10);
    }
}
