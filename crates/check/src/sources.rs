//! Which facts are collected: paths, and commands under the names that sosreport gives them.
//!
//! A rule that reads a path which is in no pattern here gets a missing fact, so the tests of the
//! rule fail. Files that may hold secrets are kept by line: only lines with a word of the list.

use crate::pattern::{matches, parts};

mod commands;
pub use commands::*;

/// How much of a file is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The text.
    Text,
    /// Only lines with one of these words; `^order` stands for lines that begin
    /// so.
    Lines(&'static [&'static str]),
    /// All lines but those that are empty or begin with `#`.
    Uncommented,
    /// As `Lines`, and an empty line for each other one, so that each has its number.
    Settings(&'static [&'static str]),
    /// Of the command line of a server of PostgreSQL, the options that set one of these names.
    Options(&'static [&'static str]),
    /// Only owner, permissions, size and time; of directories too.
    Stat,
    /// The command line of QEMU processes only.
    Qemu,
    /// Of each job of a crontab: when, who, and which updater of feeds; commands can hold secrets.
    /// A system crontab has a user in each line.
    Cron {
        /// Whether it has.
        is_system: bool,
    },
    /// Of a unit: its user, and which updater of feeds it starts.
    Unit,
    /// Of a script that is run at boot: of each updater of feeds the user and the name.
    Script,
    /// Only statements of nginx with one of these names.
    Statements(&'static [&'static str]),
    /// Of each line of `/etc/passwd` the name and the numbers, and of `/etc/group` the members: an old
    /// one holds a hash.
    Users,
    /// Whether the first sector of a disk has GRUB's boot code: a word, not the sector.
    BootCode,
}

/// Files to collect.
#[derive(Debug, Clone, Copy)]
pub struct CollectedFile {
    /// A path with `*`.
    pub pattern: &'static str,
    /// How much of each.
    pub keep: Keep,
}

const fn text(pattern: &'static str) -> CollectedFile {
    CollectedFile {
        pattern,
        keep: Keep::Text,
    }
}

const fn stat(pattern: &'static str) -> CollectedFile {
    CollectedFile {
        pattern,
        keep: Keep::Stat,
    }
}

const fn lines(pattern: &'static str, words: &'static [&'static str]) -> CollectedFile {
    CollectedFile {
        pattern,
        keep: Keep::Lines(words),
    }
}

const fn settings(pattern: &'static str, words: &'static [&'static str]) -> CollectedFile {
    CollectedFile {
        pattern,
        keep: Keep::Settings(words),
    }
}

const fn command_line(pattern: &'static str) -> CollectedFile {
    CollectedFile {
        pattern,
        keep: Keep::Options(POSTGRES_OPTIONS),
    }
}

pub(crate) const APACHE: &[&str] = &[
    "^include",
    "^serverroot",
    "^<directory",
    "^</directory",
    "^<files",
    "^</files",
    "^<location",
    "^</location",
    "^<limit",
    "^</limit",
    "^<proxy",
    "^</proxy",
    "^<virtualhost",
    "^</virtualhost",
    "^<require",
    "^</require",
    "^order",
    "^allow",
    "^deny",
    "^satisfy",
    "^require",
    "^loadmodule",
    "^<if",
    "^</if",
];
const XML: &[&str] = &[
    "<disk",
    "</disk",
    "<driver",
    "<target",
    "<source file",
    "<source dev",
];
const LDAP: &[&str] = &[
    "^objectclass:",
    "^olcmoduleload:",
    "^olcmodulepath:",
    "^olcdatabase:",
    "^olcoverlay:",
    "^moduleload",
    "^modulepath",
    "^database",
    "^overlay",
    "^include",
];
pub(crate) const NGINX: Keep = Keep::Statements(&["include", "fastcgi_pass", "upstream", "server"]);
pub(crate) const POOL: &[&str] = &["^[", "^listen", "^user", "^group", "^include"];
const INTERFACES: &[&str] = &[
    "^iface",
    "^auto",
    "^allow-auto",
    "^allow-hotplug",
    "^source",
    "^bridge",
    "^bond",
    "^slaves",
    "^vlan",
];
/// Programs that update the feeds of a reader.
pub const UPDATERS: [&str; 5] = [
    "update_daemon2.php",
    "update.php",
    "actualize_script.php",
    "--feeds",
    "--daemon",
];
/// Programs that read all of an array, and the file that starts it.
pub const SCRUBBERS: [&str; 4] = ["raid-check", "checkarray", "mdcheck", "sync_action"];

/// Files to collect.
pub const FILES: &[CollectedFile] = &[
    // md and block devices.
    text("/proc/mdstat"),
    text("/sys/block/*/md/array_state"),
    text("/sys/block/*/md/bitmap/chunksize"),
    text("/sys/block/*/md/bitmap/location"),
    text("/sys/block/*/md/bitmap_type"),
    text("/sys/block/*/md/chunk_size"),
    text("/sys/block/*/md/consistency_policy"),
    text("/sys/block/*/md/degraded"),
    text("/sys/block/*/md/dev-*/bad_blocks"),
    text("/sys/block/*/md/dev-*/size"),
    text("/sys/block/*/md/dev-*/state"),
    text("/sys/block/*/md/layout"),
    text("/sys/block/*/md/level"),
    text("/sys/block/*/md/logical_block_size"),
    text("/sys/block/*/md/metadata_version"),
    text("/sys/block/*/md/mismatch_cnt"),
    text("/sys/block/*/md/raid_disks"),
    text("/sys/block/*/md/stripe_cache_size"),
    text("/sys/block/*/device/model"),
    text("/sys/block/*/device/timeout"),
    text("/sys/block/*/dm/name"),
    text("/sys/block/*/dm/uuid"),
    text("/sys/block/*/queue/discard_max_bytes"),
    text("/sys/block/*/queue/logical_block_size"),
    text("/sys/block/*/queue/optimal_io_size"),
    text("/sys/block/*/queue/physical_block_size"),
    text("/sys/block/*/queue/read_ahead_kb"),
    text("/sys/block/*/queue/rotational"),
    text("/sys/block/*/queue/scheduler"),
    text("/sys/block/*/queue/write_cache"),
    text("/sys/block/*/queue/zoned"),
    text("/sys/block/*/size"),
    text("/sys/block/*/stat"),
    stat("/sys/block/*/slaves/*"),
    text("/sys/block/*/*/start"),
    text("/sys/module/raid0/parameters/default_layout"),
    text("/sys/module/raid456/parameters/devices_handle_discard_safely"),
    text("/sys/bus/pci/devices/*/class"),
    text("/sys/bus/pci/devices/*/current_link_speed"),
    text("/sys/bus/pci/devices/*/current_link_width"),
    text("/sys/bus/pci/devices/*/max_link_speed"),
    text("/sys/bus/pci/devices/*/max_link_width"),
    text("/sys/class/ata_link/*/hw_sata_spd_limit"),
    text("/sys/class/ata_link/*/sata_spd_limit"),
    stat("/sys/class/net/*"),
    stat("/sys/firmware/efi"),
    CollectedFile {
        pattern: "/dev/*",
        keep: Keep::BootCode,
    },
    stat("/dev/disk/by-id/*"),
    stat("/dev/disk/by-label/*"),
    stat("/dev/disk/by-partlabel/*"),
    stat("/dev/disk/by-partuuid/*"),
    stat("/dev/disk/by-path/*"),
    stat("/dev/disk/by-uuid/*"),
    // Filesystems.
    text("/proc/mounts"),
    text("/proc/fs/ext4/*/options"),
    text("/proc/spl/kstat/zfs/*/state"),
    text("/sys/fs/btrfs/*/devinfo/*/error_stats"),
    text("/sys/fs/ext4/*/errors_count"),
    text("/etc/crypttab"),
    text("/etc/fstab"),
    text("/etc/integritytab"),
    // Processor and memory.
    text("/proc/meminfo"),
    text("/proc/sys/vm/dirty_bytes"),
    text("/proc/sys/vm/dirty_ratio"),
    text("/sys/devices/system/cpu/cpufreq/*/energy_performance_preference"),
    text("/sys/devices/system/cpu/cpufreq/*/scaling_driver"),
    text("/sys/devices/system/cpu/cpufreq/*/scaling_governor"),
    text("/sys/devices/system/cpu/intel_pstate/no_turbo"),
    text("/sys/devices/system/cpu/intel_pstate/status"),
    text("/var/lib/stripewise/write_bytes_per_s"),
    // Boot.
    text("/etc/default/grub"),
    text("/etc/default/grub.d/*.cfg"),
    text("/etc/default/mdadm"),
    text("/etc/mdadm.conf"),
    text("/etc/mdadm/mdadm.conf"),
    text("/etc/mdadm.conf.d/*.conf"),
    text("/etc/mdadm/mdadm.conf.d/*.conf"),
    text("/etc/os-release"),
    text("/usr/lib/os-release"),
    text("/proc/cmdline"),
    text("/proc/sys/kernel/osrelease"),
    text("/proc/version"),
    stat("/etc/mdadm.conf"),
    stat("/etc/mdadm/mdadm.conf"),
    stat("/boot/initr*"),
    stat("/boot/vmlinuz*"),
    stat("/lib/modules/*"),
    stat("/run/reboot-required"),
    lines("/run/reboot-required.pkgs", EVERY_LINE),
    lines(
        "/var/cache/debconf/config.dat",
        &["grub-pc/install_devices"],
    ),
    CollectedFile {
        pattern: "/etc/lvm/lvm.conf",
        keep: Keep::Uncommented,
    },
    CollectedFile {
        pattern: "/etc/lvm/lvmlocal.conf",
        keep: Keep::Uncommented,
    },
    stat("/etc/lvm/devices/system.devices"),
    stat("/usr/sbin/lvmetad"),
    // Who is told, and what runs.
    lines(
        "/etc/apcupsd/apcupsd.conf",
        &["^upstype", "^upscable", "^batterylevel", "^minutes"],
    ),
    lines("/etc/nut/nut.conf", &["^mode"]),
    lines("/etc/nut/upsmon.conf", &["^monitor", "^shutdowncmd"]),
    lines("/etc/ups/upsmon.conf", &["^monitor", "^shutdowncmd"]),
    text("/etc/smartd.conf"),
    text("/etc/smartmontools/smartd.conf"),
    stat("/usr/sbin/sendmail"),
    stat("/etc/cron.d/mdadm"),
    stat("/etc/systemd/system/*.wants/*"),
    CollectedFile {
        pattern: "/etc/systemd/system/*.service",
        keep: Keep::Unit,
    },
    CollectedFile {
        pattern: "/etc/systemd/system/*.service.d/*.conf",
        keep: Keep::Unit,
    },
    CollectedFile {
        pattern: "/usr/lib/systemd/system/*.service.d/*.conf",
        keep: Keep::Unit,
    },
    CollectedFile {
        pattern: "/lib/systemd/system/*.service.d/*.conf",
        keep: Keep::Unit,
    },
    CollectedFile {
        pattern: "/usr/lib/systemd/system/*.service",
        keep: Keep::Unit,
    },
    CollectedFile {
        pattern: "/lib/systemd/system/*.service",
        keep: Keep::Unit,
    },
    CollectedFile {
        pattern: "/etc/rc.local",
        keep: Keep::Script,
    },
    stat("/etc/rc.local"),
    CollectedFile {
        pattern: "/etc/rc.d/rc.local",
        keep: Keep::Script,
    },
    stat("/etc/rc.d/rc.local"),
    CollectedFile {
        pattern: "/etc/init.d/boot.local",
        keep: Keep::Script,
    },
    stat("/etc/init.d/boot.local"),
    CollectedFile {
        pattern: "/etc/local.d/*.start",
        keep: Keep::Script,
    },
    stat("/etc/local.d/*.start"),
    stat("/usr/lib/systemd/system/*.wants/*"),
    lines("/etc/sysconfig/raid-check", &["^enabled"]),
    lines("/etc/nsswitch.conf", &["^passwd"]),
    CollectedFile {
        pattern: "/etc/cron.d/*",
        keep: Keep::Cron { is_system: true },
    },
    CollectedFile {
        pattern: "/etc/crontab",
        keep: Keep::Cron { is_system: true },
    },
    CollectedFile {
        pattern: "/var/spool/cron/crontabs/*",
        keep: Keep::Cron { is_system: false },
    },
    CollectedFile {
        pattern: "/var/spool/cron/tabs/*",
        keep: Keep::Cron { is_system: false },
    },
    CollectedFile {
        pattern: "/var/spool/cron/*",
        keep: Keep::Cron { is_system: false },
    },
    CollectedFile {
        pattern: "/etc/crontabs/*",
        keep: Keep::Cron { is_system: false },
    },
    CollectedFile {
        pattern: "/etc/passwd",
        keep: Keep::Users,
    },
    CollectedFile {
        pattern: "/etc/group",
        keep: Keep::Users,
    },
    text("/etc/apt/sources.list"),
    text("/etc/apt/sources.list.d/*"),
    lines("/etc/network/interfaces", INTERFACES),
    lines("/etc/network/interfaces.d/*", INTERFACES),
    // Virtual machines.
    lines("/etc/libvirt/qemu/*.xml", XML),
    lines(
        "/etc/pve/qemu-server/*.conf",
        &["^[", "^scsi", "^sata", "^ide", "^virtio"],
    ),
    CollectedFile {
        pattern: "/proc/*/cmdline",
        keep: Keep::Qemu,
    },
    // Services.
    lines("/etc/default/slapd", &["^slapd_conf"]),
    lines("/etc/sysconfig/openldap", &["^openldap_config_backend"]),
    lines("/etc/ldap/*.conf", LDAP),
    lines("/etc/ldap/schema/*", LDAP),
    lines("/etc/ldap/slapd.d/cn=config/cn=module*.ldif", LDAP),
    lines("/etc/ldap/slapd.d/cn=config/olcDatabase=*.ldif", LDAP),
    lines(
        "/etc/ldap/slapd.d/cn=config/olcDatabase=*/olcOverlay=*.ldif",
        LDAP,
    ),
    lines("/etc/openldap/*.conf", LDAP),
    lines("/etc/openldap/schema/*", LDAP),
    lines("/etc/openldap/slapd.d/cn=config/cn=module*.ldif", LDAP),
    lines("/etc/openldap/slapd.d/cn=config/olcDatabase=*.ldif", LDAP),
    lines(
        "/etc/openldap/slapd.d/cn=config/olcDatabase=*/olcOverlay=*.ldif",
        LDAP,
    ),
    stat("/usr/lib/ldap/*"),
    stat("/usr/lib64/openldap/*"),
    stat("/usr/lib/openldap/*"),
    lines("/etc/apache2/*.conf", APACHE),
    lines("/etc/apache2/mods-enabled/*", APACHE),
    lines("/etc/apache2/conf-enabled/*", APACHE),
    lines("/etc/apache2/sites-enabled/*", APACHE),
    lines("/etc/apache2/conf.d/*", APACHE),
    lines("/etc/apache2/vhosts.d/*", APACHE),
    lines("/etc/apache2/sysconfig.d/*", APACHE),
    lines("/etc/httpd/conf/*.conf", APACHE),
    lines("/etc/httpd/conf/*/*.conf", APACHE),
    lines("/etc/httpd/conf.d/*.conf", APACHE),
    lines("/etc/httpd/conf.modules.d/*.conf", APACHE),
    lines("/etc/sysconfig/apache2", &["^apache_modules"]),
    lines("/etc/apache2/envvars", &["apache_run_"]),
    stat("/usr/lib/apache2/modules/*"),
    stat("/usr/lib64/httpd/modules/*"),
    stat("/usr/lib/httpd/modules/*"),
    stat("/usr/lib64/apache2*/*.so"),
    stat("/usr/lib/apache2/*.so"),
    lines("/etc/letsencrypt/options-ssl-apache.conf", APACHE),
    CollectedFile {
        pattern: "/etc/letsencrypt/options-ssl-nginx.conf",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/usr/share/nginx/modules/*.conf",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/conf.d/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/default.d/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/http.d/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/modules/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/modules-enabled/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/sites-enabled/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/snippets/*",
        keep: NGINX,
    },
    CollectedFile {
        pattern: "/etc/nginx/vhosts.d/*",
        keep: NGINX,
    },
    lines("/etc/php/*/fpm/php-fpm.conf", POOL),
    lines("/etc/php*/php-fpm.conf", POOL),
    lines("/etc/php*/fpm/php-fpm.conf", POOL),
    lines("/etc/php-fpm.conf", POOL),
    lines("/etc/opt/remi/*/php-fpm.conf", POOL),
    lines("/etc/php/*/fpm/pool.d/*", POOL),
    lines("/etc/php*/php-fpm.d/*", POOL),
    lines("/etc/php*/fpm/php-fpm.d/*", POOL),
    lines("/etc/php-fpm.d/*", POOL),
    lines("/etc/opt/remi/*/php-fpm.d/*", POOL),
    lines("/var/www/**/.htaccess", APACHE),
    stat("/var/www/**/.htaccess"),
    stat("/var/www/**/wp-config.php"),
    stat("/var/www/**/update_daemon2.php"),
    stat("/var/www/**/app/actualize_script.php"),
    stat("/var/www/**/cache"),
    stat("/var/www/**/data"),
    lines("/srv/www/**/.htaccess", APACHE),
    stat("/srv/www/**/.htaccess"),
    stat("/srv/www/**/wp-config.php"),
    stat("/srv/www/**/update_daemon2.php"),
    stat("/srv/www/**/app/actualize_script.php"),
    stat("/srv/www/**/cache"),
    stat("/srv/www/**/data"),
    lines("/srv/http/**/.htaccess", APACHE),
    stat("/srv/http/**/.htaccess"),
    stat("/srv/http/**/wp-config.php"),
    stat("/srv/http/**/update_daemon2.php"),
    stat("/srv/http/**/app/actualize_script.php"),
    stat("/srv/http/**/cache"),
    stat("/srv/http/**/data"),
    stat("/var/lib/mysql"),
    lines("/etc/my.cnf", MYSQL),
    lines("/etc/my.cnf.d/*.cnf", MYSQL),
    lines("/etc/mysql/*.cnf", MYSQL),
    lines("/etc/mysql/*/*.cnf", MYSQL),
    text("/var/lib/mysql/mysql_upgrade_info"),
    text("/var/lib/mysql/mariadb_upgrade_info"),
    stat("/var/lib/postgresql"),
    settings("/etc/postgresql/*/*/*.conf", POSTGRES),
    settings("/etc/postgresql/*/*/conf.d/*.conf", POSTGRES),
    settings("/etc/postgresql-common/*.conf", POSTGRES),
    settings("/var/lib/postgresql/*/*/*.conf", POSTGRES),
    settings("/var/lib/postgresql/*/*/conf.d/*.conf", POSTGRES),
    settings("/var/lib/pgsql/data/*.conf", POSTGRES),
    settings("/var/lib/pgsql/data/conf.d/*.conf", POSTGRES),
    settings("/var/lib/pgsql/*/data/*.conf", POSTGRES),
    settings("/var/lib/pgsql/*/data/conf.d/*.conf", POSTGRES),
    settings("/var/lib/postgres/data/*.conf", POSTGRES),
    settings("/var/lib/postgres/data/conf.d/*.conf", POSTGRES),
    lines("/etc/sysconfig/postgresql", &["^postgres_datadir"]),
    lines("/etc/conf.d/postgresql", &["^data_dir"]),
    command_line("/var/lib/postgresql/*/*/postmaster.opts"),
    command_line("/var/lib/pgsql/data/postmaster.opts"),
    command_line("/var/lib/pgsql/*/data/postmaster.opts"),
    command_line("/var/lib/postgres/data/postmaster.opts"),
    stat("/usr/lib/postgresql/*/bin/postgres"),
    // Links, limits and sizes of arrays and their members.
    text("/proc/swaps"),
    text("/proc/sys/dev/raid/speed_limit_max"),
    text("/proc/sys/dev/raid/speed_limit_min"),
    text("/sys/block/*/*/size"),
    text("/sys/block/*/md/sync_action"),
    text("/sys/block/*/md/sync_speed_max"),
    text("/sys/block/*/queue/atomic_write_unit_max_bytes"),
    text("/sys/block/nvme*/device/device/current_link_speed"),
    text("/sys/block/nvme*/device/device/current_link_width"),
    text("/sys/block/nvme*/device/nvme*/device/current_link_speed"),
    text("/sys/block/nvme*/device/nvme*/device/current_link_width"),
    // Drivers of RAID controllers.
    stat("/sys/module/hpsa"),
    stat("/sys/module/megaraid_sas"),
    stat("/sys/module/smartpqi"),
];

pub(crate) const MYSQL: &[&str] = &["^[", "^!include", "^data", "^loose-data", "^loose_data"];
pub(crate) const POSTGRES: &[&str] = &[
    "^fsync",
    "^full_page_writes",
    "^synchronous_commit",
    "^data_directory",
    "^include",
];
pub(crate) const POSTGRES_OPTIONS: &[&str] = &[
    "config_file",
    "fsync",
    "full_page_writes",
    "synchronous_commit",
];
/// A word that every line has.
const EVERY_LINE: &[&str] = &[""];

/// Returns whether a path is collected if it exists, or a directory of a collected path.
pub fn covers(path: &str) -> bool {
    FILES.iter().any(|ask| matches(ask.pattern, path))
}

/// Returns whether a pattern of a rule asks for nothing but collected paths.
pub fn covers_pattern(pattern: &str) -> bool {
    // A pattern is covered if some path that it matches is: `*` is replaced by a name.
    let example: Vec<&str> = parts(pattern).collect();
    let path = format!("/{}", example.join("/"))
        .replace("**/", "")
        .replace('*', "x");
    FILES
        .iter()
        .any(|ask| ask.pattern == pattern || matches(ask.pattern, &path))
}

/// Returns the path under which sosreport stores the output of a command.
pub fn path_of(plugin: &str, line: &str) -> String {
    // As `_mangle_command` of sos/report/plugins/__init__.py: runs of other characters become `_`,
    // slashes become dots.
    let mut name = String::new();
    for c in line.chars() {
        match c {
            '/' => name.push('.'),
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') => name.push(c),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_matches([' ', '.', '_', '-']);
    let name: String = name.chars().take(NAME_CHARS_MAX).collect();
    format!("/sos_commands/{plugin}/{name}")
}

/// The longest name of a command's output.
const NAME_CHARS_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_sosreports_names() {
        for (plugin, line, expected) in [
            (
                "ata",
                "smartctl -a /dev/sda -j",
                "/sos_commands/ata/smartctl_-a_.dev.sda_-j",
            ),
            (
                "filesys",
                "df -al -x autofs",
                "/sos_commands/filesys/df_-al_-x_autofs",
            ),
            ("zfs", "zfs get all", "/sos_commands/zfs/zfs_get_all"),
        ] {
            assert_eq!(path_of(plugin, line), expected);
        }
    }
}
