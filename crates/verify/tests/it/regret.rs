//! What `advise` chooses among published alternatives, and what that costs by the published numbers.
//!
//! A *triple* is a space of designs that one source measured on one machine and kernel, a load, and a
//! requirement. Beside the advice stand the two rules of thumb that people use instead: the calculator's
//! number of devices over the penalty of a write, and RAID 10 with mdadm's defaults, whatever the load.
//! All three take the simplest of what is equal to them. Only triples count that leave a choice: two
//! designs at least, whose published rates differ by more than 5 %.
//!
//! Nothing is fitted to these numbers (`decisions.toml`). `regret.txt` has every triple, and
//! docs/advise.md the sums.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;
use stripewise_analysis::lifetime::Rated;
use stripewise_diagnose::advise::{Asked, Outcome, Prefer, TOLERANCE, advise};
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::requirement::Requirement;
use stripewise_diagnose::thumb::{calculated, iops_in_devices, usual};
use stripewise_fixtures::{assert_golden, golden_share, wants_all};
use stripewise_sim::race::{Rate, weighted_mean};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::sample::as_f64;
use stripewise_study::world::NeverCancel;
use stripewise_units::Bytes;

use crate::published::{Alternative, Row, Set, Tables};

const PAGE: &str = "../../docs/advise.md";
const BEGIN: &str = "<!-- made by: cargo test -p stripewise-verify regret -->\n";
const END: &str = "<!-- end -->\n";
/// The most failures that a requirement asks designs to survive.
const SURVIVE_MAX: u64 = 3;
/// The share of all devices' space that the requirement of space asks for: more than half, so that copies
/// do not hold it.
const SPACE: f64 = 0.6;
/// How many sets are judged where not all are.
const DRAWN: usize = 2;

/// Designs that one source measured on one machine and kernel.
struct Space<'a> {
    set: &'a Set,
    designs: Vec<(usize, &'a Alternative)>,
    model: Model,
}

/// What a choice costs.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    triples: u32,
    within: u32,
    lost: f64,
    worst: f64,
}

/// One triple: the published rate of each chooser's choice, over that of the best.
struct Triple {
    line: String,
    shares: [f64; 3],
}

const CHOOSERS: [&str; 3] = ["advise", "N x IOPS over penalty", "RAID 10 n2 512K always"];

impl Score {
    fn add(&mut self, share: f64) {
        self.triples += 1;
        self.within += u32::from(share >= 1.0 - TOLERANCE);
        self.lost += 1.0 - share;
        self.worst = self.worst.max(1.0 - share);
    }

    fn words(self) -> String {
        let share = f64::from(self.within) / f64::from(self.triples.max(1));
        format!(
            "{} of {} ({:.0} %) | {:.1} % | {:.0} %",
            self.within,
            self.triples,
            share * 100.0,
            self.lost / f64::from(self.triples.max(1)) * 100.0,
            self.worst * 100.0
        )
    }
}

impl<'a> Space<'a> {
    /// Returns the space of a set: its alternatives of one kernel, that of the set first.
    fn of(set: &'a Set) -> Option<Self> {
        let all = set.stacks.iter().enumerate();
        let designs: Vec<(usize, &Alternative)> = all
            .filter(|(_, one)| set.kernel(one) == set.kernel)
            .collect();
        let first = designs.first()?.1;
        (designs.len() > 1).then(|| Self {
            set,
            model: set.model(first),
            designs,
        })
    }

    fn cells(&self, rows: &[&Row]) -> Vec<Vec<Cell>> {
        let of = |(_, design): &(usize, &Alternative)| {
            rows.iter().map(|row| self.set.cell(row, design)).collect()
        };
        self.designs.iter().map(of).collect()
    }

    /// Returns the published rate of each design under loads that count the same.
    fn published(&self, rows: &[&Row]) -> Vec<f64> {
        let of = |(place, _): &(usize, &Alternative)| {
            weighted_mean(rows.iter().map(|row| (row.values[*place], 1.0)))
        };
        self.designs.iter().map(of).collect()
    }

    /// Returns what is known about each device of the design that has the most.
    fn rated(&self, cells: &[Vec<Cell>]) -> Vec<Rated> {
        let counts = cells.iter().map(|cells| cells[0].stack.device_count());
        let most = counts.max().expect("designs");
        let profile = &cells[0][0].stack.devices[0].profile;
        let capacity_bytes = self.model.profiles.devices[profile].capacity_bytes;
        let one = Rated {
            capacity_bytes,
            tbw_bytes: None,
            afr_percent: None,
            ure_bits: None,
        };
        vec![one; usize::try_from(most).expect("few")]
    }

    /// Returns the requirements that leave a choice, each with the designs that meet it; no two leave the
    /// same.
    fn requirements(&self, cells: &[Vec<Cell>], rated: &[Rated]) -> Vec<(Requirement, Vec<usize>)> {
        let survive = (0..=SURVIVE_MAX).map(Requirement::Survive);
        let all = rated.iter().map(|device| as_f64(device.capacity_bytes));
        let bytes = (all.sum::<f64>() * SPACE).round();
        let counts = cells.iter().map(|cells| cells[0].stack.device_count());
        let is_alike = counts.clone().min() == counts.max();
        // A float of a whole number below 2^53.
        let space = is_alike.then(|| format!("{bytes:.0}").parse().expect("a number"));
        let space = space.map(|bytes| Requirement::Capacity(Bytes::new(bytes)));
        let mut found: Vec<(Requirement, Vec<usize>)> = Vec::new();
        for requirement in survive.chain(space) {
            let meets = |design: &usize| {
                let stack = &cells[*design][0].stack;
                requirement.is_met_by(requirement.quantity().of_layout(stack, rated))
            };
            let admitted: Vec<usize> = (0..cells.len()).filter(meets).collect();
            if admitted.len() > 1 && found.iter().all(|(_, other)| *other != admitted) {
                found.push((requirement, admitted));
            }
        }
        found
    }

    /// Judges all choices under some loads.
    fn judge(&self, name: &str, rows: &[&Row], found: &mut Vec<Triple>) {
        let cells = self.cells(rows);
        let published = self.published(rows);
        let rated = self.rated(&cells);
        for (requirement, admitted) in self.requirements(&cells, &rated) {
            let rates = admitted.iter().map(|design| published[*design]);
            let best = rates.clone().fold(0.0, f64::max);
            if rates.fold(f64::INFINITY, f64::min) >= best * (1.0 - TOLERANCE) {
                continue;
            }
            let asked = Asked {
                designs: &cells,
                weights: &vec![1.0; rows.len()],
                requirements: &[requirement],
                prefer: Prefer::Simple,
                rated: &rated,
                writes_per_day: None,
                price: None,
                seed: 1,
            };
            let choices = [
                self.advised(&asked),
                calculated(&asked, &admitted).expect("designs"),
                usual(&asked, &admitted).expect("designs"),
            ];
            let shares = choices.map(|choice| published[choice] / best);
            let names = choices.map(|choice| self.designs[choice].1.name.as_str());
            let mut line = format!("{} | {name} | {requirement}", self.set.name);
            for (name, share) in names.into_iter().zip(shares) {
                write!(line, " | {name} {:.0} %", share * 100.0).expect("a string");
            }
            found.push(Triple { line, shares });
        }
    }

    /// Returns the design that `advise` names, as the command does it.
    fn advised(&self, asked: &Asked<'_>) -> usize {
        let mut advised = advise(&self.model, asked, &mut NeverCancel).expect("an answer");
        let compared = advised.compared(asked.designs, &[]);
        let rate = |design: &usize| {
            let cells = asked.designs[*design].iter().zip(asked.weights);
            let rates = cells.map(|(cell, weight)| {
                let answer = Prediction::new(&self.model, cell, asked.seed, &mut NeverCancel);
                let rate = Rate::of(&answer.expect("a prediction").samples);
                (rate.expect("a rate"), *weight)
            });
            (*design, Rate::mean(&rates.collect::<Vec<_>>()))
        };
        let rates: Vec<(usize, Rate)> = compared.iter().map(rate).collect();
        advised.settle(asked, &rates);
        let best = advised.best.expect("a design meets the requirement");
        assert!(matches!(advised.outcomes[best], Outcome::Raced(_)));
        best
    }
}

/// Returns the triples of a set.
fn triples(set: &Set) -> Vec<Triple> {
    let mut found = Vec::new();
    let Some(space) = Space::of(set) else {
        return found;
    };
    for row in &set.rows {
        let more = row.more.as_deref().unwrap_or_default().replace('"', "");
        let name = format!("{} {more}", row.load);
        space.judge(name.trim(), &[row], &mut found);
    }
    if set.rows.len() > 1 {
        let rows: Vec<&Row> = set.rows.iter().collect();
        space.judge("all these loads", &rows, &mut found);
    }
    found
}

#[test]
fn advice_is_judged_by_published_tables() {
    let tables = Tables::read();
    let sets = tables.set.iter().filter(|set| set.fitted.is_none());
    let sets: Vec<&Set> = sets.filter(|set| Space::of(set).is_some()).collect();
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    let drawn = golden_share("published spaces for advise", &names, DRAWN);
    let mut golden = String::from(
        "# space | load | requirement | advise | calculator | RAID 10 n2 512K; share of the best published rate\n",
    );
    let mut table = String::from(
        "| space | choice | within 5 % of the best | lost on average | at most |\n|---|---|---|---|---|\n",
    );
    let mut all = [Score::default(); 3];
    let mut worse = [0_u32; 3];
    for set in sets.iter().filter(|set| drawn.contains(&set.name.as_str())) {
        let mut scores = [Score::default(); 3];
        for triple in triples(set) {
            writeln!(golden, "{}", triple.line).expect("a string");
            for (chooser, share) in triple.shares.into_iter().enumerate() {
                scores[chooser].add(share);
                all[chooser].add(share);
                worse[chooser] += u32::from(triple.shares[0] < share * (1.0 - TOLERANCE));
            }
        }
        if scores[0].triples > 0 {
            rows(&mut table, &set.name, &scores);
        }
    }
    rows(&mut table, "**all**", &all);
    writeln!(
        table,
        "\nThe advice is worse than the calculator's choice by more than 5 % in {} of {} triples, and worse than RAID 10 n2 512K in {}.",
        worse[1], all[0].triples, worse[2]
    )
    .expect("a string");
    assert_golden(&expect_file!["../regret.txt"], &golden);
    if wants_all() || std::env::var_os("UPDATE_EXPECT").is_some() {
        check_page(&table);
    }
}

fn rows(table: &mut String, name: &str, scores: &[Score; 3]) {
    for (chooser, score) in CHOOSERS.iter().zip(scores) {
        writeln!(table, "| {name} | {chooser} | {} |", score.words()).expect("a string");
    }
}

/// Compares the page's table with this one, or writes it.
fn check_page(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the block");
    let (written, after) = rest.split_once(END).expect("its end");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{table}{END}{after}")).expect("the page");
        return;
    }
    assert_eq!(
        written, table,
        "UPDATE_EXPECT=1 cargo test -p stripewise-verify writes it"
    );
}

#[test]
fn a_set_with_one_kernel_for_each_design_is_no_space() {
    let tables = Tables::read();
    let of = |name: &str| {
        let set = tables.set.iter().find(|set| set.name == name);
        Space::of(set.expect("a set")).map(|space| space.designs.len())
    };
    assert_eq!(of("raid5-lock-5.14"), None);
    assert_eq!(of("fast-and-slow-mirror"), Some(2));
    assert_eq!(of("four-ssd-chunk"), Some(3));
}

#[test]
fn the_calculator_counts_as_calculators_do() {
    let tables = Tables::read();
    let set = tables.set.iter().find(|set| set.name == "sata-levels");
    let space = Space::of(set.expect("a set")).expect("a space");
    let rows: Vec<&Row> = space.set.rows.iter().collect();
    let scores = |row: usize| -> Vec<f64> {
        let cells = space.cells(&rows[row..=row]);
        cells
            .iter()
            .map(|cells| iops_in_devices(&cells[0]))
            .collect()
    };
    assert_eq!(scores(0), [4.0, 4.0, 4.0, 4.0]);
    let writes = scores(1);
    assert_eq!(&writes[..3], [4.0, 2.0, 1.0]);
    assert!((writes[3] - 4.0 / 6.0).abs() < 1e-12);
}
