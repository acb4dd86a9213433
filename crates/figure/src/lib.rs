//! Figures of the report as SVG and PNG, drawn without a browser.
//!
//! The report's front end (scripts with Apache ECharts, and messages) draws its charts in a
//! browser. This crate runs the same scripts in QuickJS, so an exported figure equals the figure of
//! the report. `resvg` renders it as PNG with an embedded font, so it looks the same on every
//! machine, even on a server without fonts.
//!
//! ```text
//!   FrontEnd (scripts, messages) ──┐                       Figures::list ──> ids, titles
//!                                  ├── QuickJS (bounded) ──┤
//!   page (JSON) ───────────────────┘                       Figures::svg ───> SVG ──> png ──> PNG
//! ```
//!
//! The data of the page comes from outside and may be hostile. QuickJS runs with limits on memory,
//! stack and time, and without access to files or the network. We check its output before we return
//! it.
//!
//! # What the scripts must offer
//!
//! When there is no `document`, the last script sets `globalThis.stripewise` to an object with two
//! functions:
//!
//! - `figures(pageJson, language)` returns a JSON string: a list of `{id, title, description}`;
//! - `figure(pageJson, id, {language, theme, width, height})` returns the SVG as a string; `theme`
//!   is `light` or `dark`, and `height` is `null` for the default of the figure.
//!
//! We provide `messagesJson`, the messages as JSON, and `textWidthPx(text, cssFont)`, the width of
//! a text in the font of the PNG, for ECharts:
//!
//! ```text
//! echarts.setPlatformAPI({measureText: (text, font) => ({width: textWidthPx(text, font)})})
//! ```

mod engine;
mod error;
mod fallback;
mod figures;
mod font;
mod markup;
mod name;
mod png;

pub use error::{FigureError, PngError};
pub use figures::{Figures, FrontEnd, Options, SIZE_PX, Theme};
pub use name::FigureName;
pub use png::{PNG_SIDE_PX_MAX, png};
