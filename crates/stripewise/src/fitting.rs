//! Progress of a calibration on stderr: how long a search takes is known when it is over.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stripewise_calibrate::{Progress, Step};

use crate::printer::Printer;

/// Shows a calibration while it goes on; on anything but a terminal it says nothing.
pub(crate) struct Fitting {
    bar: ProgressBar,
}

impl Fitting {
    /// Begins to show.
    pub(crate) fn new(printer: &Printer) -> Self {
        let target = if printer.shows_progress() {
            ProgressDrawTarget::stderr_with_hz(8)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {elapsed}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(125));
        Self { bar }
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
        self.bar.set_message(text);
    }

    /// Takes it away.
    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
