//! Converts `[workload]` and `[neighbour.NAME]` tables into workloads: applies defaults, expands
//! lists, and reports impossible combinations.

use std::collections::BTreeMap;

use toml_edit::{Item, Table};

use crate::bounds::{CELLS_MAX, KINDS_MAX};
use crate::feature::Feature;
use crate::given::{Given, combinations};
use crate::key_paths::{KeyPaths, Named, with_defaults};
use crate::locate::Path;
use crate::preset::Preset;
use crate::raw::{DatabaseTable, WorkloadTable};
use crate::rules::File;
use crate::source::{Entry, ProblemText, Source};
use crate::traces;
use stripewise_study::keys::Acts;
use stripewise_study::load::{BLOCK_BYTES_MAX, BUFFERS_BYTES_MAX};
use stripewise_study::load::{DEPTH_MAX, JOBS_MAX, LOAD_KEYS, Load};
use stripewise_study::trace::TraceSource;
use stripewise_study::workload::{BlockSize, Database, Engine, Neighbour, Pattern, Workload};
use stripewise_units::Bytes;
use stripewise_units::suggest::nearest;

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
            let report = ProblemText::new(
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
            let report = ProblemText::new(
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
                program: None,
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
        let report = ProblemText::new("the study has no workload", "nothing to do");
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
            let report = ProblemText::new("a neighbour cannot have neighbours", "here").at_key();
            source.problem(
                &path.key("neighbours"),
                report.hint("list all of them in the workload"),
            );
        }
        if table.trace.is_some() {
            let report =
                ProblemText::new("a neighbour cannot replay a trace", "it would end").at_key();
            source.problem(&path.key("trace"), report.hint("leave it out"));
            continue;
        }
        if table.database.is_some() {
            let report = ProblemText::new("a neighbour cannot be a database", "here").at_key();
            source.problem(&path.key("database"), report.hint("leave it out"));
        }
        if table.risk == Some(true) {
            let why = "only the measured load is followed";
            let report = ProblemText::new("a neighbour has no data at risk", why).at_key();
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
        let report =
            ProblemText::new("a neighbour is one load", "a list expands to several").at_key();
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
                let report = ProblemText::new(format!("no neighbour `{name}`"), "not defined");
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

/// Returns every possible combination of the listed values and reports the impossible ones. Returns
/// at most `most` + 1, so that the caller sees an excess.
fn expand(
    source: &mut Source,
    paths: &KeyPaths,
    table: &WorkloadTable,
    file: &File,
    most: usize,
) -> Vec<Load> {
    let given = table.given();
    if !is_complete(source, paths, table) || !lists_are_sets(source, paths, &given) {
        return Vec::new();
    }
    let count = combinations(&given);
    if count > CELLS_MAX {
        let report = ProblemText::new("the lists expand to too many cells", "too many").at_key();
        source.problem(
            &paths.own,
            report.hint(format!("at most {CELLS_MAX} are allowed")),
        );
        return Vec::new();
    }
    (0..count.min(most.saturating_add(1)))
        .map(|number| {
            let picks = Picks::take(table, &given, number, count);
            picks.check(source, paths, file);
            picks.load
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
        let report = ProblemText::new(format!("`{key}` is missing"), "required here").at_key();
        let hint = match key {
            "pattern" => "for instance `pattern = \"randread\"`",
            _ => "the size of the file of each job, for instance `size = \"1G\"`",
        };
        source.problem(&paths.own, report.hint(hint));
        complete = false;
    }
    complete
}

/// Reports values listed twice: each would give the same cell twice.
fn lists_are_sets(source: &mut Source, paths: &KeyPaths, given: &[Given<'_, Load>]) -> bool {
    let mut is_set = true;
    for given in given {
        for index in given.again.iter().copied() {
            let key = given.key.name;
            let report = ProblemText::new(format!("`{key}` lists a value twice"), "again");
            let hint = "to measure the same thing twice, name two stacks";
            paths.problem(source, key, Some(index), report.hint(hint));
            is_set = false;
        }
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
    given: &'a [Given<'a, Load>],
    /// The values that stand in lists: their keys, and their places there.
    places: BTreeMap<&'static str, usize>,
}

impl<'a> Picks<'a> {
    /// Takes combination `number` of `count`: the last list turns fastest, as in an odometer.
    fn take(
        table: &'a WorkloadTable,
        given: &'a [Given<'a, Load>],
        number: usize,
        count: usize,
    ) -> Self {
        let mut load = Load::new(Pattern::Read, Bytes::new(4096), Bytes::default());
        load.engine = default_engine(table);
        let mut places = BTreeMap::new();
        let mut remaining = count;
        for given in given.iter().filter(|given| given.is_there()) {
            remaining /= given.count;
            let index = number / remaining % given.count;
            // The pattern is the first key.
            if given.key.acts_on(load.pattern) {
                given.put(&mut load, index);
            }
            places.extend(given.place(index).map(|place| (given.key.name, place)));
        }
        if load.pattern.is_mixed() {
            load.read_percent = load.read_percent.or(Some(50));
        }
        load.verify = table.verify.unwrap_or(false) && load.pattern.writes();
        load.risk = table.risk.unwrap_or(false) && load.pattern.writes();
        Self {
            load,
            table,
            given,
            places,
        }
    }

    fn check(&self, source: &mut Source, paths: &KeyPaths, file: &File) {
        for key in LOAD_KEYS {
            if let Some(rule) = (key.impossible)(&self.load) {
                paths.problem(
                    source,
                    key.name,
                    None,
                    ProblemText::new(rule, "not possible"),
                );
            }
        }
        self.check_buffers(source, paths);
        self.check_engine(source, paths, file);
        self.check_sizes(source, paths);
        self.check_idle_keys(source, paths);
        self.check_verify(source, paths);
    }

    /// Returns the place of the value of a key, if it stands in a list.
    fn place(&self, key: &str) -> Option<usize> {
        self.places.get(key).copied()
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
            let report = ProblemText::new("this load cannot be verified", why).at_key();
            let hint = "change it, or leave `verify` out";
            paths.problem(source, "verify", None, report.hint(hint));
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
            let report = ProblemText::new(
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
            let report = ProblemText::new(
                format!("engine `{}` keeps at most one I/O in flight", load.engine),
                format!("depth {} is impossible", load.depth),
            );
            let hint =
                "use `engine = \"io_uring\"` (or `libaio` with `direct = true`), or more `jobs`";
            paths.problem(source, "depth", self.place("depth"), report.hint(hint));
        }
        if load.rate_bytes_per_s.is_some() && load.rate_iops.is_some() {
            let report = ProblemText::new(
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
            let report =
                ProblemText::new(format!("kernel {kernel} has no io_uring"), "too new for it");
            let since = Feature::IoUring.since();
            let hint = format!("it came with kernel {since}; use `libaio`");
            paths.problem(source, "engine", self.place("engine"), report.hint(hint));
        }
    }

    fn check_sizes(&self, source: &mut Source, paths: &KeyPaths) {
        let load = &self.load;
        let largest = load.block_size.largest();
        if largest > load.size_bytes {
            let report = ProblemText::new(
                format!(
                    "a block of {largest} does not fit into a file of {}",
                    load.size_bytes
                ),
                "larger than `size`",
            );
            let hint = "use a larger `size` or a smaller `block_size`";
            paths.problem(
                source,
                "block_size",
                self.place("block_size"),
                report.hint(hint),
            );
        }
        let is_odd = |size: &Bytes| !size.as_u64().is_multiple_of(DIRECT_BYTES);
        if load.direct && load.block_size.sizes().iter().any(is_odd) {
            let report = ProblemText::new(
                "direct I/O needs multiples of 512 bytes",
                "not a multiple of 512",
            );
            let hint = "round the size, or set `direct = false`";
            paths.problem(
                source,
                "block_size",
                self.place("block_size"),
                report.hint(hint),
            );
        }
    }

    /// Reports keys that no cell of the table could use.
    fn check_idle_keys(&self, source: &mut Source, paths: &KeyPaths) {
        let table = self.table;
        let flags = [("verify", table.verify), ("risk", table.risk)];
        let set = flags.into_iter().filter(|(_, value)| *value == Some(true));
        let set = set.map(|(key, _)| (key, Acts::ON_WRITES));
        let given = self.given.iter().filter(|given| given.is_there());
        let given = given.filter_map(|given| Some((given.key.name, given.key.acts?)));
        let patterns = table.pattern.as_ref().map_or(&[][..], |list| &list.values);
        let idle = |(_, acts): &(&str, Acts)| !patterns.iter().any(|pattern| (acts.on)(*pattern));
        for (key, acts) in set.chain(given).filter(idle) {
            let report = ProblemText::new(format!("`{key}` has no effect"), acts.else_why).at_key();
            let hint = format!("leave `{key}` out or change `pattern`");
            paths.problem(source, key, None, report.hint(hint));
        }
    }
}
