use stripewise_stats::{Interval, Level};
use stripewise_study::cut::{Cut, Loss, Outcome, RecoveryFailure, RecoveryStep};
use stripewise_units::{Bytes, Nanos};

use super::*;

fn cut(recording: u64, outcome: Outcome) -> Cut {
    Cut {
        recording,
        at_ns: Nanos::from_millis(30_000),
        acknowledged: 100,
        acknowledged_bytes: Bytes::new(1_638_400),
        outcome,
        state: None,
        smallest: None,
    }
}

fn kept() -> Outcome {
    Outcome::CameBack(Loss::default())
}

fn lost(age_ms: u64) -> Outcome {
    Outcome::CameBack(Loss {
        records: 1,
        bytes: Bytes::new(16_384),
        age_ns: Nanos::from_millis(age_ms),
        corrupt: 0,
        values: None,
    })
}

fn unusable() -> Outcome {
    Outcome::Unusable(RecoveryFailure {
        step: RecoveryStep::Mount,
        reason: "bad magic".to_owned(),
    })
}

/// A setting whose cuts come from as many recordings; the last of them is special.
fn setting(stack: &str, iops: f64, count: u64, usual: &Outcome, last: Outcome) -> Setting {
    let mut cuts: Vec<Cut> = (1..count).map(|at| cut(at, usual.clone())).collect();
    cuts.push(cut(count, last));
    Setting {
        stack: stack.to_owned(),
        throughput: Some(Estimate {
            value: iops,
            interval: Some(Interval {
                low: iops * 0.99,
                high: iops * 1.01,
            }),
            of_samples: None,
            level: Level::P95,
            samples: 6,
            effective_samples: 6.0,
        }),
        measured: CutSummary::of(&cuts),
        predicted: None,
    }
}

fn lossless(stack: &str, iops: f64) -> Setting {
    setting(stack, iops, 20, &kept(), kept())
}

fn prediction(age_ms: u64, share: f64, is_unbounded: bool) -> CutPrediction {
    CutPrediction {
        is_promised: false,
        lost_share: Some(share),
        age_ns_p50: 0,
        age_ns_max: age_ms * 1_000_000,
        bytes_p50: 0,
        bytes_max: age_ms,
        is_unbounded,
    }
}

#[test]
fn the_answer_of_the_flush_study() {
    let settings = [
        lossless("raid5", 100.0),
        setting("raid5", 9000.0, 20, &unusable(), kept()),
        setting("raid5", 5000.0, 20, &kept(), lost(1020)),
        lossless("protected", 8000.0),
        lossless("log-device", 9500.0),
    ];
    let advice = advise(&settings);
    let (Advice::Lossless { settings, high, .. }, rest) = (&advice[0], &advice[1..]) else {
        panic!("{advice:?}");
    };
    assert_eq!(settings, &[0, 3, 4]);
    assert!((high - 0.1684).abs() < 1e-4);
    let faster = |setting, ratio| Faster {
        setting,
        than: 0,
        ratio,
    };
    assert_eq!(rest[0], Advice::Fastest(faster(4, 95.0)));
    let settings = vec![faster(3, 80.0)];
    assert_eq!(rest[1], Advice::Alternatives { settings });
    let Advice::Relax {
        faster: relaxed,
        age_ns_max,
        unusable,
    } = &rest[2]
    else {
        panic!("{rest:?}");
    };
    assert_eq!((*relaxed, *age_ns_max), (faster(2, 50.0), 1_020_000_000));
    assert_eq!((unusable.count, unusable.of), (0, 20));
    let Advice::Avoid {
        setting: 1,
        reason: Reason::Unusable { share },
    } = &rest[3]
    else {
        panic!("{rest:?}");
    };
    assert_eq!((share.count, share.of), (19, 20));
    assert_eq!(rest.len(), 4);
}

#[test]
fn one_stack_that_did_not_come_back_or_one_wrong_place_is_enough_to_avoid_a_setting() {
    let corrupt = Outcome::CameBack(Loss {
        corrupt: 1,
        ..Loss::default()
    });
    for (last, expected) in [(unusable(), "unusable"), (corrupt, "corrupt")] {
        for count in [3, 40] {
            let judgement = setting("one", 1.0, count, &kept(), last.clone()).judgement();
            let Judgement::Avoid(reason) = judgement else {
                panic!("{judgement:?}");
            };
            let reason = serde_json::to_value(reason).unwrap();
            assert_eq!(reason["reason"], expected);
        }
    }
}

#[test]
fn a_loss_is_bounded_only_if_something_limits_it() {
    let limited = |age_ms, predicted| Setting {
        predicted,
        ..setting("one", 1.0, 20, &kept(), lost(age_ms))
    };
    let bounded = |age_ms: u64| Judgement::Bounded {
        age_ns_max: age_ms * 1_000_000,
    };
    assert_eq!(limited(900, None).judgement(), bounded(900));
    // The model knows a cut at a worse moment.
    let worse = Some(prediction(1000, 0.1, false));
    assert_eq!(limited(900, worse).judgement(), bounded(1000));
    let endless = Some(prediction(900, 0.1, true));
    let no_limit = Judgement::Avoid(Reason::NoLimit {
        age_ns_max: 900_000_000,
    });
    assert_eq!(limited(900, endless).judgement(), no_limit);
    // The recording was 30 s long: it cannot show more.
    let mut short = limited(900, None);
    short.measured.as_mut().unwrap().at_ns_max = 1_000_000_000;
    assert_eq!(short.judgement(), no_limit);
    let much = Judgement::Avoid(Reason::Loses {
        age_ns_max: 11_000_000_000,
    });
    assert_eq!(limited(11_000, None).judgement(), much);
    let much_predicted = Some(prediction(11_000, 0.1, false));
    assert_eq!(limited(900, much_predicted).judgement(), much);
}

#[test]
fn few_cuts_many_images_of_few_recordings_and_unknown_outcomes_decide_nothing() {
    assert_eq!(
        setting("one", 1.0, 9, &kept(), kept()).judgement(),
        Judgement::Undecided
    );
    let images: Vec<Cut> = (0..90).map(|at| cut(at % 9, kept())).collect();
    let mut one = lossless("one", 1.0);
    one.measured = CutSummary::of(&images);
    assert_eq!(one.judgement(), Judgement::Undecided);
    let mut unknown = lossless("one", 1.0);
    unknown.measured.as_mut().unwrap().unknown = 3;
    assert_eq!(unknown.judgement(), Judgement::Undecided);
    let advice = advise(&[one, unknown]);
    let undecided = Advice::Undecided {
        settings: vec![0, 1],
        needed: 10,
    };
    assert_eq!(advice, [Advice::NoneLossless, undecided]);
}

#[test]
fn without_cuts_the_model_says_what_is_lost_and_without_throughput_nothing_is_fastest() {
    let predicted = |iops: f64, prediction: Option<CutPrediction>| Setting {
        measured: None,
        predicted: prediction,
        ..lossless("one", iops)
    };
    assert_eq!(advise(&[predicted(1.0, None)]), [Advice::NoCuts]);
    let settings = [
        predicted(9.0, Some(prediction(0, 1.0, true))),
        predicted(1.0, Some(prediction(0, 0.0, false))),
        predicted(8.0, Some(prediction(600, 1.0, false))),
        predicted(2.0, Some(prediction(0, 0.0, false))),
    ];
    let loss = |setting, age_ns_max| PredictedLoss {
        setting,
        age_ns_max,
    };
    let fastest = Advice::Fastest(Faster {
        setting: 3,
        than: 1,
        ratio: 2.0,
    });
    let losses = Advice::PredictedLoss {
        settings: vec![loss(2, Some(600_000_000)), loss(0, None)],
    };
    let kept = Advice::PredictedLossless {
        settings: vec![1, 3],
    };
    assert_eq!(
        advise(&settings),
        [kept, fastest, losses.clone(), Advice::NoCuts]
    );
    let all_lose = advise(&[settings[2].clone(), settings[0].clone()]);
    assert_eq!(all_lose[0], Advice::PredictedNone);
    let mut slow = lossless("one", 1.0);
    slow.throughput = None;
    let advice = advise(&[slow]);
    assert!(matches!(advice[0], Advice::Lossless { .. }));
    assert_eq!(advice[1..], [Advice::NoThroughput]);
}

#[test]
fn a_setting_that_is_not_much_faster_beyond_doubt_is_not_worth_a_loss() {
    for (iops, parts) in [(101.0, 1), (140.0, 1), (160.0, 2)] {
        let settings = [
            lossless("one", 100.0),
            setting("one", iops, 20, &kept(), lost(900)),
        ];
        let advice = advise(&settings);
        assert_eq!(advice.len(), parts, "{advice:?}");
    }
}

#[test]
fn a_prediction_outside_of_the_measured_interval_is_named() {
    let mut one = lossless("one", 1.0);
    one.predicted = Some(prediction(900, 0.5, false));
    let advice = advise(std::slice::from_ref(&one));
    let found = advice.iter().any(|one| {
        matches!(one, Advice::Disagrees { setting: 0, predicted_share, .. } if *predicted_share > 0.4)
    });
    assert!(found, "{advice:?}");
    one.predicted = Some(prediction(900, 0.1, false));
    assert_eq!(advise(&[one]).len(), 1);
}
