//! Makes text from outside safe to display: no character in it can control a terminal, hide, or
//! reorder other text.
//!
//! Names and messages come from files, devices and other programs. Terminals execute escape
//! sequences in them. Characters without a glyph, or that change the direction of writing, let one
//! name look like another (Unicode Technical Report 36, sections 2 and 3). Each such character is
//! replaced by one visible character of the same width, so that tables keep their columns and the
//! reader sees that a character was there: a control picture if Unicode has one (`␛`), else `�`.

use std::borrow::Cow;

/// Replaces a hidden character that has no picture of its own.
const REPLACEMENT: char = '\u{fffd}';

/// Returns whether a character controls a terminal or is invisible. Line ends and tabs are not
/// hidden.
///
/// Hidden are: control characters (C0, DEL, C1), which begin escape sequences; the Unicode class
/// `Default_Ignorable_Code_Point` (direction controls, zero-width characters, soft hyphens,
/// fillers, variation selectors, tags); line and paragraph separators; interlinear annotations; and
/// noncharacters.
///
/// Joiners and variation selectors belong to the spelling of some scripts and emoji. They are
/// hidden nevertheless, because users confirm devices by the names they see.
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

/// Returns the visible character that replaces `c`; `c` itself if it is not hidden.
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

/// Returns text with a visible character for each hidden one. Line ends and tabs stay; CR LF
/// becomes LF.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").chars().map(picture).collect())
}

/// Returns text on one line with a visible character for each hidden one. Line ends and tabs become
/// spaces.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        line if !line.contains(['\n', '\t']) => line,
        lines => Cow::Owned(lines.replace(['\n', '\t'], " ")),
    }
}

/// Returns an equivalent JSON document with each hidden character as an escape such as `\u202e`, so
/// that it cannot control a terminal.
///
/// `json` must have no hidden character outside its strings; `serde_json` writes none.
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

/// Returns a word that a POSIX shell reads as one argument.
pub fn shell_word(text: &str) -> String {
    let text = visible_line(text).into_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_a_command_survive_a_shell() {
        let words = ["/srv/test", "my study.toml", "$(reboot)", "it's", "-rf", ""].map(shell_word);
        assert_eq!(
            words,
            [
                "/srv/test",
                "'my study.toml'",
                "'$(reboot)'",
                "'it'\\''s'",
                "'-rf'",
                "''"
            ]
        );
    }

    #[test]
    fn hidden_characters_are_replaced_by_visible_ones() {
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
    fn a_document_keeps_its_meaning_with_hidden_characters_escaped() {
        let text = "\\\u{202e}\\\u{1b}\u{7f}\u{9b}\u{e0041}\"字";
        let json = serde_json::to_string(text).unwrap();
        let escaped = visible_json(&json);
        assert!(!escaped.contains(is_hidden), "{escaped}");
        assert!(escaped.contains("\\u202e") && escaped.contains("\\udb40\\udc41"));
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn every_control_character_is_hidden() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            if c.is_control() {
                assert_eq!(is_hidden(c), !matches!(c, '\n' | '\t'), "{c:?}");
            }
            assert!(!is_hidden(picture(c)) && !picture(c).is_control() || picture(c) == c);
        }
    }

    proptest! {
        #[test]
        fn no_text_keeps_a_hidden_character(text in any::<String>()) {
            prop_assert!(!visible(&text).contains(is_hidden));
            prop_assert!(!visible_line(&text).contains(char::is_control));
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(serde_json::from_str::<String>(&visible_json(&json)).unwrap(), text);
        }
    }
}
