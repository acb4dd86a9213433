//! From SVG to PNG, the same picture on every machine.
//!
//! Every text is drawn in the embedded DejaVu Sans, regular or bold, whatever family it names.
//! Fonts of the system are used only for characters that it lacks. Nothing else is read: images and
//! references to files are ignored.

use std::collections::HashMap;
use std::sync::Arc;

use fontdb::{Database, ID, Source};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{FontResolver, ImageHrefResolver, Options, Tree};

use crate::error::PngError;
use crate::fallback::with_fallback;
use crate::font::{BOLD, BOLD_FROM_WEIGHT, REGULAR};

/// Longest side of a PNG, in pixels. Such a square takes 1 GiB of memory while it is drawn.
pub const PNG_SIDE_PX_MAX: u32 = 16_384;

/// Returns the drawing as PNG, `scale` pixels of the picture for one pixel of the drawing: 2 for
/// sharp screens and paper.
///
/// # Errors
/// [`PngError::Svg`] if it is not an SVG, [`PngError::Scale`] if the scale leaves no pixel, [`PngError::Size`] if a
/// side would be longer than [`PNG_SIDE_PX_MAX`].
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let mut fonts = Database::new();
    let faces = [REGULAR, BOLD].map(|data| embedded(&mut fonts, data));
    let (svg, found) = with_fallback(svg, &mut fonts);
    let options = options(fonts, faces, found);
    let tree = Tree::from_str(&svg, &options).map_err(|error| PngError::Svg {
        reason: error.to_string(),
    })?;
    let mut pixmap = pixmap(&tree, scale)?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixmap.as_mut(),
    );
    pixmap.encode_png().map_err(|error| PngError::Encode {
        reason: error.to_string(),
    })
}

/// Returns an empty picture for the drawing.
fn pixmap(tree: &Tree, scale: f32) -> Result<Pixmap, PngError> {
    let scaled = tree.size().to_int_size().scale_by(scale);
    let size = scaled.ok_or(PngError::Scale { scale })?;
    let (width_px, height_px) = (size.width(), size.height());
    let error = PngError::Size {
        width_px,
        height_px,
        side_px_max: PNG_SIDE_PX_MAX,
    };
    if width_px.max(height_px) > PNG_SIDE_PX_MAX {
        return Err(error);
    }
    Pixmap::new(width_px, height_px).ok_or(error)
}

fn options(
    fonts: Database,
    [regular, bold]: [ID; 2],
    found: HashMap<char, ID>,
) -> Options<'static> {
    Options {
        fontdb: Arc::new(fonts),
        font_resolver: FontResolver {
            select_font: Box::new(move |font, _| {
                Some(if font.weight() >= BOLD_FROM_WEIGHT {
                    bold
                } else {
                    regular
                })
            }),
            select_fallback: Box::new(move |character, used, _| {
                let id = found.get(&character);
                id.copied().filter(|id| !used.contains(id))
            }),
        },
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    }
}

fn embedded(fonts: &mut Database, data: &'static [u8]) -> ID {
    let ids = fonts.load_font_source(Source::Binary(Arc::new(data)));
    *ids.first().expect("a test reads the embedded fonts")
}
