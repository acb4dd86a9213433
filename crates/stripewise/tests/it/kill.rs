//! Finished samples must survive every end of a run, and nothing may be left behind.
//!
//! The failure: the machine's memory guard killed a nightly study at 5 o'clock. The tool had kept
//! its samples in memory until the end, so all were lost. Its orphaned fio went on writing until
//! noon, and 400 GiB of test files filled the disk until an admin asked whose they were.
//!
//! Here a run is killed at random moments, its store fills up or is locked, its fio is killed, and
//! Ctrl-C is pressed once and twice. Each time all finished samples are intact, the run continues
//! from them, and no process or file is left.
//!
//! After each kill the samples are counted from outside, too, by `show --count`.
//!
//! `STRIPEWISE_TEST_RUN_KILLS=N` sets how often a run is killed: 100 times in `make soak`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use expect_test::expect;
use rusqlite::Connection;
use rustix::process::Signal;
use stripewise_results::{Run, RunId, RunState};
use stripewise_study::sample::SampleRecord;

use crate::support::{
    Bench, Done, FakeLog, LONG, Numbers, QUICK, number, say, seed, send, skip, until,
    where_mounting_is_allowed, with,
};

/// The default number of kills.
const KILLS: usize = 8;

/// How many lines the fake fio logs in a run of [`brief`] that is not killed, about.
const LINES: u64 = 18;

/// Returns the number of kills.
fn kills() -> usize {
    std::env::var("STRIPEWISE_TEST_RUN_KILLS").map_or(KILLS, |text| text.parse().unwrap())
}

/// Two cells with three or four samples each, so that a resumed run ends soon.
fn brief() -> String {
    QUICK.replace("at_least = 6\nat_most = 8", "at_least = 3\nat_most = 4")
}

/// The results of all kills.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    /// Kills before the run was in the store.
    before_begin: usize,
    /// Kills that left a workspace to be removed.
    workspaces: usize,
    /// Samples that were certainly finished before a kill.
    finished: usize,
    /// Finished samples that were missing afterwards, or after the run was resumed.
    lost: usize,
    /// Samples that differ from fio's numbers.
    half: usize,
}

/// Returns how many I/Os a sample did, which identifies it.
fn ios(record: &SampleRecord) -> u64 {
    record.sample.read.ios + record.sample.write.ios
}

/// Starts a command and kills it at a random moment; returns `None` if it ended first.
///
/// Returns how many samples the run certainly had by then, given how many it had before: fio is
/// started for the next one only when a sample is safe. Sometimes another process reads the store
/// meanwhile, as `runs` does.
fn kill_at_random(
    bench: &Bench,
    mut command: Command,
    log: &Path,
    before: usize,
    numbers: &mut Numbers,
) -> Option<usize> {
    command.env("FAKE_FIO_LOG", log);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = usize::try_from(numbers.below(LINES)).unwrap();
    until("the moment to kill", || {
        let has_ended = child.try_wait().unwrap().is_some();
        (has_ended || FakeLog::read(log).lines >= lines).then_some(())
    });
    // Anywhere between two lines: they are some milliseconds apart.
    std::thread::sleep(Duration::from_micros(numbers.below(12_000)));
    let is_begun = FakeLog::read(log).begun > 0;
    let seen = match numbers.below(2) {
        0 if is_begun => latest(bench).map_or(0, |run| run.samples.len()),
        _ => 0,
    };
    child.kill().unwrap();
    let status = child.wait().unwrap();
    if status.code().is_some() {
        return None;
    }
    bench.assert_no_process();
    let certain = before + FakeLog::read(log).begun.saturating_sub(1);
    Some(certain.max(seen))
}

/// Returns the latest run, if a store and a run exist.
fn latest(bench: &Bench) -> Option<Run> {
    let is_begun = std::fs::metadata(bench.store_path()).is_ok_and(|file| file.len() > 0);
    if !is_begun {
        return None;
    }
    let store = bench.store();
    let latest = store.latest_run().unwrap()?;
    Some(store.run(latest).unwrap())
}

/// Returns how many samples `show --count` counts in the latest run, which must be consistent.
fn counted_outside(bench: &Bench) -> usize {
    let counts = bench.json(bench.stored("show --count --json"));
    let count = |key: &str| usize::try_from(counts[key].as_u64().unwrap()).unwrap();
    let parts = count("warm_up") + count("counted") + count("distorted");
    assert_eq!(count("samples"), parts, "{counts}");
    count("samples")
}

/// Counts the samples that differ from fio's numbers in the log.
fn half(samples: &[SampleRecord], log: &FakeLog) -> usize {
    let wrong =
        |(index, record): (usize, &SampleRecord)| log.ended.get(index) != Some(&ios(record));
    samples
        .iter()
        .enumerate()
        .filter(|pair| wrong(*pair))
        .count()
}

/// Kills a run, and sometimes its resumed session, then resumes it to its end.
fn kill_and_resume(bench: &Bench, round: u64, numbers: &mut Numbers, tally: &mut Tally) {
    let runs_before = latest(bench).map_or(0, |run| run.summary.id.0);
    let mut kept: Vec<SampleRecord> = Vec::new();
    let mut command = bench.run(&brief());
    for session in 0.. {
        let log = bench.path(&format!("log-{round}-{session}"));
        let killed = kill_at_random(bench, command, &log, kept.len(), numbers);
        let run = latest(bench).filter(|run| run.summary.id.0 > runs_before);
        let Some(run) = run else {
            tally.kills += 1;
            tally.before_begin += 1;
            assert_eq!(killed, Some(0), "samples of a run that is not in the store");
            assert_eq!(bench.left_in_target(), Vec::<PathBuf>::new());
            return;
        };
        assert_ne!(run.summary.state, RunState::Running, "its process is gone");
        let is_prefix = run.samples.starts_with(&kept);
        tally.lost += if is_prefix { 0 } else { kept.len() };
        assert_eq!(counted_outside(bench), run.samples.len(), "`show --count`");
        let new = &run.samples[kept.len().min(run.samples.len())..];
        tally.half += half(new, &FakeLog::read(&log));
        let Some(certain) = killed else {
            kept = run.samples;
            break;
        };
        tally.kills += 1;
        tally.finished += certain - kept.len();
        tally.lost += certain.saturating_sub(run.samples.len());
        kept = run.samples;
        if numbers.below(4) > 0 || tally.kills == kills() {
            break;
        }
        command = bench.stored("resume");
    }
    tally.workspaces += bench.left_in_target().len();
    if round.is_multiple_of(2) {
        let restored = bench.finish(bench.stored("restore"));
        assert_eq!(restored.code, Some(0), "{}", restored.transcript());
        assert_eq!(
            bench.left_in_target(),
            Vec::<PathBuf>::new(),
            "after restore"
        );
    }
    resume_to_the_end(bench, round, &kept, tally);
}

fn resume_to_the_end(bench: &Bench, round: u64, kept: &[SampleRecord], tally: &mut Tally) {
    let before = latest(bench).unwrap();
    let log = bench.path(&format!("log-{round}-end"));
    let mut resume = bench.stored("resume");
    resume.env("FAKE_FIO_LOG", &log);
    let resumed = bench.finish(resume);
    if before.summary.state == RunState::Done {
        assert_eq!(resumed.code, Some(2), "{}", resumed.transcript());
        assert!(resumed.stderr.contains("there is no unfinished run"));
    } else {
        assert_eq!(resumed.code, Some(0), "{}", resumed.transcript());
    }
    let after = latest(bench).unwrap();
    assert_eq!(after.summary.id, before.summary.id);
    assert_eq!(after.summary.state, RunState::Done);
    let is_prefix = after.samples.starts_with(kept);
    tally.lost += if is_prefix { 0 } else { kept.len() };
    let log = FakeLog::read(&log);
    let new = &after.samples[kept.len()..];
    assert_eq!(
        new.len(),
        log.ended.len(),
        "every sample of a run that ended"
    );
    tally.half += half(new, &log);
    assert_eq!(bench.store().outstanding_changes().unwrap(), []);
    bench.assert_clean();
}

#[test]
fn the_command_that_began_a_run_continues_it_after_a_kill() {
    let Some(bench) = Bench::new() else {
        return;
    };
    let log = bench.path("log");
    let command = |study: &str| with(bench.run(study), ["--continue"]);
    let mut first = command(&brief());
    first.env("FAKE_FIO_LOG", &log);
    let mut child = first
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("samples", || (FakeLog::read(&log).begun >= 3).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    bench.assert_no_process();
    let kept = latest(&bench).unwrap().samples;
    assert!(!kept.is_empty());

    // A budget that is used already would end the run with what it has.
    let used = bench.finish(bench.stored("resume 1 --budget 1ms"));
    assert_eq!(used.code, Some(2), "{}", used.transcript());
    assert!(used.stderr.contains("leaves no time"), "{}", used.stderr);

    let done = bench.finish(command(&brief()));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert!(
        done.stderr.contains("run 1 is continued"),
        "{}",
        done.stderr
    );
    let run = latest(&bench).unwrap();
    assert_eq!(
        (run.summary.id, run.summary.state),
        (RunId(1), RunState::Done)
    );
    assert!(run.samples.starts_with(&kept) && run.samples.len() > kept.len());
    bench.assert_clean();

    // Once it is done it is shown, and nothing is measured.
    let shown = bench.finish(command(&brief()));
    assert_eq!(shown.code, Some(0), "{}", shown.transcript());
    assert!(shown.stderr.contains("nothing was measured"));
    assert_eq!(latest(&bench).unwrap().samples, run.samples);

    // Another seed or another study is another run.
    let other = bench.finish(with(command(&brief()), ["--seed", "7"]));
    assert_eq!(other.code, Some(0), "{}", other.transcript());
    let other = brief().replace("at_most = 4", "at_most = 5");
    bench.finish(command(&other));
    assert_eq!(bench.store().runs().unwrap().len(), 3);
}

/// The failure: the hint named a run that could not be named, and no store, so that it dropped the record
/// of another one.
#[test]
fn what_a_deleted_run_left_behind_can_be_forgotten_as_the_hint_says() {
    let Some(bench) = Bench::new() else {
        return;
    };
    let log = bench.path("log");
    let mut run = bench.run(&brief());
    run.env("FAKE_FIO_LOG", &log);
    let run = run.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = run.spawn().unwrap();
    until("samples", || (FakeLog::read(&log).begun >= 2).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    bench.assert_no_process();
    let left = bench.left_in_target().remove(0);
    std::fs::write(left.join("mine"), "not Stripewise's").unwrap();
    bench.finish(bench.stored("delete 1 --yes"));

    let kept = bench.finish(bench.stored("restore"));
    assert_eq!(kept.code, Some(2), "{}", kept.transcript());
    let hint = kept
        .stderr
        .split('`')
        .find(|part| part.contains("--forget"));
    let hint = hint.expect("a hint").strip_prefix("stripewise ").unwrap();
    let (command, store) = hint.split_once(" --store ").expect("the same store");
    assert!(store.ends_with("runs.db"), "{store}");
    let forgotten = bench.finish(bench.stored(command));
    assert_eq!(forgotten.code, Some(0), "{}", forgotten.transcript());
    assert_eq!(bench.store().outstanding_changes().unwrap(), []);
    std::fs::remove_dir_all(left).unwrap();
}

/// The failure: a colleague's export of the same study was "continued", with samples of another day.
#[test]
fn a_run_of_another_store_is_not_continued() {
    let Some(bench) = Bench::new() else {
        return;
    };
    bench.finish(bench.run(&brief()));
    let file = bench.path("runs.json");
    let file = file.display();
    bench.finish(bench.stored(&format!("export 1 --format json --output {file}")));
    bench.finish(bench.stored(&format!("import export {file}")));
    bench.finish(bench.stored("delete 1 --yes"));

    let again = bench.finish(with(bench.run(&brief()), ["--continue"]));
    assert_eq!(again.code, Some(0), "{}", again.transcript());
    assert!(!again.stderr.contains("is continued"), "{}", again.stderr);
    let runs = bench.store().runs().unwrap();
    let ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
    assert_eq!(ids, [RunId(2), RunId(3)]);
    let continued = bench.finish(with(bench.run(&brief()), ["--continue"]));
    let said = "run 3 is continued";
    assert!(
        continued.stderr.contains(said),
        "{}",
        continued.transcript()
    );
}

#[test]
fn kills_lose_no_finished_sample_and_leave_nothing_behind() {
    let seed = seed();
    say(&format!("kill test: STRIPEWISE_TEST_SEED={seed}"));
    let mut numbers = Numbers::of(seed);
    let mut tally = Tally::default();
    let mut bench = None;
    let began = Instant::now();
    for round in 0_u64.. {
        if tally.kills == kills() {
            break;
        }
        // Every fifth round has a new store, so that its creation is killed too.
        if round.is_multiple_of(5) {
            bench = Bench::new();
        }
        let Some(bench) = &bench else { return };
        kill_and_resume(bench, round, &mut numbers, &mut tally);
    }
    say(&format!(
        "kill test: {} kills, {} samples finished, {} lost, {} half; {} kills before the run began, {} workspaces removed; {:.1} s",
        tally.kills,
        tally.finished,
        tally.lost,
        tally.half,
        tally.before_begin,
        tally.workspaces,
        began.elapsed().as_secs_f64()
    ));
    assert!(tally.finished > 0 && tally.workspaces > 0, "{tally:?}");
    assert_eq!((tally.lost, tally.half), (0, 0), "{tally:?}");
}

/// A run that was started, with the log of its fio.
struct Going {
    child: Child,
    log: PathBuf,
}

impl Going {
    /// Starts a run whose fio hangs after so many samples, and waits until it does.
    fn hanging(bench: &Bench, after: usize, more: &[(&str, &str)]) -> Self {
        let log = bench.path("log");
        // More samples than any of these tests waits for, but few to measure after a resume.
        let study = LONG.replace("= 100", "= 12");
        let mut command = with(bench.run(&study), ["--quiet"]);
        command
            .env("FAKE_FIO_LOG", &log)
            .env("FAKE_FIO_HANG_AFTER", after.to_string())
            .envs(more.iter().copied());
        let going = Self {
            child: bench.start(command),
            log,
        };
        until("fio to hang", || going.log().hanging.first().copied());
        going
    }

    fn log(&self) -> FakeLog {
        FakeLog::read(&self.log)
    }

    fn interrupt(&self) {
        send(number(&self.child), Signal::INT);
    }
}

/// Asserts that a run that ended early kept `kept` samples and nothing else, and can be resumed.
fn assert_kept(bench: &Bench, kept: usize, state: RunState) {
    bench.assert_clean();
    let before = bench.stored_run(1);
    assert_eq!(before.summary.state, state);
    assert_eq!(before.samples.len(), kept);
    assert_resumes(bench, &before);
}

fn assert_resumes(bench: &Bench, before: &Run) {
    let resumed = bench.finish(bench.stored("resume"));
    assert_eq!(resumed.code, Some(0), "{}", resumed.transcript());
    let after = bench.stored_run(before.summary.id.0);
    assert_eq!(after.summary.state, RunState::Done);
    assert!(after.samples.starts_with(&before.samples));
    assert!(after.samples.len() > before.samples.len());
    bench.assert_clean();
}

/// Returns a transcript without the results.
fn errors(done: &Done) -> String {
    let transcript = done.transcript();
    let (code, _) = transcript.split_once('\n').unwrap();
    let errors = transcript.split_once("--- stderr\n").unwrap().1;
    format!("{code}\n{errors}")
}

#[test]
fn a_killed_fio_is_an_error_that_names_the_signal_and_costs_one_sample() {
    let Some(bench) = Bench::new() else { return };
    let going = Going::hanging(&bench, 4, &[]);
    send(going.log().hanging[0], Signal::KILL);
    let done = bench.wait(going.child);
    expect![[r#"
        exit 2
        error: run 1 stopped: failed to measure cell 1 (randwrite 4K on here): failed to measure with fio: fio was killed by signal 9

        hint: was it out of memory? check the kernel's log (`dmesg`); finished samples are kept: `stripewise resume 1 --store [BENCH]/store/runs.db` continues it
    "#]].assert_eq(&errors(&done));
    assert_kept(&bench, 4, RunState::Failed);
}

#[test]
fn a_job_that_fio_reports_as_failed_stops_the_run_and_names_the_error() {
    let Some(bench) = Bench::new() else { return };
    let mut command = with(bench.run(QUICK), ["--quiet", "--seed", "1"]);
    command.env("FAKE_FIO_FAIL", "28");
    let done = bench.finish(command);
    expect![[r#"
        exit 2
        error: run 1 stopped: failed to measure cell 2 (write 4K on here): failed to measure with fio: fio failed: job `main-0`: No space left on device (os error 28)

        hint: free space on the target, or set a smaller `size`
    "#]].assert_eq(&errors(&done));
    assert_kept(&bench, 0, RunState::Failed);
}

#[test]
fn ctrl_c_keeps_finished_samples_and_says_how_to_continue() {
    for samples in [0, 3] {
        let Some(bench) = Bench::new() else { return };
        let going = Going::hanging(&bench, samples, &[]);
        going.interrupt();
        let done = bench.wait(going.child);
        let is_reported = done.stdout.contains("this run was interrupted");
        assert_eq!(is_reported, samples > 0, "{}", done.stdout);
        assert_eq!(done.stdout.is_empty(), samples == 0, "{}", done.stdout);
        expect![[r#"
            exit 2
            error: run 1 was interrupted

            hint: `stripewise resume 1 --store [BENCH]/store/runs.db` continues it
        "#]]
        .assert_eq(&errors(&done));
        assert_kept(&bench, samples, RunState::Interrupted);
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_restore_cleans_up() {
    let Some(bench) = Bench::new() else { return };
    let going = Going::hanging(&bench, 2, &[("FAKE_FIO_DEAF", "1")]);
    going.interrupt();
    until("fio to be asked", || going.log().asked.first().copied());
    going.interrupt();
    let done = bench.wait(going.child);
    // By the signal itself, not after fio's time to end.
    assert_eq!(
        done.signal,
        Some(Signal::INT.as_raw()),
        "{}",
        done.transcript()
    );
    bench.assert_no_process();
    assert_eq!(
        bench.left_in_target().len(),
        1,
        "there was no time to clean up"
    );
    let restored = bench.finish(bench.stored("restore"));
    assert!(
        restored.stderr.starts_with("run 1: removed `"),
        "{}",
        restored.stderr
    );
    assert_kept(&bench, 2, RunState::Interrupted);
}

#[test]
fn a_running_run_is_neither_resumed_nor_restored_by_another_process() {
    let Some(bench) = Bench::new() else { return };
    let going = Going::hanging(&bench, 1, &[]);
    let process = number(&going.child).to_string();
    for command in ["resume 1", "resume"] {
        let resumed = bench.finish(bench.stored(command));
        expect![[r#"
            exit 2
            --- stderr
            error: run 1 is still being executed by process [PID]

            hint: wait for it, or interrupt it with `kill -INT [PID]`; it may run in another container
        "#]].assert_eq(&resumed.transcript().replace(&process, "[PID]"));
    }
    let restored = bench.finish(bench.stored("restore"));
    expect![[r#"
        exit 0
        --- stderr
        run 1: not touched, as it belongs to process [PID]
    "#]]
    .assert_eq(&restored.transcript().replace(&process, "[PID]"));
    assert_eq!(bench.left_in_target().len(), 1, "it is in use");
    going.interrupt();
    assert_eq!(bench.wait(going.child).code, Some(2));
    assert_kept(&bench, 1, RunState::Interrupted);
}

#[test]
fn a_full_disk_below_the_store_stops_the_run_and_loses_no_finished_sample() {
    let Some(bench) = Bench::new() else { return };
    // The store is on a disk with 400 KiB free. When the run has stopped, we copy the store away
    // for inspection, and then make room.
    let script = "
        mount -t tmpfs -o size=40m none \"$STORE\"
        head -c $((39 * 1024 * 1024 + 624 * 1024)) /dev/zero >\"$STORE/ballast\"
        ended=0
        \"$1\" run --quiet \"$STUDY\" --target \"$2\" --store \"$STORE/runs.db\" >\"$OUT/stdout\" 2>\"$OUT/stderr\" || ended=$?
        echo $ended >\"$OUT/code\"
        ls -A \"$2\" >\"$OUT/left\"
        cp \"$STORE\"/runs.db* \"$OUT/store\"
        rm \"$STORE/ballast\"
        \"$1\" resume --store \"$STORE/runs.db\" >/dev/null
        cp \"$STORE/runs.db\" \"$OUT/store/resumed.db\"
    ";
    let Some(mut command) = where_mounting_is_allowed(&bench, script) else {
        skip(
            "a full disk below the store",
            "this user may not mount here",
        );
        return;
    };
    for name in ["small", "out", "store"] {
        std::fs::create_dir(bench.path(name)).unwrap();
    }
    std::fs::create_dir(bench.path("out/store")).unwrap();
    let log = bench.path("log");
    command
        .env("STUDY", bench.write("study.toml", LONG))
        .env("STORE", bench.path("small"))
        .env("OUT", bench.path("out"))
        .env("FAKE_FIO_LOG", &log);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let read = |name: &str| std::fs::read_to_string(bench.path("out").join(name)).unwrap();
    assert_eq!(read("left"), "", "in the target");
    let shown = format!("exit {}{}", read("code"), read("stderr"));
    let shown = shown.replace(&bench.path("").display().to_string(), "[BENCH]/");
    expect![[r#"
        exit 2
        error: run 1 stopped: failed to save: failed to add a sample: no space left for `[BENCH]/small/runs.db`; the cleanup then failed: failed to record a directory in the journal: the store `[BENCH]/small/runs.db` is closed after it failed to add a sample; open it again

        hint: free some space (`df -h [BENCH]/small`), then `stripewise resume --store [BENCH]/small/runs.db`: the samples before this one are safe
    "#]].assert_eq(&shown);

    let open = |name: &str| {
        let path = bench.path("out/store").join(name);
        let store = stripewise_results::Store::open_existing(&path).unwrap();
        store.check().unwrap();
        store.run(RunId(1)).unwrap()
    };
    let log = FakeLog::read(&log);
    let full = open("runs.db");
    assert_ne!(full.summary.state, RunState::Done);
    assert!(!full.samples.is_empty());
    assert_eq!(half(&full.samples, &log), 0);
    let resumed = open("resumed.db");
    assert_eq!(resumed.summary.state, RunState::Done);
    assert!(resumed.samples.starts_with(&full.samples));
    // Only the sample that found no room is lost.
    assert_eq!(resumed.samples.len() + 1, log.ended.len());
}

#[test]
fn a_store_that_may_not_grow_stops_the_run_and_loses_no_finished_sample() {
    let Some(bench) = Bench::new() else { return };
    // No file may grow beyond 1100 KiB: the test file fits, the store's log soon does not.
    let limited = "trap '' XFSZ; ulimit -f 2200; exec \"$@\"";
    let run = with(bench.run(LONG), ["--quiet"]);
    let mut command = bench.isolate(Command::new("sh"));
    command.args(["-c", limited, "sh"]).arg(run.get_program());
    let done = bench.finish(with(command, run.get_args()));
    expect![[r#"
        exit 2
        error: run 1 stopped: failed to save: failed to add a sample in `[BENCH]/store/runs.db`: disk I/O error: Error code 778: disk I/O error; the cleanup then failed: failed to record a directory in the journal: the store `[BENCH]/store/runs.db` is closed after it failed to add a sample; open it again

        hint: check the kernel's log (`dmesg`), free space, and `ulimit -f`
    "#]].assert_eq(&errors(&done));
    bench.assert_clean();
    let before = bench.stored_run(1);
    assert!(before.samples.len() > 1, "{}", before.samples.len());
    assert_resumes(&bench, &before);
}

#[test]
fn a_store_that_is_locked_at_the_start_is_named_before_anything_is_touched() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    let other = Connection::open(bench.store_path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let log = bench.path("log");
    let mut command = bench.run(QUICK);
    command.env("FAKE_FIO_LOG", &log);
    let done = bench.finish(command);
    done.refused(&expect![[r#"
        error: failed to begin a run: `[BENCH]/store/runs.db` is locked by another process

        hint: `fuser -v [BENCH]/store/runs.db` shows the process that holds it
    "#]]);
    assert_eq!(FakeLog::read(&log).lines, 0, "fio was run");
    bench.assert_clean();
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(bench.store().runs().unwrap().len(), 1);
}

#[test]
fn a_store_that_is_locked_in_the_middle_stops_the_run_and_loses_no_finished_sample() {
    let Some(bench) = Bench::new() else { return };
    let log = bench.path("log");
    let mut command = with(bench.run(&LONG.replace("= 100", "= 40")), ["--quiet"]);
    command.env("FAKE_FIO_LOG", &log);
    let child = bench.start(command);
    until("two samples", || {
        (FakeLog::read(&log).begun > 2).then_some(())
    });
    let other = Connection::open(bench.store_path()).unwrap();
    other.busy_timeout(Duration::from_secs(5)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let done = bench.wait(child);
    expect![[r#"
        exit 2
        error: run 1 stopped: failed to save: failed to add a sample: `[BENCH]/store/runs.db` is locked by another process; the cleanup then failed: failed to record a directory in the journal: failed to write the journal: `[BENCH]/store/runs.db` is locked by another process

        hint: `fuser -v [BENCH]/store/runs.db` shows the process that holds it; finished samples are kept: `stripewise resume 1 --store [BENCH]/store/runs.db` continues it
    "#]].assert_eq(&errors(&done));
    assert_eq!(bench.left_in_target(), Vec::<PathBuf>::new());
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    let before = bench.stored_run(1);
    assert_eq!(before.summary.state, RunState::Interrupted);
    assert_eq!(half(&before.samples, &FakeLog::read(&log)), 0);
    assert!(before.samples.len() >= 2);
    // `restore` records the change that could not be recorded before.
    let restored = bench.finish(bench.stored("restore"));
    assert_eq!(restored.code, Some(0), "{}", restored.transcript());
    assert_resumes(&bench, &before);
}
