//! How much is simulated: an answer has to come while a slider moves.
//!
//! What a simulation costs is estimated from the question, not taken from the clock, so that the
//! same question has the same answer, bit for bit. If it is too much, fewer I/Os are simulated after
//! the warm-up, but each place of the queues sees one; then there are fewer simulations. Below six
//! an estimate has no interval, and says on how many it rests. What would take long even once is
//! refused.

use stripewise_diagnose::prediction::{LIMITS, SIMULATIONS};
use stripewise_sim::engine::Limits;
use stripewise_study::cell::Cell;
use stripewise_study::stack::Level;
use stripewise_study::units::Bytes;

use crate::error::{ApiError, Result};

/// The most I/Os of a simulation, whatever they cost; `predict` takes four times as many.
const IOS_MAX: u64 = 1024;
/// The fewest, so that the end of a simulation can be judged.
const IOS_MIN: u64 = 32;
/// What one simulation may cost.
const ONCE_NS_MAX: u64 = 60_000_000;
/// The most steps of one, in case that the estimate is wrong.
const STEPS_MAX: u64 = 1_000_000;

/// What a request costs on one core, as the benchmark `ask` found: more where it has many to be
/// ordered among, and most where a disk looks for the nearest.
#[derive(Debug, Clone, Copy)]
struct RequestCost {
    alone_ns: u64,
    /// More for each I/O under way, or for each request that those become; the larger counts.
    beside_io_ns: u64,
    beside_request_ns: u64,
}
const FLASH: RequestCost = RequestCost {
    alone_ns: 500,
    beside_io_ns: 10,
    beside_request_ns: 3,
};
const ROTATIONAL: RequestCost = RequestCost {
    alone_ns: 1500,
    beside_io_ns: 30,
    beside_request_ns: 5,
};

/// How often a cell is simulated, and when a simulation ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) simulations: u64,
    pub(crate) limits: Limits,
    /// What all of it costs, more or less.
    pub(crate) cost_ns: u64,
}

impl Effort {
    /// Returns what can be done about `cell` for about `budget_ns`.
    ///
    /// # Errors
    /// If a single simulation takes long.
    pub(crate) fn new(cell: &Cell, is_rotational: bool, budget_ns: u64) -> Result<Self> {
        let load = &cell.workload.load;
        let in_flight = u64::from(load.jobs) * u64::from(load.depth);
        let cost = if is_rotational { ROTATIONAL } else { FLASH };
        let io = Pieces::of(cell);
        let beside_ns = cost.beside_io_ns.max(cost.beside_request_ns * io.queued);
        let io_ns = io.handled * (cost.alone_ns + beside_ns * in_flight);
        // As the engine warms up: every place of the queues twice.
        let warm_up = 2 * in_flight + 8;
        let affordable = (budget_ns / SIMULATIONS / io_ns).saturating_sub(warm_up);
        let ios = affordable.clamp(IOS_MIN.max(in_flight), IOS_MAX.max(in_flight));
        let once_ns = (warm_up + ios) * io_ns;
        if once_ns > ONCE_NS_MAX {
            return Err(ApiError::unanswerable(format!(
                "{in_flight} I/Os under way at once, each of up to {} pieces, take too long to simulate here",
                io.handled
            ))
            .hint("take smaller I/Os, fewer of them or a larger chunk; `stripewise predict` takes its time"));
        }
        let simulations = (budget_ns / once_ns).clamp(1, SIMULATIONS);
        Ok(Self {
            simulations,
            limits: Limits {
                ios_max: ios,
                bios_min: LIMITS.bios_min / 2,
                steps_max: STEPS_MAX,
                ..LIMITS
            },
            cost_ns: simulations * once_ns,
        })
    }
}

/// What an I/O becomes, more or less.
#[derive(Debug, Clone, Copy)]
struct Pieces {
    /// How many the layers handle.
    handled: u64,
    /// How many wait among others: small pieces of one I/O become one request again.
    queued: u64,
}

/// The most requests of one I/O that wait, however small its pieces.
const QUEUED_MAX: u64 = 64;

impl Pieces {
    /// Returns a piece for each chunk, or for what a kernel sends at once, with its copies or parity.
    fn of(cell: &Cell) -> Self {
        const REQUEST_BYTES: u64 = 512 << 10;
        const PAGE_BYTES: u64 = 4096;
        let load = &cell.workload.load;
        let block = load.block_size.largest().as_u64();
        let array = cell.stack.array.as_ref();
        let chunk = array.and_then(|array| array.chunk_bytes);
        let chunk = chunk.map_or(REQUEST_BYTES, Bytes::as_u64);
        let pieces = block.div_ceil(chunk.clamp(1, REQUEST_BYTES));
        let level = array.map(|array| array.level);
        let handled = match level.filter(|_| load.pattern.writes()) {
            // The parity thread handles a page of a chunk at a time.
            Some(Level::Raid4 | Level::Raid5 | Level::Raid6) => {
                pieces.max(4 * block.div_ceil(PAGE_BYTES))
            }
            Some(Level::Raid1) => pieces * cell.stack.device_count(),
            Some(Level::Raid10) => pieces * 2,
            _ => pieces,
        };
        Self {
            handled,
            queued: pieces.min(QUEUED_MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_study::format::parse;

    /// Returns the effort for a RAID 10 of four with chunks of 64K.
    fn effort(block_size: &str, jobs: u32, depth: u32, budget_ns: u64) -> Result<Effort> {
        let text = format!(
            "[stack.a]\ndevices = {{ ssd = 4 }}\narray = {{ level = \"raid10\", chunk = \"64K\" }}\n\
             [workload]\npattern = \"randread\"\nblock_size = \"{block_size}\"\nsize = \"1G\"\n\
             jobs = {jobs}\ndepth = {depth}\nengine = \"libaio\"\n"
        );
        let study = parse("study", &text).unwrap();
        Effort::new(&study.cells[0], false, budget_ns)
    }

    #[test]
    fn simulations_go_before_the_places_of_the_queues_do() {
        let few = effort("4K", 1, 8, 20_000_000).unwrap();
        assert_eq!((few.simulations, few.limits.ios_max), (6, IOS_MAX));
        let more = effort("1M", 1, 8, 20_000_000).unwrap();
        assert_eq!(more.simulations, 6);
        assert!(more.limits.ios_max < IOS_MAX);
        let crowd = effort("64K", 16, 64, 20_000_000).unwrap();
        assert_eq!(crowd.simulations, 1);
        assert_eq!(crowd.limits.ios_max, 1024, "each place sees one");
    }

    #[test]
    fn more_work_never_gets_more_simulations() {
        let sizes = ["4K", "64K", "256K", "1M", "4M"];
        let mut before = SIMULATIONS;
        for size in sizes {
            let simulations = effort(size, 4, 8, 20_000_000).unwrap().simulations;
            assert!((1..=before).contains(&simulations), "{size}: {simulations}");
            before = simulations;
        }
        assert!(before < SIMULATIONS);
    }

    #[test]
    fn what_takes_seconds_is_refused() {
        assert!(effort("4M", 32, 32, 20_000_000).is_err());
        assert!(effort("4M", 1, 1, 20_000_000).is_ok());
    }
}
