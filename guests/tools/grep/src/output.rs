//! What is printed of a line.

use codepod_posix_regex::is_bytes;
use codepod_tool::Output;

use crate::arguments::{Asked, Binary};
use crate::colors::Colors;
use crate::matcher::Matcher;

/// Which kind of line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Asked for.
    Selected,
    /// Around it.
    Context,
}

/// A line to print.
pub(crate) struct Line<'a> {
    /// The line with its end.
    pub(crate) text: &'a [u8],
    /// Where it is in the file.
    pub(crate) offset: u64,
    /// Its number, from 1; 0 where that is not asked for.
    pub(crate) number: u64,
    pub(crate) role: Role,
}

/// Prints lines with what stands before them.
pub(crate) struct Printer<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) matcher: &'a Matcher,
    pub(crate) colors: Colors,
    pub(crate) out: Output,
    /// Whether a file's name stands before its lines.
    pub(crate) names: bool,
    /// How wide numbers are with `-T`.
    pub(crate) width: usize,
    /// Something was printed with context before: groups are separated.
    pub(crate) used: bool,
}

/// A line was not printed, because it is no text.
pub(crate) struct NoText;

impl Printer<'_> {
    fn start(&mut self, color: &str) {
        if !color.is_empty() {
            self.out.put(b"\x1b[");
            self.out.put(color.as_bytes());
            self.out.put(if self.colors.no_clear {
                b"m"
            } else {
                b"m\x1b[K"
            });
        }
    }

    fn end(&mut self, color: &str) {
        if !color.is_empty() {
            self.out.put(if self.colors.no_clear {
                b"\x1b[m"
            } else {
                b"\x1b[m\x1b[K"
            });
        }
    }

    fn colored(&mut self, color: &str, text: &[u8]) {
        self.start(color);
        self.out.put(text);
        self.end(color);
    }

    /// A file's name.
    pub(crate) fn name(&mut self, name: &[u8]) {
        let color = self.colors.file.clone();
        self.colored(&color, name);
    }

    /// What stands behind a name: a colon, or a hyphen in context.
    pub(crate) fn separator(&mut self, role: Role) {
        let color = self.colors.separator.clone();
        self.colored(&color, if role == Role::Selected { b":" } else { b"-" });
    }

    /// The line between groups.
    pub(crate) fn between_groups(&mut self) {
        if let Some(separator) = &self.asked.separator {
            let color = self.colors.separator.clone();
            self.colored(&color, separator);
            self.out.put_byte(b'\n');
        }
    }

    /// Name, number and offset, as asked for. Fails where what follows is no text.
    fn head(
        &mut self,
        name: &[u8],
        part: &[u8],
        offset: u64,
        line: &Line<'_>,
    ) -> Result<(), NoText> {
        if self.asked.binary != Binary::Text
            && !is_bytes()
            && !part.is_ascii()
            && std::str::from_utf8(part).is_err()
        {
            return Err(NoText);
        }
        let asked = self.asked;
        if self.names {
            self.name(name);
            if asked.null_names {
                self.out.put_byte(0);
            } else {
                self.separator(line.role);
            }
        }
        if asked.line_number {
            let color = self.colors.line.clone();
            self.number(line.number, &color, line.role);
        }
        if asked.byte_offset {
            let color = self.colors.byte.clone();
            self.number(offset, &color, line.role);
        }
        if asked.initial_tab
            && (self.names || asked.line_number || asked.byte_offset)
            && !part.is_empty()
        {
            self.out.put_byte(b'\t');
        }
        Ok(())
    }

    fn number(&mut self, number: u64, color: &str, role: Role) {
        let width = if self.asked.initial_tab {
            self.width
        } else {
            0
        };
        self.colored(color, format!("{number:width$}").as_bytes());
        self.separator(role);
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, name: &[u8], line: &Line<'_>) -> Result<(), NoText> {
        let asked = self.asked;
        let body = &line.text[..line.text.len() - 1];
        if !asked.only_matching {
            self.head(name, body, line.offset, line)?;
        }
        let matching = (line.role == Role::Selected) != asked.invert;
        let mut from = 0;
        let (mut line_color, mut match_color) = (String::new(), String::new());
        if self.colors.on {
            let swapped = asked.invert && self.colors.reverse;
            let selected = (line.role == Role::Selected) != swapped;
            line_color = if selected {
                self.colors.selected_line.clone()
            } else {
                self.colors.context_line.clone()
            };
            match_color = match line.role {
                Role::Selected => self.colors.selected_match.clone(),
                Role::Context => self.colors.context_match.clone(),
            };
        }
        if (asked.only_matching && matching) || !line_color.is_empty() || !match_color.is_empty() {
            if matching && (asked.only_matching || !match_color.is_empty()) {
                from = self.matches(name, line, &line_color, &match_color)?;
            }
            if !asked.only_matching && !line_color.is_empty() {
                from = self.tail(line.text, from, &line_color);
            }
        }
        if !asked.only_matching && from < line.text.len() {
            self.out.put(&line.text[from..]);
        }
        if asked.line_buffered {
            self.out.write_out();
        }
        Ok(())
    }

    /// Prints the matches of a line, with what lies between them unless only they are asked for.
    /// Returns where the rest starts.
    fn matches(
        &mut self,
        name: &[u8],
        line: &Line<'_>,
        line_color: &str,
        match_color: &str,
    ) -> Result<usize, NoText> {
        let body = &line.text[..line.text.len() - 1];
        let only = self.asked.only_matching;
        let mut at = 0;
        // Where what was not printed yet starts, when empty matches were passed.
        let mut kept: Option<usize> = None;
        while at <= body.len() {
            // An expression that takes too long has no more matches to show.
            let Ok(Some((start, end))) = self.matcher.find(body, at) else {
                break;
            };
            if start == body.len() {
                break;
            }
            if start == end {
                kept.get_or_insert(at);
                at = next_place(body, start);
                continue;
            }
            if only {
                self.head(name, &body[start..end], line.offset + start as u64, line)?;
            } else {
                self.start(line_color);
                let from = kept.take().unwrap_or(at);
                self.out.put(&body[from..start]);
            }
            self.colored(match_color, &body[start..end]);
            if only {
                self.out.put_byte(self.asked.end);
            }
            at = end;
        }
        Ok(kept.unwrap_or(at).min(body.len()))
    }

    /// Prints the rest of a line in its colour, without what ends it.
    fn tail(&mut self, text: &[u8], from: usize, color: &str) -> usize {
        let mut end = text.len() - 1;
        if end > from && text[end - 1] == b'\r' {
            end -= 1;
        }
        if end > from {
            self.colored(color, &text[from..end]);
            return end;
        }
        from
    }
}

/// The next place to look at behind an empty match.
fn next_place(body: &[u8], at: usize) -> usize {
    codepod_posix_regex::next_char(body, at).1
}
