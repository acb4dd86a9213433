//! A server loads what was rewritten, and has row by row what the new site would have had.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::forms_kit::{Drawn, Draws, number};
use crate::server::Server;
use crate::skip::skip_unless_all;
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
    check_forms(&server);
}

/// Values in layers of forms: every dump is the one that the new site would have written.
fn check_forms(server: &Server) {
    let count = number("STRIPEWISE_TEST_FORMS_LOADED").unwrap_or(60);
    let mut draws = Draws(number("STRIPEWISE_TEST_SEED").unwrap_or(1));
    let drawn: Vec<Drawn> = (0..count).map(|_| Drawn::draw(&mut draws)).collect();
    let folder = server.folder.path();
    for (database, address) in [
        ("forms", crate::forms_kit::OLD),
        ("forms_wanted", crate::forms_kit::NEW),
    ] {
        let mut statements =
            "CREATE TABLE t (id int, v longtext, b longblob) DEFAULT CHARSET=utf8mb4;\n".to_owned();
        for (id, drawn) in drawn.iter().enumerate() {
            let value = drawn.value(address);
            let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
            statements += &format!(
                "INSERT INTO t VALUES ({id}, CONVERT(x'{hex}' USING utf8mb4), x'{hex}');\n"
            );
        }
        let path = folder.join("forms.sql");
        std::fs::write(&path, statements).unwrap();
        server.load(database, &path);
    }
    for words in [
        &[][..],
        &["--hex-blob"],
        &["--skip-extended-insert", "--complete-insert"],
        &["--xml"],
        &["--xml", "--hex-blob"],
    ] {
        let words = [words, &["--skip-comments"]].concat();
        let dump = server.dump("forms", &words);
        let wanted = server.dump("forms_wanted", &words);
        let wanted = String::from_utf8_lossy(&wanted).replace("forms_wanted", "forms");
        let mut moved = Vec::new();
        let pairs = crate::forms_kit::pairs();
        let report = rewrite(dump.as_slice(), &mut moved, &pairs, &Options::default()).unwrap();
        assert_eq!((report.stuck(), report.rows()), (0, count), "{words:?}");
        let moved = String::from_utf8_lossy(&moved);
        // The server guesses sizes.
        let is_guess = |line: &&str| line.contains("<options ");
        let lines = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !is_guess(line));
            lines.map(str::to_owned).collect()
        };
        let (moved, wanted) = (lines(&moved), lines(&wanted));
        let differs = moved.iter().zip(&wanted).find(|(one, other)| one != other);
        assert!(
            differs.is_none() && moved.len() == wanted.len(),
            "{words:?} {differs:?}"
        );
    }
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
    crate::cuts::check(&server.dump("small", &all), mark, 11);
    crate::cuts::check(&server.dump("small", &["--databases"]), mark, 11);
    let compact = [&all[..], &["--compact"]].concat();
    crate::cuts::check(&server.dump("small", &compact), None, 11);
    let bare = [&all[..], &["--skip-comments"]].concat();
    crate::cuts::check(&server.dump("small", &bare), None, 11);
}
