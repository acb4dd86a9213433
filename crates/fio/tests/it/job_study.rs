//! Job files that people wrote become studies of the same loads.
//!
//! The failure: a user's job file had `bs` in `[global]`, `blocksize` in a job, and `rwmixwrite=30`; the
//! study measured 4K at 50/50, and the two answers were compared as if they were of one load. Another
//! file had `zonemode=zbd`, which was left out without a word.
//!
//! Real fio is the oracle: it runs drawn job files on tiny files, and the loads in its own report are
//! those of our study.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use expect_test::expect;
use stripewise_fio::{Fio, JobFile, JobStudy, JobStudyError, import, job_study};
use stripewise_format::parse;
use stripewise_format::preset::PRESETS;
use stripewise_study::load::Load;
use stripewise_study::plan::Study;
use stripewise_study::workload::Workload;
use stripewise_units::Nanos;
use stripewise_units::splitmix::SplitMix64;

fn converted(text: &str) -> Result<JobStudy, JobStudyError> {
    job_study("mine.fio", text, &|name| {
        (name == "SIZE").then(|| "64k".to_owned())
    })
}

/// Returns the notes of a job file, one a line, those first that change a load.
fn notes(text: &str) -> String {
    let notes = converted(text).unwrap().notes.into_iter();
    let line = |note: stripewise_fio::OptionNote| match note.changes_load {
        true => format!("changed: {note}\n"),
        false => format!("own way: {note}\n"),
    };
    notes.map(line).collect()
}

#[test]
fn a_job_file_is_the_study_of_its_loads() {
    let made = converted(
        "[global]\nioengine=libaio\niodepth=16\ndirect=1\nsize=1g\nruntime=30\ntime_based\n\
         refill_buffers\ncpus_allowed=0-1\n\n[oltp]\nrw=randrw\nblocksize=8k\nrwmixwrite=30\n\
         numjobs=2\n\n[log]\nrw=write\nbs=4k\niodepth=1\nfsync=1\nrate_iops=100\n\n\
         [scan]\nstonewall\nrw=read\nbs=1m\n",
    )
    .unwrap();
    expect![[r##"
        # The jobs of `mine.fio`, as a study.
        # `time_based`: a sample takes as long as `sample` in `[repeat]` says
        # `refill_buffers` of scan: `data` says what the buffers hold
        # `stonewall` of scan: jobs of a group run together, each job is a thread, and alike ones are counted together
        question = "What do the jobs of mine.fio give here?"

        [stack.here]

        [workload.oltp]
        pattern = "randrw"
        mix = "70/30"
        block_size = "8K"
        size = "1G"
        engine = "libaio"
        jobs = 2
        depth = 16
        neighbours = ["log"]

        [workload.log]
        pattern = "write"
        block_size = "4K"
        size = "1G"
        engine = "libaio"
        jobs = 1
        depth = 1
        fsync = 1
        rate_iops = 100
        neighbours = ["oltp"]

        [neighbour.oltp]
        pattern = "randrw"
        mix = "70/30"
        block_size = "8K"
        size = "1G"
        engine = "libaio"
        jobs = 2
        depth = 16

        [neighbour.log]
        pattern = "write"
        block_size = "4K"
        size = "1G"
        engine = "libaio"
        jobs = 1
        depth = 1
        fsync = 1
        rate_iops = 100

        [workload.scan]
        pattern = "read"
        block_size = "1M"
        size = "1G"
        engine = "libaio"
        jobs = 1
        depth = 16

        [conditions]
        cpus = "0-1"

        [repeat]
        sample = "30s"
        budget = "11m"
    "##]]
    .assert_eq(&made.text);
    assert_eq!(parse("mine.fio", &made.text).unwrap().cells.len(), 3);
}

#[test]
fn every_option_that_no_key_says_is_named_with_what_it_changes() {
    expect![[r#"
        changed: `startdelay=5` of a: no key of a study says it
        changed: `zonemode=zbd` of a: no key of a study says it
        changed: `rw=randread:8` of b: no key says it exactly; here it is randread
        changed: `rw=randtrim` of c: a study has reads and writes only
        changed: `filename=/dev/sdb` of b: it is a device: the study measures the filesystem under `--target DIR`; devices to overwrite stand under `[may_destroy]`
        own way: `iodepth=32` of a, b: `psync` keeps one I/O in flight, as here
        own way: `runtime=10` of a: a sample takes as long as `sample` in `[repeat]` says
        own way: `rwmixread=70` of a: it has no effect on `read`
        own way: `write_bw_log=x` of a: every sample records counts, latencies and a series
        own way: `randseed=7` of b: each sample has a seed of its own
    "#]]
    .assert_eq(&notes(
        "[global]\nsize=${SIZE}\niodepth=32\n[a]\nrw=read\nstartdelay=5\nzonemode=zbd\nrwmixread=70\n\
         runtime=10\nwrite_bw_log=x\ninvalidate=1\n[b]\nrw=randread:8\nfilename=/dev/sdb\nruntime=20\n\
         randseed=7\n[c]\nrw=randtrim\n",
    ));
    // The size of a device, several files in one option, and jobs that share a file.
    expect![[r#"
        changed: `size`: fio takes the size of the file or device; here it is 1G
        changed: `bs=4k,8k`: no key says it exactly; here it is 4k
        changed: `nrfiles=4`: no key of a study says it
        changed: `filename=shared`: jobs share the file; here each job has its own
        own way: fio's own buffers compress about 5.9 times, and so do those of the study
    "#]]
    .assert_eq(&notes(
        "[a]\nrw=randrw\nbs=4k,8k\nnrfiles=4\nfilename=shared\nnumjobs=2\n",
    ));
    // Jobs that run one after the other share no file.
    let waits =
        "[a]\nrw=read\nfilename=x\nsize=1m\n[b]\nstonewall\nrw=randread\nfilename=x\nsize=1m\n";
    assert!(!notes(waits).contains("changed"), "{}", notes(waits));
    let none = converted("[a]\nrw=trim\nsize=1m\n").unwrap_err();
    assert!(none.to_string().contains("`rw=trim`"), "{none}");
}

/// Returns the loads of a study: of its workloads and of all their neighbours.
/// `norandommap` in `[global]` vanished without a word for a skewed load, `refill_buffers=0` was left out of
/// a file that never said it, and `verify` was named twice.
#[test]
fn what_another_option_makes_idle_is_named_once_with_its_reason() {
    expect![[r#"
        changed: `verify=crc32c`: a study verifies writes of one block size with incompressible data only
        own way: `bs=1m`: fio takes `bssplit` instead
        own way: `norandommap`: loads of several block sizes and skewed ones draw so anyway
        own way: fio's own buffers compress about 1.05 times, and so do those of the study
    "#]]
    .assert_eq(&notes(
        "[global]\nnorandommap\nbs=1m\nsize=64k\n[a]\nrw=randwrite\nrandom_distribution=zipf:1.2\n\
         bssplit=4k/60:64k/40\nverify=crc32c\n",
    ));
    // A uniform load of one block size keeps it, and what the file says of buffers has its name.
    expect![[r#"
        own way: `refill_buffers=0`: `data` says what the buffers hold
        own way: fio's own buffers compress about 5.9 times, and so do those of the study
    "#]]
    .assert_eq(&notes(
        "[global]\nnorandommap\nsize=64k\n[a]\nrw=randwrite\nrefill_buffers=0\n",
    ));
}

fn loads(study: &Study) -> Vec<(Load, Vec<Load>)> {
    let workloads = study.cells.iter().map(|cell| &cell.workload);
    let beside = |workload: &Workload| {
        workload
            .neighbours
            .iter()
            .map(|one| one.load.clone())
            .collect()
    };
    workloads
        .map(|workload| (workload.load.clone(), beside(workload)))
        .collect()
}

#[test]
fn the_job_files_that_we_write_are_read_as_the_loads_that_they_are_of() {
    let mut count = 0;
    for preset in PRESETS {
        let before = parse(preset.name, &preset.study()).unwrap();
        let names: Vec<String> = (0..before.cells.len())
            .map(|number| format!("load{number}"))
            .collect();
        let workloads = before.cells.iter().map(|cell| &cell.workload);
        let named: Vec<(&str, &Workload)> =
            names.iter().map(String::as_str).zip(workloads).collect();
        let shared = JobFile::to_share(&named, Nanos::from_millis(3_000)).unwrap();
        let made = converted(&shared).unwrap();
        let changes: Vec<_> = made.notes.iter().filter(|note| note.changes_load).collect();
        assert!(changes.is_empty(), "{}: {changes:?}", preset.name);
        let after = parse(preset.name, &made.text).unwrap();
        assert_eq!(loads(&after), loads(&before), "{}", preset.name);
        count += before.cells.len();
    }
    assert!(count > 60, "{count} loads");
}

/// Draws values of options, by name.
struct Draw {
    random: SplitMix64,
    number: u64,
}

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.number += 1;
        usize::try_from(self.random.at(self.number) % u64::try_from(end).unwrap()).unwrap()
    }

    /// Writes an option in four of ten cases.
    fn option(&mut self, text: &mut String, names: &[&str], values: &[&str]) {
        if self.below(10) < 4 {
            let name = names[self.below(names.len())];
            let value = values[self.below(values.len())];
            let comment = ["", "", " ; a comment", "  # another"][self.below(4)];
            text.push_str(&format!("{name}={value}{comment}\n"));
        }
    }

    fn options(&mut self) -> String {
        let mut text = String::new();
        self.option(
            &mut text,
            &["rw", "readwrite"],
            &[
                "read",
                "randread",
                "randwrite",
                "randrw",
                "readwrite",
                "write",
            ],
        );
        self.option(
            &mut text,
            &["bs", "blocksize"],
            &["4k", "8192", "4K", "2kb", "0x1000", "1kib"],
        );
        self.option(
            &mut text,
            &["ioengine"],
            &["psync", "sync", "libaio", "io_uring", "posixaio"],
        );
        self.option(&mut text, &["iodepth"], &["1", "4", "16"]);
        self.option(&mut text, &["rwmixread", "rwmixwrite"], &["70", "20"]);
        self.option(&mut text, &["direct", "buffered"], &["0", "1"]);
        self.option(&mut text, &["fsync", "fdatasync"], &["0", "2"]);
        self.option(&mut text, &["bssplit"], &["1k/30:4k/70", "2k/50:4k"]);
        self.option(
            &mut text,
            &["norandommap", "refill_buffers", "sync"],
            &["1", "0"],
        );
        self.option(
            &mut text,
            &["random_distribution"],
            &["zipf:1.2", "random", "pareto:0.5"],
        );
        self.option(&mut text, &["kb_base"], &["1000", "1024"]);
        self.option(&mut text, &["thinktime"], &["10", "20us", "0"]);
        text
    }

    /// Returns a job file with one `[global]`: fio's report has only the last values of several.
    fn job_file(&mut self) -> String {
        let mut text = format!("[global]\nstonewall\n{}", self.options());
        for job in 0..3 {
            // Sizes differ, so that jobs are never alike.
            text.push_str(&format!(
                "[job{job}]\n{}size={}\n",
                self.options(),
                65536 + job * 65536
            ));
        }
        text
    }
}

/// Returns a load as a study has it: without what has no effect, which fio reports as it was written.
fn as_in_a_study(load: Load) -> Load {
    let text = format!("[stack.here]\n[workload]\n{}", load.toml());
    let depth = match load.engine.is_synchronous() {
        true => 1,
        false => load.depth,
    };
    let text = text.replace(
        &format!("depth = {}\n", load.depth),
        &format!("depth = {depth}\n"),
    );
    let study = parse("theirs", &text).unwrap_or_else(|error| panic!("{error}"));
    study.cells[0].workload.load.clone()
}

/// Returns the loads in fio's report of a run of a job file, by the job's name; `None` if it refuses
/// the file.
fn reported(text: &str) -> Option<BTreeMap<String, Load>> {
    Fio::find().expect("these tests need fio: apt-get install fio");
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(directory.path().join("mine.fio"), text).unwrap();
    let mut command = Command::new("fio");
    command
        .args(["--output-format=json", "--output=out.json", "mine.fio"])
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if !command.status().unwrap().success() {
        return None;
    }
    let json = std::fs::read(directory.path().join("out.json")).unwrap();
    let cells = import(&json).unwrap().remove(0).cells.into_iter();
    Some(cells.map(|cell| (cell.name, cell.load)).collect())
}

#[test]
fn loads_of_drawn_job_files_are_those_that_real_fio_reports() {
    let cases = std::env::var("STRIPEWISE_TEST_JOB_FILES");
    let cases: u64 = cases.map_or(3, |cases| cases.parse().unwrap());
    let seed = std::env::var("STRIPEWISE_TEST_SEED");
    let seed = seed.ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (mut ran, mut compared) = (0, 0);
    for case in 0..cases * 10 {
        if ran == cases {
            break;
        }
        let random = SplitMix64(seed ^ (case << 32));
        let text = Draw { random, number: 0 }.job_file();
        let made = converted(&text).unwrap();
        let Ok(study) = parse("mine.fio", &made.text) else {
            // A study refuses odd sizes with direct I/O, and fio only once it runs.
            continue;
        };
        let Some(reported) = reported(&text) else {
            continue;
        };
        ran += 1;
        for cell in &study.cells {
            let name = cell.workload.name.as_deref().unwrap();
            let ours = cell.workload.load.clone();
            let theirs = as_in_a_study(reported[name].clone());
            assert_eq!(
                ours, theirs,
                "seed {seed}, case {case}, {name}:\n{text}\n{}",
                made.text
            );
            compared += 1;
        }
    }
    assert!(
        ran == cases && compared >= 3 * cases,
        "{ran} ran, {compared} compared"
    );
}
