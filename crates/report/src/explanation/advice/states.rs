//! What the designs of an advice give in each state of the devices.

use stripewise_catalogue::{Argument, Message};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;

use super::super::advice_words::{is_open, than_best, value};
use super::super::answer::short_stack;
use super::{
    Advice, AskedAdvice, ExplainedCell, Explanation, LISTED_MAX, Rate, TOLERANCE, WithoutRedundancy,
};

impl Advice {
    /// Returns which compared designs stand otherwise to the best one on fresh devices, where designs were
    /// compared on steady ones and the others may apply.
    pub(super) fn on_fresh_devices(&self) -> Option<Message> {
        let loads = self.asked.weights.len();
        let mut cells = self
            .compared
            .cells
            .iter()
            .zip(self.asked.states.iter().cycle());
        let volume = self.compared.volume();
        if !cells.any(|(cell, state)| is_open(cell, *state, volume)) {
            return None;
        }
        let mut designs = self.compared.cells.chunks(loads);
        let fresh = vec![State::Fresh; loads];
        let rate = |cells: &[ExplainedCell], states: &[State]| {
            Some(self.asked.rate_in(cells, states)?.median)
        };
        let best = designs.next()?;
        let (best_fresh, best_steady) = (rate(best, &fresh)?, rate(best, &self.asked.states)?);
        let moved = designs.filter_map(|cells| {
            let share = rate(cells, &fresh)? / best_fresh;
            let steady = rate(cells, &self.asked.states)? / best_steady;
            let is_moved = (share / steady - 1.0).abs() > TOLERANCE;
            is_moved.then(|| than_best(share).with("design", short_stack(&cells[0].cell.stack)))
        });
        let moved: Vec<Message> = moved.take(LISTED_MAX).collect();
        let gives = (!moved.is_empty()).then(|| Argument::semicolons(moved))?;
        Some(Message::new("advise-fresh").with("gives", gives))
    }
}

impl AskedAdvice {
    /// Returns the design without redundancy, which has these cells, beside the best.
    pub(super) fn without_redundancy(
        &self,
        cells: &[ExplainedCell],
        compared: &Explanation,
    ) -> Option<WithoutRedundancy> {
        let loads = self.weights.len();
        let best = compared.cells.get(..loads)?;
        if cells.len() != loads {
            return None;
        }
        Some(WithoutRedundancy {
            design: cells[0].cell.stack.summary(),
            words: short_stack(&cells[0].cell.stack),
            times: self.rate(cells)?.median / self.rate(best)?.median,
        })
    }

    /// Returns the weighted geometric mean of the rates of a design's cells, as in the race: of steady
    /// devices with the interval of its simulations, of fresh ones without.
    pub(super) fn rate(&self, cells: &[ExplainedCell]) -> Option<Rate> {
        self.rate_in(cells, &self.states)
    }

    /// Does the same for devices in these states under the loads; `None` if one is unknown.
    fn rate_in(&self, cells: &[ExplainedCell], states: &[State]) -> Option<Rate> {
        let rate = |cell: &ExplainedCell, state: State| match cell.fresh {
            Some(_) if state == State::Fresh => {
                let median = value(cell, state, Metric::Bandwidth)?;
                Some(Rate {
                    median,
                    low: median,
                    high: median,
                })
            }
            None if state == State::Fresh && cell.is_fresh_unknown() => None,
            _ => Rate::of(&cell.prediction.samples),
        };
        let rates = cells.iter().zip(states).zip(&self.weights);
        let rates = rates.map(|((cell, state), weight)| Some((rate(cell, *state)?, *weight)));
        Some(Rate::mean(&rates.collect::<Option<Vec<_>>>()?))
    }
}
