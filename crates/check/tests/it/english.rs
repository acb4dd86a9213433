//! The English words of a message, for trees and pages that name them.
//!
//! Tests of this crate do not depend on the catalogue, so that a sentence does not rebuild them: they
//! read its file when they run. It has no plurals, so filling the places is all.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use stripewise_message::{Argument, Message};

static MESSAGES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../catalogue/messages/check.en.ftl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once(" = "));
    entries
        .map(|(id, words)| (id.to_owned(), words.to_owned()))
        .collect()
});

/// Returns the words of a message.
pub(crate) fn english(message: &Message) -> String {
    let words = MESSAGES.get(&*message.id);
    let mut words = words.unwrap_or_else(|| panic!("{message:?}")).clone();
    for (variable, value) in message.arguments() {
        let place = format!("{{ ${variable} }}");
        assert!(words.contains(&place), "{words}: {variable}");
        words = words.replace(&place, &spoken(value));
    }
    assert!(!words.contains("{ $"), "{words}");
    words.replace(r#"{"{"}"#, "{").replace(r#"{"}"}"#, "}")
}

fn spoken(value: &Argument) -> String {
    let joined = |items: &[Argument], between: &str| {
        let items = items.iter().map(spoken);
        items.collect::<Vec<_>>().join(between)
    };
    match value {
        Argument::Name(text) | Argument::Digits(text) => text.clone(),
        Argument::Message(message) => english(message),
        Argument::List { items, .. } => joined(items, ", "),
        Argument::Words(items) => joined(items, " "),
        other => format!("{other:?}"),
    }
}
