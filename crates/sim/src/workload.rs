//! The I/Os of jobs: operations, offsets and sizes, as in fio.

use std::ops::Range;
use std::sync::Arc;

use stripewise_study::workload::{BlockSize, Distribution, Load, Pattern};
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};
use stripewise_units::splitmix::SplitMix64;
use stripewise_units::{Bytes, Nanos};

use crate::io::Operation;
use crate::narrow::truncated;
use crate::random::{Component, Stream};
use crate::strata::Strata;
use crate::units::{Instant, Sectors};
use stripewise_study::sample::as_f64;

/// One I/O of a job, on the volume or file system under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Read or write; in a replay also a flush.
    pub operation: Operation,
    /// Where it begins.
    pub start: Sectors,
    /// How long it is.
    pub length: Sectors,
    /// Whether it is a write of a replay that is durable when it completes.
    pub is_durable: bool,
}

/// Draws the I/Os of one job.
#[derive(Debug, Clone)]
pub struct Generator {
    pattern: Pattern,
    read_percent: u64,
    mix: Strata,
    sizes: Vec<(u64, Sectors)>,
    base: Sectors,
    /// The file in units of the smallest block.
    blocks: u64,
    block: Sectors,
    file: Sectors,
    offsets: Offsets,
    positions: [Sectors; 2],
    stream: Stream,
    replayed: Option<Replayed>,
}

/// A list of I/Os to replay instead of drawn ones.
#[derive(Debug, Clone)]
pub struct Replayed {
    replay: Arc<Replay>,
    /// The index of this job's list.
    job: usize,
    /// How many of its I/Os were drawn.
    next: usize,
    /// When the next one is due.
    due: Instant,
    is_timed: bool,
    flushes: bool,
    writes_durably: bool,
}

impl Replayed {
    /// Returns the list of one job, from its beginning.
    pub fn new(replay: Arc<Replay>, job: usize) -> Self {
        let ios = replay.jobs.get(job).into_iter().flatten();
        let mut replayed = Self {
            flushes: ios.clone().any(ReplayedIo::flushes),
            writes_durably: ios.clone().any(ReplayedIo::writes_durably),
            replay,
            job,
            next: 0,
            due: Instant::START,
            is_timed: false,
        };
        replayed.is_timed = replayed.time(0).is_some();
        replayed.due += replayed.time(0).unwrap_or_default();
        replayed
    }

    fn io(&self, index: usize) -> Option<&ReplayedIo> {
        self.replay.jobs.get(self.job)?.get(index)
    }

    fn time(&self, index: usize) -> Option<Nanos> {
        self.io(index)?.at_ns
    }

    /// Returns the next I/O, which begins `now`. The one after it is due when their gap is over.
    fn draw(&mut self, base: Sectors, now: Instant) -> Option<Request> {
        let io = *self.io(self.next)?;
        self.next += 1;
        if let (Some(at), Some(then)) = (io.at_ns, self.time(self.next)) {
            let gap = then.as_u64().saturating_sub(at.as_u64());
            self.due = match self.replay.is_absolute {
                true => Instant::START + then,
                false => self.due.max(now) + Nanos::new(gap),
            };
        }
        Some(Request {
            operation: match io.action {
                ReplayedAction::Read => Operation::Read,
                ReplayedAction::Write | ReplayedAction::DurableWrite => Operation::Write,
                ReplayedAction::Flush => Operation::Flush,
            },
            start: base + Sectors::from_bytes(io.offset_bytes),
            length: Sectors::from_bytes(io.length_bytes),
            is_durable: io.writes_durably(),
        })
    }
}

/// How random blocks are chosen.
#[derive(Debug, Clone)]
enum Offsets {
    /// Every block once in random order, then again in another (fio's random map).
    EachOnce(Permutation),
    /// Blocks drawn one by one: sizes are mixed, so blocks overlap, or the load asks for it.
    Independent,
    /// Few blocks take most of the I/O.
    Skewed(Skew),
}

impl Generator {
    /// Returns a stream for what the job draws beside its I/Os.
    pub fn split(&mut self) -> Stream {
        Stream::child(self.stream.bits(), Component::Job(0))
    }

    /// Returns the generator of a job whose file begins at `base`.
    ///
    /// Random I/O uses a file up to its last whole block, as in fio.
    pub fn new(load: &Load, base: Sectors, mut stream: Stream) -> Self {
        let sizes = sizes(&load.block_size);
        let block = sizes
            .iter()
            .map(|part| part.1)
            .min()
            .unwrap_or(Sectors::new(1));
        let file = Sectors::from_bytes(load.size_bytes);
        let blocks = (file.get() / block.get().max(1)).max(1);
        let offsets = match load.distribution {
            _ if load.visits_each_block_once() => {
                Offsets::EachOnce(Permutation::new(blocks, stream.bits()))
            }
            Distribution::Uniform => Offsets::Independent,
            Distribution::Zipf(theta) => Offsets::Skewed(Skew::zipf(theta, blocks)),
            Distribution::Pareto(power) => Offsets::Skewed(Skew::pareto(power, blocks)),
        };
        Self {
            pattern: load.pattern,
            read_percent: u64::from(load.read_percent.unwrap_or(50)),
            mix: Strata::default(),
            sizes,
            base,
            blocks,
            block,
            file,
            offsets,
            positions: [Sectors::default(); 2],
            stream,
            replayed: None,
        }
    }

    /// Returns the same generator with a list of I/Os to replay.
    #[must_use]
    pub fn with_replay(self, replayed: Option<Replayed>) -> Self {
        Self { replayed, ..self }
    }

    /// Returns the next I/O, which begins `now`; `None` at the end of a list.
    #[inline]
    pub fn draw(&mut self, now: Instant) -> Option<Request> {
        match &mut self.replayed {
            None => Some(self.draw_from_pattern()),
            Some(replayed) => replayed.draw(self.base, now),
        }
    }

    /// Returns when the next I/O may begin at the earliest.
    #[inline]
    pub fn due(&self) -> Instant {
        match &self.replayed {
            None => Instant::START,
            Some(replayed) => replayed.due,
        }
    }

    /// Returns whether its list is not at its end.
    pub fn has_left(&self) -> bool {
        let replayed = self.replayed.as_ref();
        replayed.is_some_and(|replayed| replayed.io(replayed.next).is_some())
    }

    /// Returns whether its I/Os have times.
    pub fn is_timed(&self) -> bool {
        let replayed = self.replayed.as_ref();
        replayed.is_some_and(|replayed| replayed.is_timed)
    }

    /// Returns whether it draws flushes.
    pub fn flushes(&self) -> bool {
        let replayed = self.replayed.as_ref();
        replayed.is_some_and(|replayed| replayed.flushes)
    }

    /// Returns whether it draws writes that are durable when they complete, whatever the load says.
    pub fn writes_durably(&self) -> bool {
        let replayed = self.replayed.as_ref();
        replayed.is_some_and(|replayed| replayed.writes_durably)
    }

    /// Returns the place of the job's file.
    pub fn place(&self) -> Range<Sectors> {
        self.base..self.base + self.file
    }

    /// Returns the most pages that one of its I/Os touches.
    pub fn pages_max(&self) -> u64 {
        let longest = self.sizes.iter().map(|(_, length)| length.get()).max();
        longest.unwrap_or_default().div_ceil(8) + 1
    }

    /// Returns whether its pattern is random.
    pub fn is_random(&self) -> bool {
        self.pattern.is_random()
    }

    /// Returns whether it ever writes.
    pub fn writes(&self) -> bool {
        match &self.replayed {
            None => self.pattern.writes(),
            Some(_) => true,
        }
    }

    #[inline(always)]
    fn draw_from_pattern(&mut self) -> Request {
        let operation = self.operation();
        let length = self.length();
        let offset = match self.pattern.is_random() {
            true => self.random_offset(length),
            false => self.next_offset(operation, length),
        };
        Request {
            operation,
            start: self.base + offset,
            length,
            is_durable: false,
        }
    }

    #[inline]
    fn operation(&mut self) -> Operation {
        let reads = match self.pattern {
            Pattern::Read | Pattern::RandRead => true,
            Pattern::Write | Pattern::RandWrite => false,
            Pattern::Rw | Pattern::RandRw => {
                let bits = self.stream.bits();
                self.mix.draw_below(100, bits) < self.read_percent
            }
        };
        if reads {
            Operation::Read
        } else {
            Operation::Write
        }
    }

    #[inline(always)]
    fn length(&mut self) -> Sectors {
        if let [(_, only)] = self.sizes.as_slice() {
            return *only;
        }
        let mut draw = self.stream.below(100);
        for (share, length) in &self.sizes {
            if draw < *share {
                return *length;
            }
            draw -= share;
        }
        self.block
    }

    #[inline(always)]
    fn random_offset(&mut self, length: Sectors) -> Sectors {
        let block = match &mut self.offsets {
            Offsets::EachOnce(permutation) => permutation.next(&mut self.stream),
            Offsets::Independent => self.stream.below(self.blocks),
            Offsets::Skewed(skew) => skew.draw(&mut self.stream),
        };
        let offset = block * self.block.get();
        let last = self.file.get().saturating_sub(length.get());
        Sectors::new(offset.min(last))
    }

    #[inline(always)]
    fn next_offset(&mut self, operation: Operation, length: Sectors) -> Sectors {
        let position = &mut self.positions[usize::from(operation == Operation::Write)];
        if *position + length > self.file {
            *position = Sectors::default();
        }
        let offset = *position;
        *position += length;
        offset
    }
}

fn sizes(block_size: &BlockSize) -> Vec<(u64, Sectors)> {
    let whole = |size: Bytes| Sectors::from_bytes(size).max(Sectors::new(1));
    match block_size {
        BlockSize::Fixed(size) => vec![(100, whole(*size))],
        BlockSize::Split(parts) => parts
            .iter()
            .map(|part| (u64::from(part.share_percent), whole(part.block_size_bytes)))
            .collect(),
    }
}

/// A pseudorandom order of `0..count` that needs no table: multiply and shift are bijections of the
/// next power of two, and results beyond `count` are mapped again until they fall inside.
#[derive(Debug, Clone)]
struct Permutation {
    count: u64,
    mask: u64,
    shift: u32,
    next: u64,
    keys: [u64; 3],
}

impl Permutation {
    fn new(count: u64, seed: u64) -> Self {
        let bits = count.next_power_of_two().trailing_zeros().max(1);
        let mut permutation = Self {
            count,
            mask: (1 << bits) - 1,
            shift: bits.div_ceil(2),
            next: 0,
            keys: [0; 3],
        };
        permutation.set_keys(seed);
        permutation
    }

    fn set_keys(&mut self, seed: u64) {
        let mut numbers = SplitMix64(seed);
        for key in &mut self.keys {
            *key = numbers.draw() | 1;
        }
    }

    #[inline(always)]
    fn map(&self, index: u64) -> u64 {
        let mut x = index;
        for key in self.keys {
            x = x.wrapping_mul(key).wrapping_add(key >> 7) & self.mask;
            x ^= x >> self.shift;
        }
        x
    }

    #[inline]
    fn next(&mut self, stream: &mut Stream) -> u64 {
        if self.next == self.count {
            self.next = 0;
            self.set_keys(stream.bits());
        }
        let mut x = self.map(self.next);
        while x >= self.count {
            x = self.map(x);
        }
        self.next += 1;
        x
    }
}

/// Zipf and Pareto, as fio draws them (`lib/zipf.c`): ranks by Gray et al. 1994, hashed over the
/// file.
#[derive(Debug, Clone)]
struct Skew {
    blocks: u64,
    kind: SkewKind,
}

#[derive(Debug, Clone, Copy)]
enum SkewKind {
    Zipf { theta: f64, zeta2: f64, zetan: f64 },
    Pareto { power: f64 },
}

/// fio sums at most this many terms of the zeta function (`ZIPF_MAX_GEN`).
const ZETA_TERMS_MAX: u64 = 10_000_000;

impl Skew {
    fn zipf(theta: f64, blocks: u64) -> Self {
        let zeta = |terms: u64| -> f64 {
            // The head is summed, the tail integrated: the sum alone would take seconds.
            let head = terms.min(10_000);
            let sum: f64 = (1..=head).map(|i| libm::pow(1.0 / as_f64(i), theta)).sum();
            let (from, to) = (as_f64(head) + 0.5, as_f64(terms.min(ZETA_TERMS_MAX)) + 0.5);
            let tail = match (theta - 1.0).abs() < 1e-9 {
                true => libm::log(to / from),
                false => {
                    let power = 1.0 - theta;
                    (libm::pow(to, power) - libm::pow(from, power)) / power
                }
            };
            sum + tail.max(0.0)
        };
        let kind = SkewKind::Zipf {
            theta,
            zeta2: zeta(2),
            zetan: zeta(blocks),
        };
        Self { blocks, kind }
    }

    fn pareto(h: f64, blocks: u64) -> Self {
        let power = libm::log(h) / libm::log(1.0 - h);
        Self {
            blocks,
            kind: SkewKind::Pareto { power },
        }
    }

    fn draw(&mut self, stream: &mut Stream) -> u64 {
        let uniform = as_f64(stream.bits() >> 11) / as_f64(1 << 53);
        let n = as_f64(self.blocks);
        let rank = match self.kind {
            SkewKind::Zipf {
                theta,
                zeta2,
                zetan,
            } => {
                let alpha = 1.0 / (1.0 - theta);
                let eta = (1.0 - libm::pow(2.0 / n, 1.0 - theta)) / (1.0 - zeta2 / zetan);
                let scaled = uniform * zetan;
                if scaled < 1.0 {
                    0.0
                } else if scaled < 1.0 + libm::pow(0.5, theta) {
                    1.0
                } else {
                    n * libm::pow(eta * uniform - eta + 1.0, alpha)
                }
            }
            SkewKind::Pareto { power } => (n - 1.0) * libm::pow(uniform, power),
        };
        // The hash spreads the popular blocks over the file (`zipf_next`).
        truncated(rank).wrapping_mul(0x9e37_79b9_7f4a_7c15) % self.blocks.max(1)
    }
}
