//! Guards against a map that differs from md's real layout. We drew every picture here by hand from
//! md(4) or the comments in `drivers/md`; data depends on every property.

use proptest::prelude::*;
use stripewise_profiles::kernel::policy;
use stripewise_study::stack::{ArraySettings, Bitmap, Metadata};
use stripewise_units::kernel::KernelVersion;

use super::*;

const CHUNK: Bytes = Bytes::new(32 << 10);
const CHUNK_SECTORS: u64 = 64;

fn array(level: Level, layout: Option<&str>) -> Array {
    Array {
        level,
        layout: layout.map(str::to_owned),
        chunk_bytes: Some(CHUNK),
        bitmap: Bitmap::None,
        metadata: Metadata::V1_2,
        assume_clean: false,
        size_bytes: None,
        beside: Vec::new(),
        settings: ArraySettings::default(),
    }
}

fn members(chunks: &[u64], is_rotational: bool) -> Vec<MapMember> {
    let member = |chunks: &u64| MapMember {
        size: Sectors::new(chunks * CHUNK_SECTORS),
        is_rotational,
    };
    chunks.iter().map(member).collect()
}

fn of_kernel(kernel: &str) -> Policy {
    policy(KernelVersion::parse(kernel).unwrap())
}

/// Returns the map of an array over SSDs of these sizes in chunks, by the rules of 6.1.
fn map_of(level: Level, layout: Option<&str>, chunks: &[u64], failed: &[usize]) -> ArrayMap {
    let members = members(chunks, false);
    ArrayMap::new(&array(level, layout), &members, &of_kernel("6.1"), failed).unwrap()
}

/// Draws a map as md(4) does, the served copy of a mirror with a star; `/` ends a row, and a number
/// with a colon names a row that does not follow the one before.
fn picture(map: &ArrayMap) -> String {
    let mut rows = Vec::new();
    let mut next = 0;
    for row in map.rows() {
        let mut boxes = vec!["-".to_owned(); map.members];
        for (chunk, place) in row.boxes {
            let serves = chunk.served_by == Some(place.member) && chunk.copies.len() > 1;
            boxes[place.member] = match place.role {
                ChunkRole::Parity => "P".to_owned(),
                ChunkRole::Q => "Q".to_owned(),
                _ if serves && chunk.copies[1].role == ChunkRole::Copy => {
                    format!("{}*", chunk.chunk)
                }
                _ => chunk.chunk.to_string(),
            };
        }
        let label = match row.offset_chunks {
            offset if offset == next => String::new(),
            offset => format!("{offset}: "),
        };
        rows.push(label + &boxes.join(" "));
        next = row.offset_chunks + 1;
    }
    rows.join(" / ")
}

/// Returns the serving members of the chunks, in order; `-` where parity serves.
fn served(map: &ArrayMap) -> String {
    let served = map.chunks.iter().map(|chunk| match chunk.served_by {
        Some(member) => member.to_string(),
        None if chunk.is_lost => "lost".to_owned(),
        None => "-".to_owned(),
    });
    served.collect::<Vec<String>>().join(" ")
}

// The tests of each level draw every layout; these check how a map uses them.
#[test]
fn mirrors_look_as_in_the_manual_and_the_first_copy_of_idle_members_serves() {
    for (level, layout, members, expected) in [
        (Level::Raid1, None, 2, "0* 0 / 1* 1 / 2* 2"),
        (
            Level::Raid10,
            Some("n2"),
            3,
            "0* 0 1* / 1 2* 2 / 3* 3 4* / 4 5* 5",
        ),
        (
            Level::Raid10,
            Some("f2"),
            4,
            "0* 1* 2* 3* / 4* 5* 6* 7* / 8* 9* 10* 11* / 50: 3 0 1 2 / 7 4 5 6 / 11 8 9 10",
        ),
        (
            Level::Raid10,
            Some("o2"),
            3,
            "0* 1* 2* / 2 0 1 / 3* 4* 5* / 5 3 4",
        ),
    ] {
        let map = map_of(level, layout, &vec![100; members], &[]);
        assert_eq!(picture(&map), expected, "{level} {layout:?} {members}");
    }
}

#[test]
fn stripes_look_as_in_the_manual() {
    for (level, layout, members, expected) in [
        (Level::Raid0, None, 3, "0 1 2 / 3 4 5 / 6 7 8"),
        (Level::Raid4, None, 4, "0 1 2 P / 3 4 5 P / 6 7 8 P"),
        (
            Level::Raid5,
            None,
            4,
            "0 1 2 P / 4 5 P 3 / 8 P 6 7 / P 9 10 11",
        ),
        // Unlike in many a drawing, Q wraps to the first member: `qd_idx = (pd_idx + 1) %
        // raid_disks`.
        (
            Level::Raid6,
            Some("left-symmetric"),
            5,
            "Q 0 1 2 P / 3 4 5 P Q / 7 8 P Q 6 / 11 P Q 9 10 / P Q 12 13 14",
        ),
        (
            Level::Raid6,
            Some("left-symmetric-6"),
            4,
            "0 1 P Q / 3 P 2 Q / P 4 5 Q",
        ),
    ] {
        let map = map_of(level, layout, &vec![100; members], &[]);
        assert_eq!(picture(&map), expected, "{level} {layout:?} {members}");
    }
}

#[test]
fn a_linear_array_is_its_members_one_after_the_other() {
    let map = map_of(Level::Linear, None, &[100, 50, 70], &[]);
    assert_eq!(picture(&map), "0 1 2");
    assert_eq!(served(&map), "0 1 2");
    assert_eq!(
        (map.unit, map.chunk_bytes),
        (Unit::Member, Bytes::new(50 * (32 << 10)))
    );
    let empty = map_of(Level::Linear, None, &[0, 0], &[]);
    assert_eq!(empty.chunks, []);
}

#[test]
fn larger_members_go_on_in_a_zone_of_their_own() {
    let map = map_of(Level::Raid0, Some("alternate"), &[5, 9, 9], &[]);
    assert_eq!(
        picture(&map),
        "0 1 2 / 3 4 5 / 6 7 8 / 5: - 15 16 / - 17 18 / - 19 20"
    );
    let note = Note::Zone {
        first_chunk: 15,
        members: 2,
    };
    assert_eq!(map.notes, [note]);
    let original = map_of(Level::Raid0, Some("original"), &[5, 9, 9], &[]);
    assert_eq!(
        picture(&original),
        "0 1 2 / 3 4 5 / 6 7 8 / 5: - 16 15 / - 18 17 / - 20 19"
    );
}

#[test]
fn far_copies_say_how_far_they_are() {
    let map = map_of(Level::Raid10, Some("f2"), &[1_000_000; 4], &[]);
    let note = Note::FarCopies {
        stride_chunks: 500_000,
    };
    assert_eq!(map.notes, [note]);
    let first = &map.chunks[0];
    let places: Vec<(usize, u64)> = first
        .copies
        .iter()
        .map(|place| (place.member, place.offset_chunks))
        .collect();
    assert_eq!(places, [(0, 0), (1, 500_000)]);
    assert_eq!(map_of(Level::Raid10, Some("o2"), &[100; 4], &[]).notes, []);
    assert_eq!(map_of(Level::Raid10, Some("n2"), &[100; 3], &[]).notes, []);
}

#[test]
fn another_copy_or_parity_serves_for_a_failed_member() {
    let n2 = map_of(Level::Raid10, Some("n2"), &[100; 4], &[0, 7]);
    assert_eq!(n2.failed, [0]);
    assert_eq!(served(&n2), "1 2 1 2 1 2");
    let both = map_of(Level::Raid10, Some("n2"), &[100; 4], &[0, 1]);
    assert_eq!(served(&both), "lost 2 lost 2 lost 2");
    let mirror = map_of(Level::Raid1, None, &[100; 3], &[0]);
    assert_eq!(served(&mirror), "1 1 1");
    let raid5 = map_of(Level::Raid5, None, &[100; 3], &[1]);
    assert_eq!(picture(&raid5), "0 1 P / 3 P 2 / P 4 5");
    assert_eq!(served(&raid5), "0 - 2 0 - 2");
    let raid5 = map_of(Level::Raid5, None, &[100; 3], &[1, 2]);
    assert_eq!(served(&raid5), "0 lost lost 0 lost lost");
    let raid6 = map_of(Level::Raid6, None, &[100; 4], &[0, 1]);
    assert_eq!(served(&raid6), "- 2 - - 3 - 2 3");
    let stripes = map_of(Level::Raid0, None, &[100; 2], &[1]);
    assert_eq!(served(&stripes), "0 lost 0 lost 0 lost");
}

#[test]
fn the_kernel_and_the_kind_of_the_disks_decide_which_member_serves() {
    let map = |kernel: &str, rotational: [bool; 2]| {
        let mut members = members(&[100; 2], false);
        for (member, is_rotational) in members.iter_mut().zip(rotational) {
            member.is_rotational = is_rotational;
        }
        let array = array(Level::Raid10, Some("n2"));
        served(&ArrayMap::new(&array, &members, &of_kernel(kernel), &[]).unwrap())
    };
    // 5.4 and later read the copy on the SSD, older kernels the first idle copy.
    assert_eq!(map("4.1", [true, false]), "0 0 0");
    assert_eq!(map("6.1", [true, false]), "1 1 1");
    assert_eq!(map("6.1", [false, true]), "0 0 0");
}

#[test]
fn arrays_that_md_refuses_are_errors_and_large_maps_are_cut() {
    let refused = |level, layout, chunks: &[u64]| {
        let members = members(chunks, false);
        let map = ArrayMap::new(&array(level, layout), &members, &of_kernel("6.1"), &[]);
        map.unwrap_err().to_string()
    };
    assert_eq!(
        refused(Level::Raid5, Some("sideways"), &[100; 3]),
        "`sideways` is not a layout of md"
    );
    assert_eq!(refused(Level::Raid0, None, &[]), "the array has no members");
    assert_eq!(
        refused(Level::Raid10, Some("n3"), &[100; 2]),
        "3 copies need 3 devices; only 2 are available"
    );
    let wide = map_of(Level::Raid0, None, &[1000; 3000], &[]);
    assert_eq!(wide.chunks.len() as u64, CHUNKS_MAX);
    assert_eq!(wide.notes, [Note::Shortened]);
    assert_eq!(wide.pattern_chunks, None);
    let tall = map_of(Level::Raid6, None, &[1000; 40], &[]);
    assert_eq!(tall.chunks.len() as u64, CHUNKS_MAX);
    assert_eq!(tall.notes, [Note::Shortened]);
    let small = map_of(Level::Raid10, Some("n2"), &[1; 4], &[]);
    assert_eq!(picture(&small), "0* 0 1* 1");
    assert_eq!(small.pattern_chunks, None);
}

/// Draws arrays that md accepts, with the number of copies of each chunk.
fn arrays() -> impl Strategy<Value = (Array, usize, usize)> {
    let copies = |layout: &str| layout[1..].parse().unwrap_or(1);
    let mirrors = prop_oneof![
        Just("n2"),
        Just("n3"),
        Just("f2"),
        Just("f3"),
        Just("o2"),
        Just("o3"),
        Just("n1"),
    ];
    let parity = prop_oneof![
        Just("left-symmetric"),
        Just("left-asymmetric"),
        Just("right-symmetric"),
        Just("right-asymmetric"),
        Just("parity-first"),
        Just("parity-last"),
    ];
    let parity6 = prop_oneof![
        Just("ddf-zero-restart"),
        Just("ddf-N-restart"),
        Just("ddf-N-continue"),
        Just("left-symmetric-6"),
        Just("right-asymmetric-6"),
        Just("parity-first-6"),
    ];
    prop_oneof![
        (1_usize..9).prop_map(|members| (array(Level::Raid0, None), members, 1)),
        (1_usize..9).prop_map(|members| (array(Level::Raid1, None), members, members)),
        (mirrors, 3_usize..10).prop_map(move |(layout, members)| {
            (array(Level::Raid10, Some(layout)), members, copies(layout))
        }),
        (parity.clone(), 3_usize..9).prop_map(|(layout, members)| (
            array(Level::Raid5, Some(layout)),
            members,
            1
        )),
        (prop_oneof![parity, parity6], 4_usize..9).prop_map(|(layout, members)| (
            array(Level::Raid6, Some(layout)),
            members,
            1
        )),
    ]
}

proptest! {
    #[test]
    fn every_chunk_has_its_copies_on_different_members_and_no_place_is_used_twice(
        (array, count, copies) in arrays(),
        chunks in 3_u64..200,
        rotational in any::<bool>(),
        kernel in prop_oneof![Just("3.10"), Just("5.2"), Just("6.1"), Just("6.12")],
        failed in proptest::option::of(0_usize..9),
    ) {
        let failed: Vec<usize> = failed.into_iter().collect();
        let members = members(&vec![chunks; count], rotational);
        let map = ArrayMap::new(&array, &members, &of_kernel(kernel), &failed).unwrap();
        let parities = match array.level { Level::Raid5 => 1, Level::Raid6 => 2, _ => 0 };
        let mut used = std::collections::BTreeMap::new();
        for (number, chunk) in (0..).zip(&map.chunks) {
            prop_assert_eq!(chunk.chunk, number);
            prop_assert_eq!(chunk.copies.len(), copies + parities);
            let on: std::collections::BTreeSet<usize> =
                chunk.copies.iter().map(|place| place.member).collect();
            prop_assert_eq!(on.len(), chunk.copies.len(), "two copies on one member");
            for place in &chunk.copies {
                prop_assert!(place.member < count && place.offset_chunks < chunks);
                let is_data = matches!(place.role, ChunkRole::Data | ChunkRole::Copy);
                let held = if is_data { Some(chunk.chunk) } else { None };
                let before = used.insert((place.member, place.offset_chunks), held);
                // Parity is listed with each chunk of its row; a data place holds one chunk only.
                prop_assert!(before.is_none() || (before == Some(None) && !is_data));
            }
            let holds = |member: usize| chunk.copies.iter().any(|place| {
                place.member == member && matches!(place.role, ChunkRole::Data | ChunkRole::Copy)
            });
            match chunk.served_by {
                Some(member) => prop_assert!(holds(member) && !failed.contains(&member)),
                None => prop_assert!(chunk.copies[..copies].iter().all(|one| failed.contains(&one.member))),
            }
        }
        let in_rows: usize = map.rows().iter().map(|row| row.boxes.len()).sum();
        prop_assert_eq!(in_rows, used.len());
    }

    #[test]
    fn the_pattern_repeats_at_the_stated_length((array, count, _) in arrays()) {
        let members = members(&vec![400; count], false);
        let map = ArrayMap::new(&array, &members, &of_kernel("6.1"), &[]).unwrap();
        let pattern = usize::try_from(map.pattern_chunks.unwrap()).unwrap();
        prop_assert!(map.chunks.len().is_multiple_of(pattern) && map.rows().len() >= 3);
        let shape = |chunk: &ChunkPlace, base: u64| -> Vec<(usize, u64)> {
            chunk.copies.iter().map(|one| (one.member, one.offset_chunks - base)).collect()
        };
        let rows = map.pattern_rows.unwrap();
        for (index, chunk) in map.chunks.iter().enumerate().skip(pattern) {
            let before = &map.chunks[index - pattern];
            prop_assert_eq!(shape(chunk, rows), shape(before, 0));
            prop_assert_eq!(chunk.served_by, before.served_by);
        }
    }
}
