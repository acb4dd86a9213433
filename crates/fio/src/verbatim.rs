//! Keeps fio's own numbers and texts of each job, under fio's names.
//!
//! A sample has fields for data that all sources have. The rest (standard deviations, both kinds of
//! latency, depths, page faults, fio's own bandwidth over time) is kept verbatim: the path of each
//! number in the job's entry, and the number. Bins and options are read elsewhere and not repeated.
//! We keep a bounded part of a file and count the rest.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use stripewise_study::limits::STATED_MAX;
use stripewise_study::sample::VerbatimJob;
use stripewise_units::visible::visible;

use crate::program::printable;
use crate::raw::{Key, OPTION_BYTES_MAX};

/// The most numbers and texts kept from one file: 2,000 jobs of fio.
const FILE_MAX: usize = 400_000;

/// The longest path of a number; fio's are not half as long.
const PATH_BYTES_MAX: usize = 128;

/// Objects that other code reads.
const SKIPPED_OBJECTS: [&str; 2] = ["bins", "job options"];

/// The numbers and texts of a document's jobs and disks, each list in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct StatedDocument {
    pub jobs: Vec<VerbatimJob>,
    pub client_stats: Vec<VerbatimJob>,
    pub disks: Vec<VerbatimJob>,
    /// How many numbers and texts were dropped at the limit.
    pub left_out: usize,
}

/// Reads the numbers and texts of a document that was parsed before; empty if it is malformed.
pub(crate) fn read(json: &str) -> StatedDocument {
    let mut budget = Budget {
        left: FILE_MAX,
        left_out: 0,
    };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let mut document = DocumentSeed {
        budget: &mut budget,
    }
    .deserialize(&mut deserializer)
    .unwrap_or_default();
    document.left_out = budget.left_out;
    document
}

/// Returns the text at a path of an entry.
pub(crate) fn text_of<'a>(entry: &'a VerbatimJob, path: &str) -> Option<&'a str> {
    let found = entry.texts.iter().find(|(of_text, _)| of_text == path);
    found.map(|(_, text)| text.as_str())
}

/// How many more entries fit, and how many were dropped.
struct Budget {
    left: usize,
    left_out: usize,
}

struct DocumentSeed<'a> {
    budget: &'a mut Budget,
}

impl<'de> DeserializeSeed<'de> for DocumentSeed<'_> {
    type Value = StatedDocument;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for DocumentSeed<'_> {
    type Value = StatedDocument;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fio's document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StatedDocument, A::Error> {
        let mut document = StatedDocument::default();
        while let Some(key) = map.next_key::<String>()? {
            let list = match key.as_str() {
                "jobs" => &mut document.jobs,
                "client_stats" => &mut document.client_stats,
                "disk_util" => &mut document.disks,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *list = map.next_value_seed(Entries {
                budget: self.budget,
            })?;
        }
        Ok(document)
    }
}

/// A list of entries.
struct Entries<'a> {
    budget: &'a mut Budget,
}

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = Vec<VerbatimJob>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = Vec<VerbatimJob>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<VerbatimJob>, A::Error> {
        let mut entries = Vec::new();
        let mut path = String::new();
        loop {
            let mut entry = VerbatimJob::default();
            path.clear();
            let walk = Walk {
                path: &mut path,
                entry: &mut entry,
                budget: self.budget,
            };
            if list.next_element_seed(walk)?.is_none() {
                return Ok(entries);
            }
            entry.numbers.shrink_to_fit();
            entries.push(entry);
        }
    }
}

/// Collects all numbers and texts below a path.
struct Walk<'a> {
    path: &'a mut String,
    entry: &'a mut VerbatimJob,
    budget: &'a mut Budget,
}

impl Walk<'_> {
    /// Returns whether one more entry fits, and reserves it.
    fn reserve(&mut self) -> bool {
        let kept = self.entry.numbers.len().max(self.entry.texts.len());
        let fits = self.budget.left > 0 && kept < STATED_MAX && self.path.len() <= PATH_BYTES_MAX;
        match fits {
            true => self.budget.left -= 1,
            false => self.budget.left_out = self.budget.left_out.saturating_add(1),
        }
        fits
    }

    fn number(mut self, number: f64) {
        // Numbers of a document are finite: `inf` and `nan` were replaced by null.
        if number.is_finite() && self.reserve() {
            self.entry.numbers.push((self.path.clone(), number));
        }
    }

    fn text(mut self, text: &str) {
        // fio's texts are not half as long as the limit.
        if text.len() > OPTION_BYTES_MAX {
            self.budget.left_out = self.budget.left_out.saturating_add(1);
        } else if !text.is_empty() && self.reserve() {
            let text = (self.path.clone(), printable(text));
            self.entry.texts.push(text);
        }
    }

    /// Adds a key to the path, and returns the length to restore.
    fn descend(&mut self, key: &str) -> usize {
        let length = self.path.len();
        // A path over the limit is not extended further.
        if length <= PATH_BYTES_MAX {
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(key);
        }
        length
    }

    /// Returns a walk of the values below.
    fn below(&mut self) -> Walk<'_> {
        Walk {
            path: &mut *self.path,
            entry: &mut *self.entry,
            budget: &mut *self.budget,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.number(f64::from(u8::from(value)));
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.number(stripewise_study::sample::as_f64(value));
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        let size = stripewise_study::sample::as_f64(value.unsigned_abs());
        self.number(if value < 0 { -size } else { size });
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.number(value);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.text(value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            let length = self.descend(&index.to_string());
            let next = list.next_element_seed(self.below())?;
            self.path.truncate(length);
            if next.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            if SKIPPED_OBJECTS.contains(&&*key) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            // Looking for hidden characters takes longer than reading the numbers.
            let is_plain = key.bytes().all(|byte| (b' '..0x7f).contains(&byte));
            let length = match is_plain {
                true => self.descend(&key),
                false => self.descend(&visible(&key)),
            };
            map.next_value_seed(self.below())?;
            self.path.truncate(length);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_keep_their_paths_and_order() {
        let document = read(
            r#"{"fio version": "fio-3.1", "jobs": [
                {"jobname": "a", "read": {"bw_dev": 1.5, "bins": {"1": 2}, "slope": -3},
                 "job options": {"rw": "read"}, "list": [1, {"x": true}], "none": null}],
                "disk_util": [{"name": "sda", "util": 99.5}]}"#,
        );
        let paths = |job: &VerbatimJob| -> Vec<(String, f64)> { job.numbers.clone() };
        let named = |pairs: &[(&str, f64)]| -> Vec<(String, f64)> {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect()
        };
        assert_eq!(
            paths(&document.jobs[0]),
            named(&[
                ("read.bw_dev", 1.5),
                ("read.slope", -3.0),
                ("list.0", 1.0),
                ("list.1.x", 1.0)
            ])
        );
        assert_eq!(
            document.jobs[0].texts,
            [("jobname".to_owned(), "a".to_owned())]
        );
        assert_eq!(paths(&document.disks[0]), named(&[("util", 99.5)]));
        assert_eq!(document.left_out, 0);
    }

    #[test]
    fn kept_entries_are_bounded_and_the_rest_is_counted() {
        let numbers: Vec<String> = (0..5000).map(|n| format!("\"n{n}\":{n}")).collect();
        let job = format!("{{{}}}", numbers.join(","));
        let jobs = vec![job; 120].join(",");
        let document = read(&format!("{{\"jobs\":[{jobs}]}}"));
        let kept: usize = document.jobs.iter().map(|job| job.numbers.len()).sum();
        assert_eq!(kept, FILE_MAX);
        assert_eq!(document.jobs[0].numbers.len(), STATED_MAX);
        assert_eq!(document.left_out, 120 * 5000 - FILE_MAX);
        let long = "x".repeat(200);
        let document = read(&format!("{{\"jobs\":[{{\"{long}\":{{\"y\":1}}}}]}}"));
        assert_eq!(document.jobs[0].numbers, []);
        assert_eq!(document.left_out, 1);
    }
}
