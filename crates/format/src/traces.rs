//! Converts the key `trace` of a workload: reads the trace, and fills in the keys that it decides.

use std::num::NonZeroU32;

use crate::key_paths::KeyPaths;
use crate::raw::{TraceTable, WordOr, WorkloadTable};
use crate::source::{ProblemText, Source};
use stripewise_study::keys::WithTrace;
use stripewise_study::notation::{Mix, Notated, OneOrMany};
use stripewise_study::trace::{Timing, Trace, TraceQuery, TraceSource};
use stripewise_study::workload::{BlockSize, Engine, Pattern};

/// The depth of a trace that names none: enough that few disks make it wait.
const DEPTH_DEFAULT: NonZeroU32 = NonZeroU32::new(32).unwrap();
/// The bounds of `speed`.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

/// Returns the trace of a table with the keys that it decides filled in; `None` if a problem was
/// recorded.
pub(crate) fn filled_in(
    source: &mut Source,
    paths: &KeyPaths,
    mut table: WorkloadTable,
    traces: &mut dyn TraceSource,
) -> Option<(WorkloadTable, Trace)> {
    let is_sound = refuse_keys(source, paths, &table) & check_engines(source, paths, &table);
    let query = query(source, paths, table.trace.take()?)?;
    if !is_sound {
        return None;
    }
    let trace = match traces.read(&query) {
        Ok(trace) => trace,
        Err(problem) => {
            let report = ProblemText::new(problem.message, problem.label).hint(problem.hint);
            paths.problem(source, "trace", None, report);
            return None;
        }
    };
    let pattern = match (trace.reads, trace.writes) {
        (_, 0) => Pattern::RandRead,
        (0, _) => Pattern::RandWrite,
        _ => Pattern::RandRw,
    };
    table.pattern = one(pattern);
    table.mix = match pattern.is_mixed() {
        true => one(Notated(Mix(trace.read_percent()))),
        false => None,
    };
    table.block_size = one(Notated(BlockSize::Fixed(trace.largest_bytes)));
    table.size = one(Notated(trace.size_bytes));
    let engines = table.engine.iter().flat_map(|list| &list.values);
    let is_synchronous = engines.clone().any(|engine| engine.is_synchronous());
    if table.depth.is_none() && !is_synchronous {
        table.depth = one(DEPTH_DEFAULT);
    }
    let depths = table.depth.iter().flat_map(|list| &list.values);
    if table.engine.is_none() && depths.into_iter().any(|depth| depth.get() > 1) {
        table.engine = one(Engine::Libaio);
    }
    Some((table, trace))
}

fn one<T>(value: T) -> Option<OneOrMany<T>> {
    Some(OneOrMany {
        values: vec![value],
        is_list: false,
    })
}

/// Refuses the keys that a trace decides, or that have no effect on a list of I/Os.
fn refuse_keys(source: &mut Source, paths: &KeyPaths, table: &WorkloadTable) -> bool {
    let beside = [
        ("from", table.from.is_some(), WithTrace::Listed),
        ("verify", table.verify.is_some(), WithTrace::Listed),
        ("risk", table.risk.is_some(), WithTrace::Listed),
        ("database", table.database.is_some(), WithTrace::Listed),
        ("neighbours", table.neighbours.is_some(), WithTrace::Alone),
    ];
    let given = table.given().into_iter();
    let given = given.map(|given| (given.key.name, given.is_there(), given.key.with_trace));
    let mut is_sound = true;
    for (key, _, with_trace) in given.chain(beside).filter(|(_, is_set, _)| *is_set) {
        let why = match with_trace {
            WithTrace::Applies => continue,
            WithTrace::Decided => "the trace decides it",
            WithTrace::Listed | WithTrace::Paced => "a trace is replayed as it is",
            WithTrace::Alone => "a trace is replayed by one job, alone",
        };
        // The other keys may come from the shipped workload.
        if table.from.is_some() && key != "from" {
            continue;
        }
        let report = ProblemText::new(format!("`{key}` does not go with `trace`"), why);
        let hint = match (key, with_trace) {
            ("size", _) => {
                "leave it out; `trace = { file = ..., wrap = ... }` bounds the addresses"
            }
            (_, WithTrace::Paced) => {
                "leave it out; `trace = { file = ..., speed = ... }` changes the pace"
            }
            _ => "leave it out",
        };
        paths.problem(source, key, None, report.at_key().hint(hint));
        is_sound = false;
    }
    is_sound
}

/// fio 3.33 skips I/Os of a list with io_uring, and `posixaio` is no engine of real programs' I/O.
fn check_engines(source: &mut Source, paths: &KeyPaths, table: &WorkloadTable) -> bool {
    let engines = table.engine.iter();
    let engines = engines.flat_map(|list| list.values.iter().map(|engine| (list.is_list, *engine)));
    let mut is_sound = true;
    for (index, (is_list, engine)) in engines.enumerate() {
        if matches!(engine, Engine::IoUring | Engine::Posixaio) {
            let report = ProblemText::new(
                format!("engine `{engine}` replays no trace"),
                "fio skips I/Os of it",
            );
            let hint = "use `libaio`, or `psync` for one I/O at a time";
            paths.problem(
                source,
                "engine",
                is_list.then_some(index),
                report.hint(hint),
            );
            is_sound = false;
        }
    }
    is_sound
}

fn query(source: &mut Source, paths: &KeyPaths, written: WordOr<TraceTable>) -> Option<TraceQuery> {
    let table = match written {
        WordOr::Word(file) => return Some(TraceQuery::of(file)),
        WordOr::Table(table) => table,
    };
    let at = paths.value(source, "trace", None);
    let speed = table.speed.unwrap_or(1.0);
    let timing = table.timing.unwrap_or_default();
    let problem = if !SPEEDS.contains(&speed) {
        let hint = format!("from {} to {}", SPEEDS.start(), SPEEDS.end());
        Some(("speed", format!("`speed = {speed}` is not possible"), hint))
    } else if timing == Timing::FlatOut && table.speed.is_some() {
        let hint = "leave out one of them".to_owned();
        let message = "`speed` has no effect with `timing = \"flat-out\"`".to_owned();
        Some(("speed", message, hint))
    } else if table
        .length
        .as_ref()
        .is_some_and(|length| length.0.as_u64() == 0)
    {
        let hint = "for instance `length = \"30s\"`".to_owned();
        Some(("length", "a replay has a length".to_owned(), hint))
    } else {
        None
    };
    if let Some((key, message, hint)) = problem {
        source.problem(&at.key(key), ProblemText::new(message, "here").hint(hint));
        return None;
    }
    Some(TraceQuery {
        timing,
        speed,
        from_ns: table.from.map(|from| from.0).unwrap_or_default(),
        length_ns: table.length.map(|length| length.0),
        device: table.device,
        wrap_bytes: table.wrap.map(|wrap| wrap.0),
        ..TraceQuery::of(table.file)
    })
}
