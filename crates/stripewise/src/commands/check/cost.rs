//! What a finding costs on this machine's stack: simulations of the stack as it is, and of others.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use stripewise_check::{CheckReport, Missing, ModelLink, Question, Variant};
use stripewise_diagnose::prediction::Prediction;
use stripewise_format::parse;
use stripewise_sim::io::Member;
use stripewise_sim::question::Observer;
use stripewise_study::metric::Metric;
use stripewise_study::world::Watch;
use stripewise_worlds::model::{self, SEED_DEFAULT};

use crate::failure::{Failure, Result};
use crate::model::ModelArgs;

/// How long all simulations of a report may take; later questions are not answered. A build without
/// optimisation simulates far slower, and its tests run beside others.
const TIME_MAX: Duration = Duration::from_secs(if cfg!(debug_assertions) { 300 } else { 20 });

/// Cancels simulations when the time is over.
struct Until(Instant);

impl Watch for Until {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        Instant::now() < self.0
    }
}

impl Observer for Until {
    fn simulated(&mut self, _done: u64, _all: u64) {}
}

/// Adds to each question of a report what the model answers; a question that it cannot answer
/// becomes a missing fact.
pub(super) fn simulate(report: &mut CheckReport) {
    let mut until = Until(Instant::now() + TIME_MAX);
    // Arrays are often alike.
    let mut known = BTreeMap::new();
    for link in report
        .results
        .iter_mut()
        .flat_map(|result| &mut result.model)
    {
        let ModelLink::Ask(question) = link else {
            continue;
        };
        if let Err(error) = answer(question, &mut known, &mut until) {
            let why = match until.keep_going(Duration::ZERO) {
                true => error.message(),
                false => format!("the simulations took more than {} s", TIME_MAX.as_secs()),
            };
            let fact = question.array.clone();
            *link = ModelLink::Missing(Missing::new(fact, why));
        }
    }
}

fn answer(
    question: &mut Question,
    known: &mut BTreeMap<(String, bool), f64>,
    until: &mut Until,
) -> Result<()> {
    for variant in &mut question.variants {
        let key = (variant.study.clone(), variant.is_degraded);
        let iops = match known.get(&key) {
            Some(iops) => *iops,
            None => iops(variant, until)?,
        };
        known.insert(key, iops);
        variant.iops = Some(iops);
    }
    Ok(())
}

/// Simulates a variant; returns its I/Os per second.
fn iops(variant: &Variant, until: &mut Until) -> Result<f64> {
    const NAME: &str = "the stack as a study";
    let study = parse(NAME, &variant.study).map_err(|error| Failure::study(NAME, error))?;
    let args = ModelArgs {
        profiles: None,
        kernel: None,
    };
    let mut model = model::open(&args.find(&study, None)?)?;
    if variant.is_degraded {
        model.failed = vec![Member(0)];
    }
    let mut cells = study.cells.iter();
    let cell = cells
        .next()
        .ok_or_else(|| Failure::new("the study has no cell"))?;
    let prediction = Prediction::new(&model, cell, SEED_DEFAULT, until)?;
    let iops = prediction.estimate(Metric::Iops).map(|iops| iops.value);
    iops.filter(|iops| *iops > 0.0)
        .ok_or_else(|| Failure::new("the simulation completed no I/O"))
}
