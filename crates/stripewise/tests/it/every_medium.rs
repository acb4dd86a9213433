//! Every command in both languages and each format. The failure: a command printed its table by hand;
//! it ignored `--language`, and had no Markdown for a ticket.

use crate::outputs::{PAIR, POINTS};
use crate::support::{Bench, Done, QUICK, repository, share, with};

/// Commands that answer, with what they read; `STORE` stands for one that reads the store.
const WALKED: [(&str, &str); 27] = [
    ("study", "study two.toml"),
    ("studies", "studies"),
    ("resume", "STORE resume 1"),
    (
        "calibrate",
        "calibrate pair.toml --points points.csv --out cal --replace",
    ),
    (
        "characterize",
        "characterize --from REPOSITORY/studies/traces/oltp.iolog",
    ),
    (
        "advise",
        "advise --devices 2xsata-ssd --workload randread:64K",
    ),
    (
        "predict",
        "predict --device sata-ssd --workload randread:64K",
    ),
    ("why", "why two.toml --cell 1"),
    ("workloads", "workloads"),
    ("profiles", "profiles"),
    ("runs", "STORE runs"),
    ("show", "STORE show 1"),
    ("compare", "STORE compare 1 2"),
    (
        "explain",
        "explain REPOSITORY/docs/explain/before.json REPOSITORY/docs/explain/after.json \
         --facts-before REPOSITORY/docs/explain/before --facts-after REPOSITORY/docs/explain/after",
    ),
    ("trend", "STORE trend"),
    ("drift", "STORE drift"),
    ("ack", "STORE ack 1 known --by ops"),
    ("check", "check --root host"),
    ("facts", "facts"),
    (
        "verify-model",
        "verify-model --golden REPOSITORY/crates/verify/golden/linux-6.12.95.jsonl",
    ),
    (
        "site",
        "site permissions --listing list.txt --server-user www",
    ),
    ("restore", "STORE restore"),
    ("rename", "STORE rename 1 a-name"),
    ("push", "STORE push 1 --to other.db"),
    ("pull", "STORE pull 1 --from store/runs.db"),
    ("lab", "lab doctor --cache lab"),
    ("run", "STORE run two.toml --world model"),
];

/// Commands that are left out, and why.
const LEFT_OUT: [(&str, &str); 13] = [
    ("outliers", "it needs runs of many hosts: `history.rs`"),
    (
        "import",
        "it answers as `run`, and needs results of fio: `imports.rs`",
    ),
    ("report", "it writes a page"),
    ("pages", "it writes pages: `pages.rs`"),
    (
        "store",
        "it prints SQL, and the rest needs a server: `on_a_server.rs`",
    ),
    ("serve", "it serves pages: `serve.rs`"),
    ("export", "it writes files, whose format its name says"),
    (
        "pull-plug",
        "it answers as `run`, and needs a guest or root: `lab/`",
    ),
    (
        "delete",
        "it asks before it deletes, and prints one sentence",
    ),
    (
        "collect",
        "it packs the facts of this machine: `capture.rs`",
    ),
    ("completions", "its output is a script"),
    ("man", "its output is a manual, in English"),
    ("help", "its output is for a terminal, in English"),
];

/// Answers without a table, which have no CSV.
const WITHOUT_TABLE: &[&str] = &["restore", "rename", "push", "pull", "ack", "lab"];

/// Commands whose answers have verdicts.
const JUDGING: &[&str] = &["check", "compare", "trend", "drift", "verify-model"];

/// Commands with a list of what a profile assumes, in the words of the profile that was just made.
const ASSUMES: &[&str] = &["calibrate"];

const TWO: &str = r#"
question = "What does a mirror give?"
[stack.one]
devices = { sata-ssd = 1 }
[stack.two]
devices = { sata-ssd = 2 }
array = { level = "raid1", bitmap = "none" }
[workload]
pattern = "randread"
block_size = "64K"
size = "64M"
[compare]
baseline = { stack = "one" }
"#;

fn bench() -> Option<Bench> {
    let bench = Bench::new()?;
    bench.measured(QUICK);
    bench.measured(QUICK);
    std::fs::create_dir_all(bench.path("host/etc")).unwrap();
    bench.write("host/etc/fstab", "UUID=1 /srv xfs nobarrier 0 0\n");
    bench.write("list.txt", ".:\n-rw-rw-rw- 1 a a 3 Nov 28 08:00 b.css\n");
    bench.write("two.toml", TWO);
    bench.write("pair.toml", PAIR);
    bench.write("points.csv", POINTS);
    Some(bench)
}

fn answered(bench: &Bench, words: &str, language: &str, format: &str) -> Done {
    let words = words.replace("REPOSITORY", &repository().display().to_string());
    // Where `--format` is the format of what is read.
    let option = match words.starts_with("characterize") {
        true => "--output-format",
        false => "--format",
    };
    let words = format!("{words} --language {language} {option} {format}");
    match words.strip_prefix("STORE ") {
        Some(words) => bench.finish(bench.stored(words)),
        None => bench.finish(with(bench.command(), words.split(' '))),
    }
}

#[test]
fn every_command_is_walked_or_left_out_for_a_reason() {
    let Some(bench) = Bench::new() else { return };
    let help = bench.finish(with(bench.command(), ["help"])).stdout;
    let commands = help.split_once("Usage:").unwrap().1;
    let commands = commands.split("Options:").next().unwrap().lines();
    let commands = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let named = |name: &str| {
        let walked = WALKED.iter().any(|(command, _)| *command == name);
        walked || LEFT_OUT.iter().any(|(command, _)| *command == name)
    };
    let commands: Vec<&str> = commands.filter(|name| !name.is_empty()).collect();
    assert!(commands.len() > 20, "{help}");
    let forgotten: Vec<&&str> = commands.iter().filter(|name| !named(name)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
}

/// Returns the lines with at least three words that German does not have. Fewer may stand in a name, in a
/// title that a user gave, and in what a program printed.
fn english_lines(text: &str) -> impl Iterator<Item = &str> {
    const WORDS: [&str; 16] = [
        "the", "of", "is", "it", "and", "not", "which", "does", "has", "with", "from", "that",
        "are", "by", "to", "for",
    ];
    let count = |line: &str| {
        let words = line.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| WORDS.contains(word)).count()
    };
    text.lines().filter(move |line| count(line) >= 3)
}

#[test]
fn an_english_line_is_found_and_a_german_one_with_english_names_is_not() {
    let english = "not run: the rule is judged from facts";
    let german = "„What does a mirror give?“: nicht gelaufen, weil Angaben fehlen";
    let text = format!("{english}\n{german}");
    assert_eq!(english_lines(&text).collect::<Vec<_>>(), [english]);
}

#[test]
fn every_command_answers_in_both_languages_and_each_format() {
    let Some(bench) = bench() else { return };
    let mut wrong = Vec::new();
    let names = WALKED.map(|(command, _)| command);
    let drawn = share("commands in every medium", &names, names.len() / 3);
    for (command, words) in WALKED.iter().filter(|(name, _)| drawn.contains(name)) {
        let text = |language: &str| {
            let done = answered(&bench, words, language, "text");
            // What a command did beside its data is on standard error.
            format!("{}{}", done.stdout, done.stderr)
        };
        if text("en") == text("de") {
            wrong.push(format!("{words}: the same words in both languages"));
        }
        let german = text("de") + &answered(&bench, words, "de", "markdown").stdout;
        let ours = english_lines(&german).filter(|line| {
            let is_item = line.starts_with("- ") || line.starts_with("  ");
            let is_of_file = is_item && ASSUMES.contains(command);
            !is_of_file
        });
        wrong.extend(ours.map(|line| format!("{words}: `{line}` is English")));
        for format in ["json", "markdown", "csv", "html"] {
            let done = answered(&bench, words, "de", format);
            let is_refused = format == "csv" && WITHOUT_TABLE.contains(command);
            let starts = match format {
                "json" => "{",
                "markdown" => "## ",
                "html" => "<!doctype html>",
                _ => "",
            };
            let is_right = match is_refused {
                true => done.code == Some(2) && done.stderr.contains("has no table"),
                false => matches!(done.code, Some(0 | 1)) && done.stdout.starts_with(starts),
            };
            if !is_right {
                wrong.push(format!("{words}, {format}: {}", done.transcript()));
            }
        }
        // What judges nothing has no test cases, and is told so before it measures anything.
        let done = answered(&bench, words, "en", "junit");
        let is_right = match JUDGING.contains(command) {
            true => done.stdout.starts_with("<?xml"),
            false => done.code == Some(2) && done.stderr.contains("have test cases for JUnit"),
        };
        if !is_right {
            wrong.push(format!("{words}, junit: {}", done.transcript()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
