//! A server loads what was rewritten, and has row by row what the new site would have had.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

mod cuts;
mod server;
mod skip;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use server::Server;
use skip::skip_unless_all;
use stripewise_site::{Options, Pair, Pairs, Policy, rewrite};

const NEW: &str = "https://www.new-site.example.org";

fn generated(path: &Path, words: &[&str]) -> bool {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/gen_dump.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .args(["--seed", "5", "--mb", "1", "--out"])
        .arg(path)
        .args(words);
    command
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn a_server_has_the_rows_of_the_new_site() {
    let Some(server) = Server::start() else {
        skip_unless_all("a round trip through MariaDB: mariadb-server is not installed");
        return;
    };
    let folder = server.folder.path();
    let (old, new) = (folder.join("old.sql"), folder.join("new.sql"));
    if !generated(&old, &[]) {
        skip_unless_all("a round trip through MariaDB: python3 is not installed");
        return;
    }
    assert!(generated(&new, &["--url", NEW, "--path", "/srv/new"]));
    server.load("old_site", &old);
    server.load("wanted", &new);
    let pair = |from: &str, to: &str| Pair {
        from: from.as_bytes().to_vec(),
        to: to.as_bytes().to_vec(),
    };
    let pairs = [
        pair("http://old.example.com", NEW),
        pair("/var/www/vhosts/old/htdocs", "/srv/new"),
        pair("old.example.com", "www.new-site.example.org"),
    ];
    let pairs = Pairs::new(&pairs, Policy::default()).unwrap();
    let wanted = server.dump("wanted", &["--skip-comments", "--skip-extended-insert"]);
    for (database, words) in [
        ("plain", &[][..]),
        ("hex", &["--hex-blob", "--skip-extended-insert"]),
    ] {
        let dump = server.dump("old_site", words);
        let path = folder.join("moved.sql");
        let file = File::create(&path).unwrap();
        rewrite(dump.as_slice(), file, &pairs, &Options::default()).unwrap();
        server.load(database, &path);
        let found = server.dump(database, &["--skip-comments", "--skip-extended-insert"]);
        assert!(found == wanted, "{database}");
    }
    check_cuts(&server);
}

/// Cuts real dumps, with code in which a `;` ends no statement of the dump, at every eleventh byte.
fn check_cuts(server: &Server) {
    server.sql(
        "CREATE DATABASE small; USE small; CREATE TABLE t (a int, b text);
        INSERT INTO t VALUES (1, 'http://old.example/it''s; x'), (2, NULL);
        CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.b = 'y;';
        CREATE VIEW v AS SELECT a FROM t;
        CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t WHERE a > 9;",
    );
    let code = "BEGIN START TRANSACTION; INSERT INTO t VALUES (3, 'z;'); COMMIT; END";
    server.sql(&format!(
        "DELIMITER //\nCREATE PROCEDURE small.p() {code}//\nDELIMITER ;\n"
    ));
    let all = ["--routines", "--events", "--triggers"];
    let mark = Some("-- Dump completed");
    cuts::check(&server.dump("small", &all), mark, 11);
    cuts::check(&server.dump("small", &["--databases"]), mark, 11);
    let compact = [&all[..], &["--compact"]].concat();
    cuts::check(&server.dump("small", &compact), None, 11);
    let bare = [&all[..], &["--skip-comments"]].concat();
    cuts::check(&server.dump("small", &bare), None, 11);
}
