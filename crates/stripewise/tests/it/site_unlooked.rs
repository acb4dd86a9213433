//! What `stripewise site` did not look at or judge, which must never pass as right.
//!
//! The failures: an empty dump was called right; so was one whose cache hid an old address in gzip, in
//! hexadecimal digits. One closed directory ended the check of all others without a result.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::support::{Bench, Done, is_root, skip, with};

fn site(bench: &Bench, words: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
    command.arg("site");
    bench.finish(with(bench.isolate(command), words.iter().copied()))
}

/// What gzip makes of `http://old.example/`, and the same in base64.
const PACKED: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb())\xb0\xd2\xd7\xcf\xcfI\xd1K\xadH\xcc-\xc8I\xd5\x07\x00Z\xbcq\xf8\x13\x00\x00\x00";
const IN_BASE64: &str = "H4sIAAAAAAACA8soKSmw0tfPz0nRS61IzC3ISdUHAFq8cfgTAAAA";

/// Nothing was looked at, so nothing is right: an empty dump passed as one without an old address.
#[test]
fn what_holds_nothing_is_not_called_right() {
    let Some(bench) = Bench::new() else { return };
    fs::create_dir_all(bench.path("empty/below")).unwrap();
    bench.write("empty.sql", "");
    bench.write("tables.sql", "CREATE TABLE t (a int);\n");
    bench.write("full.sql", "INSERT INTO t VALUES ('a');\n");
    for (words, what) in [
        ("empty.sql", "`empty.sql`: it holds no value to look at"),
        ("tables.sql", "`tables.sql`: it holds no value to look at"),
        ("--root empty", "it holds no file to look at"),
        ("full.sql --root empty", "it holds no file to look at"),
    ] {
        let words: Vec<&str> = "verify --from http://old.example"
            .split(' ')
            .chain(words.split(' '))
            .collect();
        let done = site(&bench, &words);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(done.stdout.contains(what), "{}", done.transcript());
        let done = site(&bench, &[&words[..], &["--json"]].concat());
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(
            done.stdout.contains("\"is_right\": null"),
            "{}",
            done.transcript()
        );
    }
    let scan = |name| site(&bench, &["scan", "--from", "http://old.example", name]).code;
    assert_eq!((scan("empty.sql"), scan("full.sql")), (Some(2), Some(0)));
}

/// A dump that loads another file was called right, though nothing had looked at that.
#[test]
fn what_a_dump_includes_is_not_called_right() {
    let Some(bench) = Bench::new() else { return };
    let row = "INSERT INTO t VALUES ('a');\n";
    for (index, (line, included)) in [
        ("SOURCE parts/rows.sql;", "parts/rows.sql"),
        ("\\. rows.sql", "rows.sql"),
        ("\\ir 'rows.sql'", "rows.sql"),
        ("\\copy t from 'rows.txt'", "rows.txt"),
        (".read rows.sql", "rows.sql"),
        (".import --csv rows.csv t", "rows.csv"),
        (
            "LOAD DATA LOCAL INFILE '/tmp/rows.txt' INTO TABLE t;",
            "/tmp/rows.txt",
        ),
        ("LOAD XML INFILE 'rows.xml' INTO TABLE t;", "rows.xml"),
        ("COPY t FROM '/tmp/rows.txt';", "/tmp/rows.txt"),
        ("COPY t FROM PROGRAM 'zcat rows.gz';", "zcat rows.gz"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("{index}.sql");
        bench.write(&name, &format!("{row}{line}\n{row}"));
        for verb in ["verify", "scan", "rewrite"] {
            let to: &[&str] = match verb {
                "rewrite" => &["--to", "http://new.example", "--dry-run"],
                _ => &[],
            };
            let words = [
                &[verb, "--from", "http://old.example"],
                to,
                &[name.as_str()],
            ]
            .concat();
            let done = site(&bench, &words);
            let wanted = Some(if verb == "rewrite" { 0 } else { 2 });
            let what = format!("reads `{included}`, too, which was not looked at");
            let said = format!("{}{}", done.stdout, done.stderr);
            assert_eq!(done.code, wanted, "{}", done.transcript());
            assert!(said.contains(&what), "{}", done.transcript());
        }
    }
    // A script that begins with such lines is SQL, too.
    for (index, text) in [
        "\\set ON_ERROR_STOP on\nBEGIN;\n\\i rows.sql\nCOMMIT;\n",
        "-- all of it\n\\i rows.sql\n",
        ".bail on\n.read rows.sql\n",
        "source rows.sql;\nsource more.sql;\n",
        "\\. rows.sql\n",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("all-{index}.sql");
        bench.write(&name, text);
        let done = site(&bench, &["verify", "--from", "http://old.example", &name]);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(
            done.stdout.contains("reads `rows.sql`"),
            "{}",
            done.transcript()
        );
    }
    bench.write("all.sh", "source ./settings.sh\necho .read\n");
    let done = site(
        &bench,
        &["verify", "--from", "http://old.example", "all.sh"],
    );
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    // What is an input, too, was looked at; and what only writes or is prose includes nothing.
    bench.write("rows.sql", row);
    let plain = format!(
        "{row}\\connect site\n-- SOURCE a.sql\nCOPY t TO '/tmp/rows.txt';\nINSERT INTO t VALUES ('INFILE');\n"
    );
    bench.write("plain.sql", &plain);
    for words in [&["0.sql", "rows.sql"][..], &["plain.sql"]] {
        let words = [&["verify", "--from", "http://old.example"], words].concat();
        let done = site(&bench, &words);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
}

/// A cache in a table hides an address as well as a packed file does, however its bytes are written.
#[test]
fn what_is_packed_in_a_value_is_not_called_right() {
    let Some(bench) = Bench::new() else { return };
    let packed = PACKED;
    let digits: String = packed.iter().map(|byte| format!("{byte:02X}")).collect();
    let text = IN_BASE64;
    let binary = [b"(1,_binary '", packed, b"')"].concat();
    let count = text.len();
    for (index, value) in [
        format!("(1,0x{digits})").into_bytes(),
        format!("(1,'\\\\x{}')", digits.to_lowercase()).into_bytes(),
        format!("(1,'{text}')").into_bytes(),
        format!("(1,'a:1:{{i:0;s:{count}:\"{text}\";}}')").into_bytes(),
        binary
            .iter()
            .flat_map(|byte| match byte {
                0 => b"\\0".to_vec(),
                byte => vec![*byte],
            })
            .collect(),
        // Longer than the part that stays in memory.
        format!("(1,'{}{text}')", "a ".repeat(5 << 20)).into_bytes(),
    ]
    .into_iter()
    .enumerate()
    {
        let dump = [b"INSERT INTO `cache` VALUES ", &value[..], b";\n"].concat();
        fs::write(bench.path("dump.sql"), dump).unwrap();
        for command in ["verify", "scan"] {
            let words = [command, "--from", "http://old.example", "dump.sql"];
            let done = site(&bench, &words);
            assert_eq!(done.code, Some(2), "{index}: {}", done.transcript());
            let named = "cache.2, row 1: something in it is packed (gzip) and was not looked at";
            assert!(
                done.stdout.contains(named),
                "{index}: {}",
                done.transcript()
            );
            let document = site(&bench, &[&words[..], &["--json"]].concat()).stdout;
            let document: serde_json::Value = serde_json::from_str(&document).unwrap();
            let dump = &document["dumps"][0];
            assert_eq!(
                (&dump["packed_count"], &dump["looked_at"]),
                (&1.into(), &1.into())
            );
            assert_eq!(dump["packed"][0]["packing"], "gzip");
            assert_eq!(document["is_right"], serde_json::Value::Null);
        }
    }
}

/// A table of ids was called packed: one of 16,000 begins as a stream of zlib or compress(1) does.
#[test]
fn a_table_of_ids_is_right() {
    let Some(bench) = Bench::new() else { return };
    let mut dump = String::from("INSERT INTO `users` VALUES ");
    for (sign, id) in ["7801", "785e", "789c", "78da", "1f9d"].iter().zip(1..) {
        dump += &format!("({id},0x{sign}4f6d0b8143d19e5af7c7a20bd1),");
    }
    bench.write("dump.sql", &(dump + "(9,'x^2');\n"));
    for command in ["verify", "scan"] {
        let done = site(
            &bench,
            &[command, "--from", "http://old.example", "dump.sql"],
        );
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
}

/// One directory that cannot be read hides what is in it, and nothing else.
#[test]
fn a_directory_that_cannot_be_read_is_named_and_the_rest_is_judged() {
    let Some(bench) = Bench::new() else { return };
    if !is_root() {
        return skip("a closed directory", "only root can become another user");
    }
    for name in ["site/a/one", "site/locked/two", "site/z/three"] {
        fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
        bench.write(name, "http://old.example\n");
    }
    let close = |name: &str, bits| {
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(bits)).unwrap()
    };
    close("site/locked", 0o700);
    let as_nobody = |words: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(env!("CARGO_BIN_EXE_stripewise")).arg("site");
        bench.finish(with(bench.isolate(command), words.iter().copied()))
    };
    let verify = ["verify", "--root", "site", "--json", "--from"];
    // Found in the rest, or not.
    for (from, code, is_right) in [
        ("http://old.example", 1, Some(false)),
        ("http://other", 2, None),
    ] {
        let done = as_nobody(&[&verify[..], &[from]].concat());
        assert_eq!(done.code, Some(code), "{}", done.transcript());
        let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(found["is_right"].as_bool(), is_right, "{}", done.stdout);
        assert_eq!(found["files"]["looked_at"], 2, "{}", done.stdout);
        assert_eq!(found["files"]["not_looked_at"]["directory"], 1);
        assert_eq!(found["files"]["not_looked_at_files"][0]["path"], "locked");
    }
    // Its own mode can be judged, and what is in it cannot.
    let mine = ["permissions", "--root", "site", "--server-user", "0"];
    let done = as_nobody(&mine);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stdout
            .contains("locked: not judged: it cannot be read"),
        "{}",
        done.transcript()
    );
    assert!(
        done.stdout.contains("0 to change; 1 not judged"),
        "{}",
        done.transcript()
    );
}

/// Root was led by a link of the site's owner, and opened other files to the server.
#[test]
fn modes_are_not_set_behind_a_link_of_another_user() {
    let Some(bench) = Bench::new() else { return };
    if !is_root() {
        return skip("links of other users", "only root can make them");
    }
    fs::create_dir(bench.path("private")).unwrap();
    bench.write("private/key.php", "secret");
    let mode = |bits| {
        fs::set_permissions(
            bench.path("private/key.php"),
            fs::Permissions::from_mode(bits),
        )
        .unwrap()
    };
    mode(0o600);
    std::os::unix::fs::symlink("private", bench.path("www")).unwrap();
    std::os::unix::fs::lchown(bench.path("www"), Some(65534), None).unwrap();
    let words = [
        "permissions",
        "--root",
        "www",
        "--server-user",
        "65534",
        "--apply",
        "--store",
        "s.db",
    ];
    let done = site(&bench, &words);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr
            .contains("a symbolic link of another user (uid 65534)"),
        "{}",
        done.stderr
    );
    let bits = || {
        fs::metadata(bench.path("private/key.php"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(bits(), 0o600);
    std::os::unix::fs::lchown(bench.path("www"), Some(0), None).unwrap();
    assert_eq!(site(&bench, &words).code, Some(0));
    assert_ne!(bits(), 0o600);
}

/// A directory that stands in a listing without its contents passed as one in which all is right.
#[test]
fn a_directory_whose_contents_are_not_listed_is_named() {
    let Some(bench) = Bench::new() else { return };
    let file = |name: &str| format!("-rw-r----- 1 me www 3 Nov 28 08:00 {name}\n");
    let folder = |name: &str| format!("drwxr-x--- 2 me www 4096 Nov 28 08:00 {name}\n");
    let permissions = |listing: String| {
        bench.write("list.txt", &listing);
        site(
            &bench,
            &[
                "permissions",
                "--listing",
                "list.txt",
                "--server-user",
                "www",
            ],
        )
    };
    for (listing, unlisted) in [
        (folder("a") + &file("b.css"), 1),
        (folder("a") + "a:\ntotal 0\n", 0),
        (folder("a") + "\n./a:\n" + &folder("b"), 1),
        (folder("a") + "sftp> ls -l a\n", 0),
        (folder("a") + "sftp> ls -la \"a/\"\n" + &file("a/b.css"), 0),
        (folder("a") + &file("a/b.css"), 0),
    ] {
        let done = permissions(listing);
        assert_eq!(
            done.code,
            Some(if unlisted == 0 { 0 } else { 2 }),
            "{}",
            done.transcript()
        );
        let total = format!("0 to change; {unlisted} not judged");
        assert!(done.stdout.contains(&total), "{}", done.transcript());
    }
    let done = permissions(folder("a") + &file("b.css"));
    let named = "a: not judged: what is in this directory is not in the listing";
    assert!(done.stdout.contains(named), "{}", done.transcript());
}
