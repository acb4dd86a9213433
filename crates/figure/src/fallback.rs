//! Fonts of the system for what the embedded fonts lack: Cyrillic, Arabic, ideographs, emoji.
//!
//! They are loaded only for a text that needs them. We search all of them for every missing
//! character before the drawing is parsed, because `usvg` stops at the first character that it
//! cannot find, and then drops the rest of that text too. A character that no font has becomes the
//! replacement character, which the embedded fonts have.

use std::collections::{BTreeSet, HashMap};

use fontdb::{Database, FaceInfo, ID, Style};
use skrifa::{FontRef, MetadataProvider as _};

use crate::font::is_embedded;

/// The most distinct characters that are searched for; the others become replacement characters.
const CHARACTERS_MAX: usize = 4096;

/// Replaces the characters that no font has. Returns the text, and for each character that is not
/// embedded the font of the system, which it adds to `fonts`.
pub(crate) fn with_fallback(text: &str, fonts: &mut Database) -> (String, HashMap<char, ID>) {
    let missing = text.chars().filter(|character| !is_embedded(*character));
    let mut missing: BTreeSet<char> = missing.collect();
    while missing.len() > CHARACTERS_MAX {
        missing.pop_last();
    }
    let mut found = HashMap::new();
    if !missing.is_empty() {
        fonts.load_system_fonts();
        search(fonts, missing, &mut found);
    }
    let shown = |character: char| {
        let is_there = is_embedded(character) || found.contains_key(&character);
        if is_there {
            character
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    (text.chars().map(shown).collect(), found)
}

/// Searches one font after the other, upright and regular ones first, until no character is
/// missing.
fn search(fonts: &Database, mut missing: BTreeSet<char>, found: &mut HashMap<char, ID>) {
    let mut faces: Vec<&FaceInfo> = fonts.faces().collect();
    faces.sort_by_cached_key(|face| {
        let is_slanted = face.style != Style::Normal;
        let unlike_regular = face.weight.0.abs_diff(fontdb::Weight::NORMAL.0);
        (
            is_slanted,
            unlike_regular,
            face.monospaced,
            face.post_script_name.clone(),
        )
    });
    for face in faces {
        if missing.is_empty() {
            return;
        }
        let has = held(fonts, face.id, &missing);
        missing.retain(|character| !has.contains(character));
        found.extend(has.into_iter().map(|character| (character, face.id)));
    }
}

/// Returns those of `wanted` that the font has.
fn held(fonts: &Database, id: ID, wanted: &BTreeSet<char>) -> BTreeSet<char> {
    let read = fonts.with_face_data(id, |data, index| {
        let font = FontRef::from_index(data, index).ok()?;
        let charmap = font.charmap();
        let has = wanted.iter().copied();
        Some(
            has.filter(|character| charmap.map(*character).is_some())
                .collect(),
        )
    });
    read.flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_our_own_characters_loads_no_font_of_the_system() {
        let mut fonts = Database::new();
        let text = "<text>Größe ≤ 4 KiB → \u{202E}µs\u{200D}\n</text>";
        assert_eq!(
            with_fallback(text, &mut fonts),
            (text.to_owned(), HashMap::new())
        );
        assert!(fonts.is_empty());
    }

    #[test]
    fn a_missing_character_does_not_hide_the_text_after_it() {
        let mut fonts = Database::new();
        fonts.load_font_data(crate::font::REGULAR.to_vec());
        let wanted = BTreeSet::from(['\u{10FFFD}', 'a', 'ж']);
        let mut found = HashMap::new();
        search(&fonts, wanted, &mut found);
        assert_eq!(found.into_keys().collect::<Vec<_>>(), ['a']);
        let (shown, _) = with_fallback("a\u{10FFFD}b", &mut Database::new());
        assert_eq!(shown, "a\u{FFFD}b");
    }

    #[test]
    fn a_text_with_every_character_is_bounded() {
        let everything: String = (' '..=char::MAX).collect();
        let (shown, found) = with_fallback(&everything, &mut Database::new());
        assert!(found.len() <= CHARACTERS_MAX);
        assert_eq!(shown.chars().count(), everything.chars().count());
    }
}
