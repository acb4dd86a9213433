//! Runs of fake worlds, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod judgement;
mod simulations;

use stripewise_study::sample::{Sample, SampleRecord, Transfer};
use stripewise_units::{Bytes, Nanos};

/// Returns a sample that read this many bytes a second.
fn sample_of(bandwidth: f64, elapsed_ns: Nanos) -> Sample {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small positive test numbers"
    )]
    let bytes = (bandwidth * elapsed_ns.as_secs_f64()) as u64;
    Sample {
        elapsed_ns,
        read: Transfer {
            ios: bytes / 4096,
            bytes: Bytes::new(bytes),
            ..Transfer::default()
        },
        ..Sample::default()
    }
}

fn of_cell(samples: &[SampleRecord], cell: usize) -> Vec<&SampleRecord> {
    let samples = samples.iter();
    samples.filter(|record| record.cell == cell).collect()
}
