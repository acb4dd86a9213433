//! Checking: cases through the model and through whoever counts for real.

use std::fmt;

use serde::Serialize;
use stripewise_profiles::host::HostProfile;
use stripewise_sim::world::ModelError;
use stripewise_study::kernel::KernelVersion;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::units::Nanos;
use stripewise_study::warning::Warning;
use stripewise_study::world::{Journal, SampleRequest, Watch, World, WorldError};

use crate::case::Case;
use crate::compare::{Verdict, compare};
use crate::counts::{MemberCounts, counts_of};
use crate::golden::{Entry, Golden};
use crate::latency::{Latencies, mean_latency_ns, tolerance_percent, whole_ns};
use crate::model::simulate;
use crate::shrink::shrink;
use crate::table::Table;

/// Whose counts the model's are compared with, and under which rules.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The kernel whose rules the model follows.
    pub kernel: KernelVersion,
    /// What the model's CPU costs.
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
}

impl CheckError {
    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<String> {
        match self {
            CheckError::Model { source, .. } => source.hint(),
            CheckError::World { source, .. } => source.hint().map(str::to_owned),
        }
    }
}

/// A case in which something that is determined differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// The number under which the case was drawn, or its place in the golden file, from 0.
    pub number: u64,
    /// The smallest case that was found to differ.
    pub case: Case,
    /// The first member that differs; nothing if only the totals do.
    pub member: Option<usize>,
    /// What the model counts for each member.
    pub model: Vec<MemberCounts>,
    /// What the driver counted.
    pub real: Vec<MemberCounts>,
}

impl fmt::Display for Disagreement {
    /// Writes the case, and both worlds' counts of each member side by side.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = &self.case;
        write!(
            f,
            "case {} differs: {} of {}",
            self.number,
            case.title(),
            case.members
        )?;
        if let Some(chunk) = case.chunk_bytes {
            write!(f, ", chunk {chunk}")?;
        }
        if let Some(chunk) = case.bitmap_chunk_bytes {
            write!(f, ", bitmap chunk {chunk}")?;
        }
        if !case.failed.is_empty() {
            write!(f, ", failed {:?}", case.failed)?;
        }
        let disk = case.disk.profile_name();
        writeln!(f, ", {disk}, {} at depth {}", case.engine, case.depth)?;
        for (number, job) in case.jobs.iter().enumerate() {
            writeln!(f, "  job {number}: {job}")?;
        }
        writeln!(
            f,
            "  counts: reads, merges, sectors; writes, merges, sectors"
        )?;
        for (place, (model, real)) in self.model.iter().zip(&self.real).enumerate() {
            let mark = if self.member == Some(place) { " <" } else { "" };
            writeln!(f, "  member {place}: model {model}, driver {real}{mark}")?;
        }
        Ok(())
    }
}

/// What came of all cases.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// What agrees and what does not.
    pub table: Table,
    /// The cases that do not.
    pub disagreements: Vec<Disagreement>,
    /// How far latencies are apart.
    pub latencies: Latencies,
}

impl Report {
    /// Returns whether all that is determined is equal, and latencies are as near as they should be.
    pub fn agrees(&self) -> bool {
        self.disagreements.is_empty() && self.latencies.beyond.is_empty()
    }
}

/// Checks the model against a golden file.
///
/// # Errors
/// [`CheckError`] if the model cannot build a case.
pub fn check_golden(golden: &Golden, host: &HostProfile) -> Result<Report, CheckError> {
    let rules = Rules {
        kernel: golden.kernel,
        host,
    };
    let mut report = Report::default();
    for (number, entry) in (0..).zip(&golden.entries) {
        let (model, verdict) = judge(&entry.case, number, rules, &entry.counts)?;
        report.table.add(&entry.case, &verdict);
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

/// What a world says of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// The counts of each member.
    pub counts: Vec<MemberCounts>,
    /// The mean latency of its I/Os.
    pub mean_latency_ns: Option<f64>,
}

impl Counted {
    fn of(sample: &Sample) -> Self {
        Self {
            counts: counts_of(sample),
            mean_latency_ns: mean_latency_ns(sample),
        }
    }
}

/// A case that was checked.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'a> {
    /// Its number.
    pub number: u64,
    /// The case, as it was drawn.
    pub case: &'a Case,
    /// What the driver says of it.
    pub real: &'a Counted,
    /// What came of it.
    pub verdict: &'a Verdict,
}

impl Checked<'_> {
    /// Returns the case as a golden file keeps it.
    pub fn entry(&self) -> Entry {
        let mean = self.real.mean_latency_ns;
        let mean = mean.filter(|_| tolerance_percent(self.case).is_some());
        Entry {
            case: self.case.clone(),
            counts: self.real.counts.clone(),
            mean_latency_ns: mean.and_then(whole_ns),
        }
    }
}

/// The real driver in some world.
pub struct Driver<'a> {
    /// Where its arrays are.
    pub world: &'a mut dyn World,
    /// Where what it changes is announced.
    pub journal: &'a mut dyn Journal,
    /// Whoever may end it.
    pub watch: &'a mut dyn Watch,
    /// How many arrays it was asked for.
    pub counted: u64,
}

impl Driver<'_> {
    /// Returns what the driver counts for `case`, on an array of its own.
    ///
    /// # Errors
    /// If the world cannot build the array or do the I/Os, or noticed something that makes what it
    /// counted worthless.
    pub fn count(&mut self, case: &Case) -> Result<Counted, WorldError> {
        let mut cell = case.cell();
        // An array of its own: the world builds a stack anew if its name is another one.
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
            let error = WorldError::failed("what it counted is worthless", warning.message());
            return Err(match warning.hint() {
                Some(hint) => error.or_hint(hint),
                None => error,
            });
        }
        let counted = Counted::of(&sample);
        let counts = &counted.counts;
        if u32::try_from(counts.len()) == Ok(case.members.get()) {
            return Ok(counted);
        }
        Err(WorldError::plain(format!(
            "failed to tell members apart: {} devices were counted for {} members",
            counts.len(),
            case.members
        )))
    }
}

/// Returns whether a sample with this warning counts for nothing here.
///
/// Fewer bytes at the members than were asked for are what is to be counted: the stripe cache answers
/// reads, and writes to the same stripe become one.
fn is_fatal(warning: &Warning) -> bool {
    warning.invalidates() && !matches!(warning, Warning::FewerBytesAtDevice { .. })
}

/// Checks `cases`, each with its number, against the driver; what differs is tried to be made smaller
/// `attempts_max` times.
///
/// `checked` hears of every case that is done, and `report` has what came of it.
///
/// # Errors
/// The first case that cannot be checked: a world that fails once will fail again. What was found until
/// then is in the report.
pub fn check_driver(
    cases: impl IntoIterator<Item = (u64, Case)>,
    rules: Rules<'_>,
    driver: &mut Driver<'_>,
    attempts_max: u32,
    checked: &mut dyn FnMut(Checked<'_>),
    report: &mut Report,
) -> Result<(), CheckError> {
    for (number, case) in cases {
        let mut real = count(driver, number, &case)?;
        let (mut model, verdict) = judge(&case, number, rules, &real.counts)?;
        report.table.add(&case, &verdict);
        let (simulated, counted) = (model.mean_latency_ns, real.mean_latency_ns);
        report.latencies.add(number, &case, simulated, counted);
        checked(Checked {
            number,
            case: &case,
            real: &real,
            verdict: &verdict,
        });
        let Verdict::Differs { mut member } = verdict else {
            continue;
        };
        let smallest = shrink(&case, attempts_max, &mut |case| {
            let counted = count(driver, number, case)?;
            let (simulated, verdict) = judge(case, number, rules, &counted.counts)?;
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
    driver.count(case).map_err(|source| CheckError::World {
        number,
        title: case.title(),
        source,
    })
}

/// Returns what the model says, and whether that agrees with `real`.
fn judge(
    case: &Case,
    number: u64,
    rules: Rules<'_>,
    real: &[MemberCounts],
) -> Result<(Counted, Verdict), CheckError> {
    let simulated = simulate(case, rules.kernel, rules.host);
    let simulated = simulated.map_err(|source| CheckError::Model { number, source })?;
    let model = Counted::of(&simulated.sample);
    let verdict = compare(case, &model.counts, real, simulated.superblock_update);
    Ok((model, verdict))
}
