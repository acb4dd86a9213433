//! Single values and dumps in forms in which addresses were found and lengths were not.
use stripewise_site::report::Fault;
use stripewise_site::{Format, InputReport, Options, Pair, Pairs, Policy, rewrite, rewrite_value};

const OLD: &str = "http://old.example";
const NEW: &str = "https://www.new.example";

fn pair(from: &str, to: &str) -> Pair {
    Pair {
        from: from.into(),
        to: to.into(),
    }
}

fn run(input: &str, pairs: &Pairs, options: &Options) -> (String, InputReport) {
    let mut output = Vec::new();
    let report = rewrite(input.as_bytes(), &mut output, pairs, options).unwrap();
    (String::from_utf8(output).unwrap(), report)
}

fn moved(input: &str) -> (String, InputReport) {
    let pairs = Pairs::new(&[pair(OLD, NEW)], Policy::default()).unwrap();
    run(input, &pairs, &Options::default())
}

fn value(input: &str) -> String {
    let pairs = Pairs::new(&[pair(OLD, NEW)], Policy::default()).unwrap();
    let (value, report) = rewrite_value(input.as_bytes(), &pairs);
    assert_eq!(report.stuck(), 0, "{input}");
    String::from_utf8(value).unwrap()
}

/// Each was rewritten with a wrong length, or not found at all.
#[test]
fn inputs_that_were_silently_broken_are_right() {
    for (input, old, new) in [
        (
            include_str!("../data/cases/json-hex-quot.in.txt"),
            "s:18:\\u0022http:\\/\\/old.example",
            "s:23:\\u0022https:\\/\\/www.new.example",
        ),
        (
            include_str!("../data/cases/json-u002f.in.txt"),
            "http:\\u002F\\u002Fold.example",
            "https:\\u002F\\u002Fwww.new.example",
        ),
        (include_str!("../data/cases/pg-inserts.in.sql"), OLD, NEW),
        (
            include_str!("../data/cases/urlencoded-serialized.in.sql"),
            "s%3A18%3A%22http%3A%2F%2Fold.example",
            "s%3A23%3A%22https%3A%2F%2Fwww.new.example",
        ),
        (
            include_str!("../data/cases/xml-csv-escaped.x.csv"),
            "s:18:\"\"http://old.example",
            "s:23:\"\"https://www.new.example",
        ),
        (
            include_str!("../data/cases/xml-csv-escaped.x.xml"),
            "s:18:&quot;http://old.example",
            "s:23:&quot;https://www.new.example",
        ),
    ] {
        let (found, report) = moved(input);
        assert_eq!(found, input.replace(old, new));
        assert_eq!((report.broken_count, report.stuck()), (0, 0), "{input}");
        assert!(report.replaced() > 0);
    }
    for input in [
        include_str!("../data/cases/pg-copy.copy1.sql"),
        include_str!("../data/cases/pg-copy.copy2.sql"),
    ] {
        let wanted = input.replace("s:18:", "s:23:").replace(OLD, NEW);
        assert_eq!(moved(input).0, wanted);
    }
    let input = include_str!("../data/cases/pg-bytea.in.sql");
    let hex = |text: &str| -> String { text.bytes().map(|byte| format!("{byte:02x}")).collect() };
    let wanted = input.replace(
        &hex("s:18:\"http://old.example"),
        &hex("s:23:\"https://www.new.example"),
    );
    let (found, report) = moved(input);
    assert_eq!(found, wanted);
    assert_eq!(report.replaced(), 1);
}

/// The new address is written as the old one was.
#[test]
fn escapes_keep_their_style() {
    for form in [
        "{\"u\":\"http:\\/\\/old.example\\/x\"}",
        "{\"u\":\"http:\\u002f\\u002fold.example\\u002fx\"}",
        "{\"u\":\"http:\\u002F\\u002Fold.example\\u002Fx\"}",
        "var u = 'http:\\x2f\\x2fold.example\\x2fx';",
        "var u = 'http\\x3A\\x2F\\x2Fold.example';",
        "?u=http%3a%2f%2fold.example%2fx",
        "?u=http%253A%252F%252Fold.example",
        "<a href=\"http&#58;&#47;&#47;old.example\">",
        "<a href=\"http:&#x2F;&#x2F;old.example&#x2F;\">",
        "<a href=\"http:&sol;&sol;old.example\">",
        "&lt;a href=&quot;http:&amp;#x2f;&amp;#x2f;old.example&quot;&gt;",
        "a:1:{i:0;S:18:\"http:\\2f\\2fold.example\";}",
        "687474703a2f2f6f6c642e6578616d706c65",
    ] {
        let wanted = form
            .replace("http", "https")
            .replace("old.example", "www.new.example")
            .replace("S:18", "S:23")
            .replace(
                "687474703a2f2f6f6c642e6578616d706c65",
                "68747470733a2f2f7777772e6e65772e6578616d706c65",
            );
        assert_eq!(value(form), wanted);
    }
}

/// What lies outside of an address is not read in a layer that it is not in.
#[test]
fn an_address_in_a_layer_ends_where_its_name_ends() {
    for other in [
        "http:\\/\\/old.example.com",
        "http%3A%2F%2Fold.example.com",
        "http%3A%2F%2Fold.examples",
        "https:\\/\\/old.example",
        "http:&#x2F;&#x2F;old.example-shop.org",
    ] {
        assert_eq!(value(other), other);
    }
}

/// A prefix of a staging server and the name of a company are no addresses.
#[test]
fn literal_texts_are_replaced_anywhere_and_counted() {
    let literals = [
        pair("staging_", "live_"),
        pair("Müller & Söhne", "Huber GmbH"),
    ];
    let pairs = Pairs::with_literals(&[pair(OLD, NEW)], &literals, Policy::default()).unwrap();
    for (input, wanted) in [
        ("xstaging_y", "xlive_y"),
        (
            "a:1:{s:9:\"staging_a\";s:16:\"Müller & Söhne\";}",
            "a:1:{s:6:\"live_a\";s:10:\"Huber GmbH\";}",
        ),
        (
            "{\"n\":\"M\\u00fcller & S\\u00f6hne\"}",
            "{\"n\":\"Huber GmbH\"}",
        ),
        ("<p>M&uuml;ller &amp; S&ouml;hne</p>", "<p>Huber GmbH</p>"),
        (
            "<p data-x=\"s:16:&quot;Müller &amp; Söhne&quot;;\">",
            "<p data-x=\"s:10:&quot;Huber GmbH&quot;;\">",
        ),
        ("?n=M%C3%BCller+%26+S%C3%B6hne", "?n=Huber+GmbH"),
        ("?n=M%C3%BCller%20%26%20S%C3%B6hne", "?n=Huber%20GmbH"),
    ] {
        let (found, report) = rewrite_value(input.as_bytes(), &pairs);
        assert_eq!(String::from_utf8(found).unwrap(), wanted);
        assert_eq!(report.stuck(), 0);
    }
    // Without a part that every form leaves as it is.
    let literals = [pair("日本", "中国")];
    let pairs = Pairs::with_literals(&[], &literals, Policy::default()).unwrap();
    for (input, wanted) in [
        ("日本", "中国"),
        ("s:6:\"日本\";", "s:6:\"中国\";"),
        ("{\"n\":\"\\u65e5\\u672c\"}", "{\"n\":\"\\u4e2d\\u56fd\"}"),
        ("?n=%E6%97%A5%E6%9C%AC", "?n=%E4%B8%AD%E5%9B%BD"),
    ] {
        let (found, _) = rewrite_value(input.as_bytes(), &pairs);
        assert_eq!(String::from_utf8(found).unwrap(), wanted);
    }
}

/// `guid` of WordPress names a post for readers of feeds for ever.
#[test]
fn columns_that_are_skipped_stay() {
    let pairs = Pairs::new(&[pair(OLD, NEW)], Policy::default()).unwrap();
    let skips = |name: &str| Options {
        skip_columns: vec![name.to_owned()],
        ..Options::default()
    };
    let two = format!("{NEW}','{OLD}");
    for (input, wanted) in [
        (
            "CREATE TABLE `wp_posts` (`url` text, `guid` varchar(255));\nINSERT INTO `wp_posts` VALUES ('http://old.example','http://old.example');\n",
            two.as_str(),
        ),
        (
            "INSERT INTO wp_posts (url, guid) VALUES ('http://old.example','http://old.example');\n",
            &two,
        ),
        (
            "COPY public.wp_posts (url, guid) FROM stdin;\nhttp://old.example\thttp://old.example\n\\.\n",
            "https://www.new.example\thttp://old.example",
        ),
    ] {
        for name in ["guid", "wp_posts.guid"] {
            let (found, report) = run(input, &pairs, &skips(name));
            assert!(found.contains(wanted), "{found}");
            assert_eq!(report.replaced(), 1);
        }
        assert_eq!(run(input, &pairs, &skips("wp_users.guid")).1.replaced(), 2);
    }
    let feed =
        "<rss><item><link>http://old.example</link><guid>http://old.example</guid></item></rss>";
    let (found, _) = run(feed, &pairs, &skips("guid"));
    assert_eq!(found, feed.replacen(OLD, NEW, 1));
    let csv = "\"url\",\"guid\"\n\"http://old.example\",\"http://old.example\"\n";
    let (found, _) = run(csv, &pairs, &skips("guid"));
    assert_eq!(found, csv.replacen(OLD, NEW, 1));
    // Which column it is, nobody says.
    let unnamed = "INSERT INTO `wp_posts` VALUES ('http://old.example','http://old.example');\n";
    let error = rewrite(unnamed.as_bytes(), std::io::sink(), &pairs, &skips("guid")).unwrap_err();
    assert!(
        error.to_string().contains("columns of `wp_posts`"),
        "{error}"
    );
}

/// In SQLite's dump a `\n` of the new path would be a newline.
#[test]
fn what_cannot_be_written_stays_and_is_named() {
    let pairs = Pairs::new(&[pair("/srv/old", "C:\\new")], Policy::default()).unwrap();
    let dump = "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nINSERT INTO t VALUES(1,replace('/srv/old\\nx','\\n',char(10)));\nCOMMIT;\n";
    let (found, report) = run(dump, &pairs, &Options::default());
    assert_eq!(found, dump);
    assert_eq!((report.replaced(), report.stuck()), (0, 1));
    let broken = &report.broken[0];
    assert_eq!(
        (broken.fault, broken.has_address, broken.row),
        (Fault::Form, true, 1)
    );
    assert_eq!(broken.place.table, "t");
    // A `%` that is no escape would become one.
    let pairs = Pairs::new(&[pair("/srv/old", "20/new")], Policy::default()).unwrap();
    let (found, report) = rewrite_value(b"?a=100%/srv/old&b=%2Fsrv%2Fold", &pairs);
    assert_eq!(
        String::from_utf8(found).unwrap(),
        "?a=100%20/new&b=20%2Fnew"
    );
    assert_eq!(report.stuck(), 0);
}

/// A value whose lengths are wrong in its layer stays, and is named.
#[test]
fn a_broken_value_in_a_layer_stays_and_is_named() {
    for input in [
        "{\"d\":\"s:17:\\u0022http:\\/\\/old.example\\u0022;\"}",
        "s%3A17%3A%22http%3A%2F%2Fold.example%22%3B",
        "7,\"s:17:\"\"http://old.example\"\";\"\n",
        "a:1:{s:1:&quot;u&quot;;s:17:&quot;http://old.example&quot;;}",
    ] {
        let pairs = Pairs::new(&[pair(OLD, NEW)], Policy::default()).unwrap();
        let (found, report) = rewrite_value(input.as_bytes(), &pairs);
        assert_eq!(String::from_utf8(found).unwrap(), input);
        assert_eq!((report.stuck(), report.replaced()), (1, 0), "{input}");
    }
}

#[test]
fn every_format_is_recognised() {
    for (input, format) in [
        (
            "\\restrict abc\n\n--\n-- PostgreSQL database dump\n--\n",
            Format::Sql,
        ),
        ("COPY public.t (a) FROM stdin;\n", Format::Sql),
        ("\"a\";\"b\"\n1;2\n", Format::Csv),
        ("<?xml version=\"1.0\"?>\n<a/>", Format::Xml),
        ("Copy this from http://old.example", Format::Text),
        ("\"quoted\", he said", Format::Text),
    ] {
        assert_eq!(Format::detect(input.as_bytes()), format, "{input}");
    }
}

/// The failure: `<database name="old.example">` was read as a value, and so was the name of a
/// namespace, without which no program knows the elements.
#[test]
fn names_in_xml_and_comments_are_no_values() {
    let dump = "<?xml version=\"1.0\"?>\n<!-- http://old.example of phpMyAdmin -->\n\
        <pma_xml_export xmlns:pma=\"http://old.example/doc/\" xmlns='http://old.example'>\n\
        <pma:database name = \"http://old.example\" note=\"@\">\
        <table name='http://old.example'><column name=\"http://old.example\">@</column>\
        <field Field=\"http://old.example\" Default='@' more=\">@\" /><key Table=\"http://old.example\"/>\
        <enclosure name=\"@\" url=\"@\" data='a:1:{i:0;s:SIZE:&quot;@&quot;;}'/>\
        </table></pma:database></pma_xml_export>\n";
    let (found, report) = moved(&dump.replace('@', OLD).replace("SIZE", "18"));
    let wanted = dump.replace('@', NEW).replace("SIZE", "23");
    assert_eq!((found, report.replaced()), (wanted, 7));
}

/// The failure: rows of SQLite's `.mode insert`, which nothing precedes, were read as MySQL's, where a
/// backslash is no letter: a value with one was broken, and one of JSON was written otherwise.
#[test]
fn rows_of_sqlites_shell_are_known_without_what_precedes_them() {
    let rows = "INSERT INTO t VALUES(1,'a:1:{i:0;s:22:\"@\\ b\\\";}');\n\
        INSERT INTO t VALUES(2,'{\"u\":\"J\",\"s\":\"a:1:{i:0;s:18:\\\"J\\\";}\"}');\n";
    let of = |address: &str, long: &str, short: &str| {
        let json = address.replace('/', "\\/");
        let rows = rows.replace("s:22:", long).replace("s:18:", short);
        rows.replace('@', address).replace('J', &json)
    };
    let (found, report) = moved(&of(OLD, "s:22:", "s:18:"));
    assert_eq!(found, of(NEW, "s:27:", "s:23:"));
    assert_eq!((report.broken_count, report.replaced()), (0, 3));
    // MySQL's rows without a head stay MySQL's.
    for values in ["VALUES (1,'@\\'s')", "VALUES(1,'@\\'s')"] {
        let row = format!("INSERT INTO t {values};\n");
        let (found, _) = moved(&row.replace('@', OLD));
        assert_eq!(found, row.replace('@', NEW));
    }
}
