//! Tests of logs: the same bins as fio, and arbitrary bytes.

use proptest::prelude::*;

use super::*;

fn log(name: &str, bytes: &[u8]) -> Log {
    Log {
        name: LogName::parse(name).unwrap(),
        bytes: bytes.to_vec(),
    }
}

fn settings(average_ms: u64) -> LogSettings {
    LogSettings {
        average_ms,
        window: Window::Mean,
        is_epoch: false,
        in_us: false,
    }
}

/// A line of a histogram log with one I/O in each of `bins`.
fn histogram(direction: u32, width: usize, bins: &[usize]) -> String {
    let counts: Vec<String> = (0..width)
        .map(|bin| u8::from(bins.contains(&bin)).to_string())
        .collect();
    format!("100, {direction}, 4096, {}\n", counts.join(", "))
}

#[test]
fn bins_match_fios() {
    // `plat_idx_to_val`: the first 128 are exact, then 64 for each power of two, in the middle.
    let text = histogram(0, 1856, &[0, 127, 128, 129, 192, 1855]);
    let read = super::read(&[&log("a_clat_hist.1.log", text.as_bytes())], settings(0));
    let bins: Vec<u64> = read.histograms[0]
        .bins()
        .iter()
        .map(|bin| bin.0.as_u64())
        .collect();
    assert_eq!(bins, [0, 127, 129, 131, 258, (127 << 27) + (1 << 26)]);
    assert_eq!(read.histograms[1].count(), 0);
    assert_eq!(read.notes, []);
}

#[test]
fn bins_of_a_histogram_log_are_always_completion_latency() {
    let bins = histogram(0, 1856, &[3]);
    let both = [
        log("a_clat_hist.1.log", bins.as_bytes()),
        log("a_lat.1.log", b"100, 7000, 0, 4096\n"),
    ];
    let read = super::read(&both.iter().collect::<Vec<_>>(), settings(0));
    assert_eq!(read.histograms[0].bins(), [(Nanos::new(3), 1)]);
    assert!(read.is_completion);
    let series = read.series.unwrap();
    assert_eq!(series.read.mean_latency_ns.last(), Some(&7000));

    let read = super::read(&[&both[1]], settings(0));
    assert_eq!(read.histograms[0].count(), 1);
    assert!(!read.is_completion);
}

#[test]
fn coarse_bins_and_old_versions_are_recognized_by_the_number_of_bins() {
    // A quarter of the bins: fio's bins 128 to 131 are one bin of 128 to 135 ns.
    let text = histogram(1, 464, &[32]);
    let read = super::read(&[&log("a_clat_hist.1.log", text.as_bytes())], settings(0));
    assert_eq!(read.histograms[1].bins(), [(Nanos::new(132), 1)]);
    // 19 groups are microseconds.
    let text = histogram(1, 1216, &[100]);
    let read = super::read(&[&log("a_hist.1.log", text.as_bytes())], settings(0));
    assert_eq!(read.histograms[1].bins(), [(Nanos::new(100_000), 1)]);
}

#[test]
fn malformed_lines_are_counted() {
    let text = format!("{}1, 0, 4096, 7\nx\n", histogram(0, 1856, &[3]));
    let logs = [
        log("a_clat_hist.1.log", text.as_bytes()),
        log("a_bw.1.log", b"100, 5, 0, 0\nnonsense\n200, 5, 2, 0\n"),
    ];
    let read = super::read(&logs.iter().collect::<Vec<_>>(), settings(100));
    assert_eq!(read.notes, [ImportNote::BadLogLines { count: 3 }]);
    assert_eq!(read.histograms[0].count(), 1);
}

#[test]
fn logs_are_grouped_by_job_number() {
    let logs = [
        log("a_bw.1.log", b"100, 10, 0, 0\n"),
        log("a_bw.2.log", b"100, 20, 0, 0\n"),
        log("a_iops.1.log", b"100, 100, 0, 0\n"),
        log("a_iops.2.log", b"100, 300, 0, 0\n"),
        // The first job has no log of latencies.
        log("a_lat.2.log", b"100, 7000, 0, 0\n"),
    ];
    let read = super::read(&logs.iter().collect::<Vec<_>>(), settings(100));
    let series = read.series.unwrap();
    assert_eq!(series.read.bytes, [3 * 1024]);
    assert_eq!(series.read.ios, [40]);
    // 30 I/Os of 7 us, out of 40.
    assert_eq!(series.read.mean_latency_ns, [5250]);
}

#[test]
fn maxima_are_not_used_as_means() {
    let logs = [
        log("a_bw.1.log", b"100, 10, 0, 0\n"),
        log("a_lat.1.log", b"100, 7000, 0, 0\n"),
    ];
    let has_maxima = LogSettings {
        window: Window::Maximum,
        ..settings(100)
    };
    let read = super::read(&logs.iter().collect::<Vec<_>>(), has_maxima);
    assert_eq!(read.notes, [ImportNote::LogOfMaxima]);
    assert_eq!(read.series.unwrap().read.mean_latency_ns, [0]);
}

proptest! {
    #[test]
    fn a_latency_lies_in_its_bin(latency in any::<u64>()) {
        let middle = middle_of_bin(latency).as_u64();
        prop_assert!(middle.abs_diff(latency) <= latency / 64);
    }

    #[test]
    fn any_bytes_are_read_within_bounds(
        noise in prop::collection::vec(any::<u8>(), 0..200),
        line in "[0-9]{1,22}, [0-9]{1,22}, [0-3](, [0-9]{1,22})?",
        average_ms in 0_u64..3,
        name in "a_(bw|iops|lat|clat|slat|clat_hist)(\\.[0-9]{1,25})?\\.log",
    ) {
        let bytes = [&noise[..], b"\n", line.as_bytes(), b"\n"].concat();
        let Some(name) = LogName::parse(&name) else { return Ok(()) };
        let log = Log { name, bytes };
        let read = super::read(&[&log], settings(average_ms));
        let steps = read.series.map_or(0, |series| series.len());
        prop_assert!(steps <= stripewise_study::series::STEPS_MAX);
    }
}
