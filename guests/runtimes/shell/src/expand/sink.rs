//! Where expanded parts go: into fields, one string, a pattern or a regular expression.

use crate::flow::Run;
use crate::options::{SetOptions, ShellOptions};
use crate::pattern;
use crate::shell::Shell;
use crate::text::Text;

use super::ifs::{self, Splits};

/// What is special in a regular expression.
const SPECIAL: &[u8] = b"\\.[]{}()*+?^$|";

/// What the result is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fields: unquoted expansions are split, patterns replaced by the names of files.
    Fields,
    /// One string: `case`, `[[`.
    Single,
    /// One string: the value of an assignment, a here-string.
    Assigned,
    /// One string: an element with a subscript in the list of an indexed array.
    Element,
    /// A value in the list of an associative array.
    Pair,
    /// One string: a here-document, the text of arithmetic.
    HereDocument,
    /// A pattern: what is quoted is escaped.
    Pattern,
    /// A pattern for people to see: every character that is quoted is escaped.
    Shown,
    /// A regular expression: what is quoted is escaped.
    Regex,
    /// What `${x/p/r}` puts in: `&` and backslashes that are quoted are escaped.
    Replacement,
}

/// Collects.
#[derive(Debug)]
pub(super) struct Sink {
    kind: Kind,
    /// Finished fields.
    fields: Vec<Text>,
    /// The field being made.
    text: Text,
    /// The text as a pattern, once something unquoted in it may make it one.
    pattern: Option<Vec<u8>>,
    /// Whether there is a field, even if it is empty: something quoted was in it.
    has: bool,
    /// White space has just ended a field: a delimiter that follows belongs to it.
    after_space: bool,
    /// The last `"$@"` had no elements.
    pub(super) vanished: bool,
    /// Within quotes that hold a `"$@"`, too: what operators make of `"$*"` is split, as in bash.
    pub(super) beside_list: bool,
    /// What was split so ended with a delimiter: nothing behind it is no field.
    pub(super) trailing: bool,
}

impl Sink {
    /// An empty one that appends to `fields`.
    pub(super) fn new(kind: Kind, fields: Vec<Text>) -> Sink {
        Sink {
            kind,
            fields,
            text: Text::EMPTY,
            pattern: None,
            has: false,
            after_space: false,
            vanished: false,
            beside_list: false,
            trailing: false,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the result is a string as it is.
    pub(super) fn is_string(&self) -> bool {
        matches!(
            self.kind,
            Kind::Single | Kind::Assigned | Kind::Element | Kind::Pair | Kind::HereDocument
        )
    }

    /// The one string.
    pub(super) fn into_text(self) -> Text {
        self.text
    }

    /// All fields.
    pub(super) fn into_fields(self) -> Vec<Text> {
        self.fields
    }

    /// How much there is so far, to see whether something was added.
    pub(super) fn length(&self) -> (usize, usize) {
        (self.fields.len(), self.text.len())
    }

    /// There is a field, even if nothing more comes.
    #[inline]
    pub(super) fn mark(&mut self) {
        self.has = true;
    }

    /// Whether there is a field, even if nothing more comes.
    pub(super) fn is_marked(&self) -> bool {
        self.has
    }

    /// Sets what [`Sink::is_marked`] says.
    pub(super) fn set_marked(&mut self, marked: bool) {
        self.has = marked;
    }

    /// Appends what stands for itself.
    pub(super) fn quoted(&mut self, bytes: &[u8]) {
        match self.kind {
            Kind::Single | Kind::Assigned | Kind::Element | Kind::Pair | Kind::HereDocument => {
                self.text.push(bytes);
            }
            Kind::Fields => {
                self.text.push(bytes);
                if let Some(pattern) = &mut self.pattern {
                    if pattern::quotes_next(pattern) {
                        pattern::escape_first(bytes, pattern);
                    }
                    pattern::escape(bytes, pattern);
                }
            }
            Kind::Pattern => {
                let mut escaped = Vec::new();
                // At the start, `#` and `%` mean something to `${x/p/r}`.
                let at_start = self.text.is_empty() && matches!(bytes.first(), Some(b'#' | b'%'));
                if at_start || pattern::quotes_next(&self.text) {
                    pattern::escape_first(bytes, &mut escaped);
                }
                pattern::escape(bytes, &mut escaped);
                self.text.push(&escaped);
            }
            Kind::Shown => {
                let mut escaped = Vec::with_capacity(2 * bytes.len());
                for byte in bytes {
                    // Not inside a character.
                    if byte & 0xc0 != 0x80 {
                        escaped.push(b'\\');
                    }
                    escaped.push(*byte);
                }
                self.text.push(&escaped);
            }
            Kind::Regex => self.escaped(bytes, SPECIAL),
            Kind::Replacement => self.escaped(bytes, b"\\&"),
        }
    }

    /// Appends unquoted text of the script to a regular expression. A backslash quotes the next
    /// character: it stays only where that would be special, and never in brackets, where it
    /// would stand for itself.
    pub(super) fn expression(&mut self, bytes: &[u8]) {
        let mut text = Vec::with_capacity(bytes.len());
        let (mut at, mut bracket) = (0, None);
        while let Some(&byte) = bytes.get(at) {
            match (byte, bracket) {
                (b'\\', _) if at + 1 < bytes.len() => {
                    at += 1;
                    if bracket.is_none() && SPECIAL.contains(&bytes[at]) {
                        text.push(b'\\');
                    }
                }
                (b'[', None) => {
                    let negated = bytes.get(at + 1) == Some(&b'^');
                    bracket = Some(at + 1 + usize::from(negated));
                }
                // Where it comes first it is in the brackets itself.
                (b']', Some(first)) if at > first => bracket = None,
                _ => {}
            }
            text.push(bytes[at]);
            at += 1;
        }
        self.text.push(&text);
    }

    fn escaped(&mut self, bytes: &[u8], special: &[u8]) {
        let mut escaped = Vec::with_capacity(bytes.len() + 8);
        for byte in bytes {
            if special.contains(byte) {
                escaped.push(b'\\');
            }
            escaped.push(*byte);
        }
        self.text.push(&escaped);
    }

    /// Adds a quoted value, which is shared where it is all there is.
    pub(super) fn quoted_value(&mut self, value: &Text) {
        if self.text.is_empty()
            && self.pattern.is_none()
            && (self.kind == Kind::Fields || self.is_string())
        {
            self.text = value.clone();
        } else {
            self.quoted(value);
        }
    }

    /// Appends unquoted text of the script, which is not split.
    pub(super) fn unquoted(&mut self, shell: &Shell, bytes: &[u8]) {
        // A backslash that an expansion brought quotes in a pattern, too.
        // So may the `@` before a `(` that an expansion brings.
        let begins = || {
            super::may_glob(bytes)
                || bytes.contains(&b'\\')
                || matches!(bytes, [.., b'@' | b'+' | b'!'])
                    && shell.state.shopt.has(ShellOptions::EXTGLOB)
        };
        if self.kind == Kind::Fields && (self.pattern.is_some() || begins()) {
            self.begin_pattern(shell);
            if let Some(pattern) = &mut self.pattern {
                pattern.extend_from_slice(bytes);
            }
        }
        self.text.push(bytes);
    }

    /// From here on the field is also kept as a pattern.
    fn begin_pattern(&mut self, shell: &Shell) {
        if self.pattern.is_none() && !shell.state.set.has(SetOptions::NOGLOB) {
            let mut pattern = Vec::new();
            pattern::escape(&self.text, &mut pattern);
            self.pattern = Some(pattern);
        }
    }

    /// Appends the result of an unquoted expansion: split, and what is a pattern in it is one.
    pub(super) fn split(&mut self, shell: &mut Shell, bytes: &[u8]) -> Run {
        if self.kind != Kind::Fields {
            self.text.push(bytes);
            return Ok(());
        }
        if !ifs::current(shell, |ifs| ifs.splits_or_globs(bytes)) {
            self.unquoted(shell, bytes);
            return Ok(());
        }
        let mut at = 0;
        while at < bytes.len() {
            // The text up to the next delimiter, and that.
            let start = at;
            let (kind, end, after) = ifs::current(shell, |ifs| {
                let mut at = start;
                while at < bytes.len() {
                    match ifs.at(bytes, at) {
                        (Splits::No, after) => at = after,
                        (kind, after) => return (kind, at, after),
                    }
                }
                (Splits::No, at, at)
            });
            if end > start {
                self.after_space = false;
                self.unquoted(shell, &bytes[start..end]);
            }
            self.delimiter(shell, kind)?;
            at = after;
        }
        Ok(())
    }

    /// A delimiter of a kind.
    pub(super) fn delimiter(&mut self, shell: &mut Shell, kind: Splits) -> Run {
        let open = self.has || !self.text.is_empty();
        match kind {
            Splits::No => {}
            Splits::Space => {
                if open {
                    self.finish(shell)?;
                    self.after_space = true;
                }
            }
            Splits::Other => {
                if open || !self.after_space {
                    self.finish(shell)?;
                }
                self.after_space = false;
            }
        }
        Ok(())
    }

    /// Ends the field if there is one.
    pub(super) fn finish_if_open(&mut self, shell: &mut Shell) -> Run {
        if self.has || !self.text.is_empty() {
            self.finish(shell)?;
        }
        Ok(())
    }

    /// Ends the field, so that what follows is another.
    pub(super) fn finish(&mut self, shell: &mut Shell) -> Run {
        let text = std::mem::take(&mut self.text);
        self.has = false;
        match self.pattern.take() {
            None => self.fields.push(text),
            Some(pattern) => {
                if pattern::is_pattern(&pattern, shell.state.shopt.has(ShellOptions::EXTGLOB)) {
                    return super::glob::fields(shell, &pattern, text, &mut self.fields);
                }
                self.fields.push(text);
            }
        }
        Ok(())
    }

    /// The word ends: what is left is a field, if there is anything.
    pub(super) fn end(&mut self, shell: &mut Shell) -> Run {
        self.finish_if_open(shell)?;
        self.after_space = false;
        Ok(())
    }
}
