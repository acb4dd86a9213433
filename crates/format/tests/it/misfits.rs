//! A value of the wrong kind is refused under its key, with the value, the expected kind and a
//! working example, for every key and every value.
//!
//! The failure: the message for `direct = 0` was "this value cannot be used here", and the user had
//! to find out that `false` was needed.

use serde_json::Value as Json;
use stripewise_format::{StudyError, json_schema, parse};

/// Studies with a place for one key of each table: `@` is the place, `LOAD` a whole workload, and
/// `STUDY` a workload on a stack.
const TABLES: [(&str, &str); 13] = [
    ("", "@\nSTUDY"),
    ("StackTable", "[stack.x]\n@\nLOAD"),
    (
        "ArrayTable",
        "[stack.x]\ndevices = { a = 4 }\n[stack.x.array]\n@\nLOAD",
    ),
    (
        "BesideTable",
        "[stack.x]\ndevices = { a = 4 }\narray = { level = \"raid0\", beside = [{ @ }] }\nLOAD",
    ),
    (
        "BitmapTable",
        "[stack.x]\ndevices = { a = 4 }\narray = { level = \"raid1\", bitmap = { @ } }\nLOAD",
    ),
    (
        "VolumeTable",
        "[stack.x]\ndevices = { a = 4 }\nvolume = { @ }\nLOAD",
    ),
    (
        "FilesystemTable",
        "[stack.x]\ndevices = { a = 1 }\nfilesystem = { @ }\nLOAD",
    ),
    ("WorkloadTable", "[stack.x]\n[workload]\n@"),
    (
        "WorkloadTable",
        "[stack.x]\n[workload.one]\npattern = \"read\"\nsize = \"1G\"\n[neighbour.y]\n@",
    ),
    ("ConditionsTable", "STUDY\n[conditions]\n@"),
    ("FailureTable", "STUDY\n[failure.f]\n@"),
    ("RepeatTable", "STUDY\n[repeat]\n@"),
    ("CompareTable", "STUDY\n[compare]\n@"),
];

/// Values of every kind; most keys accept one or two of them.
const VALUES: [&str; 13] = [
    "0",
    "-1",
    "4",
    "99999999999",
    "1.5",
    "true",
    "\"\"",
    "\"no such word\"",
    "[]",
    "[[]]",
    "[0]",
    "{ }",
    "1979-05-27",
];

/// Sections, which have messages of their own.
const SECTIONS: [&str; 4] = ["stack", "workload", "neighbour", "failure"];

fn with(template: &str, line: &str) -> Result<(), StudyError> {
    let text = template.replace("STUDY", "[stack.x]\nLOAD");
    let text = text.replace("LOAD", "[workload]\npattern = \"read\"\nsize = \"1G\"");
    parse("study.toml", &text.replacen('@', line, 1)).map(|_| ())
}

/// Returns the properties of a table.
fn keys_of(schema: &Json, table: &str) -> Vec<String> {
    let node = match table {
        "" => schema,
        name => &schema["$defs"][name],
    };
    node["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
fn every_misfit_is_reported_with_an_example_that_fits() {
    let schema = json_schema();
    let mut explained = 0;
    for (table, template) in TABLES {
        for key in keys_of(&schema, table) {
            if table.is_empty() && SECTIONS.contains(&key.as_str()) {
                continue;
            }
            for value in VALUES {
                let line = format!("{key} = {value}");
                let Err(error) = with(template, &line) else {
                    continue;
                };
                for problem in error.problems() {
                    let shown = format!("{line} in {table}:\n{error}");
                    for raw in [
                        "invalid ",
                        "unknown variant",
                        "missing field",
                        "cannot be used",
                        "did not match",
                        "u32",
                        "enum",
                        "struct",
                        "visitor",
                    ] {
                        let texts = [&problem.message, &problem.label];
                        assert!(!texts.iter().any(|text| text.contains(raw)), "{shown}");
                    }
                    if !problem.label.starts_with("expected ") {
                        continue;
                    }
                    explained += 1;
                    let hint = problem.hint.as_deref().unwrap_or_default();
                    // Where the value says which word is meant, the hint has that one.
                    let example = ["for instance `", "here it is `"]
                        .into_iter()
                        .find_map(|start| hint.strip_prefix(start)?.strip_suffix('`'));
                    let example = example.unwrap_or_else(|| panic!("no example: {shown}"));
                    assert!(problem.message.contains(" cannot be `"), "{shown}");
                    if !example.starts_with(&format!("{key} = ")) {
                        // The problem is with a key below this one.
                        continue;
                    }
                    assert!(problem.message.starts_with(&format!("`{key}`")), "{shown}");
                    let again = with(template, example).err();
                    let again = again.iter().flat_map(StudyError::problems);
                    let unfit: Vec<_> = again
                        .filter(|problem| problem.label.starts_with("expected "))
                        .collect();
                    assert!(
                        unfit.is_empty(),
                        "the example does not fit: {shown}\n{unfit:?}"
                    );
                }
            }
        }
    }
    assert!(explained > 300, "only {explained} values were explained");
}

#[test]
fn messages_name_the_key_the_value_and_an_example() {
    let message = |line: &str| with("STUDY\n@", line).unwrap_err().to_string();
    expect_test::expect![[r#"
        error: `direct` cannot be `0`
         --> study.toml:5:10
          |
        5 | direct = 0
          |          ^ expected `true` or `false`
          |
          = help: for instance `direct = false`"#]]
    .assert_eq(&message("direct = 0"));
    expect_test::expect![[r#"
        error: `depth` cannot be `"deep"`
         --> study.toml:5:9
          |
        5 | depth = "deep"
          |         ^^^^^^ expected a whole number from 1 to 4294967295, without quotes
          |
          = help: for instance `depth = 4`"#]]
    .assert_eq(&message("depth = \"deep\""));
    expect_test::expect![[r#"
        error: `engine` cannot be `"aio"`
         --> study.toml:5:10
          |
        5 | engine = "aio"
          |          ^^^^^ expected one of `psync`, `sync`, `libaio`, `io_uring`, `posixaio`
          |
          = help: for instance `engine = "psync"`"#]]
    .assert_eq(&message("engine = \"aio\""));
    expect_test::expect![[r#"
        error: `level` is missing
         --> study.toml:7:9
          |
        7 | array = { chunk = "64K" }
          |         ^^^^^^^^^^^^^^^^^ required here
          |
          = help: for instance `level = "linear"`"#]]
    .assert_eq(&message(
        "[stack.y]\ndevices = { a = 4 }\narray = { chunk = \"64K\" }",
    ));
    expect_test::expect![[r#"
        error: `failure` is not a table
         --> study.toml:5:3
          |
        5 | [[failure]]
          |   ^^^^^^^ expected sections
          |
          = help: write it as a section: `[failure.NAME]`"#]]
    .assert_eq(&message("[[failure]]"));
}
