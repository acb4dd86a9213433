//! How answers are written: JSON documents, and the page's own files.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;

use crate::error::ApiError;

/// Returns one JSON document.
pub(crate) fn json(status: StatusCode, document: &impl Serialize) -> Response {
    match serde_json::to_vec(document) {
        Ok(bytes) => reply(status, "application/json", bytes),
        // Only a map whose keys are no text can fail, and there is none.
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

/// Returns a document, or why there is none.
pub(crate) fn answer(result: Result<impl Serialize, ApiError>) -> Response {
    use axum::response::IntoResponse as _;
    match result {
        Ok(document) => json(StatusCode::OK, &document),
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
