//! Converts `[failure.NAME]` tables into failures, and reports those that cannot happen.

use std::collections::BTreeMap;

use crate::bounds::SPEED_BYTES_MAX;
use crate::locate::Path;
use crate::raw::FailureTable;
use crate::source::{Entry, ProblemText, Source};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::failure::{Failure, ImpossibleFailure, NONE, Repair, Replacement};
use stripewise_study::notation::OneOrMany;
use stripewise_study::plan::Repeat;
use stripewise_study::stack::Stack;
use stripewise_units::Bytes;

/// The failures that `failure` may name.
pub(crate) type Failures = BTreeMap<String, Failure>;

/// md counts speeds in KiB.
const SPEED_BYTES_MIN: Bytes = Bytes::KIB;

/// Returns the failures of the file by their names.
pub(crate) fn failures(source: &mut Source) -> Failures {
    let mut failures = BTreeMap::new();
    for Entry { name, path, item } in source.entries("failure") {
        let Some(table) = source.read::<FailureTable>(&path, &item) else {
            continue;
        };
        if name == NONE {
            let report =
                ProblemText::new(format!("`{NONE}` means that nothing fails"), "reserved").at_key();
            source.problem(&path, report.hint("choose another name"));
        }
        let failure = failure(source, &path, name, &table);
        failures.insert(failure.name.clone(), failure);
    }
    failures
}

fn failure(source: &mut Source, path: &Path, name: String, table: &FailureTable) -> Failure {
    let repair = match (&table.replace, &table.re_add) {
        (Some(moment), None) => Some((moment, Replacement::New, "replace")),
        (None, Some(moment)) => Some((moment, Replacement::Same, "re_add")),
        (None, None) => None,
        (Some(_), Some(_)) => {
            let report = ProblemText::new(
                "`replace` and `re_add` exclude each other",
                "both are given",
            );
            let hint = "only one device can replace the failed one: leave one key out";
            source.problem(&path.key("re_add"), report.at_key().hint(hint));
            None
        }
    };
    let at_ns = table.fail_device.at.0;
    if let Some((moment, _, key)) = repair
        && moment.at.0 <= at_ns
    {
        let report = ProblemText::new(
            format!(
                "the device fails at {at_ns} and comes back at {}",
                moment.at.0
            ),
            "not after the failure",
        );
        let hint = "choose a later time";
        source.problem(&path.key(key).key("at"), report.hint(hint));
    }
    if table.until_rebuilt == Some(true) && table.replace.is_none() && table.re_add.is_none() {
        let report = ProblemText::new("nothing is rebuilt", "would wait forever").at_key();
        let hint = "add `replace = { at = \"12s\" }`";
        source.problem(&path.key("until_rebuilt"), report.hint(hint));
    }
    check_speeds(source, path, table);
    Failure {
        name,
        at_ns,
        device: table.fail_device.device,
        repair: repair.map(|(moment, with, _)| Repair {
            at_ns: moment.at.0,
            with,
        }),
        sync_speed_min_bytes_per_s: table.sync_speed_min.as_ref().map(|speed| speed.0),
        sync_speed_max_bytes_per_s: table.sync_speed_max.as_ref().map(|speed| speed.0),
        until_rebuilt: table.until_rebuilt.unwrap_or(false),
    }
}

fn check_speeds(source: &mut Source, path: &Path, table: &FailureTable) {
    let speeds = [
        ("sync_speed_min", &table.sync_speed_min),
        ("sync_speed_max", &table.sync_speed_max),
    ];
    for (key, speed) in speeds {
        if speed
            .as_ref()
            .is_some_and(|speed| speed.0 > SPEED_BYTES_MAX)
        {
            let report = ProblemText::new(
                format!("md allows speeds up to {SPEED_BYTES_MAX} per second"),
                "too fast",
            );
            source.problem(
                &path.key(key),
                report.hint("leave it out to keep the system's"),
            );
        }
        if speed
            .as_ref()
            .is_some_and(|speed| speed.0 < SPEED_BYTES_MIN)
        {
            let report = ProblemText::new("md counts in KiB per second", "less than one");
            source.problem(&path.key(key), report.hint("for instance `\"50M\"`"));
        }
    }
    if let (Some(min), Some(max)) = (&table.sync_speed_min, &table.sync_speed_max)
        && min.0 > max.0
    {
        let report = ProblemText::new("`sync_speed_min` is above `sync_speed_max`", "above it");
        source.problem(
            &path.key("sync_speed_min"),
            report.hint("lower it, or raise `sync_speed_max`"),
        );
    }
}

/// Returns the failure that `failure` under `[conditions]` names; `None` for `none`.
pub(crate) fn named(
    source: &mut Source,
    names: Option<&OneOrMany<String>>,
    failures: &Failures,
) -> Vec<Option<Failure>> {
    let place = Path::default().key("conditions").key("failure");
    let mut found = Vec::new();
    for (index, name) in names.iter().flat_map(|list| &list.values).enumerate() {
        match failures.get(name) {
            Some(failure) => found.push(Some(failure.clone())),
            None if name == NONE => found.push(None),
            None => {
                let index = names.is_some_and(|list| list.is_list).then_some(index);
                let report = ProblemText::new(format!("no failure `{name}`"), "not defined");
                let hint = format!("add a table `[failure.{name}]`");
                source.problem(&place.element(index), report.hint(hint));
            }
        }
    }
    for name in failures.keys() {
        let is_named = names.is_some_and(|list| list.values.contains(name));
        if !is_named {
            let report = ProblemText::new(format!("no cell has the failure `{name}`"), "not used");
            let hint = format!("add `failure = [\"{NONE}\", \"{name}\"]` to `[conditions]`");
            let path = Path::default().key("failure").key(name);
            source.problem(&path, report.at_key().hint(hint));
        }
    }
    found
}

/// Returns for each of the conditions whether stacks without redundancy have no cells with it: where
/// the list of failures has `none` and some stack survives the failure. So one study compares RAID 0
/// with other levels.
pub(crate) fn need_redundancy(stacks: &[Stack], conditions: &[Conditions]) -> Vec<bool> {
    let may_be_whole = conditions.iter().any(|it| it.failure.is_none());
    let is_survived = |one: &Conditions| stacks.iter().any(|stack| !loses_all(stack, one));
    let conditions = conditions.iter();
    conditions
        .map(|one| may_be_whole && one.failure.is_some() && is_survived(one))
        .collect()
}

/// Returns whether the failure, if there is one, happens to a stack without redundancy.
pub(crate) fn loses_all(stack: &Stack, conditions: &Conditions) -> bool {
    let failure = conditions.failure.as_ref();
    let impossible = failure.and_then(|failure| failure.check(stack).err());
    matches!(
        impossible,
        Some(ImpossibleFailure::NoArray { .. } | ImpossibleFailure::NoRedundancy { .. })
    )
}

/// Reports failures that lose data or happen after the end of a sample.
pub(crate) fn check(source: &mut Source, cells: &[Cell], repeat: &Repeat) {
    let mut seen = std::collections::BTreeSet::new();
    for cell in cells {
        let Some(failure) = &cell.conditions.failure else {
            continue;
        };
        let path = Path::default().key("failure").key(&failure.name);
        if !seen.insert((failure.name.as_str(), cell.stack.name.as_str())) {
            continue;
        }
        if let Err(impossible) = failure.check(&cell.stack) {
            let report = ProblemText::new(impossible.to_string(), "cannot happen there");
            let at = path.key("fail_device").key("device");
            source.problem(&at, report.hint(impossible.hint()));
        }
        let last = failure.repair.map_or(failure.at_ns, |repair| repair.at_ns);
        if last >= repeat.sample_ns {
            let report = ProblemText::new(
                format!("a sample ends after {}", repeat.sample_ns),
                format!("this failure or repair is at {last}"),
            );
            let hint = "make it earlier, or set a longer `sample` in `[repeat]`";
            source.problem(&path, report.at_key().hint(hint));
        }
    }
}
