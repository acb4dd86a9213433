//! The smallest experiment that tells the first two causes apart: the earlier cell, with each of the two
//! changes alone, and with both.

use std::fmt::Write as _;

use stripewise_diagnose::explain::ablation::Change;
use stripewise_diagnose::explain::conclusion::Conclusion;
use stripewise_diagnose::explain::setup::Setup;
use stripewise_format::parse;
use stripewise_report::explained::Experiment;
use stripewise_runner::execute::time_range;
use stripewise_study::conditions::{CONDITION_KEYS, Conditions};
use stripewise_study::keys::{Backend, Key, quoted};
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::stack::{Bitmap, Filesystem, Stack};
use stripewise_units::Bytes;
use stripewise_worlds::settings::FIO_OVERHEAD;

use super::Args;

/// The name of a study in messages about it.
const NAME: &str = "the experiment";
/// The size of the file where the earlier result does not state it.
const SIZE: Bytes = Bytes::new(1 << 30);

/// Where a study of a cause can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// In the lab's guest.
    Lab,
    /// On this machine.
    Here,
}

/// Returns the study for the first two causes that one study can change, else for the first that a study
/// can change at all; `None` if there is none. `setup` is the earlier cell.
pub(super) fn experiment(
    conclusion: &Conclusion,
    changes: &[Change],
    setup: &Setup,
    args: &Args,
) -> Option<Experiment> {
    let named: Vec<usize> = conclusion.causes.iter().map(|cause| cause.change).collect();
    let pairs = named.iter().enumerate().flat_map(|(at, one)| {
        let others = named[at + 1..].iter();
        others.map(|other| vec![*one, *other])
    });
    let mut tried = pairs.chain(named.iter().map(|one| vec![*one]));
    let (chosen, study, place) = tried.find_map(|chosen| {
        let made: Vec<&Change> = chosen.iter().map(|place| &changes[*place]).collect();
        let (study, place) = written(&made, setup)?;
        // What the format refuses is no experiment.
        parse(NAME, &study).ok()?;
        Some((chosen, study, place))
    })?;
    let parsed = parse(NAME, &study).ok()?;
    let (shortest, _) = time_range(&parsed, FIO_OVERHEAD, parsed.repeat.sample_ns);
    let file = args.save.as_ref();
    let file = file.map_or_else(|| "FILE".to_owned(), |file| file.display().to_string());
    Some(Experiment {
        study,
        changes: chosen,
        time_s: shortest.as_secs_f64(),
        is_for_lab: place == Where::Lab,
        command: match place {
            Where::Lab => format!("stripewise run {file} --world lab"),
            Where::Here => format!("stripewise run {file} --target DIR"),
        },
    })
}

/// What changes one fact of a study.
enum Lever<'a> {
    Condition(&'static Key<Conditions>),
    Load(&'a Change),
    Stack(&'a Change),
}

impl<'a> Lever<'a> {
    /// Returns what changes a fact from its earlier value; `None` if a study does not.
    fn of(change: &'a Change, setup: &Setup) -> Option<Self> {
        let key = change.key.as_str();
        if let Some(row) = CONDITION_KEYS.iter().find(|row| row.name == key) {
            return Some(Self::Condition(row));
        }
        if LOAD_KEYS.iter().any(|row| row.name == key) {
            return Some(Self::Load(change));
        }
        let mut after = setup.clone();
        after.set(key, &change.after).ok()?;
        let is_of_stack = after.cell.stack != setup.cell.stack;
        is_of_stack.then_some(Self::Stack(change))
    }

    /// Returns the change of the load, if it is one.
    fn of_load(&self) -> Option<&'a Change> {
        match self {
            Self::Load(change) => Some(change),
            _ => None,
        }
    }

    /// Returns the change of the stack, if it is one.
    fn of_stack(&self) -> Option<&'a Change> {
        match self {
            Self::Stack(change) => Some(change),
            _ => None,
        }
    }
}

/// Returns a study of all combinations of changes, and where it can run.
fn written(changes: &[&Change], setup: &Setup) -> Option<(String, Where)> {
    let mut setup = setup.clone();
    let load = &mut setup.cell.workload.load;
    if load.size_bytes == Bytes::default() {
        load.size_bytes = SIZE;
    }
    let levers: Option<Vec<Lever<'_>>> = changes
        .iter()
        .map(|change| Lever::of(change, &setup))
        .collect();
    let levers = levers?;
    let of_load: Vec<&Change> = levers.iter().filter_map(Lever::of_load).collect();
    let of_stack: Vec<&Change> = levers.iter().filter_map(Lever::of_stack).collect();
    let is_of_host = |lever: &Lever<'_>| match lever {
        Lever::Condition(row) => row.refused_by.contains(&Backend::Lab),
        _ => false,
    };
    let place = match levers.iter().any(is_of_host) || of_load.len() == levers.len() {
        true => Where::Here,
        false => Where::Lab,
    };
    // What is here is not built anew.
    if place == Where::Here && !of_stack.is_empty() {
        return None;
    }
    let asked = changes
        .iter()
        .map(|change| format!("{}: {} or {}", change.key, change.before, change.after));
    let asked: Vec<String> = asked.collect();
    let question = format!("Is it {}?", asked.join(", or "));
    let mut text = format!("question = {}\n", quoted(&question));
    let mut baseline = Vec::new();
    match place {
        Where::Here => text.push_str("[stack.here]\n"),
        Where::Lab => {
            for (name, variant) in variants(&of_stack, &setup)? {
                text.push_str(&section(&name, &variant.cell.stack)?);
            }
        }
    }
    if !of_stack.is_empty() {
        baseline.push(format!("stack = {}", quoted(BEFORE)));
    }
    if of_load.is_empty() {
        write!(text, "[workload]\n{}", setup.cell.workload.load.toml()).ok()?;
    } else {
        for (name, variant) in variants(&of_load, &setup)? {
            let load = variant.cell.workload.load.toml();
            write!(text, "[workload.{name}]\n{load}").ok()?;
        }
        baseline.push(format!("workload = {}", quoted(BEFORE)));
    }
    text.push_str("[conditions]\n");
    for (lever, change) in levers.iter().zip(changes) {
        if let Lever::Condition(row) = lever {
            let [before, after] = [&change.before, &change.after].map(|value| literal(row, value));
            let (before, after) = (before?, after?);
            writeln!(text, "{} = [{before}, {after}]", row.name).ok()?;
            baseline.push(format!("{} = {before}", row.name));
        }
    }
    writeln!(text, "[compare]\nbaseline = {{ {} }}", baseline.join(", ")).ok()?;
    Some((text, place))
}

/// The name of the stack and of the load without a change.
const BEFORE: &str = "before";

/// Returns the earlier setup, and those with each change alone and with all, by name.
fn variants(changes: &[&Change], setup: &Setup) -> Option<Vec<(String, Setup)>> {
    let name = |change: &Change| format!("with-{}", change.key.replace('_', "-"));
    let with = |changes: &[&Change]| {
        let mut variant = setup.clone();
        let facts: Vec<(&str, &str)> = changes
            .iter()
            .map(|one| (one.key.as_str(), one.after.as_str()))
            .collect();
        let taken = variant.set_all(&facts);
        taken.iter().all(Result::is_ok).then_some(variant)
    };
    let mut found = vec![(BEFORE.to_owned(), setup.clone())];
    for change in changes {
        found.push((name(change), with(&[change])?));
    }
    if changes.len() > 1 {
        found.push(("with-both".to_owned(), with(changes)?));
    }
    Some(found)
}

/// Returns a value of a condition as a study has it.
fn literal(row: &Key<Conditions>, value: &str) -> Option<String> {
    let mut conditions = Conditions::default();
    if !(row.put)(&mut conditions, value) {
        return None;
    }
    let line = row.line(&(row.get)(&conditions)?);
    let (_, literal) = line.split_once('=')?;
    Some(literal.trim().to_owned())
}

/// Returns the section of a study that describes a stack of one kind of device; `None` of others.
fn section(name: &str, stack: &Stack) -> Option<String> {
    let [group] = &stack.devices[..] else {
        return None;
    };
    let mut text = format!(
        "[stack.{name}]\ndevices = {{ {} = {} }}\n",
        quoted(&group.profile),
        group.count
    );
    if let Some(array) = &stack.array {
        let mut keys = vec![format!("level = {}", quoted(array.level.as_str()))];
        let layout = array.layout.as_ref();
        keys.extend(layout.map(|layout| format!("layout = {}", quoted(layout))));
        let chunk = array.chunk_bytes;
        keys.extend(chunk.map(|chunk| format!("chunk = {}", quoted(&chunk.to_string()))));
        keys.push(match array.bitmap {
            Bitmap::None => "bitmap = \"none\"".to_owned(),
            Bitmap::Internal { chunk_bytes: None } => "bitmap = \"internal\"".to_owned(),
            Bitmap::Internal {
                chunk_bytes: Some(chunk),
            } => format!("bitmap = {{ chunk = {} }}", quoted(&chunk.to_string())),
        });
        let settings = array.settings.numbers().into_iter();
        keys.extend(settings.map(|setting| format!("{} = {setting}", setting.tunable.key)));
        writeln!(text, "array = {{ {} }}", keys.join(", ")).ok()?;
    }
    if let Filesystem::Made { kind, .. } = &stack.filesystem {
        writeln!(text, "filesystem = {}", quoted(kind)).ok()?;
    }
    Some(text)
}
