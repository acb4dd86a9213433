//! The texts that come with the program are those of its files.
//!
//! The failure: a question was reworded in its file, and German answers had it in English again.

use std::collections::BTreeSet;
use std::fs;

use crate::files::root;

/// Folders of files that come with the program, and the key of their text.
const FOLDERS: [(&str, &str); 4] = [
    ("studies", "question"),
    ("workloads", "description"),
    ("devices", "description"),
    ("hosts", "description"),
];

/// Returns the texts of the files.
fn texts_of_files() -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for (folder, key) in FOLDERS {
        for entry in fs::read_dir(root(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|end| end != "toml") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let mut values = text.lines().filter_map(|line| {
                let (name, value) = line.split_once('=')?;
                (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
            });
            let value = values
                .next()
                .unwrap_or_else(|| panic!("{}", path.display()));
            texts.insert(value.trim_end_matches('.').to_owned());
            // Workloads assume, too; answers do not show it.
            if folder == "devices" || folder == "hosts" {
                texts.extend(assumed(&text));
            }
        }
    }
    texts
}

/// Returns the lines of a profile's list of what it assumes.
fn assumed(text: &str) -> impl Iterator<Item = String> {
    let (_, list) = text.split_once("\nassumed = [\n").unwrap_or_default();
    let lines = list.lines().take_while(|line| *line != "]");
    let quoted = lines.filter_map(|line| line.trim().trim_end_matches(',').strip_prefix('"'));
    let words = quoted.filter_map(|words| words.strip_suffix('"'));
    words.map(|words| words.replace("\\\"", "\"").trim_end_matches('.').to_owned())
}

#[test]
fn every_text_that_comes_with_the_program_has_a_message_and_no_other_has_one() {
    let messages = ["shipped", "assumed"].map(|name| {
        let path = root("crates/catalogue/messages").join(format!("{name}.en.ftl"));
        fs::read_to_string(path).unwrap()
    });
    let messages = messages.concat();
    let entries = messages.lines().filter_map(|line| line.split_once(" = "));
    let words: BTreeSet<String> = entries.map(|(_, words)| words.to_owned()).collect();
    let texts = texts_of_files();
    assert!(texts.len() > 160, "{}", texts.len());
    let lacking: Vec<_> = texts.difference(&words).collect();
    let stale: Vec<_> = words.difference(&texts).collect();
    assert!(
        lacking.is_empty() && stale.is_empty(),
        "no message: {lacking:?}; no file: {stale:?}"
    );
}
