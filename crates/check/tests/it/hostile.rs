//! Trees and archives built to hang, to fill the memory, or to lead out of them.
//!
//! The failure: `check --root` of a pipe waited for ever, and read a sparse file of 20 GB whole.
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode};
use stripewise_check::{CheckReport, CommandResult, Snapshot, compare, tree};

const SPARSE_BYTES: u64 = 20 << 30;

fn pipe(path: &Path) {
    let mode = Mode::RUSR | Mode::WUSR;
    rustix::fs::mknodat(CWD, path, FileType::Fifo, mode, 0).unwrap();
}

fn sparse(path: &Path) {
    File::create(path).unwrap().set_len(SPARSE_BYTES).unwrap();
}

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns an error with its reasons.
fn refusal(path: &Path) -> String {
    let error: &dyn std::error::Error = &tree::read(path).unwrap_err();
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(|error| format!("{error}: ")).collect()
}

#[test]
fn an_archive_that_is_no_regular_file_or_too_long_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    pipe(&path("pipe.tar.zst"));
    sparse(&path("sparse.tar.zst"));
    fs::create_dir(path("folder.tar.zst")).unwrap();
    symlink("/dev/zero", path("device.tar.zst")).unwrap();
    symlink("loop.tar.zst", path("loop.tar.zst")).unwrap();
    let _socket = UnixListener::bind(path("socket.tar.zst")).unwrap();
    for (name, expected) in [
        ("pipe", "it is not a regular file"),
        ("sparse", "it is longer than 256 MiB"),
        ("folder", "it is not a regular file"),
        ("device", "it is not a regular file"),
        ("socket", "it is not a regular file"),
        ("loop", "symbolic link"),
    ] {
        let why = refusal(&path(&format!("{name}.tar.zst")));
        assert!(why.contains(expected), "{name}: {why}");
    }
    pipe(&path("pipe"));
    assert!(refusal(&path("pipe")).contains("Not a directory"));
}

#[test]
fn what_a_tree_holds_instead_of_files_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    put(
        folder.path(),
        "etc/nut/upsmon.conf",
        "MONITOR a@b 1 c d e\n",
    );
    put(folder.path(), "proc/7/comm", "qemu-system\n");
    put(folder.path(), "var/x", "");
    pipe(&path("etc/fstab"));
    sparse(&path("etc/crypttab"));
    let _socket = UnixListener::bind(path("etc/smartd.conf")).unwrap();
    symlink("mdadm.conf", path("etc/mdadm.conf")).unwrap();
    pipe(&path("proc/7/cmdline"));
    pipe(&path("proc/mounts"));
    fs::write(path("etc").join(OsStr::from_bytes(b"a\xff\n")), "").unwrap();
    let facts = tree::read(folder.path()).unwrap();
    for (fact, expected) in [
        ("/etc/fstab", "not a regular file"),
        ("/etc/crypttab", "longer than 4096 KiB"),
        ("/etc/smartd.conf", "not a regular file"),
        ("/etc/mdadm.conf", "symbolic link"),
        ("/proc/7/cmdline", "not a regular file"),
        ("/proc/mounts", "not a regular file"),
    ] {
        let why = &facts.text(fact).unwrap_err().why;
        assert!(why.contains(expected), "{fact}: {why}");
    }
    let compared = compare::compare(&facts, &facts);
    assert!(compared.changes.is_empty());
    assert!(CheckReport::of(&facts).summary.not_run > 0);
}

#[test]
fn no_link_and_no_list_leads_out_of_a_tree() {
    let outside = tempfile::tempdir().unwrap();
    put(outside.path(), "secret", "outside cache\n");
    put(outside.path(), "folder/a.conf", "fastcgi_pass outside\n");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let secret = outside.path().join("secret");
    put(folder.path(), "etc/nginx/nginx.conf", "");
    put(folder.path(), "proc/7/comm", "qemu-system\n");
    symlink(&secret, path("etc/fstab")).unwrap();
    symlink(&secret, path("proc/7/cmdline")).unwrap();
    symlink(outside.path().join("folder"), path("etc/nginx/conf.d")).unwrap();
    let up = format!("{}{}", "../".repeat(20), secret.display());
    symlink(&up, path("etc/crypttab")).unwrap();
    // A link of `/proc` needs no path.
    let held = File::open(&secret).unwrap();
    let held = std::os::fd::AsRawFd::as_raw_fd(&held);
    symlink(
        format!("/proc/{}/fd/{held}", std::process::id()),
        path("etc/smartd.conf"),
    )
    .unwrap();
    let facts = tree::read(folder.path()).unwrap();
    let read = format!("{:?}{:?}", facts.files, facts.stats);
    assert!(!read.contains("outside"), "{read}");

    let list = |files: &[&str]| {
        let command = serde_json::json!({ "file": up, "exit": 0, "error": null });
        let list = serde_json::json!({
            "schema": 1, "taken_unix_s": null, "missing": {}, "stats": {},
            "files": files, "commands": { "zdb -C": command },
        });
        put(folder.path(), "stripewise-collect.json", &list.to_string());
        tree::read(folder.path()).unwrap()
    };
    let secret = secret.to_str().unwrap();
    let facts = list(&[
        secret,
        &up,
        "/etc/fstab",
        "etc/crypttab",
        "/proc/self/root/etc/passwd",
    ]);
    assert!(facts.files.is_empty(), "{:?}", facts.files);
    // A command whose output is gone printed we do not know what.
    let ran = &facts.commands["zdb -C"];
    assert_eq!((ran.exit, ran.output.as_str()), (None, ""));
    assert!(ran.error.as_ref().unwrap().contains("was removed"));
}

#[test]
fn a_list_that_cannot_be_read_is_not_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("stripewise-collect.json");
    put(folder.path(), "etc/fstab", "");
    pipe(&list);
    assert!(refusal(folder.path()).contains("not a regular file"));
    fs::remove_file(&list).unwrap();
    sparse(&list);
    assert!(refusal(folder.path()).contains("longer than 4096 KiB"));
    fs::remove_file(&list).unwrap();
    symlink("/nowhere", &list).unwrap();
    assert!(tree::read(folder.path()).is_ok());
    fs::remove_file(&list).unwrap();
    fs::write(&list, "{").unwrap();
    assert!(refusal(folder.path()).contains("not a list"));
}

#[test]
fn without_its_manifest_a_sosreport_tells_no_outputs() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "sos_commands/zfs/zpool_status", "no pools\n");
    put(
        folder.path(),
        "sos_reports/manifest.json",
        "{\"components\":",
    );
    let facts: Snapshot = tree::read(folder.path()).unwrap();
    assert!(facts.commands.is_empty());
    assert!(facts.missing["/sos_reports/manifest.json"].contains("EOF"));
    fs::remove_file(folder.path().join("sos_reports/manifest.json")).unwrap();
    pipe(&folder.path().join("sos_commands/zfs/zdb_-C"));
    let facts = tree::read(folder.path()).unwrap();
    assert!(facts.command("zpool status").is_ok());
    let ran: &CommandResult = &facts.commands["zdb -C"];
    assert_eq!(ran.exit, None);
}

#[test]
fn deep_and_wide_folders_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut deep = folder.path().join("var/www");
    for _ in 0..200 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).unwrap();
    symlink("..", folder.path().join("var/www/up")).unwrap();
    let wide = folder.path().join("etc/cron.d");
    fs::create_dir_all(&wide).unwrap();
    for number in 0..3000 {
        File::create(wide.join(number.to_string())).unwrap();
    }
    let facts = tree::read(folder.path()).unwrap();
    assert_eq!(facts.glob("/etc/cron.d/*").unwrap().len(), 3000);
}
