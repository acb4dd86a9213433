//! Cases of rules beside their three trees: what a hypervisor, a controller or another setting makes
//! of the same facts.
//!
//! The failure: a rule that is right on the machine of its author fails on a cloud's disks, or passes
//! where the fact means something else.
use stripewise_check::Outcome::{Fail, Info, NotRun, Pass};
use stripewise_check::sources::{PARTITIONS, PV_SIZES, SCAN, SSACLI, STORCLI, THIN};
use stripewise_check::{CommandResult, Outcome, RuleResult, Snapshot, Stat, rules};

use crate::english::english;

/// Facts as lines: `PATH = TEXT` is a file, `PATH` alone exists, `$ LINE = OUTPUT` is a command.
fn facts(lines: &[&str]) -> Snapshot {
    let mut facts = Snapshot {
        is_complete: true,
        ..Snapshot::default()
    };
    for line in lines {
        let (key, text) = match line.split_once(" = ") {
            Some((key, text)) => (key, Some(text.to_owned())),
            None => (*line, None),
        };
        match (key.strip_prefix("$ "), text) {
            (Some(command), text) => {
                let ran = CommandResult {
                    exit: Some(0),
                    output: text.unwrap_or_default(),
                    error: None,
                };
                facts.commands.insert(command.to_owned(), ran);
            }
            (None, Some(text)) => {
                facts.files.insert(key.to_owned(), text);
            }
            (None, None) => {
                let stat = Stat {
                    mode: 0o755,
                    uid: 0,
                    gid: 0,
                    size_bytes: 0,
                    modified_unix_s: 0,
                };
                facts.stats.insert(key.to_owned(), stat);
            }
        }
    }
    facts
}

fn check(id: &str, facts: &Snapshot, expected: Outcome, words: &str) {
    let result = RuleResult::of(rules::named(id).unwrap(), facts);
    assert_eq!(result.outcome, expected, "{id}: {result:?}");
    let missing = result
        .missing
        .iter()
        .map(|one| format!("{}: {}", one.fact, one.why));
    let mut all = result
        .failed
        .iter()
        .chain(&result.noted)
        .map(english)
        .chain(missing);
    assert!(
        words.is_empty() || all.any(|found| found.contains(words)),
        "{id}: {result:?} has no {words}"
    );
}

/// Checks facts that all cases have, with those of each.
fn cases(id: &str, all: &[&str], cases: &[(&[&str], Outcome, &str)]) {
    for (own, expected, words) in cases {
        check(id, &facts(&[all, own].concat()), *expected, words);
    }
}

/// Two drives in a mirror, each a whole disk.
const MIRROR: [&str; 8] = [
    "/sys/block/md0/md/array_state = clean",
    "/sys/block/md0/md/level = raid1",
    "/sys/block/md0/md/dev-nvme0n1/state = in_sync",
    "/sys/block/md0/md/dev-nvme1n1/state = in_sync",
    "/sys/block/md0/size = 1",
    "/sys/block/nvme0n1/size = 1",
    "/sys/block/nvme1n1/size = 1",
    "/sys/block/nvme0n1/queue/rotational = 0",
];

#[test]
fn a_slow_lane_is_found_and_a_clouds_disk_has_none() {
    let all = [&MIRROR[..], &["/sys/block/nvme1n1/queue/rotational = 0"]].concat();
    let one = "/sys/block/nvme0n1/device/device/current_link";
    // A drive with two ports is below its subsystem.
    let two = "/sys/block/nvme1n1/device/nvme1/device/current_link";
    let link = |path: &str, speed: &str, lanes: &str| {
        [
            format!("{path}_speed = {speed}"),
            format!("{path}_width = {lanes}"),
        ]
    };
    let full = link(one, "8.0 GT/s PCIe", "4");
    for (other, expected, words) in [
        (link(two, "8.0 GT/s PCIe", "4"), Pass, ""),
        (
            link(two, "8.0 GT/s PCIe", "2"),
            Fail,
            "nvme1n1 has 8.0 GT/s x2, another member 8.0 GT/s x4",
        ),
        (
            link(two, "5.0 GT/s PCIe", "4"),
            Fail,
            "nvme1n1 has 5.0 GT/s x4",
        ),
        (
            link(two, "Unknown", "4"),
            NotRun,
            "the link of nvme1n1: it is `Unknown`",
        ),
    ] {
        let both: Vec<&str> = full.iter().chain(&other).map(String::as_str).collect();
        check(
            "disk.link",
            &facts(&[&all[..], &both].concat()),
            expected,
            words,
        );
        let cloud = [
            &all[..],
            &both,
            &["/sys/block/nvme1n1/device/model = Amazon Elastic Block Store"],
        ];
        check("disk.link", &facts(&cloud.concat()), Pass, "");
    }
}

#[test]
fn errors_of_flash_that_do_not_grow_are_no_failure() {
    let with = |errors: u64| {
        let log = format!(
            r#"{{"critical_warning":0,"avail_spare":100,"spare_thresh":10,"percent_used":1,"media_errors":{errors}}}"#
        );
        facts(&[
            "/sys/block/nvme0n1/size = 1",
            &format!("$ nvme smart-log -o json /dev/nvme0n1 = {log}"),
        ])
    };
    for (before, now, expected, words) in [
        (None, 0, Pass, ""),
        (None, 3, Fail, "3 media errors"),
        (Some(3), 3, Info, "no new ones"),
        (Some(2), 3, Fail, "grew from 2 to 3"),
    ] {
        let mut facts = with(now);
        facts.earlier = before.map(|errors| Box::new(with(errors)));
        check("nvme.worn", &facts, expected, words);
    }
}

#[test]
fn limits_and_bitmaps_of_arrays() {
    let limit = "/sys/block/md0/md/sync_speed_max = 1000";
    let size = "/sys/block/md0/md/dev-nvme0n1/size = 900000000";
    let cloud = "/sys/block/nvme0n1/device/model = Amazon Elastic Block Store";
    let striped = "/sys/block/md0/md/level = raid0";
    cases(
        "md.sync-limit",
        &MIRROR,
        &[
            (&[limit, size], Fail, "md0: 1000 KiB/s"),
            (&[limit, size, cloud], Pass, ""),
            (&[limit, size, striped], Pass, ""),
            (&[limit], NotRun, "no member has a size"),
        ],
    );
    let resync = "/sys/block/md0/md/consistency_policy = resync";
    cases(
        "md.no-bitmap",
        &MIRROR,
        &[
            (
                &[resync, size, "/sys/block/md0/md/metadata_version = 1.2"],
                Fail,
                "no bitmap",
            ),
            (
                &[
                    resync,
                    size,
                    "/sys/block/md0/md/metadata_version = external:imsm",
                ],
                Pass,
                "",
            ),
            (
                &[
                    "/sys/block/md0/md/consistency_policy = ppl",
                    "/sys/block/md0/md/metadata_version = 1.2",
                ],
                Pass,
                "",
            ),
            (
                &[size, "/sys/block/md0/md/metadata_version = 1.2"],
                NotRun,
                "consistency_policy",
            ),
        ],
    );
}

#[test]
fn every_layer_of_an_array_can_be_left_behind() {
    let all = [
        "/proc/mounts = /dev/mapper/c /srv btrfs rw 0 0",
        "/sys/block/md0/md/array_state = clean",
        "/sys/block/md0/size = 7813529600",
        "/sys/block/sda/size = 1",
        "/sys/block/md0/slaves/sda",
        "/sys/block/dm-0/slaves/md0",
        "/sys/block/dm-0/dm/name = c",
    ];
    let crypt = "/sys/block/dm-0/dm/uuid = CRYPT-LUKS2-a-c";
    let lvm = "/sys/block/dm-0/dm/uuid = LVM-a";
    let volumes = |used: &str| {
        format!(
            r#"$ {PV_SIZES} = {{"report":[{{"pv":[{{"pv_name":"/dev/md0","dev_size":"4000527155200","pv_size":"{used}"}}]}}]}}"#
        )
    };
    let (small, whole) = (volumes("1000000000000"), volumes("4000524009472"));
    cases(
        "md.grown",
        &all,
        &[
            (
                &[crypt, "/sys/block/dm-0/size = 3906764800"],
                Fail,
                "dm-0 has 1862 GiB of the 3725 GiB of md0",
            ),
            // No command tells the size of btrfs.
            (
                &[crypt, "/sys/block/dm-0/size = 7813496832"],
                NotRun,
                "the size of /srv",
            ),
            (
                &[lvm, "/sys/block/dm-0/size = 1", &small],
                Fail,
                "the physical volume has 931 GiB",
            ),
            (
                &[lvm, "/sys/block/dm-0/size = 1", &whole],
                NotRun,
                "the size of /srv",
            ),
            (
                &[lvm, "/sys/block/dm-0/size = 1"],
                NotRun,
                "the command was not run",
            ),
        ],
    );
    // What is mounted from no array is not judged, nor asked for.
    let other = [
        "/proc/mounts = /dev/sdb / btrfs rw 0 0",
        "/sys/block/sdb/size = 1",
    ];
    cases(
        "md.grown",
        &[&all[1..], &other[..]].concat(),
        &[(&[], Pass, "")],
    );
}

#[test]
fn two_disks_with_boot_loaders_are_enough() {
    let all = [
        "/proc/mounts = /dev/md0 / ext4 rw 0 0",
        "/sys/block/md0/md/array_state = clean",
        "/sys/block/md0/md/level = raid10",
        "/sys/block/md0/md/dev-sda/state = in_sync",
        "/sys/block/md0/md/dev-sdb/state = in_sync",
        "/sys/block/md0/md/dev-sdc/state = in_sync",
        "/sys/block/md0/size = 1",
        "/sys/block/sda/size = 1",
        "/sys/block/sdb/size = 1",
        "/sys/block/sdc/size = 1",
        "/sys/block/md0/slaves/sda",
    ];
    let esp = |disks: &[&str]| {
        let rows = disks.iter().map(|disk| {
            format!(r#"{{"name":"x","pkname":"{disk}","parttype":"C12A7328-F81F-11D2-BA4B-00A0C93EC93B"}}"#)
        });
        let rows = rows.collect::<Vec<_>>().join(",");
        format!(r#"$ {PARTITIONS} = {{"blockdevices":[{rows}]}}"#)
    };
    let efi = "/sys/firmware/efi";
    cases(
        "boot.esp-one-disk",
        &all,
        &[
            (&[efi, &esp(&["sda", "sdc"])], Pass, ""),
            (&[efi, &esp(&["sdb"])], Fail, "of the disks of md0 only sdb"),
            // The boot loader is on a disk of its own.
            (&[efi, &esp(&["sdx"])], Pass, ""),
            (
                &[efi, &esp(&[])],
                NotRun,
                "it shows no EFI system partition",
            ),
            (&[], Pass, ""),
        ],
    );
}

#[test]
fn swap_is_judged_by_what_it_stands_on() {
    let all = [
        "/sys/block/md0/md/array_state = clean",
        "/sys/block/md0/md/level = raid1",
        "/sys/block/md0/md/dev-sda/state = in_sync",
        "/sys/block/md0/md/dev-sdb/state = in_sync",
        "/sys/block/md0/size = 1",
        "/sys/block/md0/slaves/sda",
        "/sys/block/md0/slaves/sdb",
        "/sys/block/sda/size = 1",
        "/sys/block/sdb/size = 1",
        "/sys/block/sdc/size = 1",
        "/proc/mounts = /dev/md0 / ext4 rw 0 0",
    ];
    let degraded = "/sys/block/md0/md/degraded = 1";
    let swaps =
        |path: &str, kind: &str| format!("/proc/swaps = Filename Type\n{path} {kind} 1 0 -2");
    let (file, array) = (swaps("/swapfile", "file"), swaps("/dev/md0", "partition"));
    let (other, lost) = (
        swaps("/dev/sdc", "partition"),
        swaps("/dev/sdz", "partition"),
    );
    let leg = swaps("/dev/sdb", "partition");
    let faulty = "/sys/block/md0/md/dev-sdb/state = faulty";
    cases(
        "swap.one-disk",
        &all,
        &[
            (&[&file], Pass, ""),
            (&[&file, degraded], Fail, "swap on md0, which lacks 1"),
            (&[&array, degraded], Fail, "swap on md0"),
            (&[&leg], Info, "swap on sdb alone"),
            (
                &[&leg, faulty],
                Fail,
                "swap on sdb alone, and md0 on it is degraded",
            ),
            (&[&other], Pass, ""),
            (
                &[&other, degraded],
                Info,
                "may be the member that md0 lacks",
            ),
            (&[&lost], NotRun, "no disk has this partition"),
            (&[], Pass, ""),
        ],
    );
}

#[test]
fn pages_of_databases_and_filesystems_that_copy() {
    let conf = "/etc/postgresql/15/main/postgresql.conf = full_page_writes = off";
    let control = |text: &str| {
        format!(
            "$ runuser --user postgres -- /usr/lib/postgresql/15/bin/pg_controldata /var/lib/postgresql/15/main = {text}"
        )
    };
    let block = control(
        "Database block size:                  8192\nData page checksum version:           0\n",
    );
    let unit = "/sys/block/sda/queue/atomic_write_unit_max_bytes = 4096";
    let all = [conf, "/sys/block/sda/size = 1", &block];
    let (ext4, zfs) = (
        "/proc/mounts = /dev/sda / ext4 rw 0 0",
        "/proc/mounts = tank / zfs rw 0 0",
    );
    cases(
        "db.torn-page",
        &all,
        &[
            (
                &[ext4, unit],
                Fail,
                "PostgreSQL 15/main: pages of 8192 bytes, sda promises 4096",
            ),
            (&[ext4], NotRun, "kernels before 6.11"),
            (&[zfs], Pass, ""),
            (
                &[ext4, "/etc/postgresql/15/main/postgresql.conf = fsync = on"],
                Pass,
                "",
            ),
        ],
    );
    cases(
        "pg.checksums",
        &all,
        &[(&[ext4], Info, "15/main"), (&[zfs], Pass, "")],
    );
}

#[test]
fn discards_that_an_array_with_parity_ends_are_named() {
    let all = [
        "/proc/mounts = /dev/md0 / xfs rw 0 0",
        "/sys/block/md0/md/array_state = clean",
        "/sys/block/md0/md/level = raid5",
        "/sys/block/md0/size = 1",
        "/sys/block/md0/slaves/sda",
        "/sys/block/md0/queue/discard_max_bytes = 0",
        "/sys/block/sda/size = 1",
        "/sys/block/sda/queue/discard_max_bytes = 1",
    ];
    let (flash, platters) = (
        "/sys/block/sda/queue/rotational = 0",
        "/sys/block/sda/queue/rotational = 1",
    );
    cases(
        "ssd.discard-path",
        &all,
        &[
            (&[flash], Info, "discards end at md0 (an array with parity)"),
            (&[platters], Pass, ""),
            (&[], NotRun, "rotational"),
        ],
    );
    // What stands on the array cannot pass on what does not arrive: only the array is named.
    let volume = [
        "/proc/mounts = /dev/mapper/v / xfs rw 0 0",
        "/sys/block/dm-0/size = 1",
        "/sys/block/dm-0/dm/name = v",
        "/sys/block/dm-0/slaves/md0",
        "/sys/block/dm-0/queue/discard_max_bytes = 0",
    ];
    let facts = facts(&[&all[1..], &volume[..], &[flash]].concat());
    let found = RuleResult::of(rules::named("ssd.discard-path").unwrap(), &facts);
    assert_eq!(
        found.noted.iter().map(english).collect::<Vec<_>>(),
        ["/: discards end at md0 (an array with parity)"]
    );
}

#[test]
fn a_clock_that_falls_is_a_failure_and_one_that_rises_is_not() {
    let clock = |driver: &str, governor: &str| {
        let folder = "/sys/devices/system/cpu/cpufreq/policy0";
        facts(&[
            &format!("{folder}/scaling_driver = {driver}"),
            &format!("{folder}/scaling_governor = {governor}"),
        ])
    };
    for (before, now, expected, words) in [
        // One name, two meanings: the kernel changed the driver's mode.
        (
            ("intel_pstate", "powersave"),
            ("intel_cpufreq", "powersave"),
            Fail,
            "changed from powersave of intel_pstate to powersave of intel_cpufreq",
        ),
        (
            ("acpi-cpufreq", "schedutil"),
            ("acpi-cpufreq", "powersave"),
            Fail,
            "",
        ),
        (
            ("amd-pstate-epp", "performance"),
            ("amd-pstate-epp", "powersave"),
            Fail,
            "",
        ),
        (
            ("intel_pstate", "powersave"),
            ("intel_pstate", "performance"),
            Info,
            "changed from powersave",
        ),
        (
            ("acpi-cpufreq", "ondemand"),
            ("acpi-cpufreq", "schedutil"),
            Info,
            "",
        ),
        (
            ("acpi-cpufreq", "ondemand"),
            ("acpi-cpufreq", "ondemand"),
            Pass,
            "",
        ),
    ] {
        let mut facts = clock(now.0, now.1);
        facts.earlier = Some(Box::new(clock(before.0, before.1)));
        check("cpu.clock", &facts, expected, words);
    }
}

#[test]
fn a_pool_that_should_not_grow_is_another_rules_finding() {
    let row = r#"{"lv_name":"p","vg_name":"v","lv_attr":"twi-aotz--","lv_size":"1000","vg_free":"0","seg_monitor":"monitored"}"#;
    let rows = format!(r#"$ {THIN} = {{"report":[{{"lv":[{row}]}}]}}"#);
    let all = ["/sys/block/dm-0/dm/uuid = LVM-a-tpool", &rows];
    let conf = "/etc/lvm/lvm.conf = activation/thin_pool_autoextend_threshold = 70";
    cases(
        "lvm.thin-stuck",
        &all,
        &[(&[], Pass, ""), (&[conf], Fail, "v/p: one step")],
    );
}

#[test]
fn old_kernels_may_keep_an_old_initramfs() {
    let mut facts = facts(&[
        "/sys/block/md0/md/array_state = clean",
        "/etc/mdadm/mdadm.conf = ARRAY",
        "/proc/sys/kernel/osrelease = 6.1.0-18-amd64",
        "/etc/mdadm/mdadm.conf",
        "/boot/initrd.img-6.1.0-9-amd64",
        "/boot/initrd.img-6.1.0-18-amd64",
    ]);
    let conf = facts.stats.get_mut("/etc/mdadm/mdadm.conf").unwrap();
    conf.modified_unix_s = 5;
    check(
        "boot.initramfs-stale",
        &facts,
        Info,
        "6.1.0-9-amd64 is older",
    );
    let image = facts.stats["/boot/initrd.img-6.1.0-9-amd64"];
    let path = "/boot/initrd.img-6.1.0-20-amd64".to_owned();
    facts.stats.insert(path, image);
    check(
        "boot.initramfs-stale",
        &facts,
        Fail,
        "6.1.0-20-amd64 is older",
    );
}

#[test]
fn drives_fail_at_their_rated_writes_and_only_what_is_alike_wears_alike() {
    for (used, expected) in [(79, Pass), (80, Info), (99, Info), (100, Fail), (255, Fail)] {
        let log = format!(
            r#"{{"critical_warning":0,"avail_spare":100,"spare_thresh":10,"percent_used":{used},"media_errors":0}}"#
        );
        let line = format!("$ nvme smart-log -o json /dev/nvme0n1 = {log}");
        let facts = facts(&["/sys/block/nvme0n1/size = 1", &line]);
        check("nvme.worn", &facts, expected, "");
    }
    let drive = |disk: &str, serial: &str, used: u64, hours: u64| {
        let log = format!(
            r#"{{"smartctl":{{"exit_status":0}},"model_name":"M","serial_number":"{serial}","nvme_smart_health_information_log":{{"percentage_used":{used}}},"power_on_time":{{"hours":{hours}}}}}"#
        );
        format!("$ smartctl -a /dev/{disk} -j = {log}")
    };
    let flash = "/sys/block/nvme1n1/queue/rotational = 0";
    let one = drive("nvme0n1", "S4EWNX0N800123", 90, 20_000);
    for (other, expected) in [
        (drive("nvme1n1", "S4EWNX0N800456", 91, 100), Fail),
        (drive("nvme1n1", "S5AAAA0N800456", 91, 20_100), Fail),
        (drive("nvme1n1", "S5AAAA0N800456", 91, 100), Pass),
        (drive("nvme1n1", "S4EWNX0N800456", 60, 20_000), Pass),
    ] {
        let facts = facts(&[&MIRROR[..], &[flash, &one, &other]].concat());
        check("md.same-batch", &facts, expected, "");
    }
}

#[test]
fn a_path_to_a_drive_is_no_drive() {
    let log = r#"{"critical_warning":0,"avail_spare":100,"spare_thresh":10,"percent_used":1,"media_errors":0}"#;
    let facts = facts(&[
        "/sys/block/nvme0n1/size = 1",
        "/sys/block/nvme0c1n1/size = 1",
        &format!("$ nvme smart-log -o json /dev/nvme0n1 = {log}"),
    ]);
    check("nvme.worn", &facts, Pass, "");
}

#[test]
fn controllers_are_judged_only_where_there_is_one() {
    let class = "/sys/bus/pci/devices/0000:01:00.0/class = 0x010400";
    let (lsi, hp) = ("/sys/module/megaraid_sas", "/sys/module/smartpqi");
    let storcli = |status: &str, cache: &str, battery: &str| {
        format!(
            r#"$ {} = {{"Controllers":[{{"Command Status":{{"Status":"{status}","Description":"No Controller found"}},"Response Data":{{"VD LIST":[{{"DG/VD":"0/0","Cache":"{cache}"}}]{battery}}}}}]}}"#,
            STORCLI[1]
        )
    };
    let failed = r#","Cachevault_Info":[{"State":"Failed"}]"#;
    let (always, through) = (
        storcli("Success", "RAWBD", failed),
        storcli("Success", "RWTD", failed),
    );
    let (none, unknown) = (storcli("Success", "NRWBD", ""), storcli("Failure", "", ""));
    let bare = storcli(
        "Success",
        "NRWTD",
        r#","HwCfg":{"On Board Memory Size":"0MB"}"#,
    );
    let hpe = |forced: &str, power: &str| {
        format!(
            "$ {SSACLI} = Smart Array P410i in Slot 0\n   Cache Board Present: True\n   Cache Status: OK\n   No-Battery Write Cache: {forced}\n{power}"
        )
    };
    let ok = "   Battery/Capacitor Status: OK\n";
    let (forced, safe) = (hpe("Enabled", ""), hpe("Enabled", ok));
    let (reads, fine) = (hpe("Disabled", ""), hpe("Disabled", ok));
    cases(
        "raid.cache-battery",
        &[],
        &[
            // A driver that is a part of the kernel, and no controller.
            (&[lsi, hp], Pass, ""),
            (
                &[
                    lsi,
                    hp,
                    "/sys/bus/pci/devices/0000:00:1f.2/class = 0x010601",
                ],
                Pass,
                "",
            ),
            (&[lsi, class, &always], Fail, "cache RAWBD, battery Failed"),
            (&[lsi, class, &none], Fail, "battery missing"),
            (&[lsi, class, &through], Info, "cache RWTD"),
            (&[lsi, class, &bare], Pass, ""),
            (&[lsi, class, &unknown], NotRun, "No Controller found"),
            (
                &[hp, class, &forced],
                Fail,
                "battery missing, and it caches writes",
            ),
            (&[hp, class, &reads], Info, "cache OK"),
            (&[hp, class, &safe], Pass, ""),
            (&[hp, class, &fine], Pass, ""),
            (&[hp, class], NotRun, "ssacli"),
        ],
    );
    let scan = |devices: &str| format!(r#"$ {SCAN} = {{"devices":[{devices}]}}"#);
    let one = scan(r#"{"name":"/dev/sg1","type":"cciss,0"}"#);
    let line = "$ smartctl -a -d cciss,0 /dev/sg1 -j = ";
    let dead =
        format!(r#"{line}{{"smartctl":{{"exit_status":8}},"smart_status":{{"passed":false}}}}"#);
    let mute = format!(r#"{line}{{"smartctl":{{"exit_status":0}}}}"#);
    // They were judged by less than disks that the kernel sees.
    let says = |text: &str| format!(r#"{line}{{"smartctl":{{"exit_status":0}},{text}}}"#);
    let verify = says(r#""scsi_error_counter_log":{"verify":{"total_uncorrected_errors":3}}"#);
    let log = "nvme_smart_health_information_log";
    let flash = says(&format!(
        r#""{log}":{{"critical_warning":4,"percentage_used":1,"media_errors":0}}"#
    ));
    let ssacli = |status: &str| {
        format!(
            "$ {SSACLI} = \nSmart Array P420i in Slot 0 (Embedded)\n   Controller Status: OK\n\n   Array A\n\n      Logical Drive: 1\n         Status: OK\n\n      physicaldrive 2I:1:6\n         Port: 2I\n         Status: {status}\n         Drive Authentication Status: OK\n"
        )
    };
    let (lost, rebuilt) = (ssacli("Failed"), ssacli("OK"));
    let partly = says(&format!(
        r#""smart_status":{{"passed":true}},"{log}":{{"critical_warning":0,"percentage_used":1}}"#
    ));
    cases(
        "raid.hidden-disk",
        &[class, hp],
        &[
            (
                &[&one, &dead],
                Fail,
                "cciss,0 of /dev/sg1: its own verdict is FAILED",
            ),
            (&[&one, &mute], NotRun, "the disk has no attributes"),
            (&[&scan(""), &lost], Fail, "physicaldrive 2I:1:6: Failed"),
            (&[&scan(""), &rebuilt], NotRun, "it finds no disk"),
            (
                &[&one, &verify],
                Fail,
                "0 read, 0 write and 3 verify errors",
            ),
            (&[&one, &flash], Fail, "critical warning 4"),
            (&[&one, &partly], NotRun, "it has no number `media_errors`"),
            (
                &[&scan("")],
                NotRun,
                "it finds no disk behind the controller",
            ),
            (&[], NotRun, "the command was not run"),
        ],
    );
    let unusable = storcli(
        "Success",
        "RWTD",
        r#","PD LIST":[{"EID:Slt":"252:3","State":"UBad"}]"#,
    );
    cases(
        "raid.hidden-disk",
        &[class, "/sys/module/megaraid_sas"],
        &[(&[&scan(""), &unusable], Fail, "252:3: UBad")],
    );
}
