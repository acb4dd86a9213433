//! Errors as users see them: what failed, why, and what to do.

use std::fmt;
use std::io;

use stripewise_calibrate::CalibrateError;
use stripewise_export::read::ReadError;
use stripewise_figure::{FigureError, PngError};
use stripewise_format::StudyError;
use stripewise_lab::LabError;
use stripewise_lab::power_cut::PlanError;
use stripewise_lab::profile_disk::UnmodelledDisk;
use stripewise_metal::OpenError;
use stripewise_profiles::lookup::LookupError;
use stripewise_report::style::{adopt, paint};
use stripewise_results::StoreError;
use stripewise_runner::RunError;
use stripewise_sim::world::ModelError;
use stripewise_study::world::WorldError;
use stripewise_units::visible::visible_line;
use stripewise_worlds::OpeningError;

use crate::stores;

/// An error with a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hint: Option<String>,
    /// Whether the message is a list of mistakes, one a line.
    is_list: bool,
    /// A study file with its mistakes marked, to be shown above the error.
    study: Option<Box<StudyError>>,
}

/// The result of a command.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// Returns a failure with a message and no deeper cause.
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self::from_error(anyhow::Error::msg(message.to_string()), None)
    }

    pub(crate) fn from_error(error: anyhow::Error, hint: Option<String>) -> Self {
        Self {
            error,
            hint,
            is_list: false,
            study: None,
        }
    }

    /// Returns a failure whose message has several lines; names in them must be escaped already.
    pub(crate) fn list(message: impl fmt::Display) -> Self {
        Self {
            is_list: true,
            ..Self::new(message)
        }
    }

    /// Adds a hint: what to do about the error.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a further hint.
    pub(crate) fn and_hint(mut self, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        self.hint = Some(match self.hint {
            Some(first) => format!("{first}; {hint}"),
            None => hint,
        });
        self
    }

    /// Returns the options that the hint names alone, without their dashes: not those of a whole command.
    pub(crate) fn hinted_options(&self) -> impl Iterator<Item = &str> {
        let quoted = self
            .hint
            .iter()
            .flat_map(|hint| hint.split('`').skip(1).step_by(2));
        let options = quoted.filter_map(|text| text.strip_prefix("--"));
        options.map(|option| option.split([' ', '=']).next().unwrap_or(option))
    }

    /// Puts the attempted action before the reason.
    pub(crate) fn context(self, attempted: impl fmt::Display) -> Self {
        Self {
            error: self.error.context(attempted.to_string()),
            ..self
        }
    }

    /// Returns a failure that shows the mistakes of a study file.
    pub(crate) fn study(name: &str, error: StudyError) -> Self {
        let count = error.problems().len();
        let noun = if count == 1 { "mistake" } else { "mistakes" };
        let mut failure = Self::new(format!("study `{name}` has {count} {noun}"));
        failure.study = Some(Box::new(error));
        failure
    }

    /// Returns the whole text, the chain of causes joined by `: `, with the marks of its styles.
    pub(crate) fn render(&self) -> String {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        let bold = anstyle::Style::new().bold();
        let mut text = String::new();
        if let Some(study) = &self.study {
            text.push_str(&adopt(&study.render(true), &study.render(false)));
            text.push_str("\n\n");
        }
        text.push_str(&format!("{}: {}\n", paint(red, "error"), self.message()));
        if let Some(hint) = &self.hint {
            let hint = stores::with_store(hint);
            text.push_str(&format!("\n{}: {hint}\n", paint(bold, "hint")));
        }
        text
    }

    /// Returns the message without hint and colours, on one line: a name in it cannot forge a
    /// further line.
    pub(crate) fn message(&self) -> String {
        let causes: Vec<String> = self.error.chain().map(|cause| cause.to_string()).collect();
        let message = causes.join(": ");
        match self.is_list {
            true => message,
            false => visible_line(message.trim_end()).into_owned(),
        }
    }

    /// Returns whether an observer ended the simulations.
    pub(crate) fn is_interruption(&self) -> bool {
        let mut causes = self.error.chain();
        causes.any(|cause| cause.downcast_ref() == Some(&ModelError::Interrupted))
    }

    /// Returns the hint, without marks.
    pub(crate) fn hinted(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the first mistake of a study, where the message only counts them.
    pub(crate) fn mistake(&self) -> Option<&StudyError> {
        self.study.as_deref()
    }

    /// Returns whether the reader closed the pipe of our output, which is not an error.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.error.chain().any(|cause| {
            cause
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        })
    }
}

/// Converts errors, with the hint that each gives.
macro_rules! take_over {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                let hint = error.hint().map(Into::into);
                Self::from_error(error.into(), hint)
            }
        }
    )+};
}

take_over!(
    StoreError,
    WorldError,
    LookupError,
    ModelError,
    OpenError,
    PlanError,
    RunError,
    UnmodelledDisk,
    OpeningError,
);

impl From<LabError> for Failure {
    /// The lines that a program printed stay lines.
    fn from(error: LabError) -> Self {
        let hint = error.hint();
        match error.in_lines() {
            Some(lines) => Self {
                hint,
                ..Self::list(lines)
            },
            None => Self::from_error(error.into(), hint),
        }
    }
}

impl From<CalibrateError> for Failure {
    fn from(error: CalibrateError) -> Self {
        Self::from_error(error.into(), None)
    }
}

impl From<FigureError> for Failure {
    fn from(error: FigureError) -> Self {
        let hint = match &error {
            FigureError::Unknown { .. } => Some("`--list-figures` lists them".to_owned()),
            _ => None,
        };
        Self::from_error(error.into(), hint)
    }
}

impl From<PngError> for Failure {
    fn from(error: PngError) -> Self {
        Self::from_error(error.into(), None)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let hint = Some(error.hint().to_owned());
        Self::from_error(error.into(), hint)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::from_error(error.into(), None)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from_error(io::Error::from(error).into(), None)
    }
}
