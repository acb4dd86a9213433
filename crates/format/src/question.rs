//! A question as a study: devices, arrays of them and loads, written as TOML.
//!
//! A command with options, or a page with sliders, writes a study with [`Question::study`] and
//! reads it with [`format::parse`](crate::parse), so that every check and every message is
//! that of a study file. This module checks nothing, but quotes all text.

use std::fmt::Write as _;

use stripewise_study::keys::quoted;

/// The size of the file of each job, if a question names none.
pub const SIZE_DEFAULT: &str = "4G";
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
    /// The stacks under test; named `array1`, `array2`, ... in the study.
    pub stacks: Vec<StackQuestion>,
    /// The loads; named `load1`, `load2`, ... in the study.
    pub loads: Vec<LoadQuestion>,
    /// The CPU frequency governor.
    pub governor: Option<String>,
    /// The state of the devices: `steady` or `fresh`.
    pub state: Option<String>,
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
        for (number, stack) in (1..).zip(&self.stacks) {
            text.push_str(&stack.section(&format!("array{number}")));
        }
        for (number, load) in (1..).zip(&self.loads) {
            load.write(&mut text, number);
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
    fn write(&self, text: &mut String, number: usize) {
        line(text, format_args!("[workload.load{number}]"));
        for (key, value) in &self.keys {
            put(text, key, value);
        }
        let value = |wanted: &str| self.keys.iter().find(|(key, _)| key == wanted);
        if value("engine").is_none() && value("depth").is_some_and(|(_, depth)| depth != "1") {
            put(text, "engine", "libaio");
        }
    }
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
            governor: Some("performance".to_owned()),
            state: Some("fresh".to_owned()),
        }
    }

    #[test]
    fn a_question_is_a_study() {
        let text = question().study();
        expect_test::expect![[r#"
            kernel = "6.1"
            cores = 64
            [stack.array1]
            devices = { "ssd" = 4 }
            array = { level = "raid10", layout = "f2", chunk = "32K" }
            [workload.load1]
            pattern = "randread"
            block_size = "4K"
            size = "1G"
            direct = true
            depth = 8
            engine = "libaio"
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
