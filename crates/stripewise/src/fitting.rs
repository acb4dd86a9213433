//! Progress of a calibration on stderr: how long a search takes is known when it is over.

use stripewise_calibrate::{Progress, Step};

use crate::printer::{Printer, ProgressLine};

/// Shows a calibration while it runs.
pub(crate) struct Fitting {
    line: ProgressLine,
}

impl Fitting {
    /// Begins to show.
    pub(crate) fn new(printer: &Printer) -> Self {
        let line = printer.progress("{spinner} {elapsed}  {msg}", None);
        line.keep_drawing();
        Self { line }
    }

    /// Shows how far it is.
    pub(crate) fn goes(&mut self, progress: Progress) {
        let mut text = match progress.step {
            Step::Device(name) => format!("device `{name}`"),
            Step::Host => format!("host: {} tried", progress.evaluations),
            Step::Residuals => "what the profiles are worth".to_owned(),
        };
        if let Some(error) = progress.error {
            text.push_str(&format!(", mean error {:.1} %", error * 100.0));
        }
        self.line.say(&text);
    }

    /// Takes it away.
    pub(crate) fn finish(self) {
        self.line.finish();
    }
}
