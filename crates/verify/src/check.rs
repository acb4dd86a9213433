//! Runs cases through the model and the real driver, and compares their counts.

use serde::Serialize;
use stripewise_profiles::host::HostProfile;
use stripewise_sim::world::{ModelError, Replayed};
use stripewise_study::sample::{Sample, SectorsSums, as_f64};
use stripewise_study::warning::Warning;
use stripewise_study::world::{Journal, SampleRequest, Watch, World, WorldError};
use stripewise_units::Nanos;
use stripewise_units::kernel::KernelVersion;

use crate::case::Case;
use crate::compare::{Compared, Verdict, compare};
use crate::counts::{MemberCounts, counts_of};
use crate::golden::{Entry, Golden};
use crate::latency::{Latencies, mean_latency_ns, whole_ns};
use crate::model::simulate;
use crate::shrink::shrink;
use crate::spread::{Distance, Spread};
use crate::table::Table;

/// The kernel rules and the host of the model.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The kernel whose rules the model follows.
    pub kernel: KernelVersion,
    /// The host profile with the model's CPU times.
    pub host: &'a HostProfile,
}

/// A case that could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The model cannot build it.
    #[error("failed to simulate case {number}")]
    Model {
        /// Its number.
        number: u64,
        /// Why.
        #[source]
        source: ModelError,
    },
    /// The driver's world failed.
    #[error("failed to count case {number} ({title})")]
    World {
        /// Its number.
        number: u64,
        /// Its level and layout.
        title: String,
        /// Why.
        #[source]
        source: WorldError,
    },
    /// The driver's counts cannot be used. The warning has the reason and the remedy, without words.
    #[error("failed to count case {number} ({title}): the driver's counts are invalid")]
    Invalid {
        /// Its number.
        number: u64,
        /// Its level and layout.
        title: String,
        /// Why.
        warning: Warning,
    },
}

/// Why a case was not counted.
#[derive(Debug)]
pub enum CountError {
    /// The world failed.
    World(WorldError),
    /// A warning makes the counts invalid.
    Invalid(Warning),
}

impl From<WorldError> for CountError {
    fn from(error: WorldError) -> Self {
        CountError::World(error)
    }
}

impl CheckError {
    /// Returns a remedy, if one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            CheckError::Model { source, .. } => source.hint(),
            CheckError::World { source, .. } => source.hint().map(str::to_owned),
            CheckError::Invalid { .. } => None,
        }
    }
}

/// A case with a difference in determined counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// The number of the drawn case, or its index in the golden file.
    pub number: u64,
    /// The smallest differing case found.
    pub case: Case,
    /// The first member that differs; `None` if only the totals do.
    pub member: Option<usize>,
    /// The model's counts of each member.
    pub model: Vec<MemberCounts>,
    /// The driver's counts.
    pub real: Vec<MemberCounts>,
}

/// The results of all cases.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct VerifyReport {
    /// The numbers of agreeing and differing cases.
    pub table: Table,
    /// The differing cases.
    pub disagreements: Vec<Disagreement>,
    /// The comparison of latencies.
    pub latencies: Latencies,
    /// How far the counts are that are not determined.
    pub spread: Spread,
}

impl VerifyReport {
    /// Returns whether all determined counts are equal, and all others and the latencies are within
    /// their limits.
    pub fn agrees(&self) -> bool {
        self.disagreements.is_empty()
            && self.latencies.beyond.is_empty()
            && !self.spread.together().iter().any(|class| class.is_beyond)
    }
}

/// Checks the model against a golden file.
///
/// # Errors
/// [`CheckError`] if the model cannot build a case.
pub fn check_golden(golden: &Golden, host: &HostProfile) -> Result<VerifyReport, CheckError> {
    let rules = Rules {
        kernel: golden.kernel,
        host,
    };
    let mut report = VerifyReport::default();
    for (number, entry) in (0..).zip(&golden.entries) {
        let (model, Compared { verdict, distances }) =
            simulate_and_compare(&entry.case, number, rules, &entry.counted())?;
        report.table.add(&entry.case, &verdict);
        report.spread.add(number, &entry.case, &distances);
        let real = entry.mean_latency_ns.map(as_f64);
        let latencies = &mut report.latencies;
        latencies.add(number, &entry.case, model.mean_latency_ns, real);
        if let Verdict::Differs { member } = verdict {
            report.disagreements.push(Disagreement {
                number,
                case: entry.case.clone(),
                member,
                model: model.counts,
                real: entry.counts.clone(),
            });
        }
    }
    Ok(report)
}

/// A world's results for a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// The counts of each member.
    pub counts: Vec<MemberCounts>,
    /// The mean latency of its I/Os.
    pub mean_latency_ns: Option<f64>,
    /// Which sectors each member read and wrote, if known.
    pub sectors_sums: Option<Vec<[u64; 2]>>,
}

impl Counted {
    /// Returns the model's results.
    pub fn of_model(simulated: &Replayed) -> Self {
        let sums = simulated.sectors_sums.iter().copied();
        Self {
            sectors_sums: sums_of(sums.map(Some)),
            ..Self::of(&simulated.sample)
        }
    }

    fn of(sample: &Sample) -> Self {
        Self {
            counts: counts_of(sample),
            mean_latency_ns: mean_latency_ns(sample),
            sectors_sums: sums_of(sample.devices.iter().map(|device| device.sectors_sums)),
        }
    }
}

fn sums_of(sums: impl Iterator<Item = Option<SectorsSums>>) -> Option<Vec<[u64; 2]>> {
    sums.map(|sums| sums.map(|sums| [sums.read, sums.write]))
        .collect()
}

/// A case that was checked.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'a> {
    /// Its number.
    pub number: u64,
    /// The case as drawn.
    pub case: &'a Case,
    /// The driver's results.
    pub real: &'a Counted,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// How far the counts are that are not determined.
    pub distances: &'a [Distance],
}

impl Checked<'_> {
    /// Returns the entry for a golden file.
    pub fn entry(&self) -> Entry {
        let mean = self.real.mean_latency_ns;
        Entry {
            case: self.case.clone(),
            counts: self.real.counts.clone(),
            mean_latency_ns: mean.and_then(whole_ns),
            sectors_sums: self.real.sectors_sums.clone(),
        }
    }
}

/// The real driver in some world.
pub struct Driver<'a> {
    /// The world with its arrays.
    pub world: &'a mut dyn World,
    /// The journal of its changes.
    pub journal: &'a mut dyn Journal,
    /// The watch that can cancel it.
    pub watch: &'a mut dyn Watch,
    /// How many arrays it has built.
    pub counted: u64,
}

impl Driver<'_> {
    /// Returns the driver's counts for `case`, on a new array.
    ///
    /// # Errors
    /// If the world cannot build the array or do the I/Os, or a warning makes the counts invalid.
    pub fn count(&mut self, case: &Case) -> Result<Counted, CountError> {
        let mut cell = case.cell();
        // A new array: the world builds a stack again if its name differs.
        self.counted += 1;
        cell.stack.name = format!("{} {}", cell.stack.name, self.counted);
        self.world.prepare(&cell, self.journal, self.watch)?;
        let request = SampleRequest {
            seed: 1,
            duration: Nanos::default(),
            replay: Some(case.replay()),
        };
        let sample = self.world.measure(&cell, request, self.watch)?;
        let mut warnings = sample.warnings.iter();
        if let Some(warning) = warnings.find(|warning| is_fatal(warning)) {
            return Err(CountError::Invalid(warning.clone()));
        }
        let counted = Counted::of(&sample);
        let counts = &counted.counts;
        if u32::try_from(counts.len()) == Ok(case.members.get()) {
            return Ok(counted);
        }
        let error = WorldError::plain(format!(
            "failed to match devices to members: {} devices were counted for {} members",
            counts.len(),
            case.members
        ));
        Err(error.into())
    }
}

/// Returns whether this warning makes a sample useless here.
///
/// Fewer bytes at the members than requested are expected: the stripe cache absorbs reads and
/// merges writes to the same stripe.
fn is_fatal(warning: &Warning) -> bool {
    warning.invalidates() && !matches!(warning, Warning::FewerBytesAtDevice { .. })
}

/// Checks `cases`, each with its number, against the driver; shrinks each differing case with at
/// most `attempts_max` attempts.
///
/// Calls `checked` after each case and adds the results to `report`.
///
/// # Errors
/// The first case that cannot be checked: a world that fails once will fail again. The report keeps
/// the earlier results.
pub fn check_driver(
    cases: impl IntoIterator<Item = (u64, Case)>,
    rules: Rules<'_>,
    driver: &mut Driver<'_>,
    attempts_max: u32,
    checked: &mut dyn FnMut(Checked<'_>),
    report: &mut VerifyReport,
) -> Result<(), CheckError> {
    for (number, case) in cases {
        let mut real = count(driver, number, &case)?;
        let (mut model, Compared { verdict, distances }) =
            simulate_and_compare(&case, number, rules, &real)?;
        report.table.add(&case, &verdict);
        report.spread.add(number, &case, &distances);
        let (simulated, counted) = (model.mean_latency_ns, real.mean_latency_ns);
        report.latencies.add(number, &case, simulated, counted);
        checked(Checked {
            number,
            case: &case,
            real: &real,
            verdict: &verdict,
            distances: &distances,
        });
        let Verdict::Differs { mut member } = verdict else {
            continue;
        };
        let smallest = shrink(&case, attempts_max, &mut |case| {
            let counted = count(driver, number, case)?;
            let (simulated, Compared { verdict, .. }) =
                simulate_and_compare(case, number, rules, &counted)?;
            if let Verdict::Differs { member: place } = verdict {
                (model, real, member) = (simulated, counted, place);
            }
            Ok(!verdict.agrees())
        })?;
        report.disagreements.push(Disagreement {
            number,
            case: smallest,
            member,
            model: model.counts,
            real: real.counts,
        });
    }
    Ok(())
}

fn count(driver: &mut Driver<'_>, number: u64, case: &Case) -> Result<Counted, CheckError> {
    let title = || case.title();
    driver.count(case).map_err(|error| match error {
        CountError::World(source) => CheckError::World {
            number,
            title: title(),
            source,
        },
        CountError::Invalid(warning) => CheckError::Invalid {
            number,
            title: title(),
            warning,
        },
    })
}

/// Returns the model's results, and whether they agree with `real`.
fn simulate_and_compare(
    case: &Case,
    number: u64,
    rules: Rules<'_>,
    real: &Counted,
) -> Result<(Counted, Compared), CheckError> {
    let simulated = simulate(case, rules.kernel, rules.host);
    let simulated = simulated.map_err(|source| CheckError::Model { number, source })?;
    let model = Counted::of_model(&simulated);
    let compared = compare(case, &model, real, simulated.superblock_update);
    Ok((model, compared))
}
