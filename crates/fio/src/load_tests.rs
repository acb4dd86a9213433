//! Tests of loads read from options: missing options get fio's defaults, inexact ones a note.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;

fn read(pairs: &[(&str, &str)]) -> (Load, Vec<ImportNote>) {
    let mut notes = Vec::new();
    let read = read_load(&options(pairs), &mut notes).unwrap();
    (read.load, notes)
}

fn options(pairs: &[(&str, &str)]) -> Options {
    let own: BTreeMap<String, String> = pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Options::new(own, Arc::default())
}

#[test]
fn without_options_fios_defaults_hold() {
    let (load, notes) = read(&[]);
    assert_eq!(load.pattern, Pattern::Read);
    assert_eq!(load.block_size, BlockSize::Fixed(Bytes::new(4096)));
    assert_eq!(load.engine, Engine::Psync);
    assert_eq!((load.jobs, load.depth, load.direct), (1, 1, false));
    assert_eq!(notes, [ImportNote::SizeUnknown]);
}

#[test]
fn every_supported_option_is_read() {
    let (load, notes) = read(&[
        ("rw", "randrw"),
        ("rwmixwrite", "30"),
        ("bs", "8k"),
        ("size", "1g"),
        ("direct", "1"),
        ("ioengine", "libaio"),
        ("iodepth", "16"),
        ("refill_buffers", ""),
        ("sync", "dsync"),
        ("fsync", "8"),
        ("fdatasync", "0"),
        ("rate", "1m"),
        ("random_distribution", "zipf:1.2"),
        ("thinktime", "250"),
        ("thinktime_blocks", "9"),
        ("thinktime_blocks_type", "issue"),
    ]);
    assert_eq!(notes, []);
    assert_eq!(load.read_percent, Some(70));
    assert_eq!(load.block_size, BlockSize::Fixed(Bytes::new(8192)));
    assert_eq!(load.size_bytes, Bytes::GIB);
    assert!(load.direct);
    assert_eq!((load.engine, load.depth), (Engine::Libaio, 16));
    assert_eq!(load.data, Data::Incompressible);
    assert_eq!(load.sync, SyncMode::Dsync);
    assert_eq!(load.fsync_every, NonZeroU32::new(8));
    assert_eq!(load.fdatasync_every, None);
    assert_eq!(load.rate_bytes_per_s, Some(Bytes::MIB));
    assert_eq!(load.distribution, Distribution::Zipf(1.2));
    assert_eq!(load.think_time_ns, Nanos::new(250_000));
    assert_eq!(load.think_blocks, NonZeroU32::new(9));
}

#[test]
fn aliases_are_equivalent() {
    let (load, _) = read(&[
        ("readwrite", "randwrite:8"),
        ("blocksize", "64k"),
        ("filesize", "1m"),
        ("buffered", "0"),
        ("zero_buffers", "1"),
        ("norandommap", ""),
    ]);
    assert_eq!(load.pattern, Pattern::RandWrite);
    assert!(load.norandommap);
    assert_eq!(load.block_size, BlockSize::Fixed(Bytes::new(65536)));
    assert_eq!(load.size_bytes, Bytes::MIB);
    assert!(load.direct);
    assert_eq!(load.data, Data::Zeroes);
}

#[test]
fn each_direction_uses_its_own_value() {
    let block = |rw, bs| {
        read(&[
            ("rw", rw),
            ("bs", bs),
            ("size", "1m"),
            ("refill_buffers", "1"),
        ])
    };
    let fixed = |bytes| BlockSize::Fixed(Bytes::new(bytes));
    assert_eq!(block("read", "4k,8k").0.block_size, fixed(4096));
    assert_eq!(block("write", "4k,8k").0.block_size, fixed(8192));
    assert_eq!(block("read", ",8k").0.block_size, fixed(4096));
    let (load, notes) = block("randrw", "16k,8k");
    assert_eq!(load.block_size, fixed(16384));
    assert_eq!(
        format!("{:?}", notes[0].message()),
        "warning-imported-approximated(option: bs, taken: 16k, value: 16k,8k)"
    );
}

#[test]
fn splits_sum_to_a_hundred() {
    let split = |text| match parse_split(text, KbBase::Binary) {
        Some(BlockSize::Split(parts)) => parts
            .iter()
            .map(|part| (part.block_size_bytes.as_u64(), part.share_percent))
            .collect(),
        _ => Vec::new(),
    };
    assert_eq!(split("4k/60:64k/40"), [(4096, 60), (65536, 40)]);
    assert_eq!(split("4k/50:8k:16k"), [(4096, 50), (8192, 25), (16384, 25)]);
    assert_eq!(split("4k:8k:16k"), [(4096, 33), (8192, 33), (16384, 34)]);
    for text in ["", "4k/101", "4k/60:8k/60", "4k/x", "x/50"] {
        assert_eq!(split(text), [], "{text}");
    }
}

#[test]
fn default_buffers_never_count_as_incompressible() {
    let (load, notes) = read(&[("rw", "randwrite"), ("size", "1m")]);
    assert_eq!(load.data, Data::Ratio(5.9));
    assert_eq!(notes, [ImportNote::DefaultBuffers { ratio: 5.9 }]);
    let (load, notes) = read(&[
        ("rw", "write"),
        ("size", "1m"),
        ("buffer_compress_percentage", "75"),
    ]);
    assert_eq!((load.data, notes), (Data::Ratio(4.0), Vec::new()));
    let (load, _) = read(&[("rw", "write"), ("buffer_compress_percentage", "100")]);
    assert_eq!(load.data, Data::Zeroes);
}

#[test]
fn approximated_options_are_noted() {
    for (option, value, note) in [
        (
            "ioengine",
            "mmap",
            "warning-imported-approximated(option: ioengine, taken: psync, value: mmap)",
        ),
        (
            "bsrange",
            "4k-64k",
            "warning-imported-approximated(option: bsrange, taken: 64K, value: 4k-64k)",
        ),
        (
            "random_distribution",
            "normal:20",
            "warning-imported-approximated(option: random_distribution, taken: uniform, value: normal:20)",
        ),
        (
            "sync",
            "weird",
            "warning-imported-approximated(option: sync, taken: none, value: weird)",
        ),
        (
            "rate_iops",
            "many",
            "warning-imported-rate-unreadable(option: rate_iops, value: many)",
        ),
        (
            "bs",
            "0",
            "warning-imported-approximated(option: bs, taken: 4K, value: 0)",
        ),
    ] {
        let (_, notes) = read(&[("size", "1m"), (option, value)]);
        assert_eq!(notes.len(), 1, "{option}");
        assert_eq!(format!("{:?}", notes[0].message()), note);
    }
}

#[test]
fn trims_are_refused() {
    let load = read_load(&options(&[("rw", "randtrim")]), &mut Vec::new());
    assert_eq!(load.unwrap_err(), "randtrim");
}
