//! What changes the pattern space as a whole: `s`, `y` and `e`.

use std::io::Read as _;

use codepod_posix_regex::{Error, Regex, Span, next_char};
use codepod_tool::{Command as Shell, Ends};

use super::{Fatal, Machine};
use crate::command::{Substitution, Transliteration, When};

impl Machine<'_> {
    /// `s`
    pub(super) fn substitute(&mut self, substitution: &Substitution) -> Result<(), Fatal> {
        let regex = self.regex(&substitution.expression)?;
        if self.asked.posix && substitution.replacement.groups > regex.groups() {
            let message = format!(
                "invalid reference \\{} on s command's RHS",
                substitution.replacement.groups
            );
            return Err(Fatal(message.into_bytes(), 1));
        }
        let mut new = std::mem::take(&mut self.scratch);
        new.clear();
        let replaced = replace(substitution, &regex, &self.pattern.text, &mut new)?;
        if !replaced {
            self.scratch = new;
            return Ok(());
        }
        self.scratch = std::mem::replace(&mut self.pattern.text, new);
        self.substituted = true;
        if !substitution.execute {
            if substitution.print.is_some() {
                self.print_pattern();
            }
        } else {
            if substitution.print == Some(When::Before) {
                self.print_pattern();
            }
            self.execute_pattern()?;
            if substitution.print == Some(When::After) {
                self.print_pattern();
            }
        }
        if let Some(output) = substitution.write {
            self.outputs.write(output, self.pattern.line());
        }
        Ok(())
    }

    /// Runs the pattern space as a command, whose output takes its place.
    pub(super) fn execute_pattern(&mut self) -> Result<(), Fatal> {
        let text = std::mem::take(&mut self.pattern.text);
        self.pattern.text = self.output_of(&text)?;
        self.pattern.text.pop_if(|last| *last == self.asked.end);
        Ok(())
    }

    /// What a command prints; everything printed so far comes before it.
    pub(super) fn output_of(&mut self, command: &[u8]) -> Result<Vec<u8>, Fatal> {
        self.outputs.write_out_stdout();
        self.outputs.write_out_files();
        let mut output = Vec::new();
        let ran = Shell::shell(command, Ends::Output).and_then(|mut shell| {
            shell.read_to_end(&mut output)?;
            shell.wait()
        });
        match ran {
            Ok(_) => Ok(output),
            Err(_) => Err(Fatal(b"error in subprocess".to_vec(), 4)),
        }
    }

    /// `y`
    pub(super) fn transliterate(&mut self, table: &Transliteration) {
        match table {
            Transliteration::Bytes(table) => {
                for byte in &mut self.pattern.text {
                    *byte = table[usize::from(*byte)];
                }
            }
            Transliteration::Characters(pairs) => {
                let text = std::mem::take(&mut self.pattern.text);
                let mut at = 0;
                while at < text.len() {
                    let next = next_char(&text, at).1;
                    let from = &text[at..next];
                    let to = pairs
                        .iter()
                        .find(|(known, _)| known == from)
                        .map_or(from, |(_, to)| to);
                    self.pattern.text.extend_from_slice(to);
                    at = next;
                }
            }
        }
    }
}

/// Appends a text with its matches replaced. Without one it appends nothing, and says so.
fn replace(
    substitution: &Substitution,
    regex: &Regex,
    text: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, Error> {
    let with_groups = substitution.replacement.groups > 0;
    let mut copied = 0;
    let mut at = 0;
    let mut count = 0;
    let mut replaced = false;
    let mut last_end = None;
    while at <= text.len() {
        let spans: Vec<Option<Span>>;
        let whole: [Option<Span>; 1];
        let (span, groups) = if with_groups {
            match regex.captures(text, at)? {
                Some(found) => spans = found,
                None => break,
            }
            (spans[0], &spans[..])
        } else {
            whole = [regex.find(text, at)?];
            (whole[0], &whole[..])
        };
        let Some((start, end)) = span else {
            break;
        };
        // Nothing is found right behind what was found.
        if start == end && last_end == Some(start) {
            if start >= text.len() {
                break;
            }
            at = next_char(text, start).1;
            continue;
        }
        count += 1;
        last_end = Some(end);
        if count >= substitution.number {
            out.extend_from_slice(&text[copied..start]);
            substitution.replacement.put(text, groups, out);
            copied = end;
            replaced = true;
            if !substitution.global {
                break;
            }
        }
        if start == end {
            if end >= text.len() {
                break;
            }
            at = next_char(text, end).1;
        } else {
            at = end;
        }
    }
    if replaced {
        out.extend_from_slice(&text[copied..]);
    }
    Ok(replaced)
}
