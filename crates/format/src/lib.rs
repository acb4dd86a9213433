//! The study file: TOML in, a checked [`Study`] out, or every problem with its place and a hint.
//!
//! Steps: parse the text; report unknown keys (`keys`); read each table into the types of `raw`
//! (`misfit` explains values that do not fit); then convert the tables and report impossible ones
//! (`stacks`, `settings`, `host_settings`, `loads`, `rules`). Each step reports everything it finds; a step starts only if the
//! one before found nothing.

mod bounds;
mod combine;
mod devices;
mod failures;
mod feature;
mod filesystem_options;
pub mod foreign;
mod given;
mod host_settings;
mod key_paths;
mod keys;
mod lifetime;
mod loads;
mod locate;
mod md;
mod members;
mod misfit;
pub mod preset;
mod problem;
mod program;
pub mod question;
mod raw;
mod reference;
mod rules;
mod settings;
mod source;
pub mod spelling;
mod stacks;
pub mod studies;
mod traces;

pub use bounds::CELLS_MAX;
pub use combine::on_stacks;
pub use md::RAID6_LAYOUTS;
pub use problem::{Problem, StudyError};
pub use reference::{json_schema, reference_page};
pub use rules::normal_text;
pub use source::TEXT_BYTES_MAX;

use source::Source;
use stripewise_study::plan::Study;
use stripewise_study::trace::{NoTraces, TraceSource};

/// Reads and checks a study that comes from no file, and so names no trace; `name` is its name in
/// messages.
///
/// # Errors
/// [`StudyError`] with every problem found. Never panics, whatever the text.
pub fn parse(name: &str, text: &str) -> Result<Study, StudyError> {
    parse_with(name, text, &mut NoTraces)
}

/// Reads and checks a study file, whose traces `traces` reads.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(
    name: &str,
    text: &str,
    traces: &mut dyn TraceSource,
) -> Result<Study, StudyError> {
    read(text, traces).map_err(|problems| StudyError::new(name, text, problems))
}

fn read(text: &str, traces: &mut dyn TraceSource) -> Result<Study, Vec<Problem>> {
    let mut source = Source::parse(text)?;
    keys::check(&mut source);
    source.stop_if_problems()?;
    source.check_sections(&["stack", "workload", "neighbour", "failure"]);
    bounds::check_form(&mut source);
    source.stop_if_problems()?;
    let file = rules::File::read(&mut source);
    let stacks = stacks::stacks(&mut source, &file);
    let workloads = match program::workloads(&mut source) {
        Some(workloads) => workloads,
        None if source.root().get("program").is_some() => Vec::new(),
        None => loads::workloads(&mut source, &file, traces),
    };
    let study = rules::study(&mut source, file, stacks, workloads);
    source.stop_if_problems()?;
    Ok(study)
}
