//! Draws series and fleets with a known truth, and prints how often the answer is right:
//! `cargo run --release -p stripewise-history --example judge [SEED [SERIES]]`. `judge.txt` is its
//! output, without how long it took, which goes to standard error.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the output is the table"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::io;

use stripewise_history::{Detector, LEVEL_MAX, outliers};
use support::draws::{Draws, Kind};
use support::{CORRELATIONS, Fleet, POINTS, Scatter, false_alarms, fleets, kinds, published, step};

fn main() -> Result<(), std::num::ParseIntError> {
    let mut arguments = std::env::args().skip(1);
    let seed: u64 = arguments.next().map_or(Ok(2), |text| text.parse())?;
    let series: u32 = arguments.next().map_or(Ok(2000), |text| text.parse())?;
    let mut draws = Draws::new(seed);
    println!(
        "Seed {seed}, {series} series of {POINTS} points with a coefficient of variation of 5 %.\n\
         Shares in %, with their 95 % interval.\n"
    );
    noise(&mut draws, series);
    steps(&mut draws, series);
    tigerbeetle();
    many_hosts(&mut draws, series / 10);
    lengths(&mut draws, series);
    speed(&mut draws);
    Ok(())
}

fn noise(draws: &mut Draws, series: u32) {
    println!("1. Series of noise\nnoise  correlation  with a change  cannot tell");
    for (kind, word) in kinds() {
        for correlation in CORRELATIONS {
            let [changed, unknown] = false_alarms(draws, POINTS, correlation, kind, series);
            println!(
                "{word}  {correlation:.2}  {changed}  {:.1}",
                unknown.percent()
            );
        }
    }
}

fn steps(draws: &mut Draws, series: u32) {
    println!(
        "\n2. Series with a step in the middle three fifths\n\
         step, noise  correlation  claimed  within 5 points  place in interval  size in interval  several changes"
    );
    for ratio in [0.9, 0.95] {
        for (kind, word) in kinds() {
            for correlation in CORRELATIONS {
                let found = step(draws, POINTS, (correlation, kind), ratio, series);
                println!(
                    "to {:.0} %, {word}  {correlation:.2}  {}  {}  {}  {}  {:.1}",
                    100.0 * ratio,
                    found.claimed,
                    found.placed,
                    found.place_held,
                    found.size_held,
                    found.several.percent()
                );
            }
        }
    }
}

fn tigerbeetle() {
    let values = published(include_str!("../tests/data/tigerbeetle.csv"));
    let Ok(trend) = Detector::default().trend(&values) else {
        return;
    };
    println!("\n3. The published series of TigerBeetle\nlevel  changes  first points after them");
    for level in [0.05, 0.01, 0.001, 1e-4, 1e-6] {
        let places: Vec<usize> = trend.at(level).map(|change| change.place).collect();
        println!("{level:e}  {}  {places:?}", places.len());
    }
    println!("\n4. Its changes\nfirst point  between  size  interval  p");
    for change in &trend.changes {
        let [first, last] = change.places;
        let [low, high] = change.sizes;
        println!(
            "{}  {first}–{last}  {:.3}  {low:.3}–{high:.3}  {:.0e}",
            change.place, change.size, change.p_value
        );
    }
}

fn many_hosts(draws: &mut Draws, count: u32) {
    println!(
        "\n5. {count} fleets of 1,000 hosts with 20 cells, without slow hosts and with ten that are 22 % slow\n\
         scatter  of hosts, of their cells  slow hosts  named  innocent of those named  fleets with an innocent one named"
    );
    for (kind, word) in [(Kind::Normal, "normal"), (Kind::HeavyTails, "t3")] {
        for (between, within) in [(0.01, 0.05), (0.02, 0.02), (0.05, 0.02)] {
            for slow in [0, 10] {
                let how = Scatter {
                    kind,
                    between,
                    within,
                };
                let found = fleets(draws, count, slow, how);
                println!(
                    "{word}  {:.0} %, {:.0} %  {slow}  {}  {}  {}",
                    100.0 * between,
                    100.0 * within,
                    found.named,
                    found.innocent,
                    found.fleets
                );
            }
        }
    }
}

fn lengths(draws: &mut Draws, series: u32) {
    println!(
        "\n6. Series of other lengths: noise, the highest share with a change of the three kinds; normal noise with a step\n\
         points  correlation  with a change  cannot tell  to 90 %, claimed  to 80 %, claimed"
    );
    for points in [20, 30, 40, 60, 100, 500] {
        for correlation in CORRELATIONS {
            let all =
                kinds().map(|(kind, _)| false_alarms(draws, points, correlation, kind, series));
            let worst = all.iter().map(|[changed, _]| *changed);
            let worst = worst
                .max_by_key(|changed| changed.count)
                .unwrap_or_default();
            let normal = (correlation, Kind::Normal);
            let [less, far] =
                [0.9, 0.8].map(|ratio| step(draws, points, normal, ratio, series / 2).claimed);
            let [[_, unknown], ..] = all;
            println!(
                "{points}  {correlation:.2}  {worst}  {:.1}  {:.1}  {:.1}",
                unknown.percent(),
                less.percent(),
                far.percent()
            );
        }
    }
}

/// Says how long 20,000 series of 500 points and one fleet take.
fn speed(draws: &mut Draws) {
    let mut all = Vec::new();
    for number in 0..200_u32 {
        let correlation = CORRELATIONS[usize::try_from(number % 3).unwrap_or(0)];
        let mut values = Vec::new();
        draws.series(500, correlation, Kind::Normal, &mut values);
        if number % 4 == 0 {
            for value in &mut values[200..] {
                *value *= 0.9;
            }
        }
        all.push(values);
    }
    let mut detector = Detector::default();
    let start = cpu_ms();
    let mut found = 0;
    for _ in 0..100 {
        for values in &all {
            found += detector
                .trend(values)
                .map_or(0, |trend| trend.changes.len());
        }
    }
    eprintln!(
        "20,000 series of 500 points, a quarter with a step: {} ms of CPU time, {found} changes",
        cpu_ms() - start
    );
    let how = Scatter {
        kind: Kind::HeavyTails,
        between: 0.02,
        within: 0.02,
    };
    let fleet = Fleet::draw(draws, 1000, 20, 10, how);
    let measured = fleet.measured();
    let start = cpu_ms();
    let judged = outliers(&measured, true, LEVEL_MAX);
    eprintln!(
        "1,000 hosts from 20,000 medians: {} ms of CPU time, {} judged",
        cpu_ms() - start,
        judged.len()
    );
}

/// Returns how long this process has had a CPU, in ms; 0 where the kernel does not count it.
fn cpu_ms() -> u64 {
    let text: io::Result<String> = std::fs::read_to_string("/proc/self/schedstat");
    let first = text
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    first.unwrap_or(0) / 1_000_000
}
