//! Progress of a calibration on stderr; the length of the search is not known in advance.

use stripewise_calibrate::{Progress, Step};

use crate::printer::{Printer, ProgressLine};

/// Shows a calibration while it runs.
pub(crate) struct Fitting {
    line: ProgressLine,
}

impl Fitting {
    /// Starts to show progress.
    pub(crate) fn new(printer: &Printer) -> Self {
        let line = printer.progress("{spinner} {elapsed}  {msg}", None);
        line.keep_drawing();
        Self { line }
    }

    /// Shows the state of the search.
    pub(crate) fn show(&mut self, progress: Progress) {
        let mut text = match progress.step {
            Step::Device(name) => format!("device `{name}`"),
            Step::Host => format!("host: {} tried", progress.evaluations),
            Step::Residuals => "errors of the profiles".to_owned(),
        };
        if let Some(error) = progress.error {
            text.push_str(&format!(", mean error {:.1} %", error * 100.0));
        }
        self.line.say(&text);
    }

    /// Removes the line.
    pub(crate) fn finish(self) {
        self.line.finish();
    }
}
