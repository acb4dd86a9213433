//! The JSON Schema of the format and the reference page, both generated from the types of `raw`.

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::raw::StudyFile;
use stripewise_study::tunable::{self, InModel, Place, Tunable};

/// The schema, made once: each check of a study's keys and each misfit reads it.
pub(crate) static SCHEMA: LazyLock<Value> = LazyLock::new(made_schema);

/// Returns the JSON Schema of the study format, for editors and for the check of keys.
pub fn json_schema() -> Value {
    SCHEMA.clone()
}

fn made_schema() -> Value {
    let mut schema = schemars::schema_for!(StudyFile).to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".to_owned(), "Stripewise study".into());
    }
    schema
}

/// Returns the reference page of the study format: every key, in Markdown.
pub fn reference_page() -> String {
    let schema = &*SCHEMA;
    let mut page = String::from(PREFACE);
    let sections = [
        ("The top level", ""),
        ("`[stack.NAME]`", "StackTable"),
        ("`array`", "ArrayTable"),
        ("`bitmap` as a table", "BitmapTable"),
        ("`beside` in `array`", "BesideTable"),
        ("`volume` as a table", "VolumeTable"),
        ("`filesystem` as a table", "FilesystemTable"),
        (
            "`[workload]`, `[workload.NAME]` and `[neighbour.NAME]`",
            "WorkloadTable",
        ),
        ("`database`", "DatabaseTable"),
        ("`trace` as a table", "TraceTable"),
        ("`[program]`", "ProgramTable"),
        ("`[conditions]`", "ConditionsTable"),
        ("`[failure.NAME]`", "FailureTable"),
        ("`fail_device`", "FailDeviceTable"),
        ("`replace` and `re_add`", "MomentTable"),
        ("`[repeat]`", "RepeatTable"),
        ("`[compare]`", "CompareTable"),
        ("`[lifetime]`", "LifetimeTable"),
    ];
    for (title, name) in sections {
        let node = if name.is_empty() {
            schema
        } else {
            &schema["$defs"][name]
        };
        section(&mut page, schema, title, node);
    }
    page.push_str(SETTINGS);
    for tunable in tunable::ALL {
        setting(&mut page, tunable);
    }
    page.push_str(NOTES);
    page
}

/// Adds a line of the table of settings.
fn setting(page: &mut String, tunable: &Tunable) {
    let folder = match tunable.place {
        Place::Array => "/sys/block/ARRAY/md/",
        Place::Disks => "/sys/block/DISK/queue/",
        Place::Target => "/sys/block/DEVICE/queue/",
    };
    let levels: Vec<&str> = tunable.levels.iter().map(|level| level.as_str()).collect();
    let range = tunable.range();
    let model = match tunable.model {
        InModel::Simulated => "simulated".to_owned(),
        InModel::Only(number) => format!("only {number}"),
        InModel::Refused => "refused".to_owned(),
    };
    writeln!(
        page,
        "| `{}` | `{folder}{}` | {} to {}, checked by {} | {} | {} | {model} |",
        tunable.key,
        tunable.file,
        tunable.written(*range.start()),
        tunable.written(*range.end()),
        tunable.checked_by,
        match levels.is_empty() {
            true => "any".to_owned(),
            false => levels.join(", "),
        },
        tunable.default,
    )
    .expect("writing to a string cannot fail");
}

const SETTINGS: &str = "
## The kernel's settings

Metal and lab write these files when the array is in sync, or before a sample, and read them back. A value that the kernel changes is an error.
A setting of an array vanishes with the array, which the run built. Every other file is in the journal before it is written, and gets its old value back: at the end of the run, or from `stripewise restore` if the run died.

| key | file | numbers | levels | without the key | the model |
|---|---|---|---|---|---|
";

const PREFACE: &str = "# The study file

<!-- Generated from the types in crates/format/src/raw.rs: UPDATE_EXPECT=1 cargo test -p stripewise-format -->

A study is a TOML file. It describes the storage under test (stacks), the loads (workloads), the settings of the host (conditions), and the question.
Each combination is a *cell*.
Write sizes as in fio (`8K`, `256M`, `20000K`: powers of 1024), times with their unit (`500ms`, `3s`, `10m`), and shares in percent (`5%`).
`stripewise study FILE` checks a study and shows its cells without touching anything.
Editors complete the keys with [study.schema.json](study.schema.json). With a TOML language server, put `#:schema https://raw.githubusercontent.com/stripewise/stripewise/main/docs/study.schema.json` on the first line.
";

const NOTES: &str = "
## Shipped workloads

`from` takes the keys of a workload that comes with the program: databases, file and mail servers, backups, and what popular benchmark tools do.

```toml
[workload]
size = \"2G\"                   # instead of the sizes of the three

[workload.oltp]
from = \"oltp\"                 # brings its log as a neighbour

[workload.quiet]
from       = \"oltp\"
neighbours = []               # the same without the log

[workload.mail]
from       = \"mail\"
jobs       = [1, 16]
neighbours = [\"backup\"]       # a shipped workload beside it
```

Keys of the study win: those of the table itself, then those shared under `[workload]`, then those of the shipped workload.
A name in `neighbours` is that of a table `[neighbour.NAME]`, else that of a shipped workload. A neighbour takes the load of a shipped workload, without the neighbours of that.
`stripewise workloads` lists them. `stripewise workloads NAME` prints the file of one: its source, what is assumed, and its keys.
A run stores the text of its study, not that of shipped workloads. `stripewise resume` refuses to continue a run if a new version of the program has other keys for them.

## What is refused

The error names file, line and column:

- an unknown key;
- `psync` or `sync` with a depth above 1;
- a chunk that is not a power of two (raid4, 5, 6, 10) or not a multiple of 4K (raid0);
- a level with too few devices;
- a layout that md, the kernel or the metadata format does not have;
- a bitmap on a level without redundancy;
- `consistency_policy` on another level than raid5, with a bitmap, or with metadata 0.90;
- a setting that the level does not have, or a number that the kernel does not take;
- `read_ahead` if all I/O is direct;
- `beside` volumes without a container, or without room for them;
- an array or volume without devices;
- a block larger than the file;
- direct I/O with a block that is not a multiple of 512 bytes;
- `mix`, `fsync` and the like if no pattern uses them;
- a reference to a shipped workload, neighbour, failure or baseline that does not exist;
- a key of a shipped workload that does not fit those beside `from`;
- a failure that the array does not survive, that happens after the sample, or whose device is re-added without a bitmap.
";

fn section(page: &mut String, schema: &Value, title: &str, node: &Value) {
    write!(page, "\n## {title}\n\n").expect("writing to a string cannot fail");
    if let Some(description) = node["description"].as_str() {
        write!(page, "{description}\n\n").expect("writing to a string cannot fail");
    }
    page.push_str("| key | value | meaning |\n|---|---|---|\n");
    let required: Vec<&str> = node["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (key, property) in node["properties"].as_object().into_iter().flatten() {
        let meaning = property["description"].as_str().unwrap_or_default();
        let needed = if required.contains(&key.as_str()) {
            " **Needed.**"
        } else {
            ""
        };
        let kind = kind(schema, property).replace('|', "\\|");
        writeln!(page, "| `{key}` | {kind} | {meaning}{needed} |")
            .expect("writing to a string cannot fail");
    }
}

/// Describes the accepted values, from the schema of a value.
fn kind(schema: &Value, node: &Value) -> String {
    let Some(object) = node.as_object() else {
        return "anything".to_owned();
    };
    if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
        return named(schema, reference);
    }
    if let Some(words) = words(object) {
        return words;
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(choices) = object.get(choice).and_then(Value::as_array) {
            return alternatives(schema, choices);
        }
    }
    match type_name(object).as_str() {
        "array" => format!("list of {}", kind(schema, &node["items"])),
        "object" => match object.get("additionalProperties") {
            Some(value) if value.is_object() => {
                format!("table of {}", kind(schema, value))
            }
            _ => "table".to_owned(),
        },
        other => other.to_owned(),
    }
}

/// Describes a definition by its notation, or by the name of its table.
fn named(schema: &Value, reference: &str) -> String {
    let name = reference.rsplit('/').next().unwrap_or(reference);
    let node = &schema["$defs"][name];
    if node["properties"].is_object() {
        return "table, see below".to_owned();
    }
    match node["examples"].as_array() {
        Some(examples) => {
            let examples: Vec<String> = examples.iter().map(|value| format!("`{value}`")).collect();
            examples.join(", ")
        }
        None => kind(schema, node),
    }
}

fn alternatives(schema: &Value, choices: &[Value]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    let mut is_list = false;
    for choice in choices.iter().filter(|choice| choice["type"] != "null") {
        let described = kind(schema, choice);
        if choice["type"] == "array" && !kinds.is_empty() {
            is_list = true;
        } else if !kinds.contains(&described) {
            kinds.push(described);
        }
    }
    let mut text = kinds.join(" or ");
    if is_list {
        text.push_str("; or a list");
    }
    text
}

/// Lists the words of an enumeration.
fn words(object: &Map<String, Value>) -> Option<String> {
    let quote = |value: &Value| format!("`{value}`");
    if let Some(values) = object.get("enum").and_then(Value::as_array) {
        return Some(values.iter().map(quote).collect::<Vec<_>>().join(", "));
    }
    if let Some(value) = object.get("const") {
        return Some(quote(value));
    }
    let choices = object.get("oneOf")?.as_array()?;
    let words: Option<Vec<String>> = choices
        .iter()
        .map(|choice| choice.get("const").map(quote))
        .collect();
    words.map(|words| words.join(", "))
}

fn type_name(object: &Map<String, Value>) -> String {
    match object.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| *name != "null")
            .collect::<Vec<_>>()
            .join(" or "),
        _ => "anything".to_owned(),
    }
}
