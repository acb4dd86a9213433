//! What must not happen: a profile that we ship says 40000 writes a second in its `source`, and the
//! simulation of it says something else.
//!
//! Every fact of a data sheet or a published measurement that a shipped profile is made from is
//! simulated on one such disk with the default host, and must come out. What is stated as one
//! number may differ by 10 %; what is stated as a range must lie in it, give or take the same 10 %.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use stripewise_sim::device::profile::{DeviceProfile, Model as DeviceModel};
use stripewise_sim::engine::Limits;
use stripewise_sim::profile_file::{device_from_toml, host_from_toml};
use stripewise_sim::profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_study::format;
use stripewise_study::kernel::KernelVersion;
use stripewise_study::sample::Sample;
use stripewise_study::units::Nanos;

/// How far what is simulated may lie outside of what is stated.
const TOLERANCE: f64 = 0.10;

/// What a fact is about, and its unit.
#[derive(Debug, Clone, Copy)]
enum Quantity {
    /// I/Os a second.
    Iops,
    /// Megabytes (10^6) a second.
    Bandwidth,
    /// Mean latency in microseconds, of reads and writes.
    Mean,
    /// The median of the read latency in microseconds.
    ReadP50,
    /// Its 99th percentile.
    ReadP99,
    /// The mean time of a write and its fsync in microseconds.
    WriteAndSync,
}

impl Quantity {
    const fn unit(self) -> &'static str {
        match self {
            Quantity::Iops => "IOPS",
            Quantity::Bandwidth => "MB/s",
            Quantity::Mean => "us mean",
            Quantity::ReadP50 => "us p50",
            Quantity::ReadP99 => "us p99",
            Quantity::WriteAndSync => "us write+fsync",
        }
    }

    fn of(self, sample: &Sample) -> f64 {
        let seconds = sample.elapsed_ns.as_secs_f64();
        let ios = count(sample.read.ios + sample.write.ios);
        let quantile = |q| {
            let latency = sample.read.latency.histogram.quantile(q);
            latency.map_or(0.0, |ns| count(ns.as_u64()) / 1e3)
        };
        match self {
            Quantity::Iops => ios / seconds,
            Quantity::Bandwidth => count(sample.bytes().as_u64()) / seconds / 1e6,
            Quantity::Mean => {
                let [read, write] = [&sample.read, &sample.write];
                let sum = |transfer: &stripewise_study::sample::Transfer| {
                    transfer.latency.mean_ns.unwrap_or(0.0) * count(transfer.ios)
                };
                (sum(read) + sum(write)) / ios / 1e3
            }
            Quantity::ReadP50 => quantile(0.5),
            Quantity::ReadP99 => quantile(0.99),
            Quantity::WriteAndSync => seconds / ios * 1e6,
        }
    }
}
