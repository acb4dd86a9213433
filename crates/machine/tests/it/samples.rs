//! Values read around each sample: counters, the state of the host, other processes.

use std::collections::BTreeSet;

use stripewise_machine::{
    CoreCounters, CoreReadings, DeviceCounters, HostState, ProcessIo, busiest_other_process,
};
use stripewise_study::host_during::{ClockFile, HostDuring};
use stripewise_study::sample::DeviceDelta;
use stripewise_study::warning::{Direction, Warning};
use stripewise_units::{Bytes, Nanos};

use crate::fixture::Fixture;
use crate::machines;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns the counts between two lines of `stat`.
fn delta(before: &str, after: &str) -> Vec<DeviceDelta> {
    let fixture = Fixture::new();
    let sda = names(&["sda"]);
    fixture.file("/sys/block/sda/stat", before);
    let first = DeviceCounters::read(&fixture.root(), &sda);
    fixture.file("/sys/block/sda/stat", after);
    first.delta(&DeviceCounters::read(&fixture.root(), &sda))
}

#[test]
fn a_partition_has_its_own_counters() {
    let fixture = Fixture::new();
    let stat = "/sys/class/block/sda2/stat";
    fixture.file(stat, "1 0 8 0 0 0 0 0 0 0 0");
    let sda2 = names(&["sda2"]);
    let first = DeviceCounters::read(&fixture.root(), &sda2);
    fixture.file(stat, "4 0 32 0 0 0 0 0 0 0 0");
    let deltas = first.delta(&DeviceCounters::read(&fixture.root(), &sda2));
    assert_eq!((deltas[0].device.as_str(), deltas[0].reads), ("sda2", 3));
}

#[test]
fn the_mean_time_of_an_io_is_that_of_iostat() {
    let fixture = Fixture::new();
    let stat = "/sys/block/sda/stat";
    let sda = names(&["sda"]);
    fixture.file(stat, "10 0 80 5 20 0 160 7 0 30 12");
    let first = DeviceCounters::read(&fixture.root(), &sda);
    assert_eq!(first.mean_time(&first), None);
    fixture.file(stat, "13 0 90 9 21 0 170 15 0 40 24");
    let later = DeviceCounters::read(&fixture.root(), &sda);
    // 4 + 8 ms in 3 + 1 I/Os.
    assert_eq!(first.mean_time(&later), Some(Nanos::from_millis(3)));
}

#[test]
fn counters_of_every_kernel_generation_are_read() {
    let expected = |flushes| DeviceDelta {
        device: "sda".to_owned(),
        reads: 10,
        read_merges: 1,
        read_bytes: Bytes::new(80 * 512),
        writes: 20,
        write_merges: 2,
        write_bytes: Bytes::new(160 * 512),
        flushes,
        busy_ns: Nanos::from_millis(7),
        sectors_sums: None,
    };
    for (before, after, flushes) in [
        // Kernel 4.17 and before, 4.18 (discards), 5.5 (flushes), and a possible later format.
        (
            "1 2 3 4 5 6 7 8 0 9 10",
            "11 3 83 9 25 8 167 9 3 16 99",
            None,
        ),
        (
            "1 2 3 4 5 6 7 8 0 9 10 0 0 0 0",
            "11 3 83 9 25 8 167 9 3 16 99 5 5 5 5",
            None,
        ),
        (
            "  1  2 3 4 5 6 7 8 0 9 10 0 0 0 0 100 1\n",
            "11 3 83 9 25 8 167 9 3 16 99 5 5 5 5 130 9\n",
            Some(30),
        ),
        (
            "1 2 3 4 5 6 7 8 0 9 10 0 0 0 0 100 1 7",
            "11 3 83 9 25 8 167 9 3 16 99 5 5 5 5 130 9 8",
            Some(30),
        ),
    ] {
        assert_eq!(delta(before, after), [expected(flushes)], "{after}");
    }
}

#[test]
fn counters_that_fell_or_are_invalid_count_as_zero_or_nothing() {
    let fell = delta(
        "4294967295 0 4294967295 0 0 0 0 0 0 4294967295 0",
        "5 0 5 0 1 0 8 0 0 5 0",
    );
    assert_eq!((fell[0].reads, fell[0].writes), (0, 1));
    assert_eq!(fell[0].busy_ns, Nanos::new(0));
    let whole = "1 2 3 4 5 6 7 8 0 9 10";
    for broken in [
        "",
        "1 2 3",
        "1 2 3 4 5 6 7 8 0 9 -1",
        "1 2 3 4 5 6 7 8 0 9 x",
    ] {
        assert_eq!(delta(whole, broken), [], "{broken}");
        assert_eq!(delta(broken, whole), [], "{broken}");
    }
}

#[test]
fn only_devices_by_plain_name_are_read() {
    let fixture = machines::desktop();
    fixture.file("/stat", "1 2 3 4 5 6 7 8 0 9 10");
    let asked = names(&[
        "sdd",
        "sda",
        "sdz",
        "..",
        "../..",
        "",
        "sda/../sdb",
        "sda\0",
    ]);
    let counters = DeviceCounters::read(&fixture.root(), &asked);
    let devices: Vec<String> = counters
        .delta(&counters)
        .into_iter()
        .map(|delta| delta.device)
        .collect();
    assert_eq!(devices, ["sda", "sdd"]);
}

/// Returns the warnings after `change` was made to a desktop during a sample.
fn warnings_after(change: impl Fn(&Fixture)) -> Vec<Warning> {
    let fixture = machines::desktop();
    let md0 = names(&["md0", "md9", "../etc"]);
    let before = HostState::read(&fixture.root(), &md0);
    change(&fixture);
    before.compare(&HostState::read(&fixture.root(), &md0))
}

const CPU: &str = "/sys/devices/system/cpu";
const MD0: &str = "/sys/devices/virtual/block/md0/md";

#[test]
fn an_unchanged_host_gives_no_warning() {
    assert_eq!(warnings_after(|_| ()), []);
    // A sleeping CPU runs slowly; only its highest allowed clock counts.
    assert_eq!(
        warnings_after(|fixture| {
            fixture.file(&format!("{CPU}/cpufreq/policy0/scaling_cur_freq"), "800000");
            fixture.file(
                &format!("{CPU}/cpufreq/policy1/scaling_max_freq"),
                "4500000",
            );
        }),
        []
    );
}

#[test]
fn a_lowered_clock_gives_a_warning() {
    let fell = |before_khz, after_khz| {
        [Warning::FrequencyFell {
            before_khz,
            after_khz,
        }]
    };
    assert_eq!(
        warnings_after(|fixture| {
            fixture.file(
                &format!("{CPU}/cpufreq/policy1/scaling_max_freq"),
                "4000000",
            );
            fixture.file(
                &format!("{CPU}/cpufreq/policy2/scaling_max_freq"),
                "3000000",
            );
        }),
        fell(4_900_000, 3_000_000)
    );
    assert_eq!(
        warnings_after(|fixture| {
            fixture.file(&format!("{CPU}/cpufreq/policy0/bios_limit"), "2000000");
        }),
        fell(4_900_000, 2_000_000)
    );
    assert_eq!(
        warnings_after(|fixture| {
            fixture.file(&format!("{CPU}/intel_pstate/no_turbo"), "1");
        }),
        fell(4_900_000, 3_600_000)
    );
}

#[test]
fn throttling_is_counted_once_for_a_package_and_summed_over_cores() {
    let throttled = |count| [Warning::Throttled { count }];
    assert_eq!(
        warnings_after(|fixture| {
            for cpu in 0..4 {
                let folder = format!("{CPU}/cpu{cpu}/thermal_throttle");
                fixture.file(&format!("{folder}/package_throttle_count"), "12");
            }
        }),
        throttled(3)
    );
    assert_eq!(
        warnings_after(|fixture| {
            for cpu in 0..2 {
                let folder = format!("{CPU}/cpu{cpu}/thermal_throttle");
                fixture.file(&format!("{folder}/core_throttle_count"), "7");
            }
        }),
        throttled(4)
    );
}

#[test]
fn an_array_that_is_busy_before_or_after_gives_a_warning() {
    let busy = |action: &str| Warning::ArrayBusy {
        array: "md0".to_owned(),
        action: action.to_owned(),
    };
    assert_eq!(
        warnings_after(|fixture| {
            fixture.file(&format!("{MD0}/sync_action"), "check\n");
        }),
        [busy("check")]
    );
    assert_eq!(
        warnings_after(|fixture| {
            fixture.file(&format!("{MD0}/sync_action"), "recover\n");
        }),
        [busy("recover")]
    );
    let fixture = machines::desktop();
    fixture.file(&format!("{MD0}/sync_action"), "resync\n");
    let before = HostState::read(&fixture.root(), &names(&["md0"]));
    fixture.file(&format!("{MD0}/sync_action"), "idle\n");
    let after = HostState::read(&fixture.root(), &names(&["md0"]));
    assert_eq!(before.compare(&after), [busy("resync")]);
}

#[test]
fn an_array_that_lost_members_since_the_start_gives_a_warning_in_every_sample() {
    let fixture = machines::desktop();
    fixture.file(&format!("{MD0}/degraded"), "1\n");
    let facts = stripewise_machine::facts(&fixture.root(), None);
    let lost =
        |names_of: &[&str]| HostState::read(&fixture.root(), &names(names_of)).lost_members(&facts);
    assert_eq!(lost(&["md0"]), [], "it was degraded from the start");
    fixture.file(&format!("{MD0}/degraded"), "2\n");
    for _sample in 0..2 {
        assert_eq!(
            lost(&["md0"]),
            [Warning::ArrayLostMembers {
                array: "md0".to_owned(),
                missing_count: 2
            }]
        );
    }
    assert_eq!(lost(&[]), [], "not on the target's disks");
    fixture.file(&format!("{MD0}/degraded"), "0\n");
    assert_eq!(lost(&["md0"]), [], "it was repaired");
}

fn process(fixture: &Fixture, pid: u32, parent: u32, comm: &str, read: u64, written: u64) {
    let folder = format!("/proc/{pid}");
    fixture.file(
        &format!("{folder}/io"),
        format!("rchar: 999999\nwchar: 1\nread_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n"),
    );
    fixture.file(&format!("{folder}/comm"), format!("{comm}\n"));
    fixture.file(
        &format!("{folder}/stat"),
        format!("{pid} ({comm}) S {parent} 1 1 0 -1\n"),
    );
}

#[test]
fn the_busiest_process_is_named_unless_it_is_ours() {
    let fixture = Fixture::new();
    let root = fixture.root();
    process(&fixture, 10, 1, "runner", 0, 0);
    process(&fixture, 20, 1, "logger", 0, 5000);
    process(&fixture, 30, 1, "dd (1) x", 100, 0);
    fixture
        .folder("/proc/40")
        .file("/proc/self/io", "read_bytes: 9999999\n");
    let before = ProcessIo::read(&root);
    process(&fixture, 11, 10, "fio) R 1 (", 1 << 30, 1 << 30);
    process(&fixture, 12, 11, "fio", 1 << 30, 1 << 30);
    process(&fixture, 20, 1, "logger", 0, 5500);
    process(&fixture, 30, 1, "dd (1) x", 4196, 900);
    let after = ProcessIo::read(&root);

    let ours = BTreeSet::from([10]);
    let busiest = |ours, direction| {
        busiest_other_process(&root, &before, &after, ours, direction).expect("a busy process")
    };
    let reader = busiest(&ours, Direction::Read);
    assert_eq!(reader.to_string(), "dd (1) x (pid 30)");
    assert_eq!(reader.bytes, Bytes::new(4096));
    assert_eq!(busiest(&ours, Direction::Write).bytes, Bytes::new(900));

    let ours = BTreeSet::from([10, 30]);
    let writer = busiest(&ours, Direction::Write);
    assert_eq!(writer.to_string(), "logger (pid 20)");
    let none = busiest_other_process(&root, &after, &after, &ours, Direction::Write);
    assert_eq!(none, None);
}

#[test]
fn workers_of_the_kernel_are_no_other_process_unless_they_serve_one() {
    const KERNEL: u64 = 0x0420_8060;
    for (comm, flags, is_other) in [
        ("kworker/u8:0-btrfs-endio-write", KERNEL, false),
        ("kworker/u8:3+loop0", KERNEL, false),
        ("btrfs-transacti", KERNEL, false),
        ("md0_raid5", KERNEL, false),
        ("jbd2/sda1-8", KERNEL, false),
        ("z_wr_iss", KERNEL, false),
        ("md0_resync", KERNEL, true),
        ("md127_reshape", KERNEL, true),
        ("nfsd", KERNEL, true),
        ("iscsi_trx", KERNEL, true),
        ("kworker/1:1H-nvmet_tcp_wq", KERNEL, true),
        ("kworker/u8:0-btrfs-endio-write", 0x0040_0100, true),
        ("md0_raid5", 0x0040_0100, true),
    ] {
        let fixture = Fixture::new();
        let root = fixture.root();
        let before = ProcessIo::read(&root);
        process(&fixture, 7, 2, comm, 0, 8192);
        fixture.file(
            "/proc/7/stat",
            format!("7 ({comm}) S 2 0 0 0 -1 {flags} 0\n"),
        );
        process(&fixture, 8, 1, "cron", 0, 4096);
        let after = ProcessIo::read(&root);
        let busiest =
            busiest_other_process(&root, &before, &after, &BTreeSet::new(), Direction::Write);
        let pid = busiest.expect("cron at least").pid;
        assert_eq!(pid, if is_other { 7 } else { 8 }, "{comm} {flags:#x}");
    }
}

#[test]
fn bytes_that_were_never_written_do_not_count() {
    let fixture = Fixture::new();
    let before = ProcessIo::read(&fixture.root());
    fixture.file(
        "/proc/7/io",
        "read_bytes: 0\nwrite_bytes: 4096\ncancelled_write_bytes: 8192\n",
    );
    let after = ProcessIo::read(&fixture.root());
    let busiest = busiest_other_process(
        &fixture.root(),
        &before,
        &after,
        &BTreeSet::new(),
        Direction::Write,
    );
    assert_eq!(busiest, None);
}

/// Sets what the desktop's and the board's CPUs did until now.
fn cores(fixture: &Fixture, ticks: u64) {
    let mut stat = String::from("cpu  9 9 9 9 9 9 9 9 0 0\n");
    let mut interrupts = String::from("            CPU0       CPU1       CPU3\n");
    for cpu in [0, 1, 3] {
        stat += &format!("cpu{cpu} {ticks} 0 {cpu} 50 0 0 {ticks} 0 0 0\n");
    }
    stat += "intr 100 1 2\nctxt 5\n";
    interrupts += &format!("   0:   {ticks}   0   1  IR-IO-APIC    2-edge      timer\n");
    interrupts += &format!(" 130:   7   {ticks}   1  IR-PCI-MSI-0000:01:00.0   1-edge   nvme0q1\n");
    interrupts += " LOC:   10   20   30   Local timer interrupts\n ERR:          5\n";
    fixture.file("/proc/stat", stat);
    fixture.file("/proc/interrupts", interrupts);
    fixture.file("/proc/loadavg", "1.52 0.58 0.59 2/1030 8111\n");
}

/// Sets the clocks of three policies, and the temperatures.
fn clocks(fixture: &Fixture, khz: [u64; 3], coretemp: &str) {
    for (cpu, khz) in [0, 1, 3].into_iter().zip(khz) {
        let policy = format!("/sys/devices/system/cpu/cpufreq/policy{cpu}");
        fixture.files(
            &policy,
            &[
                ("scaling_cur_freq", &khz.to_string()),
                ("affected_cpus", &cpu.to_string()),
            ],
        );
    }
    fixture.files(
        "/sys/class/hwmon/hwmon3",
        &[
            ("name", "coretemp"),
            ("temp1_input", coretemp),
            ("temp2_input", "41000"),
        ],
    );
    // A disk's sensor is not the processor's.
    fixture.files(
        "/sys/class/hwmon/hwmon0",
        &[("name", "nvme"), ("temp1_input", "84850")],
    );
}

#[test]
fn each_core_has_its_time_interrupts_and_highest_clock() {
    let fixture = machines::desktop();
    let root = fixture.root();
    cores(&fixture, 100);
    let before = CoreCounters::read(&root);
    let mut readings = CoreReadings::default();
    clocks(&fixture, [2_200_000, 4_100_000, 800_000], "63000");
    readings.read(&root);
    clocks(&fixture, [2_300_000, 900_000, 800_000], "61000");
    readings.read(&root);
    cores(&fixture, 150);
    let host = before.until(&CoreCounters::read(&root), &readings, &root);
    expect_test::expect![[r#"
        {
          "cpus": "0-1,3",
          "cpu_user_ns": [
            500000000,
            500000000,
            500000000
          ],
          "cpu_system_ns": [
            500000000,
            500000000,
            500000000
          ],
          "cpu_interrupts": [
            50,
            50,
            0
          ],
          "cpu_clock_max_khz": [
            2300000,
            4100000,
            800000
          ],
          "clock_file": "scaling_cur_freq",
          "readings": 2,
          "temperature_max_millicelsius": 63000,
          "load_average_hundredths": 152
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&host).unwrap());
    assert_eq!(host.clock_max_khz(), Some(4_100_000));
}

#[test]
fn a_board_shares_clocks_and_a_virtual_machine_shows_none() {
    let board = machines::arm_board();
    for (policy, cpus, khz) in [("policy0", "0 1 2 3", "1416000"), ("policy4", "4 5", "0")] {
        board.files(
            &format!("/sys/devices/system/cpu/cpufreq/{policy}"),
            &[("cpuinfo_cur_freq", khz), ("affected_cpus", cpus)],
        );
    }
    cores(&board, 1);
    let mut readings = CoreReadings::default();
    readings.read(&board.root());
    let counters = CoreCounters::read(&board.root());
    let host = counters.until(&counters, &readings, &board.root());
    assert_eq!(host.clock_file, Some(ClockFile::CpuinfoCurFreq));
    assert_eq!(host.cpu_clock_max_khz, [1_416_000, 1_416_000, 1_416_000]);
    assert_eq!(host.temperature_max_millicelsius, None);

    let guest = machines::virtual_machine();
    let mut readings = CoreReadings::default();
    readings.read(&guest.root());
    let nothing = CoreCounters::read(&guest.root());
    let host = nothing.until(&nothing, &readings, &guest.root());
    assert_eq!(
        host,
        HostDuring {
            readings: 1,
            ..HostDuring::default()
        }
    );
}

#[test]
fn broken_counters_of_cores_are_skipped() {
    let fixture = Fixture::new();
    for (stat, interrupts) in [
        ("cpu0 1 2\ncpux 1 1 1 1\n", "CPU0 CPUx\n 1: 1 1\n"),
        ("cpu99999999999 1 1 1 1\n", "no header\n"),
        ("", ""),
    ] {
        fixture.file("/proc/stat", stat);
        fixture.file("/proc/interrupts", interrupts);
        let counters = CoreCounters::read(&fixture.root());
        assert_eq!(counters, CoreCounters::default(), "{stat}");
    }
}
