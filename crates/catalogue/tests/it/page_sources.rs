//! What the page's sources say about messages. Whether they name only messages that exist is a test
//! of theirs (`web/tests/messages.test.ts`).

use std::fs;

use crate::files::root;

/// Returns the texts of the page's sources, and what its patterns begin with.
pub(crate) fn texts_and_beginnings() -> (Vec<String>, Vec<String>) {
    let mut pending = vec![root("web/src")];
    let (mut texts, mut beginnings) = (Vec::new(), Vec::new());
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(path).unwrap();
            pending.extend(entries.map(|entry| entry.unwrap().path()));
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let is_text = |text: &&str| {
            text.bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c))
        };
        texts.extend(source.split('"').filter(is_text).map(str::to_owned));
        let begun = source.split('`').filter_map(|text| text.split_once("${"));
        let begun = begun
            .map(|(begin, _)| begin)
            .filter(|begin| begin.contains('-'));
        beginnings.extend(begun.filter(is_text).map(str::to_owned));
    }
    (texts, beginnings)
}
