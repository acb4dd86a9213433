//! Guards against a picture that disagrees with the data below it, and against one that a narrow
//! terminal, a large array or a hostile name breaks.

use expect_test::{Expect, expect};
use stripewise_catalogue::Language;
use stripewise_profiles::kernel::policy;
use stripewise_sim::array::map::MapMember;
use stripewise_sim::units::Sectors;
use stripewise_study::stack::{Array, ArraySettings, Bitmap, Level, Metadata};
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use super::*;
use crate::render::terminal;
use crate::style::without_styles;
use crate::view::View;

const CHUNK: Bytes = Bytes::new(64 << 10);
/// A member of a million chunks.
const MEMBER: u64 = 1_000_000 * 128;

fn map(level: Level, layout: Option<&str>, sizes: &[u64], failed: &[usize]) -> ArrayMap {
    let array = Array {
        level,
        layout: layout.map(str::to_owned),
        chunk_bytes: Some(CHUNK).filter(|_| level.has_chunk()),
        bitmap: Bitmap::None,
        metadata: Metadata::V1_2,
        assume_clean: false,
        size_bytes: None,
        beside: Vec::new(),
        settings: ArraySettings::default(),
    };
    let members: Vec<MapMember> = sizes
        .iter()
        .map(|size| MapMember {
            size: Sectors::new(*size),
            is_rotational: false,
        })
        .collect();
    let rules = policy(KernelVersion::parse("6.1").unwrap());
    ArrayMap::new(&array, &members, &rules, failed).unwrap()
}

fn drawn_map(map: &ArrayMap, names: &[String], view: View) -> String {
    terminal(&[array_map(map, names)], view)
}

/// Returns text as a terminal without styles shows it.
fn shown(text: &str) -> String {
    without_styles(text)
}

fn check(map: &ArrayMap, expected: &Expect) {
    let drawn = shown(&drawn_map(map, &[], View::drawn(80)));
    assert!(
        drawn
            .lines()
            .all(|line| line.width() <= 80 && line == line.trim_end())
    );
    expected.assert_eq(&drawn);
}

#[test]
fn near_copies_beside_each_other_leave_half_of_the_disks_idle() {
    check(
        &map(Level::Raid10, Some("n2"), &[MEMBER; 4], &[]),
        &expect![[r#"
            array map  disk0  disk1  disk2  disk3
            row 0       *0*     0     *1*     1
            row 1       *2*     2     *3*     3
            row 2       *4*     4     *5*     5
            n: a chunk of 64K · *n*: read from here
            A sequential reader with one I/O in flight is served by disk0 and disk2 in turn:
            each serves 1 chunk in 2. On each disk, the chunks that are read follow one
            another. Nothing is read from disk1 and disk3.
        "#]],
    );
    check(
        &map(Level::Raid10, Some("n2"), &[MEMBER; 3], &[]),
        &expect![[r#"
            array map  disk0  disk1  disk2
            row 0       *0*     0     *1*
            row 1        1     *2*     2
            row 2       *3*     3     *4*
            row 3        4     *5*     5
            n: a chunk of 64K · *n*: read from here
            A sequential reader with one I/O in flight is served by disk0, disk2 and disk1
            in turn: each serves 1 chunk in 3. On each disk, there are gaps between the
            chunks that are read.
        "#]],
    );
}

#[test]
fn far_copies_show_the_head_of_each_part() {
    check(
        &map(Level::Raid10, Some("f2"), &[MEMBER; 4], &[]),
        &expect![[r#"
            array map   disk0  disk1  disk2  disk3
            row 0        *0*    *1*    *2*    *3*
            row 1        *4*    *5*    *6*    *7*
            row 2        *8*    *9*   *10*   *11*
            …
            row 500000    3      0      1      2
            row 500001    7      4      5      6
            row 500002   11      8      9     10
            n: a chunk of 64K · *n*: read from here
            A sequential reader with one I/O in flight is served by disk0, disk1, disk2 and
            disk3 in turn: each serves 1 chunk in 4. On each disk, the chunks that are read
            follow one another. Each further copy lies 30.51 GiB behind the one before, on
            the next disk.
        "#]],
    );
}

#[test]
fn one_copy_on_every_disk_and_no_chunks() {
    check(
        &map(Level::Raid1, None, &[MEMBER; 2], &[]),
        &expect![[r#"
            array map  disk0  disk1
            row 0       *0*     0
            row 1       *1*     1
            row 2       *2*     2
            n: a piece of 512K, as there are no chunks · *n*: read from here
            A sequential reader with one I/O in flight is served by disk0 alone. Nothing is
            read from disk1.
        "#]],
    );
}

#[test]
fn stripes_have_one_place_for_each_chunk() {
    check(
        &map(Level::Raid0, None, &[MEMBER; 3], &[]),
        &expect![[r#"
            array map  disk0  disk1  disk2
            row 0        0      1      2
            row 1        3      4      5
            row 2        6      7      8
            n: a chunk of 64K
            A sequential reader is served by disk0, disk1 and disk2 in turn: each serves 1
            chunk in 3. On each disk, the chunks that are read follow one another.
        "#]],
    );
    let sizes = [MEMBER, 2 * MEMBER, 2 * MEMBER];
    check(
        &map(Level::Raid0, Some("alternate"), &sizes, &[]),
        &expect![[r#"
            array map     disk0    disk1    disk2
            row 0              0        1        2
            row 1              3        4        5
            row 2              6        7        8
            …
            row 1000000           3000000  3000001
            row 1000001           3000002  3000003
            row 1000002           3000004  3000005
            n: a chunk of 64K
            A sequential reader is served by disk0, disk1 and disk2 in turn: each serves 1
            chunk in 3. On each disk, the chunks that are read follow one another. From
            chunk 3000000 on, only 2 disks have room.
        "#]],
    );
    check(
        &map(Level::Linear, None, &sizes, &[]),
        &expect![[r#"
        array map  disk0  disk1  disk2
        row 0        0      1      2
        n: a whole disk
        A sequential reader is served by one disk after the other: disk0, disk1 and
        disk2.
    "#]],
    );
}

#[test]
fn parity_has_letters_of_its_own() {
    check(
        &map(Level::Raid5, None, &[MEMBER; 4], &[]),
        &expect![[r#"
            array map  disk0  disk1  disk2  disk3
            row 0        0      1      2      P
            row 1        4      5      P      3
            row 2        8      P      6      7
            row 3        P      9     10     11
            n: a chunk of 64K · P: parity
            A sequential reader is served by disk0, disk1, disk2 and disk3 in turn: each
            serves 1 chunk in 4. On each disk, there are gaps between the chunks that are
            read.
        "#]],
    );
    check(
        &map(Level::Raid6, None, &[MEMBER; 5], &[]),
        &expect![[r#"
            array map  disk0  disk1  disk2  disk3  disk4
            row 0        Q      0      1      2      P
            row 1        3      4      5      P      Q
            row 2        7      8      P      Q      6
            row 3       11      P      Q      9     10
            row 4        P      Q     12     13     14
            n: a chunk of 64K · P, Q: parity
            A sequential reader is served by all 5 disks: each serves 3 of 15 chunks. On
            each disk, there are gaps between the chunks that are read.
        "#]],
    );
    check(
        &map(Level::Raid4, None, &[MEMBER; 3], &[2]),
        &expect![[r#"
            array map  disk0  disk1  disk2
            row 0        0      1     (P)
            row 1        2      3     (P)
            row 2        4      5     (P)
            n: a chunk of 64K · (n): failed · P: parity
            A sequential reader is served by disk0 and disk1 in turn: each serves 1 chunk in
            2. On each disk, the chunks that are read follow one another. With disk2 failed,
            only parity is lost.
        "#]],
    );
}

#[test]
fn failed_members_stay_in_the_picture() {
    check(
        &map(Level::Raid10, Some("n2"), &[MEMBER; 4], &[2]),
        &expect![[r#"
            array map  disk0  disk1  disk2  disk3
            row 0       *0*     0     (1)    *1*
            row 1       *2*     2     (3)    *3*
            row 2       *4*     4     (5)    *5*
            n: a chunk of 64K · *n*: read from here · (n): failed
            A sequential reader with one I/O in flight is served by disk0 and disk3 in turn:
            each serves 1 chunk in 2. On each disk, the chunks that are read follow one
            another. Nothing is read from disk1. With disk2 failed, other copies are read
            instead.
        "#]],
    );
    check(
        &map(Level::Raid5, None, &[MEMBER; 3], &[1]),
        &expect![[r#"
            array map  disk0  disk1  disk2
            row 0        0     (1)     P
            row 1        3     (P)     2
            row 2        P     (4)     5
            n: a chunk of 64K · (n): failed · P: parity
            A sequential reader is served by disk0 and disk2: each serves 2 of 6 chunks.
            With disk1 failed, its data is computed from the rest of each row.
        "#]],
    );
    check(
        &map(Level::Raid10, Some("n2"), &[MEMBER; 4], &[0, 1]),
        &expect![[r#"
            array map  disk0  disk1  disk2  disk3
            row 0       (0)    (0)    *1*     1
            row 1       (2)    (2)    *3*     3
            row 2       (4)    (4)    *5*     5
            n: a chunk of 64K · *n*: read from here · (n): failed
            With disk0 and disk1 failed, chunk 0 of every 2 is lost.
        "#]],
    );
    check(
        &map(Level::Linear, None, &[MEMBER; 3], &[0]),
        &expect![[r#"
            array map  disk0  disk1  disk2
            row 0       (0)     1      2
            n: a whole disk · (n): failed
            With disk0 failed, its data is lost.
        "#]],
    );
}

#[test]
fn many_disks_and_rows_are_cut_with_a_note() {
    check(
        &map(Level::Raid6, None, &[MEMBER; 24], &[]),
        &expect![[r#"
            array map  disk0   disk1   disk2   disk3   disk4   disk5   disk6   disk7   …
            row 0         Q       0       1       2       3       4       5       6    …
            row 1        22      23      24      25      26      27      28      29    …
            row 2        45      46      47      48      49      50      51      52    …
            row 3        68      69      70      71      72      73      74      75    …
            row 4        91      92      93      94      95      96      97      98    …
            row 5       114     115     116     117     118     119     120     121    …
            row 6       137     138     139     140     141     142     143     144    …
            row 7       160     161     162     163     164     165     166     167    …
            row 8       183     184     185     186     187     188     189     190    …
            row 9       206     207     208     209     210     211     212     213    …
            row 10      229     230     231     232     233     234     235     236    …
            row 11      252     253     254     255     256     257     258     259    …
            row 12      275     276     277     278     279     280     281     282    …
            row 13      298     299     300     301     302     303     304     305    …
            row 14      321     322     323     324     325     326     327     328    …
            row 15      344     345     346     347     348     349     350     351    …
            …
            n: a chunk of 64K · P, Q: parity
            A sequential reader is served by all 24 disks: each serves 22 of 528 chunks. On
            each disk, there are gaps between the chunks that are read. Not drawn: 16 more
            disks and 8 more rows.
        "#]],
    );
}

#[test]
fn the_plain_map_has_the_same_content() {
    let plain = |level, layout, members: usize, failed: &[usize]| {
        let map = map(level, layout, &vec![MEMBER; members], failed);
        drawn_map(&map, &[], View::PLAIN)
    };
    expect![[r#"
        Array map: raid10 n2, 4 disks, chunk 64K.
        Chunk 0 is on disk0 and disk1; disk0 serves it.
        Chunk 1 is on disk2 and disk3; disk2 serves it.
        The pattern repeats every 2 chunks.
        A sequential reader with one I/O in flight is served by disk0 and disk2 in turn: each serves 1 chunk in 2.
        On each disk, the chunks that are read follow one another.
        Nothing is read from disk1 and disk3.
    "#]].assert_eq(&plain(Level::Raid10, Some("n2"), 4, &[]));
    expect![[r#"
        Array map: raid6, 4 disks, chunk 64K.
        Chunk 0 is on disk1, its parity on disk3, the second parity on disk0 (failed).
        Chunk 1 is on disk2, its parity on disk3, the second parity on disk0 (failed).
        Chunk 2 is on disk0 (failed), its parity on disk2, the second parity on disk3; it is computed from the other disks.
        Chunk 3 is on disk1, its parity on disk2, the second parity on disk3.
        Chunk 4 is on disk3, its parity on disk1, the second parity on disk2.
        Chunk 5 is on disk0 (failed), its parity on disk1, the second parity on disk2; it is computed from the other disks.
        Chunk 6 is on disk2, its parity on disk0 (failed), the second parity on disk1.
        Chunk 7 is on disk3, its parity on disk0 (failed), the second parity on disk1.
        The pattern repeats every 8 chunks.
        A sequential reader is served by disk1, disk2 and disk3: each serves 2 of 8 chunks.
        With disk0 failed, its data is computed from the rest of each row.
    "#]].assert_eq(&plain(Level::Raid6, None, 4, &[0]));
    expect![[r#"
        Array map: raid1, 2 disks, pieces of 512K.
        Piece 0 is on disk0 and disk1; disk0 serves it.
        All others lie on the same disks.
        A sequential reader with one I/O in flight is served by disk0 alone.
        Nothing is read from disk1.
    "#]]
    .assert_eq(&plain(Level::Raid1, None, 2, &[]));
    expect![[r#"
        Array map: linear, 2 disks, one member after the other.
        A sequential reader is served by one disk after the other: disk0 and disk1.
    "#]]
    .assert_eq(&plain(Level::Linear, None, 2, &[]));
    expect![[r#"
        Array map: raid10 n2, 3 disks, chunk 64K.
        Chunk 0 is on disk0 and disk1 (failed); disk0 serves it.
        Chunk 1 is on disk2 and disk0; disk2 serves it.
        Chunk 2 is on disk1 (failed) and disk2; disk2 serves it.
        The pattern repeats every 3 chunks.
        A sequential reader with one I/O in flight is served by disk0 and disk2: they serve 1 and 2 of 3 chunks.
        On each disk, there are gaps between the chunks that are read.
        With disk1 failed, other copies are read instead.
    "#]].assert_eq(&plain(Level::Raid10, Some("n2"), 3, &[1]));
}

fn german(map: &ArrayMap) -> String {
    let drawn = View::drawn(80).in_language(Language::German);
    let plain = View::PLAIN.in_language(Language::German);
    let maps = [drawn, plain].map(|view| shown(&drawn_map(map, &[], view)));
    maps.join("\n")
}

#[test]
fn a_degraded_mirror_is_shown_in_german() {
    expect![[r#"
        Array-Karte   disk0  disk1  disk2  disk3
        Zeile 0        *0*    *1*    (2)    *3*
        Zeile 1        *4*    *5*    (6)    *7*
        Zeile 2        *8*    *9*   (10)   *11*
        …
        Zeile 500000    3      0     (1)    *2*
        Zeile 500001    7      4     (5)    *6*
        Zeile 500002   11      8     (9)   *10*
        n: ein Chunk von 64K · *n*: hier wird gelesen · (n): ausgefallen
        Ein sequenzieller Leser mit einem I/O unterwegs liest von disk0, disk1 und
        disk3: Sie liefern 1, 1 und 2 von 4 Chunks. Auf jeder Platte sind Lücken
        zwischen den gelesenen Chunks. Ausfall von disk2: Stattdessen werden andere
        Kopien gelesen. Jede weitere Kopie liegt 30,51 GiB hinter der vorigen, auf der
        nächsten Platte.

        Array-Karte: raid10 f2, 4 Platten, Chunk 64K.
        Chunk 0 liegt auf disk0 und disk1; gelesen wird von disk0.
        Chunk 1 liegt auf disk1 und disk2 (ausgefallen); gelesen wird von disk1.
        Chunk 2 liegt auf disk2 (ausgefallen) und disk3; gelesen wird von disk3.
        Chunk 3 liegt auf disk3 und disk0; gelesen wird von disk3.
        Das Muster wiederholt sich alle 4 Chunks.
        Ein sequenzieller Leser mit einem I/O unterwegs liest von disk0, disk1 und disk3: Sie liefern 1, 1 und 2 von 4 Chunks.
        Auf jeder Platte sind Lücken zwischen den gelesenen Chunks.
        Ausfall von disk2: Stattdessen werden andere Kopien gelesen.
        Jede weitere Kopie liegt 30,51 GiB hinter der vorigen, auf der nächsten Platte.
    "#]].assert_eq(&german(&map(Level::Raid10, Some("f2"), &[MEMBER; 4], &[2])));
}

#[test]
fn a_degraded_raid6_is_shown_in_german() {
    expect![[r#"
        Array-Karte  disk0  disk1  disk2  disk3  disk4
        Zeile 0       (Q)     0      1     (2)     P
        Zeile 1       (3)     4      5     (P)     Q
        Zeile 2       (7)     8      P     (Q)     6
        Zeile 3      (11)     P      Q     (9)    10
        Zeile 4       (P)     Q     12    (13)    14
        n: ein Chunk von 64K · (n): ausgefallen · P, Q: Parität
        Ein sequenzieller Leser liest von disk1, disk2 und disk4: Jede Platte liefert 3
        von 15 Chunks. Ausfall von disk0 und disk3: Die Daten dieser Platten werden aus
        dem Rest jeder Zeile berechnet.

        Array-Karte: raid6, 5 Platten, Chunk 64K.
        Chunk 0 liegt auf disk1, die Parität auf disk4, die zweite Parität auf disk0 (ausgefallen).
        Chunk 1 liegt auf disk2, die Parität auf disk4, die zweite Parität auf disk0 (ausgefallen).
        Chunk 2 liegt auf disk3 (ausgefallen), die Parität auf disk4, die zweite Parität auf disk0 (ausgefallen); sein Inhalt wird aus den anderen Platten berechnet.
        Chunk 3 liegt auf disk0 (ausgefallen), die Parität auf disk3 (ausgefallen), die zweite Parität auf disk4; sein Inhalt wird aus den anderen Platten berechnet.
        Chunk 4 liegt auf disk1, die Parität auf disk3 (ausgefallen), die zweite Parität auf disk4.
        Chunk 5 liegt auf disk2, die Parität auf disk3 (ausgefallen), die zweite Parität auf disk4.
        Chunk 6 liegt auf disk4, die Parität auf disk2, die zweite Parität auf disk3 (ausgefallen).
        Chunk 7 liegt auf disk0 (ausgefallen), die Parität auf disk2, die zweite Parität auf disk3 (ausgefallen); sein Inhalt wird aus den anderen Platten berechnet.
        Chunk 8 liegt auf disk1, die Parität auf disk2, die zweite Parität auf disk3 (ausgefallen).
        Chunk 9 liegt auf disk3 (ausgefallen), die Parität auf disk1, die zweite Parität auf disk2; sein Inhalt wird aus den anderen Platten berechnet.
        Chunk 10 liegt auf disk4, die Parität auf disk1, die zweite Parität auf disk2.
        Chunk 11 liegt auf disk0 (ausgefallen), die Parität auf disk1, die zweite Parität auf disk2; sein Inhalt wird aus den anderen Platten berechnet.
        Chunk 12 liegt auf disk2, die Parität auf disk0 (ausgefallen), die zweite Parität auf disk1.
        Chunk 13 liegt auf disk3 (ausgefallen), die Parität auf disk0 (ausgefallen), die zweite Parität auf disk1; sein Inhalt wird aus den anderen Platten berechnet.
        Chunk 14 liegt auf disk4, die Parität auf disk0 (ausgefallen), die zweite Parität auf disk1.
        Das Muster wiederholt sich alle 15 Chunks.
        Ein sequenzieller Leser liest von disk1, disk2 und disk4: Jede Platte liefert 3 von 15 Chunks.
        Ausfall von disk0 und disk3: Die Daten dieser Platten werden aus dem Rest jeder Zeile berechnet.
    "#]].assert_eq(&german(&map(Level::Raid6, None, &[MEMBER; 5], &[0, 3])));
}

#[test]
fn mirrors_without_failures_or_copies_left_are_shown_in_german() {
    expect![[r#"
        Array-Karte  disk0  disk1  disk2  disk3
        Zeile 0       (0)    (0)    *1*     1
        Zeile 1       (2)    (2)    *3*     3
        Zeile 2       (4)    (4)    *5*     5
        n: ein Chunk von 64K · *n*: hier wird gelesen · (n): ausgefallen
        Ausfall von disk0 und disk1: Verloren ist Chunk 0 von je 2.

        Array-Karte: raid10, 4 Platten, Chunk 64K.
        Chunk 0 liegt auf disk0 (ausgefallen) und disk1 (ausgefallen); sein Inhalt ist verloren.
        Chunk 1 liegt auf disk2 und disk3; gelesen wird von disk2.
        Das Muster wiederholt sich alle 2 Chunks.
        Ausfall von disk0 und disk1: Verloren ist Chunk 0 von je 2.
    "#]]
    .assert_eq(&german(&map(Level::Raid10, None, &[MEMBER; 4], &[0, 1])));
    expect![[r#"
        Array-Karte  disk0  disk1
        Zeile 0       *0*     0
        Zeile 1       *1*     1
        Zeile 2       *2*     2
        n: ein Stück von 512K, da es keine Chunks gibt · *n*: hier wird gelesen
        Ein sequenzieller Leser mit einem I/O unterwegs liest nur von disk0. Von disk1
        wird nichts gelesen.

        Array-Karte: raid1, 2 Platten, Stücke zu 512K.
        Stück 0 liegt auf disk0 und disk1; gelesen wird von disk0.
        Alle anderen liegen auf denselben Platten.
        Ein sequenzieller Leser mit einem I/O unterwegs liest nur von disk0.
        Von disk1 wird nichts gelesen.
    "#]]
    .assert_eq(&german(&map(Level::Raid1, None, &[MEMBER; 2], &[])));
}

#[test]
fn zones_are_shown_in_german() {
    let sizes = [MEMBER, 2 * MEMBER, 2 * MEMBER];
    expect![[r#"
        Array-Karte     disk0    disk1    disk2
        Zeile 0              0        1        2
        Zeile 1              3        4        5
        Zeile 2              6        7        8
        …
        Zeile 1000000           3000000  3000001
        Zeile 1000001           3000002  3000003
        Zeile 1000002           3000004  3000005
        n: ein Chunk von 64K
        Ein sequenzieller Leser liest reihum von disk0, disk1 und disk2: Jede Platte
        liefert 1 von 3 Chunks. Auf jeder Platte liegen die gelesenen Chunks
        hintereinander. Ab Chunk 3000000 ist nur noch auf 2 Platten Platz.

        Array-Karte: raid0 alternate, 3 Platten, Chunk 64K.
        Chunk 0 liegt auf disk0.
        Chunk 1 liegt auf disk1.
        Chunk 2 liegt auf disk2.
        Das Muster wiederholt sich alle 3 Chunks.
        Ein sequenzieller Leser liest reihum von disk0, disk1 und disk2: Jede Platte liefert 1 von 3 Chunks.
        Auf jeder Platte liegen die gelesenen Chunks hintereinander.
        Ab Chunk 3000000 ist nur noch auf 2 Platten Platz.
    "#]].assert_eq(&german(&map(Level::Raid0, Some("alternate"), &sizes, &[])));
}

#[test]
fn a_wide_array_is_shown_in_german() {
    expect![[r#"
        Array-Karte  disk0   disk1   disk2   disk3   disk4   disk5   disk6   disk7   …
        Zeile 0         Q       0       1       2       3       4       5       6    …
        Zeile 1        22      23      24      25      26      27      28      29    …
        Zeile 2        45      46      47      48      49      50      51      52    …
        Zeile 3        68      69      70      71      72      73      74      75    …
        Zeile 4        91      92      93      94      95      96      97      98    …
        Zeile 5       114     115     116     117     118     119     120     121    …
        Zeile 6       137     138     139     140     141     142     143     144    …
        Zeile 7       160     161     162     163     164     165     166     167    …
        Zeile 8       183     184     185     186     187     188     189     190    …
        Zeile 9       206     207     208     209     210     211     212     213    …
        Zeile 10      229     230     231     232     233     234     235     236    …
        Zeile 11      252     253     254     255     256     257     258     259    …
        Zeile 12      275     276     277     278     279     280     281     282    …
        Zeile 13      298     299     300     301     302     303     304     305    …
        Zeile 14      321     322     323     324     325     326     327     328    …
        Zeile 15      344     345     346     347     348     349     350     351    …
        …
        n: ein Chunk von 64K · P, Q: Parität
        Ein sequenzieller Leser liest von allen 24 Platten: Jede Platte liefert 22 von
        528 Chunks. Auf jeder Platte sind Lücken zwischen den gelesenen Chunks. Nicht
        gezeichnet: 16 weitere Platten und 8 weitere Zeilen.

        Array-Karte: raid6, 24 Platten, Chunk 64K.
        Chunk 0 liegt auf disk1, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 1 liegt auf disk2, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 2 liegt auf disk3, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 3 liegt auf disk4, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 4 liegt auf disk5, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 5 liegt auf disk6, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 6 liegt auf disk7, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 7 liegt auf disk8, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 8 liegt auf disk9, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 9 liegt auf disk10, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 10 liegt auf disk11, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 11 liegt auf disk12, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 12 liegt auf disk13, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 13 liegt auf disk14, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 14 liegt auf disk15, die Parität auf disk23, die zweite Parität auf disk0.
        Chunk 15 liegt auf disk16, die Parität auf disk23, die zweite Parität auf disk0.
        Das Muster wiederholt sich alle 528 Chunks.
        Ein sequenzieller Leser liest von allen 24 Platten: Jede Platte liefert 22 von 528 Chunks.
        Auf jeder Platte sind Lücken zwischen den gelesenen Chunks.
    "#]]
    .assert_eq(&german(&map(Level::Raid6, None, &[MEMBER; 24], &[])));
}

#[test]
fn json_has_numbers_with_their_units() {
    let map = map(Level::Raid10, Some("f2"), &[MEMBER; 2], &[1]);
    let mut value = serde_json::to_value(&map).unwrap();
    value["chunks"].as_array_mut().unwrap().truncate(1);
    expect![[r#"
        {
          "chunk_bytes": 65536,
          "chunks": [
            {
              "chunk": 0,
              "copies": [
                {
                  "member": 0,
                  "offset_chunks": 0,
                  "role": "data"
                },
                {
                  "member": 1,
                  "offset_chunks": 500000,
                  "role": "copy"
                }
              ],
              "is_lost": false,
              "served_by": 0
            }
          ],
          "failed": [
            1
          ],
          "layout": "f2",
          "level": "raid10",
          "members": 2,
          "notes": [
            {
              "note": "far_copies",
              "stride_chunks": 500000
            }
          ],
          "pattern_chunks": 2,
          "pattern_rows": 1,
          "unit": "chunk"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn names_from_outside_stay_text_and_fit() {
    let map = map(Level::Raid10, Some("n2"), &[MEMBER; 4], &[]);
    let names = [
        "sda".to_owned(),
        "x".repeat(10_000),
        "\u{1b}[2J\u{202e}evil\n".to_owned(),
        " ".to_owned(),
    ];
    let view = View::drawn(60);
    let text = drawn_map(&map, &names, view);
    assert!(!text.contains("\u{1b}[2J") && !text.contains('\u{202e}'));
    let drawn = shown(&text);
    assert!(drawn.lines().all(|line| line.width() <= 60), "{drawn}");
    assert!(drawn.contains("disk3"), "an empty name counts as none");
    expect!["array map     sda      xxxxx…xxxx  ␛[2J�evil     disk3"]
        .assert_eq(drawn.lines().next().unwrap());
}

#[test]
fn no_terminal_is_too_narrow_and_no_array_too_wide() {
    for (level, members) in [
        (Level::Raid10, 200),
        (Level::Raid5, 60),
        (Level::Raid1, 4096),
    ] {
        let map = map(level, None, &vec![u64::MAX >> 20; members], &[1]);
        for columns in [0, 41, 79, 500] {
            let view = View::drawn(columns);
            let most = columns.clamp(40, 100);
            let drawn = shown(&drawn_map(&map, &[], view));
            assert!(
                drawn.lines().all(|line| line.width() <= most),
                "{columns}: {drawn}"
            );
            assert!(drawn.lines().count() < 40);
        }
    }
}
