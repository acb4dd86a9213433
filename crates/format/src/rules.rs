//! Reads the rest of the file (question, conditions, repetition, comparison) and assembles the
//! study.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::de::DeserializeOwned;

use crate::bounds::{self, CELL_DEVICES_MAX, CELLS_MAX, CORES_MAX, DEVICES_MAX};
use crate::devices;
use crate::failures;
use crate::given::combinations;
use crate::host_settings;
use crate::lifetime::lifetime;
use crate::locate::Path;
use crate::raw::{AxisValue, CompareTable, ConditionsTable, RepeatTable, SteadyStateWord};
use crate::settings;
use crate::source::{ProblemText, Source};
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::conditions::Conditions;
use stripewise_study::failure::Failure;
use stripewise_study::hosts::{HOSTS_MAX, LostHosts, destination_problem};
use stripewise_study::metric::Metric;
use stripewise_study::notation::Notation;
use stripewise_study::notation::{Notated, Scalar};
use stripewise_study::plan::{Compare, Repeat, SteadyState, Study, pairs};
use stripewise_study::stack::Stack;
use stripewise_study::workload::{BlockSize, Workload};
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

/// The top-level keys, and the tables that are not named entries.
pub(crate) struct File {
    pub(crate) question: Option<String>,
    pub(crate) kernel: Option<KernelVersion>,
    pub(crate) host: Option<String>,
    cores: Option<NonZeroU32>,
    hosts: Vec<String>,
    lost_hosts: Option<LostHosts>,
    may_destroy: BTreeMap<String, Vec<PathBuf>>,
    conditions: ConditionsTable,
    repeat: RepeatTable,
    compare: CompareTable,
}

impl File {
    /// Returns the oldest kernel that the study names, which has the fewest features.
    pub(crate) fn oldest_kernel(&self) -> Option<KernelVersion> {
        let listed = self.conditions.kernel.iter();
        let listed = listed.flat_map(|list| list.values.iter().map(|value| value.0.version()));
        listed.chain(self.kernel).min()
    }

    pub(crate) fn read(source: &mut Source) -> File {
        let conditions: ConditionsTable = read_key(source, "conditions").unwrap_or_default();
        kernels(source, &conditions);
        File {
            question: read_key(source, "question"),
            kernel: kernel(source),
            host: read_key(source, "host"),
            cores: cores(source),
            hosts: hosts(source),
            lost_hosts: read_key(source, "lost_hosts"),
            may_destroy: read_key(source, "may_destroy").unwrap_or_default(),
            conditions,
            repeat: read_key(source, "repeat").unwrap_or_default(),
            compare: read_key(source, "compare").unwrap_or_default(),
        }
    }
}

fn kernel(source: &mut Source) -> Option<KernelVersion> {
    let Notated(version) = read_key::<Notated<KernelVersion>>(source, "kernel")?;
    check_kernel(source, version, &Path::default().key("kernel"));
    Some(version)
}

fn cores(source: &mut Source) -> Option<NonZeroU32> {
    let cores: NonZeroU32 = read_key(source, "cores")?;
    if cores.get() > CORES_MAX {
        let report = ProblemText::new(format!("a host has at most {CORES_MAX} cores"), "too many");
        source.problem(&Path::default().key("cores"), report.hint("name fewer"));
    }
    Some(cores)
}

/// Reads the hosts, and refuses those that `ssh` must not be called with.
fn hosts(source: &mut Source) -> Vec<String> {
    let hosts: Vec<String> = read_key(source, "hosts").unwrap_or_default();
    let place = Path::default().key("hosts");
    if hosts.len() > HOSTS_MAX {
        let report = ProblemText::new(format!("a run has at most {HOSTS_MAX} hosts"), "too many");
        source.problem(&place, report.hint("name fewer"));
    }
    for (index, host) in hosts.iter().enumerate() {
        let element = place.element(Some(index));
        if let Some(why) = destination_problem(host) {
            let report = ProblemText::new("`ssh` cannot be called with this host", why);
            let hint = "write `host`, `user@host` or `ssh://user@host:port`; other settings belong into `~/.ssh/config`";
            source.problem(&element, report.hint(hint));
        } else if hosts[..index].contains(host) {
            let report = ProblemText::new("`hosts` lists a host twice", "again");
            source.problem(&element, report.hint("name each host once"));
        }
    }
    hosts
}

/// Refuses a kernel that never existed.
fn check_kernel(source: &mut Source, version: KernelVersion, place: &Path) {
    if let Some(why) = version.impossible() {
        let report = ProblemText::new(why, "no such kernel");
        let hint = "for instance `kernel = \"6.12\"`; a kernel newer than all known rules is simulated by the newest ones";
        source.problem(place, report.hint(hint));
    }
}

/// Checks the kernels among the conditions.
fn kernels(source: &mut Source, table: &ConditionsTable) {
    let Some(list) = &table.kernel else {
        return;
    };
    let place = Path::default().key("conditions").key("kernel");
    for (index, kernel) in list.values.iter().enumerate() {
        let element = place.element(list.is_list.then_some(index));
        check_kernel(source, kernel.0.version(), &element);
        if list.values[..index].iter().any(|other| other.0 == kernel.0) {
            let report = ProblemText::new("`kernel` lists a value twice", "again");
            let hint = "each kernel gives the same cells once";
            source.problem(&element, report.hint(hint));
        }
    }
    if source.root().get("kernel").is_some() {
        let report = ProblemText::new("the study names its kernel twice", "and here");
        let hint = "leave out `kernel` at the top level, or under `[conditions]`";
        source.problem(&place, report.at_key().hint(hint));
    }
}

fn read_key<T: DeserializeOwned>(source: &mut Source, key: &str) -> Option<T> {
    let item = source.root().get(key)?.clone();
    source.read(&Path::default().key(key), &item)
}

/// Assembles the study and runs the checks that need all of it.
pub(crate) fn study(
    source: &mut Source,
    file: File,
    stacks: Vec<Stack>,
    workloads: Vec<Workload>,
) -> Study {
    let failures = failures::failures(source);
    let failures = failures::named(source, file.conditions.failure.as_ref(), &failures);
    let conditions = conditions(source, &file.conditions, &failures);
    let cells = cells(source, &stacks, &workloads, &conditions);
    let repeat = repeat(source, &file.repeat);
    check_think_time(source, &cells, &repeat);
    settings::check_queues(source, &file.conditions, &cells);
    host_settings::check(source, &file.conditions, &repeat);
    failures::check(source, &cells, &repeat);
    refuse_failure_in_replay(source, &cells);
    devices::check(source, &file.may_destroy);
    devices::check_used(source, &file.may_destroy, &stacks);
    let compare = compare(source, &file.compare, &cells, &stacks);
    let lifetime = lifetime(source);
    Study {
        question: file.question,
        kernel: file.kernel,
        host: file.host,
        cores: file.cores,
        hosts: file.hosts,
        lost_hosts: file.lost_hosts.unwrap_or_default(),
        may_destroy: file.may_destroy,
        cells,
        repeat,
        compare,
        lifetime,
    }
}

/// Refuses a failure during a replay, whose length is that of its I/Os.
fn refuse_failure_in_replay(source: &mut Source, cells: &[Cell]) {
    let fails = |cell: &Cell| cell.workload.trace.is_some() && cell.conditions.failure.is_some();
    if cells.iter().any(fails) {
        let report = ProblemText::new(
            "no member fails during a replay",
            "a workload has a `trace`",
        );
        let hint = "leave out `failure`, or study the trace alone";
        let place = Path::default().key("conditions").key("failure");
        source.problem(&place, report.at_key().hint(hint));
    }
}

fn cells(
    source: &mut Source,
    stacks: &[Stack],
    workloads: &[Workload],
    conditions: &[Conditions],
) -> Vec<Cell> {
    let count = stacks
        .len()
        .saturating_mul(workloads.len())
        .saturating_mul(conditions.len());
    if count > CELLS_MAX {
        let report = ProblemText::new(
            format!("the study expands to {count} cells"),
            "multiplied by the other lists",
        );
        let hint = format!("at most {CELLS_MAX} are allowed: shorten the lists");
        source.problem(&Path::default().key("workload"), report.at_key().hint(hint));
        return Vec::new();
    }
    let loads = workloads.len().saturating_mul(conditions.len());
    let devices = stacks
        .iter()
        .map(|stack| stack.device_count().min(DEVICES_MAX))
        .fold(0, u64::saturating_add);
    let devices = devices.saturating_mul(u64::try_from(loads).unwrap_or(u64::MAX));
    if devices > CELL_DEVICES_MAX {
        let report = ProblemText::new(
            format!("the stacks of all cells have {devices} devices in total"),
            "multiplied by the other lists",
        );
        let hint =
            format!("at most {CELL_DEVICES_MAX} are allowed: name fewer, or shorten the lists");
        source.problem(&Path::default().key("stack"), report.at_key().hint(hint));
        return Vec::new();
    }
    let need_redundancy = failures::need_redundancy(stacks, conditions);
    let mut cells: Vec<Cell> = Vec::with_capacity(count);
    let mut seen = std::collections::BTreeSet::new();
    for stack in stacks {
        for workload in workloads {
            for (conditions, needs_redundancy) in conditions.iter().zip(&need_redundancy) {
                if *needs_redundancy && failures::loses_all(stack, conditions) {
                    continue;
                }
                let cell = Cell {
                    stack: stack.clone(),
                    workload: workload.clone(),
                    conditions: conditions.clone(),
                };
                // A list that has no effect on a pattern (`mix` on `read`) makes equal cells.
                let identity: Vec<String> = Axis::all().map(|axis| cell.value(axis)).collect();
                if seen.insert(identity) {
                    cells.push(cell);
                }
            }
        }
    }
    cells
}

/// Returns every combination of the listed conditions; none if they are too many.
fn conditions(
    source: &mut Source,
    table: &ConditionsTable,
    failures: &[Option<Failure>],
) -> Vec<Conditions> {
    let given = table.given();
    let count = combinations(&given)
        .saturating_mul(sysctl_count(table))
        .saturating_mul(failures.len().max(1));
    if count > CELLS_MAX {
        let report = ProblemText::new(
            format!("the conditions expand to {count} combinations"),
            "too many",
        );
        let hint = format!("a study has at most {CELLS_MAX} cells: shorten the lists");
        let path = Path::default().key("conditions");
        source.problem(&path, report.at_key().hint(hint));
        return Vec::new();
    }
    let mut all = vec![Conditions {
        fill: table.fill,
        ..Conditions::default()
    }];
    for given in given.iter().filter(|given| given.is_there()) {
        spread(&mut all, given.count, |conditions, index| {
            given.put(conditions, index);
        });
    }
    for (name, list) in table.sysctl.iter().flatten() {
        spread(&mut all, list.values.len(), |conditions, index| {
            let value = list.values[index].0.0.clone();
            conditions.sysctl.insert(name.clone(), value);
        });
    }
    if !failures.is_empty() {
        spread(&mut all, failures.len(), |conditions, index| {
            conditions.failure.clone_from(&failures[index]);
        });
    }
    all
}

/// Returns how many combinations the lists of parameters have.
fn sysctl_count(table: &ConditionsTable) -> usize {
    let lists = table.sysctl.iter().flat_map(BTreeMap::values);
    lists
        .map(|list| list.values.len())
        .fold(1, usize::saturating_mul)
}

/// Makes a copy of each of the conditions for each of `count` values.
fn spread(all: &mut Vec<Conditions>, count: usize, set: impl Fn(&mut Conditions, usize)) {
    *all = all
        .iter()
        .flat_map(|conditions| {
            (0..count).map(|index| {
                let mut conditions = conditions.clone();
                set(&mut conditions, index);
                conditions
            })
        })
        .collect();
}

/// A job that pauses for longer than a sample issues no second I/O in it.
fn check_think_time(source: &mut Source, cells: &[Cell], repeat: &Repeat) {
    let loads = cells.iter().flat_map(|cell| cell.workload.loads());
    let longest = loads
        .map(|load| load.think_time_ns)
        .max()
        .unwrap_or_default();
    if longest > Nanos::default() && longest >= repeat.sample_ns {
        let report = ProblemText::new(
            format!(
                "a pause of {longest} does not fit into a sample of {}",
                repeat.sample_ns
            ),
            "`think_time` is too long for it",
        );
        let hint = "shorten `think_time`, or set a longer `sample` in `[repeat]`";
        source.problem(&Path::default().key("workload"), report.at_key().hint(hint));
    }
}

fn repeat(source: &mut Source, table: &RepeatTable) -> Repeat {
    let all = Path::default().key("repeat");
    let default = Repeat::default();
    let at_least = table.at_least.map(|count| count.get());
    let at_most = table.at_most.map(|count| count.get());
    let repeat = Repeat {
        sample_ns: table
            .sample
            .as_ref()
            .map_or(default.sample_ns, |time| time.0),
        interval_percent: table
            .interval
            .as_ref()
            .map_or(default.interval_percent, |share| share.0),
        // If only one of the two is set, the default of the other is adjusted to it.
        at_least: at_least.unwrap_or(default.at_least.min(at_most.unwrap_or(u32::MAX))),
        at_most: at_most.unwrap_or(default.at_most.max(at_least.unwrap_or(0))),
        budget_ns: table
            .budget
            .as_ref()
            .map_or(default.budget_ns, |time| time.0),
        steady_state: table
            .steady_state
            .map(|SteadyStateWord::Snia| SteadyState::Snia),
    };
    if repeat.at_least > repeat.at_most {
        let report = ProblemText::new(
            format!(
                "`at_least` is {} and `at_most` is {}",
                repeat.at_least, repeat.at_most
            ),
            "more than `at_most`",
        );
        source.problem(
            &all.key("at_least"),
            report.hint("lower it, or raise `at_most`"),
        );
    }
    bounds::check_repeat(source, table, &repeat);
    repeat
}

fn compare(source: &mut Source, table: &CompareTable, cells: &[Cell], stacks: &[Stack]) -> Compare {
    let all = Path::default().key("compare").key("baseline");
    let default = Compare::default();
    let mut baseline = BTreeMap::new();
    let mut is_sound = !cells.is_empty();
    for (key, value) in table.baseline.iter().flatten() {
        let path = all.key(key);
        let Some(axis) = Axis::from_key(key) else {
            let keys: Vec<&str> = varying_axes(cells).into_iter().map(Axis::key).collect();
            let report =
                ProblemText::new(format!("cells do not differ by `{key}`"), "no such key").at_key();
            let hint = match keys[..] {
                [] => "the study has cells of one kind only: leave `baseline` out".to_owned(),
                _ => format!("they differ by: {}", keys.join(", ")),
            };
            source.problem(&path, report.hint(hint));
            is_sound = false;
            continue;
        };
        let value = normal(value);
        let mut known: Vec<String> = cells.iter().map(|cell| cell.value(axis)).collect();
        if !known.contains(&value) && !cells.is_empty() {
            known.sort();
            known.dedup();
            let report =
                ProblemText::new(format!("no cell has {key} `{value}`"), "not in the study");
            source.problem(
                &path,
                report.hint(format!("the study has: {}", known.join(", "))),
            );
            is_sound = false;
        }
        baseline.insert(axis, value);
    }
    if table.baseline.is_none() && stacks.len() > 1 {
        baseline.insert(Axis::Stack, stacks[0].name.clone());
    }
    if table.baseline.is_some()
        && !baseline.is_empty()
        && is_sound
        && pairs(cells, &baseline).is_empty()
    {
        let report = ProblemText::new(
            "nothing is left to compare with the baseline",
            "matches all or nothing",
        );
        let hint = "name a key in which cells differ and one of its values";
        source.problem(&all, report.hint(hint));
    }
    let given_rate = !cells.is_empty() && cells.iter().all(|cell| cell.workload.has_given_rate());
    let metric_default = match given_rate {
        true => Metric::LatencyMean,
        false => default.metric,
    };
    Compare {
        baseline,
        metric: table.metric.unwrap_or(metric_default),
        margin_percent: table
            .margin
            .as_ref()
            .map_or(default.margin_percent, |share| share.0),
    }
}

/// Formats a value of an axis the way [`Cell::value`] does.
fn normal(value: &AxisValue) -> String {
    match value {
        AxisValue::Text(text) => normal_text(text),
        AxisValue::Integer(integer) => integer.to_string(),
        AxisValue::Float(float) => float.to_string(),
        AxisValue::Bool(value) => value.to_string(),
    }
}

/// Returns a value of a key in the notation of cells: `8k` becomes `8K`, `1000ms` becomes `1s`;
/// other words stay as they are.
pub fn normal_text(text: &str) -> String {
    if let Ok(bytes) = Bytes::parse(text) {
        return bytes.to_string();
    }
    if let Ok(nanos) = Nanos::parse(text) {
        return nanos.to_string();
    }
    match BlockSize::read(&Scalar::Text(text)) {
        Some(split) => split.to_string(),
        None => text.to_owned(),
    }
}
