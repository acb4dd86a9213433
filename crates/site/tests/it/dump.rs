//! Whole dumps: cut anywhere, packed, with long values, and against a slow rewriter that looks at
//! every byte.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

use crate::oracle::{Json, Value, json, quoted, serialized, with_keys};
use crate::skip::skip_unless_all;
use proptest::prelude::*;
use stripewise_site::report::Fault;
use stripewise_site::{
    Format, InputReport, Options, Pair, Pairs, Policy, RewriteError, rewrite, rewrite_value,
};

const OLD: &str = "http://old.example.com";
const NEW: &str = "https://www.new-site.example.org";

fn pairs_of(pairs: &[(&str, &str)], policy: Policy) -> Pairs {
    let pairs = pairs.iter().map(|(from, to)| Pair {
        from: from.as_bytes().to_vec(),
        to: to.as_bytes().to_vec(),
    });
    Pairs::new(&pairs.collect::<Vec<_>>(), policy).unwrap()
}

fn pairs() -> Pairs {
    pairs_of(&[(OLD, NEW)], Policy::default())
}

fn run(input: &[u8], options: &Options) -> (Vec<u8>, Result<InputReport, RewriteError>) {
    let mut output = Vec::new();
    let report = rewrite(input, &mut output, &pairs(), options);
    (output, report)
}

fn text(input: &str) -> String {
    let (value, _) = rewrite_value(input.as_bytes(), &pairs());
    String::from_utf8(value).unwrap()
}

fn sql(input: &str) -> String {
    let (output, report) = run(input.as_bytes(), &Options::default());
    report.unwrap();
    String::from_utf8(output).unwrap()
}

/// Reads a few bytes at a time.
struct Slowly<'a>(&'a [u8], usize);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b" @/a ".to_vec()),
        Just(b"@".to_vec()),
        Just(b"\";s:3:\"x".to_vec()),
        Just(b"s:9:\"abc\";".to_vec()),
        Just(b" a:1:{i:0;".to_vec()),
        Just(b"}".to_vec()),
        Just(b"\\'\0\n\r\x1a\"%_".to_vec()),
        Just("größe 日本".as_bytes().to_vec()),
        proptest::collection::vec(
            any::<u8>().prop_filter("not the mark", |byte| *byte != b'@'),
            0..12
        ),
    ];
    // Letters after an address would be another one.
    proptest::collection::vec(part, 0..5).prop_map(|parts| parts.join(&b' '))
}

/// Draws values with as many levels of JSON in strings of JSON: in a third one, no address is found.
fn values(levels: u8) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::Whole),
        texts().prop_map(Value::Text)
    ];
    let leaf = match levels {
        0 => leaf.boxed(),
        _ => {
            let inner = values(0).prop_map(Box::new);
            let json = (inner, styles(levels)).prop_map(|(value, style)| Value::Json(value, style));
            prop_oneof![2 => leaf, 1 => json].boxed()
        }
    };
    let values = leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![
            any::<i64>().prop_map(Value::Whole),
            texts().prop_map(Value::Text)
        ];
        let pairs = proptest::collection::vec((key, inner.clone()), 0..4);
        prop_oneof![
            pairs.clone().prop_map(Value::List),
            pairs.prop_map(Value::Object),
            inner.prop_map(|value| Value::Nested(Box::new(value))),
        ]
    });
    values.boxed()
}

fn styles(levels: u8) -> impl Strategy<Value = Json> {
    (1..=levels, any::<bool>()).prop_map(|(levels, slash)| Json { levels, slash })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A value written with the new address is the oracle: nothing in it was replaced.
    #[test]
    fn a_value_is_what_the_new_site_would_have_written(value in values(2)) {
        let (found, _) = rewrite_value(&serialized(&value, OLD.as_bytes()), &pairs());
        let wanted = serialized(&value, NEW.as_bytes());
        prop_assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&wanted));
    }

    #[test]
    fn json_is_what_the_new_site_would_have_written((value, style) in prop_oneof![(values(1), styles(1)), (values(0), styles(2))]) {
        let written = |address: &str| json(&serialized(&value, address.as_bytes()), style);
        let (found, _) = rewrite_value(&written(OLD), &pairs());
        let wanted = written(NEW);
        prop_assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&wanted));
    }

    #[test]
    fn a_dump_is_what_the_new_site_would_have_dumped(values in proptest::collection::vec(values(2), 1..6), step in 1_usize..400) {
        let dump = |address: &str| {
            let rows = values.iter().map(|value| {
                [b"(1,".to_vec(), quoted(&serialized(value, address.as_bytes())), b",'x')".to_vec()].concat()
            });
            let rows = rows.collect::<Vec<_>>().join(&b","[..]);
            [b"INSERT INTO `t` VALUES ".to_vec(), rows, b";\n".to_vec()].concat()
        };
        let mut output = Vec::new();
        let old = dump(OLD);
        rewrite(Slowly(&old, step), &mut output, &pairs(), &Options::default()).unwrap();
        let wanted = dump(NEW);
        prop_assert_eq!(String::from_utf8_lossy(&output), String::from_utf8_lossy(&wanted));
    }

    /// Any bytes without an address come out as they went in.
    #[test]
    fn nothing_else_changes(bytes in proptest::collection::vec(any::<u8>(), 0..300), format in 0..4) {
        let formats = [Format::Sql, Format::Tsv, Format::Text, Format::Xml];
        let options = Options {
            format: Some(formats[usize::try_from(format).unwrap()]),
            partial: true,
            ..Options::default()
        };
        let (output, report) = run(&bytes, &options);
        if report.is_ok() {
            prop_assert_eq!(output, bytes);
        }
    }
}

#[test]
fn an_address_ends_where_its_name_ends() {
    for other in [
        "http://old.example.com.au/",
        "http://old.example.community",
        "http://old.example.com-shop.org",
    ] {
        assert_eq!(text(other), other);
    }
    assert_eq!(
        text("See http://old.example.com. Bye"),
        format!("See {NEW}. Bye")
    );
    assert_eq!(text("http://old.example.com:8080/"), format!("{NEW}:8080/"));
    let host = |input: &str, policy: Policy| {
        let pairs = pairs_of(&[("old.example", "new.example")], policy);
        String::from_utf8(rewrite_value(input.as_bytes(), &pairs).0).unwrap()
    };
    let keep = Policy::default();
    assert_eq!(
        host("notold.example www.old.example a@old.example", keep),
        "notold.example www.old.example a@old.example"
    );
    let subdomains = Policy {
        subdomains: true,
        ..keep
    };
    assert_eq!(
        host("notold.example www.old.example", subdomains),
        "notold.example www.new.example"
    );
    let emails = Policy {
        emails: true,
        ..keep
    };
    assert_eq!(host("a@old.example", emails), "a@new.example");
    let any_case = Policy {
        ignore_case: true,
        ..keep
    };
    assert_eq!(host("OLD.Example", any_case), "new.example");
    let path = pairs_of(&[("/srv/old", "/var/new")], any_case);
    let found = rewrite_value(b"/srv/older /srv/old-2 /SRV/OLD /srv/old/x", &path).0;
    assert_eq!(found, b"/srv/older /srv/old-2 /SRV/OLD /var/new/x");
}

#[test]
fn keys_stay_where_asked() {
    let keep = Policy {
        keys: false,
        ..Policy::default()
    };
    let pairs = pairs_of(&[(OLD, NEW)], keep);
    let input = format!("a:1:{{s:22:\"{OLD}\";s:22:\"{OLD}\";}}");
    let (found, report) = rewrite_value(input.as_bytes(), &pairs);
    let wanted = format!("a:1:{{s:22:\"{OLD}\";s:32:\"{NEW}\";}}");
    assert_eq!(String::from_utf8(found).unwrap(), wanted);
    assert_eq!(report.left_keys(), 1);
}

#[test]
fn serialized_values_in_json_are_counted_again() {
    let input = r#"{"data":"x a:1:{s:1:\"u\";s:22:\"http:\/\/old.example.com\";} y","n":1}"#;
    let wanted =
        r#"{"data":"x a:1:{s:1:\"u\";s:32:\"https:\/\/www.new-site.example.org\";} y","n":1}"#;
    assert_eq!(text(input), wanted);
}

#[test]
fn broken_values_are_left_and_named() {
    let input = "INSERT INTO `o` (`id`, `v`) VALUES (1,'ok'),(2,'a:1:{i:0;s:99:\\\"http://old.example.com\\\";}');\n";
    let (output, report) = run(input.as_bytes(), &Options::default());
    let report = report.unwrap();
    assert_eq!(output, input.as_bytes());
    let broken = &report.broken[0];
    assert_eq!(
        (broken.place.table.as_str(), broken.place.column.as_str()),
        ("o", "v")
    );
    assert_eq!((broken.row, broken.fault), (2, Fault::End));
}

#[test]
fn sql_is_read_as_servers_write_it() {
    let doubled = "INSERT INTO t VALUES ('it''s s:22:\"http://old.example.com\";');\n";
    assert_eq!(
        sql(doubled),
        "INSERT INTO t VALUES ('it''s s:32:\"https://www.new-site.example.org\";');\n"
    );
    // A backslash is a letter here.
    let mode = "SET SQL_MODE='NO_BACKSLASH_ESCAPES';\nINSERT INTO t VALUES ('C:\\','http://old.example.com');\n";
    assert_eq!(sql(mode), mode.replace(OLD, NEW));
    let (hex, wanted) = (hex(OLD.as_bytes()), hex(NEW.as_bytes()));
    assert_eq!(
        sql(&format!("INSERT INTO t VALUES (0x{hex});\n")),
        format!("INSERT INTO t VALUES (0x{wanted});\n")
    );
    assert_eq!(
        sql(&format!("INSERT INTO t VALUES (x'{hex}');\n")),
        format!("INSERT INTO t VALUES (x'{wanted}');\n")
    );
    let comments = "/*!999999\\- enable the sandbox mode */ \n-- it's http://old.example.com\n# it's\n/* ' */ INSERT INTO `a``b` VALUES (_binary 'http://old.example.com');\n";
    let wanted = comments.replace(
        "_binary 'http://old.example.com'",
        &format!("_binary '{NEW}'"),
    );
    assert_eq!(sql(comments), wanted);
    let options = Options {
        tables: vec!["a".to_owned()],
        ..Options::default()
    };
    let two = "INSERT INTO `a` VALUES ('http://old.example.com');\nINSERT INTO `b` VALUES ('http://old.example.com');\n";
    let (output, _) = run(two.as_bytes(), &options);
    assert_eq!(
        String::from_utf8(output).unwrap(),
        two.replacen(OLD, NEW, 1)
    );
    let gbk = "SET NAMES gbk;\n";
    assert!(matches!(
        run(gbk.as_bytes(), &Options::default()).1,
        Err(RewriteError::CharacterSet { .. })
    ));
}

fn hex(text: &[u8]) -> String {
    text.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[test]
fn a_value_of_any_length_is_rewritten() {
    let filler = "Füller \\' ".repeat(1_800_000);
    let decoded = filler.replace("\\'", "'").len();
    let dump = |address: &str| {
        let inner = decoded * 2 + address.len() + 1;
        format!(
            "INSERT INTO `t` VALUES ('a:1:{{i:0;s:{inner}:\\\"{filler}{address}/{filler}\\\";}}'),('{address}');\n"
        )
    };
    let (output, report) = run(dump(OLD).as_bytes(), &Options::default());
    assert_eq!(report.unwrap().replaced(), 2);
    assert!(
        output == dump(NEW).as_bytes(),
        "the long value is another one"
    );
}

/// Values that are longer than the memory for values: texts, lists in lists, keys, and strings and
/// JSON that hold all of that again.
#[test]
fn a_long_value_with_many_addresses_is_rewritten() {
    let text = |text: &str| Value::Text(text.as_bytes().to_vec());
    let filler = "it's \"long\" ".repeat(80);
    let entries = (0..8_200).map(|number| {
        let inner = vec![
            (text("filler"), text(&filler)),
            (text("url @/k "), text("it's \"@/a \" ")),
            (
                Value::Whole(number),
                Value::List(vec![(Value::Whole(0), text("@"))]),
            ),
        ];
        let nested = Value::Nested(Box::new(Value::Object(inner.clone())));
        (
            Value::Whole(number),
            Value::List([inner, vec![(text("n"), nested)]].concat()),
        )
    });
    let list = Value::List(entries.collect());
    let slash = true;
    let string = Value::Json(Box::new(list.clone()), Json { levels: 1, slash });
    for (value, keys) in [(list, true), (string, false)] {
        let dump = |in_keys: &str, address: &str| {
            let value = with_keys(&value, address.as_bytes(), in_keys.as_bytes());
            assert!(value.len() > 16 << 20, "{}", value.len());
            [b"INSERT INTO `t` VALUES (", &quoted(&value)[..], b");\n"].concat()
        };
        let policy = Policy {
            keys,
            ..Policy::default()
        };
        let mut output = Vec::new();
        let pairs = pairs_of(&[(OLD, NEW)], policy);
        let old = dump(OLD, OLD);
        rewrite(old.as_slice(), &mut output, &pairs, &Options::default()).unwrap();
        let in_keys = if keys { NEW } else { OLD };
        assert!(output == dump(in_keys, NEW), "keys: {keys}");
    }
}

/// What cannot be counted again is left, and counted.
#[test]
fn broken_values_in_json_are_left_and_named() {
    for style in [1, 2].map(|levels| Json {
        levels,
        slash: true,
    }) {
        let broken = json(b"s:21:\"http://old.example.com\";", style);
        let (found, report) = rewrite_value(&broken, &pairs());
        assert_eq!(
            String::from_utf8_lossy(&found),
            String::from_utf8_lossy(&broken)
        );
        assert_eq!(
            (report.broken_count, report.replaced()),
            (1, 0),
            "{style:?}"
        );
        // It need not be all of the text; a length that does not reach the address is prose.
        let within = json(b"s:21:\"http://old.example.com\"; is a string", style);
        let (_, report) = rewrite_value(&within, &pairs());
        assert_eq!((report.broken_count, report.replaced()), (1, 0));
        let prose = json(b"s:4:\"a\"; http://old.example.com is a string", style);
        let (_, report) = rewrite_value(&prose, &pairs());
        assert_eq!(
            (report.broken_count, report.replaced()),
            (0, 1),
            "{style:?}"
        );
    }
}

#[test]
fn text_in_base64_that_is_too_long_is_counted() {
    use base64::Engine as _;
    let packed = |address: &str, size: usize| {
        let text = format!("{} {address}/", "x".repeat(size));
        let inner = base64::engine::general_purpose::STANDARD.encode(text);
        format!("INSERT INTO `t` VALUES ('{inner}','{address}');\n")
    };
    let policy = Policy {
        base64: true,
        ..Policy::default()
    };
    let pairs = pairs_of(&[(OLD, NEW)], policy);
    let run = |input: &str| {
        let mut output = Vec::new();
        let report = rewrite(input.as_bytes(), &mut output, &pairs, &Options::default()).unwrap();
        (output, report.replaced(), report.left_base64())
    };
    let (output, replaced, left) = run(&packed(OLD, 11 << 20));
    assert!(output == packed(NEW, 11 << 20).as_bytes());
    assert_eq!((replaced, left), (2, 0));
    let long = packed(OLD, 13 << 20);
    let (output, replaced, left) = run(&long);
    assert!(
        output
            == long
                .replace(&format!("'{OLD}'"), &format!("'{NEW}'"))
                .as_bytes()
    );
    assert_eq!((replaced, left), (1, 1));
}

#[test]
fn what_is_cut_off_fails() {
    let whole = "-- MySQL dump 10.19\n/* c */ INSERT INTO `t` VALUES (1,'it''s \\' x');\n-- Dump completed\n";
    assert!(run(whole.as_bytes(), &Options::default()).1.is_ok());
    for length in 20..whole.len() - 20 {
        let (_, report) = run(&whole.as_bytes()[..length], &Options::default());
        assert!(report.is_err(), "{}", &whole[..length]);
    }
}

/// The generator of the collection: the same seed with another address is the ideal result.
#[test]
fn a_generated_dump_is_the_ideal_one() {
    let dump = |words: &[&str]| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/gen_dump.py");
        let common = ["--seed", "7", "--mb", "2", "--email-domain", "mail.invalid"];
        let mut command = Command::new("python3");
        command
            .arg(script)
            .args(common)
            .args(words)
            .stderr(Stdio::null());
        command
            .output()
            .ok()
            .filter(|done| done.status.success())
            .map(|done| done.stdout)
    };
    for style in ["mysql", "mariadb", "single"] {
        let Some(old) = dump(&["--style", style]) else {
            skip_unless_all("generated dumps: python3 is not installed");
            return;
        };
        let new = ["--url", NEW, "--path", "/srv/new", "--style", style];
        let wanted = dump(&new).unwrap();
        let pairs = [
            (OLD, NEW),
            ("/var/www/vhosts/old/htdocs", "/srv/new"),
            ("old.example.com", "www.new-site.example.org"),
        ];
        let mut output = Vec::new();
        let pairs = pairs_of(&pairs, Policy::default());
        rewrite(old.as_slice(), &mut output, &pairs, &Options::default()).unwrap();
        assert!(output == wanted, "{style}");
    }
}

/// PHP reads what was rewritten, and finds the new address everywhere.
#[test]
fn php_reads_every_rewritten_value() {
    const SCRIPT: &str = r#"$n=0; while (($line = fgets(STDIN)) !== false) { $v = base64_decode(trim($line));
        if ($v !== serialize(false) && @unserialize($v, ['allowed_classes' => false]) === false) { echo "bad ", $v, "\n"; exit(1); } $n++; } echo $n;"#;
    use base64::Engine as _;
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut input = String::new();
    for _ in 0..500 {
        let value = values(2).new_tree(&mut runner).unwrap().current();
        let (found, _) = rewrite_value(&serialized(&value, OLD.as_bytes()), &pairs());
        input += &base64::engine::general_purpose::STANDARD.encode(found);
        input.push('\n');
    }
    let spawned = Command::new("php")
        .args(["-r", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut php) = spawned else {
        skip_unless_all("php reads what was rewritten: php-cli is not installed");
        return;
    };
    php.stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let done = php.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "500");
}

#[test]
fn a_skipped_table_or_column_stays_in_whatever_statement() {
    let pairs = pairs();
    let run = |options: &Options, input: &str| {
        let mut output = Vec::new();
        let report = rewrite(input.as_bytes(), &mut output, &pairs, options).unwrap();
        (String::from_utf8(output).unwrap(), report)
    };
    let hex = hex(OLD.as_bytes());
    let input = format!(
        "UPDATE a SET x = 0x{hex};\nUPDATE b SET x = 0x{hex}, guid = '{OLD}', y = concat('{OLD}', 'z') \
         WHERE guid = '{OLD}';\nINSERT INTO c SET guid = '{OLD}', value = '{OLD}';\nSET @x = '{OLD}';\n"
    );
    let options = Options {
        skip_tables: vec!["a".to_owned()],
        skip_columns: vec!["guid".to_owned()],
        ..Options::default()
    };
    let (output, report) = run(&options, &input);
    let new = self::hex(NEW.as_bytes());
    let expected = format!(
        "UPDATE a SET x = 0x{hex};\nUPDATE b SET x = 0x{new}, guid = '{OLD}', y = concat('{NEW}', 'z') \
         WHERE guid = '{OLD}';\nINSERT INTO c SET guid = '{OLD}', value = '{NEW}';\nSET @x = '{NEW}';\n"
    );
    assert_eq!(output, expected);
    let skipping = |column: &str| Options {
        skip_columns: vec![column.to_owned()],
        ..Options::default()
    };
    let places: Vec<_> = report
        .columns()
        .map(|(place, _)| format!("{place:?}"))
        .collect();
    assert_eq!(places.len(), 4, "{places:?}");
    // The first column of `CREATE TABLE` is not the first one of `UPDATE`.
    let input = format!("CREATE TABLE a (guid text, x text);\nUPDATE a SET x = '{OLD}';\n");
    let (output, _) = run(&skipping("guid"), &input);
    assert_eq!(output, input.replace(OLD, NEW));
    let (output, _) = run(&skipping("a.x"), &input);
    assert_eq!(output, input);
}
