//! Error answers: a status, the reason, and what to do.

use axum::http::StatusCode;
use serde::Serialize;
use stripewise_format::StudyError;
use stripewise_results::StoreError;
use stripewise_sim::world::ModelError;
use stripewise_study::failure::ImpossibleDegradation;
use stripewise_units::causes::chain;

/// Why a request is refused: the body of an answer with a status of 4xx or 5xx.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct ApiError {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    /// The reason.
    error: String,
    /// What to do about it.
    hint: Option<String>,
}

pub(crate) type Result<T> = std::result::Result<T, ApiError>;

impl ApiError {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self {
            status,
            error: error.into(),
            hint: None,
        }
    }

    /// Returns the error for an invalid request.
    pub(crate) fn bad_request(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    /// Returns the error for what does not exist.
    pub(crate) fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error)
    }

    /// Returns the error for a valid question without an answer.
    pub(crate) fn unanswerable(error: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error)
    }

    /// Returns the error for a bug of ours.
    pub(crate) fn internal(error: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }

    /// Returns whether the requested thing does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let status = match &error {
            StoreError::Missing { .. }
            | StoreError::Empty { .. }
            | StoreError::NoSuchRun { .. } => StatusCode::NOT_FOUND,
            StoreError::Locked { .. } => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let hint = error.hint();
        Self {
            status,
            error: chain(&error),
            hint,
        }
    }
}

impl From<ModelError> for ApiError {
    fn from(error: ModelError) -> Self {
        let hint = error.hint();
        Self {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            error: chain(&error),
            hint,
        }
    }
}

impl From<ImpossibleDegradation> for ApiError {
    fn from(error: ImpossibleDegradation) -> Self {
        Self::unanswerable(format!("failed: {error}")).hint(error.hint())
    }
}

impl From<StudyError> for ApiError {
    /// The first problem; a question is so short that there is hardly another.
    fn from(error: StudyError) -> Self {
        let first = error.problems().first();
        let words = first.map(|problem| match problem.label.is_empty() {
            true => problem.message.clone(),
            false => format!("{} ({})", problem.message, problem.label),
        });
        Self {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            error: words.unwrap_or_else(|| error.to_string()),
            hint: first.and_then(|problem| problem.hint.clone()),
        }
    }
}
