//! Finds JSON documents in text that contains more than JSON.
//!
//! fio puts notes and warnings before its JSON, even in the file of `--output`, repeats the whole
//! document with `--status-interval`, and leaves an unfinished one behind when it is killed:
//!
//! ```text
//! fio: note: ...            text
//! {                         a document that begins a line ...
//!   "fio version" : ...
//! }                         ... and ends where its braces balance
//! {  ...                    another; this one unfinished
//! ```
//!
//! It also repairs two errors in fio's JSON: `nan` and `inf` as numbers, and unescaped control
//! characters in option values.

/// The largest nesting depth of lists and objects. fio's is 7.
pub(crate) const DEPTH_MAX: usize = 64;

/// How many times the search continues after a candidate was not a document.
const FALSE_STARTS_MAX: usize = 16;

/// A text split into documents and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// How many documents were accepted.
    pub count: usize,
    /// The rest of the text.
    pub text: String,
    /// Whether a document began and did not end.
    pub is_cut_short: bool,
}

/// Splits `text`. `accept` gets every repaired candidate and returns whether it is a document.
///
/// Cost: linear in the text, times the small number of false starts.
pub(crate) fn split(text: &str, mut accept: impl FnMut(&str) -> bool) -> Parts {
    let mut parts = Parts::default();
    let mut rest = text;
    let mut false_starts = 0;
    while let Some(start) = find_start(rest) {
        let (before, candidate) = rest.split_at(start);
        parts.text.push_str(before);
        match scan(candidate) {
            Scan::Ends { end, repaired } if accept(&repaired) => {
                parts.count += 1;
                rest = &candidate[end..];
                continue;
            }
            Scan::Ends { .. } | Scan::TooDeep => {}
            Scan::CutShort => parts.is_cut_short = true,
        }
        rest = candidate;
        false_starts += 1;
        if false_starts > FALSE_STARTS_MAX {
            break;
        }
        // Continue after this brace.
        parts.text.push('{');
        rest = &rest[1..];
    }
    parts.text.push_str(rest);
    parts
}

/// Returns where the next line begins with `{`, white space apart.
fn find_start(text: &str) -> Option<usize> {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with('{') {
            return Some(line_start + line.len() - trimmed.len());
        }
        line_start += line.len();
    }
    None
}

/// The result of a scan from a `{` on.
enum Scan {
    /// Braces and brackets balance again at `end`.
    Ends { end: usize, repaired: String },
    /// The text ends before they balance.
    CutShort,
    /// They nest deeper than [`DEPTH_MAX`].
    TooDeep,
}

/// Reads from a `{` to its closing brace and repairs the text.
fn scan(text: &str) -> Scan {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => in_string = !in_string,
            '\\' if in_string => {
                chars.next();
            }
            c if in_string && c.is_control() => {
                repaired.push_str(&text[copied..at]);
                repaired.push(' ');
                copied = at + c.len_utf8();
            }
            _ if in_string => {}
            '{' | '[' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Scan::TooDeep;
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let end = at + 1;
                    repaired.push_str(&text[copied..end]);
                    return Scan::Ends { end, repaired };
                }
            }
            'n' | 'i' | '-' => {
                if let Some(length) = not_finite(&text[at..]) {
                    repaired.push_str(&text[copied..at]);
                    repaired.push_str("null");
                    copied = at + length;
                    for _ in 1..length {
                        chars.next();
                    }
                }
            }
            _ => {}
        }
    }
    Scan::CutShort
}

/// Returns the length of the `nan` or `inf`, with or without sign, that `text` begins with.
fn not_finite(text: &str) -> Option<usize> {
    ["-nan", "nan", "-inf", "inf"]
        .into_iter()
        .find(|word| text.starts_with(word))
        .map(str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, documents: &[&str], rest: &str, is_cut_short: bool) {
        let mut accepted = Vec::new();
        let parts = split(text, |json| {
            let is_json = serde_json::from_str::<serde_json::Value>(json).is_ok();
            if is_json {
                accepted.push(json.to_owned());
            }
            is_json
        });
        assert_eq!(accepted, documents, "{text}");
        assert_eq!(parts.count, documents.len(), "{text}");
        assert_eq!(parts.text, rest, "{text}");
        assert_eq!(parts.is_cut_short, is_cut_short, "{text}");
    }

    #[test]
    fn text_around_documents_is_kept_apart() {
        check("{}", &["{}"], "", false);
        check(
            "note: {x}\n{\"a\": 1}\ntail",
            &["{\"a\": 1}"],
            "note: {x}\n\ntail",
            false,
        );
        check(
            "{}\n  {\"a\": [{}]}{\"b\": 2}",
            &["{}", "{\"a\": [{}]}", "{\"b\": 2}"],
            "\n  ",
            false,
        );
    }

    #[test]
    fn braces_in_strings_do_not_count() {
        check(r#"{"a}": "\"}{"}"#, &[r#"{"a}": "\"}{"}"#], "", false);
    }

    #[test]
    fn an_unfinished_document_is_noticed() {
        check("{\"a\": 1}\n{\"a\": ", &["{\"a\": 1}"], "\n{\"a\": ", true);
        check("{\"a\": \"", &[], "{\"a\": \"", true);
    }

    #[test]
    fn balanced_braces_without_a_document_are_text() {
        check("{x}\n{\"a\": 1}", &["{\"a\": 1}"], "{x}\n", false);
    }

    #[test]
    fn nan_inf_and_control_characters_are_repaired() {
        check(
            "{\"a\": -nan, \"b\": [inf, nan], \"c\": \"nan\ttab\"}",
            &["{\"a\": null, \"b\": [null, null], \"c\": \"nan tab\"}"],
            "",
            false,
        );
    }

    #[test]
    fn depth_and_false_starts_are_bounded() {
        let deep = "[".repeat(100_000);
        check(&format!("{{{deep}"), &[], &format!("{{{deep}"), false);
        let starts = "{\n".repeat(100_000);
        assert_eq!(split(&starts, |_| true).count, 0);
    }
}
