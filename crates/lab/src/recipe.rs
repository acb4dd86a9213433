//! The recipe of a guest: its packages, the parts left out, its boot scripts.
//!
//! One checksum covers it all, so a guest built with another recipe is recognized and rebuilt.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::extra::Extra;
use crate::manifest::{SCHEMA, checksum_of};
use crate::module::SOURCES;

/// The tools that build, measure and inspect stacks.
pub(crate) const TOOLS: [&str; 14] = [
    "fio",
    "mdadm",
    "lvm2",
    "dmsetup",
    "xfsprogs",
    "btrfs-progs",
    "e2fsprogs",
    "util-linux",
    "mount",
    "fdisk",
    "kmod",
    "bash",
    "dash",
    "busybox-static",
];

/// The filesystems that the tools create and the guest's kernel supports; and `zfs`, in a guest
/// that was prepared with it.
pub const FILESYSTEMS: [&str; 5] = ["ext2", "ext3", "ext4", "xfs", "btrfs"];

/// Name prefixes of packages that the tools depend on but the guest does not need: package
/// management, other languages, logins, and the network engines of fio.
pub(crate) const LEFT_OUT: [&str; 53] = [
    "adduser",
    "debconf",
    "cdebconf",
    "debianutils",
    "dpkg",
    "init-system-helpers",
    "libaudit",
    "libargon2",
    "libboost",
    "libcryptsetup",
    "libdaxctl",
    "libdb5",
    "libfile-find-rule-perl",
    "libfmt",
    "libgdbm",
    "libgf",
    "libgfapi",
    "libglusterfs",
    "libgmp",
    "libgnutls",
    "libgssapi",
    "libhogweed",
    "libibverbs",
    "libicu",
    "libidn2",
    "libjson-c",
    "libk5crypto",
    "libkeyutils",
    "libkrb5",
    "libnbd",
    "libndctl",
    "libnettle",
    "libnl-",
    "libnsl",
    "libnumber-compare-perl",
    "libp11-kit",
    "libpam",
    "libperl",
    "libpmem",
    "libpython",
    "librados",
    "librbd",
    "librdmacm",
    "libsemanage",
    "libsqlite",
    "libtasn1",
    "libtext-glob-perl",
    "libtirpc",
    "libxml2",
    "mawk",
    "passwd",
    "perl",
    "python3",
];

/// The paths left out of packages: documentation, other languages, other init systems; of
/// databases, tools of administrators, the messages of MariaDB but in languages with an `e`, and
/// the input of PostgreSQL's compiler of expressions.
pub(crate) const PATHS_LEFT_OUT: [&str; 25] = [
    "./usr/bin/innochecksum",
    "./usr/bin/mariadb-check",
    "./usr/bin/mariadb-upgrade",
    "./usr/bin/my_print_defaults",
    "./usr/bin/resolveip",
    "./usr/share/mysql/[a-df-z]*/errmsg.sys",
    "./usr/share/mysql/*.sql",
    "./usr/lib/postgresql/*/lib/bitcode",
    "./usr/lib/postgresql/*/lib/pgxs",
    "./usr/share/postgresql/*/man",
    "./usr/share/bug",
    "./usr/share/doc",
    "./usr/share/info",
    "./usr/share/initramfs-tools",
    "./usr/share/lintian",
    "./usr/share/locale",
    "./usr/share/man",
    "./usr/share/mdadm",
    "./usr/share/bash-completion",
    "./usr/lib/x86_64-linux-gnu/gconv",
    "./usr/lib/systemd",
    "./lib/systemd",
    "./lib/udev",
    "./etc/cron*",
    "./etc/init.d",
];

/// Kernel drivers for hardware that no guest has.
pub(crate) const DRIVERS_LEFT_OUT: [&str; 7] = [
    "kernel/net",
    "kernel/sound",
    "kernel/drivers/net",
    "kernel/drivers/infiniband",
    "kernel/drivers/gpu",
    "kernel/drivers/media",
    "kernel/drivers/hid",
];

/// Programs that must find all their libraries; each stands for its package.
pub(crate) const PROGRAMS_CHECKED: [&str; 14] = [
    "usr/bin/fio",
    "usr/bin/bash",
    "usr/bin/dash",
    "usr/bin/kmod",
    "usr/bin/lsblk",
    "usr/bin/mount",
    "usr/bin/btrfs",
    "usr/sbin/blkid",
    "usr/sbin/dmsetup",
    "usr/sbin/lvm",
    "usr/sbin/mdadm",
    "usr/sbin/mke2fs",
    "usr/sbin/mkfs.xfs",
    "usr/sbin/sfdisk",
];

/// The modules that the guest needs to reach its disks and the host.
pub(crate) const BOOT_MODULES: [&str; 4] = ["virtio_pci", "virtio_blk", "virtio_console", "ext4"];

/// The first program of the guest.
pub(crate) const INITRAMFS_INIT: &str = include_str!("../guest/initramfs-init");
/// Process 1 of the guest.
pub(crate) const INIT: &str = include_str!("../guest/init");
/// LVM without udev.
pub(crate) const LVM_CONFIGURATION: &str = include_str!("../guest/lvmlocal.conf");

/// A request to prepare a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The kernel release or a prefix of it; `None` is the distribution's own.
    pub kernel: Option<String>,
    /// A file of package sources for the kernel instead of the machine's.
    pub sources: Option<PathBuf>,
    /// Whether to look for newer packages even if a guest is prepared.
    pub refresh: bool,
    /// What the guest must have besides; one that has more also satisfies the request.
    pub extras: BTreeSet<Extra>,
}

/// The sources that build guests: each of these files affects them.
const MAKERS: [&str; 8] = [
    include_str!("recipe.rs"),
    include_str!("prepare.rs"),
    include_str!("tree.rs"),
    include_str!("extra.rs"),
    include_str!("zfs.rs"),
    include_str!("light_fio.rs"),
    include_str!("image.rs"),
    include_str!("newc.rs"),
];

/// Returns the checksum of this program's recipe.
pub fn recipe_sha256() -> String {
    let version = SCHEMA.to_string();
    let texts = [version.as_str(), INITRAMFS_INIT, INIT, LVM_CONFIGURATION];
    let module = SOURCES.iter().flat_map(|file| [file.name, file.text]);
    checksum_of(texts.into_iter().chain(MAKERS).chain(module))
}
