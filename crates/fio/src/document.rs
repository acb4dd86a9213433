//! Finds JSON documents in text that contains more than JSON.
//!
//! fio puts notes and warnings before its JSON, even in the file of `--output`, repeats the whole
//! document with `--status-interval`, and leaves an unfinished one behind when it is killed. A shell
//! appends the next run to it, and other programs put the documents of several runs in a list:
//!
//! ```text
//! fio: note: ...            text
//! { "fio version" : ...     a document begins with these words ...
//! }                         ... and ends where its braces balance
//! { "fio version" : ...     another; this one unfinished, because ...
//! { "fio version" : ...     ... the next one begins
//! ```
//!
//! A document whose keys another program reordered begins where a line begins with `{`.
//!
//! It also repairs two errors in fio's JSON: `nan` and `inf` as numbers, and unescaped control
//! characters in option values.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

/// The largest nesting depth of lists and objects. fio's is 7.
pub(crate) const DEPTH_MAX: usize = 64;

/// The first key of fio's documents, in all versions.
const FIRST_KEY: &str = "\"fio version\"";

/// How many times the search continues after a candidate was not a document.
const FALSE_STARTS_MAX: usize = 16;

/// A text split into documents and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// How many documents were accepted.
    pub count: usize,
    /// The rest of the text.
    pub text: String,
    /// How many documents began and did not end.
    pub cut_short: usize,
}

/// Takes the documents of a text.
pub(crate) trait Documents<'a> {
    /// Takes the document that `text` begins with, if it needs no repair, and returns its length.
    fn take_first(&mut self, text: &'a str) -> Option<usize>;

    /// Takes a repaired candidate; returns whether it is a document.
    fn take(&mut self, json: Cow<'a, str>) -> bool;
}

/// Splits `text` into documents and the rest.
///
/// Cost: linear in the text, times the small number of false starts.
pub(crate) fn split<'a>(text: &'a str, documents: &mut impl Documents<'a>) -> Parts {
    let mut splitter = Splitter {
        documents,
        parts: Parts::default(),
        false_starts: 0,
    };
    let mut starts = marked(text).peekable();
    splitter.unmarked(&text[..starts.peek().copied().unwrap_or(text.len())]);
    while let Some(start) = starts.next() {
        let end = starts.peek().copied().unwrap_or(text.len());
        splitter.marked(&text[start..end]);
    }
    splitter.parts
}

/// Returns where documents begin whose first key is fio's.
fn marked(text: &str) -> impl Iterator<Item = usize> {
    memmem::find_iter(text.as_bytes(), FIRST_KEY).filter_map(|key| {
        let before = text[..key].trim_end();
        before.ends_with('{').then(|| before.len() - 1)
    })
}

struct Splitter<'d, D> {
    documents: &'d mut D,
    parts: Parts,
    false_starts: usize,
}

impl<'a, D: Documents<'a>> Splitter<'_, D> {
    /// Splits a text that begins with a marked document and contains no other.
    fn marked(&mut self, text: &'a str) {
        if let Some(end) = self.documents.take_first(text) {
            self.parts.count += 1;
            return self.unmarked(&text[end..]);
        }
        match scan(text) {
            Scan::Ends { end, json } => {
                if self.documents.take(json) {
                    self.parts.count += 1;
                    return self.unmarked(&text[end..]);
                }
            }
            Scan::CutShort => self.parts.cut_short += 1,
            Scan::TooDeep => {}
        }
        self.parts.text.push_str(text);
    }

    /// Splits a text without marked documents.
    fn unmarked(&mut self, text: &'a str) {
        let mut rest = text;
        while self.false_starts <= FALSE_STARTS_MAX
            && let Some(start) = find_start(rest)
        {
            let (before, candidate) = rest.split_at(start);
            self.parts.text.push_str(before);
            match scan(candidate) {
                Scan::Ends { end, json } => {
                    if self.documents.take(json) {
                        self.parts.count += 1;
                        rest = &candidate[end..];
                        continue;
                    }
                }
                Scan::TooDeep => {}
                Scan::CutShort => self.parts.cut_short += usize::from(is_report(candidate)),
            }
            self.false_starts += 1;
            // Continue after this brace.
            self.parts.text.push('{');
            rest = &candidate[1..];
        }
        self.parts.text.push_str(rest);
    }
}

/// Returns whether a text has the lists of jobs of fio's documents.
pub(crate) fn is_report(text: &str) -> bool {
    ["\"jobs\"", "\"client_stats\""]
        .into_iter()
        .any(|key| memmem::find(text.as_bytes(), key.as_bytes()).is_some())
}

/// Returns where the next line begins with `{`, white space and the marks of a list apart.
fn find_start(text: &str) -> Option<usize> {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed =
            line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ','));
        if trimmed.starts_with('{') {
            return Some(line_start + line.len() - trimmed.len());
        }
        line_start += line.len();
    }
    None
}

/// The result of a scan from a `{` on.
enum Scan<'a> {
    /// Braces and brackets balance again at `end`.
    Ends { end: usize, json: Cow<'a, str> },
    /// The text ends before they balance.
    CutShort,
    /// They nest deeper than [`DEPTH_MAX`].
    TooDeep,
}

/// Reads from a `{` to its closing brace and repairs the text.
fn scan(text: &str) -> Scan<'_> {
    let bytes = text.as_bytes();
    let mut repairs: Vec<(Range<usize>, &'static str)> = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => match end_of_string(text, at, &mut repairs) {
                Some(end) => at = end,
                None => return Scan::CutShort,
            },
            b'{' | b'[' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Scan::TooDeep;
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let json = repaired(&text[..at], &repairs);
                    return Scan::Ends { end: at, json };
                }
            }
            b'n' | b'i' | b'-' => {
                if let Some(length) = not_finite(&bytes[at - 1..]) {
                    repairs.push((at - 1..at - 1 + length, "null"));
                    at += length - 1;
                }
            }
            _ => {}
        }
    }
    Scan::CutShort
}

/// Returns where the string ends that begins at `start`, after its quote; notes its control
/// characters.
fn end_of_string(
    text: &str,
    start: usize,
    repairs: &mut Vec<(Range<usize>, &'static str)>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 1,
            0..0x20 | 0x7f => repairs.push((at..at + 1, " ")),
            // U+0080 to U+009F are control characters, too.
            0xc2 if matches!(bytes.get(at + 1), Some(0x80..0xa0)) => {
                repairs.push((at..at + 2, " "));
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns the text with its repairs.
fn repaired<'a>(text: &'a str, repairs: &[(Range<usize>, &'static str)]) -> Cow<'a, str> {
    if repairs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut json = String::with_capacity(text.len());
    let mut copied = 0;
    for (place, replacement) in repairs {
        json.push_str(&text[copied..place.start]);
        json.push_str(replacement);
        copied = place.end;
    }
    json.push_str(&text[copied..]);
    Cow::Owned(json)
}

/// Returns the length of the `nan` or `inf`, with or without sign, that `bytes` begin with.
fn not_finite(bytes: &[u8]) -> Option<usize> {
    [&b"-nan"[..], b"nan", b"-inf", b"inf"]
        .into_iter()
        .find(|word| bytes.starts_with(word))
        .map(<[u8]>::len)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Takes all JSON.
    #[derive(Default)]
    struct All {
        is_quick: bool,
        taken: Vec<String>,
    }

    impl<'a> Documents<'a> for All {
        fn take_first(&mut self, text: &'a str) -> Option<usize> {
            let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            values.next().filter(|_| self.is_quick)?.ok()?;
            let length = values.byte_offset();
            self.taken.push(text[..length].to_owned());
            Some(length)
        }

        fn take(&mut self, json: Cow<'a, str>) -> bool {
            let is_json = serde_json::from_str::<Value>(&json).is_ok();
            if is_json {
                self.taken.push(json.into_owned());
            }
            is_json
        }
    }

    #[track_caller]
    fn check(text: &str, documents: &[&str], rest: &str, cut_short: usize) {
        for is_quick in [false, true] {
            let mut all = All {
                is_quick,
                ..All::default()
            };
            let parts = split(text, &mut all);
            assert_eq!(all.taken, documents, "{text}");
            assert_eq!(parts.count, documents.len(), "{text}");
            assert_eq!(parts.text, rest, "{text}");
            assert_eq!(parts.cut_short, cut_short, "{text}");
        }
    }

    #[test]
    fn text_around_documents_is_kept_apart() {
        check("{}", &["{}"], "", 0);
        check(
            "note: {x}\n{\"a\": 1}\ntail",
            &["{\"a\": 1}"],
            "note: {x}\n\ntail",
            0,
        );
        check(
            "{}\n  {\"a\": [{}]}{\"b\": 2}",
            &["{}", "{\"a\": [{}]}", "{\"b\": 2}"],
            "\n  ",
            0,
        );
    }

    #[test]
    fn documents_are_found_in_lists_and_beside_text() {
        let (one, two) = ("{\"fio version\":1}", "{ \"fio version\" : 2}");
        check(&format!("[{one},{two}]"), &[one, two], "[,]", 0);
        check(
            "[{\"a\":1},{\"b\":2}]",
            &["{\"a\":1}", "{\"b\":2}"],
            "[,]",
            0,
        );
        check(&format!("100%{one}x{two}"), &[one, two], "100%x", 0);
        let wrapped = format!("{{\"host\": {one}, \"other\": [{two}]}}");
        check(&wrapped, &[one, two], "{\"host\": , \"other\": []}", 0);
    }

    #[test]
    fn a_document_ends_where_the_next_begins() {
        let cut = "{\"fio version\": 1, \"jobs\": [{\"x\": \"half";
        let next = "{\"fio version\": 2, \"jobs\": [\n{}]}";
        check(&format!("{cut}\n{next}"), &[next], &format!("{cut}\n"), 1);
    }

    #[test]
    fn braces_in_strings_do_not_count() {
        check(r#"{"a}": "\"}{"}"#, &[r#"{"a}": "\"}{"}"#], "", 0);
    }

    #[test]
    fn an_unfinished_document_is_noticed() {
        check(
            "{\"a\": 1}\n{\"jobs\": ",
            &["{\"a\": 1}"],
            "\n{\"jobs\": ",
            1,
        );
        check("{\"jobs\": \"", &[], "{\"jobs\": \"", 1);
        // Not every brace in a text is a document.
        check("{x", &[], "{x", 0);
    }

    #[test]
    fn balanced_braces_without_a_document_are_text() {
        check("{x}\n{\"a\": 1}", &["{\"a\": 1}"], "{x}\n", 0);
    }

    #[test]
    fn nan_inf_and_control_characters_are_repaired() {
        check(
            "{\"a\": -nan, \"b\": [inf, nan], \"c\": \"nan\ttab\u{85}\u{a0}\"}",
            &["{\"a\": null, \"b\": [null, null], \"c\": \"nan tab \u{a0}\"}"],
            "",
            0,
        );
    }

    #[test]
    fn depth_and_false_starts_are_bounded() {
        let deep = "[".repeat(100_000);
        check(&format!("{{{deep}"), &[], &format!("{{{deep}"), 0);
        let starts = "{\n".repeat(100_000);
        assert_eq!(split(&starts, &mut All::default()).count, 0);
    }
}
