//! Shrinks a differing case.
//!
//! Greedy, like Zeller's `ddmin` for the I/Os: a candidate that still differs becomes the case,
//! until none does. Both worlds run each candidate, so the number of attempts is limited.

use std::num::NonZeroU32;

use stripewise_study::stack::Level;
use stripewise_study::workload::Engine;
use stripewise_units::Bytes;

use crate::case::Case;
use crate::io_list::IoList;

/// Returns the smallest case found that still `differs`, after at most `attempts_max` attempts.
///
/// # Errors
/// The first error of `differs`.
pub fn shrink<E>(
    case: &Case,
    attempts_max: u32,
    differs: &mut dyn FnMut(&Case) -> Result<bool, E>,
) -> Result<Case, E> {
    let mut smallest = case.clone();
    let mut attempts = 0;
    'again: loop {
        for candidate in candidates(&smallest) {
            if attempts == attempts_max {
                return Ok(smallest);
            }
            attempts += 1;
            if differs(&candidate)? {
                smallest = candidate;
                continue 'again;
            }
        }
        return Ok(smallest);
    }
}

/// Returns slightly simpler cases, those with the largest reduction first.
fn candidates(case: &Case) -> Vec<Case> {
    let mut simpler = Vec::new();
    if case.jobs.len() > 1 {
        for job in 0..case.jobs.len() {
            let mut jobs = case.jobs.clone();
            jobs.remove(job);
            simpler.push(Case {
                jobs,
                ..case.clone()
            });
        }
    }
    if case.depth > 1 {
        simpler.push(Case {
            depth: 1,
            engine: Engine::Psync,
            ..case.clone()
        });
    }
    simpler.extend(with_fewer_ios(case));
    if !case.failed.is_empty() {
        simpler.push(Case {
            failed: Vec::new(),
            ..case.clone()
        });
    }
    if case.bitmap_chunk_bytes.is_some() {
        simpler.push(Case {
            bitmap_chunk_bytes: None,
            ..case.clone()
        });
    }
    if case.disk.rotational {
        let mut plain = case.clone();
        plain.disk.rotational = false;
        simpler.push(plain);
    }
    simpler.extend(with_fewer_members(case));
    simpler.extend(with_shorter_ios(case));
    simpler
}

/// Leaves out ranges of I/Os: halves, quarters, down to single ones.
fn with_fewer_ios(case: &Case) -> Vec<Case> {
    let mut simpler = Vec::new();
    for (job, list) in case.jobs.iter().enumerate() {
        let mut length = list.0.len() / 2;
        while length > 0 {
            for start in (0..list.0.len()).step_by(length) {
                let end = (start + length).min(list.0.len());
                let mut ios = list.0.clone();
                ios.drain(start..end);
                if ios.is_empty() {
                    continue;
                }
                let mut jobs = case.jobs.clone();
                jobs[job] = IoList(ios);
                simpler.push(Case {
                    jobs,
                    ..case.clone()
                });
            }
            length /= 2;
        }
    }
    simpler
}

fn with_fewer_members(case: &Case) -> Option<Case> {
    let copies = case.layout.as_deref().and_then(|layout| layout.get(1..));
    let least = match case.level {
        Level::Raid10 => copies.and_then(|copies| copies.parse().ok()).unwrap_or(2),
        Level::Raid4 | Level::Raid5 => 3,
        Level::Raid6 => 4,
        Level::Linear | Level::Raid0 | Level::Raid1 => 2,
    };
    let members = case.members.get() - 1;
    let has_all_failed = case.failed.iter().all(|place| u32::from(*place) < members);
    let members = NonZeroU32::new(members).filter(|members| members.get() >= least)?;
    has_all_failed.then(|| Case {
        members,
        ..case.clone()
    })
}

/// Halves the length of every I/O, in whole sectors.
fn with_shorter_ios(case: &Case) -> Option<Case> {
    let is_shortest = case.ios().all(|io| io.length_bytes.as_u64() <= 512);
    let mut shorter = case.clone();
    for io in shorter.jobs.iter_mut().flat_map(|job| &mut job.0) {
        let half = (io.length_bytes.as_u64() / 1024 * 512).max(512);
        io.length_bytes = Bytes::new(half);
    }
    (!is_shortest).then_some(shorter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::draw;

    #[test]
    fn a_disagreement_shrinks_to_its_cause() {
        // Pretend that the worlds differ if a write crosses a chunk boundary.
        let crosses = |case: &Case| {
            let chunk = case.chunk_bytes.map_or(u64::MAX, Bytes::as_u64);
            case.ios().any(|io| {
                let end = io.offset_bytes.as_u64() + io.length_bytes.as_u64() - 1;
                io.writes() && io.offset_bytes.as_u64() / chunk != end / chunk
            })
        };
        let mut tried = 0;
        for number in 0..200 {
            let case = draw(1, number);
            if !crosses(&case) {
                continue;
            }
            tried += 1;
            let small = shrink::<()>(&case, 2000, &mut |case| Ok(crosses(case))).unwrap();
            assert!(crosses(&small), "case {number}");
            assert_eq!(small.ios().count(), 1, "case {number}");
            assert_eq!((small.jobs.len(), small.depth), (1, 1), "case {number}");
            assert!(small.failed.is_empty() && small.bitmap_chunk_bytes.is_none());
        }
        assert!(tried > 20, "{tried}");
    }

    #[test]
    fn the_number_of_attempts_is_limited() {
        let mut asked = 0;
        let result = shrink::<()>(&draw(1, 0), 17, &mut |_| {
            asked += 1;
            Ok(true)
        });
        assert!(result.is_ok());
        assert!(asked <= 17);
    }
}
