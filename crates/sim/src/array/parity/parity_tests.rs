//! Guards against an array that reads or writes other blocks than md would: each wrong count is a
//! wrong prediction. At depth one the counts come from a slow oracle, which keeps the cache as
//! maps. At any depth every bio must finish, in any order of completions.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use stripewise_profiles::kernel::policy;
use stripewise_study::stack::Level;
use stripewise_units::kernel::KernelVersion;

use super::geometry::ParityLayout;
use super::*;

const SYNC: Flags = Flags {
    sync: true,
    preflush: false,
    fua: false,
};
const LAZY: Flags = Flags {
    sync: false,
    preflush: false,
    fua: false,
};
const K: u64 = 2;

fn config(level: Level, members: u16, chunk_kib: u64) -> ParityConfig {
    let layout = ParityLayout::LeftSymmetric;
    ParityConfig {
        geometry: Geometry::new(level, layout, members, Sectors::new(chunk_kib * K)).unwrap(),
        policy: policy(KernelVersion::new(6, 1, 0)).parity,
        cache_stripes: CACHE_STRIPES,
        cache_stripes_max: CACHE_STRIPES_MAX,
        rmw_level: RmwLevel::Enable,
        skip_copy: false,
        bitmap: false,
        synced: true,
    }
}

/// An array whose members complete bios on request of the test.
struct Bench {
    parity: Parity,
    out: Output,
    in_flight: Vec<MemberBio>,
    log: Vec<MemberBio>,
    finished: Vec<u32>,
    work: ThreadWork,
    bitmap_flushes: u32,
    next: u32,
}

impl Bench {
    fn new(config: ParityConfig) -> Self {
        Self {
            parity: Parity::new(config),
            out: Output::default(),
            in_flight: Vec::new(),
            log: Vec::new(),
            finished: Vec::new(),
            work: ThreadWork::default(),
            bitmap_flushes: 0,
            next: 0,
        }
    }

    fn submit(
        &mut self,
        operation: Operation,
        start: u64,
        length: u64,
        flags: Flags,
    ) -> Submission {
        let number = self.next;
        self.next += 1;
        let (start, length) = (Sectors::new(start), Sectors::new(length));
        let taken = self
            .parity
            .submit(number, operation, start, length, flags, &mut self.out);
        self.take_output();
        taken
    }

    fn take_output(&mut self) {
        self.log.extend(&self.out.bios);
        self.in_flight.append(&mut self.out.bios);
        self.finished.append(&mut self.out.finished);
    }

    /// Runs the thread until it sleeps.
    fn run_thread(&mut self) {
        while self.parity.thread_has_work() {
            let work = self.parity.run_thread(&mut self.out);
            self.work.stripes += work.stripes;
            self.work.copied_bytes += work.copied_bytes;
            self.work.xored_bytes += work.xored_bytes;
            self.work.syndrome_bytes += work.syndrome_bytes;
            if work.writes_bitmap {
                self.bitmap_flushes += 1;
                self.parity.bitmap_written();
            }
            self.take_output();
        }
    }

    fn complete(&mut self, index: usize) {
        let bio = self.in_flight.remove(index);
        self.finished.extend(self.parity.complete(bio.tag));
    }

    /// Completes all bios, in order.
    fn settle(&mut self) {
        self.parity.unplug();
        self.run_thread();
        while !self.in_flight.is_empty() {
            for bio in std::mem::take(&mut self.in_flight) {
                self.finished.extend(self.parity.complete(bio.tag));
            }
            self.run_thread();
        }
        assert!(self.parity.is_quiet());
        assert_eq!(self.finished.len(), self.next as usize);
    }

    fn run(&mut self, operation: Operation, start: u64, length: u64) {
        self.submit(operation, start, length, SYNC);
        self.settle();
    }

    fn count(&self, operation: Operation) -> usize {
        self.log
            .iter()
            .filter(|bio| bio.operation == operation)
            .count()
    }

    fn sectors(&self, operation: Operation) -> u64 {
        let matching = self.log.iter().filter(|bio| bio.operation == operation);
        matching.map(|bio| bio.length.get()).sum()
    }

    /// Returns the reads and writes since the last call.
    fn take_counts(&mut self) -> (usize, usize) {
        let counts = (self.count(Operation::Read), self.count(Operation::Write));
        self.log.clear();
        counts
    }
}

/// A slow, obvious model of cache and costs, for one request at a time on a healthy array.
struct Oracle {
    config: ParityConfig,
    /// The members whose block is known, by stripe.
    known: BTreeMap<u64, BTreeSet<u16>>,
    /// The cached stripes of each part, oldest first.
    order: Vec<Vec<u64>>,
    reads: BTreeSet<(u64, u16)>,
    writes: BTreeSet<(u64, u16)>,
}

impl Oracle {
    fn new(config: ParityConfig) -> Self {
        Self {
            config,
            known: BTreeMap::new(),
            order: vec![Vec::new(); 8],
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
        }
    }

    fn write(&mut self, start: u64, length: u64) {
        self.reads.clear();
        self.writes.clear();
        let mut touched: BTreeMap<u64, BTreeMap<u16, u64>> = BTreeMap::new();
        for sector in start..start + length {
            let located = self.config.geometry.locate(sector);
            let stripe = located.sector / 8 * 8;
            let blocks = touched.entry(stripe).or_default();
            *blocks.entry(located.member.0).or_default() += 1;
        }
        for (stripe, blocks) in touched {
            self.write_stripe(stripe, &blocks);
        }
    }

    fn write_stripe(&mut self, stripe: u64, blocks: &BTreeMap<u16, u64>) {
        let part = &mut self.order[usize::try_from(stripe / 8 % 8).unwrap()];
        part.retain(|&cached| cached != stripe);
        let room = usize::try_from(self.config.cache_stripes / 8).unwrap();
        if !self.known.contains_key(&stripe) && part.len() == room {
            let oldest = part.remove(0);
            self.known.remove(&oldest);
        }
        part.push(stripe);
        let known = self.known.entry(stripe).or_default();
        let row = self.config.geometry.row(stripe);
        let members = self.config.geometry.members();
        let data: Vec<u16> = (0..members)
            .filter(|&member| !row.is_parity(member))
            .collect();
        let parity: Vec<u16> = (0..members)
            .filter(|&member| row.is_parity(member))
            .collect();
        let mut read = |member: u16, known: &mut BTreeSet<u16>| {
            if known.insert(member) {
                self.reads.insert((stripe, member));
            }
        };
        for (&member, &sectors) in blocks {
            if sectors < 8 {
                read(member, known);
            }
        }
        let old = blocks
            .keys()
            .chain(&parity)
            .filter(|member| !known.contains(member));
        let old: Vec<u16> = old.copied().collect();
        let whole = |member: &u16| blocks.get(member) == Some(&8);
        let rest = data
            .iter()
            .filter(|&member| !whole(member) && !known.contains(member));
        let rest: Vec<u16> = rest.copied().collect();
        let tie = self.config.rmw_level == self.config.policy.tie_takes_rmw;
        let forced = !self.config.synced || self.config.rmw_level == RmwLevel::Disable;
        let rmw = !forced && (old.len() < rest.len() || (old.len() == rest.len() && tie));
        for member in if rmw { old } else { rest } {
            read(member, known);
        }
        for &member in blocks.keys().chain(&parity) {
            self.writes.insert((stripe, member));
            known.insert(member);
        }
    }
}

fn compare(config: ParityConfig, requests: &[(u64, u64)]) -> Result<(), TestCaseError> {
    let mut bench = Bench::new(config);
    let mut oracle = Oracle::new(config);
    for (index, &(start, length)) in requests.iter().enumerate() {
        bench.run(Operation::Write, start, length);
        oracle.write(start, length);
        let seen = |operation| -> Vec<(u64, u16)> {
            let bios = bench.log.iter().filter(|bio| bio.operation == operation);
            let mut places: Vec<_> = bios.map(|bio| (bio.start.get(), bio.member.0)).collect();
            places.sort_unstable();
            places
        };
        let sorted = |set: &BTreeSet<(u64, u16)>| set.iter().copied().collect::<Vec<_>>();
        prop_assert_eq!(
            seen(Operation::Read),
            sorted(&oracle.reads),
            "reads of {}",
            index
        );
        prop_assert_eq!(
            seen(Operation::Write),
            sorted(&oracle.writes),
            "writes of {}",
            index
        );
        bench.log.clear();
    }
    Ok(())
}

fn any_config() -> impl Strategy<Value = ParityConfig> {
    let kernels = prop::sample::select(vec![
        (4, 1),
        (4, 4),
        (4, 9),
        (5, 10),
        (6, 0),
        (6, 1),
        (6, 12),
    ]);
    let level = prop::sample::select(vec![Level::Raid4, Level::Raid5, Level::Raid6]);
    let rmw = prop::sample::select(vec![RmwLevel::Disable, RmwLevel::Enable, RmwLevel::Prefer]);
    (kernels, level, 3_u16..=8, 0_u32..5, rmw, any::<[bool; 2]>()).prop_map(
        |((major, minor), level, members, chunk, rmw_level, [synced, bitmap])| ParityConfig {
            policy: policy(KernelVersion::new(major, minor, 0)).parity,
            rmw_level,
            synced,
            bitmap,
            ..config(
                level,
                if level == Level::Raid6 {
                    members.max(4)
                } else {
                    members
                },
                4 << chunk,
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_request_at_a_time_matches_the_oracle(
        config in any_config(),
        requests in prop::collection::vec((0_u64..6000, 1_u64..=256), 1..60),
    ) {
        // 256 stripes hold at least 2 x 1024 blocks of data: a small region, so that nothing is
        // evicted, and requests of any alignment.
        let region = 256 * 8 * u64::from(config.geometry.data_members());
        let requests: Vec<_> = requests
            .into_iter()
            .map(|(start, length)| (start % (region - 256), length))
            .collect();
        compare(config, &requests)?;
    }

    #[test]
    fn small_requests_evict_what_the_oracle_evicts(
        config in any_config(),
        cache in 1_u32..6,
        requests in prop::collection::vec((0_u64..2000, 1_u64..=8, 0_u64..8), 50..300),
    ) {
        // At most two stripes per request, each in a different part of the cache.
        let config = ParityConfig { cache_stripes: 8 * cache, cache_stripes_max: 8 * cache, ..config };
        let requests: Vec<_> = requests.into_iter().map(|(block, length, skip)| (block * 8 + skip, length)).collect();
        compare(config, &requests)?;
    }

    #[test]
    fn every_bio_finishes_in_any_order_of_completions(
        config in any_config(),
        cache in 2_u32..40,
        skip_copy: bool,
        steps in prop::collection::vec((0_u8..12, 0_u64..4000, 1_u64..600, any::<[bool; 2]>()), 1..200),
    ) {
        let config = ParityConfig { cache_stripes: 8 * cache, cache_stripes_max: 8 * cache + 20, skip_copy, ..config };
        let mut bench = Bench::new(config);
        let mut failed = 0;
        for (step, place, length, [sync, fua]) in steps {
            let flags = Flags { sync, fua, preflush: false };
            match step {
                0..=3 => { bench.submit(Operation::Write, place, length, flags); }
                4 => { bench.submit(Operation::Read, place, length, flags); }
                5 | 6 => { bench.submit(Operation::Write, place / 8 * 8, 8, flags); }
                7 => bench.parity.unplug(),
                8 => { bench.parity.sync_request(Sectors::new(place / 8 * 8), fua); }
                9 if failed < config.geometry.parities() && length < 30 => {
                    let member = Member(u16::try_from(place).unwrap() % config.geometry.members());
                    bench.parity.fail_member(member).unwrap();
                    failed += 1;
                }
                9 | 10 => bench.run_thread(),
                _ => {
                    let index = usize::try_from(place).unwrap();
                    if !bench.in_flight.is_empty() {
                        bench.complete(index % bench.in_flight.len());
                    }
                }
            }
        }
        bench.settle();
        let mut seen = bench.finished.clone();
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), bench.finished.len(), "each bio is finished once");
    }
}

/// Returns 4096 different blocks of 16384, by a fixed linear congruential generator.
fn shuffled_blocks() -> Vec<u64> {
    let mut blocks: Vec<u64> = (0..16_384).collect();
    let mut state = 1_u64;
    for index in (1..blocks.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap() % (index + 1);
        blocks.swap(index, other);
    }
    blocks.truncate(4096);
    blocks
}

#[test]
fn random_4k_writes_match_the_lab() {
    // Kernel 6.1, four members, chunk 32K, 4096 random writes of 4K in 64 MiB, depth 1: 7932 reads
    // instead of 8192, so 130 cache hits. A write hits if one of the other two blocks of its stripe
    // was among the last 256 stripes: 2 x 256 / 16384, less at first: 3.0 %, 124, give or take 11.
    let config = config(Level::Raid5, 4, 32);
    let mut bench = Bench::new(config);
    let mut oracle = Oracle::new(config);
    let mut expected = 0;
    for block in shuffled_blocks() {
        bench.run(Operation::Write, block * 8, 8);
        oracle.write(block * 8, 8);
        expected += oracle.reads.len();
    }
    let (reads, writes) = bench.take_counts();
    assert_eq!(writes, 2 * 4096);
    assert_eq!(reads, expected);
    let hits = 4096 - reads / 2;
    assert!((124 - 33..=124 + 33).contains(&hits), "{hits} hits");
    assert_eq!(bench.parity.cache_stripes(), 256);
}

#[test]
fn ties_are_decided_by_kernel() {
    // Four members: old data and parity, or the other two.
    for (kernel, own) in [((4, 4), true), ((4, 9), false), ((6, 1), false)] {
        let mut config = config(Level::Raid5, 4, 32);
        config.policy = policy(KernelVersion::new(kernel.0, kernel.1, 0)).parity;
        let mut bench = Bench::new(config);
        bench.run(Operation::Write, 0, 8);
        let read: Vec<u16> = bench
            .log
            .iter()
            .filter(|bio| bio.operation == Operation::Read)
            .map(|bio| bio.member.0)
            .collect();
        assert_eq!(read, if own { [3, 0] } else { [2, 1] }, "{kernel:?}");
        assert_eq!(bench.take_counts(), (2, 2));
    }
}

#[test]
fn small_writes_read_what_is_cheaper() {
    let counts = |level, members| {
        let mut bench = Bench::new(config(level, members, 64));
        bench.run(Operation::Write, 0, 8);
        bench.take_counts()
    };
    assert_eq!(counts(Level::Raid5, 3), (1, 2), "the other data block");
    assert_eq!(counts(Level::Raid5, 4), (2, 2));
    assert_eq!(counts(Level::Raid5, 5), (2, 2), "old data and parity");
    assert_eq!(counts(Level::Raid5, 8), (2, 2));
    assert_eq!(counts(Level::Raid6, 5), (2, 3), "the other data blocks");
    assert_eq!(counts(Level::Raid6, 6), (3, 3));
    assert_eq!(counts(Level::Raid6, 8), (3, 3), "old data, P and Q");
}

#[test]
fn cached_stripes_are_not_read_again() {
    let mut bench = Bench::new(config(Level::Raid5, 4, 32));
    bench.run(Operation::Write, 0, 8);
    bench.take_counts();
    bench.run(Operation::Write, 0, 8);
    assert_eq!(bench.take_counts(), (0, 2));
    bench.run(Operation::Write, 64, 3);
    assert_eq!(
        bench.take_counts(),
        (0, 2),
        "also for the other blocks of the row, in parts"
    );
}

#[test]
fn full_rows_are_written_without_reading() {
    for (level, members) in [
        (Level::Raid5, 4),
        (Level::Raid5, 7),
        (Level::Raid6, 6),
        (Level::Raid4, 3),
    ] {
        for kernel in [(4, 1), (4, 9), (6, 0), (6, 1)] {
            let mut config = config(level, members, 32);
            config.policy = policy(KernelVersion::new(kernel.0, kernel.1, 0)).parity;
            let mut bench = Bench::new(config);
            let data = u64::from(config.geometry.data_members());
            let asked = 32 * K * data * 2;
            bench.run(Operation::Write, 0, asked);
            assert_eq!(bench.count(Operation::Read), 0);
            assert_eq!(
                bench.sectors(Operation::Write) * data,
                asked * u64::from(members)
            );
            assert_eq!(bench.work.copied_bytes, asked * 512);
            let computed = bench.work.xored_bytes + bench.work.syndrome_bytes;
            assert_eq!(computed, asked * 512, "each data block is read once");
        }
    }
}

#[test]
fn full_rows_are_written_member_by_member() {
    // Eight stripes of a chunk are one batch: its bios can merge into one request a member.
    let mut bench = Bench::new(config(Level::Raid5, 3, 32));
    bench.run(Operation::Write, 0, 64 * 2);
    let order: Vec<(u16, u64)> = bench
        .log
        .iter()
        .map(|bio| (bio.member.0, bio.start.get()))
        .collect();
    let expected: Vec<(u16, u64)> = [2, 1, 0]
        .into_iter()
        .flat_map(|member| (0..8).map(move |block| (member, block * 8)))
        .collect();
    assert_eq!(order, expected);
}

#[test]
fn lazy_writes_wait_for_their_row() {
    let mut bench = Bench::new(config(Level::Raid5, 4, 4));
    for (block, reads) in [(30, 0), (0, 0), (1, 0), (2, 0)] {
        bench.submit(
            Operation::Write,
            block * 8,
            8,
            if block == 30 { SYNC } else { LAZY },
        );
        bench.parity.unplug();
        if block == 30 {
            // While it reads old data, others are delayed.
            bench.run_thread();
            assert_eq!(bench.count(Operation::Read), 2);
            bench.log.clear();
        } else {
            bench.run_thread();
            assert_eq!(bench.count(Operation::Read), reads);
        }
    }
    assert_eq!(
        bench.count(Operation::Write),
        3 + 1,
        "the row was completed by then"
    );
    bench.settle();
    assert_eq!(bench.count(Operation::Read), 0);
}

#[test]
fn reads_bypass_the_cache_chunk_by_chunk() {
    let mut bench = Bench::new(config(Level::Raid5, 4, 32));
    bench.run(Operation::Write, 0, 8);
    bench.log.clear();
    bench.run(Operation::Read, 60, 100);
    let read: Vec<(u16, u64, u64)> = bench
        .log
        .iter()
        .map(|bio| (bio.member.0, bio.start.get(), bio.length.get()))
        .collect();
    assert_eq!(read, [(0, 60, 4), (1, 0, 64), (2, 0, 32)]);
    let mut old = config(Level::Raid5, 4, 32);
    old.policy = policy(KernelVersion::new(4, 1, 0)).parity;
    let mut bench = Bench::new(old);
    bench.run(Operation::Read, 60, 100);
    assert_eq!(
        bench.take_counts(),
        (1 + 8 + 4, 0),
        "before 4.3 block by block, if not in one chunk"
    );
    bench.run(Operation::Read, 0, 64);
    assert_eq!(bench.take_counts(), (1, 0));
}

#[test]
fn before_4_1_a_degraded_array_reads_its_working_members_past_the_cache() {
    for (minor, reads) in [(0, 3 + 1), (1, 3)] {
        let mut config = config(Level::Raid5, 4, 32);
        config.policy = policy(KernelVersion::new(4, minor, 0)).parity;
        let mut bench = Bench::new(config);
        bench.parity.fail_member(Member(0)).unwrap();
        bench.run(Operation::Read, 0, 8);
        bench.run(Operation::Read, 64, 8);
        assert_eq!(bench.take_counts(), (reads, 0), "4.{minor}");
    }
}

#[test]
fn parity_replaces_a_missing_member() {
    // Row 0 of left-symmetric: data on 0, 1, 2, parity on 3.
    let degraded = |member: u16| {
        let mut bench = Bench::new(config(Level::Raid5, 4, 32));
        bench.parity.fail_member(Member(member)).unwrap();
        assert!(bench.parity.fail_member(Member((member + 1) % 4)).is_err());
        bench
    };
    let mut bench = degraded(0);
    bench.run(Operation::Read, 0, 8);
    assert_eq!(bench.take_counts(), (3, 0), "computed from the others");
    bench.run(Operation::Read, 0, 8);
    assert_eq!(bench.take_counts(), (0, 0), "and cached");
    let mut bench = degraded(0);
    bench.run(Operation::Read, 64, 8);
    assert_eq!(bench.take_counts(), (1, 0), "through the cache");
    let mut bench = degraded(0);
    bench.run(Operation::Write, 0, 8);
    assert_eq!(
        bench.take_counts(),
        (2, 1),
        "only the parity holds its data"
    );
    let mut bench = degraded(0);
    bench.run(Operation::Write, 64, 8);
    assert_eq!(
        bench.take_counts(),
        (2, 2),
        "old data and parity: the rest cannot be read"
    );
    let mut bench = degraded(3);
    bench.run(Operation::Write, 0, 8);
    assert_eq!(
        bench.take_counts(),
        (2, 1),
        "no parity to write; md still reads the rest"
    );
    let mut bench = degraded(0);
    bench.run(Operation::Write, 0, 4);
    assert_eq!(
        bench.take_counts(),
        (3, 1),
        "half a block of the missing member needs all others"
    );
}

#[test]
fn parity_replaces_two_missing_members() {
    let mut bench = Bench::new(config(Level::Raid6, 6, 32));
    bench.parity.fail_member(Member(0)).unwrap();
    bench.parity.fail_member(Member(1)).unwrap();
    assert!(bench.parity.fail_member(Member(2)).is_err());
    for start in (0..64 * 4 * 6).step_by(24) {
        bench.run(Operation::Write, start, 8);
        bench.run(Operation::Read, start, 16);
        bench.run(Operation::Write, start + 3, 11);
    }
    assert!(bench.log.iter().all(|bio| bio.member.0 > 1));
}

#[test]
fn flags_go_to_data_and_parity() {
    let mut bench = Bench::new(config(Level::Raid6, 6, 32));
    bench.submit(Operation::Write, 0, 8, Flags { fua: true, ..SYNC });
    bench.submit(Operation::Write, 640, 8, LAZY);
    bench.settle();
    let writes: Vec<(u64, Flags)> = bench
        .log
        .iter()
        .filter(|bio| bio.operation == Operation::Write)
        .map(|bio| (bio.start.get(), bio.flags))
        .collect();
    let durable = Flags { fua: true, ..SYNC };
    assert_eq!(writes.iter().filter(|write| write.1 == durable).count(), 3);
    assert_eq!(writes.iter().filter(|write| write.1 == LAZY).count(), 3);
}

#[test]
fn an_exhausted_cache_makes_bios_wait_and_grows() {
    let mut bench = Bench::new(config(Level::Raid5, 4, 32));
    let mut waiting = 0;
    for index in 0..600_u64 {
        let taken = bench.submit(Operation::Write, index * 64 * 3 * 8, 8, SYNC);
        waiting += u32::from(taken == Submission::Waits);
    }
    // All in one part of the cache: 32 stripes.
    assert_eq!(waiting, 600 - 32);
    bench.settle();
    assert_eq!(bench.out.admitted.len(), 600 - 32);
    assert!(bench.parity.cache_stripes() > 256);
    assert_eq!(bench.take_counts(), (1200, 1200));
}

#[test]
fn overlapping_writes_follow_one_another() {
    let mut bench = Bench::new(config(Level::Raid5, 4, 32));
    assert_eq!(
        bench.submit(Operation::Write, 0, 8, SYNC),
        Submission::Taken
    );
    assert_eq!(
        bench.submit(Operation::Write, 4, 8, SYNC),
        Submission::Waits
    );
    assert_eq!(
        bench.submit(Operation::Write, 16, 8, SYNC),
        Submission::Taken
    );
    bench.settle();
    assert_eq!(bench.out.admitted, [1]);
    assert_eq!(bench.take_counts(), (2 * 3, 2 * 4));
}

#[test]
fn writes_wait_for_the_bitmap() {
    let mut bench = Bench::new(ParityConfig {
        bitmap: true,
        ..config(Level::Raid5, 4, 32)
    });
    bench.submit(Operation::Write, 0, 8, SYNC);
    bench.parity.unplug();
    let work = bench.parity.run_thread(&mut bench.out);
    assert!(work.writes_bitmap);
    assert!(!bench.parity.thread_has_work(), "it waits");
    bench.submit(Operation::Write, 640, 8, SYNC);
    bench.parity.unplug();
    bench.parity.bitmap_written();
    bench.settle();
    assert_eq!(
        bench.bitmap_flushes, 1,
        "the second came too late for the first flush"
    );
}

#[test]
fn a_write_marks_its_own_blocks_in_the_bitmap_and_whole_rows_since_6_14() {
    let ranges = |kernel: KernelVersion| -> Vec<(u64, u64)> {
        let bench = Bench::new(ParityConfig {
            policy: policy(kernel).parity,
            ..config(Level::Raid5, 4, 32)
        });
        // From the second chunk of the second row to the first of the third: a row has 192 sectors.
        let ranges = bench
            .parity
            .bitmap_ranges(Sectors::new(300), Sectors::new(92));
        ranges
            .map(|(at, length)| (at.get(), length.get()))
            .collect()
    };
    // A chunk has 64 sectors.
    let old = ranges(KernelVersion::new(6, 1, 192));
    assert_eq!(old, [(108, 20), (64, 64), (128, 8)]);
    assert_eq!(ranges(KernelVersion::new(6, 14, 0)), [(64, 128)]);
}

#[test]
fn resync_reads_all_and_writes_wrong_parity() {
    for (level, members, wrong) in [(Level::Raid5, 4, 1), (Level::Raid6, 6, 2)] {
        let mut bench = Bench::new(ParityConfig {
            synced: false,
            ..config(level, members, 32)
        });
        let all = usize::from(members);
        for (number, (mismatch, counts)) in [(false, (all, 0)), (true, (all, wrong))]
            .into_iter()
            .enumerate()
        {
            let sector = Sectors::new(number as u64 * 8);
            assert!(bench.parity.sync_request(sector, mismatch));
            bench.settle();
            assert_eq!(bench.take_counts(), counts);
        }
        assert_eq!(bench.out.synced, Sectors::new(16));
        bench.run(Operation::Write, 800, 8);
        assert_eq!(
            bench.take_counts().0,
            all - wrong - 1,
            "unsynced: from the rest of the row"
        );
        bench.parity.set_resynced(None);
    }
}

#[test]
fn a_rebuild_computes_the_new_member() {
    for (level, members) in [(Level::Raid5, 4), (Level::Raid6, 6)] {
        let mut bench = Bench::new(config(level, members, 32));
        for member in 0..bench.parity.geometry().parities() {
            bench.parity.fail_member(Member(member)).unwrap();
            bench.parity.replace_member(Member(member));
        }
        let lost = usize::from(bench.parity.geometry().parities());
        for number in 0..64 {
            assert!(bench.parity.sync_request(Sectors::new(number * 8), false));
            bench.settle();
            assert_eq!(bench.take_counts(), (usize::from(members) - lost, lost));
            bench.parity.set_rebuilt(Sectors::new((number + 1) * 8));
        }
        assert_eq!(bench.out.synced, Sectors::new(64 * 8));
        bench.run(Operation::Read, 0, 8);
        assert_eq!(bench.take_counts(), (0, 0), "still cached");
        bench.parity.finish_rebuild();
        bench.run(Operation::Read, 0, 8);
        assert_eq!(bench.take_counts(), (1, 0), "healthy again");
    }
}

#[test]
fn a_warm_array_does_not_allocate() {
    // The kernel grows a cache while it is exhausted; this test forbids that.
    let mut bench = Bench::new(ParityConfig {
        cache_stripes_max: CACHE_STRIPES,
        ..config(Level::Raid5, 4, 32)
    });
    let load = |bench: &mut Bench, seed: u64| {
        for round in 0..200_u64 {
            for index in 0..32 {
                let place = (seed + round * 7919 + index * 104_729) % 100_000;
                bench.submit(Operation::Write, place * 8, 8 + place % 300, SYNC);
            }
            bench.settle();
            bench.out.admitted.clear();
        }
    };
    load(&mut bench, 0);
    let room = (bench.parity.capacity(), bench.parity.cache_stripes());
    load(&mut bench, 0);
    assert_eq!(
        (bench.parity.capacity(), bench.parity.cache_stripes()),
        room
    );
}
