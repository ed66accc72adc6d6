//! The reference page of the methods.

use std::fmt::Write;

use codepod_api::{Kind, METHODS, Scope, Surface};

use super::model::{Field, Model, Shape, Ty, method_doc};
use crate::failure::Outcome;

const HEAD: &str = "<!-- Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost. -->\n\n\
# Methods\n\n\
All surfaces speak these methods, by these names: JSON-RPC (`codepod rpc`), HTTP (`codepod serve`), MCP (`codepod mcp`),\n\
Python and TypeScript. What travels is JSON with names in camelCase; Python writes them in snake_case.\n\n\
- **JSON-RPC**: a method of a sandbox takes `sandboxId` beside its own parameters.\n\
- **HTTP**: the sandbox is in the path; parameters of GET and DELETE are in the query, of POST and PUT a JSON object.\n\
- **Bytes** that are not UTF-8 travel in base64, in a field of their own.\n\n\
The same for programs: [JSON Schema](api/methods.schema.json), [OpenAPI 3.1](api/openapi.json), [MCP tools](api/mcp-tools.json).\n";

/// `docs/reference/methods.md`.
pub(super) fn methods() -> Outcome<String> {
    let model = Model::read()?;
    let mut page = String::from(HEAD);
    page += "\n| method | route | tool | does |\n|---|---|---|---|\n";
    for method in METHODS {
        let _ = writeln!(
            page,
            "| [`{name}`](#{anchor}) | `{} {}` | {} | {} |",
            method.route.verb.name(),
            method.route.path,
            method
                .tool
                .map_or(String::new(), |tool| format!("`{}`", tool.name)),
            first_sentence(&method_doc(method)),
            name = method.name,
            anchor = method.name.replace('.', ""),
        );
    }
    for method in METHODS {
        page += &section(method, &model)?;
    }
    page += "\n# Types\n";
    for ty in &model.types {
        let _ = write!(page, "\n## {}\n\n{}\n", ty.name, ty.doc);
        match &ty.shape {
            Shape::Words(words) if ty.name != "ErrorKind" => {
                page += "\n| value | meaning |\n|---|---|\n";
                for (word, doc) in words {
                    let _ = writeln!(page, "| `{word}` | {doc} |");
                }
            }
            Shape::Words(_) => page += "\nThe kinds are [below](#errors).\n",
            Shape::Object(fields) if fields.is_empty() => {}
            Shape::Object(fields) => page += &table(fields),
        }
    }
    Ok(page + &errors())
}

fn section(method: &codepod_api::MethodInfo, model: &Model) -> Outcome<String> {
    let mut text = format!("\n## `{}`\n\n{}\n\n", method.name, method_doc(method));
    let _ = writeln!(
        text,
        "- HTTP: `{} {}`",
        method.route.verb.name(),
        method.route.path
    );
    if let Some(tool) = method.tool {
        let _ = writeln!(text, "- tool for models: `{}`", tool.name);
    }
    for surface in Surface::ALL {
        if let Some(why) = method.reason_not_on(*surface) {
            let _ = writeln!(text, "- not on {}: {why}", surface.name());
        }
    }
    let output = (method.output_name)();
    let _ = writeln!(text, "- result: [`{output}`](#{})", output.to_lowercase());
    let fields = model.fields(&(method.params_name)())?;
    if fields.is_empty() {
        text += match method.scope {
            Scope::Server => "\nNo parameters.\n",
            Scope::Sandbox => "\nNo parameters beside the sandbox.\n",
        };
    } else {
        text += &table(fields);
    }
    Ok(text)
}

fn table(fields: &[Field]) -> String {
    let mut text = String::from("\n| field | type | | meaning |\n|---|---|---|---|\n");
    for field in fields {
        let needed = if field.required { "" } else { "optional" };
        let _ = writeln!(
            text,
            "| `{}` | {} | {needed} | {} |",
            field.wire,
            type_name(&field.ty),
            field.doc
        );
    }
    text
}

fn type_name(ty: &Ty) -> String {
    match ty {
        Ty::Text => "string".into(),
        Ty::Base64 => "base64".into(),
        Ty::Integer => "integer".into(),
        Ty::Float => "number".into(),
        Ty::Bool => "boolean".into(),
        Ty::List(of) => format!("list of {}", type_name(of)),
        Ty::Map(of) => format!("{} by name", type_name(of)),
        Ty::Named(name) => format!("[`{name}`](#{})", name.to_lowercase()),
    }
}

fn errors() -> String {
    let mut text = String::from(
        "\n# Errors\n\n\
         Every error has a kind for programs, a message for people and a hint. A status other than 0 of a command is no error.\n\
         Clients match on `kind`; new kinds may come.\n\n\
         | kind | JSON-RPC | HTTP | meaning | what to do |\n|---|---|---|---|---|\n",
    );
    for kind in Kind::ALL {
        let name = serde_json::json!(kind);
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            name.as_str().unwrap_or_default(),
            kind.code(),
            kind.status(),
            kind.doc().trim(),
            kind.hint()
        );
    }
    text
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_and_every_kind_is_on_the_page() {
        let page = methods().unwrap();
        for method in METHODS {
            assert!(page.contains(&format!("\n## `{}`\n", method.name)));
        }
        for kind in Kind::ALL {
            assert!(page.contains(kind.hint()), "{kind:?}");
        }
    }
}
