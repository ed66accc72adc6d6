//! Python: the types as dataclasses, errors as classes, routes, tools, and a class of callers for
//! each group of methods.
//!
//! The callers are written once, asynchronous; [`super::unasync`] makes the blocking ones. What
//! differs from the wire, by rule: names are in snake_case; two fields for text and for base64 are
//! one of bytes; parameters in milliseconds are in seconds; a result with one field is that field,
//! and `Done` is nothing.

use std::fmt::Write;

use codepod_api::{Kind, METHODS, Scope, Shows, Surface, Work, snake_case, tool_schema};
use serde_json::Value;

use super::model::{
    Carried, Entry, Field, Group, Model, NOT_STREAMED, STREAMING, Shape, Ty, Type, method_doc,
    wrapped,
};
use crate::failure::Outcome;

const HEAD: &str =
    "# Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.\n";
/// Longest line.
const WIDTH: usize = 120;
/// Methods that the package wraps by hand: their callers are for it alone.
const WRAPPED: &[&str] = &["run", "sandbox.fork", "sandbox.adopt", "sandbox.merge"];
/// Results of which callers want one field only.
const ONE_FIELD: &[(&str, &str)] = &[("ReadOutput", "data")];
/// Types that have another name here, and what they inherit.
const RENAMED: &[(&str, &str, &str)] = &[("RunOutput", "RunResult", "ResultMethods")];
/// Words that Python keeps for itself.
const KEYWORDS: &[&str] = &[
    "from", "import", "in", "is", "class", "global", "async", "await",
];

/// The table, with Python's names of types.
fn read_model() -> Outcome<Model> {
    let mut model = Model::read()?;
    for ty in &mut model.types {
        rename(&mut ty.name);
        if let Shape::Object(fields) = &mut ty.shape {
            fields.iter_mut().for_each(|field| rename_in(&mut field.ty));
        }
    }
    for method in model.groups.iter_mut().flat_map(|group| &mut group.methods) {
        rename(&mut method.output);
    }
    Ok(model)
}

fn rename(name: &mut String) {
    if let Some((_, new, _)) = RENAMED.iter().find(|(old, _, _)| old == name) {
        *name = (*new).to_owned();
    }
}

fn rename_in(ty: &mut Ty) {
    match ty {
        Ty::Named(name) => rename(name),
        Ty::List(of) | Ty::Map(of) => rename_in(of),
        _ => {}
    }
}

/// How a field of the wire looks in Python.
struct Shown<'a> {
    name: String,
    doc: String,
    kind: Carried<'a>,
    required: bool,
}

/// `sdk/python/src/codepod/_generated/types.py`.
pub(super) fn types() -> Outcome<String> {
    let model = read_model()?;
    let mut text = format!(
        "{HEAD}\"\"\"What methods take and give back.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from dataclasses import dataclass, field\n\
         from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, TypedDict\n\n\
         from .._result import ResultMethods\n\
         from .._wire import from_base64, get_bytes, put_bytes, to_base64\n\n\
         if TYPE_CHECKING:\n    from typing_extensions import Self\n"
    );
    for ty in &model.types {
        if let Shape::Words(words) = &ty.shape {
            let _ = write!(text, "\n{}\n", wrapped(&ty.doc, "# ", WIDTH));
            let _ = writeln!(text, "{} = Literal[", ty.name);
            for (word, doc) in words {
                let _ = writeln!(text, "    \"{word}\",  # {doc}");
            }
            text += "]\n";
        }
    }
    for ty in &model.types {
        if let Shape::Object(fields) = &ty.shape
            && !is_unpacked(ty)
        {
            text += &dataclass(ty, fields);
        }
    }
    text += &options(model.fields("CreateParams")?);
    Ok(text)
}

/// Parameters of methods are the callers' own, and some results are unpacked.
fn is_unpacked(ty: &Type) -> bool {
    let is_params = METHODS
        .iter()
        .any(|method| (method.params_name)() == ty.name);
    is_params || ty.name == "Done"
}

fn dataclass(ty: &Type, fields: &[Field]) -> String {
    let mut shown = shown(&ty.name, fields);
    shown.sort_by_key(|field| !field.required);
    let base = RENAMED.iter().find(|(_, name, _)| *name == ty.name);
    let base = base.map_or(String::new(), |(_, _, base)| format!("({base})"));
    let mut text = format!("\n\n@dataclass(frozen=True)\nclass {}{base}:\n", ty.name);
    text += &docstring(&ty.doc, &[], "    ");
    for field in &shown {
        let _ = write!(text, "\n    {}: {}", field.name, annotation(field));
        if !field.required {
            text += default(field);
        } else if is_secret(field) {
            text += " = field(repr=False)";
        }
        let _ = write!(text, "\n{}", docstring(&field.doc, &[], "    "));
    }
    text += "\n    @classmethod\n    def from_wire(cls, wire: Mapping[str, Any]) -> Self:\n";
    text += "        \"\"\"Reads it as it travels.\"\"\"\n        return cls(\n";
    for field in &shown {
        let _ = writeln!(text, "            {}={},", field.name, read(field));
    }
    text += "        )\n\n    def to_wire(self) -> Dict[str, Any]:\n        \"\"\"Writes it as it travels.\"\"\"\n        wire: Dict[str, Any] = {}\n";
    for field in &shown {
        text += &write_field(
            field,
            &format!("self.{}", field.name),
            "wire",
            "        ",
            !field.required,
        );
    }
    text + "        return wire\n"
}

/// The options of a sandbox, for constructors.
fn options(fields: &[Field]) -> String {
    let mut text = String::from(
        "\n\nclass CreateOptions(TypedDict, total=False):\n    \"\"\"How a sandbox is made.\"\"\"\n",
    );
    for field in shown_params("CreateParams", fields) {
        let _ = write!(text, "\n    {}: {}\n", field.name, annotation(&field));
        text += &docstring(&field.doc, &[], "    ");
    }
    text
}

/// `sdk/python/src/codepod/_generated/errors.py`.
pub(super) fn errors() -> Outcome<String> {
    let mut text = format!(
        "{HEAD}\"\"\"A class for each kind of error.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from typing import Dict, Type\n\n\
         from .._errors import CodepodError\n"
    );
    for kind in Kind::ALL {
        let _ = write!(
            text,
            "\n\nclass {}(CodepodError):\n    \"\"\"{}\"\"\"\n\n    kind = \"{}\"\n",
            class_of(*kind),
            kind.doc().trim(),
            name_of(*kind)
        );
    }
    text += "\n\n#: Classes by kind.\nBY_KIND: Dict[str, Type[CodepodError]] = {\n";
    for kind in Kind::ALL {
        let _ = writeln!(text, "    \"{}\": {},", name_of(*kind), class_of(*kind));
    }
    text += "}\n\n__all__ = [\n";
    let mut names: Vec<String> = Kind::ALL.iter().map(|kind| class_of(*kind)).collect();
    names.sort();
    for name in names {
        let _ = writeln!(text, "    \"{name}\",");
    }
    Ok(text + "]\n")
}

fn name_of(kind: Kind) -> String {
    let name = serde_json::json!(kind);
    name.as_str().unwrap_or_default().to_owned()
}

fn class_of(kind: Kind) -> String {
    let name = format!("{kind:?}");
    match name.ends_with("Error") {
        true => name,
        false => name + "Error",
    }
}

/// `sdk/python/src/codepod/_generated/routes.py`.
pub(super) fn routes() -> Outcome<String> {
    let mut text = format!(
        "{HEAD}\"\"\"Where methods are in HTTP.\"\"\"\n\n\
         from typing import Dict, FrozenSet, Tuple\n\n\
         #: Verb and path of each method; `{{sandbox}}` stands for the sandbox.\n\
         ROUTES: Dict[str, Tuple[str, str]] = {{\n"
    );
    for method in METHODS {
        let _ = writeln!(
            text,
            "    \"{}\": (\"{}\", \"{}\"),",
            method.name,
            method.route.verb.name(),
            method.route.path
        );
    }
    text += "}\n\n#: Methods that a server refuses over HTTP.\nNOT_OVER_HTTP: FrozenSet[str] = frozenset(";
    let refused = METHODS
        .iter()
        .filter(|method| method.reason_not_on(Surface::Http).is_some());
    let names: Vec<_> = refused.map(|method| method.name.into()).collect();
    Ok(text + &literal(&Value::Array(names), "") + ")\n")
}

/// `sdk/python/src/codepod/_generated/version.py`.
pub(super) fn version() -> Outcome<String> {
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!(
        "{HEAD}\"\"\"The package's version.\"\"\"\n\nVERSION = \"{version}\"\n"
    ))
}

/// `sdk/python/src/codepod/_generated/tools.py`.
pub(super) fn tools() -> Outcome<String> {
    let mut text = format!(
        "{HEAD}\"\"\"Methods as tools for models.\"\"\"\n\n\
         from typing import Any, Dict, List, NamedTuple, Optional, Tuple\n\n\n\
         class ToolInfo(NamedTuple):\n    \"\"\"A method as models see it.\"\"\"\n\n    \
         name: str\n    method: str\n    description: str\n    schema: Dict[str, Any]\n    \
         #: The fields of the result that a model is told, always and where they say something; all if missing.\n    \
         fields: Optional[Tuple[List[str], List[str]]] = None\n    \
         #: The parameter that says how much comes back: what it is if a model does not say, and at most.\n    \
         bounds: Optional[Tuple[str, int, int]] = None\n\n\n\
         #: Bytes of a list or a difference that a model is told.\n\
         LIST_BYTES = {}\n\n\
         #: Every method that models have as a tool.\n\
         TOOLS: List[ToolInfo] = [\n",
        Shows::LIST
    );
    for method in METHODS {
        if let Some(tool) = method.tool {
            let _ = writeln!(
                text,
                "    ToolInfo(\n        {},\n        {},\n        {},\n        {},{}\n    ),",
                literal(&tool.name.into(), ""),
                literal(&method.name.into(), ""),
                literal(&tool.description.into(), ""),
                literal(&tool_schema(method), "        "),
                told(tool.shows),
            );
        }
    }
    Ok(text + "]\n")
}

/// Which fields of a result a model is told, and how much of it.
fn told(shows: Shows) -> String {
    let mut text = String::new();
    if let Some([always, notes]) = shows.fields() {
        let list = |names: &[&str]| literal(&names.into(), "");
        let _ = write!(
            text,
            "\n        fields=({}, {}),",
            list(always),
            list(notes)
        );
    }
    if let Some(bounds) = shows.bounds() {
        let (name, usual, most) = (bounds.name, bounds.usual, bounds.most);
        let _ = write!(text, "\n        bounds=(\"{name}\", {usual}, {most}),");
    }
    text
}

/// A JSON value as Python writes it.
fn literal(value: &Value, indent: &str) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(|value| literal(value, indent)).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(object) => {
            let mut text = String::from("{\n");
            for (name, value) in object {
                let deeper = format!("{indent}    ");
                let _ = writeln!(text, "{deeper}{name:?}: {},", literal(value, &deeper));
            }
            text + indent + "}"
        }
        // Strings and numbers are written alike.
        other => other.to_string(),
    }
}

/// `sdk/python/src/codepod/_generated/async_methods.py`; the blocking form is made from it.
pub(super) fn methods() -> Outcome<String> {
    let model = read_model()?;
    let mut text = format!(
        "{HEAD}\"\"\"A caller for each method.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Union\n\n\
         from .._transport._async import AsyncMethods\n\
         from .._wire import from_base64, milliseconds, put_bytes, to_base64\n\
         from . import types\n\n\
         if TYPE_CHECKING:\n    from .._async.stream import AsyncRunStream\n"
    );
    for group in &model.groups {
        text += &class(group, &model)?;
    }
    Ok(text)
}

fn class(group: &Group, model: &Model) -> Outcome<String> {
    let about = match (group.namespace, group.scope) {
        ("", _) => "Methods of a sandbox itself.".to_owned(),
        (namespace, Scope::Server) => format!("Methods `{namespace}.*` of a server."),
        (namespace, Scope::Sandbox) => format!("Methods `{namespace}.*` of a sandbox."),
    };
    let mut text = format!(
        "\n\nclass Async{}Methods(AsyncMethods):\n    \"\"\"{about}\"\"\"\n",
        group.class()
    );
    for method in &group.methods {
        text += &caller(method, model)?;
        if method.info.work == Work::Streams {
            text += &streaming_caller(method, model)?;
        }
    }
    Ok(text)
}

/// The parameters of a caller, those that must be given first.
fn caller_params<'a>(
    method: &Entry,
    model: &'a Model,
    without: &[&str],
) -> Outcome<Vec<Shown<'a>>> {
    let mut params = shown_params(&method.params, model.fields(&method.params)?);
    params.retain(|field| !without.contains(&field.kind.field().wire.as_str()));
    params.sort_by_key(|field| !field.required);
    Ok(params)
}

/// The name of a caller; those that the package wraps are its own.
fn caller_name(method: &Entry, name: &str) -> String {
    match WRAPPED.contains(&method.info.name) {
        true => format!("_{name}"),
        false => name_in_python(name),
    }
}

/// The first lines of a caller.
fn head(
    is_async: bool,
    name: &str,
    params: &[Shown<'_>],
    annotate: impl Fn(&Shown<'_>) -> String,
    result: &str,
) -> String {
    let mut signature = vec!["self".to_owned()];
    for field in params.iter().filter(|field| field.required) {
        signature.push(format!("{}: {}", field.name, annotate(field)));
    }
    // What is not needed is named, unless there is nothing that it could be taken for.
    if params.len() > 1 && params.iter().any(|field| !field.required) {
        signature.push("*".into());
    }
    for field in params.iter().filter(|field| !field.required) {
        signature.push(format!("{}: {} = None", field.name, annotate(field)));
    }
    let def = match is_async {
        true => "async def",
        false => "def",
    };
    let head = format!(
        "\n    {def} {name}({}) -> {result}:\n",
        signature.join(", ")
    );
    if head.len() <= WIDTH + 1 {
        return head;
    }
    let mut text = format!("\n    {def} {name}(\n");
    for part in &signature {
        let _ = writeln!(text, "        {part},");
    }
    let _ = writeln!(text, "    ) -> {result}:");
    text
}

/// The caller of a method whose output comes while it runs.
fn streaming_caller(method: &Entry, model: &Model) -> Outcome<String> {
    let params = caller_params(method, model, &[STREAMING, NOT_STREAMED].concat())?;
    let verb = method.info.verb();
    let name = match verb {
        "run" => "stream".to_owned(),
        verb => format!("stream_{verb}"),
    };
    let annotate = |field: &Shown<'_>| match field.name.as_str() {
        "stdin" => "Union[str, bytes, bool, None]".to_owned(),
        _ => annotation_of_param(field),
    };
    let name = caller_name(method, &name);
    let mut text = head(false, &name, &params, annotate, "AsyncRunStream");
    let doc = format!(
        "Does what `{verb}` does and gives the output while it runs, as pairs of `\"stdout\"` or `\"stderr\"` and bytes."
    );
    let _ = write!(
        text,
        "        \"\"\"{}\n\n        \
         `stdin=True` leaves its input open for `write` and `close_stdin`; see `{verb}` for the rest.\n        \
         \"\"\"\n        params: Dict[str, Any] = {{}}\n",
        wrapped(&doc, "        ", WIDTH).trim_start()
    );
    for field in params.iter().filter(|field| field.name != "stdin") {
        text += &write_field(field, &field.name, "params", "        ", !field.required);
    }
    let _ = writeln!(
        text,
        "        return self._begin(\"{}\", params, stdin)",
        method.info.name
    );
    Ok(text)
}

fn caller(method: &Entry, model: &Model) -> Outcome<String> {
    let params = caller_params(method, model, STREAMING)?;
    let name = caller_name(method, method.info.verb());
    let (result, unpack) = result(&method.output, model)?;
    let mut text = head(true, &name, &params, annotation_of_param, &result);
    text += &docstring(&method_doc(method.info), &params, "        ");
    text += "        params: Dict[str, Any] = {}\n";
    for field in &params {
        text += &write_field(field, &field.name, "params", "        ", !field.required);
    }
    let call = format!("await self._call(\"{}\", params)", method.info.name);
    let _ = match unpack {
        Unpack::Nothing => writeln!(text, "        {call}"),
        Unpack::Whole => writeln!(text, "        return {result}.from_wire({call})"),
        Unpack::Wire(read) => writeln!(
            text,
            "        wire: Dict[str, Any] = {call}\n        unpacked: {result} = {read}\n        return unpacked"
        ),
        Unpack::Field(field) => writeln!(
            text,
            "        return types.{}.from_wire({call}).{field}",
            method.output
        ),
    };
    Ok(text)
}

/// How a result is handed over.
enum Unpack {
    Nothing,
    Whole,
    /// By this expression over `wire`.
    Wire(String),
    Field(&'static str),
}

/// The type that a caller gets, and how.
fn result(output: &str, model: &Model) -> Outcome<(String, Unpack)> {
    if output == "Done" {
        return Ok(("None".into(), Unpack::Nothing));
    }
    let fields = model.fields(output)?;
    let shown = shown(output, fields);
    if let Some((_, field)) = ONE_FIELD.iter().find(|(name, _)| *name == output) {
        return Ok(("bytes".into(), Unpack::Field(field)));
    }
    if let ([field], true) = (&shown[..], output.ends_with("Output")) {
        let read = read(field).replace("List[", "List[types.");
        return Ok((
            qualified(&annotation(field), model),
            Unpack::Wire(qualified(&read, model)),
        ));
    }
    Ok((format!("types.{output}"), Unpack::Whole))
}

/// An expression with the names of types as another module writes them.
fn qualified(text: &str, model: &Model) -> String {
    let mut text = text.replace("types.", "");
    for ty in &model.types {
        for (from, to) in [
            (format!("[{}]", ty.name), format!("[types.{}]", ty.name)),
            (format!("[{}.", ty.name), format!("[types.{}.", ty.name)),
        ] {
            text = text.replace(&from, &to);
        }
        if text == ty.name || text.starts_with(&format!("{}.", ty.name)) {
            text = format!("types.{text}");
        }
    }
    text
}

/// The fields of a type of results, or of one inside of parameters.
fn shown<'a>(name: &str, fields: &'a [Field]) -> Vec<Shown<'a>> {
    let carried = Carried::of(fields).into_iter();
    carried
        .map(|kind| {
            // Bytes of a result are always there; they may be none.
            let is_there = matches!(kind, Carried::Bytes { .. }) && !name.ends_with("Params");
            Shown {
                name: name_in_python(&snake_case(kind.name())),
                doc: kind.doc(),
                required: kind.is_needed(name) || is_there,
                kind,
            }
        })
        .collect()
}

/// The fields of parameters: times are in seconds.
fn shown_params<'a>(name: &str, fields: &'a [Field]) -> Vec<Shown<'a>> {
    let mut shown = shown(name, fields);
    for field in &mut shown {
        if is_time(field) {
            field.name = field.name.trim_end_matches("_ms").to_owned();
            field.doc = field
                .doc
                .replace("in milliseconds", "in seconds")
                .replace("1,000 if", "1 if");
        }
    }
    shown
}

fn is_time(field: &Shown<'_>) -> bool {
    matches!(field.kind, Carried::Plain(plain) if plain.wire.ends_with("Ms") && plain.ty == Ty::Integer)
}

fn name_in_python(name: &str) -> String {
    match KEYWORDS.contains(&name) {
        true => format!("{name}_"),
        false => name.to_owned(),
    }
}

fn type_name(ty: &Ty) -> String {
    match ty {
        Ty::Text | Ty::Base64 => "str".into(),
        Ty::Integer => "int".into(),
        Ty::Float => "float".into(),
        Ty::Bool => "bool".into(),
        Ty::List(of) => format!("List[{}]", type_name(of)),
        Ty::Map(of) => format!("Dict[str, {}]", type_name(of)),
        Ty::Named(name) => name.clone(),
    }
}

/// The annotation of a field of a type.
fn annotation(field: &Shown<'_>) -> String {
    let name = match &field.kind {
        Carried::Plain(_) if is_time(field) && !field.name.ends_with("_ms") => "float".into(),
        Carried::Plain(plain) => type_name(&plain.ty),
        _ => "bytes".into(),
    };
    match field.required {
        true => name,
        false if has_default(field) => name,
        false => format!("Optional[{name}]"),
    }
}

/// Lists that are left out are empty, numbers 0.
fn has_default(field: &Shown<'_>) -> bool {
    matches!(&field.kind, Carried::Plain(plain) if plain.has_default)
}

/// Whether it is left out where a value is printed.
fn is_secret(field: &Shown<'_>) -> bool {
    matches!(&field.kind, Carried::Plain(plain) if plain.is_secret)
}

fn default(field: &Shown<'_>) -> &'static str {
    match &field.kind {
        Carried::Plain(plain) if has_default(field) && plain.ty == Ty::Integer => " = 0",
        Carried::Plain(_) if has_default(field) => " = field(default_factory=list)",
        _ if is_secret(field) => " = field(default=None, repr=False)",
        _ => " = None",
    }
}

/// The annotation of a parameter: whatever can be read as what is meant.
fn annotation_of_param(field: &Shown<'_>) -> String {
    let name = match &field.kind {
        Carried::Plain(_) if is_time(field) => "float".into(),
        Carried::Plain(plain) => match &plain.ty {
            Ty::Map(of) => format!("Mapping[str, {}]", type_name(of)),
            Ty::List(of) => match &**of {
                Ty::Named(name) => format!("List[types.{name}]"),
                other => format!("List[{}]", type_name(other)),
            },
            Ty::Named(name) => format!("types.{name}"),
            other => type_name(other),
        },
        Carried::Bytes { .. } => "Union[str, bytes]".into(),
        Carried::Base64(_) => "bytes".into(),
    };
    match field.required {
        true => name,
        false => format!("Optional[{name}]"),
    }
}

/// An expression that reads a field from `wire`.
fn read(field: &Shown<'_>) -> String {
    match &field.kind {
        Carried::Bytes { text, base64 } => {
            format!("get_bytes(wire, \"{}\", \"{}\")", text.wire, base64.wire)
        }
        Carried::Base64(plain) if plain.required => {
            format!("from_base64(wire[\"{}\"])", plain.wire)
        }
        Carried::Base64(plain) => {
            format!(
                "from_base64(wire[\"{0}\"]) if wire.get(\"{0}\") is not None else None",
                plain.wire
            )
        }
        Carried::Plain(plain) => {
            let wire = &plain.wire;
            let get = match (plain.required, &plain.ty) {
                (true, _) => format!("wire[\"{wire}\"]"),
                (false, Ty::List(_)) if has_default(field) => format!("wire.get(\"{wire}\", ())"),
                (false, _) if has_default(field) => format!("wire.get(\"{wire}\", 0)"),
                (false, _) => format!("wire.get(\"{wire}\")"),
            };
            match &plain.ty {
                Ty::List(of) => match &**of {
                    Ty::Named(name) if is_object(name) => {
                        let list = |get| format!("[{name}.from_wire(item) for item in {get}]");
                        match plain.required || has_default(field) {
                            true => list(get),
                            false => {
                                let there = list(format!("wire[\"{wire}\"]"));
                                format!("{there} if {get} is not None else None")
                            }
                        }
                    }
                    _ => get,
                },
                Ty::Named(name) if is_object(name) && plain.required => {
                    format!("{name}.from_wire({get})")
                }
                Ty::Named(name) if is_object(name) => {
                    format!(
                        "{name}.from_wire(wire[\"{wire}\"]) if wire.get(\"{wire}\") is not None else None"
                    )
                }
                _ => get,
            }
        }
    }
}

/// Whether a type is an object, not a word.
fn is_object(name: &str) -> bool {
    let definitions = codepod_api::definitions();
    let schema = definitions.get(name);
    schema.is_none_or(|schema| schema.get("oneOf").is_none())
}

/// Statements that write a field.
fn write_field(field: &Shown<'_>, value: &str, into: &str, indent: &str, optional: bool) -> String {
    let statement = match &field.kind {
        Carried::Bytes { text, base64 } => {
            format!(
                "put_bytes({into}, \"{}\", \"{}\", {value})",
                text.wire, base64.wire
            )
        }
        Carried::Base64(plain) => format!("{into}[\"{}\"] = to_base64({value})", plain.wire),
        Carried::Plain(plain) => {
            let value = match &plain.ty {
                Ty::List(of) => match &**of {
                    Ty::Named(name) if is_object(name) => {
                        format!("[item.to_wire() for item in {value}]")
                    }
                    _ => format!("list({value})"),
                },
                Ty::Map(_) => format!("dict({value})"),
                Ty::Named(name) if is_object(name) => format!("{value}.to_wire()"),
                _ if is_time(field) && !field.name.ends_with("_ms") => {
                    format!("milliseconds({value})")
                }
                _ => value.to_owned(),
            };
            format!("{into}[\"{}\"] = {value}", plain.wire)
        }
    };
    match optional && !has_default(field) {
        true => format!("{indent}if {value} is not None:\n{indent}    {statement}\n"),
        false => format!("{indent}{statement}\n"),
    }
}

/// A docstring, with parameters if there are some.
fn docstring(doc: &str, params: &[Shown<'_>], indent: &str) -> String {
    let doc = doc.replace('\\', "\\\\");
    let one = format!("{indent}\"\"\"{doc}\"\"\"\n");
    if params.is_empty() && one.len() <= WIDTH {
        return one;
    }
    let body = wrapped(&doc, indent, WIDTH);
    let mut text = format!("{indent}\"\"\"{}\n", body.trim_start());
    if !params.is_empty() {
        let _ = write!(text, "\n{indent}Args:\n");
        for field in params {
            let line = wrapped(
                &format!("{}: {}", field.name, field.doc),
                &format!("{indent}        "),
                WIDTH,
            );
            let _ = writeln!(text, "{}", line.replacen("        ", "    ", 1));
        }
    }
    text + indent + "\"\"\"\n"
}
