//! Lives of stacks whose numbers can be done on paper.

use stripewise_fixtures::{event, second, transfer, wrote};
use stripewise_study::series::Happened;
use stripewise_units::Bytes;

use super::*;

const DEVICE: Rated = Rated {
    capacity_bytes: 256_000_000_000,
    tbw_bytes: Some(120_000_000_000_000),
    afr_percent: Some(0.58),
    ure_bits: Some(1_000_000_000_000_000),
};

fn cells(array: &str, devices: u32) -> Vec<Cell> {
    let text = format!(
        "[stack.a]\ndevices = {{ ssd = {devices} }}\n{array}\n[workload]\npattern = \"randwrite\"\n\
         size = \"1G\"\n[conditions]\nfailure = [\"none\", \"new\"]\n[failure.new]\n\
         fail_device = {{ at = \"0s\", device = 0 }}\nreplace = {{ at = \"100ms\" }}\n"
    );
    stripewise_fixtures::cells(&text)
}

/// A second in which the load writes `bytes`, and each device those given.
fn sample(bytes: u64, devices: &[u64]) -> Sample {
    Sample {
        write: transfer(0, bytes),
        devices: devices.iter().map(|bytes| wrote(*bytes)).collect(),
        ..second()
    }
}

/// A sample of a rebuild at 100 MB/s.
fn rebuilding() -> Sample {
    let mut sample = sample(1, &[1]);
    sample.events = vec![
        event(0, Happened::Failed { device: 0 }),
        event(0, Happened::Replaced { device: 0 }),
        event(
            0,
            Happened::RebuildBegan {
                size_bytes: Bytes::new(256_000_000_000),
            },
        ),
        event(
            1000,
            Happened::RebuildUnfinished {
                reached_bytes: Bytes::new(100_000_000),
                size_bytes: Bytes::new(256_000_000_000),
            },
        ),
    ];
    sample
}

fn life(array: &str, written: &[u64], rated: Rated, asked: &Lifetime) -> CellLifetime {
    let cells = cells(array, u32::try_from(written.len()).unwrap());
    let (normal, rebuilt) = (sample(1_000_000, written), rebuilding());
    let counted: Vec<Counted> = cells
        .iter()
        .map(|cell| Counted {
            cell,
            samples: match cell.conditions.failure {
                None => vec![&normal],
                Some(_) => vec![&rebuilt],
            },
        })
        .collect();
    let rated = vec![rated; written.len()];
    assert_eq!(lifetime(asked, &counted, 1, &rated), None);
    lifetime(asked, &counted, 0, &rated).unwrap()
}

fn asked() -> Lifetime {
    Lifetime {
        years: 5,
        writes_per_day_bytes: Some(Bytes::new(100_000_000_000)),
        tbw_bytes: None,
        afr_percent: None,
        ure_bits: None,
    }
}

fn near(value: Option<f64>, expected: f64) {
    let value = value.unwrap();
    assert!(
        (value - expected).abs() <= expected.abs() * 5e-3,
        "{value} instead of {expected}"
    );
}

#[test]
fn a_mirror_halves_the_capacity_and_writes_everything_twice() {
    let array = "array = { level = \"raid10\" }";
    let life = life(
        array,
        &[500_000, 500_000, 500_000, 500_000],
        DEVICE,
        &asked(),
    );
    near(life.capacity_share, 0.5);
    near(life.written_per_byte, 2.0);
    // 120 TB for each member, which gets half of 100 GB a day.
    near(life.years_to_rating, 2400.0 / 365.25);
    // 0.5 MB/s for each member.
    near(life.days_to_rating_at_full_speed, 2.4e8 / 86_400.0);
    near(life.rebuild_s, 2560.0);
    near(life.unreadable_chance, 256e9 * 8.0 / 1e15);
    // Two mirrors, each: failures of two devices, then of the other while 2560 s last or while it
    // is read.
    let year = 365.25 * 86_400.0;
    let second = 0.0058 * 2560.0 / year + 256e9 * 8.0 / 1e15;
    near(life.loss_chance, 2.0 * 5.0 * 2.0 * 0.0058 * second);
    assert_eq!(life.unknown, []);
}

#[test]
fn each_missing_number_is_named_and_the_study_can_state_it() {
    let bare = Rated {
        tbw_bytes: None,
        afr_percent: None,
        ure_bits: None,
        ..DEVICE
    };
    let array = "array = { level = \"raid6\" }";
    let written = [1, 1, 1, 1];
    let unknown = life(array, &written, bare, &asked());
    let missing = [
        Unknown::WriteRating,
        Unknown::FailureRating,
        Unknown::ReadErrorRating,
    ];
    assert_eq!(unknown.unknown, missing);
    assert_eq!(unknown.loss_chance, None);
    let stating = Lifetime {
        tbw_bytes: Some(Bytes::new(1 << 40)),
        afr_percent: Some(1.0),
        ure_bits: Some(1 << 50),
        ..asked()
    };
    let known = life(array, &written, bare, &stating);
    assert_eq!(known.unknown, []);
    assert!(known.loss_chance.is_some() && known.years_to_rating.is_some());
    let far = life(
        "array = { level = \"raid10\", layout = \"f2\" }",
        &written,
        DEVICE,
        &asked(),
    );
    assert_eq!(far.unknown, [Unknown::Layout]);
    near(far.capacity_share, 0.5);
}

#[test]
fn a_byte_of_a_neighbour_wears_as_one_of_the_load() {
    let mut cells = cells("array = { level = \"raid1\" }", 2);
    cells.truncate(1);
    let beside = cells[0].workload.load.clone();
    cells[0].workload.neighbours = vec![stripewise_study::workload::Neighbour {
        name: "log".to_owned(),
        load: beside,
    }];
    let life = |beside: Option<u64>| {
        let sample = Sample {
            neighbours_write_bytes: beside.map(Bytes::new),
            ..sample(1_000_000, &[1_500_000, 1_500_000])
        };
        let counted = [Counted {
            cell: &cells[0],
            samples: vec![&sample],
        }];
        lifetime(&asked(), &counted, 0, &[DEVICE; 2]).unwrap()
    };
    let unknown = life(None);
    assert_eq!(unknown.written_per_byte, None);
    assert!(unknown.unknown.contains(&Unknown::Neighbours));
    let known = life(Some(500_000));
    assert_eq!(known.written_per_byte, Some(2.0));
    assert!(known.has_neighbours && !known.unknown.contains(&Unknown::Neighbours));
}
