//! Styles in text for a terminal, in a form that text from outside cannot imitate.
//!
//! A style in text is a mark: U+FDD0, a number drawn at program start, the codes of the style,
//! U+FDD1. When text is printed, marks become escape sequences, and every other hidden character
//! becomes visible: an escape sequence in a name as well as a mark with another number. So text
//! needs no escaping before it is printed: only [`paint`] and [`adopt`] make styles.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use anstyle::Style;
use stripewise_units::visible::visible;

/// The beginning of a mark.
const OPEN: char = '\u{fdd0}';
/// The end of a mark.
const CLOSE: char = '\u{fdd1}';
/// The beginning of a style's escape sequence.
const ESCAPE: &str = "\u{1b}[";

/// The number in the marks of this process. The standard library draws a new key for each process.
static NUMBER: LazyLock<String> =
    LazyLock::new(|| format!("{:016x}", RandomState::new().build_hasher().finish()));

/// Returns `text` in `style`.
pub fn paint(style: Style, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let (begin, end) = (format!("{style}"), format!("{style:#}"));
    format!("{}{text}{}", marked(&begin), marked(&end))
}

/// Returns text that a library drew in styles of its own, with marks in place of their escape
/// sequences.
///
/// `bare` is the same text drawn without styles. If it has an escape character, that is foreign and
/// cannot be distinguished from a style: then the bare text is returned.
pub fn adopt(drawn: &str, bare: &str) -> String {
    match bare.contains('\u{1b}') {
        true => bare.to_owned(),
        false => marked(drawn),
    }
}

/// Returns text in which every escape sequence of a style is a mark.
fn marked(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        marked.push_str(before);
        rest = match split_codes(after, 'm') {
            Some((codes, after)) => {
                marked.push_str(&format!("{OPEN}{}{codes}{CLOSE}", *NUMBER));
                after
            }
            None => {
                marked.push_str(ESCAPE);
                after
            }
        };
    }
    marked + rest
}

/// Returns the codes of a style at the beginning of text, and the rest after their `end`.
fn split_codes(text: &str, end: char) -> Option<(&str, &str)> {
    let (codes, after) = text.split_once(end)?;
    let are_codes = codes.bytes().all(|c| c.is_ascii_digit() || c == b';');
    are_codes.then_some((codes, after))
}

/// Returns text for a terminal: marks become escape sequences, other hidden characters visible.
pub fn for_terminal(text: &str) -> String {
    with_marks(text, |codes| format!("{ESCAPE}{codes}m"))
}

/// Returns text without its styles, other hidden characters visible.
pub fn without_styles(text: &str) -> String {
    with_marks(text, |_| String::new())
}

/// Returns text with `shown` of the codes in place of each mark, and other hidden characters
/// visible.
fn with_marks(text: &str, shown: impl Fn(&str) -> String) -> String {
    let mut printed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        printed.push_str(&visible(before));
        let style = after.strip_prefix(NUMBER.as_str());
        rest = match style.and_then(|style| split_codes(style, CLOSE)) {
            Some((codes, after)) => {
                printed.push_str(&shown(codes));
                after
            }
            None => {
                printed.push_str(&visible(OPEN.encode_utf8(&mut [0; 4])));
                after
            }
        };
    }
    printed + &visible(rest)
}

#[cfg(test)]
mod tests {
    use anstyle::AnsiColor;

    use super::*;

    #[test]
    fn our_styles_survive_and_foreign_ones_are_seen() {
        let red = AnsiColor::Red.on_default().bold();
        let text = format!("{}: \u{1b}[31mbait\u{1b}[0m", paint(red, "error"));
        assert_eq!(
            for_terminal(&text),
            "\u{1b}[1m\u{1b}[31merror\u{1b}[0m: ␛[31mbait␛[0m"
        );
        assert_eq!(without_styles(&text), "error: ␛[31mbait␛[0m");
    }

    #[test]
    fn a_mark_with_another_number_is_no_style() {
        for forged in [
            "\u{fdd0}31\u{fdd1}",
            "\u{fdd0}0000000000000000;31\u{fdd1}",
            "\u{fdd0}",
            "\u{fdd1}\u{fdd0}\u{fdd0}1",
        ] {
            let shown = for_terminal(forged);
            assert!(!shown.contains(['\u{1b}', OPEN, CLOSE]), "{shown:?}");
            assert!(shown.contains('\u{fffd}'), "{shown:?}");
        }
    }

    #[test]
    fn text_from_a_library_is_adopted_unless_it_has_foreign_styles() {
        let drawn = |name: &str| format!("\u{1b}[1m{name}\u{1b}[0m");
        let adopted = adopt(&drawn("name"), "name");
        assert_eq!(for_terminal(&adopted), drawn("name"));
        let foreign = "na\u{1b}[31mme";
        assert_eq!(for_terminal(&adopt(&drawn(foreign), foreign)), "na␛[31mme");
        // An escape sequence other than a style stays visible.
        assert_eq!(for_terminal(&adopt("a\u{1b}[2Jb\u{1b}[", "ab")), "a␛[2Jb␛[");
    }
}
