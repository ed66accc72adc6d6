//! TypeScript: a class of callers for each group of methods of a sandbox.
//!
//! What differs from the wire, by rule: what must be given comes first, the rest in an object; two
//! fields for text and for base64 are one of text or bytes; a result with one field is that field,
//! and `Done` is nothing. A method that streams has two callers.

use std::fmt::Write;

use codepod_api::{Scope, Work};

use super::model::{
    Carried, Entry, Group, Model, NOT_STREAMED, STREAMING, Ty, capital, method_doc,
};
use super::typescript::{HEAD, comment, type_name};
use crate::failure::Outcome;

/// Methods that the package calls by hand, because it shows more than their parameters and results:
/// another object, or a choice. A name with a dot at its end stands for its group.
const BY_HAND: &[&str] = &[
    "run",
    "run.",
    "preview.",
    "shell.create",
    "shell.list",
    "shell.close",
    "shell.complete",
    "env.",
    "commands.",
    "files.read",
    "sandbox.get",
    "sandbox.fork",
    "sandbox.destroy",
    "sandbox.adopt",
    "sandbox.merge",
];
/// Parameters that runs take beside those that travel with the call.
const ALONG: &[&str] = &["stdin", "runId"];

/// `sdk/typescript/src/generated/callers.ts`.
pub(super) fn callers() -> Outcome<String> {
    let model = Model::read()?;
    let mut classes = String::new();
    for group in &model.groups {
        let by_rule: Vec<&Entry> = group.methods.iter().filter(|it| is_by_rule(it)).collect();
        if group.scope == Scope::Sandbox && !by_rule.is_empty() {
            classes += &class(group, &by_rule, &model)?;
        }
    }
    // Only what is used.
    let used: Vec<&str> = (model.types.iter())
        .map(|ty| ty.name.as_str())
        .filter(|name| mentions(&classes, name))
        .collect();
    Ok(format!(
        "{HEAD}\nimport {{ encode, fromBase64, toBase64, type Data }} from \"../bytes.js\";\n\
         import {{ runMethod, RunStream, type RunResult, type RunStreams, type StreamStreams }} from \"../run.js\";\n\
         import {{ OfSandbox }} from \"../scope.js\";\n\
         import type {{\n  {},\n}} from \"./api.js\";\n{classes}",
        used.join(",\n  ")
    ))
}

fn is_by_rule(method: &Entry) -> bool {
    !BY_HAND.iter().any(|name| match name.strip_suffix('.') {
        group @ Some(_) => method.info.namespace() == group,
        None => method.info.name == *name,
    })
}

/// Whether a text names a type.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_word(letter))
        .any(|word| word == name)
}

fn class(group: &Group, methods: &[&Entry], model: &Model) -> Outcome<String> {
    let name = group.class();
    let about = match group.namespace {
        "" => "Methods of a sandbox itself.".to_owned(),
        namespace => format!("Methods `{namespace}.*` of a sandbox."),
    };
    let mut options = String::new();
    let mut callers = String::new();
    for method in methods {
        let given = Given::of(method, model, &name)?;
        options += &given.options_text();
        callers += &caller(method, &given, model)?;
        if method.info.work == Work::Streams {
            let given = given.streamed();
            options += &given.options_text();
            callers += &streaming_caller(method, &given);
        }
    }
    Ok(format!(
        "{options}\n/** {about} */\nexport class {name}Methods extends OfSandbox {{\n{}}}\n",
        callers.trim_start_matches('\n')
    ))
}

/// What a caller is given.
struct Given<'a> {
    /// What must be given, each by itself.
    needed: Vec<Carried<'a>>,
    /// The rest, in an object.
    optional: Vec<Carried<'a>>,
    /// The group's name, and the caller's.
    class: &'a str,
    verb: String,
    /// What that object's type extends, for methods that run something.
    extends: Option<&'static str>,
}

impl<'a> Given<'a> {
    fn of(method: &Entry, model: &'a Model, class: &'a str) -> Outcome<Given<'a>> {
        let runs = method.info.work == Work::Streams;
        let mut carried = Carried::of(model.fields(&method.params)?);
        carried.retain(|it| {
            let wire = it.field().wire.as_str();
            !(runs && (STREAMING.contains(&wire) || ALONG.contains(&wire)))
        });
        let is_needed = |it: &Carried<'_>| it.is_needed(&method.params);
        let (needed, optional) = carried.into_iter().partition(is_needed);
        Ok(Given {
            needed,
            optional,
            class,
            verb: method.info.verb().to_owned(),
            extends: runs.then_some("RunStreams"),
        })
    }

    /// What is given when the output is streamed.
    fn streamed(mut self) -> Given<'a> {
        let is_there = |it: &Carried<'_>| !NOT_STREAMED.contains(&it.field().wire.as_str());
        self.optional.retain(is_there);
        self.verb = match self.verb.as_str() {
            "run" => "stream".to_owned(),
            verb => format!("stream{}", capital(verb)),
        };
        self.extends = Some("StreamStreams");
        self
    }

    /// The name of the type of the object with the rest.
    fn options(&self) -> String {
        format!("{}{}Options", self.class, capital(&self.verb))
    }

    /// Whether the rest is one value that can be taken for nothing else.
    fn is_single(&self) -> bool {
        let is_plain = matches!(self.optional[..], [Carried::Plain(_)]);
        self.extends.is_none() && self.needed.is_empty() && is_plain
    }

    fn has_options(&self) -> bool {
        self.extends.is_some() || (!self.optional.is_empty() && !self.is_single())
    }

    /// The type of the object with the rest, if there is one.
    fn options_text(&self) -> String {
        if !self.has_options() {
            return String::new();
        }
        let extends = self
            .extends
            .map_or(String::new(), |it| format!(" extends {it}"));
        let mut text = format!(
            "\n/** Options of {{@link {}Methods.{}}}. */\nexport interface {}{extends} {{\n",
            self.class,
            self.verb,
            self.options()
        );
        for it in &self.optional {
            text += &comment(&it.doc(), "  ");
            let _ = writeln!(text, "  {}?: {} | undefined;", it.name(), type_of(it));
        }
        text + "}\n"
    }

    /// The parameters of the caller.
    fn signature(&self) -> String {
        let mut parts: Vec<String> = (self.needed.iter())
            .map(|it| format!("{}: {}", it.name(), type_of(it)))
            .collect();
        if self.is_single() {
            let all = self.optional.iter();
            parts.extend(all.map(|it| format!("{}?: {}", it.name(), type_of(it))));
        } else if self.has_options() {
            parts.push(format!("options: {} = {{}}", self.options()));
        }
        parts.join(", ")
    }

    /// The names of the rest, to be taken out of its object.
    fn rest(&self) -> Vec<&'a str> {
        self.optional.iter().map(Carried::name).collect()
    }

    /// The parameters as they are sent.
    fn sent(&self) -> String {
        let mut parts: Vec<String> = self.needed.iter().map(|it| sent(it, it.name())).collect();
        match self.has_options() && self.extends.is_none() {
            true if self
                .optional
                .iter()
                .all(|it| matches!(it, Carried::Plain(_))) =>
            {
                parts.push("...options".into());
            }
            true => parts.extend(self.optional.iter().map(|it| {
                let value = format!("options.{}", it.name());
                match it {
                    Carried::Base64(field) => {
                        format!("{}: {value} && toBase64({value})", field.wire)
                    }
                    _ => format!("{}: {value}", it.field().wire),
                }
            })),
            false => parts.extend(self.optional.iter().map(|it| sent(it, it.name()))),
        }
        match parts.is_empty() {
            true => "{}".into(),
            false => format!("{{ {} }}", parts.join(", ")),
        }
    }
}

fn type_of(it: &Carried<'_>) -> String {
    match it {
        Carried::Plain(field) => type_name(&field.ty),
        Carried::Bytes { .. } => "Data".into(),
        Carried::Base64(_) => "Uint8Array".into(),
    }
}

/// A value as it is sent.
fn sent(it: &Carried<'_>, value: &str) -> String {
    match it {
        Carried::Plain(field) if field.wire == value => value.to_owned(),
        Carried::Plain(field) => format!("{}: {value}", field.wire),
        Carried::Bytes { .. } => format!("...encode({value})"),
        Carried::Base64(field) => format!("{}: toBase64({value})", field.wire),
    }
}

fn caller(method: &Entry, given: &Given<'_>, model: &Model) -> Outcome<String> {
    let mut text = format!("\n{}", comment(&method_doc(method.info), "  "));
    let (verb, signature) = (method.info.verb(), given.signature());
    if given.extends.is_some() {
        let rest = given.rest().join(", ");
        let _ = writeln!(
            text,
            "  {verb}({signature}): Promise<RunResult> {{\n    \
             const {{ {rest}, ...streams }} = options;\n    \
             return runMethod(this.scope, \"{}\", {}, streams);\n  }}",
            method.info.name,
            given.sent()
        );
        return Ok(text);
    }
    let call = format!(
        "this.scope.call(\"{}\", {})",
        method.info.name,
        given.sent()
    );
    let (result, body, is_async) = match result(&method.output, model)? {
        Unpacked::Nothing => ("void".to_owned(), format!("await {call};"), true),
        Unpacked::Field(result, field) => (result, format!("return (await {call}).{field};"), true),
        Unpacked::Bytes(field) => (
            "Uint8Array".to_owned(),
            format!("return fromBase64((await {call}).{field});"),
            true,
        ),
        Unpacked::Whole => (method.output.clone(), format!("return {call};"), false),
    };
    let word = if is_async { "async " } else { "" };
    let _ = writeln!(
        text,
        "  {word}{verb}({signature}): Promise<{result}> {{\n    {body}\n  }}"
    );
    Ok(text)
}

/// The caller of a method whose output comes while it runs.
fn streaming_caller(method: &Entry, given: &Given<'_>) -> String {
    format!(
        "\n  /** Does what {{@link {}}} does and gives the output as it comes. */\n  \
         {}({}): RunStream {{\n    const {{ {}, ...streams }} = options;\n    \
         return new RunStream(this.scope, \"{}\", {}, streams);\n  }}\n",
        method.info.verb(),
        given.verb,
        given.signature(),
        given.rest().join(", "),
        method.info.name,
        given.sent()
    )
}

/// How a result is handed over.
enum Unpacked {
    Nothing,
    Whole,
    /// One field of it, with its type.
    Field(String, String),
    /// One field of it, which is base64.
    Bytes(String),
}

fn result(output: &str, model: &Model) -> Outcome<Unpacked> {
    if output == "Done" {
        return Ok(Unpacked::Nothing);
    }
    Ok(match model.fields(output)? {
        [field] if output.ends_with("Output") && field.ty == Ty::Base64 => {
            Unpacked::Bytes(field.wire.clone())
        }
        [field] if output.ends_with("Output") && field.required => {
            Unpacked::Field(type_name(&field.ty), field.wire.clone())
        }
        _ => Unpacked::Whole,
    })
}
