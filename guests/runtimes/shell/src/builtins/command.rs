//! `command`.

use std::rc::Rc;

use super::r#type::{Search, Style, describe};
use super::{Getopt, enabled, print};
use crate::exec;
use crate::flow::Run;
use crate::path;
use crate::shell::Shell;
use crate::text::Text;

/// `command [-pVv] command [arg ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "pvV");
    let mut directories = None;
    let mut style = None;
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'p' => directories = Some(path::STANDARD),
                b'v' => style = Some(Style::Short),
                _ => style = Some(Style::Long),
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    match style {
        Some(style) => Ok(tell(shell, &arguments[0], operands, style, directories)),
        None if operands.is_empty() => Ok(0),
        None => execute(shell, operands, directories),
    }
}

/// `command -v` and `command -V`: succeeds when any of the names is known.
fn tell(
    shell: &mut Shell,
    command: &[u8],
    names: &[Text],
    style: Style,
    directories: Option<&[u8]>,
) -> i32 {
    let search = Search {
        style,
        all: false,
        no_functions: false,
        only_path: false,
        directories,
    };
    let mut any = names.is_empty();
    for name in names {
        let mut out = Vec::new();
        if describe(shell, name, search, &mut out) {
            any |= print(shell, command, &out) == 0;
        } else if style == Style::Long {
            shell.builtin_error(command, [name, &b": not found"[..]].concat());
        }
    }
    i32::from(!any)
}

/// Runs a builtin or a program, but no function.
pub(super) fn execute(shell: &mut Shell, words: &[Text], directories: Option<&[u8]>) -> Run<i32> {
    let Some(name) = words.first() else {
        return Ok(0);
    };
    if let Some(entry) = enabled(shell, name) {
        return (entry.run)(shell, words);
    }
    let found = directories
        .filter(|_| !name.contains(&b'/'))
        .and_then(|list| path::search(list, name));
    let Some(found) = found else {
        if directories.is_some() && !name.contains(&b'/') {
            return exec::missing(shell, words);
        }
        return exec::run_program(shell, words);
    };
    // Remembered for this command only.
    let remembered = Rc::clone(&shell.state.hash);
    Rc::make_mut(&mut shell.state.hash).insert(name.clone(), (Text::from(found), 0));
    let result = exec::run_program(shell, words);
    shell.state.hash = remembered;
    result
}
