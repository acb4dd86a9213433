//! No simulation exceeds what hardware can do.
//!
//! The failure: a disk of 150 IOPS wrote 9,307 per second, and one job read 16 GB/s with no CPU
//! time left. The model checks each result itself; these tests simulate random cases, in which the
//! checks must hold. `STRIPEWISE_TEST_BOUNDS=N` draws N of them, `STRIPEWISE_TEST_SEED=S` draws
//! others.

use crate::questions::{draw, seed_and_count, simulated, words};

#[test]
fn random_cases_stay_within_physical_limits() {
    // `make soak` draws 400.
    let (seed, count) = seed_and_count("STRIPEWISE_TEST_BOUNDS", 40);
    let mut answered = 0;
    let mut broken = Vec::new();
    for number in 0..count {
        let case = draw(seed, number);
        let Some((simulation, sample)) = simulated(&case) else {
            continue;
        };
        answered += 1;
        if let Err(violation) = simulation.check_bounds() {
            broken.push(format!("{number}: {}: {violation}", words(&case)));
        }
        let breakdown = sample.breakdown.expect("a breakdown");
        for one in &breakdown.utilisation {
            let is_share = (0.0..1.04).contains(&one.busy_share);
            assert!(is_share, "{number}: {}: {one:?}", words(&case));
        }
    }
    println!("seed {seed}: {answered} of {count} questions answered");
    assert!(answered * 10 >= count * 9, "{answered} of {count}");
    assert!(
        broken.is_empty(),
        "{} broken:\n{}",
        broken.len(),
        broken.join("\n")
    );
}
