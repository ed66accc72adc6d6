//! TypeScript: the types as interfaces, the methods with their types and routes, and the tools of
//! models.

use std::fmt::Write;

use codepod_api::{METHODS, Shows, Work, tool_schema};
use serde_json::json;

use super::model::{Field, Model, Shape, Ty, Type, method_doc, wrapped};
use crate::failure::Outcome;

/// The first line of a generated file.
pub(super) const HEAD: &str =
    "// Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.\n";

/// `sdk/typescript/src/generated/api.ts`.
pub(super) fn api() -> Outcome<String> {
    let model = Model::read()?;
    let mut text = HEAD.to_owned();
    for ty in &model.types {
        text.push('\n');
        text += &type_text(ty);
    }
    text += &methods(&model);
    text += &routes();
    text += &works();
    text += &tools()?;
    Ok(text)
}

/// A comment in one line, or in as many as it takes.
pub(super) fn comment(doc: &str, indent: &str) -> String {
    let one = format!("{indent}/** {doc} */\n");
    if one.len() <= 130 {
        return one;
    }
    format!(
        "{indent}/**\n{}\n{indent} */\n",
        wrapped(doc, &format!("{indent} * "), 130)
    )
}

fn type_text(ty: &Type) -> String {
    let mut text = comment(&ty.doc, "");
    match &ty.shape {
        Shape::Words(words) => {
            let _ = write!(text, "export type {} =", ty.name);
            for (word, doc) in words {
                let _ = write!(text, "\n{}  | \"{word}\"", comment(doc, "  "));
            }
            text += ";\n";
        }
        Shape::Object(fields) if fields.is_empty() => {
            let _ = writeln!(text, "export type {} = Record<string, never>;", ty.name);
        }
        Shape::Object(fields) => {
            let _ = writeln!(text, "export interface {} {{", ty.name);
            for field in fields {
                text += &field_text(field);
            }
            text += "}\n";
        }
    }
    text
}

fn field_text(field: &Field) -> String {
    format!(
        "{}  {}{}: {};\n",
        comment(&field.doc, "  "),
        field.wire,
        if field.required { "" } else { "?" },
        type_name(&field.ty)
    )
}

/// A type as TypeScript writes it.
pub(super) fn type_name(ty: &Ty) -> String {
    match ty {
        Ty::Text | Ty::Base64 => "string".into(),
        Ty::Integer | Ty::Float => "number".into(),
        Ty::Bool => "boolean".into(),
        Ty::List(of) => format!("{}[]", type_name(of)),
        Ty::Map(of) => format!("Record<string, {}>", type_name(of)),
        Ty::Named(name) => name.clone(),
    }
}

/// Every method with its types, for calls that are checked by name.
fn methods(model: &Model) -> String {
    let mut text = String::from(
        "\n/** The parameters and the result of each method. */\nexport interface Methods {\n",
    );
    for method in model.groups.iter().flat_map(|group| &group.methods) {
        let _ = writeln!(
            text,
            "{}  \"{}\": {{ params: {}; output: {} }};",
            comment(&method_doc(method.info), "  "),
            method.info.name,
            method.params,
            method.output,
        );
    }
    text + "}\n"
}

/// Where each method is in HTTP.
fn routes() -> String {
    let mut text = String::from(
        "\n/** Where a method is in HTTP; `{sandbox}` stands for the sandbox. Parameters of GET and DELETE are in the query. */\n\
         export interface Route {\n  verb: \"GET\" | \"POST\" | \"PUT\" | \"DELETE\";\n  path: string;\n}\n\n\
         /** The route of each method. */\n\
         export const ROUTES: Readonly<Record<keyof Methods, Route>> = {\n",
    );
    for method in METHODS {
        let _ = writeln!(
            text,
            "  \"{}\": {{ verb: \"{}\", path: \"{}\" }},",
            method.name,
            method.route.verb.name(),
            method.route.path
        );
    }
    text + "};\n"
}

/// What calls do that are not answered at once.
fn works() -> String {
    let mut text = String::from(
        "\n/** What a call does that is not answered at once: it runs something, with output while it runs or without, feeds a run, cancels one,\n \
         * or moves a state. */\n\
         export const WORK = {\n",
    );
    let slow = METHODS
        .iter()
        .filter(|method| method.work.name() != "quick");
    for method in slow {
        let _ = writeln!(text, "  \"{}\": \"{}\",", method.name, method.work.name());
    }
    text += "} as const satisfies Partial<Record<keyof Methods, string>>;\n\n";
    let streams = METHODS.iter().filter(|method| method.work == Work::Streams);
    let names: Vec<_> = streams
        .map(|method| format!("\"{}\"", method.name))
        .collect();
    text += "/** Methods whose output can come while they run. */\n";
    let _ = writeln!(text, "export type StreamingMethod = {};", names.join(" | "));
    text
}

/// The methods that models have as tools, each with the schema of its input.
fn tools() -> Outcome<String> {
    let mut text = String::from(
        "\n/** A method as models see it: names in snake_case, and only what a model can decide. */\n\
         export interface ToolInfo {\n  name: string;\n  method: keyof Methods;\n  description: string;\n  \
         inputSchema: Record<string, unknown>;\n  \
         /** The fields of the result that a model is told, always and where they say something; all if missing. */\n  \
         fields?: { always: readonly string[]; notes: readonly string[] };\n  \
         /** The parameter that says how much comes back: what it is if a model does not say, and at most. */\n  \
         bounds?: { name: string; usual: number; most: number };\n}\n\n\
         /** Every method that models have as a tool. */\nexport const TOOLS: readonly ToolInfo[] = [\n",
    );
    for method in METHODS {
        let Some(tool) = method.tool else { continue };
        let schema = super::schemas::pretty(&tool_schema(method))?;
        let fields = tool.shows.fields().map(|[always, notes]| {
            format!(
                "\n    fields: {{ always: {}, notes: {} }},",
                json!(always),
                json!(notes)
            )
        });
        let bounds = tool.shows.bounds().map(|bounds| {
            format!(
                "\n    bounds: {{ name: {}, usual: {}, most: {} }},",
                json!(bounds.name),
                bounds.usual,
                bounds.most
            )
        });
        let _ = writeln!(
            text,
            "  {{\n    name: {},\n    method: \"{}\",\n    description:\n      {},\n    inputSchema: {},{}{}\n  }},",
            json!(tool.name),
            method.name,
            json!(tool.description),
            schema.trim_end().replace('\n', "\n    "),
            fields.unwrap_or_default(),
            bounds.unwrap_or_default(),
        );
    }
    let _ = writeln!(
        text,
        "];\n\n/** Bytes of a list or a difference that a model is told. */\nexport const LIST_BYTES = {};",
        Shows::LIST
    );
    Ok(text)
}
