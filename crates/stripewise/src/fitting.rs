//! Progress of a calibration on stderr; the length of the search for a host is not known in advance.

use stripewise_calibrate::{CalibrationStep, Progress};
use stripewise_catalogue::{Argument, Message};
use stripewise_report::view::View;

use crate::printer::{Printer, ProgressLine};

/// Shows a calibration while it runs.
pub(crate) struct Fitting {
    line: ProgressLine,
    view: View,
}

impl Fitting {
    /// Starts to show progress.
    pub(crate) fn new(printer: &Printer) -> Self {
        let line = printer.progress("{spinner} {elapsed}  {msg}".to_owned(), None);
        line.keep_drawing();
        Self {
            line,
            view: printer.view(),
        }
    }

    /// Shows the state of the search.
    pub(crate) fn show(&mut self, progress: Progress) {
        let step = match progress.step {
            CalibrationStep::Device(name) => {
                Message::new("progress-fitting-device").name("device", name)
            }
            CalibrationStep::Host => {
                Message::new("progress-fitting-host").digits("tried", progress.evaluations)
            }
            CalibrationStep::Residuals => Message::new("progress-fitting-errors"),
        };
        let step = match progress.total {
            None => step,
            Some(total) => Message::new("progress-fitting-of")
                .with("step", step)
                .digits("done", progress.evaluations)
                .digits("total", total),
        };
        let message = match progress.error {
            None => step,
            Some(error) => {
                let percent = Argument::quantity(format!("{:.1}", error * 100.0), "%");
                Message::new("progress-fitting-error")
                    .with("step", step)
                    .with("error", percent)
            }
        };
        self.line.say(&self.view.say(&message));
    }

    /// Removes the line.
    pub(crate) fn finish(self) {
        self.line.finish();
    }
}
