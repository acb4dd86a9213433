//! Failures of the driver's world. The failure: a guest died at the last of 200 cases, and the
//! results of the other 199 were lost.

use stripewise_fixtures::FakeWorld;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::world::Model;
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::world::{NeverCancel, NoJournal, World as _, WorldError, WorldName};
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;
use stripewise_verify::{Case, CheckError, Driver, Rules, VerifyReport, check_driver, draw};

/// A driver that counts like the model, and then dies or runs out of space on a disk.
fn failing_driver(mut model: Model, has_space: bool) -> FakeWorld<'static> {
    let mut left = 3_u32;
    FakeWorld {
        name: WorldName::Lab,
        ..FakeWorld::new(move |cell, _, request, watch| {
            left = left.checked_sub(1).ok_or(WorldError::Interrupted)?;
            let mut sample = model.measure(cell, request, watch)?;
            // The warning that the stripe cache causes.
            sample.warnings.push(Warning::FewerBytesAtDevice {
                direction: Direction::Write,
                asked_bytes: Bytes::new(1 << 20),
                device_bytes: Bytes::new(1 << 16),
                asked_for: false,
            });
            if !has_space && left == 0 {
                sample.warnings.push(Warning::DiskStoreFull {
                    device: "swd1".to_owned(),
                    failed_count: 3,
                    waits_count: 0,
                });
            }
            Ok(sample)
        })
    }
}

/// Checks four cases with a driver that fails at the fourth; in the third a disk may run out of
/// space.
fn check_with_failing_driver(has_space: bool) -> (CheckError, [u64; 4], u32, VerifyReport) {
    let host = Profiles::shipped().hosts[HOST_DEFAULT].clone();
    let kernel = KernelVersion::new(6, 1, 192);
    // The model as a world cannot start a case with failed members.
    let cases: Vec<(u64, Case)> = (0..)
        .map(|number| (number, draw(3, number)))
        .filter(|(_, case)| case.failed.is_empty())
        .take(4)
        .collect();
    let profiles = Profiles {
        devices: cases
            .iter()
            .flat_map(|(_, case)| case.device_profiles())
            .collect(),
        hosts: [(HOST_DEFAULT.to_owned(), host.clone())].into(),
    };
    let mut world = failing_driver(Model::new(profiles, kernel), has_space);
    let mut driver = Driver {
        world: &mut world,
        journal: &mut NoJournal,
        watch: &mut NeverCancel,
        counted: 0,
    };
    let rules = Rules {
        kernel,
        host: &host,
    };
    let (mut report, mut checked) = (VerifyReport::default(), 0);
    let numbers = [0, 1, 2, 3].map(|index: usize| cases[index].0);
    let ended = check_driver(
        cases,
        rules,
        &mut driver,
        0,
        &mut |_| checked += 1,
        &mut report,
    );
    (ended.unwrap_err(), numbers, checked, report)
}

#[test]
fn results_from_before_the_drivers_failure_are_reported() {
    let (error, numbers, checked, report) = check_with_failing_driver(true);
    let fourth = format!("case {} ", numbers[3]);
    assert!(error.to_string().contains(&fourth), "{error}");
    assert_eq!(checked, 3);
    assert!(report.table != VerifyReport::default().table);
}

#[test]
fn an_invalid_sample_is_not_a_disagreement() {
    let (error, numbers, checked, report) = check_with_failing_driver(false);
    let third = format!("case {} ", numbers[2]);
    assert!(error.to_string().contains(&third), "{error}");
    let CheckError::Invalid { warning, .. } = &error else {
        panic!("{error}");
    };
    let is_why = |warning: &Warning| matches!(warning, Warning::DiskStoreFull { device, .. } if device == "swd1");
    assert!(is_why(warning), "{warning:?}");
    // The callback did not get this case, so no golden file would keep it.
    assert_eq!(checked, 2);
    assert_eq!(report.disagreements, []);
}
