//! The failures that these guard against: a state that no cut can leave accuses a correct program, and a
//! possible one is never built.

use std::collections::BTreeSet;
use std::time::Instant;

use proptest::prelude::*;

use super::*;

const SSD: Drive = Drive {
    is_volatile: true,
    cache_bytes: u64::MAX,
    sector_bytes: 512,
};

/// Returns a disk with these writes of 1024 bytes: to which place, whether a flush follows.
fn recorded(writes: &[(u64, bool)]) -> Disk {
    let mut disk = Disk::new(1 << 20);
    disk.begin(Store::default(), Instant::now());
    for (number, (place, is_flushed)) in writes.iter().enumerate() {
        let value = u8::try_from(number + 1).unwrap();
        disk.write(place * 1024, vec![value; 1024].into(), false);
        if *is_flushed {
            disk.flush();
        }
    }
    disk
}

/// Returns the first byte of both sectors of each of six places.
fn content(store: &Store) -> Vec<u8> {
    let mut data = vec![0; 6 * 1024];
    store.read(0, &mut data);
    data.iter().step_by(512).copied().collect()
}

fn all(disk: &Disk, promises: &[Duration]) -> States {
    let end = Duration::from_secs(3600);
    states(disk, SSD, promises, (Duration::ZERO, end))
}

#[test]
fn every_state_of_one_missing_write_is_built_once() {
    let disk = recorded(&[(0, true), (1, false), (2, false)]);
    let states = all(&disk, &[]);
    let images: Vec<Vec<u8>> = states
        .ordered
        .iter()
        .map(|state| content(&image(&disk, state)))
        .collect();
    let different: BTreeSet<&Vec<u8>> = images.iter().collect();
    assert_eq!(different.len(), images.len(), "{images:?}");
    assert_eq!(states.distinct, images.len() as u64);
    let of = |first: u8, second: u8, third: u8, tail: u8| {
        let mut bytes = vec![first, first, second, second, third, tail];
        bytes.resize(12, 0);
        bytes
    };
    // Nothing, each alone, both, one torn.
    for expected in [
        of(1, 0, 0, 0),
        of(1, 2, 0, 0),
        of(1, 0, 3, 3),
        of(1, 2, 3, 3),
        of(1, 2, 3, 0),
        of(0, 0, 0, 0),
    ] {
        assert!(images.contains(&expected), "{expected:?} of {images:?}");
    }
    // Three choices for each write: 3 at the first moment, 9 at the last.
    assert_eq!(states.combinations_log2, 5);
}

#[test]
fn states_of_a_span_with_a_promise_come_first_and_each_kind_before_any_twice() {
    let mut disk = recorded(&[(0, true), (1, true)]);
    let promise = disk.log()[1].at + Duration::from_nanos(1);
    std::thread::sleep(Duration::from_millis(1));
    disk.write(2048, vec![9; 1024].into(), false);
    let states = all(&disk, &[promise]);
    let first = &states.ordered[0];
    let made = first.at >= promise;
    assert!(made && first.lost.len() == 1, "{first:?}");
}

#[test]
fn the_content_of_equal_states_is_that_of_the_latest_moment() {
    // The second write repeats the first, so that losing it changes nothing.
    let mut disk = Disk::new(1 << 20);
    disk.begin(Store::default(), Instant::now());
    for _ in 0..2 {
        disk.write(0, vec![7; 512].into(), false);
        disk.flush();
    }
    let states = all(&disk, &[]);
    let full: Vec<&State> = states
        .ordered
        .iter()
        .filter(|state| content(&image(&disk, state))[0] == 7)
        .collect();
    assert_eq!(full.len(), 1);
    assert_eq!(full[0].length, disk.log().len());
}

#[test]
fn a_drive_that_keeps_its_cache_has_one_state_at_each_moment() {
    let disk = recorded(&[(0, true), (1, false)]);
    let protected = Drive {
        is_volatile: false,
        ..SSD
    };
    let found = states(
        &disk,
        protected,
        &[],
        (Duration::ZERO, Duration::from_secs(1)),
    );
    assert!(found.ordered.iter().all(|state| state.lost.is_empty()));
    assert_eq!(found.combinations_log2, 0);
}

proptest! {
    /// An oracle: all subsets of the writes since the last flush before any moment, whole or torn.
    #[test]
    fn no_state_is_built_that_no_cut_can_leave(
        writes in proptest::collection::vec((0_u64..6, any::<bool>()), 1..7)
    ) {
        let disk = recorded(&writes);
        let mut possible: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut flushed = vec![0_u8; 12];
        let mut since: Vec<(usize, u8)> = Vec::new();
        let mut add = |flushed: &[u8], since: &[(usize, u8)]| {
            for choice in 0..3_usize.pow(u32::try_from(since.len()).unwrap()) {
                let (mut bytes, mut rest) = (flushed.to_vec(), choice);
                for (place, value) in since {
                    let kept = rest % 3;
                    rest /= 3;
                    bytes[2 * place..2 * place + kept].fill(*value);
                }
                possible.insert(bytes);
            }
        };
        for (number, (place, is_flushed)) in writes.iter().enumerate() {
            since.push((usize::try_from(*place).unwrap(), u8::try_from(number + 1).unwrap()));
            add(&flushed, &since);
            if *is_flushed {
                for (place, value) in since.drain(..) {
                    flushed[2 * place..2 * place + 2].fill(value);
                }
            }
        }
        for state in all(&disk, &[]).ordered {
            let bytes = content(&image(&disk, &state));
            prop_assert!(possible.contains(&bytes), "{bytes:?} by {state:?}");
            // The same, cut earlier, is possible, too.
            let earlier = earlier(&disk, SSD, &state, state.at / 2);
            let bytes = content(&image(&disk, &earlier));
            prop_assert!(possible.contains(&bytes), "{bytes:?} by {earlier:?}");
        }
    }
}
