use std::collections::BTreeMap;

use proptest::prelude::*;
use stripewise_profiles::kernel::{ReadAheadLimit, ReadAheadPolicy, policy};
use stripewise_units::kernel::KernelVersion;

use super::*;
use crate::engine::read_ahead::WindowLimits;

const PAGE_BYTES: u64 = 4096;

/// Linux, function by function: every page is an entry of a map.
#[derive(Debug)]
struct Oracle {
    policy: ReadAheadPolicy,
    limits: WindowLimits,
    file_pages: u64,
    start: u64,
    size: u64,
    async_size: u64,
    prev_pos: u64,
    /// The pages in memory, and whether they have `PG_readahead`.
    pages: BTreeMap<u64, bool>,
    reads: Vec<Range<u64>>,
}

impl Oracle {
    /// `filemap_read`, `filemap_get_pages`.
    fn read(&mut self, pos: u64, bytes: u64) {
        let last_index = (pos + bytes).div_ceil(PAGE_BYTES);
        for index in pos / PAGE_BYTES..last_index {
            if !self.pages.contains_key(&index) {
                match self.policy.misses_start_over {
                    true => self.page_cache_sync_ra(index, last_index - index),
                    false if self.limits.is_random => {
                        self.force_page_cache_ra(index, last_index - index);
                    }
                    false => self.ondemand_readahead(index, last_index - index, false),
                }
                // `filemap_create_folio`.
                self.do_page_cache_ra(index, 1, 0);
            }
            if self.pages.insert(index, false) == Some(true) {
                match self.policy.misses_start_over {
                    true => self.page_cache_async_ra(index, last_index - index),
                    false => self.ondemand_readahead(index, last_index - index, true),
                }
            }
        }
        self.prev_pos = pos + bytes;
    }

    /// `do_page_cache_ra`, `page_cache_ra_unbounded`.
    fn do_page_cache_ra(&mut self, index: u64, nr_to_read: u64, lookahead: u64) {
        let end_index = self.file_pages - 1;
        if index > end_index {
            return;
        }
        let nr_to_read = match nr_to_read > end_index - index {
            true => end_index - index + 1,
            false => nr_to_read,
        };
        let mut run = index..index;
        for i in 0..nr_to_read {
            let page = index + i;
            if self.pages.contains_key(&page) {
                self.submit(&run);
                run = page + 1..page + 1;
                continue;
            }
            let marked = i == nr_to_read.wrapping_sub(lookahead);
            self.pages.insert(page, marked);
            run.end = page + 1;
        }
        self.submit(&run);
    }

    fn submit(&mut self, run: &Range<u64>) {
        if run.is_empty() {
            return;
        }
        match self.reads.last_mut() {
            Some(last) if self.limits.is_random && last.end == run.start => last.end = run.end,
            _ => self.reads.push(run.clone()),
        }
    }

    fn force_page_cache_ra(&mut self, index: u64, nr_to_read: u64) {
        let limits = self.limits;
        let max = match self.policy.limit {
            ReadAheadLimit::Memory => u64::MAX,
            ReadAheadLimit::TwoMebibytes => 512,
            ReadAheadLimit::Window => limits.pages_max,
            ReadAheadLimit::Request => limits.request_pages.max(limits.pages_max),
        };
        let (mut index, mut nr_to_read) = (index, nr_to_read.min(max));
        while nr_to_read > 0 {
            let this_chunk = nr_to_read.min(512);
            self.do_page_cache_ra(index, this_chunk, 0);
            index += this_chunk;
            nr_to_read -= this_chunk;
        }
    }

    fn max_pages(&self, req_size: u64) -> u64 {
        let (mut max_pages, io_pages) = (self.limits.pages_max, self.limits.request_pages);
        match self.policy.limit {
            ReadAheadLimit::TwoMebibytes => max_pages = max_pages.min(512),
            ReadAheadLimit::Request if req_size > max_pages && io_pages > max_pages => {
                max_pages = req_size.min(io_pages);
            }
            _ => {}
        }
        max_pages
    }

    fn get_init_ra_size(size: u64, max: u64) -> u64 {
        let mut newsize = 1;
        while newsize < size {
            newsize *= 2;
        }
        if newsize <= max / 32 {
            newsize * 4
        } else if newsize <= max / 4 {
            newsize * 2
        } else {
            max
        }
    }

    fn get_next_ra_size(&self, max: u64) -> u64 {
        let cur = self.size;
        if cur < max / 16 {
            return 4 * cur;
        }
        if cur <= max / 2 {
            return 2 * cur;
        }
        max
    }

    fn grown(&self, max: u64) -> u64 {
        let next = self.get_next_ra_size(max);
        match self.policy.windows_never_shrink {
            true => next.max(self.size),
            false => next,
        }
    }

    /// `count_history_pages`; `page_cache_prev_miss`.
    fn history(&self, index: u64, max: u64) -> u64 {
        let before = (0..index).rev().take(usize::try_from(max).unwrap());
        let cached = before.take_while(|page| self.pages.contains_key(page));
        u64::try_from(cached.count()).unwrap()
    }

    /// Returns whether a stream from `index` on leaves the latest window alone: memory keeps that.
    fn is_far(&self, index: u64) -> bool {
        index > self.start + 4 * self.size || index + 4 * self.limits.pages_max < self.start
    }

    /// 6.1.
    fn ondemand_readahead(&mut self, index: u64, req_size: u64, marked: bool) {
        let max_pages = self.max_pages(req_size);
        let mut is_initial = index == 0;
        let expected = self.start + self.size - self.async_size;
        if !is_initial && (index == expected || index == self.start + self.size) {
            self.start += self.size;
            self.size = self.grown(max_pages);
            self.async_size = self.size;
            self.readit(index, max_pages);
            return;
        }
        if !is_initial && marked {
            self.marked_without_state(index, req_size, max_pages);
            return;
        }
        is_initial |= req_size > max_pages;
        is_initial |= index.wrapping_sub(self.prev_pos >> 12) <= 1;
        if is_initial {
            self.start = index;
            self.size = Self::get_init_ra_size(req_size, max_pages);
            self.async_size = match self.size > req_size {
                true => self.size - req_size,
                false => self.size,
            };
            self.readit(index, max_pages);
            return;
        }
        let mut size = self.history(index, max_pages);
        if size <= req_size {
            self.do_page_cache_ra(index, req_size, 0);
            return;
        }
        if size >= index {
            size *= 2;
        }
        self.start = index;
        self.size = (size + req_size).min(max_pages);
        self.async_size = 1;
        self.readit(index, max_pages);
    }

    fn readit(&mut self, index: u64, max_pages: u64) {
        if index == self.start && self.size == self.async_size {
            let add_pages = self.get_next_ra_size(max_pages);
            if self.size + add_pages <= max_pages {
                self.async_size = add_pages;
                self.size += add_pages;
            } else {
                self.size = max_pages;
                self.async_size = max_pages >> 1;
            }
        }
        self.do_page_cache_ra(self.start, self.size, self.async_size);
    }

    fn marked_without_state(&mut self, index: u64, req_size: u64, max_pages: u64) {
        let end = index + 1 + max_pages;
        let start = (index + 1..end).find(|page| !self.pages.contains_key(page));
        let Some(start) = start.filter(|start| start - index <= max_pages) else {
            return;
        };
        self.start = start;
        self.size = start - index + req_size;
        self.size = self.get_next_ra_size(max_pages);
        self.async_size = self.size;
        self.do_page_cache_ra(self.start, self.size, self.async_size);
    }

    /// 6.12.
    fn page_cache_sync_ra(&mut self, index: u64, req_count: u64) {
        if self.limits.is_random {
            self.force_page_cache_ra(index, req_count);
            return;
        }
        let max_pages = self.max_pages(req_count);
        let prev_index = self.prev_pos >> 12;
        if index == 0 || req_count > max_pages || index.wrapping_sub(prev_index) <= 1 {
            self.start = index;
            self.size = Self::get_init_ra_size(req_count, max_pages);
            self.async_size = match self.size > req_count {
                true => self.size - req_count,
                false => self.size >> 1,
            };
        } else {
            let mut contig_count = self.history(index, max_pages);
            if contig_count <= req_count {
                self.do_page_cache_ra(index, req_count, 0);
                return;
            }
            if contig_count >= index {
                contig_count *= 2;
            }
            self.start = index;
            self.size = (contig_count + req_count).min(max_pages);
            self.async_size = 1;
        }
        self.do_page_cache_ra(self.start, self.size, self.async_size);
    }

    fn page_cache_async_ra(&mut self, index: u64, req_count: u64) {
        let max_pages = self.max_pages(req_count);
        if index != self.start + self.size - self.async_size {
            self.marked_without_state(index, req_count, max_pages);
            return;
        }
        self.start += self.size;
        self.size = self.grown(max_pages);
        self.async_size = self.size;
        self.do_page_cache_ra(self.start, self.size, self.async_size);
    }
}

/// The model and the oracle with the same file.
#[derive(Debug)]
struct Pair {
    file: OpenFile,
    oracle: Oracle,
    reads: Vec<Range<u64>>,
}

fn limits(pages_max: u64, request_pages: u64, is_random: bool) -> WindowLimits {
    WindowLimits {
        pages_max,
        request_pages,
        is_random,
    }
}

fn open(version: KernelVersion, limits: WindowLimits, file_pages: u64) -> OpenFile {
    let read_ahead = ReadAhead::new(policy(version).read_ahead, limits);
    let place = Sectors::default()..Sectors::new(file_pages * PAGE);
    OpenFile::new(place, read_ahead, file_pages, 1)
}

/// Reads `bytes` at `pos`; returns the pages that the kernel reads for it.
fn read(file: &mut OpenFile, pos: u64, bytes: u64) -> Vec<Range<u64>> {
    let (start, length) = (Sectors::new(pos / 512), Sectors::new(bytes / 512));
    let mut left = file.pages(start, length);
    let mut reads = Vec::new();
    while !left.is_empty() {
        match file.next_step(&left) {
            ReadStep::Read(pages) => reads.push(pages),
            ReadStep::Copy(to) => left.start = to,
            ReadStep::Wait => unreachable!("all pages arrive at once"),
        }
    }
    file.read_ended(start + length);
    reads
}

impl Pair {
    fn new(version: KernelVersion, limits: WindowLimits, file_pages: u64) -> Self {
        Self {
            file: open(version, limits, file_pages),
            oracle: Oracle {
                policy: policy(version).read_ahead,
                limits,
                file_pages,
                start: 0,
                size: 0,
                async_size: 0,
                prev_pos: u64::MAX,
                pages: BTreeMap::new(),
                reads: Vec::new(),
            },
            reads: Vec::new(),
        }
    }

    fn read(&mut self, pos: u64, bytes: u64) {
        for pages in read(&mut self.file, pos, bytes) {
            match self.reads.last_mut() {
                Some(last) if self.oracle.limits.is_random && last.end == pages.start => {
                    last.end = pages.end;
                }
                _ => self.reads.push(pages),
            }
        }
        self.oracle.read(pos, bytes);
    }

    /// Drops all pages: memory is far smaller than the file.
    fn forget(&mut self) {
        self.file.cached.clear();
        self.file.marked = None;
        self.oracle.pages.clear();
    }
}

const VERSIONS: [KernelVersion; 7] = [
    KernelVersion::new(3, 10, 0),
    KernelVersion::new(4, 1, 0),
    KernelVersion::new(4, 4, 0),
    KernelVersion::new(5, 10, 0),
    KernelVersion::new(6, 1, 192),
    KernelVersion::new(6, 12, 117),
    KernelVersion::new(6, 17, 0),
];

proptest! {
    // `make soak` tries 256.
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Streams of reads of one size, which go round the file, with jumps.
    #[test]
    fn the_windows_of_a_stream_are_those_of_linux(
        version in 0..VERSIONS.len(),
        pages_max in prop::sample::select(vec![32_u64, 64, 100, 256, 512, 2048]),
        request_pages in prop::sample::select(vec![31_u64, 320, 1024]),
        is_random in prop::bool::weighted(0.2),
        sectors in prop_oneof![1_u64..64, 64_u64..4096],
        file_blocks in 2_u64..40,
        jumps in prop::collection::vec((0_usize..60, 0_u64..40), 0..3),
    ) {
        let bytes = sectors * 512;
        let file_pages = (file_blocks * bytes).div_ceil(PAGE_BYTES).max(16 * pages_max);
        let limits = limits(pages_max, request_pages, is_random);
        let mut pair = Pair::new(VERSIONS[version], limits, file_pages);
        let mut pos = 0;
        for number in 0..120 {
            let jump = jumps.iter().find(|(at, _)| *at == number);
            let target = jump.map(|(_, block)| (file_pages * block / 40) * PAGE_BYTES / bytes * bytes);
            if let Some(target) = target.filter(|target| pair.oracle.is_far(target / PAGE_BYTES)) {
                pos = target;
                pair.forget();
            }
            if pos + bytes > file_pages * PAGE_BYTES {
                pos = 0;
                pair.forget();
            }
            pair.read(pos, bytes);
            prop_assert_eq!(&pair.reads, &pair.oracle.reads, "read {} at {}", number, pos);
            pos += bytes;
        }
    }
}

/// Returns the sizes of the first windows of a sequential stream, in KiB.
fn sizes(version: KernelVersion, limits: WindowLimits, block_kib: u64) -> Vec<u64> {
    let mut file = open(version, limits, 1 << 20);
    let mut sizes = Vec::new();
    let mut pos = 0;
    while sizes.len() < 8 {
        for pages in read(&mut file, pos, block_kib << 10) {
            sizes.push((pages.end - pages.start) * 4);
        }
        pos += block_kib << 10;
    }
    sizes.truncate(8);
    sizes
}

/// Known sequences: a window grows four times, then twice, up to the limit; each is read when the
/// one before it is reached.
#[test]
fn windows_grow_up_to_the_limit() {
    let [new, old] = [(6, 12, 117), (6, 1, 192)]
        .map(|(major, minor, patch)| KernelVersion::new(major, minor, patch));
    let small = limits(64, 320, false);
    assert_eq!(sizes(old, small, 4), [16, 32, 64, 128, 256, 256, 256, 256]);
    assert_eq!(sizes(new, small, 4), sizes(old, small, 4));
    // RAID 0 of four disks with chunks of 512K: 2 x 2 MiB, doubled for a sequential file.
    let wide = limits(2048, 320, false);
    assert_eq!(
        sizes(new, wide, 4),
        [16, 64, 256, 1024, 2048, 4096, 8192, 8192]
    );
    assert_eq!(
        sizes(new, wide, 1024),
        [2048, 4096, 8192, 8192, 8192, 8192, 8192, 8192]
    );
    // A read longer than the window is read at once, up to the longest request.
    assert_eq!(sizes(new, small, 1024)[..3], [1024, 1024, 1024]);
    assert_eq!(
        sizes(new, limits(64, 64, false), 1024)[..3],
        [256, 256, 256]
    );
}

#[test]
fn a_program_that_reads_at_random_gets_what_it_reads() {
    let version = KernelVersion::new(6, 12, 117);
    let mut file = open(version, limits(64, 320, true), 1 << 20);
    assert_eq!(read(&mut file, 0, 4096).pop(), Some(0..1));
    assert_eq!(read(&mut file, 40_960, 8192).pop(), Some(10..12));
    // What was read last is still in memory.
    assert_eq!(read(&mut file, 40_960, 8192), [] as [Range<u64>; 0]);
    // A read of 4 MiB is read in parts that the device takes at once.
    assert_eq!(read(&mut file, 1 << 23, 4 << 20).len(), 4);
}

#[test]
fn a_warm_file_is_not_read() {
    let version = KernelVersion::new(6, 12, 117);
    let mut file = open(version, limits(64, 320, false), 1000);
    file.warm(&(Sectors::default()..Sectors::new(1000 * PAGE)));
    for pos in [0, 4096, 2_000_000] {
        assert_eq!(read(&mut file, pos, 65536), [] as [Range<u64>; 0]);
    }
}
