//! Words of fio and mdadm for what a key says: the error about `bs` names `block_size`.
//!
//! The names are those of fio 3.42's HOWTO and of mdadm(8) 4.4; keys that have the values of an
//! option of fio say so in their rows (`load::LOAD_KEYS`).

use stripewise_study::load::LOAD_KEYS;

/// Options that mean a key and are in no row: aliases, and keys that are not scalar.
const KEYS: [(&str, &str); 14] = [
    ("bs", "block_size"),
    ("blocksize", "block_size"),
    ("bssplit", "block_size"),
    ("readwrite", "pattern"),
    ("rwmixwrite", "mix"),
    ("numjobs", "jobs"),
    ("buffered", "direct"),
    ("filesize", "size"),
    ("random_distribution", "distribution"),
    ("buffer_compress_percentage", "data"),
    ("zero_buffers", "data"),
    ("read_iolog", "trace"),
    ("raid_devices", "devices"),
    ("bitmap_chunk", "bitmap"),
];

/// Options whose place is not the table that they stand in.
const PLACES: [(&str, &str); 12] = [
    (
        "runtime",
        "`sample` in `[repeat]` says how long a sample takes",
    ),
    (
        "time_based",
        "a sample always takes as long as `sample` in `[repeat]` says",
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

/// Returns what to write instead of an option of fio or mdadm, in a table with the keys `known`.
pub(crate) fn meant(option: &str, known: &[String]) -> Option<String> {
    let option = option.replace('-', "_");
    let of_row = || {
        let has_it = |of_fio: &str| of_fio == option;
        let row = LOAD_KEYS
            .iter()
            .find(|key| key.fio.is_some_and(|fio| has_it(fio.name)));
        Some(row?.name)
    };
    let named = KEYS
        .iter()
        .find(|(name, _)| *name == option)
        .map(|(_, key)| *key);
    if let Some(key) = named.or_else(of_row)
        && known.iter().any(|known| known == key)
    {
        return Some(format!("here it is `{key}`"));
    }
    let place = PLACES.iter().find(|(name, _)| *name == option);
    place.map(|(_, place)| (*place).to_owned())
}
