//! Methods as tools for models: names in snake_case, and only what a model can decide.

use serde_json::{Map, Value, json};

use crate::method::MethodInfo;
use crate::schema::method_schemas;

/// Parameters that are for programs where they are not needed: they need a second call while the
/// first one runs, or are another form of one that is there.
const NOT_FOR_MODELS: &[&str] = &[
    "runId",
    "stream",
    "interactive",
    "idempotencyKey",
    "stdinBase64",
];

/// Parts of a result that are for programs: how a run went in numbers, and its processes one by
/// one.
const RESULT_NOT_FOR_MODELS: &[&str] = &["usage", "processes"];

/// The parameter that names a sandbox other than the session's own.
pub const TOOL_SANDBOX: &str = "sandbox_id";

/// The schema of a tool's input.
///
/// Every tool takes `sandbox_id` beside its own parameters; the sandbox of the session is meant
/// where it is missing.
pub fn tool_schema(method: &MethodInfo) -> Value {
    let (mut schema, _) = method_schemas(method);
    let root = definition_of_root(&mut schema);
    let mut properties = Map::new();
    let fields = root.get("properties").and_then(Value::as_object);
    let required = root.get("required").and_then(Value::as_array);
    let is_needed = |name: &String| required.is_some_and(|list| list.contains(&json!(name)));
    for (name, field) in fields.into_iter().flatten() {
        if is_needed(name) || !NOT_FOR_MODELS.contains(&name.as_str()) {
            let field = inlined(without_null(field), &schema["$defs"]);
            properties.insert(snake_case(name), field);
        }
    }
    properties.insert(
        TOOL_SANDBOX.into(),
        json!({
            "type": "string",
            "description": "From `fork`; your own if not given.",
        }),
    );
    let required: Vec<String> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(snake_case)
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of a tool's result, whole in itself.
pub fn tool_result_schema(method: &MethodInfo) -> Value {
    let (_, mut schema) = method_schemas(method);
    let mut root = definition_of_root(&mut schema);
    if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !RESULT_NOT_FOR_MODELS.contains(&name.as_str()));
    }
    if let Some(required) = root.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| {
            !RESULT_NOT_FOR_MODELS
                .iter()
                .any(|left_out| name == left_out)
        });
    }
    let mut definitions = match schema.get_mut("$defs").map(Value::take) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    // Only what is referred to, directly or by another one.
    let mut wanted = references(&root);
    let mut kept = Map::new();
    while let Some(name) = wanted.pop() {
        if let Some(definition) = definitions.remove(&name) {
            wanted.extend(references(&definition));
            kept.insert(name, snake_case_fields(definition));
        }
    }
    let mut root = snake_case_fields(root);
    if !kept.is_empty() {
        root["$defs"] = Value::Object(kept);
    }
    root
}

/// A method's result as a tool gives it.
pub fn result_of_tool(output: Value) -> Value {
    let Value::Object(mut output) = output else {
        return output;
    };
    output.retain(|name, _| !RESULT_NOT_FOR_MODELS.contains(&name.as_str()));
    snake_case_names(Value::Object(output))
}

/// The method's parameters that a tool's input stands for, without [`TOOL_SANDBOX`].
pub fn params_of_tool(input: Map<String, Value>) -> Map<String, Value> {
    let own = input.into_iter().filter(|(name, _)| name != TOOL_SANDBOX);
    own.map(|(name, value)| (camel_case(&name), value))
        .collect()
}

/// `timeoutMs` as `timeout_ms`.
pub fn snake_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// `timeout_ms` as `timeoutMs`.
pub fn camel_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut upper = false;
    for letter in name.chars() {
        if letter == '_' {
            upper = true;
        } else {
            text.push(if upper {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
            upper = false;
        }
    }
    text
}

/// A field's schema without `null`: what a model does not want to say it leaves out.
fn without_null(field: &Value) -> Value {
    let mut schema = field.clone();
    if let Some(Value::Array(kinds)) = schema.get("type")
        && let Some(kind) = kinds.iter().find(|kind| *kind != "null")
    {
        schema["type"] = kind.clone();
    }
    schema
}

/// A field's schema with the definitions that its entries refer to in their places.
fn inlined(mut field: Value, definitions: &Value) -> Value {
    let name = field["items"].get("$ref").and_then(Value::as_str);
    let name = name.and_then(|name| name.strip_prefix("#/$defs/"));
    if let Some(name) = name.map(str::to_owned) {
        let mut entry = definitions[&name].clone();
        if let Some(fields) = entry.get_mut("properties").and_then(Value::as_object_mut) {
            fields
                .values_mut()
                .for_each(|field| *field = without_null(field));
        }
        field["items"] = entry;
    }
    field
}

/// Names of the definitions that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(object) => {
            let name = object.get("$ref").and_then(Value::as_str);
            let name = name.and_then(|name| name.strip_prefix("#/$defs/"));
            let mut names: Vec<String> = name.map(str::to_owned).into_iter().collect();
            names.extend(object.values().flat_map(references));
            names
        }
        Value::Array(list) => list.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// An object's schema with its fields in snake_case.
fn snake_case_fields(mut schema: Value) -> Value {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let fields = std::mem::take(properties).into_iter();
        properties.extend(fields.map(|(name, field)| (snake_case(&name), without_null(&field))));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        for name in required {
            *name = name.as_str().map(snake_case).into();
        }
    }
    schema
}

/// A result with its fields in snake_case. No tool's result holds names that are not ours: a test
/// looks.
fn snake_case_names(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields = object.into_iter();
            Value::Object(
                fields
                    .map(|(name, value)| (snake_case(&name), snake_case_names(value)))
                    .collect(),
            )
        }
        Value::Array(list) => Value::Array(list.into_iter().map(snake_case_names).collect()),
        value => value,
    }
}

/// The object that a schema's root refers to.
fn definition_of_root(schema: &mut Value) -> Value {
    let name = schema.get("$ref").and_then(Value::as_str);
    let name = name.and_then(|name| name.rsplit('/').next().map(str::to_owned));
    match name {
        Some(name) => schema["$defs"][&name].take(),
        None => schema.take(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::METHODS;

    #[test]
    fn a_tools_input_becomes_the_methods_parameters() {
        for method in METHODS.iter().filter(|method| method.tool.is_some()) {
            let schema = tool_schema(method);
            let properties = schema["properties"].as_object().unwrap();
            assert!(properties.contains_key(TOOL_SANDBOX), "{}", method.name);
            let (mut whole, _) = method_schemas(method);
            let root = definition_of_root(&mut whole);
            for name in params_of_tool(properties.clone()).keys() {
                assert!(
                    root["properties"].get(name).is_some(),
                    "{}.{name}",
                    method.name
                );
            }
            let text = schema.to_string();
            assert!(!text.contains("$ref"), "{}: {text}", method.name);
        }
    }

    #[test]
    fn results_hold_only_names_of_ours_in_snake_case() {
        for method in METHODS.iter().filter(|method| method.tool.is_some()) {
            let schema = tool_result_schema(method);
            assert_eq!(schema["type"], "object", "{}", method.name);
            let text = schema.to_string();
            assert!(!text.contains("additionalProperties"), "{}", method.name);
            assert!(
                !text.contains("Ms\"") && !text.contains("Base64\""),
                "{text}"
            );
            for name in references(&schema) {
                assert!(schema["$defs"].get(&name).is_some(), "{name}");
            }
        }
        let run = crate::find("run").unwrap();
        let schema = tool_result_schema(run);
        for name in ["exit_code", "stdout", "stderr", "execution_time_ms"] {
            assert!(schema["properties"].get(name).is_some(), "{name}");
        }
        assert!(schema["properties"].get("processes").is_none());
        let result = json!({"exitCode": 0, "processes": [], "stdoutCut": {"omitted": 1}});
        let shown = json!({"exit_code": 0, "stdout_cut": {"omitted": 1}});
        assert_eq!(result_of_tool(result), shown);
    }

    #[test]
    fn names_change_their_case_and_come_back() {
        for name in ["timeoutMs", "command", "outputBudget", "sandboxId"] {
            assert_eq!(camel_case(&snake_case(name)), name);
        }
        assert_eq!(snake_case("timeoutMs"), "timeout_ms");
    }
}
