//! Files of hosts of which a wrong verdict was reported; `cases/NAME.txt` says what is right.
use std::path::{Path, PathBuf};

use stripewise_check::{Outcome, RuleResult, Snapshot, Stat, compare, rules, sources, tree};

use crate::english::english;

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/{case}"))
}

fn judged(facts: &Snapshot, rule: &str) -> RuleResult {
    RuleResult::of(rules::named(rule).unwrap(), facts)
}

#[test]
fn each_case_has_the_right_verdict() {
    // With what its findings name, or, of a rule that is not run, the fact.
    for (case, rule, expected, named) in [
        ("apt-cloud-mirror", "apt.no-security", Outcome::Pass, ""),
        ("apt-cloud-mirror", "apt.mixed-release", Outcome::Pass, ""),
        ("apt-jenkins", "apt.mixed-release", Outcome::Pass, ""),
        ("apt-jenkins", "apt.no-security", Outcome::Pass, ""),
        (
            "cron-directory-user",
            "cron.user-missing",
            Outcome::NotRun,
            "svc_backup",
        ),
        ("grub-d", "grub.distributor", Outcome::Fail, "`11`"),
        ("grub-proxmox", "grub.distributor", Outcome::Pass, ""),
        (
            "htaccess-ifmodule",
            "apache.access22",
            Outcome::Fail,
            "/wc-logs/.htaccess",
        ),
        ("imsm-container", "md.degraded", Outcome::Pass, ""),
        ("imsm-container", "md.no-scrub", Outcome::Pass, ""),
        ("ldap-overlay", "ldap.module", Outcome::Fail, "nssov"),
        (
            "mdstat-only",
            "md.degraded",
            Outcome::Fail,
            "md1: 1 of its members missing, [U_]",
        ),
        (
            "mdstat-only",
            "md.degraded",
            Outcome::Fail,
            "sdb2 is faulty",
        ),
        ("mdstat-only", "md.degraded", Outcome::Fail, "[UU_U]"),
        (
            "mdstat-only",
            "md.degraded",
            Outcome::Fail,
            "md3 is inactive",
        ),
        ("net-pppoe", "net.interface-gone", Outcome::Pass, ""),
        (
            "nginx-redacted",
            "nginx.php-socket",
            Outcome::Fail,
            "/run/php/php7.4-fpm.sock",
        ),
        ("pg-confd", "db.durability", Outcome::Fail, "fsync = off"),
        ("sas-smart", "smart.bad-sectors", Outcome::Fail, "57 read"),
        ("ttrss-daemon", "feeds.updater", Outcome::Pass, ""),
        (
            "zfs-resilvered",
            "zfs.state",
            Outcome::NotRun,
            "the last scrub of tank",
        ),
        ("zfs-unavail", "zfs.state", Outcome::Fail, "sda is UNAVAIL"),
    ] {
        let facts = tree::read(&folder(case)).unwrap();
        let result = judged(&facts, rule);
        assert_eq!(result.outcome, expected, "{case}: {result:?}");
        let facts = result.missing.iter().map(|missing| missing.fact.clone());
        let mut texts = result.failed.iter().map(english).chain(facts);
        assert!(
            named.is_empty() || texts.any(|text| text.contains(named)),
            "{case}: {result:?}"
        );
    }
}

/// Both syntaxes, each for the Apache that has it: nothing is wrong with that directory.
#[test]
fn a_conditional_is_no_mixture() {
    let mut facts = tree::read(&folder("htaccess-ifmodule")).unwrap();
    let result = judged(&facts, "apache.access22");
    assert_eq!(result.failed.len(), 1, "{result:?}");
    let load = "/etc/apache2/mods-enabled/access_compat.load".to_owned();
    let text = "LoadModule access_compat_module /usr/lib/apache2/modules/mod_access_compat.so\n";
    facts.files.insert(load, text.to_owned());
    let include = "IncludeOptional mods-enabled/*.load\n".to_owned();
    let main = "/etc/apache2/apache2.conf".to_owned();
    facts.files.insert(main, include);
    let result = judged(&facts, "apache.access22");
    assert_eq!(result.outcome, Outcome::Info, "{result:?}");
    assert_eq!(result.noted.len(), 1, "{result:?}");
}

#[test]
fn a_file_of_its_pool_may_be_closed_to_the_server() {
    let path = "/var/www/html/wp-config.php";
    let outcome = |mode: u32, uid: u32| {
        let mut facts = tree::read(&folder("wp-fpm-owner")).unwrap();
        let stat = Stat {
            mode,
            uid,
            gid: uid,
            size_bytes: 2,
            modified_unix_s: 1,
        };
        facts.stats.insert(path.to_owned(), stat);
        judged(&facts, "web.wp-perms").outcome
    };
    assert_eq!(outcome(0o600, 1001), Outcome::Pass);
    assert_eq!(outcome(0o600, 33), Outcome::Pass);
    assert_eq!(outcome(0o600, 1002), Outcome::Fail);
    assert_eq!(outcome(0o604, 1001), Outcome::Fail);
}

/// `fastcgi_pass` ends in `pass`: its value was taken for a secret, and no fact had changed.
#[test]
fn a_socket_that_changed_is_a_fact_that_changed() {
    let before = tree::read(&folder("nginx-redacted")).unwrap();
    let mut after = before.clone();
    let path = "/etc/nginx/sites-enabled/default";
    let text = after.files[path].replace("php7.4", "php8.2");
    after.files.insert(path.to_owned(), text);
    let compared = compare::compare(&before, &after);
    assert_eq!(compared.changes.len(), 1, "{:?}", compared.changes);
    assert!(
        compared.changes[0]
            .after
            .as_ref()
            .unwrap()
            .contains("php8.2")
    );
    // So does a secret, which is not shown.
    let mut after = before.clone();
    let mut with = |value: &str| {
        let text = format!("GRUB_CMDLINE_LINUX=\"rd.iscsi.password={value}\"\n");
        after.files.insert("/etc/default/grub".to_owned(), text);
        after.clone()
    };
    let compared = compare::compare(&with("hunter1"), &with("hunter2"));
    assert_eq!(compared.changes.len(), 1, "{:?}", compared.changes);
    assert!(!format!("{:?}", compared.changes).contains("hunter"));
}

/// Rules read what the files say; what they quote of it is shown.
#[test]
fn what_a_finding_quotes_holds_no_secret() {
    let mut facts = Snapshot {
        is_complete: true,
        ..Snapshot::default()
    };
    for (path, text) in [
        (
            "/etc/default/grub",
            "GRUB_CMDLINE_LINUX=\"netroot=iscsi:a:hunter2:b:hunter2@10.0.0.1::3260:1:iqn.x elevator=noop\"\n",
        ),
        ("/proc/cmdline", "rd.iscsi.password=hunter2 elevator=noop"),
        (
            "/etc/apache2/apache2.conf",
            "IncludeOptional mods-enabled/*.load\n<Directory /a>\nOrder deny,allow\nRequire expr \"%{HTTP:X-Key} == 'hunter2'\"\n</Directory>\n",
        ),
        (
            "/etc/apache2/mods-enabled/access_compat.load",
            "LoadModule access_compat_module /x.so\n",
        ),
        (
            "/etc/lvm/lvm.conf",
            "filter = [ \"a|/dev/sda|\" ] # password=hunter2\n",
        ),
        (
            "/etc/pve/qemu-server/1.conf",
            "ide0: a,file=rbd:p/i:id=x:key=hunter2\n",
        ),
        (
            "/etc/fstab",
            "https://a:hunter2@x/ /srv xfs nobarrier 0 0\n/dev/sda1 /mnt ext4 pass=hunter2 0 0\n",
        ),
        (
            "/etc/apt/sources.list",
            "deb https://a:hunter2@mirror.example/debian bullseye main\n",
        ),
        ("/etc/os-release", "ID=debian\nVERSION_CODENAME=bookworm\n"),
    ] {
        facts.files.insert(path.to_owned(), text.to_owned());
    }
    let report = stripewise_check::CheckReport::of(&facts);
    assert!(report.summary.fail >= 6, "{:?}", report.summary);
    let document = serde_json::to_string(&report).unwrap();
    assert!(!document.contains("hunter2"), "{document}");
}

/// sosreport has no `/sys/block/*/md` of every kernel, and these two.
#[test]
fn a_sosreport_tells_which_arrays_are_degraded() {
    let detail = "/dev/md0:\n           Version : 1.2\n             State : active, degraded \n";
    let list = "Personalities : [raid1]\nmd0 : active raid1 sda1[0]\n      9 blocks [2/1] [U_]\n";
    let output = sources::path_of("md", sources::DETAILS);
    for (path, text, expected) in [
        (output.as_str(), detail, Outcome::Fail),
        ("/proc/mdstat", list, Outcome::Fail),
        ("/proc/mdstat", "Personalities : \n", Outcome::Pass),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [("/sos_commands/x", ""), (path, text)] {
            let path = folder.path().join(path.trim_start_matches('/'));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let facts = tree::read(folder.path()).unwrap();
        let result = judged(&facts, "md.degraded");
        assert_eq!(result.outcome, expected, "{path}: {result:?}");
    }
}
