//! OpenAPI 3.1: the methods as `codepod serve` has them.

use std::collections::BTreeSet;

use codepod_api::{Kind, METHODS, MethodInfo, Scope, Surface, Work, definitions};
use serde_json::{Map, Value, json};

use super::model::{method_doc, required};
use super::schemas::pretty;
use crate::failure::Outcome;

/// `docs/reference/api/openapi.json`.
pub(super) fn document() -> Outcome<String> {
    let definitions = definitions();
    let mut paths: Map<String, Value> = Map::new();
    for method in METHODS {
        if method.reason_not_on(Surface::Http).is_some() {
            continue;
        }
        let path = paths.entry(method.route.path).or_insert_with(|| json!({}));
        path[method.route.verb.name().to_lowercase()] = operation(method, &definitions);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "codepod",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Sandboxes over HTTP, as `codepod serve` has them. Made by `cargo xtask generate`.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": { "type": "http", "scheme": "bearer", "description": "A key of this server." },
            },
            "responses": {
                "Error": {
                    "description": "What went wrong, of which kind, and what to do about it.",
                    "content": { "application/json": { "schema": reference("ApiError") } },
                },
            },
            "schemas": definitions,
        },
    });
    move_references(&mut document);
    pretty(&document)
}

fn operation(method: &MethodInfo, definitions: &Map<String, Value>) -> Value {
    let params_name = (method.params_name)();
    let params = definitions.get(&params_name).cloned().unwrap_or_default();
    let required = required(&params);
    let mut parameters = Vec::new();
    if method.scope == Scope::Sandbox {
        parameters.push(json!({
            "name": "sandbox",
            "in": "path",
            "required": true,
            "description": "The sandbox's id.",
            "schema": { "type": "string" },
        }));
    }
    let fields = params.get("properties").and_then(Value::as_object);
    if method.route.verb.takes_query() {
        for (name, field) in fields.into_iter().flatten() {
            parameters.push(json!({
                "name": name,
                "in": "query",
                "required": required.contains(&name.as_str()),
                "description": field.get("description"),
                "schema": in_a_query(field),
            }));
        }
    }
    let mut content = Map::new();
    content.insert(
        "application/json".into(),
        json!({ "schema": reference(&(method.output_name)()) }),
    );
    if method.work == Work::Streams {
        content.insert(
            "text/event-stream".into(),
            json!({
                "schema": {
                    "type": "string",
                    "description": "Events `output` (an OutputEvent each) while it runs, then `result` (a RunOutput) or `error` (an ApiError).",
                },
            }),
        );
    }
    if method.work == Work::ReadsBytes {
        let bytes = json!({ "schema": { "description": "The bytes of the file." } });
        content.insert("application/octet-stream".into(), bytes);
    }
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({ "description": "What it gives back.", "content": content }),
    );
    let statuses: BTreeSet<u16> = Kind::ALL.iter().map(|kind| kind.status()).collect();
    for status in statuses {
        responses.insert(
            status.to_string(),
            json!({ "$ref": "#/components/responses/Error" }),
        );
    }
    let mut operation = json!({
        "operationId": method.name,
        "summary": method_doc(method),
        "tags": [method.name.split('.').next()],
        "parameters": parameters,
        "responses": responses,
    });
    if !method.route.verb.takes_query() {
        operation["requestBody"] = json!({
            "required": !required.is_empty(),
            "content": { "application/json": { "schema": reference(&params_name) } },
        });
    }
    if method.work == Work::WritesBytes {
        let bytes = "The bytes of the file; the other parameters are in the query.";
        operation["requestBody"]["content"]["application/octet-stream"] =
            json!({ "schema": { "description": bytes } });
    }
    operation
}

/// A field's schema without `null`: what is not given is left out of a query.
fn in_a_query(field: &Value) -> Value {
    let mut schema = field.clone();
    if let Some(object) = schema.as_object_mut() {
        object.remove("description");
        let kinds = object.get("type").and_then(Value::as_array);
        let kind = kinds.and_then(|kinds| kinds.iter().find(|kind| *kind != "null").cloned());
        if let Some(kind) = kind {
            object.insert("type".into(), kind);
        }
    }
    schema
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Types are in `components` here.
fn move_references(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get_mut("$ref") {
                *target = target.replace("#/$defs/", "#/components/schemas/");
            }
            object.values_mut().for_each(move_references);
        }
        Value::Array(values) => values.iter_mut().for_each(move_references),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let text = document().unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut found = 0;
        for part in text.split("\"$ref\": \"#").skip(1) {
            let pointer = part.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
            found += 1;
        }
        assert!(found > METHODS.len());
    }
}
