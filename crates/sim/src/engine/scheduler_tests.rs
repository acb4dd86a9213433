use proptest::prelude::*;

use super::*;

const RULES: [DeadlineNext; 3] = [
    DeadlineNext::AfterLast,
    DeadlineNext::AfterLastOfDirection,
    DeadlineNext::FromPosition,
];

fn waiting(request: u32, operation: Operation, start: u64) -> Waiting {
    Waiting {
        request,
        operation,
        start: Sectors::new(start),
        since: Instant::START,
    }
}

fn served(kind: Kind, requests: &[(Operation, u64)]) -> Vec<u32> {
    let mut scheduler = Scheduler::new(kind, u32::MAX);
    for (request, &(operation, start)) in (0_u32..).zip(requests) {
        scheduler.add(waiting(request, operation, start), 0);
    }
    std::iter::from_fn(|| scheduler.take(Instant::START, 0)).collect()
}

fn deadline(requests: &[(Operation, u64)]) -> Vec<u32> {
    served(Kind::Deadline(DeadlineNext::FromPosition), requests)
}

#[test]
fn without_a_scheduler_requests_keep_their_order() {
    let requests = [
        (Operation::Read, 9),
        (Operation::Write, 1),
        (Operation::Read, 5),
    ];
    assert_eq!(served(Kind::InOrder, &requests), [0, 1, 2]);
}

#[test]
fn deadline_goes_up_and_serves_reads_first() {
    let requests = [
        (Operation::Write, 1),
        (Operation::Read, 9),
        (Operation::Read, 5),
        (Operation::Write, 0),
    ];
    assert_eq!(deadline(&requests), [2, 1, 3, 0]);
}

#[test]
fn writes_are_served_after_two_batches_of_reads() {
    let mut requests = vec![(Operation::Write, 3)];
    requests.extend((0..48).map(|start| (Operation::Read, start)));
    let served = deadline(&requests);
    assert_eq!(served.iter().position(|&request| request == 0), Some(32));
}

/// Guards against a sweep that wraps around to the lowest address: the kernel restarts at the
/// request that has waited longest, and chooses the direction again.
#[test]
fn at_the_highest_address_a_new_batch_begins_with_the_oldest_request() {
    let mut scheduler = Scheduler::new(Kind::Deadline(DeadlineNext::FromPosition), u32::MAX);
    scheduler.pass(Operation::Read, Sectors::new(100));
    for (request, start) in [(0, 50), (1, 20), (2, 70)] {
        scheduler.add(waiting(request, Operation::Read, start), 0);
    }
    let all = std::iter::from_fn(|| scheduler.take(Instant::START, 0));
    assert_eq!(all.collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn after_a_change_of_direction_old_kernels_restart_and_new_ones_continue() {
    let order = RULES.map(|rule| {
        let mut scheduler = Scheduler::new(Kind::Deadline(rule), u32::MAX);
        let add = |scheduler: &mut Scheduler, request, operation, start| {
            scheduler.add(waiting(request, operation, start), 0);
        };
        for request in 0..16 {
            add(
                &mut scheduler,
                request,
                Operation::Read,
                100 + u64::from(request),
            );
        }
        assert_eq!(scheduler.take(Instant::START, 0), Some(0));
        add(&mut scheduler, 16, Operation::Read, 10);
        add(&mut scheduler, 17, Operation::Read, 116);
        assert!((1..16).all(|request| scheduler.take(Instant::START, 0) == Some(request)));
        // The batch is over, and the reads have had their turns.
        scheduler.read_batches = READ_BATCHES_MAX;
        add(&mut scheduler, 18, Operation::Write, 5);
        assert_eq!(scheduler.take(Instant::START, 0), Some(18));
        add(&mut scheduler, 19, Operation::Read, 115);
        std::iter::from_fn(|| scheduler.take(Instant::START, 0)).collect::<Vec<_>>()
    });
    assert_eq!(order, [[16, 19, 17], [17, 16, 19], [19, 17, 16]]);
}

#[test]
fn a_request_that_waited_too_long_begins_the_next_batch() {
    let mut scheduler = Scheduler::new(Kind::Deadline(DeadlineNext::FromPosition), u32::MAX);
    scheduler.add(waiting(99, Operation::Read, 0), 0);
    scheduler.pass(Operation::Read, Sectors::new(10));
    for request in 0..40 {
        scheduler.add(
            waiting(request, Operation::Read, 10 + u64::from(request)),
            0,
        );
    }
    let late = Instant::START + READ_EXPIRE;
    let order: Vec<u32> = std::iter::from_fn(|| scheduler.take(late, 0)).collect();
    // The batch that runs has room for 15 more.
    assert_eq!(order.iter().position(|&request| request == 99), Some(15));
}

/// The same rules in an obvious form: each step scans all waiting requests.
struct Oracle {
    rule: DeadlineNext,
    waiting: Vec<Waiting>,
    position: [Sectors; 2],
    successor: [Option<u32>; 2],
    direction: usize,
    batching: u32,
    starved: u32,
}

fn side(operation: Operation) -> usize {
    usize::from(operation == Operation::Write)
}

impl Oracle {
    fn new(rule: DeadlineNext) -> Self {
        Self {
            rule,
            waiting: Vec::new(),
            position: [Sectors::default(); 2],
            successor: [None; 2],
            direction: 0,
            batching: 16,
            starved: 0,
        }
    }

    fn of(&self, direction: usize) -> impl Iterator<Item = &Waiting> {
        let has = move |one: &&Waiting| {
            one.operation != Operation::Flush && side(one.operation) == direction
        };
        self.waiting.iter().filter(has)
    }

    fn next(&self, direction: usize) -> Option<u32> {
        if self.rule != DeadlineNext::FromPosition {
            return self.successor[direction];
        }
        let ahead = self
            .of(direction)
            .filter(|one| one.start >= self.position[direction]);
        ahead.min_by_key(|one| one.start).map(|one| one.request)
    }

    fn take(&mut self, now: Instant) -> Option<u32> {
        let flush = self
            .waiting
            .iter()
            .position(|one| one.operation == Operation::Flush);
        if let Some(place) = flush {
            return Some(self.waiting.remove(place).request);
        }
        let mut chosen = self.next(self.direction);
        if chosen.is_none() || self.batching >= 16 {
            let (reads, writes) = (self.of(0).next().is_some(), self.of(1).next().is_some());
            if !reads && !writes {
                return None;
            }
            self.direction = 1;
            if reads {
                let starved = self.starved;
                self.starved += u32::from(writes);
                self.direction = usize::from(writes && starved >= 2);
            }
            if self.direction == 1 {
                self.starved = 0;
            }
            let expires = Nanos::from_millis([500, 5000][self.direction]);
            let oldest = self.of(self.direction).next().copied();
            let is_late = oldest.is_some_and(|one| one.since + expires <= now);
            chosen = self.next(self.direction).filter(|_| !is_late);
            chosen = chosen.or(oldest.map(|one| one.request));
            self.batching = 0;
        }
        self.batching += 1;
        let place = self
            .waiting
            .iter()
            .position(|one| Some(one.request) == chosen)?;
        let taken = self.waiting[place];
        let after = |one: &&Waiting| (one.start, one.request) > (taken.start, taken.request);
        let successor = self.of(self.direction).filter(after);
        let successor = successor.min_by_key(|one| (one.start, one.request));
        let successor = successor.map(|one| one.request);
        if self.rule == DeadlineNext::AfterLast {
            self.successor = [None; 2];
        }
        self.successor[self.direction] = successor;
        self.position[self.direction] = taken.start;
        self.waiting.remove(place);
        Some(taken.request)
    }
}

proptest! {
    #[test]
    fn deadline_serves_as_a_full_scan_does(
        rule in prop::sample::select(RULES.to_vec()),
        steps in prop::collection::vec(prop::option::of((0_u8..9, 0_u64..40)), 1..400),
    ) {
        let (mut scheduler, mut oracle) = (Scheduler::new(Kind::Deadline(rule), u32::MAX), Oracle::new(rule));
        let mut now = Instant::START;
        for (request, step) in (0_u32..).zip(steps) {
            now += Nanos::from_millis(20);
            let Some((kind, start)) = step else {
                prop_assert_eq!(scheduler.take(now, 0), oracle.take(now));
                continue;
            };
            let operation = match kind {
                0 => Operation::Flush,
                1..=4 => Operation::Read,
                _ => Operation::Write,
            };
            let waiting = Waiting { since: now, ..waiting(request, operation, start) };
            scheduler.add(waiting, 0);
            oracle.waiting.push(waiting);
        }
        while let Some(request) = oracle.take(now) {
            prop_assert_eq!(scheduler.take(now, 0), Some(request));
        }
        prop_assert_eq!(scheduler.take(now, 0), None);
    }

    /// A request that finds nothing waiting is served as if it had waited for no time.
    #[test]
    fn a_request_that_passes_counts_as_one_that_waited(
        rule in prop::sample::select(RULES.to_vec()),
        before in prop::collection::vec((prop::bool::ANY, 0_u64..40), 0..40),
        after in prop::collection::vec((prop::bool::ANY, 0_u64..40), 0..40),
    ) {
        let operation = |is_read: bool| match is_read {
            true => Operation::Read,
            false => Operation::Write,
        };
        let (mut passes, mut waits) = (Scheduler::new(Kind::Deadline(rule), u32::MAX), Scheduler::new(Kind::Deadline(rule), u32::MAX));
        for (request, (is_read, start)) in (0_u32..).zip(before) {
            passes.pass(operation(is_read), Sectors::new(start));
            waits.add(waiting(request, operation(is_read), start), 0);
            prop_assert_eq!(waits.take(Instant::START, 0), Some(request));
        }
        for (request, (is_read, start)) in (0_u32..).zip(after) {
            for scheduler in [&mut passes, &mut waits] {
                scheduler.add(waiting(request, operation(is_read), start), 0);
            }
        }
        loop {
            let next = passes.take(Instant::START, 0);
            prop_assert_eq!(next, waits.take(Instant::START, 0));
            if next.is_none() {
                break;
            }
        }
    }
}

#[test]
fn names_are_those_of_sysfs() {
    let named = |name| Kind::named(name, DeadlineNext::AfterLast);
    assert_eq!(
        named("mq-deadline"),
        Some(Kind::Deadline(DeadlineNext::AfterLast))
    );
    assert_eq!(named("none"), Some(Kind::InOrder));
    assert_eq!(named("bfq"), None);
}

#[test]
fn a_scheduler_sorts_no_more_requests_than_it_holds() {
    let kind = Kind::Deadline(DeadlineNext::FromPosition);
    // Addresses fall, so an unlimited scheduler serves the last one first.
    let order = |requests_max: u32, under_way: u32| {
        let mut scheduler = Scheduler::new(kind, requests_max);
        for request in 0..8 {
            let at = 100 - u64::from(request);
            scheduler.add(waiting(request, Operation::Read, at), under_way);
        }
        let all = std::iter::from_fn(|| scheduler.take(Instant::START, under_way));
        all.collect::<Vec<_>>()
    };
    // A batch begins with the oldest request and rises; there is nothing above it.
    assert_eq!(order(1, 0), [0, 1, 2, 3, 4, 5, 6, 7]);
    let unlimited = order(u32::MAX, 0);
    assert_eq!(order(8, 0), unlimited);
    assert_ne!(order(4, 0), unlimited);
    // Two at the device leave room for two.
    assert_eq!(order(6, 4), order(2, 0));
    for requests_max in [1, 2, 4, 8] {
        let mut served = order(requests_max, 0);
        served.sort_unstable();
        assert_eq!(served, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
