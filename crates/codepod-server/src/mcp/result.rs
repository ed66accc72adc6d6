//! What a model gets back from a tool: text, and the same as structured content. In both, what a
//! guest says is made visible; where that changes something, the bytes themselves are beside it in
//! base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codepod::visible::visible;
use codepod_api::methods::files::{ListOutput, ReadOutput};
use codepod_api::methods::run::{Cut, RunOutput};
use codepod_api::methods::timeline::{ChangesOutput, UndoOutput};
use codepod_api::{ApiError, Bytes, Kind, Shows, result_of_tool};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::frame::{Frame, Missing};
use crate::ids;

/// Bytes of a list or a difference that a result holds.
const LIST_BUDGET: usize = 64 << 10;

/// A tool's result.
pub(super) struct Shown {
    pub(super) structured: Value,
    pub(super) text: String,
}

/// What a model gets for a method's result. `params` are those of the call.
pub(super) fn shown(
    shows: Shows,
    params: &Map<String, Value>,
    mut output: Value,
) -> Result<Shown, ApiError> {
    let mark = ids::random("")?;
    let mut frame = Frame::new(mark[mark.len() - 16..].to_owned());
    match shows {
        Shows::Run => run(&mut frame, typed(&output)?),
        Shows::File => read(&mut frame, params, &mut output)?,
        Shows::Entries => {
            fit(&mut output);
            let list: ListOutput = typed(&output)?;
            let entries = list.entries.iter();
            frame.list(
                "entries",
                entries.map(|entry| (word(&entry.kind), &*entry.name)),
            );
        }
        Shows::Changes => {
            fit(&mut output);
            let changes: ChangesOutput = typed(&output)?;
            let paths = changes.changes.iter();
            frame.list(
                "changes",
                paths.map(|change| (word(&change.kind), &*change.path)),
            );
            if changes.ignored > 0 {
                frame.line("ignored", changes.ignored);
            }
            if let Some(diff) = &changes.diff {
                frame.data("diff", diff.as_bytes(), None);
            }
        }
        Shows::Undone => {
            fit(&mut output);
            let undone: UndoOutput = typed(&output)?;
            let numbers: Vec<String> = undone
                .runs
                .iter()
                .map(|run| format!("run {}:", run.run))
                .collect();
            let runs = numbers.iter().zip(&undone.runs);
            frame.list(
                "taken back",
                runs.map(|(number, run)| (&**number, &*run.command)),
            );
        }
        // Ids and words of our own.
        Shows::Fields => {
            for (name, value) in output.as_object().into_iter().flatten() {
                match value {
                    Value::String(text) => frame.line(&codepod_api::snake_case(name), text),
                    value => frame.line(&codepod_api::snake_case(name), value),
                }
            }
        }
    }
    for name in [OMITTED_ENTRIES, OMITTED_BYTES] {
        if let Some(count) = output.get(name) {
            frame.line(name, count);
        }
    }
    let mut structured = result_of_tool(output);
    make_visible(&mut structured);
    Ok(Shown {
        structured,
        text: frame.finish(),
    })
}

/// The ending of a field that holds the bytes of another.
const BASE64: &str = "_base64";

/// Makes every text visible. The bytes of one that changes by that are in a field of their own:
/// `stdout_base64` for `stdout`; for the `text` of a file it is `base64`.
fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible(text.as_bytes()),
        Value::Array(list) => list.iter_mut().for_each(make_visible),
        Value::Object(object) => {
            for name in object.keys().cloned().collect::<Vec<String>>() {
                if name == "base64" || name.ends_with(BASE64) {
                    continue;
                }
                let bytes_name = match &*name {
                    "text" => "base64".to_owned(),
                    name => format!("{name}{BASE64}"),
                };
                let bytes = object.get(&bytes_name).and_then(Value::as_str);
                let bytes = bytes.and_then(|base64| STANDARD.decode(base64).ok());
                match object.get_mut(&name) {
                    Some(Value::String(text)) => {
                        let bytes = bytes.unwrap_or_else(|| text.as_bytes().to_vec());
                        let shown = visible(&bytes);
                        if shown.as_bytes() != bytes {
                            *text = shown;
                            object.insert(bytes_name, STANDARD.encode(bytes).into());
                        }
                    }
                    Some(other) => make_visible(other),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

const OMITTED_ENTRIES: &str = "omitted_entries";
const OMITTED_BYTES: &str = "omitted_bytes";
const NEXT_OFFSET: &str = "next_offset";

/// Adds the fields that say what is missing to the schema of a tool's result.
pub(super) fn add_to_schema(shows: Shows, schema: &mut JsonObject) {
    let fields: &[(&str, &str)] = match shows {
        Shows::Entries | Shows::Changes | Shows::Undone => &[
            (
                OMITTED_ENTRIES,
                "How many entries are missing at the end, because there are too many for one answer.",
            ),
            (OMITTED_BYTES, "How many bytes of long texts are missing."),
        ],
        Shows::File => &[(
            NEXT_OFFSET,
            "Where to go on, if the file goes on: the next call's `offset`.",
        )],
        _ => &[],
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, text) in fields {
            let field = json!({"type": "integer", "minimum": 0, "description": text});
            properties.insert((*name).to_owned(), field);
        }
    }
}

fn run(frame: &mut Frame, output: RunOutput) {
    frame.line("exit_code", output.exit_code);
    frame.line(
        "execution_time_ms",
        format_args!("{:.1}", output.execution_time_ms),
    );
    let facts = [
        ("timed_out", output.timed_out),
        ("cancelled", output.cancelled),
        ("truncated", output.truncated),
        ("crashed", output.crashed),
    ];
    for (name, _) in facts.into_iter().filter(|(_, so)| *so) {
        frame.line(name, true);
    }
    let (stdout, stderr) = streams(&output);
    frame.data("stdout", &stdout, output.stdout_cut.as_ref().map(missing));
    frame.data("stderr", &stderr, output.stderr_cut.as_ref().map(missing));
}

/// The bytes of both streams.
pub(super) fn streams(output: &RunOutput) -> (Vec<u8>, Vec<u8>) {
    let bytes = |text: &str, base64: &Option<String>| match base64 {
        Some(base64) => STANDARD.decode(base64).unwrap_or_default(),
        None => text.as_bytes().to_vec(),
    };
    (
        bytes(&output.stdout, &output.stdout_base64),
        bytes(&output.stderr, &output.stderr_base64),
    )
}

fn missing(cut: &Cut) -> Missing {
    Missing {
        at: usize::try_from(cut.head).unwrap_or(usize::MAX),
        note: format!(
            "{} bytes are missing here; all of it is in {}",
            cut.omitted, cut.path
        ),
    }
}

fn read(
    frame: &mut Frame,
    params: &Map<String, Value>,
    output: &mut Value,
) -> Result<(), ApiError> {
    let number = |name: &str| params.get(name).and_then(Value::as_u64).unwrap_or(0);
    let read: ReadOutput = typed(output)?;
    let bytes = Bytes::take(read.text, read.base64)
        .unwrap_or_default()
        .unwrap_or_default();
    let asked = number("offset").saturating_add(bytes.len() as u64);
    let mut kept = bytes.len();
    if asked < read.size {
        // A character that is only cut off is for the next call; without it the rest may be text.
        kept = whole_characters(&bytes);
    }
    let next = number("offset").saturating_add(kept as u64);
    let Bytes { text, base64 } = Bytes::new(bytes[..kept].to_vec());
    frame.line("size", read.size);
    let missing = (next < read.size && kept > 0).then(|| Missing {
        at: usize::MAX,
        note: format!(
            "{} bytes follow; go on with offset {next}",
            read.size - next
        ),
    });
    if missing.is_some() {
        output[NEXT_OFFSET] = next.into();
    }
    match (&text, &base64) {
        (_, Some(base64)) => frame.data("base64", base64.as_bytes(), missing),
        (text, None) => frame.data("text", text.as_deref().unwrap_or("").as_bytes(), missing),
    }
    for (name, value) in [("text", text), ("base64", base64)] {
        match (value, output.as_object_mut()) {
            (Some(value), Some(output)) => drop(output.insert(name.into(), value.into())),
            (None, Some(output)) => drop(output.remove(name)),
            _ => {}
        }
    }
    Ok(())
}

/// How many bytes there are before a character that is only cut off; all of them if they are not
/// text anyway.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// Makes a result fit into its budget, and says what is missing.
fn fit(output: &mut Value) {
    let mut budget = Budget {
        left: LIST_BUDGET,
        entries: 0,
        bytes: 0,
    };
    budget.fit(output);
    for (name, count) in [
        (OMITTED_ENTRIES, budget.entries),
        (OMITTED_BYTES, budget.bytes),
    ] {
        if count > 0 {
            output[name] = count.into();
        }
    }
}

struct Budget {
    left: usize,
    entries: usize,
    bytes: usize,
}

impl Budget {
    fn fit(&mut self, value: &mut Value) {
        match value {
            // Words of ours and short names stay whole.
            Value::String(text) if text.len() <= 64 => {
                self.left = self.left.saturating_sub(text.len());
            }
            Value::String(text) => {
                let kept = text.floor_char_boundary(self.left);
                self.bytes += text.len() - kept;
                self.left -= kept;
                text.truncate(kept);
            }
            Value::Array(list) => {
                let mut kept = 0;
                for entry in list.iter_mut() {
                    if self.left == 0 {
                        break;
                    }
                    self.fit(entry);
                    kept += 1;
                }
                self.entries += list.len() - kept;
                list.truncate(kept);
            }
            Value::Object(object) => object.values_mut().for_each(|value| self.fit(value)),
            _ => self.left = self.left.saturating_sub(8),
        }
    }
}

/// One of our own words, as it travels.
fn word(value: &impl serde::Serialize) -> &'static str {
    const WORDS: &[&str] = &[
        "file",
        "directory",
        "symlink",
        "other",
        "added",
        "modified",
        "mode",
        "removed",
    ];
    let written = serde_json::to_value(value).unwrap_or_default();
    let known = WORDS.iter().find(|word| written == **word);
    known.copied().unwrap_or("?")
}

fn typed<T: DeserializeOwned>(output: &Value) -> Result<T, ApiError> {
    T::deserialize(output)
        .map_err(|_| ApiError::new(Kind::Internal, "the answer is not what its method gives"))
}

#[cfg(test)]
mod tests;
