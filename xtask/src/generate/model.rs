//! The table of methods as the generators read it: types with fields, methods grouped as an SDK
//! shows them.
//!
//! Everything comes from `codepod_api`: its schemas carry names, types and documentation. A schema
//! that is none of the few forms known here is a failure, so that nothing is left out in silence.

use codepod_api::{METHODS, MethodInfo, Scope, definitions};
use serde_json::Value;

use crate::failure::{Failure, Outcome};

/// Every type and every group of methods.
pub(super) struct Model {
    /// Types, sorted by name.
    pub(super) types: Vec<Type>,
    /// Groups of methods, in the order of the table.
    pub(super) groups: Vec<Group>,
}

/// A type by its name.
pub(super) struct Type {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) shape: Shape,
}

/// What a type is.
pub(super) enum Shape {
    /// An object with fields.
    Object(Vec<Field>),
    /// One of some words, each with its documentation.
    Words(Vec<(String, String)>),
}

/// A field of an object.
pub(super) struct Field {
    /// Its name as it travels.
    pub(super) wire: String,
    pub(super) doc: String,
    pub(super) ty: Ty,
    pub(super) required: bool,
    /// Whether it is 0 or empty where it is left out, and never null.
    pub(super) has_default: bool,
    /// Whether it is a secret, which no program prints by itself.
    pub(super) is_secret: bool,
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ty {
    Text,
    /// Text that is bytes in base64.
    Base64,
    Integer,
    Float,
    Bool,
    List(Box<Ty>),
    /// Values by name.
    Map(Box<Ty>),
    Named(String),
}

/// What a field carries, or two of which one travels.
pub(super) enum Carried<'a> {
    /// As it travels.
    Plain(&'a Field),
    /// Bytes that travel as text or as base64.
    Bytes { text: &'a Field, base64: &'a Field },
    /// Bytes that travel as base64.
    Base64(&'a Field),
}

impl<'a> Carried<'a> {
    /// What fields carry: two for text and for base64 are one.
    pub(super) fn of(fields: &'a [Field]) -> Vec<Carried<'a>> {
        let twin = |name: &str| match name {
            "text" => "base64".to_owned(),
            other => format!("{other}Base64"),
        };
        let pair = |text: &'a Field| {
            let name = twin(&text.wire);
            let is_twin = |other: &&Field| other.wire == name && !other.required;
            fields.iter().find(is_twin).filter(|_| !text.required)
        };
        let is_second = |field: &Field| {
            let is_first = |other: &Field| !other.required && twin(&other.wire) == field.wire;
            !field.required && fields.iter().any(is_first)
        };
        let firsts = fields.iter().filter(|field| !is_second(field));
        firsts
            .map(|field| match pair(field) {
                Some(base64) => Carried::Bytes {
                    text: field,
                    base64,
                },
                None if field.ty == Ty::Base64 && !field.wire.ends_with("Base64") => {
                    Carried::Base64(field)
                }
                None => Carried::Plain(field),
            })
            .collect()
    }

    /// The field that tells of it.
    pub(super) fn field(&self) -> &'a Field {
        match self {
            Carried::Plain(field) | Carried::Base64(field) => field,
            Carried::Bytes { text, .. } => text,
        }
    }

    /// The name by which callers give it, as the wire writes names.
    pub(super) fn name(&self) -> &'a str {
        match self.field().wire.as_str() {
            "text" | "base64" => "data",
            wire => wire,
        }
    }

    /// Whether it must be given among these parameters.
    pub(super) fn is_needed(&self, params: &str) -> bool {
        let field = self.field();
        field.required || NEEDED.contains(&(params, &field.wire))
    }

    /// Its documentation, for those who need not know how bytes travel.
    pub(super) fn doc(&self) -> String {
        let doc = self.field().doc.clone();
        match self {
            Carried::Plain(_) => doc,
            _ => doc
                .replace(", if they are UTF-8", "")
                .replace(", if it is UTF-8", "")
                .replace(", in base64", "")
                .replace(" in base64", ""),
        }
    }
}

/// Parameters that say whether output is streamed: an SDK has a caller for each answer.
pub(super) const STREAMING: &[&str] = &["stream", "interactive"];
/// Parameters that a run whose output is streamed does not have.
pub(super) const NOT_STREAMED: &[&str] = &["outputBudget", "idempotencyKey"];
/// Parameters that cannot be left out although the wire has two forms of them, each of which can.
const NEEDED: &[(&str, &str)] = &[("WriteParams", "text")];

/// Methods that belong together in an SDK: one class.
pub(super) struct Group {
    /// What they belong to: `files`, `shell.history`; empty for those of the sandbox itself.
    pub(super) namespace: &'static str,
    pub(super) scope: Scope,
    pub(super) methods: Vec<Entry>,
}

/// A method with the names of its types.
pub(super) struct Entry {
    pub(super) info: &'static MethodInfo,
    pub(super) params: String,
    pub(super) output: String,
}

impl Model {
    /// Reads the table.
    pub(super) fn read() -> Outcome<Model> {
        let mut types = Vec::new();
        for (name, schema) in definitions() {
            let shape = shape(&schema).ok_or_else(|| {
                Failure::new(format!("the schema of `{name}` has an unknown form"))
                    .hint("teach xtask/src/generate/model.rs")
            })?;
            types.push(Type {
                name,
                doc: doc(&schema),
                shape,
            });
        }
        let mut groups: Vec<Group> = Vec::new();
        for info in METHODS {
            let namespace = match info.namespace() {
                // What a sandbox itself does is one class, whether its name says so or not.
                Some("sandbox") if info.scope == Scope::Sandbox => "",
                Some(namespace) => namespace,
                None => "",
            };
            let entry = Entry {
                info,
                params: (info.params_name)(),
                output: (info.output_name)(),
            };
            let same =
                |group: &&mut Group| group.namespace == namespace && group.scope == info.scope;
            match groups.iter_mut().find(same) {
                Some(group) => group.methods.push(entry),
                None => groups.push(Group {
                    namespace,
                    scope: info.scope,
                    methods: vec![entry],
                }),
            }
        }
        Ok(Model { types, groups })
    }

    /// A type by its name.
    pub(super) fn get(&self, name: &str) -> Outcome<&Type> {
        let found = self.types.iter().find(|ty| ty.name == name);
        found.ok_or_else(|| Failure::new(format!("there is no type `{name}`")))
    }

    /// The fields of an object.
    pub(super) fn fields(&self, name: &str) -> Outcome<&[Field]> {
        match &self.get(name)?.shape {
            Shape::Object(fields) => Ok(fields),
            Shape::Words(_) => Err(Failure::new(format!("`{name}` is no object"))),
        }
    }
}

impl Group {
    /// Its class, without what an SDK puts before or after: `Files`, `ShellHistory`, `Sandbox`;
    /// those that make and list sandboxes are `Sandboxes`.
    pub(super) fn class(&self) -> String {
        match (self.namespace, self.scope) {
            ("", _) => "Sandbox".into(),
            ("sandbox", Scope::Server) => "Sandboxes".into(),
            (namespace, _) => namespace.split('.').map(capital).collect(),
        }
    }
}

/// The documentation of a method: paragraphs without the spaces and line ends of its source.
pub(super) fn method_doc(info: &MethodInfo) -> String {
    let lines: Vec<&str> = info.doc.lines().map(str::trim).collect();
    lines.join(" ").trim().to_owned()
}

/// A word with its first letter in upper case.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Text in lines of at most `width` characters, each after `prefix`.
pub(super) fn wrapped(text: &str, prefix: &str, width: usize) -> String {
    let mut lines = vec![prefix.to_owned()];
    for word in text.split_whitespace() {
        let line = lines
            .last_mut()
            .filter(|line| line.len() + 1 + word.len() <= width || line.len() == prefix.len());
        match line {
            Some(line) => {
                if line.len() > prefix.len() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            None => lines.push(format!("{prefix}{word}")),
        }
    }
    lines.join("\n")
}

fn doc(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str);
    let lines: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
    lines.join(" ")
}

/// The names of the fields that must be there.
pub(super) fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn shape(schema: &Value) -> Option<Shape> {
    if let Some(variants) = schema.get("oneOf").and_then(Value::as_array) {
        let word =
            |variant: &Value| Some((variant.get("const")?.as_str()?.to_owned(), doc(variant)));
        return variants
            .iter()
            .map(word)
            .collect::<Option<_>>()
            .map(Shape::Words);
    }
    if schema.get("type")?.as_str()? != "object" {
        return None;
    }
    let required = required(schema);
    let mut fields = Vec::new();
    for (name, field) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        fields.push(Field {
            wire: name.clone(),
            doc: doc(field),
            ty: ty(field)?,
            required: required.contains(&name.as_str()),
            is_secret: field.get("writeOnly").is_some(),
            has_default: !required.contains(&name.as_str()) && !is_nullable(field),
        });
    }
    Some(Shape::Object(fields))
}

/// Whether a field may be null.
fn is_nullable(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null" || kind["type"] == "null";
    let choices = schema.get("type").or_else(|| schema.get("anyOf"));
    let choices = choices.and_then(Value::as_array);
    choices.is_some_and(|choices| choices.iter().any(is_null))
}

fn ty(schema: &Value) -> Option<Ty> {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return Some(Ty::Named(target.rsplit('/').next()?.to_owned()));
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        return ty(choices
            .iter()
            .find(|choice| choice.get("type").is_none_or(|ty| ty != "null"))?);
    }
    let kind = match schema.get("type")? {
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null")?,
        kind => kind.as_str()?,
    };
    Some(match kind {
        "string" if schema.get("contentEncoding").is_some() => Ty::Base64,
        "string" => Ty::Text,
        "integer" => Ty::Integer,
        "number" => Ty::Float,
        "boolean" => Ty::Bool,
        "array" => Ty::List(Box::new(ty(schema.get("items")?)?)),
        "object" => Ty::Map(Box::new(ty(schema.get("additionalProperties")?)?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_in_one_group_and_its_types_are_known() {
        let model = Model::read().unwrap();
        let methods: Vec<&Entry> = model
            .groups
            .iter()
            .flat_map(|group| &group.methods)
            .collect();
        assert_eq!(methods.len(), METHODS.len());
        for method in methods {
            model.fields(&method.params).unwrap();
            model.fields(&method.output).unwrap();
        }
        let mut classes: Vec<String> = model.groups.iter().map(Group::class).collect();
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes.len(), model.groups.len());
    }

    #[test]
    fn text_is_wrapped_at_spaces() {
        assert_eq!(wrapped("one two three", "# ", 9), "# one two\n# three");
        assert_eq!(wrapped("longerthanthat", "# ", 9), "# longerthanthat");
    }
}
