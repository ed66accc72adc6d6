//! awk: POSIX's language with gawk's functions and variables.
//!
//! `lexer` and `parser` make the tree of `tree`, `interpreter` runs it. Records come from `input`,
//! fields from `record`.

pub mod array;
pub mod format;
pub mod gawk_order;
pub mod input;
pub mod interpreter;
pub mod lexer;
pub mod number;
pub mod options;
pub mod output;
pub mod parser;
pub mod record;
pub mod regex;
pub mod text;
pub mod tree;
pub mod value;

use codepod_tool::{Arguments, complain};

use interpreter::{Awk, Halt};
use lexer::Mistake;

/// awk as a tool.
pub fn awk(name: &str, arguments: Arguments) -> i32 {
    let settings = match options::read(name, arguments) {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    codepod_posix_regex::set_locale();
    if settings.bytes {
        codepod_posix_regex::set_bytes(true);
    }
    let mut text = Vec::new();
    let mut sources = Vec::new();
    for (source, program) in &settings.sources {
        let line = parser::line_of(&text, text.len());
        sources.push((line, source.clone()));
        text.extend_from_slice(program);
        if text.last() != Some(&b'\n') && settings.sources.len() > 1 {
            text.push(b'\n');
        }
    }
    let program = match parser::parse(&text) {
        Ok(program) => program,
        Err(mistake) => return report(name, &text, &sources, &mistake),
    };
    let mut awk = Awk::new(program, name, sources, codepod_posix_regex::is_bytes());
    let mut argv = vec![name.as_bytes().to_vec()];
    argv.extend(settings.operands);
    awk.start(&argv, &environment());
    if let Some(status) = prepare(&mut awk, settings.separator, &settings.assignments) {
        return status;
    }
    awk.run()
}

/// Does what `-F` and `-v` say; a status where that is wrong.
fn prepare(awk: &mut Awk, separator: Option<Vec<u8>>, assignments: &[Vec<u8>]) -> Option<i32> {
    let name = awk.name.clone();
    let fail = |halt: Box<Halt>| {
        if let Halt::Fatal(message) = *halt {
            complain(&name, format!("fatal: {message}"));
        }
        Some(2)
    };
    for assignment in assignments {
        match awk.assignment(assignment) {
            Ok(true) => {}
            Ok(false) => {
                let shown = String::from_utf8_lossy(assignment).into_owned();
                let Some((left, _)) = shown.split_once('=') else {
                    complain(
                        &name,
                        format!("`{shown}' argument to `-v' not in `var=value' form\n"),
                    );
                    let _ = std::io::Write::write_all(
                        &mut std::io::stderr(),
                        options::USAGE.as_bytes(),
                    );
                    return Some(1);
                };
                complain(
                    &name,
                    format!("fatal: `{left}' is not a legal variable name"),
                );
                return Some(2);
            }
            Err(halt) => return fail(halt),
        }
    }
    if let Some(separator) = separator
        && let Err(halt) = awk.assign_text(b"FS", &separator)
    {
        return fail(halt);
    }
    None
}

fn environment() -> Vec<Vec<u8>> {
    codepod_sys::environment::variables().unwrap_or_else(|_| {
        let pair = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            [name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat()
        };
        std::env::vars_os().map(pair).collect()
    })
}

/// Says what is wrong with a program, as gawk does, and returns the status.
fn report(name: &str, text: &[u8], sources: &[(u32, String)], mistake: &Mistake) -> i32 {
    // A newline that should not be there was read already: gawk counts it.
    let newline = mistake.caret && text.get(mistake.at) == Some(&b'\n');
    let line = parser::line_of(text, mistake.at) + u32::from(newline);
    let found = sources.iter().rev().find(|(from, _)| *from <= line);
    let (from, source) = found.map_or((1, "cmd. line"), |(from, source)| (*from, source.as_str()));
    let place = format!("{source}:{}: ", line - from + 1);
    if mistake.caret {
        let at = mistake.at.min(text.len());
        let start = text[..at]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let end = text[at..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(text.len(), |length| at + length);
        let shown = String::from_utf8_lossy(&text[start..end]).into_owned();
        complain(name, format!("{place}{shown}"));
        // Tabs stay tabs, so that the caret stands where it should.
        let blanks: String = String::from_utf8_lossy(&text[start..at])
            .chars()
            .map(|letter| if letter == '\t' { '\t' } else { ' ' })
            .collect();
        complain(name, format!("{place}{blanks}^ {}", mistake.message));
    } else {
        complain(name, format!("{place}{}{}", mistake.kind, mistake.message));
    }
    if mistake.kind == "fatal: " { 2 } else { 1 }
}
