//! A text that would need far more memory than its own size must be refused before anything is
//! built.
//!
//! The failure: an export of 379 MB with 30 million bins in one histogram took 6 GB to read.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const LIMITS: JsonLimits = JsonLimits {
    lists: &[&[
        ListLimit::of::<u64>("pairs", 3).within("outer"),
        ListLimit::of::<[u64; 2]>("pairs", 5),
        ListLimit::tree("tree", 4),
    ]],
    other_entries: 6,
    other_entry_bytes: 16,
    object_bytes: 0,
    text_bytes: 8,
    depth: 5,
};

fn refused(json: &str) -> String {
    let over = LIMITS.check(json.as_bytes()).unwrap_err();
    over.to_string()
}

#[test]
fn lists_up_to_their_limits_pass() {
    for json in [
        r#"{"pairs": [[1,2],[1,2],[1,2],[1,2],[1,2]]}"#,
        r#"{"outer": [{"pairs": [1, 2, 3]}, {"pairs": [1, 2, 3]}]}"#,
        r#"[1, null, "a\"]}\\", {}, [], true]"#,
        r#"{"tree": {"a": [1,2,3,4], "b": {"c": 1}}}"#,
        "\"12345678\"",
        r#""\u00e9\n\n""#,
        "",
        "7",
    ] {
        assert_eq!(LIMITS.check(json.as_bytes()), Ok(()), "{json}");
    }
}

#[test]
fn the_first_entry_too_many_is_named_with_its_place() {
    for (json, expected) in [
        (
            r#"{"a": [{"pairs": [[1,2],[1,2],[1,2],[1,2],[1,2],[1,2"#,
            "`a[0].pairs` has at least 6 entries, the limit is 5",
        ),
        (
            r#"{"outer": [7, {"pairs": [1, 2, 3, 4]}]}"#,
            "`outer[1].pairs` has at least 4 entries, the limit is 3",
        ),
        (
            r#"{"pairs": [[1,2],[1,2,3]]}"#,
            "`pairs[1]` has at least 3 entries, the limit is 2",
        ),
        (
            // Another spelling of the name does not match the limit.
            r#"{"pa\u0069rs": [1,2,3,4,5,6,7]}"#,
            r"`pa\u0069rs` has at least 7 entries, the limit is 6",
        ),
        (
            r#"{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0}"#,
            "the document has at least 7 entries, the limit is 6",
        ),
        (
            r#"{"tree": {"a": {"b": [1,2,3,4,5]}}}"#,
            "`tree.a.b` has at least 5 entries, the limit is 4",
        ),
        (
            r#"{"a": {"b": "123456789"}}"#,
            "`a.b` has a text of 9 bytes, the limit is 8",
        ),
        (
            r#"{"a": 1234567890}"#,
            "`a` has a text of 10 bytes, the limit is 8",
        ),
        (
            "[[[[[[1]]]]]]",
            "`[0][0][0][0]` is nested more than 5 levels deep",
        ),
    ] {
        assert_eq!(refused(json), expected, "{json}");
    }
}

#[test]
fn many_small_entries_may_not_take_many_times_the_memory_of_the_text() {
    // An object with one field takes half a KiB in a map, and seven bytes in a text.
    let entry = r#"{"t":0},"#;
    const LISTS: &[&[ListLimit]] = &[&[ListLimit::of::<[u64; 64]>("many", usize::MAX)]];
    let limits = JsonLimits {
        lists: LISTS,
        ..OURS
    };
    let text = format!(r#"{{"many":[{}0]}}"#, entry.repeat(100_000));
    let over = limits.check(text.as_bytes()).unwrap_err();
    assert!(matches!(over.excess, Excess::Memory { .. }), "{over}");
    let short = format!(r#"{{"many":[{}0]}}"#, entry.repeat(1000));
    assert_eq!(limits.check(short.as_bytes()), Ok(()));
}

#[test]
fn texts_of_one_document_are_counted_together() {
    let limits = JsonLimits {
        other_entries: usize::MAX,
        other_entry_bytes: 1 << 20,
        ..OURS
    };
    let mut meter = JsonMeter::new(&limits);
    let texts = (0..100).take_while(|_| meter.check(b"[1]").is_ok());
    assert_eq!(texts.count(), 64);
}

#[test]
fn each_list_of_the_vocabulary_has_a_limit_that_holds() {
    for limit in VOCABULARY {
        // Lists with limits of millions need no test text of that size.
        let (within, list) = (limit.within.unwrap_or("other"), limit.list);
        let json = |entries: usize| {
            let values = vec!["0"; entries].join(",");
            format!(r#"{{"{within}":{{"{list}":[{values}]}}}}"#)
        };
        let excess = OURS.check(json(limit.entries + 1).as_bytes());
        let place = format!("`{within}.{list}`");
        let over = excess.unwrap_err();
        assert_eq!(over.place, place);
        let wanted = Excess::Entries {
            at_least: limit.entries + 1,
            limit: limit.entries,
        };
        let too_much = matches!(over.excess, Excess::Memory { .. });
        assert!(over.excess == wanted || too_much, "{over}");
        assert!(limit.entry_bytes > 0 && limit.entries > 1, "{list}");
    }
}

#[test]
fn a_truncated_escape_passes_to_the_parser() {
    for text in [r#""\u""#, r#""\u"#, r#""\"#, r#"{"\u":1}"#] {
        assert!(LIMITS.check(text.as_bytes()).is_ok(), "{text}");
        assert!(LIMITS.parse::<Value>(text.as_bytes()).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_check_panic(text in r#"[\[\]{}",:\\ua0 ]{0,60}"#) {
        let _checked = LIMITS.check(text.as_bytes());
    }

    /// A slow oracle: build the value, then check each list.
    #[test]
    fn the_check_agrees_with_the_value(text in r#"[\[\]{}",:a0]{0,24}"#, wrapped in any::<bool>()) {
        let text = if wrapped { format!("[[{text}],{{\"a\":[{text}]}}]") } else { text };
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(LIMITS.check(text.as_bytes()).is_ok(), fits(&value, 0), "{}", text);
        }
    }
}

fn fits(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(values) => {
            depth < 5 && values.len() <= 6 && values.iter().all(|value| fits(value, depth + 1))
        }
        Value::Object(values) => {
            depth < 5 && values.len() <= 6 && values.values().all(|value| fits(value, depth + 1))
        }
        Value::String(text) => text.len() <= 8,
        other => other.to_string().len() <= 8,
    }
}
