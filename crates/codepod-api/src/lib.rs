//! Every method of codepod, once: its name, route, parameters, result, errors and documentation.
//!
//! Nothing here does anything: `codepod-server` has a handler for each line of the table, and
//! `cargo xtask generate` makes the JSON Schema, OpenAPI, MCP tools, the types of both SDKs and the
//! reference pages from it.
//!
//! What travels is JSON with names in camelCase. A method of a sandbox names it by `sandboxId`
//! beside its parameters (JSON-RPC) or in its path (HTTP).

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![forbid(unsafe_code)]

mod bytes;
mod error;
mod method;
pub mod methods;
pub mod notifications;
mod schema;
mod table;
mod tools;

pub use bytes::{BadBase64, Bytes};
pub use error::{ApiError, ErrorData, Kind};
pub use method::{
    Bounds, Effect, Method, MethodInfo, Route, Scope, Shows, Surface, Tool, Verb, Work,
};
pub use schema::{definitions, method_schemas};
pub use table::{METHODS, find};
pub use tools::{
    TOOL_SANDBOX, camel_case, params_of_tool, result_of_tool, snake_case, tool_result_schema,
    tool_schema,
};
