//! Tests of the job files we write. Each test guards a line: with fio's default instead, the run
//! would measure something else.

use std::num::NonZeroU32;
use std::sync::Arc;

use super::*;
use crate::job_options::compress_percentage;
use stripewise_study::workload::{
    BlockSize, Distribution, Engine, Neighbour, Pattern, SplitPart, SyncMode,
};
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};

fn load(pattern: Pattern) -> Load {
    Load::new(pattern, Bytes::new(4096), Bytes::new(4 << 20))
}

fn request() -> SampleRequest {
    SampleRequest {
        seed: 7,
        duration: Nanos::from_millis(200),
        replay: None,
    }
}

fn measure(workload: &Workload) -> Result<JobFile, JobFileError> {
    JobFile::measure(workload, request(), &JobFiles::of(workload))
}

/// Returns the lines of the only section of a load.
fn lines(load: Load) -> Vec<String> {
    let job_file = measure(&Workload::alone(load)).unwrap();
    let (_, section) = job_file.text().split_once("[main-0]\n").unwrap();
    section.lines().map(str::to_owned).collect()
}

fn assert_has(lines: &[String], wanted: &str) {
    assert!(
        lines.iter().any(|line| line == wanted),
        "no `{wanted}` in {lines:#?}"
    );
}

fn assert_lacks(lines: &[String], option: &str) {
    let start = format!("{option}=");
    assert!(
        !lines.iter().any(|line| line.starts_with(&start)),
        "`{option}` in {lines:#?}"
    );
}

#[test]
fn a_plain_load_gives_this_job_file() {
    let job_file = measure(&Workload::alone(load(Pattern::RandWrite))).unwrap();
    let expected = "[global]
thread=1
lat_percentiles=1
clat_percentiles=0
slat_percentiles=0
randrepeat=0
fallocate=none
invalidate=1
time_based=1
runtime=200000us
allow_file_create=0
overwrite=1
exitall_on_error=1

[main-0]
filename=job-0.dat
randseed=3595544800446187243
rw=randwrite
bs=4096
size=4194304
direct=1
ioengine=psync
numjobs=1
iodepth=1
scramble_buffers=0
refill_buffers=1
sync=none
random_distribution=random
";
    assert_eq!(job_file.text(), expected);
    assert_eq!(job_file.counted(), ["main-0"]);
    assert_eq!(job_file.asked(), Some(Nanos::from_millis(200)));
    assert!(job_file.writes());
}

#[test]
fn every_field_of_a_load_becomes_an_option() {
    let lines = lines(Load {
        read_percent: Some(70),
        block_size: BlockSize::Split(vec![
            SplitPart {
                block_size_bytes: Bytes::new(4096),
                share_percent: 60,
            },
            SplitPart {
                block_size_bytes: Bytes::new(65536),
                share_percent: 40,
            },
        ]),
        direct: false,
        engine: Engine::IoUring,
        depth: 32,
        data: Data::Ratio(2.0),
        sync: SyncMode::Dsync,
        fsync_every: NonZeroU32::new(3),
        fdatasync_every: NonZeroU32::new(5),
        rate_iops: NonZeroU32::new(100),
        distribution: Distribution::Zipf(1.2),
        think_blocks: NonZeroU32::new(9),
        think_time_ns: Nanos::new(250_001),
        verify: false,
        risk: false,
        ..load(Pattern::RandRw)
    });
    for wanted in [
        "rw=randrw",
        "rwmixread=70",
        "bssplit=4096/60:65536/40",
        "norandommap=1",
        "direct=0",
        "ioengine=io_uring",
        "iodepth=32",
        "sync=dsync",
        "fsync=3",
        "fdatasync=5",
        "rate_iops=100",
        "random_distribution=zipf:1.2",
        "thinktime=251us",
        "thinktime_blocks=9",
        "thinktime_blocks_type=issue",
        "refill_buffers=1",
        "buffer_compress_percentage=50",
        "buffer_compress_chunk=4096",
    ] {
        assert_has(&lines, wanted);
    }
    assert_lacks(&lines, "bs");
}

#[test]
fn options_that_do_not_apply_are_left_out() {
    let plain = Workload::alone(load(Pattern::Read));
    assert!(
        !measure(&plain).unwrap().writes(),
        "a read load must not write"
    );
    let lines = lines(plain.load);
    for option in [
        "rwmixread",
        "random_distribution",
        "norandommap",
        "rate",
        "thinktime",
    ] {
        assert_lacks(&lines, option);
    }
}

#[test]
fn blocks_without_a_map_are_asked_for_once() {
    let mut load = load(Pattern::RandRead);
    load.norandommap = true;
    for split in [false, true] {
        if split {
            load.block_size = BlockSize::Split(vec![
                SplitPart {
                    block_size_bytes: Bytes::new(4096),
                    share_percent: 60,
                },
                SplitPart {
                    block_size_bytes: Bytes::new(8192),
                    share_percent: 40,
                },
            ]);
        }
        let lines = lines(load.clone());
        let count = lines.iter().filter(|line| *line == "norandommap=1").count();
        assert_eq!(count, 1, "{lines:?}");
    }
}

#[test]
fn zeroes_stay_zeroes() {
    let lines = lines(Load {
        data: Data::Zeroes,
        ..load(Pattern::Write)
    });
    // Without the first line fio writes time stamps into the zeroes.
    assert_has(&lines, "scramble_buffers=0");
    assert_has(&lines, "zero_buffers=1");
    assert_lacks(&lines, "refill_buffers");
}

#[test]
fn a_compression_ratio_becomes_a_share_of_zeroes() {
    for (ratio, percentage) in [
        (1.0, 0),
        (1.004, 0),
        (1.5, 33),
        (2.0, 50),
        (3.0, 67),
        (4.0, 75),
        (1e9, 99),
    ] {
        assert_eq!(compress_percentage(ratio), Ok(percentage), "{ratio}");
    }
    for ratio in [0.5, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(compress_percentage(ratio).is_err(), "{ratio}");
    }
}

#[test]
fn a_replay_has_a_list_per_job_and_no_runtime() {
    let io =
        |action, offset, length| ReplayedIo::new(action, Bytes::new(offset), Bytes::new(length));
    let replay = Replay {
        jobs: vec![
            vec![
                io(ReplayedAction::Write, 0, 4096),
                io(ReplayedAction::Read, 512, 1536),
            ],
            vec![io(ReplayedAction::Read, 65536, 1 << 20)],
        ],
        ..Replay::default()
    };
    let asked = |replay: &Replay| SampleRequest {
        replay: Some(Arc::new(replay.clone())),
        ..request()
    };
    let mut two = Workload::alone(Load {
        jobs: 2,
        ..load(Pattern::RandRw)
    });
    let files = JobFiles::of(&two);
    let job_file = JobFile::measure(&two, asked(&replay), &files).unwrap();
    assert!(!job_file.text().contains("runtime") && !job_file.text().contains("time_based"));
    assert!(
        job_file
            .text()
            .contains("read_iolog=${STRIPEWISE_IO_LIST_1}")
    );
    assert!(job_file.asked().is_none() && job_file.writes());
    let list = "fio version 2 iolog\njob-0.dat add\njob-0.dat open\njob-0.dat write 0 4096\n\
                job-0.dat read 512 1536\njob-0.dat close\n";
    assert_eq!(job_file.io_lists()[0].text, list);

    let one = Replay {
        jobs: replay.jobs[..1].to_vec(),
        ..Replay::default()
    };
    let error = JobFile::measure(&two, asked(&one), &files).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the replay has 1 lists of I/Os for 2 jobs"
    );
    two.neighbours.push(Neighbour {
        name: "noise".into(),
        load: load(Pattern::Read),
    });
    let error = JobFile::measure(&two, asked(&replay), &JobFiles::of(&two)).unwrap_err();
    assert!(matches!(error, JobFileError::Replay { .. }), "{error}");
}

#[test]
fn each_job_and_each_sample_has_its_own_seed_and_file() {
    let two = Workload::alone(Load {
        jobs: 2,
        ..load(Pattern::RandRead)
    });
    let files = JobFiles::of(&two);
    let seeds = |seed| {
        let request = SampleRequest { seed, ..request() };
        let job_file = JobFile::measure(&two, request, &files).unwrap();
        let seeds: Vec<u64> = job_file
            .text()
            .lines()
            .filter_map(|line| line.strip_prefix("randseed=")?.parse().ok())
            .collect();
        assert_eq!(seeds.len(), 2);
        seeds
    };
    let (one, other) = (seeds(1), seeds(2));
    assert_eq!(one, seeds(1));
    assert!(one[0] != one[1] && one[0] != other[0] && one[1] != other[1]);
    // fio reads them as signed 64 bits and keeps the lower 32.
    assert!(
        one.iter()
            .chain(&other)
            .all(|seed| *seed < 1 << 63 && seed & 0xffff_ffff != 0)
    );
    assert_eq!(files.main, ["job-0.dat", "job-1.dat"]);
}

#[test]
fn neighbours_run_in_parallel_and_do_not_count() {
    let mut busy = Workload::alone(load(Pattern::RandRead));
    busy.neighbours.push(Neighbour {
        name: "log]\n[x".to_owned(),
        load: load(Pattern::Write),
    });
    let job_file = measure(&busy).unwrap();
    assert_eq!(job_file.counted(), ["main-0"]);
    assert!(
        job_file
            .text()
            .contains("\n[neighbour-log___x-0]\nfilename=neighbour-0-0.dat\n")
    );
    assert!(job_file.writes(), "a neighbour writes");
}

#[test]
fn only_plain_file_names_are_accepted() {
    let workload = Workload::alone(load(Pattern::Read));
    for name in [
        "", "a/b", "../a", ".a", "-a", "a:b", "a b", "a\nb", "$x", "`x`", "a;b", "ä",
    ] {
        let files = JobFiles {
            main: vec![name.to_owned()],
            neighbours: Vec::new(),
            offsets: BTreeMap::new(),
        };
        let error = JobFile::measure(&workload, request(), &files).unwrap_err();
        assert!(matches!(error, JobFileError::FileName { .. }), "{name}");
    }
}

#[test]
fn names_and_jobs_must_match() {
    let workload = Workload::alone(load(Pattern::Read));
    let files = JobFiles {
        main: Vec::new(),
        neighbours: Vec::new(),
        offsets: BTreeMap::new(),
    };
    let error = JobFile::measure(&workload, request(), &files).unwrap_err();
    assert_eq!(error.to_string(), "the load has 1 jobs but 0 file names");
}

#[test]
fn two_rates_are_refused() {
    let error = measure(&Workload::alone(Load {
        rate_bytes_per_s: Some(Bytes::MIB),
        rate_iops: NonZeroU32::new(10),
        ..load(Pattern::Read)
    }))
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "main: `rate` and `rate_iops` are mutually exclusive"
    );
}

#[test]
fn a_layout_writes_whole_blocks_one_file_after_another() {
    let workload = Workload::alone(Load {
        jobs: 2,
        size_bytes: Bytes::new((1 << 20) + 1),
        ..load(Pattern::RandRead)
    });
    let items = LayoutItem::of(&workload, &JobFiles::of(&workload)).unwrap();
    assert_eq!(items[0].file_bytes(), Bytes::new(2 << 20));
    let job_file = JobFile::layout(&items).unwrap();
    for wanted in [
        "bs=1048576\n",
        "end_fsync=1\n",
        "[layout-1]\nstonewall\nfilename=job-1.dat\nsize=2097152\ndirect=1\n",
    ] {
        assert!(job_file.text().contains(wanted), "{}", job_file.text());
    }
    assert_eq!(job_file.counted(), ["layout-0", "layout-1"]);
    assert_eq!(job_file.asked(), None);
}

#[test]
fn jobs_on_one_device_have_their_own_region_except_in_a_replay() {
    let two = Workload::alone(Load {
        jobs: 2,
        ..load(Pattern::RandRead)
    });
    let mut files = JobFiles::of(&two);
    let offset = Bytes::new(4 << 20);
    files.offsets.insert("job-1.dat".to_owned(), offset);
    let offsets = |job_file: &JobFile| -> Vec<String> {
        let lines = job_file.text().lines();
        let named = lines.filter(|line| line.starts_with("filename=") || line.starts_with("off"));
        named.map(str::to_owned).collect()
    };
    let regions = ["filename=job-0.dat", "filename=job-1.dat", "offset=4194304"];
    let measured = JobFile::measure(&two, request(), &files).unwrap();
    assert_eq!(offsets(&measured), regions);
    let items = LayoutItem::of(&two, &files).unwrap();
    let layout = JobFile::layout(&items).unwrap();
    assert_eq!(offsets(&layout), regions);
    // fio must not create a file in place of a vanished device; a layout may create files.
    let guarded = "filename=job-1.dat\noffset=4194304\nallow_file_create=0\n";
    assert!(layout.text().contains(guarded), "{}", layout.text());
    assert_eq!(layout.text().matches("allow_file_create").count(), 1);
    let replay = Replay {
        jobs: vec![Vec::new(), Vec::new()],
        ..Replay::default()
    };
    let request = SampleRequest {
        replay: Some(std::sync::Arc::new(replay)),
        ..request()
    };
    let replayed = JobFile::measure(&two, request, &files).unwrap();
    assert_eq!(offsets(&replayed), regions[..2]);
}

/// Returns the limit of a load of 200 ms beyond its duration.
fn spare(load: Load) -> Duration {
    let limit = measure(&Workload::alone(load)).unwrap().limit();
    limit.checked_sub(Duration::from_millis(200)).unwrap()
}

#[test]
fn the_limit_is_half_a_minute_plus_the_outstanding_ios() {
    let usual = spare(load(Pattern::RandRead));
    assert_eq!(usual, Duration::from_millis(30_100));
    let more = |load: Load| spare(load).checked_sub(usual).unwrap();
    let seconds = Duration::from_secs;
    let deep = Load {
        jobs: 4,
        depth: 100,
        ..load(Pattern::RandWrite)
    };
    assert_eq!(more(deep), Duration::from_millis(399 * 100));
    let large = Load {
        block_size: BlockSize::Fixed(Bytes::new(2 << 20)),
        ..load(Pattern::Read)
    };
    assert_eq!(more(large), Duration::from_millis(1900));
    let synced = |direct| Load {
        direct,
        fsync_every: NonZeroU32::new(1001),
        ..load(Pattern::RandWrite)
    };
    assert_eq!(more(synced(false)), seconds(100));
    assert_eq!(more(synced(true)), seconds(0));
    let slow = Load {
        rate_bytes_per_s: Some(Bytes::new(1024)),
        ..load(Pattern::Write)
    };
    assert_eq!(more(slow.clone()), seconds(4));
    let thinking = Load {
        think_time_ns: Nanos::from_millis(60_000),
        ..slow
    };
    assert_eq!(more(thinking), seconds(60));
    let endless = Load {
        jobs: u32::MAX,
        depth: u32::MAX,
        block_size: BlockSize::Fixed(Bytes::new(u64::MAX)),
        think_time_ns: Nanos::new(u64::MAX),
        ..load(Pattern::RandRw)
    };
    let limit = limit::of_loads(Duration::MAX, [&endless, &endless]);
    assert_eq!(limit, Duration::MAX);
}

#[test]
fn all_jobs_run_on_the_chosen_cpus() {
    let workload = Workload::alone(load(Pattern::RandRead));
    let anywhere = measure(&workload).unwrap();
    assert!(!anywhere.text().contains("cpus_allowed"));
    assert_eq!(anywhere.clone().on_cpus(None), anywhere);
    let cpus: CpuSet = "8,0-3".parse().unwrap();
    let pinned = anywhere.on_cpus(Some(&cpus));
    let (global, _) = pinned.text().split_once("[main-0]").unwrap();
    assert!(global.contains("\ncpus_allowed=0-3,8\n"), "{global}");
}

/// One I/O of 4 KiB at a time in milliseconds.
fn timed(action: ReplayedAction, at_ms: u64) -> ReplayedIo {
    let io = match action {
        ReplayedAction::Flush => ReplayedIo::flush(),
        action => ReplayedIo::new(action, Bytes::new(at_ms << 12), Bytes::new(4096)),
    };
    io.at(Nanos::from_millis(at_ms))
}

fn timed_job_file(depth: u32, version: &str) -> Result<JobFile, JobFileError> {
    use ReplayedAction::{Flush, Read, Write};
    let ios = [Write, Flush, Write, Flush, Read, Read];
    let ios = (0..).zip(ios).map(|(at_ms, action)| timed(action, at_ms));
    timed_list(ios.collect(), depth, version)
}

fn timed_list(ios: Vec<ReplayedIo>, depth: u32, version: &str) -> Result<JobFile, JobFileError> {
    let workload = Workload::alone(Load {
        depth,
        engine: Engine::Libaio,
        ..load(Pattern::RandRw)
    });
    let request = SampleRequest {
        replay: Some(Arc::new(Replay {
            jobs: vec![ios],
            ..Replay::default()
        })),
        ..request()
    };
    let version = Version::parse(version).unwrap();
    JobFile::measure_in_steps(
        &workload,
        request,
        &JobFiles::of(&workload),
        None,
        Some(&version),
    )
}

#[test]
fn times_of_a_replay_are_in_microseconds_and_flushes_are_syncs() {
    let job_file = timed_job_file(4, "fio-3.39").unwrap();
    let text = job_file.text();
    assert!(
        text.contains("ioengine=libaio") && text.contains("iodepth=4"),
        "{text}"
    );
    assert_eq!(job_file.counted().len(), 1);
    let list = "fio version 3 iolog\n1 job-0.dat add\n1 job-0.dat open\n\
                1 job-0.dat write 0 4096\n1001 job-0.dat sync 0 0\n\
                3001 job-0.dat write 8192 4096\n4001 job-0.dat sync 0 0\n\
                6001 job-0.dat read 16384 4096\n7001 job-0.dat read 20480 4096\n\
                7001 job-0.dat close\n";
    // libaio counts each gap from the latest read or write.
    assert_eq!(job_file.io_lists()[0].text, list);
}

#[test]
fn an_old_fio_keeps_times_with_a_thread_for_each_io_in_flight() {
    let job_file = timed_job_file(2, "fio-3.33").unwrap();
    let text = job_file.text();
    assert!(
        text.contains("ioengine=psync") && text.contains("iodepth=1\n"),
        "{text}"
    );
    assert_eq!(job_file.counted(), ["main-0", "main-1"]);
    let lines = |list: usize, what: &str| job_file.io_lists()[list].text.matches(what).count();
    // fio refuses a list without a read or a write.
    for list in 0..2 {
        assert_eq!((lines(list, " 4096\n"), lines(list, "sync")), (2, 1));
    }
    // No more threads than reads and writes.
    assert_eq!(timed_job_file(64, "fio-3.33").unwrap().counted().len(), 4);

    let error = timed_job_file(2, "fio-3.30").unwrap_err().to_string();
    assert_eq!(
        error,
        "the replay has times, which fio keeps from 3.31 on; this is fio-3.30"
    );
}

/// Guards against a `datasync` in another thread than its write.
#[test]
fn a_durable_write_is_a_write_and_a_datasync_behind_it() {
    use ReplayedAction::{DurableWrite, Read};
    let ios = (0..4).zip([DurableWrite, DurableWrite, Read, Read]);
    let ios = ios.map(|(at_ms, action)| timed(action, at_ms)).collect();
    let lists = |version| -> Vec<String> {
        let job_file = timed_list(Vec::clone(&ios), 2, version).unwrap();
        assert!(job_file.writes());
        let lists = job_file.io_lists().iter();
        lists.map(|list| list.text.clone()).collect()
    };
    let list = "fio version 3 iolog\n1 job-0.dat add\n1 job-0.dat open\n\
                1 job-0.dat write 0 4096\n1 job-0.dat datasync 0 0\n\
                1001 job-0.dat write 4096 4096\n1001 job-0.dat datasync 0 0\n\
                2001 job-0.dat read 8192 4096\n3001 job-0.dat read 12288 4096\n\
                3001 job-0.dat close\n";
    assert_eq!(lists("fio-3.39"), [list]);
    let first = "fio version 3 iolog\n1 job-0.dat add\n1 job-0.dat open\n\
                 1 job-0.dat write 0 4096\n1 job-0.dat datasync 0 0\n\
                 2001 job-0.dat read 8192 4096\n2001 job-0.dat close\n";
    let second = "fio version 3 iolog\n1 job-0.dat add\n1 job-0.dat open\n\
                  1001 job-0.dat write 4096 4096\n1001 job-0.dat datasync 0 0\n\
                  3001 job-0.dat read 12288 4096\n3001 job-0.dat close\n";
    assert_eq!(lists("fio-3.33"), [first, second]);
}

#[test]
fn a_replay_with_too_many_threads_or_ios_is_refused() {
    let ios = |count: u64| Replay {
        jobs: vec![
            (0..count)
                .map(|at| timed(ReplayedAction::Read, at))
                .collect(),
        ],
        ..Replay::default()
    };
    let workload = Workload::alone(Load {
        depth: 1000,
        engine: Engine::Libaio,
        ..load(Pattern::RandRead)
    });
    let refused = |count| {
        let request = SampleRequest {
            replay: Some(Arc::new(ios(count))),
            ..request()
        };
        let version = Version::parse("fio-3.33").unwrap();
        let files = JobFiles::of(&workload);
        let job_file = JobFile::measure_in_steps(&workload, request, &files, None, Some(&version));
        job_file.unwrap_err().to_string()
    };
    let threads = "the replay has times and needs 1000 threads in fio-3.33, the limit is 512";
    assert_eq!(refused(2000), threads);
    let many = "the replay has 1048577 I/Os, the limit is 1048576";
    assert_eq!(refused(ReplayedIo::COUNT_MAX + 1), many);
}

#[test]
fn a_job_file_to_share_has_each_workload_behind_the_one_before() {
    let text = r#"
[stack.a]
filesystem = "existing"
[neighbour.log]
pattern = "write"
block_size = "4K"
size = "1M"
rate_iops = 400
fsync = 1
[workload.day]
pattern = "randread"
block_size = "16K"
size = "1G"
jobs = 2
neighbours = ["log"]
[workload.night]
pattern = "read"
block_size = "1M"
size = "1G"
"#;
    let study = stripewise_format::parse("test", text).unwrap();
    let workloads = study.cells.iter().map(|cell| &cell.workload);
    let named: Vec<(&str, &Workload)> = ["day", "night"].into_iter().zip(workloads).collect();
    let shared = JobFile::to_share(&named, Nanos::from_millis(60_000)).unwrap();
    let sections: Vec<&str> = shared
        .lines()
        .filter(|line| line.starts_with('['))
        .collect();
    assert_eq!(
        sections,
        [
            "[global]",
            "[day-main-0]",
            "[day-main-1]",
            "[day-neighbour-log-0]",
            "[night-main-0]"
        ]
    );
    assert_eq!(shared.matches("stonewall").count(), 1, "{shared}");
    let night = shared.split("[night-main-0]\n").nth(1).unwrap();
    assert!(
        night.starts_with("stonewall\nfilename=night-job-0.dat\n"),
        "{night}"
    );
    assert!(shared.contains("runtime=60000000us"), "{shared}");
    assert!(
        shared.contains("rate_iops=400") && shared.contains("fsync=1"),
        "{shared}"
    );
}
