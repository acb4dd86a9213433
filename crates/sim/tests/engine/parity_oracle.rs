//! Guards against parity arrays that read or write other blocks than md.
//!
//! At depth 1 the counts follow from a few rules that are slow and obvious when written down: stripes of 4
//! KiB, a cache of 256 of them in eight parts, each with the least recently used first, and for each stripe
//! of a write whichever of read-modify-write and reconstruct-write reads fewer blocks. A tie
//! reconstructs. Written down here a second time, from the rules and not from the model.

use std::collections::BTreeSet;

use proptest::prelude::*;
use stripewise_study::stack::Level;
use stripewise_study::workload::Pattern;

use crate::support::*;

const BLOCK: u64 = 4 * KIB;
const CHUNK: u64 = 32 * KIB;

/// What is in the cache: stripes by number, the least recently used first, with the members that are
/// up to date.
#[derive(Default)]
struct Part(Vec<(u64, BTreeSet<u64>)>);

struct Oracle {
    level: Level,
    members: u64,
    parts: Vec<Part>,
    read_blocks: Vec<u64>,
    written_blocks: Vec<u64>,
}

impl Oracle {
    fn new(level: Level, members: u32) -> Self {
        let members = u64::from(members);
        Self {
            level,
            members,
            parts: (0..8).map(|_| Part::default()).collect(),
            read_blocks: vec![0; usize::try_from(members).unwrap()],
            written_blocks: vec![0; usize::try_from(members).unwrap()],
        }
    }

    fn data_members(&self) -> u64 {
        match self.level {
            Level::Raid6 => self.members - 2,
            _ => self.members - 1,
        }
    }

    /// Returns P, Q and the members of the data of a row of chunks (left-symmetric; RAID 4: last).
    fn row(&self, row: u64) -> (Vec<u64>, Vec<u64>) {
        let n = self.members;
        let parities = match self.level {
            Level::Raid4 => vec![n - 1],
            Level::Raid5 => vec![n - 1 - row % n],
            _ => {
                let p = n - 1 - row % n;
                vec![p, (p + 1) % n]
            }
        };
        let data = match self.level {
            Level::Raid4 => (0..n - 1).collect(),
            _ => {
                let behind = parities[parities.len() - 1];
                (1..=self.data_members())
                    .map(|step| (behind + step) % n)
                    .collect()
            }
        };
        (parities, data)
    }

    /// Takes a stripe out of the cache, or an empty one.
    fn take(&mut self, stripe: u64) -> BTreeSet<u64> {
        let part = &mut self.parts[usize::try_from(stripe % 8).unwrap()].0;
        match part.iter().position(|entry| entry.0 == stripe) {
            Some(place) => part.remove(place).1,
            None => {
                if part.len() == 32 {
                    part.remove(0);
                }
                BTreeSet::new()
            }
        }
    }

    fn put(&mut self, stripe: u64, cached: BTreeSet<u64>) {
        self.parts[usize::try_from(stripe % 8).unwrap()]
            .0
            .push((stripe, cached));
    }

    /// Writes whole blocks from `start`.
    fn write(&mut self, start: u64, length: u64) {
        let data_members = self.data_members();
        let blocks_of_chunk = CHUNK / BLOCK;
        // Stripes of the write, each with the data columns that are overwritten.
        let mut stripes: Vec<(u64, Vec<u64>)> = Vec::new();
        for block in start / BLOCK..(start + length) / BLOCK {
            let chunk = block / blocks_of_chunk;
            let stripe = chunk / data_members * blocks_of_chunk + block % blocks_of_chunk;
            let column = chunk % data_members;
            match stripes.iter_mut().find(|entry| entry.0 == stripe) {
                Some(entry) => entry.1.push(column),
                None => stripes.push((stripe, vec![column])),
            }
        }
        for (stripe, columns) in stripes {
            self.write_stripe(stripe, &columns);
        }
    }

    fn write_stripe(&mut self, stripe: u64, columns: &[u64]) {
        let (parities, data) = self.row(stripe / (CHUNK / BLOCK));
        let written: Vec<u64> = columns
            .iter()
            .map(|&column| data[usize::try_from(column).unwrap()])
            .collect();
        let mut cached = self.take(stripe);
        let missing = |members: Vec<u64>, cached: &BTreeSet<u64>| -> Vec<u64> {
            members
                .into_iter()
                .filter(|member| !cached.contains(member))
                .collect()
        };
        let old = missing(written.iter().chain(&parities).copied().collect(), &cached);
        let rest = data
            .iter()
            .copied()
            .filter(|member| !written.contains(member));
        let rest = missing(rest.collect(), &cached);
        let reads = if old.len() < rest.len() { old } else { rest };
        for member in &reads {
            self.read_blocks[usize::try_from(*member).unwrap()] += 1;
            cached.insert(*member);
        }
        for member in written.iter().chain(&parities) {
            self.written_blocks[usize::try_from(*member).unwrap()] += 1;
            cached.insert(*member);
        }
        self.put(stripe, cached);
    }
}

/// Compares blocks of each member after `writes` sequential writes: their offsets are known.
fn check(level: Level, members: u32, block_size: u64, file: u64, writes: u64) {
    let case = Case::array(level, None, members).pattern(Pattern::Write, block_size);
    let sample = case.size(file).run(writes);
    let mut oracle = Oracle::new(level, members);
    let mut offset = 0;
    for _ in 0..writes {
        if offset + block_size > file {
            offset = 0;
        }
        oracle.write(offset, block_size);
        offset += block_size;
    }
    let read = each(&sample, |device| device.read_bytes.as_u64() / BLOCK);
    let written = each(&sample, |device| device.write_bytes.as_u64() / BLOCK);
    assert_eq!(
        written, oracle.written_blocks,
        "writes of {level} on {members}"
    );
    assert_eq!(read, oracle.read_blocks, "reads of {level} on {members}");
    let requests = each(&sample, |device| {
        device.reads + device.writes + device.read_merges + device.write_merges
    });
    let blocks: Vec<u64> = read
        .iter()
        .zip(&written)
        .map(|(read, written)| read + written)
        .collect();
    assert_eq!(
        requests, blocks,
        "every block is a request or was merged into one"
    );
}

#[test]
fn small_writes_choose_the_cheaper_way() {
    // 3 and 4 members reconstruct, 5 and more read the old data and parity.
    for members in 3..=8 {
        check(Level::Raid5, members, 4 * KIB, 16 * MIB, 600);
    }
    for members in 4..=9 {
        check(Level::Raid6, members, 4 * KIB, 16 * MIB, 600);
    }
}

#[test]
fn blocks_that_are_cached_are_not_read_again() {
    // The file fits in the cache: from the second round on nothing is read.
    check(Level::Raid5, 5, 4 * KIB, 512 * KIB, 600);
    // It is a little larger than the cache: least recently used is what is needed next.
    check(Level::Raid5, 3, 8 * KIB, 4 * MIB, 1200);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn writes_of_any_size_follow_the_rules(
        level in prop::sample::select(vec![Level::Raid4, Level::Raid5, Level::Raid6]),
        members in 4_u32..9,
        blocks in 1_u64..70,
        file in 1_u64..16,
    ) {
        let block_size = blocks * BLOCK;
        check(level, members, block_size, (file * 128 * KIB).max(block_size), (3000 / blocks).min(200));
    }
}

#[test]
fn healthy_reads_take_one_request_for_each_chunk_and_none_is_lost() {
    for (members, block_size) in [
        (3, 4 * KIB),
        (3, 64 * KIB),
        (3, 512 * KIB),
        (4, MIB),
        (5, 3 * MIB),
    ] {
        let case = Case::array(Level::Raid5, None, members).pattern(Pattern::Read, block_size);
        let sample = case.size(96 * MIB).run(32);
        let (read, written) = member_bytes(&sample);
        assert_eq!(
            (read, written),
            (32 * block_size, 0),
            "{members} members, {block_size}"
        );
    }
}

#[test]
fn reads_that_are_too_long_for_a_member_are_done_when_their_last_part_is() {
    let mut profile = ssd();
    profile.request_bytes_max = Some(64 * KIB);
    let case = Case::array(Level::Raid5, None, 4)
        .on(4, &profile)
        .chunk(512 * KIB);
    let sample = case
        .pattern(Pattern::Read, 512 * KIB)
        .size(96 * MIB)
        .depth(1, 4)
        .run(64);
    let (read, _) = member_bytes(&sample);
    assert_eq!(read, 64 * 512 * KIB);
    // 512 KiB take 1048 us on the link alone.
    let shortest = sample.read.latency.min_ns.unwrap().as_u64();
    assert!(shortest >= 1_048_576, "{shortest} ns");
}
