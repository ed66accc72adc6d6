//! Routes: one for each line of the table, and a few that are the server's own.

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{MethodFilter, any, get, on};
use codepod_api::{ApiError, Kind, METHODS, Surface, Verb};

use super::request::{Endpoint, answer, authorize};
use super::response::{failed, json_response};
use super::{App, ports, terminal};

/// What the reference page is made from, too.
const OPENAPI: &str = include_str!("../../openapi.json");

pub(super) fn router(app: Arc<App>) -> Router {
    let mut router = Router::new();
    let here = METHODS
        .iter()
        .filter(|method| method.reason_not_on(Surface::Http).is_none());
    for method in here {
        let filter = match method.route.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
            Verb::Put => MethodFilter::PUT,
            Verb::Delete => MethodFilter::DELETE,
        };
        let endpoint = Arc::new(Endpoint::new(method));
        let handler = move |State(app): State<Arc<App>>, path: RawPathParams, request: Request| {
            answer(app, endpoint.clone(), path, request)
        };
        router = router.route(method.route.path, on(filter, handler));
    }
    router
        .route("/v1/sandboxes/{sandbox}/terminal", get(terminal::open))
        .route("/v1/sandboxes/{sandbox}/ports/{port}", any(ports::pass))
        .route("/v1/sandboxes/{sandbox}/ports/{port}/", any(ports::pass))
        .route(
            "/v1/sandboxes/{sandbox}/ports/{port}/{*path}",
            any(ports::pass),
        )
        .route("/v1/openapi.json", get(openapi))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_verb)
        .with_state(app)
}

async fn openapi(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    match app.access.check(&headers) {
        Ok(()) => json_response(StatusCode::OK, OPENAPI.to_owned()),
        Err(error) => failed(&error),
    }
}

async fn ready(State(app): State<Arc<App>>) -> (StatusCode, &'static str) {
    match app.is_ready() {
        true => (StatusCode::OK, "ready\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "draining\n"),
    }
}

async fn nothing(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    if let Err(error) = authorize(&app, &headers) {
        return failed(&error);
    }
    let error = ApiError::new(Kind::MethodNotFound, "there is nothing at that address");
    failed(&error.hint("`GET /v1/openapi.json` lists the methods"))
}

async fn wrong_verb(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let mut response = nothing(State(app), headers).await;
    if response.status() == StatusCode::NOT_FOUND {
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    }
    response
}
