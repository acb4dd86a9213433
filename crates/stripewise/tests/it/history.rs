//! A regression that came months ago, and the one slow host of many. The failure: each run alone looks
//! like the one before it, and no command looked at more than two.

use std::fs;

use stripewise_export::parquet;
use stripewise_export::table::{Column, Table, Values};
use stripewise_fixtures::{reading, record};
use stripewise_fixtures_runs::run_of;
use stripewise_results::{FactsRecord, Run};
use stripewise_study::facts::{DeviceFacts, Facts, TargetFacts};
use stripewise_units::Nanos;

use crate::support::{Bench, at, entries, with};

const STUDY: &str = r#"
question = "Does it change?"
[stack.here]
filesystem = "existing"
[workload]
pattern = "randread"
size = "256M"
[workload.small]
block_size = "4K"
[workload.large]
block_size = "64K"
"#;

const DAY_NS: u64 = 86_400_000_000_000;

/// Returns a number around 1 that depends on its place alone, with a spread of a few percent.
fn noise(place: u64) -> f64 {
    let mixed = place.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    1.0 + 0.06 * (f64::from(u32::try_from(mixed).unwrap()) / f64::from(1 << 24) - 0.5)
}

/// Returns a run on a day whose reads have `share` of their level.
fn run(day: u64, host: u64, share: f64, kernel: &str) -> Run {
    let samples = (0..2_usize).flat_map(|cell| {
        (0..3_u32).map(move |block| {
            let place = day * 7919 + host * 104_729 + u64::from(block) * 31;
            let share = if cell == 0 { share } else { 1.0 };
            let bytes_per_s = 500e6 * share * noise(place + u64::try_from(cell).unwrap());
            record(cell, block, reading(bytes_per_s, Nanos::new(1_000_000_000)))
        })
    });
    let mut run = run_of(1, "nightly", STUDY, samples.collect());
    run.summary.head.started_unix_ns += day * DAY_NS;
    run.summary.head.ended_unix_ns = Some(run.summary.head.started_unix_ns + 1);
    run.facts = vec![FactsRecord {
        taken_unix_ns: run.summary.head.started_unix_ns,
        facts: Facts {
            kernel: Some(kernel.to_owned()),
            ..Facts::default()
        },
    }];
    run
}

/// Sixty days; on the last twenty, reads give nine tenths, under another kernel.
fn sixty_days(bench: &Bench) {
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    for day in 0..60 {
        let (share, kernel) = if day < 40 {
            (1.0, "6.1.76")
        } else {
            (0.9, "6.12.9")
        };
        store.import_run(&run(day, 0, share, kernel)).unwrap();
    }
}

/// Adds a run of each of twelve hosts on a day. `web7` has so many percent of the bandwidth of the others,
/// or no run.
fn add_fleet(bench: &Bench, day: u64, percent: Option<u64>) {
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    for host in 0..12 {
        let percent = if host == 7 { percent } else { Some(100) };
        let Some(percent) = percent else { continue };
        store.import_run(&of_host(day, host, percent)).unwrap();
    }
}

/// Returns a run of `web{host}` that has so many percent of the usual bandwidth.
fn of_host(day: u64, host: u64, percent: u64) -> Run {
    let mut run = run(day, host, 1.0, "6.1.76");
    for record in &mut run.samples {
        let bytes = record.sample.read.bytes.as_u64() * percent / 100;
        record.sample.read.bytes = stripewise_units::Bytes::new(bytes);
        record.sample.read.ios = bytes / 4096;
    }
    run.summary.head.tags = vec![format!("host=web{host}")];
    run
}

#[test]
fn a_change_is_placed_with_its_facts_and_can_be_acknowledged() {
    let Some(bench) = Bench::new() else { return };
    sixty_days(&bench);
    let document = bench.json(bench.stored("trend --json"));
    let series = at(&document, "/series").as_array().unwrap();
    assert_eq!(series.len(), 2);
    let changes = at(&series[0], "/changes").as_array().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(at(&changes[0], "/run"), "41");
    let ratio = at(&changes[0], "/ratio").as_f64().unwrap();
    assert!((ratio - 0.9).abs() < 0.02, "{ratio}");
    let fact = at(&changes[0], "/facts/0");
    let expected = ["kernel", "6.1.76", "6.12.9"];
    assert_eq!(
        ["/key", "/before", "/after"].map(|key| at(fact, key)),
        expected
    );
    assert_eq!(at(&series[1], "/changes").as_array().unwrap().len(), 0);

    let failing = |command: &str| bench.finish(bench.stored(command)).code;
    assert_eq!(failing("trend"), Some(0));
    assert_eq!(failing("trend --fail-on-change"), Some(1));
    assert_eq!(failing("trend latest:2 --fail-on-change"), Some(0));
    assert_eq!(failing("drift --fail-on-change"), Some(1));
    let ack = with(bench.stored("ack 41"), ["new kernel", "--by", "ops"]);
    let done = bench.finish(ack);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(failing("trend --fail-on-change"), Some(0));
    assert_eq!(failing("drift --fail-on-change"), Some(0));
    let shown = bench.finish(bench.stored("trend"));
    assert!(
        shown.stdout.contains("new kernel (ops)"),
        "{}",
        shown.stdout
    );
    assert_eq!(failing("ack 41 --remove"), Some(0));
    assert_eq!(failing("trend --fail-on-change"), Some(1));
    // An acknowledgement of the past holds no more, and none is made.
    let past = stripewise_results::Acknowledgement {
        run: stripewise_results::RunId(41),
        text: "old".to_owned(),
        by: "ops".to_owned(),
        until_unix_ns: Some(2),
        made_unix_ns: 1,
    };
    stripewise_results::Store::open(&bench.store_path())
        .unwrap()
        .acknowledge(&past)
        .unwrap();
    assert_eq!(failing("trend --fail-on-change"), Some(1));
    let past = with(bench.stored("ack 41 --until 2020-01-01"), ["old"]);
    let refusal = bench.finish(past).refusal();
    assert!(refusal.contains("`2020-01-01` is in the past"), "{refusal}");
    let removed = |says: &str| {
        let done = bench.finish(bench.stored("ack 41 --remove"));
        assert!(done.transcript().contains(says), "{}", done.transcript());
    };
    removed("are removed");
    removed("has no acknowledgement");
    let none = bench.finish(bench.stored("trend --tag none")).refusal();
    assert!(none.contains("no finished run with these tags"), "{none}");
}

#[test]
fn every_medium_says_that_too_few_runs_say_nothing() {
    let Some(bench) = Bench::new() else { return };
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    for day in 0..5 {
        store.import_run(&run(day, 0, 1.0, "6.1.76")).unwrap();
    }
    drop(store);
    for (language, says) in [
        ("en", "Cannot tell: there are only 5 runs"),
        ("de", "Nicht zu sagen"),
    ] {
        let shown = bench.finish(bench.stored(&format!("trend --language {language}")));
        assert!(shown.stdout.contains(says), "{}", shown.transcript());
    }
    let junit = bench.finish(bench.stored("trend --format junit"));
    assert!(
        junit.stdout.contains("skipped=\"2\""),
        "{}",
        junit.transcript()
    );
    let page = bench.finish(bench.stored("trend --page trend.html"));
    assert_eq!(page.code, Some(0), "{}", page.transcript());
    assert!(
        fs::read_to_string(bench.path("trend.html"))
            .unwrap()
            .contains("Cannot tell")
    );
}

#[test]
fn the_slow_host_is_named_from_the_store_and_from_folders() {
    let Some(bench) = Bench::new() else { return };
    for day in 0..2 {
        add_fleet(&bench, day, Some(70));
    }
    let named = |command: &str| -> Vec<String> {
        let document = bench.json(bench.stored(command));
        let hosts = at(&document, "/hosts").as_array().unwrap();
        assert_eq!(hosts.len(), 12, "{command}");
        let slow = hosts.iter().filter(|host| at(host, "/verdict") == "slow");
        slow.map(|host| format!("{} {}", at(host, "/host"), at(host, "/seen")))
            .collect()
    };
    let expected = ["\"web7\" \"repeatedly\""];
    assert_eq!(named("outliers --json"), expected);
    let runs: Vec<String> = (1..=24).map(|run| run.to_string()).collect();
    for rows in ["sketches", "samples"] {
        let command = format!(
            "export {} --rows {rows} --partition-by date,host -o {rows}",
            runs.join(" ")
        );
        let done = bench.finish(bench.stored(&command));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        let from = bench.command();
        let from = with(from, ["outliers", "--json", "--from", rows]);
        let document = bench.json(from);
        let hosts = at(&document, "/hosts").as_array().unwrap();
        let slow: Vec<_> = hosts
            .iter()
            .filter(|host| at(host, "/verdict") == "slow")
            .map(|host| at(host, "/host").clone())
            .collect();
        assert_eq!(slow, ["web7"], "{rows}");
    }
    // Whole runs come back from folders, with their tags.
    let back = with(
        bench.command(),
        ["import", "export", "samples", "--store", "back.db"],
    );
    let back = bench.finish(with(back, ["--json"]));
    assert_eq!(back.code, Some(0), "{}", back.transcript());
    assert_eq!(back.stdout.matches("\"exported_run\"").count(), 24);
}

#[test]
fn runs_of_two_stores_with_one_number_do_not_replace_each_other() {
    let Some(bench) = Bench::new() else { return };
    for (name, later_ns) in [("a.db", 0), ("b.db", 5)] {
        let mut one = run(0, 0, 1.0, "6.1.76");
        one.summary.head.started_unix_ns += later_ns;
        one.summary.head.ended_unix_ns = Some(one.summary.head.started_unix_ns + 1);
        one.summary.head.tags = vec!["host=web1".to_owned()];
        let mut store = stripewise_results::Store::open(&bench.path(name)).unwrap();
        store.import_run(&one).unwrap();
        drop(store);
        // The same run again replaces itself.
        for _ in 0..2 {
            let export = with(bench.command(), ["export", "1", "--store", name]);
            let export = with(export, ["--partition-by", "host", "-o", "fleet"]);
            let done = bench.finish(export);
            assert_eq!(done.code, Some(0), "{}", done.transcript());
        }
    }
    let files = entries(&bench.path("fleet").join("host=web1"));
    assert_eq!(files.len(), 2, "{files:?}");
}

#[test]
fn a_slow_host_recovers_only_where_it_is_measured() {
    for (last_day, seen, code) in [
        (Some(100), "went_away", 0),
        (Some(70), "repeatedly", 1),
        // No run of the host: it is as slow as on its own last day.
        (None, "repeatedly", 1),
    ] {
        let Some(bench) = Bench::new() else { return };
        add_fleet(&bench, 0, Some(70));
        add_fleet(&bench, 1, Some(70));
        add_fleet(&bench, 2, last_day);
        let document = bench.json(bench.stored("outliers --json"));
        let hosts = at(&document, "/hosts").as_array().unwrap();
        let slow = hosts.iter().find(|host| at(host, "/host") == "web7");
        assert_eq!(at(slow.unwrap(), "/verdict"), "slow", "{last_day:?}");
        assert_eq!(at(slow.unwrap(), "/seen"), seen, "{last_day:?}");
        let done = bench.finish(bench.stored("outliers --fail-on-outlier"));
        assert_eq!(done.code, Some(code), "{}", done.transcript());
    }
}

#[test]
fn series_are_of_one_host_and_cells_that_are_gone_are_counted() {
    let Some(bench) = Bench::new() else { return };
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    for day in 0..40 {
        let (host, share) = if day < 20 { ("a", 1.0) } else { ("b", 0.7) };
        let mut one = run(day, 0, share, "6.1.76");
        one.summary.head.tags = vec![format!("host={host}")];
        store.import_run(&one).unwrap();
    }
    drop(store);
    let trend = bench.json(bench.stored("trend --json"));
    let points = at(&trend, "/series/0/points").as_array().unwrap();
    assert_eq!(points.len(), 20);
    assert_eq!(at(&trend, "/series/0/changes"), &serde_json::json!([]));
    assert_eq!(at(&trend, "/other_hosts"), 20);
    let shown = bench.finish(bench.stored("trend"));
    let says = "20 runs of other hosts are left out";
    assert!(shown.stdout.contains(says), "{}", shown.transcript());
    let drift = bench.json(bench.stored("drift --json"));
    assert_eq!(at(&drift, "/changed"), &serde_json::json!([]));
    let unjudged = at(&drift, "/unjudged").as_array().unwrap().len();
    let judged = at(&drift, "/judged").as_u64().unwrap();
    assert_eq!(usize::try_from(judged).unwrap() + unjudged, 4);
    assert_eq!(at(&drift, "/gone_cells"), 0);

    // The newest run of host b has one cell instead of two.
    let small = STUDY.replace("[workload.large]\nblock_size = \"64K\"\n", "");
    let sample = reading(350e6, Nanos::new(1_000_000_000));
    let mut newest = run_of(1, "nightly", &small, vec![record(0, 0, sample)]);
    newest.summary.head.started_unix_ns += 40 * DAY_NS;
    newest.summary.head.ended_unix_ns = Some(newest.summary.head.started_unix_ns + 1);
    newest.summary.head.tags = vec!["host=b".to_owned()];
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    store.import_run(&newest).unwrap();
    drop(store);
    let drift = bench.json(bench.stored("drift --json"));
    assert_eq!(at(&drift, "/gone_cells"), 1);
    let shown = bench.finish(bench.stored("drift"));
    let says = "1 cell of earlier runs is left out";
    assert!(shown.stdout.contains(says), "{}", shown.transcript());
}

#[test]
fn fewer_ios_excuse_a_worse_latency_no_more() {
    let Some(bench) = Bench::new() else { return };
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    for host in 0..12 {
        // The load and the latency of a host, in percent of those of the others.
        let (load, latency) = match host {
            3 => (150, 67.0),
            4 => (40, 50.0),
            7 => (40, 250.0),
            _ => (100, 100.0),
        };
        let mut one = of_host(0, host, load);
        for record in &mut one.samples {
            let place = host * 104_729 + u64::from(record.block);
            let latency_ns = 1e6 * latency / 100.0 * noise(place);
            record.sample.read.latency.count = record.sample.read.ios;
            record.sample.read.latency.mean_ns = Some(latency_ns);
        }
        store.import_run(&one).unwrap();
    }
    drop(store);
    let document = bench.json(bench.stored("outliers --metric latency_mean --json"));
    let hosts = at(&document, "/hosts").as_array().unwrap();
    let verdict = |name: &str| {
        let host = hosts.iter().find(|host| at(host, "/host") == name);
        at(host.unwrap(), "/verdict").as_str().unwrap().to_owned()
    };
    let expected = ["cannot_tell", "cannot_tell", "slow"];
    assert_eq!(["web3", "web4", "web7"].map(verdict), expected);
}

/// Returns a Parquet file of another program: a row for each of twelve hosts on each of two mornings.
fn foreign_file(values: Values) -> Vec<u8> {
    let texts = |of: fn(usize) -> String| Values::Texts((0..24).map(|row| Some(of(row))).collect());
    let columns = [
        ("host", texts(|row| format!("web{}", row % 12))),
        ("cell", texts(|_| "reads".to_owned())),
        (
            "date",
            texts(|row| format!("2026-11-0{}T03:{row:02}", 1 + row / 12)),
        ),
        ("value", values),
    ];
    let columns = columns.map(|(name, values)| Column {
        name: name.to_owned(),
        values,
    });
    let table = Table {
        columns: columns.into(),
    };
    parquet::table(&table).unwrap()
}

/// Returns a value for each row of a foreign file, where `web7` is slow.
fn foreign_values() -> Vec<Option<f64>> {
    let value = |row: u64| noise(row * 31) * if row % 12 == 7 { 0.5 } else { 1.0 };
    (0..24).map(|row| Some(value(row))).collect()
}

#[test]
fn rows_of_other_programs_are_dropped_aloud_and_their_times_are_days() {
    let Some(bench) = Bench::new() else { return };
    let mut values = foreign_values();
    (values[0], values[1], values[2]) = (None, Some(f64::NAN), Some(-1.0));
    fs::write(
        bench.path("a.parquet"),
        foreign_file(Values::Numbers(values)),
    )
    .unwrap();
    let from = || with(bench.command(), ["outliers", "--from", "a.parquet"]);
    let document = bench.json(with(from(), ["--json"]));
    let days = serde_json::json!(["2026-11-01", "2026-11-02"]);
    assert_eq!(at(&document, "/days"), &days);
    assert_eq!(at(&document, "/dropped_rows"), 3);
    let shown = bench.finish(from());
    let says = "3 rows are dropped";
    assert!(shown.stdout.contains(says), "{}", shown.transcript());
}

#[test]
fn files_without_a_value_that_can_be_used_are_refused() {
    let Some(bench) = Bench::new() else { return };
    let texts = (0..24).map(|row| Some(row.to_string())).collect();
    let whole = foreign_file(Values::Numbers(foreign_values()));
    // The packing of each column, of which the file's end says that it is Snappy.
    let mut packed = whole.clone();
    for at in 0..packed.len() - 3 {
        if packed[at..at + 3] == [0x15, 0x02, 0x16] {
            packed[at + 1] = 0x08;
        }
    }
    assert_ne!(packed, whole);
    for (file, says) in [
        (foreign_file(Values::Texts(texts)), "`value` has text"),
        (
            foreign_file(Values::Numbers(vec![None; 24])),
            "all 24 are null",
        ),
        (packed, "`host` is packed with Brotli, which is not read"),
    ] {
        fs::write(bench.path("a.parquet"), file).unwrap();
        let from = with(bench.command(), ["outliers", "--from", "a.parquet"]);
        let refusal = bench.finish(from).refusal();
        assert!(refusal.contains(says), "{refusal}");
        assert!(!refusal.contains("damaged"), "{refusal}");
    }
}

#[test]
fn imported_runs_are_in_the_order_of_their_samples() {
    let Some(bench) = Bench::new() else { return };
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    for day in 0..3 {
        let mut one = run(day, 0, 1.0, "6.1.76");
        one.summary.head.origin = stripewise_results::world::RunOrigin::Fio;
        for record in &mut one.samples {
            record.sample.started_unix_ns = Some((10 - day) * DAY_NS);
        }
        store.import_run(&one).unwrap();
    }
    drop(store);
    let trend = bench.json(bench.stored("trend --json"));
    let points = at(&trend, "/series/0/points").as_array().unwrap();
    let runs: Vec<_> = points
        .iter()
        .map(|point| at(point, "/run").clone())
        .collect();
    assert_eq!(runs, ["3", "2", "1"]);
}

#[test]
fn a_change_names_the_firmware_that_changed_there() {
    let Some(bench) = Bench::new() else { return };
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    for day in 0..60 {
        let (share, firmware) = if day < 40 { (1.0, "A1") } else { (0.9, "B2") };
        let mut one = run(day, 0, share, "6.1.76");
        let facts = &mut one.facts[0].facts;
        facts.devices = vec![DeviceFacts {
            name: "sda".to_owned(),
            firmware: Some(firmware.to_owned()),
            ..DeviceFacts::default()
        }];
        facts.target = Some(TargetFacts {
            disks: vec!["sda".to_owned()],
            ..TargetFacts::default()
        });
        store.import_run(&one).unwrap();
    }
    drop(store);
    let document = bench.json(bench.stored("trend --json"));
    let fact = at(&document, "/series/0/changes/0/facts/0");
    let found = ["/key", "/before", "/after"].map(|key| at(fact, key).clone());
    assert_eq!(found, ["drive_firmware", "A1", "B2"]);
}

/// Returns sixty days as CSV, the newest first, with a step to nine tenths on the fortieth.
fn series_as_csv() -> String {
    let line = |day: u64| {
        let value = 500.0 * noise(day * 7919) * if day < 40 { 1.0 } else { 0.9 };
        let date = format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
        format!("{date},web1,reads,{value}\n")
    };
    let lines: String = (0..60).rev().map(line).collect();
    format!("time,host,cell,value\n{lines}")
}

#[test]
fn series_of_files_are_put_in_order_and_what_does_not_count_is_counted() {
    let Some(bench) = Bench::new() else { return };
    let from = |command: &str| with(bench.command(), [command, "--from", "a.csv", "--json"]);
    let more = "2026-01-01,web1,reads,NaN\n2026-01-01,web1,reads,\n2026-01-02,web1,reads,500\n";
    fs::write(bench.path("a.csv"), format!("{}{more}", series_as_csv())).unwrap();
    let document = bench.json(from("trend"));
    let change = at(&document, "/series/0/changes/0");
    assert_eq!(at(change, "/run"), "2026-02-13", "{change}");
    let ratio = at(change, "/ratio").as_f64().unwrap();
    assert!((ratio - 0.9).abs() < 0.02, "{ratio}");
    assert_eq!(at(&document, "/series/0/name"), "web1: reads");
    assert_eq!(at(&document, "/dropped_rows"), 2);
    assert_eq!(at(&document, "/merged_rows"), 1);
    let document = bench.json(from("drift"));
    assert_eq!(at(&document, "/changed").as_array().unwrap().len(), 1);
}

#[test]
fn files_of_which_the_order_or_a_value_is_not_known_are_refused() {
    let Some(bench) = Bench::new() else { return };
    for (text, says) in [
        ("value\n1\n", "it lacks a column `time`"),
        ("time,host\n2026-01-01,a\n", "or `value`"),
        ("time,value\n2026-01-01,fast\n", "`value` has text"),
        (
            "time,value\nyesterday,1\n",
            "`yesterday` in its column `time` is no time",
        ),
        (
            "time,value,value\n2026-01-01,1,2\n",
            "two of its columns are called `value`",
        ),
        ("time,value\n2026-01-01,1,2\n", "cannot be read as CSV"),
        (
            "time,value\n2026-01-01,-1\n",
            "all 1 are null, not finite or negative",
        ),
    ] {
        fs::write(bench.path("a.csv"), text).unwrap();
        let refusal = bench
            .finish(with(bench.command(), ["trend", "--from", "a.csv"]))
            .refusal();
        assert!(refusal.contains(says), "{text}: {refusal}");
    }
}
