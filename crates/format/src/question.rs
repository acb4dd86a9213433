//! A question as a study: devices, arrays of them and loads, written as TOML.
//!
//! A command with options, or a page with sliders, writes a study with [`Question::study`] and
//! reads it with [`parse`](crate::parse), so that every check and every message is
//! that of a study file. This module checks nothing, but quotes all text, and understands fio's words.

use std::fmt::Write as _;

use stripewise_study::keys::{distinct_name, plain_name, quoted};
use stripewise_study::load::{LOAD_KEYS, Load};
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;

use crate::foreign::{Meaning, meaning};
use crate::preset::Preset;

/// The size of the file of each job, if a question to the model names none.
pub const SIZE_DEFAULT: &str = "4G";
/// The size of the file of each job, if a measurement names none: it is written first.
pub const SIZE_DEFAULT_MEASURED: &str = "1G";
/// The stack of a question without devices: the filesystem of a directory.
pub const STACK_HERE: &str = "here";
/// The longest name of a stack or load.
const NAME_LEN_MAX: usize = 64;
/// Whether to bypass the page cache, if a question does not say: a cache would absorb the I/O.
pub const DIRECT_DEFAULT: bool = true;
/// The write-intent bitmap if a question names none; the default of a study file.
pub const BITMAP_DEFAULT: &str = "none";
/// The filesystem if a question names none; the default of a stack with devices in a study file.
pub const FILESYSTEM_DEFAULT: &str = "none";
/// The state if a question names none; the default of the model.
pub const STATE_DEFAULT: &str = "steady";

/// Stacks and loads; each stack is combined with each load.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    /// The question in words.
    pub question: Option<String>,
    /// The kernel whose rules apply.
    pub kernel: Option<String>,
    /// The host profile.
    pub host: Option<String>,
    /// The cores of that host.
    pub cores: Option<u32>,
    /// The stacks under test, named after their arrays; if there is none, the filesystem of a directory.
    pub stacks: Vec<StackQuestion>,
    /// The loads, named after themselves.
    pub loads: Vec<LoadQuestion>,
    /// The length of a sample.
    pub sample: Option<String>,
    /// The CPU frequency governor.
    pub governor: Option<String>,
    /// The state of the devices: `steady` or `fresh`.
    pub state: Option<String>,
    /// How much the loads write in a day.
    pub writes_per_day: Option<String>,
    /// The bytes that may be written to a device in its life.
    pub tbw: Option<String>,
}

/// Devices, alone or in an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackQuestion {
    /// The device profiles in their order, each with the number of its devices.
    pub devices: Vec<(String, u32)>,
    /// The array of them; `None` for a single device.
    pub array: Option<ArrayQuestion>,
    /// The filesystem, if there is one.
    pub filesystem: Option<String>,
}

/// An array; mdadm's defaults apply to unset keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayQuestion {
    /// The level.
    pub level: String,
    /// The layout.
    pub layout: Option<String>,
    /// The chunk in the notation of sizes: `32K`.
    pub chunk: Option<String>,
    /// The write-intent bitmap: `internal`, `none`, or a size, its chunk.
    pub bitmap: Option<String>,
}

/// A load: keys of a `[workload]` table with their values, in order.
///
/// A depth above 1 needs asynchronous I/O, so it brings `engine = "libaio"` unless an engine is
/// named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadQuestion {
    /// The keys and values; numbers and booleans are written bare, everything else as a string.
    pub keys: Vec<(String, String)>,
}

impl Question {
    /// Returns the study.
    pub fn study(&self) -> String {
        let mut text = String::new();
        for (key, value) in [
            ("question", &self.question),
            ("kernel", &self.kernel),
            ("host", &self.host),
        ] {
            if let Some(value) = value {
                line(&mut text, format_args!("{key} = {}", quoted(value)));
            }
        }
        if let Some(cores) = self.cores {
            line(&mut text, format_args!("cores = {cores}"));
        }
        if self.stacks.is_empty() {
            line(&mut text, format_args!("[stack.{STACK_HERE}]"));
        }
        let names = distinct(self.stacks.iter().map(StackQuestion::name), "array");
        for (name, stack) in names.iter().zip(&self.stacks) {
            text.push_str(&stack.section(name));
        }
        let names = distinct(self.loads.iter().map(LoadQuestion::name), "load");
        for (name, load) in names.iter().zip(&self.loads) {
            load.write(&mut text, name);
        }
        if let Some(sample) = &self.sample {
            text.push_str("[repeat]\n");
            line(&mut text, format_args!("sample = {}", quoted(sample)));
        }
        let lifetime = [
            ("writes_per_day", &self.writes_per_day),
            ("tbw_bytes", &self.tbw),
        ];
        if lifetime.iter().any(|(_, value)| value.is_some()) {
            text.push_str("[lifetime]\n");
        }
        for (key, value) in lifetime {
            if let Some(value) = value {
                line(&mut text, format_args!("{key} = {}", quoted(value)));
            }
        }
        let conditions = [("governor", &self.governor), ("state", &self.state)];
        if conditions.iter().any(|(_, value)| value.is_some()) {
            text.push_str("[conditions]\n");
        }
        for (key, value) in conditions {
            if let Some(value) = value {
                line(&mut text, format_args!("{key} = {}", quoted(value)));
            }
        }
        text
    }
}

/// Returns names for tables of a study: those that can be, with a number where two are the same.
fn distinct(names: impl Iterator<Item = String>, fallback: &str) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        let name = plain_name(&name, NAME_LEN_MAX - 8);
        let name = if name.is_empty() { fallback } else { &name };
        distinct.push(distinct_name(name, &distinct));
    }
    distinct
}

impl StackQuestion {
    /// Returns the devices as a table of one profile, or as a list of members.
    fn devices(&self) -> String {
        if let [(profile, count)] = &self.devices[..] {
            return format!("{{ {} = {count} }}", quoted(profile));
        }
        let names = self.devices.iter().flat_map(|(profile, count)| {
            let count = usize::try_from(*count).unwrap_or(usize::MAX);
            std::iter::repeat_n(quoted(profile), count)
        });
        format!("[{}]", names.collect::<Vec<_>>().join(", "))
    }

    /// Returns a name that says what the array is: `raid10-f2-4-32K`.
    fn name(&self) -> String {
        let Some(array) = &self.array else {
            let profiles = self.devices.iter().map(|(profile, _)| profile.as_str());
            return profiles.collect::<Vec<_>>().join("-");
        };
        let bitmap = array.bitmap.as_ref().filter(|bitmap| *bitmap != "none");
        let count: u32 = self.devices.iter().map(|(_, count)| count).sum();
        let parts = [
            Some(array.level.clone()),
            array.layout.clone(),
            Some(count.to_string()),
            array.chunk.clone(),
            bitmap.map(|bitmap| format!("bitmap-{bitmap}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join("-")
    }

    /// Returns the section of a study file that describes the stack.
    pub fn section(&self, name: &str) -> String {
        let mut section = String::new();
        let text = &mut section;
        line(text, format_args!("[stack.{name}]"));
        line(text, format_args!("devices = {}", self.devices()));
        if let Some(array) = &self.array {
            let mut keys = vec![format!("level = {}", quoted(&array.level))];
            for (key, value) in [("layout", &array.layout), ("chunk", &array.chunk)] {
                keys.extend(
                    value
                        .as_ref()
                        .map(|value| format!("{key} = {}", quoted(value))),
                );
            }
            keys.extend(array.bitmap.as_ref().map(|bitmap| match bitmap.as_str() {
                "internal" | "none" => format!("bitmap = {}", quoted(bitmap)),
                chunk => format!("bitmap = {{ chunk = {} }}", quoted(chunk)),
            }));
            line(text, format_args!("array = {{ {} }}", keys.join(", ")));
        }
        if let Some(filesystem) = &self.filesystem {
            line(text, format_args!("filesystem = {}", quoted(filesystem)));
        }
        section
    }
}

impl LoadQuestion {
    fn value(&self, wanted: &str) -> Option<&str> {
        let found = self.keys.iter().find(|(key, _)| key == wanted);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns a name that says what the load is: `oltp`, or `randread-4K-depth32`.
    fn name(&self) -> String {
        if let Some(from) = self.value("from") {
            return from.to_owned();
        }
        if let Some(trace) = self.value("trace") {
            let file = trace.rsplit('/').next().unwrap_or(trace);
            return file.to_owned();
        }
        let size = self
            .value("block_size")
            .map(|size| match Bytes::parse(size) {
                Ok(size) => size.to_string(),
                Err(_) => size.to_owned(),
            });
        let mut name = self.value("pattern").unwrap_or_default().to_owned();
        name.extend(size.map(|size| format!("-{size}")));
        for key in ["mix", "depth", "jobs", "fsync"] {
            let value = self.value(key).filter(|value| *value != "1");
            name.extend(value.map(|value| format!("-{key}{value}")));
        }
        name
    }

    fn write(&self, text: &mut String, name: &str) {
        line(text, format_args!("[workload.{name}]"));
        for (key, value) in &self.keys {
            put(text, key, value);
        }
        let is_deep = self.value("depth").is_some_and(|depth| depth != "1");
        if self.value("engine").is_none() && self.value("from").is_none() && is_deep {
            put(text, "engine", "libaio");
        }
    }
}

/// Returns a key and a value as a study has them: those of fio are read as what they mean, and all
/// others stay as they are, for a study's own checks.
pub fn understood(key: &str, value: &str) -> (String, String) {
    let as_is = || (key.to_owned(), value.to_owned());
    let mut load = Load::new(Pattern::RandRw, Bytes::new(4096), Bytes::MIB);
    let own = LOAD_KEYS.iter().find(|row| row.name == key);
    if own.is_some_and(|row| (row.put)(&mut load, value)) {
        return as_is();
    }
    match meaning(key, value) {
        Some(Meaning::Key {
            key,
            value: Some(value),
        }) => (key.to_owned(), value),
        _ => as_is(),
    }
}

/// Returns the keys of a load that a word names: a shipped workload's with `from`, else `None`.
pub fn shipped_load(word: &str) -> Option<(String, String)> {
    let preset = Preset::named(word)?;
    Some(("from".to_owned(), preset.name.to_owned()))
}

/// Writes a key: numbers and booleans bare, everything else as a string.
fn put(text: &mut String, key: &str, value: &str) {
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let key = match !key.is_empty() && key.chars().all(is_key) {
        true => key.to_owned(),
        false => quoted(key),
    };
    let is_bare = value.parse::<u32>().is_ok() || ["true", "false"].contains(&value);
    match is_bare {
        true => line(text, format_args!("{key} = {value}")),
        false => line(text, format_args!("{key} = {}", quoted(value))),
    }
}

fn line(text: &mut String, content: std::fmt::Arguments) {
    writeln!(text, "{content}").expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn question() -> Question {
        let key = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        Question {
            question: None,
            kernel: Some("6.1".to_owned()),
            host: None,
            cores: Some(64),
            stacks: vec![StackQuestion {
                devices: vec![("ssd".to_owned(), 4)],
                array: Some(ArrayQuestion {
                    level: "raid10".to_owned(),
                    layout: Some("f2".to_owned()),
                    chunk: Some("32K".to_owned()),
                    bitmap: None,
                }),
                filesystem: None,
            }],
            loads: vec![LoadQuestion {
                keys: vec![
                    key("pattern", "randread"),
                    key("block_size", "4K"),
                    key("size", "1G"),
                    key("direct", "true"),
                    key("depth", "8"),
                ],
            }],
            sample: None,
            governor: Some("performance".to_owned()),
            state: Some("fresh".to_owned()),
            writes_per_day: Some("50G".to_owned()),
            tbw: Some("150T".to_owned()),
        }
    }

    #[test]
    fn a_question_is_a_study() {
        let text = question().study();
        expect_test::expect![[r#"
            kernel = "6.1"
            cores = 64
            [stack.raid10-f2-4-32K]
            devices = { "ssd" = 4 }
            array = { level = "raid10", layout = "f2", chunk = "32K" }
            [workload.randread-4K-depth8]
            pattern = "randread"
            block_size = "4K"
            size = "1G"
            direct = true
            depth = 8
            engine = "libaio"
            [lifetime]
            writes_per_day = "50G"
            tbw_bytes = "150T"
            [conditions]
            governor = "performance"
            state = "fresh"
        "#]]
        .assert_eq(&text);
        assert_eq!(parse("question", &text).unwrap().cells.len(), 1);
    }

    #[test]
    fn no_text_escapes_its_quotes() {
        for hostile in [
            "a\"\n[evil]\nx = \"",
            "\u{7f}\u{0}\u{1b}[31m",
            "\"\"\"",
            "\\",
            "\u{202e}\u{2028}",
        ] {
            let mut asked = question();
            asked.question = Some(hostile.to_owned());
            let study = parse("question", &asked.study()).unwrap();
            assert_eq!(study.question.as_deref(), Some(hostile));
            let mut asked = question();
            asked.stacks[0].devices[0].0 = hostile.to_owned();
            if let Ok(study) = parse("question", &asked.study()) {
                assert_eq!(study.cells[0].stack.devices[0].profile, hostile);
            }
        }
        let mut text = String::new();
        put(&mut text, "host", "a\"\n[evil]");
        put(&mut text, "a = 1\n[evil]\nb", "2");
        assert_eq!(
            text,
            "host = \"a\\\"\\n[evil]\"\n\"a = 1\\n[evil]\\nb\" = 2\n"
        );
    }
}
