//! A question on the command line: the words of `predict`'s options, and the question they make.

use stripewise_study::question::{ArrayQuestion, LoadQuestion, Question, StackQuestion};
use stripewise_study::stack::Level;
use stripewise_study::units::Bytes;

use crate::failure::{Failure, Result};

/// From this number on a bare number in `--array` is a chunk in bytes, not a number of devices.
const CHUNK_FROM: u64 = 4096;

const LEVELS: [Level; 7] = [
    Level::Linear,
    Level::Raid0,
    Level::Raid1,
    Level::Raid4,
    Level::Raid5,
    Level::Raid6,
    Level::Raid10,
];

/// An array as it is written in a word: `raid10:n2:4:32K`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayWord {
    text: String,
    /// Nothing for `none`: the device alone.
    level: Option<Level>,
    layout: Option<String>,
    devices: Option<u32>,
    chunk: Option<Bytes>,
}

impl ArrayWord {
    /// The device alone.
    pub(crate) fn none() -> Self {
        Self {
            text: "none".to_owned(),
            level: None,
            layout: None,
            devices: None,
            chunk: None,
        }
    }
}

impl std::str::FromStr for ArrayWord {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut parts = text.split(':');
        let level = parts.next().unwrap_or_default();
        let mut word = ArrayWord {
            text: text.to_owned(),
            ..ArrayWord::none()
        };
        if level != "none" {
            let known = LEVELS.into_iter().find(|known| known.as_str() == level);
            word.level = Some(known.ok_or_else(|| {
                format!("`{level}` is no level; levels are none, linear, raid0, raid1, raid4, raid5, raid6, raid10")
            })?);
        }
        for part in parts {
            word.take(part)?;
        }
        Ok(word)
    }
}

impl ArrayWord {
    /// Takes a part that its shape tells apart: a number of devices, a chunk, a layout.
    fn take(&mut self, part: &str) -> std::result::Result<(), String> {
        let twice = |what: &str| Err(format!("`{part}` is a second {what}"));
        if self.level.is_none() {
            return Err(format!("`none` is the device alone, and has no `{part}`"));
        }
        if let Ok(count) = part.parse::<u32>()
            && u64::from(count) < CHUNK_FROM
        {
            return match self.devices.replace(count) {
                None => Ok(()),
                Some(_) => twice("number of devices"),
            };
        }
        if let Ok(chunk) = Bytes::parse(part) {
            return match self.chunk.replace(chunk) {
                None => Ok(()),
                Some(_) => twice("chunk"),
            };
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if part.is_empty() || !part.chars().all(is_word) {
            return Err(format!(
                "`{part}` is neither a layout (`n2`) nor a number of devices (`4`) nor a chunk (`32K`)"
            ));
        }
        match self.layout.replace(part.to_owned()) {
            None => Ok(()),
            Some(_) => twice("layout"),
        }
    }
}

/// A workload as it is written in a word: `randrw:4K:mix=70/30:depth=32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkloadWord {
    pattern: String,
    block_size: String,
    keys: Vec<(String, String)>,
}

impl std::str::FromStr for WorkloadWord {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut parts = text.split(':');
        let pattern = parts.next().unwrap_or_default().to_owned();
        let Some(block_size) = parts.next().filter(|size| !size.is_empty()) else {
            return Err("expected PATTERN:BLOCK, such as `randread:64K`".to_owned());
        };
        let mut word = WorkloadWord {
            pattern,
            block_size: block_size.to_owned(),
            keys: Vec::new(),
        };
        for part in parts {
            match (part.split_once('='), word.keys.last_mut()) {
                (Some((key, value)), _) => word.keys.push((key.to_owned(), value.to_owned())),
                // A colon within a value: `4K/60:64K/40`, `distribution=zipf:1.2`.
                (None, Some((_, value))) => *value = format!("{value}:{part}"),
                (None, None) => word.block_size = format!("{}:{part}", word.block_size),
            }
        }
        Ok(word)
    }
}

/// What the options ask: which devices, which arrays of them, which workloads.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    pub(crate) device: &'a str,
    pub(crate) count: Option<u32>,
    pub(crate) arrays: &'a [ArrayWord],
    pub(crate) workloads: &'a [WorkloadWord],
    /// Keys for all workloads that do not say otherwise.
    pub(crate) defaults: Vec<(&'static str, String)>,
    pub(crate) host: Option<&'a str>,
    pub(crate) kernel: Option<String>,
    pub(crate) governor: Option<&'a str>,
    pub(crate) bitmap: Option<&'a str>,
    pub(crate) filesystem: Option<&'a str>,
}

impl Options<'_> {
    /// Returns the question.
    ///
    /// # Errors
    /// If an array does not say of how many devices it is.
    pub(crate) fn question(&self) -> Result<Question> {
        let stacks = self.arrays.iter().map(|array| self.stack(array));
        let loads = self.workloads.iter().map(|workload| self.load(workload));
        Ok(Question {
            question: None,
            kernel: self.kernel.clone(),
            host: self.host.map(str::to_owned),
            stacks: stacks.collect::<Result<_>>()?,
            loads: loads.collect(),
            governor: self.governor.map(str::to_owned),
        })
    }

    fn stack(&self, array: &ArrayWord) -> Result<StackQuestion> {
        let count = match (array.level, array.devices.or(self.count)) {
            (None, _) => 1,
            (Some(_), Some(count)) => count,
            (Some(level), None) => {
                let message = format!("`--array {}` does not say of how many devices", array.text);
                return Err(Failure::new(message)
                    .hint(format!("write `--array {level}:4`, or `--count 4`")));
            }
        };
        let of_level = |level: Level| ArrayQuestion {
            level: level.as_str().to_owned(),
            layout: array.layout.clone(),
            chunk: array.chunk.map(|chunk| chunk.to_string()),
            bitmap: self
                .bitmap
                .filter(|_| level.has_bitmap())
                .map(str::to_owned),
        };
        Ok(StackQuestion {
            device: self.device.to_owned(),
            count,
            array: array.level.map(of_level),
            filesystem: self.filesystem.map(str::to_owned),
        })
    }

    fn load(&self, workload: &WorkloadWord) -> LoadQuestion {
        let mut keys = vec![
            ("pattern".to_owned(), workload.pattern.clone()),
            ("block_size".to_owned(), workload.block_size.clone()),
        ];
        let own = |key: &str| workload.keys.iter().any(|(own, _)| own == key);
        let defaults = self.defaults.iter().filter(|(key, _)| !own(key));
        keys.extend(defaults.map(|(key, value)| ((*key).to_owned(), value.clone())));
        keys.extend(workload.keys.iter().cloned());
        LoadQuestion { keys }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_array_are_told_apart_by_their_shape() {
        let word: ArrayWord = "raid10:32K:4:n2".parse().unwrap();
        assert_eq!(
            word,
            ArrayWord {
                text: word.text.clone(),
                .."raid10:n2:4:32K".parse().unwrap()
            }
        );
        assert_eq!(word.devices, Some(4));
        let bytes: ArrayWord = "raid5:3:65536".parse().unwrap();
        assert_eq!(bytes.chunk, Some(Bytes::new(65536)));
        for bad in [
            "raid7",
            "",
            "raid10:n2:f2",
            "raid5:4:5",
            "raid0:2:64K:128K",
            "none:4",
            "raid10:",
            "raid5:a b",
        ] {
            assert!(bad.parse::<ArrayWord>().is_err(), "{bad}");
        }
    }

    #[test]
    fn colons_within_values_stay() {
        let word: WorkloadWord = "randrw:4K/60:64K/40:mix=70/30:distribution=zipf:1.2"
            .parse()
            .unwrap();
        assert_eq!(word.block_size, "4K/60:64K/40");
        assert_eq!(
            word.keys[1],
            ("distribution".to_owned(), "zipf:1.2".to_owned())
        );
        assert!("randread".parse::<WorkloadWord>().is_err());
        assert!("randread:".parse::<WorkloadWord>().is_err());
    }
}
