//! Converts `[workload]` and `[neighbour.NAME]` tables into workloads: applies defaults, expands
//! lists, and reports impossible combinations.

use std::collections::BTreeMap;

use toml_edit::{Item, Table};

use super::bounds::{BLOCK_BYTES_MAX, BUFFERS_BYTES_MAX, CELLS_MAX, KINDS_MAX, SIZE_BYTES_MAX};
use super::key_paths::{KeyPaths, Named, with_defaults};
use super::locate::Path;
use super::notation::OneOrMany;
use super::raw::{DatabaseTable, WorkloadTable};
use super::rules::File;
use super::source::{Entry, Report, Source};
use super::traces;
use crate::kernel::Feature;
use crate::near::nearest;
use crate::preset::Preset;
use crate::trace::TraceSource;
use crate::units::{Bytes, Nanos};
use crate::workload::{
    BlockSize, Data, Database, Distribution, Engine, Load, Neighbour, Pattern, SyncMode, Workload,
};

/// More jobs than this are a mistake: each is a thread with a file of its own.
const JOBS_MAX: u32 = 1024;
/// The kernel's largest ring (`IORING_MAX_ENTRIES` in io_uring/io_uring.c).
const DEPTH_MAX: u32 = 32_768;
/// fio takes pauses in whole microseconds.
const THINK_TIME_NS: u64 = 1_000;
/// A smaller block has no room for fio's checksum and its header.
const VERIFY_BYTES_MIN: Bytes = Bytes::new(512);

/// O_DIRECT needs multiples of the logical block: 512 bytes on most disks, never less.
const DIRECT_BYTES: u64 = 512;

/// Returns the expanded workloads in the order of the file.
pub(crate) fn workloads(
    source: &mut Source,
    file: &File,
    traces: &mut dyn TraceSource,
) -> Vec<Workload> {
    let neighbours = neighbours(source, file);
    let mut workloads = Vec::new();
    let (named, shared) = named_tables(source);
    for named in named {
        let mut paths = KeyPaths {
            shared: named.shared.clone(),
            ..KeyPaths::of(named.path.clone())
        };
        let item = with_defaults(named.item, &shared);
        let Some(table) = paths.read(source, item) else {
            continue;
        };
        let (table, trace) = match table.trace {
            None => (table, None),
            Some(_) => match traces::filled_in(source, &paths, table, traces) {
                Some((table, trace)) => (table, Some(trace)),
                None => continue,
            },
        };
        let names = table.neighbours.clone().unwrap_or_default();
        if names.len() > KINDS_MAX {
            let report = Report::new(
                format!("a workload has at most {KINDS_MAX} neighbours"),
                format!("this has {}", names.len()),
            );
            paths.problem(source, "neighbours", None, report.hint("name fewer"));
            continue;
        }
        let beside = beside(source, &paths, &names, &neighbours, file);
        let left = CELLS_MAX.saturating_sub(workloads.len());
        let loads = expand(source, &paths, &table, file, left);
        if loads.len() > left {
            let report = Report::new(
                format!("the workloads expand to more than {CELLS_MAX} cells"),
                "with this one",
            );
            let hint = "shorten the lists, or split the study into several";
            source.problem(&paths.own, report.at_key().hint(hint));
            break;
        }
        for load in loads {
            workloads.push(Workload {
                name: named.name.clone(),
                load,
                neighbours: beside.clone(),
                options: BTreeMap::new(),
                database: table.database.clone().map(database),
                trace: trace.clone(),
            });
        }
    }
    workloads
}

fn database(table: DatabaseTable) -> Database {
    let settings = table.settings.into_iter();
    Database {
        program: table.program,
        settings: settings.map(|(name, value)| (name, value.0.0)).collect(),
    }
}

/// A workload table, without the shared keys.
struct NamedTable {
    name: Option<String>,
    path: Path,
    shared: Option<Path>,
    item: Item,
}

/// The keys of `[workload]` that are defaults of its named tables.
type Shared = Vec<(String, Item)>;

/// Splits `[workload]` into its named tables and the keys that they share.
fn named_tables(source: &mut Source) -> (Vec<NamedTable>, Shared) {
    let all = Path::default().key("workload");
    let Some(table) = source.table("workload") else {
        let report = Report::new("the study has no workload", "nothing to do");
        source.problem(
            &all,
            report.hint("add `[workload]` with a `pattern` and a `size`"),
        );
        return (Vec::new(), Vec::new());
    };
    let shared: Shared = table
        .iter()
        .filter(|(key, item)| !is_workload(key, item))
        .map(|(key, item)| (key.to_owned(), item.clone()))
        .collect();
    let mut named = source.entries("workload");
    named.retain(|entry| is_workload(&entry.name, &entry.item));
    if named.is_empty() {
        let only = NamedTable {
            name: None,
            item: source.root()["workload"].clone(),
            path: all,
            shared: None,
        };
        return (vec![only], Vec::new());
    }
    let named = named
        .into_iter()
        .map(|entry| NamedTable {
            item: entry.item,
            name: Some(entry.name),
            path: entry.path,
            shared: Some(all.clone()),
        })
        .collect();
    (named, shared)
}

/// Returns whether an entry of `[workload]` is a workload, and no key of one: `[workload.database]` is a
/// workload of that name, and `database = { ... }` is a key; so is `trace`.
fn is_workload(key: &str, item: &Item) -> bool {
    match key {
        "database" | "trace" => item.is_table(),
        _ => item.is_table_like(),
    }
}

fn neighbours(source: &mut Source, file: &File) -> BTreeMap<String, Load> {
    let mut neighbours = BTreeMap::new();
    for Entry { name, path, item } in source.entries("neighbour") {
        let has_own = item.get("neighbours").is_some();
        let mut paths = KeyPaths::of(path.clone());
        let Some(table) = paths.read(source, item) else {
            continue;
        };
        if has_own {
            let report = Report::new("a neighbour cannot have neighbours", "here").at_key();
            source.problem(
                &path.key("neighbours"),
                report.hint("list all of them in the workload"),
            );
        }
        if table.trace.is_some() {
            let report = Report::new("a neighbour cannot replay a trace", "it would end").at_key();
            source.problem(&path.key("trace"), report.hint("leave it out"));
            continue;
        }
        if table.database.is_some() {
            let report = Report::new("a neighbour cannot be a database", "here").at_key();
            source.problem(&path.key("database"), report.hint("leave it out"));
        }
        if table.risk == Some(true) {
            let why = "only the measured load is followed";
            let report = Report::new("a neighbour has no data at risk", why).at_key();
            source.problem(&path.key("risk"), report.hint("set it in the workload"));
        }
        if let Some(load) = one_load(source, &paths, &table, file) {
            neighbours.insert(name, load);
        }
    }
    neighbours
}

/// Returns the load of a neighbour, and reports lists.
fn one_load(
    source: &mut Source,
    paths: &KeyPaths,
    table: &WorkloadTable,
    file: &File,
) -> Option<Load> {
    let mut loads = expand(source, paths, table, file, 1);
    if loads.len() > 1 {
        let report = Report::new("a neighbour is one load", "a list expands to several").at_key();
        source.problem(&paths.own, report.hint("give each key one value"));
    }
    loads.pop()
}

/// Returns the shipped workload `name`, which the study names at `at`, as a neighbour.
fn shipped_neighbour(source: &mut Source, name: &str, at: &Path, file: &File) -> Option<Load> {
    let preset = Preset::named(name)?;
    let paths = KeyPaths {
        preset: Some(Named {
            preset,
            at: at.clone(),
        }),
        ..KeyPaths::of(at.clone())
    };
    let item = with_defaults(Item::Table(Table::new()), &preset.keys());
    let table = source.read::<WorkloadTable>(at, &item)?;
    one_load(source, &paths, &table, file)
}

fn beside(
    source: &mut Source,
    paths: &KeyPaths,
    names: &[String],
    neighbours: &BTreeMap<String, Load>,
    file: &File,
) -> Vec<Neighbour> {
    let mut found = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let at = paths.value(source, "neighbours", Some(index));
        let load = match neighbours.get(name) {
            Some(load) => Some(load.clone()),
            None if Preset::named(name).is_some() => shipped_neighbour(source, name, &at, file),
            None => {
                let report = Report::new(format!("no neighbour `{name}`"), "not defined");
                let known = neighbours.keys().map(String::as_str);
                let hint = match nearest(name, known.clone().chain(Preset::names())) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if neighbours.is_empty() => format!("add a table `[neighbour.{name}]`"),
                    None => {
                        let known: Vec<&str> = known.collect();
                        format!("known neighbours: {}", known.join(", "))
                    }
                };
                source.problem(&at, report.hint(hint));
                None
            }
        };
        found.extend(load.map(|load| Neighbour {
            name: name.clone(),
            load,
        }));
    }
    found
}

/// Takes one combination from lists as an odometer does: the last list turns fastest.
struct Odometer {
    number: usize,
    /// The number of combinations of the lists not yet read.
    remaining: usize,
}

impl Odometer {
    fn pick<'a, T>(&mut self, list: &'a Option<OneOrMany<T>>) -> Option<Picked<'a, T>> {
        let list = list.as_ref()?;
        self.remaining /= list.values.len();
        let index = self.number / self.remaining % list.values.len();
        Some(Picked {
            value: &list.values[index],
            index: list.is_list.then_some(index),
        })
    }
}

/// One value, and its place in the list it comes from.
struct Picked<'a, T> {
    value: &'a T,
    index: Option<usize>,
}

/// Returns every possible combination of the listed values and reports the impossible ones. Returns
/// at most `most` + 1, so that the caller sees an excess.
fn expand(
    source: &mut Source,
    paths: &KeyPaths,
    table: &WorkloadTable,
    file: &File,
    most: usize,
) -> Vec<Load> {
    if !is_complete(source, paths, table) || !lists_are_sets(source, paths, table) {
        return Vec::new();
    }
    let Some(count) = combinations(table).filter(|count| *count <= CELLS_MAX) else {
        let report = Report::new("the lists expand to too many cells", "too many").at_key();
        source.problem(
            &paths.own,
            report.hint(format!("at most {CELLS_MAX} are allowed")),
        );
        return Vec::new();
    };
    (0..count.min(most.saturating_add(1)))
        .map(|number| {
            let picks = Picks::take(
                table,
                Odometer {
                    number,
                    remaining: count,
                },
            );
            picks.check(source, paths, table, file);
            picks.load()
        })
        .collect()
}

fn is_complete(source: &mut Source, paths: &KeyPaths, table: &WorkloadTable) -> bool {
    let missing = [
        ("pattern", table.pattern.is_none()),
        ("size", table.size.is_none()),
    ];
    let mut complete = true;
    for (key, _) in missing.into_iter().filter(|(_, missing)| *missing) {
        let report = Report::new(format!("`{key}` is missing"), "required here").at_key();
        let hint = match key {
            "pattern" => "for instance `pattern = \"randread\"`",
            _ => "the size of the file of each job, for instance `size = \"1G\"`",
        };
        source.problem(&paths.own, report.hint(hint));
        complete = false;
    }
    complete
}

/// Calls `$visit!(key, list)` for each key that may be a list, outermost first.
macro_rules! each_list {
    ($table:expr, $visit:ident) => {
        $visit!("pattern", &$table.pattern);
        $visit!("mix", &$table.mix);
        $visit!("block_size", &$table.block_size);
        $visit!("size", &$table.size);
        $visit!("direct", &$table.direct);
        $visit!("engine", &$table.engine);
        $visit!("jobs", &$table.jobs);
        $visit!("depth", &$table.depth);
        $visit!("data", &$table.data);
        $visit!("sync", &$table.sync);
        $visit!("fsync", &$table.fsync);
        $visit!("fdatasync", &$table.fdatasync);
        $visit!("rate", &$table.rate);
        $visit!("rate_iops", &$table.rate_iops);
        $visit!("distribution", &$table.distribution);
        $visit!("think_time", &$table.think_time);
        $visit!("think_blocks", &$table.think_blocks);
    };
}

fn combinations(table: &WorkloadTable) -> Option<usize> {
    let mut count: usize = 1;
    macro_rules! multiply {
        ($key:expr, $list:expr) => {
            count = count.checked_mul($list.as_ref().map_or(1, |list| list.values.len()))?;
        };
    }
    each_list!(table, multiply);
    Some(count)
}

/// Reports values listed twice: each would give the same cell twice.
fn lists_are_sets(source: &mut Source, paths: &KeyPaths, table: &WorkloadTable) -> bool {
    let mut twice = Vec::new();
    macro_rules! look {
        ($key:expr, $list:expr) => {
            if let Some(list) = $list {
                let repeated = |index: usize| list.values[..index].contains(&list.values[index]);
                twice.extend(
                    (1..list.values.len())
                        .filter(|i| repeated(*i))
                        .map(|i| ($key, i)),
                );
            }
        };
    }
    each_list!(table, look);
    let is_set = twice.is_empty();
    for (key, index) in twice {
        let report = Report::new(format!("`{key}` lists a value twice"), "again");
        let hint = "to measure the same thing twice, name two stacks";
        paths.problem(source, key, Some(index), report.hint(hint));
    }
    is_set
}

/// Returns the engine of a table that names none: the simplest one that supports all its depths, so
/// that cells of different depth differ in nothing else.
fn default_engine(table: &WorkloadTable) -> Engine {
    let depths = table.depth.iter().flat_map(|list| &list.values);
    if depths.into_iter().all(|depth| depth.get() == 1) {
        Engine::Psync
    } else {
        Engine::IoUring
    }
}

/// One combination of the values of a workload table.
struct Picks<'a> {
    load: Load,
    table: &'a WorkloadTable,
    depth_index: Option<usize>,
    block_index: Option<usize>,
    engine_index: Option<usize>,
}

impl<'a> Picks<'a> {
    fn take(table: &'a WorkloadTable, mut odometer: Odometer) -> Self {
        let pattern = odometer.pick(&table.pattern).map(|picked| *picked.value);
        let mix = odometer
            .pick(&table.mix)
            .map_or(50, |picked| picked.value.0.0);
        let block = odometer.pick(&table.block_size);
        let size = odometer.pick(&table.size).map(|picked| picked.value.0);
        let direct = odometer
            .pick(&table.direct)
            .is_none_or(|picked| *picked.value);
        let engine = odometer.pick(&table.engine);
        let jobs = odometer
            .pick(&table.jobs)
            .map_or(1, |picked| picked.value.get());
        let depth = odometer.pick(&table.depth);
        let depth_index = depth.as_ref().and_then(|picked| picked.index);
        let depth = depth.map_or(1, |picked| picked.value.get());
        let data = odometer
            .pick(&table.data)
            .map_or(Data::Incompressible, |picked| picked.value.0);
        let sync = odometer
            .pick(&table.sync)
            .map_or(SyncMode::None, |picked| picked.value.0);
        let fsync = odometer.pick(&table.fsync).map(|picked| *picked.value);
        let fdatasync = odometer.pick(&table.fdatasync).map(|picked| *picked.value);
        let pattern = pattern.unwrap_or(Pattern::Read);
        let load = Load {
            pattern,
            read_percent: pattern.is_mixed().then_some(mix),
            block_size: block
                .as_ref()
                .map_or(BlockSize::Fixed(Bytes::new(4096)), |picked| {
                    picked.value.0.clone()
                }),
            size_bytes: size.unwrap_or_default(),
            direct,
            engine: engine
                .as_ref()
                .map_or_else(|| default_engine(table), |picked| *picked.value),
            jobs,
            depth,
            data,
            sync: if pattern.writes() {
                sync
            } else {
                SyncMode::None
            },
            fsync_every: fsync.filter(|_| pattern.writes()),
            fdatasync_every: fdatasync.filter(|_| pattern.writes()),
            rate_bytes_per_s: odometer.pick(&table.rate).map(|picked| picked.value.0),
            rate_iops: odometer.pick(&table.rate_iops).map(|picked| *picked.value),
            distribution: odometer
                .pick(&table.distribution)
                .filter(|_| pattern.is_random())
                .map_or(Distribution::Uniform, |picked| picked.value.0),
            think_time_ns: odometer
                .pick(&table.think_time)
                .map_or(Nanos::default(), |picked| picked.value.0),
            think_blocks: odometer.pick(&table.think_blocks).map(|one| *one.value),
            verify: table.verify.unwrap_or(false) && pattern.writes(),
            risk: table.risk.unwrap_or(false) && pattern.writes(),
        };
        Self {
            load,
            table,
            depth_index,
            block_index: block.and_then(|picked| picked.index),
            engine_index: engine.and_then(|picked| picked.index),
        }
    }

    fn load(self) -> Load {
        self.load
    }

    fn check(&self, source: &mut Source, paths: &KeyPaths, table: &WorkloadTable, file: &File) {
        self.check_bounds(source, paths);
        self.check_buffers(source, paths);
        self.check_engine(source, paths, file);
        self.check_sizes(source, paths);
        self.check_idle_keys(source, paths, table);
        self.check_verify(source, paths);
    }

    /// fio writes a checksum into each block that it verifies.
    fn check_verify(&self, source: &mut Source, paths: &KeyPaths) {
        let load = &self.load;
        let BlockSize::Fixed(block) = load.block_size else {
            return self.refuse_verify(source, paths, "needs a single `block_size`");
        };
        if load.data.is_compressible() {
            self.refuse_verify(source, paths, "`verify` needs incompressible `data`");
        } else if block < VERIFY_BYTES_MIN
            || !load.size_bytes.as_u64().is_multiple_of(block.as_u64())
        {
            self.refuse_verify(
                source,
                paths,
                "`size` must be a multiple of a block of at least 512 bytes",
            );
        }
    }

    fn refuse_verify(&self, source: &mut Source, paths: &KeyPaths, why: &str) {
        if self.load.verify {
            let report = Report::new("this load cannot be verified", why).at_key();
            let hint = "change it, or leave `verify` out";
            paths.problem(source, "verify", None, report.hint(hint));
        }
    }

    fn check_bounds(&self, source: &mut Source, paths: &KeyPaths) {
        let load = &self.load;
        let largest = load.block_size.largest();
        let bounds = [
            (
                "jobs",
                load.jobs > JOBS_MAX,
                format!("a load has at most {JOBS_MAX} jobs"),
            ),
            (
                "depth",
                load.depth > DEPTH_MAX,
                format!("a queue holds at most {DEPTH_MAX} I/Os"),
            ),
            (
                "block_size",
                largest > BLOCK_BYTES_MAX,
                format!("an I/O is at most {BLOCK_BYTES_MAX}"),
            ),
            (
                "size",
                load.size_bytes > SIZE_BYTES_MAX,
                format!("a file is at most {SIZE_BYTES_MAX}"),
            ),
            (
                "think_time",
                !load.think_time_ns.as_u64().is_multiple_of(THINK_TIME_NS),
                "fio counts pauses in whole microseconds".to_owned(),
            ),
            (
                "think_blocks",
                load.think_blocks.is_some() && load.think_time_ns == Nanos::default(),
                "`think_blocks` needs `think_time`, the pause after each burst".to_owned(),
            ),
        ];
        for (key, _, rule) in bounds.into_iter().filter(|(_, broken, _)| *broken) {
            paths.problem(source, key, None, Report::new(rule, "not possible"));
        }
    }

    /// Refuses more I/Os in flight than memory has buffers for: fio allocates one for each.
    fn check_buffers(&self, source: &mut Source, paths: &KeyPaths) {
        let load = &self.load;
        let block = load.block_size.largest();
        if load.jobs > JOBS_MAX || load.depth > DEPTH_MAX || block > BLOCK_BYTES_MAX {
            return;
        }
        // None of them is above 2^30, nor their product above 2^55.
        let ios = load.in_flight();
        if ios * block.as_u64() > BUFFERS_BYTES_MAX.as_u64() {
            let report = Report::new(
                format!(
                    "{} jobs with {} I/Os of {block} each need more than {BUFFERS_BYTES_MAX} of buffers",
                    load.jobs, load.depth
                ),
                "too much memory",
            );
            let key = if self.table.depth.is_some() {
                "depth"
            } else {
                "jobs"
            };
            let hint = "lower `jobs`, `depth` or `block_size`";
            paths.problem(source, key, None, report.hint(hint));
        }
    }

    fn check_engine(&self, source: &mut Source, paths: &KeyPaths, file: &File) {
        let load = &self.load;
        if load.engine.is_synchronous() && load.depth > 1 {
            let report = Report::new(
                format!("engine `{}` keeps at most one I/O in flight", load.engine),
                format!("depth {} is impossible", load.depth),
            );
            let hint =
                "use `engine = \"io_uring\"` (or `libaio` with `direct = true`), or more `jobs`";
            paths.problem(source, "depth", self.depth_index, report.hint(hint));
        }
        if load.rate_bytes_per_s.is_some() && load.rate_iops.is_some() {
            let report = Report::new(
                "`rate` and `rate_iops` exclude each other",
                "both are given",
            );
            let hint = "fio takes one limit: leave one of them out";
            paths.problem(source, "rate_iops", None, report.at_key().hint(hint));
        }
        let too_old = file
            .oldest_kernel()
            .filter(|kernel| Feature::IoUring.is_missing_in(*kernel));
        if let (Engine::IoUring, Some(kernel), true) =
            (load.engine, too_old, self.table.engine.is_some())
        {
            let report = Report::new(format!("kernel {kernel} has no io_uring"), "too new for it");
            let since = Feature::IoUring.since();
            let hint = format!("it came with kernel {since}; use `libaio`");
            paths.problem(source, "engine", self.engine_index, report.hint(hint));
        }
    }

    fn check_sizes(&self, source: &mut Source, paths: &KeyPaths) {
        let load = &self.load;
        let largest = load.block_size.largest();
        if largest > load.size_bytes {
            let report = Report::new(
                format!(
                    "a block of {largest} does not fit into a file of {}",
                    load.size_bytes
                ),
                "larger than `size`",
            );
            let hint = "use a larger `size` or a smaller `block_size`";
            paths.problem(source, "block_size", self.block_index, report.hint(hint));
        }
        let is_odd = |size: &Bytes| !size.as_u64().is_multiple_of(DIRECT_BYTES);
        if load.direct && load.block_size.sizes().iter().any(is_odd) {
            let report = Report::new(
                "direct I/O needs multiples of 512 bytes",
                "not a multiple of 512",
            );
            let hint = "round the size, or set `direct = false`";
            paths.problem(source, "block_size", self.block_index, report.hint(hint));
        }
    }

    /// Reports keys that no cell of the table could use.
    fn check_idle_keys(&self, source: &mut Source, paths: &KeyPaths, table: &WorkloadTable) {
        let patterns = table.pattern.as_ref().map_or(&[][..], |list| &list.values);
        let any = |acts: fn(Pattern) -> bool| patterns.iter().any(|pattern| acts(*pattern));
        let written = (any(Pattern::writes), "no pattern writes");
        let mixed = (any(Pattern::is_mixed), "only `rw` and `randrw` are mixed");
        let random = (any(Pattern::is_random), "no pattern is random");
        let keys = [
            ("verify", table.verify == Some(true), written),
            ("risk", table.risk == Some(true), written),
            ("mix", table.mix.is_some(), mixed),
            ("sync", table.sync.is_some(), written),
            ("fsync", table.fsync.is_some(), written),
            ("fdatasync", table.fdatasync.is_some(), written),
            ("distribution", table.distribution.is_some(), random),
        ];
        let idle = keys
            .into_iter()
            .filter(|(_, is_set, (acts, _))| *is_set && !acts);
        for (key, _, (_, why)) in idle {
            let report = Report::new(format!("`{key}` has no effect"), why).at_key();
            let hint = format!("leave `{key}` out or change `pattern`");
            paths.problem(source, key, None, report.hint(hint));
        }
    }
}
