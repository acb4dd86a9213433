//! Read-ahead of one open file: which pages the kernel reads when a read misses the page cache, or
//! reaches a marked page (`mm/readahead.c`).
//!
//! ```text
//!                        |<----- ahead ----------|
//!     |------------------- size -----------------|
//!     |==================#=======================|
//!     ^start             ^marked: who reads this page starts the next window
//! ```
//!
//! A window that follows another one is marked at its first page. So while a program consumes one
//! window the next one is on its way, and at most two are read at once.
//!
//! All numbers are pages of the file. Folios of several pages, which move a mark to the folio's
//! start and, in the newest kernels, a window's end to a multiple of the folio, are not modelled.

use std::ops::Range;

use stripewise_profiles::kernel::{ReadAheadLimit, ReadAheadPolicy};

/// The page before the first read of a file (`file_ra_state_init`: `prev_pos` is -1).
const NEVER_READ: u64 = u64::MAX >> 12;

/// What limits the windows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WindowLimits {
    /// The longest window (`ra_pages`).
    pub(super) pages_max: u64,
    /// The longest request of the device (`io_pages`).
    pub(super) request_pages: u64,
    /// Whether the program said that it reads at random (`FMODE_RANDOM`).
    pub(super) is_random: bool,
}

/// Pages to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// The pages, which may end behind the file's end.
    pub(super) pages: Range<u64>,
    /// The page whose reader starts the next window.
    pub(super) marked: Option<u64>,
}

/// The state of read-ahead (`struct file_ra_state`).
#[derive(Debug, Clone)]
pub(super) struct ReadAhead {
    policy: ReadAheadPolicy,
    limits: WindowLimits,
    start: u64,
    size: u64,
    ahead: u64,
    /// The page of the position behind the latest read.
    previous: u64,
}

impl ReadAhead {
    /// Returns the state of a file that was just opened.
    pub(super) fn new(policy: ReadAheadPolicy, limits: WindowLimits) -> Self {
        Self {
            policy,
            limits,
            start: 0,
            size: 0,
            ahead: 0,
            previous: NEVER_READ,
        }
    }

    /// Notes the end of a read; `page` is the one of the position behind it.
    pub(super) fn read_ended(&mut self, page: u64) {
        self.previous = page;
    }

    /// Returns what a read of `count` pages from `index` on makes the kernel read if that page is
    /// not in memory (`page_cache_sync_ra`). The `history` pages before it are.
    pub(super) fn miss(&mut self, index: u64, count: u64, history: u64) -> Window {
        if self.limits.pages_max == 0 {
            // Read-ahead is off.
            return exactly(index, 1);
        }
        let longest = self.longest(count);
        if self.limits.is_random {
            return exactly(index, count.min(self.longest_random()));
        }
        let follows = !self.policy.misses_start_over
            && self.size > 0
            && (index == self.start + self.size || index == self.start + self.size - self.ahead);
        if index != 0 && follows {
            self.advance(longest);
            if index == self.start {
                self.merge_next(longest);
            }
            return self.window();
        }
        if index == 0 || count > longest || index.wrapping_sub(self.previous) <= 1 {
            return self.first_window(index, count, longest);
        }
        let history = history.min(longest);
        if history <= count {
            return exactly(index, count);
        }
        // All of the file up to here is in memory: it is read from the beginning.
        let history = if history >= index {
            2 * history
        } else {
            history
        };
        self.start = index;
        self.size = (history + count).min(longest);
        self.ahead = 1;
        self.window()
    }

    /// Returns what reaching the marked page makes the kernel read, with `count` pages left to the
    /// read (`page_cache_async_ra`).
    pub(super) fn reach_mark(&mut self, count: u64) -> Window {
        self.advance(self.longest(count));
        self.window()
    }

    /// Returns the longest window for a read of `count` pages (`ractl_max_pages`).
    fn longest(&self, count: u64) -> u64 {
        let (window, request) = (self.limits.pages_max, self.limits.request_pages);
        match self.policy.limit {
            ReadAheadLimit::Request if count > window && request > window => count.min(request),
            ReadAheadLimit::TwoMebibytes => window.min(512),
            ReadAheadLimit::Memory | ReadAheadLimit::Window | ReadAheadLimit::Request => window,
        }
    }

    /// Returns how much is read at once for a program that reads at random
    /// (`force_page_cache_ra`).
    fn longest_random(&self) -> u64 {
        let (window, request) = (self.limits.pages_max, self.limits.request_pages);
        let longest = match self.policy.limit {
            ReadAheadLimit::Memory => u64::MAX,
            ReadAheadLimit::TwoMebibytes => 512,
            ReadAheadLimit::Window => window,
            ReadAheadLimit::Request => window.max(request),
        };
        longest.max(1)
    }

    fn first_window(&mut self, index: u64, count: u64, longest: u64) -> Window {
        self.start = index;
        self.size = first_size(count, longest);
        let rest = self.size.saturating_sub(count);
        self.ahead = match (rest, self.policy.misses_start_over) {
            (0, true) => self.size / 2,
            (0, false) => self.size,
            (rest, _) => rest,
        };
        self.merge_next(longest);
        self.window()
    }

    fn advance(&mut self, longest: u64) {
        self.start += self.size;
        let next = next_size(self.size, longest);
        self.size = match self.policy.windows_never_shrink {
            true => next.max(self.size),
            false => next,
        };
        self.ahead = self.size;
    }

    /// Joins the next window to a first one whose mark the read itself would reach.
    fn merge_next(&mut self, longest: u64) {
        if self.policy.misses_start_over || self.ahead != self.size {
            return;
        }
        let next = next_size(self.size, longest);
        if self.size + next <= longest {
            self.ahead = next;
            self.size += next;
        } else {
            self.size = longest;
            self.ahead = longest / 2;
        }
    }

    fn window(&self) -> Window {
        let end = self.start + self.size;
        Window {
            pages: self.start..end,
            marked: (self.ahead > 0).then(|| end - self.ahead),
        }
    }
}

impl Window {
    /// Returns the part within a file of `pages` pages; `None` if it lies behind the end
    /// (`do_page_cache_ra`). No window follows the end, so a mark in the last one does nothing.
    pub(super) fn within(self, pages: u64) -> Option<Self> {
        let Range { start, end } = self.pages;
        (start < pages).then(|| Self {
            pages: start..end.min(pages),
            marked: self.marked.filter(|_| end < pages),
        })
    }
}

/// Returns the pages of a read, and no mark.
fn exactly(index: u64, count: u64) -> Window {
    Window {
        pages: index..index + count,
        marked: None,
    }
}

/// Returns the size of the first window (`get_init_ra_size`).
fn first_size(count: u64, longest: u64) -> u64 {
    let size = count.next_power_of_two();
    if size <= longest / 32 {
        size * 4
    } else if size <= longest / 4 {
        size * 2
    } else {
        longest
    }
}

/// Returns the size of the window after one of `size` (`get_next_ra_size`).
fn next_size(size: u64, longest: u64) -> u64 {
    if size < longest / 16 {
        4 * size
    } else if size <= longest / 2 {
        2 * size
    } else {
        longest
    }
}
