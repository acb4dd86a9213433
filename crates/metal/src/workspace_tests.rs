//! The failures:
//! - Between two starts of fio another user renamed the workspace, and put a directory of the same
//!   name in its place, with a link to a file of root's. fio wrote through it.
//! - `restore` removed files that the run had not made, because their names ended in `.dat`.
//! - `restore` forgot a workspace whose filesystem was not mounted.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use stripewise_machine::Root;
use stripewise_study::world::{Change, MountedFilesystem};

use super::*;
use crate::removal::{self, Noted};
use crate::undone::Undone;

#[path = "workspace_race_tests.rs"]
mod race;

use stripewise_fixtures::Remembered;

const FILE: &str = "1M-incompressible-0.dat";

fn file(bytes: u64) -> NewFile {
    NewFile {
        name: FILE.to_owned(),
        kind: NewKind::File { bytes },
    }
}

/// Makes a workspace with one file in `target`.
fn workspace(target: &Path, journal: &mut Remembered) -> Workspace {
    let mut workspace = Workspace::create(target, journal).unwrap();
    workspace.make(&[file(4096)], journal).unwrap();
    workspace
}

/// Undoes a change as `restore` does.
fn undo(change: &Change) -> Undone {
    let Change::CreatedDirectory {
        path,
        parent,
        inode,
        files,
    } = change
    else {
        panic!("{change:?}");
    };
    let noted = Noted {
        path,
        parent,
        inode: inode.as_ref(),
        files,
    };
    removal::undo(&Root::live(), &noted).unwrap()
}

fn kept(change: &Change) -> String {
    match undo(change) {
        Undone::Kept { why } => format!("{why:?}"),
        undone => panic!("{undone:?}"),
    }
}

fn untouched(change: &Change) -> String {
    match undo(change) {
        Undone::Untouched { why } => format!("{why:?}"),
        undone => panic!("{undone:?}"),
    }
}

/// Writes to the test file as fio does: by its name, in its start directory.
fn write_in(directory: &Path) -> io::Result<()> {
    let script = format!("printf overwritten > {FILE}");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script]).current_dir(directory);
    command.output().map(drop)
}

/// Puts another directory in the place of a workspace, with a link in place of the file.
fn swap(workspace: &Path, moved: &Path, link_to: &Path) {
    fs::rename(workspace, moved).unwrap();
    fs::create_dir(workspace).unwrap();
    symlink(link_to, workspace.join(FILE)).unwrap();
}

#[test]
fn removing_a_workspace_removes_its_files_and_its_journal_entry() {
    let target = tempfile::tempdir().unwrap();
    let mut journal = Remembered::default();
    let workspace = workspace(target.path(), &mut journal);
    workspace.verify().unwrap();
    assert_eq!(journal.0.len(), 1, "{:?}", journal.0);
    assert_eq!(
        fs::metadata(workspace.path().join(FILE)).unwrap().len(),
        4096
    );
    workspace.remove(&mut journal).unwrap();
    assert_eq!(journal.0, []);
    assert_eq!(fs::read_dir(target.path()).unwrap().count(), 0);
}

#[test]
fn a_program_works_in_the_workspace_even_if_another_directory_has_its_name() {
    let target = tempfile::tempdir().unwrap();
    let secret = target.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let mut journal = Remembered::default();
    let workspace = workspace(target.path(), &mut journal);
    let moved = target.path().join("moved");
    swap(workspace.path(), &moved, &secret);
    let error = workspace.verify().unwrap_err();
    assert!(error.to_string().contains("was renamed or replaced"));
    write_in(&workspace.held_path()).unwrap();
    assert_eq!(fs::read_to_string(moved.join(FILE)).unwrap(), "overwritten");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    // The attack works through the path: this test can fail.
    write_in(workspace.path()).unwrap();
    assert_eq!(fs::read_to_string(&secret).unwrap(), "overwritten");
    // Our files are removed wherever the directory is; the attacker's directory stays.
    workspace.remove(&mut journal).unwrap();
    assert!(!moved.exists());
    assert!(workspace.path().join(FILE).is_symlink() && secret.exists());
}

#[test]
fn a_replaced_file_is_reported_and_not_removed() {
    let target = tempfile::tempdir().unwrap();
    let mut journal = Remembered::default();
    let workspace = workspace(target.path(), &mut journal);
    let path = workspace.path().join(FILE);
    // A deleted and recreated file may well have the same inode number.
    fs::remove_file(&path).unwrap();
    fs::write(&path, "a customer's").unwrap();
    let error = workspace.verify().unwrap_err();
    assert!(error.to_string().contains("was removed or replaced"));
    let error = workspace.remove(&mut journal).unwrap_err();
    assert!(error.to_string().contains(FILE), "{error}");
    drop(workspace);
    assert!(kept(&journal.0[0]).contains(FILE));
    assert_eq!(fs::read_to_string(path).unwrap(), "a customer's");
}

#[test]
fn foreign_files_are_kept_and_named() {
    let target = tempfile::tempdir().unwrap();
    let mut journal = Remembered::default();
    let workspace = workspace(target.path(), &mut journal);
    let path = workspace.path().to_owned();
    for name in ["notes.json", "customers.dat"] {
        fs::write(path.join(name), "x").unwrap();
    }
    let error = workspace.remove(&mut journal).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("holds `customers.dat`, `notes.json`")
    );
    drop(workspace);
    assert!(!path.join(FILE).exists(), "ours is removed");
    let change = journal.0[0].clone();
    assert!(kept(&change).contains("`customers.dat`, `notes.json`"));
    for name in ["notes.json", "customers.dat"] {
        fs::rename(path.join(name), target.path().join(name)).unwrap();
    }
    assert_eq!(undo(&change), Undone::Done);
    assert_eq!(undo(&change), Undone::Already);
    assert_eq!(fs::read_dir(target.path()).unwrap().count(), 2);
}

#[test]
fn a_run_killed_at_any_step_of_creating_a_workspace_is_undone() {
    let target = tempfile::tempdir().unwrap();
    let mut journal = Remembered::default();
    let made = workspace(target.path(), &mut journal);
    let Change::CreatedDirectory {
        path,
        parent,
        inode,
        files,
    } = journal.0[0].clone()
    else {
        panic!("it is a directory");
    };
    drop(made);
    let announced = |inode, files| Change::CreatedDirectory {
        path: path.clone(),
        parent: parent.clone(),
        inode,
        files,
    };
    let named: Vec<CreatedFile> = files
        .iter()
        .map(|file| CreatedFile {
            inode: None,
            ..file.clone()
        })
        .collect();
    // The file has its size, so its identity was recorded before.
    let why = kept(&announced(inode, named.clone()));
    assert!(why.contains(FILE), "{why}");
    fs::File::create(path.join(FILE)).unwrap();
    // Created but without a recorded identity: removed only if it is empty.
    assert!(kept(&announced(None, Vec::new())).contains(FILE));
    assert_eq!(undo(&announced(inode, named)), Undone::Done);
    fs::create_dir(&path).unwrap();
    assert_eq!(undo(&announced(None, Vec::new())), Undone::Done);
    assert_eq!(undo(&announced(None, Vec::new())), Undone::Already);
}

#[test]
fn a_renamed_workspace_is_found_and_one_with_its_old_name_is_untouched() {
    let target = tempfile::tempdir().unwrap();
    let mut journal = Remembered::default();
    let path = workspace(target.path(), &mut journal).path().to_owned();
    let change = journal.0[0].clone();
    let moved = target.path().join("renamed");
    fs::rename(&path, &moved).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join(FILE), "another").unwrap();
    assert_eq!(undo(&change), Undone::Done);
    assert!(!moved.exists() && path.join(FILE).exists());
    assert!(untouched(&change).contains("restore-why-other-directory"));
    fs::remove_dir_all(&path).unwrap();
    symlink(target.path(), &path).unwrap();
    assert!(untouched(&change).contains("restore-why-other-directory"));
}

#[test]
fn a_replaced_parent_directory_is_named_and_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let (target, aside) = (folder.path().join("target"), folder.path().join("aside"));
    fs::create_dir(&target).unwrap();
    let mut journal = Remembered::default();
    let name = {
        let made = workspace(&target, &mut journal);
        made.path().file_name().unwrap().to_owned()
    };
    let change = journal.0[0].clone();
    fs::rename(&target, &aside).unwrap();
    assert!(kept(&change).contains("restore-why-parent-replaced"));
    // A link to another place, where a directory has the same name.
    let other = folder.path().join("other");
    fs::create_dir_all(other.join(&name)).unwrap();
    fs::write(other.join(&name).join(FILE), "another").unwrap();
    symlink(&other, &target).unwrap();
    assert!(kept(&change).contains("restore-why-parent-replaced"));
    assert!(other.join(&name).join(FILE).exists() && aside.join(&name).join(FILE).exists());
    // A link to its present place.
    fs::remove_file(&target).unwrap();
    symlink(&aside, &target).unwrap();
    assert_eq!(undo(&change), Undone::Done);
    assert_eq!(fs::read_dir(&aside).unwrap().count(), 0);
}

#[test]
fn an_unmounted_filesystem_is_named_with_its_mount_point() {
    let target = tempfile::tempdir().unwrap();
    let mut journal = Remembered::default();
    let path = workspace(target.path(), &mut journal).path().to_owned();
    let mut change = journal.0[0].clone();
    let Change::CreatedDirectory { parent, .. } = &mut change else {
        panic!("it is a directory");
    };
    let on = |kind: &str| {
        Some(MountedFilesystem {
            kind: kind.to_owned(),
            source: "/dev/sdz1".to_owned(),
            uuid: Some("1234-5678".to_owned()),
            device: (4095, 4095),
            mount_point: "/srv".into(),
            directory: "/data".into(),
        })
    };
    parent.inode.number ^= 1;
    parent.filesystem = on("ext4");
    let expected =
        "restore-why-not-mounted-uuid(kind: ext4, place: /srv, source: /dev/sdz1, uuid: 1234-5678)";
    assert_eq!(kept(&change), expected);
    // An in-memory filesystem is lost with its files.
    if let Change::CreatedDirectory { parent, .. } = &mut change {
        parent.filesystem = on("tmpfs");
    }
    assert_eq!(undo(&change), Undone::Already);
    assert!(path.join(FILE).exists());
}

#[test]
fn a_forged_journal_reaches_no_other_directory_or_file() {
    let target = tempfile::tempdir().unwrap();
    let mut journal = Remembered::default();
    let path = workspace(target.path(), &mut journal).path().to_owned();
    let precious = target.path().join("precious.dat");
    fs::write(&precious, "x").unwrap();
    let inode = Entry::at(rustix::fs::CWD, &precious).unwrap().inode;
    let Change::CreatedDirectory {
        parent, inode: own, ..
    } = journal.0[0].clone()
    else {
        panic!("it is a directory");
    };
    for name in ["../precious.dat", precious.to_str().unwrap(), "..", ""] {
        let forged = Change::CreatedDirectory {
            path: path.clone(),
            parent: parent.clone(),
            inode: own,
            files: vec![CreatedFile {
                name: name.to_owned(),
                inode: Some(inode),
            }],
        };
        assert!(untouched(&forged).contains("restore-why-never-"));
    }
    assert!(untouched(&Change::directory(target.path())).contains("restore-why-never-"));
    // Its parent does not exist, so we search nothing.
    assert!(kept(&Change::directory(&path)).contains("restore-why-parent-replaced"));
    assert!(path.join(FILE).exists());
    assert!(precious.exists());
}

#[test]
fn links_are_created_and_removed_as_links() {
    let target = tempfile::tempdir().unwrap();
    let device = target.path().join("device");
    fs::write(&device, "x").unwrap();
    let mut journal = Remembered::default();
    let mut workspace = Workspace::create(target.path(), &mut journal).unwrap();
    let link = NewFile {
        name: FILE.to_owned(),
        kind: NewKind::Link {
            target: device.clone(),
        },
    };
    for _ in 0..2 {
        workspace
            .make(std::slice::from_ref(&link), &mut journal)
            .unwrap();
        workspace.verify().unwrap();
    }
    let path = workspace.path().join(FILE);
    assert_eq!(fs::read_link(&path).unwrap(), device);
    workspace
        .remove_files(&[FILE.to_owned()], &mut journal)
        .unwrap();
    assert!(!path.is_symlink() && device.exists());
    workspace.remove(&mut journal).unwrap();
    assert_eq!(journal.0, []);
}
