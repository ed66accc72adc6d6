//! Responses: JSON, errors, and what a body says that it is.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use codepod_api::ApiError;

/// JSON as an answer.
pub(super) fn json_response(status: StatusCode, json: impl Into<Body>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, json.into()).into_response()
}

/// An error as an answer.
pub(super) fn failed(error: &ApiError) -> Response {
    let status =
        StatusCode::from_u16(error.kind().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let json = serde_json::to_string(error).unwrap_or_default();
    let mut response = json_response(status, json);
    if status == StatusCode::UNAUTHORIZED {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// What a body says that it is.
pub(super) fn media_type(headers: &HeaderMap) -> &str {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim()
}
