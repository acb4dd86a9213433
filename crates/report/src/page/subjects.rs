//! The cells of a page: those of all runs in natural order, with their verdicts against the
//! reference run.

use std::collections::BTreeMap;

use stripewise_analysis::comparison::{CellComparison, compare_medians};
use stripewise_study::sample::SampleRecord;

use super::axes::MappedAxis;
use super::input::Input;
use crate::document::{CellPart, Document, VerdictPart};
use crate::matching::matching_cells;

/// A cell of a run. Its place in the list of subjects is its index on the page.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// The index of its run.
    pub(crate) run: usize,
    /// Its value along each axis of the page.
    pub(crate) values: Vec<String>,
    /// The cell.
    pub(crate) part: &'a CellPart,
    /// Its verdict against the same cell of the reference run; the baseline is a subject.
    pub(crate) before: Option<VerdictPart>,
}

/// Returns the cells of all runs, run by run, in natural order.
pub(crate) fn of<'a>(documents: &'a [Document], axes: &[MappedAxis]) -> Vec<Subject<'a>> {
    let mut subjects = Vec::new();
    for (run, document) in documents.iter().enumerate() {
        for index in document.names().order {
            let part = &document.cells[index];
            let cell = part.cell();
            subjects.push(Subject {
                run,
                values: axes.iter().map(|axis| axis.value(&cell)).collect(),
                part,
                before: None,
            });
        }
    }
    subjects
}

/// Returns the index of the reference run: the first that was measured, else the first.
pub(crate) fn reference(documents: &[Document]) -> usize {
    let is_measured = |document: &Document| document.run.model.is_none();
    documents.iter().position(is_measured).unwrap_or(0)
}

/// Returns the index of each cell of a run among the subjects.
pub(crate) fn places(subjects: &[Subject]) -> BTreeMap<(usize, usize), usize> {
    let places = subjects.iter().enumerate();
    places
        .map(|(place, subject)| ((subject.run, subject.part.index), place))
        .collect()
}

/// Compares each cell with the same one of the reference run.
pub(crate) fn compare(inputs: &[Input], documents: &[Document], subjects: &mut [Subject]) {
    let reference = reference(documents);
    let places = places(subjects);
    let samples: Vec<_> = inputs
        .iter()
        .map(|input| input.run.samples_by_cell())
        .collect();
    let Some(base) = inputs.get(reference) else {
        return;
    };
    let compare = &inputs[0].asked.compare;
    for (run, input) in inputs
        .iter()
        .enumerate()
        .filter(|(run, _)| *run != reference)
    {
        for (before, after) in matching_cells(&base.run.cells, &input.run.cells) {
            let counted =
                |run: usize, cell: usize| counted(&samples[run][cell], &documents[run].cells[cell]);
            let compared: Option<CellComparison> = compare_medians(
                &counted(reference, before),
                &counted(run, after),
                compare.metric,
                compare.margin_percent,
            );
            let (from, to) = (places[&(reference, before)], places[&(run, after)]);
            subjects[to].before = compared.map(|compared| VerdictPart::new(from, &compared));
        }
    }
}

fn counted<'a>(samples: &[&'a SampleRecord], part: &CellPart) -> Vec<&'a SampleRecord> {
    let samples = samples.iter().zip(&part.samples);
    let counted = samples.filter(|(_, part)| part.counted);
    counted.map(|(record, _)| *record).collect()
}
