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
///
/// As with fio's `rate_process=linear`, the I/Os of a job are evenly apart.
pub fn drawn_at_rates(cell: &Cell, seed: u64, ios: usize) -> Option<Replay> {
    let workload = &cell.workload;
    let neighbours = workload.neighbours.iter().map(|neighbour| &neighbour.load);
    let (mut all, mut job, mut base) = (Vec::new(), 0, 0_u64);
    for load in std::iter::once(&workload.load).chain(neighbours) {
        let gap = gap(load)?;
        let jobs = load.jobs.max(1);
        for number in 0..jobs {
            // The jobs of a load take turns.
            let first = gap.as_u64() / u64::from(jobs) * u64::from(number);
            let times = (0..).map(|io: u64| first.saturating_add(gap.as_u64().saturating_mul(io)));
            let drawn = of_job(load, (seed, job), base, ios).into_iter();
            all.extend(times.zip(drawn).map(|(at, io)| ReplayedIo {
                at_ns: Some(Nanos::new(at)),
                ..io
            }));
            job += 1;
            base = base.saturating_add(load.size_bytes.as_u64());
        }
    }
    all.sort_by_key(|io| io.at_ns);
    all.truncate(ios);
    Some(Replay {
        jobs: vec![all],
        ..Replay::default()
    })
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
    fn a_load_without_a_rate_has_no_times() {
        let cell = cell("pattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n");
        assert_eq!(drawn_at_rates(&cell, 1, 10), None);
        assert_eq!(drawn(&cell, 1, 10).ios(), 10);
    }
}
