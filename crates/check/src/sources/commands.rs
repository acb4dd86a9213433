//! The commands to run, and their lines that rules name.

/// For which things a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunFor {
    /// Once.
    Once,
    /// For each disk of this kind: its line has `{}` for the name.
    Disk(&'static str),
    /// For each mounted filesystem whose kind begins so: `ext` is ext2, ext3 and ext4.
    Mounted(&'static str),
    /// For each member of an md array with a write-intent bitmap beside its data.
    BitmapMember,
    /// For each cluster of PostgreSQL: `{}` stands for the directory of its programs, and then for
    /// its data.
    Cluster,
}

/// A command to run. None of them writes, and none goes through a shell.
#[derive(Debug, Clone, Copy)]
pub struct CollectedCommand {
    /// The name and arguments, split at spaces; `{}` stands for a disk.
    pub line: &'static str,
    /// Its Debian package.
    pub package: &'static str,
    /// The plugin of sosreport, which is the name of the folder.
    pub plugin: &'static str,
    /// For which things it is run.
    pub each: RunFor,
    /// It is run only if something matches: a host without ZFS needs no `zfs`.
    pub gate: &'static str,
    /// Whether only root gets an answer.
    pub needs_root: bool,
}

/// The settings of MariaDB and MySQL that rules read.
pub const SHOW_VARIABLES: &str = "mysql --batch --skip-column-names --execute SHOW_VARIABLES";
/// The statement that stands for `SHOW_VARIABLES` in that line.
pub const STATEMENT: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit','sync_binlog','innodb_doublewrite','innodb_flush_method','innodb_flush_neighbors','innodb_io_capacity','innodb_log_file_size','innodb_buffer_pool_size','innodb_page_size','version','datadir')";
/// The collation versions of PostgreSQL's databases.
pub const COLLATIONS: &str =
    "runuser --user postgres -- psql --no-psqlrc --no-align --tuples-only --command COLLATIONS";
/// The statement that stands for `COLLATIONS` in that line.
pub const COLLATION_STATEMENT: &str = "SELECT datname, datcollversion, pg_database_collation_actual_version(oid) FROM pg_database WHERE datallowconn";
/// All volumes of LVM.
pub const LVS: &str = "lvs --all --reportformat json -o lv_name,vg_name,lv_attr,data_percent,metadata_percent,snap_percent,seg_monitor";
/// All physical volumes of LVM.
pub const PVS: &str = "pvs --reportformat json --units b --nosuffix -o pv_name,pe_start";
/// The thin pools of LVM, and what is free beside them.
pub const THIN: &str = "lvs --reportformat json --units b --nosuffix -o lv_name,vg_name,lv_attr,lv_size,vg_free,seg_monitor";
/// The sizes of LVM's physical volumes and of the devices below.
pub const PV_SIZES: &str =
    "pvs --reportformat json --units b --nosuffix -o pv_name,dev_size,pv_size";
/// The partitions, with the types that a GPT gives them.
pub const PARTITIONS: &str = "lsblk --json --list --output NAME,PKNAME,PARTTYPE";
/// The control data of a cluster of PostgreSQL, whether its server runs or not.
pub const CONTROL_DATA: &str = "runuser --user postgres -- {}/pg_controldata {}";

/// Returns the line for a cluster, by the directory of its programs and its data.
pub fn control_data(programs: &str, data: &str) -> String {
    CONTROL_DATA.replacen("{}", programs, 1).replace("{}", data)
}

/// The disks that smartctl can reach, those behind controllers included.
pub const SCAN: &str = "smartctl --scan -j";
/// Controllers of Broadcom and Dell. The programs are not packages of Debian, and without `nolog`
/// they write a log into the working directory.
pub const STORCLI: [&str; 4] = [
    "storcli64 /call show all J nolog",
    "/opt/MegaRAID/storcli/storcli64 /call show all J nolog",
    "perccli64 /call show all J nolog",
    "/opt/MegaRAID/perccli/perccli64 /call show all J nolog",
];
/// Controllers of HPE. The program prints no JSON.
pub const SSACLI: &str = "ssacli ctrl all show config detail";

/// What sosreport prints of all arrays, through a shell (sos/report/plugins/md.py).
pub const DETAILS: &str = "mdadm -D /dev/md*";
/// Commands of sosreport that we do not run.
pub const SOS_ONLY: [(&str, &str); 1] = [("md", DETAILS)];

const fn command(
    line: &'static str,
    package: &'static str,
    plugin: &'static str,
    gate: &'static str,
) -> CollectedCommand {
    CollectedCommand {
        line,
        package,
        plugin,
        each: RunFor::Once,
        gate,
        needs_root: true,
    }
}

/// The commands to run.
pub const COMMANDS: &[CollectedCommand] = &[
    CollectedCommand {
        each: RunFor::Disk("sd*"),
        ..command(
            "smartctl -a /dev/{} -j",
            "smartmontools",
            "ata",
            "/sys/block/sd*/size",
        )
    },
    CollectedCommand {
        each: RunFor::Disk("nvme*n*"),
        ..command(
            "smartctl -a /dev/{} -j",
            "smartmontools",
            "ata",
            "/sys/block/nvme*/size",
        )
    },
    CollectedCommand {
        each: RunFor::Disk("sd*"),
        ..command(
            "smartctl -l defects /dev/{} -j",
            "smartmontools",
            "ata",
            "/sys/block/sd*/size",
        )
    },
    CollectedCommand {
        each: RunFor::Disk("sd*"),
        ..command(
            "smartctl -l scterc /dev/{} -j",
            "smartmontools",
            "ata",
            "/sys/block/*/md/level",
        )
    },
    CollectedCommand {
        each: RunFor::Disk("sd*"),
        ..command("hdparm -W /dev/{}", "hdparm", "ata", "/sys/block/sd*/size")
    },
    CollectedCommand {
        each: RunFor::Disk("nvme*n*"),
        ..command(
            "nvme id-ctrl -o json /dev/{}",
            "nvme-cli",
            "nvme",
            "/sys/block/nvme*/size",
        )
    },
    CollectedCommand {
        each: RunFor::Mounted("ext"),
        ..command(
            "dumpe2fs -h {}",
            "e2fsprogs",
            "filesys",
            "/sys/block/*/md/level",
        )
    },
    command(
        "mdadm --detail --scan",
        "mdadm",
        "md",
        "/sys/block/*/md/level",
    ),
    CollectedCommand {
        each: RunFor::BitmapMember,
        ..command(
            "mdadm -X /dev/{}",
            "mdadm",
            "md",
            "/sys/block/*/md/bitmap/location",
        )
    },
    command(LVS, "lvm2", "lvm2", "/sys/block/*/dm/uuid"),
    command(PVS, "lvm2", "lvm2", "/sys/block/*/dm/uuid"),
    CollectedCommand {
        needs_root: false,
        ..command("df -al -x autofs", "coreutils", "filesys", "/proc/mounts")
    },
    CollectedCommand {
        needs_root: false,
        ..command("df -ali -x autofs", "coreutils", "filesys", "/proc/mounts")
    },
    CollectedCommand {
        needs_root: false,
        ..command("systemctl list-units", "systemd", "systemd", "/proc/mounts")
    },
    CollectedCommand {
        needs_root: false,
        ..command(
            "zpool status",
            "zfsutils-linux",
            "zfs",
            "/proc/spl/kstat/zfs/*/state",
        )
    },
    CollectedCommand {
        needs_root: false,
        ..command(
            "zfs get all",
            "zfsutils-linux",
            "zfs",
            "/proc/spl/kstat/zfs/*/state",
        )
    },
    command(
        "zdb -C",
        "zfsutils-linux",
        "zfs",
        "/proc/spl/kstat/zfs/*/state",
    ),
    CollectedCommand {
        needs_root: false,
        ..command(
            "mariadbd --version",
            "mariadb-server",
            "mysql",
            "/var/lib/mysql",
        )
    },
    command(SHOW_VARIABLES, "mariadb-client", "mysql", "/var/lib/mysql"),
    command(
        COLLATIONS,
        "postgresql-client",
        "postgresql",
        "/etc/postgresql/*/*/postgresql.conf",
    ),
    // Shows which databases an offline slapd would load, and writes nothing.
    command(
        "slapcat -n0 -a (objectClass=olcDatabaseConfig) -o ldif-wrap=no",
        "slapd",
        "openldap",
        "/etc/ldap/slapd.d/cn=config/olcDatabase=*.ldif",
    ),
    CollectedCommand {
        each: RunFor::Disk("nvme*n*"),
        ..command(
            "nvme smart-log -o json /dev/{}",
            "nvme-cli",
            "nvme",
            "/sys/block/nvme*/size",
        )
    },
    CollectedCommand {
        each: RunFor::Mounted("xfs"),
        needs_root: false,
        ..command("xfs_info {}", "xfsprogs", "xfs", "/sys/block/*/md/level")
    },
    command(THIN, "lvm2", "lvm2", "/sys/block/*/dm/uuid"),
    command(PV_SIZES, "lvm2", "lvm2", "/sys/block/*/md/level"),
    CollectedCommand {
        needs_root: false,
        ..command(PARTITIONS, "util-linux", "block", "/sys/firmware/efi")
    },
    CollectedCommand {
        each: RunFor::Cluster,
        ..command(CONTROL_DATA, "postgresql", "postgresql", "/proc/mounts")
    },
    command(
        STORCLI[0],
        "storcli",
        "megaraid",
        "/sys/module/megaraid_sas",
    ),
    command(
        STORCLI[1],
        "storcli",
        "megaraid",
        "/sys/module/megaraid_sas",
    ),
    command(
        STORCLI[2],
        "perccli",
        "megaraid",
        "/sys/module/megaraid_sas",
    ),
    command(
        STORCLI[3],
        "perccli",
        "megaraid",
        "/sys/module/megaraid_sas",
    ),
    command(SSACLI, "ssacli", "hardware", "/sys/module/hpsa"),
    command(SSACLI, "ssacli", "hardware", "/sys/module/smartpqi"),
];
