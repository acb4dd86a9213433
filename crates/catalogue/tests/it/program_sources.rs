//! What the Rust sources say about messages: ids, and patterns that make ids.

use std::fs;
use std::path::PathBuf;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::files::root;

/// A text of the program.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) file: String,
    pub(crate) text: String,
    /// Whether it is an argument of `Message::new`, so that it is an id.
    pub(crate) is_id: bool,
    /// Whether it is the first argument of `format!`.
    pub(crate) is_pattern: bool,
    /// Whether its file makes messages.
    pub(crate) is_near_messages: bool,
    /// The variables that are filled in the same expression, if it is an id.
    pub(crate) filled: Vec<String>,
}

/// Returns all texts of the program without its tests.
pub(crate) fn texts() -> Vec<Text> {
    let mut pending: Vec<PathBuf> = Vec::new();
    for krate in fs::read_dir(root("crates")).unwrap() {
        pending.push(krate.unwrap().path().join("src"));
    }
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(path).unwrap();
            pending.extend(entries.map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path
            .strip_prefix(root("crates"))
            .unwrap()
            .display()
            .to_string();
        if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.extend(texts_in(&name, &fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

/// Returns the texts of a source.
fn texts_in(file: &str, source: &str) -> Vec<Text> {
    let tokens: TokenStream = match source.parse() {
        Ok(tokens) => tokens,
        Err(error) => panic!("{file}: {error}"),
    };
    let mut reader = Reader {
        file: file.to_owned(),
        is_near_messages: ["stripewise_catalogue", "stripewise_message"]
            .iter()
            .any(|name| source.contains(name)),
        texts: Vec::new(),
    };
    reader.read(tokens, false);
    reader.texts
}

struct Reader {
    file: String,
    is_near_messages: bool,
    texts: Vec<Text>,
}

impl Reader {
    /// Reads what stands within one pair of brackets.
    fn read(&mut self, tokens: TokenStream, is_id: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) if ends_with(&tokens[..at], &["#"]) => {
                    if group.stream().to_string().replace(' ', "") == "cfg(test)" {
                        at = end_of_item(&tokens, at);
                    }
                }
                TokenTree::Group(group) => {
                    let is_made = ends_with(&tokens[..at], &["Message", ":", ":", "new"]);
                    let is_formatted = ends_with(&tokens[..at], &["format", "!"]);
                    // A text among other arguments is not what their call returns.
                    let is_result = group.delimiter() != Delimiter::Parenthesis || is_formatted;
                    let first = self.texts.len();
                    self.read(group.stream(), is_made || is_id && is_result);
                    if let Some(text) = self.texts.get_mut(first) {
                        text.is_pattern |= is_formatted;
                        if is_made {
                            text.filled = filled(&tokens[at + 1..]);
                        }
                    }
                }
                TokenTree::Literal(literal) => {
                    let is_matched = tokens.get(at + 1).is_some_and(is_of_arm);
                    self.add(&literal.to_string(), is_id && !is_matched);
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    fn add(&mut self, literal: &str, is_id: bool) {
        self.texts.extend(text_of(literal).map(|text| Text {
            file: self.file.clone(),
            text: text.to_owned(),
            is_id,
            is_pattern: false,
            is_near_messages: self.is_near_messages,
            filled: Vec::new(),
        }));
    }
}

/// Returns the text of a literal; `None` if it is none.
fn text_of(literal: &str) -> Option<&str> {
    literal.strip_prefix('"')?.strip_suffix('"')
}

/// Returns the variables that the methods of a message fill which begin these tokens.
fn filled(mut tokens: &[TokenTree]) -> Vec<String> {
    let mut variables = Vec::new();
    while let [
        TokenTree::Punct(dot),
        TokenTree::Ident(method),
        TokenTree::Group(arguments),
        rest @ ..,
    ] = tokens
        && dot.as_char() == '.'
    {
        let fills = ["with", "name", "digits", "percent", "count"];
        if fills.iter().any(|fill| method == fill) {
            let first = arguments.stream().into_iter().next();
            let first = first.map(|token| token.to_string());
            variables.extend(first.as_deref().and_then(text_of).map(str::to_owned));
        }
        tokens = rest;
    }
    variables
}

/// Returns whether tokens end with these words and signs.
fn ends_with(tokens: &[TokenTree], words: &[&str]) -> bool {
    let is_word = |token: &TokenTree, word: &str| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Punct(punct) => word.starts_with(punct.as_char()),
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    };
    let last = tokens.len().checked_sub(words.len());
    let last = last.map(|begin| tokens[begin..].iter().zip(words));
    last.is_some_and(|mut both| both.all(|(token, word)| is_word(token, word)))
}

/// Returns whether a token follows a pattern of `match`, which is no value.
fn is_of_arm(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if matches!(punct.as_char(), '=' | '|'))
}

/// Returns where the item ends that begins after the attribute at `at`: with its body, or with a
/// semicolon or comma.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => matches!(punct.as_char(), ';' | ','),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    };
    let end = tokens[at..].iter().position(is_end);
    end.map_or(tokens.len(), |end| at + end)
}

#[test]
fn the_texts_of_messages_are_found_and_those_of_tests_and_comments_are_not() {
    let source = r#"
        use stripewise_catalogue::Message;
        /// Message::new("a-comment")
        fn say(is: bool) -> Message {
            let id = match key { "a-key" => "an-id", _ => "another" };
            Message::new(if is { "one" } else { word("no-id") });
            Message::new("three").count("cells", 2).as_sentence().with("word", message("no-word"));
            vec![Message::new(match key { "arm" | "arms" => "two" }), Message::new(format!("axis-{id}"))]
        }
        #[cfg(test)]
        mod tests { fn test() { Message::new("a-test"); } }
        const AFTER: &str = "after";
    "#;
    let mut found = texts_in("it.rs", source);
    assert!(
        found
            .iter()
            .all(|text| text.is_near_messages && text.file == "it.rs")
    );
    found.retain(|text| text.text != "after");
    let (ids, others): (Vec<Text>, Vec<Text>) = found.into_iter().partition(|text| text.is_id);
    let words =
        |texts: &[Text]| -> Vec<String> { texts.iter().map(|text| text.text.clone()).collect() };
    assert_eq!(words(&ids), ["one", "three", "two", "axis-{id}"]);
    assert_eq!(
        words(&others),
        [
            "a-key", "an-id", "another", "no-id", "cells", "word", "no-word", "arm", "arms"
        ]
    );
    assert!(ids[3].is_pattern && !ids[0].is_pattern);
    assert_eq!(ids[1].filled, ["cells", "word"]);
}
