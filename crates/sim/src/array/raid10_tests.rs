//! Guards against layouts that lose data: two chunks in one place, or two copies on one disk.

use proptest::prelude::*;

use super::*;

const CHUNK: Bytes = Bytes::new(32 << 10);
const CHUNK_SECTORS: u64 = 64;

fn array(layout: Layout, devices: u16, chunks: u64) -> Result<Raid10, Raid10Error> {
    let device_size = Sectors::new(chunks * CHUNK_SECTORS + 17);
    Raid10::new(layout, devices, CHUNK, device_size)
}

fn parsed(text: &str, devices: u16, chunks: u64) -> Raid10 {
    array(Layout::parse(text).unwrap(), devices, chunks).unwrap()
}

/// Draws the array as md(4) does: a row of chunk letters for each chunk of the devices.
fn picture(array: &Raid10, rows: u64) -> String {
    let mut grid = vec![vec!['.'; usize::from(array.devices)]; usize::try_from(rows).unwrap()];
    let mut places = [Place::default(); COPIES_MAX];
    for chunk in 0..array.size_chunks {
        let letter = char::from(b'A' + u8::try_from(chunk).unwrap());
        let count = array.find(Sectors::new(chunk * CHUNK_SECTORS), &mut places);
        for place in &places[..count] {
            let row = place.sector.get() / CHUNK_SECTORS;
            grid[usize::try_from(row).unwrap()][place.member.index()] = letter;
        }
    }
    let rows: Vec<String> = grid
        .into_iter()
        .map(|row| row.into_iter().collect())
        .collect();
    rows.join("/")
}

#[test]
fn layouts_look_as_in_the_manual() {
    for (layout, devices, chunks, expected) in [
        ("n2", 4, 3, "AABB/CCDD/EEFF"),
        ("n2", 3, 3, "AAB/BCC/DD."),
        ("n3", 4, 3, "AAAB/BBCC/CDDD"),
        ("f2", 4, 4, "ABCD/EFGH/DABC/HEFG"),
        ("f2", 3, 4, "ABC/DEF/CAB/FDE"),
        ("f3", 3, 3, "ABC/CAB/BCA"),
        ("o2", 4, 4, "ABCD/DABC/EFGH/HEFG"),
        ("o2", 3, 4, "ABC/CAB/DEF/FDE"),
        ("o3", 4, 3, "ABCD/DABC/CDAB"),
    ] {
        let array = parsed(layout, devices, chunks);
        assert_eq!(picture(&array, chunks), expected, "{layout} on {devices}");
    }
}

#[test]
fn far_sets_keep_copies_apart_as_in_setup_geo() {
    for (number, devices, expected) in [
        (0x2_0201, 4, "ABCD/BADC"),
        (0x2_0201, 5, "ABCDE/BAECD"),
        (0x4_0201, 5, "ABCDE/BAECD"),
        (0x4_0201, 6, "ABCDEF/BADCFE"),
        (0x4_0301, 7, "ABCDEFG/CABGDEF/BCAFGDE"),
        (0x5_0201, 4, "ABCD/BADC"),
    ] {
        let layout = Layout::from_number(number).unwrap();
        let rows = u64::from(layout.far_copies());
        let array = array(layout, devices, rows).unwrap();
        assert_eq!(picture(&array, rows), expected, "{number:#x} on {devices}");
    }
}

#[test]
fn shapes_that_lose_data_are_refused() {
    let refused = |number, devices| {
        let layout = Layout::from_number(number).unwrap();
        array(layout, devices, 8).unwrap_err()
    };
    assert!(matches!(refused(0x103, 2), Raid10Error::Copies { .. }));
    assert!(matches!(refused(0x2_0301, 4), Raid10Error::Copies { .. }));
    assert!(matches!(
        refused(0x4_0202, 9),
        Raid10Error::Collision { .. }
    ));
    assert!(matches!(
        refused(0x1_0202, 5),
        Raid10Error::Collision { .. }
    ));
    assert!(matches!(refused(0x0505, 30), Raid10Error::TooMany { .. }));
    for text in ["", "n", "n0", "x2", "n+2", "n2f2", "n256", "\u{e9}2"] {
        assert!(Layout::parse(text).is_err(), "{text}");
    }
    for number in [0, 0x100, 0x002, 0x6_0102, 0x8_0102, 0x100_0102] {
        assert!(Layout::from_number(number).is_err(), "{number:#x}");
    }
    let n2 = Layout::parse("n2").unwrap();
    for chunk in [0, 2048, 12288] {
        assert!(Raid10::new(n2, 4, Bytes::new(chunk), Sectors::new(1 << 20)).is_err());
    }
    assert!(Raid10::new(n2, 4, CHUNK, Sectors::new(63)).is_err());
    assert!(Raid10::new(n2, 0, CHUNK, Sectors::new(640)).is_err());
}

#[test]
fn requests_split_at_chunks_unless_every_device_has_everything() {
    let four = parsed("n2", 4, 8);
    let length = |array: &Raid10, start, length| {
        array
            .first_length(Sectors::new(start), Sectors::new(length))
            .get()
    };
    assert_eq!(length(&four, 0, 256), 64);
    assert_eq!(length(&four, 60, 256), 4);
    assert_eq!(length(&four, 60, 2), 2);
    let two = parsed("n2", 2, 8);
    assert_eq!(length(&two, 60, 256), 256, "a mirror of two is not striped");
    assert_eq!(length(&parsed("f2", 2, 8), 60, 256), 4);
}

/// Draws a layout and a number of devices that md accepts.
fn shapes() -> impl Strategy<Value = (Layout, u16, u64)> {
    let copies = prop_oneof![
        (2_u32..=4).prop_map(|near| near | 0x100),
        (2_u32..=4, 0_u32..=1, 0_u32..=2)
            .prop_map(|(far, offset, sets)| 1 | far << 8 | offset << 16 | sets << 17),
        (0_u32..=1, 0_u32..=2).prop_map(|(offset, sets)| 0x202 | offset << 16 | sets << 17),
    ];
    (copies, 2_u16..=9, 1_u64..=24).prop_filter_map("refused", |(number, devices, chunks)| {
        let layout = Layout::from_number(number).ok()?;
        array(layout, devices, chunks).ok()?;
        Some((layout, devices, chunks))
    })
}

proptest! {
    #[test]
    fn every_sector_has_copies_on_different_members_that_map_back(
        (layout, devices, chunks) in shapes(),
        fraction in 0_u64..1 << 32,
    ) {
        let array = array(layout, devices, chunks).unwrap();
        let sector = Sectors::new((array.size().get() * fraction) >> 32);
        let mut places = [Place::default(); COPIES_MAX];
        let count = array.find(sector, &mut places);
        prop_assert_eq!(u32::try_from(count).unwrap(), layout.copies());
        for (slot, place) in places[..count].iter().enumerate() {
            prop_assert_eq!(array.find_virtual(*place), Some(sector));
            prop_assert!(place.member.0 < devices);
            prop_assert!(place.sector < array.used());
            for other in &places[..slot] {
                prop_assert_ne!(other.member, place.member);
            }
        }
    }

    #[test]
    fn no_place_is_used_twice_and_others_map_to_nothing((layout, devices, chunks) in shapes()) {
        let array = array(layout, devices, chunks).unwrap();
        prop_assert!(array.used() <= Sectors::new(chunks * CHUNK_SECTORS));
        let mut used = vec![vec![None; usize::try_from(chunks).unwrap()]; usize::from(devices)];
        let mut places = [Place::default(); COPIES_MAX];
        for chunk in 0..array.size_chunks {
            let sector = Sectors::new(chunk * CHUNK_SECTORS);
            let count = array.find(sector, &mut places);
            for place in &places[..count] {
                let row = usize::try_from(place.sector.get() / CHUNK_SECTORS).unwrap();
                let before = used[place.member.index()][row].replace(sector);
                prop_assert_eq!(before, None);
            }
        }
        for (device, rows) in (0..).zip(&used) {
            for (row, sector) in (0..).zip(rows) {
                let sector_of_row = Sectors::new(row * CHUNK_SECTORS);
                let place = Place { member: Member(device), sector: sector_of_row };
                prop_assert_eq!(array.find_virtual(place), *sector);
            }
        }
    }
}
