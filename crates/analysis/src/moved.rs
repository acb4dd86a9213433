//! What the devices moved for each byte that a load moved.
//!
//! The kernel's counters say it, whatever the tool: copies, parity, checksums, journals and trees of
//! a stack make it more than 1, caches and compression less.

use serde::Serialize;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::warning::Direction;
use stripewise_units::{Bytes, total};

/// The bytes of one direction, summed over samples.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DirectionBytes {
    /// The bytes that the loads moved.
    pub(crate) asked: u64,
    /// The bytes that the devices moved.
    pub(crate) moved: u64,
    /// How long the samples took, in ns.
    pub(crate) ns: u64,
}

impl DirectionBytes {
    /// Sums the samples.
    pub(crate) fn of(samples: &[&Sample], direction: Direction) -> Self {
        let all = samples.iter();
        let asked = all.clone().map(|sample| sample.transfer(direction).bytes);
        let deltas = all.clone().flat_map(|sample| &sample.devices);
        let moved = deltas.map(|device| device.bytes(direction));
        Self {
            asked: total(asked.map(Bytes::as_u64)),
            moved: total(moved.map(Bytes::as_u64)),
            ns: total(all.map(|sample| sample.elapsed_ns.as_u64())),
        }
    }

    /// Returns the bytes at the devices for each byte of the load; `None` if either is 0.
    pub(crate) fn per_byte(self) -> Option<f64> {
        (self.asked > 0 && self.moved > 0).then(|| as_f64(self.moved) / as_f64(self.asked))
    }
}

/// The bytes that the devices moved for each byte that the load moved.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PerByte {
    /// Read for each byte read; `None` if the load or the devices read nothing.
    pub read: Option<f64>,
    /// Written for each byte written; `None` if the load or the devices wrote nothing.
    pub write: Option<f64>,
}

impl PerByte {
    /// Returns one of both.
    pub fn get(self, direction: Direction) -> Option<f64> {
        match direction {
            Direction::Read => self.read,
            Direction::Write => self.write,
        }
    }

    /// Returns both of a cell's samples that count; `None` if both are unknown.
    pub fn of(samples: &[&Sample]) -> Option<Self> {
        let of = |direction| DirectionBytes::of(samples, direction).per_byte();
        let found = Self {
            read: of(Direction::Read),
            write: of(Direction::Write),
        };
        (found != Self::default()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use stripewise_study::sample::DeviceDelta;

    use super::*;

    #[test]
    fn a_mirror_writes_twice_and_reads_once() {
        let device = DeviceDelta {
            read_bytes: Bytes::new(50),
            write_bytes: Bytes::new(1000),
            ..DeviceDelta::default()
        };
        let mut sample = Sample {
            devices: vec![device.clone(), device],
            ..Sample::default()
        };
        assert_eq!(PerByte::of(&[&sample]), None);
        sample.read.bytes = Bytes::new(100);
        sample.write.bytes = Bytes::new(1000);
        let expected = PerByte {
            read: Some(1.0),
            write: Some(2.0),
        };
        assert_eq!(PerByte::of(&[&sample, &sample]), Some(expected));
        sample.write.bytes = Bytes::new(0);
        let found = PerByte::of(&[&sample]).expect("it reads");
        assert_eq!(found.write, None);
    }
}
