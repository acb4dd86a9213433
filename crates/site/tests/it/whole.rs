//! A dump that was cut off is no success, wherever that was; text that is no dump stays one.
//!
//! The failure: half of a dump, cut between two words of a statement, had exit code 0.

use crate::cuts::{check, pairs};
use stripewise_site::{Format, Options, RewriteError, rewrite};

fn run(text: &str, options: &Options) -> Result<(String, u64), RewriteError> {
    let mut out = Vec::new();
    let report = rewrite(text.as_bytes(), &mut out, &pairs(), options)?;
    Ok((String::from_utf8(out).unwrap(), report.replaced()))
}

/// As pg_dump 15 and the shell of SQLite 3.40 wrote them.
#[test]
fn a_dump_that_is_cut_off_fails() {
    let postgres = include_str!("../data/pg_dump.sql");
    check(postgres.as_bytes(), Some(" dump complete"), 1);
    let (out, replaced) = run(postgres, &Options::default()).unwrap();
    assert_eq!(replaced, 2);
    assert!(
        out.contains(r#"'a:1:{i:0;s:23:"https://www.new.example";}'"#),
        "{out}"
    );
    let cluster = format!(
        "--\n-- PostgreSQL database cluster dump\n--\n{postgres}\n--\n-- PostgreSQL database cluster dump complete\n--\n"
    );
    assert!(crate::cuts::passes(cluster.as_bytes()));
    assert!(!crate::cuts::passes(
        &cluster.as_bytes()[..cluster.len() - 50]
    ));
    let sqlite = include_str!("../data/sqlite_dump.sql");
    check(sqlite.as_bytes(), Some("COMMIT;"), 1);
    // What SQLite writes if it could not read a table.
    let failed = sqlite.replace("COMMIT;", "ROLLBACK; -- due to errors");
    assert!(!crate::cuts::passes(failed.as_bytes()));
    // Two dumps in one file: the second is cut off.
    let whole = "-- MySQL dump 10.19\nINSERT INTO `t` VALUES (1);\n-- Dump completed\n";
    assert!(crate::cuts::passes(whole.repeat(2).as_bytes()));
    assert!(!crate::cuts::passes(
        (whole.to_owned() + &whole[..48]).as_bytes()
    ));
}

#[test]
fn a_part_is_accepted_if_asked_for() {
    let part = "UPDATE a SET b = 'http://old.example' WHERE id = 1";
    let error = run(part, &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the input ends inside a statement, after 50 bytes: it is cut off"
    );
    assert!(error.hint().unwrap().contains("--partial"));
    let partial = Options {
        partial: true,
        ..Options::default()
    };
    assert_eq!(run(part, &partial).unwrap().1, 1);
    let feed = "<rss><item><![CDATA[http://old.example]]></item>";
    let error = run(feed, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("</rss>"), "{error}");
    assert_eq!(
        run(&format!("{feed}</rss>\n"), &Options::default())
            .unwrap()
            .1,
        1
    );
}

/// Rows of `COPY` lie outside of quotes: their addresses would stay without a word.
#[test]
fn rows_of_copy_are_read_or_refused() {
    let copy = |options: &str, row: &str| {
        format!(
            "--\n-- PostgreSQL database dump\n--\nCOPY public.a (b, c) FROM stdin{options};\n{row}\n\\.\n--\n-- PostgreSQL database dump complete\n--\n"
        )
    };
    let (out, replaced) = run(&copy("", "http://old.example\t\\N"), &Options::default()).unwrap();
    assert_eq!(replaced, 1);
    assert_eq!(out, copy("", "https://www.new.example\t\\N"));
    for options in [" WITH (FORMAT csv)", " CSV", " BINARY"] {
        let error = run(&copy(options, "http://old.example,1"), &Options::default()).unwrap_err();
        assert!(error.to_string().contains("`COPY a`"), "{error}");
        assert!(error.hint().unwrap().contains("pg_dump"), "{error}");
    }
    let cut = copy("", "http://old.example\t\\N");
    let error = run(&cut[..90], &Options::default()).unwrap_err();
    assert!(error.to_string().contains("rows of `COPY`"), "{error}");
    for archive in [&b"PGDMP\x01\x0f\0\x04"[..], b"PGDMP"] {
        let error = rewrite(archive, std::io::sink(), &pairs(), &Options::default()).unwrap_err();
        assert!(error.hint().unwrap().contains("pg_restore"), "{error}");
    }
}

/// A comment begins scripts, style sheets and prose, too. Read as SQL, their addresses would stay.
#[test]
fn text_that_is_no_dump_is_text() {
    for text in [
        "# Moving\n\nIt's at http://old.example now",
        "/* It's a style */\nbody { background: url(http://old.example/a.png) }\n",
        "#!/bin/sh\n# don't\ncurl http://old.example",
        "-- It's Lua\nlocal url = [[http://old.example]]",
        "Use http://old.example",
        "Set up http://old.example, it's easy",
        "Create an account at http://old.example",
        "Start at http://old.example",
        "Update: http://old.example",
        "Begin with http://old.example",
        "Drop by at http://old.example",
        "define('WP_HOME', 'http://old.example')",
        "<?php // it's http://old.example\n",
        "# key: it's\nurl: http://old.example\n",
        "[client]\n; it's\nurl = http://old.example",
        "{\"url\":\"http://old.example\"",
    ] {
        assert_eq!(Format::detect(text.as_bytes()), Format::Text, "{text}");
        let (out, replaced) = run(text, &Options::default()).unwrap();
        assert_eq!(replaced, 1, "{text}");
        assert_eq!(
            out,
            text.replace("http://old.example", "https://www.new.example")
        );
    }
    for text in [
        "# WordPress MySQL database backup\n#\nDROP TABLE IF EXISTS `wp_a`;\n",
        "/* c */ INSERT INTO a VALUES (1);",
        "-- phpMyAdmin SQL Dump\n-- version 5\n",
        "/*!40101 SET NAMES binary*/;\n",
        "SET NAMES utf8mb4;\n",
        "SET @OLD = @@a;",
        "use site;\n",
        "USE `site`;\n",
        "update wp_options set a = 'b';",
        "BEGIN;\n",
        "PRAGMA foreign_keys=OFF;\n",
        "insert\ninto a values (1);",
        "TRUNCATE `a`;",
        "CREATE ALGORITHM=UNDEFINED VIEW a AS SELECT 1;",
    ] {
        assert_eq!(Format::detect(text.as_bytes()), Format::Sql, "{text}");
    }
}
