//! A question on the command line: parses the options of `predict` into a question.

use stripewise_format::question::{ArrayQuestion, LoadQuestion, Question, StackQuestion};
use stripewise_study::stack::Level;
use stripewise_units::Bytes;

use crate::failure::{Failure, Result};

/// From this number on a bare number in `--array` is a chunk in bytes, not a number of devices. Every
/// chunk is a multiple of it.
const CHUNK_FROM: u64 = 4096;

/// An array on the command line: `raid10:n2:4:32K`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayWord {
    text: String,
    /// `None` for `none`: the device alone.
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
            word.level = Some(Level::of_name(level).ok_or_else(|| {
                format!("`{level}` is not a level; levels are none, linear, raid0, raid1, raid4, raid5, raid6, raid10")
            })?);
        }
        for part in parts {
            word.take(part)?;
        }
        Ok(word)
    }
}

impl ArrayWord {
    /// Adds a part, recognised by its form: a number of devices, a chunk or a layout.
    fn take(&mut self, part: &str) -> std::result::Result<(), String> {
        let twice = |what: &str| Err(format!("`{part}` is a second {what}"));
        if self.level.is_none() {
            return Err(format!("`none` is the device alone, and has no `{part}`"));
        }
        if let Ok(number) = part.parse::<u64>() {
            if number < CHUNK_FROM && number > 0 {
                let count = u32::try_from(number).unwrap_or(u32::MAX);
                return match self.devices.replace(count) {
                    None => Ok(()),
                    Some(_) => twice("number of devices"),
                };
            }
            if number == 0 || !number.is_multiple_of(CHUNK_FROM) {
                return Err(format!(
                    "`{part}` is neither a number of devices (1 to {}) nor a chunk in bytes (a multiple of {CHUNK_FROM})",
                    CHUNK_FROM - 1
                ));
            }
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

impl ArrayWord {
    /// Returns the array of `devices`, or the device alone. One profile stands for all members;
    /// several are the members in their order.
    ///
    /// # Errors
    /// If neither the word, `count` nor the devices give the number of members, or it is another
    /// one than that of the devices.
    pub(crate) fn stack(
        &self,
        devices: &[String],
        count: Option<u32>,
        bitmap: Option<&String>,
    ) -> Result<StackQuestion> {
        let count = self.devices.or(count);
        let (devices, count) = match devices {
            [device] => (vec![device.clone()], count),
            several => (several.to_vec(), Some(self.of_each(several, count)?)),
        };
        let count = match (self.level, count) {
            (None, _) => 1,
            (Some(_), Some(count)) => count,
            (Some(level), None) => {
                let message = format!("`--array {}` has no number of devices", self.text);
                let bare = self
                    .text
                    .split(':')
                    .find(|part| part.parse::<u64>().is_ok());
                let read = bare.map_or_else(String::new, |number| {
                    format!("`{number}` is read as the chunk, in bytes: ")
                });
                return Err(Failure::new(message).hint(format!("{read}write `--array {level}:4`")));
            }
        };
        let of_level = |level: Level| ArrayQuestion {
            level: level.as_str().to_owned(),
            layout: self.layout.clone(),
            chunk: self.chunk.map(|chunk| chunk.to_string()),
            bitmap: bitmap.cloned(),
        };
        Ok(StackQuestion {
            devices: devices.into_iter().map(|device| (device, count)).collect(),
            array: self.level.map(of_level),
            filesystem: None,
        })
    }
}

impl ArrayWord {
    /// Returns how many devices each `--device` of several stands for, which is one.
    ///
    /// # Errors
    /// If there is no array for them, or it has another number of members.
    fn of_each(&self, devices: &[String], count: Option<u32>) -> Result<u32> {
        let named = devices.len();
        if self.level.is_none() {
            let message = format!("{named} devices need an array");
            return Err(Failure::new(message).hint("name one, such as `--array raid1`"));
        }
        match count {
            Some(count) if usize::try_from(count) != Ok(named) => Err(Failure::new(format!(
                "`--array {}` has {count} members, and {named} devices are named",
                self.text
            ))
            .hint("name one device for all members, or one `--device` for each")),
            _ => Ok(1),
        }
    }
}

/// A workload on the command line: `randrw:4K:mix=70/30:depth=32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkloadWord {
    text: String,
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
            text: text.to_owned(),
            pattern,
            block_size: block_size.to_owned(),
            keys: Vec::new(),
        };
        for part in parts {
            let Some((key, value)) = part.split_once('=') else {
                // A colon within a value: `4K/60:64K/40`, `distribution=zipf:1.2`.
                match word.keys.last_mut() {
                    Some((_, value)) => *value = format!("{value}:{part}"),
                    None => word.block_size = format!("{}:{part}", word.block_size),
                }
                continue;
            };
            if ["pattern", "block_size"].contains(&key) {
                return Err(format!(
                    "`{key}` is given twice: PATTERN:BLOCK already sets it"
                ));
            }
            if word.has(key) {
                return Err(format!("`{key}` is given twice"));
            }
            word.keys.push((key.to_owned(), value.to_owned()));
        }
        Ok(word)
    }
}

impl WorkloadWord {
    fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|(own, _)| own == key)
    }
}

/// Reads a write-intent bitmap from the command line; the study checks the size of its chunk.
pub(crate) fn bitmap_word(text: &str) -> std::result::Result<String, String> {
    match text {
        "internal" | "none" => Ok(text.to_owned()),
        chunk => Bytes::parse(chunk)
            .map(|_| text.to_owned())
            .map_err(|_| "expected `internal`, `none`, or its chunk, such as `64M`".to_owned()),
    }
}

/// The options of a question: devices, arrays of them, workloads.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    pub(crate) devices: &'a [String],
    pub(crate) count: Option<u32>,
    pub(crate) arrays: &'a [ArrayWord],
    pub(crate) workloads: &'a [WorkloadWord],
    /// The traces to replay, which take only the depth from the options.
    pub(crate) traces: Vec<String>,
    /// Keys that options set, for all workloads that do not set them.
    pub(crate) given: Vec<(&'static str, String)>,
    /// Keys that neither a workload nor an option sets.
    pub(crate) defaults: Vec<(&'static str, String)>,
    pub(crate) host: Option<&'a str>,
    pub(crate) cores: Option<u32>,
    pub(crate) kernel: Option<String>,
    pub(crate) governor: Option<&'a str>,
    pub(crate) state: Option<&'a str>,
    /// The bitmaps of each array that can keep one.
    pub(crate) bitmaps: &'a [String],
    pub(crate) filesystem: Option<&'a str>,
}

impl Options<'_> {
    /// Returns the question.
    ///
    /// # Errors
    /// If an array has no number of devices, or nothing uses an option.
    pub(crate) fn question(&self) -> Result<Question> {
        self.refuse_unused_keys()?;
        self.refuse_unused_count()?;
        self.refuse_unused_bitmap()?;
        let stacks = self.arrays.iter().flat_map(|array| self.stacks(array));
        let loads = self.workloads.iter().map(|workload| self.load(workload));
        let loads = loads.chain(self.traces.iter().map(|trace| self.replay(trace)));
        Ok(Question {
            question: None,
            kernel: self.kernel.clone(),
            host: self.host.map(str::to_owned),
            cores: self.cores,
            stacks: stacks.collect::<Result<_>>()?,
            loads: loads.collect(),
            governor: self.governor.map(str::to_owned),
            state: self.state.map(str::to_owned),
        })
    }

    /// Refuses an option whose key every workload sets itself.
    fn refuse_unused_keys(&self) -> Result<()> {
        for (key, value) in &self.given {
            let mut own = self.workloads.iter();
            if let Some(first) = self.workloads.first()
                && own.all(|workload| workload.has(key))
            {
                let word = stripewise_units::visible::shell_word(&first.text);
                let message = format!("`--{key} {value}` and `--workload {word}` both set `{key}`");
                return Err(Failure::new(message).hint("leave one of them out"));
            }
        }
        Ok(())
    }

    /// Refuses `--count` if every array has its own number of devices.
    fn refuse_unused_count(&self) -> Result<()> {
        let Some(count) = self.count else {
            return Ok(());
        };
        let is_open = |array: &ArrayWord| array.level.is_some() && array.devices.is_none();
        if self.arrays.iter().any(is_open) {
            return Ok(());
        }
        let numbered = self.arrays.iter().find(|array| array.devices.is_some());
        Err(match numbered {
            Some(array) => Failure::new(format!(
                "`--count {count}` and `--array {}` both set the number of devices",
                array.text
            ))
            .hint("leave one of them out"),
            None => Failure::new(format!(
                "`--count {count}` has no effect: `--array none` is one device"
            ))
            .hint("name an array, such as `--array raid5`"),
        })
    }

    /// Refuses a bitmap if no array can keep one.
    fn refuse_unused_bitmap(&self) -> Result<()> {
        let keeps_one = |array: &ArrayWord| array.level.is_some_and(Level::has_bitmap);
        let mut bitmaps = self.bitmaps.iter();
        match bitmaps.find(|bitmap| *bitmap != "none") {
            None => Ok(()),
            Some(_) if self.arrays.iter().any(keeps_one) => Ok(()),
            Some(bitmap) => {
                let arrays: Vec<&str> = self
                    .arrays
                    .iter()
                    .map(|array| array.text.as_str())
                    .collect();
                let message = format!(
                    "`--bitmap {bitmap}` has no effect: `--array {}` keeps no bitmap",
                    arrays.join("`, `--array ")
                );
                Err(Failure::new(message).hint("raid1, raid4, raid5, raid6 and raid10 keep one"))
            }
        }
    }

    /// Returns the stacks of an array: one with each bitmap.
    fn stacks(&self, array: &ArrayWord) -> Vec<Result<StackQuestion>> {
        let bitmaps: Vec<Option<&String>> = match self.bitmaps {
            [] => vec![None],
            _ if !array.level.is_some_and(Level::has_bitmap) => vec![None],
            bitmaps => bitmaps.iter().map(Some).collect(),
        };
        let with = |bitmap: Option<&String>| {
            Ok(StackQuestion {
                filesystem: self.filesystem.map(str::to_owned),
                ..array.stack(self.devices, self.count, bitmap)?
            })
        };
        bitmaps.into_iter().map(with).collect()
    }

    fn replay(&self, trace: &str) -> LoadQuestion {
        let mut keys = vec![("trace".to_owned(), trace.to_owned())];
        let given = self.given.iter();
        keys.extend(given.map(|(key, value)| ((*key).to_owned(), value.clone())));
        LoadQuestion { keys }
    }

    fn load(&self, workload: &WorkloadWord) -> LoadQuestion {
        let mut keys = vec![
            ("pattern".to_owned(), workload.pattern.clone()),
            ("block_size".to_owned(), workload.block_size.clone()),
        ];
        let is_given = |wanted: &str| self.given.iter().any(|(key, _)| *key == wanted);
        let defaults = self.defaults.iter().filter(|(key, _)| !is_given(key));
        let others = defaults.chain(&self.given);
        let others = others.filter(|(key, _)| !workload.has(key));
        keys.extend(others.map(|(key, value)| ((*key).to_owned(), value.clone())));
        keys.extend(workload.keys.iter().cloned());
        LoadQuestion { keys }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_array_are_recognised_by_their_form() {
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
            "raid5:0",
            "raid5:4097",
            "raid5:99999",
            "raid5:4000000000",
        ] {
            assert!(bad.parse::<ArrayWord>().is_err(), "{bad}");
        }
    }

    #[test]
    fn several_devices_are_the_members_in_their_order() {
        let devices = ["b".to_owned(), "a".to_owned(), "b".to_owned()];
        let stack = |word: &str, devices: &[String], count| {
            let word: ArrayWord = word.parse().unwrap();
            word.stack(devices, count, None)
        };
        for (word, count) in [("raid5", None), ("raid5:3", None), ("raid5", Some(3))] {
            let section = stack(word, &devices, count).unwrap().section("s");
            let wanted = "devices = [\"b\", \"a\", \"b\"]\n";
            assert!(section.contains(wanted), "{word}: {section}");
        }
        let section = stack("raid5:3", &devices[..1], None).unwrap().section("s");
        assert!(section.contains("devices = { \"b\" = 3 }\n"), "{section}");
        for (word, count) in [("none", None), ("raid5:4", None), ("raid5", Some(2))] {
            assert!(stack(word, &devices, count).is_err(), "{word}");
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
        for twice in [
            "randread:4K:depth=3:depth=3",
            "randread:4K:pattern=read",
            "randread:4K:depth=3:block_size=8K",
        ] {
            let error = twice.parse::<WorkloadWord>().unwrap_err();
            assert!(error.contains("is given twice"), "{twice}: {error}");
        }
    }
}
