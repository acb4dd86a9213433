//! Modes: who can read what, and listings.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

use std::path::PathBuf;

use stripewise_site::permissions::{Entry, Server, parse_listing, plan, shown, step};

fn entry(path: &str, mode: u32, owner: &str, group: &str) -> Entry {
    Entry {
        path: PathBuf::from(path),
        is_directory: path.ends_with('/'),
        mode,
        owner: owner.to_owned(),
        group: group.to_owned(),
        has_acl: false,
        inode: 0,
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
}
