//! A row of the table of keys is used in both directions by many: what a cell shows, a study, a
//! baseline and fio's options must take back, or a written study means another load.

use proptest::prelude::*;
use stripewise_format::parse;
use stripewise_study::cell::Axis;
use stripewise_study::conditions::CONDITION_KEYS;
use stripewise_study::keys::Backend;
use stripewise_study::load::{LOAD_KEYS, Load};
use stripewise_study::workload::{Data, Distribution, Engine, Pattern, SyncMode};
use stripewise_units::{Bytes, Nanos};

#[test]
fn an_axis_is_stored_under_the_name_of_its_key() {
    for axis in Axis::all() {
        let stored = serde_json::to_value(axis).unwrap();
        assert_eq!(stored, axis.key());
        assert_eq!(Axis::from_key(axis.key()), Some(axis));
    }
}

#[test]
fn every_key_takes_back_what_it_shows() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/studies/everything.toml");
    let study = parse("study.toml", &std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut loads, mut conditions) = (0, 0);
    for cell in &study.cells {
        let load = &cell.workload.load;
        for key in LOAD_KEYS {
            let mut again = Load::new(load.pattern, Bytes::default(), Bytes::default());
            let Some(value) = (key.get)(load) else {
                continue;
            };
            assert!((key.put)(&mut again, &value.text), "{} {value:?}", key.name);
            assert_eq!((key.get)(&again), Some(value), "{}", key.name);
            loads += 1;
        }
        for key in CONDITION_KEYS {
            let mut again = stripewise_study::conditions::Conditions::default();
            let Some(value) = (key.get)(&cell.conditions) else {
                continue;
            };
            assert!((key.put)(&mut again, &value.text), "{} {value:?}", key.name);
            assert_eq!((key.get)(&again), Some(value), "{}", key.name);
            conditions += 1;
        }
    }
    assert!(loads > 20 && conditions > 20, "{loads} {conditions}");
}

/// The lab asks only the conditions what it refuses: a row of a load that names it needs a question in
/// `lab_world::beyond_guest`.
#[test]
fn no_key_of_a_load_is_refused_where_nobody_asks() {
    let refused = LOAD_KEYS
        .iter()
        .filter(|key| key.refused_by.contains(&Backend::Lab));
    assert_eq!(refused.count(), 0);
}

#[test]
fn no_key_takes_what_is_no_value_of_it() {
    let mut load = Load::new(Pattern::Read, Bytes::new(4096), Bytes::new(1 << 20));
    let before = load.clone();
    for key in LOAD_KEYS {
        assert!(!(key.put)(&mut load, "no such value"), "{}", key.name);
    }
    assert_eq!(load, before);
}

fn load() -> impl Strategy<Value = Load> {
    let patterns = prop::sample::select(&Pattern::ALL[..]);
    let engines = prop::sample::select(vec![Engine::Libaio, Engine::IoUring, Engine::Posixaio]);
    let data = prop_oneof![
        Just(Data::Incompressible),
        Just(Data::Zeroes),
        (2_u32..100).prop_map(|tenths| Data::Ratio(1.0 + f64::from(tenths) / 10.0)),
    ];
    let syncs = prop::sample::select(vec![SyncMode::None, SyncMode::Sync, SyncMode::Dsync]);
    let offsets = prop_oneof![
        Just(Distribution::Uniform),
        (1_u32..30).prop_map(|tenths| Distribution::Zipf(0.05 + f64::from(tenths) / 10.0)),
    ];
    let counts = (1_u32..9, 1_u32..65, any::<bool>(), 0_u8..=100, 0_u64..5_000);
    let options = prop::collection::vec(prop::option::of(1_u32..1000), 5);
    (patterns, engines, data, syncs, offsets, counts, options).prop_map(
        |(pattern, engine, data, sync, distribution, counts, options)| {
            let (jobs, depth, direct, reads, pause) = counts;
            let count = |at: usize| options[at].and_then(std::num::NonZeroU32::new);
            let mut load = Load::new(pattern, Bytes::new(8192), Bytes::new(1 << 30));
            (load.engine, load.jobs, load.depth, load.direct) = (engine, jobs, depth, direct);
            load.data = data;
            load.read_percent = pattern.is_mixed().then_some(reads);
            if pattern.writes() {
                (load.sync, load.fsync_every, load.fdatasync_every) = (sync, count(0), count(1));
            }
            if pattern.is_random() {
                load.distribution = distribution;
                load.norandommap = distribution == Distribution::Uniform && direct;
            }
            match count(2) {
                Some(ios) => load.rate_iops = Some(ios),
                None => {
                    load.rate_bytes_per_s = options[3].map(|kib| Bytes::new(1024 * u64::from(kib)))
                }
            }
            load.think_time_ns = Nanos::new(pause * 1000);
            load.think_blocks = count(4).filter(|_| pause > 0);
            load
        },
    )
}

proptest! {
    #[test]
    fn a_load_written_as_a_study_is_the_same_load(load in load()) {
        let text = format!("[stack.here]\n[workload]\n{}", load.toml());
        let study = parse("study.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(&study.cells[0].workload.load, &load, "{}", text);
    }
}
