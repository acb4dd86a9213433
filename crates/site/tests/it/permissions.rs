//! Modes: who can read what, and listings.
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use stripewise_site::permissions::{
    Aim, Entry, Plan, Reason, Server, groups_of, name_of, number_of, parse_listing, plan,
    read_tree, set, shown, step, step_to,
};
use stripewise_site::scripts::{self, Script};

fn entry(path: &str, mode: u32, owner: &str, group: &str) -> Entry {
    Entry {
        path: PathBuf::from(path),
        is_directory: path.ends_with('/'),
        mode,
        owner: owner.to_owned(),
        group: group.to_owned(),
        has_acl: false,
        inode: 0,
        device: 0,
        links: 0,
    }
}

fn server(php_as_owner: bool) -> Server {
    Server {
        user: "www-data".to_owned(),
        groups: vec!["www-data".to_owned()],
        php_as_owner,
    }
}

/// Returns the mode that a file needs, if it needs another one.
fn needs(path: &str, mode: u32, group: &str, php_as_owner: bool) -> Option<u32> {
    step(&entry(path, mode, "alice", group), &server(php_as_owner)).map(|step| step.mode)
}

#[test]
fn the_first_class_that_matches_decides() {
    // Measured with runuser: 0604 shuts the group out and lets the world in.
    assert_eq!(needs("a.css", 0o604, "www-data", false), Some(0o644));
    assert_eq!(needs("a.css", 0o640, "www-data", false), None);
    assert_eq!(needs("a.css", 0o600, "www-data", false), Some(0o640));
    assert_eq!(needs("a.css", 0o640, "alice", false), Some(0o644));
    assert_eq!(needs("a.css", 0o644, "alice", false), None);
    assert_eq!(needs("a.css", 0o666, "alice", false), Some(0o644));
    assert_eq!(needs(".htaccess", 0o600, "alice", true), Some(0o644));
    // PHP reads its files as their owner.
    assert_eq!(needs("index.php", 0o600, "alice", true), None);
    assert_eq!(
        needs("wp-config.php", 0o604, "www-data", false),
        Some(0o640)
    );
    assert_eq!(needs("wp-config.php", 0o644, "alice", true), Some(0o600));
    assert_eq!(
        needs("wp-config.php.bak", 0o644, "alice", true),
        Some(0o600)
    );
    assert_eq!(needs("wp-config-sample.php", 0o644, "alice", true), None);
    assert_eq!(needs("uploads/", 0o644, "alice", false), Some(0o755));
    assert_eq!(needs("uploads/", 0o700, "www-data", false), Some(0o750));
    assert_eq!(needs("uploads/", 0o777, "alice", false), Some(0o755));
    assert_eq!(needs("uploads/", 0o2777, "alice", false), Some(0o2755));
    assert_eq!(needs("tmp/", 0o1777, "alice", false), None);
    let config = step(
        &entry("wp-config.php", 0o644, "alice", "alice"),
        &server(false),
    )
    .unwrap();
    assert_eq!(
        (config.mode, config.group.as_deref()),
        (0o640, Some("www-data"))
    );
}

/// After the plan nothing is left to do, whatever the modes were.
#[test]
fn a_plan_is_enough() {
    for mode in 0..0o1000 {
        for path in ["a.css", "index.php", "wp-config.php", "d/"] {
            for (owner, group) in [
                ("alice", "alice"),
                ("alice", "www-data"),
                ("www-data", "alice"),
            ] {
                for php_as_owner in [false, true] {
                    let server = server(php_as_owner);
                    let mut file = entry(path, mode, owner, group);
                    if let Some(step) = step(&file, &server) {
                        file.mode = step.mode;
                        file.group = step.group.unwrap_or(file.group);
                    }
                    assert_eq!(
                        step(&file, &server),
                        None,
                        "{path} {mode:o} {owner} {group}"
                    );
                }
            }
        }
    }
}

#[test]
fn listings_are_read() {
    let text = "\
.:
total 12
drwxr-xr-x  3 alice www-data 4096 Nov 24 02:40 .
drwxr-xr-x 10 root  root     4096 Nov 24 02:40 ..
-rw-r--r--  1 alice www-data  100 Nov 24  2023 wp-config.php
-rw-------  1 alice www-data  100 2024-01-01 10:00 my  photo.jpg
lrwxrwxrwx  1 alice www-data    3 Nov 24 02:40 link -> x
drwx------+ 2 alice www-data 4096 Nov 24 02:40 wp-content

./wp-content:
total 0
-rwsr-xr-t 1 1000 33 5 2024-01-01 10:00:00.000000000 +0100 a b.css
";
    let listing = parse_listing(text).unwrap();
    let found: Vec<String> = listing
        .entries
        .iter()
        .map(|entry| {
            format!(
                "{} {:o} {} {}",
                shown(&entry.path),
                entry.mode,
                entry.owner,
                entry.group
            )
        })
        .collect();
    let wanted = [
        ". 755 alice www-data",
        "wp-config.php 644 alice www-data",
        "my  photo.jpg 600 alice www-data",
        "wp-content 700 alice www-data",
        "wp-content/a b.css 5755 1000 33",
    ];
    assert_eq!(found, wanted);
    let found = plan(&listing.entries, &server(false));
    assert_eq!((found.steps.len(), found.with_acl), (2, 1));
    assert!(parse_listing("hello\n").is_err());
    // sftp has no numbers of links, and `ls` other words in other languages.
    for text in [
        "sftp> ls -l\n-rw-r-----    ? alice    www-data      100 Nov 24 02:40 a.css\n",
        ".:\ninsgesamt 4,0K\n-rw-r----- 1 alice www-data 100 24. Nov 02:40 a.css\n",
    ] {
        let listing = parse_listing(text).unwrap();
        let found = &listing.entries[0];
        assert_eq!((shown(&found.path).as_str(), found.mode), ("a.css", 0o640));
    }
}

/// A tree of its own, with files of these modes.
fn tree(files: &[(&str, u32)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, name).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
    }
    folder
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Another user swaps directories and files for links while modes are set: nothing outside changes.
#[test]
fn nothing_outside_of_the_root_is_changed() {
    let folder = tree(&[
        ("site/up/a", 0o600),
        ("outside/a", 0o600),
        ("outside/b", 0o600),
    ]);
    let root = fs::canonicalize(folder.path()).unwrap().join("site");
    let outside = folder.path().join("outside");
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    let to = (0o644, None);

    // A directory becomes a link; even to the same file the way leads through no link.
    fs::rename(root.join("up"), root.join("moved")).unwrap();
    symlink(root.join("moved"), root.join("up")).unwrap();
    let file = inode(&root.join("moved/a"));
    assert!(set(&root, Path::new("up/a"), (file, 0o600), to).is_err());
    fs::remove_file(root.join("up")).unwrap();
    symlink(&outside, root.join("up")).unwrap();
    let strange = (inode(&outside.join("a")), 0o600);
    assert!(set(&root, Path::new("up/a"), strange, to).is_err());
    assert!(set(&root, Path::new("../outside/a"), strange, to).is_err());
    // The file becomes a link, and another file.
    symlink(outside.join("a"), root.join("a")).unwrap();
    assert!(set(&root, Path::new("a"), strange, to).is_err());
    fs::rename(outside.join("b"), root.join("moved/a")).unwrap();
    assert!(set(&root, Path::new("moved/a"), (file, 0o600), to).is_err());
    // The root becomes a link.
    fs::rename(&root, folder.path().join("old")).unwrap();
    symlink(&outside, &root).unwrap();
    assert!(set(&root, Path::new("a"), strange, to).is_err());
    assert_eq!(mode(&outside.join("a")), 0o600);
    assert_eq!(mode(&folder.path().join("old/moved/a")), 0o600);
}

#[test]
fn a_changed_mode_and_special_bits_stay() {
    let folder = tree(&[("a", 0o4711)]);
    let root = fs::canonicalize(folder.path()).unwrap();
    let path = root.join("a");
    let inode = fs::metadata(&path).unwrap().ino();
    assert!(set(&root, Path::new("a"), (inode, 0o711), (0o644, None)).is_err());
    assert_eq!(mode(&path), 0o4711);
    // The kernel clears these bits if the group changes, even to the same one.
    let group = fs::metadata(&path).unwrap().gid();
    set(
        &root,
        Path::new("a"),
        (inode, 0o4711),
        (0o4755, Some(group)),
    )
    .unwrap();
    assert_eq!(mode(&path), 0o4755);
}

#[test]
fn a_file_with_hard_links_is_one_file() {
    let folder = tree(&[
        ("site/a.css", 0o600),
        ("site/shared.css", 0o600),
        ("site/x", 0o644),
    ]);
    let root = folder.path().join("site");
    fs::hard_link(root.join("a.css"), root.join("b.css")).unwrap();
    fs::hard_link(root.join("shared.css"), folder.path().join("outside")).unwrap();
    fs::hard_link(root.join("x"), root.join("wp-config.php")).unwrap();
    symlink("a.css", root.join("link")).unwrap();
    let server = Server {
        user: "1234567".to_owned(),
        groups: vec!["1234567".to_owned()],
        php_as_owner: false,
    };
    let found = plan(&read_tree(&root).unwrap().entries, &server);
    let found: Vec<(String, bool)> = found
        .steps
        .iter()
        .filter(|step| !step.entry.is_directory)
        .map(|step| (shown(&step.entry.path), step.is_shared))
        .collect();
    let step = |name: &str, is_shared| (name.to_owned(), is_shared);
    let wanted = [
        step("a.css", false),
        step("shared.css", true),
        step("wp-config.php", false),
    ];
    assert_eq!(found, wanted);
}

/// An access control list decides, too, so a mode alone is not judged.
#[test]
fn access_control_lists_are_counted() {
    let folder = tree(&[("a.css", 0o600)]);
    let mut list = 2_u32.to_le_bytes().to_vec();
    // Owner, user 1, group, mask, others.
    for (tag, bits, user) in [
        (1_u16, 6_u16, u32::MAX),
        (2, 4, 1),
        (4, 0, u32::MAX),
        (16, 4, u32::MAX),
        (32, 0, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(bits.to_le_bytes());
        list.extend(user.to_le_bytes());
    }
    let flags = rustix::fs::XattrFlags::empty();
    let path = folder.path().join("a.css");
    if let Err(error) = rustix::fs::setxattr(&path, "system.posix_acl_access", &list, flags) {
        eprintln!("SKIPPED: access control lists: this filesystem has none: {error}");
        return;
    }
    let found = plan(&read_tree(folder.path()).unwrap().entries, &server(false));
    assert_eq!(found.with_acl, 1);
    assert!(found.steps.iter().all(|step| step.entry.is_directory));
}

#[test]
fn a_server_is_in_all_its_groups() {
    let users = b"root:x:0:0::/root:/bin/sh\nwww-data:x:33:33::/var/www:/bin/false\n";
    let groups = b"root:x:0:\nalice:x:1000:bob,www-data\nwww-data:x:33:\nx:x:7:www-data2\n";
    for user in ["www-data", "33"] {
        assert_eq!(groups_of(user, users, groups), ["33", "1000"]);
    }
    assert_eq!(groups_of("nobody", users, groups), Vec::<String>::new());
    assert_eq!(name_of("33", users), "www-data");
    assert_eq!(name_of("34", users), "34");
    assert_eq!(number_of("alice", groups).as_deref(), Some("1000"));
}

/// A listing comes from a server that may belong to another user.
#[test]
fn a_hostile_listing_is_refused_with_its_line() {
    let line = |mode: &str, name: &str| format!("{mode} 1 a b 3 Jan  1 10:00 {name}\n");
    let good = line("-rw-r-----", "x");
    let refused = |text: &str| parse_listing(text).unwrap_err().to_string();
    for mode in [
        "-rw-r-t---",
        "-rwtr-----",
        "-rwxr-xr-s",
        "-rwxrwxrwz",
        "?rw-r-----",
        "-rw-r-----x",
    ] {
        let why = refused(&(good.clone() + &line(mode, "y")));
        assert!(
            why.starts_with("line 2 is not a line of `ls -l`"),
            "{mode}: {why}"
        );
    }
    let long = good.clone() + &"- ".repeat(1 << 20);
    assert!(refused(&long).starts_with("line 2 has 2097152 bytes"));
    // A name with a newline is two lines.
    let split = line("-rw-r-----", "a\nb\u{1b}[31m");
    let why = refused(&split);
    assert!(
        why.starts_with("line 2 ") && !why.contains('\u{1b}'),
        "{why}"
    );
    assert_eq!(
        parse_listing(&(good.clone() + &good))
            .unwrap()
            .entries
            .len(),
        1
    );
    let why = refused(&(good.clone() + &line("-rw-rw-rw-", "x")));
    assert!(why.starts_with("line 2 names `x` again"), "{why}");
    for name in ["..", ""] {
        let one = parse_listing(&(good.clone() + &line("drwxr-xr-x", name))).unwrap();
        assert_eq!(one.entries.len(), 1);
    }
    let sticky = parse_listing(&line("drwxrwxrwt", "tmp")).unwrap();
    assert_eq!(sticky.entries[0].mode, 0o1777);
}

/// Names that a shell or sftp reads as something else.
const NAMES: [&str; 8] = [
    "it's \"quoted\".css",
    "a *[?] b.css",
    "-rf.css",
    "#c.css",
    "b\\s.css",
    "gr\u{f6}\u{df}e.css",
    "$(x) `y`.css",
    "~d;e&f|g.css",
];

/// Makes the changes of a script in a site with strange names, and checks the modes.
fn check_script(script: fn(&Plan) -> Script, command: &mut dyn FnMut(&Path, &Path) -> Command) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("site");
    fs::create_dir(&root).unwrap();
    fs::create_dir(root.join("d e")).unwrap();
    for name in NAMES {
        fs::write(root.join("d e").join(name), "x").unwrap();
    }
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    for entry in fs::read_dir(root.join("d e")).unwrap() {
        set(&entry.unwrap().path(), 0o666).unwrap();
    }
    set(&root.join("d e"), 0o777).unwrap();
    let server = server(false);
    let found = plan(&read_tree(&root).unwrap().entries, &server);
    assert_eq!(found.steps.len(), NAMES.len() + 1);
    let script = script(&found);
    assert!(script.left.is_empty());
    let path = folder.path().join("script");
    fs::write(&path, script.text).unwrap();
    let done = command(&root, &path).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let left = plan(&read_tree(&root).unwrap().entries, &server);
    assert_eq!(left.steps, [], "{said}");
}

#[test]
fn a_script_makes_the_changes() {
    check_script(scripts::shell, &mut |root, script| {
        let mut command = Command::new("sh");
        command.arg(script).current_dir(root);
        command
    });
}

#[test]
fn a_batch_of_sftp_makes_the_changes() {
    let named = std::env::var("STRIPEWISE_TEST_SFTP_SERVER").ok();
    let server = named.unwrap_or_else(|| "/usr/lib/openssh/sftp-server".to_owned());
    if !Path::new(&server).is_file() || Command::new("sftp").arg("-?").output().is_err() {
        eprintln!("SKIPPED: a batch of sftp: openssh-sftp-server is not installed");
        return;
    }
    check_script(scripts::sftp, &mut |root, script| {
        let mut command = Command::new("sftp");
        command
            .args(["-q", "-D", &server, "-b"])
            .arg(script)
            .current_dir(root);
        command
    });
}

#[test]
fn a_batch_of_sftp_leaves_what_it_cannot_say() {
    let mut named = entry("wp-config.php", 0o644, "alice", "alice");
    let lines = entry("a\nb.css", 0o666, "alice", "alice");
    let found = plan(&[named.clone(), lines.clone()], &server(false));
    let script = scripts::sftp(&found);
    assert_eq!(script.left, [named.path.clone(), lines.path]);
    assert_eq!(script.text, b"");
    named.mode = 0o666;
    let number = Server {
        groups: vec!["33".to_owned()],
        ..server(false)
    };
    let script = scripts::sftp(&plan(&[named], &number));
    let wanted = "-chgrp 33 wp-config.php\n-chmod 640 wp-config.php\n";
    assert_eq!(String::from_utf8(script.text).unwrap(), wanted);
}

/// Enough is less than what is not wrong.
#[test]
fn the_least_is_offered_if_asked_for() {
    let modes = |path: &str, mode, group: &str, is_directory| {
        let file = Entry {
            is_directory,
            ..entry(path, mode, "alice", group)
        };
        step_to(&file, &server(false), Aim::Least).map(|step| (step.mode, step.reasons))
    };
    let wide = |mode| Some((mode, vec![Reason::Wide]));
    assert_eq!(modes("a.css", 0o644, "www-data", false), wide(0o640));
    assert_eq!(modes("a.css", 0o640, "www-data", false), None);
    assert_eq!(modes("a.css", 0o644, "alice", false), None);
    assert_eq!(modes("d", 0o755, "www-data", true), wide(0o750));
    assert_eq!(
        modes("wp-config.php", 0o660, "www-data", false),
        wide(0o640)
    );
    assert_eq!(needs("a.css", 0o644, "www-data", false), None);
}
