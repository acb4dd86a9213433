//! Published hard disks: a RAID 5 of eight, and one disk alone, against the class `hdd-7200`.
//!
//! Guards against a simulated disk that gets faster or slower than real ones without anyone
//! noticing. Nothing is fitted to these measurements: the class is as it is shipped.
//!
//! The measurements are fio results published with fio-plot
//! (<https://github.com/louwrentius/fio-plot>, `benchmark_data`): md on one HBA, 2 TB disks of 7200
//! rpm, a file of 100G, 4K (`hdd-raid5.csv`); and one 2.5-inch disk behind a RAID controller
//! (`depth-curves.csv`). Chunk, kernel, bitmap, write cache and the place of the file on the disks
//! are not published. So the table has the load as it is described, and with guesses at them:
//!
//! - `100G`: the file lies in one piece at the beginning, as on an empty filesystem;
//! - `4T`, `12T`: requests over the first 31 % or 94 % of each disk;
//! - `bitmap`: with one, in chunks of 64 MiB, the default; of 2 GiB over 4T, which gives as many
//!   bits as 64 MiB over 100G;
//! - `off`: with the disks' write caches off.
//!
//! 4T is the size whose reads at depth 1 come near the published ones. That one row decides it, and
//! the other rows test it. A median at depth 1 is the time of one I/O without rare stalls.

use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_calibrate::points::{self, Point};
use stripewise_profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

const DEPTHS: [u32; 4] = [1, 4, 16, 64];

/// The load, with a guess at what is not published.
struct Guess {
    name: &'static str,
    pattern: &'static str,
    size: &'static str,
    bitmap: &'static str,
    write_cache: &'static str,
}

const NONE: &str = "\"none\"";
const INTERNAL: &str = "\"internal\"";

const fn reads(size: &'static str) -> Guess {
    Guess {
        name: size,
        pattern: "randread",
        size,
        bitmap: INTERNAL,
        write_cache: "on",
    }
}

const fn writes(
    name: &'static str,
    size: &'static str,
    bitmap: &'static str,
    write_cache: &'static str,
) -> Guess {
    Guess {
        name,
        pattern: "randwrite",
        size,
        bitmap,
        write_cache,
    }
}

const GUESSES: [Guess; 10] = [
    reads("100G"),
    reads("4T"),
    reads("12T"),
    writes("100G, bitmap", "100G", INTERNAL, "on"),
    writes("100G", "100G", NONE, "on"),
    writes("100G, off", "100G", NONE, "off"),
    writes("4T", "4T", NONE, "on"),
    writes("4T, off", "4T", NONE, "off"),
    writes("4T, off, bitmap", "4T", "{ chunk = \"2G\" }", "off"),
    writes("12T, off", "12T", NONE, "off"),
];

fn simulate(text: &str) -> Sample {
    let study = stripewise_fixtures::study(text);
    let model = Model::new(Profiles::shipped(), KernelVersion::new(5, 4, 0));
    let cell = study.cells.first().expect("one cell");
    let sample = model.simulate(cell, 1, &mut NeverCancel);
    sample.expect("the model can simulate it")
}

fn iops(sample: &Sample) -> f64 {
    as_f64(sample.read.ios + sample.write.ios) / sample.elapsed_ns.as_secs_f64()
}

/// The median latency of all I/Os of one direction, in ms.
fn median_ms(sample: &Sample) -> f64 {
    let median = |histogram: &stripewise_units::histogram::Histogram| histogram.quantile(500);
    let reads = median(&sample.read.latency.histogram);
    let median = reads.or_else(|| median(&sample.write.latency.histogram));
    median.expect("it did I/O").as_secs_f64() * 1e3
}

fn array(guess: &Guess, depth: u32) -> Sample {
    simulate(&std::format!(
        "[stack.raid5-of-eight]\n\
         devices = {{ hdd-7200 = 8 }}\n\
         array = {{ level = \"raid5\", chunk = \"512K\", bitmap = {} }}\n\
         filesystem = \"ext4\"\n\
         [workload]\npattern = \"{}\"\nblock_size = \"4K\"\nsize = \"{}\"\n\
         direct = true\nengine = \"libaio\"\ndepth = {depth}\n\
         [conditions]\nwrite_cache = \"{}\"\n",
        guess.bitmap,
        guess.pattern,
        guess.size,
        guess.write_cache
    ))
}

/// The published point of one job.
fn published<'p>(points: &'p [Point], stack: &str, pattern: &str, depth: u32) -> &'p Point {
    let same = |point: &&Point| {
        point.stack == stack
            && point.pattern.as_str() == pattern
            && (point.jobs, point.depth) == (1, depth)
    };
    points.iter().find(same).expect("it is published")
}

/// Appends the published and simulated rates of a guess; returns the errors by depth, and that of
/// the median at depth 1.
fn compare(text: &mut String, points: &[Point], guess: &Guess) -> Vec<f64> {
    let mut errors = Vec::new();
    let mut median = None;
    write!(text, "{:9} {:20}", guess.pattern, guess.name).expect("a string");
    for depth in DEPTHS {
        let point = published(points, "raid5-of-eight", guess.pattern, depth);
        let sample = array(guess, depth);
        let error = iops(&sample) * point.time_ns() / 1e9 - 1.0;
        write!(
            text,
            " {:>5.0} {:>5.0} {:>+5.0} %",
            1e9 / point.time_ns(),
            iops(&sample),
            error * 100.0
        )
        .expect("a string");
        errors.push(error);
        let real_ms = point.latency.p50_ns.expect("it is published") / 1e6;
        median.get_or_insert((real_ms, median_ms(&sample)));
    }
    let (real_ms, ms) = median.expect("depth 1");
    let error = ms / real_ms - 1.0;
    let percent = error * 100.0;
    writeln!(text, " {real_ms:>6.1} {ms:>5.1} {percent:>+5.0} %").expect("a string");
    errors.push(error);
    errors
}

#[test]
fn a_raid5_of_eight_disks() {
    let points = points::parse("hdd-raid5.csv", include_bytes!("../data/hdd-raid5.csv"));
    let points = points.expect("good points");
    let mut text = String::from("IOPS measured, simulated and error by depth, then ms of p50\n");
    write!(text, "{:30}", "").expect("a string");
    for depth in DEPTHS {
        write!(text, " {:>19}", std::format!("depth {depth}")).expect("a string");
    }
    writeln!(text, " {:>20}", "p50 at depth 1").expect("a string");
    let errors: Vec<Vec<f64>> = GUESSES
        .iter()
        .map(|guess| compare(&mut text, &points, guess))
        .collect();
    expect_file!["../golden/hard-disks-raid5.txt"].assert_eq(&text);
    // As described, the array is far too fast.
    let [near, some, all, ..] = &errors[..] else {
        panic!("three sizes");
    };
    assert!(near[..4].iter().all(|error| (0.6..1.25).contains(error)));
    assert!(errors[3][..4].iter().all(|error| *error < 2.8));
    // The size that one row of reads decides also holds for the other depths.
    assert!(some[..4].iter().all(|error| error.abs() < 0.10));
    assert!(all[..4].iter().all(|error| *error < -0.20));
    // So it does for writes with the caches off, but for the stalls of single writes.
    let off = &errors[7];
    assert!(off[1..4].iter().all(|error| error.abs() < 0.12));
    assert!(off[4].abs() < 0.10);
}

#[test]
fn one_disk_gains_from_depth() {
    let bytes = include_bytes!("../data/depth-curves.csv");
    let points = points::parse("depth-curves.csv", bytes).expect("good points");
    let mut text = String::from("random reads of 4K, times those at depth 1\n");
    writeln!(text, "{:>5} {:>9} {:>9}", "depth", "measured", "hdd-7200").expect("a string");
    let mut first = None;
    for depth in [1, 2, 4, 8, 16, 32] {
        let stack = "p420i-hgst-hts72101-100gb7k";
        let real = 1e9 / published(&points, stack, "randread", depth).time_ns();
        let sample = simulate(&std::format!(
            "[stack.disk]\ndevices = {{ hdd-7200 = 1 }}\nfilesystem = \"none\"\n\
             [workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1860G\"\n\
             direct = true\nengine = \"libaio\"\ndepth = {depth}\n"
        ));
        let rates = (real, iops(&sample));
        let (real_alone, alone) = *first.get_or_insert(rates);
        let gains = (rates.0 / real_alone, rates.1 / alone);
        writeln!(text, "{depth:>5} {:>9.2} {:>9.2}", gains.0, gains.1).expect("a string");
    }
    expect_file!["../golden/hard-disks-single.txt"].assert_eq(&text);
}
