//! The words that a specification gives.

use std::rc::Rc;

use codepod_shell_syntax::{Name, word as parse_word};

use super::sources::{self, files};
use super::{DEFAULT, EMPTY, INITIAL, Spec};
use crate::assign::{self, Place};
use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::pattern::{self, Pattern};
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Value;
use crate::{exec, expand, quote};

/// The actions in the order in which bash asks them.
const ORDER: &[&str] = &[
    "alias",
    "arrayvar",
    "builtin",
    "disabled",
    "enabled",
    "export",
    "function",
    "helptopic",
    "hostname",
    "job",
    "keyword",
    "running",
    "setopt",
    "shopt",
    "signal",
    "stopped",
    "variable",
    "command",
    "file",
    "user",
    "group",
    "service",
    "directory",
];

/// What a word is part of.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The command: `$1` of a completion function.
    pub command: &'a [u8],
    /// The word to be completed: `$2`.
    pub word: &'a [u8],
    /// The word before it: `$3`.
    pub previous: &'a [u8],
}

/// The words that a specification gives for a word.
pub fn generate(shell: &mut Shell, spec: &Spec, context: Context<'_>) -> Run<Vec<Text>> {
    let mut words = Vec::new();
    for action in ORDER {
        if spec.has_action(action) {
            sources::action(shell, action, context.word, &mut words);
        }
    }
    if let Some(glob) = &spec.glob {
        words.append(&mut globbed(shell, glob)?);
    }
    if let Some(list) = &spec.words {
        let mut listed = word_list(shell, list)?;
        listed.retain(|word| word.starts_with(context.word));
        words.append(&mut listed);
    }
    if let Some(function) = &spec.function {
        words.append(&mut called(shell, function, context)?);
    }
    if let Some(command) = &spec.command {
        words.append(&mut printed(shell, command, context)?);
    }
    if let Some(filter) = &spec.filter {
        filtered(shell, filter, context.word, &mut words);
    }
    if spec.prefix.is_some() || spec.suffix.is_some() {
        for word in &mut words {
            let prefix = spec.prefix.as_deref().unwrap_or_default();
            let suffix = spec.suffix.as_deref().unwrap_or_default();
            *word = Text::from([prefix, &word[..], suffix].concat());
        }
    }
    if spec.has_option("plusdirs") || (spec.has_option("dirnames") && words.is_empty()) {
        files(context.word, true, &mut words);
    }
    Ok(words)
}

/// `-G`
fn globbed(shell: &mut Shell, glob: &[u8]) -> Run<Vec<Text>> {
    let nullglob = shell.state.shopt.has(ShellOptions::NULLGLOB);
    shell.state.shopt.set(ShellOptions::NULLGLOB, true);
    let mut found = Vec::new();
    let result = match parse_word(glob, expand::syntax(shell)) {
        Ok(word) => expand::fields(shell, &word, &mut found),
        Err(_) => Ok(()),
    };
    shell.state.shopt.set(ShellOptions::NULLGLOB, nullglob);
    result.map(|()| found)
}

/// `-W`: split by `IFS` as quotes allow, each word expanded.
fn word_list(shell: &mut Shell, list: &[u8]) -> Run<Vec<Text>> {
    let noglob = shell.state.set.has(SetOptions::NOGLOB);
    shell.state.set.set(SetOptions::NOGLOB, true);
    let mut words = Vec::new();
    let mut result = Ok(());
    for piece in pieces(shell, list) {
        let syntax = expand::syntax(shell);
        // A quote that is never closed reaches to the end.
        let closed = |quote| parse_word(&[&piece[..], quote].concat(), syntax);
        let word = parse_word(&piece, syntax).or_else(|error| match piece.split_last() {
            // At the end, a backquote is a character like any other.
            Some((b'`', before)) => parse_word(&[before, b"\\`"].concat(), syntax),
            _ => closed(b"\"").or_else(|_| closed(b"'")).map_err(|_| error),
        });
        result = match word {
            Ok(word) => expand::fields(shell, &word, &mut words),
            Err(_) => {
                shell.error([&piece[..], b": bad substitution"].concat());
                shell.state.status = 1;
                Err(Stop::Discard)
            }
        };
        if result.is_err() {
            break;
        }
    }
    shell.state.set.set(SetOptions::NOGLOB, noglob);
    result.map(|()| words)
}

/// The parts of a list between separators that are neither quoted nor inside of `$(…)`, `${…}` or
/// backquotes.
fn pieces(shell: &Shell, list: &[u8]) -> Vec<Vec<u8>> {
    expand::ifs::current(shell, |ifs| {
        let mut pieces = vec![Vec::new()];
        let mut quoted = 0u8;
        let mut depth = 0usize;
        let mut at = 0;
        while at < list.len() {
            let byte = list[at];
            let (splits, next) = ifs.at(list, at);
            let mut end = at + 1;
            match byte {
                b'\\' if quoted != b'\'' => end = (at + 2).min(list.len()),
                b'\'' | b'"' | b'`' if quoted == 0 => quoted = byte,
                _ if quoted == byte => quoted = 0,
                _ if quoted != 0 => {}
                b'(' | b'{' if depth > 0 || (at > 0 && list[at - 1] == b'$') => depth += 1,
                b')' | b'}' if depth > 0 => depth -= 1,
                _ if depth == 0 && splits != expand::ifs::Splits::No => {
                    pieces.push(Vec::new());
                    at = next;
                    continue;
                }
                _ => {}
            }
            if let Some(last) = pieces.last_mut() {
                last.extend_from_slice(&list[at..end]);
            }
            at = end;
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    })
}

/// `-F`: what the function leaves in `COMPREPLY`.
fn called(shell: &mut Shell, name: &Text, context: Context<'_>) -> Run<Vec<Text>> {
    let Some(definition) = shell.state.functions.get(name) else {
        let message = [b"completion: function `", &name[..], b"' not found"];
        shell.error(message.concat());
        return Ok(Vec::new());
    };
    let function = Rc::clone(definition.function());
    assign::unset(shell, Name::COMPREPLY);
    let arguments = [context.command, context.word, context.previous];
    let arguments = std::iter::once(&name[..])
        .chain(arguments)
        .map(Text::new)
        .collect();
    exec::call(shell, &function, arguments)?;
    let reply = match assign::value(shell, Name::COMPREPLY) {
        Value::Indexed(array) => array.iter().map(|(_, word)| word.clone()).collect(),
        value => assign::scalar(&value).into_iter().collect(),
    };
    assign::unset(shell, Name::COMPREPLY);
    Ok(reply)
}

/// `-C`: the lines that the command prints.
fn printed(shell: &mut Shell, command: &[u8], context: Context<'_>) -> Run<Vec<Text>> {
    let mut text = command.to_vec();
    for argument in [context.command, context.word, context.previous] {
        text.push(b' ');
        quote::single(argument, &mut text);
    }
    let options = exec::parser_options(shell, shell.state.line);
    let Ok(Some(list)) = codepod_shell_syntax::Parser::new(&text, options).next(&()) else {
        return Ok(Vec::new());
    };
    let output = exec::capture(shell, &list, 1)?;
    Ok(output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(Text::new)
        .collect())
}

/// `-X`: removes what matches, or with `!` what does not. `&` is the word itself.
fn filtered(shell: &Shell, filter: &[u8], word: &[u8], words: &mut Vec<Text>) {
    let (negated, filter) = match filter {
        [b'!', rest @ ..] => (true, rest),
        _ => (false, filter),
    };
    let mut text = Vec::new();
    let mut at = 0;
    while at < filter.len() {
        match filter[at] {
            b'&' => pattern::escape(word, &mut text),
            b'\\' if filter.get(at + 1) == Some(&b'&') => {
                at += 1;
                text.push(b'&');
            }
            byte => text.push(byte),
        }
        at += 1;
    }
    let options = pattern::Options {
        extglob: shell.state.shopt.has(ShellOptions::EXTGLOB),
        nocase: shell.state.shopt.has(ShellOptions::NOCASEMATCH),
    };
    let pattern = Pattern::new(&text, options);
    words.retain(|word| pattern.matches(word) == negated);
}

/// The words that could stand at the end of a line, as pressing the tabulator would offer them.
/// Variables like `COMP_LINE` are set.
pub fn for_line(shell: &mut Shell, line: &[u8]) -> Run<Vec<Text>> {
    let start = command_start(line);
    let mut parts: Vec<Text> = line[start..]
        .split(|byte| matches!(byte, b' ' | b'\t'))
        .filter(|part| !part.is_empty())
        .map(Text::new)
        .collect();
    let fresh = parts.is_empty() || line.last().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    if fresh {
        parts.push(Text::EMPTY);
    }
    let last = parts.len() - 1;
    let word = parts[last].clone();
    let name = match last {
        0 if line.trim_ascii().is_empty() => EMPTY,
        0 => INITIAL,
        _ => &parts[0],
    };
    let spec = find(shell, name, last > 0);
    let Some(spec) = spec else {
        let mut words = Vec::new();
        let source = if last == 0 { "command" } else { "file" };
        sources::action(shell, source, &word, &mut words);
        return Ok(words);
    };
    announce(shell, line, &parts)?;
    let context = Context {
        command: &parts[0],
        word: &word,
        previous: if last > 0 { &parts[last - 1] } else { b"" },
    };
    let mut words = generate(shell, &spec, context)?;
    let falls_back = spec.has_option("default") || spec.has_option("bashdefault");
    if words.is_empty() && falls_back {
        files(&word, false, &mut words);
    }
    Ok(words)
}

/// Where the last command of a line starts.
fn command_start(line: &[u8]) -> usize {
    line.iter()
        .rposition(|byte| matches!(byte, b';' | b'|' | b'&' | b'(' | b'`' | b'\n'))
        .map_or(0, |at| at + 1)
}

/// The specification of a command: by its name, by the last part of its path, or the default one.
fn find(shell: &Shell, name: &[u8], command: bool) -> Option<Spec> {
    let all = &shell.state.completions;
    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    let found = all.get(name).or_else(|| all.get(base));
    let found = found.or_else(|| if command { all.get(DEFAULT) } else { None });
    found.cloned()
}

/// Sets `COMP_LINE` and its relatives for a completion function.
pub fn announce(shell: &mut Shell, line: &[u8], parts: &[Text]) -> Run {
    let mut set = |name, value| assign::set(shell, name, Place::Whole, value, false);
    set(Name::COMP_LINE, Text::new(line))?;
    set(Name::COMP_POINT, Text::number(line.len() as i64))?;
    set(Name::COMP_CWORD, Text::number(parts.len() as i64 - 1))?;
    set(Name::COMP_TYPE, Text::number(9))?;
    set(Name::COMP_KEY, Text::number(9))?;
    let words = shell.state.variables.get_mut(Name::COMP_WORDS);
    words.value = Value::Indexed(Rc::new(parts.iter().cloned().collect()));
    Ok(())
}
