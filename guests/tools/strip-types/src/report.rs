//! The first error of swc's as a line of JSON, with the names that Node's loader reads.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use swc_common::SourceMap;
use swc_common::errors::{DiagnosticBuilder, DiagnosticId, Emitter};
use swc_common::sync::Lrc;

use crate::snippet::snippet;

/// Keeps the first error that swc tells; Node shows no other.
#[derive(Clone)]
pub(crate) struct FirstError {
    map: Lrc<SourceMap>,
    json: Arc<Mutex<Option<String>>>,
}

impl FirstError {
    /// Errors of the program that `map` holds.
    pub(crate) fn new(map: Lrc<SourceMap>) -> FirstError {
        FirstError {
            map,
            json: Arc::default(),
        }
    }

    /// The first error, if there was one.
    pub(crate) fn json(&self) -> Option<String> {
        self.json
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

impl Emitter for FirstError {
    fn emit(&mut self, error: &mut DiagnosticBuilder<'_>) {
        let mut first = self.json.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_some() {
            return;
        }
        let message = error.message.first().map_or("", |part| &part.0);
        let mut json = Object::new();
        if let Some(DiagnosticId::Error(code) | DiagnosticId::Lint(code)) = &error.code {
            json.text("code", code);
        }
        json.text("message", message);
        if let Some(span) = error.span.primary_span() {
            if let Some(text) = snippet(&self.map, span) {
                json.text("snippet", &text);
            }
            if let Ok(start) = self.map.try_lookup_char_pos(span.lo()) {
                json.text("filename", &start.file.name.to_string());
                json.number("startLine", start.line);
                json.number("startColumn", start.col_display);
            }
            if let Ok(end) = self.map.try_lookup_char_pos(span.hi()) {
                json.number("endLine", end.line);
                json.number("endColumn", end.col_display);
            }
        }
        *first = Some(json.line());
    }

    fn take_diagnostics(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// An error whose place is not known.
pub(crate) fn without_place(message: &str) -> String {
    let mut json = Object::new();
    json.text("message", message);
    json.line()
}

/// A flat object of JSON while it is written.
struct Object(String);

impl Object {
    fn new() -> Object {
        Object(String::from("{"))
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.string(key);
        self.0.push(':');
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.string(value);
    }

    fn number(&mut self, key: &str, value: usize) {
        self.key(key);
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{value}");
    }

    fn string(&mut self, text: &str) {
        self.0.push('"');
        for character in text.chars() {
            match character {
                '"' | '\\' => self.0.extend(['\\', character]),
                '\0'..='\x1f' => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(character));
                }
                _ => self.0.push(character),
            }
        }
        self.0.push('"');
    }

    fn line(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::without_place;

    #[test]
    fn strings_are_escaped_as_json_wants_it() {
        assert_eq!(
            without_place("a\"\\\n\u{e9}"),
            "{\"message\":\"a\\\"\\\\\\u000a\u{e9}\"}\n"
        );
    }
}
