//! What led to an error.

use std::error::Error;
use std::iter::successors;

/// Returns the texts of an error and of its causes, the first cause last.
pub fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = String> + 'a {
    successors(Some(error), |&error| error.source()).map(ToString::to_string)
}

/// Returns the texts of an error and of its causes in one line, joined by `: `.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    causes(error).collect::<Vec<String>>().join(": ")
}
