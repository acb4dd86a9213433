//! Files that commands write, next to files, links and permissions of other users.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use rustix::fs::{CWD, Mode, mkfifoat};

fn is_ours(head: &[u8]) -> bool {
    head.starts_with(b"ours")
}

fn replace(path: &Path, content: &[u8], mark: impl Fn(&[u8]) -> bool) -> Result<()> {
    let mark = |old: &Existing<'_>| mark(&old.head);
    OutputFile::new(path, Replaces::marked(&mark)).write_bytes(content)
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path)
        .unwrap()
        .permissions()
        .mode()
        & 0o7777
}

/// Returns how many names a folder has: a leftover temporary file would be one more.
fn name_count(folder: &tempfile::TempDir) -> usize {
    std::fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn our_own_file_is_replaced_and_another_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    replace(&path, b"ours 1", is_ours).unwrap();
    replace(&path, b"ours 2", is_ours).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"ours 2");
    std::fs::write(&path, b"theirs").unwrap();
    let failure = replace(&path, b"ours 3", is_ours).unwrap_err();
    assert!(failure.message().contains("already exists"));
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    assert_eq!(name_count(&folder), 1);
}

#[test]
fn a_file_without_a_mark_is_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let write = |replace| OutputFile::new(&path, Replaces::only_with(replace)).write_bytes(b"new");
    write(false).unwrap();
    std::fs::write(&path, b"theirs").unwrap();
    let failure = write(false).unwrap_err();
    assert!(failure.render().contains("`--replace`"));
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    write(true).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
}

#[test]
fn an_input_is_never_replaced_under_any_of_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let [input, hard, soft] = ["input", "hard", "soft"].map(|name| folder.path().join(name));
    std::fs::write(&input, b"precious").unwrap();
    std::fs::hard_link(&input, &hard).unwrap();
    symlink(&input, &soft).unwrap();
    // Opened before, or only while the output is written.
    for is_open in [false, true] {
        if is_open {
            drop(inputs::open(&input).unwrap());
        }
        for path in [&input, &hard, &soft] {
            let output = OutputFile::new(path, Replaces::only_with(true));
            let failure = output.write(|mut file| {
                io::copy(&mut inputs::open(&input)?, &mut file)?;
                file.write_all(b", and more")
            });
            let message = failure.unwrap_err().message();
            assert!(
                message.ends_with("is an input of this command"),
                "{message}"
            );
        }
    }
    assert_eq!(std::fs::read(&input).unwrap(), b"precious");
    assert_eq!(name_count(&folder), 3);
}

#[test]
fn two_outputs_of_one_command_have_two_names() {
    let folder = tempfile::tempdir().unwrap();
    let [one, link] = ["one", "link"].map(|name| folder.path().join(name));
    let again = folder.path().join(".").join("one");
    let check = |paths: [&Path; 2]| {
        let outputs = paths.map(|path| OutputFile::new(path, Replaces::only_with(true)));
        OutputFile::check_all(&outputs).map_err(|failure| failure.message())
    };
    check([&one, &link]).unwrap();
    assert!(
        check([&one, &again])
            .unwrap_err()
            .contains("for two outputs")
    );
    std::fs::write(&one, b"").unwrap();
    symlink("one", &link).unwrap();
    assert!(
        check([&one, &link])
            .unwrap_err()
            .contains("for two outputs")
    );
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("file");
    let failure = replace(&path, b"ours", is_ours).unwrap_err();
    assert!(failure.message().contains("failed to write"));
    assert_eq!(name_count(&folder), 0);
}

#[test]
fn a_file_has_no_name_until_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let directory = open_directory(CWD, folder.path()).unwrap();
    let mut temporary = Temporary::create(directory, 0o666).unwrap();
    temporary.file.write_all(b"half").unwrap();
    if temporary.name.is_some() {
        // This filesystem lacks `O_TMPFILE`.
        return;
    }
    // A crash at this point leaves nothing behind.
    assert_eq!(name_count(&folder), 0);
    temporary.rename_to_free(OsStr::new("whole")).unwrap();
    assert_eq!(name_count(&folder), 1);
    assert_eq!(std::fs::read(folder.path().join("whole")).unwrap(), b"half");
}

#[test]
fn a_file_with_a_temporary_name_gets_its_final_one_or_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str| Temporary {
        directory: open_directory(CWD, folder.path()).unwrap(),
        name: Some(name.to_owned()),
        file: File::create(folder.path().join(name)).unwrap(),
        _removing: None,
    };
    named("a").rename_to_free(OsStr::new("whole")).unwrap();
    named("b").rename_over(OsStr::new("whole")).unwrap();
    assert!(named("c").rename_to_free(OsStr::new("whole")).is_err());
    assert!(named("d").rename_over(OsStr::new("no/where")).is_err());
    drop(named("e"));
    assert_eq!(name_count(&folder), 1);
}

#[test]
fn a_replaced_file_keeps_its_permissions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for (before, after) in [
        (0o600, 0o600),
        (0o640, 0o640),
        (0o666, 0o666),
        (0o4755, 0o755),
    ] {
        std::fs::write(&path, b"ours").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(before)).unwrap();
        replace(&path, b"ours 2", is_ours).unwrap();
        assert_eq!(mode(&path), after);
    }
}

#[test]
fn pipes_and_directories_neither_block_nor_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [pipe, link] = ["pipe", "link"].map(|name| folder.path().join(name));
    mkfifoat(CWD, &pipe, Mode::RUSR).unwrap();
    symlink(&pipe, &link).unwrap();
    for path in [&pipe, &link, folder.path()] {
        let failure = replace(path, b"ours", |_| true).unwrap_err();
        let message = format!("`{}` is not a regular file", path.display());
        assert_eq!(failure.message(), message);
    }
    assert_eq!(name_count(&folder), 2);
}

#[test]
fn a_symlink_stays_and_its_target_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("file"), b"ours").unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    symlink("inner/file", &second).unwrap();
    symlink("second", &first).unwrap();
    replace(&first, b"ours 2", is_ours).unwrap();
    assert!(first.is_symlink() && second.is_symlink());
    assert!(!inner.join("file").is_symlink());
    assert_eq!(std::fs::read(inner.join("file")).unwrap(), b"ours 2");
    // No temporary file is left in either folder.
    assert_eq!(
        (name_count(&folder), inner.read_dir().unwrap().count()),
        (3, 1)
    );
}

#[test]
fn a_dangling_symlink_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    symlink("gone", &link).unwrap();
    let failure = replace(&link, b"ours", |_| true).unwrap_err();
    let message = format!(
        "`{}` is a dangling symbolic link (to `gone`)",
        link.display()
    );
    assert_eq!(failure.message(), message);
    assert_eq!(name_count(&folder), 1);
}

#[test]
fn a_set_of_files_gets_its_names_or_every_old_file_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["old", "new", "older", "taken"].map(|name| folder.path().join(name));
    for (path, ours) in [(&paths[0], "ours 1"), (&paths[2], "ours 2")] {
        std::fs::write(path, ours).unwrap();
        std::fs::set_permissions(path, Permissions::from_mode(0o640)).unwrap();
    }
    let before = [0, 2].map(|index: usize| std::fs::metadata(&paths[index]).unwrap().ino());
    let complete = |paths: &[PathBuf]| -> Vec<Complete> {
        let outputs = paths.iter().map(|path| {
            let output = OutputFile::new(path, Replaces::only_with(true));
            output.complete_bytes(b"whole").unwrap()
        });
        outputs.collect()
    };
    // The last one to get its name cannot: its name became a directory meanwhile.
    let mut set = complete(&paths);
    set[3].replaces = true;
    std::fs::create_dir(&paths[3]).unwrap();
    assert!(name_all(set).is_err());
    let after = [0, 2].map(|index: usize| std::fs::metadata(&paths[index]).unwrap().ino());
    assert_eq!((before, mode(&paths[0])), (after, 0o640));
    assert_eq!(std::fs::read(&paths[2]).unwrap(), b"ours 2");
    assert_eq!(name_count(&folder), 3);
    // A set that is dropped leaves nothing.
    drop(complete(&paths[..3]));
    assert_eq!((name_count(&folder), paths[1].exists()), (3, false));
    name_all(complete(&paths[..3])).unwrap();
    for path in &paths[..3] {
        assert_eq!(std::fs::read(path).unwrap(), b"whole");
    }
    assert_eq!(name_count(&folder), 4);
}

#[test]
fn a_file_that_appears_meanwhile_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let output = OutputFile::new(&path, Replaces::only_with(false));
    let complete = output.complete_bytes(b"ours").unwrap();
    std::fs::write(&path, b"theirs").unwrap();
    let failure = name_all(vec![complete]).unwrap_err();
    assert!(failure.render().contains("another program created it"));
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    assert_eq!(name_count(&folder), 1);
}

/// The user `nobody`, and its group.
const NOBODY: u32 = 65_534;

/// Returns whether tests can give files to other users; prints a notice if not.
fn is_root(what: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        let mut stderr = io::stderr().lock();
        // If stderr is closed, there is nowhere to report it.
        let _ = writeln!(stderr, "SKIPPED: {what}: only root can give files away");
    }
    is_root
}

fn give(path: &Path, user: u32, group: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(group)).unwrap();
}

/// Calls `act` as another user: in Linux, credentials belong to a thread.
fn as_nobody<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
            rustix::thread::set_thread_groups(&[]).unwrap();
            rustix::thread::set_thread_res_gid(group, group, group).unwrap();
            rustix::thread::set_thread_res_uid(user, user, user).unwrap();
            act()
        });
        other.join().unwrap()
    })
}

/// Returns a folder that every user can write in, below folders that every user can search.
fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    folder
}

fn owner(path: &Path) -> (u32, u32, u32) {
    let metadata = std::fs::symlink_metadata(path).unwrap();
    (metadata.uid(), metadata.gid(), mode(path))
}

#[test]
fn root_keeps_the_owner_of_a_replaced_file() {
    if !is_root("the owner of a replaced file") {
        return;
    }
    let folder = open_folder();
    let path = folder.path().join("file");
    for (user, group, bits) in [
        (NOBODY, 100, 0o640),
        (NOBODY, NOBODY, 0o4755),
        (0, 100, 0o600),
    ] {
        std::fs::write(&path, b"ours").unwrap();
        give(&path, user, group);
        std::fs::set_permissions(&path, Permissions::from_mode(bits)).unwrap();
        replace(&path, b"ours 2", is_ours).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ours 2");
        assert_eq!(owner(&path), (user, group, bits & 0o777));
        std::fs::remove_file(&path).unwrap();
    }
    assert_eq!(name_count(&folder), 0);
}

#[test]
fn a_private_file_is_ours_alone_whatever_it_replaces() {
    if !is_root("a private file in the place of another user's") {
        return;
    }
    let folder = open_folder();
    let path = folder.path().join("file");
    std::fs::write(&path, b"theirs").unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    give(&path, NOBODY, NOBODY);
    let output = OutputFile::private(&path, Replaces::only_with(true));
    output.write_bytes(b"facts").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"facts");
    assert_eq!(owner(&path), (0, 0, 0o600));
}

#[test]
fn a_file_whose_owner_or_group_would_change_is_not_replaced() {
    if !is_root("a file of another user") {
        return;
    }
    let folder = open_folder();
    let path = folder.path().join("file");
    for (user, group, whose) in [
        (0, 0, "another user (uid 0)"),
        (NOBODY, 100, "a group that is not yours (gid 100)"),
    ] {
        std::fs::write(&path, b"ours").unwrap();
        give(&path, user, group);
        std::fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        let message = as_nobody(|| {
            let failure = replace(&path, b"ours 2", is_ours).unwrap_err();
            failure.message()
        });
        assert!(
            message.contains(&format!("belongs to {whose}")),
            "{message}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"ours");
        assert_eq!(
            (owner(&path), name_count(&folder)),
            ((user, group, 0o666), 1)
        );
    }
    give(&path, NOBODY, NOBODY);
    as_nobody(|| replace(&path, b"ours 2", is_ours).unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), b"ours 2");
}

#[test]
fn a_link_of_another_user_is_followed_to_their_own_files_only() {
    if !is_root("a link of another user") {
        return;
    }
    let (theirs, folder) = (open_folder(), tempfile::tempdir().unwrap());
    let (link, file) = (theirs.path().join("link"), folder.path().join("file"));
    std::fs::write(&file, b"ours").unwrap();
    symlink(&file, &link).unwrap();
    give(&link, NOBODY, NOBODY);
    let failure = replace(&link, b"ours 2", is_ours).unwrap_err();
    let message = failure.message();
    assert!(
        message.contains("a symbolic link of another user (uid 65534)"),
        "{message}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), b"ours");
    give(&file, NOBODY, NOBODY);
    replace(&link, b"ours 2", is_ours).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"ours 2");
    assert_eq!(owner(&file).0, NOBODY);
    assert!(link.is_symlink());
}

#[test]
fn a_directory_behind_a_link_of_another_user_is_theirs_or_refused() {
    if !is_root("a directory behind a link of another user") {
        return;
    }
    let (theirs, ours) = (open_folder(), tempfile::tempdir().unwrap());
    std::fs::create_dir(ours.path().join("in")).unwrap();
    std::fs::write(ours.path().join("in/file"), b"ours").unwrap();
    let link = theirs.path().join("link");
    symlink(ours.path(), &link).unwrap();
    give(&link, NOBODY, NOBODY);
    // A link of ours to a link of theirs is no better.
    let second = ours.path().join("second");
    symlink(&link, &second).unwrap();
    for path in ["link/in/file", "link/in/new", "link/./in/../in/new"] {
        for path in [theirs.path().join(path), second.join("in/new")] {
            let message = replace(&path, b"ours 2", is_ours).unwrap_err().message();
            let expected = "a symbolic link of another user (uid 65534) leads to";
            assert!(message.contains(expected), "{message}");
        }
    }
    assert_eq!(std::fs::read(ours.path().join("in/file")).unwrap(), b"ours");
    assert_eq!(
        std::fs::read_dir(ours.path().join("in")).unwrap().count(),
        1
    );
    // Neither is a directory made there, nor are files changed.
    let refused = [
        make_directory(&link.join("made/it")).unwrap_err(),
        real_directory(&second.join("in")).unwrap_err(),
    ];
    for error in refused {
        assert!(error.to_string().contains("another user"), "{error}");
    }
    assert!(!ours.path().join("made").exists());
    give(&link, 0, 0);
    make_directory(&link.join("made/it")).unwrap();
    make_directory(&link.join("made/it")).unwrap();
    let real = real_directory(&second.join("made/it")).unwrap();
    assert_eq!(real, ours.path().canonicalize().unwrap().join("made/it"));
    replace(&second.join("in/file"), b"ours 2", is_ours).unwrap();
    assert_eq!(
        std::fs::read(ours.path().join("in/file")).unwrap(),
        b"ours 2"
    );
    give(&link, NOBODY, NOBODY);
    give(&ours.path().join("in"), NOBODY, NOBODY);
    replace(&second.join("in/new"), b"ours 2", is_ours).unwrap();
}

#[test]
fn links_in_a_circle_end() {
    let folder = tempfile::tempdir().unwrap();
    symlink("b/x", folder.path().join("a")).unwrap();
    symlink("a/x", folder.path().join("b")).unwrap();
    let failure = replace(&folder.path().join("a/file"), b"ours", is_ours).unwrap_err();
    let message = failure.message();
    assert!(
        message.contains("Too many levels of symbolic links"),
        "{message}"
    );
}

#[test]
fn a_hard_link_to_a_replaced_file_keeps_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let [precious, path] = ["precious", "file"].map(|name| folder.path().join(name));
    std::fs::write(&precious, b"ours").unwrap();
    std::fs::hard_link(&precious, &path).unwrap();
    replace(&path, b"ours 2", is_ours).unwrap();
    assert_eq!(std::fs::read(&precious).unwrap(), b"ours");
    assert_eq!(std::fs::read(&path).unwrap(), b"ours 2");
}

#[test]
fn a_descriptor_in_proc_is_not_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, b"ours").unwrap();
    let file = File::open(&path).unwrap();
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file);
    let failure = replace(
        Path::new(&format!("/proc/self/fd/{descriptor}")),
        b"ours 2",
        is_ours,
    );
    assert!(
        failure
            .unwrap_err()
            .message()
            .contains("is not a regular file")
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"ours");
}

/// Returns an access control list that lets one more user read
/// (linux, `include/uapi/linux/posix_acl_xattr.h`).
fn access_list() -> Vec<u8> {
    const NO_ID: u32 = u32::MAX;
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in [
        (0x01_u16, 6_u16, NO_ID),
        (0x02, 4, 1000),
        (0x04, 4, NO_ID),
        (0x10, 4, NO_ID),
        (0x20, 0, NO_ID),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(permissions.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    list
}

#[test]
fn attributes_and_the_access_list_are_kept_and_none_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let set = |path: &Path, name: &str, value: &[u8]| {
        rustix::fs::setxattr(path, name, value, XattrFlags::empty())
    };
    let get = |name: &str| attribute(&File::open(&path).unwrap(), name).unwrap();
    std::fs::write(&path, b"ours").unwrap();
    if set(&path, "user.note", b"mine").is_err() || set(&path, ACL, &access_list()).is_err() {
        let mut stderr = io::stderr().lock();
        let _ = writeln!(stderr, "SKIPPED: attributes: this filesystem keeps none");
        return;
    }
    replace(&path, b"ours 2", is_ours).unwrap();
    assert_eq!(get("user.note").as_deref(), Some(&b"mine"[..]));
    assert_eq!(get(ACL), Some(access_list()));
    assert_eq!(mode(&path), 0o640);
    // New files in this folder inherit a list; the existing file has none.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, b"ours").unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    set(folder.path(), "system.posix_acl_default", &access_list()).unwrap();
    replace(&path, b"ours 3", is_ours).unwrap();
    assert_eq!((get(ACL), mode(&path)), (None, 0o640));
}
