//! The figures of one page: their list, and each as SVG.

use serde::Serialize;

use crate::engine::{Engine, LIMITS, printable};
use crate::error::FigureError;
use crate::markup;
use crate::name::{FigureName, ID_CHARACTERS_MAX, checked};

/// The allowed width and height of a figure, in pixels: smaller figures are unreadable, and no use
/// needs larger ones.
pub const SIZE_PX: std::ops::RangeInclusive<u32> = 100..=8192;

/// The longest number of a cell, in digits, that the front end reads.
const CELL_DIGITS_MAX: usize = 6;

/// The colours of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Dark on light, for paper.
    Light,
    /// Light on dark.
    Dark,
}

/// How a figure is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Width in pixels of CSS, within [`SIZE_PX`].
    pub width_px: u32,
    /// Height in pixels of CSS, within [`SIZE_PX`]; `None` for the one that suits the figure at
    /// that width.
    pub height_px: Option<u32>,
    /// Its colours.
    pub theme: Theme,
}

/// The options as the front end takes them.
#[derive(Serialize)]
struct Drawing<'a> {
    language: &'a str,
    theme: Theme,
    width: u32,
    height: Option<u32>,
}

/// What draws the figures.
#[derive(Debug, Clone, Copy)]
pub struct FrontEnd<'a> {
    /// Its scripts, in the order in which they run.
    pub scripts: &'a [&'a str],
    /// Its messages, as JSON.
    pub messages_json: &'a str,
}

/// The figures of one page.
#[derive(Debug)]
pub struct Figures<'a> {
    front_end: FrontEnd<'a>,
    page_json: &'a str,
    language: &'a str,
    names: Vec<FigureName>,
}

impl<'a> Figures<'a> {
    /// Lists the figures of the page with the front end; `language` is `en` or `de`.
    ///
    /// # Errors
    /// [`FigureError::Bundle`] if the front end cannot be loaded or returns an invalid list,
    /// otherwise as [`Figures::svg`].
    pub fn new(
        front_end: FrontEnd<'a>,
        page_json: &'a str,
        language: &'a str,
    ) -> Result<Self, FigureError> {
        let engine = Engine::load(front_end, LIMITS)?;
        let list = engine.call("the list of figures", "figures", &[page_json, language])?;
        let names: Vec<FigureName> =
            serde_json::from_str(&list).map_err(|error| FigureError::Bundle {
                reason: format!("its list of figures cannot be read: {error}"),
            })?;
        let names = names
            .into_iter()
            .map(checked)
            .collect::<Result<_, FigureError>>()?;
        Ok(Self {
            front_end,
            page_json,
            language,
            names,
        })
    }

    /// Returns the figures of the page in its order.
    #[must_use]
    pub fn list(&self) -> &[FigureName] {
        &self.names
    }

    /// Returns the figure `id` as SVG; the same page and options give the same bytes.
    ///
    /// `id` is an id of the list. For a figure about one cell at a time, the number of a cell may
    /// follow it (`distribution.12`).
    ///
    /// # Errors
    /// [`FigureError::Unknown`] and [`FigureError::Size`] if there is no such figure or size;
    /// [`FigureError::Script`], [`FigureError::Time`] or [`FigureError::Memory`] if the front end fails or takes too
    /// much; [`FigureError::Markup`] if what it draws is not a plain SVG.
    pub fn svg(&self, id: &str, options: &Options) -> Result<String, FigureError> {
        let name = self.name(id)?;
        in_range("width", options.width_px)?;
        if let Some(height_px) = options.height_px {
            in_range("height", height_px)?;
        }
        let drawing = Drawing {
            language: self.language,
            theme: options.theme,
            width: options.width_px,
            height: options.height_px,
        };
        let drawing = serde_json::to_string(&drawing).map_err(|error| FigureError::Start {
            reason: error.to_string(),
        })?;
        let engine = Engine::load(self.front_end, LIMITS)?;
        let what = format!("figure `{id}`");
        let drawn = engine.call(&what, "figure", &[self.page_json, id, &drawing])?;
        markup::finished(&drawn, name).map_err(|reason| FigureError::Markup {
            id: id.to_owned(),
            reason,
        })
    }

    /// Returns the figure of that id, or `None` for one of its variants (`ID.12` for cell 12),
    /// whose title the front end does not list.
    fn name(&self, id: &str) -> Result<Option<&FigureName>, FigureError> {
        let listed = |id: &str| self.names.iter().find(|name| name.id == id);
        if let Some(name) = listed(id) {
            return Ok(Some(name));
        }
        let variant = id.rsplit_once('.').filter(|(plain, cell)| {
            let is_number = cell.bytes().all(|digit| digit.is_ascii_digit());
            is_number && (1..=CELL_DIGITS_MAX).contains(&cell.len()) && listed(plain).is_some()
        });
        if variant.is_some() {
            return Ok(None);
        }
        Err(FigureError::Unknown {
            id: printable(id, ID_CHARACTERS_MAX),
            known: self.names.iter().map(|name| name.id.clone()).collect(),
        })
    }
}

fn in_range(which: &'static str, value_px: u32) -> Result<(), FigureError> {
    if SIZE_PX.contains(&value_px) {
        return Ok(());
    }
    Err(FigureError::Size {
        which,
        value_px,
        min_px: *SIZE_PX.start(),
        max_px: *SIZE_PX.end(),
    })
}
