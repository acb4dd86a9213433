//! One damaged superblock of every format, in every place of the table.
//!
//! The failure: after a crash an md superblock had a wrong checksum, and `wipefs` and `blkid` did
//! not list it. We treated the device as empty and overwrote the array.

use std::io::{Read, Write};
use std::path::Path;

use super::super::examined::check_empty;
use super::super::refusal::Refusal;
use super::super::signatures::{self, Erased, Magic};
use super::*;
use crate::device::Token;
use crate::device::signatures::is_made_with;

const SIZE_BYTES: u64 = 64 << 20;

/// Returns bytes that look random and are always the same (xorshift64*).
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_be_bytes()
    };
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&next()[..4]);
    }
    bytes.truncate(length);
    bytes
}

/// Returns an empty disk of at least `size_bytes`.
fn disk(size_bytes: u64) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(size_bytes).unwrap();
    file
}

fn found_on(file: &File) -> Vec<FoundMagic> {
    let search = find(file).unwrap();
    assert!(search.unreadable.is_none(), "{search:?}");
    search.found
}

/// Writes a superblock in which only the magic number is right.
fn write_damaged(file: &File, row: &MagicEntry, offset_bytes: u64, seed: u64) {
    let at = |distance| offset_bytes.checked_add_signed(distance).unwrap();
    let before = offset_bytes.min(256);
    let size_bytes = file.metadata().unwrap().len();
    let length = (size_bytes - offset_bytes).min(256) + before;
    let garbage = noise(seed, usize::try_from(length).unwrap());
    file.write_all_at(&garbage, offset_bytes - before).unwrap();
    file.write_all_at(row.magic, offset_bytes).unwrap();
    match row.extra {
        Extra::None => {}
        Extra::Bytes(distance, bytes) => file.write_all_at(bytes, at(distance)).unwrap(),
        Extra::BootFlags => {
            for (entry, flag) in [(0, 0x80), (1, 0), (2, 0x7f), (3, 0)] {
                file.write_all_at(&[flag], at(-64 + 16 * entry)).unwrap();
            }
        }
    }
}

#[test]
fn a_damaged_superblock_of_every_format_is_refused_by_its_name_and_place() {
    let mut missed = 0;
    for (row, seed) in ROWS.iter().zip(1..) {
        let is_far = matches!(row.place, MagicOffset::Start(at) if at >= SIZE_BYTES);
        let file = disk(if is_far { 300 << 30 } else { SIZE_BYTES });
        let size_bytes = file.as_file().metadata().unwrap().len();
        let offset_bytes = *row.place.offsets(size_bytes).last().unwrap();
        write_damaged(file.as_file(), row, offset_bytes, seed);
        let found = found_on(file.as_file());
        let is_it = |one: &FoundMagic| one.row.kind == row.kind && one.offset_bytes == offset_bytes;
        assert!(found.iter().any(is_it), "{row:?} at {offset_bytes}");
        let refusal = check_empty(file.path(), file.path(), None).expect_err(row.kind);
        if let Refusal::MagicNumber { .. } = refusal {
            missed += 1;
            let words = format!("the magic number of `{}`", row.kind);
            let place = format!("at byte {offset_bytes}");
            let text = refusal.to_string();
            assert!(text.contains(&words) && text.contains(&place), "{text}");
            let length = row.magic.len();
            let overwrite = format!("seek={offset_bytes} count={length} conv=notrunc");
            assert!(refusal.hint().contains(&overwrite), "{}", refusal.hint());
        }
    }
    assert!(missed > 0, "util-linux knows all of them, valid or not");
}

#[test]
fn zeroes_and_random_bytes_have_no_signature() {
    for seed in 0..3 {
        let size_bytes = 16 << 20;
        let mut file = disk(size_bytes);
        if seed > 0 {
            let bytes = noise(seed, usize::try_from(size_bytes).unwrap());
            file.write_all(&bytes).unwrap();
        }
        assert!(found_on(file.as_file()).is_empty(), "seed {seed}");
        check_empty(file.path(), file.path(), None).unwrap();
    }
}

#[test]
fn random_bytes_are_refused_less_than_once_in_a_hundred_million_devices() {
    // A pattern of n bytes occurs by chance with probability 2^-8n. The sum is an upper bound for
    // any of them at any place of a device of 1 TiB.
    let chance = |row: &MagicEntry| {
        let (bytes, more) = match row.extra {
            Extra::None => (row.magic.len(), 1.0),
            Extra::Bytes(_, bytes) => (row.magic.len() + bytes.len(), 1.0),
            // Three of four bytes, each of which has 2 of 256 values.
            Extra::BootFlags => (row.magic.len(), 4.0 * 128_f64.powi(-3)),
        };
        let bits = i32::try_from(8 * bytes).unwrap();
        let places = u32::try_from(row.place.offsets(1 << 40).len()).unwrap();
        f64::from(places) * more * 2_f64.powi(-bits)
    };
    let chance: f64 = ROWS.iter().map(chance).sum();
    assert!(chance < 1e-8, "{chance:e}");
    for row in ROWS {
        let fixed = match row.extra {
            Extra::None => row.magic.len(),
            Extra::Bytes(_, bytes) => row.magic.len() + bytes.len(),
            Extra::BootFlags => row.magic.len() + 3,
        };
        assert!(fixed >= 4, "{row:?}");
    }
}

/// Returns a superblock of md, version 1.2, with a UUID and a wrong checksum.
fn md_superblock(uuid: [u8; 16]) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..4].copy_from_slice(b"\xfc\x4e\x2b\xa9");
    block[4] = 1;
    block[16..32].copy_from_slice(&uuid);
    // A wrong offset: libblkid rejects the superblock (`super_offset`, `sb_csum`).
    block[144..152].copy_from_slice(&9_u64.to_le_bytes());
    block[216..220].copy_from_slice(&0xdead_beef_u32.to_le_bytes());
    block
}

fn uuid_of(token: Token) -> [u8; 16] {
    let digits = token.uuid().unwrap().replace('-', "");
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    std::array::from_fn(byte)
}

fn content(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_damaged_superblock_is_removed_only_if_it_has_a_uuid_of_the_run() {
    let token = Token::draw().unwrap();
    let file = disk(SIZE_BYTES);
    let (disk, path) = (file.as_file(), file.path());
    let is_ours = |found: &signatures::Signature| is_made_with(token, found);
    disk.write_all_at(&md_superblock(uuid_of(token)), 4096)
        .unwrap();
    // A foreign superblock, at the end of the device.
    let place = SIZE_BYTES - 8192;
    disk.write_all_at(&md_superblock([7; 16]), place).unwrap();
    let before = content(path);
    let erased = signatures::erase(disk, path, path, &is_ours).unwrap();
    let Erased::Foreign(foreign) = erased else {
        panic!("{erased:?}");
    };
    let magic = Magic {
        offset_bytes: place,
        length_bytes: 4,
    };
    let places: Vec<Option<Magic>> = foreign.iter().map(|one| one.magic).collect();
    assert_eq!(places, [Some(magic)]);
    assert!(content(path) == before, "a byte was changed");
    disk.write_all_at(&[0; 512], place).unwrap();
    let erased = signatures::erase(disk, path, path, &is_ours).unwrap();
    assert_eq!(erased, Erased::All { was_any: true });
    assert_eq!(content(path)[4096..4100], [0; 4]);
    assert_eq!(content(path)[4100], 1, "the magic number alone is removed");
}

#[test]
fn backup_superblocks_of_a_run_are_recognised_by_uuid_or_name() {
    let token = Token::draw().unwrap();
    let name = "stripewise0a1b2c";
    for (row, seed) in ROWS.iter().zip(1..) {
        let is_far = matches!(row.place, MagicOffset::Start(at) if at >= SIZE_BYTES);
        let file = disk(if is_far { 300 << 30 } else { SIZE_BYTES });
        let size_bytes = file.as_file().metadata().unwrap().len();
        let at = row.place.offsets(size_bytes)[0];
        write_damaged(file.as_file(), row, at, seed);
        let write = |distance: i64, bytes: &[u8]| {
            let at = at.checked_add_signed(distance).unwrap();
            file.as_file().write_all_at(bytes, at).unwrap();
        };
        let uuid = uuid_of(token);
        match row.identity {
            Identity::Nothing => continue,
            Identity::Uuid(distance) => write(distance, &uuid),
            Identity::UuidWords(first, others) => {
                write(first, &uuid[..4]);
                write(others, &uuid[4..]);
            }
            Identity::UuidText(distance, _) => write(distance, hex(&uuid).as_bytes()),
            Identity::Text(distance, _) => write(distance, format!("{name}\0").as_bytes()),
            Identity::Text16(distance, _) => {
                let bytes: Vec<u8> = format!("{name}\0").bytes().flat_map(|c| [c, 0]).collect();
                write(distance, &bytes);
            }
            Identity::ZfsName => {
                let pair = [ZFS_NAME_KEY, &16_u32.to_be_bytes(), name.as_bytes()].concat();
                let distance = (16 << 10) + 40 - (128 << 10);
                write(distance, &pair);
            }
        }
        let found = found_on(file.as_file());
        let found = found.iter().find(|one| one.offset_bytes == at).unwrap();
        let is_ours = found.uuid.as_ref().is_some_and(|uuid| token.owns(uuid))
            || found.label.as_deref() == Some(name);
        assert!(is_ours, "{row:?}: {found:?}");
    }
}
