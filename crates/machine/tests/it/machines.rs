//! Fixture machines: shortened copies of real `/proc` and `/sys` trees.

use crate::fixture::{Block, Fixture};

const CPUFREQ: &str = "/sys/devices/system/cpu/cpufreq";

/// The ATA Information VPD page of a SATA disk (SAT-3, 12.4.2).
fn ata_page(model: &str, serial: &str, firmware: &str) -> Vec<u8> {
    let mut page = vec![0; 572];
    page[1] = 0x89;
    page[2] = 0x02;
    page[3] = 0x38;
    page[56] = 0xec;
    let texts = [
        (60 + 20, 20, serial),
        (60 + 46, 8, firmware),
        (60 + 54, 40, model),
    ];
    for (start, length, text) in texts {
        let padded = format!("{text:<length$}");
        for (index, pair) in padded.as_bytes().chunks_exact(2).enumerate() {
            page[start + 2 * index] = pair[1];
            page[start + 2 * index + 1] = pair[0];
        }
    }
    page
}

fn sata_parent(letter: char) -> String {
    format!("/sys/devices/pci0000:00/0000:00:17.0/ata-{letter}/block")
}

/// A SATA SSD with partitions 1 and 2.
fn sata_ssd(fixture: &Fixture, index: u32, letter: char) {
    let parent = sata_parent(letter);
    let (name, minor) = (format!("sd{letter}"), 16 * index);
    let disk = format!("{parent}/{name}");
    fixture.block(&Block {
        parent: &parent,
        name: &name,
        number: &format!("8:{minor}"),
        sectors: 488_397_168,
        files: &[
            ("queue/rotational", "0"),
            ("queue/scheduler", "none [mq-deadline] kyber bfq"),
            ("queue/write_cache", "write back"),
            ("queue/max_sectors_kb", "1280"),
            ("queue/nr_requests", "64"),
            ("device/model", "Samsung SSD 850 "),
            ("device/queue_depth", "32"),
            ("device/wwid", "naa.5002538d40a1b2c3"),
            ("stat", "100 1 800 5 200 2 1600 9 0 7 14 0 0 0 0 30 3"),
        ],
        members: &[],
    });
    let page = ata_page(
        "Samsung SSD 850 EVO 250GB",
        &format!("S21PNXAG12345{letter}"),
        "EMT02B6Q",
    );
    fixture.file(&format!("{disk}/device/vpd_pg89"), page);
    for number in [1, 2] {
        fixture.block(&Block {
            parent: &disk,
            name: &format!("{name}{number}"),
            number: &format!("8:{}", minor + number),
            sectors: 200_000_000,
            files: &[("partition", &number.to_string())],
            members: &[],
        });
    }
}

/// A desktop with four SATA SSDs: the system on the first partition of the first, md RAID 10 over
/// the second partitions, LVM on it, ext4 mounted on `/srv/my data`.
pub fn desktop() -> Fixture {
    let fixture = Fixture::new();
    for (index, letter) in (0..).zip(['a', 'b', 'c', 'd']) {
        sata_ssd(&fixture, index, letter);
    }
    let members = ['a', 'b', 'c', 'd'].map(|l| format!("{}/sd{l}/sd{l}2", sata_parent(l)));
    fixture.block(&Block {
        parent: "/sys/devices/virtual/block",
        name: "md0",
        number: "9:0",
        sectors: 400_000_000,
        files: &[
            ("queue/rotational", "0"),
            ("queue/scheduler", "none"),
            ("queue/write_cache", "write back"),
            ("queue/max_sectors_kb", "2147483647"),
            ("md/array_state", "clean"),
            ("md/level", "raid10"),
            ("md/chunk_size", "65536"),
            ("md/raid_disks", "4"),
            ("md/degraded", "0"),
            ("md/sync_action", "idle"),
            ("md/metadata_version", "1.2"),
            ("md/layout", "258"),
            ("md/bitmap/location", "+8"),
        ],
        members: &members.each_ref().map(String::as_str),
    });
    fixture.block(&Block {
        parent: "/sys/devices/virtual/block",
        name: "dm-0",
        number: "253:0",
        sectors: 400_000_000,
        files: &[
            ("queue/rotational", "0"),
            ("dm/name", "vg0-data"),
            (
                "dm/uuid",
                "LVM-7kqNbT2mXwR0c1aYzV5uEoPdHs8fGjL4i3D6KnMvBxQrWtZyCpOeUlSaJhFg",
            ),
        ],
        members: &["/sys/devices/virtual/block/md0"],
    });
    fixture.link("/dev/mapper/vg0-data", "/dev/dm-0");
    fixture.block(&Block {
        parent: "/sys/devices/virtual/block",
        name: "loop0",
        number: "7:0",
        sectors: 0,
        files: &[],
        members: &[],
    });
    fixture.folder("/srv/my data/test").mounts(&[
        "22 27 0:21 / /proc rw,relatime - proc proc rw",
        "27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro",
        "90 27 253:0 / /srv/my\\040data rw,noatime shared:40 - ext4 /dev/mapper/vg0-data rw,stripe=32",
    ]);
    intel_cpu(&fixture);
    fixture.file("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    fixture.file(
        "/etc/os-release",
        "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
    );
    fixture.file(
        "/proc/meminfo",
        "MemTotal:       32791234 kB\nMemFree: 1 kB\n",
    );
    fixture.files(
        "/sys/class/dmi/id",
        &[
            ("sys_vendor", "System manufacturer"),
            ("product_name", "System Product Name"),
            ("board_vendor", "ASUSTeK COMPUTER INC."),
            ("board_name", "PRIME Z390-A"),
        ],
    );
    fixture
}

/// Four CPUs, each with its own clock; the last has another governor.
fn intel_cpu(fixture: &Fixture) {
    let mut text = String::new();
    for cpu in 0..4 {
        text += &format!(
            "processor\t: {cpu}\nmodel name\t: Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz\nflags\t\t: fpu vme sse2\n\n"
        );
        let governor = if cpu == 3 { "performance" } else { "powersave" };
        fixture.files(
            &format!("{CPUFREQ}/policy{cpu}"),
            &[
                ("scaling_driver", "intel_pstate"),
                ("scaling_governor", governor),
                ("energy_performance_preference", "balance_performance"),
                ("cpuinfo_max_freq", "4900000"),
                ("scaling_max_freq", "4900000"),
                ("base_frequency", "3600000"),
            ],
        );
        fixture.files(
            &format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle"),
            &[
                ("core_throttle_count", "5"),
                ("package_throttle_count", "9"),
            ],
        );
    }
    fixture.file("/proc/cpuinfo", text);
    fixture.files(
        "/sys/devices/system/cpu",
        &[("online", "0-3"), ("intel_pstate/no_turbo", "0")],
    );
}

/// A guest of QEMU with one virtio disk.
pub fn virtual_machine() -> Fixture {
    let fixture = Fixture::new();
    let parent = "/sys/devices/pci0000:00/0000:00:04.0/virtio1/block";
    fixture.block(&Block {
        parent,
        name: "vda",
        number: "254:0",
        sectors: 41_943_040,
        files: &[
            ("queue/rotational", "1"),
            ("queue/scheduler", "[none] mq-deadline"),
            ("queue/write_cache", "write back"),
            ("queue/max_sectors_kb", "1280"),
            ("queue/nr_requests", "256"),
            ("serial", "drive-0001"),
            ("device/vendor", "0x1af4"),
        ],
        members: &[],
    });
    fixture.block(&Block {
        parent: &format!("{parent}/vda"),
        name: "vda1",
        number: "254:1",
        sectors: 41_940_992,
        files: &[("partition", "1")],
        members: &[],
    });
    fixture
        .folder("/home")
        .mounts(&["1 0 254:1 / / rw,relatime - xfs /dev/root rw,attr2"]);
    fixture.file("/proc/sys/kernel/osrelease", "5.14.0-427.el9.x86_64\n");
    fixture.file("/usr/lib/os-release", "PRETTY_NAME='Rocky Linux 9.4'\n");
    fixture.file("/proc/meminfo", "MemTotal:        4026532 kB\n");
    fixture.file(
        "/proc/cpuinfo",
        "processor : 0\nmodel name : AMD EPYC 7543\nflags : fpu hypervisor lahf_lm\n\nprocessor : 1\nmodel name : AMD EPYC 7543\nflags : fpu hypervisor lahf_lm\n",
    );
    fixture.files(
        "/sys/class/dmi/id",
        &[
            ("sys_vendor", "QEMU"),
            ("product_name", "Standard PC (Q35 + ICH9, 2009)"),
        ],
    );
    fixture
}

/// An ARM board with two kinds of core and an SD card.
pub fn arm_board() -> Fixture {
    let fixture = Fixture::new();
    let mut text = String::new();
    for cpu in 0..6 {
        let part = if cpu < 4 { "0xd03" } else { "0xd08" };
        text += &format!(
            "processor\t: {cpu}\nBogoMIPS\t: 48.00\nCPU implementer\t: 0x41\nCPU part\t: {part}\n\n"
        );
    }
    fixture.file("/proc/cpuinfo", text);
    for (policy, max) in [("policy0", "1416000"), ("policy4", "1800000")] {
        fixture.files(
            &format!("{CPUFREQ}/{policy}"),
            &[
                ("scaling_driver", "cpufreq-dt"),
                ("scaling_governor", "schedutil"),
                ("cpuinfo_max_freq", max),
                ("scaling_max_freq", max),
            ],
        );
    }
    fixture.file("/sys/devices/system/cpu/online", "0-5\n");
    fixture.file("/proc/device-tree/model", "Pine64 RockPro64 v2.1\0");
    fixture.block(&Block {
        parent: "/sys/devices/platform/fe320000.mmc/mmc_host/mmc1/block",
        name: "mmcblk1",
        number: "179:0",
        sectors: 62_333_952,
        files: &[
            ("queue/rotational", "0"),
            ("queue/scheduler", "none [mq-deadline]"),
            ("queue/write_cache", "write through"),
            ("queue/nr_requests", "64"),
            ("device/name", "SD32G"),
            ("device/serial", "0x12345678"),
        ],
        members: &[],
    });
    for minor in 0..2 {
        fixture.block(&Block {
            parent: "/sys/devices/virtual/block",
            name: &format!("ram{minor}"),
            number: &format!("1:{minor}"),
            sectors: 8192,
            files: &[],
            members: &[],
        });
    }
    fixture.file("/proc/sys/kernel/osrelease", "6.6.31-current-rockchip64\n");
    fixture.file("/proc/meminfo", "MemTotal:        3895296 kB\n");
    fixture
}

/// A firmware RAID 1 of two disks (imsm): a container without size or level, and the array in it.
pub fn firmware_raid() -> Fixture {
    let fixture = Fixture::new();
    for (index, letter) in (0..).zip(['a', 'b']) {
        sata_ssd(&fixture, index, letter);
    }
    let members = ['a', 'b'].map(|l| format!("{}/sd{l}", sata_parent(l)));
    for (name, number, sectors, files) in [
        (
            "md127",
            "9:127",
            0,
            &[
                ("md/array_state", "inactive"),
                ("md/level", ""),
                ("md/raid_disks", "0"),
                ("md/metadata_version", "external:imsm"),
            ][..],
        ),
        (
            "md126",
            "9:126",
            440_000_000,
            &[
                ("md/array_state", "active"),
                ("md/level", "raid1"),
                ("md/chunk_size", "0"),
                ("md/raid_disks", "2"),
                ("md/metadata_version", "external:/md127/0"),
                ("md/degraded", "1"),
                ("md/sync_action", "recover"),
            ][..],
        ),
    ] {
        fixture.block(&Block {
            parent: "/sys/devices/virtual/block",
            name,
            number,
            sectors,
            files,
            members: &members.each_ref().map(String::as_str),
        });
    }
    fixture.folder("/srv").mounts(&[
        "1 0 8:200 / / rw - ext4 /dev/sdz1 rw",
        "2 1 9:126 / /srv rw - xfs /dev/md126 rw",
    ]);
    fixture
}

/// An NVMe disk with partitions, with a hidden path as in native multipathing.
pub fn nvme() -> Fixture {
    let fixture = Fixture::new();
    let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    fixture.block(&Block {
        parent: subsystem,
        name: "nvme0n1",
        number: "259:1",
        sectors: 1_953_525_168,
        files: &[
            ("queue/scheduler", "[none] mq-deadline"),
            ("queue/nr_requests", "1023"),
            ("hidden", "0"),
            ("wwid", "eui.0025385b01234567"),
            ("device/model", "Samsung SSD 980 PRO 1TB                 "),
            ("device/serial", "S5GXNF0R123456Z     "),
            ("device/firmware_rev", "5B2QGXA7"),
        ],
        members: &[],
    });
    fixture.block(&Block {
        parent: "/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0",
        name: "nvme0c0n1",
        number: "259:0",
        sectors: 1_953_525_168,
        files: &[("hidden", "1")],
        members: &[],
    });
    fixture.block(&Block {
        parent: &format!("{subsystem}/nvme0n1"),
        name: "nvme0n1p2",
        number: "259:3",
        sectors: 1_900_000_000,
        files: &[("partition", "2")],
        members: &[],
    });
    fixture
        .folder("/home/user")
        .mounts(&["1 0 259:3 / / rw - ext4 /dev/nvme0n1p2 rw"]);
    fixture
}

/// A btrfs over a whole disk and a partition, with a subvolume on `/data`; another btrfs beside it.
pub fn btrfs() -> Fixture {
    let fixture = Fixture::new();
    for (index, letter) in (0..).zip(['a', 'b', 'c']) {
        sata_ssd(&fixture, index, letter);
    }
    let disk = |letter| format!("{}/sd{letter}", sata_parent(letter));
    let ours = "/sys/fs/btrfs/0c5a7e3e-0000-4000-8000-000000000001/devices";
    let other = "/sys/fs/btrfs/0c5a7e3e-0000-4000-8000-000000000000/devices";
    fixture.link(&format!("{ours}/sda2"), &format!("{}/sda2", disk('a')));
    fixture.link(&format!("{ours}/sdb"), &disk('b'));
    fixture.link(&format!("{other}/sdc"), &disk('c'));
    fixture.file("/sys/fs/btrfs/features/raid1c34", "0\n");
    fixture.folder("/data/x").mounts(&[
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
        "2 1 0:45 /@data /data rw,noatime - btrfs /dev/sda2 rw,compress=zstd:3,space_cache=v2,subvol=/@data",
    ]);
    fixture
}
