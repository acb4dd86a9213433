//! Points that no model of a device repeats: the same load, spread over other numbers of jobs, at
//! another rate.

use stripewise_study::workload::Pattern;

use crate::points::Point;

/// Rates that differ by more than this share contradict each other.
const APART_MAX: f64 = 0.05;

/// Points of one stack, pattern and size that contradict each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The stack.
    pub stack: String,
    /// The pattern.
    pub pattern: Pattern,
    /// The size of each I/O.
    pub block_size_bytes: u64,
    /// The numbers of I/Os in flight at which they do, rising.
    pub in_flight: Vec<u32>,
    /// The largest difference over the lower rate.
    pub apart: f64,
}

/// Returns the contradictions among plain points: a device sees only how many I/Os are in flight,
/// not how many jobs they come from.
pub fn contradictions(points: &[Point]) -> Vec<Contradiction> {
    let mut plain: Vec<&Point> = points.iter().filter(|point| point.is_plain()).collect();
    plain.sort_by_key(|point| (series(point), point.in_flight()));
    let mut found: Vec<Contradiction> = Vec::new();
    for same in plain.chunk_by(|one, next| series(one) == series(next)) {
        let mut contradiction = Contradiction {
            stack: same[0].stack.clone(),
            pattern: same[0].pattern,
            block_size_bytes: same[0].block_size_bytes,
            in_flight: Vec::new(),
            apart: 0.0,
        };
        for load in same.chunk_by(|one, next| one.in_flight() == next.in_flight()) {
            let rates = || load.iter().map(|point| point.bandwidth_bytes_per_s);
            let apart = rates().fold(0.0, f64::max) / rates().fold(f64::INFINITY, f64::min) - 1.0;
            if apart > APART_MAX {
                contradiction.in_flight.push(load[0].in_flight());
                contradiction.apart = contradiction.apart.max(apart);
            }
        }
        if !contradiction.in_flight.is_empty() {
            found.push(contradiction);
        }
    }
    found
}

/// Returns the stack, pattern and sizes of a point.
fn series(point: &Point) -> (&str, &'static str, u64, Option<u64>) {
    let (pattern, file) = (point.pattern.as_str(), point.file_size_bytes);
    (&point.stack, pattern, point.block_size_bytes, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &[&str]) -> Vec<(&'static str, Vec<u32>, u32)> {
        let head = "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s";
        let text = format!("{head}\n{}\n", rows.join("\n"));
        let points = crate::points::parse("points.csv", text.as_bytes()).unwrap();
        let found = contradictions(&points).into_iter();
        let found = found.map(|one| {
            let percent = format!("{:.0}", one.apart * 100.0).parse().unwrap();
            (one.pattern.as_str(), one.in_flight, percent)
        });
        found.collect()
    }

    #[test]
    fn equal_loads_at_other_rates_contradict_each_other() {
        let rows = [
            "ssd,randread,4096,16,1,150",
            "ssd,randread,4096,1,8,100",
            "ssd,randread,4096,8,1,120",
            "ssd,randread,4096,4,4,100",
            "ssd,randread,4096,1,4,90",
        ];
        assert_eq!(found(&rows), [("randread", vec![8, 16], 50)]);
    }

    #[test]
    fn rates_that_are_close_or_of_other_loads_do_not() {
        let rows = [
            "ssd,randread,4096,1,8,100",
            "ssd,randread,4096,8,1,104",
            "ssd,randread,8192,8,1,200",
            "ssd,randwrite,4096,8,1,300",
            "other,randread,4096,8,1,400",
        ];
        assert_eq!(found(&rows), []);
    }
}
