//! Words of fio, mdadm and LVM for what a key says, and what their values are here: `rwmixread = 70` is
//! `mix = "70/30"`. Other spellings of a value's words are in `spelling`.
//!
//! The names are those of fio 3.42's HOWTO and of mdadm(8) 4.4; keys that have the values of an
//! option of fio say so in their rows (`load::LOAD_KEYS`). A study file is told the key that is meant;
//! a word on the command line is understood.

use stripewise_study::keys::{FioOption, Key, Kind};
use stripewise_study::load::{LOAD_KEYS, Load};
use stripewise_units::{Bytes, Nanos, fio};

use crate::spelling::{self, Spelling};

/// Returns a value as this format has it, without the quotes of a string; `None` if it has none.
type Reader = fn(&str) -> Option<String>;

/// An option that means a key, and how its values read here.
struct Word(&'static str, &'static str, Reader);

/// Options that are in no row: aliases, values that read differently, and keys that are not scalar.
const WORDS: &[Word] = &[
    Word("bs", "block_size", same),
    Word("blocksize", "block_size", same),
    Word("bsize", "block_size", same),
    Word("block_size", "block_size", same),
    Word("bssplit", "block_size", same),
    Word("pattern", "pattern", pattern),
    Word("rw", "pattern", pattern),
    Word("readwrite", "pattern", pattern),
    Word("mix", "mix", shares),
    Word("rwmix", "mix", shares),
    Word("mixread", "mix", |text| mix(text, false)),
    Word("rwmixread", "mix", |text| mix(text, false)),
    Word("rwmixwrite", "mix", |text| mix(text, true)),
    Word("numjobs", "jobs", same),
    Word("threads", "jobs", same),
    Word("processes", "jobs", same),
    Word("qd", "depth", same),
    Word("io_depth", "depth", same),
    Word("queue_depth", "depth", same),
    Word("direct", "direct", |text| flag(text, true)),
    Word("buffered", "direct", |text| flag(text, false)),
    Word("sync", "sync", |text| flag(text, true)),
    Word("norandommap", "norandommap", |text| flag(text, true)),
    Word("filesize", "size", same),
    Word("file_size", "size", same),
    Word("ioengine", "engine", same),
    Word("random_distribution", "distribution", distribution),
    Word("thinktime", "think_time", |text| time(text, MICROSECOND)),
    Word("thinktime_iotime", "think_iotime", |text| {
        time(text, SECOND)
    }),
    Word("zero_buffers", "data", |text| {
        set(text).then(|| "zeroes".to_owned())
    }),
    Word("refill_buffers", "data", |text| {
        set(text).then(|| "incompressible".to_owned())
    }),
    Word("buffer_compress_percentage", "data", ratio),
    Word("read_iolog", "trace", same),
    Word("raid_devices", "devices", |_| None),
    Word("disks", "devices", |_| None),
    Word("device", "devices", |_| None),
    Word("fs", "filesystem", |_| None),
    Word("fstype", "filesystem", |_| None),
    Word("chunk_size", "chunk", |_| None),
    Word("chunksize", "chunk", |_| None),
    Word("stripe_size", "chunk", |_| None),
    Word("stripesize", "chunk", |_| None),
    Word("raid_level", "level", |_| None),
    Word("bitmap_chunk", "bitmap", |_| None),
    Word("neighbors", "neighbours", |_| None),
    Word("neighbor", "neighbour", |_| None),
];

const MICROSECOND: Nanos = Nanos::new(1_000);
const SECOND: Nanos = Nanos::new(1_000_000_000);

/// Options whose place is not the table that they stand in, or that have no counterpart.
const PLACES: &[(&str, &str)] = &[
    (
        "runtime",
        "`sample` in `[repeat]`, or `--sample`, says how long a sample takes",
    ),
    (
        "time_based",
        "a sample always takes as long as `sample` in `[repeat]`, or `--sample`, says",
    ),
    ("loops", "`[repeat]` says how many samples there are"),
    (
        "ramp_time",
        "the first sample of each cell warms it up; `steady_state` in `[repeat]` waits longer",
    ),
    (
        "filename",
        "`--target DIR` names a filesystem; `[stack.NAME]` and `[may_destroy]` name devices",
    ),
    ("directory", "`--target DIR` names the directory"),
    ("randseed", "each sample has a seed of its own"),
    ("randrepeat", "each sample has a seed of its own"),
    ("group_reporting", "the jobs of a cell are counted together"),
    (
        "invalidate",
        "`drop_caches` in `[conditions]` empties the page cache before each sample",
    ),
    (
        "cpus_allowed",
        "`cpus` in `[conditions]` says on which CPUs the load runs",
    ),
    (
        "raid_devices",
        "the members of an array are the `devices` of its stack",
    ),
    ("raid", IN_ARRAY),
    ("level", IN_ARRAY),
    ("raid_level", IN_ARRAY),
    ("layout", IN_ARRAY),
    ("chunk", IN_ARRAY),
    ("chunk_size", IN_ARRAY),
    ("chunksize", IN_ARRAY),
    ("stripe_size", IN_ARRAY),
    ("stripesize", IN_ARRAY),
    ("consistency_policy", KEY_OF_ARRAY),
    ("assume_clean", KEY_OF_ARRAY),
    ("metadata", KEY_OF_ARRAY),
    ("write_mostly", KEY_OF_ARRAY),
    ("write_behind", KEY_OF_ARRAY),
    ("stripe_cache_size", KEY_OF_ARRAY),
    ("group_thread_cnt", KEY_OF_ARRAY),
    ("rmw_level", KEY_OF_ARRAY),
    ("safe_mode_delay", KEY_OF_ARRAY),
    ("create", BUILT),
    ("assemble", BUILT),
    ("grow", BUILT),
    ("manage", BUILT),
    ("run", BUILT),
    ("force", BUILT),
    ("homehost", BUILT),
    ("nosync", "`assume_clean` of an array skips its first sync"),
    ("stripes", IN_VOLUME),
    ("lvm", IN_VOLUME),
    ("lv", IN_VOLUME),
    ("vg", IN_VOLUME),
    (
        "regionsize",
        "a bitmap's chunk is that of `--bitmap 64M`, or of `bitmap = { chunk = \"64M\" }` in the array",
    ),
    ("raidintegrity", NOT_BUILT),
    ("cachemode", NOT_BUILT),
    ("cachepool", NOT_BUILT),
    ("thinpool", NOT_BUILT),
    ("failfast", NOT_BUILT),
    ("data_offset", NOT_BUILT),
    ("write_journal", NOT_BUILT),
    ("stonewall", TOGETHER),
    ("wait_for_previous", TOGETHER),
    ("new_group", TOGETHER),
    ("startdelay", TOGETHER),
    ("flow", TOGETHER),
    ("thread", "each job is a thread"),
    ("name", NAMED),
    ("description", NAMED),
    ("output", RESULTS),
    ("output_format", RESULTS),
    ("minimal", RESULTS),
    ("append_terse", RESULTS),
    ("write_bw_log", RESULTS),
    ("write_lat_log", RESULTS),
    ("write_iops_log", RESULTS),
    ("log_avg_msec", RESULTS),
    ("percentile_list", RESULTS),
    ("lat_percentiles", RESULTS),
    ("clat_percentiles", RESULTS),
    ("gtod_reduce", RESULTS),
    ("eta", "progress is on standard error; `--quiet` hides it"),
    (
        "status_interval",
        "progress is on standard error; `--quiet` hides it",
    ),
    ("iodepth_batch", BATCHES),
    ("iodepth_batch_submit", BATCHES),
    ("iodepth_batch_complete", BATCHES),
    ("iodepth_batch_complete_min", BATCHES),
    ("iodepth_batch_complete_max", BATCHES),
    ("iodepth_low", BATCHES),
    ("hipri", POLLED),
    ("nowait", NO_WAITING),
    ("sqthread_poll", ENGINES),
    ("fixedbufs", ENGINES),
    ("registerfiles", ENGINES),
    ("latency_target", LATENCIES),
    ("latency_window", LATENCIES),
    ("latency_percentile", LATENCIES),
    ("max_latency", LATENCIES),
    ("offset", OWN_FILES),
    ("offset_increment", OWN_FILES),
    ("nrfiles", OWN_FILES),
    ("openfiles", OWN_FILES),
    ("file_service_type", OWN_FILES),
    ("filename_format", OWN_FILES),
    ("fallocate", OWN_FILES),
    ("create_on_open", OWN_FILES),
    ("overwrite", OWN_FILES),
    ("unlink", OWN_FILES),
    ("io_size", LONG),
    ("number_ios", LONG),
    ("end_fsync", SYNCS),
    ("fsync_on_close", SYNCS),
    (
        "percentage_random",
        "a load is random or sequential: run one of each, the second as a neighbour of the first",
    ),
    (
        "numa_cpu_nodes",
        "`cpus` in `[conditions]` says on which CPUs the load runs",
    ),
    (
        "cpumask",
        "`cpus` in `[conditions]` says on which CPUs the load runs",
    ),
];

const KEY_OF_ARRAY: &str = "it is a key of an array in a study: `array = { level = \"raid5\", KEY = ... }`, after docs/study.md";
const BUILT: &str = "no array is built by hand: a run builds those of its study, and `stripewise advise` prints the commands for yours";
const IN_VOLUME: &str = "LVM over the array is `volume` of a stack: `volume = \"linear\"`, or `volume = { stripes = 4, stripe_size = \"64K\" }`";
const NOT_BUILT: &str =
    "no study builds such a layer: measure it as `filesystem = \"existing\"` under `--target DIR`";
const TOGETHER: &str =
    "loads run one after the other, each alone; those that `neighbours` names run beside it";
const NAMED: &str =
    "a load is named by its table, `[workload.NAME]`, and a run by `stripewise rename`";
const RESULTS: &str = "each sample keeps counts, latencies and a series: `--json`, `--format csv` and `stripewise export` write them";
const BATCHES: &str =
    "an I/O is submitted as soon as `depth` has room for it; there are no batches";
const ENGINES: &str = "an engine runs with fio's defaults: `engine = \"io_uring\"`";
const POLLED: &str = "an engine runs with fio's defaults, and does not poll; an array of md answers polled I/O with `EOPNOTSUPP`";
const NO_WAITING: &str = "an I/O waits for a free request; since Linux 7.2 RAID 1, 4, 5, 6 and 10 of md answer I/O that must not wait with `EOPNOTSUPP`";
const LATENCIES: &str =
    "several depths show at which one a latency is kept: `depth = [1, 4, 16, 64]`";
const SYNCS: &str = "`fsync = N` and `fdatasync = N` in the load sync after every N writes";
const LONG: &str =
    "a sample takes as long as `sample` in `[repeat]`, or `--sample`, says, however much it moves";
const OWN_FILES: &str =
    "each job has one file of its own, `size` large, written before the first sample";

const IN_ARRAY: &str =
    "it is a part of the array: `array = { level = \"raid10\", layout = \"f2\", chunk = \"64K\" }`";

/// What an option of fio or mdadm means here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// A key.
    Key {
        /// Its name.
        key: &'static str,
        /// The value without the quotes of a string, if the option's reads here.
        value: Option<String>,
    },
    /// Something that another place says: a sentence.
    Elsewhere(&'static str),
}

/// Returns what an option of fio or mdadm with a value means in a study; `None` if nothing is known
/// of it.
pub fn meaning(option: &str, value: &str) -> Option<Meaning> {
    let option = option.replace('-', "_");
    if let Some(Word(_, key, read)) = WORDS.iter().find(|word| word.0 == option) {
        let value = read(value.trim());
        return Some(Meaning::Key { key, value });
    }
    let has_it = |fio: &FioOption| fio.name == option;
    let mut rows = LOAD_KEYS.iter();
    if let Some((row, fio)) = rows.find_map(|row| Some((row, row.fio.filter(has_it)?))) {
        let value = of_row(row, fio, value.trim());
        return Some(Meaning::Key {
            key: row.name,
            value,
        });
    }
    let mut rows = LOAD_KEYS.iter();
    if let Some(row) = rows.find(|row| row.name == option) {
        let value = same(value.trim());
        return Some(Meaning::Key {
            key: row.name,
            value,
        });
    }
    let place = PLACES.iter().find(|(name, _)| *name == option);
    place.map(|(_, place)| Meaning::Elsewhere(place))
}

/// Returns what to write instead of an option of fio or mdadm, in a table with the keys `known`.
pub(crate) fn meant(option: &str, value: &str, known: &[String]) -> Option<String> {
    let is_known = |key: &str| known.iter().any(|known| known == key);
    let in_place = || {
        let option = option.replace('-', "_");
        let place = PLACES.iter().find(|(name, _)| *name == option);
        place.map(|(_, place)| (*place).to_owned())
    };
    match meaning(option, value)? {
        Meaning::Key { key, .. } if key == option => None,
        Meaning::Key { key, value } if is_known(key) => {
            let row = LOAD_KEYS.iter().find(|row| row.name == key);
            let line = row.zip(value).and_then(|(row, value)| line(row, &value));
            Some(format!("here it is `{}`", line.as_deref().unwrap_or(key)))
        }
        Meaning::Key { .. } => in_place(),
        Meaning::Elsewhere(place) => Some(place.to_owned()),
    }
}

/// Returns what to write instead of a value of a key that does not take it, in the words of other
/// programs: `level = "raid5"` for `raid-5`.
pub(crate) fn meant_value(key: &str, value: &str) -> Option<String> {
    let is = |value: &str| format!("here it is `{key} = \"{value}\"`");
    let spelling = match key {
        "level" => spelling::level(value),
        "layout" => spelling::layout(value),
        "pattern" => spelling::pattern(value),
        "mix" => shares(value).map(Spelling::Is),
        _ => None,
    };
    match spelling? {
        Spelling::Is(word) if word == value => None,
        Spelling::Is(word) => Some(is(&word)),
        Spelling::Elsewhere(why) => Some(why.to_owned()),
    }
}

/// Returns a key with its value as a line of a study, if it takes the value.
fn line(row: &'static Key<Load>, value: &str) -> Option<String> {
    let mut load = Load::new(
        stripewise_study::workload::Pattern::RandRw,
        Bytes::new(4096),
        Bytes::MIB,
    );
    let taken = (row.put)(&mut load, value);
    let value = (row.get)(&load).filter(|_| taken)?;
    Some(row.line(&value))
}

/// Returns the value of an option that has those of a key.
fn of_row(row: &Key<Load>, fio: FioOption, text: &str) -> Option<String> {
    match row.kind {
        Kind::Time => time(text, fio.unit),
        Kind::Flag => flag(text, true),
        Kind::Count | Kind::Bytes | Kind::Rate | Kind::Words => same(text),
    }
}

fn same(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn pattern(text: &str) -> Option<String> {
    match spelling::pattern(text) {
        Some(Spelling::Is(word)) => Some(word),
        _ => same(text),
    }
}

/// Reads the shares of reads and writes: `70:30`, `70`, or as fio's rwmixread, `70%`.
fn shares(text: &str) -> Option<String> {
    let text = text.trim_end_matches('%');
    match text.split_once(['/', ':', '-', ',']) {
        None => mix(text, false),
        Some((reads, writes)) => {
            let wanted = mix(reads.trim_end_matches('%').trim(), false)?;
            let given = format!("{}/{}", reads.trim_end_matches('%').trim(), writes.trim());
            (wanted == given).then_some(wanted)
        }
    }
}

/// Reads a share of reads, or of writes: `70` is `70/30`.
fn mix(text: &str, is_of_writes: bool) -> Option<String> {
    let share: u8 = text.parse().ok()?;
    let rest = 100_u8.checked_sub(share)?;
    Some(match is_of_writes {
        true => format!("{rest}/{share}"),
        false => format!("{share}/{rest}"),
    })
}

/// Reads a flag; other words stay as they are.
fn flag(text: &str, when_set: bool) -> Option<String> {
    match fio::parse_flag(text) {
        Some(is_set) => Some((is_set == when_set).to_string()),
        None => same(text).filter(|_| when_set),
    }
}

/// Returns whether a flag is set.
fn set(text: &str) -> bool {
    fio::parse_flag(text) == Some(true)
}

fn distribution(text: &str) -> Option<String> {
    match text {
        "random" => Some("uniform".to_owned()),
        other => same(other),
    }
}

/// Reads a time as fio or a study writes it, in `unit` if it names none.
fn time(text: &str, unit: Nanos) -> Option<String> {
    let time = fio::parse_time(text, unit).or_else(|| Nanos::parse(text).ok());
    time.map(|time| time.to_string())
}

/// Reads the share of zeroes in percent as the ratio at which data compresses.
fn ratio(text: &str) -> Option<String> {
    match text.parse::<u8>().ok()? {
        0 => Some("incompressible".to_owned()),
        100 => Some("zeroes".to_owned()),
        zeroes @ 1..100 => {
            let ratio = 100.0 / f64::from(100 - zeroes);
            Some(format!("{ratio:.2}:1"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_fio_read_as_keys_do() {
        for (option, value, expected) in [
            ("rw", "readwrite", Some("pattern = rw")),
            ("bs", "4k", Some("block_size = 4k")),
            ("rwmixread", "70", Some("mix = 70/30")),
            ("rwmixwrite", "70", Some("mix = 30/70")),
            ("rwmixread", "101", None),
            ("iodepth", "32", Some("depth = 32")),
            ("numjobs", "4", Some("jobs = 4")),
            ("buffered", "1", Some("direct = false")),
            ("direct", "0", Some("direct = false")),
            ("thinktime", "250", Some("think_time = 250us")),
            ("thinktime_iotime", "2", Some("think_iotime = 2s")),
            ("buffer-compress-percentage", "50", Some("data = 2.00:1")),
            ("zero_buffers", "0", None),
            (
                "random_distribution",
                "random",
                Some("distribution = uniform"),
            ),
            ("rate_process", "poisson", Some("rate_process = poisson")),
        ] {
            let meaning = meaning(option, value);
            let read = match meaning {
                Some(Meaning::Key { key, value }) => value.map(|value| format!("{key} = {value}")),
                other => panic!("{option}: {other:?}"),
            };
            assert_eq!(read.as_deref(), expected, "{option}={value}");
        }
        assert!(matches!(
            meaning("runtime", "30"),
            Some(Meaning::Elsewhere(_))
        ));
        assert_eq!(meaning("zonemode", "zbd"), None);
    }

    /// The table knows fio's option of each key: what the key's row writes is read as that key.
    #[test]
    fn each_option_that_a_row_names_means_its_key() {
        for row in LOAD_KEYS {
            let Some(fio) = row.fio else { continue };
            match meaning(fio.name, "1") {
                Some(Meaning::Key { key, .. }) => assert_eq!(key, row.name, "{}", fio.name),
                other => panic!("{}: {other:?}", fio.name),
            }
        }
    }
}
