//! Every fuzz target, with its seeds and with damaged copies of them.
//!
//! The fuzzers themselves (`fuzz/smoke.sh`) are guided by what an input reaches, and find more. They need
//! a build of their own, so they run with `make soak`; what is here needs none, and runs with each change.
//!
//! `STRIPEWISE_TEST_COPIES` is how many copies are made for each target.

use std::fs;
use std::ops::Range;
use std::path::Path;

use stripewise_trace::FormatName;
use stripewise_units::splitmix::mixed;

use crate::support::{Numbers, seed};

/// The fuzzers' macro: here, a target is a function.
macro_rules! fuzz_target {
    (|$bytes:ident: &[u8]| $target:expr) => {
        pub(crate) fn target($bytes: &[u8]) {
            $target
        }
    };
}

/// Includes the targets as modules, and makes a test of each.
macro_rules! targets {
    ($($name:ident = $file:literal),+ $(,)?) => {
        $(
            #[path = $file]
            #[expect(unused_attributes, reason = "the file is a program of its own, too")]
            mod $name;
        )+

        $(
            #[test]
            fn $name() {
                try_copies(stringify!($name), $name::target);
            }
        )+

        const TARGETS: &[&str] = &[$(stringify!($name)),+];
    };
}

targets! {
    export_file = "../../../../fuzz/fuzz_targets/export_file.rs",
    fio_json = "../../../../fuzz/fuzz_targets/fio_json.rs",
    fio_logs = "../../../../fuzz/fuzz_targets/fio_logs.rs",
    nbd_client = "../../../../fuzz/fuzz_targets/nbd_client.rs",
    points_csv = "../../../../fuzz/fuzz_targets/points_csv.rs",
    profile_file = "../../../../fuzz/fuzz_targets/profile_file.rs",
    site_dump = "../../../../fuzz/fuzz_targets/site_dump.rs",
    study_file = "../../../../fuzz/fuzz_targets/study_file.rs",
    trace_file = "../../../../fuzz/fuzz_targets/trace_file.rs",
}

/// The target that must fail is left to the fuzzer: it proves that coverage guides it.
#[test]
fn no_target_is_forgotten() {
    let package = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    let script = fs::read_to_string(fuzz().join("smoke.sh")).unwrap();
    let run: Vec<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("must_pass "))
        .flat_map(str::split_whitespace)
        .collect();
    for name in TARGETS {
        assert!(package.contains(&format!("name = \"{name}\"\n")), "{name}");
        assert!(run.contains(name), "{name}: {run:?}");
    }
    let mut files: Vec<String> = fs::read_dir(fuzz().join("fuzz_targets"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "must_fail")
        .collect();
    files.sort();
    assert_eq!(files, TARGETS);
}

fn fuzz() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"))
}

/// Keeps the input that a target failed at, and says which it is.
struct Tried<'a> {
    name: &'a str,
    seed: u64,
    file: usize,
    copy: usize,
    bytes: &'a [u8],
}

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self {
                name,
                seed,
                file,
                copy,
                bytes,
            } = self;
            let kept = format!("stripewise-{name}-{seed}-{file}-{copy}");
            let kept = std::env::temp_dir().join(kept);
            eprintln!(
                "STRIPEWISE_TEST_SEED={seed}: {name} failed at copy {copy} of seed file {file}, {}: {:?}",
                kept.display(),
                fs::write(&kept, bytes)
            );
        }
    }
}

fn try_copies(name: &str, target: fn(&[u8])) {
    let copies = std::env::var("STRIPEWISE_TEST_COPIES");
    let copies = copies.map_or(300, |text| text.parse().unwrap());
    let seed = seed();
    let folder = fuzz().join("seeds").join(name);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut seeds: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(!seeds.is_empty());
    if name == "trace_file" {
        seeds.extend(FormatName::ALL.into_iter().flat_map(seeds_of));
    }
    for (file, whole) in seeds.iter().enumerate() {
        for copy in 0..=copies / seeds.len() {
            // The same, however many are made.
            let place = (file as u64) << 32 | copy as u64;
            let mut numbers = Numbers::of(mixed(seed ^ mixed(place)));
            let mut bytes = whole.clone();
            // The first is the seed itself, others are damaged in one to four places.
            let damages = if copy == 0 { 0 } else { 1 + numbers.below(4) };
            for _ in 0..damages {
                damage(&mut bytes, &seeds, &mut numbers);
            }
            let tried = Tried {
                name,
                seed,
                file,
                copy,
                bytes: &bytes,
            };
            target(tried.bytes);
        }
    }
}

/// Returns the examples of a format's documentation, to be found and to be read as what they are.
fn seeds_of(format: FormatName) -> impl Iterator<Item = Vec<u8>> {
    let number = FormatName::ALL.iter().position(|other| *other == format);
    let number = u8::try_from(number.unwrap()).unwrap();
    let examples = format.row().examples.iter();
    examples.flat_map(move |example| {
        [u8::MAX, number].map(|format| [&[0, format], example.as_bytes()].concat())
    })
}

/// What parsers stumble over: the ends of ranges, and what has a meaning in text.
const WORDS: [&[u8]; 12] = [
    b"0",
    b"-1",
    b"18446744073709551615",
    b"9223372036854775808",
    b"1e308",
    b"nan",
    b"\0",
    b"\xff\xff\xff\xff",
    b"\"",
    b"\n",
    b"{[",
    "\u{202e}".as_bytes(),
];

/// Numbers that no measurement, or hardly any, has.
const NUMBERS: [&[u8]; 12] = [
    b"0",
    b"-0.0",
    b"-1",
    b"1",
    b"0.5",
    b"5e-324",
    b"1e15",
    b"9007199254740993",
    b"9223372036854775808",
    b"18446744073709551615",
    b"1e308",
    b"-1e308",
];

/// Returns where the first number at or after `place` is.
fn number_at(bytes: &[u8], place: usize) -> Option<Range<usize>> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let first = place + bytes.get(place..)?.iter().position(is_digit)?;
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let before = bytes[..first].iter().rev().take_while(|byte| is_part(byte));
    let start = first - before.count();
    let length = bytes[first..].iter().take_while(|byte| is_part(byte));
    Some(start..first + length.count())
}

/// Replaces a number by another one, so that the text stays JSON, TOML or CSV.
pub(crate) fn change_number(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let mut below = |limit: usize| usize::try_from(numbers.below(limit as u64)).unwrap();
    let Some(number) = number_at(bytes, below(bytes.len() + 1)) else {
        return;
    };
    let other = match number_at(bytes, below(bytes.len() + 1)) {
        Some(other) if below(2) == 0 => bytes[other].to_vec(),
        _ => NUMBERS[below(NUMBERS.len())].to_vec(),
    };
    bytes.splice(number, other);
}

/// Damages bytes in one place.
pub(crate) fn damage(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], numbers: &mut Numbers) {
    let mut below = |limit: usize| usize::try_from(numbers.below(limit as u64)).unwrap();
    let place = below(bytes.len() + 1);
    let kind = below(9);
    let end = place + below(bytes.len() - place + 1).min(1 + below(64));
    match kind {
        0 if place < bytes.len() => bytes[place] ^= 1 << below(8),
        1 if place < bytes.len() => bytes[place] = u8::try_from(below(256)).unwrap(),
        2 => bytes.truncate(place),
        3 => drop(bytes.drain(place..end)),
        4 => {
            let part = bytes[place..end].to_vec();
            bytes.splice(place..place, part);
        }
        5 => {
            let word = WORDS[below(WORDS.len())];
            bytes.splice(place..end.min(place + word.len()), word.iter().copied());
        }
        6 | 7 => change_number(bytes, numbers),
        _ => {
            // A part of another seed.
            let other = &seeds[below(seeds.len())];
            let from = below(other.len() + 1);
            let part = &other[from..(from + below(256)).min(other.len())];
            bytes.splice(place..end, part.iter().copied());
        }
    }
}
