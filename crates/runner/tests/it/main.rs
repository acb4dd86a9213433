//! Runs of fake worlds, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod judgement;
mod simulations;

use stripewise_study::sample::SampleRecord;

fn of_cell(samples: &[SampleRecord], cell: usize) -> Vec<&SampleRecord> {
    let samples = samples.iter();
    samples.filter(|record| record.cell == cell).collect()
}
