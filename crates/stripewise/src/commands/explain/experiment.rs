//! The smallest experiment that tells the first two causes apart: the earlier cell, with the first cause
//! alone and without it.

use std::fmt::Write as _;

use stripewise_diagnose::explain::ablation::Change;
use stripewise_diagnose::explain::conclusion::Conclusion;
use stripewise_diagnose::explain::setup::Setup;
use stripewise_format::parse;
use stripewise_report::explained::Experiment;
use stripewise_runner::execute::time_range;
use stripewise_study::conditions::CONDITION_KEYS;
use stripewise_study::keys::{Backend, quoted};
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::stack::{Bitmap, Filesystem, Stack};
use stripewise_worlds::settings::FIO_OVERHEAD;

/// The name of a study in messages about it.
const NAME: &str = "the experiment";

/// Where a study of a cause can run.
enum Where {
    /// In the lab's guest.
    Lab,
    /// On this machine.
    Here,
}

/// Returns the study for the first cause that a study can change; `None` if there is none. `setup` is the
/// earlier cell.
pub(super) fn experiment(
    conclusion: &Conclusion,
    changes: &[Change],
    setup: &Setup,
) -> Option<Experiment> {
    let named: Vec<usize> = conclusion.causes.iter().map(|cause| cause.change).collect();
    let (first, study, place) = named.iter().find_map(|cause| {
        let (study, place) = written(&changes[*cause], setup)?;
        Some((*cause, study, place))
    })?;
    let parsed = parse(NAME, &study).ok()?;
    let (shortest, _) = time_range(&parsed, FIO_OVERHEAD, parsed.repeat.sample_ns);
    let other = named.iter().copied().find(|cause| *cause != first);
    Some(Experiment {
        study,
        changes: std::iter::once(first).chain(other).collect(),
        time_s: shortest.as_secs_f64(),
        command: match place {
            Where::Lab => "stripewise run FILE --world lab".to_owned(),
            Where::Here => "stripewise run FILE --target DIR".to_owned(),
        },
    })
}

/// Returns a study in which only one change is made, and where it can run.
fn written(change: &Change, setup: &Setup) -> Option<(String, Where)> {
    let key = change.key.as_str();
    let both = format!("[{}, {}]", quoted(&change.before), quoted(&change.after));
    let question = format!("Is it {key}: {} or {}?", change.before, change.after);
    let mut text = format!("question = {}\n", quoted(&question));
    let stack = &setup.cell.stack;
    let load = setup.cell.workload.load.toml();
    if let Some(row) = CONDITION_KEYS.iter().find(|row| row.name == key) {
        let is_of_host = row.refused_by.contains(&Backend::Lab);
        match is_of_host {
            true => text.push_str("[stack.here]\n"),
            false => text.push_str(&section("recorded", stack)?),
        }
        write!(text, "[workload]\n{load}[conditions]\n{key} = {both}\n").ok()?;
        write!(
            text,
            "[compare]\nbaseline = {{ {key} = {} }}\n",
            quoted(&change.before)
        )
        .ok()?;
        let place = if is_of_host { Where::Here } else { Where::Lab };
        return Some((text, place));
    }
    if LOAD_KEYS.iter().any(|row| row.name == key) {
        let others = load
            .lines()
            .filter(|line| !line.starts_with(&format!("{key} =")));
        let others: Vec<&str> = others.collect();
        text.push_str("[stack.here]\n");
        write!(text, "[workload]\n{}\n{key} = {both}\n", others.join("\n")).ok()?;
        write!(
            text,
            "[compare]\nbaseline = {{ {key} = {} }}\n",
            quoted(&change.before)
        )
        .ok()?;
        return Some((text, Where::Here));
    }
    let mut after = setup.clone();
    after.set(key, &change.after).ok()?;
    text.push_str(&section("before", stack)?);
    text.push_str(&section("after", &after.cell.stack)?);
    write!(
        text,
        "[workload]\n{load}[compare]\nbaseline = {{ stack = \"before\" }}\n"
    )
    .ok()?;
    Some((text, Where::Lab))
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
