//! Write amplification under uniform random writes in closed form: the oracle of the simulation,
//! and a cheap estimate.
//!
//! Over-provisioning here is (physical - logical) / logical, as data sheets and Xiang and Kurkoski
//! use it; the *spare factor* of other papers is (physical - logical) / physical. 0.3 of the first
//! is 0.23 of the second.

/// Returns the write amplification of collecting the oldest block, for an over-provisioning ratio.
///
/// Between two collections of a block all S physical units are programmed once, a share 1 - p of
/// them for the host, where p is the share still valid when a block is collected. A unit survives S
/// (1 - p) uniform writes to L logical units with p = exp(-(S / L) (1 - p)), and amplification is 1
/// / (1 - p). In closed form p = -W(-r e^-r) / r with r = S / L and Lambert's W.
///
/// Sources: Menon, "A performance comparison of RAID-5 and log-structured arrays", HPDC 1995;
/// Desnoyers, SYSTOR 2012 (LRU). Xiang and Kurkoski, "An improved analytic expression for write
/// amplification in NAND flash", ICNC 2012 (arXiv:1110.4245), reach the same value for greedy
/// collection of large blocks: both agree when a block has many units.
///
/// `over_provisioning` must be above 0; at 0 the amplification is infinite.
pub fn fifo_write_amplification(over_provisioning: f64) -> f64 {
    let ratio = 1.0 + over_provisioning;
    let survives = |valid: f64| libm::exp(-ratio * (1.0 - valid));
    // p = 1 is a root as well; the wanted root lies below the minimum of survives(p) - p.
    let (mut low, mut high) = (0.0, 1.0 - libm::log(ratio) / ratio);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if survives(middle) > middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    1.0 / (1.0 - low)
}

/// Returns the write amplification of collecting the block with the fewest valid units, for an
/// over-provisioning ratio and blocks of N = `block_units`.
///
/// The mean field of many blocks: every host write makes a block of i valid units one of i - 1 at a
/// rate of i / L. Blocks are filled at a rate c and pass the levels N, N - 1, ... undisturbed, so
/// there are c L / i of them at level i, down to the level m where greedy collects them; a share x
/// of them reaches m - 1 and is collected there at once. Freed units equal written
/// units, c (N - m + x) = 1, and all blocks together are
///
/// ```text
///   physical / logical = N (1/N + 1/(N-1) + ... + 1/(m+1) + x/m) / (N - m + x)
/// ```
///
/// which fixes m and x; amplification is N / (N - m + x). For N to infinity the sum becomes ln(N /
/// m) and the result equals that of FIFO.
///
/// Sources: the limit of many choices of Van Houdt, SIGMETRICS 2013; Desnoyers, SYSTOR 2012
/// (greedy).
///
/// `over_provisioning` is above 0 and `block_units` at least 1.
pub fn greedy_write_amplification(over_provisioning: f64, block_units: u32) -> f64 {
    let ratio = 1.0 + over_provisioning;
    let units = f64::from(block_units);
    let mut passed = 0.0;
    for level in (1..=block_units).rev() {
        let level = f64::from(level);
        let freed = units - level;
        if units * (passed + 1.0 / level) >= ratio * (freed + 1.0) {
            let escaping = (ratio * freed - units * passed) / (units / level - ratio);
            return units / (freed + escaping);
        }
        passed += 1.0 / level;
    }
    // With this much room, blocks are empty before they are needed.
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) -> bool {
        (value - expected).abs() < tolerance
    }

    #[test]
    fn the_published_value_at_an_over_provisioning_of_0_3() {
        assert!(near(fifo_write_amplification(0.3), 2.36, 0.005));
    }

    #[test]
    fn greedy_with_large_blocks_is_fifo_and_with_small_ones_better() {
        for over_provisioning in [0.07, 0.12, 0.28, 1.0] {
            let fifo = fifo_write_amplification(over_provisioning);
            let large = greedy_write_amplification(over_provisioning, 1 << 16);
            assert!(near(large, fifo, 0.002 * fifo), "{large} {fifo}");
            let mut last = fifo;
            for block_units in [1024, 256, 64, 16, 4] {
                let small = greedy_write_amplification(over_provisioning, block_units);
                assert!(small < last, "{block_units}: {small}");
                last = small;
            }
        }
    }

    #[test]
    fn a_block_of_one_unit_amplifies_nothing() {
        assert!(near(greedy_write_amplification(0.07, 1), 1.0, 1e-12));
    }
}
