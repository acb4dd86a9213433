//! Tests with the installed fio on tiny files. They fail without fio.
//!
//! Guards against: latencies without `fsync`; a neighbour in the result; a load that keeps running
//! after Ctrl-C or after we were killed; files left behind; percentiles that differ from fio's own.

use std::fs;
use std::num::NonZeroU32;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use stripewise_fio::job_file::MISMATCH_ERRNO;
use stripewise_fio::{Fio, JobFile, JobFiles, LayoutItem, Output, RunError};
use stripewise_study::sample::Sample;
use stripewise_study::workload::{BlockSize, Data, Engine, Load, Neighbour, Pattern, Workload};
use stripewise_study::world::{
    NeverCancel, Replay, ReplayedAction, ReplayedIo, SampleRequest, Watch,
};
use stripewise_units::{Bytes, Nanos};
use tempfile::TempDir;

/// A watch that calls a function at each poll.
struct OnPoll<F>(F);

impl<F: FnMut() -> bool> Watch for OnPoll<F> {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        (self.0)()
    }
}

fn fio() -> Fio {
    Fio::find().expect("these tests need fio: apt-get install fio")
}

fn load(pattern: Pattern) -> Load {
    Load {
        read_percent: pattern.is_mixed().then_some(50),
        direct: false,
        ..Load::new(pattern, Bytes::new(4096), Bytes::new(4 << 20))
    }
}

/// A directory of ours with the files of a workload.
struct Bench {
    directory: TempDir,
    workload: Workload,
    files: JobFiles,
}

impl Bench {
    fn new(workload: Workload) -> Self {
        let bench = Self {
            directory: tempfile::tempdir().unwrap(),
            files: JobFiles::of(&workload),
            workload,
        };
        let items = LayoutItem::of(&bench.workload, &bench.files).unwrap();
        let layout = JobFile::layout(&items).unwrap();
        fio().run(&layout, bench.path(), &mut NeverCancel).unwrap();
        for item in items {
            let metadata = fs::metadata(bench.path().join(&item.file)).unwrap();
            assert_eq!(metadata.len(), item.file_bytes().as_u64());
        }
        bench
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn job_file(&self, duration_ms: u64) -> JobFile {
        let request = SampleRequest {
            seed: 42,
            duration: Nanos::from_millis(duration_ms),
            replay: None,
        };
        JobFile::measure(&self.workload, request, &self.files).unwrap()
    }

    fn run(&self, duration_ms: u64, watch: &mut dyn Watch) -> Result<Output, RunError> {
        fio().run(&self.job_file(duration_ms), self.path(), watch)
    }

    fn sample(&self) -> Sample {
        let output = self.run(200, &mut NeverCancel).unwrap();
        self.assert_clean();
        let sample = output.to_sample(&self.job_file(200)).unwrap();
        assert_eq!(sample.warnings, []);
        assert!(sample.elapsed_ns >= Nanos::from_millis(190));
        assert!(sample.started_unix_ns.is_some() && sample.cpu.is_some());
        sample
    }

    /// Asserts that a run left no file but those under test, and no process in the directory.
    fn assert_clean(&self) {
        assert_eq!(leftovers(self.path()), Vec::<String>::new());
        assert!(processes_in(self.path()).is_empty());
    }
}

/// Returns the names of files that are not under test.
fn leftovers(directory: &Path) -> Vec<String> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".dat"))
        .collect()
}

/// Returns the processes that run in `directory`, except zombies.
fn processes_in(directory: &Path) -> Vec<u32> {
    let directory = directory.canonicalize().unwrap();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == directory)
        })
        .collect()
}

/// Waits until `condition` holds; fails after a while.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "timed out waiting until {what}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn reads_and_writes_are_counted_in_their_direction() {
    for (pattern, reads, writes) in [
        (Pattern::RandRead, true, false),
        (Pattern::Write, false, true),
        (Pattern::RandRw, true, true),
    ] {
        let sample = Bench::new(Workload::alone(load(pattern))).sample();
        for (transfer, expected) in [(&sample.read, reads), (&sample.write, writes)] {
            assert_eq!(transfer.ios > 0, expected, "{pattern}");
            assert_eq!(transfer.bytes.as_u64(), transfer.ios * 4096, "{pattern}");
            assert_eq!(
                transfer.latency.histogram.count(),
                transfer.ios,
                "{pattern}"
            );
        }
        assert_eq!(sample.sync.count, 0);
    }
}

#[test]
fn fsync_is_timed_separately_from_writes() {
    let bench = Bench::new(Workload::alone(Load {
        fsync_every: NonZeroU32::new(1),
        ..load(Pattern::RandWrite)
    }));
    let sample = bench.sample();
    let writes = &sample.write.latency;
    assert!(sample.sync.count > 0);
    assert_eq!(sample.sync.histogram.count(), sample.sync.count);
    // Each write but the last is followed by a sync.
    assert!(sample.sync.count.abs_diff(writes.count) <= 1);
    let timed_ns = writes.mean_ns.unwrap() + sample.sync.mean_ns.unwrap();
    let elapsed_s = sample.elapsed_ns.as_secs_f64();
    let each_ns = elapsed_s * 1e9 / f64::from(u32::try_from(writes.count).unwrap());
    assert!(
        timed_ns <= each_ns,
        "write and sync times must not overlap: {timed_ns} in {each_ns}"
    );
}

#[test]
fn two_jobs_are_two_files_and_one_sum() {
    let bench = Bench::new(Workload::alone(Load {
        jobs: 2,
        ..load(Pattern::RandRead)
    }));
    let output = bench.run(200, &mut NeverCancel).unwrap();
    let sample = output.to_sample(&bench.job_file(200)).unwrap();
    let ios: Vec<u64> = output.report.jobs.iter().map(|job| job.read.ios).collect();
    assert_eq!(ios.len(), 2);
    assert!(ios.iter().all(|ios| *ios > 0));
    assert_eq!(sample.read.ios, ios.iter().sum::<u64>());
}

#[test]
fn a_neighbour_runs_and_is_not_counted() {
    let mut workload = Workload::alone(load(Pattern::RandRead));
    workload.neighbours.push(Neighbour {
        name: "log".to_owned(),
        load: load(Pattern::Write),
    });
    let bench = Bench::new(workload);
    let output = bench.run(200, &mut NeverCancel).unwrap();
    let sample = output.to_sample(&bench.job_file(200)).unwrap();
    assert_eq!(sample.write.ios, 0);
    assert!(sample.read.ios > 0);
    let neighbour = &output.report.jobs[1];
    assert_eq!(neighbour.name, "neighbour-log-0");
    assert!(neighbour.write.ios > 0);
}

#[test]
fn quantiles_of_the_bins_equal_fios_percentiles() {
    let bench = Bench::new(Workload::alone(load(Pattern::RandRead)));
    // We do not read fio's percentiles of runs, so this run is by hand.
    let job_path = bench.path().join("by-hand.dat");
    fs::write(&job_path, bench.job_file(200).text()).unwrap();
    let output = Command::new(fio().path())
        .current_dir(bench.path())
        .args(["--output-format=json+", "by-hand.dat"])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let percentiles = &json["jobs"][0]["read"]["lat_ns"]["percentile"];
    let report = stripewise_fio::parse_output(&output.stdout).unwrap();
    let histogram = &report.jobs[0].read.latency.latency.histogram;
    assert!(histogram.count() > 0);
    for (per_mille, key) in [
        (10, "1.000000"),
        (500, "50.000000"),
        (950, "95.000000"),
        (990, "99.000000"),
        (995, "99.500000"),
        (999, "99.900000"),
    ] {
        let expected = percentiles[key].as_u64().map(Nanos::new);
        assert_eq!(histogram.quantile(per_mille), expected, "{key}");
    }
}

#[test]
fn buffers_have_the_requested_content() {
    for (data, zeroes) in [
        (Data::Incompressible, 0),
        (Data::Ratio(2.0), 2 << 20),
        (Data::Zeroes, 4 << 20),
    ] {
        let bench = Bench::new(Workload::alone(Load {
            data,
            ..load(Pattern::Write)
        }));
        bench.sample();
        let bytes = fs::read(bench.path().join("job-0.dat")).unwrap();
        let count = bytes.iter().filter(|byte| **byte == 0).count();
        // Some of the random bytes are zero, too: 1 in 256, and with fio's generator up to 1 in
        // 128.
        let random = bytes.len() - zeroes;
        assert!(
            (zeroes..=zeroes + random / 100).contains(&count),
            "{data}: {count} zeroes of {} bytes",
            bytes.len()
        );
    }
}

#[test]
fn a_missing_file_is_an_error_and_not_laid_out() {
    for (pattern, expected) in [
        (Pattern::RandRead, "No such file or directory"),
        (Pattern::RandWrite, "file creation disallowed"),
    ] {
        let bench = Bench::new(Workload::alone(load(pattern)));
        fs::remove_file(bench.path().join("job-0.dat")).unwrap();
        let error = bench.run(200, &mut NeverCancel).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(fs::read_dir(bench.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_failing_job_is_named_with_its_error() {
    let bench = Bench::new(Workload::alone(load(Pattern::RandWrite)));
    // A file that is always full.
    fs::remove_file(bench.path().join("job-0.dat")).unwrap();
    std::os::unix::fs::symlink("/dev/full", bench.path().join("job-0.dat")).unwrap();
    let error = bench.run(200, &mut NeverCancel).unwrap_err();
    let RunError::JobsFailed { jobs, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!((jobs[0].job.as_str(), jobs[0].errno), ("main-0", 28));
    let text = error.to_string();
    assert!(
        text.starts_with("fio failed: job `main-0`: No space left on device"),
        "{text}"
    );
    assert!(error.hint().unwrap().contains("free space"));
}

#[test]
fn a_cancelled_fio_is_killed_and_leaves_no_files() {
    let bench = Bench::new(Workload::alone(load(Pattern::RandWrite)));
    let started = Instant::now();
    let mut polls = 0;
    let error = bench
        .run(
            60_000,
            &mut OnPoll(|| {
                polls += 1;
                assert_eq!(processes_in(bench.path()).len(), 1);
                assert_eq!(leftovers(bench.path()), Vec::<String>::new(), "meanwhile");
                polls < 3
            }),
        )
        .unwrap_err();
    assert!(matches!(error, RunError::Interrupted));
    assert!(started.elapsed() < Duration::from_secs(10));
    bench.assert_clean();
}

#[test]
fn the_error_of_a_killed_fio_names_the_signal() {
    let bench = Bench::new(Workload::alone(load(Pattern::RandRead)));
    let kill = || {
        for pid in processes_in(bench.path()) {
            kill(pid);
        }
        true
    };
    let error = bench.run(60_000, &mut OnPoll(kill)).unwrap_err();
    assert_eq!(error.to_string(), "fio was killed by signal 9");
    bench.assert_clean();
}

fn kill(pid: u32) {
    let status = Command::new("kill")
        .args(["-9", &pid.to_string()])
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok());
}

#[test]
fn a_replay_does_its_ios_once_and_nothing_else() {
    let bench = Bench::new(Workload::alone(load(Pattern::RandRw)));
    let io =
        |action, offset, length| ReplayedIo::new(action, Bytes::new(offset), Bytes::new(length));
    let ios = vec![
        io(ReplayedAction::Write, 0, 4096),
        io(ReplayedAction::Read, 8192, 65536),
        io(ReplayedAction::Write, 512, 1536),
        io(ReplayedAction::DurableWrite, 4096, 512),
    ];
    let request = SampleRequest {
        seed: 1,
        duration: Nanos::default(),
        replay: Some(Arc::new(Replay {
            jobs: vec![ios],
            ..Replay::default()
        })),
    };
    let job_file = JobFile::measure(&bench.workload, request, &bench.files).unwrap();
    let output = fio()
        .run(&job_file, bench.path(), &mut NeverCancel)
        .unwrap();
    bench.assert_clean();
    let sample = output.to_sample(&job_file).unwrap();
    assert_eq!((sample.read.ios, sample.read.bytes), (1, Bytes::new(65536)));
    assert_eq!(
        (sample.write.ios, sample.write.bytes),
        (3, Bytes::new(6144))
    );
    assert_eq!(sample.sync.count, 1, "the durable write's");
}

/// 400 I/Os in 2 s, a tenth of them flushes: fio takes at least as long, and at most 10 % and 0.25 s
/// longer, on any machine that is not overloaded.
#[test]
fn a_replay_keeps_its_times() {
    const IOS: u64 = 400;
    const TRIES: u32 = 8;
    let gap = Nanos::from_millis(5);
    let ios = (0..IOS).map(|io| {
        let at = Nanos::new(gap.as_u64() * io);
        let offset = Bytes::new(io * 4096);
        match io % 10 {
            9 => ReplayedIo::flush().at(at),
            place if place % 2 == 0 => {
                ReplayedIo::new(ReplayedAction::Write, offset, Bytes::new(4096)).at(at)
            }
            _ => ReplayedIo::new(ReplayedAction::Read, offset, Bytes::new(4096)).at(at),
        }
    });
    let replay = Arc::new(Replay {
        jobs: vec![ios.collect()],
        ..Replay::default()
    });
    for depth in [1, 8] {
        let bench = Bench::new(Workload::alone(Load {
            depth,
            engine: Engine::Libaio,
            size_bytes: Bytes::new(IOS * 4096),
            ..load(Pattern::RandRw)
        }));
        let request = SampleRequest {
            seed: 1,
            duration: Nanos::default(),
            replay: Some(Arc::clone(&replay)),
        };
        let version = fio().version().clone();
        let (workload, files) = (&bench.workload, &bench.files);
        let job_file =
            JobFile::measure_in_steps(workload, request, files, None, Some(&version)).unwrap();
        let asked = replay.last_at().as_secs_f64();
        // A loaded machine only adds to the time that a try takes; fio reports whole milliseconds.
        let is_kept = (0..TRIES).any(|_| {
            let output = fio()
                .run(&job_file, bench.path(), &mut NeverCancel)
                .unwrap();
            bench.assert_clean();
            let sample = output.to_sample(&job_file).unwrap();
            let counts = (sample.read.ios, sample.write.ios, sample.sync.count);
            assert_eq!(counts, (160, 200, 40), "depth {depth}");
            let took = sample.elapsed_ns.as_secs_f64();
            assert!(took >= asked - 0.002, "depth {depth}: {took} s");
            took < asked * 1.1 + 0.25
        });
        assert!(
            is_kept,
            "depth {depth}: longer than {asked} s in each of {TRIES} tries"
        );
    }
}

/// The variable that makes the test below a program that measures until it is killed.
const PARENT_DIRECTORY: &str = "STRIPEWISE_TEST_PARENT_DIRECTORY";

#[test]
fn a_parent_that_will_be_killed() {
    let Some(directory) = std::env::var_os(PARENT_DIRECTORY) else {
        return;
    };
    let workload = Workload::alone(load(Pattern::RandRead));
    let request = SampleRequest {
        seed: 1,
        duration: Nanos::from_millis(60_000),
        replay: None,
    };
    let job_file = JobFile::measure(&workload, request, &JobFiles::of(&workload)).unwrap();
    let _ = fio().run(&job_file, Path::new(&directory), &mut NeverCancel);
}

#[test]
fn fio_dies_with_a_parent_that_is_killed() {
    let bench = Bench::new(Workload::alone(load(Pattern::RandRead)));
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "real_fio::a_parent_that_will_be_killed"])
        .env(PARENT_DIRECTORY, bench.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("fio runs", || !processes_in(bench.path()).is_empty());
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_until("fio is gone", || processes_in(bench.path()).is_empty());
}

#[test]
fn a_series_sums_up_to_the_sample() {
    let mut workload = Workload::alone(Load {
        jobs: 2,
        rate_iops: NonZeroU32::new(400),
        ..load(Pattern::RandRw)
    });
    workload.neighbours = vec![Neighbour {
        name: "beside".to_owned(),
        load: load(Pattern::Read),
    }];
    let bench = Bench::new(workload);
    let request = SampleRequest {
        seed: 1,
        duration: Nanos::from_millis(2000),
        replay: None,
    };
    let step = Some(Nanos::from_millis(100));
    let job_file =
        JobFile::measure_in_steps(&bench.workload, request, &bench.files, step, None).unwrap();
    fio()
        .run(&job_file, bench.path(), &mut NeverCancel)
        .unwrap();
    bench.assert_clean();

    // The same with existing logs: the files keep their inodes and end up empty.
    let logs = || {
        job_file
            .log_names()
            .into_iter()
            .map(|log| bench.path().join(log))
    };
    logs().for_each(|log| fs::write(log, "100, 1, 0\n".repeat(10_000)).unwrap());
    let inodes = || logs().map(|log| fs::metadata(log).unwrap().ino());
    let before: Vec<u64> = inodes().collect();
    let output = fio()
        .run(&job_file, bench.path(), &mut NeverCancel)
        .unwrap();
    assert_eq!(inodes().collect::<Vec<_>>(), before);
    assert!(logs().all(|log| fs::metadata(log).unwrap().len() == 0));
    let left = leftovers(bench.path());
    assert!(
        left.iter().all(|name| job_file.log_names().contains(name)),
        "{left:?}"
    );
    let sample = output.to_sample(&job_file).unwrap();
    let series = sample.series.unwrap();
    assert_eq!(series.step_ns, Nanos::from_millis(100));
    assert!((18..=21).contains(&series.len()), "{} steps", series.len());
    for (column, transfer) in [(&series.read, &sample.read), (&series.write, &sample.write)] {
        let sum: u64 = column.bytes.iter().sum();
        let whole = transfer.bytes.as_u64();
        // The last step may be missing.
        assert!(sum.abs_diff(whole) * 10 <= whole, "{sum} of {whole}");
        assert!(column.mean_latency_ns.iter().any(|mean| *mean > 0));
    }
}

#[test]
fn verification_reads_every_block_and_finds_a_changed_one() {
    for (pattern, depth) in [
        (Pattern::RandWrite, 8),
        (Pattern::RandRw, 1),
        (Pattern::Write, 1),
    ] {
        let bench = Bench::new(Workload::alone(Load {
            block_size: BlockSize::Fixed(Bytes::new(16384)),
            engine: if depth > 1 {
                Engine::Libaio
            } else {
                Engine::Psync
            },
            depth,
            jobs: 2,
            verify: true,
            ..load(pattern)
        }));
        // Writes each block once, and some twice.
        bench.run(300, &mut NeverCancel).unwrap();
        let verify = JobFile::verify(&bench.workload, &bench.files)
            .unwrap()
            .unwrap();
        let output = fio().run(&verify, bench.path(), &mut NeverCancel).unwrap();
        let sample = output.to_sample(&verify).unwrap();
        assert_eq!(sample.warnings, [], "{pattern}");
        assert_eq!(
            sample.read.bytes,
            Bytes::new(8 << 20),
            "every block is read"
        );
        bench.assert_clean();
        // Change one byte.
        let path = bench.path().join(&bench.files.main[1]);
        let mut bytes = fs::read(&path).unwrap();
        bytes[1_234_567] ^= 1;
        fs::write(&path, bytes).unwrap();
        let error = fio()
            .run(&verify, bench.path(), &mut NeverCancel)
            .unwrap_err();
        let RunError::JobsFailed { jobs, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(jobs[0].errno, MISMATCH_ERRNO);
        bench.assert_clean();
    }
}
