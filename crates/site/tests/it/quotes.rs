//! Values between single quotes, as PHP and SQLite write them with the old address and with the new
//! one: what becomes of the first is the second.
//!
//! The failure: the address was replaced, and its length was not counted again, as a quote within is
//! written as `\'` or `''`.

use std::process::Command;

use crate::forms_kit::{NEW, OLD, pairs};
use crate::skip::skip_unless_all;
use stripewise_site::{Format, InputReport, Options, rewrite};

fn moved(text: &str) -> (String, InputReport) {
    let options = Options {
        format: Some(Format::Text),
        ..Options::default()
    };
    let mut output = Vec::new();
    let report = rewrite(text.as_bytes(), &mut output, &pairs(), &options).unwrap();
    (String::from_utf8(output).unwrap(), report)
}

/// Returns what a program writes; `None` if it is not installed.
fn said(command: &mut Command) -> Option<String> {
    let done = command.output().ok()?;
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    Some(String::from_utf8(done.stdout).unwrap())
}

fn check(old: &str, new: &str, escape: &str) {
    assert!(old.contains(escape), "no {escape}: {old}");
    let (found, report) = moved(old);
    assert_eq!(found, new);
    assert_eq!((report.stuck(), report.broken_count), (0, 0));
}

/// phpMyAdmin's export as an array is written by `var_export`, too.
#[test]
fn what_php_exports_is_counted_again() {
    let script = r#"
class Thing { private $url; function __construct($u) { $this->url = $u; } }
$u = $argv[1] . "/it's\\n";
$s = serialize(['u' => $u]);
$rows = [['v' => $s, 'w' => ''], ['v' => serialize(new Thing($u))], ['v' => json_encode(["it's \"\\", $s])],
  ['v' => serialize(["it's \\", $s])], ['v' => var_export([$s], true)], ['v' => "it's $u"]];
var_export($rows);"#;
    let said_with = |address| said(Command::new("php").args(["-r", script, "--", address]));
    let (Some(old), Some(new)) = (said_with(OLD), said_with(NEW)) else {
        skip_unless_all("php exports values: php-cli is not installed");
        return;
    };
    check(&old, &new, "\\'");
    check(&old, &new, "' . \"\\0\" . '");
}

#[test]
fn what_sqlite_quotes_is_counted_again() {
    let said_with = |address: &str| {
        let text = format!("{address}/it's");
        let inner = format!("a:1:{{i:0;s:{}:\"{text}\";}}", text.len());
        let outer = format!("s:{}:\"it's {inner}\";", inner.len() + 5);
        let select = format!(
            "SELECT 1, '{}', '', '{}', 'it''s {address}';",
            inner.replace('\'', "''"),
            outer.replace('\'', "''")
        );
        let arguments = ["-batch", "-cmd", ".mode quote", ":memory:", &select];
        said(Command::new("sqlite3").args(arguments))
    };
    let (Some(old), Some(new)) = (said_with(OLD), said_with(NEW)) else {
        skip_unless_all("sqlite3 quotes values: sqlite3 is not installed");
        return;
    };
    check(&old, &new, "''");
}

/// A value that is right in no form stays, and is named; prose with quotes does not count as one.
#[test]
fn what_is_right_in_no_form_stays_and_prose_does_not() {
    for old in [
        r#"x = 'a:1:{i:0;s:29:"@/it\'s";}';"#,
        r#"1,'a:1:{i:0;s:29:"@/it''s";}'"#,
        r#"'a:1:{i:0;s:29:"@/it''s \n";}'"#,
        // The address is in a form of its own, or a reading of all of the text sees no length.
        r#"x = 'a:1:{i:0;s:29:"http:\/\/old.example/it\'s";}';"#,
        r#"1,'a:1:{i:0;s:99:"http%3A%2F%2Fold.example/it''s";}'"#,
    ] {
        let old = old.replace('@', OLD);
        let (found, report) = moved(&old);
        assert_eq!((found, report.stuck()), (old, 1));
    }
    for (old, new) in [
        (r"it's @ \\ isn't", r"it's @ \\ isn't"),
        (r#"'a' s:18:"@"; \\ 'b''"#, r#"'a' s:23:"@"; \\ 'b''"#),
        // Right as it stands, and not in a form.
        (
            r#"it's s:18:"@"; s:21:"@\\x"; isn't"#,
            r#"it's s:23:"@"; s:26:"@\\x"; isn't"#,
        ),
        (
            r#"a:2:{i:0;s:33:"it's 's:1:"\\" @";i:1;s:20:"'@'";}"#,
            r#"a:2:{i:0;s:38:"it's 's:1:"\\" @";i:1;s:25:"'@'";}"#,
        ),
    ] {
        let (found, report) = moved(&old.replace('@', OLD));
        assert_eq!((found, report.stuck()), (new.replace('@', NEW), 0));
    }
}

/// Two literals in one text: the first was read as JSON up to the second, so no quote opened that.
#[test]
fn a_literal_behind_another_layer_is_counted_again() {
    let first = r#"'a:1:{s:3:\"url\";s:18:\"@\";}'"#;
    for second in [
        r#"'a:1:{s:3:"url";s:23:"@/it''s";}'"#,
        r#"'a:1:{s:3:"url";s:23:"@/it\'s";}'"#,
    ] {
        let old = format!("{first} nor {second} nor {first}{second}").replace('@', OLD);
        let new = old.replace(OLD, NEW).replace("s:18:", "s:23:");
        let new = new.replace(
            "s:23:\"https://www.new.example/it",
            "s:28:\"https://www.new.example/it",
        );
        assert_ne!(OLD.len(), NEW.len());
        let (found, report) = moved(&old);
        assert_eq!((found, report.stuck()), (new, 0));
    }
}

/// A length of a form that is not read: the address was replaced, and nobody was told.
#[test]
fn an_address_in_a_length_that_is_right_in_no_form_stays_and_is_named() {
    for old in [
        // A shell, in several ways.
        r#"x='a:1:{s:3:"url";s:23:"@/it'\''s";}'"#,
        r#"x='a:1:{s:3:"url";s:23:"@/it'"'"'s";}'"#,
        r#"x=a:1:\{s:3:\"url\"\;s:23:\"@/it\'s\"\;\}"#,
        // A template of JavaScript, and a literal over two lines.
        r#"x = `a:1:{s:3:"url";s:25:"@ C:\\dir";}`"#,
        "msgid \"a:1:{s:3:\\\"url\\\";s:26:\\\"a \"\n\"@ b c d\\\";}\"",
        // Rows of mariadb-binlog.
        r#"###   @3='s:33:"a "b" <b>@</b>\x0ax";'"#,
        // In the middle of a text.
        r#"note a:1:{s:3:"url";s:99:"@";} end"#,
    ] {
        let old = old.replace('@', OLD);
        let (found, report) = moved(&old);
        assert_eq!((found, report.stuck()), (old, 1));
    }
    // One length and two addresses are one broken value; what follows is replaced.
    let old = r#"x='s:48:"it'\''s @ and @/b";' @"#.replace('@', OLD);
    let (found, report) = moved(&old);
    assert_eq!((report.broken_count, report.replaced()), (1, 1), "{found}");
}
