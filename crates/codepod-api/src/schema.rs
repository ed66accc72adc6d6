//! The schemas of all methods, for whatever is generated from them.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::method::MethodInfo;
use crate::notifications;
use crate::table::METHODS;

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().into_generator()
}

/// The schemas of a method's parameters and result, each whole in itself.
pub fn method_schemas(method: &MethodInfo) -> (Value, Value) {
    let whole = |make: fn(&mut SchemaGenerator) -> schemars::Schema| {
        let mut generator = generator();
        let root = make(&mut generator);
        let mut value = root.to_value();
        let definitions = generator.take_definitions(true);
        if let (Some(object), false) = (value.as_object_mut(), definitions.is_empty()) {
            object.insert("$defs".into(), Value::Object(definitions));
        }
        join_lines(&mut value);
        value
    };
    (whole(method.params), whole(method.output))
}

/// Every type by its name.
pub fn definitions() -> Map<String, Value> {
    let mut generator = generator();
    for method in METHODS {
        (method.params)(&mut generator);
        (method.output)(&mut generator);
    }
    generator.subschema_for::<notifications::Output>();
    generator.subschema_for::<notifications::CommandCall>();
    generator.subschema_for::<notifications::CommandReply>();
    generator.subschema_for::<notifications::NetworkRequest>();
    generator.subschema_for::<notifications::NetworkReply>();
    generator.subschema_for::<crate::ApiError>();
    let mut definitions = generator.take_definitions(true);
    definitions.values_mut().for_each(join_lines);
    definitions
}

/// Makes one line of each paragraph in a description: where a doc comment was wrapped is nobody's
/// business who reads a schema.
fn join_lines(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if key == "description" => {
                        let paragraphs = text.split("\n\n").map(|lines| lines.replace('\n', " "));
                        *text = paragraphs.collect::<Vec<_>>().join("\n\n");
                    }
                    value => join_lines(value),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(join_lines),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_no_newline_within_a_paragraph() {
        let mut schema = serde_json::json!({
            "description": "One\nparagraph.\n\nAnother.",
            "properties": {"description": {"description": "a\nb", "default": "a\nb"}},
        });
        join_lines(&mut schema);
        let right = serde_json::json!({
            "description": "One paragraph.\n\nAnother.",
            "properties": {"description": {"description": "a b", "default": "a\nb"}},
        });
        assert_eq!(schema, right);
    }
}
