//! Text from outside, made visible: nothing in it acts on a terminal, hides, or changes the order of
//! other text.
//!
//! Names and messages come from files, devices and other programs. In them a terminal obeys escape
//! sequences, and a reader takes one name for another where characters have no glyph or turn the
//! direction of writing (Unicode Technical Report 36, sections 2 and 3). Each such character is
//! replaced by one visible character of the same width, so that tables keep their columns and a
//! reader sees that something was there: a control picture where Unicode has one (`␛`), else `�`.

use std::borrow::Cow;

/// Stands for a hidden character that has no picture of its own.
const REPLACEMENT: char = '\u{fffd}';

/// Returns whether a terminal acts on a character, or no reader sees it. Line ends and tabs are not
/// hidden.
///
/// Hidden are control characters (C0, DEL, C1), which begin escape sequences; what Unicode calls
/// `Default_Ignorable_Code_Point` (controls of direction, zero-width characters, soft hyphens,
/// fillers, variation selectors, tags); separators of lines and paragraphs; interlinear annotations;
/// and noncharacters, which no text has.
///
/// Joiners and variation selectors belong to the spelling of some scripts and emoji. They are hidden
/// nevertheless: names of devices are confirmed by what a reader sees.
pub const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    ) || c as u32 & 0xfffe == 0xfffe
}

/// Returns the visible character that stands for `c`; `c` itself if it is not hidden.
const fn picture(c: char) -> char {
    match c {
        c if !is_hidden(c) => c,
        '\u{7f}' => '\u{2421}',
        c if c.is_ascii() => match char::from_u32(0x2400 + c as u32) {
            Some(picture) => picture,
            None => REPLACEMENT,
        },
        _ => REPLACEMENT,
    }
}

/// Returns text with a visible character for each hidden one. Line ends and tabs stay; CR LF is a
/// line end, and becomes LF.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").chars().map(picture).collect())
}

/// Returns text in one line with a visible character for each hidden one. Line ends and tabs become
/// spaces.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        line if !line.contains(['\n', '\t']) => line,
        lines => Cow::Owned(lines.replace(['\n', '\t'], " ")),
    }
}

/// Returns a JSON document with each hidden character as an escape such as `\u202e`: it says the same,
/// and no terminal acts on it.
///
/// `json` has no hidden character outside its strings, as `serde_json` writes it.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_reader_sees_where_something_was() {
        for (text, shown) in [
            ("plain\n\ttext ±µ字é", "plain\n\ttext ±µ字é"),
            ("\u{1b}]0;title\u{7}", "␛]0;title␇"),
            ("\u{1b}[31m", "␛[31m"),
            ("a\u{9b}31m", "a�31m"),
            ("first\rsecond", "first␍second"),
            ("first\r\nsecond", "first\nsecond"),
            ("\0\u{7f}\u{85}", "␀␡�"),
            ("a\u{202e}b\u{2066}c\u{61c}d", "a�b�c�d"),
            ("a\u{200b}b\u{ad}c\u{feff}d\u{e0041}e", "a�b�c�d�e"),
            ("\u{2028}\u{2029}\u{fff9}\u{fdd0}", "����"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible_line("a\r\nb\tc\rd"), "a b c␍d");
    }

    #[test]
    fn a_document_says_the_same_with_its_hidden_characters_escaped() {
        let text = "\\\u{202e}\\\u{1b}\u{7f}\u{9b}\u{e0041}\"字";
        let json = serde_json::to_string(text).unwrap();
        let escaped = visible_json(&json);
        assert!(!escaped.contains(is_hidden), "{escaped}");
        assert!(escaped.contains("\\u202e") && escaped.contains("\\udb40\\udc41"));
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn nothing_that_controls_is_overlooked() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            if c.is_control() {
                assert_eq!(is_hidden(c), !matches!(c, '\n' | '\t'), "{c:?}");
            }
            assert!(!is_hidden(picture(c)) && !picture(c).is_control() || picture(c) == c);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_text_nothing_in_it_stays_hidden(text in any::<String>()) {
            prop_assert!(!visible(&text).contains(is_hidden));
            prop_assert!(!visible_line(&text).contains(char::is_control));
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(serde_json::from_str::<String>(&visible_json(&json)).unwrap(), text);
        }
    }
}
