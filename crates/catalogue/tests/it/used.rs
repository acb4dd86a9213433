//! Every message that a source names exists, and every message is named.
//!
//! The failure: a misspelt id compiled, and a user saw the id instead of the sentence.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::{ids, variables};
use crate::page_sources::texts_and_beginnings;
use crate::program_sources::{Text, texts};

/// Texts that begin as an id begins, and are none.
const NO_IDS: [&str; 2] = [
    // The name of a command.
    "verify-model",
    // An outcome of a rule.
    "not-run",
];

/// Reasons are found by their words, which stand in the program.
const REASONS: &str = include_str!("../../messages/reasons.en.ftl");

/// An id with places for words: `axis-{key}`.
#[derive(Debug)]
struct Pattern(Vec<String>);

impl Pattern {
    /// Returns the pattern of a text of `format!`; `None` if it can make no id.
    fn new(text: &str) -> Option<Self> {
        let mut parts = Vec::new();
        for piece in text.split('{') {
            let fixed = piece.split_once('}').map_or(piece, |(_, fixed)| fixed);
            parts.push(fixed.to_owned());
        }
        let is_id = |part: &String| part.bytes().all(|c| is_of_id(c.into()));
        let has_dash = parts[0].contains('-');
        (parts.len() > 1 && has_dash && parts.iter().all(is_id)).then_some(Self(parts))
    }

    /// Returns the words with which the pattern makes an id; `None` if it cannot.
    fn words<'a>(&self, id: &'a str) -> Option<Vec<&'a str>> {
        let (last, fixed) = self.0.split_last()?;
        let (first, middle) = fixed.split_first()?;
        let mut rest = id
            .strip_prefix(first.as_str())?
            .strip_suffix(last.as_str())?;
        let mut words = Vec::new();
        for part in middle {
            let (word, after) = rest.split_once(part.as_str())?;
            words.push(word);
            rest = after;
        }
        words.push(rest);
        words.iter().all(|word| !word.is_empty()).then_some(words)
    }
}

fn is_of_id(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_')
}

/// Returns the first word of an id of several.
fn family(text: &str) -> Option<&str> {
    let begins = text.starts_with(|c: char| c.is_ascii_lowercase());
    let is_id = begins && text.chars().all(is_of_id) && !text.ends_with('-');
    is_id
        .then(|| text.split_once('-'))
        .flatten()
        .map(|(family, _)| family)
}

struct Catalogue {
    ids: BTreeSet<String>,
    families: BTreeSet<String>,
    patterns: Vec<Pattern>,
    /// What makes an id in the place of a pattern.
    words: BTreeSet<String>,
}

impl Catalogue {
    fn new(texts: &[Text]) -> Self {
        let ids = ids();
        let patterns = texts.iter().filter(|text| text.is_pattern);
        let patterns: Vec<Pattern> = patterns
            .filter_map(|text| Pattern::new(&text.text))
            .collect();
        let families = ids.iter().filter_map(|id| family(id)).map(str::to_owned);
        let made = |pattern: &Pattern| {
            let words = ids.iter().filter_map(|id| pattern.words(id)).flatten();
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        Self {
            families: families.collect(),
            words: patterns.iter().flat_map(made).collect(),
            patterns,
            ids,
        }
    }

    /// Returns what is wrong with a text of the program.
    fn fault(&self, text: &Text) -> Option<String> {
        let file = &text.file;
        let words = text.text.as_str();
        if text.is_pattern {
            let pattern = Pattern::new(words).filter(|_| text.is_id)?;
            let makes = self.ids.iter().any(|id| pattern.words(id).is_some());
            return (!makes).then(|| format!("{file}: `{words}` makes no id"));
        }
        let is_of_family = family(words).is_some_and(|family| self.families.contains(family));
        let looks = text.is_near_messages && is_of_family && !NO_IDS.contains(&words);
        let is_wrong =
            (text.is_id || looks) && !self.ids.contains(words) && !self.words.contains(words);
        is_wrong.then(|| format!("{file}: there is no message `{words}`"))
    }

    /// Returns the messages that no text of the program or of the page names.
    fn unused(&self, program: &[Text]) -> Vec<&String> {
        let (page, beginnings) = texts_and_beginnings();
        let mut texts: BTreeSet<&str> = page.iter().map(String::as_str).collect();
        texts.extend(program.iter().map(|text| text.text.as_str()));
        // A rule of check, `md.degraded`, has the messages `rule-md-degraded-title` and so on.
        let rules = program.iter().filter(|text| text.text.contains('.'));
        let rules: Vec<String> = rules.map(|rule| rule.text.replace('.', "-")).collect();
        texts.extend(rules.iter().map(String::as_str));
        let is_made = |id: &str| {
            let mut made = self.patterns.iter().filter_map(|pattern| pattern.words(id));
            made.any(|words| words.iter().all(|word| texts.contains(word)))
        };
        let is_begun = |id: &str| {
            beginnings
                .iter()
                .any(|begin| id.starts_with(begin.as_str()))
        };
        let is_reason = |id: &str| {
            let words = REASONS
                .lines()
                .find_map(|line| line.strip_prefix(id)?.strip_prefix(" = "));
            let parts = words.into_iter().flat_map(|words| words.split("{ $"));
            let parts = parts.map(|part| part.split_once(" }").map_or(part, |(_, part)| part));
            let longest = parts.max_by_key(|part| part.len());
            longest.is_some_and(|part| program.iter().any(|text| text.text.contains(part)))
        };
        let is_used = |id: &str| texts.contains(id) || is_begun(id) || is_made(id) || is_reason(id);
        // `shipped.rs` compares those that are found by their words.
        let is_shipped = |id: &str| id.starts_with("shipped-");
        let ids = self.ids.iter();
        ids.filter(|id| !is_shipped(id) && !is_used(id)).collect()
    }
}

/// Returns the variables that a text of the program fills and its message does not have.
fn unknown_variables(text: &Text, known: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let known = known.get(&text.text)?;
    let mut filled = text.filled.iter();
    let unknown = filled.find(|variable| !known.contains(*variable))?;
    let Text { file, text: id, .. } = text;
    Some(format!("{file}: `{id}` has no variable `{unknown}`"))
}

/// One test, as reading the sources takes most of its time.
#[test]
fn every_id_that_the_program_names_exists_and_every_message_is_used() {
    let program = texts();
    let catalogue = Catalogue::new(&program);
    let named = program.iter().filter(|text| text.is_id).count();
    assert!(named > 500, "{named}");
    let faults = program.iter().filter_map(|text| catalogue.fault(text));
    let variables = variables();
    let unknown = program
        .iter()
        .filter_map(|text| unknown_variables(text, &variables));
    let faults: Vec<String> = faults.chain(unknown).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let unused = catalogue.unused(&program);
    assert!(unused.is_empty(), "no source names {unused:?}");
}

#[test]
fn a_pattern_makes_the_ids_that_fit_it_and_no_others() {
    let pattern = Pattern::new("word-{}-{kind}-now").unwrap();
    let made = pattern.words("word-percent-higher-now");
    assert_eq!(made, Some(vec!["percent", "higher"]));
    for id in [
        "word-percent-now",
        "word-percent-higher",
        "ward-a-b-now",
        "word---now",
    ] {
        assert_eq!(pattern.words(id), None, "{id}");
    }
    for text in ["{key}", "plain-text", "two words-{}", "{}-words"] {
        assert!(Pattern::new(text).is_none(), "{text}");
    }
}
