//! Guards against the mistake of 3.14: chunks of later zones on other members than before.

use proptest::prelude::*;

use super::*;

const CHUNK: Bytes = Bytes::new(32 << 10);
const CHUNK_SECTORS: u64 = 64;

fn array(chunks: &[u64], layout: Raid0Layout) -> Raid0 {
    let sizes: Vec<Sectors> = chunks
        .iter()
        .map(|chunks| Sectors::new(chunks * CHUNK_SECTORS + 5))
        .collect();
    Raid0::new(&sizes, CHUNK, layout).unwrap()
}

/// Draws each member as a column of chunk letters, top first.
fn picture(array: &Raid0, members: u16) -> String {
    let mut columns = vec![String::new(); usize::from(members)];
    for chunk in 0..array.size().get() / CHUNK_SECTORS {
        let place = array.find(Sectors::new(chunk * CHUNK_SECTORS));
        let column = &mut columns[place.member.index()];
        assert_eq!(place.sector.get(), column.len() as u64 * CHUNK_SECTORS);
        column.push(char::from(b'A' + u8::try_from(chunk).unwrap()));
    }
    columns.join("/")
}

#[test]
fn zones_follow_the_layout() {
    for (chunks, original, alternate) in [
        (&[2, 2, 2][..], "AD/BE/CF", "AD/BE/CF"),
        (&[3, 2, 1][..], "AEF/BD/C", "ADF/BE/C"),
        (&[1, 3, 2][..], "A/BEF/CD", "A/BDF/CE"),
        (&[1, 4][..], "A/BCDE", "A/BCDE"),
    ] {
        let members = u16::try_from(chunks.len()).unwrap();
        let drawn = |layout| picture(&array(chunks, layout), members);
        assert_eq!(drawn(Raid0Layout::Original), original, "{chunks:?}");
        assert_eq!(drawn(Raid0Layout::Alternate), alternate, "{chunks:?}");
    }
}

#[test]
fn impossible_arrays_are_refused() {
    let new =
        |sizes: &[Sectors], chunk| Raid0::new(sizes, Bytes::new(chunk), Raid0Layout::Original);
    let size = [Sectors::new(1000)];
    assert!(matches!(new(&size, 0), Err(Raid0Error::Chunk { .. })));
    assert!(matches!(new(&size, 5000), Err(Raid0Error::Chunk { .. })));
    assert!(matches!(
        new(&size, 1 << 20),
        Err(Raid0Error::Device { .. })
    ));
    assert!(matches!(new(&[], 4096), Err(Raid0Error::NoDevice)));
    assert!(
        new(&size, 12288).is_ok(),
        "the chunk need not be a power of two"
    );
}

/// Returns the pieces of a bio in KiB as `start+length`.
fn pieces(rule: Raid0Split, start_kib: u64, length_kib: u64) -> String {
    pieces_of_blocks(1, rule, start_kib, length_kib)
}

/// Returns the limit of an array's queue whose devices have physical blocks of `block` sectors.
fn limit(block: u64) -> BioLimit {
    BioLimit {
        max: Sectors::new(CHUNK_SECTORS),
        block: Sectors::new(block),
        border: None,
    }
}

/// A bio of two chunks that begins in the middle of one.
#[test]
fn since_6_17_the_block_layer_cuts_at_chunks_front_first() {
    let array = array(&[100, 100], Raid0Layout::Original);
    let bio = Piece {
        start: Sectors::new(CHUNK_SECTORS / 2),
        length: Sectors::new(2 * CHUNK_SECTORS),
    };
    let split = |limit, rule| {
        let mut pieces = Vec::new();
        array.split(rule, limit, bio, &mut pieces);
        let lengths = pieces
            .iter()
            .map(|piece| piece.length.get() * 4 / CHUNK_SECTORS);
        lengths.collect::<Vec<_>>()
    };
    let at_borders = BioLimit {
        border: Some(Sectors::new(CHUNK_SECTORS)),
        ..limit(8)
    };
    for rule in [
        Raid0Split::InOrder,
        Raid0Split::RestLater,
        Raid0Split::RestFirst,
    ] {
        assert_eq!(split(limit(8), rule), [2, 2, 2, 2]);
        assert_eq!(split(at_borders, rule), [2, 4, 2]);
    }
}

fn pieces_of_blocks(block: u64, rule: Raid0Split, start_kib: u64, length_kib: u64) -> String {
    let array = array(&[100, 100], Raid0Layout::Original);
    let bio = Piece {
        start: Sectors::new(start_kib * 2),
        length: Sectors::new(length_kib * 2),
    };
    let mut pieces = Vec::new();
    array.split(rule, limit(block), bio, &mut pieces);
    let texts: Vec<String> = pieces
        .iter()
        .map(|piece| format!("{}+{}", piece.start.get() / 2, piece.length.get() / 2))
        .collect();
    texts.join(" ")
}

#[test]
fn the_order_of_pieces_follows_the_kernel() {
    use Raid0Split::{InOrder, RestFirst, RestLater};
    for rule in [InOrder, RestLater, RestFirst] {
        assert_eq!(pieces(rule, 32, 96), "32+32 64+32 96+32");
        assert_eq!(pieces(rule, 36, 4), "36+4");
    }
    assert_eq!(pieces(InOrder, 16, 80), "16+16 32+16 48+16 64+16 80+16");
    assert_eq!(pieces(RestFirst, 16, 80), "32+16 16+16 64+16 48+16 80+16");
    assert_eq!(pieces(RestLater, 16, 80), "16+16 48+16 80+16 64+16 32+16");
    assert_eq!(pieces(RestLater, 8, 60), "8+24 40+24 64+4 32+8");
}

/// Guards against wrong RAID 0 counts for I/Os that do not begin at a physical block: the block
/// layer cuts them at one, a little before a full chunk.
#[test]
fn a_bio_is_cut_at_a_physical_block() {
    use Raid0Split::{InOrder, RestFirst, RestLater};
    let of = |rule, start, length| pieces_of_blocks(8, rule, start, length);
    assert_eq!(of(RestFirst, 5, 65), "32+4 5+27 64+4 36+28 68+2");
    assert_eq!(pieces(RestFirst, 5, 65), "32+5 5+27 64+5 37+27 69+1");
    // An I/O of exactly one chunk is cut as well, because it ends in the middle of a block.
    assert_eq!(of(RestFirst, 5, 32), "32+4 5+27 36+1");
    assert_eq!(pieces(RestFirst, 5, 32), "32+5 5+27");
    for rule in [InOrder, RestFirst, RestLater] {
        assert_eq!(
            of(rule, 4, 64),
            pieces(rule, 4, 64),
            "aligned: nothing changes"
        );
        assert_eq!(of(rule, 5, 9), "5+9");
    }
}

proptest! {
    #[test]
    fn every_place_of_whole_chunks_is_used_once_and_maps_back(
        chunks in proptest::collection::vec(1_u64..9, 1..=5),
        is_original: bool,
        within in 0..CHUNK_SECTORS,
    ) {
        let layout = if is_original { Raid0Layout::Original } else { Raid0Layout::Alternate };
        let array = array(&chunks, layout);
        prop_assert_eq!(array.size().get(), chunks.iter().sum::<u64>() * CHUNK_SECTORS);
        let mut used = vec![vec![false; 8]; chunks.len()];
        for chunk in 0..array.size().get() / CHUNK_SECTORS {
            let sector = Sectors::new(chunk * CHUNK_SECTORS + within);
            let place = array.find(sector);
            let row = place.sector.get() / CHUNK_SECTORS;
            prop_assert!(row < chunks[place.member.index()]);
            let seen = &mut used[place.member.index()][usize::try_from(row).unwrap()];
            prop_assert!(!*seen);
            *seen = true;
            prop_assert_eq!(array.find_virtual(place), Some(sector));
        }
        for (member, chunks) in (0..).zip(&chunks) {
            let sector = Sectors::new(chunks * CHUNK_SECTORS);
            prop_assert_eq!(array.find_virtual(Place { member: Member(member), sector }), None);
        }
    }

    #[test]
    fn pieces_cover_the_bio_and_cross_no_border(
        start in 0_u64..1000,
        length in 1_u64..3000,
        rule in 0_u8..3,
        is_cut_at_blocks: bool,
        is_cut_at_borders: bool,
    ) {
        let rule = [Raid0Split::InOrder, Raid0Split::RestLater, Raid0Split::RestFirst][usize::from(rule)];
        let array = array(&[100, 100], Raid0Layout::Original);
        let bio = Piece { start: Sectors::new(start), length: Sectors::new(length) };
        let mut pieces = Vec::new();
        let mut limit = limit(if is_cut_at_blocks { 8 } else { 1 });
        limit.border = is_cut_at_borders.then_some(limit.max);
        array.split(rule, limit, bio, &mut pieces);
        pieces.sort_by_key(|piece| piece.start);
        let mut position = bio.start;
        for piece in pieces {
            prop_assert_eq!(piece.start, position);
            let last = piece.start.get() + piece.length.get() - 1;
            prop_assert_eq!(piece.start.get() / CHUNK_SECTORS, last / CHUNK_SECTORS);
            position = piece.start + piece.length;
        }
        prop_assert_eq!(position, bio.start + bio.length);
    }
}
