//! The files of both languages: the same messages with the same variables, each well formed.
//!
//! The failure: a sentence was added in one language, and readers of the other saw its bare id.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fluent_bundle::FluentResource;
use stripewise_catalogue::{Language, Message, Words};

/// Returns a path below the root of the repository.
pub(crate) fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// A message of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: String,
    variables: BTreeSet<String>,
}

/// Returns the messages of a language by file, in their order.
fn files(language: Language) -> BTreeMap<String, Vec<Entry>> {
    let ending = format!(".{language}.ftl");
    let mut files = BTreeMap::new();
    for found in std::fs::read_dir(root("crates/catalogue/messages")).unwrap() {
        let path = found.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some(name) = name.strip_suffix(&ending) {
            let text = std::fs::read_to_string(&path).unwrap();
            if let Err((_, errors)) = FluentResource::try_new(text.clone()) {
                let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
                panic!("{}: {}", path.display(), errors.join("; "));
            }
            files.insert(name.to_owned(), entries(&text));
        }
    }
    files
}

fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let id = line.split_once(" =").map(|(id, _)| id);
        if let Some(id) = id.filter(|id| id.starts_with(|c: char| c.is_ascii_alphabetic())) {
            let (id, variables) = (id.to_owned(), BTreeSet::new());
            entries.push(Entry { id, variables });
        }
        for begun in line.split('$').skip(1) {
            let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
            let variable = begun.chars().take_while(is_name).collect();
            entries.last_mut().unwrap().variables.insert(variable);
        }
    }
    entries
}

/// Returns all messages of a language.
pub(crate) fn all(language: Language) -> Vec<Entry> {
    files(language).into_values().flatten().collect()
}

/// Returns the ids of all messages, which are the same in both languages.
pub(crate) fn ids() -> BTreeSet<String> {
    let ids = all(Language::English).into_iter().map(|entry| entry.id);
    ids.collect()
}

/// Returns the variables by the id of their message.
pub(crate) fn variables() -> BTreeMap<String, BTreeSet<String>> {
    let entries = compared(files(Language::English)).into_iter();
    entries
        .map(|(_, Entry { id, variables })| (id, variables))
        .collect()
}

/// Returns entries by what must be the same in all languages. A count fills two variables, of which
/// a language may need only one.
fn compared(files: BTreeMap<String, Vec<Entry>>) -> Vec<(String, Entry)> {
    let plain = |name: String| {
        name.strip_suffix("_text")
            .map_or(name.clone(), str::to_owned)
    };
    let mut all = Vec::new();
    for (file, entries) in files {
        all.extend(entries.into_iter().map(|Entry { id, variables }| {
            let variables = variables.into_iter().map(plain).collect();
            (file.clone(), Entry { id, variables })
        }));
    }
    all
}

#[test]
fn both_languages_have_the_same_messages_with_the_same_variables_in_the_same_order() {
    let [english, german] = Language::ALL.map(|language| compared(files(language)));
    assert!(english.len() > 1000, "{}", english.len());
    for (one, other) in english.iter().zip(&german) {
        assert_eq!(one, other);
    }
    assert_eq!(english.len(), german.len());
}

#[test]
fn every_id_stands_for_one_message() {
    assert_eq!(ids().len(), all(Language::English).len());
}

/// A debug build panics where a message does not exist or lacks a variable.
#[test]
fn the_program_has_every_message() {
    for language in Language::ALL {
        for Entry { id, variables } in all(language) {
            let message = variables
                .into_iter()
                .fold(Message::new(id.clone()), |message, one| {
                    message.name(one.leak(), 7)
                });
            let words = message.in_language(language);
            // Braces alone may be those of a shell or of a configuration.
            let is_whole = !words.is_empty() && !words.contains("{$");
            assert!(is_whole, "{language}: `{id}` is {words:?}");
        }
    }
}
