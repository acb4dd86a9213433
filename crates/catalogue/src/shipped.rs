//! Texts that come with the program: questions of its studies, descriptions of its workloads and profiles,
//! and what its profiles assume.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use stripewise_message::{Argument, Message};

/// The messages by their English words, which are those of the files that come with the program.
static IDS: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let files = [
        include_str!("../messages/shipped.en.ftl"),
        include_str!("../messages/assumed.en.ftl"),
    ];
    let lines = files.into_iter().flat_map(str::lines);
    let entries = lines.filter_map(|line| line.split_once(" = "));
    entries.map(|(id, words)| (words, id)).collect()
});

/// Returns a question, description or assumption as a message if it comes with the program; a user's own keeps its
/// words.
pub fn shipped(text: &str) -> Argument {
    match IDS.get(text.trim_end_matches('.')) {
        Some(id) => Message::new(*id).into(),
        None => Argument::Name(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Words};

    #[test]
    fn a_text_of_the_program_is_translated_and_a_users_is_not() {
        let german = |text: &str| shipped(text).in_language(Language::German);
        let ours = "Which chunk size for four SATA SSDs?";
        assert_eq!(german(ours), "Welche Chunkgröße für vier SATA-SSDs?");
        assert_eq!(
            german("A SATA SSD of 1 TB, as a class."),
            "Eine SATA-SSD mit 1 TB, als Geräteklasse"
        );
        assert_eq!(
            german("Which chunk size for five?"),
            "Which chunk size for five?"
        );
    }
}
