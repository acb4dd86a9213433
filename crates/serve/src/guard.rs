//! Who may ask: this machine's own browser, at the address that was printed, with the token.
//!
//! Any page of the web can make a browser send requests to loopback. So a request must name our
//! address as its host, which a name that was rebound to 127.0.0.1 does not (DNS rebinding); it may
//! come from no other origin; and everything under `/api` needs the token, which another page does
//! not have. What we answer may load nothing from elsewhere, be framed by nobody, and be kept nowhere.

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

/// Where data is: needs the token.
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

/// What is let in.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) port: u16,
    pub(crate) token: Token,
}

/// Answers a request that may be, refuses another, and adds our headers to both.
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
                "another page may not ask this server",
            ));
        }
        let path = request.uri().path();
        if path.starts_with(API) && !self.has_token(headers) {
            return Err(ApiError::new(
                StatusCode::UNAUTHORIZED,
                "the token is missing or is not the one of this server",
            )
            .hint(
                "open the address that `stripewise serve` printed last, with all that follows `#`",
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

/// Returns the value of a header that is there exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
