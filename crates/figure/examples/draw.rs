//! Draws every figure of a page into a folder: `draw BUNDLE.js PAGE.json LANGUAGE FOLDER [light|dark]`.

use std::path::Path;
use std::time::Instant;

use stripewise_figure::{Figures, Options, Theme, png};

#[expect(clippy::print_stderr, reason = "an example says how long it took")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bundle, page, language, folder, theme @ ..] = arguments.as_slice() else {
        return Err("usage: draw BUNDLE.js PAGE.json LANGUAGE FOLDER [light|dark]".into());
    };
    let is_dark = theme.first().is_some_and(|theme| theme == "dark");
    let options = Options {
        width_px: 800,
        height_px: None,
        theme: if is_dark { Theme::Dark } else { Theme::Light },
    };
    let (bundle, page) = (
        std::fs::read_to_string(bundle)?,
        std::fs::read_to_string(page)?,
    );
    let start = Instant::now();
    let figures = Figures::new(&bundle, &page, language)?;
    eprintln!("list: {:?}", start.elapsed());
    for figure in figures.list() {
        let start = Instant::now();
        let svg = figures.svg(&figure.id, &options)?;
        let svg_time = start.elapsed();
        let picture = png(&svg, 2.0)?;
        let png_time = start.elapsed() - svg_time;
        let (id, title) = (&figure.id, &figure.title);
        eprintln!(
            "{id} ({title}): SVG {} bytes in {svg_time:?}, PNG {} bytes in {png_time:?}",
            svg.len(),
            picture.len()
        );
        std::fs::write(Path::new(folder).join(format!("{id}.svg")), svg)?;
        std::fs::write(Path::new(folder).join(format!("{id}.png")), picture)?;
    }
    Ok(())
}
