//! Guards against a misread column, an accepted number in the wrong unit, a file that fills memory,
//! and an error without a line number.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

const HEADER: &str = "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s";

fn refused(text: &str, expected: &Expect) {
    let error = parse("points.csv", text.as_bytes()).expect_err("must be refused");
    expected.assert_eq(&error.to_string());
}

fn row_refused(row: &str, expected: &Expect) {
    refused(&format!("{HEADER}\n{row}\n"), expected);
}

#[test]
fn columns_come_in_any_order_with_quotes_and_spaces() {
    let text = "\u{feff}depth,jobs,mix,latency_ns_p99,latency_ns_p50,iops,fsync,\
                bandwidth_bytes_per_s,block_size_bytes,pattern,stack\r\n\
                1,1,,119000,92000,16384,,67108864,4096,randread,ssd\r\n\
                \r\n\
                4,2,70,,,,8,1e9, 8192 ,randrw,\"array, fast\"\r\n";
    let points = parse("points.csv", text.as_bytes()).expect("good points");
    assert_eq!(
        points,
        [
            Point {
                line: 2,
                stack: "ssd".to_owned(),
                pattern: Pattern::RandRead,
                block_size_bytes: 4096,
                jobs: 1,
                depth: 1,
                bandwidth_bytes_per_s: 67_108_864.0,
                latency: PointLatency {
                    mean_ns: None,
                    p50_ns: Some(92_000.0),
                    p99_ns: Some(119_000.0),
                },
                read_percent: None,
                side: None,
                between_ns: 0.0,
                fsync_every: None,
                file_size_bytes: None,
            },
            Point {
                line: 4,
                stack: "array, fast".to_owned(),
                pattern: Pattern::RandRw,
                block_size_bytes: 8192,
                jobs: 2,
                depth: 4,
                bandwidth_bytes_per_s: 1e9,
                latency: PointLatency::default(),
                read_percent: Some(70),
                side: None,
                between_ns: 0.0,
                fsync_every: NonZeroU32::new(8),
                file_size_bytes: None,
            },
        ]
    );
}

#[test]
fn a_rate_may_be_iops_and_of_one_side() {
    let text = "stack,pattern,side,block_size_bytes,jobs,depth,iops,latency_ns_mean,mix\n\
                ssd,randrw,read,4096,1,1,1000,111000,50\n";
    let points = parse("points.csv", text.as_bytes()).expect("good points");
    let [point] = points.as_slice() else {
        panic!("{points:?}");
    };
    assert_eq!(point.bandwidth_bytes_per_s, 4_096_000.0);
    assert_eq!(
        (point.side, point.direction()),
        (Some(Side::Read), Some(Side::Read))
    );
    assert_eq!(point.time_ns(), 111_000.0);
}

#[test]
fn both_sides_of_a_mix_show_the_time_between_requests() {
    let text = "stack,pattern,side,block_size_bytes,jobs,depth,iops,latency_ns_mean,mix\n\
                ssd,randrw,read,4096,1,2,10000,120000,50\n\
                ssd,randrw,write,4096,1,2,10000,60000,50\n\
                ssd,randrw,write,4096,1,4,10000,60000,50\n";
    let points = parse("points.csv", text.as_bytes()).expect("good points");
    let between: Vec<f64> = points
        .iter()
        .map(|point| point.between_ns.round())
        .collect();
    // Two in flight at 20,000 a second: 100 us for each, of which 90 us are latency.
    assert_eq!(between, [10_000.0, 10_000.0, 0.0]);
    assert_eq!(points[0].time_ns().round(), 130_000.0);
}

#[test]
fn an_invalid_header_is_refused() {
    refused(
        "",
        &expect![[r#"
            points.csv:1: column `stack` is missing in the header
            points.csv:1: column `pattern` is missing in the header
            points.csv:1: column `block_size_bytes` is missing in the header
            points.csv:1: column `jobs` is missing in the header
            points.csv:1: column `depth` is missing in the header
            points.csv:1: column `bandwidth_bytes_per_s` is missing in the header, and `iops`, too"#]],
    );
    refused(
        "stack,stack,bs\n",
        &expect![[r#"
            points.csv:1: column `stack` is given twice
            points.csv:1: unknown column `bs`; known columns are stack, pattern, block_size_bytes, jobs, depth, bandwidth_bytes_per_s, iops, latency_ns_mean, latency_ns_p50, latency_ns_p99, mix, side, fsync, file_size_bytes
            points.csv:1: column `pattern` is missing in the header
            points.csv:1: column `block_size_bytes` is missing in the header
            points.csv:1: column `jobs` is missing in the header
            points.csv:1: column `depth` is missing in the header
            points.csv:1: column `bandwidth_bytes_per_s` is missing in the header, and `iops`, too"#]],
    );
    refused(
        HEADER,
        &expect!["points.csv:1: there are no rows below the header"],
    );
}

#[test]
fn an_invalid_row_is_refused_with_its_line() {
    row_refused(
        "ssd,randread,8192,1",
        &expect!["points.csv:2: this row has 4 values, but the header has 6 columns"],
    );
    row_refused(
        ",randread,8192,1,1,1e6",
        &expect![
            "points.csv:2: column `stack`: the value is missing; expected the name of a stack of the study"
        ],
    );
    row_refused(
        "ssd,randreed,8192,1,1,1e6",
        &expect![
            "points.csv:2: column `pattern`: `randreed` is not one of read, write, randread, randwrite, rw, randrw"
        ],
    );
    row_refused(
        "ssd,randread,8K,1,1,1e6",
        &expect![
            "points.csv:2: column `block_size_bytes`: `8K` is not a whole number, 512 to 1073741824"
        ],
    );
    row_refused(
        "ssd,randread,1000,1,1,1e6",
        &expect!["points.csv:2: column `block_size_bytes`: `1000` is not a multiple of 512"],
    );
    row_refused(
        "ssd,randread,8192,0,1,1e6",
        &expect!["points.csv:2: column `jobs`: `0` is not a whole number, 1 to 1024"],
    );
    row_refused(
        "ssd,randread,8192,1024,1024,1e6",
        &expect![
            "points.csv:2: column `depth`: `1024` is not possible with 1024 jobs: 65536 I/Os at most"
        ],
    );
    row_refused(
        "ssd,randread,8192,1,1,-3",
        &expect![
            "points.csv:2: column `bandwidth_bytes_per_s`: `-3` is not a number from 0.001 to 1e13"
        ],
    );
    row_refused(
        "ssd,randread,8192,1,1,nan",
        &expect![
            "points.csv:2: column `bandwidth_bytes_per_s`: `nan` is not a number from 0.001 to 1e13"
        ],
    );
    row_refused(
        "ssd,randread,8192,1,1,",
        &expect![
            "points.csv:2: column `bandwidth_bytes_per_s`: the value is missing; expected a number above 0"
        ],
    );
    row_refused(
        "ssd,randrw,8192,1,1,1e6",
        &expect![
            "points.csv:2: column `mix`: the value is missing; expected the share of reads in percent, 0 to 100"
        ],
    );
    row_refused(
        "ssd,\u{1b}[31m,8192,1,1,1e6",
        &expect![
            "points.csv:2: column `pattern`: `␛[31m` is not one of read, write, randread, randwrite, rw, randrw"
        ],
    );
}

/// The failure: the time of an I/O was infinite, and so was all that was fitted to it.
#[test]
fn a_rate_from_which_no_finite_time_follows_is_refused() {
    row_refused(
        "ssd,randread,8192,1,1,5e-324",
        &expect![
            "points.csv:2: column `bandwidth_bytes_per_s`: `5e-324` is not a number from 0.001 to 1e13"
        ],
    );
    let header = HEADER.replace("bandwidth_bytes_per_s", "iops");
    refused(
        &format!("{header}\nssd,randread,1073741824,1,1,1e13\n"),
        &expect![
            "points.csv:2: column `iops`: `1e13` is not a rate of at most 1e13 bytes a second at this size"
        ],
    );
}

#[test]
fn columns_that_do_not_fit_the_pattern_are_refused() {
    let with = |columns: &str, row: &str| format!("{HEADER},{columns}\n{row}\n");
    refused(
        &with("mix", "ssd,randread,8192,1,1,1e6,70"),
        &expect!["points.csv:2: column `mix`: `70` is not allowed for a pattern that does not mix"],
    );
    refused(
        &with("mix", "ssd,randrw,8192,1,1,1e6,101"),
        &expect![
            "points.csv:2: column `mix`: `101` is not the share of reads in percent, 0 to 100"
        ],
    );
    refused(
        &with("fsync", "ssd,randread,8192,1,1,1e6,1"),
        &expect![
            "points.csv:2: column `fsync`: `1` is not allowed for a pattern that does not write"
        ],
    );
    refused(
        &with("side", "ssd,randread,8192,1,1,1e6,read"),
        &expect![
            "points.csv:2: column `side`: `read` is not allowed for a pattern that does not mix"
        ],
    );
    refused(
        &with("mix,side", "ssd,randrw,8192,1,1,1e6,50,both"),
        &expect![
            "points.csv:2: column `side`: `both` is not `read`, `write` or nothing, which is both"
        ],
    );
    let latencies = "latency_ns_p50,latency_ns_p99";
    refused(
        &with(latencies, "ssd,read,8192,1,1,1e6,9,8"),
        &expect!["points.csv:2: column `latency_ns_p99`: `8` is not at least latency_ns_p50"],
    );
}

#[test]
fn all_kinds_of_line_ends_are_counted() {
    for end in ["\n", "\r\n", "\r", "\n\n"] {
        let text = [HEADER, "ssd,read,8192,1,1,1e6", "ssd,read,8192,1,1,1e6", ""].join(end);
        let points = parse("points.csv", text.as_bytes()).expect("good points");
        let lines: Vec<u64> = points.iter().map(|point| point.line).collect();
        assert_eq!(
            lines,
            if end == "\n\n" { [3, 5] } else { [2, 3] },
            "{end:?}"
        );
    }
}

#[test]
fn bad_rows_are_named_up_to_a_limit() {
    let bad = "ssd,randread,8192,1,1,x\n".repeat(30);
    let error = parse("points.csv", format!("{HEADER}\n{bad}").as_bytes());
    let problems = error.expect_err("must be refused").problems;
    let lines: Vec<u64> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, (2..=21).collect::<Vec<u64>>());
}

#[test]
fn files_that_are_too_large_are_refused() {
    let good = "ssd,randread,8192,1,1,1e6\n";
    refused(
        &format!("{HEADER}\n{}", good.repeat(ROWS_MAX + 1)),
        &expect!["points.csv:100002: a file of points may have at most 100000 rows"],
    );
    let many = vec![b'a'; TEXT_BYTES_MAX + 1];
    let error = parse("points.csv", &many).expect_err("must be refused");
    assert_eq!(error.problems.len(), 1);
}

proptest! {
    #[test]
    fn the_parser_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse("points.csv", &bytes);
        let mut behind_header = format!("{HEADER}\n").into_bytes();
        behind_header.extend(bytes);
        if let Ok(points) = parse("points.csv", &behind_header) {
            for point in points {
                prop_assert!(point.time_ns() > 0.0 && point.time_ns().is_finite());
            }
        }
    }
}

#[test]
fn a_row_with_millions_of_fields_is_refused() {
    let head = "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s\n";
    let row = "ssd,randread,8192,1,1,67108864\n";
    let many = ",".repeat(1 << 20);
    for (text, line) in [
        (format!("{head}{row}{many}"), 3),
        (format!("stack{many}\n{row}"), 1),
    ] {
        let error = parse("points.csv", text.as_bytes()).unwrap_err();
        let [problem] = error.problems.as_slice() else {
            panic!("{error}");
        };
        assert_eq!(problem.problem, "a row may have at most 65536 bytes");
        assert_eq!(problem.line, line);
    }
    assert!(parse("points.csv", format!("{head}{row}").as_bytes()).is_ok());
}

#[test]
fn a_row_may_have_a_file_of_its_own_size() {
    let head = "stack,pattern,block_size_bytes,jobs,depth,iops,file_size_bytes";
    let read = |file: &str| {
        parse(
            "points.csv",
            format!("{head}\nssd,read,4096,1,1,9,{file}\n").as_bytes(),
        )
    };
    let sizes = ["", "1000000000"].map(|file| read(file).expect("a good point")[0].file_size_bytes);
    assert_eq!(sizes, [None, Some(1_000_000_000)]);
    let error = read("10G").expect_err("not a number").to_string();
    assert!(
        error.starts_with("points.csv:2: column `file_size_bytes`: `10G` is not a whole number"),
        "{error}"
    );
}
