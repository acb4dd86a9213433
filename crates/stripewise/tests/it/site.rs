//! `stripewise site` as users see it. The failures: a tool that wrote to a full disk and said
//! nothing, and one that left half of a dump behind.

#[path = "../../../site/tests/it/programs/mod.rs"]
mod programs;
#[path = "../../../site/tests/it/server/mod.rs"]
mod server;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Command;

use expect_test::{expect, expect_file};

use crate::support::{Bench, Done, with};

const DUMP: &str = r#"CREATE TABLE `wp_options` (
  `option_id` bigint(20) NOT NULL,
  `option_name` varchar(191) NOT NULL,
  `option_value` longtext NOT NULL
);
INSERT INTO `wp_options` VALUES (1,'home','http://old.example'),(2,'w','a:1:{s:3:\"url\";s:18:\"http://old.example\";}'),
(3,'cut','a:2:{s:3:\"url\";s:99:\"http://old.example\";}'),(4,'dir','/srv/old/wp-content'),(5,'b','aHR0cDovL29sZC5leGFtcGxlL3g=');
"#;

const PAIR: [&str; 4] = [
    "--from",
    "http://old.example",
    "--to",
    "https://www.new.example",
];

fn site(bench: &Bench, words: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    command.arg("site");
    bench.finish(with(bench.isolate(command), words.iter().copied()))
}

fn rewrite(bench: &Bench, more: &[&str]) -> Done {
    site(bench, &[&["rewrite"], &PAIR[..], more].concat())
}

#[test]
fn a_dump_is_rewritten_scanned_and_verified() {
    let Some(bench) = Bench::new() else { return };
    bench.write("dump.sql", DUMP);
    let mut seen = String::new();
    for words in [
        &["scan", "--from", "http://old.example", "dump.sql"][..],
        &["verify", "--from", "http://old.example", "dump.sql"],
    ] {
        let done = site(&bench, words);
        seen += &format!(
            "$ stripewise site {}\n{}\n",
            words.join(" "),
            done.transcript()
        );
    }
    let done = rewrite(&bench, &["dump.sql"]);
    seen += &format!("$ stripewise site rewrite\n{}\n", done.transcript());
    let done = rewrite(&bench, &["dump.sql", "--dry-run"]);
    seen += &format!(
        "$ stripewise site rewrite --dry-run\n{}\n",
        done.transcript()
    );
    expect_file!["../golden/site.txt"].assert_eq(&seen);
}

#[test]
fn errors_are_seen_and_leave_nothing() {
    let Some(bench) = Bench::new() else { return };
    bench.write("dump.sql", DUMP);
    bench.write("cut.sql", &DUMP[..DUMP.len() - 20]);
    assert_eq!(rewrite(&bench, &["cut.sql", "-o", "new.sql"]).code, Some(2));
    assert!(!bench.path("new.sql").exists());
    assert_eq!(rewrite(&bench, &["."]).code, Some(2));
    let program = env!("CARGO_BIN_EXE_stripewise");
    let shell = |line: &str| {
        let line = format!("{program} site rewrite {} {line}", PAIR.join(" "));
        bench.finish(with(bench.isolate(Command::new("sh")), ["-c", &line]))
    };
    assert_eq!(shell("dump.sql > /dev/full").code, Some(2));
    assert_eq!(shell("< . > out.sql").code, Some(2));
    let done = shell(
        "dump.sql -o new.sql.gz; gzip -dc new.sql.gz | head -c 1000000 > all.sql && head -c 100 new.sql.gz > cut.gz",
    );
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let all = fs::read_to_string(bench.path("all.sql")).unwrap();
    assert!(all.contains(r#"s:23:\"https://www.new.example\""#), "{all}");
    assert_eq!(shell("cut.gz > out.sql").code, Some(2));
    let done = shell("dump.sql -o new.sql.zst; head -c 100 new.sql.zst > cut.zst");
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(shell("cut.zst > out.sql").code, Some(2));
    // No file may grow: as on a full disk, but for anybody.
    let line = format!(
        "trap '' XFSZ; ulimit -f 0; {program} site rewrite {} dump.sql -o full.sql",
        PAIR.join(" ")
    );
    let done = bench.finish(with(bench.isolate(Command::new("sh")), ["-c", &line]));
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    let left = fs::read_dir(bench.path(".")).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = left.filter(|name| name.contains("full")).collect();
    assert_eq!(left, Vec::<String>::new());
    assert_eq!(site(&bench, &["rewrite", "--from", "a"]).code, Some(2));
}

#[test]
fn modes_are_set_and_restored() {
    let Some(bench) = Bench::new() else { return };
    fs::create_dir_all(bench.path("www/wp-content")).unwrap();
    bench.write("www/wp-config.php", "<?php");
    bench.write("www/wp-content/a.css", "a");
    let set = |name: &str, mode| {
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    let mode = |name: &str| fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o7777;
    set("www", 0o755);
    set("www/wp-config.php", 0o604);
    set("www/wp-content", 0o777);
    set("www/wp-content/a.css", 0o644);
    let user = rustix_user();
    let words = [
        "permissions",
        "--root",
        "www",
        "--server-user",
        &user.0,
        "--server-group",
        &user.1,
    ];
    assert_eq!(site(&bench, &words).code, Some(1));
    assert_eq!(mode("www/wp-config.php"), 0o604);
    let done = site(&bench, &[&words[..], &["--apply"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(
        (mode("www/wp-config.php"), mode("www/wp-content")),
        (0o600, 0o755)
    );
    let mut restore = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    restore.arg("restore");
    let done = bench.finish(bench.isolate(restore));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(
        (mode("www/wp-config.php"), mode("www/wp-content")),
        (0o604, 0o777)
    );
}

/// A dump packed by bzip2 has no address in plain text: it would pass as one without any.
#[test]
fn a_dump_packed_otherwise_is_refused() {
    let Some(bench) = Bench::new() else { return };
    bench.write("dump.sql.bz2", "BZh91AY&SY and more");
    let words = ["scan", "--from", "http://old.example", "dump.sql.bz2"];
    site(&bench, &words).refused(&expect![[r#"
        error: cannot read `dump.sql.bz2`: it is packed with bzip2

        hint: unpack it first: `bzip2 -dc`
    "#]]);
}

/// A mistyped name would change nothing, and look like a success.
#[test]
fn a_table_that_is_not_there_is_refused() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "dump.sql",
        &format!("CREATE TABLE `empty` (\n  `a` int\n);\n{DUMP}"),
    );
    let mut seen = String::new();
    for words in [
        &[
            "rewrite",
            "--to",
            "http://new.example",
            "--table",
            "wp_option",
            "-o",
            "new.sql",
        ][..],
        &["scan", "--skip-table", "wp_option"],
        &["verify", "--table", "wp_options", "--table", "posts"],
        &["scan", "--format", "text", "--table", "wp_options"],
    ] {
        let done = site(
            &bench,
            &[words, &["--from", "http://old.example", "dump.sql"]].concat(),
        );
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        seen += &done.transcript();
    }
    assert!(!bench.path("new.sql").exists());
    expect_test::expect![[r#"
        exit 2
        --- stderr
        error: the input has no table `wp_option`

        hint: its tables: empty, wp_options
        exit 2
        --- stderr
        error: the input has no table `wp_option`

        hint: its tables: empty, wp_options
        exit 2
        --- stderr
        error: the input has no table `posts`

        hint: its tables: empty, wp_options
        exit 2
        --- stderr
        error: the input has no table `wp_options`

        hint: only statements of SQL, and XML, name their tables
    "#]]
    .assert_eq(&seen);
    let there = [
        "scan",
        "--from",
        "http://old.example",
        "--table",
        "wp_options",
    ];
    let done = site(
        &bench,
        &[&there[..], &["--skip-table", "empty", "dump.sql"]].concat(),
    );
    // One address stays in a broken value.
    assert_eq!(done.code, Some(1), "{}", done.transcript());
}

/// Two names of a file are one change, and a file outside of the site is not changed through its
/// name in the site.
#[test]
fn a_file_with_hard_links_is_changed_once_or_not_at_all() {
    let Some(bench) = Bench::new() else { return };
    fs::create_dir(bench.path("www")).unwrap();
    let set = |name: &str, mode| {
        bench.write(name, "a");
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::set_permissions(bench.path("www"), fs::Permissions::from_mode(0o755)).unwrap();
    let mode = |name: &str| fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o7777;
    set("www/a.css", 0o666);
    set("outside.css", 0o666);
    let link = |from: &str, to: &str| fs::hard_link(bench.path(from), bench.path(to)).unwrap();
    link("www/a.css", "www/b.css");
    link("outside.css", "www/c.css");
    let (user, group) = rustix_user();
    let words = ["permissions", "--root", "www", "--server-user", &user];
    let words = [&words[..], &["--server-group", &group, "--apply"]].concat();
    // One file is left as it was.
    let done = site(&bench, &words);
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    assert!(
        done.transcript().contains("outside of the site"),
        "{}",
        done.transcript()
    );
    assert_eq!((mode("www/a.css"), mode("www/b.css")), (0o644, 0o644));
    assert_eq!(mode("outside.css"), 0o666);
    let mut restore = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    restore.arg("restore");
    let done = bench.finish(bench.isolate(restore));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(mode("www/b.css"), 0o666);
}

/// Killed between a file's group and its mode, the program leaves the group changed.
#[test]
fn a_group_is_restored_where_the_mode_was_not_yet_set() {
    let Some(bench) = Bench::new() else { return };
    if rustix_user().0 != "0" {
        eprintln!("SKIPPED: restoring a group: only root can give a file to another group");
        return;
    }
    fs::create_dir(bench.path("www")).unwrap();
    fs::set_permissions(bench.path("www"), fs::Permissions::from_mode(0o755)).unwrap();
    bench.write("www/wp-config.php", "<?php");
    let config = bench.path("www/wp-config.php");
    let set = |mode| fs::set_permissions(&config, fs::Permissions::from_mode(mode)).unwrap();
    let state = || {
        let found = fs::metadata(&config).unwrap();
        (found.gid(), found.permissions().mode() & 0o7777)
    };
    set(0o604);
    let before = state();
    let words = ["permissions", "--root", "www", "--server-user", "1234567"];
    let words = [&words[..], &["--server-group", "1234568", "--apply"]].concat();
    site(&bench, &words);
    assert_eq!(state(), (1_234_568, 0o640));
    set(0o604);
    let mut restore = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    restore.arg("restore");
    let done = bench.finish(bench.isolate(restore));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(state(), before);
}

/// Returns the numbers of this user and group: the owner of what the test makes.
fn rustix_user() -> (String, String) {
    let own = fs::metadata("/proc/self").unwrap();
    (own.uid().to_string(), own.gid().to_string())
}

#[test]
fn documents_have_what_was_found() {
    let Some(bench) = Bench::new() else { return };
    bench.write("dump.sql", DUMP);
    fs::create_dir(bench.path("www")).unwrap();
    bench.write("www/wp-config.php", "<?php // http://old.example");
    let closed = fs::Permissions::from_mode(0o604);
    fs::set_permissions(bench.path("www/wp-config.php"), closed).unwrap();
    let mut seen = String::new();
    for words in [
        &["scan", "--json", "--from", "http://old.example", "dump.sql"][..],
        &[
            "verify",
            "--json",
            "--from",
            "http://old.example",
            "--root",
            "www",
        ],
    ] {
        let done = site(&bench, words);
        seen += &format!(
            "$ stripewise site {}\n{}\n",
            words.join(" "),
            done.transcript()
        );
    }
    let done = rewrite(&bench, &["dump.sql", "--json", "-o", "new.sql"]);
    seen += &format!("$ stripewise site rewrite --json\n{}\n", done.transcript());
    // Standard output cannot have both.
    let done = rewrite(&bench, &["dump.sql", "--json"]);
    assert_eq!(done.code, Some(2));
    seen += &format!("$ stripewise site rewrite --json\n{}\n", done.transcript());
    expect_file!["../golden/site-json.txt"].assert_eq(&seen);
    let user = rustix_user();
    let words = [
        "permissions",
        "--json",
        "--root",
        "www",
        "--server-user",
        &user.0,
    ];
    let done = site(&bench, &[&words[..], &["--server-group", &user.1]].concat());
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let step = &found["permissions"]["steps"][0];
    assert_eq!(step["path"], "wp-config.php");
    assert_eq!(
        (&step["mode"], &step["reasons"][0]),
        (&"0604".into(), &"configuration-open".into())
    );
}

#[test]
fn a_database_is_verified_on_its_server() {
    let Some(server) = server::Server::start() else {
        crate::support::skip_unless_all(
            "a database is verified",
            "mariadb-server is not installed",
        );
        return;
    };
    let Some(bench) = Bench::new() else { return };
    bench.write("dump.sql", DUMP);
    server.load("site", &bench.path("dump.sql"));
    let grant = "CREATE USER site IDENTIFIED BY 'se:cr@t'; GRANT ALL ON site.* TO site;";
    server.sql(grant);
    let socket = server.folder.path().join("s");
    let address =
        |password: &str| format!("mysql://site{password}@localhost:{}/site", socket.display());
    let verify = |password: &str, environment: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
        command.args([
            "site",
            "verify",
            "--json",
            "--from",
            "http://old.example",
            "--database",
            &address(password),
        ]);
        let mut command = bench.isolate(command);
        command.env("MYSQL_PWD", environment);
        bench.finish(command)
    };
    // A socket's path has slashes, of which the last one is before the name of the database.
    for (password, environment) in [(":se%3Acr%40t", ""), ("", "se:cr@t")] {
        let done = verify(password, environment);
        assert_eq!(done.code, Some(1), "{}", done.transcript());
        let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        let dump = &found["dumps"][0];
        assert_eq!(
            (&dump["name"], &dump["addresses"]),
            (&"site".into(), &3.into())
        );
        assert_eq!(
            (&dump["left_base64"], &dump["broken_count"]),
            (&1.into(), &1.into())
        );
        let columns = dump["columns"].as_array().unwrap();
        assert!(
            columns
                .iter()
                .any(|column| column["column"] == "option_value")
        );
        assert_eq!(
            (&dump["broken"][0]["row"], &dump["broken"][0]["table"]),
            (&3.into(), &"wp_options".into())
        );
    }
    let done = verify(":wrong", "");
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(done.stderr.contains("Access denied"), "{}", done.stderr);
    // The configuration's database answers, or the reason is told.
    fs::create_dir(bench.path("www")).unwrap();
    for (password, code) in [("se:cr@t", Some(0)), ("wrong", Some(1))] {
        let configuration = format!(
            "<?php\ndefine('DB_NAME', 'site');\ndefine('DB_USER', 'site');\n\
             define('DB_PASSWORD', '{password}');\ndefine('DB_HOST', 'localhost:{}');\n",
            socket.display()
        );
        bench.write("www/wp-config.php", &configuration);
        let words = [
            "verify",
            "--from",
            "http://none.example",
            "--root",
            "www",
            "--check-configuration",
        ];
        let done = site(&bench, &words);
        assert_eq!(done.code, code, "{}", done.transcript());
    }
}

/// What was not looked at is no reason to call a site right: a file above 64 MiB, one with a NUL, one
/// behind a link and a packed one were passed over without a word.
#[test]
fn a_file_that_is_not_looked_at_is_named_and_counted() {
    let Some(bench) = Bench::new() else { return };
    let verify = |root: &str| {
        let words = ["verify", "--from", "http://old.example", "--root", root];
        let text = site(&bench, &words);
        let json = site(&bench, &[&words[..], &["--json"]].concat());
        assert_eq!(text.code, json.code, "{}", json.transcript());
        let found: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        (text, found)
    };
    let write = |name: &str, bytes: &[u8]| fs::write(bench.path(name), bytes).unwrap();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, bench.path(name)).unwrap();
    fs::create_dir_all(bench.path("looked/in")).unwrap();
    // A hole of 65 MiB takes no space, and is full of NULs.
    let long = fs::File::create(bench.path("looked/long.log")).unwrap();
    long.set_len(65 << 20).unwrap();
    let behind = std::os::unix::fs::FileExt::write_all_at;
    behind(&long, b" http://old.example\0", 65 << 20).unwrap();
    write(
        "looked/in/page.html.gz",
        &gzip(b"<a href=\"http://old.example\">"),
    );
    write(
        "looked/data",
        b"\0http://old.example\0aHR0cDovL29sZC5leGFtcGxlL3g=",
    );
    link("in", "looked/again");
    link("http://old.example", "looked/gone");
    let (text, found) = verify("looked");
    assert_eq!(text.code, Some(1), "{}", text.transcript());
    assert_eq!(found["is_right"], false);
    expect![[r#"
        path             addresses
        data                     2
        long.log                 1
        in/page.html.gz          1
        gone                     1

        checked  result
        looked   5 files were looked at, 4 with old addresses; 0 not looked at
    "#]]
    .assert_eq(&text.stdout);

    fs::create_dir(bench.path("passed")).unwrap();
    write("passed/right.txt", b"http://new.example");
    assert_eq!(verify("passed").0.code, Some(0));
    write("passed/plugin.zip", b"PK\x03\x04...");
    write("passed/cut.gz", &gzip(b"cut off")[..15]);
    write("passed/page.br", b"...");
    link("../looked", "passed/out");
    let (text, found) = verify("passed");
    assert_eq!(text.code, Some(2), "{}", text.transcript());
    assert_eq!(found["is_right"], serde_json::Value::Null);
    assert!(found.as_object().unwrap().contains_key("is_right"));
    let counts = &found["files"]["not_looked_at"];
    assert_eq!((&counts["packed"], &counts["link"]), (&2.into(), &1.into()));
    expect![[r#"
        exit 2
        --- stdout
        - cut.gz: not looked at: it cannot be read: it ends too early
        - page.br: not looked at: it is packed (br)
        - plugin.zip: not looked at: it is packed (ZIP)
        - out: not looked at: it is a link to something outside of the directory

        checked  result
        passed   one file was looked at, 0 with old addresses; 4 not looked at
        nothing is wrong in what was looked at, but 4 things listed above were not:
        whether the site is right is not known
    "#]]
    .assert_eq(&text.transcript());

    // Found and not looked at: the answer is no. Names that are no UTF-8 are names, too.
    use std::os::unix::ffi::OsStrExt as _;
    let name = std::ffi::OsStr::from_bytes(b"passed/a\xff.txt");
    fs::write(bench.path(".").join(name), "http://old.example").unwrap();
    let (text, found) = verify("passed");
    assert_eq!(text.code, Some(1), "{}", text.transcript());
    assert_eq!(found["files"]["left"][0]["path"], "a\u{fffd}.txt");
    for index in 0..1010 {
        write(&format!("passed/{index}.br"), b"");
    }
    let (text, found) = verify("passed");
    assert!(
        text.stdout.contains("and 994 more files"),
        "{}",
        text.stdout
    );
    assert_eq!(found["files"]["not_looked_at"]["packed"], 1012);
    let listed = found["files"]["not_looked_at_files"].as_array().unwrap();
    assert_eq!(listed.len(), 1000);
}

/// What is packed within something else hides an address as well as a packed file does.
#[test]
fn what_is_packed_within_a_file_is_not_called_right() {
    let Some(bench) = Bench::new() else { return };
    let address = b"<a href=\"http://old.example\">";
    // Of the address.
    let zlib = b"\x78\x9c\xcb\x28\x29\x29\xb0\xd2\xd7\xcf\xcf\x49\xd1\x4b\xad\x48\xcc\x2d\xc8\x49\x05\x00\x3e\x53\x06\xb2";
    let zip = b"#!/bin/sh\nexec unzip \"$0\"\nPK\x03\x04\x14\0\0\0\x08\0...";
    for (name, bytes, reason) in [
        ("twice.gz", gzip(&gzip(address)), "packed-within"),
        (
            "dump.tar",
            [&[b'x'; 512][..], &gzip(address)].concat(),
            "packed-within",
        ),
        ("installer", zip.to_vec(), "packed-within"),
        ("cache", zlib.to_vec(), "packed-within"),
        ("text.txt", b"\xff\xfeh\0t\0t\0p\0".to_vec(), "utf-16"),
    ] {
        fs::create_dir_all(bench.path("within")).unwrap();
        fs::write(bench.path("within").join(name), bytes).unwrap();
        let words = [
            "verify",
            "--from",
            "http://old.example",
            "--root",
            "within",
            "--json",
        ];
        let done = site(&bench, &words);
        assert_eq!(done.code, Some(2), "{name}: {}", done.transcript());
        let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(found["is_right"], serde_json::Value::Null, "{name}");
        assert_eq!(
            found["files"]["not_looked_at"][reason], 1,
            "{name}: {found}"
        );
        let text = site(&bench, &words[..words.len() - 1]);
        assert!(text.stdout.contains(name), "{}", text.transcript());
        fs::remove_dir_all(bench.path("within")).unwrap();
    }
    // A cache for each host: a name is no file of its own.
    fs::create_dir_all(bench.path("within/old.example")).unwrap();
    bench.write("within/old.example:80", "http://old.example");
    let words = ["verify", "--from", "old.example", "--root", "within"];
    let done = site(&bench, &words);
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    for line in [
        "old.example             1\n",
        "old.example:80          2\n",
        "one file was looked at",
    ] {
        assert!(done.stdout.contains(line), "{}", done.transcript());
    }
}

/// A slash on one side only, a text that is no address, and a column that must stay.
#[test]
fn literal_texts_columns_and_slashes() {
    let Some(bench) = Bench::new() else { return };
    bench.write("dump.sql", "CREATE TABLE `p` (`guid` text, `text` text);\nINSERT INTO `p` VALUES ('http://old/1','xstaging_ http://old/1');\n");
    let mut seen = String::new();
    for words in [
        "rewrite --from http://old/ --to https://new dump.sql",
        "rewrite --from staging_ --to live_ dump.sql",
        "rewrite --from http://old --to https://new --literal staging_ live_ --skip-column guid dump.sql",
        "rewrite --from http://old --to https://new --skip-column p.gid dump.sql",
        "verify --literal staging_ dump.sql",
        "scan --from http://old --skip-column p.guid dump.sql",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let done = site(&bench, &words);
        seen += &format!(
            "$ stripewise site {}\n{}\n",
            words.join(" "),
            done.transcript()
        );
    }
    expect_file!["../golden/site-literal.txt"].assert_eq(&seen);
}

/// `--broken` was advised to users who had given it.
#[test]
fn what_broken_does_is_said_only_before_it_is_done() {
    let Some(bench) = Bench::new() else { return };
    bench.write("dump.sql", DUMP);
    let without = rewrite(&bench, &["dump.sql"]).stderr;
    assert!(
        without.contains("`--broken` replaces addresses there"),
        "{without}"
    );
    let with = rewrite(&bench, &["--broken", "dump.sql"]).stderr;
    assert!(with.contains("As `--broken` asks"), "{with}");
    assert!(!with.contains("stay"), "{with}");
}

/// What cannot be read is refused with the command that turns it into text.
#[test]
fn archives_of_postgres_are_refused() {
    let Some(bench) = Bench::new() else { return };
    bench.write("a.dump", "PGDMP\u{1}\u{f}");
    fs::create_dir(bench.path("dir")).unwrap();
    fs::write(bench.path("dir/toc.dat"), "PGDMP\u{1}\u{f}").unwrap();
    for name in ["a.dump", "dir"] {
        let done = rewrite(&bench, &[name]);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(
            done.stderr.contains("pg_restore --file=dump.sql"),
            "{}",
            done.transcript()
        );
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let packing = stripewise_packing::Packing::of_name("a.gz");
    let mut packer = stripewise_packing::Packer::new(Vec::new(), packing);
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}
