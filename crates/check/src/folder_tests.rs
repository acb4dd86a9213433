//! What root writes for `collect` while another user changes the directories around it.
//!
//! The failure: root collected into `/tmp/facts`. Another user put a link into the tree while it was
//! written, and a file of root was overwritten at the first try.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Gid, Uid};

use super::*;

/// A user who is not root: `nobody` on most systems.
const ANOTHER: u32 = 65534;

fn files(paths: &[&str]) -> BTreeMap<String, String> {
    let text = "facts\n".to_owned();
    paths
        .iter()
        .map(|path| ((*path).to_owned(), text.clone()))
        .collect()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("SKIPPED: a race with another user: only root can be attacked");
    }
    is_root
}

#[test]
fn a_tree_is_closed_to_other_users() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("new/tree");
    write(files(&["/etc/fstab", "/etc/lvm/lvm.conf"]).iter(), &to).unwrap();
    for (path, bits) in [
        ("", 0o700),
        ("etc", 0o700),
        ("etc/lvm", 0o700),
        ("etc/fstab", 0o600),
    ] {
        assert_eq!(mode(&to.join(path)), bits, "{path}");
    }
    assert_eq!(mode(&folder.path().join("new")), 0o700);
    let again = write(files(&["/etc/fstab"]).iter(), &to).unwrap_err();
    assert!(matches!(again, FolderError::NotEmpty { .. }), "{again}");
}

#[test]
fn a_failed_tree_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let [new, empty] = ["new", "empty"].map(|name| folder.path().join(name));
    fs::create_dir(&empty).unwrap();
    for to in [&new, &empty] {
        // A file cannot hold another one.
        let wrong = files(&["/etc/a/b/c", "/etc/fstab", "/etc/fstab/x"]);
        let error = write(wrong.iter(), to).unwrap_err();
        assert!(error.to_string().contains("etc/fstab/x"), "{error}");
        let outside = write(files(&["/etc/../../x"]).iter(), to);
        assert!(outside.is_err() && !folder.path().join("x").exists());
    }
    assert!(!new.exists());
    assert_eq!(fs::read_dir(&empty).unwrap().count(), 0);
}

#[test]
fn root_writes_no_tree_where_another_user_could_redirect_it() {
    if !is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    std::os::unix::fs::chown(&theirs, Some(ANOTHER), None).unwrap();
    let error = write(files(&["/etc/fstab"]).iter(), &theirs.join("tree")).unwrap_err();
    assert!(
        error.to_string().contains("belongs to user 65534"),
        "{error}"
    );
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0);
}

/// What another user tries, over and over, until `is_done`.
fn attack(to: &Path, secrets: &Path, is_done: &AtomicBool) {
    rustix::thread::set_thread_groups(&[]).unwrap();
    let (user, group) = (Uid::from_raw(ANOTHER), Gid::from_raw(ANOTHER));
    rustix::thread::set_thread_res_gid(group, group, group).unwrap();
    rustix::thread::set_thread_res_uid(user, user, user).unwrap();
    while !is_done.load(Ordering::SeqCst) {
        // An empty directory of their own under the name, then a link in it.
        let _ = fs::create_dir(to);
        std::thread::yield_now();
        let _ = symlink(secrets, to.join("etc"));
        std::thread::yield_now();
        let _ = fs::remove_file(to.join("etc"));
        let _ = fs::remove_dir(to);
        let _ = symlink(secrets, to);
        let _ = fs::remove_file(to);
    }
}

/// Writes `count` trees while another user attacks; returns how many were written and how often a
/// file of root was overwritten.
fn race(count: u32, write_tree: impl Fn(&Path) -> bool) -> (u32, u32) {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o1777)).unwrap();
    let (to, secrets) = (folder.path().join("tree"), tempfile::tempdir().unwrap());
    fs::set_permissions(secrets.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let secret = secrets.path().join("fstab");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| attack(&to, secrets.path(), &is_done));
        let (mut written, mut lost) = (0, 0);
        for _ in 0..count {
            fs::write(&secret, "precious").unwrap();
            written += u32::from(write_tree(&to));
            lost += u32::from(fs::read_to_string(&secret).unwrap() != "precious");
            if fs::symlink_metadata(&to).is_ok_and(|there| there.uid() == 0) {
                fs::remove_dir_all(&to).unwrap();
            }
        }
        is_done.store(true, Ordering::SeqCst);
        (written, lost)
    })
}

#[test]
fn another_user_cannot_redirect_a_tree_of_root() {
    if !is_root() {
        return;
    }
    let many = std::env::var("STRIPEWISE_TEST_RACES").ok();
    let count = many.map_or(2000, |many| many.parse().unwrap());
    let facts = files(&["/etc/fstab", "/etc/passwd"]);
    let (written, lost) = race(count, |to| write(facts.iter(), to).is_ok());
    assert_eq!(lost, 0, "of {count}");
    assert!(written > 0, "the attack must leave some trees alone");
    // As it was: paths instead of descriptors.
    let by_path = |to: &Path| {
        let made = fs::create_dir_all(to).is_ok()
            && fs::read_dir(to).is_ok_and(|mut names| names.next().is_none());
        // As long as a slow disk takes, so that the attack need not be lucky.
        std::thread::sleep(std::time::Duration::from_millis(1));
        let mut files = facts.iter().filter(|_| made);
        files.all(|(path, text)| {
            let path = to.join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).is_ok() && fs::write(&path, text).is_ok()
        }) && made
    };
    let mut rounds = (1..=1000).map(|round| (round * 50, race(50, by_path).1));
    let control = rounds.find(|(_, lost)| *lost > 0);
    println!("{count} attempts: {written} written, 0 lost; by path (attempts, lost): {control:?}");
    assert!(control.is_some(), "the attack must win against paths");
}
