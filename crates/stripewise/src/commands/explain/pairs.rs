//! The pairs of cells that are compared, and the explanation of each.

use std::collections::{BTreeMap, BTreeSet};

use stripewise_analysis::cell::analyse;
use stripewise_catalogue::{Argument, Message, Words as _};
use stripewise_diagnose::explain::ablation::{Change, ablate};
use stripewise_diagnose::explain::caps::Cap;
use stripewise_diagnose::explain::conclusion::Conclusion;
use stripewise_diagnose::explain::difference::{Certainty, Difference, Lack, Silent, silent};
use stripewise_diagnose::explain::evidence::Counters;
use stripewise_diagnose::explain::kinds::ALL;
use stripewise_diagnose::explain::setup::Setup;
use stripewise_diagnose::explain::shape::{Shape, Step};
use stripewise_profiles::lookup::ProfileKind;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_report::explained::{Action, Explained, ExplainedPair, KernelRule, ModelUsed};
use stripewise_report::matching::matching_cells;
use stripewise_report::names::Names;
use stripewise_results::Run;
use stripewise_results::world::{RunOrigin, WorldSpec};
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::load::Load;
use stripewise_study::metric::Metric;
use stripewise_study::sample::SampleRecord;
use stripewise_study::warning::Direction;
use stripewise_study::workload::{Pattern, Workload};
use stripewise_units::{Bytes, Percent};
use stripewise_worlds::model::KERNEL_DEFAULT;

use super::Args;
use super::apart::Apart;
use super::experiment::experiment;
use super::facts::{Facts, changes};
use super::side::Side;
use super::stated::OfFile;
use crate::commands::compare::unlike::{disjoint, matching_but};
use crate::commands::stored;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::profiles::places;
use crate::progress::Simulating;

/// The most pairs that are explained, those with the largest differences.
const PAIRS_MAX: usize = 6;
/// Facts that are set in the model only where they differ: the profile of a drive knows its cache, and a
/// controller may hide it.
const ONLY_CHANGED: [&str; 1] = ["write_cache"];

/// What explains pairs.
pub(super) struct Bench<'a> {
    args: &'a Args,
    before: &'a Side,
    after: &'a Side,
    facts: [&'a Facts; 2],
    profiles: Profiles,
    margin: Percent,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        args: &'a Args,
        before: &'a Side,
        after: &'a Side,
        facts: [&'a Facts; 2],
        apart: &Apart,
    ) -> Result<Self> {
        let places = places(args.profiles.as_deref(), None)?;
        for (kind, name) in [
            (ProfileKind::Device, &args.device),
            (ProfileKind::Host, &args.host),
        ] {
            if let Some(name) = name {
                places.locate(kind, name)?;
            }
        }
        let mut profiles = places.all()?;
        // Of two of one name, the earlier one counts.
        for side in [after, before] {
            let own = side.run.world.as_ref().and_then(WorldSpec::profiles);
            let Some(own) = own else { continue };
            let own = own.parse()?;
            profiles.devices.extend(own.devices);
            profiles.hosts.extend(own.hosts);
        }
        apart.add_to(&mut profiles);
        Ok(Self {
            args,
            before,
            after,
            facts,
            profiles,
            margin: args.margin()?,
        })
    }

    /// Adds the explanation of each pair.
    pub(super) fn explain(&self, explained: &mut Explained, printer: &mut Printer) -> Result<()> {
        let mut pairs = self.pairs()?;
        // A cell may have several partners.
        let without = |cells: &[usize], of: fn(&(usize, usize)) -> usize| {
            let has_none = |cell: &&usize| !pairs.iter().any(|pair| of(pair) == **cell);
            cells.iter().filter(has_none).count()
        };
        explained.unmatched =
            without(&self.before.cells, |pair| pair.0) + without(&self.after.cells, |pair| pair.1);
        let size = |pair: &(usize, usize)| {
            let difference = self.difference(*pair, self.args.metric);
            difference.map_or(0.0, |one| one.log().abs())
        };
        if pairs.len() > PAIRS_MAX {
            pairs.sort_by(|one, other| size(other).total_cmp(&size(one)));
            pairs.truncate(PAIRS_MAX);
        }
        let mut progress = Simulating::new(pairs.len(), printer);
        let mut left = pairs.len();
        for pair in pairs {
            let (pair, same) = self.pair(pair, &mut progress)?;
            explained.same = explained.same.max(same);
            explained.pairs.push(pair);
            left -= 1;
            progress.part_done(left);
        }
        self.refuse_nothing(explained)
    }

    /// Refuses to explain a metric that no pair has on both sides: another one is another question.
    fn refuse_nothing(&self, explained: &Explained) -> Result<()> {
        let has_it = |pair: &ExplainedPair| pair.difference().is_some();
        if explained.pairs.iter().any(has_it) {
            return Ok(());
        }
        let sides = [&self.before.name, &self.after.name];
        let lacks = explained
            .pairs
            .iter()
            .flat_map(|pair| pair.lacks.iter().zip(sides));
        let why = lacks.filter_map(|(lack, side)| {
            let why = match (*lack)? {
                Lack::NoSample => "has no sample that counts",
                Lack::Nothing => "moved nothing",
                Lack::NotStated => "does not state it",
            };
            Some(format!("`{side}` {why}"))
        });
        let why: BTreeSet<String> = why.collect();
        let why: Vec<String> = why.into_iter().collect();
        let metric = self.args.metric.message().in_english();
        let failure = Failure::new(format!("{metric} cannot be compared: {}", why.join(", ")));
        Err(failure.hint("name results that have it, or another metric with `--metric`"))
    }

    /// Returns the cells to compare.
    fn pairs(&self) -> Result<Vec<(usize, usize)>> {
        let (before, after) = (&self.before.cells, &self.after.cells);
        if let ([one], [other]) = (&before[..], &after[..]) {
            return Ok(vec![(*one, *other)]);
        }
        let cells = |run: &Run, places: &[usize]| -> Vec<Cell> {
            places
                .iter()
                .map(|place| run.cells[*place].clone())
                .collect()
        };
        let (one, other) = (
            cells(&self.before.run, before),
            cells(&self.after.run, after),
        );
        let mut found = matching_cells(&one, &other);
        if found.is_empty() {
            let apart = disjoint(&one, &other);
            let apart: Vec<Axis> = apart.into_iter().map(|key| key.axis).collect();
            found = matching_but(&apart, &one, &other);
        }
        if found.is_empty() {
            // Stacks and conditions are what may explain the difference.
            let load_only = |cells: &[Cell]| -> Vec<Cell> { cells.iter().map(load_of).collect() };
            found = matching_cells(&load_only(&one), &load_only(&other));
        }
        if found.is_empty() {
            // Their loads may be what changed: jobs of the same name.
            let job_only = |cells: &[Cell]| -> Vec<Cell> { cells.iter().map(job_of).collect() };
            found = matching_cells(&job_only(&one), &job_only(&other));
        }
        if found.is_empty() {
            return Err(Failure::new("no cell of one side has the load of a cell of the other").hint(
                "name one cell of each: `RUN:NUMBER`; two files need the same jobs, or one job each",
            ));
        }
        Ok(found
            .into_iter()
            .map(|(one, other)| (before[one], after[other]))
            .collect())
    }

    /// Returns the name of the load: after, unless that file has no options and its load is guessed.
    fn name_of(&self, pair: (usize, usize)) -> Argument {
        let after = OfFile::of(&self.after.run, pair.1);
        let (side, cell) = match after.is_some_and(|file| !file.has_options()) {
            true => (self.before, pair.0),
            false => (self.after, pair.1),
        };
        let cell = &side.run.cells[cell];
        Names::of(&[cell], &side.run.summary.origin).argument(cell)
    }

    fn samples(&self, pair: (usize, usize), metric: Metric) -> [Vec<&SampleRecord>; 2] {
        let of = |side: &'a Side, index: usize| {
            let asked = stored::asked(&side.run);
            let samples = side
                .run
                .samples
                .iter()
                .filter(move |record| record.cell == index);
            analyse(samples, asked.repeat.steady_state, metric)
                .counted
                .samples
        };
        [of(self.before, pair.0), of(self.after, pair.1)]
    }

    fn difference(&self, pair: (usize, usize), metric: Metric) -> Option<Difference> {
        let [before, after] = self.samples(pair, metric);
        let is_one_run = self.before.run.summary.id == self.after.run.summary.id
            && !self.before.is_files
            && !self.after.is_files;
        Difference::of(&before, &after, metric, self.margin, is_one_run)
    }

    /// Explains a pair; returns how many facts are the same, too.
    fn pair(
        &self,
        pair: (usize, usize),
        progress: &mut Simulating,
    ) -> Result<(ExplainedPair, usize)> {
        let cells = (
            &self.before.run.cells[pair.0],
            &self.after.run.cells[pair.1],
        );
        let known = [
            self.facts[0].with_cell(&self.before.run, pair.0),
            self.facts[1].with_cell(&self.after.run, pair.1),
        ];
        let changes = self.changes(&known);
        let same = known[0]
            .iter()
            .filter(|(key, value)| known[1].get(*key) == Some(value));
        let same = same.count();
        let metrics = self.metrics();
        let differences: Vec<Difference> = metrics
            .iter()
            .filter_map(|metric| self.difference(pair, *metric))
            .collect();
        let [before, after] = self.samples(pair, self.args.metric);
        let counters = self.counters(&before, &after);
        let loads = [&cells.0.workload.load, &cells.1.workload.load];
        let capped = |side: usize, samples: &[&SampleRecord]| -> Vec<Cap> {
            let caps = Cap::of(loads[side], &known[side]).into_iter();
            caps.filter(|cap| cap.is_reached(samples)).collect()
        };
        let mut found = ExplainedPair {
            load: self.name_of(pair),
            metric: self.args.metric,
            lacks: [&before, &after].map(|samples| Lack::of(samples, self.args.metric)),
            silent: silent_of(loads, [&before, &after]),
            capped: [capped(0, &before), capped(1, &after)],
            // Another load has other latencies anyway.
            shape: Some(loads)
                .filter(|[one, other]| one == other)
                .and_then(|_| Shape::of(&before, &after)),
            steps: [(0, &before), (1, &after)]
                .into_iter()
                .filter_map(|(side, samples)| Step::of(side, samples))
                .collect(),
            margin: self.margin.as_fraction(),
            conclusion: Conclusion::open(),
            kernel_rules: KernelRule::between(&changes),
            changes,
            actions: Vec::new(),
            ablation: None,
            model_refused: None,
            model: None,
            counters,
            experiment: None,
            differences,
        };
        self.conclude(&mut found, pair.0, &known[0], progress)?;
        Ok((found, same))
    }

    /// Returns the counters of samples. fio counts the requests to disks for all jobs of a file together.
    fn counters(&self, before: &[&SampleRecord], after: &[&SampleRecord]) -> Counters {
        let has_others =
            |side: &Side| side.run.summary.origin == RunOrigin::Fio && side.run.cells.len() > 1;
        let counters = Counters::of(before, after);
        Counters {
            requests_ratio: counters
                .requests_ratio
                .filter(|_| !has_others(self.before) && !has_others(self.after)),
            ..counters
        }
    }

    /// Draws the conclusion of a pair.
    fn conclude(
        &self,
        found: &mut ExplainedPair,
        before: usize,
        known: &BTreeMap<String, String>,
        progress: &mut Simulating,
    ) -> Result<()> {
        let metric = self.args.metric;
        let Some(difference) = found.difference().copied() else {
            return Ok(());
        };
        let setup = self.setup(before, known, &found.changes);
        match &setup {
            Ok((_, used)) => found.model = Some(used.clone()),
            Err(why) => found.model_refused = Some(why.clone()),
        }
        if let (Ok((setup, _)), Certainty::Different) = (&setup, difference.certainty) {
            let metrics = self.metrics();
            match ablate(setup, &found.changes, &metrics, self.args.seed, progress) {
                Ok(ablation) => found.ablation = Some(ablation),
                Err(ModelError::Interrupted) => return Err(ModelError::Interrupted.into()),
                Err(error) => found.model_refused = Some(Argument::Name(error.to_string())),
            }
        }
        let is_slower = (difference.ratio < 1.0) == metric.higher_is_better();
        let ablation = found.ablation.as_ref();
        let evidence = |place: usize, change: &Change| {
            found.counters.evidence(place, change, is_slower, ablation)
        };
        let writes = self.before.run.cells[before].workload.load.pattern.writes();
        found.conclusion = Conclusion::new(&difference, &found.changes, ablation, writes, evidence);
        // Nobody undoes what made it faster.
        let causes = found.conclusion.causes.iter().filter(|_| is_slower);
        found.actions = causes
            .map(|cause| {
                let names = self.facts[1].names();
                Action::of(cause.change, &found.changes[cause.change], names)
            })
            .collect();
        if let Ok((setup, _)) = &setup {
            found.experiment = experiment(&found.conclusion, &found.changes, setup, self.args);
        }
        Ok(())
    }

    /// Returns the metrics that are compared, the one to explain first.
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = vec![self.args.metric];
        metrics.extend(Some(Metric::LatencyP99).filter(|p99| *p99 != self.args.metric));
        metrics
    }

    /// Returns what differs. A named device stands for both; and a disk is not another one because the
    /// kernel takes it for another kind.
    fn changes(&self, known: &[BTreeMap<String, String>; 2]) -> Vec<Change> {
        let mut changes = changes(&known[0], &known[1]);
        let is_described = |side: &Side| {
            side.run
                .cells
                .iter()
                .any(|cell| !cell.stack.devices.is_empty())
        };
        let has_other_drives = changes.iter().any(|change| change.key == "drive_model")
            || is_described(self.before)
            || is_described(self.after);
        let is_device = |change: &Change| change.key == "device";
        let is_kept = self.args.device.is_none() && has_other_drives;
        changes.retain(|change| is_kept || !is_device(change));
        changes
    }

    /// Returns the earlier cell in the model, with all that is known of its machine; else why there is none.
    pub(super) fn setup(
        &self,
        index: usize,
        known: &BTreeMap<String, String>,
        changes: &[Change],
    ) -> std::result::Result<(Setup, ModelUsed), Argument> {
        let cell = &self.before.run.cells[index];
        let of_file = OfFile::of(&self.before.run, index);
        if of_file.is_some_and(|file| !file.has_options()) {
            return Err(Message::new("explain-load-unknown").into());
        }
        let named = self.args.device.as_ref().or_else(|| known.get("device"));
        let device = match (&cell.stack.devices[..], named) {
            ([group, ..], None) => group.profile.clone(),
            (_, Some(device)) => device.clone(),
            ([], None) => {
                return Err(Message::new("explain-no-drive").into());
            }
        };
        let fitted = self
            .profiles
            .devices
            .get(&device)
            .and_then(|one| one.host.clone());
        let of_run = self.before.run.world.as_ref().and_then(WorldSpec::model);
        let of_run = of_run.map(|model| model.host.clone());
        let host = self.args.host.clone().or(of_run).or(fitted);
        let host = host.unwrap_or_else(|| HOST_DEFAULT.to_owned());
        let of_run = self.before.run.world.as_ref().and_then(WorldSpec::model);
        let kernel = of_run.map_or(KERNEL_DEFAULT, |model| model.kernel);
        let model = Model {
            host: Some(host.clone()),
            ..Model::new(self.profiles.clone(), kernel)
        };
        let mut setup = match cell.stack.devices.is_empty() {
            true => Setup::new(model, &device, cell.workload.clone()),
            false => Setup {
                model,
                cell: cell.clone(),
            },
        };
        let is_changed = |key: &str| changes.iter().any(|change| change.key == key);
        for kind in ALL {
            let value = known
                .get(kind.key)
                .filter(|_| !ONLY_CHANGED.contains(&kind.key) || is_changed(kind.key));
            let value = value.filter(|_| kind.key != "device" || self.args.device.is_none());
            if let Some(value) = value {
                // What the model does not take of an unchanged fact is its own default.
                let _untaken = setup.set(kind.key, value);
            }
        }
        let built = setup.model.build(&setup.cell, self.args.seed);
        built.map_err(|error| Argument::Name(error.to_string()))?;
        let used = ModelUsed {
            is_assumed: self.args.device.is_none() && cell.stack.devices.is_empty(),
            device,
            host,
        };
        Ok((setup, used))
    }
}

/// Returns the directions of both loads in which one side alone moved nothing.
fn silent_of(loads: [&Load; 2], samples: [&[&SampleRecord]; 2]) -> Vec<Silent> {
    let both = |does: fn(&Pattern) -> bool| loads.iter().all(|load| does(&load.pattern));
    let mut found = silent(samples);
    found.retain(|silent| match silent.direction {
        Direction::Read => both(|pattern| pattern.reads()),
        Direction::Write => both(|pattern| pattern.writes()),
    });
    found
}

/// Returns a cell by the name of its job alone.
fn job_of(cell: &Cell) -> Cell {
    let name = cell.workload.name.clone();
    let load = Load::new(Pattern::Read, Bytes::default(), Bytes::default());
    let mut cell = load_of(cell);
    cell.workload = Workload {
        name,
        ..Workload::alone(load)
    };
    cell
}

/// Returns a cell by its load alone.
fn load_of(cell: &Cell) -> Cell {
    let mut cell = cell.clone();
    cell.conditions = stripewise_study::conditions::Conditions::default();
    cell.stack.name = String::new();
    cell.workload.name = None;
    cell.workload.options = BTreeMap::new();
    cell
}
