//! Drawn questions: what holds of any answer holds of these.
//!
//! `STRIPEWISE_TEST_ASKED=N` draws N questions, `STRIPEWISE_TEST_SEED=S` draws others.

use stripewise_format::parse;
use stripewise_format::question::Question;
use stripewise_profiles::Profiles;
use stripewise_sim::engine::Limits;
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Latency, Sample, Transfer};
use stripewise_study::world::NeverCancel;
use stripewise_units::Nanos;
use stripewise_units::kernel::KernelVersion;
use stripewise_verify::answer_checks::{
    against_littles_law, faster_than_its_device, outside_its_bounds, with_one_more_disk,
};
use stripewise_verify::questions::{predict_words, question};

/// Two answers of so few I/Os may differ by this share.
const NOISE: f64 = 0.05;

/// Returns the only cell of a question, and its answer with little effort by the model that goes with it.
fn answer(question: &Question, profiles: &Profiles) -> (Cell, Model, Result<Sample, ModelError>) {
    let mut study = parse("question", &question.study()).expect("a drawn question is valid");
    let cell = study.cells.remove(0);
    let kernel = study.kernel.unwrap_or(KernelVersion::new(6, 1, 0));
    let limits = Limits {
        ios_max: 30_000,
        ..Limits::default()
    };
    let model = Model {
        limits,
        ..Model::new(profiles.clone(), kernel)
    };
    let sample = model.simulate(&cell, 1, &mut NeverCancel);
    (cell, model, sample)
}

/// Returns what is wrong with the answer to a question.
fn wrong(question: &Question, profiles: &Profiles) -> Vec<String> {
    let (cell, model, sample) = answer(question, profiles);
    let sample = match sample {
        // Even one round of I/Os is too much for so little effort.
        Err(ModelError::TooLarge { .. }) => return Vec::new(),
        Err(error) => return vec![error.to_string()],
        Ok(sample) => sample,
    };
    let noise = match sample.is_cut_short() {
        true => NOISE,
        false => Limits::DEFAULT.half_width,
    };
    let found = [
        against_littles_law(&cell, &sample),
        faster_than_its_device(&cell, &sample, profiles),
        outside_its_bounds(&model, &cell, &sample, noise).expect("shipped profiles"),
    ];
    let mut found: Vec<String> = found.into_iter().flatten().collect();
    if let Some(larger) = with_one_more_disk(question)
        && let (_, _, Ok(larger)) = answer(&larger, profiles)
    {
        let rates = [&sample, &larger].map(|sample| Metric::Bandwidth.of(sample));
        if let [Some(one), Some(more)] = rates
            && more < one * (1.0 - NOISE)
        {
            found.push(format!(
                "{one:.3e} bytes a second, and {more:.3e} with one more disk"
            ));
        }
    }
    found
}

#[test]
fn the_answers_to_drawn_questions_are_possible() {
    let (seed, count) = (
        stripewise_fixtures::number("STRIPEWISE_TEST_SEED").unwrap_or(1),
        stripewise_fixtures::number("STRIPEWISE_TEST_ASKED").unwrap_or(60),
    );
    let profiles = Profiles::shipped();
    let mut wrongs = Vec::new();
    for number in 0..count {
        let question = question(seed, number);
        let words = predict_words(&question).join(" ");
        let found = wrong(&question, &profiles);
        wrongs.extend(
            found
                .into_iter()
                .map(|what| format!("{number}: {words}: {what}")),
        );
    }
    assert!(wrongs.is_empty(), "seed {seed}:\n{}", wrongs.join("\n"));
}

/// Questions, by seed and number, whose answers were once wrong, and what was.
const MENDED: [(u64, u64, &str); 3] = [
    (
        7,
        357,
        "32 I/Os in flight counted whole in a recording of 32: faster than its bound",
    ),
    (
        7,
        480,
        "a stream waited for a disk's arm during all of the recording",
    ),
    (8, 188, "the same: 38 % faster than when its turn came"),
];

#[test]
fn questions_that_failed_once_do_not_fail_again() {
    let profiles = Profiles::shipped();
    for (seed, number, failure) in MENDED {
        let found = wrong(&question(seed, number), &profiles);
        assert!(found.is_empty(), "{seed}, {number}, {failure}: {found:?}");
    }
}

#[test]
fn a_question_is_the_same_each_time_and_others_differ() {
    assert_eq!(question(1, 7), question(1, 7));
    let words: std::collections::BTreeSet<Vec<String>> = (0..200)
        .map(|number| predict_words(&question(1, number)))
        .collect();
    assert!(words.len() > 190, "{}", words.len());
}

/// The failure: four jobs that read in sequence on one disk wait for each other longer than half of a
/// short recording, and the law was called broken.
#[test]
fn littles_law_allows_for_the_ends_of_a_recording() {
    let text = "[stack.a]\ndevices = { sata-ssd = 1 }\n[workload]\npattern = \"randread\"\ndepth = 4\n\
        size = \"1G\"\n";
    let cell = stripewise_fixtures::study(text).cells.remove(0);
    // 40 I/Os in 1 ms: 0.1 ms each if four are in flight.
    let breach = |mean_ns: u32, longest_ns: u64| {
        let latency = Latency {
            count: 40,
            mean_ns: Some(mean_ns.into()),
            max_ns: Some(Nanos::new(longest_ns)),
            ..Latency::default()
        };
        let sample = Sample {
            elapsed_ns: Nanos::from_millis(1),
            read: Transfer {
                latency,
                ..Transfer::default()
            },
            ..Sample::default()
        };
        against_littles_law(&cell, &sample)
    };
    assert_eq!(breach(100_000, 100_000), None);
    assert_eq!(breach(140_000, 300_000), None);
    for mean_ns in [50_000, 140_000] {
        assert!(breach(mean_ns, 150_000).is_some(), "{mean_ns}");
    }
}
