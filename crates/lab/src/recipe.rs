//! The recipe of a guest: its packages, the parts left out, its boot scripts.
//!
//! One checksum covers it all, so a guest built with another recipe is recognized and rebuilt. It
//! covers the data themselves; of the code that follows the recipe, it covers a version number.

use std::collections::BTreeSet;

use crate::cache::Cache;
use crate::error::LabError;
use crate::extra::{Extra, LEFT_OUT_OF_DATABASES};
use crate::kernel_source::{KernelSource, Origin};
use crate::manifest::{SCHEMA, checksum_of};
use crate::module::SOURCES;
use crate::zfs::KEPT;

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The kernel release or a prefix of it; `None` is the distribution's own.
    pub kernel: Option<String>,
    /// Where the kernel comes from.
    pub source: KernelSource,
    /// The suite that the tools come from; `None` is the machine's own sources.
    pub tools: Option<String>,
    /// Whether to look for newer packages even if a guest is prepared.
    pub refresh: bool,
    /// What the guest must have besides; one that has more also satisfies the request.
    pub extras: BTreeSet<Extra>,
}

impl Request {
    /// Returns the request for the guest that its kernel names, if it is a name with an `@`: with what
    /// that guest is made from.
    ///
    /// # Errors
    /// [`LabError::NamedTwice`] if an option says that, too, [`LabError::NotPrepared`] if the name does not
    /// give a path and no guest has it.
    pub fn resolved(self, cache: &Cache) -> Result<Self, LabError> {
        let asked = self.kernel.clone().unwrap_or_default();
        let Some((kernel, origin)) = asked.split_once('@') else {
            return Ok(self);
        };
        let tools = self.tools.as_ref().map(|_| "tools");
        if let Some(option) = self.source.first_option().or(tools) {
            return Err(LabError::NamedTwice {
                name: asked,
                option,
            });
        }
        if let Some(guest) = cache.named(&asked) {
            let manifest = guest.manifest;
            return Ok(Self {
                source: KernelSource::of_options(&manifest.kernel_options),
                kernel: Some(manifest.kernel),
                tools: manifest.tools,
                ..self
            });
        }
        let origin = Origin::read(origin);
        if origin.by_path.is_some() {
            return Err(cache.not_prepared(vec![asked], &recipe_sha256()));
        }
        Ok(Self {
            kernel: Some(kernel.to_owned()),
            source: KernelSource {
                suite: origin.suite.map(str::to_owned),
                ..KernelSource::default()
            },
            tools: origin.tools.map(str::to_owned),
            ..self
        })
    }
}

/// The version of how guests are built: raise it when the same data makes another guest. A test
/// recalls it when a file changes that builds them.
const VERSION: u32 = 3;

/// The recipe of version 1, and what it was called when it was a checksum of source text.
const FIRST: &str = "d197623a7bf98822fb7e1184859e614489958b8101f3eadb446be2edde4e4682";
const FIRST_OF_SOURCES: &str = "80afd3abdd2dc2fdc3cc3a0dff964a1d761174e60d3d44e76d59329c63159208";

/// Returns the checksum of this program's recipe: its version and its data.
pub fn recipe_sha256() -> String {
    checksum_of(identity().iter().map(String::as_str))
}

/// Returns the recipe that a manifest names, in the words of today.
pub(crate) fn renamed(recipe_sha256: String) -> String {
    match recipe_sha256.as_str() {
        FIRST_OF_SOURCES => FIRST.to_owned(),
        _ => recipe_sha256,
    }
}

/// Returns the version and the data of this program's recipe, each list with its name.
fn identity() -> Vec<String> {
    let mut all = vec![SCHEMA.to_string(), VERSION.to_string()];
    let mut add = |name: &str, texts: &[&str]| {
        all.push(name.to_owned());
        all.push(texts.len().to_string());
        all.extend(texts.iter().map(|text| (*text).to_owned()));
    };
    add("tools", &TOOLS);
    add("packages left out", &LEFT_OUT);
    add("paths left out", &PATHS_LEFT_OUT);
    add("drivers left out", &DRIVERS_LEFT_OUT);
    add("programs checked", &PROGRAMS_CHECKED);
    add("boot modules", &BOOT_MODULES);
    add("boot", &[INITRAMFS_INIT, INIT, LVM_CONFIGURATION]);
    for file in SOURCES {
        add(file.name, &[file.text]);
    }
    for extra in Extra::ALL {
        add(extra.key(), extra.packages());
    }
    add("packages left out of databases", &LEFT_OUT_OF_DATABASES);
    add("packages kept for ZFS", &KEPT);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;

    /// The files that build guests from the data.
    const BUILDERS: [(&str, &str); 9] = [
        ("prepare", include_str!("prepare.rs")),
        ("kernel_files", include_str!("kernel_files.rs")),
        ("compiler", include_str!("compiler.rs")),
        ("tree", include_str!("tree.rs")),
        ("extra", include_str!("extra.rs")),
        ("zfs", include_str!("zfs.rs")),
        ("fio_stubs", include_str!("fio_stubs.rs")),
        ("image", include_str!("image.rs")),
        ("newc", include_str!("newc.rs")),
    ];

    /// Returns what a source says to the compiler: without comments, layout and tests.
    fn code(source: &str) -> String {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = source.lines().map(str::trim_start);
        let code = lines.filter(|line| !line.starts_with("//"));
        code.flat_map(str::chars)
            .filter(|c| !c.is_whitespace() && *c != ',')
            .collect()
    }

    #[test]
    fn a_guest_that_comes_out_differently_has_another_version() {
        let sums = BUILDERS.map(|(name, source)| {
            let sum = checksum_of([code(source).as_str()]);
            format!("{name} {}\n", &sum[..16])
        });
        let told = format!(
            "version {VERSION} of modules of ZFS {}\n{}",
            crate::zfs::VERSION,
            sums.concat()
        );
        // If this fails: does `lab prepare` build another guest now, or other modules of ZFS? Then
        // raise the version in recipe.rs, or zfs.rs. In both cases UPDATE_EXPECT=1 ends it.
        expect_test::expect![[r#"
            version 3 of modules of ZFS 1
            prepare b273c98f51c11f39
            kernel_files baaddc137d6eeeb0
            compiler d0b53dbfa52bbbbf
            tree f2ded64441d0bba1
            extra 59f45b9a4ec075dc
            zfs d4eb6058a0be39d3
            fio_stubs d05011ebd7135e42
            image 433fbb401be67643
            newc 47ff12d623ce004f
        "#]]
        .assert_eq(&told);
    }

    #[test]
    fn comments_layout_and_tests_are_not_part_of_how_guests_are_built() {
        assert_eq!(
            code("/// Old.\nfn f(a: A, b: B) {}\n#[cfg(test)]\nmod tests {}"),
            code("//! New.\n\nfn f(\n    a: A,\n    b: B,\n) {\n    // Why.\n}\n")
        );
        assert_ne!(code("fn f() { a() }"), code("fn f() { b() }"));
    }

    #[test]
    fn a_request_by_a_name_is_that_for_its_guest() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let release = "6.12.95-cloud-amd64";
        let manifest = Manifest {
            kernel_options: " --tree '/srv/my tree'".to_owned(),
            tools: Some("sid".to_owned()),
            ..Manifest::of_kernel(release)
        };
        let name = manifest.made_from().guest_name(release);
        let directory = folder.path().join("guests").join(&name);
        std::fs::create_dir_all(&directory).unwrap();
        manifest.write(&directory).unwrap();
        let request = |kernel: &str| Request {
            kernel: Some(kernel.to_owned()),
            ..Request::default()
        };
        let of = |kernel: &str| request(kernel).resolved(&cache);
        let found = of(&name).unwrap();
        assert_eq!(found.kernel.as_deref(), Some(release));
        assert_eq!(found.source.tree, Some("/srv/my tree".into()));
        assert_eq!(found.tools.as_deref(), Some("sid"));
        // Suites need no guest; paths do.
        let found = of("7.3@sid+tools-forky").unwrap();
        assert_eq!(found.kernel.as_deref(), Some("7.3"));
        assert_eq!(found.source.suite.as_deref(), Some("sid"));
        assert_eq!(found.tools.as_deref(), Some("forky"));
        let error = of("7.3@tree-x").unwrap_err().to_string();
        assert_eq!(error, "no guest is prepared with kernel 7.3@tree-x");
        assert_eq!(of("7.3").unwrap(), request("7.3"));
        let twice = Request {
            tools: Some("sid".to_owned()),
            ..request(&name)
        };
        let error = twice.resolved(&cache).unwrap_err().to_string();
        assert!(error.ends_with("and so does `--tools`"), "{error}");
    }

    #[test]
    fn a_change_of_the_data_is_another_recipe_and_guests_of_the_first_stay() {
        let recipe = recipe_sha256();
        let mut other = identity();
        other.retain(|text| text != "fio");
        assert_ne!(checksum_of(other.iter().map(String::as_str)), recipe);
        assert_eq!(renamed(FIRST_OF_SOURCES.to_owned()), FIRST);
        assert_eq!(renamed("of another".to_owned()), "of another");
        // Data that change make another recipe anyway; the version tells people.
        let is_first = VERSION == 1;
        assert_eq!(
            recipe == FIRST,
            is_first,
            "raise VERSION in recipe.rs: {recipe}"
        );
    }
}
