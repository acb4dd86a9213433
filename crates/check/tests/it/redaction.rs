//! No secret of a documented form is in what `collect` writes, and nothing that looks like one is
//! taken away.
use stripewise_check::redact::{REDACTED, redact_of, suspicious};
use stripewise_check::{Snapshot, tree};
use toml_edit::{DocumentMut, Table};

const CORPUS: &str = include_str!("../redaction.toml");
/// The fewest secrets, and the fewest texts that only look like some.
const EACH_MIN: usize = 260;
/// The most entries with secrets whose manual nobody opened.
const UNSEEN_MAX: usize = 20;

fn strings(entry: &Table, key: &str) -> Vec<String> {
    let found = entry.get(key).and_then(|item| item.as_array());
    let found = found.into_iter().flatten();
    found
        .filter_map(|item| Some(item.as_str()?.to_owned()))
        .collect()
}

/// Returns the files and commands that a text is tested in, each with the text as it stands there.
fn places(entry: &Table) -> Vec<(String, String)> {
    let text = entry["text"].as_str().unwrap();
    let one = entry["from"].as_str().map(str::to_owned);
    let from: Vec<String> = one.into_iter().chain(strings(entry, "from")).collect();
    let mut places: Vec<_> = from
        .into_iter()
        .map(|from| (from, text.to_owned()))
        .collect();
    // The shell's quotes cannot hold a quote.
    if entry["from"].as_str() == Some("/proc/cmdline") && !text.contains('"') {
        let quoted = format!("GRUB_CMDLINE_LINUX_DEFAULT=\"{text}\"");
        places.push(("/etc/default/grub".to_owned(), quoted));
    }
    places
}

#[test]
fn every_secret_goes_and_everything_else_stays() {
    let corpus: DocumentMut = CORPUS.parse().unwrap();
    let entries = corpus["entry"].as_array_of_tables().unwrap();
    let (mut gone, mut alike, mut faults) = (0, 0, Vec::new());
    for entry in entries {
        assert!(!entry["source"].as_str().unwrap().is_empty());
        let secrets = strings(entry, "secrets");
        for (from, text) in places(entry) {
            let clean = redact_of(&from, &text);
            let again = redact_of(&from, &clean);
            let is_right = match secrets.is_empty() {
                true => clean == text && reported(&from, &clean) == 0,
                false => {
                    secrets
                        .iter()
                        .all(|secret| text.contains(secret) && !clean.contains(secret))
                        && strings(entry, "kept")
                            .iter()
                            .all(|kept| clean.contains(kept))
                        && clean.contains(REDACTED)
                        && again == clean
                }
            };
            if !is_right {
                let count = reported(&from, &clean);
                faults.push(format!("{from}: {text}\n    {clean} ({count} reported)\n"));
            }
        }
        gone += secrets.len();
        alike += usize::from(secrets.is_empty());
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.concat()
    );
    assert!(
        gone >= EACH_MIN && alike >= EACH_MIN,
        "{gone} secrets, {alike} alike"
    );
}

/// A corpus grows by copies of one form, which test nothing, and by forms that no manual has.
#[test]
fn no_form_is_there_twice_and_most_are_documented() {
    let corpus: DocumentMut = CORPUS.parse().unwrap();
    let (mut seen, mut unseen) = (std::collections::BTreeSet::new(), 0);
    for entry in corpus["entry"].as_array_of_tables().unwrap() {
        let mut text = entry["text"].as_str().unwrap().to_owned();
        for secret in strings(entry, "secrets") {
            text = text.replace(&secret, "SECRET");
        }
        assert!(seen.insert(text.clone()), "{text}");
        let source = entry["source"].as_str().unwrap();
        let has_manual = !["not opened", "no manual"]
            .iter()
            .any(|mark| source.contains(mark));
        unseen += usize::from(!has_manual && entry.contains_key("secrets"));
    }
    assert!(unseen <= UNSEEN_MAX, "{unseen}");
}

#[test]
fn nothing_of_a_real_report_is_reported() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sosreport"));
    let facts = tree::read(folder).unwrap();
    assert!(suspicious(&facts).is_empty(), "{:?}", suspicious(&facts));
}

/// Returns how many words of a text are reported.
fn reported(from: &str, text: &str) -> usize {
    let mut facts = Snapshot::default();
    facts.files.insert(from.to_owned(), text.to_owned());
    suspicious(&facts).values().sum()
}

#[test]
fn words_that_look_drawn_are_reported() {
    for (text, expected) in [
        ("A x9Kq2LmZ8rT4vB7nW1cY\n", 1),
        ("A=\"ghp_x9Kq2LmZ8rT4vB7nW1cY\" b:x9Kq2LmZ8rT4vB7nW1cY\n", 2),
        ("k3j9x0q2w8r7t6y5u4i3o2p1\n", 1),
        (
            "a26bf396313 9f830df1722df404fe4c WD-WCC7K1234567 S3Z2NB0K123456X\n",
            0,
        ),
        ("/var/x9Kq2LmZ8rT4vB7nW1cY/a\n", 0),
    ] {
        assert_eq!(reported("/etc/fstab", text), expected, "{text}");
    }
}

/// Each name of a line looked at all of the line, and quotes in quotes ended the stack. What stands
/// behind such a line is redacted all the same; a runner that stops slow tests stops a slow one.
#[test]
fn long_lines_are_read_once() {
    for part in [
        "curl -u a ",
        "key=1 ",
        "#",
        "key ",
        "<key a ",
        "\"' ",
        "\"key\":[",
        "password: 'x' ",
        "x \\\n",
    ] {
        let long = part.repeat((32 << 10) / part.len());
        for text in [
            format!("#\"{long}\ntoken=hunter2z {{]>\""),
            long + "\ntoken=hunter2z",
        ] {
            let kept = redact_of("/etc/default/grub", &text);
            assert!(!kept.contains("hunter2z"), "{part}");
        }
    }
}
