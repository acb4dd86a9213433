//! What `collect` writes, `check` reads again, from a directory and from an archive.
//!
//! The failure: a secret in a configuration file was in the archive that was sent to a vendor.
use std::path::Path;

use stripewise_check::{CheckReport, CommandResult, Outcome, Snapshot, collect, tree};
use stripewise_machine::Root;

use crate::english::english;

/// Files with secrets, each where `collect` looks.
const SECRETS: &[(&str, &str)] = &[
    (
        "etc/fstab",
        "//nas/x /mnt cifs user=a,password=hunter2 0 0\n",
    ),
    (
        "etc/nut/upsmon.conf",
        "MONITOR ups@localhost 1 mon hunter2 primary\n",
    ),
    (
        "etc/apt/sources.list",
        "deb https://a:hunter2@repo.example/debian bookworm main\n",
    ),
    (
        "etc/ldap/slapd.d/cn=config/olcDatabase={1}mdb.ldif",
        "olcDatabase: {1}mdb\nolcRootPW:: hunter2\n hunter2\n",
    ),
    (
        "etc/apache2/apache2.conf",
        "AuthLDAPBindPassword hunter2\nRequire all denied\n",
    ),
    (
        "etc/libvirt/qemu/a.xml",
        "<graphics passwd='hunter2'/>\n<driver cache='none'/>\n",
    ),
    (
        "var/www/html/wp-config.php",
        "define('DB_PASSWORD', 'hunter2');\n",
    ),
    ("etc/passwd", "root:$6$hunter2:0:0:hunter2:/:/bin/sh\n"),
    (
        "etc/default/grub",
        "GRUB_CMDLINE_LINUX=\"rd.iscsi.password=hunter2 quiet\"\n",
    ),
    (
        "etc/apache2/sites-enabled/a.conf",
        "SetEnv API hunter2 # require\nRequire all granted\n",
    ),
    (
        "etc/nginx/sites-enabled/a",
        "fastcgi_param API hunter2; # fastcgi_pass\nfastcgi_pass unix:/run/a;\n",
    ),
    (
        "etc/pve/qemu-server/1.conf",
        "#provide hunter2\ncipassword: hunter2\nscsi0: a,cache=none\n",
    ),
    (
        "etc/systemd/system/a.service",
        "Environment=API=hunter2\nExecStart=/bin/a -p hunter2\nUser=a\n",
    ),
    (
        "var/lib/postgresql/15/main/postgresql.auto.conf",
        "primary_conninfo = 'password=hunter2 application_name=fsync'\nfsync = on\n",
    ),
    // Never collected.
    ("etc/shadow", "root:$6$hunter2:1::::::\n"),
    ("etc/gshadow", "root:hunter2::\n"),
    ("etc/mysql/debian.cnf", "password = hunter2\n"),
    ("etc/grub.d/40_custom", "password_pbkdf2 root hunter2\n"),
    ("etc/samba/smb.conf", "ldap passwd = hunter2\n"),
    ("etc/samba/credentials", "password=hunter2\n"),
    ("etc/nut/upsd.users", "[a]\npassword = hunter2\n"),
    (
        "etc/iscsi/iscsid.conf",
        "node.session.auth.password = hunter2\n",
    ),
    ("etc/postfix/sasl_passwd", "a.example b:hunter2\n"),
    ("etc/apache2/.htpasswd", "a:$apr1$hunter2\n"),
    ("etc/ssh/ssh_host_ed25519_key", "hunter2\n"),
    ("etc/wireguard/wg0.conf", "PrivateKey = hunter2\n"),
    ("etc/letsencrypt/live/a/privkey.pem", "hunter2\n"),
    ("etc/dovecot/users", "a:{PLAIN}hunter2\n"),
    ("etc/cloud/cloud.cfg.d/99.cfg", "password: hunter2\n"),
    (
        "var/lib/cloud/instance/user-data.txt",
        "password: hunter2\n",
    ),
    ("root/.pgpass", "a:5432:b:c:hunter2\n"),
    ("root/.my.cnf", "password=hunter2\n"),
    ("root/.netrc", "machine a password hunter2\n"),
    ("root/.ssh/id_ed25519", "hunter2\n"),
    ("var/www/html/.env", "API=hunter2\n"),
    (
        "etc/cron.d/backup",
        "5 4 * * * root RESTIC_PASSWORD=hunter2 restic backup\n",
    ),
];

fn host(folder: &Path) -> Snapshot {
    for (path, text) in SECRETS {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut snapshot = collect::read_tree(&Root(folder.to_owned()));
    let ran = |exit, output: &str| CommandResult {
        exit,
        output: output.to_owned(),
        error: Some("no".to_owned()).filter(|_| exit != Some(0)),
    };
    snapshot
        .commands
        .insert("df -al -x autofs".to_owned(), ran(Some(0), "Filesystem\n"));
    snapshot
        .commands
        .insert("zdb -C".to_owned(), ran(Some(2), ""));
    snapshot
        .commands
        .insert("zpool status".to_owned(), ran(None, ""));
    snapshot.taken_unix_s = Some(1);
    snapshot
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let (mut files, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => pending.push(path),
                false => files.push(path),
            }
        }
    }
    files
}

#[test]
fn a_tree_is_read_as_it_was_written_and_holds_no_secret() {
    let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let snapshot = host(source.path());
    assert!(snapshot.files.len() >= 7, "{:?}", snapshot.files.keys());
    let folder = target.path().join("tree");
    tree::write_folder(&snapshot, &folder).unwrap();
    assert_eq!(tree::read(&folder).unwrap(), snapshot.redacted());
    assert!(
        tree::write_folder(&snapshot, &folder).is_err(),
        "it is not empty"
    );
    for file in files_below(&folder) {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("hunter2"), "{}: {text}", file.display());
    }
    // A file that was removed from the tree is missing, not absent.
    std::fs::remove_file(folder.join("etc/fstab")).unwrap();
    let read = tree::read(&folder).unwrap();
    assert!(read.text("/etc/fstab").is_err());
    assert_eq!(read.text("/etc/crypttab"), Ok(None));
}

#[test]
fn an_archive_is_read_as_it_was_written_and_a_damaged_one_is_refused() {
    let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut snapshot = host(source.path());
    // As long as the output of lvs(8), whose options are in its name: no archive could be made.
    let long = format!("{}é{}", "c".repeat(99), "c".repeat(99));
    for deep in [
        format!("{}/{}/.htaccess", "a".repeat(90), "b".repeat(60)),
        format!("{long}/.htaccess"),
        format!("{}/.htaccess", [&long[..]; 5].join("/")),
    ] {
        let (path, text) = (
            format!("/var/www/{deep}"),
            "Require all denied\n".to_owned(),
        );
        snapshot.files.insert(path, text);
    }
    if stripewise_process::find("zstd").is_none() {
        let must_run = std::env::var_os("STRIPEWISE_TEST_ALL").is_some();
        assert!(!must_run, "this test needs zstd: `apt-get install zstd`");
        return;
    }
    let file = target.path().join("host.tar.zst");
    std::fs::write(&file, tree::archive(&snapshot).unwrap()).unwrap();
    assert_eq!(tree::read(&file).unwrap(), snapshot.redacted());
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert!(tree::read(&file).is_err());
}

#[test]
fn a_sosreport_does_not_say_what_is_absent() {
    let folder = tempfile::tempdir().unwrap();
    host(folder.path());
    let output = folder.path().join("sos_commands/filesys");
    std::fs::create_dir_all(&output).unwrap();
    let full =
        "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 1000 950 50 95% /srv\n";
    std::fs::write(output.join("df_-al_-x_autofs"), full).unwrap();
    let facts = tree::read(folder.path()).unwrap();
    let report = CheckReport::of(&facts);
    let of = |id: &str| {
        report
            .results
            .iter()
            .find(|result| result.id == id)
            .unwrap()
    };
    let full = &of("fs.full").failed;
    assert_eq!(english(&full[0]), "/srv: 95 % of its space used");
    assert_eq!(of("lvm.conf-stale").outcome.as_str(), "not run");
}

/// Parts of what sosreport 4.0 wrote on a host without arrays: its manifest tells what is absent.
#[test]
fn a_real_sosreport_judges_what_it_has_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sosreport");
    let report = CheckReport::of(&tree::read(&folder).unwrap());
    let with = |outcome: Outcome| -> Vec<&str> {
        let results = report.results.iter();
        let found = results.filter(|result| result.outcome == outcome);
        found.map(|result| result.id).collect()
    };
    assert!(with(Outcome::Fail).is_empty(), "{:?}", with(Outcome::Fail));
    let passed = with(Outcome::Pass);
    for id in [
        "md.degraded",         // the listing of /sys/block has no md device
        "lvm.thin-full",       // and no dm device
        "blk.scheduler",       // the disk is a link to a directory below /sys/devices
        "mnt.nobarrier",       // /proc/mounts is a link
        "fs.full",             // the output of df
        "apt.no-security",     // sources.list is absent, as all of /etc/apt was copied
        "cpu.governor",        // so was /sys/devices/system/cpu
        "mnt.nobarrier-stale", // /etc/fstab
    ] {
        assert!(passed.contains(&id), "{id}: {passed:?}");
    }
    let not_run = with(Outcome::NotRun);
    for id in [
        "zfs.state",
        "fs.ext4-errors",
        "boot.space",
        "cron.user-missing",
    ] {
        assert!(not_run.contains(&id), "{id}: {not_run:?}");
    }
    // The manifest has the exit code, so the error that is its output is no list of units.
    let facts = tree::read(&folder).unwrap();
    let units = facts.command("systemctl list-units").unwrap_err();
    assert!(units.why.starts_with("exit code 1: "), "{units:?}");
    // Nobody listed /sys/class/net, and an unpacked report does not have the owners of files.
    assert!(facts.glob("/sys/class/net/*").is_err());
    assert!(facts.stats.is_empty());
}

#[test]
fn a_planted_upgrade_shows_its_changes_and_the_rules_that_turned() {
    let folder = tempfile::tempdir().unwrap();
    let before = host(folder.path());
    let mut after = before.clone();
    for (path, text) in [
        ("/etc/fstab", "UUID=1 /srv xfs nobarrier 0 0\n"),
        ("/etc/default/grub", "GRUB_DISTRIBUTOR=\"Debian 11\"\n"),
        (
            "/etc/os-release",
            "ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n",
        ),
        (
            "/etc/apt/sources.list",
            "deb http://deb.debian.org/debian bullseye main\n",
        ),
        ("/etc/apache2/sites-enabled/a.conf", "Order deny,allow\n"),
        (
            "/etc/apache2/mods-enabled/php7.4.load",
            "LoadModule a /usr/lib/apache2/modules/libphp7.4.so\n",
        ),
        ("/etc/postgresql/13/main/postgresql.conf", "fsync = off\n"),
        ("/etc/lvm/lvm.conf", "global { use_lvmetad = 1 }\n"),
        ("/etc/cron.d/backup", "5 4 * * * gone /bin/true\n"),
        ("/etc/passwd", "root:x:0:0::/root:/bin/sh\n"),
    ] {
        after.files.insert(path.to_owned(), text.to_owned());
    }
    after.missing.remove("/usr");
    let compared = stripewise_check::compare::compare(&before, &after);
    assert_eq!(compared.changes.len(), 10, "{:#?}", compared.changes);
    let turned: Vec<&str> = compared.turned.iter().map(|turned| turned.id).collect();
    for id in [
        "mnt.nobarrier-stale",
        "grub.distributor",
        "apt.mixed-release",
        "apache.access22",
        "apache.module-gone",
        "pg.no-binaries",
        "db.durability",
        "lvm.conf-stale",
        "cron.user-missing",
    ] {
        assert!(turned.contains(&id), "{id}: {turned:?}");
    }
    let same = stripewise_check::compare::compare(&after, &after);
    assert!(same.changes.is_empty() && same.turned.is_empty());
}
