//! The run of a dead controller is taken over after its lease, and the old one cannot write any more.

use std::time::{Duration, Instant};

use stripewise_results::{RunEnd, RunState, Store, StoreError};

use super::Place;
use crate::common::{begin_with_samples, record};

pub(super) fn a_run_is_taken_over(place: &Place) {
    let address = place.database("leases");
    let mut old = Store::open(&address).unwrap();
    old.set_lease(Duration::from_millis(800));
    let run = begin_with_samples(&mut old, 2, 5);
    let mut other = Store::open(&address).unwrap();
    // Far longer than a lease: the holder renews it while a sample takes its time.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(other.summary(run).unwrap().state, RunState::Running);
    let refused = other.claim_run(run).unwrap_err();
    assert!(
        matches!(refused, StoreError::RunAliveOn { .. }),
        "{refused}"
    );
    old.add_sample(run, &record(5, 2)).unwrap();

    // The machine is gone: nobody renews the lease. The server ends its connections, and lets none in.
    place.psql(
        "leases",
        "UPDATE stripewise.lease SET holder = 'gone-' || holder",
    );
    let deadline = Instant::now() + Duration::from_secs(20);
    while let Err(error) = other.claim_run(run) {
        assert!(matches!(error, StoreError::RunAliveOn { .. }), "{error}");
        assert!(Instant::now() < deadline, "the lease does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    let refused = old.add_sample(run, &record(6, 2)).unwrap_err();
    assert!(matches!(refused, StoreError::TakenOver { .. }), "{refused}");
    assert_eq!(other.add_sample(run, &record(6, 2)).unwrap(), 6);
    other.finish_run(run, RunEnd::Done).unwrap();
    drop(old);
    let read = other.run(run).unwrap();
    assert_eq!(
        read.summary.state,
        RunState::Done,
        "the old one did not end it"
    );
    assert_eq!(read.samples.len(), 7);
    assert_eq!(
        place.psql("leases", "SELECT count(*) FROM stripewise.lease"),
        "0"
    );
}
