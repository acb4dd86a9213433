//! The smallest workload that comes close to a trace.
//!
//! Each phase becomes one workload: its largest stream is the load, the others are neighbours beside
//! it. What a workload cannot say, or says less exactly, is listed as a [`Loss`].

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use stripewise_study::load::{BLOCK_BYTES_MAX, BUFFERS_BYTES_MAX, SIZE_BYTES_MAX};
use stripewise_study::workload::{
    BlockSize, Distribution, Engine, Load, Neighbour, Pattern, SyncMode, Workload,
};
use stripewise_units::{Bytes, Nanos, as_f64};

use crate::event::Action;
use crate::loss::Loss;
use crate::numbers::{rounded, saturated_u32, share};
use crate::phases::{Phase, dispersion, period};
use crate::profile::{FLUSHES, KINDS, Kind, Part, Profile, StreamId};
use crate::sizes::split;
use crate::skew::Skew;
use crate::stream::{Flow, Stream, moments};

/// A stream with less than this share of a phase's I/Os and of its bytes is left out.
const SHARE_MIN: f64 = 0.02;
/// So much of the I/Os or bytes in streams that are left out is worth a line.
const LEFT_OUT_MIN: f64 = 0.005;
/// A stream of writes that are durable when they return is left out below this share: a few make all
/// others wait.
const DURABLE_SHARE_MIN: f64 = 0.002;
/// A stream is counted with the other one of the same direction if it has less than this share.
const FOLD_MAX: f64 = 0.1;
/// A phase with less than this share of the trace's I/Os is no workload: hardly anything happens.
const PHASE_SHARE_MIN: f64 = 0.005;
/// The depth of a load at a limited rate if the trace does not tell when I/Os end.
const DEPTH_UNKNOWN: u32 = 32;
/// The largest depth of a fitted load.
const DEPTH_MAX: u64 = 1024;
/// The most jobs of a fitted load.
const JOBS_MAX: u64 = 64;
/// Below this rate a pause says more exactly how often an I/O comes: rates are whole numbers.
const RATE_MIN: f64 = 5.0;
/// Bursts have at least so many I/Os.
const BURST_MIN: f64 = 4.0;
/// The pauses between bursts take up at least this share of the time.
const PAUSED_MIN: f64 = 0.9;
/// From this index of dispersion on, I/Os come in bursts.
const BURSTS_MIN: f64 = 5.0;

/// A workload for one phase of a trace.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// When the phase is.
    pub phase: Phase,
    /// How long it lasts, without the time after the last event; 0 if the trace has no times.
    pub duration: Nanos,
    /// The reads and writes in it.
    pub ios: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// The workload.
    pub workload: Workload,
    /// Whether the load goes as fast as it is served; otherwise its rate is limited.
    pub is_closed: bool,
    /// The streams that the load stands for, then those of each neighbour.
    pub streams: Vec<Vec<StreamId>>,
    /// What it loses.
    pub losses: Vec<Loss>,
}

/// Returns a workload for each phase that has reads or writes, in order.
pub fn fit(profile: &Profile) -> Vec<Fitted> {
    let phases = profile.plan.phases.iter().zip(&profile.parts);
    let fitted = phases.enumerate().filter_map(|(number, (phase, parts))| {
        Phased {
            profile,
            number,
            phase,
            parts,
        }
        .fit()
    });
    fitted.collect()
}

struct Phased<'a> {
    profile: &'a Profile,
    /// The number of the phase, from 0.
    number: usize,
    phase: &'a Phase,
    parts: &'a [Part],
}

/// Streams that become one load.
#[derive(Debug, Clone)]
struct Candidate<'a> {
    group: usize,
    kind: Kind,
    main: &'a Stream,
    /// The other direction of a mixed load.
    other: Option<&'a Stream>,
    /// The stream of the same direction that is counted with it.
    folded: Option<&'a Stream>,
    flow: &'a Flow,
    /// Whether all I/Os of its direction are in it.
    is_both: bool,
    /// Whether all of its group's I/O is in it, so that the group's flow is its own.
    is_alone: bool,
    flushes: u64,
    /// The groups that they are of.
    flush_groups: Vec<usize>,
}

impl Candidate<'_> {
    fn streams(&self) -> impl Iterator<Item = &Stream> {
        [Some(self.main), self.other, self.folded]
            .into_iter()
            .flatten()
    }

    /// Returns the numbers of its streams in the phase of this number.
    fn ids(&self, phase: usize) -> Vec<StreamId> {
        let is_own = |kind: &Kind| match kind.action == self.kind.action {
            true => kind.is_sequential == self.kind.is_sequential || self.is_both,
            false => self.other.is_some(),
        };
        let kinds = KINDS.iter().enumerate().filter(|(_, kind)| is_own(kind));
        let own = kinds.map(|(kind, _)| (self.group, kind));
        let flushes = self.flush_groups.iter().map(|group| (*group, FLUSHES));
        let all = own.chain(flushes);
        all.map(|(group, kind)| StreamId { phase, group, kind })
            .collect()
    }

    fn ios(&self) -> u64 {
        self.streams().map(|stream| stream.ios).sum()
    }

    fn bytes(&self) -> u64 {
        self.streams().map(|stream| stream.bytes).sum()
    }

    fn writes(&self) -> u64 {
        let other = self.other.map_or(0, |stream| stream.ios);
        match self.kind.action {
            Action::Write => self.ios(),
            _ => other,
        }
    }

    /// Returns whether at least one in 32 of its writes is made durable; `flushes` are those of its
    /// group.
    fn is_durable(&self, flushes: u64) -> bool {
        let fuas: u64 = self.streams().map(|stream| stream.fuas).sum();
        self.writes() > 0 && (fuas + flushes) * 32 >= self.writes()
    }

    fn pattern(&self) -> Pattern {
        match (
            self.other.is_some(),
            self.kind.is_sequential,
            self.kind.action,
        ) {
            (true, false, _) => Pattern::RandRw,
            (true, true, _) => Pattern::Rw,
            (false, true, Action::Read) => Pattern::Read,
            (false, true, _) => Pattern::Write,
            (false, false, Action::Read) => Pattern::RandRead,
            (false, false, _) => Pattern::RandWrite,
        }
    }
}

impl Phased<'_> {
    fn fit(&self) -> Option<Fitted> {
        let number = self.number + 1;
        let duration = self.duration();
        let streams = || {
            self.parts
                .iter()
                .flat_map(Part::kinds)
                .map(|(_, stream)| stream)
        };
        let ios: u64 = streams().map(|stream| stream.ios).sum();
        let bytes: u64 = streams().map(|stream| stream.bytes).sum();
        let parts = self.profile.parts.iter().flatten().flat_map(Part::kinds);
        let of_all: u64 = parts.map(|(_, stream)| stream.ios).sum();
        if ios == 0 || share(ios, of_all) < PHASE_SHARE_MIN {
            return None;
        }
        let mut losses = Vec::new();
        let mut candidates = self.candidates(ios, bytes, &mut losses);
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.ios()));
        self.give_flushes(&mut candidates);
        let mut loads = Vec::new();
        let (mut is_closed, mut in_bursts) = (false, 0);
        for (place, candidate) in candidates.iter().enumerate() {
            let (load, is_loop) = self.load(candidate, duration, place > 0, &mut losses);
            is_closed |= place == 0 && is_loop;
            in_bursts += load.think_blocks.map_or(0, |_| candidate.ios());
            loads.push((self.name_of(candidate, place), load));
        }
        let streams = candidates
            .iter()
            .map(|candidate| candidate.ids(self.number));
        let streams = streams.collect();
        let mut loads = loads.into_iter();
        let (_, load) = loads.next()?;
        let neighbours: Vec<Neighbour> = loads
            .map(|(name, load)| Neighbour {
                name: format!("phase{number}-{name}"),
                load,
            })
            .collect();
        if is_closed && !neighbours.is_empty() && duration > Nanos::default() {
            losses.push(Loss::RatesAreApart);
        }
        self.note_arrivals(is_closed, in_bursts * 2 >= ios, &mut losses);
        let workload = Workload {
            name: Some(format!("phase{number}")),
            neighbours,
            ..Workload::alone(load)
        };
        Some(Fitted {
            phase: self.phase.clone(),
            duration,
            ios,
            bytes: Bytes::new(bytes),
            workload,
            is_closed,
            streams,
            losses,
        })
    }

    fn duration(&self) -> Nanos {
        let end = self.profile.plan.end.as_u64();
        let spans = self.phase.spans.iter();
        let ns = spans.map(|(from, to)| to.as_u64().min(end).saturating_sub(from.as_u64()));
        Nanos::new(ns.sum::<u64>())
    }

    fn name_of(&self, candidate: &Candidate<'_>, place: usize) -> String {
        let group = self.profile.plan.groups.get(candidate.group);
        let name = group
            .and_then(|group| group.name.as_deref())
            .unwrap_or("others");
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        let name: String = name.chars().take(24).map(plain).collect();
        format!("{}-{}-{place}", name.trim_matches('-'), candidate.pattern())
    }

    fn candidates(&self, ios: u64, bytes: u64, losses: &mut Vec<Loss>) -> Vec<Candidate<'_>> {
        let mut candidates = Vec::new();
        let (mut left_ios, mut left_bytes) = (0, 0);
        for (group, part) in self.parts.iter().enumerate() {
            let mut of_part = Vec::new();
            for action in [Action::Read, Action::Write] {
                of_part.extend(one_direction(group, part, action, losses));
            }
            of_part.retain(|candidate| {
                let (its_ios, its_bytes) = (candidate.ios(), candidate.bytes());
                let least = match candidate.is_durable(part.flushes) {
                    true => DURABLE_SHARE_MIN,
                    false => SHARE_MIN,
                };
                let is_large = share(its_ios, ios) >= least || share(its_bytes, bytes) >= least;
                if !is_large {
                    (left_ios, left_bytes) = (left_ios + its_ios, left_bytes + its_bytes);
                }
                is_large
            });
            join_directions(&mut of_part);
            if let [only] = of_part.as_mut_slice() {
                (only.is_alone, only.flow) = (true, &part.flow);
            }
            candidates.extend(of_part);
        }
        let (of_ios, of_bytes) = (share(left_ios, ios), share(left_bytes, bytes));
        if of_ios.max(of_bytes) >= LEFT_OUT_MIN {
            losses.push(Loss::LeftOut {
                ios: of_ios,
                bytes: of_bytes,
            });
        }
        let discards = self.parts.iter().map(|part| part.discards).sum::<u64>();
        if discards > 0 {
            losses.push(Loss::Discards { count: discards });
        }
        candidates
    }

    /// Gives the flushes of processes that do not write to the load that writes most.
    fn give_flushes(&self, candidates: &mut [Candidate<'_>]) {
        for (group, part) in self.parts.iter().enumerate() {
            if part.flushes == 0 {
                continue;
            }
            // The largest writer of the group; of all, if the group does not write.
            let writers = candidates.iter_mut().filter(|one| one.writes() > 0);
            let largest = writers.max_by_key(|one| (one.group == group, one.writes()));
            let largest = match largest {
                Some(largest) => Some(largest),
                None => candidates.first_mut(),
            };
            if let Some(largest) = largest {
                largest.flushes += part.flushes;
                largest.flush_groups.push(group);
            }
        }
    }

    /// Returns the load of a candidate, and whether it is a closed loop.
    fn load(
        &self,
        candidate: &Candidate<'_>,
        duration: Nanos,
        is_neighbour: bool,
        losses: &mut Vec<Loss>,
    ) -> (Load, bool) {
        let (block_size, exact) = block_size(candidate);
        let mean = share(candidate.bytes(), candidate.ios());
        if (exact - mean).abs() > mean * 0.02 {
            losses.push(Loss::MeanSize {
                trace: mean,
                fitted: exact,
            });
        }
        let mut load = Load::new(candidate.pattern(), block_size.largest(), Bytes::default());
        load.block_size = block_size;
        if let Some(other) = candidate.other {
            let reads = match candidate.kind.action {
                Action::Read => {
                    candidate.main.ios + candidate.folded.map_or(0, |stream| stream.ios)
                }
                _ => other.ios,
            };
            let percent = rounded(share(reads, candidate.ios()) * 100.0).clamp(1, 99);
            load.read_percent = u8::try_from(percent).ok();
        }
        let is_closed = set_flow(&mut load, candidate, duration, is_neighbour, losses);
        let buffers = BUFFERS_BYTES_MAX.as_u64() / load.block_size.largest().as_u64().max(1);
        let most = buffers / u64::from(load.jobs.max(1));
        load.depth = load.depth.min(saturated_u32(most.max(1)));
        set_places(&mut load, candidate, losses);
        set_durability(&mut load, candidate, losses);
        if load.depth > 1 {
            load.engine = Engine::Libaio;
        }
        (load, is_closed)
    }

    /// Notes what an even rate, or a loop, loses of when I/Os come.
    fn note_arrivals(&self, is_closed: bool, is_in_bursts: bool, losses: &mut Vec<Loss>) {
        let windows = &self.profile.plan.windows;
        let width = Nanos::from_millis(100);
        let times = dispersion(windows, width).filter(|times| *times >= BURSTS_MIN);
        let period = period(windows);
        // A phase of several is never looked at alone here: its windows would have gaps.
        if self.profile.plan.phases.len() == 1
            && !is_in_bursts
            && (times.is_some() && !is_closed || period.is_some())
        {
            losses.push(Loss::Bursts {
                times: times.unwrap_or(1.0),
                period,
            });
        }
        if let Some((stride, count)) = self.profile.stride() {
            // Strides are counted over all phases.
            let parts = self.profile.parts.iter().flatten();
            let of = parts
                .flat_map(Part::kinds)
                .map(|(_, stream)| stream.ios)
                .sum();
            if share(count, of) > FOLD_MAX {
                losses.push(Loss::Stride {
                    stride,
                    share: share(count, of),
                });
            }
        }
    }
}

/// Returns the candidates of one direction: random, sequential, or one of both.
fn one_direction<'a>(
    group: usize,
    part: &'a Part,
    action: Action,
    losses: &mut Vec<Loss>,
) -> Vec<Candidate<'a>> {
    let mut own = part.kinds().filter(|(kind, _)| kind.action == action);
    let candidate = |kind: Kind, main: &'a Stream, folded: Option<&'a Stream>| Candidate {
        group,
        kind,
        main,
        other: None,
        folded,
        flow: &main.flow,
        is_both: folded.is_some(),
        is_alone: false,
        flushes: 0,
        flush_groups: Vec::new(),
    };
    match (own.next(), own.next()) {
        (None, _) => Vec::new(),
        (Some((kind, stream)), None) => vec![Candidate {
            is_both: true,
            ..candidate(kind, stream, None)
        }],
        (Some(random), Some(sequential)) => {
            let whole = random.1.ios + sequential.1.ios;
            let (less, more) = match random.1.ios < sequential.1.ios {
                true => (random, sequential),
                false => (sequential, random),
            };
            let part = share(less.1.ios, whole);
            if part > FOLD_MAX {
                return vec![
                    candidate(more.0, more.1, None),
                    candidate(less.0, less.1, None),
                ];
            }
            // The first I/O of each run counts as random, and that is no loss.
            if part > SHARE_MIN {
                losses.push(Loss::Folded {
                    writes: action == Action::Write,
                    is_sequential: less.0.is_sequential,
                    share: part,
                });
            }
            vec![candidate(more.0, more.1, Some(less.1))]
        }
    }
}

/// Makes one load of reads and writes that are alike.
fn join_directions(candidates: &mut Vec<Candidate<'_>>) {
    let [first, second] = candidates.as_slice() else {
        return;
    };
    let main_size = |candidate: &Candidate<'_>| {
        let sizes = candidate.main.sizes.iter();
        sizes
            .max_by_key(|(size, count)| (**count, **size))
            .map(|(size, _)| *size)
    };
    let is_alike = !first.kind.is_sequential
        && !second.kind.is_sequential
        && first.kind.action != second.kind.action
        && main_size(first) == main_size(second);
    if is_alike {
        let second = candidates.remove(1);
        candidates[0].other = Some(second.main);
    }
}

/// Returns the sizes of a load, and their mean.
fn block_size(candidate: &Candidate<'_>) -> (BlockSize, f64) {
    let mut sizes = BTreeMap::<u64, u64>::new();
    for stream in candidate.streams() {
        for (size, count) in &stream.sizes {
            // Direct I/O has whole sectors.
            let size = (*size).max(1).next_multiple_of(512);
            let size = size.min(BLOCK_BYTES_MAX.as_u64());
            *sizes.entry(size).or_default() += count;
        }
    }
    split(&sizes)
}

/// Sets jobs, depth, pause and rate; returns whether it is a closed loop.
fn set_flow(
    load: &mut Load,
    candidate: &Candidate<'_>,
    duration: Nanos,
    is_neighbour: bool,
    losses: &mut Vec<Loss>,
) -> bool {
    let flow = candidate.flow;
    if duration == Nanos::default() {
        note_once(losses, Loss::NoTimes);
        return !is_neighbour;
    }
    let seconds = as_f64(duration.as_u64()) / 1e9;
    let per_s = as_f64(candidate.ios()) / seconds;
    if !flow.has_ends() {
        losses.push(Loss::NoEnds);
        load.depth = DEPTH_UNKNOWN;
        set_rate(load, candidate, per_s);
        return false;
    }
    let usual = flow.usual_depth();
    let latency = moments(&flow.latency.histogram()).map_or(0.0, |(mean, _)| mean / 1e9);
    if is_neighbour || usual > DEPTH_MAX || !flow.is_closed(usual) {
        let most = flow
            .depths
            .histogram()
            .quantile(990)
            .map_or(1, |depth| depth.as_u64());
        load.depth = saturated_u32(most.clamp(1, DEPTH_MAX));
        match Bursts::of(flow) {
            Some(bursts) => bursts.set(load, candidate, duration),
            None => set_rate(load, candidate, per_s),
        }
        return false;
    }
    load.jobs = saturated_u32(flow.processes().min(JOBS_MAX));
    load.depth = saturated_u32(usual);
    // Jobs, throughput, latency and pause: N = X (R + Z), the response time law.
    let thinks = as_f64(load.in_flight()) / per_s - latency;
    if load.depth == 1 && thinks > latency * 0.05 && thinks > 20e-6 {
        load.think_time_ns = Nanos::new(rounded(thinks * 1e9));
    }
    true
}

/// Notes a loss that all loads of a phase share.
fn note_once(losses: &mut Vec<Loss>, loss: Loss) {
    if !losses.contains(&loss) {
        losses.push(loss);
    }
}

/// I/Os that come many at once, with pauses between.
#[derive(Debug, Clone, Copy)]
struct Bursts {
    count: f64,
    /// How long one lasts, without the last I/O.
    mean_ns: f64,
}

impl Bursts {
    /// Finds them in the gaps between I/Os: pauses are the longest gaps that take up most of the
    /// time. Nothing if there are hardly more I/Os than pauses; independent I/Os have 1.7 to a pause.
    fn of(flow: &Flow) -> Option<Self> {
        let gaps = flow.gaps.histogram();
        let gaps = gaps.bins();
        let ns = |(gap, count): &(Nanos, u64)| as_f64(gap.as_u64()) * as_f64(*count);
        let all: f64 = gaps.iter().map(ns).sum();
        let (mut pauses, mut paused) = (0, 0.0);
        for bin in gaps.iter().rev() {
            if paused >= all * PAUSED_MIN {
                break;
            }
            pauses += bin.1;
            paused += ns(bin);
        }
        let count = as_f64(pauses + 1);
        let ios = as_f64(flow.gaps.count() + 1);
        let mean_ns = (all - paused) / count;
        // Otherwise they come one after the other.
        let usual = flow.latency.histogram().quantile(500)?.as_u64();
        let overlap = mean_ns / (ios / count - 1.0).max(1.0) <= as_f64(usual);
        // More unlike than if each I/O was the last one by chance, as often: then nine of ten would
        // begin with at most ln 10 mean lengths under way.
        let deep = as_f64(flow.depths.histogram().quantile(900)?.as_u64());
        let are_alike = deep <= ios / count * std::f64::consts::LN_10;
        let are_bursts = overlap && are_alike && ios >= count * BURST_MIN;
        are_bursts.then_some(Self { count, mean_ns })
    }

    fn set(self, load: &mut Load, candidate: &Candidate<'_>, duration: Nanos) {
        let latency = moments(&candidate.flow.latency.histogram()).map_or(0.0, |(mean, _)| mean);
        let pause = as_f64(duration.as_u64()) / self.count - self.mean_ns - latency;
        let blocks = rounded(as_f64(candidate.ios()) / self.count).max(1);
        load.think_time_ns = Nanos::new(rounded(pause.max(1e3)));
        load.think_blocks = NonZeroU32::new(saturated_u32(blocks));
        let under_way = moments(&candidate.flow.depths.histogram()).map_or(1.0, |(mean, _)| mean);
        let depth = depth_of_burst(blocks, under_way);
        load.depth = saturated_u32(depth.clamp(1, DEPTH_MAX));
    }
}

/// Returns the depth at which the I/Os of a burst begin with so many under way on average.
///
/// Of `n` I/Os at a depth of `d`, the first `d` begin with 1, 2, ... `d` under way, the others with `d`:
/// `d - d (d - 1) / 2n` on average.
fn depth_of_burst(ios: u64, under_way: f64) -> u64 {
    let mean = |depth: u64| {
        let depth = as_f64(depth);
        depth - depth * (depth - 1.0) / 2.0 / as_f64(ios)
    };
    let (mut low, mut high) = (1, ios.max(1));
    while low < high {
        let middle = u64::midpoint(low, high);
        match mean(middle) < under_way {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

fn set_rate(load: &mut Load, candidate: &Candidate<'_>, per_s: f64) {
    // fio limits each direction by itself, and the mix makes the other one follow.
    let larger = candidate.other.map_or(1.0, |other| {
        let other = share(other.ios, candidate.ios());
        other.max(1.0 - other)
    });
    let rate = per_s * larger;
    if rate < RATE_MIN {
        load.think_time_ns = Nanos::new(rounded(1e9 / per_s.max(1e-6)));
        load.depth = 1;
        return;
    }
    load.rate_iops = NonZeroU32::new(saturated_u32(rounded(rate)));
}

/// Sets the size of the file and how offsets are spread over it.
fn set_places(load: &mut Load, candidate: &Candidate<'_>, losses: &mut Vec<Loss>) {
    let low = candidate
        .streams()
        .map(|stream| stream.low)
        .min()
        .unwrap_or(0);
    let high = candidate
        .streams()
        .map(|stream| stream.high)
        .max()
        .unwrap_or(0);
    let span = high.saturating_sub(low);
    let random = candidate
        .streams()
        .max_by_key(|stream| stream.locality.uses());
    let mut size = span;
    if let (false, Some(random)) = (candidate.kind.is_sequential, random) {
        match Skew::of(&random.locality) {
            Skew::Zipf(exponent) => {
                let hundredths = rounded(exponent * 100.0);
                let hundredths = if hundredths == 100 { 101 } else { hundredths };
                load.distribution = Distribution::Zipf(as_f64(hundredths) / 100.0);
            }
            skew => {
                size = uniform_size(random).min(span);
                if skew == Skew::Unknown && size < span / 2 {
                    losses.push(Loss::Footprint {
                        span: Bytes::new(span),
                        fitted: Bytes::new(size),
                    });
                }
            }
        }
    }
    let jobs = u64::from(load.jobs);
    let block = load.block_size.largest().as_u64();
    let unit = if size >= 16 << 20 {
        1 << 20
    } else {
        block.max(4096)
    };
    let most = SIZE_BYTES_MAX.as_u64();
    if size / jobs > most {
        losses.push(Loss::Footprint {
            span: Bytes::new(span),
            fitted: Bytes::new(most.saturating_mul(jobs)),
        });
    }
    let each = (size / jobs).min(most).next_multiple_of(unit.max(1));
    load.size_bytes = Bytes::new(each.max(block).min(most));
}

/// Returns the size over which uniform I/Os would have touched as many different places.
///
/// Of `m` places, `n` uniform I/Os touch `m (1 - exp(-n / m))`.
fn uniform_size(stream: &Stream) -> u64 {
    let (uses, places) = (
        as_f64(stream.locality.uses()),
        as_f64(stream.locality.places()),
    );
    let unit = as_f64(stream.locality.unit_bytes());
    let touched = |of: f64| of * (1.0 - (-uses / of).exp());
    // A span of which as many would be used, but for chance, is the size.
    let of_span = touched(as_f64(stream.high.saturating_sub(stream.low)) / unit);
    let twice = (uses - of_span).max(0.0);
    if places >= of_span - 3.0 * twice.sqrt() / stream.locality.rate().sqrt() {
        return u64::MAX;
    }
    let (mut low, mut high) = (places, uses * 64.0 + places);
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        match touched(middle) < places {
            true => low = middle,
            false => high = middle,
        }
    }
    rounded(high * unit)
}

/// Sets what makes its writes durable.
fn set_durability(load: &mut Load, candidate: &Candidate<'_>, losses: &mut Vec<Loss>) {
    let writes = candidate.writes();
    if writes == 0 {
        if candidate.flushes > 0 {
            losses.push(Loss::Flushes {
                count: candidate.flushes,
            });
        }
        return;
    }
    let fuas: u64 = candidate.streams().map(|stream| stream.fuas).sum();
    if share(fuas, writes) >= 0.5 {
        load.sync = SyncMode::Dsync;
        return;
    }
    if candidate.flushes == 0 {
        return;
    }
    let every = rounded(as_f64(writes) / as_f64(candidate.flushes)).max(1);
    load.fsync_every = NonZeroU32::new(saturated_u32(every));
}
