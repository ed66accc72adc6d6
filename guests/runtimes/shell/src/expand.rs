//! Words into fields: brace, tilde, parameter, command and arithmetic expansion, splitting, globs,
//! quote removal.
//!
//! The parts of a word are expanded one after another into a [`sink`], which knows what the result
//! is to be: fields, one string, a pattern. Common words (a literal, `"$x"`, `$x` without anything
//! to split) do not come that far.

mod brace;
mod command;
mod default;
mod glob;
pub(crate) mod ifs;
mod list;
mod lookup;
mod param;
mod prompt;
mod replace;
mod sink;
mod slice;
mod tilde;
mod transform;
mod word;

use std::rc::Rc;

use codepod_shell_syntax::tree::{Arith, Bytes, Param, ParamOp, Part, Subject, Subscript, Word};
use codepod_shell_syntax::{Name, Options};

use crate::arith;
use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::pattern::{self, Pattern};
use crate::shell::Shell;
use crate::state::Invocation;
use crate::text::Text;
use crate::variables::{Attributes, Value};

pub use glob::{Found, Listing, expand as glob};
pub use ifs::Ifs;
pub use lookup::{array, element, element_by_text};
pub use prompt::{prompt, trace};

use sink::{Kind, Sink};

/// Expands a word into fields: everything, with splitting and globs. Appends to `fields`.
pub fn fields(shell: &mut Shell, word: &Word, fields: &mut Vec<Text>) -> Run {
    if let [part] = word.parts.as_slice() {
        match part {
            Part::Literal(bytes) if !may_glob(bytes) => {
                fields.push(Text::new(bytes));
                return Ok(());
            }
            Part::Quoted(bytes, _) => {
                fields.push(Text::new(bytes));
                return Ok(());
            }
            Part::Double(parts) => match parts.as_slice() {
                [Part::Param(param)] => {
                    if let Some(text) = simple(shell, param) {
                        fields.push(text);
                        return Ok(());
                    }
                }
                [Part::Literal(bytes)] => {
                    fields.push(Text::new(bytes));
                    return Ok(());
                }
                _ => {}
            },
            Part::Param(param) => {
                if let Some(text) = simple(shell, param)
                    && !text.is_empty()
                    && !ifs::current(shell, |ifs| ifs.splits_or_globs(&text))
                {
                    fields.push(text);
                    return Ok(());
                }
            }
            Part::Arith(arith) => {
                let text = number(shell, arith)?;
                if !ifs::current(shell, |ifs| ifs.splits_or_globs(&text)) {
                    fields.push(text);
                    return Ok(());
                }
                let mut sink = Sink::new(Kind::Fields, std::mem::take(fields));
                let result = sink.split(shell, &text).and_then(|()| sink.end(shell));
                *fields = sink.into_fields();
                return result;
            }
            _ => {}
        }
    }
    slowly(shell, word, fields)
}

#[inline(never)]
fn slowly(shell: &mut Shell, word: &Word, fields: &mut Vec<Text>) -> Run {
    if brace::has_brace(&word.parts) && shell.state.set.has(SetOptions::BRACEEXPAND) {
        return brace::fields(shell, word, fields);
    }
    let mut sink = Sink::new(Kind::Fields, std::mem::take(fields));
    let result = word::parts(shell, &mut sink, &word.parts, word::Place::Bare)
        .and_then(|()| sink.end(shell));
    *fields = sink.into_fields();
    result
}

/// The value of `$name` or `$1` where it is a string and set: what most words are about.
#[inline]
fn simple(shell: &Shell, param: &Param) -> Option<Text> {
    if param.indirect || param.subscript.is_some() || !matches!(param.op, ParamOp::Value) {
        return None;
    }
    match param.subject {
        Subject::Variable(name) => {
            let variable = shell.state.variables.get(name);
            match &variable.value {
                Value::Text(text) if !variable.attributes.has(Attributes::NAMEREF) => {
                    Some(text.clone())
                }
                _ => None,
            }
        }
        Subject::Positional(number) => shell
            .state
            .positional
            .get((number as usize).checked_sub(1)?)
            .cloned(),
        Subject::Special(_) => None,
    }
}

/// Whether unquoted text has something in it that may make it a pattern.
#[inline]
fn may_glob(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'('))
}

/// Expands a word into one string: no braces, no splitting, no globs. For `case` and `[[`.
pub fn single(shell: &mut Shell, word: &Word) -> Run<Text> {
    string(shell, word, Kind::Single)
}

/// Expands the value of an assignment, or a here-string, into one string. Lists are joined in
/// another way than by [`single`].
pub fn assigned(shell: &mut Shell, word: &Word) -> Run<Text> {
    string(shell, word, Kind::Assigned)
}

#[inline]
fn string(shell: &mut Shell, word: &Word, kind: Kind) -> Run<Text> {
    if let [Part::Literal(bytes) | Part::Quoted(bytes, _)] = word.parts.as_slice() {
        return Ok(Text::new(bytes));
    }
    shell.joins &= !matches!(kind, Kind::Assigned | Kind::Single);
    if let [part] = word.parts.as_slice() {
        match part {
            Part::Param(param) => {
                if let Some(text) = simple(shell, param) {
                    return Ok(text);
                }
            }
            Part::Double(parts) => match parts.as_slice() {
                [Part::Param(param)] => {
                    if let Some(text) = simple(shell, param) {
                        return Ok(text);
                    }
                }
                [Part::Literal(bytes)] => return Ok(Text::new(bytes)),
                _ => {}
            },
            Part::Arith(arith) => return number(shell, arith),
            _ => {}
        }
    }
    joined(shell, &word.parts, kind, word::Place::Bare)
}

/// Expands the value of `[subscript]=value` in the list of an indexed array.
pub fn element_value(shell: &mut Shell, word: &Word) -> Run<Text> {
    string(shell, word, Kind::Element)
}

/// Whether there are braces to be expanded in a word.
pub fn has_brace(word: &Word) -> bool {
    brace::has_brace(&word.parts)
}

/// Expands a word without its tildes, as bash does it for lists of associative arrays.
pub fn without_tildes(shell: &mut Shell, word: &Word) -> Run<Text> {
    let is_tilde = |part: &Part| matches!(part, Part::Tilde(_));
    if !word.parts.iter().any(is_tilde) {
        return string(shell, word, Kind::Pair);
    }
    let mut word = word.clone();
    for part in &mut word.parts {
        if let Part::Tilde(name) = part {
            *part = Part::Literal(Bytes([b"~", &name[..]].concat()));
        }
    }
    string(shell, &word, Kind::Pair)
}

/// Expands a word whose parts stand inside double quotes: here-documents, the text of arithmetic.
pub fn quoted(shell: &mut Shell, word: &Word) -> Run<Text> {
    if let [Part::Literal(bytes)] = word.parts.as_slice() {
        return Ok(Text::new(bytes));
    }
    joined(shell, &word.parts, Kind::HereDocument, word::Place::Double)
}

/// The key that the word of a subscript stands for.
pub fn key(shell: &mut Shell, word: &Word) -> Run<Text> {
    single(shell, word)
}

#[inline(never)]
fn joined(shell: &mut Shell, parts: &[Part], kind: Kind, place: word::Place) -> Run<Text> {
    let mut sink = Sink::new(kind, Vec::new());
    sink.beside_list =
        kind == Kind::HereDocument && parts.len() > 1 && word::have_list(shell, parts);
    word::parts(shell, &mut sink, parts, place)?;
    Ok(sink.into_text())
}

/// Expands the target of a redirection: like [`fields`], but anything but one field is `ambiguous
/// redirect`.
pub fn target(shell: &mut Shell, word: &Word) -> Run<Text> {
    if let Some(bytes) = word.as_literal()
        && !may_glob(bytes)
    {
        return Ok(Text::new(bytes));
    }
    let mut all = shell.take_fields();
    fields(shell, word, &mut all)?;
    let one = if all.len() == 1 { all.pop() } else { None };
    shell.give_fields(all);
    match one {
        Some(text) => Ok(text),
        None => {
            let text = codepod_shell_syntax::print::word(word);
            shell.error([&*text, b": ambiguous redirect"].concat());
            shell.state.status = 1;
            Err(Stop::Discard)
        }
    }
}

/// Expands a word into a pattern: quoted parts stand for themselves. For `case` and `[[`:
/// `nocasematch` applies; `[[` always knows extended forms.
pub fn pattern(shell: &mut Shell, word: &Word, extglob: bool) -> Run<Rc<Pattern>> {
    let options = pattern::Options {
        extglob: extglob || shell.state.shopt.has(ShellOptions::EXTGLOB),
        nocase: shell.state.shopt.has(ShellOptions::NOCASEMATCH),
    };
    pattern_with(shell, word, options)
}

/// A pattern, and its text as `set -x` shows it, with a backslash before every character that is
/// quoted.
pub fn shown_pattern(shell: &mut Shell, word: &Word) -> Run<(Text, Rc<Pattern>)> {
    let options = pattern::Options {
        extglob: true,
        nocase: shell.state.shopt.has(ShellOptions::NOCASEMATCH),
    };
    let text = joined(shell, &word.parts, Kind::Shown, word::Place::Bare)?;
    let pattern = Pattern::cached(&text, options);
    Ok((text, pattern))
}

fn pattern_with(shell: &mut Shell, word: &Word, options: pattern::Options) -> Run<Rc<Pattern>> {
    if let [Part::Literal(bytes)] = word.parts.as_slice() {
        return Ok(Pattern::cached(bytes, options));
    }
    let text = joined(shell, &word.parts, Kind::Pattern, word::Place::Bare)?;
    Ok(Pattern::cached(&text, options))
}

/// Expands a word into a regular expression for `=~`: quoted parts stand for themselves.
pub fn regex(shell: &mut Shell, word: &Word) -> Run<Vec<u8>> {
    Ok(joined(shell, &word.parts, Kind::Regex, word::Place::Bare)?.into_vec())
}

/// Expands text as if it stood inside double quotes.
pub fn text_in_quotes(shell: &mut Shell, text: &[u8]) -> Run<Text> {
    if !text
        .iter()
        .any(|byte| matches!(byte, b'$' | b'`' | b'\\' | b'"'))
    {
        return Ok(Text::new(text));
    }
    match codepod_shell_syntax::double_quoted(text, syntax(shell)) {
        Ok(word) => quoted(shell, &word),
        Err(error) => Err(syntax_error(shell, &error)),
    }
}

/// The key that the text of a subscript stands for: expanded, quotes removed.
pub fn key_of_text(shell: &mut Shell, text: &[u8]) -> Run<Text> {
    if !text
        .iter()
        .any(|byte| matches!(byte, b'$' | b'`' | b'\\' | b'"' | b'\''))
    {
        return Ok(Text::new(text));
    }
    match codepod_shell_syntax::word(text, syntax(shell)) {
        Ok(word) => single(shell, &word),
        // A quote that is never closed is a character like any other.
        Err(_) => Ok(Text::new(text)),
    }
}

fn syntax_error(shell: &mut Shell, error: &codepod_shell_syntax::SyntaxError) -> Stop {
    shell.error(error.message());
    give_up(shell)
}

/// Evaluates `$((…))` in a word. In posix mode an error ends the shell.
fn number(shell: &mut Shell, arith: &Arith) -> Run<Text> {
    let about = std::mem::take(&mut shell.about);
    let result = arith::eval(shell, arith);
    shell.about = about;
    match result {
        Ok(number) => Ok(Text::number(number)),
        Err(Stop::Discard) if shell.state.set.has(SetOptions::POSIX) => Err(end(shell)),
        Err(stop) => Err(stop),
    }
}

/// Gives the command line up after an error, with status 1; with `set -e` the shell ends.
#[cold]
pub fn give_up(shell: &mut Shell) -> Stop {
    if shell.state.set.has(SetOptions::POSIX) {
        return end(shell);
    }
    shell.state.status = 1;
    if shell.state.set.has(SetOptions::ERREXIT) {
        return Stop::Exit;
    }
    Stop::Discard
}

/// What an error in a subscript or in the value of an integer becomes: it ends the text of `-c` as
/// a whole.
#[cold]
pub(crate) fn unwound(shell: &Shell, stop: Stop) -> Stop {
    match stop {
        Stop::Discard if shell.state.invocation == Invocation::Command => Stop::Exit,
        stop => stop,
    }
}

/// How text that comes up while running is parsed.
pub fn syntax(shell: &Shell) -> Options {
    Options {
        extglob: shell.state.shopt.has(ShellOptions::EXTGLOB),
        posix: shell.state.set.has(SetOptions::POSIX),
        braces: shell.state.set.has(SetOptions::BRACEEXPAND),
        aliases: false,
        keyword: false,
        first_line: shell.state.line,
    }
}

/// Reports `NAME: unbound variable`; the shell ends.
#[cold]
#[inline(never)]
pub fn unbound(shell: &mut Shell, name: &[u8]) -> Stop {
    shell.error([name, b": unbound variable"].concat());
    if shell.state.interactive {
        shell.state.status = 1;
        return Stop::Discard;
    }
    end(shell)
}

/// Ends the shell after an error, with the status that bash has then.
fn end(shell: &mut Shell) -> Stop {
    let command = shell.state.invocation == Invocation::Command
        && (shell.state.subshell == 0 || shell.state.subshell == 1 && shell.simple_stage)
        && !shell.state.set.has(SetOptions::ERREXIT);
    shell.state.status = if command { 127 } else { 1 };
    Stop::Exit
}

/// A subscript as it was written.
pub fn subscript_text(subscript: &Subscript) -> Vec<u8> {
    match subscript {
        Subscript::At => b"@".to_vec(),
        Subscript::Star => b"*".to_vec(),
        Subscript::Expr { word, .. } => codepod_shell_syntax::print::word(word),
    }
}

/// What a variable holds as a string, without following namerefs.
pub fn plain_value(shell: &Shell, name: Name) -> Text {
    shell
        .state
        .variables
        .get(name)
        .scalar()
        .cloned()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
