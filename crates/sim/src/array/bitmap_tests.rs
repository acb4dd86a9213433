//! Guards against a bitmap that costs nothing or too much. A set bit is free; setting one costs a
//! flush on every member; five to ten seconds after the last write it is clear again.

use super::*;

const MIB: u64 = 1 << 11;

fn at_ms(ms: u64) -> Instant {
    Instant::START + Nanos::from_millis(ms)
}

fn bitmap(mib: u64, chunk_mib: u64) -> Bitmap {
    Bitmap::new(Sectors::new(mib * MIB), Bytes::new(chunk_mib << 20)).unwrap()
}

fn write(bitmap: &mut Bitmap, ms: u64, mib: u64) -> bool {
    let sector = Sectors::new(mib * MIB);
    let dirty = bitmap.start_write(at_ms(ms), sector, Sectors::new(8));
    bitmap.end_write(at_ms(ms), sector, Sectors::new(8));
    dirty
}

fn unplug(bitmap: &mut Bitmap) -> Vec<u32> {
    let mut pages = Vec::new();
    bitmap.unplug(&mut pages);
    pages
}

#[test]
fn a_bit_costs_once_and_is_free_until_it_is_cleared() {
    let mut bitmap = bitmap(1024, 64);
    assert!(write(&mut bitmap, 100, 0));
    assert_eq!(unplug(&mut bitmap), [0]);
    assert!(!write(&mut bitmap, 200, 63), "the same chunk");
    assert!(unplug(&mut bitmap).is_empty());
    assert!(write(&mut bitmap, 300, 64), "the next chunk");
    assert!(
        !write(&mut bitmap, 9_999, 0),
        "one run of the daemon was not enough"
    );
    assert!(!write(&mut bitmap, 14_999, 0));
    assert!(
        write(&mut bitmap, 25_000, 0),
        "two runs without a write were"
    );
}

#[test]
fn bits_are_cleared_five_to_ten_seconds_after_the_last_write() {
    for last in [0, 1, 4_999, 5_000, 7_777] {
        let mut bitmap = bitmap(1024, 64);
        write(&mut bitmap, last, 0);
        let cleared = (last / 5_000 + 2) * 5_000;
        assert!((5_000..=10_000).contains(&(cleared - last)));
        bitmap.catch_up(at_ms(cleared - 1));
        assert_eq!(bitmap.set_bits(), 1, "last write at {last} ms");
        bitmap.catch_up(at_ms(cleared));
        assert_eq!(bitmap.set_bits(), 0, "last write at {last} ms");
    }
}

#[test]
fn a_write_in_flight_keeps_its_bit() {
    let mut bitmap = bitmap(1024, 64);
    let (sector, length) = (Sectors::new(0), Sectors::new(8));
    assert!(bitmap.start_write(at_ms(0), sector, length));
    assert!(!bitmap.start_write(at_ms(60_000), sector, length));
    bitmap.end_write(at_ms(60_000), sector, length);
    bitmap.catch_up(at_ms(120_000));
    assert_eq!(bitmap.set_bits(), 1);
    bitmap.end_write(at_ms(120_000), sector, length);
    bitmap.catch_up(at_ms(130_000));
    assert_eq!(bitmap.set_bits(), 0);
}

#[test]
fn the_daemon_writes_a_cleared_page_one_run_later() {
    let mut bitmap = bitmap(1024, 64);
    let mut pages = Vec::new();
    assert_eq!(bitmap.next_daemon(), None);
    write(&mut bitmap, 1_000, 0);
    unplug(&mut bitmap);
    assert_eq!(bitmap.next_daemon(), Some(at_ms(5_000)));
    bitmap.daemon_writes(at_ms(14_999), &mut pages);
    assert!(pages.is_empty());
    bitmap.daemon_writes(at_ms(15_000), &mut pages);
    assert_eq!(pages, [0]);
    assert_eq!(bitmap.next_daemon(), None);
}

#[test]
fn bits_and_pages_are_where_md_puts_them() {
    assert_eq!((page_of(0), page_of(30_719), page_of(30_720)), (0, 0, 1));
    assert_eq!((page_of(63_487), page_of(63_488)), (1, 2));
    let mut bitmap = bitmap(40_000, 1);
    assert!(write(&mut bitmap, 0, 30_720));
    assert_eq!(unplug(&mut bitmap), [1]);
    let range = (Sectors::new(30_719 * MIB), Sectors::new(3 * MIB));
    assert!(bitmap.start_write(at_ms(1), range.0, range.1));
    assert_eq!(unplug(&mut bitmap), [0, 1]);
    let extent = bitmap.page_extent(1, Bytes::new(512));
    assert_eq!(
        extent,
        (Bytes::new(4096), Bytes::new(1536)),
        "256 + 5000 bytes in all"
    );
    let extent = bitmap.page_extent(1, Bytes::new(4096));
    assert_eq!(extent.1, Bytes::new(4096));
}

#[test]
fn mdadm_takes_chunks_of_64_mib_unless_they_do_not_fit() {
    let chunk = |gib: u64| {
        let sectors = Sectors::new(gib << 21);
        default_chunk(sectors, sectors).as_u64() >> 20
    };
    assert_eq!([chunk(1), chunk(100), chunk(1000), chunk(16_000)], [64; 4]);
    // 128 KiB hold 1046528 bits: at 64 MiB each they cover 65408 GiB.
    assert_eq!([chunk(65_400), chunk(65_500)], [64, 128]);
}

#[test]
fn bitmaps_that_md_refuses_are_refused() {
    let make = |sectors, chunk| Bitmap::new(Sectors::new(sectors), Bytes::new(chunk)).map(|_| ());
    assert!(make(8, 4096).is_ok());
    assert!(make(8, 2048).is_err());
    assert!(make(8, 5000).is_err());
    assert!(make(0, 4096).is_err());
}

/// Writes at random places, one every `gap_ms`, and returns how many bits are set then.
fn bits_after(seconds: u64, gap_ms: u64, is_replayed: bool) -> usize {
    let mut bitmap = bitmap(1000, 1);
    let mut place = 1_u64;
    let mut next = || {
        place = place
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (place >> 33) % 1000
    };
    let end = seconds * 1000;
    if is_replayed {
        let count = end / gap_ms;
        bitmap.replay_history(at_ms(end), count, Nanos::from_millis(gap_ms), |ranges| {
            ranges.push((Sectors::new(next() * MIB), Sectors::new(8)));
        });
        return bitmap.set_bits();
    }
    for ms in (0..=end).step_by(usize::try_from(gap_ms).unwrap()) {
        write(&mut bitmap, ms, next());
    }
    bitmap.set_bits()
}

#[test]
fn a_replayed_history_leaves_the_bits_of_a_simulated_one() {
    for gap_ms in [1, 5, 20, 100] {
        // The daemon's runs fall on other moments of the period, too.
        for seconds in [60, 62, 64] {
            let (bits_after, replayed) = (
                bits_after(seconds, gap_ms, false),
                bits_after(seconds, gap_ms, true),
            );
            assert!(
                bits_after.abs_diff(replayed) * 10 <= bits_after.max(300),
                "{gap_ms} ms, {seconds} s: {bits_after} and {replayed}"
            );
        }
    }
}

/// The failure: the bits of writes in flight were cleared, too, and the end of such a write panicked.
#[test]
fn clearing_leaves_the_bits_of_writes_in_flight() {
    let mut bitmap = bitmap(1024, 64);
    write(&mut bitmap, 100, 0);
    let (place, length) = (Sectors::new(128 * MIB), Sectors::new(8));
    bitmap.start_write(at_ms(200), place, length);
    bitmap.clear();
    assert_eq!(bitmap.set_bits(), 1);
    bitmap.end_write(at_ms(300), place, length);
    assert!(write(&mut bitmap, 400, 0), "a clear bit costs again");
    assert!(!write(&mut bitmap, 500, 128));
}
