//! The chain against closed forms, and against years that are lived device by device.

use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_pcg::Pcg64;

use super::*;

fn near(left: f64, right: f64, tolerance: f64) -> bool {
    (left - right).abs() <= tolerance * right.abs()
}

#[test]
fn without_redundancy_the_first_failure_loses_data() {
    let rates = Rates {
        failures_per_year: 0.0058,
        rebuild_years: f64::NAN,
        unreadable: f64::NAN,
    };
    let chance = loss_chance(Groups::without_redundancy(4), &rates, 5.0);
    assert!(near(chance, 1.0 - (-4.0_f64 * 0.0058 * 5.0).exp(), 1e-12));
}

/// Two states and a loss have a solution in closed form: the roots of a quadratic equation.
#[test]
fn a_mirror_of_two_has_the_chance_of_the_closed_form() {
    for (failures, rebuild_years, unreadable) in [
        (0.01, 1e-3, 0.0),
        (0.3, 0.02, 0.1),
        (2.0, 0.5, 0.02),
        (0.0058, 1e-4, 0.002),
    ] {
        let rates = Rates {
            failures_per_year: failures,
            rebuild_years,
            unreadable,
        };
        let groups = Groups {
            count: 1,
            devices: 2,
            survives: 1,
        };
        let (back, years) = (1.0 / rebuild_years, 5.0_f64);
        let sum = 3.0 * failures + back;
        let product = 2.0 * failures * (failures + back * unreadable);
        let root = (sum * sum - 4.0 * product).sqrt();
        // The slow root without cancellation: the product of both over the fast one.
        let fast = -(sum + root) / 2.0;
        let slow = product / fast;
        let kept = (fast * (slow * years).exp() - slow * (fast * years).exp()) / (fast - slow);
        let expected = 1.0 - kept;
        let chance = loss_chance(groups, &rates, years);
        assert!(
            near(chance, expected, 1e-6),
            "{chance} instead of {expected}"
        );
    }
}

/// The chance of RAID 5 is nearly n (n-1) failures^2 rebuild years where all of that is small.
#[test]
fn tiny_chances_keep_their_digits() {
    let rates = Rates {
        failures_per_year: 1e-6,
        rebuild_years: 1e-6,
        unreadable: 0.0,
    };
    let groups = Groups {
        count: 1,
        devices: 5,
        survives: 1,
    };
    let chance = loss_chance(groups, &rates, 3.0);
    assert!(near(chance, 20.0 * 1e-12 * 1e-6 * 3.0, 1e-4), "{chance}");
}

/// Lives one array of groups, device by device; returns whether it lost data within `years`.
fn loses(groups: Groups, rates: &Rates, years: f64, random: &mut Pcg64) -> bool {
    let mut draw = |rate: f64| -(1.0 - random.random::<f64>()).ln() / rate;
    (0..groups.count).any(|_| {
        // When each device fails, if it works; the order of those that failed.
        let mut fails: Vec<f64> = (0..groups.devices)
            .map(|_| draw(rates.failures_per_year))
            .collect();
        let mut missing: Vec<usize> = Vec::new();
        let mut rebuilt = f64::INFINITY;
        loop {
            let (device, at) = fails
                .iter()
                .copied()
                .enumerate()
                .min_by(|left, right| left.1.total_cmp(&right.1))
                .unwrap();
            if at.min(rebuilt) > years {
                return false;
            }
            if at < rebuilt {
                missing.push(device);
                fails[device] = f64::INFINITY;
                if missing.len() > groups.survives as usize {
                    return true;
                }
                if missing.len() == 1 {
                    rebuilt = at + draw(1.0 / rates.rebuild_years);
                }
                continue;
            }
            let was_last = missing.len() == groups.survives as usize;
            if was_last && (-draw(1.0)).exp() < rates.unreadable {
                return true;
            }
            let device = missing.remove(0);
            fails[device] = rebuilt + draw(rates.failures_per_year);
            rebuilt = match missing.is_empty() {
                true => f64::INFINITY,
                false => rebuilt + draw(1.0 / rates.rebuild_years),
            };
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The chance is the share of lived arrays that lose data, within five standard errors.
    #[test]
    fn the_chain_agrees_with_arrays_that_are_lived(
        count in 1_u32..4,
        (devices, survives) in (1_u32..7).prop_flat_map(|devices| (Just(devices), 0..devices.min(4))),
        failures_per_year in 0.02_f64..0.5,
        rebuild_years in 0.02_f64..1.0,
        unreadable in 0.0_f64..0.3,
        seed in any::<u64>(),
    ) {
        let groups = Groups { count, devices, survives };
        let rates = Rates { failures_per_year, rebuild_years, unreadable };
        let mut random = Pcg64::seed_from_u64(seed);
        let lives = 4000_u32;
        let lost = (0..lives).filter(|_| loses(groups, &rates, 5.0, &mut random)).count();
        let share = f64::from(u32::try_from(lost).unwrap()) / f64::from(lives);
        let chance = loss_chance(groups, &rates, 5.0);
        let error = (chance * (1.0 - chance) / f64::from(lives)).sqrt();
        prop_assert!((share - chance).abs() <= 5.0 * error + 1e-3, "{share} lived, {chance} computed");
    }

    /// More copies and shorter rebuilds never make a loss likelier.
    #[test]
    fn redundancy_and_speed_help(devices in 3_u32..8, failures_per_year in 1e-4_f64..1.0, rebuild_years in 1e-6_f64..0.5) {
        let rates = Rates { failures_per_year, rebuild_years, unreadable: 0.01 };
        let of = |survives, rates: &Rates| loss_chance(Groups { count: 1, devices, survives }, rates, 5.0);
        prop_assert!(of(2, &rates) <= of(1, &rates) && of(1, &rates) <= of(0, &rates));
        let slower = Rates { rebuild_years: 2.0 * rebuild_years, ..rates };
        prop_assert!(of(1, &rates) <= of(1, &slower) * (1.0 + 1e-9));
        prop_assert!((0.0..=1.0).contains(&of(2, &rates)));
    }
}
