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
    generator.subschema_for::<crate::ApiError>();
    generator.take_definitions(true)
}
