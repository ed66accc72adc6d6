//! From a method's name to its handler. A line of the table without a handler does not compile.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use codepod_api::{ApiError, Kind, Method, Scope, for_each_method, methods};
use serde_json::{Map, Value};

use crate::call::Call;

/// What a method does.
pub(crate) trait Handle: Method {
    /// Answers a call.
    fn handle(call: &Call<'_>, params: Self::Params) -> Result<Self::Output, ApiError>;
}

/// Answers a call of a method by its name, in JSON. `sandbox` is the sandbox's id, for methods that
/// act on one.
pub fn dispatch(
    call: Call<'_>,
    name: &str,
    sandbox: Option<&str>,
    params: Map<String, Value>,
) -> Result<String, ApiError> {
    let mut text = Vec::new();
    dispatch_into(call, name, sandbox, params, &mut text)?;
    String::from_utf8(text).map_err(|_| not_json())
}

/// Answers a call as [`dispatch`] does, with the answer written to `out` while it is made. What is
/// written before a failure is no answer.
pub(crate) fn dispatch_into(
    call: Call<'_>,
    name: &str,
    sandbox: Option<&str>,
    params: Map<String, Value>,
    out: &mut dyn io::Write,
) -> Result<(), ApiError> {
    guarded(|| find(call, name, sandbox, params, out))
}

fn not_json() -> ApiError {
    ApiError::new(Kind::Internal, "the answer cannot be written as JSON")
}

/// Does something for a client. A fault of ours is an error of this call, and takes no other along.
pub(crate) fn guarded<R>(work: impl FnOnce() -> Result<R, ApiError>) -> Result<R, ApiError> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(ApiError::internal()))
}

fn find(
    call: Call<'_>,
    name: &str,
    sandbox: Option<&str>,
    params: Map<String, Value>,
    out: &mut dyn io::Write,
) -> Result<(), ApiError> {
    macro_rules! find {
        ($($group:ident::$type:ident,)+) => {$(
            if name == methods::$group::$type::NAME {
                return answer::<methods::$group::$type>(call, sandbox, params, out);
            }
        )+};
    }
    for_each_method!(find);
    Err(ApiError::new(
        Kind::MethodNotFound,
        format!("there is no method `{}`", shortened(name)),
    ))
}

fn answer<M: Handle>(
    mut call: Call<'_>,
    sandbox: Option<&str>,
    params: Map<String, Value>,
    out: &mut dyn io::Write,
) -> Result<(), ApiError> {
    if let Some(why) = codepod_api::MethodInfo::of::<M>().reason_not_on(call.surface) {
        return Err(ApiError::new(
            Kind::Unsupported,
            format!("`{}` is not here: {why}", M::NAME),
        ));
    }
    let bad = |message: String| ApiError::new(Kind::InvalidParams, message);
    match (M::SCOPE, sandbox) {
        (Scope::Sandbox, Some(id)) => call.live = Some(call.server.find(call.tenant, id)?),
        (Scope::Sandbox, None) => return Err(bad("`sandboxId` is missing".into())),
        (Scope::Server, None) => {}
        (Scope::Server, Some(_)) => return Err(bad(format!("`{}` takes no `sandboxId`", M::NAME))),
    }
    let params: M::Params =
        serde_path_to_error::deserialize(Value::Object(params)).map_err(|error| wrong(&error))?;
    let output = M::handle(&call, params)?;
    serde_json::to_writer(out, &output).map_err(|_| not_json())
}

/// What is wrong with parameters, and where.
fn wrong(error: &serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    let (path, why) = (error.path().to_string(), error.inner().to_string());
    // What is missing or unknown is named in the message itself.
    let named = why.starts_with("missing field") || why.starts_with("unknown field");
    if named && error.path().iter().count() < 2 {
        return ApiError::new(Kind::InvalidParams, why);
    }
    let wrong = ApiError::new(
        Kind::InvalidParams,
        format!("`{}`: {why}", shortened(&path)),
    );
    match path == "command" && why.contains("sequence") {
        true => wrong.hint("a script is one string: \"ls -l\" for [\"ls\", \"-l\"]"),
        false => wrong,
    }
}

/// As much of a client's word as belongs into a message.
fn shortened(name: &str) -> String {
    name.chars().take(64).flat_map(char::escape_debug).collect()
}
