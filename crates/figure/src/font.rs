//! The fonts of a figure, and how wide a text is in them.
//!
//! Two subsets of DejaVu Sans are part of the program (see `fonts/README.md`), so that charts have
//! the same layout on every machine. ECharts needs text widths to place labels; without them it
//! guesses, with a table for ASCII and a square for any other character.

use std::sync::LazyLock;

use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider};

/// DejaVu Sans, a subset.
pub(crate) const REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// DejaVu Sans Bold, the same subset.
pub(crate) const BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold.ttf");

/// From this weight on a text is drawn bold: CSS takes the nearest face there is, and we have 400
/// and 700.
pub(crate) const BOLD_FROM_WEIGHT: u16 = 600;

/// The default size of ECharts (`DEFAULT_FONT_SIZE` in zrender).
const SIZE_PX_DEFAULT: f64 = 12.0;

/// The widths of one face.
struct Face {
    charmap: Charmap<'static>,
    /// At 1 px, so that widths are in em.
    metrics: GlyphMetrics<'static>,
}

static FACES: LazyLock<[Face; 2]> = LazyLock::new(|| [Face::new(REGULAR), Face::new(BOLD)]);

impl Face {
    fn new(data: &'static [u8]) -> Self {
        let font = FontRef::new(data).expect("a test reads the embedded fonts");
        Self {
            charmap: font.charmap(),
            metrics: font.glyph_metrics(Size::new(1.0), LocationRef::default()),
        }
    }

    /// Returns the width of one character in em.
    ///
    /// A character that the font lacks counts as one em, the width of an ideograph; zrender
    /// measures the line height the same way, by the width of one ideograph.
    fn width_em(&self, character: char) -> f64 {
        if is_invisible(character) {
            return 0.0;
        }
        let glyph = self.charmap.map(character);
        let width = glyph.and_then(|glyph| self.metrics.advance_width(glyph));
        width.map_or(1.0, f64::from)
    }
}

/// Returns the width in pixels of `text` in `css_font`, a CSS shorthand such as `bold 14px Arial`.
///
/// Families are ignored, since everything is drawn in ours; so is kerning, which makes a text
/// narrower, never wider.
pub(crate) fn text_width_px(text: &str, css_font: &str) -> f64 {
    let [regular, bold] = &*FACES;
    let (size_px, is_bold) = size_and_weight(css_font);
    let face = if is_bold { bold } else { regular };
    let width_em: f64 = text.chars().map(|character| face.width_em(character)).sum();
    width_em * size_px
}

/// Returns whether the embedded fonts can draw the character, or there is nothing to draw.
pub(crate) fn is_embedded(character: char) -> bool {
    let [regular, _] = &*FACES;
    is_invisible(character) || regular.charmap.map(character).is_some()
}

/// Returns the size in pixels and whether it is bold, from a CSS font shorthand.
fn size_and_weight(css_font: &str) -> (f64, bool) {
    let mut is_bold = false;
    for word in css_font.split_ascii_whitespace() {
        let size: Option<f64> = word.strip_suffix("px").and_then(|size| size.parse().ok());
        if let Some(size) = size.filter(|size| size.is_finite()) {
            return (size, is_bold);
        }
        is_bold |= matches!(word, "bold" | "bolder")
            || word
                .parse()
                .is_ok_and(|weight: u16| weight >= BOLD_FROM_WEIGHT);
    }
    (SIZE_PX_DEFAULT, is_bold)
}

/// Returns whether a character takes no room: controls, joiners, variation selectors and
/// bidirectional marks.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFFE}'..='\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Widths in em of DejaVu Sans, read off with fonttools: `font["hmtx"][glyph][0] / 2048`.
    #[test]
    fn widths_are_those_of_the_font_file() {
        let em = |text, font| (text_width_px(text, font) * 2048.0 / 100.0).round();
        assert_eq!(em("a", "100px sans-serif"), 1255.0);
        assert_eq!(em("W", "normal normal 100px Arial"), 2025.0);
        assert_eq!(em("a", "bold 100px Arial"), 1382.0);
        assert_eq!(em("a", "600 100px Arial"), 1382.0);
        assert_eq!(em("a", "500 100px Arial"), 1255.0);
        assert_eq!(em("aa", "100px 'bold 3px'"), 2510.0);
    }

    #[test]
    fn a_missing_character_is_square_and_a_bidirectional_mark_has_no_width() {
        assert_eq!(text_width_px("国", "16px x"), 16.0);
        assert_eq!(
            text_width_px("\u{202E}\u{202C}\u{200F}\u{1}", "16px x"),
            0.0
        );
        assert_eq!(text_width_px("国", "no size at all"), 12.0);
        assert_eq!(text_width_px("", ""), 0.0);
    }

    #[test]
    fn both_faces_have_the_characters_of_chart_labels() {
        let labels = "Zz~ÄÖÜäöüßéñçøŁő «»“”„’–—…·°²³µΔΩαβμσ±×÷≤≥≠≈−∞√←↑→↓↔⇒₂⁹€™✓✗─│┌┐└┘├┤┼═║█▇▆▅▄▃▂▁▏▎▍▌▋▊▉░▒▓■●▲";
        for data in [REGULAR, BOLD] {
            let charmap = FontRef::new(data).expect("a font").charmap();
            let missing: String = labels
                .chars()
                .filter(|c| charmap.map(*c).is_none())
                .collect();
            assert_eq!(missing, "");
        }
    }
}
