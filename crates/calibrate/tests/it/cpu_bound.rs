//! Published arrays whose limit is the CPU: RAM disks, and SSDs so fast that md is the limit.
//!
//! Guards against locks and cores that cost nothing. Each host has a few numbers, which are fitted to
//! the rows marked `fitted` and no others; the other rows are predictions. A RAM disk (`brd`)
//! completes an I/O within `submit_bio`, without a request, a queue or an interrupt, so its profile
//! takes no time, and these hosts need no time to wake a task. All its work, also the copying, is CPU
//! time. Cores that are not published are guesses, and then so is the CPU time; the rates that a lock
//! bounds do not depend on either.
//!
//! The rows are in `cpu-bound-arrays.csv`, with the messages that they are from.

use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_fixtures::{assert_golden, golden_share};
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::engine::Setup;
use stripewise_study::sample::as_f64;
use stripewise_units::kernel::KernelVersion;

const DATA: &str = include_str!("../data/cpu-bound-arrays.csv");

/// A published row: where it is in the data, and how it is simulated.
struct PublishedRow {
    /// Words that only its line has.
    line: &'static [&'static str],
    kernel: &'static str,
    /// The array, and how many disks there are.
    array: Option<&'static str>,
    disks: u32,
    /// Reads and writes for each second together, if the line has one side of a mix: the share of
    /// that side.
    share: f64,
    used: &'static str,
}

/// Rows of one host under one load.
struct Group {
    name: &'static str,
    /// The numbers of the host, with the cells that they are fitted to.
    fitted: &'static str,
    cores: u32,
    submit_ns: u64,
    bio_ns: u64,
    completion_ns: u64,
    mirror_lock_ns: u64,
    parity_lock_ns: u64,
    load: &'static str,
    /// The time of an I/O on one disk, and how many it serves at a time.
    disk: (u64, u32),
    rows: &'static [PublishedRow],
}

const FITTED: &str = "fitted";
const PREDICTED: &str = "";

const fn row(
    line: &'static [&'static str],
    kernel: &'static str,
    array: Option<&'static str>,
    disks: u32,
    used: &'static str,
) -> PublishedRow {
    PublishedRow {
        line,
        kernel,
        array,
        disks,
        share: 1.0,
        used,
    }
}

const fn side(share: f64, row: PublishedRow) -> PublishedRow {
    PublishedRow { share, ..row }
}

const RAID0: Option<&str> = Some("level = \"raid0\", chunk = \"512K\"");
const RAID1: Option<&str> = Some("level = \"raid1\", bitmap = \"none\"");
const RAID6: Option<&str> = Some("level = \"raid6\", chunk = \"512K\", bitmap = \"none\"");
const RAID10: Option<&str> =
    Some("level = \"raid10\", layout = \"n2\", chunk = \"512K\", bitmap = \"none\"");
const RAID10_BITMAP: Option<&str> =
    Some("level = \"raid10\", layout = \"n2\", chunk = \"512K\", bitmap = \"internal\"");

const fn flushed(line: &'static [&'static str], disks: u32, used: &'static str) -> PublishedRow {
    row(line, "5.8", RAID0, disks, used)
}

const GROUPS: [Group; 5] = [
    Group {
        name: "raid0 of RAM disks, each write with fsync (a laptop)",
        fitted: "submit_ns to one disk in a RAID 0, bio_ns = completion_ns to 64",
        cores: 4,
        submit_ns: 8480,
        bio_ns: 155,
        completion_ns: 155,
        mirror_lock_ns: 0,
        parity_lock_ns: 0,
        load: "pattern = \"randwrite\"\nblock_size = \"4K\"\nfsync = 1\nsize = \"512M\"",
        disk: RAM,
        rows: &[
            row(
                &["Shuklin", "none,single"],
                "5.8",
                None,
                1,
                "no rule explains it: md gives each flush to a workqueue, twice",
            ),
            flushed(&["Shuklin", "raid0,,512,1,"], 1, FITTED),
            flushed(&["Shuklin", "raid0,,512,2,"], 2, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,4,"], 4, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,8,"], 8, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,16,"], 16, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,32,"], 32, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,64,"], 64, FITTED),
            flushed(&["Shuklin", "raid0,,512,128,"], 128, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,256,"], 256, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,512,"], 512, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,1024,"], 1024, PREDICTED),
            flushed(&["Shuklin", "raid0,,512,1920,"], 1920, PREDICTED),
        ],
    },
    Group {
        name: "mirrors of RAM disks, 400 jobs, reads and writes 70/30 (two EPYC of 64 cores)",
        fitted: "submit_ns to the single disk, mirror_lock_ns to raid1 reads of 5.10",
        cores: 128,
        submit_ns: 5140,
        bio_ns: 300,
        completion_ns: 780,
        mirror_lock_ns: 807,
        parity_lock_ns: 0,
        load: "pattern = \"randrw\"\nmix = \"70/30\"\nblock_size = \"4K\"\njobs = 400\ndepth = 64\n\
               engine = \"libaio\"\nsize = \"16M\"",
        disk: RAM,
        rows: &[
            side(
                0.7,
                row(&["5.10", "none,single", ":read"], "5.10", None, 1, FITTED),
            ),
            side(
                0.3,
                row(
                    &["5.10", "none,single", ":write"],
                    "5.10",
                    None,
                    1,
                    PREDICTED,
                ),
            ),
            side(
                0.7,
                row(&["5.10", "md,raid1", ":read"], "5.10", RAID1, 2, FITTED),
            ),
            side(
                0.3,
                row(&["5.10", "md,raid1", ":write"], "5.10", RAID1, 2, PREDICTED),
            ),
            side(
                0.7,
                row(
                    &["upstream", "md,raid1", ":read"],
                    "6.4",
                    RAID1,
                    2,
                    PREDICTED,
                ),
            ),
            side(
                0.3,
                row(
                    &["upstream", "md,raid1", ":write"],
                    "6.4",
                    RAID1,
                    2,
                    PREDICTED,
                ),
            ),
            side(
                0.7,
                row(
                    &["before patch,raid10", ":read"],
                    "5.10",
                    RAID10,
                    4,
                    UNKNOWN_LOCK,
                ),
            ),
            side(
                0.3,
                row(
                    &["before patch,raid10", ":write"],
                    "5.10",
                    RAID10,
                    4,
                    UNKNOWN_LOCK,
                ),
            ),
            side(
                0.7,
                row(
                    &["md patched,raid10", ":read"],
                    "6.1",
                    RAID10,
                    4,
                    UNKNOWN_CPU,
                ),
            ),
            side(
                0.3,
                row(
                    &["md patched,raid10", ":write"],
                    "6.1",
                    RAID10,
                    4,
                    UNKNOWN_CPU,
                ),
            ),
        ],
    },
    Group {
        name: "raid10 of RAM disks, 64 jobs of random writes, 6.12",
        fitted: "submit_ns to the single disk on 64 cores (a guess); mirror_lock_ns is that of the EPYC host",
        cores: 64,
        submit_ns: 4540,
        bio_ns: 300,
        completion_ns: 780,
        mirror_lock_ns: 807,
        parity_lock_ns: 0,
        load: "pattern = \"randwrite\"\nblock_size = \"4K\"\njobs = 64\ndepth = 128\n\
               engine = \"libaio\"\nsize = \"16M\"",
        disk: RAM,
        rows: &[
            row(&["2024-10-15", "none,single"], "6.12", None, 1, FITTED),
            row(
                &["bitmap=internal(old)"],
                "6.12",
                RAID10_BITMAP,
                4,
                PREDICTED,
            ),
            row(
                &["2024-10-15", "bitmap=none"],
                "6.12",
                RAID10,
                4,
                UNKNOWN_CPU,
            ),
        ],
    },
    Group {
        name: "raid6 of RAM disks, 1024 jobs of random reads",
        fitted: "parity_lock_ns to the array before the patch, submit_ns to the one after it, on 64 cores (a guess)",
        cores: 64,
        submit_ns: 14_600,
        bio_ns: 300,
        completion_ns: 780,
        mirror_lock_ns: 0,
        parity_lock_ns: 500,
        load: RAID6_LOAD,
        disk: RAM,
        rows: &[
            row(
                &["brd", "before patch,raid6", ",randread,"],
                "5.13",
                RAID6,
                8,
                FITTED,
            ),
            row(
                &["brd", "after patch,raid6", ",randread,"],
                "5.14",
                RAID6,
                8,
                FITTED,
            ),
        ],
    },
    Group {
        name: "raid6 of NVMe disks of 250k reads/s, on the same host",
        fitted: "nothing",
        cores: 64,
        submit_ns: 14_600,
        bio_ns: 300,
        completion_ns: 780,
        mirror_lock_ns: 0,
        parity_lock_ns: 500,
        load: RAID6_LOAD,
        disk: (128_000, 32),
        rows: &[
            row(&["NVMe", "none,single"], "5.13", None, 1, PREDICTED),
            row(
                &["NVMe", "before patch,raid6", ",randread,"],
                "5.13",
                RAID6,
                8,
                PREDICTED,
            ),
            row(
                &["NVMe", "after patch,raid6", ",randread,"],
                "5.14",
                RAID6,
                8,
                PREDICTED,
            ),
        ],
    },
];

/// A disk that takes no time.
const RAM: (u64, u32) = (1, 1024);
const UNKNOWN_LOCK: &str = "no rule explains it: its locks (resync_lock, that of wait_barrier) are held for less time than raid1's";
const UNKNOWN_CPU: &str =
    "no rule explains it: no lock is left, counters that all cores write are not simulated";
const RAID6_LOAD: &str = "pattern = \"randread\"\nblock_size = \"4K\"\njobs = 1024\ndepth = 1\n\
                          engine = \"libaio\"\nsize = \"16M\"";

/// Returns a disk that serves `at_once` I/Os of 4K at a time, each in `time_ns`.
fn disk((time_ns, at_once): (u64, u32)) -> DeviceProfile {
    let direction = format!(
        "servers = {at_once}\np99_over_p50 = 1.0\nrandom = [{{ size_bytes = 4096, time_ns = {time_ns} }}]\n"
    );
    let text = format!(
        "schema = 1\nname = \"disk\"\ndescription = \"\"\nsource = \"made up\"\n\
         capacity_bytes = 64_000_000_000\nrotational = false\nqueue_depth = 65536\n\
         [calibrated.link]\nread_bytes_per_s = 1_000_000_000_000\n\
         write_bytes_per_s = 1_000_000_000_000\ncommand_ns = 0\nfull_duplex = true\n\
         [calibrated.read]\n{direction}[calibrated.write]\n{direction}\
         [calibrated.cache]\nis_volatile = false\nflush_ns = 0\n"
    );
    stripewise_profiles::profile_file::device_from_toml("disk.toml", &text).expect("a good profile")
}

fn host(group: &Group) -> HostProfile {
    let mut host = Profiles::shipped().hosts[HOST_DEFAULT].clone();
    host.cpu.cores = group.cores;
    host.cpu.submit_ns = group.submit_ns;
    host.cpu.bio_ns = group.bio_ns;
    host.cpu.page_ns = 0;
    host.cpu.completion_ns = group.completion_ns;
    host.cpu.wake_ns = 0;
    host.cpu.mirror_lock_ns = group.mirror_lock_ns;
    host.cpu.parity_lock_ns = group.parity_lock_ns;
    host
}

/// Returns the simulated I/Os of a row for each second.
fn simulated(group: &Group, row: &PublishedRow) -> f64 {
    let array = row.array.map(|array| format!("array = {{ {array} }}\n"));
    let text = format!(
        "[stack.s]\ndevices = {{ disk = {} }}\nfilesystem = \"none\"\n{}[workload]\ndirect = true\n{}\n",
        row.disks,
        array.unwrap_or_default(),
        group.load
    );
    let study = stripewise_fixtures::study(&text);
    let (disk, host) = (disk(group.disk), host(group));
    let cell = &study.cells[0];
    let setup = Setup {
        stack: &cell.stack,
        workload: &cell.workload,
        conditions: &cell.conditions,
        devices: (0..row.disks).map(|_| &disk).collect(),
        host: &host,
        kernel: KernelVersion::parse(row.kernel).expect("a version"),
        failed: Vec::new(),
        rebuilding: false,
        seed: 1,
        replay: None,
    };
    let mut simulation = setup.build().expect("a stack that can be simulated");
    // Jobs that share a core finish in lumps, so a short sample of many jobs has blurred ends.
    let load = &cell.workload.load;
    simulation.run_ios(20_000.max(16 * u64::from(load.jobs * load.depth)));
    let sample = simulation.sample();
    as_f64(sample.read.ios + sample.write.ios) / sample.elapsed_ns.as_secs_f64()
}

/// Returns the published I/Os of a row for each second, of both sides of a mix.
fn published(row: &PublishedRow) -> f64 {
    let has_all = |line: &&str| row.line.iter().all(|words| line.contains(words));
    let mut found = DATA.lines().filter(has_all);
    let line = found.next().expect("a row of the data");
    assert_eq!(found.next(), None, "{:?} are words of two rows", row.line);
    let mut fields = line.rsplit(',');
    let (unit, value) = (fields.next(), fields.next());
    let value: f64 = value
        .and_then(|value| value.parse().ok())
        .expect("a number");
    let iops = match unit {
        Some("MiB/s") => value * 256.0,
        _ => value,
    };
    iops / row.share
}

/// The words of a row.
fn name(row: &PublishedRow) -> String {
    row.line.join(" ")
}

#[test]
fn arrays_that_the_cpu_limits_are_predicted_from_a_few_numbers() {
    let mut table = String::new();
    let mut missed = Vec::new();
    let rows = GROUPS.iter().flat_map(|group| group.rows);
    let drawn = golden_share("rows of the CPU", &rows.map(name).collect::<Vec<_>>(), 6);
    for group in &GROUPS {
        let line = |table: &mut String, text: &str| writeln!(table, "{text}").expect("a string");
        line(&mut table, &format!("# {}", group.name));
        line(&mut table, &format!("# fitted: {}", group.fitted));
        line(
            &mut table,
            "row | kernel | published | simulated | ratio | ",
        );
        for row in group.rows.iter().filter(|row| drawn.contains(&name(row))) {
            let (published, simulated) = (published(row), simulated(group, row));
            let ratio = simulated / published;
            let name = name(row);
            line(
                &mut table,
                &format!(
                    "{name} | {} | {published:.0} | {simulated:.0} | {ratio:.2} | {}",
                    row.kernel, row.used
                ),
            );
            if row.used == FITTED && (ratio - 1.0).abs() > 0.03 {
                missed.push(name);
            }
        }
        line(&mut table, "");
    }
    assert_golden(&expect_file!["../golden/cpu-bound-arrays.txt"], &table);
    assert!(missed.is_empty(), "fitted rows are met: {missed:?}");
}
