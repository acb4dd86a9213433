//! Words of fio and mdadm for what a key says, and what their values are here: `rwmixread = 70` is
//! `mix = "70/30"`.
//!
//! The names are those of fio 3.42's HOWTO and of mdadm(8) 4.4; keys that have the values of an
//! option of fio say so in their rows (`load::LOAD_KEYS`). A study file is told the key that is meant;
//! a word on the command line is understood.

use stripewise_study::keys::{FioOption, Key, Kind};
use stripewise_study::load::{LOAD_KEYS, Load};
use stripewise_units::{Bytes, Nanos, fio};

/// Returns a value as this format has it, without the quotes of a string; `None` if it has none.
type Reader = fn(&str) -> Option<String>;

/// An option that means a key, and how its values read here.
struct Word(&'static str, &'static str, Reader);

/// Options that are in no row: aliases, values that read differently, and keys that are not scalar.
const WORDS: [Word; 25] = [
    Word("bs", "block_size", same),
    Word("blocksize", "block_size", same),
    Word("bssplit", "block_size", same),
    Word("rw", "pattern", pattern),
    Word("readwrite", "pattern", pattern),
    Word("rwmixread", "mix", |text| mix(text, false)),
    Word("rwmixwrite", "mix", |text| mix(text, true)),
    Word("numjobs", "jobs", same),
    Word("direct", "direct", |text| flag(text, true)),
    Word("buffered", "direct", |text| flag(text, false)),
    Word("sync", "sync", |text| flag(text, true)),
    Word("norandommap", "norandommap", |text| flag(text, true)),
    Word("filesize", "size", same),
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
    Word("bitmap_chunk", "bitmap", |_| None),
    Word("neighbors", "neighbours", |_| None),
    Word("neighbor", "neighbour", |_| None),
];

const MICROSECOND: Nanos = Nanos::new(1_000);
const SECOND: Nanos = Nanos::new(1_000_000_000);

/// Options whose place is not the table that they stand in.
const PLACES: [(&str, &str); 12] = [
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
];

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
        Meaning::Key { key, value } if is_known(key) => {
            let row = LOAD_KEYS.iter().find(|row| row.name == key);
            let line = row.zip(value).and_then(|(row, value)| line(row, &value));
            Some(format!("here it is `{}`", line.as_deref().unwrap_or(key)))
        }
        Meaning::Key { .. } => in_place(),
        Meaning::Elsewhere(place) => Some(place.to_owned()),
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
    match text {
        "readwrite" => Some("rw".to_owned()),
        other => same(other),
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
