//! Which of many like hosts is slow.
//!
//! Hosts of one class (model, firmware, kernel) have measured the same cells. In each cell, a host's
//! deviation is the logarithm of its value less the median of its class, in robust standard
//! deviations of that cell. A host's score is the median of its deviations over its cells, of two middle
//! ones the better: a half of slow cells is not a slow host.
//!
//! How far innocent hosts scatter is not assumed to be normal: the null is empirical (Efron 2004), from
//! the good side alone, as slow hosts are on the other. Student's t is fitted to all of that side and
//! Pareto's tail to its end (Hill 1975), and the less sure of both counts. So a fleet whose innocent
//! hosts have heavy tails names fewer. Named are hosts whose share of false discoveries is at most
//! the level (Benjamini and Hochberg 1995).

use std::collections::BTreeMap;

use crate::discoveries::{Dependence, false_shares};
use crate::number::{real, whole};
use crate::robust::{MAD_TO_SD, lower_median, median};

/// The fewest hosts of a class with a value in a cell.
pub const HOSTS_MIN: usize = 8;
/// From how many hosts on the heaviness of tails is estimated; below, tails are assumed to be heavy.
const HOSTS_FOR_TAILS: usize = 50;
/// The degrees of freedom that are assumed there, and the fewest that are believed of a few hosts.
const DEGREES_ASSUMED: f64 = 3.0;
/// How far the width of the null may be too small by chance, times the root of the number of hosts, where
/// tails are assumed and where they are estimated: a fleet of 8 to 199 hosts with heavy tails then
/// names an innocent one in at most 5 %.
const WIDTH_ROOM: [f64; 2] = [1.5, 2.75];
/// The same for very few hosts, times their number.
const WIDTH_ROOM_OF_FEW: f64 = 6.3;
/// From how many hosts on the end of the good side is a tail, and not its body.
const HOSTS_FOR_PARETO: usize = 200;
/// Beyond this share of the median load of its class, a host had another load. One that is worse than its
/// class with less load is judged: under less load it should be better, and in a closed loop what is slow
/// gets less of it.
pub const LOAD_SHARE_MAX: f64 = 0.2;
/// The degrees of freedom of Student's t that are tried, from heavy tails to nearly normal ones.
const DEGREES: [f64; 10] = [2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 30.0, 100.0];

/// One value of a host.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The host.
    pub host: &'a str,
    /// Its class: hosts are compared within one.
    pub class: &'a str,
    /// The cell.
    pub cell: &'a str,
    /// What was measured, the median of its samples. A rate of 0 is a host that does nothing, slower than any
    /// other; a time of 0 was not measured.
    pub value: f64,
    /// The load at which it was measured, if that is not the cell's own: I/Os per second.
    pub load: Option<f64>,
}

/// Why a host was not judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unjudged {
    /// Fewer than [`HOSTS_MIN`] hosts are like it.
    TooFewLikeIt {
        /// How many are, with itself.
        hosts: usize,
    },
    /// In most of its cells its load differs by more than [`LOAD_SHARE_MAX`] from that of its class, in a
    /// direction that can explain its values.
    OtherLoad,
    /// It has no value that can be judged: times of 0.
    NoValue,
    /// All hosts of its class have the same values, or most of them 0.
    NoScatter,
}

/// What was found of a host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Nothing.
    Like,
    /// It is slow.
    Slow,
    /// One or few of its cells are slow, the host is not.
    SlowCells,
    /// It could not be judged.
    Unjudged(Unjudged),
}

/// A host with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The host.
    pub host: String,
    /// Its class.
    pub class: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The median over its cells of its value divided by the median of its class; `None` if it was
    /// not judged.
    pub ratio: Option<f64>,
    /// In how many cells it was judged.
    pub cells: usize,
    /// In how many it deviates to the bad side by more than three robust standard deviations.
    pub slow_cells: usize,
    /// The slowest of these cells, at most [`CELLS_LISTED`].
    pub slowest: Vec<SlowCell>,
    /// The share of false discoveries at which it is named; `None` if it was not judged.
    pub false_share: Option<f64>,
    /// The ratio from which a single slow host of its class would be named in four of five cases; `None` if
    /// its class cannot be judged, or no cell of it scatters.
    pub seen_from: Option<f64>,
}

/// The most slow cells of a host that are listed.
pub const CELLS_LISTED: usize = 3;
/// From how many robust standard deviations on a cell is slow.
const FAR: f64 = 3.0;

/// A slow cell of a host.
#[derive(Debug, Clone, PartialEq)]
pub struct SlowCell {
    /// The cell.
    pub cell: String,
    /// Its value divided by the median of its class.
    pub ratio: f64,
    /// How far it lies on the bad side, in robust standard deviations of the cell; infinite at a rate of 0.
    pub deviation: f64,
}

/// Judges hosts. `higher_is_better` says which side is slow; `level` is the highest share of innocent
/// hosts among those named, such as 0.05.
///
/// A host is in one class; of a host in several, each is judged by itself. Cost: about n log n.
pub fn outliers(measured: &[Measured<'_>], higher_is_better: bool, level: f64) -> Vec<Judged> {
    let mut classes: BTreeMap<&str, Vec<&Measured<'_>>> = BTreeMap::new();
    for one in measured {
        classes.entry(one.class).or_default().push(one);
    }
    let mut all = Vec::new();
    let mut p_values = Vec::new();
    let mut sights = Vec::new();
    for (class, of_class) in classes {
        let (judged, p, sight) = judge_class(class, &of_class, higher_is_better);
        sights.push((all.len()..all.len() + judged.len(), sight));
        all.extend(judged);
        p_values.extend(p);
    }
    let judged: Vec<usize> = (0..all.len()).filter(|i| p_values[*i].is_some()).collect();
    let known: Vec<f64> = p_values.iter().copied().flatten().collect();
    for (range, sight) in sights {
        let logarithm = sight.map(|sight| sight.seen_from(level / real(known.len().max(1))));
        let sign = if higher_is_better { -1.0 } else { 1.0 };
        for host in &mut all[range] {
            host.seen_from = logarithm.map(|of| (sign * of).exp());
        }
    }
    for (index, share) in judged
        .into_iter()
        .zip(false_shares(&known, Dependence::Positive))
    {
        let host: &mut Judged = &mut all[index];
        host.false_share = Some(share);
        if share <= level {
            host.verdict = Verdict::Slow;
        }
    }
    all
}

/// The deviations of a host in its cells, on the bad side above 0.
#[derive(Default)]
struct Host {
    deviations: Vec<f64>,
    logarithms: Vec<f64>,
    cells: Vec<SlowCell>,
    other_load: usize,
    too_few: usize,
    dead: usize,
    hosts_max: usize,
}

fn judge_class(
    class: &str,
    measured: &[&Measured<'_>],
    higher_is_better: bool,
) -> (Vec<Judged>, Vec<Option<f64>>, Option<Sight>) {
    let mut cells: BTreeMap<&str, Vec<&Measured<'_>>> = BTreeMap::new();
    let mut hosts: BTreeMap<&str, Host> = BTreeMap::new();
    for one in measured {
        hosts.entry(one.host).or_default();
        let is_known = one.value > 0.0 || (one.value == 0.0 && higher_is_better);
        if is_known && one.value.is_finite() {
            cells.entry(one.cell).or_default().push(one);
        }
    }
    let of_cells = cells.values();
    let mut scales: Vec<f64> = of_cells
        .filter_map(|of_cell| deviations(of_cell, higher_is_better, &mut hosts))
        .collect();
    let mut scores: Vec<Option<f64>> = Vec::new();
    for host in hosts.values_mut() {
        let is_judged = host.deviations.len() > host.other_load;
        scores.push(is_judged.then(|| lower_median(&mut host.deviations)));
    }
    let known: Vec<f64> = scores.iter().copied().flatten().collect();
    let null = Null::of(&known);
    let p_of = |score: &Option<f64>| {
        null.as_ref()
            .zip(*score)
            .map(|(null, score)| null.p_value(score))
    };
    let p_values: Vec<Option<f64>> = scores.iter().map(p_of).collect();
    let judged = hosts
        .into_iter()
        .zip(&p_values)
        .map(|((name, host), p_value)| judged_host(name, class, host, p_value.is_some()));
    let judged = judged.collect();
    let sight = null.filter(|_| !scales.is_empty()).map(|null| Sight {
        null,
        scale: median(&mut scales),
        hosts: known.len(),
    });
    (judged, p_values, sight)
}

/// How small an effect can be seen in a class.
struct Sight {
    null: Null,
    /// The standard deviation of the logarithms of a typical cell.
    scale: f64,
    /// How many hosts the null is of.
    hosts: usize,
}

impl Sight {
    /// Returns the logarithm of the ratio of a host that has `p_value` or less in four of five cases.
    fn seen_from(&self, p_value: f64) -> f64 {
        let room = 1.0 + ROOM_OF_FEW / real(self.hosts.max(1));
        room * (self.null.distance_of(p_value) + FOUR_OF_FIVE * self.null.sd) * self.scale
    }
}

/// How many standard deviations of its own a host must lie beyond a limit to be there in four of five cases.
const FOUR_OF_FIVE: f64 = 0.84;
/// By what share an effect must be larger for it, times the number of hosts: the width of the null is of
/// them, and is another one with the slow host among them. Of 300 drawn classes of each size from 8 to 400,
/// normal and with heavy tails, at least 72 % named the host with 4 here, and at least 77 % with 6.
const ROOM_OF_FEW: f64 = 5.0;

fn judged_host(name: &str, class: &str, mut host: Host, is_judged: bool) -> Judged {
    let count = host.cells.len();
    let mut slow = std::mem::take(&mut host.cells);
    slow.retain(|cell| cell.deviation > FAR);
    slow.sort_by(|a, b| b.deviation.total_cmp(&a.deviation));
    let slow_cells = slow.len();
    slow.truncate(CELLS_LISTED);
    let verdict = match is_judged {
        // Of 20 innocent cells with heavy tails one lies beyond three; more than a tenth do not.
        true if slow_cells > 0 && slow_cells * 10 >= count => Verdict::SlowCells,
        true => Verdict::Like,
        false if host.other_load > 0 => Verdict::Unjudged(Unjudged::OtherLoad),
        false if host.too_few > 0 => Verdict::Unjudged(Unjudged::TooFewLikeIt {
            hosts: host.hosts_max,
        }),
        false if host.deviations.is_empty() && host.dead == 0 => {
            Verdict::Unjudged(Unjudged::NoValue)
        }
        false => Verdict::Unjudged(Unjudged::NoScatter),
    };
    Judged {
        host: name.to_owned(),
        class: class.to_owned(),
        verdict,
        ratio: is_judged.then(|| median(&mut host.logarithms).exp()),
        cells: count,
        slow_cells,
        slowest: if is_judged { slow } else { Vec::new() },
        false_share: None,
        seen_from: None,
    }
}

/// Adds the deviations in one cell to its hosts, and returns their standard deviation; `None` without scatter.
fn deviations<'a>(
    of_cell: &[&Measured<'a>],
    higher_is_better: bool,
    hosts: &mut BTreeMap<&'a str, Host>,
) -> Option<f64> {
    let count = of_cell.len();
    let mut loads: Vec<f64> = of_cell.iter().filter_map(|one| one.load).collect();
    let load = median(&mut loads);
    let is_other = |one: &Measured<'_>, bad: f64| {
        one.load.is_some_and(|of| {
            let differs = (of - load).abs() > LOAD_SHARE_MAX * load;
            differs && (of > load || bad <= 0.0)
        })
    };
    let mut logarithms: Vec<f64> = of_cell.iter().map(|one| one.value.ln()).collect();
    let centre = median(&mut logarithms);
    let mut distances: Vec<f64> = logarithms.iter().map(|of| (of - centre).abs()).collect();
    let scale = MAD_TO_SD * median(&mut distances);
    // Most hosts have 0: nothing can be divided by that.
    let is_dead = !centre.is_finite();
    for one in of_cell {
        let Some(host) = hosts.get_mut(one.host) else {
            continue;
        };
        host.hosts_max = host.hosts_max.max(count);
        let logarithm = one.value.ln() - centre;
        let bad = if higher_is_better {
            -logarithm
        } else {
            logarithm
        };
        if count < HOSTS_MIN {
            host.too_few += 1;
        } else if is_dead {
            host.dead += 1;
        } else if is_other(one, bad) {
            host.other_load += 1;
        } else {
            host.logarithms.push(logarithm);
            // Where more than half of the hosts are equal, a cell has no scatter to judge by.
            let deviation = match scale > 0.0 || bad.is_infinite() {
                true => bad / scale,
                false => 0.0,
            };
            host.deviations.push(deviation);
            host.cells.push(SlowCell {
                cell: one.cell.to_owned(),
                ratio: logarithm.exp(),
                deviation,
            });
        }
    }
    (count >= HOSTS_MIN && scale > 0.0 && scale.is_finite()).then_some(scale)
}

/// How the scores of innocent hosts scatter: Student's t, moved and scaled, and a tail of Pareto.
struct Null {
    centre: f64,
    /// The standard deviation of innocent scores, without what `scale` has for safety.
    sd: f64,
    scale: f64,
    degrees: f64,
    tail: Option<Tail>,
}

/// The end of the good side: of all hosts, the share `beyond` lies farther than `from`, and at `x`
/// times that the power `-index` of `x` of them.
#[derive(Clone, Copy)]
struct Tail {
    from: f64,
    beyond: f64,
    index: f64,
}

impl Tail {
    /// Fits a tail to the distances of the good side, a half of `hosts`.
    fn of(good: &[f64], hosts: usize) -> Option<Tail> {
        let mut far = good.to_vec();
        far.sort_by(|a, b| b.total_cmp(a));
        let count = hosts / TAIL_PART;
        let from = *far.get(count).filter(|from| **from > 0.0)?;
        let logarithms: f64 = far[..count].iter().map(|of| (of / from).ln()).sum();
        let index = real(count) / logarithms.max(f64::MIN_POSITIVE);
        Some(Tail {
            from,
            beyond: real(count) / real(hosts),
            // Less most of a standard error: a tail that is heavier than it looks is probable, too.
            index: index * (1.0 - 0.75 / real(count).sqrt()),
        })
    }

    fn p_value(self, distance: f64) -> f64 {
        match distance > self.from {
            true => self.beyond * (distance / self.from).powf(-self.index),
            false => 0.0,
        }
    }
}

/// Which part of the hosts the tail is fitted to.
const TAIL_PART: usize = 20;

impl Null {
    /// Fits the null; `None` with too few hosts, or if they do not scatter.
    fn of(scores: &[f64]) -> Option<Null> {
        if scores.len() < HOSTS_MIN {
            return None;
        }
        let mut sorted = scores.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[whole(share * real(sorted.len() - 1))];
        let centre = at(0.5);
        // Slow hosts are on the bad side: the good side alone says how innocent ones scatter there.
        let half_width = (centre - at(0.25)).max(1e-12 * centre.abs());
        if half_width <= 0.0 || !half_width.is_finite() {
            return None;
        }
        // The width is of few hosts on one side, and may be too small by chance.
        let room = 1.0 + width_room(scores.len());
        let fitted = |degrees: f64| Null {
            centre,
            sd: MAD_TO_SD * half_width,
            scale: room * half_width / quartile(degrees),
            degrees,
            tail: None,
        };
        if scores.len() < HOSTS_FOR_TAILS {
            return Some(fitted(DEGREES_ASSUMED));
        }
        // The good side mirrored: its likelihood is that of the tails of innocent hosts.
        let good: Vec<f64> = sorted
            .iter()
            .filter(|s| **s <= centre)
            .map(|s| centre - s)
            .collect();
        let likelihood = |degrees: f64| {
            let null = fitted(degrees);
            good.iter()
                .map(|distance| null.log_density(*distance))
                .sum::<f64>()
        };
        let is_tail_known = scores.len() >= HOSTS_FOR_PARETO;
        let all = DEGREES.map(|degrees| (degrees, likelihood(degrees)));
        let all = match is_tail_known {
            true => &all[..],
            // Two degrees fit the few hosts at the end of almost any class.
            false => &all[all.partition_point(|(degrees, _)| *degrees < DEGREES_ASSUMED)..],
        };
        let best = all.iter().map(|(_, of)| *of).fold(f64::MIN, f64::max);
        // The heaviest tails that fit nearly as well: names fewer where it is not certain.
        let heaviest = all.iter().find(|(_, of)| *of >= best - LIKELIHOOD_ROOM)?;
        // Where even the heaviest tails that fit are light, Pareto's would be far heavier than any of them.
        let tail = match heaviest.0 < LIGHT_DEGREES && is_tail_known {
            true => Tail::of(&good, scores.len()),
            false => None,
        };
        Some(Null {
            tail,
            ..fitted(heaviest.0)
        })
    }

    fn log_density(&self, distance: f64) -> f64 {
        let standard = distance / self.scale;
        let degrees = self.degrees;
        ln_gamma((degrees + 1.0) / 2.0)
            - ln_gamma(degrees / 2.0)
            - 0.5 * (degrees * std::f64::consts::PI).ln()
            - self.scale.ln()
            - (degrees + 1.0) / 2.0 * (standard * standard / degrees).ln_1p()
    }

    /// Returns the probability that an innocent host lies as far on the bad side.
    fn p_value(&self, score: f64) -> f64 {
        let distance = score - self.centre;
        let of_tail = self.tail.map_or(0.0, |tail| tail.p_value(distance));
        upper_tail(distance / self.scale, self.degrees).max(of_tail)
    }
}

impl Null {
    /// Returns how far from the centre a score has a probability, by bisection.
    fn distance_of(&self, p_value: f64) -> f64 {
        let is_beyond = |distance: f64| self.p_value(self.centre + distance) <= p_value;
        let mut high = self.scale;
        // Tails of two degrees fall by a quarter for each doubling.
        for _ in 0..200 {
            if is_beyond(high) {
                break;
            }
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match is_beyond(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        high
    }
}

/// Returns by which share the width of the null is raised; not at all where the end of the tail is known.
fn width_room(hosts: usize) -> f64 {
    let count = real(hosts);
    let [assumed, estimated] = WIDTH_ROOM.map(|room| room / count.sqrt());
    match hosts {
        hosts if hosts < HOSTS_FOR_TAILS => assumed + (WIDTH_ROOM_OF_FEW / count).powi(2),
        hosts if hosts < HOSTS_FOR_PARETO => estimated,
        _ => 0.0,
    }
}

/// From which degrees of freedom on tails are light: nearly normal.
const LIGHT_DEGREES: f64 = 30.0;
/// How much less likely tails may be than the most likely ones.
const LIKELIHOOD_ROOM: f64 = 1.0;

/// Returns the probability that Student's t exceeds `value`, by the incomplete beta function
/// (continued fraction of Press et al., Numerical Recipes, 6.4).
fn upper_tail(value: f64, degrees: f64) -> f64 {
    let x = degrees / (degrees + value * value);
    let tail = 0.5 * incomplete_beta(degrees / 2.0, 0.5, x);
    if value >= 0.0 { tail } else { 1.0 - tail }
}

/// Returns the upper quartile of Student's t, by bisection.
fn quartile(degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match upper_tail(middle, degrees) > 0.25 {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front.exp() * beta_fraction(a, b, x) / a,
        false => 1.0 - front.exp() * beta_fraction(b, a, 1.0 - x) / b,
    }
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..=300_u32 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction / before - 1.0).abs() < 1e-13 {
            break;
        }
    }
    fraction
}

/// Returns the logarithm of the gamma function of a positive number (Lanczos, seven terms).
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    for (index, term) in TERMS.iter().enumerate() {
        sum += term / (x + real(index) + 1.0);
    }
    let t = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_tables() {
        // Tables of Student's t: 5 % above 2.353 with 3 degrees of freedom, 2.5 % above 2.228 with 10.
        for (value, degrees, expected) in [
            (2.353_363, 3.0, 0.05),
            (2.228_139, 10.0, 0.025),
            (0.0, 5.0, 0.5),
            (-2.353_363, 3.0, 0.95),
        ] {
            let found = upper_tail(value, degrees);
            assert!((found - expected).abs() < 1e-6, "{value} {degrees} {found}");
        }
        assert!(
            (quartile(3.0) - 0.764_892).abs() < 1e-5,
            "{}",
            quartile(3.0)
        );
    }
}
