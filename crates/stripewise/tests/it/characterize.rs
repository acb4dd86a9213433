//! `stripewise characterize` as users see it. The failures: a trace that is cut off and read as if it
//! were whole, and a name that is passed on.

use std::fmt::Write as _;
use std::process::Command;

use expect_test::{expect, expect_file};

use stripewise_trace::FormatName;

use crate::support::{Bench, Done, has_program, with};

/// Two seconds of a database in the format of blkparse: random reads of 16K one after the other, and
/// a log write with a flush now and then.
pub(crate) fn blkparse() -> String {
    let mut text = String::new();
    let (mut us, mut state, mut log) = (0_u64, 1_u64, 0_u64);
    let mut line = |us: u64, step: &str, pid: u32, kind: &str, place: &str, end: &str| {
        let (s, us) = (us / 1_000_000, us % 1_000_000);
        let _ = writeln!(
            text,
            "  8,16   1        1 {s:5}.{us:06}000 {pid:5}  {step}  {kind} {place} [{end}]"
        );
    };
    while us < 2_000_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let sector = (state >> 33) % 65_536 * 32;
        line(us, "Q", 700, "R", &format!("{sector} + 32"), "secret-db");
        line(us + 100, "C", 0, "R", &format!("{sector} + 32"), "0");
        if us % 2_500 < 105 {
            let place = format!("{} + 8", 8_388_608 + log * 8);
            line(us + 101, "Q", 701, "WFS", &place, "jbd2/sdb-8");
            line(us + 103, "C", 0, "WFS", &place, "0");
            log += 1;
        }
        us += 105;
    }
    text
}

fn characterize(bench: &Bench, words: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    command.args(["characterize", "--kernel", "6.1"]);
    bench.finish(with(bench.isolate(command), words.iter().copied()))
}

#[test]
fn a_trace_becomes_a_study_and_a_summary_without_names() {
    let Some(bench) = Bench::new() else { return };
    bench.write("db.txt", &blkparse());
    let done = characterize(
        &bench,
        &[
            "--from",
            "db.txt",
            "--study",
            "db.toml",
            "--fio-job",
            "db.fio",
            "--summary",
            "db.json",
        ],
    );
    let mut seen = format!(
        "$ stripewise characterize --from db.txt\n{}\n",
        done.transcript()
    );
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    seen += &format!("$ cat db.toml\n{}", read("db.toml"));
    seen += &format!("$ cat db.fio\n{}", read("db.fio"));
    expect_file!["../golden/characterize.txt"].assert_eq(&seen);
    if has_program("fio") {
        let mut fio = Command::new("fio");
        fio.args(["--parse-only", "db.fio"])
            .current_dir(bench.path(""));
        assert!(fio.status().unwrap().success());
    }
    let summary = read("db.json");
    assert!(
        !summary.contains("secret") && !summary.contains("\"8,16"),
        "{summary}"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    command.args(["run", "db.toml", "--world", "model"]);
    let done = bench.finish(bench.isolate(command));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
}

#[test]
fn the_files_of_each_cpu_are_one_trace() {
    let Some(bench) = Bench::new() else { return };
    let (mut first, mut second) = (String::new(), String::new());
    for line in blkparse().lines() {
        let is_log = line.contains("WFS");
        let part = if is_log { &mut second } else { &mut first };
        let _ = writeln!(part, "{line}");
    }
    bench.write("cpu.0", &first);
    bench.write("cpu.1", &second);
    bench.write("whole", &blkparse());
    let described = |words: &[&str]| {
        let done = characterize(&bench, words);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        done.stdout
    };
    let whole = described(&["--json", "--from", "whole"]);
    assert_eq!(described(&["--json", "--from", "cpu.0", "cpu.1"]), whole);
    assert_eq!(described(&["--json", "--from", "cpu.1", "cpu.0"]), whole);
    assert_ne!(described(&["--json", "--from", "cpu.0"]), whole);
}

#[test]
fn damage_is_counted_and_what_is_no_trace_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let whole = blkparse();
    let half = whole[..whole.len() / 2].rfind('\n').unwrap();
    bench.write("cut.txt", &whole[..half + 20]);
    std::fs::write(bench.path("packed.xz"), b"\xfd7zXZ\0rest").unwrap();
    std::fs::write(bench.path("perf.data"), b"PERFILE2 and more").unwrap();
    std::fs::write(
        bench.path("damaged.gz"),
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xff\xff",
    )
    .unwrap();
    bench.write("spc.csv", "0,21741712,24576,R,0.000774\n");
    bench.write("empty", "");
    let ends = whole.lines().filter(|line| line.contains("  C  "));
    let ends = ends.chain(whole.lines().take(64)).collect::<Vec<_>>();
    bench.write("ends.txt", &(ends.join("\n") + "\n"));
    bench.write(
        "snoop.txt",
        "TIME(ms)     DISK    COMM             PID    LAT(ms)\n",
    );
    bench.write("letter.txt", "Dear Sir,\nyour disk is slow.\n");
    bench.write("flushes.txt", "8,0 1 1 0.1 9 Q FWS 0 + 0 [a]\n");
    let done = characterize(&bench, &["--from", "cut.txt", "--json"]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(
        found["trace"]["skipped"]["truncated"], 1,
        "{}",
        found["trace"]["skipped"]
    );
    let done = characterize(&bench, &["--from", "cut.txt", "--size", "768M", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let beyond = found["trace"]["skipped"]["beyond-device"].as_u64();
    assert!(beyond > Some(1000), "{}", found["trace"]["skipped"]);
    let mut seen = String::new();
    for words in [
        &["--from", "packed.xz"][..],
        &["--from", "damaged.gz"],
        &["--from", "perf.data"],
        &["--from", "cut.txt", "spc.csv"],
        &["--from", "cut.txt", "--format", "spc"],
        &["--from", "cut.txt", "--format", "excel"],
        &["--from", "cut.txt", "--size", "many"],
        &["--from", "cut.txt", "--size", "512M"],
        &["--from", "ends.txt"],
        &["--from", "snoop.txt"],
        &["--from", "empty"],
        &["--from", "letter.txt"],
        &["--from", "flushes.txt"],
        &["--from", "none.txt"],
        &["--from", "."],
        &["--from", "cut.txt", "--device", "8,0"],
        &["--from", "cut.txt", "--on", "no-such-disk"],
        &["--from", "cut.txt", "--array", "raid5"],
        &["--from", "cut.txt", "--array", "raid5:2:17K"],
    ] {
        let done = characterize(&bench, words);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        seen += &format!(
            "$ stripewise characterize {}\n{}\n",
            words.join(" "),
            done.transcript()
        );
    }
    let formats = FormatName::ALL.map(FormatName::as_str).join(", ");
    let seen = seen.replace(&formats, "FORMATS");
    expect_file!["../golden/characterize-refusals.txt"].assert_eq(&seen);
}

/// An I/O every ten seconds: the fitted pause did not fit into a sample.
#[test]
fn a_slow_load_becomes_a_study() {
    let Some(bench) = Bench::new() else { return };
    let lines = (0..20_u64).map(|number| {
        let time = 128_166_372_000_000_000 + number * 100_000_000;
        format!("{time},host,0,Read,{},4096,1000\n", number * 4096)
    });
    bench.write("slow.csv", &lines.collect::<String>());
    let done = characterize(&bench, &["--from", "slow.csv", "--study", "slow.toml"]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert!(
        done.stdout.contains("At their own times in the model"),
        "{}",
        done.stdout
    );
    let mut study = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    study.args(["study", "slow.toml"]);
    let done = bench.finish(bench.isolate(study));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
}

/// Trace and workload are compared on the array that is asked for, member by member.
#[test]
fn the_traffic_of_each_member_is_compared() {
    let Some(bench) = Bench::new() else { return };
    let lines = (0..400_u64).map(|number| {
        let time = 128_166_372_000_000_000 + number * 100_000;
        let place = number * 7919 % 4096 * 16384;
        format!("{time},host,0,Write,{place},16384,1000\n")
    });
    bench.write("writes.csv", &lines.collect::<String>());
    let array = |array: &str| {
        let words = "--from writes.csv --study writes.toml --replace --json --array";
        let words: Vec<&str> = words.split(' ').chain([array]).collect();
        let done = characterize(&bench, &words);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        found["fit"][0].clone()
    };
    let mirror = array("raid1:3");
    let study = std::fs::read_to_string(bench.path("writes.toml")).unwrap();
    assert!(
        study.contains(
            "[stack.array]\ndevices = { \"nvme-ssd\" = 3 }\narray = { level = \"raid1\" }"
        ),
        "{study}"
    );
    for side in ["trace", "workload"] {
        let load = mirror[side]["bytes_per_s"].as_f64().unwrap();
        let devices = mirror[side]["devices"].as_array().unwrap();
        let names: Vec<&str> = devices
            .iter()
            .filter_map(|device| device["name"].as_str())
            .collect();
        assert_eq!(names, ["disk0", "disk1", "disk2"]);
        for device in devices {
            let written = device["write_bytes_per_s"].as_f64().unwrap();
            assert!(
                (written / load - 1.0).abs() < 0.001,
                "{side}: {device} of {load}"
            );
            assert_eq!(device["read_bytes_per_s"], 0.0);
        }
    }
    // Every chunk is on one member of a stripe.
    let stripes = array("raid0:4:16K");
    for side in ["trace", "workload"] {
        let devices = stripes[side]["devices"].as_array().unwrap();
        let written = devices
            .iter()
            .map(|device| device["write_bytes_per_s"].as_f64().unwrap());
        let load = stripes[side]["bytes_per_s"].as_f64().unwrap();
        assert!((written.sum::<f64>() / load - 1.0).abs() < 0.001, "{side}");
    }
}

/// Names of processes come from outside, and a page replaces nothing but a page.
#[test]
fn a_page_has_no_script_and_no_text_that_is_taken_for_tags() {
    let Some(bench) = Bench::new() else { return };
    let name = "<script>x&\"";
    bench.write("trace.txt", &blkparse().replace("secret-db", name));
    let page = |words: &[&str]| {
        let words = [&["--from", "trace.txt", "--page", "page.html"], words].concat();
        characterize(&bench, &words)
    };
    for _ in 0..2 {
        let done = page(&[]);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        assert_eq!(done.stdout, "page.html\n");
    }
    let html = std::fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(!html.contains("<script"), "a tag from outside");
    assert!(
        html.contains("&lt;script&gt;x&amp;"),
        "the name of the process"
    );
    assert!(html.contains("random reads") && html.contains("verstreutes Lesen"));
    assert_eq!(html.matches("<figure").count(), 2, "the map and the cache");
    let gaps = html.matches("<svg class=\"small\"").count();
    assert!(gaps == 3 && !html.contains("NaN"), "{gaps} charts of gaps");
    bench.write("page.html", "mine");
    assert_eq!(page(&[]).code, Some(2));
    assert_eq!(
        std::fs::read_to_string(bench.path("page.html")).unwrap(),
        "mine"
    );
    assert_eq!(page(&["--json"]).code, Some(2));
}

/// The failures: a length of 2^64 - 1 bytes ended in an overflow, and I/Os longer than a study may have
/// in mistakes of a study that the user never wrote.
#[test]
fn lengths_beyond_all_limits_are_left_out_or_fitted() {
    let Some(bench) = Bench::new() else { return };
    let log = format!("fio version 2 iolog\n/f read 0 {}\n", u64::MAX);
    bench.write("long.iolog", &log);
    characterize(&bench, &["--from", "long.iolog"]).refused(&expect![[r#"
        error: the trace has no I/O; left out: 1 malformed; the first at 2: 18446744073709551615 bytes are more than a kernel does in one I/O

        hint: if another format was found than it has, name that with `--format`; else record it again
    "#]]);
    let mut text = String::from("time_s,action,offset_bytes,length_bytes\n");
    for number in 0..100_u64 {
        // 3 GiB each, on more than a study may have.
        let _ = writeln!(
            text,
            "{number},write,{},3221225472",
            (number * 37 % 100) << 51
        );
    }
    bench.write("large.csv", &text);
    let done = characterize(&bench, &["--from", "large.csv", "--study", "large.toml"]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    for said in [
        "randwrite 1G",
        "the mean size is 1073741824 bytes instead of 3221225472",
    ] {
        assert!(done.stdout.contains(said), "{}", done.transcript());
    }
}

/// The failures: rates of 10^9 I/Os per second, a study with the largest rate that there is, and a first
/// write that was random.
#[test]
fn a_trace_without_times_has_no_rate() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "log",
        include_str!("../../../trace/tests/cases/no-times.iolog"),
    );
    let done = characterize(&bench, &["--from", "log", "--study", "load.toml"]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let study = std::fs::read_to_string(bench.path("load.toml")).unwrap();
    assert!(!study.contains("rate_iops"), "{study}");
    expect_file!["../golden/characterize-no-times.txt"].assert_eq(&done.stdout);
    let done = characterize(&bench, &["--from", "log", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let phase = &found["trace"]["phases"][0];
    for rate in ["ios_per_s", "bytes_per_s", "flushes_per_s"] {
        assert!(phase[rate].is_null(), "{phase}");
    }
    assert_eq!(
        phase["streams"].as_array().map(Vec::len),
        Some(1),
        "{phase}"
    );
}

/// The failures: standard input was copied to a file as large as the trace, and a full disk is not said.
#[test]
fn a_trace_is_read_once_and_only_its_ios_are_kept() {
    let Some(bench) = Bench::new() else { return };
    bench.write("db.txt", &blkparse());
    let without_folder = |words: &[&str], input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
        command.args(["characterize", "--kernel", "6.1", "--json"]);
        let mut command = bench.isolate(command);
        command.stdin(std::fs::File::open(bench.path(input)).unwrap());
        command.env("TMPDIR", bench.path("no-such-folder"));
        bench.finish(with(command, words.iter().copied()))
    };
    // A few I/Os are kept in memory, so nothing needs a file: neither they nor the trace.
    let whole = characterize(&bench, &["--json", "--from", "db.txt"]);
    for words in [["--from", "db.txt"], ["--from", "-"]] {
        let done = without_folder(&words, "db.txt");
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        assert_eq!(done.stdout, whole.stdout);
    }
    let twice = characterize(&bench, &["--from", "-", "-"]);
    assert_eq!(twice.code, Some(2), "{}", twice.transcript());
    assert!(twice.stderr.contains("one file of a trace at most"));
    // Many do not fit.
    let mut many = String::new();
    for number in 0..150_000_u64 {
        let (at, sector) = (
            number * 1_000_000,
            number.wrapping_mul(0x9e37_79b9) % (1 << 30) * 8,
        );
        let _ = writeln!(many, "{at} 7 db {sector} 8 R 8 0 0123");
    }
    bench.write("many.fiu", &many);
    let done = without_folder(&["--from", "many.fiu"], "many.fiu");
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("failed to keep the I/Os of the trace"),
        "{}",
        done.stderr
    );
    assert!(done.stderr.contains("set `TMPDIR`"), "{}", done.stderr);
}

/// blk-mq inserts some requests and issues others directly. The failure: 3 of 27 reads, and a third of
/// their rate.
#[test]
fn requests_that_are_issued_directly_count() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "in",
        include_str!("../../../trace/tests/cases/insert-mixed.ftrace"),
    );
    let done = characterize(&bench, &["--from", "in", "--json"]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(found["schema"], 1);
    assert_eq!(found["trace"]["ios"], 28);
    // The last one is not done at the end of the trace.
    assert_eq!(
        found["trace"]["skipped"],
        serde_json::json!({ "never-ended": 1 })
    );
    let rate = found["trace"]["phases"][0]["ios_per_s"].as_f64().unwrap();
    assert!((rate - 10_370.0).abs() < 1.0, "{rate}");
}
