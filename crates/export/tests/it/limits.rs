//! Reading a file from outside must not take many times its size in memory.
//!
//! The failure: an export of 379 MB with 30 million bins in one histogram took 6 GB to import.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::support::{document, run};
use stripewise_export::read::{ReadError, read};
use stripewise_export::{Source, json, parquet};
use stripewise_results::Run;
use stripewise_units::Nanos;

thread_local! {
    /// How many bytes this thread has allocated and not freed, and the peak so far.
    static ALLOCATED: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn count(more: usize, less: usize) {
    // A thread that is ending has no count.
    let _counted = ALLOCATED.try_with(|counts| {
        let (now, most) = counts.get();
        let now = now + more.cast_signed() - less.cast_signed();
        counts.set((now, most.max(now)));
    });
}

#[expect(unsafe_code, reason = "an allocator needs unsafe code")]
// SAFETY: every call passes its arguments unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: our caller keeps the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: our caller keeps the same contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: our caller keeps the same contract.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the result of reading, and its peak of allocated bytes.
fn measured(file: &[u8]) -> (Result<Vec<Run>, ReadError>, usize) {
    let (before, _) = ALLOCATED.get();
    ALLOCATED.set((before, before));
    let result = read(file);
    let (_, most) = ALLOCATED.get();
    (result, usize::try_from(most - before).unwrap())
}

fn exported() -> String {
    String::from_utf8(json::write(&[&run()]).unwrap()).unwrap()
}

/// Returns an export with `count` entries added to one of its lists.
fn with_entries(list: &str, entry: &str, count: usize) -> String {
    let text = exported();
    let at = text.find(list).unwrap() + list.len();
    let mut hostile = text[..at].to_owned();
    for _ in 0..count {
        hostile.push_str(entry);
        hostile.push(',');
    }
    let rest = &text[at..];
    let is_empty = rest.starts_with(']');
    if is_empty {
        hostile.pop();
    }
    hostile + rest
}

#[test]
fn an_oversized_list_is_refused_by_name_and_costs_little() {
    let cases = [
        (
            "\"histogram\":[",
            "[123456,1]",
            "`runs[0].samples[0].read.latency.histogram` has at least 3777 entries, the limit is 3776",
        ),
        (
            "\"devices\":[",
            "{}",
            "`runs[0].facts[0].facts.devices` has at least 4097 entries, the limit is 4096",
        ),
        (
            "\"neighbours\":[",
            "{\"name\":\"n\"}",
            "`runs[0].cells[0].workload.neighbours` has at least 1025 entries, the limit is 1024",
        ),
        (
            "\"runs\":[",
            "{}",
            "`runs` has at least 10001 entries, the limit is 10000",
        ),
        (
            "\"facts\":[",
            "{\"taken_unix_ns\":0,\"facts\":{}}",
            "`runs[0].facts` has at least 10001 entries, the limit is 10000",
        ),
    ];
    for (list, entry, message) in cases {
        let hostile = with_entries(list, entry, 200_000);
        let (result, allocated) = measured(hostile.as_bytes());
        let error = result.unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().contains("docs/export-limits.md"));
        // `read` copies its input.
        let beside = allocated - hostile.len();
        assert!(beside < 1 << 16, "{list} costs {beside} bytes");
    }
}

#[test]
fn allowed_files_cost_a_few_times_their_size() {
    let lists = [
        ("\"samples\":[", "", 3000),
        ("\"cells\":[", "", 3000),
        ("\"options\":{", "\"z\":{\"a\":{}}", 2000),
        ("\"histogram\":[", "[123456,1]", 3000),
    ];
    for (list, entry, count) in lists {
        let text = exported();
        let at = text.find(list).unwrap();
        let entry = match entry.is_empty() {
            false => entry.to_owned(),
            true => first_entry(&text[at + list.len()..]),
        };
        let file = with_entries(list, &entry, count);
        let (result, allocated) = measured(file.as_bytes());
        drop(result);
        let most = (64 << 20) + 7 * file.len();
        assert!(
            allocated < most,
            "{list}: {allocated} of {} bytes",
            file.len()
        );
    }
}

/// Returns the first object of a list.
fn first_entry(list: &str) -> String {
    let mut depth = 0;
    let end = list.char_indices().find_map(|(at, c)| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    });
    list[..=end.unwrap()].to_owned()
}

#[test]
fn a_histogram_with_all_its_bins_is_read() {
    let mut run = run();
    for record in &mut run.samples {
        let bins = (0..3776).map(|bin| (Nanos::new(bin), 1));
        record.sample.read.latency.histogram = bins.collect();
    }
    let text = json::write(&[&run]).unwrap();
    assert!(read(&text).unwrap() == [run.clone()]);
    let document = document(&run);
    let source = Source {
        run: &run,
        document: &document,
    };
    let file = parquet::samples(&[source]).unwrap();
    assert!(read(&file).unwrap() == [run.clone()]);

    let last = run.samples.last_mut().unwrap();
    let bins = (0..3777).map(|bin| (Nanos::new(bin), 1));
    last.sample.read.latency.histogram = bins.collect();
    let number = run.samples.len() - 1;
    let source = Source {
        run: &run,
        document: &document,
    };
    let file = parquet::samples(&[source]).unwrap();
    assert_eq!(
        read(&file).unwrap_err().to_string(),
        format!(
            "`read.latency.histogram` of sample {number} has at least 3777 entries, the limit is 3776"
        )
    );
}

#[test]
fn a_parquet_file_with_huge_metadata_is_refused() {
    let length = 33 << 20;
    let mut file = b"PAR1".to_vec();
    file.resize(4 + length, 0);
    file.extend(u32::try_from(length).unwrap().to_le_bytes());
    file.extend(b"PAR1");
    let (result, allocated) = measured(&file);
    assert_eq!(
        result.unwrap_err().to_string(),
        "it is damaged: its metadata has 34603008 bytes, the limit is 33554432"
    );
    assert!(allocated < file.len() + (1 << 16));
}
