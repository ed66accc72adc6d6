//! `alias` and `unalias`.

use std::rc::Rc;

use super::{Getopt, print, usage};
use crate::flow::Run;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;

/// `alias [-p] [name[=value] ... ]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "p");
    let mut list = false;
    loop {
        match options.next(shell) {
            Ok(Some(_)) => list = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    let mut out = Vec::new();
    if list || operands.is_empty() {
        let mut all: Vec<(&Text, &Text)> = shell.state.aliases.iter().collect();
        // bash compares the first bytes as signed.
        crate::sort::by_key(&mut all, |(name, _)| {
            (name.first().map(|byte| byte.cast_signed()), *name)
        });
        for (name, value) in all {
            line(name, value, &mut out);
        }
        let status = print(shell, &arguments[0], &out);
        if status != 0 || operands.is_empty() {
            return Ok(status);
        }
    }
    let mut status = 0;
    for operand in operands {
        // An `=` at the very start is part of the name.
        let equals = operand.iter().skip(1).position(|byte| *byte == b'=');
        match equals.map(|at| operand.split_at(at + 1)) {
            Some((name, value)) => {
                if name
                    .iter()
                    .any(|byte| b" \t\n/$`'\"\\|&;()<>".contains(byte))
                {
                    shell.builtin_error(
                        &arguments[0],
                        [b"`", name, b"': invalid alias name"].concat(),
                    );
                    status = 1;
                    continue;
                }
                let aliases = Rc::make_mut(&mut shell.state.aliases);
                aliases.insert(Text::new(name), Text::new(&value[1..]));
            }
            None => match shell.state.aliases.get(operand) {
                Some(value) => {
                    out.clear();
                    line(operand, value, &mut out);
                    status |= print(shell, &arguments[0], &out);
                }
                None => {
                    shell.builtin_error(&arguments[0], [operand, &b": not found"[..]].concat());
                    status = 1;
                }
            },
        }
    }
    Ok(status)
}

/// `alias name='value'`, as `alias` and `command -v` print it.
pub(super) fn line(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"alias ");
    if name.first() == Some(&b'-') {
        out.extend_from_slice(b"-- ");
    }
    out.extend_from_slice(name);
    out.push(b'=');
    quote::single(value, out);
    out.push(b'\n');
}

/// `unalias [-a] name [name ...]`
pub(super) fn run_unalias(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "a");
    match options.next(shell) {
        Ok(Some(_)) => {
            shell.state.aliases = Rc::default();
            return Ok(0);
        }
        Ok(None) => {}
        Err(status) => return Ok(status),
    }
    if options.operands().is_empty() {
        return Ok(usage(shell, &arguments[0]));
    }
    let mut status = 0;
    for name in options.operands() {
        if Rc::make_mut(&mut shell.state.aliases)
            .remove(name)
            .is_none()
        {
            shell.builtin_error(&arguments[0], [name, &b": not found"[..]].concat());
            status = 1;
        }
    }
    Ok(status)
}
