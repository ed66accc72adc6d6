//! JSON Schema: all methods in one document, and the tools of models.

use codepod_api::{METHODS, Scope, definitions, tool_result_schema, tool_schema};
use serde_json::{Map, Value, json};

use crate::failure::{Failure, Outcome};

/// `docs/reference/api/methods.schema.json`: the parameters and the result of each method as
/// JSON-RPC carries them.
pub(super) fn methods() -> Outcome<String> {
    let definitions = definitions();
    let mut methods = Map::new();
    for method in METHODS {
        let name = (method.params_name)();
        let mut params = definitions.get(&name).cloned().unwrap_or_default();
        if method.scope == Scope::Sandbox {
            add_sandbox(&mut params);
        }
        let entry = json!({
            "description": super::model::method_doc(method),
            "params": params,
            "result": { "$ref": format!("#/$defs/{}", (method.output_name)()) },
        });
        methods.insert(method.name.into(), entry);
    }
    pretty(&json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Methods of codepod",
        "description": "For each method the schemas of `params` and `result` in JSON-RPC 2.0. Made by `cargo xtask generate`.",
        "methods": methods,
        "$defs": definitions,
    }))
}

/// `docs/reference/api/mcp-tools.json`: the tools as MCP lists them.
pub(super) fn tools() -> Outcome<String> {
    let mut tools = Vec::new();
    for method in METHODS {
        if let Some(tool) = method.tool {
            tools.push(json!({
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool_schema(method),
                "outputSchema": tool_result_schema(method),
            }));
        }
    }
    pretty(&json!({ "tools": tools }))
}

/// A document as it is committed.
pub(super) fn pretty(document: &Value) -> Outcome<String> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::new(format!("a schema cannot be written: {error}")))?;
    Ok(text + "\n")
}

fn add_sandbox(params: &mut Value) {
    params["properties"]["sandboxId"] = json!({ "type": "string", "description": "The sandbox." });
    match params.get_mut("required").and_then(Value::as_array_mut) {
        Some(required) => required.push("sandboxId".into()),
        None => params["required"] = json!(["sandboxId"]),
    }
}
