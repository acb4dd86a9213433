use stripewise_study::cut::RecoveryFailure;
use stripewise_study::risk::Volatile;
use stripewise_units::{Bytes, Nanos};

use super::*;

fn cut(recording: u64, outcome: Outcome) -> Cut {
    Cut {
        recording,
        at_ns: Nanos::from_millis(2_000),
        acknowledged: 100,
        acknowledged_bytes: Bytes::new(1_638_400),
        outcome,
        state: None,
        smallest: None,
    }
}

fn lost(records: u64, age_ms: u64) -> Outcome {
    Outcome::CameBack(Loss {
        records,
        bytes: Bytes::new(records * 16_384),
        age_ns: Nanos::from_millis(age_ms),
        corrupt: 0,
        values: None,
    })
}

fn unusable(step: RecoveryStep) -> Outcome {
    Outcome::Unusable(RecoveryFailure {
        step,
        reason: "bad magic".to_owned(),
    })
}

#[test]
fn no_cuts_have_no_summary() {
    assert_eq!(CutSummary::of([]), None);
}

#[test]
fn each_outcome_is_counted_once_and_unknown_ones_in_no_share() {
    let corrupt = Outcome::CameBack(Loss {
        corrupt: 3,
        ..Loss::default()
    });
    let unknown = Outcome::Unknown {
        reason: "the guest died".to_owned(),
    };
    let outcomes = [
        lost(0, 0),
        lost(2, 900),
        corrupt,
        unusable(RecoveryStep::Mount),
        unusable(RecoveryStep::Assemble),
        unusable(RecoveryStep::Mount),
        unknown,
    ];
    let mut cuts: Vec<Cut> = (0..).zip(outcomes).map(|(at, one)| cut(at, one)).collect();
    cuts[0].acknowledged = 0;
    let summary = CutSummary::of(&cuts).unwrap();
    assert_eq!((summary.cuts, summary.recordings), (7, 7));
    assert_eq!((summary.unknown, summary.empty), (1, 1));
    let counts = |share: CutShare| (share.count, share.of, share.independent);
    assert_eq!(counts(summary.lost), (5, 6, 6));
    assert_eq!(counts(summary.unusable), (3, 6, 6));
    assert_eq!(
        counts(summary.corrupt),
        (1, 3, 3),
        "of those that came back"
    );
    let at = |step, count| FailedStep { step, count };
    assert_eq!(
        summary.unusable_at,
        [at(RecoveryStep::Assemble, 1), at(RecoveryStep::Mount, 2)]
    );
    let expected = CutLoss {
        median: 0,
        low: None,
        high: None,
        max: 900_000_000,
    };
    assert_eq!(summary.age_ns, Some(expected), "too few for an interval");
    assert_eq!(summary.bytes.unwrap().max, 2 * 16_384);
}

#[test]
fn no_loss_in_twenty_cuts_still_allows_seventeen_percent() {
    let cuts: Vec<Cut> = (0..20).map(|at| cut(at, lost(0, 0))).collect();
    let summary = CutSummary::of(&cuts).unwrap();
    assert!((summary.lost.high - 0.1684).abs() < 1e-4, "{summary:?}");
    // Ten images of each of the same recordings make nothing more certain.
    let images = cuts.iter().cycle().take(200);
    let images = CutSummary::of(images).unwrap();
    assert_eq!((images.cuts, images.recordings), (200, 20));
    assert_eq!(images.lost.high.to_bits(), summary.lost.high.to_bits());
}

#[test]
fn the_median_of_a_loss_has_an_interval_from_its_recordings() {
    // Ranks 2 and 9 of 10.
    let cuts: Vec<Cut> = (1..=10).map(|at| cut(at, lost(1, at * 100))).collect();
    let age = CutSummary::of(&cuts).unwrap().age_ns.unwrap();
    let expected = CutLoss {
        median: 600_000_000,
        low: Some(200_000_000),
        high: Some(900_000_000),
        max: 1_000_000_000,
    };
    assert_eq!(age, expected);
    let images = cuts.iter().cycle().take(40);
    assert_eq!(CutSummary::of(images).unwrap().age_ns, Some(expected));
}

#[test]
fn if_no_stack_came_back_the_loss_is_unknown() {
    let cuts: Vec<Cut> = (0..6)
        .map(|at| cut(at, unusable(RecoveryStep::Start)))
        .collect();
    let summary = CutSummary::of(&cuts).unwrap();
    assert_eq!((summary.age_ns, summary.bytes), (None, None));
    assert_eq!(summary.corrupt.of, 0);
    assert_eq!((summary.corrupt.low, summary.corrupt.high), (0.0, 1.0));
}

#[test]
fn a_load_without_a_call_that_makes_its_records_durable_loses_what_was_acknowledged() {
    let text = "[stack.one]\nfilesystem = \"existing\"\n\
        [workload]\npattern = \"randwrite\"\nsize = \"1G\"\nfdatasync = 1\n";
    let study = stripewise_fixtures::study(text);
    let volatile = |max: u64, share: u32| Volatile {
        bytes_max: Bytes::new(max),
        age_max_ns: Nanos::new(max),
        share_ppm: Some(share),
        ..Volatile::default()
    };
    let risk = Risk {
        acknowledged: volatile(7, 250_000),
        promised: volatile(0, 0),
    };
    let mut relaxed = study.cells[0].clone();
    relaxed.workload.load.fdatasync_every = None;
    let found: Vec<CutPrediction> = [&relaxed, &study.cells[0]]
        .into_iter()
        .map(|cell| CutPrediction::of(cell, &risk))
        .collect();
    let seen = |at: usize| {
        let one: &CutPrediction = &found[at];
        (one.is_promised, one.bytes_max, one.lost_share)
    };
    assert_eq!(seen(0), (false, 7, Some(0.25)));
    assert_eq!(seen(1), (true, 0, Some(0.0)));
    assert!(found[1].is_lossless() && !found[0].is_lossless());
}
