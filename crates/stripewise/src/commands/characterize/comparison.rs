//! Compares a trace with its workload in the model, with progress.

use stripewise_catalogue::Message;
use stripewise_diagnose::fidelity::{self, Fidelity, Heads};
use stripewise_format::parse;
use stripewise_report::strip_control;
use stripewise_sim::world::ModelError;
use stripewise_study::plan::Study;
use stripewise_trace::fit::Fitted;
use stripewise_trace::survey::Plan;
use stripewise_worlds::model;

use crate::failure::{Failure, Result};
use crate::model::SimulationArgs;
use crate::printer::Printer;
use crate::progress::Simulating;

/// Simulates each phase of the trace and its workload; `None` for one that cannot be compared, with
/// a remark that says why.
pub(super) fn compare(
    simulation: &SimulationArgs,
    text: &str,
    fitted: &[Fitted],
    both: (&Heads, &Plan),
    printer: &mut Printer,
) -> Result<Vec<Option<Fidelity>>> {
    const NAME: &str = "the fitted study";
    let study: Study = parse(NAME, text).map_err(|error| Failure::study(NAME, error))?;
    let model = model::open(&simulation.find(&study)?)?;
    let mut progress = Simulating::new(fitted.len(), printer);
    let (mut fidelities, mut not_compared) = (Vec::new(), Vec::new());
    for (number, one) in fitted.iter().enumerate() {
        let seed = simulation.seed;
        match fidelity::compare(&model, &study, one, both, seed, &mut progress) {
            Ok(fidelity) => fidelities.push(fidelity),
            Err(ModelError::Interrupted) => return Err(Failure::new("interrupted")),
            Err(error) => {
                let message = Message::new("trace-not-compared");
                not_compared.push(message.name("reason", strip_control(&error.to_string())));
                fidelities.push(None);
            }
        }
        progress.part_done(fitted.len() - number - 1);
    }
    drop(progress);
    for message in &not_compared {
        printer.remark(message);
    }
    Ok(fidelities)
}
