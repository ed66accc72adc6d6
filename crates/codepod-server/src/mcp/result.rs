//! What a model gets back from a tool: text, and the same as structured content. In both, what a
//! guest says is made visible; where that changes something, the bytes themselves are beside it in
//! base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codepod::visible::visible;
use codepod_api::methods::files::{EditOutput, GlobOutput, GrepOutput, ListOutput, ReadOutput};
use codepod_api::methods::run::{Cut, RunOutput, SinceOutput};
use codepod_api::methods::shell::{PastRun, StepKind};
use codepod_api::methods::timeline::{ChangesOutput, UndoOutput};
use codepod_api::{ApiError, Bytes, Kind, Shows, result_of_tool};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::frame::{Frame, Missing};
use crate::ids;

/// A tool's result.
pub(super) struct Shown {
    pub(super) structured: Value,
    pub(super) text: String,
    /// A picture: its bytes in base64, and what it is.
    pub(super) picture: Option<(String, String)>,
}

/// What a model gets for a method's result. `params` are those of the call.
pub(super) fn shown(
    shows: Shows,
    params: &Map<String, Value>,
    mut output: Value,
) -> Result<Shown, ApiError> {
    let mark = ids::random("")?;
    let mut frame = Frame::new(mark[mark.len() - 16..].to_owned());
    let mut picture = None;
    match shows {
        Shows::Run => run(&mut frame, typed(&output)?),
        Shows::File => picture = read(&mut frame, params, &mut output)?,
        Shows::Since => since(&mut frame, typed(&output)?),
        Shows::Diff => {
            let edited: EditOutput = typed(&output)?;
            frame.line("replaced", edited.replaced);
            frame.data("diff", edited.diff.as_bytes(), None);
        }
        Shows::Matches => {
            fit(&mut output);
            let found: GrepOutput = typed(&output)?;
            let lines = found.matches.iter();
            frame.lines(
                "matches",
                lines.map(|it| format!("{}:{}: {}", it.path, it.line, it.content)),
            );
            if found.more {
                frame.line("more", "there are more; narrow it, or raise `limit`");
            }
        }
        Shows::Paths => {
            fit(&mut output);
            let found: GlobOutput = typed(&output)?;
            frame.lines("paths", found.paths.iter().cloned());
            if found.more {
                frame.line("more", "there are more; narrow it, or raise `limit`");
            }
        }
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
            frame.lines("taken back", undone.runs.iter().flat_map(taken_back));
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
        picture,
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
        Shows::Entries | Shows::Changes | Shows::Undone | Shows::Matches | Shows::Paths => &[
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
    for (name, bytes, cut) in [
        ("stdout", stdout, &output.stdout_cut),
        ("stderr", stderr, &output.stderr_cut),
    ] {
        match cut {
            None => frame.data(name, &bytes, None),
            Some(cut) => {
                let (bytes, missing) = unmarked(bytes, cut);
                frame.data(name, &bytes, Some(missing));
            }
        }
    }
}

/// A step that was taken back, and what it had done to which file.
fn taken_back(step: &PastRun) -> Vec<String> {
    let what = match step.kind {
        StepKind::Run => format!("run {}: {}", step.run, step.command),
        _ => step.command.clone(),
    };
    let files = step.files.iter();
    let files = files.map(|file| format!("  it had {} {}", word(&file.kind), file.path));
    let omitted = step
        .files_omitted
        .map(|count| format!("  and {count} files more"));
    std::iter::once(what).chain(files).chain(omitted).collect()
}

/// What a background run printed.
fn since(frame: &mut Frame, output: SinceOutput) {
    match output.exit_code {
        None => frame.line("running", output.running),
        Some(code) => frame.line("exit_code", code),
    }
    for (name, so) in [
        ("timed_out", output.timed_out),
        ("killed", output.cancelled),
    ] {
        if so {
            frame.line(name, true);
        }
    }
    if output.missed > 0 {
        frame.line(
            "missed",
            format_args!("{} bytes before this are not kept", output.missed),
        );
    }
    let bytes = |text: &str, base64: &Option<String>| decoded(text, base64.as_deref());
    for (name, data) in [
        ("stdout", bytes(&output.stdout, &output.stdout_base64)),
        ("stderr", bytes(&output.stderr, &output.stderr_base64)),
    ] {
        if !data.is_empty() || name == "stdout" {
            frame.data(name, &data, None);
        }
    }
    if output.more > 0 {
        frame.line(
            "more",
            format_args!("{} bytes follow; call again", output.more),
        );
    }
}

/// Bytes that came as text, or in base64 beside it.
fn decoded(text: &str, base64: Option<&str>) -> Vec<u8> {
    match base64 {
        Some(base64) => STANDARD.decode(base64).unwrap_or_default(),
        None => text.as_bytes().to_vec(),
    }
}

/// The bytes of both streams.
pub(super) fn streams(output: &RunOutput) -> (Vec<u8>, Vec<u8>) {
    (
        decoded(&output.stdout, output.stdout_base64.as_deref()),
        decoded(&output.stderr, output.stderr_base64.as_deref()),
    )
}

/// A stream without the mark of what is missing, and what that says. A guest can print such a mark
/// itself; the frame has one that it cannot.
fn unmarked(mut bytes: Vec<u8>, cut: &Cut) -> (Vec<u8>, Missing) {
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let at = place(cut.head).min(bytes.len());
    let end = at.saturating_add(place(cut.mark)).min(bytes.len());
    let mark: Vec<u8> = bytes.drain(at..end).collect();
    let note = String::from_utf8_lossy(&mark);
    let note = note.trim().trim_matches(['[', ']']).to_owned();
    (bytes, Missing { at, note })
}

fn read(
    frame: &mut Frame,
    params: &Map<String, Value>,
    output: &mut Value,
) -> Result<Option<(String, String)>, ApiError> {
    let number = |name: &str| params.get(name).and_then(Value::as_u64).unwrap_or(0);
    let read: ReadOutput = typed(output)?;
    if let (Some(mime), Some(base64)) = (read.mime.clone(), read.base64.clone()) {
        return Ok(picture(frame, output, mime, base64, read.size));
    }
    if read.next_line.is_some() || read.next_offset.is_some() {
        return lines(frame, read);
    }
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
        (_, Some(base64)) if params.contains_key(ASKED_FOR) => {
            frame.data("base64", base64.as_bytes(), missing);
        }
        // Nobody reads base64 who has not asked for bytes.
        (_, Some(_)) => frame.line("binary", BINARY),
        (text, None) => frame.data("text", text.as_deref().unwrap_or("").as_bytes(), missing),
    }
    for (name, value) in [("text", text), ("base64", base64)] {
        match (value, output.as_object_mut()) {
            (Some(value), Some(output)) => drop(output.insert(name.into(), value.into())),
            (None, Some(output)) => drop(output.remove(name)),
            _ => {}
        }
    }
    Ok(None)
}

/// The parameter by which a model asks for bytes, whatever they are.
pub(super) const ASKED_FOR: &str = "offset";
const BINARY: &str = "not text; give `offset` for its bytes in base64, or look with `run`: \
    `file`, `xxd`, `strings`";

/// Lines that go on.
fn lines(frame: &mut Frame, read: ReadOutput) -> Result<Option<(String, String)>, ApiError> {
    let text = read.text.unwrap_or_default();
    let missing = Missing {
        at: usize::MAX,
        note: match (read.next_line, read.next_offset) {
            (Some(line), _) => format!("the file goes on; go on with line {line}"),
            (None, offset) => {
                format!(
                    "the line goes on; go on with offset {}",
                    offset.unwrap_or(0)
                )
            }
        },
    };
    frame.line("size", read.size);
    match read.base64 {
        Some(_) => frame.line("binary", BINARY),
        None => frame.data("text", text.as_bytes(), Some(missing)),
    }
    Ok(None)
}

/// A picture, if all of it came: not in the text, nor in the structured result.
fn picture(
    frame: &mut Frame,
    output: &mut Value,
    mime: String,
    base64: String,
    size: u64,
) -> Option<(String, String)> {
    frame.line("size", size);
    frame.line("mime", &mime);
    if let Some(output) = output.as_object_mut() {
        output.remove("base64");
    }
    let is_whole = base64.len() as u64 / 4 * 3 >= size;
    if !is_whole {
        frame.line(
            "picture",
            "too large to be shown; make a smaller one with `python`",
        );
    }
    is_whole.then_some((base64, mime))
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
        left: Shows::LIST as usize,
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
