//! Access control: only this machine's browser, at the printed address, with the token.
//!
//! Any web page can make a browser send requests to loopback. So there are three checks:
//!
//! - The host of a request must be our address. A name that was rebound to 127.0.0.1 (DNS
//!   rebinding) fails here.
//! - The origin, if there is one, must be ours.
//! - Everything under `/api` needs the token, which other pages do not have.
//!
//! Our answers may load nothing from elsewhere, be framed by no page, and be stored in no cache.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN,
    REFERRER_POLICY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, Result};
use crate::token::Token;

/// The path of the data, which needs the token.
const API: &str = "/api";

const HEADERS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src-elem 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

/// The accepted address and token.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) port: u16,
    pub(crate) token: Token,
}

/// Passes on an allowed request, refuses any other, and adds our headers to both answers.
pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.check(&request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let is_unauthorised = response.status() == StatusCode::UNAUTHORIZED;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_unauthorised {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

impl Guard {
    fn check(&self, request: &Request) -> Result<()> {
        let headers = request.headers();
        let host = only(headers, HOST).filter(|host| self.is_ours(host));
        // A target such as `http://elsewhere/` overrides the header (RFC 9112, 3.2.2).
        let target = request.uri().authority().map(|host| host.as_str());
        let Some(host) = host.filter(|_| target.is_none_or(|target| self.is_ours(target))) else {
            return Err(ApiError::new(
                StatusCode::MISDIRECTED_REQUEST,
                "this server answers at its own address only",
            )
            .hint(format!("open `http://127.0.0.1:{}/`; a tunnel must keep the port: `ssh -L {0}:127.0.0.1:{0} HOST`", self.port)));
        };
        let is_same = |origin: &str| origin.strip_prefix("http://") == Some(host);
        if headers.contains_key(ORIGIN) && !only(headers, ORIGIN).is_some_and(is_same) {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "pages of another origin may not ask this server",
            ));
        }
        let path = request.uri().path();
        if path.starts_with(API) && !self.has_token(headers) {
            return Err(ApiError::new(
                StatusCode::UNAUTHORIZED,
                "the token is missing or wrong",
            )
            .hint(
                "open the address that `stripewise serve` printed last, with everything after `#`",
            ));
        }
        Ok(())
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = host.strip_suffix(&format!(":{}", self.port));
        name.is_some_and(|name| ["127.0.0.1", "localhost", "[::1]"].contains(&name))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let given = only(headers, AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        given.is_some_and(|token| self.token.is(token.as_bytes()))
    }
}

/// Returns the value of a header that occurs exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
