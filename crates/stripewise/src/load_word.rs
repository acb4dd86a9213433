//! Loads on the command line, in the words of a study or of fio.

use stripewise_format::foreign::{Meaning, meaning};
use stripewise_format::preset::Preset;
use stripewise_format::question::{shipped_load, understood};
use stripewise_format::spelling::{self, Spelling};
use stripewise_units::Bytes;
use stripewise_units::suggest::nearest;

/// A workload on the command line: `randrw:4K:mix=70/30:depth=32`, fio's `rw=randrw:bs=4k`, or a shipped
/// one, `oltp:size=10G`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkloadWord {
    pub(crate) text: String,
    /// The keys of a study.
    pub(crate) keys: Vec<(String, String)>,
}

/// The block size of a load that names none: fio's.
pub(crate) const BLOCK_SIZE_DEFAULT: &str = "4K";

impl std::str::FromStr for WorkloadWord {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut word = WorkloadWord {
            text: text.to_owned(),
            keys: Vec::new(),
        };
        for (at, part) in parts_of(text).into_iter().enumerate() {
            match part.split_once('=') {
                Some((key, value)) => word.put(key.trim_start_matches('-'), value)?,
                None => word.take(part, at == 0)?,
            }
        }
        if word.has("from") {
            return Ok(word);
        }
        if !word.has("pattern") {
            return Err(format!(
                "`{text}` has no pattern: write `rw=randread`, or `PATTERN:BLOCK`"
            ));
        }
        if !word.has("block_size") {
            word.put("block_size", BLOCK_SIZE_DEFAULT)?;
        }
        let rank = |key: &str| match key {
            "pattern" => 0,
            "block_size" => 1,
            _ => 2,
        };
        word.keys.sort_by_key(|(key, _)| rank(key));
        Ok(word)
    }
}

/// Splits a load at its colons and spaces, and at commas before `KEY=`: fio's `bs=4k,8k` stays whole.
fn parts_of(text: &str) -> Vec<&str> {
    let is_between = |c: char| c == ':' || c.is_whitespace();
    let parts = text.trim().split(is_between);
    let parts = parts.flat_map(|part| {
        let mut begin = 0;
        let mut found = Vec::new();
        for (comma, _) in part.match_indices(',') {
            let next = part.get(comma + 1..).unwrap_or_default();
            let word = next.split(',').next().unwrap_or_default();
            if word.contains('=') {
                found.push(part.get(begin..comma).unwrap_or_default());
                begin = comma + 1;
            }
        }
        found.push(part.get(begin..).unwrap_or_default());
        found
    });
    parts
        .flat_map(|part| joined_by_dashes(part).unwrap_or_else(|| vec![part]))
        .collect()
}

/// Returns the parts of a word such as `4k-randread` or `rand_read_64k_qd32`: a pattern and more, each of
/// which is understood; `None` if it is something else.
fn joined_by_dashes(word: &str) -> Option<Vec<&str>> {
    if word.contains('=') || !word.contains(['-', '_']) || shipped_load(word).is_some() {
        return None;
    }
    let ends = word.match_indices(['-', '_']).map(|(at, _)| at);
    let ends: Vec<usize> = ends.chain([word.len()]).collect();
    let (mut parts, mut begin) = (Vec::new(), 0);
    while begin < word.len() {
        // The longest one: `rand-read` is a pattern, and `rand` none.
        let longest = ends.iter().rev().filter(|end| **end > begin);
        let mut longest = longest.filter_map(|end| word.get(begin..*end));
        let part = longest.find(|part| !matches!(Bare::of(part), Bare::Other | Bare::Number(_)))?;
        parts.push(part);
        begin += part.len() + 1;
    }
    let is_pattern = |part: &&&str| matches!(Bare::of(part), Bare::Pattern(_));
    (parts.len() > 1 && parts.iter().filter(is_pattern).count() == 1).then_some(parts)
}

/// Returns why a word is no load.
fn no_load(word: &str) -> String {
    const EXPECTED: &str = "expected PATTERN:BLOCK, such as `randread:64K`, or a shipped workload (`stripewise workloads`)";
    if let Some(Spelling::Elsewhere(why)) = spelling::pattern(word) {
        return format!("`{word}` is not a pattern: {why}");
    }
    match nearest(word, Preset::names()) {
        Some(near) => format!("there is no shipped workload `{word}`: did you mean `{near}`?"),
        None => EXPECTED.to_owned(),
    }
}

/// What a part of a load without `KEY=` is, by its form.
enum Bare<'a> {
    Pattern(String),
    Size(&'a str),
    Mix(&'a str),
    /// A key with its number: `qd32`.
    Key(&'a str, &'a str),
    Number(&'a str),
    Other,
}

impl<'a> Bare<'a> {
    fn of(part: &'a str) -> Bare<'a> {
        if let Some(Spelling::Is(pattern)) = spelling::pattern(part) {
            return Bare::Pattern(pattern);
        }
        if let Ok(number) = part.parse::<u64>() {
            return match number >= 512 && number.is_multiple_of(512) {
                true => Bare::Size(part),
                false => Bare::Number(part),
            };
        }
        if Bytes::parse(part).is_ok() {
            return Bare::Size(part);
        }
        let is_share = |share: &str| share.parse::<u8>().is_ok_and(|share| share <= 100);
        let shares = part.split_once('/');
        if shares.is_some_and(|(reads, writes)| is_share(reads) && is_share(writes)) {
            return Bare::Mix(part);
        }
        let end = part.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (key, number) = part.split_at(end);
        match meaning(key, number) {
            Some(Meaning::Key { .. }) if !number.is_empty() && !key.is_empty() => {
                Bare::Key(key, number)
            }
            _ => Bare::Other,
        }
    }
}

impl WorkloadWord {
    /// Adds a part without `KEY=`.
    fn take(&mut self, part: &str, is_first: bool) -> std::result::Result<(), String> {
        if is_first && let Some(from) = shipped_load(part) {
            self.keys.push(from);
            return Ok(());
        }
        // A colon within a value: `4K/60:64K/40`, `distribution=zoned:50/5:30/15`.
        let open = self.keys.last().map(|(key, _)| key.as_str());
        let is_split = open == Some("block_size") && part.contains('/');
        if is_split && !matches!(Bare::of(part), Bare::Mix(_)) || open == Some("distribution") {
            let (_, value) = self.keys.last_mut().expect("an open key is one");
            *value = format!("{value}:{part}");
            return Ok(());
        }
        match Bare::of(part) {
            Bare::Pattern(pattern) => self.put("rw", &pattern),
            Bare::Size(size) => self.put("bs", size),
            Bare::Mix(mix) => self.put("mix", mix),
            Bare::Key(key, number) => self.put(key, number),
            Bare::Number(number) if self.is_block(number) => Err(format!(
                "`{number}` is no block size: one is a multiple of 512 bytes, such as `4K` (another number is `depth={number}` or `jobs={number}`)"
            )),
            Bare::Number(number) => Err(format!(
                "`{number}` has no key: write `depth={number}`, `jobs={number}`, or of a mix, `mix={number}`"
            )),
            Bare::Other if is_first => Err(no_load(part)),
            // What a size or a mix is not is the study's to say.
            Bare::Other if !self.has("block_size") && !part.is_empty() => self.put("bs", part),
            Bare::Other => Err(format!(
                "`{part}` has no key: write `KEY={part}`, with a key of a study or of fio, such as `depth` or `iodepth`"
            )),
        }
    }
}

impl WorkloadWord {
    /// Returns whether a number that stands alone was meant as a block size: a load has none yet, and few
    /// queues are as deep.
    fn is_block(&self, number: &str) -> bool {
        let is_large = number.parse::<u64>().is_ok_and(|number| number >= 512);
        is_large && self.has("pattern") && !self.has("block_size")
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|(own, _)| own == key)
    }

    /// Adds a key as the study has it.
    fn put(&mut self, key: &str, value: &str) -> std::result::Result<(), String> {
        let (own, value) = understood(key, value);
        if self.has(&own) {
            let is_first = ["pattern", "block_size"].contains(&own.as_str()) && own == key;
            return Err(match is_first {
                true => format!("`{key}` is given twice: PATTERN:BLOCK already sets it"),
                false if own == key => format!("`{key}` is given twice"),
                false => format!("`{key}` is given twice: here it is `{own}`"),
            });
        }
        self.keys.push((own, value));
        Ok(())
    }
}
