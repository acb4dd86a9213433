//! The seeds of the fuzzer, and copies of them with a few bytes changed, cut off, or put in twice.

use proptest::prelude::*;

use crate::any_bytes::are_read_or_refused;

const SEEDS: [&[u8]; 2] = [
    include_bytes!("../../../../fuzz/seeds/export_file/model.json"),
    include_bytes!("../../../../fuzz/seeds/export_file/model.parquet"),
];

#[test]
fn the_seeds_are_read() {
    for seed in SEEDS {
        assert!(stripewise_export::read::read(seed).is_ok());
        are_read_or_refused(seed);
    }
}

proptest! {
    #[test]
    fn damaged_files_are_read_or_refused(
        seed in prop::sample::select(SEEDS.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        part in any::<(prop::sample::Index, prop::sample::Index)>(),
        damage in 0..4_u8,
    ) {
        let mut bytes = seed.to_vec();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let (from, to) = (part.0.index(bytes.len()), part.1.index(bytes.len()));
        let (from, to) = (from.min(to), from.max(to));
        match damage {
            0 => bytes.truncate(to),
            1 => drop(bytes.drain(from..to)),
            2 => bytes.extend_from_within(from..to),
            _ => {}
        }
        are_read_or_refused(&bytes);
    }
}
