//! The driver's world against failures of its own: a guest that died at the last of 200 cases took the
//! other 199 with it.

use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::kernel::KernelVersion;
use stripewise_study::sample::Sample;
use stripewise_study::units::Bytes;
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::world::{
    Change, Journal, JournalError, NeverCancel, Prepared, SampleRequest, Watch, World, WorldError,
};
use stripewise_verify::{Case, CheckError, Driver, Report, Rules, check_driver, draw};

/// A driver that counts as the model does, and dies, or has no room left on a disk.
struct Mortal {
    model: Model,
    samples_left: u32,
    has_room: bool,
}

impl World for Mortal {
    fn name(&self) -> &'static str {
        "mortal"
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        self.model.facts()
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        self.model.check(cells)
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        self.model.prepare(cell, journal, watch)
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        let Some(left) = self.samples_left.checked_sub(1) else {
            return Err(WorldError::Interrupted);
        };
        self.samples_left = left;
        let mut sample = self.model.measure(cell, request, watch)?;
        // As the stripe cache makes it.
        sample.warnings.push(Warning::FewerBytesAtDevice {
            direction: Direction::Write,
            asked_bytes: Bytes::new(1 << 20),
            device_bytes: Bytes::new(1 << 16),
            asked_for: false,
        });
        if !self.has_room && left == 0 {
            sample.warnings.push(Warning::DiskWithoutRoom {
                device: "swd1".to_owned(),
                failed_count: 3,
                waits_count: 0,
            });
        }
        Ok(sample)
    }

    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.model.restore(journal)
    }
}

struct Nobody;

impl Journal for Nobody {
    fn announce(&mut self, _change: &Change) -> Result<(), JournalError> {
        Ok(())
    }

    fn undone(&mut self, _change: &Change) -> Result<(), JournalError> {
        Ok(())
    }
}

/// Four cases, of which the driver does three; in the third a disk may have no room.
fn checked_by_a_mortal(has_room: bool) -> (CheckError, [u64; 4], u32, Report) {
    let host = Profiles::shipped().hosts[HOST_DEFAULT].clone();
    let kernel = KernelVersion::new(6, 1, 192);
    // The model as a world knows no failed members from the start of a case.
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
    let mut world = Mortal {
        model: Model::new(profiles, kernel),
        samples_left: 3,
        has_room,
    };
    let mut driver = Driver {
        world: &mut world,
        journal: &mut Nobody,
        watch: &mut NeverCancel,
        counted: 0,
    };
    let rules = Rules {
        kernel,
        host: &host,
    };
    let (mut report, mut heard) = (Report::default(), 0);
    let numbers = [0, 1, 2, 3].map(|index: usize| cases[index].0);
    let ended = check_driver(
        cases,
        rules,
        &mut driver,
        0,
        &mut |_| heard += 1,
        &mut report,
    );
    (ended.unwrap_err(), numbers, heard, report)
}

#[test]
fn what_was_found_before_the_driver_failed_is_reported() {
    let (error, numbers, heard, report) = checked_by_a_mortal(true);
    let fourth = format!("case {} ", numbers[3]);
    assert!(error.to_string().contains(&fourth), "{error}");
    assert_eq!(heard, 3);
    assert!(report.table != Report::default().table);
}

#[test]
fn a_sample_that_does_not_count_is_no_disagreement() {
    let (error, numbers, heard, report) = checked_by_a_mortal(false);
    let third = format!("case {} ", numbers[2]);
    assert!(error.to_string().contains(&third), "{error}");
    let CheckError::World { source, .. } = &error else {
        panic!("{error}");
    };
    let why = std::error::Error::source(source).unwrap().to_string();
    assert!(why.contains("`swd1` had no room"), "{why}");
    assert!(error.hint().unwrap().contains("--memory"));
    // Whoever keeps what is heard does not keep this one.
    assert_eq!(heard, 2);
    assert_eq!(report.disagreements, []);
}
