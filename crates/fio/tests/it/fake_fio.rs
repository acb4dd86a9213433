//! Fake fio programs that misbehave as a broken fio could.
//!
//! The failures: a child process of fio kept running after fio had exited, on devices that we had
//! already released. A FIFO in place of fio's output file hung the run forever, and so did a pipe
//! that `fio --version` had passed to a child. fio could fill the disk or the memory with its
//! output.

use std::fs::{self, File, Permissions};
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use stripewise_fio::{FindError, Fio, JobFile, JobFiles, Output, RunError};
use stripewise_study::workload::{Load, Pattern, Workload};
use stripewise_study::world::{NeverCancel, SampleRequest};
use stripewise_units::{Bytes, Nanos};
use tempfile::TempDir;

/// Longer than any test here takes on a busy machine, and shorter than the lifetime of the
/// processes that must not survive.
const SOON: Duration = Duration::from_secs(60);

/// A fake fio and the directory in which it runs.
struct Bench {
    programs: TempDir,
    directory: TempDir,
}

impl Bench {
    /// Creates a fio that runs `script` for a job file; `answer` prints valid JSON.
    fn new(script: &str) -> Self {
        let bench = Self {
            programs: tempfile::tempdir().unwrap(),
            directory: tempfile::tempdir().unwrap(),
        };
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/numjobs.json");
        let text = format!(
            "#!/bin/sh\ncase $1 in --version) echo fio-3.33; exit;; esac\n\
             answer() {{ cat '{data}'; }}\n\
             until_there() {{ while [ ! -s \"$1\" ]; do sleep 0.01; done; }}\n{script}\n"
        );
        let program = bench.programs.path().join("fio");
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        bench
    }

    /// Finds it; retries while another test's fork holds it open for writing.
    fn fio(&self) -> Fio {
        loop {
            match Fio::at(&self.programs.path().join("fio")) {
                Err(FindError::Start { source, .. })
                    if source.kind() == ErrorKind::ExecutableFileBusy => {}
                found => return found.unwrap(),
            }
        }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn run(&self) -> Result<Output, RunError> {
        self.fio().run(&job_file(), self.path(), &mut NeverCancel)
    }

    /// Returns the `/proc` path of the process whose ID the fake wrote into `file`.
    fn process(&self, file: &str) -> PathBuf {
        let number = fs::read_to_string(self.path().join(file)).unwrap();
        Path::new("/proc").join(number.trim())
    }
}

/// Returns the job file of a load that keeps a series.
fn job_file() -> JobFile {
    let load = Load::new(Pattern::RandRead, Bytes::new(4096), Bytes::new(4 << 20));
    let workload = Workload::alone(load);
    let request = SampleRequest {
        seed: 1,
        duration: Nanos::from_millis(1000),
        replay: None,
    };
    let step = Some(Nanos::from_millis(100));
    JobFile::measure_in_steps(&workload, request, &JobFiles::of(&workload), step, None).unwrap()
}

#[test]
fn no_process_that_fio_started_survives_it() {
    for (how, script) in [
        ("in fio's group", "sleep 600 & echo $! > pid"),
        (
            "in a session of its own",
            "setsid sh -c 'echo $$ > pid; exec sleep 600' & until_there pid",
        ),
        (
            "a daemon without environment, descriptors and parent",
            "env -i setsid sh -c '(sh -c \"echo \\$\\$ > pid; exec sleep 600\" &) \
             </dev/null >/dev/null 2>&1'; until_there pid",
        ),
        (
            "one that ignores signals",
            "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > pid; while :; do sleep 1; done' & \
             until_there pid",
        ),
        (
            "a zombie whose parent is dead",
            "setsid sh -c 'sh -c \"echo \\$\\$ > pid\" &'; until_there pid",
        ),
    ] {
        let bench = Bench::new(&format!("{script}; answer"));
        bench.run().unwrap();
        assert!(!bench.process("pid").exists(), "{how}");
    }
}

#[test]
fn the_descendants_of_a_fio_that_fails_or_hangs_are_killed() {
    let daemon = "setsid sh -c 'sleep 600 & echo $! > pid; wait' & until_there pid";
    let bench = Bench::new(&format!("{daemon}; exit 3"));
    assert!(matches!(bench.run(), Err(RunError::Failed { .. })));
    assert!(!bench.process("pid").exists());

    let bench = Bench::new(&format!(
        "trap '' TERM; echo $$ > leader; {daemon}; while :; do sleep 1; done"
    ));
    let began = Instant::now();
    let hangs = job_file().with_limit(Duration::from_secs(2));
    let error = bench.fio().run(&hangs, bench.path(), &mut NeverCancel);
    let error = error.unwrap_err();
    assert!(matches!(error, RunError::TimedOut { .. }), "{error:?}");
    let expected = "fio did not end within 2 s (1s of load and 1 s to finish) and was killed";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(!bench.process("leader").exists() && !bench.process("pid").exists());
    assert!(began.elapsed() < SOON);
}

#[test]
fn our_other_children_are_not_killed() {
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    Bench::new("sleep 600 & answer").run().unwrap();
    assert!(other.try_wait().unwrap().is_none(), "it keeps running");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_fifo_in_place_of_any_file_does_not_hang_us() {
    let bench = Bench::new(
        "for name in * series-0_bw.log; do rm -f \"$name\"; mkfifo \"$name\"; done; answer",
    );
    let kept = bench.path().join("series-0_iops.log");
    fs::write(&kept, "").unwrap();
    let output = bench.run().unwrap();
    assert_eq!(output.series.unwrap().len(), 0, "fio wrote no log");
    let is_fifo = fs::symlink_metadata(&kept).unwrap().file_type().is_fifo();
    assert!(is_fifo, "foreign files are not removed");

    // A FIFO that exists before the run would hang fio itself.
    let error = bench.run().unwrap_err();
    assert!(matches!(error, RunError::Log { .. }), "{error}");
}

#[test]
fn a_link_in_place_of_a_log_is_not_followed() {
    let bench = Bench::new("answer");
    let precious = bench.programs.path().join("precious");
    fs::write(&precious, "100, 5, 0").unwrap();
    let log = bench.path().join("series-0_bw.log");
    std::os::unix::fs::symlink(&precious, &log).unwrap();
    assert!(matches!(bench.run(), Err(RunError::Log { .. })));
    fs::remove_file(log).unwrap();

    let bench = Bench::new(&format!(
        "ln -s '{}' series-0_bw.log; answer",
        precious.display()
    ));
    assert_eq!(bench.run().unwrap().series.unwrap().len(), 0);
    assert_eq!(fs::read_to_string(precious).unwrap(), "100, 5, 0");
}

#[test]
fn fio_leaves_only_existing_logs_in_its_directory() {
    let bench = Bench::new("echo '100, 40, 0' >> series-0_bw.log; : > series-0_slat.log; answer");
    let series = bench.run().unwrap().series.unwrap();
    assert_eq!(series.read.bytes, [4096]);
    assert_eq!(fs::read_dir(bench.path()).unwrap().count(), 0);

    let names = job_file().log_names();
    assert_eq!(names.len(), 5);
    let logs = || names.iter().map(|name| bench.path().join(name));
    logs().for_each(|log| fs::write(log, "200, 9, 0\n").unwrap());
    let inode = |log: PathBuf| fs::metadata(log).unwrap().ino();
    let before: Vec<u64> = logs().map(inode).collect();
    let series = bench.run().unwrap().series.unwrap();
    assert_eq!(
        series.read.bytes,
        [4096],
        "leftovers of an earlier run do not count"
    );
    assert_eq!(logs().map(inode).collect::<Vec<_>>(), before);
    assert!(logs().all(|log| fs::metadata(log).unwrap().len() == 0));
}

#[test]
fn a_fio_that_writes_without_end_is_killed() {
    for script in [
        "cat /dev/zero",
        "while :; do cat /dev/zero 2>/dev/null; done",
    ] {
        let bench = Bench::new(script);
        let began = Instant::now();
        let error = bench.run().unwrap_err();
        assert_eq!(
            error.to_string(),
            "fio wrote more than 256 MiB and was killed"
        );
        assert!(began.elapsed() < SOON);
    }
    let bench = Bench::new("answer; head -c 64M /dev/zero >&2 || :");
    bench.run().unwrap();
}

#[test]
fn a_child_that_holds_the_output_of_version_does_not_hang_the_search() {
    let bench = Bench::new("");
    let program = bench.programs.path().join("fio");
    let script = format!(
        "#!/bin/sh\nsleep 600 & echo $! > '{}'; echo fio-3.36\n",
        bench.path().join("pid").display()
    );
    fs::write(&program, script).unwrap();
    let began = Instant::now();
    let fio = bench.fio().with_fixed_clock();
    assert_eq!(fio.version().numbers(), (3, 36));
    assert!(!bench.process("pid").exists());
    assert!(began.elapsed() < SOON);
}

#[test]
fn fio_runs_in_a_directory_given_by_descriptor() {
    let bench = Bench::new("pwd -P > where; answer");
    let directory = File::open(bench.path()).unwrap();
    let by_descriptor = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
    fs::rename(bench.path(), bench.programs.path().join("moved")).unwrap();
    bench
        .fio()
        .run(&job_file(), &by_descriptor, &mut NeverCancel)
        .unwrap();
    let moved = bench.programs.path().join("moved");
    let ran_in = fs::read_to_string(moved.join("where")).unwrap();
    assert_eq!(Path::new(ran_in.trim()), moved.canonicalize().unwrap());
}
