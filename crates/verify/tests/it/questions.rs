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
use stripewise_study::sample::Sample;
use stripewise_study::world::NeverCancel;
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

#[test]
fn a_question_is_the_same_each_time_and_others_differ() {
    assert_eq!(question(1, 7), question(1, 7));
    let words: std::collections::BTreeSet<Vec<String>> = (0..200)
        .map(|number| predict_words(&question(1, number)))
        .collect();
    assert!(words.len() > 190, "{}", words.len());
}
