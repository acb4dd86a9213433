//! Replaying traces as users see it: in the model, with fio, and what is refused. The failures: a
//! resumed run that replays another trace than it began with, and a trace that is cut without a word.

use expect_test::expect;
use stripewise_units::Nanos;
use stripewise_units::splitmix::SplitMix64;

use crate::support::{Bench, Done, skip_unless_all, with};

/// Sixty reads and writes, one each 5 ms, and a sync after every ten.
fn iolog() -> String {
    let mut text = String::from("fio version 3 iolog\n0 /d/f add\n0 /d/f open\n");
    for number in 0..60_u64 {
        let at = 1_000 + number * 5_000;
        let action = if number % 3 == 0 { "write" } else { "read" };
        text += &format!("{at} /d/f {action} {} 8192\n", number * 7 % 60 * 8192);
        if number % 10 == 9 {
            text += &format!("{} /d/f sync 0 0\n", at + 10);
        }
    }
    text + "400000 /d/f close\n"
}

/// A study that replays it with its times, twice as fast, and as fast as possible.
const STUDY: &str = r#"
[stack.one]
devices = { sata-ssd = 1 }
[workload.kept]
trace = "t.iolog"
[workload.twice]
trace = { file = "t.iolog", speed = 2.0 }
[workload.flat-out]
trace = { file = "t.iolog", timing = "flat-out" }
"#;

fn run(bench: &Bench, words: &str) -> Done {
    bench.finish(with(bench.command(), words.split(' ')))
}

#[test]
fn the_model_keeps_scales_or_drops_the_times() {
    let Some(bench) = Bench::new() else { return };
    bench.write("t.iolog", &iolog());
    bench.write("s.toml", STUDY);
    let plan = run(&bench, "study s.toml");
    assert!(
        plan.stdout.contains("40 reads, 20 writes and 6 flushes"),
        "{}",
        plan.transcript()
    );
    let done = run(
        &bench,
        "run s.toml --world model --kernel 6.12 --store t.db",
    );
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let shown = bench.json(with(
        bench.command(),
        ["show", "1", "--json", "--store", "t.db"],
    ));
    let rate = |cell: usize| {
        let value = &shown["cells"][cell]["estimates"]["iops"]["value"];
        value.as_f64().unwrap_or_else(|| panic!("{shown:#}"))
    };
    // 60 I/Os; the last one begins after 295 ms.
    let (kept, twice, flat_out) = (rate(0), rate(1), rate(2));
    assert!((200.0..=60.0 / 0.295).contains(&kept), "{kept}");
    assert!((1.9..=2.0).contains(&(twice / kept)), "{twice} {kept}");
    assert!(flat_out > 5.0 * twice, "{flat_out} {twice}");
    let why = run(&bench, "why s.toml --cell 1 --kernel 6.12");
    assert_eq!(why.code, Some(0), "{}", why.transcript());
}

#[test]
fn predict_takes_a_trace() {
    let Some(bench) = Bench::new() else { return };
    bench.write("t.iolog", &iolog());
    let words = "predict --device sata-ssd --array raid1:2 --kernel 6.12 --trace t.iolog --json";
    let answer = bench.json(with(bench.command(), words.split(' ')));
    let text = answer.to_string();
    assert!(
        text.contains("t.iolog") && text.contains("sha256"),
        "{text}"
    );
}

/// A run of a trace of 4K to 64K was called "block size 64K", and did not say how many I/Os are under way; the
/// workload of a mix was "at most 295 I/Os per second", which is fio's limit for one direction.
#[test]
fn a_replay_is_not_named_by_its_largest_block_nor_a_mix_by_one_direction() {
    let Some(bench) = Bench::new() else { return };
    let mut random = SplitMix64(1);
    let mut at = 128_166_372_000_000_000_u64;
    let mut io = |_| {
        let kind = if random.draw() % 100 < 39 {
            "Write"
        } else {
            "Read"
        };
        let size = if random.draw().is_multiple_of(4) {
            65536
        } else {
            4096
        };
        // Ticks of 100 ns: 500 I/Os a second.
        at += random.draw() % 40_000;
        let place = random.draw() % (1 << 20) * 4096;
        format!("{at},host,0,{kind},{place},{size},1000\n")
    };
    bench.write("tr.csv", &(0..12_000).map(&mut io).collect::<String>());
    let done = run(
        &bench,
        "run --world model --device sata-ssd --trace tr.csv --quiet --store t.db",
    );
    assert!(!done.stdout.contains("64K"), "{}", done.transcript());
    let said = done.stdout.replace('\n', " ");
    assert!(said.contains("at most 32 I/Os under way"), "{said}");
    let fitted = run(&bench, "characterize --from tr.csv").stdout;
    let fitted = fitted.split_whitespace().collect::<Vec<_>>().join(" ");
    let limit = fitted.split("at most ").nth(1).unwrap();
    let all: f64 = limit.split(' ').next().unwrap().parse().unwrap();
    assert!((480.0..520.0).contains(&all), "{fitted}");
    assert!(limit.contains("for each job and direction"), "{fitted}");
}

#[test]
fn fio_replays_a_trace_with_its_times() {
    let Some(bench) = Bench::new() else { return };
    if let Err(error) = stripewise_fio::Fio::find() {
        return skip_unless_all("a replay with a real fio", &error.to_string());
    }
    bench.write("t.iolog", &iolog());
    let study = r#"
        [stack.here]
        filesystem = "existing"
        [workload]
        trace = "t.iolog"
        [repeat]
        at_least = 6
        at_most = 6
    "#;
    let mut command = bench.run(study);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    // Other I/O of this machine may leave no sample that counts, so the samples themselves are looked at.
    let done = bench.finish(command);
    let samples = bench.stored_run(1).samples;
    assert!(samples.len() >= 6, "{}", done.transcript());
    for sample in samples.iter().map(|record| &record.sample) {
        let (reads, writes) = (sample.read.ios, sample.write.ios);
        assert_eq!((reads, writes, sample.sync.count), (40, 20, 6));
        // fio counts whole milliseconds.
        assert!(sample.elapsed_ns >= Nanos::from_millis(290), "{sample:?}");
    }
    bench.assert_clean();
}

#[test]
fn a_changed_trace_ends_a_run() {
    let Some(bench) = Bench::new() else { return };
    bench.write("t.iolog", &iolog());
    bench.write("s.toml", STUDY);
    let mut begun = bench.command();
    begun.args(["run", "s.toml", "--world", "model", "--kernel", "6.12"]);
    begun.args(["--store", "t.db"]);
    assert_eq!(bench.finish(begun).code, Some(0));
    bench.write("t.iolog", &iolog().replace("8192 8192", "16384 8192"));
    let refused = run(&bench, "resume 1 --store t.db");
    assert_eq!(refused.code, Some(2), "{}", refused.transcript());
    assert!(
        refused.stderr.contains("has changed since run 1 began"),
        "{}",
        refused.transcript()
    );
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let Some(bench) = Bench::new() else { return };
    bench.write("t.iolog", &iolog());
    let asked = |trace: &str, more: &str| {
        let study = format!(
            "[stack.one]\ndevices = {{ sata-ssd = 1 }}\n[workload]\ntrace = {trace}\n{more}"
        );
        bench.write("asked.toml", &study);
        run(&bench, "study asked.toml")
    };
    asked("\"none.iolog\"", "").refused(&expect![[r#"
        error: failed to read trace `none.iolog`: No such file or directory (os error 2)
          ╭▸ asked.toml:4:9
          │
        4 │ trace = "none.iolog"
          │         ━━━━━━━━━━━━ this file
          │
          ╰ help: the path is relative to the study file

        error: study `asked.toml` has 1 mistake
    "#]]);
    asked("{ file = \"t.iolog\", device = \"sda\" }", "").refused(&expect![[r#"
        error: trace `t.iolog` has no read or write here: 0 I/Os in all, 0 flushes and 0 discards in the part
          ╭▸ asked.toml:4:9
          │
        4 │ trace = { file = "t.iolog", device = "sda" }
          │         ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ nothing to replay
          │
          ╰ help: check `device`, `from` and `length`

        error: study `asked.toml` has 1 mistake
    "#]]);
    asked("{ file = \"t.iolog\", speed = 0.0 }", "").refused(&expect![[r#"
        error: `speed = 0` is not possible
          ╭▸ asked.toml:4:37
          │
        4 │ trace = { file = "t.iolog", speed = 0.0 }
          │                                     ━━━ here
          │
          ╰ help: from 0.001 to 1000

        error: study `asked.toml` has 1 mistake
    "#]]);
    asked("{ file = \"t.iolog\", wrap = \"4K\" }", "").refused(&expect![[r#"
        error: the largest I/O of the trace, 8K, exceeds `wrap`
          ╭▸ asked.toml:4:9
          │
        4 │ trace = { file = "t.iolog", wrap = "4K" }
          │         ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ too small
          │
          ╰ help: raise `wrap`

        error: study `asked.toml` has 1 mistake
    "#]]);
    // Requests of which only the ends were recorded: the rest would be another load.
    let line = |number: u64, step: &str| {
        format!(
            "  8,0 1 1 0.{number:09} 7 {step} R {} + 8 [x]\n",
            number * 8
        )
    };
    let mut ends: String = (2..100).map(|number| line(number, "C")).collect();
    ends += &(line(1, "D") + &line(1, "C"));
    bench.write("ends.txt", &ends);
    asked("\"ends.txt\"", "").refused(&expect![[r#"
        error: trace `ends.txt`: more is left out than kept: 98 I/Os are done whose beginning is missing; I/Os kept: 1
          ╭▸ asked.toml:4:9
          │
        4 │ trace = "ends.txt"
          │         ━━━━━━━━━━ too little of it is usable
          │
          ╰ help: record each I/O: `perf record -a -e block:block_bio_queue -e block:block_rq_issue -e block:block_rq_requeue -e block:block_rq_complete -- sleep 60`, then `perf script`; or `blktrace -d DEV -w 60 -o -`

        error: study `asked.toml` has 1 mistake
    "#]]);
    asked("\"t.iolog\"", "jobs = 2\n").refused(&expect![[r#"
        error: `jobs` does not go with `trace`
          ╭▸ asked.toml:5:1
          │
        5 │ jobs = 2
          │ ━━━━ a trace is replayed by one job, alone
          │
          ╰ help: leave it out

        error: study `asked.toml` has 1 mistake
    "#]]);
    bench.write("s.toml", STUDY);
    run(&bench, "pull-plug s.toml --world model").refused(&expect![[r#"
        error: `pull-plug` cannot replay trace `t.iolog`: the lost writes of a trace are not followed

        hint: use a workload with a `pattern`; `stripewise run` replays the trace
    "#]]);
    let words = "predict --device sata-ssd --size 4G --trace t.iolog";
    run(&bench, words).refused(&expect![[r#"
        error: `size` does not go with `trace`
          ╭▸ your question as a study:5:1
          │
        5 │ size = "4G"
          │ ━━━━ the trace decides it
          │
          ╰ help: leave it out; `trace = { file = ..., wrap = ... }` bounds the addresses

        error: study `your question as a study` has 1 mistake
    "#]]);
}
