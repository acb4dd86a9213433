//! Serialises answers: JSON documents, and the page's own files.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::{ApiError, Result};

/// Returns one serialised JSON document. A page may take a while: call this on a worker thread.
pub(crate) fn written(document: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(document)
        .map_err(|error| ApiError::internal(format!("failed to write the answer: {error}")))
}

/// Returns one small JSON document.
pub(crate) fn json(status: StatusCode, document: &impl Serialize) -> Response {
    match serde_json::to_vec(document) {
        Ok(bytes) => reply(status, "application/json", bytes),
        // Only a map with keys that are not text can fail, and there is none.
        Err(error) => {
            let text =
                format!("{{\"error\":\"failed to write the answer: {error}\",\"hint\":null}}");
            reply(
                StatusCode::INTERNAL_SERVER_ERROR,
                "application/json",
                text.into_bytes(),
            )
        }
    }
}

/// Returns a document that was [`written`], or its error.
pub(crate) fn answer(document: Result<Vec<u8>>) -> Response {
    match document {
        Ok(bytes) => reply(StatusCode::OK, "application/json", bytes),
        Err(error) => error.into_response(),
    }
}

/// Returns `body` with its type.
pub(crate) fn reply(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Body>,
) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        json(self.status, &self)
    }
}
